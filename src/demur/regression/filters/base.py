"""What all filters share: the loop, missing observations, what a step returns."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np

from demur._checks import check_covariance, check_finite, check_type, input_error
from demur._results import Result
from demur.regression.filters.model import Function, KalmanModel, evaluate, jacobian
from demur.typing import ArrayLike, FloatArray

__all__ = ["CovarianceFilter", "FilterRun", "FilterStep", "KalmanFilter"]


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class FilterStep(Result):
    """One step of a filter.

    Attributes
    ----------
    predicted_mean, predicted_covariance : array
        Moments of the state before the observation.
    forecast, forecast_covariance : array
        Moments of the observation before it arrives.
    mean, covariance : array
        Moments of the state after the observation; as predicted if it is missing.
    """

    predicted_mean: FloatArray
    predicted_covariance: FloatArray
    forecast: FloatArray
    forecast_covariance: FloatArray
    mean: FloatArray
    covariance: FloatArray


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class FilterRun(FilterStep):
    """A filtered series: the fields of `FilterStep`, each with time as its first axis."""


class KalmanFilter(ABC):
    """Interface of the filters; see `UnscentedKalmanFilter` for the parameters."""

    def __init__(self, model: KalmanModel, mean: ArrayLike, covariance: ArrayLike) -> None:
        check_type(model, "model", KalmanModel)
        self.model = model
        self._tested: set[str] = set()
        state = check_finite(mean, "mean")
        if state.shape != (model.n_state,):
            raise input_error("mean", f"must hold {model.n_state} numbers", f"shape {state.shape}")
        self.mean: FloatArray = state.copy()
        self._set_covariance(check_covariance(covariance, "covariance", model.n_state))

    # ---------------------------------------------------------------- what each filter defines

    @property
    @abstractmethod
    def covariance(self) -> FloatArray:
        """Covariance of the state."""

    @abstractmethod
    def _set_covariance(self, covariance: FloatArray) -> None:
        """Take a checked covariance."""

    @abstractmethod
    def _transform(self) -> None:
        """Carry mean and covariance through the transition."""

    @abstractmethod
    def _inflate(self, factor: float) -> None:
        """Add the process noise to an unchanged state, its covariance multiplied by `factor`."""

    @abstractmethod
    def _observe(self, function: Any, derivative: Function | None) -> tuple[FloatArray, FloatArray, Any]:
        """Return forecast, its covariance, and what `_correct` needs."""

    @abstractmethod
    def _correct(self, innovation: FloatArray, observed: Any, terms: Any) -> None:
        """Take in an innovation; `observed` indexes the components that are not missing."""

    # ---------------------------------------------------------------- what all filters share

    def predict(self) -> tuple[FloatArray, FloatArray]:
        """Carry the state one step on; return its mean and covariance."""
        if self.model.transition is None:
            self._inflate(1 / self.model.forgetting)
        else:
            self._transform()
        return self.mean, self.covariance

    def forecast(self) -> tuple[FloatArray, FloatArray]:
        """Return mean and covariance of the observation in the present state."""
        return self._observe(self.model.observation, self.model.observation_jacobian)[:2]

    def update(
        self, z: ArrayLike, *, observation: Function | None = None, jacobian: Function | None = None
    ) -> tuple[FloatArray, FloatArray]:
        """Take in an observation; return what was forecast for it: mean and covariance.

        Parameters
        ----------
        z : array of n_observed numbers
            NaN: that component is missing and is left out. All NaN: nothing changes.
        observation, jacobian : callable, optional
            Observation function of this step only, and its derivative.
        """
        value = self._as_observation(z)
        given = observation is not None
        forecast, covariance, terms = self._observe(
            observation if given else self.model.observation,
            jacobian if given else self.model.observation_jacobian,
        )
        present = ~np.isnan(value)
        if present.all():
            self._correct(value - forecast, slice(None), terms)
        elif present.any():
            self._correct((value - forecast)[present], np.flatnonzero(present), terms)
        return forecast, covariance

    def step(self, z: ArrayLike) -> FilterStep:
        """Predict, then update."""
        predicted = [np.array(part) for part in self.predict()]
        forecast, spread = self.update(z)
        return FilterStep(
            predicted_mean=predicted[0],
            predicted_covariance=predicted[1],
            forecast=forecast,
            forecast_covariance=spread,
            mean=self.mean.copy(),
            covariance=self.covariance.copy(),
        )

    def filter(self, series: ArrayLike) -> FilterRun:
        """Step through a series, one observation per row; the filter stays at the end of it.

        A one-dimensional series is one observation of one number per time. NaN is missing.
        """
        try:
            values = np.asarray(series, dtype=np.float64)
        except (TypeError, ValueError):
            raise input_error("series", "must hold numbers", type(series).__name__) from None
        m = self.model.n_observed
        if values.ndim == 1 and m == 1:
            values = values[:, None]
        if values.ndim != 2 or values.shape[1] != m or len(values) == 0:
            raise input_error("series", f"must have one row of {m} numbers per time", f"shape {values.shape}")
        steps = [self.step(row) for row in values]
        names = FilterRun.__dataclass_fields__
        return FilterRun(**{name: np.array([getattr(step, name) for step in steps]) for name in names})

    def _as_observation(self, z: ArrayLike) -> FloatArray:
        """Return the observation as floats, NaN where missing."""
        value = np.atleast_1d(np.asarray(z, dtype=np.float64))
        if value.shape != (self.model.n_observed,):
            raise input_error("z", f"must hold {self.model.n_observed} numbers", f"shape {value.shape}")
        if np.isinf(value).any():
            raise input_error("z", "must be finite, or NaN where missing", "an infinite number")
        return value

    def _values(self, function: Any, points: FloatArray, name: str) -> FloatArray:
        rows = self.model.n_state if name == "transition" else self.model.n_observed
        values = evaluate(function, points, rows, name, vectorized=self.model.vectorized)
        if name not in self._tested and points.shape[1] > 1 and callable(function):
            self._tested.add(name)
            alone = evaluate(function, points[:, -1:], rows, name, vectorized=self.model.vectorized)
            if not np.allclose(alone[:, 0], values[:, -1], rtol=1e-9, equal_nan=True):
                raise input_error(
                    name,
                    "must treat every column as a state of its own",
                    "values that depend on the other columns",
                    "reduce along axis 0 only, or pass vectorized=False.",
                )
        return values

    def _jacobian(self, function: Any, derivative: Function | None, name: str) -> FloatArray:
        rows = self.model.n_state if name == "transition" else self.model.n_observed
        return jacobian(function, derivative, self.mean, rows, name, vectorized=self.model.vectorized)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(n_state={self.model.n_state}, n_observed={self.model.n_observed})"


class CovarianceFilter(KalmanFilter):
    """A filter that keeps the covariance itself."""

    _covariance: FloatArray

    @property
    def covariance(self) -> FloatArray:
        """Covariance of the state."""
        return self._covariance

    def _set_covariance(self, covariance: FloatArray) -> None:
        self._covariance = covariance

    def _inflate(self, factor: float) -> None:
        self._covariance = factor * self._covariance + self.model.process_noise
