"""Score limits of the ratio and of the odds ratio of two independent binomial shares."""

import math
from collections.abc import Callable

from demur._kernels.roots import root_between

__all__ = ["odds_ratio_limits", "ratio_limits"]

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
