"""AUC for classes without order: the average over pairs of classes of Hand and Till."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from demur._checks import (
    check_choice,
    check_columns,
    check_levels,
    check_same_length,
    check_weights,
    input_error,
)
from demur._kernels.sweep import Sample, level_sweep
from demur._results import Interval, Result
from demur.counts.levels import LevelCounts
from demur.exceptions import UndefinedError
from demur.ordinal.roc import INTERVALS, bounded_interval, class_covariance
from demur.typing import ArrayLike, FloatArray, IntArray, Labels

__all__ = ["HandTillAuc", "hand_till_auc"]


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class HandTillAuc(Result, float):
    """Multi-class AUC of Hand and Till; a number with evidence, made by `hand_till_auc`.

    Attributes
    ----------
    auc : float
        The number itself.
    labels : tuple
        The classes, in the order of the columns.
    class_counts : array
        Weight of the cases of each class.
    pair_auc : array
        Element (i, j) is A(i | j): the chance that column i is higher for a case of class i than
        for one of class j; NaN for i = j.
    variance : float
        Variance of the AUC over samples of the same size (NaN if a class has one case).
    """

    auc: float
    labels: tuple[Any, ...]
    class_counts: FloatArray
    pair_auc: FloatArray
    variance: float

    def __new__(cls, value: float = 0.0, /, **fields: Any) -> HandTillAuc:
        """Make the number; the fields are filled in by the dataclass."""
        return float.__new__(cls, fields.get("auc", value))

    def interval(self, confidence_level: float = 0.95, *, method: str = "logit") -> Interval:
        """Return a confidence interval, within [0, 1].

        Parameters
        ----------
        confidence_level : float, default 0.95
        method : {"logit", "wald", "hoeffding"}
            "hoeffding" is wide, but holds for every sample size and every distribution of the
            scores. It is used where the variance is 0 (perfect separation, constant scores).

        Raises
        ------
        UndefinedError
            If a class has one case only ("logit", "wald").
        """
        check_choice(method, "method", INTERVALS)
        smallest = float(self.class_counts.min())
        if method != "hoeffding" and np.isnan(self.variance):
            rarest = self.labels[int(np.argmin(self.class_counts))]
            raise UndefinedError(
                f"The variance of a multi-class AUC needs at least 2 cases of every class, got {smallest:g} "
                f"of class {rarest!r}. Hint: method='hoeffding' is defined from 1 case on."
            )
        return bounded_interval(float(self), self.variance, smallest, confidence_level, method)

    def __repr__(self) -> str:
        return f"HandTillAuc({self.auc:.6g}, classes={len(self.labels)})"


def hand_till_auc(
    y_true: Labels,
    proba: ArrayLike,
    *,
    labels: Any = None,
    sample_weight: ArrayLike | None = None,
) -> HandTillAuc:
    """Mean AUC over all pairs of classes, with an interval; the higher the better, 1/2 by chance.

    Does not depend on the class distribution. Every class counts the same, however rare;
    `pair_auc` shows which pair is confused. Assumes independent cases.

    Parameters
    ----------
    y_true : array of n labels
        Every class must have cases.
    proba : array of shape (n, c)
        Column i is the score of class i: a probability, or anything that is higher for its cases.
    labels : list of c labels, optional
        The classes in the order of the columns, such as ``classifier.classes_``. By default the
        columns follow the sorted labels; strings need `labels`.
    sample_weight : array of n numbers >= 0, optional
        Weight 2 means the same as a repeated row.

    Returns
    -------
    HandTillAuc
        A float, with ``pair_auc``, ``variance`` and ``interval(confidence_level)``.

    Raises
    ------
    InputError
        For NaN, columns that do not match the classes, or a class without cases.

    Notes
    -----
    M = sum over i != j of A(i | j) / (c (c - 1)), with A(i | j) the share of (class i, class j) pairs
    of cases that column i puts in order, ties one half. The variance sums over the classes the
    sample variance of the mean credit of their cases, divided by the class size (DeLong et al. for
    c = 2 with complementary columns). O(c n log n + c^2 n).

    References
    ----------
    Hand and Till (2001), Machine Learning 45, eq. 7, doi:10.1023/A:1010920819831.
    DeLong, DeLong and Clarke-Pearson (1988), Biometrics 44, doi:10.2307/2531595.

    Examples
    --------
    Good enough to route tickets to three teams? The interval says: the sample is too small.

    >>> from demur import hand_till_auc
    >>> proba = [[0.7, 0.2, 0.1], [0.5, 0.4, 0.1], [0.3, 0.6, 0.1], [0.2, 0.5, 0.3],
    ...          [0.1, 0.3, 0.6], [0.3, 0.4, 0.3]]
    >>> auc = hand_till_auc([0, 0, 1, 1, 2, 2], proba)
    >>> round(auc, 3), [round(limit, 2) for limit in auc.interval()]
    (0.979, [0.73, 1.0])
    """
    codes, classes = check_levels(y_true, labels, name="labels", word="class")
    columns = check_columns(proba, "proba")
    weights = check_weights(sample_weight)
    check_same_length(y_true=codes, proba=columns, sample_weight=weights)
    if columns.shape[1] != len(classes):
        raise input_error(
            "proba",
            f"must have one column per class ({len(classes)}: {', '.join(map(repr, classes))})",
            f"{columns.shape[1]} columns",
            "every class must have cases; name the columns with labels.",
        )
    counts = LevelCounts(codes, columns[:, 0], weights, len(classes))
    if counts.sizes.min() == 0:
        empty = classes[int(np.argmin(counts.sizes))]
        raise input_error("sample_weight", f"must give class {empty!r} a positive weight", "all 0")
    pair_auc, credit = _pairwise(codes, columns, weights, counts.sizes)
    c = len(classes)
    enough = counts.sizes.min() > 1
    return HandTillAuc(
        auc=min(float(np.nansum(pair_auc) / (c * (c - 1))), 1.0),  # a sum of weights may round above 1
        labels=tuple(classes),
        class_counts=counts.sizes,
        pair_auc=pair_auc,
        variance=class_covariance(counts, credit, credit) if enough else float("nan"),
    )


def _pairwise(
    codes: IntArray, columns: FloatArray, weights: FloatArray | None, sizes: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """All A(i | j), and per case the part of M that depends on it."""
    c = len(sizes)
    table, credit = np.full((c, c), np.nan), np.zeros(len(codes))
    for i in range(c):
        sweep = level_sweep(codes, np.ascontiguousarray(columns[:, i]), weights)
        own, others = np.flatnonzero(sweep.codes == i), np.flatnonzero(sweep.codes != i)
        members = Sample(columns[sweep.order[own], i], None if sweep.weights is None else sweep.weights[own])
        # credit of the cases of the other classes: class i above them, ties one half
        above = 1 - _placement(sweep.column(i)) / sizes[i]
        credit[sweep.order[others]] += above[sweep.groups[others]]
        for j in (*range(i), *range(i + 1, c)):
            below = (_placement(sweep.column(j)) / sizes[j])[sweep.groups[own]]
            credit[sweep.order[own]] += below
            table[i, j] = members.mean(below)
    return table, credit / (c * (c - 1))


def _placement(column: FloatArray) -> FloatArray:
    """Weight below every group, plus half of what lies in it."""
    return np.cumsum(column) - column / 2
