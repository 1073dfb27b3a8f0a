"""Rows of several models on the same cases, checked."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from demur._checks import check_labels, check_same_length, check_scores, check_weights
from demur._results import frozen
from demur.costs.case_costs import CaseCosts
from demur.counts.scores import ScoreCounts
from demur.exceptions import InputError
from demur.typing import BoolArray, FloatArray

__all__ = ["Cases"]


@dataclass(frozen=True, kw_only=True, eq=False)
class Cases:
    """Checked rows of all models; `losses` by action where every case has its own costs."""

    positive: BoolArray
    scores: Mapping[str, FloatArray]
    sample_weight: FloatArray | None
    labels: tuple[Any, Any] = (0, 1)
    losses: FloatArray | None = None

    @classmethod
    def of_rows(
        cls,
        y_true: Any,
        scores: Any,
        *,
        costs: Any = None,
        pos_label: Any = None,
        sample_weight: Any = None,
    ) -> "Cases":
        """Check rows, and costs that differ by case; rows of weight 0 are dropped."""
        if isinstance(y_true, ScoreCounts):
            hint = "Hint: of several models `demur.engines.read_joint_counts` keeps what belongs together."
            raise InputError(f"`y_true` must hold one label per case, got a ScoreCounts. {hint}")
        if scores is None:
            raise InputError("`scores` are missing. Hint: pass y_true and scores, or one JointCounts.")
        if not isinstance(scores, Mapping):
            scores = {"model": scores}
        if not scores:
            raise InputError("`scores` must hold at least one model, got none.")
        positive, weight = check_labels(y_true, pos_label), check_weights(sample_weight)
        checked = {str(name): check_scores(column, f"scores of {name}") for name, column in scores.items()}
        for name, column in checked.items():
            check_same_length(**{"y_true": positive, f"scores of {name}": column, "sample_weight": weight})
        labels = _labels(y_true, positive)
        losses = costs.losses(positive).table if isinstance(costs, CaseCosts) else None
        if weight is not None and not weight.all():
            kept = weight > 0
            positive, weight = positive[kept], weight[kept]
            checked = {name: column[kept] for name, column in checked.items()}
            losses = None if losses is None else losses[kept]
        # results refer to these rows: the caller may change what is passed, but not what was compared
        scores = {name: frozen(column) for name, column in checked.items()}
        return cls(
            positive=frozen(positive),
            scores=scores,
            sample_weight=frozen(weight),
            labels=labels,
            losses=losses,
        )


def _labels(y_true: Any, positive: BoolArray) -> tuple[Any, Any]:
    """Labels (negative, positive) as the user wrote them; booleans and a class without cases as 0 and 1."""
    values = np.asarray(y_true)
    pair = []
    for default, members in ((0, ~positive), (1, positive)):
        at = int(np.argmax(members))
        label = values[at] if members[at] else default
        label = label.item() if isinstance(label, np.generic) else label
        # a policy answers with text or numbers, so that it can have a third answer
        pair.append(int(label) if isinstance(label, bool) else label)
    return pair[0], pair[1]
