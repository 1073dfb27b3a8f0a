"""Learners for ordered classes: a ranking that serves VUS, Cons or an ordinal cost, and SVOR."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from scipy.optimize import minimize, minimize_scalar
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.preprocessing import KernelCenterer
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeRegressor
from sklearn.utils.validation import check_is_fitted, validate_data

from demur._checks import check_choice, check_positive, check_positive_int
from demur._kernels.tuples import pairwise_hinge
from demur.estimators.out_of_fold import training_cases
from demur.ordinal.thresholds import ordinal_thresholds
from demur.typing import ArrayLike, BoolArray, FloatArray, IntArray

__all__ = ["OrdinalRankClassifier", "SupportVectorOrdinalClassifier"]

_OBJECTIVES = ("cons", "ovo", "pairs", "vus", "cost")
_MOST_STEPS = 500


class _RankingClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Classifier that cuts one score into ordered classes."""

    thresholds_: Any

    def _checked(self, X: Any, y: Any) -> tuple[FloatArray, IntArray]:
        """Return features and codes of the classes; note the classes."""
        X, y = validate_data(self, X, y, dtype=np.float64)
        cases = training_cases(self, y)
        self.classes_ = cases.classes
        return X, cases.codes

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        # scikit-learn's test of quality has three classes in a ring, which no line puts in order
        tags.classifier_tags.poor_score = "linear" in (
            getattr(self, name, "") for name in ("learner", "kernel")
        )
        return tags


