"""Figures of cautious classifiers: capacity, response curves and bands, efficacy, selective risk."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np

from demur._checks import check_positive_int, check_rate, input_error
from demur.cautious.bands import ResponseBand, response_band
from demur.cautious.capacity import CapacityGraph, capacity_graph
from demur.cautious.confusion import CautiousConfusion, cautious_confusion
from demur.cautious.response import (
    AverageResponseCurve,
    ResponseCurve,
    RocResponseSurface,
    response_curve,
    roc_response_surface,
)
from demur.cautious.selective_risk import RiskCoverageCurve, risk_coverage_curve
from demur.counts.scores import ScoreCounts
from demur.counts.window import AbstentionWindow
from demur.displays.base import (
    ABSTAIN_COLOR,
    ACCENT,
    DIAGONAL,
    GUIDE,
    ROC_SPACE,
    SEQUENTIAL_CMAP,
    BandDisplay,
    CurveDisplay,
    PredictionDisplay,
    by_model,
    draw_guide,
    thinned,
    with_name,
)
from demur.exceptions import UndefinedError
from demur.roc.curve import RocCurve, cut_out, roc_curve
from demur.surface.window import ABSTAIN, decide
from demur.typing import ArrayLike, FloatArray, Labels

__all__ = [
    "CapacityGraphDisplay",
    "EfficacyDisplay",
    "ResponseBandDisplay",
    "ResponseCurveDisplay",
    "RiskCoverageDisplay",
    "RocResponseSurfaceDisplay",
    "RocSecantDisplay",
]

ABSTENTION_WORDS = "share of cases abstained on"
METRIC_WORDS = {
    "accuracy": "accuracy of the answered cases",
    "error": "errors per case of all",
    "cost": "mean cost per case",
    "auc": "AUC of the answered cases",
    "efficacy": "efficacy",
    "f_score": "f-score of accuracy and coverage",
    "capacity": "capacity",
}
# more states than this are a line, not dots
_DOTS_UP_TO = 60


class CapacityGraphDisplay(
    PredictionDisplay,
    asks="answers",
    of=CapacityGraph,
    axes={
        "xlabel": ABSTENTION_WORDS,
        "ylabel": METRIC_WORDS["error"],
        "xlim": (0, 1),
    },
):
    """Error against abstention of cautious classifiers with the hull of their mixtures.

    The lower the better. Each classifier is a dot with two straight tails: left by guessing, right
    by withdrawing answers. Classifiers off the hull are drawn faintly: no share of abstentions
    makes them worth using. See `capacity_graph`.

    Parameters
    ----------
    result : CapacityGraph
        What to draw.

    Attributes
    ----------
    lines_ : list
        One line per classifier.
    hull_ : line
        The hull.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from demur.displays import CapacityGraphDisplay
    >>> from demur import CautiousConfusion
    >>> from demur.cautious import capacity_graph
    >>> model = CautiousConfusion([[19, 1, 2], [0, 30, 0], [0, 1, 38], [1, 2, 6]])
    >>> display = CapacityGraphDisplay(result=capacity_graph({"R": model})).plot()
    >>> frame = display.frame()
    >>> frame["error"][frame["part"] == "hull"].round(2).tolist()
    [0.1, 0.04, 0.0]
    >>> plt.close(display.figure_)
    """

    @classmethod
    def from_predictions(
        cls,
        y_true: Labels,
        y_pred: Labels | Mapping[str, Labels],
        *,
        labels: Any = None,
        abstain: Any = ABSTAIN,
        ax: Any = None,
        name: str | None = None,
    ) -> Self:
        """Make the Display of one classifier's answers, or of a mapping {name: answers}."""
        confusions = {
            model: cautious_confusion(y_true, answers, labels=labels, abstain=abstain)
            for model, answers in by_model(y_pred, name, "classifier").items()
        }
        return cls(result=capacity_graph(confusions))._shown(ax, None)

    def plot(self, ax: Any = None, *, baseline: bool = True) -> Self:
        """Draw the classifiers, their tails and the hull.

        Parameters
        ----------
        ax : matplotlib axes, optional
            New ones by default.
        baseline : bool
            Draw the line of a classifier without information.
        """
        graph, ax = self.result, self._begin(ax)
        if baseline:
            draw_guide(ax, ((0, 1), (graph.baseline, 0), "no information"), color=ABSTAIN_COLOR)
        words = f"best mixture (capacity {graph.capacity:.3f})"
        (self.hull_,) = ax.plot(
            *graph.hull.T, label=words, color="#000000", lw=5, alpha=0.16, solid_capstyle="round"
        )
        for index, (name, tail, point) in enumerate(zip(graph.names, graph.tails, graph.points, strict=True)):
            faint = name in graph.discarded
            label = f"{name} (never worth using)" if faint else name
            style = {**self._series(index), "alpha": 0.45 if faint else 1.0}
            self.lines_ += ax.plot(*np.array([tail, point, (1.0, 0.0)]).T, lw=1.4, label=label, **style)
            ax.plot(*point, "o", ms=6, color=style["color"], alpha=style["alpha"], clip_on=False, zorder=4)
        parts = {
            "tail": (graph.names, graph.tails),
            "point": (graph.names, graph.points),
            "hull": (graph.corners, graph.hull),
        }
        for part, (names, places) in parts.items():
            self._append(model=names, part=part, abstention=places[:, 0], error=places[:, 1])
        top = max(float(graph.tails[:, 1].max()), graph.baseline if baseline else 0.0)
        return self._finish(ylim=(0, top * 1.05))


