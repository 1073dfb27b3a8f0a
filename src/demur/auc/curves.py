"""Parts and points of ROC curves, and whole curves, by resampling: none of them has a closed form.

Partial areas and rates at a point: cases are drawn with replacement within each class, as counts per
distinct score. Two whole curves: permutation tests, on the same cases (Venkatraman and Begg 1996) and on
others. Results depend on the seed `rng` only, never on how the work is split.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from demur._checks import (
    check_choice,
    check_confidence_level,
    check_rate,
    check_weight_meaning,
    input_error,
)
from demur._kernels.polyline import height
from demur._kernels.sweep import Sample
from demur._resampling import percentile_limits, resample
from demur._results import Interval, Result
from demur.auc.difference import ALTERNATIVES, normal_test, two_samples
from demur.counts.scores import ScoreCounts, as_counts
from demur.exceptions import UndefinedError
from demur.paired.scores import JointScores
from demur.roc.curve import area_between, check_part, running_rate
from demur.roc.operating import only_one
from demur.typing import ArrayLike, FloatArray, IntArray, Labels

__all__ = [
    "RocDifferenceTest",
    "VenkatramanTest",
    "class_sampler",
    "curve_distance",
    "error_distance",
    "partial_auc_difference_test",
    "partial_auc_interval",
    "partial_auc_unpaired_test",
    "positives_below",
    "rate_at",
    "roc_point_test",
    "roc_point_unpaired_test",
    "venkatraman_test",
    "venkatraman_unpaired_test",
]

# Sums that agree in exact arithmetic may differ by rounding where scores are tied.
_SAME_SUM = 1e-12
_MOST_ROWS = 2**22  # more counted cases of a class are drawn per score, not one by one


# a number from the negatives and positives per distinct score, ascending; its option `resampled` lifts rules
# that only the observed curve must keep
Functional = Callable[..., float]
# two estimates, and their difference in one resample
Difference = tuple[list[float], Callable[[np.random.Generator], float]]
# one class: how to draw some of its cases, how many there are, and their mean weight
Side = tuple[Callable[[np.random.Generator, int], Any], int, float]


def partial_area(
    min_fpr: Any, max_fpr: Any, min_tpr: Any, max_tpr: Any, *, standardize: bool
) -> tuple[str, Functional]:
    """Return name and function of a partial area: by fpr, or by tpr if a limit of it is given."""
    by_tpr = min_tpr is not None or max_tpr is not None
    if by_tpr and not (min_fpr is None and max_fpr is None):
        raise input_error("min_tpr", "must be left out when a range of fpr is given", min_tpr)
    axis = "tpr" if by_tpr else "fpr"
    start, stop = (min_tpr, max_tpr) if by_tpr else (min_fpr, max_fpr)
    low, high = check_part(axis, 0.0 if start is None else start, 1.0 if stop is None else stop)

    def area(negatives: Any, positives: Any, *, resampled: bool = False) -> float:
        if by_tpr:  # specificity over 1 - sensitivity: the same curve from the other corner
            x, y, left, right = running_rate(positives), running_rate(negatives), 1 - high, 1 - low
        else:
            x, y, left, right = running_rate(negatives[::-1]), running_rate(positives[::-1]), low, high
        return area_between(x, y, left, right, standardize=standardize, resampled=resampled)

    return f"partial AUC, {axis} from {low:g} to {high:g}", area


def rate_at_point(sensitivity: Any, specificity: Any) -> tuple[str, Functional]:
    """Name and function of the rate at a fixed value of the other rate."""
    hint = "specificity=0.9 compares the sensitivities there."
    held, value = only_one(hint, sensitivity=sensitivity, specificity=specificity)
    asked, level = "sensitivity" if held == "specificity" else "specificity", check_rate(value, held)

    def rate(negatives: Any, positives: Any, *, resampled: bool = False) -> float:
        del resampled  # the rate of a resample is read off in the same way
        if held == "specificity":
            return rate_at(negatives, positives, level)
        return rate_at(positives[::-1], negatives[::-1], level)

    return f"{asked} at {held} {level:g}", rate


def rate_at(fixed: FloatArray, other: FloatArray, level: float) -> float:
    """Best rate of one class where the other is right at rate `level`, on the straight segments.

    Thresholds run so that more and more of the `fixed` class falls on its right side.
    """
    right, rest = running_rate(fixed), 1 - running_rate(other)
    k = int(np.searchsorted(right, level, side="left"))
    if right[k] == level:
        return float(rest[k])
    share = (level - right[k - 1]) / (right[k] - right[k - 1])
    return float(rest[k - 1] + share * (rest[k] - rest[k - 1]))


class Ranks(NamedTuple):
    """Position of every case among the distinct scores of one model."""

    negative: IntArray
    positive: IntArray
    groups: int

    def counts(self, negative: Any, positive: Any) -> tuple[IntArray, IntArray]:
        """Count the chosen negatives and positives at each distinct score."""
        return (
            np.bincount(self.negative[negative], minlength=self.groups),
            np.bincount(self.positive[positive], minlength=self.groups),
        )


def class_counts(negatives: FloatArray, positives: FloatArray) -> ScoreCounts:
    """Count the scores of both classes."""
    scores = np.concatenate([negatives, positives])
    return ScoreCounts.from_arrays(np.arange(len(scores)) >= len(negatives), scores)


def joint_ranks(joint: JointScores) -> list[Ranks]:
    """Positions of the same cases under each model."""
    ranks = []
    for pair in zip(joint.negatives, joint.positives, strict=True):
        scores = class_counts(*pair).scores
        negative, positive = (np.searchsorted(scores, own) for own in pair)
        ranks.append(Ranks(negative, positive, len(scores)))
    return ranks


def _half_error_difference(rng: np.random.Generator, a: Ranks, b: Ranks, functional: Functional) -> float:
    """Difference of a resample in which each class has half a case more, wrong for one of the models.

    A negative above, or a positive below, all others; which model it is wrong for is a coin toss for
    each class. The other model does not see it.
    """
    drawn = []
    for size in (len(a.negative), len(a.positive)):
        # at least one real case is drawn, so that every model has the class
        added = min(int(rng.binomial(size + 1, 1 / (size + 1))), size)
        drawn.append((rng.integers(0, size, size + 1 - added), added / 2))
    (negative, above), (positive, below) = drawn
    coins = rng.random(2) < 0.5
    values = []
    for model, (wrong_negative, wrong_positive) in ((a, coins), (b, ~coins)):
        negatives, positives = model.counts(negative, positive)
        values.append(
            functional(
                np.concatenate([[0.0], negatives, [above * wrong_negative]]),
                np.concatenate([[below * wrong_positive], positives, [0.0]]),
                resampled=True,
            )
        )
    return values[0] - values[1]


def _weighted_side(counts: ScoreCounts, sample: Sample) -> Side:
    where, cases = np.searchsorted(counts.scores, sample.scores), len(sample.scores)
    share = np.ones(cases) if sample.weights is None else sample.weights / sample.weights.max()

    def draw(rng: np.random.Generator, size: int) -> FloatArray:
        drawn, groups = rng.integers(0, cases, size), len(counts.scores)
        return np.bincount(where[drawn], share[drawn], minlength=groups).astype(np.float64, copy=False)

    return draw, cases, float(share.mean())


def _counted_side(column: FloatArray) -> Side:
    cases, groups = int(column.sum()), len(column)
    if cases > _MOST_ROWS:
        share = column / column.sum()
        return lambda rng, size: rng.multinomial(size, share), cases, 1.0
    where = np.repeat(np.arange(groups), column.astype(np.int64))
    return lambda rng, size: np.bincount(where[rng.integers(0, cases, size)], minlength=groups), cases, 1.0


def class_sampler(
    counts: ScoreCounts, weights: str, quantity: str, *, half_errors: bool
) -> Callable[[np.random.Generator], list[Any]]:
    """Sampler of both classes: negatives and positives drawn at each distinct score.

    With `half_errors` each class has half a case more that is ranked as wrongly as possible: a negative
    above and a positive below all others, each of half the weight of a case. Resamples of a perfect ranking
    then differ. There is one place more at either end.
    """
    counts.require_both_classes(quantity)
    cases = counts.weighted_cases(f"{quantity} by bootstrap") if weights == "importance" else None
    if cases is not None:
        sides = [_weighted_side(counts, sample) for sample in reversed(cases)]
    elif np.any(counts.negatives % 1) or np.any(counts.positives % 1):
        raise UndefinedError(
            f"{quantity} by bootstrap draws whole cases, got fractional repeats. "
            "Hint: weights='importance', or auc_interval, which takes any weights."
        )
    else:
        sides = [_counted_side(column) for column in (counts.negatives, counts.positives)]

    def draw(rng: np.random.Generator) -> list[Any]:
        if not half_errors:
            return [draw_cases(rng, size) for draw_cases, size, _ in sides]
        made = []
        for draw_cases, size, mean in sides:
            wrong = int(rng.binomial(size + 1, 1 / (size + 1)))
            made.append((draw_cases(rng, size + 1 - wrong), mean * wrong / 2))
        (negatives, above), (positives, below) = made
        return [np.concatenate([[0.0], negatives, [above]]), np.concatenate([[below], positives, [0.0]])]

    return draw


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class RocDifferenceTest(Result):
    """One number of two ROC curves, compared by bootstrap.

    Made by `partial_auc_difference_test` and `roc_point_test` on the same cases, by
    `partial_auc_unpaired_test` and `roc_point_unpaired_test` on different ones.

    Attributes
    ----------
    quantity : str
        What is compared, in words.
    estimate_a, estimate_b, difference : float
        difference = estimate_a - estimate_b, positive where the first is better.
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
    _told = ("quantity", "difference", "pvalue")

    def interval(self, confidence_level: float = 0.95) -> Interval:
        """Return the percentile interval of the difference."""
        return Interval(*percentile_limits(self._resampled, check_confidence_level(confidence_level)))


