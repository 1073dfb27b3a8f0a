"""Figures of a fitted estimator: one way from `estimator, X, y` to what `from_predictions` takes."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, ClassVar, Self

import numpy as np

from demur._checks import input_error
from demur.estimators.out_of_fold import class_probabilities, positive_scores
from demur.scoring.answers import abstain_label_of

__all__ = ["FromEstimator"]

_Made = tuple[tuple[Any, ...], dict[str, Any]]


class FromEstimator:
    """Gives a Display `from_estimator` with the options of its `from_predictions`.

    `_asks` says what the figure needs of the estimator:

    ================= =================================================================
    "scores"          of the positive class of two (default)
    "unlabelled"      P(positive) of cases without labels
    "probabilities"   of all classes
    "weighted"        the same, before the labels, for rules of class weights
    "losses"          1 where the most probable class is wrong, and its probability
    "answers"         labels, abstentions among them
    "forecasts"       numbers of a regressor
    ================= =================================================================
    """

    _asks: ClassVar[str] = "scores"
    from_predictions: ClassVar[Callable[..., Any]]

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "from_predictions" in cls.__dict__ or "_asks" in cls.__dict__:
            cls.from_estimator = classmethod(_with_options(cls))  # type: ignore[assignment,method-assign]

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: Any = None, *, name: str | None = None, **options: Any
    ) -> Self:
        """Draw a fitted estimator on cases it was not fitted to; options as in `from_predictions`.

        Where the figure needs scores of two classes, `response_method` and `pos_label` choose them as
        in scikit-learn's displays.
        """
        wanted, settings = _RESPONSES[cls._asks](estimator, X, y, options)
        shown = type(estimator).__name__ if name is None else name
        display: Self = cls.from_predictions(*wanted, name=shown, **{**options, **settings})
        return display


def _with_options(kind: type[FromEstimator]) -> Any:
    """Return `from_estimator` with the options written out, for `help` and for editors."""

    def from_estimator(cls: Any, estimator: Any, X: Any, y: Any = None, **options: Any) -> Any:
        return FromEstimator.from_estimator.__func__(cls, estimator, X, y, **options)  # type: ignore[attr-defined]

    from_estimator.__doc__ = FromEstimator.from_estimator.__doc__
    from_estimator.__qualname__ = f"{kind.__qualname__}.from_estimator"
    own = inspect.signature(FromEstimator.from_estimator.__func__).parameters  # type: ignore[attr-defined]
    given = inspect.signature(kind.from_predictions).parameters.values()
    data = _DATA[kind._asks]
    offered = [
        one.replace(kind=one.KEYWORD_ONLY)
        for one in list(given)[data:]
        # told by the estimator itself
        if one.name not in _TOLD[kind._asks]
    ]
    if kind._asks == "scores":
        offered.append(inspect.Parameter("response_method", inspect.Parameter.KEYWORD_ONLY, default="auto"))
    shown = [own["cls"], own["estimator"], own["X"]]
    if kind._asks != "unlabelled":
        shown.append(own["y"].replace(default=inspect.Parameter.empty))
    from_estimator.__signature__ = inspect.Signature([*shown, *offered])  # type: ignore[attr-defined]
    return from_estimator


# ---------------------------------------------------------------- what an estimator answers


def _two_classes(estimator: Any, pos_label: Any) -> Any:
    """Return the positive class of a fitted classifier of two."""
    classes = np.asarray(getattr(estimator, "classes_", [])).tolist()
    if len(classes) != 2:
        shown = f"{type(estimator).__name__} with {len(classes)} classes"
        raise input_error("estimator", "must be a fitted classifier of two classes", shown)
    positive = classes[1] if pos_label is None else pos_label
    if positive not in classes:
        raise input_error("pos_label", f"must be one of the classes {classes}", repr(pos_label))
    return positive


def _scores(estimator: Any, X: Any, y: Any, options: dict[str, Any]) -> _Made:
    positive = _two_classes(estimator, options.get("pos_label"))
    scores = positive_scores(estimator, X, positive, options.pop("response_method", "auto"))
    return (y, scores), {"pos_label": positive}


def _unlabelled(estimator: Any, X: Any, y: Any, options: dict[str, Any]) -> _Made:
    if y is not None:
        raise input_error("y", "must be left out: this figure needs no labels", type(y).__name__)
    return (positive_scores(estimator, X, _two_classes(estimator, None), "predict_proba"),), {}


def _probabilities(estimator: Any, X: Any, y: Any, options: dict[str, Any]) -> _Made:
    return (y, class_probabilities(estimator, X)), {"labels": estimator.classes_.tolist()}


def _weighted(estimator: Any, X: Any, y: Any, options: dict[str, Any]) -> _Made:
    return (class_probabilities(estimator, X), y), {}


def _losses(estimator: Any, X: Any, y: Any, options: dict[str, Any]) -> _Made:
    proba = class_probabilities(estimator, X)
    called = np.asarray(estimator.classes_)[proba.argmax(axis=1)]
    return ((called != np.asarray(y)).astype(np.float64), proba.max(axis=1)), {}


def _answers(estimator: Any, X: Any, y: Any, options: dict[str, Any]) -> _Made:
    declared = abstain_label_of(estimator)
    return (y, estimator.predict(X)), {} if declared is None else {"abstain": declared}


def _forecasts(estimator: Any, X: Any, y: Any, options: dict[str, Any]) -> _Made:
    return (y, estimator.predict(X)), {}


_RESPONSES = {
    "scores": _scores,
    "unlabelled": _unlabelled,
    "probabilities": _probabilities,
    "weighted": _weighted,
    "losses": _losses,
    "answers": _answers,
    "forecasts": _forecasts,
}
# how many arguments of `from_predictions` the estimator gives, and which options it tells itself
_DATA = {name: 1 if name == "unlabelled" else 2 for name in _RESPONSES}
_TOLD = {name: ("labels",) if name == "probabilities" else () for name in _RESPONSES}
