"""Learners of combinations of models, cascades among them, and of guards against unfamiliar cases.

Every window is the cheapest there is on the rows, given the score it looks at. The limit of a guard, and of
the disagreement of models, is the cheapest of all, each with the cheapest window of the cases below it; of
equally cheap limits the largest counts. Ranges of costs are taken in their middle.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import permutations
from math import nan
from typing import Any, ClassVar

import numpy as np

from demur._kernels.jit import whole_job
from demur._kernels.sweep import score_groups
from demur._kernels.thresholds import cut_points, shortest_in
from demur._kernels.window_search import costs_up_to
from demur.comparison.class_learner import Chosen
from demur.comparison.problem import DecisionProblem
from demur.comparison.training_losses import TrainingLosses, training_losses
from demur.counts.costs import ScoreCosts
from demur.counts.window import AbstentionWindow
from demur.exceptions import InputError
from demur.honest.cases import SplitCases
from demur.honest.evaluate import FoldRules, RowLearner, TrainingSets
from demur.surface.window import ABSTAIN
from demur.typing import FloatArray, IntArray
from demur.windows.cascade import GRID, Cascade, cheapest_cascade, written_cascade
from demur.windows.combined import WAYS, Combined
from demur.windows.guarded import Guarded
from demur.windows.window_rule import Window

__all__ = [
    "CascadeLearner",
    "CombinationLearner",
    "GuardLearner",
    "RowWindowLearner",
    "RowsLearner",
    "cascade_learners",
    "combination_learners",
    "row_window",
    "row_window_learners",
]


_NAMES = {"average": "average of", "vote": "vote of", "variance": "disagreement of"}
_MOST_NAMED = 4
_TIE = 1e-12

_MOST_PAIRS = 12
_FOLD_GRID = (64, 64)
"""Coarser than for all cases: a hundred training sets of 1,000 cases take a second."""


def combination_learners(
    problem: DecisionProblem, names: tuple[str, ...]
) -> Sequence["CombinationLearner | GuardLearner"]:
    """Return a learner for every way to combine two or more models, and a guard for every model.

    None under limits or for a guaranteed cost, which these rules are not searched for.
    """
    if problem.many or problem.limits.given() or problem.objective == "guaranteed":
        return []
    learners: list[CombinationLearner | GuardLearner] = []
    if "combinations" in problem.include and len(names) > 1:
        ways = WAYS if problem.may_abstain else WAYS[:2]
        learners += [CombinationLearner(problem, how, names) for how in ways]
    if "guards" in problem.include:
        if problem.doubt is None:
            raise InputError("`include` names guards, which need a doubt. Hint: pass doubt=..., a column.")
        if not problem.may_abstain:
            raise InputError("`include` names guards, which abstain. Hint: give a cost of abstaining.")
        learners += [GuardLearner(problem, name) for name in names]
    return learners


@dataclass(frozen=True, eq=False)
class RowsLearner(ABC):
    """Rules of several columns, each chosen on rows with their weighted losses."""

    problem: DecisionProblem

    @abstractmethod
    def choose(self, table: FloatArray, rows: TrainingLosses) -> Any:
        """Choose the rule on some rows."""

    def written(self, rule: Any, table: FloatArray) -> Any:
        """Round the thresholds of a rule chosen on these rows: the same decisions there."""
        return rule

    def fit_all(self, cases: SplitCases, table: FloatArray) -> Chosen:
        """Choose the rule on all cases, with rounded thresholds."""
        rows = training_losses(cases, self.problem, np.arange(len(table)))
        return Chosen(self.written(self.choose(table, rows), table))

    def fit(self, sets: TrainingSets) -> FoldRules:
        """Return the rule of every training set."""
        scores, cases = sets.model.scores, sets.cases

        def choose(cell: IntArray, number: FloatArray) -> Any:
            return self.choose(scores[cell], training_losses(cases, self.problem, cell, number))

        with whole_job(scores.size * cases.folds * cases.repeats):
            return RowLearner(choose).fit(sets)


@dataclass(frozen=True, eq=False)
class CombinationLearner(RowsLearner):
    """Windows on the mean or the votes of all members."""

    how: str
    members: tuple[str, ...]
    kind: ClassVar[str] = Combined.kind
    aim: ClassVar[int] = 0
    reads: ClassVar[tuple[str, ...]] = ()

    @property
    def name(self) -> str:
        """The way and the models: "average of a, b and c"."""
        *most, last = self.members
        many = len(self.members) > _MOST_NAMED
        listed = f"{len(self.members)} models" if many else f"{', '.join(most)} and {last}"
        return f"{_NAMES[self.how]} {listed}"

    def order(self, place: int) -> tuple[int, ...]:
        """Return the rank among candidates: after rules of one model."""
        return (4, place)

    def choose(self, table: FloatArray, rows: TrainingLosses) -> Combined:
        """Choose the window, those of the votes, and the limit of the disagreement."""
        if not np.isfinite(table).all():
            raise InputError("`scores` must be finite to be combined. Hint: leave combinations out.")
        may_abstain, losses = self.problem.may_abstain, rows.losses
        voting = table.T if self.how == "vote" else ()
        rule = Combined(
            how=self.how,
            names=self.members,
            window=Window(0, 0),
            windows=tuple(row_window(column, losses, may_abstain=may_abstain) for column in voting),
            prices=tuple(self.problem.prices.get(name, 0.0) for name in self.members),
        )
        score = rule.score(table)
        if self.how != "variance" or not may_abstain:
            return replace(rule, window=row_window(score, losses, may_abstain=may_abstain))
        window, limit = cheapest_guard(score, rule.disagreement(table), losses)
        return replace(rule, window=window, max_disagreement=limit)

    def written(self, rule: Combined, table: FloatArray) -> Combined:
        """Round the thresholds."""
        return replace(
            rule,
            window=_written(rule.window, rule.score(table)),
            windows=tuple(map(_written, rule.windows, table.T)),
            max_disagreement=shortest_in(rule.max_disagreement, rule.disagreement(table)),
        )


@dataclass(frozen=True, eq=False)
class GuardLearner(RowsLearner):
    """A window on the score of a model below a limit of the doubt, searched unless `max_doubt` is given."""

    model: str
    max_doubt: float | None = None
    kind: ClassVar[str] = Guarded.kind
    aim: ClassVar[int] = 0

    @property
    def name(self) -> str:
        """The model and the column of the doubt."""
        return f"{self.model} guarded by {self.problem.doubt}"

    @property
    def members(self) -> tuple[str, ...]:
        """The one model."""
        return (self.model,)

    @property
    def reads(self) -> tuple[str, ...]:
        """The column of the doubt."""
        return (str(self.problem.doubt),)

    def order(self, place: int) -> tuple[int, ...]:
        """Return the rank among candidates: after windows, before rules of several models."""
        return (3, place)

    def choose(self, table: FloatArray, rows: TrainingLosses) -> Guarded:
        """Choose the limit of the doubt and the window below it."""
        score, doubt = table.T
        window, limit = cheapest_guard(score, doubt, rows.losses, limit=self.max_doubt)
        return Guarded(
            lower=window.lower,
            upper=window.upper,
            max_doubt=limit,
            names=(self.model, self.reads[0]),
            price=self.problem.prices.get(self.model, 0.0),
        )

    def written(self, rule: Guarded, table: FloatArray) -> Guarded:
        """Round the thresholds of what passes; a limit that was given stays."""
        score, doubt = table.T
        window = _written(rule.window, score[doubt <= rule.max_doubt])
        limit = shortest_in(rule.max_doubt, doubt) if self.max_doubt is None else rule.max_doubt
        return replace(rule, lower=window.lower, upper=window.upper, max_doubt=limit)


@dataclass(frozen=True, eq=False)
class RowWindowLearner(RowsLearner):
    """Window or threshold of one score, chosen on rows: of cases, too, whose class cannot be known."""

    kind: str
    aim: int

    def order(self, place: int) -> tuple[int, ...]:
        """Return the rank among candidates: a threshold first."""
        return (1 if self.kind == "threshold" else 2, place, self.aim)

    def choose(self, table: FloatArray, rows: TrainingLosses) -> Window:
        """Choose the window."""
        return row_window(table, rows.losses, may_abstain=self.problem.may_abstain)

    def fit_all(self, cases: SplitCases, table: FloatArray) -> Chosen:
        """Choose the window on all cases, with rounded thresholds, and say what it costs there."""
        rows = training_losses(cases, self.problem, np.arange(len(table)))
        rule, total = _written(self.choose(table, rows), table), rows.weight.sum()
        codes, scores = rule.codes(table), np.unique(table)
        paid = rows.losses[np.arange(len(codes)), codes]
        negative, positive, sent = (float(paid[codes == code].sum()) / total for code in (0, 1, ABSTAIN))
        decided = rule.codes(scores)
        window = AbstentionWindow(
            about="amounts",
            lower=rule.lower,
            upper=rule.upper,
            cost=negative + positive + sent,
            miss=negative,
            alarm=positive,
            review=sent,
            abstention_rate=float(rows.weight[codes == ABSTAIN].sum() / total),
            lower_index=int((decided == 0).sum()),
            upper_index=int((decided != 1).sum()),
            standard_error=math.nan,
            certified=0.0,
            n=float(total),
        )
        return Chosen(rule, 0.0, window)


def row_window_learners(problem: DecisionProblem) -> list[RowWindowLearner]:
    """Return the learners of thresholds and windows: for the middle of ranges, and for their corners."""
    aims = [problem]
    if problem.ranged and problem.objective != "expected":
        aims += [problem.at(scenario) for scenario in problem.corners()]
    learners = [RowWindowLearner(one.never_abstaining(), "threshold", k) for k, one in enumerate(aims)]
    if problem.may_abstain:
        learners += [RowWindowLearner(one, "window", k) for k, one in enumerate(aims)]
    return learners


def _written(window: Window, score: FloatArray) -> Window:
    """Round the thresholds of a window chosen on these scores: the same decisions there."""
    return Window(shortest_in(window.lower, score), shortest_in(window.upper, score))


# ---------------------------------------------------------------- searches on rows


def _beyond_the_least(losses: FloatArray) -> FloatArray:
    """Take the smallest loss of each row off, which changes no comparison of rules: none is below 0."""
    return np.asarray((losses - losses.min(axis=1, keepdims=True)).T)


def row_window(score: FloatArray, losses: FloatArray, *, may_abstain: bool) -> Window:
    """Return the cheapest window of a score on rows with their weighted losses (`training_losses`)."""
    miss, alarm, *review = _beyond_the_least(losses if may_abstain else losses[:, :2])
    sums = ScoreCosts.from_arrays(score, miss=miss, alarm=alarm, review=review[0] if review else 0.0)
    found = sums.window(may_abstain=may_abstain)
    return Window(found.lower, found.upper)


def cheapest_guard(
    score: FloatArray, doubt: FloatArray, losses: FloatArray, *, limit: float | None = None
) -> tuple[Window, float]:
    """Return the cheapest limit of the doubt, the largest of several, or the one given; and its window."""
    if limit is None:
        doubts, (miss, alarm, review) = score_groups(doubt), _beyond_the_least(losses)
        costs = costs_up_to(score_groups(score).places(), doubts.places(), miss, alarm, review)
        last = int(np.flatnonzero(costs <= costs.min() + _TIE * float(review.sum()))[-1])
        limit = float(cut_points(doubts.scores, doubts.scores)[0][last + 1])
    kept = doubt <= limit
    if not kept.any():
        return Window(-math.inf, math.inf), limit
    return row_window(score[kept], losses[kept], may_abstain=True), limit


# ---------------------------------------------------------------- cascades


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
