"""Figures of abstention cost surfaces: maps, 3-D surface, plane of a window, thresholds, differences.

Friedel et al. (2006): the plane of a window is their figure 1a, the surface figure 1b, the rows of maps
figure 3.
"""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise
from typing import Any, Self

import numpy as np

from demur._checks import check_choice, check_positive_int, check_range, input_error
from demur._kernels.polygons import areas, clip
from demur.counts.window import AbstentionWindow
from demur.displays.base import (
    ABSTAIN_COLOR,
    ACCENT,
    DIFFERENCE_CMAP,
    MU_WORDS,
    NEGATIVE_COLOR,
    POSITIVE_COLOR,
    SEQUENTIAL_CMAP,
    PredictionDisplay,
    axes_table,
    score_range,
    threshold_words,
    two_names,
)
from demur.exceptions import InputError
from demur.surface.regions import SurfaceCells
from demur.surface.review import PLAIN, ReviewPrices
from demur.surface.surface import AbstentionSurface, SurfaceDifference, SurfaceGrid, abstention_surface
from demur.surface.window import decide, window_thresholds
from demur.typing import ArrayLike, FloatArray, Labels, Range

__all__ = ["AbstentionSurfaceDisplay", "SurfaceDifferenceDisplay", "SurfaceRowDisplay"]

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


def rectangle(mu: Any, nu: Any, review: ReviewPrices = PLAIN) -> tuple[Range, Range]:
    """Return the costs shown; without `nu` all for which abstaining can pay.

    Abstaining pays up to nu = mu / (1 + mu) (Friedel et al. 2006, lemma 1).
    """
    mu = check_range(mu, "mu")
    nu = (0.0, float(review.largest_nu(mu[1]))) if nu is None else check_range(nu, "nu")
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


def draw_lemma(ax: Any, mu: Range, nu: Range, review: ReviewPrices = PLAIN) -> None:
    """Draw the line above which abstaining never pays, nu = mu / (1 + mu) at plain prices."""
    from matplotlib.patheffects import withStroke

    x = np.linspace(*mu, 201)
    halo = [withStroke(linewidth=3, foreground="white")]
    words = "above it abstaining never pays"
    if review == PLAIN:
        words = rf"$\nu = \mu / (1 + \mu)$: {words}"
    ax.plot(x, review.largest_nu(x), color="black", lw=1.2, ls=(0, (5, 2)), path_effects=halo, label=words)
    ax.set(xlim=mu, ylim=nu)


# Beyond this many cells, each smaller than a pixel or two, figures use a lattice of squares.
MOST_TILES = 3000
_LATTICE = 48
_MOST_STEPS = 400


def tiles_of(
    surface: AbstentionSurface, mu: Range, nu: Range
) -> tuple[SurfaceCells | None, list[FloatArray]]:
    """Return the exact cells and their polygons, or squares of a lattice for cells too small to be seen."""
    if surface.n_cells <= MOST_TILES:
        cells = surface.cells(mu, nu)
        return cells, list(cells.polygons)
    x, y = np.linspace(*mu, _LATTICE + 1), np.linspace(*nu, _LATTICE + 1)
    return None, [square(left, right, low, high) for left, right in pairwise(x) for low, high in pairwise(y)]


def bands(cells: SurfaceCells, levels: FloatArray) -> list[FloatArray]:
    """Cut the cells along lines of equal cost, so that one colour per piece is right to a band."""
    width = max(len(polygon) for polygon in cells.polygons)
    # the polygon kernels want the last vertex repeated
    batch = np.stack([np.pad(one, ((0, width - len(one)), (0, 0)), mode="edge") for one in cells.polygons])
    plane = cells.fp, cells.abstention_rate, cells.fn
    by_mu, by_nu, constant = plane
    height = by_mu[:, None] * batch[..., 0] + by_nu[:, None] * batch[..., 1] + constant[:, None]
    pieces: list[FloatArray] = []
    for low, high in pairwise([*levels[:-1], math.inf]):
        hit = (height.min(axis=1) < high) & (height.max(axis=1) >= low)
        a, b, c = (column[hit] for column in plane)
        part = clip(batch[hit], -a, -b, low - c)
        part = part if math.isinf(high) else clip(part, a, b, c - high)
        pieces.extend(part[areas(part) > 0])
    return pieces


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


