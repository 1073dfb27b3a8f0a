"""Bounds of the AUC when only one or a few points of the ROC curve are known.

A proper ROC curve (likelihood ratio as score) is concave. All concave curves through given
points have areas between a smallest and a largest one, and Mueller and Zhang (2006) take the
middle of the two for one point as an index of discriminability.

The points of a chain are ascending and concave: the first is (0, h), the last (f, 1), all others lie strictly
inside. Point i of the others gets a supporting line of slope m[i] between those of the chords
beside it; the curve of largest area is the lower envelope of these lines and of 1.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from demur._checks import check_rate_pairs, check_roc_points, input_error
from demur._results import Result, as_scalar
from demur.exceptions import UndefinedError
from demur.typing import ArrayLike, BoolArray, FloatArray, Scalar

__all__ = [
    "AucBounds",
    "RocPointIndex",
    "auc_bounds",
    "best_slopes",
    "envelope_area",
    "envelope_corners",
    "iso_discriminability",
    "roc_point_index",
]

# rates are rounded quotients of counts: points closer than this, or that much below a chord,
# cannot be told apart from equal ones, or from points on it
_TOLERANCE = 1e-12


# ---------------------------------------------------------------- one point, many times


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class RocPointIndex(Result):
    """What one ROC point says about discriminability; made by `roc_point_index`, elementwise.

    Attributes
    ----------
    lower, upper : float or array
        Smallest and largest area under a proper ROC curve through the point.
    index : float or array
        A, the middle of the two; the higher the better.
    grier : float or array
        A' of Pollack and Norman (1964) in the form of Grier (1971); NaN at (0, 0) and (1, 1).
    smith : float or array
        A'' of Smith (1995); NaN at (0, 0) and (1, 1).
    bias : float or array
        Slope of the curve of equal A at the point: above 1 few cases are called positive, below 1
        many. NaN below the diagonal and at (0, 0) and (1, 1).
    below_diagonal : bool or array
        Whether the values are those of the reversed decisions, taken from 1.
    """

    lower: Scalar
    upper: Scalar
    index: Scalar
    grier: Scalar
    smith: Scalar
    bias: Scalar
    below_diagonal: bool | BoolArray


def roc_point_index(fpr: ArrayLike, tpr: ArrayLike) -> RocPointIndex:
    """Index of discriminability A, its bounds and its rivals A' and A'' for single ROC points.

    The higher the better; 1/2 on the diagonal. Each pair is judged alone: use `auc_bounds` for
    several points of one curve. Assumes a proper (concave) curve. A point below the diagonal lies
    on no proper curve: its values are 1 minus those of the reversed decisions (tpr, fpr).

    Parameters
    ----------
    fpr, tpr : float or array in [0, 1]
        False and true positive rates; arrays broadcast.

    Returns
    -------
    RocPointIndex
        With `lower`, `upper`, `index`, `grier`, `smith`, `bias`, `below_diagonal`.

    Notes
    -----
    With F = fpr <= H = tpr: lower = (1 + H - F) / 2; upper = 1 - 2 F (1 - H) if F <= 1/2 <= H (not
    1 - 2 H (1 - F), as printed in proposition 5.1), 1 - F / (2 H) if H < 1/2, and
    1 - (1 - H) / (2 (1 - F)) if F > 1/2. A' averages two curves that are not extremal; A'' has the
    right upper bound only outside F < 1/2 < H.

    References
    ----------
    Mueller and Zhang (2006), "Upper and Lower Bounds of Area Under ROC Curves and Index of
    Discriminability of Classifier Performance", ROCML. Zhang and Mueller (2005), Psychometrika 70,
    doi:10.1007/s11336-003-1119-8. Grier (1971), Psychological Bulletin 75, doi:10.1037/h0031246.
    Smith (1995), Journal of Mathematical Psychology 39, doi:10.1006/jmps.1995.1007.

    Examples
    --------
    Which of two observers with one yes/no result each is better? A' errs:

    >>> from demur.roc import roc_point_index
    >>> observers = roc_point_index([0.1, 0.2], [0.4, 0.57])
    >>> observers.index.round(3).tolist(), observers.grier.round(3).tolist()
    ([0.762, 0.756], [0.771, 0.778])
    """
    given_f, given_h = check_rate_pairs(fpr=fpr, tpr=tpr)
    below = given_f > given_h
    f, h = np.minimum(given_f, given_h), np.maximum(given_f, given_h)
    # A+ of Mueller and Zhang (2006), prop. 5.1, first case corrected to 1 - 2 F (1 - H); (0, 0) and (1, 1)
    # lie on every curve, also on the perfect one
    from_origin, to_corner = 1 - _ratio(f, 2 * h, 0.0), 1 - _ratio(1 - h, 2 * (1 - f), 0.0)
    upper = np.where(h < 0.5, from_origin, np.where(f > 0.5, to_corner, 1 - 2 * f * (1 - h)))
    lower = (1 + h - f) / 2
    # the triangles the curves through (0, 0) and p, and through p and (1, 1), add to the inner area
    above = _ratio((h - f) * (1 - h), 2 * h, np.nan)
    right_of = _ratio(f * (h - f), 2 * (1 - f), np.nan)
    grier, smith = lower + (above + right_of) / 2, lower + np.maximum(above, right_of) / 2
    low = _ratio(h * h + h, h * h + f, np.nan)
    high = _ratio((1 - f) ** 2 + 1 - h, (1 - f) ** 2 + 1 - f, np.nan)
    bias = np.where(h < 0.5, low, np.where(f > 0.5, high, (5 - 4 * h) / (1 + 4 * f)))
    flipped = np.where(below, 1 - upper, lower), np.where(below, 1 - lower, upper)
    return RocPointIndex(
        lower=as_scalar(flipped[0]),
        upper=as_scalar(flipped[1]),
        index=as_scalar(np.asarray((flipped[0] + flipped[1]) / 2)),
        grier=as_scalar(np.where(below, 1 - grier, grier)),
        smith=as_scalar(np.where(below, 1 - smith, smith)),
        bias=as_scalar(np.where(below, np.nan, bias)),
        below_diagonal=bool(below) if below.ndim == 0 else below,
    )


def _ratio(numerator: FloatArray, denominator: FloatArray, otherwise: float) -> FloatArray:
    """Quotient, with `otherwise` where it is 0 / 0."""
    safe = np.where(denominator == 0, 1.0, denominator)
    return np.where(denominator == 0, otherwise, numerator / safe)


def iso_discriminability(index: ArrayLike, fpr: ArrayLike) -> Scalar:
    """Return the true positive rate at which the index A takes a given value, in closed form.

    NaN where every point with this false positive rate has a smaller index. These are the
    curves of figure 4 in Mueller and Zhang (2006); `bias` of `roc_point_index` is their slope.

    Parameters
    ----------
    index : float or array in [1/2, 1]
        Value of A.
    fpr : float or array in [0, 1]
        False positive rate.

    Examples
    --------
    Which true positive rate makes up for twice the false alarms?

    >>> from demur.roc import iso_discriminability, roc_point_index
    >>> level = roc_point_index(0.1, 0.6).index
    >>> round(iso_discriminability(level, 0.2), 4)
    0.7444
    """
    a, f = check_rate_pairs(index=index, fpr=fpr)
    if np.any(a < 0.5):
        raise input_error("index", "must be at least 1/2", float(a.min()), "proper curves start there.")
    corner = (4 * a - 3 + 5 * f) / (1 + 4 * f)
    rest = 4 * a - 3 + f
    left = (rest + np.sqrt(rest * rest + 4 * f)) / 2
    right = (rest * (1 - f) + 1) / (2 - f)
    tpr = np.where(f > 0.5, right, np.where(corner >= 0.5, corner, left))
    # tpr <= 1 is rest <= 1 in all three cases; the diagonal (a = 1/2) and tpr = 1 up to rounding
    return as_scalar(np.where(rest <= 1 + _TOLERANCE, np.clip(tpr, f, 1), np.nan))


# ---------------------------------------------------------------- all points of one curve


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class AucBounds(Result):
    """Areas of all proper ROC curves through given points; made by `auc_bounds`.

    Attributes
    ----------
    lower, upper : float
        Smallest and largest AUC.
    index : float
        The middle of the two; A for one point. The higher the better.
    grier, smith : float or None
        A' and A'' for one point; None for several, and where they are 0 / 0.
    fpr, tpr : array
        The points, ascending, without repetitions.
    lower_curve, upper_curve : array of shape (corners, 2)
        Corners (fpr, tpr) of the curves that reach the bounds.
    below_diagonal : bool
        Whether a single point lies below the diagonal and the reversed decisions were judged.
    """

    lower: float
    upper: float
    index: float
    grier: float | None
    smith: float | None
    fpr: FloatArray
    tpr: FloatArray
    lower_curve: FloatArray
    upper_curve: FloatArray
    below_diagonal: bool
    _told = ("lower", "upper", "points:fpr")


def auc_bounds(fpr: ArrayLike, tpr: ArrayLike) -> AucBounds:
    """Smallest and largest AUC of a proper ROC curve through one point or several.

    For published results with a few operating points and no scores. The bounds are about the
    missing rest of the curve, not about sampling error: the points are taken as exact. Assumes a
    proper (concave) ROC curve, which ranking by the likelihood ratio always gives.

    Parameters
    ----------
    fpr, tpr : float, or arrays of one length, in [0, 1]
        False and true positive rates of points of one curve, in any order.

    Returns
    -------
    AucBounds
        With `lower`, `upper`, `index`, the curves that reach them, and `grier`, `smith` for one
        point. One point below the diagonal is judged with reversed decisions (`below_diagonal`).

    Raises
    ------
    UndefinedError
        If no proper curve passes through all points: the chord slopes must not increase.

    Notes
    -----
    The smallest area is that of the polygon through the points. The largest one belongs to the
    lower envelope of one line per point; each point bisects its edge unless the edge is a chord
    between neighbours. Both are exact. (0, 0) and (1, 1) lie on every curve and add nothing.

    References
    ----------
    Mueller and Zhang (2006), "Upper and Lower Bounds of Area Under ROC Curves and Index of
    Discriminability of Classifier Performance", ROCML. Zhang and Mueller (2005), Psychometrika 70,
    doi:10.1007/s11336-003-1119-8.

    Examples
    --------
    A paper reports three operating points. Is its claim of an AUC of 0.80 possible?

    >>> from demur import auc_bounds
    >>> bounds = auc_bounds([0.1, 0.3, 0.6], [0.4, 0.7, 0.9])
    >>> f"between {bounds.lower:.2f} and {bounds.upper:.2f}: no"
    'between 0.75 and 0.78: no'
    >>> auc_bounds(0.2, 0.6)
    AucBounds(lower=0.7, upper=0.84, points=1)
    """
    points = check_roc_points(fpr, tpr)
    single = roc_point_index(*points[0]) if len(points) == 1 else None
    below = single is not None and bool(single.below_diagonal)
    x, y = _chain(points[:, ::-1] if below else points)
    slopes = best_slopes(x, y)
    corners = np.column_stack([np.concatenate([[0.0], x, [1.0]]), np.concatenate([[0.0], y, [1.0]])])
    smallest, largest = np.unique(corners, axis=0), envelope_corners(x, y, slopes)
    if single is None:
        lower, upper = float(np.trapezoid(smallest[:, 1], smallest[:, 0])), envelope_area(x, y, slopes)
    else:
        lower, upper = float(single.lower), float(single.upper)
    if below:  # mirrored in the diagonal, the largest area becomes the smallest
        smallest, largest = largest[:, ::-1].copy(), smallest[:, ::-1].copy()
    rivals = (math.nan, math.nan) if single is None else (single.grier, single.smith)
    grier, smith = (None if np.isnan(rival) else float(rival) for rival in rivals)
    return AucBounds(
        lower=lower,
        upper=upper,
        index=(lower + upper) / 2,
        grier=grier,
        smith=smith,
        fpr=points[:, 0].copy(),
        tpr=points[:, 1].copy(),
        lower_curve=smallest,
        upper_curve=largest,
        below_diagonal=below,
    )


def _chain(points: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The points between the highest with fpr 0 and the leftmost with tpr 1, checked to be concave.

    Points on the left and upper border only move the ends: a vertical rise from (0, 0) and a level
    run to (1, 1) pass through all of them.
    """
    f, h = points[:, 0], points[:, 1]
    start = h[f <= _TOLERANCE].max(initial=0.0)
    stop = f[h >= 1 - _TOLERANCE].min(initial=1.0)
    inner = points[(f > _TOLERANCE) & (h < 1 - _TOLERANCE)]
    # the chord between two roundings of one point has no meaning
    repeated = np.all(np.abs(np.diff(inner, axis=0)) <= _TOLERANCE, axis=1)
    inner = inner[np.append(True, ~repeated)[: len(inner)]]
    x = np.concatenate([[0.0], inner[:, 0], [stop]])
    y = np.concatenate([[start], inner[:, 1], [1.0]])
    _require_concave(x, y)
    return x, y


