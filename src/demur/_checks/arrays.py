"""Arrays of numbers as users hand them over: scores, weights, series, columns, plain numbers.

Everything passes through `as_array` or `as_floats`, which refuse what NumPy would misread without a
word: masked values, imaginary parts, dates, rows of different lengths, missing values of data frames.
"""

import math
import sys
from typing import Any

import numpy as np

from demur.exceptions import InputError
from demur.typing import ArrayLike, BoolArray, FloatArray, Range

__all__ = [
    "INTEGERS_EXACT_IN_FLOAT",
    "as_array",
    "as_floats",
    "broadcast",
    "check_columns",
    "check_covariance",
    "check_elements",
    "check_finite",
    "check_fraction",
    "check_matrix",
    "check_nonnegative",
    "check_number",
    "check_positive",
    "check_probability",
    "check_probability_scores",
    "check_range",
    "check_rate",
    "check_rate_pairs",
    "check_roc_points",
    "check_same_length",
    "check_scores",
    "check_series",
    "check_threshold_probability",
    "check_weights",
    "first_bad",
    "input_error",
    "is_missing",
    "one_dimensional",
    "some",
]

INTEGERS_EXACT_IN_FLOAT = 2**53
_SHOWN_CHARACTERS = 400


def input_error(
    argument: str, rule: str, got: object, hint: str | None = None, *, error: type[InputError] = InputError
) -> InputError:
    """Build the error sentence every check uses; a value that takes lines or pages is shortened."""
    shown = " ".join(str(got).split())
    shown = shown if len(shown) <= _SHOWN_CHARACTERS else f"{shown[: _SHOWN_CHARACTERS - 3]}..."
    text = f"`{argument}` {rule}, got {shown}."
    return error(f"{text} Hint: {hint}" if hint else text)


def some(values: list[object]) -> str:
    """List the first values; the sentence stays short however many there are."""
    return ", ".join(map(repr, values[:5])) + (", ..." if len(values) > 5 else "")


# ---------------------------------------------------------------- arguments


def as_array(values: Any, name: str) -> np.ndarray:
    """Return `values` as an array; refuse masked values and rows of different lengths."""
    # where the module was never imported there are no masks, nor while another thread imports it
    is_masked = getattr(sys.modules.get("numpy.ma"), "is_masked", None)
    if is_masked is not None and is_masked(values):
        hint = f"drop those cases from all arrays, with keep = ~numpy.ma.getmaskarray({name})."
        raise input_error(name, "must not hold masked values", f"{int(values.mask.sum())} of them", hint)
    try:
        return np.asarray(values)
    except ValueError:
        raise input_error(
            name, "must be an array", f"{type(values).__name__} with rows of different lengths"
        ) from None


def as_floats(values: Any, name: str, rule: str = "must hold numbers", *, shown: bool = False) -> FloatArray:
    """Return real numbers of any shape as float64; the user's own array if it is that already.

    `rule` is what to say of anything else, with the value itself if `shown`.
    """
    array = as_array(values, name)
    kind = array.dtype.kind
    if kind in "fiub":
        return np.asarray(array, dtype=np.float64)
    if kind == "c":
        hint = "pass the real part or the absolute value, whichever you mean."
        raise input_error(name, "must hold real numbers", f"dtype {array.dtype}", hint)
    if kind in "mM":
        hint = "subtract a start and divide by a unit of time."
        raise input_error(name, "must hold numbers, not times", f"dtype {array.dtype}", hint)
    try:
        return array.astype(np.float64)
    except OverflowError:
        raise input_error(name, "must stay within 1.8e308", "a larger whole number") from None
    except (TypeError, ValueError):
        missing = [at for at, value in enumerate(array.ravel().tolist()) if is_missing(value)]
        if missing:
            got, hint = f"one at position {missing[0]}", "drop or impute those cases."
            raise input_error(name, "must not contain missing values", got, hint) from None
        raise input_error(name, rule, repr(values) if shown else f"dtype {array.dtype}") from None


def is_missing(value: Any) -> bool:
    """Tell whether a value stands for none: None, NaN, NaT or the NA of a data frame."""
    if value is None:
        return True
    try:
        return bool(value != value)
    except TypeError:
        return True  # NA answers neither yes nor no
    except ValueError:
        return False  # an array, which is wrong for another reason


def one_dimensional(values: Any, name: str, hint: str | None = None) -> np.ndarray:
    """Return a one-dimensional array of at least one case."""
    array = as_array(values, name)
    if array.ndim != 1:
        raise input_error(name, "must be one-dimensional", f"shape {array.shape}", hint)
    if array.size == 0:
        raise input_error(name, "must hold at least one case", "none")
    return array


# ---------------------------------------------------------------- one number per case


