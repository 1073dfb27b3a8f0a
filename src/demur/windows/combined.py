"""`Combined`: one decision from the scores of several models: average, vote, or average and disagreement.

Sums run from the first model to the last and every operation is rounded by itself, so that other systems
decide alike to the last bit: the mean is the sum times 1/m, the disagreement the sum of the squared
deviations from it, and the balance the votes for minus the votes against.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any, ClassVar, Self

import numpy as np

from demur._checks import check_choice, check_columns, check_finite, check_nonnegative, input_error
from demur._files.values import listed, number, part, text, threshold
from demur._html import threshold_text
from demur._results import json_safe
from demur.surface.window import ABSTAIN
from demur.typing import ArrayLike, FloatArray, IntArray
from demur.windows.expression import (
    All,
    Bound,
    Case,
    Column,
    Comparison,
    Condition,
    Decision,
    Indicator,
    Number,
    Numeric,
    Product,
    Sum,
)
from demur.windows.window_rule import Window

__all__ = ["WAYS", "Combined"]

WAYS = ("average", "vote", "variance")
"""How several models become one."""


@dataclass(frozen=True, kw_only=True)
class Combined:
    """A window on the mean of several scores or on their votes; abstain where they disagree too much.

    Assumes that scores which are averaged share a scale, such as probabilities. All models are asked for
    every case.

    Parameters
    ----------
    how : {"average", "vote", "variance"}
        "average": a window on the mean. "vote": every model votes by its own window and may abstain; a
        window on the votes for minus those against. "variance": a window on the mean, and abstain where
        the squared deviations from it sum up to more than `max_disagreement`.
    names : sequence of m str
        The models, two or more, in the order of the columns.
    window : Window
        On the mean, or on the balance of votes.
    windows : sequence of m Window
        What each model votes by; empty unless `how` is "vote".
    max_disagreement : float
        For "variance"; inf: there is no limit.
    prices : sequence of m numbers >= 0, optional
        What asking each model costs; 0 by default.

    Raises
    ------
    InputError
        For fewer than two names, or parts that do not fit `how` or the names.

    References
    ----------
    Ferri, Hernandez-Orallo (2004), "Cautious Classifiers", ROCAI, who leave the combination of cautious
    classifiers open.

    Examples
    --------
    The mean is 0.5 in the second row and the third, but there the models disagree:

    >>> from demur.windows import Combined, Window
    >>> rule = Combined(
    ...     how="variance", names=("a", "b"), window=Window(0.3, 0.4), max_disagreement=0.1
    ... )
    >>> rule.decide([[0.1, 0.2], [0.6, 0.4], [0.9, 0.1]]).tolist()
    [0, 1, -1]
    """

    how: str
    names: tuple[str, ...]
    window: Window
    windows: tuple[Window, ...] = ()
    max_disagreement: float = math.inf
    prices: tuple[float, ...] = ()
    kind: ClassVar[str] = "combination"

    def __post_init__(self) -> None:
        check_choice(self.how, "how", WAYS)
        names, m = tuple(map(str, self.names)), len(self.names)
        if m < 2 or len(set(names)) < m:
            raise input_error("names", "must be two or more different names", repr(names))
        prices = tuple(check_nonnegative(self.prices, "prices").tolist()) or (0.0,) * m
        for name, given, size in (
            ("windows", self.windows, m if self.how == "vote" else 0),
            ("prices", prices, m),
        ):
            if len(given) != size:
                raise input_error(name, f"must be {size} for {self.how} of {m} models", len(given))
        limit = threshold(self.max_disagreement, "max_disagreement")
        if limit < 0 or (self.how != "variance" and limit < math.inf):
            raise input_error("max_disagreement", "must be at least 0, and inf unless how is variance", limit)
        checked = {"names": names, "windows": tuple(self.windows), "max_disagreement": limit}
        for name, value in (checked | {"prices": prices}).items():
            object.__setattr__(self, name, value)

    @property
    def inputs(self) -> int:
        """Number of columns it reads: one per model."""
        return len(self.names)

    @property
    def abstains(self) -> bool:
        """Whether abstaining is among its actions."""
        return self.window.abstains or self.max_disagreement < math.inf

    def decide(self, table: ArrayLike) -> IntArray:
        """Return 1 (positive), 0 (negative) or `ABSTAIN` for every row; means need finite scores."""
        scores = check_columns(table, "table", columns=self.inputs)
        if self.how != "vote":
            check_finite(scores, "table")
        return np.asarray(self.codes(scores), dtype=np.int64)

    def codes(self, table: FloatArray) -> Any:
        """Decide checked rows, a byte each."""
        codes = self.window.codes(self.score(table))
        if self.max_disagreement < math.inf:
            codes[self.disagreement(table) > self.max_disagreement] = ABSTAIN
        return codes

    def score(self, table: FloatArray) -> FloatArray:
        """Return the number that the window looks at: the mean of every row, or its balance of votes."""
        if self.how != "vote":
            return np.asarray(reduce(np.add, table.T) * (1.0 / len(self.names)))
        votes = (one.codes(column) for one, column in zip(self.windows, table.T, strict=True))
        return reduce(np.add, ((codes == 1) * 1.0 - (codes == 0) for codes in votes))

    def disagreement(self, table: FloatArray) -> FloatArray:
        """Return the sum of the squared deviations of every row from its mean."""
        mean = self.score(table)
        return reduce(np.add, ((column - mean) * (column - mean) for column in table.T))

    def charge(self, table: FloatArray) -> FloatArray:
        """Return the price of all models, for every row."""
        return np.full(len(table), sum(self.prices))

    def words(self, class_names: Sequence[str]) -> str:
        """Say the rule."""
        window = self.window.words(class_names)
        if self.how == "vote":
            negative, positive = class_names
            votes = [
                f"{name} {threshold_text(one.lower)} and {threshold_text(one.upper)}"
                for name, one in zip(self.names, self.windows, strict=True)
            ]
            return (
                f"let each model vote {negative} up to its first and {positive} from its second threshold "
                f"({', '.join(votes)}); by votes for minus against {window}"
            )
        if self.max_disagreement == math.inf:
            return window
        limit = threshold_text(self.max_disagreement)
        return (
            f"send to a person where squared deviations from the mean sum to more than {limit}; else {window}"
        )

    # ---------------------------------------------------------------- files and other languages

    def to_dict(self) -> dict[str, Any]:
        """Return the rule as JSON-safe built-in types."""
        return {
            "kind": self.kind,
            "how": self.how,
            "names": list(self.names),
            "window": self.window.to_dict(),
            "windows": [one.to_dict() for one in self.windows],
            "max_disagreement": json_safe(self.max_disagreement),
            "prices": list(self.prices),
        }

    @classmethod
    def from_dict(cls, data: Any) -> Self:
        """Return the rule that `to_dict` described; refuse anything else in one sentence."""
        return cls(
            how=text(data, "how"),
            names=tuple(listed(data, "names")),
            window=Window.from_dict(part(data, "window")),
            windows=tuple(map(Window.from_dict, listed(data, "windows"))),
            max_disagreement=threshold(part(data, "max_disagreement"), "max_disagreement"),
            prices=tuple(number(price, "prices") for price in listed(data, "prices")),
        )

    def to_expression(self, columns: Sequence[str], labels: Sequence[Any]) -> Decision:
        """Return the decision on one column per model, in the order of operations of `decide`."""
        scores = tuple(map(Column, columns))
        if self.how == "vote":
            votes = [vote for pair in zip(scores, self.windows, strict=True) for vote in _votes(*pair)]
            value = self.window.case(Bound("balance"), labels)
            return Decision(
                tuple(columns), None, value, (("balance", Sum(tuple(votes)) if votes else Number(0.0)),)
            )
        mean, limit = Bound("mean"), sys.float_info.max
        finite = [
            Comparison(sign, column, Number(end))
            for column in scores
            for sign, end in ((">=", -limit), ("<=", limit))
        ]
        bindings: list[tuple[str, Numeric]] = [("mean", Product(Sum(scores), Number(1.0 / len(scores))))]
        value = self.window.case(mean, labels)
        if self.max_disagreement < math.inf:
            gaps = [Sum((column, Product(Number(-1.0), mean))) for column in scores]
            bindings.append(("disagreement", Sum(tuple(Product(gap, gap) for gap in gaps))))
            above = Comparison(">", Bound("disagreement"), Number(self.max_disagreement))
            value = Case(((above, labels[-1]), *value.branches), value.otherwise)
        return Decision(tuple(columns), All(tuple(finite)), value, tuple(bindings))


def _votes(score: Column, window: Window) -> list[Numeric]:
    """Return the terms of one model in the balance: 1 for a positive vote, -1 for a negative one."""
    votes: list[Numeric] = []
    below: Condition = Comparison("<=", score, Number(window.lower))
    if window.upper == -math.inf:
        return [Number(1.0)]
    if window.lower == math.inf:
        return [Number(-1.0)]
    if window.upper < math.inf:
        votes.append(Indicator(Comparison(">=", score, Number(window.upper))))
        if not window.abstains:  # a score at the one threshold is positive
            below = Comparison(">", Number(window.upper), score)
    if window.lower > -math.inf:
        votes.append(Product(Number(-1.0), Indicator(below)))
    return votes
