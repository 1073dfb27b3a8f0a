"""Certificates: bounds for the cost of any window at any costs, for every sample size.

With n independent cases the shares F(t) = Pr(positive, score <= t) and T(t) = Pr(negative,
score > t) have upper bounds that hold for all t at once (`distribution_bounds`). A window (l, u) costs

    (1 - nu_P) F(l) + (mu - nu_N) T(u) + nu_P F(u) + nu_N T(l),      an empty one F(l) + mu T(l),

so it is bounded for all windows and all costs together: also for the window chosen on the same cases,
and for the window whose bound is smallest. The bounds change at about 4 sqrt(n) cuts only, whatever the
number of scores.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from demur._checks import (
    check_choice,
    check_confidence_level,
    check_cost_point,
    check_nonnegative,
    check_prevalence,
    check_type,
    input_error,
)
from demur._kernels.running import running_sums
from demur._results import Interval, Result, as_scalar
from demur.costs.model import CostModel
from demur.counts.scores import ScoreCounts, as_counts
from demur.counts.window import AbstentionWindow
from demur.exceptions import InputError, UndefinedError
from demur.honest.distributions import BOUND_METHODS, DistributionBounds, dkw_margin
from demur.surface.masses import SHARE_TIE, RunningMasses, ShareCuts
from demur.surface.surface import AbstentionSurface, surface_of
from demur.surface.window import window_thresholds
from demur.typing import ArrayLike, FloatArray, IntArray, Labels, Scalar

__all__ = ["CertifiedWindow", "SurfaceCertificate", "relative_costs", "surface_certificate"]


class RelativeCosts(NamedTuple):
    """Costs in the normal form (a miss costs 1), as numbers or arrays."""

    mu: Any
    nu_positive: Any
    nu_negative: Any

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

    def at(self, cut: Any) -> RateBounds:
        """Return the bounds at some of the cuts."""
        return RateBounds(*(column[cut] for column in self))


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
    decided = _term(1 - nu_p, lower.missed_high, lower.missed_low)
    decided = decided + _term(costs.mu - nu_n, upper.alarmed_high, upper.alarmed_low)
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
    slack = float(SHARE_TIE * (1 + np.abs([value for value in costs if np.isfinite(value)]).sum()))
    if not costs.never_abstain:
        _, nu_p, nu_n = costs
        start = _term(1 - nu_p, bounds.missed_high, bounds.missed_low)
        start = start + _term(nu_n, bounds.alarmed_high, bounds.alarmed_low)
        cheapest_so_far = start <= np.minimum.accumulate(start) + slack
        firsts.append(np.maximum.accumulate(np.where(cheapest_so_far, every, 0))[:-1])
        ends.append(every[1:])
        outermost = np.zeros(last, dtype=np.int64)
        firsts.append(outermost if nu_p >= nu_n else every[:-1])
        ends.append(every[1:] if nu_p >= nu_n else outermost + last)
    i, j = np.concatenate(firsts), np.concatenate(ends)
    bound = certified_cost(bounds.at(i), bounds.at(j), costs, i == j)
    cheapest = np.flatnonzero(bound <= bound.min() + slack)
    abstained = (below[j] - below[i])[cheapest]
    least = cheapest[abstained <= abstained.min() + slack]
    pick = least[np.argmin(j[least])]
    return int(i[pick]), int(j[pick]), float(bound[pick])


def least_possible_cost(bounds: RateBounds, costs: RelativeCosts) -> float:
    """Bound the cost of all windows from below, for weights that are not negative."""
    mu, nu_p, nu_n = costs
    start = (1 - nu_p) * bounds.missed_low + nu_n * bounds.alarmed_low
    stop = (mu - nu_n) * bounds.alarmed_low + nu_p * bounds.missed_low
    return float(np.min(stop + np.minimum.accumulate(start)))


class WindowPlace(NamedTuple):
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
    def of(cls, counts: ScoreCounts, lower: float, upper: float) -> WindowPlace:
        """Count with the rule of `decide`: positive from `upper` on, else negative up to `lower`."""
        empty = math.nextafter(lower, math.inf) >= upper
        # of a bin that a threshold divides, all cases count as errors: the bound stays valid
        begun = ended = counts.n_positive, counts.n_negative
        if upper < math.inf:
            begun, ended = (below(upper, through=False) for below in (counts.begun_below, counts.ended_below))
        first, first_ended = begun, ended
        if not empty:
            first = first_ended = 0.0, 0.0
        if not empty and lower > -math.inf:
            first, first_ended = (
                below(lower, through=True) for below in (counts.begun_below, counts.ended_below)
            )
        return cls(
            lower=lower,
            upper=upper,
            empty=empty,
            positives_below=(first[0], begun[0]),
            negatives_above=(counts.n_negative - first_ended[1], counts.n_negative - ended[1]),
            negatives_below=(first[1], begun[1]),
        )


# ---------------------------------------------------------------- results


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class CertifiedWindow(Result):
    """A window with certified upper bounds of what it costs and of how often it errs and abstains.

    Attributes
    ----------
    lower, upper : float
        Thresholds, as in `AbstentionWindow`.
    lower_index, upper_index : int
        Number of distinct scores below the window, and below or inside it.
    cost, certified_cost : float
        Cost with hindsight, and the bound the true cost stays below with the confidence level,
        in the normal form (a miss costs 1).
    expected_cost, certified_expected_cost : float
        The same in the unit of the `CostModel` passed, if one was.
    fn, fp, certified_fn, certified_fp : float
        Share of all cases that are missed, and that are false alarms; the bounds hold together
        with that of the cost.
    abstention_rate, certified_abstention_rate : float
        Share abstained on, and its bound (a statement of its own with the confidence level).
    """

    lower: float
    upper: float
    lower_index: int
    upper_index: int
    cost: float
    certified_cost: float
    expected_cost: float
    certified_expected_cost: float
    fn: float
    fp: float
    certified_fn: float
    certified_fp: float
    abstention_rate: float
    certified_abstention_rate: float
    confidence_level: float


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class SurfaceCertificate(Result):
    """Certified bounds of an abstention surface and of all windows; made by `surface_certificate`.

    Attributes
    ----------
    method : str
        "order statistics" or "dkw".
    prevalence_known : bool
        Whether the classes are two samples with a given prevalence.
    """

    _counts: ScoreCounts
    method: str
    prevalence_known: bool
    confidence_level: float
    n: float
    prevalence: float

    @cached_property
    def surface(self) -> AbstentionSurface:
        """The surface with hindsight."""
        return surface_of(self._counts, self.prevalence if self.prevalence_known else None)

    # ---------------------------------------------------------------- bounds of F and T

    def _laws(self, *, two_sided: bool) -> list[tuple[float, DistributionBounds]]:
        """Return the share each class has of all cases, and bounds of its distribution function.

        F and T from above take half of delta each; two-sided, also from below, a quarter each.
        """
        counts, delta = self._counts, (1 - self.confidence_level) / (4 if two_sided else 2)
        sizes, shares = (counts.n, counts.n), (1.0, 1.0)
        if self.prevalence_known:
            sizes = counts.n_positive, counts.n_negative
            shares = self.prevalence, 1 - self.prevalence
        return [
            (share, DistributionBounds(n=int(size), delta=delta, method=self.method))
            for share, size in zip(shares, sizes, strict=True)
        ]

    def _rates(
        self, positives_below: Any, negatives_above: Any, none_below: Any, none_above: Any, *, two_sided: bool
    ) -> RateBounds:
        """Bound F and T from counts; with no threshold below (above) F (T) is exactly 0."""
        high, low = [], []
        counts = (positives_below, none_below), (negatives_above, none_above)
        for (count, none), (share, law) in zip(counts, self._laws(two_sided=two_sided), strict=True):
            weight = np.where(none, 0.0, share)
            high.append(weight * law.upper(count))
            low.append(weight * law.lower(count) if two_sided else np.full_like(high[-1], np.nan))
        return RateBounds(*high, *low)

    def _window_rates(self, place: WindowPlace, *, two_sided: bool) -> list[RateBounds]:
        """Bound F and T at the lower and at the upper threshold."""
        ends = (place.upper if place.empty else place.lower), place.upper
        return [
            self._rates(missed, alarmed, end == -math.inf, end == math.inf, two_sided=two_sided)
            for missed, alarmed, end in zip(place.positives_below, place.negatives_above, ends, strict=True)
        ]

    @staticmethod
    def _needs_lower(costs: Sequence[RelativeCosts], *, empty: bool) -> bool:
        """Tell whether bounds of costs need F and T from below; a limit may abstain where that never pays."""
        # no weight of F or T in the cost is negative, or nobody can abstain
        return not empty and any(
            math.isfinite(nu_p) and math.isfinite(nu_n) and min(1 - nu_p, mu - nu_n, nu_p, nu_n) < 0
            for mu, nu_p, nu_n in costs
        )

    @cached_property
    def _below(self) -> tuple[FloatArray, FloatArray]:
        """Cases of each class below every cut between distinct scores."""
        return running_sums(self._counts.positives, self._counts.negatives)

    @cached_property
    def cuts(self) -> IntArray:
        """Cuts between scores at which the bounds change: all the guaranteed window can use.

        Both ends of every run of cuts with equal bounds. Within a run a lower threshold belongs at the
        last cut and an upper one at the first: the same bound and fewer abstentions.
        """
        (positives, negatives), n_scores = self._below, len(self._counts.scores)
        (_, positive), (_, negative) = self._laws(two_sided=False)
        first_cuts = np.concatenate(
            [
                np.searchsorted(positives, positive.changes, side="right"),
                np.searchsorted(negatives, negatives[-1] - negative.changes, side="left"),
            ]
        )
        ends = [0, 1, n_scores - 1, n_scores]
        return np.unique(np.clip(np.concatenate([first_cuts - 1, first_cuts, ends]), 0, n_scores))

    @cached_property
    def cut_masses(self) -> RunningMasses:
        """Masses and thresholds at the cuts."""
        counts, cuts = self._counts, self.cuts
        weights = counts.class_weights(self.prevalence if self.prevalence_known else None)
        positive, negative = (
            weight * np.diff(below[cuts]) for weight, below in zip(weights, self._below, strict=True)
        )
        ends = counts.scores[cuts[:-1]], counts.upper_scores[cuts[1:] - 1]
        return RunningMasses.of_steps(positive, negative, *ends, np.diff(cuts))

    @cached_property
    def cut_bounds(self) -> tuple[RateBounds, RateBounds]:
        """Bounds of F and T at the cuts: from above only, and the wider ones from both sides."""
        (positives, negatives), cuts = self._below, self.cuts
        at = positives[cuts], negatives[-1] - negatives[cuts], cuts == 0, cuts == cuts[-1]
        return self._rates(*at, two_sided=False), self._rates(*at, two_sided=True)

    # ---------------------------------------------------------------- the surface

    def margin(self, mu: ArrayLike) -> Scalar:
        """Return how far the true surface can be from the sample's, to either side (method "dkw").

        Raises
        ------
        UndefinedError
            For order statistics, whose margin differs from window to window.
        """
        if self.method != "dkw":
            raise UndefinedError(
                "Bounds by order statistics have no margin that is the same for all windows. "
                "Hint: use interval() or of_window(), or method='dkw'."
            )
        x = check_nonnegative(mu, "mu")
        each = [
            share * dkw_margin(law.n, law.delta) if share else 0.0
            for share, law in self._laws(two_sided=True)
        ]
        return as_scalar(np.asarray(each[0] + x * each[1]))

    def interval(self, mu: ArrayLike, nu: ArrayLike) -> Interval:
        """Return certified lower and upper bounds of the true surface; arrays give arrays.

        True for all costs at once. Cut at what no population can exceed: nu, and mu / (1 + mu)
        (or the trivial rules at the given prevalence).
        """
        x, y = check_cost_point(mu, nu)
        bounds, below = self.cut_bounds[1], self.cut_masses.below
        # beyond mu / (1 + mu) abstaining never pays and the surface no longer depends on nu
        useful = np.minimum(y, x / (1 + x))
        low = _at_points(lambda costs: least_possible_cost(bounds, costs), x, useful)
        high = _at_points(lambda costs: guaranteed_cuts(bounds, below, costs)[2], x, useful)
        trivial = x / (1 + x)
        if self.prevalence_known:
            trivial = np.minimum(self.prevalence, x * (1 - self.prevalence))
        high = np.minimum(high, np.minimum(trivial, y))
        return Interval(as_scalar(np.minimum(low, high)), as_scalar(high))  # type: ignore[arg-type]

    def upper(self, mu: ArrayLike, nu: ArrayLike) -> Scalar:
        """Return a certified upper bound of the true cost of the cheapest window at (mu, nu).

        To one side, so it can be below the upper end of `interval`; true for all costs at once.
        """
        x, y = check_cost_point(mu, nu)
        i, j = ShareCuts.of_surface(x, y, y).blocks(self.surface.shares)
        blocks = self._counts.blocks()
        positives, negatives = running_sums(blocks.positives, blocks.negatives)
        last = len(positives) - 1
        at_lower, at_upper = (
            self._rates(
                positives[cut], negatives[-1] - negatives[cut], cut == 0, cut == last, two_sided=False
            )
            for cut in (i, j)
        )
        return as_scalar(certified_cost(at_lower, at_upper, RelativeCosts(x, y, y), i == j))

    def guaranteed_cost(self, mu: ArrayLike, nu: ArrayLike) -> Scalar:
        """Return the smallest certified cost any window has at (mu, nu); arrays give arrays."""
        x, y = check_cost_point(mu, nu)
        bounds, below = self.cut_bounds[0], self.cut_masses.below
        return as_scalar(_at_points(lambda costs: guaranteed_cuts(bounds, below, costs)[2], x, y))

    # ---------------------------------------------------------------- windows

    def window(
        self, mu: float | None = None, nu: float | None = None, *, costs: CostModel | None = None
    ) -> CertifiedWindow:
        """Return the cheapest window of the sample with certified bounds of its cost and rates."""
        return self.of_window(self.surface.window(mu, nu, costs=costs), costs=costs)

    def guaranteed_window(
        self,
        mu: float | None = None,
        nu: float | None = None,
        nu_negative: float | None = None,
        *,
        costs: CostModel | None = None,
    ) -> CertifiedWindow:
        """Return the window with the smallest certified cost, for (mu, nu) or a `CostModel`.

        Never above nu (always abstaining is certain to cost nu), nor above the bounds of the other
        rules without a model. Among equals: the least abstention, then the most positives.
        """
        relative = relative_costs(mu, nu, nu_negative, costs)
        equivalent = self._equivalent_costs(relative, costs)
        two_sided = self._needs_lower(equivalent, empty=all(one.never_abstain for one in equivalent))
        rates = self.cut_bounds[two_sided]
        choices = []
        for one in equivalent:
            cuts = guaranteed_cuts(rates, self.cut_masses.below, one)[:2]
            window = AbstentionWindow.of_cuts(
                self.cut_masses, cuts, **relative._asdict(), prevalence=self.prevalence
            )
            choices.append(self.of_window(window, costs=costs))
        return min(choices, key=lambda choice: choice.certified_expected_cost)

    def of_window(
        self,
        window: AbstentionWindow | tuple[float, float],
        mu: float | None = None,
        nu: float | None = None,
        nu_negative: float | None = None,
        *,
        costs: CostModel | None = None,
    ) -> CertifiedWindow:
        """Return the bounds for any window, such as one chosen under limits or by hand.

        An `AbstentionWindow` brings the costs it was made for; a pair (lower, upper) needs mu and
        nu, or `costs`. `costs` also gives the bounds in their unit.
        """
        if isinstance(window, AbstentionWindow) and costs is None and mu is None:
            relative = RelativeCosts(window.mu, window.nu_positive, window.nu_negative)
        else:
            relative = relative_costs(mu, nu, nu_negative, costs)
        lower, upper = window_thresholds(window)
        counts = self._counts
        place = WindowPlace.of(counts, lower, upper)
        two_sided, certified, in_unit = self._certified(place, relative, costs)
        at_lower, at_upper = self._window_rates(place, two_sided=two_sided)
        first = end = len(counts.scores) if upper == math.inf else np.searchsorted(counts.scores, upper)
        positive, negative = counts.class_weights(self.prevalence)
        fn, fp = positive * place.positives_below[0], negative * place.negatives_above[1]
        reviewed = (
            positive * (place.positives_below[1] - place.positives_below[0]),
            negative * (place.negatives_below[1] - place.negatives_below[0]),
        )
        cost, most_reviewed = fn + relative.mu * fp, 0.0
        if not place.empty:
            first = 0 if lower == -math.inf else np.searchsorted(counts.scores, lower, side="right")
            cost += relative.nu_positive * reviewed[0] + relative.nu_negative * reviewed[1]
            one, two = self._window_rates(place, two_sided=True)
            most = two.missed_high - one.missed_low + one.alarmed_high - two.alarmed_low
            most_reviewed = min(float(most), 1.0)
        return CertifiedWindow(
            lower=lower,
            upper=upper,
            lower_index=int(first),
            upper_index=int(end),
            cost=cost,
            certified_cost=certified,
            expected_cost=cost if costs is None else float(costs.expected_cost(cost, self.prevalence)),
            certified_expected_cost=in_unit,
            fn=fn,
            fp=fp,
            certified_fn=float(at_lower.missed_high),
            certified_fp=float(at_upper.alarmed_high),
            abstention_rate=min(sum(reviewed), 1.0),
            certified_abstention_rate=most_reviewed,
            confidence_level=self.confidence_level,
        )

    def bound_of(self, window: AbstentionWindow | tuple[float, float], *, costs: CostModel) -> float:
        """Return only the `certified_expected_cost` of `of_window`.

        Counts only the cases on either side of the thresholds, whatever the number of scores.
        """
        place = WindowPlace.of(self._counts, *window_thresholds(window))
        check_type(costs, "costs", CostModel)
        relative = RelativeCosts(costs.mu, costs.nu_positive, costs.nu_negative)
        return self._certified(place, relative, costs)[2]

    def _certified(
        self, place: WindowPlace, relative: RelativeCosts, costs: CostModel | None
    ) -> tuple[bool, float, float]:
        """Return whether lower bounds are needed, and the certified cost: normal form, unit of `costs`."""
        if costs is not None and not place.empty and math.isinf(relative.nu_positive + relative.nu_negative):
            raise InputError(
                f"`window` must not abstain where abstaining has no price, got ({place.lower:g}, "
                f"{place.upper:g}). Hint: CostModel(cost_abstain=...), or two equal thresholds."
            )
        equivalent = self._equivalent_costs(relative, costs)
        two_sided = self._needs_lower(equivalent, empty=place.empty)
        lower, upper = self._window_rates(place, two_sided=two_sided)
        first, *others = (float(certified_cost(lower, upper, one, place.empty)) for one in equivalent)
        if costs is None:
            return two_sided, first, first
        right = max(costs.cost_tp, costs.cost_tn)
        levelled = [right + (costs.cost_fn - right) * bound for bound in others]
        if self.prevalence_known:
            in_unit = float(costs.expected_cost(first, self.prevalence))
        else:
            # the prevalence is F(inf), and 1 - prevalence is T(-inf)
            counts, ((_, positive), (_, negative)) = self._counts, self._laws(two_sided=two_sided)
            gap = costs.cost_tp - costs.cost_tn
            rate = float(positive.upper(counts.n_positive))
            if gap < 0:
                rate = max(1 - float(negative.upper(counts.n_negative)), 0.0)
            in_unit = (costs.cost_fn - costs.cost_tp) * first + costs.cost_tn + gap * rate
        return two_sided, first, min([in_unit, *levelled])

    def _equivalent_costs(self, relative: RelativeCosts, costs: CostModel | None) -> list[RelativeCosts]:
        """Return the costs to bound: where right answers differ in cost, also with the larger for both.

        The normal form leaves out what right answers cost, which depends on the unknown prevalence.
        With the larger cost for both classes it does not, and always abstaining stays exact.
        """
        if costs is None or self.prevalence_known or costs.cost_tp == costs.cost_tn:
            return [relative]
        right = max(costs.cost_tp, costs.cost_tn)
        unit = costs.cost_fn - right
        if unit <= 0 or costs.cost_fp < right:
            return [relative]
        # what abstaining costs in the user's unit, from the normal form
        normal = costs.cost_fn - costs.cost_tp
        prices = costs.cost_tp + normal * costs.nu_positive, costs.cost_tn + normal * costs.nu_negative
        levelled = (costs.cost_fp - right) / unit, *((price - right) / unit for price in prices)
        return [relative, RelativeCosts(*levelled)]

    def __repr__(self) -> str:
        what = f"n={self.n:g}, confidence_level={self.confidence_level:g}, method={self.method!r}"
        none_seen = float(self._laws(two_sided=False)[0][1].upper(0))
        return f"SurfaceCertificate({what}, no miss seen: at most {none_seen:.4g})"


def _at_points(bound: Callable[[RelativeCosts], float], mu: FloatArray, nu: FloatArray) -> FloatArray:
    """Compute a bound at every cost point."""
    return np.asarray(np.vectorize(lambda x, y: bound(RelativeCosts(x, y, y)), otypes=[float])(mu, nu))


def relative_costs(mu: Any, nu: Any, nu_negative: Any, costs: CostModel | None) -> RelativeCosts:
    """Check one set of costs: (mu, nu), also with another nu for the negatives, or a `CostModel`."""
    if costs is not None:
        check_type(costs, "costs", CostModel)
        if mu is not None or nu is not None or nu_negative is not None:
            raise InputError("`costs` replaces mu and nu, got both. Hint: pass one of them.")
        return RelativeCosts(costs.mu, costs.nu_positive, costs.nu_negative)
    if mu is None or nu is None:
        raise InputError("`mu` and `nu` are both needed. Hint: or pass costs=CostModel(...).")
    x, y = check_cost_point(mu, nu)
    z = check_cost_point(mu, nu if nu_negative is None else nu_negative)[1]
    if x.ndim or z.ndim:
        raise input_error(
            "mu and nu", "must be single numbers", f"shape {np.broadcast_shapes(x.shape, z.shape)}"
        )
    return RelativeCosts(float(x), float(y), float(z))


# ---------------------------------------------------------------- public


def surface_certificate(
    y_true: Labels | ScoreCounts,
    y_score: ArrayLike | None = None,
    *,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
    prevalence: float | None = None,
    confidence_level: float = 0.95,
    method: str = "order statistics",
) -> SurfaceCertificate:
    """Bounds of the true abstention surface that hold for every sample size, window and cost.

    No approximation, no tuning, no folds: with the confidence level the true cost of every window
    at every cost stays below its certified cost, so also that of the window these cases chose.
    `guaranteed_window` finds the window with the smallest certified cost. Assumes independent
    cases from the population of use, and nothing else.

    Parameters
    ----------
    y_true, y_score, pos_label
        As in `abstention_surface`.
    sample_weight : array of n whole numbers >= 0, optional
        Number of times each case was seen. Importance weights have no certificate: it counts
        independent cases.
    prevalence : float, optional
        P(positive) in use, known without error; the classes then count as two separate samples.
    confidence_level : float, default 0.95
    method : {"order statistics", "dkw"}, default "order statistics"
        How the shares of errors are bounded; see `distribution_bounds`. "dkw" has the same margin
        everywhere and is far wider where errors are rare.

    Returns
    -------
    SurfaceCertificate
        With `guaranteed_window`, `of_window`, `window`, `guaranteed_cost`, `upper`, `interval`.

    Raises
    ------
    InputError
        For ill-formed input or weights that are not whole numbers.

    Notes
    -----
    With upper bounds of F and T, half of delta = 1 - confidence_level each, and
    0 <= nu <= min(1, mu), a window (l, u) costs at most

        (1 - nu) F(l) + (mu - nu) T(u) + nu min(1, F(u) + T(l)),      an empty one F(l) + mu T(l),

    for all windows and costs at once; F(-inf) = T(inf) = 0 exactly, so always abstaining certifies
    exactly nu. Lower bounds, for `interval`, rates of abstention and costs outside this range, use
    a quarter of delta each. With a known prevalence F and T come from the two samples.

    References
    ----------
    Massart (1990), Annals of Probability 18, doi:10.1214/aop/1176990746 (method "dkw").

    Examples
    --------
    Errors cost 100, a review 25. Whatever the population, the guaranteed window costs at most 13.9
    per case, well below the 25 of reviewing everything:

    >>> from demur import Binormal, CostModel, surface_certificate
    >>> y, s = Binormal(separation=2.0).sample(5000, rng=0)
    >>> costs = CostModel(cost_fn=100, cost_fp=100, cost_abstain=25)
    >>> window = surface_certificate(y, s).guaranteed_window(costs=costs)
    >>> round(window.expected_cost, 1), round(window.certified_expected_cost, 1)
    (11.4, 13.9)
    """
    counts = as_counts(y_true, y_score, pos_label=pos_label, sample_weight=sample_weight)
    counts.require_repeated_cases("a certificate")
    level = check_confidence_level(confidence_level)
    check_choice(method, "method", BOUND_METHODS)
    rate = check_prevalence(prevalence, positives=counts.n_positive, negatives=counts.n_negative)
    return SurfaceCertificate(
        _counts=counts,
        method=method,
        prevalence_known=prevalence is not None,
        confidence_level=level,
        n=counts.n,
        prevalence=rate,
    )
