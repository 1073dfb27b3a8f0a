"""`Losses`: what every action costs on every case, by class or case by case."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from demur.typing import FloatArray, IntArray

__all__ = ["Losses"]


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Losses:
    """Cost of every action, in the user's unit; columns are the classes in order, then abstaining.

    Actions are coded by their columns: 0, 1, ... are the classes, and `ABSTAIN` is -1, the last one. Cases
    whose class cannot be known have a row, the last one, and no action of their own.

    Attributes
    ----------
    by_class : array of (classes, actions), or None
        Where all cases of a class cost the same.
    by_case : array of (cases, actions), or None
        Where they do not.
    may_abstain : bool
        Whether abstaining is an action. If not, its column is 0 and no rule takes it.
    same_review : bool
        Whether abstaining costs the same whatever the class of a case, where costs differ by case.
    unlabelled : array of (classes, cases, actions), or None
        Costs of cases without a label if they are of each class, where costs differ by case.
    """

    by_class: FloatArray | None = None
    by_case: FloatArray | None = None
    may_abstain: bool = True
    same_review: bool = False
    unlabelled: FloatArray | None = None

    @property
    def table(self) -> FloatArray:
        """The costs, with a row per class or per case."""
        table = self.by_class if self.by_case is None else self.by_case
        assert table is not None, "one of the two is given"
        return table

    @classmethod
    def of_matrix(cls, answers: FloatArray, abstain: FloatArray | None) -> Losses:
        """Join the costs of the answers by class and those of abstaining; None: it is no action."""
        last = np.zeros(len(answers)) if abstain is None else abstain
        return cls(by_class=np.column_stack([answers, last]), may_abstain=abstain is not None)

    def with_unknown(self, cost: float) -> Losses:
        """Add a true class without an action of its own, last: any answer to it costs `cost`.

        Abstaining on it is right, and costs what abstaining on any case does.
        """
        table = self.table
        row = np.append(np.full(table.shape[1] - 1, cost), table[0, -1])
        return replace(self, by_class=np.vstack([table, row]))

    @property
    def answers(self) -> FloatArray:
        """Costs of the answers: all actions but abstaining."""
        return self.table[:, :-1]

    @property
    def abstain(self) -> FloatArray | None:
        """Costs of abstaining, by class or by case; None where it is no action."""
        return self.table[:, -1] if self.may_abstain else None

    @property
    def relative(self) -> FloatArray:
        """Costs by class beyond those of the right answer."""
        return self.table - np.diagonal(self.table)[:, None]

    def bounds(self, actions: IntArray) -> FloatArray:
        """Return the losses of actions on cases without a label, a row per class they may have."""
        if self.unlabelled is None:
            return self.table[:, actions]
        return self.unlabelled[:, np.arange(len(actions)), actions]
