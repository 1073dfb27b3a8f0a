"""Bands for cost curves: of one fixed classifier, and of the envelope of a scoring classifier."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from demur._checks import (
    check_confidence_level,
    check_positive_int,
    check_probability,
    check_rng,
    input_error,
)
from demur._kernels.proportions import binomial_interval
from demur._results import Interval, Result
from demur.costs.lines import CostLine
from demur.counts.scores import ScoreCounts
from demur.exceptions import InputError, UndefinedError
from demur.honest.bands import side_factors
from demur.honest.cases import judged_model
from demur.honest.cross_fitting import CrossFittedSurface, fitted_surface
from demur.honest.held_out import reweighted
from demur.honest.intervals import added_errors, honest_interval, mean_and_error
from demur.honest.rules import Prices
from demur.typing import ArrayLike, FloatArray, Labels

__all__ = ["CostCurveBand", "cost_curve_band", "envelope_band_of"]


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
    prices, errors = Prices.of_cost_curve(x), added_errors(level)
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
