"""`BinnedCounts`: positives and negatives per bin of scores, with what bounds the exact answer.

Where distinct scores are too many to be counted apart, neighbouring ones share a bin and their
order inside is not known. No order costs more than the bins taken as ties, and none costs less
than each bin split in its best order, negatives below positives: the surface of the true scores
lies between these two, for every cost.

Cutting at one threshold, with cost s of a false alarm and 1 - s of a miss, costs at least

    H(s) = sum over blocks b of min((1 - s) P_b, s N_b),

and a window costs H(nu) + mu H(1 - nu / mu) where abstaining pays, (1 + mu) H(mu / (1 + mu))
elsewhere: its two thresholds are chosen apart (Friedel et al. 2006, section 3). So
the gap between two surfaces follows from one function of one variable, the gap of their H.

Joined bins (`joined_counts`) tell of no few people, in round numbers: a score of 17 digits is as good as a
name to whoever has the table it came from.
"""

from __future__ import annotations

import math
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal, localcontext
from functools import cached_property

import numpy as np

from demur._checks import (
    check_nonnegative,
    check_positive_int,
    check_scores,
    check_type,
    input_error,
)
from demur._kernels.sweep import Sample, ascending_order
from demur._results import json_safe, read_only
from demur.counts.scores import COUNTED, Blocks, ScoreCounts, check_class_columns
from demur.typing import ArrayLike, BoolArray, FloatArray, IntArray

__all__ = [
    "BinnedCounts",
    "bins_to_refine",
    "certified_gap",
    "check_ranges",
    "counts_of_ranges",
    "joined_counts",
]

_ADDS_UP = 1e-9  # relative; sums of weights differ by the order of adding


