"""Several models, or readers, on the same cases: covariance of AUCs, contrasts, all pairs, reader studies."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from demur._checks import (
    as_floats,
    check_choice,
    check_confidence_level,
    check_finite,
    check_labels,
    input_error,
)
from demur._kernels.multiple_tests import holm
from demur._kernels.normal import t_quantile
from demur._kernels.proportions import wald_limits
from demur._results import Interval, Result
from demur.auc.difference import NEEDS_PAIR_SUM, PairedOptions, paired_test
from demur.auc.one import PLACEMENT_VARIANCES, placement_variance
from demur.auc.tables import ModelTables
from demur.exceptions import DegenerateDataWarning, UndefinedError
from demur.paired.scores import JointScores
from demur.roc.curve import auc_score
from demur.typing import ArrayLike, FloatArray, IntArray, Labels

__all__ = [
    "AucContrastTest",
    "AucPairwiseTests",
    "ReaderStudy",
    "auc_contrast_test",
    "auc_covariance",
    "auc_pairwise_tests",
    "reader_study",
]

_RANK_TOLERANCE = 1e-12


def auc_covariance(
    y_true: Labels,
    scores: ArrayLike,
    *,
    method: str = "delong",
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
    weights: str = "importance",
) -> FloatArray:
    """Covariance matrix of the AUCs of k models that scored the same cases.

    Assumes independent cases. Element (a, b) is the covariance of the AUCs of models a and b.

    Parameters
    ----------
    y_true : array of n labels
    scores : array of shape (n, k)
        One column per model; higher = more positive.
    method : {"delong", "jackknife", "unbiased", "bootstrap"}
        As in `auc_variance`; "unbiased" is Wieand's covariance. All exact, O(k n log n), with
        another O(k^2 n log n) for the last two.
    pos_label, sample_weight
        As in `abstention_surface`.
    weights : {"importance", "repeats"}
        As in `auc_variance`.

    Returns
    -------
    array of shape (k, k)

    Raises
    ------
    UndefinedError
        If a class is missing, or has one case ("delong", "jackknife", "unbiased").

    Notes
    -----
    The variance formulas with products in place of squares, that is (V(a) + V(b) - V(a - b)) / 2.
    "unbiased" need not be positive semi-definite.

    References
    ----------
    DeLong, DeLong and Clarke-Pearson (1988), Biometrics 44, doi:10.2307/2531595.
    Wieand, Gail, James and James (1989), Biometrika 76, doi:10.1093/biomet/76.3.585.

    Examples
    --------
    >>> from demur.auc import auc_covariance
    >>> y = [0, 0, 0, 0, 1, 1, 1]
    >>> scores = [[1, 1], [2, 3], [2, 2], [4, 2], [2, 3], [3, 2], [5, 4]]
    >>> auc_covariance(y, scores).round(4).tolist()
    [[0.0417, 0.0064], [0.0064, 0.0336]]
    """
    check_choice(method, "method", tuple(PLACEMENT_VARIANCES))
    joint = JointScores.of_columns(
        y_true,
        scores,
        quantity="A covariance of AUCs",
        pos_label=pos_label,
        sample_weight=sample_weight,
    )
    return _covariance(ModelTables(joint, weights), method)


def _covariance(tables: ModelTables, method: str) -> FloatArray:
    """Covariances from the variances of the AUCs and of their differences: 2 xy = x^2 + y^2 - (x - y)^2."""
    pair_sums, models = method in NEEDS_PAIR_SUM, range(tables.joint.n_models)
    own = np.array([placement_variance(tables.single(a), method, "The covariance") for a in models])
    matrix = np.diag(own)
    for a, b in combinations(models, 2):
        gap = placement_variance(tables.difference(a, b, interaction=pair_sums), method)
        matrix[a, b] = matrix[b, a] = (own[a] + own[b] - gap) / 2
    return matrix


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class AucContrastTest(Result):
    """Linear hypotheses on the AUCs of several models; made by `auc_contrast_test`.

    Attributes
    ----------
    auc : array
        Element a is the AUC of model a.
    covariance : array
        Covariance matrix of `auc`.
    estimate : array
        Element h: contrast h of the AUCs minus its hypothetical value.
    statistic, pvalue : float
        Chi-squared statistic and its upper tail.
    df : int
        Rank of the covariance of the contrasts.
    degenerate : bool
        True if a contrast without variance differs from its value: statistic infinite, p = 0.
    """

    auc: FloatArray
    covariance: FloatArray
    estimate: FloatArray
    statistic: float
    df: int
    pvalue: float
    degenerate: bool
    _told = ("statistic", "df", "pvalue")


def auc_contrast_test(
    y_true: Labels,
    scores: ArrayLike,
    contrast: ArrayLike,
    *,
    value: ArrayLike = 0.0,
    method: str = "delong",
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
    weights: str = "importance",
) -> AucContrastTest:
    """Test linear hypotheses on the AUCs of k models that scored the same cases.

    One test for "all models have the same AUC", or for any other contrast. Assumes independent
    cases and enough of them for the AUCs to be jointly normal.

    Parameters
    ----------
    y_true, scores, method, pos_label, sample_weight, weights
        As in `auc_covariance`.
    contrast : array of shape (k,) or (hypotheses, k)
        Row h holds the coefficients of hypothesis h; ``[1, -1, 0]`` compares the first two models.
    value : float or array, default 0
        Hypothetical value of each contrast.

    Returns
    -------
    AucContrastTest

    Raises
    ------
    InputError
        If the contrast does not have k columns.
    UndefinedError
        As in `auc_covariance`.

    Warns
    -----
    DegenerateDataWarning
        If a contrast without variance differs from its hypothetical value.

    Notes
    -----
    (L A - v)' (L S L')^+ (L A - v) against chi-squared with rank(L S L') degrees of freedom;
    redundant rows of L do no harm. Identical models: rank 0, statistic 0, p = 1.

    References
    ----------
    DeLong, DeLong and Clarke-Pearson (1988), Biometrics 44, eq. 5, doi:10.2307/2531595.

    Examples
    --------
    Do three models differ at all?

    >>> from demur.auc import auc_contrast_test
    >>> y = [0] * 8 + [1] * 8
    >>> trees = [1, 2, 3, 4, 5, 6, 7, 8, 7, 9, 10, 11, 12, 13, 14, 15]
    >>> linear = [2, 1, 4, 3, 6, 5, 9, 7, 8, 10, 12, 11, 13, 7, 15, 14]
    >>> rules = [9, 3, 12, 1, 14, 6, 2, 11, 8, 4, 13, 10, 5, 7, 15, 12]
    >>> scores = list(zip(trees, linear, rules))
    >>> test = auc_contrast_test(y, scores, [[1, -1, 0], [0, 1, -1]])
    >>> test.df, round(test.pvalue, 3)
    (2, 0.047)
    """
    from scipy.special import chdtrc

    check_choice(method, "method", tuple(PLACEMENT_VARIANCES))
    joint = JointScores.of_columns(
        y_true,
        scores,
        quantity="A test of AUCs",
        pos_label=pos_label,
        sample_weight=sample_weight,
    )
    rows = np.atleast_2d(check_finite(contrast, "contrast"))
    if rows.ndim != 2 or rows.shape[1] != joint.n_models:
        raise input_error(
            "contrast", f"must have one column per model ({joint.n_models})", f"shape {rows.shape}"
        )
    tables = ModelTables(joint, weights)
    auc = np.array([tables.single(model).estimate for model in range(joint.n_models)])
    covariance = _covariance(tables, method)
    given = check_finite(value, "value")
    if given.shape not in ((), (len(rows),)):
        raise input_error(
            "value",
            f"must be one number or one per row of the contrast ({len(rows)})",
            f"shape {given.shape}",
        )
    target = np.broadcast_to(given, len(rows))
    estimate = rows @ auc - target
    noise = _RANK_TOLERANCE * (np.abs(rows) @ auc + np.abs(target))
    estimate[np.abs(estimate) <= noise] = 0.0
    statistic, df = _wald_statistic(estimate, rows, covariance)
    if math.isinf(statistic):
        warnings.warn(
            "a contrast of the AUCs has no variance but differs from its value, so p = 0 rests on "
            "degenerate data",
            DegenerateDataWarning,
            stacklevel=2,
        )
    return AucContrastTest(
        auc=auc,
        covariance=covariance,
        estimate=estimate,
        statistic=statistic,
        df=df,
        # without a degree of freedom there is nothing to reject
        pvalue=float(chdtrc(df, statistic)) if df or math.isinf(statistic) else 1.0,
        degenerate=math.isinf(statistic),
    )


def _wald_statistic(estimate: FloatArray, rows: FloatArray, covariance: FloatArray) -> tuple[float, int]:
    """Quadratic form with the pseudo-inverse, and its rank; infinite outside the range."""
    values, vectors = np.linalg.eigh(rows @ covariance @ rows.T)
    # without any variance left over, what remains is rounding of terms of this size
    scale = float(np.max(np.abs(rows) @ np.abs(covariance) @ np.abs(rows).T, initial=0.0))
    kept = np.abs(values) > _RANK_TOLERANCE * max(scale, float(np.max(np.abs(values), initial=0.0)))
    along = vectors.T @ estimate
    if np.any(np.abs(along[~kept]) > 1e-9 * np.max(np.abs(rows))):
        return math.inf, int(np.count_nonzero(kept))
    return float(np.sum(along[kept] ** 2 / values[kept])), int(np.count_nonzero(kept))


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class AucPairwiseTests(Result):
    """All pairs of k models compared; made by `auc_pairwise_tests`.

    Attributes
    ----------
    names : tuple of str
    auc : array
        Element a is the AUC of model a.
    pairs : array of shape (k (k - 1) / 2, 2)
        Row t: positions (a, b) of the models of comparison t, a before b.
    difference, pvalue, adjusted_pvalue : array
        Element t: AUC(a) - AUC(b), its p-value and the p-value that holds for all pairs together.
    method, adjustment : str
    """

    names: tuple[str, ...]
    auc: FloatArray
    pairs: IntArray
    difference: FloatArray
    pvalue: FloatArray
    adjusted_pvalue: FloatArray
    method: str
    adjustment: str

    def __repr__(self) -> str:
        return f"AucPairwiseTests(models={len(self.names)}, smallest={self.adjusted_pvalue.min():.4g})"


def auc_pairwise_tests(
    y_true: Labels,
    scores: ArrayLike,
    *,
    names: Sequence[str] | None = None,
    method: str = "permutation",
    exchange: str | None = None,
    adjustment: str = "holm",
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
    weights: str = "importance",
) -> AucPairwiseTests:
    """Compare the AUCs of all pairs of k models that scored the same cases.

    Smaller p-values are stronger evidence of a difference. With Holm's adjustment the chance of
    any false alarm among all pairs stays below the level, whatever the dependence.

    Parameters
    ----------
    y_true, scores, pos_label, sample_weight, weights
        As in `auc_covariance`; each class of each model is sorted once.
    names : sequence of k strings, optional
        Default "0", "1", ...
    method, exchange : str
        As in `auc_difference_test`: by default the permutation of ranks, whatever the scales.
    adjustment : {"holm", "none"}

    Returns
    -------
    AucPairwiseTests

    Raises
    ------
    UndefinedError
        As in `auc_difference_test`.

    Notes
    -----
    Holm: the i-th smallest of m p-values times m - i + 1, made monotone and cut off at 1.

    References
    ----------
    Holm (1979), Scandinavian Journal of Statistics 6, 65-70.

    Examples
    --------
    The rules rank worse than both others, but after three tests the proof is weak:

    >>> from demur.auc import auc_pairwise_tests
    >>> y = [0] * 8 + [1] * 8
    >>> trees = [1, 2, 3, 4, 5, 6, 7, 8, 7, 9, 10, 11, 12, 13, 14, 15]
    >>> linear = [2, 1, 4, 3, 6, 5, 9, 7, 8, 10, 12, 11, 13, 7, 15, 14]
    >>> rules = [9, 3, 12, 1, 14, 6, 2, 11, 8, 4, 13, 10, 5, 7, 15, 12]
    >>> scores = list(zip(trees, linear, rules))
    >>> tests = auc_pairwise_tests(y, scores, names=["trees", "linear", "rules"])
    >>> tests.adjusted_pvalue.round(3).tolist()
    [0.75, 0.071, 0.071]
    """
    options = PairedOptions(method=method, exchange=exchange).checked()
    check_choice(adjustment, "adjustment", ("holm", "none"))
    joint = JointScores.of_columns(
        y_true,
        scores,
        quantity="A test of AUCs",
        pos_label=pos_label,
        sample_weight=sample_weight,
    )
    k = joint.n_models
    if k < 2:
        raise input_error("scores", "must have at least 2 columns", k)
    labels = tuple(map(str, range(k))) if names is None else tuple(map(str, names))
    if len(labels) != k or len(set(labels)) != k:
        raise input_error("names", f"must be {k} different names, one per column", labels)
    pairs = np.array(list(combinations(range(k), 2)))
    tables = ModelTables(joint, weights)
    tests = [paired_test(tables, int(a), int(b), options) for a, b in pairs]
    pvalue = np.array([test.pvalue for test in tests])
    return AucPairwiseTests(
        names=labels,
        auc=np.array([tables.single(model).estimate for model in range(k)]),
        pairs=pairs,
        difference=np.array([test.difference for test in tests]),
        pvalue=pvalue,
        adjusted_pvalue=holm(pvalue) if adjustment == "holm" else pvalue.copy(),
        method=method,
        adjustment=adjustment,
    )


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class ReaderStudy(Result):
    """Tests compared by several readers; made by `reader_study`.

    Attributes
    ----------
    aucs : array of shape (tests, readers)
    means : array
        Mean AUC of each test.
    statistic, df_numerator, df_denominator, pvalue : float
        F test that all tests have the same mean AUC, for readers and cases drawn from populations.
    variance : float
        Of the difference of two means.
    mean_square_test, mean_square_interaction : float
    error_variance, cov_reader, cov_test, cov_both : float
        Sampling variance of an AUC, and the covariances of two AUCs that share the reader (other
        test), the test (other reader), or neither.
    """

    aucs: FloatArray
    means: FloatArray
    statistic: float
    df_numerator: float
    df_denominator: float
    pvalue: float
    variance: float
    mean_square_test: float
    mean_square_interaction: float
    error_variance: float
    cov_reader: float
    cov_test: float
    cov_both: float

    def difference(self, first: int = 0, second: int = 1) -> float:
        """Return the difference of the mean AUCs of two tests."""
        return float(self.means[first] - self.means[second])

    def interval(self, first: int = 0, second: int = 1, *, confidence_level: float = 0.95) -> Interval:
        """Return the interval of the difference of two mean AUCs: t with `df_denominator`."""
        level = check_confidence_level(confidence_level)
        gap = self.difference(first, second)
        if self.variance == 0:
            return Interval(gap, gap)
        quantile = t_quantile(level, self.df_denominator)
        return Interval(*wald_limits(gap, self.variance, quantile, low=-1.0))

    def __repr__(self) -> str:
        tests, readers = self.aucs.shape
        return (
            f"ReaderStudy({tests} tests, {readers} readers, F={self.statistic:.4g}, pvalue={self.pvalue:.4g})"
        )


def reader_study(y_true: Labels, scores: ArrayLike, *, pos_label: Any = None) -> ReaderStudy:
    """Compare tests that several readers rate on the same cases; random readers, random cases.

    Tells a better test from lucky readers: the conclusion is about readers like these on cases like
    these. Every reader rates every case with every test (a fully crossed design). Assumes independent
    cases and readers.

    Parameters
    ----------
    y_true : array of n labels
    scores : array of shape (tests, readers, n)
        Element (i, j, k): the rating of reader j with test i for case k.
    pos_label : label, optional
        The positive label.

    Returns
    -------
    ReaderStudy
        With the F test, `difference(i, k)` and `interval(i, k)`.

    Raises
    ------
    InputError
        If there are not at least two tests and two readers.
    UndefinedError
        If a class has fewer than 2 cases.

    Notes
    -----
    With t tests, r readers, MS(T) and MS(TR) the mean squares of the AUCs, and the exact DeLong covariances
    averaged over pairs that share the test (Cov2) or neither (Cov3): F = MS(T) / (MS(TR) + max(0, r (Cov2 -
    Cov3))), with t - 1 and (MS(TR) + max(0, r (Cov2 - Cov3)))^2 / (MS(TR)^2 / ((t - 1) (r - 1))) degrees of
    freedom (Hillis 2007). The difference of two means has the variance 2 / r times the denominator.

    References
    ----------
    Obuchowski and Rockette (1995), Communications in Statistics - Simulation and Computation 24,
    doi:10.1080/03610919508813243. Hillis (2007), Statistics in Medicine 26, doi:10.1002/sim.2532.

    Examples
    --------
    Five radiologists read the same 120 images with and without the new display:

    >>> import numpy as np
    >>> from demur.auc import reader_study
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1], 60)
    >>> skill = np.array([[1.8], [1.0]]) + 0.2 * rng.normal(size=(2, 5))
    >>> ratings = skill[:, :, None] * y + rng.normal(size=120) + rng.normal(size=(2, 5, 120))
    >>> found = reader_study(y, ratings)
    >>> found.pvalue < 0.05, found.interval().low > 0
    (True, True)
    """
    from scipy.special import fdtrc

    table = as_floats(scores, "scores", "must be numbers by test, reader and case")
    positive = check_labels(y_true, pos_label)
    if table.ndim != 3 or min(table.shape[:2]) < 2 or table.shape[2] != len(positive):
        raise input_error(
            "scores",
            f"must have the shape (tests >= 2, readers >= 2, {len(positive)} cases)",
            f"shape {table.shape}",
        )
    for count, word in ((int(positive.sum()), "positive"), (int((~positive).sum()), "negative")):
        if count < 2:
            raise UndefinedError(f"A study of readers needs at least 2 {word} cases, got {count}.")
    tests, readers, _ = table.shape
    covariance = auc_covariance(positive, table.reshape(tests * readers, -1).T)
    aucs = np.array([[auc_score(positive, column) for column in rows] for rows in table])
    error, cov_reader, cov_test, cov_both = _components(covariance, tests, readers)
    by_test, by_reader = aucs.mean(1), aucs.mean(0)
    mean_square_test = readers * float(by_test.var(ddof=1))
    residual = aucs - by_test[:, None] - by_reader[None, :] + aucs.mean()
    interaction = float((residual**2).sum()) / ((tests - 1) * (readers - 1))
    denominator = interaction + max(readers * (cov_test - cov_both), 0.0)
    numerator_df, denominator_df = float(tests - 1), math.inf
    if interaction > 0:
        denominator_df = denominator**2 / (interaction**2 / ((tests - 1) * (readers - 1)))
    statistic, pvalue = math.inf, 0.0
    # 0 / 0 is 0: no difference, and nothing that could hide one
    if denominator > 0 or mean_square_test == 0:
        statistic = mean_square_test / denominator if denominator else 0.0
        # beyond 10^9 degrees the F law is that of chi-squared over its degrees, to all digits
        pvalue = float(fdtrc(numerator_df, min(denominator_df, 1e9), statistic))
    return ReaderStudy(
        aucs=aucs,
        means=by_test,
        statistic=statistic,
        df_numerator=numerator_df,
        df_denominator=denominator_df,
        pvalue=pvalue,
        variance=2 / readers * denominator,
        mean_square_test=mean_square_test,
        mean_square_interaction=interaction,
        error_variance=error,
        cov_reader=cov_reader,
        cov_test=cov_test,
        cov_both=cov_both,
    )


def _components(covariance: FloatArray, tests: int, readers: int) -> tuple[float, float, float, float]:
    """Mean variance, and mean covariances of AUCs that share the reader, the test, or neither."""
    test, reader = np.divmod(np.arange(tests * readers), readers)
    same_test, same_reader = test[:, None] == test, reader[:, None] == reader
    return (
        float(covariance[same_test & same_reader].mean()),
        float(covariance[~same_test & same_reader].mean()),
        float(covariance[same_test & ~same_reader].mean()),
        float(covariance[~same_test & ~same_reader].mean()),
    )
