"""Labels of two classes and of any number, ordered or not; numbers of cases and shares of the classes."""

import math
import sys
import warnings
from collections.abc import Hashable
from typing import Any

import numpy as np

from demur._checks.arrays import (
    INTEGERS_EXACT_IN_FLOAT,
    as_array,
    check_columns,
    check_elements,
    check_nonnegative,
    check_probability,
    check_rate,
    check_same_length,
    check_scores,
    input_error,
    is_missing,
    one_dimensional,
    some,
)
from demur._checks.choices import check_positive_int
from demur.exceptions import UndefinedError
from demur.typing import ArrayLike, BoolArray, FloatArray, IntArray, Labels

__all__ = [
    "check_block_length",
    "check_both_classes",
    "check_class_codes",
    "check_class_labels",
    "check_decision_labels",
    "check_groups",
    "check_label_columns",
    "check_labels",
    "check_levels",
    "check_positive_proba",
    "check_prevalence",
    "check_proba",
    "check_simplex",
    "check_times",
    "check_whole_counts",
    "distinct_labels",
    "refuse_other_kinds",
]


_LABELS = "must hold labels (bool, numbers or strings)"

_SUM_TO_ONE = 1e-9
_LEAST_PREVALENCE = 1e-100


def check_labels(y_true: Labels, pos_label: Any = None) -> BoolArray:
    """Return True where the case is positive.

    Two distinct values; `pos_label` names the positive one and may be left out only for
    {0, 1}, {-1, 1} and bool. The direction is never guessed from the data.
    """
    array = one_dimensional(y_true, "y_true")
    refuse_other_kinds(array)
    values = distinct_labels(array)
    if len(values) > 2:
        raise input_error(
            "y_true",
            "must hold two classes",
            f"{len(values)} distinct labels ({some(values)})",
            "compare one class with the rest.",
        )
    if pos_label is None:
        if not (set(values) <= {0, 1} or set(values) <= {-1, 1}):
            raise input_error(
                "pos_label",
                "is required unless the labels are {0, 1}, {-1, 1} or bool",
                f"labels {some(values)}",
                f"pass pos_label={values[-1]!r} if that is the positive class.",
            )
        pos_label = 1
    elif not isinstance(pos_label, Hashable) or (len(values) == 2 and pos_label not in values):
        raise input_error("pos_label", f"must be one of the labels {some(values)}", repr(pos_label))
    if array.dtype.kind == "b":
        return array if pos_label else ~array
    if array.dtype.kind == "O":
        return np.fromiter((value == pos_label for value in array.tolist()), dtype=np.bool_, count=array.size)
    positive = array == pos_label
    # numpy answers one False when the types cannot be compared (an int against strings)
    return positive if isinstance(positive, np.ndarray) else np.zeros(array.size, dtype=np.bool_)


def refuse_other_kinds(array: np.ndarray) -> None:
    """Require an array of booleans, numbers or strings, without NaN."""
    if array.dtype.kind not in "iufbUSOT":
        raise input_error("y_true", _LABELS, f"dtype {array.dtype}")
    if array.dtype.kind == "f" and np.isnan(array.min()):
        raise input_error("y_true", "must not contain missing labels", "NaN", "drop those cases.")


def distinct_labels(array: np.ndarray) -> list[Any]:
    """Distinct values, sorted where they sort; stops caring beyond three."""
    if array.dtype.kind in "iufb":
        low, high = array.min(), array.max()
        neighbours = array.dtype.kind == "b" or (array.dtype.kind in "iu" and int(high) - int(low) <= 1)
        two_valued = neighbours or bool(np.all((array == low) | (array == high)))
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
        raise input_error(
            names,
            "must be three strings or three numbers",
            shown,
            "an abstain label for text could be 'abstain', for numbers -1.",
        )
    if len(set(labels)) < 3:
        raise input_error(names, "must differ", shown, "choose an abstain label that is not a class.")
    return labels


