"""Placements: how much of the other class a case outranks, and the sums built on them.

With psi = 1, 1/2 or 0 for a positive above, level with or below a negative, the row sum r_i
of negative i and the column sum c_j of positive j are its placements. Every nonparametric
variance of an AUC, and of a difference of AUCs, is linear in the three sums of squares of the
two-way table u_ij (psi of one model, or the difference of psi of two): Bandos, Rockette and
Gur (2006).

One model: placements per distinct score, from `ScoreCounts`. Several models on the same cases:
the joint data are needed, because the difference is taken case by case; each class of each
model is then ordered once (`ordered`) and every pair of orderings merged.

Pairs that two models rank alike (`joint_wins`): 2 psi = [x < y] + [x <= y], so four times the sum of
psi_1 psi_2 counts points below points in the plane, with and without the borders. One sweep over the scores
of the first model with a Fenwick tree over the ranks of the second does it in O(n log n), ties included.
"""

from typing import Any, NamedTuple

import numpy as np

from demur._kernels.jit import compiled, kernel, run, worth_compiling
from demur._kernels.places import places
from demur._kernels.sweep import order_and_scores
from demur.typing import FloatArray, IntArray

__all__ = [
    "Ordered",
    "TwoWay",
    "counted_table",
    "group_placements",
    "joint_wins",
    "mid_ranks",
    "one_model",
    "ordered",
    "placements",
    "two_way",
]


class Ordered(NamedTuple):
    """Scores of one class under one model, ascending."""

    scores: FloatArray
    cases: IntArray
    """Element k is the case (within its class) that holds the k-th smallest score."""
    below: FloatArray
    """Element k is the weight of the k smallest scores; one element more than there are cases."""


class TwoWay(NamedTuple):
    """Mean and sums of squares of the table u_ij: negatives are rows, positives columns."""

    n_negative: float
    n_positive: float
    estimate: float
    ss_negative: float
    ss_positive: float
    # a number, or None where no one asked: a pair sum, the only part that needs two-dimensional counting
    ss_interaction: Any


