"""`JointScores`: several models scoring the same cases, the evidence of paired comparisons.

`ScoreCounts` is enough for one model, but not for a difference: what matters there is how the
models rank the same pair of cases. Each class of each model is ordered once, and everything is
built from merging these orderings.
"""

from collections.abc import Sequence
from copy import copy
from functools import cached_property
from typing import Any

import numpy as np

from demur._checks import (
    check_both_classes,
    check_columns,
    check_groups,
    check_labels,
    check_left_out,
    check_same_length,
    check_weights,
    input_error,
)
from demur._kernels.placements import (
    Ordered,
    joint_wins,
    mid_ranks,
    ordered,
    placements,
)
from demur.paired.counts import CASES, PairedCounts, as_paired_rows
from demur.typing import ArrayLike, BoolArray, FloatArray, IntArray, Labels

__all__ = ["JointScores"]


class JointScores:
    """Scores of k models on the same cases; weights are frequencies.

    Attributes
    ----------
    negatives, positives : array of shape (k, cases of the class)
        The scores split by class, once somebody asks for them.
    negative_weight, positive_weight : array or None
    n_negative, n_positive : float
        Weight of each class.
    clusters : pair of arrays, or None
        Cluster of every negative and of every positive, where cases are not independent.
    evidence : dict
        What the scores were read from: cases, or joint counts.
    """

    def __init__(
        self,
        positive: BoolArray,
        scores: Sequence[FloatArray] | FloatArray,
        weights: FloatArray | None,
        evidence: dict[str, Any] | None = None,
        *,
        cluster: IntArray | None = None,
        both_classes: str | None = None,
    ) -> None:
        if weights is not None and not weights.all():
            kept = weights > 0
            positive, scores, weights = positive[kept], [column[kept] for column in scores], weights[kept]
            cluster = None if cluster is None else cluster[kept]
        self._scores = scores
        self.clusters = None if cluster is None else (cluster[~positive], cluster[positive])
        self._members = {kind: np.flatnonzero(positive == kind) for kind in (True, False)}
        if both_classes is not None:
            check_both_classes(len(self._members[True]), len(self._members[False]), both_classes)
        self.negative_weight = None if weights is None else weights[~positive]
        self.positive_weight = None if weights is None else weights[positive]
        self.n_negative, self.n_positive = (
            float(len(self._members[kind]) if own is None else own.sum())
            for kind, own in ((False, self.negative_weight), (True, self.positive_weight))
        )
        self.evidence = CASES if evidence is None else evidence
        # what is below a score where every case counts once: the same for all models
        self._numbers = {kind: np.arange(len(rows) + 1.0) for kind, rows in self._members.items()}
        self._orders: dict[int, tuple[Ordered, Ordered]] = {}
        self._placements: dict[tuple[int, int], tuple[FloatArray, FloatArray, float]] = {}

    @classmethod
    def of_two(
        cls,
        y_true: Labels | PairedCounts,
        score_a: ArrayLike | None = None,
        score_b: ArrayLike | None = None,
        *,
        quantity: str,
        pos_label: Any = None,
        sample_weight: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        cells: bool = False,
    ) -> "JointScores":
        """Check and join the scores of two models; `quantity` opens the error sentence.

        `cells`: whether the caller can take joint counts instead of rows.
        """
        if isinstance(y_true, PairedCounts):
            check_left_out("a PairedCounts", groups=groups)
        if isinstance(y_true, PairedCounts) and not cells:
            raise input_error(
                "y_true",
                f"must hold one label per case: {quantity[0].lower()}{quantity[1:]} draws single cases",
                "a PairedCounts",
                "pass y_true, score_a and score_b; auc_difference_test takes joint counts.",
            )
        rows = as_paired_rows(y_true, score_a, score_b, pos_label=pos_label, sample_weight=sample_weight)
        return cls(
            rows.positive,
            np.stack([rows.score_a, rows.score_b]),
            rows.weights,
            rows.evidence,
            cluster=check_groups(groups, len(rows.positive)),
            both_classes=quantity,
        )

    @classmethod
    def of_columns(
        cls,
        y_true: Labels,
        scores: ArrayLike,
        *,
        quantity: str,
        pos_label: Any = None,
        sample_weight: ArrayLike | None = None,
    ) -> "JointScores":
        """Check and join one column of scores per model."""
        columns = check_columns(scores, "scores")
        positive = check_labels(y_true, pos_label)
        weights = check_weights(sample_weight)
        check_same_length(y_true=positive, scores=columns, sample_weight=weights)
        return cls(positive, np.ascontiguousarray(columns.T), weights, both_classes=quantity)

    @cached_property
    def negatives(self) -> FloatArray:
        """Scores of the negatives, a row per model."""
        return np.stack([column[self._members[False]] for column in self._scores])

    @cached_property
    def positives(self) -> FloatArray:
        """Scores of the positives, a row per model."""
        return np.stack([column[self._members[True]] for column in self._scores])

    @property
    def n_models(self) -> int:
        """Number of models."""
        return len(self._scores)

    @property
    def whole_cases(self) -> bool:
        """Whether all weights are whole numbers, so that weighted cases are repeated ones."""
        weights = [w for w in (self.negative_weight, self.positive_weight) if w is not None]
        return not any(np.any(weight % 1) for weight in weights)

    def orders(self, model: int) -> tuple[Ordered, Ordered]:
        """Order the positives and the negatives by the scores of one model, once for all questions."""
        if model not in self._orders:
            positive, negative = (
                ordered(self._scores[model][self._members[kind]], weights, self._numbers[kind])
                for kind, weights in ((True, self.positive_weight), (False, self.negative_weight))
            )
            self._orders[model] = positive, negative
        return self._orders[model]

    def placements(self, a: int, b: int | None = None) -> tuple[FloatArray, FloatArray, float]:
        """Placements of the negatives of model `a` among the positives of `b`, and back."""
        key = a, a if b is None else b
        if key not in self._placements:
            self._placements[key] = placements(self.orders(key[0])[1], self.orders(key[1])[0])
        return self._placements[key]

    def in_ranks(self, *models: int) -> "JointScores":
        """Replace the scores of the models by their mid-ranks over both classes; nothing is sorted again."""
        made, n_cases = copy(self), sum(map(len, self._members.values()))
        for split in ("negatives", "positives"):
            made.__dict__.pop(split, None)
        columns = [np.empty(n_cases) for _ in models]
        made._scores, made._orders, made._placements = columns, {}, {}
        for at, model in enumerate(models):
            above, below, _ = self.placements(model)
            # row sums count the positives above a negative, column sums the negatives below a positive
            ranked = []
            for own, kind, below_others in zip(
                self.orders(model), (True, False), (below, self.n_positive - above), strict=True
            ):
                ranks = mid_ranks(own) + below_others[own.cases]
                columns[at][self._members[kind][own.cases]] = ranks
                ranked.append(own._replace(scores=ranks))
            made._orders[at] = ranked[0], ranked[1]
        return made

    def joint_wins(self, a: int, b: int) -> float:
        """Sum of psi_a psi_b over all pairs."""
        if a == b:
            row, _, tied = self.placements(a)
            won = float(row.sum() if self.negative_weight is None else (row * self.negative_weight).sum())
            return won - tied / 4  # psi squared is 1/4 for tied pairs, which count 1/2 among the wins
        positive, negative = zip(self.orders(a), self.orders(b), strict=True)
        return joint_wins(negative, positive, self.negative_weight, self.positive_weight)

    def permutation_terms(self, a: int, b: int) -> IntArray:
        """Integers 4 N M a_k whose sum with random signs is 4 N M times the permuted difference.

        Bandos, Rockette and Gur (2006), eq. 8, sharpened: not only the variance but the whole law
        follows from four placements. Cases of whole weight give as many terms.
        """
        (row_a, column_a, _), (row_b, column_b, _) = self.placements(a), self.placements(b)
        (row_ab, column_ab, _), (row_ba, column_ba, _) = self.placements(a, b), self.placements(b, a)
        terms = np.empty(len(row_a) + len(column_a), np.int64)
        terms[: len(row_a)] = 2 * (row_a + row_ab - row_b - row_ba)
        terms[len(row_a) :] = 2 * (column_a + column_ba - column_b - column_ab)
        if self.negative_weight is None or self.positive_weight is None:
            return terms
        # equal cases have equal placements, so one look serves all of them
        return np.repeat(terms, np.concatenate([self.negative_weight, self.positive_weight]).astype(np.int64))
