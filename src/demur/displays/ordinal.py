"""Figures for ordered classes: the ROC surface, cuts and gaps on the score, measures against each other."""

from __future__ import annotations

from itertools import product
from typing import Any, Self

import numpy as np

from demur._checks import check_positive_int
from demur.displays.base import (
    ABSTAIN_COLOR,
    GUIDE,
    NEGATIVE_COLOR,
    SERIES,
    Display,
    PredictionDisplay,
    axes_table,
    axis_words,
    score_range,
    series_style,
    thinned,
)
from demur.ordinal.experiments import MEASURES, RankingExperiment, SeparabilityExperiment
from demur.ordinal.roc import OrdinalSurface, ordinal_roc
from demur.ordinal.thresholds import OrdinalThresholds, ordinal_thresholds
from demur.surface.window import ABSTAIN
from demur.typing import ArrayLike, FloatArray, Labels

__all__ = [
    "OrdinalMeasuresDisplay",
    "OrdinalSurfaceDisplay",
    "OrdinalThresholdsDisplay",
    "SeparabilityDisplay",
]

# room for a strip above the shares
_TOP = 1.1
_WORDS = {"vus": "VUS", "cons": "Cons", "ovo": "Ovo", "pairs": "Pairs"}
_PANELS = (("cons", "vus"), ("ovo", "vus"), ("pairs", "cons"))


def _ordinal_surface(
    y_true: Labels, y_score: ArrayLike, *, order: Any = None, sample_weight: ArrayLike | None = None
) -> OrdinalSurface:
    return ordinal_roc(y_true, y_score, order=order, sample_weight=sample_weight).surface()


class OrdinalSurfaceDisplay(PredictionDisplay, of=OrdinalSurface, compute=_ordinal_surface, asks="forecasts"):
    """The ROC surface of three ordered levels in 3-D; see `ordinal_roc`.

    The higher the better: the height is the largest share of the middle level that is recognised
    when given shares of the two outer levels are. The volume below is the strict VUS; the grey
    triangle is what guessing reaches (volume 1/6).

    Parameters
    ----------
    result : OrdinalSurface
        What to draw.

    Attributes
    ----------
    steps_ : artist
        The polygons of the staircase.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from demur.displays import OrdinalSurfaceDisplay
    >>> display = OrdinalSurfaceDisplay.from_predictions([1, 1, 2, 2, 3, 3], [1, 3, 2, 4, 5, 6]).plot()
    >>> drawn = display.frame()
    >>> sides = (drawn["low_to"] - drawn["low_from"]) * (drawn["high_to"] - drawn["high_from"])
    >>> f"volume {(sides * drawn['height']).sum():.2f}"
    'volume 0.75'
    >>> plt.close(display.figure_)
    """

    def plot(self, ax: Any = None, *, steps: int = 30, chance: bool = True) -> Self:
        """Draw the staircase.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Three-dimensional; new ones by default.
        steps : int
            At most so many steps each way. Of a longer staircase the height at the far corner of
            every drawn cell is exact, so that what is drawn never exceeds the surface.
        chance : bool
            Draw the triangle that guessing reaches.
        """
        from matplotlib.cm import ScalarMappable
        from matplotlib.colors import Normalize
        from mpl_toolkits.mplot3d.art3d import Poly3DCollection

        check_positive_int(steps, "steps")
        ax = self._begin_3d(ax, size=(6.4, 5.4))
        # the staircase itself, or a lattice under it
        surface, edges, picks = self.result, [], []
        for exact in (surface.low_edges, surface.high_edges):
            edges.append(exact if len(exact) - 1 <= steps else np.linspace(0, 1, steps + 1))
            # the cell whose far edge is the first to reach the share
            picks.append(np.searchsorted(exact, edges[-1][1:]) - 1)
        (low, high), heights = edges, surface.heights[np.ix_(*picks)]
        faces, tones, shades = zip(*_staircase(low, high, heights), strict=True)
        colors = ScalarMappable(Normalize(0, 1), "viridis").to_rgba(np.array(tones))
        colors[:, :3] *= np.array(shades)[:, None]
        self.steps_ = ax.add_collection3d(
            Poly3DCollection(faces, facecolors=colors, edgecolors=(0, 0, 0, 0.25), linewidths=0.3)
        )
        i, j = np.indices(heights.shape).reshape(2, -1)
        self._record(
            low_from=low[i], low_to=low[i + 1], high_from=high[j], high_to=high[j + 1], height=heights.ravel()
        )
        if chance:
            corners = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 0]])
            # in front, as a frame: the surface would hide it wherever it is any good
            ax.plot(*corners.T, color="#555555", lw=1.2, ls=(0, (4, 2)), zorder=9)
        guess = f" (dashed: guessing, {1 / 6:.3f})" if chance else ""
        # the box leaves room above itself
        ax.set_title(f"volume {self.result.volume:.3f}{guess}", fontsize="medium", y=0.98)
        low_level, middle, high_level = self.result.levels
        words = f"share of {low_level} recognised", f"share of {high_level} recognised"
        limits: Any = {"xlim": (0, 1), "ylim": (0, 1), "zlim": (0, 1)}
        return self._finish_3d(
            (*words, f"best share of {middle}"), zpad=6, elev=28, azim=38, zoom=0.88, **limits
        )


