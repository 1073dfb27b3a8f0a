"""Splits of the cases into folds: by the labels in row order and the seed, and by nothing else.

Neither scores nor other models decide where a case goes, so every honest number of a model is the
same whichever models it is compared with. Several independent splits are averaged, so that an answer does
not hang on the seed: ten up to 2,000 cases, 20,000 / n of them above, one from 20,000 cases on.
"""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from demur._checks import check_positive_int, check_rng, input_error
from demur._kernels.jit import compiled, kernel, worth_compiling
from demur._kernels.time_blocks import time_blocks
from demur.typing import BoolArray, FloatArray, IntArray

__all__ = [
    "FEWEST_CASES",
    "MOST_FOLDS",
    "Rows",
    "Splits",
    "check_folds",
    "check_repeats",
    "split_by_time",
    "split_cases",
    "split_classes",
    "split_clusters",
]

FEWEST_CASES = 2
"""Cases of each class without which none can be judged by others."""
MOST_FOLDS = 10
_MOST_REPEATS = 10
_CASES_FOR_ONE_SPLIT = 20_000
# blocks of time that are learned from before the first is judged, with enough cases of a class in each or not
_FEW_BLOCKS, _MANY_BLOCKS, _ENOUGH = 3, 6, 50
# Above this many cases of a class, if many are equal, they choose their folds independently:
# fold sizes then differ by chance, which so many do not notice, and no list of cases is needed.
_SHUFFLE_UP_TO = 2**21


class Rows(NamedTuple):
    """Cells of equal cases split over the folds; element r is `cases` of one cell in one fold."""

    cell: IntArray
    fold: IntArray
    cases: FloatArray


class Splits(NamedTuple):
    """Independent splits of the same cases.

    Attributes
    ----------
    repeats : tuple of Rows
        Element r is split r; all list the same cases in the same order unless cells are huge.
    folds : int
        Number of parts of each split.
    first : int
        First part that is judged; those before are only learned from. 0 unless parts are blocks of time.
    forward : bool
        Whether parts are blocks of time: rules are learned from the blocks before, not from all others.
    periods : tuple
        First and last time of every block.
    """

    repeats: tuple[Rows, ...]
    folds: int
    first: int = 0
    forward: bool = False
    periods: tuple[tuple[Any, Any], ...] = ()

    @property
    def judged_folds(self) -> range:
        """The parts that are judged."""
        return range(self.first, self.folds)

    def judged(self, split: int = 0) -> FloatArray:
        """Return the cases of every row that are judged: none in blocks that are only learned from."""
        rows = self.repeats[split]
        return np.where(rows.fold >= self.first, rows.cases, 0.0) if self.first else rows.cases


def check_folds(folds: Any, n_positive: float, n_negative: float, *, what: str = "cases") -> int:
    """Return the number of folds: ten, or as many as the smaller class allows, unless given.

    `what` is dealt out: cases, or clusters that hold some of the class.
    """
    smaller = int(min(n_positive, n_negative))
    if smaller < FEWEST_CASES:
        raise input_error(
            "y_true",
            f"must hold at least two {what} of each class to choose on some and score on others",
            f"{n_positive:g} positive and {n_negative:g} negative",
            f"collect more {what}.",
        )
    if folds is None:
        return min(MOST_FOLDS, smaller)
    number = check_positive_int(folds, "folds", minimum=2)
    if number > smaller:
        raise input_error(
            "folds",
            f"must not exceed the {what} of either class ({n_positive:g} positive, {n_negative:g} negative)",
            number,
            f"use folds={smaller}, or leave it out.",
        )
    return number


def check_repeats(repeats: Any, n: float) -> int:
    """Return the number of splits to average: 20,000 / n between 1 and 10, unless given."""
    if repeats is None:
        return max(1, min(_MOST_REPEATS, math.ceil(_CASES_FOR_ONE_SPLIT / n)))
    return check_positive_int(repeats, "repeats")


def split_cases(sizes: FloatArray, positive: BoolArray, *, folds: int, repeats: int, rng: Any) -> Splits:
    """Split cells of `sizes` equal cases at random, each class evenly, `repeats` times.

    A cell is a row of the user's data, or one score of one class where only counts are at hand:
    its cases are exchangeable, so shuffling them is a multivariate hypergeometric draw.
    """
    splits = []
    for stream in _streams(rng, repeats):
        parts = []
        for members in (positive, ~positive):
            cell = np.flatnonzero(members)
            size = sizes[cell].astype(np.int64)
            total = int(size.sum())
            if total <= max(_SHUFFLE_UP_TO, folds * len(cell)):
                one_each = total == len(cell) and bool(size.all())
                listed = cell if one_each else np.repeat(cell, size)
                parts.append((listed, _dealt(total, folds, stream), np.ones(total)))
            else:
                drawn = stream.multinomial(size, [1 / folds] * folds)
                where, fold = np.nonzero(drawn)
                parts.append((cell[where], fold, drawn[where, fold].astype(np.float64)))
        splits.append(Rows(*(np.concatenate(column) for column in zip(*parts, strict=True))))
    return Splits(tuple(splits), folds)


