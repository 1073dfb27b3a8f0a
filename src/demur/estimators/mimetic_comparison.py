"""All mimetic configurations side by side on labelled test cases (Blanco-Vega et al. 2006, table 2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from demur._checks import check_choice, check_finite, check_labels, input_error
from demur._results import Result
from demur.costs.model import CostModel
from demur.estimators.mimetic import MimeticClassifier, mimetic_configurations
from demur.roc.curve import auc_score
from demur.typing import ArrayLike, BoolArray, FloatArray, Labels
from demur.unlabelled.invented import oracle_classes, oracle_proba
from demur.unlabelled.thresholds import direct_threshold

__all__ = ["MimeticComparison", "mimetic_costs"]

_PAPER_MU = (1.0, 2.0, 3.0, 5.0, 10.0)
_BASELINES = ("oracle at 0.5", "oracle, direct")


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class MimeticComparison(Result):
    """Cost of each configuration at each relative cost; made by `mimetic_costs`.

    Attributes
    ----------
    names : tuple of str
        Configurations, then the oracle at 0.5 and at the direct threshold.
    mu : array
        Relative costs of a false alarm.
    cost : array of shape (names, mu)
        Cost per test case (a miss costs 1). The lower the better.
    accuracy : array of shape (names, mu)
        Share of right answers.
    auc : array of shape (names, mu)
        AUC of the probabilities behind the answers (table 4 of the paper); NaN where the test cases
        are of one class.
    n : int
        Number of test cases; ``cost * n`` is what the paper's table 2 holds.
    """

    names: tuple[str, ...]
    mu: FloatArray
    cost: FloatArray
    accuracy: FloatArray
    auc: FloatArray
    n: int

    def best(self, mu: float) -> str:
        """Return the cheapest of all at one of the given mu."""
        where = np.flatnonzero(self.mu == mu)
        if not len(where):
            raise input_error("mu", f"must be one of {self.mu.tolist()}", mu)
        return self.names[int(self.cost[:, where[0]].argmin())]


def mimetic_costs(
    oracle: Any,
    X: Any,
    y: Labels,
    *,
    ranges: Any = None,
    schema: Any = None,
    mu: ArrayLike = _PAPER_MU,
    configurations: Sequence[str] | None = None,
    n_invented: int = 10_000,
    prevalence: float | None = None,
    pos_label: Any = None,
    random_state: int = 0,
) -> MimeticComparison:
    """Cost of mimetic models on labelled test cases, for several relative costs.

    The oracle at 0.5 and at the direct threshold are always among the rows. A mimetic model that
    costs more than the oracle at the direct threshold offers its readability and nothing else.

    Parameters
    ----------
    oracle, ranges, schema, n_invented, prevalence, pos_label
        As in `MimeticClassifier`; one of `ranges` and `schema`, from training data.
    X, y : test cases and labels
    mu : array of numbers >= 0
        Relative costs of a false alarm; the paper's 1, 2, 3, 5, 10 by default.
    configurations : sequence of str, optional
        Names from `mimetic_configurations`; all by default (those of type a only if a
        `prevalence` is given).
    random_state : int
        All configurations of one data type see the same invented cases.

    Returns
    -------
    MimeticComparison
        With `cost`, `accuracy`, `auc`, `best`.

    References
    ----------
    Blanco-Vega et al. (2006), ROCML, tables 2, 3 and 4.

    Examples
    --------
    >>> import numpy as np
    >>> from demur.estimators import mimetic_costs
    >>> rng = np.random.default_rng(0)
    >>> X = rng.random((400, 2))
    >>> y = rng.random(400) < X[:, 0]
    >>> comparison = mimetic_costs(lambda X: X[:, 0], X, y, ranges=[(0, 1), (0, 1)], mu=[1, 5],
    ...     configurations=["Mim0b", "Mim2Dirb"], n_invented=500)
    >>> comparison.names
    ('Mim0b', 'Mim2Dirb', 'oracle at 0.5', 'oracle, direct')
    >>> bool(comparison.cost[1, 1] < comparison.cost[0, 1])
    True
    """
    known = mimetic_configurations()
    if configurations is None:
        configurations = [name for name in known if prevalence is not None or not name.endswith("a")]
    for name in configurations:
        check_choice(name, "configurations", tuple(known))
    skews = np.atleast_1d(check_finite(mu, "mu"))
    truth = check_labels(y, _positive_label(oracle, pos_label))
    options = {
        "ranges": ranges,
        "schema": schema,
        "n_invented": n_invented,
        "prevalence": prevalence,
        "pos_label": pos_label,
        "random_state": random_state,
    }
    rows = [
        [
            _answered(MimeticClassifier(oracle, costs=CostModel(cost_fp=s), **known[name], **options), X)
            for s in skews
        ]
        for name in configurations
    ]
    proba = oracle_proba(oracle, X, pos_label=pos_label)
    rows.append([(direct_threshold(mu=1.0).decide(proba) == 1, proba) for _ in skews])
    rows.append([(direct_threshold(mu=float(s)).decide(proba) == 1, proba) for s in skews])
    called = np.array([[one for one, _ in row] for row in rows])
    ranked = np.array([[_auc(truth, score) for _, score in row] for row in rows])
    return _compared((*configurations, *_BASELINES), skews, called, ranked, truth)


def _positive_label(oracle: Any, pos_label: Any) -> Any:
    classes = oracle_classes(oracle)
    return classes[1] if pos_label is None and classes is not None else pos_label


def _answered(model: MimeticClassifier, X: Any) -> tuple[BoolArray, FloatArray]:
    """Tell which cases the fitted model calls positive, and the probability behind it."""
    model.fit()
    positive = model.classes_[1] if model.pos_label is None else model.pos_label
    column = list(model.classes_).index(positive)
    return np.asarray(model.predict(X) == positive), model.predict_proba(X)[:, column]


def _auc(truth: BoolArray, score: FloatArray) -> float:
    return auc_score(truth, score) if truth.any() and not truth.all() else np.nan


def _compared(
    names: tuple[str, ...], mu: FloatArray, called: BoolArray, ranked: FloatArray, truth: BoolArray
) -> MimeticComparison:
    """Mean cost and accuracy over the last axis of `called` (names, mu, cases)."""
    missed = (~called & truth).mean(axis=2)
    alarms = (called & ~truth).mean(axis=2)
    return MimeticComparison(
        names=names,
        mu=mu,
        cost=missed + mu * alarms,
        accuracy=1 - missed - alarms,
        auc=ranked,
        n=len(truth),
    )
