"""Confidence limits of linear combinations of observed shares, which do not collapse at 0 or 1."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from demur.typing import FloatArray

__all__ = ["Stratum", "linear_limits", "wilson_limits"]


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

    MOVER (Zou and Donner 2008): the variance of the sum with each standard deviation replaced by
    the distance of p_i to its Wilson limit on the side that matters; shares of one stratum have
    correlation -sqrt(p_i p_j / ((1 - p_i) (1 - p_j))).
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
