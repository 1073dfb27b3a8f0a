"""Costs of rules where every case has its own: sums of what was paid instead of tables of outcomes.

The intervals are those of costs by class: the same sums of losses and of squared losses, the same added
errors. Two things differ, and neither does where all cases of a class cost the same:

- An added error has no amount of its own. It counts as the root mean square of what such an error costs
  among the cases, which is at least its mean.
- Few cases are missed, and the largest amounts are seldom among them, so the spread of what was lost is
  too small on average. It is taken to be at least that of all cases of the class, larger in proportion if
  those that were missed are larger: squares >= cases * max(own mean, mean)^2 * (mean square / mean^2).
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from demur._results import Interval
from demur.costs.case_costs import CaseCosts, CaseFactors
from demur.honest.cases import SplitCases
from demur.honest.decisions import Codes, Judged
from demur.honest.expected_cost import Estimate, outcome_table
from demur.honest.held_out import Weighting
from demur.honest.intervals import DifferenceSums, LossSums, difference_interval, honest_interval, loss_sums
from demur.typing import FloatArray

__all__ = [
    "Bill",
    "bill_cost",
    "bill_estimate",
    "case_difference",
    "difference_to_constant",
    "incurred_costs",
    "paid_by",
]


class Bill(NamedTuple):
    """What some rule costs on the cases, averaged over the splits.

    Rows of all arrays are negatives and positives, columns are decided negative, positive, abstained.
    `worst` holds, for negatives and positives, what an added error of the class costs: a false alarm, a
    miss.
    """

    cases: FloatArray
    paid: FloatArray
    squares: FloatArray
    worst: FloatArray

    def at(self, factors: CaseFactors) -> "Bill":
        """Return the bill with all costs of a decision times a factor."""
        by_decision = np.array(factors)
        by_error = np.array([factors.alarm, factors.miss])
        return Bill(self.cases, self.paid * by_decision, self.squares * by_decision**2, self.worst * by_error)


def incurred_costs(costs: Any, cases: Mapping[str, SplitCases]) -> dict[str, dict[str, Any]]:
    """Return size, mean and total of every cost that differs by case, over the cases that can incur it.

    Only a positive can be missed and only a negative can be a false alarm; all cases can be reviewed.
    `class` names the class concerned, None for both; `total` is None with importance weights. Before
    the factors; empty for costs by class.
    """
    if not isinstance(costs, CaseCosts):
        return {}
    split = next(iter(cases.values()))
    assert split.losses is not None
    missed, alarmed, reviewed = split.losses.T
    by_class = {"positive": split.positive, "negative": ~split.positive}
    # cases left to the price of all reviews where a class has its own
    left = [kind for kind in by_class if getattr(costs, f"cost_abstain_{kind}") is None]
    concerned = {
        "cost_fn": ("positive", missed),
        "cost_fp": ("negative", alarmed),
        "cost_tp": ("positive", alarmed),
        "cost_tn": ("negative", missed),
        "cost_abstain": (left[0] if len(left) == 1 else None, reviewed),
        "cost_abstain_positive": ("positive", reviewed),
        "cost_abstain_negative": ("negative", reviewed),
    }
    found = {}
    for name, (kind, column) in concerned.items():
        unused = name == "cost_abstain" and not left
        if not unused and (np.ndim(getattr(costs, name)) or name in costs.columns):
            rows = slice(None) if kind is None else by_class[kind]
            size, total = float(split.sizes[rows].sum()), float(split.sizes[rows] @ column[rows])
            known = None if split.weights == "importance" else total
            found[name] = {"class": kind, "cases": size, "mean": total / size, "total": known}
    return found


def _losses(cases: SplitCases, factors: CaseFactors | None = None) -> FloatArray:
    """Return the costs of every cell under each action."""
    assert cases.losses is not None
    return cases.losses if factors is None else cases.losses * np.array(factors)


def paid_by(cases: SplitCases, decisions: Sequence[Codes]) -> Bill:
    """Add up what decisions cost, split by split."""
    losses = _losses(cases)
    free = np.column_stack([np.zeros(len(losses)), losses])
    nothing = [np.zeros(len(codes), dtype=np.int8) for codes in decisions]
    actions = [codes % 3 + 1 for codes in decisions]
    number, paid, squares = (column[:, 1:, 0] for column in _gap_sums(cases, free, actions, nothing))
    return Bill(number, paid, squares, _root_mean_squares(cases, losses[:, 0], losses[:, 1]))


# ---------------------------------------------------------------- sums


def _class_means(cases: SplitCases, columns: FloatArray) -> FloatArray:
    """Mean of every column over the negatives and over the positives."""
    by_class = (~cases.positive, cases.positive)
    return np.array([np.average(columns[own], axis=0, weights=cases.sizes[own]) for own in by_class])


def _root_mean_squares(cases: SplitCases, if_missed: FloatArray, if_alarmed: FloatArray) -> FloatArray:
    """Root mean square, with the sign of the mean, of an error on a negative and on a positive."""
    errors = np.column_stack([if_alarmed, if_missed])
    means, squares = _class_means(cases, errors), _class_means(cases, errors**2)
    return np.copysign(np.sqrt(np.diagonal(squares)), np.diagonal(means))


def _gap_sums(
    cases: SplitCases, losses: FloatArray, first: Sequence[Codes], second: Sequence[Codes]
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Sums over [class, first decision, second decision]: cases, differences of losses, and squares.

    `losses` has a column per decision. Squares are at least those of as many cases of the class.
    """
    width = losses.shape[1]
    size = 2 * width**2
    sums, own = np.zeros((3, size)), np.zeros((2, size))
    for rows, one, two in zip(cases.splits.repeats, first, second, strict=False):
        paid = losses[rows.cell, one], losses[rows.cell, two]
        gap = paid[0] - paid[1]
        code = (cases.positive[rows.cell].astype(np.int64) * width + one % width) * width + two % width
        sums += [np.bincount(code, rows.cases * gap**power, size) for power in range(3)]
        own += [np.bincount(code, rows.cases * loss, size) for loss in paid]
    number, gaps, squares = (sums / len(first)).reshape(3, 2, width, width)
    every_gap = (losses[:, :, None] - losses[:, None, :]).reshape(len(losses), -1)
    drawn = _class_means(cases, every_gap**2).reshape(2, width, width)
    means = _class_means(cases, losses)
    usual = np.array([means[:, :, None] + 0 * drawn, means[:, None, :] + 0 * drawn])
    here = (own / len(first)).reshape(2, 2, width, width) / np.maximum(number, 1e-300)
    ratio = np.divide(here, usual, out=np.ones_like(here), where=usual > 0).max(axis=0)
    # rounding must not make equal amounts larger than they are
    larger = np.where(ratio > 1 + 1e-9, ratio**2, 1.0)
    return number, gaps, np.maximum(squares, number * drawn * larger)


