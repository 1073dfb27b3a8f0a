"""What following the advice costs: the whole choice made on some folds and judged on another.

The smallest of several honest costs is again too small on average. Here, in every outer fold v, the
choice among all candidates is made from the other folds alone, as the answer is made from all of
them: by inner folds of their own. The rule chosen without v is then judged on v. With V folds the
cases without folds v and w serve both (v, w) and (w, v), so V (V - 1) / 2 searches per model and
split are enough.
"""

from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from functools import partial
from typing import NamedTuple

import numpy as np

from demur.comparison.candidates import TRIVIAL, Candidate, first_smallest
from demur.comparison.fold_sums import FoldSums, GroupedRows, Groups, columns_of
from demur.comparison.question import Corner, Question
from demur.comparison.window_learner import WindowLearner
from demur.costs.case_costs import CaseFactors
from demur.honest.cases import SplitCases
from demur.honest.class_rows import ClassRows
from demur.honest.decisions import Codes
from demur.honest.splits import Rows
from demur.surface.window import ABSTAIN
from demur.typing import BoolArray, FloatArray, IntArray

__all__ = ["Scored", "advice_decisions"]

_MOST_GROUPS = 4096
"""Scores of more cases are merged into so many groups of equal size for this one number."""


class Scored(NamedTuple):
    """A model of the comparison: its sorted classes in every split, and its candidates."""

    classes: Sequence[Sequence[ClassRows]]
    candidates: Sequence[Candidate]


class _Tables(NamedTuple):
    """Outcomes of a model's candidates without each fold, and of rules for each corner alone."""

    own: list[FloatArray]
    at_corners: list[list[FloatArray]]


def advice_decisions(
    cases: SplitCases,
    models: Sequence[Scored],
    trivial: Sequence[Candidate],
    question: Question,
    pool: Executor | None = None,
) -> list[Codes]:
    """Element r: decision on every row of split r by who follows the advice made without its fold.

    Models are looked at one beside the other where a `pool` is there for it.
    """
    of_each = map if pool is None else pool.map
    by_model = list(of_each(partial(_model_tables, cases, question), models))
    candidates = [*trivial, *(one for model in models for one in model.candidates)]
    simplest_first = sorted(range(len(candidates)), key=lambda place: candidates[place].order)
    decisions = []
    for index, rows in enumerate(cases.splits.repeats):
        held = _held_sums(cases, rows)
        tables = [_constant_tables(held, TRIVIAL[one.kind]) for one in trivial]
        at_corners: list[list[FloatArray]] = [[] for _ in question.corners()]
        for of_splits in by_model:
            tables += of_splits[index].own
            for several, tables_there in zip(of_splits[index].at_corners, at_corners, strict=False):
                tables_there += several
        chosen = _choose(np.array([tables[place] for place in simplest_first]), at_corners, question)
        rules = [candidates[simplest_first[place]].decided.honest[index] for place in chosen]
        decisions.append(_by_fold(rules, rows.fold))
    return decisions


def _by_fold(rules: Sequence[Codes], fold: IntArray) -> Codes:
    """Decision on every row by the rule of its fold; mostly it is one rule for all of them."""
    decided = rules[0]
    for place, rule in enumerate(rules):
        if rule is not rules[0]:
            decided = np.where(fold == place, rule, decided)
    return decided


def _model_tables(cases: SplitCases, question: Question, model: Scored) -> list[_Tables]:
    """Element r: what the inner folds of split r say about one model."""
    groups, (own, by_corner) = Groups.of(model.classes[0], _MOST_GROUPS), _searches(model, question)
    made = []
    for rows, classes in zip(cases.splits.repeats, model.classes, strict=True):
        grouped = GroupedRows.of(classes, groups, columns_of(cases, rows))
        sums = grouped.held(range(cases.folds))
        made.append(
            _Tables(
                [_inner_tables(grouped, sums, search) for search in own],
                [[_inner_tables(grouped, sums, search) for search in several] for several in by_corner],
            )
        )
    return made


def _held_sums(cases: SplitCases, rows: Rows) -> FloatArray:
    """Element [v, 2 c + k]: sum of column c over the rows of class k in fold v."""
    columns = columns_of(cases, rows)
    held = np.empty((cases.folds, 2 * len(columns)))
    cell = 2 * rows.fold + cases.positive[rows.cell]
    for place, column in enumerate(columns):
        by_class = np.bincount(cell, column, 2 * cases.folds).reshape(-1, 2)
        held[:, 2 * place : 2 * place + 2] = by_class
    return held