def bootstrap_test(
    quantity: str, compared: Difference, alternative: str, n_resamples: int, rng: Any, workers: int
) -> RocDifferenceTest:
    """Compare the difference of two estimates with its spread over resamples."""
    check_choice(alternative, "alternative", ALTERNATIVES)
    (first, second), difference = compared
    values = resample(difference, n_resamples=n_resamples, rng=rng, workers=workers, label=quantity)
    gap = first - second
    variance = float(values.var(ddof=1)) if len(values) > 1 else 0.0
    statistic, pvalue = normal_test(gap, variance, alternative)
    return RocDifferenceTest(
        quantity=quantity,
        estimate_a=first,
        estimate_b=second,
        difference=gap,
        variance=variance,
        statistic=statistic,
        pvalue=pvalue,
        alternative=alternative,
        n_resamples=len(values),
        degenerate=variance == 0 and gap != 0,
        _resampled=values,
    )


def paired_difference(joint: JointScores, functional: Functional, *, half_errors: bool) -> Difference:
    """Resample the same cases with both their scores."""
    a, b = joint_ranks(joint)
    # models that rank alike differ in no resample
    alike = all(np.array_equal(one, other) for one, other in zip(a[:2], b[:2], strict=True))

    def difference(stream: np.random.Generator) -> float:
        if half_errors and not alike:
            return _half_error_difference(stream, a, b, functional)
        drawn = [stream.integers(0, len(own), len(own)) for own in a[:2]]
        first, second = (functional(*model.counts(*drawn), resampled=True) for model in (a, b))
        return first - second

    return [functional(*model.counts(slice(None), slice(None))) for model in (a, b)], difference


