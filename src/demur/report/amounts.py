"""Costs that differ by case, small enough for a page: every case's, or sums over groups of scores."""

from typing import Any

import numpy as np

from demur._kernels.thresholds import shortest_cuts
from demur._results import json_safe
from demur.comparison.comparison import Comparison
from demur.comparison.estimates import incurred_costs
from demur.costs.case_costs import CaseCosts
from demur.costs.reviewer import Reviewer
from demur.honest.cases import JudgedModel, SplitCases
from demur.honest.splits import Rows
from demur.typing import BoolArray, IntArray

__all__ = ["page_amounts"]

_ARGUMENTS = (
    "cost_fn",
    "cost_fp",
    "cost_abstain",
    "cost_abstain_positive",
    "cost_abstain_negative",
    "cost_tp",
    "cost_tn",
)
# sums of all models together that a page may hold: about 7 bytes each
_MOST_SUMS = 24_000
_MOST_GROUPS = 4096
_DIGITS = 7
# columns of a row of sums: costs of the decisions negative, positive, abstain, then their products
_COLUMNS: dict[str, tuple[int, ...]] = {
    "1": (0,),
    "2": (1,),
    "3": (2,),
    "4": (0, 0),
    "5": (1, 1),
    "6": (2, 2),
    "7": (0, 1),
    "8": (0, 2),
    "9": (1, 2),
}

_Same = list[list[float | None]]


def page_amounts(comparison: Comparison | None, cells: IntArray | None) -> dict[str, Any] | None:
    """Return the costs of the cases of a comparison; the prices of the page are factors on them.

    None where all cases of a class cost the same. `cells` is where the comparison holds the cases that the
    page lists, if it does:

    - named: arguments of `CaseCosts`: a number, or where one per case came from with `incurred_costs`
    - same: what all cases of a class (negative, positive) cost under each decision (negative, positive,
      abstain); None where that differs by case
    - columns: by class and decision what the cases listed cost; None where they cost the same, or where
      there are groups
    - groups: by model scores in groups with the sums of every fold; None where every case is listed
    """
    if comparison is None or not isinstance(comparison.problem.costs, CaseCosts):
        return None
    split = next(iter(comparison.cases.values()))
    assert split.losses is not None
    rows = split.splits.repeats[0].cell if cells is None else cells
    positive, losses = split.positive[rows], split.losses[rows]
    by_class = losses[~positive], losses[positive]
    same: _Same = [
        [
            float(low) if low == high else None
            for low, high in zip(own.min(axis=0), own.max(axis=0), strict=True)
        ]
        for own in by_class
    ]
    columns = groups = None
    if cells is not None:
        columns = [
            [own[:, place].tolist() if cost is None else None for place, cost in enumerate(costs)]
            for own, costs in zip(by_class, same, strict=True)
        ]
    else:
        groups = [
            _groups(comparison.cases[name], model, same, len(comparison.judged))
            for name, model in comparison.judged.items()
        ]
    named = _named(comparison.problem.costs)
    for name, found in incurred_costs(comparison.problem.costs, comparison.cases).items():
        named[name] |= found
    return {"named": named, "same": same, "columns": columns, "groups": groups}


def _named(costs: CaseCosts) -> dict[str, Any]:
    given = {name: getattr(costs, name) for name in _ARGUMENTS}
    named = {
        name: _origin(value, costs.columns.get(name))
        for name, value in given.items()
        if value is not None and (np.ndim(value) or value != 0 or name in _ARGUMENTS[:2])
    }
    if isinstance(costs.reviewer, Reviewer):
        named["fee"] = _origin(costs.reviewer.fee, costs.columns.get("fee"))
        for name in ("sensitivity", "specificity"):
            named[name] = _origin(getattr(costs.reviewer, name), None)
    elif costs.reviewer is not None:
        named["reviewer"] = {"value": None, "column": None}
    return named


def _origin(value: Any, column: str | None) -> dict[str, Any]:
    """Return a number, or the column that amounts came from, if somebody said so."""
    return {"value": value if np.ndim(value) == 0 and column is None else None, "column": column}


# ---------------------------------------------------------------- groups


def _groups(cases: SplitCases, model: JudgedModel, same: _Same, models: int) -> dict[str, Any]:
    """Sum the cases of every fold over groups of neighbouring scores with about as many cases each.

    The groups depend on the scores alone, not on labels or amounts, so windows that cut between them are
    judged honestly.
    """
    # columns that no number of cases gives: costs that differ, and products of two of those
    varying = [
        {
            column: decisions
            for column, decisions in _COLUMNS.items()
            if all(one[decision] is None for decision in decisions)
        }
        for one in same
    ]
    tables = cases.folds * cases.repeats
    size = int(_MOST_SUMS / (models * tables * (2 + sum(map(len, varying)))))
    size = max(2, min(size, _MOST_GROUPS))
    counts = model.counts
    below = np.cumsum(counts.positives + counts.negatives)
    inner = np.searchsorted(below, below[-1] * np.arange(1, size) / size) + 1
    # first score of every group and the end, among the distinct scores
    edges = np.unique(np.concatenate([[0], inner[inner < len(below)], [len(below)]]))
    lower, upper = counts.scores[edges[:-1]], counts.upper_scores[edges[1:] - 1]
    cuts = shortest_cuts(lower, upper)
    group = np.searchsorted(counts.scores[edges[1:-1]], model.scores, side="right")
    return {
        **json_safe({"lower": lower, "upper": upper}),
        "cuts": json_safe({"lower": cuts[0], "upper": cuts[1]}),
        "folds": [
            [
                _class_sums(
                    cases, rows, (rows.fold == fold) & (cases.positive[rows.cell] == kind), group, sums
                )
                for kind, sums in enumerate(varying)
            ]
            for rows in cases.splits.repeats
            for fold in range(cases.folds)
        ],
    }


def _class_sums(
    cases: SplitCases, rows: Rows, own: BoolArray, group: IntArray, columns: dict[str, tuple[int, ...]]
) -> dict[str, Any]:
    """Add up some rows of a split by group: their cases, costs and products of costs."""
    assert cases.losses is not None
    size = int(group.max()) + 1
    at, sizes, losses = group[rows.cell[own]], rows.cases[own], cases.losses[rows.cell[own]]
    sums = {
        column: _short(np.bincount(at, sizes * np.prod(losses[:, decisions], axis=1), size))
        for column, decisions in columns.items()
    }
    return {"cases": _short(np.bincount(at, sizes, size)), "columns": sums}


def _short(column: Any) -> list[float]:
    """Whole numbers without a point, others to seven digits: less than the noise of any sum here."""
    sums = np.asarray(column, dtype=np.float64).tolist()
    return [int(one) if one.is_integer() else float(f"{one:.{_DIGITS}g}") for one in sums]
