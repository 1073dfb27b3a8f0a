"""`ScoreCosts`: three sums of costs per distinct score, for cases that each have their own amounts.

`ScoreCounts` is enough where every miss costs the same. Where a missed fraud costs its amount, the
costs of the cases themselves are added up per score. Everything about windows at these costs is a
function of the sums.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from demur._checks import (
    check_amounts,
    check_nonnegative,
    check_number,
    check_positive_int,
    check_same_length,
    check_scores,
    check_type,
    input_error,
)
from demur._files.parquet import read_columns, write_columns
from demur._kernels.sweep import ordered_sums, score_groups
from demur._kernels.thresholds import thresholds_at
from demur._kernels.window_search import cheapest_case_cuts, least_cost_of_any_order
from demur._results import json_safe, read_only
from demur.counts.bins import check_ranges
from demur.counts.scores import united_ranges
from demur.counts.window import NEVER_PAYS, AbstentionWindow
from demur.exceptions import UndefinedError
from demur.typing import ArrayLike, BoolArray, FloatArray, IntArray

__all__ = ["COST_PRODUCTS", "FoldedCosts", "MomentRows", "ScoreCosts"]

_SCHEMA = "demur.costs"
_VERSION = 1
_NAMES = ("miss", "alarm", "review")
_SUMS = ("cases", *_NAMES, *(f"{name}_squares" for name in _NAMES))
_COLUMNS = ("lower", "upper", *_SUMS)


@dataclass(frozen=True, eq=False, repr=False)
class ScoreCosts:
    """Costs of calling a case negative, of calling it positive and of a review, summed per distinct score.

    For costs that differ from case to case: a missed fraud costs its amount. Higher scores mean more
    positive; smaller costs are better. Sums of disjoint data add up (`merge`), so days and shards can
    be added up apart, kept with `save` and brought back with `load`.

    Build one with `from_arrays` (one row per case) or `from_sums` (already grouped). Objects are
    immutable.

    Attributes
    ----------
    scores, upper_scores : array
        Distinct scores, ascending; for bins the smallest and the largest score of each.
    cases : array
        Element g is the number of cases at ``scores[g]``.
    miss, alarm, review : array
        Element g is what these cases cost together if called negative, if called positive, if sent to
        a person.
    miss_squares, alarm_squares, review_squares : array
        Sums of the squared costs of the cases, for standard errors.
    n : float
        Number of cases.
    exact : bool
        Whether every distinct score has its own row; False for bins of several scores.

    Notes
    -----
    The window that calls the lowest i scores negative and reviews up to score j costs
    sum_{g <= i} miss_g + sum_{i < g <= j} review_g + sum_{g > j} alarm_g. Equal costs of all cases of a
    class are a special case: miss = cost_fn P_g, alarm = cost_fp N_g, review = cost_abstain (P_g + N_g)
    give the windows of `abstention_surface`. Cost curves and VACC have no counterpart here: amounts have
    no normal form with two parameters.

    References
    ----------
    Friedel, Rueckert, Kramer (2006) for windows; Elkan (2001), The foundations of cost-sensitive
    learning, IJCAI, for costs by case.

    Examples
    --------
    A missed fraud costs its amount, a blocked good payment 25, a phone call 4. Which payments are worth
    a call?

    >>> from demur import ScoreCosts
    >>> fraud = [0, 0, 1, 0, 0, 1]
    >>> amount = [60, 15, 40, 80, 20, 900]
    >>> score = [0.1, 0.2, 0.3, 0.4, 0.6, 0.9]
    >>> costs = ScoreCosts.from_arrays(
    ...     score,
    ...     miss=[a * f for a, f in zip(amount, fraud)],
    ...     alarm=[25 * (1 - f) for f in fraud],
    ...     review=4,
    ... )
    >>> window = costs.window()
    >>> window.lower, window.upper, window.cost
    (0.25, 0.75, 2.0)
    >>> costs.trivial["always negative"]
    156.66666666666666
    """

    scores: FloatArray
    upper_scores: FloatArray
    cases: FloatArray
    miss: FloatArray
    alarm: FloatArray
    review: FloatArray
    miss_squares: FloatArray
    alarm_squares: FloatArray
    review_squares: FloatArray

    def __post_init__(self) -> None:
        """Freeze the columns."""
        for column in self._columns:
            read_only(column)

    @property
    def _columns(self) -> list[FloatArray]:
        return [self.scores, self.upper_scores, *(getattr(self, name) for name in _SUMS)]

    # ---------------------------------------------------------------- construction

    @classmethod
    def from_arrays(
        cls, y_score: ArrayLike, *, miss: ArrayLike, alarm: ArrayLike, review: ArrayLike
    ) -> ScoreCosts:
        """Add up one row per case.

        Labels are not needed: they are in the costs. A positive costs something if called negative, a
        negative if called positive. `Reviewer.review_costs` makes `review` for a person who errs.

        Parameters
        ----------
        y_score : array of n numbers
            Higher means more positive; infinities are fine, NaN is not.
        miss : float or array of n numbers >= 0
            Cost if the case is called negative: the loss of a missed positive, 0 for a negative
            (unless a right answer costs something as well).
        alarm : float or array of n numbers >= 0
            Cost if it is called positive: the price of a false alarm, 0 for a positive.
        review : float or array of n numbers >= 0
            Cost if it is sent to a person.

        Raises
        ------
        InputError
            For negative, missing, too long or too short columns, or text; the message names the argument.
        """
        scores = check_scores(y_score)
        amounts = [check_amounts(v, name) for v, name in zip((miss, alarm, review), _NAMES, strict=True)]
        for column, name in zip(amounts, _NAMES, strict=True):
            check_same_length(**{"y_score": scores, name: column if column.ndim else None})
        groups = score_groups(scores)
        cases = groups.sizes()
        sums, squares = [], []
        for one in amounts:
            if one.ndim == 0:  # one cost of all cases
                sums.append(float(one) * cases)
                squares.append(float(one) ** 2 * cases)
            else:
                ascending = groups.ascending(one)
                sums.append(groups.sums(ascending))
                squares.append(groups.sums(ascending * ascending))
        return cls(groups.scores, groups.scores, cases, *sums, *squares)

    @classmethod
    def from_sums(
        cls,
        scores: ArrayLike,
        cases: ArrayLike,
        *,
        miss: ArrayLike,
        alarm: ArrayLike,
        review: ArrayLike,
        squares: tuple[ArrayLike, ArrayLike, ArrayLike],
        upper: ArrayLike | None = None,
    ) -> ScoreCosts:
        """Take sums that are already grouped; equal scores and any order are fine.

        `squares` are the sums of the squared costs of the cases: of a miss, an alarm and a review.
        With `upper`, row g is a bin that covers the scores from ``scores[g]`` to ``upper[g]``, both
        observed; bins must not touch. Rows without cases are dropped.
        """
        low = check_scores(scores, "scores")
        high = low if upper is None else check_scores(upper, "upper")
        named = dict(zip(("cases", *_NAMES), (cases, miss, alarm, review), strict=True))
        named |= {f"squares[{k}]": column for k, column in enumerate(squares)}
        columns = {name: np.atleast_1d(check_nonnegative(value, name)) for name, value in named.items()}
        for name, column in {"upper": high, **columns}.items():
            check_same_length(scores=low, **{name: column})
        kept = columns["cases"] > 0
        if not kept.any():
            raise input_error("cases", "must have a positive sum", 0)
        groups = score_groups(low[kept])
        added = [groups.sums(groups.ascending(column[kept])) for column in columns.values()]
        if upper is None:
            return cls(groups.scores, groups.scores, *added)
        top = groups.ascending(high[kept])
        check_ranges(groups.ascending(low[kept]), top)
        return cls(groups.scores, top, *added)

    def merge(self, *others: ScoreCosts) -> ScoreCosts:
        """Return the sums over the union of disjoint data sets; bins must be the same bins."""
        for other in others:
            check_type(other, "others", ScoreCosts)
        parts = [self, *others]
        columns = zip(*(part._columns for part in parts), strict=True)
        low, high, *sums = map(np.concatenate, columns)
        source = np.repeat(np.arange(len(parts)), [len(part.cases) for part in parts])
        lower, upper, at = united_ranges(low, high, source)
        return ScoreCosts(lower, upper, *(ordered_sums(at, column, len(lower)) for column in sums))

    def scaled(self, *, miss: float = 1.0, alarm: float = 1.0, review: float = 1.0) -> ScoreCosts:
        """Return the sums with all costs of one kind times a factor: what if reviews cost twice as much?"""
        factors = {"miss": miss, "alarm": alarm, "review": review}
        changed = {}
        for name, value in factors.items():
            factor = float(check_nonnegative(check_number(value, name), name))
            changed[name] = factor * getattr(self, name)
            changed[f"{name}_squares"] = factor**2 * getattr(self, f"{name}_squares")
        return replace(self, **changed)

    # ---------------------------------------------------------------- files

    def save(self, path: str | Path) -> None:
        """Write the sums to a Parquet file: a row per distinct score or bin, whole or not at all."""
        write_columns(path, dict(zip(_COLUMNS, self._columns, strict=True)), schema=_SCHEMA, version=_VERSION)

    @classmethod
    def load(cls, path: str | Path) -> ScoreCosts:
        """Read sums written by `save`; other files and other versions are refused."""
        _, columns = read_columns(path, {_VERSION: _COLUMNS}, schema=_SCHEMA)
        return cls.from_sums(
            columns["lower"],
            columns["cases"],
            **{name: columns[name] for name in _NAMES},
            squares=tuple(columns[f"{name}_squares"] for name in _NAMES),  # type: ignore[arg-type]
            upper=columns["upper"],
        )

    # ---------------------------------------------------------------- attributes

    @cached_property
    def n(self) -> float:
        """Number of cases."""
        return float(self.cases.sum())

    @property
    def _several(self) -> BoolArray:
        """Bins that hold several scores."""
        return self.scores < self.upper_scores

    @cached_property
    def exact(self) -> bool:
        """Whether every distinct score has its own row."""
        return self.scores is self.upper_scores or not self._several.any()

    @property
    def trivial(self) -> dict[str, float]:
        """Mean cost per case of the three rules that need no score."""
        rules = {"always negative": self.miss, "always positive": self.alarm, "always abstain": self.review}
        return {rule: float(costs.sum()) / self.n for rule, costs in rules.items()}

    # ---------------------------------------------------------------- windows

    def window(self, *, may_abstain: bool = True) -> AbstentionWindow:
        """Return the cheapest window, searched over all pairs of thresholds in one pass.

        Among equally cheap windows: the fewest cases sent to a person, then the most positives. With
        ``may_abstain=False`` the cheapest single threshold.
        """
        cuts = cheapest_case_cuts(self.cases, self.miss, self.alarm, self.review, may_abstain=may_abstain)
        window = self._window_of(*cuts)
        note = NEVER_PAYS if may_abstain and window.is_empty else ""
        if self.exact:
            return replace(window, certified=0.0, note=note)
        reviews = self.review if may_abstain else np.full(len(self.review), np.inf)
        least = least_cost_of_any_order(self.miss, self.alarm, reviews, self._several) / self.n
        # the two sums are rounded apart
        return replace(window, certified=max(0.0, window.cost - least), note=note)

    def of_window(self, lower: float, upper: float) -> AbstentionWindow:
        """Return what given thresholds cost on these cases, say a window chosen on other cases.

        Positive if ``score >= upper``, else negative if ``score <= lower``, else reviewed. A threshold
        of inf (upper) or -inf (lower) is never reached.
        """
        low, high = float(lower), float(upper)
        if not low <= high:
            raise input_error("lower", "must not exceed upper", f"{low} and {high}")
        last = len(self.scores)
        # negative if the largest score is at most `low`, positive if the smallest is at least `high`
        i = 0 if low == -math.inf else int(np.searchsorted(self.upper_scores, low, "right"))
        j = last if high == math.inf else int(np.searchsorted(self.scores, high, "left"))
        cut_by_lower = i < last and self.scores[i] <= low > -math.inf
        cut_by_upper = j > 0 and self.upper_scores[j - 1] >= high < math.inf
        if cut_by_upper or (cut_by_lower and i < j):
            raise UndefinedError(
                f"A threshold inside a bin of several scores has no known cost, got ({low}, {high}). "
                "Hint: take thresholds between bins, or sums of the exact scores."
            )
        return replace(self._window_of(min(i, j), j), lower=low, upper=high)

    def _window_of(self, i: int, j: int) -> AbstentionWindow:
        """Describe the window of the first i and j rows with its cost."""
        n, parts = self.n, (slice(None, i), slice(j, None), slice(i, j))
        miss, alarm, review = (
            float(getattr(self, name)[part].sum()) / n for name, part in zip(_NAMES, parts, strict=True)
        )
        squares = sum(
            float(getattr(self, f"{name}_squares")[part].sum())
            for name, part in zip(_NAMES, parts, strict=True)
        )
        cost = miss + alarm + review
        lower, upper = thresholds_at(self.scores, self.upper_scores, i, j)
        # sum of squared deviations; below 0 by rounding where all cases cost the same
        spread = max(0.0, squares - n * cost**2)
        return AbstentionWindow(
            about="amounts",
            lower=lower,
            upper=upper,
            cost=cost,
            miss=miss,
            alarm=alarm,
            review=review,
            abstention_rate=min(float(self.cases[i:j].sum()) / n, 1.0),
            lower_index=i,
            upper_index=j,
            standard_error=math.sqrt(spread / (n * (n - 1))) if n > 1 else math.nan,
            certified=math.nan,
            n=n,
        )

    # ---------------------------------------------------------------- bins

    @property
    def certified(self) -> float:
        """Largest amount, per case, by which the cheapest window costs more than on the exact scores."""
        return 0.0 if self.exact else self.window().certified

    def binned(self, *, at_most: int = 4096) -> ScoreCosts:
        """Return the sums in at most so many bins of neighbouring scores, with a certificate of the loss.

        The thresholds of the cheapest window stay between bins, so at these costs nothing is lost. At
        other costs, say `scaled`, the cheapest window on the bins costs at most `certified` more, per
        case, than the cheapest on the exact scores, whatever their order in the bins.

        Parameters
        ----------
        at_most : int, at least 4
            Wanted number of rows.

        Notes
        -----
        A window cuts at most two bins. If it cuts bin p where reviews begin, moving the cut to an end
        of the bin costs at most min(miss_p, review_p); where they end, min(review_p, alarm_p). Bins
        therefore share out the cost of reviews evenly, or that of misses and alarms where these are
        the smaller: with k bins a bin of several scores holds at most 4 / (k - 3) of it.
        """
        limit = check_positive_int(at_most, "at_most")
        if limit < 4:
            raise input_error("at_most", "must be at least 4", limit)
        if len(self.scores) <= limit:
            return self
        window = self.window()
        cuts = {window.lower_index, window.upper_index} - {len(self.scores)}
        # what a cut inside a row can cost at most: the smaller of reviews and errors; cases if neither
        errors = self.miss + self.alarm
        stakes = self.review if self.review.sum() <= errors.sum() else errors
        starts = _even_starts(stakes if stakes.any() else self.cases, limit, cuts)
        ends = np.append(starts[1:], len(self.scores)) - 1
        return ScoreCosts(
            self.scores[starts],
            self.upper_scores[ends],
            *[np.add.reduceat(column, starts) for column in self._columns[2:]],
        )

    # ---------------------------------------------------------------- as values

    def to_dict(self) -> dict[str, Any]:
        """Return the sums as JSON-safe built-in types."""
        contents = {name: json_safe(getattr(self, name)) for name in ("n", "scores", *_SUMS)}
        if self.exact:
            return contents
        return {**contents, "upper_scores": json_safe(self.upper_scores), "certified": self.certified}

    def __repr__(self) -> str:
        means = ", ".join(
            f"{rule}={cost:.4g}" for rule, cost in zip(_NAMES, self.trivial.values(), strict=True)
        )
        rows = f"{'distinct scores' if self.exact else 'bins'}={len(self.scores)}"
        certified = "" if self.exact else f", certified to {self.certified:.3g}"
        return f"ScoreCosts(n={self.n:g}, mean {means}, {rows}{certified})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ScoreCosts):
            return NotImplemented
        return all(map(np.array_equal, self._columns, other._columns))

    __hash__ = None  # type: ignore[assignment]


def _even_starts(stakes: FloatArray, limit: int, cuts: Iterable[int]) -> IntArray:
    """First rows of at most `limit` bins that share out the stakes evenly; the `cuts` start a bin.

    A bin begins where the stakes below pass a multiple of 1/m of the total, and before a row that
    holds more than 1/m alone, so a bin of several rows holds at most 2/m. There are fewer than m such
    rows: half of the limit is enough in any case, and nearly all of it mostly.
    """
    below = np.concatenate([[0.0], np.cumsum(stakes)])
    for m in (limit - 2, (limit - 2) // 2):
        cells = np.floor(m * (below[:-1] / below[-1]))
        begins = np.append(True, (cells[1:] > cells[:-1]) | (m * stakes[1:] > below[-1]))
        begins[list(cuts)] = True
        starts = np.flatnonzero(begins)
        if len(starts) <= limit:
            break
    return starts


COST_PRODUCTS = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))
"""Pairs of the three costs whose products are summed: the squares first."""


class MomentRows(NamedTuple):
    """Rows with the sums, squares and products of the cells they stand for.

    Row r stands for `sizes[r]` cases of cell `cell[r]`; columns of `losses` are called negative, called
    positive, reviewed.
    """

    cell: IntArray
    sizes: FloatArray
    losses: FloatArray


class FoldedCosts(NamedTuple):
    """Element c: the cases of one class and one fold with scores from ``lower[c]`` to ``upper[c]``.

    Columns of `sums` are costs if called negative, if called positive, if reviewed; those of `products`
    their products 11, 22, 33, 12, 13, 23. Sums of disjoint data add up.
    """

    lower: FloatArray
    upper: FloatArray
    positive: BoolArray
    fold: IntArray
    cases: FloatArray
    sums: FloatArray
    products: FloatArray
    folds: int

    def moment_rows(self) -> MomentRows:
        """Return few rows per cell that have its mean costs and their covariances exactly.

        Costs of windows, their squares and those of their differences are sums over cells, so they come
        out as with all cases. With k costs that differ, 2 k rows of equal size lie at the mean plus and
        minus sqrt(k) times the k columns of a root of the covariance matrix.
        """
        mean = self.sums / self.cases[:, None]
        covariance = np.empty((len(self.cases), 3, 3))
        for column, (i, j) in enumerate(COST_PRODUCTS):
            gap = self.products[:, column] / self.cases - mean[:, i] * mean[:, j]
            # a difference that is rounding is none
            size = np.abs(mean[:, i] * mean[:, j])
            covariance[:, i, j] = covariance[:, j, i] = np.where(np.abs(gap) > 1e-12 * size, gap, 0.0)
        varying = np.flatnonzero(np.any(np.diagonal(covariance, axis1=1, axis2=2) > 0, axis=0))
        if not varying.size:
            return MomentRows(np.arange(len(mean)), self.cases, mean)
        kept = covariance[:, varying[:, None], varying]
        values, vectors = np.linalg.eigh(kept)
        root = vectors * np.sqrt(np.maximum(values, 0.0))[:, None, :]
        count = len(varying)
        steps = np.zeros((len(mean), 2 * count, 3))
        away = np.sqrt(count) * np.swapaxes(root, 1, 2)
        steps[:, :count, varying] = away
        steps[:, count:, varying] = -away
        losses = mean[:, None, :] + steps
        cell = np.repeat(np.arange(len(mean)), 2 * count)
        return MomentRows(cell, self.cases[cell] / (2 * count), losses.reshape(-1, 3))
