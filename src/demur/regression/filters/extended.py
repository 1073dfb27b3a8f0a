"""The extended Kalman filter: linearisation at the mean."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from demur.regression.filters.base import CovarianceFilter
from demur.regression.filters.factors import gain, lower_factor
from demur.regression.filters.model import Function
from demur.typing import FloatArray

__all__ = ["ExtendedKalmanFilter"]


class _Linearisation(NamedTuple):
    """Slope of the observation function, and the covariance of the observation."""

    slope: FloatArray
    spread: FloatArray


class ExtendedKalmanFilter(CovarianceFilter):
    """Kalman filter of the system linearised at the present mean; exact for a linear one.

    Accurate to first order: it ignores how far the state may be from its mean. Jacobians are
    those of the model, or central differences (error about 1e-8).

    Parameters
    ----------
    model, mean, covariance
        As in `UnscentedKalmanFilter`.

    Notes
    -----
    P- = F P F' / forgetting + Q; S = H P- H' + R; K = P- H' S^-1;
    P = (I - K H) P- (I - K H)' + K R K', which equals P- - K S K' and cannot turn negative.

    References
    ----------
    Anderson and Moore (1979), Optimal Filtering, Prentice-Hall, section 8.2.

    Examples
    --------
    >>> from demur.regression import ExtendedKalmanFilter, KalmanModel
    >>> model = KalmanModel(n_state=1, n_observed=1, observation=lambda x: x**2, observation_noise=0.1)
    >>> step = ExtendedKalmanFilter(model, [1.0], 0.5).step([1.5])
    >>> step.forecast.tolist(), step.mean.round(3).tolist()
    ([1.0], [1.238])
    """

    def _transform(self) -> None:
        model = self.model
        slope = self._jacobian(model.transition, model.transition_jacobian, "transition")
        self.mean = self._values(model.transition, self.mean[:, None], "transition")[:, 0]
        spread = slope @ self._covariance @ slope.T / model.forgetting + model.process_noise
        self._covariance = (spread + spread.T) / 2

    def _observe(
        self, function: Any, derivative: Function | None
    ) -> tuple[FloatArray, FloatArray, _Linearisation]:
        slope = self._jacobian(function, derivative, "observation")
        forecast = self._values(function, self.mean[:, None], "observation")[:, 0]
        spread = slope @ self._covariance @ slope.T + self.model.observation_noise
        return forecast, (spread + spread.T) / 2, _Linearisation(slope, spread)

    def _correct(self, innovation: FloatArray, observed: Any, terms: _Linearisation) -> None:
        slope = terms.slope[observed]
        spread = terms.spread[observed][:, observed]
        noise = self.model.observation_noise[observed][:, observed]
        weight = gain(self._covariance @ slope.T, lower_factor((spread + spread.T) / 2))
        self.mean = self.mean + weight @ innovation
        kept = np.eye(len(self.mean)) - weight @ slope
        spread = kept @ self._covariance @ kept.T + weight @ noise @ weight.T
        self._covariance = (spread + spread.T) / 2
