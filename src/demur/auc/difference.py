"""Tests and intervals for the difference of two AUCs, on the same or on different cases.

Identical models give a difference of 0, a variance of 0, p = 1 and an interval of length 0,
whatever the method: a variance of 0 is never divided by.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from demur._checks import check_choice, check_confidence_level, input_error
from demur._kernels.normal import normal_quantile
from demur._kernels.permutation import COMPUTATIONS, too_large, upper_tail
from demur._results import Interval, Result
from demur.auc.one import PLACEMENT_VARIANCES, newcombe_interval, placement_variance, single_table
from demur.counts.scores import ScoreCounts, as_counts
from demur.exceptions import UndefinedError
from demur.paired.counts import PairedCounts
from demur.paired.scores import JointScores
from demur.typing import ArrayLike, IntArray, Labels

__all__ = [
    "ALTERNATIVES",
    "NEEDS_PAIR_SUM",
    "PAIRED_METHODS",
    "AucDifferenceTest",
    "AucUnpairedTest",
    "auc_difference_test",
    "auc_difference_variances",
    "auc_unpaired_test",
    "normal_test",
    "paired_test",
]

ALTERNATIVES = ("two-sided", "greater", "less")
PAIRED_METHODS = ("permutation", *PLACEMENT_VARIANCES)
_PERMUTE_UP_TO = 2**24  # repeated cases, each a term of the sum; more would take minutes
NEEDS_PAIR_SUM = ("unbiased", "bootstrap", "permutation")


# ---------------------------------------------------------------- two numbers and a variance


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
    if alternative == "two-sided":
        return statistic, 2 * _lower_tail(-abs(statistic), df)
    return statistic, _lower_tail(statistic if alternative == "less" else -statistic, df)


def _lower_tail(statistic: float, df: float) -> float:
    from scipy.special import ndtr, stdtr

    return float(ndtr(statistic) if math.isinf(df) else stdtr(df, statistic))


def _difference_interval(
    test: "AucDifferenceTest | AucUnpairedTest", variance: float, quantile: float, z: float
) -> Interval:
    """Wald limits within [-1, 1]; without variance, limits from the two Newcombe intervals.

    The latter add the squared distances of the single limits (MOVER, Donner and Zou 2002), which
    is conservative for models that are positively correlated.
    """
    if variance > 0:
        half = quantile * math.sqrt(variance)
        return Interval(max(test.difference - half, -1.0), min(test.difference + half, 1.0))
    a = newcombe_interval(test.auc_a, *test._sizes_a, z)
    b = newcombe_interval(test.auc_b, *test._sizes_b, z)
    below = math.hypot(test.auc_a - a.low, b.high - test.auc_b)
    above = math.hypot(a.high - test.auc_a, test.auc_b - b.low)
    return Interval(max(test.difference - below, -1.0), min(test.difference + above, 1.0))


# ---------------------------------------------------------------- paired


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class AucDifferenceTest(Result):
    """Two models on the same cases; made by `auc_difference_test`.

    Attributes
    ----------
    auc_a, auc_b, difference : float
        difference = auc_a - auc_b, positive where model a ranks better.
    variance : float
        Variance of the difference by `method`; for "permutation" the one under equality.
    statistic : float
        difference / sqrt(variance); 0 if both are 0.
    pvalue, mid_pvalue : float
        The mid-p-value counts the observed outcome one half; they agree unless the law is discrete.
    method, alternative : str
    computation : str
        "normal", or how the law of the permutation test was had.
    degenerate : bool
        True if the variance is 0 although the AUCs differ: do not trust the statistic.
    n_positive, n_negative : float
    evidence : dict
        "statistic": "cases" or "joint counts"; "exact", or how many "bins" and how far they can
        shift the difference ("certified_auc").
    """

    auc_a: float
    auc_b: float
    difference: float
    variance: float
    statistic: float
    pvalue: float
    mid_pvalue: float
    method: str
    alternative: str
    computation: str
    degenerate: bool
    n_positive: float
    n_negative: float
    evidence: dict[str, Any]
    _interval_variance: float

    @property
    def _sizes_a(self) -> tuple[float, float]:
        return self.n_negative, self.n_positive

    _sizes_b = _sizes_a

    def interval(self, confidence_level: float = 0.95) -> Interval:
        """Return the confidence interval of the difference, within [-1, 1].

        Wald limits with the variance of the method. The permutation variance holds only for equal
        models, so that method takes the exact bootstrap variance here.
        """
        z = normal_quantile(check_confidence_level(confidence_level))
        if self.difference == 0 and self._interval_variance == 0:
            return Interval(0.0, 0.0)
        return _difference_interval(self, self._interval_variance, z, z)

    def __repr__(self) -> str:
        return (
            f"AucDifferenceTest(difference={self.difference:.4g}, pvalue={self.pvalue:.4g}, "
            f"method={self.method!r})"
        )


def auc_difference_test(
    y_true: Labels | PairedCounts,
    score_a: ArrayLike | None = None,
    score_b: ArrayLike | None = None,
    *,
    method: str = "permutation",
    alternative: str = "two-sided",
    computation: str | None = None,
    transform: str | None = None,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
) -> AucDifferenceTest:
    """Test whether two models that scored the same cases have the same AUC.

    A positive difference favours model a. Assumes independent cases. "permutation" is exact for
    any sample size if under equality the two scores of a case could be exchanged, which needs
    scores on a common scale; the other methods look at each model's ranks only and are
    approximate in small samples.

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
    computation : {"enumeration", "lattice", "saddlepoint", "normal"}, optional
        For "permutation": how to get the law. Default by size: the first two are exact, the third
        replaces them where the lattice is large (a few thousand cases).
    transform : {"rank"}, optional
        For "permutation": compare ranks within each model, for scores on different scales.
    pos_label, sample_weight
        As in `abstention_surface`. Weights are frequencies; for "permutation" whole numbers.

    Returns
    -------
    AucDifferenceTest
        With `interval(confidence_level)`.

    Raises
    ------
    UndefinedError
        If a class is missing or has one case ("delong", "jackknife", "unbiased"), if the unbiased
        variance is negative, or for fractional weights with "permutation".

    Notes
    -----
    Each case keeps or swaps its two scores; the permuted difference is then a sum of n independent
    terms ±a_k, so that its law is exact without simulation. Variances in O(n log n).

    References
    ----------
    Bandos, Rockette and Gur (2005), Statistics in Medicine 24, doi:10.1002/sim.2149.
    DeLong, DeLong and Clarke-Pearson (1988), Biometrics 44, doi:10.2307/2531595.

    Examples
    --------
    Model a ranks better on ten cases. Luck? The exact test says: hardly.

    >>> from demur import auc_difference_test
    >>> y = [0, 0, 0, 0, 0, 1, 1, 1, 1, 1]
    >>> a = [0.1, 0.2, 0.3, 0.3, 0.6, 0.4, 0.7, 0.8, 0.9, 0.9]
    >>> b = [0.3, 0.1, 0.6, 0.2, 0.8, 0.2, 0.9, 0.4, 0.7, 0.5]
    >>> test = auc_difference_test(y, a, b)
    >>> round(test.difference, 2), round(test.pvalue, 3)
    (0.3, 0.037)
    """
    _check_paired_options(method, alternative, computation, transform)
    joint = JointScores.of_two(
        y_true,
        score_a,
        score_b,
        quantity="A test of two AUCs",
        pos_label=pos_label,
        sample_weight=sample_weight,
        cells=True,
    )
    return paired_test(joint, 0, 1, method, alternative, computation, transform)


def auc_difference_variances(
    y_true: Labels | PairedCounts,
    score_a: ArrayLike | None = None,
    score_b: ArrayLike | None = None,
    *,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
) -> dict[str, float]:
    """Variance of the difference of two AUCs on the same cases, by every method at once.

    To see whether a conclusion hangs on the method; the sorting is shared. The lower the more
    certain. "permutation" is the variance if the models are equal, the others hold in any case.

    Parameters
    ----------
    y_true, score_a, score_b, pos_label, sample_weight
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
    >>> found = auc_difference_variances(y, [1, 2, 2, 4, 2, 3, 5], [1, 3, 2, 2, 3, 2, 4])
    >>> {method: round(variance, 4) for method, variance in found.items()}
    {'permutation': 0.0503, 'delong': 0.0625, 'jackknife': 0.0761, 'unbiased': 0.0503, 'bootstrap': 0.0502}
    """
    joint = JointScores.of_two(
        y_true,
        score_a,
        score_b,
        quantity="A difference of AUCs",
        pos_label=pos_label,
        sample_weight=sample_weight,
        cells=True,
    )
    table = joint.difference_table(0, 1, interaction=True)
    found = {}
    if joint.whole_cases:
        found["permutation"] = _permutation_variance(joint, _permutation_terms(joint, 0, 1, None))
    several = min(joint.n_negative, joint.n_positive) > 1
    for method in PLACEMENT_VARIANCES:
        if several or method == "bootstrap":
            found[method] = placement_variance(table, method)
    return found


def _permutation_variance(joint: JointScores, terms: IntArray) -> float:
    """Variance of the sum with random signs, in units of the difference (eq. 8)."""
    scale = 4 * joint.n_negative * joint.n_positive
    return float(np.square(terms, dtype=np.float64).sum()) / scale**2


def _check_paired_options(
    method: str, alternative: str, computation: str | None, transform: str | None
) -> None:
    check_choice(method, "method", PAIRED_METHODS)
    check_choice(alternative, "alternative", ALTERNATIVES)
    if computation is not None:
        check_choice(computation, "computation", COMPUTATIONS)
    if transform is not None:
        check_choice(transform, "transform", ("rank",))
    for name, value in (("computation", computation), ("transform", transform)):
        if value is not None and method != "permutation":
            raise input_error(name, "is only for method 'permutation'", f"method {method!r}")


def paired_test(
    joint: JointScores,
    a: int,
    b: int,
    method: str,
    alternative: str,
    computation: str | None = None,
    transform: str | None = None,
) -> AucDifferenceTest:
    """Compare models a and b of joint data; the arguments are checked."""
    table = joint.difference_table(a, b, interaction=method in NEEDS_PAIR_SUM)
    difference = table.estimate
    spread = placement_variance(
        table, "bootstrap" if method == "permutation" else method, "The variance of the difference"
    )
    if spread < 0:
        raise UndefinedError(
            f"A test needs a variance above 0, got {spread:.3g} with method {method!r}. "
            "Hint: 'delong', 'bootstrap' and 'permutation' are never negative."
        )
    if method == "permutation":
        terms = _permutation_terms(joint, a, b, transform)
        variance = _permutation_variance(joint, terms)
        pvalue, mid_pvalue, how = _permutation_pvalues(terms, alternative, computation)
        statistic, _ = normal_test(difference, variance, alternative)
    else:
        variance, how = spread, "normal"
        statistic, pvalue = normal_test(difference, variance, alternative)
        mid_pvalue = pvalue
    return AucDifferenceTest(
        auc_a=joint.single_table(a).estimate,
        auc_b=joint.single_table(b).estimate,
        difference=difference,
        variance=variance,
        statistic=statistic,
        pvalue=pvalue,
        mid_pvalue=mid_pvalue,
        method=method,
        alternative=alternative,
        computation=how,
        degenerate=variance == 0 and difference != 0,
        n_positive=joint.n_positive,
        n_negative=joint.n_negative,
        evidence=joint.evidence,
        _interval_variance=spread,
    )


def _permutation_terms(joint: JointScores, a: int, b: int, transform: str | None) -> IntArray:
    if not joint.whole_cases:
        raise UndefinedError(
            "The permutation test swaps whole cases, got fractional weights. "
            "Hint: 'delong' and 'bootstrap' take any weights."
        )
    cases = joint.n_negative + joint.n_positive
    if joint.negative_weight is not None and cases > _PERMUTE_UP_TO:
        raise input_error(
            "method",
            f"must not be 'permutation' for more than {_PERMUTE_UP_TO:.3g} cases, each of which is a term",
            f"{cases:.3g} cases",
            "'delong' and 'bootstrap' need the joint counts only.",
        )
    if transform == "rank":
        joint, a, b = _in_ranks(joint, a, b), 0, 1
    return joint.permutation_terms(a, b)


def _in_ranks(joint: JointScores, a: int, b: int) -> JointScores:
    """Scores of two models replaced by mid-ranks over both classes."""
    size = joint.negatives.shape[1]
    positive = np.arange(size + joint.positives.shape[1]) >= size
    weights = None
    if joint.negative_weight is not None and joint.positive_weight is not None:
        weights = np.concatenate([joint.negative_weight, joint.positive_weight])
    ranks = []
    for model in (a, b):
        both = np.concatenate([joint.negatives[model], joint.positives[model]])
        counts = ScoreCounts.from_arrays(positive, both, sample_weight=weights)
        held = counts.positives + counts.negatives
        rank = np.cumsum(held) - held / 2
        ranks.append(rank[np.searchsorted(counts.scores, both)])
    return JointScores(positive, np.stack(ranks), weights)


def _permutation_pvalues(
    terms: IntArray, alternative: str, computation: str | None
) -> tuple[float, float, str]:
    """p-value, mid-p-value and how the law was had."""
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
    if not np.any(terms):
        return 1.0, 1.0, how  # nothing to swap: the models cannot be told apart
    if alternative == "two-sided" and observed == 0:
        return 1.0, 1 - at / 2, how
    sides = 2 if alternative == "two-sided" else 1
    return min(sides * (above + at), 1.0), min(sides * (above + at / 2), 1.0), how


# ---------------------------------------------------------------- unpaired


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class AucUnpairedTest(Result):
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

    auc_a: float
    auc_b: float
    difference: float
    variance: float
    statistic: float
    pvalue: float
    df: float
    variance_method: str
    alternative: str
    degenerate: bool
    _sizes_a: tuple[float, float]
    _sizes_b: tuple[float, float]

    def interval(self, confidence_level: float = 0.95) -> Interval:
        """Return the confidence interval of the difference, within [-1, 1].

        Without variance (both AUCs 0 or 1) it is made from the two Newcombe intervals.
        """
        from scipy.special import stdtrit

        z = normal_quantile(check_confidence_level(confidence_level))
        quantile = z if math.isinf(self.df) else float(stdtrit(self.df, (1 + confidence_level) / 2))
        return _difference_interval(self, self.variance, quantile, z)

    def __repr__(self) -> str:
        return f"AucUnpairedTest(difference={self.difference:.4g}, pvalue={self.pvalue:.4g})"


def auc_unpaired_test(
    *evidence: Any,
    df: str = "welch",
    variance: str = "delong",
    alternative: str = "two-sided",
    pos_label: Any = None,
) -> AucUnpairedTest:
    """Test whether two AUCs from different, independent cases are equal.

    For two hospitals, two periods, two groups of customers. Two models on the *same* cases need
    `auc_difference_test`: this one would waste the pairing. A positive difference favours the first.

    Parameters
    ----------
    *evidence : ``y_true_a, y_score_a, y_true_b, y_score_b`` or ``counts_a, counts_b``
        Each sample as two arrays or as one `ScoreCounts` (with weights, if it has any).
    df : {"welch", "inf"}
        "welch": t law with (Va + Vb)^2 / (Va^2/(na-1) + Vb^2/(nb-1)) degrees of freedom; "inf": normal.
    variance : {"delong", "jackknife", "unbiased", "bootstrap"}
        As `method` in `auc_variance`.
    alternative : {"two-sided", "greater", "less"}
        "greater": the first AUC is higher.
    pos_label : label, optional
        The positive label in both samples.

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
    samples = _two_samples(evidence, pos_label)
    for counts in samples:
        counts.require_both_classes("A test of two AUCs")
    tables = [single_table(counts) for counts in samples]
    # below 0 only by rounding of the unbiased variance
    parts = [max(placement_variance(table, variance), 0.0) for table in tables]
    spread = sum(parts)
    degrees = math.inf
    if law == "welch" and spread > 0:
        degrees = spread**2 / sum(v**2 / (c.n - 1) for v, c in zip(parts, samples, strict=True))
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
        _sizes_a=(tables[0].n_negative, tables[0].n_positive),
        _sizes_b=(tables[1].n_negative, tables[1].n_positive),
    )


def _two_samples(evidence: tuple[Any, ...], pos_label: Any) -> list[ScoreCounts]:
    """Read two samples, each one ScoreCounts, one pair, or two arrays in a row."""
    waiting, samples = list(evidence), []
    while waiting:
        item = waiting.pop(0)
        if isinstance(item, ScoreCounts):
            samples.append(item)
        elif isinstance(item, tuple) and len(item) == 2 and all(np.ndim(part) for part in item):
            samples.append(as_counts(*item, pos_label=pos_label))
        elif waiting:
            samples.append(as_counts(item, waiting.pop(0), pos_label=pos_label))
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
