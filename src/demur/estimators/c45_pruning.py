"""C4.5-style pruning and Laplace leaves on top of scikit-learn's decision tree.

scikit-learn grows the tree; this module counts its leaves, replaces subtrees whose
pessimistic error is no better than a leaf's (Quinlan 1993, section 4.2) and smooths the
class shares. The grown tree is not altered: each of its leaves points to the node that
stands for it after pruning.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from statistics import NormalDist
from typing import Any, NamedTuple, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from demur._checks import check_choice, check_confidence_level, input_error
from demur.typing import ArrayLike, FloatArray, IntArray, Range
from demur.unlabelled.invented import describe_bounds

__all__ = ["LaplaceTreeClassifier", "TreeRule", "added_errors", "laplace_shares"]

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
