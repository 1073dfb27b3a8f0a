"""`ExpectedCostRule`: the cheapest action by the probability of a case and its own costs.

Two classes. A case has a place z: its score, or a weighted sum of a function of the score and of the
logarithms of its amounts. From z follows the probability p of a positive, and action a is expected to cost
(1 - p) c(negative, a) + p c(positive, a), where costs are linear in the amounts (Elkan 2001). All functions
are straight between points, so that every system computes them to the last bit; the logarithm is that to the
base 2, straight between powers of two.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from demur._checks import check_columns, input_error
from demur._files.values import listed, number, numbers, optional_number, part
from demur._results import Result
from demur.surface.window import ABSTAIN
from demur.typing import ArrayLike, BoolArray, FloatArray, IntArray
from demur.windows.expression import (
    All,
    Bound,
    Case,
    Column,
    Comparison,
    Condition,
    Decision,
    ExpressionValues,
    Interpolated,
    Least,
    Number,
    Numeric,
    Product,
    Sum,
)

__all__ = ["ExpectedCostRule", "PiecewiseLinear", "pseudo_log"]

_LARGEST_AMOUNT = 1e100
"""Larger amounts get no decision: their products would leave the range of floats in some database."""
_POSITIVE, _NEGATIVE = 1, 0


class PiecewiseLinear(NamedTuple):
    """A function that is straight between points and constant beyond the first and the last of them.

    Examples
    --------
    >>> import numpy as np
    >>> from demur.windows import PiecewiseLinear
    >>> PiecewiseLinear(np.array([0.0, 2.0]), np.array([0.1, 0.9])).at(np.array([-1.0, 1.0, 5.0])).tolist()
    [0.1, 0.5, 0.9]
    """

    points: FloatArray
    values: FloatArray

    @classmethod
    def through(cls, points: FloatArray, values: FloatArray) -> PiecewiseLinear:
        """Take points in ascending order; those too close to tell apart are left out."""
        kept = [0]
        with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
            for place in range(1, len(points)):
                rise = (values[place] - values[kept[-1]]) / (points[place] - points[kept[-1]])
                if points[place] > points[kept[-1]] and np.isfinite(rise):
                    kept.append(place)
        return cls(points[kept], values[kept])

    def of(self, value: Numeric) -> Interpolated:
        """Return the function of a number as an expression."""
        slopes = np.append(np.diff(self.values) / np.diff(self.points), 0.0)
        return Interpolated(
            value, tuple(self.points.tolist()), tuple(self.values.tolist()), tuple(slopes.tolist())
        )

    def at(self, values: FloatArray) -> FloatArray:
        """Return the function at some numbers."""
        found: FloatArray = ExpressionValues({"x": values}).number(self.of(Column("x")))
        return found

    def __repr__(self) -> str:
        low, high = (f"{float(one):.4g}" for one in (self.points[0], self.points[-1]))
        return f"PiecewiseLinear({len(self.points)} points, {low} to {high})"

    def reached(self, value: float) -> float:
        """Return the point from which on an increasing function is at least a value; inf for none."""
        if value <= self.values[0]:
            return -np.inf
        if value > self.values[-1]:
            return np.inf
        return float(np.interp(value, self.values, self.points))

    def to_dict(self) -> dict[str, Any]:
        """Return the points as JSON-safe built-in types."""
        return {"points": self.points.tolist(), "values": self.values.tolist()}

    @classmethod
    def from_dict(cls, data: Any, name: str) -> PiecewiseLinear:
        """Return the function that `to_dict` described; refuse anything else in one sentence."""
        points, values = numbers(data, f"{name}.points"), numbers(data, f"{name}.values")
        if points is None or values is None or points.ndim > 1 or points.shape != values.shape:
            raise input_error(name, "must hold as many points as values", "other shapes")
        if not len(points) or np.any(np.diff(points) <= 0):
            raise input_error(f"{name}.points", "must ascend", repr(points[:4].tolist()))
        return cls(points, values)


def pseudo_log(amounts: FloatArray) -> PiecewiseLinear:
    """Return the logarithm to the base 2, straight between powers of two, over the range of some amounts."""
    used = amounts[amounts > 0]
    low, high = (0, 1) if not len(used) else (int(np.frexp(end)[1]) - 1 for end in (used.min(), used.max()))
    exponents = np.arange(low, high + 2)
    return PiecewiseLinear(np.ldexp(1.0, exponents), exponents.astype(np.float64))


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class ExpectedCostRule(Result):
    """Take the action that is expected to cost least, given the score and the amounts of a case.

    Ties go to the positive class, then to the negative one, then to abstaining. A row gets no decision where
    a number is missing, the score infinite, or an amount negative or above 1e100.

    Parameters
    ----------
    names : sequence of str
        The column of the score, then those of the amounts.
    calibration : PiecewiseLinear
        From z to the probability of a positive.
    costs : array of (2, actions, 1 + amounts)
        Cost of an action on a negative and on a positive: a constant and a factor of every amount. Actions
        are negative, positive and, if it is one, abstaining.
    scale : PiecewiseLinear, optional
        Function of the score; None where z is the score itself.
    logs : sequence of PiecewiseLinear
        Function of every amount, beside `scale`.
    weights : sequence of numbers
        Weights in z of the score and of every amount, beside `scale`.
    least_saving : float, default 0
        Abstain only where that is expected to save more than this.
    examples : sequence of numbers
        Amounts that the words show thresholds for, where there is one column of them.

    Examples
    --------
    The score is the probability of fraud; a missed fraud costs its amount, a false alarm 25, a call 4. A
    payment of 100 is called about from 4 % on, one of 10 from 40 % on:

    >>> from demur.windows import ExpectedCostRule, PiecewiseLinear
    >>> rule = ExpectedCostRule(
    ...     names=("risk", "amount"),
    ...     calibration=PiecewiseLinear([0.0, 1.0], [0.0, 1.0]),
    ...     costs=[[[0, 0], [25, 0], [4, 0]], [[0, 1], [0, 0], [4, 0]]],
    ... )
    >>> [round(lower, 3) for lower, _ in map(rule.thresholds, (100, 10))]
    [0.04, 0.4]
    >>> rule.decide([[0.3, 10], [0.3, 100], [0.9, 100]]).tolist()
    [0, -1, 1]
    """

    names: tuple[str, ...]
    calibration: PiecewiseLinear
    costs: FloatArray
    scale: PiecewiseLinear | None = None
    logs: tuple[PiecewiseLinear, ...] = ()
    weights: tuple[float, ...] = ()
    least_saving: float = 0.0
    examples: tuple[float, ...] = ()
    kind: ClassVar[str] = "expected cost"
    undecided: ClassVar[str] = "a score is infinite, or an amount negative or too large"

    def __post_init__(self) -> None:
        amounts = len(self.names) - 1
        if len(set(self.names)) <= amounts:
            raise input_error("names", "must tell score and amounts apart", repr(self.names))
        costs = np.array(self.costs, dtype=np.float64)
        if costs.ndim != 3 or costs.shape[::2] != (2, 1 + amounts) or costs.shape[1] not in (2, 3):
            rule = f"must have the shape (2, 2 or 3, {1 + amounts})"
            raise input_error("costs", rule, f"{costs.shape}")
        if self.scale is not None and not len(self.logs) + 1 == len(self.weights) == 1 + amounts:
            raise input_error("weights", f"must be {1 + amounts} numbers beside scale", repr(self.weights))
        object.__setattr__(self, "costs", costs)
        functions = {"calibration": self.calibration, "scale": self.scale}
        for name, one in functions.items():
            if one is not None:
                object.__setattr__(self, name, PiecewiseLinear(*(np.asarray(part, float) for part in one)))
        Result.__post_init__(self)

    @property
    def inputs(self) -> int:
        """Number of columns it reads: a score and the amounts."""
        return len(self.names)

    @property
    def abstains(self) -> bool:
        """Whether abstaining is an action."""
        return bool(self.costs.shape[1] > 2)

    def decide(self, table: ArrayLike) -> IntArray:
        """Return 1 (positive), 0 (negative) or `ABSTAIN` for every row of a score and its amounts."""
        return np.asarray(self.codes(self.checked(table)), dtype=np.int64)

    def checked(self, table: ArrayLike) -> FloatArray:
        """Return rows as numbers; refuse those that get no decision."""
        columns = check_columns(table, "table", columns=self.inputs)
        if not np.isfinite(columns[:, 0]).all():
            raise input_error("table", "must hold finite scores", "an infinite one")
        amounts = columns[:, 1:]
        wrong = (amounts < 0) | (amounts > _LARGEST_AMOUNT)
        if wrong.any():
            rule = f"must hold amounts from 0 to {_LARGEST_AMOUNT:g}"
            raise input_error("table", rule, f"{amounts[wrong][0]:g}")
        return columns

    def valid(self, table: FloatArray) -> BoolArray:
        """Tell which rows get a decision; numbers may be missing."""
        valid = self.to_expression(self.names, (0, 1, ABSTAIN)).valid
        assert valid is not None
        return ExpressionValues(dict(zip(self.names, table.T, strict=True))).condition(valid)

    def codes(self, table: FloatArray) -> Any:
        """Decide checked rows."""
        return ExpressionValues.codes(self.to_expression(self.names, (0, 1, ABSTAIN)), table)

    def savings(self, table: FloatArray) -> FloatArray:
        """Return the expected saving of abstaining on each row."""
        (saved,) = self._numbers_on(table, [self.saving(self.names)])
        return np.broadcast_to(saved, len(table))

    def _numbers_on(self, table: FloatArray, numbers: Sequence[Numeric]) -> list[FloatArray]:
        columns = dict(zip(self.names, table.T, strict=True))
        values = ExpressionValues(columns, self.bindings(self.names))
        return [values.number(one) for one in numbers]

    def support(self, table: FloatArray) -> FloatArray:
        """Return the support of each action on every row: minus its expected cost beyond the cheapest one."""
        expected = self._numbers_on(table, self.expected(self.names))
        costs = np.column_stack(np.broadcast_arrays(table[:, 0], *expected))[:, 1:]
        return np.asarray(costs.min(axis=1, keepdims=True) - costs)

    # ---------------------------------------------------------------- as an expression

    def bindings(self, columns: Sequence[str]) -> tuple[tuple[str, Numeric], ...]:
        """Return z and the probability of a positive as expressions."""
        score, *amounts = (Column(name) for name in columns)
        place: Numeric = score
        if self.scale is not None:
            functions = zip((self.scale, *self.logs), (score, *amounts), self.weights, strict=True)
            place = Sum(tuple(Product(Number(weight), one.of(column)) for one, column, weight in functions))
        p = Bound("p")
        return ("z", place), ("p", self.calibration.of(Bound("z"))), ("q", Sum((Number(1.0), _negated(p))))

    def expected(self, columns: Sequence[str]) -> list[Numeric]:
        """Return the expected cost of every action as an expression."""
        amounts = [Column(name) for name in columns[1:]]
        found: list[Numeric] = []
        for by_class in self.costs.transpose(1, 0, 2):
            negative, positive = (_linear(terms, amounts) for terms in by_class.tolist())
            if negative == positive:  # the same whatever the class: no rounding
                found.append(negative or Number(0.0))
                continue
            terms = [(Bound("q"), negative), (Bound("p"), positive)]
            parts = tuple(Product(share, cost) for share, cost in terms if cost is not None)
            found.append(parts[0] if len(parts) == 1 else Sum(parts))
        return found

    def saving(self, columns: Sequence[str]) -> Numeric:
        """Return the expected saving of abstaining as an expression."""
        *acting, abstain = self.expected(columns)
        return Sum((Least(tuple(acting)), _negated(abstain)))

    def to_expression(self, columns: Sequence[str], labels: Sequence[Any]) -> Decision:
        """Return the decision; `labels` are those of negative, positive and abstaining."""
        score, *amounts = (Column(name) for name in columns)
        largest = Number(sys.float_info.max)
        valid: list[Condition] = [
            Comparison(">=", score, Number(-sys.float_info.max)),
            Comparison("<=", score, largest),
        ]
        for amount in amounts:
            valid += [
                Comparison(">=", amount, Number(0.0)),
                Comparison("<=", amount, Number(_LARGEST_AMOUNT)),
            ]
        negative, positive, *rest = self.expected(columns)
        cheaper: list[Condition] = [Comparison("<=", positive, negative)]
        if not rest:
            value = Case(((cheaper[0], labels[_POSITIVE]),), labels[_NEGATIVE])
        else:
            review = Sum((rest[0], Number(self.least_saving))) if self.least_saving else rest[0]
            acts = [Comparison("<=", action, review) for action in (positive, negative)]
            first = All((*cheaper, acts[0]))
            value = Case(((first, labels[_POSITIVE]), (acts[1], labels[_NEGATIVE])), labels[-1])
        return Decision(tuple(columns), All(tuple(valid)), value, self.bindings(columns))

    # ---------------------------------------------------------------- words

    def words(self, names: Sequence[str]) -> str:
        """Say the rule, with thresholds at some amounts where there is one column of them."""
        if self.inputs == 1:
            return f"call {self._words_at(1.0, names)}".replace("call always", "always call")
        listed = " and ".join(self.names[1:])
        text = (
            f"with {listed} known, {self._formula(names) or 'take the action that is expected to cost least'}"
        )
        shown = [f"{amount:,.6g}: {self._words_at(amount, names)}" for amount in self.examples]
        return f"{text}. At {listed} {'; '.join(shown)}" if shown else text

    def _formula(self, names: Sequence[str]) -> str:
        """Say the rule as odds times amount, where only a miss costs the amount; empty for other costs."""
        costs = self.costs
        if self.inputs != 2 or costs[:, :2].any(axis=2).tolist() != [[False, True], [True, False]]:
            return ""
        (alarm, by_amount), (fixed, factor) = costs[0, 1], costs[1, 0]
        amount, limit = self.names[1], f"{alarm / factor:.4g}" if factor else ""
        if by_amount or fixed or not factor or self.least_saving:
            return ""
        text = f"call {names[1]} when odds x {amount} exceed {limit}"
        if not self.abstains:
            return f"{text}, else {names[0]}"
        review = costs[0, 2, 0]
        if costs[:, 2, 1].any() or costs[1, 2, 0] != review or not 0 < review < alarm:
            return ""
        sure = f"the probability exceeds {100 * (1 - review / alarm):.3g} %"
        little = f"{names[0]} when probability x {amount} is at most {review / factor:.4g}"
        return f"{text} and {sure}, {little}, else send it to a person"

    def _words_at(self, amount: float, names: Sequence[str]) -> str:
        lower, upper = (float(f"{one:.3g}") for one in self.thresholds(amount))
        if upper == -np.inf or lower == np.inf:
            return f"always {names[upper == -np.inf]}"
        calls = [] if upper == np.inf else [f"{names[1]} from {upper:g} up"]
        if not self.abstains:
            return f"{calls[0]}, {names[0]} below" if calls else f"always {names[0]}"
        calls += [] if lower == -np.inf else [f"{names[0]} up to {lower:g}"]
        return ", ".join([*calls, "else a person"]) if calls else "always a person"

    def thresholds(self, amount: float) -> tuple[float, float]:
        """Return the scores up to which a case of an amount is called negative, and from which on positive.

        For one column of amounts, or none. Between them a person decides; -inf and inf: at no score.
        """
        amounts = [1.0] if self.inputs == 1 else [1.0, amount]
        constants = self.costs @ np.array(amounts)
        # expected costs are straight lines in p: start at its value for negatives, and rise
        start, rise = constants[0], constants[1] - constants[0]
        upper = _from(start[1] - start[0], rise[1] - rise[0])
        lower = upper
        if self.abstains:
            saving = [(start[a] - start[2] - self.least_saving, rise[a] - rise[2]) for a in (0, 1)]
            upper = max(upper, _from(*saving[1]))
            lower = min(lower, _from(-saving[0][0], -saving[0][1]))
        return self._score_at(lower, amount), self._score_at(upper, amount)

    def _score_at(self, probability: float, amount: float) -> float:
        """Return the score from which on a case of an amount has at least a probability."""
        place = self.calibration.reached(probability)
        if self.scale is None or not np.isfinite(place):
            return place
        weight, *others = self.weights
        if others:
            place -= others[0] * float(self.logs[0].at(np.array([amount]))[0])
        return self.scale.reached(place / weight) if weight > 0 else np.inf

    def __repr__(self) -> str:
        form = "score" if self.scale is None else "score and amounts"
        return f"ExpectedCostRule({', '.join(self.names)}; probabilities by {form}, abstains={self.abstains})"

    # ---------------------------------------------------------------- files

    def to_dict(self) -> dict[str, Any]:
        """Return the rule as JSON-safe built-in types."""
        return {
            "kind": self.kind,
            "names": list(self.names),
            "calibration": self.calibration.to_dict(),
            "costs": self.costs.tolist(),
            "scale": None if self.scale is None else self.scale.to_dict(),
            "logs": [one.to_dict() for one in self.logs],
            "weights": list(self.weights),
            "least_saving": self.least_saving,
            "examples": list(self.examples),
        }

    @classmethod
    def from_dict(cls, data: Any) -> Self:
        """Return the rule that `to_dict` described; refuse anything else in one sentence."""
        weights, examples = (part(data, name) for name in ("weights", "examples"))
        costs = [numbers({"costs": one}, "costs") for one in part(data, "costs")]
        return cls(
            names=tuple(listed(data, "names", str)),
            calibration=PiecewiseLinear.from_dict(data, "calibration"),
            costs=np.array(costs, dtype=np.float64),
            scale=None if part(data, "scale") is None else PiecewiseLinear.from_dict(data, "scale"),
            logs=tuple(PiecewiseLinear.from_dict({"logs": one}, "logs") for one in listed(data, "logs")),
            weights=tuple(number(one, "weights") for one in weights),
            least_saving=optional_number(data, "least_saving") or 0.0,
            examples=tuple(number(one, "examples") for one in examples),
        )


def _negated(value: Numeric) -> Numeric:
    return Product(Number(-1.0), value)


def _linear(terms: Sequence[float], amounts: Sequence[Column]) -> Numeric | None:
    """Return a constant and multiples of amounts as an expression; None for 0."""
    constant, *factors = terms
    parts: list[Numeric] = [Number(constant)] if constant else []
    for factor, amount in zip(factors, amounts, strict=True):
        if factor:
            parts.append(amount if factor == 1 else Product(Number(factor), amount))
    if not parts:
        return None
    return parts[0] if len(parts) == 1 else Sum(tuple(parts))


def _from(start: float, rise: float) -> float:
    """Return the probability from which on a line is not above 0; inf for none, -inf for all."""
    if start <= 0:
        return -np.inf
    return start / -rise if start <= -rise else np.inf
