"""Confidence limits of linear combinations of shares and other estimates, which do not collapse at 0 or 1.

MOVER (Zou and Donner 2008, doi:10.1002/sim.3095): the variance of a sum with each standard deviation
replaced by the distance of an estimate to its own limit on the side that matters.
"""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from demur.typing import FloatArray

__all__ = ["Bounded", "Stratum", "joined_limits", "linear_limits", "wilson_limits"]


class Bounded(NamedTuple):
    """An estimate with its own limits, and what it counts in a sum."""

    coefficient: float
    estimate: float
    low: float
    high: float


def joined_limits(first: Bounded, second: Bounded, correlation: float = 0.0) -> tuple[float, float]:
    """Limits of the sum of two estimates times their coefficients, by MOVER."""
    total = sum(one.coefficient * one.estimate for one in (first, second))
    reach = []
    for lower in (True, False):
        # what counts negatively is at its upper limit where the sum is at its lower one
        distances = [
            one.coefficient
            * ((one.estimate - one.low) if (one.coefficient > 0) == lower else (one.high - one.estimate))
            for one in (first, second)
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