def _staircase(low: FloatArray, high: FloatArray, heights: FloatArray) -> list[tuple[Any, float, float]]:
    """Polygons of the steps and of the walls in front of them, with their heights and shades."""
    drawn: list[tuple[Any, float, float]] = []
    beyond = np.pad(heights, ((0, 1), (0, 1)))  # the surface ends at height 0
    for i, j in product(*map(range, heights.shape)):
        (x, to_x), (y, to_y), z = low[i : i + 2], high[j : j + 2], heights[i, j]
        step = [[x, y, z], [to_x, y, z], [to_x, to_y, z], [x, to_y, z]]
        down, aside = beyond[i + 1, j], beyond[i, j + 1]
        low_wall = [[to_x, y, z], [to_x, to_y, z], [to_x, to_y, down], [to_x, y, down]]
        high_wall = [[x, to_y, z], [to_x, to_y, z], [to_x, to_y, aside], [x, to_y, aside]]
        walls = ((low_wall, 0.85, z > down), (high_wall, 0.7, z > aside))
        drawn += [(face, float(z), shade) for face, shade, visible in ((step, 1.0, True), *walls) if visible]
    return drawn


class OrdinalThresholdsDisplay(
    PredictionDisplay,
    of=OrdinalThresholds,
    compute=ordinal_thresholds,
    asks="forecasts",
    axes={"xlabel": "score", "ylabel": "share of the true level up to the score", "ylim": (0, _TOP)},
):
    """The score axis cut into levels, and gaps between them; see `ordinal_thresholds`.

    One line per true level: how much of it lies up to a score. The strip along the top says what is called
    where; grey scores are abstained on. A level is told well where its line rises below its own strip.

    Parameters
    ----------
    result : OrdinalThresholds
        What to draw.

    Attributes
    ----------
    lines_ : list
        One line per level.
    bands_ : list
        One shade per gap.
    intervals_ : list of (low, high, action)
        What the strip shows: ends within the axis, and a place among the levels or -1.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from demur.displays import OrdinalThresholdsDisplay
    >>> level, score = [0, 0, 1, 0, 1, 1], [1, 2, 3, 4, 5, 6]
    >>> display = OrdinalThresholdsDisplay.from_predictions(level, score, cost_abstain=0.3)
    >>> display.intervals_
    [(0.75, 2.5, 0), (2.5, 4.5, -1), (4.5, 6.25, 1)]
    >>> plt.close(display.figure_)
    """

    def plot(self, ax: Any = None) -> Self:
        """Draw lines, strip and gaps into the given axes or new ones."""
        found: OrdinalThresholds = self.result
        ax = self._begin(ax, size=(6.4, 4.4))
        low, high = score_range(found._scores)
        room = (high - low) / 20
        low, high = low - room, high + room
        scores = np.clip(found._scores, low, high)
        styles = [self._series(level) for level in range(len(found.levels))]
        for level, weight in enumerate(found._weights.T):
            share = np.cumsum(weight) / weight.sum()
            at = thinned((scores - low) / (high - low), share)
            x, y = (
                np.append(np.insert(scores[at], 0, low), high),
                np.append(np.insert(share[at], 0, 0.0), 1.0),
            )
            rows = {"level": str(found.levels[level]), "score": x, "share": y}
            style = {"drawstyle": "steps-post", "lw": 1.6, **styles[level]}
            self.lines_ += self._line(rows, label=str(found.levels[level]), **style)
        cut = ((max(a, low), min(b, high), action) for a, b, action in found.rule.intervals)
        self.intervals_ = [one for one in cut if one[0] < one[1]]
        for start, stop, action in self.intervals_:
            color = ABSTAIN_COLOR if action == ABSTAIN else styles[action]["color"]
            ax.axvspan(start, stop, ymin=1.03 / _TOP, color=color, lw=0)
            if action == ABSTAIN:
                self._band([start, stop], (0, 1), color, 0.25, zorder=0)
        ax.set_yticks(np.linspace(0, 1, 6))
        self._finish(columns=min(len(found.levels), 4), xlim=(low, high))
        gap = ", grey: abstain" if self.bands_ else ""
        words = f"true level; strip: what is called{gap} (cost {found.cost:.3g} per case with hindsight)"
        ax.get_legend().set_title(words, prop={"size": "small"})
        return self


