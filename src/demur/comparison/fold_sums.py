"""Cases by fold and by group of scores: windows are searched without some of the folds, many at once."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np

from demur._kernels.sweep import merged
from demur._kernels.thresholds import cut_points
from demur.honest.cases import SplitCases
from demur.honest.class_rows import ClassRows
from demur.honest.splits import Rows
from demur.typing import FloatArray, IntArray

__all__ = ["FoldSums", "GroupedRows", "Groups", "columns_of"]

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


class FoldSums(NamedTuple):
    """Cases and rows below every position among the groups, one element per fold.

    Element [v, 2 c + class, position] of `below` is the sum of column c, cases first, then costs if every
    case has its own (see `window_learner`); element [v, position] of `present` is a number of rows.
    """

    below: FloatArray
    present: IntArray


class _Member(NamedTuple):
    """Rows of one class: their groups and folds, and what is added up of them; None where each is a case."""

    rows: IntArray
    group: IntArray
    fold: Any
    values: list[FloatArray | None]


@dataclass(frozen=True, slots=True, eq=False)
class GroupedRows:
    """Rows of one split by group of their scores.

    Attributes
    ----------
    groups : Groups
    everything : FoldSums
        The sums of all folds together, without their axis.
    """

    groups: Groups
    everything: FoldSums
    _members: tuple[_Member, ...]

    @classmethod
    def of(cls, classes: Sequence[ClassRows], groups: Groups, columns: Sequence[FloatArray]) -> "GroupedRows":
        """Group the rows of both classes, positives first; `columns` hold what is added up of every row."""
        members = []
        for one in reversed(classes):
            values: list[FloatArray | None] = [column[one.rows] for column in columns]
            if one.cases is None:
                values[0] = None
            group = np.repeat(np.arange(len(groups.low)), groups.sizes(one.scores))
            members.append(_Member(one.rows, group, one.fold, values))
        together = [one._replace(fold=np.zeros(len(one.group), dtype=np.int64)) for one in members]
        everything = _added_up(together, range(1), len(groups.low))
        return cls(groups, FoldSums(*(sums[0] for sums in everything)), tuple(members))

    def held(self, folds: range) -> FoldSums:
        """Return the sums of some folds."""
        return _added_up(self._members, folds, len(self.groups.low))

    def row_groups(self) -> Any:
        """Group of every row of the split."""
        # as short as limits are: a million of them are compared with these
        group = np.empty(sum(len(one.rows) for one in self._members), dtype=np.int32)
        for one in self._members:
            group[one.rows] = one.group
        return group


def _added_up(members: Sequence[_Member], folds: range, number: int) -> FoldSums:
    cells, columns = len(folds) * number, len(members[0].values)
    sums, present = np.empty((len(folds), columns, 2, number)), np.zeros(cells, dtype=np.int64)
    for place, one in enumerate(members):
        fold = one.fold.astype(np.int64) - folds.start
        inside = np.flatnonzero((fold >= 0) & (fold < len(folds)))
        code = fold[inside] * number + one.group[inside]
        rows = np.bincount(code, minlength=cells)
        present += rows
        for at, values in enumerate(one.values):
            total = rows if values is None else np.bincount(code, values[inside], cells)
            sums[:, at, place] = total.reshape(-1, number)
    return FoldSums(_from_zero(sums.reshape(len(folds), -1, number)), _from_zero(present.reshape(-1, number)))


def _from_zero(values: Any) -> Any:
    """Running sums along the last axis, before the first value as well."""
    running = np.zeros((*values.shape[:-1], values.shape[-1] + 1), dtype=values.dtype)
    np.cumsum(values, axis=-1, out=running[..., 1:])
    return running


def columns_of(cases: SplitCases, rows: Rows) -> list[FloatArray]:
    """What is added up of every row: its cases and, if each has its own costs, these."""
    if cases.losses is None:
        return [rows.cases]
    return [rows.cases, *(rows.cases * column for column in cases.losses[rows.cell].T)]
