"""From flags that name columns to costs that differ by case."""

from collections.abc import Mapping
from typing import Any

from demur.cli.options.rules import ColumnPrice, Number, Price
from demur.costs.case_costs import CaseCosts
from demur.costs.reviewer import Reviewer
from demur.costs.reviewer_cascade import ReviewCascade
from demur.engines.cost_sums import CostTerms
from demur.exceptions import InputError
from demur.typing import FloatArray

__all__ = ["case_costs", "cost_terms", "reviewer_of"]

_FACTOR = {"--cost-fn": "miss_factor", "--cost-fp": "alarm_factor", "--cost-abstain": "review_factor"}
# what a factor of the first would change as well: the other cost of the same decision
_SHARED: dict[str, tuple[str, ...]] = {
    "--cost-fn": ("--cost-tn",),
    "--cost-fp": ("--cost-tp",),
    "--cost-abstain": ("--cost-abstain-positive", "--cost-abstain-negative"),
}
_COSTS = (*_FACTOR, "--cost-abstain-positive", "--cost-abstain-negative", "--cost-tp", "--cost-tn")


def case_costs(given: Mapping[str, Any], columns: Mapping[str, FloatArray] | None) -> CaseCosts:
    """Return the costs of cases; a range becomes its middle and a factor that is a range.

    `given` are the cost flags with their values. `columns` holds the amounts by column; None for amounts
    of 1, to check all other flags.
    """
    named: dict[str, Any] = {}
    for flag in _COSTS:
        if flag in given:
            value = given[flag]
            _refuse_range(flag, value, given)
            named[_argument(flag)] = _middle(flag, value, columns)
            factor = _factor(value)
            if factor is not None:
                named[_FACTOR[flag]] = factor
    fee = given.get("--review-fee")
    if fee is not None:
        _refuse_range("--review-fee", fee, given)
        named["reviewer"] = reviewer_of(given, _middle("--review-fee", fee, columns))
    sources = {_argument(flag): _source(one) for flag, one in given.items() if isinstance(one, ColumnPrice)}
    if "review_fee" in sources:
        sources["fee"] = sources.pop("review_fee")
    return CaseCosts(**named, columns=sources)


def cost_terms(given: Mapping[str, Any]) -> CostTerms:
    """Return the costs as an engine adds them up: columns with the middle of their factors, or numbers."""

    def term(value: Price) -> float | tuple[str, float]:
        middle = _middle_of(value)
        return (value.column, middle) if isinstance(value, ColumnPrice) else middle

    named = {_argument(flag): term(given[flag]) for flag in _COSTS if flag in given}
    if "--review-fee" not in given:
        return CostTerms(named, None)
    return CostTerms({**named, "fee": term(given["--review-fee"])}, reviewer_of(given, 0.0))


def reviewer_of(given: Mapping[str, Any], fee: Any) -> Reviewer | ReviewCascade:
    """Return the person with a fee that the flags describe, or two of them where cases are passed on."""

    def rates(person: str) -> dict[str, float]:
        found = {name: given.get(f"--{person}-{name}") for name in ("sensitivity", "specificity")}
        return {name: rate for name, rate in found.items() if rate is not None}

    first = Reviewer(fee=fee, **rates("reviewer"))
    if "--senior-fee" not in given:
        return first
    return ReviewCascade(
        junior=first,
        senior=Reviewer(fee=given["--senior-fee"], **rates("senior")),
        passed_on_positive=given["--passed-on-positive"],
        passed_on_negative=given["--passed-on-negative"],
    )


def _argument(flag: str) -> str:
    return flag.removeprefix("--").replace("-", "_")


def _source(price: ColumnPrice) -> str:
    """Return the column a price came from, with its factor if that is not 1."""
    middle = _middle_of(price)
    return price.column if middle == 1 else f"{middle:.12g}*{price.column}"


def _middle_of(value: Price) -> float:
    ends = _ends(value)
    return sum(ends) / 2 if isinstance(ends, tuple) else float(ends)


def _ends(value: Price) -> Number:
    return value.factor if isinstance(value, ColumnPrice) else value


def _refuse_range(flag: str, value: Price, given: Mapping[str, Any]) -> None:
    """Refuse a range that would be one of other costs, too."""
    if not isinstance(_ends(value), tuple):
        return
    if flag not in _FACTOR:
        raise InputError(f"`{flag}` must be one number or one column, got a range. Hint: take its middle.")
    for other in _SHARED[flag]:
        if other in given:
            raise InputError(f"`{flag}` must not be a range beside {other}. Hint: leave {other} out.")


def _middle(flag: str, value: Price, columns: Mapping[str, FloatArray] | None) -> Any:
    """Return a price in the middle of its range: a number, or one per case."""
    middle = _middle_of(value)
    if not isinstance(value, ColumnPrice) or columns is None:
        return middle
    from demur._checks import check_amounts

    return middle * check_amounts(columns[value.column], f"{flag} {value.column}")


def _factor(value: Price) -> tuple[float, float] | None:
    """Return the range of a price relative to its middle; None without a range."""
    ends = _ends(value)
    if not isinstance(ends, tuple):
        return None
    low, high = ends
    return 2 * low / (low + high), 2 * high / (low + high)
