"""Whether predicted probabilities can be taken at their word.

The reliability curve comes from the same pooled blocks as every other curve (CORP: Dimitriadis,
Gneiting, Jordan 2021), so it needs no bins. Brier and log score are split into miscalibration,
discrimination and uncertainty; calibration slope and intercept (Cox 1958) say in which direction
the probabilities err.

Imports: counts.
"""

from typing import TYPE_CHECKING

from demur._rooms import on_demand

if TYPE_CHECKING:
    from demur.calibration.decomposition import ScoreDecomposition
    from demur.calibration.reliability import ConsistencyBand, ReliabilityCurve, reliability_curve
    from demur.calibration.slope import CalibrationSlope, calibration_slope

__all__ = [
    "CalibrationSlope",
    "ConsistencyBand",
    "ReliabilityCurve",
    "ScoreDecomposition",
    "calibration_slope",
    "reliability_curve",
]

__getattr__, __dir__ = on_demand(__name__, __file__)
