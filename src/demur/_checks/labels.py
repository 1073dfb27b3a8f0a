"""Labels of two classes: which cases are positive."""

import sys
from collections.abc import Hashable
from typing import Any

import numpy as np

from demur._checks.arrays import is_missing, one_dimensional
from demur._checks.errors import input_error, some
from demur.typing import BoolArray, Labels

__all__ = [
    "check_decision_labels",
    "check_labels",
    "distinct_labels",
    "refuse_other_kinds",
]

_LABELS = "must hold labels (bool, numbers or strings)"


def check_labels(y_true: Labels, pos_label: Any = None) -> BoolArray:
    """Return True where the case is positive.

    Two distinct values; `pos_label` names the positive one and may be left out only for
    {0, 1}, {-1, 1} and bool. The direction is never guessed from the data.
    """
    array = one_dimensional(y_true, "y_true")
    refuse_other_kinds(array)
    values = distinct_labels(array)
    shown = some(values)
    if len(values) > 2:
        raise input_error(
            "y_true",
            "must hold two classes",
            f"{len(values)} distinct labels ({shown})",
            "compare one class with the rest.",
        )
    if pos_label is None:
        if not (set(values) <= {0, 1} or set(values) <= {-1, 1}):
            raise input_error(
                "pos_label",
                "is required unless the labels are {0, 1}, {-1, 1} or bool",
                f"labels {shown}",
                f"pass pos_label={values[-1]!r} if that is the positive class.",
            )
        pos_label = 1
    elif not isinstance(pos_label, Hashable) or (len(values) == 2 and pos_label not in values):
        raise input_error("pos_label", f"must be one of the labels {shown}", repr(pos_label))
    if array.dtype.kind == "b":
        return array if pos_label else ~array
    if array.dtype.kind == "O":
        return np.fromiter((value == pos_label for value in array.tolist()), dtype=np.bool_, count=array.size)
    positive = array == pos_label
    # numpy answers one False when the types cannot be compared (an int against strings)
    return positive if isinstance(positive, np.ndarray) else np.zeros(array.size, dtype=np.bool_)


def refuse_other_kinds(array: np.ndarray) -> None:
    """Require an array of booleans, numbers or strings."""
    if array.dtype.kind not in "iufbUSOT":
        raise input_error("y_true", _LABELS, f"dtype {array.dtype}")


def distinct_labels(array: np.ndarray) -> list[Any]:
    """Distinct values, sorted where they sort; stops caring beyond three."""
    if array.dtype.kind in "iufb":
        if array.dtype.kind == "f" and np.isnan(array.min()):
            raise input_error("y_true", "must not contain missing labels", "NaN", "drop those cases.")
        low, high = array.min(), array.max()
        if array.dtype.kind == "b" or (array.dtype.kind in "iu" and int(high) - int(low) <= 1):
            two_valued = True
        else:
            two_valued = bool(np.all((array == low) | (array == high)))
        values = np.array([low, high]) if two_valued else np.unique(array)
        return list(dict.fromkeys(values.tolist()))
    try:
        distinct = dict.fromkeys(array.tolist())
    except TypeError:
        raise input_error("y_true", _LABELS, "values that cannot be compared, such as lists") from None
    missing = [value for value in distinct if is_missing(value)]
    if missing:
        raise input_error("y_true", "must not contain missing labels", repr(missing[0]), "drop those cases.")
    try:
        return sorted(distinct)
    except TypeError:
        return list(distinct)


def check_decision_labels(given: list[Any]) -> list[Any]:
    """Return the labels of positive, negative and no decision as built-in types, different, of one kind."""
    labels = [label.item() if isinstance(label, np.generic) else label for label in given]
    texts = [isinstance(label, str) for label in labels]
    numbers = [
        isinstance(label, (int, float)) and not isinstance(label, bool) and abs(label) <= sys.float_info.max
        for label in labels
    ]
    names, shown = "pos_label, neg_label and abstain_label", ", ".join(map(repr, labels))
    if not (all(texts) or all(numbers)):
        hint = "an abstain label for text could be 'abstain', for numbers -1."
        raise input_error(names, "must be three strings or three numbers", shown, hint)
    if len(set(labels)) < 3:
        raise input_error(names, "must differ", shown, "choose an abstain label that is not a class.")
    return labels
