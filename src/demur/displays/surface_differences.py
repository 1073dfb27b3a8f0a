"""Where one abstention cost surface lies below another."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from demur._checks import check_positive_int
from demur.displays._maps import NU_WORDS, draw_lemma, rectangle
from demur.displays.base import DIFFERENCE_CMAP, MU_WORDS, Display, axis_words, legend_below, two_names
from demur.displays.estimator_input import FromEstimator
from demur.surface.regions import SurfaceDifference
from demur.surface.surface import abstention_surface
from demur.typing import ArrayLike, Labels, Range

__all__ = ["SurfaceDifferenceDisplay"]

# differences below this are rounding: equal planes
_EQUAL = 1e-12


class SurfaceDifferenceDisplay(FromEstimator, Display):
    """Where and by how much one surface is cheaper than another; see `AbstentionSurface.minus`.

    Colours are centred at 0; costs at which both are equal are hatched; the black line is where
    the cheaper one changes. The shares in the legend are the exact areas of the result.

    Parameters
    ----------
    result : SurfaceDifference
        First minus second: negative where the first is cheaper.

    Attributes
    ----------
    mesh_, colorbar_ : artists

    Examples
    --------
    Is the classifier worth having at all? Compare it with the best trivial rule:

    >>> import matplotlib.pyplot as plt
    >>> from demur.displays import SurfaceDifferenceDisplay
    >>> y, s = [0, 0, 1, 0, 1, 1], [1, 2, 3, 4, 5, 6]
    >>> display = SurfaceDifferenceDisplay.from_predictions(y, s).plot(names=("scores", "trivial"))
    >>> bool(display.frame()["difference"].max() <= 0)
    True
    >>> plt.close(display.figure_)
    """

    _kinds = (SurfaceDifference,)

    @classmethod
    def from_predictions(
        cls,
        y_true: Labels,
        score_a: ArrayLike,
        score_b: ArrayLike | None = None,
        *,
        pos_label: Any = None,
        sample_weight: ArrayLike | None = None,
        prevalence: float | None = None,
        mu: Range = (0.0, 1.0),
        nu: Range | None = None,
        ax: Any = None,
        name: str | None = None,
    ) -> Self:
        """Compare two scores of the same cases, or one with the best trivial rule.

        Parameters as in `abstention_surface`; without `score_b` the second surface is the better
        of "always positive", "always negative" and "always abstain".
        """
        keywords: dict[str, Any] = {
            "pos_label": pos_label,
            "sample_weight": sample_weight,
            "prevalence": prevalence,
        }
        first = abstention_surface(y_true, score_a, **keywords)
        second = first.trivial() if score_b is None else abstention_surface(y_true, score_b, **keywords)
        mu, nu = rectangle(mu, nu)
        return cls(result=first.minus(second, mu=mu, nu=nu))._shown(ax, name)

    def plot(
        self, ax: Any = None, *, names: tuple[str, str] = ("first", "second"), resolution: int = 200
    ) -> Self:
        """Draw the map over the rectangle of the result.

        Parameters
        ----------
        ax : matplotlib axes, optional
            New ones by default.
        names : (str, str)
            What to call the two classifiers.
        resolution : int
            Steps of the grid, each way.
        """
        steps = check_positive_int(resolution, "resolution") + 1
        gap: SurfaceDifference = self.result
        first, second = two_names(names)
        ax = self._begin(ax, size=(6.2, 5.2))
        mu, nu = np.linspace(*gap.mu, steps), np.linspace(*gap.nu, steps)
        x, y = np.meshgrid(mu, nu, indexing="ij")
        values = np.asarray(gap.cost(x, y))
        equal = np.abs(values) < _EQUAL
        values = np.where(equal, 0.0, values)
        reach = float(np.abs(values).max()) or 1.0
        self.mesh_ = ax.pcolormesh(
            mu,
            nu,
            values.T,
            cmap=DIFFERENCE_CMAP,
            vmin=-reach,
            vmax=reach,
            shading="gouraud",
            rasterized=True,
        )
        if gap.equal_area > 0:
            ax.contourf(mu, nu, equal.T, levels=[0.5, 1.5], colors="none", hatches=["////"])
        if values.min() < 0 < values.max():
            # free errors or free abstention make all surfaces 0: the axes themselves are left out
            ax.contour(mu[1:], nu[1:], values[1:, 1:].T, levels=[0.0], colors="black", linewidths=1.2)
        words = f"difference of cost per case:\n{first} minus {second}"
        self.colorbar_ = self.figure_.colorbar(self.mesh_, ax=ax, label=words)
        draw_lemma(ax, gap.mu, gap.nu)
        self._words(first, second)
        axis_words(ax, MU_WORDS, NU_WORDS)
        self._record(mu=x.ravel(), nu=y.ravel(), difference=values.ravel(), equal=equal.ravel())
        return self

    def _words(self, first: str, second: str) -> None:
        """Say in the legend which colour means what, with exact shares of the area."""
        from matplotlib.patches import Patch

        gap, cmap = self.result, self.mesh_.get_cmap()
        whole = gap.better_area + gap.worse_area + gap.equal_area
        keys = (
            (gap.better_area, {"facecolor": cmap(0.15)}, f"{first} cheaper"),
            (gap.worse_area, {"facecolor": cmap(0.85)}, f"{second} cheaper"),
            (gap.equal_area, {"facecolor": "white", "edgecolor": "black", "hatch": "////"}, "equal"),
        )
        patches = [
            Patch(label=f"{words} on {100 * area / whole:.1f} % of the area", **style)
            for area, style, words in (keys if gap.equal_area > 0 else keys[:2])
        ]
        legend_below(self.ax_, extra=patches)
