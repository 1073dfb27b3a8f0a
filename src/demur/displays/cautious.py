"""Figures of cautious classifiers: capacity graphs, response curves, ROC response surfaces."""

from collections.abc import Mapping
from typing import Any, Self

import numpy as np

from demur._checks import check_positive_int, check_rate, check_type
from demur.abstention import ABSTAIN
from demur.capacity import CapacityGraph, capacity_graph
from demur.cautious import cautious_confusion
from demur.costs import CostModel
from demur.displays._base import (
    ABSTAIN_COLOR,
    ACCENT,
    GUIDE,
    SEQUENTIAL_CMAP,
    Display,
    new_axes,
    series_style,
)
from demur.exceptions import InputError
from demur.response_curves import (
    AverageResponseCurve,
    ResponseCurve,
    RocResponseSurface,
    response_curve,
    roc_response_surface,
)
from demur.typing import ArrayLike, FloatArray, Labels

__all__ = ["CapacityGraphDisplay", "ResponseCurveDisplay", "RocResponseSurfaceDisplay"]

ABSTENTION_WORDS = "share of cases abstained on"
_METRIC_WORDS = {
    "accuracy": "accuracy of the answered cases",
    "error": "errors per case of all",
    "cost": "mean cost per case",
    "auc": "AUC of the answered cases",
    "efficacy": "efficacy",
    "capacity": "capacity",
}
# more states than this are a line, not dots
_DOTS_UP_TO = 60


class CapacityGraphDisplay(Display):
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
    >>> from demur import CapacityGraphDisplay, CautiousConfusion, capacity_graph
    >>> model = CautiousConfusion([[19, 1, 2], [0, 30, 0], [0, 1, 38], [1, 2, 6]])
    >>> display = CapacityGraphDisplay(result=capacity_graph({"R": model})).plot()
    >>> frame = display.frame()
    >>> frame["error"][frame["part"] == "hull"].round(2).tolist()
    [0.1, 0.04, 0.0]
    >>> plt.close(display.figure_)
    """

    def __init__(self, *, result: CapacityGraph) -> None:
        check_type(result, "result", CapacityGraph)
        super().__init__(result=result)

    @classmethod
    def from_predictions(
        cls,
        y_true: Labels,
        y_pred: Labels | Mapping[str, Labels],
        *,
        labels: Any = None,
        abstain: Any = ABSTAIN,
    ) -> Self:
        """Make the Display of one classifier's answers, or of a mapping {name: answers}."""
        members = y_pred if isinstance(y_pred, Mapping) else {"classifier": y_pred}
        found = {
            str(name): cautious_confusion(y_true, answers, labels=labels, abstain=abstain)
            for name, answers in members.items()
        }
        return cls(result=capacity_graph(found))

    def plot(self, ax: Any = None, *, baseline: bool = True) -> Self:
        """Draw the classifiers, their tails and the hull.

        Parameters
        ----------
        ax : matplotlib axes, optional
            New ones by default.
        baseline : bool
            Draw the line of a classifier without information.
        """
        self.figure_, ax = new_axes(ax)
        self.ax_ = ax
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
            style = {**series_style(index), "alpha": 0.45 if faint else 1.0}
            corners = np.array([tail, point, (1.0, 0.0)])
            self.lines_ += ax.plot(*corners.T, lw=1.4, label=label, **style)
            ax.plot(*point, "o", ms=6, color=style["color"], alpha=style["alpha"], clip_on=False, zorder=4)
        top = max(float(graph.tails[:, 1].max()), graph.baseline if baseline else 0.0)
        ax.set(xlim=(0, 1), ylim=(0, top * 1.05), xlabel=ABSTENTION_WORDS, ylabel="errors per case of all")
        ax.legend(frameon=False, fontsize=8)
        drawn = {"tail": graph.tails, "point": graph.points, "hull": graph.hull}
        places = np.vstack(list(drawn.values()))
        self._record(
            model=[*graph.names, *graph.names, *graph.corners],
            part=np.repeat(list(drawn), [len(rows) for rows in drawn.values()]),
            abstention=places[:, 0],
            error=places[:, 1],
        )
        return self


