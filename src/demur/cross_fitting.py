"""Cross-fitting: windows learned from some cases and judged on others.

A surface is a minimum over windows, so judged on the cases that chose the windows it is too
small on average: k ("with hindsight") is expected below the population's surface K, which in
turn is at most the expected cost kc ("honest") of windows learned from the other folds. A
bootstrap of k repeats the mistake and covers far less than it promises, so demur has none;
everything in `surface_bands` and `surface_tests` rests on the pair (k, kc).

A case enters only through (fold, position among the blocks of that fold's rule, class): one
small table per fold gives every honest number at any costs, exactly.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from demur._checks import (
    check_choice,
    check_confidence_level,
    check_nonnegative,
    check_positive_int,
    check_prevalence,
    check_range,
    check_rng,
    input_error,
)
from demur._kernels.rectangle_scores import rectangle_scores
from demur._kernels.thresholds import cut_points
from demur._results import Interval, Result, as_scalar, json_safe
from demur.abstention import AbstentionSurface, AbstentionWindow, abstention_surface
from demur.counts import ScoreCounts, as_counts
from demur.exceptions import UndefinedError
from demur.typing import ArrayLike, BoolArray, FloatArray, IntArray, Labels, Range, Scalar

__all__ = [
    "CrossFittedSurface",
    "FoldTable",
    "HonestRates",
    "JudgedRules",
    "LearnedRule",
    "Rows",
    "Weighting",
    "bracket_or_average",
    "check_cost_point",
    "check_folds",
    "check_whole_counts",
    "cross_fitted_surface",
    "fold_rows",
    "judge",
    "normal_quantile",
]

_UNIT: Range = (0.0, 1.0)
_ROUNDING = 64 * np.finfo(np.float64).eps
_TIE = 8 * np.finfo(np.float64).eps  # shares that differ by rounding only are equal, as in abstention
# Above this many cases of a class they choose their folds independently: fold sizes then
# differ by chance, which so many cases do not notice, and no list of cases is needed.
_SHUFFLE_UP_TO = 2**26


ByClass: TypeAlias = tuple[FloatArray, FloatArray]
"""One array for the positives, one for the negatives."""

ForecastScores: TypeAlias = Callable[[FloatArray], ByClass]
"""Scores (S(1, p), S(0, p)) of forecasts p."""


def volume_scores(mu: Range, nu: Range) -> ForecastScores:
    """Proper score whose mean is the volume over a rectangle of costs."""
    return lambda forecasts: rectangle_scores(forecasts, mu, nu)


# ---------------------------------------------------------------- checks


def check_whole_counts(counts: ScoreCounts, quantity: str) -> None:
    """Require whole-number weights: intervals count independent cases."""
    for name in ("positives", "negatives"):
        column = getattr(counts, name)
        broken = column != np.floor(column)
        if broken.any():
            raise input_error(
                "sample_weight",
                f"must hold whole numbers (repeated cases) for {quantity}",
                f"{column[broken][0]:g}",
                "sampling error is defined for independent cases; a weight of 2 means a case seen twice.",
            )


def check_folds(folds: Any, n_positive: float, n_negative: float) -> int:
    """Return the number of folds if every fold can hold a case of each class."""
    number = check_positive_int(folds, "folds", minimum=2)
    smaller = int(min(n_positive, n_negative))
    if number > smaller:
        hint = f"use folds={smaller}." if smaller >= 2 else "collect at least two cases of each class."
        raise input_error(
            "folds",
            f"must not exceed the cases of either class ({n_positive:g} positive, {n_negative:g} negative)",
            number,
            hint,
        )
    return number


def check_cost_point(mu: ArrayLike, nu: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Broadcast mu >= 0 and nu >= 0 (infinite: never abstain)."""
    x = check_nonnegative(mu, "mu")
    y = np.asarray(nu, dtype=np.float64)
    if np.isnan(y).any():
        raise input_error("nu", "must be a number", "NaN")
    check_nonnegative(np.where(np.isposinf(y), 0.0, y), "nu")
    try:
        x, y = np.broadcast_arrays(x, y)
    except ValueError:
        raise input_error("mu and nu", "must broadcast together", f"shapes {x.shape} and {y.shape}") from None
    return x, y


