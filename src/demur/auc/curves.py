"""What has no closed form: partial areas and single points of ROC curves, and whole curves.

Bootstrap within each class for the former, a permutation test for the latter. Results depend on
the seed `rng` only, never on how the work is split.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from demur._checks import check_choice, check_confidence_level, check_range, check_rate, input_error
from demur._resampling import percentile_limits, resample
from demur._results import Interval, Result
from demur.auc.wald import ALTERNATIVES, normal_test
from demur.counts.scores import ScoreCounts, as_counts
from demur.exceptions import UndefinedError
from demur.paired.scores import JointScores
from demur.roc.curve import _area_between, _running_rate
from demur.typing import ArrayLike, FloatArray, IntArray, Labels

__all__ = [
    "RocDifferenceTest",
    "VenkatramanTest",
    "partial_auc_difference_test",
    "partial_auc_interval",
    "roc_point_test",
    "venkatraman_test",
]

Functional = Callable[[Any, Any], float]
"""A number from the negatives and positives per distinct score, ascending."""

# Sums that agree in exact arithmetic may differ by rounding where scores are tied.
_SAME_SUM = 1e-12


# ---------------------------------------------------------------- numbers from a curve


def _partial_area(
    min_fpr: Any, max_fpr: Any, min_tpr: Any, max_tpr: Any, *, standardize: bool
) -> tuple[str, Functional]:
    """Name and function of the partial area asked for: by fpr, or by tpr if one is given."""
    by_tpr = min_tpr is not None or max_tpr is not None
    if by_tpr and not (min_fpr is None and max_fpr is None):
        raise input_error("min_tpr", "must be left out when a range of fpr is given", min_tpr)
    axis = "tpr" if by_tpr else "fpr"
    start, stop = (min_tpr, max_tpr) if by_tpr else (min_fpr, max_fpr)
    ends = 0.0 if start is None else start, 1.0 if stop is None else stop
    low, high = check_range(ends, f"(min_{axis}, max_{axis})", high=1.0)
    if low == high:
        raise input_error(f"max_{axis}", f"must exceed min_{axis} = {low:g}", high)

    def area(negatives: Any, positives: Any) -> float:
        if by_tpr:  # specificity over 1 - sensitivity: the same curve from the other corner
            x, y, left, right = _running_rate(positives), _running_rate(negatives), 1 - high, 1 - low
        else:
            x, y, left, right = _running_rate(negatives[::-1]), _running_rate(positives[::-1]), low, high
        found = _area_between(x, y, left, right)
        if not standardize:
            return found
        diagonal, perfect = (right**2 - left**2) / 2, right - left
        return (1 + (found - diagonal) / (perfect - diagonal)) / 2

    return f"partial AUC, {axis} from {low:g} to {high:g}", area


def _point(sensitivity: Any, specificity: Any) -> tuple[str, Functional]:
    """Name and function of the rate at a fixed value of the other rate."""
    if (sensitivity is None) == (specificity is None):
        raise input_error(
            "sensitivity and specificity", "must be given one at a time", (sensitivity, specificity)
        )
    if specificity is not None:
        level = check_rate(specificity, "specificity")
        return (
            f"sensitivity at specificity {level:g}",
            lambda negatives, positives: _rate_at(negatives, positives, level),
        )
    level = check_rate(sensitivity, "sensitivity")
    return (
        f"specificity at sensitivity {level:g}",
        lambda negatives, positives: _rate_at(positives[::-1], negatives[::-1], level),
    )


def _rate_at(fixed: FloatArray, other: FloatArray, level: float) -> float:
    """Best rate of one class where the other is right at rate `level`, on the straight segments.

    Thresholds run so that more and more of the `fixed` class falls on its right side.
    """
    right, rest = _running_rate(fixed), 1 - _running_rate(other)
    k = int(np.searchsorted(right, level, side="left"))
    if right[k] == level:
        return float(rest[k])
    share = (level - right[k - 1]) / (right[k] - right[k - 1])
    return float(rest[k - 1] + share * (rest[k] - rest[k - 1]))


# ---------------------------------------------------------------- resampling cases


class _Ranks(NamedTuple):
    """Position of every case among the distinct scores of one model."""

    negative: IntArray
    positive: IntArray
    groups: int

    def value(self, functional: Functional, negative: Any, positive: Any) -> float:
        """Apply `functional` to the chosen cases."""
        return functional(
            np.bincount(self.negative[negative], minlength=self.groups),
            np.bincount(self.positive[positive], minlength=self.groups),
        )


def _ranks_of_counts(counts: ScoreCounts, quantity: str) -> _Ranks:
    counts.require_both_classes(quantity)
    groups = np.arange(len(counts.scores))
    columns = []
    for column in (counts.negatives, counts.positives):
        if np.any(column % 1):
            raise UndefinedError(
                f"{quantity} by bootstrap draws whole cases, got fractional weights. "
                "Hint: auc_variance and auc_interval take any weights."
            )
        columns.append(np.repeat(groups, column.astype(np.int64)))
    return _Ranks(columns[0], columns[1], len(groups))


def _joint_ranks(joint: JointScores) -> list[_Ranks]:
    size = joint.negatives.shape[1]
    found = []
    for negative, positive in zip(joint.negatives, joint.positives, strict=True):
        both = np.concatenate([negative, positive])
        scores = ScoreCounts.from_arrays(np.arange(len(both)) >= size, both).scores
        where = np.searchsorted(scores, both)
        found.append(_Ranks(where[:size], where[size:], len(scores)))
    return found


def _draw(rng: np.random.Generator, ranks: _Ranks) -> tuple[IntArray, IntArray]:
    """Cases drawn with replacement within each class."""
    n, m = len(ranks.negative), len(ranks.positive)
    return rng.integers(0, n, n), rng.integers(0, m, m)


def partial_auc_interval(
    y_true: Labels | ScoreCounts,
    y_score: ArrayLike | None = None,
    *,
    min_fpr: float | None = None,
    max_fpr: float | None = None,
    min_tpr: float | None = None,
    max_tpr: float | None = None,
    standardize: bool = False,
    confidence_level: float = 0.95,
    n_resamples: int = 2000,
    rng: Any = None,
    workers: int = 1,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
) -> Interval:
    """Bootstrap interval of a partial AUC; the narrower the more certain.

    Cases are drawn with replacement within each class; the limits are percentiles. Assumes
    independent cases; with fewer than about 30 cases per class the interval is too short, and it
    has no length where the curve is perfect in the range.

    Parameters
    ----------
    y_true, y_score, pos_label, sample_weight
        As in `abstention_surface`; weights must be whole numbers.
    min_fpr, max_fpr, min_tpr, max_tpr : float, optional
        Range of false positive rates (`RocCurve.partial_auc`), or of true positive rates
        (`RocCurve.partial_auc_sensitivity`).
    standardize : bool, default False
        Rescale so that 1/2 is the diagonal and 1 a perfect curve (McClish 1989).
    confidence_level : float, default 0.95
    n_resamples : int, default 2000
    rng : seed or numpy Generator, optional
        Same seed, same limits, whatever `workers` is.
    workers : int, default 1
        Threads.

    Returns
    -------
    Interval

    Raises
    ------
    UndefinedError
        If a class is missing or weights are fractional.

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
    (0.7, 0.85)
    """
    _, functional = _partial_area(min_fpr, max_fpr, min_tpr, max_tpr, standardize=standardize)
    level = check_confidence_level(confidence_level)
    counts = as_counts(y_true, y_score, pos_label=pos_label, sample_weight=sample_weight)
    ranks = _ranks_of_counts(counts, "A partial AUC")
    values = resample(
        lambda stream: ranks.value(functional, *_draw(stream, ranks)),
        n_resamples=n_resamples,
        rng=rng,
        workers=workers,
        label="partial AUC",
    )
    return Interval(*percentile_limits(values, level))


# ---------------------------------------------------------------- two curves, one number


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class RocDifferenceTest(Result):
    """One number of two ROC curves on the same cases, compared by bootstrap.

    Made by `partial_auc_difference_test` and `roc_point_test`.

    Attributes
    ----------
    quantity : str
        What is compared, in words.
    estimate_a, estimate_b, difference : float
        difference = estimate_a - estimate_b, positive where model a is better.
    variance : float
        Bootstrap variance of the difference.
    statistic, pvalue : float
        difference / sqrt(variance) against the normal law.
    alternative : str
    n_resamples : int
    degenerate : bool
        True if the difference is the same, but not 0, in every resample.
    """

    quantity: str
    estimate_a: float
    estimate_b: float
    difference: float
    variance: float
    statistic: float
    pvalue: float
    alternative: str
    n_resamples: int
    degenerate: bool
    _resampled: FloatArray

    def interval(self, confidence_level: float = 0.95) -> Interval:
        """Return the percentile interval of the difference."""
        return Interval(*percentile_limits(self._resampled, check_confidence_level(confidence_level)))

    def __repr__(self) -> str:
        return (
            f"RocDifferenceTest({self.quantity}: difference={self.difference:.4g}, pvalue={self.pvalue:.4g})"
        )


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
    n_resamples: int = 2000,
    rng: Any = None,
    workers: int = 1,
    pos_label: Any = None,
) -> RocDifferenceTest:
    """Test whether two models on the same cases have the same partial AUC.

    A positive difference favours model a. Cases, with both their scores, are drawn with
    replacement within each class. For the whole AUC use `auc_difference_test`, which is exact.

    Parameters
    ----------
    y_true, score_a, score_b, alternative, pos_label
        As in `auc_difference_test`; weights are not defined here: repeat the rows.
    min_fpr, max_fpr, min_tpr, max_tpr, standardize, n_resamples, rng, workers
        As in `partial_auc_interval`.

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
    quantity, functional = _partial_area(min_fpr, max_fpr, min_tpr, max_tpr, standardize=standardize)
    joint = JointScores.of_two(
        y_true, score_a, score_b, quantity="A test of partial AUCs", pos_label=pos_label
    )
    return _bootstrap_test(joint, quantity, functional, alternative, n_resamples, rng, workers)


