"""Losses of rows, and as rules of several models are learned from them: weighted, as in use."""

from typing import NamedTuple

import numpy as np

from demur.comparison.problem import DecisionProblem, Scenario
from demur.costs.case_costs import CaseFactors
from demur.honest.cases import SplitCases
from demur.typing import FloatArray, IntArray

__all__ = ["TrainingLosses", "losses_of_rows", "training_losses"]


class TrainingLosses(NamedTuple):
    """Costs of the actions on every row times its weight, columns as in `Losses`, and the weights."""

    losses: FloatArray
    weight: FloatArray


def training_losses(
    cases: SplitCases, problem: DecisionProblem, cell: IntArray, number: FloatArray | None = None
) -> TrainingLosses:
    """Weight the losses of some rows, in the middle of the ranges and at the prevalence in use.

    Row i is `number[i]` cases of `cell[i]`, as in the `Rows` of a split; by default each cell as a whole.
    Prices of models count times the same weights, which sum to the number of cases.
    """
    codes = cases.codes[cell].astype(np.int64)
    weight = cases.sizes[cell] if number is None else number
    if problem.shares is not None:
        sizes = np.bincount(codes, weight, cases.n_classes)
        factors = problem.shares * sizes.sum() / np.maximum(sizes, 1e-300)
        weight = weight * factors[codes]
    return TrainingLosses(losses_of_rows(cases, cell, codes, problem.centre) * weight[:, None], weight)


def losses_of_rows(cases: SplitCases, cell: IntArray, codes: IntArray, scenario: Scenario) -> FloatArray:
    """Return the costs of every action on some rows; `codes` are their classes."""
    if isinstance(scenario.costs, CaseFactors):
        assert cases.losses is not None
        return np.asarray(cases.losses[cell] * np.array(scenario.costs))
    return scenario.losses.table[codes]
