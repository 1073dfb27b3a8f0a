"""Estimate the spread of our runs: between repetitions or, where there is only one, between cases."""

import math
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np

from demur.counts.scores import ScoreCounts
from demur_studies._study import Tolerance

__all__ = ["Spread", "pooled_spread", "resampled_spread"]

_RESAMPLES = 60


class Spread(NamedTuple):
    """Standard deviation of one repetition, its degrees of freedom, and what varied, in words."""

    deviation: float
    freedom: float
    because: str

    def tolerance(self, digits: int, *, ours: float, printed: float, scale: float = 1.0) -> Tolerance:
        """Tolerance of a mean of `ours` repetitions against a printed mean of `printed`."""
        return Tolerance.repeated(
            digits,
            spread=self.deviation * scale,
            ours=ours,
            printed=printed,
            because=self.because,
            freedom=self.freedom,
        )


def pooled_spread(
    groups: Iterable[Sequence[float]], because: str, *, relative: bool = False
) -> Spread | None:
    """Pool the standard deviations of groups of repetitions; None if no group has two.

    With `relative` each group is divided by its mean first: the result is a share.
    """
    squares, freedom = 0.0, 0
    for group in groups:
        values = np.asarray(group, dtype=np.float64)
        if relative:
            values = values / values.mean()
        squares += float(np.sum((values - values.mean()) ** 2))
        freedom += len(values) - 1
    return Spread(math.sqrt(squares / freedom), freedom, because) if freedom else None


def resampled_spread(
    counts: ScoreCounts, measure: Callable[[ScoreCounts], float], because: str, *, seed: int = 2006
) -> Spread:
    """Draw the cases of each class again; for a single repetition, where folds say nothing."""
    rng = np.random.default_rng(seed)
    classes = [np.asarray(each, dtype=np.float64) for each in (counts.positives, counts.negatives)]
    values = []
    for _ in range(_RESAMPLES):
        drawn = [rng.multinomial(int(each.sum()), each / each.sum()) for each in classes]
        values.append(measure(ScoreCounts.from_counts(counts.scores, *drawn)))
    return Spread(float(np.std(values, ddof=1)), _RESAMPLES - 1, because)
