"""Ordered tuples, one case per level: their share, what every case adds to it, second moments.

Waegeman, De Baets and Boullart (2006) count tuples f(x_1) < ... < f(x_r) one by one (eq. 8) and
call that exponential. Chains grow level by level instead: the share of ordered tuples of levels
1..k - 1 that may precede a case of level k is a running sum over the cases of level k - 1, looked up
at the score of the case. Every case is touched once after sorting. Running sums are divided by the
class size level by level, so nothing overflows, and perfect order gives exactly 1.
"""

import math
from itertools import combinations, pairwise
from typing import NamedTuple

import numpy as np

from demur._kernels.places import places
from demur._kernels.sweep import LevelSweep, Sample
from demur.typing import FloatArray, IntArray

__all__ = [
    "TIES",
    "components",
    "level_components",
    "ordered_share",
    "pair_counts",
    "random_share",
    "second_moment",
]

TIES = ("product", "strict", "random")
"""Credit of a tuple with ties: 1/2 per tied neighbours; none; 1/m! per m tied (random order)."""


def _running(level: Sample, values: FloatArray | None) -> FloatArray:
    """Mean of the values (None: all 1) over a level, summed up to each case, with a leading 0."""
    total = np.zeros(len(level.scores) + 1)
    if values is None or level.weights is None:
        summands = values if level.weights is None else level.weights
    else:
        summands = values * level.weights
    if summands is None:
        total[1:] = np.arange(1, len(total))
    else:
        np.cumsum(summands, out=total[1:])
    total /= level.total()
    return total


def _preceding(levels: list[Sample], *, strict: bool) -> list[FloatArray | None]:
    """Per level and case: share of the tuples of lower levels that may precede it (None: all 1)."""
    chains: list[FloatArray | None] = [None]
    for lower, level in pairwise(levels):
        running = _running(lower, chains[-1])
        below, reached = places(lower.scores, level.scores)
        chains.append(running[below] if strict else (running[below] + running[reached]) / 2)
    return chains


def _mirrored(levels: list[Sample]) -> list[Sample]:
    """The same cases with scores and levels reversed."""
    return [
        Sample(-level.scores[::-1], None if level.weights is None else level.weights[::-1])
        for level in reversed(levels)
    ]


def ordered_share(levels: list[Sample], *, strict: bool) -> float:
    """Share of the tuples that are in order (ties 1/2 per tied neighbours unless strict)."""
    return min(float(_running(levels[-1], _preceding(levels, strict=strict)[-1])[-1]), 1.0)


def level_components(levels: list[Sample], *, strict: bool) -> list[FloatArray]:
    """Mean credit of the tuples that contain a case: per level, cases ascending.

    Structural components of the r-sample U-statistic (Nakas and Yiannoutsos 2004; DeLong et al.
    1988 for r = 2): chains up to the case times chains from it on.
    """
    before = _preceding(levels, strict=strict)
    after = _preceding(_mirrored(levels), strict=strict)[::-1]
    return [_both(low, up) for low, up in zip(before, after, strict=True)]


def _both(low: FloatArray | None, up: FloatArray | None) -> FloatArray:
    """Chains below times chains above; the latter are listed from the top."""
    if low is not None and up is not None:
        return low * up[::-1]
    return low if low is not None else np.asarray(up)[::-1]


def components(sweep: LevelSweep, sizes: FloatArray, ties: str) -> FloatArray:
    """Mean credit of the tuples that contain a case, for every case in input order."""
    if ties == "random":
        per_level = _random_components(sweep, sizes)
    else:
        levels = []
        for code in range(len(sizes)):
            members = np.flatnonzero(sweep.codes == code)
            weights = None if sweep.weights is None else sweep.weights[members]
            # only the order counts, so the number of the group is as good as the score
            levels.append(Sample(sweep.groups[members].astype(np.float64), weights))
        per_level = level_components(levels, strict=ties == "strict")
    out = np.empty(len(sweep.codes))
    for code, values in enumerate(per_level):
        out[sweep.order[sweep.codes == code]] = values
    return out


# ---------------------------------------------------------------- ties broken at random


def random_share(sweep: LevelSweep, sizes: FloatArray) -> float:
    """Expected share of the tuples in order after random breaking of the ties; O(n r^2)."""
    columns = [sweep.column(code) for code in range(len(sizes))]
    return min(float(_group_chains(columns, sizes)[-1, -1]), 1.0)


def _group_chains(columns: list[FloatArray], sizes: FloatArray) -> FloatArray:
    """Element (k, g): share of the tuples of levels 1..k in order that lie below group g."""
    low = np.zeros((len(sizes) + 1, len(columns[0]) + 1))
    low[0] = 1.0
    for k in range(1, len(sizes) + 1):
        # levels 1..a below the group, a + 1..k inside it: k - a cases of one group are in order
        # with probability 1 / (k - a)!
        tied = columns[k - 1]
        added = low[k - 1, :-1] * tied
        for a in range(k - 2, -1, -1):
            tied = tied * columns[a] / (sizes[a] * (k - a))
            added += low[a, :-1] * tied
        np.cumsum(added, out=low[k, 1:])
        low[k] /= sizes[k - 1]
    return low


