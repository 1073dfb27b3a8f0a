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
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from demur._kernels.window_search import TIE
from demur.typing import FloatArray, IntArray
from demur.windows.candidates import WindowCandidates, window_candidates
from demur.windows.search import CutLimits, Prices, WindowMasses, WindowPrices, limited_search

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
    parts = (_sets(c, slice(at, at + sets)) for at in range(0, len(c.slack), sets))
    if c.pairs <= _FEW_PAIRS:
        return [found for part in parts for found in _all_pairs(part)]
    return [_block_pairs(part, node_limit) for part in parts]


def _sets(c: WindowCandidates, rows: slice) -> WindowCandidates:
    """Return the candidates of some sets of cases."""
    return replace(
        c,
        by_start=c.by_start[:, rows],
        by_stop=c.by_stop[:, rows],
        by_empty=c.by_empty[:, rows],
        first=c.first[rows],
        below=c.below[rows],
        slack=c.slack[rows],
    )


def _all_pairs(c: WindowCandidates) -> list[RangeCuts]:
    """Compare all windows of few candidates, one by one, of all sets at once."""
    empty = c.by_empty.max(axis=0)
    values = _largest_sums(c.by_start, c.by_stop)
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


def _largest_sums(by_start: FloatArray, by_stop: FloatArray) -> FloatArray:
    """Element [r, x, y]: maximum over c of ``by_start[c, r, x] + by_stop[c, r, y]``."""
    values: FloatArray = by_start[0][:, :, None] + by_stop[0][:, None, :]
    other = np.empty_like(values)
    for start, stop in zip(by_start[1:], by_stop[1:], strict=True):
        np.add(start[:, :, None], stop[:, None, :], out=other)
        np.maximum(values, other, out=values)
    return values


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

    def coarser(self) -> "_Level":
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
