"""Two-dimensional rule: a window on the class score, and a guard against cases that look unfamiliar."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from demur._checks import (
    check_labels,
    check_number,
    check_same_length,
    check_scores,
    check_weights,
    input_error,
)
from demur._kernels.sweep import ScoreGroups, score_groups
from demur._results import Result
from demur.costs.model import CostModel
from demur.exceptions import InputError
from demur.surface.window import ABSTAIN, decide
from demur.typing import ArrayLike, FloatArray, IntArray, Labels
from demur.windows.row_costs import RowCosts

__all__ = ["GuardedWindow", "cheapest_guard", "guarded_window"]

_MOST_GUARDS = 512  # thresholds of the doubt that are tried; all of them where there are fewer
_NUMBERS_AT_ONCE = 2**20
_TIE = 1e-12


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class GuardedWindow(Result):
    """Window on a score with a guard on a second one; made by `guarded_window`.

    Attributes
    ----------
    lower, upper : float
        Thresholds of the class score, as in `AbstentionWindow`.
    max_doubt : float
        A case with a larger doubt is abstained on whatever its score; inf: there is no guard.
    cost : float
        Cost per case on these cases, in the unit of the costs, with hindsight.
    unguarded_cost : float
        Cost of the cheapest window without a guard.
    abstention_rate : float
        Share of the cases abstained on.
    refused_rate : float
        Share of the cases abstained on because of their doubt alone.
    n : float
        Total weight of the cases.
    """

    lower: float
    upper: float
    max_doubt: float
    cost: float
    unguarded_cost: float
    abstention_rate: float
    refused_rate: float
    n: float

    def decide(self, scores: ArrayLike, doubts: ArrayLike) -> IntArray:
        """Return 1 (positive), 0 (negative) or `ABSTAIN` for every case."""
        codes = decide(scores, (self.lower, self.upper))
        unlike = check_scores(doubts, "doubts")
        check_same_length(scores=codes, doubts=unlike)
        codes[unlike > self.max_doubt] = ABSTAIN
        return codes

    def codes(self, columns: FloatArray) -> IntArray:
        """Decide on rows of a score and a doubt."""
        return self.decide(columns[:, 0], columns[:, 1])


def guarded_window(
    y_true: Labels,
    y_score: ArrayLike,
    y_doubt: ArrayLike,
    *,
    costs: CostModel,
    max_doubt: float | None = None,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
) -> GuardedWindow:
    """Cheapest rule that abstains inside a window of the score, or where a second score is too large.

    The smaller the cost the better. The second score, the doubt, says how unlike the training data a
    case is (a distance, minus a log density) or how much several models disagree. A class score cannot:
    far from all data many models are certain. Assumes that both scores come from models that have not
    seen these cases. If nothing here is unlike the training data, no guard pays; give `max_doubt` then,
    for example from `conformal_p_values`.

    Parameters
    ----------
    y_true, y_score, pos_label
        As in `abstention_surface`.
    y_doubt : array of n numbers
        Higher: less familiar.
    costs : CostModel
        With a cost of abstaining.
    max_doubt : float, optional
        Fixed limit of the doubt; by default the cheapest is searched.
    sample_weight : array of n numbers >= 0, optional

    Returns
    -------
    GuardedWindow
        With `lower`, `upper`, `max_doubt`, `cost` and `decide`. Of equally cheap rules the one that
        refuses fewest cases.

    Raises
    ------
    InputError
        If abstaining has no cost, or the arrays differ in length.

    Notes
    -----
    For every limit of the doubt the cheapest window of the cases below it is exact (one pass over the
    distinct scores). All limits are tried up to 512 distinct doubts, beyond that 512 evenly spaced in
    rank. The cost is that of the cases that chose the rule; see `honest.guarded_cost`.

    References
    ----------
    Friedel, Rueckert, Kramer (2006), "Cost Curves for Abstaining Classifiers", ROCML, who name cases
    unlike the training data as a second reason to abstain.

    Examples
    --------
    Two cases have clear scores and no neighbours; both are called wrongly. To ask costs 0.2:

    >>> from demur import CostModel
    >>> from demur.windows import guarded_window
    >>> y = [0, 0, 0, 1, 1, 1, 1, 0]
    >>> score = [0.1, 0.2, 0.3, 0.7, 0.8, 0.9, 0.05, 0.95]
    >>> distance = [0.3, 0.5, 0.4, 0.4, 0.3, 0.5, 4.1, 3.7]
    >>> rule = guarded_window(y, score, distance, costs=CostModel(cost_abstain=0.2))
    >>> rule.max_doubt, rule.cost, rule.unguarded_cost
    (2.1, 0.05, 0.2)
    """
    positive = check_labels(y_true, pos_label)
    score, doubt = check_scores(y_score), check_scores(y_doubt, "y_doubt")
    weights = check_weights(sample_weight)
    check_same_length(y_true=positive, y_score=score, y_doubt=doubt, sample_weight=weights)
    amounts = RowCosts.of(positive, costs, weights)
    if not amounts.may_abstain:
        raise InputError("`costs` must say what abstaining costs. Hint: CostModel(cost_abstain=...).")
    return cheapest_guard(score, doubt, amounts, max_doubt=max_doubt)


def cheapest_guard(
    score: FloatArray, doubt: FloatArray, amounts: RowCosts, *, max_doubt: float | None = None
) -> GuardedWindow:
    """Search the rule on checked columns."""
    plain = amounts.window(score)
    plain_cost = amounts.mean(decide(score, plain))
    if max_doubt is None:
        limit = _cheapest_limit(score, doubt, amounts)
    else:
        limit = math.inf if max_doubt == math.inf else check_number(max_doubt, "max_doubt")
    kept = np.flatnonzero(doubt <= limit)
    if not len(kept):
        raise input_error("max_doubt", "must let some cases pass", limit, "choose a larger limit.")
    window = amounts.of_rows(kept).window(score[kept])
    by_score = decide(score, window)
    codes = np.where(doubt > limit, ABSTAIN, by_score)
    total = float(amounts.weight.sum())
    refused = (doubt > limit) & (by_score != ABSTAIN)
    return GuardedWindow(
        lower=window.lower,
        upper=window.upper,
        max_doubt=limit,
        cost=amounts.mean(codes),
        unguarded_cost=plain_cost,
        abstention_rate=float(amounts.weight[codes == ABSTAIN].sum()) / total,
        refused_rate=float(amounts.weight[refused].sum()) / total,
        n=total,
    )


def _cheapest_limit(score: FloatArray, doubt: FloatArray, amounts: RowCosts) -> float:
    """Limit of the doubt with the cheapest window below it; of equally cheap ones the largest."""
    groups, levels = score_groups(score), score_groups(doubt).scores
    # a case must stay, so the smallest doubt is never refused
    above = np.unique(np.linspace(1, len(levels) - 1, min(_MOST_GUARDS, len(levels) - 1)).round().astype(int))
    limits = np.append([_between(levels[at - 1], levels[at]) for at in above], math.inf)
    rows_at_once = max(1, _NUMBERS_AT_ONCE // len(score))
    costs = np.concatenate(
        [
            _costs_below(limits[at : at + rows_at_once], groups, doubt, amounts)
            for at in range(0, len(limits), rows_at_once)
        ]
    )
    least = costs.min() + _TIE * float(amounts.review.sum())
    return float(limits[np.flatnonzero(costs <= least)[-1]])


def _costs_below(limits: FloatArray, groups: ScoreGroups, doubt: FloatArray, amounts: RowCosts) -> FloatArray:
    """Cost of each limit with the cheapest window below it.

    With running sums M, R, A of the costs by score, the window (i, j) costs
    M(i) + R(j) - R(i) + A(end) - A(j); what is refused costs the rest of R.
    """
    kept = groups.ascending(doubt) <= limits[:, None]
    ends = np.append(groups.starts[1:], len(doubt)) - 1
    miss, alarm, review = (
        np.pad(np.cumsum(kept * groups.ascending(column), axis=1)[:, ends], ((0, 0), (1, 0)))
        for column in (amounts.miss, amounts.alarm, amounts.review)
    )
    best = (np.minimum.accumulate(miss - review, axis=1) + review - alarm).min(axis=1)
    refused = amounts.review.sum() - review[:, -1]
    return np.asarray(best + alarm[:, -1] + refused)


def _between(below: float, above: float) -> float:
    """Return a limit from the lower score on and below the higher one."""
    middle = below + (above - below) / 2
    return middle if below < middle < above and math.isfinite(middle) else below
