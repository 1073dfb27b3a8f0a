"""Rules learned from some cases and judged on others: folds, tables, means and standard errors.

A case enters only through (fold, position among the blocks of that fold's rule, class): one
small table per fold gives every honest number at any costs, exactly.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from demur._checks import check_prevalence
from demur._kernels.jit import compiled, worth_compiling
from demur._kernels.rectangle_scores import rectangle_scores
from demur._kernels.sweep import Sample, ascending_order
from demur._kernels.thresholds import cut_points
from demur.counts.scores import ScoreCounts
from demur.exceptions import UndefinedError
from demur.surface.masses import block_cuts
from demur.surface.surface import AbstentionSurface, abstention_surface
from demur.typing import BoolArray, FloatArray, IntArray, Range, Scalar

__all__ = [
    "ByClass",
    "ClassRows",
    "FoldTable",
    "ForecastScores",
    "HonestRates",
    "JudgedRules",
    "LearnedRule",
    "Prices",
    "Rows",
    "Weighting",
    "fold_rows",
    "judge",
    "judge_sorted",
    "judge_with_hindsight",
    "reweighted",
    "volume_scores",
    "without_rounding",
]

_ROUNDING = 64 * np.finfo(np.float64).eps
_TIE = 8 * np.finfo(np.float64).eps  # shares that differ by rounding only are equal, as in abstention
# Above this many cases of a class, if many are equal, they choose their folds independently:
# fold sizes then differ by chance, which so many do not notice, and no list of cases is needed.
_SHUFFLE_UP_TO = 2**24

ByClass: TypeAlias = tuple[FloatArray, FloatArray]
"""One array for the positives, one for the negatives."""

ForecastScores: TypeAlias = Callable[[FloatArray], ByClass]
"""Scores (S(1, p), S(0, p)) of forecasts p."""


def volume_scores(mu: Range, nu: Range) -> ForecastScores:
    """Proper score whose mean is the volume over a rectangle of costs."""
    return lambda forecasts: rectangle_scores(forecasts, mu, nu)


# ---------------------------------------------------------------- folds


class Rows(NamedTuple):
    """Cells of equal cases split over the folds; element r is `cases` of one cell in one fold."""

    cell: IntArray
    fold: IntArray
    cases: FloatArray


def fold_rows(sizes: FloatArray, positive: BoolArray, folds: int, rng: np.random.Generator) -> Rows:
    """Split cells of `sizes` cases into folds at random, each class evenly.

    Cases of one cell are exchangeable, so shuffling them is a multivariate hypergeometric draw:
    the order of the rows a user passes cannot matter.
    """
    parts = []
    for members in (positive, ~positive):
        cell = np.flatnonzero(members)
        size = sizes[cell].astype(np.int64)
        total = int(size.sum())
        if total <= max(_SHUFFLE_UP_TO, folds * len(cell)):
            fold = np.arange(total) % folds
            rng.shuffle(fold)
            parts.append((np.repeat(cell, size), fold, np.ones(total)))
        else:
            drawn = rng.multinomial(size, [1 / folds] * folds)
            where, fold = np.nonzero(drawn)
            parts.append((cell[where], fold, drawn[where, fold].astype(np.float64)))
    return Rows(*(np.concatenate(column) for column in zip(*parts, strict=True)))


# ---------------------------------------------------------------- one rule, one fold


@dataclass(frozen=True, slots=True, eq=False)
class LearnedRule:
    """Cheapest windows of one set of cases, ready to judge other cases.

    Position 2 b of a score: inside block b. Position 2 b + 1: exactly on the threshold between
    blocks b and b + 1, where the window calls it positive if it is empty and else follows the
    lower threshold (`decide`).
    """

    surface: AbstentionSurface
    lower_cuts: FloatArray
    upper_cuts: FloatArray

    @classmethod
    def learn(cls, counts: ScoreCounts, prevalence: float | None) -> "LearnedRule":
        """Pool the cases and find the thresholds between the blocks."""
        blocks = counts.blocks()
        lower, upper = (cuts[1:-1] for cuts in cut_points(blocks.lower, blocks.upper))
        if np.isnan(lower).any() or np.isnan(upper).any():
            raise UndefinedError(
                "No threshold separates an infinite score from the largest finite float beside it. "
                "Hint: rescale the finite scores; only their order matters."
            )
        return cls(abstention_surface(counts, prevalence=prevalence), lower, upper)

    @property
    def n_positions(self) -> int:
        """Number of different positions."""
        return 2 * len(self.lower_cuts) + 1

    def positions(self, scores: FloatArray) -> IntArray:
        """Position of every score."""
        above = np.searchsorted(self.lower_cuts, scores, side="left")
        return np.asarray(above + np.searchsorted(self.upper_cuts, scores, side="right"))

    def sorted_positions(self, scores: FloatArray) -> IntArray:
        """Position of every score of an ascending array: few look-ups, one per threshold."""
        steps = np.bincount(np.searchsorted(scores, self.lower_cuts, side="right"), minlength=len(scores) + 1)
        steps += np.bincount(np.searchsorted(scores, self.upper_cuts, side="left"), minlength=len(scores) + 1)
        return np.cumsum(steps[:-1])

    def limits(self, prices: "Prices") -> tuple[IntArray, IntArray]:
        """Positions below the first are called negative, from the second on positive."""
        if prices.abstain is None:
            share = prices.alarm / (prices.miss + prices.alarm)
            cut = np.searchsorted(self.surface.shares, share * (1 - _TIE), side="left")
            # where misses are free nothing is worth an alarm, not even a block of positives only
            i = j = np.where(prices.miss > 0, cut, len(self.surface.shares))
        else:
            i, j = block_cuts(self.surface.shares, prices.alarm, prices.abstain, prices.abstain)
        first = np.where(i < j, 2 * i, 2 * i - 1)
        last = self.n_positions
        return np.clip(first, 0, last), np.clip(2 * j - 1, 0, last)

    def forecasts(self) -> FloatArray:
        """Share of positives at every position; on a threshold that of the block above."""
        return self.surface.shares[(np.arange(self.n_positions) + 1) // 2]


class Prices(NamedTuple):
    """Costs at which rules are judged, one element per point; the miss costs 1 if one may abstain."""

    miss: FloatArray
    alarm: FloatArray
    abstain: FloatArray | None

    @classmethod
    def of_surface(cls, mu: FloatArray, nu: FloatArray) -> "Prices":
        """Costs of the points (mu, nu) of an abstention surface."""
        return cls(np.ones(mu.shape), mu, nu)

    @classmethod
    def of_cost_curve(cls, pc: FloatArray) -> "Prices":
        """Costs of the operating points of a cost curve, for a prevalence of one half."""
        return cls(2 * pc, 2 * (1 - pc), None)

    @property
    def abstaining(self) -> FloatArray:
        """What abstaining costs where it happens; an infinite price goes with an empty window."""
        if self.abstain is None:
            return np.zeros(self.miss.shape)
        return np.where(np.isinf(self.abstain), 0.0, self.abstain)


class FoldTable(NamedTuple):
    """A rule and the cases it is judged on: element x of a column counts those at position x."""

    rule: LearnedRule
    positives: FloatArray
    negatives: FloatArray

    @property
    def columns(self) -> tuple[FloatArray, FloatArray]:
        """Counts of the positives and of the negatives."""
        return self.positives, self.negatives


def without_rounding(gap: FloatArray, scale: FloatArray) -> FloatArray:
    """Return a difference of sums of size `scale`, and 0 where it is rounding or below."""
    return np.where(gap > _ROUNDING * scale, gap, 0.0)


class Weighting(NamedTuple):
    """How sums over the two classes become an expectation with a standard error.

    `known`: the prevalence is given, the classes are two samples; otherwise cases are drawn
    from one population, and the prevalence is estimated along.
    """

    n_positive: float
    n_negative: float
    positive: float
    negative: float
    known: bool

    @classmethod
    def of(cls, n_positive: float, n_negative: float, prevalence: float | None) -> "Weighting":
        """Weight of one positive and of one negative case."""
        if prevalence is None:
            each = 1 / (n_positive + n_negative)
            return cls(n_positive, n_negative, each, each, known=False)
        rate = check_prevalence(prevalence, positives=n_positive, negatives=n_negative)
        return cls(n_positive, n_negative, rate / n_positive, (1 - rate) / n_negative, known=True)

    def centres(self, sum_positive: FloatArray, sum_negative: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Means around which the cases of each class scatter."""
        if self.known:
            return sum_positive / self.n_positive, sum_negative / self.n_negative
        mean = (sum_positive + sum_negative) * self.positive
        return mean, mean

    def mean(self, sum_positive: FloatArray, sum_negative: FloatArray) -> FloatArray:
        """Expectation from the sums of a loss over each class."""
        return np.asarray(self.positive * sum_positive + self.negative * sum_negative)

    def standard_error(self, sums: ByClass, squares: ByClass) -> FloatArray:
        """Standard error of `mean` from the sums of the losses and of their squares."""
        if not self.known:
            n = self.n_positive + self.n_negative
            total = squares[0] + squares[1]
            spread = without_rounding(total - (sums[0] + sums[1]) ** 2 / n, total)
            return np.sqrt(spread / (n * (n - 1)))
        variance = np.zeros(np.shape(sums[0]))
        weights, sizes = (self.positive, self.negative), (self.n_positive, self.n_negative)
        for weight, size, total, square in zip(weights, sizes, sums, squares, strict=True):
            spread = without_rounding(square - total**2 / size, square)
            variance += weight**2 * size / (size - 1) * spread
        return np.sqrt(variance)


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
    """Rules with the cases each is judged on; together every case is judged once."""

    tables: tuple[FoldTable, ...]
    weighting: Weighting

    def outcomes(self, prices: Prices) -> HonestRates:
        """Number of the cases with each costly outcome at every cost point."""
        found = [np.zeros(prices.miss.shape) for _ in range(4)]
        for table in self.tables:
            first, last = table.rule.limits(prices)
            below = [np.concatenate([[0.0], np.cumsum(column)]) for column in table.columns]
            found[0] += below[0][first]
            found[1] += below[1][-1] - below[1][last]
            found[2] += below[0][last] - below[0][first]
            found[3] += below[1][last] - below[1][first]
        return HonestRates(*found)

    def loss_sums(self, prices: Prices) -> tuple[ByClass, ByClass]:
        """Sums of the losses, and of their squares, over the positives and over the negatives."""
        done = self.outcomes(prices)
        found = []
        for power in (1, 2):
            miss, alarm, abstain = prices.miss**power, prices.alarm**power, prices.abstaining**power
            ahead = miss * done.fn + abstain * done.abstained_positive
            found.append((ahead, alarm * done.fp + abstain * done.abstained_negative))
        return found[0], found[1]

    def mean_and_error(self, prices: Prices) -> tuple[FloatArray, FloatArray]:
        """Expected cost and its standard error at every cost point, exactly."""
        sums, squares = self.loss_sums(prices)
        return self.weighting.mean(*sums), self.weighting.standard_error(sums, squares)

    def slot_scores(self, scores: ForecastScores) -> ByClass:
        """Proper scores of a positive and of a negative at every position, fold after fold."""
        return scores(np.concatenate([table.rule.forecasts() for table in self.tables]))

    def score_and_error(self, scores: ForecastScores) -> tuple[float, float]:
        """Mean of a proper score of the forecasts, and its standard error."""
        values = self.slot_scores(scores)
        cases = [np.concatenate([table.columns[index] for table in self.tables]) for index in (0, 1)]
        sums = cases[0] @ values[0], cases[1] @ values[1]
        squares = cases[0] @ values[0] ** 2, cases[1] @ values[1] ** 2
        return float(self.weighting.mean(*sums)), float(self.weighting.standard_error(sums, squares))


