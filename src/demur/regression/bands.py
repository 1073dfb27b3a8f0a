"""Confidence bands of a REC curve."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from demur._checks import check_choice, check_confidence_level, check_type, input_error
from demur._kernels.binomial import binomial_interval
from demur._results import Result
from demur.regression.rec import RecCurve
from demur.typing import FloatArray

__all__ = ["RecBand", "rec_band"]


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class RecBand(Result):
    """Confidence band of a REC curve; made by `rec_band`.

    Attributes
    ----------
    tolerance, accuracy : array
        The step curve.
    low, high : array
        Limits of the accuracy at each tolerance; the curve is constant in between.
    confidence_level : float
        Probability that the band holds the true curve (at all tolerances, or at each one).
    method : str
        "dkw" or "clopper-pearson".
    simultaneous : bool
        Whether the level is for all tolerances at once.
    """

    tolerance: FloatArray
    accuracy: FloatArray
    low: FloatArray
    high: FloatArray
    confidence_level: float
    method: str
    simultaneous: bool


def rec_band(curve: RecCurve, *, confidence_level: float = 0.95, method: str = "dkw") -> RecBand:
    """Confidence band of a REC curve, for all tolerances at once or for each one.

    Assumes independent cases of weight 1. For forecasts of a series the errors are often
    dependent and the true band is wider.

    Parameters
    ----------
    curve : RecCurve
        Without case weights.
    confidence_level : float
        In (0, 1).
    method : {"dkw", "clopper-pearson"}
        "dkw": simultaneous, of constant half-width. "clopper-pearson": exact at each single
        tolerance, too narrow for statements about the whole curve.

    Returns
    -------
    RecBand
        Element i of `low` and `high` bounds the accuracy from ``tolerance[i]`` up to the next.

    Raises
    ------
    InputError
        If the curve is weighted: the number of independent cases is unknown.

    Notes
    -----
    Dvoretzky-Kiefer-Wolfowitz with Massart's constant: half-width
    sqrt(ln(2 / alpha) / 2n), clipped to [0, 1].

    References
    ----------
    Massart (1990), Annals of Probability 18, doi:10.1214/aop/1176990746.
    Clopper and Pearson (1934), Biometrika 26, doi:10.1093/biomet/26.4.404.

    Examples
    --------
    With 50 cases nobody can tell 80 % accuracy from 95 %:

    >>> from demur import rec_curve
    >>> from demur.regression import rec_band
    >>> band = rec_band(rec_curve(range(50), [0.0] * 50))
    >>> round(float(band.high[39] - band.accuracy[39]), 3)
    0.192
    """
    check_type(curve, "curve", RecCurve)
    level = check_confidence_level(confidence_level)
    check_choice(method, "method", ("dkw", "clopper-pearson"))
    if curve.weighted:
        raise input_error(
            "curve", "must be without case weights", "a weighted one", "repeat rows instead of weighting."
        )
    if method == "dkw":
        half = math.sqrt(math.log(2 / (1 - level)) / (2 * curve.n_cases))
        low, high = np.clip(curve.accuracy - half, 0, 1), np.clip(curve.accuracy + half, 0, 1)
    else:
        low, high = binomial_interval(np.rint(curve.accuracy * curve.n_cases), curve.n_cases, level)
    return RecBand(
        tolerance=curve.tolerance,
        accuracy=curve.accuracy,
        low=low,
        high=high,
        confidence_level=level,
        method=method,
        simultaneous=method == "dkw",
    )