def _require_concave(x: FloatArray, y: FloatArray) -> None:
    if len(x) == 2:
        return
    for at in np.flatnonzero(x[1:-1] - y[1:-1] > _TOLERANCE) + 1:
        raise _no_curve(
            f"{_shown(x, y, at)}, which lies below the diagonal",
            "swap fpr and tpr if the decisions are reversed.",
        )
    width = np.diff(x)
    for at in np.flatnonzero(width <= _TOLERANCE):
        raise _no_curve(
            f"{_shown(x, y, at)} and {_shown(x, y, at + 1)}",
            "right of fpr 0 a concave curve has one tpr for each fpr, and it does not fall.",
        )
    chord = (y[:-2] * width[1:] + y[2:] * width[:-1]) / (width[:-1] + width[1:])
    for at in np.flatnonzero(chord - y[1:-1] > _TOLERANCE) + 1:
        raise _no_curve(
            f"{_shown(x, y, at - 1)}, {_shown(x, y, at)} and {_shown(x, y, at + 1)}",
            "the middle one lies below the chord; pass the convex hull only (RocCurve.convex_hull).",
        )


def _shown(x: FloatArray, y: FloatArray, at: Any) -> str:
    return f"({x[at]:g}, {y[at]:g})"


def _no_curve(where: str, hint: str) -> UndefinedError:
    return UndefinedError(f"No proper (concave) ROC curve passes through {where}. Hint: {hint}")


