"""What a policy promised: its expected cost, and how much higher its evidence allows it to be."""

from collections.abc import Mapping

import numpy as np

from demur._kernels.normal import normal_quantile
from demur._kernels.proportions import Stratum, linear_limits
from demur.costs.losses import Losses
from demur.costs.matrix import CostMatrix
from demur.costs.model import CostModel
from demur.monitoring.reference import ReferenceCells, has_blocks
from demur.policy.policy import Policy
from demur.policy.promise import Promise
from demur.typing import FloatArray

__all__ = ["expected_outcomes", "largest_amount", "losses_of", "promise_of"]


def losses_of(policy: Policy) -> FloatArray | None:
    """Return the loss of every action (columns, abstaining last) by true class; None without such costs."""
    if isinstance(policy.costs, CostMatrix):
        return Losses.of_matrix(policy.costs.values, policy.abstain_costs).table
    return policy.costs.losses.table if isinstance(policy.costs, CostModel) else None


_FACTORS = {
    "miss_factor": ("cost_fn", "cost_tn"),
    "alarm_factor": ("cost_fp", "cost_tp"),
    "review_factor": ("cost_abstain", "cost_abstain_positive", "cost_abstain_negative"),
}


def largest_amount(policy: Policy) -> float:
    """Return the largest cost of a case that a policy of amounts states, at the middle of its factor."""
    amounts, found = policy.amounts or {}, 0.0
    for factor, names in _FACTORS.items():
        low, high = amounts.get(factor, (1.0, 1.0))
        for name in names:
            value = amounts.get(name)
            largest = value.get("largest") if isinstance(value, Mapping) else value
            found = max(found, (low + high) / 2 * (largest or 0.0))
    return found


def expected_outcomes(cells: ReferenceCells, prevalence: float) -> FloatArray:
    """Return the expected share of each outcome, rows and columns as in `CostModel.losses`."""
    shares = np.array([cells.outcomes(cells.negative), cells.outcomes(cells.positive)])
    return np.asarray(shares * [[1 - prevalence], [prevalence]])


def promise_of(policy: Policy, *, alpha: float) -> Promise | None:
    """Return the promised cost and how far above it the true cost may be; None if no cost was promised.

    The limit is the upper end of the interval that the policy states. Where it states none, but has blocks
    and costs by class, the distance from the cost on the evidence to its upper limit (`linear_limits`) is
    added to the cost; else the cost itself is the limit.
    """
    if policy.expected_cost is None:
        return None
    if policy.expected_limit is not None:
        return Promise(cost=policy.expected_cost, limit=policy.expected_limit)
    losses = losses_of(policy)
    if losses is None or not has_blocks(policy):
        return Promise(cost=policy.expected_cost, limit=policy.expected_cost)
    cells = ReferenceCells.of(policy)
    shares = expected_outcomes(cells, cells.prevalence)
    if cells.sampled:
        n = cells.n_positive + cells.n_negative
        strata = [Stratum(losses.ravel().tolist(), shares.ravel().tolist(), n)]
    else:
        by_class = ((1 - cells.prevalence, cells.n_negative), (cells.prevalence, cells.n_positive))
        strata = [
            Stratum((losses[k] * weight).tolist(), (shares[k] / weight).tolist(), n)
            for k, (weight, n) in enumerate(by_class)
            if weight > 0 and n > 0
        ]
    _, upper = linear_limits(strata, normal_quantile(1 - alpha, sides=1))
    beyond = float(upper) - float((losses * shares).sum())
    return Promise(cost=policy.expected_cost, limit=policy.expected_cost + max(beyond, 0.0))
