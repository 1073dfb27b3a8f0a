"""Exact limits of a ROC curve at one value of one of its rates."""

import numpy as np

from demur._kernels.binomial import binomial_interval
from demur._kernels.polyline import height
from demur.typing import FloatArray

__all__ = ["pointwise_limits"]


def pointwise_limits(
    held: FloatArray, other: FloatArray, at: FloatArray, n_held: float, n_other: float, level: float
) -> tuple[FloatArray, FloatArray]:
    """Limits of the true value of `other` where the true value of `held` is `at`.

    Both are rising rates of the same thresholds, each of its own class. At the threshold whose true
    rate is `at` the number of cases of the first class is binomial, which leaves a range of
    thresholds; the number of the second class there is binomial and independent of it. Inside a tie both
    classes are called in proportion, as the curve between its ends is a straight line.
    """
    from scipy.stats import binom

    each = float(np.sqrt(level))  # two independent statements
    fewest, most = binom.interval(each, n_held, at)
    held_counts, other_counts = np.rint(held * n_held), np.rint(other * n_other)
    low = binomial_interval(height(held_counts, other_counts, fewest, side="left"), n_other, each)[0]
    high = binomial_interval(height(held_counts, other_counts, most, side="right"), n_other, each)[1]
    return low, high
