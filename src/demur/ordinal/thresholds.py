"""Thresholds between neighbouring levels: the cheapest way to cut one score into ordered classes."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from demur._checks import check_finite, check_scores, input_error
from demur._kernels.thresholds import cut_points, no_threshold
from demur._results import Result
from demur.ordinal.roc import ordinal_roc
from demur.typing import ArrayLike, FloatArray, IntArray, Labels

__all__ = ["OrdinalThresholds", "ordinal_thresholds"]


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class OrdinalThresholds(Result):
    """The cheapest thresholds of one score for ordered levels; made by `ordinal_thresholds`.

    Attributes
    ----------
    levels : tuple
        From lowest to highest.
    thresholds : array of r - 1 numbers
        Ascending; element k lies between levels k and k + 1. Level k is called for scores above
        element k - 1 and up to element k. Equal neighbours: the level between them is never called.
    cost : float
        Cost per case on these cases, with hindsight: the thresholds were chosen on them.
    confusion : array of shape (r, r)
        Share of all cases by true level and level called.
    costs : array of shape (r, r)
        Cost of each confusion.
    """

    levels: tuple[Any, ...]
    thresholds: FloatArray
    cost: float
    confusion: FloatArray
    costs: FloatArray

    def decide(self, y_score: ArrayLike) -> IntArray:
        """Index in `levels` for every score."""
        return np.searchsorted(self.thresholds, check_scores(y_score), side="left").astype(np.int64)


def ordinal_thresholds(
    y_true: Labels,
    y_score: ArrayLike,
    *,
    order: Any = None,
    costs: ArrayLike | None = None,
    step_cost: float = 1.0,
    sample_weight: ArrayLike | None = None,
) -> OrdinalThresholds:
    """Cut one score into ordered levels at the lowest cost; exact, the lower the better.

    Assumes that a higher score means a higher level. The cost is that of these cases, which chose the
    thresholds: expect more in use.

    Parameters
    ----------
    y_true, y_score, order, sample_weight
        As in `ordinal_roc`.
    costs : array of shape (r, r), optional
        Cost of calling the level of a column where that of the row is true; default: `step_cost` for
        every step between the two.
    step_cost : float, default 1
        Cost of one step.

    Returns
    -------
    OrdinalThresholds
        With `thresholds`, `cost`, `confusion` and `decide`.

    Raises
    ------
    InputError
        As in `ordinal_roc`; for costs that are no table of the levels.

    Notes
    -----
    With P_k(g) the cost of calling the first g distinct scores level k, the cheapest way to call them
    level k at most is f_k(g) = P_k(g) + min over h <= g of f_{k-1}(h) - P_k(h): O(n r) after sorting. Of
    equally cheap thresholds the lowest are taken.

    References
    ----------
    Waegeman, De Baets and Boullart (2006), ROCML; the recursion is Bellman's.

    Examples
    --------
    From which score on is a patient mild, and from which severe, if a mistake costs 1 per stage?

    >>> from demur.ordinal import ordinal_thresholds
    >>> stage = ["healthy"] * 3 + ["mild"] * 3 + ["severe"] * 3
    >>> score = [1, 2, 3, 5, 7, 8, 4, 8.5, 9]
    >>> best = ordinal_thresholds(stage, score, order=["healthy", "mild", "severe"])
    >>> best.thresholds.tolist(), round(best.cost, 3)
    ([3.5, 8.25], 0.111)
    """
    counts = ordinal_roc(y_true, y_score, order=order, sample_weight=sample_weight)
    levels, sweep = counts.levels, counts.counts.sweep
    r = len(levels)
    if costs is not None:
        table = np.array(check_finite(costs, "costs"))
    elif np.isfinite(step_cost) and step_cost >= 0:
        table = step_cost * np.abs(np.subtract.outer(np.arange(r), np.arange(r))).astype(np.float64)
    else:
        raise input_error("step_cost", "must be a finite number >= 0", step_cost)
    if table.shape != (r, r):
        raise input_error("costs", f"must be a table of {r} x {r} for {r} levels", f"shape {table.shape}")
    weights = np.column_stack([sweep.column(level) for level in range(r)])
    prefix = np.concatenate([np.zeros((1, r)), np.cumsum(weights @ table, axis=0)])
    cuts = _cheapest_cuts(prefix)
    lower, _ = cut_points(sweep.scores, sweep.scores)
    thresholds = lower[cuts]
    if np.isnan(thresholds).any():
        raise no_threshold()
    ends = [0, *cuts.tolist(), len(sweep.scores)]
    called = [weights[start:stop].sum(axis=0) for start, stop in pairwise(ends)]
    confusion = np.column_stack(called) / weights.sum()
    return OrdinalThresholds(
        levels=levels,
        thresholds=thresholds,
        cost=float((confusion * table).sum()),
        confusion=confusion,
        costs=table,
    )


def _cheapest_cuts(prefix: FloatArray) -> IntArray:
    """Number of distinct scores below each threshold; `prefix[g, k]`: cost of the first g as level k."""
    groups, r = len(prefix) - 1, prefix.shape[1]
    reached = prefix[:, 0]
    came_from = []
    for level in range(1, r):
        before = reached - prefix[:, level]
        least = np.minimum.accumulate(before)
        # the first place at which the least value so far was reached
        new = np.concatenate([[True], before[1:] < least[:-1]])
        came_from.append(np.maximum.accumulate(np.where(new, np.arange(groups + 1), 0)))
        reached = prefix[:, level] + least
    cuts, at = [], groups
    for places in reversed(came_from):
        at = int(places[at])
        cuts.append(at)
    return np.array(cuts[::-1], dtype=np.int64)
