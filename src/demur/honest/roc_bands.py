"""Bands for ROC curves: certified for the whole curve, exact for one point, or of fixed width."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from demur._checks import (
    check_choice,
    check_confidence_level,
    check_positive_int,
    check_probability,
    check_rng,
)
from demur._kernels.polyline import height
from demur._kernels.proportions import binomial_interval, pointwise_limits
from demur._kernels.running import running_sums
from demur._results import Interval, Result, as_scalar
from demur.counts.scores import ScoreCounts, as_counts
from demur.honest.distributions import BOUND_METHODS, DistributionBounds, dkw_margin
from demur.roc.curve import roc_curve
from demur.typing import ArrayLike, FloatArray, Labels

__all__ = ["RocBand", "fixed_width_displacement", "roc_band"]

_FIXED_WIDTH = "fixed width"


class RateLimits(NamedTuple):
    """Limits of both rates at every threshold of a curve, all true at once."""

    fpr_low: FloatArray
    fpr_high: FloatArray
    tpr_low: FloatArray
    tpr_high: FloatArray

    def at(self, fpr: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Limits of the true curve, which runs above all lower right corners and below all upper left ones.

        Across a tie the curve is a straight line, and so are the limits: each of its points is as much to
        the left and above the point between two lower right corners as its ends are.
        """
        low = height(self.fpr_high, self.tpr_low, fpr, side="left")
        high = height(self.fpr_low, self.tpr_high, fpr, side="right")
        # a displaced curve leaves the unit square
        return np.clip(low, 0.0, 1.0), np.clip(high, 0.0, 1.0)


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class RocBand(Result):
    """ROC curve with a band for the whole curve and intervals for single points; made by `roc_band`.

    Attributes
    ----------
    fpr, tpr, thresholds : array
        The curve, as in `RocCurve`.
    low, high : array
        Element i: limits of the true curve at false positive rate ``fpr[i]``, for the whole curve at
        once.
    pointwise_low, pointwise_high : array
        Element i: limits of the true curve at ``fpr[i]``, for one false positive rate fixed in advance.
    fpr_low, fpr_high, tpr_low, tpr_high : array
        Element i: exact interval of each rate at threshold i, for one threshold fixed in advance.
    method : str
        "order statistics", "dkw" or "fixed width".
    fpr_margin, tpr_margin : float or None
        How far the band reaches from every point of the curve; None for order statistics, where it
        differs.
    """

    fpr: FloatArray
    tpr: FloatArray
    thresholds: FloatArray
    low: FloatArray
    high: FloatArray
    pointwise_low: FloatArray
    pointwise_high: FloatArray
    fpr_low: FloatArray
    fpr_high: FloatArray
    tpr_low: FloatArray
    tpr_high: FloatArray
    method: str
    fpr_margin: float | None
    tpr_margin: float | None
    confidence_level: float
    n_positive: float
    n_negative: float
    _limits: RateLimits

    def at(self, fpr: ArrayLike, *, pointwise: bool = False) -> Interval:
        """Return the limits of the true positive rate at any false positive rate.

        For the whole curve at once, or with ``pointwise=True`` for this false positive rate alone.
        """
        x = check_probability(fpr, "fpr")
        low, high = self._limits.at(x)
        if pointwise:
            sizes = self.n_negative, self.n_positive
            low, high = pointwise_limits(self.fpr, self.tpr, x, *sizes, self.confidence_level)
        return Interval(as_scalar(low), as_scalar(high))  # type: ignore[arg-type]

    def area(self) -> float:
        """Return the share of ROC space the band for the whole curve takes."""
        x = np.linspace(0, 1, 2001)
        low, high = self._limits.at(x)
        return float(np.trapezoid(high - low, x))

    def __repr__(self) -> str:
        what = f"points={len(self.fpr)}, method={self.method!r}, confidence_level={self.confidence_level:g}"
        return f"RocBand({what}, area={self.area():.3g})"


# ---------------------------------------------------------------- fixed width


