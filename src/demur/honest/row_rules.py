"""Honest costs of rules that look at more than one number per row, or pay for asking some of them."""

from collections.abc import Callable

import numpy as np

from demur._results import Interval
from demur.costs.model import CostModel
from demur.honest.cases import SplitCases
from demur.honest.decisions import Judged
from demur.honest.estimates import JudgedRule, cost_gap, same_decisions
from demur.honest.evaluate import Decides, Inputs, RowLearner, evaluate
from demur.honest.expected_cost import judged_rule
from demur.typing import FloatArray, IntArray

__all__ = ["judge_rows", "paired_interval"]


def judge_rows(cases: SplitCases, columns: FloatArray, choose: Callable[[IntArray], Decides]) -> JudgedRule:
    """Judge every row by the rule that `choose` finds on the rows of all folds but its own."""
    every = np.arange(len(cases.positive))
    (judged,) = evaluate(cases, Inputs(columns), [RowLearner(choose)], [choose(every)])
    assert isinstance(judged, Judged), "rules of rows exist on all cases"
    return judged_rule(cases, judged, None)


def paired_interval(
    first: JudgedRule, second: JudgedRule, costs: CostModel, *, level: float
) -> tuple[float, Interval]:
    """Honest cost of the first rule minus that of the second, with an interval of the difference."""
    if same_decisions(first, second):
        return 0.0, Interval(0.0, 0.0)
    gap = cost_gap(first, second, costs.losses, None)
    low, high = gap.interval(level)
    return gap.cost, Interval(low, max(high, gap.cost))
