"""Colour maps over the relative costs (mu, nu): axes, columns, and where abstaining stops paying."""

from typing import Any

import numpy as np

from demur._checks import check_range, input_error
from demur.displays.base import SEQUENTIAL_CMAP
from demur.surface.surface import SurfaceGrid
from demur.typing import FloatArray, Range

__all__ = [
    "MAP_COLUMNS",
    "NU_WORDS",
    "SHORT_MU",
    "SHORT_NU",
    "draw_lemma",
    "draw_map",
    "map_values",
    "rectangle",
]

NU_WORDS = r"relative cost of abstaining, $\nu$"
# for small maps and for 3-D axes, whose labels meet in a corner
SHORT_MU, SHORT_NU = r"false alarm cost, $\mu$", r"abstention cost, $\nu$"
# what is coloured -> (words with unit, colour map)
MAP_COLUMNS = {
    "cost": ("expected cost per case (a miss costs 1)", SEQUENTIAL_CMAP),
    "abstention_rate": ("abstention rate (share of cases)", "Greys"),
    "lower": ("lower threshold (score)", "cividis"),
    "upper": ("upper threshold (score)", "cividis"),
}


def rectangle(mu: Any, nu: Any) -> tuple[Range, Range]:
    """Return the costs shown; without `nu` all for which abstaining can pay.

    Abstaining pays up to nu = mu / (1 + mu) (Friedel et al. 2006, lemma 1).
    """
    mu = check_range(mu, "mu")
    nu = (0.0, mu[1] / (1 + mu[1])) if nu is None else check_range(nu, "nu")
    for name, (low, high) in (("mu", mu), ("nu", nu)):
        if low == high:
            raise input_error(name, "must be a pair with low < high", (low, high))
    return mu, nu


def map_values(grid: SurfaceGrid, what: str, scores: Range) -> FloatArray:
    """Return a column of the grid; infinite thresholds move to the ends of the range of scores."""
    values = np.asarray(getattr(grid, what))
    return np.clip(values, *scores) if what in ("lower", "upper") else values


def draw_map(ax: Any, grid: SurfaceGrid, values: FloatArray, what: str, limits: Range) -> Any:
    """Colour one map; costs are continuous, all other columns jump at cell borders."""
    shading = "gouraud" if what == "cost" else "nearest"
    low, high = limits
    return ax.pcolormesh(
        grid.mu,
        grid.nu,
        values.T,
        shading=shading,
        cmap=MAP_COLUMNS[what][1],
        vmin=low,
        vmax=high if high > low else low + 1,
        rasterized=True,
    )


def draw_lemma(ax: Any, mu: Range, nu: Range) -> None:
    """Draw nu = mu / (1 + mu), above which abstaining never pays."""
    from matplotlib.patheffects import withStroke

    x = np.linspace(*mu, 201)
    halo = [withStroke(linewidth=3, foreground="white")]
    words = r"$\nu = \mu / (1 + \mu)$: above it abstaining never pays"
    ax.plot(x, x / (1 + x), color="black", lw=1.2, ls=(0, (5, 2)), path_effects=halo, label=words)
    ax.set(xlim=mu, ylim=nu)
