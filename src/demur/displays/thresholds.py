"""Figures of decisions without labels: NROC curve, thresholds by cost, cost of mimetic models."""

from __future__ import annotations

from functools import partial
from typing import Any, Self

import numpy as np

from demur._checks import check_finite, input_error
from demur.costs.model import CostModel
from demur.displays.base import (
    ACCENT,
    DASHES,
    DIAGONAL,
    GUIDE,
    SERIES,
    UNIT_SQUARE,
    Display,
    PredictionDisplay,
    pyplot,
)
from demur.estimators.mimetic import MimeticComparison, mimetic_configurations
from demur.typing import ArrayLike
from demur.unlabelled.thresholds import (
    NrocCurve,
    direct_threshold,
    nroc_curve,
    nroc_threshold,
    ranking_threshold,
)

__all__ = ["MimeticCostDisplay", "NrocCurveDisplay", "ThresholdsByCostDisplay"]

_DEFAULT_MU = np.geomspace(0.1, 10, 201)


class NrocCurveDisplay(
    PredictionDisplay,
    of=NrocCurve,
    compute=nroc_curve,
    asks="unlabelled",
    axes={
        **UNIT_SQUARE,
        "xlabel": "expected false positive rate",
        "ylabel": "expected true positive rate",
    },
    guide=DIAGONAL,
):
    """Expected ROC curve of unlabelled cases, with the line of equal cost that touches it.

    The NROC space of Blanco-Vega et al. (2006), section 2.3. See `nroc_curve` and `nroc_threshold`.

    Parameters
    ----------
    result : NrocCurve
        What to draw.

    Attributes
    ----------
    curve_, line_, points_ : artists
        `line_` is None and `points_` is empty where no costs are given.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from demur import CostModel
    >>> from demur.displays import NrocCurveDisplay
    >>> proba = [0.9, 0.8, 0.6, 0.55, 0.4, 0.2, 0.1]
    >>> display = NrocCurveDisplay.from_predictions(proba).plot(costs=CostModel(cost_fp=2))
    >>> round(float(display.frame()["nroc_threshold"]), 4)
    0.673
    >>> plt.close(display.figure_)
    """

    def plot(self, ax: Any = None, *, costs: CostModel | None = None) -> Self:
        """Draw the curve on `ax` or on new axes; with `costs` also the thresholds they lead to."""
        ax = self._begin(ax)
        curve: NrocCurve = self.result
        words = f"expected curve, area {curve.auc:.3g}"
        rows = {"fpr": curve.fpr, "tpr": curve.tpr, "thresholds": curve.thresholds}
        (self.curve_,) = self._line(rows, lw=1.8, label=words, **self._series(0))
        self.line_: Any = None
        self.points_: list[Any] = []
        if costs is not None:
            balanced = {"marker": "o", "ms": 8, "mfc": ACCENT, "mec": ACCENT}
            direct = {"marker": "D", "ms": 5, "mfc": "white", "mec": "black"}
            rules = (
                ("nroc", curve.threshold(costs).threshold, "balanced classes", balanced),
                ("direct", direct_threshold(costs).threshold, "these cases", direct),
            )
            for name, threshold, words, look in rules:
                point = curve.point(threshold)
                label = f"threshold {threshold:.3g}, {words}"
                self.points_ += ax.plot(*point, ls="", label=label, **look)
                self._record(**{f"{name}_threshold": threshold, f"{name}_point": point})
            # class-balanced cost: mu x + 1 - y
            line = {"color": ACCENT, "lw": 1.2, "ls": DASHES[1], "zorder": 1}
            label = f"equal cost, slope {costs.mu:.3g}"
            self.line_ = ax.axline(self._drawn["nroc_point"], slope=costs.mu, label=label, **line)
            self._record(line_slope=costs.mu)
        return self._finish(box=True, title=f"Expected from {curve.n} unlabelled cases")


