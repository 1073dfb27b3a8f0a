from .bands import RecBand as RecBand
from .bands import rec_band as rec_band
from .coverage import RecCoverage as RecCoverage
from .coverage import rec_coverage_curve as rec_coverage_curve
from .diebold_mariano import DieboldMariano as DieboldMariano
from .diebold_mariano import diebold_mariano_test as diebold_mariano_test
from .difference import AocDifference as AocDifference
from .difference import RecDifference as RecDifference
from .difference import aoc_difference_test as aoc_difference_test
from .difference import rec_difference_test as rec_difference_test
from .filters.base import FilterRun as FilterRun
from .filters.base import FilterStep as FilterStep
from .filters.extended import ExtendedKalmanFilter as ExtendedKalmanFilter
from .filters.model import KalmanModel as KalmanModel
from .filters.sigma_points import CentralDifferenceKalmanFilter as CentralDifferenceKalmanFilter
from .filters.sigma_points import UnscentedKalmanFilter as UnscentedKalmanFilter
from .filters.square_root import (
    SquareRootCentralDifferenceKalmanFilter as SquareRootCentralDifferenceKalmanFilter,
)
from .filters.square_root import SquareRootUnscentedKalmanFilter as SquareRootUnscentedKalmanFilter
from .intervals import aoc_interval as aoc_interval
from .rec import RecCurve as RecCurve
from .rec import null_rec_curve as null_rec_curve
from .rec import rec_curve as rec_curve
from .rec import regression_errors as regression_errors
