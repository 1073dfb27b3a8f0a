"""`CascadeLearner`: a cheap model first, then a dearer one, then a person, on training sets."""

from dataclasses import dataclass
from itertools import permutations
from math import nan
from typing import ClassVar

import numpy as np

from demur.comparison.class_learner import Chosen
from demur.comparison.problem import DecisionProblem
from demur.comparison.threads import workers
from demur.comparison.training_losses import training_losses
from demur.honest.cases import SplitCases
from demur.honest.evaluate import FoldRules, TrainingSets
from demur.typing import FloatArray, IntArray
from demur.windows.cascade import Cascade
from demur.windows.cascade_search import GRID, cheapest_cascade, written_cascade

__all__ = ["CascadeLearner", "cascade_learners"]

_MOST_PAIRS = 12
_FOLD_GRID = (64, 64)
"""Coarser than for all cases: a hundred training sets of 1,000 cases take a second."""


def cascade_learners(problem: DecisionProblem, names: tuple[str, ...]) -> list["CascadeLearner"]:
    """Return a cascade of every two models, the lower price first; of equal prices in both orders.

    None for many classes, and none under limits or a guarantee, which no cascade knows of. Of more than four
    models there may be many pairs: those with the lowest prices together, at most twelve.
    """
    refused = problem.many or problem.limits.given() or problem.objective == "guaranteed"
    if "cascades" not in problem.include or refused:
        return []
    prices = {name: problem.prices.get(name, 0.0) for name in names}
    pairs = [pair for pair in permutations(names, 2) if prices[pair[0]] <= prices[pair[1]]]
    pairs.sort(key=lambda pair: prices[pair[0]] + prices[pair[1]])
    return [CascadeLearner(problem, pair, (prices[pair[0]], prices[pair[1]])) for pair in pairs[:_MOST_PAIRS]]


@dataclass(frozen=True, eq=False)
class CascadeLearner:
    """The cheapest cascade of two models, in the middle of the ranges."""

    problem: DecisionProblem
    members: tuple[str, str]
    prices: tuple[float, float]
    kind: ClassVar[str] = "cascade"
    aim: ClassVar[int] = 0
    reads: ClassVar[tuple[str, ...]] = ()

    @property
    def name(self) -> str:
        """The models in the order in which they are asked."""
        return ", then ".join(self.members)

    def order(self, place: int) -> tuple[int, int]:
        """Return the rank among candidates: after the rules of one model."""
        return (3, place)

    def fit_all(self, cases: SplitCases, scores: FloatArray) -> Chosen:
        """Choose the cascade of all cases; the gap is 0 where the search is exhaustive, else not known."""
        rule = self._cheapest(cases, scores, np.arange(len(scores)), cases.sizes, GRID)
        few = all(len(np.unique(column)) <= bins for column, bins in zip(scores.T, GRID, strict=True))
        return Chosen(written_cascade(rule, scores), 0.0 if few else nan)

    def fit(self, sets: TrainingSets) -> FoldRules:
        """Return the cascade of every training set."""
        cases, rows = sets.cases, sets.rows

        def rule_without(fold: int) -> Cascade:
            kept = sets.trains(fold)
            return self._cheapest(cases, sets.model.scores, rows.cell[kept], rows.cases[kept], _FOLD_GRID)

        with workers(len(rows.cell)) as pool:
            rules = list(pool.map(rule_without, cases.splits.judged_folds))
        return FoldRules([*rules[:1] * cases.splits.first, *rules], cases.n_classes)

    def _cheapest(
        self, cases: SplitCases, scores: FloatArray, cell: IntArray, number: FloatArray, grid: tuple[int, int]
    ) -> Cascade:
        losses, weight = training_losses(cases, self.problem, cell, number)
        return cheapest_cascade(
            losses,
            weight,
            scores[cell],
            names=self.members,
            prices=self.prices,
            may_abstain=self.problem.may_abstain,
            grid=grid,
        )
