"""Kalman filters of non-linear systems: state-space model, the loop all filters share, extended filter.

One interface (`predict`, `update`, `step`, `filter`) and one model (`KalmanModel`) for all five filters; the
other four are in `sigma_points`. Only what no maintained library offers in this form.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np

from demur._checks import (
    as_floats,
    check_covariance,
    check_finite,
    check_matrix,
    check_positive_int,
    check_rate,
    check_type,
    input_error,
)
from demur._results import Result
from demur.exceptions import UndefinedError
from demur.typing import ArrayLike, FloatArray

__all__ = [
    "ExtendedKalmanFilter",
    "FilterRun",
    "FilterStep",
    "Function",
    "KalmanFilter",
    "KalmanModel",
    "downdate",
    "gain",
    "lower_factor",
    "triangle",
]

# Eigenvalues this far below zero, relative to the largest, are rounding and not a mistake.
_ROUNDING = 1e-10


def triangle(wide: FloatArray) -> FloatArray:
    """Return lower-triangular T with T T' = M M' and a non-negative diagonal, without forming M M'."""
    rows = wide.shape[0]
    if rows == 1:
        return np.array([[np.linalg.norm(wide)]])
    upper: FloatArray = np.asarray(np.linalg.qr(wide.T, mode="r"))
    if upper.shape[0] < rows:  # fewer columns than rows: the missing ones are zero
        upper = np.vstack([upper, np.zeros((rows - upper.shape[0], rows))])
    sign = np.where(np.diagonal(upper) < 0, -1.0, 1.0)
    return np.ascontiguousarray((upper * sign[:, None]).T)


def lower_factor(matrix: FloatArray) -> FloatArray:
    """Return the lower Cholesky factor, also of a singular covariance.

    A singular matrix (lags without noise, a known state) has no Cholesky pivot to divide by;
    its eigenvectors give a factor that is turned triangular, which leaves nothing to add to
    the diagonal.
    """
    try:
        return np.asarray(np.linalg.cholesky(matrix))
    except np.linalg.LinAlgError:
        values, vectors = np.linalg.eigh(matrix)
    if not values[0] >= -_ROUNDING * values[-1]:
        raise UndefinedError(
            f"A covariance has lost its positive definiteness: an eigenvalue of {values[0]:.3g}. "
            "Hint: use a square-root filter, more noise, or a larger alpha."
        )
    return triangle(vectors * np.sqrt(np.maximum(values, 0.0)))


def downdate(factor: FloatArray, vector: FloatArray) -> FloatArray:
    """Return the lower factor of S S' - v v' (LINPACK dchdd; van der Merwe and Wan 2001).

    Where rounding makes a pivot vanish, the difference is formed and factored instead.
    """
    lower, v = factor.copy(), vector.copy()
    for k in range(len(v)):
        square = lower[k, k] ** 2 - v[k] ** 2
        if not square > 0:
            return lower_factor(factor @ factor.T - np.outer(vector, vector))
        r = np.sqrt(square)
        c, s = r / lower[k, k], v[k] / lower[k, k]
        lower[k, k] = r
        lower[k + 1 :, k] = (lower[k + 1 :, k] - s * v[k + 1 :]) / c
        v[k + 1 :] = c * v[k + 1 :] - s * lower[k + 1 :, k]
    return lower


def gain(cross: FloatArray, factor: FloatArray) -> FloatArray:
    """Return K = Pxz S^-1 from the lower factor of S.

    Directions in which the innovation has no variance carry no information and get gain 0
    (the pseudo-inverse), so that a known state with noise-free observations stays put.
    """
    if len(factor) == 1:
        variance = float(factor[0, 0]) ** 2
        return cross / variance if variance > 0 else np.zeros_like(cross)
    diagonal = np.diagonal(factor)
    if diagonal.min() > 1e-12 * diagonal.max():
        # two solves with the factor: the condition of S itself is the square of its condition
        return np.asarray(np.linalg.solve(factor.T, np.linalg.solve(factor, cross.T)).T)
    return np.asarray(cross @ np.linalg.pinv(factor @ factor.T, rcond=1e-12, hermitian=True))


Function: TypeAlias = Callable[[FloatArray], Any]
"""Function of a state of shape (n_state,), or of many of them in the columns of a matrix."""


