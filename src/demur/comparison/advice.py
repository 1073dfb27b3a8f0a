"""What following the advice costs: the whole choice made on some folds and judged on another.

The smallest of several honest costs is again too small on average. Here, in every outer fold v, the
choice among all candidates is made from the other folds alone, as the answer is made from all of
them: by inner folds of their own. The rule chosen without v is then judged on v. With V folds the
cases without folds v and w serve both (v, w) and (w, v), so V (V - 1) / 2 searches per model and
split are enough.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from demur.comparison.candidates import TRIVIAL, Candidate, first_smallest
from demur.comparison.question import Corner, Question
from demur.honest.cases import SplitCases
from demur.honest.class_rows import ClassRows
from demur.honest.decisions import ABSTAINED
from demur.honest.expected_cost import loss_table
from demur.surface.masses import RunningMasses
from demur.typing import BoolArray, FloatArray, IntArray
from demur.windows.range_search import range_search
from demur.windows.search import MassRows, Prices, limited_search, unlimited_searches

__all__ = ["Scored", "advice_outcomes"]

_MOST_GROUPS = 4096
"""Scores of more cases are merged into so many groups of equal size for this one number."""

_ROUNDING = 1e-12


class Scored(NamedTuple):
    """A model of the comparison: its sorted classes in every split, and its candidates."""

    classes: Sequence[Sequence[ClassRows]]
    candidates: Sequence[Candidate]


def advice_outcomes(
    cases: SplitCases, models: Sequence[Scored], trivial: Sequence[Candidate], question: Question
) -> FloatArray:
    """Return the table of outcomes (class x decision) of following the advice, averaged over the splits."""
    cuts = [_score_cuts(model.classes[0]) for model in models]
    searches = [_searches(model, question) for model in models]
    candidates = [*trivial, *(one for model in models for one in model.candidates)]
    simplest_first = sorted(range(len(candidates)), key=lambda place: candidates[place].order)
    total = np.zeros((2, 3))
    repeats = cases.splits.repeats
    for index, rows in enumerate(repeats):
        positive = cases.positive[rows.cell]
        held = np.zeros((cases.folds, 2))
        np.add.at(held, (rows.fold, positive.astype(np.int64)), rows.cases)
        tables = [_constant_tables(held, TRIVIAL[one.kind]) for one in trivial]
        at_corners: list[list[FloatArray]] = [[] for _ in question.corners()]
        for model, between, (own, by_corner) in zip(models, cuts, searches, strict=True):
            counts = _FoldCounts.of(model.classes[index], between, cases.folds)
            tables += [counts.inner_tables(search) for search in own]
            for several, tables_there in zip(by_corner, at_corners, strict=False):
                tables_there += [counts.inner_tables(search) for search in several]
        chosen = _choose(np.array([tables[place] for place in simplest_first]), at_corners, question)
        for fold, place in enumerate(chosen):
            inside = rows.fold == fold
            decided = candidates[simplest_first[place]].decided.honest[index][inside]
            code = positive[inside] * 3 + decided
            total += np.bincount(code, rows.cases[inside], 6).reshape(2, 3)
    return total / len(repeats)


def _score_cuts(classes: Sequence[ClassRows]) -> FloatArray:
    """Scores that end a group: each distinct one but the last, or every so many cases if there are many."""
    ordered = np.sort(np.concatenate([one.scores for one in classes]), kind="stable")
    ends = np.flatnonzero(ordered[1:] > ordered[:-1])
    if len(ends) >= _MOST_GROUPS:
        ends = np.unique(ends[np.linspace(0, len(ends) - 1, _MOST_GROUPS - 1).astype(np.int64)])
    return np.asarray(ordered[ends])


# ---------------------------------------------------------------- the choice


def _choose(tables: FloatArray, at_corners: Sequence[Sequence[FloatArray]], question: Question) -> list[int]:
    """Element v: place of the candidate the answer would be, from outcomes [candidate, v, class, decision].

    `at_corners` holds outcomes of rules chosen for each corner alone, which the regret compares with.
    """
    corners = question.corners()
    if question.objective in ("worst", "regret"):
        costs = np.array([_costs(tables, corner) for corner in corners])
        largest = costs[np.isfinite(costs)].max(initial=0.0)
        if question.objective == "regret":
            for own, rules, corner in zip(costs, at_corners, corners, strict=True):
                own -= np.min([*own, *_costs(np.array(rules).reshape(-1, *tables.shape[1:]), corner)], axis=0)
        values = costs.max(axis=0)
    else:
        values, largest = _costs(tables, Corner(question.point, question.rate)), 0.0
    return [first_smallest(column, largest) for column in values.T]


def _costs(tables: FloatArray, corner: Corner) -> FloatArray:
    """Cost per case of every table; infinite for a rule that is missing there."""
    sizes = tables.sum(axis=-1)
    lost = (tables * loss_table(corner.costs)).sum(axis=-1) / np.maximum(sizes, 1e-300)
    rate = sizes[..., 1] / np.maximum(sizes.sum(axis=-1), 1e-300)
    if corner.prevalence is not None:
        rate = np.full_like(rate, corner.prevalence)
    costs: FloatArray = (1 - rate) * lost[..., 0] + rate * lost[..., 1]
    return np.where(np.isnan(costs), np.inf, costs)


def _constant_tables(held: FloatArray, code: int) -> FloatArray:
    """Element v: outcomes of one decision for all cases outside fold v."""
    tables = np.zeros((len(held), 2, 3))
    tables[:, :, code] = held.sum(axis=0) - held
    return tables


# ---------------------------------------------------------------- searches without one or two folds


@dataclass(frozen=True, slots=True, eq=False)
class _FoldCounts:
    """Cases of each fold below every position among the groups: element [v, class, position]."""

    below: FloatArray

    @classmethod
    def of(cls, classes: Sequence[ClassRows], cuts: FloatArray, folds: int) -> "_FoldCounts":
        """Count the cases of each class between the cuts; `classes` are positives, negatives."""
        groups, counts = len(cuts) + 1, []
        for one in reversed(classes):
            ends = np.searchsorted(one.scores, cuts, side="right")
            sizes = np.diff(np.concatenate([[0], ends, [len(one.scores)]]))
            code = one.fold.astype(np.int64) * groups + np.repeat(np.arange(groups), sizes)
            counts.append(np.bincount(code, one.cases, folds * groups).reshape(folds, groups))
        below = np.cumsum(np.stack(counts, axis=1), axis=2, dtype=np.float64)
        return cls(np.concatenate([np.zeros((folds, 2, 1)), below], axis=2))

    def inner_tables(self, search: "_Search") -> FloatArray:
        """Element v: outcomes on the folds w != v of rules chosen without v and w.

        A rule that treats all cases without v alike is judged as such, as the answer's candidates
        are. Where the limits allow no rule the outcomes are NaN.
        """
        folds, everything = len(self.below), self.below.sum(axis=0)
        tables = np.zeros((folds, 2, 3))
        one, two = np.triu_indices(folds, 1)
        start, stop = search.cuts(everything - self.below[one] - self.below[two])
        for outer, inner in ((one, two), (two, one)):
            held = self.below[inner]
            first, last = (np.take_along_axis(held, at[:, None, None], 2)[..., 0] for at in (start, stop))
            decided = np.stack([first, held[..., -1] - last, last - first], axis=-1)
            np.add.at(tables, outer, np.where((start < 0)[:, None, None], np.nan, decided))
        left = everything - self.below
        start, stop = search.cuts(left)
        for code, alike in _alike(left, start, stop):
            same = np.zeros((folds, 2, 3))
            same[:, :, code] = left[..., -1]
            tables = np.where(alike[:, None, None], same, tables)
        return np.where((start < 0)[:, None, None], np.nan, tables)


def _alike(below: FloatArray, start: IntArray, stop: IntArray) -> Iterator[tuple[int, BoolArray]]:
    """Yield each decision with the rows whose window makes it on all their cases."""
    cases = below.sum(axis=1)
    share = cases / cases[:, -1:]
    first, last = (np.take_along_axis(share, at[:, None], 1)[:, 0] for at in (start, stop))
    none_negative, none_positive = first <= _ROUNDING, last >= 1 - _ROUNDING
    allowed = start >= 0
    yield 1, allowed & (last <= _ROUNDING)
    yield 0, allowed & (first >= 1 - _ROUNDING)
    yield ABSTAINED, allowed & none_negative & none_positive


def _mass_rows(below: FloatArray, prevalence: float | None) -> MassRows:
    """Masses under a prevalence, one row per set of cases, from their cumulative counts by class."""
    negative, positive = below[:, 0], below[:, 1]
    totals = [np.maximum(column[:, -1:], 1e-300) for column in (negative, positive)]
    rate = totals[1] / (totals[0] + totals[1]) if prevalence is None else prevalence
    to_negative, to_positive = (1 - rate) / totals[0], rate / totals[1]
    return MassRows(
        positive_below=positive * to_positive,
        negative_below=negative * to_negative,
        negative_above=(negative[:, -1:] - negative) * to_negative,
    )


class _Search(NamedTuple):
    """How the window of one candidate is searched: prices by corner of the box, under limits."""

    question: Question
    prices: list[Prices]

    @classmethod
    def of(cls, question: Question) -> "_Search":
        searched = question.ranged and question.objective != "expected"
        corners = question.corners() if searched else [Corner(question.point, question.rate)]
        base = question.rate
        if base is None:
            return cls(question, [Prices.of(corner.costs) for corner in corners])
        # the masses are made under the middle of the range
        rates = [base if corner.prevalence is None else corner.prevalence for corner in corners]
        factors = [(rate / base, (1 - rate) / (1 - base)) for rate in rates]
        return cls(
            question, [Prices.of(corner.costs, *by) for corner, by in zip(corners, factors, strict=True)]
        )

    def cuts(self, below: FloatArray) -> tuple[IntArray, IntArray]:
        """Positions of the window of every row of cumulative counts; -1 where the limits allow none."""
        rows = _mass_rows(below, self.question.rate)
        if len(self.prices) == 1 and not self.question.limits.given():
            return unlimited_searches(rows, self.prices[0])
        cuts = [self._one(masses) or (-1, -1) for masses in map(_running_masses, *rows)]
        return np.array([start for start, _ in cuts]), np.array([stop for _, stop in cuts])

    def _one(self, masses: RunningMasses) -> tuple[int, int] | None:
        question = self.question
        if len(self.prices) == 1:
            return limited_search(masses, self.prices[0], question.limits.cuts(masses))
        best = range_search(
            masses,
            self.prices,
            regret=question.objective == "regret",
            limits=question.allowed(masses),
        )
        return None if best is None else (best.start, best.stop)


def _searches(model: Scored, question: Question) -> tuple[list[_Search], list[list[_Search]]]:
    """Searches of a model's candidates, and for the regret those for each corner alone."""
    kinds = [one.kind for one in model.candidates]
    own = [_Search.of(question if kind == "window" else question.never_abstaining()) for kind in kinds]
    if question.objective != "regret":
        return own, []
    by_corner = []
    for corner in question.corners():
        there = question.at(corner)
        aims = [there, there.never_abstaining()] if there.may_abstain else [there]
        by_corner.append([_Search.of(aim) for aim in aims])
    return own, by_corner


def _running_masses(
    positive_below: FloatArray, negative_below: FloatArray, negative_above: FloatArray
) -> RunningMasses:
    nowhere = np.zeros(len(positive_below))
    return RunningMasses(
        positive_below=positive_below,
        negative_below=negative_below,
        negative_above=negative_above,
        lower_cut=nowhere,
        upper_cut=nowhere,
        groups_below=np.arange(len(positive_below), dtype=np.int64),
    )
