"""Kalman filters of non-linear systems: extended, unscented, central difference, square root.

One interface (`predict`, `update`, `step`, `filter`) and one state-space model
(`KalmanModel`) for all five. Only what no maintained library offers in this form.
"""

from demur.filters.base import FilterRun, FilterStep
from demur.filters.extended import ExtendedKalmanFilter
from demur.filters.model import KalmanModel
from demur.filters.sigma_points import CentralDifferenceKalmanFilter, UnscentedKalmanFilter
from demur.filters.square_root import (
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