def normal_quantile(confidence_level: float) -> float:
    """Two-sided quantile of the normal law."""
    from scipy.special import ndtri

    return float(ndtri((1 + check_confidence_level(confidence_level)) / 2))


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
        if total <= _SHUFFLE_UP_TO:
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

    def limits(self, prices: "Prices") -> tuple[IntArray, IntArray]:
        """Positions below the first are called negative, from the second on positive."""
        if prices.abstain is None:
            share = prices.alarm / (prices.miss + prices.alarm)
            cut = np.searchsorted(self.surface.shares, share * (1 - _TIE), side="left")
            # where misses are free nothing is worth an alarm, not even a block of positives only
            i = j = np.where(prices.miss > 0, cut, len(self.surface.shares))
        else:
            i, j = self.surface._block_cuts(prices.alarm, prices.abstain, prices.abstain)
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


def _prices(mu: ArrayLike, nu: ArrayLike) -> Prices:
    return Prices.of_surface(*check_cost_point(mu, nu))


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
    group: IntArray,
    positive: BoolArray,
    rows: Rows,
    *,
    folds: int,
    prevalence: float | None,
) -> tuple[JudgedRules, IntArray]:
    """Learn a rule from all but one fold, judge that fold; return the tables and each row's position.

    `group` and `positive` describe the cells `rows` refers to; `scores` are the distinct scores.
    """
    row_group, row_positive = group[rows.cell], positive[rows.cell]
    position = np.empty(len(row_group), dtype=np.int64)
    totals = [np.bincount(row_group[c], rows.cases[c], len(scores)) for c in (row_positive, ~row_positive)]
    tables = []
    order = np.argsort(rows.fold, kind="stable")
    ends = np.searchsorted(rows.fold[order], np.arange(folds + 1))
    for fold in range(folds):
        held = order[ends[fold] : ends[fold + 1]]
        split = [held[row_positive[held]], held[~row_positive[held]]]
        kept = [
            total - np.bincount(row_group[part], rows.cases[part], len(scores))
            for total, part in zip(totals, split, strict=True)
        ]
        rule = LearnedRule.learn(ScoreCounts.from_counts(scores, *kept), prevalence)
        position[held] = rule.positions(scores[row_group[held]])
        ahead, behind = (
            np.bincount(position[part], rows.cases[part], rule.n_positions).astype(np.float64)
            for part in split
        )
        tables.append(FoldTable(rule, ahead, behind))
    weighting = Weighting.of(totals[0].sum(), totals[1].sum(), prevalence)
    return JudgedRules(tuple(tables), weighting), position


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


def bracket_or_average(
    hindsight: tuple[Any, Any], honest: tuple[Any, Any], factor: float, method: str
) -> tuple[Any, Any]:
    """Ends of an interval from (estimate, standard error) with hindsight and honest (spec 105, section 2)."""
    check_choice(method, "method", ("bracket", "average"))
    (k, s), (kc, sc) = hindsight, honest
    if method == "bracket":
        return k - factor * s, kc + factor * sc
    centre, wide = (k + kc) / 2, np.maximum(s, sc)
    return centre - factor * wide, centre + factor * wide


