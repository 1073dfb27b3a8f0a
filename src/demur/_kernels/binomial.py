"""Exact intervals of a probability."""

import numpy as np

from demur.typing import ArrayLike, FloatArray

__all__ = ["binomial_interval"]


def binomial_interval(count: ArrayLike, n: float, level: float) -> tuple[FloatArray, FloatArray]:
    """Limits of a probability after `count` (perhaps expected) of n (Clopper and Pearson 1934)."""
    from scipy.special import betaincinv

    k = np.asarray(count, dtype=np.float64)
    tail = (1 - level) / 2
    # at the ends the Beta law degenerates and the limit is 0 or 1
    low = np.where(k > 0, betaincinv(np.where(k > 0, k, 1), n - k + 1, tail), 0.0)
    high = np.where(k < n, betaincinv(k + 1, np.where(k < n, n - k, 1), 1 - tail), 1.0)
    return low, high