@dataclass(frozen=True, kw_only=True, eq=False)
class KalmanModel:
    """State-space model x_k = f(x_(k-1)) + v, z_k = h(x_k) + n with additive noise.

    v has mean 0 and covariance Q, n has mean 0 and covariance R, all independent.

    Parameters
    ----------
    n_state, n_observed : int, optional
        Dimensions of the state x and of an observation z; may be left out where a matrix
        below shows them.
    transition : matrix, callable or None
        f. A matrix is a linear system. A callable gets an array whose FIRST axis is the
        state: shape (n_state,) or, for many states at once, (n_state, points); written with
        ``x[0]``, ``x[1]`` or ``W @ x`` it handles both. None: the state does not change, as
        for weights to be estimated.
    observation : matrix or callable
        h, in the same form.
    process_noise : number or matrix
        Q; a number means that multiple of the identity. May be singular, or 0.
    observation_noise : number or matrix
        R, likewise.
    transition_jacobian, observation_jacobian : callable, optional
        df/dx and dh/dx at one state, for `ExtendedKalmanFilter`; central differences if
        None. Matrices need none.
    forgetting : float in (0, 1]
        The predicted covariance is divided by this before Q is added: exponential
        forgetting of old observations. 1: none.
    vectorized : bool
        False: call the functions with one state at a time.

    Raises
    ------
    InputError
        For ill-fitting shapes, or noise that is not a covariance.

    Notes
    -----
    A linear model in any of the filters is the Kalman filter.

    References
    ----------
    van der Merwe and Wan (2001), ICASSP, doi:10.1109/ICASSP.2001.940586.

    Examples
    --------
    A position that drifts with a constant velocity, of which the position is observed:

    >>> from demur.regression import ExtendedKalmanFilter, KalmanModel
    >>> model = KalmanModel(transition=[[1, 1], [0, 1]], observation=[[1, 0]],
    ...     process_noise=0.01, observation_noise=0.5)
    >>> run = ExtendedKalmanFilter(model, [0, 0], 1.0).filter([1.1, 1.9, 3.2, 3.9])
    >>> run.mean[-1].round(2).tolist()
    [3.89, 0.93]
    """

    # numbers from construction on
    n_state: int = None  # type: ignore[assignment]
    n_observed: int = None  # type: ignore[assignment]
    # arrays from construction on; Any, because they are given as anything like one
    observation: Any
    transition: Any = None
    process_noise: Any = 0.0
    observation_noise: Any
    transition_jacobian: Function | None = None
    observation_jacobian: Function | None = None
    forgetting: float = 1.0
    vectorized: bool = True
    process_factor: FloatArray = field(init=False, repr=False)
    observation_factor: FloatArray = field(init=False, repr=False)

    def __post_init__(self) -> None:
        n = self._size("n_state", (self.transition, 0), (self.observation, 1), (self.process_noise, 0))
        m = self._size("n_observed", (self.observation, 0), (self.observation_noise, 0))
        for name, rows in (("transition", n), ("observation", m)):
            given = getattr(self, name)
            if given is not None and not callable(given):
                object.__setattr__(self, name, check_matrix(given, name, (rows, n)))
        if self.observation is None:
            raise input_error("observation", "must be a matrix or a function", None)
        q = check_covariance(self.process_noise, "process_noise", n)
        r = check_covariance(self.observation_noise, "observation_noise", m)
        object.__setattr__(self, "process_noise", q)
        object.__setattr__(self, "observation_noise", r)
        # zero noise adds no columns to a square root
        object.__setattr__(self, "process_factor", lower_factor(q) if q.any() else np.zeros((n, 0)))
        object.__setattr__(self, "observation_factor", lower_factor(r))
        if check_rate(self.forgetting, "forgetting") == 0:
            raise input_error("forgetting", "must lie in (0, 1]", self.forgetting)

    def _size(self, name: str, *sources: tuple[Any, int]) -> int:
        """Dimension as given, or as the first matrix among the sources has it on that axis."""
        given = getattr(self, name)
        if given is None:
            matrices = [one for one in sources if not callable(one[0]) and np.ndim(one[0]) == 2]
            sizes = [np.shape(value)[axis] for value, axis in matrices]
            if not sizes:
                raise input_error(name, "is needed where no matrix shows it", None)
            given = sizes[0]
        object.__setattr__(self, name, check_positive_int(given, name))
        return int(given)


