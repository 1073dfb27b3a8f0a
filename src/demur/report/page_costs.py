"""The costs at which a page starts, as its fields take them."""

from typing import Any

from demur.costs.case_costs import CaseCosts
from demur.costs.model import CostModel
from demur.costs.reviewer import Reviewer

__all__ = ["page_costs", "whole_number"]


def whole_number(value: float | None) -> float | None:
    """Drop the decimal point of whole numbers."""
    return int(value) if value is not None and float(value).is_integer() else value


def page_costs(costs: CostModel | CaseCosts) -> dict[str, Any]:
    """Return the costs with the reviewer they came from, for whom the page has fields; by case, factors."""
    if isinstance(costs, CaseCosts):
        miss, alarm, review = costs.mean
        costs = CostModel(cost_fn=miss, cost_fp=alarm, cost_abstain=review if costs.may_abstain else None)
    hired = costs.hired
    reviewer = None
    if isinstance(hired, Reviewer):
        names = ("fee", "sensitivity", "specificity")
        reviewer = {name: whole_number(getattr(hired, name)) for name in names}
    return {**{name: whole_number(price) for name, price in costs.to_dict().items()}, "reviewer": reviewer}