def unpaired_difference(
    samples: Sequence[ScoreCounts], weights: str, quantity: str, functional: Functional, *, half_errors: bool
) -> Difference:
    """Resample different cases, each sample by itself."""
    check_weight_meaning(weights)
    opening = f"{quantity[0].upper()}{quantity[1:]}"
    samplers = [class_sampler(counts, weights, opening, half_errors=half_errors) for counts in samples]

    def difference(stream: np.random.Generator) -> float:
        first, second = (functional(*draw(stream), resampled=True) for draw in samplers)
        return first - second

    return [functional(counts.negatives, counts.positives) for counts in samples], difference


# ---------------------------------------------------------------- one curve


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
    compared = paired_difference(joint, functional, half_errors=half_errors)
    return bootstrap_test(quantity, compared, alternative, n_resamples, rng, workers)


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
    compared = paired_difference(joint, functional, half_errors=half_errors)
    return bootstrap_test(quantity, compared, alternative, n_resamples, rng, workers)


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
    *evidence : y_true_a, y_score_a, y_true_b, y_score_b; or counts_a, counts_b
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
    compared = unpaired_difference(samples, weights, quantity, functional, half_errors=half_errors)
    return bootstrap_test(quantity, compared, alternative, n_resamples, rng, workers)


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
    *evidence : y_true_a, y_score_a, y_true_b, y_score_b; or counts_a, counts_b
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
    compared = unpaired_difference(samples, weights, quantity, functional, half_errors=half_errors)
    return bootstrap_test(quantity, compared, alternative, n_resamples, rng, workers)


