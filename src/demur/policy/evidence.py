"""What a policy rests on and promises: fingerprint and pooled blocks of its data, expected cost in use."""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from demur._checks import check_whole_counts, input_error
from demur._files.values import number, numbers, part, rate, shown, text
from demur._results import Result, json_safe
from demur._version import __version__
from demur.counts.scores import Blocks, ScoreCounts
from demur.exceptions import UndefinedError
from demur.surface.surface import AbstentionSurface, abstention_surface
from demur.typing import FloatArray

__all__ = ["PolicyEvidence", "Promise", "counts_of_blocks"]

# stored totals may differ from the sum over the blocks by the order of summation
_ROUNDING = 1e-9


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class PolicyEvidence(Result):
    """What a policy rests on: a fingerprint of the data and, for a window, its pooled blocks.

    Attributes
    ----------
    n : float
        Weight of the cases; of many classes with importance weights the effective number.
    class_sizes : array
        Weight of the cases of each class, in the order of the classes.
    digest : str
        SHA-256 of the data: of the counts per distinct score, or of labels and probabilities; the same for
        the same data in any order.
    software : str
        What made the policy.
    blocks : Blocks or None
        The pooled blocks, from which windows for other costs are derived; None for many classes.
    cluster_size : float
        Size of the cluster of a case, on average; 1 where cases are independent.
    """

    n: float
    class_sizes: FloatArray
    digest: str
    software: str
    blocks: Blocks | None = None
    cluster_size: float = 1.0
    _reported = ("prevalence",)
    _evidence: ClassVar[tuple[str, ...]] = ("blocks",)

    @classmethod
    def from_counts(cls, counts: ScoreCounts) -> Self:
        """Take the fingerprint of counts."""
        digest = hashlib.sha256()
        for column in (counts.scores, counts.positives, counts.negatives):
            # adding 0 turns -0.0 into 0.0: equal scores, equal digest
            digest.update(np.ascontiguousarray(column + 0.0, dtype="<f8").data)
        return cls(
            n=counts.n,
            class_sizes=np.array([counts.n_negative, counts.n_positive]),
            digest=f"sha256:{digest.hexdigest()}",
            software=f"demur {__version__}",
            blocks=counts.blocks(),
        )

    @classmethod
    def from_file(cls, data: Any, classes: int) -> Self:
        """Read the evidence of a policy file; refuse blocks that no data pool to."""
        blocks = None if part(data, "evidence.blocks") is None else _read_blocks(data)
        sizes = numbers(data, "evidence.class_sizes", (classes,))
        if sizes is None and blocks is not None:
            sizes = _older_sizes(
                blocks, *(part(data, f"evidence.{name}", float) for name in ("n", "prevalence"))
            )
        if sizes is None:
            raise input_error("evidence.class_sizes", "must be a list of numbers", "null")
        evidence = cls(
            n=part(data, "evidence.n", float),
            class_sizes=sizes,
            digest=text(data, "evidence.digest"),
            software=text(data, "evidence.software"),
            blocks=blocks,
            cluster_size=number(data["evidence"].get("cluster_size", 1.0), "evidence.cluster_size"),
        )
        if evidence.cluster_size < 1:
            raise input_error("evidence.cluster_size", "must be at least 1", evidence.cluster_size)
        if blocks is not None:
            _require_pooled(evidence, blocks, part(data, "evidence.prevalence", float))
        return evidence

    @property
    def prevalence(self) -> float | None:
        """Share of the positives among the cases; None for many classes."""
        return float(self.class_sizes[1] / self.n) if len(self.class_sizes) == 2 else None

    def surface(self, *, prevalence: float | None = None) -> AbstentionSurface:
        """Return the surface of the data, from the blocks alone: all costs, windows and volumes.

        `lower_index` and `upper_index` of its windows count ends of blocks, not scores.
        """
        if self.blocks is None:
            raise UndefinedError(
                "There is no surface of many classes. Hint: make a new policy from the data."
            )
        # the sample's own prevalence takes the exact way of whole-number counts
        own = prevalence is None or prevalence == self.prevalence
        return abstention_surface(counts_of_blocks(self.blocks), prevalence=None if own else prevalence)

    def to_dict(self) -> dict[str, Any]:
        """Return fingerprint and blocks as JSON-safe built-in types."""
        columns = None if self.blocks is None else json_safe(self.blocks._asdict())
        content = {**Result.to_dict(self), "blocks": columns}
        if self.cluster_size == 1:
            del content["cluster_size"]
        return content