class BinnedCounts(ScoreCounts):
    """Weighted positives and negatives per bin of neighbouring scores.

    A `ScoreCounts` whose bins act as ties, so that every function of demur takes it: costs are
    then at most `certified` too high at any costs, and thresholds lie between bins. Bins that
    hold one score only (``lower == upper``) are exact. Functions of the value of a score, not
    of its rank, read a bin at its smallest score.

    Build one with `from_bins`. Objects are immutable.

    Attributes
    ----------
    scores, upper_scores : array
        Element b is the smallest (largest) score in bin b, or the smallest (largest) number that falls
        into it; ranges ascend and do not touch.
    positives, negatives : array
        Element b is the weight of that class in bin b.
    exact : bool
        Whether every bin holds one score.
    certified : float
        Largest amount by which the cost surface of these counts can lie above that of the
        scores themselves, whatever mu and nu, in units of the more expensive of the two errors.
    n_bins : int
        Number of bins that may hold more than one score.

    Examples
    --------
    >>> from demur.counts import BinnedCounts
    >>> counts = BinnedCounts.from_bins([0.0, 0.3, 0.6], [0.2, 0.5, 0.6], [0, 2, 7], [6, 1, 0])
    >>> counts
    BinnedCounts(n=16, prevalence=0.5625, bins=3, of several scores=2, certified to 0.0625)
    """

    __slots__ = ("_upper",)

    def __init__(
        self,
        *,
        _positive: Sample,
        _negative: Sample,
        _rows: str = COUNTED,
        _upper: FloatArray | None = None,
    ) -> None:
        super().__init__(_positive=_positive, _negative=_negative, _rows=_rows)
        # from_arrays and from_counts count distinct scores: bins of one score each
        self._upper = _upper

    @classmethod
    def from_bins(
        cls, lower: ArrayLike, upper: ArrayLike, positives: ArrayLike, negatives: ArrayLike
    ) -> BinnedCounts:
        """Take counts per bin; bin b covers the scores from ``lower[b]`` to ``upper[b]``.

        Bins must be ascending and disjoint. Bins without weight are dropped.
        """
        low, high = check_scores(lower, "lower"), check_scores(upper, "upper")
        pos, neg = check_class_columns(positives, negatives, lower=low, upper=high)
        kept = pos + neg > 0
        low, high, pos, neg = low[kept], high[kept], pos[kept], neg[kept]
        check_ranges(low, high)
        return cls(_positive=_sample(low, pos), _negative=_sample(low, neg), _upper=high)

    # ---------------------------------------------------------------- attributes

    @property
    def upper_scores(self) -> FloatArray:
        """Largest score of each bin."""
        return self.scores if self._upper is None else read_only(self._upper)

    @property
    def _open(self) -> BoolArray:
        """Bins that hold several scores, of both classes: the only ones whose order matters."""
        return (self.scores < self.upper_scores) & (self.positives > 0) & (self.negatives > 0)

    @property
    def exact(self) -> bool:
        """Whether every bin holds one score."""
        return self.n_bins == 0

    @cached_property
    def n_bins(self) -> int:
        """Number of bins of more than one score."""
        return int(np.count_nonzero(self.scores < self.upper_scores))

    def ended_below(self, score: float, *, through: bool) -> tuple[float, float]:
        """Weight of each class in the bins that end below a score; `through` counts that score, too."""
        at = int(np.searchsorted(self.upper_scores, score, side="right" if through else "left"))
        return float(self.positives[:at].sum()), float(self.negatives[:at].sum())

    def neighbours(self, score: float, *, through: bool) -> tuple[float, float]:
        """Largest score of the bins that begin below one (`through`: or at it), smallest of the others."""
        at = int(np.searchsorted(self.scores, score, side="right" if through else "left"))
        below = self.upper_scores[at - 1] if at > 0 else -np.inf
        return float(below), float(self.scores[at] if at < len(self.scores) else np.inf)

    def blocks(self) -> Blocks:
        """Return the pooled blocks with the true ranges of their scores."""
        blocks = super().blocks()
        return blocks._replace(upper=read_only(self.upper_scores[np.cumsum(blocks.groups) - 1]))

    # ---------------------------------------------------------------- bounds

    @cached_property
    def split(self) -> ScoreCounts:
        """Every bin in its best order, negatives below positives: no truth is cheaper."""
        at = np.where(self._open, self.upper_scores, self.scores)
        return ScoreCounts(
            _positive=_sample(at, self.positives), _negative=_sample(self.scores, self.negatives)
        )

    @cached_property
    def reversed_split(self) -> ScoreCounts:
        """Every bin in its worst order, positives below negatives: no truth has a smaller AUC."""
        at = np.where(self._open, self.upper_scores, self.scores)
        return ScoreCounts(
            _positive=_sample(self.scores, self.positives), _negative=_sample(at, self.negatives)
        )

    @cached_property
    def certified(self) -> float:
        """Largest error of a surface of these counts over all costs, at the sample's prevalence."""
        return certified_gap(self, self.class_weights())

    # ---------------------------------------------------------------- change

    def refined(
        self,
        indices: ArrayLike,
        scores: ArrayLike,
        positives: ArrayLike,
        negatives: ArrayLike,
        *,
        upper: ArrayLike | None = None,
    ) -> ScoreCounts:
        """Return the counts with the bins `indices` replaced by the exact scores of a second pass.

        `scores` are the distinct scores in these bins, in any order, with the weight of each
        class; where they are still too many, finer bins from `scores` to `upper`. They must
        add up to the bins replaced. Exact counts come back as a `ScoreCounts`.
        """
        chosen, last = np.unique(np.asarray(indices)), len(self.scores) - 1
        if chosen.size and (chosen.dtype.kind not in "iu" or chosen[0] < 0 or chosen[-1] > last):
            raise input_error("indices", f"must be whole numbers from 0 to {last}", repr(indices))
        chosen = chosen.astype(np.int64)
        low = check_scores(scores, "scores")
        high = low if upper is None else check_scores(upper, "upper")
        pos, neg = check_class_columns(positives, negatives, scores=low, upper=high)
        at = np.searchsorted(self.scores, low, side="right") - 1
        outside = ~np.isin(at, chosen) | (high > self.upper_scores[at])
        if np.any(outside):
            raise input_error("scores", "must lie in the bins to be replaced", float(low[outside][0]))
        for name, new, old in (("positives", pos, self.positives), ("negatives", neg, self.negatives)):
            total = np.bincount(at, new, len(self.scores))[chosen]
            wrong = np.abs(total - old[chosen]) > _ADDS_UP * old[chosen]
            if np.any(wrong):
                bin_ = int(chosen[wrong][0])
                got = f"{total[wrong][0]:g} instead of {old[bin_]:g} in bin {bin_}"
                raise input_error(
                    name,
                    "must add up to the bins they replace",
                    got,
                    "count the same data twice, with the same rows left out.",
                )
        keep = np.ones(len(self.scores), dtype=np.bool_)
        keep[chosen] = False
        own = self.scores, self.upper_scores, self.positives, self.negatives
        columns = [
            np.concatenate([old[keep], new]) for old, new in zip(own, (low, high, pos, neg), strict=True)
        ]
        order = ascending_order(columns[0])
        made = BinnedCounts.from_bins(*(column[order] for column in columns))
        if not made.exact:
            return made
        return ScoreCounts(_positive=made._positive, _negative=made._negative, _rows=made._rows)

    def to_dict(self) -> dict[str, object]:
        """Return the counts per bin as JSON-safe built-in types."""
        return {
            **super().to_dict(),
            **{name: json_safe(getattr(self, name)) for name in ("upper_scores", "exact", "certified")},
        }

    def __repr__(self) -> str:
        what = f"n={self.n:g}, prevalence={self.prevalence:.4g}, bins={len(self.scores)}"
        return f"BinnedCounts({what}, of several scores={self.n_bins}, certified to {self.certified:.3g})"


