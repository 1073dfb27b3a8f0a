"""Rules learned from some cases and judged on others: fold tables, means and standard errors.

A case enters only through (split, fold, position among the blocks of that fold's rule, class): one
small table per fold gives every honest number at any costs, exactly. With several splits each
case counts 1 / repeats in each of them, so sums over all tables are averages over the splits. The
standard error is then that of a single split averaged over the splits: at least as large as that
of the averaged losses (Jensen), and a function of the same tables.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from demur._checks import check_prevalence
from demur._kernels.jit import compiled, kernel, whole_job, worth_compiling
from demur._kernels.running import running_sums
from demur.counts.scores import ScoreCounts
from demur.honest.class_rows import ClassRows, others_pooled
from demur.honest.intervals import ClassSums, LossSums, loss_sums, mean_and_error
from demur.honest.rules import LearnedRule, PricePoints
from demur.honest.splits import Splits
from demur.typing import FloatArray, IntArray, Scalar

__all__ = [
    "ByClass",
    "FoldTable",
    "ForecastScores",
    "HonestRates",
    "JudgedRules",
    "Weighting",
    "judge_sorted",
    "judge_with_hindsight",
    "place_rows",
    "reweighted",
]

ByClass: TypeAlias = tuple[FloatArray, FloatArray]
"""One array for the positives, one for the negatives."""

ForecastScores: TypeAlias = Callable[[FloatArray], ByClass]
"""Scores (S(1, p), S(0, p)) of forecasts p."""


class FoldTable(NamedTuple):
    """A rule and the cases it is judged on: element x of a column counts those at position x."""

    rule: LearnedRule
    positives: FloatArray
    negatives: FloatArray


class Weighting(NamedTuple):
    """How sums over the two classes become an expectation with a standard error.

    `given` is the prevalence if it is known: the classes are two samples. Otherwise cases are drawn
    from one population, and the prevalence is estimated along.
    """

    n_positive: float
    n_negative: float
    positive: float
    negative: float
    given: float | None

    @classmethod
    def of(cls, n_positive: float, n_negative: float, prevalence: float | None) -> Weighting:
        """Weight of one positive and of one negative case."""
        if prevalence is None:
            each = 1 / (n_positive + n_negative)
            return cls(n_positive, n_negative, each, each, None)
        rate = check_prevalence(prevalence, positives=n_positive, negatives=n_negative)
        return cls(n_positive, n_negative, rate / n_positive, (1 - rate) / n_negative, rate)

    def mean_and_error(self, sums: Sequence[Any], squares: Sequence[Any]) -> tuple[FloatArray, FloatArray]:
        """Expectation and its standard error from the sums of a loss and of its squares over each class."""
        one, two = map(ClassSums, (self.n_positive, self.n_negative), sums, squares)
        return mean_and_error((one, two), prevalence=self.given)


class HonestRates(NamedTuple):
    """Shares of all cases: missed, falsely alarmed, abstained on by class."""

    fn: Scalar
    fp: Scalar
    abstained_positive: Scalar
    abstained_negative: Scalar

    @property
    def abstention_rate(self) -> Scalar:
        """Share of the cases abstained on."""
        return self.abstained_positive + self.abstained_negative


# ---------------------------------------------------------------- all folds


@dataclass(frozen=True, slots=True, eq=False)
class JudgedRules:
    """Rules with the cases each is judged on; together every case is judged once.

    With several splits the tables of all of them stand one after the other, each case with a
    weight of 1 / repeats in each.
    """

    tables: tuple[FoldTable, ...]
    weighting: Weighting

    def outcomes(self, prices: PricePoints) -> HonestRates:
        """Number of the cases with each costly outcome at every cost point."""
        missed, alarmed, kept_positive, kept_negative = (np.zeros(prices.miss.shape) for _ in range(4))
        cuts = prices.share_cuts()
        for table in self.tables:
            first, last = table.rule.limits(cuts)
            positives, negatives = running_sums(table.positives, table.negatives)
            missed += positives[first]
            alarmed += negatives[-1] - negatives[last]
            kept_positive += positives[last] - positives[first]
            kept_negative += negatives[last] - negatives[first]
        return HonestRates(missed, alarmed, kept_positive, kept_negative)

    def interval_sums(self, prices: PricePoints) -> LossSums:
        """Sum the losses and their squares by class, at every cost point, for an interval."""
        (missed, alarmed, *kept), w = self.outcomes(prices), self.weighting
        review = prices.by_class
        return loss_sums(
            (w.n_positive, missed, kept[0]),
            (w.n_negative, alarmed, kept[1]),
            ((prices.miss, review[0]), (prices.alarm, review[1])),
        )

    def score_sums(self, scores: ForecastScores) -> LossSums:
        """Sum a proper score and its squares by class, for an interval; added errors are sure ones."""
        _, *columns = (list(column) for column in zip(*self.tables, strict=True))
        worst = scores(np.array([0.0, 1.0]))
        one, two = (
            ClassSums(n, cases @ values, cases @ values**2, float(most))
            for n, cases, values, most in zip(
                self.weighting[:2],
                map(np.concatenate, columns),
                self.slot_scores(scores),
                (worst[0][0], worst[1][1]),
                strict=True,
            )
        )
        return one, two

    def mean_and_error(self, prices: PricePoints) -> tuple[FloatArray, FloatArray]:
        """Expected cost and its standard error at every cost point, exactly."""
        return mean_and_error(self.interval_sums(prices), prevalence=self.weighting.given)

    def slot_scores(self, scores: ForecastScores) -> ByClass:
        """Proper scores of a positive and of a negative at every position, fold after fold."""
        # on a threshold the forecast is the share of the block above
        return scores(np.concatenate([np.repeat(table.rule.shares, 2)[1:] for table in self.tables]))

    def mean_score(self, scores: ForecastScores) -> float:
        """Mean of a proper score of the forecasts."""
        return float(mean_and_error(self.score_sums(scores), prevalence=self.weighting.given)[0])

    def slot_offsets(self) -> tuple[IntArray, IntArray]:
        """First slot of each fold's positives and of its negatives; the second ends with their number."""
        sizes = [table.rule.n_positions for table in self.tables]
        offsets = np.concatenate([[0], np.cumsum(sizes * 2)])
        return offsets[: len(sizes)], offsets[len(sizes) :]


