"""Confidence sequence of a share: an interval that holds after every batch at once."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from demur._results import Interval
from demur.typing import FloatArray

__all__ = ["cohen_kappa", "log_beta_mixture", "share_sequence"]

_STEPS = 200


def log_beta_mixture(count: Any, n: Any, *, expected: Any) -> Any:
    """Return log B(a + k, b + n - k) / B(a, b) with a : b = `expected`, each at least 0.05."""
    from scipy.special import betaln

    a, b = np.maximum(expected, 0.05), np.maximum(1 - expected, 0.05)
    return betaln(a + count, b + n - count) - betaln(a, b)


def share_sequence(count: float, n: float, *, alpha: float, expected: float = 0.5) -> Interval:
    """Limits of a probability after `count` of n cases that hold at all times, with 1 - alpha.

    With a Beta(a, b) mixture over probabilities, a : b = `expected`, the ratio of its likelihood
    to that of p,

        B(a + k, b + n - k) / B(a, b) / (p^k (1 - p)^(n - k)),

    is a nonnegative martingale under p that starts at 1, so by Ville's inequality it reaches
    1 / alpha at any time with probability at most alpha. The limits hold the p for which it has
    not (Robbins 1970, Annals of Mathematical Statistics 41, doi:10.1214/aoms/1177696786).
    """
    if n == 0:
        return Interval(0.0, 1.0)
    allowed = float(log_beta_mixture(count, n, expected=expected)) + math.log(alpha)

    def refused(p: float) -> bool:
        hits = count * math.log(p) if p > 0 else (0.0 if count == 0 else -math.inf)
        misses = (n - count) * math.log1p(-p) if p < 1 else (0.0 if count == n else -math.inf)
        return hits + misses < allowed

    share = float(count / n)
    return Interval(_edge(share, 0.0, refused), _edge(share, 1.0, refused))


def _edge(inside: float, end: float, refused: Callable[[float], bool]) -> float:
    """Return where `refused` begins between a point that is not refused and an end; rounded outward."""
    if not refused(end):
        return end
    outside = end
    for _ in range(_STEPS):
        middle = (inside + outside) / 2
        if middle in (inside, outside):
            break
        inside, outside = (inside, middle) if refused(middle) else (middle, outside)
    return outside


def cohen_kappa(table: FloatArray) -> float:
    """Agreement of two people beyond chance, (p - c) / (1 - c), from their 2 x 2 table of counts.

    1 where both always say the same one thing and chance explains everything.
    """
    n = float(table.sum())
    chance = float(table.sum(axis=0) @ table.sum(axis=1)) / n**2
    return 1.0 if chance == 1 else (float(table.trace()) / n - chance) / (1 - chance)
