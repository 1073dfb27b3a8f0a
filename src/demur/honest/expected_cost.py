"""What a chosen window will cost, measured on cases not used to choose it.

`cross_fitted_surface` answers for the cheapest windows at all costs. A window under constraints,
or with costs of abstaining by class, needs the same folds but its own search in each of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from demur._results import Interval, Result
from demur.costs.model import CostModel
from demur.counts.scores import ScoreCounts
from demur.honest.cases import SplitCases
from demur.honest.class_rows import classes_of
from demur.honest.decisions import Judged, Window, judge_choices, judge_learned, mean_and_error, outcomes
from demur.honest.held_out import Weighting
from demur.honest.intervals import OutcomeTable, honest_interval, loss_sums
from demur.honest.rules import Prices
from demur.surface.window import AbstentionWindow
from demur.typing import FloatArray

__all__ = [
    "Estimate",
    "ExpectedCost",
    "cost_estimate",
    "expected_cost",
    "outcome_table",
    "relative_prices",
]


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class ExpectedCost(Result):
    """Honest cost per case of a window, in the unit of the costs; the lower the better.

    Attributes
    ----------
    cost : float
        Mean over all cases of what each costs under a window chosen without it: what you will pay.
    interval : Interval
        From the cost with hindsight below to the honest cost above, with a few further errors counted;
        covers the true cost of the window in use.
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


class Estimate(NamedTuple):
    """Honest cost per case with its interval, beside the cost with hindsight."""

    cost: float
    interval: Interval
    hindsight: float


def relative_prices(costs: CostModel) -> dict[str, float]:
    """Relative prices of the outcomes; an infinite review is never paid."""
    reviews = (nu if np.isfinite(nu) else 0.0 for nu in (costs.nu_positive, costs.nu_negative))
    return dict(
        zip(("miss", "alarm", "abstain_positive", "abstain_negative"), (1.0, costs.mu, *reviews), strict=True)
    )


def outcome_table(table: FloatArray) -> OutcomeTable:
    """Name the entries of a table of class (negative, positive) by decision (0, 1, abstained)."""
    (right_negative, alarmed, kept_negative), (missed, right_positive, kept_positive) = table.tolist()
    return OutcomeTable(missed, right_positive, kept_positive, alarmed, right_negative, kept_negative)


def _rate(table: FloatArray, prevalence: float | None) -> float:
    negative, positive = table.reshape(2, -1).sum(axis=1)
    return float(positive / (positive + negative)) if prevalence is None else prevalence


def cost_estimate(
    honest: FloatArray, hindsight: FloatArray, costs: CostModel, *, prevalence: float | None, level: float
) -> Estimate:
    """Honest cost with its interval for the true cost of the rule in use."""
    rate = _rate(honest, prevalence)
    sums = [loss_sums(outcome_table(table), **relative_prices(costs)) for table in (hindsight, honest)]
    low, high = honest_interval(sums[0], sums[1], level=level, prevalence=prevalence)
    # every case can cost its most expensive outcome, and no more
    prices = relative_prices(costs)
    worst = rate * max(1.0, prices["abstain_positive"]) + (1 - rate) * max(
        costs.mu, prices["abstain_negative"]
    )
    ends = max(float(low), 0.0), min(float(high), worst)
    cost = _mean(honest, costs, prevalence)
    bottom, top = (float(costs.expected_cost(end, rate)) for end in ends)
    return Estimate(
        cost,
        # a rule without risk has no interval but its cost, however the sums were rounded
        Interval(min(bottom, cost), max(top, cost)),
        _mean(hindsight, costs, prevalence),
    )


def _mean(table: FloatArray, costs: CostModel, prevalence: float | None) -> float:
    negative, positive = (float(row) for row in table.sum(axis=1))
    return mean_and_error(table, costs.losses.table, Weighting.of(positive, negative, prevalence))[0]


def expected_cost(
    cases: SplitCases,
    scores: FloatArray,
    choose: Callable[[ScoreCounts], AbstentionWindow] | None,
    costs: CostModel,
    *,
    confidence_level: float,
) -> ExpectedCost:
    """Judge every case by the window `choose` finds without its fold.

    None: by the cheapest window, as long as nobody is paid for a review.
    """
    counts = cases.counts(scores)
    if choose is None:
        judged = judge_learned(cases, cases.judge(scores, counts), Prices.at(costs))
    else:
        judged = _judge(cases, scores, counts, choose)
    table = costs.losses.table
    weighting = Weighting.of(counts.n_positive, counts.n_negative, cases.prevalence)
    held_out = outcomes(cases, judged.honest)
    estimate = cost_estimate(
        held_out,
        outcomes(cases, [judged.hindsight]),
        costs,
        prevalence=cases.prevalence,
        level=confidence_level,
    )
    abstained, _ = mean_and_error(held_out, np.array([[0.0, 0.0, 1.0]] * 2), weighting)
    return ExpectedCost(
        cost=estimate.cost,
        interval=estimate.interval,
        standard_error=mean_and_error(held_out, table, weighting)[1],
        hindsight=estimate.hindsight,
        abstention_rate=abstained,
        confidence_level=confidence_level,
        folds=cases.folds,
        repeats=cases.repeats,
        n=counts.n,
    )


def _judge(
    cases: SplitCases,
    scores: FloatArray,
    counts: ScoreCounts,
    choose: Callable[[ScoreCounts], AbstentionWindow],
) -> Judged:
    def windows(counts: ScoreCounts) -> list[Window]:
        window = choose(counts)
        return [Window(window.lower, window.upper)]

    classes = classes_of(scores, cases.positive, cases.splits)
    (judged,) = judge_choices(cases, scores, classes, windows, windows(counts))
    assert isinstance(judged, Judged), "`choose` raises where it finds no window"
    return judged