def fixed_width_displacement(
    counts: ScoreCounts, *, level: float, n_resamples: int, rng: np.random.Generator
) -> float:
    """Distance within which a share `level` of the resampled curves stay from the curve.

    Curves move along (-1 / sqrt(N), 1 / sqrt(P)), P and N being the class sizes. Across that
    direction every curve is a function e(s), so two curves differ most at one of their corners.
    """
    sizes = counts.n_positive, counts.n_negative
    shares = counts.positives[::-1] / sizes[0], counts.negatives[::-1] / sizes[1]
    u, v = 1 / np.sqrt(sizes[1]), 1 / np.sqrt(sizes[0])

    def turned(positive: FloatArray, negative: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Coordinates along the curve (s) and across it (e): displacing by d adds d to e and leaves s."""
        tpr, fpr = running_sums(positive, negative)
        return v * fpr + u * tpr, (tpr / v - fpr / u) / 2

    along, across = turned(*shares)
    away = np.empty(n_resamples)
    for k in range(n_resamples):
        drawn = [rng.multinomial(int(n), part) / n for n, part in zip(sizes, shares, strict=True)]
        s, e = turned(*drawn)
        corners = np.concatenate([s, along])
        away[k] = np.abs(np.interp(corners, s, e) - np.interp(corners, along, across)).max()
    return float(np.quantile(away, level))


# ---------------------------------------------------------------- public


def roc_band(
    y_true: Labels | ScoreCounts,
    y_score: ArrayLike | None = None,
    *,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
    confidence_level: float = 0.95,
    method: str = "order statistics",
    n_resamples: int = 1000,
    rng: int | np.random.Generator | None = 0,
) -> RocBand:
    """ROC curve with a band for the whole curve, and exact intervals for single points.

    Up and left is better. The band `low`, `high` holds for the whole curve at once; the pointwise
    limits hold for one false positive rate, and the intervals of the rates for one threshold, fixed
    in advance, and are narrower. Assumes independent cases within each class.

    Parameters
    ----------
    y_true, y_score, pos_label
        As in `abstention_surface`.
    sample_weight : array of n whole numbers >= 0, optional
        Number of times each case was seen.
    confidence_level : float, default 0.95
        Of the whole band, of each pointwise limit and of each interval of a rate.
    method : {"order statistics", "dkw", "fixed width"}, default "order statistics"
        Of the band for the whole curve. The first two hold for every sample size: "order statistics"
        is narrower where false alarms or misses are rare, "dkw" in the middle of the curve. "fixed
        width" displaces the curve until enough resampled curves lie inside (an approximation).
    n_resamples : int, default 1000
        Resampled curves, for "fixed width" only.
    rng : seed or Generator, default 0
        For "fixed width" only.

    Returns
    -------
    RocBand
        With `at(fpr)` for the limits at any false positive rate.

    Raises
    ------
    InputError
        For ill-formed input or weights that are not whole numbers.
    UndefinedError
        If a class is missing.

    Notes
    -----
    Certified: with probability 1 - delta the true false positive and miss rates of all thresholds
    are within the bounds of `distribution_bounds`, a quarter of delta each; the true curve runs above
    the line through the lower right corners of all thresholds and below that through the upper left
    ones, also where it is straight because scores are tied. Pointwise: the alarms at the threshold of
    x are binomial, and so are the hits, each at the level sqrt(confidence_level), after Clopper and
    Pearson.

    Fixed width (Elazmeh et al. 2006, figure 4): direction (-1 / sqrt(N), 1 / sqrt(P)).

    References
    ----------
    Massart (1990), Annals of Probability 18, doi:10.1214/aop/1176990746. Clopper and Pearson
    (1934), Biometrika 26, doi:10.1093/biomet/26.4.404. Campbell (1994), Statistics in Medicine 13,
    doi:10.1002/sim.4780130506. Macskassy, Provost, Rosset (2005), ICML, doi:10.1145/1102351.1102419.

    Examples
    --------
    With one false alarm in ten, the classifier finds at least 67 % of the positives:

    >>> from demur import Binormal, roc_band
    >>> y, s = Binormal(separation=2.0).sample(2000, rng=0)
    >>> low, high = roc_band(y, s).at(0.1, pointwise=True)
    >>> round(low, 2), round(high, 2)
    (0.67, 0.83)
    """
    counts = as_counts(y_true, y_score, pos_label=pos_label, sample_weight=sample_weight)
    curve = roc_curve(counts)
    counts.require_repeated_cases("a ROC band")
    level = check_confidence_level(confidence_level)
    check_choice(method, "method", (*BOUND_METHODS, _FIXED_WIDTH))
    draws, generator = check_positive_int(n_resamples, "n_resamples"), check_rng(rng)
    n_positive, n_negative = counts.n_positive, counts.n_negative
    alarms, hits = running_sums(counts.negatives[::-1], counts.positives[::-1])
    margins: tuple[float | None, float | None] = (None, None)
    if method == _FIXED_WIDTH:
        distance = fixed_width_displacement(counts, level=level, n_resamples=draws, rng=generator)
        aside, above = distance / float(np.sqrt(n_negative)), distance / float(np.sqrt(n_positive))
        limits = RateLimits(curve.fpr - aside, curve.fpr + aside, curve.tpr - above, curve.tpr + above)
        margins = aside, above
    else:
        share = (1 - level) / 4
        # from false alarms and misses: sharp where either is rare
        negative, positive = (
            DistributionBounds(n=int(n), delta=share, method=method) for n in (n_negative, n_positive)
        )
        misses = n_positive - hits
        limits = RateLimits(
            fpr_low=negative.lower(alarms),
            fpr_high=negative.upper(alarms),
            tpr_low=1 - positive.upper(misses),
            tpr_high=1 - positive.lower(misses),
        )
        if method == "dkw":
            margins = dkw_margin(n_negative, share), dkw_margin(n_positive, share)
    low, high = limits.at(curve.fpr)
    # where the curve rises vertically its upper points belong to the band as well
    low, high = np.minimum(low, curve.tpr), np.maximum(high, curve.tpr)
    point = pointwise_limits(curve.fpr, curve.tpr, curve.fpr, n_negative, n_positive, level)
    fpr_low, fpr_high = binomial_interval(alarms, n_negative, level)
    tpr_low, tpr_high = binomial_interval(hits, n_positive, level)
    return RocBand(
        fpr=curve.fpr,
        tpr=curve.tpr,
        thresholds=curve.thresholds,
        low=low,
        high=high,
        pointwise_low=point[0],
        pointwise_high=point[1],
        fpr_low=fpr_low,
        fpr_high=fpr_high,
        tpr_low=tpr_low,
        tpr_high=tpr_high,
        method=method,
        fpr_margin=margins[0],
        tpr_margin=margins[1],
        confidence_level=level,
        n_positive=n_positive,
        n_negative=n_negative,
        _limits=limits,
    )
