"""Four maps per classifier side by side (Friedel et al. 2006, figure 3)."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from demur._checks import check_choice
from demur.displays._maps import MAP_COLUMNS, SHORT_MU, SHORT_NU, draw_lemma, draw_map, map_values, rectangle
from demur.displays.base import Display, axes_table, score_range
from demur.surface.surface import AbstentionSurface, SurfaceGrid
from demur.typing import Range

__all__ = ["SurfaceRowDisplay"]

_CENTRAL = 0.02, 0.98


class SurfaceRowDisplay(Display):
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

    _kinds = (AbstentionSurface,)
    _several = True

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
        self._drawn = {}
        self.figure_, self.ax_ = axes_table(
            ax, (len(members), len(MAP_COLUMNS)), (11.5, 1.5 + 2.1 * len(members))
        )
        self.limits_ = _limits(grids, scores, central=scale == "central")
        for row, (name, grid) in enumerate(grids.items()):
            meshes = self._draw_row(row, name, grid, scores)
            for axes in self.ax_[row]:
                draw_lemma(axes, mu, nu)
        for column, (what, mesh) in enumerate(meshes.items()):
            self.ax_[-1, column].set_xlabel(SHORT_MU)
            words = MAP_COLUMNS[what][0].replace(" (a miss costs 1)", "")
            cut = "neither" if scale == "all" or what == "cost" else "max" if column == 1 else "both"
            axes_of = list(self.ax_[:, column])
            self.figure_.colorbar(mesh, ax=axes_of, label=words, location="top", extend=cut)
        for axes in self.ax_[:-1].flat:
            axes.tick_params(labelbottom=False)
        for axes in self.ax_[:, 1:].flat:
            axes.tick_params(labelleft=False)
        if ax is None:
            handles, _ = self.ax_[0, 0].get_legend_handles_labels()
            self.figure_.legend(handles=handles, loc="outside lower center", frameon=False, fontsize="small")
        return self

    def _draw_row(self, row: int, name: str, grid: SurfaceGrid, scores: Range) -> dict[str, Any]:
        """Draw the maps of one classifier; return them by what they show."""
        values = {what: map_values(grid, what, scores) for what in MAP_COLUMNS}
        meshes = {
            what: draw_map(axes, grid, values[what], what, self.limits_[what])
            for axes, what in zip(self.ax_[row], MAP_COLUMNS, strict=True)
        }
        self.ax_[row, 0].set_ylabel(f"{name}\n{SHORT_NU}" if name else SHORT_NU)
        x, y = np.meshgrid(grid.mu, grid.nu, indexing="ij")
        flat = {what: column.ravel() for what, column in values.items()}
        self._append(model=name, mu=x.ravel(), nu=y.ravel(), **flat)
        return meshes


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
