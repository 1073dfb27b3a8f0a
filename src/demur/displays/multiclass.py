"""Figures of class weights: cost over two log ratios, regions in the simplex, MetaClass trees."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from demur._checks import check_positive_int, input_error
from demur._kernels.polygons import areas, clip
from demur._kernels.weight_objective import Table, predicted, table_of
from demur.displays.base import (
    ABSTAIN_COLOR,
    ACCENT,
    SEQUENTIAL_CMAP,
    SERIES,
    PredictionDisplay,
    legend_below,
)
from demur.exceptions import DemurError
from demur.multiclass.cells import cell_gaps
from demur.multiclass.tree import MetaClassNode, MetaClassTree
from demur.multiclass.weights import ClassWeights, Family, answer_scores, labelled_scores, optimize_weights
from demur.typing import ArrayLike, FloatArray, Labels, Range

__all__ = ["MetaClassTreeDisplay", "SimplexDisplay", "WeightMapDisplay"]

# with more rays than this the map is all lines and no colour
_MOST_RAYS = 150
_MARKERS = ("o", "s", "^")
_HEIGHT = np.sqrt(3) / 2


def _answer_names(rule: ClassWeights) -> list[str]:
    names = [str(name) for name in rule.classes]
    return names if rule.abstain_weight is None else [*names, "abstain"]


class _RuleDisplay(PredictionDisplay, asks="weighted", of=ClassWeights):
    """A Display of a `ClassWeights` and the labelled scores it is shown on."""

    def __init__(self, *, result: ClassWeights, scores: ArrayLike, y_true: Labels, log: bool = False) -> None:
        super().__init__(result=result)
        self.data = labelled_scores(
            scores,
            y_true,
            result.costs,
            classes=result.classes,
            priors=result.priors.tolist(),
            abstain_cost=result.abstain_costs,
            log=log,
        )

    @classmethod
    def from_result(cls, result: Any, scores: Any = None, y_true: Any = None, *, log: bool = False) -> Self:
        """Make the Display of weights on labelled scores, the ones they were made from or others."""
        if scores is None or y_true is None:
            raise input_error("scores", "and `y_true` must be given beside the result", None)
        return cls(result=result, scores=scores, y_true=y_true, log=log)

    @classmethod
    def from_predictions(
        cls,
        scores: ArrayLike,
        y_true: Labels,
        costs: Any,
        *,
        classes: Sequence[Any] | None = None,
        priors: Any = None,
        family: Family = "weights",
        abstain_cost: Any = None,
        log: bool = False,
        ax: Any = None,
        name: str | None = None,
    ) -> Self:
        """Find the cheapest weights and make their Display; parameters as in `optimize_weights`."""
        rule = optimize_weights(
            scores,
            y_true,
            costs,
            classes=classes,
            priors=priors,
            family=family,
            abstain_cost=abstain_cost,
            log=log,
            rng=0,
        )
        return cls(result=rule, scores=scores, y_true=y_true, log=log)._shown(ax, name)


class WeightMapDisplay(_RuleDisplay):
    """Cost per case over the two log ratios of three weights; see `optimize_weights`.

    The colour is the objective, light = cheap. Thin lines are where an example changes its
    answer (down, left and up the diagonal from its apex); the outlined polygon is the cell of
    the weights, in which no answer changes. The cross is the scores as they are.

    Parameters
    ----------
    result : ClassWeights
        With three answers: three classes, or two and abstaining.
    scores, y_true : labelled scores
        Shown beside the weights; `log` says that scores are logarithms.

    Attributes
    ----------
    mesh_, colorbar_ : artists
        The map and its scale.
    cell_ : artist or None
        Outline of the cell, if part of it lies in the figure.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from demur.displays import WeightMapDisplay
    >>> scores = [[.7, .2, .1], [.5, .3, .2], [.3, .5, .2], [.2, .3, .5], [.5, .1, .4]]
    >>> costs = {"a": {"b": 1, "c": 4}, "b": {"a": 3, "c": 2}, "c": {"a": 8, "b": 6}}
    >>> display = WeightMapDisplay.from_predictions(scores, list("abbcc"), costs).plot()
    >>> float(display.frame()["objective"].min()) == display.result.objective
    True
    >>> plt.close(display.figure_)
    """

    def plot(self, ax: Any = None, *, resolution: int = 240, rays: bool | None = None) -> Self:
        """Draw the map.

        Parameters
        ----------
        ax : matplotlib axes, optional
            New ones by default.
        resolution : int
            Points per axis; the cost at each is exact.
        rays : bool, optional
            Draw the lines where answers change; by default up to 150 distinct examples.
        """
        from matplotlib.collections import LineCollection

        check_positive_int(resolution, "resolution", minimum=2)
        data, family = self.data, self.result.family
        answers = answer_scores(data.log_scores, data.costs, data.abstain_costs, family)
        if answers.shape[1] != 3:
            raise input_error(
                "result",
                "must have three answers (three classes, or two and abstaining)",
                f"{answers.shape[1]} answers",
                "maps over two ratios exist for three answers only.",
            )
        table = table_of(answers, data.answer_costs())
        # where most examples have their apex, with the chosen weights and equal weights inside
        apex = table.g[:, 2:] - table.g[:, :2]
        ratios = self.result.log_answer_weights[:2] - self.result.log_answer_weights[2]
        points = np.stack([*np.quantile(apex, [0.03, 0.97], axis=0), ratios, np.zeros(2)])
        room = 0.12 * np.ptp(points, axis=0) + 0.3
        x_range, y_range = zip(points.min(axis=0) - room, points.max(axis=0) + room, strict=True)
        x, y = np.linspace(*x_range, resolution), np.linspace(*y_range, resolution)
        costs = _costs_on_lines(table, x, y)
        ax = self._begin(ax, size=(6.4, 5.6))
        names = _answer_names(self.result)
        words = [f"log weight of {name} against {names[2]}" for name in names[:2]]
        self.mesh_ = ax.pcolormesh(x, y, costs.T, cmap=SEQUENTIAL_CMAP, shading="nearest", rasterized=True)
        self.colorbar_ = self.figure_.colorbar(self.mesh_, ax=ax, label="cost per case")
        if rays if rays is not None else len(table.g) <= _MOST_RAYS:
            # apexes outside the figure still send rays through it
            far = (x_range[1] - x_range[0]) + (y_range[1] - y_range[0]) + float(np.abs(apex).max())
            ends = np.array([(0.0, -far), (-far, 0.0), (far, far)])
            lines = [[point, point + end] for point in apex for end in ends]
            drawn = LineCollection(lines, colors="black", linewidths=0.5, alpha=0.35)
            drawn.set_label("an example changes its answer")
            ax.add_collection(drawn)
        self._draw_cell(table, ratios, x_range, y_range)
        self._append_map(x, y, "first_log_ratio second_log_ratio", objective=costs)
        return self._finish(xlabel=words[0], ylabel=words[1], xlim=x_range, ylim=y_range)

    def _draw_cell(self, table: Table, ratios: FloatArray, x_range: Range, y_range: Range) -> None:
        rule = self.result
        # u_a - u_b >= gap[a, b] for all pairs of answers
        gaps = cell_gaps(table.g, predicted(table.g, rule.log_answer_weights))
        (left, right), (low, high) = x_range, y_range
        polygon = np.array([[(left, low), (right, low), (right, high), (left, high)]])
        axes = np.array([(1.0, 0.0), (0.0, 1.0), (0.0, 0.0)])
        for first, second in np.argwhere(np.isfinite(gaps)):
            a, b = axes[second] - axes[first]
            polygon = clip(polygon, np.array([a]), np.array([b]), gaps[first, second, None])
        self.cell_ = None
        if areas(polygon)[0] > 0:
            (self.cell_,) = self.ax_.fill(
                *polygon[0].T, fill=False, ec=ACCENT, lw=1.8, label="no answer changes inside"
            )
        proof = ", proved optimal" if rule.optimal else ""
        words = f"weights found: cost {rule.objective:.4g}{proof}, margin {rule.margin:.3g}"
        style = {"ls": "none", "mec": "black", "zorder": 5}
        self.ax_.plot(*ratios, marker="*", ms=13, mfc=ACCENT, label=words, **style)
        plain = table.v[np.arange(len(table.v)), predicted(table.g, np.zeros(3))].sum()
        start = "equal weights (Bayes rule)" if rule.family == "columns" else "scores as they are"
        self.ax_.plot(0, 0, marker="X", ms=9, mfc="white", label=f"{start}: cost {plain:.4g}", **style)


def _costs_on_lines(table: Table, x: FloatArray, y: FloatArray) -> FloatArray:
    """Objective at all (x, y): for every x one sort of the breakpoints in y."""
    al, be = table.g[:, 0] - table.g[:, 2], table.g[:, 1] - table.g[:, 2]
    v = table.v
    rows = np.arange(len(v))
    out = np.empty((len(x), len(y)))
    for i, a in enumerate(x):
        below = np.where(a + al >= 0, 0, 2)
        breaks = np.maximum(a + al, 0.0) - be
        order = np.argsort(breaks)
        start = v[rows, below]
        totals = np.concatenate([[start.sum()], start.sum() + np.cumsum((v[:, 1] - start)[order])])
        out[i] = totals[np.searchsorted(breaks[order], y)]
    return out


class SimplexDisplay(_RuleDisplay):
    """What weights answer for all probabilities of three classes; see `optimize_weights`.

    Each corner is certainty of one class. Regions are exact polygons, since all borders are
    straight: w_k p_k = w_l p_l, and v_k L_k = v_l L_l for the family "columns". Points are the
    examples by true class; grey is abstaining.

    Parameters
    ----------
    result : ClassWeights
        For three classes, with or without abstaining.
    scores, y_true : labelled scores
        Shown as points; `log` says that scores are logarithms.

    Attributes
    ----------
    regions_ : dict
        Answer -> polygon, for the answers that are given somewhere.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from demur.displays import SimplexDisplay
    >>> scores = [[.7, .2, .1], [.5, .3, .2], [.3, .5, .2], [.2, .3, .5], [.5, .1, .4]]
    >>> costs = {"a": {"b": 1, "c": 4}, "b": {"a": 3, "c": 2}, "c": {"a": 8, "b": 6}}
    >>> display = SimplexDisplay.from_predictions(scores, list("abbcc"), costs).plot()
    >>> sorted(display.regions_)
    ['a', 'b', 'c']
    >>> plt.close(display.figure_)
    """

    def plot(self, ax: Any = None) -> Self:
        """Draw the regions, the examples and the names of the corners."""
        rule = self.result
        if len(rule.classes) != 3:
            raise input_error("result", "must have three classes", f"{len(rule.classes)} classes")
        ax = self._begin(ax, size=(6.0, 5.8))
        self.regions_ = {}
        names = _answer_names(rule)
        for name, color, polygon in zip(names, [*SERIES[:3], ABSTAIN_COLOR], _regions(rule), strict=False):
            if polygon is None:
                continue
            share = areas(polygon[None])[0] / (_HEIGHT / 2)
            size = f"{100 * share:.0f}" if share > 0.01 else "below 1"
            what = f"answer {name}" if color != ABSTAIN_COLOR else name
            (self.regions_[name],) = ax.fill(
                *polygon.T, color=color, alpha=0.25, lw=0, label=f"{what} ({size} % of the simplex)"
            )
            ax.fill(*polygon.T, fill=False, ec="black", lw=0.8)
            self._append(what=f"border of {name}", x=polygon[:, 0], y=polygon[:, 1])
        xy = np.exp(self.data.log_scores) @ _CORNERS
        for k, (name, marker) in enumerate(zip(names[:3], _MARKERS, strict=True)):
            here = xy[self.data.y == k]
            if len(here):
                look = {"mfc": SERIES[k], "mec": "white", "mew": 0.5, "ms": 5, "ls": "none"}
                rows = {"what": f"example of {name}", "x": here[:, 0], "y": here[:, 1]}
                self._line(rows, marker=marker, label=f"true {name} (n = {len(here)})", **look)
        for name, (x, y), place in zip(names, _CORNERS, ("right", "left", "center"), strict=False):
            shift = {"right": (-6, -6), "left": (6, -6), "center": (0, 8)}[place]
            ax.annotate(name, (x, y), shift, textcoords="offset points", ha=place, weight="bold")
        ax.set(aspect="equal", xlim=(-0.12, 1.12), ylim=(-0.05, 0.97))
        ax.set_axis_off()
        legend_below(ax, columns=2)
        return self


_CORNERS = np.array([(0.0, 0.0), (1.0, 0.0), (0.5, _HEIGHT)])


def _regions(rule: ClassWeights) -> list[FloatArray | None]:
    """Polygon of every answer in the plane of the simplex, None where it is never given."""
    # all scores are linear in p; a row per answer, the largest one wins
    with np.errstate(over="ignore"):
        factors = np.exp(rule.log_answer_weights - rule.log_answer_weights.max())
    if rule.family == "columns":
        priced = rule.costs.values.T
        if rule.abstain_costs is not None:
            priced = np.vstack([priced, rule.abstain_costs])
        linear = -priced / np.maximum(factors, 1e-300)[:, None]
    else:
        linear = np.eye(3) if rule.abstain_weight is None else np.vstack([np.eye(3), np.ones(3)])
        linear = linear * factors[:, None]
    regions: list[FloatArray | None] = []
    for row in linear:
        polygon = _CORNERS[None]
        for rival in linear:
            at_corners = rival - row
            a = at_corners[1] - at_corners[0]
            b = (at_corners[2] - at_corners[0] - a / 2) / _HEIGHT
            if at_corners.any():
                polygon = clip(polygon, np.array([a]), np.array([b]), at_corners[:1])
        regions.append(polygon[0] if areas(polygon)[0] > 0 else None)
    return regions


def _fitted_tree(scores: ArrayLike, y_true: Labels, costs: Any = None) -> MetaClassTree:
    return MetaClassTree().fit(scores, y_true, costs)


class MetaClassTreeDisplay(PredictionDisplay, asks="weighted", of=MetaClassTree, compute=_fitted_tree):
    """A tree of binary decisions between groups of classes; see `MetaClassTree`.

    Every box asks for the ratio of two sums of scores; to the left if it reaches the threshold.

    Parameters
    ----------
    result : MetaClassTree
        Fitted.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from demur.multiclass import MetaClassTree
    >>> from demur.displays import MetaClassTreeDisplay
    >>> scores = [[.7, .2, .1], [.5, .3, .2], [.3, .5, .2], [.2, .3, .5], [.5, .1, .4]]
    >>> costs = {"a": {"b": 1, "c": 4}, "b": {"a": 3, "c": 2}, "c": {"a": 8, "b": 6}}
    >>> display = MetaClassTreeDisplay(result=MetaClassTree().fit(scores, list("abbcc"), costs)).plot()
    >>> display.frame()["left"].tolist()
    ['a, b', 'a']
    >>> plt.close(display.figure_)
    """

    def plot(self, ax: Any = None) -> Self:
        """Draw the tree, leaves from left to right."""
        tree = self.result
        if not hasattr(tree, "root_"):
            raise DemurError("This MetaClassTree is not fitted yet. Hint: call fit(scores, y_true, costs).")
        names = [str(name) for name in tree.classes_]
        rows = list(tree.nodes())
        depth = max((level for level, _ in rows), default=0) + 1
        ax = self._begin(ax, size=(max(4.0, 1.75 * len(names)), 1.3 * depth + 1.0))
        self._next_leaf = 0
        self._draw(tree.root_, 0, names)
        for level, node in rows:
            left, right = (", ".join(names[k] for k in group) for group in (node.left, node.right))
            self._append(depth=level, left=left, right=right, threshold=node.threshold, n=node.n)
        if not rows:
            self._record(leaf=[names[0]])
        ax.set(xlim=(-0.7, len(names) - 0.3), ylim=(-depth - 0.35, 0.45))
        ax.set_axis_off()
        return self

    def _draw(self, node: MetaClassNode | int, level: int, names: list[str]) -> float:
        """Draw a node above what follows it; returns its place from the left."""
        if not isinstance(node, MetaClassNode):
            x = float(self._next_leaf)
            self._next_leaf += 1
            self._box(x, -level, names[node], SERIES[2])
            return x
        ends = [self._draw(child, level + 1, names) for child in (node.on_left, node.on_right)]
        x = sum(ends) / 2
        for end, word in zip(ends, ("yes", "no"), strict=True):
            self.ax_.plot([x, end], [-level, -level - 1], color="black", lw=1, zorder=1)
            style = {"fontsize": "x-small", "ha": "center", "va": "center", "zorder": 2}
            bbox = {"fc": "white", "ec": "none", "pad": 0.8}
            self.ax_.text((x + end) / 2, -level - 0.52, word, bbox=bbox, **style)
        # the decision in words: a ratio of sums, the threshold, the examples that chose it
        sums = []
        for group in (node.left, node.right):
            members = [names[k] for k in group]
            shown = members if len(members) <= 4 else [*members[:2], f"{len(members) - 2} more"]
            sums.append(f"({' + '.join(shown)})" if len(members) > 1 else members[0])
        limit = {0.0: "always yes", np.inf: "always no"}.get(node.threshold, f"≥ {node.threshold:.4g}")
        self._box(x, -level, f"{' / '.join(sums)}\n{limit}  (n = {node.n})", SERIES[0])
        return x

    def _box(self, x: float, y: float, text: str, color: str) -> None:
        bbox = {"boxstyle": "round,pad=0.35", "fc": "white", "ec": color, "lw": 1.4}
        self.ax_.text(x, y, text, ha="center", va="center", fontsize="small", bbox=bbox, zorder=3)
