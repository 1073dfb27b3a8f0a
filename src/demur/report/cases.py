"""The cases behind a report and what they cost, small enough for a page.

A limit can force a cut inside a block of scores, so a page searches all cases. They are listed in the order
of their content, never in that of the file.
"""

from typing import Any

import numpy as np
from scipy.special import stdtrit

from demur._kernels.thresholds import shortest_cuts
from demur._results import json_safe
from demur.comparison.comparison import Comparison
from demur.comparison.estimates import incurred_costs
from demur.costs.case_costs import CaseCosts
from demur.costs.model import CostModel
from demur.costs.reviewer import Reviewer
from demur.honest.cases import JudgedModel, SplitCases
from demur.honest.distributions import DistributionBounds
from demur.typing import FloatArray, IntArray

__all__ = [
    "lists_cases",
    "page_costs",
    "page_design",
    "page_evidence",
    "t_quantile",
    "whole_number",
]

# a page stays small enough to mail: about 30 bytes per case and model
_MOST_CASES = 4096
_MOST_SCORES = 3 * _MOST_CASES
_MOST_STEPS = 200
# sums of all models together that a page may hold: about 7 bytes each
_MOST_SUMS = 24_000
_MOST_GROUPS = 4096
_DIGITS = 7
_ARGUMENTS = (
    "cost_fn",
    "cost_fp",
    "cost_abstain",
    "cost_abstain_positive",
    "cost_abstain_negative",
    "cost_tp",
    "cost_tn",
)
_REVIEWER = ("fee", "sensitivity", "specificity")
# columns of a row of sums: costs of the decisions negative, positive, abstain, then their products
_SUMMED: tuple[tuple[int, ...], ...] = ((0,), (1,), (2,), (0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))
_COLUMNS = {str(place): decisions for place, decisions in enumerate(_SUMMED, start=1)}

_EVIDENCE = ("folds", "repeats", "design", "comparison", "bounds", "cases", "inference", "amounts")

_Same = list[list[float | None]]


def page_evidence(comparison: Comparison | None) -> dict[str, Any]:
    """Return what a page of two classes holds of the cases; nothing where they allow no honest cost."""
    if comparison is None:
        return dict.fromkeys(_EVIDENCE)
    assert comparison.choice is not None
    # tables of folds are of these splits: shuffled ones also where the answer is judged forward in time;
    # a list of cases has the splits of the answer
    split, first = next(iter(comparison.cases.values())), comparison.choice.first
    problem, design = comparison.problem, page_design(comparison)
    cases, cells = _cases(comparison)
    by_case = problem.costs if isinstance(problem.costs, CaseCosts) else None
    # dependent cases that it does not list, and missing labels, leave a page without intervals
    known = first.unlabelled is None and (cases is not None or design is None)
    kinds = {one.kind for several in comparison.choice.candidates.values() for one in several}
    promised = problem.objective == "guaranteed" or problem.limits.precision_confidence is not None
    return {
        "folds": split.folds,
        "repeats": split.repeats,
        "design": design,
        "comparison": comparison.to_dict(),
        "bounds": _bounds(comparison, every_score=cases is not None),
        "cases": cases,
        "inference": {
            "units": first.units,
            "quantile": t_quantile(first.units, problem.confidence_level) if known else None,
            "weights": first.weights,
            "rate_variance": problem.rate_variance,
            "selected": first.selected,
            "same_review": by_case is not None and by_case.same_review,
            # whether a page can choose among all that the answer was chosen among
            "windows": kinds <= {"window", "threshold"}
            and not promised
            and not problem.prices
            and problem.budget is None,
        },
        "amounts": None if by_case is None else _amounts(comparison, by_case, cells),
    }


def page_design(comparison: Comparison) -> dict[str, Any] | None:
    """Say which clusters intervals count and which period was judged; None where cases are independent."""
    assert comparison.choice is not None
    clustered, blocks = comparison.choice.first.cluster is not None, comparison.by_block
    if not clustered and blocks is None:
        return None
    return {
        "clusters": int(comparison.units) if clustered else None,
        "cluster_size": comparison.answer.cluster_size if comparison.answer and clustered else None,
        "period": None if blocks is None else [blocks[0].start, blocks[-1].end],
    }


def lists_cases(comparison: Comparison) -> bool:
    """Whether a page lists the cases: few, split alike for all models, and each with a label."""
    assert comparison.choice is not None
    cases, *others = comparison.choice.cases.values()
    alike = all(one is cases for one in others) and cases.unlabelled is None
    size = len(cases.splits.repeats[0].cell)
    few = size <= _MOST_CASES and size * len(comparison.judged) <= _MOST_SCORES
    return alike and few and cases.folds <= 10


