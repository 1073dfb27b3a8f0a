"""`Window`: two thresholds on one score, the rule that others are made of."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from demur._checks import input_error
from demur._files.values import part, threshold
from demur._html import threshold_text
from demur._results import json_safe
from demur.surface.window import decide, window_codes
from demur.typing import ArrayLike, FloatArray, IntArray
from demur.windows.expression import Case, Column, Decision, Numeric, window_branches

__all__ = ["Window"]


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
    two_sided: ClassVar[bool] = True

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

    def words(self, class_names: Sequence[str]) -> str:
        """Say the rule, the negative class first among the names."""
        negative, positive = class_names
        upper = threshold_text(self.upper)
        if not self.abstains:
            return f"call {positive} from {upper} up, {negative} below"
        calls = [f"{positive} from {upper} up"] if self.upper < math.inf else []
        calls += [f"{negative} up to {threshold_text(self.lower)}"] if self.lower > -math.inf else []
        return (
            f"call {', '.join(calls)}, send the rest to a person" if calls else "send every case to a person"
        )

    def case(self, score: Numeric, labels: Sequence[Any]) -> Case:
        """Return the decision on a number; infinite thresholds hold for all scores or for none, unwritten."""
        negative, positive, abstain = labels
        branches = window_branches(score, self.lower, self.upper, negative, positive)
        return Case.of([*branches, (None, abstain)])

    def to_expression(self, columns: Sequence[str], labels: Sequence[Any]) -> Decision:
        """Return the decision on one column."""
        (name,) = columns
        return Decision(columns=(name,), valid=None, value=self.case(Column(name), labels))
