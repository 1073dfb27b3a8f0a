"""Permutation test of two whole ROC curves on the same cases (Venkatraman and Begg 1996)."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from demur._resampling import resample
from demur._results import Result
from demur.auc.resampling import Ranks, joint_ranks
from demur.paired.scores import JointScores
from demur.typing import ArrayLike, FloatArray, IntArray, Labels

__all__ = ["VenkatramanTest", "error_distance", "positives_below", "venkatraman_test"]

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

    values = resample(permuted, n_resamples=n_resamples, rng=rng, workers=workers, label="Venkatraman test")
    as_large = int(np.count_nonzero(values >= observed * (1 - _SAME_SUM)))
    return VenkatramanTest(
        statistic=observed, pvalue=(1 + as_large) / (1 + len(values)), n_resamples=len(values)
    )


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