def certified_gap(counts: BinnedCounts, weights: tuple[float, float]) -> float:
    """Return the largest gap between the surfaces of the bins and of their best order.

    Over all costs whose more expensive error costs 1; `weights` turn the counts of each class into masses.
    With x = nu and y = 1 - nu / mu the gap is d(x) + x d(y) / (1 - y) for x <= y, where d is the
    gap of H; outside, abstaining does not pay and the gap is that of x = y. Both surfaces are
    piecewise linear in (mu, nu), with cells bounded by the lines nu = r and nu = mu (1 - r), r
    the shares of either's blocks, so the gap is largest at a corner: x and y are shares, or
    mu = 1, where y = 1 - x. Over mu <= 1 that is x <= y <= 1 - x: nested ranges of y, whose
    largest d(y) / (1 - y) are running maxima. Costs with mu > 1 are those of the same data
    with the classes exchanged, which mirrors s to 1 - s.
    """
    pooled, split = _masses(counts, weights), _masses(counts.split, weights)
    shares = np.concatenate([_shares(pooled), _shares(split)])
    shares = shares[(shares > 0) & (shares < 1)]
    if not shares.size:
        return 0.0
    low = np.unique(np.minimum(shares, 1 - shares))
    low = np.append(low[low < 0.5], 0.5)
    s = np.concatenate([low, 1 - low[-2::-1]])
    gap = np.maximum(_threshold_costs(pooled, s) - _threshold_costs(split, s), 0.0)
    return max(_largest_below_one(low, gap), _largest_below_one(low, gap[::-1]))


def _masses(counts: ScoreCounts, weights: tuple[float, float]) -> Masses:
    blocks = counts.blocks()
    return blocks.positives * weights[0], blocks.negatives * weights[1]


