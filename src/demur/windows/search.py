"""Cheapest window under limits, as a pure search over running masses.

A window is a pair of positions i <= j among k ascending distinct scores: the first i are called
negative, those from j on positive, the rest is abstained on. There are no other windows, so a
search over all pairs is exact; block ends are not enough, because a limit can force a cut inside
a pooled block. The cost is a term of i plus a term of j, and every limit concerns i alone, j
alone, or asks for i >= first[j]. So one pass with a moving minimum finds the cheapest window:
O(k), or O(k log k) with a limit on abstention.
"""

import math
from typing import Any, NamedTuple, Protocol

import numpy as np

from demur._kernels.window_search import TIE
from demur.costs.model import CostModel
from demur.roc.isometrics import Precision
from demur.typing import BoolArray, FloatArray, IntArray

__all__ = [
    "CutLimits",
    "MassRows",
    "Prices",
    "WindowMasses",
    "WindowPrices",
    "cut_limits",
    "limited_search",
    "unlimited_searches",
]


class WindowMasses(Protocol):
    """Masses below and above the positions among ascending distinct scores, as in `RunningMasses`."""

    @property
    def positive_below(self) -> FloatArray:
        """Mass of the positives in the first i scores."""

    @property
    def negative_below(self) -> FloatArray:
        """Mass of the negatives in the first i scores."""

    @property
    def positive_above(self) -> FloatArray:
        """Mass of the positives in the other scores."""

    @property
    def negative_above(self) -> FloatArray:
        """Mass of the negatives in the other scores."""

    @property
    def below(self) -> FloatArray:
        """Mass of both classes in the first i scores."""


class MassRows(NamedTuple):
    """Masses of many sets of cases over the same positions, one set per row."""

    positive_below: FloatArray
    negative_below: FloatArray
    negative_above: FloatArray

    @property
    def positive_above(self) -> FloatArray:
        """Mass of the positives in the other scores."""
        above: FloatArray = self.positive_below[:, -1:] - self.positive_below
        return above

    @property
    def below(self) -> FloatArray:
        """Mass of both classes in the first i scores."""
        return self.positive_below + self.negative_below


class WindowPrices(Protocol):
    """What windows cost, as a term of i plus a term of j; by class (`Prices`) or by case (`CasePrices`)."""

    @property
    def may_abstain(self) -> bool:
        """Whether reviews have a finite price."""

    def by_start(self, masses: WindowMasses) -> FloatArray:
        """Return the part of a window's cost that depends on i, for every i."""

    def by_stop(self, masses: WindowMasses) -> FloatArray:
        """Return the part of a window's cost that depends on j, for every j."""

    def without_abstaining(self, masses: WindowMasses) -> FloatArray:
        """Return the cost of the empty window at every position."""

    def cost(self, masses: WindowMasses, i: int, j: int) -> float:
        """Return the cost of one window."""

    def scale(self, masses: WindowMasses) -> Any:
        """Return a size all costs of windows stay below, by which rounding is judged; one per row."""


