"""Figures of the cheapest model over all costs, and over all prevalences and prices of a review."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np

from demur._checks import (
    check_mapping,
    check_nonnegative,
    check_number,
    check_positive,
    check_positive_int,
    check_range,
    check_rate,
)
from demur._kernels.polygons import cell_batches
from demur.costs.curves import CostCurve, cost_curve
from demur.displays.base import ABSTAIN_COLOR, MU_WORDS, PC_WORDS, SERIES, PredictionDisplay
from demur.displays.surfaces import NU_WORDS, draw_lemma
from demur.surface.regions import cheapest_shares
from demur.surface.surface import AbstentionSurface, abstention_surface
from demur.typing import FloatArray, Range

__all__ = ["PrevalenceDisplay", "RegionsDisplay"]

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
