"""`CostRange`: costs known only up to a range, for decisions fixed before the costs are known."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from demur._checks import check_number, input_error
from demur._results import Interval, Result, json_safe
from demur.costs.model import CostModel

__all__ = ["CostRange"]

_NAMES = ("cost_fn", "cost_fp", "cost_abstain")


@dataclass(frozen=True, kw_only=True, slots=True)
class CostRange(Result):
    """What a miss, a false alarm and a review may cost: each a number or a pair (low, high).

    A box of cost points. The cost of a fixed window is linear in each cost, so the worst point,
    and the point of largest regret, is one of at most eight corners. Assumes nothing about how
    likely the points are; only `mean` does.

    Parameters
    ----------
    cost_fn : float or (float, float), default 1
        Cost of a miss: a positive called negative; above 0.
    cost_fp : float or (float, float), default 1
        Cost of a false alarm: a negative called positive; at least 0.
    cost_abstain : float or (float, float), optional
        Cost of abstaining. None: abstaining is not an option.

    Attributes
    ----------
    cost_fn, cost_fp : Interval
        The ranges; ``low == high`` where a number was given.
    cost_abstain : Interval or None
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

    def __post_init__(self) -> None:
        for name in _NAMES:
            value = getattr(self, name)
            if value is not None or name != "cost_abstain":
                object.__setattr__(self, name, _interval(value, name))
        if self.cost_fn.low <= 0:
            raise input_error("cost_fn", "must be above 0", f"{self.cost_fn.low:g}", "a miss must hurt.")
        if self.cost_fp.low < 0:
            raise input_error("cost_fp", "must be at least 0", f"{self.cost_fp.low:g}")

    @property
    def may_abstain(self) -> bool:
        """Whether a cost of abstaining is given."""
        return self.cost_abstain is not None

    @property
    def is_point(self) -> bool:
        """Whether every cost is a single number."""
        return all(low == high for low, high in self._ranges())

    @property
    def lower(self) -> CostModel:
        """The cheapest corner: every cost at its low end."""
        return _model(*(low for low, _ in self._ranges()))

    @property
    def upper(self) -> CostModel:
        """The most expensive corner, the worst case of every window: every cost at its high end."""
        return _model(*(high for _, high in self._ranges()))

    @property
    def mean(self) -> CostModel:
        """The middle of every range: the expected costs under symmetric, independent laws."""
        return _model(*(low + (high - low) / 2 for low, high in self._ranges()))

    def corners(self) -> list[CostModel]:
        """Return the distinct corners of the box, at most eight; `lower` first, `upper` last."""
        ends = [(low,) if low == high else (low, high) for low, high in self._ranges()]
        return [_model(*corner) for corner in itertools.product(*ends)]

    def grid(self, steps: int) -> list[CostModel]:
        """Return evenly spaced points of the box, `steps` along every range."""
        ends = [
            (low,) if low == high else tuple(low + (high - low) * k / (steps - 1) for k in range(steps))
            for low, high in self._ranges()
        ]
        return [_model(*point) for point in itertools.product(*ends)]

    def to_dict(self) -> dict[str, Any]:
        """Return the ranges as JSON-safe pairs [low, high]."""
        return {name: json_safe(getattr(self, name)) for name in _NAMES}

    def _ranges(self) -> list[Interval]:
        ranges = (getattr(self, name) for name in _NAMES)
        return [interval for interval in ranges if interval is not None]

    def __repr__(self) -> str:
        shown = (f"{name}={_shown(getattr(self, name))}" for name in _NAMES)
        return f"CostRange({', '.join(shown)})"


def _interval(value: Any, name: str) -> Interval:
    """Lower a number or a pair to an interval."""
    if not isinstance(value, (tuple, list)):
        number = check_number(value, name)
        return Interval(number, number)
    rule, hint = "must be a number or a pair (low, high) with low <= high", "for example (400, 600)."
    if len(value) != 2:
        raise input_error(name, rule, repr(value), hint)
    low, high = (check_number(end, name) for end in value)
    if low > high:
        raise input_error(name, rule, repr(value), hint)
    return Interval(low, high)


# the same few corners are asked for again and again, and nobody can change them
@lru_cache(maxsize=1024)
def _model(cost_fn: float, cost_fp: float, cost_abstain: float | None = None) -> CostModel:
    return CostModel(cost_fn=cost_fn, cost_fp=cost_fp, cost_abstain=cost_abstain)


def _shown(interval: Interval | None) -> str:
    if interval is None:
        return "None"
    low, high = interval
    return f"{low:g}" if low == high else f"({low:g}, {high:g})"
