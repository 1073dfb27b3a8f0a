"""Score intervals of one AUC: Newcombe's, and with the variance of the data where that is larger.

W(t) is Newcombe's variance of an AUC t from N negatives and M positives; see `auc_interval`.
"""

import math

from demur._kernels.auc_variances import delong
from demur._kernels.normal import normal_quantile
from demur._kernels.placements import TwoWay
from demur._kernels.roots import root_between

__all__ = ["delong_interval", "newcombe_interval", "score_interval", "widened_interval"]

Limits = tuple[float, float]


def delong_interval(table: TwoWay, confidence_level: float) -> Limits:
    """Score interval with DeLong's variance; Newcombe's where that is 0 or a class has one case."""
    few = min(table.n_negative, table.n_positive) <= 1 or table.estimate in (0.0, 1.0)
    return score_interval(table, 0.0 if few else max(delong(table), 0.0), confidence_level)


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
    from scipy.special import stdtrit

    z = normal_quantile(confidence_level)
    if variance <= 0:
        return newcombe_interval(auc, *sizes, z)
    quantile = z if math.isinf(degrees) else -float(stdtrit(degrees, (1 - confidence_level) / 2))
    score_variance = (1 - auc) * _per_distance(auc, *sizes)
    return newcombe_interval(auc, *sizes, z, max(1.0, variance * (quantile / z) ** 2 / score_variance))


def newcombe_interval(
    auc: float, n_negative: float, n_positive: float, z: float, inflation: float = 1.0
) -> Limits:
    """Score interval of Newcombe (2006), method 5, its variance times `inflation`; for every AUC."""
    reach = z * math.sqrt(inflation)
    low = _newcombe_low(auc, n_negative, n_positive, reach)
    # the variance function is symmetric about 1/2, so the upper limit mirrors the lower one
    return low, 1 - _newcombe_low(1 - auc, n_negative, n_positive, reach)


def _per_distance(t: float, n_negative: float, n_positive: float) -> float:
    """W(t) / (1 - t)."""
    star = (n_negative + n_positive) / 2 - 1
    return t * (1 + star * (1 - t) / (2 - t) + star * t / (1 + t)) / (n_negative * n_positive)


def _newcombe_low(auc: float, n_negative: float, n_positive: float, z: float) -> float:
    if auc == 0:
        return 0.0

    def per_distance(t: float) -> float:
        """z^2 W(t) / (1 - t)."""
        return z**2 * _per_distance(t, n_negative, n_positive)

    if auc == 1:  # (1 - t)^2 = z^2 W(t) has the root 1; the other one is wanted
        return root_between(lambda t: 1 - t - per_distance(t), 0.0, 1.0)
    return root_between(lambda t: (auc - t) ** 2 - (1 - t) * per_distance(t), 0.0, auc)
