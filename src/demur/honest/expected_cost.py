"""What a chosen window will cost, judged on cases that did not choose it.

`cross_fitted_surface` answers for the cheapest windows at all costs. A window under constraints,
or with costs of abstaining by class, needs the same folds but its own search in each of them.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from demur._kernels.normal import normal_quantile
from demur._results import Interval, Result
from demur.costs.model import CostModel
from demur.counts.scores import ScoreCounts
from demur.honest.cases import SplitCases
from demur.honest.class_rows import classes_of
from demur.honest.cross_fitting import bracket_or_average
from demur.honest.decisions import Window, judge_choices, mean_and_error, outcomes
from demur.honest.held_out import Weighting
from demur.surface.window import AbstentionWindow
from demur.typing import FloatArray

__all__ = ["ExpectedCost", "expected_cost", "loss_table"]


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class ExpectedCost(Result):
    """Honest cost per case of a window, in the unit of the costs; the lower the better.

    Attributes
    ----------
    cost : float
        Mean over all cases of what each costs under a window chosen without it: what you will pay.
    interval : Interval
        From the cost with hindsight minus z standard errors to `cost` plus z of its own; covers
        the true cost of the window in use.
    standard_error : float
        Of `cost`.
    hindsight : float
        Cost of the window in use on the cases that chose it: too small on average.
    abstention_rate : float
        Share of the cases abstained on by windows chosen without them.
    confidence_level : float
    folds, repeats : int
        Number of parts of each split, and of splits that were averaged.
    n : float
        Number of cases.
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


def loss_table(costs: CostModel) -> FloatArray:
    """Return the cost of each outcome: rows actual negative and positive, columns decided 0, 1, abstained.

    Decisions index the columns: `ABSTAIN` is -1, the last one. Where abstaining is no option its
    price is 0: no window abstains there.
    """
    by_class = costs.cost_abstain_negative, costs.cost_abstain_positive
    both = costs.cost_abstain or 0.0
    negative, positive = (both if cost is None else cost for cost in by_class)
    return np.array([[costs.cost_tn, costs.cost_fp, negative], [costs.cost_fn, costs.cost_tp, positive]])


def expected_cost(
    cases: SplitCases,
    scores: FloatArray,
    choose: Callable[[ScoreCounts], AbstentionWindow],
    costs: CostModel,
    *,
    confidence_level: float,
) -> ExpectedCost:
    """Judge every case by the window `choose` finds without its fold; bracket interval."""

    def windows(counts: ScoreCounts) -> list[Window]:
        window = choose(counts)
        return [Window(window.lower, window.upper)]

    counts = cases.counts(scores)
    classes = classes_of(scores, cases.positive, cases.splits)
    (judged,) = judge_choices(cases, scores, classes, windows, windows(counts))
    table = loss_table(costs)
    weighting = Weighting.of(counts.n_positive, counts.n_negative, cases.prevalence)
    held_out = outcomes(cases, judged.honest)
    honest = mean_and_error(held_out, table, weighting)
    hindsight = mean_and_error(outcomes(cases, [judged.hindsight]), table, weighting)
    low, high = bracket_or_average(hindsight, honest, normal_quantile(confidence_level), "bracket")
    abstained, _ = mean_and_error(held_out, np.array([[0.0, 0.0, 1.0]] * 2), weighting)
    return ExpectedCost(
        cost=honest[0],
        interval=Interval(float(max(low, table.min())), float(high)),
        standard_error=honest[1],
        hindsight=hindsight[0],
        abstention_rate=abstained,
        confidence_level=confidence_level,
        folds=cases.folds,
        repeats=cases.repeats,
        n=counts.n,
    )
