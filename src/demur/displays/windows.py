"""Figures of a rule on the scores: decisions and money by score, decisions by score and amount."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, Self

import numpy as np

from demur._checks import (
    check_amounts,
    check_finite,
    check_labels,
    check_positive_int,
    check_same_length,
    check_type,
    input_error,
)
from demur.costs.model import CostModel
from demur.counts.costs import ScoreCosts
from demur.counts.scores import ScoreCounts
from demur.counts.window import AbstentionWindow
from demur.displays.base import (
    ABSTAIN_COLOR,
    ACCENT,
    GUIDE,
    NEGATIVE_COLOR,
    POSITIVE_COLOR,
    Display,
    PredictionDisplay,
    score_range,
)
from demur.exceptions import InputError
from demur.surface.surface import AbstentionSurface, abstention_surface
from demur.surface.window import ABSTAIN, decide
from demur.typing import ArrayLike, BoolArray, FloatArray, Labels
from demur.windows.expected_cost import ExpectedCostRule

__all__ = ["CaseCostsDisplay", "ExpectedCostDisplay", "WindowDisplay"]

ZONES = {
    0: ("negative", NEGATIVE_COLOR),
    ABSTAIN: ("abstain", ABSTAIN_COLOR),
    1: ("positive", POSITIVE_COLOR),
}
"""Decision code -> (word, colour), in the order of the scores."""
_CALLED = {"negative": "called negative", "abstain": "to a person", "positive": "called positive"}


class _ScoreBarsDisplay(Display):
    """Bars over the scores that end at the thresholds of a window, and the zones of its decisions."""

    window: Any

    @classmethod
    def from_result(cls, result: Any, window: Any = None) -> Self:
        """Make the Display of a result and a window of its scores."""
        return cls(result=result, window=window)  # type: ignore[call-arg]

    def _bin(self, scores: FloatArray, masses: dict[str, FloatArray], bins: int) -> FloatArray:
        """Record the masses per decision and bin, about `bins` in all; return where the zones begin and end.

        With fewer distinct scores than bins every score has its own bar, as have infinite ones.
        """
        window: Any = (np.inf, np.inf) if self.window is None else self.window
        lower, upper = (window.lower, window.upper) if hasattr(window, "lower") else window
        cuts = [t for t in (lower, upper) if abs(t) < np.finfo(np.float64).max]
        low, high = score_range(np.concatenate([scores, cuts]))
        # the outermost bars need room as well
        spread = high - low
        low, high = low - spread / bins, high + spread / bins
        stops: FloatArray = np.clip([low, lower, upper, high], low, high)
        codes = decide(scores, window)
        alone = np.full(len(codes), len(codes) <= bins) | np.isinf(scores)
        for code, (start, stop) in zip(ZONES, pairwise(stops), strict=True):
            edges = np.linspace(start, stop, max(1, round(bins * (stop - start) / (high - low))) + 1)
            single, many = alone & (codes == code), ~alone & (codes == code)
            # the last edge is rounded, so a score may lie an ulp outside
            inside = np.clip(scores[many], edges[0], edges[-1])
            columns = {
                "low": np.concatenate([scores[single], edges[:-1]]),
                "high": np.concatenate([scores[single], edges[1:]]),
            }
            for name, mass in masses.items():
                cells = np.histogram(inside, edges, weights=mass[many])[0]
                columns[name] = np.concatenate([mass[single], cells])
            keep = sum(columns[name] for name in masses) > 0
            word = "none" if self.window is None else ZONES[code][0]
            self._append(decision=word, **{name: column[keep] for name, column in columns.items()})
        return stops

    def _draw_zones(
        self, stops: FloatArray, bins: int, alpha: float, words: dict[str, str]
    ) -> tuple[BoolArray, FloatArray, FloatArray, BoolArray]:
        """Colour the background by decision, mark the thresholds, and find the places of the bars.

        Returns which rows are finite; of those the middle, the width of a bar, and whether it is a bin.
        """
        first, *thresholds, last = stops.tolist()
        zones = () if self.window is None else zip(ZONES.values(), pairwise(stops), strict=True)
        for (word, color), (start, stop) in zones:
            self.ax_.axvspan(start, stop, color=color, alpha=alpha, lw=0, label=words[word])
        for threshold in set(thresholds) - {first, last}:
            self.ax_.axvline(threshold, color="black", lw=1, ls=(0, (4, 2)))
        self.ax_.set_xlim(first, last)
        drawn = self.frame()
        finite = np.isfinite(drawn["low"])
        low, high = drawn["low"][finite], drawn["high"][finite]
        binned = high > low
        width = np.where(binned, high - low, 0.8 * (last - first) / bins)
        return finite, low / 2 + high / 2, width, binned


class WindowDisplay(PredictionDisplay, _ScoreBarsDisplay, of=AbstentionSurface):
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
    window : AbstentionWindow or (lower, upper), optional
        What to show on it; None shows the scores alone.

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

    def __init__(
        self, *, result: AbstentionSurface, window: AbstentionWindow | tuple[float, float] | None = None
    ) -> None:
        super().__init__(result=result)
        if window is not None:
            # decide() owns the rule of a window; asking it about any score checks the window
            decide([0.0], window)
        self.window = window

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
        shares = {"positive": counts.positives * to_positive, "negative": counts.negatives * to_negative}
        stops = self._bin(counts.scores, shares, bins)
        drawn = self.frame()
        decided, both = drawn["decision"], drawn["positive"] + drawn["negative"]
        words = {
            word: f"{word}: {100 * both[decided == word].sum():.1f} % of the cases"
            for word, _ in ZONES.values()
        }
        finite, middle, size, binned = self._draw_zones(stops, bins, 0.16, words)
        self.bars_ = []
        for name, sign, color in (("positive", 1, POSITIVE_COLOR), ("negative", -1, NEGATIVE_COLOR)):
            infinite = float(drawn[name][~finite].sum())
            beyond = f", {100 * infinite:.1f} % of the cases at infinity" if infinite else ""
            # densities for bins, shares for single scores
            heights = sign * drawn[name][finite] / np.where(binned, size, 1.0)
            label = f"{name}s ({'up' if sign > 0 else 'down'}{beyond})"
            self.bars_.append(
                ax.bar(middle, heights, size, label=label, color=color, edgecolor="white", linewidth=0.4)
            )
        ax.axhline(0, color="black", lw=0.8)
        ax.yaxis.set_major_formatter(lambda value, _: f"{abs(value):g}")
        unit = "" if len(counts.scores) <= bins else " per unit of score"
        return self._finish(xlabel="score", ylabel=f"share of all cases{unit}", columns=2)


_PER = 1000
# column of the drawn data -> (words, colour, hatch); told apart without colour as well
_STYLES = {
    "saved": ("saved: misses avoided", "#009E73", ""),
    "missed": ("lost to misses", ACCENT, ""),
    "alarms": ("lost to false alarms", "#E69F00", "///"),
    "reviews": ("paid for reviews", "#56B4E9", "..."),
}


class CaseCostsDisplay(_ScoreBarsDisplay, of=ScoreCosts):
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
    window : AbstentionWindow, optional
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

    def __init__(self, *, result: ScoreCosts, window: AbstentionWindow | None = None) -> None:
        super().__init__(result=result)
        if window is not None:
            check_type(window, "window", AbstentionWindow)
            # a window that cuts a bin has no known money
            result.of_window(window.lower, window.upper)
        self.window = result.window() if window is None else window

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
        costs, factor = self.result, _PER / self.result.n
        codes = decide(costs.scores, self.window)
        # money per distinct score and 1,000 cases, by what the window does there
        money = {
            "saved": factor * costs.miss * (codes != 0),
            "missed": factor * costs.miss * (codes == 0),
            "alarms": factor * costs.alarm * (codes == 1),
            "reviews": factor * costs.review * (codes == ABSTAIN),
        }
        stops = self._bin(costs.scores, money, bins)
        finite, middle, size, _ = self._draw_zones(stops, bins, 0.12, _CALLED)
        self.bars_ = {}
        for name, (words, color, hatch) in _STYLES.items():
            drawn = self.frame()[name]
            heights = drawn[finite] * (1 if name == "saved" else -1)
            beyond = float(drawn[~finite].sum())
            words = f"{words}, {_amount(float(drawn.sum()))}"
            words = f"{words} ({_amount(beyond)} at infinity)" if beyond else words
            self.bars_[name] = ax.bar(
                middle, heights, size, label=words, color=color, hatch=hatch, edgecolor="white", linewidth=0.4
            )
        ax.axhline(0, color="black", lw=0.8)
        ax.grid(axis="y", color=GUIDE, lw=0.4)
        ax.set_axisbelow(True)
        ax.yaxis.set_major_formatter(lambda value, _: f"{abs(value):,g}")
        words = "paid (down) and saved (up), per 1,000 cases"
        return self._finish(xlabel="score", ylabel=words, columns=2)


def _amount(money: float) -> str:
    """Text of an amount: whole from 1,000 on, three digits below."""
    return f"{money:,.0f}" if money >= 1000 else f"{money:.3g}"


_MOST_CASES = 5000
_AMOUNTS = 200


class ExpectedCostDisplay(Display, of=ExpectedCostRule):
    """Decisions by score and amount of a rule that knows both; see `ExpectedCostRule`.

    Blue is called negative, grey goes to a person, orange is called positive; the borders are the exact
    thresholds at 200 amounts. Cases are dots by class: of more than 5,000 as many, evenly through the data.
    Amounts are on a scale of logarithms if all are positive.

    Parameters
    ----------
    result : ExpectedCostRule
        With one column of amounts.
    y_true, y_score : arrays
        Cases to show.
    amounts : array
        Their column of amounts, as the rule reads it.
    pos_label : label, optional
        As in `compare_models`.

    Attributes
    ----------
    lines_ : list
        Border of the cases called negative and of those called positive; one where nothing lies between.
    dots_ : dict
        Dots of "negative" and "positive".

    Examples
    --------
    From which score on is a payment blocked?

    >>> import matplotlib.pyplot as plt
    >>> import numpy as np
    >>> from demur import Binormal, CaseCosts, compare_models
    >>> from demur.displays import ExpectedCostDisplay
    >>> fraud, score = Binormal(separation=2.5, prevalence=0.1).sample(1000, rng=0)
    >>> amount = np.random.default_rng(0).lognormal(mean=5, sigma=1, size=1000)
    >>> costs = CaseCosts(cost_fn=amount, cost_fp=25, cost_abstain=4, known_at_decision=True)
    >>> answer = compare_models(fraud, score, costs=costs).answer
    >>> display = ExpectedCostDisplay.from_answer(answer, fraud, score, amount).plot()
    >>> drawn = display.frame()
    >>> blocked = drawn["score"][drawn["drawn"] == "called positive from"]
    >>> blocked.round(1).min().item(), blocked.round(1).max().item()
    (2.5, 3.3)
    >>> plt.close(display.figure_)
    """

    def __init__(
        self,
        *,
        result: ExpectedCostRule,
        y_true: Labels,
        y_score: ArrayLike,
        amounts: ArrayLike,
        pos_label: Any = None,
    ) -> None:
        super().__init__(result=result)
        if result.inputs != 2:
            raise input_error("result", "must read one column of amounts", f"the columns {result.names}")
        self.positive = check_labels(y_true, pos_label)
        self.scores, self.amounts = check_finite(y_score, "y_score"), check_amounts(amounts, "amounts")
        check_same_length(y_true=self.positive, y_score=self.scores, amounts=np.atleast_1d(self.amounts))

    @classmethod
    def from_result(  # type: ignore[override]
        cls, result: Any, y_true: Labels, y_score: ArrayLike, amounts: ArrayLike, *, pos_label: Any = None
    ) -> Self:
        """Make the Display of a rule and some cases."""
        return cls(result=result, y_true=y_true, y_score=y_score, amounts=amounts, pos_label=pos_label)

    @classmethod
    def from_answer(
        cls, answer: Any, y_true: Labels, y_score: ArrayLike, amounts: ArrayLike, *, pos_label: Any = None
    ) -> Self:
        """Make the Display of the answer of `compare_models`, where its rule reads an amount."""
        if not isinstance(answer.rule, ExpectedCostRule):
            hint = "WindowDisplay draws windows."
            raise input_error("answer", "must be a rule that reads an amount", repr(answer.kind), hint)
        return cls.from_result(answer.rule, y_true, y_score, amounts, pos_label=pos_label)

    def plot(self, ax: Any = None) -> Self:
        """Draw it.

        Parameters
        ----------
        ax : matplotlib axes, optional
            New ones by default.
        """
        ax, rule = self._begin(ax, size=(6.4, 5.0)), self.result
        low, high = float(self.amounts.min()), float(self.amounts.max())
        if low == high:
            low, high = low / 2, 2 * high or 1.0
        logarithmic = low > 0
        amounts = (np.geomspace if logarithmic else np.linspace)(low, high, _AMOUNTS)
        lower, upper = np.array([rule.thresholds(amount) for amount in amounts.tolist()]).T
        # dots at the frame need room
        (left, right), room = score_range(self.scores), 1.06 if logarithmic else 0.02 * (high - low)
        left, right = left - 0.02 * (right - left), right + 0.02 * (right - left)
        bottom, top = (low / room, high * room) if logarithmic else (low - room, high + room)
        stops = np.clip([np.full(_AMOUNTS, left), lower, upper, np.full(_AMOUNTS, right)], left, right)
        stops, filled = np.pad(stops, ((0, 0), (1, 1)), "edge"), [bottom, *amounts, top]
        codes = rule.decide(np.column_stack([self.scores, self.amounts]))
        for place, (code, (word, color)) in enumerate(ZONES.items()):
            if np.any(stops[place] < stops[place + 1]):
                label = f"{_CALLED[word]}, {100 * np.mean(codes == code):.1f} %"
                ax.fill_betweenx(
                    filled, stops[place], stops[place + 1], color=color, alpha=0.16, lw=0, label=label
                )
        for name, border in (("called negative up to", lower), ("called positive from", upper)):
            self._append(drawn=name, score=border, amount=amounts)
            if name == "called positive from" or np.any(lower < upper):
                # thresholds that no score reaches are not on the figure
                shown = np.where(np.isfinite(border), border, np.nan)
                self.lines_ += ax.plot(shown, amounts, color="black", lw=1)
        n = len(self.scores)
        kept = np.linspace(0, n - 1, min(n, _MOST_CASES)).round().astype(np.int64)
        self.dots_ = {}
        for word, marker, own in (("negative", "o", ~self.positive), ("positive", "^", self.positive)):
            rows, color = kept[own[kept]], dict(ZONES.values())[word]
            self._append(drawn=f"{word} case", score=self.scores[rows], amount=self.amounts[rows])
            label = f"{word}s" if len(kept) == n else f"{word}s, {len(rows):,} of {own.sum():,} shown"
            look = {"s": 16, "marker": marker, "lw": 0.3, "color": color, "ec": "white", "label": label}
            self.dots_[word] = ax.scatter(self.scores[rows], self.amounts[rows], **look)
        ax.set_yscale("log" if logarithmic else "linear")
        return self._finish(
            xlabel="score", ylabel=rule.names[1], columns=2, xlim=(left, right), ylim=(bottom, top)
        )
