"""`CutsLearner`: cuts of one score on training sets, and what they cost on cases that did not choose them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from demur._kernels.sweep import score_groups
from demur.costs.losses import Losses
from demur.honest.cases import SplitCases
from demur.honest.evaluate import FoldRules, TrainingSets
from demur.typing import FloatArray, IntArray
from demur.windows.cuts import Cuts, cheapest_cuts

__all__ = ["CutsLearner"]


@dataclass(frozen=True, eq=False)
class CutsLearner:
    """The cheapest cuts of a score for actions in a given order; all training sets share one sort."""

    losses: Losses
    classes: Sequence[Any]
    actions: Sequence[int]

    def fit_all(self, cases: SplitCases, scores: FloatArray) -> Cuts:
        """Choose the cuts on all cases."""
        groups = score_groups(scores)
        return self._chosen(cases, groups.scores, groups.places(), np.arange(len(scores)), cases.sizes)

    def fit(self, sets: TrainingSets) -> FoldRules:
        """Return the cuts of every training set."""
        cases, rows, splits = sets.cases, sets.rows, sets.cases.splits
        if "groups" not in sets.by_fold:
            groups = score_groups(sets.model.scores)
            sets.by_fold["groups"] = groups.scores, groups.places()
        distinct, place = sets.by_fold["groups"]
        rules = []
        for fold in splits.judged_folds:
            trains = sets.trains(fold)
            rules.append(self._chosen(cases, distinct, place, rows.cell[trains], rows.cases[trains]))
        return FoldRules([*rules[:1] * splits.first, *rules], cases.n_classes)

    def _chosen(
        self, cases: SplitCases, distinct: FloatArray, place: IntArray, cell: IntArray, number: FloatArray
    ) -> Cuts:
        """Choose the cuts on some cells with their numbers of cases."""
        classes = cases.n_classes
        code = place[cell] * classes + cases.codes[cell]
        weights = np.bincount(code, number, len(distinct) * classes).reshape(-1, classes)
        mass = weights.sum(axis=1)
        present = mass > 0
        return cheapest_cuts(
            distinct[present],
            weights[present] @ self.losses.table,
            mass=mass[present],
            classes=self.classes,
            actions=self.actions,
        )
