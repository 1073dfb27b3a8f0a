"""What a policy hands over: two thresholds, three labels, and where they come from."""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from demur._checks import input_error

__all__ = ["DecisionRule", "label_kind", "origin_lines"]

_LARGEST = 2**63


class DecisionRule(NamedTuple):
    """The part of a policy that another system needs.

    Attributes
    ----------
    lower, upper : float
        Positive if ``score >= upper``, else negative if ``score <= lower``, else abstain; -inf (lower)
        and inf (upper) are never reached.
    positive, negative, abstain : str or number
        The labels, all text or all numbers.
    origin : tuple of (name, text)
        What a reader of the copy wants to know: model, data, costs.
    """

    lower: float
    upper: float
    positive: Any
    negative: Any
    abstain: Any
    origin: tuple[tuple[str, str], ...]

    @property
    def uses_positive(self) -> bool:
        """Whether any score is called positive."""
        return self.upper < math.inf

    @property
    def uses_negative(self) -> bool:
        """Whether any score is called negative."""
        return self.lower > -math.inf and self.upper > -math.inf

    @property
    def labels(self) -> tuple[Any, Any, Any]:
        """Return the labels of a positive, a negative and no decision."""
        return self.positive, self.negative, self.abstain

    @property
    def kind(self) -> str:
        """Type of the labels: "text", "whole" or "number"; refuses what no target can hold."""
        return label_kind(self.labels)

    @property
    def words(self) -> str:
        """Return the rule in words."""
        if self.upper == -math.inf:
            return f"always {self.positive!r}"
        said = [f"{self.positive!r} if score >= {self.upper!r}"] if self.uses_positive else []
        if self.lower == math.inf:
            return ", ".join([*said, f"{'else' if said else 'always'} {self.negative!r}"])
        if self.uses_negative:
            said.append(f"{self.negative!r} if score <= {self.lower!r}")
        return ", ".join([*said, f"{'else' if said else 'always'} {self.abstain!r}"])

    def origin_lines(self) -> list[str]:
        """Return where the rule comes from, a line for each fact, free of control characters."""
        return origin_lines(self.origin)


def label_kind(labels: Sequence[Any]) -> str:
    """Type of labels that are all text or all numbers: "text", "whole" or "number"."""
    if isinstance(labels[0], str):
        broken = [label for label in labels if "\0" in label or _lone_surrogate(label)]
        if broken:
            raise input_error("labels", "must be text that other systems can store", repr(broken[0]))
        return "text"
    if not all(isinstance(label, int) for label in labels):
        return "number"
    large = [label for label in labels if not -_LARGEST <= label < _LARGEST]
    if large:
        raise input_error("labels", "must fit into 64 bits to be exported", large[0])
    return "whole"


def origin_lines(origin: Sequence[tuple[str, str]]) -> list[str]:
    """Return where a rule comes from, a line for each fact, free of control characters."""
    shown = [(name, "".join(c if c.isprintable() else " " for c in text)) for name, text in origin]
    return [f"{name}: {text}" for name, text in shown]


def _lone_surrogate(label: str) -> bool:
    return any("\ud800" <= letter <= "\udfff" for letter in label)