_KINDS = ("map", "surface", "plane", "thresholds")
# sheets of the figure of thresholds -> (words, colour)
_SHEETS = {
    "upper": ("upper threshold: positive above", POSITIVE_COLOR),
    "no abstention": ("single threshold without abstention (dashed)", "#555555"),
    "lower": ("lower threshold: negative below", NEGATIVE_COLOR),
}
_VIEW = {"zpad": 9, "elev": 24, "zoom": 0.9}
_MOST_BORDERS = 20000
_SLICES = 5
_BANDS = 16


def _window_words(window: AbstentionWindow) -> str:
    return f"window {threshold_words(window.lower)} to {threshold_words(window.upper)}"


def _require_shown(window: Any, costs: tuple[Range, Range] | None) -> None:
    """Require a window with one point (mu, nu), within the costs shown if they are given."""
    if not isinstance(window, AbstentionWindow):
        rule = "must be an AbstentionWindow for this kind, which marks its costs"
        raise input_error("window", rule, repr(window), "kind='plane' takes a pair (lower, upper).")
    if window.nu_positive != window.nu_negative:
        raise input_error("window", "must have one cost of abstaining for both classes", "two")
    at = (window.mu, window.nu_positive)
    if costs and not all(low <= x <= high for x, (low, high) in zip(at, costs, strict=True)):
        raise input_error(
            "window", "must be for costs the figure shows", f"mu {at[0]:g}, nu {at[1]:g}", "widen mu and nu."
        )


