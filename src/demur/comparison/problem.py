"""What a comparison is asked: costs, prevalence, limits and the aim of the choice."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from demur._checks import (
    check_choice,
    check_confidence_level,
    check_nonnegative,
    check_number,
    check_positive_int,
    check_prevalence,
    check_type,
    input_error,
)
from demur.costs.budget import Places
from demur.costs.case_costs import CaseCosts, CaseFactors
from demur.costs.class_costs import ClassCosts
from demur.costs.law import CostLaw
from demur.costs.losses import Losses
from demur.costs.matrix import CostMatrix
from demur.costs.model import CostModel
from demur.costs.prevalence import Prevalence
from demur.costs.ranges import CostRange
from demur.exceptions import InputError
from demur.surface.masses import RunningMasses
from demur.typing import FloatArray, Range
from demur.windows.limits import LIMITS, Limits
from demur.windows.search import CutLimits, MassRows, cut_limits, prevalence_factors

__all__ = ["INCLUDED", "OBJECTIVES", "Costs", "DecisionProblem", "Limits", "Scenario", "class_shares_of"]

INCLUDED = ("combinations", "cascades", "guards")
"""Rules of several models, or of a model and a doubt."""

OBJECTIVES = ("expected", "worst", "regret", "guaranteed")

Costs: TypeAlias = CostModel | CostRange | CaseCosts | ClassCosts
"""Costs of outcomes, each a number or a range: of two classes, by case, of many classes."""


def class_shares_of(prevalence: float | FloatArray | None) -> FloatArray | None:
    """Return P(class) in use from P(positive) or from the shares themselves; None for the sample's own."""
    if prevalence is None or isinstance(prevalence, np.ndarray):
        return prevalence
    return np.array([1 - prevalence, prevalence])


class Scenario(NamedTuple):
    """One point of the box of costs and prevalence.

    Where every case has its own costs, the point is given by factors on them. `shares` are P(class) in use,
    None for the sample's own; `unknown` is what an answer to a case costs whose class cannot be known.
    """

    costs: CostModel | CaseFactors | Losses
    shares: FloatArray | None
    unknown: float | None = None

    @property
    def rate(self) -> float | None:
        """P(positive) of two classes in use; None for the sample's own."""
        return None if self.shares is None else float(self.shares[1])

    @property
    def losses(self) -> Losses:
        """Losses by class; not for costs by case."""
        assert not isinstance(self.costs, CaseFactors)
        losses = self.costs.losses if isinstance(self.costs, CostModel) else self.costs
        return losses if self.unknown is None else losses.with_unknown(self.unknown)


