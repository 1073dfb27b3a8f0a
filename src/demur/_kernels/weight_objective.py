"""The cost of class weights: one row per example, everything in logarithms.

Scores are log f(x_i, C_k) up to a constant per row, weights are u = log w, and the rule is
argmax_k (u_k + g_ik), ties to the smallest index (Deng et al. 2006, section 1). `v` holds what
each answer to each example costs, so that eq. (1) is the sum of one entry per row.
"""

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from demur._kernels.jit import compiled, worth_compiling
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
    distinct, row_of = np.unique(g, axis=0, return_inverse=True)
    if len(distinct) < len(g):
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
    size = table.g.size * len(moves) * work * _PASSES
    kernel = compiled(_descend) if worth_compiling(size) else _descend
    limits = table.tolerance, table.cost_tolerance
    floats, whole = np.empty((4, n)), np.empty((4, n), dtype=np.int64)
    buckets = min(max(n // 4, 1), _MOST_BUCKETS)
    return float(kernel(table.g, table.v, u, moves, current, steps, buckets, *limits, floats, whole))


def _descend(
    g: Any,
    v: Any,
    u: Any,
    moves: Any,
    current: float,
    steps: int,
    buckets: int,
    tolerance: float,
    tiny: float,
    floats: Any,
    whole: Any,
) -> float:
    # Line search of spec 202, section 3.1. Sorting all breakpoints would take most of the time;
    # they are put in buckets instead, and a bucket is sorted only if what its falling costs add
    # up to could beat the best value so far. Same minimum, same place. All in one function:
    # compiled twins cannot call each other.
    n, m = g.shape
    breaks, change, tops, runners = floats[0], floats[1], floats[2], floats[3]
    bucket_of, order, leader, second = whole[0], whole[1], whole[2], whole[3]
    ends = np.empty(buckets + 1, dtype=np.int64)
    sums, falls = np.empty(buckets), np.empty(buckets)
    lows = np.empty(buckets + 1)
    unimproved = index = 0
    stale = True
    while unimproved < len(moves) and steps > 0:
        steps -= 1
        side = moves[index]
        index = (index + 1) % len(moves)
        lone = -1
        for k in range(m):
            if side[k] != 0:
                lone = k if side[k] == 1 and lone == -1 else -2
        if lone >= 0 and stale:
            # the two best answers of every row: all a line of one class needs, until weights move
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
            stale = False
        prefix = spread = 0.0
        for i in range(n):
            outside = inside = -np.inf
            below = above = 0
            if lone >= 0:
                above = lone
                inside = u[lone] + g[i, lone]
                below = second[i] if leader[i] == lone else leader[i]
                outside = runners[i] if leader[i] == lone else tops[i]
            else:
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
        spread = spread / n + 1e-300
        for b in range(buckets):
            ends[b] = 0
            sums[b] = falls[b] = 0.0
            lows[b] = np.inf
        for i in range(n):
            x = breaks[i]
            b = min(int((x / (spread + abs(x)) + 1.0) * 0.5 * buckets), buckets - 1)
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
        # ends[b] is now the start of bucket b, ends[b + 1] its end
        best, low, high = current, 0.0, 0.0
        if prefix < best - tiny:
            best, low, high = prefix, -np.inf, lows[0]
        for b in range(buckets):
            start, stop = ends[b], ends[b + 1]
            if start == stop or prefix + falls[b] >= best - tiny:
                prefix += sums[b]
                continue
            if stop - start > 32:
                part = order[start:stop].copy()
                ranks = np.argsort(breaks[part], kind="mergesort")
                for j in range(stop - start):
                    order[start + j] = part[ranks[j]]
            else:
                for j in range(start + 1, stop):
                    moved = order[j]
                    hole = j
                    while hole > start and breaks[order[hole - 1]] > breaks[moved]:
                        order[hole] = order[hole - 1]
                        hole -= 1
                    order[hole] = moved
            for j in range(start, stop):
                here = breaks[order[j]]
                after = breaks[order[j + 1]] if j + 1 < stop else lows[b + 1]
                prefix += change[order[j]]
                # equal breakpoints are passed together: there is no cell between them
                if after - here > tolerance and prefix < best - tiny:
                    best, low, high = prefix, here, after
        if best < current - tiny:
            if low == -np.inf:
                step = high - 1.0
            elif high == np.inf:
                step = low + 1.0
            else:
                step = (low + high) / 2
            for k in range(m):
                if side[k] == 1:
                    u[k] += step
            current = best
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
    kernel = compiled(_pair_gains) if worth_compiling(n * n // n_groups * m) else _pair_gains
    cheapest = v.argmin(axis=1)
    for start in range(n_groups):
        rows = order[start::n_groups]
        gain = np.zeros((len(rows), len(rows)))
        kernel(g[rows], v[rows], cheapest[rows], table.tolerance, gain)
        first, second = np.nonzero(gain)
        yield first, second, gain[first, second]


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
