"""Figures of ROC and precision-recall curves, and of AUC bounds (Mueller and Zhang 2006, figures 1 to 4)."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from demur._checks import check_positive_int, check_probability, check_type, input_error
from demur.counts.window import AbstentionWindow
from demur.displays.base import (
    ABSTAIN_COLOR,
    ACCENT,
    DIAGONAL,
    GUIDE,
    ROC_SPACE,
    SEQUENTIAL_CMAP,
    UNIT_SQUARE,
    CurveDisplay,
    Display,
    thinned,
    threshold_words,
    with_name,
)
from demur.roc.bounds import AucBounds, auc_bounds, iso_discriminability, roc_point_index
from demur.roc.curve import PrecisionRecallCurve, RocCurve, precision_recall_curve, roc_curve
from demur.surface.window import decide
from demur.typing import ArrayLike

__all__ = [
    "AucBoundsDisplay",
    "BoundGapDisplay",
    "IsoDiscriminabilityDisplay",
    "PrecisionRecallDisplay",
    "RocCurveDisplay",
]


class RocCurveDisplay(
    CurveDisplay,
    of=RocCurve,
    compute=roc_curve,
    axes=ROC_SPACE,
    guide=DIAGONAL,
):
    """ROC curves with their convex hulls, and the two thresholds of a window; see `roc_curve`.

    Up and left is better. A curve of more than 4000 points is thinned for drawing to the first,
    last, lowest and highest point of each thousandth of the x axis, which no eye can tell from
    the whole; the hull is always drawn exactly.

    Parameters
    ----------
    result : RocCurve, or mapping {name: RocCurve}
        What to draw.

    Attributes
    ----------
    lines_ : list
        One line per curve.
    window_markers_ : list
        The two points of the window, if one was given.

    Examples
    --------
    Where do the two thresholds of the cheapest window lie on the curve?

    >>> import matplotlib.pyplot as plt
    >>> from demur.displays import RocCurveDisplay
    >>> from demur import abstention_surface, roc_curve
    >>> y = [0, 0, 1, 0, 1, 0, 0, 1, 1, 0, 1, 1]
    >>> s = [-0.9, -0.9, -0.5, -0.5, 0, 0, 0, 0.4, 0.4, 0.4, 0.8, 0.8]
    >>> window = abstention_surface(y, s).window(mu=1, nu=0.25)
    >>> display = RocCurveDisplay.from_result(roc_curve(y, s)).plot(window=window)
    >>> drawn = display.frame()
    >>> [round(float(tpr), 2) for tpr in drawn["tpr"][drawn["part"] == "window"]]
    [0.33, 1.0]
    >>> plt.close(display.figure_)
    """

    def plot(
        self,
        ax: Any = None,
        *,
        hull: bool = True,
        window: AbstentionWindow | tuple[float, float] | None = None,
    ) -> Self:
        """Draw the curves.

        Parameters
        ----------
        ax : matplotlib axes, optional
            New ones by default.
        hull : bool
            Whether to draw the convex hull, the operating points worth having.
        window : AbstentionWindow or (lower, upper), optional
            Mark the points its two thresholds reach, on every curve: only scores of one scale
            share a window.
        """
        self.window_markers_: list[Any] = []
        for name, curve, style in self._curves(ax):
            at = thinned(curve.fpr, curve.tpr)
            points = {"fpr": curve.fpr[at], "tpr": curve.tpr[at], "threshold": curve.thresholds[at]}
            words = with_name(name, f"AUC {curve.auc:.3f}")
            rows = {"model": name, "part": "curve", **points}
            self.lines_ += self._line(rows, label=words, lw=1.6, **style)
            if hull:
                outer, color = curve.convex_hull(), style["color"]
                if len(self._members) == 1:
                    self._band(outer.fpr, (outer.fpr, outer.tpr), color, 0.07, zorder=0)
                points = {"fpr": outer.fpr, "tpr": outer.tpr, "threshold": outer.thresholds}
                marker = {"marker": "o" if len(outer.fpr) <= 30 else None, "ms": 3}
                words = with_name(name, f"convex hull, area {outer.auc:.3f}")
                rows = {"model": name, "part": "hull", **points}
                self._line(rows, color=color, lw=0.9, alpha=0.75, label=words, **marker)
            if window is not None:
                self._mark(name, curve, window)
        return self._finish()

    def _mark(self, name: str, curve: RocCurve, window: Any) -> None:
        """Mark what the two thresholds of a window reach; the first curve explains the marks."""
        # thresholds[0] stands for "nothing is positive"; the rest are the distinct scores, descending
        codes = decide(curve.thresholds[1:], window)
        called, kept = np.count_nonzero(codes == 1), np.count_nonzero(codes != 0)
        pair = (window.lower, window.upper) if isinstance(window, AbstentionWindow) else tuple(window)
        marks = (
            (called, "^", ACCENT, pair[1], "upper threshold: positive from here up"),
            (kept, "v", ABSTAIN_COLOR, pair[0], "lower threshold: negative from here down"),
        )
        first = not self.window_markers_
        for at, shape, color, threshold, words in marks:
            label = f"{words} ({threshold_words(threshold)})" if first else None
            look = {"ls": "none", "marker": shape, "ms": 9, "mec": "black", "mew": 0.8, "zorder": 5}
            point = {"fpr": curve.fpr[at], "tpr": curve.tpr[at], "threshold": threshold}
            rows = {"model": name, "part": "window", **point}
            self.window_markers_ += self._line(rows, color=color, label=label, **look)


class PrecisionRecallDisplay(
    CurveDisplay,
    of=PrecisionRecallCurve,
    compute=precision_recall_curve,
    axes={
        **UNIT_SQUARE,
        "xlabel": "recall (true positive rate)",
        "ylabel": "precision",
    },
):
    """Precision against recall of every threshold; see `precision_recall_curve`.

    Up and right is better; the dashed line is the precision of calling every case positive, the
    prevalence. Drawn as steps, because precision between two thresholds is not on the straight
    line between them (Davis and Goadrich 2006). Long curves are thinned as in `RocCurveDisplay`.

    Parameters
    ----------
    result : PrecisionRecallCurve, or mapping {name: PrecisionRecallCurve}
        What to draw.

    Attributes
    ----------
    lines_ : list
        One line per curve.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from demur.displays import PrecisionRecallDisplay
    >>> display = PrecisionRecallDisplay.from_predictions([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]).plot()
    >>> display.frame()["recall"].tolist()
    [0.5, 0.5, 1.0, 1.0]
    >>> plt.close(display.figure_)
    """

    def plot(self, ax: Any = None) -> Self:
        """Draw the curves on `ax`, or on new axes."""
        for name, curve, style in self._curves(ax):
            at = thinned(curve.recall, curve.precision)
            x, y = curve.recall[at], curve.precision[at]
            rows = {"model": name, "recall": x, "precision": y, "threshold": curve.thresholds[at]}
            words = with_name(name, f"average precision {curve.average_precision:.3f}")
            self.lines_ += self._line(rows, label=words, lw=1.6, **style)
            # the first threshold already finds something: its step reaches back to recall 0
            self.lines_[-1].set_data(np.repeat(np.concatenate([[0.0], x]), 2)[1:-1], np.repeat(y, 2))
        for number, rate in enumerate(dict.fromkeys(curve.prevalence for curve in self._members.values())):
            words = f"call every case positive, precision {rate:.3g}"
            self.ax_.axhline(rate, color=GUIDE, lw=1, ls=(0, (4, 3 + 2 * number)), zorder=0, label=words)
        return self._finish()


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
            self.texts_.append(
                self.ax_.text(
                    at,
                    1 - at,
                    f"{level:g}",
                    ha="center",
                    va="center",
                    rotation=45,
                    fontsize="small",
                    bbox=box,
                )
            )
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
        self.mesh_ = self.ax_.pcolormesh(
            edges, edges, np.ma.masked_invalid(gap), cmap=SEQUENTIAL_CMAP, vmin=0, vmax=0.5, rasterized=True
        )
        self.colorbar_ = self.figure_.colorbar(self.mesh_, ax=self.ax_, label="largest minus smallest AUC")
        shown = np.isfinite(gap)
        self._record(fpr=fpr[shown], tpr=tpr[shown], gap=gap[shown])
        return self._mark_points()
