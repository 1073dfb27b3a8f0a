"""A decision as a small expression tree: arithmetic of columns, comparisons, and the label they lead to.

Rules write it (`Rule.to_expression`), and printers turn it into SQL, Python or ONNX. Every sum runs from
the first term to the last and every operation is rounded by itself, so that all decide alike to the last bit.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from demur.costs.budget import Places
from demur.typing import BoolArray, FloatArray

__all__ = [
    "All",
    "BatchDecision",
    "Bound",
    "Case",
    "Column",
    "Comparison",
    "Condition",
    "Decision",
    "Equals",
    "ExpressionValues",
    "FirstBest",
    "Indicator",
    "Interpolated",
    "Least",
    "Number",
    "Numeric",
    "Product",
    "Sum",
    "window_branches",
]


@dataclass(frozen=True, slots=True)
class Column:
    """The number in a column of the row."""

    name: str


@dataclass(frozen=True, slots=True)
class Number:
    """A finite constant."""

    value: float


@dataclass(frozen=True, slots=True)
class Sum:
    """Terms added from the first to the last, each sum rounded by itself."""

    terms: tuple[Numeric, ...]


@dataclass(frozen=True, slots=True)
class Product:
    """Two factors."""

    left: Numeric
    right: Numeric


@dataclass(frozen=True, slots=True)
class Interpolated:
    """A function through points, straight between them and constant beyond the first and the last.

    At or above point j and below the next one it is ``values[j] + slopes[j] * (value - points[j])``, each
    operation rounded by itself.

    Attributes
    ----------
    value : Numeric
        Where the function is taken.
    points, values, slopes : tuple of float
        Where its pieces begin, ascending, what it is there, and by how much it rises; the last slope is 0.
    """

    value: Numeric
    points: tuple[float, ...]
    values: tuple[float, ...]
    slopes: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Least:
    """The smallest of several numbers."""

    values: tuple[Numeric, ...]


@dataclass(frozen=True, slots=True)
class Bound:
    """A number computed before, by its name among the `bindings` of the decision."""

    name: str


@dataclass(frozen=True, slots=True)
class Indicator:
    """1 where a condition holds, else 0."""

    condition: Condition


Numeric = Column | Number | Sum | Product | Interpolated | Least | Bound | Indicator


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two numbers compared; `operator` is ">=", "<=" or ">"."""

    operator: str
    left: Numeric
    right: Numeric


@dataclass(frozen=True, slots=True)
class All:
    """Conditions that must hold together."""

    conditions: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class Equals:
    """A column, written as text, is one of some texts; a missing value is none of them."""

    name: str
    texts: tuple[str, ...]


Condition = Comparison | All | Equals


@dataclass(frozen=True, slots=True)
class Case:
    """The label of the first condition that holds, else another one; each may be a `Decision` of its own."""

    branches: tuple[tuple[Condition, Any], ...]
    otherwise: Any

    @classmethod
    def of(cls, branches: Sequence[tuple[Condition | None, Any]]) -> Case:
        """Make a case of the branches up to the first that always holds (None)."""
        last = next(place for place, (test, _) in enumerate(branches) if test is None)
        tests = ((test, label) for test, label in branches[:last] if test is not None)
        return cls(tuple(tests), branches[last][1])


@dataclass(frozen=True, slots=True)
class FirstBest:
    """The label of the largest (or smallest) of several numbers; of equal ones the first counts."""

    values: tuple[Numeric, ...]
    labels: tuple[Any, ...]
    largest: bool


@dataclass(frozen=True, slots=True)
class Decision:
    """The label of a row.

    Attributes
    ----------
    columns : tuple of str
        The columns it is computed from. A row where one of them is missing or NaN gets no decision. Where
        the value is a case of decisions, each of them has columns of its own.
    valid : Condition or None
        What else must hold for a row to get a decision.
    value : Case or FirstBest
        The label.
    bindings : tuple of (str, Numeric)
        Numbers that are used more than once, in the order in which they are computed.
    """

    columns: tuple[str, ...]
    valid: Condition | None
    value: Case | FirstBest
    bindings: tuple[tuple[str, Numeric], ...] = ()


@dataclass(frozen=True, slots=True)
class BatchDecision:
    """The label of a row among the rows of its batch, some of which get a place.

    Attributes
    ----------
    columns : tuple of str
        Those of `others`, of which the first is the score, then the batch and the key.
    others : Decision
        The label of a row without a place.
    saving : Numeric
        What a place is worth, from the bindings of `others`.
    least : float
        Rows whose place is worth no more get none.
    label : Any
        The label of a row with a place.
    places : Places
        How many places a batch has, and who comes first.
    """

    columns: tuple[str, ...]
    others: Decision
    saving: Numeric
    least: float
    label: Any
    places: Places


def window_branches(
    score: Numeric, lower: float, upper: float, negative: Any, positive: Any
) -> list[tuple[Condition | None, Any]]:
    """Return the answers of a window with their conditions; None holds for all scores.

    Infinite thresholds hold for all scores or for none and are never written.
    """
    branches: list[tuple[Condition | None, Any]] = []
    for operator, end, never, label in (
        (">=", upper, math.inf, positive),
        ("<=", lower, -math.inf, negative),
    ):
        if end != never:
            test = None if end == -never else Comparison(operator, score, Number(end))
            branches.append((test, label))
    return branches


# ---------------------------------------------------------------- values


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
