"""What a rule must keep besides being cheap, and how sure the answer has to be."""

from dataclasses import dataclass, make_dataclass
from typing import Any, ClassVar

import click

from demur.cli.options.flags import Flags, confidence, flag, not_negative
from demur.exceptions import InputError
from demur.windows.limits import LIMITS, Limit
from demur.windows.limits import Limits as KeptLimits

__all__ = ["Certainty", "Limits"]


def _flag(limit: Limit) -> Any:
    """Declare the flag of a limit: a number it can have, None where the user gave none."""

    def checked(ctx: click.Context, param: click.Parameter, value: float | None) -> float | None:
        return None if value is None else limit.check(value, param.opts[0])

    return flag(limit.flag, type=float, metavar="X", callback=checked, help=limit.help)


_Kept: Any = make_dataclass(
    "_Kept",
    [(limit.name, float | None, _flag(limit)) for limit in LIMITS],
    bases=(Flags,),
    frozen=True,
    kw_only=True,
)


@dataclass(frozen=True, kw_only=True)
class Limits(_Kept):  # type: ignore[misc]
    """All limits, and reviews as numbers per day; None where the user gave none."""

    TITLE: ClassVar[str] = "Limits"

    reviews_per_day: float | None = flag(
        "--reviews-per-day",
        type=float,
        metavar="N",
        callback=not_negative,
        help="The same as --max-abstention in numbers: how many reviews people can do, such as "
        "--reviews-per-day 50 --cases-per-day 1000.",
    )
    cases_per_day: float | None = flag(
        "--cases-per-day",
        type=float,
        metavar="N",
        callback=not_negative,
        help="How many cases come in, beside --reviews-per-day.",
    )

    def __post_init__(self) -> None:
        """Refuse limits that contradict each other or are incomplete."""
        given = self.given()
        for name, other in (
            ("--reviews-per-day", "--cases-per-day"),
            ("--cases-per-day", "--reviews-per-day"),
        ):
            if name in given and other not in given:
                raise InputError(f"`{other}` is needed with {name}. Hint: add {other} N.")
        if "--reviews-per-day" in given and "--max-abstention" in given:
            raise InputError(
                "`--max-abstention` says the same as --reviews-per-day and --cases-per-day. "
                "Hint: leave one of them out."
            )
        if self.cases_per_day == 0:
            raise InputError("`--cases-per-day` must be above 0, got 0.")
        promises = [limit.flag for limit in LIMITS if limit.promise]
        if "--precision-confidence" in given and not any(name in given for name in promises):
            raise InputError(
                f"`--precision-confidence` is for a promised precision. Hint: add {' or '.join(promises)}."
            )

    def kept(self) -> KeptLimits:
        """Return the limits the flags describe."""
        values = {limit.name: getattr(self, limit.name) for limit in LIMITS}
        if self.reviews_per_day is not None and self.cases_per_day is not None:
            values["max_abstention"] = min(self.reviews_per_day / self.cases_per_day, 1.0)
        return KeptLimits(**values)


@dataclass(frozen=True, kw_only=True)
class Certainty(Flags):
    """Level of the intervals and seed of the folds."""

    TITLE: ClassVar[str] = "Certainty"

    confidence: float = flag(
        "--confidence",
        default=0.95,
        type=float,
        metavar="X",
        callback=confidence,
        show_default=True,
        help="Level of all intervals.",
    )
    seed: int = flag(
        "--seed",
        default=0,
        type=click.IntRange(min=0),
        metavar="N",
        show_default=True,
        help="For the folds of the honest costs: the same seed gives the same numbers.",
    )