class ResponseCurveDisplay(Display):
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
    >>> from demur import ResponseCurveDisplay, response_curve
    >>> curve = response_curve([0, 1, 1, 0], [0.1, 0.9, 0.4, 0.3], metric="error")
    >>> display = ResponseCurveDisplay(result=curve).plot(mark_best=True)
    >>> display.best_[0].abstention, display.ax_.get_ylabel()
    (0.25, 'errors per case of all')
    >>> plt.close(display.figure_)
    """

    def __init__(self, *, result: Any) -> None:
        self.curves = dict(result) if isinstance(result, Mapping) else {"": result}
        if not self.curves:
            raise InputError("`result` must hold at least one response curve, got none.")
        for curve in self.curves.values():
            if not isinstance(curve, (ResponseCurve, AverageResponseCurve)):
                raise InputError(f"`result` must be response curves, got {type(curve).__name__}.")
        metrics = sorted({curve.metric for curve in self.curves.values()})
        if len(metrics) > 1:
            raise InputError(f"`result` must be of one metric, got {metrics}. Hint: one figure for each.")
        self.metric = metrics[0]
        super().__init__(result=result)

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
    ) -> Self:
        """Make the Display of one classifier, or of a mapping {name: proba}; see `response_curve`."""

        def one(p: Any) -> ResponseCurve:
            return response_curve(
                y_true, p, sample_weight=sample_weight, bias=bias, metric=metric, costs=costs, labels=labels
            )

        if isinstance(proba, Mapping):
            return cls(result={str(name): one(p) for name, p in proba.items()})
        return cls(result=one(proba))

    def plot(self, ax: Any = None, *, mark_best: bool = False) -> Self:
        """Draw the curves.

        Parameters
        ----------
        ax : matplotlib axes, optional
            New ones by default.
        mark_best : bool
            Ring the best state of each curve and write its window in the legend.
        """
        self.figure_, ax = new_axes(ax)
        self.ax_ = ax
        self.lines_, self.best_ = [], []
        drawn: list[tuple[Any, ...]] = []
        for index, (name, curve) in enumerate(self.curves.items()):
            x, y = _defined(curve)
            label = _legend(name, curve, mark_best=mark_best)
            style = series_style(index)
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
            drawn.append((np.full(len(x), name), x, y))
        ax.set(xlim=(0, 1), xlabel=ABSTENTION_WORDS, ylabel=_METRIC_WORDS[self.metric])
        if self.metric != "auc":
            ax.set_ylim(bottom=0 if self.metric in ("error", "cost") else None)
        if any(line.get_label() and not line.get_label().startswith("_") for line in self.lines_):
            ax.legend(frameon=False, fontsize=8)
        model, abstention, value = (np.concatenate(column) for column in zip(*drawn, strict=True))
        self._record(model=model, abstention=abstention, value=value)
        return self


def _defined(curve: Any) -> tuple[FloatArray, FloatArray]:
    keep = ~np.isnan(curve.value)
    return curve.abstention[keep], curve.value[keep]


def _legend(name: str, curve: Any, *, mark_best: bool) -> str | None:
    parts = [name] if name else []
    parts.append(f"area {curve.area:.3f}")
    if mark_best and isinstance(curve, ResponseCurve):
        best = curve.best()
        if np.isfinite(best.window):
            parts.append(f"best {best.value:.4g} at window {best.window:.3f}")
        else:
            parts.append(f"best {best.value:.4g} by abstaining on everything")
    return ", ".join(parts)


class RocResponseSurfaceDisplay(Display):
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
    >>> from demur import RocResponseSurfaceDisplay
    >>> y, p = [0, 0, 1, 0, 1, 0, 1, 1], [0.05, 0.1, 0.3, 0.35, 0.6, 0.7, 0.9, 0.95]
    >>> display = RocResponseSurfaceDisplay.from_predictions(y, p).plot(levels=5)
    >>> display.frame()["tpr"].shape
    (505,)
    >>> plt.close(display.figure_)
    """

    def __init__(self, *, result: RocResponseSurface) -> None:
        check_type(result, "result", RocResponseSurface)
        super().__init__(result=result)

    @classmethod
    def from_predictions(
        cls,
        y_true: Labels,
        proba: Any,
        *,
        sample_weight: ArrayLike | None = None,
        bias: ArrayLike | None = None,
        labels: Any = None,
    ) -> Self:
        """Make the Display from predictions; see `roc_response_surface`."""
        options = {"sample_weight": sample_weight, "bias": bias, "labels": labels}
        return cls(result=roc_response_surface(y_true, proba, **options))

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
        self.figure_, ax = new_axes(ax, projection="3d", size=(6.4, 5.2))
        self.ax_ = ax
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
