"""The costs of cases from the columns that a policy of amounts names."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from demur.costs.case_costs import CaseCosts
from demur.costs.reviewer import Reviewer
from demur.costs.reviewer_cascade import ReviewCascade
from demur.engines.files import FileTable
from demur.engines.labels import is_number
from demur.policy.policy import Policy
from demur.typing import FloatArray

__all__ = ["AmountColumns"]

_COSTS = (
    "cost_fn",
    "cost_fp",
    "cost_tp",
    "cost_tn",
    "cost_abstain",
    "cost_abstain_positive",
    "cost_abstain_negative",
)
_FACTORS = ("miss_factor", "alarm_factor", "review_factor")
_RATES = ("sensitivity", "specificity")


@dataclass(frozen=True)
class AmountColumns:
    """Where a file holds the costs that differ by case.

    Attributes
    ----------
    amounts : mapping
        The costs as the policy describes them.
    places : dict
        What the policy calls a column, such as "amount" or "0.6*amount" -> the column and its factor.
    """

    amounts: Mapping[str, Any]
    places: dict[str, tuple[str, float]]

    @classmethod
    def of(cls, policy: Policy, table: FileTable) -> "AmountColumns | None":
        """Find the columns; None if the policy is not one of amounts, or the file lacks one of them."""
        if policy.amounts is None:
            return None
        places = {}
        for described in _prices(policy.amounts).values():
            if isinstance(described, Mapping):
                place = _place(described.get("column"), table)
                if place is None:
                    return None
                places[described["column"]] = place
        return cls(policy.amounts, places)

    @property
    def names(self) -> tuple[str, ...]:
        """The columns, each once."""
        return tuple(dict.fromkeys(column for column, _ in self.places.values()))

    def costs(self, columns: Mapping[str, FloatArray]) -> CaseCosts:
        """Return the costs of the cases whose columns these are."""
        named: dict[str, Any] = {}
        for name, described in _prices(self.amounts).items():
            named[name] = described
            if isinstance(described, Mapping):
                column, factor = self.places[described["column"]]
                named[name] = factor * columns[column]
        named |= {name: tuple(self.amounts[name]) for name in _FACTORS if name in self.amounts}
        people = self.amounts.get("reviewer")
        if people is not None:
            first = _first_reviewer(people)
            junior = Reviewer(fee=named.pop("fee"), **{rate: first[rate] for rate in _RATES})
            named["reviewer"] = junior
            if first is not people:
                senior = Reviewer(**{name: people["senior"][name] for name in ("fee", *_RATES)})
                passed = {name: people[name] for name in ("passed_on_positive", "passed_on_negative")}
                named["reviewer"] = ReviewCascade(junior=junior, senior=senior, **passed)
        return CaseCosts(**named)


def _prices(amounts: Mapping[str, Any]) -> dict[str, Any]:
    """Return the costs that a policy describes, with the fee of the person who sees every case."""
    prices = {name: amounts[name] for name in _COSTS if amounts.get(name) is not None}
    people = amounts.get("reviewer")
    return prices if people is None else {**prices, "fee": _first_reviewer(people)["fee"]}


def _first_reviewer(people: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return who sees every case: the reviewer, or the junior of two."""
    first: Mapping[str, Any] = people.get("junior", people)
    return first


def _place(text: Any, table: FileTable) -> tuple[str, float] | None:
    """Return the column and the factor that a text such as "0.6*amount" means in a file; None if none."""
    if not isinstance(text, str):
        return None
    if text in table.kinds:
        return text, 1.0
    factor, star, column = text.partition("*")
    known = star and column in table.kinds and is_number(factor)
    return (column, float(factor)) if known else None
