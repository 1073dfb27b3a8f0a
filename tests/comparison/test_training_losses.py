"""Weighted losses of training rows, by hand and against the cost of one action on all cases."""

from dataclasses import replace

import numpy as np
import pytest

from demur import CaseCosts, CostModel, compare_models
from demur.comparison.problem import DecisionProblem, Limits
from demur.comparison.training_losses import training_losses
from demur.honest.cases import SplitCases


def problem_of(costs, prevalence=None):
    return DecisionProblem.checked(
        costs=costs, prevalence=prevalence, objective=None, limits=Limits(), confidence_level=0.95, seed=0
    )


def cases_of(positive, weight=None, weights="repeats", losses=None):
    cases = SplitCases.of_rows(
        np.array(positive, dtype=bool),
        weight,
        weights=weights,
        prevalence=None,
        folds=2,
        repeats=1,
        rng=0,
        quantity="a test",
    )
    return replace(cases, losses=losses)


def test_losses_by_class_by_hand():
    cases = cases_of([1, 0, 0, 1, 0])
    found = training_losses(
        cases, problem_of(CostModel(cost_fn=8, cost_fp=2, cost_abstain=1)), np.array([0, 1, 4])
    )
    assert found.losses.tolist() == [[8, 0, 1], [0, 2, 1], [0, 2, 1]]
    assert found.weight.tolist() == [1, 1, 1]
    # of 3 rows 1 is positive, of the cases in use half: a positive counts 3/2, a negative 3/4
    found = training_losses(
        cases, problem_of(CostModel(cost_fn=8, cost_fp=2, cost_abstain=1), 0.5), np.array([0, 1, 4])
    )
    assert found.losses.tolist() == [[12, 0, 1.5], [0, 1.5, 0.75], [0, 1.5, 0.75]]
    assert found.weight.tolist() == [1.5, 0.75, 0.75]


def test_losses_by_case_and_repeated_rows_by_hand():
    losses = np.array([[5.0, 0, 1], [0, 2, 1], [0, 2, 1], [7, 0, 1], [0, 2, 1]])
    cases = cases_of([1, 0, 0, 1, 0], np.array([2.0, 1, 3, 2, 1]), losses=losses)
    costs = CaseCosts(cost_fn=[5, 0, 0, 7, 0], cost_fp=2, cost_abstain=1, alarm_factor=(1, 3))
    cell, number = np.array([0, 2, 3]), np.array([1.0, 2, 2])
    found = training_losses(cases, problem_of(costs), cell, number)
    assert found.losses.tolist() == [[5, 0, 1], [0, 8, 2], [14, 0, 2]]
    assert training_losses(cases, problem_of(costs), cell).weight.tolist() == [2, 3, 2]


@pytest.mark.parametrize("prevalence", [None, 0.2])
@pytest.mark.parametrize("weights", ["importance", "repeats"])
def test_means_are_the_costs_of_baselines_against_compare_models(prevalence, weights):
    rng = np.random.default_rng(3)
    y, weight = np.arange(60) % 3 == 0, rng.integers(1, 5, 60).astype(float)
    costs = CostModel(cost_fn=8, cost_fp=2, cost_abstain=1)
    compared = compare_models(
        y,
        {"m": rng.normal(size=60)},
        costs=costs,
        prevalence=prevalence,
        sample_weight=weight,
        weights=weights,
    )
    found = training_losses(cases_of(y, weight, weights), problem_of(costs, prevalence), np.arange(60))
    means = found.losses.sum(axis=0) / found.weight.sum()
    named = ("always negative", "always positive", "always abstain")
    assert means == pytest.approx([compared.baselines[name] for name in named], rel=1e-12)
