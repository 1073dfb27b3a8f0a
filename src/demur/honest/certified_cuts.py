"""Certified cost of windows, and the window whose certified cost is smallest.

F(t) is the share of all cases that are positive and at or below t, T(t) the share that are negative
and above. A window (l, u) costs

    (1 - nu_P) F(l) + (mu - nu_N) T(u) + nu_P F(u) + nu_N T(l),      an empty one F(l) + mu T(l),

so bounds of F and T at the cuts give a bound of the cost. The functions here take arrays and return
arrays; the bounds change at about 4 sqrt(n) cuts only, whatever the number of scores.
"""

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from demur.counts.scores import ScoreCounts
from demur.honest.distributions import DistributionBounds
from demur.surface.masses import SHARE_TIE, RunningMasses
from demur.surface.surface import AbstentionSurface
from demur.typing import BoolArray, FloatArray, IntArray

__all__ = [
    "CertifiedCuts",
    "ClassBounds",
    "RateBounds",
    "RelativeCosts",
    "WindowPlace",
    "certified_cost",
    "cuts_where_bounds_change",
    "guaranteed_cuts",
    "least_possible_cost",
    "running_sum",
]


class RelativeCosts(NamedTuple):
    """Costs in the normal form (a miss costs 1), as numbers or arrays."""

    mu: Any
    nu_positive: Any
    nu_negative: Any

    @property
    def weights(self) -> tuple[Any, Any, Any, Any]:
        """Weights of F(l), T(u), F(u) and T(l) in the cost of a window."""
        return 1 - self.nu_positive, self.mu - self.nu_negative, self.nu_positive, self.nu_negative

    @property
    def one_sided(self) -> bool:
        """Whether upper bounds of F and T suffice for every window: no weight is negative."""
        if not np.isfinite([self.nu_positive, self.nu_negative]).all():
            return True
        return all(weight >= 0 for weight in self.weights)

    @property
    def never_abstain(self) -> bool:
        """Whether only empty windows can be worth it: calling everything one class costs less."""
        if not np.isfinite([self.nu_positive, self.nu_negative]).all():
            return True
        return bool(self.nu_positive == self.nu_negative > min(1.0, self.mu))


class RateBounds(NamedTuple):
    """Bounds of F ("missed") and T ("alarmed") at cuts; the lower ones are NaN where only upper ones hold."""

    missed_high: FloatArray
    alarmed_high: FloatArray
    missed_low: FloatArray
    alarmed_low: FloatArray

    def at(self, cut: Any) -> "RateBounds":
        """Return the bounds at some of the cuts."""
        return RateBounds(*(column[cut] for column in self))


class ClassBounds(NamedTuple):
    """Bounds of the distribution function of each class, and the share the class has of all cases."""

    positive: DistributionBounds
    negative: DistributionBounds
    positive_share: float
    negative_share: float
    two_sided: bool

    def rates(
        self, positives_below: Any, negatives_above: Any, none_below: BoolArray, none_above: BoolArray
    ) -> RateBounds:
        """Bound F and T from counts; with no threshold below (above) F (T) is exactly 0."""
        below, above = (
            np.where(none_below, 0.0, self.positive_share),
            np.where(none_above, 0.0, self.negative_share),
        )
        high = below * self.positive.upper(positives_below), above * self.negative.upper(negatives_above)
        if not self.two_sided:
            return RateBounds(*high, np.full_like(high[0], np.nan), np.full_like(high[1], np.nan))
        return RateBounds(
            *high,
            below * self.positive.lower(positives_below),
            above * self.negative.lower(negatives_above),
        )


def running_sum(column: FloatArray) -> FloatArray:
    """Return the sums of the first 0, 1, 2, ... elements."""
    return np.concatenate([[0.0], np.cumsum(column)])


def _term(weight: Any, high: FloatArray, low: FloatArray) -> FloatArray:
    return np.asarray(weight * np.where(np.asarray(weight) >= 0, high, low))


