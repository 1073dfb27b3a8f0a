"""Extremal concave curves through given points of the unit square.

Points are ascending and concave: the first is (0, h), the last (f, 1), all others lie strictly
inside. Point i of the others gets a supporting line of slope m[i] between those of the chords
beside it; the curve of largest area is the lower envelope of these lines and of 1.
"""

import math

import numpy as np

from demur.typing import FloatArray

__all__ = ["best_slopes", "envelope_area", "envelope_corners"]

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
