"""The answer: which rule to use at given costs, on honest numbers. The only place that decides.

`compare_models` computes, for models on the same cases, the candidates, their honest costs, paired
differences, guarantees, the answer and its words. The command line, the report, the page and the
estimators only show it.

Imports: honest, auc, windows, surface, costs, counts.
"""

from typing import TYPE_CHECKING

from demur._rooms import on_demand

if TYPE_CHECKING:
    from demur.comparison.answer import Answer, Versus
    from demur.comparison.classes.answer import ClassAnswer
    from demur.comparison.classes.comparison import ClassComparison, ClassModel, RuleCost
    from demur.comparison.classes.judgement import ClassJudgement, judge_class_policy
    from demur.comparison.comparison import Comparison, compare_models
    from demur.comparison.models import ModelComparison
    from demur.comparison.question import Limits, Question
    from demur.comparison.reviewers import ReviewerComparison, compare_reviewers

__all__ = [
    "Answer",
    "ClassAnswer",
    "ClassComparison",
    "ClassJudgement",
    "ClassModel",
    "Comparison",
    "Limits",
    "ModelComparison",
    "Question",
    "ReviewerComparison",
    "RuleCost",
    "Versus",
    "compare_models",
    "compare_reviewers",
    "judge_class_policy",
]

__getattr__, __dir__ = on_demand(__name__, __file__)
