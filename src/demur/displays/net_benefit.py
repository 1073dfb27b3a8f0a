"""Figure of net benefit: decision curves."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from demur._checks import check_range, input_error
from demur.costs.net_benefit import NetBenefitCurve, net_benefit_curve
from demur.displays.base import PrevalenceDisplay, axis_words, legend_below, with_name
from demur.exceptions import UndefinedError
from demur.typing import FloatArray, Range

__all__ = ["NetBenefitDisplay"]

_POINTS = 501
_HINDSIGHT = "best threshold in hindsight"


class NetBenefitDisplay(PrevalenceDisplay):
    """Net benefit against the threshold probability (decision curve); see `net_benefit_curve`.

    The higher the better, in true positives per case; a useful model is above both "act on all"
    and "act on none" (0), a harmful one below. The curve jumps at the predicted probabilities, so
    it is drawn at each of them and at 501 points in between.

    Parameters
    ----------
    result : NetBenefitCurve, or mapping {name: NetBenefitCurve}
        What to draw; of scores in [0, 1], unless only the optimal curve is drawn.

    Attributes
    ----------
    lines_ : list
        One line per curve, followed by its optimal line if asked for.
    bands_ : list
        One band per curve, if asked for.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from demur.displays import NetBenefitDisplay
    >>> y, p = [0, 0, 0, 1, 0, 1, 1, 1], [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 0.9]
    >>> display = NetBenefitDisplay.from_predictions(y, p).plot()
    >>> drawn = display.frame()
    >>> at = (drawn["part"] == "model") & (drawn["threshold_probability"] == 0)
    >>> drawn["net_benefit"][at].tolist()
    [0.5]
    >>> plt.close(display.figure_)
    """

    _kinds = (NetBenefitCurve,)
    _compute = staticmethod(net_benefit_curve)
    _several = True

    def plot(
        self,
        ax: Any = None,
        *,
        threshold_probability: Range = (0.0, 0.99),
        model: bool = True,
        optimal: bool = False,
        confidence_level: float | None = None,
    ) -> Self:
        """Draw the curves.

        Parameters
        ----------
        ax : matplotlib axes, optional
            New ones by default.
        threshold_probability : (low, high)
            Range shown, within [0, 1).
        model : bool
            Draw what acting on the probabilities reaches.
        optimal : bool
            Also draw what the best threshold, chosen in hindsight, would reach.
        confidence_level : float, optional
            Also draw the pointwise intervals of this level.
        """
        low, high = check_range(threshold_probability, "threshold_probability", high=1.0)
        if high == 1.0 or low == high:
            raise input_error("threshold_probability", "must be a pair with low < high < 1", (low, high))
        ax = self._begin(ax, size=(5.8, 5.2))
        self.lines_: list[Any] = []
        self.bands_: list[Any] = []
        for index, (name, curve) in enumerate(self._members.items()):
            if curve.prevalence in (0.0, 1.0):
                raise UndefinedError(
                    f"A decision curve needs both classes, got prevalence {curve.prevalence:g}."
                )
            style = self._series(index)
            if model:
                t = _jumps(curve, low, high)
                self._draw("model", name, t, curve.net_benefit(t), lw=1.8, **style)
                if confidence_level is not None:
                    self._draw_band(name, curve, t, confidence_level, style["color"])
            if optimal:
                t, style["linestyle"] = _bends(curve, low, high), ":"
                self._draw(_HINDSIGHT, name, t, curve.optimal_net_benefit(t), lw=1.1, **style)
        self._draw_trivial(low, high)
        rate = max(curve.prevalence for curve in self._members.values())
        ax.set(xlim=(low, high), ylim=(-0.25 * rate, 1.05 * rate))
        axis_words(
            ax, "threshold probability (act from this risk on)", "net benefit (true positives per case)"
        )
        legend_below(ax)
        return self

    def _draw_band(self, name: str, curve: NetBenefitCurve, t: FloatArray, level: float, color: Any) -> None:
        low, high = curve.interval(t, confidence_level=level)
        self.bands_.append(self.ax_.fill_between(t, low, high, color=color, alpha=0.15, lw=0))
        for part, limit in (("lower limit", low), ("upper limit", high)):
            self._append(model=name, part=part, threshold_probability=t, net_benefit=np.asarray(limit))

    def _draw(self, part: str, name: str, t: FloatArray, value: Any, **style: Any) -> None:
        (line,) = self.ax_.plot(t, value, label=with_name(name, part), **style)
        self.lines_.append(line)
        self._append(model=name, part=part, threshold_probability=t, net_benefit=value)

    def _draw_trivial(self, low: float, high: float) -> None:
        """Act on all (one line per prevalence) and on none."""
        t = np.linspace(low, high, _POINTS)
        by_prevalence = {curve.prevalence: curve for curve in self._members.values()}
        for number, (rate, curve) in enumerate(by_prevalence.items()):
            words = "act on all" if len(by_prevalence) == 1 else f"act on all, prevalence {rate:.3g}"
            value = np.asarray(curve.treat_all(t))
            self.ax_.plot(t, value, color="#777777", lw=1, ls=(0, (4, 3 + 3 * number)), label=words)
            self._append(model="", part=words, threshold_probability=t, net_benefit=value)
        self.ax_.axhline(0, color="black", lw=0.8, label="act on none")


def _jumps(curve: NetBenefitCurve, low: float, high: float) -> FloatArray:
    """Even points, every predicted probability and the next number above it, where acting on it ends."""
    scores = curve.curve.counts.scores
    both_sides = np.concatenate([scores, np.nextafter(scores, 2.0)])
    even = np.linspace(low, high, _POINTS)
    return np.union1d(even, both_sides[(both_sides > low) & (both_sides < high)])


def _bends(curve: NetBenefitCurve, low: float, high: float) -> FloatArray:
    """Even points and the exact bends: t = pi (1 - x) / (pi (1 - x) + (1 - pi) x) at every corner x."""
    x = curve.curve.vertices[:, 0]
    missed, alarmed = curve.prevalence * (1 - x), (1 - curve.prevalence) * x
    bends = missed / (missed + alarmed)
    even = np.linspace(low, high, _POINTS)
    return np.union1d(even, bends[(bends > low) & (bends < high)])
