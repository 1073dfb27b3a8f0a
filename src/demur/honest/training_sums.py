"""Cases by fold and by group of scores: windows are searched without some of the folds, many at once."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from demur._kernels.sweep import merged
from demur._kernels.thresholds import cut_points
from demur.honest.cases import SplitCases
from demur.honest.class_rows import ClassRows
from demur.honest.splits import Rows
from demur.typing import BoolArray, FloatArray, IntArray

__all__ = ["FoldSums", "GroupedRows", "Groups", "columns_of"]


class Groups(NamedTuple):
    """The distinct scores of both classes, ascending."""

    scores: FloatArray

    @classmethod
    def of(cls, classes: Sequence[ClassRows]) -> "Groups":
        """Group the scores of both classes."""
        ordered = merged(*(one.scores for one in classes))
        return cls(ordered[np.append(True, ordered[1:] > ordered[:-1])])

    def thresholds(self, present: IntArray, start: IntArray, stop: IntArray) -> tuple[FloatArray, FloatArray]:
        """Return the thresholds of the windows of some training sets, between the scores they have.

        Row r of `present` counts the rows of set r below every position.
        """
        sets = np.tile(np.arange(len(present)), 2)
        # one ascending array of all sets, so that one look-up serves them and both ends of their windows
        apart = present + np.arange(len(present))[:, None] * (present.max() + 1)
        here = apart[sets, np.concatenate([start, stop])]
        before, after = (
            np.searchsorted(apart.ravel(), here, side=side) - sets * present.shape[1] - 1
            for side in ("left", "right")
        )
        cuts = np.where(before < 0, -np.inf, np.inf), np.where(before < 0, -np.inf, np.inf)
        inside = (before >= 0) & (after < len(self.scores))
        low, high = self.scores[before[inside]], self.scores[after[inside]]
        between = cut_points(np.append(low[:1], high), np.append(low, high[-1:]))
        for ends, found in zip(cuts, between, strict=True):
            ends[inside] = found[1:-1]
        return cuts[0][: len(present)], cuts[1][len(present) :]


class FoldSums(NamedTuple):
    """Cases and rows below every position among the groups, one element per fold.

    Element [v, 2 c + class, position] of `below` is the sum of column c, cases first, then costs if every
    case has its own (see `WindowLearner`); element [v, position] of `present` is a number of rows.
    """

    below: FloatArray
    present: IntArray


class _Member(NamedTuple):
    """Rows of one class with their groups, folds and columns to add up; None stands for ones."""

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
        """Group the rows of both classes, positives first; `columns` are to be added up."""
        members = []
        for one in reversed(classes):
            values: list[FloatArray | None] = [column[one.rows] for column in columns]
            if one.cases is None:
                values[0] = None
            # scores are ascending, and all in some group
            ends = np.searchsorted(one.scores, groups.scores[:-1], side="right")
            sizes = np.diff(ends, prepend=0, append=len(one.scores))
            group = np.repeat(np.arange(len(groups.scores)), sizes)
            members.append(_Member(one.rows, group, one.fold, values))
        together = [one._replace(fold=np.zeros(len(one.group), dtype=np.int64)) for one in members]
        everything = _added_up(together, range(1), len(groups.scores))
        return cls(groups, FoldSums(*(sums[0] for sums in everything)), tuple(members))

    def held(self, folds: range) -> FoldSums:
        """Return the sums of some folds."""
        return _added_up(self._members, folds, len(self.groups.scores))

    def chosen(self, kept: Sequence[BoolArray]) -> FoldSums:
        """Return the sums of several choices of rows."""
        parts = []
        for rows in kept:
            members = [one._replace(fold=np.where(rows[one.rows], 0, 1)) for one in self._members]
            parts.append(_added_up(members, range(1), len(self.groups.scores)))
        return FoldSums(*(np.concatenate(column) for column in zip(*parts, strict=True)))


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
    tables: tuple[Any, ...] = (sums.reshape(len(folds), -1, number), present.reshape(-1, number))
    # running sums along the scores, before the first one as well
    return FoldSums(*(np.insert(np.cumsum(table, axis=-1), 0, 0, axis=-1) for table in tables))


def columns_of(cases: SplitCases, rows: Rows) -> list[FloatArray]:
    """Return the columns to add up: numbers of cases and, where each has its own, costs by action."""
    if cases.losses is None:
        return [rows.cases]
    return [rows.cases, *(rows.cases * column for column in cases.losses[rows.cell].T)]