_Point = tuple[float, float]


def best_slopes(x: FloatArray, y: FloatArray) -> FloatArray:
    """Return the slopes of the supporting lines of the curve with the largest area.

    Optimal means: each point bisects its edge of the envelope, unless its slope is that of a
    chord (for one point: Mueller and Zhang 2006, prop. 5.1, t1 = t2). Walking from the left, the
    corner between lines i and i + 1 can therefore only lie on a known monotone polyline, the path
    of i: the path of i - 1 reflected in point i as far as it stays above chord i, then straight on
    along chord i - 1. The path of the last point meets the height 1 in the last corner. Finite
    and exact; ascent in one slope at a time can stop short of the maximum, where two neighbours
    share a chord and only a move of both gains.
    """
    if len(x) == 2:
        return np.empty(0)
    points: list[_Point] = list(zip(x.tolist(), y.tolist(), strict=True))
    # rounding may leave three points in line slightly convex; height 1 is the line after the last
    falling = np.maximum.accumulate((np.diff(y) / np.diff(x))[::-1])[::-1]
    chords: list[float] = [*falling.tolist(), 0.0]
    path, direction = [points[0]], (0.0, 1.0)
    stops, turns = [points[0]], [(math.inf, math.inf)]
    for i in range(1, len(points)):
        kept, stop = _path_to_line(path, direction, points[i], chords[i])
        stops.append(stop)
        if i == len(points) - 1:
            break
        (px, py), beyond = points[i], points[i + 1]
        if 2 * px - stop[0] >= beyond[0]:
            # longer on the left than the whole chord on the right: the line is chord i
            path, turn = [beyond], (math.inf, math.inf)
        else:
            path = [(2 * px - u, 2 * py - v) for u, v in reversed([*kept, stop])]
            turn = path[-1]
        turns.append(turn)
        direction = (1.0, chords[i - 1])
    return _slopes_back(points, chords, stops, turns)