def _random_components(sweep: LevelSweep, sizes: FloatArray) -> list[FloatArray]:
    """Tuples through a case of level k whose levels a + 1..b lie in its group, for all a < k <= b."""
    r = len(sizes)
    counts = [sweep.column(code) for code in range(r)]
    low = _group_chains(counts, sizes)[:, :-1]
    # row b: levels b + 1..r above the group
    up = _group_chains([column[::-1] for column in reversed(counts)], sizes[::-1])[::-1, -2::-1]
    columns = [column / size for column, size in zip(counts, sizes, strict=True)]
    totals = []
    for k in range(1, r + 1):
        total = np.zeros(low.shape[1])
        left = np.ones(low.shape[1])
        for a in range(k - 1, -1, -1):
            inside = left
            for b in range(k, r + 1):
                total += low[a] * inside * up[b] / math.factorial(b - a)
                inside = inside * columns[b] if b < r else inside
            left = left * columns[a - 1] if a else left
        totals.append(total[sweep.groups[sweep.codes == k - 1]])
    return totals


# ---------------------------------------------------------------- pairs


def pair_counts(levels: list[Sample]) -> tuple[FloatArray, FloatArray]:
    """Pairs (level l, level k): element (l, k) counts f_l < f_k, and f_l = f_k, for l < k; O(n r)."""
    won, tied = np.zeros((len(levels), len(levels))), np.zeros((len(levels), len(levels)))
    for low, high in combinations(range(len(levels)), 2):
        lower, upper = levels[low], levels[high]
        below, reached = places(lower.scores, upper.scores)
        if lower.weights is None or upper.weights is None:
            won[low, high], tied[low, high] = below.sum(), (reached - below).sum()
        else:
            held = np.concatenate([[0.0], np.cumsum(lower.weights)])
            won[low, high] = (held[below] * upper.weights).sum()
            tied[low, high] = ((held[reached] - held[below]) * upper.weights).sum()
    return won, tied


# ---------------------------------------------------------------- second moments


class _Axis(NamedTuple):
    """One level on the second axis: its distinct scores there, and where they fall in the level below."""

    scores: FloatArray
    totals: FloatArray
    left: IntArray
    right: IntArray


def second_moment(
    first: LevelSweep, second: LevelSweep, sizes: FloatArray, *, unbiased: bool, strict: bool
) -> float:
    """Mean product of the credits of two tuples, one on each scoring of the same cases.

    Waegeman et al. cite the bootstrap as the way out for large r; here it is exact: chains of pairs
    of cases (u on the first scoring, v on the second), with weight 1 - 1/n + [u = v] (ideal
    bootstrap) or n / (n - 1) [u != v] (unbiased). The first axis is swept in ascending order, so
    only one row per level is kept: O(sum n_k n_{k+1}) time, O(n) memory.
    """
    r = len(sizes)
    axes = _second_axes(second, r)
    spot = _spots(second, axes)[first.order]
    weights = np.ones(len(first.codes)) if first.weights is None else first.weights
    # rows in units that keep whole counts whole: n^3 or n (n - 1) of them make 1
    units = sizes * (sizes - 1) if unbiased else sizes**3
    before = [np.zeros(len(axis.scores)) for axis in axes]
    starts = np.flatnonzero(np.diff(first.groups, prepend=-1))
    for start, stop in pairwise([*starts.tolist(), len(first.codes)]):
        here: list[FloatArray | None] = [None] * r
        codes = first.codes[start:stop]
        for code in np.unique(codes).tolist():
            members = start + np.flatnonzero(codes == code)
            axis, mass = axes[code], weights[members]
            diagonal = np.bincount(spot[members], weights=mass, minlength=len(axis.scores))
            row = mass.sum() * axis.totals
            row = row - diagonal if unbiased else (sizes[code] - 1) * row + sizes[code] * diagonal
            if code:
                below, beside = before[code - 1], here[code - 1]
                if beside is not None and not strict:
                    below = below + beside / 2
                row = row * _looked_up(below, axis, strict=strict) / units[code - 1]
            here[code] = row
        for code, added in enumerate(here):
            if added is not None:
                before[code] += added
    return float(before[-1].sum() / units[-1])


def _looked_up(row: FloatArray, axis: _Axis, *, strict: bool) -> FloatArray:
    """Sum of the row over the scores below; ties count one half unless strict."""
    running = np.concatenate([[0.0], np.cumsum(row)])
    return running[axis.left] if strict else (running[axis.left] + running[axis.right]) / 2


def _second_axes(sweep: LevelSweep, n_levels: int) -> list[_Axis]:
    axes: list[_Axis] = []
    lower = np.empty(0)
    for code in range(n_levels):
        column = sweep.column(code)
        held = column > 0
        scores = sweep.scores[held]
        axes.append(_Axis(scores, column[held], *places(lower, scores)))
        lower = scores
    return axes


def _spots(sweep: LevelSweep, axes: list[_Axis]) -> IntArray:
    """Index of every case, in input order, among the distinct scores of its level."""
    out = np.empty(len(sweep.codes), dtype=np.int64)
    for code, axis in enumerate(axes):
        members = np.flatnonzero(sweep.codes == code)
        out[sweep.order[members]] = np.searchsorted(axis.scores, sweep.scores[sweep.groups[members]])
    return out
