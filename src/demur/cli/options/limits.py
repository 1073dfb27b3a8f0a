"""What a rule must keep besides being cheap, and how sure the answer has to be."""

from dataclasses import dataclass, make_dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

import click

from demur.cli.options.flags import Flags, confidence, flag, not_negative
from demur.exceptions import InputError
from demur.windows.limits import LIMITS, Limit
from demur.windows.limits import Limits as KeptLimits

if TYPE_CHECKING:
    from demur.costs.budget import Places

__all__ = ["Certainty", "Limits"]


def _checked(limit: Limit, ctx: click.Context, param: click.Parameter, value: float | None) -> float | None:
    """Refuse a number that a limit cannot have; None where the user gave none."""
    return None if value is None else limit.check(value, param.opts[0])


_PROMISES = [limit.flag for limit in LIMITS if limit.promise]
_ONE_OF_TWO = (
    "`--reviews-per-day` needs one of --day and --cases-per-day. Hint: --day date --key id for "
    "that many places a day, --cases-per-day N for a share of the cases."
)
_Kept: Any = make_dataclass(
    "_Kept",
    [
        (
            limit.name,
            float | None,
            flag(limit.flag, type=float, metavar="X", callback=partial(_checked, limit), help=limit.help),
        )
        for limit in LIMITS
    ],
    bases=(Flags,),
    frozen=True,
    kw_only=True,
)


@dataclass(frozen=True, kw_only=True)
class Limits(_Kept):  # type: ignore[misc]
    """All limits, and reviews as numbers per day: places, or a share; None where the user gave none."""

    TITLE: ClassVar[str] = "Limits"
    COMMON: ClassVar[tuple[str, ...] | None] = ("max_abstention",)

    reviews_per_day: float | None = flag(
        "--reviews-per-day",
        type=float,
        metavar="N",
        callback=not_negative,
        help="How many cases people can review: places, with --day date --key id; or a share of the cases, "
        "with --cases-per-day 1000.",
    )
    cases_per_day: float | None = flag(
        "--cases-per-day",
        type=float,
        metavar="N",
        callback=not_negative,
        help="How many cases come in: --reviews-per-day is a share of them, the same as --max-abstention.",
    )
    day: str | None = flag(
        "--day",
        metavar="COLUMN",
        help="Date of a case: no more than --reviews-per-day of one day are sent to people, those where that "
        "saves most. Other values than dates are batches as they stand.",
    )
    key: str | None = flag(
        "--key",
        metavar="COLUMN",
        help="What names a case within its day, and settles ties at the last place.",
    )
    arrival: bool = flag(
        "--arrival",
        default=False,
        is_flag=True,
        help="Places go to cases in the order of --key, as they come, if a review saves enough.",
    )
    carry_over: bool = flag(
        "--carry-over",
        default=False,
        is_flag=True,
        help="Places that a day does not use go to the days that follow.",
    )

    NEEDS: ClassVar[tuple[tuple[str, str, str], ...]] = (
        (
            "--cases-per-day --day",
            "--reviews-per-day",
            "`--reviews-per-day` is needed with {}. Hint: add --reviews-per-day N.",
        ),
        ("--reviews-per-day", "--day --cases-per-day", _ONE_OF_TWO),
        ("--day", "--key", "`--key` is needed with {}. Hint: name the column that tells cases apart."),
        (
            "--key --arrival --carry-over",
            "--day",
            "`{}` is for places. Hint: add --reviews-per-day N --day COLUMN.",
        ),
        (
            "--precision-confidence",
            " ".join(_PROMISES),
            f"`{{}}` is for a promised precision. Hint: add {' or '.join(_PROMISES)}.",
        ),
    )
    EXCLUDES: ClassVar[tuple[tuple[str, str, str], ...]] = (
        ("--day", "--cases-per-day", _ONE_OF_TWO),
        (
            "--reviews-per-day",
            "--max-abstention",
            "`--max-abstention` is a limit on reviews as well as --reviews-per-day. "
            "Hint: leave one of them out.",
        ),
    )

    def kept(self) -> KeptLimits:
        """Return the limits the flags describe."""
        values = {limit.name: getattr(self, limit.name) for limit in LIMITS}
        if self.reviews_per_day is not None and self.cases_per_day is not None:
            if self.cases_per_day == 0:
                raise InputError("`--cases-per-day` must be above 0, got 0.")
            values["max_abstention"] = min(self.reviews_per_day / self.cases_per_day, 1.0)
        return KeptLimits(**values)

    def places(self) -> "Places | None":
        """Return the places of a day that the flags describe; None where there is no --day."""
        if self.day is None or self.key is None:
            return None
        from demur.costs.budget import Places

        reviews = float(self.reviews_per_day or 0)
        if not reviews.is_integer() or reviews < 1:
            raise InputError(
                f"`--reviews-per-day` must be a whole number from 1 on beside --day, got {reviews:g}."
            )
        settings = {"arrival": self.arrival, "carry_over": self.carry_over}
        return Places(int(reviews), self.day, self.key, "day", text_key=False, **settings)


@dataclass(frozen=True, kw_only=True)
class Certainty(Flags):
    """Level of the intervals and seed of the folds."""

    TITLE: ClassVar[str] = "Certainty"
    COMMON: ClassVar[tuple[str, ...] | None] = ()

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