def _path_to_line(
    path: list[_Point], direction: _Point, point: _Point, slope: float
) -> tuple[list[_Point], _Point]:
    """Part of the path before it meets the line of `slope` through `point`, and where it does."""

    def height(at: _Point) -> float:
        return at[1] - point[1] - slope * (at[0] - point[0])

    before = height(path[0])
    if before >= 0:
        return [], path[0]
    for k in range(1, len(path)):
        after = height(path[k])
        if after >= 0:
            share = before / (before - after)
            (u, v), (s, t) = path[k - 1], path[k]
            return path[:k], (u + share * (s - u), v + share * (t - v))
        before = after
    (u, v), climb = path[-1], direction[1] - slope * direction[0]
    if climb * (point[0] - u) <= -before * direction[0]:
        # three points in line: the path runs along the line, and rounding says where they meet
        return path, point
    far = -before / climb
    return path, (u + far * direction[0], v + far * direction[1])


def _slopes_back(
    points: list[_Point], chords: list[float], stops: list[_Point], turns: list[_Point]
) -> FloatArray:
    """Walk back from the last corner; element i of `stops` is the corner left of i if i takes chord i."""
    slopes = [0.0] * len(points)
    corner, i = stops[-1], len(points) - 2
    while i >= 1:
        (px, py), turn = points[i], turns[i]
        if corner[0] >= turn[0] and corner[1] >= turn[1]:
            # straight on along chord i - 1, which the neighbour then shares
            slopes[i] = slopes[i - 1] = chords[i - 1]
            corner, i = stops[i - 1], i - 2
        elif math.isinf(turn[0]):
            slopes[i], corner, i = chords[i], stops[i], i - 1
        else:
            rise = (corner[1] - py) / (corner[0] - px) if corner[0] > px else chords[i - 1]
            slopes[i] = min(max(rise, chords[i]), chords[i - 1])
            corner, i = (2 * px - corner[0], 2 * py - corner[1]), i - 1
    return np.array(slopes[1:-1])


