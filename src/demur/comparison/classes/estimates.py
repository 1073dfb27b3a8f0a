"""Costs of rules for many classes, and of pairs of rules, from tables of decisions."""

import numpy as np

from demur._results import Interval
from demur.comparison.classes.judging import ClassCandidate, joint_table
from demur.comparison.classes.question import ClassQuestion
from demur.costs.losses import Losses
from demur.honest.estimates import Estimate, class_shares, table_beyond, table_difference, table_estimate
from demur.typing import FloatArray

__all__ = ["cost_at", "cost_of", "difference_of", "shares_of"]


def shares_of(table: FloatArray, question: ClassQuestion) -> FloatArray:
    """Shares of all cases by true class and answer, as used; they sum to 1."""
    return class_shares(table, question.shares)


def cost_at(candidate: ClassCandidate, losses: Losses, question: ClassQuestion) -> float:
    """Honest cost per case."""
    return float((shares_of(candidate.honest_table, question) * losses.table).sum())


def cost_of(candidate: ClassCandidate, question: ClassQuestion) -> Estimate:
    """Honest cost with its interval for the true cost of the rule in use, in the middle of the ranges."""
    return table_estimate(
        candidate.honest_table,
        candidate.hindsight_table,
        question.point,
        question.shares,
        level=question.confidence_level,
        abstains=candidate.abstains,
    )


def difference_of(
    first: ClassCandidate, second: ClassCandidate, question: ClassQuestion
) -> tuple[float, Interval]:
    """Honest difference per case, first minus second, with its interval, paired on the same cases."""
    point, shares, level = question.point, question.shares, question.confidence_level
    difference = cost_at(first, point, question) - cost_at(second, point, question)
    if _same_decisions(first, second):
        return 0.0, Interval(0.0, 0.0)
    if second.model is None:
        return difference, _beyond(first, second, question)
    if first.model is None:
        low, high = _beyond(second, first, question)
        return difference, Interval(-high, -low)
    hindsight = joint_table(first.cases, [first.hindsight], [second.hindsight])
    honest = joint_table(first.cases, first.honest, second.honest)
    return difference, table_difference(hindsight, honest, point, shares, level=level)


def _beyond(rule: ClassCandidate, constant: ClassCandidate, question: ClassQuestion) -> Interval:
    return table_beyond(
        rule.hindsight_table,
        rule.honest_table,
        int(constant.hindsight[0]),
        question.point,
        question.shares,
        level=question.confidence_level,
    )


def _same_decisions(first: ClassCandidate, second: ClassCandidate) -> bool:
    pairs = zip((first.hindsight, *first.honest), (second.hindsight, *second.honest), strict=True)
    return all(one is two or np.array_equal(one, two) for one, two in pairs)
