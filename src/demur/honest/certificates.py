"""Certificates: bounds for the cost of any window at any costs, for every sample size.

With n independent cases the shares F(t) = Pr(positive, score <= t) and T(t) = Pr(negative,
score > t) have upper bounds that hold for all t at once (`distribution_bounds`). The cost of a
window is a sum of such shares, so it is bounded for all windows and all costs together: also for
the window chosen on the same cases, and for the window whose bound is smallest.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from demur._checks import (
    check_choice,
    check_confidence_level,
    check_cost_point,
    check_nonnegative,
    check_type,
    input_error,
)
from demur._results import Interval, Result, as_scalar
from demur.costs.model import CostModel
from demur.counts.scores import ScoreCounts, as_counts
from demur.exceptions import InputError, UndefinedError
from demur.honest.certified_cuts import (
    CertifiedCuts,
    ClassBounds,
    RateBounds,
    RelativeCosts,
    WindowPlace,
    certified_cost,
    cuts_where_bounds_change,
    guaranteed_cuts,
    least_possible_cost,
    running_sum,
)
from demur.honest.distributions import BOUND_METHODS, DistributionBounds, dkw_margin
from demur.surface.masses import block_cuts
from demur.surface.surface import AbstentionSurface, abstention_surface
from demur.surface.window import AbstentionWindow, window_thresholds
from demur.typing import ArrayLike, FloatArray, Labels, Scalar

__all__ = ["CertifiedWindow", "SurfaceCertificate", "surface_certificate"]


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
    surface : AbstentionSurface
        The surface with hindsight.
    method : str
        "order statistics" or "dkw".
    prevalence_known : bool
        Whether the classes are two samples with a given prevalence.
    """

    surface: AbstentionSurface
    method: str
    prevalence_known: bool
    confidence_level: float
    n: float
    prevalence: float
    _evidence = ("surface",)

    # ---------------------------------------------------------------- bounds of F and T

    def _class_bounds(self, delta: float, *, two_sided: bool) -> ClassBounds:
        counts = self.surface.counts
        sizes = (counts.n_positive, counts.n_negative) if self.prevalence_known else (counts.n, counts.n)
        shares = (self.prevalence, 1 - self.prevalence) if self.prevalence_known else (1.0, 1.0)
        laws = [DistributionBounds(n=int(size), delta=delta, method=self.method) for size in sizes]
        if sizes[0] == sizes[1]:
            laws[1] = laws[0]  # the quantiles are computed once
        return ClassBounds(laws[0], laws[1], shares[0], shares[1], two_sided)

    @cached_property
    def _upper_bounds(self) -> ClassBounds:
        """F and T from above, half of delta each."""
        return self._class_bounds((1 - self.confidence_level) / 2, two_sided=False)

    @cached_property
    def _two_sided_bounds(self) -> ClassBounds:
        """F and T from above and from below, a quarter of delta each."""
        return self._class_bounds((1 - self.confidence_level) / 4, two_sided=True)

    def _bounds_for(self, costs: Sequence[RelativeCosts], *, empty: bool = False) -> ClassBounds:
        """Upper bounds where they suffice; a window under a limit may abstain where that never pays."""
        one_sided = empty or all(one.one_sided for one in costs)
        return self._upper_bounds if one_sided else self._two_sided_bounds

    @cached_property
    def _cases_below(self) -> tuple[FloatArray, FloatArray]:
        """Positives and negatives among the first i distinct scores."""
        counts = self.surface.counts
        return running_sum(counts.positives), running_sum(counts.negatives)

    @cached_property
    def cuts(self) -> CertifiedCuts:
        """Cuts between scores at which the bounds change: all the guaranteed window can use."""
        prevalence = self.prevalence if self.prevalence_known else None
        positive, negative = self._upper_bounds[:2]
        return cuts_where_bounds_change(
            self.surface.counts, self._cases_below, positive, negative, prevalence
        )

    @cached_property
    def cut_bounds(self) -> RateBounds:
        """Upper bounds of F and T at the cuts."""
        return self.cuts.rates(self._upper_bounds)

    @cached_property
    def _two_sided_cut_bounds(self) -> RateBounds:
        return self.cuts.rates(self._two_sided_bounds)

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
        bounds = self._two_sided_bounds
        each = [
            share * dkw_margin(law.n, law.delta, sides=1) if share else 0.0
            for share, law in zip(bounds[2:4], bounds[:2], strict=True)
        ]
        return as_scalar(np.asarray(each[0] + x * each[1]))

    def interval(self, mu: ArrayLike, nu: ArrayLike) -> Interval:
        """Return certified lower and upper bounds of the true surface; arrays give arrays.

        True for all costs at once. Cut at what no population can exceed: nu, and mu / (1 + mu)
        (or the trivial rules at the given prevalence).
        """
        x, y = check_cost_point(mu, nu)
        bounds, below = self._two_sided_cut_bounds, self.cuts.masses.below
        low, high = np.empty(x.shape), np.empty(x.shape)
        # beyond mu / (1 + mu) abstaining never pays and the surface no longer depends on nu
        useful = np.minimum(y, x / (1 + x))
        for at in np.ndindex(x.shape):
            costs = RelativeCosts(float(x[at]), float(useful[at]), float(useful[at]))
            low[at] = least_possible_cost(bounds, costs)
            high[at] = guaranteed_cuts(bounds, below, costs)[2]
        high = np.minimum(high, self._ceiling(x, y))
        return Interval(as_scalar(np.minimum(low, high)), as_scalar(high))  # type: ignore[arg-type]

    def _ceiling(self, mu: FloatArray, nu: FloatArray) -> FloatArray:
        if self.prevalence_known:
            trivial = np.minimum(self.prevalence, mu * (1 - self.prevalence))
        else:
            trivial = mu / (1 + mu)
        return np.asarray(np.minimum(trivial, nu))

    def upper(self, mu: ArrayLike, nu: ArrayLike) -> Scalar:
        """Return a certified upper bound of the true cost of the cheapest window at (mu, nu).

        To one side, so it can be below the upper end of `interval`; true for all costs at once.
        """
        x, y = check_cost_point(mu, nu)
        i, j = block_cuts(self.surface.shares, x, y, y)
        blocks = self.surface.counts.blocks()
        positives, negatives = running_sum(blocks.positives), running_sum(blocks.negatives)
        last = len(positives) - 1
        at_lower, at_upper = (
            self._upper_bounds.rates(positives[cut], negatives[-1] - negatives[cut], cut == 0, cut == last)
            for cut in (i, j)
        )
        return as_scalar(certified_cost(at_lower, at_upper, RelativeCosts(x, y, y), i == j))

    def guaranteed_cost(self, mu: ArrayLike, nu: ArrayLike) -> Scalar:
        """Return the smallest certified cost any window has at (mu, nu); arrays give arrays."""
        x, y = check_cost_point(mu, nu)
        cost = np.empty(x.shape)
        for at in np.ndindex(x.shape):
            costs = RelativeCosts(float(x[at]), float(y[at]), float(y[at]))
            cost[at] = guaranteed_cuts(self.cut_bounds, self.cuts.masses.below, costs)[2]
        return as_scalar(cost)

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
        relative = _relative_costs(mu, nu, nu_negative, costs)
        choices = []
        for one in self._equivalent_costs(relative, costs):
            equivalent = self._equivalent_costs(relative, costs)
            bounds = self._bounds_for(equivalent, empty=all(same.never_abstain for same in equivalent))
            rates = self.cut_bounds if bounds is self._upper_bounds else self._two_sided_cut_bounds
            first, end, _ = guaranteed_cuts(rates, self.cuts.masses.below, one)
            window = AbstentionWindow.of_cuts(
                self.cuts.masses,
                (first, end),
                mu=relative.mu,
                nu_positive=relative.nu_positive,
                nu_negative=relative.nu_negative,
                prevalence=self.prevalence,
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
            relative = _relative_costs(mu, nu, nu_negative, costs)
        lower, upper = window_thresholds(window)
        place = WindowPlace.of(self.surface.counts, lower, upper)
        bounds, certified = self._certified(place, relative, costs)
        at_lower, at_upper = place.rates(bounds)
        lower_index, upper_index = place.indices(self.surface.counts.scores)
        fn, fp, abstained = place.shares(self.surface)
        cost = fn + relative.mu * fp
        if not place.empty:
            cost += relative.nu_positive * abstained[0] + relative.nu_negative * abstained[1]
        return CertifiedWindow(
            lower=lower,
            upper=upper,
            lower_index=lower_index,
            upper_index=upper_index,
            cost=cost,
            certified_cost=certified[0],
            expected_cost=cost if costs is None else float(costs.expected_cost(cost, self.prevalence)),
            certified_expected_cost=self._in_unit(certified, costs, bounds),
            fn=fn,
            fp=fp,
            certified_fn=float(at_lower.missed_high),
            certified_fp=float(at_upper.alarmed_high),
            abstention_rate=min(sum(abstained), 1.0),
            certified_abstention_rate=place.abstention_bound(self._two_sided_bounds),
            confidence_level=self.confidence_level,
        )

    def bound_of(self, window: AbstentionWindow | tuple[float, float], *, costs: CostModel) -> float:
        """Return what `of_window` calls `certified_expected_cost`, without the other bounds.

        Counts only the cases on either side of the thresholds, whatever the number of scores.
        """
        place = WindowPlace.of(self.surface.counts, *window_thresholds(window))
        bounds, certified = self._certified(place, _relative_costs(None, None, None, costs), costs)
        return self._in_unit(certified, costs, bounds)

    def _certified(
        self, place: WindowPlace, relative: RelativeCosts, costs: CostModel | None
    ) -> tuple[ClassBounds, list[float]]:
        """Return the bounds a window needs, and its certified cost for each of the equivalent costs."""
        if costs is not None and not place.empty and math.isinf(relative.nu_positive + relative.nu_negative):
            raise InputError(
                f"`window` must not abstain where abstaining has no price, got ({place.lower:g}, "
                f"{place.upper:g}). Hint: CostModel(cost_abstain=...), or two equal thresholds."
            )
        equivalent = self._equivalent_costs(relative, costs)
        bounds = self._bounds_for(equivalent, empty=place.empty)
        lower, upper = place.rates(bounds)
        return bounds, [float(certified_cost(lower, upper, one, place.empty)) for one in equivalent]

    # ---------------------------------------------------------------- the user's unit

    def _in_unit(self, certified: Sequence[float], costs: CostModel | None, bounds: ClassBounds) -> float:
        """Smallest of the certified costs in the unit of `costs`."""
        if costs is None:
            return certified[0]
        levelled = [_levelled_in_unit(bound, costs) for bound in certified[1:]]
        return min([self._normal_in_unit(certified[0], costs, bounds), *levelled])

    def _equivalent_costs(self, relative: RelativeCosts, costs: CostModel | None) -> list[RelativeCosts]:
        """Return the costs to bound: where right answers differ in cost, also with the larger for both.

        The normal form leaves out what right answers cost, which depends on the unknown prevalence.
        With the larger cost for both classes it does not, and always abstaining stays exact.
        """
        if costs is None or self.prevalence_known or costs.cost_tp == costs.cost_tn:
            return [relative]
        levelled = _levelled(costs)
        return [relative] if levelled is None else [relative, levelled]

    def _normal_in_unit(self, bound: float, costs: CostModel, bounds: ClassBounds) -> float:
        if self.prevalence_known:
            return float(costs.expected_cost(bound, self.prevalence))
        # the prevalence is F(inf), and 1 - prevalence is T(-inf)
        gap = costs.cost_tp - costs.cost_tn
        most = float(bounds.positive.upper(self.surface.counts.n_positive))
        least = 1 - float(bounds.negative.upper(self.surface.counts.n_negative))
        rate = most if gap >= 0 else max(least, 0.0)
        return (costs.cost_fn - costs.cost_tp) * bound + costs.cost_tn + gap * rate

    def __repr__(self) -> str:
        what = f"n={self.n:g}, confidence_level={self.confidence_level:g}, method={self.method!r}"
        none_seen = float(self._upper_bounds.positive.upper(0))
        return f"SurfaceCertificate({what}, no miss seen: at most {none_seen:.4g})"


def _relative_costs(mu: Any, nu: Any, nu_negative: Any, costs: CostModel | None) -> RelativeCosts:
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


def _levelled(costs: CostModel) -> RelativeCosts | None:
    """Normal form with the larger cost of a right answer for both classes, where it is one."""
    right = max(costs.cost_tp, costs.cost_tn)
    unit = costs.cost_fn - right
    if unit <= 0 or costs.cost_fp < right:
        return None
    # what abstaining costs in the user's unit, from the normal form
    normal = costs.cost_fn - costs.cost_tp
    prices = costs.cost_tp + normal * costs.nu_positive, costs.cost_tn + normal * costs.nu_negative
    return RelativeCosts((costs.cost_fp - right) / unit, *((price - right) / unit for price in prices))


def _levelled_in_unit(bound: float, costs: CostModel) -> float:
    right = max(costs.cost_tp, costs.cost_tn)
    return right + (costs.cost_fn - right) * bound


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
    surface = abstention_surface(counts, prevalence=prevalence)
    return SurfaceCertificate(
        surface=surface,
        method=method,
        prevalence_known=prevalence is not None,
        confidence_level=level,
        n=counts.n,
        prevalence=surface.prevalence,
    )
