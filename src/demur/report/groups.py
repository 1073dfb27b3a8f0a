"""The rule of the answer in groups of cases: share decided, errors and cost, with joint intervals."""

from dataclasses import dataclass

import numpy as np

from demur._results import Result
from demur.comparison.comparison import Comparison
from demur.exceptions import InputError
from demur.monitoring.judgement import GroupJudgement, judge_policy
from demur.policy.policy import Policy
from demur.typing import ArrayLike, Labels
from demur.windows.rule import Window

__all__ = ["RuleByGroup", "rule_by_group"]


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class RuleByGroup(Result):
    """One rule judged by `judge_policy` in every group of some cases.

    Attributes
    ----------
    model : str
        Of the rule.
    lower, upper : float
        Its thresholds.
    groups : tuple of GroupJudgement
        Intervals hold for all groups together.
    overall : GroupJudgement
        All cases.
    hindsight : bool
        Whether these are the cases that chose the rule; on later ones the judgement is honest.
    """

    model: str
    lower: float
    upper: float
    groups: tuple[GroupJudgement, ...]
    overall: GroupJudgement
    hindsight: bool


def rule_by_group(
    comparison: Comparison | None, y_true: Labels, y_score: ArrayLike, groups: ArrayLike
) -> RuleByGroup:
    """Judge the rule of an answer in every group; one without a model is refused."""
    answer = None if comparison is None else comparison.answer
    if comparison is None or answer is None or answer.model is None:
        raise InputError(
            "`with_groups` needs the rule of a model, and this report has none. "
            "Hint: a rule without a model treats all groups alike."
        )
    if comparison.choice is not None and comparison.choice.first.cluster is not None:
        raise InputError(
            "`with_groups` takes cases as independent, and this report counts clusters. "
            "Hint: make a report of every group."
        )
    policy = Policy.from_answer(answer)
    assert isinstance(policy.rule, Window), "an answer between two classes has a window"
    level = comparison.problem.confidence_level
    judged = judge_policy(policy, y_score, y_true, groups=groups, confidence_level=level)
    return RuleByGroup(
        model=answer.model,
        lower=policy.rule.lower,
        upper=policy.rule.upper,
        groups=judged.groups,
        overall=judged.overall,
        hindsight=np.array_equal(np.asarray(y_score), comparison.judged[answer.model].scores),
    )
