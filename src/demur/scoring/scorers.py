"""Scorers for `GridSearchCV` and `cross_validate`, and the answers of a classifier that they count."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator

from demur._checks import check_type, check_weights, input_error
from demur._checks.arrays import is_missing
from demur.cautious.confusion import CautiousConfusion, cautious_confusion
from demur.costs.matrix import CostMatrix, as_cost_matrix, by_class
from demur.costs.model import CostModel
from demur.exceptions import InputError, UndefinedError
from demur.surface.window import ABSTAIN
from demur.typing import BoolArray, FloatArray

__all__ = [
    "AbstentionScorer",
    "Answers",
    "abstain_label_of",
    "answers_of",
    "cost_scorer",
    "coverage_scorer",
    "make_abstention_scorer",
    "selective_accuracy_scorer",
]

_MOST_LAYERS = 10


class Answers(NamedTuple):
    """Answers of a classifier beside the truth.

    Attributes
    ----------
    actual, called : arrays of n labels
        True classes, and answers; `called` means nothing where the classifier abstains.
    abstained : array of n bool
        Where it abstains.
    weights : array of n numbers or None
        Weights of the cases.
    classes : list
        All classes, in the classifier's order.
    positive : label or None
        The positive class of two, where it is known.
    """

    actual: Any
    called: Any
    abstained: BoolArray
    weights: FloatArray | None
    classes: list[Any]
    positive: Any

    def confusion(self) -> CautiousConfusion:
        """Count answers and abstentions."""
        at = {label: code for code, label in enumerate(self.classes)}
        counted = cautious_confusion(
            [at[label] for label in self.actual.tolist()],
            # -1 is no index, so it is free to stand for an abstention
            [
                ABSTAIN if unknown else at[label]
                for label, unknown in zip(self.called.tolist(), self.abstained.tolist(), strict=True)
            ],
            labels=range(len(self.classes)),
            sample_weight=self.weights,
        )
        return CautiousConfusion(counted.matrix, tuple(self.classes))


def answers_of(
    estimator: Any, X: Any, y: Any, sample_weight: Any, *, abstain_label: Any, pos_label: Any
) -> Answers:
    """Ask a fitted classifier; refuse answers that are neither a class nor the abstain label."""
    called = np.asarray(estimator.predict(X))
    if called.ndim != 1:
        raise input_error("estimator", "must answer with one label per case", f"shape {called.shape}")
    actual = np.asarray(y)
    known = getattr(estimator, "classes_", None)
    classes: list[Any] = (np.unique(actual) if known is None else np.asarray(known)).tolist()
    label = abstain_label_of(estimator) if abstain_label is None else abstain_label
    if label is not None and not is_missing(label) and label in classes:
        raise input_error("abstain_label", f"must not be one of the classes {classes}", repr(label))
    abstained = np.zeros(len(called), dtype=np.bool_)
    if is_missing(label) and label is not None:
        abstained |= [is_missing(value) for value in called.tolist()]
    elif label is not None:
        # NumPy turns -1 beside words into the word "-1"
        text = called.dtype.kind in "US" and not isinstance(label, str)
        abstained |= np.asarray(called == (str(label) if text else label), dtype=np.bool_)
    _require_known(called[~abstained], classes, "The classifier answers")
    _require_known(actual, classes, "`y` holds")
    # the positive class: stated, the classifier's, or 1 among usual codes; None if nothing tells
    if pos_label is not None and pos_label not in classes:
        raise input_error("pos_label", f"must be one of the classes {classes}", repr(pos_label))
    owner = next((layer for layer in _layers(estimator) if hasattr(layer, "pos_label")), None)
    if pos_label is None and owner is not None:
        pos_label = classes[-1] if owner.pos_label is None else owner.pos_label
    elif pos_label is None and set(classes) in ({0, 1}, {-1, 1}):
        pos_label = 1
    return Answers(actual, called, abstained, check_weights(sample_weight), classes, pos_label)


def _layers(estimator: Any) -> Iterator[Any]:
    """Yield an estimator and those it wraps: the best of a search, the last step of a pipeline."""
    for _ in range(_MOST_LAYERS):
        yield estimator
        if hasattr(estimator, "best_estimator_"):
            estimator = estimator.best_estimator_
        elif getattr(estimator, "steps", None):
            estimator = estimator.steps[-1][1]
        elif type(estimator).__name__ == "FrozenEstimator":
            estimator = estimator.estimator
        else:
            return


def abstain_label_of(estimator: Any) -> Any:
    """Return the label the classifier declares for abstentions; None if it declares none."""
    # a fitted classifier knows what its default stands for
    labels = (
        getattr(layer, name)
        for layer in _layers(estimator)
        for name in ("abstain_label_", "abstain_label")
        if hasattr(layer, name)
    )
    return next(labels, None)


def _require_known(labels: Any, classes: list[Any], who: str) -> None:
    unknown = [value for value in dict.fromkeys(labels.tolist()) if is_missing(value) or value not in classes]
    if unknown:
        raise InputError(
            f"{who} {unknown[0]!r}, which is none of the classes {classes}. "
            "Hint: if it stands for an abstention, say so: abstain_label=..."
        )


class AbstentionScorer(BaseEstimator):  # type: ignore[misc]
    """A scorer that tells abstentions from errors; the higher, the better.

    Made by `cost_scorer` and `make_abstention_scorer`; `coverage_scorer` and
    `selective_accuracy_scorer` are two of them. Call it as scikit-learn does:
    ``scorer(estimator, X, y)``. An answer that is neither a class nor the abstain label is refused.

    Parameters
    ----------
    measure : callable
        From the answers of a classifier to a number.
    abstain_label : value, optional
        What `predict` answers where it abstains, NaN allowed; default: the `abstain_label` the
        classifier declares, also inside a pipeline or a search. Other classifiers never abstain.
    pos_label : label, optional
        The positive class of two; default: the classifier's, or 1 among labels 0, 1 and -1, 1.

    Examples
    --------
    A classifier of your own that abstains with "?":

    >>> from sklearn.base import clone
    >>> from demur.scoring import coverage_scorer
    >>> clone(coverage_scorer).set_params(abstain_label="?").abstain_label
    '?'
    """

    def __init__(self, measure: Any, *, abstain_label: Any = None, pos_label: Any = None) -> None:
        self.measure = measure
        self.abstain_label = abstain_label
        self.pos_label = pos_label

    def __call__(self, estimator: Any, X: Any, y_true: Any, sample_weight: Any = None) -> float:
        """Return the score of a fitted classifier on these cases."""
        return self.score(estimator, X, y_true, sample_weight=sample_weight)

    def score(self, estimator: Any, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the score of a fitted classifier on these cases; scikit-learn routes weights to it."""
        answers = answers_of(
            estimator, X, y, sample_weight, abstain_label=self.abstain_label, pos_label=self.pos_label
        )
        return float(self.measure(answers))


