"""A decision as a small expression tree: arithmetic of columns, comparisons, and the label they lead to.

Rules write it (`Rule.to_expression`), and printers turn it into SQL, Python or ONNX. Every sum runs from
the first term to the last and every operation is rounded by itself, so that all decide alike to the last bit.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

__all__ = [
    "All",
    "Bound",
    "Case",
    "Column",
    "Comparison",
    "Condition",
    "Decision",
    "Equals",
    "FirstBest",
    "Interpolated",
    "Number",
    "Numeric",
    "Product",
    "Sum",
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
class Bound:
    """A number computed before, by its name among the `bindings` of the decision."""

    name: str


Numeric = Column | Number | Sum | Product | Interpolated | Bound


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