class OrdinalRankClassifier(_RankingClassifier):
    """Classifier of ordered classes that learns one ranking for VUS, Cons, Ovo, Pairs or ordinal cost.

    Most learners fit probabilities and are ranked afterwards; this one minimises the weighted share of
    pairs in wrong order, with a squared hinge in place of the step. The ranking is then cut into classes
    at the lowest ordinal cost (`ordinal_thresholds`). Classes are ordered by their labels.

    Parameters
    ----------
    objective : {"cons", "ovo", "pairs", "vus", "cost"}, default "cons"
        What the weights of the pairs add up to: one of the measures of `ordinal_roc`; an upper bound of
        1 - VUS (neighbouring classes only); or the cost of the steps between the two classes.
    learner : {"linear", "boosted"}, default "linear"
        A linear score, or a sum of regression trees of scikit-learn.
    alpha : float > 0, default 0.001
        Penalty of the squared weights of the linear score. Standardise the features.
    n_estimators, learning_rate, max_depth
        Of the trees: how many, which part of each step is taken, how deep.
    costs : array of shape (classes, classes), optional
        Cost of calling the class of a column where that of the row is true; default: one per step.
    random_state : int, optional
        Of the trees.

    Attributes
    ----------
    coef_ : array
        Weights of the linear score.
    trees_ : list of (step, tree)
        Of the boosted score.
    thresholds_ : OrdinalThresholds
        Cuts of the score on the training cases.
    loss_ : array
        Loss after each step of the boosting, or the final loss.
    classes_, n_features_in_, feature_names_in_
        As usual.

    Notes
    -----
    Each measure is 1 - sum over l < k of w_lk (pairs in wrong order), with w_lk = 1 / sum n_l n_k for
    Pairs, 2 / (r (r - 1) n_l n_k) for Ovo, and (1 / (r - 1)) sum over cuts c from l to k - 1 of
    1 / (N_c (n - N_c)) for Cons. A tuple in wrong order has neighbours in wrong order, so 1 - VUS is at
    most the sum of 1 - AUC over neighbouring classes. One step costs O(n r log n); no pair is formed.

    References
    ----------
    Waegeman, De Baets, Boullart (2006), "A comparison of different ROC measures for ordinal
    regression", ROCML, who ask for learners that optimise these measures.

    Examples
    --------
    >>> import numpy as np
    >>> from demur import ordinal_roc
    >>> from demur.estimators import OrdinalRankClassifier
    >>> rng = np.random.default_rng(0)
    >>> y = np.arange(300) % 3
    >>> X = y[:, None] * [1.0, 0.3] + rng.normal(size=(300, 2))
    >>> model = OrdinalRankClassifier(objective="vus").fit(X, y)
    >>> ranked = ordinal_roc(y, model.rank_score(X)).measures().vus
    >>> bool(ranked > ordinal_roc(y, X[:, 0]).measures().vus)
    True
    """

    def __init__(
        self,
        *,
        objective: str = "cons",
        learner: str = "linear",
        alpha: float = 1e-3,
        n_estimators: int = 50,
        learning_rate: float = 0.3,
        max_depth: int = 3,
        costs: ArrayLike | None = None,
        random_state: int | None = None,
    ) -> None:
        self.objective = objective
        self.learner = learner
        self.alpha = alpha
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.max_depth = max_depth
        self.costs = costs
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        """Learn the ranking, then cut it.

        Parameters
        ----------
        X : array of shape (n, features)
        y : array of n labels, ordered as they sort
        """
        check_choice(self.objective, "objective", _OBJECTIVES)
        check_choice(self.learner, "learner", ("linear", "boosted"))
        X, codes = self._checked(X, y)
        weights = pair_weights(np.bincount(codes), self.objective)
        score = (
            self._fit_linear(X, codes, weights)
            if self.learner == "linear"
            else self._fit_boosted(X, codes, weights)
        )
        self.thresholds_ = ordinal_thresholds(codes, score, costs=self.costs)
        return self

    def _fit_linear(self, X: FloatArray, codes: IntArray, weights: FloatArray) -> FloatArray:
        penalty = check_positive(self.alpha, "alpha")

        def objective(coef: FloatArray) -> tuple[float, FloatArray]:
            loss, slope = pairwise_hinge(X @ coef, codes, weights)
            return loss + penalty * float(coef @ coef), X.T @ slope + 2 * penalty * coef

        found = minimize(
            objective, np.zeros(X.shape[1]), jac=True, method="L-BFGS-B", options={"maxiter": _MOST_STEPS}
        )
        self.coef_, self.loss_ = found.x, np.array([found.fun])
        return np.asarray(X @ self.coef_)

    def _fit_boosted(self, X: FloatArray, codes: IntArray, weights: FloatArray) -> FloatArray:
        rate = check_positive(self.learning_rate, "learning_rate")
        score, self.trees_, losses = np.zeros(len(X)), [], []
        for index in range(check_positive_int(self.n_estimators, "n_estimators")):
            loss, slope = pairwise_hinge(score, codes, weights)
            losses.append(loss)
            seed = None if self.random_state is None else self.random_state + index
            # slopes shrink with the number of cases; the step below has their scale
            tree = DecisionTreeRegressor(max_depth=self.max_depth, random_state=seed).fit(X, -slope * len(X))
            move = tree.predict(X)
            if not np.any(move):
                break
            # the loss is convex in the length of the step
            scale = 1 / float(np.abs(move).max())
            found = minimize_scalar(
                lambda step, at=score, unit=scale, to=move: pairwise_hinge(
                    at + step * unit * to, codes, weights
                )[0],
                bounds=(0, 4),
                method="bounded",
                options={"xatol": 1e-3},
            )
            step = float(found.x) * scale * rate
            score = score + step * move
            self.trees_.append((step, tree))
        self.loss_ = np.array([*losses, pairwise_hinge(score, codes, weights)[0]])
        return np.asarray(score)

    def rank_score(self, X: Any) -> FloatArray:
        """Return the score of every case; higher means a higher class."""
        check_is_fitted(self, "thresholds_")
        rows = validate_data(self, X, reset=False)
        if self.learner == "linear":
            return np.asarray(rows @ self.coef_)
        return np.asarray(sum((step * tree.predict(rows) for step, tree in self.trees_), np.zeros(len(rows))))

    def predict(self, X: Any) -> Any:
        """Return the class of every case."""
        score = self.rank_score(X)
        return self.classes_[self.thresholds_.decide(score)]


def pair_weights(sizes: IntArray, objective: str) -> FloatArray:
    """Weight of a pair in wrong order, by the classes of its two cases."""
    r, n = len(sizes), sizes.sum()
    low, high = np.triu_indices(r, 1)
    products = (sizes[low] * sizes[high]).astype(np.float64)
    below = np.cumsum(sizes)[:-1]
    cuts = np.append(0.0, np.cumsum(1 / (below * (n - below).astype(np.float64)))) / (r - 1)
    weights = np.zeros((r, r))
    weights[low, high] = {
        "pairs": np.full(len(low), 1 / products.sum()),
        "ovo": 2 / (r * (r - 1) * products),
        "vus": np.where(high == low + 1, 1 / products, 0.0),
        "cost": (high - low) / products.sum(),
        "cons": cuts[high] - cuts[low],
    }[objective]
    return weights


_FREEDOM = 10.0  # of the thresholds, in the mean of the centred kernel


