"""Sigma-point filters: 2 n + 1 points carry the moments of the state instead of a slope.

Both rules (unscented, central difference) turn function values at the points into a mean
and a matrix of deviations D, one column per point, with covariance D J D'. J is the identity
except for one sign: a negative weight of the centre. With Dx and Dz the deviations of state and
observation, K = Dx J Dz' S^-1 and the posterior covariance is

    P = (Dx - K Dz) J (Dx - K Dz)' + K R K',

which equals P- - K S K' (van der Merwe and Wan 2001) but subtracts nothing unless the
weight of the centre is negative.

The square-root forms carry on a lower-triangular factor and never form the covariance. The factors come from
one QR decomposition each, joined with square roots of the noise, which may be singular. Where the weight of
the centre is negative one downdate remains; the successive downdates of the original algorithm (van der
Merwe and Wan 2001) are not needed.
"""

from __future__ import annotations

import math
import warnings
from abc import abstractmethod
from typing import Any, TypeAlias

import numpy as np

from demur._checks import check_number, input_error
from demur.exceptions import DegenerateDataWarning
from demur.regression.kalman import (
    Function,
    KalmanFilter,
    KalmanModel,
    downdate,
    gain,
    lower_factor,
    triangle,
)
from demur.typing import ArrayLike, FloatArray

__all__ = [
    "CentralDifferenceKalmanFilter",
    "SigmaPointFilter",
    "SquareRootCentralDifferenceKalmanFilter",
    "SquareRootUnscentedKalmanFilter",
    "UnscentedKalmanFilter",
]

_Terms: TypeAlias = tuple[FloatArray, FloatArray, FloatArray]
"""Deviations of state and observation at the sigma points, and S or its factor."""


class SigmaPointFilter(KalmanFilter):
    """What the rules share: the points, drawn with a factor of the covariance and weighted by a rule."""

    _reach: float
    _centre_is_negative = False

    @abstractmethod
    def _deviations(self, values: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return mean and weighted deviations of function values at the points."""

    @abstractmethod
    def _state_deviations(self, factor: FloatArray) -> FloatArray:
        """Return the deviations of the points themselves, drawn with a lower factor."""

    @property
    def factor(self) -> FloatArray:
        """Lower-triangular factor of the covariance."""
        return lower_factor(self.covariance)

    def _at_points(self, function: Any, name: str) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return mean and weighted deviations of a function at new points, and the factor they came from."""
        factor, centre = self.factor, self.mean[:, None]
        reach = self._reach * factor
        points = np.hstack([centre, centre + reach, centre - reach])
        return *self._deviations(self._values(function, points, name)), factor

    def _signed(self, left: FloatArray, right: FloatArray) -> FloatArray:
        """Left J right'."""
        product = left @ right.T
        if self._centre_is_negative:
            product = product - 2 * np.outer(left[:, 0], right[:, 0])
        return product

    def _transform(self) -> None:
        self.mean, spread, _ = self._at_points(self.model.transition, "transition")
        self.covariance = self._signed(spread, spread) / self.model.forgetting + self.model.process_noise

    def _observe(self, function: Any, derivative: Function | None) -> tuple[FloatArray, FloatArray, _Terms]:
        # new points: those of the prediction do not include the process noise
        forecast, deviations, factor = self._at_points(function, "observation")
        spread = self._signed(deviations, deviations) + self.model.observation_noise
        return forecast, spread, (self._state_deviations(factor), deviations, spread)

    def _correct(self, innovation: FloatArray, observed: Any, terms: _Terms) -> None:
        state, deviations, spread = terms[0], terms[1][observed], terms[2][observed][:, observed]
        noise = self.model.observation_noise[observed][:, observed]
        weight = gain(self._signed(state, deviations), lower_factor((spread + spread.T) / 2))
        self.mean = self.mean + weight @ innovation
        remaining = state - weight @ deviations
        posterior = self._signed(remaining, remaining) + weight @ noise @ weight.T
        self.covariance = (posterior + posterior.T) / 2


# ---------------------------------------------------------------- the two rules


class UnscentedKalmanFilter(SigmaPointFilter):
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
        n = model.n_state
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
                stacklevel=2,
            )
        self._reach = math.sqrt(square)
        self._mean_weights = np.full(2 * n + 1, 1 / (2 * square))
        weights = self._mean_weights.copy()
        self._mean_weights[0] = (square - n) / square
        weights[0] = self._mean_weights[0] + 1 - alpha**2 + beta
        self._centre_is_negative = bool(weights[0] < 0)
        self._roots = np.sqrt(np.abs(weights))

    def _deviations(self, values: FloatArray) -> tuple[FloatArray, FloatArray]:
        mean = values @ self._mean_weights
        return mean, (values - mean[:, None]) * self._roots

    def _state_deviations(self, factor: FloatArray) -> FloatArray:
        scaled = self._reach * self._roots[1] * factor
        return np.hstack([np.zeros((len(factor), 1)), scaled, -scaled])


