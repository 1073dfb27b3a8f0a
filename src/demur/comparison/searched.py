"""What windows that have to be searched decide: chosen without each fold, all folds of a split at once."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from demur.comparison.fold_sums import GroupedRows, Groups, columns_of
from demur.comparison.inner_search import InnerSearch
from demur.honest.cases import JudgedModel, SplitCases
from demur.honest.decisions import Codes, Judged, Window, codes_by_fold, decision_codes
from demur.typing import IntArray

__all__ = ["NoWindow", "judge_searched"]

_AT_ONCE = 2**20
"""Folds are searched together up to so many sums per column, which bounds the memory."""


class NoWindow(NamedTuple):
    """The first split and fold without which the limits allow no window."""

    split: int
    fold: int


def judge_searched(
    cases: SplitCases,
    model: JudgedModel,
    searches: Sequence[InnerSearch],
    hindsight: Sequence[Window],
) -> list[Judged | NoWindow]:
    """Decide with the windows that searches find on the cases of all folds but one.

    `hindsight` are the windows of all cases.
    """
    honest: list[list[Codes]] = [[] for _ in searches]
    missing: dict[int, NoWindow] = {}
    groups = Groups.of(model.classes[0])
    for split, (rows, classes) in enumerate(zip(cases.splits.repeats, model.classes, strict=True)):
        grouped = GroupedRows.of(classes, groups, columns_of(cases, rows))
        limits: list[list[tuple[IntArray, IntArray]]] = [[] for _ in searches]
        for folds in _batches(cases.folds, len(groups.low)):
            held, everything = grouped.held(folds), grouped.everything
            left, present = everything.below - held.below, everything.present - held.present
            for place, search in enumerate(searches):
                start, stop = search.cuts(left)
                limits[place].append(groups.positions(present, start, stop))
                if place not in missing and start.min() < 0:
                    missing[place] = NoWindow(split, folds[int(np.argmin(start))])
        position = grouped.row_groups()
        for codes, parts in zip(honest, limits, strict=True):
            first, last = (np.concatenate(ends).astype(np.int32) for ends in zip(*parts, strict=True))
            codes.append(codes_by_fold(position, rows.fold, first, last))
    seen = model.scores[cases.splits.repeats[0].cell]
    return [
        missing.get(place) or Judged(tuple(codes), decision_codes(seen, window))
        for place, (codes, window) in enumerate(zip(honest, hindsight, strict=True))
    ]


def _batches(folds: int, groups: int) -> list[range]:
    """Split the folds into runs of bounded size."""
    step = max(1, _AT_ONCE // groups)
    return [range(at, min(at + step, folds)) for at in range(0, folds, step)]
