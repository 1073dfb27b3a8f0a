"""The only place that validates arrays, labels, weights, probabilities and costs.

Checks return the argument in the one form the rest of the package works with. Message
form: "`argument` rule, got value." plus "Hint: what to do" where there is something to do.
"""

import math
from typing import Any

import numpy as np

from demur.exceptions import InputError
from demur.typing import ArrayLike, BoolArray, FloatArray, IntArray, Labels, Range

__all__ = [
    "check_choice",
    "check_class_codes",
    "check_class_labels",
    "check_columns",
    "check_confidence_level",
    "check_cost_point",
    "check_finite",
    "check_labels",
    "check_levels",
    "check_mapping",
    "check_nonnegative",
    "check_number",
    "check_positive_int",
    "check_prevalence",
    "check_proba",
    "check_probability",
    "check_range",
    "check_rate",
    "check_rng",
    "check_same_length",
    "check_scores",
    "check_series",
    "check_simplex",
    "check_type",
    "check_weights",
    "check_whole_counts",
    "input_error",
]

_INTEGERS_EXACT_IN_FLOAT = 2**53


def input_error(
    argument: str, rule: str, got: object, hint: str | None = None, *, error: type[InputError] = InputError
) -> InputError:
    """Build the error sentence every check uses."""
    text = f"`{argument}` {rule}, got {got}."
    return error(f"{text} Hint: {hint}" if hint else text)


def _one_dimensional(values: Any, name: str, hint: str | None = None) -> np.ndarray:
    array = np.asarray(values)
    if array.ndim != 1:
        raise input_error(name, "must be one-dimensional", f"shape {array.shape}", hint)
    if array.size == 0:
        raise input_error(name, "must hold at least one case", "none")
    return array


def check_scores(y_score: ArrayLike, name: str = "y_score") -> FloatArray:
    """Return the scores as float64; infinities pass, NaN does not."""
    hint = None
    if np.ndim(y_score) == 2:
        hint = f"pass one column per call, such as {name}[:, 1] for the positive class."
    array = _one_dimensional(y_score, name, hint)
    if array.dtype.kind not in "fiub":
        try:
            scores = array.astype(np.float64)
        except (TypeError, ValueError):
            raise input_error(name, "must hold numbers", f"dtype {array.dtype}") from None
    else:
        scores = np.ascontiguousarray(array, dtype=np.float64)
    if array.dtype.kind in "iu" and array.dtype.itemsize == 8:
        largest = max(abs(int(array.min())), abs(int(array.max())))
        if largest > _INTEGERS_EXACT_IN_FLOAT:
            raise input_error(
                name,
                "as integers must stay within 2**53 (larger ones would merge)",
                largest,
                "rank them first.",
            )
    # min propagates NaN without a temporary array
    if np.isnan(scores.min()):
        first = int(np.flatnonzero(np.isnan(scores))[0])
        raise input_error(
            name, "must not contain NaN", f"NaN at position {first}", "drop or impute those cases."
        )
    return scores


def _distinct_labels(array: np.ndarray) -> list[Any]:
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
    found = dict.fromkeys(array.tolist())
    missing = [value for value in found if value is None or value != value]
    if missing:
        raise input_error("y_true", "must not contain missing labels", repr(missing[0]), "drop those cases.")
    try:
        return sorted(found)
    except TypeError:
        return list(found)


def check_labels(y_true: Labels, pos_label: Any = None) -> BoolArray:
    """Return True where the case is positive.

    Two distinct values; `pos_label` names the positive one and may be left out only for
    {0, 1}, {-1, 1} and bool. The direction is never guessed from the data.
    """
    array = _one_dimensional(y_true, "y_true")
    if array.dtype.kind not in "iufbUSOT":
        raise input_error("y_true", "must hold labels (bool, numbers or strings)", f"dtype {array.dtype}")
    values = _distinct_labels(array)
    shown = ", ".join(map(repr, values[:5])) + (", ..." if len(values) > 5 else "")
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
    elif len(values) == 2 and pos_label not in values:
        raise input_error("pos_label", f"must be one of the labels {shown}", repr(pos_label))
    if array.dtype.kind == "b":
        return array if pos_label else ~array
    if array.dtype.kind == "O":
        return np.fromiter((value == pos_label for value in array.tolist()), dtype=np.bool_, count=array.size)
    positive = array == pos_label
    # numpy answers one False when the types cannot be compared (an int against strings)
    return positive if isinstance(positive, np.ndarray) else np.zeros(array.size, dtype=np.bool_)


def check_weights(sample_weight: ArrayLike | None, name: str = "sample_weight") -> FloatArray | None:
    """Return the weights as float64, or None for unit weights."""
    if sample_weight is None:
        return None
    weights = check_scores(sample_weight, name)
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


def check_finite(value: ArrayLike, name: str) -> FloatArray:
    """Return finite numbers of any shape as float64."""
    try:
        array = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise input_error(name, "must be a number or an array of numbers", repr(value)) from None
    if not np.all(np.isfinite(array)):
        raise input_error(name, "must be finite", _first_bad(array, ~np.isfinite(array)))
    return array


