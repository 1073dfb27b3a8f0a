"""Out-of-fold responses, and what all classifiers share that learn when to abstain from them.

A rule chosen on cases the model was fitted to would be too bold: there the model looks better
than it is. Every case is therefore scored by a model fitted without it, and the pooled scores
choose the rule; the model in use is then fitted to all cases. Cases of one cluster are scored by a model
that knows none of them, and with times by a model of the past.
"""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable
from inspect import signature
from numbers import Number
from typing import Any, NamedTuple, Self

import numpy as np
from sklearn import get_config
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import check_cv
from sklearn.utils import Bunch, _safe_indexing, get_tags, indexable
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
    check_consistent_length,
    check_is_fitted,
    column_or_1d,
    has_fit_parameter,
)

from demur._checks import (
    check_choice,
    check_class_codes,
    check_columns,
    check_groups,
    check_scores,
    check_times,
    check_weights,
    input_error,
)
from demur._checks.arrays import is_missing
from demur._progress import Progress, log
from demur.costs.model import CostModel
from demur.exceptions import InputError
from demur.honest.cases import SplitCases, clusters_of
from demur.honest.splits import Rows, Splits, split_clusters
from demur.policy.labels import free_label
from demur.surface.window import ABSTAIN
from demur.typing import FloatArray, IntArray

__all__ = [
    "TRAINING",
    "AbstainingPredictions",
    "OutOfFoldClassifier",
    "TrainingCases",
    "TwoClassMixin",
    "check_outcomes",
    "class_probabilities",
    "inner_has",
    "inner_params",
    "out_of_fold",
    "positive_scores",
    "split_metadata",
    "split_training",
    "take_features",
    "training_cases",
]

