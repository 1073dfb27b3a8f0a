"""Confidence limits of shares, of their sums and ratios, and of means of credits in [0, 1].

MOVER (Zou and Donner 2008, doi:10.1002/sim.3095): the variance of a sum with each standard deviation
replaced by the distance of an estimate to its own limit on the side that matters.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from demur._kernels.polyline import height
from demur._kernels.roots import root_between
from demur.typing import ArrayLike, FloatArray, Range

__all__ = [
    "Stratum",
    "binomial_interval",
    "hoeffding_limits",
    "joined_limits",
    "linear_limits",
    "logit_limits",
    "odds_ratio_limits",
    "pointwise_limits",
    "ratio_limits",
    "wald_limits",
    "wilson_limits",
]


Bounded = tuple[float, float, float, float]
"""What an estimate counts in a sum, the estimate, and its own limits."""


def joined_limits(first: Bounded, second: Bounded, correlation: float = 0.0) -> tuple[float, float]:
    """Limits of the sum of two estimates times their coefficients, by MOVER."""
    total = first[0] * first[1] + second[0] * second[1]
    reach = []
    for lower in (True, False):
        # what counts negatively is at its upper limit where the sum is at its lower one
        distances = [
            coefficient * ((estimate - low) if (coefficient > 0) == lower else (high - estimate))
            for coefficient, estimate, low, high in (first, second)
        ]
        squares = distances[0] ** 2 + distances[1] ** 2 + 2 * correlation * distances[0] * distances[1]
        reach.append(math.sqrt(max(squares, 0.0)))
    return total - reach[0], total + reach[1]


class Stratum(NamedTuple):
    """Shares of disjoint outcomes of n independent cases, and what each outcome counts."""

    coefficients: Sequence[Any]
    shares: Sequence[Any]
    n: float


def wilson_limits(share: Any, n: float, z: float) -> tuple[FloatArray, FloatArray]:
    """Score limits of a binomial share (Wilson 1927)."""
    p = np.asarray(share, dtype=np.float64)
    scale = 1 + z**2 / n
    centre = (p + z**2 / (2 * n)) / scale
    half = z / scale * np.sqrt(p * (1 - p) / n + z**2 / (4 * n**2))
    # at the ends the limit is the share itself, which rounding must not move
    return np.where(p == 0, 0.0, centre - half), np.where(p == 1, 1.0, centre + half)


def linear_limits(strata: Sequence[Stratum], z: float) -> tuple[FloatArray, FloatArray]:
    """Limits of sum of c_i p_i over independent strata of multinomial shares p.

    MOVER with Wilson limits; shares of one stratum have correlation
    -sqrt(p_i p_j / ((1 - p_i) (1 - p_j))).
    """
    total: Any = 0.0
    below: Any = 0.0
    above: Any = 0.0
    for coefficients, shares, n in strata:
        c = np.stack(np.broadcast_arrays(*coefficients, *shares)[: len(coefficients)])
        p = np.stack(np.broadcast_arrays(*shares, *coefficients)[: len(shares)])
        low, high = wilson_limits(p, n, z)
        down = c * np.where(c > 0, p - low, high - p)
        up = c * np.where(c > 0, high - p, p - low)
        total = total + (c * p).sum(0)
        below = below + _quadratic(down, p)
        above = above + _quadratic(up, p)
    return total - np.sqrt(below), total + np.sqrt(above)


def _quadratic(distance: FloatArray, p: FloatArray) -> FloatArray:
    """Sum over i, j of r_ij d_i d_j."""
    odds = np.sqrt(np.divide(p, 1 - p, out=np.zeros_like(p), where=p < 1))
    product = distance * odds
    # the sum over i != j of products is the square of the sum minus the sum of squares
    cross = product.sum(0) ** 2 - (product**2).sum(0)
    return np.asarray(np.maximum((distance**2).sum(0) - cross, 0.0))


def binomial_interval(count: ArrayLike, n: float, level: float) -> tuple[FloatArray, FloatArray]:
    """Limits of a probability after `count` (perhaps expected) of n (Clopper and Pearson 1934)."""
    from scipy.special import betaincinv

    k = np.asarray(count, dtype=np.float64)
    tail = (1 - level) / 2
    # at the ends the Beta law degenerates and the limit is 0 or 1
    low = np.where(k > 0, betaincinv(np.where(k > 0, k, 1), n - k + 1, tail), 0.0)
    high = np.where(k < n, betaincinv(k + 1, np.where(k < n, n - k, 1), 1 - tail), 1.0)
    return low, high


_FARTHEST = 300.0  # logarithm of a ratio beyond which a limit counts as 0 or infinite


def ratio_limits(x: float, m: float, y: float, n: float, z: float) -> tuple[float, float]:
    """Limits of p1 / p2 after x of m and y of n (Koopman 1984): values a score test does not reject."""

    def most_likely(log_ratio: float) -> tuple[float, float]:
        """Most likely p1 and p2 with p1 = ratio p2: root of (m + n) r p^2 - ((m + y) r + x + n) p + x + y."""
        if log_ratio > 0:  # the same equation for p1, so that nothing overflows
            inverse = math.exp(-log_ratio)
            first = _smaller_root((m + n) * inverse, (n + x) * inverse + y + m, x + y)
            return first, first * inverse
        ratio = math.exp(log_ratio)
        second = _smaller_root((m + n) * ratio, (m + y) * ratio + x + n, x + y)
        return second * ratio, second

    return _limits(most_likely, x, m, y, n, z, estimate=_quotient(x * n, y * m))


def odds_ratio_limits(x: float, m: float, y: float, n: float, z: float) -> tuple[float, float]:
    """Limits of p1 (1 - p2) / (p2 (1 - p1)) after x of m and y of n: the score test of Cornfield (1956)."""

    def most_likely(log_ratio: float) -> tuple[float, float]:
        """Most likely p1 and p2 with this odds ratio: they keep m p1 + n p2 = x + y."""
        low, high = max(0.0, (x + y - m) / n), min(1.0, (x + y) / n)
        ratio = math.exp(log_ratio)
        for _ in range(100):  # m p1 + n p2 rises with p2
            middle = (low + high) / 2
            first = ratio * middle / (1 - middle + ratio * middle)
            low, high = (middle, high) if m * first + n * middle < x + y else (low, middle)
        second = (low + high) / 2
        return (x + y - n * second) / m, second

    estimate = _quotient(x * (n - y), y * (m - x))
    return _limits(most_likely, x, m, y, n, z, estimate=estimate, farthest=_FARTHEST / 10)


def _smaller_root(a: float, b: float, c: float) -> float:
    """Smaller root of a p^2 - b p + c, without cancellation."""
    return min(2 * c / (b + math.sqrt(max(b * b - 4 * a * c, 0.0))), 1.0)


def _limits(
    shares: Callable[[float], tuple[float, float]],
    x: float,
    m: float,
    y: float,
    n: float,
    z: float,
    *,
    estimate: float,
    farthest: float = _FARTHEST,
) -> tuple[float, float]:
    """Where Pearson's statistic at the most likely shares crosses z^2, on both sides of the estimate."""

    def excess(log_ratio: float) -> float:
        first, second = shares(log_ratio)
        return _pearson(x, m, first) + _pearson(y, n, second) - z**2

    if math.isnan(estimate):
        return 0.0, math.inf
    low, high = 0.0, math.inf
    centre = min(max(math.log(estimate), -farthest), farthest) if estimate > 0 else -farthest
    if estimate > 0 and excess(-farthest) > 0:
        low = math.exp(root_between(excess, -farthest, centre))
    if estimate < math.inf and excess(farthest) > 0:
        high = math.exp(root_between(excess, centre, farthest))
    return low, high


