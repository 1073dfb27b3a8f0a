"""What a comparison of many classes is asked: prices of all answers, ranges, limits."""

import dataclasses
import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from demur._checks import (
    check_choice,
    check_confidence_level,
    check_finite,
    check_positive_int,
    input_error,
)
from demur.costs.losses import Losses
from demur.costs.matrix import CostMatrix, as_cost_matrix, by_class
from demur.costs.reviewer import Reviewer
from demur.exceptions import InputError
from demur.typing import FloatArray
from demur.windows.limits import Limits

__all__ = ["ClassQuestion", "ClassRanges"]

_MOST_RANGES = 4
_OBJECTIVES = ("expected", "worst", "regret")


@dataclass(frozen=True, kw_only=True, eq=False)
class ClassRanges:
    """Costs of all answers, each a number or a range; `low == high` for a number."""

    classes: tuple[Any, ...]
    low: Losses
    high: Losses

    @classmethod
    def of(cls, costs: Any, abstain_cost: Any, classes: Sequence[Any]) -> "ClassRanges":
        """Read a matrix or a mapping, entries (low, high) allowed, and the price of abstaining."""
        low, high = (as_cost_matrix(_ends(costs, end), classes).values for end in (0, 1))
        _require_order(low, high, "costs")
        ends = abstain_cost if _is_range(abstain_cost) else (abstain_cost, abstain_cost)
        prices = [
            Losses.of_matrix(values, _abstain_costs(price, values, classes))
            for values, price in zip((low, high), ends, strict=True)
        ]
        if prices[0].abstain is not None and prices[1].abstain is not None:
            _require_order(prices[0].abstain, prices[1].abstain, "abstain_cost")
        return cls(classes=tuple(classes), low=prices[0], high=prices[1])

    @classmethod
    def of_point(cls, classes: tuple[Any, ...], losses: Losses) -> "ClassRanges":
        """Take costs known as numbers."""
        return cls(classes=classes, low=losses, high=losses)

    @property
    def may_abstain(self) -> bool:
        """Whether abstaining has a price."""
        return self.low.abstain is not None

    @property
    def centre(self) -> Losses:
        """Middle of all ranges."""
        return self._at([])

    @property
    def ranged(self) -> list[tuple[int, ...]]:
        """Places (true, answer) of the costs that are ranges; (-1,) is the price of abstaining."""
        places: list[tuple[int, ...]] = [
            (int(i), int(j)) for i, j in np.argwhere(self.low.answers < self.high.answers)
        ]
        if self.low.abstain is not None and np.any(self.low.abstain < self._high_abstain):
            places.append((-1,))
        return places

    @property
    def _high_abstain(self) -> FloatArray:
        assert self.high.abstain is not None
        return self.high.abstain

    def corners(self) -> list[Losses]:
        """All corners of the box."""
        places = self.ranged
        return [
            self._at(list(zip(places, ends, strict=True)))
            for ends in itertools.product((0, 1), repeat=len(places))
        ]

    @property
    def upper(self) -> Losses:
        """The most expensive corner."""
        return self.high

    def _at(self, fixed: list[tuple[tuple[int, ...], int]]) -> Losses:
        costs = (self.low.answers + self.high.answers) / 2
        abstain = None if self.low.abstain is None else (self.low.abstain + self._high_abstain) / 2
        for place, end in fixed:
            source = (self.low, self.high)[end]
            if len(place) == 1:
                abstain = source.abstain
            else:
                costs[place] = source.answers[place]
        return Losses.of_matrix(costs, abstain)

    def matrix(self) -> CostMatrix:
        """Costs at the middle, by name."""
        return CostMatrix(values=self.centre.answers, classes=self.classes)


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
        return by_class(price, "abstain_cost", classes)
    number = float(check_finite(price, "abstain_cost"))
    if number < 0:
        raise input_error("abstain_cost", "must be at least 0", number)
    return np.full(len(classes), number)


def _review_costs(reviewer: Reviewer, costs: FloatArray) -> FloatArray:
    """Fee plus what the reviewer's mistakes cost; among many classes every wrong answer is as likely.

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


@dataclass(frozen=True, kw_only=True, eq=False)
class ClassQuestion:
    """Everything an answer for many classes depends on besides the cases.

    `shares` are P(class) in use, None for the sample's own.
    """

    ranges: ClassRanges
    shares: FloatArray | None
    objective: str
    limits: Limits
    confidence_level: float
    seed: int

    @classmethod
    def checked(
        cls,
        *,
        costs: Any,
        abstain_cost: Any,
        classes: Sequence[Any],
        shares: FloatArray | None,
        objective: str | None,
        limits: Limits,
        confidence_level: float,
        seed: int,
    ) -> "ClassQuestion":
        """Check every part."""
        ranges = ClassRanges.of(costs, abstain_cost, classes)
        number = len(ranges.ranged)
        if number > _MOST_RANGES:
            raise input_error(
                "costs",
                f"must have at most {_MOST_RANGES} ranges, each doubles the corners to look at",
                number,
                "give the entries that matter least as numbers.",
            )
        if objective is None:
            objective = "regret" if number else "expected"
        check_choice(objective, "objective", _OBJECTIVES)
        return cls(
            ranges=ranges,
            shares=shares,
            objective=objective,
            limits=limits,
            confidence_level=check_confidence_level(confidence_level),
            seed=check_positive_int(seed, "seed", minimum=0),
        )

    @property
    def classes(self) -> tuple[Any, ...]:
        """Names of the classes."""
        return self.ranges.classes

    @property
    def point(self) -> Losses:
        """Losses the headline refers to."""
        return self.ranges.centre

    def at(self, losses: Losses) -> "ClassQuestion":
        """Ask the same at other costs, known as numbers."""
        ranges = ClassRanges.of_point(self.classes, losses)
        return dataclasses.replace(self, ranges=ranges, objective="expected")

    def aims(self) -> list[Losses]:
        """Losses rules are chosen for: the middle, and for ranges the corners that matter."""
        if not self.ranges.ranged or self.objective == "expected":
            return [self.point]
        if self.objective == "worst":
            return [self.point, self.ranges.upper]
        return [self.point, *self.ranges.corners()]

    @property
    def max_abstention(self) -> float | None:
        """Largest share of cases to abstain on."""
        return self.limits.max_abstention
