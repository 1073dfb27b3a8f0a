"""Rules of one model where every case has its own costs: chosen, and decided without each fold."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from demur._kernels.sweep import score_groups
from demur.comparison.question import Corner, Question
from demur.costs.case_costs import CaseAmounts, CaseCosts, CaseFactors
from demur.counts.case_window import NEVER_PAYS, CaseWindow
from demur.counts.costs import ScoreCosts
from demur.counts.scores import ScoreCounts
from demur.exceptions import UndefinedError
from demur.honest.cases import SplitCases
from demur.honest.decisions import Codes, Judged, Window, decision_codes
from demur.honest.splits import Rows
from demur.typing import FloatArray, IntArray
from demur.windows.case_tables import CasePrices, CaseTable, ClassWeights
from demur.windows.cheapest import cheapest_window
from demur.windows.range_search import range_search
from demur.windows.search import limited_search

__all__ = ["CaseRules", "case_cuts"]


class _Cuts(NamedTuple):
    """Positions of a window among the distinct scores of some cases; `gap` is what is unproven of it."""

    start: int
    stop: int
    gap: float


def case_cuts(table: CaseTable, question: Question) -> _Cuts:
    """Return the window the question asks for among some cases."""
    costs = question.costs
    assert isinstance(costs, CaseCosts)
    weights, limits = table.weights(question.rate), question.limits.given()
    searched = question.ranged and question.objective != "expected"
    if not searched and not limits:
        return _Cuts(*table.cheapest(costs.mean, weights, may_abstain=costs.may_abstain), 0.0)
    masses = table.masses(weights)
    if not searched:
        prices = table.prices(costs.mean, weights, may_abstain=costs.may_abstain)
        cuts = limited_search(masses, prices, question.limits.cuts(masses))
        if cuts is None:
            raise _impossible(table, question, limits)
        return _Cuts(*cuts, 0.0)
    points = [_prices_at(table, corner, may_abstain=costs.may_abstain) for corner in question.corners()]
    best = range_search(
        masses, points, regret=question.objective == "regret", limits=question.allowed(masses)
    )
    if best is None:
        raise UndefinedError("No window keeps the limits over the whole range. Hint: loosen one of them.")
    return _Cuts(best.start, best.stop, best.gap)


def _prices_at(table: CaseTable, corner: Corner, *, may_abstain: bool) -> CasePrices:
    assert isinstance(corner.costs, CaseFactors)
    return table.prices(corner.costs, table.weights(corner.prevalence), may_abstain=may_abstain)


def _impossible(table: CaseTable, question: Question, limits: dict[str, Any]) -> UndefinedError:
    """Say which limits could be kept: that depends on the numbers of cases alone, not on their costs."""
    negatives, positives = table.cases
    counts = ScoreCounts.from_counts(table.scores, positives, negatives)
    review = 0.0 if question.may_abstain else np.inf
    try:
        cheapest_window(counts, mu=1.0, nu=review, prevalence=question.rate, **limits)
    except UndefinedError as error:
        return error
    return UndefinedError("No window keeps the limits. Hint: loosen one of them.")


@dataclass(frozen=True, slots=True, eq=False)
class CaseRules:
    """Cases with their own costs, in the order of one model's scores.

    Attributes
    ----------
    cases : SplitCases
        With amounts.
    distinct : array
        Scores, ascending.
    group : array
        Element c: place of the score of cell c among them.
    upper : array or None
        Largest scores of bins, where `distinct` are the smallest ones.
    """

    cases: SplitCases
    scores: FloatArray
    distinct: FloatArray
    group: IntArray
    upper: FloatArray | None = None

    @classmethod
    def of(cls, cases: SplitCases, scores: FloatArray, counts: ScoreCounts | None = None) -> "CaseRules":
        """Sort the scores of the cells once; `counts` tell the ranges of bins."""
        groups = score_groups(scores)
        place = np.zeros(len(scores), dtype=np.int64)
        place[groups.starts[1:]] = 1
        group = np.empty(len(scores), dtype=np.int64)
        group[groups.order] = np.cumsum(place)
        upper = None if counts is None or counts.exact else counts.upper_scores
        return cls(cases, scores, groups.scores, group, upper)

    @property
    def amounts(self) -> CaseAmounts:
        """Costs of every cell."""
        assert self.cases.amounts is not None
        return self.cases.amounts

    def choose(self, question: Question) -> tuple[CaseWindow, float]:
        """Return the window of all cases, what it costs there, and what is unproven of it."""
        table = CaseTable.of_rows(
            self.distinct, self.group, self.cases.positive, self.cases.sizes, self.amounts, self.upper
        )
        cuts = case_cuts(table, question)
        costs = question.costs
        assert isinstance(costs, CaseCosts)
        sums = self._sums(table.weights(question.rate)).scaled(**costs.mean._asdict())
        window = sums.of_window(*table.thresholds(cuts.start, cuts.stop))
        note = NEVER_PAYS if costs.may_abstain and window.is_empty and not question.limits.given() else ""
        return replace(window, certified=cuts.gap, note=note), cuts.gap

    def _sums(self, weights: ClassWeights) -> ScoreCosts:
        """Return the sums per distinct score under a prevalence."""
        cases = self.cases.sizes * np.where(self.cases.positive, weights.positive, weights.negative)
        columns = self.amounts.miss, self.amounts.alarm, self.amounts.review

        def summed(column: FloatArray) -> FloatArray:
            return np.bincount(self.group, column, len(self.distinct)).astype(np.float64, copy=False)

        # rows that stand for cells of cases may lie below 0; sums of a score do so by rounding only
        miss, alarm, review = (np.maximum(summed(cases * column), 0.0) for column in columns)
        return ScoreCosts.from_sums(
            self.distinct,
            summed(cases),
            miss=miss,
            alarm=alarm,
            review=review,
            squares=tuple(summed(cases * column**2) for column in columns),  # type: ignore[arg-type]
            upper=self.upper,
        )

    def judge(self, aims: Sequence[Question], hindsight: Sequence[Window]) -> list[Judged | UndefinedError]:
        """Decide every case by the windows chosen without its fold; the reason where some fold has none."""
        broken: dict[int, UndefinedError] = {}
        honest: list[list[Codes]] = [[] for _ in aims]
        for rows in self.cases.splits.repeats:
            decided = [np.empty(len(rows.cell), dtype=np.int8) for _ in aims]
            scores = self.scores[rows.cell]
            for fold in range(self.cases.folds):
                held = np.flatnonzero(rows.fold == fold)
                table = self._without(rows, fold)
                for place, aim in enumerate(aims):
                    if place in broken:
                        continue
                    try:
                        cuts = case_cuts(table, aim)
                    except UndefinedError as error:
                        broken[place] = error
                        continue
                    window = Window(*table.thresholds(cuts.start, cuts.stop))
                    decided[place][held] = decision_codes(scores[held], window)
            for column, codes in zip(honest, decided, strict=True):
                column.append(codes)
        seen = self.scores[self.cases.splits.repeats[0].cell]
        return [
            broken.get(place) or Judged(tuple(column), decision_codes(seen, window))
            for place, (column, window) in enumerate(zip(honest, hindsight, strict=True))
        ]

    def _without(self, rows: Rows, fold: int) -> CaseTable:
        """Add up the cases of all folds but one."""
        kept = np.flatnonzero(rows.fold != fold)
        cell = rows.cell[kept]
        positive, amounts = self.cases.positive[cell], self.amounts.take(cell)
        return CaseTable.of_rows(
            self.distinct, self.group[cell], positive, rows.cases[kept], amounts, self.upper
        )
