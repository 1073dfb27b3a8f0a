"""Autoregressive functions m(lags; weights) whose weights a filter can estimate.

A linear function, or a network with one hidden layer of tanh units and a linear output
(Wan and van der Merwe 2000). Everything is vectorised over many weight or lag vectors at
once, because a sigma-point filter asks for all its points together.
"""

import numpy as np

from demur.typing import FloatArray

__all__ = ["Autoregression", "lag_rows"]


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

    def least_squares(self, rows: FloatArray, targets: FloatArray) -> FloatArray:
        """Weights of the linear function that fit best."""
        design = np.column_stack([rows, np.ones(len(rows))])
        return np.asarray(np.linalg.lstsq(design, targets, rcond=None)[0])

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
