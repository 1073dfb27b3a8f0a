"""`CostModel`: named costs of errors and of abstaining, and their normal form (mu, nu)."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import InitVar, dataclass, field, replace
from typing import Any, ClassVar

import numpy as np

from demur._checks import (
    LARGEST_COST,
    check_finite,
    check_nonnegative,
    check_number,
    check_probability,
    check_summable,
    check_type,
    input_error,
)
from demur._results import Result, as_scalar
from demur.costs.losses import Losses
from demur.costs.reviewer import ReviewCascade, Reviewer
from demur.exceptions import UndefinedError
from demur.typing import ArrayLike, Scalar

__all__ = ["ERRORS", "REVIEWS", "CostModel", "check_costs", "probability_cost"]

ERRORS = ("cost_fn", "cost_fp", "cost_tp", "cost_tn")
"""Names of the costs of wrong and of right answers."""
REVIEWS = ("cost_abstain", "cost_abstain_positive", "cost_abstain_negative")
"""Names of the costs of abstaining."""


def _amount(value: float, name: str) -> float:
    """Return one cost, finite and small enough to add up."""
    return float(check_summable(check_number(value, name), name))


def check_costs(
    costs: Any, check: Callable[[Any, str], Any], reviewer: Reviewer | ReviewCascade | None = None
) -> None:
    """Put every named cost through a check, by (value, name); costs of abstaining may be None.

    Refuses a cost of abstaining beside a reviewer, or for one class only.
    """
    for name in (*ERRORS, *REVIEWS):
        value = getattr(costs, name)
        if value is not None or name in ERRORS:
            object.__setattr__(costs, name, check(value, name))
    given = {name: value for name in REVIEWS if (value := getattr(costs, name)) is not None}
    if reviewer is not None:
        if not isinstance(reviewer, ReviewCascade):
            check_type(reviewer, "reviewer", Reviewer)
        for name, value in given.items():
            hint = "the fee and the mistakes of the reviewer are the cost of abstaining."
            got = "both" if np.ndim(value) else value
            raise input_error(name, "must be left out beside reviewer", got, hint)
    if len(given) == 1 and "cost_abstain" not in given:
        missing = next(name for name in REVIEWS[1:] if name not in given)
        raise input_error(
            missing, "is needed with the cost for the other class", None, "or set cost_abstain."
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class CostModel(Result):
    """What each outcome costs, in any unit; smaller is better.

    Costs are named, never positional, so no matrix can be read transposed. Only two (with
    abstention three) ratios matter for decisions: the normal form (mu, nu), in which a
    missed positive costs 1 and a right answer 0.

    Parameters
    ----------
    cost_fn : float, default 1
        Cost of a miss: a positive called negative. Must exceed `cost_tp`.
    cost_fp : float, default 1
        Cost of a false alarm: a negative called positive. At least `cost_tn`.
    cost_abstain : float, optional
        Cost of abstaining on a case of either class. None: abstaining is not an option.
    cost_tp, cost_tn : float, default 0
        Cost of a right answer; negative for a gain.
    cost_abstain_positive, cost_abstain_negative : float, optional
        Cost of abstaining by true class, each overriding `cost_abstain`.
    reviewer : Reviewer or ReviewCascade, optional
        Who takes the cases abstained on: sets the cost of abstaining by true class. These two costs
        are what counts; `hired` remembers who they came from.

    Attributes
    ----------
    mu : float
        Relative cost of a false alarm: (C(N,p) - C(N,n)) / (C(P,n) - C(P,p)).
    nu_positive, nu_negative : float
        Relative cost of abstaining on a positive and on a negative; infinite where that is no option.
    may_abstain : bool
        Whether a cost of abstaining is given.
    hired : Reviewer, ReviewCascade or None
        The reviewer the costs of abstaining came from; None where they were given themselves.
    ranged : bool
        Whether a cost is a range: never. One point is a range of no width, so who takes ranges need not ask
        which of the two it was given.

    Raises
    ------
    InputError
        If a miss does not cost more than a hit, or a false alarm costs less than a correct rejection:
        the normal form (Friedel et al. 2006, section 2) divides by the former.

    Examples
    --------
    A miss costs 100, a false alarm 40, a review by a person 12:

    >>> from demur import CostModel
    >>> costs = CostModel(cost_fn=100, cost_fp=40, cost_abstain=12)
    >>> costs.mu, costs.nu
    (0.4, 0.12)
    >>> costs.expected_cost(0.05, prevalence=0.3)
    5.0
    """

    cost_fn: float = 1.0
    cost_fp: float = 1.0
    cost_abstain: float | None = None
    cost_tp: float = 0.0
    cost_tn: float = 0.0
    cost_abstain_positive: float | None = None
    cost_abstain_negative: float | None = None
    reviewer: InitVar[Reviewer | ReviewCascade | None] = None
    hired: Reviewer | ReviewCascade | None = field(init=False, default=None, repr=False, compare=False)
    mu: float = field(init=False, repr=False, compare=False)
    nu_positive: float = field(init=False, repr=False, compare=False)
    nu_negative: float = field(init=False, repr=False, compare=False)
    may_abstain: bool = field(init=False, repr=False, compare=False)
    ranged: ClassVar[bool] = False
    _evidence = ("hired", "mu", "nu_positive", "nu_negative", "may_abstain")

    def __post_init__(self, reviewer: Reviewer | ReviewCascade | None) -> None:
        check_costs(self, _amount, reviewer)
        if self.cost_fn <= self.cost_tp:
            raise input_error(
                "cost_fn", f"must exceed cost_tp = {self.cost_tp:g}", f"{self.cost_fn:g}", "a miss must hurt."
            )
        if self.cost_fp < self.cost_tn:
            raise input_error("cost_fp", f"must be at least cost_tn = {self.cost_tn:g}", f"{self.cost_fp:g}")
        if reviewer is not None:
            prices = reviewer.class_costs(**{name: getattr(self, name) for name in ERRORS})
            for name, cost in zip(REVIEWS[1:], prices, strict=True):
                object.__setattr__(self, name, cost)
            object.__setattr__(self, "hired", reviewer)
        unit = self.cost_fn - self.cost_tp
        ratios = {"mu": (self.cost_fp - self.cost_tn) / unit}
        for name, right in (("positive", self.cost_tp), ("negative", self.cost_tn)):
            by_class = getattr(self, f"cost_abstain_{name}")
            review = self.cost_abstain if by_class is None else by_class
            ratios[f"nu_{name}"] = math.inf if review is None else (review - right) / unit
        may_abstain = self.cost_abstain is not None or self.cost_abstain_positive is not None
        for name, value in {**ratios, "may_abstain": may_abstain}.items():
            object.__setattr__(self, name, value)
        if max(abs(ratio) for ratio in (ratios.values() if may_abstain else [self.mu])) > LARGEST_COST:
            others = f"at most {LARGEST_COST:g} times smaller than the other costs"
            raise input_error("cost_fn", f"must be {others}", f"{self.cost_fn:g}")

    @property
    def abstaining_never_pays(self) -> bool:
        """Whether abstaining is never cheaper than deciding, whatever the model and the scores.

        So it is unless mu nu_positive + nu_negative < mu (lemma 1 of Friedel et al. 2006, by class).
        For a reviewer, right answers costing nothing, this asks for sensitivity + specificity - 1 >
        fee (1 / cost_fn + 1 / cost_fp).
        """
        return not self.mu * self.nu_positive + self.nu_negative < self.mu

    @property
    def nu(self) -> float:
        """Relative cost of abstaining, where it is the same for both classes."""
        if self.nu_positive != self.nu_negative:
            raise UndefinedError(
                f"nu differs by class here: {self.nu_positive:g} for positives, "
                f"{self.nu_negative:g} for negatives. "
                "Hint: use nu_positive and nu_negative."
            )
        return self.nu_positive

    @property
    def mean(self) -> CostModel:
        """The costs themselves."""
        return self

    def grid(self, steps: int = 1) -> list[CostModel]:
        """Return the costs themselves, the only point there is."""
        return [self]

    corners = grid

    def never_abstaining(self) -> CostModel:
        """Return the same costs with abstention disabled."""
        return replace(self, cost_abstain=None, cost_abstain_positive=None, cost_abstain_negative=None)

    @property
    def losses(self) -> Losses:
        """Cost of each action by class, negatives first."""
        by_class, both = (self.cost_abstain_negative, self.cost_abstain_positive), self.cost_abstain or 0.0
        negative, positive = (both if cost is None else cost for cost in by_class)
        table = [[self.cost_tn, self.cost_fp, negative], [self.cost_fn, self.cost_tp, positive]]
        return Losses(by_class=np.array(table), may_abstain=self.may_abstain)

    def expected_cost(self, normalized: ArrayLike, prevalence: ArrayLike) -> Scalar:
        """Convert a normalised cost back to the user's unit, per case.

        (C(P,n) - C(P,p)) c + C(P,p) pi + C(N,n) (1 - pi), with c the normalised cost.
        """
        cost = check_finite(normalized, "normalized")
        rate = check_probability(prevalence, "prevalence")
        unit = self.cost_fn - self.cost_tp
        return as_scalar(np.asarray(unit * cost + self.cost_tp * rate + self.cost_tn * (1 - rate)))

    def probability_cost(self, prevalence: ArrayLike) -> Scalar:
        """Return PC(+), the operating point of Drummond and Holte for these costs."""
        return probability_cost(prevalence, self.cost_fn - self.cost_tp, self.cost_fp - self.cost_tn)


def probability_cost(prevalence: ArrayLike, cost_fn: ArrayLike, cost_fp: ArrayLike) -> Scalar:
    """Return PC(+) = p C(-|+) / [p C(-|+) + (1 - p) C(+|-)], the x axis of a cost curve.

    Between 0 (only false alarms matter) and 1 (only misses matter). Prevalence and costs
    enter only through their product, so doubling `cost_fn` and doubling the odds of the
    positives are the same operating point.

    Parameters
    ----------
    prevalence : float or array
        P(positive) in use.
    cost_fn, cost_fp : float or array
        Costs of a miss and of a false alarm, not negative.

    Returns
    -------
    float or array
        The operating point.

    Raises
    ------
    UndefinedError
        If both products are zero: nothing can go wrong there.

    References
    ----------
    Drummond and Holte (2006), Machine Learning 65, eq. 1, doi:10.1007/s10994-006-8199-5.

    Examples
    --------
    >>> from demur.costs import probability_cost
    >>> round(probability_cost(0.2, cost_fn=5, cost_fp=1), 4)
    0.5556
    """
    rate = check_probability(prevalence, "prevalence")
    misses = rate * check_nonnegative(cost_fn, "cost_fn")
    alarms = (1 - rate) * check_nonnegative(cost_fp, "cost_fp")
    total = np.asarray(misses + alarms)
    if np.any(total == 0):
        raise UndefinedError(
            "`cost_fn` and `cost_fp` must not both be without effect, got an expected worst cost of 0. "
            "Hint: give a positive cost to a class with positive prevalence."
        )
    return as_scalar(np.asarray(misses / total))
