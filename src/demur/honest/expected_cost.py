"""What a chosen window will cost, judged on cases that did not choose it (spec 105, section 2).

`cross_fitted_surface` answers for the cheapest windows at all costs. A window under constraints,
or with costs of abstaining by class, needs the same folds but its own search in each of them.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from demur._kernels.normal import normal_quantile
from demur._results import Interval, Result
from demur.costs.model import CostModel
from demur.counts.scores import ScoreCounts
from demur.honest.cross_fitting import bracket_or_average, check_sample
from demur.honest.held_out import Weighting, fold_rows
from demur.surface.window import AbstentionWindow, decide
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
    folds : int
        Number of parts the cases were split into.
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


def _outcomes(scores: FloatArray, by_class: Any, window: AbstentionWindow) -> FloatArray:
    """Numbers of cases: rows actual negative and positive, columns decided 0, 1, abstained."""
    column = decide(scores, window) % 3  # ABSTAIN is -1: the last column
    return np.array([np.bincount(column, counts, 3) for counts in by_class])


def _mean_and_error(cases: FloatArray, table: FloatArray, prevalence: float | None) -> tuple[float, float]:
    """Expected loss per case and its standard error."""
    weighting = Weighting.of(float(cases[1].sum()), float(cases[0].sum()), prevalence)
    (ahead, behind), squares = ((cases * table**power).sum(axis=1)[::-1] for power in (1, 2))
    error = weighting.standard_error((ahead, behind), (squares[0], squares[1]))
    return float(weighting.mean(ahead, behind)), float(error)


def expected_cost(
    counts: ScoreCounts,
    choose: Callable[[ScoreCounts], AbstentionWindow],
    costs: CostModel,
    *,
    prevalence: float | None,
    folds: int,
    confidence_level: float,
    rng: np.random.Generator,
) -> ExpectedCost:
    """Judge every case by the window `choose` finds without its fold; bracket interval."""
    folds = check_sample(counts, folds, "an honest cost")
    table = loss_table(costs)
    scores = counts.scores
    sizes = np.stack([counts.negatives, counts.positives])
    rows = fold_rows(sizes.ravel(), np.arange(sizes.size) >= len(scores), folds, rng)
    honest = np.zeros((2, 3))
    for fold in range(folds):
        held = rows.fold == fold
        out = np.bincount(rows.cell[held], rows.cases[held], sizes.size).reshape(sizes.shape)
        negatives, positives = sizes - out
        honest += _outcomes(scores, out, choose(ScoreCounts.from_counts(scores, positives, negatives)))
    ours = _mean_and_error(honest, table, prevalence)
    theirs = _mean_and_error(_outcomes(scores, sizes, choose(counts)), table, prevalence)
    low, high = bracket_or_average(theirs, ours, normal_quantile(confidence_level), "bracket")
    abstained, _ = _mean_and_error(honest, np.array([0.0, 0.0, 1.0]), prevalence)
    return ExpectedCost(
        cost=ours[0],
        interval=Interval(float(max(low, table.min())), float(high)),
        standard_error=ours[1],
        hindsight=theirs[0],
        abstention_rate=abstained,
        confidence_level=confidence_level,
        folds=folds,
        n=counts.n,
    )