class CentralDifferenceKalmanFilter(SigmaPointFilter):
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

    def __init__(
        self,
        model: KalmanModel,
        mean: ArrayLike,
        covariance: ArrayLike,
        *,
        spread: float = math.sqrt(3),
    ) -> None:
        super().__init__(model, mean, covariance)
        n, h = model.n_state, check_number(spread, "spread")
        if h < 1:
            raise input_error("spread", "must be at least 1", h, "sqrt(3) is best for a normal distribution.")
        self._reach = h
        self._mean_weights = np.full(2 * n + 1, 1 / (2 * h**2))
        self._mean_weights[0] = (h**2 - n) / h**2
        self._first, self._second = 1 / (2 * h), math.sqrt(h**2 - 1) / (2 * h**2)

    def _deviations(self, values: FloatArray) -> tuple[FloatArray, FloatArray]:
        n = values.shape[1] // 2
        plus, minus = values[:, 1 : n + 1], values[:, n + 1 :]
        odd = self._first * (plus - minus)
        even = self._second * (plus + minus - 2 * values[:, :1])
        return values @ self._mean_weights, np.hstack([odd, even])

    def _state_deviations(self, factor: FloatArray) -> FloatArray:
        return np.hstack([factor, np.zeros_like(factor)])


# ---------------------------------------------------------------- the square-root form


class _SquareRootForm(SigmaPointFilter):
    """A filter that keeps the lower factor instead of the covariance."""

    @property
    def covariance(self) -> FloatArray:
        """Covariance of the state, made from its factor."""
        return np.asarray(self._lower @ self._lower.T)

    @covariance.setter
    def covariance(self, covariance: FloatArray) -> None:
        self._lower = lower_factor(covariance)

    @property
    def factor(self) -> FloatArray:
        """Lower-triangular factor of the covariance."""
        return self._lower

    def _joined(self, deviations: FloatArray, noise: FloatArray) -> FloatArray:
        """Factor of D J D' + N N'."""
        if not self._centre_is_negative:
            return triangle(np.hstack([deviations, noise]))
        return downdate(triangle(np.hstack([deviations[:, 1:], noise])), deviations[:, 0])

    def _transform(self) -> None:
        self.mean, spread, _ = self._at_points(self.model.transition, "transition")
        self._lower = self._joined(spread / math.sqrt(self.model.forgetting), self.model.process_factor)

    def _inflate(self, factor: float) -> None:
        self._lower = math.sqrt(factor) * self._lower
        if self.model.process_factor.size:
            self._lower = triangle(np.hstack([self._lower, self.model.process_factor]))

    def _observe(self, function: Any, derivative: Function | None) -> tuple[FloatArray, FloatArray, _Terms]:
        forecast, deviations, factor = self._at_points(function, "observation")
        lower = self._joined(deviations, self.model.observation_factor)
        return forecast, lower @ lower.T, (self._state_deviations(factor), deviations, lower)

    def _correct(self, innovation: FloatArray, observed: Any, terms: _Terms) -> None:
        state, deviations = terms[0], terms[1][observed]
        # rows of a square root of R are a square root of that part of R
        noise = self.model.observation_factor[observed]
        factor = terms[2] if isinstance(observed, slice) else self._joined(deviations, noise)
        weight = gain(self._signed(state, deviations), factor)
        self.mean = self.mean + weight @ innovation
        self._lower = self._joined(state - weight @ deviations, weight @ noise)


class SquareRootUnscentedKalmanFilter(_SquareRootForm, UnscentedKalmanFilter):
    """`UnscentedKalmanFilter` in square-root form: the same numbers, safer over long runs.

    The factor of the covariance is carried on, so the covariance stays symmetric and
    positive semidefinite by construction; singular noise needs no jitter.

    Parameters
    ----------
    model, mean, covariance, alpha, beta, kappa
        As in `UnscentedKalmanFilter`.

    Raises
    ------
    InputError, UndefinedError
        As in `UnscentedKalmanFilter`.

    References
    ----------
    van der Merwe and Wan (2001), ICASSP, doi:10.1109/ICASSP.2001.940586.

    Examples
    --------
    >>> from demur.regression import KalmanModel, SquareRootUnscentedKalmanFilter
    >>> model = KalmanModel(n_state=1, n_observed=1, observation=lambda x: x**3, observation_noise=0.1)
    >>> srukf = SquareRootUnscentedKalmanFilter(model, [1.0], 0.04)
    >>> srukf.step([1.2]).mean.round(3).tolist()
    [1.02]
    """


class SquareRootCentralDifferenceKalmanFilter(_SquareRootForm, CentralDifferenceKalmanFilter):
    """`CentralDifferenceKalmanFilter` in square-root form: the same numbers, safer over long runs.

    Never needs a downdate.

    Parameters
    ----------
    model, mean, covariance, spread
        As in `CentralDifferenceKalmanFilter`.

    Raises
    ------
    InputError
        As in `CentralDifferenceKalmanFilter`.

    References
    ----------
    van der Merwe and Wan (2001), ICASSP, doi:10.1109/ICASSP.2001.940586.

    Examples
    --------
    >>> from demur.regression import KalmanModel, SquareRootCentralDifferenceKalmanFilter
    >>> model = KalmanModel(n_state=1, n_observed=1, observation=lambda x: x**3, observation_noise=0.1)
    >>> srcdkf = SquareRootCentralDifferenceKalmanFilter(model, [1.0], 0.04)
    >>> srcdkf.step([1.2]).mean.round(3).tolist()
    [1.019]
    """