@dataclass(frozen=True, kw_only=True, eq=False)
class DecisionProblem:
    """Everything an answer depends on besides the cases.

    Attributes
    ----------
    costs : CostModel, CostRange, CaseCosts, ClassCosts or None
        What outcomes cost; None: compare over all costs, no answer at a point.
    prevalence : float, (low, high), array or None
        P(positive) in use, or the share of each of many classes; None for the sample's own.
    objective : str
        What the choice minimises over a range of costs.
    limits : Limits
    confidence_level : float
    seed : int
    rate_variance : float
        Variance of P(positive) in use, where that is an estimate.
    include : tuple of str
        Rules of several models to choose among besides: "combinations", "cascades", "guards".
    prices : mapping
        Model -> what asking it for one case costs; empty where nothing is charged.
    budget : Places or None
        Number of reviews that people can do, by day or another period.
    doubt : str or None
        Known column that says how unfamiliar a case is.
    law : CostLaw or None
        What unknown costs of many classes are drawn from; None for two classes, and where costs are known.
    cost_unknown : float or None
        What an answer to a case costs whose class cannot be known; None where there is no such case.
    many, by_case, ranged, may_abstain : bool
        Whether there are more than two classes, every case has its own costs, a cost or the prevalence is a
        range, abstaining has a price.
    rate, shares : float, array, or None
        P(positive) and P(class) in use, in the middle of a range; None for the sample's own.
    """

    costs: Costs | None
    prevalence: float | Range | FloatArray | None
    objective: str
    limits: Limits
    confidence_level: float
    seed: int
    rate_variance: float = 0.0
    include: tuple[str, ...] = ()
    prices: Mapping[str, float] = field(default_factory=dict)
    budget: Places | None = None
    doubt: str | None = None
    law: CostLaw | None = None
    cost_unknown: float | None = None
    many: bool = field(init=False)
    by_case: bool = field(init=False)
    ranged: bool = field(init=False)
    may_abstain: bool = field(init=False)
    rate: float | None = field(init=False)
    shares: FloatArray | None = field(init=False)

    def __post_init__(self) -> None:
        costs, prevalence, rate = self.costs, self.prevalence, None
        if isinstance(prevalence, tuple):
            rate = prevalence[0] + (prevalence[1] - prevalence[0]) / 2
        elif not isinstance(prevalence, np.ndarray):
            rate = prevalence
        known = {
            "many": isinstance(costs, ClassCosts) or self.law is not None,
            "by_case": isinstance(costs, CaseCosts),
            "ranged": (costs is not None and costs.ranged) or isinstance(prevalence, tuple),
            "may_abstain": costs is not None and costs.may_abstain,
            "rate": rate,
            "shares": class_shares_of(prevalence if isinstance(prevalence, np.ndarray) else rate),
        }
        for name, value in known.items():
            object.__setattr__(self, name, value)

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
        include: Any = (),
        prices: Any = None,
        budget: Places | None = None,
        doubt: str | None = None,
        cost_unknown: Any = None,
    ) -> DecisionProblem:
        """Check what a user passes; the objective defaults to regret for ranges, else expected."""
        law, costs = (costs, None) if isinstance(costs, CostLaw) else (None, costs)
        if costs is not None and not isinstance(costs, (CostRange, CaseCosts, ClassCosts)):
            check_type(costs, "costs", CostModel)
        if isinstance(costs, CostRange) and costs.is_point:
            costs = costs.mean
        many = isinstance(costs, ClassCosts) or law is not None
        unsure = 0.0
        if isinstance(prevalence, Prevalence):
            prevalence, unsure = prevalence.rate, prevalence.variance
        rate = prevalence if many or prevalence is None else _prevalence(prevalence)
        limits.check_prevalence(rate)
        ranged = (costs is not None and costs.ranged) or isinstance(rate, tuple)
        aim = ("regret" if ranged else "expected") if objective is None else objective
        check_choice(aim, "objective", OBJECTIVES[:3] if many else OBJECTIVES)
        names = [include] if isinstance(include, str) else include
        included = tuple(dict.fromkeys(check_choice(name, "include", INCLUDED) for name in names))
        prices = {} if prices is None else prices
        check_type(prices, "prices", Mapping)
        asked = {
            str(name): float(check_nonnegative(price, f"prices[{name!r}]")) for name, price in prices.items()
        }
        joint: dict[str, Any] = {"include": included, "prices": asked}
        wanted = [*([] if objective is None else ["objective"]), *limits.given()]
        wanted += [name for name, value in joint.items() if value]
        wanted += [] if cost_unknown is None else ["cost_unknown"]
        if costs is None and wanted:
            how = "{true: {answer: cost}}" if many else "CostModel(...)"
            raise InputError(f"`{wanted[0]}` needs costs. Hint: pass costs={how}.")
        if cost_unknown is not None:
            cost_unknown = float(
                check_nonnegative(check_number(cost_unknown, "cost_unknown"), "cost_unknown")
            )
        problem = cls(
            costs=costs,
            prevalence=rate,
            objective=aim if ranged or aim == "guaranteed" else "expected",
            limits=limits,
            confidence_level=check_confidence_level(confidence_level),
            seed=check_positive_int(seed, "seed", minimum=0),
            rate_variance=unsure,
            **joint,
            budget=budget,
            doubt=doubt,
            law=law,
            cost_unknown=cost_unknown,
        )
        _refuse_contradictions(problem)
        return problem

    @property
    def point(self) -> CostModel:
        """The costs by class, or the middle of their ranges."""
        if not isinstance(self.costs, (CostModel, CostRange)):
            raise ValueError("this comparison was made without costs by class")
        return self.costs.mean

    @property
    def centre(self) -> Scenario:
        """The costs and the prevalence, or the middle of their ranges."""
        assert self.costs is not None
        return Scenario(self.costs.mean, self.shares, self.cost_unknown)

    @property
    def chosen_for(self) -> CostModel | CaseCosts | CostMatrix:
        """The costs a rule is chosen for: those of each case, or by class, in the middle of their ranges."""
        if isinstance(self.costs, ClassCosts):
            return self.costs.matrix()
        return self.costs if isinstance(self.costs, CaseCosts) else self.point

    def corners(self) -> list[Scenario]:
        """Return the corners of the box of costs and prevalence; the point itself without ranges."""
        rates = self.prevalence if isinstance(self.prevalence, tuple) else (self.prevalence,)
        costs = [] if self.costs is None else self.costs.corners()
        shares = [class_shares_of(rate) for rate in rates]
        return [Scenario(one, share, self.cost_unknown) for one in costs for share in shares]

    def grid(self, steps: int) -> list[Scenario]:
        """Return evenly spaced points of the box, `steps` along everything that is a range."""
        rates: list[Any] = [self.prevalence]
        if isinstance(self.prevalence, tuple):
            rates = [float(value) for value in np.linspace(*self.prevalence, steps)]
        costs = [] if self.costs is None else self.costs.grid(steps)
        shares = [class_shares_of(rate) for rate in rates]
        return [Scenario(one, share, self.cost_unknown) for one in costs for share in shares]

    def at(self, scenario: Scenario) -> DecisionProblem:
        """Return the problem for one point of the box."""
        costs: Any = scenario.costs
        if isinstance(self.costs, (CaseCosts, ClassCosts)):
            costs = self.costs.at(costs)
        prevalence = scenario.shares if self.many else scenario.rate
        return replace(self, costs=costs, prevalence=prevalence, objective="expected")

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

    def alone(self, model: str) -> dict[str, Any]:
        """Return what to ask instead about a model without the others: nothing of several, its own price."""
        return {
            "include": (),
            "prices": {name: price for name, price in self.prices.items() if name == model},
        }

    def never_abstaining(self) -> DecisionProblem:
        """Return the same problem with abstention disabled."""
        assert self.costs is not None
        return replace(self, costs=self.costs.never_abstaining())


