"""Parts and points of ROC curves, which have no closed form: bootstrap within each class.

Results depend on the seed `rng` only, never on how the work is split.
"""

from __future__ import annotations

from typing import Any

from demur._checks import check_confidence_level, check_weight_meaning
from demur._resampling import percentile_limits, resample
from demur._results import Interval
from demur.auc.bootstrap import Bootstrap, RocDifferenceTest, paired_difference, unpaired_difference
from demur.auc.functionals import partial_area, rate_at_point
from demur.auc.resampling import class_sampler
from demur.auc.unpaired import two_samples
from demur.counts.scores import ScoreCounts, as_counts
from demur.paired.scores import JointScores
from demur.typing import ArrayLike, Labels

__all__ = [
    "partial_auc_difference_test",
    "partial_auc_interval",
    "partial_auc_unpaired_test",
    "roc_point_test",
    "roc_point_unpaired_test",
]


def partial_auc_interval(
    y_true: Labels | ScoreCounts,
    y_score: ArrayLike | None = None,
    *,
    min_fpr: float | None = None,
    max_fpr: float | None = None,
    min_tpr: float | None = None,
    max_tpr: float | None = None,
    standardize: bool = False,
    half_errors: bool = True,
    confidence_level: float = 0.95,
    n_resamples: int = 2000,
    rng: Any = None,
    workers: int = 1,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
    weights: str = "importance",
) -> Interval:
    """Bootstrap interval of a partial AUC; the narrower the more certain.

    Cases are drawn with replacement within each class; the limits are percentiles. Each class gets
    half a case more that is ranked as wrongly as possible, so that a perfect curve has an interval as
    well. Assumes independent cases.

    Parameters
    ----------
    y_true, y_score, pos_label, sample_weight
        As in `abstention_surface`.
    min_fpr, max_fpr, min_tpr, max_tpr : float, optional
        Range of false positive rates (`RocCurve.partial_auc`), or of true positive rates
        (`RocCurve.partial_auc_sensitivity`).
    standardize : bool, default False
        Rescale so that 1/2 is the diagonal and 1 a perfect curve (McClish 1989). Below the
        diagonal: see `RocCurve.partial_auc`; a lower limit below 1/2 does not exclude chance.
    half_errors : bool, default True
        False draws the cases alone, as pROC does: too short with few cases or a high curve, and
        without length where the curve is perfect in the range.
    confidence_level : float, default 0.95
    n_resamples : int, default 2000
    rng : seed or numpy Generator, optional
        Same seed, same limits, whatever `workers` is.
    workers : int, default 1
        Threads.
    weights : {"importance", "repeats"}
        "importance": every case is drawn with the same chance and brings its weight. "repeats": a
        weight of 2 is two cases; whole numbers.

    Returns
    -------
    Interval

    Raises
    ------
    UndefinedError
        If a class is missing, or repeats are fractional.

    Warns
    -----
    DegenerateDataWarning
        If `standardize` and the curve lies below the diagonal in the range.

    Notes
    -----
    Coverage of nominal 0.95 in binormal samples of 20 to 100 cases per class, AUC 0.75 to 0.999, false
    positive rates up to 0.1, 0.2 or 1: 0.92 to 0.98; without the half errors 0.51 to 0.92. With 10
    positives and an AUC of 0.75 it is 0.93.

    References
    ----------
    McClish (1989), Medical Decision Making 9, doi:10.1177/0272989X8900900307.

    Examples
    --------
    At most one false alarm in ten is acceptable. How good is the ranking there?

    >>> import numpy as np
    >>> from demur.auc import partial_auc_interval
    >>> y = np.repeat([0, 1], 100)
    >>> score = np.random.default_rng(1).normal(size=200) + 1.5 * y
    >>> low, high = partial_auc_interval(y, score, max_fpr=0.1, standardize=True, rng=7)
    >>> round(low, 2), round(high, 2)
    (0.67, 0.84)
    """
    check_weight_meaning(weights)
    _, functional = partial_area(min_fpr, max_fpr, min_tpr, max_tpr, standardize=standardize)
    level = check_confidence_level(confidence_level)
    counts = as_counts(y_true, y_score, pos_label=pos_label, sample_weight=sample_weight)
    both = class_sampler(counts, weights, "A partial AUC", half_errors=half_errors)
    functional(counts.negatives, counts.positives)  # warns about a curve below the diagonal
    values = resample(
        lambda stream: functional(*both(stream), resampled=True),
        n_resamples=n_resamples,
        rng=rng,
        workers=workers,
        label="partial AUC",
    )
    return Interval(*percentile_limits(values, level))


# ---------------------------------------------------------------- two curves, one number