def _gaps(
    x: FloatArray, y: FloatArray, slopes: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Width and mean height between inner neighbours, and both lines' slopes against the chord's."""
    width = np.diff(x[1:-1])
    chord = np.diff(y[1:-1]) / width
    # never negative but for rounding
    a, b = np.maximum(slopes[:-1] - chord, 0), np.maximum(chord - slopes[1:], 0)
    return width, (y[1:-2] + y[2:-1]) / 2, a, b


def envelope_area(x: FloatArray, y: FloatArray, slopes: FloatArray) -> float:
    """Area under the lower envelope of the supporting lines and of 1."""
    if len(slopes) == 0:
        return 1.0
    width, middle, a, b = _gaps(x, y, slopes)
    both = a + b
    peak = np.divide(a * b, both, out=np.zeros_like(both), where=both > 0)
    left = x[1] * y[1] - slopes[0] * x[1] ** 2 / 2
    right = (1 - x[-2]) - (1 - y[-2]) ** 2 / (2 * slopes[-1])
    return float(left + np.sum(width * middle + width**2 / 2 * peak) + right)


def envelope_corners(x: FloatArray, y: FloatArray, slopes: FloatArray) -> FloatArray:
    """Corners of the envelope as rows (x, y), from (0, 0) to (1, 1)."""
    if len(slopes) == 0:
        return np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    width, _, a, b = _gaps(x, y, slopes)
    both = a + b
    share = np.divide(b, both, out=np.ones_like(both), where=both > 0)
    corner_x = x[1:-2] + share * width
    corner_y = y[1:-2] + slopes[:-1] * share * width
    first = [[0.0, 0.0], [0.0, y[1] - slopes[0] * x[1]]]
    last = [[x[-2] + (1 - y[-2]) / slopes[-1], 1.0], [1.0, 1.0]]
    return np.vstack([first, np.column_stack([corner_x, corner_y]), last])