def judge_sorted(
    classes: Sequence[Sequence[ClassRows]], splits: Splits, *, prevalence: float | None
) -> tuple[JudgedRules, list[IntArray]]:
    """Choose on all folds but one, judge that fold; return the tables and each row's position, by split.

    Element r of `classes` holds the rows of split r, by class and sorted.
    """
    tables: list[FoldTable] = []
    positions: list[IntArray] = []
    repeats = len(splits.repeats)
    cases = repeats * splits.folds * sum(len(one.scores) for one in classes[0])
    for rows, by_class in zip(splits.repeats, classes, strict=True):
        # half the memory of the usual integers; positions are few
        position: Any = np.empty(len(rows.fold), dtype=np.int32)
        buffers = [np.empty_like(one.scores) for one in by_class]
        with whole_job(cases):
            # only the blocks of the cases left are kept, so that one fold after the other can use the buffers
            rules = [
                LearnedRule.learn(others_pooled(by_class, fold, buffers), prevalence)
                for fold in range(splits.folds)
            ]
            columns = [place_rows(one, rules, position) for one in by_class]
        for rule, positives, negatives in zip(rules, *columns, strict=True):
            tables.append(FoldTable(rule, positives / repeats, negatives / repeats))
        positions.append(position)
    n_positive, n_negative = (
        float(len(one.rows) if one.cases is None else one.cases.sum()) for one in classes[0]
    )
    weighting = Weighting.of(n_positive, n_negative, prevalence)
    return JudgedRules(tuple(tables), weighting), positions


def place_rows(one: ClassRows, rules: Sequence[LearnedRule], position: Any) -> list[FloatArray]:
    """Write the position of every row under the rule of its fold; return, by fold, the cases at each one."""
    if not worth_compiling(len(one.scores)):
        columns = []
        for fold, rule in enumerate(rules):
            held = np.flatnonzero(one.fold == fold)
            # scores ascend: one look-up per threshold instead of one per score
            scores, steps = one.scores[held], np.zeros(len(held) + 1, dtype=np.int64)
            for reached in (
                np.searchsorted(scores, rule.lower_cuts, side="right"),
                np.searchsorted(scores, rule.upper_cuts, side="left"),
            ):
                steps += np.bincount(reached, minlength=len(steps))
            at = np.cumsum(steps[:-1])
            position[one.rows[held]] = at
            weights = None if one.cases is None else one.cases[held]
            columns.append(np.bincount(at, weights, rule.n_positions).astype(np.float64))
        return columns
    ends = np.cumsum([len(rule.lower_cuts) for rule in rules])
    lower = np.concatenate([rule.lower_cuts for rule in rules])
    upper = np.concatenate([rule.upper_cuts for rule in rules])
    total = np.zeros(2 * ends[-1] + len(rules))
    cases = np.empty(0) if one.cases is None else one.cases
    starts = np.append(0, ends[:-1])
    # memory comes from here: a loop that asks for its own loads slowly
    limits = starts, ends, starts.copy(), starts.copy()
    compiled(_place_loop)(one.scores, one.fold, one.rows, cases, lower, upper, *limits, position, total)
    return np.split(total, (2 * ends + np.arange(1, len(rules) + 1))[:-1])


@kernel
def _place_loop(
    scores: Any,
    fold: Any,
    rows: Any,
    cases: Any,
    lower: Any,
    upper: Any,
    starts: Any,
    ends: Any,
    below: Any,
    reached: Any,
    position: Any,
    total: Any,
) -> None:
    # scores ascend, so every fold goes through its thresholds once; `below` and `reached` begin at its first
    weighted = len(cases) > 0
    for index in range(len(scores)):
        score = scores[index]
        one = fold[index]
        end = ends[one]
        at = below[one]
        while at < end and lower[at] < score:
            at += 1
        below[one] = at
        up = reached[one]
        while up < end and upper[up] <= score:
            up += 1
        reached[one] = up
        # a fold of c thresholds has 2 c + 1 positions
        position[rows[index]] = at + up - 2 * starts[one]
        total[at + up + one] += cases[index] if weighted else 1.0


def judge_with_hindsight(counts: ScoreCounts, prevalence: float | None) -> JudgedRules:
    """Judge the rule of all cases on these same cases."""
    blocks, rule = counts.blocks(), LearnedRule.learn(counts, prevalence)
    columns = np.zeros((2, rule.n_positions))
    columns[:, ::2] = blocks.positives, blocks.negatives
    weighting = Weighting.of(counts.n_positive, counts.n_negative, prevalence)
    return JudgedRules((FoldTable(rule, *columns),), weighting)


def reweighted(rules: JudgedRules, prevalence: float | None) -> JudgedRules:
    """Return the same rules and cases for another prevalence: blocks and thresholds do not depend on it."""
    tables = tuple(
        FoldTable(LearnedRule.of_blocks(rule.blocks, rule.lower_cuts, rule.upper_cuts, prevalence), *columns)
        for rule, *columns in rules.tables
    )
    weighting = Weighting.of(rules.weighting.n_positive, rules.weighting.n_negative, prevalence)
    return JudgedRules(tables, weighting)
