"""What a rule must keep besides being cheap."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

from demur.cli.options import rules
from demur.cli.options.flags import Flags, flag
from demur.exceptions import InputError

__all__ = ["Limits"]


def _number(spelling: str, keeps: Callable[..., Any], *, help: str, metavar: str = "X") -> Any:
    """Declare a limit: a number that keeps a rule, None where the user gave none."""
    return flag(spelling, type=float, metavar=metavar, callback=keeps, help=help)


@dataclass(frozen=True, kw_only=True)
class Limits(Flags):
    """Limits on reviews, precision and misses; None where the user gave none."""

    TITLE: ClassVar[str] = "Limits"

    max_abstention: float | None = _number(
        "--max-abstention",
        rules.rate,
        help="Largest share of cases to abstain on.",
    )
    reviews_per_day: float | None = _number(
        "--reviews-per-day",
        rules.not_negative,
        metavar="N",
        help="The same as numbers: how many reviews people can do, such as --reviews-per-day 50 "
        "--cases-per-day 1000.",
    )
    cases_per_day: float | None = _number(
        "--cases-per-day",
        rules.not_negative,
        metavar="N",
        help="How many cases come in, beside --reviews-per-day.",
    )
    min_precision_positive: float | None = _number(
        "--min-precision-positive",
        rules.precision,
        help="Smallest share of positive decisions that are right.",
    )
    min_precision_negative: float | None = _number(
        "--min-precision-negative",
        rules.precision,
        help="The same for negative decisions.",
    )
    precision_confidence: float | None = _number(
        "--precision-confidence",
        rules.confidence,
        help="Keep --min-precision-* for all future cases with this confidence, such as 0.95, not only "
        "for the cases of the file.",
    )
    max_fn_rate: float | None = _number(
        "--max-fn-rate",
        rules.rate,
        help="Largest share of the positives to miss, such as --max-fn-rate 0.05.",
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
        promised = any(name.startswith("--min-precision") for name in given)
        if self.precision_confidence is not None and not promised:
            raise InputError(
                "`--precision-confidence` is for a promised precision. "
                "Hint: add --min-precision-positive or --min-precision-negative."
            )

    @property
    def largest_abstention(self) -> float | None:
        """Largest share of cases to abstain on, from either way of saying it."""
        if self.reviews_per_day is None or self.cases_per_day is None:
            return self.max_abstention
        return min(self.reviews_per_day / self.cases_per_day, 1.0)
