"""Several models on the same cases, judged with one split into folds for all of them.

`cross_fitted_surface` and the paired tests each split anew; with k models that are k + k (k - 1)
times as many rules to learn. One common split serves all single models and all pairs.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from demur._kernels.placements import Ordered
from demur.counts.scores import ScoreCounts
from demur.honest.cross_fitting import CrossFittedSurface, check_sample, fitted_surface
from demur.honest.held_out import ClassRows, JudgedRules, Rows, fold_rows, judge_sorted, judge_with_hindsight
from demur.honest.pairs import JudgedPair, PairedCases
from demur.paired.counts import CASES
from demur.typing import BoolArray, FloatArray

__all__ = ["CommonFolds", "JudgedModel"]


class JudgedModel(NamedTuple):
    """One model judged on the common rows, honestly and with hindsight; positions are by row."""

    counts: ScoreCounts
    scores: FloatArray
    honest: JudgedRules
    honest_position: Any
    hindsight: JudgedRules
    hindsight_position: Any

    def surface(self) -> CrossFittedSurface:
        """Return the cross-fitted surface."""
        return fitted_surface(self.honest, self.hindsight)


@dataclass(frozen=True, slots=True, eq=False)
class CommonFolds:
    """The cases and their split into folds."""

    positive: BoolArray
    rows: Rows
    folds: int
    prevalence: float | None

    @classmethod
    def split(
        cls,
        positive: BoolArray,
        weights: FloatArray | None,
        counts: ScoreCounts,
        *,
        folds: int,
        prevalence: float | None,
        rng: np.random.Generator,
    ) -> "CommonFolds":
        """Split the cases at random, each class evenly; `counts` are those of any of the models."""
        number = check_sample(counts, folds, "a cross-fitted surface")
        sizes = np.ones(len(positive)) if weights is None else weights
        return cls(positive, fold_rows(sizes, positive, number, rng), number, prevalence)

    def judge(
        self, counts: ScoreCounts, scores: FloatArray, orders: tuple[Ordered, Ordered] | None = None
    ) -> JudgedModel:
        """Learn the rules of one model and judge them.

        `orders` are the positives and the negatives ordered by these scores, if somebody has them
        already; only for cases without weights, where row k of a class is its case k.
        """
        ahead = self.positive[self.rows.cell]
        members = [np.flatnonzero(part) for part in (ahead, ~ahead)]
        if orders is None:
            classes = [ClassRows.of(one, scores, self.rows) for one in members]
        else:
            classes = [
                ClassRows.of_sorted(one[order.cases], order.scores, self.rows)
                for one, order in zip(members, orders, strict=True)
            ]
        # half the memory of the usual integers; positions are few
        paid, seen = (np.empty(len(ahead), dtype=np.int32) for _ in range(2))
        honest = judge_sorted(classes, paid, folds=self.folds, prevalence=self.prevalence)
        hindsight = judge_with_hindsight(counts, self.prevalence)
        for one in classes:
            seen[one.rows] = hindsight.tables[0].rule.sorted_positions(one.scores)
        return JudgedModel(counts, scores, honest, paid, hindsight, seen)

    def pair(self, first: JudgedModel, second: JudgedModel) -> PairedCases:
        """Join two judged models."""
        if _rank_alike(first, second):
            second = first  # their thresholds separate the same cases
        ahead, cases = self.positive[self.rows.cell], self.rows.cases
        honest = JudgedPair.join(
            (first.honest, second.honest),
            (first.honest_position, second.honest_position),
            ahead,
            self.rows.fold,
            cases,
        )
        hindsight = JudgedPair.join(
            (first.hindsight, second.hindsight),
            (first.hindsight_position, second.hindsight_position),
            ahead,
            np.zeros(len(ahead), dtype=np.int64),
            cases,
        )
        rate = first.counts.prevalence if self.prevalence is None else self.prevalence
        return PairedCases(honest, hindsight, first.counts.n, rate, self.folds, CASES)


def _rank_alike(first: JudgedModel, second: JudgedModel) -> bool:
    one, two = first.counts.blocks(), second.counts.blocks()
    if not all(np.array_equal(one[k], two[k]) for k in (0, 1)):
        return False  # the ranks decide the blocks
    one_rank, two_rank = (np.unique(model.scores, return_inverse=True)[1] for model in (first, second))
    return np.array_equal(one_rank, two_rank)
