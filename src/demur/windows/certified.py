"""Positions at which a promised precision holds for the population, with confidence.

Let t be the k-th highest score of n independent cases. Given t and the number m of cases strictly
above it, these m cases are an ordinary sample of the population with scores above t. So the
number of positives among them is binomial with the precision of the rule "positive above t", and
the exact binomial test says whether that precision is at least the target (Clopper and Pearson
1934). The threshold is t itself, not a midpoint: what is tested is what is decided.

The level. Ranks k are tested on a grid that depends on n, the target and delta alone, each at
delta divided by the number of ranks. For a fixed k the chance that the precision above t is below
the target and the test passes is at most its level, because this holds given t and m. Adding up
over the grid, with probability at least 1 - delta no rank passes that should not, whatever
the law of scores and labels, ties included. So any rank that passes may be chosen, also by its
cost on the same cases. Testing ranks one after another at the full delta until one fails would
need that precision never falls as the threshold rises, and would end at the first outlier.
"""

import math
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from demur._checks import check_confidence_level, check_whole_counts, input_error
from demur._kernels.thresholds import no_threshold
from demur._kernels.window_search import CutMasses
from demur._results import read_only
from demur.counts.scores import ScoreCounts
from demur.counts.window import AbstentionWindow
from demur.roc.isometrics import Precision
from demur.typing import BoolArray, FloatArray, IntArray
from demur.windows.constrained import own_prevalence

__all__ = ["PrecisionConfidence", "certified_starts", "certified_stops", "rank_grid"]


@lru_cache(maxsize=64)
def rank_grid(n: int, target: float, delta: float) -> IntArray:
    """Return the ranks tested: from the first that can pass, in steps of the square root, to n + 1.

    A side with m decisions, all right, passes at level delta iff target**m <= delta. Rank n + 1
    stands for the rule that decides every case.
    """
    first = math.ceil(math.log(delta) / math.log(target)) + 1 if target < 1 else n + 1
    ranks = []
    rank = first
    while rank <= n:
        ranks.append(rank)
        rank += max(1, math.isqrt(rank))
    grid: IntArray = read_only(np.array([*ranks, n + 1], dtype=np.int64))
    return grid


def certified_stops(right: FloatArray, decided: FloatArray, target: float, delta: float) -> BoolArray:
    """Tell at which positions j the side above has the precision promised, with confidence 1 - delta.

    `right` and `decided` are whole numbers of cases above every position, those of the class and all of
    them: element j is for the distinct scores from j on. Without decisions (j = k) nothing is promised.
    """
    return certified_starts(right[::-1], decided[::-1], target, delta)[::-1]


def certified_starts(right: FloatArray, decided: FloatArray, target: float, delta: float) -> BoolArray:
    """Tell at which positions i the side below has the precision promised; the mirror image.

    Element i of `right` and `decided` is for the first i distinct scores.
    """
    from scipy.special import betainc

    ranks = rank_grid(int(decided[-1]), target, delta)
    # the scores below that of rank k, counted from the end: up to the last position with fewer than k cases
    positions = np.unique(np.searchsorted(decided, ranks, side="left") - 1)
    some = positions[decided[positions] > 0]
    # P(X >= x) = I_target(x, m - x + 1) for x >= 1, and 1 for x = 0
    hits = np.maximum(right[some], 1.0)
    tail = betainc(hits, decided[some] - hits + 1, target)
    passed = np.where(right[some] > 0, tail, 1.0) <= delta / len(ranks)
    allowed = np.zeros(len(decided), dtype=np.bool_)
    allowed[some[passed]] = True
    allowed[0] = True
    return allowed


# ---------------------------------------------------------------- counts and windows


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class PrecisionConfidence:
    """Promised precisions that must hold for the population; both sides share 1 - confidence_level."""

    counts: ScoreCounts
    masses: CutMasses
    positive: float | None
    negative: float | None
    confidence_level: float

    @classmethod
    def of(
        cls,
        counts: ScoreCounts,
        masses: CutMasses,
        targets: tuple[Precision | None, Precision | None],
        confidence_level: float | None,
        prevalence: float | None = None,
    ) -> "PrecisionConfidence | None":
        """Check the conditions of a promise with confidence; None without a confidence level."""
        if confidence_level is None:
            return None
        level = check_confidence_level(confidence_level)
        if targets == (None, None):
            rule = "needs min_precision_positive or min_precision_negative beside it"
            raise input_error("confidence_level", rule, f"{level:g} alone")
        if prevalence is not None and not own_prevalence(counts, prevalence):
            rule = "must be that of the cases with confidence_level: precision is tested on them"
            raise input_error("prevalence", rule, prevalence, "sample the cases at the prevalence in use.")
        for target in targets:
            if target is not None and target.value >= 1:
                rule = "must be below 1 with confidence_level: no sample proves that errors never happen"
                raise input_error("min_precision", rule, target.value)
        if not counts.unweighted:
            hint = "a promise with confidence needs independent cases, not weights."
            for name in ("positives", "negatives"):
                check_whole_counts(getattr(counts, name), name, hint)
        positive, negative = (None if target is None else target.value for target in targets)
        return cls(counts=counts, masses=masses, positive=positive, negative=negative, confidence_level=level)

    def positions(self) -> tuple[BoolArray, BoolArray]:
        """Return the starts and the stops at which the promises hold.

        A window of both promises must not end on both sides at the same place: the gap between
        two scores can belong to one side only.
        """
        size = len(self.counts.scores) + 1
        starts, stops = np.ones(size, dtype=np.bool_), np.ones(size, dtype=np.bool_)
        both = self.positive is not None and self.negative is not None
        delta = (1 - self.confidence_level) / (2 if both else 1)
        masses = self.masses
        if self.positive is not None:
            stops = certified_stops(masses.positive_above, masses.above, self.positive, delta)
        if self.negative is not None:
            starts = certified_starts(masses.negative_below, masses.below, self.negative, delta)
        if both:
            starts[1:-1] &= ~stops[1:-1]
        return starts, stops

    def applied(self, window: AbstentionWindow) -> AbstentionWindow:
        """Return the window with thresholds that decide exactly what was tested."""
        i, j = window.lower_index, window.upper_index
        lower, upper = window.lower, window.upper
        scores, size = self.counts.scores, len(self.counts.scores)
        if self.positive is not None and 0 < j < size:
            upper = float(np.nextafter(self.counts.upper_scores[j - 1], np.inf))
            lower = upper if i == j else lower
        if self.negative is not None and 0 < i < size:
            lower = float(np.nextafter(scores[i], -np.inf))
            upper = float(scores[i]) if i == j else upper
        # a finite score without a float beside it cannot be told from an infinite one
        if (math.isinf(upper) and 0 < j < size) or (math.isinf(lower) and 0 < i < size):
            raise no_threshold()
        return replace(window, lower=lower, upper=upper, confidence_level=self.confidence_level)
