"""Pairs that two models rank alike: the sum over (negative, positive) of psi_1 psi_2.

2 psi = [x < y] + [x <= y], so four times the sum counts points below points in the plane, with
and without the borders. One sweep over the scores of the first model with a Fenwick tree over
the ranks of the second does it in O(n log n), ties included (spec 101, section 1.1).
"""

from typing import Any

import numpy as np

from demur._kernels.jit import compiled, worth_compiling
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
    first, second = negative
    position = np.empty(len(second.cases), np.int64)
    position[second.cases] = np.arange(len(second.cases))
    low, high = (_by_case(ranks, positive[1].cases) for ranks in insertion_ranks(positive[1], second))
    order = positive[0].cases
    columns: list[Any] = [
        first.scores,
        position[first.cases],
        _weights(negative_weight, first.cases),
        positive[0].scores,
        low[order],
        high[order],
        _weights(positive_weight, order),
        np.zeros(len(first.scores) + 1),
    ]
    size = len(first.scores)
    if worth_compiling((size + len(order)) * size.bit_length()):
        return float(compiled(_sweep)(*columns)) / 4
    return float(_sweep(*(column.tolist() for column in columns))) / 4


def _by_case(ranks: IntArray, cases: IntArray) -> IntArray:
    out = np.empty_like(ranks)
    out[cases] = ranks
    return out


def _weights(weights: FloatArray | None, order: IntArray) -> FloatArray:
    return np.ones(len(order)) if weights is None else weights[order]


def _sweep(
    neg_scores: Any,
    neg_position: Any,
    neg_weight: Any,
    pos_scores: Any,
    pos_low: Any,
    pos_high: Any,
    pos_weight: Any,
    tree: Any,
) -> Any:
    size = len(neg_scores)
    once = 0  # negatives up to here are in the tree at least once: x1 <= y1
    twice = 0  # and up to here twice: x1 < y1
    total = 0.0
    for at in range(len(pos_scores)):
        score = pos_scores[at]
        while (once < size and neg_scores[once] <= score) or (twice < once and neg_scores[twice] < score):
            if twice < once and neg_scores[twice] < score:
                amount = neg_weight[twice]
                node = neg_position[twice] + 1
                twice += 1
            elif twice == once and neg_scores[once] < score:
                amount = 2.0 * neg_weight[once]
                node = neg_position[once] + 1
                once += 1
                twice += 1
            else:
                amount = neg_weight[once]
                node = neg_position[once] + 1
                once += 1
            while node <= size:
                tree[node] += amount
                node += node & -node
        below = 0.0
        node = pos_low[at]
        while node > 0:
            below += tree[node]
            node -= node & -node
        if pos_high[at] == pos_low[at]:
            total += pos_weight[at] * 2.0 * below
            continue
        upto = 0.0
        node = pos_high[at]
        while node > 0:
            upto += tree[node]
            node -= node & -node
        total += pos_weight[at] * (below + upto)
    return total