def check_scores(y_score: ArrayLike, name: str = "y_score", *, single: bool = False) -> FloatArray:
    """Return the scores as float64, or float32 as it is if `single`; infinities pass, NaN does not."""
    hint = f"pass one column per call, such as {name}[:, 1] for the positive class."
    array = as_array(y_score, name)
    array = one_dimensional(array, name, hint if array.ndim == 2 else None)
    keep = single and array.dtype == np.float32
    scores = np.ascontiguousarray(array if keep else as_floats(array, name))
    # whole numbers that different cases would share as float64
    largest = 0
    if array.dtype.kind in "iu" and array.dtype.itemsize == 8:
        largest = max(abs(int(array.min())), abs(int(array.max())))
    elif array.dtype.kind == "O":
        largest = max((abs(value) for value in array.tolist() if isinstance(value, int)), default=0)
    if largest > INTEGERS_EXACT_IN_FLOAT:
        rule = "as integers must stay within 2**53 (larger ones would merge)"
        got = str(largest) if largest < 2**64 else f"{float(largest):g}"
        raise input_error(name, rule, got, "rank them first.")
    # min propagates NaN without a temporary array
    if np.isnan(scores.min()):
        first = int(np.flatnonzero(np.isnan(scores))[0])
        raise input_error(
            name, "must not contain NaN", f"NaN at position {first}", "drop or impute those cases."
        )
    return scores


def check_weights(sample_weight: ArrayLike | None, name: str = "sample_weight") -> FloatArray | None:
    """Return the weights as float64, or None for unit weights."""
    if sample_weight is None:
        return None
    weights = check_scores(sample_weight, name)
    with np.errstate(over="ignore"):
        low, total = float(weights.min()), float(weights.sum())
    if low < 0:
        raise input_error(name, "must not be negative", low)
    if not math.isfinite(total):
        raise input_error(name, "must be finite, with a finite sum", total)
    if total == 0:
        raise input_error(name, "must not all be zero", "a sum of 0")
    return weights


def check_same_length(**arrays: Any) -> None:
    """Require arrays of one length; keyword names are the argument names."""
    present = {name: len(array) for name, array in arrays.items() if array is not None}
    if len(set(present.values())) > 1:
        names = " and ".join(f"`{name}`" for name in present)
        lengths = " and ".join(str(length) for length in present.values())
        raise InputError(f"{names} must have the same length, got {lengths}.")


def check_series(series: ArrayLike) -> FloatArray:
    """Return a series in the order of time as float64; NaN is missing, infinities do not pass."""
    values = as_floats(one_dimensional(series, "series"), "series").copy()
    if np.isinf(values).any():
        raise input_error("series", "must be finite, or NaN where missing", "an infinite number")
    return values


def check_columns(values: ArrayLike, name: str, *, columns: int | None = None) -> FloatArray:
    """Return a two-dimensional float64 array without NaN: one row per case."""
    array = as_floats(values, name)
    if array.ndim != 2 or array.shape[0] == 0:
        raise input_error(name, "must be two-dimensional with one row per case", f"shape {array.shape}")
    if columns is not None and array.shape[1] != columns:
        raise input_error(name, f"must have {columns} columns", array.shape[1])
    if np.isnan(array).any():
        raise input_error(name, "must not contain NaN", "NaN")
    return array


# ---------------------------------------------------------------- numbers of any shape


def check_finite(value: ArrayLike, name: str) -> FloatArray:
    """Return finite numbers of any shape as float64."""
    array = as_floats(value, name, "must be a number or an array of numbers", shown=True)
    return check_elements(array, ~np.isfinite(array), name, "must be finite")


def check_nonnegative(value: ArrayLike, name: str) -> FloatArray:
    """Return finite numbers >= 0 of any shape."""
    array = check_finite(value, name)
    return check_elements(array, array < 0, name, "must not be negative")


def check_probability(value: ArrayLike, name: str) -> FloatArray:
    """Return numbers in [0, 1] of any shape."""
    array = check_finite(value, name)
    return check_elements(array, (array < 0) | (array > 1), name, "must lie in [0, 1]")


def check_elements(
    array: FloatArray, bad: BoolArray, name: str, rule: str, hint: str | None = None
) -> FloatArray:
    """Return the array, or refuse it with the first number that breaks a rule."""
    if np.any(bad):
        raise input_error(name, rule, first_bad(array, bad), hint)
    return array


def first_bad(array: FloatArray, bad: BoolArray) -> float:
    """Return the first number that breaks a rule."""
    return float(np.atleast_1d(array)[np.atleast_1d(bad)][0])


def check_rate(value: Any, name: str) -> float:
    """Return one number in [0, 1]."""
    if type(value) is float and 0.0 <= value <= 1.0:
        return value  # asked once per fold: no array for it
    return check_number(check_probability(value, name), name)


