"""Sigma-point filters: 2 n + 1 points carry the moments of the state instead of a slope.

Both rules (unscented, central difference) turn function values at the points into a mean
and a matrix of deviations D, one column per point, with covariance D J D'. J is the identity
except for one sign: a negative weight of the centre. With Dx and Dz the deviations of state and
observation, K = Dx J Dz' S^-1 and the posterior covariance is

    P = (Dx - K Dz) J (Dx - K Dz)' + K R K',

which equals P- - K S K' (van der Merwe and Wan 2001) but subtracts nothing unless the
weight of the centre is negative.
"""

from __future__ import annotations

import math
import warnings
from abc import abstractmethod
from typing import Any, NamedTuple

import numpy as np

from demur._checks import check_number, input_error
from demur.exceptions import DegenerateDataWarning
from demur.regression.filters.base import CovarianceFilter, KalmanFilter
from demur.regression.filters.factors import gain, lower_factor
from demur.regression.filters.model import Function, KalmanModel
from demur.typing import ArrayLike, FloatArray

__all__ = [
    "CentralDifference",
    "CentralDifferenceKalmanFilter",
    "SigmaDeviations",
    "SigmaPointFilter",
    "Unscented",
    "UnscentedKalmanFilter",
]


class SigmaDeviations(NamedTuple):
    """Deviations of state and observation at the sigma points; `spread` is S or its factor."""

    state: FloatArray
    observed: FloatArray
    spread: FloatArray


# ---------------------------------------------------------------- the two rules


