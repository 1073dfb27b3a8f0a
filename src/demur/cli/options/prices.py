"""What mistakes and reviews cost, how common positives are, and what to minimise."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import click

from demur.cli.options import rules
from demur.cli.options.flags import Flags, flag
from demur.cli.options.rules import Number
from demur.exceptions import InputError

if TYPE_CHECKING:
    from demur.costs.model import CostModel
    from demur.costs.ranges import CostRange

__all__ = ["Prices"]

_COSTS = ("--cost-fn", "--cost-fp", "--cost-abstain")
_RATIOS = ("--mu", "--nu")


@dataclass(frozen=True, kw_only=True)
class Prices(Flags):
    """Costs and prevalence, each a number or a range; all None where the user gave none."""

    TITLE: ClassVar[str] = "Costs"

    cost_fn: float | tuple[float, float] | None = flag(
        "--cost-fn",
        metavar="X",
        callback=rules.not_negative_or_range,
        help="Cost of a miss (a positive called negative), in any unit; a range if it is not known "
        "exactly, such as --cost-fn 400:600.",
    )
    cost_fp: float | tuple[float, float] | None = flag(
        "--cost-fp",
        metavar="X",
        callback=rules.not_negative_or_range,
        help="Cost of a false alarm (a negative called positive); may be a range.",
    )
    cost_abstain: float | tuple[float, float] | None = flag(
        "--cost-abstain",
        metavar="X",
        callback=rules.not_negative_or_range,
        help="Cost of abstaining; may be a range. Leave it out if abstaining is no option.",
    )
    mu: float | None = flag(
        "--mu",
        type=float,
        metavar="X",
        callback=rules.not_negative,
        help="Instead: cost of a false alarm relative to a miss.",
    )
    nu: float | None = flag(
        "--nu",
        type=float,
        metavar="X",
        callback=rules.not_negative,
        help="Instead: cost of abstaining relative to a miss.",
    )
    prevalence: float | tuple[float, float] | None = flag(
        "--prevalence",
        metavar="X",
        callback=rules.rate_or_range,
        help="Share of positives in use, where it differs from the file's; may be a range, such as "
        "--prevalence 0.01:0.05.",
    )
    objective: str | None = flag(
        "--objective",
        type=click.Choice(["expected", "worst", "regret", "guaranteed"]),
        help="What to keep small: the expected cost, the worst cost in the ranges, the regret (the most "
        "one can lose by not knowing the costs), or the cost that is guaranteed. "
        "Default: expected; regret where something is a range.",
    )

    @property
    def ranges(self) -> dict[str, tuple[float, float]]:
        """Flag -> (low, high) of everything that is known as a range only."""
        return {name: value for name, value in self.given().items() if isinstance(value, tuple)}

    @property
    def aim(self) -> str:
        """What to minimise: what the user said, else the regret of ranges or the expected cost."""
        return self.objective or ("regret" if self.ranges else "expected")

    def costs(self) -> "CostModel | None":
        """Return the costs, each of them one number; None if no cost flag is given."""
        if not self._complete():
            return None
        from demur.costs.model import CostModel

        if self.mu is not None:
            return CostModel(cost_fn=1.0, cost_fp=self.mu, cost_abstain=self.nu)
        cost_fn, cost_fp, cost_abstain = (self.number(name) for name in _COSTS)
        assert cost_fn is not None
        assert cost_fp is not None
        return CostModel(cost_fn=cost_fn, cost_fp=cost_fp, cost_abstain=cost_abstain)

    def costs_or_range(self) -> "CostModel | CostRange | None":
        """Return the costs: a `CostRange` where at least one of them is known as a range only."""
        if not self._complete() or not any(name in self.ranges for name in _COSTS):
            return self.costs()
        from demur.costs.ranges import CostRange

        return CostRange(cost_fn=self.cost_fn, cost_fp=self.cost_fp, cost_abstain=self.cost_abstain)

    def _complete(self) -> bool:
        """Whether costs are given; refuse costs that are given twice or in part."""
        given = [name for name in self.given() if name in _COSTS + _RATIOS]
        ratios = [name for name in given if name in _RATIOS]
        if ratios and len(ratios) < len(given):
            raise InputError(
                f"Costs are given twice, as {' and '.join(given)}. "
                "Hint: use --cost-fn, --cost-fp, --cost-abstain or --mu, --nu, not both."
            )
        needed = ("--mu",) if ratios else ("--cost-fn", "--cost-fp") if given else ()
        for name in needed:
            if name not in given:
                raise InputError(
                    f"`{name}` is needed beside {' and '.join(given)}. Hint: costs are never assumed."
                )
        if self.cost_fn is not None and _low(self.cost_fn) == 0:
            raise InputError(
                f"`--cost-fn` must be positive, got {_shown(self.cost_fn)}. "
                "Hint: a miss must hurt; swap the classes if not."
            )
        return bool(given)

    def number(self, name: str) -> float | None:
        """Return the value of a flag where only one number will do; None if it is not given."""
        value: Number | None = self.given().get(name)
        if isinstance(value, tuple):
            raise InputError(f"`{name}` must be one number here, got the range {_shown(value)}.")
        return value


def _low(value: Number) -> float:
    return value[0] if isinstance(value, tuple) else value


def _shown(value: Number) -> str:
    return ":".join(f"{end:g}" for end in value) if isinstance(value, tuple) else f"{value:g}"
