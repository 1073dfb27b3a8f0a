"""`CaseCosts`: costs that differ from case to case, named as in `CostModel`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from demur._checks import check_labels, check_same_length, check_type, input_error
from demur._results import Result, json_safe
from demur.costs.losses import Losses
from demur.costs.model import ERRORS, REVIEWS, check_costs
from demur.costs.ranges import box_points, check_interval
from demur.costs.reviewer import ReviewCascade, Reviewer, number_or_amounts
from demur.counts.costs import ScoreCosts
from demur.typing import ArrayLike, BoolArray, FloatArray, IntArray, Labels

__all__ = ["CaseCosts", "CaseFactors"]

_FACTORS = ("miss_factor", "alarm_factor", "review_factor")


class CaseFactors(NamedTuple):
    """Factors of the three costs of a case: one point of the ranges of `CaseCosts`."""

    miss: float = 1.0
    alarm: float = 1.0
    review: float = 1.0


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class CaseCosts(Result):
    """What each outcome costs where that differs by case: a missed fraud costs its amount.

    Smaller is better. Each cost is one number for all cases or an array with one number per case, in the
    order of the labels; only the entries of the cases it concerns are used, so a column of amounts
    can be passed unchanged. Assumes that the amounts of the cases at hand resemble those to come. Amounts
    have no normal form with two parameters, so there is no cost curve and no VACC at such costs.

    Parameters
    ----------
    cost_fn : float or array of n numbers >= 0
        Cost of a miss: what a positive case costs if it is called negative.
    cost_fp : float or array of n numbers >= 0
        Cost of a false alarm: what a negative case costs if it is called positive.
    cost_abstain : float or array of n numbers >= 0, optional
        Cost of abstaining. None, also for the next three: abstaining is not an option.
    cost_abstain_positive, cost_abstain_negative : float or array of n numbers >= 0, optional
        Cost of abstaining by true class, each overriding `cost_abstain`.
    reviewer : Reviewer or ReviewCascade, optional
        Who takes the cases abstained on; replaces the cost of abstaining.
    cost_tp, cost_tn : float or array of n numbers >= 0, default 0
        Cost of a right answer.
    miss_factor, alarm_factor, review_factor : float or (low, high), default 1
        All costs of cases called negative, called positive, or reviewed times a factor; a range where it
        is not known, such as ``miss_factor=(0.4, 0.7)`` for the share of a balance that is lost.
    columns : mapping, optional
        Name of a cost -> where it came from, such as ``{"cost_fn": "amount"}`` or
        ``{"cost_fn": "0.6*amount"}``; policies keep it.
    known_at_decision : bool, default False
        Whether the amounts of a case are known when it is decided: then `compare_models` also tries rules
        that read them, and policies read their columns.

    Attributes
    ----------
    may_abstain : bool
        Whether a cost of abstaining is given.
    same_review : bool
        Whether a review costs the same whatever the class of the case.
    ranged : bool
        Whether a factor is a range.
    mean : CaseFactors
        The middle of every range of factors.

    Raises
    ------
    InputError
        For negative, missing or infinite amounts, or a cost of abstaining that is given twice.

    References
    ----------
    Elkan (2001), The foundations of cost-sensitive learning, IJCAI; windows as in Friedel, Rueckert,
    Kramer (2006).

    Examples
    --------
    A missed fraud costs its amount, a blocked good payment 25, a phone call 4. The call is worth it for
    the payments in the middle:

    >>> from demur import CaseCosts
    >>> fraud = [0, 0, 1, 0, 0, 1]
    >>> costs = CaseCosts(cost_fn=[60, 15, 40, 80, 20, 900], cost_fp=25, cost_abstain=4)
    >>> window = costs.score_costs(fraud, [0.1, 0.2, 0.3, 0.4, 0.6, 0.9]).window()
    >>> window.lower, window.upper, window.cost
    (0.25, 0.75, 2.0)
    """

    # numbers or arrays on the way in; floats or arrays that cannot be changed from then on
    cost_fn: Any
    cost_fp: Any
    cost_abstain: Any = None
    cost_tp: Any = 0.0
    cost_tn: Any = 0.0
    cost_abstain_positive: Any = None
    cost_abstain_negative: Any = None
    reviewer: Reviewer | ReviewCascade | None = None
    miss_factor: Any = 1.0
    alarm_factor: Any = 1.0
    review_factor: Any = 1.0
    columns: Mapping[str, str] = field(default_factory=dict)
    known_at_decision: bool = False
    may_abstain: bool = field(init=False)
    same_review: bool = field(init=False)
    ranged: bool = field(init=False)
    mean: CaseFactors = field(init=False)
    _evidence = ("may_abstain", "same_review", "ranged", "mean")

    def __post_init__(self) -> None:
        check_costs(self, number_or_amounts, self.reviewer)
        ranges = []
        for name in _FACTORS:
            factor = check_interval(
                getattr(self, name), name, least=0.0, rule="0 <= low <= high", example="(0.4, 0.7)"
            )
            object.__setattr__(self, name, factor)
            ranges.append(factor)
        reviews = [name for name in REVIEWS if getattr(self, name) is not None]
        known = {
            "may_abstain": self.reviewer is not None or bool(reviews),
            "same_review": reviews == ["cost_abstain"],
            "ranged": any(low < high for low, high in ranges),
            "mean": CaseFactors(*(low + (high - low) / 2 for low, high in ranges)),
        }
        for name, value in known.items():
            object.__setattr__(self, name, value)
        check_type(self.columns, "columns", Mapping)
        check_type(self.known_at_decision, "known_at_decision", bool)
        Result.__post_init__(self)

    # ---------------------------------------------------------------- costs of the cases

    def losses(self, y_true: Labels, *, pos_label: Any = None) -> Losses:
        """Return the loss of every case under each action, before the factors."""
        positive = check_labels(y_true, pos_label)
        for name in (*ERRORS, *REVIEWS):
            value = getattr(self, name)
            check_same_length(**{"y_true": positive, name: value if np.ndim(value) else None})
        miss = np.where(positive, self.cost_fn, self.cost_tn)
        alarm = np.where(positive, self.cost_tp, self.cost_fp)
        if self.reviewer is not None:
            review = self.reviewer.review_costs(positive, miss=miss, alarm=alarm)
        else:
            both = 0.0 if self.cost_abstain is None else self.cost_abstain
            by_class = (self.cost_abstain_positive, self.cost_abstain_negative)
            review = np.where(positive, *(both if cost is None else cost for cost in by_class))
        return Losses(
            by_case=np.column_stack([miss, alarm, review]),
            may_abstain=self.may_abstain,
            same_review=self.same_review,
        )

    def score_costs(self, y_true: Labels, y_score: ArrayLike, *, pos_label: Any = None) -> ScoreCosts:
        """Return the sums per distinct score, with factors in the middle of their ranges."""
        miss, alarm, review = self.losses(y_true, pos_label=pos_label).table.T
        sums = ScoreCosts.from_arrays(y_score, miss=miss, alarm=alarm, review=review)
        return sums if self.mean == CaseFactors() else sums.scaled(**self.mean._asdict())

    def take(self, rows: BoolArray | IntArray) -> CaseCosts:
        """Return the costs of some of the cases."""
        arrays = {name: value[rows] for name in (*ERRORS, *REVIEWS) if np.ndim(value := getattr(self, name))}
        return replace(self, **arrays, reviewer=_of_rows(self.reviewer, rows))

    def _amounts(self) -> dict[str, tuple[str, float, Any]]:
        """Return cost -> the column of its amounts, the factor of that column, and the amounts."""
        found = {name: value for name in (*ERRORS, *REVIEWS) if np.ndim(value := getattr(self, name))}
        # the fee of the person who sees every case
        first = getattr(self.reviewer, "junior", self.reviewer)
        if first is not None and np.ndim(first.fee):
            found["fee"] = first.fee
        return {name: (*_column(self.columns.get(name, name)), value) for name, value in found.items()}

    def known_columns(self) -> dict[str, FloatArray]:
        """Return the amounts of the cases by the name of their column, before the factors in `columns`."""
        found: dict[str, FloatArray] = {}
        for name, (column, factor, value) in self._amounts().items():
            amounts = value / factor if factor not in (0.0, 1.0) else value
            if not np.allclose(found.setdefault(column, amounts), amounts, rtol=1e-9, atol=0):
                raise input_error(
                    "columns", f"must not call different amounts {column!r}", f"those of {name} as well"
                )
        return found

    def linear_costs(self) -> FloatArray:
        """Return the costs by class and action as a constant and a factor of every known column.

        Costs are linear in the amounts, so those of cases with one amount of 1 and no others tell them all.
        Factors that are ranges stand at their middle.
        """
        columns = list(self.known_columns())
        unit = np.eye(1 + len(columns))
        arrays: dict[str, Any] = {
            name: factor * unit[:, 1 + columns.index(column)]
            for name, (column, factor, _) in self._amounts().items()
        }
        reviewer, fee = self.reviewer, arrays.pop("fee", None)
        if isinstance(reviewer, ReviewCascade) and fee is not None:
            reviewer = replace(reviewer, junior=replace(reviewer.junior, fee=fee))
        elif reviewer is not None and fee is not None:
            reviewer = replace(reviewer, fee=fee)
        alone = replace(self, **arrays, reviewer=reviewer, columns={})
        tables = [alone.losses(np.full(len(unit), kind)).table for kind in (False, True)]
        costs = np.stack(tables).transpose(0, 2, 1) * np.array(self.mean)[None, :, None]
        costs[:, :, 1:] -= costs[:, :, :1]
        # differences of costs leave errors of rounding in the last digits
        tidy = np.vectorize(lambda value: float(f"{value:.12g}"))(costs)
        return np.asarray(tidy if self.may_abstain else tidy[:, :2])

    def never_abstaining(self) -> CaseCosts:
        """Return the same costs with abstention disabled."""
        nothing: dict[str, Any] = dict.fromkeys(("reviewer", *REVIEWS))
        return replace(self, **nothing)

    # ---------------------------------------------------------------- factors

    def corners(self) -> list[CaseFactors]:
        """Return the distinct corners of the ranges, at most eight; the smallest factors first."""
        return self.grid(2)

    def grid(self, steps: int) -> list[CaseFactors]:
        """Return evenly spaced factors, `steps` along every range."""
        ranges = [getattr(self, name) for name in _FACTORS]
        return [CaseFactors(*point) for point in box_points(ranges, steps)]

    def at(self, factors: CaseFactors) -> CaseCosts:
        """Return the same costs with known factors."""
        known: dict[str, Any] = dict(zip(_FACTORS, factors, strict=True))
        return replace(self, **known)

    # ---------------------------------------------------------------- as values

    def to_dict(self) -> dict[str, Any]:
        """Return the costs as JSON-safe built-in types; of amounts only origin and extremes of all cases."""
        described = {
            name: _described(getattr(self, name), self.columns.get(name)) for name in (*ERRORS, *REVIEWS)
        }
        reviewer = None
        if self.reviewer is not None:
            fee = _described(self.reviewer.fee, self.columns.get("fee"))
            if isinstance(self.reviewer, ReviewCascade):
                reviewer = self.reviewer.to_dict()
                reviewer["junior"]["fee"] = fee
            else:
                rates = {name: getattr(self.reviewer, name) for name in ("sensitivity", "specificity")}
                reviewer = {"fee": fee, **rates}
        factors = {name: json_safe(getattr(self, name)) for name in _FACTORS}
        return {**described, "reviewer": reviewer, **factors}


def _column(described: str) -> tuple[str, float]:
    """Return the column and the factor that "amount" and "0.6*amount" mean."""
    factor, star, column = described.partition("*")
    try:
        return (column, float(factor)) if star and column else (described, 1.0)
    except ValueError:
        return described, 1.0


def _of_rows(reviewer: Any, rows: BoolArray | IntArray) -> Any:
    """Return a reviewer with the fees of some of the cases."""
    if isinstance(reviewer, ReviewCascade):
        stages = {name: _of_rows(getattr(reviewer, name), rows) for name in ("junior", "senior")}
        return replace(reviewer, **stages)
    if reviewer is None or not np.ndim(reviewer.fee):
        return reviewer
    return replace(reviewer, fee=reviewer.fee[rows])


def _described(value: Any, column: str | None) -> Any:
    """Return a number, or column and extremes of amounts; of sums of an engine the column only."""
    if np.ndim(value) == 0:
        return value if column is None else {"column": column}
    # no mean: it needs the classes, as most costs concern one of them (`incurred_costs`)
    ends = {"smallest": float(value.min()), "largest": float(value.max())}
    return {"column": column, "cases": len(value), **ends}
