"""Two-way tables of pairs, by what the weights of the cases mean.

All nonparametric variances of an AUC are functions of a `TwoWay`. With ``weights="repeats"`` a
weight of 2 is two cases, and the table is that of the repeated rows. With ``weights="importance"``
a case is one case whatever its weight: the mean square of a class is then taken with squared
weights, which makes DeLong's variance the sum of w_i^2 d_i^2 / (sum w)^2 (d_i: placement minus
AUC), and the size of the class is Kish's effective one, (sum w)^2 / sum w^2. Equal weights give the
unweighted table, and multiplying all weights by a constant changes nothing.
"""

from typing import NamedTuple

import numpy as np

from demur._checks import check_weight_meaning
from demur._kernels.placements import TwoWay, counted_table, group_placements, two_way
from demur.counts.scores import ScoreCounts
from demur.exceptions import UndefinedError
from demur.paired.scores import JointScores
from demur.typing import FloatArray

__all__ = ["ModelTables", "single_table"]


class _Side(NamedTuple):
    """One class: weights and squared weights of its cases, and their placements by both."""

    weight: FloatArray
    square: FloatArray
    placement: FloatArray
    square_placement: FloatArray

    @property
    def effective_size(self) -> float:
        """(sum w)^2 / sum w^2 (Kish 1965)."""
        return float(self.weight.sum()) ** 2 / float(self.square.sum())


def _effective_table(negative: _Side, positive: _Side, pair_squares: float | None) -> TwoWay:
    """Table of importance weights; `pair_squares` is the sum of w_i^2 v_j^2 u_ij^2, if asked for."""
    weighted = two_way(negative.placement, positive.placement, negative.weight, positive.weight)
    mean = weighted.estimate
    row = negative.placement / weighted.n_positive - mean
    column = positive.placement / weighted.n_negative - mean
    n, m = negative.effective_size, positive.effective_size
    squares_neg, squares_pos = float(negative.square.sum()), float(positive.square.sum())
    ss_negative = n * float((negative.square * row**2).sum()) / squares_neg
    ss_positive = m * float((positive.square * column**2).sum()) / squares_pos
    if pair_squares is None:
        return TwoWay(n, m, mean, ss_negative, ss_positive, None)
    if abs(mean) == 1 or not (np.any(row) or np.any(column)):
        return TwoWay(n, m, mean, ss_negative, ss_positive, 0.0)
    # sum of w^2 v^2 (u - (row + mean) - column)^2, multiplied out
    shifted = row + mean
    total = pair_squares
    total += squares_pos * float((negative.square * shifted**2).sum())
    total += squares_neg * float((positive.square * column**2).sum())
    total -= 2 * float((negative.square * shifted * negative.square_placement).sum())
    total -= 2 * float((positive.square * column * positive.square_placement).sum())
    total += 2 * float((negative.square * shifted).sum()) * float((positive.square * column).sum())
    within = n * m * max(total, 0.0) / (squares_neg * squares_pos)
    return TwoWay(n, m, mean, ss_negative, ss_positive, within)


def single_table(counts: ScoreCounts, weights: str = "repeats") -> TwoWay:
    """Sums of squares of one model that has cases of both classes."""
    if weights == "repeats":
        _require_whole_cases(counts.n_negative, counts.n_positive)
        return _repeated_table(counts)
    plain, squared = counts.importance("The variance of an AUC")
    if plain is squared:
        return _repeated_table(plain)
    row, column = group_placements(plain.positives, plain.negatives)
    square_row, square_column = group_placements(squared.positives, squared.negatives)
    neg, pos = plain.negatives > 0, plain.positives > 0
    won, tied = squared.pairs
    return _effective_table(
        _Side(plain.negatives[neg], squared.negatives[neg], row[neg], square_row[neg]),
        _Side(plain.positives[pos], squared.positives[pos], column[pos], square_column[pos]),
        won + tied / 4,
    )


def _require_whole_cases(n_negative: float, n_positive: float) -> None:
    """Frequencies below one case in a class say nothing about its spread."""
    for size, word in ((n_negative, "negative"), (n_positive, "positive")):
        if 0 < size < 1:
            raise UndefinedError(
                f"Weights that are repeats need at least 1 {word} case, got a total weight of {size:g}. "
                "Hint: weights='importance' does not depend on the unit of the weights."
            )


def _repeated_table(counts: ScoreCounts) -> TwoWay:
    return counted_table(counts.positives, counts.negatives, counts.pairs)


