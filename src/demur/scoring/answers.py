"""What a fitted classifier answers on some cases, and where it abstains."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from demur._checks import check_weights, input_error
from demur._checks.arrays import is_missing
from demur.cautious.confusion import CautiousConfusion, cautious_confusion
from demur.exceptions import InputError
from demur.surface.window import ABSTAIN
from demur.typing import BoolArray, FloatArray

__all__ = ["Answers", "abstain_label_of", "answers_of"]

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
    classes = _classes(estimator, actual)
    label = abstain_label_of(estimator) if abstain_label is None else abstain_label
    if label is not None and not is_missing(label) and label in classes:
        raise input_error("abstain_label", f"must not be one of the classes {classes}", repr(label))
    abstained = _equals(called, label) if label is not None else np.zeros(len(called), dtype=np.bool_)
    _require_known(called[~abstained], classes, "The classifier answers")
    _require_known(actual, classes, "`y` holds")
    return Answers(
        actual,
        called,
        abstained,
        check_weights(sample_weight),
        classes,
        _positive(estimator, classes, pos_label),
    )


def _layers(estimator: Any) -> Iterator[Any]:
    """Yield an estimator and what it wraps: the best of a search, the last step of a pipeline."""
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


def _classes(estimator: Any, actual: Any) -> list[Any]:
    known = getattr(estimator, "classes_", None)
    found: list[Any] = np.unique(actual).tolist() if known is None else np.asarray(known).tolist()
    return found


def _positive(estimator: Any, classes: list[Any], pos_label: Any) -> Any:
    """Return the positive class: stated, the classifier's, or 1 among usual codes; None if nothing tells."""
    if pos_label is not None:
        if pos_label not in classes:
            raise input_error("pos_label", f"must be one of the classes {classes}", repr(pos_label))
        return pos_label
    owner = next((layer for layer in _layers(estimator) if hasattr(layer, "pos_label")), None)
    if owner is not None:
        return classes[-1] if owner.pos_label is None else owner.pos_label
    return 1 if set(classes) in ({0, 1}, {-1, 1}) else None


def _equals(called: Any, label: Any) -> BoolArray:
    if is_missing(label):
        return np.array([is_missing(value) for value in called.tolist()], dtype=np.bool_)
    if called.dtype.kind in "US" and not isinstance(label, str):
        # NumPy turns -1 beside words into the word "-1"
        label = str(label)
    return np.asarray(called == label, dtype=np.bool_) & np.ones(len(called), dtype=np.bool_)


def _require_known(labels: Any, classes: list[Any], who: str) -> None:
    unknown = [value for value in dict.fromkeys(labels.tolist()) if is_missing(value) or value not in classes]
    if unknown:
        raise InputError(
            f"{who} {unknown[0]!r}, which is none of the classes {classes}. "
            "Hint: if it stands for an abstention, say so: abstain_label=..."
        )
