"""Figures of one abstention cost surface: colour map, 3-D surface, plane of a window, thresholds.

Friedel et al. (2006): the plane of a window is their figure 1a, the surface figure 1b.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, Self

import numpy as np

from demur._checks import check_choice, check_positive_int, input_error
from demur.displays._maps import (
    MAP_COLUMNS,
    NU_WORDS,
    SHORT_MU,
    SHORT_NU,
    draw_lemma,
    draw_map,
    map_values,
    rectangle,
)
from demur.displays._pieces import MOST_TILES, bands, cell_of, slice_of, square, tiles_of
from demur.displays.base import (
    ABSTAIN_COLOR,
    ACCENT,
    MU_WORDS,
    NEGATIVE_COLOR,
    POSITIVE_COLOR,
    SEQUENTIAL_CMAP,
    PrevalenceDisplay,
    axis_words,
    legend_below,
    score_range,
    threshold_words,
)
from demur.exceptions import InputError
from demur.surface.surface import AbstentionSurface, abstention_surface
from demur.surface.window import AbstentionWindow, decide, window_thresholds
from demur.typing import FloatArray, Range

__all__ = ["AbstentionSurfaceDisplay"]

_KINDS = ("map", "surface", "plane", "thresholds")
# sheets of the figure of thresholds -> (words, colour)
_SHEETS = {
    "upper": ("upper threshold: positive above", POSITIVE_COLOR),
    "no abstention": ("single threshold without abstention (dashed)", "#555555"),
    "lower": ("lower threshold: negative below", NEGATIVE_COLOR),
}
_MOST_BORDERS = 20000
_SLICES = 5
_BANDS = 16


def _window_words(window: AbstentionWindow) -> str:
    return f"window {threshold_words(window.lower)} to {threshold_words(window.upper)}"


def _window_at(surface: AbstentionSurface, pair: Any, mu: Range, nu: Range) -> AbstentionWindow:
    """Return the window of two thresholds at the middle of the costs shown."""
    lower, upper = window_thresholds(pair)
    codes = decide(surface.counts.scores, (lower, upper))
    middle = (nu[0] + nu[1]) / 2
    window = AbstentionWindow.of_cuts(
        surface.masses.scores,
        (int(np.count_nonzero(codes == 0)), int(np.count_nonzero(codes != 1))),
        mu=(mu[0] + mu[1]) / 2,
        nu_positive=middle,
        nu_negative=middle,
        prevalence=surface.prevalence,
    )
    return replace(window, lower=lower, upper=upper)


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


def _three_dimensional(ax: Any) -> None:
    if ax is not None and not hasattr(ax, "get_zlim"):
        raise input_error(
            "ax", "must be three-dimensional for this kind", type(ax).__name__, "projection='3d'."
        )


class AbstentionSurfaceDisplay(PrevalenceDisplay):
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

    _kinds = (AbstentionSurface,)
    _compute = staticmethod(abstention_surface)

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
        if borders:
            self._require_few_cells(_MOST_BORDERS if kind == "map" else MOST_TILES)
        if kind == "plane" and window is not None and not isinstance(window, AbstentionWindow):
            window = _window_at(self.result, window, mu, nu)
        if window is not None:
            _require_shown(window, None if kind == "plane" else (mu, nu))
        if kind == "map":
            ax = self._begin(ax, size=(5.8, 4.8))
            self._plot_map(what, mu, nu, resolution, borders=borders, window=window)
            return self
        if what != "cost":
            raise input_error(
                "what", f"must be left out for kind {kind!r}", repr(what), "it is for kind 'map'."
            )
        _three_dimensional(ax)
        self._begin(ax, projection="3d", size=(6.4, 5.0))
        # sheets are listed from back to front; guessing the order by depth would hide some
        self.ax_.computed_zorder = False
        self.colorbar_ = None
        draw = {"surface": self._plot_surface, "plane": self._plot_plane, "thresholds": self._plot_thresholds}
        draw[kind](mu, nu, borders=borders, window=window)
        return self

    # ---------------------------------------------------------------- colour map

    def _plot_map(
        self, what: str, mu: Range, nu: Range, resolution: int, *, borders: bool, window: Any
    ) -> None:
        grid = self.result.grid(resolution, mu=mu, nu=nu)
        if what in ("lower", "upper"):
            limits = score_range(self.result.counts.scores)
        else:
            limits = (0.0, float(getattr(grid, what).max()))
        values = map_values(grid, what, limits)
        self.mesh_ = draw_map(self.ax_, grid, values, what, limits)
        self.colorbar_ = self.figure_.colorbar(self.mesh_, ax=self.ax_, label=MAP_COLUMNS[what][0])
        if borders:
            self._draw_borders(mu, nu)
        draw_lemma(self.ax_, mu, nu)
        if window is not None:
            words = f"{_window_words(window)}, cost {window.cost:.3g}"
            at = (window.mu, window.nu_positive)
            self.ax_.plot(
                *at, "o", ms=8, mfc=ACCENT, mec="white", mew=1.2, clip_on=False, label=words, ls="none"
            )
        axis_words(self.ax_, MU_WORDS, NU_WORDS)
        legend_below(self.ax_)
        x, y = np.meshgrid(grid.mu, grid.nu, indexing="ij")
        self._record(mu=x.ravel(), nu=y.ravel(), value=values.ravel())

    def _require_few_cells(self, most: int) -> None:
        if self.result.n_cells > most:
            raise InputError(
                f"`borders` needs a surface of at most {most} cells here, got {self.result.n_cells}. "
                "Hint: leave borders out; cells that small cannot be seen."
            )

    def _draw_borders(self, mu: Range, nu: Range) -> None:
        from matplotlib.collections import PolyCollection

        cells = self.result.cells(mu, nu)
        style: dict[str, Any] = {"facecolors": "none", "edgecolors": "black", "linewidths": 0.5, "alpha": 0.5}
        self.ax_.add_collection(PolyCollection(list(cells.polygons), **style))

    # ---------------------------------------------------------------- three dimensions

    def _heights(self, polygon: FloatArray) -> FloatArray:
        return np.asarray(self.result.cost(polygon[:, 0], polygon[:, 1]))

    def _add_polygons(self, polygons: list[FloatArray], heights: list[FloatArray], **style: Any) -> Any:
        from mpl_toolkits.mplot3d.art3d import Poly3DCollection

        solids = [np.column_stack([p, z]) for p, z in zip(polygons, heights, strict=True)]
        return self.ax_.add_collection3d(Poly3DCollection(solids, **style))

    def _mark_point(self, window: AbstentionWindow, heights: tuple[float, ...]) -> None:
        """Mark the costs of a window at one height, or join two heights."""
        size = len(heights)
        style = {"marker": "o", "ms": 7, "lw": 2, "color": ACCENT, "mec": "white", "zorder": 8}
        self.ax_.plot([window.mu] * size, [window.nu_positive] * size, heights, **style)

    def _keep(self, part: str, polygons: list[FloatArray], heights: list[FloatArray]) -> None:
        sizes = [len(polygon) for polygon in polygons]
        corners = np.concatenate(polygons)
        piece = np.repeat(np.arange(len(polygons)), sizes)
        self._append(
            part=part, piece=piece, mu=corners[:, 0], nu=corners[:, 1], value=np.concatenate(heights)
        )

    def _finish_3d(self, mu: Range, nu: Range, z: Range, words: str, *, azim: float = -128) -> None:
        ax = self.ax_
        ax.set(xlim=mu, ylim=nu, zlim=z)
        ax.set_xlabel(SHORT_MU, labelpad=6)
        ax.set_ylabel(SHORT_NU, labelpad=6)
        ax.set_zlabel(words, labelpad=9)
        ax.tick_params(labelsize=8)
        ax.view_init(elev=24, azim=azim)
        # the layout makes room for the box, not for its labels: a smaller box keeps them whole
        ax.set_box_aspect((1, 1, 0.8), zoom=0.9)

    def _plot_surface(self, mu: Range, nu: Range, *, borders: bool, window: Any) -> None:
        from matplotlib.cm import ScalarMappable
        from matplotlib.colors import Normalize

        top = float(self.result.cost(mu[1], nu[1])) or 1.0
        tiles = tiles_of(self.result, mu, nu)
        pieces = tiles if isinstance(tiles, list) else bands(tiles, np.linspace(0, top, _BANDS + 1))
        heights = [self._heights(piece) for piece in pieces]
        colors = ScalarMappable(Normalize(0, top), SEQUENTIAL_CMAP)
        faces = colors.to_rgba(np.array([z.mean() for z in heights]))
        self.mesh_ = self._add_polygons(pieces, heights, facecolors=faces, edgecolors=faces, linewidths=0.3)
        self._keep("surface", pieces, heights)
        if borders and not isinstance(tiles, list):
            outlines = [np.vstack([polygon, polygon[:1]]) for polygon in tiles.polygons]
            for outline in outlines:
                self.ax_.plot(*outline.T, self._heights(outline), color="black", lw=0.6, zorder=5)
        if window is not None:
            self._mark_point(window, (window.cost,))
        self._finish_3d(mu, nu, (0, top), "expected cost per case")
        self.colorbar_ = self.figure_.colorbar(
            colors, ax=self.ax_, label=MAP_COLUMNS["cost"][0], shrink=0.6, pad=0.08
        )

    def _plot_plane(self, mu: Range, nu: Range, *, borders: bool, window: Any) -> None:
        best = window or self.result.window((mu[0] + mu[1]) / 2, (nu[0] + nu[1]) / 2)
        tiles = tiles_of(self.result, mu, nu)
        pieces = tiles if isinstance(tiles, list) else list(tiles.polygons)
        heights = [self._heights(piece) for piece in pieces]
        edge = "#555555" if borders else "#AAAAAA"
        self.mesh_ = self._add_polygons(
            pieces, heights, facecolors="#DDDDDD", edgecolors=edge, linewidths=0.4, alpha=0.9
        )
        self._keep("surface", pieces, heights)

        corners = square(*mu, *nu)
        plane = best.fn + corners[:, 0] * best.fp + corners[:, 1] * best.abstention_rate
        blue = {"facecolors": NEGATIVE_COLOR, "edgecolors": NEGATIVE_COLOR}
        self._add_polygons([corners], [plane], alpha=0.3, zorder=2, **blue)
        self._keep("plane", [corners], [plane])
        cell = cell_of(tiles, best)
        if cell is not None:
            touching = [self._heights(cell)]
            self._add_polygons([cell], touching, facecolors=ACCENT, edgecolors=ACCENT, alpha=0.85, zorder=3)
            self._keep("optimal", [cell], touching)
        self._finish_3d(mu, nu, (0, 1.02 * float(plane.max()) or 1.0), "expected cost per case")
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
        for place, at in enumerate(np.linspace(mu[0] + (mu[1] - mu[0]) / _SLICES, mu[1], _SLICES)):
            # slices are drawn from the back to the front
            self._plot_slice(float(at), nu, scores, zorder=4 * place)
        if window is not None:
            self._mark_point(window, tuple(float(np.clip(t, *scores)) for t in (window.lower, window.upper)))
        self._finish_3d(mu, nu, scores, "threshold (score)", azim=-62)
        self._color_key(dict(_SHEETS.values()))

    def _plot_slice(self, mu: float, nu: Range, scores: Range, *, zorder: float) -> None:
        """Draw the thresholds along nu at one mu, the window between them in grey."""
        along, *ends = slice_of(self.result, mu, nu)
        lower, upper = (np.clip(end, *scores) for end in ends)
        around = np.append(along, along[::-1]), np.append(upper, lower[::-1])
        if len(along):
            outline = np.column_stack([np.full(2 * len(along), mu), around[0]])
            grey = {"facecolors": ABSTAIN_COLOR, "edgecolors": "none", "alpha": 0.22}
            self.mesh_.append(self._add_polygons([outline], [around[1]], zorder=zorder, **grey))
        single = float(np.clip(self.result.window(mu, math.inf).lower, *scores))
        lines = {
            "no abstention": (np.array(nu), np.full(2, single)),
            "lower": (along, lower),
            "upper": (along, upper),
        }
        for part, (x, height) in lines.items():
            style = {"lw": 1.1, "ls": (0, (4, 2))} if part == "no abstention" else {"lw": 1.9, "ls": "-"}
            color = "#555555" if part == "no abstention" else _SHEETS[part][1]
            self.ax_.plot(np.full(len(x), mu), x, height, color=color, zorder=zorder + 1, **style)
            self._append(part=part, mu=np.full(len(x), mu), nu=x, value=height)

    def _color_key(self, colors: dict[str, str]) -> None:
        from matplotlib.patches import Patch

        handles = [Patch(color=color, label=words) for words, color in colors.items()]
        self.ax_.legend(
            handles=handles, loc="upper center", bbox_to_anchor=(0.5, 0.0), frameon=False, fontsize=8
        )
