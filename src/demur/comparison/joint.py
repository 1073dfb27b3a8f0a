"""Models of which joint counts are at hand: split by the seed, judged on the same cells, paired."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np

from demur.comparison.question import Question
from demur.costs.case_costs import CaseCosts
from demur.exceptions import InputError
from demur.honest.cases import JudgedModel, SplitCases
from demur.paired.joint import JointCounts
from demur.typing import FloatArray

__all__ = ["JointCases", "joint_cases"]


class JointCases(NamedTuple):
    """Splits that all models share, their scores, how each is judged, and what bins leave open."""

    cases: SplitCases
    scores: Mapping[str, FloatArray]
    judging: Mapping[str, Callable[[], JudgedModel]]
    notes: tuple[str, ...]


def joint_cases(joint: JointCounts, question: Question) -> JointCases:
    """Deal out the cases of every cell to the folds: positives first, as splits of rows have them."""
    costs = question.costs
    if isinstance(costs, CaseCosts):
        raise InputError(
            "`costs` by case need the cases themselves, got counts. Hint: pass labels and scores."
        )
    cell = np.concatenate([np.flatnonzero(joint.positives > 0), np.flatnonzero(joint.negatives > 0)])
    positive = np.arange(len(cell)) < np.count_nonzero(joint.positives > 0)
    sizes = np.where(positive, joint.positives[cell], joint.negatives[cell])
    cases = SplitCases.of_rows(
        positive,
        sizes,
        weights="repeats",
        prevalence=question.rate,
        folds=None,
        repeats=None,
        rng=question.seed,
        quantity="a comparison",
    )
    cases = replace(cases, source="counts")
    scores = {name: joint.lower[name][cell] for name in joint.models}
    judging = {name: partial(cases.judge, column, joint.binned(name)) for name, column in scores.items()}
    if joint.exact:
        return JointCases(cases, scores, judging, ())
    bins = {name: len(np.unique(joint.lower[name])) for name in joint.models}
    listed = ", ".join(f"{number} of {name}" for name, number in bins.items())
    bound = joint.certified(costs, prevalence=question.rate)
    words = "at any costs" if costs is None else "at these costs"
    note = (
        f"Scores were counted in bins ({listed}). Costs of the rules shown are exact; {words} a window with "
        f"thresholds inside a bin costs at most {bound:.1e} times the more expensive error less per case."
    )
    return JointCases(cases, scores, judging, (note,))
