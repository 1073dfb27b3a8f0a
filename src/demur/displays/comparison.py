"""Figures of a comparison of models: surfaces, unknown costs, scores, costs by block of time and by group."""

from __future__ import annotations

import math
from typing import Any, Self

import numpy as np

from demur._checks import check_choice
from demur._tables.table import told_apart
from demur.comparison.by_group import GroupCosts
from demur.comparison.class_volume import NO_MODEL, ClassVacc, class_vacc
from demur.comparison.comparison import Comparison
from demur.costs.curves import cost_curve
from demur.counts.window import AbstentionWindow
from demur.displays.base import (
    ABSTAIN_COLOR,
    ACCENT,
    GUIDE,
    Display,
    PredictionDisplay,
    axes_table,
    axis_words,
    show_names_as_text,
    with_name,
)
from demur.displays.regions import PrevalenceDisplay, RegionsDisplay
from demur.displays.surfaces import AbstentionSurfaceDisplay, SurfaceDifferenceDisplay
from demur.displays.windows import WindowDisplay
from demur.exceptions import InputError, UndefinedError
from demur.typing import ArrayLike

__all__ = ["FIGURES", "BlockCostDisplay", "ClassVaccDisplay", "GroupCostDisplay", "comparison_figure"]


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
