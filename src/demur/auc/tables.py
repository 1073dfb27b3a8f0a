"""Two-way tables of pairs, by what the weights of the cases mean.

All nonparametric variances of an AUC are functions of a `TwoWay`. With ``weights="repeats"`` a
weight of 2 is two cases, and the table is that of the repeated rows. With ``weights="importance"``
a case is one case whatever its weight: the mean square of a class is then taken with squared
weights, which makes DeLong's variance the sum of w_i^2 d_i^2 / (sum w)^2 (d_i: placement minus
AUC), and the size of the class is Kish's effective one, (sum w)^2 / sum w^2. Equal weights give the
unweighted table, and multiplying all weights by a constant changes nothing. Where cases come in clusters,
weights of either meaning enter the sums over each cluster.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from demur._checks import check_weight_meaning
from demur._kernels.auc_variances import newcombe_interval, widened_interval
from demur._kernels.normal import normal_quantile
from demur._kernels.placements import TwoWay, counted_table, group_placements, one_model, two_way
from demur.counts.scores import ScoreCounts
from demur.exceptions import UndefinedError
from demur.paired.scores import JointScores
from demur.typing import FloatArray

__all__ = ["ClusteredAuc", "ModelTables", "single_table"]


# one class: weights and squared weights of its cases, and their placements by both
_Side = tuple[FloatArray, FloatArray, FloatArray, FloatArray]


def _effective_table(negative: _Side, positive: _Side, pair_squares: float | None) -> TwoWay:
    """Table of importance weights; `pair_squares` is the sum of w_i^2 v_j^2 u_ij^2, if asked for."""
    (neg, neg_square, rows, square_rows), (pos, pos_square, columns, square_columns) = negative, positive
    weighted = two_way(rows, columns, neg, pos)
    mean = weighted.estimate
    row, column = rows / weighted.n_positive - mean, columns / weighted.n_negative - mean
    squares_neg, squares_pos = float(neg_square.sum()), float(pos_square.sum())
    # effective sizes (sum w)^2 / sum w^2 (Kish 1965)
    n, m = float(neg.sum()) ** 2 / squares_neg, float(pos.sum()) ** 2 / squares_pos
    ss_negative = n * float((neg_square * row**2).sum()) / squares_neg
    ss_positive = m * float((pos_square * column**2).sum()) / squares_pos
    within = None if pair_squares is None else 0.0
    if pair_squares is not None and abs(mean) != 1 and (np.any(row) or np.any(column)):
        # sum of w^2 v^2 (u - (row + mean) - column)^2, multiplied out
        shifted = row + mean
        total = (
            pair_squares
            + squares_pos * float((neg_square * shifted**2).sum())
            + squares_neg * float((pos_square * column**2).sum())
            - 2 * float((neg_square * shifted * square_rows).sum())
            - 2 * float((pos_square * column * square_columns).sum())
            + 2 * float((neg_square * shifted).sum()) * float((pos_square * column).sum())
        )
        within = n * m * max(total, 0.0) / (squares_neg * squares_pos)
    return TwoWay(n, m, mean, ss_negative, ss_positive, within)


def single_table(counts: ScoreCounts, weights: str = "repeats") -> TwoWay:
    """Sums of squares of one model that has cases of both classes."""
    if weights == "repeats":
        _require_whole_cases(counts.n_negative, counts.n_positive)
        plain = squared = counts
    else:
        plain, squared = counts.importance("The variance of an AUC")
    if plain is squared:
        return counted_table(plain.positives, plain.negatives, plain.pairs)
    row, column = group_placements(plain.positives, plain.negatives)
    square_row, square_column = group_placements(squared.positives, squared.negatives)
    neg, pos = plain.negatives > 0, plain.positives > 0
    won, tied = squared.pairs
    return _effective_table(
        (plain.negatives[neg], squared.negatives[neg], row[neg], square_row[neg]),
        (plain.positives[pos], squared.positives[pos], column[pos], square_column[pos]),
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


class ClusteredAuc(NamedTuple):
    """An AUC, or a difference, of cases in clusters; clusters and cases are those of each class."""

    estimate: float
    variance: float
    clusters: tuple[int, int]
    sizes: tuple[float, float]

    @property
    def df(self) -> float:
        """Degrees of freedom of the t law: of the class that is in fewer clusters."""
        return min(self.clusters) - 1.0

    def limits(self, level: float) -> tuple[float, float]:
        """Return the score interval of one AUC; Newcombe's of the clusters where nothing varies."""
        if self.variance == 0 or self.estimate in (0.0, 1.0):
            return newcombe_interval(self.estimate, *self.clusters, normal_quantile(level))
        return widened_interval(self.estimate, self.sizes, self.variance, self.df, level)


