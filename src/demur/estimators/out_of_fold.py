"""Out-of-fold responses, and what all classifiers share that learn when to abstain from them.

A rule chosen on cases the model was fitted to would be too bold: there the model looks better
than it is. Every case is therefore scored by a model fitted without it, and the pooled scores
choose the rule; the model in use is then fitted to all cases.
"""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from numbers import Number
from typing import Any, NamedTuple, Self

import numpy as np
from sklearn import get_config
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import StratifiedKFold, check_cv
from sklearn.utils import Bunch, _safe_indexing, get_tags, indexable
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    _check_method_params,
    check_consistent_length,
    check_is_fitted,
    column_or_1d,
    has_fit_parameter,
)

from demur._checks import check_choice, check_columns, check_scores, check_weights, input_error
from demur._checks.arrays import is_missing
from demur.exceptions import InputError
from demur.policy.labels import free_label
from demur.surface.window import ABSTAIN
from demur.typing import FloatArray, IntArray

__all__ = [
    "AbstainingPredictions",
    "OutOfFoldClassifier",
    "TrainingCases",
    "TwoClassMixin",
    "check_outcomes",
    "class_probabilities",
    "default_label",
    "fixed_splits",
    "inner_has",
    "out_of_fold",
    "positive_scores",
    "take_features",
    "training_cases",
    "weight_params",
]

_DEFAULT_FOLDS = 5
_RESPONSES = ("predict_proba", "decision_function")


# ---------------------------------------------------------------- responses


def positive_scores(estimator: Any, X: Any, positive: Any, method: str = "auto") -> FloatArray:
    """Return one score per case, higher for the class `positive` of two."""
    check_choice(method, "response_method", ("auto", *_RESPONSES))
    wanted = _RESPONSES if method == "auto" else (method,)
    usable = [name for name in wanted if hasattr(estimator, name)]
    if not usable:
        raise input_error("estimator", f"must have {' or '.join(wanted)}", type(estimator).__name__)
    values = np.asarray(getattr(estimator, usable[0])(X), dtype=np.float64)
    column = list(estimator.classes_).index(positive)
    if values.ndim == 2:
        values = values[:, column]
    elif column == 0:
        values = -values
    return check_scores(values, f"{usable[0]} of the estimator")


def class_probabilities(estimator: Any, X: Any) -> FloatArray:
    """Return one row per case that sums to 1 in double precision."""
    if not hasattr(estimator, "predict_proba"):
        raise input_error(
            "estimator",
            "must have predict_proba",
            type(estimator).__name__,
            "wrap it in sklearn.calibration.CalibratedClassifierCV.",
        )
    rows = check_columns(estimator.predict_proba(X), "predict_proba of the estimator")
    return np.asarray(rows / rows.sum(axis=1, keepdims=True))


# ---------------------------------------------------------------- training cases


class TrainingCases(NamedTuple):
    """Checked cases of `fit`, or some of them.

    Element i of `codes` is the index of the label of case i in `classes`, and of `rows` its row in `fit`.
    """

    labels: Any
    classes: Any
    codes: IntArray
    weights: FloatArray | None
    rows: IntArray

    def at(self, rows: IntArray) -> TrainingCases:
        """Return some of the cases."""
        weights = None if self.weights is None else self.weights[rows]
        return TrainingCases(self.labels[rows], self.classes, self.codes[rows], weights, self.rows[rows])


def training_cases(owner: Any, y: Any, sample_weight: Any) -> TrainingCases:
    """Check labels and weights; the features are left to the inner estimator."""
    if y is None:
        raise InputError(
            f"{type(owner).__name__} requires y to be passed, but the target y is None. "
            "Hint: pass one label per case."
        )
    labels = column_or_1d(y, warn=True)
    if len(labels) == 0:
        raise input_error("y", "must hold at least one case", "0 sample(s)")
    check_classification_targets(labels)
    if labels.dtype.kind == "f" and not np.all(np.isfinite(labels)):
        raise input_error("y", "must not contain NaN or infinity", "some", "drop those cases.")
    weights = None if sample_weight is None else check_weights(np.asarray(sample_weight))
    check_consistent_length(labels, weights)
    classes, codes = np.unique(labels, return_inverse=True)
    if len(classes) < 2:
        raise input_error("y", "must hold at least two classes", f"one class ({classes.tolist()[0]!r})")
    return TrainingCases(labels, classes, codes, weights, np.arange(len(codes)))


