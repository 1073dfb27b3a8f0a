"""Costs of rules where every case has its own: sums of what was paid instead of tables of outcomes.

The intervals are those of costs by class: the same sums of losses and of squared losses, the same added
errors. An added error has no amount of its own; it counts as the root mean square of what such an error
costs among the cases, which is at least its mean.

Few cases are missed, so the largest amounts are seldom among them. The spread of the losses of an outcome
is therefore at least that of all cases of the class.

Amounts are skewed: a few large ones make a mean err to one side. The end on that side moves out by the
first term of the Cornish-Fisher expansion of a studentised mean (Johnson 1978, J. Am. Stat. Assoc. 73),

    (2 z^2 + 1) / 6 * third cumulant / variance of the mean,

where the third cumulant is what amounts add to it: 0 where all cases with one outcome cost the same.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from demur._kernels.normal import normal_quantile
from demur._results import Interval
from demur.costs.case_costs import CaseFactors
from demur.honest.cases import SplitCases
from demur.honest.decisions import Codes, Judged
from demur.honest.expected_cost import Estimate, outcome_table
from demur.honest.held_out import Weighting
from demur.honest.intervals import (
    DifferenceSums,
    LossSums,
    added_errors,
    difference_interval,
    honest_interval,
    loss_sums,
    mean_and_error,
)
from demur.typing import FloatArray

__all__ = ["Bill", "bill_cost", "bill_estimate", "case_difference", "difference_to_constant", "paid_by"]

_ROUNDING = 1e-9
"""Cubes that differ relatively by less are equal: sums of few digits more were rounded."""


class Bill(NamedTuple):
    """What some rule costs on the cases, averaged over the splits.

    Rows of all arrays are negatives and positives, columns are decided negative, positive, abstained.
    `cubes` are sums beyond those of equal amounts (see `_beyond_equal`). `worst` holds, for negatives and
    positives, what an added error of the class costs: a false alarm, a miss.
    """

    cases: FloatArray
    paid: FloatArray
    squares: FloatArray
    cubes: FloatArray
    worst: FloatArray

    def at(self, factors: CaseFactors) -> "Bill":
        """Return the bill with all costs of a decision times a factor."""
        by_decision = np.array(factors)
        by_error = np.array([factors.alarm, factors.miss])
        return Bill(
            self.cases,
            self.paid * by_decision,
            self.squares * by_decision**2,
            self.cubes * by_decision**3,
            self.worst * by_error,
        )


def _losses(cases: SplitCases, factors: CaseFactors | None = None) -> FloatArray:
    """Costs of every cell under each decision."""
    assert cases.amounts is not None
    losses = cases.amounts.by_decision
    return losses if factors is None else losses * np.array(factors)


def paid_by(cases: SplitCases, decisions: Sequence[Codes]) -> Bill:
    """Add up what decisions cost, split by split."""
    losses = _losses(cases)
    return _bill(cases, decisions, losses, _root_mean_squares(cases, losses[:, 0], losses[:, 1]))


def _bill(cases: SplitCases, decisions: Sequence[Codes], losses: FloatArray, worst: FloatArray) -> Bill:
    sums = np.zeros((4, 6))
    for rows, codes in zip(cases.splits.repeats, decisions, strict=False):
        code = 3 * cases.positive[rows.cell] + codes
        loss = losses[rows.cell, codes]
        sums += [np.bincount(code, rows.cases * loss**power, 6) for power in range(4)]
    number, paid, squares, cubes = (sums / len(decisions)).reshape(4, 2, 3)
    squares, cubes = _spread(number, squares, cubes, _moments(cases, losses))
    return Bill(number, paid, squares, _beyond_equal(number, squares, cubes), worst)


def _moments(cases: SplitCases, losses: FloatArray) -> FloatArray:
    """Mean squares and mean cubes of every column of losses over each class: [power, class, column]."""
    means = []
    for power in (2, 3):
        by_class = [
            np.average(losses[members] ** power, axis=0, weights=cases.sizes[members])
            for members in (~cases.positive, cases.positive)
        ]
        means.append(by_class)
    return np.array(means)


def _spread(
    number: FloatArray, squares: FloatArray, cubes: FloatArray, moments: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return sums of squares and cubes, at least those of as many cases drawn from the whole class.

    Few cases are missed, and the largest amounts are seldom among them: their own spread is too small.
    """
    drawn = number * moments
    return np.maximum(squares, drawn[0]), np.where(np.abs(drawn[1]) > np.abs(cubes), drawn[1], cubes)


