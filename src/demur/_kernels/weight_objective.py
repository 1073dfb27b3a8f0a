"""The cost of class weights: one row per example, everything in logarithms.

Scores are log f(x_i, C_k) up to a constant per row, weights are u = log w, and the rule is
argmax_k (u_k + g_ik), ties to the smallest index (Deng et al. 2006, section 1). `v` holds what
each answer to each example costs, so that eq. (1) is the sum of one entry per row.
"""

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from demur._kernels.jit import compiled, kernel, worth_compiling
from demur._kernels.line_search import descend_lines
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
    if _may_repeat_rows(g):
        distinct, row_of = np.unique(g, axis=0, return_inverse=True)
        merged = np.zeros_like(distinct)
        np.add.at(merged, row_of.reshape(-1), v)
        g, v = distinct, merged
    return Table(g, np.ascontiguousarray(v), _SAME * max(1.0, -float(g.min())))


def _may_repeat_rows(g: FloatArray) -> bool:
    """Whether rows may be equal: equal rows have equal sums, and sorting sums is quicker than rows."""
    sums = np.zeros(len(g))
    for k in range(g.shape[1]):
        # column by column, so that equal rows are rounded alike
        sums += math.sqrt(k + 2.0) * g[:, k]
    return len(np.unique(sums)) < len(g)


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
    buckets = min(max(n // 4, 1), _MOST_BUCKETS)
    limits = table.tolerance, table.cost_tolerance
    fast = worth_compiling(size)
    return descend_lines(
        table.g, table.v, u, moves, current=current, steps=steps, buckets=buckets, limits=limits, fast=fast
    )


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
