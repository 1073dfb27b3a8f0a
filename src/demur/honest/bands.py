"""Bands for one abstention surface and intervals for its volume, honest and with hindsight."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from demur._checks import (
    check_choice,
    check_confidence_level,
    check_grid,
    check_positive_int,
    check_range,
    check_rng,
)
from demur._kernels.integrals import rectangle_scores
from demur._kernels.normal import normal_quantile
from demur._results import Result
from demur.counts.scores import ScoreCounts
from demur.honest.cases import JudgedModel, SplitCases, judged_model
from demur.honest.cross_fitting import UNIT, CrossFittedSurface, fitted_surface
from demur.honest.deviation_law import largest_deviations, upper_quantile
from demur.honest.estimates import row_sample, worst_unit
from demur.honest.held_out import JudgedRules
from demur.honest.intervals import added_errors, honest_interval, mean_and_error
from demur.honest.mean_loss import mean_loss
from demur.honest.rules import PricePoints
from demur.typing import ArrayLike, FloatArray, Labels, Range

__all__ = [
    "SurfaceBand",
    "VolumeInterval",
    "cluster_volume_interval",
    "surface_band",
    "volume_interval",
    "volume_interval_of",
]


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class SurfaceBand(Result):
    """Band around an abstention surface on a grid of costs; made by `surface_band`.

    Element [i, j] of every array belongs to the costs (``mu[i]``, ``nu[j]``).

    Attributes
    ----------
    mu, nu : array
        Axes of the grid.
    honest, hindsight : array
        Cost of windows on cases not used to choose them, and on those that were.
    honest_error, hindsight_error : array
        Their standard errors.
    low, high : array
        Simultaneous band: holds at all grid points at once with the confidence level.
    pointwise_low, pointwise_high : array
        The narrower interval for one point chosen before seeing the data.
    low_factor, high_factor : float
        Standard errors below `hindsight` and above `honest` the simultaneous band reaches.
    surface : CrossFittedSurface
        The same estimates at any other costs.
    """

    mu: FloatArray
    nu: FloatArray
    honest: FloatArray
    hindsight: FloatArray
    honest_error: FloatArray
    hindsight_error: FloatArray
    low: FloatArray
    high: FloatArray
    pointwise_low: FloatArray
    pointwise_high: FloatArray
    low_factor: float
    high_factor: float
    confidence_level: float
    n: float
    prevalence: float
    folds: int
    n_resamples: int
    surface: CrossFittedSurface
    _evidence = ("surface",)

    def __repr__(self) -> str:
        width = float(np.mean(self.high - self.low))
        return f"SurfaceBand(n={self.n:g}, grid={self.low.shape}, mean width={width:.4g})"


def side_factors(
    hindsight: JudgedRules,
    honest: JudgedRules,
    prices: PricePoints,
    confidence_level: float,
    n_resamples: int,
    rng: np.random.Generator,
    workers: int,
) -> tuple[float, float]:
    """Simultaneous factors of the two one-sided parts of the bracket, each with half the error rate.

    Normal multipliers are symmetric, so one tail serves for both sides.
    """
    single = normal_quantile(confidence_level)
    factors = []
    for rules in (hindsight, honest):
        error = rules.mean_and_error(prices)[1]
        worst = largest_deviations(rules, prices, error, n_resamples=n_resamples, rng=rng, workers=workers)
        factors.append(max(upper_quantile(worst[:, 0], (1 + confidence_level) / 2), single))
    return factors[0], factors[1]


def surface_band(
    y_true: Labels | ScoreCounts,
    y_score: ArrayLike | None = None,
    *,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
    weights: str = "importance",
    prevalence: float | None = None,
    resolution: int = 50,
    mu: Range = UNIT,
    nu: Range = UNIT,
    confidence_level: float = 0.95,
    folds: int | None = None,
    repeats: int | None = None,
    n_resamples: int = 1000,
    rng: int | np.random.Generator | None = 0,
    workers: int = 1,
) -> SurfaceBand:
    """Band around the abstention cost surface: what you will pay, and how sure that is.

    The lower the better. `honest` is what windows chosen on such data cost on new cases,
    `hindsight` what they seem to cost on the cases that chose them; the truth lies between
    the two on average, and the band reaches from below the latter to above the former. There
    is no plain bootstrap of the surface: at a nominal 95 % it covers about half. Assumes
    independent cases. In binormal samples of 100 cases the simultaneous band covers the surface of
    the population in 97 % to 99 % at a nominal 95 %.

    Parameters
    ----------
    y_true, y_score, pos_label, prevalence
        As in `abstention_surface`. With `prevalence` the classes count as two separate samples.
    sample_weight : array of n whole numbers >= 0, optional
        Number of times each case was seen.
    resolution : int, default 50
        Steps of the grid in each direction.
    mu, nu : (low, high)
        Ranges of the costs.
    confidence_level : float, default 0.95
        Level of both bands.
    weights, folds, repeats
        As in `cross_fitted_surface`.
    n_resamples : int, default 1000
        Multiplier draws for the simultaneous band.
    rng : seed or Generator, default 0
        For the splits and the multipliers; the same seed gives the same bytes.
    workers : int, default 1
        Threads; they do not change the result.

    Returns
    -------
    SurfaceBand

    Raises
    ------
    InputError, UndefinedError
        As in `cross_fitted_surface`.

    Notes
    -----
    Pointwise [k - z s, kc + z sc] with z normal; simultaneous with z replaced by quantiles of
    the largest standardised deviation over the grid under normal multipliers, grouped by
    (fold, position, class). The lower end is cut at 0.

    References
    ----------
    Chernozhukov, Chetverikov, Kato (2013), Annals of Statistics 41, doi:10.1214/13-AOS1161.

    Examples
    --------
    Errors cost 1 and a review 0.25. The honest cost of 0.196 could be as high as 0.221;
    always reviewing (0.25) is worse:

    >>> from demur import Binormal, surface_band
    >>> y, s = Binormal().sample(1000, rng=2)
    >>> band = surface_band(y, s, resolution=4, rng=0)
    >>> f"{band.honest[4, 1]:.3f}, at most {band.high[4, 1]:.3f}"
    '0.196, at most 0.221'
    """
    cases, model = judged_model(
        y_true,
        y_score,
        pos_label=pos_label,
        sample_weight=sample_weight,
        weights=weights,
        prevalence=prevalence,
        folds=folds,
        repeats=repeats,
        rng=rng,
        quantity="a surface band",
    )
    level = check_confidence_level(confidence_level)
    draws = check_positive_int(n_resamples, "n_resamples")
    threads = check_positive_int(workers, "workers")
    x, y = check_grid(resolution, mu, nu)
    generator = check_rng(rng)
    surface = fitted_surface(cases, model)
    hindsight, honest = model.hindsight, model.honest
    points = np.meshgrid(x, y, indexing="ij")
    prices = PricePoints.of_surface(points[0].ravel(), points[1].ravel())
    hindsight_cost, hindsight_error = hindsight.mean_and_error(prices)
    honest_cost, honest_error = honest.mean_and_error(prices)
    below, above = side_factors(hindsight, honest, prices, level, draws, generator, threads)
    sums, rate = [rules.interval_sums(prices) for rules in (hindsight, honest)], honest.weighting.given
    point = honest_interval(sums[0], sums[1], level=level, prevalence=rate)
    # the upper side counts a few further errors, as the pointwise interval does
    top, top_error = mean_and_error(sums[1], prevalence=rate, errors=added_errors(level))

    def shaped(values: FloatArray) -> FloatArray:
        return values.reshape(len(x), len(y))

    return SurfaceBand(
        mu=x,
        nu=y,
        honest=shaped(honest_cost),
        hindsight=shaped(hindsight_cost),
        honest_error=shaped(honest_error),
        hindsight_error=shaped(hindsight_error),
        low=shaped(np.maximum(hindsight_cost - below * hindsight_error, 0)),
        high=shaped(top + above * top_error),
        pointwise_low=shaped(np.maximum(point[0], 0)),
        pointwise_high=shaped(point[1]),
        low_factor=below,
        high_factor=above,
        confidence_level=level,
        n=surface.n,
        prevalence=surface.prevalence,
        folds=surface.folds,
        n_resamples=draws,
        surface=surface,
    )


# ---------------------------------------------------------------- volume


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class VolumeInterval(Result):
    """Interval for the volume under the population's surface; made by `volume_interval`.

    Attributes
    ----------
    low, high : float
        Ends of the interval.
    honest, hindsight : float
        Cross-fitted volume, and the volume of the sample's own surface.
    honest_error, hindsight_error : float
        Their standard errors.
    method : str
        "bracket" or "average".
    mu, nu : (low, high)
        The rectangle of costs.
    """

    low: float
    high: float
    honest: float
    hindsight: float
    honest_error: float
    hindsight_error: float
    method: str
    confidence_level: float
    mu: Range
    nu: Range
    n: float
    prevalence: float
    folds: int


def volume_interval(
    y_true: Labels | ScoreCounts,
    y_score: ArrayLike | None = None,
    *,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
    weights: str = "importance",
    prevalence: float | None = None,
    mu: Range = UNIT,
    nu: Range = UNIT,
    confidence_level: float = 0.95,
    method: str = "bracket",
    folds: int | None = None,
    repeats: int | None = None,
    rng: int | np.random.Generator | None = 0,
) -> VolumeInterval:
    """Interval for the volume under the abstention surface (VACC), without resampling.

    The lower the better. A volume is the mean of a proper score of every case, so its
    standard error exists in closed form; cross-fitting guards against the optimism of judging
    windows on the cases that chose them. Assumes independent cases.

    Parameters
    ----------
    y_true, y_score, pos_label, sample_weight, weights, prevalence, folds, repeats, rng
        As in `cross_fitted_surface`.
    mu, nu : (low, high)
        The rectangle of costs; the unit square gives VACC.
    confidence_level : float, default 0.95
    method : {"bracket", "average"}
        "bracket": from k - z s to kc + z sc, cautious. "average": (k + kc) / 2 -+ z max(s, sc),
        closer to the nominal level.

    Returns
    -------
    VolumeInterval

    Raises
    ------
    InputError, UndefinedError
        As in `cross_fitted_surface`.

    Notes
    -----
    S(1, r) and S(0, r) are the losses of a positive and a negative with calibrated share r,
    integrated over the rectangle; r comes from the pooled blocks of all
    cases for k, of the other folds for kc. The lower end is cut at 0.

    References
    ----------
    Friedel, Rueckert, Kramer (2006), "Cost Curves for Abstaining Classifiers", ROCML.

    Examples
    --------
    The mean cost over all relative costs is 0.145, with 97.5 % confidence below 0.159:

    >>> from demur import Binormal, volume_interval
    >>> y, s = Binormal().sample(1000, rng=2)
    >>> volume = volume_interval(y, s, rng=0)
    >>> round(volume.honest, 3), round(volume.high, 3)
    (0.145, 0.159)
    """
    cases, model = judged_model(
        y_true,
        y_score,
        pos_label=pos_label,
        sample_weight=sample_weight,
        weights=weights,
        prevalence=prevalence,
        folds=folds,
        repeats=repeats,
        rng=rng,
        quantity="a volume interval",
    )
    level = check_confidence_level(confidence_level)
    check_choice(method, "method", ("bracket", "average"))
    rectangle = check_range(mu, "mu"), check_range(nu, "nu")
    return volume_interval_of(fitted_surface(cases, model), *rectangle, confidence_level=level, method=method)


def volume_interval_of(
    surface: CrossFittedSurface,
    mu: Range = UNIT,
    nu: Range = UNIT,
    *,
    confidence_level: float,
    method: str = "bracket",
) -> VolumeInterval:
    """Make the interval from a cross-fitted surface and checked arguments."""
    scores, rate = partial(rectangle_scores, mu=mu, nu=nu), surface.judged.weighting.given
    sums = [rules.score_sums(scores) for rules in (surface.judged_with_hindsight, surface.judged)]
    hindsight, honest = (tuple(map(float, mean_and_error(one, prevalence=rate))) for one in sums)
    low, high = honest_interval(sums[0], sums[1], level=confidence_level, prevalence=rate, method=method)
    return VolumeInterval(
        low=max(float(low), 0.0),
        high=float(high),
        honest=honest[0],
        hindsight=hindsight[0],
        honest_error=honest[1],
        hindsight_error=hindsight[1],
        method=method,
        confidence_level=confidence_level,
        mu=mu,
        nu=nu,
        n=surface.n,
        prevalence=surface.prevalence,
        folds=surface.folds,
    )


def cluster_volume_interval(
    surface: CrossFittedSurface, cases: SplitCases, model: JudgedModel, *, confidence_level: float
) -> VolumeInterval:
    """Make the interval of the volume, the mean of a score of every case, where cases come in clusters."""
    scores = partial(rectangle_scores, mu=UNIT, nu=UNIT)
    loss, sample = model.row_scores(cases, scores), row_sample(cases, cases.shares)
    worst = max(float(end.max()) for end in scores(np.array([0.0, 1.0])))
    mean = mean_loss(loss, sample, worst_unit(worst, loss, sample, cases))
    low, high = mean.interval(confidence_level)
    found = volume_interval_of(surface, confidence_level=confidence_level)
    error = mean.standard_error
    return replace(found, low=max(low, 0.0), high=high, honest_error=error, hindsight_error=error)
