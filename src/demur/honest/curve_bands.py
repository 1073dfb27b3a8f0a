"""Bands for ROC curves and for cost curves."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from demur._checks import (
    check_confidence_level,
    check_positive_int,
    check_probability,
    check_repeated_cases,
    check_rng,
    input_error,
)
from demur._kernels.binomial import binomial_interval
from demur._kernels.normal import normal_quantile
from demur._results import Interval, Result, as_scalar
from demur.costs.lines import CostLine
from demur.counts.scores import ScoreCounts, as_counts
from demur.exceptions import InputError, UndefinedError
from demur.honest.bands import side_factors
from demur.honest.cases import judged_model
from demur.honest.cross_fitting import CrossFittedSurface, bracket_or_average, fitted_surface
from demur.honest.distribution_bounds import dkw_margin
from demur.honest.held_out import JudgedRules, reweighted
from demur.honest.rules import Prices
from demur.roc.curve import roc_curve
from demur.typing import ArrayLike, FloatArray, Labels

__all__ = ["CostCurveBand", "RocBand", "cost_curve_band", "envelope_band_of", "roc_band"]


# ---------------------------------------------------------------- ROC


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class RocBand(Result):
    """ROC curve with a certified simultaneous band and pointwise intervals; made by `roc_band`.

    Attributes
    ----------
    fpr, tpr, thresholds : array
        The curve, as in `RocCurve`.
    low, high : array
        Element i: bounds of the true curve at false positive rate ``fpr[i]``; simultaneous,
        for every sample size.
    fpr_low, fpr_high, tpr_low, tpr_high : array
        Element i: exact interval of each rate at threshold i alone (pointwise).
    fpr_margin, tpr_margin : float
        Half sides of the simultaneous rectangles around the points of the curve.
    """

    fpr: FloatArray
    tpr: FloatArray
    thresholds: FloatArray
    low: FloatArray
    high: FloatArray
    fpr_low: FloatArray
    fpr_high: FloatArray
    tpr_low: FloatArray
    tpr_high: FloatArray
    fpr_margin: float
    tpr_margin: float
    confidence_level: float
    n_positive: float
    n_negative: float

    def at(self, fpr: ArrayLike) -> Interval:
        """Return the simultaneous bounds of the true positive rate at any false positive rate."""
        x = check_probability(fpr, "fpr")
        low, high = _rectangle_band(self.fpr, self.tpr, x, self.fpr_margin, self.tpr_margin)
        return Interval(as_scalar(low), as_scalar(high))  # type: ignore[arg-type]

    def __repr__(self) -> str:
        margins = f"fpr -+{self.fpr_margin:.3g}, tpr -+{self.tpr_margin:.3g}"
        return f"RocBand(points={len(self.fpr)}, {margins}, confidence_level={self.confidence_level:g})"


def _rectangle_band(
    fpr: FloatArray, tpr: FloatArray, x: FloatArray, aside: float, above: float
) -> tuple[FloatArray, FloatArray]:
    """Envelope of the rectangles around the points of the curve.

    A true point at false positive rate x belongs to some threshold, whose observed point is at
    most `aside` to the left or right and `above` up or down.
    """
    last = np.searchsorted(fpr, x + aside, side="right") - 1
    first = np.minimum(np.searchsorted(fpr, x - aside, side="left"), len(fpr) - 1)
    return np.maximum(tpr[first] - above, 0.0), np.minimum(tpr[last] + above, 1.0)


def roc_band(
    y_true: Labels | ScoreCounts,
    y_score: ArrayLike | None = None,
    *,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
    confidence_level: float = 0.95,
) -> RocBand:
    """ROC curve with a certified band and exact pointwise intervals, without resampling.

    Up and left is better. The band `low`, `high` holds for the whole curve at once and for
    every sample size; the intervals of the rates hold for one threshold fixed in advance and
    are narrower. Assumes independent cases within each class.

    Parameters
    ----------
    y_true, y_score, pos_label
        As in `abstention_surface`.
    sample_weight : array of n whole numbers >= 0, optional
        Number of times each case was seen.
    confidence_level : float, default 0.95
        Of the whole band, and of each pointwise interval.

    Returns
    -------
    RocBand
        With `at(fpr)` for the bounds at any false positive rate.

    Raises
    ------
    InputError
        For ill-formed input or weights that are not whole numbers.
    UndefinedError
        If a class is missing.

    Notes
    -----
    With probability 1 - delta all true rates are within sqrt(ln(4 / delta) / (2 n)) of the
    observed ones, n the cases of the class (Dvoretzky, Kiefer, Wolfowitz; Massart 1990): a
    rectangle around every point. The band is about operating points a threshold reaches;
    between them (tied scores) a randomised rule could lie below it. Pointwise: Clopper-Pearson.

    References
    ----------
    Massart (1990), Annals of Probability 18, doi:10.1214/aop/1176990746. Clopper and Pearson
    (1934), Biometrika 26, doi:10.1093/biomet/26.4.404.

    Examples
    --------
    With one false alarm in ten, the classifier finds at least 59 % of the positives:

    >>> from demur import Binormal, roc_band
    >>> y, s = Binormal(separation=2.0).sample(2000, rng=0)
    >>> low, high = roc_band(y, s).at(0.1)
    >>> round(low, 2), round(high, 2)
    (0.59, 0.88)
    """
    counts = as_counts(y_true, y_score, pos_label=pos_label, sample_weight=sample_weight)
    curve = roc_curve(counts)
    check_repeated_cases(counts.positives, counts.negatives, "a ROC band")
    level = check_confidence_level(confidence_level)
    n_positive, n_negative = counts.n_positive, counts.n_negative
    aside, above = (dkw_margin(n, (1 - level) / 2) for n in (n_negative, n_positive))
    low, high = _rectangle_band(curve.fpr, curve.tpr, curve.fpr, aside, above)
    alarms = np.concatenate([[0.0], np.cumsum(counts.negatives[::-1])])
    hits = np.concatenate([[0.0], np.cumsum(counts.positives[::-1])])
    fpr_low, fpr_high = binomial_interval(alarms, n_negative, level)
    tpr_low, tpr_high = binomial_interval(hits, n_positive, level)
    return RocBand(
        fpr=curve.fpr,
        tpr=curve.tpr,
        thresholds=curve.thresholds,
        low=low,
        high=high,
        fpr_low=fpr_low,
        fpr_high=fpr_high,
        tpr_low=tpr_low,
        tpr_high=tpr_high,
        fpr_margin=aside,
        tpr_margin=above,
        confidence_level=level,
        n_positive=n_positive,
        n_negative=n_negative,
    )


# ---------------------------------------------------------------- cost curves


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class CostCurveBand(Result):
    """Band around a cost curve; made by `cost_curve_band`. Element i belongs to ``pc[i]``.

    Attributes
    ----------
    pc : array
        Operating points.
    honest, hindsight : array
        Cost of thresholds judged on cases that did not choose them, and on those that did;
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
        "exact" (one fixed classifier) or "cross-fitted" (best threshold per operating point).
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
    """Band around a cost curve: exact for one fixed classifier, cross-fitted for an envelope.

    The lower the better. The envelope of a scoring classifier chooses the threshold for every
    operating point on the same cases, so it is too low on average and a bootstrap of it repeats
    the mistake: the band reaches from below the curve with hindsight to above the honest one.
    A fixed classifier (a `CostLine` with its number of cases) chooses nothing, and its law is
    known exactly. Assumes independent cases within each class; the classes are two samples.

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
    Fixed classifier: pointwise the exact percentile bootstrap of x FN* + (1 - x) FP*, FN* and
    FP* binomial; simultaneously, the two exact binomial intervals of the rates at level
    sqrt(confidence_level), which do not collapse where no error was seen. Envelope: as
    `surface_band`, with losses x of a missed positive and 1 - x of a false alarm, standard errors
    with half an error added per class, and cut at the tent min(x, 1 - x) of the trivial rules.

    References
    ----------
    Drummond and Holte (2006), Machine Learning 65, doi:10.1007/s10994-006-8199-5.

    Examples
    --------
    >>> from demur import cost_curve_band, cost_line
    >>> band = cost_curve_band(cost_line(0.1, 0.2, n_positive=50, n_negative=100), pc=[0.0, 0.5, 1.0])
    >>> band.pointwise_low.round(3).tolist(), band.pointwise_high.round(3).tolist()
    ([0.05, 0.09, 0.1], [0.16, 0.215, 0.32])
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
    ends = np.array([line.interval(float(at), confidence_level=level) for at in x])
    # the classes are independent, so the two intervals hold together with the product of their levels
    rectangle = [
        binomial_interval(round(rate * n), n, float(np.sqrt(level)))
        for rate, n in ((line.fnr, line.n_positive), (line.fpr, line.n_negative))
    ]
    low, high = (x * rectangle[0][side] + (1 - x) * rectangle[1][side] for side in (0, 1))
    cost = np.asarray(line.expected_cost(x))
    half = line.interval(0.5, confidence_level=level)
    return CostCurveBand(
        pc=x,
        honest=cost,
        hindsight=cost.copy(),
        low=low,
        high=high,
        pointwise_low=ends[:, 0],
        pointwise_high=ends[:, 1],
        # the area under a line is its value in the middle
        honest_area=(line.fpr + line.fnr) / 2,
        hindsight_area=(line.fpr + line.fnr) / 2,
        area_interval=half,
        method="exact",
        confidence_level=level,
        n_positive=float(line.n_positive),
        n_negative=float(line.n_negative),
    )


def _rate_error(rules: JudgedRules, x: FloatArray) -> FloatArray:
    """Standard error of x FNR + (1 - x) FPR with half an error and half a right answer added per class.

    Near the ends of the curve a class often shows no error at all; its plain standard error is
    then 0, and a band of 300 cases covers the whole curve in 82 % instead of 94 % of the samples.
    """
    done, w = rules.outcomes(Prices.of_cost_curve(x)), rules.weighting
    variance = np.zeros(x.shape)
    for cost, errors, n in ((x, done.fn, w.n_positive), (1 - x, done.fp, w.n_negative)):
        rate = (errors + 0.5) / (n + 1)
        variance += cost**2 * rate * (1 - rate) / n
    return np.sqrt(variance)


def _halved_brier(forecasts: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Proper score whose mean over balanced classes is the area under the curve (spec 001, section 4)."""
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
    prices = Prices.of_cost_curve(x)
    seen, paid = ((rules.mean_and_error(prices)[0], _rate_error(rules, x)) for rules in (hindsight, honest))
    below, above = side_factors(hindsight, honest, prices, level, draws, rng, workers)
    z = normal_quantile(level)
    point = bracket_or_average(seen, paid, z, "bracket")
    # the trivial rules are among the thresholds, so the true curve is below their tent
    ceiling = np.maximum(np.minimum(x, 1 - x), paid[0])
    areas = hindsight.score_and_error(_halved_brier), honest.score_and_error(_halved_brier)
    area = bracket_or_average(*areas, z, "bracket")
    return CostCurveBand(
        pc=x,
        honest=paid[0],
        hindsight=seen[0],
        low=np.maximum(seen[0] - below * seen[1], 0),
        high=np.minimum(paid[0] + above * paid[1], ceiling),
        pointwise_low=np.maximum(point[0], 0),
        pointwise_high=np.minimum(point[1], ceiling),
        honest_area=areas[1][0],
        hindsight_area=areas[0][0],
        area_interval=Interval(max(float(area[0]), 0.0), float(area[1])),
        method="cross-fitted",
        confidence_level=level,
        n_positive=surface.n_positive,
        n_negative=surface.n_negative,
    )
