"""Stacking of forecasters, and rescaled differences for them, without a look into the future."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from demur._checks import (
    check_choice,
    check_finite,
    check_positive_int,
    check_rate,
    check_series,
    input_error,
)
from demur._progress import Progress
from demur._results import Result
from demur.estimators.kalman_forecaster import SeriesEstimator
from demur.estimators.model_tree import ModelTreeRegressor
from demur.exceptions import UndefinedError
from demur.regression.rec import RecCurve, null_rec_curve, rec_curve
from demur.typing import ArrayLike, FloatArray

__all__ = ["DifferenceRescaler", "StackedForecast", "stack_forecasters"]

_METAS = ("model-tree", "linear", "mean", "median", "selection")


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