# ---------------------------------------------------------------- the loop all filters share


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
        self.covariance: FloatArray = check_covariance(covariance, "covariance", model.n_state)

    # ---------------------------------------------------------------- what each filter defines

    @abstractmethod
    def _transform(self) -> None:
        """Carry mean and covariance through the transition."""

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

    def _inflate(self, factor: float) -> None:
        """Add the process noise to an unchanged state, its covariance multiplied by `factor`."""
        self.covariance = factor * self.covariance + self.model.process_noise

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
        value = np.atleast_1d(np.asarray(z, dtype=np.float64))
        if value.shape != (self.model.n_observed,):
            raise input_error("z", f"must hold {self.model.n_observed} numbers", f"shape {value.shape}")
        if np.isinf(value).any():
            raise input_error("z", "must be finite, or NaN where missing", "an infinite number")
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
        values = as_floats(series, "series")
        m = self.model.n_observed
        if values.ndim == 1 and m == 1:
            values = values[:, None]
        if values.ndim != 2 or values.shape[1] != m or len(values) == 0:
            raise input_error("series", f"must have one row of {m} numbers per time", f"shape {values.shape}")
        steps = [self.step(row) for row in values]
        names = FilterRun.__dataclass_fields__
        return FilterRun(**{name: np.array([getattr(step, name) for step in steps]) for name in names})

    def _values(self, function: Any, points: FloatArray, name: str) -> FloatArray:
        """Values at all columns of `points`; the first time it is tested whether one depends on others."""
        if not callable(function):
            return np.asarray(function @ points)
        rows, count = self._rows(name), points.shape[1]
        if self.model.vectorized:
            values = np.asarray(function(points), dtype=np.float64)
        else:
            values = np.array([np.ravel(function(column)) for column in points.T], dtype=np.float64).T
        if rows == 1 and values.shape == (count,):
            values = values[None, :]
        if values.shape != (rows, count):
            raise input_error(
                name,
                f"must map states of shape {points.shape} to values of shape {(rows, count)}",
                f"shape {values.shape}",
                "the first axis is the state; pass vectorized=False if it takes one state at a time.",
            )
        if not np.isfinite(values).all():
            raise input_error(
                name, "must give finite values", "NaN or an infinite number", "the state diverged."
            )
        if name not in self._tested and count > 1:
            self._tested.add(name)
            alone = self._values(function, points[:, -1:], name)
            if not np.allclose(alone[:, 0], values[:, -1], rtol=1e-9):
                raise input_error(
                    name,
                    "must treat every column as a state of its own",
                    "values that depend on the other columns",
                    "reduce along axis 0 only, or pass vectorized=False.",
                )
        return values

    def _rows(self, name: str) -> int:
        return self.model.n_state if name == "transition" else self.model.n_observed

    def _jacobian(self, function: Any, derivative: Function | None, name: str) -> FloatArray:
        """Matrix of partial derivatives: given, of a matrix itself, or by central differences."""
        if not callable(function):
            return np.asarray(function)
        x, shape = self.mean, (self._rows(name), len(self.mean))
        if derivative is not None:
            matrix = np.atleast_2d(np.asarray(derivative(x), dtype=np.float64))
            if matrix.shape != shape:
                raise input_error(f"{name}_jacobian", f"must have shape {shape}", matrix.shape)
            return matrix
        # the cube root of the precision balances the errors of truncation and of rounding
        step = np.cbrt(np.finfo(np.float64).eps) * np.maximum(1.0, np.abs(x))
        values = self._values(function, x[:, None] + np.hstack([np.diag(step), -np.diag(step)]), name)
        return np.asarray((values[:, : len(x)] - values[:, len(x) :]) / (2 * step))

    def __repr__(self) -> str:
        return f"{type(self).__name__}(n_state={self.model.n_state}, n_observed={self.model.n_observed})"


# ---------------------------------------------------------------- the extended filter


class ExtendedKalmanFilter(KalmanFilter):
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
        spread = slope @ self.covariance @ slope.T / model.forgetting + model.process_noise
        self.covariance = (spread + spread.T) / 2

    def _observe(
        self, function: Any, derivative: Function | None
    ) -> tuple[FloatArray, FloatArray, tuple[FloatArray, FloatArray]]:
        slope = self._jacobian(function, derivative, "observation")
        forecast = self._values(function, self.mean[:, None], "observation")[:, 0]
        spread = slope @ self.covariance @ slope.T + self.model.observation_noise
        return forecast, (spread + spread.T) / 2, (slope, spread)

    def _correct(self, innovation: FloatArray, observed: Any, terms: tuple[FloatArray, FloatArray]) -> None:
        slope, spread = terms[0][observed], terms[1][observed][:, observed]
        noise = self.model.observation_noise[observed][:, observed]
        weight = gain(self.covariance @ slope.T, lower_factor((spread + spread.T) / 2))
        self.mean = self.mean + weight @ innovation
        kept = np.eye(len(self.mean)) - weight @ slope
        spread = kept @ self.covariance @ kept.T + weight @ noise @ weight.T
        self.covariance = (spread + spread.T) / 2
