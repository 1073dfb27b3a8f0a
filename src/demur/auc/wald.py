"""Wald tests and intervals of a difference of two numbers with a known variance."""

import math

from demur._results import Interval
from demur.auc.one import newcombe_interval

__all__ = ["ALTERNATIVES", "difference_interval", "normal_test"]

ALTERNATIVES = ("two-sided", "greater", "less")


def normal_test(
    difference: float, variance: float, alternative: str, df: float = math.inf
) -> tuple[float, float]:
    """Statistic difference / sqrt(variance) and its p-value.

    No variance: a difference of 0 has statistic 0 and p = 1, any other an infinite statistic.
    """
    if variance > 0:
        statistic = difference / math.sqrt(variance)
    else:
        statistic = math.copysign(math.inf, difference) if difference else 0.0
    if difference == 0:
        return statistic, 1.0 if alternative == "two-sided" or variance == 0 else 0.5
    if alternative == "two-sided":
        return statistic, 2 * _lower_tail(-abs(statistic), df)
    return statistic, _lower_tail(statistic if alternative == "less" else -statistic, df)


def _lower_tail(statistic: float, df: float) -> float:
    from scipy.special import ndtr, stdtr

    return float(ndtr(statistic) if math.isinf(df) else stdtr(df, statistic))


def difference_interval(
    aucs: tuple[float, float],
    sizes: tuple[tuple[float, float], tuple[float, float]],
    variance: float,
    quantile: float,
    z: float,
) -> Interval:
    """Wald limits within [-1, 1]; without variance, limits from the two Newcombe intervals.

    `sizes` are (negatives, positives) of the two samples. The Newcombe limits add the squared
    distances of the single limits (MOVER, Donner and Zou 2002), which is conservative for models
    that are positively correlated.
    """
    difference = aucs[0] - aucs[1]
    if variance > 0:
        half = quantile * math.sqrt(variance)
        return Interval(max(difference - half, -1.0), min(difference + half, 1.0))
    a, b = (newcombe_interval(auc, *size, z) for auc, size in zip(aucs, sizes, strict=True))
    below = math.hypot(aucs[0] - a.low, b.high - aucs[1])
    above = math.hypot(a.high - aucs[0], aucs[1] - b.low)
    return Interval(max(difference - below, -1.0), min(difference + above, 1.0))