class ResponseCurveDisplay(
    CurveDisplay,
    asks="probabilities",
    of=(ResponseCurve, AverageResponseCurve),
    compute=response_curve,
    axes={"xlabel": ABSTENTION_WORDS, "xlim": (0, 1)},
):
    """A measure against the share of abstentions, for one or several classifiers or biases.

    Corners are the states of the caution window. For measures of the answered cases the faint last
    piece leads to a convention at abstention 1, not to a state. See `response_curve`.

    Parameters
    ----------
    result : ResponseCurve, AverageResponseCurve, or mapping {name: one of them}
        What to draw; all of one metric.

    Attributes
    ----------
    lines_ : list
        One line per curve.
    best_ : list of ResponsePoint
        The marked states, one per `ResponseCurve`, if `mark_best`.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from demur.displays import ResponseCurveDisplay
    >>> from demur import response_curve
    >>> curve = response_curve([0, 1, 1, 0], [0.1, 0.9, 0.4, 0.3], metric="error")
    >>> display = ResponseCurveDisplay(result=curve).plot(mark_best=True)
    >>> display.best_[0].abstention, display.ax_.get_ylabel()
    (0.25, 'errors per case of all')
    >>> plt.close(display.figure_)
    """

    def __init__(self, *, result: Any) -> None:
        super().__init__(result=result)
        metrics = sorted({curve.metric for curve in self._members.values()})
        if len(metrics) > 1:
            raise input_error("result", "must be of one metric", metrics, "one figure for each.")
        self.metric = metrics[0]

    def plot(self, ax: Any = None, *, mark_best: bool = False) -> Self:
        """Draw the curves.

        Parameters
        ----------
        ax : matplotlib axes, optional
            New ones by default.
        mark_best : bool
            Ring the best state of each curve and write its window in the legend.
        """
        self.best_ = []
        upwards = self.metric not in ("error", "cost")
        for name, curve, style in self._curves(ax):
            # points with a value, as many as a figure can show
            points = np.stack([curve.abstention, curve.value])[:, ~np.isnan(curve.value)]
            x, y = points[:, thinned(*points)]
            words = f"area {curve.area:.3f}"
            if mark_best and isinstance(curve, ResponseCurve):
                best = curve.best()
                self.best_.append(best)
                ring = {"ms": 11, "mfc": "none", "mec": style["color"], "mew": 1.8, "clip_on": False}
                self.ax_.plot(best.abstention, best.value, "o", **ring)
                finite = np.isfinite(best.window)
                where = f"at window {best.window:.3f}" if finite else "by abstaining on everything"
                words += f", best {best.value:.4g} {where}"
            marker = {"marker": "o", "ms": 3} if len(x) <= _DOTS_UP_TO else {}
            # an accuracy or AUC at abstention 1 is a convention and what leads there no mixture
            solid = len(x) - upwards
            look = {"lw": 1.6, "label": with_name(name, words), **style, **marker}
            self.lines_ += self.ax_.plot(x[:solid], y[:solid], **look)
            self.ax_.plot(x[solid - 1 :], y[solid - 1 :], color=style["color"], lw=1, alpha=0.4)
            self._append(model=name, abstention=x, value=y)
        limits: Any = {} if self.metric == "auc" else {"ylim": (None if upwards else 0, None)}
        return self._finish(ylabel=METRIC_WORDS[self.metric], **limits)


