"""Hand and Till's multi-class AUC of a shrinking set of cases, in O(n c log n) for all sizes.

M is the average over ordered pairs of present classes (i, j) of A(i|j) = P(p_i of a class-i
case > p_i of a class-j case) + half the ties (Hand and Till 2001, eq. 7). The cases are taken
in from last to first; a Fenwick tree per column counts who is already there, so every case
costs a logarithm. Growing rather than shrinking keeps sums of weights free of cancellation.
"""

import os
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from demur._kernels.jit import compiled, kernel, whole_job, worth_compiling
from demur._kernels.sweep import places_among
from demur.typing import BoolArray, FloatArray, IntArray

__all__ = ["shrinking_hand_till"]

_THREADS_FROM = 2**15


def shrinking_hand_till(
    proba: FloatArray, codes: IntArray, weights: FloatArray, leaves: IntArray, n_states: int
) -> FloatArray:
    """Return M of the cases present in every state; NaN where fewer than two classes are.

    Case k is present in the states before ``leaves[k]``.
    """
    n_classes = proba.shape[1]
    order = np.argsort(-leaves)
    # state t holds the first sizes[t] cases of the order
    sizes = len(leaves) - np.cumsum(np.bincount(leaves, minlength=n_states + 1))[:n_states]
    codes, weights = codes[order], weights[order]

    def column_total(column: int) -> FloatArray:
        with whole_job(work):
            places, tied = places_among(proba[:, column][order], codes == column)
            return _column_total(codes, weights, places, tied, column, n_classes, sizes)

    columns = np.unique(codes)
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


def _column_total(
    codes: IntArray,
    weights: FloatArray,
    places: IntArray,
    tied: BoolArray,
    column: int,
    n_classes: int,
    sizes: IntArray,
) -> FloatArray:
    """Sum over the other present classes j of A(column | j), per state."""
    size = int(places.max()) + 2
    lengths = [len(sizes), size, size * n_classes, size * n_classes, *[n_classes] * 3]
    if worth_compiling(len(codes)):
        total, *work = (np.zeros(length) for length in lengths)
        compiled(_column_loop)(codes, weights, places, tied, column, sizes, total, *work)
        return total
    listed, *lists = ([0.0] * length for length in lengths)
    cases = codes.tolist(), weights.tolist(), places.tolist(), tied.tolist()
    _column_loop(*cases, column, sizes.tolist(), listed, *lists)
    return np.array(listed)


@kernel
def _column_loop(
    codes: Any,
    weights: Any,
    places: Any,
    tied: Any,
    column: Any,
    sizes: Any,
    total: Any,
    members: Any,
    others: Any,
    equal: Any,
    won: Any,
    held: Any,
    share: Any,
) -> None:
    # `members` is the tree of the class of this column, `others` one tree per other class, side
    # by side; `equal` holds what equals a member, by its place
    n_classes = len(won)
    n_nodes = len(members)
    case = 0
    for state in range(len(sizes) - 1, -1, -1):
        while case < sizes[state]:
            own = codes[case]
            weight = weights[case]
            place = places[case]
            if own == column:
                node = place
                while node > 0:
                    for other in range(n_classes):
                        won[other] += weight * others[node * n_classes + other]
                    node -= node & -node
                for other in range(n_classes):
                    won[other] += 0.5 * weight * equal[place * n_classes + other]
                    if held[other] > 0.0:
                        share[other] = won[other] / held[other]
                share[own] = 0.0
                node = place + 1
                while node < n_nodes:
                    members[node] += weight
                    node += node & -node
            else:
                below = 0.0
                node = place + 1
                while node > 0:
                    below += members[node]
                    node -= node & -node
                if tied[case]:
                    below -= 0.5 * equal[place * n_classes + column]
                won[own] += weight * (held[column] - below)
                share[own] = won[own] / (held[own] + weight)
                node = place + 1
                while node < n_nodes:
                    others[node * n_classes + own] += weight
                    node += node & -node
            held[own] += weight
            if tied[case]:
                equal[place * n_classes + own] += weight
            case += 1
        if held[column] > 0.0:
            mean = 0.0
            for other in range(n_classes):
                mean += share[other]
            total[state] = mean / held[column]
