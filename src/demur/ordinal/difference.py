"""Two ordinal models compared, and the test of order of Jonckheere and Terpstra."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations_with_replacement
from typing import Any

import numpy as np

from demur._checks import (
    check_choice,
    check_columns,
    check_confidence_level,
    check_same_length,
    check_scores,
    check_type,
    input_error,
)
from demur._kernels.normal import normal_quantile
from demur._kernels.proportions import hoeffding_limits, wald_limits
from demur._kernels.tuples import TIES
from demur._results import Interval, Result
from demur.exceptions import UndefinedError
from demur.ordinal.roc import (
    VARIANCES,
    OrdinalRoc,
    class_covariance,
    moment_covariance,
    ordinal_roc,
    require_two_cases,
    rounding_of_variance,
)
from demur.typing import ArrayLike, FloatArray, Labels

__all__ = [
    "JonckheereTest",
    "VusDifferenceTest",
    "jonckheere_test",
    "vus_covariance",
    "vus_difference_test",
    "vus_unpaired_test",
]

_ALTERNATIVES = ("two-sided", "greater", "less")
_DIRECTIONS = {"increasing": "greater", "decreasing": "less", "two-sided": "two-sided"}


# ---------------------------------------------------------------- several models, same cases


def vus_covariance(
    y_true: Labels,
    scores: ArrayLike,
    *,
    method: str = "components",
    ties: str = "product",
    order: Any = None,
    sample_weight: ArrayLike | None = None,
) -> FloatArray:
    """Covariance matrix of the volumes under the ROC surface of k models on the same cases.

    Assumes independent cases. Element (a, b) is the covariance of the VUS of models a and b.

    Parameters
    ----------
    y_true : array of n labels
    scores : array of shape (n, k)
        One column per model; higher = a higher level.
    method : {"components", "unbiased", "bootstrap"}
        As in `OrdinalRoc.variance`; all exact, the last two in O(n^2) time.
    ties : {"product", "strict", "random"}
        As in `OrdinalRoc.vus`; "random" for "components" only.
    order, sample_weight
        As in `ordinal_roc`; weights are frequencies.

    Returns
    -------
    array of shape (k, k)

    Raises
    ------
    UndefinedError
        If a level has one case ("components", "unbiased").

    Notes
    -----
    "components": sum over the levels of the sample covariance of the mean credits of the cases,
    divided by the size of the level. For two levels and product ties these are the covariances of
    AUCs of the same methods (DeLong, Wieand, bootstrap).

    References
    ----------
    Nakas and Yiannoutsos (2004), Statistics in Medicine 23, doi:10.1002/sim.1917.

    Examples
    --------
    >>> from demur.ordinal import vus_covariance
    >>> y = [1, 1, 1, 2, 2, 3, 3]
    >>> scores = [[1, 1], [2, 3], [2, 2], [4, 2], [2, 3], [3, 2], [5, 4]]
    >>> vus_covariance(y, scores).round(4).tolist()
    [[0.0764, 0.079], [0.079, 0.0951]]
    """
    check_choice(method, "method", VARIANCES)
    check_choice(ties, "ties", TIES)
    table = check_columns(scores, "scores")
    check_same_length(y_true=y_true, scores=table)
    models = [
        ordinal_roc(y_true, column, order=order, sample_weight=sample_weight)
        for column in np.ascontiguousarray(table.T)
    ]
    return _covariances(models, method, ties)


def _covariances(models: list[OrdinalRoc], method: str, ties: str) -> FloatArray:
    size = len(models)
    covariance = np.empty((size, size))
    columns = []
    if method == "components":
        require_two_cases(models[0], method)
        columns = [model.components(ties) for model in models]
    for a, b in combinations_with_replacement(range(size), 2):
        covariance[a, b] = covariance[b, a] = (
            class_covariance(models[0].counts, columns[a], columns[b])
            if method == "components"
            else moment_covariance(models[a], models[b], method, ties)
        )
    return covariance


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class VusDifferenceTest(Result):
    """Volumes of two ordinal models; made by `vus_difference_test` and `vus_unpaired_test`.

    Attributes
    ----------
    vus_a, vus_b, difference : float
        difference = vus_a - vus_b, positive where model a ranks better.
    variance : float
        Variance of the difference by `method`.
    statistic : float
        difference / sqrt(variance); 0 if both are 0.
    pvalue : float
    method, ties, alternative : str
    degenerate : bool
        True if the variance is 0 although the volumes differ: do not trust the statistic.
    n_smallest : float
        Cases of the smallest level.
    """

    vus_a: float
    vus_b: float
    difference: float
    variance: float
    statistic: float
    pvalue: float
    method: str
    ties: str
    alternative: str
    degenerate: bool
    n_smallest: float

    def interval(self, confidence_level: float = 0.95) -> Interval:
        """Return the confidence interval of the difference, within [-1, 1].

        Wald limits; where the volumes differ but the variance is 0, Hoeffding's limits, which hold
        for every distribution of the scores.
        """
        level = check_confidence_level(confidence_level)
        if self.degenerate:
            # the difference of two credits lies in [-1, 1]: half of it, shifted, in [0, 1]
            tuples = max(math.floor(self.n_smallest), 1)
            low, high = hoeffding_limits((1 + self.difference) / 2, tuples, level)
            return Interval(2 * low - 1, 2 * high - 1)
        return Interval(*wald_limits(self.difference, self.variance, normal_quantile(level), low=-1.0))


def vus_difference_test(
    y_true: Labels,
    score_a: ArrayLike,
    score_b: ArrayLike,
    *,
    method: str = "components",
    ties: str = "product",
    alternative: str = "two-sided",
    order: Any = None,
    sample_weight: ArrayLike | None = None,
) -> VusDifferenceTest:
    """Test whether two ordinal models that scored the same cases have the same VUS.

    A positive difference favours model a. Assumes independent cases; approximate in small
    samples. Uses each model's ranks only, so the scores need no common scale.

    Parameters
    ----------
    y_true : array of n labels
    score_a, score_b : array of n numbers
        Scores of the two models; higher = a higher level.
    method : {"components", "unbiased", "bootstrap"}
        The variance to divide by; see `OrdinalRoc.variance`.
    ties : {"product", "strict", "random"}
        As in `OrdinalRoc.vus`.
    alternative : {"two-sided", "greater", "less"}
        "greater": model a has the larger volume.
    order, sample_weight
        As in `ordinal_roc`; weights are frequencies.

    Returns
    -------
    VusDifferenceTest
        With `interval(confidence_level)`.

    Raises
    ------
    UndefinedError
        If a level has one case ("components", "unbiased") or the unbiased variance is negative.

    Notes
    -----
    z = (VUS_a - VUS_b) / sqrt(Var_a + Var_b - 2 Cov), normal in large samples. For two levels and
    product ties it is the test of DeLong, DeLong and Clarke-Pearson. Identical models give p = 1.

    References
    ----------
    Nakas and Yiannoutsos (2004), Statistics in Medicine 23, doi:10.1002/sim.1917.

    Examples
    --------
    Is the expensive marker (a) worth its price over the cheap one (b)? Not on this evidence.

    >>> from demur.ordinal import vus_difference_test
    >>> stage = [1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3]
    >>> a = [1, 2, 3, 6, 4, 5, 8, 7, 9, 10, 12, 11]
    >>> b = [2, 1, 5, 6, 3, 4, 8, 9, 7, 10, 11, 12]
    >>> test = vus_difference_test(stage, a, b)
    >>> round(test.difference, 3), round(test.pvalue, 2)
    (0.25, 0.16)
    """
    check_choice(method, "method", VARIANCES)
    check_choice(ties, "ties", TIES)
    check_choice(alternative, "alternative", _ALTERNATIVES)
    columns = check_scores(score_a, "score_a"), check_scores(score_b, "score_b")
    check_same_length(score_a=columns[0], score_b=columns[1])
    a, b = (ordinal_roc(y_true, column, order=order, sample_weight=sample_weight) for column in columns)
    if method == "components":
        require_two_cases(a, method)
        gap = a.components(ties) - b.components(ties)
        variance = class_covariance(a.counts, gap, gap)
    else:
        table = _covariances([a, b], method, ties)
        variance = float(table[0, 0] + table[1, 1] - 2 * table[0, 1])
    return _difference_test(a, b, variance, method, ties, alternative)


def vus_unpaired_test(
    first: OrdinalRoc,
    second: OrdinalRoc,
    *,
    method: str = "components",
    ties: str = "product",
    alternative: str = "two-sided",
) -> VusDifferenceTest:
    """Test whether two ordinal models have the same VUS, each on cases of its own.

    For samples without a common case (two hospitals, two years); `vus_difference_test` is for one
    sample scored twice. A positive difference favours the first.

    Parameters
    ----------
    first, second : OrdinalRoc
        Made by `ordinal_roc`; with the same number of levels, because VUS depends on it.
    method, ties, alternative
        As in `vus_difference_test`.

    Returns
    -------
    VusDifferenceTest
        With `interval(confidence_level)`.

    Raises
    ------
    InputError
        For different numbers of levels.
    UndefinedError
        As in `vus_difference_test`.

    Notes
    -----
    z = (VUS_a - VUS_b) / sqrt(Var_a + Var_b), normal in large samples.

    References
    ----------
    Nakas and Yiannoutsos (2004), Statistics in Medicine 23, doi:10.1002/sim.1917.

    Examples
    --------
    Does the score work less well in the south? Nine patients each cannot tell.

    >>> from demur import ordinal_roc
    >>> from demur.ordinal import vus_unpaired_test
    >>> north = ordinal_roc([1, 1, 1, 2, 2, 2, 3, 3, 3], [1, 2, 4, 3, 5, 6, 7, 8, 9])
    >>> south = ordinal_roc([1, 1, 1, 2, 2, 2, 3, 3, 3], [1, 2, 7, 3, 5, 8, 4, 6, 9])
    >>> test = vus_unpaired_test(north, south)
    >>> round(test.difference, 3), round(test.pvalue, 2)
    (0.407, 0.19)
    """
    check_choice(method, "method", VARIANCES)
    check_choice(ties, "ties", TIES)
    check_choice(alternative, "alternative", _ALTERNATIVES)
    for name, roc in (("first", first), ("second", second)):
        check_type(roc, name, OrdinalRoc, "an")
    if len(first.levels) != len(second.levels):
        sizes = f"{len(first.levels)} and {len(second.levels)}"
        raise input_error("first and second", "must have the same number of levels", sizes)
    variance = first.variance(method, ties=ties) + second.variance(method, ties=ties)
    return _difference_test(first, second, variance, method, ties, alternative)


def _difference_test(
    a: OrdinalRoc, b: OrdinalRoc, variance: float, method: str, ties: str, alternative: str
) -> VusDifferenceTest:
    vus_a, vus_b = a.vus(ties), b.vus(ties)
    if abs(variance) <= rounding_of_variance(max(vus_a, vus_b)):
        variance = 0.0
    if variance < 0:
        raise UndefinedError(
            f"The unbiased variance of the difference is negative, got {variance:.3g}. "
            "Hint: use 'components' or 'bootstrap'; the sample is small."
        )
    difference = vus_a - vus_b
    statistic, pvalue = _normal_test(difference, variance, alternative)
    return VusDifferenceTest(
        vus_a=vus_a,
        vus_b=vus_b,
        difference=difference,
        variance=variance,
        statistic=statistic,
        pvalue=pvalue,
        method=method,
        ties=ties,
        alternative=alternative,
        degenerate=variance == 0 and difference != 0,
        n_smallest=float(min(a.level_counts.min(), b.level_counts.min())),
    )


def _normal_test(difference: float, variance: float, alternative: str) -> tuple[float, float]:
    """z and its p-value; no difference without variance is no evidence at all (p = 1)."""
    from scipy.special import ndtr

    if variance == 0 and difference == 0:
        return 0.0, 1.0
    statistic = difference / math.sqrt(variance) if variance else math.copysign(math.inf, difference)
    tail = {"two-sided": -abs(statistic), "less": statistic, "greater": -statistic}[alternative]
    return statistic, float((2 if alternative == "two-sided" else 1) * ndtr(tail))


# ---------------------------------------------------------------- test of order


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class JonckheereTest(Result):
    """Jonckheere-Terpstra test of order; made by `jonckheere_test`.

    Attributes
    ----------
    statistic : float
        Number of pairs of cases of different levels in order, ties one half.
    mean, variance : float
        Of the statistic if the levels are assigned at random.
    z : float
        (statistic - mean) / sqrt(variance).
    pvalue : float
    alternative : str
    jt_auc : float
        The paper's form (eq. 12): sum of the AUCs of all pairs of levels, ties without credit.
    """

    statistic: float
    mean: float
    variance: float
    z: float
    pvalue: float
    alternative: str
    jt_auc: float


def jonckheere_test(
    y_true: Labels,
    y_score: ArrayLike,
    *,
    alternative: str = "increasing",
    order: Any = None,
    sample_weight: ArrayLike | None = None,
) -> JonckheereTest:
    """Test whether scores rise with the levels at all; a small p-value says that they do.

    This is the test that belongs to Pairs: the statistic divided by the number of pairs is
    ``ordinal_roc(...).measures("product").pairs``. It does not say that the scores tell
    every two neighbouring levels apart (the AUC matrix does).

    Parameters
    ----------
    y_true, y_score, order
        As in `ordinal_roc`.
    alternative : {"increasing", "decreasing", "two-sided"}
    sample_weight : array of n whole numbers >= 0, optional
        Repeated rows. Fractional weights have no permutations.

    Returns
    -------
    JonckheereTest

    Raises
    ------
    UndefinedError
        For fractional weights.

    Notes
    -----
    With level sizes n_i and t_j equal scores in group j, over all ways to assign the levels,
    E = (n^2 - sum n_i^2) / 4 and, with s_m(x) = sum x (x-1) ... (x-m+1) and
    c(x) = sum x (x-1) (2x+5), Var = [c(n) - c(n_i) - c(t)] / 72 + s_3(n_i) s_3(t) / (36 s_3(n)) +
    s_2(n_i) s_2(t) / (8 s_2(n)). Normal in large samples. For two levels it is the Mann-Whitney
    test without continuity correction. The paper's eqs. 10 and 11 print hypotheses that are order
    cones in opposite directions; the null hypothesis is that all levels have the same distribution.

    References
    ----------
    Jonckheere (1954), Biometrika 41, doi:10.1093/biomet/41.1-2.133.
    Terpstra (1952), Indagationes Mathematicae 14, doi:10.1016/S1385-7258(52)50043-X.

    Examples
    --------
    >>> from demur.ordinal import jonckheere_test
    >>> test = jonckheere_test([1, 2, 2, 3, 1, 3], [1, 1, 2, 2, 2, 3])
    >>> test.statistic, test.mean, round(test.pvalue, 3)
    (9.0, 6.0, 0.098)
    """
    check_choice(alternative, "alternative", tuple(_DIRECTIONS))
    roc = ordinal_roc(y_true, y_score, order=order, sample_weight=sample_weight)
    if not roc.counts.whole:
        raise UndefinedError(
            "The Jonckheere-Terpstra test permutes whole cases, got fractional weights. "
            "Hint: weights must be numbers of repeated rows."
        )
    sizes, ties, n = roc.level_counts, roc.counts.group_sizes, roc.n
    mean = float(n**2 - (sizes**2).sum()) / 4
    variance = _null_variance(n, sizes, ties)
    statistic = roc.jonckheere
    z, pvalue = _normal_test(statistic - mean, variance, _DIRECTIONS[alternative])
    return JonckheereTest(
        statistic=statistic,
        mean=mean,
        variance=variance,
        z=z,
        pvalue=pvalue,
        alternative=alternative,
        jt_auc=roc.measures("strict").jt_auc,
    )


def _null_variance(n: float, sizes: FloatArray, ties: FloatArray) -> float:
    def falling(x: Any, factor: Any) -> float:
        return float(np.sum(x * (x - 1) * factor))

    cubic = [falling(x, 2 * x + 5) for x in (n, sizes, ties)]
    twos = [falling(x, 1) for x in (n, sizes, ties)]
    threes = [falling(x, x - 2) for x in (n, sizes, ties)]
    variance = (cubic[0] - cubic[1] - cubic[2]) / 72 + twos[1] * twos[2] / (8 * twos[0])
    if n > 2:
        variance += threes[1] * threes[2] / (36 * threes[0])
    # all scores equal: 0 in exact arithmetic
    return 0.0 if len(ties) == 1 else variance
