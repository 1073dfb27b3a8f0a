"""Figures of the AUC bounds of ROC points (Mueller and Zhang 2006, figures 1 to 4)."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from demur._checks import check_positive_int, check_probability, check_type, input_error
from demur.displays.base import ACCENT, DIAGONAL, ROC_SPACE, SEQUENTIAL_CMAP, Display
from demur.roc.bounds import AucBounds, auc_bounds, iso_discriminability, roc_point_index
from demur.typing import ArrayLike

__all__ = ["AucBoundsDisplay", "BoundGapDisplay", "IsoDiscriminabilityDisplay"]

_LEVELS = tuple(round(0.5 + 0.05 * k, 2) for k in range(1, 10))


class _RocPointsDisplay(Display, axes=ROC_SPACE, guide=DIAGONAL):
    """A Display in ROC space that marks the points of its result."""

    def __init__(self, *, result: AucBounds | None = None) -> None:
        if result is not None:
            check_type(result, "result", AucBounds, "an")
        super().__init__(result=result)

    def _mark_points(self) -> Self:
        """Mark the points, if there are any, and finish the figure."""
        if self.result is not None:
            fpr, tpr = self.result.fpr, self.result.tpr
            point = f"the point ({fpr[0]:.3g}, {tpr[0]:.3g}), A = {self.result.index:.3g}"
            look = {"ls": "none", "marker": "o", "ms": 7, "color": ACCENT, "mec": "black", "mew": 0.8}
            words = point if len(fpr) == 1 else "the points"
            (self.points_,) = self.ax_.plot(fpr, tpr, zorder=5, label=words, **look)
        return self._finish()


class AucBoundsDisplay(_RocPointsDisplay, of=AucBounds):
    """The proper ROC curves of smallest and largest area through given points; see `auc_bounds`.

    Every concave curve through the points runs inside the shaded region. Figures 1 and 2 of
    Mueller and Zhang (2006) for one point, the same for several.

    Parameters
    ----------
    result : AucBounds
        What to draw.

    Attributes
    ----------
    lower_line_, upper_line_, points_ : artists

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from demur.displays import AucBoundsDisplay
    >>> display = AucBoundsDisplay.from_points([0.1, 0.3, 0.6], [0.4, 0.7, 0.9]).plot()
    >>> drawn = display.frame()
    >>> drawn["tpr"][drawn["part"] == "point"].tolist()
    [0.4, 0.7, 0.9]
    >>> plt.close(display.figure_)
    """

    @classmethod
    def from_points(cls, fpr: ArrayLike, tpr: ArrayLike) -> Self:
        """Make the Display of ROC points; parameters as in `auc_bounds`."""
        return cls(result=auc_bounds(fpr, tpr))

    def plot(self, ax: Any = None) -> Self:
        """Draw both curves, the region between them and the points on `ax`, or on new axes."""
        self._begin(ax)
        bounds: AucBounds = self.result
        below, above = bounds.lower_curve.T, bounds.upper_curve.T
        region = np.hstack([above, below[:, ::-1]])
        self.ax_.fill(*region, color=self._series(0)["color"], alpha=0.12, lw=0)
        ends = (("upper", "largest", above, bounds.upper), ("lower", "smallest", below, bounds.lower))
        for index, (part, size, (fpr, tpr), area) in enumerate(ends):
            look = {"lw": 1.6, "label": f"{size} area, {area:.4g}", **self._series(index)}
            self.lines_ += self._line({"part": part, "fpr": fpr, "tpr": tpr}, **look)
        self.upper_line_, self.lower_line_ = self.lines_
        self._append(part="point", fpr=bounds.fpr, tpr=bounds.tpr)
        return self._mark_points()


class IsoDiscriminabilityDisplay(_RocPointsDisplay):
    """Curves of equal index of discriminability A in ROC space; see `iso_discriminability`.

    Figure 4 of Mueller and Zhang (2006). Up and left is better.

    Parameters
    ----------
    result : AucBounds, optional
        Marks its points.

    Attributes
    ----------
    lines_, texts_ : list
        One curve and one label per level.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from demur.displays import IsoDiscriminabilityDisplay
    >>> from demur import auc_bounds
    >>> display = IsoDiscriminabilityDisplay.from_result(auc_bounds(0.2, 0.6)).plot(levels=[0.7, 0.8])
    >>> [text.get_text() for text in display.texts_]
    ['0.7', '0.8']
    >>> plt.close(display.figure_)
    """

    def plot(self, ax: Any = None, *, levels: ArrayLike = _LEVELS, resolution: int = 400) -> Self:
        """Draw the curves.

        Parameters
        ----------
        ax : matplotlib axes, optional
            New ones by default.
        levels : array in [1/2, 1]
            Values of A.
        resolution : int
            Points per curve; each is exact.
        """
        steps = check_positive_int(resolution, "resolution", minimum=2)
        values = np.atleast_1d(check_probability(levels, "levels"))
        if values.ndim != 1 or values.min(initial=1.0) < 0.5 or values.size == 0:
            raise input_error("levels", "must be one or more numbers in [1/2, 1]", repr(levels))
        self._begin(ax)
        self.texts_ = []
        for level in values.tolist():
            # squares crowd near 0, where the curves of small A are steep; they end at the upper border
            fpr = min(1.0, 4 * (1 - level)) * np.linspace(0, 1, steps) ** 2
            rows = {"fpr": fpr, "tpr": iso_discriminability(level, fpr), "index": level}
            self.lines_ += self._line(rows, lw=1.3, **self._series(0))
            # label where the curve crosses the negative diagonal: 3/4 + (1 - 2 f) / 4 - f^2 = A
            at = (np.sqrt(0.25 + 4 * (1 - level)) - 0.5) / 2
            box = {"facecolor": "white", "edgecolor": "none", "pad": 1.0}
            place = {"ha": "center", "va": "center", "rotation": 45, "fontsize": "small", "bbox": box}
            self.texts_.append(self.ax_.text(at, 1 - at, f"{level:g}", **place))
        return self._mark_points()


class BoundGapDisplay(_RocPointsDisplay):
    """Map of the distance between largest and smallest AUC for each ROC point; see `roc_point_index`.

    Figure 3 of Mueller and Zhang (2006): light where one point says much about the curve (near
    the diagonal and the corner (0, 1)), dark where it says little (near (0, 0) and (1, 1)).

    Parameters
    ----------
    result : AucBounds, optional
        Marks its points.

    Attributes
    ----------
    mesh_, colorbar_ : artists

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from demur.displays import BoundGapDisplay
    >>> display = BoundGapDisplay().plot(resolution=10)
    >>> sorted(display.frame())
    ['fpr', 'gap', 'tpr']
    >>> plt.close(display.figure_)
    """

    def plot(self, ax: Any = None, *, resolution: int = 200) -> Self:
        """Draw the map.

        Parameters
        ----------
        ax : matplotlib axes, optional
            New ones by default.
        resolution : int
            Cells per axis; the value of a cell is exact at its middle.
        """
        edges = np.linspace(0, 1, check_positive_int(resolution, "resolution", minimum=2) + 1)
        middle = (edges[1:] + edges[:-1]) / 2
        fpr, tpr = np.meshgrid(middle, middle)
        index = roc_point_index(fpr, tpr)
        gap = np.where(fpr <= tpr, np.asarray(index.upper) - np.asarray(index.lower), np.nan)
        self._begin(ax, size=(6.2, 5.2))
        look = {"cmap": SEQUENTIAL_CMAP, "vmin": 0, "vmax": 0.5, "rasterized": True}
        self.mesh_ = self.ax_.pcolormesh(edges, edges, np.ma.masked_invalid(gap), **look)
        self.colorbar_ = self.figure_.colorbar(self.mesh_, ax=self.ax_, label="largest minus smallest AUC")
        shown = np.isfinite(gap)
        self._record(fpr=fpr[shown], tpr=tpr[shown], gap=gap[shown])
        return self._mark_points()
