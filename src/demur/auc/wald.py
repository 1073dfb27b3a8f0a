"""Tests and intervals of a difference of two AUCs: Wald, and from two score intervals."""

import math

from demur._kernels.auc_intervals import newcombe_interval, score_interval
from demur._kernels.auc_variances import delong
from demur._kernels.placements import TwoWay
from demur._kernels.proportions import Bounded, joined_limits
from demur._results import Interval

__all__ = ["ALTERNATIVES", "INTERVALS", "difference_interval", "normal_test", "score_difference_interval"]

INTERVALS = ("score", "wald")
"""Methods of an interval of a difference."""

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

    `sizes` are (negatives, positives) of the two samples. Combining the Newcombe limits as if the
    AUCs were independent is conservative for models that are positively correlated.
    """
    difference = aucs[0] - aucs[1]
    if variance > 0:
        half = quantile * math.sqrt(variance)
        return Interval(max(difference - half, -1.0), min(difference + half, 1.0))
    a, b = (newcombe_interval(auc, *size, z) for auc, size in zip(aucs, sizes, strict=True))
    return _combined(aucs, a, b, 0.0)


def score_difference_interval(
    tables: tuple[TwoWay, TwoWay], joint: TwoWay | None, confidence_level: float
) -> Interval:
    """Limits from the two score intervals and the correlation of the AUCs.

    `joint` is the table of differences, psi of a minus psi of b; without it the AUCs are independent.
    """
    singles = [_delong(table) for table in tables]
    correlation = 0.0
    if joint is not None and min(singles) > 0:
        covariance = (sum(singles) - _delong(joint)) / 2
        correlation = min(max(covariance / math.sqrt(singles[0] * singles[1]), -1.0), 1.0)
    a, b = (
        score_interval(table, variance, confidence_level)
        for table, variance in zip(tables, singles, strict=True)
    )
    return _combined((tables[0].estimate, tables[1].estimate), a, b, correlation)


def _delong(table: TwoWay) -> float:
    """DeLong's variance; 0 where a class of one case leaves it undefined."""
    return delong(table) if min(table.n_negative, table.n_positive) > 1 else 0.0


def _combined(
    aucs: tuple[float, float], a: tuple[float, float], b: tuple[float, float], correlation: float
) -> Interval:
    low, high = joined_limits(Bounded(1.0, aucs[0], *a), Bounded(-1.0, aucs[1], *b), correlation)
    return Interval(max(low, -1.0), min(high, 1.0))
