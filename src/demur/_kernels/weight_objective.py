"""The cost of class weights: one row per example, everything in logarithms.

Scores are log f(x_i, C_k) up to a constant per row, weights are u = log w, and the rule is
argmax_k (u_k + g_ik), ties to the smallest index (Deng et al. 2006, section 1). `v` holds what
each answer to each example costs, so that eq. (1) is the sum of one entry per row.

Line searches are exact. Along a line all weights of some classes move together. An example changes its
answer once, at its breakpoint, so the objective is a step function of the position, and its minimum lies
between two neighbouring breakpoints (section 3). Sorting all breakpoints would take most of the time; they
are put in buckets instead, and a bucket is sorted only if what its falling costs add up to could beat the
best value so far. Same minimum, same place.
"""

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from demur._kernels.jit import compiled, kernel, worth_compiling
from demur.typing import FloatArray, IntArray

__all__ = [
    "DEEPEST",
    "Table",
    "descend",
    "log_column_costs",
    "pair_gains",
    "predicted",
    "single_moves",
    "soft_cost",
    "subset_moves",
    "table_of",
    "total_cost",
]

DEEPEST = 690.0
"""Scores further below the best of their row count as this far: every breakpoint stays finite."""

_SAME = 4e-13  # breakpoints closer than this, relative to the largest score, are one
_SAME_COST = 1e-12
_MOST_BUCKETS = 512
_PASSES = 16  # rounds over the moves that a descent takes, about: what compiling is weighed against


class Table(NamedTuple):
    """Distinct score rows, the best score of each 0, with the summed costs of the examples in each."""

    g: FloatArray
    v: FloatArray
    tolerance: float

    @property
    def cost_tolerance(self) -> float:
        """Differences of the objective below this are rounding."""
        return _SAME_COST * float(np.abs(self.v).sum(axis=0).max())


def table_of(log_scores: FloatArray, v: FloatArray) -> Table:
    """Floor the scores, merge identical rows (their costs add) and set the tolerance."""
    g = log_scores - log_scores.max(axis=1, keepdims=True)
    np.maximum(g, -DEEPEST, out=g)
    # equal rows have equal sums, and sorting sums is quicker than rows; column by column, so that equal
    # rows are rounded alike
    sums = np.zeros(len(g))
    for k in range(g.shape[1]):
        sums += math.sqrt(k + 2.0) * g[:, k]
    if len(np.unique(sums)) < len(g):
        distinct, row_of = np.unique(g, axis=0, return_inverse=True)
        merged = np.zeros_like(distinct)
        np.add.at(merged, row_of.reshape(-1), v)
        g, v = distinct, merged
    return Table(g, np.ascontiguousarray(v), _SAME * max(1.0, -float(g.min())))


def predicted(g: FloatArray, u: FloatArray) -> IntArray:
    """Index of the first largest u_k + g_ik of every row."""
    return np.asarray(np.argmax(g + u, axis=1), dtype=np.int64)


def total_cost(v: FloatArray, labels: IntArray) -> float:
    """Objective of eq. (1) for given answers."""
    return math.fsum(v[np.arange(len(v)), labels].tolist())


def soft_cost(
    g: FloatArray, v: FloatArray, u: FloatArray, temperature: float = 1.0
) -> tuple[float, FloatArray]:
    """Objective of eq. (15), a random answer with chances w_k f_k / sum w f, and its slope in u."""
    z = (g + u) / temperature
    chance = np.exp(z - z.max(axis=1, keepdims=True))
    chance /= chance.sum(axis=1, keepdims=True)
    mean = np.einsum("ij,ij->i", chance, v)
    slope = np.einsum("ij,ij->j", chance, v - mean[:, None]) / temperature
    return float(mean.sum()), slope


def log_column_costs(log_scores: FloatArray, costs: FloatArray) -> FloatArray:
    """Scores -log L_k with L_k = sum_j c(j, k) p_j, which turn column weights into class weights.

    O'Brien and Gray (2005) answer argmin_k v_k L_k; that is argmax_k (u_k - log L_k) with
    u = -log v. A column of `costs` per answer, so abstaining is one column more.
    """
    p = np.exp(np.maximum(log_scores - log_scores.max(axis=1, keepdims=True), -DEEPEST))
    return np.asarray(-np.log(np.maximum(p @ costs, 1e-300)))


def single_moves(m: int) -> IntArray:
    """One row per class: 1 where the weight moves, 0 where it stays.

    Moving one class is moving all others the other way, so each class is a line of its own.
    """
    return np.eye(m, dtype=np.int64)


