"""The cases behind a report, small enough for a page: what a search under a limit needs.

They are listed in the order of their content, never in that of the file.
"""

import base64
from typing import Any

import numpy as np

from demur._results import json_safe
from demur.comparison.comparison import Comparison
from demur.honest.distributions import DistributionBounds
from demur.typing import FloatArray, IntArray

__all__ = ["page_bounds", "page_cases", "page_design"]

# a page stays small enough to mail: about 30 bytes per case and model
_MOST_CASES = 4096
_MOST_SCORES = 3 * _MOST_CASES
_MOST_STEPS = 200


def page_cases(comparison: Comparison | None) -> tuple[dict[str, Any] | None, IntArray | None]:
    """List the cases of a comparison, and where it holds each of them.

    Every case has its fold in every split and its score by every model. Between blocks all cheapest windows
    are found. A limit can force a cut inside a block, so the page searches all scores, as
    `demur.cheapest_window` does. None where the cases are too many or were split model by model.
    """
    if comparison is None:
        return None, None
    names = list(comparison.models)
    cases = comparison.cases[names[0]]
    first = cases.splits.repeats[0]
    size = len(first.cell)
    apart = any(comparison.cases[name] is not cases for name in names)
    if apart or size > _MOST_CASES or size * len(names) > _MOST_SCORES or cases.folds > 10:
        return None, None
    models = [comparison.judged[name] for name in names]
    ranks = [np.searchsorted(model.counts.scores, model.scores[first.cell]) for model in models]
    once = bool(np.all(first.cases == 1))
    folds = [rows.fold for rows in cases.splits.repeats]
    losses = [] if cases.losses is None else list(cases.losses[first.cell].T)
    # the last key of a lexsort is the first to sort by
    order = np.lexsort([*folds, *losses, first.cases, *ranks[::-1], ~cases.positive[first.cell]])
    listed = {
        # the first so many cases are the positives
        "positives": int(cases.positive[first.cell].sum()),
        "sizes": None if once else first.cases[order].tolist(),
        # at most ten folds: one digit each
        "folds": ["".join(map(str, fold[order].tolist())) for fold in folds],
        # distinct ones, ascending, and the place of every case's score among them
        "scores": [json_safe(model.counts.scores) for model in models],
        "ranks": [base64.b64encode(column[order].astype("<u2").tobytes()).decode() for column in ranks],
    }
    return listed, first.cell[order]


def page_design(comparison: Comparison) -> dict[str, Any] | None:
    """Say which clusters intervals count and which period was judged; None where cases are independent."""
    assert comparison.choice is not None
    clustered, blocks = comparison.choice.first.cluster is not None, comparison.by_block
    if not clustered and blocks is None:
        return None
    return {
        "clusters": int(comparison.units) if clustered else None,
        "period": None if blocks is None else [blocks[0].start, blocks[-1].end],
    }


def page_bounds(comparison: Comparison | None, *, every_score: bool) -> dict[str, Any] | None:
    """Bounds of distribution functions by count, valid for the choice among all models.

    "all" is for shares of all cases, "positive" and "negative" for shares of one class where the
    prevalence is known. `upper` suffices unless abstaining costs more than an error, as it may under a
    limit, or right answers differ in cost: then `both_upper` and `both_lower` share the probability to
    fail; where they would fill the page they are left out. Without `every_score` only counts at cuts
    between blocks are asked for. None where no bound holds for every sample size: cases that are not
    independent or of unequal weight, or scores in bins.
    """
    if comparison is None or comparison.choice is None or comparison.problem.by_case:
        return None
    if not comparison.choice.first.independent:
        return None
    counts = [model.counts for model in comparison.judged.values()]
    if not all(one.exact for one in counts):
        return None
    delta = (1 - comparison.problem.confidence_level) / len(counts)
    below = np.concatenate([np.cumsum(one.blocks().positives) for one in counts])
    above = np.concatenate([np.cumsum(one.blocks().negatives[::-1]) for one in counts])
    n_positive, n_negative = int(counts[0].n_positive), int(counts[0].n_negative)
    asked = {
        "all": (n_positive + n_negative, np.concatenate([below, above])),
        "positive": (n_positive, below),
        "negative": (n_negative, above),
    }
    return {name: _steps(n, found, delta, every_score=every_score) for name, (n, found) in asked.items()}


def _steps(n: int, asked: FloatArray, delta: float, *, every_score: bool) -> dict[str, Any]:
    """Bounds as steps: that of any count up to counts[k] is element k, for all counts or those asked for."""
    one_sided, both = (DistributionBounds(n=n, delta=delta / parts) for parts in (2, 4))
    steps = np.append(one_sided.changes, n)
    if not every_score:
        used = np.zeros(len(steps), dtype=np.bool_)
        used[np.searchsorted(steps, np.append(asked, 0))] = True
        steps = steps[used]
    kept = every_score or len(steps) <= _MOST_STEPS
    return {
        "counts": steps.tolist(),
        "upper": one_sided.upper(steps).tolist(),
        "both_upper": both.upper(steps).tolist() if kept else None,
        "both_lower": both.lower(steps).tolist() if kept else None,
    }
