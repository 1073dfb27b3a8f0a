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
from demur.windows.search import CutLimits, WindowMasses, WindowPrices, cut_limits, limited_search

__all__ = ["RangeCuts", "range_search"]

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
    floors: tuple[float, ...]


def range_search(
    masses: WindowMasses,
    points: Sequence[WindowPrices],
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
    rows = list(dict.fromkeys(points))
    if len(rows) == 1:
        cuts = limited_search(masses, rows[0], limits)
        if cuts is None:
            return None
        cost = rows[0].cost(masses, *cuts)
        floor = cost if regret else 0.0
        return RangeCuts(*cuts, cost - floor, 0.0, (floor,) * len(points))
    allowed = cut_limits(masses) if limits is None else limits
    candidates = window_candidates(masses, rows, allowed)
    cheapest = candidates.cheapest()
    if math.isinf(cheapest[0]):
        return None
    floors = cheapest if regret else np.zeros(len(rows))
    start, stop, value, gap = _best(candidates.above(floors), node_limit)
    floor_of = dict(zip(rows, floors.tolist(), strict=True))
    return RangeCuts(start, stop, value, gap, tuple(floor_of[point] for point in points))


def _best(c: WindowCandidates, node_limit: int) -> tuple[int, int, float, float]:
    """Return (i, j, value, gap) of the smallest maximum over the rows, under the tie rule."""
    empty = c.by_empty.max(axis=0, initial=-np.inf)
    value = float(empty.min(initial=np.inf))
    few = len(c.starts) * len(c.stops) <= _FEW_PAIRS
    wide = _AllPairs(c) if few else _BlockPairs(c, value, node_limit)
    value = min(value, wide.value)
    gap = max(0.0, value - wide.bound)
    ties = np.flatnonzero(empty <= value + c.slack)
    if len(ties):
        # an empty window abstains least; the smallest position calls most cases positive
        at = int(c.empty[ties[0]])
        return at, at, float(empty[ties[0]]), gap
    return *wide.least_abstaining(value + c.slack), gap


def _pick(c: WindowCandidates, x: IntArray, y: IntArray, values: FloatArray) -> tuple[int, int, float]:
    """Of tied pairs the one that abstains least, then the smaller j, then the larger i."""
    start, stop = c.starts[x], c.stops[y]
    abstained = c.below[stop] - c.below[start]
    least = np.flatnonzero(abstained <= abstained.min() + TIE * c.below[-1])
    at = least[np.lexsort((-start[least], stop[least]))[0]]
    return int(start[at]), int(stop[at]), float(values[at])


def _largest(c: WindowCandidates, x: IntArray, y: IntArray) -> FloatArray:
    """Maximum over the rows at pairs of candidates."""
    values: FloatArray = c.by_start[0, x] + c.by_stop[0, y]
    for start, stop in zip(c.by_start[1:], c.by_stop[1:], strict=True):
        np.maximum(values, start[x] + stop[y], out=values)
    return values


class _AllPairs:
    """The pairs of few candidates, all compared; `value` is infinite if there is none."""

    def __init__(self, candidates: WindowCandidates) -> None:
        self.candidates = c = candidates
        values = c.by_start[0][:, None] + c.by_stop[0]
        other = np.empty_like(values)
        for start, stop in zip(c.by_start[1:], c.by_stop[1:], strict=True):
            np.add(start[:, None], stop, out=other)
            np.maximum(values, other, out=values)
        column = c.starts[:, None]
        values[(column >= c.stops) | (column < c.first)] = np.inf
        self.values = values
        self.value, self.bound = float(values.min(initial=np.inf)), math.inf

    def least_abstaining(self, within: float) -> tuple[int, int, float]:
        """Return (i, j, value) of the best pair among those of a value within the limit."""
        x, y = np.nonzero(self.values <= within)
        return _pick(self.candidates, x, y, self.values[x, y])


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

    @classmethod
    def single(cls, c: WindowCandidates) -> "_Level":
        """Make every candidate a block of its own."""
        return cls(1, c.by_start, c.by_stop, c.starts, c.starts, c.stops, c.stops, c.first)

    def coarser(self) -> "_Level":
        """Merge neighbouring blocks."""
        starts, stops = (np.arange(0, len(places), _SPLIT) for places in (self.first_start, self.first_stop))
        last_starts = np.minimum(starts + _SPLIT, len(self.first_start)) - 1
        last_stops = np.minimum(stops + _SPLIT, len(self.first_stop)) - 1
        return _Level(
            self.size * _SPLIT,
            np.minimum.reduceat(self.by_start, starts, axis=1),
            np.minimum.reduceat(self.by_stop, stops, axis=1),
            self.first_start[starts],
            self.last_start[last_starts],
            self.first_stop[stops],
            self.last_stop[last_stops],
            self.earliest[stops],
        )

    def pairs(self, x: IntArray, y: IntArray) -> tuple[IntArray, IntArray]:
        """Return the pairs of blocks that hold a window i < j with i >= first."""
        some = (self.first_start[x] < self.last_stop[y]) & (self.last_start[x] >= self.earliest[y])
        return x[some], y[some]

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
        self.candidates = c = _with_mixture(candidates)
        self.levels = _levels(c)
        self.node_limit = node_limit
        self.value, self.pair = value, (-1, -1)
        self.bound = math.inf
        # improvements within a fraction of the rounding are not worth a proof
        self.margin = c.slack / 8
        self._minimise()

    def _children(self, n: int, x: IntArray, y: IntArray) -> tuple[IntArray, IntArray]:
        """Pairs of blocks of level n inside pairs of the level before; all pairs at the first level."""
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
        return level.pairs(x, y)

    def _middles(self, level: _Level, x: IntArray, y: IntArray) -> tuple[IntArray, IntArray]:
        """Candidates in the middle of blocks, where they make a window that is allowed."""
        c, half = self.candidates, level.size // 2
        x = np.minimum(x * level.size + half, len(c.starts) - 1)
        y = np.minimum(y * level.size + half, len(c.stops) - 1)
        legal = (c.starts[x] < c.stops[y]) & (c.starts[x] >= c.first[y])
        return x[legal], y[legal]

    def _minimise(self) -> None:
        x = y = np.empty(0, dtype=np.int64)
        for n, level in enumerate(self.levels):
            x, y = self._children(n, x, y)
            bound = level.bounds(x, y)
            near = np.argsort(bound, kind="stable")[:_SAMPLED] if level.size > 1 else np.arange(len(x))
            self._improve(*self._middles(level, x[near], y[near]))
            keep = np.flatnonzero(bound < self.value - self.margin)
            if len(keep) > self.node_limit:
                order = keep[np.argsort(bound[keep], kind="stable")]
                keep = order[: self.node_limit]
                self.bound = min(self.bound, float(bound[order[self.node_limit]]))
            x, y = x[keep], y[keep]

    def _improve(self, x: IntArray, y: IntArray) -> None:
        if not len(x):
            return
        values = _largest(self.candidates, x, y)
        at = int(np.argmin(values))
        if values[at] < self.value:
            self.value, self.pair = float(values[at]), (int(x[at]), int(y[at]))

    def least_abstaining(self, within: float) -> tuple[int, int, float]:
        """Return (i, j, value) of the best pair among those of a value within the limit."""
        c = self.candidates
        best_x, best_y = (np.array([at]) for at in self.pair)
        tie = TIE * float(c.below[-1])
        least = float(c.below[c.stops[best_y[0]]] - c.below[c.starts[best_x[0]]])
        x = y = np.empty(0, dtype=np.int64)
        for n, level in enumerate(self.levels):
            x, y = self._children(n, x, y)
            narrow = c.below[level.first_stop[y]] - c.below[level.last_start[x]]
            keep = np.flatnonzero((narrow <= least + tie) & (level.bounds(x, y) <= within))
            x, y = x[keep], y[keep]
            middle_x, middle_y = self._middles(level, x, y)
            tied = _largest(c, middle_x, middle_y) <= within
            width = (c.below[c.stops[middle_y]] - c.below[c.starts[middle_x]])[tied]
            least = min(least, float(width.min(initial=np.inf)))
            if len(x) > self.node_limit:
                order = np.argsort(narrow[keep], kind="stable")[: self.node_limit]
                x, y = x[order], y[order]
        x, y = np.concatenate([x, best_x]), np.concatenate([y, best_y])
        return _pick(c, x, y, _largest(c, x, y))


def _levels(c: WindowCandidates) -> list[_Level]:
    """Blocks from coarse to single candidates."""
    levels = [_Level.single(c)]
    while _COARSE * levels[-1].size < max(len(c.starts), len(c.stops)):
        levels.append(levels[-1].coarser())
    return levels[::-1]


def _with_mixture(c: WindowCandidates) -> WindowCandidates:
    """Add the mean of all cost points as a row: it never exceeds the maximum, and bounds it better."""

    def with_mean(rows: FloatArray) -> FloatArray:
        return np.concatenate([rows, rows.mean(axis=0, keepdims=True)])

    return replace(c, by_start=with_mean(c.by_start), by_stop=with_mean(c.by_stop))
