"""Exact law of x A + (1 - x) B for two independent lattice variables, one per class.

A bootstrap of a confusion matrix within each class gives two binomial error rates; of a
paired comparison, two differences of trinomial counts. Either way the statistic at
operating point x is x A + (1 - x) B with A on a lattice of step 1/P and B of step 1/N, so
its distribution function needs no simulation and no list of all P N atoms.
"""

from dataclasses import dataclass

import numpy as np

from demur.typing import FloatArray

__all__ = ["TwoClassLaw"]

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
        laws = []
        for rate, size in ((fnr, n_positive), (fpr, n_negative)):
            laws += [np.arange(size + 1) / size, _binomial(size, rate)]
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
        return x**2 * _variance(self.a, self.prob_a) + (1 - x) ** 2 * _variance(self.b, self.prob_b)

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


def _variance(values: FloatArray, probability: FloatArray) -> float:
    mean = float(values @ probability)
    return float((values - mean) ** 2 @ probability)


def _binomial(size: int, rate: float) -> FloatArray:
    from scipy.stats import binom

    return np.asarray(binom.pmf(np.arange(size + 1), size, rate))


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