def _beyond_equal(number: FloatArray, squares: FloatArray, cubes: FloatArray) -> FloatArray:
    """Sums of cubes beyond those of equal amounts with the same squares, of the same sign; 0 by rounding."""
    equal = np.sqrt(squares / np.maximum(number, 1e-300)) * squares
    beyond = np.abs(cubes) - equal
    return np.where(beyond > _ROUNDING * equal, np.copysign(beyond, cubes), 0.0)


def _skewed(
    low: float, high: float, sums: LossSums, cubes: FloatArray, *, prevalence: float | None, level: float
) -> tuple[float, float]:
    """Move the end of an interval out to which skewed amounts make the mean err."""
    z = normal_quantile(level)
    _, error = mean_and_error(sums, prevalence=prevalence, errors=added_errors(level))
    variance = float(error) ** 2
    if variance == 0:
        return low, high
    sizes = np.array([float(sums.n_negative), float(sums.n_positive)])
    shares = sizes / sizes.sum() if prevalence is None else np.array([1 - prevalence, prevalence])
    cumulant = float((shares**3 * cubes / sizes**3).sum())
    shift = (2 * z**2 + 1) / 6 * cumulant / variance
    return (low + shift, high) if shift < 0 else (low, high + shift)


def _root_mean_squares(cases: SplitCases, if_missed: FloatArray, if_alarmed: FloatArray) -> FloatArray:
    """Root mean square, with the sign of the mean, of an error on a negative and on a positive."""
    by_class = []
    for members, error in ((~cases.positive, if_alarmed), (cases.positive, if_missed)):
        weight, loss = cases.sizes[members], error[members]
        mean = float(np.average(loss, weights=weight))
        by_class.append(np.copysign(np.sqrt(np.average(loss**2, weights=weight)), mean))
    return np.array(by_class)


def _weighting(bill: Bill, prevalence: float | None) -> Weighting:
    negative, positive = (float(row) for row in bill.cases.sum(axis=1))
    return Weighting.of(positive, negative, prevalence)


def bill_cost(bill: Bill, factors: CaseFactors, prevalence: float | None) -> float:
    """Cost per case."""
    negative, positive = (bill.paid * np.array(factors)).sum(axis=1)
    return float(_weighting(bill, prevalence).mean(positive, negative))


def bill_estimate(
    honest: Bill, hindsight: Bill, factors: CaseFactors, *, prevalence: float | None, level: float
) -> Estimate:
    """Honest cost with its interval for the true cost of the rule in use."""
    low, high = _interval(hindsight.at(factors), honest.at(factors), prevalence=prevalence, level=level)
    cost = bill_cost(honest, factors, prevalence)
    return Estimate(
        cost,
        # a rule without risk has no interval but its cost, however the sums were rounded
        Interval(min(max(low, 0.0), cost), max(high, cost)),
        bill_cost(hindsight, factors, prevalence),
    )


def _interval(
    hindsight: Bill, honest: Bill, *, prevalence: float | None, level: float
) -> tuple[float, float]:
    sums = [_loss_sums(bill) for bill in (hindsight, honest)]
    low, high = honest_interval(sums[0], sums[1], level=level, prevalence=prevalence)
    cubes = honest.cubes.sum(axis=1)
    return _skewed(float(low), float(high), sums[1], cubes, prevalence=prevalence, level=level)