def check_nonnegative(value: ArrayLike, name: str) -> FloatArray:
    """Return finite numbers >= 0 of any shape."""
    array = check_finite(value, name)
    if np.any(array < 0):
        raise input_error(name, "must not be negative", _first_bad(array, array < 0))
    return array


def check_probability(value: ArrayLike, name: str) -> FloatArray:
    """Return numbers in [0, 1] of any shape."""
    array = check_finite(value, name)
    outside = (array < 0) | (array > 1)
    if np.any(outside):
        raise input_error(name, "must lie in [0, 1]", _first_bad(array, outside))
    return array


def _first_bad(array: FloatArray, bad: BoolArray) -> float:
    return float(np.atleast_1d(array)[np.atleast_1d(bad)][0])


def check_rate(value: Any, name: str) -> float:
    """Return one number in [0, 1]."""
    array = check_probability(value, name)
    if array.ndim:
        raise input_error(name, "must be one number", f"shape {array.shape}")
    return float(array)


def check_confidence_level(value: Any, name: str = "confidence_level") -> float:
    """Return one number strictly between 0 and 1."""
    level = check_rate(value, name)
    if not 0 < level < 1:
        raise input_error(name, "must lie strictly between 0 and 1", level, "0.95 is usual.")
    return level


def check_prevalence(prevalence: Any, *, positives: float, negatives: float) -> float:
    """Return P(positive): the user's, or the sample's when None.

    A class without cases has no distribution of scores, so no weight can be given to it.
    """
    if prevalence is None:
        return positives / (positives + negatives)
    rate = check_rate(prevalence, "prevalence")
    for share, count, word in ((rate, positives, "positive"), (1 - rate, negatives, "negative")):
        if share > 0 and count == 0:
            raise input_error(
                "prevalence",
                f"gives weight to the {word} class, but the data hold no {word} case",
                rate,
                "leave prevalence out to use the sample's.",
            )
    return rate


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


def check_positive_int(value: Any, name: str, *, minimum: int = 1) -> int:
    """Return a whole number >= `minimum`."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < minimum:
        raise input_error(name, f"must be a whole number of at least {minimum}", repr(value))
    return int(value)


def check_choice(value: Any, name: str, choices: tuple[str, ...]) -> str:
    """Return `value` if it is one of `choices`."""
    if value not in choices:
        raise input_error(name, "must be one of " + ", ".join(map(repr, choices)), repr(value))
    return str(value)


def check_columns(values: ArrayLike, name: str, *, columns: int | None = None) -> FloatArray:
    """Return a two-dimensional float64 array without NaN: one row per case."""
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise input_error(name, "must hold numbers", f"{type(values).__name__}") from None
    if array.ndim != 2 or array.shape[0] == 0:
        raise input_error(name, "must be two-dimensional with one row per case", f"shape {array.shape}")
    if columns is not None and array.shape[1] != columns:
        raise input_error(name, f"must have {columns} columns", array.shape[1])
    if np.isnan(array).any():
        raise input_error(name, "must not contain NaN", "NaN")
    return array


def check_type(value: Any, name: str, kind: type, article: str = "a") -> None:
    """Require an instance of `kind`."""
    if not isinstance(value, kind):
        raise input_error(name, f"must be {article} {kind.__name__}", type(value).__name__)


def check_mapping(value: Any, name: str, kind: type) -> dict[str, Any]:
    """Return a non-empty mapping from names to instances of `kind` as a dict."""
    if not hasattr(value, "items") or not value:
        raise input_error(name, f"must be a non-empty mapping {{name: {kind.__name__}}}", repr(value))
    for key, item in value.items():
        check_type(item, f"{name}[{key!r}]", kind)
    return {str(key): item for key, item in value.items()}


def check_rng(rng: Any) -> np.random.Generator:
    """Return a Generator from a seed or a Generator; the global state is never touched."""
    if isinstance(rng, np.random.Generator):
        return rng
    if rng is None or (
        isinstance(rng, (int, np.integer, np.random.SeedSequence)) and not isinstance(rng, bool)
    ):
        if isinstance(rng, (int, np.integer)) and rng < 0:
            raise input_error("rng", "as a seed must not be negative", rng)
        return np.random.default_rng(rng)
    raise input_error("rng", "must be a seed or a numpy.random.Generator", repr(rng))


def check_whole_counts(value: ArrayLike, name: str, hint: str | None = None) -> IntArray:
    """Return numbers of cases (whole, >= 0) of any shape as int64."""
    array = check_nonnegative(value, name)
    broken = array != np.floor(array)
    if np.any(broken):
        raise input_error(name, "must hold whole numbers of cases", _first_bad(array, broken), hint)
    if np.any(array > _INTEGERS_EXACT_IN_FLOAT):
        raise input_error(name, "must not exceed 2**53", float(array.max()))
    return np.asarray(array, dtype=np.int64)


def check_cost_point(mu: ArrayLike, nu: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Broadcast mu >= 0 and nu >= 0 (infinite: never abstain)."""
    x = check_nonnegative(mu, "mu")
    try:
        y = np.asarray(nu, dtype=np.float64)
    except (TypeError, ValueError):
        raise input_error("nu", "must be a number or an array of numbers", repr(nu)) from None
    if np.isnan(y).any():
        raise input_error("nu", "must be a number", "NaN")
    check_nonnegative(np.where(np.isposinf(y), 0.0, y), "nu")
    try:
        x, y = np.broadcast_arrays(x, y)
    except ValueError:
        raise input_error("mu and nu", "must broadcast together", f"shapes {x.shape} and {y.shape}") from None
    return x, y


