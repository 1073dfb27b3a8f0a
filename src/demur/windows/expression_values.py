"""The numbers and codes of an expression on arrays: what the printers write, computed by NumPy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from demur.typing import BoolArray, FloatArray
from demur.windows.expression import (
    All,
    Bound,
    Case,
    Column,
    Comparison,
    Condition,
    Decision,
    Indicator,
    Interpolated,
    Least,
    Number,
    Numeric,
    Sum,
)

__all__ = ["ExpressionValues"]

_COMPARED = {">=": np.greater_equal, "<=": np.less_equal, ">": np.greater}


class ExpressionValues:
    """Values of expressions on rows, in the order of operations of every printer.

    `columns` holds one array per column by its name; `bindings` are those of the decision.
    """

    def __init__(
        self, columns: Mapping[str, FloatArray], bindings: tuple[tuple[str, Numeric], ...] = ()
    ) -> None:
        self.columns = columns
        self.bound: dict[str, Any] = {}
        for name, number in bindings:
            self.bound[name] = self.number(number)

    @classmethod
    def codes(cls, decision: Decision, table: FloatArray) -> Any:
        """Return the labels of a decision that are codes, for valid rows of its columns."""
        columns = dict(zip(decision.columns, table.T, strict=True))
        values, case = cls(columns, decision.bindings), decision.value
        assert isinstance(case, Case)
        codes = np.full(len(table), case.otherwise, dtype=np.int8)
        for test, label in reversed(case.branches):
            codes[values.condition(test)] = label
        return codes

    def number(self, value: Numeric) -> Any:
        """Return a number for every row, or the same for all."""
        if isinstance(value, Column):
            return self.columns[value.name]
        if isinstance(value, Number):
            return value.value
        if isinstance(value, Bound):
            return self.bound[value.name]
        if isinstance(value, Sum):
            total, *rest = map(self.number, value.terms)
            for term in rest:
                total = total + term
            return total
        if isinstance(value, Interpolated):
            return self._interpolated(value)
        if isinstance(value, Least):
            return np.minimum.reduce(np.broadcast_arrays(*map(self.number, value.values)))
        if isinstance(value, Indicator):
            return np.where(self.condition(value.condition), 1.0, 0.0)
        return self.number(value.left) * self.number(value.right)

    def _interpolated(self, value: Interpolated) -> FloatArray:
        at = self.number(value.value)
        points, values, slopes = map(np.array, (value.points, value.values, value.slopes))
        place = np.searchsorted(points, at, side="right") - 1
        inside = np.maximum(place, 0)
        risen = values[inside] + slopes[inside] * (at - points[inside])
        return np.asarray(np.where(place < 0, values[0], risen))

    def condition(self, test: Condition) -> BoolArray:
        """Tell for every row whether a condition holds."""
        if isinstance(test, All):
            return np.asarray(np.logical_and.reduce([self.condition(one) for one in test.conditions]))
        assert isinstance(test, Comparison)
        return np.asarray(_COMPARED[test.operator](self.number(test.left), self.number(test.right)))