class AbstentionSurfaceDisplay(PredictionDisplay, of=AbstentionSurface, compute=abstention_surface):
    """The smallest expected cost over the relative costs (mu, nu); see `abstention_surface`.

    The lower the better. Colour maps are drawn from a grid of exact values; everything in 3-D from
    the exact polygons on which one window is optimal (from a lattice of squares if there are more
    than 3000 of them). Infinite thresholds are drawn at the ends of the range of the finite scores.

    Parameters
    ----------
    result : AbstentionSurface
        What to draw.

    Attributes
    ----------
    mesh_ : artist
        The coloured map, or the polygons of the 3-D figure.
    colorbar_ : colour bar, or None

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from demur.displays import AbstentionSurfaceDisplay
    >>> y = [0, 0, 1, 0, 1, 0, 0, 1, 1, 0, 1, 1]
    >>> s = [-0.9, -0.9, -0.5, -0.5, 0, 0, 0, 0.4, 0.4, 0.4, 0.8, 0.8]
    >>> display = AbstentionSurfaceDisplay.from_predictions(y, s).plot(resolution=4)
    >>> drawn = display.frame()
    >>> at = (drawn["mu"] == 1) & (drawn["nu"] == 0.25)
    >>> f"with free choice of the window a case costs {drawn['value'][at][0]:.3f}"
    'with free choice of the window a case costs 0.167'
    >>> plt.close(display.figure_)
    """

    def plot(
        self,
        ax: Any = None,
        *,
        kind: str = "map",
        what: str = "cost",
        mu: Range = (0.0, 1.0),
        nu: Range | None = None,
        resolution: int = 300,
        borders: bool = False,
        window: AbstentionWindow | tuple[float, float] | None = None,
    ) -> Self:
        """Draw the surface in one of four ways.

        Parameters
        ----------
        ax : matplotlib axes, optional
            New ones by default; three-dimensional for all kinds but "map".
        kind : {"map", "surface", "plane", "thresholds"}
            "map": colours over (mu, nu). "surface": the cost in 3-D. "plane": the plane of one
            window above the surface, which it touches where it is optimal. "thresholds": in 3-D,
            slices at five values of mu: the lower and the upper threshold along nu, the window
            between them, and the threshold without abstention.
        what : {"cost", "abstention_rate", "lower", "upper"}
            What the colours of a map mean.
        mu, nu : (low, high)
            The costs shown; by default nu ends where abstaining stops paying at the largest mu.
        resolution : int
            Steps of the grid of a map, each way.
        borders : bool
            Draw the exact borders between optimal windows; "thresholds" shows them as steps.
        window : AbstentionWindow or (lower, upper), optional
            Marked at its costs, which must be among those shown; a pair has none. For "plane" the
            window whose plane is drawn (by default the best one in the middle of the range).
        """
        check_choice(kind, "kind", _KINDS)
        check_choice(what, "what", tuple(MAP_COLUMNS))
        check_positive_int(resolution, "resolution")
        mu, nu = rectangle(mu, nu)
        most = _MOST_BORDERS if kind == "map" else MOST_TILES
        if borders and self.result.n_cells > most:
            raise InputError(
                f"`borders` needs a surface of at most {most} cells here, got {self.result.n_cells}. "
                "Hint: leave borders out; cells that small cannot be seen."
            )
        if kind == "plane" and window is not None and not isinstance(window, AbstentionWindow):
            lower, upper = window_thresholds(window)
            codes = decide(self.result.counts.scores, (lower, upper))
            # the window at the middle of the costs shown
            middle = (nu[0] + nu[1]) / 2
            window = AbstentionWindow.of_cuts(
                self.result.masses.scores,
                (int(np.count_nonzero(codes == 0)), int(np.count_nonzero(codes != 1))),
                mu=(mu[0] + mu[1]) / 2,
                nu_positive=middle,
                nu_negative=middle,
                prevalence=self.result.prevalence,
            )
            window = replace(window, lower=lower, upper=upper)
        if window is not None:
            _require_shown(window, None if kind == "plane" else (mu, nu))
        if kind == "map":
            self._begin(ax, size=(5.8, 4.8))
            return self._plot_map(what, mu, nu, resolution, borders=borders, window=window)
        if what != "cost":
            raise input_error(
                "what", f"must be left out for kind {kind!r}", repr(what), "it is for kind 'map'."
            )
        self._begin_3d(ax, size=(6.4, 5.0), rule="must be three-dimensional for this kind")
        self.colorbar_ = None
        draw = {"surface": self._plot_surface, "plane": self._plot_plane, "thresholds": self._plot_thresholds}
        draw[kind](mu, nu, borders=borders, window=window)
        return self

    # ---------------------------------------------------------------- colour map

    def _plot_map(
        self, what: str, mu: Range, nu: Range, resolution: int, *, borders: bool, window: Any
    ) -> Self:
        grid = self.result.grid(resolution, mu=mu, nu=nu)
        limits = (0.0, float(getattr(grid, what).max()))
        if what in ("lower", "upper"):
            limits = score_range(self.result.counts.scores)
        values = map_values(grid, what, limits)
        self.mesh_ = draw_map(self.ax_, grid, values, what, limits)
        self.colorbar_ = self.figure_.colorbar(self.mesh_, ax=self.ax_, label=MAP_COLUMNS[what][0])
        if borders:
            from matplotlib.collections import PolyCollection

            polygons = list(self.result.cells(mu, nu).polygons)
            self.ax_.add_collection(
                PolyCollection(polygons, alpha=0.5, facecolors="none", edgecolors="black", linewidths=0.5)
            )
        draw_lemma(self.ax_, mu, nu)
        if window is not None:
            words = f"{_window_words(window)}, cost {window.cost:.3g}"
            look = {"ms": 8, "mfc": ACCENT, "mec": "white", "mew": 1.2, "clip_on": False, "ls": "none"}
            self.ax_.plot(window.mu, window.nu_positive, "o", label=words, **look)
        self._append_map(grid.mu, grid.nu, "mu nu", value=values)
        return self._finish(xlabel=MU_WORDS, ylabel=NU_WORDS)

    # ---------------------------------------------------------------- three dimensions

    def _heights(self, polygons: list[FloatArray]) -> list[FloatArray]:
        return [np.asarray(self.result.cost(*polygon.T)) for polygon in polygons]

    def _add_polygons(
        self, polygons: list[FloatArray], heights: list[FloatArray], *, part: str = "", **style: Any
    ) -> Any:
        """Draw polygons over (mu, nu), and keep their corners if they are a part of the drawn data."""
        from mpl_toolkits.mplot3d.art3d import Poly3DCollection

        solids = [np.column_stack([p, z]) for p, z in zip(polygons, heights, strict=True)]
        if part:
            mu, nu, value = np.concatenate(solids).T
            piece = np.repeat(np.arange(len(solids)), [len(solid) for solid in solids])
            self._append(part=part, piece=piece, mu=mu, nu=nu, value=value)
        return self.ax_.add_collection3d(Poly3DCollection(solids, **style))

    def _mark_point(self, window: AbstentionWindow, heights: tuple[float, ...]) -> None:
        """Mark the costs of a window at one height, or join two heights."""
        size = len(heights)
        style = {"marker": "o", "ms": 7, "lw": 2, "color": ACCENT, "mec": "white", "zorder": 8}
        self.ax_.plot([window.mu] * size, [window.nu_positive] * size, heights, **style)

    def _plot_surface(self, mu: Range, nu: Range, *, borders: bool, window: Any) -> None:
        from matplotlib.cm import ScalarMappable
        from matplotlib.colors import Normalize

        top = float(self.result.cost(mu[1], nu[1])) or 1.0
        cells, pieces = tiles_of(self.result, mu, nu)
        if cells is not None:
            pieces = bands(cells, np.linspace(0, top, _BANDS + 1))
        heights = self._heights(pieces)
        colors = ScalarMappable(Normalize(0, top), SEQUENTIAL_CMAP)
        faces = colors.to_rgba(np.array([z.mean() for z in heights]))
        self.mesh_ = self._add_polygons(
            pieces, heights, part="surface", facecolors=faces, edgecolors=faces, linewidths=0.3
        )
        if borders and cells is not None:
            outlines = [np.vstack([polygon, polygon[:1]]) for polygon in cells.polygons]
            for outline, z in zip(outlines, self._heights(outlines), strict=True):
                self.ax_.plot(*outline.T, z, color="black", lw=0.6, zorder=5)
        if window is not None:
            self._mark_point(window, (window.cost,))
        words = SHORT_MU, SHORT_NU, "expected cost per case"
        self._finish_3d(words, **_VIEW, azim=-128, xlim=mu, ylim=nu, zlim=(0, top))
        self.colorbar_ = self.figure_.colorbar(
            colors, ax=self.ax_, label=MAP_COLUMNS["cost"][0], shrink=0.6, pad=0.08
        )

    def _plot_plane(self, mu: Range, nu: Range, *, borders: bool, window: Any) -> None:
        best = window or self.result.window((mu[0] + mu[1]) / 2, (nu[0] + nu[1]) / 2)
        cells, pieces = tiles_of(self.result, mu, nu)
        look = {"facecolors": "#DDDDDD", "edgecolors": "#555555" if borders else "#AAAAAA", "linewidths": 0.4}
        self.mesh_ = self._add_polygons(pieces, self._heights(pieces), part="surface", alpha=0.9, **look)
        corners = square(*mu, *nu)
        plane = best.fn + corners[:, 0] * best.fp + corners[:, 1] * best.abstention_rate
        blue = {"facecolors": NEGATIVE_COLOR, "edgecolors": NEGATIVE_COLOR, "alpha": 0.3, "zorder": 2}
        self._add_polygons([corners], [plane], part="plane", **blue)
        if cells is not None:
            same = (cells.lower_index == best.lower_index) & (cells.upper_index == best.upper_index)
            touched = [cells.polygons[at] for at in np.flatnonzero(same)[:1]]
            red = {"facecolors": ACCENT, "edgecolors": ACCENT, "alpha": 0.85, "zorder": 3}
            if touched:
                self._add_polygons(touched, self._heights(touched), part="optimal", **red)
        words, top = (SHORT_MU, SHORT_NU, "expected cost per case"), 1.02 * float(plane.max()) or 1.0
        self._finish_3d(words, **_VIEW, azim=-128, xlim=mu, ylim=nu, zlim=(0, top))
        self._color_key(
            {
                f"plane of the {_window_words(best)}": NEGATIVE_COLOR,
                "where it is optimal": ACCENT,
                "surface": "#DDDDDD",
            }
        )

    def _plot_thresholds(self, mu: Range, nu: Range, *, borders: bool, window: Any) -> None:
        scores = score_range(self.result.counts.scores)
        self.mesh_ = []
        slices = np.linspace(mu[0] + (mu[1] - mu[0]) / _SLICES, mu[1], _SLICES)
        for place, at in enumerate(slices.tolist()):
            # the thresholds along nu, the window between them in grey; slices from the back to the front
            along, *ends = slice_of(self.result, at, nu)
            lower, upper = (np.clip(end, *scores) for end in ends)
            if len(along):
                outline = np.column_stack([np.full(2 * len(along), at), np.append(along, along[::-1])])
                heights = np.append(upper, lower[::-1])
                grey: Any = {"facecolors": ABSTAIN_COLOR, "edgecolors": "none", "alpha": 0.22}
                self.mesh_.append(self._add_polygons([outline], [heights], zorder=4 * place, **grey))
            single = float(np.clip(self.result.window(at, math.inf).lower, *scores))
            lines = (
                ("no abstention", np.array(nu), np.full(2, single), {"lw": 1.1, "ls": (0, (4, 2))}),
                ("lower", along, lower, {"lw": 1.9, "ls": "-"}),
                ("upper", along, upper, {"lw": 1.9, "ls": "-"}),
            )
            for part, x, height, style in lines:
                across, color = np.full(len(x), at), _SHEETS[part][1]
                self.ax_.plot(across, x, height, color=color, zorder=4 * place + 1, **style)
                self._append(part=part, mu=across, nu=x, value=height)
        if window is not None:
            self._mark_point(window, tuple(float(np.clip(t, *scores)) for t in (window.lower, window.upper)))
        words = SHORT_MU, SHORT_NU, "threshold (score)"
        self._finish_3d(words, **_VIEW, azim=-62, xlim=mu, ylim=nu, zlim=scores)
        self._color_key(dict(_SHEETS.values()))

    def _color_key(self, colors: dict[str, str]) -> None:
        from matplotlib.patches import Patch

        handles = [Patch(color=color, label=words) for words, color in colors.items()]
        self.ax_.legend(
            handles=handles, loc="upper center", bbox_to_anchor=(0.5, 0.0), frameon=False, fontsize=8
        )


