"""Cheapest weights of three classes, provably, in O(n^2) time and O(n) memory.

With a = u_1 - u_3 and b = u_2 - u_3 every example cuts the plane by three rays from the apex
(g_3 - g_1, g_3 - g_2): downwards, to the left, and up the diagonal. A cell of the arrangement
holds no whole line, so it has edges of at least two of the three directions: the cells on both
sides of all vertical and all horizontal edges are all cells.
"""

from typing import Any

import numpy as np

from demur._kernels.jit import compiled, kernel, worth_compiling
from demur._kernels.weight_objective import Table
from demur.typing import BoolArray, FloatArray, IntArray

__all__ = ["cheapest_labels"]


def cheapest_labels(table: Table) -> IntArray:
    """Return the answers in a cell with the lowest objective, one per row of `table`."""
    g, v, n = table.g, table.v, len(table.g)
    loop: Any = compiled(_scan) if worth_compiling(8 * n * n) else _scan_by_line
    limits, buffers = (table.tolerance, table.cost_tolerance), np.empty((4, n + 1))
    best, cheapest = np.inf, np.zeros(n, dtype=np.int64)
    # vertical lines, then horizontal ones by exchanging the first two classes
    for first, second in ((0, 1), (1, 0)):
        al, be = g[:, first] - g[:, 2], g[:, second] - g[:, 2]
        below, lines = np.ascontiguousarray(v[:, [first, 2]]), np.unique(al)
        slopes = _breakpoints(al, al - be, v[:, second] - v[:, first])
        flats = _breakpoints(al, -be, v[:, second] - v[:, 2])
        value, bound, n_slopes, n_flats = loop(al, below, *slopes[1:], *flats[1:], lines, *limits, buffers)
        if value < best - table.cost_tolerance:
            best, cheapest = value, np.where(al > bound, first, 2)
            for order, passed, chosen in (
                (slopes[0], n_slopes, al > bound),
                (flats[0], n_flats, al <= bound),
            ):
                cheapest[order[chosen[order]][:passed]] = second
    return cheapest


def _breakpoints(
    al: FloatArray, keys: FloatArray, changes: FloatArray
) -> tuple[IntArray, FloatArray, FloatArray, FloatArray]:
    """Order in which every line meets the breakpoints of one kind, and the columns in it."""
    order = np.argsort(keys, kind="stable")
    return order, al[order], keys[order], changes[order]


def _scan_by_line(
    al: FloatArray,
    below: FloatArray,
    slope_al: FloatArray,
    slope_keys: FloatArray,
    slope_changes: FloatArray,
    flat_al: FloatArray,
    flat_keys: FloatArray,
    flat_changes: FloatArray,
    lines: FloatArray,
    tolerance: float,
    tiny: float,
    buffers: FloatArray,
) -> tuple[float, float, int, int]:
    """Scan as `_scan` does, to the bit, with array operations for each side of a line."""
    best, best_bound, best_slopes, best_flats = np.inf, 0.0, 0, 0
    totals, merged = np.empty(len(al) + 1), np.empty(len(al))
    for bound in np.column_stack([lines + tolerance, lines - tolerance]).ravel().tolist():
        is_slope, is_flat = slope_al > bound, flat_al <= bound
        slope, flat = slope_keys[is_slope], flat_keys[is_flat]
        # of equal values the flat comes first; running sums add in the order of the walk
        at = np.arange(len(slope)) + np.searchsorted(flat + bound, slope, side="right")
        from_slope = np.zeros(len(al), dtype=np.bool_)
        from_slope[at] = True
        merged[from_slope], merged[~from_slope] = slope_changes[is_slope], flat_changes[is_flat]
        totals[0] = np.cumsum(np.where(al > bound, below[:, 0], below[:, 1]))[-1]
        totals[1:] = merged
        np.cumsum(totals, out=totals)
        if totals.min() >= best - tiny:
            continue
        s = np.append(0, np.cumsum(from_slope))
        f = np.arange(len(s)) - s
        open_cell = ~(_level(slope, tolerance)[s] | _level(flat, tolerance)[f])
        places = np.flatnonzero(open_cell)
        # only a total below all before can be a new best
        falls = np.diff(np.minimum.accumulate(totals[places]), prepend=np.inf) < 0
        for place in places[falls]:
            if totals[place] < best - tiny:
                best, best_bound, best_slopes, best_flats = totals[place], bound, s[place], f[place]
    return float(best), best_bound, int(best_slopes), int(best_flats)


def _level(keys: FloatArray, tolerance: float) -> BoolArray:
    """Tell for every number of passed breakpoints whether the next equals the last: no cell lies there."""
    level = np.zeros(len(keys) + 1, dtype=np.bool_)
    level[1:-1] = np.diff(keys) <= tolerance
    return level


@kernel
def _scan(
    al: Any,
    below: Any,
    slope_al: Any,
    slope_keys: Any,
    slope_changes: Any,
    flat_al: Any,
    flat_keys: Any,
    flat_changes: Any,
    lines: Any,
    tolerance: float,
    tiny: float,
    buffers: Any,
) -> tuple[float, float, int, int]:
    # For each line a = -al_i and each side of it: walk b upwards. Below its breakpoint an example
    # right of the line answers class 1 ("slope", breakpoint al_j - be_j - al_i), one left of it
    # class 3 ("flat", breakpoint -be_j); above, both answer class 2. The order within a kind is
    # the same on all lines, so a line is one merge. Returns the best value, what parts slopes
    # from flats on its line, and how many of each lie below.
    n = len(al)
    slope, slope_change, flat, flat_change = buffers[0], buffers[1], buffers[2], buffers[3]
    best, best_bound, best_slopes, best_flats = np.inf, 0.0, 0, 0
    for i in range(len(lines)):
        for side in range(2):
            # an example on the line itself is a slope only on the right side; at equal values
            # slopes come first on the left side and last on the right side
            bound = lines[i] - tolerance if side == 1 else lines[i] + tolerance
            total = 0.0
            n_slopes = n_flats = 0
            for j in range(n):
                total += below[j, 0] if al[j] > bound else below[j, 1]
                # write always, advance if it counts: no branch to mispredict
                slope[n_slopes] = slope_keys[j]
                slope_change[n_slopes] = slope_changes[j]
                n_slopes += int(slope_al[j] > bound)
                flat[n_flats] = flat_keys[j]
                flat_change[n_flats] = flat_changes[j]
                n_flats += int(flat_al[j] <= bound)
            slope[n_slopes] = flat[n_flats] = np.inf
            if total < best - tiny:
                best, best_bound, best_slopes, best_flats = total, bound, 0, 0
            s = f = 0
            for _ in range(n):
                if slope[s] < flat[f] + bound:
                    total += slope_change[s]
                    s += 1
                else:
                    total += flat_change[f]
                    f += 1
                if total < best - tiny:
                    # equal keys of one kind are passed together: there is no cell between them
                    if 0 < s < n_slopes and slope[s] - slope[s - 1] <= tolerance:
                        continue
                    if 0 < f < n_flats and flat[f] - flat[f - 1] <= tolerance:
                        continue
                    best, best_bound, best_slopes, best_flats = total, bound, s, f
    return best, best_bound, best_slopes, best_flats
