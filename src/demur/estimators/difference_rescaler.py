"""First differences rescaled to a range that is learnt from the training part only."""

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from demur._checks import check_finite, check_series, input_error
from demur.exceptions import UndefinedError
from demur.typing import ArrayLike, FloatArray

__all__ = ["DifferenceRescaler"]


class DifferenceRescaler(BaseEstimator):  # type: ignore[misc]
    """First differences of a series, rescaled linearly so that the training ones fill [low, high].

    The range comes from the series given to `fit`, the training part; later values may leave
    the interval. Taking it from the whole series would tell the forecaster the future.

    Parameters
    ----------
    low, high : float
        Images of the smallest and largest training difference.

    Attributes
    ----------
    lowest_, highest_ : float
        The smallest and largest training difference.

    Raises
    ------
    UndefinedError
        In `fit`, if all differences are equal: a constant series, or a straight line.

    Notes
    -----
    z_k = low + (high - low) (d_k - lowest) / (highest - lowest), d_k = y_k - y_(k-1).
    Missing values (NaN) are left out of the range; their differences are missing too.

    Examples
    --------
    >>> from demur.estimators import DifferenceRescaler
    >>> rescaler = DifferenceRescaler().fit([1.0, 2.0, 4.0])
    >>> rescaler.transform([4.0, 4.5, 7.0]).round(2).tolist()
    [-0.3, 1.3]
    >>> rescaler.inverse_transform([-0.3, 1.3], previous=[4.0, 4.5]).round(6).tolist()
    [4.5, 7.0]
    """

    def __init__(self, *, low: float = 0.1, high: float = 0.9) -> None:
        self.low = low
        self.high = high

    def fit(self, series: ArrayLike, y: Any = None) -> Self:
        """Learn the range of the differences of the training part."""
        if not self.low < self.high:
            raise input_error("high", f"must exceed low = {self.low}", self.high)
        differences = np.diff(check_series(series))
        observed = differences[~np.isnan(differences)]
        if len(observed) == 0 or observed.min() == observed.max():
            raise UndefinedError(
                "`series` must have at least two different first differences, got "
                f"{'none' if len(observed) == 0 else 'a straight line'}. Hint: forecast it as it is."
            )
        self.lowest_, self.highest_ = float(observed.min()), float(observed.max())
        return self

    def transform(self, series: ArrayLike) -> FloatArray:
        """Return the rescaled differences: element k belongs to ``series[k + 1]``."""
        check_is_fitted(self)
        differences = np.diff(check_series(series))
        return np.asarray(self.low + (differences - self.lowest_) * self._slope)

    def inverse_transform(self, rescaled: ArrayLike, *, previous: ArrayLike) -> FloatArray:
        """Return the values that follow `previous` if their rescaled differences are `rescaled`."""
        check_is_fitted(self)
        before = check_finite(previous, "previous")
        change = (check_finite(rescaled, "rescaled") - self.low) / self._slope + self.lowest_
        return np.asarray(before + change)

    @property
    def _slope(self) -> float:
        return (self.high - self.low) / (self.highest_ - self.lowest_)