def check_fraction(value: Any, name: str, hint: str | None = None) -> float:
    """Return one number strictly between 0 and 1."""
    number = check_rate(value, name)
    if not 0 < number < 1:
        raise input_error(name, "must lie strictly between 0 and 1", number, hint)
    return number


def check_number(value: Any, name: str) -> float:
    """Return one finite number."""
    if type(value) is float and math.isfinite(value):
        return value
    array = check_finite(value, name)
    if array.ndim:
        raise input_error(name, "must be one number", f"shape {array.shape}")
    return float(array)


def check_positive(value: Any, name: str, hint: str | None = None) -> float:
    """Return one number > 0."""
    number = check_number(value, name)
    if number <= 0:
        raise input_error(name, "must be positive", number, hint)
    return number


def check_range(value: Any, name: str, *, low: float = 0.0, high: float = math.inf) -> Range:
    """Return (low, high) with low <= high, both finite and inside the given limits."""
    pair = check_finite(value, name)
    if pair.shape != (2,):
        raise input_error(name, "must be a pair (low, high)", repr(value))
    start, stop = float(pair[0]), float(pair[1])
    if start > stop:
        raise input_error(name, "must be a pair with low <= high", (start, stop))
    if start < low or stop > high:
        limit = (
            f"must lie within [{low:g}, {high:g}]"
            if math.isfinite(high)
            else f"must start at {low:g} or above"
        )
        raise input_error(name, limit, (start, stop))
    return start, stop


def check_matrix(value: ArrayLike, name: str, shape: tuple[int, int]) -> FloatArray:
    """Return a finite matrix of the given shape."""
    matrix = check_finite(value, name)
    if matrix.shape != shape:
        raise input_error(name, f"as a matrix must have shape {shape}", matrix.shape)
    return matrix


# Eigenvalues this far below zero, relative to the largest entry, are rounding and not a mistake.
_NEGATIVE_BY_ROUNDING = 1e-10


def check_covariance(value: ArrayLike, name: str, size: int) -> FloatArray:
    """Return a symmetric positive semidefinite matrix; a number means that multiple of the identity."""
    matrix = check_finite(value, name)
    if matrix.ndim == 0:
        matrix = float(matrix) * np.eye(size)
    if matrix.shape != (size, size):
        raise input_error(name, f"must be a number or a matrix of shape ({size}, {size})", matrix.shape)
    scale = float(np.abs(matrix).max())
    if float(np.abs(matrix - matrix.T).max()) > 1e-9 * scale:
        raise input_error(name, "must be symmetric", "an asymmetric matrix")
    matrix = (matrix + matrix.T) / 2
    least = float(np.linalg.eigvalsh(matrix)[0])
    if least < -_NEGATIVE_BY_ROUNDING * scale:
        raise input_error(name, "must be positive semidefinite", f"an eigenvalue of {least:.3g}")
    return matrix


# ---------------------------------------------------------------- rates and predicted probabilities


def check_threshold_probability(value: ArrayLike) -> FloatArray:
    """Return numbers in [0, 1) of any shape: at 1 no case would be worth acting on."""
    t = check_finite(value, "threshold_probability")
    return check_elements(t, (t < 0) | (t >= 1), "threshold_probability", "must lie in [0, 1)")


def check_probability_scores(scores: ArrayLike, name: str) -> FloatArray:
    """Return one score per case, all in [0, 1]."""
    checked = check_scores(scores, name)
    low, high = float(checked.min()), float(checked.max())
    if low < 0 or high > 1:
        raise input_error(
            name,
            "must hold probabilities in [0, 1] to act on them",
            f"scores from {low:g} to {high:g}",
            "calibrate the scores.",
        )
    return checked


def broadcast(names: str, *arrays: FloatArray) -> list[FloatArray]:
    """Return arrays in their common shape; `names` opens the error sentence."""
    try:
        return list(np.broadcast_arrays(*arrays))
    except ValueError:
        shapes = [str(array.shape) for array in arrays]
        got = f"shapes {', '.join(shapes[:-1])} and {shapes[-1]}"
        raise input_error(names, "must broadcast together", got) from None


def check_rate_pairs(**values: ArrayLike) -> list[FloatArray]:
    """Return probabilities that broadcast; keyword names are the argument names."""
    return broadcast(
        " and ".join(values), *(check_probability(value, name) for name, value in values.items())
    )


def check_roc_points(fpr: ArrayLike, tpr: ArrayLike) -> FloatArray:
    """Return distinct points of one curve as rows (fpr, tpr), ascending."""
    columns = {name: np.atleast_1d(check_probability(v, name)) for name, v in (("fpr", fpr), ("tpr", tpr))}
    for name, values in columns.items():
        if values.ndim > 1 or values.size == 0:
            raise input_error(name, "must be one number or a one-dimensional array", f"shape {values.shape}")
    check_same_length(**columns)
    return np.unique(np.column_stack([columns["fpr"], columns["tpr"]]), axis=0)