class UnscentedRule:
    """Weights of the unscented transform (Julier and Uhlmann 2004; van der Merwe and Wan 2001)."""

    def __init__(self, n: int, alpha: float, beta: float, kappa: float) -> None:
        alpha, beta, kappa = (
            check_number(value, name) for value, name in ((alpha, "alpha"), (beta, "beta"), (kappa, "kappa"))
        )
        square = alpha**2 * (n + kappa)
        if alpha <= 0 or square <= 0:
            raise input_error(
                "alpha and kappa",
                f"must give alpha**2 (n_state + kappa) > 0 for n_state = {n}",
                (alpha, kappa),
            )
        if alpha < 1e-2:
            warnings.warn(
                f"alpha = {alpha:g} makes weights of size 1 / alpha**2 and costs about that many digits.",
                DegenerateDataWarning,
                stacklevel=3,
            )
        self.reach = math.sqrt(square)
        centre = (square - n) / square
        self.mean_weights = np.full(2 * n + 1, 1 / (2 * square))
        weights = self.mean_weights.copy()
        self.mean_weights[0] = centre
        weights[0] = centre + 1 - alpha**2 + beta
        self.centre_is_negative = bool(weights[0] < 0)
        self._roots = np.sqrt(np.abs(weights))

    def deviations(self, values: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return mean and weighted deviations of function values at the points."""
        mean = values @ self.mean_weights
        return mean, (values - mean[:, None]) * self._roots

    def state_deviations(self, factor: FloatArray) -> FloatArray:
        """Return the deviations of the points themselves, drawn with a lower factor."""
        scaled = self.reach * self._roots[1] * factor
        return np.hstack([np.zeros((len(factor), 1)), scaled, -scaled])


class CentralDifferenceRule:
    """Weights of Stirling's interpolation (Norgaard, Poulsen and Ravn 2000)."""

    centre_is_negative = False

    def __init__(self, n: int, spread: float) -> None:
        h = check_number(spread, "spread")
        if h < 1:
            raise input_error("spread", "must be at least 1", h, "sqrt(3) is best for a normal distribution.")
        self.reach = h
        self.mean_weights = np.full(2 * n + 1, 1 / (2 * h**2))
        self.mean_weights[0] = (h**2 - n) / h**2
        self._first, self._second = 1 / (2 * h), math.sqrt(h**2 - 1) / (2 * h**2)

    def deviations(self, values: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return mean and weighted deviations of function values at the points."""
        n = values.shape[1] // 2
        plus, minus = values[:, 1 : n + 1], values[:, n + 1 :]
        odd = self._first * (plus - minus)
        even = self._second * (plus + minus - 2 * values[:, :1])
        return values @ self.mean_weights, np.hstack([odd, even])

    def state_deviations(self, factor: FloatArray) -> FloatArray:
        """Return the deviations of the points themselves, drawn with a lower factor."""
        return np.hstack([factor, np.zeros_like(factor)])


# ---------------------------------------------------------------- filters


class SigmaPointFilter(KalmanFilter):
    """What the plain and the square-root form share: the points and their weights."""

    rule: UnscentedRule | CentralDifferenceRule

    @abstractmethod
    def _factor(self) -> FloatArray:
        """Lower factor of the present covariance."""

    def _points(self, factor: FloatArray) -> FloatArray:
        reach = self.rule.reach * factor
        centre = self.mean[:, None]
        return np.hstack([centre, centre + reach, centre - reach])

    def _signed(self, left: FloatArray, right: FloatArray) -> FloatArray:
        """Left J right'."""
        product = left @ right.T
        if self.rule.centre_is_negative:
            product = product - 2 * np.outer(left[:, 0], right[:, 0])
        return product


class Unscented(SigmaPointFilter):
    """Takes the parameters of the unscented rule."""

    def __init__(
        self,
        model: KalmanModel,
        mean: ArrayLike,
        covariance: ArrayLike,
        *,
        alpha: float = 1.0,
        beta: float = 2.0,
        kappa: float = 0.0,
    ) -> None:
        super().__init__(model, mean, covariance)
        self.rule = UnscentedRule(model.n_state, alpha, beta, kappa)


class CentralDifference(SigmaPointFilter):
    """Takes the parameter of the central difference rule."""

    def __init__(
        self,
        model: KalmanModel,
        mean: ArrayLike,
        covariance: ArrayLike,
        *,
        spread: float = math.sqrt(3),
    ) -> None:
        super().__init__(model, mean, covariance)
        self.rule = CentralDifferenceRule(model.n_state, spread)


class _PlainFilter(CovarianceFilter, SigmaPointFilter):
    """Keeps the covariance and factors it whenever points are drawn."""

    def _factor(self) -> FloatArray:
        return lower_factor(self._covariance)

    def _transform(self) -> None:
        values = self._values(self.model.transition, self._points(self._factor()), "transition")
        self.mean, spread = self.rule.deviations(values)
        self._covariance = self._signed(spread, spread) / self.model.forgetting + self.model.process_noise

    def _observe(
        self, function: Any, derivative: Function | None
    ) -> tuple[FloatArray, FloatArray, SigmaDeviations]:
        # new points: those of the prediction do not include the process noise
        factor = self._factor()
        values = self._values(function, self._points(factor), "observation")
        forecast, deviations = self.rule.deviations(values)
        spread = self._signed(deviations, deviations) + self.model.observation_noise
        return forecast, spread, SigmaDeviations(self.rule.state_deviations(factor), deviations, spread)

    def _correct(self, innovation: FloatArray, observed: Any, terms: SigmaDeviations) -> None:
        deviations = terms.observed[observed]
        noise = self.model.observation_noise[observed][:, observed]
        spread = terms.spread[observed][:, observed]
        weight = gain(self._signed(terms.state, deviations), lower_factor((spread + spread.T) / 2))
        self.mean = self.mean + weight @ innovation
        remaining = terms.state - weight @ deviations
        posterior = self._signed(remaining, remaining) + weight @ noise @ weight.T
        self._covariance = (posterior + posterior.T) / 2


class UnscentedKalmanFilter(Unscented, _PlainFilter):
    """Unscented Kalman filter: moments through weighted sigma points; exact for linear systems.

    Accurate to second order in the mean, without derivatives. Predict, redraw the points
    (so that additive process noise is exact in the linear case), update.

    Parameters
    ----------
    model : KalmanModel
        The state-space model.
    mean : array of n_state numbers
        Mean of the state before the first step.
    covariance : number or matrix
        Its covariance; a number means that multiple of the identity. May be singular.
    alpha : float > 0, default 1
        Reach of the points. Below 0.01 the weights of size 1 / alpha**2 cost digits: warns.
    beta : float, default 2
        Weight of the centre in covariances; 2 is best for a normal distribution.
    kappa : float, default 0
        With alpha: the points lie alpha sqrt(n_state + kappa) standard deviations away.

    Raises
    ------
    InputError
        For ill-fitting shapes, or alpha**2 (n_state + kappa) <= 0.
    UndefinedError
        While filtering, if a covariance loses its positive definiteness; possible only with
        a negative weight of the centre (alpha well below 1).

    Notes
    -----
    The square root of the covariance is the lower Cholesky factor; non-linear results depend
    on that choice. Missing observations (NaN) are predicted only. Directions in which an
    innovation has no variance get gain 0.

    References
    ----------
    van der Merwe and Wan (2001), ICASSP, doi:10.1109/ICASSP.2001.940586.
    Julier and Uhlmann (2004), Proc. IEEE 92, doi:10.1109/JPROC.2003.823141.

    Examples
    --------
    >>> import numpy as np
    >>> from demur.regression import KalmanModel, UnscentedKalmanFilter
    >>> model = KalmanModel(n_state=2, n_observed=1, process_noise=0.05, observation_noise=0.1,
    ...     transition=lambda x: np.array([np.tanh(x[0] + 0.5 * x[1]), x[0]]),
    ...     observation=lambda x: x[0])
    >>> ukf = UnscentedKalmanFilter(model, [0.5, -0.2], [[0.3, 0.1], [0.1, 0.2]])
    >>> ukf.step([0.7]).mean.round(6).tolist()
    [0.600883, 0.754836]
    """


class CentralDifferenceKalmanFilter(CentralDifference, _PlainFilter):
    """Central difference Kalman filter: moments by Stirling's interpolation.

    One parameter instead of three, and covariances that are sums of squares: they cannot
    turn negative. Exact for linear systems.

    Parameters
    ----------
    model, mean, covariance
        As in `UnscentedKalmanFilter`.
    spread : float >= 1, default sqrt(3)
        Distance of the points in standard deviations (the papers' h); sqrt(3) is best for a
        normal distribution. The mean equals that of the unscented filter with
        alpha**2 (n_state + kappa) = spread**2.

    Raises
    ------
    InputError
        For ill-fitting shapes, or a spread below 1.

    References
    ----------
    Norgaard, Poulsen and Ravn (2000), Automatica 36, doi:10.1016/S0005-1098(00)00089-3.

    Examples
    --------
    >>> from demur.regression import CentralDifferenceKalmanFilter, KalmanModel
    >>> model = KalmanModel(n_state=1, n_observed=1, observation=lambda x: x**2, observation_noise=0.1)
    >>> step = CentralDifferenceKalmanFilter(model, [1.0], 0.5).step([1.5])
    >>> step.forecast.round(3).tolist(), step.mean.round(3).tolist()
    ([1.5], [1.0])
    """
