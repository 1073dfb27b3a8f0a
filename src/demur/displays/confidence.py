"""Figures of confident ROC segments and Tango intervals (Elazmeh, Japkowicz, Matwin 2006)."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from demur._checks import check_mapping
from demur.counts.scores import ScoreCounts
from demur.displays.base import ABSTAIN_COLOR, GUIDE, Display, FromEstimator, by_model, with_name
from demur.displays.roc import roc_space
from demur.roc.segment import ConfidentSegment, confident_segment
from demur.typing import ArrayLike, BoolArray, FloatArray, Labels

__all__ = [
    "ConfidentSegmentDisplay",
    "SegmentComparisonDisplay",
    "TangoIntervalDisplay",
]

# more points than this are drawn as a line or a band, not one by one
_SINGLE_POINTS = 120
_MARKERS = ("o", "s", "^", "D", "v", "P", "X")


class _SegmentDisplay(FromEstimator, Display):
    """What the Displays of confident segments share: their results, and how scores become one."""

    _kinds = (ConfidentSegment,)
    _several = True

    @classmethod
    def from_predictions(
        cls,
        y_true: Labels | ScoreCounts,
        y_score: ArrayLike | None = None,
        *,
        confidence_level: float = 0.95,
        pos_label: Any = None,
        sample_weight: ArrayLike | None = None,
        ax: Any = None,
        name: str | None = None,
    ) -> Self:
        """Make the Display of scores; parameters as in `confident_segment`."""
        segment = confident_segment(
            y_true,
            y_score,
            confidence_level=confidence_level,
            pos_label=pos_label,
            sample_weight=sample_weight,
        )
        return cls(result=segment)._shown(ax, name)


class ConfidentSegmentDisplay(_SegmentDisplay):
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
        self._begin(ax, size=(5.2, 5.8))
        self.segments_: list[Any] = []
        self.region_: Any = None
        members = self._members
        for index, (name, part) in enumerate(members.items()):
            self._draw(index, name, part)
        parts = list(members.values())
        if shade and len(parts) == 1 and parts[0].first is not None:
            self._shade(parts[0].segment)
        roc_space(self.ax_)
        self._record(
            model=np.repeat(list(members), [len(part.points) for part in parts]),
            fpr=np.concatenate([part.fpr for part in parts]),
            tpr=np.concatenate([part.tpr for part in parts]),
            threshold=np.concatenate([part.thresholds for part in parts]),
            confident=np.concatenate([part.confident for part in parts]),
        )
        return self

    def _draw(self, index: int, name: str, part: ConfidentSegment) -> None:
        style = self._series(index)
        few = len(part.points) <= _SINGLE_POINTS
        if part.cauc is None:
            words = "no confident point"
        else:
            words = f"confident at {part.n_confident} of {len(part.points)} points, CAUC {part.cauc:.3f}"
        self.lines_ += self.ax_.plot(part.fpr, part.tpr, lw=1, marker="o" if few else None, ms=2.5, **style)
        self.segments_ += self.ax_.plot(
            part.segment[:, 0],
            part.segment[:, 1],
            color=style["color"],
            lw=3.2,
            # a run of one point has no line to show
            marker="o" if few or part.n_confident == 1 else None,
            ms=5.5,
            solid_capstyle="round",
            label=with_name(name, words),
        )

    def _shade(self, segment: FloatArray) -> None:
        """Fill the region whose area is the CAUC: below the segment, or right of it."""
        (f1, t1), (f2, t2) = segment[0], segment[-1]
        outline = np.vstack([[[f1, 0.0]], segment, [[1.0, t2], [1.0, t1], [f2, t1], [f2, 0.0]]])
        (self.region_,) = self.ax_.fill(
            *outline.T,
            color=self._series(0)["color"],
            alpha=0.12,
            lw=0,
            zorder=0,
            label="area of the confident segment",
        )


class TangoIntervalDisplay(_SegmentDisplay):
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

    _several = False

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
        self._begin(ax, size=(6.2, 4.6))
        part = self.result
        kept = np.isfinite(part.thresholds) & (part.confident if confident_only else True)
        self.zero_ = self.ax_.axhline(0, color="black", lw=0.8, zorder=1)
        contains = f"confident: the {100 * part.confidence_level:g} % interval contains 0"
        draw = self._draw_bars if np.count_nonzero(kept) <= _SINGLE_POINTS else self._draw_band
        draw(kept & ~part.confident, ABSTAIN_COLOR, "interval without 0")
        draw(kept & part.confident, self._series(0)["color"], contains)
        if not kept.any():
            place = {"ha": "center", "va": "bottom", "transform": self.ax_.transAxes}
            where = "" if part.first is None else " at a finite threshold"
            self.ax_.text(0.5, 0.55, f"no confident point{where}", **place)
        if title:
            self.ax_.set_title(title)
        at = part.thresholds[kept]
        if len(at) >= 2 and np.ptp(at) <= 0.01 * np.max(np.abs(at)):
            # thresholds that lie close together in full, few of them, not as a rest beside an offset
            from matplotlib.ticker import MaxNLocator

            self.ax_.xaxis.set_major_locator(MaxNLocator(3))
            self.ax_.ticklabel_format(axis="x", useOffset=False, style="plain")
        columns = {name: getattr(part, name)[kept] for name in ("difference", "low", "high", "confident")}
        self._record(threshold=at, **columns)
        return self._finish("threshold (positive from this score up)", "(misses − false alarms) / cases")

    def _draw_bars(self, rows: BoolArray, color: str, words: str) -> None:
        if not rows.any():
            return
        part = self.result
        at = part.thresholds[rows]
        self.ax_.vlines(at, part.low[rows], part.high[rows], color=color, lw=1.4)
        self.ax_.plot(at, part.difference[rows], ls="none", marker="o", ms=4, color=color, label=words)

    def _draw_band(self, rows: BoolArray, color: str, words: str) -> None:
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


class SegmentComparisonDisplay(_SegmentDisplay):
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

    @classmethod
    def from_predictions(
        cls,
        y_true: Labels | ScoreCounts,
        y_score: Any = None,
        *,
        confidence_level: float = 0.95,
        pos_label: Any = None,
        sample_weight: ArrayLike | None = None,
        ax: Any = None,
        name: str | None = None,
    ) -> Self:
        """Make the Display of the scores of one model, or of a mapping {name: scores}."""
        models = by_model(y_score, name, "model")
        options: Any = {
            "confidence_level": confidence_level,
            "pos_label": pos_label,
            "sample_weight": sample_weight,
        }
        segments = {model: confident_segment(y_true, s, **options) for model, s in models.items()}
        return cls(result=segments)._shown(ax, None)

    def plot(self, ax: Any = None, *, absolute: bool = False) -> Self:
        """Draw the markers.

        Parameters
        ----------
        ax : matplotlib axes, optional
            New ones by default.
        absolute : bool
            Mean of the absolute instead of the signed imbalance.
        """
        self._begin(ax, size=(5.6, 5.2))
        self.markers_: list[Any] = []
        members = self._members
        self.ax_.axvline(0, color=GUIDE, lw=1, zorder=0)
        name = "ave_abs_d" if absolute else "ave_d"
        # None, of a model without a confident point, is NaN
        x = np.array([getattr(part, name) for part in members.values()], dtype=np.float64)
        y = np.array([part.cauc for part in members.values()], dtype=np.float64)
        for index, (model, part) in enumerate(members.items()):
            self.markers_ += self.ax_.plot(
                x[index],
                y[index],
                ls="none",
                marker=_MARKERS[index % len(_MARKERS)],
                ms=9,
                color=self._series(index)["color"],
                label=model if part.first is not None else f"{model}: no confident point",
            )
        self.ax_.set_ylim(-0.03, 1.03)
        self.ax_.margins(x=0.15)
        inside = "|misses − false alarms|" if absolute else "(misses − false alarms)"
        self._record(model=list(members), cauc=y, **{name: x})
        return self._finish(
            f"mean of {inside} / cases over the segment" + ("" if absolute else ", AveD"),
            "area of the confident segment, CAUC",
        )
