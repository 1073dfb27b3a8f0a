"""The test of Diebold and Mariano: are two forecasts of a series equally accurate?"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from demur._checks import check_choice, check_confidence_level, check_positive_int, input_error
from demur._results import Interval, Result
from demur.exceptions import UndefinedError
from demur.regression.difference import ALTERNATIVES, paired_errors
from demur.typing import ArrayLike

__all__ = ["DieboldMariano", "diebold_mariano_test"]


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class DieboldMariano(Result):
    """Test of equal forecast accuracy; made by `diebold_mariano_test`.

    Attributes
    ----------
    difference : float
        Mean loss of a minus mean loss of b; negative: model a is better.
    variance : float
        Variance of `difference`, serial dependence included.
    statistic, pvalue : float
        With the small-sample correction and the t distribution with n - 1 degrees of freedom.
    """

    difference: float
    variance: float
    statistic: float
    pvalue: float
    alternative: str
    horizon: int
    n: int

    def interval(self, confidence_level: float = 0.95) -> Interval:
        """Return the interval of the difference that belongs to the test."""
        from scipy.special import stdtrit

        level = check_confidence_level(confidence_level)
        half = float(stdtrit(self.n - 1, (1 + level) / 2)) * math.sqrt(self.variance)
        return Interval(self.difference - half, self.difference + half)


def diebold_mariano_test(
    y_true: ArrayLike,
    pred_a: ArrayLike,
    pred_b: ArrayLike,
    *,
    loss: str = "squared",
    horizon: int = 1,
    alternative: str = "two-sided",
) -> DieboldMariano:
    """Test whether two forecasts of a series are equally accurate.

    Allows for loss differences that are correlated up to `horizon` - 1 steps, as errors of
    optimal forecasts `horizon` steps ahead are. Assumes that the loss difference is
    stationary; a forecaster that is still learning breaks that.

    Parameters
    ----------
    y_true, pred_a, pred_b : array of n finite numbers
        The series and the two forecasts, in the order of time.
    loss : {"absolute", "squared"}
        Loss to compare.
    horizon : int
        Steps ahead of the forecasts; less than n.
    alternative : {"two-sided", "less", "greater"}
        "less": model a has the smaller loss, so it is better.

    Returns
    -------
    DieboldMariano
        With `statistic`, `pvalue` and `interval(confidence_level)`. Identical forecasts give
        statistic 0 and p = 1.

    Raises
    ------
    UndefinedError
        If the variance of the difference is not positive: the loss difference is the same
        non-zero number at every time, or its autocovariances cancel it.

    Notes
    -----
    d = mean of the loss differences, V = (g_0 + 2 sum_{k<h} g_k) / n with autocovariances
    g_k, and d / sqrt(V) times sqrt((n + 1 - 2h + h (h - 1) / n) / n), compared with t_(n-1).

    References
    ----------
    Diebold and Mariano (1995), J. Business and Economic Statistics 13, doi:10.2307/1392185.
    Harvey, Leybourne and Newbold (1997), Int. J. Forecasting 13,
    doi:10.1016/S0169-2070(96)00719-4.

    Examples
    --------
    >>> from demur.regression import diebold_mariano_test
    >>> y = [1.0, 3.0, 2.0, 4.0, 3.0, 5.0]
    >>> test = diebold_mariano_test(y, [1.1, 2.8, 2.3, 3.9, 3.2, 4.7], [2, 2, 3, 3, 4, 3])
    >>> test.difference < 0, test.pvalue < 0.05
    (True, True)
    """
    check_choice(alternative, "alternative", ALTERNATIVES)
    first, second = paired_errors(y_true, pred_a, pred_b, loss)
    h = check_positive_int(horizon, "horizon")
    n = len(first)
    if n < 2 or h >= n:
        raise input_error("horizon", f"must be less than the number of forecasts, {n}", h)
    gap = first - second
    mean = float(gap.mean())
    if not gap.any():
        return DieboldMariano(
            difference=0.0, variance=0.0, statistic=0.0, pvalue=1.0, alternative=alternative, horizon=h, n=n
        )
    centred = gap - mean
    covariances = [float(centred[k:] @ centred[: n - k]) / n for k in range(h)]
    variance = (covariances[0] + 2 * sum(covariances[1:])) / n
    if variance <= 1e-28 * float(np.max(np.abs(gap))) ** 2:
        raise UndefinedError(
            "The loss difference has no positive long-run variance, so the test does not exist. "
            "Hint: lower the horizon, or use aoc_difference_test with blocks."
        )
    # Harvey, Leybourne and Newbold (1997), eq. 9
    variance /= (n + 1 - 2 * h + h * (h - 1) / n) / n
    statistic = mean / math.sqrt(variance)
    return DieboldMariano(
        difference=mean,
        variance=variance,
        statistic=statistic,
        pvalue=_t_pvalue(statistic, n - 1, alternative),
        alternative=alternative,
        horizon=h,
        n=n,
    )


def _t_pvalue(statistic: float, freedom: int, alternative: str) -> float:
    from scipy.special import stdtr

    if alternative == "two-sided":
        return float(2 * stdtr(freedom, -abs(statistic)))
    return float(stdtr(freedom, statistic if alternative == "less" else -statistic))
