"""Mackey-Glass as joint estimation: the filters see it under noise and estimate state and weights.

The paper does not say what it ran on Mackey-Glass. This is a demonstration of van der Merwe and Wan's
toolkit: delay 30, every sixth unit, unit variance, noise of 3 dB, a network of six lags and four hidden units
whose weights are estimated together with the state, and the error of the state.
"""

from collections.abc import Mapping
from functools import cache

import numpy as np

from demur.datasets.series import mackey_glass
from demur.estimators.stacking import Autoregression
from demur.regression.kalman import ExtendedKalmanFilter, KalmanFilter, KalmanModel
from demur.regression.sigma_points import (
    SquareRootCentralDifferenceKalmanFilter,
    SquareRootUnscentedKalmanFilter,
)
from demur.typing import FloatArray

__all__ = ["FILTERS", "clean_series", "estimates", "stacked_error"]

FILTERS: Mapping[str, type[KalmanFilter]] = {
    "ekf": ExtendedKalmanFilter,
    "sr-cdkf": SquareRootCentralDifferenceKalmanFilter,
    "sr-ukf": SquareRootUnscentedKalmanFilter,
}
_POINTS, _PASSES = 300, 10
_FUNCTION = Autoregression(6, 4)
_LAGS, _SIZE = _FUNCTION.n_lags, _FUNCTION.n_lags + _FUNCTION.n_weights
_NOISE = 10.0**-0.3  # 3 dB below the variance of the series, which is 1
# what such a network leaves of the clean series if it is fitted to it (.0007 to .0013 with five starts)
_STATE_NOISE = 1e-3
_WEIGHT_NOISE, _ANNEALED, _FLOOR = 1e-4, 0.995, 1e-7
_WEIGHT_VARIANCE = 0.1  # before the first pass; the state has 1 before every pass
_FIRST_WEIGHTS = 0.3  # their standard deviation, as in `KalmanForecaster`
_STEPS = 1 + int(np.ceil(np.log(_FLOOR / _WEIGHT_NOISE) / np.log(_ANNEALED)))


@cache
def clean_series() -> FloatArray:
    """300 points of mean 0 and variance 1."""
    series = mackey_glass(_POINTS, tau=30, sample=6)
    return np.asarray((series - series.mean()) / series.std())


def _moved(x: FloatArray) -> FloatArray:
    """Next state of lags and weights, for one or for many in the columns."""
    lags, weights = x[:_LAGS], x[_LAGS:]
    return np.concatenate([np.reshape(_FUNCTION(lags, weights), (1, *x.shape[1:])), lags[:-1], weights])


@cache
def _model(step: int) -> KalmanModel:
    """The model at a step: the noise of the weights is annealed down to its floor."""
    noise = max(_WEIGHT_NOISE * _ANNEALED**step, _FLOOR)
    drift = [_STATE_NOISE, *[0.0] * (_LAGS - 1), *[noise] * _FUNCTION.n_weights]
    return KalmanModel(
        n_state=_SIZE,
        n_observed=1,
        transition=_moved,
        observation=np.eye(1, _SIZE),
        process_noise=np.diag(drift),
        observation_noise=_NOISE,
    )


def estimates(seed: int) -> dict[str, FloatArray]:
    """Filter -> estimates of the state in the last pass; noise and first weights are drawn from `seed`."""
    rng = np.random.default_rng(seed)
    noisy = clean_series() + rng.normal(scale=np.sqrt(_NOISE), size=_POINTS)
    weights = rng.normal(scale=_FIRST_WEIGHTS, size=_FUNCTION.n_weights)
    return {name: _filtered(kind, noisy, weights) for name, kind in FILTERS.items()}


def _filtered(kind: type[KalmanFilter], noisy: FloatArray, weights: FloatArray) -> FloatArray:
    spread = _WEIGHT_VARIANCE * np.eye(len(weights))
    found, step = np.empty(len(noisy)), 0
    for _ in range(_PASSES):
        covariance = np.eye(_SIZE)
        covariance[_LAGS:, _LAGS:] = spread
        kalman = kind(_model(0), np.concatenate([np.zeros(_LAGS), weights]), covariance)
        for k, value in enumerate(noisy):
            kalman.model = _model(min(step, _STEPS))
            kalman.predict()
            kalman.update([value])
            found[k], step = kalman.mean[0], step + 1
        weights, spread = kalman.mean[_LAGS:], kalman.covariance[_LAGS:, _LAGS:]
    return found


def stacked_error(found: Mapping[str, FloatArray], filters: tuple[str, ...]) -> float:
    """Mean squared error of a model tree on the estimates, in ten-fold cross-validation as in WEKA."""
    from sklearn.model_selection import KFold

    from demur.estimators.trees import ModelTreeRegressor

    clean, columns = clean_series(), np.column_stack([found[name] for name in filters])
    stacked = np.empty(_POINTS)
    for taught, tested in KFold(10, shuffle=True, random_state=1).split(columns):
        stacked[tested] = ModelTreeRegressor().fit(columns[taught], clean[taught]).predict(columns[tested])
    return float(np.mean((stacked - clean) ** 2))
