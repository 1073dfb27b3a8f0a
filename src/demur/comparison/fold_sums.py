"""Cases by fold and by group of scores: windows are searched without some of the folds, many at once."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from demur._kernels.sweep import merged
from demur._kernels.thresholds import cut_points
from demur.honest.cases import SplitCases
from demur.honest.class_rows import ClassRows
from demur.honest.splits import Rows
from demur.typing import FloatArray, IntArray

__all__ = ["FoldSums", "Groups", "columns_of"]

_SIDES: tuple[Literal["right", "left"], ...] = ("right", "left")
"""A score equal to a lower threshold is called negative, one equal to an upper threshold positive."""


class Groups(NamedTuple):
    """Lowest and highest score of every group: one per distinct score, fewer if there may be only so many."""

    low: FloatArray
    high: FloatArray

    @classmethod
    def of(cls, classes: Sequence[ClassRows], most: int | None = None) -> "Groups":
        """Group the scores of both classes; more than `most` are merged into groups of equal size."""
        ordered = merged(*(one.scores for one in classes))
        ends = np.flatnonzero(ordered[1:] > ordered[:-1])
        if most is not None and len(ends) >= most:
            ends = np.unique(ends[np.linspace(0, len(ends) - 1, most - 1).astype(np.int64)])
        return cls(ordered[np.append(0, ends + 1)], ordered[np.append(ends, len(ordered) - 1)])

    def sizes(self, scores: FloatArray) -> IntArray:
        """Number of scores in every group; `scores` are ascending, and all in some group."""
        ends = np.searchsorted(scores, self.high[:-1], side="right")
        return np.diff(ends, prepend=0, append=len(scores))

    def positions(self, present: IntArray, start: IntArray, stop: IntArray) -> tuple[IntArray, IntArray]:
        """Number of groups called negative, and not called positive, by the windows of some cases.

        Row r of `present` counts the rows a window was chosen on below every position. Groups
        without such rows lie on the side of the midpoint threshold, as scores do.
        """
        sets = np.tile(np.arange(len(present)), 2)
        # one ascending array of all sets, so that one look-up serves them and both ends of their windows
        apart = present + np.arange(len(present))[:, None] * (present.max() + 1)
        here = apart[sets, np.concatenate([start, stop])]
        before, after = (
            np.searchsorted(apart.ravel(), here, side=side) - sets * present.shape[1] - 1
            for side in ("left", "right")
        )
        up_to_lower, below_upper = self._below(before, after)
        first, last = up_to_lower[: len(present)], below_upper[len(present) :]
        is_empty = here[: len(present)] == here[len(present) :]
        return np.where(is_empty, last, first), last

    def _below(self, before: IntArray, after: IntArray) -> tuple[IntArray, IntArray]:
        """Number of groups up to the lower threshold between two groups, and below the upper one.

        A group of -1 or beyond the last means that there is none on that side.
        """
        # no score reaches an infinite threshold
        ends = np.where(before < 0, 0, len(self.low))
        inside = (before >= 0) & (after < len(self.low))
        low, high = self.high[before[inside]], self.low[after[inside]]
        cuts = cut_points(np.append(low[:1], high), np.append(low, high[-1:]))
        lower, upper = ends, ends.copy()
        for below, cut, side in zip((lower, upper), cuts, _SIDES, strict=True):
            between = np.searchsorted(self.low, cut[1:-1], side=side)
            # where no float lies between two neighbours, no group does
            below[inside] = np.where(np.isnan(cut[1:-1]), before[inside] + 1, between)
        return lower, upper


@dataclass(frozen=True, slots=True, eq=False)
class FoldSums:
    """Cases and rows below every position among the groups, of each fold and of all of them.

    Element [v, 2 c + class, position] of `below` is the sum of column c, cases first, then costs if every
    case has its own (see `inner_search`); element [v, position] of `present` is a number of rows.
    `everything` and `rows` are the same for all folds together.
    """

    below: FloatArray
    present: IntArray
    everything: FloatArray
    rows: IntArray

    @classmethod
    def of(
        cls, classes: Sequence[ClassRows], groups: Groups, folds: range, columns: Sequence[FloatArray]
    ) -> "FoldSums":
        """Add up columns of the rows by class and group, for some folds; `classes`: positives, negatives."""
        number: int = len(groups.low)
        sums = np.empty((len(folds) + 1, len(columns), 2, number))
        present = np.zeros((len(folds) + 1, number), dtype=np.int64)
        for place, one in enumerate(reversed(classes)):
            sizes = groups.sizes(one.scores)
            group = np.repeat(np.arange(number), sizes)
            fold = one.fold.astype(np.int64) - folds.start
            some = np.flatnonzero((fold >= 0) & (fold < len(folds)))
            code = fold[some] * number + group[some]
            rows = np.bincount(code, minlength=len(folds) * number).reshape(-1, number)
            present[:-1] += rows
            present[-1] += sizes
            for at, column in enumerate(columns):
                if at == 0 and one.cases is None:
                    sums[:-1, at, place], sums[-1, at, place] = rows, sizes
                    continue
                values = column[one.rows]
                held = np.bincount(code, values[some], len(folds) * number)
                sums[:-1, at, place] = held.reshape(-1, number)
                sums[-1, at, place] = np.bincount(group, values, number)
        below = np.zeros((len(folds) + 1, 2 * len(columns), number + 1))
        np.cumsum(sums.reshape(len(folds) + 1, -1, number), axis=2, out=below[..., 1:])
        seen = np.zeros((len(folds) + 1, number + 1), dtype=np.int64)
        np.cumsum(present, axis=1, out=seen[:, 1:])
        return cls(below[:-1], seen[:-1], below[-1], seen[-1])


def columns_of(cases: SplitCases, rows: Rows) -> list[FloatArray]:
    """What is added up of every row: its cases and, if each has its own costs, these."""
    if cases.amounts is None:
        return [rows.cases]
    costs = cases.amounts.take(rows.cell)
    return [rows.cases, *(rows.cases * column for column in (costs.miss, costs.alarm, costs.review))]
