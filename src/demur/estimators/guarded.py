"""`GuardedClassifier`: abstain in a window of the score, and on cases unlike the training data."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.model_selection import KFold
from sklearn.neighbors import KernelDensity, NearestNeighbors
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import check_is_fitted

from demur._checks import check_rate, check_scores, check_type, input_error
from demur.cautious.conformal import conformal_p_values
from demur.comparison.combination_learner import GuardLearner
from demur.costs.model import CostModel
from demur.estimators.abstaining import TwoClassAbstainer
from demur.estimators.honest_costs import honest_costs, plain_problem, weighted_losses
from demur.estimators.out_of_fold import TrainingCases, split_training, take_features
from demur.exceptions import InputError
from demur.honest.expected_cost import ExpectedCost
from demur.typing import FloatArray, IntArray

__all__ = ["GuardedClassifier", "NeighbourDistance"]

_FOLDS = 5


class NeighbourDistance(BaseEstimator):  # type: ignore[misc]
    """Familiarity of a case: minus its mean distance to the nearest training cases.

    Parameters
    ----------
    n_neighbors : int, default 5
        How many; all of them where there are fewer.

    Examples
    --------
    >>> from demur.estimators import NeighbourDistance
    >>> familiarity = NeighbourDistance(n_neighbors=2).fit([[0.0], [1.0], [2.0]])
    >>> familiarity.score_samples([[1.0], [10.0]]).tolist()
    [-0.5, -8.5]
    """

    def __init__(self, n_neighbors: int = 5) -> None:
        self.n_neighbors = n_neighbors

    def fit(self, X: Any, y: Any = None) -> Self:
        """Keep the training cases."""
        self.neighbors_ = NearestNeighbors(n_neighbors=min(self.n_neighbors, len(X))).fit(X)
        take_features(self, self.neighbors_)
        return self

    def score_samples(self, X: Any) -> FloatArray:
        """Return the familiarity of every case; higher is more familiar."""
        distance, _ = self.neighbors_.kneighbors(X)
        return np.asarray(-distance.mean(axis=1))


class GuardedClassifier(TwoClassAbstainer):
    """Classifier of two classes that abstains on doubtful cases and on cases unlike the training data.

    A model can be certain far from all cases it has seen. A second score, the doubt, says how far: a
    distance or minus a log density. The rule abstains inside a window of the class score, or where the
    doubt is too large. Both scores are out of fold.

    Parameters
    ----------
    estimator : classifier
        With `predict_proba` or `decision_function`. Cloned, unless ``cv="prefit"``.
    costs : CostModel
        With a cost of abstaining.
    guard : {"distance", "density"} or estimator with `score_samples`, default "distance"
        "distance": mean distance to the five nearest training cases; "density": kernel density; both on
        standardised features, which must be numbers. Or any estimator whose `score_samples` is higher for
        familiar cases: `IsolationForest`, `GaussianMixture`, `OneClassSVM`.
    alpha : float in [0, 1], optional, default 0.01
        Refuse cases whose conformal p-value is at most this: of cases like the training data no larger
        share is refused. None: the limit with the smallest cost on the training cases; without unlike
        cases among them none pays.
    pos_label, cv, abstain_label, response_method, refit
        As in `AbstainingClassifier`.

    Attributes
    ----------
    window_ : Guarded
        Thresholds and limit of the doubt, chosen on the out-of-fold scores.
    guard_ : fitted estimator
        Of all cases.
    classes_, estimator_, n_features_in_, feature_names_in_, out_of_fold_rows_, out_of_fold_decisions_
        As in `AbstainingClassifier`.

    Notes
    -----
    Doubts of the training cases come from guards fitted to four fifths of the cases, so a new case,
    judged by the guard of all cases, looks a little more familiar than they did; p-values are then a
    little too large: fewer cases are refused than alpha allows, not more. `score` is minus the cost per
    case.

    References
    ----------
    Friedel, Rueckert, Kramer (2006), "Cost Curves for Abstaining Classifiers", ROCML, section 6. Vovk,
    Gammerman, Shafer (2005), doi:10.1007/b106715, for p-values.

    Examples
    --------
    A linear model is certain about a case far away from everything. The guard is not:

    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from demur import CostModel
    >>> from demur.estimators import GuardedClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = GuardedClassifier(
    ...     make_pipeline(StandardScaler(), LogisticRegression()), costs=CostModel(cost_abstain=0.2)
    ... ).fit(X, y)
    >>> far = 20 * X[:1]
    >>> model.predict_proba(far).round(3).tolist(), model.predict(far).tolist()
    ([[1.0, 0.0]], [-1])
    >>> round(float(model.p_values(far)[0]), 4)
    0.0018
    """

    _judges = True
    costs: Any

    def __init__(
        self,
        estimator: Any,
        *,
        costs: CostModel | None = None,
        guard: Any = "distance",
        alpha: float | None = 0.01,
        pos_label: Any = None,
        cv: Any = None,
        abstain_label: Any = None,
        response_method: str = "auto",
        refit: bool = True,
    ) -> None:
        self.estimator = estimator
        self.costs = costs
        self.guard = guard
        self.alpha = alpha
        self.pos_label = pos_label
        self.cv = cv
        self.abstain_label = abstain_label
        self.response_method = response_method
        self.refit = refit

    def _check(self, cases: TrainingCases) -> None:
        check_type(self.costs, "costs", CostModel)
        if not self.costs.may_abstain:
            raise InputError("`costs` must say what abstaining costs. Hint: CostModel(cost_abstain=...).")
        if self.alpha is not None:
            check_rate(self.alpha, "alpha")
        if cases.time is not None and self.cv is not None:
            raise input_error(
                "cv", "must be None where time is given: the guard takes the same blocks", repr(self.cv)
            )

    def _new_guard(self) -> Any:
        named = {
            "distance": lambda: make_pipeline(StandardScaler(), NeighbourDistance()),
            "density": lambda: make_pipeline(StandardScaler(), KernelDensity(bandwidth="scott")),
        }
        if isinstance(self.guard, str) and self.guard in named:
            return named[self.guard]()
        if not hasattr(self.guard, "score_samples"):
            raise input_error(
                "guard", 'must be "distance", "density" or an estimator with score_samples', repr(self.guard)
            )
        return clone(self.guard)

    def _choose(self, X: Any, cases: TrainingCases, held_out: TrainingCases, response: Any) -> None:
        self._counts(held_out, response)  # refuses a missing class, warns of constant scores
        self.guard_ = self._new_guard().fit(X)
        # doubt of every training case by a guard fitted without it
        n = len(cases.rows)
        known_doubts = np.full(n, np.nan)
        parts: Any = KFold(min(_FOLDS, n), shuffle=True, random_state=0).split(cases.rows)
        if cases.cluster is not None or cases.time is not None:
            parts = split_training(None, X, cases, {})
        for train, test in parts:
            guard = self._new_guard().fit(_safe_indexing(X, train))
            known_doubts[test] = -guard.score_samples(_safe_indexing(X, test))
        # with times, only cases that a model of the past scored
        known = np.arange(n) if cases.time is None else held_out.rows
        self._calibration = check_scores(known_doubts[known], "score_samples of the guard")
        self._columns = np.column_stack([check_scores(response), known_doubts[held_out.rows]])
        self._held_out, self._positive = held_out, held_out.labels == self._outcomes[1]
        limit = None
        if self.alpha is not None:
            # the largest doubt whose p-value exceeds alpha; inf where so few cases refuse nothing
            ordered = np.sort(self._calibration)
            allowed = conformal_p_values(ordered, ordered) > self.alpha
            refuses = 1 / (len(ordered) + 1) <= self.alpha
            limit = float(ordered[allowed].max(initial=ordered[0])) if refuses else np.inf
        self._limit = limit
        rows = weighted_losses(self._positive, self.costs, held_out.weights)
        self.window_ = self._learner().choose(self._columns, rows)

    def _learner(self, level: float = 0.95) -> GuardLearner:
        return GuardLearner(plain_problem(self.costs, level, doubt="doubt"), "score", self._limit)

    # ---------------------------------------------------------------- use

    def doubts(self, X: Any) -> FloatArray:
        """Return the doubt of every case; higher is less familiar."""
        check_is_fitted(self, "guard_")
        return np.asarray(-self.guard_.score_samples(X))

    def p_values(self, X: Any) -> FloatArray:
        """Return the conformal p-value of every case: small is unlike the training data."""
        return conformal_p_values(self._calibration, self.doubts(X))

    def decide(self, X: Any) -> IntArray:
        """Return 1 (positive), 0 (negative) or `ABSTAIN` for every case."""
        check_is_fitted(self, "estimator_")
        columns = np.column_stack([self._respond(self.estimator_, X), self.doubts(X)])
        return np.asarray(self.window_.decide(columns))

    def _decide(self, response: Any) -> IntArray:
        """Decide on the out-of-fold cases."""
        return np.asarray(self.window_.decide(self._columns))

    def honest_cost(
        self,
        *,
        confidence_level: float = 0.95,
        folds: int | None = None,
        repeats: int | None = None,
        rng: int | np.random.Generator | None = 0,
    ) -> ExpectedCost:
        """Judge the rule on cases like the training data: what the guard costs where it is not needed.

        Window and limit are chosen on nine folds of the out-of-fold scores and doubts and scored on the
        tenth; a limit by `alpha` stays.
        """
        check_is_fitted(self, "estimator_")
        jobs = {"": (self._learner(confidence_level), self._columns)}
        return honest_costs(jobs, self._positive, self._held_out, folds=folds, repeats=repeats, rng=rng)[""]

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return minus the cost per case in the unit of the costs; the higher the better."""
        return self._minus_cost(self.costs, y, self.decide(X), sample_weight)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = False
        tags.input_tags.allow_nan = False
        return tags
