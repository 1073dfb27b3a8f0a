"""Classifiers that abstain by a rule on probabilities: confusion with abstentions, response, capacity.

After Ferri and Hernandez-Orallo (2004). Selective risk (risk-coverage curves) lives here too.

Imports: surface, roc, costs, counts.
"""

from typing import TYPE_CHECKING

from demur._rooms import on_demand

if TYPE_CHECKING:
    from demur.cautious.bands import ResponseBand, capacity_interval, response_band
    from demur.cautious.capacity import CapacityGraph, Mixture, capacity_graph
    from demur.cautious.conformal import conformal_p_values
    from demur.cautious.confusion import (
        CautiousConfusion,
        RocPoint,
        cautious_confusion,
        decisions_at_abstention,
    )
    from demur.cautious.response import ResponseCurve, ResponsePoint, response_curve
    from demur.cautious.roc_response import RocResponseSurface, roc_response_surface
    from demur.cautious.rules import (
        CautionWindowRule,
        ClassThresholdRule,
        ConfidenceRule,
        CriticalWindows,
        RatioRule,
        critical_windows,
    )
    from demur.cautious.selective_risk import RiskCoverageCurve, RiskCoverageDifference, risk_coverage_curve
    from demur.cautious.several_responses import (
        AverageResponseCurve,
        ResponseHull,
        average_response_curves,
        response_hull,
    )

__all__ = [
    "AverageResponseCurve",
    "CapacityGraph",
    "CautionWindowRule",
    "CautiousConfusion",
    "ClassThresholdRule",
    "ConfidenceRule",
    "CriticalWindows",
    "Mixture",
    "RatioRule",
    "ResponseBand",
    "ResponseCurve",
    "ResponseHull",
    "ResponsePoint",
    "RiskCoverageCurve",
    "RiskCoverageDifference",
    "RocPoint",
    "RocResponseSurface",
    "average_response_curves",
    "capacity_graph",
    "capacity_interval",
    "cautious_confusion",
    "conformal_p_values",
    "critical_windows",
    "decisions_at_abstention",
    "response_band",
    "response_curve",
    "response_hull",
    "risk_coverage_curve",
    "roc_response_surface",
]

__getattr__, __dir__ = on_demand(__name__, __file__)
