"""Rows of one class in ascending order of score, with their folds."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from demur._kernels.jit import compiled, kernel, worth_compiling
from demur._kernels.placements import Ordered
from demur._kernels.sweep import Sample, ascending_order
from demur.counts.scores import ScoreCounts
from demur.honest.splits import Splits
from demur.typing import BoolArray, FloatArray, IntArray

__all__ = ["ClassRows", "classes_of", "others_pooled", "rows_pooled"]


class ClassRows(NamedTuple):
    """Rows of one class in ascending order of score, so that every fold is sorted already.

    `cases` is None where every row is one case.
    """

    rows: IntArray
    scores: FloatArray
    fold: Any
    cases: FloatArray | None


def classes_of(
    scores: FloatArray,
    positive: BoolArray,
    splits: Splits,
    orders: tuple[Ordered, Ordered] | None = None,
) -> tuple[tuple[ClassRows, ...], ...]:
    """Return the rows of each class by ascending score, with the folds of every split; sort once.

    Nothing is sorted where the `orders` of both classes are known already.
    """
    by_split: list[tuple[ClassRows, ...]] = []
    ordered: list[tuple[IntArray, FloatArray]] = []
    same = all(np.array_equal(rows.cell, splits.repeats[0].cell) for rows in splits.repeats[1:])
    for rows in splits.repeats:
        if not ordered or not same:
            row_positive, ordered = positive[rows.cell], []
            for own, order in zip((row_positive, ~row_positive), orders or (None, None), strict=True):
                members = np.flatnonzero(own)
                if order is not None:
                    ordered.append((members[order.cases], order.scores))
                    continue
                ascending = scores[rows.cell[members]]
                if np.any(ascending[1:] < ascending[:-1]):
                    order_of = ascending_order(ascending)
                    members, ascending = members[order_of], ascending[order_of]
                ordered.append((members, ascending))
        single = rows.cases.min(initial=1) == rows.cases.max(initial=1) == 1
        # short integers are looked up faster
        fold = rows.fold.astype(np.int16) if rows.fold.max(initial=0) < 2**15 else rows.fold
        by_split.append(
            tuple(
                ClassRows(members, by_score, fold[members], None if single else rows.cases[members])
                for members, by_score in ordered
            )
        )
    return tuple(by_split)


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
