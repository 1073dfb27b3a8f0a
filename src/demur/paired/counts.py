"""`PairedCounts` and `JointCounts`: cases per combination of scores of two or more models on the same cases.

A comparison of two models on the same cases needs to know which scores belong together. The
joint counts keep just that: positives and negatives per distinct (score of a, score of b), or
per pair of bins. They are grouped by any engine, add up over shards and days, and give every
paired test without the rows. No resampling weights are kept: tests that need a law of the
cases draw it from the counts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from demur._checks import (
    check_groups,
    check_labels,
    check_left_out,
    check_members,
    check_nonnegative,
    check_same_length,
    check_scores,
    check_times,
    check_type,
    check_weights,
    input_error,
)
from demur._results import Result, read_only
from demur.costs.model import CostModel
from demur.costs.ranges import CostRange
from demur.counts.bins import counts_of_ranges
from demur.counts.scores import ScoreCounts, check_class_columns, united_ranges
from demur.exceptions import InputError
from demur.surface.bounds import count_bounds
from demur.surface.surface import surface_of
from demur.typing import ArrayLike, BoolArray, FloatArray, IntArray, Labels

__all__ = ["CASES", "JointCounts", "PairedCounts", "PairedRows", "as_paired_rows"]

CASES: dict[str, Any] = {"statistic": "cases", "exact": True}
"""What results made from one row per case say about their evidence."""


class PairedRows(NamedTuple):
    """Cases of two models, one row each or with whole or fractional frequencies."""

    positive: BoolArray
    score_a: FloatArray
    score_b: FloatArray
    weights: FloatArray | None
    evidence: dict[str, Any]


@dataclass(frozen=True, eq=False, repr=False)
class PairedCounts:
    """Weighted positives and negatives per pair of scores that two models give the same cases.

    The joint statistic of two models: `auc_difference_test`, `auc_difference_variances`,
    `surface_difference_band` and `volume_difference_test` take it in place of the rows and give
    the same numbers. Counts of disjoint data add up (`merge`). In bins, scores of one bin count
    as ties, and `evidence` says how far that can change a difference.

    Build one with `from_arrays` (one row per case) or `from_cells` (already grouped). Objects
    are immutable.

    Attributes
    ----------
    score_a, score_b : array
        Element c: scores of cell c, or the smallest scores of its bins; cells ascend in (a, b).
    upper_a, upper_b : array
        Element c: largest scores of its bins; equal to the above unless these are bins.
    positives, negatives : array
        Element c is the weight of that class in cell c.
    n : float
        Total weight.
    exact : bool
        Whether no bin holds several scores.

    Examples
    --------
    Two days, counted apart, compared together:

    >>> from demur.paired import PairedCounts

    >>> from demur import auc_difference_test
    >>> y = [0, 0, 0, 0, 0, 1, 1, 1, 1, 1]
    >>> a = [0.1, 0.2, 0.3, 0.3, 0.6, 0.4, 0.7, 0.8, 0.9, 0.9]
    >>> b = [0.3, 0.1, 0.6, 0.2, 0.8, 0.2, 0.9, 0.4, 0.7, 0.5]
    >>> monday = PairedCounts.from_arrays(y[::2], a[::2], b[::2])
    >>> tuesday = PairedCounts.from_arrays(y[1::2], a[1::2], b[1::2])
    >>> both = monday.merge(tuesday)
    >>> both
    PairedCounts(n=10, cells=10, exact)
    >>> round(auc_difference_test(both).pvalue, 3)
    0.039
    """

    score_a: FloatArray
    score_b: FloatArray
    positives: FloatArray
    negatives: FloatArray
    upper_a: FloatArray
    upper_b: FloatArray

    # ---------------------------------------------------------------- construction

    @classmethod
    def from_arrays(
        cls,
        y_true: Labels,
        score_a: ArrayLike,
        score_b: ArrayLike,
        *,
        pos_label: Any = None,
        sample_weight: ArrayLike | None = None,
    ) -> PairedCounts:
        """Count one row per case."""
        rows = as_paired_rows(y_true, score_a, score_b, pos_label=pos_label, sample_weight=sample_weight)
        weights = np.ones(len(rows.positive)) if rows.weights is None else rows.weights
        positives = np.where(rows.positive, weights, 0.0)
        return cls.from_cells(rows.score_a, rows.score_b, positives, weights - positives)

    @classmethod
    def from_cells(
        cls,
        score_a: ArrayLike,
        score_b: ArrayLike,
        positives: ArrayLike,
        negatives: ArrayLike,
        *,
        upper_a: ArrayLike | None = None,
        upper_b: ArrayLike | None = None,
    ) -> PairedCounts:
        """Take counts that are already grouped; equal pairs and any order are fine.

        For bins, cell c belongs to the bin of model a with scores from ``score_a[c]`` to
        ``upper_a[c]`` (the extremes of the bin, over all its cells), and likewise of b. Ranges
        of one model that overlap become one bin.
        """
        low = check_scores(score_a, "score_a"), check_scores(score_b, "score_b")
        high = (
            low[0] if upper_a is None else check_scores(upper_a, "upper_a"),
            low[1] if upper_b is None else check_scores(upper_b, "upper_b"),
        )
        pos, neg = check_class_columns(
            positives,
            negatives,
            score_a=low[0],
            score_b=low[1],
            upper_a=high[0],
            upper_b=high[1],
        )
        for name, start, stop in zip(("a", "b"), low, high, strict=True):
            wrong = start > stop
            if np.any(wrong):
                raise input_error(f"score_{name}", f"must not exceed upper_{name}", float(start[wrong][0]))
        kept = pos + neg > 0
        (low_a, high_a, at_a), (low_b, high_b, at_b) = (
            united_ranges(start[kept], stop[kept]) for start, stop in zip(low, high, strict=True)
        )
        # cells of the same two scores or bins are added up
        key, cell = np.unique(at_a * len(low_b) + at_b, return_inverse=True)
        at_a, at_b = np.divmod(key, len(low_b))
        cells = (
            low_a[at_a],
            low_b[at_b],
            *(np.bincount(cell, column[kept], len(key)).astype(np.float64) for column in (pos, neg)),
            high_a[at_a],
            high_b[at_b],
        )
        return cls(*map(read_only, cells))

    def merge(self, *others: PairedCounts) -> PairedCounts:
        """Return the counts of the union of disjoint data sets; bins must be the same."""
        for other in others:
            check_type(other, "others", PairedCounts)
        parts = [self, *others]
        source = np.repeat(np.arange(len(parts)), [len(part.positives) for part in parts])
        columns = {
            field.name: np.concatenate([getattr(part, field.name) for part in parts])
            for field in fields(self)
        }
        for model in "ab":
            # refuses parts of different bins
            united_ranges(columns[f"score_{model}"], columns[f"upper_{model}"], source)
        return PairedCounts.from_cells(**columns)

    # ---------------------------------------------------------------- attributes

    @property
    def n(self) -> float:
        """Total weight."""
        return float(self.positives.sum() + self.negatives.sum())

    @cached_property
    def n_bins(self) -> tuple[int, int]:
        """Number of bins of more than one score of model a, and of model b."""
        several = self.score_a < self.upper_a, self.score_b < self.upper_b
        return len(np.unique(self.score_a[several[0]])), len(np.unique(self.score_b[several[1]]))

    @property
    def exact(self) -> bool:
        """Whether no bin holds several scores."""
        return self.n_bins == (0, 0)

    @cached_property
    def counts_a(self) -> ScoreCounts:
        """Counts of model a alone; a `BinnedCounts` if its scores are in bins."""
        return counts_of_ranges(self.score_a, self.upper_a, self.positives, self.negatives)

    @cached_property
    def counts_b(self) -> ScoreCounts:
        """Counts of model b alone; a `BinnedCounts` if its scores are in bins."""
        return counts_of_ranges(self.score_b, self.upper_b, self.positives, self.negatives)

    @cached_property
    def evidence(self) -> dict[str, Any]:
        """Evidence of results made from these counts.

        "certified" is the most by which the bins can shift the difference of two cost surfaces,
        at any costs; "certified_auc" that of the difference of two AUCs: half the length of the
        limits of each, as bins count ties one half.
        """
        facts: dict[str, Any] = {
            "statistic": "joint counts",
            "cells": len(self.positives),
            "exact": self.exact,
        }
        if self.exact:
            return facts
        models = self.counts_a, self.counts_b
        facts["bins"] = list(self.n_bins)
        # each surface can only fall, so the larger of the two shifts counts
        facts["certified"] = max(counts.certified for counts in models)
        if all(count > 0 for count in (models[0].n_positive, models[0].n_negative)):
            limits = [count_bounds(counts).auc() for counts in models]
            facts["certified_auc"] = sum(high - low for low, high in limits) / 2
        return facts

    def rows(self) -> PairedRows:
        """Return one weighted row per cell and class."""
        positive, negative = self.positives > 0, self.negatives > 0
        weights = np.concatenate([self.positives[positive], self.negatives[negative]])
        return PairedRows(
            np.arange(len(weights)) < np.count_nonzero(positive),
            np.concatenate([self.score_a[positive], self.score_a[negative]]),
            np.concatenate([self.score_b[positive], self.score_b[negative]]),
            # unweighted cases take the quicker way
            None if np.all(weights == 1) else weights,
            self.evidence,
        )

    def __repr__(self) -> str:
        bins = "exact" if self.exact else f"bins={self.n_bins[0]} x {self.n_bins[1]}"
        return f"PairedCounts(n={self.n:g}, cells={len(self.positives)}, {bins})"


def as_paired_rows(
    y_true: Labels | PairedCounts,
    score_a: ArrayLike | None,
    score_b: ArrayLike | None,
    *,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
) -> PairedRows:
    """Lower the two call forms of every paired comparison to checked rows."""
    given = {"score_a": score_a, "score_b": score_b, "pos_label": pos_label, "sample_weight": sample_weight}
    if isinstance(y_true, PairedCounts):
        check_left_out("a PairedCounts", **given)
        return y_true.rows()
    if isinstance(y_true, ScoreCounts):
        raise input_error(
            "y_true",
            "must hold one label per case, as a paired comparison needs the joint cases",
            f"a {type(y_true).__name__}",
            "pass y_true, score_a and score_b, or a PairedCounts.",
        )
    for name in ("score_a", "score_b"):
        if given[name] is None:
            raise InputError(
                f"`{name}` is missing. Hint: pass y_true, score_a and score_b, or one PairedCounts."
            )
    positive = check_labels(y_true, pos_label)
    scores = check_scores(given["score_a"], "score_a"), check_scores(given["score_b"], "score_b")
    weights = check_weights(sample_weight)
    check_same_length(y_true=positive, score_a=scores[0], score_b=scores[1], sample_weight=weights)
    return PairedRows(positive, *scores, weights, CASES)


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class JointCounts(Result):
    """Positives and negatives per combination of scores, or of bins of scores, of several models.

    `compare_models` takes it in place of labels and scores: honest costs of every model, paired
    differences and the answer follow from it, without the rows. Scores of one bin count as ties, so the
    models compared are the models rounded to their bins. Their costs are exact; `certified` bounds what
    a finer choice of thresholds could save. Made by `demur.engines.read_joint_counts`.

    Attributes
    ----------
    lower, upper : mapping
        Model -> array; element c is the smallest (largest) score of the model's bin in cell c.
    positives, negatives : array
        Element c is the number of cases of that class in cell c.
    counts : mapping
        Model -> its own counts, in finer bins than the cells or exact.
    cluster : array or None
        Element c is the cluster of the cases in cell c, from 0 on, where cases are not independent.
    start, end : array or None
        Element c is the first (last) time of the block of time of cell c.
    n : float
        Number of cases.
    exact : bool
        Whether no bin holds several scores.

    Examples
    --------
    >>> from demur import CostModel, compare_models
    >>> from demur.engines import read_joint_counts
    >>> table = {
    ...     "sick": [0, 0, 0, 0, 1, 1, 1, 1] * 50,
    ...     "new": [1, 1, 2, 3, 3, 4, 5, 5] * 50,
    ...     "old": [1, 2, 3, 3, 2, 2, 3, 4] * 50,
    ... }
    >>> joint = read_joint_counts(table, y_true="sick", scores=["new", "old"])
    >>> joint
    JointCounts(n=400, models new, old, cells=8, exact)
    >>> answer = compare_models(joint, costs=CostModel(cost_fn=100, cost_fp=40, cost_abstain=12)).answer
    >>> answer.model, answer.versus["runner_up"].interval.high < 0
    ('new', True)
    """

    lower: Mapping[str, FloatArray]
    upper: Mapping[str, FloatArray]
    positives: FloatArray
    negatives: FloatArray
    counts: Mapping[str, ScoreCounts]
    cluster: IntArray | None = None
    start: Any = None
    end: Any = None
    _evidence = ("counts", "start", "end")

    def __post_init__(self) -> None:
        """Check shapes and freeze."""
        names = check_members(list(self.counts), "counts")
        if list(self.lower) != names or list(self.upper) != names:
            raise input_error("lower and upper", "must have the models of counts", list(self.lower))
        for name in ("positives", "negatives"):
            object.__setattr__(self, name, np.atleast_1d(check_nonnegative(getattr(self, name), name)))
        for one, bound in self.upper.items():
            check_same_length(positives=self.positives, negatives=self.negatives, upper=bound)
            check_same_length(positives=self.positives, lower=self.lower[one])
        object.__setattr__(self, "cluster", check_groups(self.cluster, len(self.positives), "positives"))
        for name in ("start", "end"):
            object.__setattr__(self, name, check_times(getattr(self, name), len(self.positives)))
        Result.__post_init__(self)

    @property
    def models(self) -> tuple[str, ...]:
        """Names of the models."""
        return tuple(self.counts)

    @property
    def n(self) -> float:
        """Number of cases."""
        return float(self.positives.sum() + self.negatives.sum())

    @property
    def exact(self) -> bool:
        """Whether no bin holds several scores."""
        return all(np.array_equal(self.lower[name], self.upper[name]) for name in self.models)

    def binned(self, model: str) -> ScoreCounts:
        """Return the counts of one model in the bins of the cells."""
        return counts_of_ranges(self.lower[model], self.upper[model], self.positives, self.negatives)

    def certified(
        self, costs: CostModel | CostRange | None = None, *, prevalence: float | None = None
    ) -> float:
        """Return the most by which the best window of a model in these bins can miss its cheapest one.

        In units of the more expensive error, per case, with hindsight; the largest over all models and
        all corners of a range. At given costs it is the gap to the cheapest window of the finer
        `counts`, plus what these leave open; without costs, the bound over all costs.
        """
        if self.exact:
            return 0.0
        if costs is None:
            return max(self.binned(name).certified for name in self.models)
        if isinstance(costs, CostRange):
            points = costs.corners()
        else:
            check_type(costs, "costs", CostModel)
            points = [costs]
        certified = []
        for name, finest in self.counts.items():
            coarse, fine = (surface_of(counts, prevalence) for counts in (self.binned(name), finest))
            gaps = [
                (float(coarse.cost(*at)) - float(fine.cost(*at))) / max(1.0, at[0])
                for at in ((point.mu, point.nu_positive, point.nu_negative) for point in points)
            ]
            certified.append(max(0.0, *gaps) + finest.certified)
        return max(certified)

    def __repr__(self) -> str:
        kind = "exact" if self.exact else "in bins"
        names = ", ".join(self.models)
        clusters = "" if self.cluster is None else f", {int(self.cluster.max()) + 1} clusters"
        blocks = "" if self.start is None else f", {len(np.unique(self.start))} blocks of time"
        cells = f"cells={len(self.positives)}{clusters}{blocks}"
        return f"JointCounts(n={self.n:g}, models {names}, {cells}, {kind})"