def split_classes(
    codes: IntArray, order: Sequence[int], *, folds: int, repeats: int, rng: Any
) -> list[IntArray]:
    """Return the fold of every row in each of `repeats` splits, every class dealt out evenly.

    `order` lists the classes as they are dealt. For two classes, the positive one first, these are the
    folds of `split_cases`.
    """
    splits = []
    members = [np.flatnonzero(codes == k) for k in order]
    for stream in _streams(rng, repeats):
        fold_of = np.empty(len(codes), dtype=np.int64)
        for rows in members:
            fold_of[rows] = _dealt(len(rows), folds, stream)
        splits.append(fold_of)
    return splits


def split_by_time(
    time: Any,
    codes: IntArray,
    n_classes: int,
    *,
    number: FloatArray,
    cases: FloatArray,
    cell: IntArray,
    end: Any = None,
) -> Splits:
    """Split rows into ten blocks of time of equal size, equal times in one block; later ones are judged.

    Rules are chosen on the blocks before, at least three; six where a class has fewer than 50 cases in a
    block, as few cases choose expensive rules. Rows stand for a `number` of cases each, and for the time from
    `time` to `end`.
    """
    block = time_blocks(time, number)
    blocks = int(block.max()) + 1
    by_class = np.bincount(block * n_classes + codes, number, blocks * n_classes).reshape(blocks, -1)
    present = by_class.sum(axis=0) > 0
    first = _FEW_BLOCKS if by_class.sum(axis=0)[present].min() >= _ENOUGH * blocks else _MANY_BLOCKS
    first = min(first, blocks - 1)
    learned = by_class[:first].sum(axis=0)[present]
    if blocks <= _FEW_BLOCKS or learned.min() < FEWEST_CASES:
        raise input_error(
            "time",
            f"must leave at least two cases of each class in the first {_FEW_BLOCKS} blocks of time",
            f"{blocks} blocks with {learned.min():g} cases of a class before the first that is judged",
            "collect a longer period, or leave time out.",
        )
    last = time if end is None else end
    periods = tuple((time[block == one].min(), last[block == one].max()) for one in range(blocks))
    return Splits((Rows(cell, block[cell], cases[cell]),), blocks, first, forward=True, periods=periods)


def split_clusters(
    codes: IntArray,
    cluster: IntArray,
    *,
    folds: int,
    repeats: int,
    rng: Any,
    number: FloatArray | None = None,
) -> list[IntArray]:
    """Return the fold of every row in each of `repeats` splits, no cluster torn apart.

    Clusters are dealt out in random order, the largest first, each to the fold that keeps the shares of
    every class most even. `number` says how many cases each row stands for, by default one.
    """
    clusters, classes = int(cluster.max()) + 1, int(codes.max()) + 1
    code = cluster * classes + codes
    counts = np.bincount(code, number, clusters * classes).reshape(clusters, classes).astype(np.float64)
    shares = counts / np.maximum(counts.sum(axis=0), 1)
    sizes = counts.sum(axis=1)
    deal = compiled(_deal_loop) if worth_compiling(clusters * folds * classes) else _deal_loop
    splits = []
    for stream in _streams(rng, repeats):
        order = stream.permutation(clusters)
        order = order[np.argsort(-sizes[order], kind="stable")]
        fold: IntArray = np.empty(clusters, dtype=np.int64)
        deal(shares, order, np.zeros((folds, classes)), fold)
        splits.append(fold[cluster])
    return splits


@kernel
def _deal_loop(shares: Any, order: Any, held: Any, fold: Any) -> None:
    # each cluster goes where the sum of squared shares of the classes grows least
    for number in order:
        best, least = 0, np.inf
        for one in range(len(held)):
            growth = 0.0
            for k in range(shares.shape[1]):
                growth += shares[number, k] * (2 * held[one, k] + shares[number, k])
            if growth < least:
                best, least = one, growth
        fold[number] = best
        for k in range(shares.shape[1]):
            held[best, k] += shares[number, k]


def _dealt(size: int, folds: int, rng: np.random.Generator) -> IntArray:
    """Folds of `size` cases, as even as possible, in random order."""
    fold = np.arange(size) % folds
    rng.shuffle(fold)
    return fold


def _streams(rng: Any, repeats: int) -> list[np.random.Generator]:
    """One random stream per split; split r depends on the seed and r only."""
    if isinstance(rng, (int, np.integer)) and not isinstance(rng, bool) and rng >= 0:
        entropy = [int(rng)]
    else:
        entropy = check_rng(rng).integers(0, 2**32, size=4, dtype=np.uint32).tolist()
    return [np.random.default_rng([*entropy, index]) for index in range(repeats)]