# ---------------------------------------------------------------- the choice


def _choose(tables: FloatArray, at_corners: Sequence[Sequence[FloatArray]], question: Question) -> list[int]:
    """Element v: place of the candidate the answer would be, from outcomes [candidate, v, row, decision].

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
        values, largest = _costs(tables, question.centre), 0.0
    return [first_smallest(column, largest) for column in values.T]


def _costs(tables: FloatArray, corner: Corner) -> FloatArray:
    """Cost per case of every table; infinite for a rule that is missing there."""
    sizes = tables[..., :2, :].sum(axis=-1)
    if isinstance(corner.costs, CaseFactors):
        # a decision d costs what row 2 + 2 d (+ 1 for positives) adds up
        paid = (factor * tables[..., 2 + 2 * d : 4 + 2 * d, d] for d, factor in enumerate(corner.costs))
        total = np.sum(list(paid), axis=0)
    else:
        total = (tables * corner.costs.losses.table).sum(axis=-1)
    lost = total / np.maximum(sizes, 1e-300)
    rate = sizes[..., 1] / np.maximum(sizes.sum(axis=-1), 1e-300)
    if corner.prevalence is not None:
        rate = np.full_like(rate, corner.prevalence)
    costs: FloatArray = (1 - rate) * lost[..., 0] + rate * lost[..., 1]
    return np.where(np.isnan(costs), np.inf, costs)


def _constant_tables(held: FloatArray, code: int) -> FloatArray:
    """Element v: outcomes of one decision for all cases outside fold v."""
    tables = np.zeros((*held.shape, 3))
    tables[:, :, code] = held.sum(axis=0) - held
    return tables


# ---------------------------------------------------------------- searches without one or two folds


def _inner_tables(grouped: GroupedRows, sums: FoldSums, search: WindowLearner) -> FloatArray:
    """Element v: outcomes on the folds w != v of rules chosen without v and w.

    A rule that treats all cases without v alike is judged as such, as the answer's candidates
    are. Where the limits allow no rule the outcomes are NaN.
    """
    tables = np.zeros((*sums.below.shape[:2], 3))
    one, two = np.triu_indices(len(sums.below), 1)
    everything = grouped.everything
    left, present = everything.below - sums.below, everything.present - sums.present
    starts, stops, _ = search.cuts(np.concatenate([left[one] - sums.below[two], left]))
    missing = (starts < 0)[:, None, None]
    start, stop = grouped.groups.positions(
        present[one] - sums.present[two], starts[: len(one)], stops[: len(one)]
    )
    row = np.arange(tables.shape[1])
    for outer, inner in ((one, two), (two, one)):
        first, last, total = (
            sums.below[inner[:, None], row, at] for at in (start[:, None], stop[:, None], -1)
        )
        decided = np.stack([first, total - last, last - first], axis=-1)
        np.add.at(tables, outer, np.where(missing[: len(one)], np.nan, decided))
    for code, alike in _alike(present, starts[len(one) :], stops[len(one) :]):
        same = np.zeros_like(tables)
        same[:, :, code] = left[..., -1]
        tables = np.where(alike[:, None, None], same, tables)
    return np.where(missing[len(one) :], np.nan, tables)


def _alike(present: IntArray, start: IntArray, stop: IntArray) -> Iterator[tuple[int, BoolArray]]:
    """Yield each decision with the rows of `present` whose window makes it on all their cases."""
    first, last = (np.take_along_axis(present, at[:, None], 1)[:, 0] for at in (start, stop))
    allowed, total = start >= 0, present[:, -1]
    yield 1, allowed & (last == 0)
    yield 0, allowed & (first == total)
    yield ABSTAIN, allowed & (first == 0) & (last == total)


def _searches(model: Scored, question: Question) -> tuple[list[WindowLearner], list[list[WindowLearner]]]:
    """Searches of a model's candidates, and for the regret those for each corner alone."""
    kinds = [one.kind for one in model.candidates]
    own = [WindowLearner.of(question if kind == "window" else question.never_abstaining()) for kind in kinds]
    if question.objective != "regret":
        return own, []
    by_corner = []
    for corner in question.corners():
        there = question.at(corner)
        aims = [there, there.never_abstaining()] if there.may_abstain else [there]
        by_corner.append([WindowLearner.of(aim) for aim in aims])
    return own, by_corner
