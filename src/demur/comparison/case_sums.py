"""Models on cases of which only sums of costs are at hand: per score, class and fold."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from demur.comparison.comparison import Comparison, compared_cases
from demur.comparison.question import Question
from demur.counts.bins import BinnedCounts
from demur.counts.folded_costs import FoldedCosts
from demur.counts.scores import ScoreCounts
from demur.exceptions import InputError
from demur.honest.cases import JudgedModel, SplitCases
from demur.honest.splits import Rows, Splits

__all__ = ["comparison_of_sums"]

# below this a fold drawn by chance may leave the others without a case of the class
_FEWEST = 50


def comparison_of_sums(
    sums: Mapping[str, FoldedCosts],
    question: Question,
    *,
    class_names: tuple[str, str],
    labels: tuple[Any, Any] = (0, 1),
) -> Comparison:
    """Compare models from sums per fold: each model is judged on its own, nothing is paired."""
    found = {name: _split(one, question) for name, one in sums.items()}
    cases = {name: split for name, (split, _) in found.items()}
    judged = {name: model for name, (_, model) in found.items()}
    return compared_cases(cases, judged, question, class_names, labels)


def _split(sums: FoldedCosts, question: Question) -> tuple[SplitCases, JudgedModel]:
    by_class = [float(sums.cases[sums.positive == kind].sum()) for kind in (True, False)]
    if min(by_class) < _FEWEST:
        raise InputError(
            f"Honest costs from sums need at least {_FEWEST} cases of each class, got {by_class[0]:g} "
            f"positive and {by_class[1]:g} negative. Hint: leave --engine out; so few fit into memory."
        )
    like = sums.like_cases()
    # positives first, as splits of rows have them
    order = np.argsort(~sums.positive[like.cell], kind="stable")
    cell, losses = like.cell[order], like.losses[order]
    positive, sizes = sums.positive[cell], like.sizes[order]
    rows = Rows(np.arange(len(cell)), sums.fold[cell], sizes)
    cases = SplitCases(
        positive, sizes, Splits((rows,), sums.folds), question.rate, "counts", None, losses=losses
    )
    return cases, cases.judge(sums.lower[cell], _counts(sums))


def _counts(sums: FoldedCosts) -> ScoreCounts:
    """Add up the folds."""
    lower, place = np.unique(sums.lower, return_inverse=True)
    positives, negatives = (
        np.bincount(place, np.where(sums.positive == kind, sums.cases, 0.0), len(lower)).astype(np.float64)
        for kind in (True, False)
    )
    upper = lower.copy()
    np.maximum.at(upper, place, sums.upper)
    if np.array_equal(lower, upper):
        return ScoreCounts.from_counts(lower, positives, negatives)
    return BinnedCounts.from_bins(lower, upper, positives, negatives)
