"""Several readers, the same cases, two or more tests: Obuchowski and Rockette's analysis."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from demur._checks import as_floats, check_confidence_level, check_labels, input_error
from demur._results import Interval, Result
from demur.auc.several import auc_covariance
from demur.exceptions import UndefinedError
from demur.roc.curve import auc_score
from demur.typing import ArrayLike, FloatArray, Labels

__all__ = ["ReaderStudy", "reader_study"]


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
        from scipy.special import stdtrit

        level = check_confidence_level(confidence_level)
        gap = self.difference(first, second)
        if self.variance == 0:
            return Interval(gap, gap)
        half = -float(stdtrit(self.df_denominator, (1 - level) / 2)) * math.sqrt(self.variance)
        return Interval(max(gap - half, -1.0), min(gap + half, 1.0))

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
    aucs = _areas(positive, table)
    error, cov_reader, cov_test, cov_both = _components(covariance, tests, readers)
    by_test, by_reader = aucs.mean(1), aucs.mean(0)
    mean_square_test = readers * float(by_test.var(ddof=1))
    residual = aucs - by_test[:, None] - by_reader[None, :] + aucs.mean()
    interaction = float((residual**2).sum()) / ((tests - 1) * (readers - 1))
    shared = max(readers * (cov_test - cov_both), 0.0)
    denominator = interaction + shared
    numerator_df = float(tests - 1)
    denominator_df = math.inf
    if interaction > 0:
        denominator_df = denominator**2 / (interaction**2 / ((tests - 1) * (readers - 1)))
    statistic = _quotient(mean_square_test, denominator)
    return ReaderStudy(
        aucs=aucs,
        means=by_test,
        statistic=statistic,
        df_numerator=numerator_df,
        df_denominator=denominator_df,
        pvalue=_tail(statistic, numerator_df, denominator_df, fdtrc),
        variance=2 / readers * denominator,
        mean_square_test=mean_square_test,
        mean_square_interaction=interaction,
        error_variance=error,
        cov_reader=cov_reader,
        cov_test=cov_test,
        cov_both=cov_both,
    )


def _areas(positive: Any, table: FloatArray) -> FloatArray:
    return np.array([[auc_score(positive, column) for column in rows] for rows in table])


def _components(covariance: FloatArray, tests: int, readers: int) -> tuple[float, float, float, float]:
    """Mean variance, and mean covariances of AUCs that share the reader, the test, or neither."""
    test = np.repeat(np.arange(tests), readers)
    reader = np.tile(np.arange(readers), tests)
    same_test, same_reader = test[:, None] == test, reader[:, None] == reader
    chosen = (
        same_test & same_reader,
        ~same_test & same_reader,
        same_test & ~same_reader,
        ~same_test & ~same_reader,
    )
    error, by_reader, by_test, both = (float(covariance[pairs].mean()) for pairs in chosen)
    return error, by_reader, by_test, both


def _quotient(over: float, under: float) -> float:
    """0 / 0 is 0: no difference, and nothing that could hide one."""
    if under > 0:
        return over / under
    return math.inf if over > 0 else 0.0


def _tail(statistic: float, numerator: float, denominator: float, upper_tail: Any) -> float:
    if math.isinf(statistic):
        return 0.0
    # beyond 10^9 degrees the F law is that of chi-squared over its degrees, to all digits
    return float(upper_tail(numerator, min(denominator, 1e9), statistic))
