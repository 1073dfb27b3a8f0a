"""`LevelCounts`: the cases of ordered classes, sorted once for all ordinal measures."""

from functools import cached_property

import numpy as np

from demur._kernels.sweep import LevelSweep, Sample, level_sweep, sorted_levels
from demur._kernels.tuples import pair_counts
from demur._results import read_only
from demur.typing import FloatArray, IntArray

__all__ = ["LevelCounts"]


class LevelCounts:
    """Cases of ordered classes, sorted once for all ordinal measures.

    The counterpart of `ScoreCounts` for more than two classes. Sorting within the levels serves
    the measures and the variance of one VUS; sorting over all levels, with positions, the rest.
    """

    __slots__ = ("__dict__", "codes", "scores", "sizes", "weights")

    def __init__(
        self, codes: IntArray, scores: FloatArray, weights: FloatArray | None, n_levels: int
    ) -> None:
        self.codes, self.scores, self.weights = codes, scores, weights
        self.sizes: FloatArray = read_only(
            np.bincount(codes, weights=weights, minlength=n_levels).astype(np.float64)
        )

    @cached_property
    def samples(self) -> list[Sample]:
        """Scores of each level, ascending."""
        return sorted_levels(self.codes, self.scores, self.weights, len(self.sizes))

    @cached_property
    def sweep(self) -> LevelSweep:
        """All cases, ascending, with groups of equal scores."""
        return level_sweep(self.codes, self.scores, self.weights)

    @cached_property
    def pairs(self) -> tuple[FloatArray, FloatArray]:
        """Pairs of levels l < k in order, and tied."""
        return pair_counts(self.samples)

    @property
    def group_sizes(self) -> FloatArray:
        """Weight of every group of equal scores."""
        return np.bincount(self.sweep.groups, weights=self.sweep.weights).astype(np.float64)

    @property
    def whole(self) -> bool:
        """True unless weights are fractional."""
        return self.weights is None or not np.any(self.weights % 1)
