"""Labels that arrive late or for a part of the cases."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from demur._checks import check_same_length, check_weights, input_error
from demur._checks.arrays import is_missing
from demur.surface.window import ABSTAIN
from demur.typing import BoolArray, FloatArray, IntArray
from demur.windows.policy import Policy

__all__ = ["LabelledCases", "known_labels", "label_weights", "unbiased_costs"]

# log of one over the chance that an audit labels every case
_UNLIKELY = 14.0


def known_labels(labels: Any, policy: Policy, *, name: str = "labels") -> tuple[BoolArray, BoolArray]:
    """Return which cases are labelled and which are positive, in the labels of the policy.

    None and NaN stand for cases without a label.
    """
    array = np.asarray(labels)
    if array.ndim != 1:
        raise input_error(name, "must be one-dimensional", f"shape {array.shape}")
    if array.dtype.kind == "f":
        known = ~np.isnan(array)
    elif array.dtype.kind == "O":
        known = np.array([not is_missing(value) for value in array.tolist()], dtype=np.bool_)
    else:
        known = np.ones(len(array), dtype=np.bool_)
    # element by element: numpy answers one False when the types cannot be compared
    positive = np.broadcast_to(array == policy.pos_label, array.shape)
    negative = np.broadcast_to(array == policy.neg_label, array.shape)
    strange = np.flatnonzero(known & ~positive & ~negative)
    if len(strange):
        raise input_error(
            name,
            f"must be {policy.pos_label!r} or {policy.neg_label!r}, as in the policy, or missing",
            repr(array[strange[0]].item() if hasattr(array[strange[0]], "item") else array[strange[0]]),
        )
    return known, np.asarray(known & positive, dtype=np.bool_)


def label_weights(weights: Any, known: BoolArray) -> FloatArray:
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


def unbiased_costs(
    codes: IntArray, known: BoolArray, positive: BoolArray, weights: FloatArray, prices: FloatArray
) -> FloatArray:
    """Return w cost for labelled cases and 0 for the others: its mean is the mean cost.

    `prices` is the table of `CostModel.losses`. Where abstaining costs the same for both classes, its cost is
    known without a label.
    """
    costs = np.where(known, weights * prices[positive.astype(np.int64), codes], 0.0)
    of_negative, of_positive = prices[:, ABSTAIN]
    return np.where(codes == ABSTAIN, of_negative, costs) if of_negative == of_positive else costs


@dataclass(frozen=True, eq=False)
class LabelledCases:
    """Decisions on cases, and the labels that came back.

    Attributes
    ----------
    codes : array of int
        0 negative, 1 positive, `ABSTAIN`.
    known, positive : array of bool
        Which cases have a label, and which a positive one.
    weights : array
        1 / probability of being labelled.
    agreement : array of 2 x 2
        Cases with two labels: rows the first, columns the second, negative first.
    """

    codes: IntArray
    known: BoolArray
    positive: BoolArray
    weights: FloatArray
    agreement: FloatArray

    @classmethod
    def of(
        cls, scores: FloatArray, labels: Any, policy: Policy, weights: Any, second_labels: Any
    ) -> "LabelledCases":
        """Check labels in those of the policy; one of the length of the scores for each."""
        check_same_length(scores=scores, labels=labels)
        known, positive = known_labels(labels, policy)
        agreement = np.zeros((2, 2))
        if second_labels is not None:
            check_same_length(scores=scores, second_labels=second_labels)
            again, second = known_labels(second_labels, policy, name="second_labels")
            both = known & again
            np.add.at(agreement, (positive[both].astype(np.int64), second[both].astype(np.int64)), 1.0)
        return cls(policy.decide(scores), known, positive, label_weights(weights, known), agreement)

    @property
    def table(self) -> FloatArray:
        """Labelled cases by true class (rows) and decision, columns as in `CostModel.losses`."""
        table = np.zeros((2, 3))
        np.add.at(table, (self.positive[self.known].astype(np.int64), self.codes[self.known]), 1.0)
        return table
