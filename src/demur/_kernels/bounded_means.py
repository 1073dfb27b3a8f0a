"""Confidence limits of a mean of credits in [0, 1] over tuples (U-statistics such as VUS)."""

import math

from demur._kernels.roots import root_between
from demur.typing import Range

__all__ = ["hoeffding_limits", "logit_limits", "wald_limits"]


def wald_limits(value: float, variance: float, z: float, *, low: float = 0.0, high: float = 1.0) -> Range:
    """Value -+ z standard errors, cut off at the ends of what is possible."""
    half = z * math.sqrt(variance)
    return max(value - half, low), min(value + half, high)


def logit_limits(value: float, variance: float, z: float) -> Range:
    """The same on the log odds; value strictly between 0 and 1."""
    from scipy.special import expit, logit

    centre, reach = float(logit(value)), z * math.sqrt(variance) / (value * (1 - value))
    return float(expit(centre - reach)), float(expit(centre + reach))


def hoeffding_limits(value: float, disjoint: float, confidence_level: float) -> Range:
    """Limits that hold for every sample size and every law of the scores (Hoeffding 1963, 5a).

    A U-statistic is an average of means of `disjoint` independent tuples, so that
    P(U >= u) <= exp(-disjoint KL(u, theta)) for u >= theta: all theta with
    disjoint KL(u, theta) <= log(2 / alpha) remain.
    """
    allowed = -math.log((1 - confidence_level) / 2) / disjoint

    def lower(u: float) -> float:
        if u == 0:
            return 0.0
        if u == 1:
            return math.exp(-allowed)
        smallest = 1e-300
        if _divergence(u, smallest) <= allowed:
            return 0.0
        return root_between(lambda theta: _divergence(u, theta) - allowed, smallest, u)

    return lower(value), 1 - lower(1 - value)


def _divergence(u: float, theta: float) -> float:
    """Kullback-Leibler divergence of coins with heads u and theta, 0 < u, theta < 1."""
    return u * math.log(u / theta) + (1 - u) * math.log1p((theta - u) / (1 - theta))