_SUM_TO_ONE = 1e-9


def check_proba(values: ArrayLike, name: str = "proba", *, columns: int | None = None) -> FloatArray:
    """Return class probabilities, one row per case: in [0, 1], rows sum to 1 (within 1e-9)."""
    proba = check_columns(values, name, columns=columns)
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


def check_class_codes(
    y_true: Labels, n_classes: int, labels: Any = None, *, name: str = "y_true", abstain: Any = None
) -> IntArray:
    """Return the class index of every case; `labels` names the classes in column order.

    Without `labels` the cases must already be indices 0 to n_classes - 1. Cases equal to
    `abstain` get the index n_classes.
    """
    array = _one_dimensional(_keep_types(y_true), name)
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
    known: list[Any] = _one_dimensional(_keep_types(labels), name).tolist()
    if n_classes is not None and len(known) != n_classes:
        raise input_error(name, f"must hold {n_classes} labels, one per class", len(known))
    if len(set(known)) != len(known):
        raise input_error(name, "must be distinct", known)
    return known


def _keep_types(values: Any) -> np.ndarray:
    """Array of labels in which 1 and "1" stay different: a mixed list becomes an object array."""
    if isinstance(values, np.ndarray):
        return values
    array = np.asarray(values)
    if array.dtype.kind in "US" and array.ndim == 1:
        return np.array(list(values), dtype=object)
    return array


def check_series(series: ArrayLike, name: str = "series") -> FloatArray:
    """Return a series in the order of time as float64; NaN is missing, infinities do not pass."""
    array = _one_dimensional(series, name)
    try:
        values = array.astype(np.float64)
    except (TypeError, ValueError):
        raise input_error(name, "must hold numbers", f"dtype {array.dtype}") from None
    if np.isinf(values).any():
        raise input_error(name, "must be finite, or NaN where missing", "an infinite number")
    return values


def check_number(value: Any, name: str) -> float:
    """Return one finite number."""
    array = check_finite(value, name)
    if array.ndim:
        raise input_error(name, "must be one number", f"shape {array.shape}")
    return float(array)


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
    array = _one_dimensional(y_true, "y_true")
    if array.dtype.kind not in "iufbUSOT":
        raise input_error("y_true", "must hold labels (bool, numbers or strings)", f"dtype {array.dtype}")
    found, codes = _distinct_codes(array)
    if order is not None:
        found, codes = _codes_in_order(found, codes, order, name, word)
    elif not all(isinstance(label, (int, float)) for label in found):
        hint = f"pass {name}=[...] with all labels in order."
        raise input_error(name, "is required unless the labels are numbers", f"labels {_some(found)}", hint)
    if len(found) < 2:
        raise input_error("y_true", "must hold at least 2 classes", f"1 ({found[0]!r})")
    return codes, found


def _some(values: list[Any]) -> str:
    return ", ".join(map(repr, values[:5])) + (", ..." if len(values) > 5 else "")


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
        values = _distinct_labels(array)
        place = {value: code for code, value in enumerate(values)}
        return values, np.fromiter((place[value] for value in array.tolist()), np.int64, array.size)
    if array.dtype.kind == "f" and np.isnan(array.min()):
        raise input_error("y_true", "must not contain missing labels", "NaN", "drop those cases.")
    distinct, codes = np.unique(array, return_inverse=True)
    return distinct.tolist(), codes.astype(np.int64, copy=False)


def _codes_in_order(
    found: list[Any], codes: IntArray, order: Any, name: str, word: str
) -> tuple[list[Any], IntArray]:
    if isinstance(order, str) or not hasattr(order, "__len__"):
        raise input_error(name, f"must list every {word} in order", repr(order))
    levels = np.asarray(order).tolist() if hasattr(order, "dtype") else list(order)
    place = {level: code for code, level in enumerate(levels)}
    if len(place) < len(levels):
        raise input_error(name, f"must not name a {word} twice", levels)
    unknown = [label for label in found if label not in place]
    if unknown:
        raise input_error(name, "must name every label of y_true", f"no {_some(unknown)}")
    absent = [level for level in levels if level not in set(found)]
    if absent:
        hint = f"a {word} without cases has no measure; leave it out of {name}."
        raise input_error("y_true", f"must hold cases of {word} {absent[0]!r}", "none", hint)
    return levels, np.array([place[label] for label in found], dtype=np.int64)[codes]
