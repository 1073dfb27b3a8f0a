"""`Budgeted`: whole batches of cases, of which a fixed number goes to people.

A review of case i is expected to save b_i = min over acting of e_i(a) - e_i(abstain). The places of a batch
go to the largest b_i > 0, which no other choice of so many cases beats; all others get the cheaper action.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from demur._checks import input_error
from demur._files.values import number, optional_number, part
from demur._results import Result
from demur.costs.budget import Places
from demur.exceptions import InputError
from demur.surface.window import ABSTAIN
from demur.typing import FloatArray, IntArray
from demur.windows.expected_cost import ExpectedCostRule
from demur.windows.expression import BatchDecision

__all__ = ["Budgeted", "PlaceUse", "decide_batches"]


class PlaceUse(NamedTuple):
    """How the places were used on the cases that a rule was chosen on.

    Attributes
    ----------
    batches, full : int
        Number of batches, and of those whose places were all used.
    next_saving : float
        What one more place in every batch is expected to save, on average per batch.
    """

    batches: int
    full: int
    next_saving: float


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class Budgeted(Result):
    """Send the cases of a batch to people where that saves most, as many as there are places.

    Ties go to the higher score, then to the smaller key. All other cases get the decision that is expected to
    cost less.

    Parameters
    ----------
    inner : ExpectedCostRule
        What deciding and reviewing a case are expected to cost.
    places : Places
        How many places a batch has, and how a table says which batch a row belongs to.
    least_saving : float, default 0
        A review must be expected to save more than this.
    use : PlaceUse, optional
        How the places were used on the cases it was chosen on; the words say so.

    Examples
    --------
    One place a day, for scores that are probabilities. A miss costs 100, a false alarm 40, a review 5: the
    review of a case with probability 0.3 saves 23, more than one with 0.1 or 0.9:

    >>> import numpy as np
    >>> from demur.costs.budget import Places
    >>> from demur.windows import Budgeted, ExpectedCostRule, PiecewiseLinear
    >>> inner = ExpectedCostRule(
    ...     names=("p",),
    ...     calibration=PiecewiseLinear(np.array([0.0, 1.0]), np.array([0.0, 1.0])),
    ...     costs=[[[0], [40], [5]], [[100], [0], [5]]],
    ... )
    >>> places = Places(reviews=1, column="date", key="id", per="day", text_key=False)
    >>> days = ["2026-03-02", "2026-03-02", "2026-03-02", "2026-03-03"]
    >>> rows = [list(row) for row in zip([0.1, 0.3, 0.9, 0.1], days, [1, 2, 3, 4])]
    >>> Budgeted(inner=inner, places=places).decide(rows).tolist()
    [0, -1, 1, -1]
    """

    inner: ExpectedCostRule
    places: Places
    least_saving: float = 0.0
    use: PlaceUse | None = None
    kind: ClassVar[str] = "budgeted"
    abstains: ClassVar[bool] = True
    texts: ClassVar[int] = 2
    whole_batches: ClassVar[bool] = True
    inputs_words: ClassVar[str] = "Places by {texts[0]}, from columns {columns}"
    undecided: ClassVar[str] = "the batch or the key is missing, or a number out of range"
    _evidence: ClassVar[tuple[str, ...]] = ("inner",)

    def __post_init__(self) -> None:
        if not self.inner.abstains:
            raise input_error("inner", "must know what abstaining costs", "a rule that never abstains")
        Result.__post_init__(self)

    @property
    def names(self) -> tuple[str, ...]:
        """Columns of the score, the amounts, the batch and the key."""
        return (*self.inner.names, self.places.column, self.places.key)

    @property
    def inputs(self) -> int:
        """Number of columns it reads."""
        return len(self.names)

    @property
    def acting(self) -> ExpectedCostRule:
        """Rule for cases without a place."""
        return replace(self.inner, costs=self.inner.costs[:, :2])

    def decide(self, table: Any) -> IntArray:
        """Return 1 (positive), 0 (negative) or `ABSTAIN` for every row of whole batches.

        `table` is an array of objects with a column for the score, each amount, the batch and the key, or a
        data frame that has them under their names; dates and text as they stand.
        """
        if hasattr(table, "columns"):
            return self.decide_columns([table[name] for name in self.names])
        rows = np.asarray(table, dtype=object)
        if rows.ndim != 2 or rows.shape[1] != self.inputs:
            raise InputError(
                f"`table` must have {self.inputs} columns ({', '.join(self.names)}), got shape {rows.shape}: "
                "places are given to whole batches. Hint: Policy.decide_batch takes a table without a batch."
            )
        return self.decide_columns(list(rows.T))

    def decide_columns(self, columns: Sequence[Any]) -> IntArray:
        """Decide on columns as they stand, in the order of `names`."""
        *numbers, batch, key = (np.asarray(column) for column in columns)
        table = self.inner.checked(np.column_stack(numbers))
        return np.asarray(self.codes(np.column_stack([table, *self.places.coded(batch, key)])), np.int64)

    def codes(self, table: FloatArray) -> Any:
        """Decide checked rows, whose last two columns are numbers of batches and ranks of keys."""
        return decide_batches([self], table, np.zeros(len(table), dtype=np.int64))[0]

    def support(self, table: FloatArray) -> FloatArray:
        """Return the support of each action on every row: minus its expected cost beyond the cheapest one."""
        return self.inner.support(table[:, : -self.texts])

    def used_on(self, table: FloatArray) -> Self:
        """Return the same rule that knows how its places are used on checked rows."""
        return replace(self, use=decide_batches([self], table, np.zeros(len(table), dtype=np.int64))[1])

    def to_expression(self, columns: Sequence[str], labels: Sequence[Any]) -> BatchDecision:
        """Return the decision; `labels` are those of negative, positive and abstaining."""
        numbers = columns[: -self.texts]
        return BatchDecision(
            columns=tuple(columns),
            others=self.acting.to_expression(numbers, labels),
            saving=self.inner.saving(numbers),
            least=self.least_saving,
            label=labels[-1],
            places=self.places,
        )

    def words(self, names: Sequence[str]) -> str:
        """Say the rule, the limit, how the places are used, and what one more is worth."""
        places, use = self.places, self.use
        text = "send the cases to a person where a review is expected to save most"
        if places.arrival:
            text = (
                f"send a case to a person if a review is expected to save more than {self.least_saving:.3g}"
            )
            text += f" and a place is left, in the order of {places.key}"
        text += f", {places.words}"
        if use is not None:
            batches = "batches" if places.per is None else f"{places.per}s"
            worth = f"{use.next_saving:.3g} {places.period}" if use.next_saving else "nothing"
            text += (
                f": all used on {use.full:,} of {use.batches:,} {batches}; one more place would save {worth}"
            )
        text += "; unused places are carried over" if places.carry_over else ""
        return f"{text}; for all others, {self.acting.words(names)}"

    # ---------------------------------------------------------------- files

    def to_dict(self) -> dict[str, Any]:
        """Return the rule as JSON-safe built-in types."""
        return {
            "kind": self.kind,
            "inner": self.inner.to_dict(),
            "places": self.places.to_dict(),
            "least_saving": self.least_saving,
            "use": None if self.use is None else self.use._asdict(),
        }

    @classmethod
    def from_dict(cls, data: Any) -> Self:
        """Return the rule that `to_dict` described; refuse anything else in one sentence."""
        use = None
        if part(data, "use") is not None:
            batches, full, saving = (number(part(data, f"use.{name}"), name) for name in PlaceUse._fields)
            use = PlaceUse(int(batches), int(full), saving)
        return cls(
            inner=ExpectedCostRule.from_dict(part(data, "inner")),
            places=Places.from_dict(part(data, "places")),
            least_saving=optional_number(data, "least_saving") or 0.0,
            use=use,
        )


def decide_batches(rules: Sequence[Budgeted], table: FloatArray, fold: IntArray) -> tuple[Any, PlaceUse]:
    """Decide checked rows batch by batch, each with the rule of its fold, and say how places were used.

    Rules differ in nothing but what they expect: the places are those of the first.
    """
    places, numbers, key = rules[0].places, table[:, : -Budgeted.texts], table[:, -1]
    codes = np.empty(len(table), dtype=np.int8)
    saving, least = np.empty(len(table)), np.empty(len(table))
    for one, rule in enumerate(rules):
        held = fold == one
        if held.any():
            codes[held] = rule.acting.codes(numbers[held])
            saving[held], least[held] = rule.inner.savings(numbers[held]), rule.least_saving
    names, batch = np.unique(table[:, -Budgeted.texts], return_inverse=True)
    rows = np.flatnonzero(saving > least)
    first = [key] if places.arrival else [key, -table[:, 0], -saving]
    # the last key of a lexsort is the first to sort by
    rows = rows[np.lexsort([*(column[rows] for column in first), batch[rows]])]
    found = places.allotted(batch[rows], len(names))
    codes[rows[found.given]] = ABSTAIN
    worth = float(saving[rows[found.left_out]].sum()) / len(names)
    return codes, PlaceUse(len(names), found.full, worth)