def check_class_codes(
    y_true: Labels, n_classes: int, labels: Any = None, *, name: str = "y_true", abstain: Any = None
) -> IntArray:
    """Return the class index of every case; `labels` names the classes in column order.

    Without `labels` the cases must already be indices 0 to n_classes - 1. Cases equal to
    `abstain` get the index n_classes.
    """
    array = one_dimensional(_keep_types(y_true, name), name)
    if labels is None and array.dtype.kind == "f" and np.all(np.isfinite(array) & (array == np.floor(array))):
        array = array.astype(np.int64)
    if labels is None and array.dtype.kind not in "iub":
        raise input_error(
            name,
            f"must hold class indices from 0 to {n_classes - 1}",
            f"dtype {array.dtype}",
            "name the classes in the order of the columns, such as labels=classifier.classes_.",
        )
    if labels is None and abstain is None:
        low, high = int(array.min()), int(array.max())
        if low < 0 or high >= n_classes:
            raise input_error(
                name, f"must hold class indices from 0 to {n_classes - 1}", low if low < 0 else high
            )
        return array.astype(np.int64, copy=False)
    known = check_class_labels(range(n_classes) if labels is None else labels, n_classes)
    codes = np.full(array.size, -1, dtype=np.int64)
    for code, label in enumerate(known if abstain is None else [*known, abstain]):
        codes[array == label] = code
    unknown = np.flatnonzero(codes < 0)
    if unknown.size:
        raise input_error(name, f"must hold the labels {known}", repr(array[unknown[0]]))
    return codes


def check_class_labels(labels: Any, n_classes: int | None = None, name: str = "labels") -> list[Any]:
    """Return distinct class labels, in the order given."""
    known: list[Any] = one_dimensional(_keep_types(labels, name), name).tolist()
    if n_classes is not None and len(known) != n_classes:
        raise input_error(name, f"must hold {n_classes} labels, one per class", len(known))
    if len(set(known)) != len(known):
        raise input_error(name, "must be distinct", known)
    return known


def _keep_types(values: Any, name: str) -> np.ndarray:
    """Array of labels in which 1 and "1" stay different: a mixed list becomes an object array."""
    if isinstance(values, np.ndarray):
        return values
    array = as_array(values, name)
    if array.dtype.kind in "US" and array.ndim == 1:
        return np.array(list(values), dtype=object)
    return array


def check_levels(
    y_true: Labels, order: Any = None, *, name: str = "order", word: str = "level"
) -> tuple[IntArray, list[Any]]:
    """Return the class of every case, from 0, and the classes in order.

    Numbers are ordered by value, an ordered categorical by its categories; strings have no
    order of their own, so `order` must name the classes. Every class must have cases. `name`
    and `word` are what the caller calls the argument and a class.
    """
    dtype = getattr(y_true, "dtype", None)
    if order is None and getattr(dtype, "ordered", False):
        order = list(dtype.categories)  # type: ignore[union-attr]
    array = one_dimensional(y_true, "y_true")
    refuse_other_kinds(array)
    classes, codes = _distinct_codes(array)
    if order is not None:
        classes, codes = _codes_in_order(classes, codes, order, name, word)
    elif not all(isinstance(label, (int, float)) for label in classes):
        raise input_error(
            name,
            "is required unless the labels are numbers",
            f"labels {some(classes)}",
            f"pass {name}=[...] with all labels in order.",
        )
    if len(classes) < 2:
        raise input_error("y_true", "must hold at least 2 classes", f"1 ({classes[0]!r})")
    return codes, classes