def certified_cost(lower: RateBounds, upper: RateBounds, costs: RelativeCosts, empty: Any) -> FloatArray:
    """Bound the cost of windows from the bounds at their lower and at their upper cut.

    Positives at or below u and negatives above l are different cases, so F(u) + T(l) <= 1: where
    the bounds add up to more, the cheaper class fills the rest.
    """
    threshold = lower.missed_high + costs.mu * lower.alarmed_high
    infinite = np.isinf(costs.nu_positive) | np.isinf(costs.nu_negative)
    if np.all(empty | infinite):
        return np.asarray(np.where(empty, threshold, np.inf))
    nu_p, nu_n = np.where(infinite, 0.0, costs.nu_positive), np.where(infinite, 0.0, costs.nu_negative)
    on_missed, on_alarmed, _, _ = RelativeCosts(costs.mu, nu_p, nu_n).weights
    decided = _term(on_missed, lower.missed_high, lower.missed_low)
    decided = decided + _term(on_alarmed, upper.alarmed_high, upper.alarmed_low)
    reviewed = _term(nu_p, upper.missed_high, upper.missed_low)
    reviewed = reviewed + _term(nu_n, lower.alarmed_high, lower.alarmed_low)
    cheaper = np.minimum(nu_p, nu_n)
    all_cases = cheaper + (nu_p - cheaper) * upper.missed_high + (nu_n - cheaper) * lower.alarmed_high
    reviewed = np.where(cheaper >= 0, np.minimum(reviewed, all_cases), reviewed)
    return np.asarray(np.where(empty, threshold, np.where(infinite, np.inf, decided + reviewed)))


def guaranteed_cuts(bounds: RateBounds, below: FloatArray, costs: RelativeCosts) -> tuple[int, int, float]:
    """Return the cuts of the window of the smallest certified cost, and that cost.

    `below` is the mass below each cut. Among equals: the least abstention, then the most positives.
    One pass: without the limit F(u) + T(l) <= 1 the cost is a sum of a function of l and one of u.
    Where the limit is active, the outermost l (or u, if reviewing negatives costs more) is best.
    """
    last = len(below) - 1
    every = np.arange(last + 1)
    firsts, ends = [every], [every]
    if not costs.never_abstain:
        on_missed, _, nu_p, nu_n = costs.weights
        start = _term(on_missed, bounds.missed_high, bounds.missed_low)
        start = start + _term(nu_n, bounds.alarmed_high, bounds.alarmed_low)
        smallest = np.minimum.accumulate(start)
        slack = _slack(costs)
        latest = np.maximum.accumulate(np.where(start <= smallest + slack, every, 0))
        firsts.append(latest[:-1])
        ends.append(every[1:])
        outermost = np.zeros(last, dtype=np.int64)
        firsts.append(outermost if nu_p >= nu_n else every[:-1])
        ends.append(every[1:] if nu_p >= nu_n else outermost + last)
    i, j = np.concatenate(firsts), np.concatenate(ends)
    bound = certified_cost(bounds.at(i), bounds.at(j), costs, i == j)
    pick = _first_of_equals(bound, below[j] - below[i], j, _slack(costs))
    return int(i[pick]), int(j[pick]), float(bound[pick])


def _slack(costs: RelativeCosts) -> float:
    prices = [value for value in costs if np.isfinite(value)]
    return float(SHARE_TIE * (1 + np.abs(prices).sum()))


def _first_of_equals(cost: FloatArray, abstained: FloatArray, end: IntArray, slack: float) -> int:
    cheapest = np.flatnonzero(cost <= cost.min() + slack)
    kept = abstained[cheapest]
    least = cheapest[kept <= kept.min() + slack]
    return int(least[np.argmin(end[least])])


def least_possible_cost(bounds: RateBounds, costs: RelativeCosts) -> float:
    """Bound from below what any window costs, for weights that are not negative."""
    on_missed, on_alarmed, nu_p, nu_n = costs.weights
    start = on_missed * bounds.missed_low + nu_n * bounds.alarmed_low
    stop = on_alarmed * bounds.alarmed_low + nu_p * bounds.missed_low
    return float(np.min(stop + np.minimum.accumulate(start)))


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class CertifiedCuts:
    """Cuts between distinct scores at which the bounds change, from no score below to all.

    Attributes
    ----------
    masses : RunningMasses
        Element i of a column: masses, thresholds and number of scores at cut i.
    positives_below, negatives_above : array
        Number of cases on the wrong side of cut i.
    """

    masses: RunningMasses
    positives_below: FloatArray
    negatives_above: FloatArray

    def rates(self, classes: ClassBounds) -> RateBounds:
        """Bound F and T at every cut."""
        at = np.arange(len(self.positives_below))
        return classes.rates(self.positives_below, self.negatives_above, at == 0, at == at[-1])


