"""What a policy for many classes costs on later labelled cases, against what it promised."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from demur._checks import check_confidence_level, check_type, input_error
from demur._results import Interval, Result
from demur.comparison.classes.estimates import cost_of, shares_of
from demur.comparison.classes.judging import ClassCandidate
from demur.comparison.classes.question import ClassQuestion
from demur.comparison.classes.rows import ClassCases
from demur.comparison.classes.search import Chosen
from demur.typing import ArrayLike, FloatArray, Labels
from demur.windows.class_policy import ClassPolicy
from demur.windows.limits import Limits
from demur.windows.policy_evidence import promise_verdict

__all__ = ["ClassJudgement", "judge_class_policy"]


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class ClassJudgement(Result):
    """A policy for many classes judged on labelled cases; made by `judge_class_policy`.

    Attributes
    ----------
    n : float
        Number of cases; with weights the effective one.
    cost, interval : float, Interval
        Cost per case on these cases, and an interval for the true cost.
    promised_cost, promised_limit : float or None
        What the policy promised: its honest cost, and the upper end of its interval.
    broken : bool
        Whether the cost is certainly above the limit.
    verdict : str or None
        "not kept" if `broken`, "kept" if the interval of the cost ends at or below the limit, else "not yet
        certain"; None for a policy that promised nothing.
    confusion : array of shape (m, m + 1)
        Share of all cases by true class and answer, abstaining last.
    abstention_rate, error_rate : float
        Shares of the cases.
    confidence_level : float
    """

    n: float
    cost: float
    interval: Interval
    promised_cost: float | None
    promised_limit: float | None
    broken: bool
    confusion: FloatArray
    abstention_rate: float
    error_rate: float
    confidence_level: float
    _reported = ("verdict",)

    @property
    def verdict(self) -> str | None:
        """Whether the promise is kept, as far as these cases tell."""
        return promise_verdict(self.interval, self.promised_limit, broken=self.broken)


def judge_class_policy(
    policy: ClassPolicy,
    proba: ArrayLike,
    y_true: Labels,
    *,
    sample_weight: ArrayLike | None = None,
    confidence_level: float = 0.95,
) -> ClassJudgement:
    """Measure what a policy for many classes costs on labelled cases not used to choose it.

    Lower is better. Assumes that the cases are a random sample of those in use, or are weighted so
    that they stand for them.

    Parameters
    ----------
    policy : ClassPolicy
        With costs.
    proba : array of shape (n, m)
        Probabilities of its model, in the order of its classes.
    y_true : n labels
        True classes.
    sample_weight : n numbers, optional
        Importance weights, such as 1 / probability of being labelled.
    confidence_level : float, default 0.95

    Returns
    -------
    ClassJudgement
        With `cost`, `interval`, `promised_limit` and `verdict`.

    Raises
    ------
    InputError
        For a policy without costs, or cases that do not fit it.

    Examples
    --------
    >>> from demur import CostMatrix
    >>> from demur.comparison import judge_class_policy
    >>> from demur.windows import ClassPolicy, ClassRule
    >>> rule = ClassRule(classes=["a", "b", "c"], weights=[1, 1, 1])
    >>> policy = ClassPolicy(rule=rule, costs=CostMatrix.uniform(["a", "b", "c"]), expected_cost=0.1)
    >>> p = [[0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.6, 0.2, 0.2], [0.1, 0.1, 0.8]]
    >>> judged = judge_class_policy(policy, p, ["a", "b", "c", "c"])
    >>> judged.cost, judged.verdict
    (0.25, 'not yet certain')
    """
    check_type(policy, "policy", ClassPolicy)
    if policy.costs is None:
        raise input_error("policy", "must have costs", None, "make it with Policy.from_answer.")
    level = check_confidence_level(confidence_level)
    cases = ClassCases.of_rows(
        y_true,
        {"policy": proba},
        classes=policy.classes,
        sample_weight=sample_weight,
        weights="importance",
        seed=0,
        judged_only=True,
    )
    question = ClassQuestion.checked(
        costs=policy.costs,
        abstain_cost=None if policy.abstain_costs is None else list(policy.abstain_costs),
        classes=policy.classes,
        shares=None,
        objective=None,
        limits=Limits(),
        confidence_level=level,
        seed=0,
    )
    codes = policy.rule.codes(cases.proba["policy"]).astype(np.int16)
    rule = ClassCandidate(
        kind=policy.kind,
        model="policy",
        chosen=Chosen(policy.rule, 0.0),
        aim=0,
        honest=[codes],
        hindsight=codes,
        order=(0,),
        cases=cases,
    )
    estimate, confusion = cost_of(rule, question), shares_of(rule.honest_table, question)
    limit = policy.expected_cost if policy.expected_limit is None else policy.expected_limit
    answered = confusion[:, :-1]
    return ClassJudgement(
        n=cases.n,
        cost=estimate.cost,
        interval=estimate.interval,
        promised_cost=policy.expected_cost,
        promised_limit=limit,
        broken=limit is not None and estimate.interval.low > limit,
        confusion=confusion,
        abstention_rate=float(confusion[:, -1].sum()),
        error_rate=float(answered.sum() - np.trace(answered)),
        confidence_level=level,
    )
