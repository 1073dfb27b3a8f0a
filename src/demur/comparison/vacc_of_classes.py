"""`class_vacc`: models of any number of classes compared over all costs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from demur._checks import input_error
from demur.comparison.class_volume import ClassVacc, volume_of_classes
from demur.comparison.comparison import table_of_classes
from demur.comparison.problem import Limits
from demur.costs.law import CostLaw
from demur.typing import ArrayLike, FloatArray, Labels

__all__ = ["class_vacc"]


def class_vacc(
    y_true: Labels,
    scores: Mapping[str, ArrayLike] | ArrayLike,
    *,
    classes: Sequence[Any] | None = None,
    law: CostLaw | Callable[[np.random.Generator, int, int], FloatArray] | None = None,
    n_draws: int = 1000,
    prevalence: Any = None,
    sample_weight: ArrayLike | None = None,
    weights: str = "importance",
    groups: ArrayLike | None = None,
    confidence_level: float = 0.95,
    seed: int = 0,
) -> ClassVacc:
    """Estimate the mean cost of models of many classes while nobody knows the costs; the lower the better.

    Costs are drawn from a law, the same for all models. At every draw a case gets the action of the
    smallest expected cost, by probabilities calibrated without it. Assumes independent cases that resemble
    the use, and that the law says how likely costs are: another law may prefer another model.

    Parameters
    ----------
    y_true : array of n labels
    scores : mapping {name: array of shape (n, m)}, or one array
        One column of probabilities per class.
    classes : m names, optional
        Names of the columns.
    law : CostLaw or function, optional
        `CostLaw()` by default. A function gets a generator, the number of classes m and of draws d, and
        returns costs of shape (d, m, m + 1): draw, true class, answer, with reviews last.
    n_draws : int, default 1000
        More make `monte_carlo_error` smaller, not the interval.
    prevalence : mapping {class: share}, optional
        P(class) in use, if not the sample's.
    sample_weight, weights, groups, confidence_level
        As in `compare_models`.
    seed : int, default 0
        For splits and draws.

    Returns
    -------
    ClassVacc
        With `vacc`, `interval`, `cheapest`, `differences`, `curves()`, `tables()`, `words`.

    Raises
    ------
    InputError
        For ill-formed input, or a law that does not draw finite tables of that shape.

    Notes
    -----
    For two classes, a miss of cost 1 and (mu, nu) uniform on the unit square it is `vacc_score` in
    hindsight, and, honest, the mean `plugin_vacc_score` of out-of-fold isotonic probabilities, which is also
    the volume of `cross_fitted_surface`. Under `CostLaw`, which scales costs by the mean mistake, not by the
    miss, it is another number. Isotonic steps, one class against the rest, are scaled to sum to 1.

    References
    ----------
    Friedel, Rueckert, Kramer (2006), "Cost Curves for Abstaining Classifiers", ROCML.
    Zadrozny, Elkan (2002), KDD, doi:10.1145/775047.775151 (calibration of many classes).

    Examples
    --------
    Which of two models of three classes, whatever mistakes will cost?

    >>> import numpy as np
    >>> from demur.comparison import class_vacc
    >>> rng = np.random.default_rng(0)
    >>> stage = rng.integers(0, 3, 400)
    >>> clear, vague = (rng.dirichlet([1, 1, 1], 400) + gain * np.eye(3)[stage] for gain in (1.0, 0.3))
    >>> found = class_vacc(stage, {"clear": clear, "vague": vague}, n_draws=200)
    >>> found.vacc["clear"] < found.vacc["vague"] < found.baseline, found.cheapest["clear"]
    (True, 1.0)
    """
    table, problem, _ = table_of_classes(
        y_true,
        scores,
        classes=classes,
        costs=None,
        abstain_cost=None,
        prevalence=prevalence,
        sample_weight=sample_weight,
        weights=weights,
        groups=groups,
        objective=None,
        limits=Limits(),
        confidence_level=confidence_level,
        seed=seed,
    )
    if law is not None and not callable(law):
        raise input_error("law", "must be a CostLaw or a function", repr(law))
    cases = next(iter(table.cases.values()))
    return volume_of_classes(
        cases,
        {name: judge().scores for name, judge in table.judging.items()},
        table.labels,
        law=CostLaw() if law is None else law,
        n_draws=n_draws,
        shares=problem.shares,
        confidence_level=problem.confidence_level,
        seed=problem.seed,
    )
