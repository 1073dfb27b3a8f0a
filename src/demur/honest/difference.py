"""Paired comparison of two models over all costs: difference band and significance map."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from demur._checks import (
    check_choice,
    check_confidence_level,
    check_grid,
    check_positive_int,
    check_rng,
)
from demur._kernels.normal import normal_quantile
from demur._results import Result
from demur.honest.cross_fitting import UNIT
from demur.honest.deviation_law import largest_deviations, upper_quantile
from demur.honest.pairs import PairedCases, paired_cases
from demur.honest.rules import PricePoints
from demur.paired.counts import PairedCounts
from demur.surface.review import ReviewPrices
from demur.typing import ArrayLike, FloatArray, IntArray, Labels, Range

__all__ = ["FLOOR", "SurfaceDifferenceBand", "surface_difference_band"]

FLOOR = 1e-12  # smallest standard error of a difference: identical models differ by nothing


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class SurfaceDifferenceBand(Result):
    """Cost of model a minus cost of model b on a grid of costs; made by `surface_difference_band`.

    Element [i, j] of every array belongs to the costs (``mu[i]``, ``nu[j]``). Negative
    differences: a is cheaper.

    Attributes
    ----------
    difference : array
        Centre of the band: the mean of `honest` and `hindsight`.
    honest, hindsight : array
        Difference of the cross-fitted costs, and of the costs judged on the choosing cases.
    standard_error : array
        The larger of the two standard errors.
    low, high : array
        Simultaneous band over the grid.
    pointwise_low, pointwise_high : array
        The narrower interval for one point chosen before seeing the data.
    decision : array of int
        Significance map from the simultaneous band: -1 a is cheaper, 1 b is cheaper, 0 undecided.
    a_better_share, b_better_share, undecided_share : float
        Shares of the rectangle of costs, by the area around each grid point.
    factor : float
        Standard errors the simultaneous band reaches to either side.
    pvalue : float
        Of the hypothesis that both cost the same at all grid points.
    evidence : dict
        As in `VolumeDifferenceTest`.
    ray, reviewer : (float, float)
        What abstaining costs by class in units of nu; sensitivity and specificity of the reviewer.
    """

    mu: FloatArray
    nu: FloatArray
    difference: FloatArray
    honest: FloatArray
    hindsight: FloatArray
    standard_error: FloatArray
    low: FloatArray
    high: FloatArray
    pointwise_low: FloatArray
    pointwise_high: FloatArray
    decision: IntArray
    a_better_share: float
    b_better_share: float
    undecided_share: float
    factor: float
    pvalue: float
    method: str
    confidence_level: float
    n: float
    prevalence: float
    folds: int
    n_resamples: int
    evidence: dict[str, Any]
    ray: tuple[float, float] = (1.0, 1.0)
    reviewer: tuple[float, float] = (1.0, 1.0)

    def summary(self, first: str = "a", second: str = "b") -> str:
        """Say in words where each model is proven cheaper."""
        parts = []
        for name, code, share in ((first, -1, self.a_better_share), (second, 1, self.b_better_share)):
            at, where = np.nonzero(self.decision == code), ""
            if len(at[0]):
                x, y = self.mu[at[0]], self.nu[at[1]]
                where = f" (within mu {x.min():.2f} to {x.max():.2f}, nu {y.min():.2f} to {y.max():.2f})"
            parts.append(f"{name} is cheaper on {100 * share:.0f} % of the costs{where}")
        return f"{parts[0]}, {parts[1]}, undecided on {100 * self.undecided_share:.0f} %."

    def __repr__(self) -> str:
        return f"SurfaceDifferenceBand({self.summary()})"


def surface_difference_band(
    y_true: Labels | PairedCounts,
    score_a: ArrayLike | None = None,
    score_b: ArrayLike | None = None,
    *,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
    weights: str = "importance",
    prevalence: float | None = None,
    resolution: int = 50,
    mu: Range = UNIT,
    nu: Range = UNIT,
    ray: tuple[float, float] = (1.0, 1.0),
    reviewer: tuple[float, float] = (1.0, 1.0),
    confidence_level: float = 0.95,
    method: str = "average",
    folds: int | None = None,
    repeats: int | None = None,
    n_resamples: int = 1000,
    rng: int | np.random.Generator | None = 0,
    workers: int = 1,
) -> SurfaceDifferenceBand:
    """Where is one model proven cheaper than the other? Band and significance map.

    Cost of a minus cost of b on the same cases: negative means a is cheaper. The band is
    simultaneous, so the map of decided costs as a whole is right with the confidence level;
    picking a favourable point afterwards is allowed. Assumes independent cases; with fewer
    than about 200 cases the map may be slightly too bold (some point wrongly decided in up to 7 %
    instead of 5 % of the comparisons of equal models).

    Parameters
    ----------
    y_true : array of n labels, or PairedCounts
        The joint counts of both models, and nothing else, give the same numbers as the rows.
    score_a, score_b : array of n numbers
        Scores of both models for the same cases; higher means more positive. Counts of each
        model alone are not enough here: the comparison is paired.
    pos_label, prevalence, sample_weight, folds, rng
        As in `cross_fitted_surface`; both models share the folds.
    resolution, mu, nu, confidence_level, n_resamples, workers
        As in `surface_band`.
    ray, reviewer : (float, float)
        What abstaining costs by class, and how often the reviewer is right; as in `AbstentionSurface.minus`.
    method : {"average", "conservative"}
        "average": centred at the mean of the honest and the hindsight difference.
        "conservative": from k_a - kc_b to kc_a - k_b, widened; about half the power.

    Returns
    -------
    SurfaceDifferenceBand

    Raises
    ------
    InputError
        For ill-formed input, weights that are not whole numbers, too many folds.
    UndefinedError
        If a class is missing.

    Notes
    -----
    centre -+ q max(s, sc): s, sc are standard errors of the per-case differences of loss with
    windows of all cases and of the other folds; q is the quantile of the largest standardised
    deviation of the latter under normal multipliers. Two models that rank the cases alike are
    one model: difference 0, p = 1.

    References
    ----------
    Chernozhukov, Chetverikov, Kato (2013), Annals of Statistics 41, doi:10.1214/13-AOS1161.

    Examples
    --------
    >>> from demur import Binormal, surface_difference_band
    >>> from demur.datasets.binormal import paired_binormal_sample
    >>> better, worse = Binormal(separation=2.0), Binormal(separation=1.2)
    >>> y, a, b = paired_binormal_sample(better, worse, n=2000, correlation=0.6, rng=0)
    >>> band = surface_difference_band(y, a, b, resolution=10, rng=0)
    >>> print(band.summary("new model", "old model"))
    new model is cheaper on 90 % of the costs (within mu 0.10 to 1.00, nu 0.10 to 1.00),
    old model is cheaper on 0 % of the costs, undecided on 10 %.
    """
    level = check_confidence_level(confidence_level)
    draws = check_positive_int(n_resamples, "n_resamples")
    threads = check_positive_int(workers, "workers")
    check_choice(method, "method", ("average", "conservative"))
    x, y = check_grid(resolution, mu, nu)
    review = ReviewPrices.checked(ray, reviewer)
    generator = check_rng(rng)
    cases = paired_cases(
        y_true,
        score_a,
        score_b,
        pos_label=pos_label,
        sample_weight=sample_weight,
        weights=weights,
        prevalence=prevalence,
        folds=folds,
        repeats=repeats,
        rng=rng,
        quantity="a surface difference",
    )
    drawing = {"n_resamples": draws, "rng": generator, "workers": threads}
    return _difference_band(cases, (x, y), review, level, method, **drawing)


def _difference_band(
    cases: PairedCases,
    grid: tuple[FloatArray, FloatArray],
    review: ReviewPrices,
    level: float,
    method: str,
    **drawing: Any,
) -> SurfaceDifferenceBand:
    """Make the band from judged cases; `drawing` is that of `largest_deviations`."""
    x, y = grid
    at_mu, at_nu = (axis.ravel() for axis in np.meshgrid(x, y, indexing="ij"))
    # above the border of useful abstention nobody abstains whatever it costs (lemma 1): one point per mu
    positive, negative = review.by_class(at_mu, at_nu)
    never = ~(at_mu * positive + negative < at_mu)
    at = np.stack([at_mu, np.where(never, np.inf, at_nu)])
    points, place = np.unique(at, axis=1, return_inverse=True)
    prices, place = PricePoints.of_surface(points[0], points[1], review), place.ravel()
    hindsight, hindsight_error = cases.hindsight.difference_and_error(prices)
    honest, honest_error = cases.honest.difference_and_error(prices)
    wide = np.maximum(np.maximum(hindsight_error, honest_error), FLOOR)
    centre = (hindsight + honest) / 2
    low = high = centre
    if method == "conservative":
        k, kc = (
            [rules.mean_and_error(prices)[0] for rules in (pair.first, pair.second)]
            for pair in (cases.hindsight, cases.honest)
        )
        low, high = k[0] - kc[1], kc[0] - k[1]
    worst = largest_deviations(cases.honest, prices, honest_error, **drawing).max(axis=1)
    z = normal_quantile(level)
    factor = max(upper_quantile(worst, level), z)
    band, point = (low - factor * wide, high + factor * wide), (low - z * wide, high + z * wide)

    def shaped(values: Any) -> Any:
        return values[place].reshape(len(x), len(y))

    decision = shaped(np.where(band[1] < 0, -1, np.where(band[0] > 0, 1, 0)))
    # share of the rectangle nearest to each grid point
    sides = [np.r_[0.5, np.ones(len(axis) - 2), 0.5] / (len(axis) - 1) for axis in (x, y)]
    area = np.outer(*sides)
    return SurfaceDifferenceBand(
        mu=x,
        nu=y,
        difference=shaped(centre),
        honest=shaped(honest),
        hindsight=shaped(hindsight),
        standard_error=shaped(wide),
        low=shaped(band[0]),
        high=shaped(band[1]),
        pointwise_low=shaped(point[0]),
        pointwise_high=shaped(point[1]),
        decision=decision,
        a_better_share=float(area[decision == -1].sum()),
        b_better_share=float(area[decision == 1].sum()),
        undecided_share=float(area[decision == 0].sum()),
        factor=factor,
        pvalue=float((1 + np.count_nonzero(worst >= np.max(np.abs(centre) / wide))) / (1 + len(worst))),
        method=method,
        confidence_level=level,
        n=cases.n,
        prevalence=cases.prevalence,
        folds=cases.folds,
        evidence=cases.evidence,
        n_resamples=len(worst),
        ray=review.ray,
        reviewer=review.reviewer,
    )
