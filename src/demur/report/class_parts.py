"""What a page of many classes holds: rules with their tables, rows where they are few, cells of a simplex."""

import base64
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from demur.comparison.classes.comparison import ClassChoice, digest_of
from demur.comparison.classes.judging import ClassCandidate
from demur.comparison.classes.levels import ReviewLevel, abstaining_kind
from demur.comparison.classes.rows import ClassCases
from demur.report.model import unrounded, whole_counts
from demur.typing import FloatArray

__all__ = ["holds_rows", "page_levels", "page_models", "page_rows", "simplex_cells"]

# a page stays small enough to mail: 11 bytes per number
_MOST_NUMBERS = 24_000
_SIDE = 24


def holds_rows(choice: ClassChoice) -> bool:
    """Whether a page holds the rows: few, and no limit that a rule of expected costs would have to keep."""
    numbers = sum(proba.size for proba in choice.cases.proba.values())
    return numbers <= _MOST_NUMBERS and choice.question.max_abstention is None


def page_rows(choice: ClassChoice) -> dict[str, Any] | None:
    """Classes and probabilities of all rows as base64 of little-endian numbers; None for too many.

    Rows are in the order of their content, never in that of the file.
    """
    if not holds_rows(choice):
        return None
    cases = choice.cases
    order = cases.content_order(*cases.proba)
    return {
        "codes": _text(cases.codes[order].astype("<u2")),
        "sizes": cases.sizes[order].tolist() if cases.weighted else None,
        "proba": [_text(proba[order].astype("<f8")) for proba in cases.proba.values()],
    }


def _text(numbers: Any) -> str:
    return base64.b64encode(numbers.tobytes()).decode("ascii")


def page_levels(levels: Iterable[ReviewLevel]) -> list[dict[str, Any]]:
    """Rules of every level; later levels leave out the rules that the price of a review does not change."""
    listed: list[dict[str, Any]] = []
    for level in levels:
        rules = [
            _rule(one, place)
            for place, several in enumerate(level.choice.candidates.values())
            for one in several
            if not listed or abstaining_kind(one.kind)
        ]
        abstain = level.prices.abstain
        prices = None if abstain is None else abstain.tolist()
        listed.append({"factor": level.factor, "abstain_costs": prices, "rules": rules})
    return listed


def _rule(candidate: ClassCandidate, place: int) -> dict[str, Any]:
    rule = candidate.rule
    assert rule is not None
    honest, hindsight = candidate.honest_table, candidate.hindsight_table
    return {
        "model": place,
        "kind": candidate.kind,
        "aim": candidate.aim,
        "weights": rule.weights.tolist(),
        "abstain_weight": rule.abstain_weight,
        "column_costs": None if rule.column_costs is None else rule.column_costs.tolist(),
        "honest": _table(honest, len(candidate.cases.splits)),
        # rules that choose nothing decide alike
        "hindsight": None if np.array_equal(honest, hindsight) else _table(hindsight, 1),
    }


def _table(table: FloatArray, repeats: int) -> list[Any]:
    """Counts of all splits together, row by row: whole numbers are short."""
    return whole_counts(unrounded(table.ravel() * repeats))


def page_models(choice: ClassChoice, columns: Mapping[str, tuple[str, ...]] | None) -> list[dict[str, Any]]:
    """Name, columns, fingerprint and, for three classes, the cells of the simplex of every model."""
    cases = choice.cases
    names = tuple(map(str, cases.classes))
    return [
        {
            "name": name,
            "columns": list(names if columns is None else columns[name]),
            "digest": digest_of(cases, name),
            "simplex": simplex_cells(cases, proba) if len(names) == 3 else None,
        }
        for name, proba in cases.proba.items()
    ]


def simplex_cells(cases: ClassCases, proba: FloatArray) -> dict[str, Any]:
    """Cases by true class in small triangles of equal size.

    `cells` has rows (a, b, c): the corner of a triangle nearest to probability 0 of every class, in
    steps of 1 / side; a + b + c is side - 1 in triangles that point like the whole, else side - 2.
    """
    shares = proba / proba.sum(axis=1, keepdims=True)
    corner = np.clip(np.floor(shares * _SIDE + 1e-9).astype(np.int64), 0, _SIDE)
    # a point of the lattice lies in several triangles: take one further from the likeliest class
    excess = np.maximum(corner.sum(axis=1) - (_SIDE - 1), 0)
    corner[np.arange(len(corner)), np.argmax(corner, axis=1)] -= excess
    cells, place = np.unique(corner, axis=0, return_inverse=True)
    place = place.ravel()
    counts = np.zeros((len(cells), 3))
    np.add.at(counts, (place, cases.codes), cases.sizes)
    return {
        "side": _SIDE,
        "cells": cells.tolist(),
        "counts": [whole_counts(column) for column in counts.T],
    }
