"""Many convex polygons at once: clipping by a half-plane, area, integral of a plane.

A batch is an array of shape (polygons, vertices, 2); polygons with fewer vertices repeat
their last one, which changes neither area nor integral. An empty polygon is all one point.
"""

from collections.abc import Iterable

import numpy as np

from demur.typing import BoolArray, FloatArray

__all__ = ["areas", "clip", "clip_to_rectangle", "extremes", "plane_integrals", "sides_of_rectangle"]


def clip(polygons: FloatArray, a: FloatArray, b: FloatArray, c: FloatArray) -> FloatArray:
    """Keep the part of polygon k with a[k] x + b[k] y + c[k] <= 0 (Sutherland-Hodgman)."""
    side = a[:, None] * polygons[..., 0] + b[:, None] * polygons[..., 1] + c[:, None]
    following = np.roll(polygons, -1, axis=1)
    next_side = np.roll(side, -1, axis=1)
    inside = side <= 0
    crossing = inside != (next_side <= 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        share = np.where(crossing, side / (side - next_side), 0.0)
    hits = polygons + share[..., None] * (following - polygons)

    count, width = side.shape
    # every edge may emit its start and its crossing: interleave, then close the gaps
    emitted = np.stack([inside, crossing], axis=2).reshape(count, 2 * width)
    points = np.stack([polygons, hits], axis=2).reshape(count, 2 * width, 2)
    order = np.argsort(~emitted, axis=1, kind="stable")[:, : width + 1]
    packed = np.take_along_axis(points, order[..., None], axis=1)
    last = np.maximum(emitted.sum(axis=1) - 1, 0)
    filler = np.take_along_axis(packed, last[:, None, None], axis=1)
    return np.where((np.arange(width + 1) <= last[:, None])[..., None], packed, filler)


def sides_of_rectangle(
    polygons: FloatArray, x: tuple[float, float], y: tuple[float, float]
) -> tuple[BoolArray, BoolArray]:
    """Tell which polygons lie inside [x0, x1] x [y0, y1] and which reach in from outside."""
    low, high = extremes(polygons.transpose(1, 0, 2))
    inside = (low[:, 0] >= x[0]) & (high[:, 0] <= x[1]) & (low[:, 1] >= y[0]) & (high[:, 1] <= y[1])
    outside = (high[:, 0] <= x[0]) | (low[:, 0] >= x[1]) | (high[:, 1] <= y[0]) | (low[:, 1] >= y[1])
    return inside, ~(inside | outside)


def extremes(corners: Iterable[FloatArray]) -> tuple[FloatArray, FloatArray]:
    """Smallest and largest element over a few arrays: column by column, as their axis is short."""
    first, *rest = corners
    low, high = first.copy(), first.copy()
    for corner in rest:
        np.minimum(low, corner, out=low)
        np.maximum(high, corner, out=high)
    return low, high


def clip_to_rectangle(polygons: FloatArray, x: tuple[float, float], y: tuple[float, float]) -> FloatArray:
    """Keep the part of every polygon inside [x0, x1] x [y0, y1]."""
    one, zero = np.ones(len(polygons)), np.zeros(len(polygons))
    polygons = clip(polygons, one, zero, -x[1] * one)
    polygons = clip(polygons, -one, zero, x[0] * one)
    polygons = clip(polygons, zero, one, -y[1] * one)
    return clip(polygons, zero, -one, y[0] * one)


def _fan(polygons: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Signed area and centroid of the triangles (vertex 0, i, i + 1)."""
    origin = polygons[:, :1]
    first, second = polygons[:, 1:-1] - origin, polygons[:, 2:] - origin
    return _signed(first, second), origin + (first + second) / 3


def _signed(first: FloatArray, second: FloatArray) -> FloatArray:
    """Signed area of the triangles of two sides from one vertex."""
    signed: FloatArray = (first[..., 0] * second[..., 1] - first[..., 1] * second[..., 0]) / 2
    return signed


def areas(polygons: FloatArray) -> FloatArray:
    """Area of every polygon."""
    origin, first, *others = (polygons[:, vertex] for vertex in range(polygons.shape[1]))
    side, total = first - origin, np.zeros(len(polygons))
    for vertex in others:
        following = vertex - origin
        total += _signed(side, following)
        side = following
    return np.abs(total)


def plane_integrals(polygons: FloatArray, a: FloatArray, b: FloatArray, c: FloatArray) -> FloatArray:
    """Integral of a[k] x + b[k] y + c[k] over polygon k: exact, triangle by triangle."""
    signed, centre = _fan(polygons)
    height = a[:, None] * centre[..., 0] + b[:, None] * centre[..., 1] + c[:, None]
    total = (signed * height).sum(axis=1)
    return np.asarray(np.where(signed.sum(axis=1) < 0, -total, total))
