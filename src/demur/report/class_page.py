"""What a page of many classes holds, and the rules it chooses from at costs nobody asked about.

A page cannot choose weights again: that takes all cases and all folds. It holds the rules chosen for
the price of a review in use and for some multiples of it. At other prices it shows the cheapest of the
rules chosen for the nearest multiple, priced anew: what they decide on held-out cases does not depend on
the losses, so the costs it measures stay honest. Rules of expected costs choose nothing from
the cases; they are made for the new prices themselves.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from demur._results import json_safe
from demur._version import __version__
from demur.comparison.candidates import Candidate, model_candidates
from demur.comparison.choice import Choice, content_order, digest_of
from demur.comparison.class_learner import expected_cost_rule, possible_kinds
from demur.comparison.comparison import Comparison
from demur.comparison.problem import Scenario
from demur.costs.class_costs import ClassCosts
from demur.costs.losses import Losses
from demur.honest.decisions import Judged, code_type
from demur.honest.estimates import class_shares
from demur.policy.labels import free_label
from demur.report.cases import page_design, t_quantile
from demur.report.model import DataSource, unrounded, whole_counts
from demur.report.packing import base64_of
from demur.typing import FloatArray
from demur.windows.class_rule import ClassRule

__all__ = [
    "ReviewLevel",
    "class_choice_at",
    "class_document",
    "holds_rows",
    "review_levels",
]

_SCHEMA, _VERSION = "demur.class_report", 4
_SOURCE = ("name", "group", "part", "label", "weight", "cluster", "time", "rows")
_FACTORS = (0.25, 0.5, 2.0, 4.0)
_FEW_FACTORS = (0.5, 2.0)
_MOST_NUMBERS = 10**6
# cells of the tables of one rule of every model: more, and a page would be too large to mail
_MOST_CELLS = 2200
# a page stays small enough to mail: 11 bytes per number
_MOST_ROW_NUMBERS = 24_000
_SIDE = 24
# with more answers the sums of products of a rule would fill a page
_MOST_ANSWERS = 6


# ---------------------------------------------------------------- prices of a review


class ReviewLevel(NamedTuple):
    """The rules chosen for one price of a review: `factor` times the one in use."""

    factor: float
    choice: Choice

    @property
    def prices(self) -> Losses:
        """What the rules were chosen for, at the middle of ranges."""
        return self.choice.problem.centre.losses


def _abstaining_kind(kind: str) -> bool:
    """Whether the price of a review matters to rules of this kind."""
    return "abstain" in kind or kind.startswith("cautious")


def _numbers(choice: Choice) -> int:
    return sum(model.scores.size for model in choice.judged.values())


def review_levels(comparison: Comparison) -> tuple[ReviewLevel, ...]:
    """Choose rules for multiples of the price of a review; the first level is the comparison itself."""
    choice = comparison.choice
    assert choice is not None
    own, m = ReviewLevel(1.0, choice), choice.first.n_classes
    cells = len(choice.judged) * m * (m + 1)
    abstain = own.prices.abstain
    if abstain is None or not np.any(abstain > 0) or cells > 2 * _MOST_CELLS:
        return (own,)
    few = _numbers(choice) > _MOST_NUMBERS or cells > _MOST_CELLS
    levels, point = [own], choice.problem.centre
    for factor in _FEW_FACTORS if few else _FACTORS:
        losses = Losses.of_matrix(point.losses.answers, factor * abstain)
        problem = choice.problem.at(Scenario(losses, point.shares))
        kinds = [kind for kind in possible_kinds(problem) if _abstaining_kind(kind)]
        candidates = {
            name: [
                *(one for one in rules if one.aim == 0 and not _abstaining_kind(one.kind)),
                *model_candidates(choice.first, name, choice.judged[name], problem, place, kinds=kinds),
            ]
            for place, (name, rules) in enumerate(choice.candidates.items())
        }
        levels.append(ReviewLevel(factor, replace(choice, problem=problem, candidates=candidates)))
    return tuple(levels)


def _review_ratio(losses: Losses, shares: FloatArray) -> float:
    """Mean price of a review in units of the mean cost of a wrong answer; NaN where neither is known.

    Both beyond the right answer, by the shares of the classes in use.
    """
    if losses.abstain is None:
        return math.nan
    relative, m = losses.relative, len(losses.answers)
    wrong = float(shares @ relative[:, :m].sum(axis=1)) / (m - 1)
    return float(shares @ relative[:, m]) / wrong if wrong > 0 else math.nan


def class_choice_at(levels: Sequence[ReviewLevel], losses: Losses, *, by_case: bool) -> Choice:
    """Return the rules of the nearest level, to be priced at these losses.

    With `by_case` rules of expected costs are made for these losses, else those at hand are priced.
    """
    own, at = levels[0].choice, 0
    if len(levels) > 1:
        shares = class_shares(own.baselines[0].honest, own.problem.shares).sum(axis=1)
        ratio = _review_ratio(losses, shares) / _review_ratio(levels[0].prices, shares)
        # the multiple nearest on a logarithmic scale; argmin takes the first where there is no ratio
        factors = np.array([one.factor for one in levels])
        at = int(np.argmin(factors if ratio <= 0 else np.abs(np.log(ratio / factors))))
    choice, may_abstain = levels[at].choice, losses.abstain is not None
    candidates = {
        name: [
            _at_prices(one, choice, losses) if by_case and one.kind.startswith("expected cost") else one
            for one in rules
            # expected costs of a corner are not those of new losses
            if not (by_case and one.aim > 0 and one.kind.startswith("expected cost"))
            and (may_abstain or not _abstaining_kind(one.kind))
        ]
        for name, rules in choice.candidates.items()
    }
    problem = choice.problem.at(Scenario(losses, choice.problem.shares))
    baselines = [one for one in own.baselines if may_abstain or not one.abstains]
    return replace(choice, problem=problem, candidates=candidates, baselines=baselines)


def _at_prices(candidate: Candidate, choice: Choice, losses: Losses) -> Candidate:
    """The rule of expected costs for other prices; it decides every case alike in every split."""
    cases, model = candidate.cases, candidate.model
    assert model is not None
    assert isinstance(candidate.rule, ClassRule)
    rule = expected_cost_rule(candidate.rule.classes, losses, abstain=_abstaining_kind(candidate.kind))
    codes = rule.codes(choice.judged[model].scores).astype(code_type(cases.n_classes))
    judged = Judged((codes,) * cases.repeats, codes)
    return Candidate.of(cases, candidate.kind, model, judged, candidate.order, rule=rule)


# ---------------------------------------------------------------- the document


def class_document(
    comparison: Comparison,
    levels: Sequence[ReviewLevel],
    source: DataSource,
    columns: Mapping[str, tuple[str, ...]] | None,
    *,
    made: str,
    notes: Sequence[str],
) -> dict[str, Any]:
    """Return everything the page knows as JSON-safe built-in types, as docs/report_json.md describes."""
    problem, choice, answer = comparison.problem, comparison.choice, comparison.answer
    assert isinstance(problem.costs, ClassCosts)
    assert choice is not None
    prices, labels, design = problem.costs.mean, list(comparison.classes), page_design(comparison)
    names = [str(name) for name in labels]
    return {
        "schema": _SCHEMA,
        "version": _VERSION,
        "software": {"demur": __version__},
        "made": made,
        "source": {name: getattr(source, name) for name in _SOURCE},
        "classes": names,
        "labels": labels,
        "abstain_label": free_label(*labels),
        "n": comparison.n,
        "class_sizes": json_safe(comparison.class_sizes),
        "judged_sizes": whole_counts(unrounded(choice.baselines[0].honest.sum(axis=1))),
        "shares": json_safe(problem.shares),
        "confidence_level": problem.confidence_level,
        "units": choice.first.units,
        "quantile": t_quantile(choice.first.units, problem.confidence_level) if design is None else None,
        "folds": comparison.folds,
        "repeats": comparison.repeats,
        "seed": problem.seed,
        "costs": prices.answers.tolist(),
        "abstain_costs": json_safe(prices.abstain),
        "ranged": problem.costs.ranged,
        "limits": problem.limits.given(),
        "condition": answer.condition,
        "headline": answer.words,
        "notes": list(notes),
        "design": design,
        "comparison": comparison.to_dict(),
        "models": [
            {
                "name": name,
                "columns": names if columns is None else list(columns[name]),
                "digest": digest_of(choice, name),
                "simplex": simplex_cells(choice, name) if len(names) == 3 else None,
            }
            for name in choice.judged
        ],
        "trivial": [one.kind for one in choice.baselines],
        # later levels leave out the rules that the price of a review does not change
        "levels": [
            {
                "factor": level.factor,
                "abstain_costs": json_safe(level.prices.abstain),
                "rules": [
                    _rule(one, place)
                    for place, several in enumerate(level.choice.candidates.values())
                    for one in several
                    if level is levels[0] or _abstaining_kind(one.kind)
                ],
            }
            for level in levels
        ],
        "rows": _page_rows(choice),
    }


def holds_rows(choice: Choice | None) -> bool:
    """Whether a page holds the rows: few, and no limit that a rule of expected costs would have to keep."""
    assert choice is not None, "many classes have costs, so something is chosen"
    return _numbers(choice) <= _MOST_ROW_NUMBERS and choice.problem.limits.max_abstention is None


def _page_rows(choice: Choice) -> dict[str, Any] | None:
    """Classes and probabilities of all judged rows as base64 of little-endian numbers; None for too many.

    Rows are in the order of their content, never in that of the file.
    """
    if not holds_rows(choice):
        return None
    cases, order = choice.first, content_order(choice, *choice.judged)
    if cases.splits.first:
        rows = cases.splits.repeats[0]
        order = order[np.isin(order, rows.cell[cases.splits.judged() > 0])]
    return {
        "codes": base64_of(cases.codes[order].astype("<u2").tobytes()),
        "sizes": cases.sizes[order].tolist() if cases.weights == "importance" else None,
        "proba": [base64_of(model.scores[order].astype("<f8").tobytes()) for model in choice.judged.values()],
    }


def _rule(candidate: Candidate, place: int) -> dict[str, Any]:
    rule, honest, hindsight = candidate.rule, candidate.honest, candidate.hindsight
    assert isinstance(rule, ClassRule)
    return {
        "model": place,
        "kind": candidate.kind,
        "aim": candidate.aim,
        "weights": rule.weights.tolist(),
        "abstain_weight": rule.abstain_weight,
        "column_costs": json_safe(rule.column_costs),
        "honest": _table(honest, candidate.cases.repeats),
        # rules that choose nothing decide alike
        "hindsight": None if np.array_equal(honest, hindsight) else _table(hindsight, 1),
        "products": _products(candidate),
    }


def _products(candidate: Candidate) -> list[Any] | None:
    """Cases by true class and by every two different answers that two splits give them, for intervals.

    None where all splits decide alike; none listed where they would fill the page.
    """
    cases, decisions, size = candidate.cases, candidate.judged.honest, candidate.cases.n_classes + 1
    if all(np.array_equal(codes, decisions[0]) for codes in decisions):
        return None
    if size > _MOST_ANSWERS:
        return []
    answers = np.sum([np.eye(size)[codes] for codes in decisions], axis=0)
    classes, sizes = cases.codes[cases.splits.repeats[0].cell], cases.splits.judged()
    own, upper = [classes == k for k in range(size - 1)], np.triu_indices(size, 1)
    parts = [((answers[rows].T * sizes[rows]) @ answers[rows])[upper] for rows in own]
    return whole_counts(unrounded(np.ravel(parts)))


def _table(table: FloatArray, repeats: int) -> list[Any]:
    """Counts of all splits together, row by row: whole numbers are short."""
    return whole_counts(unrounded(table.ravel() * repeats))


def simplex_cells(choice: Choice, model: str) -> dict[str, Any]:
    """Cases by true class in small triangles of equal size.

    `cells` has rows (a, b, c): the corner of a triangle nearest to probability 0 of every class, in
    steps of 1 / side; a + b + c is side - 1 in triangles that point like the whole, else side - 2.
    """
    cases, proba = choice.first, choice.judged[model].scores
    shares = proba / proba.sum(axis=1, keepdims=True)
    scenario = np.clip(np.floor(shares * _SIDE + 1e-9).astype(np.int64), 0, _SIDE)
    # a point of the lattice lies in several triangles: take one further from the likeliest class
    excess = np.maximum(scenario.sum(axis=1) - (_SIDE - 1), 0)
    scenario[np.arange(len(scenario)), np.argmax(scenario, axis=1)] -= excess
    cells, place = np.unique(scenario, axis=0, return_inverse=True)
    counts = np.zeros((len(cells), 3))
    np.add.at(counts, (place.ravel(), cases.codes), cases.sizes)
    return {
        "side": _SIDE,
        "cells": cells.tolist(),
        "counts": [whole_counts(column) for column in counts.T],
    }
