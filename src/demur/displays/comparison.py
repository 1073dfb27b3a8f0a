"""Figures of a comparison of models: surfaces, unknown costs, scores, costs by block of time and by group.

The cheapest model is drawn over all costs, and over all prevalences and prices of a review.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np

from demur._checks import (
    check_choice,
    check_mapping,
    check_nonnegative,
    check_number,
    check_positive,
    check_positive_int,
    check_range,
    check_rate,
)
from demur._kernels.polygons import cell_batches
from demur._tables.table import told_apart
from demur.comparison.by_group import GroupCosts
from demur.comparison.class_volume import NO_MODEL, ClassVacc, class_vacc
from demur.comparison.comparison import Comparison
from demur.costs.curves import CostCurve, cost_curve
from demur.counts.window import AbstentionWindow
from demur.displays.base import (
    ABSTAIN_COLOR,
    ACCENT,
    GUIDE,
    MU_WORDS,
    PC_WORDS,
    SERIES,
    Display,
    PredictionDisplay,
    axes_table,
    axis_words,
    show_names_as_text,
    with_name,
)
from demur.displays.surfaces import NU_WORDS, AbstentionSurfaceDisplay, SurfaceDifferenceDisplay, draw_lemma
from demur.displays.windows import WindowDisplay
from demur.exceptions import InputError, UndefinedError
from demur.surface.regions import cheapest_shares
from demur.surface.surface import AbstentionSurface, abstention_surface
from demur.typing import ArrayLike, FloatArray, Range

__all__ = [
    "FIGURES",
    "BlockCostDisplay",
    "ClassVaccDisplay",
    "GroupCostDisplay",
    "PrevalenceDisplay",
    "RegionsDisplay",
    "comparison_figure",
]


# kind of a figure -> what it shows, for the help of the command line
FIGURES = {
    "surface": "cost of the best model at all costs",
    "difference": "where the best model is cheaper than the next",
    "regions": "which model is cheapest at which costs",
    "prevalence": "which model is cheapest at which prevalence and price of a review",
    "reviews": "cost by price of a review, of more than two classes without costs",
    "scores": "scores by class and the window on them",
    "blocks": "cost by block of time",
    "groups": "cost, errors and reviews by group",
}
_LONGEST = 30
"""Longest name of a model in a figure."""

# surfaces whose costs differ by less are equally cheap
_EQUAL = 1e-12
_NAMED = 6
# ticks of the axis of prevalences closer than this would run into each other
_LEAST_GAP = 0.06
_BESIDE = 44
"""Longest words of which the legend has two in a line."""
_TIES, _OTHERS = "several models alike", "other models"
# rules without a model -> colour
_BASELINES = {"always negative": "#EFEFEF", "always positive": "#CFCFCF", "always abstain": ABSTAIN_COLOR}
_DOT: dict[str, Any] = {
    "ms": 9,
    "mfc": "white",
    "mec": "black",
    "mew": 1.5,
    "ls": "none",
    "clip_on": False,
    "zorder": 5,
}


class _RegionMap(PredictionDisplay):
    """A map coloured by names: of models, and of rules without a model."""

    mesh_: Any

    def _paint(
        self, x: FloatArray, y: FloatArray, cheapest: Any, shares: Mapping[str, float]
    ) -> tuple[dict[str, str], list[str]]:
        """Colour every point of a grid by its name; return the colours, and the models of small shares."""
        from matplotlib.colors import ListedColormap

        others = sorted(self.result, key=lambda name: -shares[name])[_NAMED:]
        colors = dict(zip([name for name in self.result if name not in others], SERIES, strict=False))
        colors |= {_OTHERS: "#DDCC77", **_BASELINES, _TIES: "#FFFFFF"}
        painted = np.where(np.isin(cheapest, others), _OTHERS, cheapest)
        codes = sum(number * (painted == name) for number, name in enumerate(colors))
        look = {"cmap": ListedColormap(list(colors.values())), "vmin": -0.5, "vmax": len(colors) - 0.5}
        self.mesh_ = self.ax_.pcolormesh(x, y, codes.T, alpha=0.75, rasterized=True, **look)
        return colors, others

    def _keyed(self, words: Mapping[str, str], colors: Mapping[str, str]) -> Self:
        """Say below what the colours mean."""
        from matplotlib.patches import Patch

        patches = [
            Patch(fc=colors[name], alpha=0.75, ec="#777777", lw=0.5, label=said)
            for name, said in words.items()
        ]
        return self._finish(columns=2 if max(map(len, words.values())) <= _BESIDE else 1, extra=patches)


class RegionsDisplay(
    _RegionMap,
    of=AbstentionSurface,
    compute=abstention_surface,
    several=True,
    default_name="model",
    axes={"xlabel": MU_WORDS, "ylabel": NU_WORDS},
):
    """Which model is cheapest at which costs, or which rule without one; see `abstention_surface`.

    Every model decides with its best window for the costs of a point, on the cases drawn. A model has the
    costs at which it is cheaper than all others and than every rule without a model; the shares in the
    legend are exact areas of the costs shown. Of more than six models the largest six have a colour.

    Parameters
    ----------
    result : mapping {name: AbstentionSurface}
        What to draw, at one prevalence.

    Attributes
    ----------
    shares_ : dict
        Model or rule without a model -> share of the costs shown at which it is cheapest; "several models
        alike" has what remains.
    mesh_ : artist
        The coloured map.
    point_ : artist or None
        The marked costs.

    Examples
    --------
    Which of two models for which costs, where one case in five is positive?

    >>> import matplotlib.pyplot as plt
    >>> from demur.displays import RegionsDisplay
    >>> y = [0, 0, 0, 0, 1, 1, 1, 1]
    >>> scores = {"knows negatives": [1, 1, 3, 3, 3, 3, 3, 3], "knows positives": [1, 1, 1, 1, 1, 1, 3, 3]}
    >>> display = RegionsDisplay.from_predictions(y, scores, prevalence=0.2).plot()
    >>> {name: round(share, 3) for name, share in display.shares_.items() if share > 0}
    {'knows negatives': 0.375, 'knows positives': 0.625}
    >>> plt.close(display.figure_)
    """

    def __init__(self, *, result: Mapping[str, AbstentionSurface]) -> None:
        super().__init__(result=check_mapping(result, "result", AbstentionSurface))

    def plot(
        self,
        ax: Any = None,
        *,
        mu: Range = (0.0, 1.0),
        nu: Range = (0.0, 1.0),
        resolution: int = 500,
        costs: tuple[float, float] | None = None,
    ) -> Self:
        """Draw the map.

        Parameters
        ----------
        ax : matplotlib axes, optional
            New ones by default.
        mu, nu : (low, high)
            The costs shown, and those of which the shares are.
        resolution : int
            Points of the map, each way.
        costs : (mu, nu), optional
            Mark these; nu may be infinite where abstaining is no option.
        """
        mu, nu = check_range(mu, "mu"), check_range(nu, "nu")
        steps = check_positive_int(resolution, "resolution", minimum=2)
        ax = self._begin(ax, size=(6.2, 5.8))
        self.shares_ = shares_of(self.result, mu, nu)
        x, y = np.linspace(*mu, steps), np.linspace(*nu, steps)
        tied = self.shares_[_TIES] > _EQUAL  # else they are on borders only
        at = np.meshgrid(x, y, indexing="ij")
        costs_of = np.stack([np.asarray(surface.cost(*at)) for surface in self.result.values()])
        rate = next(iter(self.result.values())).prevalence
        trivial = np.stack([np.full(at[0].shape, rate), at[0] * (1 - rate), at[1]])
        cheapest = _cheapest(list(self.result), costs_of, trivial, tied=tied)
        self._append_map(x, y, "mu nu", cheapest=cheapest)
        colors, others = self._paint(x, y, cheapest, self.shares_)
        draw_lemma(ax, mu, nu)
        self.point_ = None
        if costs is not None:
            words = f"your costs: $\\mu$ = {costs[0]:.3g}, "
            words += f"$\\nu$ = {costs[1]:.3g}" if np.isfinite(costs[1]) else "no abstaining"
            (self.point_,) = ax.plot(costs[0], min(costs[1], nu[1]), "o", label=words, **_DOT)
        legend = {**self.shares_, _OTHERS: sum(self.shares_[name] for name in others)}
        shown = {name: f"{name}: {_percent(legend[name])}" for name in colors if legend[name] > _EQUAL}
        return self._keyed(shown, colors)


def _percent(share: float) -> str:
    return f"{100 * share:.1f} % of the area" if share >= 0.0005 else "below 0.1 % of the area"


def shares_of(surfaces: Mapping[str, AbstentionSurface], mu: Range, nu: Range) -> dict[str, float]:
    """Return the exact share of a rectangle of costs at which a model, or a rule without one, is cheapest."""
    masses = [surface.masses for surface in surfaces.values()]
    trivial = next(iter(surfaces.values())).trivial().masses
    won = cheapest_shares([*masses, trivial], mu, nu)
    shares = {name: float(share) for name, share in zip(surfaces, won, strict=False)}
    borders = np.unique(np.concatenate([one.mixed_shares for one in (*masses, trivial)]))
    cuts, idle = np.concatenate([[0.0], borders]), np.zeros(len(_BASELINES))
    for i, j, _, area in cell_batches(borders, mu, nu):
        missed, alarms, abstained = plane = np.stack(trivial.plane(cuts, i, j)[:3])
        # a surface is nowhere above the trivial one, so on a cell it is the same or below inside
        gaps = [np.abs(np.stack(one.plane(cuts, i, j)[:3]) - plane).sum(axis=0) for one in masses]
        same = np.max(gaps, axis=0) < _EQUAL
        kind = np.argmax([missed, alarms, abstained], axis=0)
        idle += np.bincount(kind[same], weights=area[same], minlength=len(_BASELINES))
    shares |= dict(zip(_BASELINES, (idle / ((mu[1] - mu[0]) * (nu[1] - nu[0]))).tolist(), strict=True))
    rest = 1 - sum(shares.values())
    return {**shares, _TIES: rest if rest > _EQUAL else 0.0}


def _cheapest(names: Sequence[str], costs: FloatArray, trivial: FloatArray, *, tied: bool) -> Any:
    """Return the name of what is cheapest at every point of a grid; the first of several unless `tied`.

    `costs` has a row per model, `trivial` one per rule without a model.
    """
    baseline = np.array(list(_BASELINES))[trivial.argmin(axis=0)]
    below = costs < trivial.min(axis=0) - _EQUAL
    least = costs.min(axis=0)
    alone = (costs <= least + _EQUAL).sum(axis=0) == 1
    model = np.where(alone | (not tied), np.array(names)[costs.argmin(axis=0)], _TIES)
    return np.where(below.any(axis=0), model, baseline)


class PrevalenceDisplay(
    _RegionMap,
    of=CostCurve,
    compute=cost_curve,
    several=True,
    default_name="model",
    axes={"xlabel": PC_WORDS, "ylabel": NU_WORDS},
):
    """Which model is cheapest at which prevalence and price of a review; see `CostCurve.reviewed`.

    False alarms cost mu misses throughout, so that PC(+) is an axis of prevalences, which stand on top.
    Every model decides with its best window for a point, on the cases drawn. It has the points at which it
    is cheaper than every rule without a model; where several are alike the first one has them. Slices at
    one price are cost curves: `CostCurveDisplay` draws them, `best_ranges` says where they cross.

    Parameters
    ----------
    result : mapping {name: CostCurve}
        What to draw.

    Attributes
    ----------
    mesh_ : artist
        The coloured map.
    prevalence_axis_ : axes
        The upper axis.
    point_ : artist or None
        The marked point.

    Examples
    --------
    At which prevalences is a model worth having, if a review costs a fifth of a mistake?

    >>> import matplotlib.pyplot as plt
    >>> from demur.displays import PrevalenceDisplay
    >>> y, s = [0, 0, 1, 0, 1, 0, 0, 1, 1, 0, 1, 1], [1, 1, 2, 2, 3, 3, 3, 4, 4, 4, 5, 5]
    >>> display = PrevalenceDisplay.from_predictions(y, s).plot(resolution=101)
    >>> drawn = display.frame()
    >>> worth = drawn["prevalence"][(drawn["cheapest"] == "model") & (drawn["nu"] == 0.2)]
    >>> f"{worth.min():.2f} to {worth.max():.2f}"
    '0.01 to 0.99'
    >>> plt.close(display.figure_)
    """

    def __init__(self, *, result: Mapping[str, CostCurve]) -> None:
        super().__init__(result=check_mapping(result, "result", CostCurve))

    def plot(
        self,
        ax: Any = None,
        *,
        mu: float = 1.0,
        nu: Range | None = None,
        resolution: int = 301,
        point: tuple[float, float] | None = None,
    ) -> Self:
        """Draw the map.

        Parameters
        ----------
        ax : matplotlib axes, optional
            New ones by default.
        mu : float > 0
            Cost of a false alarm in units of a miss.
        nu : (low, high), optional
            Costs of a review shown; up to where abstaining stops paying by default.
        resolution : int
            Points of the map, each way.
        point : (prevalence, nu), optional
            Mark these.
        """
        mu = check_positive(mu, "mu")
        low, high = (0.0, mu / (1 + mu)) if nu is None else check_range(nu, "nu")
        steps = check_positive_int(resolution, "resolution", minimum=2)
        ax = self._begin(ax, size=(6.2, 5.8))
        x, y = np.linspace(0, 1, steps), np.linspace(low, high, steps)
        slices = [[curve.reviewed(price, mu=mu) for price in y] for curve in self.result.values()]
        costs = np.stack([np.transpose([one.expected_cost(x) for one in row]) for row in slices])
        pc, nus = np.meshgrid(x, y, indexing="ij")
        trivial = np.stack([pc, 1 - pc, nus * (pc + (1 - pc) / mu)])
        cheapest = _cheapest(list(self.result), costs, trivial, tied=False)
        self._append_map(x, y, "pc nu", prevalence=slices[0][0].prevalence(pc), cheapest=cheapest)
        # at the edges nothing costs anything
        inside = cheapest[1:-1, 1:]
        shares = {name: float(np.mean(inside == name)) for name in (*self.result, *_BASELINES)}
        colors, others = self._paint(x, y, cheapest, shares)
        self.point_ = None
        if point is not None:
            share, price = (check_number(check_nonnegative(value, "point"), "point") for value in point)
            check_rate(share, "point")
            words = f"prevalence {share:.3g}, $\\nu$ = {price:.3g}"
            at = share / (share + mu * (1 - share))
            (self.point_,) = ax.plot(at, min(price, high), "o", label=words, **_DOT)
        self.prevalence_axis_ = ax.secondary_xaxis("top")
        shown = np.array([0.0, 0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0])
        places = shown / (shown + mu * (1 - shown))
        kept = [0]
        for place in range(1, len(shown)):
            if places[place] - places[kept[-1]] >= _LEAST_GAP and 1 - places[place] >= _LEAST_GAP:
                kept.append(place)
        kept.append(len(shown) - 1)
        self.prevalence_axis_.set_xticks(places[kept], [f"{value:g}" for value in shown[kept]])
        self.prevalence_axis_.set_xlabel(f"prevalence (a miss costs 1, a false alarm {mu:.3g})")
        ax.set(xlim=(0, 1), ylim=(low, high))
        shares[_OTHERS] = sum(shares[name] for name in others)
        return self._keyed({name: name for name in colors if shares.get(name)}, colors)


def comparison_figure(
    comparison: Comparison, kind: str, *, by: ArrayLike | GroupCosts | None = None
) -> Display:
    """Draw one figure of a comparison.

    Parameters
    ----------
    comparison : Comparison
        Made by `compare_models`.
    kind : {"surface", "difference", "regions", "prevalence", "reviews", "scores", "blocks", "groups"}
        "surface", "difference", "regions", "prevalence" and "scores" are for two classes, "reviews" for more
        without costs; "blocks" needs times and costs, "groups" costs.
    by : array of n values, or GroupCosts, optional
        Group of every case, for "groups"; or what `Comparison.by` made of them.

    Returns
    -------
    Display
        Already drawn: `figure_`, `ax_`, `frame()`.

    Raises
    ------
    InputError
        If the comparison does not hold what the figure needs.
    """
    check_choice(kind, "--figure", tuple(FIGURES))
    if kind == "groups":
        if by is None:
            raise _needs(kind, "groups", "none", "name their column: `--by COLUMN`.")
        found = by if isinstance(by, GroupCosts) else comparison.by(by)
        return GroupCostDisplay.from_result(found).plot()
    if kind == "blocks":
        if comparison.by_block is None:
            hint = "`--time COLUMN` beside the costs judges rules on what came after."
            raise _needs(kind, "times and costs", "none", hint)
        return BlockCostDisplay.from_result(comparison).plot()
    if kind == "reviews":
        if comparison.class_vacc is None:
            hint = "list them in --classes, without a cost matrix; `--figure surface` draws two classes."
            raise _needs(kind, "more than two classes without costs", "others", hint)
        return ClassVaccDisplay.from_result(comparison.class_vacc).plot()
    if comparison.class_vacc is not None:
        hint = "without costs many classes have `--figure reviews`."
        raise _needs(kind, "two classes", str(len(comparison.classes)), hint)
    if comparison.problem.many:
        hint = "of many classes there are `--figure groups --by COLUMN` and `--figure blocks --time COLUMN`."
        raise _needs(kind, "two classes", str(len(comparison.classes)), hint)
    return _figure_of_scores(comparison, kind)


def _needs(kind: str, what: str, got: str, hint: str) -> InputError:
    return InputError(f"`--figure {kind}` needs {what}, got {got}. Hint: {hint}")


def _figure_of_scores(comparison: Comparison, kind: str) -> Display:
    """Draw a figure of the surfaces of two classes, the cheapest model first."""
    models = comparison.models
    # without costs the volume stands for all of them
    worth = "vacc" if comparison.problem.costs is None else "cost"
    values = {name: getattr(model, worth) for name, model in models.items()}
    names = sorted(models, key=lambda name: math.inf if values[name] is None else values[name])
    chosen = None if comparison.answer is None else comparison.answer.model
    names.sort(key=lambda name: name != chosen)
    called = dict(zip(models, told_apart(list(models), _LONGEST), strict=True))
    surfaces = {called[name]: model.surface.surface for name, model in models.items()}
    best, window = called[names[0]], models[names[0]].window
    costs = None
    if isinstance(window, AbstentionWindow) and window.nu_positive == window.nu_negative:
        costs = None if np.isnan(window.mu) else (window.mu, window.nu_positive)
    mu = (0.0, 1.0) if costs is None else (0.0, max(1.0, 1.25 * costs[0]))
    # all costs of abstaining that can pay, and the user's
    own = 0.0 if costs is None or math.isinf(costs[1]) else 1.1 * costs[1]
    nu = (0.0, max(mu[1] / (1 + mu[1]), own))
    if kind == "regions":
        display: Display = RegionsDisplay(result=surfaces).plot(mu=mu, nu=(0.0, max(1.0, nu[1])), costs=costs)
    elif kind == "prevalence":
        curves = {name: cost_curve(surface.counts) for name, surface in surfaces.items()}
        # without costs a false alarm costs as much as a miss
        relative, point = 1.0, None
        if isinstance(window, AbstentionWindow) and window.mu > 0:
            relative = window.mu
            point = None if costs is None else (surfaces[best].prevalence, min(costs[1], 1.0))
        display = PrevalenceDisplay(result=curves).plot(mu=relative, point=point)
    elif kind == "difference":
        if len(names) == 1:
            raise _needs(kind, "two models", "one", "`--figure surface` draws one.")
        second = called[names[1]]
        # without costs the shares are those of the tables: of all relative costs
        gap = surfaces[best].minus(surfaces[second], mu=mu, nu=(0.0, 1.0) if costs is None else nu)
        display = SurfaceDifferenceDisplay.from_result(gap).plot(names=(best, second))
    elif kind == "scores":
        display = WindowDisplay.from_result(surfaces[best], window=window).plot()
    else:
        marked = window if costs is not None and math.isfinite(costs[1]) else None
        display = AbstentionSurfaceDisplay.from_result(surfaces[best]).plot(mu=mu, nu=nu, window=marked)
    if kind in ("surface", "scores"):
        display.ax_.set_title(best)
        show_names_as_text(display.figure_)
    return display


class BlockCostDisplay(Display, of=Comparison):
    """Cost of the answer in every judged block of time, of rules chosen on the blocks before.

    Down is better; costs that rise tell that conditions move. Whiskers are the interval of a block
    alone. Lines are the measured cost of all judged blocks and what a shuffled split measures.

    Parameters
    ----------
    result : Comparison
        Of `compare_models` with `costs` and `time`.

    Attributes
    ----------
    bars_ : ErrorbarContainer
        Costs and whiskers.
    lines_ : list
        The cost of all judged blocks and, where a model answers, that of a shuffled split.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> import numpy as np
    >>> from demur import Binormal, CostModel, compare_models
    >>> from demur.displays import BlockCostDisplay
    >>> y, s = Binormal(separation=2.0).sample(1000, rng=0)
    >>> costs = CostModel(cost_fn=100, cost_fp=40, cost_abstain=12)
    >>> comparison = compare_models(y, s, costs=costs, time=np.arange(1000))
    >>> display = BlockCostDisplay.from_result(comparison).plot()
    >>> display.frame()["block"].tolist()
    [7, 8, 9, 10]
    >>> plt.close(display.figure_)
    """

    def plot(self, ax: Any = None) -> Self:
        """Draw it.

        Parameters
        ----------
        ax : matplotlib axes, optional
            New ones by default.
        """
        blocks, answer = self.result.by_block, self.result.answer
        if blocks is None:
            raise UndefinedError("Costs by block need times. Hint: compare_models(..., costs=, time=).")
        ax = self._begin(ax, size=(7.0, 4.4))
        number, cost = (np.array([getattr(one, name) for one in blocks]) for name in ("block", "cost"))
        low, high = np.array([one.interval for one in blocks]).T
        columns = {name: [getattr(one, name) for one in blocks] for name in ("start", "end", "n")}
        self._record(block=number, **columns, cost=cost, low=low, high=high)
        level = f"{100 * self.result.problem.confidence_level:g} %"
        whiskers = np.maximum([cost - low, high - cost], 0)  # a known cost has none, up to rounding
        self.bars_ = ax.errorbar(
            number, cost, whiskers, label=f"block, {level}", color="black", fmt="o", capsize=3
        )
        for name, value, color, dashes in (
            ("all judged blocks", answer.honest_cost, ACCENT, "-"),
            ("shuffled split", answer.shuffled_cost, ABSTAIN_COLOR, "--"),
        ):
            if value is not None:
                self.lines_.append(
                    ax.axhline(
                        value, label=f"{name}, {value:.4g}", color=color, linestyle=dashes, lw=1.4, zorder=1
                    )
                )
                self._record(**{name.replace(" ", "_"): np.full(len(blocks), value)})
        ax.set_xticks(number)
        period = f"block of time, {blocks[0].start} to {blocks[-1].end}"
        return self._finish(
            xlabel=period, ylabel="cost per case", columns=3, ylim=(min(0.0, low.min()), None)
        )


_PANELS = {
    "cost": "cost per case",
    "miss_rate": "positives missed",
    "alarm_rate": "negatives alarmed",
    "error_rate": "decided wrong",
    "abstention_rate": "abstained on",
}
_LONGEST_NAME = 24


class GroupCostDisplay(Display, of=GroupCosts):
    """Cost, errors and reviews of the answer's rule in every group of cases.

    Left is better. Whiskers are the interval of a group alone; the line is all cases together. Groups of
    fewer than two cases are left out.

    Parameters
    ----------
    result : GroupCosts
        Of `Comparison.by`.

    Attributes
    ----------
    ax_ : array of axes
        One for the cost, one for each kind of error, one for reviews.
    bars_ : list of ErrorbarContainer
        Estimates and whiskers of every panel.
    lines_ : list
        All cases together, in every panel.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> import numpy as np
    >>> from demur import Binormal, CostModel, compare_models
    >>> from demur.displays import GroupCostDisplay
    >>> y, s = Binormal(separation=2.0).sample(1000, rng=0)
    >>> site = np.where(np.arange(1000) % 3 == 0, "north", "south")
    >>> costs = CostModel(cost_fn=100, cost_fp=40, cost_abstain=12)
    >>> display = GroupCostDisplay.from_result(compare_models(y, s, costs=costs).by(site)).plot()
    >>> display.frame()["group"].tolist()
    ['north', 'south']
    >>> plt.close(display.figure_)
    """

    def plot(self, ax: Any = None) -> Self:
        """Draw it.

        Parameters
        ----------
        ax : row of 4 axes, 3 for many classes, optional
            New ones by default.
        """
        result: GroupCosts = self.result
        groups = [one for one in result.groups if one.cost is not None]
        if not groups:
            raise UndefinedError("A figure by group needs a group of two cases or more.")
        left_out = ("error_rate",) if result.two_classes else ("miss_rate", "alarm_rate")
        panels = {name: words for name, words in _PANELS.items() if name not in left_out}
        size = (2.7 * len(panels) + 1.2, 1.4 + 0.32 * len(groups))
        self.figure_, table = axes_table(ax, (1, len(panels)), size)
        self.ax_, self.bars_, self.lines_ = table[0], [], []
        place = np.arange(len(groups))
        names = [one.name or "(missing)" for one in groups]
        self._record(group=[one.name for one in groups], n=[one.n for one in groups])
        for (name, words), panel in zip(panels.items(), self.ax_, strict=True):
            # None, where there are no such cases or a single unit, is NaN
            value = np.array([getattr(one, name) for one in groups], dtype=np.float64)
            ends = [getattr(one, f"{name}_interval") or (np.nan, np.nan) for one in groups]
            low, high = np.array(ends, dtype=np.float64).T
            self._record(**{name: value, f"{name}_low": low, f"{name}_high": high})
            whiskers = np.maximum(np.nan_to_num([value - low, high - value]), 0)
            self.bars_.append(
                panel.errorbar(value, place, xerr=whiskers, color="black", fmt="o", ms=4, capsize=3)
            )
            overall = getattr(result.whole, name)
            if overall is not None:
                self.lines_.append(panel.axvline(overall, color=ACCENT, lw=1.4, zorder=1))
            axis_words(panel, words, "")
            panel.set(ylim=(len(groups) - 0.5, -0.5), yticks=place, yticklabels=[])
            panel.set_xlim(left=min(0.0, float(np.nanmin([low, value]))))
            panel.locator_params(axis="x", nbins=4)
            if name != "cost":
                panel.xaxis.set_major_formatter(lambda share, _: f"{100 * share:g} %")
        short = [name if len(name) <= _LONGEST_NAME else f"{name[:_LONGEST_NAME]}..." for name in names]
        self.ax_[0].set_yticklabels(short)
        level = f"{100 * result.confidence_level:g} %"
        title = f"groups with {level} intervals; line: all cases"
        self.ax_[0].set_title(title, loc="left", fontsize="small")
        return self


class ClassVaccDisplay(
    PredictionDisplay,
    asks="classes",
    of=ClassVacc,
    compute=class_vacc,
    axes={"xlabel": "price of a review (a mistake costs 1 on average)", "ylabel": "honest cost per case"},
):
    """Cost by price of a review, where the costs of mistakes are drawn; see `class_vacc`.

    The lower the better. A point is the mean over the draws with such a price; the band is twice its standard
    error over these draws, which all models share, so lines differ by less chance than the bands show. The
    grey line is the cheapest rule without a model. The legend says in which share of the draws a model is
    cheaper than all others.

    Parameters
    ----------
    result : ClassVacc
        What to draw.

    Attributes
    ----------
    lines_ : list
        One line per model, and last the rule without one.
    bands_ : list
        One band per model.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> import numpy as np
    >>> from demur.displays import ClassVaccDisplay
    >>> rng = np.random.default_rng(0)
    >>> stage = rng.integers(0, 3, 300)
    >>> new, old = (rng.dirichlet([1, 1, 1], 300) + gain * np.eye(3)[stage] for gain in (0.7, 0.4))
    >>> display = ClassVaccDisplay.from_predictions(stage, {"new": new, "old": old}, n_draws=200)
    >>> [text.get_text() for text in display.ax_.get_legend().get_texts()][0]
    'new: VACC 0.045, cheapest in 99.0 %'
    >>> plt.close(display.figure_)
    """

    def plot(self, ax: Any = None) -> Self:
        """Draw it.

        Parameters
        ----------
        ax : matplotlib axes, optional
            New ones by default.
        """
        result, ax = self.result, self._begin(ax)
        alone = len(result.vacc) == 1
        for index, (name, curve) in enumerate(result.curves().items()):
            rows = {"model": name, **curve._asdict()}
            if name == NO_MODEL:
                look: dict[str, Any] = {"color": GUIDE, "ls": (0, (4, 3)), "zorder": 0}
                words = f"{NO_MODEL}: {result.baseline:.3f}"
            else:
                look, words = self._series(index), f"VACC {result.vacc[name]:.3f}"
                words += "" if alone else f", cheapest in {100 * result.cheapest[name]:.1f} %"
                words = with_name(name, words)
                reach = 2 * np.nan_to_num(curve.monte_carlo_error)
                self._band(curve.review, (curve.cost - reach, curve.cost + reach), look["color"], 0.15)
            marker = "o" if len(curve.review) == 1 else ""
            self.lines_ += self._line(rows, label=words, lw=1.6, marker=marker, **look)
        return self._finish(ylim=(0, None))
