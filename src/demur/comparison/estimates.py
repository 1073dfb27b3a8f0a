"""Costs of rules and of pairs of rules, in the user's unit, from tables of outcomes."""

from typing import NamedTuple

import numpy as np

from demur._kernels.normal import normal_quantile
from demur._results import Interval
from demur.comparison.candidates import Candidate
from demur.comparison.question import Corner, Question
from demur.honest.cross_fitting import bracket_or_average
from demur.honest.decisions import joint_outcomes, mean_and_error
from demur.honest.expected_cost import loss_table
from demur.honest.held_out import Weighting
from demur.typing import FloatArray

__all__ = ["Estimate", "cost_at", "cost_interval", "cost_of", "difference_interval", "mean_cost", "rates_of"]


class Estimate(NamedTuple):
    """Honest cost per case with its interval, beside the cost with hindsight."""

    cost: float
    interval: Interval
    hindsight: float


def _weighting(table: FloatArray, prevalence: float | None) -> Weighting:
    negative, positive = (float(row) for row in table.reshape(2, -1).sum(axis=1))
    return Weighting.of(positive, negative, prevalence)


def mean_cost(table: FloatArray, corner: Corner) -> float:
    """Expected cost per case of a table of outcomes."""
    return mean_and_error(table, loss_table(corner.costs), _weighting(table, corner.prevalence))[0]


def cost_at(candidate: Candidate, corner: Corner) -> float:
    """Honest cost per case at one point of the box."""
    return mean_cost(candidate.honest, corner)


def cost_interval(honest: FloatArray, hindsight: FloatArray, corner: Corner, level: float) -> Estimate:
    """Honest cost with the bracket interval: from hindsight below to honest above."""
    losses = loss_table(corner.costs)
    ends = [
        mean_and_error(table, losses, _weighting(table, corner.prevalence)) for table in (hindsight, honest)
    ]
    low, high = bracket_or_average(ends[0], ends[1], normal_quantile(level), "bracket")
    return Estimate(
        ends[1][0], Interval(float(max(low, losses.min())), float(min(high, losses.max()))), ends[0][0]
    )


def cost_of(candidate: Candidate, question: Question) -> Estimate:
    """Honest cost at the costs asked for, or at the middle of their ranges."""
    corner = Corner(question.point, question.rate)
    return cost_interval(candidate.honest, candidate.hindsight, corner, question.confidence_level)


def difference_interval(first: Candidate, second: Candidate, question: Question) -> tuple[float, Interval]:
    """Honest difference per case, first minus second, with the average-centred interval.

    Paired on the same held-out cases. Where two models were split apart (only counts at hand), the
    interval holds for any dependence between them: the standard errors add up.
    """
    corner = Corner(question.point, question.rate)
    if first.model is None and second.cases is not first.cases:
        first = first.on(second.cases)
    elif second.model is None and second.cases is not first.cases:
        second = second.on(first.cases)
    if first.cases is not second.cases:
        return _unpaired(first, second, corner, question.confidence_level)
    cases = first.cases
    losses = loss_table(corner.costs)
    gap = losses[:, :, None] - losses[:, None, :]
    pairs = []
    for one, two in (
        ([first.judged.hindsight], [second.judged.hindsight]),
        (first.judged.honest, second.judged.honest),
    ):
        table = joint_outcomes(cases, one, two)
        pairs.append(mean_and_error(table, gap, _weighting(table, corner.prevalence)))
    low, high = bracket_or_average(pairs[0], pairs[1], normal_quantile(question.confidence_level), "average")
    return pairs[1][0], Interval(float(low), float(high))


def _unpaired(first: Candidate, second: Candidate, corner: Corner, level: float) -> tuple[float, Interval]:
    losses = loss_table(corner.costs)
    ends = []
    for tables in ((first.hindsight, second.hindsight), (first.honest, second.honest)):
        (one, one_error), (two, two_error) = (
            mean_and_error(table, losses, _weighting(table, corner.prevalence)) for table in tables
        )
        ends.append((one - two, one_error + two_error))
    low, high = bracket_or_average(ends[0], ends[1], normal_quantile(level), "average")
    return ends[1][0], Interval(float(low), float(high))


def rates_of(table: FloatArray, prevalence: float | None) -> FloatArray:
    """Shares of all cases by class and decision under a prevalence; they sum to 1."""
    weighting = _weighting(table, prevalence)
    shares: FloatArray = table * np.array([[weighting.negative], [weighting.positive]])
    return shares
