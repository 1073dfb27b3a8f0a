"""Costs of candidates and of pairs of them, in the user's unit."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from demur._results import Interval
from demur.comparison.candidates import Candidate, baseline_code
from demur.comparison.problem import DecisionProblem, Scenario, class_shares_of
from demur.costs.case_costs import CaseCosts, CaseFactors
from demur.honest.cases import SplitCases
from demur.honest.decisions import joint_outcomes
from demur.honest.estimates import (
    Estimate,
    class_shares,
    cost_interval,
    error_losses,
    gap_sums,
    joint_sums,
    mean_cost,
    paid_estimate,
    table_beyond,
    table_difference,
    table_estimate,
)
from demur.honest.estimates import difference_interval as gap_interval
from demur.typing import FloatArray

__all__ = ["Estimate", "cost_at", "cost_of", "difference_interval", "incurred_costs", "rates_of"]


def rates_of(table: FloatArray, prevalence: float | FloatArray | None) -> FloatArray:
    """Shares of all cases by class and decision under a prevalence; they sum to 1."""
    return class_shares(table, class_shares_of(prevalence))


def cost_at(candidate: Candidate, scenario: Scenario) -> float:
    """Honest cost per case at one point of the box."""
    costs, shares = scenario.costs, scenario.shares
    if isinstance(costs, CaseFactors):
        assert candidate.paid is not None
        return mean_cost(candidate.honest, candidate.paid.losses * np.array(costs), shares)
    return mean_cost(candidate.honest, candidate.honest * scenario.losses.table, shares)


def cost_of(candidate: Candidate, problem: DecisionProblem) -> Estimate:
    """Honest cost with its interval for the true cost of the rule in use, in the middle of the ranges."""
    centre, level = problem.centre, problem.confidence_level
    costs, shares = centre.costs, centre.shares
    if not isinstance(costs, CaseFactors):
        tables, losses = (candidate.honest, candidate.hindsight), centre.losses
        return table_estimate(*tables, losses, shares, level=level, abstains=losses.may_abstain)
    assert candidate.paid is not None
    assert candidate.hindsight_paid is not None
    factors = np.array(costs)
    paid, seen = candidate.paid.scaled(factors), candidate.hindsight_paid.scaled(factors)
    return paid_estimate(paid, seen, shares, level=level)


def difference_interval(
    first: Candidate, second: Candidate, problem: DecisionProblem
) -> tuple[float, Interval]:
    """Honest difference per case, first minus second, with its interval.

    Paired on the same held-out cases. Where two models were split apart (only counts at hand), the
    interval holds for any dependence between them: their half-widths add up.
    """
    scenario = problem.centre
    if first.model is None and second.cases is not first.cases:
        first = first.on(second.cases)
    elif second.model is None and second.cases is not first.cases:
        second = second.on(first.cases)
    difference = cost_at(first, scenario) - cost_at(second, scenario)
    if first.cases is not second.cases:
        return difference, _unpaired(first, second, problem)
    if _same_decisions(first, second):
        return 0.0, Interval(0.0, 0.0)
    if second.model is None:
        return difference, _against_constant(first, second, problem)
    if first.model is None:
        low, high = _against_constant(second, first, problem)
        return difference, Interval(-high, -low)
    return difference, _paired(first, second, problem)


def _paired(first: Candidate, second: Candidate, problem: DecisionProblem) -> Interval:
    centre = problem.centre
    costs, shares, level, cases = centre.costs, centre.shares, problem.confidence_level, first.cases
    pairs = (
        ([first.judged.hindsight], [second.judged.hindsight]),
        (first.judged.honest, second.judged.honest),
    )
    if not isinstance(costs, CaseFactors):
        hindsight, honest = (joint_outcomes(cases, one, two) for one, two in pairs)
        return table_difference(hindsight, honest, centre.losses, shares, level=level)
    assert cases.losses is not None
    losses = cases.losses * np.array(costs)
    worst = error_losses(cases, losses)
    seen, kept = ((joint_sums(cases, losses, one, two), worst, worst) for one, two in pairs)
    return gap_interval(seen, kept, shares, level=level)


def _against_constant(rule: Candidate, constant: Candidate, problem: DecisionProblem) -> Interval:
    """Interval of the cost of a rule beyond that of one decision for all cases."""
    centre, code = problem.centre, baseline_code(constant)
    costs, shares, level = centre.costs, centre.shares, problem.confidence_level
    if not isinstance(costs, CaseFactors):
        return table_beyond(rule.hindsight, rule.honest, code, centre.losses, shares, level=level)
    assert rule.cases.losses is not None
    losses = rule.cases.losses * np.array(costs)
    decisions = (rule.judged.hindsight,), rule.judged.honest
    sums = [gap_sums(rule.cases, losses, codes, code) for codes in decisions]
    return Interval(*cost_interval(sums[0], sums[1], shares, level=level))


def _same_decisions(first: Candidate, second: Candidate) -> bool:
    pairs = zip(
        (first.judged.hindsight, *first.judged.honest),
        (second.judged.hindsight, *second.judged.honest),
        strict=True,
    )
    return all(one is two or np.array_equal(one, two) for one, two in pairs)


def _unpaired(first: Candidate, second: Candidate, problem: DecisionProblem) -> Interval:
    one, two = cost_of(first, problem).interval, cost_of(second, problem).interval
    return Interval(one.low - two.high, one.high - two.low)


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
