"""Figures of a comparison of models."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from demur._checks import check_choice
from demur._tables.table import told_apart
from demur.comparison.by_group import GroupCosts
from demur.comparison.comparison import Comparison
from demur.costs.curves import cost_curve
from demur.counts.window import AbstentionWindow
from demur.displays.base import Display, show_names_as_text
from demur.displays.blocks import BlockCostDisplay
from demur.displays.by_group import GroupCostDisplay
from demur.displays.class_vacc import ClassVaccDisplay
from demur.displays.regions import PrevalenceDisplay, RegionsDisplay
from demur.displays.surfaces import AbstentionSurfaceDisplay, SurfaceDifferenceDisplay
from demur.displays.windows import WindowDisplay
from demur.exceptions import InputError
from demur.typing import ArrayLike, Range

__all__ = ["FIGURES", "comparison_figure"]

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
    costs = _relative_costs(window)
    mu = (0.0, 1.0) if costs is None else (0.0, max(1.0, 1.25 * costs[0]))
    nu = _shown(mu, costs)
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


def _relative_costs(window: Any) -> tuple[float, float] | None:
    """Return mu and nu of a window that was chosen for one point of costs."""
    if not isinstance(window, AbstentionWindow) or window.nu_positive != window.nu_negative:
        return None
    return None if np.isnan(window.mu) else (window.mu, window.nu_positive)


def _shown(mu: Range, costs: tuple[float, float] | None) -> Range:
    """Return the costs of abstaining to show: all that can pay, and the user's."""
    own = 0.0 if costs is None or math.isinf(costs[1]) else 1.1 * costs[1]
    return 0.0, max(mu[1] / (1 + mu[1]), own)
