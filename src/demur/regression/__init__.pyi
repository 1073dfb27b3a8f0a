from .difference import AocDifference as AocDifference
from .difference import DieboldMariano as DieboldMariano
from .difference import RecDifference as RecDifference
from .difference import aoc_difference_test as aoc_difference_test
from .difference import diebold_mariano_test as diebold_mariano_test
from .difference import rec_difference_test as rec_difference_test
from .intervals import RecBand as RecBand
from .intervals import aoc_interval as aoc_interval
from .intervals import rec_band as rec_band
from .kalman import ExtendedKalmanFilter as ExtendedKalmanFilter
from .kalman import FilterRun as FilterRun
from .kalman import FilterStep as FilterStep
from .kalman import KalmanModel as KalmanModel
from .rec import RecCoverage as RecCoverage
from .rec import RecCurve as RecCurve
from .rec import null_rec_curve as null_rec_curve
from .rec import rec_coverage_curve as rec_coverage_curve
from .rec import rec_curve as rec_curve
from .rec import regression_errors as regression_errors
from .review import ReviewCandidate as ReviewCandidate
from .review import ReviewCurve as ReviewCurve
from .review import ReviewSurface as ReviewSurface
from .review import ReviewThreshold as ReviewThreshold
from .review import excess_losses as excess_losses
from .review import review_curve as review_curve
from .review import review_surface as review_surface
from .review import review_threshold as review_threshold
from .sigma_points import CentralDifferenceKalmanFilter as CentralDifferenceKalmanFilter
from .sigma_points import (
    SquareRootCentralDifferenceKalmanFilter as SquareRootCentralDifferenceKalmanFilter,
)
from .sigma_points import SquareRootUnscentedKalmanFilter as SquareRootUnscentedKalmanFilter
from .sigma_points import UnscentedKalmanFilter as UnscentedKalmanFilter
