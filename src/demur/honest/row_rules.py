"""Honest costs of rules that look at more than one number per row, or pay for asking some of them."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from demur._kernels.normal import normal_quantile
from demur._results import Interval
from demur.costs.model import CostModel
from demur.honest.cases import SplitCases
from demur.honest.decisions import Judged
from demur.honest.evaluate import Decides, Inputs, RowLearner, evaluate
from demur.honest.expected_cost import ExpectedCost
from demur.honest.intervals import LossSums, honest_interval, mean_and_error
from demur.surface.window import ABSTAIN
from demur.typing import FloatArray, IntArray

__all__ = ["JudgedRows", "judge_rows", "paired_interval"]


class JudgedRows(NamedTuple):
    """Honest cost of a rule, and the loss of every row: chosen without it, and with hindsight."""

    cost: ExpectedCost
    honest: FloatArray
    hindsight: FloatArray


def judge_rows(
    cases: SplitCases,
    costs: CostModel,
    columns: FloatArray,
    choose: Callable[[IntArray], Decides],
    *,
    highest_fee: float,
    level: float,
) -> JudgedRows:
    """Judge every row by the rule that `choose` finds on the rows of all folds but its own."""
    table, n = costs.losses.table, len(cases.positive)
    truth = cases.positive.astype(np.int64)
    (judged,) = evaluate(cases, Inputs(columns), [RowLearner(choose)], [choose(np.arange(n))])
    assert isinstance(judged, Judged), "rules of rows exist on all cases"

    def in_order(cell: IntArray, codes: IntArray, fees: FloatArray | None) -> tuple[IntArray, FloatArray]:
        """Return decisions and losses in the order of the rows."""
        decided, paid = np.empty(n, dtype=np.int64), np.zeros(n)
        decided[cell] = codes
        if fees is not None:
            paid[cell] = fees
        return decided, table[truth, decided] + paid

    repeats, fees = cases.splits.repeats, judged.honest_fees or (None,) * cases.repeats
    seen, hindsight = in_order(repeats[0].cell, judged.hindsight, judged.hindsight_fees)
    splits = [
        in_order(rows.cell, codes, paid)
        for rows, codes, paid in zip(repeats, judged.honest, fees, strict=True)
    ]
    tallies = [codes for codes, _ in splits]
    honest = np.mean([paid for _, paid in splits], axis=0)
    squares = np.mean([paid**2 for _, paid in splits], axis=0)
    worst = table[0, 1] + highest_fee, table[1, 0] + highest_fee
    seen_sums = _sums(cases, hindsight, hindsight**2, [seen], worst)
    honest_sums = _sums(cases, honest, squares, tallies, worst)
    low, high = honest_interval(seen_sums, honest_sums, level=level)
    cost, error = (float(value) for value in mean_and_error(honest_sums))
    ends = max(float(low), float(table.min())), min(float(high), max(*worst, float(table.max())))
    abstained = np.mean([cases.sizes[codes == ABSTAIN].sum() for codes in tallies]) / cases.sizes.sum()
    return JudgedRows(
        ExpectedCost(
            cost=cost,
            interval=Interval(min(ends[0], cost), max(ends[1], cost)),
            standard_error=error,
            hindsight=float(np.average(hindsight, weights=cases.sizes)),
            abstention_rate=float(abstained),
            confidence_level=level,
            folds=cases.folds,
            repeats=cases.repeats,
            n=float(cases.sizes.sum()),
        ),
        honest,
        hindsight,
    )


def _sums(
    cases: SplitCases,
    loss: FloatArray,
    squares: FloatArray,
    tallies: list[IntArray],
    worst: tuple[float, float],
) -> LossSums:
    """Sums of the losses and of their squares by class, per row the means over the repeats.

    A rule errs in a kind of call only if it makes such calls.
    """
    weight, positive = cases.sizes, cases.positive
    called = [np.mean([weight[codes == kind].sum() for codes in tallies]) for kind in (0, 1)]
    inside, outside = weight * positive, weight * ~positive
    return LossSums(
        n_positive=inside.sum(),
        n_negative=outside.sum(),
        positive=inside @ loss,
        negative=outside @ loss,
        positive_squares=inside @ squares,
        negative_squares=outside @ squares,
        worst_positive=worst[1],
        worst_negative=worst[0],
        risk_positive=min(called[0], 1.0),
        risk_negative=min(called[1], 1.0),
    )


def paired_interval(
    cases: SplitCases, first: JudgedRows, second: JudgedRows, *, level: float
) -> tuple[float, Interval]:
    """Honest cost of the first rule minus that of the second, with an interval of the difference.

    From the smaller of the differences with hindsight and honest to the larger, each way z times the
    larger standard error, as for other pairs of rules.
    """
    zero = np.zeros(len(cases.sizes))
    found = []
    for one, other in ((first.hindsight, second.hindsight), (first.honest, second.honest)):
        gap = one - other
        sums = _sums(cases, gap, gap**2, [zero.astype(np.int64)], (0.0, 0.0))
        found.append(tuple(float(value) for value in mean_and_error(sums)))
    half = normal_quantile(level) * max(error for _, error in found)
    means = [mean for mean, _ in found]
    return means[1], Interval(min(means) - half, max(means) + half)
