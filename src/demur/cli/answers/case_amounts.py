"""The costs of cases from the columns that a policy of amounts names."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from demur.costs.case_costs import CaseCosts
from demur.costs.reviewer import Reviewer
from demur.costs.reviewer_cascade import ReviewCascade
from demur.engines.files import FileTable
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
        described = [policy.amounts.get(name) for name in _COSTS]
        reviewer = policy.amounts.get("reviewer")
        if reviewer is not None:
            described.append(_first_reviewer(reviewer)["fee"])
        places = {}
        for value in described:
            if isinstance(value, Mapping):
                place = _place(value.get("column"), table)
                if place is None:
                    return None
                places[value["column"]] = place
        return cls(policy.amounts, places)

    @property
    def names(self) -> tuple[str, ...]:
        """The columns, each once."""
        return tuple(dict.fromkeys(column for column, _ in self.places.values()))

    def costs(self, columns: Mapping[str, FloatArray]) -> CaseCosts:
        """Return the costs of the cases whose columns these are."""

        def price(described: Any) -> Any:
            if not isinstance(described, Mapping):
                return described
            column, factor = self.places[described["column"]]
            return factor * columns[column]

        named = {name: price(self.amounts.get(name)) for name in _COSTS}
        named |= {name: tuple(self.amounts[name]) for name in _FACTORS if name in self.amounts}
        reviewer = self.amounts.get("reviewer")
        if reviewer is not None:
            named["reviewer"] = _reviewer(reviewer, price(_first_reviewer(reviewer)["fee"]))
        return CaseCosts(**{name: value for name, value in named.items() if value is not None})


def _place(text: Any, table: FileTable) -> tuple[str, float] | None:
    """Return the column and the factor that a text such as "0.6*amount" means in a file; None if none."""
    if not isinstance(text, str):
        return None
    if text in table.kinds:
        return text, 1.0
    factor, star, column = text.partition("*")
    try:
        return (column, float(factor)) if star and column in table.kinds else None
    except ValueError:
        return None


def _first_reviewer(described: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return who sees every case: the reviewer, or the junior of two."""
    first: Mapping[str, Any] = described.get("junior", described)
    return first


def _reviewer(described: Mapping[str, Any], fee: Any) -> Reviewer | ReviewCascade:
    rates = ("sensitivity", "specificity")
    first = Reviewer(fee=fee, **{name: _first_reviewer(described)[name] for name in rates})
    if "junior" not in described:
        return first
    passed = {name: described[name] for name in ("passed_on_positive", "passed_on_negative")}
    senior = Reviewer(**{name: described["senior"][name] for name in ("fee", *rates)})
    return ReviewCascade(junior=first, senior=senior, **passed)
