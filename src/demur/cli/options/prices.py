"""What mistakes and reviews cost, how common positives are, and what to minimise."""

# ruff: noqa: RUF009 - `flag` declares a field, it makes no value that objects would share

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

import click

from demur.cli.options import rules
from demur.cli.options.flags import Flags, flag
from demur.cli.options.rules import ColumnPrice, Price, TypedNumber
from demur.exceptions import InputError

if TYPE_CHECKING:
    from demur.costs.case_costs import CaseCosts
    from demur.costs.model import CostModel
    from demur.costs.ranges import CostRange
    from demur.costs.reviewer import Reviewer
    from demur.costs.reviewer_cascade import ReviewCascade
    from demur.engines.cost_sums import CostTerms
    from demur.typing import FloatArray

__all__ = ["Prices"]

_REVIEWS = ("--cost-abstain", "--cost-abstain-positive", "--cost-abstain-negative")
_PLAIN = ("--cost-fn", "--cost-fp", "--cost-abstain")
_COSTS = ("--cost-fn", "--cost-fp", *_REVIEWS, "--review-fee", "--cost-tp", "--cost-tn")
_SENIOR = ("--senior-fee", "--passed-on-positive", "--passed-on-negative")
_RATES = (
    "--reviewer-sensitivity",
    "--reviewer-specificity",
    *_SENIOR,
    "--senior-sensitivity",
    "--senior-specificity",
)
_RATIOS = ("--mu", "--nu")


# how a kind of number is asked for, once: the flags differ in name and help
_price = partial(flag, metavar="X", callback=rules.price)
_gain = partial(flag, metavar="X", callback=rules.price_or_gain)
_share = partial(flag, type=float, metavar="X", callback=rules.rate)
_amount = partial(flag, type=float, metavar="X", callback=rules.not_negative)