def roc_point_test(
    y_true: Labels,
    score_a: ArrayLike | None = None,
    score_b: ArrayLike | None = None,
    *,
    sensitivity: float | None = None,
    specificity: float | None = None,
    alternative: str = "two-sided",
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
    n_resamples, rng, workers
        As in `partial_auc_interval`.

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
    quantity, functional = _point(sensitivity, specificity)
    joint = JointScores.of_two(y_true, score_a, score_b, quantity="A test of ROC points", pos_label=pos_label)
    return _bootstrap_test(joint, quantity, functional, alternative, n_resamples, rng, workers)


def _bootstrap_test(
    joint: JointScores,
    quantity: str,
    functional: Functional,
    alternative: str,
    n_resamples: int,
    rng: Any,
    workers: int,
) -> RocDifferenceTest:
    check_choice(alternative, "alternative", ALTERNATIVES)
    a, b = _joint_ranks(joint)

    def difference(stream: np.random.Generator) -> float:
        drawn = _draw(stream, a)
        return a.value(functional, *drawn) - b.value(functional, *drawn)

    values = resample(difference, n_resamples=n_resamples, rng=rng, workers=workers, label=quantity)
    everyone = slice(None), slice(None)
    estimates = a.value(functional, *everyone), b.value(functional, *everyone)
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


# ---------------------------------------------------------------- whole curves


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class VenkatramanTest(Result):
    """Two whole ROC curves on the same cases; made by `venkatraman_test`.

    Attributes
    ----------
    statistic : float
        Sum over all cut-offs of the absolute difference of the two numbers of errors.
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
    a, b = (_doubled_ranks(ranks) for ranks in _joint_ranks(joint))
    observed = _error_distance(a, b, positive)

    def permuted(stream: np.random.Generator) -> float:
        swap = stream.random(len(a)) < 0.5
        return _error_distance(np.where(swap, b, a), np.where(swap, a, b), positive)

    values = resample(permuted, n_resamples=n_resamples, rng=rng, workers=workers, label="Venkatraman test")
    as_large = int(np.count_nonzero(values >= observed * (1 - _SAME_SUM)))
    return VenkatramanTest(
        statistic=observed, pvalue=(1 + as_large) / (1 + len(values)), n_resamples=len(values)
    )


def _doubled_ranks(ranks: _Ranks) -> IntArray:
    """Twice the mid-rank of every case, negatives first."""
    where = np.concatenate([ranks.negative, ranks.positive])
    size = np.bincount(where, minlength=ranks.groups)
    return np.asarray((2 * np.cumsum(size) - size + 1)[where])


def _error_distance(a: IntArray, b: IntArray, positive: Any) -> float:
    """Sum over cuts of the absolute difference of errors: twice that of the positives below."""
    below = [_positives_below(ranks, positive) for ranks in (a, b)]
    return 2 * float(np.abs(below[0] - below[1]).sum())


def _positives_below(ranks: IntArray, positive: Any) -> FloatArray:
    """Element k - 1: expected positives among the k lowest cases, k = 1..n-1, ties in random order."""
    size = 2 * len(ranks) + 1
    cases = np.cumsum(np.bincount(ranks, minlength=size))
    found = np.cumsum(np.bincount(ranks[positive], minlength=size))
    return np.interp(np.arange(1, len(ranks)), cases, found)