# ---------------------------------------------------------------- the public surface


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class CrossFittedSurface(Result):
    """Honest cost of the windows a user would choose, beside the cost with hindsight.

    Made by `cross_fitted_surface`. Holds one small table per fold and answers for any costs,
    exactly; neither the cases nor the scores are kept.

    Attributes
    ----------
    surface : AbstentionSurface
        The surface with hindsight (all cases choose and are judged).
    n, n_positive, n_negative : float
        Number of cases.
    prevalence : float
        P(positive) the costs refer to.
    folds : int
        Number of folds.
    """

    surface: AbstentionSurface
    n_positive: float
    n_negative: float
    prevalence: float
    folds: int
    _honest: JudgedRules
    _hindsight: JudgedRules
    _evidence = ("surface",)
    _reported = ("n",)

    @property
    def n(self) -> float:
        """Number of cases."""
        return self.n_positive + self.n_negative

    def cost(self, mu: ArrayLike, nu: ArrayLike) -> Scalar:
        """Return the honest cost at (mu, nu): what you will pay with windows chosen on such data."""
        return as_scalar(self._honest.mean_and_error(_prices(mu, nu))[0])

    def hindsight(self, mu: ArrayLike, nu: ArrayLike) -> Scalar:
        """Return the cost with hindsight at (mu, nu), which is too small on average."""
        return as_scalar(self._hindsight.mean_and_error(_prices(mu, nu))[0])

    def standard_error(self, mu: ArrayLike, nu: ArrayLike) -> Scalar:
        """Return the standard error of the honest cost."""
        return as_scalar(self._honest.mean_and_error(_prices(mu, nu))[1])

    def rates(self, mu: ArrayLike, nu: ArrayLike) -> HonestRates:
        """Return the honest shares of misses, false alarms and abstentions at (mu, nu)."""
        done = self._honest.outcomes(_prices(mu, nu))
        w = self._honest.weighting
        factors = (w.positive, w.negative, w.positive, w.negative)
        return HonestRates(
            *(as_scalar(np.asarray(f * column)) for f, column in zip(factors, done, strict=True))
        )

    def interval(
        self,
        mu: ArrayLike,
        nu: ArrayLike,
        *,
        confidence_level: float = 0.95,
        method: str = "bracket",
    ) -> Interval:
        """Return a pointwise interval for the population's surface at (mu, nu).

        "bracket": from k - z s to kc + z sc; also covers the cost of the deployed window.
        "average": (k + kc) / 2 -+ z max(s, sc), narrower. Arrays give arrays of ends.
        """
        prices = _prices(mu, nu)
        z = normal_quantile(confidence_level)
        low, high = bracket_or_average(
            self._hindsight.mean_and_error(prices), self._honest.mean_and_error(prices), z, method
        )
        return Interval(as_scalar(np.maximum(low, 0.0)), as_scalar(high))  # type: ignore[arg-type]

    def volume(self, mu: Range = _UNIT, nu: Range = _UNIT) -> float:
        """Return the honest volume over a rectangle of costs: the mean of per-case proper scores.

        A held-out score exactly on a threshold counts with the block above.
        """
        return self._honest.score_and_error(volume_scores(check_range(mu, "mu"), check_range(nu, "nu")))[0]

    def windows(self, mu: float, nu: float) -> list[AbstentionWindow]:
        """Return the window each fold would have chosen: how stable the thresholds are."""
        return [table.rule.surface.window(mu, nu) for table in self._honest.tables]

    def to_dict(self) -> dict[str, Any]:
        """Return the tables of the folds as JSON-safe built-in types: enough for any honest number."""
        tables = [
            {
                "lower_cuts": table.rule.lower_cuts,
                "upper_cuts": table.rule.upper_cuts,
                "shares": table.rule.surface.shares,
                "positives": table.positives,
                "negatives": table.negatives,
            }
            for table in self._honest.tables
        ]
        return {**Result.to_dict(self), "tables": json_safe(tables)}

    def __repr__(self) -> str:
        what = f"n={self.n:g}, folds={self.folds}, honest vacc={self.volume():.6g}"
        return f"CrossFittedSurface({what}, with hindsight {self.surface.volume():.6g})"


