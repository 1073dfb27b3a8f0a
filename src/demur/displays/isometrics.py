"""Figures of ROC isometrics: grids of one metric, and the design of a reliable classifier."""

from __future__ import annotations

from contextlib import suppress
from typing import Any, Self

import numpy as np

from demur.displays.base import (
    ABSTAIN_COLOR,
    DASHES,
    DIAGONAL,
    NEGATIVE_COLOR,
    POSITIVE_COLOR,
    ROC_SPACE,
    Display,
    PredictionDisplay,
)
from demur.exceptions import UndefinedError
from demur.roc.isometrics import Isometric, IsometricGrid, isometric_grid
from demur.windows.reliable import reliable_window
from demur.windows.reliable_rule import ReliableWindow

__all__ = ["IsometricDisplay", "ReliableWindowDisplay"]

_WORDS = {"precision": "precision", "f_measure": "F-measure", "gm_estimate": "m-estimate"}
_STYLES = {
    "positive": {"color": POSITIVE_COLOR, "linestyle": DASHES[0]},
    "negative": {"color": NEGATIVE_COLOR, "linestyle": DASHES[1]},
}


class IsometricDisplay(Display, of=IsometricGrid, axes=ROC_SPACE):
    """Lines of equal precision, F-measure or m-estimate in ROC space (figures 1 to 3 of the paper).

    Solid orange: metric of the positive decisions; dashed blue: of the negative ones. The number
    on a line is the value of the metric. See `isometric` for the definition.

    Attributes
    ----------
    lines_ : list
        One line per row of `frame`.

    Examples
    --------
    >>> from demur.displays import IsometricDisplay
    >>> display = IsometricDisplay.from_metric("precision", skew=1).plot()
    >>> sorted(set(display.frame()["value"].round(1).tolist()))[-1]
    0.9
    """

    @classmethod
    def from_metric(
        cls, metric: str, *, skew: float, alpha: float = 1.0, m: float = 0.0, values: Any = None
    ) -> Self:
        """Make the Display of a metric; arguments as in `isometric_grid`."""
        return cls(result=isometric_grid(metric, skew=skew, alpha=alpha, m=m, values=values))

    def plot(self, ax: Any = None) -> Self:
        """Draw all lines inside the unit square and name their values."""
        self._begin(ax)
        for line in (*self.result.positive, *self.result.negative):
            self._draw(line)
        first = self.result.positive[0]
        extra = {"f_measure": "alpha", "gm_estimate": "m"}.get(self.result.metric)
        ending = f", {extra} {getattr(first.target, extra):g}" if extra else ""
        title = f"Lines of equal {_WORDS[self.result.metric]}, skew {first.skew:g}{ending}"
        self.ax_.set_title(title, fontsize=10, loc="left")
        return self._finish(box=True, columns=2)

    def _draw(self, line: Isometric) -> None:
        """Draw a line with its value, if any of it lies inside the unit square."""
        segment = line.segment()
        if not len(segment):
            return
        # the first line of a side explains it
        explained = line.side in self._drawn.get("side", ())
        label = None if explained else f"of {line.side} decisions"
        self.lines_ += self.ax_.plot(*segment.T, linewidth=1.3, label=label, **_STYLES[line.side])
        # positive lines fan out to the top and right border, negative ones to the left and bottom
        start, stop = segment
        end, towards = (stop, start) if line.side == "positive" else (start, stop)
        length = float(np.hypot(*(towards - end)))
        x, y = end + (towards - end) * (min(0.07, length / 2) / length if length else 0.0)
        paper = {"facecolor": "white", "edgecolor": "none", "pad": 0.6}
        look = {"color": _STYLES[line.side]["color"], "ha": "center", "va": "center", "bbox": paper}
        self.ax_.text(x, y, f"{line.target.value:g}", fontsize=8, **look)
        self._append(
            side=line.side,
            value=line.target.value,
            slope=line.slope,
            intercept=line.intercept,
            start_fpr=start[0],
            start_tpr=start[1],
            end_fpr=stop[0],
            end_tpr=stop[1],
        )


