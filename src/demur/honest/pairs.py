"""Two models judged on the same cases and splits: joint tables, sums of products of losses."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from demur._kernels.jit import compiled, kernel, worth_compiling
from demur.honest.cases import JudgedModel, SplitCases
from demur.honest.held_out import ForecastScores, JudgedRules
from demur.honest.intervals import ROUNDING
from demur.honest.rules import PricePoints
from demur.paired.counts import CASES, PairedCounts, as_paired_rows
from demur.typing import ArrayLike, FloatArray, IntArray, Labels

__all__ = ["JudgedPair", "PairedCases", "judged_pair", "paired_cases"]


# A table of all pairs of positions is faster than sorting the pairs while it is this small.
_DENSE_PER_ROW = 16
# Cumulative tables of at most this many numbers together are kept for the next question.
_MOST_KEPT = 2**24


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
        """Group rows by class, fold and both positions; `cases` is the number of cases of each row."""
        starts = [np.concatenate(one.slot_offsets()) for one in rules]
        width = np.diff(starts[1])
        offsets = np.concatenate([[0], np.cumsum(np.diff(starts[0]) * width)])
        if offsets[-1] <= _DENSE_PER_ROW * len(fold) and worth_compiling(len(fold)):
            every = np.zeros(offsets[-1])
            compiled(_count_pairs)(positive, fold, *positions, cases, offsets, width, every)
            groups = np.count_nonzero(every)
            first, second = np.empty((2, groups), dtype=np.int64)
            sizes = np.empty(groups)
            compiled(_list_pairs)(every, offsets, width, *starts, first, second, sizes)
            return cls(*rules, first, second, sizes)
        segment = np.where(positive, fold, fold + len(rules[0].tables))
        key = offsets[segment] + positions[0] * width[segment] + positions[1]
        key, inverse = np.unique(key, return_inverse=True)
        sizes = np.bincount(inverse, cases).astype(np.float64)
        segment = np.repeat(np.arange(len(width)), np.diff(np.searchsorted(key, offsets)))
        first, second = np.divmod(key - offsets[segment], width[segment])
        return cls(*rules, starts[0][segment] + first, starts[1][segment] + second, sizes)

    def difference_and_error(self, prices: PricePoints) -> tuple[FloatArray, FloatArray]:
        """Mean of (loss of the first - loss of the second) and its standard error."""
        models = (rules.interval_sums(prices) for rules in (self.first, self.second))
        sums, spreads = [], []
        for one, two, product in zip(*models, self._product_sums(prices), strict=True):
            sums.append(one.total - two.total)
            # 0 where the difference of sums is rounding or below
            scale = one.squares + two.squares
            gap = scale - 2 * product
            spreads.append(np.where(gap > ROUNDING * scale, gap, 0.0))
        return self.first.weighting.mean_and_error(sums, spreads)

    def _product_sums(self, prices: PricePoints) -> tuple[FloatArray, FloatArray]:
        """Sums over each class of (loss of the first) x (loss of the second), exactly.

        A loss is a sum of two steps in the position, so a product of losses is four look-ups
        in the two-way cumulative table of positions.
        """
        products = np.zeros((2, *prices.miss.shape))
        review_positive, review_negative = prices.by_class
        steps = (
            (prices.miss - review_positive, review_positive),
            (review_negative, prices.alarm - review_negative),
        )
        folds, cuts = len(self.first.tables), prices.share_cuts()
        for segment, joint in enumerate(self.cumulative_tables()):
            index, fold = divmod(segment, folds)
            at = [rules.tables[fold].rule.limits(cuts) for rules in (self.first, self.second)]
            for k in (0, 1):
                for m in (0, 1):
                    both = joint[at[0][k], at[1][m]]
                    if index == 1:  # a negative pays at or above a limit
                        both = joint[-1, -1] - joint[at[0][k], -1] - joint[-1, at[1][m]] + both
                    products[index] += steps[index][k] * steps[index][m] * both
        return products[0], products[1]

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
        # in the order of the compiled loop, so that fractions of cases round alike
        np.cumsum(running, axis=1, out=running)
        return np.cumsum(running, axis=0, out=running)

    def cumulative_tables(self) -> Iterator[FloatArray]:
        """Yield, per class and fold, the cases among the first x and first y positions as element [x, y]."""
        starts = [np.concatenate(rules.slot_offsets()) for rules in (self.first, self.second)]
        segments = range(2 * len(self.first.tables))
        if not self._tables and int(np.diff(starts[0]) @ np.diff(starts[1])) <= _MOST_KEPT:
            self._tables.extend(self._cumulative(segment, starts) for segment in segments)
        yield from self._tables or (self._cumulative(segment, starts) for segment in segments)

    def score_difference_and_error(self, scores: ForecastScores) -> tuple[float, float]:
        """Mean difference of a proper score of the forecasts, and its standard error."""
        per_slot = [np.concatenate(rules.slot_scores(scores)) for rules in (self.first, self.second)]
        gap = per_slot[0][self.first_slot] - per_slot[1][self.second_slot]
        # slots ascend by class; no dot products: waking the threads of BLAS costs more than the sum
        negatives = np.searchsorted(self.first_slot, self.first.slot_offsets()[1][0])
        sums, squares = (
            [part[:negatives].sum(), part[negatives:].sum()]
            for part in (self.sizes * gap, self.sizes * gap * gap)
        )
        mean, error = self.first.weighting.mean_and_error(sums, squares)
        return float(mean), float(error)


@kernel
def _count_pairs(
    positive: Any, fold: Any, first: Any, second: Any, cases: Any, offsets: Any, width: Any, out: Any
) -> None:
    """Add the cases of every pair of positions to a table of all of them."""
    folds = len(width) // 2
    for row in range(len(fold)):
        segment = fold[row] if positive[row] else fold[row] + folds
        out[offsets[segment] + first[row] * width[segment] + second[row]] += cases[row]


@kernel
def _list_pairs(
    table: Any,
    offsets: Any,
    width: Any,
    first_start: Any,
    second_start: Any,
    first: Any,
    second: Any,
    sizes: Any,
) -> None:
    """List the slots and sizes of the pairs of positions that have cases, in the order of the table."""
    group = 0
    for segment in range(len(width)):
        at = offsets[segment]
        for x in range((offsets[segment + 1] - at) // max(width[segment], 1)):
            for y in range(width[segment]):
                if table[at] != 0.0:
                    first[group] = first_start[segment] + x
                    second[group] = second_start[segment] + y
                    sizes[group] = table[at]
                    group += 1
                at += 1


@kernel
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
    """The same cases judged by both models: honestly (common folds) and with hindsight.

    `clustered` are the cases and both models, where cases come in clusters.
    """

    honest: JudgedPair
    hindsight: JudgedPair
    n: float
    prevalence: float
    folds: int
    evidence: dict[str, Any]
    clustered: tuple[SplitCases, JudgedModel, JudgedModel] | None = None


def paired_cases(
    y_true: Labels | PairedCounts,
    score_a: ArrayLike | None = None,
    score_b: ArrayLike | None = None,
    *,
    pos_label: Any,
    sample_weight: ArrayLike | None,
    weights: str,
    **settings: Any,
) -> PairedCases:
    """Check the joint data, split them and judge both models; `settings` as in `SplitCases.of_rows`."""
    given = as_paired_rows(y_true, score_a, score_b, pos_label=pos_label, sample_weight=sample_weight)
    positive, scores, sizes = given.positive, (given.score_a, given.score_b), given.weights
    if sizes is not None:
        keep = sizes > 0
        positive, scores, sizes = positive[keep], (scores[0][keep], scores[1][keep]), sizes[keep]
    if isinstance(y_true, PairedCounts):
        joint = np.ones(len(positive)) if sizes is None else sizes
        cases = SplitCases.of_cells(positive, joint, **settings)
    else:
        cases = SplitCases.of_rows(positive, sizes, weights=weights, **settings)
    return judged_pair(cases, *(cases.judge(one) for one in scores), evidence=given.evidence)


def judged_pair(
    cases: SplitCases, first: JudgedModel, second: JudgedModel, *, evidence: dict[str, Any] | None = None
) -> PairedCases:
    """Join two models judged on the same splits."""
    one, two = first.counts.blocks(), second.counts.blocks()
    # models of the same ranks have thresholds that separate the same cases; the ranks decide the blocks
    if all(np.array_equal(one[k], two[k]) for k in (0, 1)):
        one_rank, two_rank = (np.searchsorted(model.counts.scores, model.scores) for model in (first, second))
        second = first if np.array_equal(one_rank, two_rank) else second
    repeats = cases.splits.repeats
    rows = repeats[0]
    hindsight = JudgedPair.join(
        (first.hindsight, second.hindsight),
        (first.hindsight_position, second.hindsight_position),
        cases.positive[rows.cell],
        np.zeros(len(rows.cell), dtype=np.int64),
        rows.cases,
    )
    rate = first.counts.prevalence if cases.prevalence is None else float(cases.prevalence)
    # held-out cases of all splits together count as often as they are
    splits = (
        (one, two, cases.positive[rows.cell], rows.fold + index * cases.folds, rows.cases / len(repeats))
        for index, (rows, one, two) in enumerate(
            zip(repeats, first.honest_position, second.honest_position, strict=True)
        )
    )
    one_place, two_place, positive, fold, sizes = map(np.concatenate, zip(*splits, strict=True))
    honest = JudgedPair.join((first.honest, second.honest), (one_place, two_place), positive, fold, sizes)
    clustered = None if cases.cluster is None else (cases, first, second)
    settings = cases.n, rate, cases.folds, evidence or CASES, clustered
    return PairedCases(honest, hindsight, *settings)
