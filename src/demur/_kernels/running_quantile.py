"""Weighted quantile of a growing set, O(log n) per case, in a tree of partial sums (Fenwick 1994)."""

from typing import Any

import numpy as np

from demur._kernels.jit import compiled, kernel, worth_compiling
from demur.typing import FloatArray, IntArray

__all__ = ["running_quantile"]


def running_quantile(ranks: IntArray, weights: FloatArray, last: IntArray, share: float) -> IntArray:
    """Return the rank of the quantile of the first ``last[k] + 1`` cases, for every k.

    `ranks` are 0-based and stand for ascending values. The quantile is the smallest rank up
    to which at least `share` of the weight so far lies.
    """
    size = int(ranks.max()) + 1
    # a case is a walk up the tree, an answer one down
    if worth_compiling((len(ranks) + len(last)) * size.bit_length() // 8):
        out = np.empty(len(last), dtype=np.int64)
        compiled(_fill)(ranks, weights, last, share, np.zeros(size + 1), out)
        return out
    listed = [0] * len(last)
    _fill(ranks.tolist(), weights.tolist(), last.tolist(), share, [0.0] * (size + 1), listed)
    return np.array(listed, dtype=np.int64)


@kernel
def _fill(ranks: Any, weights: Any, last: Any, share: Any, tree: Any, out: Any) -> None:
    size = len(tree) - 1
    top = 1
    while 2 * top <= size:
        top *= 2
    total = 0.0
    case = 0
    for k in range(len(last)):
        while case <= last[k]:
            total += weights[case]
            node = ranks[case] + 1
            while node <= size:
                tree[node] += weights[case]
                node += node & -node
            case += 1
        # descend: the longest prefix of ranks that stays below the wanted weight; the factor
        # keeps a sum that is equal up to rounding from moving to the next value
        rest = share * total * (1 - 1e-12)
        if rest == 0.0:
            rest = 5e-324  # share 0 is the smallest value present, not the smallest of all
        node = 0
        step = top
        while step > 0:
            if node + step <= size and tree[node + step] < rest:
                node += step
                rest -= tree[node]
            step //= 2
        out[k] = min(node, size - 1)
