"""`PolicyEvidence`: fingerprint and pooled blocks of the data a policy was chosen on."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from demur._checks import input_error
from demur._results import Interval, Result, json_safe
from demur.counts.scores import Blocks, ScoreCounts
from demur.surface.surface import AbstentionSurface, abstention_surface
from demur.windows.policy_file import block_columns, part, text

__all__ = ["PolicyEvidence", "counts_of_blocks", "promise_verdict"]

# stored totals may differ from the sum over the blocks by the order of summation
_ROUNDING = 1e-9


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class PolicyEvidence(Result):
    """What a policy rests on: a fingerprint of the data, and its pooled blocks.

    Attributes
    ----------
    n, prevalence : float
        Weight of the cases and share of the positives among them.
    digest : str
        SHA-256 of the counts per distinct score; the same for the same data in any order.
    software : str
        What made the policy.
    blocks : Blocks
        The pooled blocks, from which windows for other costs are derived.
    """

    n: float
    prevalence: float
    digest: str
    software: str
    blocks: Blocks
    _evidence: ClassVar[tuple[str, ...]] = ("blocks",)

    @classmethod
    def from_counts(cls, counts: ScoreCounts) -> Self:
        """Take the fingerprint of counts."""
        from demur._version import __version__

        return cls(
            n=counts.n,
            prevalence=counts.prevalence,
            digest=_digest(counts),
            software=f"demur {__version__}",
            blocks=counts.blocks(),
        )

    @classmethod
    def from_file(cls, data: Any) -> Self:
        """Read the evidence of a policy file; refuse blocks that no data pool to."""
        positives, negatives, lower, upper, groups = block_columns(data, Blocks._fields)
        evidence = cls(
            n=part(data, "evidence.n", float),
            prevalence=part(data, "evidence.prevalence", float),
            digest=text(data, "evidence.digest"),
            software=text(data, "evidence.software"),
            blocks=Blocks(positives, negatives, lower, upper, groups.astype(np.int64)),
        )
        _require_pooled(evidence)
        return evidence

    def surface(self, *, prevalence: float | None = None) -> AbstentionSurface:
        """Return the surface of the data, from the blocks alone: all costs, windows and volumes.

        `lower_index` and `upper_index` of its windows count ends of blocks, not scores.
        """
        # the sample's own prevalence takes the exact way of whole-number counts
        own = prevalence is None or prevalence == self.prevalence
        return abstention_surface(counts_of_blocks(self.blocks), prevalence=None if own else prevalence)

    def to_dict(self) -> dict[str, Any]:
        """Return fingerprint and blocks as JSON-safe built-in types."""
        columns = self.blocks._asdict()
        return {**Result.to_dict(self), "blocks": {name: json_safe(columns[name]) for name in columns}}


def _digest(counts: ScoreCounts) -> str:
    digest = hashlib.sha256()
    for column in (counts.scores, counts.positives, counts.negatives):
        # adding 0 turns -0.0 into 0.0: equal scores, equal digest
        digest.update(np.ascontiguousarray(column + 0.0, dtype="<f8").data)
    return f"sha256:{digest.hexdigest()}"


def counts_of_blocks(blocks: Blocks) -> ScoreCounts:
    """Return counts with at most two scores per block that pool to these same blocks.

    Positives stand at the lower end and negatives at the upper one, which is the order that pools;
    a block of one class is split in halves, which add up again exactly.
    """
    wide = blocks.lower < blocks.upper
    halved = wide & ((blocks.positives == 0) | (blocks.negatives == 0))
    first = np.where(halved, blocks.positives / 2, blocks.positives)
    second = np.where(halved, blocks.negatives / 2, np.where(wide, blocks.negatives, 0.0))
    return ScoreCounts.from_counts(
        np.concatenate([blocks.lower, blocks.upper]),
        np.concatenate([first, blocks.positives - first]),
        np.concatenate([blocks.negatives - second, second]),
    )


def _require_pooled(evidence: PolicyEvidence) -> None:
    """Refuse blocks that are not what pooling gives, or that do not fit the totals."""
    blocks = evidence.blocks
    counts = counts_of_blocks(blocks)
    names = ("positives", "negatives", "lower", "upper")
    same = all(np.array_equal(getattr(counts.blocks(), name), getattr(blocks, name)) for name in names)
    if not same or np.any(blocks.groups < 1 + (blocks.lower < blocks.upper)):
        raise input_error(
            "evidence.blocks", "must be pooled: scores and shares of positives ascending", "other blocks"
        )
    stored, pooled = (evidence.n, evidence.prevalence), (counts.n, counts.prevalence)
    if not np.allclose(stored, pooled, rtol=_ROUNDING, atol=_ROUNDING):
        raise input_error("evidence.n and prevalence", f"must fit the blocks, {pooled}", stored)


def promise_verdict(cost: Interval | None, limit: float | None, *, broken: bool) -> str | None:
    """Judge a promised cost by the interval of the cost in use; None where nothing was promised.

    "not kept" where the cost is certainly above the limit, "kept" where its interval ends at or below it.
    """
    if cost is None or limit is None:
        return None
    if broken:
        return "not kept"
    return "kept" if cost.high <= limit else "not yet certain"
