"""Scores on another scale than those a policy was made for: told at the first batch."""

import math
from dataclasses import dataclass

import numpy as np

from demur.monitoring.reference import ReferenceCells
from demur.policy.policy import Policy
from demur.typing import FloatArray

__all__ = ["BatchCounts", "scale_sentences"]

_MOST_OUTSIDE = 0.01
# chance of a false warning, over all batches
_CHANCE = 1e-3


@dataclass(frozen=True, kw_only=True, eq=False)
class BatchCounts:
    """What a batch of scores is reduced to.

    Attributes
    ----------
    counts : array
        Cases per cell of the reference; per action where the rule has no single score.
    low, high : float
        Smallest and largest score; 0 where the rule has no single score.
    outside : int
        Cases below or above every reference score.
    missing : int
        Rows without a score.
    """

    counts: FloatArray
    low: float = 0.0
    high: float = 0.0
    outside: int = 0
    missing: int = 0

    @classmethod
    def of(cls, scores: FloatArray, cells: ReferenceCells, policy: Policy) -> "BatchCounts":
        """Count scores."""
        low, high = score_range(policy)
        return cls(
            counts=np.bincount(cells.cell_of(scores), minlength=cells.size).astype(np.float64),
            low=float(scores.min()),
            high=float(scores.max()),
            outside=int(np.count_nonzero((scores < low) | (scores > high))),
        )

    @property
    def n(self) -> int:
        """Number of cases."""
        return int(self.counts.sum())

    def joined(self, later: "BatchCounts") -> "BatchCounts":
        """Return both as one batch."""
        return BatchCounts(
            counts=self.counts + later.counts,
            low=min(self.low, later.low),
            high=max(self.high, later.high),
            outside=self.outside + later.outside,
            missing=self.missing + later.missing,
        )


def score_range(policy: Policy) -> tuple[float, float]:
    """Return the smallest and the largest score of the evidence."""
    assert policy.evidence is not None
    blocks = policy.evidence.blocks
    assert blocks is not None
    return float(blocks.lower[0]), float(blocks.upper[-1])


def scale_sentences(
    policy: Policy, cells: ReferenceCells, batch: BatchCounts, *, number: int = 1
) -> dict[str, str]:
    """Say what is odd about the scale of the scores in a batch; empty if nothing is.

    A share of 1 % outside the range counts only if it is too large for chance: the mass outside n
    reference scores follows Beta(2, n - 1). Over all batches together the probability of a false
    warning is at most 0.001 per kind.
    """
    from scipy.special import betainc, betaincinv

    chance = _CHANCE / 2 / (number * (number + 1))
    low, high = score_range(policy)
    said = {}
    if batch.outside > _MOST_OUTSIDE * batch.n:
        size = max(cells.n_positive + cells.n_negative, 2.0)
        mass = float(betaincinv(2, size - 1, 1 - _CHANCE / 2))
        if float(betainc(batch.outside, batch.n - batch.outside + 1, mass)) <= chance:
            percent = low >= 0 and high <= 1 < batch.high <= 100 and batch.low >= 0
            said["outside"] = (
                f"{100 * batch.outside / batch.n:.1f} % of the scores lie outside {low:g} to {high:g}, the "
                f"range the policy was made for; they run from {batch.low:g} to {batch.high:g}"
                f"{': divide by 100?' if percent else '.'}"
            )
    if batch.n > 1 and batch.low == batch.high and cells.size > 1:
        share = cells.shares()[int(cells.cell_of(np.array([batch.low]))[0])]
        if _all_within(share, cells, batch.n - 1, chance):
            said["equal"] = f"All {batch.n} scores are equal ({batch.low:g})."
    if low >= 0 and 1 < high <= 100 and batch.low >= 0 and batch.high <= 1:
        share = float(cells.shares()[: int(cells.cell_of(np.array([1.0]))[0]) + 1].sum())
        if _all_within(share, cells, batch.n, chance):
            said["scale"] = (
                f"All scores lie between 0 and 1, but the policy was made for scores from {low:g} to "
                f"{high:g}: multiply by 100?"
            )
    return said


def _all_within(share: float, cells: ReferenceCells, n: int, chance: float) -> bool:
    """Tell whether n cases all fall where `share` of the reference lies too rarely for chance."""
    from scipy.special import betaincinv

    size = cells.n_positive + cells.n_negative
    held = share * size
    most = float(betaincinv(held + 1, max(size - held, 1e-9), 1 - _CHANCE / 2))
    return most < 1 and n * math.log(most) <= math.log(chance)
