"""Figure of the money by score: saved, lost to misses and false alarms, paid for reviews."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from demur._checks import check_positive_int, check_type
from demur.counts.case_window import CaseWindow
from demur.counts.costs import ScoreCosts
from demur.displays.base import ACCENT, GUIDE, Display, axis_words, legend_below
from demur.displays.windows import ZONES, zone_edges
from demur.surface.window import ABSTAIN, decide
from demur.typing import FloatArray

__all__ = ["CaseCostsDisplay"]

_PER = 1000
# column of the drawn data -> (words, colour, hatch); told apart without colour as well
_STYLES = {
    "saved": ("saved: misses avoided", "#009E73", ""),
    "missed": ("lost to misses", ACCENT, ""),
    "alarms": ("lost to false alarms", "#E69F00", "///"),
    "reviews": ("paid for reviews", "#56B4E9", "..."),
}


class CaseCostsDisplay(Display):
    """Money by score under a window: what it saves, what it loses, what its reviews cost.

    Upwards what calling everything negative would have lost and the window does not: the costs of a
    miss of the cases it reviews or calls positive. Downwards what the window pays: misses below it,
    reviews inside, false alarms above. Money worth having is where the bars up are longer than those
    down. Bins end at the thresholds, so no bar mixes two decisions; bars are sums per 1,000 cases.
    With fewer distinct scores than bins there is one bar per score. Infinite scores are counted in
    the legend.

    Parameters
    ----------
    result : ScoreCosts
        The evidence.
    window : CaseWindow, optional
        What to show on it; the cheapest window by default.

    Attributes
    ----------
    bars_ : dict
        Bars of "saved", "missed", "alarms" and "reviews".

    Examples
    --------
    What do the calls to customers save?

    >>> import matplotlib.pyplot as plt
    >>> from demur import ScoreCosts
    >>> from demur.displays import CaseCostsDisplay
    >>> costs = ScoreCosts.from_arrays(
    ...     [0.1, 0.2, 0.3, 0.4, 0.6, 0.9],
    ...     miss=[0, 0, 40, 0, 0, 900],
    ...     alarm=[25, 25, 0, 25, 25, 0],
    ...     review=4,
    ... )
    >>> display = CaseCostsDisplay.from_result(costs).plot()
    >>> drawn = display.frame()
    >>> inside = drawn["decision"] == "abstain"
    >>> [round(float(drawn[name][inside].sum() * costs.n / 1000), 6) for name in ("saved", "reviews")]
    [40.0, 12.0]
    >>> plt.close(display.figure_)
    """

    _kinds = (ScoreCosts,)

    def __init__(self, *, result: ScoreCosts, window: CaseWindow | None = None) -> None:
        super().__init__(result=result)
        if window is not None:
            check_type(window, "window", CaseWindow)
            # a window that cuts a bin has no known money
            result.of_window(window.lower, window.upper)
        self.window = result.window() if window is None else window

    @classmethod
    def from_result(cls, result: Any, window: Any = None) -> Self:
        """Make the Display of sums of costs and a window of their scores."""
        return cls(result=result, window=window)

    def plot(self, ax: Any = None, *, bins: int = 40) -> Self:
        """Draw the money.

        Parameters
        ----------
        ax : matplotlib axes, optional
            New ones by default.
        bins : int
            Number of bins over the finite scores, about; thresholds add up to two.
        """
        check_positive_int(bins, "bins")
        ax = self._begin(ax, size=(6.4, 5.0))
        scores, window = self.result.scores, self.window
        ends, edges = zone_edges(scores, (window.lower, window.upper), bins)
        codes = decide(scores, window)
        money = self._money(codes)
        alone = np.full(len(codes), len(codes) <= bins) | np.isinf(scores)
        for code, (word, _) in ZONES.items():
            single, many = alone & (codes == code), ~alone & (codes == code)
            # the last edge is rounded, so a score may lie an ulp outside
            inside = np.clip(scores[many], edges[code][0], edges[code][-1])
            cells = {
                name: np.histogram(inside, edges[code], weights=column[many])[0]
                for name, column in money.items()
            }
            columns = {
                "low": np.concatenate([scores[single], edges[code][:-1]]),
                "high": np.concatenate([scores[single], edges[code][1:]]),
                **{name: np.concatenate([column[single], cells[name]]) for name, column in money.items()},
            }
            keep = sum(columns[name] for name in money) > 0
            self._append(decision=word, **{name: column[keep] for name, column in columns.items()})
        self._draw_zones(ends)
        self._draw_bars(0.8 * (ends[1] - ends[0]) / bins)
        axis_words(ax, "score", "paid (down) and saved (up), per 1,000 cases")
        legend_below(ax, columns=2)
        return self

    def _money(self, codes: Any) -> dict[str, FloatArray]:
        """Money per distinct score and 1,000 cases, by what the window does there."""
        costs, factor = self.result, _PER / self.result.n
        return {
            "saved": factor * costs.miss * (codes != 0),
            "missed": factor * costs.miss * (codes == 0),
            "alarms": factor * costs.alarm * (codes == 1),
            "reviews": factor * costs.review * (codes == ABSTAIN),
        }

    def _draw_zones(self, ends: tuple[float, float]) -> None:
        low, high = ends
        first, second = (float(np.clip(t, low, high)) for t in (self.window.lower, self.window.upper))
        stops = (low, first), (first, second), (second, high)
        for (word, color), (start, stop) in zip(ZONES.values(), stops, strict=True):
            called = "to a person" if word == "abstain" else f"called {word}"
            self.ax_.axvspan(start, stop, color=color, alpha=0.12, lw=0, label=called)
        for threshold in {first, second} - {low, high}:
            self.ax_.axvline(threshold, color="black", lw=1, ls=(0, (4, 2)))
        self.ax_.set_xlim(low, high)

    def _draw_bars(self, width: float) -> None:
        """Draw sums: bars as wide as their bin, or of the given width for single scores."""
        drawn = self.frame()
        finite = np.isfinite(drawn["low"])
        low, high = drawn["low"][finite], drawn["high"][finite]
        middle, size = low / 2 + high / 2, np.where(high > low, high - low, width)
        self.bars_ = {}
        for name, (words, color, hatch) in _STYLES.items():
            heights = drawn[name][finite] * (1 if name == "saved" else -1)
            beyond = float(drawn[name][~finite].sum())
            words = f"{words}, {_amount(float(drawn[name].sum()))}"
            words = f"{words} ({_amount(beyond)} at infinity)" if beyond else words
            style = {"color": color, "hatch": hatch, "edgecolor": "white", "linewidth": 0.4}
            self.bars_[name] = self.ax_.bar(middle, heights, size, label=words, **style)
        self.ax_.axhline(0, color="black", lw=0.8)
        self.ax_.grid(axis="y", color=GUIDE, lw=0.4)
        self.ax_.set_axisbelow(True)
        self.ax_.yaxis.set_major_formatter(lambda value, _: f"{abs(value):,g}")


def _amount(money: float) -> str:
    """Text of an amount: whole from 1,000 on, three digits below."""
    return f"{money:,.0f}" if money >= 1000 else f"{money:.3g}"
