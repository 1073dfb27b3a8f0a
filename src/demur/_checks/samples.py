"""Numbers of cases, and shares of the classes among them."""

import math
import warnings
from typing import Any

import numpy as np

from demur._checks.arrays import (
    INTEGERS_EXACT_IN_FLOAT,
    check_columns,
    check_elements,
    check_nonnegative,
    check_probability,
    check_rate,
    check_same_length,
    check_scores,
    input_error,
    is_missing,
)
from demur._checks.choices import check_positive_int
from demur.exceptions import UndefinedError
from demur.typing import ArrayLike, FloatArray, IntArray

__all__ = [
    "check_block_length",
    "check_both_classes",
    "check_groups",
    "check_label_columns",
    "check_positive_proba",
    "check_prevalence",
    "check_proba",
    "check_simplex",
    "check_times",
    "check_whole_counts",
]

_SUM_TO_ONE = 1e-9
_LEAST_PREVALENCE = 1e-100


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
