"""Best pair of cuts i <= j over ascending distinct scores: least abstention.

The first i scores are called negative, those from j on positive, the rest is abstained on. What is
minimised and what limits it is a term of i plus a term of j, so no search visits all pairs
unless it must.
"""

from typing import Any, NamedTuple

import numpy as np

from demur._kernels.jit import compiled, kernel, worth_compiling
from demur.typing import BoolArray, FloatArray

__all__ = ["TIE", "CutMasses", "widest_cuts", "widest_joint_cuts"]

TIE = 64 * float(np.finfo(np.float64).eps)
"""Sums of weights that differ by less, relative to the total, count as equal."""


class CutMasses(NamedTuple):
    """Weights on both sides of the cuts: element i is for the first i distinct scores, or the rest."""

    positive_below: FloatArray
    negative_below: FloatArray
    positive_above: FloatArray
    negative_above: FloatArray

    @classmethod
    def of(
        cls, positives: FloatArray, negatives: FloatArray, to_positive: float = 1.0, to_negative: float = 1.0
    ) -> "CutMasses":
        """Sum the weights per distinct score, times one factor per class."""
        # Scaling after the sums keeps whole-number counts exact; summing from the near end keeps
        # precise what a difference of totals would round away.
        p, q = (np.concatenate([[0.0], np.cumsum(w)]) for w in (positives, negatives))
        over_p, over_q = (np.concatenate([[0.0], np.cumsum(w[::-1])])[::-1] for w in (positives, negatives))
        return cls(p * to_positive, q * to_negative, over_p * to_positive, over_q * to_negative)

    @property
    def total(self) -> tuple[float, float]:
        """Weight of the positives and of the negatives."""
        return float(self.positive_below[-1]), float(self.negative_below[-1])

    @property
    def below(self) -> FloatArray:
        """Weight below the cuts."""
        return self.positive_below + self.negative_below


def widest_cuts(masses: CutMasses, starts: BoolArray, stops: BoolArray, cost_ratio: float) -> tuple[int, int]:
    """Least abstained weight over i <= j with ``starts[i]`` and ``stops[j]``, in O(distinct scores).

    For every j the largest allowed i <= j abstains least, because every score has weight.
    """
    allowed, ends = np.flatnonzero(starts), np.flatnonzero(stops)
    nearest = np.searchsorted(allowed, ends, side="right") - 1
    ends = ends[nearest >= 0]
    begins = allowed[nearest[nearest >= 0]]
    slack = TIE * sum(masses.total)
    up_to_end, up_to_begin = (masses.positive_below[at] + masses.negative_below[at] for at in (ends, begins))
    abstained = up_to_end - up_to_begin
    right = masses.positive_above[ends] + cost_ratio * masses.negative_below[begins]
    least = np.flatnonzero(abstained <= abstained.min() + slack)
    most = least[right[least] >= right[least].max() - slack * max(1.0, cost_ratio)]
    return int(begins[most[-1]]), int(ends[most[-1]])


def widest_joint_cuts(
    masses: CutMasses,
    weight: float,
    first: tuple[FloatArray, FloatArray],
    second: tuple[FloatArray, FloatArray],
) -> tuple[int, int]:
    """Least abstained weight such that two margins, each a term of j plus a term of i, are not negative.

    `first` and `second` hold those terms; `weight` is that of a rightly called negative. At most
    O(k^2) steps, O(k w) if the first feasible window holds w scores.
    """
    columns = (masses.below, masses.positive_above, weight * masses.negative_below, *first, *second)
    slack = TIE * (masses.total[0] + weight * masses.total[1])
    inputs: Any = columns
    loop: Any = _joint_loop
    # the loop may visit all pairs, so it pays to compile it for far fewer scores than a sweep
    if worth_compiling(len(masses.below) ** 2 // 64):
        loop = compiled(_joint_loop)
    else:
        inputs = [column.tolist() for column in columns]
    i, j = loop(*inputs, slack)
    return int(i), int(j)


@kernel
def _joint_loop(
    mass: Any,
    tp: Any,
    tn: Any,
    by_stop: Any,
    by_start: Any,
    other_by_stop: Any,
    other_by_start: Any,
    slack: Any,
) -> Any:
    # Abstaining on everything always keeps both promises (0/0), so there is an answer. A start
    # further down than the best window so far allows is not looked at.
    top = len(mass) - 1
    best, best_right, best_i, best_j = mass[top] + 1.0, 0.0, 0, top
    for j in range(top, -1, -1):
        i = j
        while i >= 0 and mass[j] - mass[i] <= best + slack:
            if by_stop[j] + by_start[i] >= -slack and other_by_stop[j] + other_by_start[i] >= -slack:
                abstained, right = mass[j] - mass[i], tp[j] + tn[i]
                if abstained < best - slack or right > best_right + slack:
                    best, best_right, best_i, best_j = abstained, right, i, j
                break
            i -= 1
    return best_i, best_j
