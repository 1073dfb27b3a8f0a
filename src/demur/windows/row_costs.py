"""What every decision costs on every row, and the cheapest window of any score for it."""

from typing import NamedTuple

import numpy as np

from demur._checks import check_type
from demur.costs.model import CostModel
from demur.counts.costs import ScoreCosts
from demur.counts.window import AbstentionWindow
from demur.typing import BoolArray, FloatArray, IntArray

__all__ = ["RowCosts"]


class RowCosts(NamedTuple):
    """Costs of calling each row negative, calling it positive and abstaining, times its weight.

    From each class the smallest of its three costs is taken off, which changes no comparison of rules;
    `base` is what was taken off per row.
    """

    miss: FloatArray
    alarm: FloatArray
    review: FloatArray
    base: FloatArray
    weight: FloatArray
    may_abstain: bool

    @classmethod
    def of(cls, positive: BoolArray, costs: CostModel, weights: FloatArray | None) -> "RowCosts":
        """Look up the costs by class."""
        check_type(costs, "costs", CostModel)
        table = costs.losses.table
        options = table if costs.may_abstain else table[:, :2]
        least = options.min(axis=1)
        weight = np.ones(len(positive)) if weights is None else weights
        code = positive.astype(np.int64)
        columns = ((table - least[:, None])[code] * weight[:, None]).T
        if not costs.may_abstain:
            columns[2] = 0.0
        return cls(columns[0], columns[1], columns[2], least[code] * weight, weight, costs.may_abstain)

    def of_rows(self, rows: IntArray) -> "RowCosts":
        """Return the costs of some rows."""
        return RowCosts(
            self.miss[rows],
            self.alarm[rows],
            self.review[rows],
            self.base[rows],
            self.weight[rows],
            self.may_abstain,
        )

    def window(self, scores: FloatArray) -> AbstentionWindow:
        """Return the cheapest window on a score."""
        sums = ScoreCosts.from_arrays(scores, miss=self.miss, alarm=self.alarm, review=self.review)
        return sums.window(may_abstain=self.may_abstain)

    def paid(self, codes: IntArray) -> FloatArray:
        """Cost of each row under decisions 0, 1 and ABSTAIN, in full."""
        return self.base + np.choose(codes % 3, (self.miss, self.alarm, self.review))

    def mean(self, codes: IntArray) -> float:
        """Mean cost per case of some decisions."""
        return float(self.paid(codes).sum() / self.weight.sum())
