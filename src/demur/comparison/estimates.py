"""Costs of candidates and of pairs of them, in the user's unit."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from demur._results import Interval
from demur.comparison.candidates import Candidate, losses_at
from demur.comparison.problem import DecisionProblem, Scenario
from demur.costs.case_costs import CaseCosts, CaseFactors
from demur.honest.cases import SplitCases
from demur.honest.estimates import (
    Estimate,
    cost_estimate,
    cost_gap,
    mean_cost,
    paired_interval,
    same_decisions,
    unlabelled_losses,
)
from demur.honest.mean_loss import MeanLoss

__all__ = [
    "cost_at",
    "cost_of",
    "difference_at",
    "difference_interval",
    "gap_of",
    "incurred_costs",
]


def cost_at(candidate: Candidate, scenario: Scenario) -> float:
    """Honest cost per case at one point of the box; of cases without a label at the worst class."""
    costs, shares, cases = scenario.costs, scenario.shares, candidate.cases
    if isinstance(costs, CaseFactors):
        assert candidate.paid is not None
        losses = candidate.paid * np.array(costs)
    else:
        losses = candidate.honest * scenario.losses.table
    if candidate.charged is not None:
        losses = np.column_stack([losses, candidate.charged])
    cost = mean_cost(candidate.honest, losses, shares)
    if cases.unlabelled is None:
        return cost
    bound = unlabelled_losses([candidate], losses_at(cases, scenario), best=False)
    labelled, more = float(candidate.honest.sum()), float(cases.unlabelled.sum())
    return (cost * labelled + float(cases.unlabelled @ bound)) / (labelled + more)


def cost_of(
    candidate: Candidate, problem: DecisionProblem, scenario: Scenario | None = None, *, best: bool = False
) -> Estimate:
    """Honest cost with its interval for the true cost of the rule in use, in the middle of the ranges.

    With `scenario` at another point of the box; with `best` if cases without a label turn out well.
    """
    point = problem.centre if scenario is None else scenario
    same_review = isinstance(problem.costs, CaseCosts) and problem.costs.same_review
    losses = losses_at(candidate.cases, point, same_review=same_review)
    level, unsure = problem.confidence_level, problem.rate_variance
    return cost_estimate(candidate, losses, point.shares, level=level, rate_variance=unsure, best=best)


def difference_interval(
    first: Candidate, second: Candidate, problem: DecisionProblem, *, shift: float = 0.0
) -> tuple[float, Interval]:
    """Honest difference per case in the middle of the ranges, first minus second, and its interval over them.

    `shift` is what the cost of the first one rises by as the rule that was chosen; it is added to the upper
    end, and to the difference from a rule without a model. Another model may be as lucky, so costs of both
    are compared as measured.
    """
    if first.model is None and second.cases is not first.cases:
        first = first.on(second.cases)
    elif second.model is None and second.cases is not first.cases:
        second = second.on(first.cases)
    difference, interval = difference_at(first, second, problem, problem.centre)
    if first.cases is second.cases and same_decisions(first, second):
        return difference, interval
    # a difference is linear in costs and prevalence: its ends lie at corners
    corners = problem.corners() if problem.ranged else []
    ends = [interval, *(difference_at(first, second, problem, one)[1] for one in corners)]
    low, high = min(low for low, _ in ends), max(high for _, high in ends) + shift
    difference += shift if second.model is None else 0.0
    return difference, Interval(min(low, difference), max(high, difference))


def difference_at(
    first: Candidate, second: Candidate, problem: DecisionProblem, scenario: Scenario
) -> tuple[float, Interval]:
    """Honest difference per case at one point of the box, with its interval.

    Paired on the same held-out cases. Where two models were split apart (only counts at hand), the
    interval holds for any dependence between them: their half-widths add up.
    """
    level, unsure = problem.confidence_level, problem.rate_variance
    if first.cases is not second.cases:
        one, two = cost_of(first, problem, scenario), cost_of(second, problem, scenario)
        low, high = one.interval.low - two.interval.high, one.interval.high - two.interval.low
        return one.cost - two.cost, Interval(low, high)
    losses = losses_at(first.cases, scenario)
    found = paired_interval(first, second, losses, scenario.shares, level=level, rate_variance=unsure)
    if first.unlabelled is None:
        return found
    return cost_at(first, scenario) - cost_at(second, scenario), found[1]


def gap_of(first: Candidate, second: Candidate, problem: DecisionProblem) -> MeanLoss:
    """Honest difference of two rules on the same cases, in the middle of the ranges."""
    losses, unsure = losses_at(first.cases, problem.centre), problem.rate_variance
    return cost_gap(first, second, losses, problem.shares, rate_variance=unsure)


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
