"""A chain of any number of classifiers: what one abstains on goes to the next, which has its price."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from demur.comparison.combination_learner import RowsLearner, row_window
from demur.comparison.training_losses import TrainingLosses
from demur.surface.window import ABSTAIN
from demur.typing import FloatArray, IntArray
from demur.windows.rule import Window

__all__ = ["Chain", "ChainLearner"]

_MOST_SWEEPS = 20  # every sweep that changes something is cheaper
_TIE = 1e-12


@dataclass(frozen=True, kw_only=True)
class Chain:
    """Windows asked one after the other until one of them decides.

    Attributes
    ----------
    names : tuple of str
        The members in order.
    windows : tuple of Window
        Of each member.
    prices : tuple of float
        What asking each of them costs.
    """

    names: tuple[str, ...]
    windows: tuple[Window, ...]
    prices: tuple[float, ...]

    def codes(self, table: FloatArray) -> IntArray:
        """Return 1, 0 or `ABSTAIN` for every row of scores, one column per member."""
        return _walk(table, self.windows)[0]

    decide = codes

    def charge(self, table: FloatArray) -> FloatArray:
        """Return what was paid for asking members, for every row."""
        return np.cumsum(self.prices)[_walk(table, self.windows)[1]]


def _walk(table: FloatArray, windows: Sequence[Window]) -> tuple[IntArray, IntArray]:
    """Decision on every row and the last stage that was asked."""
    codes = np.full(len(table), ABSTAIN, dtype=np.int64)
    last, rows = np.zeros(len(table), dtype=np.int64), np.arange(len(table))
    for stage, window in enumerate(windows):
        last[rows] = stage
        codes[rows] = window.codes(table[rows, stage])
        rows = rows[codes[rows] == ABSTAIN]
    return codes, last


@dataclass(frozen=True, eq=False)
class ChainLearner(RowsLearner):
    """Chains whose windows are each the cheapest given the others: a local optimum.

    Windows are searched from the last stage to the first, and again until nothing changes; passing a case
    on costs what the rest of the chain will cost for it.
    """

    members: tuple[str, ...]

    def choose(self, table: FloatArray, rows: TrainingLosses) -> Chain:
        """Choose the windows on some rows."""
        prices = tuple(self.problem.prices.get(name, 0.0) for name in self.members)
        windows, least = [Window(-math.inf, math.inf)] * len(prices), math.inf
        scale = float(np.abs(rows.losses).max(axis=1).sum())
        for _ in range(_MOST_SWEEPS):
            best = list(windows)
            for stage in reversed(range(len(prices))):
                reached = np.flatnonzero(_walk(table, best[:stage])[0] == ABSTAIN)
                # a stage that no case here reaches learns from all
                reached = reached if len(reached) else np.arange(len(table))
                best[stage] = self._stage_window(
                    table[reached, stage:], rows, reached, best[stage:], prices[stage:]
                )
            cost = float(self._paid(table, rows, best, prices).sum())
            if cost >= least - _TIE * scale:
                break
            windows, least = best, cost
        return Chain(names=self.members, windows=tuple(windows), prices=prices)

    def _stage_window(
        self,
        table: FloatArray,
        rows: TrainingLosses,
        reached: IntArray,
        windows: Sequence[Window],
        prices: Sequence[float],
    ) -> Window:
        """Return the cheapest window of the first of some stages; later ones stay as they are."""
        here = TrainingLosses(rows.losses[reached], rows.weight[reached])
        if len(windows) == 1:
            return row_window(table[:, 0], here.losses, may_abstain=self.problem.may_abstain)
        follows = self._paid(table[:, 1:], here, windows[1:], prices[1:])
        return row_window(table[:, 0], np.column_stack([here.losses[:, :2], follows]), may_abstain=True)

    @staticmethod
    def _paid(
        table: FloatArray, rows: TrainingLosses, windows: Sequence[Window], prices: Sequence[float]
    ) -> FloatArray:
        """Return what every row costs, what was asked included."""
        codes, last = _walk(table, windows)
        return np.asarray(rows.losses[np.arange(len(codes)), codes] + rows.weight * np.cumsum(prices)[last])
