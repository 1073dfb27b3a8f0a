"""What mistakes and reviews cost, how common positives are, and what to minimise."""

# ruff: noqa: RUF009 - `flag` declares a field, it makes no value that objects would share

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

import click

from demur.cli.options.flags import Flags, flag, not_negative, rate
from demur.exceptions import InputError

if TYPE_CHECKING:
    from demur.costs.case_costs import CaseCosts
    from demur.costs.reviewer import ReviewCascade, Reviewer
    from demur.engines.cost_sums import CostTerms
    from demur.typing import FloatArray

__all__ = ["Classes", "ColumnPrice", "Prices"]

# ---------------------------------------------------------------- numbers, ranges and columns

Number = float | tuple[float, float]
"""One number, or the two ends of a range."""


class TypedNumber(float):
    """A number that remembers how it was typed: a column may be called the same."""

    text: str


@dataclass(frozen=True)
class ColumnPrice:
    """A price that differs by case: the amounts of a column times a factor, which may be a range."""

    column: str
    factor: Number = 1.0

    def __str__(self) -> str:
        return self.column if self.factor == 1 else f"{_shown(self.factor)}*{self.column}"


Price = Number | ColumnPrice
"""A number, a range, or a column."""


def _shown(value: Price) -> str:
    if isinstance(value, ColumnPrice):
        return str(value)
    return ":".join(f"{end:g}" for end in value) if isinstance(value, tuple) else f"{value:g}"


def _number(value: Price) -> Number:
    """Return a price without its column."""
    return value.factor if isinstance(value, ColumnPrice) else value


def _middle(value: Price) -> float:
    number = _number(value)
    return sum(number) / 2 if isinstance(number, tuple) else float(number)


def _price_of(ctx: click.Context, param: click.Parameter, value: str | None) -> Price | None:
    """Require ``400``, ``400:600``, ``amount``, ``0.6*amount`` or ``0.4:0.7*amount``; only gains below 0."""
    if value is None:
        return None
    from demur._files.values import is_number

    name = param.opts[0]
    factor, star, column = value.partition("*")
    if not (star and column and is_number(factor.split(":")[0])):
        factor, column = value, ""
        if not value.strip():
            raise InputError(f"`{name}` must be a number, a range LOW:HIGH or a column, got {value!r}.")
        # what starts like a number is one, and so is half a range
        if not is_number(value.split(":")[0]):
            return ColumnPrice(value)
    number = _number_or_range(factor, name)
    if name not in _GAINS:
        not_negative(ctx, param, number)
    if column:
        return ColumnPrice(column.strip(), number)
    if isinstance(number, tuple):
        return number
    typed = TypedNumber(number)
    typed.text = value
    return typed


def _rate_or_range(ctx: click.Context, param: click.Parameter, value: str | None) -> Any:
    """Require ``0.02``, ``0.01:0.05`` or ``26/2000``: a number in [0, 1], a range of such, or an estimate."""
    if value is None:
        return None
    positives, slash, cases = value.partition("/")
    if slash:
        from demur.costs.prevalence import Prevalence

        try:
            counted = float(positives), float(cases)
        except ValueError:
            raise InputError(f"`{param.opts[0]}` must be POSITIVES/CASES, got {value!r}.") from None
        return Prevalence(positives=counted[0], cases=counted[1])
    from demur._checks import check_probability

    number = _number_or_range(value, param.opts[0])
    check_probability(number, param.opts[0])
    return number


def _number_or_range(text: str, name: str) -> Number:
    """Return a number or (low, high); a range of zero width is a number."""
    ends = text.split(":")
    if len(ends) > 2:
        raise InputError(
            f"`{name}` must be one number or one range LOW:HIGH, got {text!r} with {len(ends) - 1} colons. "
            f"Hint: {name} {ends[0]}:{ends[-1]}?"
        )
    try:
        low, high = float(ends[0]), float(ends[-1])
    except ValueError:
        raise InputError(f"`{name}` must be a number or a range LOW:HIGH, got {text!r}.") from None
    if low > high:
        raise InputError(
            f"`{name}` must be a range that starts at its lower end, got {text!r}. "
            f"Hint: {name} {ends[1]}:{ends[0]}."
        )
    return low if low == high else (low, high)


