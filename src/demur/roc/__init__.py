"""ROC space: curves and hulls, operating points, bounds of the area, confident segments, isometrics.

Bounds of the area from few points: Mueller and Zhang (2006). Confident segments by Tango's
interval: Elazmeh, Japkowicz, Matwin (2006). Isometrics and the ROC curve of the cases that got
a decision: Vanderlooy, Sprinkhuizen-Kuyper, Smirnov (2006).

Imports: counts.
"""

from typing import TYPE_CHECKING

from demur._rooms import on_demand

if TYPE_CHECKING:
    from demur.roc.bounds import AucBounds, RocPointIndex, auc_bounds, iso_discriminability, roc_point_index
    from demur.roc.curve import (
        PrecisionRecallCurve,
        RocCurve,
        RocHull,
        auc_score,
        precision_recall_curve,
        roc_curve,
    )
    from demur.roc.decided import ReliableRoc, reliable_roc
    from demur.roc.interval import RocInterval, roc_interval
    from demur.roc.isometrics import (
        FMeasure,
        GmEstimate,
        Isometric,
        IsometricGrid,
        Precision,
        isometric,
        isometric_grid,
    )
    from demur.roc.margins import MarginTest, cost_margin_test, tango_margin_test
    from demur.roc.operating import ExpectedCases, OperatingPoint, operating_point
    from demur.roc.preparing import PreparedScores, prepared_scores
    from demur.roc.segment import ConfidentSegment, TangoInterval, confident_segment, tango_interval
    from demur.roc.smooth import SmoothRoc, smooth_roc

__all__ = [
    "AucBounds",
    "ConfidentSegment",
    "ExpectedCases",
    "FMeasure",
    "GmEstimate",
    "Isometric",
    "IsometricGrid",
    "MarginTest",
    "OperatingPoint",
    "Precision",
    "PrecisionRecallCurve",
    "PreparedScores",
    "ReliableRoc",
    "RocCurve",
    "RocHull",
    "RocInterval",
    "RocPointIndex",
    "SmoothRoc",
    "TangoInterval",
    "auc_bounds",
    "auc_score",
    "confident_segment",
    "cost_margin_test",
    "iso_discriminability",
    "isometric",
    "isometric_grid",
    "operating_point",
    "precision_recall_curve",
    "prepared_scores",
    "reliable_roc",
    "roc_curve",
    "roc_interval",
    "roc_point_index",
    "smooth_roc",
    "tango_interval",
    "tango_margin_test",
]

__getattr__, __dir__ = on_demand(__name__, __file__)
