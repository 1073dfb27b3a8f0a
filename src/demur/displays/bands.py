"""Figures of bands: a surface along one cost, the significance map, ROC and cost curves."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np

from demur._checks import check_nonnegative, check_positive_int, input_error
from demur.displays.base import (
    GUIDE,
    NEGATIVE_COLOR,
    POSITIVE_COLOR,
    UNIT_SQUARE,
    Display,
    FromEstimator,
)
from demur.displays.roc import ROC_WORDS
from demur.honest.bands import SurfaceBand, surface_band
from demur.honest.curve_bands import CostCurveBand, cost_curve_band
from demur.honest.difference import SurfaceDifferenceBand, surface_difference_band
from demur.honest.roc_bands import RocBand, roc_band
from demur.typing import ArrayLike, FloatArray, Labels

__all__ = ["CostCurveBandDisplay", "RocBandDisplay", "SignificanceMapDisplay", "SurfaceBandDisplay"]

_WIDE, _NARROW = 0.16, 0.28  # opacity of the simultaneous and of the pointwise band
_UNDECIDED = "#D9D9D9"


class _CrossFittedDisplay(FromEstimator, Display):
    """Made from the scores of one model and a seed."""

    _compute: ClassVar[Any]
    bands_: list[Any]

    @classmethod
    def from_predictions(
        cls,
        y_true: Labels,
        y_score: ArrayLike,
        *,
        pos_label: Any = None,
        sample_weight: ArrayLike | None = None,
        confidence_level: float = 0.95,
        rng: int | np.random.Generator | None = None,
        ax: Any = None,
        name: str | None = None,
    ) -> Self:
        """Compute the band with its default settings and make its Display."""
        return cls(
            result=cls._compute(
                y_true,
                y_score,
                pos_label=pos_label,
                sample_weight=sample_weight,
                confidence_level=confidence_level,
                rng=rng,
            )
        )._shown(ax, name)

    def _draw(self, x: FloatArray, color: str, name: str = "", rows: Any = slice(None)) -> None:
        """Draw both bands, the honest and the hindsight line."""
        ax, band = self.ax_, self.result
        level = f"{100 * band.confidence_level:g} %"
        limits = (
            (band.low, band.high, _WIDE, f"{name}{level} band, all points"),
            (band.pointwise_low, band.pointwise_high, _NARROW, f"{name}{level} interval, one point"),
        )
        self.bands_ += [
            ax.fill_between(x, low[rows], high[rows], color=color, alpha=alpha, lw=0, label=label)
            for low, high, alpha, label in limits
        ]
        # where nothing was chosen there is no hindsight
        fixed = getattr(band, "method", "") == "fixed classifier"
        word = "cost" if fixed else "honest"
        self.lines_ += ax.plot(x, band.honest[rows], color=color, lw=1.8, label=name + word)
        if not fixed:
            self.lines_ += ax.plot(
                x, band.hindsight[rows], label=f"{name}with hindsight", color=color, lw=1.2, ls=(0, (4, 2))
            )


class SurfaceBandDisplay(_CrossFittedDisplay):
    """Cost against the cost of abstaining at fixed mu, honest and with hindsight; see `surface_band`.

    The lower the better. The light band holds for all costs at once, the dark one for a single
    point fixed in advance.

    Parameters
    ----------
    result : SurfaceBand

    Attributes
    ----------
    lines_, bands_ : list
        Honest and hindsight line, simultaneous and pointwise band, per value of mu.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from demur import Binormal, surface_band
    >>> from demur.displays import SurfaceBandDisplay
    >>> y, s = Binormal().sample(300, rng=0)
    >>> display = SurfaceBandDisplay.from_result(surface_band(y, s, resolution=10, rng=0)).plot(mu=0.5)
    >>> sorted(display.frame())[:3]
    ['high', 'hindsight', 'honest']
    >>> plt.close(display.figure_)
    """

    _kinds = (SurfaceBand,)
    _compute = staticmethod(surface_band)

    def plot(self, ax: Any = None, *, mu: ArrayLike = 1.0) -> Self:
        """Draw one slice per value of `mu`, at the nearest value of the grid.

        Parameters
        ----------
        ax : matplotlib axes, optional
            New ones by default.
        mu : float or array of at most 3 numbers
            Cost of a false alarm.
        """
        band = self.result
        values = np.atleast_1d(check_nonnegative(mu, "mu"))
        if values.ndim != 1 or not 1 <= len(values) <= 3:
            raise input_error("mu", "must be one to three numbers, or the bands hide each other", repr(mu))
        self._begin(ax, size=(6.0, 5.0))
        self.bands_ = []
        rows = [int(np.argmin(np.abs(band.mu - value))) for value in values]
        for index, row in enumerate(rows):
            name = "" if len(rows) == 1 else f"mu = {band.mu[row]:.3g}: "
            self._draw(band.nu, self._series(index)["color"], name, row)
        columns = ("honest", "hindsight", "low", "high", "pointwise_low", "pointwise_high")
        drawn = {name: getattr(band, name)[rows].ravel() for name in columns}
        self._record(mu=np.repeat(band.mu[rows], len(band.nu)), nu=np.tile(band.nu, len(rows)), **drawn)
        return self._finish(
            "cost of abstaining, relative to a miss (nu)",
            "expected cost per case (a miss costs 1)",
            box=True,
            title=f"False alarm costs {band.mu[rows[0]]:.3g} of a miss" if len(rows) == 1 else "",
            xlim=(band.nu[0], band.nu[-1]),
            ylim=(0, None),
        )


class SignificanceMapDisplay(Display):
    """Where one model is proven cheaper; see `surface_difference_band`.

    Blue: the first model is cheaper, orange: the second, deeper colours for larger differences;
    grey and hatched: undecided by the simultaneous band.

    Parameters
    ----------
    result : SurfaceDifferenceBand

    Attributes
    ----------
    map_, undecided_ : artists
        The coloured and the hatched cells.
    colorbar_ : matplotlib colour bar

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from demur import Binormal
    >>> from demur.displays import SignificanceMapDisplay
    >>> from demur.datasets.binormal import paired_binormal_sample
    >>> y, a, b = paired_binormal_sample(Binormal(separation=2.0), Binormal(), n=500, correlation=0.6, rng=0)
    >>> display = SignificanceMapDisplay.from_predictions(y, a, b, resolution=10, rng=0).plot()
    >>> bool((display.frame()["decision"] == -1).any())
    True
    >>> plt.close(display.figure_)
    """

    _kinds = (SurfaceDifferenceBand,)

    @classmethod
    def from_predictions(
        cls,
        y_true: Labels,
        score_a: ArrayLike,
        score_b: ArrayLike,
        *,
        pos_label: Any = None,
        sample_weight: ArrayLike | None = None,
        resolution: int = 50,
        confidence_level: float = 0.95,
        rng: int | np.random.Generator | None = None,
        ax: Any = None,
        name: str | None = None,
    ) -> Self:
        """Compute the comparison with `surface_difference_band` and make its Display."""
        return cls(
            result=surface_difference_band(
                y_true,
                score_a,
                score_b,
                pos_label=pos_label,
                sample_weight=sample_weight,
                resolution=resolution,
                confidence_level=confidence_level,
                rng=rng,
            )
        )._shown(ax, name)

    def plot(self, ax: Any = None, *, names: tuple[str, str] = ("a", "b")) -> Self:
        """Draw the map.

        Parameters
        ----------
        ax : matplotlib axes, optional
            New ones by default.
        names : (str, str)
            Names of the two models.
        """
        from matplotlib.colors import LinearSegmentedColormap, ListedColormap
        from matplotlib.patches import Patch

        band = self.result
        first, second = names
        ax = self._begin(ax, size=(6.4, 5.4))
        decided = np.ma.masked_where(band.decision == 0, band.difference).T
        largest = float(np.abs(band.difference).max()) or 1.0
        colors = LinearSegmentedColormap.from_list(
            "blue-white-orange", [NEGATIVE_COLOR, "white", POSITIVE_COLOR]
        )
        grid = (band.mu, band.nu)
        self.map_ = ax.pcolormesh(*grid, decided, cmap=colors, vmin=-largest, vmax=largest)
        unknown = np.ma.masked_where(band.decision != 0, np.zeros(band.decision.shape)).T
        self.undecided_ = ax.pcolor(
            *grid,
            unknown,
            cmap=ListedColormap([_UNDECIDED]),
            shading="nearest",
            hatch="////",
            edgecolor="#9A9A9A",
            lw=0,
        )
        self.colorbar_ = self.figure_.colorbar(
            self.map_, ax=ax, pad=0.02, label=f"cost of {first} minus cost of {second} (a miss costs 1)"
        )
        ax.set_title(
            f"Decided with {100 * band.confidence_level:g} % confidence for all costs at once", fontsize=10
        )
        keys = (
            (f"{first} cheaper ({100 * band.a_better_share:.0f} % of the costs)", NEGATIVE_COLOR, None),
            (f"{second} cheaper ({100 * band.b_better_share:.0f} %)", POSITIVE_COLOR, None),
            (f"undecided ({100 * band.undecided_share:.0f} %)", _UNDECIDED, "////"),
        )
        patches = [Patch(fc=fc, hatch=hatch, ec="#9A9A9A", lw=0, label=text) for text, fc, hatch in keys]
        x, y = np.meshgrid(*grid, indexing="ij")
        columns = {name: getattr(band, name).ravel() for name in ("difference", "low", "high", "decision")}
        self._record(mu=x.ravel(), nu=y.ravel(), **columns)
        return self._finish(
            "cost of a false alarm, relative to a miss (mu)",
            "cost of abstaining, relative to a miss (nu)",
            box=True,
            extra=patches,
        )


class RocBandDisplay(FromEstimator, Display):
    """ROC curve with its band and some exact intervals of single thresholds; see `roc_band`.

    Up and left is better.

    Parameters
    ----------
    result : RocBand

    Attributes
    ----------
    line_, band_, crosses_ : artists
        The curve, the simultaneous band, the pointwise intervals.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from demur import Binormal
    >>> from demur.displays import RocBandDisplay
    >>> y, s = Binormal().sample(300, rng=0)
    >>> display = RocBandDisplay.from_predictions(y, s).plot(crosses=5)
    >>> len(display.frame()["fpr"]) == 301
    True
    >>> plt.close(display.figure_)
    """

    _kinds = (RocBand,)

    @classmethod
    def from_predictions(
        cls,
        y_true: Labels,
        y_score: ArrayLike,
        *,
        pos_label: Any = None,
        sample_weight: ArrayLike | None = None,
        confidence_level: float = 0.95,
        method: str = "order statistics",
        ax: Any = None,
        name: str | None = None,
    ) -> Self:
        """Compute the band with `roc_band` and make its Display."""
        return cls(
            result=roc_band(
                y_true,
                y_score,
                pos_label=pos_label,
                sample_weight=sample_weight,
                confidence_level=confidence_level,
                method=method,
            )
        )._shown(ax, name)

    def plot(self, ax: Any = None, *, crosses: int = 8) -> Self:
        """Draw curve, band and the pointwise intervals of some thresholds.

        Parameters
        ----------
        ax : matplotlib axes, optional
            New ones by default.
        crosses : int
            Number of thresholds, evenly along the curve, whose intervals are drawn.
        """
        band = self.result
        number = check_positive_int(crosses, "crosses", minimum=0)
        ax, style = self._begin(ax, size=(5.4, 6.0)), self._series(0)
        level = f"{100 * band.confidence_level:g} %"
        ax.plot([0, 1], [0, 1], color=GUIDE, lw=1, ls=(0, (4, 3)), zorder=0)
        # between the points of the curve the band is a step function: draw it finely
        x = np.unique(np.concatenate([np.linspace(0, 1, 801), band.fpr]))
        self.band_ = ax.fill_between(
            x, *band.at(x), color=style["color"], alpha=_WIDE, lw=0, label=f"{level} band, whole curve"
        )
        (self.line_,) = ax.plot(band.fpr, band.tpr, lw=1.6, label="ROC curve", **style)
        self.crosses_ = None
        if number:
            at = np.searchsorted(band.fpr + band.tpr, np.linspace(0, 2, number + 2)[1:-1])
            self.crosses_ = ax.errorbar(
                band.fpr[at],
                band.tpr[at],
                xerr=[(band.fpr - band.fpr_low)[at], (band.fpr_high - band.fpr)[at]],
                yerr=[(band.tpr - band.tpr_low)[at], (band.tpr_high - band.tpr)[at]],
                fmt="none",
                ecolor="#555555",
                elinewidth=1,
                label=f"{level} intervals, one threshold",
            )
        names = ("fpr", "tpr", "low", "high", "fpr_low", "fpr_high", "tpr_low", "tpr_high", "thresholds")
        self._record(**{name: getattr(band, name) for name in names})
        return self._finish(*ROC_WORDS, box=True, **UNIT_SQUARE)


class CostCurveBandDisplay(_CrossFittedDisplay):
    """Cost curve with its bands, honest and with hindsight; see `cost_curve_band`.

    The lower the better; the grey tent is the better of the two trivial rules.

    Parameters
    ----------
    result : CostCurveBand

    Attributes
    ----------
    lines_, bands_ : list
        Honest and hindsight line, simultaneous and pointwise band.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from demur import Binormal
    >>> from demur.displays import CostCurveBandDisplay
    >>> y, s = Binormal().sample(300, rng=0)
    >>> display = CostCurveBandDisplay.from_predictions(y, s, rng=0).plot()
    >>> len(display.frame()["pc"])
    101
    >>> plt.close(display.figure_)
    """

    _kinds = (CostCurveBand,)
    _compute = staticmethod(cost_curve_band)

    def plot(self, ax: Any = None) -> Self:
        """Draw the curve and its bands on `ax`, or on new axes."""
        band = self.result
        ax = self._begin(ax, size=(6.0, 5.0))
        ax.plot([0, 0.5, 1], [0, 0.5, 0], color=GUIDE, lw=1, zorder=0)
        self.bands_ = []
        self._draw(band.pc, self._series(0)["color"])
        columns = ("pc", "honest", "hindsight", "low", "high", "pointwise_low", "pointwise_high")
        self._record(**{name: getattr(band, name) for name in columns})
        return self._finish(
            "operating point PC(+): 0 only false alarms matter, 1 only misses",
            "normalised expected cost",
            box=True,
            xlim=(0, 1),
            ylim=(0, None),
        )
