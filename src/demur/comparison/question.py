"""What a comparison is asked: costs, prevalence, limits and the aim of the choice."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from demur._checks import (
    check_choice,
    check_confidence_level,
    check_positive_int,
    check_prevalence,
    check_type,
    input_error,
)
from demur.costs.case_costs import CaseCosts, CaseFactors
from demur.costs.model import CostModel
from demur.costs.ranges import CostRange
from demur.exceptions import InputError
from demur.surface.masses import RunningMasses
from demur.typing import Range
from demur.windows.limits import Limits
from demur.windows.search import CutLimits, MassRows, cut_limits, prevalence_factors

__all__ = ["OBJECTIVES", "Corner", "Limits", "Question"]

OBJECTIVES = ("expected", "worst", "regret", "guaranteed")


class Corner(NamedTuple):
    """One point of the box of costs and prevalence; a prevalence of None is the sample's own.

    Where every case has its own costs, the point is given by factors on them.
    """

    costs: CostModel | CaseFactors
    prevalence: float | None


@dataclass(frozen=True, kw_only=True, eq=False)
class Question:
    """Everything an answer depends on besides the cases.

    Attributes
    ----------
    costs : CostModel, CostRange, CaseCosts or None
        What outcomes cost; None: compare over all costs, no answer at a point.
    prevalence : float, (low, high) or None
        P(positive) in use; None for the sample's own.
    objective : str
        What the choice minimises over a range of costs.
    limits : Limits
    confidence_level : float
    seed : int
    """

    costs: CostModel | CostRange | CaseCosts | None
    prevalence: float | Range | None
    objective: str
    limits: Limits
    confidence_level: float
    seed: int

    @classmethod
    def checked(
        cls,
        *,
        costs: Any,
        prevalence: Any,
        objective: Any,
        limits: Limits,
        confidence_level: Any,
        seed: Any,
    ) -> Question:
        """Check what a user passes; the objective defaults to regret for ranges, else expected."""
        if costs is not None and not isinstance(costs, (CostRange, CaseCosts)):
            check_type(costs, "costs", CostModel)
        if isinstance(costs, CostRange) and costs.is_point:
            costs = costs.mean
        rate = _prevalence(prevalence)
        limits.check_prevalence(rate)
        ranged = _is_range(costs) or isinstance(rate, tuple)
        aim = ("regret" if ranged else "expected") if objective is None else objective
        check_choice(aim, "objective", OBJECTIVES)
        if costs is None and (objective is not None or limits.given()):
            what = "objective" if objective is not None else next(iter(limits.given()))
            raise InputError(f"`{what}` needs costs. Hint: pass costs=CostModel(...).")
        if ranged and limits.precision_confidence is not None:
            raise InputError(
                "`precision_confidence` needs one prevalence and costs without ranges. "
                "Hint: promise the precision at the middle of the ranges."
            )
        if aim == "guaranteed" and (ranged or limits.given()):
            what = "ranges" if ranged else "limits"
            raise InputError(
                f"`objective` must not be 'guaranteed' with {what}. "
                "Hint: with any other objective the answer shows its guarantee as well."
            )
        if isinstance(costs, CaseCosts):
            _refuse_bounds(aim, limits)
        else:
            for corner in costs.corners() if isinstance(costs, CostRange) else [costs]:
                if corner is not None:
                    _refuse_rewards(corner)
        return cls(
            costs=costs,
            prevalence=rate,
            objective=aim if ranged or aim == "guaranteed" else "expected",
            limits=limits,
            confidence_level=check_confidence_level(confidence_level),
            seed=check_positive_int(seed, "seed", minimum=0),
        )

    @property
    def ranged(self) -> bool:
        """Whether a cost or the prevalence is a range."""
        return _is_range(self.costs) or isinstance(self.prevalence, tuple)

    @property
    def by_case(self) -> bool:
        """Whether every case has its own costs."""
        return isinstance(self.costs, CaseCosts)

    @property
    def point(self) -> CostModel:
        """The costs by class, or the middle of their ranges."""
        if self.costs is None or isinstance(self.costs, CaseCosts):
            raise ValueError("this comparison was made without costs by class")
        return self.costs.mean if isinstance(self.costs, CostRange) else self.costs

    @property
    def centre(self) -> Corner:
        """The costs and the prevalence, or the middle of their ranges."""
        costs = self.costs.mean if isinstance(self.costs, CaseCosts) else self.point
        return Corner(costs, self.rate)

    @property
    def chosen_for(self) -> CostModel | CaseCosts:
        """The costs a rule is chosen for: those of each case, or by class, in the middle of their ranges."""
        return self.costs if isinstance(self.costs, CaseCosts) else self.point

    @property
    def rate(self) -> float | None:
        """The prevalence in use, or the middle of its range; None for the sample's own."""
        if isinstance(self.prevalence, tuple):
            low, high = self.prevalence
            return low + (high - low) / 2
        return self.prevalence

    @property
    def may_abstain(self) -> bool:
        """Whether abstaining has a price."""
        return self.costs is not None and self.costs.may_abstain

    def corners(self) -> list[Corner]:
        """Return the corners of the box of costs and prevalence; the point itself without ranges."""
        if self.costs is None:
            return []
        costs = [self.costs] if isinstance(self.costs, CostModel) else self.costs.corners()
        rates = self.prevalence if isinstance(self.prevalence, tuple) else (self.prevalence,)
        return [Corner(one, rate) for one in costs for rate in rates]

    def grid(self, steps: int) -> list[Corner]:
        """Return evenly spaced points of the box, `steps` along everything that is a range."""
        if self.costs is None:
            return []
        costs = [self.costs] if isinstance(self.costs, CostModel) else self.costs.grid(steps)
        rates: list[float | None] = [self.rate]
        if isinstance(self.prevalence, tuple):
            rates = [float(value) for value in np.linspace(*self.prevalence, steps)]
        return [Corner(one, rate) for one in costs for rate in rates]

    def at(self, corner: Corner) -> Question:
        """Return the question for one point of the box."""
        costs: CostModel | CaseCosts
        if isinstance(corner.costs, CaseFactors):
            assert isinstance(self.costs, CaseCosts)
            costs = self.costs.at(corner.costs)
        else:
            costs = corner.costs
        return replace(self, costs=costs, prevalence=corner.prevalence, objective="expected")

    def allowed(self, masses: RunningMasses | MassRows, *, over_range: bool = True) -> CutLimits | None:
        """Return the windows that keep the limits, at all prevalences of the range or in its middle.

        None without limits. `masses` are made under `rate`.
        """
        if not self.limits.kept():
            return None
        allowed = cut_limits(masses, self.limits)
        if over_range and isinstance(self.prevalence, tuple) and self.rate is not None:
            for rate in self.prevalence:
                scaled = masses.scaled(*prevalence_factors(rate, self.rate))
                allowed = allowed.both(cut_limits(scaled, self.limits))
        return allowed

    def never_abstaining(self) -> Question:
        """Return the same question for somebody who must decide every case."""
        if isinstance(self.costs, CaseCosts):
            return replace(self, costs=self.costs.never_abstaining())
        if isinstance(self.costs, CostRange):
            ends = {"cost_fn": tuple(self.costs.cost_fn), "cost_fp": tuple(self.costs.cost_fp)}
            return replace(self, costs=CostRange(**ends))
        return replace(
            self,
            costs=replace(
                self.point, cost_abstain=None, cost_abstain_positive=None, cost_abstain_negative=None
            ),
        )


