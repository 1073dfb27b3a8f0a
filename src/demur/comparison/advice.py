"""What following the advice costs: the whole choice made on some folds and judged on another.

The smallest of several honest costs is again too small on average. Here, in every outer fold, the
choice among all candidates is made from the other folds alone, by inner folds of their own, and
then judged on the outer fold. With V folds the cases without folds v and w serve both (v, w) and
(w, v), so V (V - 1) / 2 searches per model and split are enough.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from demur.comparison.candidates import TRIVIAL, Candidate
from demur.comparison.question import Corner, Question
from demur.honest.cases import SplitCases
from demur.honest.class_rows import ClassRows
from demur.honest.expected_cost import loss_table
from demur.surface.masses import RunningMasses
from demur.typing import FloatArray
from demur.windows.range_search import range_search
from demur.windows.search import Prices, limited_search

__all__ = ["Scored", "advice_outcomes"]

_MOST_GROUPS = 4096
"""Scores of more cases are merged into so many groups of equal size for this one number."""

_TIE = 1e-12


class Scored(NamedTuple):
    """A model of the comparison: its sorted classes in every split, and its candidates."""

    classes: Sequence[Sequence[ClassRows]]
    candidates: Sequence[Candidate]


def _fold_counts(classes: Sequence[ClassRows], cuts: FloatArray, folds: int) -> FloatArray:
    """Cases per fold, class (negative, positive) and group of scores between the cuts: element [v, c, g]."""
    counts = []
    for one in reversed(classes):
        ends = np.searchsorted(one.scores, cuts, side="right")
        sizes = np.diff(np.concatenate([[0], ends, [len(one.scores)]]))
        group = np.repeat(np.arange(len(cuts) + 1), sizes)
        code = one.fold.astype(np.int64) * (len(cuts) + 1) + group
        counts.append(np.bincount(code, one.cases, folds * (len(cuts) + 1)).reshape(folds, len(cuts) + 1))
    return np.stack(counts, axis=1).astype(np.float64)


def advice_outcomes(
    cases: SplitCases, models: Sequence[Scored], trivial: Sequence[Candidate], question: Question
) -> FloatArray:
    """Return the table of outcomes (class x decision) of following the advice, averaged over the splits."""
    candidates = [*trivial, *(one for model in models for one in model.candidates)]
    # ties go to the simpler rule
    candidates.sort(key=lambda one: one.order)
    cuts = [_score_cuts(model.classes[0]) for model in models]
    total = np.zeros((2, 3))
    repeats = cases.splits.repeats
    for index, rows in enumerate(repeats):
        positive = cases.positive[rows.cell]
        held = np.zeros((cases.folds, 2))
        np.add.at(held, (rows.fold, positive.astype(np.int64)), rows.cases)
        inner = {}
        for model, between in zip(models, cuts, strict=True):
            counts = _fold_counts(model.classes[index], between, cases.folds)
            for one, tables in zip(model.candidates, _inner_tables(counts, model, question), strict=True):
                inner[id(one)] = tables
        for one in trivial:
            inner[id(one)] = _trivial_tables(held, TRIVIAL[one.kind])
        for fold in range(cases.folds):
            chosen = _choose(candidates, [inner[id(one)][fold] for one in candidates], question)
            inside = rows.fold == fold
            code = positive[inside] * 3 + chosen.judged.honest[index][inside]
            total += np.bincount(code, rows.cases[inside], 6).reshape(2, 3)
    return total / len(repeats)


def _score_cuts(classes: Sequence[ClassRows]) -> FloatArray:
    """Scores that end a group: each distinct one but the last, or every so many cases if there are many."""
    ordered = np.sort(np.concatenate([one.scores for one in classes]), kind="stable")
    ends = np.flatnonzero(ordered[1:] > ordered[:-1])
    if len(ends) >= _MOST_GROUPS:
        ends = np.unique(ends[np.linspace(0, len(ends) - 1, _MOST_GROUPS - 1).astype(np.int64)])
    return np.asarray(ordered[ends])


def _choose(candidates: Sequence[Candidate], tables: Sequence[FloatArray], question: Question) -> Candidate:
    """Choose as the answer does, from tables of outcomes."""
    corners = question.corners()
    costs = np.array([[_cost(table, corner) for corner in corners] for table in tables])
    if question.objective == "regret":
        values = (costs - costs.min(axis=0)).max(axis=1)
    elif question.objective == "worst":
        values = costs.max(axis=1)
    else:
        point = Corner(question.point, question.rate)
        values = np.array([_cost(table, point) for table in tables])
    return candidates[int(np.argmax(values <= values.min() * (1 + _TIE) + _TIE * abs(values).max()))]


def _cost(table: FloatArray, corner: Corner) -> float:
    negative, positive = table.sum(axis=1)
    rate = positive / (positive + negative) if corner.prevalence is None else corner.prevalence
    lost = (table * loss_table(corner.costs)).sum(axis=1)
    by_class = lost / np.array([max(negative, 1e-300), max(positive, 1e-300)])
    return float((1 - rate) * by_class[0] + rate * by_class[1])


def _trivial_tables(held: FloatArray, code: int) -> FloatArray:
    """Element v: outcomes of one decision for all cases outside fold v."""
    tables = np.zeros((len(held), 2, 3))
    tables[:, :, code] = held.sum(axis=0) - held
    return tables


def _inner_tables(counts: FloatArray, model: Scored, question: Question) -> list[FloatArray]:
    """Per candidate, element v: outcomes on the folds w != v of rules chosen without v and w."""
    folds = len(counts)
    running = np.concatenate([np.zeros((folds, 2, 1)), np.cumsum(counts, axis=2)], axis=2)
    everything = running.sum(axis=0)
    tables = [np.zeros((folds, 2, 3)) for _ in model.candidates]
    searches = [_Search.of(candidate, question) for candidate in model.candidates]
    for v in range(folds):
        for w in range(v + 1, folds):
            masses = _masses(everything - running[v] - running[w], question)
            for place, search in enumerate(searches):
                start, stop = search.cuts(masses)
                for outer, held in ((v, running[w]), (w, running[v])):
                    tables[place][outer, :, 0] += held[:, start]
                    tables[place][outer, :, 2] += held[:, stop] - held[:, start]
                    tables[place][outer, :, 1] += held[:, -1] - held[:, stop]
    return tables


def _masses(below: FloatArray, question: Question) -> RunningMasses:
    """Running masses from cumulative counts of negatives and positives."""
    negative, positive = below
    totals = max(float(negative[-1]), 1e-300), max(float(positive[-1]), 1e-300)
    rate = totals[1] / (totals[0] + totals[1]) if question.rate is None else question.rate
    to_negative, to_positive = (1 - rate) / totals[0], rate / totals[1]
    index = np.arange(len(negative), dtype=np.int64)
    nowhere = np.zeros(len(negative))
    return RunningMasses(
        positive_below=positive * to_positive,
        negative_below=negative * to_negative,
        negative_above=(negative[-1] - negative) * to_negative,
        lower_cut=nowhere,
        upper_cut=nowhere,
        groups_below=index,
    )


class _Search(NamedTuple):
    """How the window of one candidate is searched: prices by corner of the box, under limits."""

    question: Question
    prices: list[Prices]

    @classmethod
    def of(cls, candidate: Candidate, question: Question) -> "_Search":
        aim = question if candidate.kind == "window" else question.never_abstaining()
        searched = aim.ranged and aim.objective != "expected"
        corners = aim.corners() if searched else [Corner(aim.point, aim.rate)]
        if aim.rate is None:
            return cls(aim, [Prices.of(corner.costs) for corner in corners])
        # the masses are made under the middle of the range
        base = aim.rate
        rates = [base if corner.prevalence is None else corner.prevalence for corner in corners]
        factors = [(rate / base, (1 - rate) / (1 - base)) for rate in rates]
        return cls(aim, [Prices.of(corner.costs, *by) for corner, by in zip(corners, factors, strict=True)])

    def cuts(self, masses: RunningMasses) -> tuple[int, int]:
        """Positions of the window; always abstain where the limits allow none."""
        limits = self.question.limits.cuts(masses) if self.question.limits.given() else None
        best: tuple[int, int] | None
        if len(self.prices) > 1:
            over = range_search(
                masses, self.prices, regret=self.question.objective == "regret", limits=limits
            )
            best = None if over is None else (over.start, over.stop)
        else:
            best = limited_search(masses, self.prices[0], limits)
        return (0, len(masses.positive_below) - 1) if best is None else best