class RocResponseSurfaceDisplay(
    PredictionDisplay, asks="probabilities", of=RocResponseSurface, compute=roc_response_surface
):
    """ROC curves of the answered cases stacked over the share of abstentions, in 3-D.

    The volume under the surface is the area under the AUC against abstention. The surface ends at
    the last share at which both classes are still answered. See `roc_response_surface`.

    Parameters
    ----------
    result : RocResponseSurface
        What to draw.

    Attributes
    ----------
    surface_ : artist
        The surface.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from demur.displays import RocResponseSurfaceDisplay
    >>> y, p = [0, 0, 1, 0, 1, 0, 1, 1], [0.05, 0.1, 0.3, 0.35, 0.6, 0.7, 0.9, 0.95]
    >>> display = RocResponseSurfaceDisplay.from_predictions(y, p).plot(levels=5)
    >>> display.frame()["tpr"].shape
    (505,)
    >>> plt.close(display.figure_)
    """

    def plot(self, ax: Any = None, *, levels: int = 40, highest: float = 1.0) -> Self:
        """Draw the surface.

        Parameters
        ----------
        ax : matplotlib 3-D axes, optional
            New ones by default.
        levels : int
            Number of shares of abstentions at which a ROC curve is computed.
        highest : float
            Largest share to draw, at most the last one with both classes.
        """
        ax = self._begin_3d(ax, size=(6.4, 5.2))
        surface = self.result
        count = check_positive_int(levels, "levels", minimum=2)
        reach = surface.abstention[:-1][~np.isnan(surface.auc[:-1])].max(initial=0.0)
        shares = np.linspace(0, min(check_rate(highest, "highest"), float(reach)), count)
        grid = np.linspace(0, 1, 101)
        tpr = np.array([np.interp(grid, curve.fpr, curve.tpr) for curve in map(surface.roc, shares)])
        x, y = np.meshgrid(grid, shares)
        look = {"rstride": 1, "cstride": 2, "linewidth": 0, "antialiased": False}
        self.surface_ = ax.plot_surface(x, y, tpr, cmap=SEQUENTIAL_CMAP, vmin=0, vmax=1, **look)
        # the curve without abstention stays visible
        ax.plot(grid, np.zeros_like(grid), tpr[0], color=ACCENT, lw=1.6, zorder=3)
        ax.set_title(f"volume under the surface {surface.volume:.3f}", fontsize=9, color="#333333")
        for axis in (ax.xaxis, ax.yaxis, ax.zaxis):
            axis.pane.set_edgecolor(GUIDE)
        self._record(fpr=x.ravel(), abstention=y.ravel(), tpr=tpr.ravel())
        words, limits = (
            (ROC_SPACE["xlabel"], ABSTENTION_WORDS, ROC_SPACE["ylabel"]),
            {"xlim": (0, 1), "zlim": (0, 1)},
        )
        return self._finish_3d(words, zpad=6, elev=26, azim=-58, zoom=0.85, **limits)


class EfficacyDisplay(
    CurveDisplay,
    asks="answers",
    of=CautiousConfusion,
    compute=cautious_confusion,
    axes={
        "xlabel": ABSTENTION_WORDS,
        "ylabel": METRIC_WORDS["accuracy"],
        "xlim": (0, 1),
        "ylim": (0, 1.02),
    },
):
    """Accuracy against abstention with the area that is the efficacy (figure 1 of the paper).

    The larger the area the better. From (0, 0) to the classifier and on to (1, 1); the area below is
    (accuracy + coverage) / 2. See `CautiousConfusion`.

    Parameters
    ----------
    result : CautiousConfusion, or mapping {name: CautiousConfusion}

    Attributes
    ----------
    lines_ : list
        One line per classifier.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from demur import CautiousConfusion
    >>> from demur.displays import EfficacyDisplay
    >>> model = CautiousConfusion([[19, 1, 2], [0, 30, 0], [0, 1, 38], [1, 2, 6]])
    >>> display = EfficacyDisplay(result=model).plot()
    >>> drawn = display.frame()
    >>> drawn["abstention"].tolist(), drawn["accuracy"].round(3).tolist()
    ([0.0, 0.09, 1.0], [0.0, 0.956, 1.0])
    >>> plt.close(display.figure_)
    """

    def plot(self, ax: Any = None) -> Self:
        """Draw the classifiers and their areas on `ax`, or on new axes."""
        for name, matrix, style in self._curves(ax):
            if np.isnan(matrix.accuracy):
                raise UndefinedError("Efficacy needs answers, got abstentions only. Hint: leave it out.")
            x, y = [0.0, matrix.abstention, 1.0], [0.0, matrix.accuracy, 1.0]
            look = {**style, "marker": "o", "ms": 4, "lw": 1.6, "clip_on": False}
            label = with_name(name, f"efficacy {matrix.efficacy:.3f}")
            self.lines_ += self._line({"model": name, "abstention": x, "accuracy": y}, label=label, **look)
            self._band(x, (0, y), style["color"], 0.12)
        return self._finish()


