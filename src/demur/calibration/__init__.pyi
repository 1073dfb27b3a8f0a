from .reliability import ConsistencyBand as ConsistencyBand
from .reliability import ReliabilityCurve as ReliabilityCurve
from .reliability import ScoreDecomposition as ScoreDecomposition
from .reliability import reliability_curve as reliability_curve
from .slope import CalibrationSlope as CalibrationSlope
from .slope import calibration_slope as calibration_slope
