"""Cases with their own costs, summed per distinct score and class; windows are searched on the sums.

`Prices` are enough where all cases of a class cost the same. Here a window (i, j) costs

    miss of the first i scores + review of the scores i + 1 .. j + alarm of the rest,

again a term of i plus a term of j, so the same searches serve. Classes are kept apart for another
prevalence and for limits.
"""

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from demur._kernels.case_search import cheapest_cuts
from demur._kernels.thresholds import cut_points, no_threshold
from demur.costs.case_costs import CaseAmounts, CaseFactors
from demur.surface.masses import RunningMasses
from demur.typing import BoolArray, FloatArray, IntArray
from demur.windows.search import WindowMasses

__all__ = ["CasePrices", "CaseTable", "ClassWeights"]


class ClassWeights(NamedTuple):
    """What a negative and a positive case count: 1 each, unless another prevalence is in use."""

    negative: float = 1.0
    positive: float = 1.0

    @classmethod
    def of(cls, n_negative: float, n_positive: float, prevalence: float | None) -> "ClassWeights":
        """Weight the classes so that they add up to all cases in the proportion of the prevalence."""
        if prevalence is None:
            return cls()
        n = n_negative + n_positive
        return cls((1 - prevalence) * n / n_negative, prevalence * n / n_positive)


@dataclass(frozen=True, slots=True, eq=False)
class CasePrices:
    """Costs below and above every position among ascending scores: what `Prices` is for classes.

    Arrays may have a leading axis, one row per set of cases. Without a price of reviews
    (``may_abstain=False``) only empty windows are allowed.
    """

    miss_below: FloatArray
    alarm_above: FloatArray
    review_below: FloatArray
    may_abstain: bool

    @classmethod
    def of_steps(
        cls, miss: FloatArray, alarm: FloatArray, review: FloatArray, *, may_abstain: bool
    ) -> "CasePrices":
        """Add up the costs of ascending scores, in the last axis."""
        none = np.zeros((*miss.shape[:-1], 1))
        above = np.cumsum(alarm[..., ::-1], axis=-1)[..., ::-1]
        return cls(
            np.concatenate([none, np.cumsum(miss, axis=-1)], axis=-1),
            np.concatenate([above, none], axis=-1),
            np.concatenate([none, np.cumsum(review, axis=-1)], axis=-1),
            may_abstain,
        )

    def by_start(self, masses: WindowMasses) -> FloatArray:
        """Return the part of a window's cost that depends on i, for every i."""
        return self.miss_below - self.review_below

    def by_stop(self, masses: WindowMasses) -> FloatArray:
        """Return the part of a window's cost that depends on j, for every j."""
        return self.review_below + self.alarm_above

    def without_abstaining(self, masses: WindowMasses) -> FloatArray:
        """Return the cost of the empty window at every position."""
        return self.miss_below + self.alarm_above

    def cost(self, masses: WindowMasses, i: int, j: int) -> float:
        """Return the cost of one window."""
        if i < j and not self.may_abstain:
            return math.inf
        reviewed = float(self.review_below[j] - self.review_below[i])
        return float(self.miss_below[i]) + float(self.alarm_above[j]) + reviewed

    def scale(self, masses: WindowMasses) -> Any:
        """Return a size all costs of windows stay below, by which rounding is judged; one per row."""
        reviews = self.review_below[..., -1] if self.may_abstain else 0.0
        return self.miss_below[..., -1] + self.alarm_above[..., 0] + reviews


class CaseTable(NamedTuple):
    """Sums over the cases of every distinct score; row 0 of a sum is for negatives, row 1 for positives."""

    scores: FloatArray
    cases: FloatArray
    miss: FloatArray
    alarm: FloatArray
    review: FloatArray
    # largest score of every bin, where `scores` are the smallest ones
    upper: FloatArray | None = None

    @classmethod
    def of_rows(
        cls,
        scores: FloatArray,
        group: IntArray,
        positive: BoolArray,
        cases: FloatArray,
        amounts: CaseAmounts,
        upper: FloatArray | None = None,
    ) -> "CaseTable":
        """Add up rows of `cases` equal cases each; row r has the score ``scores[group[r]]``.

        Scores without a row are left out.
        """
        size = len(scores)
        code = group + size * positive
        added = (cases, *(cases * column for column in (amounts.miss, amounts.alarm, amounts.review)))
        columns: list[FloatArray] = [
            np.bincount(code, column, 2 * size).astype(np.float64, copy=False).reshape(2, size)
            for column in added
        ]
        present = columns[0].any(axis=0)
        if present.all():
            return cls(scores, columns[0], columns[1], columns[2], columns[3], upper)
        kept = None if upper is None else upper[present]
        some = [column[:, present] for column in columns]
        return cls(scores[present], some[0], some[1], some[2], some[3], kept)

    def weights(self, prevalence: float | None) -> ClassWeights:
        """Weight the classes for a prevalence; None for that of the cases."""
        negative, positive = (float(row.sum()) for row in self.cases)
        return ClassWeights.of(negative, positive, prevalence)

    def masses(self, weights: ClassWeights) -> RunningMasses:
        """Return the running numbers of cases, for limits."""
        negative, positive = self.cases
        ones = np.ones(len(self.scores), dtype=np.int64)
        counted = RunningMasses.of_steps(positive, negative, self.scores, self.scores, ones)
        return counted.scaled(weights.positive, weights.negative)

    def prices(self, factors: CaseFactors, weights: ClassWeights, *, may_abstain: bool) -> CasePrices:
        """Return the running costs at given factors."""
        return CasePrices.of_steps(*self._columns(factors, weights)[1:], may_abstain=may_abstain)

    def cheapest(self, factors: CaseFactors, weights: ClassWeights, *, may_abstain: bool) -> tuple[int, int]:
        """Return the cheapest pair of positions, exact over all pairs."""
        return cheapest_cuts(*self._columns(factors, weights), may_abstain=may_abstain)

    def _columns(self, factors: CaseFactors, weights: ClassWeights) -> list[FloatArray]:
        by_class = np.array(weights)
        columns = zip((1.0, *factors), (self.cases, self.miss, self.alarm, self.review), strict=True)
        return [factor * (by_class @ column) for factor, column in columns]

    def thresholds(self, i: int, j: int) -> tuple[float, float]:
        """Return the lower threshold after the first i scores and the upper one after the first j."""
        lower, upper = self._cut(i)[0], self._cut(j)[1]
        if math.isnan(lower) or math.isnan(upper):
            raise no_threshold()
        return lower, upper

    def _cut(self, at: int) -> tuple[float, float]:
        near = slice(max(0, at - 1), at + 1)
        low, high = cut_points(self.scores[near], (self.scores if self.upper is None else self.upper)[near])
        place = min(at, 1) if at < len(self.scores) else len(low) - 1
        return float(low[place]), float(high[place])