class Prices(NamedTuple):
    """What one unit of mass costs: a missed positive, a false alarm, a review by true class.

    Infinite reviews mean that abstaining is not an option. To judge masses at another
    prevalence than their own, scale the prices of each class (`of`).
    """

    miss: float
    alarm: float
    review_positive: float
    review_negative: float

    @classmethod
    def of(cls, costs: CostModel, to_positive: float = 1.0, to_negative: float = 1.0) -> "Prices":
        """Take the prices of a cost model beyond those of right answers, times a factor per class."""
        unit = costs.cost_fn - costs.cost_tp
        reviews = (costs.nu_positive, to_positive), (costs.nu_negative, to_negative)
        # an infinite price stays infinite for a class without mass
        review_positive, review_negative = (
            unit * nu * factor if math.isfinite(nu) else math.inf for nu, factor in reviews
        )
        return cls(unit * to_positive, unit * costs.mu * to_negative, review_positive, review_negative)

    @property
    def may_abstain(self) -> bool:
        """Whether both classes have a finite price of a review."""
        return math.isfinite(self.review_positive) and math.isfinite(self.review_negative)

    def by_start(self, masses: WindowMasses) -> FloatArray:
        """Return the part of a window's cost that depends on i, for every i."""
        kept = self.miss - self.review_positive, self.review_negative
        return kept[0] * masses.positive_below - kept[1] * masses.negative_below

    def by_stop(self, masses: WindowMasses) -> FloatArray:
        """Return the part of a window's cost that depends on j, for every j."""
        reviewed = self.review_positive * masses.positive_below + self.review_negative * masses.negative_below
        return reviewed + self.alarm * masses.negative_above

    def without_abstaining(self, masses: WindowMasses) -> FloatArray:
        """Return the cost of the empty window at every position."""
        return self.miss * masses.positive_below + self.alarm * masses.negative_above

    def cost(self, masses: WindowMasses, i: int, j: int) -> float:
        """Return the cost of one window; reviews cost exactly 0 where i == j, also at an infinite price."""
        p, q = masses.positive_below, masses.negative_below
        cost = self.miss * float(p[i]) + self.alarm * float(masses.negative_above[j])
        if i < j:
            if not self.may_abstain:
                return math.inf
            cost += self.review_positive * float(p[j] - p[i]) + self.review_negative * float(q[j] - q[i])
        return cost

    def scale(self, masses: WindowMasses) -> Any:
        """Return a size all costs of windows stay below, by which rounding is judged; one per row."""
        reviews = (self.review_positive, self.review_negative) if self.may_abstain else (0.0, 0.0)
        positive = (abs(self.miss) + abs(reviews[0])) * masses.positive_below[..., -1]
        negative = (abs(self.alarm) + abs(reviews[1])) * masses.negative_below[..., -1]
        return positive + negative


class CutLimits(NamedTuple):
    """Which windows are allowed: i with ``starts[i]``, j with ``stops[j]``, and i >= ``first[j]``."""

    starts: BoolArray
    stops: BoolArray
    first: IntArray

    def both(self, other: "CutLimits") -> "CutLimits":
        """Return the limits that hold where these and the others hold, say at two prevalences."""
        return CutLimits(
            self.starts & other.starts, self.stops & other.stops, np.maximum(self.first, other.first)
        )

    @property
    def limits_abstention(self) -> bool:
        """Whether some window is too wide."""
        return bool(self.first.any())


def cut_limits(
    masses: WindowMasses,
    *,
    max_abstention: float | None = None,
    min_precision_positive: float | None = None,
    min_precision_negative: float | None = None,
    max_fn_rate: float | None = None,
) -> CutLimits:
    """Turn limits into allowed positions; no checks. Rates refer to the masses given.

    The precision of the positive side depends on j alone, that of the negative side and the share
    of the positives missed on i alone. A side without decisions keeps its promise.
    """
    p, q, below = masses.positive_below, masses.negative_below, masses.below
    rounding = TIE * float(below[-1])
    starts, stops = np.ones(len(p), dtype=np.bool_), np.ones(len(p), dtype=np.bool_)
    if min_precision_positive is not None:
        promise = Precision(min_precision_positive)
        stops &= promise.margin(masses.positive_above, masses.negative_above, 0.0, 0.0) >= -rounding
    if min_precision_negative is not None:
        starts &= Precision(min_precision_negative).margin(q, p, 0.0, 0.0) >= -rounding
    if max_fn_rate is not None:
        starts &= p <= max_fn_rate * p[-1] + TIE * p[-1]
    first = np.zeros(len(p), dtype=np.int64)
    if max_abstention is not None and max_abstention < 1:
        first = np.searchsorted(below, below - max_abstention * below[-1] - rounding, side="left")
    return CutLimits(starts, stops, first)