def _distinct_codes(array: np.ndarray) -> tuple[list[Any], IntArray]:
    """Distinct labels, ascending where they have an order, and the index of every case among them."""
    if array.dtype.kind in "iub":
        low, high = int(array.min()), int(array.max())
        if high - low < len(array) + 256:
            # a table instead of a sort
            offset = array.astype(np.int64) - low
            present = np.bincount(offset) > 0
            distinct = (np.flatnonzero(present) + low).astype(array.dtype)
            return distinct.tolist(), (np.cumsum(present) - 1)[offset]
    if array.dtype.kind == "O":
        values = distinct_labels(array)
        place = {value: code for code, value in enumerate(values)}
        return values, np.fromiter((place[value] for value in array.tolist()), np.int64, array.size)
    distinct, codes = np.unique(array, return_inverse=True)
    return distinct.tolist(), codes.astype(np.int64, copy=False)


def _codes_in_order(
    present: list[Any], codes: IntArray, order: Any, name: str, word: str
) -> tuple[list[Any], IntArray]:
    if isinstance(order, str) or not hasattr(order, "__len__"):
        raise input_error(name, f"must list every {word} in order", repr(order))
    levels = np.asarray(order).tolist() if hasattr(order, "dtype") else list(order)
    place = {level: code for code, level in enumerate(levels)}
    if len(place) < len(levels):
        raise input_error(name, f"must not name a {word} twice", levels)
    unknown = [label for label in present if label not in place]
    if unknown:
        raise input_error(name, "must name every label of y_true", f"no {some(unknown)}")
    absent = [level for level in levels if level not in set(present)]
    if absent:
        raise input_error(
            "y_true",
            f"must hold cases of {word} {absent[0]!r}",
            "none",
            f"a {word} without cases has no measure; leave it out of {name}.",
        )
    return levels, np.array([place[label] for label in present], dtype=np.int64)[codes]


# ---------------------------------------------------------------- numbers of cases and shares of the classes


def check_prevalence(prevalence: Any, *, positives: float, negatives: float) -> float:
    """Return P(positive): the user's, or the sample's when None.

    A class without cases has no distribution of scores, so no weight can be given to it.
    """
    if prevalence is None:
        return positives / (positives + negatives)
    rate = check_rate(prevalence, "prevalence")
    if 0 < rate < _LEAST_PREVALENCE:
        raise input_error(
            "prevalence",
            f"must be 0 or at least {_LEAST_PREVALENCE:g}",
            rate,
            "0 stands for a use without positive cases.",
        )
    for share, count, word in ((rate, positives, "positive"), (1 - rate, negatives, "negative")):
        if share > 0 and count == 0:
            raise input_error(
                "prevalence",
                f"gives weight to the {word} class, but the data hold no {word} case",
                rate,
                "leave prevalence out to use the sample's.",
            )
    return rate


def check_both_classes(positives: float, negatives: float, quantity: str) -> None:
    """Raise `UndefinedError` if a class has no cases; `quantity` opens the sentence."""
    for count, word in ((positives, "positive"), (negatives, "negative")):
        if count == 0:
            raise UndefinedError(
                f"{quantity} needs cases of both classes, got no {word} case. "
                "Hint: check y_true and pos_label."
            )


def check_whole_counts(value: ArrayLike, name: str, hint: str | None = None) -> IntArray:
    """Return numbers of cases (whole, >= 0) of any shape as int64."""
    array = check_nonnegative(value, name)
    check_elements(array, array != np.floor(array), name, "must hold whole numbers of cases", hint)
    if np.any(array > INTEGERS_EXACT_IN_FLOAT):
        raise input_error(name, "must not exceed 2**53", float(array.max()))
    return np.asarray(array, dtype=np.int64)


def check_proba(values: ArrayLike, name: str = "proba", *, columns: int | None = None) -> FloatArray:
    """Return class probabilities, one row per case: in [0, 1], rows sum to 1 (within 1e-9)."""
    proba = check_columns(values, name, columns=columns)
    if proba.shape[1] == 0:
        raise input_error(name, "must have a column for each class", "none")
    low, high = float(proba.min()), float(proba.max())
    if low < 0 or high > 1:
        raise input_error(name, "must lie in [0, 1]", low if low < 0 else high)
    # summing short rows with sum(axis=1) is several times slower
    total = np.einsum("ij->i", proba)
    gap = np.abs(total - 1)
    if gap.max() > _SUM_TO_ONE:
        row = int(gap.argmax())
        raise input_error(
            name,
            "must have rows that sum to 1",
            f"{total[row]:.12g} in row {row}",
            "divide each row by its sum, in double precision.",
        )
    return proba


