"""Cheapest window under limits, as a pure search over running masses.

A window is a pair of positions i <= j among k ascending distinct scores: the first i are called
negative, those from j on positive, the rest is abstained on. There are no other windows, so a
search over all pairs is exact; block ends are not enough, because a limit can force a cut inside
a pooled block. The cost is a term of i plus a term of j, and every limit concerns i alone, j
alone, or asks for i >= first[j]. So one pass with a moving minimum finds the cheapest window:
O(k), or O(k log k) with a limit on abstention.
"""

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from demur._kernels.places import places
from demur._kernels.window_search import TIE, CutMasses, cheapest_pairs
from demur.costs.model import CostModel
from demur.surface.masses import RunningMasses
from demur.typing import BoolArray, FloatArray, IntArray
from demur.windows.limits import Limits

__all__ = [
    "CasePrices",
    "CutLimits",
    "MassRows",
    "Prices",
    "WindowMasses",
    "WindowPrices",
    "cut_limits",
    "limited_search",
    "limited_searches",
    "prevalence_factors",
]


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

    def scaled(self, to_positive: float, to_negative: float) -> "MassRows":
        """Return the masses times one factor per class."""
        return MassRows(
            self.positive_below * to_positive,
            self.negative_below * to_negative,
            self.negative_above * to_negative,
        )


WindowMasses = RunningMasses | CutMasses | MassRows
"""Masses of the classes below and above every position."""


def prevalence_factors(rate: float, base: float) -> tuple[float, float]:
    """Return the factors that turn class masses at prevalence `base` into those at `rate`."""
    # with a base of 0 or 1 one class has no mass: any factor would do
    return (1.0, 1.0) if base in (0.0, 1.0) else (rate / base, (1 - rate) / (1 - base))


class Prices(NamedTuple):
    """Prices per unit of mass beyond a right answer: of a miss, a false alarm, and a review by true class.

    A window costs a term of i plus a term of j. Infinite reviews mean that abstaining is not an option.
    To judge masses at another prevalence than their own, scale the prices of each class (`of`).
    """

    miss: float
    alarm: float
    review_positive: float
    review_negative: float
    right_positive: float = 0.0
    right_negative: float = 0.0

    @classmethod
    def of(cls, costs: CostModel, to_positive: float = 1.0, to_negative: float = 1.0) -> "Prices":
        """Take the prices of a cost model beyond those of right answers, times a factor per class."""
        unit = costs.cost_fn - costs.cost_tp
        reviews = (costs.nu_positive, to_positive), (costs.nu_negative, to_negative)
        # an infinite price stays infinite for a class without mass
        review_positive, review_negative = (
            unit * nu * factor if math.isfinite(nu) else math.inf for nu, factor in reviews
        )
        right = costs.cost_tp * to_positive, costs.cost_tn * to_negative
        errors = unit * to_positive, unit * costs.mu * to_negative
        return cls(*errors, review_positive, review_negative, *right)

    def base(self, masses: WindowMasses) -> Any:
        """Return the cost of right answers to all cases; one per row."""
        positive, negative = masses.positive_below[..., -1], masses.negative_below[..., -1]
        return self.right_positive * positive + self.right_negative * negative

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


@dataclass(frozen=True, slots=True, eq=False)
class CasePrices:
    """Costs below and above every position, where every case has its own; for classes see `Prices`.

    Arrays may have a leading axis, one row per set of cases. Without a price of reviews
    (``may_abstain=False``) only empty windows are allowed.
    """

    miss_below: FloatArray
    alarm_above: FloatArray
    review_below: FloatArray
    may_abstain: bool

    def by_start(self, masses: WindowMasses) -> FloatArray:
        """Return the part of a window's cost that depends on i, for every i."""
        return self.miss_below - self.review_below

    def by_stop(self, masses: WindowMasses) -> FloatArray:
        """Return the part of a window's cost that depends on j, for every j."""
        return self.review_below + self.alarm_above

    def without_abstaining(self, masses: WindowMasses) -> FloatArray:
        """Return the cost of the empty window at every position."""
        return self.miss_below + self.alarm_above

    def base(self, masses: WindowMasses) -> Any:
        """Return 0: costs by case are those of every action, right or wrong."""
        return 0.0 * self.miss_below[..., -1]

    def scale(self, masses: WindowMasses) -> Any:
        """Return a size all costs of windows stay below, by which rounding is judged; one per row."""
        reviews = self.review_below[..., -1] if self.may_abstain else 0.0
        return self.miss_below[..., -1] + self.alarm_above[..., 0] + reviews


