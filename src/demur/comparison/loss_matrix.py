"""The honest loss of every candidate on every case, and what the choice among them costs.

The loss of a case is that of the decision made by the rule chosen without its fold, averaged over the splits.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from demur.comparison.candidates import Candidate, losses_at
from demur.comparison.problem import DecisionProblem, Scenario
from demur.comparison.training_losses import losses_of_rows
from demur.honest.after_choice import (
    MOST_RESAMPLED,
    AfterChoice,
    LossUnits,
    after_choice,
    first_smallest,
)
from demur.honest.cases import SplitCases
from demur.honest.estimates import row_sample, unlabelled_losses
from demur.typing import FloatArray, IntArray

__all__ = ["choice_cost", "loss_units"]

_ROWS_AT_ONCE = 2**16
_MOST_CODES = 2**20
"""Combinations of decisions are numbered anew where there may be more."""


def loss_units(cases: SplitCases, candidates: Sequence[Candidate], corners: Sequence[Scenario]) -> LossUnits:
    """Return the losses of candidates judged on the same splits, one scenario per corner.

    Cases stand for the prevalence of the first corner; where that of another one differs, its losses are
    scaled so that their means are what they are there.
    """
    first, shares, judged = cases.splits.repeats[0], corners[0].shares, cases.splits.judged()
    kept = np.flatnonzero(judged)
    single = cases.weights == "importance" or bool(np.all(judged[kept] == 1))
    weight, copies = (judged[kept], None) if single else (np.ones(len(kept)), judged[kept])
    if (
        cases.weights != "importance"
        and cases.losses is None
        and cases.repeats == 1
        and cases.cluster is None
        and cases.unlabelled is None
        and not any(one.judged.honest_fees for one in candidates)
    ):
        kept, copies = _distinct(cases, candidates)
        weight = np.ones(len(kept))

    def losses(rows: IntArray) -> FloatArray:
        cell = first.cell[rows]
        own = cases.codes[cell].astype(np.int64)
        table = np.empty((len(corners), len(own), len(candidates)))
        for number, scenario in enumerate(corners):
            costs = losses_of_rows(cases, cell, own, scenario)
            scale: Any = 1.0
            if shares is not None and scenario.shares is not None:
                factors = np.divide(scenario.shares, shares, out=np.zeros(len(shares)), where=shares > 0)
                scale = factors[own]
                costs = costs * scale[:, None]
            for place, candidate in enumerate(candidates):
                paid = [costs[np.arange(len(own)), codes[rows]] for codes in candidate.judged.honest]
                table[number, :, place] = np.mean(paid, axis=0) if len(paid) > 1 else paid[0]
                if candidate.judged.honest_fees:
                    fees = [fee[rows] for fee in candidate.judged.honest_fees]
                    table[number, :, place] += np.mean(fees, axis=0) * scale
        return table

    if cases.cluster is not None:
        return _cluster_units(cases, candidates, losses, shares)
    if cases.unlabelled is not None:
        # cases without a label are of the class that costs most
        bounds = [
            [unlabelled_losses([one], losses_at(cases, scenario), best=False) for one in candidates]
            for scenario in corners
        ]
        every = np.concatenate([losses(kept), np.array(bounds).transpose(0, 2, 1)], axis=1)
        weight = np.concatenate([judged[kept], cases.unlabelled])
        order = _content_order(candidates, every, weight)
        every, weight = every[:, order], weight[order]
        return LossUnits(lambda part: every[:, part], weight)
    if len(kept) <= MOST_RESAMPLED:
        order = _content_order(candidates, losses(kept), weight, cases.codes[first.cell[kept]])
        kept, weight = kept[order], weight[order]
        copies = None if copies is None else copies[order]
    stratum = None if shares is None else cases.codes[first.cell[kept]].astype(np.int64)
    return LossUnits(lambda part: losses(kept[part]), weight, copies, stratum, shares)


def _content_order(candidates: Sequence[Candidate], table: FloatArray, *keys: Any) -> IntArray:
    """Return units in the order of their content: draws go by their places, not by the order of the file."""
    names = [(one.model or "", one.kind) for one in candidates]
    by_name = sorted(range(len(names)), key=names.__getitem__)
    columns = table[:, :, by_name].transpose(0, 2, 1).reshape(-1, table.shape[1])
    return np.lexsort([*columns, *keys])


def _cluster_units(
    cases: SplitCases,
    candidates: Sequence[Candidate],
    losses: Callable[[IntArray], FloatArray],
    shares: FloatArray | None,
) -> LossUnits:
    """Return the mean losses of clusters; their weight holds the shares of the classes in use."""
    rows = cases.splits.repeats[0]
    assert cases.cluster is not None
    each = row_sample(cases, shares).weight
    judged = np.flatnonzero(each)
    each, cluster = each[judged], np.unique(cases.cluster[rows.cell[judged]], return_inverse=True)[1]
    number = int(cluster.max()) + 1
    weight = np.bincount(cluster, each, number).astype(np.float64)
    table: Any = 0.0
    for start in range(0, len(cluster), _ROWS_AT_ONCE):
        part = np.arange(start, min(start + _ROWS_AT_ONCE, len(cluster)))
        paid = losses(judged[part]) * each[part, None]
        table = table + np.array(
            [[np.bincount(cluster[part], column, number) for column in one.T] for one in paid]
        )
    means = np.divide(table, weight, out=np.zeros_like(table), where=weight > 0).transpose(0, 2, 1)
    # means of the same losses differ in the last digits by the order in which they were added up
    rounded = [np.round(one / (np.abs(one).max() or 1.0), 12) for one in (means, weight)]
    order = _content_order(candidates, *rounded)
    means, weight = means[:, order], weight[order]
    return LossUnits(lambda part: means[:, part], weight)


def _distinct(cases: SplitCases, candidates: Sequence[Candidate]) -> tuple[IntArray, FloatArray]:
    """Return a row of each class and combination of decisions, and its number of cases."""
    rows, actions = cases.splits.repeats[0], cases.n_actions
    code, size = cases.codes[rows.cell].astype(np.int64), cases.n_classes
    for candidate in candidates:
        if size > _MOST_CODES:
            code = np.unique(code, return_inverse=True)[1]
            size = int(code.max()) + 1
        code = actions * code + candidate.judged.honest[0] % actions
        size *= actions
    number = np.bincount(code, cases.splits.judged(), size).astype(np.float64, copy=False)
    place = np.empty(size, dtype=np.int64)
    place[code] = np.arange(len(code))
    present = np.flatnonzero(number)
    return place[present], number[present]


def choice_cost(candidates: Sequence[Candidate], problem: DecisionProblem) -> AfterChoice:
    """Return what the choice among candidates, simplest first, has cost on cases left out of it.

    Where models were split apart (only counts at hand), the cases of each are drawn by themselves.
    """
    corners = [problem.centre]
    if problem.objective in ("worst", "regret"):
        corners += problem.corners()

    def choose(costs: FloatArray) -> IntArray:
        values, scale = costs[:, 0], np.zeros(len(costs))
        if len(corners) > 1:
            there = costs[:, 1:]
            floors = there.min(axis=2, keepdims=True) if problem.objective == "regret" else 0.0
            values, scale = (there - floors).max(axis=1), np.abs(there).max(axis=(1, 2))
        values = values + handicaps
        return np.array([first_smallest(row, size) for row, size in zip(values, scale, strict=True)])

    handicaps = np.array([one.handicap for one in candidates])
    blocks: dict[int, list[int]] = {}
    for place, one in enumerate(candidates):
        blocks.setdefault(id(one.cases), []).append(place)
    units = [
        loss_units(candidates[places[0]].cases, [candidates[place] for place in places], corners)
        for places in blocks.values()
    ]
    # candidates stand block by block in the draws, and simplest first where they are chosen among
    listed = np.concatenate(list(blocks.values()))
    order = np.argsort(listed)
    models = np.array([one.model is not None for one in candidates])[listed]
    return after_choice(units, lambda costs: order[choose(costs[:, :, order])], models, seed=problem.seed)