def _quotient(over: float, under: float) -> float:
    """Infinite over 0, NaN for 0 / 0."""
    if under > 0:
        return over / under
    return math.inf if over > 0 else math.nan


def _pearson(count: float, n: float, share: float) -> float:
    gap = count - n * share
    spread = n * share * (1 - share)
    if spread > 0:
        return gap * gap / spread
    return 0.0 if abs(gap) <= 1e-9 * n else math.inf


def pointwise_limits(
    held: FloatArray,
    other: FloatArray,
    at: FloatArray,
    n_held: float,
    n_other: float,
    level: float,
    estimate: FloatArray | None = None,
) -> tuple[FloatArray, FloatArray]:
    """Limits of the true value of `other` where the true value of `held` is `at`.

    Both are rising rates of the same thresholds, each of its own class. At the threshold whose true
    rate is `at` the number of cases of the first class is binomial, which leaves a range of
    thresholds; the number of the second class there is binomial and independent of it. Inside a tie both
    classes are called in proportion, as the curve between its ends is a straight line. Without an
    `estimate` both statements hold at once, each at the level sqrt(level); with it, how far the ends of
    either one are from it, both at the level itself, is added in squares (MOVER).
    """
    from scipy.stats import binom

    each = float(np.sqrt(level)) if estimate is None else level
    held_counts, other_counts = np.rint(held * n_held), np.rint(other * n_other)
    fewest, most = binom.interval(each, n_held, at)
    fewest, most = (
        height(held_counts, other_counts, fewest, side="left"),
        height(held_counts, other_counts, most, side="right"),
    )
    if estimate is None:
        return binomial_interval(fewest, n_other, each)[0], binomial_interval(most, n_other, each)[1]
    low, high = binomial_interval(estimate * n_other, n_other, each)
    low = estimate - np.hypot(estimate - low, estimate - fewest / n_other)
    high = estimate + np.hypot(high - estimate, most / n_other - estimate)
    return np.maximum(low, 0.0), np.minimum(high, 1.0)


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
    change = (theta - u) / (1 - theta)
    # as u nears 1 it rounds to -1, where log1p is not defined
    tails = math.log1p(change) if change > -1 else math.log((1 - u) / (1 - theta))
    return u * math.log(u / theta) + (1 - u) * tails