WindowPrices = Prices | CasePrices
"""What windows cost, by class or by case."""


class CutLimits(NamedTuple):
    """Which windows are allowed: i with ``starts[i]``, j with ``stops[j]``, and i >= ``first[j]``.

    Arrays have a leading axis where there are several sets of cases.
    """

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

    def keeps(self, start: int, stop: int) -> bool:
        """Whether a window is allowed."""
        return bool(self.starts[start] and self.stops[stop] and start >= self.first[stop])


def cut_limits(masses: WindowMasses, limits: Limits) -> CutLimits:
    """Turn limits into allowed positions. Rates refer to the masses given.

    A side without decisions keeps its promise.
    """
    below = masses.below
    rounding = TIE * below[..., -1:]
    ends = {name: np.ones(below.shape, dtype=np.bool_) for name in ("start", "stop")}
    first = np.zeros(below.shape, dtype=np.int64)
    for limit, value in limits.kept():
        assert limit.margin is not None, "limits on windows have one"
        margin = limit.margin(masses, value)
        if limit.end == "width":
            pairs = zip(np.atleast_2d(below), np.atleast_2d(below - margin - rounding), strict=True)
            first = np.maximum(first, np.reshape([places(*pair)[0] for pair in pairs], below.shape))
        else:
            ends[limit.end] &= margin >= -rounding
    return CutLimits(ends["start"], ends["stop"], first)


def limited_search(
    masses: WindowMasses, prices: WindowPrices, limits: CutLimits | None = None
) -> tuple[int, int] | None:
    """Return the cheapest window (i, j) under limits; None if the limits allow none.

    Of several cheapest windows the one that abstains least, then the smaller j (more positives).
    Exact over all pairs of distinct scores. Abstaining at an infinite price leaves the empty
    windows i == j: a wider one could only hold a class whose reviews are priced, and deciding
    these cases rightly is at least as cheap and keeps every limit.
    """
    starts, stops = limited_searches(masses, prices, limits)
    return None if starts[0] < 0 else (int(starts[0]), int(stops[0]))


def limited_searches(
    masses: WindowMasses, prices: WindowPrices, limits: CutLimits | None = None
) -> tuple[IntArray, IntArray]:
    """Return the cheapest windows of many sets of cases, one per row of the masses; -1 where none is allowed.

    Each is what `limited_search` says of its row alone.
    """
    slack = TIE * np.reshape(prices.scale(masses), (-1, 1))
    if not prices.may_abstain:
        total = np.atleast_2d(prices.without_abstaining(masses))
        if limits is not None:
            total = np.where(limits.starts & limits.stops, total, np.inf)
        least = total.min(axis=1, keepdims=True)
        at = np.where(np.isinf(least[:, 0]), -1, np.argmax(total <= least + slack, axis=1))
        return at, at
    start, stop = np.atleast_2d(prices.by_start(masses), prices.by_stop(masses))
    if limits is not None:
        start, stop = np.where(limits.starts, start, np.inf), np.where(limits.stops, stop, np.inf)
    first = None if limits is None or not limits.limits_abstention else np.atleast_2d(limits.first)
    return cheapest_pairs(start, stop, np.atleast_2d(masses.below), slack, first)