# ---------------------------------------------------------------- measures


@dataclass(frozen=True)
class _MinusCost:
    costs: Any
    abstain_cost: Any

    def __call__(self, answers: Answers) -> float:
        confusion, costs = answers.confusion(), self.costs
        if isinstance(costs, CostModel):
            if not costs.may_abstain and confusion.abstention == 0:
                # nothing to pay for
                costs = replace(costs, cost_abstain=0.0)
            return -confusion.cost(costs, pos_label=answers.positive)
        classes, price = answers.classes, self.abstain_cost
        if price is None and confusion.abstention > 0:
            raise InputError(
                "`abstain_cost` is needed: the classifier abstains. Hint: say what a review costs."
            )
        matrix = as_cost_matrix(costs, classes).arranged(classes)
        review = by_class(0.0 if price is None else price, "abstain_cost", classes)
        # rows answered, abstention last, and columns actual
        return -confusion.cost(np.vstack([matrix.values.T, review]))


def _coverage(answers: Answers) -> float:
    return answers.confusion().coverage


@dataclass(frozen=True)
class _OfDecided:
    score_func: Callable[..., Any]
    sign: int

    def __call__(self, answers: Answers) -> float:
        decided = ~answers.abstained
        if answers.weights is not None:
            decided &= answers.weights > 0
        if not decided.any():
            raise UndefinedError(
                "The classifier abstains on every case, so its decisions have no quality. "
                "Hint: score the cost, which counts abstentions."
            )
        weights = {} if answers.weights is None else {"sample_weight": answers.weights[decided]}
        called = answers.called[decided]
        # an array that once held the abstain label may be wider than the classes need
        kind = np.asarray(answers.classes).dtype
        return self.sign * float(self.score_func(answers.actual[decided], called.astype(kind), **weights))


# ---------------------------------------------------------------- scorers


