"""`CostRange`: costs known only up to a range, for decisions fixed before the costs are known."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from demur._checks import check_number, input_error
from demur._results import Interval, Result, json_safe
from demur.costs.model import REVIEWS, CostModel, check_costs

__all__ = ["CostRange", "box_points", "check_interval"]

_NAMES = ("cost_fn", "cost_fp", "cost_abstain")
_OTHERS = ("cost_tp", "cost_tn", "cost_abstain_positive", "cost_abstain_negative")


@dataclass(frozen=True, kw_only=True, slots=True)
class CostRange(Result):
    """What a miss, a false alarm and a review may cost: each a number or a pair (low, high).

    A box of cost points. The cost of a fixed window is linear in each cost, so the worst point,
    and the point of largest regret, is a corner. Assumes nothing about how likely the points are;
    only `mean` does.

    Parameters
    ----------
    cost_fn : float or (float, float), default 1
        Cost of a miss: a positive called negative; above 0.
    cost_fp : float or (float, float), default 1
        Cost of a false alarm: a negative called positive; at least 0.
    cost_abstain : float or (float, float), optional
        Cost of abstaining. None: abstaining is not an option.
    cost_tp, cost_tn : float or (float, float), default 0
        Costs of right answers.
    cost_abstain_positive, cost_abstain_negative : float or (float, float), optional
        Cost of abstaining on a positive and on a negative, where they differ.

    Attributes
    ----------
    cost_fn, cost_fp, cost_tp, cost_tn : Interval
        The ranges; ``low == high`` where a number was given.
    cost_abstain, cost_abstain_positive, cost_abstain_negative : Interval or None
        The same for abstaining.

    Raises
    ------
    InputError
        For a range that is not a finite (low, high) with low <= high, or costs `CostModel` refuses.

    Examples
    --------
    A miss costs between 400 and 600, a false alarm 100, a review 10 to 30:

    >>> from demur import CostRange
    >>> costs = CostRange(cost_fn=(400, 600), cost_fp=100, cost_abstain=(10, 30))
    >>> costs.upper.cost_fn, costs.upper.cost_abstain, len(costs.corners())
    (600.0, 30.0, 4)
    >>> costs.mean.cost_fn, costs.mean.cost_abstain
    (500.0, 20.0)
    """

    # numbers or pairs on the way in, intervals from then on
    cost_fn: Any = 1.0
    cost_fp: Any = 1.0
    cost_abstain: Any = None
    cost_tp: Any = 0.0
    cost_tn: Any = 0.0
    cost_abstain_positive: Any = None
    cost_abstain_negative: Any = None

    def __post_init__(self) -> None:
        check_costs(self, check_interval)
        if self.cost_fn.low <= self.cost_tp.high:
            rule = _beyond("above", "cost_tp", self.cost_tp.high)
            raise input_error("cost_fn", rule, f"{self.cost_fn.low:g}", "a miss must hurt.")
        if self.cost_fp.low < self.cost_tn.high:
            rule = _beyond("at least", "cost_tn", self.cost_tn.high)
            raise input_error("cost_fp", rule, f"{self.cost_fp.low:g}")

    @property
    def may_abstain(self) -> bool:
        """Whether a cost of abstaining is given."""
        return any(getattr(self, name) is not None for name in REVIEWS)

    @property
    def is_point(self) -> bool:
        """Whether every cost is a single number."""
        return all(low == high for low, high in self._ranges().values())

    @property
    def ranged(self) -> bool:
        """Whether a cost is a range."""
        return not self.is_point

    @property
    def lower(self) -> CostModel:
        """The cheapest corner: every cost at its low end."""
        return _model(*((name, low) for name, (low, _) in self._ranges().items()))

    @property
    def upper(self) -> CostModel:
        """The most expensive corner, the worst case of every window: every cost at its high end."""
        return _model(*((name, high) for name, (_, high) in self._ranges().items()))

    @property
    def mean(self) -> CostModel:
        """The middle of every range: the expected costs under symmetric, independent laws."""
        return _model(*((name, low + (high - low) / 2) for name, (low, high) in self._ranges().items()))

    def corners(self) -> list[CostModel]:
        """Return the distinct corners of the box; `lower` first, `upper` last."""
        return self.grid(2)

    def grid(self, steps: int) -> list[CostModel]:
        """Return evenly spaced points of the box, `steps` along every range."""
        ranges = self._ranges()
        points = box_points(ranges.values(), steps)
        return [_model(*zip(ranges, point, strict=True)) for point in points]

    def never_abstaining(self) -> CostRange | CostModel:
        """Return the same costs with abstention disabled; a point where only reviews were a range."""
        made = replace(self, **dict.fromkeys(REVIEWS))
        return made.mean if made.is_point else made

    def to_dict(self) -> dict[str, Any]:
        """Return the ranges as JSON-safe pairs [low, high]; those beside the first three only if given."""
        return {name: json_safe(getattr(self, name)) for name in (*_NAMES, *self._given())}

    def _ranges(self) -> dict[str, Interval]:
        ranges = {name: getattr(self, name) for name in (*_NAMES, *_OTHERS)}
        return {name: interval for name, interval in ranges.items() if interval is not None}

    def _given(self) -> list[str]:
        return [name for name in _OTHERS if getattr(self, name) not in (None, (0.0, 0.0))]

    def __repr__(self) -> str:
        shown = (f"{name}={_shown(getattr(self, name))}" for name in (*_NAMES, *self._given()))
        return f"CostRange({', '.join(shown)})"


def _beyond(how: str, name: str, least: float) -> str:
    return f"must be {how} {least:g}" if least == 0 else f"must be {how} {name} = {least:g}"


def check_interval(
    value: Any,
    name: str,
    *,
    least: float = -math.inf,
    rule: str = "low <= high",
    example: str = "(400, 600)",
) -> Interval:
    """Return a number or a pair as an interval; no end may lie below `least`."""
    ends = value if isinstance(value, (tuple, list)) else (value, value)
    if len(ends) == 2:
        low, high = (check_number(end, name) for end in ends)
        if least <= low <= high:
            return Interval(low, high)
    condition = f"must be a number or a pair (low, high) with {rule}"
    raise input_error(name, condition, repr(value), f"for example {example}.")


def box_points(ranges: Iterable[Interval], steps: int) -> Iterable[tuple[float, ...]]:
    """Return evenly spaced points of a box, `steps` along every side that has a length."""
    sides = (np.linspace(low, high, steps if low < high else 1).tolist() for low, high in ranges)
    return itertools.product(*sides)


# the same few corners are asked for again and again, and nobody can change them
@lru_cache(maxsize=1024)
def _model(*costs: tuple[str, float]) -> CostModel:
    return CostModel(**dict(costs))  # type: ignore[arg-type]


def _shown(interval: Interval | None) -> str:
    if interval is None:
        return "None"
    low, high = interval
    return f"{low:g}" if low == high else f"({low:g}, {high:g})"
