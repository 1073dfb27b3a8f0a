"""Figures of ROC and precision-recall curves."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from demur.counts.window import AbstentionWindow
from demur.displays.base import (
    ABSTAIN_COLOR,
    ACCENT,
    DIAGONAL,
    GUIDE,
    ROC_SPACE,
    UNIT_SQUARE,
    CurveDisplay,
    threshold_words,
    with_name,
)
from demur.roc.curve import PrecisionRecallCurve, RocCurve, precision_recall_curve, roc_curve
from demur.surface.window import decide

__all__ = ["PrecisionRecallDisplay", "RocCurveDisplay"]


class RocCurveDisplay(
    CurveDisplay,
    of=RocCurve,
    compute=roc_curve,
    columns={"fpr": "fpr", "tpr": "tpr", "threshold": "thresholds"},
    legend="AUC {0.auc:.3f}",
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
            self._draw(name, curve, style, part="curve")
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
    columns={"recall": "recall", "precision": "precision", "threshold": "thresholds"},
    legend="average precision {0.average_precision:.3f}",
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
            self._draw(name, curve, style)
            x, y = self.lines_[-1].get_data()
            # the first threshold already finds something: its step reaches back to recall 0
            self.lines_[-1].set_data(np.repeat(np.concatenate([[0.0], x]), 2)[1:-1], np.repeat(y, 2))
        for number, rate in enumerate(dict.fromkeys(curve.prevalence for curve in self._members.values())):
            words = f"call every case positive, precision {rate:.3g}"
            self.ax_.axhline(rate, color=GUIDE, lw=1, ls=(0, (4, 3 + 2 * number)), zorder=0, label=words)
        return self._finish()
