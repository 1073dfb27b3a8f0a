"""Ordered tuples, one case per level: their share, what every case adds to it, second moments.

Waegeman, De Baets and Boullart (2006) count tuples f(x_1) < ... < f(x_r) one by one (eq. 8) and
call that exponential. Chains grow level by level instead: the share of ordered tuples of levels
1..k - 1 that may precede a case of level k is a running sum over the cases of level k - 1, looked up
at the score of the case. Every case is touched once after sorting. Running sums are divided by the
class size level by level, so nothing overflows, and perfect order gives exactly 1.
"""

import math
from itertools import combinations, pairwise

import numpy as np

from demur._kernels.places import places
from demur._kernels.sweep import LevelSweep, Sample, ascending_order
from demur.typing import FloatArray, IntArray

__all__ = [
    "TIES",
    "components",
    "level_components",
    "ordered_share",
    "pair_counts",
    "pairwise_hinge",
    "random_share",
    "second_moment",
]

TIES = ("product", "strict", "random")
"""Credit of a tuple with ties: 1/2 per tied neighbours; none; 1/m! per m tied (random order)."""


def _running(level: Sample, values: FloatArray | None) -> FloatArray:
    """Mean of the values (None: all 1) over a level, summed up to each case, with a leading 0."""
    summands = np.ones(len(level.scores)) if values is None else values
    if level.weights is not None:
        summands = summands * level.weights
    return np.append(0.0, np.cumsum(summands)) / level.total()


def _preceding(levels: list[Sample], *, strict: bool) -> list[FloatArray | None]:
    """Per level and case: share of the tuples of lower levels that may precede it (None: all 1)."""
    chains: list[FloatArray | None] = [None]
    for lower, level in pairwise(levels):
        running = _running(lower, chains[-1])
        below, reached = places(lower.scores, level.scores)
        chains.append(running[below] if strict else (running[below] + running[reached]) / 2)
    return chains


def ordered_share(levels: list[Sample], *, strict: bool) -> float:
    """Share of the tuples that are in order (ties 1/2 per tied neighbours unless strict)."""
    return min(float(_running(levels[-1], _preceding(levels, strict=strict)[-1])[-1]), 1.0)


def level_components(levels: list[Sample], *, strict: bool) -> list[FloatArray]:
    """Mean credit of the tuples that contain a case: per level, cases ascending.

    Structural components of the r-sample U-statistic (Nakas and Yiannoutsos 2004; DeLong et al.
    1988 for r = 2): chains up to the case times chains from it on.
    """
    before = _preceding(levels, strict=strict)
    # the same cases with scores and levels reversed
    mirrored = [
        Sample(-level.scores[::-1], None if level.weights is None else level.weights[::-1])
        for level in reversed(levels)
    ]
    after = _preceding(mirrored, strict=strict)[::-1]
    # chains above are listed from the top; none stands for ones
    return [
        np.asarray(up)[::-1] if low is None else low if up is None else low * up[::-1]
        for low, up in zip(before, after, strict=True)
    ]


def components(sweep: LevelSweep, sizes: FloatArray, ties: str) -> FloatArray:
    """Mean credit of the tuples that contain a case, for every case in input order."""
    members = [np.flatnonzero(sweep.codes == code) for code in range(len(sizes))]
    if ties == "random":
        per_level = _random_components(sweep, sizes)
    else:
        weights = [None if sweep.weights is None else sweep.weights[own] for own in members]
        # only the order counts, so the number of the group is as good as the score
        scores = [sweep.groups[own].astype(np.float64) for own in members]
        per_level = level_components(list(map(Sample, scores, weights)), strict=ties == "strict")
    out = np.empty(len(sweep.codes))
    for own, values in zip(members, per_level, strict=True):
        out[sweep.order[own]] = values
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
    won, tied = np.zeros((2, len(levels), len(levels)))
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


