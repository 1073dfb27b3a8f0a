"""`CostWeightedClassifier`: a classifier of several classes whose answers follow a cost matrix."""

from __future__ import annotations

from inspect import signature
from typing import Any, Self

import numpy as np
from sklearn import get_config
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.model_selection import check_cv
from sklearn.utils import (
    Bunch,
    _safe_indexing,
    assert_all_finite,
    check_random_state,
    column_or_1d,
    get_tags,
    indexable,
)
from sklearn.utils.metadata_routing import (
    MetadataRouter,
    MethodMapping,
    get_routing_for_object,
    process_routing,
)
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    _check_method_params,
    _check_sample_weight,
    check_is_fitted,
)

from demur._checks import input_error
from demur.costs.matrix import as_cost_matrix, by_class
from demur.estimators.out_of_fold import default_label, inner_has, take_features
from demur.exceptions import InputError
from demur.multiclass.weights import named_answers, optimize_weights
from demur.typing import ArrayLike, FloatArray, IntArray

__all__ = ["CostWeightedClassifier"]

# log-joint first: naive Bayes then keeps what the normalised form rounds away
_SCORERS = ("predict_joint_log_proba", "predict_log_proba", "predict_proba")


class CostWeightedClassifier(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """Multiply the class probabilities of any classifier by weights that make its answers cheap.

    The weights come from `optimize_weights`, which explains the parameters, on scores of
    cross-validation, so that they do not trust the training fit.

    Parameters
    ----------
    estimator : classifier
        With ``predict_proba``, ``predict_log_proba`` or ``predict_joint_log_proba``.
    costs : mapping {true: {predicted: cost}}, CostMatrix or array, optional
        An array has rows true, columns predicted, classes sorted. Default: every mistake costs 1.
    method, family, priors, n_restarts
        As in `optimize_weights`.
    abstain_cost : number, or one per class, optional
        Allows the answer `abstain_label` at this price.
    abstain_label : label, optional
        What ``predict`` says when it abstains, as in `AbstainingClassifier`; must not be a class.
    cv : int, splitter or None
        Folds for the scores behind the weights; None uses the training scores (as the paper
        does; they flatter flexible models). At most as many folds as the rarest class has cases.
    random_state : int or RandomState, optional
        For the random searches.

    Attributes
    ----------
    estimator_ : classifier
        Fitted on all cases.
    rule_ : ClassWeights
        Weights, objective, margin and bound on the scores used.
    classes_ : array
        Class labels, sorted.
    abstain_label_ : label
        What ``predict`` says when it abstains.

    Examples
    --------
    Calling a virginica a setosa is 20 times as bad as any other mistake:

    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from demur import CostWeightedClassifier
    >>> data = load_iris()
    >>> y = data.target_names[data.target]
    >>> costs = {a: {b: 1 for b in data.target_names} | {a: 0} for a in data.target_names}
    >>> costs["virginica"]["setosa"] = 20
    >>> model = CostWeightedClassifier(GaussianNB(), costs).fit(data.data, y)
    >>> round(model.rule_.objective, 3), model.rule_.optimal
    (0.04, True)
    """

    def __init__(
        self,
        estimator: Any,
        costs: Any = None,
        *,
        method: str = "auto",
        family: str = "weights",
        priors: Any = None,
        abstain_cost: Any = None,
        abstain_label: Any = None,
        cv: Any = 5,
        n_restarts: int = 100,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.costs = costs
        self.method = method
        self.family = family
        self.priors = priors
        self.abstain_cost = abstain_cost
        self.abstain_label = abstain_label
        self.cv = cv
        self.n_restarts = n_restarts
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None, **fit_params: Any) -> Self:
        """Fit the classifier on all cases and the weights on its scores."""
        y = column_or_1d(y, warn=True)
        assert_all_finite(y, input_name="y")
        check_classification_targets(y)
        # sparse and array-like inputs in a form whose rows can be taken
        X, y = indexable(X, y)
        if sample_weight is not None:
            sample_weight = _check_sample_weight(sample_weight, X)
        routed = self._routed(sample_weight, fit_params)
        self.classes_, codes = np.unique(y, return_inverse=True)
        names = self.classes_.tolist()
        self.abstain_label_ = default_label(names) if self.abstain_label is None else self.abstain_label
        if self.abstain_cost is not None:
            if self.abstain_label_ in names:
                raise input_error(
                    "abstain_label",
                    "must not be one of the classes",
                    repr(self.abstain_label_),
                    "choose another label.",
                )
            if isinstance(self.abstain_label_, str) != (self.classes_.dtype.kind in "UOST"):
                raise input_error(
                    "abstain_label",
                    "must be text for text classes and a number for numbers",
                    repr(self.abstain_label_),
                    "abstain_label='abstain' suits text classes.",
                )
        self.estimator_ = clone(self.estimator).fit(X, y, **routed.estimator.fit)
        take_features(self, self.estimator_)
        priors, abstain_cost = (
            None if getattr(self, name) is None else by_class(getattr(self, name), name, names)
            for name in ("priors", "abstain_cost")
        )
        costs = 1.0 - np.eye(len(names)) if self.costs is None else self.costs
        seed = self.random_state
        if seed is not None and not isinstance(seed, (int, np.integer)):
            seed = check_random_state(seed).randint(2**31 - 1)
        self.rule_ = optimize_weights(
            self._training_scores(X, y, codes, routed.estimator.fit),
            codes,
            # class positions as names, after checking the user's names
            as_cost_matrix(costs, names).values,
            classes=range(len(names)),
            priors=priors,
            sample_weight=sample_weight,
            method=self.method,
            family=self.family,  # type: ignore[arg-type]
            abstain_cost=abstain_cost,
            log=True,
            n_restarts=self.n_restarts,
            rng=None if seed is None else int(seed),
        )
        return self

    def _routed(self, sample_weight: Any, fit_params: dict[str, Any]) -> Any:
        """Parameters of the inner ``fit``; without routing it gets all it can take."""
        if get_config()["enable_metadata_routing"]:
            return process_routing(self, "fit", sample_weight=sample_weight, **fit_params)
        if sample_weight is not None and "sample_weight" in signature(self.estimator.fit).parameters:
            fit_params = {**fit_params, "sample_weight": sample_weight}
        return Bunch(estimator=Bunch(fit=fit_params))

    def _training_scores(self, X: Any, y: Any, codes: IntArray, fit_params: dict[str, Any]) -> FloatArray:
        """Log scores of every case by a model that did not see it (cv=None: by the final model)."""
        rarest = int(np.bincount(codes).min())
        folds = min(self.cv, rarest) if isinstance(self.cv, int) else self.cv
        if folds is None or (isinstance(folds, int) and folds < 2):
            return self._log_scores(self.estimator_, X)
        scores = np.full((len(codes), len(self.classes_)), -np.inf)
        for train, test in check_cv(folds, y, classifier=True).split(X, y):
            params = _check_method_params(X, fit_params, indices=train)
            model = clone(self.estimator).fit(_safe_indexing(X, train), y[train], **params)
            # a class that a fold has not seen keeps the score 0
            columns = np.searchsorted(self.classes_, model.classes_)
            scores[np.ix_(test, columns)] = self._log_scores(model, _safe_indexing(X, test))
        unscored = np.isneginf(scores.max(axis=1))
        if unscored.any():
            raise input_error(
                "cv",
                "must put every case in a test fold",
                f"{int(unscored.sum())} cases in none",
                "use KFold kinds.",
            )
        return scores

    def _log_scores(self, model: Any, X: Any) -> FloatArray:
        for name in _SCORERS:
            if hasattr(model, name):
                values = np.asarray(getattr(model, name)(X), dtype=np.float64)
                if name == "predict_proba":
                    with np.errstate(divide="ignore"):
                        values = np.log(values)
                return values
        raise InputError(
            f"`estimator` must have predict_proba, got {type(model).__name__}. "
            "Hint: wrap it in CalibratedClassifierCV."
        )

    def predict(self, X: Any) -> Any:
        """The cheapest answers: class labels, and `abstain_label` where it abstains."""
        check_is_fitted(self)
        codes = self.rule_.decide(self._log_scores(self.estimator_, X), log=True)
        if self.abstain_cost is None:
            return self.classes_[codes]
        return named_answers(codes, self.classes_.tolist(), self.abstain_label_)

    @available_if(inner_has("predict_proba"))  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Any:
        """Probabilities of the fitted classifier, not weighted."""
        check_is_fitted(self)
        return self.estimator_.predict_proba(X)

    def get_metadata_routing(self) -> Any:
        """Say where ``fit`` parameters go: ``sample_weight`` to the weights, all requested ones inwards."""
        mapping = MethodMapping().add(caller="fit", callee="fit")
        return (
            MetadataRouter(owner=self)
            .add_self_request(self)
            .add(estimator=get_routing_for_object(self.estimator), method_mapping=mapping)
        )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = get_tags(self.estimator).input_tags.sparse
        return tags
