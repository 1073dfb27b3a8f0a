"""`KalmanModel`: the state-space model all filters share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np

from demur._checks import check_covariance, check_matrix, check_positive_int, check_rate, input_error
from demur.regression.filters.factors import lower_factor
from demur.typing import FloatArray

__all__ = ["Function", "KalmanModel", "evaluate", "jacobian"]

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
        self._keep("transition", _matrix_or_function(self.transition, "transition", (n, n)))
        self._keep("observation", _matrix_or_function(self.observation, "observation", (m, n)))
        if self.observation is None:
            raise input_error("observation", "must be a matrix or a function", None)
        q = check_covariance(self.process_noise, "process_noise", n)
        r = check_covariance(self.observation_noise, "observation_noise", m)
        self._keep("process_noise", q)
        self._keep("observation_noise", r)
        # zero noise adds no columns to a square root
        self._keep("process_factor", lower_factor(q) if q.any() else np.zeros((n, 0)))
        self._keep("observation_factor", lower_factor(r))
        if check_rate(self.forgetting, "forgetting") == 0:
            raise input_error("forgetting", "must lie in (0, 1]", self.forgetting)

    def _size(self, name: str, *sources: tuple[Any, int]) -> int:
        """Dimension as given, or as the first matrix among the sources has it on that axis."""
        given = getattr(self, name)
        if given is None:
            shapes = [(np.shape(value), axis) for value, axis in sources if not callable(value)]
            sizes = [shape[axis] for shape, axis in shapes if len(shape) == 2]
            if not sizes:
                raise input_error(name, "is needed where no matrix shows it", None)
            given = sizes[0]
        self._keep(name, check_positive_int(given, name))
        return int(given)

    def _keep(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)


def _matrix_or_function(value: Any, name: str, shape: tuple[int, int]) -> Any:
    return value if value is None or callable(value) else check_matrix(value, name, shape)


def evaluate(function: Any, points: FloatArray, rows: int, name: str, *, vectorized: bool) -> FloatArray:
    """Values at all columns of `points`, one column each."""
    if not callable(function):
        return np.asarray(function @ points)
    count = points.shape[1]
    if vectorized:
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
        raise input_error(name, "must give finite values", "NaN or an infinite number", "the state diverged.")
    return values


def jacobian(
    function: Any, derivative: Function | None, x: FloatArray, rows: int, name: str, *, vectorized: bool
) -> FloatArray:
    """Matrix of partial derivatives: given, of a matrix itself, or by central differences."""
    if not callable(function):
        return np.asarray(function)
    if derivative is not None:
        matrix = np.atleast_2d(np.asarray(derivative(x), dtype=np.float64))
        if matrix.shape != (rows, len(x)):
            raise input_error(f"{name}_jacobian", f"must have shape {(rows, len(x))}", matrix.shape)
        return matrix
    # the cube root of the precision balances the errors of truncation and of rounding
    step = np.cbrt(np.finfo(np.float64).eps) * np.maximum(1.0, np.abs(x))
    moved = x[:, None] + np.hstack([np.diag(step), -np.diag(step)])
    values = evaluate(function, moved, rows, name, vectorized=vectorized)
    return np.asarray((values[:, : len(x)] - values[:, len(x) :]) / (2 * step))
