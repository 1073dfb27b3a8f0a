"""Bands for cost curves and for ROC curves.

Cost curves: of one fixed classifier, and of the envelope of a scoring classifier. ROC curves: certified for
the whole curve, exact for one point, or of fixed width.
"""

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
    input_error,
)
from demur._kernels.polyline import height
from demur._kernels.proportions import binomial_interval, pointwise_limits
from demur._kernels.running import running_sums
from demur._results import Interval, Result, as_scalar
from demur.costs.lines import CostLine
from demur.counts.scores import ScoreCounts, as_counts
from demur.exceptions import InputError, UndefinedError
from demur.honest.bands import side_factors
from demur.honest.cases import judged_model
from demur.honest.cross_fitting import CrossFittedSurface, fitted_surface
from demur.honest.distributions import BOUND_METHODS, DistributionBounds, dkw_margin
from demur.honest.held_out import reweighted
from demur.honest.intervals import added_errors, honest_interval, mean_and_error
from demur.honest.rules import PricePoints
from demur.roc.curve import roc_curve
from demur.typing import ArrayLike, FloatArray, Labels

__all__ = [
    "CostCurveBand",
    "RocBand",
    "cost_curve_band",
    "envelope_band_of",
    "fixed_width_displacement",
    "roc_band",
]


_FIXED_WIDTH = "fixed width"


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class CostCurveBand(Result):
    """Band around a cost curve; made by `cost_curve_band`. Element i belongs to ``pc[i]``.

    Attributes
    ----------
    pc : array
        Operating points.
    honest, hindsight : array
        Cost of thresholds on cases not used to choose them, and on those that were;
        equal for one fixed classifier, where nothing is chosen.
    low, high : array
        Simultaneous band.
    pointwise_low, pointwise_high : array
        The narrower interval for one operating point fixed in advance.
    honest_area, hindsight_area : float
        Area under the curve over all operating points.
    area_interval : Interval
        For the area under the population's curve.
    method : str
        "fixed classifier" or "cross-fitted" (best threshold per operating point).
    """

    pc: FloatArray
    honest: FloatArray
    hindsight: FloatArray
    low: FloatArray
    high: FloatArray
    pointwise_low: FloatArray
    pointwise_high: FloatArray
    honest_area: float
    hindsight_area: float
    area_interval: Interval
    method: str
    confidence_level: float
    n_positive: float
    n_negative: float

    def __repr__(self) -> str:
        width = float(np.mean(self.high - self.low))
        return f"CostCurveBand(points={len(self.pc)}, method={self.method!r}, mean width={width:.4g})"


def cost_curve_band(
    y_true: Labels | ScoreCounts | CostLine,
    y_score: ArrayLike | None = None,
    *,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
    weights: str = "importance",
    pc: ArrayLike | None = None,
    confidence_level: float = 0.95,
    folds: int | None = None,
    repeats: int | None = None,
    n_resamples: int = 1000,
    rng: int | np.random.Generator | None = 0,
    workers: int = 1,
) -> CostCurveBand:
    """Band around a cost curve, of one fixed classifier or of the envelope of all thresholds.

    The lower the better. The envelope of a scoring classifier chooses the threshold for every
    operating point on the same cases, so it is too low on average and a bootstrap of it repeats
    the mistake: the band reaches from below the curve with hindsight to above the honest one.
    A fixed classifier (a `CostLine` with its number of cases) chooses nothing: its two rates are
    binomial. Assumes independent cases within each class; the classes are two samples.

    Parameters
    ----------
    y_true : array of n labels, ScoreCounts, or CostLine
    y_score, pos_label
        As in `abstention_surface`; to be left out for a CostLine.
    sample_weight : array of n whole numbers >= 0, optional
        Number of times each case was seen.
    pc : array of numbers in [0, 1], optional
        Operating points; 0, 0.01, ..., 1 by default.
    confidence_level, folds, n_resamples, rng, workers
        As in `surface_band`; a CostLine needs none of the last four.

    Returns
    -------
    CostCurveBand

    Raises
    ------
    InputError
        For ill-formed input, weights that are not whole numbers, too many folds.
    UndefinedError
        If a class is missing, or a CostLine does not know its number of cases.

    Notes
    -----
    Fixed classifier: both rates have exact intervals (Clopper and Pearson), which do not collapse
    where no error was seen. Pointwise and for the area their distances from x FNR + (1 - x) FPR add
    up as squares (Newcombe 1998); together they hold at the level sqrt(confidence_level) each, and
    so for all operating points at once. Envelope: as `surface_band`, with losses x of a missed
    positive and 1 - x of a false alarm, about one error added per class, and cut at the tent
    min(x, 1 - x) of the trivial rules. `CostLine.interval` has the bootstrap law of Drummond and
    Holte, which knows no error it has not seen.

    References
    ----------
    Drummond and Holte (2006), Machine Learning 65, doi:10.1007/s10994-006-8199-5. Newcombe (1998),
    Statistics in Medicine 17, doi:10.1002/(SICI)1097-0258(19980430)17:8<873::AID-SIM779>3.0.CO;2-I.

    Examples
    --------
    >>> from demur import cost_curve_band, cost_line
    >>> band = cost_curve_band(cost_line(0.1, 0.2, n_positive=50, n_negative=100), pc=[0.0, 0.5, 1.0])
    >>> band.pointwise_low.round(3).tolist(), band.pointwise_high.round(3).tolist()
    ([0.049, 0.094, 0.1], [0.176, 0.228, 0.337])
    """
    level = check_confidence_level(confidence_level)
    x = np.linspace(0, 1, 101) if pc is None else np.atleast_1d(check_probability(pc, "pc"))
    if x.ndim != 1 or x.size == 0:
        raise input_error("pc", "must be one-dimensional with at least one point", f"shape {x.shape}")
    if isinstance(y_true, CostLine):
        given = {"y_score": y_score, "pos_label": pos_label, "sample_weight": sample_weight}
        for name, value in given.items():
            if value is not None:
                raise InputError(f"`{name}` must be left out when the first argument is a CostLine.")
        return _line_band(y_true, x, level)
    draws, threads = check_positive_int(n_resamples, "n_resamples"), check_positive_int(workers, "workers")
    generator = check_rng(rng)
    cases, model = judged_model(
        y_true,
        y_score,
        pos_label=pos_label,
        sample_weight=sample_weight,
        weights=weights,
        prevalence=0.5,
        folds=folds,
        repeats=repeats,
        rng=rng,
        quantity="a cost curve band",
    )
    surface = fitted_surface(cases, model)
    return envelope_band_of(surface, x, level=level, draws=draws, rng=generator, workers=threads)


