"""Thresholds strictly between two neighbouring scores, safe for infinities and overflow."""

import numpy as np

from demur.exceptions import UndefinedError
from demur.typing import FloatArray

__all__ = ["cut_points", "no_threshold"]

_MAX = np.finfo(np.float64).max
_HALF = _MAX / 2


def cut_points(lower: FloatArray, upper: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the lower and upper thresholds of the cuts before, between and after intervals.

    Interval b covers the scores [lower[b], upper[b]], ascending and disjoint. Element i of
    each result separates the first i intervals from the rest (Friedel et al. 2006, eq. 2):
    ``score <= low[i]`` holds for exactly those, ``score >= high[i]`` for exactly the others.
    The two differ only where no float lies between the neighbours. A lower threshold that
    cannot exist (between -inf and the smallest float) is NaN.
    """
    below, above = upper[:-1], lower[1:]
    if len(below) and abs(below[0]) < _HALF and abs(above[-1]) < _HALF:
        # ordinary scores: nothing is infinite or overflows
        middle = np.empty(len(below) + 2)
        middle[0], middle[-1] = -np.inf, np.inf
        np.add(below, above, out=middle[1:-1])
        middle[1:-1] /= 2
        if (below < middle[1:-1]).all() and (middle[1:-1] < above).all():
            return middle, middle.copy()
    with np.errstate(over="ignore", invalid="ignore"):
        middle = (below + above) / 2
        middle = np.where(np.isinf(middle), below / 2 + above / 2, middle)
    middle = np.where(np.isneginf(below), -_MAX, middle)
    middle = np.where(np.isposinf(above), _MAX, middle)
    middle = np.where(np.isneginf(below) & np.isposinf(above), 0.0, middle)
    inside = (below < middle) & (middle < above)
    low = np.where(inside, middle, np.where(np.isneginf(below), np.nan, below))
    # A score of +inf must not be the threshold itself: decide() reads +inf as "never".
    high = np.where(inside, middle, np.where(np.isposinf(above), np.nan, above))
    ends = [-np.inf], [np.inf]
    return np.concatenate([ends[0], low, ends[1]]), np.concatenate([ends[0], high, ends[1]])


def no_threshold() -> UndefinedError:
    """Build the error for neighbouring scores that no float separates."""
    return UndefinedError(
        "No threshold separates an infinite score from the largest finite float beside it. "
        "Hint: rescale the finite scores; only their order matters."
    )