def _loss_sums(bill: Bill) -> LossSums:
    """Take the sums of a bill; what a rule decides at all is read from the numbers of cases."""
    negative, positive = bill.paid.sum(axis=1)
    negative_squares, positive_squares = bill.squares.sum(axis=1)
    counted = loss_sums(
        outcome_table(bill.cases), miss=0.0, alarm=0.0, abstain_positive=0.0, abstain_negative=0.0
    )
    return counted._replace(
        positive=positive,
        negative=negative,
        positive_squares=positive_squares,
        negative_squares=negative_squares,
        worst_positive=bill.worst[1],
        worst_negative=bill.worst[0],
    )


# ---------------------------------------------------------------- differences


def case_difference(
    cases: SplitCases,
    first: Judged,
    second: Judged,
    factors: CaseFactors,
    *,
    prevalence: float | None,
    level: float,
) -> Interval:
    """Interval of the cost of the first rule minus that of the second, paired case by case."""
    losses = _losses(cases, factors)
    worst = _root_mean_squares(cases, losses[:, 0], losses[:, 1])
    (seen, _), (kept, cubes) = (
        _difference_sums(cases, losses, worst, one, two)
        for one, two in (((first.hindsight,), (second.hindsight,)), (first.honest, second.honest))
    )
    low, high = difference_interval(seen, kept, level=level, prevalence=prevalence)
    plain = LossSums(*kept[:6], worst_positive=0.0, worst_negative=0.0)
    ends = _skewed(float(low), float(high), plain, cubes, prevalence=prevalence, level=level)
    return Interval(*ends)


def _difference_sums(
    cases: SplitCases,
    losses: FloatArray,
    worst: FloatArray,
    first: Sequence[Codes],
    second: Sequence[Codes],
) -> tuple[DifferenceSums, FloatArray]:
    """Return the sums, and those of cubes beyond equal amounts for negatives and positives."""
    total = np.zeros((4, 18))
    for rows, one, two in zip(cases.splits.repeats, first, second, strict=False):
        gap = losses[rows.cell, one] - losses[rows.cell, two]
        code = 9 * cases.positive[rows.cell] + 3 * one + two
        total += [np.bincount(code, rows.cases * gap**power, 18) for power in range(4)]
    number, gaps, squares, cubes = (total / len(first)).reshape(4, 2, 9)
    every_gap = (losses[:, :, None] - losses[:, None, :]).reshape(len(losses), 9)
    squares, cubes = _spread(number, squares, cubes, _moments(cases, every_gap))
    sums = [column.sum(axis=1) for column in (number, gaps, squares)]
    joint = number.sum(axis=0).reshape(3, 3)
    calls = np.array([joint.sum(axis=1), joint.sum(axis=0)])
    # each rule may err where it makes the call at all
    misses, alarms = (float(np.minimum(calls[:, decision], 1.0).sum()) for decision in (0, 1))
    paired = DifferenceSums(
        n_positive=sums[0][1],
        n_negative=sums[0][0],
        positive=sums[1][1],
        negative=sums[1][0],
        positive_squares=sums[2][1],
        negative_squares=sums[2][0],
        extra_positive=misses * worst[1] ** 2,
        extra_negative=alarms * worst[0] ** 2,
    )
    return paired, _beyond_equal(number, squares, cubes).sum(axis=1)


def difference_to_constant(
    cases: SplitCases,
    rule: Judged,
    code: int,
    factors: CaseFactors,
    *,
    prevalence: float | None,
    level: float,
) -> Interval:
    """Interval of the cost of a rule beyond that of one decision for all cases.

    The interval of a cost, of losses less what the constant decision costs on the same case.
    """
    losses = _losses(cases, factors)
    beyond = losses - losses[:, [code]]
    worst = _root_mean_squares(cases, beyond[:, 0], beyond[:, 1])
    bills = [_bill(cases, decisions, beyond, worst) for decisions in ((rule.hindsight,), rule.honest)]
    return Interval(*_interval(bills[0], bills[1], prevalence=prevalence, level=level))
