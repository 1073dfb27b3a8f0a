"""Read values of a JSON document, checked for presence, type and range."""

import json
import math
from typing import Any

import numpy as np

from demur._checks import check_rate, input_error
from demur.exceptions import InputError
from demur.typing import FloatArray

__all__ = [
    "is_number",
    "listed",
    "number",
    "numbers",
    "optional_number",
    "part",
    "rate",
    "shown",
    "text",
    "threshold",
]

_INFINITE = {"inf": math.inf, "-inf": -math.inf}


def part(data: Any, name: str, kind: type | None = None) -> Any:
    """Return the value at a dotted name, as a number if `kind` is float."""
    value = data
    for key in name.split("."):
        if not isinstance(value, dict) or key not in value:
            raise InputError(f"`{name}` is missing.")
        value = value[key]
    return value if kind is None else number(value, name)


def text(data: Any, name: str) -> str:
    """Return the text at a dotted name."""
    value = part(data, name)
    if not isinstance(value, str):
        raise input_error(name, "must be text", shown(value))
    return value


def listed(data: Any, name: str, kind: type = object) -> list[Any]:
    """Return the list at a dotted name, of names if `kind` is str."""
    values = part(data, name)
    if not isinstance(values, list) or not all(isinstance(value, kind) for value in values):
        rule = "must be a list of names" if kind is str else "must be a list"
        raise input_error(name, rule, type(values).__name__)
    return values


def optional_number(data: Any, name: str) -> float | None:
    """Return the number at a dotted name, or None for null."""
    return None if part(data, name) is None else number(part(data, name), name)


def number(value: Any, name: str, *, infinite: bool = False) -> float:
    """Return one number, not NaN; with `infinite` also inf and -inf, in files "inf" and "-inf"."""
    if infinite and isinstance(value, str):
        value = _INFINITE.get(value, value)
    if isinstance(value, bool) or not isinstance(value, (int, float, np.number)):
        raise input_error(name, "must be a number", shown(value))
    try:
        as_float = float(value)
    except OverflowError:
        as_float = math.inf
    if math.isnan(as_float):
        raise input_error(name, "must not be NaN", "NaN")
    if math.isinf(as_float) and not infinite:
        raise input_error(name, "must be finite", as_float)
    return as_float


def is_number(text: str) -> bool:
    """Tell whether a text is a number."""
    try:
        float(text)
    except ValueError:
        return False
    return True


def threshold(value: Any, name: str) -> float:
    """Return a threshold: a number, inf or -inf ("inf" and "-inf" in files), not NaN."""
    return number(value, name, infinite=True)


def rate(value: Any, name: str) -> float:
    """Return a share in [0, 1]; sums of masses that exceed it by rounding are cut."""
    share = number(value, name)
    return check_rate(min(share, 1.0) if share < 1 + 1e-12 else share, name)


def numbers(data: Any, name: str, shape: tuple[int, ...] | None = None) -> FloatArray | None:
    """Return a list or table of numbers at a dotted name; None for null."""
    values = part(data, name)
    if values is None:
        return None
    if not isinstance(values, list):
        raise input_error(name, "must be a list of numbers", type(values).__name__)
    rows = values if values and isinstance(values[0], list) else [values]
    if len({len(row) if isinstance(row, list) else -1 for row in rows}) != 1 or not isinstance(rows[0], list):
        raise input_error(name, "must have rows of one length", type(values).__name__)
    table = np.array([[number(value, name) for value in row] for row in rows])
    array = table if rows is values else table[0]
    if shape is not None and array.shape != shape:
        raise input_error(name, f"must have the shape {shape}", f"{array.shape}")
    return array


def shown(value: Any) -> str:
    """Show a value as it stands in the file, if it is short."""
    written = json.dumps(value) if value is None or isinstance(value, (bool, str)) else repr(value)
    return written if len(written) <= 40 else type(value).__name__
