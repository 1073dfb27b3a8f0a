"""Figure of cost, errors and reviews by group of cases."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from demur.comparison.by_group import GroupCosts
from demur.displays.base import ACCENT, Display, axes_table, axis_words
from demur.exceptions import UndefinedError

__all__ = ["GroupCostDisplay"]

_PANELS = {
    "cost": "cost per case",
    "miss_rate": "positives missed",
    "alarm_rate": "negatives alarmed",
    "error_rate": "decided wrong",
    "abstention_rate": "abstained on",
}
_LONGEST_NAME = 24


class GroupCostDisplay(Display, of=GroupCosts):
    """Cost, errors and reviews of the answer's rule in every group of cases.

    Left is better. Whiskers are the interval of a group alone; the line is all cases together. Groups of
    fewer than two cases are left out.

    Parameters
    ----------
    result : GroupCosts
        Of `Comparison.by`.

    Attributes
    ----------
    ax_ : array of axes
        One for the cost, one for each kind of error, one for reviews.
    bars_ : list of ErrorbarContainer
        Estimates and whiskers of every panel.
    lines_ : list
        All cases together, in every panel.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> import numpy as np
    >>> from demur import Binormal, CostModel, compare_models
    >>> from demur.displays import GroupCostDisplay
    >>> y, s = Binormal(separation=2.0).sample(1000, rng=0)
    >>> site = np.where(np.arange(1000) % 3 == 0, "north", "south")
    >>> costs = CostModel(cost_fn=100, cost_fp=40, cost_abstain=12)
    >>> display = GroupCostDisplay.from_result(compare_models(y, s, costs=costs).by(site)).plot()
    >>> display.frame()["group"].tolist()
    ['north', 'south']
    >>> plt.close(display.figure_)
    """

    def plot(self, ax: Any = None) -> Self:
        """Draw it.

        Parameters
        ----------
        ax : row of 4 axes, 3 for many classes, optional
            New ones by default.
        """
        result: GroupCosts = self.result
        groups = [one for one in result.groups if one.cost is not None]
        if not groups:
            raise UndefinedError("A figure by group needs a group of two cases or more.")
        left_out = ("error_rate",) if result.two_classes else ("miss_rate", "alarm_rate")
        panels = {name: words for name, words in _PANELS.items() if name not in left_out}
        size = (2.7 * len(panels) + 1.2, 1.4 + 0.32 * len(groups))
        self.figure_, table = axes_table(ax, (1, len(panels)), size)
        self.ax_, self.bars_, self.lines_ = table[0], [], []
        place = np.arange(len(groups))
        names = [one.name or "(missing)" for one in groups]
        self._record(group=[one.name for one in groups], n=[one.n for one in groups])
        for (name, words), panel in zip(panels.items(), self.ax_, strict=True):
            # None, where there are no such cases or a single unit, is NaN
            value = np.array([getattr(one, name) for one in groups], dtype=np.float64)
            ends = [getattr(one, f"{name}_interval") or (np.nan, np.nan) for one in groups]
            low, high = np.array(ends, dtype=np.float64).T
            self._record(**{name: value, f"{name}_low": low, f"{name}_high": high})
            whiskers = np.maximum(np.nan_to_num([value - low, high - value]), 0)
            look = {"color": "black", "fmt": "o", "ms": 4, "capsize": 3}
            self.bars_.append(panel.errorbar(value, place, xerr=whiskers, **look))
            overall = getattr(result.whole, name)
            if overall is not None:
                self.lines_.append(panel.axvline(overall, color=ACCENT, lw=1.4, zorder=1))
            axis_words(panel, words, "")
            panel.set(ylim=(len(groups) - 0.5, -0.5), yticks=place, yticklabels=[])
            panel.set_xlim(left=min(0.0, float(np.nanmin([low, value]))))
            panel.locator_params(axis="x", nbins=4)
            if name != "cost":
                panel.xaxis.set_major_formatter(lambda share, _: f"{100 * share:g} %")
        short = [name if len(name) <= _LONGEST_NAME else f"{name[:_LONGEST_NAME]}..." for name in names]
        self.ax_[0].set_yticklabels(short)
        level = f"{100 * result.confidence_level:g} %"
        title = f"groups with {level} intervals; line: all cases"
        self.ax_[0].set_title(title, loc="left", fontsize="small")
        return self
