"""Kalman filters of non-linear systems: extended, unscented, central difference, square root.

One interface (`predict`, `update`, `step`, `filter`) and one state-space model
(`KalmanModel`) for all five. Only what no maintained library offers in this form.
"""

from demur.regression.filters.base import FilterRun, FilterStep
from demur.regression.filters.extended import ExtendedKalmanFilter
from demur.regression.filters.model import KalmanModel
from demur.regression.filters.sigma_points import CentralDifferenceKalmanFilter, UnscentedKalmanFilter
from demur.regression.filters.square_root import (
    SquareRootCentralDifferenceKalmanFilter,
    SquareRootUnscentedKalmanFilter,
)

__all__ = [
    "CentralDifferenceKalmanFilter",
    "ExtendedKalmanFilter",
    "FilterRun",
    "FilterStep",
    "KalmanModel",
    "SquareRootCentralDifferenceKalmanFilter",
    "SquareRootUnscentedKalmanFilter",
    "UnscentedKalmanFilter",
]
