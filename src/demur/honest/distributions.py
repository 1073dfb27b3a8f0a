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
from typing import Any

import numpy as np

from demur._checks import check_choice, check_positive_int, check_rate, input_error
from demur._results import read_only
from demur.typing import ArrayLike, FloatArray, IntArray

__all__ = ["BOUND_METHODS", "DistributionBounds", "distribution_bounds", "dkw_margin"]

BOUND_METHODS = ("order statistics", "dkw")
"""How `surface_certificate` can bound a distribution function."""


def dkw_margin(n: float, delta: float, *, sides: int = 2) -> float:
    """Return eps with Pr(sup |F_n - F| > eps) <= delta (Massart 1990, corollary 1).

    With ``sides=1`` the supremum of F - F_n alone, for delta up to one half.
    """
    return math.sqrt(math.log(sides / delta) / (2 * n))


def selected_counts(n: int) -> IntArray:
    """Counts k_j whose order statistics U_(k_j + 1) are bounded: steps of sqrt(k), up to n - 1."""
    counts = [0]
    while counts[-1] < n - 1:
        k = counts[-1]
        counts.append(min(n - 1, k + max(1, math.isqrt(k + 1))))
    return np.array(counts, dtype=np.int64)


# models of the same cases share their bounds
@lru_cache(maxsize=16)
def _selected(n: int, delta: float) -> tuple[IntArray, FloatArray]:
    """Counts k_j and the level spent on the order statistic U_(k_j + 1)."""
    counts = selected_counts(n)
    weights = 1 / np.arange(1, len(counts) + 1)
    return read_only(counts), read_only(delta * weights / weights.sum())


@lru_cache(maxsize=16)
def _upper_values(n: int, delta: float) -> FloatArray:
    from scipy.special import betainccinv

    counts, levels = _selected(n, delta)
    values = betainccinv(counts + 1.0, n - counts, levels)
    # a later order statistic is larger: its upper bound holds for the earlier ones too
    bounds: FloatArray = read_only(np.append(np.minimum.accumulate(values[::-1])[::-1], 1.0))
    return bounds


@lru_cache(maxsize=16)
def _lower_values(n: int, delta: float) -> FloatArray:
    from scipy.special import betaincinv

    counts, levels = _selected(n, delta)
    values = betaincinv(counts + 1.0, n - counts, levels)
    bounds: FloatArray = read_only(np.append(0.0, np.maximum.accumulate(values)))
    return bounds


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
    def _selected(self) -> tuple[IntArray, FloatArray]:
        return _selected(self.n, self.delta)

    @property
    def _upper_values(self) -> FloatArray:
        return _upper_values(self.n, self.delta)

    @property
    def _lower_values(self) -> FloatArray:
        return _lower_values(self.n, self.delta)

    @property
    def changes(self) -> IntArray:
        """Counts k after which a bound changes: it is constant between two of them."""
        if self.n == 0:
            return np.zeros(1, dtype=np.int64)
        if self.method == "dkw":
            return np.arange(self.n, dtype=np.int64)
        return self._selected[0]

    def upper(self, count: ArrayLike) -> FloatArray:
        """Return B(k): with probability 1 - delta no F(t) exceeds B of its count."""
        k = np.asarray(count, dtype=np.float64)
        if self.n == 0:
            return np.ones(k.shape)
        if self.method == "dkw":
            return np.minimum(k / self.n + dkw_margin(self.n, self.delta, sides=1), 1.0)
        return np.asarray(self._upper_values[np.searchsorted(self._selected[0], k, side="left")])

    def lower(self, count: ArrayLike) -> FloatArray:
        """Return A(k): with probability 1 - delta no F(t) is below A of its count."""
        k = np.asarray(count, dtype=np.float64)
        if self.n == 0:
            return np.zeros(k.shape)
        if self.method == "dkw":
            return np.maximum(k / self.n - dkw_margin(self.n, self.delta, sides=1), 0.0)
        # k observations at or below t: F(t) >= U_(k) >= U_(k_j + 1) for every k_j < k
        return np.asarray(self._lower_values[np.searchsorted(self._selected[0], k, side="left")])


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
    level = check_rate(delta, "delta")
    if not 0 < level < 1:
        raise input_error("delta", "must lie strictly between 0 and 1", level)
    check_choice(method, "method", BOUND_METHODS)
    if method == "dkw" and level > 0.5:
        raise input_error("delta", "must not exceed 0.5 for the method 'dkw'", level)
    check_choice(side, "side", ("upper", "lower"))
    bounds = DistributionBounds(n=size, delta=level, method=method)
    counts: Any = np.arange(size + 1)
    if method == "dkw":
        return bounds.upper(counts) if side == "upper" else bounds.lower(counts)
    spread: FloatArray = read_only(_repeated(bounds, side))
    return spread


def _repeated(bounds: DistributionBounds, side: str) -> FloatArray:
    """Spread the bounds of the selected counts over all counts without a search for each."""
    selected = bounds.changes
    values = bounds.upper(selected) if side == "upper" else bounds.lower(selected)
    last = 1.0 if side == "upper" else float(bounds.lower(bounds.n))
    # a bound belongs to the counts after the previous selected one, up to its own
    return np.append(np.repeat(values, np.diff(selected, prepend=-1)), last)