def bins_to_refine(counts: ScoreCounts, *, tolerance: float) -> IntArray:
    """Bins whose exact scores bring the certificate down to `tolerance`, whatever they show.

    Read the distinct scores of these bins in a second pass and hand them to
    `BinnedCounts.refined`; its `certified` is then at most `tolerance`.

    Parameters
    ----------
    counts : ScoreCounts
        Exact counts need nothing.
    tolerance : float, > 0
        Wanted `certified`.

    Returns
    -------
    array of int
        Indices of bins, ascending; empty if `certified` is small enough already.

    Notes
    -----
    Let H(s) be the smallest cost of one threshold on the bins, c_b(s) that of the best cut
    inside bin b, and g_b the largest H - c_b. Once some bins are known exactly, H can only
    fall and the c_b of the other bins stay, so the gap of H is at most the largest g_b of
    these others; a surface has at most twice that gap where the costlier error costs 1, as its
    window has two thresholds. So all bins with g_b > tolerance / 2 are enough.

    Examples
    --------
    >>> from demur.counts import BinnedCounts, bins_to_refine
    >>> counts = BinnedCounts.from_bins([0.0, 0.3, 0.6], [0.2, 0.5, 0.8], [1, 2, 7], [6, 2, 0])
    >>> bins_to_refine(counts, tolerance=0.1).tolist()
    [1]
    """
    check_type(counts, "counts", ScoreCounts)
    limit = float(check_nonnegative(tolerance, "tolerance"))
    if not isinstance(counts, BinnedCounts) or counts.certified <= limit:
        return np.empty(0, dtype=np.int64)
    weights = counts.class_weights()
    masses = counts.positives * weights[0], counts.negatives * weights[1]
    return np.flatnonzero(_bin_gaps(masses, counts.blocks().groups, counts._open) > limit / 2)


def counts_of_ranges(
    lower: FloatArray, upper: FloatArray, positives: FloatArray, negatives: FloatArray
) -> ScoreCounts:
    """Count cells per range of scores; a plain `ScoreCounts` where every range is one score."""
    low, place = np.unique(lower, return_inverse=True)
    high = np.empty_like(low)
    high[place] = upper
    sums = [np.bincount(place, column, len(low)) for column in (positives, negatives)]
    if np.array_equal(low, high):
        return ScoreCounts.from_counts(low, *sums)
    return BinnedCounts.from_bins(low, high, *sums)


def _sample(scores: FloatArray, weights: FloatArray) -> Sample:
    present = weights > 0
    return Sample(scores[present], weights[present])


def check_ranges(low: FloatArray, high: FloatArray) -> None:
    """Require ascending ranges of scores that do not touch."""
    wrong = np.flatnonzero(low > high)
    if wrong.size:
        at = int(wrong[0])
        raise input_error("lower", "must not exceed upper", f"{low[at]} above {high[at]} in bin {at}")
    touching = np.flatnonzero(high[:-1] >= low[1:])
    if touching.size:
        at = int(touching[0])
        got = f"{high[at]} in bin {at} and {low[at + 1]} in the next"
        raise input_error("lower and upper", "must be ascending bins that do not touch", got)


Masses = tuple[FloatArray, FloatArray]
"""Masses of the positives and of the negatives in each block, ascending in share."""


def _threshold_costs(masses: Masses, s: FloatArray) -> FloatArray:
    """Return H(s): the smallest cost of one threshold at every false-alarm cost `s` in [0, 1]."""
    positive, negative = masses
    below = np.concatenate([[0.0], np.cumsum(positive)])
    above = np.concatenate([np.cumsum(negative[::-1])[::-1], [0.0]])
    cut = np.searchsorted(_shares(masses), s)
    return np.asarray((1 - s) * below[cut] + s * above[cut])


def _shares(masses: Masses) -> FloatArray:
    total = masses[0] + masses[1]
    # a class of prior 0 leaves blocks without mass; they take part in nothing
    return np.divide(masses[0], total, out=np.zeros_like(total), where=total > 0)


def _largest_below_one(low: FloatArray, gap: FloatArray) -> float:
    """Largest gap over mu <= 1; `gap` is given at `low`, which ends with 1/2, and its mirror image."""
    half = len(low)
    forward, mirrored = gap[:half], gap[::-1][:half]
    rates = np.maximum(forward / (1 - low), mirrored / low)
    best = np.maximum.accumulate(rates[::-1])[::-1]
    return float((forward + low * best).max())