def _older_sizes(blocks: Blocks, n: float, prevalence: float) -> FloatArray:
    """Return the sizes of the classes in a file of version 1, whose prevalence they give to the last bit."""
    counts = counts_of_blocks(blocks)
    product = n * prevalence
    near = (counts.n_positive, product, math.nextafter(product, math.inf), math.nextafter(product, 0.0))
    positives = next((size for size in near if n and size / n == prevalence), counts.n_positive)
    return np.array([counts.n_negative, positives])


def _read_blocks(data: Any) -> Blocks:
    """Return the blocks of a policy file: columns of one length, at least one block."""
    columns = {}
    for name in Blocks._fields:
        where = f"evidence.blocks.{name}"
        values = part(data, where)
        if not isinstance(values, list) or not values:
            raise input_error(where, "must be a list of numbers", shown(values))
        ends = name in ("lower", "upper")
        columns[name] = np.array([number(value, where, infinite=ends) for value in values])
        if not ends and np.any(columns[name] < 0):
            raise input_error(where, "must not be negative", float(columns[name].min()))
    lengths = {name: len(column) for name, column in columns.items()}
    if len(set(lengths.values())) > 1:
        raise input_error("evidence.blocks", "must have columns of one length", lengths)
    check_whole_counts(columns["groups"], "evidence.blocks.groups")
    if not 0 < float((columns["positives"] + columns["negatives"]).sum()) < math.inf:
        raise input_error("evidence.blocks", "must hold cases", "a sum of 0 or infinity")
    return Blocks(**{**columns, "groups": columns["groups"].astype(np.int64)})


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


def _require_pooled(evidence: PolicyEvidence, blocks: Blocks, prevalence: float) -> None:
    """Refuse blocks that are not what pooling gives, or that do not fit the totals."""
    counts = counts_of_blocks(blocks)
    names = ("positives", "negatives", "lower", "upper")
    same = all(np.array_equal(getattr(counts.blocks(), name), getattr(blocks, name)) for name in names)
    if not same or np.any(blocks.groups < 1 + (blocks.lower < blocks.upper)):
        raise input_error(
            "evidence.blocks", "must be pooled: scores and shares of positives ascending", "other blocks"
        )
    stored, pooled = (evidence.n, prevalence), (counts.n, counts.prevalence)
    if not np.allclose(stored, pooled, rtol=_ROUNDING, atol=_ROUNDING):
        raise input_error("evidence.n and prevalence", f"must fit the blocks, {pooled}", stored)
    sizes = [counts.n_negative, counts.n_positive]
    if not np.allclose(evidence.class_sizes, sizes, rtol=_ROUNDING, atol=_ROUNDING):
        raise input_error(
            "evidence.class_sizes", f"must fit the blocks, {sizes}", evidence.class_sizes.tolist()
        )


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class Promise(Result):
    """What a policy is expected to do in use; the lower the cost the better.

    Measured on cases that did not choose the rule: the cost after the choice among all rules, of errors and
    of abstaining. Prices of asking models are left out: nobody has to wait for labels to know them.

    Attributes
    ----------
    cost : float or None
        Expected cost per case in the unit of the costs.
    limit : float or None
        Upper end of the interval of the cost, which `demur watch` and `demur audit` hold the policy to. A
        cost without one, as in files of earlier versions, is not watched.
    abstention_rate : float or None
        Share of all cases that the rule as written abstains on.
    error_rate : float or None
        Share of all cases that are decided wrongly.
    fn, fp : float or None
        The errors of two classes: missed positives, false alarms.

    Examples
    --------
    >>> from demur.policy import Promise
    >>> Promise(cost=7.6, abstention_rate=0.57, fn=0.02, fp=0.01).error_rate
    0.03
    """

    cost: float | None = None
    limit: float | None = None
    abstention_rate: float | None = None
    error_rate: float | None = None
    fn: float | None = None
    fp: float | None = None

    def __post_init__(self) -> None:
        if self.error_rate is None and self.fn is not None and self.fp is not None:
            object.__setattr__(self, "error_rate", self.fn + self.fp)
        for name in ("cost", "limit", "abstention_rate", "fn", "fp", "error_rate"):
            if getattr(self, name) is not None:
                check = number if name in ("cost", "limit") else rate
                object.__setattr__(self, name, check(getattr(self, name), name))
        Result.__post_init__(self)