class ThresholdsByCostDisplay(
    PredictionDisplay,
    of=NrocCurve,
    compute=nroc_curve,
    asks="unlabelled",
    axes={
        "xlabel": "relative cost of a false alarm (a miss costs 1)",
        "ylabel": "threshold on P(positive)",
        "xscale": "log",
        "ylim": (-0.02, 1.02),
    },
):
    """The three thresholds without labels against the relative cost of a false alarm.

    Shows how far the rules are apart for the probabilities at hand; see `direct_threshold`,
    `ranking_threshold` and `nroc_threshold` for what makes each the cheapest.

    Parameters
    ----------
    result : NrocCurve
        The probabilities, as `nroc_curve` keeps them.

    Attributes
    ----------
    lines_ : dict of artists by method

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from demur.displays import ThresholdsByCostDisplay
    >>> display = ThresholdsByCostDisplay.from_predictions([0.9, 0.3, 0.2]).plot(mu=[1, 3])
    >>> display.frame()["direct"].tolist()
    [0.5, 0.75]
    >>> plt.close(display.figure_)
    """

    def plot(self, ax: Any = None, *, mu: ArrayLike = _DEFAULT_MU) -> Self:
        """Draw the thresholds on `ax` or on new axes for relative costs `mu` above 0."""
        values = np.atleast_1d(check_finite(mu, "mu"))
        if values.min() <= 0:
            raise input_error("mu", "must be above 0 on a logarithmic axis", float(values.min()))
        ax = self._begin(ax)
        # the curve keeps the probabilities as its thresholds
        proba = self.result.thresholds[1:]
        rules: tuple[tuple[str, str, Any], ...] = (
            ("direct", "direct (calibrated)", direct_threshold),
            ("ranking", "ranking (order only)", partial(ranking_threshold, proba)),
            ("nroc", "NROC (equally frequent classes)", partial(nroc_threshold, proba)),
        )
        self.lines_ = {}
        self._record(mu=values)
        for index, (name, words, rule) in enumerate(rules):
            self._record(**{name: [rule(mu=mu).threshold for mu in values.tolist()]})
            look = {"lw": 1.8, "label": words, **self._series(index)}
            (self.lines_[name],) = ax.plot(values, self._drawn[name], **look)
        self._finish(box=True)
        ax.xaxis.set_major_formatter("{x:g}")
        return self


_SCHEME_WORDS = {
    "Mim0": "scheme 0: costs ignored",
    "Mim1": "scheme 1: costs at the threshold",
    "Mim2": "scheme 2: costs in the labels",
    "Mim3": "scheme 3: costs in the class shares",
}
# threshold rule -> (dashes, words); data type -> (marker, colour, words)
_RULES = {
    "Dir": (DASHES[0], "direct threshold"),
    "Ord": (DASHES[2], "ranking threshold"),
    "ROC": (DASHES[1], "NROC threshold"),
    "": (DASHES[0], ""),
}
_TYPES = {
    "a": ("o", SERIES[0], "a: classes by prevalence"),
    "b": ("s", SERIES[1], "b: half and half"),
    "c": ("^", SERIES[2], "c: as they come"),
    "": ("D", SERIES[3], "oversampled by cost"),
}
_ORACLE_COLORS = {"oracle, direct": "black", "oracle at 0.5": GUIDE}
_RATIO_TICKS = (0.1, 0.2, 0.3, 0.5, 0.7, 1, 1.5, 2, 3, 4, 5, 7, 10, 20, 50, 100)