def cuts_where_bounds_change(
    counts: ScoreCounts,
    below: tuple[FloatArray, FloatArray],
    positive: DistributionBounds,
    negative: DistributionBounds,
    prevalence: float | None,
) -> CertifiedCuts:
    """Find both ends of every run of cuts with equal bounds; other cuts cannot be better.

    `below` holds the positives and the negatives among the first i distinct scores. Within a run a
    lower threshold belongs at the last cut and an upper one at the first: the same bound and
    fewer abstentions.
    """
    n_scores = len(counts.scores)
    first_cuts = np.concatenate(
        [
            np.searchsorted(below[0], positive.changes, side="right"),
            np.searchsorted(below[1], below[1][-1] - negative.changes, side="left"),
        ]
    )
    ends = [0, 1, n_scores - 1, n_scores]
    cuts = np.unique(np.clip(np.concatenate([first_cuts - 1, first_cuts, ends]), 0, n_scores))
    weights = counts.class_weights(prevalence)
    masses = RunningMasses.of_steps(
        weights[0] * np.diff(below[0][cuts]),
        weights[1] * np.diff(below[1][cuts]),
        counts.scores[cuts[:-1]],
        counts.upper_scores[cuts[1:] - 1],
        np.diff(cuts),
    )
    return CertifiedCuts(
        masses=masses, positives_below=below[0][cuts], negatives_above=below[1][-1] - below[1][cuts]
    )


# ---------------------------------------------------------------- one window among the cases


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class WindowPlace:
    """Where two thresholds lie among the cases: counts below and above each of them.

    `empty` if no score can lie between the thresholds, observed or not.
    """

    lower: float
    upper: float
    empty: bool
    positives_below: tuple[float, float]
    negatives_above: tuple[float, float]
    negatives_below: tuple[float, float]

    @classmethod
    def of(cls, counts: ScoreCounts, lower: float, upper: float) -> "WindowPlace":
        """Count with the rule of `decide`: positive from `upper` on, else negative up to `lower`."""
        empty = math.nextafter(lower, math.inf) >= upper
        # of a bin that a threshold divides, all cases count as errors: the bound stays valid
        begun = counts.n_positive, counts.n_negative
        ended = begun
        if upper < math.inf:
            begun = counts.begun_below(upper, through=False)
            ended = counts.ended_below(upper, through=False)
        first, first_ended = begun, ended
        if not empty:
            first = first_ended = 0.0, 0.0
            if lower > -math.inf:
                first = counts.begun_below(lower, through=True)
                first_ended = counts.ended_below(lower, through=True)
        return cls(
            lower=lower,
            upper=upper,
            empty=empty,
            positives_below=(first[0], begun[0]),
            negatives_above=(counts.n_negative - first_ended[1], counts.n_negative - ended[1]),
            negatives_below=(first[1], begun[1]),
        )

    def indices(self, scores: FloatArray) -> tuple[int, int]:
        """Number of distinct scores below the window, and below or inside it."""
        end = len(scores) if self.upper == math.inf else int(np.searchsorted(scores, self.upper, side="left"))
        if self.empty:
            return end, end
        first = 0 if self.lower == -math.inf else int(np.searchsorted(scores, self.lower, side="right"))
        return first, end

    def rates(self, bounds: ClassBounds) -> list[RateBounds]:
        """Bounds of F and T at the lower and at the upper threshold."""
        ends = (self.upper if self.empty else self.lower), self.upper
        return [
            bounds.rates(missed, alarmed, np.asarray(end == -math.inf), np.asarray(end == math.inf))
            for missed, alarmed, end in zip(self.positives_below, self.negatives_above, ends, strict=True)
        ]

    def shares(self, surface: AbstentionSurface) -> tuple[float, float, tuple[float, float]]:
        """Shares of the sample: missed, falsely alarmed, abstained on by class."""
        positive, negative = surface.counts.class_weights(surface.prevalence)
        kept = (
            positive * (self.positives_below[1] - self.positives_below[0]),
            negative * (self.negatives_below[1] - self.negatives_below[0]),
        )
        return positive * self.positives_below[0], negative * self.negatives_above[1], kept

    def abstention_bound(self, bounds: ClassBounds) -> float:
        """Bound of the share abstained on, from upper and lower bounds of F and T."""
        if self.empty:
            return 0.0
        at_lower, at_upper = self.rates(bounds)
        kept = at_upper.missed_high - at_lower.missed_low + at_lower.alarmed_high - at_upper.alarmed_low
        return min(float(kept), 1.0)