def _cases(comparison: Comparison) -> tuple[dict[str, Any] | None, IntArray | None]:
    """List the cases with folds and scores, and where the comparison holds each of them; or None."""
    if not lists_cases(comparison):
        return None, None
    assert comparison.choice is not None
    cases = comparison.choice.first
    first = cases.splits.repeats[0]
    scores = [model.scores[first.cell] for model in comparison.judged.values()]
    folds = [rows.fold for rows in cases.splits.repeats]
    cluster = [] if cases.cluster is None else [cases.cluster[first.cell]]
    losses = [] if cases.losses is None else list(cases.losses[first.cell].T)
    # the last key of a lexsort is the first to sort by
    order = np.lexsort([*cluster, *folds, *losses, first.cases, *scores[::-1], ~cases.positive[first.cell]])
    clusters = None
    if cases.cluster is not None:
        # numbered in the order in which they first come, so that their names and places tell nothing
        _, begin, place = np.unique(cluster[0][order], return_index=True, return_inverse=True)
        clusters = np.argsort(np.argsort(begin))[place].tolist()
    listed = {
        # the first so many cases are the positives
        "positives": int(cases.positive[first.cell].sum()),
        "sizes": None if np.all(first.cases == 1) else first.cases[order].tolist(),
        # at most ten folds: one digit each
        "folds": ["".join(map(str, fold[order].tolist())) for fold in folds],
        "forward": cases.splits.forward,
        "first": cases.splits.first,
        "clusters": clusters,
        "scores": [json_safe(column[order]) for column in scores],
    }
    return listed, first.cell[order]


def t_quantile(units: float, level: float) -> float:
    """Quantile of Student's t for the mean of so many independent units."""
    return float(stdtrit(units - 1, (1 + level) / 2))


def _bounds(comparison: Comparison, *, every_score: bool) -> dict[str, Any] | None:
    """Bounds of distribution functions by count, valid for the choice among all models.

    "all" is for shares of all cases, "positive" and "negative" for shares of one class where the
    prevalence is known. `upper` suffices unless abstaining costs more than an error, as it may under a
    limit, or right answers differ in cost: then `both_upper` and `both_lower` share the probability to
    fail; where they would fill the page they are left out. Without `every_score` only counts at cuts
    between blocks are asked for. None where no bound holds for every sample size: cases that are not
    independent or of unequal weight, or scores in bins.
    """
    assert comparison.choice is not None
    counts = [model.counts for model in comparison.judged.values()]
    independent = comparison.choice.first.independent and not comparison.problem.by_case
    if not independent or not all(one.exact for one in counts):
        return None
    delta = (1 - comparison.problem.confidence_level) / len(counts)
    below = np.concatenate([np.cumsum(one.blocks().positives) for one in counts])
    above = np.concatenate([np.cumsum(one.blocks().negatives[::-1]) for one in counts])
    n_positive, n_negative = int(counts[0].n_positive), int(counts[0].n_negative)

    def steps(n: int, asked: FloatArray) -> dict[str, Any]:
        # the bound of any count up to counts[k] is element k, for all counts or those asked for
        one_sided, both = (DistributionBounds(n=n, delta=delta / parts) for parts in (2, 4))
        found = np.append(one_sided.changes, n)
        if not every_score:
            found = found[np.unique(np.searchsorted(found, np.append(asked, 0)))]
        kept = every_score or len(found) <= _MOST_STEPS
        return {
            "counts": found.tolist(),
            "upper": one_sided.upper(found).tolist(),
            "both_upper": both.upper(found).tolist() if kept else None,
            "both_lower": both.lower(found).tolist() if kept else None,
        }

    return {
        "all": steps(n_positive + n_negative, np.concatenate([below, above])),
        "positive": steps(n_positive, below),
        "negative": steps(n_negative, above),
    }


# ---------------------------------------------------------------- costs


def whole_number(value: float | None) -> float | None:
    """Drop the decimal point of whole numbers."""
    return int(value) if value is not None and float(value).is_integer() else value


def page_costs(costs: CostModel | CaseCosts) -> dict[str, Any]:
    """Return the costs with the reviewer they came from, for whom the page has fields; by case, factors."""
    if isinstance(costs, CaseCosts):
        miss, alarm, review = costs.mean
        costs = CostModel(cost_fn=miss, cost_fp=alarm, cost_abstain=review if costs.may_abstain else None)
    hired = costs.hired if isinstance(costs.hired, Reviewer) else None
    reviewer = hired and {name: whole_number(getattr(hired, name)) for name in _REVIEWER}
    return {**{name: whole_number(price) for name, price in costs.to_dict().items()}, "reviewer": reviewer}


