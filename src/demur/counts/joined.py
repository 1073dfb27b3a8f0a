"""`joined_counts`: neighbouring scores joined until no cell tells of few people, in round numbers.

A score of 17 digits is as good as a name to whoever has the table it came from.
"""

from __future__ import annotations

import math
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal, localcontext

import numpy as np

from demur._checks import check_positive_int, check_type, input_error
from demur.counts.bins import BinnedCounts
from demur.counts.scores import ScoreCounts
from demur.typing import FloatArray, IntArray

__all__ = ["joined_counts"]

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
    upper = counts.upper_scores if isinstance(counts, BinnedCounts) else counts.scores
    low, high = _rounded(counts.scores[starts], upper[ends])
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
