"""`ModelTreeRegressor` (M5'): a regression tree with a linear model in every leaf."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from demur._checks import check_nonnegative, check_number, check_positive_int
from demur.typing import FloatArray

__all__ = ["ModelTreeRegressor"]


@dataclass(slots=True)
class _Node:
    """One node: its linear model and, unless it is a leaf, its split."""

    n: int
    coefficients: FloatArray
    intercept: float
    error: float
    feature: int = -1
    threshold: float = 0.0
    below: _Node | None = None
    above: _Node | None = None
    leaves: int = 1

    def model(self, X: FloatArray) -> FloatArray:
        return np.asarray(X @ self.coefficients + self.intercept)


class ModelTreeRegressor(RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """Model tree M5': splits where the spread of the target falls most, linear models at the nodes.

    Piecewise linear: extrapolates, and stays a single linear model where the data are linear.

    Parameters
    ----------
    min_samples_leaf : int
        Cases a leaf holds at least.
    min_spread : float
        A node whose standard deviation is below this share of the root's is not split.
    smoothing : float
        Weight k of a node's own model when predictions are blended on the way up; 0: off.

    Attributes
    ----------
    n_leaves_ : int
        Number of leaves after pruning.

    Notes
    -----
    Grown by the reduction sd(T) - sum |T_i| / |T| sd(T_i) over midpoints. At each node a
    least-squares model with intercept; attributes are dropped one by one, each time the one
    whose loss raises the squared error least, while the estimated error
    mean|r| (n + v) / (n - v) (v coefficients) does not grow. A node with fewer cases than
    attributes starts from those most correlated with the target. Pruned bottom-up: a node
    becomes a leaf if its model's estimated error is at most the weighted one of its subtree.
    Prediction p of a child with n cases is smoothed to (n p + k q) / (n + k), q the parent's
    model.

    References
    ----------
    Quinlan (1992), Learning with continuous classes, AI'92, 343-348.
    Wang and Witten (1997), Inducing model trees for continuous classes, ECML posters, 128-137.

    Examples
    --------
    A price with a fixed fee above zero: two lines, two leaves.

    >>> import numpy as np
    >>> from demur.estimators import ModelTreeRegressor
    >>> x = np.linspace(-1, 1, 200)
    >>> tree = ModelTreeRegressor(smoothing=0).fit(x[:, None], np.where(x > 0, 3 + x, -x))
    >>> tree.n_leaves_, tree.predict([[-0.5], [0.75]]).round(3).tolist()
    (2, [0.5, 3.75])
    """

    def __init__(
        self, *, min_samples_leaf: int = 4, min_spread: float = 0.05, smoothing: float = 15.0
    ) -> None:
        self.min_samples_leaf = min_samples_leaf
        self.min_spread = min_spread
        self.smoothing = smoothing

    def fit(self, X: Any, y: Any) -> Self:
        """Grow and prune the tree."""
        check_positive_int(self.min_samples_leaf, "min_samples_leaf")
        for name in ("min_spread", "smoothing"):
            check_number(check_nonnegative(getattr(self, name), name), name)
        X, y = validate_data(self, X, y, dtype=np.float64, y_numeric=True)
        self._spread = float(y.std())
        self._tree = self._grow(X, y)
        self.n_leaves_ = self._tree.leaves
        return self

    def predict(self, X: Any) -> FloatArray:
        """Return the smoothed predictions."""
        check_is_fitted(self)
        return self._predict(self._tree, validate_data(self, X, dtype=np.float64, reset=False))

    def _grow(self, X: FloatArray, y: FloatArray) -> _Node:
        node = _Node(len(y), *_linear_model(X, y))
        split = None
        if len(y) >= 2 * self.min_samples_leaf and y.std() > self.min_spread * self._spread:
            split = _best_split(X, y, self.min_samples_leaf)
        if split is None:
            return node
        feature, threshold = split
        left = X[:, feature] <= threshold
        below = self._grow(X[left], y[left])
        above = self._grow(X[~left], y[~left])
        subtree = (below.n * below.error + above.n * above.error) / node.n
        # a linear model that is exact up to rounding is not worth splitting
        if node.error <= subtree + 1e-12 * self._spread:
            return node
        node.feature, node.threshold, node.below, node.above = feature, threshold, below, above
        # from here on the error is that of the subtree, for the decision of the parent
        node.error, node.leaves = subtree, below.leaves + above.leaves
        return node

    def _predict(self, node: _Node, X: FloatArray) -> FloatArray:
        if node.below is None or node.above is None:
            return node.model(X)
        out = np.empty(len(X))
        left = X[:, node.feature] <= node.threshold
        for child, chosen in ((node.below, left), (node.above, ~left)):
            part = self._predict(child, X[chosen])
            own = node.model(X[chosen])
            out[chosen] = (child.n * part + self.smoothing * own) / (child.n + self.smoothing)
        return out


def _best_split(X: FloatArray, y: FloatArray, least: int) -> tuple[int, float] | None:
    """Feature and midpoint with the largest reduction of the standard deviation; None if none."""
    n = len(y)
    order = np.argsort(X, axis=0, kind="stable")
    values = np.take_along_axis(X, order, axis=0)
    centred = (y - y.mean())[order]
    sums, squares = np.cumsum(centred, axis=0), np.cumsum(centred**2, axis=0)
    size = np.arange(1, n)[:, None]
    weighted = _spread_sum(size, sums[:-1], squares[:-1])
    weighted += _spread_sum(n - size, sums[-1] - sums[:-1], squares[-1] - squares[:-1])
    allowed = (values[1:] > values[:-1]) & (size >= least) & (n - size >= least)
    weighted[~allowed] = np.inf
    at, feature = np.unravel_index(np.argmin(weighted), weighted.shape)
    # weighted / n is the mean spread after the split; no gain, no split
    if not weighted[at, feature] < n * y.std() * (1 - 1e-12):
        return None
    low, high = values[at, feature], values[at + 1, feature]
    middle = low + (high - low) / 2
    return int(feature), float(middle if middle < high else low)


def _spread_sum(size: Any, sums: FloatArray, squares: FloatArray) -> FloatArray:
    """Size times standard deviation, from running sums."""
    return np.asarray(np.sqrt(np.maximum(size * squares - sums**2, 0.0)))


def _linear_model(X: FloatArray, y: FloatArray) -> tuple[FloatArray, float, float]:
    """Coefficients, intercept and estimated error of the model with the attributes worth keeping."""
    n, d = X.shape
    centre, target = X.mean(axis=0), y.mean()
    scale = X.std(axis=0)
    kept = np.flatnonzero(scale > 1e-12 * np.maximum(1.0, np.abs(centre)))
    columns = (X[:, kept] - centre[kept]) / scale[kept]
    response = y - target
    if len(kept) > max(n - 2, 0):
        strongest = np.argsort(-np.abs(columns.T @ response), kind="stable")[: max(n - 2, 0)]
        kept, columns = kept[np.sort(strongest)], columns[:, np.sort(strongest)]
    slopes = _drop_attributes(columns, response)
    coefficients = np.zeros(d)
    coefficients[kept] = slopes / scale[kept]
    intercept = float(target - coefficients @ centre)
    return (
        coefficients,
        intercept,
        _estimated_error(response - columns @ slopes, int(np.count_nonzero(slopes)) + 1),
    )


def _estimated_error(residual: FloatArray, v: int) -> float:
    """Mean absolute residual, raised for the v coefficients it took (Quinlan 1992)."""
    n = len(residual)
    return float(np.mean(np.abs(residual)) * (n + v) / (n - v)) if n > v else np.inf


def _drop_attributes(columns: FloatArray, response: FloatArray) -> FloatArray:
    """Least-squares slopes with attributes removed greedily while the estimated error does not grow."""
    from scipy.linalg import qr

    slopes = np.zeros(columns.shape[1])
    if columns.shape[1] == 0:
        return slopes
    basis, triangular, pivots = qr(columns, mode="economic", pivoting=True, check_finite=False)
    size = np.abs(np.diagonal(triangular))
    # attributes that repeat others up to rounding are left out from the start
    rank = int(np.count_nonzero(size > 1e-10 * size[0]))
    active, triangular = pivots[:rank], triangular[:rank, :rank]
    root = np.linalg.inv(triangular)
    inverse = root @ root.T
    best = root @ (basis[:, :rank].T @ response)
    error = _estimated_error(response - columns[:, active] @ best, rank + 1)
    while len(active):
        # squared error gained by dropping an attribute: b**2 / (G^-1)_jj
        drop = int(np.argmin(best**2 / np.diagonal(inverse)))
        keep = np.arange(len(active)) != drop
        row = inverse[keep, drop] / inverse[drop, drop]
        fewer = best[keep] - row * best[drop]
        candidate = _estimated_error(response - columns[:, active[keep]] @ fewer, len(fewer) + 1)
        if candidate > error:
            break
        inverse = inverse[np.ix_(keep, keep)] - np.outer(row, inverse[drop, keep])
        active, best, error = active[keep], fewer, candidate
    slopes[active] = best
    return slopes
