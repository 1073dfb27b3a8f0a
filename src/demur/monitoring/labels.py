"""Labels that arrive late or for a sample of the cases, for rules of any number of classes.

Which decided cases get a label: a random part that can be drawn again. A case is drawn if the hash of its
key, as a number in [0, 1), lies below the share. With a secret or at least arbitrary seed the draws are
independent of scores and classes, and whoever knows seed and key can check them. Labels then count with
1 / probability (Horvitz and Thompson 1952, doi:10.1080/01621459.1952.10483446).
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from demur._checks import check_same_length, check_scores, check_type, check_weights, input_error
from demur._checks.arrays import is_missing
from demur._kernels.proportions import binomial_interval
from demur._results import Interval
from demur.costs.case_costs import CaseCosts
from demur.costs.losses import Losses
from demur.costs.matrix import CostMatrix
from demur.costs.model import CostModel
from demur.policy.policy import Policy
from demur.surface.window import ABSTAIN
from demur.typing import BoolArray, FloatArray, IntArray

__all__ = [
    "AUDIT_COLUMNS",
    "Audit",
    "LabelledCases",
    "known_labels",
    "largest_amount",
    "losses_of",
    "rule_values",
]

AUDIT_COLUMNS = ("audit", "audit_probability")
"""Whether a label is asked for, and the probability of a label."""

# log of one over the chance that an audit labels every case
_UNLIKELY = 14.0
# of a hash
_BYTES = 8


@dataclass(frozen=True, kw_only=True)
class Audit:
    """Random sample of decided cases to be labelled.

    Attributes
    ----------
    share : float
        Probability of being drawn, above 0 and at most 1.
    seed : str
        Another seed draws other cases.
    """

    share: float
    seed: str = ""

    def __post_init__(self) -> None:
        """Refuse a share that is not in (0, 1]."""
        if not (math.isfinite(self.share) and 0 < self.share <= 1):
            raise input_error(
                "audit", "must be above 0 and at most 1", f"{self.share:g}", "0.01 asks for one in a hundred."
            )

    def drawn(self, keys: Iterable[str]) -> BoolArray:
        """Tell for every key whether its case is drawn."""
        secret = hashlib.sha256(self.seed.encode()).digest()
        limit = round(self.share * 2 ** (8 * _BYTES))
        hashes = (
            hashlib.blake2b(key.encode("utf-8", "surrogateescape"), digest_size=_BYTES, key=secret).digest()
            for key in keys
        )
        return np.fromiter((int.from_bytes(each, "big") < limit for each in hashes), dtype=np.bool_)


def losses_of(policy: Policy) -> FloatArray | None:
    """Return the loss of every action (columns, abstaining last) by true class; None without such costs."""
    if isinstance(policy.costs, CostMatrix):
        return Losses.of_matrix(policy.costs.values, policy.abstain_costs).table
    return policy.costs.losses.table if isinstance(policy.costs, CostModel) else None


_FACTORS = {
    "miss_factor": ("cost_fn", "cost_tn"),
    "alarm_factor": ("cost_fp", "cost_tp"),
    "review_factor": ("cost_abstain", "cost_abstain_positive", "cost_abstain_negative"),
}


def largest_amount(policy: Policy) -> float:
    """Return the largest cost of a case that a policy of amounts states, at the middle of its factor."""
    amounts, found = policy.amounts or {}, 0.0
    for factor, names in _FACTORS.items():
        low, high = amounts.get(factor, (1.0, 1.0))
        for name in names:
            value = amounts.get(name)
            largest = value.get("largest") if isinstance(value, Mapping) else value
            found = max(found, (low + high) / 2 * (largest or 0.0))
    return found


def rule_values(policy: Policy, table: Any) -> Any:
    """Return checked scores where the rule reads one column; other tables are checked by the rule."""
    return check_scores(table, "scores") if policy.rule.inputs == 1 else table


def known_labels(labels: Any, policy: Policy, *, name: str = "labels") -> tuple[BoolArray, IntArray]:
    """Return which cases are labelled, and the code of their class; 0 where there is none.

    None and NaN stand for cases without a label.
    """
    array = np.asarray(labels)
    if array.ndim != 1:
        raise input_error(name, "must be one-dimensional", f"shape {array.shape}")
    if array.dtype.kind == "O":
        known = np.array([not is_missing(value) for value in array.tolist()], dtype=np.bool_)
    else:
        known = ~np.isnan(array) if array.dtype.kind == "f" else np.ones(len(array), dtype=np.bool_)
    truth = np.zeros(len(array), dtype=np.int64)
    strange = known.copy()
    for code, label in enumerate(policy.classes):
        # element by element: numpy answers one False when the types cannot be compared
        own = known & np.broadcast_to(array == label, array.shape)
        truth[own] = code
        strange &= ~own
    if strange.any():
        # the positive class first where there is one
        classes = policy.classes[::-1] if len(policy.classes) == 2 else policy.classes
        listed = [repr(label) for label in classes]
        value = array[np.flatnonzero(strange)[0]]
        raise input_error(
            name,
            f"must be {', '.join(listed[:-1])} or {listed[-1]}, as in the policy, or missing",
            repr(value.item() if hasattr(value, "item") else value),
        )
    return known, truth


def _label_weights(weights: Any, known: BoolArray) -> FloatArray:
    """Return 1 / probability of being labelled for every case; all 1 where every case is labelled."""
    if weights is None:
        if not known.all():
            raise input_error(
                "weights",
                "are needed where labels are missing",
                f"{int((~known).sum())} cases without a label",
                "pass 1 / probability of being labelled, or the labelled cases alone if they are all.",
            )
        return np.ones(len(known))
    checked = check_weights(weights, "weights")
    assert checked is not None
    check_same_length(labels=known, weights=checked)
    if np.any(checked[known] < 1):
        raise input_error(
            "weights", "must be at least 1, one over a probability", float(checked[known].min())
        )
    if known.all() and np.log(checked).sum() > _UNLIKELY:
        raise input_error(
            "weights",
            "above 1 must come with the cases that got no label",
            f"labels for all {len(known)} cases",
            "pass all cases, the labels missing where nobody looked; a part alone would count its costs "
            "too high.",
        )
    return checked


def _case_losses(policy: Policy, costs: Any, n: int) -> FloatArray | None:
    """Return the losses of `LabelledCases`; None without costs."""
    if costs is None:
        table = losses_of(policy)
        return None if table is None else table[:, None]
    check_type(costs, "costs", CaseCosts)
    if policy.amounts is None:
        hint = "leave them out: the costs of a policy by class are its own."
        raise input_error("costs", "are for a policy of amounts", f"the rule {policy.chosen!r}", hint)
    tables = [costs.losses(np.full(n, positive)).table for positive in (False, True)]
    return np.asarray(np.stack(tables) * np.array(costs.mean))


@dataclass(frozen=True, eq=False)
class LabelledCases:
    """Decisions on cases, and the labels that came back.

    Attributes
    ----------
    codes : array of int
        Places among the classes, and `ABSTAIN`.
    known : array of bool
        Which cases have a label.
    truth : array of int
        Place of the true class; 0 where it is not known.
    weights : array
        1 / probability of being labelled.
    losses : array of (classes, cases, actions), or None
        What each action costs on a case if it is of each class, abstaining last; one column for all cases
        where costs do not differ by case.
    cluster_size : float
        Number of cases that count as one.
    """

    codes: IntArray
    known: BoolArray
    truth: IntArray
    weights: FloatArray
    losses: FloatArray | None
    cluster_size: float

    @classmethod
    def of(
        cls, policy: Policy, values: Any, labels: Any, *, weights: Any = None, costs: Any = None
    ) -> LabelledCases:
        """Decide cases and check labels, weights and costs of the same number."""
        codes = policy.decide(values)
        check_same_length(scores=codes, labels=labels)
        known, truth = known_labels(labels, policy)
        return cls(
            codes=codes,
            known=known,
            truth=truth,
            weights=_label_weights(weights, known),
            losses=_case_losses(policy, costs, len(codes)),
            cluster_size=1.0 if policy.evidence is None else policy.evidence.cluster_size,
        )

    def take(self, chosen: BoolArray) -> LabelledCases:
        """Return some of the cases."""
        losses = self.losses
        if losses is not None and losses.shape[1] > 1:
            losses = losses[:, chosen]
        return LabelledCases(
            codes=self.codes[chosen],
            known=self.known[chosen],
            truth=self.truth[chosen],
            weights=self.weights[chosen],
            losses=losses,
            cluster_size=self.cluster_size,
        )

    @property
    def wrong(self) -> BoolArray:
        """Whether a case is decided wrongly."""
        return np.asarray((self.codes != ABSTAIN) & (self.codes != self.truth))

    def table(self, classes: int, *, weighted: bool = False) -> FloatArray:
        """Return labelled cases by true class (rows) and decision (columns, abstaining last)."""
        counts = np.zeros((classes, classes + 1))
        each = self.weights[self.known] if weighted else 1.0
        np.add.at(counts, (self.truth[self.known], self.codes[self.known]), each)
        return counts

    def share(self, hits: Any, among: Any, alpha: float) -> tuple[float | None, Interval | None]:
        """Return a weighted share of labelled cases with exact limits (Clopper and Pearson).

        With unequal weights the number of cases is the one with the same variance (Kish).
        """
        weights = self.weights[among & self.known]
        if not len(weights) or weights.sum() == 0:
            return None, None
        share = float(self.weights[hits & among & self.known].sum() / weights.sum())
        n = float(weights.sum() ** 2 / (weights**2).sum()) / self.cluster_size
        low, high = binomial_interval(share * n, n, 1 - alpha)
        return share, Interval(float(low), float(high))

    def unbiased_costs(self) -> FloatArray:
        """Return w cost for labelled cases and 0 for the others: its mean is the mean cost.

        Where abstaining costs the same for all classes, its cost is known without a label.
        """
        assert self.losses is not None
        column = np.arange(len(self.codes)) if self.losses.shape[1] > 1 else 0
        paid = self.losses[self.truth, column, self.codes]
        costs = np.where(self.known, self.weights * paid, 0.0)
        abstain = self.losses[:, :, ABSTAIN]
        sure = (self.codes == ABSTAIN) & (abstain == abstain[0]).all(axis=0)
        return np.where(sure, abstain[0], costs)
