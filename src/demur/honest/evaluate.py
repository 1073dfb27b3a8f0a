"""`evaluate`: decisions of rules on the folds they were learned without, for any learner.

A learner fits one rule per fold, all folds of a split at once. How it does so is its own affair: windows from
pooled blocks, from running sums by score or on the counts of every training set, rules of many classes on
its rows.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from typing import Any, NamedTuple, Protocol

import numpy as np

from demur._kernels.jit import compiled, kernel, worth_compiling
from demur._kernels.sweep import score_groups
from demur.costs.losses import Losses
from demur.counts.scores import ScoreCounts
from demur.exceptions import UndefinedError
from demur.honest.cases import JudgedModel, SplitCases
from demur.honest.class_rows import ClassRows, others_pooled, rows_pooled
from demur.honest.decisions import Codes, Judged, code_type
from demur.honest.held_out import FoldTable
from demur.honest.rules import PricePoints
from demur.honest.splits import Rows
from demur.honest.training_sums import FoldSums, GroupedRows, Groups, columns_of
from demur.surface.window import ABSTAIN
from demur.typing import BoolArray, FloatArray, IntArray
from demur.windows.cuts import Cuts, cheapest_cuts
from demur.windows.rule import Window

__all__ = [
    "BlockLearner",
    "CountsLearner",
    "CutsLearner",
    "Decides",
    "FixedLearner",
    "FoldRules",
    "FoldWindows",
    "Inputs",
    "Learner",
    "RowLearner",
    "TrainingSets",
    "evaluate",
]


class Decides(Protocol):
    """Rule that can be judged: it decides on cases by their inputs, one score or several columns.

    A rule that pays to come to its decision has a method `charge` besides, from inputs to fees.
    """

    def codes(self, scores: FloatArray, /) -> Any:
        """Return the action on every case."""


class DecidesByFold(Protocol):
    """One rule per fold."""

    def decide(self, scores: FloatArray, fold: IntArray) -> Codes:
        """Decide on every row with the rule of its fold."""


def _charged(rule: Any, scores: FloatArray) -> FloatArray | None:
    """Return the fees of a rule on every case; None for a rule without fees."""
    charge: Callable[[FloatArray], FloatArray] | None = getattr(rule, "charge", None)
    return None if charge is None else charge(scores)


class FoldRules(NamedTuple):
    """One rule per fold, or one for all of them, of any kind."""

    rules: Sequence[Decides]
    n_classes: int

    def decide(self, scores: FloatArray, fold: IntArray) -> Codes:
        """Decide on every row with the rule of its fold."""
        kind = code_type(self.n_classes)
        if len(self.rules) == 1:
            only: Codes = self.rules[0].codes(scores).astype(kind, copy=False)
            return only
        codes: Codes = np.empty(len(fold), dtype=kind)
        for number, rule in enumerate(self.rules):
            held = np.flatnonzero(fold == number)
            codes[held] = rule.codes(scores[held])
        return codes

    def charge(self, scores: FloatArray, fold: IntArray) -> FloatArray | None:
        """Return the fees of the rule of its fold on every row; None for rules without fees."""
        if len(self.rules) == 1:
            return _charged(self.rules[0], scores)
        if not any(hasattr(rule, "charge") for rule in self.rules):
            return None
        fees = np.zeros(len(fold))
        for number, rule in enumerate(self.rules):
            held = np.flatnonzero(fold == number)
            fees[held] = _charged(rule, scores[held])
        return fees


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


class Inputs(NamedTuple):
    """Inputs of rules that look at several columns; `unlabelled` are those of cases without a label."""

    scores: FloatArray
    unlabelled: FloatArray | None = None


@dataclass(frozen=True, eq=False)
class TrainingSets:
    """The cases of one model without each fold of one split, in the forms that learners read.

    `by_fold` holds what several learners of one split would otherwise make twice.
    """

    cases: SplitCases
    model: Any
    split: int
    _groups: Callable[[], Groups]
    by_fold: dict[Any, Any] = field(default_factory=dict)

    @property
    def rows(self) -> Rows:
        """Rows of the split."""
        return self.cases.splits.repeats[self.split]

    @property
    def classes(self) -> Sequence[ClassRows]:
        """Positives and negatives, each in ascending order of score."""
        by_split: Sequence[Sequence[ClassRows]] = self.model.classes
        return by_split[self.split]

    @property
    def tables(self) -> Sequence[FoldTable]:
        """Pooled blocks of the training sets."""
        start = self.split * self.cases.folds
        tables: Sequence[FoldTable] = self.model.honest.tables
        return tables[start : start + self.cases.folds]

    @property
    def groups(self) -> Groups:
        """Distinct scores of all cases, the same in every split."""
        return self._groups()

    @cached_property
    def _sums(self) -> GroupedRows:
        return GroupedRows.of(self.classes, self.groups, columns_of(self.cases, self.rows))

    def sums(self, folds: range) -> FoldSums:
        """Sum the cases and their costs by score, without each of some folds."""
        if not self.cases.splits.forward:
            everything, held = self._sums.everything, self._sums.held(folds)
            return FoldSums(everything.below - held.below, everything.present - held.present)
        return self._sums.chosen([self.trains(fold) for fold in folds])

    def trains(self, fold: int) -> BoolArray:
        """Return which rows the rule of a fold is learned from."""
        return self.cases.trains(self.split, fold)

    def counts(self, fold: int) -> ScoreCounts:
        """Count the cases the rule of a fold is learned from."""
        if not self.cases.splits.forward:
            return others_pooled(self.classes, fold, [np.empty_like(one.scores) for one in self.classes])
        return rows_pooled(self.classes, self.trains(fold))


class Learner(Protocol):
    """Finds rules on training sets."""

    def fit(self, sets: TrainingSets) -> DecidesByFold | UndefinedError:
        """Return the rule of every training set; the reason where one of them has none."""


def evaluate(
    cases: SplitCases, model: JudgedModel | Inputs, learners: Sequence[Learner], rules: Sequence[Decides]
) -> list[Judged | UndefinedError]:
    """Decide every case by the rules that learners find without its fold; `rules` are those of all cases.

    Where a learner finds no rule without some fold, its reason stands in place of the decisions.
    """
    honest: list[list[Codes]] = [[] for _ in learners]
    fees: list[list[FloatArray]] = [[] for _ in learners]
    reasons: dict[int, UndefinedError] = {}
    groups = cache(lambda: Groups.of(model.classes[0]))  # type: ignore[union-attr]
    for split, rows in enumerate(cases.splits.repeats):
        sets, scores = TrainingSets(cases, model, split, groups), model.scores[rows.cell]
        for place, learner in enumerate(learners):
            if place in reasons:
                continue
            found = learner.fit(sets)
            if isinstance(found, UndefinedError):
                reasons[place] = found
                continue
            honest[place].append(found.decide(scores, rows.fold))
            paid = found.charge(scores, rows.fold) if isinstance(found, FoldRules) else None
            fees[place] += [] if paid is None else [paid]
    kind, inputs = code_type(cases.n_classes), model.scores[cases.splits.repeats[0].cell]
    verdicts: list[Judged | UndefinedError] = []
    for place, rule in enumerate(rules):
        judged = Judged(tuple(honest[place]), rule.codes(inputs).astype(kind, copy=False))
        own = _charged(rule, inputs)
        # models that are free leave no fees behind
        if any(one is not None and one.any() for one in (own, *fees[place])):
            judged = replace(judged, honest_fees=tuple(fees[place]), hindsight_fees=own)
        verdicts.append(reasons.get(place) or judged)
    return verdicts


# ---------------------------------------------------------------- learners


class FixedLearner(NamedTuple):
    """A rule that is the same whatever the cases: nothing is learned."""

    rule: Decides

    def fit(self, sets: TrainingSets) -> FoldRules:
        """Return the rule itself."""
        return FoldRules([self.rule], sets.cases.n_classes)


class RowLearner(NamedTuple):
    """Rules of any kind, chosen on the rows of one training set after the other.

    `choose` gets the cell of every row, ascending, and its number of cases, as in `Rows`.
    """

    choose: Callable[[IntArray, FloatArray], Decides]

    def fit(self, sets: TrainingSets) -> FoldRules:
        """Return the rule of every training set."""
        splits, rows, rules = sets.cases.splits, sets.rows, []
        for fold in splits.judged_folds:
            trains = np.flatnonzero(sets.trains(fold))
            trains = trains[np.argsort(rows.cell[trains], kind="stable")]
            rules.append(self.choose(rows.cell[trains], rows.cases[trains]))
        return FoldRules([*rules[:1] * splits.first, *rules], sets.cases.n_classes)


class CutsLearner(NamedTuple):
    """The cheapest cuts of a score for actions in a given order."""

    losses: Losses
    classes: Sequence[Any]
    actions: Sequence[int]

    def fit_all(self, cases: SplitCases, scores: FloatArray) -> Cuts:
        """Choose the cuts on all cases."""
        return self._search(cases, scores)(np.arange(len(scores)), cases.sizes)

    def fit(self, sets: TrainingSets) -> FoldRules:
        """Return the cuts of every training set; all share one sort."""
        return RowLearner(self._search(sets.cases, sets.model.scores)).fit(sets)

    def _search(self, cases: SplitCases, scores: FloatArray) -> Callable[[IntArray, FloatArray], Cuts]:
        groups, classes = score_groups(scores), cases.n_classes
        distinct, place = groups.scores, groups.places()

        def chosen(cell: IntArray, number: FloatArray) -> Cuts:
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

        return chosen


class BlockLearner(NamedTuple):
    """Cheapest windows at one cost point (arrays of no dimension), read off the pooled blocks."""

    prices: PricePoints

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
        splits = sets.cases.splits
        try:
            windows = [self.choose(sets.counts(fold)) for fold in splits.judged_folds]
        except UndefinedError as error:
            return error
        windows = [*windows[:1] * splits.first, *windows]
        return FoldWindows(
            np.array([window.lower for window in windows]), np.array([window.upper for window in windows])
        )