TRAINING = object()
"""In place of folds: models respond to the cases they were fitted to."""
_DEFAULT_FOLDS = 5
# blocks of time a model is fitted to before it scores the next; which of them are judged is not decided here
_FIRST_BLOCKS = 3
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
    `cluster` is None where every case is a cluster of its own.
    """

    labels: Any
    classes: Any
    codes: IntArray
    weights: FloatArray | None
    rows: IntArray
    cluster: IntArray | None = None
    time: Any = None

    def at(self, rows: IntArray) -> TrainingCases:
        """Return some of the cases."""
        weights, time = (None if column is None else column[rows] for column in (self.weights, self.time))
        labels, codes, cluster = self.labels[rows], self.codes[rows], clusters_of(self.cluster, rows)
        return TrainingCases(labels, self.classes, codes, weights, self.rows[rows], cluster, time)

    @property
    def metadata(self) -> dict[str, Any]:
        """What is known of the cases beside their labels, by the names of arguments."""
        known = {"sample_weight": self.weights, "groups": self.cluster, "time": self.time}
        return {name: column for name, column in known.items() if column is not None}

    @property
    def rarest(self) -> int:
        """Number of cases of the rarest class, or of clusters that hold some."""
        width = len(self.classes)
        own = self.codes if self.cluster is None else np.unique(self.cluster * width + self.codes) % width
        return int(np.unique(own, return_counts=True)[1].min())


def training_cases(
    owner: Any, y: Any, sample_weight: Any = None, groups: Any = None, time: Any = None
) -> TrainingCases:
    """Check labels, weights, clusters and times; the features are left to the inner estimator."""
    if y is None:
        raise InputError(
            f"{type(owner).__name__} requires y to be passed, but the target y is None. "
            "Hint: pass one label per case."
        )
    labels = column_or_1d(y, warn=True)
    if len(labels) == 0:
        raise input_error("y", "must hold at least one case", "0 sample(s)")
    if labels.dtype.kind == "f" and not np.all(np.isfinite(labels)):
        raise input_error("y", "must not contain NaN or infinity", "some", "drop those cases.")
    check_classification_targets(labels)
    weights = None if sample_weight is None else check_weights(np.asarray(sample_weight))
    check_consistent_length(labels, weights)
    classes, codes = np.unique(labels, return_inverse=True)
    if len(classes) < 2:
        raise input_error("y", "must hold at least two classes", f"one class ({classes.tolist()[0]!r})")
    rows = np.arange(len(codes))
    cluster = clusters_of(check_groups(groups, len(rows), "y"), rows)
    return TrainingCases(labels, classes, codes, weights, rows, cluster, check_times(time, len(rows), "y"))


def inner_params(estimator: Any, params: dict[str, Any], metadata: dict[str, Any]) -> dict[str, Any]:
    """Return what the inner `fit` gets without routing: what is meant for it, and the metadata it names."""
    named = {name: value for name, value in metadata.items() if has_fit_parameter(estimator, name)}
    unused = "sample_weight" in metadata and "sample_weight" not in named
    if unused and not any(name.endswith("sample_weight") for name in params):
        warnings.warn(
            f"{type(estimator).__name__}.fit takes no sample_weight, so it is fitted without the weights; "
            "only the rule that abstains uses them. Hint: enable metadata routing, or pass the weights of a "
            "step of a pipeline by its name, such as logisticregression__sample_weight.",
            UserWarning,
            stacklevel=4,
        )
    return {**params, **named}


def split_metadata(cv: Any, groups: Any) -> dict[str, Any]:
    """Return what a splitter gets without routing: clusters, where it asks for them."""
    if groups is None or not hasattr(cv, "split"):
        return {}
    if hasattr(cv, "get_metadata_routing"):
        # all splitters of scikit-learn take groups; those that make no use of them warn
        asked = bool(get_routing_for_object(cv).consumes("split", ["groups"]))
    else:
        asked = "groups" in signature(cv.split).parameters
    return {"groups": groups} if asked else {}


def check_outcomes(labels: Any, abstain_label: Any) -> Any:
    """Return the array of all predictions: the labels in order, the abstain label last.

    Decisions index it: `ABSTAIN` is -1, the last element. None stands for a label that is free: "abstain"
    beside strings and -1 beside anything else, or the next one that is no class.
    """
    known = np.asarray(labels)
    values = known.tolist()
    strings = all(isinstance(value, str) for value in values)
    if abstain_label is None:
        numbered = (label for label in (ABSTAIN, *range(len(values) + 1)) if label not in values)
        abstain_label = free_label(*values) if strings else next(numbered)
    if is_missing(abstain_label) or np.ndim(abstain_label):
        raise input_error("abstain_label", "must be one value that is not missing", repr(abstain_label))
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

    def _checked_cases(self, X: Any, y: Any, *metadata: Any) -> tuple[Any, TrainingCases]:
        """Check the arguments of `fit`; note the classes and all predictions."""
        X, _ = indexable(X, y)
        cases = training_cases(self, y, *metadata)
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
    _outcomes: Any

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

    def _minus_cost(
        self, costs: CostModel, y: Any, decided: IntArray, sample_weight: Any, fees: Any = 0.0
    ) -> float:
        """Return minus the cost per case of decisions, with what was paid to come to them."""
        actual = check_class_codes(column_or_1d(y), 2, self._outcomes[:2], name="y")
        losses = costs.losses.table[actual, decided] + fees
        return -float(np.average(losses, weights=check_weights(sample_weight)))

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
    every_class: bool = True,
) -> tuple[Any, TrainingCases, Any]:
    """Fit clones on parts of the cases, collect their responses to the rest, fit to all cases.

    Returns the fitted model, and the cases that were held out with the response to each by a model that had
    not seen it; with `TRAINING` its responses to the cases it was fitted to. With `every_class` parts to fit
    must hold every class.
    """
    if cv is TRAINING:
        fitted = clone(estimator).fit(X, cases.labels, **_check_method_params(X, fit_params))
        return fitted, cases, respond(fitted, X)
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
    parts = split_training(cv, X, cases, split_params)
    if len(parts) > 1 and not refit:
        raise input_error(
            "refit",
            "must be True with more than one fold (there would be several models)",
            f"False and {len(parts)} folds",
            "or pass a splitter with one split, such as ShuffleSplit(n_splits=1).",
        )
    responses, fitted = [], None
    log.debug(
        "cross-fitting %s to %d cases, %d folds", type(estimator).__name__, len(cases.codes), len(parts)
    )
    with Progress(len(parts) + refit, "cross-fitting", "models") as progress:
        for train, test in parts:
            missing = np.setdiff1d(np.arange(len(cases.classes)), cases.codes[train])
            if len(missing) and every_class:
                raise input_error(
                    "cv" if cases.time is None else "time",
                    "must leave cases of every class to fit",
                    f"a fold without class {cases.classes.tolist()[missing[0]]!r}",
                    "use a stratified splitter or collect more cases of that class.",
                )
            part = _check_method_params(X, fit_params, indices=train)
            fitted = clone(estimator).fit(_safe_indexing(X, train), cases.labels[train], **part)
            responses.append(respond(fitted, _safe_indexing(X, test)))
            progress.advance()
        if refit:
            fitted = clone(estimator).fit(X, cases.labels, **_check_method_params(X, fit_params))
            progress.advance()
    return fitted, cases.at(np.concatenate([test for _, test in parts])), np.concatenate(responses)


def split_training(
    cv: Any, X: Any, cases: TrainingCases, split_params: dict[str, Any]
) -> list[tuple[IntArray, IntArray]]:
    """Return the parts to fit and to score: none by a model of the same clusters, of the future, or twice.

    A number of folds deals out clusters where cases form some; with times there are blocks instead.
    """
    counted = cv is None or isinstance(cv, (int, np.integer))
    if counted and cases.time is None:
        cv = min(_DEFAULT_FOLDS, max(cases.rarest, 2)) if cv is None else cv
        if cv > cases.rarest:
            what, every = "cases", f"n_samples={len(cases.codes)}"
            if cases.cluster is not None:
                what, every = "clusters", f"{cases.cluster.max() + 1} clusters"
            enough = cases.rarest >= 2
            raise input_error(
                "cv",
                f"must not exceed the {what} of the rarest class ({cases.rarest} of {every})",
                cv,
                f"use cv={cases.rarest}." if enough else f"collect at least two {what} of each class.",
            )
    if counted and (cases.cluster is not None or cases.time is not None):
        return _whole_units(cases, cv)
    splitter = check_cv(cv, cases.labels, classifier=True)
    parts = list(splitter.split(X, cases.labels, **split_params))
    _check_parts(parts, cases, type(splitter).__name__)
    return parts


def _whole_units(cases: TrainingCases, folds: int) -> list[tuple[IntArray, IntArray]]:
    """Split by cluster or, with times, into blocks scored from those before, without their own clusters."""
    ones, fold = np.ones(len(cases.codes)), np.zeros(len(cases.codes), dtype=np.int64)
    if cases.time is None and cases.cluster is not None:
        (fold,) = split_clusters(cases.codes, cases.cluster, folds=folds, repeats=1, rng=0)
    splits = Splits((Rows(np.arange(len(fold)), fold, ones),), folds)
    split = SplitCases(
        cases.codes, ones, splits, None, "rows", None, n_classes=len(cases.classes), cluster=cases.cluster
    )
    if cases.time is not None:
        split = split.by_time(cases.time)
    first, fold = min(_FIRST_BLOCKS, split.splits.first), split.splits.repeats[0].fold
    return [
        (np.flatnonzero(split.trains(0, held)), np.flatnonzero(fold == held))
        for held in range(first, split.folds)
    ]


def _check_parts(parts: list[tuple[IntArray, IntArray]], cases: TrainingCases, name: str) -> None:
    """Refuse splits of a user that would flatter."""
    times_scored = np.zeros(len(cases.codes), dtype=np.int64)
    for train, test in parts:
        if max(train.max(initial=0), test.max(initial=0)) >= len(times_scored):
            raise input_error(
                "cv",
                f"must split the {len(times_scored)} cases at hand",
                "rows beyond them",
                "pass a splitter.",
            )
        if cases.cluster is not None and np.isin(cases.cluster[test], cases.cluster[train]).any():
            raise input_error(
                "cv",
                "must keep the cases of a cluster together where groups are given",
                name,
                "leave it out, pass a number, or use StratifiedGroupKFold.",
            )
        parted = cases.time is not None and len(train) and len(test)
        if parted and cases.time[train].max() > cases.time[test].min():
            raise input_error(
                "cv", "must score no case by a model of later ones where time is given", name, "leave it out."
            )
        times_scored[test] += 1
    if times_scored.max() > 1:
        raise input_error(
            "cv",
            "must score every case at most once",
            name,
            "repeated scores of a case are not independent; use a splitter without repetition.",
        )


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
    `_respond`, choose the rule in `_choose` and apply it in `_decide`. `_judges` tells whether they say what
    the rule costs: then clusters and times matter without folds, too. `_every_class` tells whether models
    must have seen every class.
    """

    estimator: Any
    cv: Any
    refit: bool
    _judges = False
    _every_class = True
    __metadata_request__fit = {"groups": True, "time": True}  # noqa: RUF012 - as scikit-learn's splitters do

    # ---------------------------------------------------------------- what subclasses say

    def _check(self, cases: TrainingCases) -> None:
        """Check the parameters and set what `_respond` needs."""

    def _folds(self, cases: TrainingCases) -> Any:
        """Return how cases are split, as `out_of_fold` takes it."""
        return self.cv

    @abstractmethod
    def _respond(self, estimator: Any, X: Any) -> Any:
        """Return what the rule looks at, one row per case."""

    @abstractmethod
    def _choose(self, X: Any, cases: TrainingCases, held_out: TrainingCases, response: Any) -> None:
        """Choose the rule by the cases held out, and set the fitted attributes; `X` is of all `cases`."""

    @abstractmethod
    def _decide(self, response: Any) -> IntArray:
        """Apply the rule."""

    # ---------------------------------------------------------------- fit

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        groups: Any = None,
        time: Any = None,
        **params: Any,
    ) -> Self:
        """Choose the rule from out-of-fold responses and fit the inner estimator to all cases.

        Arguments are those of `AbstainingClassifier.fit`, without amounts.
        """
        X, cases = self._checked_cases(X, y, sample_weight, groups, time)
        self._check(cases)
        given = {"sample_weight": sample_weight, "groups": groups, "time": time}
        metadata = {name: np.asarray(value) for name, value in given.items() if value is not None}
        cv, unused = self._folds(cases), [name for name in ("groups", "time") if name in metadata]
        if unused and not self._judges and (cv is TRAINING or isinstance(cv, str)):
            raise InputError(
                f"`{unused[0]}` has no use with cv={self.cv!r}, which makes no folds. Hint: leave it out."
            )
        fit_params, split_params = self._routed(metadata, params)
        with Progress(None, f"fitting {type(self).__name__}"):
            self.estimator_, held_out, response = out_of_fold(
                self.estimator,
                X,
                cases,
                cv=cv,
                refit=self.refit,
                respond=self._respond,
                fit_params=fit_params,
                split_params=split_params,
                every_class=self._every_class,
            )
            take_features(self, self.estimator_)
            self._choose(X, cases, held_out, response)
        self.out_of_fold_rows_ = held_out.rows
        self.out_of_fold_decisions_ = self._decide(response)
        return self

    def _routed(
        self, metadata: dict[str, Any], params: dict[str, Any]
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Arguments of the inner `fit` and of `split`."""
        if get_config()["enable_metadata_routing"]:
            routed = process_routing(self, "fit", **metadata, **params)
            splitter = routed.get("splitter", Bunch(split={}))
            return dict(routed["estimator"].fit), dict(splitter.split)
        if isinstance(self.cv, str):  # fitted already
            return params, {}
        return inner_params(self.estimator, params, metadata), split_metadata(self.cv, metadata.get("groups"))

    def get_metadata_routing(self) -> MetadataRouter:
        """Return the router: weights, clusters and times for the rule, all for the inner `fit`."""
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
