"""What a chosen rule will cost, measured on cases not used to choose it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from demur._results import Interval, Result
from demur.costs.losses import Losses
from demur.honest.cases import SplitCases
from demur.honest.decisions import Judged, outcomes
from demur.honest.estimates import JudgedRule, class_shares, cost_estimate
from demur.surface.window import ABSTAIN
from demur.typing import FloatArray

__all__ = ["ExpectedCost", "expected_cost_of", "judged_rule"]


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class ExpectedCost(Result):
    """Honest cost per case of a window, in the unit of the costs; the lower the better.

    Attributes
    ----------
    cost : float
        Mean over all cases of what each costs under a window chosen without it: what you will pay.
    interval : Interval
        Covers the true cost of the window in use (`mean_loss_interval`).
    standard_error : float
        Of `cost`.
    hindsight : float
        Cost of the window in use on the cases it was chosen on: too low on average.
    abstention_rate : float
        Share of the cases abstained on by windows chosen without them.
    confidence_level : float
    folds, repeats : int
        Number of parts of each split, and of splits that were averaged.
    n : float
        Number of cases.
    units : float
        Number of independent units that were judged: cases, or clusters of them.

    Examples
    --------
    A fitted classifier says what it will cost:

    >>> from sklearn.datasets import make_classification
    >>> from sklearn.linear_model import LogisticRegression
    >>> from demur import AbstainingClassifier, CostModel
    >>> X, y = make_classification(n_samples=300, random_state=0)
    >>> costs = CostModel(cost_fn=10, cost_fp=2, cost_abstain=0.5)
    >>> model = AbstainingClassifier(LogisticRegression(), costs=costs).fit(X, y)
    >>> expected = model.expected_cost_
    >>> f"{expected.cost:.2f} per case, not {expected.hindsight:.2f}"
    '0.18 per case, not 0.13'
    """

    cost: float
    interval: Interval
    standard_error: float
    hindsight: float
    abstention_rate: float
    confidence_level: float
    folds: int
    repeats: int
    n: float
    units: float


def judged_rule(cases: SplitCases, judged: Judged, scores: FloatArray | None) -> JudgedRule:
    """Make a judged rule from decisions, with the tables of their outcomes."""
    honest, hindsight = outcomes(cases, judged.honest), outcomes(cases, [judged.hindsight])
    return JudgedRule(cases=cases, judged=judged, honest=honest, hindsight=hindsight, scores=scores)


def expected_cost_of(rule: JudgedRule, losses: Losses, *, confidence_level: float) -> ExpectedCost:
    """Estimate what a judged rule costs, at the prevalence its cases are judged under."""
    cases, rate = rule.cases, rule.cases.prevalence
    shares = None if rate is None else np.array([1 - rate, rate])
    estimate = cost_estimate(rule, losses, shares, level=confidence_level)
    return ExpectedCost(
        cost=estimate.cost,
        interval=estimate.interval,
        standard_error=estimate.mean.standard_error,
        hindsight=estimate.hindsight,
        abstention_rate=float(class_shares(rule.honest, shares)[:, ABSTAIN].sum()),
        confidence_level=confidence_level,
        folds=cases.folds,
        repeats=cases.repeats,
        n=cases.n,
        units=cases.units,
    )
