"""Figure of selective risk: loss of the answered cases against coverage."""

from collections.abc import Mapping
from typing import Any, Self

import numpy as np

from demur._checks import check_mapping
from demur.displays._base import ABSTAIN_COLOR, Display, new_axes, series_style
from demur.selective_risk import RiskCoverageCurve, risk_coverage_curve
from demur.typing import ArrayLike, FloatArray

__all__ = ["RiskCoverageDisplay"]

# within a group of equal confidence the risk bends like a + b/c: points enough to look smooth
_BETWEEN = 400


class RiskCoverageDisplay(Display):
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
    >>> from demur import RiskCoverageDisplay
    >>> wrong, sure = [0, 1, 0, 0, 0, 1, 0, 0], [0.95, 0.9, 0.9, 0.8, 0.7, 0.6, 0.6, 0.5]
    >>> display = RiskCoverageDisplay.from_predictions(wrong, sure).plot()
    >>> display.ax_.get_xlabel()
    'coverage (share of cases answered)'
    >>> plt.close(display.figure_)
    """

    def __init__(self, *, result: RiskCoverageCurve | Mapping[str, RiskCoverageCurve]) -> None:
        members = result if isinstance(result, Mapping) else {"": result}
        self.curves = check_mapping(members, "result", RiskCoverageCurve)
        super().__init__(result=result)

    @classmethod
    def from_predictions(
        cls,
        loss: ArrayLike,
        confidence: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        convention: str = "exact",
    ) -> Self:
        """Make the Display from losses and confidences; see `risk_coverage_curve`."""
        return cls(
            result=risk_coverage_curve(loss, confidence, sample_weight=sample_weight, convention=convention)
        )

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
        self.figure_, ax = new_axes(ax)
        self.ax_ = ax
        self.lines_ = []
        drawn: list[tuple[Any, ...]] = []
        for index, (name, curve) in enumerate(self.curves.items()):
            area = f"AUGRC {curve.augrc:.3f}" if generalized else f"AURC {curve.aurc:.3f}"
            x, y = _drawn(curve, generalized=generalized)
            self.lines_ += ax.plot(
                x, y, lw=1.6, label=f"{name}, {area}" if name else area, **series_style(index)
            )
            drawn.append((np.full(len(x), name), np.full(len(x), "curve"), x, y))
        if best:
            x, y = _drawn(next(iter(self.curves.values())).best_possible(), generalized=generalized)
            ax.plot(x, y, color=ABSTAIN_COLOR, lw=1.2, ls=(0, (4, 3)), label="best possible order")
            first = next(iter(self.curves))
            drawn.append((np.full(len(x), first), np.full(len(x), "best possible order"), x, y))
        which = "loss per case of all" if generalized else "mean loss of the answered cases"
        ax.set(xlim=(0, 1), xlabel="coverage (share of cases answered)", ylabel=which)
        ax.set_ylim(bottom=0)
        ax.legend(frameon=False, fontsize=8)
        model, part, coverage, risk = (np.concatenate(column) for column in zip(*drawn, strict=True))
        self._record(model=model, part=part, coverage=coverage, risk=risk)
        return self


def _drawn(curve: RiskCoverageCurve, *, generalized: bool) -> tuple[FloatArray, FloatArray]:
    """Ends of the groups, and points between them."""
    if curve.convention == "discrete":
        return curve.coverage, curve.generalized_risk if generalized else curve.risk
    x = np.union1d(curve.coverage, np.arange(1, _BETWEEN + 1) / _BETWEEN)
    ends = np.concatenate([[0.0], curve.coverage])
    accepted = np.interp(x, ends, np.concatenate([[0.0], curve.generalized_risk]))
    return x, accepted if generalized else accepted / x