def _amounts(comparison: Comparison, costs: CaseCosts, cells: IntArray | None) -> dict[str, Any]:
    """Return the costs of the cases of a comparison; the prices of the page are factors on them.

    `cells` is where the comparison holds the cases that the page lists, if it does:

    - named: arguments of `CaseCosts`: a number, or where one per case came from with `incurred_costs`
    - same: what all cases of a class (negative, positive) cost under each decision (negative, positive,
      abstain); None where that differs by case
    - columns: by class and decision what the cases listed cost; None where they cost the same, or where
      there are groups
    - groups: by model scores in groups with the sums of every fold; None where every case is listed
    - worst: by model, class and decision the largest cost of the cases it may treat so; None like `groups`
    - missed: what a positive costs on average if it is called negative
    - known: whether rules may read the costs of a case when they decide it
    """
    split = next(iter(comparison.cases.values()))
    assert split.losses is not None
    rows = split.splits.repeats[0].cell if cells is None else cells
    positive, losses = split.positive[rows], split.losses[rows]
    by_class = losses[~positive], losses[positive]
    same: _Same = [
        [float(column[0]) if column.min() == column.max() else None for column in own.T] for own in by_class
    ]
    columns = groups = None
    if cells is not None:
        columns = [
            [column.tolist() if cost is None else None for column, cost in zip(own.T, shared, strict=True)]
            for own, shared in zip(by_class, same, strict=True)
        ]
    else:
        groups = [
            _groups(comparison.cases[name], model, same, len(comparison.judged))
            for name, model in comparison.judged.items()
        ]
    given = {name: getattr(costs, name) for name in _ARGUMENTS}
    given = {
        name: value
        for name, value in given.items()
        if value is not None and (np.ndim(value) or value != 0 or name in _ARGUMENTS[:2])
    }
    if isinstance(costs.reviewer, Reviewer):
        given |= {name: getattr(costs.reviewer, name) for name in _REVIEWER}
    elif costs.reviewer is not None:
        given["reviewer"] = [None]  # the accuracies of a person are no column
    named = {}
    for name, value in given.items():
        # a number, or the column that amounts came from, if somebody said so
        column = costs.columns.get(name)
        named[name] = {"value": None if np.ndim(value) or column else value, "column": column}
    for name, found in incurred_costs(costs, comparison.cases).items():
        named[name] |= found
    missed = split.losses[split.positive, 0]
    return {
        "named": named,
        "same": same,
        "columns": columns,
        "groups": groups,
        "worst": None
        if groups is None
        else [_worst(comparison.cases[name], model) for name, model in comparison.judged.items()],
        "missed": float(np.average(missed, weights=split.sizes[split.positive])),
        "known": costs.known_at_decision,
    }


def _worst(cases: SplitCases, model: JudgedModel) -> list[list[float]]:
    """Largest cost by class and decision, of the half of a class nearest to the scores decided so."""
    assert cases.losses is not None
    found = []
    for kind in (False, True):
        own = cases.positive == kind
        scores, losses = model.scores[own], cases.losses[own]
        middle = np.median(scores)
        found.append(
            [
                float(losses[near, k].max())
                for k, near in enumerate((scores <= middle, scores >= middle, slice(None)))
            ]
        )
    return found


def _groups(cases: SplitCases, model: JudgedModel, same: _Same, models: int) -> dict[str, Any]:
    """Sum the cases of every fold over groups of neighbouring scores with about as many cases each.

    The groups depend on the scores alone, not on labels or amounts, so windows that cut between them are
    judged honestly.
    """
    # columns that no number of cases gives: costs that differ, and products of two of those
    varying = [
        {column: parts for column, parts in _COLUMNS.items() if all(one[part] is None for part in parts)}
        for one in same
    ]
    tables = cases.folds * cases.repeats
    size = int(_MOST_SUMS / (models * tables * (2 + sum(map(len, varying)))))
    size = max(2, min(size, _MOST_GROUPS))
    counts, losses = model.counts, cases.losses
    assert losses is not None
    below = np.cumsum(counts.positives + counts.negatives)
    inner = np.searchsorted(below, below[-1] * np.arange(1, size) / size) + 1
    # first score of every group and the end, among the distinct scores
    edges = np.unique(np.concatenate([[0], inner[inner < len(below)], [len(below)]]))
    lower, upper = counts.scores[edges[:-1]], counts.upper_scores[edges[1:] - 1]
    cuts = shortest_cuts(lower, upper)
    group = np.searchsorted(counts.scores[edges[1:-1]], model.scores, side="right")

    def sums(weights: FloatArray, at: IntArray) -> list[float]:
        # whole numbers without a point, others to seven digits: less than the noise of any sum here
        found = np.bincount(at, weights, len(edges) - 1).astype(np.float64).tolist()
        return [int(one) if one.is_integer() else float(f"{one:.{_DIGITS}g}") for one in found]

    folds = []
    for rows in cases.splits.repeats:
        for fold in range(cases.folds):
            by_class = []
            for kind, columns in enumerate(varying):
                own = (rows.fold == fold) & (cases.positive[rows.cell] == kind)
                cell, number = rows.cell[own], rows.cases[own]
                paid = {
                    column: sums(number * np.prod(losses[cell][:, parts], axis=1), group[cell])
                    for column, parts in columns.items()
                }
                by_class.append({"cases": sums(number, group[cell]), "columns": paid})
            folds.append(by_class)
    return {
        **json_safe({"lower": lower, "upper": upper}),
        "cuts": json_safe({"lower": cuts[0], "upper": cuts[1]}),
        "folds": folds,
    }
