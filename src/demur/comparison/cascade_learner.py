"""`CascadeLearner`: a cheap model first, then a more expensive one, then a person, on training sets."""

from dataclasses import dataclass
from itertools import permutations
from math import nan
from typing import ClassVar

import numpy as np

from demur.comparison.class_learner import Chosen
from demur.comparison.combination_learner import RowsLearner
from demur.comparison.problem import DecisionProblem
from demur.comparison.training_losses import TrainingLosses, training_losses
from demur.honest.cases import SplitCases
from demur.typing import FloatArray
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
class CascadeLearner(RowsLearner):
    """The cheapest cascade of two models, in the middle of the ranges."""

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

    def choose(
        self, table: FloatArray, rows: TrainingLosses, *, grid: tuple[int, int] = _FOLD_GRID
    ) -> Cascade:
        """Choose the cascade on some rows."""
        losses, weight = rows
        return cheapest_cascade(
            losses,
            weight,
            table,
            names=self.members,
            prices=self.prices,
            may_abstain=self.problem.may_abstain,
            grid=grid,
        )

    def fit_all(self, cases: SplitCases, table: FloatArray) -> Chosen:
        """Choose the cascade of all cases; the gap is 0 where the search is exhaustive, else not known."""
        rows = training_losses(cases, self.problem, np.arange(len(table)))
        few = all(len(np.unique(column)) <= bins for column, bins in zip(table.T, GRID, strict=True))
        return Chosen(written_cascade(self.choose(table, rows, grid=GRID), table), 0.0 if few else nan)
