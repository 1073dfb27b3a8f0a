"""`Rule`: protocol of rules that decide on the columns of a model, and the registry of all rules.

A new rule is one class and one entry of `RULES`: files, SQL, Python, ONNX and the command line follow.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Protocol, Self

from demur.typing import ArrayLike, FloatArray, IntArray
from demur.windows.budgeted import Budgeted
from demur.windows.cascade import Cascade
from demur.windows.class_rule import ClassRule
from demur.windows.combined import Combined
from demur.windows.cuts import Cuts
from demur.windows.expected_cost import ExpectedCostRule
from demur.windows.expression import BatchDecision, Decision
from demur.windows.guarded import Guarded
from demur.windows.window_rule import Window

__all__ = ["RULES", "Rule", "Window", "register_rule"]


class Rule(Protocol):
    """Protocol of a rule that a policy can hold.

    Codes of decisions are places among the classes, and `ABSTAIN`. `to_dict` holds the `kind`, by which files
    find the class in `RULES`; `from_dict` reads it back. Windows and weights of classes are said by the words
    of an answer; any other rule says itself, by a method `words` from the names of the classes to what
    follows "Use <model>: ".

    A rule may also say how files are read for it, by class attributes. `texts`: how many columns, the last
    ones, hold groups, batches or keys in place of numbers (0). `reads`: which numbers rows of some groups
    need. `whole_batches`: whether rows can only be decided together (False). `two_sided`: whether decisions
    between two classes are counted as negative and positive (False). `inputs_words`: which columns were read
    as what. `undecided`: why a row of numbers may get no decision ("a number is infinite").
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


RULES: dict[str, type[Rule]] = {
    rule.kind: rule
    for rule in (Window, ClassRule, ExpectedCostRule, Combined, Cascade, Guarded, Budgeted, Cuts)
}
"""Kind of a rule in files -> its class."""


def register_rule(rule: type[Rule]) -> None:
    """Let policies hold rules of another kind, until the process ends."""
    RULES[rule.kind] = rule