def partial_auc_difference_test(
    y_true: Labels,
    score_a: ArrayLike | None = None,
    score_b: ArrayLike | None = None,
    *,
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
) -> RocDifferenceTest:
    """Test whether two models on the same cases have the same partial AUC.

    A positive difference favours model a. Cases, with both their scores, are drawn with
    replacement within each class, and half a case more that one of the models, drawn at random, ranks as
    wrongly as possible: otherwise few cases look surer than they are. For the whole AUC use
    `auc_difference_test`, which needs no resampling.

    Parameters
    ----------
    y_true, score_a, score_b, alternative, pos_label
        As in `auc_difference_test`; weights are not defined here: repeat the rows.
    min_fpr, max_fpr, min_tpr, max_tpr, standardize, n_resamples, rng, workers
        As in `partial_auc_interval`.
    half_errors : bool, default True
        False draws the cases alone, as pROC does.

    Returns
    -------
    RocDifferenceTest
        With `interval(confidence_level)`. Identical models: p = 1 and an interval of length 0.

    Raises
    ------
    UndefinedError
        If a class is missing.

    Notes
    -----
    statistic = difference / bootstrap standard deviation, against the normal law.

    Examples
    --------
    >>> import numpy as np
    >>> from demur.auc import partial_auc_difference_test
    >>> rng = np.random.default_rng(3)
    >>> y = np.repeat([0, 1], 150)
    >>> a, b = rng.normal(size=(2, 300)) + np.array([[2.0], [1.0]]) * y
    >>> test = partial_auc_difference_test(y, a, b, max_fpr=0.2, rng=0)
    >>> test.difference > 0, test.pvalue < 0.01
    (True, True)
    """
    quantity, functional = partial_area(min_fpr, max_fpr, min_tpr, max_tpr, standardize=standardize)
    joint = JointScores.of_two(
        y_true, score_a, score_b, quantity="A test of partial AUCs", pos_label=pos_label
    )
    options = Bootstrap(alternative, n_resamples, rng, workers, half_errors)
    return paired_difference(joint, quantity, functional, options)


def roc_point_test(
    y_true: Labels,
    score_a: ArrayLike | None = None,
    score_b: ArrayLike | None = None,
    *,
    sensitivity: float | None = None,
    specificity: float | None = None,
    alternative: str = "two-sided",
    half_errors: bool = True,
    n_resamples: int = 2000,
    rng: Any = None,
    workers: int = 1,
    pos_label: Any = None,
) -> RocDifferenceTest:
    """Test whether two models on the same cases are equally good at one point of their ROC curves.

    At fixed specificity the sensitivities are compared, and the other way round; a positive
    difference favours model a. Each model uses its own threshold, chosen anew in every resample,
    so that the uncertainty of the threshold is part of the test.

    Parameters
    ----------
    y_true, score_a, score_b, alternative, pos_label
        As in `auc_difference_test`; weights are not defined here: repeat the rows.
    sensitivity, specificity : float
        The rate to hold fixed; exactly one of the two.
    half_errors, n_resamples, rng, workers
        As in `partial_auc_difference_test`.

    Returns
    -------
    RocDifferenceTest
        With `interval(confidence_level)`. Identical models: p = 1 and an interval of length 0.

    Raises
    ------
    InputError
        If not exactly one rate is given.
    UndefinedError
        If a class is missing.

    Notes
    -----
    Between two thresholds the curve is a straight segment, as in the AUC. Where several points
    have the rate asked for, the best of them counts.

    References
    ----------
    Pepe (2003), The Statistical Evaluation of Medical Tests, section 5.2, ISBN 9780198565826.

    Examples
    --------
    Nine of ten healthy people must be left alone. Which model then finds more of the ill?

    >>> import numpy as np
    >>> from demur.auc import roc_point_test
    >>> rng = np.random.default_rng(3)
    >>> y = np.repeat([0, 1], 150)
    >>> a, b = rng.normal(size=(2, 300)) + np.array([[2.0], [1.0]]) * y
    >>> test = roc_point_test(y, a, b, specificity=0.9, rng=0)
    >>> round(test.estimate_a, 2), round(test.estimate_b, 2), test.pvalue < 0.01
    (0.79, 0.45, True)
    """
    quantity, functional = rate_at_point(sensitivity, specificity)
    joint = JointScores.of_two(y_true, score_a, score_b, quantity="A test of ROC points", pos_label=pos_label)
    options = Bootstrap(alternative, n_resamples, rng, workers, half_errors)
    return paired_difference(joint, quantity, functional, options)


# ---------------------------------------------------------------- different cases


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
    options = Bootstrap(alternative, n_resamples, rng, workers, half_errors)
    return unpaired_difference(two_samples(evidence, pos_label), weights, quantity, functional, options)


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
    options = Bootstrap(alternative, n_resamples, rng, workers, half_errors)
    return unpaired_difference(two_samples(evidence, pos_label), weights, quantity, functional, options)
