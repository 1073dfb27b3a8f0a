"""Law of a sum of integers with random signs: the exact paired permutation test of two AUCs.

When each case keeps or swaps its two scores at random, the difference of the AUCs is a sum of
independent two-point variables, +a_k or -a_k (Bandos, Rockette and Gur 2005). Times 4 N M the a_k are
integers, so that the law lives on a lattice and can be computed exactly.
"""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from demur.typing import FloatArray, IntArray

__all__ = ["COMPUTATIONS", "Tail", "too_large", "upper_tail"]

COMPUTATIONS = ("enumeration", "lattice", "saddlepoint", "normal")

_ENUMERATE_UP_TO = 20  # 2**20 sums
_ENUMERATE_AT_MOST = 25
_LATTICE_UP_TO = 10**9  # additions, about one second
_LATTICE_AT_MOST = 10**8  # points, just under a gigabyte
_NEAR_THE_MEAN = 1e-4
_SERIES_UP_TO = 0.1
_LOG_COSH = np.array([1 / 2, -1 / 12, 1 / 45, -17 / 2520, 31 / 14175, -691 / 935550])  # of z^2, z^4, ...

Cumulant = Callable[[float], tuple[float, float, float]]
"""A cumulant generating function with its first two derivatives."""


class Tail(NamedTuple):
    """P(T > t) and P(T = t) of the random sum T, and how they were computed."""

    above: float
    at: float
    computation: str


def upper_tail(terms: IntArray, value: int, computation: str | None = None) -> Tail:
    """Tail of T = sum of ± terms at an attainable `value`; None chooses by size.

    Enumeration and lattice are exact, with full relative accuracy in the tail. The saddlepoint
    of Lugannani and Rice (1980) with the lattice correction of Daniels (1987) is off by about
    1/n of the probability, where normal theory may be off by orders of magnitude.
    """
    sizes = np.abs(terms[terms != 0])
    chosen = computation or _by_size(sizes)
    if len(sizes) == 0:
        return Tail(0.0, 1.0, chosen)
    step = int(np.gcd.reduce(sizes))
    laws = {
        "enumeration": _enumerated,
        "lattice": _convolved,
        "saddlepoint": _saddlepoint,
        "normal": _normal,
    }
    above, at = laws[chosen](sizes // step, abs(value) // step)
    # T is symmetric about 0
    return Tail(above if value >= 0 else max(1 - above - at, 0.0), at, chosen)


def _by_size(sizes: IntArray) -> str:
    if len(sizes) <= _ENUMERATE_UP_TO:
        return "enumeration"
    step = int(np.gcd.reduce(sizes))
    # as floats: with 10**7 cases the product leaves the integers of 64 bits
    return "lattice" if float(len(sizes)) * float(sizes.sum() // step) <= _LATTICE_UP_TO else "saddlepoint"


def too_large(terms: IntArray, computation: str) -> bool:
    """Whether the law cannot be had this way in reasonable time and memory."""
    sizes = np.abs(terms[terms != 0])
    if computation == "enumeration":
        return len(sizes) > _ENUMERATE_AT_MOST
    if computation == "lattice" and len(sizes):
        return float(sizes.sum() // int(np.gcd.reduce(sizes))) > _LATTICE_AT_MOST
    return False


def _enumerated(sizes: IntArray, value: int) -> tuple[float, float]:
    sums = np.zeros(1, np.int64)
    for size in sizes:
        sums = np.concatenate([sums + size, sums - size])
    return float(np.mean(sums > value)), float(np.mean(sums == value))


def _convolved(sizes: IntArray, value: int) -> tuple[float, float]:
    """Law of (T + L) / 2, a sum of sizes each in or out, by adding one size after the other."""
    total = int(sizes.sum())
    law = np.zeros(total + 1)
    law[0] = 1.0
    reach = 1
    for size in np.sort(sizes).tolist():  # small ones first, while the law is short
        half = law[:reach] * 0.5
        law[:reach] = half
        law[size : size + reach] += half
        reach += size
    index = (value + total) // 2
    return float(law[index + 1 :].sum()), float(law[index])


def _saddlepoint(sizes: IntArray, value: int) -> tuple[float, float]:
    # the lattice of T has span 2
    above = _saddlepoint_tail(sizes, value + 1)
    if value == 0:
        return above, 1 - 2 * above
    return above, max(_saddlepoint_tail(sizes, value - 1) - above, 0.0)


def _saddlepoint_tail(sizes: IntArray, middle: int) -> float:
    """P(T >= middle + 1) from the point half a span below (Daniels 1987, second correction)."""
    from scipy.special import ndtr

    total = int(sizes.sum())
    if middle >= total:
        return 0.0
    if middle == 0:
        return 0.5
    # in units of the standard deviation, so that the root is of order 1
    unit = _deviation(sizes)
    s = middle / unit
    cumulant = _cumulant(sizes / unit, s)
    u = _saddle(cumulant, s)
    value, _, curvature = cumulant(u)
    w = math.sqrt(max(2 * (u * s - value), 0.0))
    if w < _NEAR_THE_MEAN:
        return float(ndtr(-w))
    v = unit * math.sinh(u / unit) * math.sqrt(curvature)
    density = math.exp(-(w**2) / 2) / math.sqrt(2 * math.pi)
    return min(max(float(ndtr(-w)) + density * (1 / v - 1 / w), 0.0), 0.5)


def _cumulant(scaled: FloatArray, s: float) -> Cumulant:
    """K(u) = sum log cosh(a u) with two derivatives, for u up to about `s`."""
    if float(scaled.max()) * s > _SERIES_UP_TO:
        return lambda u: _direct_cumulant(scaled, u)
    # Many small terms: six power sums hold K to the last bit, and Newton's steps become free.
    powers = np.empty(len(_LOG_COSH))
    squares = scaled**2
    power = np.ones_like(squares)
    for k in range(len(powers)):
        power *= squares
        powers[k] = power.sum()
    degree = 2 * np.arange(1, len(powers) + 1)
    coefficients = powers * _LOG_COSH
    return lambda u: (
        float(coefficients @ u**degree),
        float((coefficients * degree) @ u ** (degree - 1)),
        float((coefficients * degree * (degree - 1)) @ u ** (degree - 2)),
    )


def _direct_cumulant(scaled: FloatArray, u: float) -> tuple[float, float, float]:
    z = scaled * u
    slope = np.tanh(z)
    value = float(np.sum(z + np.log1p(np.exp(-2 * z)))) - len(scaled) * math.log(2)
    return value, float((scaled * slope).sum()), float(np.sum(scaled**2 * (1 - slope**2)))


def _saddle(cumulant: Cumulant, s: float) -> float:
    """Root of K'(u) = s.

    K' is concave, so that Newton's steps from below never pass the root; they end when
    rounding stops them.
    """
    u = s
    while True:
        _, slope, curvature = cumulant(u)
        step = (s - slope) / curvature
        if not step > 1e-15 * u:
            return u
        u += step


def _normal(sizes: IntArray, value: int) -> tuple[float, float]:
    from scipy.special import ndtr

    return float(ndtr(-value / _deviation(sizes))), 0.0


def _deviation(sizes: IntArray) -> float:
    return math.sqrt(float(np.square(sizes, dtype=np.float64).sum()))
