"""`BudgetLearner`: rules that keep a number of places in every batch, on many training sets.

Decisions on cases left out walk the batches in order, each with the rule of its own fold, so that places left
over reach batches of other folds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from demur.comparison.class_learner import Chosen
from demur.comparison.expected_cost_learner import (
    EXPECTED_COST,
    SCORE_ONLY,
    ExpectedCostLearner,
    known_amounts,
    rules_by_fold,
)
from demur.comparison.problem import DecisionProblem
from demur.costs.budget import Places
from demur.honest.cases import SplitCases
from demur.honest.decisions import Codes
from demur.honest.evaluate import TrainingSets
from demur.typing import FloatArray, IntArray
from demur.windows.budgeted import Budgeted, decide_batches

__all__ = ["BudgetLearner", "FoldBudgets", "budget_learners"]

_THRESHOLDS = 64
"""Quantiles of what reviews save, among which that of cases decided on arrival is chosen."""


class FoldBudgets(NamedTuple):
    """One rule per fold, of which the batches share the places."""

    rules: Sequence[Budgeted]

    def decide(self, scores: FloatArray, fold: IntArray) -> Codes:
        """Decide on every row with the rule of its fold, batch by batch."""
        codes: Codes = decide_batches(self.rules, scores, fold)[0]
        return codes


@dataclass(frozen=True, eq=False)
class BudgetLearner:
    """Rules that give the places of a batch to the cases where a review is expected to save most."""

    inner: ExpectedCostLearner
    places: Places
    kind: str
    aim: int = 0

    @property
    def reads(self) -> tuple[str, ...]:
        """The amounts that are known, the batch and the key."""
        return (*self.inner.reads, self.places.column, self.places.key)

    def order(self, place: int) -> tuple[int, int]:
        """Return the rank among candidates for ties."""
        return self.inner.order(place)

    def fit_all(self, cases: SplitCases, table: FloatArray) -> Chosen:
        """Choose the rule on all cases, and count how it uses the places."""
        every = np.arange(len(table))
        return Chosen(self.rule(cases, table, every, cases.sizes, (0,), {}).used_on(table))

    def fit(self, sets: TrainingSets) -> FoldBudgets:
        """Return the rule of every training set."""
        return FoldBudgets(rules_by_fold(sets, self.rule))

    def rule(
        self,
        cases: SplitCases,
        table: FloatArray,
        cell: IntArray,
        sizes: FloatArray,
        seed: tuple[int, ...],
        known: dict[str, Any],
    ) -> Budgeted:
        """Choose the rule on some rows; `known` keeps their probabilities for other rules."""
        inner = self.inner.rule(cases, table[:, :-2], cell, sizes, seed, known)
        rule = Budgeted(inner=inner, places=self.places)
        if not self.places.arrival:
            return rule
        return replace(rule, least_saving=_arrival_threshold(rule, table[cell]))


def _arrival_threshold(rule: Budgeted, table: FloatArray) -> float:
    """Return what a review must be expected to save, so that places given on arrival save most.

    Looks at quantiles of the savings; of equal ones the smallest counts.
    """
    names, batch = np.unique(table[:, -2], return_inverse=True)
    saving = rule.inner.savings(table[:, :-2])
    rows = np.flatnonzero(saving > 0)
    if not len(rows):
        return 0.0
    rows = rows[np.lexsort([table[rows, -1], batch[rows]])]
    batch, saving = batch[rows], saving[rows]
    levels = np.arange(1, _THRESHOLDS) / _THRESHOLDS
    quantiles = np.quantile(saving, levels, method="lower")

    def saved(least: float) -> float:
        wanted = saving > least
        given = rule.places.allotted(batch[wanted], len(names)).given
        return float(saving[wanted][given].sum())

    candidates: list[float] = [0.0, *np.unique(quantiles).tolist()]
    return max(candidates, key=saved)


def budget_learners(problem: DecisionProblem, model: str) -> list[BudgetLearner]:
    """Return the learners for a number of places in every batch; the preferred one first."""
    places = problem.budget
    if places is None:
        return []
    kinds = {EXPECTED_COST: "budgeted"}
    if known_amounts(problem):
        kinds[SCORE_ONLY] = "budgeted, score only"
    return [
        BudgetLearner(ExpectedCostLearner(problem, model, form), places, kind) for form, kind in kinds.items()
    ]
