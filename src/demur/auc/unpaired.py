"""Test and interval for the difference of two AUCs on different, independent cases."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from demur._checks import check_choice, check_confidence_level, check_weight_meaning, input_error
from demur._kernels.normal import normal_quantile
from demur._kernels.placements import TwoWay
from demur._results import Interval, Result
from demur.auc.one import PLACEMENT_VARIANCES, placement_variance
from demur.auc.tables import single_table
from demur.auc.wald import (
    ALTERNATIVES,
    INTERVALS,
    difference_interval,
    normal_test,
    score_difference_interval,
)
from demur.counts.scores import ScoreCounts, as_counts

__all__ = ["AucUnpairedTest", "auc_unpaired_test", "two_samples"]


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
    _tables: tuple[TwoWay, TwoWay]

    def interval(self, confidence_level: float = 0.95, *, method: str = "wald") -> Interval:
        """Return the confidence interval of the difference, within [-1, 1].

        "wald" agrees with the test, and is made from the two Newcombe intervals where there is no
        variance (both AUCs 0 or 1). "score" combines the score intervals of the two AUCs, which keeps
        the coverage at high AUCs with few cases of a class, see `AucDifferenceTest.interval`.
        """
        from scipy.special import stdtrit

        z = normal_quantile(check_confidence_level(confidence_level))
        check_choice(method, "method", INTERVALS)
        first, second = self._tables
        if method == "score":
            return score_difference_interval((first, second), None, confidence_level)
        quantile = z if math.isinf(self.df) else float(stdtrit(self.df, (1 + confidence_level) / 2))
        sizes = (first.n_negative, first.n_positive), (second.n_negative, second.n_positive)
        return difference_interval((self.auc_a, self.auc_b), sizes, self.variance, quantile, z)

    def __repr__(self) -> str:
        return f"AucUnpairedTest(difference={self.difference:.4g}, pvalue={self.pvalue:.4g})"


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