@dataclass(frozen=True, kw_only=True)
class Prices(Flags):
    """Costs and prevalence, each a number, a range or a column; all None where the user gave none."""

    TITLE: ClassVar[str] = "Costs"

    cost_fn: Price | None = _price(
        "--cost-fn",
        help="Cost of a miss (a positive called negative), in any unit; a range if it is not known "
        "exactly, such as --cost-fn 400:600; a column if it differs by case, such as --cost-fn amount or "
        "--cost-fn 0.6*balance.",
    )
    cost_fp: Price | None = _price(
        "--cost-fp", help="Cost of a false alarm (a negative called positive); may be a range or a column."
    )
    cost_abstain: Price | None = _price(
        "--cost-abstain",
        help="Cost of abstaining; may be a range or a column. Leave it out if abstaining is no option.",
    )
    cost_abstain_positive: Price | None = _price(
        "--cost-abstain-positive",
        help="Cost of abstaining on a positive, where it differs by class; may be a column.",
    )
    cost_abstain_negative: Price | None = _price("--cost-abstain-negative", help="The same for a negative.")
    review_fee: Price | None = _price(
        "--review-fee",
        help="Instead of a cost of abstaining: what a review by a person costs, whose mistakes then cost "
        "what mistakes cost; may be a column.",
    )
    reviewer_sensitivity: float | None = _share(
        "--reviewer-sensitivity", help="Share of the positives that person recognises [default: 1]."
    )
    reviewer_specificity: float | None = _share(
        "--reviewer-specificity", help="Share of the negatives that person recognises [default: 1]."
    )
    senior_fee: float | None = _amount(
        "--senior-fee", help="If that person passes cases on to a second one: the fee of the second one."
    )
    passed_on_positive: float | None = _share(
        "--passed-on-positive", help="Share of the positives passed on."
    )
    passed_on_negative: float | None = _share(
        "--passed-on-negative", help="Share of the negatives passed on."
    )
    senior_sensitivity: float | None = _share(
        "--senior-sensitivity", help="Share of the positives the second person recognises [default: 1]."
    )
    senior_specificity: float | None = _share(
        "--senior-specificity", help="Share of the negatives the second person recognises [default: 1]."
    )
    cost_tp: Price | None = _gain(
        "--cost-tp", help="Cost of a positive found [default: 0]; negative for a gain; may be a column."
    )
    cost_tn: Price | None = _gain(
        "--cost-tn", help="Cost of a negative cleared [default: 0]; negative for a gain; may be a column."
    )
    mu: float | None = _amount("--mu", help="Instead: cost of a false alarm relative to a miss.")
    nu: float | None = _amount("--nu", help="Instead: cost of abstaining relative to a miss.")
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

    @property
    def columns(self) -> dict[str, ColumnPrice]:
        """Flag -> the column it names, for costs that differ by case."""
        return {name: value for name, value in self.given().items() if isinstance(value, ColumnPrice)}

    @property
    def typed(self) -> dict[str, str]:
        """Flag -> a number as it was typed, where a column could be meant."""
        return {name: value.text for name, value in self.given().items() if isinstance(value, TypedNumber)}

    @property
    def by_case(self) -> bool:
        """Whether costs differ by case, or are ranges beside costs that only cases can have."""
        plain = (*_PLAIN, *_RATIOS, "--prevalence", "--objective")
        others = [name for name in self.given() if name not in plain]
        return bool(self.columns) or bool(others and any(name in self.ranges for name in _COSTS))

    def costs(self) -> "CostModel | None":
        """Return the costs, each of them one number; None if no cost flag is given."""
        if not self._complete():
            return None
        from demur.costs.model import CostModel

        if self.mu is not None:
            return CostModel(cost_fn=1.0, cost_fp=self.mu, cost_abstain=self.nu)
        named = {name.removeprefix("--").replace("-", "_"): self.number(name) for name in _COSTS}
        given = {name: value for name, value in named.items() if value is not None}
        given.pop("review_fee", None)
        return CostModel(**given, reviewer=self.reviewer(self.number("--review-fee")))

    def costs_or_range(self) -> "CostModel | CostRange | CaseCosts | None":
        """Return the costs: a `CostRange` where at least one of them is known as a range only.

        Costs that differ by case stand at 1 until `case_costs` gets their columns.
        """
        if not self._complete():
            return None
        if self.by_case:
            return self.case_costs(None)
        if not any(name in self.ranges for name in _COSTS):
            return self.costs()
        from demur.costs.ranges import CostRange

        return CostRange(cost_fn=self.cost_fn, cost_fp=self.cost_fp, cost_abstain=self.cost_abstain)

    def case_costs(self, columns: "Mapping[str, FloatArray] | None") -> "CaseCosts":
        """Return the costs of cases whose amounts stand in columns; None for amounts of 1."""
        from demur.cli.options.amounts import case_costs

        return case_costs(self.given(), columns)

    def cost_terms(self) -> "CostTerms":
        """Return the costs as an engine adds them up."""
        from demur.cli.options.amounts import cost_terms

        return cost_terms(self.given())

    def reviewer(self, fee: Any) -> "Reviewer | ReviewCascade | None":
        """Return the person whose fee is given, with the one cases are passed on to."""
        if fee is None:
            return None
        from demur.cli.options.amounts import reviewer_of

        return reviewer_of(self.given(), fee)

    def _complete(self) -> bool:
        """Whether costs are given; refuse costs that are given twice or in part."""
        given = [name for name in self.given() if name in _COSTS + _RATES + _RATIOS]
        ratios = [name for name in given if name in _RATIOS]
        if ratios and len(ratios) < len(given):
            raise InputError(
                f"Costs are given twice, as {' and '.join(given)}. "
                "Hint: use --cost-fn, --cost-fp, --cost-abstain or --mu, --nu, not both."
            )
        needed = ("--mu",) if ratios else ("--cost-fn", "--cost-fp") if given else ()
        if any(name in given for name in _RATES):
            needed = (*needed, "--review-fee")
        if any(name.startswith(("--senior", "--passed")) for name in given):
            needed = (*needed, *_SENIOR)
        for name in needed:
            if name not in given:
                raise InputError(
                    f"`{name}` is needed with {' and '.join(given)}. Hint: costs are never assumed."
                )
        self._require_one_review(given)
        if self.cost_fn is not None and _low(self.cost_fn) == 0:
            raise InputError(
                f"`--cost-fn` must be positive, got {_shown(self.cost_fn)}. "
                "Hint: a miss must hurt; swap the classes if not."
            )
        return bool(given)

    def _require_one_review(self, given: Sequence[str]) -> None:
        """Refuse a cost of abstaining that is given twice, or for one class only."""
        reviews = [name for name in _REVIEWS if name in given]
        if reviews and "--review-fee" in given:
            raise InputError(
                f"`{reviews[0]}` must be left out beside --review-fee. "
                "Hint: the fee and the mistakes of the reviewer are the cost of abstaining."
            )
        if len(reviews) == 1 and reviews[0] != "--cost-abstain":
            other = next(name for name in _REVIEWS[1:] if name not in reviews)
            raise InputError(f"`{other}` is needed with {reviews[0]}. Hint: or add --cost-abstain.")

    def number(self, name: str) -> float | None:
        """Return the value of a flag where only one number will do; None if it is not given."""
        value: Price | None = self.given().get(name)
        if isinstance(value, tuple):
            raise InputError(f"`{name}` must be one number here, got the range {_shown(value)}.")
        if isinstance(value, ColumnPrice):
            raise InputError(f"`{name}` must be one number here, got {_shown(value)!r}.")
        return value


def _low(value: Price) -> float:
    number = value.factor if isinstance(value, ColumnPrice) else value
    return number[0] if isinstance(number, tuple) else number


def _shown(value: Price) -> str:
    if isinstance(value, ColumnPrice):
        return value.column if value.factor == 1 else f"{_shown(value.factor)}*{value.column}"
    return ":".join(f"{end:g}" for end in value) if isinstance(value, tuple) else f"{value:g}"
