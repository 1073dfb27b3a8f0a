"""Mean scores of probabilities and their three parts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from demur._results import Result
from demur.counts.scores import ScoreCounts
from demur.typing import FloatArray

__all__ = ["ScoreDecomposition", "brier_parts", "log_parts", "observed_shares"]


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class ScoreDecomposition(Result):
    """A mean score of probabilities in three parts; the smaller the score the better.

    score = miscalibration - discrimination + uncertainty.

    Attributes
    ----------
    score : float
        Mean score of the probabilities as they are.
    miscalibration : float
        What recalibrating them would save, at least 0.
    discrimination : float
        What the recalibrated ones save against the prevalence alone, at least 0.
    uncertainty : float
        Mean score of the prevalence alone.
    """

    score: float
    miscalibration: float
    discrimination: float
    uncertainty: float


def observed_shares(counts: ScoreCounts) -> FloatArray:
    """Share of positives in the block of each distinct score: the recalibrated probability."""
    blocks = counts.blocks()
    return np.repeat(blocks.positives / (blocks.positives + blocks.negatives), blocks.groups)


def brier_parts(counts: ScoreCounts) -> ScoreDecomposition:
    """Split the mean of (y - p)^2."""
    return _parts(counts, lambda p: (1 - p) ** 2, lambda p: p**2)


def log_parts(counts: ScoreCounts) -> ScoreDecomposition:
    """Split the mean of -log of the probability given to what happened."""
    with np.errstate(divide="ignore"):
        return _parts(counts, lambda p: -np.log(p), lambda p: -np.log1p(-p))


def _parts(
    counts: ScoreCounts,
    if_positive: Callable[[FloatArray], FloatArray],
    if_negative: Callable[[FloatArray], FloatArray],
) -> ScoreDecomposition:
    def mean_score(probability: FloatArray, positives: FloatArray, negatives: FloatArray) -> float:
        total = 0.0
        for weight, loss in ((positives, if_positive), (negatives, if_negative)):
            seen = weight > 0  # an infinite loss nobody suffers counts nothing
            total += float(np.dot(weight[seen], loss(probability[seen])))
        return total / counts.n

    if counts.unweighted:
        positives, negatives = counts.scores_by_class()
        score = (float(if_positive(positives).sum()) + float(if_negative(negatives).sum())) / counts.n
    else:
        # before the blocks, which come from the same pass over the scores
        score = mean_score(counts.scores, counts.positives, counts.negatives)
    # recalibrated forecasts are equal within a block, and the prevalence is one forecast for all cases
    blocks = counts.blocks()
    shares = blocks.positives / (blocks.positives + blocks.negatives)
    everyone = (np.array([size]) for size in (counts.n_positive, counts.n_negative))
    recalibrated = mean_score(shares, blocks.positives, blocks.negatives)
    uncertainty = mean_score(np.array([counts.prevalence]), *everyone)
    return ScoreDecomposition(
        score=score,
        # below 0 only by rounding: blocks minimise every proper score among rising functions
        miscalibration=max(score - recalibrated, 0.0),
        discrimination=max(uncertainty - recalibrated, 0.0),
        uncertainty=uncertainty,
    )
