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

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from demur._kernels.window_search import TIE
from demur.typing import BoolArray, FloatArray, IntArray
from demur.windows.limits import Limits
from demur.windows.search import CutLimits, Prices, WindowMasses, WindowPrices, cut_limits

__all__ = ["WindowCandidates", "window_candidates"]


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class WindowCandidates:
    """Positions among which every optimal window of some sets of cases lies, and the parts of its cost there.

    `starts` and `stops` are for windows with i < j, `empty` for those with i == j. Element [c, r, x]
    of `by_start`, `by_stop` and `by_empty` is for cost point c and set r, infinite where the limits
    of that set forbid the position. ``first[r, y]`` is the smallest i that may go with ``stops[y]``.
    Values within ``slack[r]`` count as equal; ``below[r]`` is the mass below every position.
    """

    starts: IntArray
    stops: IntArray
    empty: IntArray
    by_start: FloatArray
    by_stop: FloatArray
    by_empty: FloatArray
    first: IntArray
    below: FloatArray
    slack: FloatArray

    @property
    def pairs(self) -> int:
        """Number of windows with i < j among the candidates of a set."""
        return len(self.starts) * len(self.stops)

    def above(self, floors: FloatArray) -> "WindowCandidates":
        """Return the same with a floor per cost point and set subtracted from every cost."""
        floors = floors[:, :, None]
        return replace(self, by_stop=self.by_stop - floors, by_empty=self.by_empty - floors)

    def cheapest(self) -> FloatArray:
        """Return the smallest cost at every cost point, by set; infinite if no window is allowed."""
        least: FloatArray = self.by_empty.min(axis=2, initial=np.inf)
        if self.pairs:
            # this many starts lie before each stop
            after = np.searchsorted(self.starts, self.stops, side="left")
            if not self.first.any():
                at = np.flatnonzero(after)
                start = np.minimum.accumulate(self.by_start, axis=2)[:, :, after[at] - 1]
                wide: FloatArray = (self.by_stop[:, :, at] + start).min(axis=2, initial=np.inf)
                return np.minimum(least, wide)
            for row, first in enumerate(self.first):
                before = np.searchsorted(self.starts, first, side="left")
                at = np.flatnonzero(before < after)
                start = _range_minimum(self.by_start[:, row], before[at], after[at])
                wide = (self.by_stop[:, row, at] + start).min(axis=1, initial=np.inf)
                least[:, row] = np.minimum(least[:, row], wide)
        return least


def _range_minimum(values: FloatArray, before: IntArray, after: IntArray) -> FloatArray:
    """Smallest value per row in columns before[y] to after[y] - 1, for every y.

    As in `limited_search`: a range is the union of two blocks of the largest power of two that fits.
    """
    level = np.frexp((after - before).astype(np.float64))[1] - 1
    smallest = np.empty((len(values), len(before)))
    best, width = values, 1
    for size in range(int(level.max(initial=0)) + 1):
        at = np.flatnonzero(level == size)
        smallest[:, at] = np.minimum(best[:, before[at]], best[:, after[at] - width])
        best, width = np.minimum(best[:, :-width], best[:, width:]), 2 * width
    return smallest


def window_candidates(
    masses: WindowMasses, points: Sequence[WindowPrices], limits: CutLimits | None
) -> WindowCandidates:
    """Drop the positions that cannot belong to an optimal window at any mixture of cost points.

    With several sets of cases, one per row of the masses, a position stays if some set needs it.
    """
    starts_of, stops_of, first = cut_limits(masses, Limits()) if limits is None else limits
    allowed = CutLimits(np.atleast_2d(starts_of), np.atleast_2d(stops_of), np.atleast_2d(first))
    slack = TIE * np.max([np.reshape(point.scale(masses), -1) for point in points], axis=0)
    by_class = [point for point in points if isinstance(point, Prices)]
    if len(by_class) == len(points):
        begins, ends, at_once = _kept_by_class(masses, by_class, allowed, slack[:, None])
    else:
        begins, ends, at_once = _kept_by_case(masses, points, allowed)
    if all(point.may_abstain for point in points):
        # the last position is no start of a window with i < j, the first no stop
        begins[:, -1] = ends[:, 0] = False
    else:
        begins[:] = ends[:] = False
    starts, stops, empty = (np.flatnonzero(kept.any(axis=0)) for kept in (begins, ends, at_once))

    def costs(part: Callable[[WindowPrices], FloatArray], inside: BoolArray, at: IntArray) -> FloatArray:
        # without candidates nothing is multiplied with an infinite price
        if not len(at):
            return np.empty((len(points), len(slack), 0))
        rows = np.array([np.atleast_2d(part(point))[:, at] for point in points])
        return np.where(inside[:, at], rows, np.inf)

    return WindowCandidates(
        starts=starts,
        stops=stops,
        empty=empty,
        by_start=costs(lambda point: point.by_start(masses), allowed.starts, starts),
        by_stop=costs(lambda point: point.by_stop(masses), allowed.stops, stops),
        by_empty=costs(lambda point: point.without_abstaining(masses), allowed.starts & allowed.stops, empty),
        first=allowed.first[:, stops],
        below=np.atleast_2d(masses.below),
        slack=slack,
    )