def subset_moves(m: int) -> IntArray:
    """All 2^(m-1) - 1 ways to move some classes against the rest; the first class stays."""
    rows = (np.arange(1, 2 ** (m - 1))[:, None] >> np.arange(m - 1)) & 1
    return np.hstack([np.zeros((len(rows), 1), dtype=np.int64), rows])


def descend(
    table: Table, u: FloatArray, moves: IntArray, *, current: float, steps: int = 2**40, work: int = 1
) -> float:
    """Move `u` in place along the lines of `moves` until a whole cycle does not help.

    Every line search is exact (all intervals between breakpoints). A move holds 1 for classes
    that move together, 0 for classes that stay and -1 for classes that are absent. Returns the
    objective reached; `current` is the one at the start. `work` says how many calls follow.
    """
    n = len(table.g)
    buckets = min(max(n // 4, 1), _MOST_BUCKETS)
    limits = table.tolerance, table.cost_tolerance
    fast = worth_compiling(table.g.size * len(moves) * work * _PASSES)
    search: Any = compiled(_search_line) if fast else _search_line_by_columns
    room = np.empty((4, n)), np.empty((4, n), dtype=np.int64), np.empty(buckets + 1, dtype=np.int64)
    sums = np.empty(buckets), np.empty(buckets), np.empty(buckets + 1)
    unimproved = index = 0
    stale = True
    while unimproved < len(moves) and steps > 0:
        steps -= 1
        side = moves[index]
        index = (index + 1) % len(moves)
        best, low, high = search(table.g, table.v, u, side, stale, current, *limits, *room, *sums)
        # the two best answers of every row stay as they are while no weight moves
        stale = stale and _lone_class(side) < 0
        if best < current - limits[1]:
            middle = high - 1.0 if low == -np.inf else low + 1.0 if high == np.inf else (low + high) / 2
            u[side == 1] += middle
            current = float(best)
            unimproved = 1
            stale = True
        else:
            unimproved += 1
    return current


def pair_gains(
    table: Table, order: IntArray, n_groups: int
) -> Iterator[tuple[IntArray, IntArray, FloatArray]]:
    """For each group of rows: pairs (i, j) that cannot both get their cheapest answer, and by how much.

    Rows are dealt out along `order`. Answers (k, l) to rows i, j are possible together if and
    only if k = l or g_ik - g_il > g_jk - g_jl; ties within the tolerance count as possible, so
    that what follows stays a lower bound.
    """
    g, v = table.g, table.v
    n, m = g.shape
    loop = compiled(_pair_gains) if worth_compiling(n * n // n_groups * m) else _pair_gains
    cheapest = v.argmin(axis=1)
    for start in range(n_groups):
        rows = order[start::n_groups]
        gain = np.zeros((len(rows), len(rows)))
        loop(g[rows], v[rows], cheapest[rows], table.tolerance, gain)
        first, second = np.nonzero(gain)
        yield first, second, gain[first, second]


@kernel
def _pair_gains(g: Any, v: Any, cheapest: Any, tolerance: float, gain: Any) -> None:
    n, m = g.shape
    for i in range(n):
        for j in range(i + 1, n):
            a, b = cheapest[i], cheapest[j]
            if a == b or g[i, a] - g[i, b] - g[j, a] + g[j, b] > -tolerance:
                continue
            best = np.inf
            for k in range(m):
                for other in range(m):
                    cost = v[i, k] + v[j, other]
                    if cost < best and (
                        k == other or g[i, k] - g[i, other] - g[j, k] + g[j, other] > -tolerance
                    ):
                        best = cost
            gain[i, j] = best - v[i, a] - v[j, b]


_SORT_BY_INSERTION = 32


@kernel
def _search_line(
    g: Any,
    v: Any,
    u: Any,
    side: Any,
    stale: Any,
    current: Any,
    tolerance: Any,
    tiny: Any,
    floats: Any,
    whole: Any,
    ends: Any,
    sums: Any,
    falls: Any,
    lows: Any,
) -> Any:
    # the best objective along one line, and the two breakpoints it lies between
    lone = _lone_class(side)
    if lone >= 0:
        if stale:
            _best_two_answers(g, u, floats, whole)
        prefix, spread = _break_beside_one(g, v, u, lone, floats, whole)
    else:
        prefix, spread = _break_beside_many(g, v, u, side, floats)
    _fill_buckets(floats[0], floats[1], spread, whole[0], whole[1], ends, sums, falls, lows)
    return _cheapest_interval(
        floats[0], floats[1], whole[1], ends, sums, falls, lows, prefix, current, tolerance, tiny
    )


def _search_line_by_columns(
    g: FloatArray,
    v: FloatArray,
    u: FloatArray,
    side: IntArray,
    stale: bool,  # noqa: FBT001
    current: float,
    tolerance: float,
    tiny: float,
    floats: FloatArray,
    whole: IntArray,
    ends: IntArray,
    sums: FloatArray,
    falls: FloatArray,
    lows: FloatArray,
) -> tuple[float, float, float]:
    """Search a line as `_search_line` does, to the bit, with array operations in the order of the rows."""
    rows, buckets = np.arange(len(g)), len(sums)
    lone = _lone_class(side)
    if lone >= 0:
        if stale:
            # the largest value of every row and its first column, then the same of the other columns
            values = g + u
            for rank in (2, 3):
                whole[rank] = values.argmax(axis=1)
                floats[rank] = values[rows, whole[rank]]
                values[rows, whole[rank]] = -np.inf
        leads = whole[2] == lone
        outside, below = np.where(leads, floats[3], floats[2]), np.where(leads, whole[3], whole[2])
        inside, gained = u[lone] + g[:, lone], v[:, lone]
    else:
        outside, below = _best_column(g, u, np.flatnonzero(side == 0))
        inside, above = _best_column(g, u, np.flatnonzero(side == 1))
        gained = v[rows, above]
    breaks, lost = outside - inside, v[rows, below]
    change = gained - lost
    prefix, scale = np.cumsum(lost)[-1], np.cumsum(np.abs(breaks))[-1] / len(g) + 1e-300
    places = ((breaks / (scale + np.abs(breaks)) + 1.0) * 0.5 * buckets).astype(np.int64)
    # short integers are sorted in linear time
    bucket = np.minimum(places, buckets - 1).astype(np.int16)
    order = np.argsort(bucket, kind="stable")
    sums[:] = np.bincount(bucket, change, buckets)
    falls[:] = np.bincount(bucket, np.minimum(change, 0.0), buckets)
    ends[:] = np.searchsorted(bucket[order], np.arange(buckets + 1))
    lows[:] = np.inf
    filled = np.flatnonzero(ends[1:] > ends[:-1])
    lows[filled] = np.minimum.reduceat(breaks[order], ends[filled])
    lows[:] = np.minimum.accumulate(lows[::-1])[::-1]
    best, low, high = current, 0.0, 0.0
    if prefix < best - tiny:
        best, low, high = prefix, -np.inf, lows[0]
    for b in filled.tolist():
        if prefix + falls[b] >= best - tiny:
            prefix += sums[b]
            continue
        part = order[ends[b] : ends[b + 1]]
        part = part[np.argsort(breaks[part], kind="stable")]
        here = breaks[part]
        after = np.append(here[1:], lows[b + 1])
        reached = np.cumsum(np.append(prefix, change[part]))[1:]
        for at in np.flatnonzero((after - here > tolerance) & (reached < best - tiny)).tolist():
            if reached[at] < best - tiny:
                best, low, high = reached[at], here[at], after[at]
        prefix = reached[-1]
    return float(best), float(low), float(high)


def _best_column(g: FloatArray, u: FloatArray, columns: IntArray) -> tuple[FloatArray, IntArray]:
    """Return the largest u_k + g_ik of every row over some columns, and the first column that has it."""
    if not len(columns):
        return np.full(len(g), -np.inf), np.zeros(len(g), dtype=np.int64)
    values = u[columns] + g[:, columns]
    first = values.argmax(axis=1)
    return values[np.arange(len(g)), first], columns[first]


@kernel
def _lone_class(side: Any) -> int:
    # the class that moves against all others; negative if there is no such class
    lone = -1
    for k in range(len(side)):
        if side[k] != 0:
            lone = k if side[k] == 1 and lone == -1 else -2
    return lone


@kernel
def _best_two_answers(g: Any, u: Any, floats: Any, whole: Any) -> None:
    # the two best answers of every row: all a line of one class needs, until weights move
    n, m = g.shape
    tops, runners = floats[2], floats[3]
    leader, second = whole[2], whole[3]
    for i in range(n):
        top = runner = -np.inf
        leader[i] = second[i] = 0
        for k in range(m):
            value = u[k] + g[i, k]
            if value > top:
                runner = top
                second[i] = leader[i]
                top = value
                leader[i] = k
            elif value > runner:
                runner = value
                second[i] = k
        tops[i] = top
        runners[i] = runner


@kernel
def _break_beside_one(g: Any, v: Any, u: Any, lone: Any, floats: Any, whole: Any) -> Any:
    # breakpoints where one class moves; returns the objective far below and the sum of distances
    breaks, change, tops, runners = floats[0], floats[1], floats[2], floats[3]
    leader, second = whole[2], whole[3]
    prefix = spread = 0.0
    for i in range(len(g)):
        inside = u[lone] + g[i, lone]
        below = second[i] if leader[i] == lone else leader[i]
        outside = runners[i] if leader[i] == lone else tops[i]
        breaks[i] = outside - inside
        spread += abs(outside - inside)
        prefix += v[i, below]
        change[i] = v[i, lone] - v[i, below]
    return prefix, spread


@kernel
def _break_beside_many(g: Any, v: Any, u: Any, side: Any, floats: Any) -> Any:
    # breakpoints where several classes move together
    n, m = g.shape
    breaks, change = floats[0], floats[1]
    prefix = spread = 0.0
    for i in range(n):
        outside = inside = -np.inf
        below = above = 0
        for k in range(m):
            value = u[k] + g[i, k]
            if side[k] == 0:
                if value > outside:
                    outside = value
                    below = k
            elif side[k] == 1 and value > inside:
                inside = value
                above = k
        breaks[i] = outside - inside
        spread += abs(outside - inside)
        prefix += v[i, below]
        change[i] = v[i, above] - v[i, below]
    return prefix, spread


@kernel
def _fill_buckets(
    breaks: Any,
    change: Any,
    spread: Any,
    bucket_of: Any,
    order: Any,
    ends: Any,
    sums: Any,
    falls: Any,
    lows: Any,
) -> None:
    # afterwards ends[b] is the start of bucket b in `order` and ends[b + 1] its end
    n, buckets = len(breaks), len(sums)
    scale = spread / n + 1e-300
    for b in range(buckets):
        ends[b] = 0
        sums[b] = falls[b] = 0.0
        lows[b] = np.inf
    for i in range(n):
        x = breaks[i]
        b = min(int((x / (scale + abs(x)) + 1.0) * 0.5 * buckets), buckets - 1)
        bucket_of[i] = b
        ends[b] += 1
        sums[b] += change[i]
        falls[b] += min(change[i], 0.0)
        lows[b] = min(lows[b], x)
    lows[buckets] = np.inf
    # from the last bucket down: `lows` becomes the next breakpoint at or after the bucket
    for b in range(buckets - 1, -1, -1):
        lows[b] = min(lows[b], lows[b + 1])
    position = 0
    for b in range(buckets):
        position += ends[b]
        ends[b] = position
    ends[buckets] = n
    for i in range(n - 1, -1, -1):
        b = bucket_of[i]
        ends[b] -= 1
        order[ends[b]] = i


@kernel
def _cheapest_interval(
    breaks: Any,
    change: Any,
    order: Any,
    ends: Any,
    sums: Any,
    falls: Any,
    lows: Any,
    prefix: Any,
    current: Any,
    tolerance: Any,
    tiny: Any,
) -> Any:
    # the interval between breakpoints with the lowest objective, if that is below `current`
    best, low, high = current, 0.0, 0.0
    if prefix < best - tiny:
        best, low, high = prefix, -np.inf, lows[0]
    for b in range(len(sums)):
        start, stop = ends[b], ends[b + 1]
        if start == stop or prefix + falls[b] >= best - tiny:
            prefix += sums[b]
            continue
        _sort_bucket(breaks, order, start, stop)
        for j in range(start, stop):
            here = breaks[order[j]]
            after = breaks[order[j + 1]] if j + 1 < stop else lows[b + 1]
            prefix += change[order[j]]
            # equal breakpoints are passed together: there is no cell between them
            if after - here > tolerance and prefix < best - tiny:
                best, low, high = prefix, here, after
    return best, low, high


@kernel
def _sort_bucket(breaks: Any, order: Any, start: Any, stop: Any) -> None:
    if stop - start > _SORT_BY_INSERTION:
        part = order[start:stop].copy()
        ranks = np.argsort(breaks[part], kind="mergesort")
        for j in range(stop - start):
            order[start + j] = part[ranks[j]]
        return
    for j in range(start + 1, stop):
        moved = order[j]
        hole = j
        while hole > start and breaks[order[hole - 1]] > breaks[moved]:
            order[hole] = order[hole - 1]
            hole -= 1
        order[hole] = moved
