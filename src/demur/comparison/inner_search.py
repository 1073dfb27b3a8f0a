"""Searches of windows on many sets of cases at once, from cumulative sums by group of scores.

Element [r, x, p] of the sums is for set r and position p among the groups. Row x = 0 counts negatives,
x = 1 positives; where every case has its own costs, rows 2 to 7 are their costs if called negative, if
called positive and if reviewed, each for negatives and then positives.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple, Protocol

import numpy as np

from demur.comparison.question import Corner, Question
from demur.costs.case_costs import CaseCosts, CaseFactors
from demur.costs.model import CostModel
from demur.typing import FloatArray, IntArray
from demur.windows.case_tables import CasePrices
from demur.windows.range_search import range_searches
from demur.windows.search import MassRows, Prices, WindowPrices, limited_searches, prevalence_factors

__all__ = ["InnerSearch", "search_of"]


class InnerSearch(Protocol):
    """How the window of one candidate is searched."""

    def cuts(self, below: FloatArray) -> tuple[IntArray, IntArray]:
        """Positions of the window of every set of cumulative sums; -1 where the limits allow none."""


def search_of(question: Question) -> InnerSearch:
    """Return the search for what a question asks."""
    if not question.may_abstain:
        # who never abstains keeps every limit on abstentions
        question = replace(question, limits=replace(question.limits, max_abstention=None))
    return _CaseSearch(question) if question.by_case else _Search.of(question)


def _mass_rows(below: FloatArray, prevalence: float | None) -> MassRows:
    """Masses under a prevalence, one row per set of cases, from their cumulative counts by class."""
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


class _Search(NamedTuple):
    """How the window of one candidate is searched: prices by corner of the box, under limits."""

    question: Question
    prices: list[Prices]

    @classmethod
    def of(cls, question: Question) -> "_Search":
        searched = question.ranged and question.objective != "expected"
        corners = question.corners() if searched else [question.centre]
        base = question.rate
        costs = [_by_class(corner) for corner in corners]
        if base is None:
            return cls(question, [Prices.of(one) for one in costs])
        # the masses are made under the middle of the range
        rates = [base if corner.prevalence is None else corner.prevalence for corner in corners]
        paired = zip(costs, rates, strict=True)
        return cls(question, [Prices.of(one, *prevalence_factors(rate, base)) for one, rate in paired])

    def cuts(self, below: FloatArray) -> tuple[IntArray, IntArray]:
        """Positions of the window of every row of cumulative counts; -1 where the limits allow none."""
        rows = _mass_rows(below, self.question.rate)
        if len(self.prices) == 1:
            return limited_searches(rows, self.prices[0], self.question.limits.cuts(rows))
        return _range_searches(self.question, rows, self.prices)


class _CaseSearch(NamedTuple):
    """The same where every case has its own costs."""

    question: Question

    def cuts(self, below: FloatArray) -> tuple[IntArray, IntArray]:
        """Positions of the window of every set of cumulative sums; -1 where the limits allow none."""
        question = self.question
        searched = question.ranged and question.objective != "expected"
        corners = question.corners() if searched else [question.centre]
        rows = _mass_rows(below, question.rate)
        points = [self._prices(below, corner) for corner in corners]
        if len(points) == 1:
            return limited_searches(rows, points[0], question.limits.cuts(rows))
        return _range_searches(question, rows, points)

    def _prices(self, below: FloatArray, corner: Corner) -> CasePrices:
        """Running costs of every set at one point of the box."""
        costs, factors = self.question.costs, corner.costs
        assert isinstance(costs, CaseCosts)
        assert isinstance(factors, CaseFactors)
        negative, positive = _class_weights(below, corner.prevalence)
        miss, alarm, review = (
            factor * (negative * below[:, row] + positive * below[:, row + 1])
            for factor, row in zip(factors, (2, 4, 6), strict=True)
        )
        return CasePrices(miss, alarm[:, -1:] - alarm, review, costs.may_abstain)


def _by_class(corner: Corner) -> CostModel:
    assert isinstance(corner.costs, CostModel)
    return corner.costs


def _range_searches(
    question: Question, rows: MassRows, prices: Sequence[WindowPrices]
) -> tuple[IntArray, IntArray]:
    """Search every set of cases over a range; (-1, -1) where no window is allowed."""
    regret = question.objective == "regret"
    found = range_searches(rows, prices, regret=regret, limits=question.allowed(rows))
    pairs = [(-1, -1) if cuts is None else (cuts.start, cuts.stop) for cuts in found]
    return np.array([start for start, _ in pairs]), np.array([stop for _, stop in pairs])
