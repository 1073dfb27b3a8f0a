"""Grouped multiplier bootstrap: the law of the largest deviation of a cost estimate over a grid.

The estimate at every grid point is a mean of per-case losses. Giving each case a standard
normal multiplier and summing multiplier times centred loss imitates its sampling error at
all points jointly (Chernozhukov, Chetverikov, Kato 2013), without refitting anything. Cases of
one group (fold, position, class) share their losses, so one normal variable of variance
"number of cases" serves the group, and the work grows with the groups, not with the cases.

Every draw has its own seed: results are the same bytes whatever the number of workers.
"""

import math
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np

from demur._progress import Progress
from demur.honest.held_out import JudgedRules
from demur.honest.rules import Prices
from demur.typing import FloatArray, IntArray

__all__ = ["Part", "loss_part", "max_deviations", "step_weights", "upper_quantile"]

_NUMBERS_PER_CHUNK = 2**19


class Part(NamedTuple):
    """Linear map from multipliers to centred, scaled sums on the grid, for one model.

    bins
        Element j: slot of multiplier group j. Slots are ordered by class, fold, position.
    segments
        Ends of the (class, fold) segments among the slots; sums run up within each.
    matrix
        Sparse (grid points x running sums); each segment's running sums start with a 0.
    """

    bins: IntArray
    segments: IntArray
    matrix: Any


def slot_offsets(rules: JudgedRules) -> tuple[IntArray, IntArray]:
    """First slot of each fold's positives and of its negatives; the last entry of the second is the end."""
    sizes = [table.rule.n_positions for table in rules.tables]
    offsets = np.concatenate([[0], np.cumsum(sizes * 2)])
    return offsets[: len(sizes)], offsets[len(sizes) :]


def step_weights(
    rules: JudgedRules, prices: Prices, scale: FloatArray
) -> tuple[list[FloatArray], list[FloatArray]]:
    """Weights of 1[x < first], 1[x < last] and 1 in the centred loss times `scale`, for each class.

    A positive costs miss 1[x < first] + abstain 1[first <= x < last] at position x, a negative
    abstain 1[first <= x < last] + alarm 1[x >= last].
    """
    miss, alarm = prices.miss, prices.alarm
    review_positive, review_negative = prices.by_class
    w = rules.weighting
    centres = w.centres(*rules.loss_sums(prices)[0])
    return (
        [w.positive * scale * c for c in (miss - review_positive, review_positive, -centres[0])],
        [w.negative * scale * c for c in (-review_negative, review_negative - alarm, alarm - centres[1])],
    )


def loss_part(rules: JudgedRules, prices: Prices, scale: FloatArray, bins: IntArray | None = None) -> Part:
    """Build the map of one model: sum of multiplier times weight times (loss - mean) times `scale`."""
    from scipy.sparse import csr_array

    columns, values, cuts = [], [], prices.share_cuts()
    segments = np.concatenate(slot_offsets(rules))[1:]
    start = 0
    for coefficients in step_weights(rules, prices, scale):
        for table in rules.tables:
            end = start + table.rule.n_positions
            for at, coefficient in zip((*table.rule.limits(cuts), None), coefficients, strict=True):
                columns.append(np.full(scale.shape, end) if at is None else start + at)
                values.append(coefficient)
            start = end + 1
    points = np.tile(np.arange(scale.size), len(columns))
    entries = np.concatenate(values), (points, np.concatenate(columns))
    matrix = csr_array(entries, shape=(scale.size, start))
    return Part(np.arange(segments[-1]) if bins is None else bins, segments, matrix)


def group_sizes(rules: JudgedRules) -> FloatArray:
    """Number of cases in every slot of one model."""
    return np.concatenate([table.columns[index] for index in (0, 1) for table in rules.tables])


class _Sums:
    """Adds up multipliers by slot and runs the sums up within each segment."""

    def __init__(self, part: Part) -> None:
        one_each = np.array_equal(part.bins, np.arange(part.segments[-1]))
        self._order = None if one_each else np.argsort(part.bins, kind="stable")
        self._bounds = np.concatenate([[0], part.segments])
        self._matrix = part.matrix
        if self._order is not None:
            self._filled, self._starts = np.unique(part.bins[self._order], return_index=True)

    def on_grid(self, multipliers: FloatArray) -> FloatArray:
        """Return (grid points x draws) for (draws x groups)."""
        draws, bounds = len(multipliers), self._bounds
        if self._order is None:
            slots = multipliers
        else:
            slots = np.zeros((draws, bounds[-1]))
            slots[:, self._filled] = np.add.reduceat(multipliers[:, self._order], self._starts, axis=1)
        running = np.zeros((draws, self._matrix.shape[1]))
        for index in range(len(bounds) - 1):
            start, end = bounds[index], bounds[index + 1]
            np.cumsum(slots[:, start:end], axis=1, out=running[:, start + index + 1 : end + index + 1])
        return np.asarray(self._matrix @ np.ascontiguousarray(running.T))


def max_deviations(
    sizes: FloatArray,
    parts: list[Part],
    *,
    n_resamples: int,
    rng: np.random.Generator,
    workers: int = 1,
) -> FloatArray:
    """Draw the largest and the largest negative deviation over the grid: (n_resamples x 2).

    `sizes` are the numbers of cases of the multiplier groups. The second part, if there is
    one, is subtracted from the first: the deviation of a paired difference.
    """
    scale = np.sqrt(sizes)
    sums = [_Sums(part) for part in parts]
    # one fresh root seed, so that a generator passed twice gives two answers
    seeds = np.random.SeedSequence(rng.integers(2**63, size=2).tolist()).spawn(n_resamples)
    step = min(max(_NUMBERS_PER_CHUNK // max(len(sizes), 1), 1), 64)
    chunks = [seeds[at : at + step] for at in range(0, n_resamples, step)]

    def run(chunk: list[np.random.SeedSequence]) -> FloatArray:
        multipliers = np.empty((len(chunk), len(sizes)))
        for row, seed in zip(multipliers, chunk, strict=True):
            np.random.default_rng(seed).standard_normal(out=row)
        multipliers *= scale
        grid = sums[0].on_grid(multipliers)
        for other in sums[1:]:
            grid -= other.on_grid(multipliers)
        return np.column_stack([grid.max(axis=0), -grid.min(axis=0)])

    chunks_done = []
    with ThreadPoolExecutor(workers) as pool, Progress(n_resamples) as progress:
        for result in pool.map(run, chunks) if workers > 1 else map(run, chunks):
            chunks_done.append(result)
            progress.advance(len(result))
    return np.concatenate(chunks_done)


def upper_quantile(values: FloatArray, level: float) -> float:
    """Return the smallest draw that at least a share `level` of (draws + 1) lies at or below."""
    rank = min(math.ceil(level * (len(values) + 1)), len(values))
    return float(np.partition(values, rank - 1)[rank - 1])