# ---------------------------------------------------------------- two classes

_REVIEWS = ("--cost-abstain", "--cost-abstain-positive", "--cost-abstain-negative")
_GAINS = ("--cost-tp", "--cost-tn")
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
_OF_NO_COST = ("--prevalence", "--objective", "--known-at-decision", "--cost-unknown")
_FACTOR = {"--cost-fn": "miss_factor", "--cost-fp": "alarm_factor", "--cost-abstain": "review_factor"}
# what a factor of the first would change as well: the other cost of the same decision
_SHARED = {"--cost-fn": ("--cost-tn",), "--cost-fp": ("--cost-tp",), "--cost-abstain": _REVIEWS[1:]}


# how a kind of number is asked for, once: the flags differ in name and help
_price = partial(flag, metavar="X", callback=_price_of)
_share = partial(flag, type=float, metavar="X", callback=rate)
_amount = partial(flag, type=float, metavar="X", callback=not_negative)


@dataclass(frozen=True, kw_only=True)
class Prices(Flags):
    """Costs and prevalence, each a number, a range or a column; all None where the user gave none."""

    TITLE: ClassVar[str] = "Costs"
    COMMON: ClassVar[tuple[str, ...] | None] = ("cost_fn", "cost_fp", "cost_abstain", "prevalence")

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
    cost_tp: Price | None = _price(
        "--cost-tp", help="Cost of a positive found [default: 0]; negative for a gain; may be a column."
    )
    cost_tn: Price | None = _price(
        "--cost-tn", help="Cost of a negative cleared [default: 0]; negative for a gain; may be a column."
    )
    cost_unknown: float | None = _amount(
        "--cost-unknown", help="Beside --unknown-label: what deciding such a case costs."
    )
    known_at_decision: bool = flag(
        "--known-at-decision",
        default=False,
        is_flag=True,
        help="The columns of costs are known when a case is decided: also try rules that read them.",
    )
    mu: float | None = _amount("--mu", help="Instead: cost of a false alarm relative to a miss.")
    nu: float | None = _amount("--nu", help="Instead: cost of abstaining relative to a miss.")
    prevalence: Any = flag(
        "--prevalence",
        metavar="X",
        callback=_rate_or_range,
        help="Share of positives in use, where it differs from the file's; may be a range, such as "
        "--prevalence 0.01:0.05, or counted, such as --prevalence 26/2000.",
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
    def columns(self) -> dict[str, ColumnPrice]:
        """Flag -> the column it names, for costs that differ by case."""
        return {name: value for name, value in self.given().items() if isinstance(value, ColumnPrice)}

    @property
    def by_case(self) -> bool:
        """Whether costs differ by case, or are ranges beside costs that only cases can have."""
        plain = (*_PLAIN, *_RATIOS, *_OF_NO_COST)
        others = [name for name in self.given() if name not in plain]
        return bool(self.columns) or bool(others and any(name in self.ranges for name in _COSTS))

    def costs(self, *, exact: bool = False) -> Any:
        """Return the costs: a `CostModel`, a `CostRange` where one is known as a range only, or `CaseCosts`.

        None if no cost flag is given. Costs that differ by case stand at 1 until `case_costs` gets their
        columns. With `exact` each of them must be one number.
        """
        if not self._complete():
            return None
        if exact:
            for name in self._amounts():
                self.number(name)
        if self.by_case and not exact:
            return self.case_costs(None)
        if not exact and any(isinstance(value, tuple) for _, value in self._amounts().values()):
            from demur.costs.ranges import CostRange

            return CostRange(cost_fn=self.cost_fn, cost_fp=self.cost_fp, cost_abstain=self.cost_abstain)
        from demur.costs.model import CostModel

        if self.mu is not None:
            return CostModel(cost_fn=1.0, cost_fp=self.mu, cost_abstain=self.nu)
        given: dict[str, Any] = dict(self._amounts().values())
        fee = given.pop("fee", None)
        return CostModel(reviewer=None if fee is None else self.reviewer(fee), **given)

    def case_costs(self, columns: "Mapping[str, FloatArray] | None") -> "CaseCosts":
        """Return the costs of cases; a range becomes its middle and a factor that is a range.

        `columns` holds the amounts by column; None for amounts of 1, to check all other flags.
        """
        from demur._checks import check_amounts
        from demur.costs.case_costs import CaseCosts

        named: dict[str, Any] = {}
        sources: dict[str, str] = {}
        for name, (argument, value) in self._amounts().items():
            middle = named[argument] = _middle(value)
            number = _number(value)
            if isinstance(number, tuple):
                if name not in _FACTOR:
                    raise InputError(
                        f"`{name}` must be one number or one column, got a range. Hint: take its middle."
                    )
                for other in _SHARED[name]:
                    # its range would be one of other costs, too
                    if other in self.given():
                        raise InputError(
                            f"`{name}` must not be a range beside {other}. Hint: leave {other} out."
                        )
                low, high = number
                named[_FACTOR[name]] = 2 * low / (low + high), 2 * high / (low + high)
            if isinstance(value, ColumnPrice):
                sources[argument] = value.column if middle == 1 else f"{middle:.12g}*{value.column}"
                if columns is not None:
                    amounts = check_amounts(columns[value.column], f"{name} {value.column}")
                    named[argument] = middle * amounts
        fee = named.pop("fee", None)
        reviewer = None if fee is None else self.reviewer(fee)
        known = self.known_at_decision
        return CaseCosts(**named, reviewer=reviewer, columns=sources, known_at_decision=known)

    def _amounts(self) -> dict[str, tuple[str, Price]]:
        """Return flag -> the argument of the costs it fills, and its value."""
        given = self.given()
        named = {name: name.removeprefix("--").replace("-", "_") for name in _COSTS}
        named["--review-fee"] = "fee"
        return {name: (argument, given[name]) for name, argument in named.items() if name in given}

    def cost_terms(self) -> "CostTerms":
        """Return the costs as an engine adds them up: numbers, or columns with the middle of a factor."""
        from demur.engines.cost_sums import CostTerms

        terms = {
            argument: (value.column, _middle(value)) if isinstance(value, ColumnPrice) else _middle(value)
            for argument, value in self._amounts().values()
        }
        return CostTerms(terms, self.reviewer(0.0) if "fee" in terms else None)

    def reviewer(self, fee: Any) -> "Reviewer | ReviewCascade":
        """Return the person who has this fee, or two of them where cases are passed on."""
        from demur.costs.reviewer import ReviewCascade, Reviewer

        given = self.given()

        def person(who: str, fee: Any) -> Reviewer:
            rates = {name: given.get(f"--{who}-{name}", 1.0) for name in ("sensitivity", "specificity")}
            return Reviewer(fee=fee, **rates)

        first = person("reviewer", fee)
        if "--senior-fee" not in given:
            return first
        return ReviewCascade(
            junior=first,
            senior=person("senior", given["--senior-fee"]),
            passed_on_positive=given["--passed-on-positive"],
            passed_on_negative=given["--passed-on-negative"],
        )

    def _complete(self) -> bool:
        """Whether costs are given; refuse costs that are given twice or in part."""
        if self.known_at_decision and not self.columns:
            raise InputError("`--known-at-decision` needs a cost that is a column. Hint: --cost-fn amount.")
        given = [name for name in self.given() if name in _COSTS + _RATES + _RATIOS]
        ratios = [name for name in given if name in _RATIOS]
        if ratios and len(ratios) < len(given):
            raise InputError(
                f"Costs are given twice, as {' and '.join(given)}. "
                "Hint: use --cost-fn, --cost-fp, --cost-abstain or --mu, --nu, not both."
            )
        passed_on = any(name.startswith(("--senior", "--passed")) for name in given)
        needed = (
            *(("--mu",) if ratios else ("--cost-fn", "--cost-fp") if given else ()),
            *(("--review-fee",) if any(name in given for name in _RATES) else ()),
            *(_SENIOR if passed_on else ()),
        )
        for name in needed:
            if name not in given:
                raise InputError(
                    f"`{name}` is needed with {' and '.join(given)}. Hint: costs are never assumed."
                )
        # the cost of abstaining is given once, for one class or for both
        reviews = [name for name in _REVIEWS if name in given]
        if reviews and "--review-fee" in given:
            raise InputError(
                f"`{reviews[0]}` must be left out beside --review-fee. "
                "Hint: the fee and the mistakes of the reviewer are the cost of abstaining."
            )
        if len(reviews) == 1 and reviews[0] != "--cost-abstain":
            other = next(name for name in _REVIEWS[1:] if name not in reviews)
            raise InputError(f"`{other}` is needed with {reviews[0]}. Hint: or add --cost-abstain.")
        number = self.cost_fn.factor if isinstance(self.cost_fn, ColumnPrice) else self.cost_fn
        low = number[0] if isinstance(number, tuple) else number
        if self.cost_fn is not None and low == 0:
            raise InputError(
                f"`--cost-fn` must be positive, got {_shown(self.cost_fn)}. "
                "Hint: a miss must hurt; swap the classes if not."
            )
        return bool(given)

    def number(self, name: str) -> float | None:
        """Return the value of a flag where only one number will do; None if it is not given."""
        value: Price | None = self.given().get(name)
        if isinstance(value, tuple | ColumnPrice):
            got = f"the range {_shown(value)}" if isinstance(value, tuple) else repr(str(value))
            raise InputError(f"`{name}` must be one number here, got {got}.")
        return value


# ---------------------------------------------------------------- more than two classes


@dataclass(frozen=True, kw_only=True)
class Classes(Flags):
    """Names of the classes and what their confusions cost; all empty for two classes."""

    TITLE: ClassVar[str] = "More than two classes"
    COMMON: ClassVar[tuple[str, ...] | None] = ("names", "cost_matrix")

    names: str | None = flag(
        "--classes",
        metavar="A,B,C",
        help="FILE has one column of probabilities per class: of these names, or for several models of "
        "names like new_A, new_B, new_C. --model new takes the columns with that prefix, "
        "--model new=col1,col2,col3 any columns.",
    )
    cost_matrix: str | None = flag(
        "--cost-matrix",
        metavar="FILE",
        help="Their costs: CSV or TOML with named rows (true) and columns (answer); a cost may be a range "
        "4:8, and a column abstain gives the price of abstaining by class.",
    )
    ordered: bool = flag(
        "--ordered",
        default=False,
        is_flag=True,
        help="Instead of a cost matrix: the classes are listed in order, a mistake costs --step-cost for "
        "every step between the true class and the answer.",
    )
    step_cost: float | None = flag(
        "--step-cost", metavar="X", type=float, callback=not_negative, help="Beside --ordered."
    )

    NEEDS = (
        (
            "--cost-matrix --ordered --step-cost",
            "--classes",
            "`--classes` is needed with {}. Hint: --classes a,b,c.",
        ),
        ("--step-cost", "--ordered", "`--step-cost` is for classes in order. Hint: add --ordered."),
    )
    EXCLUDES = (
        (
            "--ordered",
            "--cost-matrix",
            "`--ordered` and --cost-matrix are two kinds of costs. Hint: give one of them.",
        ),
    )

    def listed(self) -> list[str]:
        """Return the names of the classes."""
        names = [name.strip() for name in str(self.names).split(",")]
        if len(names) < 2 or len(set(names)) < len(names) or not all(names):
            raise InputError(
                f"`--classes` must list at least two different classes, got {self.names!r}. "
                "Hint: --classes a,b,c."
            )
        return names
