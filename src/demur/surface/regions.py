"""Where in the space of costs: optimal cells of one surface, the cheapest of several."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from demur._kernels.polygons import areas, cell_batches, clip, extremes, plane_integrals
from demur._results import Result
from demur.surface.masses import SurfaceMasses
from demur.surface.review import ReviewPrices
from demur.typing import FloatArray, IntArray, Range

__all__ = [
    "SurfaceCells",
    "cheaper_within",
    "cheapest_shares",
    "compared_areas",
    "surface_cells",
    "without_repeats",
]

# Planes of two surfaces that differ by less in every coefficient are the same plane
# (masses sum to 1, so this is relative to the whole data).
_SAME_PLANE = 1e-12


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class SurfaceCells(Result):
    """Convex polygons of (mu, nu), each with the one window that is optimal inside.

    Attributes
    ----------
    lower_index, upper_index : array
        Element c: number of distinct scores below the window of cell c, and below or inside it.
    lower, upper : array
        Element c: its thresholds.
    fn, fp, abstention_rate : array
        Element c: coefficients of its plane, cost = fn + mu fp + nu abstention_rate.
    area : array
        Element c: area of the cell inside the rectangle.
    polygons : tuple of arrays
        Element c: vertices (mu, nu) of the cell, in order.
    """

    lower_index: IntArray
    upper_index: IntArray
    lower: FloatArray
    upper: FloatArray
    fn: FloatArray
    fp: FloatArray
    abstention_rate: FloatArray
    area: FloatArray
    polygons: tuple[FloatArray, ...]

    def __len__(self) -> int:
        return len(self.area)


def surface_cells(masses: SurfaceMasses, mu: Range, nu: Range) -> SurfaceCells:
    """Collect the cells of one surface; no checks."""
    shares = masses.mixed_shares
    cuts = np.concatenate([[0.0], shares])
    m = masses.blocks
    columns: list[tuple[FloatArray | IntArray, ...]] = []
    polygons: list[FloatArray] = []
    for i, j, batch, area in cell_batches(shares, mu, nu):
        fn, fp, rate, low, high = masses.plane(cuts, i, j)
        places = m.groups_below[low], m.groups_below[high], m.lower_cut[low], m.upper_cut[high]
        columns.append((*places, fn, fp, rate, area))
        polygons.extend(without_repeats(polygon) for polygon in batch)
    joined = [np.concatenate(column) for column in zip(*columns, strict=True)]
    names = ("lower_index", "upper_index", "lower", "upper", "fn", "fp", "abstention_rate", "area")
    return SurfaceCells(**dict(zip(names, joined, strict=True)), polygons=tuple(polygons))


def without_repeats(polygon: FloatArray) -> FloatArray:
    """Drop vertices that equal the one before."""
    return polygon[np.any(polygon != np.roll(polygon, 1, axis=0), axis=1)]


def compared_areas(
    first: SurfaceMasses, second: SurfaceMasses, mu: Range, nu: Range, prices: ReviewPrices
) -> dict[str, Any]:
    """Split the rectangle along the zero line of first - second; no checks. See `SurfaceDifference`.

    On every cell of the overlay the difference is one plane; clipping the cell by the sign of
    the plane gives exact areas and volumes, and its largest values are at corners.
    """
    shares = np.union1d(first.mixed_shares, second.mixed_shares)
    cuts, total = np.concatenate([[0.0], shares]), np.zeros(5)
    largest: dict[str, tuple[float, Any]] = {"largest_gain": (0.0, None), "largest_loss": (0.0, None)}
    for i, j, polygons, area in cell_batches(shares, mu, nu, prices.coefficients):
        planes = first.plane(cuts, i, j, prices)[:3], second.plane(cuts, i, j, prices)[:3]
        # masses are summed per surface first, so that identical models cancel exactly
        constant, by_mu, by_nu = (one - other for one, other in zip(*planes, strict=True))
        same = np.abs(constant) + np.abs(by_mu) + np.abs(by_nu) < _SAME_PLANE
        a, b, c, cells = by_mu[~same], by_nu[~same], constant[~same], polygons[~same]
        below, above = clip(cells, a, b, c), clip(cells, -a, -b, -c)
        total += [
            areas(below).sum(),
            areas(above).sum(),
            area[same].sum(),
            -plane_integrals(below, a, b, c).sum(),
            plane_integrals(above, a, b, c).sum(),
        ]
        heights = c[:, None] + a[:, None] * cells[..., 0] + b[:, None] * cells[..., 1]
        for name, sign in zip(largest, (-1.0, 1.0), strict=True):
            if heights.size and sign * heights.flat[(place := (sign * heights).argmax())] > largest[name][0]:
                at = cells.reshape(-1, 2)[place]
                largest[name] = float(sign * heights.flat[place]), (float(at[0]), float(at[1]))
    names = ("better_area", "worse_area", "equal_area", "gain", "loss")
    found = dict(zip(names, np.maximum(total, 0.0).tolist(), strict=True))
    return {**found, **{name: value for name, (value, _) in largest.items()}} | {
        f"{name}_at": at for name, (_, at) in largest.items()
    }


def cheaper_within(
    first: SurfaceMasses, second: SurfaceMasses, mu: Range, nu: Range, prices: ReviewPrices
) -> tuple[tuple[Range, Range] | None, tuple[Range, Range] | None]:
    """Bound the costs at which the first is cheaper, and the second, by the smallest rectangles; no checks.

    Exact, from the corners of the overlay; None where one is cheaper nowhere.
    """
    shares = np.union1d(first.mixed_shares, second.mixed_shares)
    cuts, smallest = np.concatenate([[0.0], shares]), _SAME_PLANE * (mu[1] - mu[0]) * (nu[1] - nu[0])
    corners: tuple[list[FloatArray], list[FloatArray]] = ([], [])
    for i, j, polygons, _ in cell_batches(shares, mu, nu, prices.coefficients):
        gap = np.stack(first.plane(cuts, i, j, prices)[:3]) - np.stack(second.plane(cuts, i, j, prices)[:3])
        for sign, found in zip((1.0, -1.0), corners, strict=True):
            constant, by_mu, by_nu = sign * gap
            part = clip(polygons, by_mu, by_nu, constant)
            own = (areas(part) > smallest) & (np.abs(gap).sum(axis=0) >= _SAME_PLANE)
            found += [part[own].min(axis=(0, 1)), part[own].max(axis=(0, 1))] if own.any() else []
    one, two = (_rectangle(np.array(found)) if found else None for found in corners)
    return one, two


def _rectangle(corners: FloatArray) -> tuple[Range, Range]:
    low, high = corners.min(axis=0).tolist(), corners.max(axis=0).tolist()
    return (low[0], high[0]), (low[1], high[1])


def cheapest_shares(surfaces: Sequence[SurfaceMasses], mu: Range, nu: Range) -> FloatArray:
    """Share of a rectangle of costs at which each surface is below all others; no checks.

    Costs at which several are equally cheap (where everybody abstains, say) count for none of
    them. On a cell of the common overlay every surface is one plane, so its share of the cell is
    what is left after clipping by the sign of the difference to each other plane.
    """
    shares = np.unique(np.concatenate([surface.mixed_shares for surface in surfaces]))
    cuts = np.concatenate([[0.0], shares])
    won = np.zeros(len(surfaces))
    for i, j, polygons, area in cell_batches(shares, mu, nu):
        planes = [np.stack(surface.plane(cuts, i, j)[:3]) for surface in surfaces]
        ends = {}
        for one, other in combinations(range(len(planes)), 2):
            constant, by_mu, by_nu = gap = planes[one] - planes[other]
            # of a plane on a polygon both are at corners, and both are 0 where the planes are the same
            least, largest = extremes(
                constant + by_mu * mu_at + by_nu * nu_at for mu_at, nu_at in polygons.transpose(1, 2, 0)
            )
            differ = np.abs(gap).sum(axis=0) >= _SAME_PLANE
            least, largest = np.where(differ, least, 0.0), np.where(differ, largest, 0.0)
            ends[one, other], ends[other, one] = (least, largest), (-largest, -least)
        for model, plane in enumerate(planes):
            others = [other for other in range(len(planes)) if other != model]
            somewhere = np.all([ends[model, other][0] < 0 for other in others], axis=0)
            everywhere = np.all([ends[model, other][1] <= 0 for other in others], axis=0)
            crossed = np.flatnonzero(somewhere & ~everywhere)
            cells = polygons[crossed]
            for other in others:
                constant, by_mu, by_nu = (plane - planes[other])[:, crossed]
                cells = clip(cells, by_mu, by_nu, constant)
            won[model] += float(area[somewhere & everywhere].sum() + areas(cells).sum())
    return won / ((mu[1] - mu[0]) * (nu[1] - nu[0]))