def _bin_gaps(bins: Masses, blocks: IntArray, open_bins: BoolArray) -> FloatArray:
    """Return the most that each bin's unknown order can lower H, over all costs.

    `blocks` holds the number of bins of each pooled block. A cut inside bin b, with its
    negatives below and its positives above, costs c_b(s) = (1 - s) P(below b) + s N(above b).
    H(s) - c_b(s) is concave, and its slope changes sign where H bends at the share r of the
    block of b, as c_b falls no faster than H before this block and no slower than after it.
    There cutting before the block is optimal, so the largest gap is
    r N(start of the block .. b) - (1 - r) P(start of the block .. before b).
    """
    starts = np.concatenate([[0], np.cumsum(blocks)])[:-1]
    below = [np.concatenate([[0.0], np.cumsum(column)]) for column in bins]
    ends = starts + blocks
    inside = below[0][ends] - below[0][starts], below[1][ends] - below[1][starts]
    r = np.repeat(_shares(inside), blocks)
    first = np.repeat(starts, blocks)
    gap = r * (below[1][1:] - below[1][first]) - (1 - r) * (below[0][:-1] - below[0][first])
    return np.where(open_bins, np.maximum(gap, 0.0), 0.0)


# digits of the exact value of any float
_EXACT_DIGITS = 1100
# tries beyond the digits of the gap; two round numbers fit in after at most three
_MORE_DIGITS = 4


def joined_counts(counts: ScoreCounts, *, smallest: int = 10) -> BinnedCounts:
    """Join neighbouring scores until every bin holds no case of a class, or at least `smallest`.

    The result takes the place of the counts everywhere and tells less about single cases: no cell, a
    bin and a class, stands for fewer than `smallest` of them, and the ends of the bins are rounded to
    the fewest digits that keep every case in its bin. Costs are then at most ``certified`` too high.
    It assumes that a row is a case: for several rows of one person, count persons.

    Parameters
    ----------
    counts : ScoreCounts
        Of cases, not of importance weights.
    smallest : int
        Smallest number of cases of a class in a bin, unless there are none.

    Returns
    -------
    BinnedCounts
        Its thresholds, halfway between neighbouring bins, decide on every case as its bin does.

    Raises
    ------
    InputError
        If a class has fewer than `smallest` cases, or counts are no whole numbers.

    Notes
    -----
    There are as many bins as this allows. Let u be the largest score of a bin and v the smallest of the
    next. Their new ends are two round numbers u' < v' in [u, v] with the fewest decimals, so that
    (u' + v') / 2 lies between u and v, too. The outer ends move outward by less than one unit of the
    first digit of their bin's width. A bin of one score keeps it: at least `smallest` cases share it.

    Examples
    --------
    >>> from demur import ScoreCounts
    >>> from demur.counts import joined_counts
    >>> y = [0, 0, 1, 0, 0, 1, 1, 1]
    >>> s = [0.1307, 0.2219, 0.3871, 0.4142, 0.4306, 0.4977, 0.8254, 0.9118]
    >>> joined = joined_counts(ScoreCounts.from_arrays(y, s), smallest=2)
    >>> joined.scores.tolist(), joined.upper_scores.tolist()
    ([0.13, 0.38, 0.8], [0.23, 0.5, 0.92])
    >>> joined.positives.tolist(), joined.negatives.tolist()
    ([0.0, 2.0, 2.0], [2.0, 2.0, 0.0])
    """
    check_type(counts, "counts", ScoreCounts)
    least = check_positive_int(smallest, "smallest")
    pos, neg = counts.positives, counts.negatives
    if np.any(pos % 1 != 0) or np.any(neg % 1 != 0):
        hint = "weights that say how much a case matters do not tell how many there are."
        raise input_error("counts", "must be whole numbers of cases", "broken ones", hint)
    for name, total in (("positive", counts.n_positive), ("negative", counts.n_negative)):
        if 0 < total < least:
            hint = "a page with so few of them would tell about each."
            raise input_error("counts", f"must hold at least {least} {name} cases", f"{total:g}", hint)
    starts = _starts(pos, neg, least)
    ends = np.append(starts[1:], len(pos)) - 1
    low, high = _rounded(counts.scores[starts], counts.upper_scores[ends])
    return BinnedCounts.from_bins(low, high, np.add.reduceat(pos, starts), np.add.reduceat(neg, starts))


