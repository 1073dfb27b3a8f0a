"""One number of two ROC curves, compared by resampling: the same cases, or two samples."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from demur._checks import check_choice, check_confidence_level, check_weight_meaning
from demur._resampling import percentile_limits, resample
from demur._results import Interval, Result
from demur.auc.functionals import Functional
from demur.auc.resampling import class_sampler, draw_cases, half_error_difference, joint_ranks
from demur.auc.wald import ALTERNATIVES, normal_test
from demur.counts.scores import ScoreCounts
from demur.paired.scores import JointScores
from demur.typing import FloatArray

__all__ = ["Bootstrap", "RocDifferenceTest", "paired_difference", "unpaired_difference"]


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class RocDifferenceTest(Result):
    """One number of two ROC curves, compared by bootstrap.

    Made by `partial_auc_difference_test` and `roc_point_test` on the same cases, by
    `partial_auc_unpaired_test` and `roc_point_unpaired_test` on different ones.

    Attributes
    ----------
    quantity : str
        What is compared, in words.
    estimate_a, estimate_b, difference : float
        difference = estimate_a - estimate_b, positive where the first is better.
    variance : float
        Bootstrap variance of the difference.
    statistic, pvalue : float
        difference / sqrt(variance) against the normal law.
    alternative : str
    n_resamples : int
    degenerate : bool
        True if the difference is the same, but not 0, in every resample.
    """

    quantity: str
    estimate_a: float
    estimate_b: float
    difference: float
    variance: float
    statistic: float
    pvalue: float
    alternative: str
    n_resamples: int
    degenerate: bool
    _resampled: FloatArray

    def interval(self, confidence_level: float = 0.95) -> Interval:
        """Return the percentile interval of the difference."""
        return Interval(*percentile_limits(self._resampled, check_confidence_level(confidence_level)))

    def __repr__(self) -> str:
        return (
            f"RocDifferenceTest({self.quantity}: difference={self.difference:.4g}, pvalue={self.pvalue:.4g})"
        )


class Bootstrap(NamedTuple):
    """How to resample and what to ask; the same for one set of cases and for two."""

    alternative: str
    n_resamples: int
    rng: Any
    workers: int
    half_errors: bool

    def test(
        self,
        quantity: str,
        estimates: Sequence[float],
        difference: Callable[[np.random.Generator], float],
    ) -> RocDifferenceTest:
        """Compare the difference of the estimates with its spread over resamples."""
        check_choice(self.alternative, "alternative", ALTERNATIVES)
        values = resample(
            difference, n_resamples=self.n_resamples, rng=self.rng, workers=self.workers, label=quantity
        )
        gap = estimates[0] - estimates[1]
        variance = float(values.var(ddof=1)) if len(values) > 1 else 0.0
        statistic, pvalue = normal_test(gap, variance, self.alternative)
        return RocDifferenceTest(
            quantity=quantity,
            estimate_a=estimates[0],
            estimate_b=estimates[1],
            difference=gap,
            variance=variance,
            statistic=statistic,
            pvalue=pvalue,
            alternative=self.alternative,
            n_resamples=len(values),
            degenerate=variance == 0 and gap != 0,
            _resampled=values,
        )


def paired_difference(
    joint: JointScores, quantity: str, functional: Functional, options: Bootstrap
) -> RocDifferenceTest:
    """The same cases, drawn with both their scores."""
    a, b = joint_ranks(joint)
    # models that rank alike differ in no resample
    alike = all(np.array_equal(one, other) for one, other in zip(a[:2], b[:2], strict=True))

    def difference(stream: np.random.Generator) -> float:
        if options.half_errors and not alike:
            return half_error_difference(stream, a, b, functional)
        drawn = draw_cases(stream, a)
        first, second = (model.value(functional, *drawn, resampled=True) for model in (a, b))
        return first - second

    everyone = slice(None), slice(None)
    estimates = [model.value(functional, *everyone, resampled=False) for model in (a, b)]
    return options.test(quantity, estimates, difference)


def unpaired_difference(
    samples: Sequence[ScoreCounts], weights: str, quantity: str, functional: Functional, options: Bootstrap
) -> RocDifferenceTest:
    """Different cases, each sample drawn by itself."""
    check_weight_meaning(weights)
    opening = f"{quantity[0].upper()}{quantity[1:]}"
    samplers = [
        class_sampler(counts, weights, opening, half_errors=options.half_errors) for counts in samples
    ]

    def difference(stream: np.random.Generator) -> float:
        first, second = (functional(*draw(stream), resampled=True) for draw in samplers)
        return first - second

    estimates = [functional(counts.negatives, counts.positives) for counts in samples]
    return options.test(quantity, estimates, difference)
