"""What mistakes and reviews cost, and what follows without a window: cost lines and cost curves.

`CostModel` names the costs of two classes and brings them to the normal form (mu, nu) of
Friedel, Rueckert, Kramer (2006); `CostMatrix` holds those of several classes. A `Reviewer` has a
price and errs, which makes the cost of abstaining depend on the class; `CaseCosts` differ from case
to case. Cost lines, cost curves and the ranges in which each model wins are those of Drummond and
Holte (2006).

Imports: counts.
"""

from typing import TYPE_CHECKING

from demur._rooms import on_demand

if TYPE_CHECKING:
    from demur.costs.case_costs import CaseCosts
    from demur.costs.curves import (
        AverageCostCurve,
        BestRange,
        CostCurve,
        average_cost_curves,
        best_ranges,
        cost_curve,
    )
    from demur.costs.lines import (
        CostLine,
        CostLineDifference,
        cost_line,
        cost_line_difference,
        roc_line_to_cost_point,
    )
    from demur.costs.matrix import CostMatrix
    from demur.costs.model import CostModel, probability_cost
    from demur.costs.net_benefit import (
        NetBenefitCurve,
        NetBenefitDifference,
        net_benefit_curve,
        net_benefit_difference,
    )
    from demur.costs.ranges import CostRange
    from demur.costs.reviewer import Reviewer
    from demur.costs.reviewer_cascade import ReviewCascade

__all__ = [
    "AverageCostCurve",
    "BestRange",
    "CaseCosts",
    "CostCurve",
    "CostLine",
    "CostLineDifference",
    "CostMatrix",
    "CostModel",
    "CostRange",
    "NetBenefitCurve",
    "NetBenefitDifference",
    "ReviewCascade",
    "Reviewer",
    "average_cost_curves",
    "best_ranges",
    "cost_curve",
    "cost_line",
    "cost_line_difference",
    "net_benefit_curve",
    "net_benefit_difference",
    "probability_cost",
    "roc_line_to_cost_point",
]

__getattr__, __dir__ = on_demand(__name__, __file__)
