"""Exact laws of sums on a lattice: random signs of integers, and two independent error rates.

When each case keeps or swaps its two scores at random, the difference of two AUCs is a sum of
independent two-point variables, +a_k or -a_k (Bandos, Rockette and Gur 2005). Times 4 N M the a_k are
integers, so that the law lives on a lattice and can be computed exactly (`upper_tail`).

A bootstrap of a confusion matrix within each class gives two binomial error rates; of a
paired comparison, two differences of trinomial counts. Either way the statistic at
operating point x is x A + (1 - x) B with A on a lattice of step 1/P and B of step 1/N, so
its distribution function needs no simulation and no list of all P N atoms (`TwoClassLaw`).
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import accumulate

import numpy as np

from demur.typing import FloatArray, IntArray

__all__ = ["COMPUTATIONS", "TwoClassLaw", "too_large", "upper_tail"]


COMPUTATIONS = ("enumeration", "lattice", "saddlepoint", "normal")

_ENUMERATE_UP_TO = 20  # 2**20 sums
_ENUMERATE_AT_MOST = 25
_LATTICE_UP_TO = 10**9  # additions, about one second
_LATTICE_AT_MOST = 10**8  # points, just under a gigabyte
_NEAR_THE_MEAN = 1e-4
_SERIES_UP_TO = 0.1
_LOG_COSH = np.array([1 / 2, -1 / 12, 1 / 45, -17 / 2520, 31 / 14175, -691 / 935550])  # of z^2, z^4, ...

# a cumulant generating function with its first two derivatives
Cumulant = Callable[[float], tuple[float, float, float]]


def upper_tail(terms: IntArray, value: int, computation: str | None = None) -> tuple[float, float, str]:
    """P(T > t) and P(T = t) of T = sum of ± terms at an attainable t, and how they were computed.

    Enumeration and lattice are exact, with full relative accuracy in the tail. The saddlepoint
    of Lugannani and Rice (1980) with the lattice correction of Daniels (1987) is off by about
    1/n of the probability, where normal theory may be off by orders of magnitude.
    """
    sizes = np.abs(terms[terms != 0])
    if len(sizes) == 0:
        return 0.0, 1.0, computation or "enumeration"
    step = int(np.gcd.reduce(sizes))
    if computation:
        chosen = computation
    elif len(sizes) <= _ENUMERATE_UP_TO:
        chosen = "enumeration"
    else:
        # as floats: with 10**7 cases the product leaves the integers of 64 bits
        additions = float(len(sizes)) * float(sizes.sum() // step)
        chosen = "lattice" if additions <= _LATTICE_UP_TO else "saddlepoint"
    laws = {
        "enumeration": _enumerated,
        "lattice": _convolved,
        "saddlepoint": _saddlepoint,
        "normal": _normal,
    }
    above, at = laws[chosen](sizes // step, abs(value) // step)
    # T is symmetric about 0
    return above if value >= 0 else max(1 - above - at, 0.0), at, chosen


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
    # root of K'(u) = s: K' is concave, so that Newton's steps from below never pass the root; they end
    # when rounding stops them
    u = s
    value, slope, curvature = cumulant(u)
    while (step := (s - slope) / curvature) > 1e-15 * u:
        u += step
        value, slope, curvature = cumulant(u)
    w = math.sqrt(max(2 * (u * s - value), 0.0))
    if w < _NEAR_THE_MEAN:
        return float(ndtr(-w))
    v = unit * math.sinh(u / unit) * math.sqrt(curvature)
    density = math.exp(-(w**2) / 2) / math.sqrt(2 * math.pi)
    return min(max(float(ndtr(-w)) + density * (1 / v - 1 / w), 0.0), 0.5)


def _cumulant(scaled: FloatArray, s: float) -> Cumulant:
    """K(u) = sum log cosh(a u) with two derivatives, for u up to about `s`."""
    if float(scaled.max()) * s > _SERIES_UP_TO:

        def summed(u: float) -> tuple[float, float, float]:
            z = scaled * u
            slope = np.tanh(z)
            value = float(np.sum(z + np.log1p(np.exp(-2 * z)))) - len(scaled) * math.log(2)
            return value, float((scaled * slope).sum()), float(np.sum(scaled**2 * (1 - slope**2)))

        return summed
    # Many small terms: six power sums hold K to the last bit, and Newton's steps become free.
    squares = scaled**2
    powers = np.array([power.sum() for power in accumulate([squares] * len(_LOG_COSH), np.multiply)])
    degree = 2 * np.arange(1, len(powers) + 1)
    coefficients = powers * _LOG_COSH
    return lambda u: (
        float(coefficients @ u**degree),
        float((coefficients * degree) @ u ** (degree - 1)),
        float((coefficients * degree * (degree - 1)) @ u ** (degree - 2)),
    )


def _normal(sizes: IntArray, value: int) -> tuple[float, float]:
    from scipy.special import ndtr

    return float(ndtr(-value / _deviation(sizes))), 0.0


def _deviation(sizes: IntArray) -> float:
    return math.sqrt(float(np.square(sizes, dtype=np.float64).sum()))


# Atoms that are equal in exact arithmetic may differ by rounding.
_SAME_ATOM = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class TwoClassLaw:
    """Values (ascending, equally spaced) and probabilities of A and of B."""

    a: FloatArray
    prob_a: FloatArray
    b: FloatArray
    prob_b: FloatArray

    @classmethod
    def of_rates(cls, fnr: float, n_positive: int, fpr: float, n_negative: int) -> "TwoClassLaw":
        """Error rates of a resampled confusion matrix: two binomials."""
        from scipy.stats import binom

        laws = []
        for rate, size in ((fnr, n_positive), (fpr, n_negative)):
            laws += [np.arange(size + 1) / size, np.asarray(binom.pmf(np.arange(size + 1), size, rate))]
        return cls(*laws)

    @classmethod
    def of_tables(cls, positive: FloatArray, negative: FloatArray) -> "TwoClassLaw":
        """Differences of error rates of two resampled paired tables [both, first, second, none]."""
        laws = []
        for table in (positive, negative):
            size = int(table.sum())
            laws += [np.arange(-size, size + 1) / size, _trinomial_difference(size, *(table[1:3] / size))]
        return cls(*laws)

    def variance(self, x: float) -> float:
        """Variance of x A + (1 - x) B."""
        mean_a, mean_b = float(self.a @ self.prob_a), float(self.b @ self.prob_b)
        of_a, of_b = float((self.a - mean_a) ** 2 @ self.prob_a), float((self.b - mean_b) ** 2 @ self.prob_b)
        return x**2 * of_a + (1 - x) ** 2 * of_b

    def cdf(self, x: float, value: float) -> float:
        """Pr(x A + (1 - x) B <= value): for each A the bound on B is looked up."""
        if x == 1:
            return float(self.prob_a[self.a <= value + _SAME_ATOM].sum())
        below = np.concatenate([[0.0], np.cumsum(self.prob_b)])
        room = (value - x * self.a) / (1 - x)
        count = np.searchsorted(self.b, room + _SAME_ATOM / (1 - x), side="right")
        return float(min((self.prob_a * below[count]).sum(), 1.0))

    def quantile(self, x: float, q: float) -> float:
        """Smallest atom v with Pr(value <= v) >= q."""
        low = float(x * self.a[0] + (1 - x) * self.b[0])
        high = float(x * self.a[-1] + (1 - x) * self.b[-1])
        target = q - 1e-14  # sums of probabilities round
        if self.cdf(x, low) >= target:
            return self._first_atom(x, low)
        while high - low > _SAME_ATOM:
            middle = (low + high) / 2
            if middle in (low, high):
                break
            if self.cdf(x, middle) >= target:
                high = middle
            else:
                low = middle
        return self._first_atom(x, low)

    def _first_atom(self, x: float, value: float) -> float:
        """Smallest atom of positive probability at or above `value`."""
        held_a, held_b = self.a[self.prob_a > 0], self.b[self.prob_b > 0]
        if x == 1:
            return float(held_a[np.searchsorted(held_a, value - _SAME_ATOM)])
        index = np.searchsorted(held_b, (value - _SAME_ATOM - x * held_a) / (1 - x))
        reached = index < len(held_b)
        return float((x * held_a[reached] + (1 - x) * held_b[index[reached]]).min())


def _trinomial_difference(size: int, up: float, down: float) -> FloatArray:
    """Law of (ups - downs) in `size` draws, on -size..size.

    Conditional on m moves in either direction the ups are binomial; summing over m adds only
    positive terms, so small probabilities stay accurate.
    """
    from scipy.stats import binom

    law = np.zeros(2 * size + 1)
    moving = up + down
    if moving == 0:
        law[size] = 1.0
        return law
    moves = binom.pmf(np.arange(size + 1), size, min(moving, 1.0))
    for m in np.flatnonzero(moves > 0):
        law[size - m : size + m + 1 : 2] += moves[m] * binom.pmf(np.arange(m + 1), m, up / moving)
    return law
