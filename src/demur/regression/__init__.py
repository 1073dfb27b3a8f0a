"""Regression error characteristic curves, their inference, and sigma-point Kalman filters.

REC curves are those of Bi and Bennett (2003); the filters follow "Applying REC analysis to
ensembles of sigma-point Kalman filters" (ROCML 2006) and van der Merwe and Wan (2001).

Imports: counts.
"""

from typing import TYPE_CHECKING

from demur._rooms import on_demand

if TYPE_CHECKING:
    from demur.regression.bands import RecBand, rec_band
    from demur.regression.coverage import RecCoverage, rec_coverage_curve
    from demur.regression.diebold_mariano import DieboldMariano, diebold_mariano_test
    from demur.regression.difference import (
        AocDifference,
        RecDifference,
        aoc_difference_test,
        rec_difference_test,
    )
    from demur.regression.filters import (
        CentralDifferenceKalmanFilter,
        ExtendedKalmanFilter,
        FilterRun,
        FilterStep,
        KalmanModel,
        SquareRootCentralDifferenceKalmanFilter,
        SquareRootUnscentedKalmanFilter,
        UnscentedKalmanFilter,
    )
    from demur.regression.intervals import aoc_interval
    from demur.regression.rec import RecCurve, null_rec_curve, rec_curve, regression_errors

__all__ = [
    "AocDifference",
    "CentralDifferenceKalmanFilter",
    "DieboldMariano",
    "ExtendedKalmanFilter",
    "FilterRun",
    "FilterStep",
    "KalmanModel",
    "RecBand",
    "RecCoverage",
    "RecCurve",
    "RecDifference",
    "SquareRootCentralDifferenceKalmanFilter",
    "SquareRootUnscentedKalmanFilter",
    "UnscentedKalmanFilter",
    "aoc_difference_test",
    "aoc_interval",
    "diebold_mariano_test",
    "null_rec_curve",
    "rec_band",
    "rec_coverage_curve",
    "rec_curve",
    "rec_difference_test",
    "regression_errors",
]

__getattr__, __dir__ = on_demand(__name__, __file__)