def _refuse_contradictions(problem: DecisionProblem) -> None:
    """Refuse what is not defined, or not searched for, beside each other."""
    costs, limits, guaranteed = problem.costs, problem.limits, problem.objective == "guaranteed"
    if problem.ranged and limits.precision_confidence is not None:
        raise InputError(
            "`precision_confidence` needs one prevalence and costs without ranges. "
            "Hint: promise the precision at the middle of the ranges."
        )
    if guaranteed and (problem.ranged or limits.given()):
        what = "ranges" if problem.ranged else "limits"
        raise InputError(
            f"`objective` must not be 'guaranteed' with {what}. "
            "Hint: with any other objective the answer shows its guarantee as well."
        )
    if problem.cost_unknown is not None:
        tables = (
            []
            if costs is None or problem.by_case
            else [Scenario(one, None).losses.table for one in costs.corners()]
        )
        _refuse_beside(
            "cost_unknown",
            {
                "costs by case": problem.by_case,
                "a price of abstaining that differs by class": any(np.ptp(one[:, -1]) > 0 for one in tables),
                "a prevalence in use": problem.prevalence is not None,
                "objective='guaranteed'": guaranteed,
                "limits": bool(limits.given()) and not problem.many,
                "include, prices or a budget": bool(problem.include or problem.prices or problem.budget),
            },
        )
    if problem.budget is not None:
        if not problem.may_abstain:
            hint = "Hint: cost_abstain=0 if it is free."
            raise InputError(f"`budget` needs costs with a price of a review. {hint}")
        _refuse_beside(
            "budget",
            {
                "more than two classes": problem.many,
                "max_abstention, a share": limits.max_abstention is not None,
                "other limits": bool(limits.given()),
                "a range of prevalences": isinstance(problem.prevalence, tuple),
                "objective='guaranteed'": guaranteed,
                "include": bool(problem.include),
            },
        )
    if problem.many:
        _refuse_of_two_classes(problem)
    elif problem.by_case and guaranteed:
        raise InputError(
            "`objective` must not be 'guaranteed' with costs by case: amounts have no bound, so nothing is "
            "guaranteed for every sample size. Hint: the interval of the answer holds for large samples."
        )
    elif problem.by_case and limits.precision_confidence is not None:
        raise InputError(
            "`precision_confidence` needs costs by class. Hint: leave it out to keep the precisions among "
            "the cases at hand."
        )
    elif costs is not None and not problem.by_case:
        _refuse_rewards(costs.corners())


def _refuse_beside(name: str, others: Mapping[str, bool]) -> None:
    """Refuse an argument beside the first of some others that is given."""
    for what, given in others.items():
        if given:
            raise InputError(f"`{name}` must not stand beside {what}. Hint: leave one of them out.")


def _refuse_of_two_classes(problem: DecisionProblem) -> None:
    """Refuse what has a meaning for two classes only."""
    meant = [limit.name for limit in LIMITS if limit.many_classes]
    for name, value in problem.limits.given().items():
        if name not in meant:
            raise InputError(
                f"`{name}` is for two classes, got {value!r} beside more. Hint: leave it out; "
                f"{' and '.join(meant)} limits the reviews of any number of classes."
            )
    for name in ("include", "prices"):
        if getattr(problem, name):
            raise InputError(f"`{name}` is for two classes. Hint: leave it out beside more.")


def _prevalence(value: Any) -> float | Range:
    """Require P(positive), or a range of it."""
    if not isinstance(value, (tuple, list)):
        return check_prevalence(value, positives=1.0, negatives=1.0)
    if len(value) != 2:
        raise input_error("prevalence", "must be a number or a pair (low, high)", repr(value))
    low, high = (check_prevalence(end, positives=1.0, negatives=1.0) for end in value)
    if low > high:
        raise input_error("prevalence", "must be a pair (low, high) with low <= high", repr(value))
    return low if low == high else (low, high)


def _refuse_rewards(points: Sequence[Any]) -> None:
    """A reward for abstaining breaks the order negative, abstain, positive along the scores."""
    for costs in points:
        for name, value in (("positive", costs.nu_positive), ("negative", costs.nu_negative)):
            if value < 0 or math.isnan(value):
                raise input_error(
                    "costs",
                    "must not reward abstaining",
                    f"a relative cost of {value:g} on a {name} case",
                    "raise cost_abstain to at least the cost of a right answer.",
                )
