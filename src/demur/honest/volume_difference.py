"""Volumes of two or more models on the same cases: differences, tests, all pairs."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np

from demur._checks import check_choice, check_confidence_level, check_range, check_rng, input_error
from demur._kernels.integrals import rectangle_scores
from demur._kernels.multiple_tests import holm
from demur._kernels.normal import t_quantile, tail_pvalue
from demur._results import Interval, Result
from demur.honest.cross_fitting import UNIT
from demur.honest.difference import FLOOR
from demur.honest.estimates import row_sample
from demur.honest.held_out import ForecastScores
from demur.honest.mean_loss import mean_loss
from demur.honest.pairs import PairedCases, paired_cases
from demur.paired.counts import PairedCounts
from demur.surface.review import PLAIN, ReviewPrices, review_scores
from demur.typing import ArrayLike, FloatArray, Labels, Range

__all__ = [
    "VolumeComparison",
    "VolumeDifferenceTest",
    "volume_comparison",
    "volume_difference_of",
    "volume_difference_test",
]


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class VolumeDifferenceTest(Result):
    """Test of equal volumes of two models on the same cases; made by `volume_difference_test`.

    Attributes
    ----------
    difference : float
        Volume of a minus volume of b, mean of the two estimates below; negative: a is cheaper.
    honest, hindsight : float
        Cross-fitted difference, and difference of the samples' own surfaces.
    standard_error : float
        The larger of the two standard errors.
    statistic, pvalue : float
        difference / standard_error, and its tail probability.
    df : float
        Degrees of freedom of the t law where cases come in clusters; infinite for the normal law.
    volume_a, volume_b : float
        Honest volumes.
    evidence : dict
        "statistic": "cases" or "joint counts"; "exact", or how many "bins" and how far they can
        shift a difference of surfaces ("certified").
    ray, reviewer : (float, float)
        What abstaining costs by class in units of nu; sensitivity and specificity of the reviewer.
    """

    difference: float
    honest: float
    hindsight: float
    standard_error: float
    statistic: float
    pvalue: float
    volume_a: float
    volume_b: float
    alternative: str
    mu: Range
    nu: Range
    n: float
    prevalence: float
    folds: int
    evidence: dict[str, Any]
    df: float = math.inf
    ray: tuple[float, float] = (1.0, 1.0)
    reviewer: tuple[float, float] = (1.0, 1.0)

    def interval(self, confidence_level: float = 0.95) -> Interval:
        """Return the average-centred interval of the difference."""
        reach = t_quantile(check_confidence_level(confidence_level), self.df) * self.standard_error
        return Interval(self.difference - reach, self.difference + reach)


def volume_difference_test(
    y_true: Labels | PairedCounts,
    score_a: ArrayLike | None = None,
    score_b: ArrayLike | None = None,
    *,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
    weights: str = "importance",
    prevalence: float | None = None,
    mu: Range = UNIT,
    nu: Range = UNIT,
    ray: tuple[float, float] = (1.0, 1.0),
    reviewer: tuple[float, float] = (1.0, 1.0),
    alternative: str = "two-sided",
    folds: int | None = None,
    repeats: int | None = None,
    rng: int | np.random.Generator | None = 0,
) -> VolumeDifferenceTest:
    """Test whether two models have the same mean cost over a rectangle of costs (VACC).

    Negative differences: a is cheaper. A volume is a mean of per-case proper scores, so the
    paired difference needs no resampling. One number for all costs: models may differ in
    opposite directions in different places (`surface_difference_band` shows where). Assumes
    independent cases.

    Parameters
    ----------
    y_true, score_a, score_b, pos_label, sample_weight, prevalence, folds, rng
        As in `surface_difference_band`.
    mu, nu : (low, high)
        The rectangle of costs; the unit square compares VACC.
    ray, reviewer : (float, float)
        What abstaining costs by class, and how often the reviewer is right; as in `AbstentionSurface.minus`.
    alternative : {"two-sided", "less", "greater"}
        "less": the volume of a is smaller.

    Returns
    -------
    VolumeDifferenceTest
        With `interval(confidence_level)`.

    Raises
    ------
    InputError, UndefinedError
        As in `surface_difference_band`.

    Notes
    -----
    (mean of the hindsight and the honest difference) / max(s, sc) against the normal law. Two
    models that rank the cases alike: difference 0, p = 1.

    References
    ----------
    Friedel, Rueckert, Kramer (2006), "Cost Curves for Abstaining Classifiers", ROCML.

    Examples
    --------
    >>> from demur import Binormal, volume_difference_test
    >>> from demur.datasets.binormal import paired_binormal_sample
    >>> better, worse = Binormal(separation=2.0), Binormal(separation=1.2)
    >>> y, a, b = paired_binormal_sample(better, worse, n=500, correlation=0.6, rng=0)
    >>> volume_difference_test(y, a, b, rng=0).pvalue < 0.001
    True
    >>> volume_difference_test(y, a, a, rng=0).pvalue
    1.0
    """
    check_choice(alternative, "alternative", ("two-sided", "less", "greater"))
    rectangle = check_range(mu, "mu"), check_range(nu, "nu")
    cases = paired_cases(
        y_true,
        score_a,
        score_b,
        pos_label=pos_label,
        sample_weight=sample_weight,
        weights=weights,
        prevalence=prevalence,
        folds=folds,
        repeats=repeats,
        rng=rng,
        quantity="a volume difference",
    )
    review = ReviewPrices.checked(ray, reviewer)
    return volume_difference_of(cases, *rectangle, review=review, alternative=alternative)


def volume_difference_of(
    cases: PairedCases,
    mu: Range = UNIT,
    nu: Range = UNIT,
    *,
    review: ReviewPrices = PLAIN,
    alternative: str = "two-sided",
) -> VolumeDifferenceTest:
    """Make the test from judged cases and checked arguments."""
    scores: ForecastScores = partial(rectangle_scores, mu=mu, nu=nu)
    if review != PLAIN:
        scores = partial(review_scores, mu=mu, nu=nu, prices=review)
    hindsight, honest = (pair.score_difference_and_error(scores) for pair in (cases.hindsight, cases.honest))
    error, df = max(hindsight[1], honest[1]), math.inf
    if cases.clustered is not None:
        rows, *models = cases.clustered
        sample = row_sample(rows, rows.shares)
        totals = []
        for in_hindsight in (True, False):
            first, second = (model.row_scores(rows, scores, hindsight=in_hindsight) for model in models)
            totals.append(mean_loss(first - second, sample, 0.0, added=0).standard_error)
        error, df = max(totals), sample.units - 1
    centre = (hindsight[0] + honest[0]) / 2
    statistic = centre / max(error, FLOOR)
    return VolumeDifferenceTest(
        difference=centre,
        honest=honest[0],
        hindsight=hindsight[0],
        standard_error=error,
        statistic=statistic,
        pvalue=tail_pvalue(statistic, alternative, df),
        volume_a=cases.honest.first.mean_score(scores),
        volume_b=cases.honest.second.mean_score(scores),
        alternative=alternative,
        mu=mu,
        nu=nu,
        n=cases.n,
        prevalence=cases.prevalence,
        folds=cases.folds,
        evidence=cases.evidence,
        df=df,
        ray=review.ray,
        reviewer=review.reviewer,
    )


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class VolumeComparison(Result):
    """All pairs of several models, with p-values adjusted for their number; made by `volume_comparison`.

    Attributes
    ----------
    pairs : tuple of (str, str)
        Element t: the two models of comparison t.
    tests : tuple of VolumeDifferenceTest
        Element t: first minus second.
    pvalues : array
        Element t: Holm-adjusted p-value, valid for all comparisons together.
    volumes : dict
        Honest volume of every model.
    """

    pairs: tuple[tuple[str, str], ...]
    tests: tuple[VolumeDifferenceTest, ...]
    pvalues: FloatArray
    volumes: dict[str, float]

    def __repr__(self) -> str:
        shown = ", ".join(f"{a} - {b}: p={p:.3g}" for (a, b), p in zip(self.pairs, self.pvalues, strict=True))
        return f"VolumeComparison({shown})"


def volume_comparison(
    y_true: Labels,
    scores: Mapping[str, ArrayLike],
    *,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
    weights: str = "importance",
    prevalence: float | None = None,
    mu: Range = UNIT,
    nu: Range = UNIT,
    ray: tuple[float, float] = (1.0, 1.0),
    reviewer: tuple[float, float] = (1.0, 1.0),
    folds: int | None = None,
    repeats: int | None = None,
    rng: int | np.random.Generator | None = 0,
) -> VolumeComparison:
    """Compare the volumes of several models on the same cases, all pairs, Holm-adjusted.

    Parameters
    ----------
    y_true, pos_label, sample_weight, prevalence, mu, nu, ray, reviewer, folds, rng
        As in `volume_difference_test`.
    scores : mapping {name: array of n numbers}
        At least two models.

    Returns
    -------
    VolumeComparison

    References
    ----------
    Holm (1979), Scandinavian Journal of Statistics 6, 65-70.

    Examples
    --------
    >>> import numpy as np
    >>> from demur import Binormal
    >>> from demur.honest import volume_comparison
    >>> y, s = Binormal(separation=2.0).sample(400, rng=0)
    >>> noise = np.random.default_rng(1).normal(size=400)
    >>> compared = volume_comparison(y, {"good": s, "same": s, "noise": noise}, rng=0)
    >>> compared.pairs, (compared.pvalues < 0.05).tolist()
    ((('good', 'same'), ('good', 'noise'), ('same', 'noise')), [False, True, True])
    """
    if not isinstance(scores, Mapping) or len(scores) < 2:
        raise input_error("scores", "must be a mapping {name: scores} of at least two models", repr(scores))
    # one seed for all pairs, so that a pair is what it is alone; a generator is asked once
    seed = int(check_rng(rng).integers(2**32)) if rng is None or isinstance(rng, np.random.Generator) else rng
    pairs = tuple((str(one), str(two)) for one, two in combinations(scores, 2))
    tests = tuple(
        volume_difference_test(
            y_true,
            scores[one],
            scores[two],
            pos_label=pos_label,
            sample_weight=sample_weight,
            weights=weights,
            prevalence=prevalence,
            mu=mu,
            nu=nu,
            ray=ray,
            reviewer=reviewer,
            folds=folds,
            repeats=repeats,
            rng=seed,
        )
        for one, two in combinations(scores, 2)
    )
    volumes: dict[str, float] = {}
    for (one, two), test in zip(pairs, tests, strict=True):
        volumes.setdefault(one, test.volume_a)
        volumes.setdefault(two, test.volume_b)
    adjusted = holm(np.array([test.pvalue for test in tests]))
    return VolumeComparison(pairs=pairs, tests=tests, pvalues=adjusted, volumes=volumes)
