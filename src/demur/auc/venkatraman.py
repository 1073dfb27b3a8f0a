"""Permutation tests of two whole ROC curves: on the same cases (Venkatraman and Begg 1996), and on others."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from demur._resampling import resample
from demur._results import Result
from demur.auc.resampling import Ranks, joint_ranks
from demur.auc.unpaired import two_samples
from demur.counts.scores import ScoreCounts
from demur.exceptions import UndefinedError
from demur.paired.scores import JointScores
from demur.typing import ArrayLike, FloatArray, IntArray, Labels

__all__ = [
    "VenkatramanTest",
    "curve_distance",
    "error_distance",
    "positives_below",
    "venkatraman_test",
    "venkatraman_unpaired_test",
]

# Sums that agree in exact arithmetic may differ by rounding where scores are tied.
_SAME_SUM = 1e-12


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class VenkatramanTest(Result):
    """Two whole ROC curves; made by `venkatraman_test` and `venkatraman_unpaired_test`.

    Attributes
    ----------
    statistic : float
        The same cases: sum over all cut-offs of the absolute difference of the two numbers of errors.
        Different cases: integral over the false positive rate of the absolute difference of the curves.
    pvalue : float
        Share of the permutations with a statistic at least as large, the observed one included.
    n_resamples : int
    """

    statistic: float
    pvalue: float
    n_resamples: int


def venkatraman_test(
    y_true: Labels,
    score_a: ArrayLike | None = None,
    score_b: ArrayLike | None = None,
    *,
    n_resamples: int = 2000,
    rng: Any = None,
    workers: int = 1,
    pos_label: Any = None,
) -> VenkatramanTest:
    """Test whether two models on the same cases have the same ROC curve everywhere.

    Curves that cross can have equal AUCs; this test sees them, `auc_difference_test` does not. It
    works on ranks, so that the models need no common scale. Assumes that, if the curves are equal,
    the two ranks of a case can be exchanged.

    Parameters
    ----------
    y_true, score_a, score_b, pos_label
        As in `auc_difference_test`; weights are not defined here: repeat the rows.
    n_resamples : int, default 2000
        Random permutations; the p-value is at least 1 / (n_resamples + 1).
    rng, workers
        As in `partial_auc_interval`.

    Returns
    -------
    VenkatramanTest

    Raises
    ------
    UndefinedError
        If a class is missing.

    Notes
    -----
    sum over k = 1..n-1 of |errors of a - errors of b| when the k lowest cases are called negative.
    Tied cases, in the data or after swapping ranks, share their places evenly (the straight segment
    of the curve) instead of being ordered at random as in the paper: the test needs no second source
    of chance, and identical models get p = 1.

    References
    ----------
    Venkatraman and Begg (1996), Biometrika 83, doi:10.1093/biomet/83.4.835.

    Examples
    --------
    Equal AUCs, different curves: model b is a specialist for the clear cases.

    >>> import numpy as np
    >>> from demur.auc import venkatraman_test
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1], 200)
    >>> a = rng.normal(size=400) + 1.2 * y
    >>> b = rng.normal(size=400) * np.where(y, 3.0, 1.0) + 2.7 * y
    >>> venkatraman_test(y, a, b, n_resamples=500, rng=0).pvalue < 0.01
    True
    """
    joint = JointScores.of_two(y_true, score_a, score_b, quantity="A test of ROC curves", pos_label=pos_label)
    size = joint.negatives.shape[1]
    positive = np.arange(size + joint.positives.shape[1]) >= size
    a, b = (_doubled_ranks(ranks) for ranks in joint_ranks(joint))
    observed = error_distance(a, b, positive)

    def permuted(stream: np.random.Generator) -> float:
        swap = stream.random(len(a)) < 0.5
        return error_distance(np.where(swap, b, a), np.where(swap, a, b), positive)

    return _permutation_test(observed, permuted, n_resamples, rng, workers)


def _doubled_ranks(ranks: Ranks) -> IntArray:
    """Twice the mid-rank of every case, negatives first."""
    where = np.concatenate([ranks.negative, ranks.positive])
    size = np.bincount(where, minlength=ranks.groups)
    return np.asarray((2 * np.cumsum(size) - size + 1)[where])


def error_distance(a: IntArray, b: IntArray, positive: Any) -> float:
    """Sum over cuts of the absolute difference of errors: twice that of the positives below."""
    below = [positives_below(ranks, positive) for ranks in (a, b)]
    return 2 * float(np.abs(below[0] - below[1]).sum())


def positives_below(ranks: IntArray, positive: Any) -> FloatArray:
    """Element k - 1: expected positives among the k lowest cases, k = 1..n-1, ties in random order."""
    size = 2 * len(ranks) + 1
    cases = np.cumsum(np.bincount(ranks, minlength=size))
    positives = np.cumsum(np.bincount(ranks[positive], minlength=size))
    return np.interp(np.arange(1, len(ranks)), cases, positives)


# ---------------------------------------------------------------- different cases


def venkatraman_unpaired_test(
    *evidence: Any, n_resamples: int = 2000, rng: Any = None, workers: int = 1, pos_label: Any = None
) -> VenkatramanTest:
    """Test whether two ROC curves from different, independent cases are the same everywhere.

    Curves that cross can have equal AUCs; this test sees them, `auc_unpaired_test` does not. Two models
    on the same cases need `venkatraman_test`.

    Parameters
    ----------
    *evidence : ``y_true_a, y_score_a, y_true_b, y_score_b`` or ``counts_a, counts_b``
        As in `auc_unpaired_test`; whole numbers of cases.
    n_resamples : int, default 2000
        Random permutations; the p-value is at least 1 / (n_resamples + 1).
    rng, workers
        As in `partial_auc_interval`.
    pos_label : label, optional
        The positive label in both samples.

    Returns
    -------
    VenkatramanTest

    Raises
    ------
    UndefinedError
        If a class is missing, or counts are fractional.

    Notes
    -----
    Each case is placed among the negatives of its own sample (its share of negatives below, ties one
    half). If the curves are equal, the placements of the positives have one law in both samples, and
    so have those of the negatives: within each class they are exchanged at random between the
    samples. The statistic is the integral over the false positive rate of |difference of the curves|
    through those placements. Venkatraman (2000) ranks by projected false positive rates, too; ties
    share their places instead of being broken at random.

    References
    ----------
    Venkatraman (2000), Biometrics 56, doi:10.1111/j.0006-341X.2000.01134.x.

    Examples
    --------
    Equal AUCs, different curves: at the second site the model is a specialist for the clear cases.

    >>> import numpy as np
    >>> from demur.auc import venkatraman_unpaired_test
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1], 200)
    >>> first = rng.normal(size=400) + 1.2 * y
    >>> second = rng.normal(size=400) * np.where(y, 3.0, 1.0) + 2.7 * y
    >>> venkatraman_unpaired_test(y, first, y, second, n_resamples=300, rng=0).pvalue < 0.01
    True
    """
    samples = two_samples(evidence, pos_label)
    placed = [_placements(counts) for counts in samples]
    sizes = [(len(negative), len(positive)) for negative, positive in placed]
    negatives = np.concatenate([negative for negative, _ in placed])
    positives = np.concatenate([positive for _, positive in placed])

    def distance(negative_order: IntArray, positive_order: IntArray) -> float:
        (n, m), _ = sizes
        x, y = negatives[negative_order], positives[positive_order]
        return curve_distance((x[:n], y[:m]), (x[n:], y[m:]))

    observed = distance(np.arange(len(negatives)), np.arange(len(positives)))

    def permuted(stream: np.random.Generator) -> float:
        return distance(stream.permutation(len(negatives)), stream.permutation(len(positives)))

    return _permutation_test(observed, permuted, n_resamples, rng, workers)


def _placements(counts: ScoreCounts) -> tuple[FloatArray, FloatArray]:
    """Share of the negatives below each case, ties one half: of the negatives and of the positives."""
    counts.require_both_classes("A test of ROC curves")
    columns = counts.negatives, counts.positives
    if any(np.any(column % 1) for column in columns):
        raise UndefinedError(
            "A test of ROC curves exchanges whole cases, got fractional weights. "
            "Hint: auc_unpaired_test takes any weights."
        )
    below = (np.cumsum(counts.negatives) - counts.negatives / 2) / counts.n_negative
    negative, positive = (np.repeat(below, column.astype(np.int64)) for column in columns)
    return negative, positive


def curve_distance(first: tuple[FloatArray, FloatArray], second: tuple[FloatArray, FloatArray]) -> float:
    """Integral over the false positive rate of the absolute difference of two ROC curves."""
    curves = [_curve(*sample) for sample in (first, second)]
    x = np.unique(np.concatenate([curve[0] for curve in curves]))
    # between two corners both curves are straight; jumps are read from either side
    total = 0.0
    left, right = (
        [_heights(curve, x[:-1], "right") for curve in curves],
        [_heights(curve, x[1:], "left") for curve in curves],
    )
    d0, d1 = left[0] - left[1], right[0] - right[1]
    width = np.diff(x)
    same = d0 * d1 >= 0
    total += float(np.sum(width[same] * np.abs(d0 + d1)[same] / 2))
    a, b, w = np.abs(d0[~same]), np.abs(d1[~same]), width[~same]
    return total + float(np.sum(w * (a * a + b * b) / (2 * (a + b))))


def _curve(negatives: FloatArray, positives: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Corners of the ROC curve of placements, from (0, 0) to (1, 1)."""
    size = len(negatives)
    labels = np.arange(size + len(positives)) >= size
    counts = ScoreCounts.from_arrays(labels, np.concatenate([negatives, positives]))
    fpr, tpr = (
        np.concatenate([[0.0], np.cumsum(part[::-1])]) for part in (counts.negatives, counts.positives)
    )
    return fpr / fpr[-1], tpr / tpr[-1]


def _heights(curve: tuple[FloatArray, FloatArray], x: FloatArray, side: Any) -> FloatArray:
    """Height just right or left of each x."""
    fpr, tpr = curve
    if side == "right":
        left = np.clip(np.searchsorted(fpr, x, side="right") - 1, 0, len(fpr) - 2)
    else:
        left = np.clip(np.searchsorted(fpr, x, side="left") - 1, 0, len(fpr) - 2)
    run = fpr[left + 1] - fpr[left]
    share = np.divide(x - fpr[left], run, out=np.zeros_like(x), where=run > 0)
    return np.asarray(tpr[left] + share * (tpr[left + 1] - tpr[left]))


def _permutation_test(
    observed: float,
    permuted: Callable[[np.random.Generator], float],
    n_resamples: int,
    rng: Any,
    workers: int,
) -> VenkatramanTest:
    values = resample(permuted, n_resamples=n_resamples, rng=rng, workers=workers, label="Venkatraman test")
    as_large = int(np.count_nonzero(values >= observed * (1 - _SAME_SUM)))
    return VenkatramanTest(
        statistic=observed, pvalue=(1 + as_large) / (1 + len(values)), n_resamples=len(values)
    )
