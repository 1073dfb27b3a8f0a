"""Attributes as columns of numbers, and columns in words, for trees that learn from invented cases."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from demur._checks import input_error
from demur.typing import FloatArray
from demur.unlabelled.invented import Attribute, IntegerAttribute, NominalAttribute, NumericAttribute

__all__ = ["code_book", "describe_bounds", "describe_column", "encode", "fits_floats", "schema_of"]


def describe_bounds(name: str, low: float, high: float) -> str:
    """Words for low < name <= high, with the infinite end left out."""
    if math.isinf(low):
        return f"{name} <= {high:.4g}"
    return f"{name} > {low:.4g}" if math.isinf(high) else f"{low:.4g} < {name} <= {high:.4g}"


def fits_floats(attribute: Attribute) -> bool:
    """Tell whether a float array can hold the values."""
    return not isinstance(attribute, NominalAttribute) or attribute.is_numeric


def code_book(attributes: Sequence[Attribute], names: Sequence[str]) -> list[tuple[str, Any, Any]]:
    """One (name, value, alternative) per encoded column.

    `value` is None for numbers; `alternative` is the other one of two values, else None.
    """
    book: list[tuple[str, Any, Any]] = []
    for name, attribute in zip(names, attributes, strict=True):
        if not isinstance(attribute, NominalAttribute):
            book.append((name, None, None))
        elif len(attribute.values) == 2:
            book.append((name, attribute.values[1], attribute.values[0]))
        else:
            book += [(name, value, None) for value in attribute.values]
    return book


def describe_column(book: list[tuple[str, Any, Any]], column: int, low: float, high: float) -> str:
    """Words for low < column <= high, with nominal values named."""
    name, value, alternative = book[column]
    if value is None:
        return describe_bounds(name, low, high)
    if low >= 0:
        return f"{name} is {value}"
    return f"{name} is not {value}" if alternative is None else f"{name} is {alternative}"


def encode(attributes: Sequence[Attribute], names: Sequence[str], X: np.ndarray) -> FloatArray:
    """Return numbers as they are and nominal values as 0/1 columns (one for two values)."""
    if not any(isinstance(attribute, NominalAttribute) for attribute in attributes):
        return np.asarray(X, dtype=np.float64)
    columns: list[np.ndarray] = []
    for k, (name, attribute) in enumerate(zip(names, attributes, strict=True)):
        if not isinstance(attribute, NominalAttribute):
            columns.append(X[:, k].astype(np.float64))
            continue
        hits = [X[:, k] == value for value in attribute.values]
        unknown = ~np.logical_or.reduce(hits)
        if unknown.any():
            raise input_error(
                f"X column {name}", f"must be one of {list(attribute.values)}", repr(X[unknown, k][0])
            )
        columns += hits[1:] if len(hits) == 2 else hits
    return np.column_stack(columns).astype(np.float64)


def schema_of(X: Any, checked: np.ndarray) -> dict[str, Attribute]:
    """Ranges of real cases: floats, whole numbers (by dtype) or the values that occur."""
    names = [str(name) for name in getattr(X, "columns", [f"x{k}" for k in range(checked.shape[1])])]
    schema: dict[str, Attribute] = {}
    for k, name in enumerate(names):
        column = checked[:, k]
        if column.dtype.kind == "O" and all(isinstance(v, (int, float, np.number)) for v in column):
            column = np.array(column.tolist())
        if column.dtype.kind in "iu":
            schema[name] = IntegerAttribute(int(column.min()), int(column.max()))
        elif column.dtype.kind == "f":
            schema[name] = NumericAttribute(float(column.min()), float(column.max()))
        else:
            schema[name] = NominalAttribute(_values_of(name, column))
    return schema


def _values_of(name: str, column: np.ndarray) -> tuple[Any, ...]:
    try:
        return tuple(sorted(set(column.tolist()), key=str))
    except TypeError:
        raise input_error(
            f"X column {name}", "must hold numbers or names", type(column[0]).__name__
        ) from None
