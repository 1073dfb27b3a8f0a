"""`NaiveBayesRegressor`: naive Bayes for a numeric target, with kernel densities."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from demur._checks import check_choice, check_positive_int, input_error
from demur.typing import FloatArray

__all__ = ["NaiveBayesRegressor"]

_FACTORS = (0.25, 0.5, 0.75, 1.0, 1.5, 2.0)
_TINY = 1e-300
_CHUNK = 2**22  # kernel values held at a time


class NaiveBayesRegressor(RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """Naive Bayes for regression: p(y | x) proportional to p(y) prod_j p(x_j | y).

    Assumes the attributes are independent given the target. Where they are not, the
    posterior is too narrow and the prediction poor: it is a baseline, not a champion.
    Memory and time grow with the square of the number of training cases.

    Parameters
    ----------
    loss : {"squared", "absolute"}
        "squared" predicts the posterior mean, "absolute" the posterior median.
    nominal : sequence of int
        Columns whose values are codes without an order.
    resolution : int
        Number of target values the posterior is computed at.

    Attributes
    ----------
    bandwidth_ : float
        Kernel bandwidth of the target.
    bandwidths_ : array
        Of each attribute; 0 for nominal and constant ones.

    Notes
    -----
    Gaussian kernels; p(x_j | y) is the kernel estimate weighted by the kernels of the target
    about y, for a nominal attribute the so weighted frequency with Laplace's correction.
    Bandwidths are c sd n**(-1/5) with c the best by leave-one-out likelihood of
    0.25, 0.5, 0.75, 1, 1.5 and 2. The grid of y covers three bandwidths beyond the data.

    References
    ----------
    Frank, Trigg, Holmes and Witten (2000), Machine Learning 41, doi:10.1023/A:1007670802811.

    Examples
    --------
    >>> import numpy as np
    >>> from demur.estimators import NaiveBayesRegressor
    >>> x = np.linspace(0, 1, 100)
    >>> model = NaiveBayesRegressor().fit(x[:, None], x**2)
    >>> bool(abs(model.predict([[0.7]])[0] - 0.49) < 0.02)
    True
    """

    def __init__(self, *, loss: str = "squared", nominal: Any = (), resolution: int = 200) -> None:
        self.loss = loss
        self.nominal = nominal
        self.resolution = resolution

    def fit(self, X: Any, y: Any) -> Self:
        """Store the cases and choose the bandwidths."""
        check_choice(self.loss, "loss", ("squared", "absolute"))
        check_positive_int(self.resolution, "resolution", minimum=2)
        X, y = validate_data(self, X, y, dtype=np.float64, y_numeric=True)
        self._X, self._y = X, y
        self._nominal = {check_positive_int(j, "nominal", minimum=0) for j in self.nominal}
        if max(self._nominal, default=0) >= X.shape[1]:
            raise input_error("nominal", f"must be columns of the {X.shape[1]} of X", max(self._nominal))
        self.bandwidth_ = h = _bandwidth(y)
        self.bandwidths_ = np.array(
            [0.0 if j in self._nominal else _bandwidth(X[:, j]) for j in range(X.shape[1])]
        )
        if h == 0:
            return self
        # target values, log prior there, and the share of every training case in their kernels
        low, high = y.min() - 3 * h, y.max() + 3 * h
        self._grid = np.linspace(low, high, self.resolution)
        logs = -0.5 * ((self._grid[:, None] - y) / h) ** 2
        top = logs.max(axis=1, keepdims=True)
        shares = np.exp(logs - top)
        total = shares.sum(axis=1, keepdims=True)
        self._prior = (top + np.log(total))[:, 0]
        self._shares = shares / total
        return self

    def predict(self, X: Any) -> FloatArray:
        """Return the posterior mean or median of every row."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        if self.bandwidth_ == 0:  # a constant target
            return np.full(len(X), self._y[0])
        rows = max(1, _CHUNK // len(self._y))
        return np.concatenate([self._posterior(X[k : k + rows]) for k in range(0, len(X), rows)])

    def _posterior(self, X: FloatArray) -> FloatArray:
        logs = np.tile(self._prior, (len(X), 1))
        for j, h in enumerate(self.bandwidths_):
            if j in self._nominal:
                # log of the weighted frequency of each value, Laplace's correction on the scale of n cases
                same = (X[:, j, None] == self._X[:, j]).astype(np.float64)
                n, values = len(self._y), len(np.unique(self._X[:, j]))
                logs += np.log((n * (same @ self._shares.T) + 1) / (n + values))
            elif h > 0:
                kernels = -0.5 * ((X[:, j, None] - self._X[:, j]) / h) ** 2
                kernels -= kernels.max(axis=1, keepdims=True)
                logs += np.log(np.maximum(np.exp(kernels) @ self._shares.T, _TINY))
        mass = np.exp(logs - logs.max(axis=1, keepdims=True))
        mass /= mass.sum(axis=1, keepdims=True)
        if self.loss == "squared":
            return np.asarray(mass @ self._grid)
        at = np.argmax(np.cumsum(mass, axis=1) >= 0.5, axis=1)
        return np.asarray(self._grid[at])


def _bandwidth(values: FloatArray) -> float:
    """c sd n**(-1/5), c by leave-one-out likelihood; 0 for constant values."""
    n, sd = len(values), float(values.std())
    # a spread at the level of rounding is no spread
    if n < 2 or sd <= 1e-12 * float(np.abs(values).max()):
        return 0.0
    base = sd * float(n) ** -0.2
    scores = np.zeros(len(_FACTORS))
    rows = max(1, _CHUNK // n)
    for start in range(0, n, rows):
        part = values[start : start + rows]
        squares = ((part[:, None] - values) / base) ** 2
        squares[np.arange(len(part)), np.arange(start, start + len(part))] = np.inf
        for k, c in enumerate(_FACTORS):
            density = np.exp(-0.5 * squares / c**2).sum(axis=1) / c
            scores[k] += np.log(np.maximum(density, _TINY)).sum()
    return float(base * _FACTORS[int(np.argmax(scores))])
