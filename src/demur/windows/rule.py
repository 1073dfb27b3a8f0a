"""`Rule`: what turns the columns of a model into decisions; `Window`; and the registry of all rules.

A new rule is one class and one entry of `RULES`: files, SQL, Python, ONNX and the command line follow.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, Self

from demur._checks import input_error
from demur._files.values import part, threshold
from demur._results import json_safe
from demur.surface.window import decide, window_codes
from demur.typing import ArrayLike, FloatArray, IntArray
from demur.windows.budgeted import Budgeted
from demur.windows.cascade import Cascade
from demur.windows.class_rule import ClassRule
from demur.windows.expected_cost import ExpectedCostRule
from demur.windows.expression import BatchDecision, Case, Decision, window_branches

__all__ = ["RULES", "Rule", "Window", "register_rule"]


class Rule(Protocol):
    """What a policy needs to know of a rule.

    Codes of decisions are places among the classes, and `ABSTAIN`. `to_dict` holds the `kind`, by which files
    find the class in `RULES`; `from_dict` reads it back. Windows and weights of classes are said by the words
    of an answer; any other rule says itself, by a method `words` from the names of the classes to what
    follows "Use <model>: ".
    """

    kind: ClassVar[str]

    @property
    def inputs(self) -> int:
        """Number of columns it reads."""

    @property
    def abstains(self) -> bool:
        """Whether abstaining is among its actions."""

    def decide(self, table: ArrayLike, /) -> IntArray:
        """Return the code of every row: of n numbers for one input, else of an (n, inputs) table."""

    def codes(self, table: FloatArray, /) -> Any:
        """Return the same codes for checked columns."""

    def to_dict(self) -> dict[str, Any]:
        """Return the rule as JSON-safe built-in types, its "kind" among them."""

    @classmethod
    def from_dict(cls, data: Any) -> Self:
        """Return the rule that `to_dict` described; refuse anything else in one sentence."""

    def to_expression(self, columns: Sequence[str], labels: Sequence[Any]) -> Decision | BatchDecision:
        """Return the decision on these columns; `labels` are those of the classes, of abstaining last."""


@dataclass(frozen=True, slots=True)
class Window:
    """Two thresholds on one score: positive from `upper` on, negative up to `lower`, else abstain.

    A threshold of inf (upper) or -inf (lower) is never reached, not even by an infinite score.

    Parameters
    ----------
    lower, upper : float
        ``lower <= upper``; equal ones never abstain.

    Raises
    ------
    InputError
        For NaN, and for thresholds in the wrong order.

    Examples
    --------
    >>> from demur.windows import Window
    >>> Window(0.3, 0.6).decide([0.1, 0.5, 0.9]).tolist()
    [0, -1, 1]
    """

    lower: float
    upper: float
    kind: ClassVar[str] = "window"
    inputs: ClassVar[int] = 1

    def __post_init__(self) -> None:
        for name in ("lower", "upper"):
            object.__setattr__(self, name, threshold(getattr(self, name), name))
        if self.lower > self.upper:
            raise input_error("lower", f"must not exceed upper = {self.upper:g}", f"{self.lower:g}")

    @property
    def abstains(self) -> bool:
        """Whether some score is abstained on."""
        return self.lower < self.upper

    def decide(self, table: ArrayLike) -> IntArray:
        """Return 1 (positive), 0 (negative) or `ABSTAIN` for every score."""
        return decide(table, (self.lower, self.upper))

    def codes(self, scores: FloatArray) -> Any:
        """Decide checked scores, a byte each."""
        return window_codes(scores, self.lower, self.upper)

    def to_dict(self) -> dict[str, Any]:
        """Return the thresholds as JSON-safe built-in types (infinities as "inf" and "-inf")."""
        return {"kind": self.kind, "lower": json_safe(self.lower), "upper": json_safe(self.upper)}

    @classmethod
    def from_dict(cls, data: Any) -> Self:
        """Return the window that `to_dict` described."""
        return cls(*(threshold(part(data, name), name) for name in ("lower", "upper")))

    def to_expression(self, columns: Sequence[str], labels: Sequence[Any]) -> Decision:
        """Return the decision; infinite thresholds hold for all scores or for none and are never written."""
        (name,) = columns
        negative, positive, abstain = labels
        branches = window_branches(name, self.lower, self.upper, negative, positive)
        return Decision(columns=(name,), valid=None, value=Case.of([*branches, (None, abstain)]))


RULES: dict[str, type[Rule]] = {
    rule.kind: rule for rule in (Window, ClassRule, ExpectedCostRule, Cascade, Budgeted)
}
"""Kind of a rule in files -> its class."""


def register_rule(rule: type[Rule]) -> None:
    """Let policies hold rules of another kind, until the process ends."""
    RULES[rule.kind] = rule