def _starts(pos: FloatArray, neg: FloatArray, least: int) -> IntArray:
    """First score of every bin, for the largest number of bins.

    With f(i) the most bins that the first i scores can form, f(i) = 1 + max f(j) over the bins (j, i]
    that may be: with enough of both classes, or none of one and enough of the other.
    """
    below = [np.append(0.0, np.cumsum(column)) for column in (pos, neg)]
    enough = [np.searchsorted(column, column - least, side="right") - 1 for column in below]
    none = [np.searchsorted(column, column, side="left") for column in below]
    zero = np.zeros_like(none[0])
    # each way a bin may begin: from the first to the last score, for every end
    ways = [(zero, np.minimum(*enough)), (none[0], enough[1]), (none[1], enough[0])]
    best = [_LatestBest(first.tolist(), last.tolist()) for first, last in ways]
    most, begin = [0], [0]
    for end in range(1, len(pos) + 1):
        places = [place for way in best if (place := way.at(end, most)) >= 0]
        begin.append(max(places, key=lambda place: (most[place], place), default=-1))
        most.append(most[begin[-1]] + 1 if places else -1)
    starts = []
    end = len(pos)
    while end > 0:
        end = begin[end]
        starts.append(end)
    return np.array(starts[::-1])


class _LatestBest:
    """The latest place of the largest value in ranges whose ends both move up only."""

    def __init__(self, first: list[int], last: list[int]) -> None:
        self._first, self._last = first, last
        self._from, self._to, self._place = -1, 0, -1

    def at(self, end: int, values: list[int]) -> int:
        if self._first[end] != self._from:
            self._from = self._to = self._first[end]
            self._place = -1
        while self._to <= self._last[end]:
            if values[self._to] >= (0 if self._place < 0 else values[self._place]):
                self._place = self._to
            self._to += 1
        return self._place


def _rounded(low: FloatArray, high: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Round the ends of disjoint ranges, each within the gap to its neighbour."""
    lower, upper = low.copy(), high.copy()
    single = low == high
    for at in range(len(low) - 1):
        upper[at], lower[at + 1] = _in_gap(
            float(high[at]), float(low[at + 1]), keep_first=bool(single[at]), keep_second=bool(single[at + 1])
        )
    for at, ends, mode in ((0, lower, ROUND_FLOOR), (-1, upper, ROUND_CEILING)):
        width = float(high[at]) - float(low[at])
        if 0 < width < math.inf:
            outward = _to_decimals(float(ends[at]), -math.floor(math.log10(width)), mode)
            ends[at] = outward if math.isfinite(outward) else ends[at]
    return lower, upper


def _in_gap(first: float, second: float, *, keep_first: bool, keep_second: bool) -> tuple[float, float]:
    """Two numbers in [first, second], ascending, with the fewest decimals; kept ones stay as they are."""
    gap = second - first
    if not (math.isfinite(gap) and gap > 0):
        return first, second
    start = -math.floor(math.log10(gap)) - 1
    for decimals in range(start, start + _MORE_DIGITS):
        low = first if keep_first else _to_decimals(first, decimals, ROUND_CEILING)
        high = second if keep_second else _to_decimals(second, decimals, ROUND_FLOOR)
        if first <= low < high <= second:
            return low, high
    return first, second


def _to_decimals(value: float, decimals: int, mode: str) -> float:
    """Round to so many decimals, up or down; exact, whatever the size of the number."""
    with localcontext(prec=_EXACT_DIGITS):
        return float(Decimal(value).quantize(Decimal(1).scaleb(-decimals), rounding=mode))