def _weighting(bill: Bill, prevalence: float | None) -> Weighting:
    negative, positive = (float(row) for row in bill.cases.sum(axis=1))
    return Weighting.of(positive, negative, prevalence)


# ---------------------------------------------------------------- costs


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
    return float(low), float(high)


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
    sums = [
        _difference_sums(*_gap_sums(cases, losses, one, two), worst)
        for one, two in (((first.hindsight,), (second.hindsight,)), (first.honest, second.honest))
    ]
    low, high = difference_interval(sums[0], sums[1], level=level, prevalence=prevalence)
    return Interval(float(low), float(high))


def _difference_sums(
    number: FloatArray, gaps: FloatArray, squares: FloatArray, worst: FloatArray
) -> DifferenceSums:
    totals = [column.sum(axis=(1, 2)) for column in (number, gaps, squares)]
    joint = number.sum(axis=0)
    calls = np.array([joint.sum(axis=1), joint.sum(axis=0)])
    # each rule may err where it makes the call at all
    misses, alarms = (float(np.minimum(calls[:, decision], 1.0).sum()) for decision in (0, 1))
    return DifferenceSums(
        n_positive=totals[0][1],
        n_negative=totals[0][0],
        positive=totals[1][1],
        negative=totals[1][0],
        positive_squares=totals[2][1],
        negative_squares=totals[2][0],
        extra_positive=misses * worst[1] ** 2,
        extra_negative=alarms * worst[0] ** 2,
    )


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
    bills = []
    for decisions in ((rule.hindsight,), rule.honest):
        same = [np.full(len(codes), code, dtype=np.int8) for codes in decisions]
        number, paid, squares = (one[:, :, code] for one in _gap_sums(cases, losses, decisions, same))
        bills.append(Bill(number, paid, squares, worst))
    return Interval(*_interval(bills[0], bills[1], prevalence=prevalence, level=level))
