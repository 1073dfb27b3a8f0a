"""Figure of calibration: the reliability diagram."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from demur.calibration.reliability import ReliabilityCurve, reliability_curve
from demur.displays.base import CurveDisplay, with_name

__all__ = ["ReliabilityDisplay"]

_BINS = 40
_TALLEST = 0.12


class ReliabilityDisplay(
    CurveDisplay,
    of=ReliabilityCurve,
    compute=reliability_curve,
    guide=((0, 1), (0, 1), "calibrated"),
    axes={
        "xlabel": "forecast probability",
        "ylabel": "observed share of positives",
        "xlim": (-0.02, 1.02),
        "yticks": np.linspace(0, 1, 6),
        "aspect": "equal",
    },
):
    """Observed share against forecast probability (CORP reliability diagram); see `reliability_curve`.

    On the diagonal is better. The curve is the pooled blocks themselves, without bins; the small
    bars below say how often which forecast was given. The band, drawn for a single model, is where
    the curve of a calibrated model would lie.

    Parameters
    ----------
    result : ReliabilityCurve, or mapping {name: ReliabilityCurve}
        What to draw.

    Attributes
    ----------
    lines_ : list
        One line per curve.
    bands_ : list
        The consistency band, if drawn.
    bars_ : list
        One histogram per curve.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from demur.displays import ReliabilityDisplay
    >>> display = ReliabilityDisplay.from_predictions([0, 1, 0, 1], [0.1, 0.4, 0.6, 0.8])
    >>> drawn = display.plot().frame()
    >>> drawn["observed"][drawn["part"] == "curve"].tolist()
    [0.0, 0.5, 0.5, 1.0]
    >>> plt.close(display.figure_)
    """

    def plot(
        self,
        ax: Any = None,
        *,
        confidence_level: float | None = 0.9,
        n_resamples: int = 500,
        rng: Any = 0,
        bars: bool = True,
    ) -> Self:
        """Draw the curves.

        Parameters
        ----------
        ax : matplotlib axes, optional
            New ones by default.
        confidence_level : float or None
            Of the consistency band of a single model; None leaves it out, as do several models.
        n_resamples, rng
            As in `ReliabilityCurve.consistency_band`.
        bars : bool
            Draw how often which forecast was given.
        """
        self.bars_: list[Any] = []
        for name, curve, style in self._curves(ax):
            color = style["color"]
            if len(self._members) == 1 and confidence_level is not None:
                band = curve.consistency_band(
                    confidence_level=confidence_level, n_resamples=n_resamples, rng=rng
                )
                limits = {"observed": np.nan, "low": band.low, "high": band.high}
                self._append(part="band", model=name, forecast=band.forecast, **limits)
                words = f"{confidence_level:.0%} band of a calibrated model"
                self._band(band.forecast, (band.low, band.high), color, 0.15, label=words)
            words = f"Brier {curve.brier:.3f}, miscalibration {curve.miscalibration:.3f}"
            marker = {"marker": "o", "markersize": 3} if len(curve.forecast) <= 30 else {}
            rows = {"part": "curve", "model": name, "forecast": curve.forecast, "observed": curve.observed}
            rows |= {"low": np.nan, "high": np.nan}
            self.lines_ += self._line(rows, lw=1.8, label=with_name(name, words), **style, **marker)
            if bars:
                heights, edges = np.histogram(curve.forecast, bins=_BINS, range=(0, 1), weights=curve.weight)
                place = {"width": 1 / _BINS, "bottom": -0.02 - _TALLEST, "align": "edge"}
                heights = heights / heights.max() * (_TALLEST - 0.02)
                self.bars_.append(self.ax_.bar(edges[:-1], heights, **place, color=color, alpha=0.35, lw=0))
        return self._finish(ylim=(-0.02 - _TALLEST * bars, 1.02))
