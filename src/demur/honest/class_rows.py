"""Rows of one class in ascending order of score, with their folds: what every split is read from."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from demur._kernels.jit import compiled, kernel, worth_compiling
from demur._kernels.placements import Ordered
from demur._kernels.sweep import Sample, ascending_order
from demur.counts.scores import ScoreCounts
from demur.honest.splits import Rows, Splits
from demur.typing import BoolArray, FloatArray, IntArray

__all__ = ["ClassRows", "classes_of", "counts_of", "ordered_classes", "others_pooled", "rows_pooled"]


class ClassRows(NamedTuple):
    """Rows of one class in ascending order of score, so that every fold is sorted already.

    `cases` is None where every row is one case.
    """

    rows: IntArray
    scores: FloatArray
    fold: Any
    cases: FloatArray | None


def classes_of(scores: FloatArray, positive: BoolArray, splits: Splits) -> list[list[ClassRows]]:
    """Sort the rows of each class by score once and return them with the folds of every split."""
    by_split = []
    order: dict[int, tuple[IntArray, FloatArray]] = {}
    same = all(np.array_equal(rows.cell, splits.repeats[0].cell) for rows in splits.repeats[1:])
    for rows in splits.repeats:
        row_positive = positive[rows.cell]
        for index, own in enumerate((row_positive, ~row_positive)):
            if index not in order or not same:
                members = np.flatnonzero(own)
                ascending = scores[rows.cell[members]]
                if np.any(ascending[1:] < ascending[:-1]):
                    by_score = ascending_order(ascending)
                    members, ascending = members[by_score], ascending[by_score]
                order[index] = members, ascending
        by_split.append(_with_folds([order[0], order[1]], rows))
    return by_split


def ordered_classes(
    positive: BoolArray, orders: tuple[Ordered, Ordered], splits: Splits
) -> list[list[ClassRows]]:
    """Do the same for cases without weights whose classes are ordered already."""
    row_positive = positive[splits.repeats[0].cell]
    members = np.flatnonzero(row_positive), np.flatnonzero(~row_positive)
    ordered = [(one[order.cases], order.scores) for one, order in zip(members, orders, strict=True)]
    return [_with_folds(ordered, rows) for rows in splits.repeats]


def _with_folds(ordered: Sequence[tuple[IntArray, FloatArray]], rows: Rows) -> list[ClassRows]:
    """Look up fold and number of cases of the rows of each class, which come with their scores."""
    single = rows.cases.min(initial=1) == rows.cases.max(initial=1) == 1
    # short integers are looked up faster
    fold = rows.fold.astype(np.int16) if rows.fold.max(initial=0) < 2**15 else rows.fold
    return [
        ClassRows(members, scores, fold[members], None if single else rows.cases[members])
        for members, scores in ordered
    ]


def counts_of(classes: Sequence[ClassRows]) -> ScoreCounts:
    """Count the cases of both classes, of one row each."""
    positive, negative = (Sample(one.scores, None) for one in classes)
    return ScoreCounts(_positive=positive, _negative=negative)


def others_pooled(classes: Sequence[ClassRows], fold: int, buffers: Sequence[FloatArray]) -> ScoreCounts:
    """Count the cases of all folds but one; valid until the buffers are used again.

    Only the blocks are to be kept: the cases of ten folds would take ten times the memory.
    """
    samples = []
    for one, buffer in zip(classes, buffers, strict=True):
        if one.cases is None and worth_compiling(len(one.scores)):
            kept = compiled(_other_folds_loop)(one.scores, one.fold, fold, buffer)
            samples.append(Sample(buffer[:kept], None))
        else:
            samples.append(_sample(one, one.fold != fold))
    return ScoreCounts(_positive=samples[0], _negative=samples[1])


def rows_pooled(classes: Sequence[ClassRows], kept: BoolArray) -> ScoreCounts:
    """Count the cases of some rows."""
    positive, negative = (_sample(one, kept[one.rows]) for one in classes)
    return ScoreCounts(_positive=positive, _negative=negative)


def _sample(one: ClassRows, kept: BoolArray) -> Sample:
    return Sample(one.scores[kept], None if one.cases is None else one.cases[kept])


@kernel
def _other_folds_loop(scores: Any, folds: Any, fold: Any, out: Any) -> int:
    at = 0
    for index in range(len(scores)):
        out[at] = scores[index]
        at += int(folds[index] != fold)
    return at
