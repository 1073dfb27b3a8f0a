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

from demur._kernels.thresholds import cut_points
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


class Scored(NamedTuple):
    """A model of the comparison: its sorted classes in every split, and its candidates."""

    classes: Sequence[Sequence[ClassRows]]
    candidates: Sequence[Candidate]


def advice_outcomes(
    cases: SplitCases, models: Sequence[Scored], trivial: Sequence[Candidate], question: Question
) -> FloatArray:
    """Return the table of outcomes (class x decision) of following the advice, averaged over the splits."""
    groups = [_Groups.of(model.classes[0]) for model in models]
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
        for model, merged, (own, by_corner) in zip(models, groups, searches, strict=True):
            counts = _FoldCounts.of(model.classes[index], merged, cases.folds)
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


class _Groups(NamedTuple):
    """Lowest and highest score of every group: one per distinct score, fewer if there are many."""

    low: FloatArray
    high: FloatArray

    @classmethod
    def of(cls, classes: Sequence[ClassRows]) -> "_Groups":
        ordered = np.sort(np.concatenate([one.scores for one in classes]), kind="stable")
        ends = np.flatnonzero(ordered[1:] > ordered[:-1])
        if len(ends) >= _MOST_GROUPS:
            ends = np.unique(ends[np.linspace(0, len(ends) - 1, _MOST_GROUPS - 1).astype(np.int64)])
        return cls(ordered[np.append(0, ends + 1)], ordered[np.append(ends, len(ordered) - 1)])

    def positions(self, present: IntArray, start: IntArray, stop: IntArray) -> tuple[IntArray, IntArray]:
        """Number of groups called negative, and not called positive, by the windows of some cases.

        Row r of `present` counts the rows a window was chosen on below every position. Groups
        without such rows lie on the side of the midpoint threshold, as scores do.
        """
        lower, upper = (self._threshold(present, at) for at in (start, stop))
        first = np.searchsorted(self.low, lower[0], side="right")
        last = np.searchsorted(self.low, upper[1], side="left")
        # no score reaches an infinite threshold
        first, last = (
            np.where(cut[0] == -np.inf, 0, np.where(cut[1] == np.inf, len(self.low), at))
            for cut, at in ((lower, first), (upper, last))
        )
        rows = np.arange(len(present))
        return np.where(present[rows, start] == present[rows, stop], last, first), last

    def _threshold(self, present: IntArray, at: IntArray) -> tuple[FloatArray, FloatArray]:
        """Lower and upper threshold at the positions `at`, between the nearest groups with rows."""
        # one ascending array of all rows, so that one look-up serves them all
        rows = np.arange(len(present))
        apart = present + rows[:, None] * (present.max() + 1)
        here = apart[rows, at]
        before, after = (
            np.searchsorted(apart.ravel(), here, side=side) - rows * present.shape[1] - 1
            for side in ("left", "right")
        )
        inside = (before >= 0) & (after < len(self.low))
        pairs = self.high[before[inside]], self.low[after[inside]]
        thresholds = []
        for between in cut_points(np.append(pairs[0][:1], pairs[1]), np.append(pairs[0], pairs[1][-1:])):
            threshold = np.where(before < 0, -np.inf, np.inf)
            threshold[inside] = between[1:-1]
            thresholds.append(threshold)
        return thresholds[0], thresholds[1]


@dataclass(frozen=True, slots=True, eq=False)
class _FoldCounts:
    """Cases and rows of each fold below every position among the groups.

    Element [v, class, position] of `below` are cases, element [v, position] of `present` rows.
    """

    groups: _Groups
    below: FloatArray
    present: IntArray

    @classmethod
    def of(cls, classes: Sequence[ClassRows], groups: _Groups, folds: int) -> "_FoldCounts":
        """Count the rows of each class by group; `classes` are positives, negatives."""
        number, counts = len(groups.low), []
        present = np.zeros(folds * number, dtype=np.int64)
        for one in reversed(classes):
            ends = np.searchsorted(one.scores, groups.high[:-1], side="right")
            sizes = np.diff(np.concatenate([[0], ends, [len(one.scores)]]))
            code = one.fold.astype(np.int64) * number + np.repeat(np.arange(number), sizes)
            rows = np.bincount(code, minlength=folds * number)
            present += rows
            cases = rows if one.cases is None else np.bincount(code, one.cases, folds * number)
            counts.append(cases.reshape(folds, number))
        below = np.cumsum(np.stack(counts, axis=1), axis=2, dtype=np.float64)
        seen = np.cumsum(present.reshape(folds, number), axis=1)
        return cls(
            groups,
            np.concatenate([np.zeros((folds, 2, 1)), below], axis=2),
            np.concatenate([np.zeros((folds, 1), dtype=np.int64), seen], axis=1),
        )

    def inner_tables(self, search: "_Search") -> FloatArray:
        """Element v: outcomes on the folds w != v of rules chosen without v and w.

        A rule that treats all cases without v alike is judged as such, as the answer's candidates
        are. Where the limits allow no rule the outcomes are NaN.
        """
        folds, everything, rows = len(self.below), self.below.sum(axis=0), self.present.sum(axis=0)
        tables = np.zeros((folds, 2, 3))
        one, two = np.triu_indices(folds, 1)
        start, stop = search.cuts(everything - self.below[one] - self.below[two])
        missing = (start < 0)[:, None, None]
        start, stop = self.groups.positions(rows - self.present[one] - self.present[two], start, stop)
        for outer, inner in ((one, two), (two, one)):
            held = self.below[inner]
            first, last = (np.take_along_axis(held, at[:, None, None], 2)[..., 0] for at in (start, stop))
            decided = np.stack([first, held[..., -1] - last, last - first], axis=-1)
            np.add.at(tables, outer, np.where(missing, np.nan, decided))
        left = everything - self.below
        start, stop = search.cuts(left)
        for code, alike in _alike(rows - self.present, start, stop):
            same = np.zeros((folds, 2, 3))
            same[:, :, code] = left[..., -1]
            tables = np.where(alike[:, None, None], same, tables)
        return np.where((start < 0)[:, None, None], np.nan, tables)


def _alike(present: IntArray, start: IntArray, stop: IntArray) -> Iterator[tuple[int, BoolArray]]:
    """Yield each decision with the rows of `present` whose window makes it on all their cases."""
    first, last = (np.take_along_axis(present, at[:, None], 1)[:, 0] for at in (start, stop))
    allowed, total = start >= 0, present[:, -1]
    yield 1, allowed & (last == 0)
    yield 0, allowed & (first == total)
    yield ABSTAINED, allowed & (first == 0) & (last == total)


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
