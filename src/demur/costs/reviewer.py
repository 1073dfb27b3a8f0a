"""`Reviewer`: a person who takes the cases the model abstains on, for a fee, and errs.

`ReviewCascade`: a second reviewer for the cases the first one passes on.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from demur._checks import (
    check_amounts,
    check_labels,
    check_number,
    check_rate,
    check_same_length,
    check_type,
    input_error,
)
from demur._results import Result
from demur.typing import ArrayLike, FloatArray, Labels

__all__ = ["ReviewCascade", "Reviewer", "number_or_amounts"]


def number_or_amounts(value: Any, name: str) -> Any:
    """Return one amount as a float, or one per case as an array."""
    amounts = check_amounts(value, name)
    return amounts if amounts.ndim else float(amounts)


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Reviewer(Result):
    """What a review costs where the reviewer has a price and makes mistakes; smaller is better.

    Abstaining hands a case to a person. The person is paid, calls a share of the positives negative
    and a share of the negatives positive, and these mistakes cost what mistakes of the model cost.
    Assumes that the reviewer errs as often on the cases handed over as on others; hard cases are
    often hard for people too, so take the rates from reviewed cases.

    Parameters
    ----------
    fee : float or array of n numbers >= 0
        What a review costs, whatever comes of it. One number per case for `review_costs` only.
    sensitivity : float, default 1
        Share of the positives the reviewer recognises.
    specificity : float, default 1
        Share of the negatives the reviewer recognises.

    Raises
    ------
    InputError
        For a negative or missing fee, or rates outside [0, 1].

    Notes
    -----
    With costs a of calling a case negative and b of calling it positive, a review costs
    fee + (1 - sensitivity) a + sensitivity b on a positive and
    fee + (1 - specificity) b + specificity a on a negative. Where right answers cost nothing these are
    fee + (1 - sensitivity) a and fee + (1 - specificity) b.

    Examples
    --------
    A miss costs 100, a false alarm 40. Is a review of 10 worth it if it finds 95 % of the positives
    and clears 90 % of the negatives?

    >>> from demur import CostModel, Reviewer
    >>> reviewer = Reviewer(fee=10, sensitivity=0.95, specificity=0.9)
    >>> costs = CostModel(cost_fn=100, cost_fp=40, reviewer=reviewer)
    >>> round(costs.cost_abstain_positive, 6), round(costs.cost_abstain_negative, 6)
    (15.0, 14.0)
    >>> costs.abstaining_never_pays
    False
    >>> CostModel(cost_fn=100, cost_fp=40, reviewer=Reviewer(fee=25, specificity=0.8)).abstaining_never_pays
    True
    """

    # a number or an array on the way in; a float or an array that cannot be changed from then on
    fee: Any
    sensitivity: float = 1.0
    specificity: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "fee", number_or_amounts(self.fee, "fee"))
        for name in ("sensitivity", "specificity"):
            object.__setattr__(self, name, check_rate(getattr(self, name), name))
        # named, because a dataclass with slots is a new class and super() would miss it
        Result.__post_init__(self)

    @property
    def better_than_chance(self) -> bool:
        """Whether sensitivity and specificity add up to more than 1; if not, abstaining never pays.

        Deciding all cases of the window one way is then as cheap, whatever the amounts and the fee.
        """
        return self.sensitivity + self.specificity > 1

    def review_costs(
        self, y_true: Labels, *, miss: ArrayLike, alarm: ArrayLike, pos_label: Any = None
    ) -> FloatArray:
        """Return what a review of every case costs: the `review` of `ScoreCosts.from_arrays`.

        Parameters
        ----------
        y_true : array of n labels
            Two distinct values.
        miss, alarm : float or array of n numbers >= 0
            Cost if a case is called negative, and if it is called positive.
        pos_label : label, optional
            The positive label; may be left out for {0, 1}, {-1, 1} and bool.

        Returns
        -------
        array of n numbers
            Element i is the expected cost of a review of case i.

        Examples
        --------
        >>> from demur import Reviewer
        >>> reviewer = Reviewer(fee=4, sensitivity=0.75)
        >>> reviewer.review_costs([1, 1, 0], miss=[900, 40, 0], alarm=[0, 0, 25]).tolist()
        [229.0, 14.0, 4.0]
        """
        positive = check_labels(y_true, pos_label)
        amounts = {"miss": check_amounts(miss, "miss"), "alarm": check_amounts(alarm, "alarm")}
        for name, column in {**amounts, "fee": np.asarray(self.fee)}.items():
            check_same_length(**{"y_true": positive, name: column if column.ndim else None})
        called_positive = np.where(positive, self.sensitivity, 1 - self.specificity)
        called_negative = np.where(positive, 1 - self.sensitivity, self.specificity)
        costs: FloatArray = self.fee + called_negative * amounts["miss"] + called_positive * amounts["alarm"]
        return costs

    def class_costs(
        self, *, cost_fn: float, cost_fp: float, cost_tp: float = 0.0, cost_tn: float = 0.0
    ) -> tuple[float, float]:
        """Return the cost of reviewing a positive and a negative, where costs depend on the class only."""
        if np.ndim(self.fee):
            hint = "for fees by case use review_costs and ScoreCosts."
            raise input_error("fee", "must be one number for costs by class", f"{len(self.fee)} fees", hint)
        miss, alarm, hit, rejection = (
            check_number(value, name)
            for value, name in (
                (cost_fn, "cost_fn"),
                (cost_fp, "cost_fp"),
                (cost_tp, "cost_tp"),
                (cost_tn, "cost_tn"),
            )
        )
        return (
            self.fee + (1 - self.sensitivity) * miss + self.sensitivity * hit,
            self.fee + (1 - self.specificity) * alarm + self.specificity * rejection,
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Reviewer):
            return NotImplemented
        rates = (self.sensitivity, self.specificity) == (other.sensitivity, other.specificity)
        return rates and np.array_equal(self.fee, other.fee)

    def __hash__(self) -> int:
        return hash((np.asarray(self.fee).tobytes(), self.sensitivity, self.specificity))


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
