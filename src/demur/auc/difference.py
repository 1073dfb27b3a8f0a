"""Tests and intervals for the difference of two AUCs, on the same cases and on different ones.

Identical models give a difference of 0, a variance of 0, p = 1 and an interval of length 0,
whatever the method: a variance of 0 is never divided by.

In the permutation test each case keeps or exchanges its two values. The permuted difference is a sum of n
independent terms +-a_k (Bandos, Rockette and Gur 2006, eq. 8, for its variance), so its law is exact without
simulation. What is exchanged are mid-ranks within each model, which no rescaling of the scores can change, or
the scores themselves on request.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from demur._checks import check_choice, check_confidence_level, check_weight_meaning, input_error
from demur._kernels.auc_variances import delong, newcombe_interval, score_interval
from demur._kernels.jit import whole_job
from demur._kernels.lattice_laws import COMPUTATIONS, too_large, upper_tail
from demur._kernels.normal import normal_quantile, t_quantile, tail_pvalue
from demur._kernels.placements import TwoWay
from demur._kernels.proportions import joined_limits, wald_limits
from demur._results import Interval, Result
from demur.auc.one import PLACEMENT_VARIANCES, placement_variance
from demur.auc.tables import ClusteredAuc, ModelTables, single_table
from demur.counts.scores import ScoreCounts, as_counts
from demur.exceptions import DegenerateDataWarning, UndefinedError
from demur.paired.counts import PairedCounts
from demur.paired.scores import JointScores
from demur.roc.margins import MarginTest, margin_result
from demur.typing import ArrayLike, IntArray, Labels

__all__ = [
    "ALTERNATIVES",
    "EXCHANGES",
    "NEEDS_PAIR_SUM",
    "AucDifferenceTest",
    "AucUnpairedTest",
    "PairedOptions",
    "auc_difference_test",
    "auc_difference_variances",
    "auc_margin_test",
    "auc_unpaired_test",
    "difference_interval",
    "normal_test",
    "paired_test",
    "two_samples",
]

_METHODS = ("permutation", *PLACEMENT_VARIANCES)
NEEDS_PAIR_SUM = ("unbiased", "bootstrap", "permutation")


# ---------------------------------------------------------------- tests and intervals of a difference


INTERVALS = ("score", "wald")
"""Methods of an interval of a difference."""

ALTERNATIVES = ("two-sided", "greater", "less")


def normal_test(
    difference: float, variance: float, alternative: str, df: float = math.inf
) -> tuple[float, float]:
    """Statistic difference / sqrt(variance) and its p-value.

    No variance: a difference of 0 has statistic 0 and p = 1, any other an infinite statistic.
    """
    if variance > 0:
        statistic = difference / math.sqrt(variance)
    else:
        statistic = math.copysign(math.inf, difference) if difference else 0.0
    if difference == 0:
        return statistic, 1.0 if alternative == "two-sided" or variance == 0 else 0.5
    return statistic, tail_pvalue(statistic, alternative, df)


def difference_interval(
    aucs: tuple[float, float],
    sizes: tuple[tuple[float, float], tuple[float, float]],
    variance: float,
    quantile: float,
    z: float,
) -> Interval:
    """Wald limits within [-1, 1]; without variance, limits from the two Newcombe intervals.

    `sizes` are (negatives, positives) of the two samples. Combining the Newcombe limits as if the
    AUCs were independent is conservative for models that are positively correlated.
    """
    if variance > 0:
        return Interval(*wald_limits(aucs[0] - aucs[1], variance, quantile, low=-1.0))
    a, b = (newcombe_interval(auc, *size, z) for auc, size in zip(aucs, sizes, strict=True))
    return _combined(aucs, a, b, 0.0)


def score_difference_interval(
    tables: tuple[TwoWay, TwoWay], joint: float | None, confidence_level: float
) -> Interval:
    """Limits from the two score intervals and the correlation of the AUCs.

    `joint` is the variance of the difference; without it the AUCs are independent.
    """
    singles = [delong(table) for table in tables]
    a, b = (
        score_interval(table, variance, confidence_level)
        for table, variance in zip(tables, singles, strict=True)
    )
    correlation = 0.0 if joint is None else _correlation(singles, joint)
    return _combined((tables[0].estimate, tables[1].estimate), a, b, correlation)


def _correlation(variances: Sequence[float], joint: float) -> float:
    """Correlation of two estimates from their variances and that of their difference; 0 if one has none."""
    if min(variances) <= 0:
        return 0.0
    covariance = (sum(variances) - joint) / 2
    return min(max(covariance / math.sqrt(variances[0] * variances[1]), -1.0), 1.0)


def _combined(
    aucs: tuple[float, float], a: tuple[float, float], b: tuple[float, float], correlation: float
) -> Interval:
    low, high = joined_limits((1.0, aucs[0], *a), (-1.0, aucs[1], *b), correlation)
    return Interval(max(low, -1.0), min(high, 1.0))


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class _AucTest(Result):
    """A test of the difference of two AUCs."""

    auc_a: float
    auc_b: float
    difference: float
    variance: float
    statistic: float
    pvalue: float
    df: float
    _told: ClassVar[tuple[str, ...]] = ("difference", "pvalue")


# ---------------------------------------------------------------- the same cases


class PairedOptions(NamedTuple):
    """How to test a difference; `checked` before use."""

    method: str = "permutation"
    alternative: str = "two-sided"
    exchange: str | None = None
    computation: str | None = None

    def checked(self) -> PairedOptions:
        """Refuse unknown words, and options of another method."""
        check_choice(self.method, "method", _METHODS)
        check_choice(self.alternative, "alternative", ALTERNATIVES)
        for name, value, allowed in (
            ("exchange", self.exchange, EXCHANGES),
            ("computation", self.computation, COMPUTATIONS),
        ):
            if value is not None:
                check_choice(value, name, allowed)
                if self.method != "permutation":
                    raise input_error(name, "is only for method 'permutation'", f"method {self.method!r}")
        return self


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class AucDifferenceTest(_AucTest):
    """Two models on the same cases; made by `auc_difference_test`.

    Attributes
    ----------
    auc_a, auc_b, difference : float
        difference = auc_a - auc_b, positive where model a ranks better.
    variance : float
        Variance of the difference by `method`; for "permutation" the one under equality.
    statistic : float
        difference / sqrt(variance); 0 if both are 0.
    df : float
        Degrees of freedom of the t law where cases come in clusters; infinite for the normal law.
    pvalue, mid_pvalue : float
        The mid-p-value counts the observed outcome one half; they agree unless the law is discrete.
        Identical models have one outcome only: p = 1, mid-p = 1/2.
    method, alternative : str
    computation : str
        "normal", "t" where cases come in clusters, or how the law of the permutation test was computed.
    degenerate : bool
        True if the variance is 0 although the AUCs differ: do not trust the statistic.
    n_positive, n_negative : float
        Cases of each class; the effective numbers for unequal importance weights.
    clusters : pair of int, or None
        Clusters that hold negatives and positives; None where cases are independent.
    evidence : dict
        "statistic": "cases" or "joint counts"; "exact", or how many "bins" and how far they can
        shift the difference ("certified_auc").
    """

    mid_pvalue: float
    method: str
    alternative: str
    computation: str
    degenerate: bool
    n_positive: float
    n_negative: float
    clusters: tuple[int, int] | None
    evidence: dict[str, Any]
    _interval_variance: float
    _tables: tuple[TwoWay, TwoWay, TwoWay]
    _clustered: tuple[ClusteredAuc, ClusteredAuc] | None
    _told = ("difference", "pvalue", "method")

    def interval(self, confidence_level: float = 0.95, *, method: str | None = None) -> Interval:
        """Return the confidence interval of the difference, within [-1, 1].

        Parameters
        ----------
        confidence_level : float, default 0.95
        method : {"score", "wald"}, optional
            "score" combines the score intervals of the two AUCs with their correlation. It keeps its
            coverage at high AUCs with few cases of a class, where it is wider than the test suggests.
            "wald" takes the variance of the test's method, for "permutation" the exact bootstrap
            variance: the permutation variance holds only for equal models. Too short at high AUCs
            with few cases (see the page on coverage). Default: "score" for the permutation test;
            "wald" for the tests that divide by a standard error, so that test and interval agree.

        References
        ----------
        Zou and Donner (2008), Statistics in Medicine 27, doi:10.1002/sim.3095.
        """
        z = normal_quantile(check_confidence_level(confidence_level))
        if method is None:
            method = "score" if self.method == "permutation" else "wald"
        check_choice(method, "method", INTERVALS)
        if self.difference == 0 and self._interval_variance == 0:
            return Interval(0.0, 0.0)
        aucs = self.auc_a, self.auc_b
        if method == "wald":
            size: tuple[float, float] = self.clusters or (self.n_negative, self.n_positive)
            quantile = t_quantile(confidence_level, self.df)
            return difference_interval(aucs, (size, size), self._interval_variance, quantile, z)
        if self._clustered is None:
            first, second, joint = self._tables
            return score_difference_interval((first, second), delong(joint), confidence_level)
        a, b = (one.limits(confidence_level) for one in self._clustered)
        correlation = _correlation([one.variance for one in self._clustered], self.variance)
        return _combined(aucs, a, b, correlation)


def auc_difference_test(
    y_true: Labels | PairedCounts,
    score_a: ArrayLike | None = None,
    score_b: ArrayLike | None = None,
    *,
    method: str = "permutation",
    alternative: str = "two-sided",
    exchange: str | None = None,
    computation: str | None = None,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
    weights: str = "importance",
    groups: ArrayLike | None = None,
) -> AucDifferenceTest:
    """Test whether two models that scored the same cases have the same AUC.

    A positive difference favours model a; rescaling the scores of a model changes nothing. Assumes
    independent cases, or independent `groups`. "permutation" has the exact law for any sample size if
    under equality the two ranks of a case could be exchanged, that is, if equal AUCs mean equal curves;
    the other methods do not assume this, but are approximate in small samples.

    Parameters
    ----------
    y_true : array of n labels, or PairedCounts
        The joint counts of both models, and nothing else, give the same numbers as the rows.
    score_a, score_b : array of n numbers
        Scores of the two models; higher = more positive.
    method : {"permutation", "delong", "jackknife", "unbiased", "bootstrap"}
        The last four divide by the variance of that name (see `auc_variance`), all exact.
    alternative : {"two-sided", "greater", "less"}
        "greater": model a has the higher AUC.
    exchange : {"ranks", "scores"}, optional
        For "permutation": what a case exchanges between the models. Default its mid-ranks within
        each model; the scores themselves only make sense on one scale.
    computation : {"enumeration", "lattice", "saddlepoint", "normal"}, optional
        For "permutation": how to get the law. Default by size: the first two are exact, the third
        replaces them where the lattice is large (a few thousand cases).
    pos_label, sample_weight
        As in `abstention_surface`.
    weights : {"importance", "repeats"}
        As in `auc_variance`. "permutation" needs cases: no weights, equal ones, or whole repeats.
    groups : array of n labels, optional
        Cluster of each case, such as its patient. Needs ``method="delong"``, with the variance of
        `auc_cluster_variance` and the t law of `auc_cluster_interval`.

    Returns
    -------
    AucDifferenceTest
        With `interval(confidence_level, method=)`.

    Raises
    ------
    UndefinedError
        If a class is missing or has one case ("delong", "jackknife", "unbiased") or cluster, if the
        unbiased variance is negative, or for weights that are not numbers of cases with "permutation".

    Warns
    -----
    DegenerateDataWarning
        With ``exchange="scores"``, if the middle halves (first to third quartile) of the two models'
        scores do not overlap or one is more than twice as long as the other.

    Notes
    -----
    Each case keeps or exchanges its two ranks; the permuted difference is then a sum of n independent
    terms ±a_k, so that its law is exact without simulation. Variances in O(n log n).

    Why ranks are the default (2,000 binormal samples each, level 0.05, correlation 0.5 to 0.6, N + M
    cases): level at AUC 0.95 with 20 + 20 cases 0.042, DeLong 0.013; power for 0.90 against 0.97
    with 100 + 10 cases 0.40, DeLong 0.32, scores 0.21; for 0.85 against 0.93 with 30 + 30 cases
    0.48, 0.44, 0.46, and with one model multiplied by 5 0.48, 0.44, 0.11. If the AUCs are equal but
    the curves are not (spreads 1 and 3, 50 + 50 cases) the level is 0.072, DeLong 0.059.

    References
    ----------
    Bandos, Rockette and Gur (2005), Statistics in Medicine 24, doi:10.1002/sim.2149.
    DeLong, DeLong and Clarke-Pearson (1988), Biometrics 44, doi:10.2307/2531595.
    Obuchowski (1997), Biometrics 53, doi:10.2307/2533958.

    Examples
    --------
    Model a ranks better on ten cases. Luck? Hardly, says the permutation test.

    >>> from demur import auc_difference_test
    >>> y = [0, 0, 0, 0, 0, 1, 1, 1, 1, 1]
    >>> a = [0.1, 0.2, 0.3, 0.3, 0.6, 0.4, 0.7, 0.8, 0.9, 0.9]
    >>> b = [0.3, 0.1, 0.6, 0.2, 0.8, 0.2, 0.9, 0.4, 0.7, 0.5]
    >>> test = auc_difference_test(y, a, b)
    >>> round(test.difference, 2), round(test.pvalue, 3)
    (0.3, 0.039)
    """
    options = PairedOptions(method, alternative, exchange, computation).checked()
    joint = JointScores.of_two(
        y_true,
        score_a,
        score_b,
        quantity="A test of two AUCs",
        pos_label=pos_label,
        sample_weight=sample_weight,
        groups=groups,
        cells=True,
    )
    return paired_test(ModelTables(joint, weights), 0, 1, options)


def auc_difference_variances(
    y_true: Labels | PairedCounts,
    score_a: ArrayLike | None = None,
    score_b: ArrayLike | None = None,
    *,
    exchange: str = "ranks",
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
    weights: str = "importance",
) -> dict[str, float]:
    """Variance of the difference of two AUCs on the same cases, by every method at once.

    Shows whether a conclusion depends on the method; the sorting is shared. The lower the more
    certain. "permutation" is the variance if the models are equal, the others hold in any case.

    Parameters
    ----------
    y_true, score_a, score_b, exchange, pos_label, sample_weight, weights
        As in `auc_difference_test`.

    Returns
    -------
    dict
        From the names of the methods of `auc_difference_test` to variances. "unbiased" may be
        negative. Methods that are not defined for the data are left out.

    Raises
    ------
    UndefinedError
        If a class is missing.

    Notes
    -----
    Exact and without resampling, O(n log n) with ties.

    References
    ----------
    Bandos, Rockette and Gur (2006), ROCML workshop at ICML, eqs. 5-8.

    Examples
    --------
    >>> from demur.auc import auc_difference_variances
    >>> y = [0, 0, 0, 0, 1, 1, 1]
    >>> variances = auc_difference_variances(y, [1, 2, 2, 4, 2, 3, 5], [1, 3, 2, 2, 3, 2, 4])
    >>> {method: round(variance, 4) for method, variance in variances.items()}
    {'permutation': 0.0443, 'delong': 0.0625, 'jackknife': 0.0761, 'unbiased': 0.0503, 'bootstrap': 0.0502}
    """
    check_choice(exchange, "exchange", EXCHANGES)
    joint = JointScores.of_two(
        y_true,
        score_a,
        score_b,
        quantity="A difference of AUCs",
        pos_label=pos_label,
        sample_weight=sample_weight,
        cells=True,
    )
    tables = ModelTables(joint, weights)
    table = tables.difference(0, 1, interaction=True)
    variances = {}
    if tables.exchangeable:
        variances["permutation"] = exchange_variance(tables.joint, exchange_terms(tables, 0, 1, exchange))
    defined = PLACEMENT_VARIANCES if min(table.n_negative, table.n_positive) > 1 else ("bootstrap",)
    return {**variances, **{method: placement_variance(table, method) for method in defined}}


def paired_test(tables: ModelTables, a: int, b: int, options: PairedOptions) -> AucDifferenceTest:
    """Compare models a and b on the same cases."""
    method, alternative = options.method, options.alternative
    table = tables.difference(a, b, interaction=method in NEEDS_PAIR_SUM)
    difference, df, clusters, singles = table.estimate, math.inf, None, None
    if tables.joint.clusters is None:
        named = "bootstrap" if method == "permutation" else method
        spread = placement_variance(table, named, "The variance of the difference")
    elif method == "delong":
        found, singles = tables.clustered(a, b), (tables.clustered(a), tables.clustered(b))
        spread, df, clusters = found.variance, found.df, found.clusters
    else:
        hint = "its variance sums over clusters; the others take cases as independent."
        raise input_error("method", "must be 'delong' where cases come in clusters", repr(method), hint)
    if spread < 0:
        raise UndefinedError(
            f"A test needs a variance above 0, got {spread:.3g} with method {method!r}. "
            "Hint: 'delong', 'bootstrap' and 'permutation' are never negative."
        )
    if method == "permutation":
        terms = exchange_terms(tables, a, b, options.exchange or EXCHANGES[0])
        variance = exchange_variance(tables.joint, terms)
        pvalue, mid_pvalue, how = exchange_pvalues(terms, alternative, options.computation)
        statistic, _ = normal_test(difference, variance, alternative)
    else:
        variance, how = spread, "normal" if clusters is None else "t"
        statistic, pvalue = normal_test(difference, variance, alternative, df)
        # without variance and difference the only possible outcome is the observed one
        mid_pvalue = 0.5 if variance == 0 == difference else pvalue
    first, second = tables.single(a), tables.single(b)
    return AucDifferenceTest(
        auc_a=first.estimate,
        auc_b=second.estimate,
        difference=difference,
        variance=variance,
        statistic=statistic,
        df=df,
        pvalue=pvalue,
        mid_pvalue=mid_pvalue,
        method=method,
        alternative=alternative,
        computation=how,
        degenerate=variance == 0 and difference != 0,
        n_positive=table.n_positive,
        n_negative=table.n_negative,
        clusters=clusters,
        evidence=tables.joint.evidence,
        _interval_variance=spread,
        _tables=(first, second, table),
        _clustered=singles,
    )


EXCHANGES = ("ranks", "scores")
_MOST_CASES = 2**24  # repeated cases, each a term of the sum; more would take minutes
_SAME_SCALE = 2.0  # largest ratio of interquartile ranges that counts as one scale


def exchange_variance(joint: JointScores, terms: IntArray) -> float:
    """Variance of the sum with random signs, in units of the difference (eq. 8)."""
    scale = 4 * joint.n_negative * joint.n_positive
    return float(np.square(terms, dtype=np.float64).sum()) / scale**2


def exchange_terms(tables: ModelTables, a: int, b: int, exchange: str) -> IntArray:
    """Terms of the sum, in units of 1 / (4 N M); warns if scores of different scales are exchanged."""
    joint = tables.joint
    if not tables.exchangeable:
        raise UndefinedError(
            "The permutation test exchanges whole cases, got weights that are not numbers of cases. "
            "Hint: 'delong' and 'bootstrap' take any weights; weights='repeats' makes whole numbers cases."
        )
    cases = joint.n_negative + joint.n_positive
    if joint.negative_weight is not None and cases > _MOST_CASES:
        raise input_error(
            "method",
            f"must not be 'permutation' for more than {_MOST_CASES:.3g} cases, each of which is a term",
            f"{cases:.3g} cases",
            "'delong' and 'bootstrap' need the joint counts only.",
        )
    rows = joint.negatives.shape[1] + joint.positives.shape[1]
    # part of a comparison that takes n log n steps anyway, so compiling pays earlier than for counts alone
    with whole_job(2 * rows * rows.bit_length()):
        if exchange == "ranks":
            return joint.in_ranks(a, b).permutation_terms(0, 1)
        _warn_about_scales(joint, a, b)
        return joint.permutation_terms(a, b)


def _warn_about_scales(joint: JointScores, a: int, b: int) -> None:
    """Warn if the middle halves of the scores do not overlap, or one is over twice as long."""
    weights = np.ones(joint.negatives.shape[1] + joint.positives.shape[1])
    if joint.negative_weight is not None and joint.positive_weight is not None:
        weights = np.concatenate([joint.negative_weight, joint.positive_weight])
    (low_a, high_a), (low_b, high_b) = (
        np.quantile(scores, [0.25, 0.75], weights=weights, method="inverted_cdf")
        for scores in np.concatenate([joint.negatives, joint.positives], axis=1)[[a, b]]
    )
    with np.errstate(invalid="ignore"):  # a model whose scores are mostly infinite has no length to compare
        short, long = sorted((high_a - low_a, high_b - low_b))
    if max(low_a, low_b) <= min(high_a, high_b) and not long > _SAME_SCALE * short:
        return
    warnings.warn(
        "the two models score on different scales (middle halves of their scores: "
        f"{low_a:.4g} to {high_a:.4g} and {low_b:.4g} to {high_b:.4g}), so exchanging the scores of a "
        "case is not meaningful and the test loses its power; leave exchange='ranks'",
        DegenerateDataWarning,
        stacklevel=5,
    )


def exchange_pvalues(terms: IntArray, alternative: str, computation: str | None) -> tuple[float, float, str]:
    """p-value, mid-p-value and how the law was computed."""
    if computation is not None and too_large(terms, computation):
        raise input_error(
            "computation",
            "must suit the number of cases",
            f"{computation!r} for {len(terms)} cases",
            "leave it out to choose by size, or use 'saddlepoint'.",
        )
    observed = int(terms.sum())
    # always the tail on the side of the alternative: small p-values keep their relative accuracy
    value = {"two-sided": abs(observed), "greater": observed, "less": -observed}[alternative]
    above, at, how = upper_tail(terms, value, computation)
    if alternative == "two-sided" and observed == 0:
        return 1.0, 1 - at / 2, how
    sides = 2 if alternative == "two-sided" else 1
    return min(sides * (above + at), 1.0), min(sides * (above + at / 2), 1.0), how


def auc_margin_test(
    y_true: Labels,
    score_a: ArrayLike | None = None,
    score_b: ArrayLike | None = None,
    *,
    margin: float,
    question: str = "non-inferiority",
    significance_level: float = 0.05,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
    weights: str = "importance",
) -> MarginTest:
    """Test whether one model ranks no worse than another on the same cases, up to a margin.

    A positive difference favours model a. Assumes independent cases. Not finding a difference with
    `auc_difference_test` does not show that there is none: this test does.

    Parameters
    ----------
    y_true, score_a, score_b, pos_label, sample_weight, weights
        As in `auc_difference_test`.
    margin : float
        How much lower an AUC would still be acceptable, such as 0.05.
    question : {"non-inferiority", "equivalence"}
        "equivalence" asks in both directions (two one-sided tests).
    significance_level : float, default 0.05
        Of each one-sided test.

    Returns
    -------
    MarginTest

    Raises
    ------
    UndefinedError
        If a class is missing or has a single case.

    Notes
    -----
    Non-inferiority: p = Phi(-(difference + margin) / sqrt(V)) with DeLong's variance V; equivalence: the
    larger of the two one-sided p-values.

    References
    ----------
    Liu, Ma, Wu and Tai (2006), Statistics in Medicine 25, doi:10.1002/sim.2358.

    Examples
    --------
    A model without the expensive laboratory value: is it worse by less than 0.05?

    >>> import numpy as np
    >>> from demur.auc import auc_margin_test
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1], 300)
    >>> full = rng.normal(size=600) + 2 * y
    >>> reduced = full + 0.3 * rng.normal(size=600)
    >>> auc_margin_test(y, reduced, full, margin=0.05).established
    True
    """
    test = auc_difference_test(
        y_true,
        score_a,
        score_b,
        method="delong",
        pos_label=pos_label,
        sample_weight=sample_weight,
        weights=weights,
    )
    error = math.sqrt(max(test.variance, 0.0))
    return margin_result(
        "difference of AUCs",
        test.difference,
        lambda z: (test.difference - z * error, test.difference + z * error),
        margin,
        question,
        significance_level,
        higher_is_better=True,
    )


# ---------------------------------------------------------------- different cases


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class AucUnpairedTest(_AucTest):
    """Two AUCs from different cases; made by `auc_unpaired_test`.

    Attributes
    ----------
    auc_a, auc_b, difference : float
        difference = auc_a - auc_b.
    variance : float
        Sum of the two variances.
    statistic, pvalue : float
    df : float
        Degrees of freedom of the t law; infinite for the normal law.
    variance_method, alternative : str
    degenerate : bool
        True if the variance is 0: the statistic says nothing, `interval` still does.
    """

    variance_method: str
    alternative: str
    degenerate: bool
    _tables: tuple[TwoWay, TwoWay]

    def interval(self, confidence_level: float = 0.95, *, method: str = "wald") -> Interval:
        """Return the confidence interval of the difference, within [-1, 1].

        "wald" agrees with the test, and is made from the two Newcombe intervals where there is no
        variance (both AUCs 0 or 1). "score" combines the score intervals of the two AUCs, which keeps
        the coverage at high AUCs with few cases of a class, see `AucDifferenceTest.interval`.
        """
        z = normal_quantile(check_confidence_level(confidence_level))
        check_choice(method, "method", INTERVALS)
        first, second = self._tables
        if method == "score":
            return score_difference_interval((first, second), None, confidence_level)
        quantile = t_quantile(confidence_level, self.df)
        sizes = (first.n_negative, first.n_positive), (second.n_negative, second.n_positive)
        return difference_interval((self.auc_a, self.auc_b), sizes, self.variance, quantile, z)


def auc_unpaired_test(
    *evidence: Any,
    df: str = "welch",
    variance: str = "delong",
    alternative: str = "two-sided",
    pos_label: Any = None,
    weights: str = "importance",
) -> AucUnpairedTest:
    """Test whether two AUCs from different, independent cases are equal.

    For two hospitals, two periods, two groups of customers. Two models on the *same* cases need
    `auc_difference_test`: this one would waste the pairing. A positive difference favours the first.

    Parameters
    ----------
    *evidence : y_true_a, y_score_a, y_true_b, y_score_b; or counts_a, counts_b
        Each sample as two arrays or as one `ScoreCounts` (with weights, if it has any).
    df : {"welch", "inf"}
        "welch": t law with (Va + Vb)^2 / (Va^2/(na-1) + Vb^2/(nb-1)) degrees of freedom; "inf": normal.
    variance : {"delong", "jackknife", "unbiased", "bootstrap"}
        As `method` in `auc_variance`.
    alternative : {"two-sided", "greater", "less"}
        "greater": the first AUC is higher.
    pos_label : label, optional
        The positive label in both samples.
    weights : {"importance", "repeats"}
        As in `auc_variance`; n in the degrees of freedom is then the effective number of cases.

    Returns
    -------
    AucUnpairedTest
        With `interval(confidence_level)`.

    Raises
    ------
    UndefinedError
        If a class is missing, or the variance does not exist.

    Notes
    -----
    statistic = (Aa - Ab) / sqrt(Va + Vb); 0 with p = 1 if the variance and the difference are 0.

    References
    ----------
    DeLong, DeLong and Clarke-Pearson (1988), Biometrics 44, doi:10.2307/2531595.

    Examples
    --------
    The model ranks worse at the second site, but six cases there cannot show it:

    >>> from demur.auc import auc_unpaired_test
    >>> first = [0, 0, 0, 0, 1, 1, 1, 1], [0.1, 0.2, 0.4, 0.5, 0.45, 0.6, 0.7, 0.9]
    >>> second = [0, 0, 0, 1, 1, 1], [0.2, 0.6, 0.7, 0.3, 0.65, 0.8]
    >>> test = auc_unpaired_test(*first, *second)
    >>> round(test.difference, 3), round(test.pvalue, 2)
    (0.271, 0.38)
    """
    law = "inf" if df in (math.inf, "inf") else df
    check_choice(law, "df", ("welch", "inf"))
    check_choice(variance, "variance", tuple(PLACEMENT_VARIANCES))
    check_choice(alternative, "alternative", ALTERNATIVES)
    check_weight_meaning(weights)
    samples = two_samples(evidence, pos_label)
    for counts in samples:
        counts.require_both_classes("A test of two AUCs")
    tables = [single_table(counts, weights) for counts in samples]
    # below 0 only by rounding of the unbiased variance
    parts = [max(placement_variance(table, variance), 0.0) for table in tables]
    spread = sum(parts)
    degrees = math.inf
    if law == "welch" and spread > 0:
        sizes = (table.n_negative + table.n_positive for table in tables)
        degrees = spread**2 / sum(v**2 / (n - 1) for v, n in zip(parts, sizes, strict=True))
    difference = tables[0].estimate - tables[1].estimate
    statistic, pvalue = normal_test(difference, spread, alternative, degrees)
    return AucUnpairedTest(
        auc_a=tables[0].estimate,
        auc_b=tables[1].estimate,
        difference=difference,
        variance=spread,
        statistic=statistic,
        pvalue=pvalue,
        df=degrees,
        variance_method=variance,
        alternative=alternative,
        degenerate=spread == 0,
        _tables=(tables[0], tables[1]),
    )


def two_samples(evidence: tuple[Any, ...], pos_label: Any) -> list[ScoreCounts]:
    """Read two samples, each one ScoreCounts, one pair, or two arrays in a row."""
    unread, samples = list(evidence), []
    while unread:
        item = unread.pop(0)
        if isinstance(item, ScoreCounts):
            samples.append(item)
        elif isinstance(item, tuple) and len(item) == 2 and all(np.ndim(part) for part in item):
            samples.append(as_counts(*item, pos_label=pos_label))
        elif unread:
            samples.append(as_counts(item, unread.pop(0), pos_label=pos_label))
        else:
            samples.append(as_counts(item))
    if len(samples) != 2:
        raise input_error(
            "evidence",
            "must be two samples",
            len(samples),
            "pass y_true_a, y_score_a, y_true_b, y_score_b or two ScoreCounts.",
        )
    return samples