class ModelTables:
    """Tables of several models on the same cases, and of their differences.

    Attributes
    ----------
    joint : JointScores
        The scores; without weights where these are equal and mean importance.
    """

    def __init__(self, joint: JointScores, weights: str = "importance") -> None:
        check_weight_meaning(weights)
        self.joint = joint
        # the same cases with squared weights, where importance weights differ
        self._squared: JointScores | None = None
        self._singles: dict[int, TwoWay] = {}
        if weights == "repeats":
            _require_whole_cases(joint.n_negative, joint.n_positive)
        elif joint.negative_weight is None or joint.positive_weight is None:
            return
        elif joint.evidence.get("statistic") != "joint counts":
            of_cases = np.concatenate([joint.negative_weight, joint.positive_weight])
            scores = np.concatenate([joint.negatives, joint.positives], axis=1)
            positive = np.arange(len(of_cases)) >= len(joint.negative_weight)
            cluster = None if joint.clusters is None else np.concatenate(joint.clusters)
            if np.all(of_cases == of_cases[0]):
                self.joint = JointScores(positive, scores, None, joint.evidence, cluster=cluster)
                return
            scaled = np.ldexp(of_cases, -int(np.frexp(of_cases.max())[1]))
            self.joint = JointScores(positive, scores, scaled, joint.evidence, cluster=cluster)
            self._squared = JointScores(positive, scores, scaled**2)
        elif not joint.whole_cases:  # cells of a table: numbers of cases of weight 1
            raise UndefinedError(
                "Importance weights need the weight of every case, got a PairedCounts of sums of weights. "
                "Hint: pass y_true, score_a, score_b and sample_weight; or weights='repeats', if a weight "
                "of 2 means two cases."
            )

    @property
    def exchangeable(self) -> bool:
        """Whether every weight is a number of cases, which can be exchanged one by one."""
        return self._squared is None and self.joint.whole_cases

    def single(self, model: int) -> TwoWay:
        """Sums of squares of one model."""
        if model not in self._singles:
            parts = list(self.joint.placements(model)[:2])
            if self._squared is not None:
                parts += self._squared.placements(model)[:2]
            squares = (self._squared or self.joint).joint_wins(model, model)
            self._singles[model] = self._table(one_model, parts, squares)
        return self._singles[model]

    def difference(self, a: int, b: int, *, interaction: bool) -> TwoWay:
        """Sums of squares of psi_a - psi_b."""
        parts = [
            first - second
            for source in ([self.joint] if self._squared is None else [self.joint, self._squared])
            for first, second in zip(source.placements(a)[:2], source.placements(b)[:2], strict=True)
        ]
        squares, wins = None, (self._squared or self.joint).joint_wins
        if not (np.any(parts[0]) or np.any(parts[1])):
            squares = 0.0  # placements determine the whole table, so the models rank alike
        elif interaction:
            squares = wins(a, a) + wins(b, b) - 2 * wins(a, b)
        return self._table(two_way, parts, squares)

    def _table(
        self, plain_table: Callable[..., TwoWay], parts: Sequence[FloatArray], pair_squares: float | None
    ) -> TwoWay:
        """Sum up placements by row and column, by `plain_table` where every weight is a number of cases."""
        plain: Any = self.joint
        squared: Any = self._squared
        if squared is None:
            return plain_table(
                *parts, plain.negative_weight, plain.positive_weight, pair_squares=pair_squares
            )
        row, column, square_row, square_column = parts
        return _effective_table(
            (plain.negative_weight, squared.negative_weight, row, square_row),
            (plain.positive_weight, squared.positive_weight, column, square_column),
            pair_squares,
        )

    def clustered(self, a: int, b: int | None = None) -> ClusteredAuc:
        """Sum up the AUC of a model, or its difference to that of another, by cluster (Obuchowski 1997)."""
        joint, clusters = self.joint, self.joint.clusters
        assert clusters is not None
        inside = [np.unique(codes) for codes in clusters]
        members = len(inside[0]), len(inside[1])
        for held, word in zip(members, ("negative", "positive"), strict=True):
            if held < 2:
                raise UndefinedError(
                    f"The clustered variance needs {word} cases in at least 2 clusters, got {held}. "
                    "Hint: without clusters, auc_variance(method='bootstrap') is defined."
                )
        table, gaps = self.single(a), joint.placements(a)[:2]
        if b is not None:
            table, other = self.difference(a, b, interaction=False), joint.placements(b)
            gaps = gaps[0] - other[0], gaps[1] - other[1]
        sizes, number = (joint.n_negative, joint.n_positive), int(max(map(np.max, clusters))) + 1
        sums = []
        for k, weight in enumerate((joint.negative_weight, joint.positive_weight)):
            deviation = gaps[k] / sizes[1 - k] - table.estimate
            weighted = deviation if weight is None else weight * deviation
            sums.append(np.bincount(clusters[k], weighted, number) / sizes[k])
        every = len(np.union1d(*inside))
        within = sum(k / (k - 1) * float((d * d).sum()) for k, d in zip(members, sums, strict=True))
        # never below 0 but for rounding: the factor of the products is the smallest of the three
        variance = max(within + 2 * every / (every - 1) * float((sums[0] * sums[1]).sum()), 0.0)
        return ClusteredAuc(table.estimate, variance, members, (table.n_negative, table.n_positive))