def cost_scorer(
    costs: CostModel | CostMatrix | Any,
    *,
    abstain_cost: Any = None,
    abstain_label: Any = None,
    pos_label: Any = None,
) -> AbstentionScorer:
    """Make the scorer "minus the cost per case", abstentions at their own price; the higher the better.

    The prevalence is that of the cases scored. A classifier that never abstains is scored alike, so a
    search can tell whether abstaining pays.

    Parameters
    ----------
    costs : CostModel, or CostMatrix or mapping {true: {predicted: cost}} for any classes
        What errors cost; a `CostModel` also says what an abstention costs.
    abstain_cost : number, or one per class, optional
        Price of an abstention beside a `CostMatrix`.
    abstain_label, pos_label : optional
        As in `AbstentionScorer`.

    Returns
    -------
    AbstentionScorer
        For the `scoring` of `GridSearchCV`, `cross_validate` and others.

    Raises
    ------
    InputError
        When it scores: if a classifier abstains and nothing says what that costs, or answers
        something that is neither a class nor the abstain label.

    Notes
    -----
    Score = -(1/n) sum_i c(answer_i, y_i), with weights the weighted mean.

    Examples
    --------
    Does abstaining pay, and with which strength of the penalty? A miss costs 10, a false alarm 2, a
    review 0.3:

    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.model_selection import GridSearchCV
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from demur import AbstainingClassifier, CostModel
    >>> from demur.scoring import cost_scorer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> costs = CostModel(cost_fn=10, cost_fp=2, cost_abstain=0.3)
    >>> model = AbstainingClassifier(make_pipeline(StandardScaler(), LogisticRegression()), costs=costs)
    >>> grid = {"estimator__logisticregression__C": [0.001, 1.0]}
    >>> search = GridSearchCV(model, grid, scoring=cost_scorer(costs), cv=3).fit(X, y)
    >>> search.best_params_["estimator__logisticregression__C"], round(-float(search.best_score_), 2)
    (1.0, 0.1)
    """
    if isinstance(costs, CostModel):
        if abstain_cost is not None:
            raise input_error(
                "abstain_cost", "must be part of a CostModel", abstain_cost, "set cost_abstain."
            )
    elif not isinstance(costs, (CostMatrix, dict)):
        check_type(costs, "costs", CostModel)
    return AbstentionScorer(_MinusCost(costs, abstain_cost), abstain_label=abstain_label, pos_label=pos_label)


def make_abstention_scorer(
    score_func: Callable[..., Any],
    *,
    greater_is_better: bool = True,
    abstain_label: Any = None,
) -> AbstentionScorer:
    """Make a scorer that asks a stock metric about the decided cases only.

    Alone it rewards a classifier that decides little: look at `coverage_scorer` beside it, or search
    by `cost_scorer`, which counts abstentions.

    Parameters
    ----------
    score_func : callable
        ``score_func(y_true, y_pred)``, such as `sklearn.metrics.f1_score`; gets ``sample_weight=`` if
        the scorer does. Fix its options with `functools.partial`.
    greater_is_better : bool
        False turns the sign of a loss.
    abstain_label : optional
        As in `AbstentionScorer`.

    Raises
    ------
    UndefinedError
        When it scores: if every case is abstained on.

    Examples
    --------
    >>> from sklearn.dummy import DummyClassifier
    >>> from sklearn.metrics import recall_score
    >>> from demur.scoring import make_abstention_scorer
    >>> class Careful(DummyClassifier):
    ...     def predict(self, X):
    ...         return [{0: 0, 1: -1, 2: 1}[x] for x in X]
    >>> model = Careful().fit([0, 1, 2, 2], [0, 1, 0, 1])
    >>> make_abstention_scorer(recall_score, abstain_label=-1)(model, [0, 1, 2], [0, 1, 1])
    1.0
    """
    if not callable(score_func):
        raise input_error("score_func", "must be callable", repr(score_func))
    return AbstentionScorer(
        _OfDecided(score_func, 1 if greater_is_better else -1), abstain_label=abstain_label
    )


def _selective_accuracy(answers: Answers) -> float:
    accuracy = answers.confusion().accuracy
    if np.isnan(accuracy):
        raise UndefinedError(
            "The classifier abstains on every case, so no answer can be right. "
            "Hint: score the cost, which counts abstentions."
        )
    return accuracy


coverage_scorer = AbstentionScorer(_coverage)
"""Scorer: share of the cases that get an answer; the higher, the more is decided."""

selective_accuracy_scorer = AbstentionScorer(_selective_accuracy)
"""Scorer: share of right answers among the cases that get one; undefined where none does."""
