"""Thresholds strictly between two neighbouring scores, safe for infinities and overflow."""

from decimal import ROUND_HALF_UP, Context, Decimal

import numpy as np

from demur.exceptions import UndefinedError
from demur.typing import FloatArray

__all__ = [
    "cut_points",
    "no_threshold",
    "shortest_cut",
    "shortest_cuts",
    "shortest_in",
    "thresholds_at",
]

_MAX = np.finfo(np.float64).max
_HALF = _MAX / 2
# with 17 significant digits every float stays itself
_ROUNDINGS = tuple(Context(prec=digits, rounding=ROUND_HALF_UP) for digits in range(1, 17))


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


def thresholds_at(lower: FloatArray, upper: FloatArray, i: int, j: int) -> tuple[float, float]:
    """Return the lower threshold above the first i intervals and the upper one below those from j on."""
    first, last = (
        cut_points(lower[max(at - 1, 0) : at + 1], upper[max(at - 1, 0) : at + 1]) for at in (i, j)
    )
    pair = float(first[0][min(i, 1)]), float(last[1][min(j, 1)])
    if np.isnan(pair).any():
        raise no_threshold()
    return pair


def shortest_cut(value: float, below: float, above: float) -> float:
    """Round a threshold to the fewest significant digits that keep it strictly between two scores.

    Halves are rounded away from 0. For the middle of a gap this is, of the numbers with the fewest
    digits inside it, the nearest to the middle. A threshold that is not strictly between the scores,
    because no float is, and one beside an infinite score, where a gap has no middle, stay as they are.

    >>> shortest_cut(0.515, 0.4871, 0.5429), shortest_cut(0.515, 0.5, 0.53)
    (0.5, 0.52)
    """
    if not -np.inf < below < value < above < np.inf:
        return value
    exact = Decimal(value)
    for rounding in _ROUNDINGS:
        number = float(rounding.plus(exact))
        if below < number < above:
            return number
    return value


def shortest_in(value: float, scores: FloatArray) -> float:
    """Round a threshold by `shortest_cut` between its neighbouring scores; one that is a score stays."""
    below = float(np.max(scores, where=scores <= value, initial=-np.inf))
    above = float(np.min(scores, where=scores > value, initial=np.inf))
    return shortest_cut(float(value), below, above)


def shortest_cuts(lower: FloatArray, upper: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the thresholds of `cut_points`, each by `shortest_cut`: those of rules that are written."""
    low, high = cut_points(lower, upper)
    gaps = zip(low[1:-1].tolist(), upper[:-1].tolist(), lower[1:].tolist(), strict=True)
    short = np.array([shortest_cut(*gap) for gap in gaps])
    same = low[1:-1] == high[1:-1]
    for cuts in (low, high):
        cuts[1:-1][same] = short[same]
    return low, high


def no_threshold() -> UndefinedError:
    """Build the error for neighbouring scores that no float separates."""
    return UndefinedError(
        "No threshold separates an infinite score from the largest finite float beside it. "
        "Hint: rescale the finite scores; only their order matters."
    )