def _kept_by_case(
    masses: WindowMasses, points: Sequence[WindowPrices], limits: CutLimits
) -> tuple[BoolArray, BoolArray, BoolArray]:
    """Tell which starts, stops and empty windows are candidates where every case has its own costs.

    A start goes if the next position is a start at least as good at every point, a stop if the one
    before is: the window shrinks by one score, at the least to an empty one.
    """
    starts = np.array([np.atleast_2d(point.by_start(masses)) for point in points])
    stops = np.array([np.atleast_2d(point.by_stop(masses)) for point in points])
    begins, ends = limits.starts.copy(), limits.stops.copy()
    begins[:, :-1] &= ~(limits.starts[:, 1:] & (starts[..., 1:] <= starts[..., :-1]).all(axis=0))
    ends[:, 1:] &= ~(limits.stops[:, :-1] & (stops[..., :-1] <= stops[..., 1:]).all(axis=0))
    return begins, ends, limits.starts & limits.stops


def _kept_by_class(
    masses: WindowMasses, points: Sequence[Prices], limits: CutLimits, slack: FloatArray
) -> tuple[BoolArray, BoolArray, BoolArray]:
    """Tell which starts, stops and empty windows are candidates where all cases of a class cost the same."""
    p, q = np.atleast_2d(masses.positive_below, masses.negative_below)
    start, stop, both = _ratios_of_moves(tuple(points))
    allowed = limits.starts & limits.stops
    empty = allowed.copy()
    if np.isfinite(both.high):
        empty &= ~_some_before(p - both.high * q, allowed, 0.0)
    if np.isfinite(both.low):
        empty &= ~_some_after(p - both.low * q, allowed, slack / both.unit)
    return *_undominated(p, q, start, stop, limits, slack), empty


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


# the same prices are asked of every fold
@lru_cache(maxsize=64)
def _ratios_of_moves(points: tuple[Prices, ...]) -> tuple[_Ratios, _Ratios, _Ratios]:
    """Return the ratios of moving the start up, the stop up, and an empty window up."""
    miss, alarm, review_positive, review_negative, *_ = np.array(points, dtype=np.float64).T
    return (
        _ratios(miss - review_positive, review_negative),
        _ratios(review_positive, alarm - review_negative),
        _ratios(miss, alarm),
    )


def _undominated(
    p: FloatArray, q: FloatArray, start: _Ratios, stop: _Ratios, limits: CutLimits, slack: FloatArray
) -> tuple[BoolArray, BoolArray]:
    """Tell which positions i and j windows with i < j need.

    A start i may be replaced by a later one i' <= j. If i' > j, moving j up to i' saves at every
    point as well, provided that the smallest ratio of the starts is at most that of the stops:
    (i, j) is beaten by the empty window at i'. Otherwise, and under limits, only the neighbour
    i + 1, which never exceeds j, is taken as proof. The same for stops, the other way round.
    """
    starts, stops = limits.starts.copy(), limits.stops.copy()
    free = bool(starts.all() and stops.all()) and not limits.limits_abstention
    if start.low == np.inf:
        starts[:, :-1] &= ~limits.starts[:, 1:]
    elif start.low > -np.inf:
        line = p - start.low * q
        if free and start.low <= stop.low:
            starts &= ~_some_after(line, limits.starts, 0.0)
        else:
            starts[:, :-1] &= ~(limits.starts[:, 1:] & (line[:, 1:] <= line[:, :-1]))
    if stop.high == -np.inf:
        stops[:, 1:] &= ~limits.stops[:, :-1]
    elif stop.high < np.inf:
        line = p - stop.high * q
        if free and start.high <= stop.high:
            stops &= ~_some_before(line, limits.stops, 0.0)
        else:
            stops[:, 1:] &= ~(limits.stops[:, :-1] & (line[:, :-1] <= line[:, 1:]))
    if not limits.limits_abstention:
        if np.isfinite(start.high):
            starts &= ~_some_before(p - start.high * q, limits.starts, slack / start.unit)
        if np.isfinite(stop.low):
            stops &= ~_some_after(p - stop.low * q, limits.stops, slack / stop.unit)
    return starts, stops


def _some_before(values: FloatArray, allowed: BoolArray, margin: FloatArray | float) -> BoolArray:
    """Tell where an earlier allowed value of the row is smaller by at least the margin."""
    least = np.minimum.accumulate(np.where(allowed, values, np.inf), axis=1)
    smaller = np.zeros(values.shape, dtype=np.bool_)
    smaller[:, 1:] = least[:, :-1] <= values[:, 1:] - margin
    return smaller


def _some_after(values: FloatArray, allowed: BoolArray, margin: FloatArray | float) -> BoolArray:
    """Tell where a later allowed value of the row is smaller by at least the margin."""
    return _some_before(values[:, ::-1], allowed[:, ::-1], margin)[:, ::-1]