# ---------------------------------------------------------------- whole curves, by permutation


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
    doubled = []  # twice the mid-rank of every case, negatives first
    for ranks in joint_ranks(joint):
        where = np.concatenate([ranks.negative, ranks.positive])
        sizes = np.bincount(where, minlength=ranks.groups)
        doubled.append((2 * np.cumsum(sizes) - sizes + 1)[where])
    a, b = doubled
    observed = error_distance(a, b, positive)

    def permuted(stream: np.random.Generator) -> float:
        swap = stream.random(len(a)) < 0.5
        return error_distance(np.where(swap, b, a), np.where(swap, a, b), positive)

    return _permutation_test(observed, permuted, n_resamples, rng, workers)


def error_distance(a: IntArray, b: IntArray, positive: Any) -> float:
    """Sum over cuts of the absolute difference of errors: twice that of the positives below."""
    return 2 * float(np.abs(positives_below(a, positive) - positives_below(b, positive)).sum())


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
    *evidence : y_true_a, y_score_a, y_true_b, y_score_b; or counts_a, counts_b
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
    placed = [_placements(counts) for counts in two_samples(evidence, pos_label)]
    n, m = map(len, placed[0])
    negatives, positives = (np.concatenate(column) for column in zip(*placed, strict=True))

    def distance(negative_order: IntArray, positive_order: IntArray) -> float:
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
    return np.repeat(below, columns[0].astype(np.int64)), np.repeat(below, columns[1].astype(np.int64))


def curve_distance(first: tuple[FloatArray, FloatArray], second: tuple[FloatArray, FloatArray]) -> float:
    """Integral over the false positive rate of the absolute difference of two ROC curves."""
    counts = [class_counts(*sample) for sample in (first, second)]
    (fpr_a, tpr_a), (fpr_b, tpr_b) = (
        (running_rate(one.negatives[::-1]), running_rate(one.positives[::-1])) for one in counts
    )
    x = np.unique(np.concatenate([fpr_a, fpr_b]))
    # between two corners both curves are straight; jumps are read from either side
    d0 = height(fpr_a, tpr_a, x[:-1], side="right") - height(fpr_b, tpr_b, x[:-1], side="right")
    d1 = height(fpr_a, tpr_a, x[1:], side="left") - height(fpr_b, tpr_b, x[1:], side="left")
    width = np.diff(x)
    same = d0 * d1 >= 0
    straight = float(np.sum(width[same] * np.abs(d0 + d1)[same] / 2))
    a, b, w = np.abs(d0[~same]), np.abs(d1[~same]), width[~same]
    return straight + float(np.sum(w * (a * a + b * b) / (2 * (a + b))))


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
