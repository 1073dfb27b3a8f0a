"""One window for several cost points: the smallest of the largest excess over given floors.

With A_c(i) + B_c(j) the cost of window (i, j) at cost point c, the search minimises

    max over c of [A_c(i) + B_c(j) - floor_c],   i <= j.

With floors 0 this is the worst cost; with the cheapest cost at each point as its floor, the
regret. Three steps, each exact:

1. Positions that cannot be optimal are dropped (`window_candidates`).
2. Branch and bound over pairs of blocks of positions. Every mixture of cost points is again a
   cost point, and its cheapest window in a pair of blocks bounds the maximum from below.
3. Of windows within rounding of the optimum: least abstention, then smaller j.

The result depends on the values alone, not on the order of the search.

Step 1. Moving i up over scores with masses (p, q) changes the cost at point c by a_c p - b_c q, with
a_c = miss_c - review_c of a positive and b_c = review_c of a negative. It saves at every point
iff p <= q min_c(b_c / a_c), and costs at every point iff p > q max_c(b_c / a_c). So two running
minima, of P - t N for the smallest and for the largest ratio t, tell which positions another
one beats whatever the point. The same holds for j and for empty windows with other factors.

A position is dropped for one that shrinks the window if that is at least as good at every
point, and for one that widens it only if that is better beyond rounding; so the optimum under
the tie rule (least abstention, then more positives) stays.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from demur._kernels.window_search import TIE
from demur.typing import BoolArray, FloatArray, IntArray
from demur.windows.limits import Limits
from demur.windows.search import (
    CutLimits,
    Prices,
    WindowMasses,
    WindowPrices,
    cut_limits,
    limited_search,
)

__all__ = ["RangeCuts", "range_search", "range_searches"]

# pairs of positions that are compared one by one instead of by blocks
_FEW_PAIRS = 1 << 16
# positions per block shrink by this factor from level to level
_SPLIT = 4
# blocks per side at the coarsest level
_COARSE = 64
# pairs of blocks per level at which a window is tried
_SAMPLED = 1024


class RangeCuts(NamedTuple):
    """A window for several cost points, its largest excess over the floors, and the proof.

    `gap` is the most by which any other window could be better: 0 but for a search that was cut
    short. `floors` holds what was subtracted at each cost point.
    """

    start: int
    stop: int
    value: float
    gap: float
    floors: tuple[float, ...] = ()


def range_search(
    masses: WindowMasses,
    points: Sequence[Prices],
    *,
    regret: bool = True,
    limits: CutLimits | None = None,
    node_limit: int = 1 << 22,
) -> RangeCuts | None:
    """Return the window with the smallest regret, or the smallest worst cost, over cost points.

    None if the limits allow no window. The regret at a point compares with the cheapest window
    there under the same limits. At most `node_limit` pairs of blocks are kept per level; if more
    are left, the most promising are, and `gap` tells what may be missing.
    """
    if len(set(points)) > 1:
        (cuts,) = range_searches(masses, points, regret=regret, limits=limits, node_limit=node_limit)
        return cuts
    pair = limited_search(masses, points[0], limits)
    if pair is None:
        return None
    cost = points[0].cost(masses, *pair)
    floor = cost if regret else 0.0
    return RangeCuts(*pair, cost - floor, 0.0, (floor,) * len(points))


def range_searches(
    masses: WindowMasses,
    points: Sequence[WindowPrices],
    *,
    regret: bool = True,
    limits: CutLimits | None = None,
    node_limit: int = 1 << 22,
) -> list[RangeCuts | None]:
    """Return the windows of many sets of cases, one per row of the masses and of costs by case.

    Each is what `range_search` says of its row alone.
    """
    different = list(dict.fromkeys(points))
    candidates = window_candidates(masses, different, limits)
    cheapest = candidates.cheapest()
    possible = np.isfinite(cheapest[0])
    if not possible.any():
        return [None] * len(possible)
    # what right answers cost is part of the worst cost, where it differs between the points
    worst = -np.array([np.broadcast_to(point.base(masses), possible.shape) for point in different])
    floors = np.where(possible, cheapest, 0.0) if regret else worst
    best = _best(candidates.above(floors), node_limit)
    place = [different.index(point) for point in points]
    return [
        found._replace(floors=tuple(floors[place, row].tolist())) if possible[row] else None
        for row, found in enumerate(best)
    ]


def _best(c: WindowCandidates, node_limit: int) -> list[RangeCuts]:
    """Return the window of the smallest maximum over the cost points, under the tie rule, for every set."""
    sets = max(1, _FEW_PAIRS // max(c.pairs, 1))
    parts = (
        replace(
            c,
            by_start=c.by_start[:, at : at + sets],
            by_stop=c.by_stop[:, at : at + sets],
            by_empty=c.by_empty[:, at : at + sets],
            first=c.first[at : at + sets],
            below=c.below[at : at + sets],
            slack=c.slack[at : at + sets],
        )
        for at in range(0, len(c.slack), sets)
    )
    if c.pairs <= _FEW_PAIRS:
        return [found for part in parts for found in _all_pairs(part)]
    return [_block_pairs(part, node_limit) for part in parts]


def _all_pairs(c: WindowCandidates) -> list[RangeCuts]:
    """Compare all windows of few candidates, one by one, of all sets at once."""
    empty = c.by_empty.max(axis=0)
    # element [r, x, y]: the largest sum over the cost points
    values: FloatArray = c.by_start[0][:, :, None] + c.by_stop[0][:, None, :]
    other = np.empty_like(values)
    for start, stop in zip(c.by_start[1:], c.by_stop[1:], strict=True):
        np.add(start[:, :, None], stop[:, None, :], out=other)
        np.maximum(values, other, out=values)
    column = c.starts[:, None]
    values[(column >= c.stops) | (column < c.first[:, None, :])] = np.inf
    least = np.minimum(empty.min(axis=1, initial=np.inf), values.min(axis=(1, 2), initial=np.inf))
    within = least + c.slack
    # an empty window abstains least; the smallest position calls most cases positive
    row, at = np.nonzero(empty <= within[:, None])
    first = _first_of_each(row)
    row, at = row[first], at[first]
    found = zip(row.tolist(), c.empty[at].tolist(), empty[row, at].tolist(), strict=True)
    windows = {one: RangeCuts(place, place, value, 0.0) for one, place, value in found}
    if len(windows) < len(within):
        within[row] = -np.inf
        row, x, y = np.nonzero(values <= within[:, None, None])
        best = _pick(c, row, x, y)
        row, x, y = row[best], x[best], y[best]
        found = zip(c.starts[x].tolist(), c.stops[y].tolist(), values[row, x, y].tolist(), strict=True)
        windows |= {one: RangeCuts(*cuts, 0.0) for one, cuts in zip(row.tolist(), found, strict=True)}
    return [windows[one] for one in range(len(within))]


def _pick(c: WindowCandidates, row: IntArray, x: IntArray, y: IntArray) -> IntArray:
    """Of the tied pairs of every set the one that abstains least, then the smaller j, then the larger i.

    Pair k belongs to set ``row[k]``, ascending; returns the places of the pairs, one per set.
    """
    start, stop = c.starts[x], c.stops[y]
    abstained = c.below[row, stop] - c.below[row, start]
    first = _first_of_each(row)
    least = np.repeat(np.minimum.reduceat(abstained, first), np.diff(first, append=len(row)))
    narrow = np.flatnonzero(abstained <= least + TIE * c.below[row, -1])
    order = narrow[np.lexsort((-start[narrow], stop[narrow], row[narrow]))]
    return order[_first_of_each(row[order])]


def _first_of_each(row: IntArray) -> IntArray:
    """Places where ascending numbers from 0 on change."""
    return np.flatnonzero(np.diff(row, prepend=-1))


# ---------------------------------------------------------------- many candidates: branch and bound


def _block_pairs(c: WindowCandidates, node_limit: int) -> RangeCuts:
    """Search the windows of one set of cases by blocks of positions."""
    empty = c.by_empty[:, 0].max(axis=0, initial=-np.inf)
    wide = _BlockPairs(c, float(empty.min(initial=np.inf)), node_limit)
    gap = max(0.0, wide.value - wide.bound)
    within = wide.value + float(c.slack[0])
    ties = np.flatnonzero(empty <= within)
    if len(ties):
        at = int(c.empty[ties[0]])
        return RangeCuts(at, at, float(empty[ties[0]]), gap)
    return RangeCuts(*wide.least_abstaining(within), gap)


class _Level(NamedTuple):
    """Blocks of `size` candidates: smallest cost parts per row, first and last positions."""

    size: int
    by_start: FloatArray
    by_stop: FloatArray
    first_start: IntArray
    last_start: IntArray
    first_stop: IntArray
    last_stop: IntArray
    earliest: IntArray

    def coarser(self) -> _Level:
        """Merge neighbouring blocks."""
        starts, stops = (np.arange(0, len(places), _SPLIT) for places in (self.first_start, self.first_stop))
        return _Level(
            self.size * _SPLIT,
            np.minimum.reduceat(self.by_start, starts, axis=1),
            np.minimum.reduceat(self.by_stop, stops, axis=1),
            self.first_start[starts],
            np.maximum.reduceat(self.last_start, starts),
            self.first_stop[stops],
            np.maximum.reduceat(self.last_stop, stops),
            self.earliest[stops],
        )

    def bounds(self, x: IntArray, y: IntArray) -> FloatArray:
        """Lower bound of the maximum over the rows in pairs of blocks; the value itself at size 1."""
        bound: FloatArray = self.by_start[0, x] + self.by_stop[0, y]
        for start, stop in zip(self.by_start[1:], self.by_stop[1:], strict=True):
            np.maximum(bound, start[x] + stop[y], out=bound)
        return bound


class _BlockPairs:
    """Branch and bound over pairs of blocks, coarse to fine, all pairs of a level at once.

    `value` is the smallest maximum (the one given, if no pair is better), `pair` has it, and
    no pair that was left out for want of room is below `bound`.
    """

    def __init__(self, candidates: WindowCandidates, value: float, node_limit: int) -> None:
        # the mean of all cost points never exceeds their maximum, and bounds it better than each of them
        by_start, by_stop = (
            np.concatenate([rows, rows.mean(axis=0, keepdims=True)])[:, 0]
            for rows in (candidates.by_start, candidates.by_stop)
        )
        self.candidates = c = candidates
        self.levels = [_Level(1, by_start, by_stop, c.starts, c.starts, c.stops, c.stops, c.first[0])]
        while _COARSE * self.levels[0].size < max(len(c.starts), len(c.stops)):
            self.levels.insert(0, self.levels[0].coarser())
        self.node_limit = node_limit
        self.value, self.pair = value, (-1, -1)
        self.bound = math.inf
        # improvements within a fraction of the rounding are not worth a proof
        self.margin = float(c.slack[0]) / 8
        self._minimise()

    def _children(self, n: int, x: IntArray, y: IntArray) -> tuple[IntArray, IntArray]:
        """Pairs of blocks of level n that hold a window, inside pairs of the level before if there is one."""
        level = self.levels[n]
        sizes = len(level.first_start), len(level.first_stop)
        if n == 0:
            x, y = (at.ravel() for at in np.indices(sizes))
        else:
            part = np.arange(_SPLIT)
            x = np.repeat((x[:, None] * _SPLIT + part).ravel(), _SPLIT)
            y = (y[:, None] * _SPLIT + part)[:, None, :].repeat(_SPLIT, axis=1).ravel()
            inside = (x < sizes[0]) & (y < sizes[1])
            x, y = x[inside], y[inside]
        some = (level.first_start[x] < level.last_stop[y]) & (level.last_start[x] >= level.earliest[y])
        return x[some], y[some]

    def _middles(self, level: _Level, x: IntArray, y: IntArray) -> tuple[IntArray, IntArray]:
        """Candidates in the middle of blocks, where they make a window that is allowed."""
        c, half = self.candidates, level.size // 2
        x = np.minimum(x * level.size + half, len(c.starts) - 1)
        y = np.minimum(y * level.size + half, len(c.stops) - 1)
        legal = (c.starts[x] < c.stops[y]) & (c.starts[x] >= c.first[0, y])
        return x[legal], y[legal]

    def _minimise(self) -> None:
        x = y = np.empty(0, dtype=np.int64)
        for n, level in enumerate(self.levels):
            x, y = self._children(n, x, y)
            bound = level.bounds(x, y)
            near = np.argsort(bound, kind="stable")[:_SAMPLED] if level.size > 1 else np.arange(len(x))
            middle_x, middle_y = self._middles(level, x[near], y[near])
            values = self.levels[-1].bounds(middle_x, middle_y)
            if values.min(initial=np.inf) < self.value:
                at = int(np.argmin(values))
                self.value, self.pair = float(values[at]), (int(middle_x[at]), int(middle_y[at]))
            keep = np.flatnonzero(bound < self.value - self.margin)
            if len(keep) > self.node_limit:
                order = keep[np.argsort(bound[keep], kind="stable")]
                keep = order[: self.node_limit]
                self.bound = min(self.bound, float(bound[order[self.node_limit]]))
            x, y = x[keep], y[keep]

    def least_abstaining(self, within: float) -> tuple[int, int, float]:
        """Return (i, j, value) of the best pair among those of a value within the limit."""
        c, below = self.candidates, self.candidates.below[0]
        best_x, best_y = (np.array([at]) for at in self.pair)
        tie = TIE * float(below[-1])
        least = float(below[c.stops[best_y[0]]] - below[c.starts[best_x[0]]])
        x = y = np.empty(0, dtype=np.int64)
        for n, level in enumerate(self.levels):
            x, y = self._children(n, x, y)
            narrow = below[level.first_stop[y]] - below[level.last_start[x]]
            keep = np.flatnonzero((narrow <= least + tie) & (level.bounds(x, y) <= within))
            x, y = x[keep], y[keep]
            middle_x, middle_y = self._middles(level, x, y)
            tied = self.levels[-1].bounds(middle_x, middle_y) <= within
            width = (below[c.stops[middle_y]] - below[c.starts[middle_x]])[tied]
            least = min(least, float(width.min(initial=np.inf)))
            if len(x) > self.node_limit:
                order = np.argsort(narrow[keep], kind="stable")[: self.node_limit]
                x, y = x[order], y[order]
        x, y = np.concatenate([x, best_x]), np.concatenate([y, best_y])
        (at,) = _pick(c, np.zeros(len(x), dtype=np.int64), x, y)
        (value,) = self.levels[-1].bounds(x[[at]], y[[at]])
        return int(c.starts[x[at]]), int(c.stops[y[at]]), float(value)


# ---------------------------------------------------------------- positions that can be optimal


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

    def above(self, floors: FloatArray) -> WindowCandidates:
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