def _line_band(line: CostLine, x: FloatArray, level: float) -> CostCurveBand:
    if line.n_positive is None or line.n_negative is None:
        raise UndefinedError(
            "A band of a cost line needs the number of cases. "
            "Hint: pass n_positive and n_negative to cost_line."
        )
    classes = (line.fnr, line.n_positive), (line.fpr, line.n_negative)
    # the classes are independent, so the two intervals hold together with the product of their levels
    together, alone = (
        [binomial_interval(round(rate * n), n, each) for rate, n in classes]
        for each in (float(np.sqrt(level)), level)
    )
    low, high = (x * together[0][side] + (1 - x) * together[1][side] for side in (0, 1))
    cost = np.asarray(line.expected_cost(x))
    ends = _square_and_add(line, alone, x)
    middle = _square_and_add(line, alone, np.array(0.5))
    return CostCurveBand(
        pc=x,
        honest=cost,
        hindsight=cost.copy(),
        low=low,
        high=high,
        pointwise_low=ends[0],
        pointwise_high=ends[1],
        # the area under a line is its value in the middle
        honest_area=(line.fpr + line.fnr) / 2,
        hindsight_area=(line.fpr + line.fnr) / 2,
        area_interval=Interval(float(middle[0]), float(middle[1])),
        method="fixed classifier",
        confidence_level=level,
        n_positive=float(line.n_positive),
        n_negative=float(line.n_negative),
    )


def _square_and_add(
    line: CostLine, rates: list[tuple[FloatArray, FloatArray]], x: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Interval of x FNR + (1 - x) FPR from intervals of both rates: distances add up as squares."""
    cost = np.asarray(line.expected_cost(x))
    (fnr_low, fnr_high), (fpr_low, fpr_high) = rates
    below = np.hypot(x * (line.fnr - fnr_low), (1 - x) * (line.fpr - fpr_low))
    above = np.hypot(x * (fnr_high - line.fnr), (1 - x) * (fpr_high - line.fpr))
    return cost - below, cost + above


def _halved_brier(forecasts: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Proper score whose mean over balanced classes is the area under the curve: the Brier score."""
    return (1 - forecasts) ** 2, forecasts**2


def envelope_band_of(
    surface: CrossFittedSurface,
    x: FloatArray,
    *,
    level: float,
    draws: int,
    rng: np.random.Generator,
    workers: int,
) -> CostCurveBand:
    """Make the band of an envelope from a cross-fitted surface of any prevalence."""
    # balanced classes: the operating point carries the prevalence
    hindsight, honest = (reweighted(rules, 0.5) for rules in (surface.judged_with_hindsight, surface.judged))
    prices, errors = PricePoints.of_cost_curve(x), added_errors(level)
    sums = hindsight.interval_sums(prices), honest.interval_sums(prices)
    # sums of fractions of cases leave rounding where nobody errs
    hindsight_cost, honest_cost = (np.maximum(mean_and_error(one, prevalence=0.5)[0], 0.0) for one in sums)
    hindsight_error = mean_and_error(sums[0], prevalence=0.5, errors=errors)[1]
    upper, upper_error = mean_and_error(sums[1], prevalence=0.5, errors=errors)
    below, above = side_factors(hindsight, honest, prices, level, draws, rng, workers)
    point = honest_interval(*sums, level=level, prevalence=0.5)
    # the trivial rules are among the thresholds, so the true curve is below their tent
    ceiling = np.maximum(np.minimum(x, 1 - x), honest_cost)
    scores = hindsight.score_sums(_halved_brier), honest.score_sums(_halved_brier)
    areas = [float(mean_and_error(one, prevalence=0.5)[0]) for one in scores]
    area = honest_interval(*scores, level=level, prevalence=0.5)
    return CostCurveBand(
        pc=x,
        honest=honest_cost,
        hindsight=hindsight_cost,
        low=np.maximum(np.minimum(hindsight_cost - below * hindsight_error, point[0]), 0),
        high=np.clip(upper + above * upper_error, 0, ceiling),
        pointwise_low=np.maximum(point[0], 0),
        pointwise_high=np.clip(point[1], 0, ceiling),
        honest_area=areas[1],
        hindsight_area=areas[0],
        area_interval=Interval(max(float(area[0]), 0.0), float(area[1])),
        method="cross-fitted",
        confidence_level=level,
        n_positive=surface.n_positive,
        n_negative=surface.n_negative,
    )


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
