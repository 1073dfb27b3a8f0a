"""Squared hinge loss over pairs of cases of different classes, with its gradient, in O(n log n)."""

import numpy as np

from demur._kernels.sweep import ascending_order
from demur.typing import FloatArray, IntArray

__all__ = ["pairwise_hinge"]


def pairwise_hinge(scores: FloatArray, codes: IntArray, weights: FloatArray) -> tuple[float, FloatArray]:
    """Sum over classes l < k and pairs of weights[l, k] max(0, 1 - (f_j - f_i))^2, i in l and j in k.

    No pair is formed: for each j the i with f_i > f_j - 1 are the end of a sorted list, and the sum of
    their squares follows from running sums. At least the weighted number of pairs in wrong order.
    """
    loss, gradient = 0.0, np.zeros(len(scores))
    classes = []
    for code in range(len(weights)):
        rows = np.flatnonzero(codes == code)
        classes.append(rows[ascending_order(scores[rows])])
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
