"""Figures of confident ROC segments and Tango intervals (Elazmeh, Japkowicz, Matwin 2006)."""

from __future__ import annotations

from itertools import cycle
from typing import Any, Self

import numpy as np

from demur._checks import check_mapping
from demur.displays.base import (
    ABSTAIN_COLOR,
    DIAGONAL,
    ROC_SPACE,
    CurveDisplay,
    PredictionDisplay,
    with_name,
)
from demur.roc.segment import ConfidentSegment, confident_segment
from demur.typing import BoolArray

__all__ = [
    "ConfidentSegmentDisplay",
    "SegmentComparisonDisplay",
    "TangoIntervalDisplay",
]

# more points than this are drawn as a line or a band, not one by one
_SINGLE_POINTS = 120
_MARKERS = ("o", "s", "^", "D", "v", "P", "X")


class ConfidentSegmentDisplay(
    CurveDisplay, of=ConfidentSegment, compute=confident_segment, axes=ROC_SPACE, guide=DIAGONAL
):
    """ROC curves with their confident segment drawn bold; see `confident_segment`.

    Up and left is better. For one curve the area of the segment (CAUC) is shaded (figures 3 and 5
    of Elazmeh et al. 2006).

    Parameters
    ----------
    result : ConfidentSegment, or mapping {name: ConfidentSegment}
        What to draw.

    Attributes
    ----------
    lines_, segments_ : list
        One thin line per curve, one bold line per confident segment.
    region_ : artist or None
        The shaded area.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from demur.displays import ConfidentSegmentDisplay
    >>> y = [1, 0, 1, 1, 0, 0, 1, 0, 0, 0, 0, 0]
    >>> s = [0.9, 0.8, 0.7, 0.7, 0.6, 0.5, 0.4, 0.4, 0.3, 0.2, 0.2, 0.1]
    >>> display = ConfidentSegmentDisplay.from_predictions(y, s).plot()
    >>> drawn = display.frame()
    >>> drawn["tpr"][drawn["confident"]].tolist()
    [0.25, 0.25, 0.75, 0.75, 0.75]
    >>> plt.close(display.figure_)
    """

    def plot(self, ax: Any = None, *, shade: bool = True) -> Self:
        """Draw the curves.

        Parameters
        ----------
        ax : matplotlib axes, optional
            New ones by default.
        shade : bool
            Whether to shade the area of the segment, if there is one curve only.
        """
        self.segments_: list[Any] = []
        self.region_: Any = None
        for name, part, style in self._curves(ax):
            few, color = len(part.points) <= _SINGLE_POINTS, style["color"]
            words = "no confident point"
            if part.cauc is not None:
                words = f"confident at {part.n_confident} of {len(part.points)} points, CAUC {part.cauc:.3f}"
            columns = {"fpr": part.fpr, "tpr": part.tpr, "threshold": part.thresholds}
            rows = {"model": name, **columns, "confident": part.confident}
            self.lines_ += self._line(rows, lw=1, marker="o" if few else None, ms=2.5, **style)
            # a run of one point has no line to show
            dots = {"marker": "o" if few or part.n_confident == 1 else None, "ms": 5.5}
            look = {"color": color, "lw": 3.2, "solid_capstyle": "round", **dots}
            self.segments_ += self.ax_.plot(*part.segment.T, label=with_name(name, words), **look)
            if shade and len(self._members) == 1 and part.first is not None:
                # the region whose area is the CAUC: below the segment, or right of it
                (f1, t1), (f2, t2) = part.segment[0], part.segment[-1]
                outline = np.vstack([[[f1, 0.0]], part.segment, [[1.0, t2], [1.0, t1], [f2, t1], [f2, 0.0]]])
                look = {"color": color, "alpha": 0.12, "lw": 0, "zorder": 0}
                (self.region_,) = self.ax_.fill(*outline.T, label="area of the confident segment", **look)
        return self._finish()