def group_placements(positives: FloatArray, negatives: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Placements (r, c) of a negative and of a positive at each distinct score, ascending."""
    pos_upto, neg_upto = np.cumsum(positives), np.cumsum(negatives)
    # the total from the same running sum, so that nothing above means exactly 0
    return pos_upto[-1] - pos_upto + positives / 2, neg_upto - negatives / 2


def ordered(scores: FloatArray, weights: FloatArray | None, numbers: FloatArray | None = None) -> Ordered:
    """Order one class under one model: the only sort of joint data.

    `numbers` are 0, 1, ... up to the number of cases, if somebody keeps them for several models.
    """
    cases, ascending = order_and_scores(scores)
    if weights is None:
        return Ordered(ascending, cases, np.arange(len(scores) + 1.0) if numbers is None else numbers)
    below = np.zeros(len(scores) + 1)
    np.cumsum(weights[cases], out=below[1:])
    return Ordered(ascending, cases, below)


def mid_ranks(own: Ordered) -> FloatArray:
    """Return weighted mid-ranks within the class, in ascending order."""
    starts = np.flatnonzero(np.append(True, own.scores[1:] != own.scores[:-1]))
    ends = np.append(starts[1:], len(own.scores))
    return np.repeat((own.below[starts] + own.below[ends]) / 2, ends - starts)


def placements(negative: Ordered, positive: Ordered) -> tuple[FloatArray, FloatArray, float]:
    """Placements (r, c) case by case, and the weight of tied pairs.

    The two orderings may come from different models, on a common scale.
    """
    row, column = np.empty(len(negative.cases)), np.empty(len(positive.cases))
    if worth_compiling(len(row) + len(column)):
        return row, column, float(compiled(_merge_placements)(*negative, *positive, row, column))
    low, high = (positive.below[rank] for rank in places(positive.scores, negative.scores))
    row[negative.cases] = positive.below[-1] - (low + high) / 2
    tied = float((np.diff(negative.below) * (high - low)).sum())
    low, high = (negative.below[rank] for rank in places(negative.scores, positive.scores))
    column[positive.cases] = (low + high) / 2
    return row, column, tied


@kernel
def _merge_placements(
    neg_scores: Any,
    neg_cases: Any,
    neg_below: Any,
    pos_scores: Any,
    pos_cases: Any,
    pos_below: Any,
    row: Any,
    column: Any,
) -> Any:
    n_neg = len(neg_scores)
    n_pos = len(pos_scores)
    pos_total = pos_below[n_pos]
    at_neg = 0
    at_pos = 0
    tied = 0.0
    while at_neg < n_neg or at_pos < n_pos:
        if at_pos >= n_pos or (at_neg < n_neg and neg_scores[at_neg] < pos_scores[at_pos]):
            # negatives alone, the usual case: no second look at the score
            row[neg_cases[at_neg]] = pos_total - pos_below[at_pos]
            at_neg += 1
            continue
        if at_neg >= n_neg or pos_scores[at_pos] < neg_scores[at_neg]:
            column[pos_cases[at_pos]] = neg_below[at_neg]
            at_pos += 1
            continue
        score = neg_scores[at_neg]
        end_neg = at_neg
        while end_neg < n_neg and neg_scores[end_neg] == score:
            end_neg += 1
        end_pos = at_pos
        while end_pos < n_pos and pos_scores[end_pos] == score:
            end_pos += 1
        above = pos_total - (pos_below[at_pos] + pos_below[end_pos]) / 2
        below = (neg_below[at_neg] + neg_below[end_neg]) / 2
        tied += (neg_below[end_neg] - neg_below[at_neg]) * (pos_below[end_pos] - pos_below[at_pos])
        for k in range(at_neg, end_neg):
            row[neg_cases[k]] = above
        for k in range(at_pos, end_pos):
            column[pos_cases[k]] = below
        at_neg = end_neg
        at_pos = end_pos
    return tied


def two_way(
    row: FloatArray,
    column: FloatArray,
    row_weight: FloatArray | None = None,
    column_weight: FloatArray | None = None,
    *,
    pair_squares: float | None = None,
) -> TwoWay:
    """Sums of squares from placements; `pair_squares` is the weighted sum of u_ij squared."""
    n_row, row_mean, _ = _total_and_mean(row, row_weight)
    n_column, column_mean, column_agrees = _total_and_mean(column, column_weight)
    # Where all placements of a class agree their common value is the mean to the last bit, so
    # that a perfect ranking and constant scores have sums of squares of exactly 0.
    estimate = column_mean / n_row if column_agrees else row_mean / n_column
    # sums of weights in another order may differ in the last bit, and no share is beyond 1
    estimate = min(max(estimate, -1.0), 1.0)
    ss_row = _sum_of_squares(row / n_column, estimate, row_weight)
    ss_column = _sum_of_squares(column / n_row, estimate, column_weight)
    interaction = None
    if pair_squares is not None:
        rest = n_row * n_column * estimate**2 + n_column * ss_row + n_row * ss_column
        # a mean of 1 or -1 leaves no room; elsewhere rounding must not make the rest negative
        interaction = 0.0 if abs(estimate) == 1 else max(pair_squares - rest, 0.0)
    return TwoWay(n_row, n_column, estimate, ss_row, ss_column, interaction)


def one_model(
    row: FloatArray,
    column: FloatArray,
    row_weight: FloatArray | None,
    column_weight: FloatArray | None,
    *,
    pair_squares: float,
) -> TwoWay:
    """Sums of squares of one model.

    If all placements of each class agree, the classes are separated or all cases tied, and
    the whole table is constant: no interaction, where fractional weights would leave noise.
    """
    table = two_way(row, column, row_weight, column_weight, pair_squares=pair_squares)
    if table.ss_negative == 0 and table.ss_positive == 0:
        return table._replace(ss_interaction=0.0)
    return table


def counted_table(positives: FloatArray, negatives: FloatArray, pairs: tuple[float, float]) -> TwoWay:
    """Sums of squares of one model from counts per distinct score, and its (won, tied) pairs."""
    row, column = group_placements(positives, negatives)
    neg, pos = negatives > 0, positives > 0
    won, tied = pairs
    # psi squared is 1/4 for tied pairs
    return one_model(row[neg], column[pos], negatives[neg], positives[pos], pair_squares=won + tied / 4)


def _total_and_mean(values: FloatArray, weights: FloatArray | None) -> tuple[float, float, bool]:
    """Total weight, weighted mean, and whether all values agree."""
    total = float(len(values)) if weights is None else float(weights.sum())
    low = float(values.min())
    if low == values.max():
        return total, low, True
    return total, float(values.sum() if weights is None else (values * weights).sum()) / total, False


def _sum_of_squares(values: FloatArray, mean: float, weights: FloatArray | None) -> float:
    """Weighted squares about the mean; overwrites `values`."""
    values -= mean
    values *= values
    if weights is not None:
        values *= weights
    return float(values.sum())  # pairwise, and without the threads of a matrix library


def joint_wins(
    negative: tuple[Ordered, Ordered],
    positive: tuple[Ordered, Ordered],
    negative_weight: FloatArray | None = None,
    positive_weight: FloatArray | None = None,
) -> float:
    """Sum of psi_1 psi_2 over all pairs; each argument holds one class under both models."""
    low, high = places(negative[1].scores, positive[1].scores)
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
    return float(run(_sweep, (size + len(low)) * size.bit_length(), columns)) / 4


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