def limited_search(
    masses: WindowMasses, prices: WindowPrices, limits: CutLimits | None = None
) -> tuple[int, int] | None:
    """Return the cheapest window (i, j) under limits; None if the limits allow none.

    Of several cheapest windows the one that abstains least, then the smaller j (more positives).
    Exact over all pairs of distinct scores. Abstaining at an infinite price leaves the empty
    windows i == j: a wider one could only hold a class whose reviews are priced, and deciding
    these cases rightly is at least as cheap and keeps every limit.
    """
    if limits is None:
        limits = cut_limits(masses)
    slack = TIE * prices.scale(masses)
    if not prices.may_abstain:
        total = np.where(limits.starts & limits.stops, prices.without_abstaining(masses), np.inf)
        at = int(np.argmax(total <= total.min() + slack))
        return None if math.isinf(total[at]) else (at, at)
    start = np.where(limits.starts, prices.by_start(masses), np.inf)
    begins = (
        _moving_minimum(start, limits.first, slack)
        if limits.limits_abstention
        else _running_minimum(start, slack)
    )
    total = np.where(limits.stops, prices.by_stop(masses), np.inf) + start[begins]
    least = float(total.min())
    if math.isinf(least):
        return None
    ends = np.flatnonzero(total <= least + slack)
    below = masses.below
    abstained = below[ends] - below[begins[ends]]
    j = int(ends[np.argmax(abstained <= abstained.min() + TIE * below[-1])])
    return int(begins[j]), j


def unlimited_searches(rows: MassRows, prices: WindowPrices) -> tuple[IntArray, IntArray]:
    """Return the cheapest windows of many sets of cases: in every row what `limited_search` chooses."""
    slack = TIE * prices.scale(rows)[:, None]
    if not prices.may_abstain:
        total = prices.without_abstaining(rows)
        at = np.argmax(total <= total.min(axis=1, keepdims=True) + slack, axis=1)
        return at, at
    start = prices.by_start(rows)
    # the last of ties, as in `_running_minimum`
    tied = start <= np.minimum.accumulate(start, axis=1) + slack
    begins = np.maximum.accumulate(np.where(tied, np.arange(start.shape[1]), 0), axis=1)
    total = prices.by_stop(rows) + np.take_along_axis(start, begins, axis=1)
    below = rows.below
    abstained = np.where(
        total <= total.min(axis=1, keepdims=True) + slack,
        below - np.take_along_axis(below, begins, axis=1),
        np.inf,
    )
    least = abstained.min(axis=1, keepdims=True)
    stop = np.argmax(abstained <= least + TIE * below[:, -1:], axis=1)
    return np.take_along_axis(begins, stop[:, None], axis=1)[:, 0], stop


def _running_minimum(values: FloatArray, slack: float) -> IntArray:
    """Index of the smallest of the first j + 1 values for every j, the last of ties."""
    smallest = np.minimum.accumulate(values)
    # a later tie moves the index on; the first value is always its own minimum
    last: IntArray = np.maximum.accumulate(np.where(values <= smallest + slack, np.arange(len(values)), 0))
    return last


def _moving_minimum(values: FloatArray, first: IntArray, slack: float) -> IntArray:
    """Index of the smallest value in ``values[first[j] : j + 1]`` for every j, the last of ties.

    Blocks of 1, 2, 4, ... values, of which only the current size is kept; a range is the union
    of two blocks of the largest size that fits. O(k log k) time, O(k) memory, no Python loop over k.
    """

    def better(left: IntArray, right: IntArray) -> IntArray:
        return np.where(values[right] <= values[left] + slack, right, left)

    last = np.arange(len(values))
    level = np.frexp(last - first + 1.0)[1] - 1
    smallest = np.empty_like(last)
    best, width = last.copy(), 1
    for size in range(int(level.max()) + 1):
        at = np.flatnonzero(level == size)
        smallest[at] = better(best[first[at]], best[at - width + 1])
        best, width = better(best[:-width], best[width:]), 2 * width
    return smallest
