"""Positions at which a window can be optimal for several cost points at once.

Moving i up over scores with masses (p, q) changes the cost at point c by a_c p - b_c q, with
a_c = miss_c - review_c of a positive and b_c = review_c of a negative. It saves at every point
iff p <= q min_c(b_c / a_c), and costs at every point iff p > q max_c(b_c / a_c). So two running
minima, of P - t N for the smallest and for the largest ratio t, tell which positions another
one beats whatever the point. The same holds for j and for empty windows with other factors.

A position is dropped for one that shrinks the window if that is at least as good at every
point, and for one that widens it only if that is better beyond rounding; so the optimum under
the tie rule (least abstention, then more positives) stays.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from demur._kernels.window_search import TIE
from demur.typing import BoolArray, FloatArray, IntArray
from demur.windows.search import CutLimits, Prices, WindowMasses, WindowPrices

__all__ = ["WindowCandidates", "window_candidates"]


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class WindowCandidates:
    """Positions among which every optimal window lies, and the parts of its cost there.

    `starts` and `stops` are for windows with i < j, `empty` for those with i == j; row c of
    `by_start`, `by_stop` and `by_empty` is for cost point c. `first[y]` is the smallest i that
    may go with ``stops[y]``. Values within `slack` count as equal.
    """

    starts: IntArray
    stops: IntArray
    empty: IntArray
    by_start: FloatArray
    by_stop: FloatArray
    by_empty: FloatArray
    first: IntArray
    below: FloatArray
    slack: float

    def above(self, floors: FloatArray) -> "WindowCandidates":
        """Return the same with a floor per cost point subtracted from every cost."""
        return replace(self, by_stop=self.by_stop - floors[:, None], by_empty=self.by_empty - floors[:, None])

    def cheapest(self) -> FloatArray:
        """Return the smallest cost at every cost point; infinite if no window is allowed."""
        least: FloatArray = self.by_empty.min(axis=1, initial=np.inf)
        if len(self.starts) and len(self.stops):
            after = np.searchsorted(self.starts, self.stops, side="left")
            before = np.searchsorted(self.starts, self.first, side="left")
            at = np.flatnonzero(before < after)
            start = _range_minimum(self.by_start, before[at], after[at])
            least = np.minimum(least, (self.by_stop[:, at] + start).min(axis=1, initial=np.inf))
        return least


def _range_minimum(values: FloatArray, before: IntArray, after: IntArray) -> FloatArray:
    """Smallest value per row in columns before[y] to after[y] - 1, for every y.

    As in `limited_search`: a range is the union of two blocks of the largest power of two that fits.
    """
    if not before.any():
        running: FloatArray = np.minimum.accumulate(values, axis=1)[:, after - 1]
        return running
    level = np.frexp((after - before).astype(np.float64))[1] - 1
    smallest = np.empty((len(values), len(before)))
    best, width = values, 1
    for size in range(int(level.max(initial=0)) + 1):
        at = np.flatnonzero(level == size)
        smallest[:, at] = np.minimum(best[:, before[at]], best[:, after[at] - width])
        best, width = np.minimum(best[:, :-width], best[:, width:]), 2 * width
    return smallest


def window_candidates(
    masses: WindowMasses, points: Sequence[WindowPrices], limits: CutLimits
) -> WindowCandidates:
    """Drop the positions that cannot belong to an optimal window at any mixture of cost points."""
    by_class = [point for point in points if isinstance(point, Prices)]
    if len(by_class) < len(points):
        return _case_candidates(masses, points, limits)
    return _class_candidates(masses, by_class, limits)


def _case_candidates(
    masses: WindowMasses, points: Sequence[WindowPrices], limits: CutLimits
) -> WindowCandidates:
    """Do so where every case has its own costs, so that masses of classes tell nothing.

    A start goes if the next position is a start at least as good at every point, a stop if the one
    before is: the window shrinks by one score, at the least to an empty one.
    """
    starts = np.array([point.by_start(masses) for point in points])
    stops = np.array([point.by_stop(masses) for point in points])
    begins, ends = limits.starts.copy(), limits.stops.copy()
    begins[:-1] &= ~(limits.starts[1:] & (starts[:, 1:] <= starts[:, :-1]).all(axis=0))
    ends[1:] &= ~(limits.stops[:-1] & (stops[:, :-1] <= stops[:, 1:]).all(axis=0))
    # the last position is no start of a window with i < j, the first no stop
    begins[-1] = ends[0] = False
    if not all(point.may_abstain for point in points):
        begins[:] = ends[:] = False
    alone, begin, end = (np.flatnonzero(kept) for kept in (limits.starts & limits.stops, begins, ends))
    return WindowCandidates(
        starts=begin,
        stops=end,
        empty=alone,
        by_start=starts[:, begin],
        by_stop=stops[:, end],
        by_empty=np.array([point.without_abstaining(masses)[alone] for point in points]),
        first=limits.first[end],
        below=masses.below,
        slack=TIE * max(point.scale(masses) for point in points),
    )


def _class_candidates(masses: WindowMasses, points: Sequence[Prices], limits: CutLimits) -> WindowCandidates:
    """Do so where all cases of a class cost the same."""
    slack = TIE * max(point.scale(masses) for point in points)
    p, q = masses.positive_below, masses.negative_below
    empty = np.flatnonzero(_undominated_empty(p, q, points, limits, slack))
    starts = stops = np.empty(0, dtype=np.int64)
    if all(point.may_abstain for point in points):
        starts, stops = _undominated(p, q, points, limits, slack)
    miss, alarm, review_positive, review_negative = np.array(points, dtype=np.float64).T[:, :, None]
    above = masses.negative_above
    # without candidates the products of infinite prices are empty
    return WindowCandidates(
        starts=starts,
        stops=stops,
        empty=empty,
        by_start=(miss - review_positive) * p[starts] - review_negative * q[starts],
        by_stop=review_positive * p[stops] + review_negative * q[stops] + alarm * above[stops],
        by_empty=miss * p[empty] + alarm * above[empty],
        first=limits.first[stops],
        below=masses.below,
        slack=slack,
    )


# ---------------------------------------------------------------- domination


class _Ratios(NamedTuple):
    """Over which ratios p / q a move saves: below `low` at every point, above `high` it costs at every one.

    `unit` turns a saving into P - t N.
    """

    low: float
    high: float
    unit: float


def _ratios(gains: FloatArray, losses: FloatArray) -> _Ratios:
    """Return the range of b_c / a_c with a_c = gains and b_c = losses over the cost points.

    Where a_c <= 0 the line a_c p - b_c q has no zero for p, q > 0, or the sign is the other way;
    then the end of the range that would be wrong becomes infinite, and nothing is dropped by it.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = losses / gains
    up = gains > 0
    low = np.where(up, ratios, np.where(losses >= 0, np.inf, -np.inf))
    high = np.where(up, ratios, np.where((gains == 0) & (losses <= 0), -np.inf, np.inf))
    return _Ratios(float(low.min()), float(high.max()), float(gains[up].min(initial=np.inf)))