def cross_fitted_surface(
    y_true: Labels | ScoreCounts,
    y_score: ArrayLike | None = None,
    *,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
    prevalence: float | None = None,
    folds: int = 10,
    rng: int | np.random.Generator | None = None,
) -> CrossFittedSurface:
    """Honest abstention cost surface: windows from nine tenths of the cases, judged on the rest.

    The lower the better. The surface of `abstention_surface` judges windows on the cases that
    chose them and is too small on average; here every case is judged by windows learned
    without it, which is what a user of the windows will pay (a little more than with all the
    cases, as a tenth is held out). Assumes independent cases.

    Parameters
    ----------
    y_true, y_score, pos_label, prevalence
        As in `abstention_surface`. With `prevalence` the classes count as two separate samples.
    sample_weight : array of n whole numbers >= 0, optional
        Number of times each case was seen.
    folds : int, default 10
        Number of folds, at most the number of cases of each class; both classes are spread evenly.
    rng : seed or Generator, optional
        For the folds. The same seed gives the same bytes, in whatever order the rows come.

    Returns
    -------
    CrossFittedSurface
        With `cost`, `hindsight`, `standard_error`, `interval`, `rates`, `volume`, `windows`.

    Raises
    ------
    InputError
        For ill-formed input, weights that are not whole numbers, too many folds.
    UndefinedError
        If a class is missing.

    Notes
    -----
    E[k] <= K <= E[kc] for the population's surface K. A held-out score between two blocks goes
    to the side of the midpoint threshold on which it lies (spec 000, section 2).

    References
    ----------
    Chernozhukov et al. (2018), Econometrics Journal 21, doi:10.1111/ectj.12097 (cross-fitting).

    Examples
    --------
    Reviews cost a quarter of an error. With hindsight a case costs 0.111; expect to pay 0.119:

    >>> from demur import Binormal, cross_fitted_surface
    >>> y, s = Binormal(separation=1.8).sample(400, rng=0)
    >>> surface = cross_fitted_surface(y, s, rng=0)
    >>> round(surface.hindsight(1, 0.25), 3), round(surface.cost(1, 0.25), 3)
    (0.111, 0.119)
    """
    counts = as_counts(y_true, y_score, pos_label=pos_label, sample_weight=sample_weight)
    number = check_sample(counts, folds, "a cross-fitted surface")
    return cross_fit(counts, prevalence, number, check_rng(rng))


def check_sample(counts: ScoreCounts, folds: Any, quantity: str) -> int:
    """Check what every cross-fitted number needs of the counts; return the number of folds."""
    counts.require_both_classes(quantity[0].upper() + quantity[1:])
    check_whole_counts(counts, quantity)
    return check_folds(folds, counts.n_positive, counts.n_negative)


def cross_fit(
    counts: ScoreCounts, prevalence: float | None, folds: int, rng: np.random.Generator
) -> CrossFittedSurface:
    """Make the result from checked arguments."""
    k = len(counts.scores)
    sizes = np.concatenate([counts.positives, counts.negatives])
    positive = np.arange(2 * k) < k
    rows = fold_rows(sizes, positive, folds, rng)
    group = np.tile(np.arange(k), 2)
    honest, _ = judge(counts.scores, group, positive, rows, folds=folds, prevalence=prevalence)
    hindsight = judge_with_hindsight(counts, prevalence)
    surface = hindsight.tables[0].rule.surface
    return CrossFittedSurface(
        surface=surface,
        n_positive=counts.n_positive,
        n_negative=counts.n_negative,
        prevalence=surface.prevalence,
        folds=folds,
        _honest=honest,
        _hindsight=hindsight,
    )


def grid_axes(resolution: Any, mu: Any, nu: Any) -> tuple[FloatArray, FloatArray]:
    """Return the (resolution + 1) values of mu and of nu of a grid."""
    steps = check_positive_int(resolution, "resolution") + 1
    return np.linspace(*check_range(mu, "mu"), steps), np.linspace(*check_range(nu, "nu"), steps)
