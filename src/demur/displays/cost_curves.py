"""Figures of cost curves and cost lines (Drummond and Holte 2006), and of their dual in ROC space."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Self

import numpy as np

from demur._checks import check_confidence_level, check_rate, input_error
from demur.costs.curves import AverageCostCurve, CostCurve, ReviewedCostCurve, best_ranges, cost_curve
from demur.costs.lines import CostLine, CostLineDifference, cost_line_difference
from demur.displays.base import (
    ACCENT,
    COST_WORDS,
    DIAGONAL,
    MU_WORDS,
    ROC_SPACE,
    TENT,
    CurveDisplay,
    PredictionDisplay,
    axes_table,
    draw_guide,
    legend_below,
    pyplot,
    thinned,
    two_names,
    with_name,
)
from demur.exceptions import InputError
from demur.roc.curve import RocCurve, RocHull, roc_curve
from demur.typing import FloatArray

__all__ = ["CostCurveDisplay", "CostDifferenceDisplay", "RocCostDualDisplay"]

_THRESHOLD = "line at pc"
_PC = "probability cost, PC(+)"
# operating points at which bands are computed; the intervals there are exact
_BAND_POINTS = 101
# costs this small leave no room for a label above the ticks
_NEAR_AXIS = 0.03
# numbers closer than this would run into each other
_LABEL_GAP = 0.065


def _corners(curve: Any) -> FloatArray:
    """Corners (pc, cost) of a curve or a line."""
    if isinstance(curve, CostLine):
        return np.array([[0.0, curve.fpr], [1.0, curve.fnr]])
    return np.asarray(curve.vertices)


def _draw_threshold_lines(ax: Any, fpr: FloatArray, fnr: FloatArray, **style: Any) -> Any:
    """Draw the lines (0, fpr) to (1, fnr) of many thresholds as one artist."""
    from matplotlib.collections import LineCollection

    ends = np.stack(
        [np.column_stack([np.zeros_like(fpr), fpr]), np.column_stack([np.ones_like(fnr), fnr])], 1
    )
    return ax.add_collection(LineCollection(list(ends), zorder=0, **style))


class CostCurveDisplay(
    CurveDisplay,
    of=(CostCurve, ReviewedCostCurve, AverageCostCurve, CostLine),
    compute=cost_curve,
    axes={"xlabel": _PC, "ylabel": COST_WORDS, "xlim": (0, 1)},
    guide=TENT,
):
    """Cost curves and cost lines against the operating point; see `cost_curve`.

    The lower the better: the height is the expected cost divided by the worst possible one, and
    vertical distances are differences of cost. The dashed tent is the better of "always positive"
    and "always negative". Curves are drawn through their exact corners.

    Parameters
    ----------
    result : CostCurve, ReviewedCostCurve, CostLine, AverageCostCurve, or mapping {name: one of them}
        What to draw.

    Attributes
    ----------
    lines_ : list
        One line per curve.
    crossings_ : list of (pc, cost)
        Where the cheapest model changes, if several are drawn.
    mu_axis_ : axes or None
        The upper axis, if `prevalence` was given.

    Examples
    --------
    At which operating point does the cheaper of two classifiers change?

    >>> import matplotlib.pyplot as plt
    >>> from demur.displays import CostCurveDisplay
    >>> from demur import cost_line
    >>> display = CostCurveDisplay(result={"A": cost_line(0.1, 0.4), "B": cost_line(0.3, 0.2)}).plot()
    >>> [(round(pc, 3), round(cost, 3)) for pc, cost in display.crossings_]
    [(0.5, 0.25)]
    >>> plt.close(display.figure_)
    """

    def plot(
        self,
        ax: Any = None,
        *,
        lines: bool = False,
        band: float | None = None,
        annotate: bool = False,
        prevalence: float | None = None,
        folds: Sequence[Any] | None = None,
    ) -> Self:
        """Draw the curves, the tent of the trivial classifiers and the crossings.

        Parameters
        ----------
        ax : matplotlib axes, optional
            New ones by default.
        lines : bool
            Draw the faint line of every threshold under each `CostCurve`; of a great many
            thresholds, some 400 that can be told apart.
        band : float, optional
            Confidence level of a pointwise band around each `CostLine` that knows its number of
            cases: the exact interval of `CostLine.interval` at 101 operating points.
        annotate : bool
            Write area and operating range in the legend, and mark the range under the curves.
        prevalence : float, optional
            Add an upper axis in mu for this P(positive).
        folds : sequence of curves or lines, optional
            Draw them faintly: the members of an average.
        """
        self._check_options(lines=lines, band=band, folds=folds)
        if prevalence is not None and check_rate(prevalence, "prevalence") in (0.0, 1.0):
            raise input_error("prevalence", "must lie strictly between 0 and 1 for an axis in mu", prevalence)
        for name, curve, style in self._curves(ax):
            if lines and isinstance(curve, CostCurve):
                color, few = style["color"], thinned(curve.fpr, curve.fnr, columns=100)
                rates = curve.fpr[few], curve.fnr[few]
                alpha = min(0.5, 0.12 + 3 / len(few))
                _draw_threshold_lines(self.ax_, *rates, colors=color, linewidths=0.5, alpha=alpha)
                self.ax_.plot(
                    [], [], color=color, lw=0.7, alpha=0.5, label=with_name(name, "single thresholds")
                )
                for x, y in enumerate(rates):
                    self._append(model=name, part=f"{_THRESHOLD} {x}", pc=x, cost=y)
            if band is not None and isinstance(curve, CostLine):
                at = np.linspace(0, 1, _BAND_POINTS)
                ends = np.array([curve.interval(float(x), confidence_level=band) for x in at]).T
                label = with_name(name, f"{100 * band:g} % interval at each point")
                self._band(at, ends, style["color"], 0.18, label=label)
                for part, limit in zip(("band low", "band high"), ends, strict=True):
                    self._append(model=name, part=part, pc=at, cost=limit)
            (pc, cost), text = _corners(curve).T, _words(curve, name, annotate=annotate)
            rows = {"model": name, "part": "curve", "pc": pc, "cost": cost}
            self.lines_ += self._line(rows, label=with_name(name, text), lw=1.8, zorder=3, **style)
        for number, fold in enumerate(folds or ()):
            (pc, cost), words = _corners(fold).T, "single folds" if number == 0 else None
            rows = {"model": str(number), "part": "fold", "pc": pc, "cost": cost}
            self._line(rows, color=self.lines_[0].get_color(), lw=0.7, alpha=0.35, label=words)
        # the tent reaches 0.5; single thresholds may leave the figure
        inside = ~np.char.startswith(self._drawn["part"], _THRESHOLD)
        top = 1.04 * min(1.0, float(self._drawn["cost"][inside].max(initial=0.5)))
        self._mark_crossings()
        low = 0.0
        if annotate:
            # bars under the axis: where each curve beats the trivial classifiers
            for name, curve, line in zip(self._members, self._members.values(), self.lines_, strict=True):
                reach = curve.operating_range
                low -= 0.022 * top
                if reach is not None:
                    self.ax_.plot(reach, [low, low], color=line.get_color(), lw=3.5, solid_capstyle="butt")
                    self._append(model=name, part="operating range", pc=list(reach), cost=np.nan)
            low -= 0.022 * top
        self.mu_axis_ = None if prevalence is None else _mu_axis(self.ax_, prevalence)
        return self._finish(columns=1 if annotate or band is not None else 2, ylim=(low, top))

    def _check_options(self, *, lines: bool, band: Any, folds: Any) -> None:
        kinds = {type(curve) for curve in self._members.values()}
        if lines and CostCurve not in kinds:
            raise input_error("lines", "needs a CostCurve, which has thresholds", "none")
        if band is not None:
            check_confidence_level(band, "band")
            if CostLine not in kinds:
                raise InputError(
                    "`band` needs a CostLine made with n_positive and n_negative, got none. "
                    "Hint: CostLine.from_predictions makes one."
                )
        for number, fold in enumerate(folds or ()):
            if not isinstance(fold, self._kinds):
                raise input_error(
                    f"folds[{number}]", "must be a cost curve or a cost line", type(fold).__name__
                )

    def _mark_crossings(self) -> None:
        members = self._members
        ranges = best_ranges(members) if len(members) > 1 else []
        borders = [
            before.high for before, after in pairwise(ranges) if not set(before.winners) & set(after.winners)
        ]
        curves = list(members.values())
        self.crossings_ = [(x, min(float(curve.expected_cost(x)) for curve in curves)) for x in borders]
        labelled = -1.0
        for x, cost in self.crossings_:
            rows = {"model": "", "part": "crossing", "pc": x, "cost": cost}
            self._line(rows, ls="none", marker="o", ms=6, mfc="white", mec="black", zorder=4)
            if x - labelled >= _LABEL_GAP:
                labelled = x
                # below the lower envelope there is never a line to collide with, but the
                # ticks of the axis may be near
                low = cost < _NEAR_AXIS
                place = {"textcoords": "offset points", "ha": "center", "va": "bottom" if low else "top"}
                paper = {"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 0.8}
                shift = (0, 16 if low else -7)
                self.ax_.annotate(f"{x:.3f}", (x, cost), shift, bbox=paper, zorder=4, fontsize=8, **place)


def _words(curve: Any, name: str, *, annotate: bool) -> str:
    """Return area and operating range in words, or what a curve without a name is."""
    line = isinstance(curve, CostLine)
    if annotate:
        area = (curve.fpr + curve.fnr) / 2 if line else curve.area()
        reach = curve.operating_range
        where = "nowhere" if reach is None else f"for PC(+) {reach.low:.3g} to {reach.high:.3g} (bar)"
        return f"area {area:.3f}; beats trivial {where}"
    average = isinstance(curve, AverageCostCurve)
    kind = "cost line" if line else f"average of {curve.n_curves} curves" if average else "lower envelope"
    return "" if name else kind


def _mu_axis(ax: Any, prevalence: float) -> Any:
    """Add the upper axis in mu: PC(+) = pi / (pi + mu (1 - pi)), with prevalence pi."""
    upper = ax.secondary_xaxis("top")
    places: list[float] = []
    labels: list[str] = []
    for mu in (0.0, np.inf, 1.0, 0.5, 2.0, 0.2, 5.0, 0.1, 10.0, 0.05, 20.0, 0.02, 50.0):
        x = 0.0 if np.isinf(mu) else prevalence / (prevalence + mu * (1 - prevalence))
        if all(abs(x - place) >= _LABEL_GAP for place in places):
            places.append(x)
            labels.append(r"$\infty$" if np.isinf(mu) else f"{mu:g}")
    upper.set_xticks(places, labels)
    upper.set_xlabel(f"{MU_WORDS}\nat prevalence {prevalence:.3g}")
    return upper


class CostDifferenceDisplay(
    PredictionDisplay,
    of=CostLineDifference,
    compute=cost_line_difference,
    asks="answers",
    axes={"xlabel": _PC, "ylabel": f"difference of {COST_WORDS}", "xlim": (0, 1)},
):
    """Difference of cost of two fixed classifiers with its band; see `cost_line_difference`.

    Below zero the first is cheaper. The interval is that of `CostLineDifference.interval`, pointwise, at 101
    operating points; the shaded ranges, where it excludes zero, have borders accurate to 0.0001.

    Parameters
    ----------
    result : CostLineDifference
        What to draw.

    Attributes
    ----------
    significant_ : list of (low, high)
        Ranges of operating points where the interval excludes zero.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from demur.displays import CostDifferenceDisplay
    >>> from demur.costs import cost_line_difference
    >>> y = [1] * 20 + [0] * 20
    >>> a = [1] * 18 + [0] * 2 + [0] * 15 + [1] * 5
    >>> b = [1] * 10 + [0] * 10 + [0] * 16 + [1] * 4
    >>> display = CostDifferenceDisplay.from_result(cost_line_difference(y, a, b)).plot()
    >>> low, high = display.significant_[0]
    >>> f"the first is significantly cheaper from PC(+) = {low:.2f} on"
    'the first is significantly cheaper from PC(+) = 0.46 on'
    >>> plt.close(display.figure_)
    """

    def plot(
        self, ax: Any = None, *, confidence_level: float = 0.95, names: tuple[str, str] = ("first", "second")
    ) -> Self:
        """Draw the difference, its band and the ranges where it is significant.

        Parameters
        ----------
        ax : matplotlib axes, optional
            New ones by default.
        confidence_level : float
            Of the interval at each operating point.
        names : (str, str)
            What to call the two classifiers.
        """
        level = check_confidence_level(confidence_level)
        first, second = two_names(names)
        ax, color = self._begin(ax), self._series(0)["color"]
        pc = np.linspace(0, 1, _BAND_POINTS)
        line = np.asarray(self.result.expected_cost(pc))
        low, high = np.array([self.result.interval(float(x), confidence_level=level) for x in pc]).T
        outside = (low > 0) | (high < 0)
        self.significant_ = _ranges(pc, outside, lambda x: self.result.significant(x, confidence_level=level))
        for number, ends in enumerate(self.significant_):
            words = "interval excludes 0" if number == 0 else None
            ax.axvspan(*ends, color=ACCENT, alpha=0.12, lw=0, label=words)
        self._band(pc, (low, high), color, 0.25, label=f"{100 * level:g} % interval at each point")
        self.lines_ += ax.plot(pc, line, color=color, lw=1.8, label=f"cost of {first} minus cost of {second}")
        ax.axhline(0, color="black", lw=0.8)
        for height, who in ((0.25, first), (0.75, second)):
            ax.annotate(f"{who} cheaper", (1.02, height), xycoords="axes fraction", rotation=270, va="center")
        self._record(pc=pc, difference=line, low=low, high=high, significant=outside)
        reach = 1.12 * max(float(np.abs([low, high]).max()), 0.01)
        return self._finish(ylim=(-reach, reach))


def _ranges(x: FloatArray, inside: Any, test: Any) -> list[tuple[float, float]]:
    """Join neighbouring points that pass into ranges and refine their ends by bisection."""
    turns = np.flatnonzero(np.diff(inside.astype(int)))
    ends = []
    for k in turns:
        low, high = float(x[k]), float(x[k + 1])
        while high - low > 1e-4:
            middle = (low + high) / 2
            low, high = (middle, high) if test(middle) == bool(inside[k]) else (low, middle)
        ends.append((low + high) / 2)
    ends = [float(x[0])] * bool(inside[0]) + ends + [float(x[-1])] * bool(inside[-1])
    return list(zip(ends[::2], ends[1::2], strict=True))


class RocCostDualDisplay(PredictionDisplay, of=RocCurve, compute=roc_curve):
    """A ROC curve with its hull beside the dual cost plot: points there are lines here.

    Every hull vertex and its cost line share a colour; every hull edge is a corner of the lower
    envelope. With `pc`, the line of equal cost that touches the hull is the marked point of the
    envelope (Drummond and Holte 2006). See `roc_curve` and `cost_curve`.

    Parameters
    ----------
    result : RocCurve
        What to draw.

    Attributes
    ----------
    ax_ : array of two axes
        ROC space and cost space.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from demur.displays import RocCostDualDisplay
    >>> display = RocCostDualDisplay.from_predictions([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]).plot(pc=0.5)
    >>> drawn = display.frame()
    >>> drawn["y"][drawn["part"] == "cost at pc"].tolist()
    [0.25]
    >>> plt.close(display.figure_)
    """

    def plot(self, ax: Any = None, *, pc: float | None = None) -> Self:
        """Draw both planes.

        Parameters
        ----------
        ax : two matplotlib axes, optional
            For ROC space and cost space; new ones by default.
        pc : float, optional
            Operating point to mark in both planes.
        """
        at = None if pc is None else check_rate(pc, "pc")
        self.figure_, table = axes_table(ax, (1, 2), (9.6, 5.2), rule="must hold two axes")
        self.ax_ = table[0]
        roc, costs = self.ax_
        curve, hull, envelope = self.result, self.result.convex_hull(), cost_curve(self.result.counts)
        colors = pyplot().get_cmap("viridis")(np.linspace(0, 0.92, len(hull.fpr)))
        draw_guide(roc, DIAGONAL)
        draw_guide(costs, TENT)
        shown = thinned(curve.fpr, curve.tpr)
        fpr, tpr = curve.fpr[shown], curve.tpr[shown]
        roc.plot(fpr, tpr, label=f"ROC curve, AUC {curve.auc:.3f}", lw=1.6, color="#777777")
        roc.plot(hull.fpr, hull.tpr, color="black", lw=0.9, label=f"convex hull, area {hull.auc:.3f}")
        roc.scatter(hull.fpr, hull.tpr, c=colors, s=30, zorder=3, edgecolors="black", linewidths=0.5)
        roc.set(**ROC_SPACE)
        roc.set_title("ROC space: a classifier is a point", fontsize="medium")
        _draw_threshold_lines(costs, hull.fpr, 1 - hull.tpr, colors=colors, linewidths=1.0)
        words = f"lower envelope, area {envelope.area():.3f}"
        costs.plot(*envelope.vertices.T, color="black", lw=2, label=words)
        costs.set(xlim=(0, 1), ylim=(0, 0.62), xlabel=_PC, ylabel=COST_WORDS)
        costs.set_title("Cost space: a classifier is a line", fontsize="medium")
        parts: dict[str, Any] = {
            "curve": (fpr, tpr),
            "hull": (hull.fpr, hull.tpr),
            "line at pc 0": (0.0, hull.fpr),
            "line at pc 1": (1.0, 1 - hull.tpr),
            "envelope": envelope.vertices.T,
        }
        for part, (x, y) in parts.items():
            self._append(part=part, x=x, y=y)
        if at is not None:
            self._mark(at, hull, envelope)
        for panel in self.ax_:
            panel.spines[["top", "right"]].set_visible(False)
            legend_below(panel)
        return self

    def _mark(self, pc: float, hull: RocHull, envelope: CostCurve) -> None:
        """Mark the point of the envelope, and the line of equal cost through its hull vertex."""
        cost = float(envelope.expected_cost(pc))
        best = int(np.argmin(pc * (1 - hull.tpr) + (1 - pc) * hull.fpr))
        # all ROC points of equal cost: pc (1 - tpr) + (1 - pc) fpr = cost
        normal = np.array([1 - pc, -pc])
        along = np.array([-normal[1], normal[0]]) / np.hypot(*normal)
        touch = np.array([hull.fpr[best], hull.tpr[best]])
        left, right = self.ax_
        ends = np.array([touch - 2 * along, touch + 2 * along])
        left.plot(*ends.T, color=ACCENT, lw=1.2, ls=(0, (5, 2)), label=f"equal cost at PC(+) = {pc:.3g}")
        left.plot(*touch, "s", ms=9, mfc="none", mec=ACCENT, mew=1.5)
        right.axvline(pc, color=ACCENT, lw=1.2, ls=(0, (5, 2)))
        right.plot(
            pc, cost, "s", ms=9, mfc="none", mec=ACCENT, mew=1.5, ls="none", label=f"cost {cost:.3f} there"
        )
        self._append(part="touching point", x=touch[0], y=touch[1])
        self._append(part="cost at pc", x=pc, y=cost)