def judge(
    scores: FloatArray,
    positive: BoolArray,
    rows: Rows,
    *,
    folds: int,
    prevalence: float | None,
) -> tuple[JudgedRules, IntArray]:
    """Learn a rule from all but one fold, judge that fold; return the tables and each row's position.

    `scores` and `positive` describe the cells `rows` refers to.
    """
    row_positive = positive[rows.cell]
    position = np.empty(len(row_positive), dtype=np.int64)
    classes = [
        ClassRows.of(np.flatnonzero(members), scores, rows) for members in (row_positive, ~row_positive)
    ]
    return judge_sorted(classes, position, folds=folds, prevalence=prevalence), position


def judge_sorted(
    classes: "Sequence[ClassRows]", position: Any, *, folds: int, prevalence: float | None
) -> JudgedRules:
    """Do the same with rows that are split by class and sorted; fill in the `position` of every row."""
    tables = []
    rooms = [np.empty_like(one.scores) for one in classes]
    for fold in range(folds):
        rule = LearnedRule.learn(OtherFolds(classes, fold, rooms), prevalence)
        columns = []
        for one in classes:
            held = one.held(fold)
            at = rule.sorted_positions(one.scores[held])
            position[one.rows[held]] = at
            cases = None if one.cases is None else one.cases[held]
            columns.append(np.bincount(at, cases, rule.n_positions).astype(np.float64))
        tables.append(FoldTable(rule, *columns))
    totals = [float(len(one.rows)) if one.cases is None else one.cases.sum() for one in classes]
    return JudgedRules(tuple(tables), Weighting.of(totals[0], totals[1], prevalence))