def _is_range(costs: CostModel | CostRange | CaseCosts | None) -> bool:
    return costs.ranged if isinstance(costs, CaseCosts) else isinstance(costs, CostRange)


def _refuse_bounds(objective: str, limits: Limits) -> None:
    """What holds for every sample size is proven for costs by class only."""
    if objective == "guaranteed":
        raise InputError(
            "`objective` must not be 'guaranteed' with costs by case: amounts have no bound, so nothing is "
            "guaranteed for every sample size. Hint: the interval of the answer holds for large samples."
        )
    if limits.precision_confidence is not None:
        raise InputError(
            "`precision_confidence` needs costs by class. Hint: leave it out to keep the precisions among "
            "the cases at hand."
        )


def _prevalence(value: Any) -> float | Range | None:
    if not isinstance(value, (tuple, list)):
        return None if value is None else check_prevalence(value, positives=1.0, negatives=1.0)
    if len(value) != 2:
        raise input_error("prevalence", "must be a number or a pair (low, high)", repr(value))
    low, high = (check_prevalence(end, positives=1.0, negatives=1.0) for end in value)
    if low > high:
        raise input_error("prevalence", "must be a pair (low, high) with low <= high", repr(value))
    return low if low == high else (low, high)


def _refuse_rewards(costs: CostModel) -> None:
    """A reward for abstaining breaks the order negative, abstain, positive along the scores."""
    for name, value in (("positive", costs.nu_positive), ("negative", costs.nu_negative)):
        if value < 0 or math.isnan(value):
            raise input_error(
                "costs",
                "must not reward abstaining",
                f"a relative cost of {value:g} on a {name} case",
                "raise cost_abstain to at least the cost of a right answer.",
            )
