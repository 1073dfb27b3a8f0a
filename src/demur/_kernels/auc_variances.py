"""Variances and score intervals of an AUC, from the sums of squares of the two-way table.

Bandos, Rockette and Gur (2006), eqs. 5-7, with N negatives and M positives. Equation 7 (the ideal
bootstrap) follows from the moments of multinomial counts; tests enumerate all samples.

Score intervals of one AUC are Newcombe's, widened by the variance of the data where that is larger; W(t) is
Newcombe's variance of an AUC t. See `auc_interval`.
"""

import math

import numpy as np

from demur._kernels.normal import normal_quantile, t_quantile
from demur._kernels.placements import TwoWay
from demur._kernels.roots import root_between

__all__ = [
    "bootstrap",
    "delong",
    "equal_binormal",
    "hanley_mcneil",
    "jackknife",
    "newcombe_interval",
    "obuchowski",
    "pooled_bootstrap",
    "score_interval",
    "unbiased",
    "widened_interval",
]

_SPREAD = 40  # a binomial has no mass in double precision beyond so many standard deviations


def delong(table: TwoWay) -> float:
    """Two-sample jackknife (eq. 5), the variance of DeLong et al. (1988); 0 with one case in a class."""
    n, m = table.n_negative, table.n_positive
    if min(n, m) <= 1:
        return 0.0
    return table.ss_negative / (n * (n - 1)) + table.ss_positive / (m * (m - 1))


def jackknife(table: TwoWay) -> float:
    """One-sample jackknife over all cases (eq. 6)."""
    n, m = table.n_negative, table.n_positive
    return (table.ss_negative / (n - 1) ** 2 + table.ss_positive / (m - 1) ** 2) * (n + m - 1) / (n + m)


def unbiased(table: TwoWay) -> float:
    """Square of the estimate minus the unbiased estimate of its square; may be negative for a difference."""
    n, m = table.n_negative, table.n_positive
    return delong(table) - float(table.ss_interaction) / (n * (n - 1) * m * (m - 1))


def bootstrap(table: TwoWay, n_negative: float | None = None, n_positive: float | None = None) -> float:
    """Ideal bootstrap within each class (eq. 7): the limit of infinitely many resamples.

    With sizes: as many cases are drawn from each class (m out of n bootstrap).
    """
    n, m = table.n_negative, table.n_positive
    n_drawn = n if n_negative is None else n_negative
    m_drawn = m if n_positive is None else n_positive
    within = float(table.ss_interaction) / (n * m * n_drawn * m_drawn)
    return table.ss_negative / (n * n_drawn) + table.ss_positive / (m * m_drawn) + within


def pooled_bootstrap(table: TwoWay) -> float:
    """Ideal bootstrap of all cases together, given that both classes are drawn."""
    from scipy.stats import binom

    n, m = table.n_negative, table.n_positive
    size = round(n + m)
    # E[1/K] and E[1/(size - K)] for K binomial(size, n/size), given 0 < K < size
    reach = _SPREAD * math.isqrt(size) + 1
    drawn = np.arange(max(1, round(n) - reach), min(size - 1, round(n) + reach) + 1)
    mass = binom.pmf(drawn, size, round(n) / size)
    mass /= mass.sum()
    per_negative, per_positive = float((mass / drawn).sum()), float((mass / (size - drawn)).sum())
    within = float(table.ss_interaction) / (n * m) * (per_negative + per_positive) / (n + m)
    return table.ss_negative / n * per_negative + table.ss_positive / m * per_positive + within


def hanley_mcneil(auc: float, n_negative: float, n_positive: float) -> float:
    """Variance if the scores were exponential (Hanley and McNeil 1982); needs only the AUC."""
    both_above = auc / (2 - auc)
    both_below = 2 * auc**2 / (1 + auc)
    shared = (n_positive - 1) * (both_above - auc**2) + (n_negative - 1) * (both_below - auc**2)
    return (auc * (1 - auc) + shared) / (n_negative * n_positive)


