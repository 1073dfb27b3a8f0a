"""Square-root forms: a lower-triangular factor is carried on, the covariance is never formed.

The factors come from one QR decomposition each, joined with square roots of the noise,
which may be singular. Where the weight of the centre is negative one downdate remains; the
successive downdates of the original algorithm (van der Merwe and Wan 2001) are not needed.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from demur.regression.filters.factors import downdate, gain, lower_factor, triangle
from demur.regression.filters.model import Function
from demur.regression.filters.sigma_points import (
    CentralDifference,
    SigmaDeviations,
    SigmaPointFilter,
    Unscented,
)
from demur.typing import FloatArray

__all__ = ["SquareRootCentralDifferenceKalmanFilter", "SquareRootUnscentedKalmanFilter"]


class _SquareRootFilter(SigmaPointFilter):
    """Keeps the lower factor of the covariance."""

    _lower: FloatArray

    @property
    def covariance(self) -> FloatArray:
        """Covariance of the state, made from its factor."""
        return np.asarray(self._lower @ self._lower.T)

    @property
    def factor(self) -> FloatArray:
        """Lower-triangular factor of the covariance."""
        return self._lower

    def _set_covariance(self, covariance: FloatArray) -> None:
        self._lower = lower_factor(covariance)

    def _factor(self) -> FloatArray:
        return self._lower

    def _joined(self, deviations: FloatArray, noise: FloatArray) -> FloatArray:
        """Factor of D J D' + N N'."""
        if not self.rule.centre_is_negative:
            return triangle(np.hstack([deviations, noise]))
        return downdate(triangle(np.hstack([deviations[:, 1:], noise])), deviations[:, 0])

    def _transform(self) -> None:
        values = self._values(self.model.transition, self._points(self._lower), "transition")
        self.mean, spread = self.rule.deviations(values)
        self._lower = self._joined(spread / math.sqrt(self.model.forgetting), self.model.process_factor)

    def _inflate(self, factor: float) -> None:
        self._lower = math.sqrt(factor) * self._lower
        if self.model.process_factor.size:
            self._lower = triangle(np.hstack([self._lower, self.model.process_factor]))

    def _observe(
        self, function: Any, derivative: Function | None
    ) -> tuple[FloatArray, FloatArray, SigmaDeviations]:
        values = self._values(function, self._points(self._lower), "observation")
        forecast, deviations = self.rule.deviations(values)
        lower = self._joined(deviations, self.model.observation_factor)
        state = self.rule.state_deviations(self._lower)
        return forecast, lower @ lower.T, SigmaDeviations(state, deviations, lower)

    def _correct(self, innovation: FloatArray, observed: Any, terms: SigmaDeviations) -> None:
        deviations = terms.observed[observed]
        # rows of a square root of R are a square root of that part of R
        noise = self.model.observation_factor[observed]
        whole = isinstance(observed, slice)
        factor = terms.spread if whole else self._joined(deviations, noise)
        weight = gain(self._signed(terms.state, deviations), factor)
        self.mean = self.mean + weight @ innovation
        self._lower = self._joined(terms.state - weight @ deviations, weight @ noise)


class SquareRootUnscentedKalmanFilter(Unscented, _SquareRootFilter):
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


class SquareRootCentralDifferenceKalmanFilter(CentralDifference, _SquareRootFilter):
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