def weight_params(estimator: Any, sample_weight: Any, params: dict[str, Any]) -> dict[str, Any]:
    """Return the weights as an argument of `fit`, or say that the estimator cannot take them."""
    if sample_weight is None:
        return {}
    if has_fit_parameter(estimator, "sample_weight"):
        return {"sample_weight": np.asarray(sample_weight)}
    if not any(name.endswith("sample_weight") for name in params):
        warnings.warn(
            f"{type(estimator).__name__}.fit takes no sample_weight, so it is fitted without the weights; "
            "only the rule that abstains uses them. Hint: enable metadata routing, or pass the weights of a "
            "step of a pipeline by its name, such as logisticregression__sample_weight.",
            UserWarning,
            stacklevel=4,
        )
    return {}


def default_label(classes: list[Any]) -> Any:
    """Return "abstain" beside strings and -1 beside anything else, or the next label that is no class."""
    if all(isinstance(value, str) for value in classes):
        return free_label(*classes)
    return next(label for label in (ABSTAIN, *range(len(classes) + 1)) if label not in classes)


def check_outcomes(labels: Any, abstain_label: Any) -> Any:
    """Return the array of all predictions: the labels in order, the abstain label last.

    Decisions index it: `ABSTAIN` is -1, the last element. None stands for a label that is free.
    """
    if abstain_label is None:
        abstain_label = default_label(np.asarray(labels).tolist())
    if is_missing(abstain_label) or np.ndim(abstain_label):
        raise input_error("abstain_label", "must be one value that is not missing", repr(abstain_label))
    known = np.asarray(labels)
    values = known.tolist()
    strings = all(isinstance(value, str) for value in values)
    if strings and not isinstance(abstain_label, str):
        raise input_error(
            "abstain_label",
            f"must be a string where the classes are strings ({values[0]!r}, ...)",
            repr(abstain_label),
            'pass abstain_label="abstain".',
        )
    if abstain_label in values:
        raise input_error(
            "abstain_label",
            f"must not be one of the classes {values}",
            repr(abstain_label),
            "an abstention could not be told from that class; choose another value.",
        )
    numbers = known.dtype.kind in "biuf" and isinstance(abstain_label, (Number, np.number))
    if numbers or (strings and known.dtype.kind != "O"):
        return np.array([*values, abstain_label])
    return np.array([*values, abstain_label], dtype=object)


def take_features(owner: Any, fitted: Any) -> None:
    """Take number and names of the features from a fitted classifier."""
    for name in ("n_features_in_", "feature_names_in_"):
        if hasattr(fitted, name):
            setattr(owner, name, getattr(fitted, name))