class ClassRows(NamedTuple):
    """Rows of one class in ascending order of score, so that every fold is sorted already.

    `by_fold` lists the places of fold 0, then of fold 1, ..., each ascending; `ends` where they end.
    """

    rows: IntArray
    scores: FloatArray
    fold: Any
    cases: FloatArray | None
    by_fold: IntArray
    ends: IntArray

    @classmethod
    def of(cls, members: IntArray, scores: FloatArray, rows: Rows) -> "ClassRows":
        """Sort the rows `members` by score, unless they are sorted."""
        ordered = scores[rows.cell[members]]
        if np.any(ordered[1:] < ordered[:-1]):
            order = ascending_order(ordered)
            members, ordered = members[order], ordered[order]
        return cls.of_sorted(members, ordered, rows)

    @classmethod
    def of_sorted(cls, members: IntArray, ordered: FloatArray, rows: Rows) -> "ClassRows":
        """Take the rows `members`, whose scores are `ordered`."""
        single = rows.cases.min(initial=1) == rows.cases.max(initial=1) == 1
        cases = None if single else rows.cases[members]
        # short integers are looked up faster, and sorted without comparing
        short = rows.fold.max(initial=0) < 2**15
        fold = (rows.fold.astype(np.int16) if short else rows.fold)[members]
        ends = np.cumsum(np.bincount(fold))
        by_fold = np.argsort(fold, kind="stable")
        return cls(members, ordered, fold, cases, by_fold, ends)

    def held(self, fold: int) -> IntArray:
        """Places of the cases of a fold."""
        return self.by_fold[self.ends[fold - 1] if fold else 0 : self.ends[fold]]

    def without(self, fold: int, room: FloatArray) -> Sample:
        """Return the cases of all other folds; their scores may lie in `room`."""
        if self.cases is None and worth_compiling(len(self.scores)):
            return Sample(room[: compiled(_other_folds_loop)(self.scores, self.fold, fold, room)], None)
        others = self.fold != fold
        return Sample(self.scores[others], None if self.cases is None else self.cases[others])