class RocSecantDisplay(PredictionDisplay, of=RocCurve, axes=ROC_SPACE, guide=DIAGONAL):
    """What a window does to a ROC curve: the secant it cuts off, and the curve of the decided cases.

    The window takes the middle of the curve out; both remaining parts are stretched until they meet
    (figure 8 of the paper). Up and left is better. See `roc.reliable_roc`.

    Parameters
    ----------
    result : RocCurve
        Of all cases.
    window : AbstentionWindow or (lower, upper)
        The window.

    Attributes
    ----------
    lines_ : list
        All cases, secant, decided cases.
    decided : ReliableRoc
        The curve of the decided cases.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from demur.displays import RocSecantDisplay
    >>> y, s = [0, 0, 1, 0, 1, 0, 1, 1], [1, 2, 3, 4, 5, 6, 7, 8]
    >>> display = RocSecantDisplay.from_predictions(y, s, window=(2.5, 6.5)).plot()
    >>> display.decided.auc
    1.0
    >>> plt.close(display.figure_)
    """

    def __init__(self, *, result: RocCurve, window: AbstentionWindow | tuple[float, float]) -> None:
        super().__init__(result=result)
        self.window = window
        codes = decide(result.counts.scores, window)
        if not np.any(codes == ABSTAIN):
            raise input_error("window", "must abstain on some score", repr(window), "widen it.")
        # vertices run from the highest score down
        self._cuts = int(np.count_nonzero(codes == 1)), int(np.count_nonzero(codes != 0))
        self.decided = cut_out(result.fpr, result.tpr, *self._cuts)

    @classmethod
    def from_predictions(
        cls,
        y_true: Labels | ScoreCounts,
        y_score: ArrayLike | None = None,
        *,
        window: AbstentionWindow | tuple[float, float],
        pos_label: Any = None,
        sample_weight: ArrayLike | None = None,
        ax: Any = None,
        name: str | None = None,
    ) -> Self:
        """Make the Display of labels, scores and a window."""
        curve = roc_curve(y_true, y_score, pos_label=pos_label, sample_weight=sample_weight)
        return cls(result=curve, window=window)._shown(ax, name)

    @classmethod
    def from_result(cls, result: Any, window: Any = None) -> Self:
        """Make the Display of a ROC curve and a window of its scores."""
        return cls(result=result, window=window)

    def plot(self, ax: Any = None) -> Self:
        """Draw both curves and the secant on `ax`, or on new axes."""
        self._begin(ax)
        curve, decided, ends = self.result, self.decided, list(self._cuts)
        grey = {"color": ABSTAIN_COLOR, "lw": 1.4, "ls": (0, (4, 3)), "marker": "o", "ms": 4}
        parts = (
            ("all cases", f", AUC {curve.auc:.3f}", curve.fpr, curve.tpr, self._series(0)),
            ("secant of the window", "", curve.fpr[ends], curve.tpr[ends], grey),
            ("decided cases", f", AUC {decided.auc:.3f}", decided.fpr, decided.tpr, self._series(1)),
        )
        for part, area, fpr, tpr, style in parts:
            look = {"lw": 1.6, "label": part + area, **style}
            self.lines_ += self._line({"part": part, "fpr": fpr, "tpr": tpr}, **look)
        return self._finish()


