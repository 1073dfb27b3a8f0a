"""Flat pieces of 3-D figures of surfaces: exact cells, or a lattice where there are too many."""

import math
from itertools import pairwise

import numpy as np

from demur._kernels.polygons import areas, clip
from demur.surface.regions import SurfaceCells
from demur.surface.surface import AbstentionSurface
from demur.surface.window import AbstentionWindow
from demur.typing import FloatArray, Range

__all__ = ["MOST_TILES", "bands", "cell_of", "slice_of", "square", "tiles_of"]

# Beyond this many cells, each smaller than a pixel or two, figures use a lattice of squares.
MOST_TILES = 3000
_LATTICE = 48
_MOST_STEPS = 400


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


def slice_of(surface: AbstentionSurface, mu: float, nu: Range) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Steps of both thresholds along nu at one mu, where abstaining pays: nu, lower, upper.

    With r the share of positives of a block, the lower threshold moves at nu = r and the upper at
    nu = mu (1 - r).
    """
    shares = surface.shares
    turns = np.unique(np.concatenate([shares, mu * (1 - shares), nu]))
    turns = turns[(turns >= nu[0]) & (turns <= nu[1])]
    if len(turns) > _MOST_STEPS:
        turns = np.linspace(*nu, _MOST_STEPS)
    windows = [surface.window(mu, float(low + high) / 2) for low, high in pairwise(turns)]
    # windows shrink as nu grows: behind an empty one all are empty
    kept = next((k for k, each in enumerate(windows) if each.is_empty), len(windows))
    along = np.repeat(turns[: kept + 1], 2)[1:-1]
    lower = np.repeat([each.lower for each in windows[:kept]], 2)
    upper = np.repeat([each.upper for each in windows[:kept]], 2)
    return along, lower, upper


def square(left: float, right: float, low: float, high: float) -> FloatArray:
    """Corners of a rectangle, in order."""
    return np.array([(left, low), (right, low), (right, high), (left, high)])