_CENTRAL = 0.02, 0.98


class SurfaceRowDisplay(PredictionDisplay, of=AbstentionSurface, several=True, compute=abstention_surface):
    """Four colour maps per classifier: cost, abstention rate, lower and upper threshold.

    One row per classifier, one scale per column over all classifiers and both thresholds on the
    same one (figure 3 of Friedel et al. 2006), so give scores of one scale. Infinite thresholds
    are drawn at the ends of the range of all finite scores. See `abstention_surface`.

    Parameters
    ----------
    result : AbstentionSurface, or mapping {name: AbstentionSurface}
        What to draw.

    Attributes
    ----------
    ax_ : array of axes of shape (classifiers, 4)
    limits_ : dict
        The common scale (low, high) of every column.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from demur.displays import SurfaceRowDisplay
    >>> from demur import abstention_surface
    >>> y = [0, 0, 1, 0, 1, 1]
    >>> scores = {"A": [0, 0, 0, 1, 1, 1], "B": [0, 1, 2, 3, 4, 5]}
    >>> models = {name: abstention_surface(y, column) for name, column in scores.items()}
    >>> display = SurfaceRowDisplay(result=models).plot(resolution=10)
    >>> display.ax_.shape, display.limits_["lower"]
    ((2, 4), (0.0, 5.0))
    >>> plt.close(display.figure_)
    """

    def plot(
        self,
        ax: Any = None,
        *,
        mu: Range = (0.0, 1.0),
        nu: Range | None = None,
        resolution: int = 200,
        scale: str = "all",
    ) -> Self:
        """Draw all maps.

        Parameters
        ----------
        ax : array of axes of shape (classifiers, 4), optional
            New ones by default.
        mu, nu : (low, high)
            The costs shown; by default nu ends where abstaining stops paying at the largest mu.
        resolution : int
            Steps of the grid, each way.
        scale : {"all", "central"}
            Colours from the smallest to the largest value, thresholds over all scores; or over the middle
            96 % of what is drawn, so that a few extreme windows do not take the colours of the others.
        """
        check_choice(scale, "scale", ("all", "central"))
        mu, nu = rectangle(mu, nu)
        members = self._members
        grids = {name: surface.grid(resolution, mu=mu, nu=nu) for name, surface in members.items()}
        scores = score_range(np.concatenate([surface.counts.scores for surface in members.values()]))
        self.figure_, self.ax_ = axes_table(
            ax, (len(members), len(MAP_COLUMNS)), (11.5, 1.5 + 2.1 * len(members))
        )
        self.limits_ = _limits(grids, scores, central=scale == "central")
        meshes = {}
        for row, (name, grid) in enumerate(grids.items()):
            values = {what: map_values(grid, what, scores) for what in MAP_COLUMNS}
            for axes, what in zip(self.ax_[row], MAP_COLUMNS, strict=True):
                meshes[what] = draw_map(axes, grid, values[what], what, self.limits_[what])
                draw_lemma(axes, mu, nu)
            self.ax_[row, 0].set_ylabel(f"{name}\n{SHORT_NU}" if name else SHORT_NU)
            names = np.full(grid.cost.shape, name)
            self._append_map(grid.mu, grid.nu, "mu nu", model=names, **values)
        for column, (what, mesh) in enumerate(meshes.items()):
            self.ax_[-1, column].set_xlabel(SHORT_MU)
            words = MAP_COLUMNS[what][0].replace(" (a miss costs 1)", "")
            cut = "neither" if scale == "all" or what == "cost" else "max" if column == 1 else "both"
            below = list(self.ax_[:, column])
            self.figure_.colorbar(mesh, ax=below, label=words, location="top", extend=cut)
        for axes in self.ax_[:-1].flat:
            axes.tick_params(labelbottom=False)
        for axes in self.ax_[:, 1:].flat:
            axes.tick_params(labelleft=False)
        if ax is None:
            handles, _ = self.ax_[0, 0].get_legend_handles_labels()
            self.figure_.legend(handles=handles, loc="outside lower center", frameon=False, fontsize="small")
        return self


