"""`JointCounts`: cases per combination of scores of several models, all that comparing them needs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from demur._checks import check_members, check_nonnegative, check_same_length, check_type, input_error
from demur._results import Result
from demur.costs.model import CostModel
from demur.costs.ranges import CostRange
from demur.counts.bins import BinnedCounts
from demur.counts.scores import ScoreCounts
from demur.surface.surface import surface_of
from demur.typing import FloatArray

__all__ = ["JointCounts"]


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
    _evidence = ("counts",)

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
        lower, place = np.unique(self.lower[model], return_inverse=True)
        upper = np.empty_like(lower)
        upper[place] = self.upper[model]
        positives, negatives = (
            np.bincount(place, cases, len(lower)) for cases in (self.positives, self.negatives)
        )
        if np.array_equal(lower, upper):
            return ScoreCounts.from_counts(lower, positives, negatives)
        return BinnedCounts.from_bins(lower, upper, positives, negatives)

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
        return max(self._gap(name, points, prevalence) for name in self.models)

    def _gap(self, name: str, points: list[CostModel], prevalence: float | None) -> float:
        finest = self.counts[name]
        coarse, fine = (surface_of(counts, prevalence) for counts in (self.binned(name), finest))
        gaps = []
        for point in points:
            at = point.mu, point.nu_positive, point.nu_negative
            gaps.append((float(coarse.cost(*at)) - float(fine.cost(*at))) / max(1.0, point.mu))
        return max(0.0, *gaps) + finest.certified

    def __repr__(self) -> str:
        kind = "exact" if self.exact else "in bins"
        names = ", ".join(self.models)
        return f"JointCounts(n={self.n:g}, models {names}, cells={len(self.positives)}, {kind})"
