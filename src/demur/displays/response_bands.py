"""Figure of a response curve with its bands."""

from __future__ import annotations

from typing import Any, Self

from demur.cautious.bands import ResponseBand, response_band
from demur.costs.model import CostModel
from demur.displays.base import Display, framed
from demur.displays.cautious import ABSTENTION_WORDS, METRIC_WORDS
from demur.displays.estimator_input import FromEstimator
from demur.typing import ArrayLike, Labels

__all__ = ["ResponseBandDisplay"]


class ResponseBandDisplay(FromEstimator, Display):
    """A response curve with the simultaneous and the pointwise band; see `response_band`.

    The curve of the population lies inside the wide band everywhere, with the confidence level; at one
    share of abstentions fixed in advance inside the narrow one.

    Parameters
    ----------
    result : ResponseBand
        What to draw.

    Attributes
    ----------
    line_ : line
        The curve.
    bands_ : list
        Simultaneous and pointwise band.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from demur.displays import ResponseBandDisplay
    >>> y, p = [0, 0, 1, 0, 1, 1], [0.1, 0.2, 0.4, 0.6, 0.8, 0.9]
    >>> display = ResponseBandDisplay.from_predictions(y, p).plot()
    >>> display.ax_.get_ylabel()
    'accuracy of the answered cases'
    >>> plt.close(display.figure_)
    """

    _asks = "probabilities"
    _kinds = (ResponseBand,)

    @classmethod
    def from_predictions(
        cls,
        y_true: Labels,
        proba: ArrayLike,
        *,
        metric: str = "accuracy",
        costs: ArrayLike | CostModel | None = None,
        bias: ArrayLike | None = None,
        labels: Any = None,
        confidence_level: float = 0.95,
        n_resamples: int = 1000,
        rng: Any = 0,
        ax: Any = None,
        name: str | None = None,
    ) -> Self:
        """Make the Display of one classifier; see `response_band`."""
        band = response_band(
            y_true,
            proba,
            metric=metric,
            costs=costs,
            bias=bias,
            labels=labels,
            confidence_level=confidence_level,
            n_resamples=n_resamples,
            rng=rng,
        )
        return cls(result=band)._shown(ax, name)

    def plot(self, ax: Any = None) -> Self:
        """Draw the curve and its bands on `ax`, or on new axes."""
        ax = self._begin(ax)
        (name, band), color = next(iter(self._members.items())), self._series(0)["color"]
        x, level = band.abstention, f"{band.confidence_level:.0%}"
        ends = (
            (band.low, band.high, 0.15, f"{level} of curves"),
            (band.pointwise_low, band.pointwise_high, 0.3, f"{level} at one share"),
        )
        self.bands_ = [
            ax.fill_between(x, low, high, color=color, alpha=alpha, lw=0, label=label)
            for low, high, alpha, label in ends
        ]
        (self.line_,) = ax.plot(x, band.value, color=color, lw=1.6, label="these cases")
        columns = ("abstention", "value", "low", "high", "pointwise_low", "pointwise_high")
        self._append(model=name, **{column: getattr(band, column) for column in columns})
        ax.set_xlim(0, 1)
        if band.metric in ("error", "cost"):
            ax.set_ylim(bottom=min(0.0, float(band.low.min())))
        framed(ax, ABSTENTION_WORDS, METRIC_WORDS[band.metric])
        return self
