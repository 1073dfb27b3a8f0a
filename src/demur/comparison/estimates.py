"""Costs of rules and of pairs of rules, in the user's unit, from tables of outcomes."""

from typing import Any

import numpy as np

from demur._results import Interval
from demur.comparison.candidates import TRIVIAL, Candidate
from demur.comparison.case_estimates import (
    bill_cost,
    bill_estimate,
    case_difference,
    difference_to_constant,
)
from demur.comparison.question import Corner, Question
from demur.costs.case_costs import CaseFactors
from demur.costs.model import CostModel
from demur.honest.decisions import joint_outcomes, mean_and_error
from demur.honest.expected_cost import Estimate, cost_estimate, outcome_table, relative_prices
from demur.honest.held_out import Weighting
from demur.honest.intervals import (
    difference_interval as interval_of_difference,
)
from demur.honest.intervals import (
    difference_sums,
    honest_interval,
    loss_sums,
)
from demur.typing import FloatArray

__all__ = ["Estimate", "cost_at", "cost_of", "difference_interval", "rates_of"]


def _weighting(table: FloatArray, prevalence: float | None) -> Weighting:
    negative, positive = (float(row) for row in table.reshape(2, -1).sum(axis=1))
    return Weighting.of(positive, negative, prevalence)


def _mean_cost(table: FloatArray, costs: CostModel, prevalence: float | None) -> float:
    """Expected cost per case of a table of outcomes."""
    return mean_and_error(table, costs.losses.table, _weighting(table, prevalence))[0]


def cost_at(candidate: Candidate, corner: Corner) -> float:
    """Honest cost per case at one point of the box."""
    if isinstance(corner.costs, CaseFactors):
        assert candidate.bill is not None
        return bill_cost(candidate.bill, corner.costs, corner.prevalence)
    return _mean_cost(candidate.honest, corner.costs, corner.prevalence)


def cost_of(candidate: Candidate, question: Question) -> Estimate:
    """Honest cost with its interval for the true cost of the rule in use, in the middle of the ranges."""
    costs, rate = question.centre
    level = question.confidence_level
    if isinstance(costs, CaseFactors):
        assert candidate.bill is not None
        assert candidate.hindsight_bill is not None
        bills = candidate.bill, candidate.hindsight_bill
        return bill_estimate(*bills, costs, prevalence=rate, level=level)
    return cost_estimate(candidate.honest, candidate.hindsight, costs, prevalence=rate, level=level)


def difference_interval(first: Candidate, second: Candidate, question: Question) -> tuple[float, Interval]:
    """Honest difference per case, first minus second, with its interval.

    Paired on the same held-out cases. Where two models were split apart (only counts at hand), the
    interval holds for any dependence between them: their half-widths add up.
    """
    corner = question.centre
    if first.model is None and second.cases is not first.cases:
        first = first.on(second.cases)
    elif second.model is None and second.cases is not first.cases:
        second = second.on(first.cases)
    difference = cost_at(first, corner) - cost_at(second, corner)
    if first.cases is not second.cases:
        return difference, _unpaired(first, second, question)
    if _same_decisions(first, second):
        return 0.0, Interval(0.0, 0.0)
    if second.kind in TRIVIAL:
        return difference, _against_constant(first, second, question)
    if first.kind in TRIVIAL:
        low, high = _against_constant(second, first, question)
        return difference, Interval(-high, -low)
    costs, sums = corner.costs, []
    if isinstance(costs, CaseFactors):
        settings: dict[str, Any] = {"prevalence": corner.prevalence, "level": question.confidence_level}
        return difference, case_difference(first.cases, first.judged, second.judged, costs, **settings)
    for one, two in (
        ([first.judged.hindsight], [second.judged.hindsight]),
        (first.judged.honest, second.judged.honest),
    ):
        table = joint_outcomes(first.cases, one, two)
        sums.append(difference_sums(table[1], table[0], **relative_prices(costs)))
    ends = interval_of_difference(
        sums[0], sums[1], level=question.confidence_level, prevalence=corner.prevalence
    )
    unit = costs.cost_fn - costs.cost_tp
    return difference, Interval(*(unit * float(end) for end in ends))


def _against_constant(rule: Candidate, constant: Candidate, question: Question) -> Interval:
    """Interval of the cost of a rule beyond that of one decision for all cases.

    The interval of a cost, of losses less what the constant decision costs on the same case: an error
    added to the rule is none of the other, so it does not cancel in the mean.
    """
    costs, rate = question.centre
    level = question.confidence_level
    if isinstance(costs, CaseFactors):
        code = TRIVIAL[constant.kind]
        return difference_to_constant(rule.cases, rule.judged, code, costs, prevalence=rate, level=level)
    prices = relative_prices(costs)
    review = np.array([prices["abstain_negative"], prices["abstain_positive"]])
    losses = np.column_stack([[0.0, prices["miss"]], [prices["alarm"], 0.0], review])
    spared = losses[:, TRIVIAL[constant.kind]]
    sums = []
    for table in (rule.hindsight, rule.honest):
        gap = losses - spared[:, None]
        (negative, positive), (negative_squares, positive_squares) = (
            (table * gap**power).sum(axis=1) for power in (1, 2)
        )
        sums.append(
            loss_sums(outcome_table(table), **prices)._replace(
                positive=positive,
                negative=negative,
                positive_squares=positive_squares,
                negative_squares=negative_squares,
                worst_positive=prices["miss"] - spared[1],
                worst_negative=prices["alarm"] - spared[0],
            )
        )
    ends = honest_interval(sums[0], sums[1], level=level, prevalence=rate)
    unit = costs.cost_fn - costs.cost_tp
    return Interval(*(unit * float(end) for end in ends))


def _same_decisions(first: Candidate, second: Candidate) -> bool:
    pairs = zip(
        (first.judged.hindsight, *first.judged.honest),
        (second.judged.hindsight, *second.judged.honest),
        strict=True,
    )
    return all(np.array_equal(one, two) for one, two in pairs)


def _unpaired(first: Candidate, second: Candidate, question: Question) -> Interval:
    one, two = cost_of(first, question).interval, cost_of(second, question).interval
    return Interval(one.low - two.high, one.high - two.low)


def rates_of(table: FloatArray, prevalence: float | None) -> FloatArray:
    """Shares of all cases by class and decision under a prevalence; they sum to 1."""
    weighting = _weighting(table, prevalence)
    shares: FloatArray = table * np.array([[weighting.negative], [weighting.positive]])
    return shares
