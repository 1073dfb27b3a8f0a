"""Figure of selective risk: loss of the answered cases against coverage."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from demur.cautious.selective_risk import RiskCoverageCurve, risk_coverage_curve
from demur.displays.base import ABSTAIN_COLOR, Display, framed, thinned, with_name
from demur.displays.estimator_input import FromEstimator
from demur.typing import ArrayLike, FloatArray

__all__ = ["RiskCoverageDisplay"]

# within a group of equal confidence the risk bends like a + b/c: points enough to look smooth
_BETWEEN = 400


class RiskCoverageDisplay(FromEstimator, Display):
    """Mean loss of the answered cases against coverage, for one or several models.

    The lower the better. The dashed grey line is the best possible order of the first model's
    losses; what lies between is the room for a better confidence. See `risk_coverage_curve`.

    Parameters
    ----------
    result : RiskCoverageCurve, or mapping {name: RiskCoverageCurve}
        What to draw.

    Attributes
    ----------
    lines_ : list
        One line per model.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from demur.displays import RiskCoverageDisplay
    >>> wrong, sure = [0, 1, 0, 0, 0, 1, 0, 0], [0.95, 0.9, 0.9, 0.8, 0.7, 0.6, 0.6, 0.5]
    >>> display = RiskCoverageDisplay.from_predictions(wrong, sure).plot()
    >>> display.ax_.get_xlabel()
    'coverage (share of cases answered)'
    >>> plt.close(display.figure_)
    """

    _asks = "losses"
    _kinds = (RiskCoverageCurve,)
    _several = True

    @classmethod
    def from_predictions(
        cls,
        loss: ArrayLike,
        confidence: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        convention: str = "exact",
        ax: Any = None,
        name: str | None = None,
    ) -> Self:
        """Make the Display from losses and confidences; see `risk_coverage_curve`."""
        curve = risk_coverage_curve(loss, confidence, sample_weight=sample_weight, convention=convention)
        return cls(result=curve)._shown(ax, name)

    def plot(self, ax: Any = None, *, generalized: bool = False, best: bool = True) -> Self:
        """Draw the curves.

        Parameters
        ----------
        ax : matplotlib axes, optional
            New ones by default.
        generalized : bool
            Draw the loss per case of all (area AUGRC) instead of per answered case (area AURC).
        best : bool
            Draw the best possible order of the first model's losses.
        """
        ax = self._begin(ax)
        self.lines_ = []
        for index, (name, curve) in enumerate(self._members.items()):
            area = f"AUGRC {curve.augrc:.3f}" if generalized else f"AURC {curve.aurc:.3f}"
            x, y = _drawn(curve, generalized=generalized)
            self.lines_ += ax.plot(x, y, lw=1.6, label=with_name(name, area), **self._series(index))
            self._append(model=name, part="curve", coverage=x, risk=y)
        if best:
            first, curve = next(iter(self._members.items()))
            x, y = _drawn(curve.best_possible(), generalized=generalized)
            ax.plot(x, y, color=ABSTAIN_COLOR, lw=1.2, ls=(0, (4, 3)), label="best possible order")
            self._append(model=first, part="best possible order", coverage=x, risk=y)
        which = "loss per case of all" if generalized else "mean loss of the answered cases"
        ax.set_xlim(0, 1)
        ax.set_ylim(bottom=0)
        framed(ax, "coverage (share of cases answered)", which)
        return self


def _drawn(curve: RiskCoverageCurve, *, generalized: bool) -> tuple[FloatArray, FloatArray]:
    """Ends of the groups, and points between them."""
    if curve.convention == "discrete":
        y = curve.generalized_risk if generalized else curve.risk
        at = thinned(curve.coverage, y)
        return curve.coverage[at], y[at]
    x = np.union1d(curve.coverage, np.arange(1, _BETWEEN + 1) / _BETWEEN)
    ends = np.concatenate([[0.0], curve.coverage])
    accepted = np.interp(x, ends, np.concatenate([[0.0], curve.generalized_risk]))
    y = accepted if generalized else accepted / x
    at = thinned(x, y)
    return x[at], y[at]
