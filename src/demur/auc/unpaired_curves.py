"""Parts, points and whole ROC curves of two independent samples."""

from collections.abc import Callable
from typing import Any

import numpy as np

from demur._checks import check_choice, check_weight_meaning
from demur._resampling import resample
from demur.auc.curves import RocDifferenceTest
from demur.auc.functionals import Functional, partial_area, rate_at_point
from demur.auc.resampling import half_error_sampler, sampler
from demur.auc.unpaired import two_samples
from demur.auc.venkatraman import VenkatramanTest
from demur.auc.wald import ALTERNATIVES, normal_test
from demur.counts.scores import ScoreCounts
from demur.exceptions import UndefinedError
from demur.typing import FloatArray, IntArray

__all__ = ["partial_auc_unpaired_test", "roc_point_unpaired_test", "venkatraman_unpaired_test"]

_SAME_SUM = 1e-12


def partial_auc_unpaired_test(
    *evidence: Any,
    min_fpr: float | None = None,
    max_fpr: float | None = None,
    min_tpr: float | None = None,
    max_tpr: float | None = None,
    standardize: bool = False,
    alternative: str = "two-sided",
    half_errors: bool = True,
    n_resamples: int = 2000,
    rng: Any = None,
    workers: int = 1,
    pos_label: Any = None,
    weights: str = "importance",
) -> RocDifferenceTest:
    """Test whether two partial AUCs from different, independent cases are equal.

    For two hospitals or two periods. A positive difference favours the first. Two models on the same
    cases need `partial_auc_difference_test`.

    Parameters
    ----------
    *evidence : ``y_true_a, y_score_a, y_true_b, y_score_b`` or ``counts_a, counts_b``
        As in `auc_unpaired_test`.
    min_fpr, max_fpr, min_tpr, max_tpr, standardize, half_errors, n_resamples, rng, workers, weights
        As in `partial_auc_interval`.
    alternative : {"two-sided", "greater", "less"}
        "greater": the first is higher.
    pos_label : label, optional
        The positive label in both samples.

    Returns
    -------
    RocDifferenceTest
        With `interval(confidence_level)`.

    Raises
    ------
    UndefinedError
        If a class is missing.

    Notes
    -----
    statistic = difference / bootstrap standard deviation, against the normal law; each sample is drawn
    by itself, within each class.

    Examples
    --------
    The second site has a worse scanner. Does it show where false alarms are rare?

    >>> import numpy as np
    >>> from demur.auc import partial_auc_unpaired_test
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1], 100)
    >>> first, second = rng.normal(size=(2, 200)) + np.array([[2.0], [0.8]]) * y
    >>> partial_auc_unpaired_test(y, first, y, second, max_fpr=0.2, rng=0).pvalue < 0.01
    True
    """
    quantity, functional = partial_area(min_fpr, max_fpr, min_tpr, max_tpr, standardize=standardize)
    samples = two_samples(evidence, pos_label)
    both = [_drawer(counts, weights, quantity, half_errors=half_errors) for counts in samples]
    return _compare(samples, both, quantity, functional, alternative, n_resamples, rng, workers)


def roc_point_unpaired_test(
    *evidence: Any,
    sensitivity: float | None = None,
    specificity: float | None = None,
    alternative: str = "two-sided",
    half_errors: bool = True,
    n_resamples: int = 2000,
    rng: Any = None,
    workers: int = 1,
    pos_label: Any = None,
    weights: str = "importance",
) -> RocDifferenceTest:
    """Test whether two ROC curves from different, independent cases agree at one point.

    At fixed specificity the sensitivities are compared, and the other way round. A positive difference
    favours the first. Each sample has its own threshold, chosen anew in every resample.

    Parameters
    ----------
    *evidence : ``y_true_a, y_score_a, y_true_b, y_score_b`` or ``counts_a, counts_b``
        As in `auc_unpaired_test`.
    sensitivity, specificity : float
        The rate to hold fixed; exactly one of the two.
    alternative, half_errors, n_resamples, rng, workers, pos_label, weights
        As in `partial_auc_unpaired_test`.

    Returns
    -------
    RocDifferenceTest
        With `interval(confidence_level)`.

    Raises
    ------
    InputError
        If not exactly one rate is given.
    UndefinedError
        If a class is missing.

    Examples
    --------
    >>> import numpy as np
    >>> from demur.auc import roc_point_unpaired_test
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1], 100)
    >>> first, second = rng.normal(size=(2, 200)) + np.array([[2.0], [0.8]]) * y
    >>> roc_point_unpaired_test(y, first, y, second, specificity=0.9, rng=0).pvalue < 0.01
    True
    """
    quantity, functional = rate_at_point(sensitivity, specificity)
    samples = two_samples(evidence, pos_label)
    both = [_drawer(counts, weights, quantity, half_errors=half_errors) for counts in samples]
    return _compare(samples, both, quantity, functional, alternative, n_resamples, rng, workers)


def _drawer(
    counts: ScoreCounts, weights: str, quantity: str, *, half_errors: bool
) -> Callable[[np.random.Generator], tuple[Any, Any]]:
    """Draw negatives and positives of one sample."""
    check_weight_meaning(weights)
    opening = f"{quantity[0].upper()}{quantity[1:]}"
    if half_errors:
        return half_error_sampler(counts, weights, opening)
    negatives, positives = sampler(counts, weights, opening)
    return lambda stream: (negatives(stream), positives(stream))


def _compare(
    samples: list[ScoreCounts],
    drawers: list[Callable[[np.random.Generator], tuple[Any, Any]]],
    quantity: str,
    functional: Functional,
    alternative: str,
    n_resamples: int,
    rng: Any,
    workers: int,
) -> RocDifferenceTest:
    check_choice(alternative, "alternative", ALTERNATIVES)

    def difference(stream: np.random.Generator) -> float:
        first, second = (functional(*draw(stream), resampled=True) for draw in drawers)
        return first - second

    estimates = [functional(counts.negatives, counts.positives) for counts in samples]
    values = resample(difference, n_resamples=n_resamples, rng=rng, workers=workers, label=quantity)
    gap = estimates[0] - estimates[1]
    variance = float(values.var(ddof=1)) if len(values) > 1 else 0.0
    statistic, pvalue = normal_test(gap, variance, alternative)
    return RocDifferenceTest(
        quantity=quantity,
        estimate_a=estimates[0],
        estimate_b=estimates[1],
        difference=gap,
        variance=variance,
        statistic=statistic,
        pvalue=pvalue,
        alternative=alternative,
        n_resamples=len(values),
        degenerate=variance == 0 and gap != 0,
        _resampled=values,
    )


# ---------------------------------------------------------------- the whole curve


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

    values = resample(permuted, n_resamples=n_resamples, rng=rng, workers=workers, label="Venkatraman test")
    as_large = int(np.count_nonzero(values >= observed * (1 - _SAME_SUM)))
    return VenkatramanTest(
        statistic=observed, pvalue=(1 + as_large) / (1 + len(values)), n_resamples=len(values)
    )


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
