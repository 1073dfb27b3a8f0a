"""Honest costs of rules that look at more than one number per row.

`expected_cost` judges windows on one score. A rule that looks at several scores, or pays for asking
some of them, is chosen on the rows of all folds but one and scored on the rows of that fold.
"""

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import numpy as np

from demur._kernels.normal import normal_quantile
from demur._results import Interval
from demur.costs.model import CostModel
from demur.honest.cases import SplitCases
from demur.honest.expected_cost import ExpectedCost
from demur.honest.intervals import LossSums, honest_interval, mean_and_error
from demur.surface.window import ABSTAIN
from demur.typing import FloatArray, IntArray

__all__ = ["Applied", "Choose", "JudgedRows", "RowDecisions", "judge_rows", "paired_interval"]


class RowDecisions(NamedTuple):
    """Decision on every row (1, 0, ABSTAIN), and what was paid to come to it."""

    codes: IntArray
    fees: FloatArray


Applied: TypeAlias = Callable[[IntArray], RowDecisions]
"""A chosen rule: rows in, decisions out."""
Choose: TypeAlias = Callable[[IntArray], Applied]
"""Chooses a rule on some rows."""


class JudgedRows(NamedTuple):
    """Honest cost of a rule, and the loss of every row: chosen without it, and with hindsight."""

    cost: ExpectedCost
    honest: FloatArray
    hindsight: FloatArray


def judge_rows(
    cases: SplitCases, costs: CostModel, choose: Choose, *, highest_fee: float, level: float
) -> JudgedRows:
    """Judge every row by the rule that `choose` finds without its fold."""
    table, n = costs.losses.table, len(cases.positive)
    truth = cases.positive.astype(np.int64)
    rows = np.arange(n)

    def losses(made: RowDecisions, where: IntArray) -> FloatArray:
        return table[truth[where], made.codes] + made.fees

    seen = choose(rows)(rows)
    hindsight = losses(seen, rows)
    honest, squares, tallies = np.zeros(n), np.zeros(n), []
    for split in cases.splits.repeats:
        codes = np.empty(n, dtype=np.int64)
        for fold in range(cases.folds):
            held = split.cell[split.fold == fold]
            made = choose(np.setdiff1d(rows, held))(held)
            codes[held] = made.codes
            paid = losses(made, held)
            honest[held] += paid
            squares[held] += paid**2
        tallies.append(codes)
    honest /= len(tallies)
    squares /= len(tallies)
    worst = table[0, 1] + highest_fee, table[1, 0] + highest_fee
    seen_sums = _sums(cases, hindsight, hindsight**2, [seen.codes], worst)
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
