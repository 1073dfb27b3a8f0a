"""Forecasters of a series, their stacking and rescaled differences, without a look into the future.

The values of a `KalmanForecaster` follow an autoregression m(lags; weights): a linear function, or a network
with one hidden layer of tanh units and a linear output (Wan and van der Merwe 2000). Everything is vectorised
over many weight or lag vectors at once, because a sigma-point filter asks for all its points together.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.utils.validation import check_is_fitted

from demur._checks import (
    check_choice,
    check_finite,
    check_positive,
    check_positive_int,
    check_rate,
    check_rng,
    check_series,
    input_error,
)
from demur._progress import Progress
from demur._results import Result
from demur.estimators.trees import ModelTreeRegressor
from demur.exceptions import UndefinedError
from demur.regression.kalman import ExtendedKalmanFilter, KalmanFilter, KalmanModel
from demur.regression.rec import RecCurve, null_rec_curve, rec_curve
from demur.regression.sigma_points import (
    CentralDifferenceKalmanFilter,
    SquareRootCentralDifferenceKalmanFilter,
    SquareRootUnscentedKalmanFilter,
    UnscentedKalmanFilter,
)
from demur.typing import ArrayLike, FloatArray

__all__ = [
    "Autoregression",
    "DifferenceRescaler",
    "KalmanForecaster",
    "SeriesEstimator",
    "SeriesForecast",
    "StackedForecast",
    "lag_rows",
    "stack_forecasters",
]


_METAS = ("model-tree", "linear", "mean", "median", "selection")


class SeriesEstimator(BaseEstimator):  # type: ignore[misc]
    """Estimator that learns from one series in place of a table."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.one_d_array, tags.input_tags.two_d_array = True, False
        tags.input_tags.allow_nan = True
        return tags