class ReliableWindowDisplay(
    PredictionDisplay, of=ReliableWindow, compute=reliable_window, axes=ROC_SPACE, guide=DIAGONAL
):
    """Design of a reliable classifier in ROC space (figures 4 to 7 of the paper).

    The ROC hull, the isometric of each promise, the points a and b where the promises end, the
    part abstained on in grey, and the ROC hull of the decided cases. See `reliable_window`.

    Attributes
    ----------
    lines_ : list
        In case 3 the part abstained on and the ROC hull of the decided cases, if they are drawn.

    Examples
    --------
    >>> from demur import Precision
    >>> from demur.displays import ReliableWindowDisplay
    >>> y, s = [0, 0, 1, 0, 1, 0, 1, 1], [1, 2, 3, 4, 5, 6, 7, 8]
    >>> promise = {"positive": Precision(0.9), "negative": Precision(0.9)}
    >>> display = ReliableWindowDisplay.from_predictions(y, s, **promise).plot()
    >>> display.ax_.get_xlabel()
    'false positive rate'
    """

    def plot(self, ax: Any = None, *, new_curve: bool = True, legend: bool = True) -> Self:
        """Draw the design; `new_curve` adds the ROC hull of the decided cases in case 3."""
        window = self.result
        self._begin(ax)
        rows = {"part": "hull", "fpr": window.hull.fpr, "tpr": window.hull.tpr}
        self._line(rows, color="black", linewidth=1.6, label="ROC hull")
        for line in window.isometrics:
            if len(line.segment()):
                fpr, tpr = line.segment().T
                rows = {"part": f"{line.side} isometric", "fpr": fpr, "tpr": tpr}
                words = f"{_WORDS[line.target.metric]} {line.target.value:g}, {line.side}"
                self._line(rows, linewidth=1.2, label=words, **_STYLES[line.side])
        if window.case == 3:
            self._draw_abstention()
        if window.case == 3 and new_curve:
            # a class without decided cases has no rate: there is no curve to draw, and the title says so
            with suppress(UndefinedError):
                curve, style = window.roc(), self._series(2)
                rows = {"part": "decided", "fpr": curve.fpr, "tpr": curve.tpr}
                self.lines_ += self._line(rows, linewidth=1.5, label="ROC hull of the decided cases", **style)
                rows = {"part": "decided point", "fpr": curve.point[0], "tpr": curve.point[1]}
                self._line(rows, marker="D", markersize=5, color=style["color"])
        self._draw_points()
        where = "a and b are one point" if window.case == 1 else "b comes before a"
        title = f"Case {window.case}: {where}, nobody abstains"
        if window.note:
            title = "No point keeps both promises"
        elif window.case == 3:
            title = f"Case 3: abstain on {window.abstention_rate:.0%} between a and b"
        self.ax_.set_title(title, fontsize=10, loc="left")
        self._finish(box=True)
        if not legend:
            self.ax_.get_legend().remove()
        return self

    def _draw_abstention(self) -> None:
        """The skipped part of the hull, and its extent along both axes (figure 5)."""
        window = self.result
        a, b, hull = window.a, window.b, window.hull
        inner = slice(int(a.position) + 1, int(np.ceil(b.position)))
        rows = {
            "part": "abstained",
            "fpr": np.concatenate([[a.fpr], hull.fpr[inner], [b.fpr]]),
            "tpr": np.concatenate([[a.tpr], hull.tpr[inner], [b.tpr]]),
        }
        self.lines_ += self._line(
            rows, label="abstained on", color=ABSTAIN_COLOR, linewidth=5, solid_capstyle="butt", zorder=1
        )
        self.ax_.plot([a.fpr, b.fpr, b.fpr], [a.tpr, a.tpr, b.tpr], color=ABSTAIN_COLOR, linewidth=0.9)
        # words stay inside the axes: above a segment at the bottom, left of one at the right
        up, left = a.tpr < 0.08, b.fpr > 0.72
        middle = (a.tpr + b.tpr) / 2
        self._words(f"{window.unr:.0%} of negatives", (a.fpr, a.tpr), (24, 4) if up else (8, -4), up=up)
        self._words(f"{window.upr:.0%} of positives", (b.fpr, middle), (-5 if left else 5, 0), left=left)

    def _words(
        self,
        text: str,
        at: tuple[float, float],
        offset: tuple[float, float],
        *,
        up: bool = True,
        left: bool = False,
    ) -> None:
        self.ax_.annotate(
            text,
            at,
            xytext=offset,
            textcoords="offset points",
            ha="right" if left else "left",
            va="bottom" if up else "top",
            color="#555555",
            fontsize=8.5,
        )

    def _draw_points(self) -> None:
        window = self.result
        if window.case != 3 and not window.note:
            rows = {"part": "in use", "fpr": window.positive_cut.fpr, "tpr": window.positive_cut.tpr}
            self._line(rows, label="in use", marker="*", markersize=13, color="black", linestyle="none")
        names = ("a = b", "") if window.case == 1 else ("a", "b")
        points = (("a", window.a, POSITIVE_COLOR), ("b", window.b, NEGATIVE_COLOR))
        for name, (part, point, color) in zip(names, points, strict=True):
            rows = {"part": part, "fpr": point.fpr, "tpr": point.tpr}
            self._line(rows, marker="o", color=color, markeredgecolor="black", zorder=5)
            # above left of the hull, but inside the axes
            offset = (-6, 5) if point.fpr > 0.04 else (9, 5)
            self.ax_.annotate(
                name,
                (point.fpr, point.tpr),
                xytext=offset if point.tpr < 0.95 else (-6, -16),
                textcoords="offset points",
                ha="right" if point.fpr > 0.04 else "left",
                fontsize=11,
                fontweight="bold",
                bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.3, "alpha": 0.8 if name else 0.0},
            )
