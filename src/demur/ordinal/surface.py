"""The ROC surface of three ordered levels: every pair of thresholds, and the staircase above them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from demur import _html
from demur._checks import input_error
from demur._kernels.sweep import LevelSweep
from demur._results import Result
from demur.exceptions import InputError
from demur.typing import FloatArray

__all__ = ["OrdinalSurface", "OrdinalVertices", "make_surface"]

_MOST_CELLS = 2 * 10**7


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class OrdinalVertices(Result):
    """What every pair of thresholds reaches; made by `OrdinalSurface.vertices`.

    Attributes
    ----------
    lower, upper : array
        Thresholds b1 <= b2: level 1 is predicted up to b1, level 3 above b2, level 2 between.
    tpr_low, tpr_middle, tpr_high : array
        Share of each level that is predicted as itself.
    """

    lower: FloatArray
    upper: FloatArray
    tpr_low: FloatArray
    tpr_middle: FloatArray
    tpr_high: FloatArray


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class OrdinalSurface(Result):
    """Best share of the middle level for given shares of the outer ones; made by `OrdinalRoc.surface`.

    A staircase: cell (i, j) spans ``low_edges[i:i + 2]`` by ``high_edges[j:j + 2]``.

    Attributes
    ----------
    levels : tuple
        The three levels from lowest to highest.
    low_edges, high_edges : array
        Shares of the lowest (highest) level that can be reached, from 0 to 1.
    heights : array
        Element (i, j): largest share of the middle level predicted as itself when at least
        ``low_edges[i + 1]`` of the lowest and ``high_edges[j + 1]`` of the highest level are.
    low_thresholds, high_thresholds : array
        Score of the lowest (highest) level at which each step is reached: row i needs b1 at or above
        ``low_thresholds[i]``, column j needs b2 below ``high_thresholds[j]``.
    """

    levels: tuple[Any, ...]
    low_edges: FloatArray
    high_edges: FloatArray
    heights: FloatArray
    low_thresholds: FloatArray
    high_thresholds: FloatArray
    counts: LevelSweep

    _reported = ("volume",)

    @property
    def volume(self) -> float:
        """Volume under the surface: the strict VUS (theorem 2.1)."""
        return float(np.diff(self.low_edges) @ self.heights @ np.diff(self.high_edges))

    def _figure(self) -> str:
        return _html.heat(self.heights, ("share of the middle level", "lowest level", "highest level"))

    def height(self, tpr_low: float, tpr_high: float) -> float:
        """Return the best share of the middle level, given at least these shares of the others."""
        steps = []
        for name, share, edges in (
            ("tpr_low", tpr_low, self.low_edges),
            ("tpr_high", tpr_high, self.high_edges),
        ):
            if not 0 <= share <= 1:
                raise input_error(name, "must lie in [0, 1]", share)
            steps.append(int(np.searchsorted(edges, share)))
        lowest, highest = steps
        return _middle_share(self.counts, self._cut(lowest, low=True), self._cut(highest, low=False))

    def _cut(self, steps: int, *, low: bool) -> int:
        """Number of score groups below the threshold after `steps` steps of an outer level."""
        scores = self.counts.scores
        if low:
            return int(np.searchsorted(scores, self.low_thresholds[steps - 1], "right")) if steps else 0
        return int(np.searchsorted(scores, self.high_thresholds[steps - 1])) if steps else len(scores)

    def vertices(self) -> OrdinalVertices:
        """Return the three shares of every pair of thresholds b1 <= b2, -inf or a distinct score.

        G distinct scores make (G + 1)(G + 2) / 2 pairs.
        """
        scores = self.counts.scores
        size = len(scores) + 1
        _refuse_oversized(size * (size + 1) // 2, "vertices")
        first, second = np.triu_indices(size)
        low, middle, high = (_running_share(self.counts.column(code)) for code in range(3))
        thresholds = np.concatenate([[-np.inf], scores])
        return OrdinalVertices(
            lower=thresholds[first],
            upper=thresholds[second],
            tpr_low=low[first],
            tpr_middle=middle[second] - middle[first],
            tpr_high=1 - high[second],
        )

    def __repr__(self) -> str:
        rows, columns = self.heights.shape
        return f"OrdinalSurface(volume={self.volume:.6g}, cells={rows} x {columns})"


def _refuse_oversized(cells: int, what: str) -> None:
    """Raise before memory runs out."""
    if cells > _MOST_CELLS:
        raise InputError(
            f"The ROC surface of these scores has {cells} {what}, more than the {_MOST_CELLS} a figure "
            "can show. Hint: take a sample of the cases, or round the scores."
        )


def _running_share(column: FloatArray) -> FloatArray:
    total = np.concatenate([[0.0], np.cumsum(column)])
    return np.asarray(total / total[-1])


def _middle_share(sweep: LevelSweep, lowest: int, highest: int) -> float:
    share = _running_share(sweep.column(1))
    return max(float(share[highest] - share[lowest]), 0.0)


def make_surface(sweep: LevelSweep, levels: tuple[Any, ...]) -> OrdinalSurface:
    """Heights of all cells from the running counts of the three levels."""
    low, high = sweep.column(0), sweep.column(2)[::-1]
    rows, columns = np.flatnonzero(low), len(high) - 1 - np.flatnonzero(high)
    _refuse_oversized(len(rows) * len(columns), "cells")
    middle = _running_share(sweep.column(1))
    # class-2 cases strictly between the class-1 score of the row and the class-3 score of the column
    heights = np.maximum(middle[columns][None, :] - middle[rows + 1][:, None], 0.0)
    return OrdinalSurface(
        levels=levels,
        low_edges=_running_share(low[rows]),
        high_edges=_running_share(sweep.column(2)[columns]),
        heights=heights,
        low_thresholds=sweep.scores[rows],
        high_thresholds=sweep.scores[columns],
        counts=sweep,
    )