# one level on the second axis: weight at its distinct scores there, and where these fall in the level below
_Axis = tuple[FloatArray, IntArray, IntArray]


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
    axes, spots = _second_axes(second, r)
    spot = spots[first.order]
    weights = np.ones(len(first.codes)) if first.weights is None else first.weights
    # rows in units that keep whole counts whole: n^3 or n (n - 1) of them make 1
    units = sizes * (sizes - 1) if unbiased else sizes**3
    before = [np.zeros(len(totals)) for totals, _, _ in axes]
    starts = np.flatnonzero(np.diff(first.groups, prepend=-1))
    for start, stop in pairwise([*starts.tolist(), len(first.codes)]):
        here: list[FloatArray | None] = [None] * r
        codes = first.codes[start:stop]
        for code in np.unique(codes).tolist():
            members = start + np.flatnonzero(codes == code)
            (totals, left, right), mass = axes[code], weights[members]
            diagonal = np.bincount(spot[members], weights=mass, minlength=len(totals))
            row = mass.sum() * totals
            row = row - diagonal if unbiased else (sizes[code] - 1) * row + sizes[code] * diagonal
            if code:
                below, beside = before[code - 1], here[code - 1]
                if beside is not None and not strict:
                    below = below + beside / 2
                # over the scores below; ties count one half unless strict
                running = np.concatenate([[0.0], np.cumsum(below)])
                reached = running[left] if strict else (running[left] + running[right]) / 2
                row = row * reached / units[code - 1]
            here[code] = row
        for code, added in enumerate(here):
            if added is not None:
                before[code] += added
    return float(before[-1].sum() / units[-1])


def _second_axes(sweep: LevelSweep, n_levels: int) -> tuple[list[_Axis], IntArray]:
    """Axis of every level, and the index of every case, in input order, among the scores of its level."""
    axes, spots = [], np.empty(len(sweep.codes), dtype=np.int64)
    lower = np.empty(0)
    for code in range(n_levels):
        column = sweep.column(code)
        held = column > 0
        scores = sweep.scores[held]
        axes.append((column[held], *places(lower, scores)))
        members = np.flatnonzero(sweep.codes == code)
        spots[sweep.order[members]] = np.searchsorted(scores, sweep.scores[sweep.groups[members]])
        lower = scores
    return axes, spots


def pairwise_hinge(scores: FloatArray, codes: IntArray, weights: FloatArray) -> tuple[float, FloatArray]:
    """Sum over classes l < k and pairs of weights[l, k] max(0, 1 - (f_j - f_i))^2, i in l and j in k.

    No pair is formed: for each j the i with f_i > f_j - 1 are the end of a sorted list, and the sum of
    their squares follows from running sums. At least the weighted number of pairs in wrong order.
    """
    loss, gradient = 0.0, np.zeros(len(scores))
    rows = [np.flatnonzero(codes == code) for code in range(len(weights))]
    classes = [own[ascending_order(scores[own])] for own in rows]
    for low, lower in enumerate(classes):
        below = scores[lower]
        # sums of the last m values and squares: element i counts from place i on
        tails = [np.append(np.cumsum(column[::-1])[::-1], 0.0) for column in (below, below**2)]
        for high in range(low + 1, len(classes)):
            if weights[low, high] == 0:
                continue
            upper = classes[high]
            above = scores[upper]
            start = np.searchsorted(below, above - 1, side="right")
            count, margin = len(below) - start, 1 - above
            sums, squares = (tail[start] for tail in tails)
            loss += weights[low, high] * float((count * margin**2 + 2 * margin * sums + squares).sum())
            gradient[upper] -= 2 * weights[low, high] * (count * margin + sums)
            stop = np.searchsorted(above, below + 1, side="left")
            heads = np.concatenate([[0.0], np.cumsum(above)])
            gradient[lower] += 2 * weights[low, high] * (stop * (1 + below) - heads[stop])
    return loss, gradient
