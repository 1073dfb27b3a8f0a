"""`ClassCosts`: what every answer costs for every true class, each a number or a range."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from demur._checks import check_finite, input_error
from demur._results import json_safe
from demur.costs.losses import Losses
from demur.costs.matrix import CostMatrix, as_cost_matrix
from demur.costs.matrix import by_class as one_per_class
from demur.costs.model import CostModel
from demur.costs.ranges import CostRange
from demur.costs.reviewer import Reviewer
from demur.exceptions import InputError, UndefinedError
from demur.typing import FloatArray

__all__ = ["ClassCosts", "two_class_costs"]

_MOST_RANGES = 4


@dataclass(frozen=True, kw_only=True, eq=False)
class ClassCosts:
    """Costs of all answers by true class, as a box between two tables; `low == high` for a number.

    A price of abstaining that is a range is one coordinate of the box, also where it differs by class.
    """

    classes: tuple[Any, ...]
    low: Losses
    high: Losses

    @classmethod
    def of(cls, costs: Any, abstain_cost: Any, classes: Sequence[Any]) -> ClassCosts:
        """Read a matrix or a mapping, entries (low, high) allowed, and the price of abstaining."""
        low, high = (as_cost_matrix(_ends(costs, end), classes).values for end in (0, 1))
        _require_order(low, high, "costs")
        ends = abstain_cost if _is_range(abstain_cost) else (abstain_cost, abstain_cost)
        tables = [
            Losses.of_matrix(values, _abstain_costs(price, values, classes))
            for values, price in zip((low, high), ends, strict=True)
        ]
        _require_order(tables[0].table[:, -1], tables[1].table[:, -1], "abstain_cost")
        made = cls(classes=tuple(classes), low=tables[0], high=tables[1])
        number = len(made.places)
        if number > _MOST_RANGES:
            raise input_error(
                "costs",
                f"must have at most {_MOST_RANGES} ranges, each doubles the corners to look at",
                number,
                "give the entries that matter least as numbers.",
            )
        return made

    @property
    def may_abstain(self) -> bool:
        """Whether abstaining has a price."""
        return self.low.may_abstain

    @property
    def places(self) -> list[tuple[int, int]]:
        """Places (true, answer) of the costs that are ranges; (-1, -1) is the price of abstaining."""
        wide = self.low.table < self.high.table
        answers = [(int(true), int(answer)) for true, answer in np.argwhere(wide[:, :-1])]
        return [*answers, (-1, -1)] if wide[:, -1].any() else answers

    @property
    def ranged(self) -> bool:
        """Whether a cost is a range."""
        return bool(self.places)

    @property
    def mean(self) -> Losses:
        """Middle of all ranges."""
        return replace(self.low, by_class=(self.low.table + self.high.table) / 2)

    def corners(self) -> list[Losses]:
        """Return the corners of the box, all low ends first."""
        places, middle = self.places, self.mean
        corners = []
        for ends in itertools.product((self.low, self.high), repeat=len(places)):
            table = middle.table.copy()
            for place, source in zip(places, ends, strict=True):
                where = (slice(None), -1) if place == (-1, -1) else place
                table[where] = source.table[where]
            corners.append(replace(middle, by_class=table))
        return corners

    def grid(self, steps: int) -> list[Losses]:
        """Return the corners: with many ranges `steps` values of each would be too many points."""
        return self.corners()

    def never_abstaining(self) -> ClassCosts:
        """Return the same costs with abstention disabled."""
        low, high = (Losses.of_matrix(one.answers, None) for one in (self.low, self.high))
        return replace(self, low=low, high=high)

    def at(self, losses: Losses) -> ClassCosts:
        """Return other costs of the same classes, known as numbers."""
        return replace(self, low=losses, high=losses)

    def matrix(self) -> CostMatrix:
        """Costs of the answers in the middle of the ranges, by name."""
        return CostMatrix(values=self.mean.answers, classes=self.classes)

    def to_dict(self) -> dict[str, Any]:
        """Return the tables as JSON-safe built-in types; rows are true classes, abstaining is last."""
        ends = {"low": self.low.table.tolist(), "high": self.high.table.tolist()}
        return {"values": self.mean.answers.tolist(), "abstain": json_safe(self.mean.abstain)} | (
            ends if self.ranged else {}
        )


def two_class_costs(costs: Any, abstain_cost: Any, classes: Sequence[Any]) -> CostModel | CostRange:
    """Return the costs of two classes, of which the second is the positive one, by the names of errors."""
    box = ClassCosts.of(costs, abstain_cost, classes)
    reviewer = abstain_cost if isinstance(abstain_cost, Reviewer) and not box.ranged else None
    ends = np.stack([box.low.table, box.high.table], axis=-1)
    named: dict[str, Any] = {
        "cost_fn": ends[1, 0],
        "cost_fp": ends[0, 1],
        "cost_tp": ends[1, 1],
        "cost_tn": ends[0, 0],
    }
    if reviewer is None and box.may_abstain:
        by_class = {"cost_abstain_positive": ends[1, 2], "cost_abstain_negative": ends[0, 2]}
        named |= {"cost_abstain": ends[0, 2]} if np.array_equal(ends[0, 2], ends[1, 2]) else by_class
    try:
        if box.ranged:
            return CostRange(**{name: tuple(pair.tolist()) for name, pair in named.items()})
        return CostModel(**{name: float(low) for name, (low, _) in named.items()}, reviewer=reviewer)
    except InputError as error:
        raise UndefinedError(
            f"The costs of {classes[1]!r} against {classes[0]!r} leave no decision to make: {error}"
        ) from None


def _is_range(value: Any) -> bool:
    return isinstance(value, tuple) and len(value) == 2


def _ends(costs: Any, end: int) -> Any:
    """The lower or the upper end of every entry of a mapping; other forms hold no ranges."""
    if not isinstance(costs, Mapping):
        return costs
    return {
        true: {name: entry[end] if _is_range(entry) else entry for name, entry in row.items()}
        if isinstance(row, Mapping)
        else row
        for true, row in costs.items()
    }


def _require_order(low: FloatArray, high: FloatArray, name: str) -> None:
    wrong = np.argwhere(low > high)
    if len(wrong):
        at = tuple(wrong[0])
        raise input_error(name, "must have ranges (low, high)", f"({low[at]:g}, {high[at]:g})")


def _abstain_costs(price: Any, costs: FloatArray, classes: Sequence[Any]) -> FloatArray | None:
    if price is None:
        return None
    if isinstance(price, Reviewer):
        return _review_costs(price, costs)
    if isinstance(price, Mapping) or np.ndim(price):
        return one_per_class(price, "abstain_cost", classes)
    number = float(check_finite(price, "abstain_cost"))
    if number < 0:
        raise input_error("abstain_cost", "must be at least 0", number)
    return np.full(len(classes), number)


def _review_costs(reviewer: Reviewer, costs: FloatArray) -> FloatArray:
    """Return fee plus expected cost of mistakes by class; all wrong answers are equally likely.

    With two classes the second one is the positive: sensitivity is its share recognised.
    """
    if np.ndim(reviewer.fee):
        raise input_error("abstain_cost", "must have one fee for all cases", f"{len(reviewer.fee)} fees")
    m = len(costs)
    if m > 2 and reviewer.sensitivity != reviewer.specificity:
        raise InputError(
            "`abstain_cost` must have one accuracy for more than two classes, got sensitivity "
            f"{reviewer.sensitivity:g} and specificity {reviewer.specificity:g}. Hint: give both the share "
            "of right answers, or a price per class."
        )
    right = np.full(m, reviewer.sensitivity)
    if m == 2:
        right[0] = reviewer.specificity
    own = np.diag(costs)
    wrong = (costs.sum(axis=1) - own) / (m - 1)
    return np.asarray(reviewer.fee + right * own + (1 - right) * wrong)