class Autoregression:
    """y_k = m(y_(k-1), ..., y_(k-p); w); `hidden` = 0 is linear, with an intercept."""

    def __init__(self, n_lags: int, hidden: int) -> None:
        self.n_lags, self.hidden = n_lags, hidden
        self.n_weights = hidden * (n_lags + 2) + 1 if hidden else n_lags + 1

    def __call__(self, lags: FloatArray, weights: FloatArray) -> FloatArray:
        """Value for one or many lag vectors (last value first) and one or many weight vectors.

        Their own axis comes first; a second axis, on either or both, holds the many.
        """
        extended = np.concatenate([lags, np.ones_like(lags[:1])])
        if not self.hidden:
            return np.asarray(np.einsum("p...,p...->...", extended, weights))
        layer, outer = self._parts(weights)
        hidden = np.tanh(np.einsum("p...,pq...->q...", extended, layer))
        return np.asarray(np.einsum("q...,q...->...", outer, hidden) + weights[-1])

    def gradient(self, lags: FloatArray, weights: FloatArray) -> FloatArray:
        """Derivatives by the weights, for one lag vector and one weight vector."""
        extended = np.append(lags, 1.0)
        if not self.hidden:
            return extended
        layer, outer = self._parts(weights)
        hidden = np.tanh(extended @ layer)
        return np.concatenate([np.outer(extended, outer * (1 - hidden**2)).ravel(), hidden, [1.0]])

    def _parts(self, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Weights into the hidden layer, axes (lag or bias, unit, ...), and out of it."""
        size = (self.n_lags + 1) * self.hidden
        layer = weights[:size].reshape(self.n_lags + 1, self.hidden, *weights.shape[1:])
        return layer, weights[size:-1]


def lag_rows(series: FloatArray, n_lags: int) -> tuple[FloatArray, FloatArray]:
    """Rows (y_(k-1), ..., y_(k-p)) and targets y_k for k = p, p + 1, ..., where all are observed."""
    windows = np.lib.stride_tricks.sliding_window_view(series, n_lags + 1)
    complete = windows[~np.isnan(windows).any(axis=1)]
    return complete[:, -2::-1], complete[:, -1]


_UNSCENTED = ("alpha", "beta", "kappa")
# name -> filter, and its parameters here
_FILTERS: dict[str, tuple[Callable[..., KalmanFilter], tuple[str, ...]]] = {
    "ekf": (ExtendedKalmanFilter, ()),
    "ukf": (UnscentedKalmanFilter, _UNSCENTED),
    "cdkf": (CentralDifferenceKalmanFilter, ("spread",)),
    "sr-ukf": (SquareRootUnscentedKalmanFilter, _UNSCENTED),
    "sr-cdkf": (SquareRootCentralDifferenceKalmanFilter, ("spread",)),
}
_REINFLATED = 0.09  # share of the initial covariance with which every epoch but the first starts
_ADAPTATION = 0.01


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class SeriesForecast(Result):
    """One-step forecasts of a series, each made before its value was seen.

    Attributes
    ----------
    forecast : array
        Element k is the forecast of value k.
    variance : array
        Its variance under the model; minus it is a confidence for `rec_coverage_curve`.
    """

    forecast: FloatArray
    variance: FloatArray


def _next_state(function: Autoregression, weights: FloatArray | None, x: FloatArray) -> FloatArray:
    """Move a state on that holds the last values and, where no weights are given, the weights."""
    lags, rest = x[: function.n_lags], x[function.n_lags :]
    next_value = function(lags, rest if weights is None else weights)
    return np.concatenate([np.reshape(next_value, (1, *x.shape[1:])), lags[:-1], rest])


class KalmanForecaster(SeriesEstimator):
    """Forecasts a series one step ahead with a Kalman filter; never sees the value it forecasts.

    The model is y_k = m(y_(k-1), ..., y_(k-p); w) with m linear or a small network. Which
    filter is best depends on the series, on `initial_variance` and on `alpha`; choose them on
    the training part. (With 33 weights and alpha = 1 the points of the unscented filter lie
    sqrt(33) standard deviations away: a smaller alpha often forecasts better.)

    Parameters
    ----------
    filter : {"sr-ukf", "sr-cdkf", "ukf", "cdkf", "ekf"}
        The filter.
    mode : {"weights", "lags", "joint"}
        "weights": the state is w and every value teaches it. "lags": the state is the last
        `n_lags` values, w is fitted beforehand and stays. "joint": both.
    n_lags : int
        Number p of past values used.
    hidden : int
        Units of the hidden layer; 0: linear, with which mode "weights" is recursive least
        squares whatever the filter.
    epochs : int
        Passes over the training part to learn w by filtering.
    forgetting : float in (0, 1]
        How slowly old values are forgotten.
    observation_noise : float > 0
        Variance of an observation about m, in units of the series squared.
    adaptive_noise : bool
        Let the observation noise follow the squared errors (weights mode).
    process_noise : float, optional
        Variance of a step of the series in modes "lags" and "joint"; None: that of the
        residuals on the training part.
    initial_variance, initial_spread : float
        Variance of w before learning, and standard deviation of its random start (networks
        only; a linear function starts at 0).
    alpha, beta, kappa, spread
        Of the sigma points, see `UnscentedKalmanFilter`, `CentralDifferenceKalmanFilter`.
    random_state : seed
        For the random start.

    Attributes
    ----------
    filter_ : KalmanFilter
        The filter, at the end of what it has seen.

    Notes
    -----
    A missing value (NaN) teaches nothing; in the lags its own forecast takes its place. The
    first `n_lags` values must be observed. A constant series is forecast as constant.

    References
    ----------
    Wan and van der Merwe (2000), AS-SPCC, doi:10.1109/ASSPCC.2000.882463.

    Examples
    --------
    >>> import numpy as np
    >>> from demur import KalmanForecaster
    >>> y = np.sin(np.arange(120) / 3)
    >>> model = KalmanForecaster(filter="ekf", n_lags=2, hidden=0).fit(y[:100])
    >>> bool(np.abs(model.update_forecast(y[100:]).forecast - y[100:]).max() < 0.01)
    True
    """

    _history: list[float]

    def __init__(
        self,
        *,
        filter: str = "sr-ukf",
        mode: str = "weights",
        n_lags: int = 6,
        hidden: int = 4,
        epochs: int = 5,
        forgetting: float = 0.9995,
        observation_noise: float = 1e-3,
        adaptive_noise: bool = False,
        process_noise: float | None = None,
        initial_variance: float = 1.0,
        initial_spread: float = 0.3,
        alpha: float = 1.0,
        beta: float = 2.0,
        kappa: float = 0.0,
        spread: float = math.sqrt(3),
        random_state: Any = 0,
    ) -> None:
        self.filter = filter
        self.mode = mode
        self.n_lags = n_lags
        self.hidden = hidden
        self.epochs = epochs
        self.forgetting = forgetting
        self.observation_noise = observation_noise
        self.adaptive_noise = adaptive_noise
        self.process_noise = process_noise
        self.initial_variance = initial_variance
        self.initial_spread = initial_spread
        self.alpha = alpha
        self.beta = beta
        self.kappa = kappa
        self.spread = spread
        self.random_state = random_state

    # ---------------------------------------------------------------- public

    def fit(self, series: ArrayLike, y: Any = None) -> Self:
        """Learn from the training part; the next value to forecast is the one after it."""
        values = self._checked(series)
        self._function = Autoregression(self.n_lags, self.hidden)
        if self.mode == "weights":
            self._learn_weights(values)
        else:
            self._start_lag_state(values)
        return self

    def forecast(self, steps: int = 1) -> FloatArray:
        """Return forecasts of the next `steps` values, each based on those before; changes nothing."""
        check_is_fitted(self)
        simulated = copy.deepcopy(self)
        return np.array([simulated._advance(math.nan)[0] for _ in range(check_positive_int(steps, "steps"))])

    def update_forecast(self, series: ArrayLike) -> SeriesForecast:
        """Forecast each value of a series that continues the training part, then learn from it."""
        check_is_fitted(self)
        pairs = np.array([self._advance(value) for value in check_series(series)])
        return SeriesForecast(forecast=pairs[:, 0].copy(), variance=pairs[:, 1].copy())

    # ---------------------------------------------------------------- the steps

    def _advance(self, value: float) -> tuple[float, float]:
        """Forecast one value with its variance, then learn from it."""
        if self.mode == "weights":
            return self._advance_weights(value)
        self.filter_.predict()
        forecast, spread = self.filter_.update([value])
        return float(forecast[0]), float(spread[0, 0])

    def _advance_weights(self, value: float) -> tuple[float, float]:
        lags = np.array(self._history[::-1])
        self.filter_.predict()
        means, spread = self.filter_.update(
            [value],
            observation=partial(self._function, lags),
            jacobian=partial(self._function.gradient, lags),
        )
        forecast = float(means[0])
        missing = math.isnan(value)
        self._history = [*self._history[1:], forecast if missing else value]
        if self.adaptive_noise and not missing:
            model, square = self.filter_.model, (value - forecast) ** 2
            noise = (1 - _ADAPTATION) * float(model.observation_noise[0, 0]) + _ADAPTATION * square
            self.filter_.model = replace(model, observation_noise=noise)
        return forecast, float(spread[0, 0])

    def _learn_weights(self, values: FloatArray) -> None:
        function, p = self._function, self.n_lags
        weights = np.zeros(function.n_weights)
        if self.hidden:
            weights = check_rng(self.random_state).normal(scale=self.initial_spread, size=len(weights))
        variance = self.initial_variance
        model = KalmanModel(
            n_state=function.n_weights,
            n_observed=1,
            # replaced at every step by the function of the lags of that step
            observation=partial(function, np.zeros(p)),
            observation_noise=self.observation_noise,
            forgetting=self.forgetting,
        )
        for _ in range(self.epochs):
            self.filter_ = self._new_filter(model, weights, variance)
            self._history = values[:p].tolist()
            for value in values[p:]:
                self._advance_weights(value)
            weights, model = self.filter_.mean, self.filter_.model
            variance = _REINFLATED * self.initial_variance

    def _start_lag_state(self, values: FloatArray) -> None:
        function, p = self._function, self.n_lags
        rows, targets = lag_rows(values, p)
        joint = self.mode == "joint"
        spread = np.zeros((function.n_weights, function.n_weights))
        if self.hidden or joint:
            self._learn_weights(values)
            weights, spread = self.filter_.mean, self.filter_.covariance
        else:
            design = np.column_stack([rows, np.ones(len(rows))])
            weights = np.asarray(np.linalg.lstsq(design, targets, rcond=None)[0])
        noise = self.process_noise
        if noise is None:
            noise = float(np.mean((function(rows.T, weights) - targets) ** 2))
        drift = (1 / self.forgetting - 1) * np.diagonal(spread) if joint else np.zeros(0)
        size = p + len(drift)
        covariance = np.zeros((size, size))
        covariance[:p, :p] = self.observation_noise * np.eye(p)
        covariance[p:, p:] = spread if joint else 0.0
        model = KalmanModel(
            n_state=size,
            n_observed=1,
            transition=partial(_next_state, function, None if joint else weights),
            observation=np.eye(1, size),
            process_noise=np.diag(np.concatenate([[noise], np.zeros(p - 1), drift])),
            observation_noise=self.observation_noise,
        )
        start = np.concatenate([values[p - 1 :: -1], weights if joint else []])
        self.filter_ = self._new_filter(model, start, covariance)
        for value in values[p:]:
            self._advance(value)

    def _new_filter(self, model: KalmanModel, mean: FloatArray, covariance: Any) -> KalmanFilter:
        kind, options = _FILTERS[self.filter]
        return kind(model, mean, covariance, **{name: getattr(self, name) for name in options})

    def _checked(self, series: ArrayLike) -> FloatArray:
        check_choice(self.filter, "filter", tuple(_FILTERS))
        check_choice(self.mode, "mode", ("weights", "lags", "joint"))
        p = check_positive_int(self.n_lags, "n_lags")
        check_positive_int(self.hidden, "hidden", minimum=0)
        check_positive_int(self.epochs, "epochs")
        for name in ("observation_noise", "initial_variance"):
            check_positive(getattr(self, name), name)
        values = check_series(series)
        if len(values) < p + 2:
            raise input_error("series", f"must hold at least n_lags + 2 = {p + 2} values", len(values))
        if np.isnan(values[:p]).any():
            raise input_error(
                "series",
                f"must be observed at the first n_lags = {p} times",
                "a missing value",
                "start later, or use fewer lags.",
            )
        if len(lag_rows(values, p)[0]) == 0:
            raise input_error(
                "series", f"must hold {p + 1} observed values in a row", "none", "use fewer lags."
            )
        return values


class DifferenceRescaler(SeriesEstimator):
    """First differences of a series, rescaled linearly so that the training ones fill [low, high].

    The range comes from the series given to `fit`, the training part; later values may leave
    the interval. Taking it from the whole series would tell the forecaster the future.

    Parameters
    ----------
    low, high : float
        Images of the smallest and largest training difference.

    Attributes
    ----------
    lowest_, highest_ : float
        The smallest and largest training difference.

    Raises
    ------
    UndefinedError
        In `fit`, if all differences are equal: a constant series, or a straight line.

    Notes
    -----
    z_k = low + (high - low) (d_k - lowest) / (highest - lowest), d_k = y_k - y_(k-1).
    Missing values (NaN) are left out of the range; their differences are missing too.

    Examples
    --------
    >>> from demur.estimators import DifferenceRescaler
    >>> rescaler = DifferenceRescaler().fit([1.0, 2.0, 4.0])
    >>> rescaler.transform([4.0, 4.5, 7.0]).round(2).tolist()
    [-0.3, 1.3]
    >>> rescaler.inverse_transform([-0.3, 1.3], previous=[4.0, 4.5]).round(6).tolist()
    [4.5, 7.0]
    """

    def __init__(self, *, low: float = 0.1, high: float = 0.9) -> None:
        self.low = low
        self.high = high

    def fit(self, series: ArrayLike, y: Any = None) -> Self:
        """Learn the range of the differences of the training part."""
        if not self.low < self.high:
            raise input_error("high", f"must exceed low = {self.low}", self.high)
        differences = np.diff(check_series(series))
        observed = differences[~np.isnan(differences)]
        if len(observed) == 0 or observed.min() == observed.max():
            raise UndefinedError(
                "`series` must have at least two different first differences, got "
                f"{'none' if len(observed) == 0 else 'a straight line'}. Hint: forecast it as it is."
            )
        self.lowest_, self.highest_ = float(observed.min()), float(observed.max())
        return self

    def transform(self, series: ArrayLike) -> FloatArray:
        """Return the rescaled differences: element k belongs to ``series[k + 1]``."""
        check_is_fitted(self)
        return self.low + (np.diff(check_series(series)) - self.lowest_) * self._slope

    def inverse_transform(self, rescaled: ArrayLike, *, previous: ArrayLike) -> FloatArray:
        """Return the values that follow `previous` if their rescaled differences are `rescaled`."""
        check_is_fitted(self)
        before = check_finite(previous, "previous")
        change = (check_finite(rescaled, "rescaled") - self.low) / self._slope + self.lowest_
        return np.asarray(before + change)

    @property
    def _slope(self) -> float:
        return (self.high - self.low) / (self.highest_ - self.lowest_)


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class StackedForecast(Result):
    """Forecasts of the test part by the stack and by its bases; made by `stack_forecasters`.

    Attributes
    ----------
    target : array
        Observed values of the test part, on the scale the forecasters saw.
    forecast : array
        Element k is the forecast of ``target[k]`` by the stack.
    base_forecasts : dict
        The same by each base.
    train_mean : float
        Mean of the training part, the forecast of the null model.
    weights : dict
        Share of each base in the stack, for the metas "linear" (slopes), "mean" and
        "selection"; empty for the others.
    rescaler : DifferenceRescaler or None
        To go back to the scale of the series.
    """

    target: FloatArray
    forecast: FloatArray
    base_forecasts: dict[str, FloatArray]
    train_mean: float
    weights: dict[str, float]
    rescaler: DifferenceRescaler | None
    _evidence = ("rescaler",)

    def curves(self, *, loss: str = "squared", name: str = "stack") -> dict[str, RecCurve]:
        """Return the REC curves of the stack (first, under `name`) and of the bases."""
        forecasts = {name: self.forecast, **self.base_forecasts}
        return {key: rec_curve(self.target, values, loss=loss) for key, values in forecasts.items()}

    def null_curve(self, *, loss: str = "squared") -> RecCurve:
        """Return the REC curve of forecasting the mean of the training part."""
        return null_rec_curve(self.target, constant=self.train_mean, loss=loss)


def stack_forecasters(
    series: ArrayLike,
    bases: Mapping[str, Any],
    *,
    meta: Any = "model-tree",
    train_share: float = 0.5,
    meta_share: float = 0.2,
    rescale: bool = True,
    n_picks: int = 20,
) -> StackedForecast:
    """Combine forecasters by a regression on their forecasts, leak-free in time.

    The bases learn from the first part of the series. In the second they forecast every
    value before they see it; those forecasts teach the meta-regressor. The third part is the
    test, forecast in the same way, and nothing in it or of it is used before its time.

    Parameters
    ----------
    series : array
        In the order of time. NaN is missing; such times teach nothing and are not tested.
    bases : mapping
        Name -> forecaster with ``fit(series)`` and ``update_forecast(series)``, such as
        `KalmanForecaster`. They are cloned.
    meta : str or scikit-learn regressor
        "model-tree", "linear", "mean", "median", or "selection": forward selection with
        replacement (Caruana et al. 2004), for many bases.
    train_share, meta_share : float
        Shares of the series in the first and second part; the rest is the test.
    rescale : bool
        Forecast first differences rescaled to [0.1, 0.9] with the range of the first part
        (`DifferenceRescaler`), as in the paper. False: the series as it is.
    n_picks : int
        Picks of the forward selection.

    Returns
    -------
    StackedForecast
        With `forecast`, `target`, `base_forecasts`, `curves()` and `null_curve()`.

    Raises
    ------
    InputError
        For no bases, an unknown meta, or parts too short.

    References
    ----------
    Wolpert (1992), Neural Networks 5, doi:10.1016/S0893-6080(05)80023-1.
    Caruana et al. (2004), ICML, doi:10.1145/1015330.1015432.

    Examples
    --------
    >>> from demur import KalmanForecaster
    >>> from demur.datasets import mackey_glass
    >>> from demur.estimators import stack_forecasters
    >>> bases = {name: KalmanForecaster(filter=name, hidden=0) for name in ("ekf", "sr-cdkf")}
    >>> stacked = stack_forecasters(mackey_glass(200), bases, meta="mean")
    >>> curve = stacked.curves()["stack"]
    >>> curve.relative_aoc(stacked.null_curve()) < 0.5
    True
    """
    if not isinstance(bases, Mapping) or not bases:
        raise input_error("bases", "must be a non-empty mapping {name: forecaster}", repr(bases))
    for name, base in bases.items():
        if not (hasattr(base, "fit") and hasattr(base, "update_forecast")):
            raise input_error(f"bases[{name!r}]", "must have fit and update_forecast", type(base).__name__)
    if isinstance(meta, str):
        check_choice(meta, "meta", _METAS)
    elif not (hasattr(meta, "fit") and hasattr(meta, "predict")):
        raise input_error("meta", "must be a name or a regressor with fit and predict", type(meta).__name__)
    check_positive_int(n_picks, "n_picks")
    values = check_series(series)
    n = len(values)
    n_train = round(n * check_rate(train_share, "train_share"))
    n_meta = round(n * check_rate(meta_share, "meta_share"))
    if n_train < 2 or n_meta < 2 or n - n_train - n_meta < 1:
        raise input_error(
            "train_share and meta_share",
            f"must leave values for all three parts of the {n}",
            (n_train, n_meta, n - n_train - n_meta),
        )
    rescaler = None
    if rescale:
        rescaler = DifferenceRescaler().fit(values[:n_train])
        values = rescaler.transform(values)
        n_train -= 1
    train, later = values[:n_train], values[n_train:]
    columns = []
    with Progress(len(bases), "forecasting by", "models") as progress:
        for base in bases.values():
            columns.append(clone(base).fit(train).update_forecast(later).forecast)
            progress.advance()
    forecasts = np.column_stack(columns)
    observed = ~np.isnan(later)
    if not observed[:n_meta].any() or not observed[n_meta:].any():
        raise UndefinedError("`series` must have observed values in each part, got one that is all missing.")
    learning = observed & (np.arange(len(later)) < n_meta)
    testing = observed & ~learning
    predicted, shares = _combine(meta, forecasts[learning], later[learning], forecasts[testing], n_picks)
    return StackedForecast(
        target=later[testing],
        forecast=predicted,
        base_forecasts={name: forecasts[testing, j] for j, name in enumerate(bases)},
        train_mean=float(np.nanmean(train)),
        weights=dict(zip(bases, shares, strict=True)) if shares else {},
        rescaler=rescaler,
    )


def _combine(
    meta: Any, learning: FloatArray, target: FloatArray, testing: FloatArray, n_picks: int
) -> tuple[FloatArray, list[float]]:
    """Forecasts of the stack and the share of each base, where there is one."""
    if not isinstance(meta, str) or meta == "model-tree":
        regressor = ModelTreeRegressor() if isinstance(meta, str) else clone(meta)
        return np.asarray(regressor.fit(learning, target).predict(testing)), []
    if meta == "median":
        return np.median(testing, axis=1), []
    if meta == "linear":
        from sklearn.linear_model import LinearRegression

        model = LinearRegression().fit(learning, target)
        return np.asarray(model.predict(testing)), model.coef_.tolist()
    if meta == "mean":
        shares = np.full(learning.shape[1], 1 / learning.shape[1])
    else:
        # pick, one at a time and with replacement, the base that helps most
        picks, total = np.zeros(learning.shape[1]), np.zeros(len(target))
        for count in range(1, n_picks + 1):
            errors = ((total[:, None] + learning) / count - target[:, None]) ** 2
            chosen = int(np.argmin(errors.mean(axis=0)))
            picks[chosen] += 1
            total += learning[:, chosen]
        shares = picks / n_picks
    return testing @ shares, shares.tolist()
