"""Two normal score distributions of equal spread: every curve and surface in closed form."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from demur._checks import (
    check_cost_point,
    check_finite,
    check_positive_int,
    check_rate,
    check_rng,
    input_error,
)
from demur._kernels.integrals import proper_volume_scores
from demur._results import Result, as_scalar
from demur.typing import ArrayLike, BoolArray, FloatArray, Scalar

__all__ = ["Binormal", "paired_binormal_sample"]

_QUADRATURE_ERROR = 1e-12


@dataclass(frozen=True, kw_only=True, slots=True)
class Binormal(Result):
    """Scores N(0, 1) of the negatives and N(separation, 1) of the positives: the known truth.

    The probability of a positive grows with the score, so the best rule for any costs is a
    window, and its cost is a sum of normal probabilities. Intervals and tests are judged
    against these values.

    Parameters
    ----------
    separation : float > 0, default 1.2
        Distance of the two means in standard deviations.
    prevalence : float strictly between 0 and 1, default 0.35
        P(positive).

    Raises
    ------
    InputError
        If a parameter is outside its range.

    Notes
    -----
    A score m has logit P(positive | m) = logit(prevalence) + separation (m - separation / 2).
    `cost`, `window`, `window_cost` and `auc` are exact up to rounding; `volume` integrates the
    volume of one block over the score distribution, to an estimated error of 1e-12.

    Examples
    --------
    The best any threshold pair can do where a false alarm costs as much as a miss and a
    review a quarter of it:

    >>> from demur import Binormal
    >>> truth = Binormal(separation=2.0, prevalence=0.5)
    >>> round(truth.cost(1, 0.25), 4), round(truth.auc, 4)
    (0.127, 0.9214)
    >>> y, s = truth.sample(5, rng=0)
    >>> len(y), len(s)
    (5, 5)
    """

    separation: float = 1.2
    prevalence: float = 0.35
    _reported = ("auc",)

    def __post_init__(self) -> None:
        distance = check_finite(self.separation, "separation")
        if distance.ndim or distance <= 0:
            raise input_error("separation", "must be one positive number", repr(self.separation))
        rate = check_rate(self.prevalence, "prevalence")
        if not 0 < rate < 1:
            raise input_error("prevalence", "must lie strictly between 0 and 1", rate)
        object.__setattr__(self, "separation", float(distance))
        object.__setattr__(self, "prevalence", rate)

    @property
    def auc(self) -> float:
        """Area under the ROC curve."""
        return float(_normal_cdf(self.separation / math.sqrt(2)))

    def sample(self, n: int, *, rng: int | np.random.Generator | None = None) -> tuple[BoolArray, FloatArray]:
        """Return labels and scores of n independent cases."""
        generator = check_rng(rng)
        positive = generator.random(check_positive_int(n, "n")) < self.prevalence
        return positive, generator.normal(size=n) + self.separation * positive

    def threshold(self, probability: ArrayLike) -> Scalar:
        """Return the score at which P(positive | score) equals `probability`; infinite at 0 and 1."""
        p = np.asarray(probability, dtype=np.float64)
        with np.errstate(divide="ignore"):
            logit = np.log(p) - np.log1p(-p)
        prior = math.log(self.prevalence / (1 - self.prevalence))
        return as_scalar(np.asarray((logit - prior) / self.separation + self.separation / 2))

    def window(self, mu: ArrayLike, nu: ArrayLike) -> tuple[Scalar, Scalar]:
        """Return the best (lower, upper) at (mu, nu); equal where abstaining does not pay."""
        mu, nu = check_cost_point(mu, nu)
        pays = nu < mu / (1 + mu)
        with np.errstate(divide="ignore", invalid="ignore"):
            upper = np.where(pays, 1 - nu / mu, mu / (1 + mu))
        lower = np.where(pays, nu, mu / (1 + mu))
        return self.threshold(lower), self.threshold(upper)

    def window_cost(self, lower: ArrayLike, upper: ArrayLike, mu: ArrayLike, nu: ArrayLike) -> Scalar:
        """Return the true expected cost of any window at (mu, nu)."""
        low, high = np.asarray(lower, dtype=np.float64), np.asarray(upper, dtype=np.float64)
        d, rate = self.separation, self.prevalence
        missed, kept_low = rate * _normal_cdf(low - d), rate * _normal_cdf(high - d)
        alarmed, kept_high = (1 - rate) * _normal_cdf(-high), (1 - rate) * _normal_cdf(-low)
        abstained = (kept_low - missed) + (kept_high - alarmed)
        price = np.where(abstained > 0, nu, 0.0)
        return as_scalar(np.asarray(missed + np.asarray(mu) * alarmed + price * abstained))

    def cost(self, mu: ArrayLike, nu: ArrayLike) -> Scalar:
        """Return the surface of the population: the smallest expected cost at (mu, nu)."""
        return self.window_cost(*self.window(mu, nu), mu, nu)

    def volume(self) -> float:
        """Return the volume under the population surface over the unit square."""
        from scipy.integrate import quad

        def density_times_volume(m: float) -> float:
            positive = self.prevalence * math.exp(-((m - self.separation) ** 2) / 2)
            negative = (1 - self.prevalence) * math.exp(-(m**2) / 2)
            share = positive / (positive + negative)
            if_positive, if_negative = proper_volume_scores(np.array([share]))
            volume = share * if_positive[0] + (1 - share) * if_negative[0]
            return float((positive + negative) / math.sqrt(2 * math.pi) * volume)

        middle = float(self.threshold(0.5))  # the volume of one block has a kink in its third derivative
        limits = sorted([-9.0, min(max(middle, -9.0), self.separation + 9.0), self.separation + 9.0])
        options = {"epsabs": _QUADRATURE_ERROR, "epsrel": _QUADRATURE_ERROR, "limit": 200}
        parts = [quad(density_times_volume, limits[k], limits[k + 1], **options)[0] for k in (0, 1)]
        return float(sum(parts))


def paired_binormal_sample(
    first: Binormal,
    second: Binormal,
    *,
    n: int,
    correlation: float,
    rng: int | np.random.Generator | None = None,
) -> tuple[BoolArray, FloatArray, FloatArray]:
    """Return labels and the scores of two models on the same n cases.

    Within each class the two scores are normal with the given `correlation`; both models must
    share the prevalence.

    Examples
    --------
    >>> from demur.datasets.binormal import Binormal, paired_binormal_sample
    >>> y, a, b = paired_binormal_sample(Binormal(), Binormal(separation=2.0), n=4, correlation=0.6, rng=1)
    >>> y.shape == a.shape == b.shape
    True
    """
    if first.prevalence != second.prevalence:
        rates = first.prevalence, second.prevalence
        raise input_error("first and second", "must have the same prevalence", rates)
    rho = check_finite(correlation, "correlation")
    if rho.ndim or abs(rho) > 1:
        raise input_error("correlation", "must be one number in [-1, 1]", repr(correlation))
    generator = check_rng(rng)
    positive = generator.random(check_positive_int(n, "n")) < first.prevalence
    noise, independent = generator.normal(size=(2, n))
    correlated = float(rho) * noise + math.sqrt(1 - float(rho) ** 2) * independent
    return positive, noise + first.separation * positive, correlated + second.separation * positive


def _normal_cdf(x: ArrayLike) -> FloatArray:
    from scipy.special import ndtr

    return np.asarray(ndtr(x))
