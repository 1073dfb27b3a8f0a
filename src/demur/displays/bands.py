"""Figures of bands: a surface along one cost, the significance map, ROC and cost curves."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from demur._checks import check_nonnegative, check_positive_int, input_error
from demur.displays.base import (
    COST_WORDS,
    DIAGONAL,
    NEGATIVE_COLOR,
    PC_WORDS,
    POSITIVE_COLOR,
    ROC_SPACE,
    TENT,
    BandDisplay,
    PredictionDisplay,
    two_names,
)
from demur.honest.bands import SurfaceBand, surface_band
from demur.honest.curve_bands import CostCurveBand, RocBand, cost_curve_band, roc_band
from demur.honest.difference import SurfaceDifferenceBand, surface_difference_band
from demur.typing import ArrayLike

__all__ = [
    "CostCurveBandDisplay",
    "RocBandDisplay",
    "SignificanceMapDisplay",
    "SurfaceBandDisplay",
]

_UNDECIDED = "#D9D9D9"


class SurfaceBandDisplay(
    BandDisplay,
    of=SurfaceBand,
    compute=surface_band,
    axes={
        "xlabel": "cost of abstaining, relative to a miss (nu)",
        "ylabel": "expected cost per case (a miss costs 1)",
        "ylim": (0, None),
    },
):
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
        self._begin(ax)
        rows = [int(np.argmin(np.abs(band.mu - value))) for value in values]
        for index, row in enumerate(rows):
            name = "" if len(rows) == 1 else f"mu = {band.mu[row]:.3g}: "
            self._honest(band.nu, self._series(index)["color"], name, row)
        columns = ("honest", "hindsight", "low", "high", "pointwise_low", "pointwise_high")
        drawn = {name: getattr(band, name)[rows].ravel() for name in columns}
        self._record(mu=np.repeat(band.mu[rows], len(band.nu)), nu=np.tile(band.nu, len(rows)), **drawn)
        title = f"False alarm costs {band.mu[rows[0]]:.3g} of a miss" if len(rows) == 1 else ""
        return self._finish(box=True, title=title, xlim=(band.nu[0], band.nu[-1]))


class SignificanceMapDisplay(
    PredictionDisplay,
    of=SurfaceDifferenceBand,
    compute=surface_difference_band,
    axes={
        "xlabel": "cost of a false alarm, relative to a miss (mu)",
        "ylabel": "cost of abstaining, relative to a miss (nu)",
    },
):
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
        first, second = two_names(names)
        ax = self._begin(ax, size=(6.4, 5.4))
        decided = np.ma.masked_where(band.decision == 0, band.difference).T
        unknown = np.ma.masked_where(band.decision != 0, np.zeros(band.decision.shape)).T
        largest = float(np.abs(band.difference).max()) or 1.0
        three = [NEGATIVE_COLOR, "white", POSITIVE_COLOR]
        colors = LinearSegmentedColormap.from_list("blue-white-orange", three)
        grid = (band.mu, band.nu)
        self.map_ = ax.pcolormesh(*grid, decided, cmap=colors, vmin=-largest, vmax=largest)
        look = {"cmap": ListedColormap([_UNDECIDED]), "shading": "nearest"}
        self.undecided_ = ax.pcolor(*grid, unknown, **look, hatch="////", edgecolor="#9A9A9A", lw=0)
        words = f"cost of {first} minus cost of {second} (a miss costs 1)"
        self.colorbar_ = self.figure_.colorbar(self.map_, ax=ax, pad=0.02, label=words)
        level = f"{100 * band.confidence_level:g} %"
        ax.set_title(f"Decided with {level} confidence for all costs at once", fontsize=10)
        keys = (
            (f"{first} cheaper ({100 * band.a_better_share:.0f} % of the costs)", NEGATIVE_COLOR, None),
            (f"{second} cheaper ({100 * band.b_better_share:.0f} %)", POSITIVE_COLOR, None),
            (f"undecided ({100 * band.undecided_share:.0f} %)", _UNDECIDED, "////"),
        )
        patches = [Patch(fc=fc, hatch=hatch, ec="#9A9A9A", lw=0, label=text) for text, fc, hatch in keys]
        tables = {name: getattr(band, name) for name in ("difference", "low", "high", "decision")}
        self._append_map(*grid, "mu nu", **tables)
        return self._finish(box=True, extra=patches)


class RocBandDisplay(PredictionDisplay, of=RocBand, compute=roc_band, axes=ROC_SPACE, guide=DIAGONAL):
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
        ax, style = self._begin(ax), self._series(0)
        level = f"{100 * band.confidence_level:g} %"
        # between the points of the curve the band is a step function: draw it finely
        x = np.unique(np.concatenate([np.linspace(0, 1, 801), band.fpr]))
        self._band(x, band.at(x), style["color"], 0.16, label=f"{level} band, whole curve")
        self.lines_ += ax.plot(band.fpr, band.tpr, lw=1.6, label="ROC curve", **style)
        (self.band_,), (self.line_,), self.crosses_ = self.bands_, self.lines_, None
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
        return self._finish(box=True)


class CostCurveBandDisplay(
    BandDisplay,
    of=CostCurveBand,
    compute=cost_curve_band,
    axes={
        "xlabel": PC_WORDS,
        "ylabel": COST_WORDS,
        "xlim": (0, 1),
        "ylim": (0, None),
    },
    guide=TENT,
):
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

    def plot(self, ax: Any = None) -> Self:
        """Draw the curve and its bands on `ax`, or on new axes."""
        self._begin(ax)
        self._honest(self.result.pc, self._series(0)["color"])
        columns = ("pc", "honest", "hindsight", "low", "high", "pointwise_low", "pointwise_high")
        self._record(**{name: getattr(self.result, name) for name in columns})
        return self._finish(box=True)
