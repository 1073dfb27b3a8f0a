"""Cases drawn with replacement within each class, as counts per distinct score."""

from typing import Any, NamedTuple, Protocol

import numpy as np

from demur.auc.functionals import Functional
from demur.counts.scores import ScoreCounts
from demur.exceptions import UndefinedError
from demur.paired.scores import JointScores
from demur.typing import FloatArray, IntArray

__all__ = ["CaseSampler", "Ranks", "draw_cases", "joint_ranks", "sampler"]

_MOST_ROWS = 2**22  # more counted cases of a class are drawn per score, not one by one


class Ranks(NamedTuple):
    """Position of every case among the distinct scores of one model."""

    negative: IntArray
    positive: IntArray
    groups: int

    def value(self, functional: Functional, negative: Any, positive: Any, *, resampled: bool) -> float:
        """Apply `functional` to the chosen cases."""
        return functional(
            np.bincount(self.negative[negative], minlength=self.groups),
            np.bincount(self.positive[positive], minlength=self.groups),
            resampled=resampled,
        )


def joint_ranks(joint: JointScores) -> list[Ranks]:
    """Positions of the same cases under each model."""
    size = joint.negatives.shape[1]
    ranks = []
    for negative, positive in zip(joint.negatives, joint.positives, strict=True):
        both = np.concatenate([negative, positive])
        scores = ScoreCounts.from_arrays(np.arange(len(both)) >= size, both).scores
        where = np.searchsorted(scores, both)
        ranks.append(Ranks(where[:size], where[size:], len(scores)))
    return ranks


def draw_cases(rng: np.random.Generator, ranks: Ranks) -> tuple[IntArray, IntArray]:
    """Cases drawn with replacement within each class."""
    n, m = len(ranks.negative), len(ranks.positive)
    return rng.integers(0, n, n), rng.integers(0, m, m)


class CaseSampler(Protocol):
    """One class of one model: draws as many cases as there are."""

    def __call__(self, rng: np.random.Generator) -> FloatArray | IntArray:
        """Return the weight drawn at each distinct score."""


def sampler(counts: ScoreCounts, weights: str, quantity: str) -> tuple[CaseSampler, CaseSampler]:
    """Samplers of the negatives and of the positives; `quantity` opens the error sentences.

    Importance weights stay with their case, which is drawn like any other; repeats are so many cases.
    """
    counts.require_both_classes(quantity)
    if weights == "importance":
        cases = counts.weighted_cases(f"{quantity} by bootstrap")
        if cases is not None:
            positive, negative = (
                _weighted_sampler(np.searchsorted(counts.scores, sample.scores), sample.weights, counts)
                for sample in cases
            )
            return negative, positive
    made = []
    for column in (counts.negatives, counts.positives):
        if np.any(column % 1):
            raise UndefinedError(
                f"{quantity} by bootstrap draws whole cases, got fractional repeats. "
                "Hint: weights='importance', or auc_interval, which takes any weights."
            )
        made.append(_counted_sampler(column))
    return made[0], made[1]


def _weighted_sampler(where: IntArray, weights: FloatArray | None, counts: ScoreCounts) -> CaseSampler:
    size, groups = len(where), len(counts.scores)
    share = np.ones(size) if weights is None else weights / weights.max()

    def draw(rng: np.random.Generator) -> FloatArray:
        drawn = rng.integers(0, size, size)
        return np.bincount(where[drawn], share[drawn], minlength=groups).astype(np.float64, copy=False)

    return draw


def _counted_sampler(column: FloatArray) -> CaseSampler:
    size, groups = int(column.sum()), len(column)
    if size > _MOST_ROWS:
        share = column / column.sum()
        return lambda rng: rng.multinomial(size, share)
    where = np.repeat(np.arange(groups), column.astype(np.int64))

    def draw(rng: np.random.Generator) -> IntArray:
        return np.bincount(where[rng.integers(0, size, size)], minlength=groups)

    return draw
