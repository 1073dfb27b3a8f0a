"""Cases drawn with replacement within each class, as counts per distinct score."""

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

import numpy as np

from demur.auc.functionals import Functional
from demur.counts.scores import ScoreCounts
from demur.exceptions import UndefinedError
from demur.paired.scores import JointScores
from demur.typing import FloatArray, IntArray

__all__ = [
    "CaseSampler",
    "Ranks",
    "class_sampler",
    "draw_cases",
    "half_error_difference",
    "half_error_sampler",
    "joint_ranks",
    "sampler",
]

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


def half_error_difference(rng: np.random.Generator, a: Ranks, b: Ranks, functional: Functional) -> float:
    """Difference of a resample in which each class has half a case more, wrong for one of the models.

    A negative above, or a positive below, all others; which model it is wrong for is a coin toss for
    each class. The other model does not see it.
    """
    negative, above = _with_added(rng, len(a.negative))
    positive, below = _with_added(rng, len(a.positive))
    coins = rng.random(2) < 0.5
    values = []
    for model, (wrong_negative, wrong_positive) in ((a, coins), (b, ~coins)):
        negatives = np.bincount(model.negative[negative], minlength=model.groups)
        positives = np.bincount(model.positive[positive], minlength=model.groups)
        values.append(
            functional(
                np.concatenate([[0.0], negatives, [above * wrong_negative]]),
                np.concatenate([[below * wrong_positive], positives, [0.0]]),
                resampled=True,
            )
        )
    return values[0] - values[1]


def _with_added(rng: np.random.Generator, size: int) -> tuple[IntArray, float]:
    """Cases drawn from `size` and one added one, as many as there are; and half the times the latter was.

    At least one real case is drawn, so that every model has the class.
    """
    added = min(int(rng.binomial(size + 1, 1 / (size + 1))), size)
    return rng.integers(0, size, size + 1 - added), added / 2


class CaseSampler(Protocol):
    """One class of one model: draws as many cases as there are, or `size`."""

    def __call__(self, rng: np.random.Generator, size: int | None = None) -> FloatArray | IntArray:
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
    cases, groups = len(where), len(counts.scores)
    share = np.ones(cases) if weights is None else weights / weights.max()

    def draw(rng: np.random.Generator, size: int | None = None) -> FloatArray:
        drawn = rng.integers(0, cases, cases if size is None else size)
        return np.bincount(where[drawn], share[drawn], minlength=groups).astype(np.float64, copy=False)

    return draw


def _counted_sampler(column: FloatArray) -> CaseSampler:
    cases, groups = int(column.sum()), len(column)
    if cases > _MOST_ROWS:
        share = column / column.sum()
        return lambda rng, size=None: rng.multinomial(cases if size is None else size, share)
    where = np.repeat(np.arange(groups), column.astype(np.int64))

    def draw(rng: np.random.Generator, size: int | None = None) -> IntArray:
        return np.bincount(where[rng.integers(0, cases, cases if size is None else size)], minlength=groups)

    return draw


class _Side(NamedTuple):
    """One class: its sampler, its number of cases and their mean weight in units of the sampler."""

    draw: CaseSampler
    size: int
    mean: float


def half_error_sampler(
    counts: ScoreCounts, weights: str, quantity: str
) -> Callable[[np.random.Generator], tuple[FloatArray, FloatArray]]:
    """Sampler of both classes, each with half a case more that is ranked as wrongly as possible.

    A negative above and a positive below all others, each of half the weight of a case: resamples of
    a perfect ranking then differ. Returns negatives and positives at each distinct score, with one
    place more at either end.
    """
    samplers = sampler(counts, weights, quantity)
    sides = []
    for draw, sample, column in zip(
        samplers, _cases_of(counts, weights, quantity), (counts.negatives, counts.positives), strict=True
    ):
        if sample is None:
            sides.append(_Side(draw, int(column.sum()), 1.0))
        else:
            share = np.ones(1) if sample.weights is None else sample.weights / sample.weights.max()
            sides.append(_Side(draw, len(sample.scores), float(share.mean())))

    def drawn(rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
        made = []
        for side in sides:
            wrong = int(rng.binomial(side.size + 1, 1 / (side.size + 1)))
            made.append((side.draw(rng, side.size + 1 - wrong), side.mean * wrong / 2))
        (negatives, above), (positives, below) = made
        return np.concatenate([[0.0], negatives, [above]]), np.concatenate([[below], positives, [0.0]])

    return drawn


def class_sampler(
    counts: ScoreCounts, weights: str, quantity: str, *, half_errors: bool
) -> Callable[[np.random.Generator], tuple[Any, Any]]:
    """Sampler of both classes, with the half errors or of the cases alone."""
    if half_errors:
        return half_error_sampler(counts, weights, quantity)
    negatives, positives = sampler(counts, weights, quantity)
    return lambda rng: (negatives(rng), positives(rng))


def _cases_of(counts: ScoreCounts, weights: str, quantity: str) -> tuple[Any, Any]:
    """Weighted cases of the negatives and of the positives, None for counted ones."""
    cases = counts.weighted_cases(f"{quantity} by bootstrap") if weights == "importance" else None
    return (None, None) if cases is None else (cases[1], cases[0])
