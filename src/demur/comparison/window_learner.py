"""`WindowLearner`: the window a problem asks for, on many training sets at once, from running sums by score.

Element [r, x, p] of the sums is for set r and position p among the scores. Row x = 0 counts negatives,
x = 1 positives; where every case has its own costs, rows 2 to 7 are their costs if called negative, if
called positive and if reviewed, each for negatives and then positives.

`BudgetLearner`: rules that keep a number of places in every batch. Decisions on cases left out walk the
batches in order, each with the rule of its own fold, so that places left over reach batches of other folds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from demur._kernels.thresholds import cut_points, no_threshold
from demur.comparison.class_learner import Chosen
from demur.comparison.expected_cost_learner import (
    EXPECTED_COST,
    SCORE_ONLY,
    ExpectedCostLearner,
    known_amounts,
    rules_by_fold,
)
from demur.comparison.problem import DecisionProblem, Scenario
from demur.costs.budget import Places
from demur.costs.case_costs import CaseCosts, CaseFactors
from demur.costs.model import CostModel
from demur.counts.costs import ScoreCosts
from demur.counts.scores import ScoreCounts
from demur.counts.window import NEVER_PAYS, AbstentionWindow
from demur.exceptions import UndefinedError
from demur.honest.cases import JudgedModel, SplitCases
from demur.honest.decisions import Codes
from demur.honest.evaluate import FoldWindows, TrainingSets
from demur.honest.training_sums import GroupedRows, Groups, columns_of
from demur.typing import FloatArray, IntArray
from demur.windows.budgeted import Budgeted, decide_batches
from demur.windows.cheapest import limited_window
from demur.windows.range_search import range_searches
from demur.windows.search import (
    CasePrices,
    MassRows,
    Prices,
    WindowPrices,
    limited_searches,
    prevalence_factors,
)

__all__ = ["BudgetLearner", "FoldBudgets", "WindowLearner", "budget_learners", "case_window", "no_window"]


_AT_ONCE = 2**20
"""Folds are searched together up to so many sums per column, which bounds the memory."""

_THRESHOLDS = 64
"""Quantiles of what reviews save, among which that of cases decided on arrival is chosen."""


class _Cuts(NamedTuple):
    """Positions of the window of every training set, -1 where the limits allow none.

    `gap` is what is unproven of the optimality of each.
    """

    start: IntArray
    stop: IntArray
    gap: FloatArray


@dataclass(frozen=True, eq=False)
class WindowLearner:
    """How the windows of one problem are searched: costs by corner of the box, under limits."""

    problem: DecisionProblem

    @classmethod
    def of(cls, problem: DecisionProblem) -> WindowLearner:
        """Return the learner for what a problem asks."""
        if not problem.may_abstain:
            # who never abstains keeps every limit on abstentions
            problem = replace(problem, limits=replace(problem.limits, max_abstention=None))
        return cls(problem)

    def fit(self, sets: TrainingSets) -> FoldWindows | UndefinedError:
        """Return the window of every training set; the reason where one of them has none."""
        first, judged, found = sets.cases.splits.first, sets.cases.splits.judged_folds, []
        # runs of folds of bounded size
        step = max(1, _AT_ONCE // len(sets.groups.scores))
        for at in range(0, len(judged), step):
            folds = judged[at : at + step]
            sums = sets.sums(folds)
            start, stop, _ = self.cuts(sums.below)
            if start.min() < 0:
                return no_window(sets.counts(folds[int(np.argmin(start))]), self.problem)
            found.append(sets.groups.thresholds(sums.present, start, stop))
        # blocks that are only learned from have no window of their own
        ends = (np.concatenate(ends) for ends in zip(*found, strict=True))
        windows = FoldWindows(*(np.concatenate([one[:1].repeat(first), one]) for one in ends))
        return no_threshold() if np.isnan(windows).any() else windows

    def cuts(self, below: FloatArray) -> _Cuts:
        """Search the window of every set of running sums."""
        problem = self.problem
        over_range = problem.ranged and problem.objective != "expected"
        masses = _masses(below, problem.rate)
        allowed = problem.allowed(masses, over_range=over_range)
        corners = problem.corners() if over_range else [problem.centre]
        points = [self._prices(below, scenario) for scenario in corners]
        if len(points) == 1:
            start, stop = limited_searches(masses, points[0], allowed)
            return _Cuts(start, stop, np.zeros(len(start)))
        regret = problem.objective == "regret"
        found = range_searches(masses, points, regret=regret, limits=allowed)
        rows = [(-1, -1, 0.0) if cuts is None else (cuts.start, cuts.stop, cuts.gap) for cuts in found]
        return _Cuts(*(np.array(column) for column in zip(*rows, strict=True)))

    def _prices(self, below: FloatArray, scenario: Scenario) -> WindowPrices:
        """What windows cost at one point of the box; the masses are made under the middle of the range."""
        costs, base = scenario.costs, self.problem.rate
        if isinstance(costs, CostModel):
            if base is None or scenario.rate is None:
                return Prices.of(costs)
            return Prices.of(costs, *prevalence_factors(scenario.rate, base))
        assert isinstance(costs, CaseFactors)
        negative, positive = _class_weights(below, scenario.rate)
        miss, alarm, review = (
            factor * (negative * below[:, row] + positive * below[:, row + 1])
            for factor, row in zip(costs, (2, 4, 6), strict=True)
        )
        return CasePrices(miss, alarm[:, -1:] - alarm, review, self.problem.may_abstain)


def _masses(below: FloatArray, prevalence: float | None) -> MassRows:
    """Masses under a prevalence, one row per set of cases, from their running counts by class."""
    negative, positive = below[:, 0], below[:, 1]
    to_negative, to_positive = _class_weights(below, prevalence)
    return MassRows(
        positive_below=positive * to_positive,
        negative_below=negative * to_negative,
        negative_above=(negative[:, -1:] - negative) * to_negative,
    )


def _class_weights(below: FloatArray, prevalence: float | None) -> tuple[FloatArray, FloatArray]:
    """Weight of a negative and of a positive of every set, so that its cases add up to 1."""
    negative, positive = (np.maximum(below[:, row, -1:], 1e-300) for row in (0, 1))
    rate = positive / (negative + positive) if prevalence is None else prevalence
    return (1 - rate) / negative, rate / positive


# ---------------------------------------------------------------- windows of all cases, costs by case


def case_window(
    cases: SplitCases, model: JudgedModel, problem: DecisionProblem
) -> tuple[AbstentionWindow, float]:
    """Return the window of all cases where each has its own costs, and what is unproven of it."""
    rows, classes, counts = cases.splits.repeats[0], model.classes[0], model.counts
    grouped = GroupedRows.of(classes, Groups.of(classes), columns_of(cases, rows))
    start, stop, gap = (one[0] for one in WindowLearner.of(problem).cuts(grouped.everything.below[None]))
    if start < 0:
        raise no_window(counts, problem)
    lower, upper = cut_points(counts.scores, counts.upper_scores)
    if np.isnan(lower[start]) or np.isnan(upper[stop]):
        raise no_threshold()
    costs = problem.costs
    assert isinstance(costs, CaseCosts)
    sums = _score_costs(cases, model, problem.rate).scaled(**costs.mean._asdict())
    window = sums.of_window(lower[start], upper[stop])
    never = costs.may_abstain and window.is_empty and not problem.limits.given()
    return replace(window, certified=float(gap), note=NEVER_PAYS if never else ""), float(gap)


def no_window(counts: ScoreCounts, problem: DecisionProblem) -> UndefinedError:
    """Say which limits could be kept: that depends on the numbers of cases alone, not on their costs."""
    if problem.ranged and problem.objective != "expected":
        return UndefinedError("No window keeps the limits over the whole range. Hint: loosen one of them.")
    review = 0.0 if problem.may_abstain else np.inf
    try:
        limited_window(counts, problem.limits, mu=1.0, nu=review, prevalence=problem.rate)
    except UndefinedError as error:
        return error
    return UndefinedError("No window keeps the limits. Hint: loosen one of them.")


def _score_costs(cases: SplitCases, model: JudgedModel, prevalence: float | None) -> ScoreCosts:
    """Sums per distinct score of cases with their own costs, under a prevalence."""
    assert cases.losses is not None
    counts = model.counts
    group = np.searchsorted(counts.scores, model.scores)
    sizes = cases.sizes
    if prevalence is not None:
        n, n_positive = float(sizes.sum()), float(sizes[cases.positive].sum())
        weights = (1 - prevalence) * n / (n - n_positive), prevalence * n / n_positive
        sizes = sizes * np.where(cases.positive, weights[1], weights[0])

    def summed(column: FloatArray) -> FloatArray:
        return np.bincount(group, column, len(counts.scores)).astype(np.float64, copy=False)

    # rows that stand for cells of cases may lie below 0; sums of a score do so by rounding only
    miss, alarm, review = (np.maximum(summed(sizes * column), 0.0) for column in cases.losses.T)
    return ScoreCosts.from_sums(
        counts.scores,
        summed(sizes),
        miss=miss,
        alarm=alarm,
        review=review,
        squares=tuple(summed(sizes * column**2) for column in cases.losses.T),  # type: ignore[arg-type]
        upper=None if counts.exact else counts.upper_scores,
    )


# ---------------------------------------------------------------- budgets


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