def _widest_cut(score: FloatArray, above: BoolArray) -> float:
    """Threshold with the smallest sum of hinges, the middle one where several have it.

    Each hinge bends once, at score - 1 above and score + 1 below, and every bend adds 1 to the slope,
    which starts at minus the number of cases below: the slope is 0 behind as many bends.
    """
    bends = np.sort(np.where(above, score - 1, score + 1))
    below = len(score) - int(above.sum())
    return float(bends[below - 1 : below + 1].mean())


class SupportVectorOrdinalClassifier(_RankingClassifier):
    """Support vector ordinal regression: one score and ordered thresholds with the widest margins.

    Every case must lie on the right side of every threshold by a margin (implicit constraints). Classes
    are ordered by their labels.

    Parameters
    ----------
    C : float > 0, default 1
        Price of margins that are not kept.
    kernel : str, default "linear"
        As in `sklearn.metrics.pairwise.pairwise_kernels`: "linear", "rbf", "poly".
    gamma : float, optional
        Of the kernel.

    Attributes
    ----------
    thresholds_ : array
        Ascending; element k lies between classes k and k + 1.
    coef_ : array
        Weights of a linear score.
    classes_, n_features_in_, feature_names_in_
        As usual.

    Notes
    -----
    min ||w||^2 / 2 + C sum over thresholds j and cases i of the hinge of being on the wrong side of b_j.
    Solved as one binary machine on pairs (case, threshold), with a kernel that knows the threshold (Li,
    Lin 2007), by scikit-learn's SVC on the centred kernel; the thresholds are then exact given the score.
    In the search for the score they carry a penalty 10 times smaller than the weights: more freedom makes
    the machine stop far from the optimum.

    References
    ----------
    Chu, Keerthi (2005), "New approaches to support vector ordinal regression", ICML,
    doi:10.1145/1102351.1102370. Li, Lin (2007), "Ordinal regression by extended binary classification",
    NIPS. Figures 1 to 3 of Waegeman, De Baets, Boullart (2006).

    Examples
    --------
    >>> from demur.estimators import SupportVectorOrdinalClassifier
    >>> X = [[1], [2], [4], [5], [7], [8]]
    >>> model = SupportVectorOrdinalClassifier(C=10).fit(X, ["a", "a", "b", "b", "c", "c"])
    >>> model.predict([[0], [4.4], [9]]).tolist()
    ['a', 'b', 'c']
    """

    def __init__(self, *, C: float = 1.0, kernel: str = "linear", gamma: float | None = None) -> None:
        self.C = C
        self.kernel = kernel
        self.gamma = gamma

    def _kernel(self, X: Any, Z: Any) -> FloatArray:
        options = {} if self.gamma is None else {"gamma": self.gamma}
        return np.asarray(pairwise_kernels(X, Z, metric=self.kernel, **options))

    def fit(self, X: Any, y: Any) -> Self:
        """Find score and thresholds.

        Parameters
        ----------
        X : array of shape (n, features)
        y : array of n labels, ordered as they sort
        """
        check_positive(self.C, "C")
        X, codes = self._checked(X, y)
        cuts = len(self.classes_) - 1
        gram = KernelCenterer().fit_transform(self._kernel(X, X))
        free = _FREEDOM * (float(np.mean(np.diag(gram))) or 1.0)
        extended = np.tile(gram, (cuts, cuts)) + free * np.kron(np.eye(cuts), np.ones_like(gram))
        above = np.concatenate([codes > cut for cut in range(cuts)])
        machine = SVC(C=self.C, kernel="precomputed").fit(extended, above)
        dual = np.zeros(len(above))
        dual[machine.support_] = machine.dual_coef_[0]
        # the dual weights sum to 0, so the kernel without centring gives the same score up to a constant
        self._dual, self._rows = dual.reshape(cuts, len(X)).sum(axis=0), X
        score = self._kernel(X, X) @ self._dual
        self.thresholds_ = np.array([_widest_cut(score, codes > cut) for cut in range(cuts)])
        if self.kernel == "linear":
            self.coef_ = self._dual @ X
        return self

    def rank_score(self, X: Any) -> FloatArray:
        """Return the score of every case; higher means a higher class."""
        check_is_fitted(self, "thresholds_")
        return np.asarray(self._kernel(validate_data(self, X, reset=False), self._rows) @ self._dual)

    def predict(self, X: Any) -> Any:
        """Return the class of every case."""
        score = self.rank_score(X)
        return self.classes_[np.searchsorted(self.thresholds_, score, side="left")]
