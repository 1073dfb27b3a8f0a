"""Trees of Quinlan: C4.5-style pruning with Laplace leaves, and model trees (M5').

scikit-learn grows the decision tree; this module counts its leaves, replaces subtrees whose
pessimistic error is no better than a leaf's (Quinlan 1993, section 4.2) and smooths the
class shares. The grown tree is not altered: each of its leaves points to the node that
stands for it after pruning.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any, NamedTuple, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from demur._checks import (
    check_choice,
    check_confidence_level,
    check_nonnegative,
    check_number,
    check_positive_int,
    input_error,
)
from demur.typing import ArrayLike, FloatArray, IntArray, Range
from demur.unlabelled.invented import describe_bounds

__all__ = ["LaplaceTreeClassifier", "ModelTreeRegressor", "TreeRule", "added_errors", "laplace_shares"]


# A leaf is preferred to a subtree that saves less than this many errors (as in J48)
_MARGIN = 0.1
_LEAF = -1


def added_errors(n: ArrayLike, errors: ArrayLike, confidence: float = 0.25) -> FloatArray:
    """Errors to add to those observed in a leaf of n cases: upper limit of a binomial share.

    The normal approximation with continuity correction of C4.5, exact for no errors, and
    interpolated between 0 and 1 error.
    """
    size, wrong = np.broadcast_arrays(np.asarray(n, dtype=np.float64), np.asarray(errors, dtype=np.float64))
    none = size * (1 - confidence ** (1 / size))
    # the upper limit of the errors, from one error on
    z, least = NormalDist().inv_cdf(1 - confidence), np.maximum(wrong, 1.0)
    share = np.minimum((least + 0.5) / size, 1.0)
    spread = z * np.sqrt(share / size - share**2 / size + z**2 / (4 * size**2))
    rate = (share + z**2 / (2 * size) + spread) / (1 + z**2 / size)
    some: FloatArray = np.where(least + 0.5 >= size, np.maximum(size - least, 0.0), rate * size - least)
    return np.where(wrong < 1, none + wrong * (some - none), some)


def laplace_shares(counts: FloatArray) -> FloatArray:
    """Class shares of each row with one case of each class added: (n_k + 1) / (n + K)."""
    return np.asarray((counts + 1) / (counts.sum(axis=-1, keepdims=True) + counts.shape[-1]))


class TreeRule(NamedTuple):
    """One leaf as a rule: the bounds on the way to it and the cases in it."""

    bounds: dict[int, Range]
    """Column -> (low, high): low < value <= high."""
    counts: FloatArray
    proba: FloatArray
    node: int


class LaplaceTreeClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Decision tree with C4.5-style pruning, Laplace-corrected leaves and rules in text.

    Entropy splits by scikit-learn, then pessimistic subtree replacement, bottom up. Close to
    J48 but not equal: splits are binary and chosen by gain, and subtrees are not raised.

    Parameters
    ----------
    prune : {"c45", "none"}
        Whether to replace subtrees by leaves.
    confidence : float, default 0.25
        Confidence factor; smaller prunes more.
    min_samples_leaf : int, default 2
    max_depth : int, optional
    classes : sequence of labels, optional
        All classes, where one may be absent from `y`; absent ones get Laplace shares too.
    random_state : int, optional
        Breaks ties between equal splits.

    Attributes
    ----------
    classes_ : array of K labels
    tree_ : DecisionTreeClassifier
        The tree as grown, before pruning.
    counts_ : array of shape (nodes, K)
        Training cases of each class in each node.
    stands_for_ : array
        Element v: node that decides for node v after pruning.

    References
    ----------
    Quinlan (1993), C4.5: Programs for Machine Learning, Morgan Kaufmann. Provost and Domingos
    (2003), Machine Learning 52, doi:10.1023/A:1024099825458 (Laplace leaves).

    Examples
    --------
    >>> from demur.estimators import LaplaceTreeClassifier
    >>> X, y = [[1], [2], [3], [4], [5], [6]], ["no", "no", "no", "yes", "yes", "yes"]
    >>> tree = LaplaceTreeClassifier().fit(X, y)
    >>> tree.predict_proba([[1.5]]).round(4).tolist()
    [[0.8, 0.2]]
    >>> print(tree.explain(["dose"]))
    if dose <= 3.5: no (0.80, 3 cases)
    if dose > 3.5: yes (0.80, 3 cases)
    """

    def __init__(
        self,
        *,
        prune: str = "c45",
        confidence: float = 0.25,
        min_samples_leaf: int = 2,
        max_depth: int | None = None,
        classes: Any = None,
        random_state: Any = None,
    ) -> None:
        self.prune = prune
        self.confidence = confidence
        self.min_samples_leaf = min_samples_leaf
        self.max_depth = max_depth
        self.classes = classes
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        """Grow the tree, count its nodes and prune it."""
        X, y = validate_data(self, X, y)
        check_classification_targets(y)
        check_choice(self.prune, "prune", ("c45", "none"))
        confidence = check_confidence_level(self.confidence, "confidence")
        self.classes_ = np.unique(y if self.classes is None else np.asarray(self.classes))
        self.tree_ = DecisionTreeClassifier(
            criterion="entropy",
            min_samples_leaf=self.min_samples_leaf,
            max_depth=self.max_depth,
            random_state=self.random_state,
        ).fit(X, y)
        grown = self.tree_.tree_
        if not np.isin(self.tree_.classes_, self.classes_).all():
            raise input_error(
                "classes", "must hold every label of y", self.classes_.tolist(), "leave it out to use those."
            )
        # absent classes have no cases; since scikit-learn 1.3 `value` holds shares
        self.counts_ = np.zeros((grown.node_count, len(self.classes_)))
        columns = np.searchsorted(self.classes_, self.tree_.classes_)
        self.counts_[:, columns] = np.rint(grown.value[:, 0, :] * grown.weighted_n_node_samples[:, None])
        self.stands_for_ = (
            _pruned(grown, self.counts_, confidence) if self.prune == "c45" else np.arange(len(self.counts_))
        )
        return self

    @property
    def n_leaves_(self) -> int:
        """Number of leaves after pruning."""
        return len(self.rules())

    def apply(self, X: Any) -> IntArray:
        """Return the node that decides each case."""
        check_is_fitted(self)
        X = validate_data(self, X, reset=False)
        return np.asarray(self.stands_for_[self.tree_.apply(X)])

    def predict_proba(self, X: Any) -> FloatArray:
        """Return Laplace-corrected class shares, one row per case."""
        nodes = self.apply(X)
        return np.asarray(laplace_shares(self.counts_)[nodes])

    def predict(self, X: Any) -> np.ndarray:
        """Return the most frequent class of the leaf; the first one of equals."""
        shares = self.predict_proba(X)
        return np.asarray(self.classes_[shares.argmax(axis=1)])

    def rules(self) -> list[TreeRule]:
        """Return one rule per leaf, from left to right; exactly one holds for any case."""
        check_is_fitted(self)
        grown, shares = self.tree_.tree_, laplace_shares(self.counts_)
        # leaves of the grown tree, and nodes that stand for their children
        leaf = grown.children_left == _LEAF
        cut = leaf | (self.stands_for_[np.where(leaf, 0, grown.children_left)] == self.stands_for_)
        left, right = grown.children_left.tolist(), grown.children_right.tolist()
        feature, threshold = grown.feature.tolist(), grown.threshold.tolist()
        waiting: list[tuple[int, dict[int, Range]]] = [(0, {})]
        rules = []
        while waiting:
            node, bounds = waiting.pop()
            if cut[node]:
                rules.append(TreeRule(bounds, self.counts_[node], shares[node], node))
                continue
            column, value = feature[node], threshold[node]
            low, high = bounds.get(column, (-math.inf, math.inf))
            waiting.append((right[node], bounds | {column: (max(low, value), high)}))
            waiting.append((left[node], bounds | {column: (low, min(high, value))}))
        return rules

    def explain(
        self,
        names: Any = None,
        *,
        describe: Callable[[int, float, float], str] | None = None,
        label: Callable[[FloatArray], tuple[Any, float]] | None = None,
    ) -> str:
        """Return the tree as text, one rule per line.

        Parameters
        ----------
        names : sequence of str, optional
            Names of the columns.
        describe : function (column, low, high) -> str, optional
            Words for a condition, where `names` are not enough.
        label : function (shares) -> (label, share), optional
            What a leaf says, where the most frequent class is not the decision.
        """
        rules = self.rules()
        if names is None:
            names = getattr(self, "feature_names_in_", [f"x{k}" for k in range(self.n_features_in_)])
        words = [str(name) for name in names]
        if len(words) != self.n_features_in_:
            raise input_error("names", f"must name {self.n_features_in_} columns", len(words))
        tell = describe or (lambda column, low, high: describe_bounds(words[column], low, high))
        choose = label or (lambda shares: (self.classes_[shares.argmax()], float(shares.max())))
        lines = []
        for rule in rules:
            conditions = [tell(column, low, high) for column, (low, high) in rule.bounds.items()]
            what, share = choose(rule.proba)
            start = f"if {' and '.join(filter(None, conditions))}" if conditions else "always"
            lines.append(f"{start}: {what} ({share:.2f}, {int(rule.counts.sum())} cases)")
        return "\n".join(lines)


def _pruned(grown: Any, counts: FloatArray, confidence: float) -> IntArray:
    """Replace subtrees bottom up; return the node that stands for each node afterwards."""
    size = counts.sum(axis=1)
    errors = size - counts.max(axis=1)
    expected = (errors + added_errors(size, errors, confidence)).tolist()
    left, right = grown.children_left.tolist(), grown.children_right.tolist()
    stop = [True] * len(expected)
    # children have larger numbers than their parent, so one backward pass sees them first
    for node in range(len(expected) - 1, -1, -1):
        if left[node] == _LEAF:
            continue
        below = expected[left[node]] + expected[right[node]]
        stop[node] = expected[node] <= below + _MARGIN
        if not stop[node]:
            expected[node] = below
    stands_for = list(range(len(expected)))
    for node in range(len(expected)):
        if left[node] != _LEAF and (stop[node] or stands_for[node] != node):
            stands_for[left[node]] = stands_for[right[node]] = stands_for[node]
    return np.array(stands_for, dtype=np.int64)


# ---------------------------------------------------------------- model trees


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