class _Squared(NamedTuple):
    """What unequal importance weights add: the same cases with squared weights."""

    joint: JointScores
    negative: FloatArray
    positive: FloatArray
    negative_square: FloatArray
    positive_square: FloatArray


class ModelTables:
    """Tables of several models on the same cases, and of their differences.

    Attributes
    ----------
    joint : JointScores
        The scores; without weights where these are equal and mean importance.
    weights : {"importance", "repeats"}
    """

    def __init__(self, joint: JointScores, weights: str = "importance") -> None:
        self.weights = check_weight_meaning(weights)
        self.joint, self._squared = joint, None
        if weights == "repeats":
            _require_whole_cases(joint.n_negative, joint.n_positive)
        else:
            self.joint, self._squared = _importance(joint)

    @property
    def exchangeable(self) -> bool:
        """Whether every weight is a number of cases, which can be exchanged one by one."""
        return self._squared is None and self.joint.whole_cases

    def single(self, model: int) -> TwoWay:
        """Sums of squares of one model."""
        if self._squared is None:
            return self.joint.single_table(model)
        squared = self._squared.joint
        parts = *self.joint.placements(model)[:2], *squared.placements(model)[:2]
        return _weighted_table(self._squared, *parts, squared.joint_wins(model, model))

    def difference(self, a: int, b: int, *, interaction: bool) -> TwoWay:
        """Sums of squares of psi_a - psi_b."""
        if self._squared is None:
            return self.joint.difference_table(a, b, interaction=interaction)
        squared = self._squared.joint
        row, column, square_row, square_column = (
            first - second
            for source in (self.joint, squared)
            for first, second in zip(source.placements(a)[:2], source.placements(b)[:2], strict=True)
        )
        pair_squares = None
        if not (np.any(row) or np.any(column)):
            pair_squares = 0.0  # placements determine the whole table, so the models rank alike
        elif interaction:
            pair_squares = squared.joint_wins(a, a) + squared.joint_wins(b, b) - 2 * squared.joint_wins(a, b)
        return _weighted_table(self._squared, row, column, square_row, square_column, pair_squares)

    def product(self, a: int, b: int, *, interaction: bool) -> TwoWay:
        """Sums of products of psi_a and psi_b: as `single` where a = b, covariances otherwise."""
        if self._squared is None:
            return self.joint.product_table(a, b, interaction=interaction)
        first, second = self.single(a), self.single(b)
        if a == b:
            return first
        gap = self.difference(a, b, interaction=interaction)

        def polarised(name: str) -> float:
            total = getattr(first, name) + getattr(second, name) - getattr(gap, name)
            return float(total) / 2

        return first._replace(
            estimate=first.estimate * second.estimate,
            ss_negative=polarised("ss_negative"),
            ss_positive=polarised("ss_positive"),
            ss_interaction=polarised("ss_interaction") if interaction else None,
        )


def _importance(joint: JointScores) -> tuple[JointScores, _Squared | None]:
    """Scores with weights scaled to at most 1, and with squared ones; no weights if all are equal."""
    if joint.negative_weight is None or joint.positive_weight is None:
        return joint, None
    weights = np.concatenate([joint.negative_weight, joint.positive_weight])
    scores = np.concatenate([joint.negatives, joint.positives], axis=1)
    positive = np.arange(len(weights)) >= len(joint.negative_weight)
    if joint.evidence.get("statistic") == "joint counts":
        if joint.whole_cases:  # cells of a table: numbers of cases of weight 1
            return joint, None
        raise UndefinedError(
            "Importance weights need the weight of every case, got a PairedCounts of sums of weights. "
            "Hint: pass y_true, score_a, score_b and sample_weight; or weights='repeats', if a weight "
            "of 2 means two cases."
        )
    if np.all(weights == weights[0]):
        return JointScores(positive, scores, None, joint.evidence), None
    scaled = np.ldexp(weights, -int(np.frexp(weights.max())[1]))
    squares = scaled**2
    squared = _Squared(
        JointScores(positive, scores, squares),
        scaled[~positive],
        scaled[positive],
        squares[~positive],
        squares[positive],
    )
    return JointScores(positive, scores, scaled, joint.evidence), squared


def _weighted_table(
    squared: _Squared,
    row: FloatArray,
    column: FloatArray,
    square_row: FloatArray,
    square_column: FloatArray,
    pair_squares: float | None,
) -> TwoWay:
    return _effective_table(
        _Side(squared.negative, squared.negative_square, row, square_row),
        _Side(squared.positive, squared.positive_square, column, square_column),
        pair_squares,
    )