def check_simplex(value: ArrayLike, name: str, *, size: int | None = None) -> FloatArray:
    """Return numbers >= 0 that sum to 1 (within 1e-9): one per class."""
    shares = check_probability(value, name)
    if shares.ndim != 1 or not shares.size or (size is not None and shares.size != size):
        wanted = "one number per class" if size is None else f"{size} numbers, one per class"
        raise input_error(name, f"must be {wanted}", f"shape {shares.shape}")
    if abs(shares.sum() - 1) > _SUM_TO_ONE:
        raise input_error(name, "must sum to 1", f"{shares.sum():.12g}", "divide it by its sum.")
    return shares


def check_positive_proba(proba: ArrayLike) -> FloatArray:
    """Return P(positive) of each case."""
    return check_probability(check_scores(proba, "proba"), "proba")


def check_label_columns(labels: ArrayLike, rows: int, columns: int) -> IntArray:
    """Return one column index for each row of a table of scores."""
    indices = check_whole_counts(labels, "labels")
    if indices.shape != (rows,):
        raise input_error(
            "labels", f"must hold one column index for each of {rows} rows", f"shape {indices.shape}"
        )
    if indices.size and indices.max() >= columns:
        raise input_error("labels", f"must be column indices below {columns}", int(indices.max()))
    return indices


def check_block_length(block_length: Any, n: int) -> int:
    """Return the number of cases per block: 1 for None, the cube root of n for "auto"."""
    if block_length is None:
        return 1
    if block_length == "auto":
        return max(1, round(math.cbrt(n)))
    length = check_positive_int(block_length, "block_length")
    if length > n:
        raise input_error("block_length", f"must not exceed the number of cases, {n}", length)
    return length


def check_groups(groups: Any, n: int | None = None, of: str = "y_true") -> IntArray | None:
    """Return the cluster of each of the n rows of `of` as a number from 0 on; None where there are none."""
    if groups is None:
        return None
    array = np.asarray(groups)
    if array.ndim != 1:
        raise input_error("groups", "must be one-dimensional", f"shape {array.shape}")
    missing = np.array([is_missing(one) for one in array]) if array.dtype.kind == "O" else array != array
    if missing.any():
        got = "NaN" if array.dtype.kind == "f" else repr(array[missing][0])
        raise input_error("groups", "must not contain NaN", got, "give such cases clusters of their own.")
    codes = np.unique(array.astype(str) if array.dtype.kind == "O" else array, return_inverse=True)[1]
    if n is not None:
        check_same_length(**{of: np.empty(n), "groups": codes})
    return codes


def check_times(time: Any, n: int, of: str = "y_true") -> Any:
    """Return the time of each of the n rows of `of` as numbers or dates; text is read as dates."""
    if time is None:
        return None
    values = np.asarray(time)
    rule, hint = "must hold one number or date per case", "for example 2024-05-31."
    if values.ndim != 1:
        raise input_error("time", rule, f"an array of shape {values.shape}", hint)
    if values.dtype.kind in "OUS":
        try:
            with warnings.catch_warnings():  # times with a zone become those of UTC, which is their order
                warnings.simplefilter("ignore", UserWarning)
                values = values.astype("datetime64[us]")
        except (ValueError, TypeError) as error:
            raise input_error("time", rule, str(error), hint) from None
    if values.dtype.kind not in "iufM":
        raise input_error("time", rule, f"values of type {values.dtype}", hint)
    if (np.isnat(values) if values.dtype.kind == "M" else np.isnan(values.astype(np.float64))).any():
        raise input_error("time", "must not be missing", "a missing value", "drop such rows.")
    check_same_length(**{of: np.empty(n), "time": values})
    return values