def equal_binormal(auc: float, n_negative: float, n_positive: float) -> float:
    """Variance for binormal scores of equal spread (Obuchowski 1994), 0 < auc < 1; needs only the AUC.

    `obuchowski` with B = 1, where 1 / (32 pi) is rounded to 0.0099 and sqrt(2) to 1.414.
    """
    from scipy.special import ndtri

    a_squared = (1.414 * float(ndtri(auc))) ** 2
    per_negative = (a_squared + 8) * n_positive / n_negative
    return 0.0099 * math.exp(-a_squared / 2) * (5 * a_squared + 8 + per_negative) / n_positive


def obuchowski(a: float, b: float, n_negative: float, n_positive: float) -> float:
    """Variance for binormal scores with parameters A and B (Obuchowski and McClish 1997, eq. 4).

    f^2 (1 + B^2/R + A^2/2) + g^2 B^2 (1 + R)/(2 R) per positive, R = N/M, with f and g the
    derivatives of Phi(A / sqrt(1 + B^2)) by A and B. As pROC has it, without the covariance of A and
    B; B = 1 gives the formula of 1994 exactly, which leaves it out as well.
    """
    spread = 1 + b**2
    density = math.exp(-(a**2) / (2 * spread)) / math.sqrt(2 * math.pi)
    by_a = density / math.sqrt(spread)
    by_b = -by_a * a * b / spread
    ratio = n_negative / n_positive
    variance_a = 1 + b**2 / ratio + a**2 / 2
    variance_b = b**2 * (1 + ratio) / (2 * ratio)
    return (by_a**2 * variance_a + by_b**2 * variance_b) / n_positive


Limits = tuple[float, float]


def score_interval(table: TwoWay, variance: float, confidence_level: float) -> Limits:
    """Score interval of one AUC with a variance of the data; without one, Newcombe's."""
    n, m = table.n_negative, table.n_positive
    degrees = math.inf
    if min(n, m) > 1:
        parts = table.ss_negative / (n * (n - 1)), table.ss_positive / (m * (m - 1))
        spread = parts[0] ** 2 / (n - 1) + parts[1] ** 2 / (m - 1)
        degrees = sum(parts) ** 2 / spread if spread > 0 else math.inf
    return widened_interval(table.estimate, (n, m), variance, degrees, confidence_level)


def widened_interval(
    auc: float, sizes: tuple[float, float], variance: float, degrees: float, confidence_level: float
) -> Limits:
    """Newcombe's interval, widened where the data vary more: by their variance, with a t quantile."""
    z = normal_quantile(confidence_level)
    if variance <= 0:
        return newcombe_interval(auc, *sizes, z)
    score_variance = (1 - auc) * _per_distance(auc, *sizes)
    widened = (t_quantile(confidence_level, degrees) / z) ** 2 * variance / score_variance
    return newcombe_interval(auc, *sizes, z, max(1.0, widened))


def newcombe_interval(
    auc: float, n_negative: float, n_positive: float, z: float, inflation: float = 1.0
) -> Limits:
    """Score interval of Newcombe (2006), method 5, its variance times `inflation`; for every AUC."""
    reach = z * math.sqrt(inflation)
    low = _newcombe_low(auc, (n_negative, n_positive), reach)
    # the variance function is symmetric about 1/2, so the upper limit mirrors the lower one
    return low, 1 - _newcombe_low(1 - auc, (n_negative, n_positive), reach)


def _per_distance(t: float, n_negative: float, n_positive: float) -> float:
    """W(t) / (1 - t)."""
    star = (n_negative + n_positive) / 2 - 1
    return t * (1 + star * (1 - t) / (2 - t) + star * t / (1 + t)) / (n_negative * n_positive)


def _newcombe_low(auc: float, sizes: tuple[float, float], z: float) -> float:
    if auc == 0:
        return 0.0
    if auc == 1:  # (1 - t)^2 = z^2 W(t) has the root 1; the other one is wanted
        return root_between(lambda t: 1 - t - z**2 * _per_distance(t, *sizes), 0.0, 1.0)
    return root_between(lambda t: (auc - t) ** 2 - (1 - t) * (z**2 * _per_distance(t, *sizes)), 0.0, auc)
