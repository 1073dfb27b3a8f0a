"""`Guarded`: a window on the score of a model, and a limit on how unfamiliar a case may be."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from demur._checks import check_columns, check_nonnegative, input_error
from demur._files.values import listed, number, part, threshold
from demur._html import threshold_text
from demur._results import json_safe
from demur.surface.window import ABSTAIN
from demur.typing import ArrayLike, FloatArray, IntArray
from demur.windows.expression import Case, Column, Comparison, Decision, Number
from demur.windows.window_rule import Window

__all__ = ["Guarded"]


@dataclass(frozen=True, kw_only=True)
class Guarded:
    """Two thresholds on a score as in `Window`; abstain where a second column, the doubt, is too large.

    The doubt says how unlike the training data a case is (a distance, minus a log density) or how much
    several models disagree. A class score cannot: far from all data many models are certain.

    Parameters
    ----------
    lower, upper : float
        Thresholds of the score, ``lower <= upper``.
    max_doubt : float
        A case with a larger doubt is abstained on whatever its score; inf: there is no guard.
    names : (str, str)
        The model, and the column of the doubt.
    price : float
        What asking the model costs.

    Raises
    ------
    InputError
        For NaN, thresholds in the wrong order, or anything but two different names.

    References
    ----------
    Friedel, Rueckert, Kramer (2006), "Cost Curves for Abstaining Classifiers", ROCML, who name cases
    unlike the training data as a second reason to abstain.

    Examples
    --------
    >>> from demur.windows import Guarded
    >>> rule = Guarded(lower=0.3, upper=0.6, max_doubt=2, names=("risk", "distance"))
    >>> rule.decide([[0.1, 0.5], [0.5, 0.5], [0.9, 2.0], [0.9, 2.1]]).tolist()
    [0, -1, 1, -1]
    """

    lower: float
    upper: float
    max_doubt: float
    names: tuple[str, str]
    price: float = 0.0
    kind: ClassVar[str] = "guard"
    inputs: ClassVar[int] = 2

    def __post_init__(self) -> None:
        window, names = Window(self.lower, self.upper), tuple(map(str, self.names))
        if len(set(names)) != 2:
            raise input_error("names", "must be two different names", repr(names))
        if self.max_doubt == -math.inf:
            raise input_error("max_doubt", "must let some cases pass", self.max_doubt)
        checked = {
            "lower": window.lower,
            "upper": window.upper,
            "max_doubt": threshold(self.max_doubt, "max_doubt"),
            "names": names,
            "price": float(check_nonnegative(self.price, "price")),
        }
        for name, value in checked.items():
            object.__setattr__(self, name, value)

    @property
    def window(self) -> Window:
        """The thresholds of the score."""
        return Window(self.lower, self.upper)

    @property
    def abstains(self) -> bool:
        """Whether abstaining is among its actions."""
        return self.lower < self.upper or self.max_doubt < math.inf

    def decide(self, table: ArrayLike) -> IntArray:
        """Return 1 (positive), 0 (negative) or `ABSTAIN` for every row of a score and a doubt."""
        return np.asarray(self.codes(check_columns(table, "table", columns=2)), dtype=np.int64)

    def codes(self, table: FloatArray) -> Any:
        """Decide checked rows, a byte each."""
        codes = self.window.codes(table[:, 0])
        codes[table[:, 1] > self.max_doubt] = ABSTAIN
        return codes

    def score(self, table: FloatArray) -> FloatArray:
        """Return the number that the thresholds look at."""
        return table[:, 0]

    def charge(self, table: FloatArray) -> FloatArray:
        """Return the price of the model, for every row."""
        return np.full(len(table), self.price)

    def words(self, class_names: Sequence[str]) -> str:
        """Say the rule."""
        window = self.window.words(class_names)
        if self.max_doubt == math.inf:
            return window
        return (
            f"send to a person where {self.names[1]} exceeds {threshold_text(self.max_doubt)}; else {window}"
        )

    # ---------------------------------------------------------------- files and other languages

    def to_dict(self) -> dict[str, Any]:
        """Return the rule as JSON-safe built-in types."""
        thresholds = {name: json_safe(getattr(self, name)) for name in ("lower", "upper", "max_doubt")}
        return {"kind": self.kind, **thresholds, "names": list(self.names), "price": self.price}

    @classmethod
    def from_dict(cls, data: Any) -> Self:
        """Return the rule that `to_dict` described; refuse anything else in one sentence."""
        return cls(
            **{name: threshold(part(data, name), name) for name in ("lower", "upper", "max_doubt")},
            names=tuple(listed(data, "names")),
            price=number(part(data, "price"), "price"),
        )

    def to_expression(self, columns: Sequence[str], labels: Sequence[Any]) -> Decision:
        """Return the decision on the score and the doubt."""
        score, doubt = map(Column, columns)
        value = self.window.case(score, labels)
        if self.max_doubt < math.inf:
            above = Comparison(">", doubt, Number(self.max_doubt))
            value = Case(((above, labels[-1]), *value.branches), value.otherwise)
        return Decision(columns=tuple(columns), valid=None, value=value)
