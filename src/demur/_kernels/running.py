"""Running sums of two columns in one pass, and the weighted quantile of a growing set.

One pass takes a quarter of the time of `numpy.cumsum` for large columns. The quantile takes O(log n) per
case, in a tree of partial sums (Fenwick 1994).
"""

from typing import Any

import numpy as np

from demur._kernels.jit import compiled, kernel, run, worth_compiling
from demur.typing import FloatArray, IntArray

__all__ = ["running_quantile", "running_sums"]


def running_sums(
    first: FloatArray, second: FloatArray, *, backwards: bool = False
) -> tuple[FloatArray, FloatArray]:
    """Return, for both columns, the sums of the first 0, 1, ..., n elements.

    `backwards`: of the elements from 0, 1, ..., n on, added from the last one.

    Examples
    --------
    >>> running_sums(np.array([1.0, 0.0]), np.array([0.5, 2.0]))
    (array([0., 1., 1.]), array([0. , 0.5, 2.5]))
    >>> running_sums(np.array([1.0, 0.0]), np.array([0.5, 2.0]), backwards=True)
    (array([1., 0., 0.]), array([2.5, 2. , 0. ]))
    """
    size = len(first) + 1
    sums = np.zeros(size), np.zeros(size)
    if worth_compiling(size):
        columns = (np.ascontiguousarray(column, dtype=np.float64) for column in (first, second))
        compiled(_running_loop)(*columns, *sums, backwards)
        return sums
    way = -1 if backwards else 1
    for column, out in zip((first, second), sums, strict=True):
        np.cumsum(column[::way], out=out[::way][1:])
    return sums


@kernel
def _running_loop(first: Any, second: Any, first_sums: Any, second_sums: Any, backwards: Any) -> None:
    one = two = 0.0
    size = len(first)
    for step in range(size):
        at = size - 1 - step if backwards else step
        one += first[at]
        two += second[at]
        place = at if backwards else at + 1
        first_sums[place] = one
        second_sums[place] = two


def running_quantile(ranks: IntArray, weights: FloatArray, last: IntArray, share: float) -> IntArray:
    """Return the rank of the quantile of the first ``last[k] + 1`` cases, for every k.

    `ranks` are 0-based and stand for ascending values. The quantile is the smallest rank up
    to which at least `share` of the weight so far lies.
    """
    size = int(ranks.max()) + 1
    out = np.empty(len(last), dtype=np.int64)
    # a case is a walk up the tree, an answer one down
    steps = (len(ranks) + len(last)) * size.bit_length() // 8
    run(_fill, steps, [ranks, weights, last, share, np.zeros(size + 1)], [out])
    return out


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
