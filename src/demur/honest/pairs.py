"""Two models scored on the same cases: joint counts, common folds, sums of products of losses."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from demur._kernels.jit import compiled, worth_compiling
from demur.counts.scores import ScoreCounts
from demur.honest.cross_fitting import check_sample
from demur.honest.held_out import (
    ForecastScores,
    JudgedRules,
    Prices,
    Rows,
    fold_rows,
    judge,
    judge_with_hindsight,
    without_rounding,
)
from demur.honest.multiplier import slot_offsets
from demur.paired.counts import PairedCounts, as_paired_rows
from demur.typing import ArrayLike, FloatArray, IntArray, Labels

__all__ = ["JudgedPair", "PairedCases", "paired_cases"]


# A table of all pairs of positions is faster than sorting the pairs while it is this small.
_DENSE_PER_ROW = 16
# Cumulative tables of at most this many numbers together are kept for the next question.
_MOST_KEPT = 2**24


class _Cells(NamedTuple):
    """Distinct (label, score of a, score of b) with the number of cases of each."""

    first: IntArray
    second: IntArray
    positive: Any
    sizes: FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class JudgedPair:
    """Two sets of rules judged on the same cases.

    `first_slot`, `second_slot` and `sizes` list the groups of cases that share class, fold and
    both positions; slots are numbered as in `multiplier`.
    """

    first: JudgedRules
    second: JudgedRules
    first_slot: IntArray
    second_slot: IntArray
    sizes: FloatArray
    _tables: list[FloatArray] = field(default_factory=list)

    @classmethod
    def join(
        cls,
        rules: tuple[JudgedRules, JudgedRules],
        positions: tuple[IntArray, IntArray],
        positive: Any,
        fold: IntArray,
        cases: FloatArray,
    ) -> "JudgedPair":
        """Group rows (class, fold, two positions) of so many `cases` each."""
        starts = [np.concatenate(slot_offsets(one)) for one in rules]
        width = np.diff(starts[1])
        offsets = np.concatenate([[0], np.cumsum(np.diff(starts[0]) * width)])
        if offsets[-1] <= _DENSE_PER_ROW * len(fold) and worth_compiling(len(fold)):
            every = np.zeros(offsets[-1])
            compiled(_count_pairs)(positive, fold, *positions, cases, offsets, width, every)
            key = np.flatnonzero(every)
            sizes = every[key]
        else:
            segment = np.where(positive, fold, fold + len(rules[0].tables))
            key = offsets[segment] + positions[0] * width[segment] + positions[1]
            key, inverse = np.unique(key, return_inverse=True)
            sizes = np.bincount(inverse, cases).astype(np.float64)
        segment = np.repeat(np.arange(len(width)), np.diff(np.searchsorted(key, offsets)))
        first, second = np.divmod(key - offsets[segment], width[segment])
        return cls(*rules, starts[0][segment] + first, starts[1][segment] + second, sizes)

    def difference_and_error(self, prices: Prices) -> tuple[FloatArray, FloatArray]:
        """Mean of (loss of the first - loss of the second) and its standard error."""
        (one, one_squared), (two, two_squared) = (
            rules.loss_sums(prices) for rules in (self.first, self.second)
        )
        products = self._product_sums(prices)
        sums = one[0] - two[0], one[1] - two[1]
        spread = []
        for ahead, behind, product in zip(one_squared, two_squared, products, strict=True):
            spread.append(without_rounding(ahead + behind - 2 * product, ahead + behind))
        w = self.first.weighting
        return w.mean(*sums), w.standard_error(sums, (spread[0], spread[1]))

    def _product_sums(self, prices: Prices) -> tuple[FloatArray, FloatArray]:
        """Sums over each class of (loss of the first) x (loss of the second), exactly.

        A loss is a sum of two steps in the position, so a product of losses is four look-ups
        in the two-way cumulative table of positions.
        """
        found = np.zeros((2, *prices.miss.shape))
        abstain = prices.abstaining
        steps = ((prices.miss - abstain, abstain), (abstain, prices.alarm - abstain))
        folds = len(self.first.tables)
        for segment, joint in enumerate(self.cumulative_tables()):
            index, fold = divmod(segment, folds)
            at = [rules.tables[fold].rule.limits(prices) for rules in (self.first, self.second)]
            for k in (0, 1):
                for m in (0, 1):
                    both = joint[at[0][k], at[1][m]]
                    if index == 1:  # a negative pays at or above a limit
                        both = joint[-1, -1] - joint[at[0][k], -1] - joint[-1, at[1][m]] + both
                    found[index] += steps[index][k] * steps[index][m] * both
        return found[0], found[1]

    def _cumulative(self, segment: int, starts: list[IntArray]) -> FloatArray:
        (a0, a1), (b0, b1) = ((start[segment], start[segment + 1]) for start in starts)
        part = slice(*np.searchsorted(self.first_slot, [a0, a1]))
        rows, columns = a1 - a0 + 1, b1 - b0 + 1
        if worth_compiling(rows * columns):
            counted = np.zeros((rows, columns))
            compiled(_cumulate)(
                self.first_slot[part], self.second_slot[part], self.sizes[part], a0, b0, counted
            )
            return counted
        where = (self.first_slot[part] - a0 + 1) * columns + self.second_slot[part] - b0 + 1
        table = np.bincount(where, self.sizes[part], rows * columns).reshape(rows, columns)
        running: FloatArray = table.astype(np.float64, copy=False)
        np.cumsum(running, axis=0, out=running)
        return np.cumsum(running, axis=1, out=running)

    def cumulative_tables(self) -> Iterator[FloatArray]:
        """Yield, per class and fold, the cases among the first x and first y positions as element [x, y]."""
        starts = [np.concatenate(slot_offsets(rules)) for rules in (self.first, self.second)]
        segments = range(2 * len(self.first.tables))
        if not self._tables and int(np.diff(starts[0]) @ np.diff(starts[1])) <= _MOST_KEPT:
            self._tables.extend(self._cumulative(segment, starts) for segment in segments)
        yield from self._tables or (self._cumulative(segment, starts) for segment in segments)

    def score_difference_and_error(self, scores: ForecastScores) -> tuple[float, float]:
        """Mean difference of a proper score of the forecasts, and its standard error."""
        per_slot = [np.concatenate(rules.slot_scores(scores)) for rules in (self.first, self.second)]
        gap = per_slot[0][self.first_slot] - per_slot[1][self.second_slot]
        # slots ascend by class; no dot products: waking the threads of BLAS costs more than the sum
        behind = np.searchsorted(self.first_slot, slot_offsets(self.first)[1][0])
        weighted = self.sizes * gap
        sums = [weighted[:behind].sum(), weighted[behind:].sum()]
        weighted *= gap
        squares = [weighted[:behind].sum(), weighted[behind:].sum()]
        w = self.first.weighting
        return float(w.mean(*sums)), float(w.standard_error((sums[0], sums[1]), (squares[0], squares[1])))


def _count_pairs(
    positive: Any, fold: Any, first: Any, second: Any, cases: Any, offsets: Any, width: Any, out: Any
) -> None:
    folds = len(width) // 2
    for row in range(len(fold)):
        segment = fold[row] if positive[row] else fold[row] + folds
        out[offsets[segment] + first[row] * width[segment] + second[row]] += cases[row]


def _cumulate(first: Any, second: Any, sizes: Any, first_start: Any, second_start: Any, out: Any) -> None:
    for group in range(len(sizes)):
        out[first[group] - first_start + 1, second[group] - second_start + 1] += sizes[group]
    for x in range(1, out.shape[0]):
        running = 0.0
        for y in range(1, out.shape[1]):
            running += out[x, y]
            out[x, y] = out[x - 1, y] + running


@dataclass(frozen=True, slots=True, eq=False)
class PairedCases:
    """The same cases judged by both models: honestly (common folds) and with hindsight."""

    honest: JudgedPair
    hindsight: JudgedPair
    n: float
    prevalence: float
    folds: int
    evidence: dict[str, Any]


def paired_cases(
    y_true: Labels | PairedCounts,
    score_a: ArrayLike | None = None,
    score_b: ArrayLike | None = None,
    *,
    pos_label: Any,
    sample_weight: ArrayLike | None,
    prevalence: float | None,
    folds: Any,
    rng: np.random.Generator,
    quantity: str,
) -> PairedCases:
    """Check the joint data, split them and judge both models."""
    given = as_paired_rows(y_true, score_a, score_b, pos_label=pos_label, sample_weight=sample_weight)
    positive, scores, weights = given.positive, (given.score_a, given.score_b), given.weights
    counts = [ScoreCounts.from_arrays(positive, one, sample_weight=weights) for one in scores]
    number = check_sample(counts[0], folds, quantity)
    cells = _cells(counts, positive, scores, weights)
    if np.array_equal(cells.first, cells.second):
        # scores in one order are one model: their thresholds separate the same cases
        counts[1] = counts[0]
    rows = fold_rows(cells.sizes, cells.positive, number, rng)
    honest = _judge_both(counts, cells, rows, folds=number, prevalence=prevalence)
    hindsight = _judge_both_with_hindsight(counts, cells, prevalence)
    rate = counts[0].prevalence if prevalence is None else float(prevalence)
    return PairedCases(honest, hindsight, counts[0].n, rate, number, given.evidence)


def _cells(
    counts: list[ScoreCounts],
    positive: Any,
    scores: tuple[FloatArray, FloatArray],
    weights: FloatArray | None,
) -> _Cells:
    """Count the joint cells; the order of the cases is gone afterwards."""
    if weights is not None:
        keep = weights > 0
        positive, scores, weights = positive[keep], (scores[0][keep], scores[1][keep]), weights[keep]
    group = [np.searchsorted(one.scores, score) for one, score in zip(counts, scores, strict=True)]
    width = len(counts[1].scores)
    key, inverse = np.unique((group[0] * width + group[1]) * 2 + positive, return_inverse=True)
    sizes = np.bincount(inverse, weights).astype(np.float64)
    return _Cells(key // 2 // width, key // 2 % width, key % 2 == 1, sizes)


def _judge_both(
    counts: list[ScoreCounts], cells: _Cells, rows: Rows, *, folds: int, prevalence: float | None
) -> JudgedPair:
    judged = [
        judge(one.scores[group], cells.positive, rows, folds=folds, prevalence=prevalence)
        for one, group in zip(counts, cells[:2], strict=True)
    ]
    (first, at_first), (second, at_second) = judged
    positive = cells.positive[rows.cell]
    return JudgedPair.join((first, second), (at_first, at_second), positive, rows.fold, rows.cases)


def _judge_both_with_hindsight(
    counts: list[ScoreCounts], cells: _Cells, prevalence: float | None
) -> JudgedPair:
    first, second = (judge_with_hindsight(one, prevalence) for one in counts)
    at_first, at_second = (
        rules.tables[0].rule.positions(one.scores[group])
        for rules, one, group in zip((first, second), counts, cells[:2], strict=True)
    )
    fold = np.zeros(len(cells.sizes), dtype=np.int64)
    return JudgedPair.join((first, second), (at_first, at_second), cells.positive, fold, cells.sizes)
