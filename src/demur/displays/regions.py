"""Figure of the cheapest model over all costs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np

from demur._checks import check_mapping, check_positive_int, check_range
from demur._kernels.polygons import cell_batches
from demur.displays.base import ABSTAIN_COLOR, MU_WORDS, SERIES, PredictionDisplay
from demur.displays.surfaces import NU_WORDS, draw_lemma
from demur.surface.regions import cheapest_shares
from demur.surface.surface import AbstentionSurface, abstention_surface
from demur.typing import FloatArray, Range

__all__ = ["RegionsDisplay"]

# surfaces whose costs differ by less are equally cheap
_EQUAL = 1e-12
_NAMED = 6
_BESIDE = 44
"""Longest words of which the legend has two in a line."""
_TIES, _OTHERS = "several models alike", "other models"
# rules without a model -> colour
_BASELINES = {"always negative": "#EFEFEF", "always positive": "#CFCFCF", "always abstain": ABSTAIN_COLOR}


class RegionsDisplay(
    PredictionDisplay,
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
        from matplotlib.colors import ListedColormap
        from matplotlib.patches import Patch

        mu, nu = check_range(mu, "mu"), check_range(nu, "nu")
        steps = check_positive_int(resolution, "resolution", minimum=2)
        ax = self._begin(ax, size=(6.2, 5.8))
        self.shares_ = shares_of(self.result, mu, nu)
        others = sorted(self.result, key=lambda name: -self.shares_[name])[_NAMED:]
        colors = dict(zip([name for name in self.result if name not in others], SERIES, strict=False))
        colors |= {_OTHERS: "#DDCC77", **_BASELINES, _TIES: "#FFFFFF"}
        x, y = np.linspace(*mu, steps), np.linspace(*nu, steps)
        tied = self.shares_[_TIES] > _EQUAL  # else they are on borders only
        cheapest = _cheapest(self.result, *np.meshgrid(x, y, indexing="ij"), tied=tied)
        self._append_map(x, y, "mu nu", cheapest=cheapest)
        painted = np.where(np.isin(cheapest, others), _OTHERS, cheapest)
        codes = sum(number * (painted == name) for number, name in enumerate(colors))
        look = {"cmap": ListedColormap(list(colors.values())), "vmin": -0.5, "vmax": len(colors) - 0.5}
        self.mesh_ = ax.pcolormesh(x, y, codes.T, alpha=0.75, rasterized=True, **look)
        draw_lemma(ax, mu, nu)
        self.point_ = None
        if costs is not None:
            words = f"your costs: $\\mu$ = {costs[0]:.3g}, "
            words += f"$\\nu$ = {costs[1]:.3g}" if np.isfinite(costs[1]) else "no abstaining"
            dot = {"ms": 9, "mfc": "white", "mec": "black", "mew": 1.5, "ls": "none", "clip_on": False}
            (self.point_,) = ax.plot(costs[0], min(costs[1], nu[1]), "o", label=words, zorder=5, **dot)
        legend = {**self.shares_, _OTHERS: sum(self.shares_[name] for name in others)}
        patches = [
            Patch(fc=color, alpha=0.75, ec="#777777", lw=0.5, label=f"{name}: {_percent(legend[name])}")
            for name, color in colors.items()
            if legend[name] > _EQUAL
        ]
        longest = max(len(str(patch.get_label())) for patch in patches)
        return self._finish(columns=2 if longest <= _BESIDE else 1, extra=patches)


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


def _cheapest(
    surfaces: Mapping[str, AbstentionSurface], mu: FloatArray, nu: FloatArray, *, tied: bool
) -> Any:
    """Return the name of what is cheapest at every point of a grid; the first of several unless `tied`."""
    costs = np.stack([np.asarray(surface.cost(mu, nu)) for surface in surfaces.values()])
    rate = next(iter(surfaces.values())).prevalence
    trivial = np.stack([np.full(mu.shape, rate), mu * (1 - rate), nu])
    baseline = np.array(list(_BASELINES))[trivial.argmin(axis=0)]
    below = costs < trivial.min(axis=0) - _EQUAL
    least = costs.min(axis=0)
    alone = (costs <= least + _EQUAL).sum(axis=0) == 1
    model = np.where(alone | (not tied), np.array(list(surfaces))[costs.argmin(axis=0)], _TIES)
    return np.where(below.any(axis=0), model, baseline)
