"""Flat pieces of 3-D figures of surfaces: exact cells, or a lattice where there are too many."""

import math
from itertools import pairwise
from typing import Any

import numpy as np

from demur._kernels.polygons import areas, clip
from demur.surface.regions import SurfaceCells
from demur.surface.surface import AbstentionSurface
from demur.surface.window import AbstentionWindow
from demur.typing import FloatArray, Range

__all__ = ["MOST_TILES", "bands", "cell_of", "sheets_of", "square", "tiles_of", "walls_between"]

# Beyond this many cells, each smaller than a pixel or two, figures use a lattice of squares.
MOST_TILES = 3000
_LATTICE = 48


def tiles_of(surface: AbstentionSurface, mu: Range, nu: Range) -> SurfaceCells | list[FloatArray]:
    """The exact cells, or squares of a lattice where there are too many cells to tell apart."""
    if surface.n_cells <= MOST_TILES:
        return surface.cells(mu, nu)
    x, y = np.linspace(*mu, _LATTICE + 1), np.linspace(*nu, _LATTICE + 1)
    return [square(left, right, low, high) for left, right in pairwise(x) for low, high in pairwise(y)]


def bands(cells: SurfaceCells, levels: FloatArray) -> list[FloatArray]:
    """Cut the cells along lines of equal cost, so that one colour per piece is right to a band."""
    width = max(len(polygon) for polygon in cells.polygons)
    batch = np.stack([_padded(polygon, width) for polygon in cells.polygons])
    plane = cells.fp, cells.abstention_rate, cells.fn
    by_mu, by_nu, constant = plane
    height = by_mu[:, None] * batch[..., 0] + by_nu[:, None] * batch[..., 1] + constant[:, None]
    pieces: list[FloatArray] = []
    for number, (low, high) in enumerate(pairwise(levels)):
        high = math.inf if number == len(levels) - 2 else high
        hit = (height.min(axis=1) < high) & (height.max(axis=1) >= low)
        a, b, c = (column[hit] for column in plane)
        part = clip(batch[hit], -a, -b, low - c)
        part = part if math.isinf(high) else clip(part, a, b, c - high)
        pieces.extend(part[areas(part) > 0])
    return pieces


def _padded(polygon: FloatArray, width: int) -> FloatArray:
    """Repeat the last vertex, as the polygon kernels want it."""
    return np.vstack([polygon, np.repeat(polygon[-1:], width - len(polygon), axis=0)])


def cell_of(tiles: SurfaceCells | list[FloatArray], window: AbstentionWindow) -> FloatArray | None:
    """The polygon in which `window` is optimal, if it is one of the exact cells shown."""
    if isinstance(tiles, list):
        return None
    same = (tiles.lower_index == window.lower_index) & (tiles.upper_index == window.upper_index)
    return tiles.polygons[int(np.argmax(same))] if same.any() else None


def sheets_of(
    surface: AbstentionSurface, mu: Range, nu: Range
) -> dict[str, tuple[list[FloatArray], list[float]]]:
    """Flat pieces and their thresholds: lower and upper where abstaining pays, the single one everywhere."""
    tiles = tiles_of(surface, mu, nu)
    if isinstance(tiles, list):
        windows = [surface.window(*corners.mean(axis=0).tolist()) for corners in tiles]
        rows = [
            (corners, w.lower, w.upper) for corners, w in zip(tiles, windows, strict=True) if not w.is_empty
        ]
    else:
        wide = np.flatnonzero(tiles.lower_index < tiles.upper_index)
        rows = [(tiles.polygons[k], float(tiles.lower[k]), float(tiles.upper[k])) for k in wide]
    polygons = [polygon for polygon, _, _ in rows]
    return {
        "no abstention": _zero_sheet(surface, mu, nu),
        "lower": (polygons, [low for _, low, _ in rows]),
        "upper": (polygons, [high for _, _, high in rows]),
    }


def _zero_sheet(surface: AbstentionSurface, mu: Range, nu: Range) -> tuple[list[FloatArray], list[float]]:
    """Strips of mu with one best threshold if nobody may abstain; it changes at mu = r / (1 - r)."""
    shares = surface.shares[surface.shares < 1]
    turns = np.unique(shares / (1 - shares))
    ends = np.concatenate([[mu[0]], turns[(turns > mu[0]) & (turns < mu[1])], [mu[1]]])
    # cut across as well: faces are sorted by the depth of their middle, which long ones get wrong
    across = np.linspace(*nu, 9)
    pieces: list[FloatArray] = []
    cuts: list[float] = []
    for left, right in pairwise(ends):
        cut = surface.window(float(left + right) / 2, math.inf).lower
        for low, high in pairwise(across):
            pieces.append(square(left, right, low, high))
            cuts.append(cut)
    return pieces, cuts


def square(left: float, right: float, low: float, high: float) -> FloatArray:
    """Corners of a rectangle, in order."""
    return np.array([(left, low), (right, low), (right, high), (left, high)])


def walls_between(
    polygons: list[FloatArray], heights: list[FloatArray]
) -> tuple[list[FloatArray], list[FloatArray]]:
    """Upright pieces between flat neighbours: where two share an edge at different heights."""
    height_at: dict[Any, float] = {}
    walls: list[FloatArray] = []
    rises: list[FloatArray] = []
    for polygon, height in zip(polygons, heights, strict=True):
        for start, stop in zip(polygon, np.roll(polygon, -1, axis=0), strict=True):
            # neighbours compute their common corners apart, hence the rounding
            edge = frozenset((tuple(np.round(start, 9)), tuple(np.round(stop, 9))))
            neighbour = height_at.setdefault(edge, float(height[0]))
            if neighbour != height[0]:
                walls.append(np.array([start, stop, stop, start]))
                rises.append(np.array([height[0], height[0], neighbour, neighbour]))
    return walls, rises