class ResponseBandDisplay(
    BandDisplay,
    asks="probabilities",
    of=ResponseBand,
    compute=response_band,
    axes={"xlabel": ABSTENTION_WORDS, "xlim": (0, 1)},
):
    """A response curve with the simultaneous and the pointwise band; see `response_band`.

    The curve of the population lies inside the wide band everywhere, with the confidence level; at one
    share of abstentions fixed in advance inside the narrow one.

    Parameters
    ----------
    result : ResponseBand
        What to draw.

    Attributes
    ----------
    line_ : line
        The curve.
    bands_ : list
        Simultaneous and pointwise band.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from demur.displays import ResponseBandDisplay
    >>> y, p = [0, 0, 1, 0, 1, 1], [0.1, 0.2, 0.4, 0.6, 0.8, 0.9]
    >>> display = ResponseBandDisplay.from_predictions(y, p).plot()
    >>> display.ax_.get_ylabel()
    'accuracy of the answered cases'
    >>> plt.close(display.figure_)
    """

    def plot(self, ax: Any = None) -> Self:
        """Draw the curve and its bands on `ax`, or on new axes."""
        self._begin(ax)
        band, color = self.result, self._series(0)["color"]
        self._bands(band.abstention, color)
        names = ("abstention", "value", "low", "high", "pointwise_low", "pointwise_high")
        rows = {"model": "", **{column: getattr(band, column) for column in names}}
        self.lines_ = self._line(rows, color=color, lw=1.6, label="these cases")
        (self.line_,) = self.lines_
        downwards = band.metric in ("error", "cost")
        limits: Any = {"ylim": (min(0.0, float(band.low.min())), None)} if downwards else {}
        return self._finish(ylabel=METRIC_WORDS[band.metric], **limits)


# within a group of equal confidence the risk bends like a + b/c: points enough to look smooth
_BETWEEN = 400


class RiskCoverageDisplay(
    CurveDisplay,
    asks="losses",
    of=RiskCoverageCurve,
    compute=risk_coverage_curve,
    axes={
        "xlabel": "coverage (share of cases answered)",
        "xlim": (0, 1),
        "ylim": (0, None),
    },
):
    """Mean loss of the answered cases against coverage, for one or several models.

    The lower the better. The dashed grey line is the best possible order of the first model's
    losses; what lies between is the room for a better confidence. See `risk_coverage_curve`.

    Parameters
    ----------
    result : RiskCoverageCurve, or mapping {name: RiskCoverageCurve}
        What to draw.

    Attributes
    ----------
    lines_ : list
        One line per model.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from demur.displays import RiskCoverageDisplay
    >>> wrong, sure = [0, 1, 0, 0, 0, 1, 0, 0], [0.95, 0.9, 0.9, 0.8, 0.7, 0.6, 0.6, 0.5]
    >>> display = RiskCoverageDisplay.from_predictions(wrong, sure).plot()
    >>> display.ax_.get_xlabel()
    'coverage (share of cases answered)'
    >>> plt.close(display.figure_)
    """

    def plot(self, ax: Any = None, *, generalized: bool = False, best: bool = True) -> Self:
        """Draw the curves.

        Parameters
        ----------
        ax : matplotlib axes, optional
            New ones by default.
        generalized : bool
            Draw the loss per case of all (area AUGRC) instead of per answered case (area AURC).
        best : bool
            Draw the best possible order of the first model's losses.
        """
        for name, curve, style in self._curves(ax):
            area = f"AUGRC {curve.augrc:.3f}" if generalized else f"AURC {curve.aurc:.3f}"
            rows = {"model": name, "part": "curve", **_points(curve, generalized=generalized)}
            self.lines_ += self._line(rows, lw=1.6, label=with_name(name, area), **style)
        if best:
            (first, curve), words = next(iter(self._members.items())), "best possible order"
            rows = {"model": first, "part": words, **_points(curve.best_possible(), generalized=generalized)}
            self._line(rows, color=ABSTAIN_COLOR, lw=1.2, ls=(0, (4, 3)), label=words)
        which = "loss per case of all" if generalized else "mean loss of the answered cases"
        return self._finish(ylabel=which)


def _points(curve: RiskCoverageCurve, *, generalized: bool) -> dict[str, FloatArray]:
    """Return the ends of the groups, and points between them."""
    if curve.convention == "discrete":
        x, y = curve.coverage, curve.generalized_risk if generalized else curve.risk
    else:
        x = np.union1d(curve.coverage, np.arange(1, _BETWEEN + 1) / _BETWEEN)
        ends = np.concatenate([[0.0], curve.coverage])
        accepted = np.interp(x, ends, np.concatenate([[0.0], curve.generalized_risk]))
        y = accepted if generalized else accepted / x
    at = thinned(x, y)
    return {"coverage": x[at], "risk": y[at]}
