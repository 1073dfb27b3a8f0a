"""Simultaneous bounds of a distribution function from the number of observations below a point.

Both methods bound F(t) for all t at once from k, the number of n independent observations at or
below t. "dkw" adds the same margin everywhere. "order statistics" bounds selected order statistics
by their Beta laws and is sharp where k is small, which is where costly errors are counted. F may be
the distribution function of a part of the cases only (the positives among all cases): the others
count as observations above every t.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from demur._checks import check_choice, check_fraction, check_positive_int, input_error
from demur._results import read_only
from demur.typing import ArrayLike, FloatArray, IntArray

__all__ = ["BOUND_METHODS", "DistributionBounds", "distribution_bounds", "dkw_margin"]

BOUND_METHODS = ("order statistics", "dkw")
"""How `surface_certificate` can bound a distribution function."""


def dkw_margin(n: float, delta: float) -> float:
    """Return eps with Pr(sup (F - F_n) > eps) <= delta, for delta up to one half (Massart 1990).

    To both sides, sup |F - F_n|, with probability 2 delta (corollary 1).
    """
    return math.sqrt(math.log(1 / delta) / (2 * n))


# models of the same cases share their bounds
@lru_cache(maxsize=32)
def _order_statistic_bounds(n: int, delta: float, side: str) -> tuple[IntArray, FloatArray]:
    """Bound the order statistics U_(k_j + 1): counts k_j in steps of sqrt(k) up to n - 1, and the bounds.

    Element j bounds F for counts after k_(j-1) up to k_j; the last element is for all counts above.
    """
    from scipy.special import betainccinv, betaincinv

    steps = [0]
    while steps[-1] < n - 1:
        k = steps[-1]
        steps.append(min(n - 1, k + max(1, math.isqrt(k + 1))))
    counts = np.array(steps, dtype=np.int64)
    weights = 1 / np.arange(1, len(counts) + 1)
    levels = delta * weights / weights.sum()
    if side == "upper":
        values = betainccinv(counts + 1.0, n - counts, levels)
        # a later order statistic is larger: its upper bound holds for the earlier ones too
        bounds = np.append(np.minimum.accumulate(values[::-1])[::-1], 1.0)
    else:
        # k observations at or below t: F(t) >= U_(k) >= U_(k_j + 1) for every k_j < k
        bounds = np.append(0.0, np.maximum.accumulate(betaincinv(counts + 1.0, n - counts, levels)))
    return read_only(counts), read_only(bounds)


@dataclass(frozen=True, kw_only=True, eq=False)
class DistributionBounds:
    """Bounds B(k) >= F(t) and A(k) <= F(t) for all t, each with probability at least 1 - delta.

    Attributes
    ----------
    n : int
        Number of observations; with 0 observations nothing is known.
    delta : float
        Probability that the upper bound fails somewhere; the same for the lower bound.
    method : str
        "order statistics" or "dkw".
    """

    n: int
    delta: float
    method: str = "order statistics"

    @property
    def changes(self) -> IntArray:
        """Counts k after which a bound changes: it is constant between two of them."""
        if self.n == 0:
            return np.zeros(1, dtype=np.int64)
        if self.method == "dkw":
            return np.arange(self.n, dtype=np.int64)
        return _order_statistic_bounds(self.n, self.delta, "upper")[0]

    def upper(self, count: ArrayLike) -> FloatArray:
        """Return B(k): with probability 1 - delta no F(t) exceeds B of its count."""
        return self._bound(count, "upper")

    def lower(self, count: ArrayLike) -> FloatArray:
        """Return A(k): with probability 1 - delta no F(t) is below A of its count."""
        return self._bound(count, "lower")

    def _bound(self, count: ArrayLike, side: str) -> FloatArray:
        k, sign = np.asarray(count, dtype=np.float64), 1 if side == "upper" else -1
        if self.n == 0:
            return np.full(k.shape, max(sign, 0.0))
        if self.method == "dkw":
            return np.clip(k / self.n + sign * dkw_margin(self.n, self.delta), 0.0, 1.0)
        counts, values = _order_statistic_bounds(self.n, self.delta, side)
        # a bound belongs to the counts after the previous selected one, up to its own; the last to n
        return np.asarray(values[np.searchsorted(counts, k, side="left")])


def distribution_bounds(
    n: int, *, delta: float, method: str = "order statistics", side: str = "upper"
) -> FloatArray:
    """Bound a distribution function everywhere at once from the number of observations below.

    Element k bounds F(t) wherever exactly k of n independent observations are at or below t. With
    probability at least 1 - delta no F(t) is beyond its bound. Ties make the bound conservative.

    Parameters
    ----------
    n : int
        Number of independent observations.
    delta : float strictly between 0 and 1
        Probability that the bound fails somewhere.
    method : {"order statistics", "dkw"}, default "order statistics"
        "dkw" adds the margin sqrt(ln(1 / delta) / (2 n)) everywhere, for delta up to one half.
    side : {"upper", "lower"}, default "upper"
        "lower" bounds F(t) from below.

    Returns
    -------
    array of n + 1
        Element k: the bound for k observations.

    Raises
    ------
    InputError
        If an argument is outside its range.

    Notes
    -----
    k observations at or below t mean F(t) < U_(k + 1), the (k + 1)-st of n ordered uniform
    variables, whose law is Beta(k + 1, n - k). The bound uses the order statistics of
    k_0 = 0, k_{j+1} = min(n - 1, k_j + max(1, floor(sqrt(k_j + 1)))), the j-th at the level
    delta w_j with w_j proportional to 1 / (j + 1), and a union bound: about 2 sqrt(n) quantiles
    for any n. It needs no large sample. Below: F(t) >= U_(k), in the same way.

    References
    ----------
    Massart (1990), Annals of Probability 18, doi:10.1214/aop/1176990746 (method "dkw").

    Examples
    --------
    None of 569 cases was missed below a threshold. At most 0.9 % of such cases are, and the
    statement holds for all thresholds together:

    >>> from demur.honest import distribution_bounds
    >>> round(float(distribution_bounds(569, delta=0.025)[0]), 4)
    0.0091
    >>> round(float(distribution_bounds(569, delta=0.025, method="dkw")[0]), 4)
    0.0569
    """
    size = check_positive_int(n, "n")
    level = check_fraction(delta, "delta")
    check_choice(method, "method", BOUND_METHODS)
    if method == "dkw" and level > 0.5:
        raise input_error("delta", "must not exceed 0.5 for the method 'dkw'", level)
    check_choice(side, "side", ("upper", "lower"))
    bounds, counts = DistributionBounds(n=size, delta=level, method=method), np.arange(size + 1)
    return bounds.upper(counts) if side == "upper" else bounds.lower(counts)
