"""Figure of the cost in blocks of time."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from demur.comparison.comparison import Comparison
from demur.displays.base import ABSTAIN_COLOR, ACCENT, Display
from demur.exceptions import UndefinedError

__all__ = ["BlockCostDisplay"]


class BlockCostDisplay(Display, of=Comparison):
    """Cost of the answer in every judged block of time, of rules chosen on the blocks before.

    Down is better; costs that rise tell that conditions move. Whiskers are the interval of a block
    alone. Lines are the measured cost of all judged blocks and what a shuffled split measures.

    Parameters
    ----------
    result : Comparison
        Of `compare_models` with `costs` and `time`.

    Attributes
    ----------
    bars_ : ErrorbarContainer
        Costs and whiskers.
    lines_ : list
        The cost of all judged blocks and, where a model answers, that of a shuffled split.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> import numpy as np
    >>> from demur import Binormal, CostModel, compare_models
    >>> from demur.displays import BlockCostDisplay
    >>> y, s = Binormal(separation=2.0).sample(1000, rng=0)
    >>> costs = CostModel(cost_fn=100, cost_fp=40, cost_abstain=12)
    >>> comparison = compare_models(y, s, costs=costs, time=np.arange(1000))
    >>> display = BlockCostDisplay.from_result(comparison).plot()
    >>> display.frame()["block"].tolist()
    [7, 8, 9, 10]
    >>> plt.close(display.figure_)
    """

    def plot(self, ax: Any = None) -> Self:
        """Draw it.

        Parameters
        ----------
        ax : matplotlib axes, optional
            New ones by default.
        """
        blocks, answer = self.result.by_block, self.result.answer
        if blocks is None:
            raise UndefinedError("Costs by block need times. Hint: compare_models(..., costs=, time=).")
        ax = self._begin(ax, size=(7.0, 4.4))
        number, cost = (np.array([getattr(one, name) for one in blocks]) for name in ("block", "cost"))
        low, high = np.array([one.interval for one in blocks]).T
        columns = {name: [getattr(one, name) for one in blocks] for name in ("start", "end", "n")}
        self._record(block=number, **columns, cost=cost, low=low, high=high)
        level = f"{100 * self.result.problem.confidence_level:g} %"
        whiskers = np.maximum([cost - low, high - cost], 0)  # a known cost has none, up to rounding
        look = {"color": "black", "fmt": "o", "capsize": 3}
        self.bars_ = ax.errorbar(number, cost, whiskers, label=f"block, {level}", **look)
        for name, value, color, dashes in (
            ("all judged blocks", answer.honest_cost, ACCENT, "-"),
            ("shuffled split", answer.shuffled_cost, ABSTAIN_COLOR, "--"),
        ):
            if value is not None:
                look = {"color": color, "linestyle": dashes, "lw": 1.4, "zorder": 1}
                self.lines_.append(ax.axhline(value, label=f"{name}, {value:.4g}", **look))
                self._record(**{name.replace(" ", "_"): np.full(len(blocks), value)})
        ax.set_xticks(number)
        period = f"block of time, {blocks[0].start} to {blocks[-1].end}"
        limits: Any = {"ylim": (min(0.0, low.min()), None)}
        return self._finish(xlabel=period, ylabel="cost per case", columns=3, **limits)
