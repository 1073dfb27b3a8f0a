"""`ClassRule`: one answer for class probabilities, by weights that any system can apply.

Two families. Weights: the largest w_k p_k. Columns: the smallest L_k / w_k with the expected cost
L_k = sum_j c(j, k) p_j of answer k (O'Brien and Gray 2005). Abstaining is one answer more: it has
the score w_r times the sum of the probabilities, or the expected cost of a review. Ties go to the
first class, and to abstaining last. Every sum runs from the first class to the last and every
product is rounded by itself, so that other systems decide alike to the last bit.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any, ClassVar, Self

import numpy as np

from demur._checks import check_choice, check_class_labels, check_columns, check_finite, input_error
from demur._files.values import numbers, optional_number, part, text
from demur._results import Result
from demur.surface.window import ABSTAIN
from demur.typing import ArrayLike, FloatArray, IntArray
from demur.windows.expression import (
    All,
    Column,
    Comparison,
    Decision,
    FirstBest,
    Number,
    Numeric,
    Product,
    Sum,
)

__all__ = ["ClassRule", "check_class_probabilities", "second_class_scores"]

# rows decided at a time, so that a column of them stays in the cache
_CHUNK = 1 << 14
_SUM_OF_ONE = 1e-9


def check_class_probabilities(proba: ArrayLike, columns: int | None = None) -> FloatArray:
    """Return one row of finite scores >= 0 per case, not all 0; rows need not sum to 1."""
    values = check_columns(proba, "proba", columns=columns)
    low, high = float(values.min()), float(values.max())
    if low < 0 or high == np.inf:
        wrong = low if low < 0 else high
        raise input_error("proba", "must be finite and not negative", wrong)
    if low == 0:
        empty = np.flatnonzero(~values.any(axis=1))
        if len(empty):
            raise input_error("proba", "must be positive for some class", f"zeros in row {empty[0]}")
    return values


def second_class_scores(proba: FloatArray) -> FloatArray:
    """Return the probability of the second of two classes; rows that sum to 1, up to rounding, stay as is."""
    total = proba.sum(axis=1)
    return np.where(np.abs(total - 1) < _SUM_OF_ONE, proba[:, 1], proba[:, 1] / total)


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class ClassRule(Result):
    """Answer the class with the largest weighted probability, or abstain.

    Assumes probabilities of the model the weights were chosen for; a factor common to a row does
    not matter.

    Parameters
    ----------
    classes : sequence of m names
        Names of the columns.
    weights : array of m numbers >= 0
        Factor of the probability of each class; with `column_costs`, of the inverse expected cost.
    abstain_weight : float, optional
        Abstain where it exceeds every weighted probability. None: never abstain.
    column_costs : array of shape (m, m) or (m, m + 1), optional
        Cost of each answer, the last column that of abstaining: answer the smallest expected cost
        divided by its weight.

    Examples
    --------
    The third class is missed too often; answer it from half the probability of the others:

    >>> from demur.windows import ClassRule
    >>> rule = ClassRule(classes=["a", "b", "c"], weights=[1, 1, 2], abstain_weight=0.6)
    >>> rule.decide([[0.7, 0.2, 0.1], [0.4, 0.2, 0.4], [0.5, 0.4, 0.1]]).tolist()
    [0, 2, -1]
    """

    classes: tuple[Any, ...]
    weights: FloatArray
    abstain_weight: float | None = None
    column_costs: FloatArray | None = None
    kind: ClassVar[str] = "class weights"
    inputs_words: ClassVar[str] = "Probabilities from columns {columns}"
    undecided: ClassVar[str] = "the probabilities are negative, infinite or all 0"
    _reported = ("family",)

    def __post_init__(self) -> None:
        classes = tuple(check_class_labels(self.classes, name="classes"))
        weights = np.array(check_finite(self.weights, "weights"))
        m = len(classes)
        if weights.shape != (m,) or np.any(weights < 0) or not weights.any():
            raise input_error("weights", f"must be {m} numbers >= 0, not all 0", repr(weights.tolist()))
        object.__setattr__(self, "classes", classes)
        object.__setattr__(self, "weights", weights)
        if self.abstain_weight is not None:
            weight = float(check_finite(self.abstain_weight, "abstain_weight"))
            if weight < 0:
                raise input_error("abstain_weight", "must be at least 0", weight)
            object.__setattr__(self, "abstain_weight", weight)
        if self.column_costs is not None:
            costs = np.array(check_finite(self.column_costs, "column_costs"))
            shape = (m, m + (self.abstain_weight is not None))
            if costs.shape != shape or np.any(costs < 0):
                raise input_error("column_costs", f"must be {shape} numbers >= 0", f"shape {costs.shape}")
            if np.any(weights == 0) or self.abstain_weight == 0:
                raise input_error("weights", "must be above 0 beside column_costs", repr(weights.tolist()))
            object.__setattr__(self, "column_costs", costs)
        Result.__post_init__(self)

    @property
    def inputs(self) -> int:
        """Number of columns it reads: one per class."""
        return len(self.classes)

    @property
    def family(self) -> str:
        """What the weights multiply: "weights" (probabilities) or "columns" (inverse expected costs)."""
        return "weights" if self.column_costs is None else "columns"

    @property
    def abstains(self) -> bool:
        """Whether abstaining is an answer."""
        return self.abstain_weight is not None and self.abstain_weight > 0

    @property
    def divisors(self) -> list[float]:
        """Factors of the expected costs, 1 / weight, for the family "columns"; abstaining last."""
        weights = [*self.weights.tolist(), *([] if self.abstain_weight is None else [self.abstain_weight])]
        return [1.0 / weight for weight in weights]

    def decide(self, proba: ArrayLike) -> IntArray:
        """Index in `classes` for every row of probabilities, `ABSTAIN` where it abstains.

        Rows need not sum to 1; NaN, negative and infinite values are refused.
        """
        return self.codes(check_class_probabilities(proba, len(self.classes)))

    def codes(self, proba: FloatArray) -> IntArray:
        """Decide checked rows."""
        answers = np.zeros(len(proba), dtype=np.int64)
        largest = self.column_costs is None
        for start in range(0, len(proba), _CHUNK):
            chunk = slice(start, start + _CHUNK)
            columns = np.ascontiguousarray(proba[chunk].T)
            scores = self._weighted(columns) if largest else self._expected(columns)
            best = next(scores)
            for answer, score in enumerate(scores, start=1):
                better = score > best if largest else score < best
                answers[chunk][better] = ABSTAIN if answer == len(self.classes) else answer
                np.copyto(best, score, where=better)
        return answers

    def _weighted(self, columns: FloatArray) -> Iterator[FloatArray]:
        for weight, column in zip(self.weights.tolist(), columns, strict=True):
            yield weight * column
        if self.abstains:
            yield self.abstain_weight * reduce(np.add, columns)

    def _expected(self, columns: FloatArray) -> Iterator[FloatArray]:
        assert self.column_costs is not None
        for divisor, costs in zip(self.divisors, self.column_costs.T.tolist(), strict=True):
            loss = np.zeros(columns.shape[1])
            for cost, column in zip(costs, columns, strict=True):
                if cost:
                    loss += cost * column
            yield loss * divisor

    # ---------------------------------------------------------------- files and other languages

    def to_dict(self) -> dict[str, Any]:
        """Return the rule as JSON-safe built-in types."""
        return {"kind": self.kind, **Result.to_dict(self)}

    @classmethod
    def from_dict(cls, data: Any) -> Self:
        """Return the rule that `to_dict` described; refuse anything else in one sentence."""
        classes = part(data, "classes")
        if not isinstance(classes, list) or len(classes) < 2:
            raise input_error("classes", "must list at least two classes", type(classes).__name__)
        family = check_choice(text(data, "family"), "family", ("weights", "columns"))
        weights = numbers(data, "weights", (len(classes),))
        if weights is None:
            raise input_error("weights", "must be a list of numbers", "null")
        return cls(
            classes=tuple(classes),
            weights=weights,
            abstain_weight=optional_number(data, "abstain_weight"),
            column_costs=numbers(data, "column_costs") if family == "columns" else None,
        )

    def to_expression(self, columns: Sequence[str], labels: Sequence[Any]) -> Decision:
        """Return the decision on one column per class, in the order of operations of `decide`."""
        proba = tuple(Column(name) for name in columns)
        total = Sum(proba)
        # NaN fails one of the two comparisons in every database, wherever it stands among the numbers
        limits = ((">=", 0.0), ("<=", sys.float_info.max))
        ends = [Comparison(sign, column, Number(limit)) for column in proba for sign, limit in limits]
        values: list[Numeric] = []
        if self.column_costs is None:
            pairs = zip(self.weights.tolist(), proba, strict=True)
            values += [Product(Number(weight), column) for weight, column in pairs]
            if self.abstain_weight:
                values.append(Product(Number(self.abstain_weight), total))
        else:
            for divisor, costs in zip(self.divisors, self.column_costs.T.tolist(), strict=True):
                priced = zip(costs, proba, strict=True)
                terms = tuple(Product(Number(cost), column) for cost, column in priced if cost)
                values.append(Product(Sum(terms or (Number(0.0),)), Number(divisor)))
        return Decision(
            columns=tuple(columns),
            valid=All((*ends, Comparison(">", total, Number(0.0)))),
            value=FirstBest(tuple(values), tuple(labels[: len(values)]), self.column_costs is None),
        )

    def __repr__(self) -> str:
        listed = zip(self.classes[:6], self.weights.tolist(), strict=False)
        shown = ", ".join(f"{name}: {weight:.4g}" for name, weight in listed)
        more = ", ..." if len(self.classes) > 6 else ""
        rest = "" if self.abstain_weight is None else f", abstain_weight={self.abstain_weight:.4g}"
        return f"ClassRule({shown}{more}{rest}, family={self.family})"
