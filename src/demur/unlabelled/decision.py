"""One decision from costs and unlabelled probabilities, with all thresholds side by side."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from demur._checks import check_positive_proba, check_type
from demur._html import threshold_text
from demur._results import Result
from demur.costs.model import CostModel
from demur.counts.window import AbstentionWindow
from demur.surface.surface import abstention_surface
from demur.surface.window import written_window
from demur.typing import ArrayLike, BoolArray, FloatArray
from demur.unlabelled.thresholds import (
    UnlabelledThreshold,
    direct_threshold,
    expected_counts,
    nroc_threshold,
    ranking_threshold,
    reaches,
)

__all__ = ["UnlabelledDecision", "unlabelled_decision"]


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class UnlabelledDecision(Result):
    """What to do with unlabelled scores; made by `unlabelled_decision`.

    Attributes
    ----------
    sentence : str
        The decision in words.
    direct, ranking, nroc : UnlabelledThreshold
        The three thresholds, each with its assumption.
    positive_rates, expected_costs : dict
        By method: share of the cases called positive, and expected cost per case in the
        unit of the costs if the probabilities are calibrated.
    window : AbstentionWindow or None
        Cheapest window if the probabilities are calibrated, where the costs allow abstaining.
    n : int
        Number of cases.
    prevalence : float
        Mean of the probabilities: the prevalence they claim.
    """

    sentence: str
    direct: UnlabelledThreshold
    ranking: UnlabelledThreshold
    nroc: UnlabelledThreshold
    positive_rates: dict[str, float]
    expected_costs: dict[str, float]
    window: AbstentionWindow | None
    n: int
    prevalence: float


def unlabelled_decision(proba: ArrayLike, costs: CostModel) -> UnlabelledDecision:
    """Decide from costs and unlabelled probabilities, with all three thresholds side by side.

    Recommends the direct threshold, which is the cheapest if the probabilities are
    calibrated, and shows how much the others would differ. Where the costs allow abstaining,
    recommends the window that is cheapest for calibrated probabilities instead.

    Parameters
    ----------
    proba : array of n numbers in [0, 1]
        P(positive) of the cases.
    costs : CostModel
        What each outcome costs.

    Returns
    -------
    UnlabelledDecision
        With `sentence`, `direct`, `ranking`, `nroc`, `window`.

    Raises
    ------
    InputError
        For no case, NaN, numbers outside [0, 1], or `costs` as in `direct_threshold`.

    Notes
    -----
    The expected cost of a rule is the mean of mu (1 - p) where it says positive and of p
    where it says negative, in the unit of `costs`. No labelled case supports it: it is as
    good as the calibration.

    References
    ----------
    Blanco-Vega et al. (2006), ROCML.

    Examples
    --------
    >>> from demur import CostModel
    >>> from demur.unlabelled import unlabelled_decision
    >>> proba = [0.9, 0.8, 0.6, 0.55, 0.4, 0.2, 0.1]
    >>> decision = unlabelled_decision(proba, CostModel(cost_fn=100, cost_fp=200))
    >>> print(decision.sentence)
    Call a case positive from P(positive) 0.6666666666666666 on: 2 of 7 cases, expected cost 35
    per case if the probabilities are calibrated. No label was used.
    >>> decision.ranking.threshold
    0.6
    >>> decision.positive_rates["ranking"] > decision.positive_rates["direct"]
    True
    """
    values = check_positive_proba(proba)
    check_type(costs, "costs", CostModel)
    mean = float(values.mean())
    rules = {
        "direct": direct_threshold(costs),
        "ranking": ranking_threshold(values, costs),
        "nroc": nroc_threshold(values, costs),
    }
    called = {name: reaches(values, rule.threshold) for name, rule in rules.items()}
    expected = {
        name: float(
            costs.expected_cost(float(np.where(positive, costs.mu * (1 - values), values).mean()), mean)
        )
        for name, positive in called.items()
    }
    window = None
    if costs.may_abstain:
        counts = expected_counts(values)
        window = written_window(abstention_surface(counts).window(costs=costs), counts)
    return UnlabelledDecision(
        sentence=_sentence(rules["direct"].threshold, called["direct"], expected["direct"], window, values),
        **rules,
        positive_rates={name: float(positive.mean()) for name, positive in called.items()},
        expected_costs=expected,
        window=window,
        n=len(values),
        prevalence=mean,
    )


def _sentence(
    threshold: float, called: BoolArray, cost: float, window: AbstentionWindow | None, values: FloatArray
) -> str:
    n, start = len(values), "Call a case positive from P(positive)"
    if window is None or window.is_empty:
        rule = f"{start} {threshold_text(threshold)} on: {np.count_nonzero(called)} of {n} cases"
    else:
        rule = (
            f"{start} {threshold_text(window.upper)} on, negative up to {threshold_text(window.lower)}, and "
            f"abstain between: {round(window.abstention_rate * n)} of {n} cases abstained on"
        )
        cost = window.expected_cost
    return (
        f"{rule}, expected cost {cost:.4g} per case if the probabilities are calibrated. No label was used."
    )
