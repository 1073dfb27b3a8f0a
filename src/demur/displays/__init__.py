"""One matplotlib figure per result. matplotlib is imported when something is drawn.

A Display computes nothing: it takes a result, or makes one with the function of the same name, and
draws it. `frame()` gives back every number drawn.

Imports: estimators, monitoring and every room of the domain.
"""

from typing import TYPE_CHECKING

from demur._rooms import on_demand

if TYPE_CHECKING:
    from demur.displays.auc_bounds import AucBoundsDisplay, BoundGapDisplay, IsoDiscriminabilityDisplay
    from demur.displays.bands import (
        CostCurveBandDisplay,
        RocBandDisplay,
        SignificanceMapDisplay,
        SurfaceBandDisplay,
    )
    from demur.displays.case_costs import CaseCostsDisplay
    from demur.displays.cautious import CapacityGraphDisplay, ResponseCurveDisplay, RocResponseSurfaceDisplay
    from demur.displays.cautious_shapes import EfficacyDisplay, RocSecantDisplay
    from demur.displays.confidence import (
        ConfidentSegmentDisplay,
        SegmentComparisonDisplay,
        TangoIntervalDisplay,
    )
    from demur.displays.cost_curves import CostCurveDisplay, CostDifferenceDisplay, RocCostDualDisplay
    from demur.displays.isometrics import IsometricDisplay, ReliableWindowDisplay
    from demur.displays.monitoring import MonitorDisplay
    from demur.displays.multiclass import MetaClassTreeDisplay, SimplexDisplay, WeightMapDisplay
    from demur.displays.net_benefit import NetBenefitDisplay
    from demur.displays.ordinal import OrdinalMeasuresDisplay, OrdinalSurfaceDisplay, SeparabilityDisplay
    from demur.displays.regression import RecCoverageDisplay, RecCurveDisplay
    from demur.displays.related import DetCurveDisplay, PvaDisplay, RegretDisplay, SkillDisplay
    from demur.displays.reliability import ReliabilityDisplay
    from demur.displays.response_bands import ResponseBandDisplay
    from demur.displays.roc import PrecisionRecallDisplay, RocCurveDisplay
    from demur.displays.selective_risk import RiskCoverageDisplay
    from demur.displays.surface_differences import SurfaceDifferenceDisplay
    from demur.displays.surface_rows import SurfaceRowDisplay
    from demur.displays.surfaces import AbstentionSurfaceDisplay
    from demur.displays.thresholds import MimeticCostDisplay, NrocCurveDisplay, ThresholdsByCostDisplay
    from demur.displays.windows import WindowDisplay

__all__ = [
    "AbstentionSurfaceDisplay",
    "AucBoundsDisplay",
    "BoundGapDisplay",
    "CapacityGraphDisplay",
    "CaseCostsDisplay",
    "ConfidentSegmentDisplay",
    "CostCurveBandDisplay",
    "CostCurveDisplay",
    "CostDifferenceDisplay",
    "DetCurveDisplay",
    "EfficacyDisplay",
    "IsoDiscriminabilityDisplay",
    "IsometricDisplay",
    "MetaClassTreeDisplay",
    "MimeticCostDisplay",
    "MonitorDisplay",
    "NetBenefitDisplay",
    "NrocCurveDisplay",
    "OrdinalMeasuresDisplay",
    "OrdinalSurfaceDisplay",
    "PrecisionRecallDisplay",
    "PvaDisplay",
    "RecCoverageDisplay",
    "RecCurveDisplay",
    "RegretDisplay",
    "ReliabilityDisplay",
    "ReliableWindowDisplay",
    "ResponseBandDisplay",
    "ResponseCurveDisplay",
    "RiskCoverageDisplay",
    "RocBandDisplay",
    "RocCostDualDisplay",
    "RocCurveDisplay",
    "RocResponseSurfaceDisplay",
    "RocSecantDisplay",
    "SegmentComparisonDisplay",
    "SeparabilityDisplay",
    "SignificanceMapDisplay",
    "SimplexDisplay",
    "SkillDisplay",
    "SurfaceBandDisplay",
    "SurfaceDifferenceDisplay",
    "SurfaceRowDisplay",
    "TangoIntervalDisplay",
    "ThresholdsByCostDisplay",
    "WeightMapDisplay",
    "WindowDisplay",
]

__getattr__, __dir__ = on_demand(__name__, __file__)