class MimeticCostDisplay(Display, of=MimeticComparison):
    """Cost of mimetic models by relative cost, all configurations; see `mimetic_costs`.

    One panel per scheme, the oracle at the direct threshold in every panel as the rival to
    beat. Within a panel the dash pattern shows the threshold rule, the marker the data type.

    Parameters
    ----------
    result : MimeticComparison
        What to draw.

    Attributes
    ----------
    axes_ : dict of axes by scheme
    lines_ : dict of artists by configuration

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> import numpy as np
    >>> from demur.displays import MimeticCostDisplay
    >>> from demur.estimators import mimetic_costs
    >>> rng = np.random.default_rng(0)
    >>> X = rng.random((50, 1))
    >>> y = rng.random(50) < X[:, 0]
    >>> comparison = mimetic_costs(lambda X: X[:, 0], X, y, ranges=[(0, 1)], n_invented=50,
    ...     configurations=["Mim0b", "Mim2Dirb"])
    >>> display = MimeticCostDisplay.from_result(comparison).plot()
    >>> sorted(display.axes_)
    ['Mim0', 'Mim2']
    >>> plt.close(display.figure_)
    """

    def plot(self, ax: Any = None, *, relative: bool = True) -> Self:
        """Draw on new axes, one panel per scheme; a given `ax` takes all lines of one panel.

        With `relative` the cost is divided by that of the oracle at the direct threshold.
        """
        comparison: MimeticComparison = self.result
        known = mimetic_configurations()
        schemes = list(dict.fromkeys(name[:4] for name in comparison.names if name in known))
        if ax is not None and len(schemes) > 1:
            raise input_error("ax", "must be left out to draw several schemes", f"{len(schemes)} schemes")
        costs = dict(zip(comparison.names, comparison.cost, strict=True))
        rival = costs["oracle, direct"]
        if relative and rival.min() <= 0:
            raise input_error(
                "relative",
                "needs an oracle with a cost at every mu",
                "a cost of 0",
                "use relative=False.",
            )
        if ax is not None:
            self.figure_, self.axes_ = ax.figure, {schemes[0]: ax}
        else:
            # rows of two panels that share both axes
            rows, columns = -(-len(schemes) // 2), min(2, len(schemes))
            size = (4.2 * columns + 2.4, 3.6 * rows)
            self.figure_, grid = pyplot().subplots(
                rows, columns, figsize=size, sharex=True, sharey=True, squeeze=False, layout="constrained"
            )
            self.axes_ = dict(zip(schemes, grid.flat, strict=False))
            for empty in grid.flat[len(schemes) :]:
                empty.remove()
        self.lines_: dict[str, Any] = {}
        drawn = {name: cost / rival if relative else cost for name, cost in costs.items()}
        self._record(**drawn, mu=comparison.mu)
        for scheme in schemes:
            for name in [name for name in comparison.names if name.startswith(scheme)]:
                rule, kind = _parts(name)
                marker, color, _ = _TYPES[kind]
                style = {"color": color, "ls": _RULES[rule][0], "marker": marker, "ms": 4, "lw": 1.3}
                (self.lines_[name],) = self.axes_[scheme].plot(
                    comparison.mu, drawn[name], label=name, **style
                )
            self._name_axes(scheme, relative=relative)
        self.ax_ = self.axes_[schemes[0]]
        place = {"loc": "outside right center"} if ax is None else {"fontsize": "small"}
        (self.figure_ if ax is None else ax).legend(handles=self._legend(), frameon=False, **place)
        return self

    def _name_axes(self, scheme: str, *, relative: bool) -> None:
        """Add the oracle's lines and name the axes."""
        ax, mu = self.axes_[scheme], self._drawn["mu"]
        for name, color in _ORACLE_COLORS.items():
            ax.plot(mu, self._drawn[name], color=color, lw=2.2, zorder=1, label=name)
        ax.set(
            xscale="log",
            yscale="log" if relative else "linear",
            title=_SCHEME_WORDS[scheme],
            xlabel="relative cost of a false alarm",
            ylabel="cost (oracle, direct = 1)" if relative else "cost per case (a miss costs 1)",
        )
        ax.set_xticks(mu, [f"{value:g}" for value in mu])
        ax.set_xticks([], minor=True)
        if relative:
            low, high = ax.get_ylim()
            ticks = [tick for tick in _RATIO_TICKS if low <= tick <= high]
            ax.set_yticks(ticks, [f"{tick:g}" for tick in ticks])
            ax.set_yticks([], minor=True)
        ax.label_outer()

    def _legend(self) -> list[Any]:
        """One entry per oracle line, threshold rule and data type that was drawn."""
        from matplotlib.lines import Line2D

        rules, kinds = zip(*map(_parts, self.lines_), strict=True)
        return [
            *(Line2D([], [], color=color, lw=2.2, label=name) for name, color in _ORACLE_COLORS.items()),
            *(
                Line2D([], [], color="0.3", ls=dashes, label=f"{rule}: {words}")
                for rule, (dashes, words) in _RULES.items()
                if words and rule in rules
            ),
            *(
                Line2D([], [], ls="", color=color, marker=marker, ms=4, label=words)
                for kind, (marker, color, words) in _TYPES.items()
                if kind in kinds
            ),
        ]


def _parts(name: str) -> tuple[str, str]:
    """Threshold rule and data type of a configuration: Mim2Ordb -> (Ord, b)."""
    return (name[4:7], name[7:]) if len(name) > 5 else ("", name[4:])
