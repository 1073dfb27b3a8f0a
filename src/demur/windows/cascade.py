"""`Cascade`: a cheap model first, a more expensive one where that is worth it, and a person.

The first score has five segments: negative, pass on, person, pass on, positive. The outer two end where a
window on it would, the person gets a window inside, and what lies between the two windows is passed on.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from demur._checks import check_columns, check_nonnegative, input_error
from demur._files.values import part, threshold
from demur._html import threshold_text
from demur._results import json_safe
from demur.surface.window import ABSTAIN, window_codes
from demur.typing import ArrayLike, BoolArray, FloatArray, IntArray
from demur.windows.expression import All, Case, Column, Comparison, Decision, Number, window_branches
from demur.windows.window_rule import Window

__all__ = ["Cascade"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Cascade:
    """Ask a first model, pass some cases on to a second one, and send some to a person.

    Thresholds of -inf and inf are never reached, not even by an infinite score. A case that is not passed on
    may have any second score, but not NaN.

    Parameters
    ----------
    names : (str, str)
        The models, first and second; the columns of the rule.
    cuts : (float, float, float, float)
        Thresholds on the first score, ascending: negative up to the first, to a person between the second and
        the third, positive from the fourth on; everything else is passed on. No case goes to a person where
        the second equals the third.
    lower, upper : float
        Window on the second score for cases passed on; in between they go to a person.
    prices : (float, float)
        Price of asking each model about one case.

    Raises
    ------
    InputError
        For NaN, thresholds in the wrong order, negative prices, and names that coincide.

    Examples
    --------
    A small language model answers where it is sure, and a large one is asked where that helps:

    >>> from demur.windows import Cascade
    >>> rule = Cascade(
    ...     names=("cheap", "large"),
    ...     cuts=(0.1, 0.4, 0.6, 0.9),
    ...     lower=0.2,
    ...     upper=0.7,
    ...     prices=(0.02, 0.6),
    ... )
    >>> table = [[0.05, 0.9], [0.5, 0.9], [0.7, 0.9], [0.7, 0.5]]
    >>> rule.decide(table).tolist(), rule.charge(table).tolist()
    ([0, -1, 1, -1], [0.02, 0.02, 0.62, 0.62])
    >>> print(rule.words(("negative", "positive")))  # doctest: +NORMALIZE_WHITESPACE
    ask cheap first: answer negative up to 0.1 and positive from 0.9 up; send 0.4 to 0.6 to a person;
    pass the rest on to large, which answers negative up to 0.2 and positive from 0.7 up, else a person
    """

    names: tuple[str, str]
    cuts: tuple[float, float, float, float]
    lower: float
    upper: float
    prices: tuple[float, float]
    kind: ClassVar[str] = "cascade"
    inputs: ClassVar[int] = 2

    def __post_init__(self) -> None:
        names: Any = self.names
        cuts: Any = self.cuts
        if not isinstance(names, (tuple, list)) or [type(name) for name in names] != [str, str]:
            raise input_error("names", "must be two names", repr(names))
        if names[0] == names[1]:
            raise input_error("names", "must differ", repr(names))
        if not isinstance(cuts, (tuple, list)) or len(cuts) != 4:
            raise input_error("cuts", "must be four numbers", repr(cuts))
        cuts = tuple(threshold(cut, "cuts") for cut in cuts)
        if list(cuts) != sorted(cuts):
            raise input_error("cuts", "must be in ascending order", repr(cuts))
        window = Window(self.lower, self.upper)
        prices = check_nonnegative(self.prices, "prices")
        if prices.shape != (2,):
            raise input_error("prices", "must be two numbers", repr(self.prices))
        values = (tuple(names), cuts, window.lower, window.upper, tuple(prices.tolist()))
        for name, value in zip(self.__slots__, values, strict=True):
            object.__setattr__(self, name, value)

    @property
    def can_pass(self) -> bool:
        """Whether some first score is passed on."""
        negative, start, stop, positive = self.cuts
        return negative < start or stop < positive if start < stop else negative < positive

    @property
    def abstains(self) -> bool:
        """Whether some case goes to a person."""
        return self.cuts[1] < self.cuts[2] or (self.can_pass and self.lower < self.upper)

    def passes(self, first: ArrayLike) -> BoolArray:
        """Tell for every first score whether the second model is asked."""
        scores = np.asarray(first, dtype=np.float64)
        outer = window_codes(scores, self.cuts[0], self.cuts[3])
        return np.asarray((outer == ABSTAIN) & (window_codes(scores, *self.cuts[1:3]) != ABSTAIN))

    def decide(self, table: ArrayLike) -> IntArray:
        """Return 1 (positive), 0 (negative) or `ABSTAIN` for every row of a first and a second score."""
        return np.asarray(self.codes(check_columns(table, "table", columns=2)), dtype=np.int64)

    def codes(self, table: FloatArray) -> Any:
        """Decide checked rows, a byte each."""
        first, second = table.T
        codes, passed = window_codes(first, self.cuts[0], self.cuts[3]), self.passes(first)
        codes[passed] = window_codes(second[passed], self.lower, self.upper)
        return codes

    def charge(self, table: ArrayLike) -> FloatArray:
        """Return the price of the models asked about every row."""
        return np.where(self.passes(np.asarray(table)[:, 0]), sum(self.prices), self.prices[0])

    def words(self, class_names: Sequence[str]) -> str:
        """Say the rule, after "Use cheap, then large: "."""
        first, second = self.names
        start, stop = self.cuts[1:3]
        calls = _calls(self.cuts[0], self.cuts[3], class_names)
        steps = [f"answer {calls}"] if calls else []
        if start < stop:
            shown = f"{threshold_text(start)} to {threshold_text(stop)}"
            if not self.can_pass:
                shown = "the rest" if steps else "every case"
            elif math.isinf(start):
                shown = f"up to {threshold_text(stop)}"
            elif math.isinf(stop):
                shown = f"{threshold_text(start)} and up"
            steps.append(f"send {shown} to a person")
        if self.can_pass:
            later = _calls(self.lower, self.upper, class_names)
            answers = f", which answers {later}" if later else ""
            sent = "" if self.lower == self.upper else ", else a person" if later else ", then to a person"
            steps.append(f"pass {'the rest' if steps else 'every case'} on to {second}{answers}{sent}")
        return f"ask {first} {'first' if self.can_pass else 'only'}: {'; '.join(steps)}"

    # ---------------------------------------------------------------- files and other languages

    def to_dict(self) -> dict[str, Any]:
        """Return the rule as JSON-safe built-in types (infinities as "inf" and "-inf")."""
        return {"kind": self.kind, **{name: json_safe(getattr(self, name)) for name in self.__slots__}}

    @classmethod
    def from_dict(cls, data: Any) -> Self:
        """Return the rule that `to_dict` described; refuse anything else in one sentence."""
        return cls(**{name: part(data, name) for name in cls.__slots__})

    def to_expression(self, columns: Sequence[str], labels: Sequence[Any]) -> Decision:
        """Return the decision; infinite thresholds hold for all scores or for none and are never written."""
        first, second = columns
        negative, positive, abstain = labels
        start, stop = self.cuts[1:3]
        person = [Comparison(">", Column(first), Number(start))] if start > -math.inf else []
        person += [Comparison(">", Number(stop), Column(first))] if stop < math.inf else []
        branches = [
            *window_branches(Column(first), self.cuts[0], self.cuts[3], negative, positive),
            *([(All(tuple(person)) if person else None, abstain)] if start < stop else []),
            *window_branches(Column(second), self.lower, self.upper, negative, positive),
            (None, abstain),
        ]
        return Decision(columns=(first, second), valid=None, value=Case.of(branches))


def _calls(lower: float, upper: float, class_names: Sequence[str]) -> str:
    """Say the answers of a window; empty for one that always abstains."""
    negative, positive = class_names
    if lower == upper:
        by_end = {math.inf: f"{negative} always", -math.inf: f"{positive} always"}
        return by_end.get(lower) or f"{positive} from {threshold_text(upper)} up, {negative} below"
    listed = [f"{negative} up to {threshold_text(lower)}"] if lower > -math.inf else []
    listed += [f"{positive} from {threshold_text(upper)} up"] if upper < math.inf else []
    return " and ".join(listed)