def _limits(grids: dict[str, SurfaceGrid], scores: Range, *, central: bool) -> dict[str, Range]:
    """Scale of every column, over all classifiers; both thresholds have the same."""
    drawn = {
        what: np.concatenate([map_values(grid, what, scores).ravel() for grid in grids.values()])
        for what in MAP_COLUMNS
    }
    limits = {what: (0.0, max(float(drawn[what].max()), 1e-12)) for what in ("cost", "abstention_rate")}
    thresholds = scores
    if central:
        both = np.concatenate([drawn["lower"], drawn["upper"]])
        low, high = (float(end) for end in np.quantile(both, _CENTRAL))
        thresholds = (low, high) if low < high else scores
        # windows that abstain on nearly everything fill the edge at nu = 0
        most = float(np.quantile(drawn["abstention_rate"], _CENTRAL[1]))
        limits["abstention_rate"] = (0.0, most if most > 0 else limits["abstention_rate"][1])
    return {**limits, "lower": thresholds, "upper": thresholds}


# differences below this are rounding: equal planes
_EQUAL = 1e-12
_ONE_LINE = 40


class SurfaceDifferenceDisplay(PredictionDisplay, of=SurfaceDifference):
    """Where and by how much one surface is cheaper than another; see `AbstentionSurface.minus`.

    Colours are centred at 0; costs at which both are equal are hatched; the black line is where
    the cheaper one changes. The shares in the legend are the exact areas of the result.

    Parameters
    ----------
    result : SurfaceDifference
        First minus second: negative where the first is cheaper.

    Attributes
    ----------
    mesh_, colorbar_ : artists

    Examples
    --------
    Is the classifier worth having at all? Compare it with the best trivial rule:

    >>> import matplotlib.pyplot as plt
    >>> from demur.displays import SurfaceDifferenceDisplay
    >>> y, s = [0, 0, 1, 0, 1, 1], [1, 2, 3, 4, 5, 6]
    >>> display = SurfaceDifferenceDisplay.from_predictions(y, s).plot(names=("scores", "trivial"))
    >>> bool(display.frame()["difference"].max() <= 0)
    True
    >>> plt.close(display.figure_)
    """

    @classmethod
    def from_predictions(
        cls,
        y_true: Labels,
        score_a: ArrayLike,
        score_b: ArrayLike | None = None,
        *,
        pos_label: Any = None,
        sample_weight: ArrayLike | None = None,
        prevalence: float | None = None,
        mu: Range = (0.0, 1.0),
        nu: Range | None = None,
        ray: tuple[float, float] = (1.0, 1.0),
        reviewer: tuple[float, float] = (1.0, 1.0),
        ax: Any = None,
        name: str | None = None,
    ) -> Self:
        """Compare two scores of the same cases, or one with the best trivial rule.

        Parameters as in `abstention_surface` and `AbstentionSurface.minus`; without `score_b` the second
        surface is the better of "always positive", "always negative" and "always abstain".
        """
        labelled: Any = {"pos_label": pos_label, "sample_weight": sample_weight, "prevalence": prevalence}
        first = abstention_surface(y_true, score_a, **labelled)
        second = first.trivial() if score_b is None else abstention_surface(y_true, score_b, **labelled)
        mu, nu = rectangle(mu, nu, ReviewPrices.checked(ray, reviewer))
        return cls(result=first.minus(second, mu=mu, nu=nu, ray=ray, reviewer=reviewer))._shown(ax, name)

    def plot(
        self, ax: Any = None, *, names: tuple[str, str] = ("first", "second"), resolution: int = 200
    ) -> Self:
        """Draw the map over the rectangle of the result.

        Parameters
        ----------
        ax : matplotlib axes, optional
            New ones by default.
        names : (str, str)
            What to call the two classifiers.
        resolution : int
            Steps of the grid, each way.
        """
        from matplotlib.patches import Patch

        steps = check_positive_int(resolution, "resolution") + 1
        gap: SurfaceDifference = self.result
        first, second = two_names(names)
        ax = self._begin(ax, size=(6.2, 5.2))
        mu, nu = np.linspace(*gap.mu, steps), np.linspace(*gap.nu, steps)
        x, y = np.meshgrid(mu, nu, indexing="ij")
        values = np.asarray(gap.cost(x, y))
        equal = np.abs(values) < _EQUAL
        values = np.where(equal, 0.0, values)
        reach = float(np.abs(values).max()) or 1.0
        self.mesh_ = ax.pcolormesh(
            mu,
            nu,
            values.T,
            cmap=DIFFERENCE_CMAP,
            vmin=-reach,
            vmax=reach,
            shading="gouraud",
            rasterized=True,
        )
        if gap.equal_area > 0:
            ax.contourf(mu, nu, equal.T, levels=[0.5, 1.5], colors="none", hatches=["////"])
        if values.min() < 0 < values.max():
            # free errors or free abstention make all surfaces 0: the axes themselves are left out
            ax.contour(mu[1:], nu[1:], values[1:, 1:].T, levels=[0.0], colors="black", linewidths=1.2)
        between = "\n" if len(first) + len(second) > _ONE_LINE else " "
        words = f"difference of cost per case:\n{first}{between}minus {second}"
        self.colorbar_ = self.figure_.colorbar(self.mesh_, ax=ax, label=words)
        draw_lemma(ax, gap.mu, gap.nu, gap.prices)
        self._append_map(mu, nu, "mu nu", difference=values, equal=equal)
        # which colour means what, with exact shares of the area
        cmap = self.mesh_.get_cmap()
        whole = gap.better_area + gap.worse_area + gap.equal_area
        keys = (
            (gap.better_area, {"facecolor": cmap(0.15)}, f"{first} cheaper"),
            (gap.worse_area, {"facecolor": cmap(0.85)}, f"{second} cheaper"),
            (gap.equal_area, {"facecolor": "white", "edgecolor": "black", "hatch": "////"}, "equal"),
        )
        patches = [
            Patch(label=f"{words} on {100 * area / whole:.1f} % of the area", **style)
            for area, style, words in (keys if gap.equal_area > 0 else keys[:2])
        ]
        return self._finish(xlabel=MU_WORDS, ylabel=NU_WORDS, extra=patches)
