"""Variances of an AUC, or of a difference of AUCs, from the sums of squares of the two-way table.

Bandos, Rockette and Gur (2006), eqs. 5-7, with N negatives and M positives. Equation 7 (the ideal
bootstrap) follows from the moments of multinomial counts; tests enumerate all samples.
"""

import math

from demur._kernels.placements import TwoWay

__all__ = [
    "bootstrap",
    "delong",
    "equal_binormal",
    "hanley_mcneil",
    "jackknife",
    "obuchowski",
    "pooled_bootstrap",
    "unbiased",
]

_SPREAD = 40  # a binomial has no mass in double precision beyond so many standard deviations


def delong(table: TwoWay) -> float:
    """Two-sample jackknife (eq. 5), the variance of DeLong et al. (1988)."""
    n, m = table.n_negative, table.n_positive
    return table.ss_negative / (n * (n - 1)) + table.ss_positive / (m * (m - 1))


def jackknife(table: TwoWay) -> float:
    """One-sample jackknife over all cases (eq. 6)."""
    n, m = table.n_negative, table.n_positive
    return (table.ss_negative / (n - 1) ** 2 + table.ss_positive / (m - 1) ** 2) * (n + m - 1) / (n + m)


def unbiased(table: TwoWay) -> float:
    """Square of the estimate minus the unbiased estimate of its square; may be negative for a difference."""
    n, m = table.n_negative, table.n_positive
    return delong(table) - _interaction(table) / (n * (n - 1) * m * (m - 1))


def bootstrap(table: TwoWay, n_negative: float | None = None, n_positive: float | None = None) -> float:
    """Ideal bootstrap within each class (eq. 7): the limit of infinitely many resamples.

    With sizes: as many cases are drawn from each class (m out of n bootstrap).
    """
    n, m = table.n_negative, table.n_positive
    n_drawn = n if n_negative is None else n_negative
    m_drawn = m if n_positive is None else n_positive
    within = _interaction(table) / (n * m * n_drawn * m_drawn)
    return table.ss_negative / (n * n_drawn) + table.ss_positive / (m * m_drawn) + within


def pooled_bootstrap(table: TwoWay) -> float:
    """Ideal bootstrap of all cases together, given that both classes are drawn."""
    n, m = table.n_negative, table.n_positive
    per_negative, per_positive = _mean_reciprocals(round(n), round(n + m))
    within = _interaction(table) / (n * m) * (per_negative + per_positive) / (n + m)
    return table.ss_negative / n * per_negative + table.ss_positive / m * per_positive + within


def _mean_reciprocals(n: int, size: int) -> tuple[float, float]:
    """E[1/K] and E[1/(size - K)] for K binomial(size, n/size), given 0 < K < size."""
    import numpy as np
    from scipy.stats import binom

    reach = _SPREAD * math.isqrt(size) + 1
    drawn = np.arange(max(1, n - reach), min(size - 1, n + reach) + 1)
    mass = binom.pmf(drawn, size, n / size)
    mass /= mass.sum()
    return float((mass / drawn).sum()), float((mass / (size - drawn)).sum())


def _interaction(table: TwoWay) -> float:
    if table.ss_interaction is None:
        raise TypeError("this variance needs the pair sum of the table")
    return table.ss_interaction


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