class OrdinalMeasuresDisplay(Display, of=RankingExperiment):
    """Every ordinal measure against every other over random rankings; see `ranking_experiment`.

    Histograms on the diagonal, one point per ranking below it, and above it the correlation and
    the share of pairs of rankings that the two measures order in opposite ways (figure 7 of
    Waegeman et al. 2006).

    Parameters
    ----------
    result : RankingExperiment
        What to draw.

    Attributes
    ----------
    ax_ : array of axes of shape (4, 4)

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from demur.displays import OrdinalMeasuresDisplay
    >>> from demur.ordinal import ranking_experiment
    >>> display = OrdinalMeasuresDisplay(result=ranking_experiment(n_rankings=50, rng=0)).plot()
    >>> sorted(display.frame())
    ['cons', 'ovo', 'pairs', 'vus']
    >>> plt.close(display.figure_)
    """

    def plot(self, ax: Any = None, *, bins: int = 25) -> Self:
        """Draw the matrix.

        Parameters
        ----------
        ax : array of axes of shape (4, 4), optional
            New ones by default.
        bins : int
            Bars of a histogram.
        """
        check_positive_int(bins, "bins")
        size = len(MEASURES)
        self.figure_, self.ax_ = axes_table(ax, (size, size), (8.0, 7.4))
        columns = {name: getattr(self.result, name) for name in MEASURES}
        for (i, down), (j, across) in product(enumerate(MEASURES), repeat=2):
            axes = self.ax_[i, j]
            if i == j:
                axes.hist(columns[down], bins=bins, color=NEGATIVE_COLOR)
                axes.set_yticks([])
                axis_words(axes, "", "")
                axes.spines["left"].set_visible(False)
            elif i > j:
                axes.plot(columns[across], columns[down], ".", ms=3, alpha=0.5, mew=0, color=NEGATIVE_COLOR)
                axis_words(axes, "", "")
            else:
                opposite = self.result.agreement(down, across).discordant
                words = f"correlation\n{self.result.correlations[i, j]:.3f}\n\nopposite order\n{opposite:.1%}"
                axes.text(
                    0.5, 0.5, words, fontsize="small", ha="center", va="center", transform=axes.transAxes
                )
                axes.set_axis_off()
            axes.tick_params(labelsize=7)
        for k, name in enumerate(MEASURES):
            self.ax_[k, k].set_title(f"{_WORDS[name]} (mean {self.result.means[name]:.3f})", fontsize="small")
            self.ax_[-1, k].set_xlabel(_WORDS[name])
            if k:
                self.ax_[k, 0].set_ylabel(_WORDS[name])
        self._record(**columns)
        return self


class SeparabilityDisplay(Display, of=SeparabilityExperiment):
    """Measures against each other as the levels move apart; see `separability_experiment`.

    Three panels (figures 4-6 of Waegeman et al. 2006): lines are exact, points are means of
    simulated samples. One line for all numbers of levels would say that two measures tell the same.

    Parameters
    ----------
    result : SeparabilityExperiment
        What to draw.

    Attributes
    ----------
    ax_ : array of axes of shape (1, 3)

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from demur.displays import SeparabilityDisplay
    >>> from demur.ordinal import separability_experiment
    >>> experiment = separability_experiment(n_levels=[2, 3], distances=[0, 1, 2], n_runs=1, rng=0)
    >>> display = SeparabilityDisplay(result=experiment).plot()
    >>> len(display.frame()["distance"])
    6
    >>> plt.close(display.figure_)
    """

    def plot(self, ax: Any = None) -> Self:
        """Draw the three panels into the given axes (shape (1, 3)) or new ones."""
        experiment: SeparabilityExperiment = self.result
        self.figure_, self.ax_ = axes_table(ax, (1, len(_PANELS)), (11.0, 4.0))
        truth = {name: getattr(experiment, f"true_{'ovo' if name == 'pairs' else name}") for name in MEASURES}
        for row, levels in enumerate(experiment.n_levels):
            style = series_style(row)
            for axes, (x, y) in zip(self.ax_[0], _PANELS, strict=True):
                axes.plot(truth[x][row], truth[y][row], **style, label=f"{levels} levels")
                points = getattr(experiment, x)[row], getattr(experiment, y)[row]
                axes.plot(*points, "o", ms=3.5, mew=0, alpha=0.7, color=SERIES[row % len(SERIES)])
            drawn = {name: getattr(experiment, name)[row] for name in MEASURES}
            exact = {f"true_{name}": values[row] for name, values in truth.items()}
            self._append(n_levels=levels, distance=experiment.distances, **drawn, **exact)
        for axes, (x, y) in zip(self.ax_[0], _PANELS, strict=True):
            axes.plot([0, 1], [0, 1], color=GUIDE, lw=0.8, zorder=0)
            axes.set(xlim=(0.45, 1.01), ylim=(0.45 if y == "cons" else -0.02, 1.01))
            axis_words(axes, _WORDS[x], _WORDS[y])
        if ax is None:
            handles, _ = self.ax_[0, 0].get_legend_handles_labels()
            self.figure_.legend(
                handles=handles,
                loc="outside lower center",
                ncols=len(handles),
                frameon=False,
                fontsize="small",
            )
        return self
