"""What curves over the share of abstentions have in common: value, area, dominance."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from demur._checks import check_probability, input_error
from demur._results import Result, as_scalar
from demur.exceptions import UndefinedError
from demur.typing import ArrayLike, FloatArray, Scalar

__all__ = ["SAME_VALUE", "Polyline"]

SAME_VALUE = 1e-12
"""Values this close are equal: they differ by rounding only."""
_LOWER_IS_BETTER = ("error", "cost")


class Polyline(Result):
    """A measure over abstention 0 to 1; equal abscissae are a vertical step."""

    abstention: FloatArray
    value: FloatArray
    metric: str

    @property
    def higher_is_better(self) -> bool:
        """Orientation of the metric."""
        return self.metric not in _LOWER_IS_BETTER

    @cached_property
    def points_with_value(self) -> tuple[FloatArray, FloatArray]:
        """Abstention and value of the points that have a value."""
        keep = ~np.isnan(self.value)
        if keep.all():
            return self.abstention, self.value
        return self.abstention[keep], self.value[keep]

    @cached_property
    def area(self) -> float:
        """Area under the curve over abstention 0 to 1: the mean value if all shares are equally likely."""
        x, y = self.points_with_value
        return float(np.sum(np.diff(x) * (y[1:] + y[:-1])) / 2)

    @property
    def probabilistic_capacity(self) -> float:
        """Area under the accuracy, or above the error; the paper gives both this name."""
        if self.metric not in ("accuracy", "error"):
            raise UndefinedError(f"Probabilistic capacity exists for accuracy and error, got {self.metric}.")
        return self.area if self.metric == "accuracy" else 1 - self.area

    def limits_at(self, at: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Limits from the left and from the right, and the best value, at some abscissae."""
        x, y = self.points_with_value
        first, past = np.searchsorted(x, at, side="left"), np.searchsorted(x, at, side="right")
        on = past > first
        lower = np.maximum(past - 1, 0)
        upper = np.minimum(past, len(x) - 1)
        width = np.where(x[upper] > x[lower], x[upper] - x[lower], 1.0)
        between = y[lower] + (y[upper] - y[lower]) * (at - x[lower]) / width
        left = np.where(on, y[np.minimum(first, len(x) - 1)], between)
        right = np.where(on, y[lower], between)
        best = np.maximum(left, right) if self.higher_is_better else np.minimum(left, right)
        pick = np.max if self.higher_is_better else np.min
        for k in np.flatnonzero(past - first > 2):  # a step of several corners may leave its ends
            best[k] = pick(y[first[k] : past[k]])
        return left, right, best

    def at(self, abstention: ArrayLike) -> Scalar:
        """Return the value at shares of abstentions, interpolated; on a vertical step the best one."""
        x = check_probability(abstention, "abstention")
        return as_scalar(self.limits_at(np.atleast_1d(x))[2].reshape(x.shape))

    def dominates(self, other: Polyline) -> bool:
        """Tell whether this curve is nowhere worse than `other`, and somewhere better.

        Exact: both are straight between their corners. A class bias or a model whose curve is
        dominated can be discarded.
        """
        largest_gain, largest_loss = self._largest_margins(other)
        return bool(largest_gain > SAME_VALUE and largest_loss <= SAME_VALUE)

    def _largest_margins(self, other: Polyline) -> tuple[float, float]:
        """By how much this curve is better than the other one at most, and worse at most."""
        if not isinstance(other, Polyline):
            raise input_error("other", "must be a response curve", type(other).__name__)
        if other.metric != self.metric:
            raise input_error("other", f"must be a response of {self.metric}", other.metric)
        grid = np.union1d(self.points_with_value[0], other.points_with_value[0])
        sides = [curve.limits_at(grid) for curve in (self, other)]
        for left, right, best in sides:  # beyond the ends there is no curve
            left[0], right[-1] = best[0], best[-1]
        sign = 1.0 if self.higher_is_better else -1.0
        gain = np.concatenate([sign * (own - rival) for own, rival in zip(*sides, strict=True)])
        return float(gain.max()), float(-gain.min())