def _undominated_empty(
    p: FloatArray, q: FloatArray, points: Sequence[Prices], limits: CutLimits, slack: float
) -> BoolArray:
    """Tell which empty windows are not beaten by another one at every point."""
    miss, alarm = (np.array([point[part] for point in points]) for part in (0, 1))
    ratios = _ratios(miss, alarm)
    allowed = limits.starts & limits.stops
    kept = allowed.copy()
    if np.isfinite(ratios.high):
        kept &= ~_some_before(p - ratios.high * q, allowed, 0.0)
    if np.isfinite(ratios.low):
        kept &= ~_some_after(p - ratios.low * q, allowed, slack / ratios.unit)
    return kept


def _undominated(
    p: FloatArray, q: FloatArray, points: Sequence[Prices], limits: CutLimits, slack: float
) -> tuple[IntArray, IntArray]:
    """Return the positions i and j that windows with i < j need.

    A start i may be replaced by a later one i' <= j. If i' > j, moving j up to i' saves at every
    point as well, provided that the smallest ratio of the starts is at most that of the stops:
    (i, j) is beaten by the empty window at i'. Otherwise, and under limits, only the neighbour
    i + 1, which never exceeds j, is taken as proof. The same for stops, the other way round.
    """
    miss, alarm, review_positive, review_negative = np.array(points, dtype=np.float64).T
    start, stop = (
        _ratios(miss - review_positive, review_negative),
        _ratios(review_positive, alarm - review_negative),
    )
    starts, stops = limits.starts.copy(), limits.stops.copy()
    free = bool(starts.all() and stops.all()) and not limits.limits_abstention
    if start.low == np.inf:
        starts[:-1] &= ~limits.starts[1:]
    elif start.low > -np.inf:
        line = p - start.low * q
        if free and start.low <= stop.low:
            starts &= ~_some_after(line, limits.starts, 0.0)
        else:
            starts[:-1] &= ~(limits.starts[1:] & (line[1:] <= line[:-1]))
    if stop.high == -np.inf:
        stops[1:] &= ~limits.stops[:-1]
    elif stop.high < np.inf:
        line = p - stop.high * q
        if free and start.high <= stop.high:
            stops &= ~_some_before(line, limits.stops, 0.0)
        else:
            stops[1:] &= ~(limits.stops[:-1] & (line[:-1] <= line[1:]))
    if not limits.limits_abstention:
        if np.isfinite(start.high):
            starts &= ~_some_before(p - start.high * q, limits.starts, slack / start.unit)
        if np.isfinite(stop.low):
            stops &= ~_some_after(p - stop.low * q, limits.stops, slack / stop.unit)
    # the last position is no start of a window with i < j, the first no stop
    starts[-1] = stops[0] = False
    return np.flatnonzero(starts), np.flatnonzero(stops)


def _some_before(values: FloatArray, allowed: BoolArray, margin: float) -> BoolArray:
    """Tell where an earlier allowed value is smaller by at least the margin."""
    least = np.minimum.accumulate(np.where(allowed, values, np.inf))
    return np.concatenate([[False], least[:-1] <= values[1:] - margin])


def _some_after(values: FloatArray, allowed: BoolArray, margin: float) -> BoolArray:
    """Tell where a later allowed value is smaller by at least the margin."""
    return _some_before(values[::-1], allowed[::-1], margin)[::-1]