class OtherFolds(ScoreCounts):
    """Counts of the cases of all folds but one.

    Only the blocks are kept. The cases are copied again should anybody ask for them: keeping them
    for ten folds takes ten times the memory, and fresh memory more time than the pooling.
    """

    def __init__(self, classes: "Sequence[ClassRows]", fold: int, rooms: Sequence[FloatArray]) -> None:
        self._classes, self._fold = classes, fold
        ahead, behind = (one.without(fold, room) for one, room in zip(classes, rooms, strict=True))
        pooled = ScoreCounts(_positive=ahead, _negative=behind)
        for name in ("_blocks_and_pairs", "n_positive", "n_negative"):
            self.__dict__[name] = getattr(pooled, name)

    def __getattr__(self, name: str) -> Sample:
        if name not in ("_positive", "_negative"):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        one = self._classes[0 if name == "_positive" else 1]
        sample = one.without(self._fold, np.empty_like(one.scores))
        setattr(self, name, sample)
        return sample


def _other_folds_loop(scores: Any, folds: Any, fold: Any, out: Any) -> int:
    at = 0
    for index in range(len(scores)):
        out[at] = scores[index]
        at += int(folds[index] != fold)
    return at


def judge_with_hindsight(counts: ScoreCounts, prevalence: float | None) -> JudgedRules:
    """Judge the rule of all cases on these same cases."""
    blocks, rule = counts.blocks(), LearnedRule.learn(counts, prevalence)
    columns = []
    for column in (blocks.positives, blocks.negatives):
        spread = np.zeros(rule.n_positions)
        spread[::2] = column
        columns.append(spread)
    weighting = Weighting.of(counts.n_positive, counts.n_negative, prevalence)
    return JudgedRules((FoldTable(rule, *columns),), weighting)


def reweighted(rules: JudgedRules, prevalence: float | None) -> JudgedRules:
    """Return the same rules and cases for another prevalence: blocks and thresholds do not depend on it."""
    tables = []
    for table in rules.tables:
        surface = abstention_surface(table.rule.surface.counts, prevalence=prevalence)
        rule = LearnedRule(surface, table.rule.lower_cuts, table.rule.upper_cuts)
        tables.append(FoldTable(rule, table.positives, table.negatives))
    weighting = Weighting.of(rules.weighting.n_positive, rules.weighting.n_negative, prevalence)
    return JudgedRules(tuple(tables), weighting)
