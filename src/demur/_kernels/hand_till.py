"""Hand and Till's multi-class AUC of a shrinking set of cases, for all sizes at once.

M is the average over ordered pairs of present classes (i, j) of A(i|j) = P(p_i of a class-i
case > p_i of a class-j case) + half the ties (Hand and Till 2001, eq. 7). The cases are taken
in from last to first, and for every column we keep count of who is already there. Of c cases one is a
member of the column's class. So what members leave is written out as running sums, O(sqrt n) for a member and
two numbers to read for all others; what the others leave is a tree with four branches, a
logarithm for them and for members. Growing rather than shrinking keeps sums of weights free of
cancellation.
"""

import os
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from demur._kernels.jit import kernel, run, whole_job
from demur._kernels.places import places_among
from demur._kernels.sweep import ascending_order
from demur.typing import FloatArray, IntArray

__all__ = ["shrinking_hand_till"]

_THREADS_FROM = 2**15


def shrinking_hand_till(
    proba: FloatArray, codes: IntArray, weights: FloatArray, leaves: IntArray, n_states: int
) -> FloatArray:
    """Return M of the cases present in every state; NaN where fewer than two classes are.

    Case k is present in the states before ``leaves[k]``.
    """
    n_classes = proba.shape[1]
    order = ascending_order(-leaves.astype(np.float64))
    # state t holds the first sizes[t] cases of the order
    sizes = len(leaves) - np.cumsum(np.bincount(leaves, minlength=n_states + 1))[:n_states]
    codes, weights = codes[order], weights[order]
    by_column = np.ascontiguousarray(proba.T)

    def column_total(column: int) -> FloatArray:
        """Sum over the other present classes j of A(column | j), per state."""
        with whole_job(work):
            places, tied = places_among(by_column[column][order], codes == column)
            size = int(places.max()) + 1
            half_bits = size.bit_length() // 2  # blocks of about as many places as there are blocks
            # where each level of a tree with four branches begins, the leaves first; and where the last ends
            offsets = [0, size]
            while size > 4:
                size = (size + 3) // 4
                offsets.append(offsets[-1] + size)
            size = offsets[1]
            lengths = [n_states, size, (size >> half_bits) + 1, offsets[-1] * n_classes, size * n_classes]
            total, *room = (np.zeros(length) for length in [*lengths, *[n_classes] * 3])
            tree = np.array(offsets), np.zeros(3 * len(offsets), np.int64)
            cases = codes, weights, places, tied, column, sizes
            run(_column_loop, len(codes), [*cases, half_bits, *tree], [total, *room])
            return total

    columns = np.flatnonzero(np.bincount(codes)).tolist()
    # in every column a case walks a tree that holds all classes: a step takes a quarter of an element's time
    work = len(codes) * len(columns) * n_classes * len(codes).bit_length() // 4
    if len(codes) < _THREADS_FROM:
        total = sum(map(column_total, columns), np.zeros(n_states))
    else:
        # sorting and the compiled loop release the interpreter lock
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            total = sum(pool.map(column_total, columns), np.zeros(n_states))
    # a class is present until the last of its cases leaves
    until = np.zeros(n_classes, dtype=np.int64)
    np.maximum.at(until, codes, leaves[order])
    present = n_classes - np.searchsorted(np.sort(until), np.arange(n_states), side="right")
    pairs = present * (present - 1)
    return np.asarray(np.divide(total, pairs, out=np.full(n_states, np.nan), where=pairs > 0))


@kernel
def _column_loop(
    codes: Any,
    weights: Any,
    places: Any,
    tied: Any,
    column: Any,
    sizes: Any,
    half_bits: Any,
    offsets: Any,
    nodes: Any,
    total: Any,
    within: Any,
    before: Any,
    others: Any,
    equal: Any,
    won: Any,
    held: Any,
    share: Any,
) -> None:
    # members up to a place: `before` its block, plus those `within` the block up to it. `others` is the
    # tree of the other classes, side by side, and `nodes` room for those a member asks; `equal` holds what
    # equals a member, by its place
    n_classes = len(won)
    n_places = len(within)
    n_levels = len(offsets) - 1
    case = 0
    for state in range(len(sizes) - 1, -1, -1):
        while case < sizes[state]:
            own = codes[case]
            weight = weights[case]
            place = places[case]
            if own == column:
                n_nodes = 0
                for level in range(n_levels):
                    node = place >> (2 * level)
                    for lower in range(node & -4, node):
                        nodes[n_nodes] = (offsets[level] + lower) * n_classes
                        n_nodes += 1
                for other in range(n_classes):
                    lower_others = 0.5 * equal[place * n_classes + other]
                    for at in range(n_nodes):
                        lower_others += others[nodes[at] + other]
                    won[other] += weight * lower_others
                    if held[other] > 0.0:
                        share[other] = won[other] / held[other]
                share[own] = 0.0
                block = place >> half_bits
                for later in range(place, min((block + 1) << half_bits, n_places)):
                    within[later] += weight
                for later in range(block + 1, len(before)):
                    before[later] += weight
            else:
                below = before[place >> half_bits] + within[place]
                if tied[case]:
                    below -= 0.5 * equal[place * n_classes + column]
                won[own] += weight * (held[column] - below)
                share[own] = won[own] / (held[own] + weight)
                for level in range(n_levels):
                    others[(offsets[level] + (place >> (2 * level))) * n_classes + own] += weight
            held[own] += weight
            if tied[case]:
                equal[place * n_classes + own] += weight
            case += 1
        if held[column] > 0.0:
            mean = 0.0
            for other in range(n_classes):
                mean += share[other]
            total[state] = mean / held[column]
