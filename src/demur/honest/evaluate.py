"""`evaluate`: what windows learned without each fold decide on it, for any learner.

A learner fits one window per fold, all folds of a split at once. How it does so is its own affair: from
pooled blocks, from running sums by score, or on the counts of every training set.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, Protocol

import numpy as np

from demur._kernels.jit import compiled, kernel, worth_compiling
from demur.counts.scores import ScoreCounts
from demur.exceptions import UndefinedError
from demur.honest.cases import JudgedModel, SplitCases
from demur.honest.class_rows import ClassRows, others_pooled
from demur.honest.decisions import Codes, Judged, Window, decision_codes
from demur.honest.held_out import FoldTable
from demur.honest.rules import Prices
from demur.honest.splits import Rows
from demur.honest.training_sums import GroupedRows, Groups, columns_of
from demur.surface.window import ABSTAIN
from demur.typing import FloatArray, IntArray

__all__ = ["BlockLearner", "CountsLearner", "FoldWindows", "Learner", "TrainingSets", "evaluate"]


class FoldWindows(NamedTuple):
    """One window per fold: thresholds as `decide` takes them."""

    lower: FloatArray
    upper: FloatArray

    def decide(self, scores: FloatArray, fold: IntArray) -> Codes:
        """Decide on every row with the window of its fold."""
        if worth_compiling(len(scores)):
            codes = np.empty(len(scores), dtype=np.int8)
            compiled(_decide_loop)(scores, fold, self.lower, self.upper, codes)
            return codes
        lower, upper = self.lower[fold], self.upper[fold]
        codes = np.where((scores <= lower) & (lower > -np.inf), np.int8(0), np.int8(ABSTAIN))
        codes[(scores >= upper) & (upper < np.inf)] = 1
        return codes


@kernel
def _decide_loop(scores: Any, fold: Any, lower: Any, upper: Any, codes: Any) -> None:
    # a threshold of -inf (lower) or inf (upper) is never reached, not even by an infinite score
    for row in range(len(scores)):
        score, at = scores[row], fold[row]
        if score >= upper[at] and upper[at] < np.inf:
            codes[row] = 1
        elif score <= lower[at] and lower[at] > -np.inf:
            codes[row] = 0
        else:
            codes[row] = -1


@dataclass(frozen=True, eq=False)
class TrainingSets:
    """The cases of one model without each fold of one split, in the forms that learners read."""

    cases: SplitCases
    model: JudgedModel
    split: int
    groups: Groups

    @property
    def rows(self) -> Rows:
        """Rows of the split."""
        return self.cases.splits.repeats[self.split]

    @property
    def classes(self) -> Sequence[ClassRows]:
        """Positives and negatives, each in ascending order of score."""
        return self.model.classes[self.split]

    @property
    def tables(self) -> Sequence[FoldTable]:
        """Pooled blocks of the training sets."""
        start = self.split * self.cases.folds
        return self.model.honest.tables[start : start + self.cases.folds]

    @cached_property
    def sums(self) -> GroupedRows:
        """Sums of the cases and of their costs by score."""
        return GroupedRows.of(self.classes, self.groups, columns_of(self.cases, self.rows))

    def counts(self, fold: int) -> ScoreCounts:
        """Count the cases of all folds but one."""
        return others_pooled(self.classes, fold, [np.empty_like(one.scores) for one in self.classes])


class Learner(Protocol):
    """Finds windows on training sets."""

    def fit(self, sets: TrainingSets) -> FoldWindows | UndefinedError:
        """Return the window of every training set; the reason where one of them has none."""


def evaluate(
    cases: SplitCases, model: JudgedModel, learners: Sequence[Learner], rules: Sequence[Window]
) -> list[Judged | UndefinedError]:
    """Decide every case by the windows that learners find without its fold; `rules` are those of all cases.

    Where a learner finds no window without some fold, its reason stands in place of the decisions.
    """
    honest: list[list[Codes]] = [[] for _ in learners]
    reasons: dict[int, UndefinedError] = {}
    groups = Groups.of(model.classes[0])
    for split, rows in enumerate(cases.splits.repeats):
        sets, scores = TrainingSets(cases, model, split, groups), model.scores[rows.cell]
        for place, learner in enumerate(learners):
            if place in reasons:
                continue
            windows = learner.fit(sets)
            if isinstance(windows, UndefinedError):
                reasons[place] = windows
            else:
                honest[place].append(windows.decide(scores, rows.fold))
    seen = model.scores[cases.splits.repeats[0].cell]
    return [
        reasons.get(place) or Judged(tuple(codes), decision_codes(seen, rule))
        for place, (codes, rule) in enumerate(zip(honest, rules, strict=True))
    ]


# ---------------------------------------------------------------- learners


class BlockLearner(NamedTuple):
    """Cheapest windows at one cost point (arrays of no dimension), read off the pooled blocks."""

    prices: Prices

    def fit(self, sets: TrainingSets) -> FoldWindows:
        """Return the window of every training set."""
        cuts = self.prices.share_cuts()
        windows = [table.rule.thresholds(cuts) for table in sets.tables]
        return FoldWindows(*(np.array(ends) for ends in zip(*windows, strict=True)))


class CountsLearner(NamedTuple):
    """Windows of any kind, chosen on the counts of one training set after the other."""

    choose: Callable[[ScoreCounts], Window]

    def fit(self, sets: TrainingSets) -> FoldWindows | UndefinedError:
        """Return the window of every training set; the reason where one of them has none."""
        try:
            windows = [self.choose(sets.counts(fold)) for fold in range(sets.cases.folds)]
        except UndefinedError as error:
            return error
        return FoldWindows(*(np.array(ends) for ends in zip(*windows, strict=True)))
