"""Figure of a window on the scores: who is called negative, abstained on, called positive."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from demur._checks import check_positive_int
from demur.costs.model import CostModel
from demur.counts.scores import ScoreCounts
from demur.displays.base import (
    ABSTAIN_COLOR,
    NEGATIVE_COLOR,
    POSITIVE_COLOR,
    Display,
    axis_words,
    legend_below,
    score_range,
)
from demur.displays.estimator_input import FromEstimator
from demur.exceptions import InputError
from demur.surface.surface import AbstentionSurface, abstention_surface
from demur.surface.window import ABSTAIN, AbstentionWindow, decide
from demur.typing import ArrayLike, FloatArray, Labels

__all__ = ["ZONES", "WindowDisplay", "zone_edges"]

ZONES = {
    0: ("negative", NEGATIVE_COLOR),
    ABSTAIN: ("abstain", ABSTAIN_COLOR),
    1: ("positive", POSITIVE_COLOR),
}
"""Decision code -> (word, colour), in the order of the scores."""


def zone_edges(
    scores: FloatArray, thresholds: tuple[float, float], bins: int
) -> tuple[tuple[float, float], dict[int, FloatArray]]:
    """Ends of the axis, and the bin edges of each zone: about `bins` in all, split at the thresholds."""
    lower, upper = thresholds
    cuts = [t for t in (lower, upper) if abs(t) < np.finfo(np.float64).max]
    low, high = score_range(np.concatenate([scores, cuts]))
    # the outermost bars need room as well
    spread = high - low
    low, high = low - spread / bins, high + spread / bins
    first, second = float(np.clip(lower, low, high)), float(np.clip(upper, low, high))
    zones = {0: (low, first), ABSTAIN: (first, second), 1: (second, high)}
    edges = {
        code: np.linspace(start, stop, max(1, round(bins * (stop - start) / (high - low))) + 1)
        for code, (start, stop) in zones.items()
    }
    return (low, high), edges


class WindowDisplay(FromEstimator, Display):
    """Distribution of the scores by class, with the window that decides; see `abstention_surface`.

    Positives upwards in orange, negatives downwards in blue; the background says what happens
    there: blue is called negative, grey abstained on, orange called positive. Bins end at the
    thresholds, so no bar mixes two decisions. Heights are shares of all cases per unit of score,
    at the prevalence of the surface; infinite scores are counted in the legend. With fewer distinct
    scores than bins there is one bar per score, as high as its share of all cases.

    Parameters
    ----------
    result : AbstentionSurface
        The evidence.
    window : AbstentionWindow or (lower, upper)
        What to show on it.

    Attributes
    ----------
    bars_ : list
        Bars of the positives and of the negatives.

    Examples
    --------
    Which share of the cases goes to a person if that costs a quarter of a miss?

    >>> import matplotlib.pyplot as plt
    >>> from demur.displays import WindowDisplay
    >>> y = [0, 0, 1, 0, 1, 0, 0, 1, 1, 0, 1, 1]
    >>> s = [-0.9, -0.9, -0.5, -0.5, 0, 0, 0, 0.4, 0.4, 0.4, 0.8, 0.8]
    >>> display = WindowDisplay.from_predictions(y, s, mu=1, nu=0.25).plot()
    >>> drawn = display.frame()
    >>> inside = drawn["decision"] == "abstain"
    >>> round(float((drawn["positive"] + drawn["negative"])[inside].sum()), 3)
    0.667
    >>> plt.close(display.figure_)
    """

    _kinds = (AbstentionSurface,)

    def __init__(self, *, result: AbstentionSurface, window: AbstentionWindow | tuple[float, float]) -> None:
        super().__init__(result=result)
        # decide() owns the rule of a window; asking it about any score checks the window
        decide([0.0], window)
        self.window = window

    @classmethod
    def from_result(cls, result: Any, window: Any = None) -> Self:
        """Make the Display of a surface and a window of its scores."""
        return cls(result=result, window=window)

    @classmethod
    def from_predictions(
        cls,
        y_true: Labels | ScoreCounts,
        y_score: ArrayLike | None = None,
        *,
        window: AbstentionWindow | tuple[float, float] | None = None,
        mu: float | None = None,
        nu: float | None = None,
        costs: CostModel | None = None,
        pos_label: Any = None,
        sample_weight: ArrayLike | None = None,
        prevalence: float | None = None,
        ax: Any = None,
        name: str | None = None,
    ) -> Self:
        """Make the Display of your own window, or of the cheapest for costs (mu, nu) or a `CostModel`."""
        surface = abstention_surface(
            y_true, y_score, pos_label=pos_label, sample_weight=sample_weight, prevalence=prevalence
        )
        if window is None:
            window = surface.window(mu, nu, costs=costs)
        elif any(value is not None for value in (mu, nu, costs)):
            raise InputError("`window` replaces mu, nu and costs, got both. Hint: pass one of them.")
        return cls(result=surface, window=window)._shown(ax, name)

    @property
    def _thresholds(self) -> tuple[float, float]:
        window = self.window
        return (window.lower, window.upper) if isinstance(window, AbstentionWindow) else window

    def plot(self, ax: Any = None, *, bins: int = 40) -> Self:
        """Draw the distribution and the window.

        Parameters
        ----------
        ax : matplotlib axes, optional
            New ones by default.
        bins : int
            Number of bins over the finite scores, about; thresholds add up to two.
        """
        check_positive_int(bins, "bins")
        ax = self._begin(ax, size=(6.4, 5.0))
        counts = self.result.counts
        to_positive, to_negative = counts.class_weights(self.result.prevalence)
        masses = counts.positives * to_positive, counts.negatives * to_negative
        codes = decide(counts.scores, self.window)
        ends, edges = self._edges(bins)
        single = np.full(len(codes), len(codes) <= bins) | np.isinf(counts.scores)
        for code, (word, _) in ZONES.items():
            alone, binned = single & (codes == code), ~single & (codes == code)
            heights = [np.histogram(counts.scores[binned], edges[code], weights=m[binned])[0] for m in masses]
            low = np.concatenate([counts.scores[alone], edges[code][:-1]])
            high = np.concatenate([counts.scores[alone], edges[code][1:]])
            totals = [np.concatenate([m[alone], more]) for m, more in zip(masses, heights, strict=True)]
            keep = totals[0] + totals[1] > 0
            columns = {"low": low, "high": high, "positive": totals[0], "negative": totals[1]}
            self._append(decision=word, **{name: column[keep] for name, column in columns.items()})
        self._draw_zones(ends)
        self._draw_bars(0.8 * (ends[1] - ends[0]) / bins)
        per_score = len(codes) <= bins
        axis_words(ax, "score", "share of all cases" if per_score else "share of all cases per unit of score")
        legend_below(ax, columns=2)
        return self

    def _edges(self, bins: int) -> tuple[tuple[float, float], dict[int, FloatArray]]:
        return zone_edges(self.result.counts.scores, self._thresholds, bins)

    def _draw_zones(self, ends: tuple[float, float]) -> None:
        low, high = ends
        first, second = (float(np.clip(t, low, high)) for t in self._thresholds)
        drawn = self.frame()
        for (word, color), (start, stop) in zip(
            ZONES.values(), ((low, first), (first, second), (second, high)), strict=True
        ):
            here = drawn["decision"] == word
            share = float((drawn["positive"] + drawn["negative"])[here].sum())
            words = f"{word}: {100 * share:.1f} % of the cases"
            self.ax_.axvspan(start, stop, color=color, alpha=0.16, lw=0, label=words)
        for threshold in {first, second} - {low, high}:
            self.ax_.axvline(threshold, color="black", lw=1, ls=(0, (4, 2)))
        self.ax_.set_xlim(low, high)

    def _draw_bars(self, width: float) -> None:
        """Draw densities for bins, shares (bars of the given width) for single scores."""
        drawn = self.frame()
        finite = np.isfinite(drawn["low"])
        low, high = drawn["low"][finite], drawn["high"][finite]
        middle, size = (low + high) / 2, np.where(high > low, high - low, width)
        self.bars_ = []
        for name, sign, color in (("positive", 1, POSITIVE_COLOR), ("negative", -1, NEGATIVE_COLOR)):
            infinite = float(drawn[name][~np.isfinite(drawn["low"])].sum())
            beyond = f", {100 * infinite:.1f} % of the cases at infinity" if infinite else ""
            heights = sign * drawn[name][finite] / np.where(high > low, size, 1.0)
            style = {"color": color, "edgecolor": "white", "linewidth": 0.4}
            words = f"{name}s ({'up' if sign > 0 else 'down'}{beyond})"
            self.bars_.append(self.ax_.bar(middle, heights, size, label=words, **style))
        self.ax_.axhline(0, color="black", lw=0.8)
        self.ax_.yaxis.set_major_formatter(lambda value, _: f"{abs(value):g}")
