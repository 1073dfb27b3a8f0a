"""`ReviewCascade`: a second reviewer for the cases the first one passes on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from demur._checks import check_amounts, check_labels, check_rate, check_type
from demur._results import Result
from demur.costs.reviewer import Reviewer
from demur.typing import ArrayLike, FloatArray, Labels

__all__ = ["ReviewCascade"]


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class ReviewCascade(Result):
    """Model, then a junior, then a senior: what a review costs if the junior passes hard cases on.

    Takes the place of a `Reviewer` in `CostModel` and `CaseCosts`: smaller costs are better. The junior
    is paid for every case, the senior for those passed on. Assumes that each errs on the cases that
    reach them as often as their rates say; take the rates from such cases.

    Parameters
    ----------
    junior : Reviewer
        Who sees every case the model abstains on; the rates are those on cases the junior decides.
    senior : Reviewer
        Who sees what the junior passes on; the rates are those on these cases.
    passed_on_positive, passed_on_negative : float
        Share of the positives, and of the negatives, that the junior passes on.

    Raises
    ------
    InputError
        For shares outside [0, 1].

    Notes
    -----
    With J and S what a review of a case by junior and senior costs (`Reviewer`), f the junior's fee and p
    the share passed on of the class of the case, the cascade costs f + (1 - p) (J - f) + p S.

    Examples
    --------
    A miss costs 100, a false alarm 40. A junior at 2 decides nine cases of ten and errs often, a senior at
    15 hardly ever. Is the cascade cheaper than either of them?

    >>> from demur import CostModel, Reviewer
    >>> from demur.costs import ReviewCascade
    >>> junior = Reviewer(fee=2, sensitivity=0.9, specificity=0.9)
    >>> senior = Reviewer(fee=15, sensitivity=0.99, specificity=0.99)
    >>> both = ReviewCascade(
    ...     junior=Reviewer(fee=2, sensitivity=0.97, specificity=0.97), senior=senior,
    ...     passed_on_positive=0.2, passed_on_negative=0.1,
    ... )
    >>> for reviewer in (junior, senior, both):
    ...     costs = CostModel(cost_fn=100, cost_fp=40, reviewer=reviewer)
    ...     print(round(costs.cost_abstain_positive, 2), round(costs.cost_abstain_negative, 2))
    12.0 6.0
    16.0 15.4
    7.6 4.62
    """

    junior: Reviewer
    senior: Reviewer
    passed_on_positive: float
    passed_on_negative: float

    def __post_init__(self) -> None:
        for name in ("junior", "senior"):
            check_type(getattr(self, name), name, Reviewer)
        for name in ("passed_on_positive", "passed_on_negative"):
            object.__setattr__(self, name, check_rate(getattr(self, name), name))
        # named, because a dataclass with slots is a new class and super() would miss it
        Result.__post_init__(self)

    @property
    def fee(self) -> Any:
        """Fee of the junior, which every case costs."""
        return self.junior.fee

    @property
    def sensitivity(self) -> float:
        """Share of the positives the two recognise together."""
        passed = self.passed_on_positive
        return (1 - passed) * self.junior.sensitivity + passed * self.senior.sensitivity

    @property
    def specificity(self) -> float:
        """Share of the negatives the two recognise together."""
        passed = self.passed_on_negative
        return (1 - passed) * self.junior.specificity + passed * self.senior.specificity

    @property
    def better_than_chance(self) -> bool:
        """Whether sensitivity and specificity add up to more than 1; if not, abstaining never pays."""
        return self.sensitivity + self.specificity > 1

    def review_costs(
        self, y_true: Labels, *, miss: ArrayLike, alarm: ArrayLike, pos_label: Any = None
    ) -> FloatArray:
        """Return what a review of every case costs, as `Reviewer.review_costs` does."""
        positive = check_labels(y_true, pos_label)
        first, second = (
            one.review_costs(positive, miss=miss, alarm=alarm) for one in (self.junior, self.senior)
        )
        passed = np.where(positive, self.passed_on_positive, self.passed_on_negative)
        fee = check_amounts(self.junior.fee, "fee")
        costs: FloatArray = fee + (1 - passed) * (first - fee) + passed * second
        return costs

    def class_costs(
        self, *, cost_fn: float, cost_fp: float, cost_tp: float = 0.0, cost_tn: float = 0.0
    ) -> tuple[float, float]:
        """Return the cost of reviewing a positive and a negative, where costs depend on the class only."""
        costs = {"cost_fn": cost_fn, "cost_fp": cost_fp, "cost_tp": cost_tp, "cost_tn": cost_tn}
        pairs = zip(self.junior.class_costs(**costs), self.senior.class_costs(**costs), strict=True)
        shares, fee = (self.passed_on_positive, self.passed_on_negative), float(self.junior.fee)
        positive, negative = (
            fee + (1 - passed) * (first - fee) + passed * second
            for passed, (first, second) in zip(shares, pairs, strict=True)
        )
        return positive, negative
