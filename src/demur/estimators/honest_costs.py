"""Honest costs of rules that are learned from out-of-fold scores."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from demur._checks import check_confidence_level
from demur._progress import Progress
from demur.comparison.combination_learner import RowsLearner
from demur.comparison.problem import DecisionProblem, Limits
from demur.comparison.training_losses import TrainingLosses
from demur.costs.model import CostModel
from demur.estimators.out_of_fold import TrainingCases
from demur.honest.cases import SplitCases, clusters_of
from demur.honest.decisions import Judged
from demur.honest.evaluate import Inputs, evaluate
from demur.honest.expected_cost import ExpectedCost, expected_cost_of, judged_rule
from demur.typing import BoolArray, FloatArray

__all__ = ["honest_costs", "plain_problem", "weighted_losses"]


def plain_problem(costs: CostModel, level: float = 0.95, **parts: Any) -> DecisionProblem:
    """Return the problem of known costs at the prevalence of the cases."""
    return DecisionProblem(
        costs=costs,
        prevalence=None,
        objective="expected",
        limits=Limits(),
        confidence_level=check_confidence_level(level),
        seed=0,
        **parts,
    )


def weighted_losses(positive: BoolArray, costs: CostModel, weights: FloatArray | None) -> TrainingLosses:
    """Return the losses of the actions on every case, times its weight."""
    weight = np.ones(len(positive)) if weights is None else weights
    return TrainingLosses(costs.losses.table[positive.astype(np.int64)] * weight[:, None], weight)


def honest_costs(
    jobs: Mapping[str, tuple[RowsLearner, FloatArray]],
    positive: BoolArray,
    held_out: TrainingCases,
    *,
    folds: int | None,
    repeats: int | None,
    rng: Any,
) -> dict[str, ExpectedCost]:
    """Judge the rules of some learners, each on its own columns, on the same folds.

    Cases without weight are left out; weights are importance weights.
    """
    weights = held_out.weights
    kept: Any = slice(None) if weights is None else weights > 0
    cases = SplitCases.of_rows(
        positive[kept],
        None if weights is None else weights[kept],
        weights="importance",
        prevalence=None,
        folds=folds,
        repeats=repeats,
        rng=rng,
        quantity="an honest cost",
        cluster=clusters_of(held_out.cluster, kept),
    )
    if held_out.time is not None:
        cases = cases.by_time(held_out.time[kept])
    found = {}
    with Progress(len(jobs), "judging", "rules") as progress:
        for name, (learner, table) in jobs.items():
            inputs, problem = Inputs(table[kept]), learner.problem
            (judged,) = evaluate(cases, inputs, [learner], [learner.fit_all(cases, inputs.scores).rule])
            assert isinstance(judged, Judged), "rules of rows exist on all cases"
            rule = judged_rule(cases, judged, None)
            found[name] = expected_cost_of(
                rule, problem.centre.losses, confidence_level=problem.confidence_level
            )
            progress.advance()
    return found
