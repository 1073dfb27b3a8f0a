"""What a policy promised: its expected cost, and how much higher its evidence allows it to be."""

from dataclasses import dataclass

import numpy as np

from demur._kernels.normal import normal_quantile
from demur._kernels.proportions import Stratum, linear_limits
from demur.monitoring.reference import ReferenceCells
from demur.typing import FloatArray
from demur.windows.policy import Policy

__all__ = ["Promise", "expected_outcomes"]


def expected_outcomes(cells: ReferenceCells, prevalence: float) -> FloatArray:
    """Return the expected share of each outcome, rows and columns as in `CostModel.losses`."""
    shares = np.array([cells.outcomes(cells.negative), cells.outcomes(cells.positive)])
    return np.asarray(shares * [[1 - prevalence], [prevalence]])


@dataclass(frozen=True, kw_only=True)
class Promise:
    """The expected cost per case, and its upper limit.

    Attributes
    ----------
    cost : float
        As the policy says it.
    limit : float
        How far above it the true cost may be, given the evidence of the policy, at the level of the monitor.
    """

    cost: float
    limit: float

    @classmethod
    def of(cls, policy: Policy, cells: ReferenceCells, *, alpha: float) -> "Promise | None":
        """Return the promise of a policy; None if it was made without costs.

        The distance from the cost on the evidence to its upper limit (`linear_limits`) is added to
        the cost the policy states, which may be the honest one.
        """
        if policy.costs is None or policy.expected_cost is None:
            return None
        prices, shares = policy.costs.losses.table, expected_outcomes(cells, policy.prevalence)
        if cells.sampled:
            n = cells.n_positive + cells.n_negative
            strata = [Stratum(prices.ravel().tolist(), shares.ravel().tolist(), n)]
        else:
            by_class = ((1 - policy.prevalence, cells.n_negative), (policy.prevalence, cells.n_positive))
            strata = [
                Stratum((prices[k] * weight).tolist(), (shares[k] / weight).tolist(), n)
                for k, (weight, n) in enumerate(by_class)
                if weight > 0 and n > 0
            ]
        _, upper = linear_limits(strata, normal_quantile(1 - alpha, sides=1))
        beyond = float(upper) - float((prices * shares).sum())
        return cls(cost=policy.expected_cost, limit=policy.expected_cost + max(beyond, 0.0))