class AbstainingPredictions(ClassifierMixin):  # type: ignore[misc]
    """Labels of decisions: `_outcomes` holds the classes and, last, the label of an abstention."""

    abstain_label: Any
    _outcomes: Any

    def _checked_cases(self, X: Any, y: Any, sample_weight: Any) -> tuple[Any, TrainingCases]:
        """Check the arguments of `fit`; note the classes and all predictions."""
        X, _ = indexable(X, y)
        cases = training_cases(self, y, sample_weight)
        self.classes_ = cases.classes
        self._outcomes = check_outcomes(self._labels_of_codes(cases.classes), self.abstain_label)
        return X, cases

    def _labels_of_codes(self, classes: Any) -> Any:
        """Labels in the order of the decisions."""
        return classes

    @abstractmethod
    def decide(self, X: Any) -> IntArray:
        """Return the index of the class for every case, `ABSTAIN` where it is abstained on."""

    @property
    def abstain_label_(self) -> Any:
        """Prediction for cases abstained on."""
        return self._outcomes[-1:].tolist()[0]

    def predict(self, X: Any) -> Any:
        """Return the label for every case, `abstain_label_` where it is abstained on."""
        decided = self.decide(X)
        return self._outcomes[decided]

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the share of cases answered rightly; the higher the better. An abstention is no answer."""
        decided = self.decide(X)
        right = (self._outcomes[decided] == column_or_1d(y)) & (decided != ABSTAIN)
        return float(np.average(right, weights=check_weights(sample_weight)))


class TwoClassMixin(ClassifierMixin):  # type: ignore[misc]
    """Classifier of two classes, one of them positive."""

    pos_label: Any

    def _labels_of_codes(self, classes: Any) -> Any:
        """Return the negative and the positive label."""
        if len(classes) != 2:
            raise InputError(
                f"Only binary classification is supported by {type(self).__name__}. The type of the target "
                f"is multiclass, got {len(classes)} classes. Hint: use CautiousClassifier."
            )
        if self.pos_label is None:
            return classes
        if self.pos_label not in classes.tolist():
            rule = f"must be one of the classes {classes.tolist()}"
            raise input_error("pos_label", rule, repr(self.pos_label))
        return classes if classes[1] == self.pos_label else classes[::-1]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags


# ---------------------------------------------------------------- out of fold


def out_of_fold(
    estimator: Any,
    X: Any,
    cases: TrainingCases,
    *,
    cv: Any,
    refit: bool,
    respond: Callable[[Any, Any], Any],
    fit_params: dict[str, Any],
    split_params: dict[str, Any],
) -> tuple[Any, TrainingCases, Any]:
    """Fit clones on parts of the cases, collect their responses to the rest, fit to all cases.

    Returns the fitted model, and the cases that were held out with the response to each by a model that had
    not seen it.
    """
    if isinstance(cv, str):
        check_choice(cv, "cv", ("prefit",))
        try:
            check_is_fitted(estimator)
        except NotFittedError:
            raise input_error(
                "estimator",
                "must be fitted where cv='prefit'",
                f"an unfitted {type(estimator).__name__}",
                "fit it on other cases first, or pass cv=5.",
            ) from None
        if not hasattr(estimator, "classes_"):
            raise input_error("estimator", "must be a classifier with classes_", type(estimator).__name__)
        unknown = sorted(set(np.asarray(estimator.classes_).tolist()) ^ set(cases.classes.tolist()), key=repr)
        if unknown:
            raise input_error(
                "y", "must hold the classes the estimator was fitted to", f"a difference in {unknown}"
            )
        return estimator, cases, respond(estimator, X)
    rows, responses, fitted = [], [], None
    for train, test in _splits(cv, X, cases, split_params):
        part = _check_method_params(X, fit_params, indices=train)
        fitted = clone(estimator).fit(_safe_indexing(X, train), cases.labels[train], **part)
        rows.append(test)
        responses.append(respond(fitted, _safe_indexing(X, test)))
    if refit:
        fitted = clone(estimator).fit(X, cases.labels, **_check_method_params(X, fit_params))
    elif len(rows) > 1:
        raise input_error(
            "refit",
            "must be True with more than one fold (there would be several models)",
            f"False and {len(rows)} folds",
            "or pass a splitter with one split, such as ShuffleSplit(n_splits=1).",
        )
    return fitted, cases.at(np.concatenate(rows)), np.concatenate(responses)


def fixed_splits(cv: Any, X: Any, cases: TrainingCases) -> Any:
    """Return the splits as a list, so that several estimators see the same; "prefit" as it is."""
    return cv if isinstance(cv, str) else list(_splits(cv, X, cases, {}))


def _splits(
    cv: Any, X: Any, cases: TrainingCases, split_params: dict[str, Any]
) -> Iterator[tuple[IntArray, IntArray]]:
    """Yield the parts to fit and to score; every class is fitted, no case is scored twice."""
    rarest = int(np.bincount(cases.codes).min())
    if cv is None:
        cv = _DEFAULT_FOLDS if rarest < 2 else StratifiedKFold(min(_DEFAULT_FOLDS, rarest))
    if isinstance(cv, (int, np.integer)) and cv > rarest:
        hint = f"use cv={rarest}." if rarest >= 2 else "collect at least two cases of each class."
        n = len(cases.codes)
        raise input_error(
            "cv", f"must not exceed the cases of the rarest class ({rarest} of n_samples={n})", cv, hint
        )
    splitter = check_cv(cv, cases.labels, classifier=True)
    times_scored = np.zeros(len(cases.codes), dtype=np.int64)
    for train, test in splitter.split(X, cases.labels, **split_params):
        if max(train.max(initial=0), test.max(initial=0)) >= len(times_scored):
            raise input_error(
                "cv",
                f"must split the {len(times_scored)} cases at hand",
                "rows beyond them",
                "pass a splitter.",
            )
        missing = np.setdiff1d(np.arange(len(cases.classes)), cases.codes[train])
        if len(missing):
            raise input_error(
                "cv",
                "must leave cases of every class to fit",
                f"a fold without class {cases.classes.tolist()[missing[0]]!r}",
                "use a stratified splitter or collect more cases of that class.",
            )
        times_scored[test] += 1
        if times_scored.max() > 1:
            raise input_error(
                "cv",
                "must score every case at most once",
                type(splitter).__name__,
                "repeated scores of a case are not independent; use a splitter without repetition.",
            )
        yield train, test


# ---------------------------------------------------------------- the common part of the classifiers


def inner_has(name: str) -> Callable[[Any], bool]:
    """Tell `available_if` whether the inner estimator has a method."""

    def check(self: Any) -> bool:
        getattr(self.estimator_ if hasattr(self, "estimator_") else self.estimator, name)
        return True

    return check


class OutOfFoldClassifier(AbstainingPredictions, MetaEstimatorMixin, BaseEstimator, ABC):  # type: ignore[misc]
    """Meta-classifier whose rule is chosen from out-of-fold responses.

    Subclasses check their parameters in `_check`, turn cases into what the rule needs in
    `_respond`, choose the rule in `_choose` and apply it in `_decide`.
    """

    estimator: Any
    cv: Any
    refit: bool

    # ---------------------------------------------------------------- what subclasses say

    @abstractmethod
    def _check(self, cases: TrainingCases) -> None:
        """Check the parameters and set what `_respond` needs."""

    @abstractmethod
    def _respond(self, estimator: Any, X: Any) -> Any:
        """Return what the rule looks at, one row per case."""

    @abstractmethod
    def _choose(self, X: Any, held_out: TrainingCases, response: Any) -> None:
        """Choose the rule by the cases held out, and set the fitted attributes; `X` is of all cases."""

    @abstractmethod
    def _decide(self, response: Any) -> IntArray:
        """Apply the rule."""

    # ---------------------------------------------------------------- fit

    def fit(self, X: Any, y: Any, sample_weight: Any = None, **params: Any) -> Self:
        """Choose the rule from out-of-fold responses and fit the inner estimator to all cases.

        Parameters
        ----------
        X : array or data frame with one row per case
            Whatever the inner estimator takes.
        y : array of n labels
        sample_weight : array of n numbers >= 0, optional
            Weigh the cases for the rule, and for the inner estimator if it takes weights.
        **params
            Passed to `fit` of the inner estimator, or routed where metadata routing is enabled.
        """
        X, cases = self._checked_cases(X, y, sample_weight)
        self._check(cases)
        fit_params, split_params = self._routed(sample_weight, params)
        self.estimator_, held_out, response = out_of_fold(
            self.estimator,
            X,
            cases,
            cv=self.cv,
            refit=self.refit,
            respond=self._respond,
            fit_params=fit_params,
            split_params=split_params,
        )
        take_features(self, self.estimator_)
        self._choose(X, held_out, response)
        self.out_of_fold_rows_ = held_out.rows
        self.out_of_fold_decisions_ = self._decide(response)
        return self

    def _routed(self, sample_weight: Any, params: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        """Arguments of the inner `fit` and of `split`."""
        if get_config()["enable_metadata_routing"]:
            routed = process_routing(self, "fit", sample_weight=sample_weight, **params)
            splitter = routed.get("splitter", Bunch(split={}))
            return dict(routed.estimator.fit), dict(splitter.split)
        if isinstance(self.cv, str):  # fitted already
            return params, {}
        return {**params, **weight_params(self.estimator, sample_weight, params)}, {}

    def get_metadata_routing(self) -> MetadataRouter:
        """Return the router: weights for the rule, all for the inner `fit`, groups for the splitter."""
        mapping = MethodMapping().add(caller="fit", callee="fit")
        router = MetadataRouter(owner=type(self).__name__).add_self_request(self)
        router.add(estimator=self.estimator, method_mapping=mapping)
        if hasattr(self.cv, "split"):
            router.add(splitter=self.cv, method_mapping=MethodMapping().add(caller="fit", callee="split"))
        return router

    # ---------------------------------------------------------------- use

    def decide(self, X: Any) -> IntArray:
        """Return the decision for every case as a code; `ABSTAIN` where the case is abstained on."""
        check_is_fitted(self, "estimator_")
        return self._decide(self._respond(self.estimator_, X))

    @available_if(inner_has("predict_proba"))  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Any:
        """Return the probabilities of the inner estimator, unchanged."""
        check_is_fitted(self, "estimator_")
        return self.estimator_.predict_proba(X)

    @available_if(inner_has("decision_function"))  # type: ignore[untyped-decorator]
    def decision_function(self, X: Any) -> Any:
        """Return the scores of the inner estimator, unchanged."""
        check_is_fitted(self, "estimator_")
        return self.estimator_.decision_function(X)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inner = get_tags(self.estimator).input_tags
        tags.input_tags.sparse = inner.sparse
        tags.input_tags.pairwise = inner.pairwise
        tags.input_tags.allow_nan = inner.allow_nan
        return tags
