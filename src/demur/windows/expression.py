"""A decision as a small expression tree: arithmetic of columns, comparisons, and the label they lead to.

Rules write it (`Rule.to_expression`), and printers turn it into SQL, Python or ONNX. Every sum runs from
the first term to the last and every operation is rounded by itself, so that all decide alike to the last bit.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from demur.costs.budget import Places

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
        """Leave out what follows a branch that always holds, None; there is one."""
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
