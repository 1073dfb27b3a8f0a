"""Figures of cautious classifiers: capacity graphs, response curves, ROC response surfaces."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np

from demur._checks import check_positive_int, check_rate, input_error
from demur.cautious.capacity import CapacityGraph, capacity_graph
from demur.cautious.confusion import cautious_confusion
from demur.cautious.response import ResponseCurve, response_curve
from demur.cautious.roc_response import RocResponseSurface, roc_response_surface
from demur.cautious.several_responses import AverageResponseCurve
from demur.costs.model import CostModel
from demur.displays.base import (
    ABSTAIN_COLOR,
    ACCENT,
    GUIDE,
    SEQUENTIAL_CMAP,
    Display,
    framed,
    only_one,
    thinned,
    with_name,
)
from demur.displays.estimator_input import FromEstimator
from demur.surface.window import ABSTAIN
from demur.typing import ArrayLike, FloatArray, Labels

__all__ = ["CapacityGraphDisplay", "ResponseCurveDisplay", "RocResponseSurfaceDisplay"]

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


class CapacityGraphDisplay(FromEstimator, Display):
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

    _asks = "answers"
    _kinds = (CapacityGraph,)

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
        only_one(name, y_pred)
        members = y_pred if isinstance(y_pred, Mapping) else {name or "classifier": y_pred}
        confusions = {
            str(model): cautious_confusion(y_true, answers, labels=labels, abstain=abstain)
            for model, answers in members.items()
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
        ax = self._begin(ax)
        graph = self.result
        if baseline:
            line = {"color": ABSTAIN_COLOR, "lw": 1, "ls": (0, (4, 3)), "label": "no information"}
            ax.plot([0, 1], [graph.baseline, 0], **line)
        self.hull_ = ax.plot(
            graph.hull[:, 0],
            graph.hull[:, 1],
            color="#000000",
            lw=5,
            alpha=0.16,
            solid_capstyle="round",
            label=f"best mixture (capacity {graph.capacity:.3f})",
        )[0]
        self.lines_ = []
        for index, name in enumerate(graph.names):
            tail, point = graph.tails[index], graph.points[index]
            faint = name in graph.discarded
            label = f"{name} (never worth using)" if faint else name
            style = {**self._series(index), "alpha": 0.45 if faint else 1.0}
            corners = np.array([tail, point, (1.0, 0.0)])
            self.lines_ += ax.plot(*corners.T, lw=1.4, label=label, **style)
            ax.plot(*point, "o", ms=6, color=style["color"], alpha=style["alpha"], clip_on=False, zorder=4)
        top = max(float(graph.tails[:, 1].max()), graph.baseline if baseline else 0.0)
        ax.set(xlim=(0, 1), ylim=(0, top * 1.05))
        framed(ax, ABSTENTION_WORDS, "errors per case of all")
        parts = {
            "tail": (graph.names, graph.tails),
            "point": (graph.names, graph.points),
            "hull": (graph.corners, graph.hull),
        }
        for part, (names, places) in parts.items():
            self._append(model=names, part=part, abstention=places[:, 0], error=places[:, 1])
        return self


class ResponseCurveDisplay(FromEstimator, Display):
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

    _asks = "probabilities"
    _kinds = (ResponseCurve, AverageResponseCurve)
    _several = True

    def __init__(self, *, result: Any) -> None:
        super().__init__(result=result)
        metrics = sorted({curve.metric for curve in self._members.values()})
        if len(metrics) > 1:
            raise input_error("result", "must be of one metric", metrics, "one figure for each.")
        self.metric = metrics[0]

    @classmethod
    def from_predictions(
        cls,
        y_true: Labels,
        proba: Any,
        *,
        sample_weight: ArrayLike | None = None,
        bias: ArrayLike | None = None,
        metric: str = "accuracy",
        costs: ArrayLike | CostModel | None = None,
        labels: Any = None,
        ax: Any = None,
        name: str | None = None,
    ) -> Self:
        """Make the Display of one classifier, or of a mapping {name: proba}; see `response_curve`."""

        def curve_of(p: Any) -> ResponseCurve:
            return response_curve(
                y_true, p, sample_weight=sample_weight, bias=bias, metric=metric, costs=costs, labels=labels
            )

        if isinstance(proba, Mapping):
            only_one(name, proba)
            return cls(result={str(model): curve_of(p) for model, p in proba.items()})._shown(ax, None)
        return cls(result=curve_of(proba))._shown(ax, name)

    def plot(self, ax: Any = None, *, mark_best: bool = False) -> Self:
        """Draw the curves.

        Parameters
        ----------
        ax : matplotlib axes, optional
            New ones by default.
        mark_best : bool
            Ring the best state of each curve and write its window in the legend.
        """
        ax = self._begin(ax)
        self.lines_, self.best_ = [], []
        for index, (name, curve) in enumerate(self._members.items()):
            x, y = _defined(curve)
            label = _legend(name, curve, mark_best=mark_best)
            style = self._series(index)
            marker = {"marker": "o", "ms": 3} if len(x) <= _DOTS_UP_TO else {}
            # an accuracy or AUC at abstention 1 is a convention and what leads there no mixture
            solid = len(x) if self.metric in ("error", "cost") else len(x) - 1
            self.lines_ += ax.plot(x[:solid], y[:solid], lw=1.6, label=label, **style, **marker)
            ax.plot(x[solid - 1 :], y[solid - 1 :], color=style["color"], lw=1, alpha=0.4)
            if mark_best and isinstance(curve, ResponseCurve):
                best = curve.best()
                self.best_.append(best)
                ring = {"ms": 11, "mfc": "none", "mec": style["color"], "mew": 1.8, "clip_on": False}
                ax.plot(best.abstention, best.value, "o", **ring)
            self._append(model=name, abstention=x, value=y)
        ax.set_xlim(0, 1)
        if self.metric != "auc":
            ax.set_ylim(bottom=0 if self.metric in ("error", "cost") else None)
        framed(ax, ABSTENTION_WORDS, METRIC_WORDS[self.metric])
        return self


def _defined(curve: Any) -> tuple[FloatArray, FloatArray]:
    """Points with a value, as many as a figure can show."""
    keep = ~np.isnan(curve.value)
    x, y = curve.abstention[keep], curve.value[keep]
    at = thinned(x, y)
    return x[at], y[at]


def _legend(name: str, curve: Any, *, mark_best: bool) -> str:
    parts = [f"area {curve.area:.3f}"]
    if mark_best and isinstance(curve, ResponseCurve):
        best = curve.best()
        if np.isfinite(best.window):
            parts.append(f"best {best.value:.4g} at window {best.window:.3f}")
        else:
            parts.append(f"best {best.value:.4g} by abstaining on everything")
    return with_name(name, ", ".join(parts))


class RocResponseSurfaceDisplay(FromEstimator, Display):
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

    _asks = "probabilities"
    _kinds = (RocResponseSurface,)

    @classmethod
    def from_predictions(
        cls,
        y_true: Labels,
        proba: Any,
        *,
        sample_weight: ArrayLike | None = None,
        bias: ArrayLike | None = None,
        labels: Any = None,
        ax: Any = None,
        name: str | None = None,
    ) -> Self:
        """Make the Display from predictions; see `roc_response_surface`."""
        options = {"sample_weight": sample_weight, "bias": bias, "labels": labels}
        return cls(result=roc_response_surface(y_true, proba, **options))._shown(ax, name)

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
        ax = self._begin(ax, projection="3d", size=(6.4, 5.2))
        surface = self.result
        count = check_positive_int(levels, "levels", minimum=2)
        reach = surface.abstention[:-1][~np.isnan(surface.auc[:-1])].max(initial=0.0)
        shares = np.linspace(0, min(check_rate(highest, "highest"), float(reach)), count)
        grid = np.linspace(0, 1, 101)
        curves = [surface.roc(share) for share in shares]
        tpr = np.array([np.interp(grid, curve.fpr, curve.tpr) for curve in curves])
        x, y = np.meshgrid(grid, shares)
        ax.computed_zorder = False  # the curve without abstention stays visible
        self.surface_ = ax.plot_surface(
            x,
            y,
            tpr,
            cmap=SEQUENTIAL_CMAP,
            vmin=0,
            vmax=1,
            rstride=1,
            cstride=2,
            linewidth=0,
            antialiased=False,
        )
        ax.plot(grid, np.zeros_like(grid), tpr[0], color=ACCENT, lw=1.6, zorder=3)
        ax.set(xlim=(0, 1), zlim=(0, 1), zlabel="true positive rate")
        ax.set_xlabel("false positive rate", labelpad=8)
        ax.set_ylabel(ABSTENTION_WORDS, labelpad=10)
        ax.set_title(f"volume under the surface {surface.volume:.3f}", fontsize=9, color="#333333")
        ax.view_init(elev=26, azim=-58)
        ax.set_box_aspect(None, zoom=0.85)
        for axis in (ax.xaxis, ax.yaxis, ax.zaxis):
            axis.pane.set_edgecolor(GUIDE)
        self._record(fpr=x.ravel(), abstention=y.ravel(), tpr=tpr.ravel())
        return self
