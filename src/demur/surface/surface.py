"""Abstention cost surfaces (Friedel, Rueckert, Kramer 2006): exact costs, windows, volumes.

For relative costs mu of a false alarm and nu of abstaining (a miss costs 1), the surface
k(mu, nu) is the smallest expected cost any window (lower, upper) of the scores reaches:

    k(mu, nu) = sum over blocks b of min(P_b, mu N_b, nu (P_b + N_b)),

with P_b, N_b the masses of positives and negatives in the pooled blocks. The formula is
exact; a grid is used only to draw.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np

from demur import _html
from demur._checks import (
    check_costs_by_class,
    check_finite,
    check_grid,
    check_nonnegative,
    check_prevalence,
    check_range,
    check_type,
    input_error,
)
from demur._kernels.integrals import (
    beta_expectation,
    corner_volume,
    mean_rates,
    symmetric_loss,
)
from demur._kernels.polygons import clip
from demur._kernels.window_search import cheapest_pairs
from demur._results import Result, as_scalar, json_safe
from demur.costs.model import CostModel
from demur.counts.scores import ScoreCounts, as_counts
from demur.counts.window import AbstentionWindow
from demur.exceptions import InputError
from demur.surface.masses import SHARE_TIE, ShareCuts, SurfaceMasses
from demur.surface.regions import SurfaceCells, cheaper_within, compared_areas, surface_cells, without_repeats
from demur.surface.review import PLAIN, ReviewPrices, review_scores
from demur.typing import ArrayLike, BoolArray, FloatArray, Labels, Range, Scalar

__all__ = [
    "AbstentionSurface",
    "MeanRates",
    "OptimalCosts",
    "SurfaceDifference",
    "SurfaceGrid",
    "abstention_surface",
    "cost_ranges",
    "optimal_costs",
    "surface_of",
]

_UNIT: Range = (0.0, 1.0)


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class SurfaceGrid(Result):
    """Values of a surface on a grid, to draw or export; element [i, j] is at (mu[i], nu[j])."""

    mu: FloatArray
    nu: FloatArray
    cost: FloatArray
    abstention_rate: FloatArray
    lower: FloatArray
    upper: FloatArray


class MeanRates(NamedTuple):
    """Averages over the unit square of costs (mu, nu uniform on [0, 1])."""

    abstention_rate: float
    fp: float
    fn: float


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class AbstentionSurface(Result):
    """Smallest expected cost over all windows, as a function of the costs (mu, nu).

    The lower the better. Made by `abstention_surface`; see there for the definition.

    Attributes
    ----------
    counts : ScoreCounts
        The evidence.
    prevalence : float
        P(positive) assumed, the sample's unless the user gave another.
    positive_mass, negative_mass : array
        Element b is the mass of that class in pooled block b; all masses sum to 1.
    shares : array
        Element b is the share of positives in block b, ascending: the calibrated score.
    """

    counts: ScoreCounts
    prevalence: float
    positive_mass: FloatArray
    negative_mass: FloatArray

    # ---------------------------------------------------------------- the evidence

    @property
    def n(self) -> float:
        """Total weight of the cases."""
        return self.counts.n

    @cached_property
    def masses(self) -> SurfaceMasses:
        """Running masses over blocks and scores, for other subpackages."""
        return SurfaceMasses(
            counts=self.counts,
            prevalence=self.prevalence,
            positive=self.positive_mass,
            negative=self.negative_mass,
        )

    @property
    def shares(self) -> FloatArray:
        """Share of positives per block."""
        return self.masses.shares

    # ---------------------------------------------------------------- cost and window

    def _figure(self) -> str:
        mu = nu = np.linspace(0.0, 1.0, 12)
        return _html.heat(self.cost(mu[:, None], nu[None, :]), ("cost", "mu", "nu"))

    def cost(self, mu: ArrayLike, nu: ArrayLike, nu_negative: ArrayLike | None = None) -> Scalar:
        """Return the smallest expected cost at (mu, nu), exactly, in O(log blocks) per point.

        Parameters
        ----------
        mu : float or array, >= 0
            Cost of a false alarm, relative to a miss; may exceed 1.
        nu : float or array, >= 0
            Cost of abstaining, relative to a miss; of abstaining on a positive when
            `nu_negative` is given. Infinite: never abstain.
        nu_negative : float or array, optional
            Cost of abstaining on a negative. By class a cost may be negative, a reward.
        """
        mu, nu_p, nu_n, odd = self._broadcast_costs(mu, nu, nu_negative)
        i, j = ShareCuts.of_surface(mu, nu_p, nu_n).blocks(self.shares)
        m = self.masses.blocks
        cost = np.asarray(m.positive_below[i] + mu * m.negative_above[j])
        wide = i < j
        if wide.any():
            with np.errstate(invalid="ignore"):
                inside = nu_p * (m.positive_below[j] - m.positive_below[i])
                inside += nu_n * (m.negative_below[j] - m.negative_below[i])
            cost = np.asarray(np.where(wide, cost + inside, cost))
        for at, window in self._scanned(odd, mu, nu_p, nu_n):
            cost[at] = window.cost
        return as_scalar(cost)

    def window(
        self,
        mu: float | None = None,
        nu: float | None = None,
        nu_negative: float | None = None,
        *,
        costs: CostModel | None = None,
    ) -> AbstentionWindow:
        """Return the cheapest window for one set of costs, as (mu, nu) or as a `CostModel`.

        Among equally cheap windows: the least abstention, then the most positives.
        """
        if costs is not None:
            check_type(costs, "costs", CostModel)
            if mu is not None or nu is not None or nu_negative is not None:
                raise InputError("`costs` replaces mu and nu, got both. Hint: pass one of them.")
            m, nu_p, nu_n = costs.mu, costs.nu_positive, costs.nu_negative
            odd = _needs_scan(*map(np.asarray, (m, nu_p, nu_n)))
        elif mu is None or nu is None:
            raise InputError("`mu` and `nu` are both needed. Hint: or pass costs=CostModel(...).")
        else:
            *point, odd = self._broadcast_costs(mu, nu, nu_negative)
            if odd.ndim:
                raise input_error(
                    "mu and nu", "must be single numbers", f"shape {odd.shape}", "window() is for one point."
                )
            m, nu_p, nu_n = map(float, point)
        if odd:
            window = self._scan(m, nu_p, nu_n)
        else:
            i, j = ShareCuts.of_surface(m, nu_p, nu_n).blocks(self.masses.shares)
            prices = {"mu": m, "nu_positive": nu_p, "nu_negative": nu_n, "prevalence": self.prevalence}
            window = AbstentionWindow.of_cuts(self.masses.blocks, (int(i), int(j)), **prices)
        if costs is None:
            return window
        return replace(window, expected_cost=float(costs.expected_cost(window.cost, self.prevalence)))

    def abstention_rate(self, mu: ArrayLike, nu: ArrayLike, nu_negative: ArrayLike | None = None) -> Scalar:
        """Return the share of cases the cheapest window abstains on (least of several cheapest)."""
        mu, nu_p, nu_n, odd = self._broadcast_costs(mu, nu, nu_negative)
        i, j = ShareCuts.of_surface(mu, nu_p, nu_n).blocks(self.shares)
        mass = self.masses.blocks.below
        rate = np.asarray(np.minimum(mass[j] - mass[i], 1.0))
        for at, window in self._scanned(odd, mu, nu_p, nu_n):
            rate[at] = window.abstention_rate
        return as_scalar(rate)

    def _scanned(
        self, odd: BoolArray, mu: FloatArray, nu_p: FloatArray, nu_n: FloatArray
    ) -> Iterator[tuple[tuple[int, ...], AbstentionWindow]]:
        """Yield (index, window) of the points that need the scan."""
        for at in np.ndindex(odd.shape) if odd.any() else ():
            if odd[at]:
                yield at, self._scan(float(mu[at]), float(nu_p[at]), float(nu_n[at]))

    def _broadcast_costs(
        self, mu: Any, nu: Any, nu_negative: Any
    ) -> tuple[FloatArray, FloatArray, FloatArray, Any]:
        """Broadcast; the last element marks costs for which the block formula does not hold."""
        mu, nu_p, nu_n = check_costs_by_class(mu, nu, nu_negative)
        if nu_negative is None:
            return mu, nu_p, nu_n, np.zeros(mu.shape, dtype=bool)
        return mu, nu_p, nu_n, _needs_scan(mu, nu_p, nu_n)

    def _scan(self, mu: float, nu_p: float, nu_n: float) -> AbstentionWindow:
        """Search all windows in O(distinct scores): valid for any costs, rewards included."""
        m = self.masses.scores
        start = (1 - nu_p) * m.positive_below - nu_n * m.negative_below
        stop = nu_p * m.positive_below + nu_n * m.negative_below + mu * m.negative_above
        slack = np.array([[SHARE_TIE * (1 + mu + abs(nu_p) + abs(nu_n))]])
        (i,), (j,) = cheapest_pairs(start[None], stop[None], m.below[None], slack)
        prices = {"mu": mu, "nu_positive": nu_p, "nu_negative": nu_n, "prevalence": self.prevalence}
        return AbstentionWindow.of_cuts(m, (int(i), int(j)), **prices)

    # ---------------------------------------------------------------- integrals

    def volume(
        self,
        mu: Range = _UNIT,
        nu: Range = _UNIT,
        *,
        ray: tuple[float, float] = (1.0, 1.0),
        reviewer: tuple[float, float] = (1.0, 1.0),
    ) -> float:
        """Return the volume under the surface over a rectangle of costs, exactly.

        Over the unit square this is VACC; divided by the area of the rectangle it is the mean
        cost when mu and nu are uniform. With `ray` = (alpha, beta) abstaining costs alpha nu
        on positives and beta nu on negatives; `reviewer` as in `minus`.
        """
        mu_low, mu_high = check_range(mu, "mu")
        nu_low, nu_high = check_range(nu, "nu")
        if tuple(reviewer) != PLAIN.reviewer:
            prices = ReviewPrices.checked(ray, reviewer)
            losses = review_scores(self.shares, (mu_low, mu_high), (nu_low, nu_high), prices)
            return float(self.positive_mass @ losses[0] + self.negative_mass @ losses[1])
        alpha, beta = check_nonnegative(ray, "ray")
        masses = self.positive_mass, self.negative_mass
        corner = partial(corner_volume, *masses, alpha * masses[0] + beta * masses[1])
        return (
            corner(mu_high, nu_high)
            - corner(mu_low, nu_high)
            - corner(mu_high, nu_low)
            + corner(mu_low, nu_low)
        )

    def expected_cost(self, *, mu_beta: tuple[float, float], nu_beta: tuple[float, float]) -> float:
        """Return the expected cost when mu and nu are independent Beta variables on [0, 1].

        Exact for whole-number parameters (Gauss-Legendre on a polynomial); otherwise adaptive
        quadrature to an estimated error of 1e-12.
        """
        for name, law in (("mu_beta", mu_beta), ("nu_beta", nu_beta)):
            pair = check_finite(law, name)
            if pair.shape != (2,) or np.any(pair <= 0):
                raise input_error(name, "must be two positive Beta parameters (a, b)", repr(law))
        return beta_expectation(self.positive_mass, self.negative_mass, mu_beta, nu_beta)

    def mean_rates(self) -> MeanRates:
        """Return abstention rate, false alarms and misses averaged over the unit square of costs."""
        return MeanRates(*mean_rates(self.positive_mass, self.negative_mass))

    def symmetric_cost(self, abstention_cost: float) -> float:
        """Return twice the mean cost over c uniform, with costs c (miss), 1 - c (false alarm), d (abstain).

        With d >= 1/4 nobody abstains and the value is the Brier score (refinement) of the
        calibrated scores, so it reads as a Brier score of a classifier that may abstain.
        """
        d = check_nonnegative(abstention_cost, "abstention_cost")
        return symmetric_loss(self.positive_mass, self.negative_mass, float(d))

    # ---------------------------------------------------------------- regions, comparison

    @property
    def n_cells(self) -> int:
        """Number of windows that are optimal somewhere in the quadrant mu, nu >= 0."""
        mixed = len(self.masses.mixed_shares)
        return (mixed + 1) * (mixed + 2) // 2

    def cells(self, mu: Range = _UNIT, nu: Range = _UNIT) -> SurfaceCells:
        """Return the exact polygons of costs in which one window is optimal, clipped to a rectangle."""
        return surface_cells(self.masses, check_range(mu, "mu"), check_range(nu, "nu"))

    def trivial(self) -> AbstentionSurface:
        """Return the surface of the best of "always positive", "always negative", "always abstain"."""
        counts = ScoreCounts.from_counts([0.0], [self.counts.n_positive], [self.counts.n_negative])
        return surface_of(counts, self.prevalence)

    def minus(
        self,
        other: AbstentionSurface,
        *,
        mu: Range = _UNIT,
        nu: Range = _UNIT,
        ray: tuple[float, float] = (1.0, 1.0),
        reviewer: tuple[float, float] = (1.0, 1.0),
    ) -> SurfaceDifference:
        """Return the exact difference self minus other over a rectangle of costs.

        Negative values: this surface is cheaper. Compare surfaces of one prevalence; pass
        `prevalence=` to both if their samples differ.

        Parameters
        ----------
        other : AbstentionSurface
        mu, nu : (low, high)
            The rectangle.
        ray : (alpha, beta)
            Abstaining costs alpha nu on a positive and beta nu on a negative; both positive.
        reviewer : (sensitivity, specificity)
            Of the person who gets the cases: nu is the fee, and the person's mistakes cost what those of
            a model cost. Together above 1.
        """
        check_type(other, "other", AbstentionSurface, "an")
        ends, prices = (check_range(mu, "mu"), check_range(nu, "nu")), ReviewPrices.checked(ray, reviewer)
        found = compared_areas(self.masses, other.masses, *ends, prices)
        return SurfaceDifference(
            first=self,
            second=other,
            mu=ends[0],
            nu=ends[1],
            ray=prices.ray,
            reviewer=prices.reviewer,
            **found,
        )

    def grid(self, resolution: int = 100, *, mu: Range = _UNIT, nu: Range = _UNIT) -> SurfaceGrid:
        """Return cost, abstention rate and thresholds on (resolution + 1) squared points, to draw."""
        x, y = check_grid(resolution, mu, nu)
        at = np.broadcast_arrays(x[:, None], y[None, :])
        i, j = ShareCuts.of_surface(at[0], at[1], at[1]).blocks(self.shares)
        m = self.masses.blocks
        mass = m.below
        rate = mass[j] - mass[i]
        return SurfaceGrid(
            mu=x,
            nu=y,
            cost=m.positive_below[i] + at[0] * m.negative_above[j] + at[1] * rate,
            abstention_rate=rate,
            lower=m.lower_cut[i],
            upper=m.upper_cut[j],
        )

    def to_dict(self) -> dict[str, Any]:
        """Return blocks, masses and volume as JSON-safe built-in types."""
        blocks = self.counts.blocks()
        columns = blocks.lower, blocks.upper, self.positive_mass, self.negative_mass
        return {
            "n": self.n,
            "prevalence": self.prevalence,
            "vacc": self.volume(),
            "blocks": [
                {"lower": low, "upper": high, "positive_mass": p, "negative_mass": q}
                for low, high, p, q in zip(*map(json_safe, columns), strict=True)
            ],
            **self._certainty(),
        }

    def __repr__(self) -> str:
        blocks = len(self.positive_mass)
        what = f"n={self.n:g}, prevalence={self.prevalence:.4g}, blocks={blocks}, vacc={self.volume():.6g}"
        return f"AbstentionSurface({what})"


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class SurfaceDifference(Result):
    """Exact comparison of two surfaces over a rectangle of costs: first minus second.

    Attributes
    ----------
    better_area, worse_area, equal_area : float
        Area of the costs at which the first is cheaper, more expensive, equally good.
    gain, loss : float
        Integral of the saving where the first is cheaper, and of the excess where it is
        not; ``loss - gain`` is the difference of the volumes.
    largest_gain, largest_loss : float
        Most that the first saves, and most that it costs more, anywhere in the rectangle.
    largest_gain_at, largest_loss_at : (mu, nu) or None
        Where; None where there is none.
    mu, nu : (low, high)
        The rectangle.
    ray, reviewer : (float, float)
        Price of abstaining by class in units of nu; sensitivity and specificity of the reviewer.
    """

    first: AbstentionSurface
    second: AbstentionSurface
    mu: Range
    nu: Range
    better_area: float
    worse_area: float
    equal_area: float
    gain: float
    loss: float
    largest_gain: float
    largest_loss: float
    largest_gain_at: tuple[float, float] | None
    largest_loss_at: tuple[float, float] | None
    ray: tuple[float, float] = (1.0, 1.0)
    reviewer: tuple[float, float] = (1.0, 1.0)
    _evidence = ("first", "second")
    _reported = ("net",)

    def _figure(self) -> str:
        mu, nu = (np.linspace(*ends, 12) for ends in (self.mu, self.nu))
        return _html.heat(self.cost(mu[:, None], nu[None, :]), ("difference of cost", "mu", "nu"))

    def cost(self, mu: ArrayLike, nu: ArrayLike, nu_negative: ArrayLike | None = None) -> Scalar:
        """Return the difference of cost at (mu, nu); negative: the first surface is cheaper.

        Along the ray and with the reviewer of the comparison, unless `nu_negative` is given.
        """
        if nu_negative is None and self.prices != PLAIN:
            mu = check_nonnegative(mu, "mu")
            nu, nu_negative = self.prices.by_class(mu, check_nonnegative(nu, "nu"))
        return as_scalar(
            np.asarray(self.first.cost(mu, nu, nu_negative))
            - np.asarray(self.second.cost(mu, nu, nu_negative))
        )

    def within(self) -> tuple[tuple[Range, Range] | None, tuple[Range, Range] | None]:
        """Return the smallest rectangles (mu, nu) of the costs at which the first is cheaper, and the second.

        None for one that is cheaper nowhere.
        """
        return cheaper_within(self.first.masses, self.second.masses, self.mu, self.nu, self.prices)

    @property
    def prices(self) -> ReviewPrices:
        """What abstaining costs by class."""
        return ReviewPrices.checked(self.ray, self.reviewer)

    @property
    def net(self) -> float:
        """Volume of the first minus volume of the second over the rectangle."""
        return self.loss - self.gain

    def __repr__(self) -> str:
        return (
            f"SurfaceDifference(better_area={self.better_area:.4g}, equal_area={self.equal_area:.4g}, "
            f"gain={self.gain:.4g}, loss={self.loss:.4g})"
        )


def _needs_scan(mu: FloatArray, nu_p: FloatArray, nu_n: FloatArray) -> BoolArray:
    """Tell where the block formula does not hold.

    Outside the band -mu <= nu_P - nu_N <= 1 a negative cost of abstaining breaks the order negative, abstain,
    positive within a block.
    """
    with np.errstate(invalid="ignore"):
        d = nu_p - nu_n
    odd = ~((-mu <= d) & (d <= 1)) & ((nu_p < 0) | (nu_n < 0))
    if np.any(odd & ~(np.isfinite(nu_p) & np.isfinite(nu_n))):
        raise input_error("nu and nu_negative", "must both be finite if one is negative", "an infinite cost")
    return odd


def surface_of(counts: ScoreCounts, prevalence: float | None) -> AbstentionSurface:
    """Make the surface of counts."""
    blocks = counts.blocks()
    to_positive, to_negative = counts.class_weights(prevalence)
    rate = check_prevalence(prevalence, positives=counts.n_positive, negatives=counts.n_negative)
    return AbstentionSurface(
        counts=counts,
        prevalence=rate,
        positive_mass=blocks.positives * to_positive,
        negative_mass=blocks.negatives * to_negative,
    )


def abstention_surface(
    y_true: Labels | ScoreCounts,
    y_score: ArrayLike | None = None,
    *,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
    prevalence: float | None = None,
) -> AbstentionSurface:
    """Smallest expected cost of a scoring classifier that may abstain, for all costs at once.

    The lower the better. For costs 1 of a miss, mu of a false alarm and nu of abstaining it
    is the lower envelope over all windows: call scores below the window negative, above it
    positive, and abstain inside. Assumes that higher scores are more positive and that the
    data resemble the use, up to the prevalence. The window is chosen on these same data, so
    the value is a little optimistic on small samples.

    Parameters
    ----------
    y_true : array of n labels, or ScoreCounts
        Two distinct values; or the counts, and nothing else.
    y_score : array of n numbers
        Higher means more positive; infinities are fine.
    pos_label : label, optional
        The positive label; may be left out for {0, 1}, {-1, 1} and bool.
    sample_weight : array of n numbers >= 0, optional
        Weight 2 means the same as a repeated row.
    prevalence : float, optional
        P(positive) in use, where it differs from the sample's.

    Returns
    -------
    AbstentionSurface
        With `cost`, `window`, `abstention_rate`, `volume`, `expected_cost`, `cells`,
        `minus`, `trivial`, `grid`.

    Raises
    ------
    InputError
        For ill-formed input. One class only is legal here: nothing can go wrong, cost 0.

    Notes
    -----
    k(mu, nu) = sum_b min(P_b, mu N_b, nu (P_b + N_b)) over the blocks of the pool-adjacent-
    violators algorithm; with abstention costs by class, nu_P P_b + nu_N N_b replaces the last
    term. Abstaining can pay only where nu < mu / (1 + mu) (lemma 1 of the paper).

    References
    ----------
    Friedel, Rueckert, Kramer (2006), "Cost Curves for Abstaining Classifiers", ROCML.

    Examples
    --------
    A miss costs 1, a false alarm 1, a review 1/4. Review the scores between -0.7 and 0.6;
    expect a cost of 1/6 per case, against 1/4 without reviews:

    >>> from demur import abstention_surface
    >>> y = [0, 0, 1, 0, 1, 0, 0, 1, 1, 0, 1, 1]
    >>> s = [-0.9, -0.9, -0.5, -0.5, 0, 0, 0, 0.4, 0.4, 0.4, 0.8, 0.8]
    >>> surface = abstention_surface(y, s)
    >>> window = surface.window(mu=1, nu=0.25)
    >>> round(window.lower, 2), round(window.upper, 2), round(window.cost, 4)
    (-0.7, 0.6, 0.1667)
    >>> round(surface.cost(1, float("inf")), 4)
    0.25
    """
    counts = as_counts(y_true, y_score, pos_label=pos_label, sample_weight=sample_weight)
    return surface_of(counts, prevalence)


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class OptimalCosts(Result):
    """The costs (mu, nu) at which a window is among the cheapest: a convex polygon.

    Attributes
    ----------
    mu : (low, high)
        Relative costs of a false alarm at which the window stays optimal, nu being as given.
    nu : (low, high)
        Relative costs of abstaining at which it stays optimal, mu being as given.
    polygon : array of shape (vertices, 2)
        Vertices (mu, nu) of the region in order, cut at `limits` where it is unbounded.
    limits : (float, float)
        Largest mu and nu of the polygon.

    Notes
    -----
    With r_b the share of positives in block b and q_b = 1 - r_b, a window that abstains on the
    blocks i + 1 to j is optimal where r_i <= nu <= r_{i+1} and mu q_{j+1} <= nu <= mu q_j; an
    empty one at t where r_t / q_t <= mu <= r_{t+1} / q_{t+1} and nu >= max(r_t, mu q_{t+1}).
    """

    mu: Range
    nu: Range
    polygon: FloatArray
    limits: tuple[float, float]
    _planes: FloatArray

    def contains(self, mu: float, nu: float) -> bool:
        """Tell whether the window is among the cheapest at (mu, nu)."""
        point = float(check_nonnegative(mu, "mu")), float(check_nonnegative(nu, "nu"))
        return bool(np.all(self._planes @ [*point, 1.0] <= 1e-12 * (1 + sum(point))))


def _half_planes(shares: FloatArray, i: int, j: int) -> FloatArray:
    """Rows (a, b, c) with a mu + b nu + c <= 0 in the cell of blocks i and j; see `OptimalCosts`."""
    below = float(shares[i - 1]) if i else 0.0
    last = j == len(shares)
    above_j = 0.0 if last else 1 - float(shares[j])
    planes = [(0.0, -1.0, below), (above_j, -1.0, 0.0)]
    if i < j:
        planes += [(0.0, 1.0, -float(shares[i])), (-(1 - float(shares[j - 1])), 1.0, 0.0)]
    else:
        # r_t / q_t <= mu as r_t <= mu q_t, which is right where q_t is 0 as well
        planes.append((below - 1.0 if i else 0.0, 0.0, below))
        if not last:
            planes.append((above_j, 0.0, above_j - 1.0))
    return np.array(planes)


def cost_ranges(
    shares: FloatArray, cuts: tuple[int, int], mu: float, nu: float
) -> tuple[FloatArray, Range, Range]:
    """Half-planes of the cell of two cuts between blocks, and its ranges of mu and of nu beside the other."""
    planes = _half_planes(shares, *cuts)
    ranges = []
    for of, other, value in ((0, 1, nu), (1, 0, mu)):
        low, high = 0.0, math.inf
        for row in planes.tolist():
            # an infinite nu is no limit where it takes no part
            slope, level = row[of], row[2] + (row[other] * value if row[other] else 0.0)
            if slope > 0:
                high = min(high, -level / slope)
            elif slope < 0:
                low = max(low, -level / slope)
        ranges.append((low, max(low, high)))
    return planes, ranges[0], ranges[1]


def optimal_costs(surface: AbstentionSurface, window: AbstentionWindow) -> OptimalCosts:
    """Return the costs at which a window of `AbstentionSurface.window` stays the cheapest."""
    groups, indices = surface.masses.blocks.groups_below, (window.lower_index, window.upper_index)
    i, j = (int(np.searchsorted(groups, index)) for index in indices)
    mu, nu = window.mu, window.nu_positive
    # an infinite nu (abstaining is no option) is drawn at the top
    level = nu if math.isfinite(nu) else max(1.0, mu)
    planes, mu_range, nu_range = cost_ranges(surface.shares, (i, j), mu, level)
    limits = max(1.0, 2 * mu), max(1.0, 2 * level)
    corners = np.array([[[0.0, 0.0], [limits[0], 0.0], list(limits), [0.0, limits[1]]]])
    for a, b, c in planes:
        corners = clip(corners, np.array([a]), np.array([b]), np.array([c]))
    distinct = without_repeats(corners[0])
    return OptimalCosts(
        mu=mu_range,
        nu=nu_range,
        polygon=distinct if len(distinct) else corners[0, :1],
        limits=limits,
        _planes=planes,
    )
