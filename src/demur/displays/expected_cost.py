"""Figure of a rule that knows the amount of a case."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from demur._checks import check_amounts, check_finite, check_labels, check_same_length, input_error
from demur.displays.base import Display, score_range
from demur.displays.windows import ZONES
from demur.typing import ArrayLike, Labels
from demur.windows.expected_cost import ExpectedCostRule

__all__ = ["ExpectedCostDisplay"]

_MOST_CASES = 5000
_AMOUNTS = 200
_CALLED = {"negative": "called negative", "abstain": "to a person", "positive": "called positive"}


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
                look = {"color": color, "alpha": 0.16, "lw": 0, "label": label}
                ax.fill_betweenx(filled, stops[place], stops[place + 1], **look)
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
        limits: Any = {"xlim": (left, right), "ylim": (bottom, top)}
        return self._finish(xlabel="score", ylabel=rule.names[1], columns=2, **limits)