class TangoIntervalDisplay(
    PredictionDisplay,
    of=ConfidentSegment,
    compute=confident_segment,
    axes={
        "xlabel": "threshold (positive from this score up)",
        "ylabel": "(misses − false alarms) / cases",
    },
):
    """Tango intervals of (misses - false alarms) / n against the threshold; see `confident_segment`.

    Points whose interval contains 0 are confident; the width of their range says how freely the
    threshold can be chosen (figures 1, 7 and 8 of Elazmeh et al. 2006). Infinite thresholds have
    no place on the axis and are left out.

    Parameters
    ----------
    result : ConfidentSegment
        What to draw; one panel per classifier.

    Attributes
    ----------
    zero_ : line
        The line of balance.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from demur.displays import TangoIntervalDisplay
    >>> display = TangoIntervalDisplay.from_predictions([1, 0, 0, 1], [0.9, 0.6, 0.2, 0.4]).plot()
    >>> display.frame()["difference"].tolist()
    [0.25, 0.0, -0.25, -0.5]
    >>> plt.close(display.figure_)
    """

    def plot(self, ax: Any = None, *, confident_only: bool = False, title: str | None = None) -> Self:
        """Draw the intervals.

        Parameters
        ----------
        ax : matplotlib axes, optional
            New ones by default.
        confident_only : bool
            Leave out the intervals that do not contain 0.
        title : str, optional
            Heading of the panel, such as the name of the classifier.
        """
        ax = self._begin(ax)
        part = self.result
        kept = np.isfinite(part.thresholds) & (part.confident if confident_only else True)
        self.zero_ = ax.axhline(0, color="black", lw=0.8, zorder=1)
        contains = f"confident: the {100 * part.confidence_level:g} % interval contains 0"
        draw = self._draw_bars if np.count_nonzero(kept) <= _SINGLE_POINTS else self._draw_steps
        draw(kept & ~part.confident, ABSTAIN_COLOR, "interval without 0")
        draw(kept & part.confident, self._series(0)["color"], contains)
        if not kept.any():
            where = "" if part.first is None else " at a finite threshold"
            ax.text(0.5, 0.55, f"no confident point{where}", ha="center", va="bottom", transform=ax.transAxes)
        if title:
            ax.set_title(title)
        at = part.thresholds[kept]
        if len(at) >= 2 and np.ptp(at) <= 0.01 * np.max(np.abs(at)):
            # thresholds that lie close together in full, few of them, not as a rest beside an offset
            from matplotlib.ticker import MaxNLocator

            ax.xaxis.set_major_locator(MaxNLocator(3))
            ax.ticklabel_format(axis="x", useOffset=False, style="plain")
        columns = {name: getattr(part, name)[kept] for name in ("difference", "low", "high", "confident")}
        self._record(threshold=at, **columns)
        return self._finish()

    def _draw_bars(self, rows: BoolArray, color: str, words: str) -> None:
        part = self.result
        if rows.any():
            at = part.thresholds[rows]
            self.ax_.vlines(at, part.low[rows], part.high[rows], color=color, lw=1.4)
            self.ax_.plot(at, part.difference[rows], ls="none", marker="o", ms=4, color=color, label=words)

    def _draw_steps(self, rows: BoolArray, color: str, words: str) -> None:
        """Steps from threshold to threshold; rows of one kind may lie on both sides of the other."""
        part, kept = self.result, np.flatnonzero(rows)
        for run in np.split(kept, np.flatnonzero(np.diff(kept) > 1) + 1) if len(kept) else []:
            # a threshold between two scores makes the errors of the upper one
            reach = np.append(run, run[-1])[::-1]
            x = part.thresholds[np.append(run, min(run[-1] + 1, len(rows) - 1))[::-1]]
            if np.isneginf(x[0]):
                x, reach = x[1:], reach[1:]
            limits = part.low[reach], part.high[reach]
            self.ax_.fill_between(x, *limits, color=color, alpha=0.3, lw=0, step="pre")
            self.ax_.step(x, part.difference[reach], where="pre", color=color, lw=1.4, label=words)
            words = "_nolegend_"


class SegmentComparisonDisplay(
    CurveDisplay,
    of=ConfidentSegment,
    compute=confident_segment,
    default_name="model",
    guide=((0, 0), (0, 1), ""),
):
    """Area of the confident segment against the mean imbalance of its errors; see `confident_segment`.

    One marker per classifier. High is better, and so is close to the line at 0; with
    ``absolute=True`` signs cannot cancel and top left is best (figure 6 of Elazmeh et al. 2006).
    A classifier without a confident point has no marker, and the legend says so.

    Parameters
    ----------
    result : mapping {name: ConfidentSegment}
        What to draw.

    Attributes
    ----------
    markers_ : list
        One artist per classifier, also those without a confident point.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from demur.displays import SegmentComparisonDisplay
    >>> from demur import confident_segment
    >>> y = [1, 0, 1, 1, 0, 0, 1, 0, 0, 0, 0, 0]
    >>> forest = confident_segment(y, [0.9, 0.8, 0.7, 0.7, 0.6, 0.5, 0.4, 0.4, 0.3, 0.2, 0.2, 0.1])
    >>> stump = confident_segment(y, [0.9] + [0.5] * 11)
    >>> display = SegmentComparisonDisplay.from_result({"forest": forest, "stump": stump}).plot()
    >>> display.frame()["cauc"].tolist()
    [0.53125, 0.0]
    >>> plt.close(display.figure_)
    """

    def __init__(self, *, result: Any) -> None:
        super().__init__(result=check_mapping(result, "result", ConfidentSegment))

    def plot(self, ax: Any = None, *, absolute: bool = False) -> Self:
        """Draw the markers.

        Parameters
        ----------
        ax : matplotlib axes, optional
            New ones by default.
        absolute : bool
            Mean of the absolute instead of the signed imbalance.
        """
        self.markers_: list[Any] = []
        name = "ave_abs_d" if absolute else "ave_d"
        for marker, (model, part, style) in zip(cycle(_MARKERS), self._curves(ax), strict=False):
            # None, of a model without a confident point, is NaN
            rows = {axis: np.array(getattr(part, axis), dtype=np.float64) for axis in (name, "cauc")}
            label = model if part.first is not None else f"{model}: no confident point"
            self.markers_ += self._line(
                {"model": model, **rows}, ls="none", marker=marker, ms=9, color=style["color"], label=label
            )
        self.ax_.margins(x=0.15)
        mean = "|misses − false alarms|" if absolute else "(misses − false alarms)"
        words = f"mean of {mean} / cases over the segment" + ("" if absolute else ", AveD")
        return self._finish(xlabel=words, ylabel="area of the confident segment, CAUC", ylim=(-0.03, 1.03))
