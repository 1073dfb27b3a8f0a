"""Hand and Till's multi-class AUC of a shrinking set of cases, in O(n c log n) for all sizes.

M is the average over ordered pairs of present classes (i, j) of A(i|j) = P(p_i of a class-i
case > p_i of a class-j case) + half the ties (Hand and Till 2001, eq. 7). The cases are taken
in from last to first; a Fenwick tree per column counts who is already there, so every case
costs a logarithm. Growing rather than shrinking keeps sums of weights free of cancellation.
"""

from typing import Any

import numpy as np

from demur._kernels.jit import compiled, worth_compiling
from demur.typing import FloatArray, IntArray

__all__ = ["shrinking_hand_till"]


def shrinking_hand_till(
    proba: FloatArray, codes: IntArray, weights: FloatArray, leaves: IntArray, n_states: int
) -> FloatArray:
    """Return M of the cases present in every state; NaN where fewer than two classes are.

    Case k is present in the states before ``leaves[k]``.
    """
    n_classes = proba.shape[1]
    order = np.argsort(-leaves, kind="stable")
    # state t holds the first sizes[t] cases of the order
    sizes = np.searchsorted(-leaves[order], -np.arange(n_states), side="left")
    total = np.zeros(n_states)
    codes, weights = codes[order], weights[order]
    for column in range(n_classes):
        members = codes == column
        if members.any():
            places = _places(proba[order, column], members)
            _run_column(codes, weights, places, column, n_classes, sizes, total)
    # a class is present until the last of its cases leaves
    until = np.zeros(n_classes, dtype=np.int64)
    np.maximum.at(until, codes, leaves[order])
    present = np.count_nonzero(np.arange(n_states)[:, None] < until, axis=1)
    pairs = present * (present - 1)
    return np.asarray(np.divide(total, pairs, out=np.full(n_states, np.nan), where=pairs > 0))


def _places(values: FloatArray, members: Any) -> IntArray:
    """Position of every value among those of the members; equal only if no member separates them."""
    sorted_members = np.sort(values[members])
    below = np.searchsorted(sorted_members, values, side="left")
    return np.asarray(below + np.searchsorted(sorted_members, values, side="right"))


def _run_column(
    codes: IntArray,
    weights: FloatArray,
    places: IntArray,
    column: int,
    n_classes: int,
    sizes: IntArray,
    total: FloatArray,
) -> None:
    size = int(places.max()) + 1
    if worth_compiling(len(codes)):
        tree, won, held = np.zeros((size + 1) * n_classes), np.zeros(n_classes), np.zeros(n_classes)
        compiled(_column_loop)(codes, weights, places, column, sizes, total, tree, won, held)
        return
    cases = codes.tolist(), weights.tolist(), places.tolist()
    added = [0.0] * len(total)
    work = [0.0] * ((size + 1) * n_classes), [0.0] * n_classes, [0.0] * n_classes
    _column_loop(*cases, column, sizes.tolist(), added, *work)
    total += added


def _column_loop(
    codes: Any,
    weights: Any,
    places: Any,
    column: Any,
    sizes: Any,
    total: Any,
    tree: Any,
    won: Any,
    held: Any,
) -> None:
    n_classes = len(won)
    n_nodes = len(tree) // n_classes
    case = 0
    for state in range(len(sizes) - 1, -1, -1):
        while case < sizes[state]:
            own = codes[case]
            weight = weights[case]
            place = places[case]
            if own == column:
                # weight below, ties half: the mean of the sums before and through this place
                for start in (place, place + 1):
                    node = start
                    while node > 0:
                        for other in range(n_classes):
                            won[other] += 0.5 * weight * tree[node * n_classes + other]
                        node -= node & -node
            else:
                below = 0.0
                for start in (place, place + 1):
                    node = start
                    while node > 0:
                        below += 0.5 * tree[node * n_classes + column]
                        node -= node & -node
                won[own] += weight * (held[column] - below)
            node = place + 1
            while node < n_nodes:
                tree[node * n_classes + own] += weight
                node += node & -node
            held[own] += weight
            case += 1
        if held[column] > 0.0:
            share = 0.0
            for other in range(n_classes):
                if other != column and held[other] > 0.0:
                    share += won[other] / held[other]
            total[state] += share / held[column]
