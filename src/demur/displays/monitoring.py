"""Figure of a policy in use: outcomes, evidence and cost over the batches."""

from __future__ import annotations

from itertools import cycle
from typing import Any, Self

import numpy as np

from demur.displays.base import (
    ABSTAIN_COLOR,
    ACCENT,
    GUIDE,
    NEGATIVE_COLOR,
    POSITIVE_COLOR,
    SERIES,
    Display,
    axes_table,
    axis_words,
)
from demur.exceptions import UndefinedError
from demur.monitoring.monitor import PolicyMonitor

__all__ = ["MonitorDisplay"]

_COLORS = {"negative": NEGATIVE_COLOR, "positive": POSITIVE_COLOR, "abstained": ABSTAIN_COLOR}


class MonitorDisplay(Display, of=PolicyMonitor):
    """Time line of a monitored policy: shares of the outcomes, evidence of a change, cost.

    Dashed lines are what the policy expects. Evidence above the red line is an alarm. The cost is
    drawn where labels came, with limits that hold at all times.

    Parameters
    ----------
    result : PolicyMonitor
        With at least one batch.

    Attributes
    ----------
    lines_ : list
        Lines of the outcomes, the evidence and, with labels, the cost.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from demur import CostModel, Policy, PolicyMonitor, abstention_surface
    >>> from demur.displays import MonitorDisplay
    >>> y, s = [0, 0, 1, 0, 1, 1] * 50, [0.1, 0.2, 0.3, 0.3, 0.8, 0.9] * 50
    >>> costs = CostModel(cost_fn=5, cost_fp=2, cost_abstain=0.6)
    >>> monitor = PolicyMonitor(Policy.from_surface(abstention_surface(y, s), costs=costs))
    >>> counted = [monitor.update(s, y) for day in range(3)]
    >>> display = MonitorDisplay.from_result(monitor).plot()
    >>> display.frame()["abstained"].round(3).tolist()
    [0.333, 0.333, 0.333]
    >>> plt.close(display.figure_)
    """

    def plot(self, ax: Any = None) -> Self:
        """Draw it.

        Parameters
        ----------
        ax : column of 2 axes, 3 with labels, optional
            New ones by default.
        """
        monitor: PolicyMonitor = self.result
        rows = monitor.history
        if not rows:
            raise UndefinedError("A time line needs a batch. Hint: call update first.")
        with_cost = any(row.cost is not None for row in rows)
        panels = 2 + with_cost
        given = None if ax is None else np.reshape(np.asarray(ax, dtype=object), (-1, 1))
        self.figure_, table = axes_table(given, (panels, 1), (6.4, 2.3 * panels))
        self.ax_ = table[:, 0]
        self.lines_: list[Any] = []
        batch = np.array([row.last for row in rows])
        total = np.array([row.n for row in rows])
        self._record(batch=batch, n=total)
        self._draw_outcomes(monitor, batch, total)
        evidence = np.array([row.evidence for row in rows])
        self.lines_ += self.ax_[1].plot(batch, evidence, color="black", marker="o", ms=3)
        self.ax_[1].axhline(1 / monitor.alpha, color=ACCENT, lw=1.2)
        reach = min(0.01, float(evidence.min())), max(10 / monitor.alpha, 2 * float(evidence.max()))
        self.ax_[1].set(yscale="log", ylim=reach)
        axis_words(self.ax_[1], "", "evidence of a change")
        self._record(evidence=evidence)
        if with_cost:
            # None, of a batch without labels, is NaN
            columns = {
                name: np.array([getattr(row, name) for row in rows], dtype=np.float64)
                for name in ("cost", "cost_low", "cost_high")
            }
            labelled = ~np.isnan(columns["cost"])
            cost, low, high = (column[labelled] for column in columns.values())
            self.lines_ += self.ax_[2].plot(batch[labelled], cost, color="black", marker="o", ms=3)
            self.ax_[2].fill_between(batch[labelled], low, high, color="black", alpha=0.12, lw=0)
            if monitor.promise is not None:
                self.ax_[2].axhline(monitor.promise.cost, color=GUIDE, lw=1, ls=(0, (4, 3)))
                self.ax_[2].axhline(monitor.promise.limit, color=ACCENT, lw=1.2)
            axis_words(self.ax_[2], "", "cost per case")
            self._record(**columns)
        for one in self.ax_:
            one.locator_params(axis="x", integer=True)
        self.ax_[-1].set_xlabel("batch")
        return self

    def _draw_outcomes(self, monitor: PolicyMonitor, batch: Any, total: Any) -> None:
        ax = self.ax_[0]
        colors = _COLORS
        if not monitor.watches_scores:
            called = (f"called {name}" for name in monitor.actions[:-1])
            colors = {**dict(zip(called, cycle(SERIES), strict=False)), "abstained": ABSTAIN_COLOR}
        shares = np.array([row.counts for row in monitor.history]).T / total
        for (name, color), share, usual in zip(
            colors.items(), shares, monitor.reference.expected, strict=True
        ):
            self.lines_ += ax.plot(batch, share, color=color, marker="o", ms=3, label=name)
            if usual is not None:
                ax.axhline(usual, color=color, lw=1, ls=(0, (4, 3)))
            self._record(**{name: share})
        axis_words(ax, "", "share of the cases")
        ax.set_ylim(0, 1)
        ax.legend(frameon=False, fontsize="small", ncols=3, loc="lower right", bbox_to_anchor=(1.0, 1.0))
