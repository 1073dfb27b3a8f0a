"""Numbers read off a ROC curve: partial areas, and one rate at a fixed value of the other."""

from typing import Any, Protocol

import numpy as np

from demur._checks import check_range, check_rate, input_error
from demur.roc.curve import area_between, running_rate, standardized_area
from demur.typing import FloatArray

__all__ = ["Functional", "partial_area", "rate_at", "rate_at_point"]


class Functional(Protocol):
    """A number from the negatives and positives per distinct score, ascending."""

    def __call__(self, negatives: Any, positives: Any, *, resampled: bool = False) -> float:
        """Return the number; `resampled` lifts rules that only the observed curve must keep."""


def partial_area(
    min_fpr: Any, max_fpr: Any, min_tpr: Any, max_tpr: Any, *, standardize: bool
) -> tuple[str, Functional]:
    """Name and function of the partial area asked for: by fpr, or by tpr if one is given."""
    by_tpr = min_tpr is not None or max_tpr is not None
    if by_tpr and not (min_fpr is None and max_fpr is None):
        raise input_error("min_tpr", "must be left out when a range of fpr is given", min_tpr)
    axis = "tpr" if by_tpr else "fpr"
    start, stop = (min_tpr, max_tpr) if by_tpr else (min_fpr, max_fpr)
    ends = 0.0 if start is None else start, 1.0 if stop is None else stop
    low, high = check_range(ends, f"(min_{axis}, max_{axis})", high=1.0)
    if low == high:
        raise input_error(f"max_{axis}", f"must exceed min_{axis} = {low:g}", high)

    def area(negatives: Any, positives: Any, *, resampled: bool = False) -> float:
        if by_tpr:  # specificity over 1 - sensitivity: the same curve from the other corner
            x, y, left, right = running_rate(positives), running_rate(negatives), 1 - high, 1 - low
        else:
            x, y, left, right = running_rate(negatives[::-1]), running_rate(positives[::-1]), low, high
        plain = area_between(x, y, left, right)
        return standardized_area(plain, left, right, resampled=resampled) if standardize else plain

    return f"partial AUC, {axis} from {low:g} to {high:g}", area


def rate_at_point(sensitivity: Any, specificity: Any) -> tuple[str, Functional]:
    """Name and function of the rate at a fixed value of the other rate."""
    if (sensitivity is None) == (specificity is None):
        raise input_error(
            "sensitivity and specificity", "must be given one at a time", (sensitivity, specificity)
        )
    if specificity is not None:
        level = check_rate(specificity, "specificity")
        name = f"sensitivity at specificity {level:g}"
    else:
        level = check_rate(sensitivity, "sensitivity")
        name = f"specificity at sensitivity {level:g}"

    def rate(negatives: Any, positives: Any, *, resampled: bool = False) -> float:
        del resampled  # the rate of a resample is read off in the same way
        if specificity is not None:
            return rate_at(negatives, positives, level)
        return rate_at(positives[::-1], negatives[::-1], level)

    return name, rate


def rate_at(fixed: FloatArray, other: FloatArray, level: float) -> float:
    """Best rate of one class where the other is right at rate `level`, on the straight segments.

    Thresholds run so that more and more of the `fixed` class falls on its right side.
    """
    right, rest = running_rate(fixed), 1 - running_rate(other)
    k = int(np.searchsorted(right, level, side="left"))
    if right[k] == level:
        return float(rest[k])
    share = (level - right[k - 1]) / (right[k] - right[k - 1])
    return float(rest[k - 1] + share * (rest[k] - rest[k - 1]))
