"""Pairs that two models rank alike: the sum over (negative, positive) of psi_1 psi_2.

2 psi = [x < y] + [x <= y], so four times the sum counts points below points in the plane, with
and without the borders. One sweep over the scores of the first model with a Fenwick tree over
the ranks of the second does it in O(n log n), ties included.
"""

from typing import Any

import numpy as np

from demur._kernels.jit import compiled, kernel, worth_compiling
from demur._kernels.placements import Ordered, insertion_ranks
from demur.typing import FloatArray, IntArray

__all__ = ["joint_wins"]


def joint_wins(
    negative: tuple[Ordered, Ordered],
    positive: tuple[Ordered, Ordered],
    negative_weight: FloatArray | None = None,
    positive_weight: FloatArray | None = None,
) -> float:
    """Sum of psi_1 psi_2 over all pairs; each argument holds one class under both models."""
    low, high = insertion_ranks(positive[1], negative[1])
    place = _places(positive)
    size = len(negative[0].scores)
    # everything in the order of the first model: the sweep then waits for the tree alone
    columns: list[Any] = [
        negative[0].scores,
        _places(negative),
        _reordered(negative_weight, negative[0]),
        positive[0].scores,
        low[place],
        high[place],
        _reordered(positive_weight, positive[0]),
        np.zeros(size + 1),
    ]
    if worth_compiling((size + len(low)) * size.bit_length()):
        return float(compiled(_sweep)(*columns)) / 4
    return float(_sweep(*(column.tolist() for column in columns))) / 4


def _places(models: tuple[Ordered, Ordered]) -> IntArray:
    """Element k: place in the second ordering of the case that is k-th in the first."""
    place = np.empty(len(models[1].cases), np.int64)
    place[models[1].cases] = np.arange(len(place))
    return place[models[0].cases]


def _reordered(weights: FloatArray | None, order: Ordered) -> FloatArray:
    """Weights in the given order; none at all where all are 1."""
    return np.empty(0) if weights is None else weights[order.cases]


@kernel
def _sweep(
    neg_scores: Any,
    neg_place: Any,
    neg_weight: Any,
    pos_scores: Any,
    low: Any,
    high: Any,
    pos_weight: Any,
    tree: Any,
) -> Any:
    size = len(neg_scores)
    weighted_neg = len(neg_weight) > 0
    weighted_pos = len(pos_weight) > 0
    once = 0  # negatives up to here are in the tree at least once: x1 <= y1
    twice = 0  # and up to here twice: x1 < y1
    total = 0.0
    for at in range(len(pos_scores)):
        score = pos_scores[at]
        while (once < size and neg_scores[once] <= score) or (twice < once and neg_scores[twice] < score):
            amount = 1.0
            if twice < once and neg_scores[twice] < score:
                case = twice
                twice += 1
            else:
                case = once
                if twice == once and neg_scores[once] < score:
                    amount = 2.0
                    twice += 1
                once += 1
            if weighted_neg:
                amount *= neg_weight[case]
            node = neg_place[case] + 1
            while node <= size:
                tree[node] += amount
                node += node & -node
        below = 0.0
        node = low[at]
        while node > 0:
            below += tree[node]
            node -= node & -node
        upto = below
        if high[at] != low[at]:
            upto = 0.0
            node = high[at]
            while node > 0:
                upto += tree[node]
                node -= node & -node
        total += (pos_weight[at] if weighted_pos else 1.0) * (below + upto)
    return total
