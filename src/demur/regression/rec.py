"""REC curves (Bi and Bennett 2003): how often a regression errs by no more than a tolerance.

The curve is the distribution function of the errors,

    acc(t) = share of the cases with error <= t,

kept exactly, as a right-continuous step function at the distinct errors. The area over it
up to E is the mean of min(error, E): over the whole range, the mean error itself.

With abstention, cases are answered in the order of a confidence score, the most confident first. At every
coverage there is a REC curve of the answered cases: its area is followed, and the tolerance it needs for a
promised accuracy.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from demur._checks import (
    check_choice,
    check_finite,
    check_nonnegative,
    check_positive,
    check_probability,
    check_rate,
    check_same_length,
    check_scores,
    check_type,
    check_weights,
    input_error,
)
from demur._kernels.running import running_quantile
from demur._kernels.sweep import distribution, score_groups
from demur._results import Result, as_scalar, read_only
from demur.counts.scores import ScoreCounts
from demur.exceptions import UndefinedError
from demur.typing import ArrayLike, FloatArray, Scalar

__all__ = [
    "RecCoverage",
    "RecCurve",
    "null_rec_curve",
    "rec_coverage_curve",
    "rec_curve",
    "regression_errors",
]


_LOSSES = ("absolute", "squared")
_INTERPOLATIONS = ("step", "linear")

# Running shares that differ by the rounding of their sums only count as equal.
_TIE = 1e-12


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class RecCurve(Result):
    """Share of the cases within each tolerance; made by `rec_curve`. Up and left is better.

    Attributes
    ----------
    tolerance : array
        Distinct errors, ascending.
    accuracy : array
        Element i: share of the cases whose error is at most ``tolerance[i]``; ends at 1.
    aoc : float
        Area over the curve up to `max_tolerance`; the lower the better.
    mean_error : float
        Mean error (mean absolute deviation, or mean squared error): `aoc` over the whole range.
    loss : str
        "absolute" or "squared".
    max_tolerance : float
        Where `aoc` stops; the largest error unless the user gave less.
    interpolation : str
        "step" (exact) or "linear" (the polyline of Bi and Bennett).
    n : float
        Total weight of the cases.
    n_cases : int
        Number of cases of positive weight.
    weighted : bool
        Whether case weights were given.
    """

    tolerance: FloatArray
    accuracy: FloatArray
    aoc: float
    mean_error: float
    loss: str
    max_tolerance: float
    interpolation: str
    n: float
    n_cases: int
    weighted: bool

    def accuracy_at(self, tolerance: ArrayLike) -> Scalar:
        """Return the share of the cases with an error of at most `tolerance` (>= 0)."""
        at = check_nonnegative(tolerance, "tolerance")
        if self.interpolation == "step":
            return as_scalar(_step_values(self, at))
        return as_scalar(np.asarray(np.interp(at, *self.vertices())))

    def tolerance_at(self, accuracy: ArrayLike) -> Scalar:
        """Return the smallest error bound that at least a share `accuracy` of the cases keeps.

        The quantile of the errors: always one of them. Read from the step curve.
        """
        share = check_probability(accuracy, "accuracy")
        at = np.searchsorted(self.accuracy, share * (1 - _TIE), side="left")
        return as_scalar(self.tolerance[np.minimum(at, len(self.tolerance) - 1)])

    def vertices(self) -> tuple[FloatArray, FloatArray]:
        """Return the corners (tolerance, accuracy) of the curve as it is drawn, from tolerance 0.

        A step curve rises vertically at each error; a linear one joins (0, acc(0)) and the
        points of the curve.
        """
        if self.interpolation == "linear":
            return _polyline(self.tolerance, self.accuracy)
        steps = np.repeat(self.tolerance, 2), np.repeat(self.accuracy, 2)[:-1]
        return np.append(0.0, steps[0]), np.append([0.0, 0.0], steps[1])

    def area_over(self, max_tolerance: float | None = None) -> float:
        """Return the area over the curve from 0 to `max_tolerance` (default: the largest error)."""
        limit = tolerance_limit(max_tolerance, float(self.tolerance[-1]))
        if self.interpolation == "linear":
            return _area_over_polyline(*self.vertices(), limit)
        return float(np.dot(np.diff(self.accuracy, prepend=0.0), np.minimum(self.tolerance, limit)))

    def relative_aoc(self, null: RecCurve) -> float:
        """Return AOC / AOC of a null model; below 1 is better than the null.

        1 minus it is a skill score: with loss "squared", the whole range and the mean of the
        evaluated `y_true` as the null constant it is R squared. Both areas must end at the same
        `max_tolerance`, or cover the whole range.
        """
        self._require_same_loss(null)
        cut = [curve.max_tolerance < curve.tolerance[-1] for curve in (self, null)]
        if any(cut) and self.max_tolerance != null.max_tolerance:
            raise input_error("null", f"must have max_tolerance {self.max_tolerance:g}", null.max_tolerance)
        if null.aoc == 0:
            raise UndefinedError("`null` must err somewhere, got an area of 0. Hint: y_true is constant.")
        return self.aoc / null.aoc

    # ---------------------------------------------------------------- two curves

    def dominates(self, other: RecCurve) -> bool:
        """Tell whether this curve is nowhere below the other and somewhere above it.

        First-order stochastic dominance: the AOC is then lower for every increasing
        transform of the error, absolute and squared among them.
        """
        gap = self._gap(other)[1]
        return bool(np.all(gap >= 0) and np.any(gap > 0))

    def crossings(self, other: RecCurve) -> FloatArray:
        """Return the tolerances at which the better of the two curves changes.

        Element i is the first tolerance at which the sign of the difference of the step
        curves is the opposite of its last non-zero sign. Empty: the curves do not cross.
        """
        tolerance, gap = self._gap(other)
        apart = np.flatnonzero(gap)
        sign = np.sign(gap[apart])
        return np.asarray(tolerance[apart[1:]][sign[1:] != sign[:-1]])

    def largest_gap(self, other: RecCurve) -> float:
        """Return max over t of |acc(t) - other acc(t)|, the two-sample Kolmogorov-Smirnov statistic.

        Its usual p-value assumes independent samples; two models on the same cases need
        `rec_difference_test`.
        """
        return float(np.abs(self._gap(other)[1]).max())

    def _gap(self, other: RecCurve) -> tuple[FloatArray, FloatArray]:
        """Differences of the step curves at the union of the tolerances, rounding removed."""
        self._require_same_loss(other)
        union = np.union1d(self.tolerance, other.tolerance)
        gap = _step_values(self, union) - _step_values(other, union)
        gap[np.abs(gap) <= _TIE] = 0.0
        return union, gap

    def _require_same_loss(self, other: RecCurve) -> None:
        check_type(other, "other", RecCurve)
        if other.loss != self.loss:
            raise input_error("other", f"must have loss {self.loss!r}", repr(other.loss))

    def __repr__(self) -> str:
        return f"RecCurve(aoc={self.aoc:.6g}, loss={self.loss!r}, points={len(self.tolerance)})"


def _step_values(curve: RecCurve, at: FloatArray) -> FloatArray:
    return np.concatenate([[0.0], curve.accuracy])[np.searchsorted(curve.tolerance, at, side="right")]


def _polyline(tolerance: FloatArray, accuracy: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Corners of the curve of Bi and Bennett: it starts at (0, acc(0))."""
    if tolerance[0] == 0:
        return tolerance, accuracy
    return np.append(0.0, tolerance), np.append(0.0, accuracy)


def _area_over_polyline(x: FloatArray, y: FloatArray, limit: float) -> float:
    end = min(limit, float(x[-1]))
    inside = x < end
    xs = np.append(x[inside], end)
    over = 1 - np.append(y[inside], np.interp(end, x, y))
    return float(np.dot(np.diff(xs), over[1:] + over[:-1]) / 2)


def tolerance_limit(max_tolerance: Any, largest: float) -> float:
    """Return where an area or an axis ends: as given, or at the largest error."""
    return largest if max_tolerance is None else check_positive(max_tolerance, "max_tolerance")


def regression_errors(y_true: ArrayLike, y_pred: ArrayLike, *, loss: str = "absolute") -> FloatArray:
    """Return |y_true - y_pred|, or its square, with every wrong input refused.

    The lower the better. Element i is the error of case i; NaN and infinite values raise, so
    that no case can drop out of a comparison unnoticed.

    Parameters
    ----------
    y_true, y_pred : array of n finite numbers
        Targets and predictions.
    loss : {"absolute", "squared"}
        Error of a case.

    Raises
    ------
    InputError
        For NaN, infinite, empty or ill-fitting input.

    Examples
    --------
    >>> from demur.regression import regression_errors
    >>> regression_errors([1.0, 2.0], [1.5, 0.0], loss="squared")
    array([0.25, 4.  ])
    """
    check_choice(loss, "loss", _LOSSES)
    target, predicted = check_scores(y_true, "y_true"), check_scores(y_pred, "y_pred")
    check_same_length(y_true=target, y_pred=predicted)
    with np.errstate(invalid="ignore", over="ignore"):
        errors = np.subtract(target, predicted)
        np.abs(errors, out=errors)
        if loss == "squared":
            np.square(errors, out=errors)
        # finite only if all errors and their sum are (max propagates NaN): no temporary array
        bound = float(errors.max() * len(errors))
    if not math.isfinite(bound):
        check_finite(target, "y_true")
        check_finite(predicted, "y_pred")
        raise input_error("y_true - y_pred", "must not overflow", "too large an error", "rescale both.")
    return errors


def rec_curve(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    loss: str = "absolute",
    max_tolerance: float | None = None,
    interpolation: str = "step",
    sample_weight: ArrayLike | None = None,
) -> RecCurve:
    """Share of the cases predicted within each tolerance; up and left is better.

    The regression error characteristic curve is the distribution function of the errors, so
    it shows at once how often a model is nearly right and how bad it is when it is not. One
    number cannot: two curves that cross rank the models differently by the mean absolute
    and by the mean squared error. Assumes that all cases count alike (or by weight) and that
    an error to either side hurts the same.

    Parameters
    ----------
    y_true, y_pred : array of n finite numbers
        Targets and predictions.
    loss : {"absolute", "squared"}
        Error of a case. The squared curve is the absolute one with the axis t -> t**2:
        dominance and crossings agree, the order of the areas need not.
    max_tolerance : float > 0, optional
        Where the area over the curve stops. The curve itself is always kept whole.
    interpolation : {"step", "linear"}
        "step": exact. "linear": the polyline of Bi and Bennett through (0, acc(0)) and the
        points of the curve, whose area is too small.
    sample_weight : array of n numbers >= 0, optional
        Weight 2 means the same as a repeated row.

    Returns
    -------
    RecCurve
        With `tolerance`, `accuracy`, `aoc`, `accuracy_at`, `tolerance_at`, `dominates`,
        `crossings`, `relative_aoc`.

    Raises
    ------
    InputError
        For NaN or infinite targets or predictions, empty or ill-fitting input.

    Notes
    -----
    AOC up to E = integral of 1 - acc(t) over [0, E] = mean of min(error, E), because
    1 - acc(t) is the mean of 1[error > t]. Over the whole range it equals the mean error
    without bias; Bi and Bennett's "biased, always underestimates" is true of a range cut
    short and of the polyline, whose area is mean(e) - sum_j c_j (v_j - v_(j-1)) / 2n with
    c_j cases at the j-th distinct error v_j, v_0 = 0. O(n log n).

    References
    ----------
    Bi and Bennett (2003), Regression error characteristic curves, ICML, 43-50.

    Examples
    --------
    Half of the cases are within 0.1 and the mean error is a third:

    >>> from demur import rec_curve
    >>> curve = rec_curve([0, 1, 2, 3, 4, 5], [0, 1.1, 1.9, 3.3, 4.5, 6])
    >>> round(curve.aoc, 4), float(curve.accuracy_at(0.2))
    (0.3333, 0.5)
    >>> round(float(curve.tolerance_at(0.8)), 4)
    0.5
    """
    check_choice(interpolation, "interpolation", _INTERPOLATIONS)
    errors = regression_errors(y_true, y_pred, loss=loss)
    weights = check_weights(sample_weight)
    check_same_length(y_true=errors, sample_weight=weights)
    tolerance, running = distribution(errors, weights)
    limit = tolerance_limit(max_tolerance, float(tolerance[-1]))
    total = float(running[-1])
    accuracy = running / total
    mean_error = float(np.average(errors, weights=weights))
    if interpolation == "linear":
        aoc = _area_over_polyline(*_polyline(tolerance, accuracy), limit)
    elif limit >= tolerance[-1]:
        aoc = mean_error
    else:
        aoc = float(np.average(np.minimum(errors, limit), weights=weights))
    return RecCurve(
        tolerance=read_only(tolerance),
        accuracy=read_only(accuracy),
        aoc=aoc,
        mean_error=mean_error,
        loss=loss,
        max_tolerance=limit,
        interpolation=interpolation,
        n=total,
        n_cases=len(errors) if weights is None else int(np.count_nonzero(weights)),
        weighted=weights is not None,
    )


def null_rec_curve(
    y_true: ArrayLike,
    *,
    constant: str | float = "mean",
    y_train: ArrayLike | None = None,
    loss: str = "absolute",
    max_tolerance: float | None = None,
    interpolation: str = "step",
    sample_weight: ArrayLike | None = None,
) -> RecCurve:
    """REC curve of predicting one constant: the line every model has to beat.

    Bi and Bennett scale the figure by it: the tolerance axis ends at its largest error.

    Parameters
    ----------
    y_true : array of n finite numbers
        Targets the models are judged on.
    constant : {"mean", "median"} or float
        The constant. The mean is best for squared, the median for absolute errors; the
        papers use the mean for both.
    y_train : array, optional
        Responses the mean or median is taken from: the training part. None takes them from
        `y_true` itself, a constant nobody could have known.
    loss, max_tolerance, interpolation, sample_weight
        As in `rec_curve`.

    Returns
    -------
    RecCurve
        To draw in grey and to divide by (`RecCurve.relative_aoc`).

    Raises
    ------
    InputError
        For NaN or infinite values, or an unknown `constant`.

    Notes
    -----
    With loss "squared", the whole range and the mean of `y_true`:
    1 - AOC / AOC_null = R squared.

    References
    ----------
    Bi and Bennett (2003), Regression error characteristic curves, ICML, 43-50.

    Examples
    --------
    The model halves the error of the constant:

    >>> from demur.regression import null_rec_curve

    >>> from demur import rec_curve
    >>> y = [1.0, 2.0, 3.0, 4.0]
    >>> rec_curve(y, [1.5, 2.5, 2.5, 3.5]).relative_aoc(null_rec_curve(y))
    0.5
    """
    target = check_scores(y_true, "y_true")
    source = target if y_train is None else check_scores(y_train, "y_train")
    check_finite(source, "y_true" if y_train is None else "y_train")
    if isinstance(constant, str):
        check_choice(constant, "constant", ("mean", "median"))
        value = float(np.mean(source) if constant == "mean" else np.median(source))
    else:
        number = check_finite(constant, "constant")
        if number.ndim:
            raise input_error("constant", "must be 'mean', 'median' or one number", f"shape {number.shape}")
        value = float(number)
    return rec_curve(
        target,
        np.full(len(target), value),
        loss=loss,
        max_tolerance=max_tolerance,
        interpolation=interpolation,
        sample_weight=sample_weight,
    )


# ---------------------------------------------------------------- with abstention


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class RecCoverage(Result):
    """Error of the answered cases against the share answered; made by `rec_coverage_curve`.

    Attributes
    ----------
    coverage : array
        Share of the cases answered, ascending, ending at 1.
    threshold : array
        Element i: answer where the confidence is at least this, descending.
    aoc : array
        Element i: area over the REC curve of the cases answered at ``coverage[i]``.
    area : float
        Mean of `aoc` over all coverages; the lower the better.
    loss : str
        "absolute" or "squared".
    max_tolerance : float
        Where the areas stop.
    n : float
        Total weight of the cases.
    """

    coverage: FloatArray
    threshold: FloatArray
    aoc: FloatArray
    area: float
    loss: str
    max_tolerance: float
    n: float
    whole: RecCurve
    _y_true: FloatArray
    _y_pred: FloatArray
    _confidence: FloatArray
    _weights: FloatArray | None
    _evidence = ("whole",)

    def aoc_at(self, coverage: ArrayLike) -> Scalar:
        """Return the area over the REC curve at a coverage: of the fewest cases that reach it."""
        return as_scalar(self.aoc[self._index(coverage)])

    def tolerance_at(self, accuracy: float) -> FloatArray:
        """Return, for every coverage, the error bound that a share `accuracy` of the answers keeps.

        Element i is for ``coverage[i]``: the smallest error such that at least this share of
        the answered cases errs by no more. O(n log n).
        """
        share = check_rate(accuracy, "accuracy")
        errors = regression_errors(self._y_true, self._y_pred, loss=self.loss)
        by_error = score_groups(errors)
        ranks = np.empty(len(errors), np.int64)
        ranks[by_error.order] = np.repeat(np.arange(len(by_error.starts)), by_error.sizes().astype(np.int64))
        weights = np.ones(len(errors)) if self._weights is None else self._weights
        keep = np.flatnonzero(weights > 0)
        by_confidence = score_groups(-self._confidence[keep])
        order = keep[by_confidence.order]
        last = np.append(by_confidence.starts[1:], len(order)) - 1
        return by_error.scores[running_quantile(ranks[order], weights[order], last, share)]

    def curve(self, coverage: float) -> RecCurve:
        """Return the REC curve of the fewest cases, most confident first, that reach this coverage."""
        answered = self._confidence >= self.threshold[int(self._index(check_rate(coverage, "coverage")))]
        return rec_curve(
            self._y_true[answered],
            self._y_pred[answered],
            loss=self.loss,
            max_tolerance=self.max_tolerance or None,
            sample_weight=None if self._weights is None else self._weights[answered],
        )

    def ideal(self) -> RecCoverage:
        """Return the curve of the best possible confidence, one that ranks by the error itself."""
        return rec_coverage_curve(
            self._y_true,
            self._y_pred,
            -np.abs(self._y_true - self._y_pred),
            loss=self.loss,
            max_tolerance=self.max_tolerance or None,
            sample_weight=self._weights,
        )

    def _index(self, coverage: ArrayLike) -> Any:
        share = np.asarray(coverage, dtype=np.float64)
        if not np.all((share > 0) & (share <= 1)):
            raise input_error("coverage", "must lie in (0, 1]", coverage)
        at = np.searchsorted(self.coverage, share * (1 - 1e-12), side="left")
        return np.minimum(at, len(self.coverage) - 1)

    def __repr__(self) -> str:
        return f"RecCoverage(area={self.area:.6g}, loss={self.loss!r}, points={len(self.coverage)})"


def rec_coverage_curve(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    confidence: ArrayLike,
    *,
    loss: str = "absolute",
    max_tolerance: float | None = None,
    sample_weight: ArrayLike | None = None,
) -> RecCoverage:
    """Error of a regression that abstains where it is not confident; lower is better.

    Any score that is higher where the prediction is more reliable will do: minus a predicted
    variance, minus the spread of an ensemble, a density of the inputs. If the score is
    useful, the curve rises with the coverage.

    Parameters
    ----------
    y_true, y_pred : array of n finite numbers
        Targets and predictions.
    confidence : array of n numbers
        Higher = more certain; only the order matters. Cases of equal confidence are answered
        together.
    loss, max_tolerance, sample_weight
        As in `rec_curve`.

    Returns
    -------
    RecCoverage
        With `coverage`, `threshold`, `aoc`, `area`, `tolerance_at(accuracy)`,
        `curve(coverage)` and `ideal()`, the best any confidence could reach.

    Raises
    ------
    InputError
        For NaN, infinite, empty or ill-fitting input.

    Notes
    -----
    aoc(c) = mean of min(error, E) over the cases answered at coverage c, and
    area = sum of aoc times the step of the coverage: the area under the risk-coverage curve
    with the capped error as the loss. The last element of `aoc` is the AOC of `rec_curve`.

    References
    ----------
    Bi and Bennett (2003), Regression error characteristic curves, ICML, 43-50.
    El-Yaniv and Wiener (2010), J. Machine Learning Research 11, 1605-1641.

    Examples
    --------
    The two least certain of five predictions go to a person, and the error falls to a fifth:

    >>> from demur.regression import rec_coverage_curve
    >>> kept = rec_coverage_curve([1, 2, 3, 4, 5], [1.1, 2.1, 3.1, 5, 6.2], [9, 8, 7, 2, 1])
    >>> [round(float(kept.aoc_at(c)), 2) for c in (0.6, 1.0)]
    [0.1, 0.5]
    >>> kept.tolerance_at(0.9).round(2).tolist()
    [0.1, 0.1, 0.1, 1.0, 1.2]
    """
    whole = rec_curve(y_true, y_pred, loss=loss, max_tolerance=max_tolerance, sample_weight=sample_weight)
    target, predicted = check_scores(y_true, "y_true"), check_scores(y_pred, "y_pred")
    score = check_scores(confidence, "confidence")
    check_same_length(y_true=target, confidence=score)
    weights = check_weights(sample_weight)
    errors = regression_errors(target, predicted, loss=loss)
    mass = np.ones(len(errors)) if weights is None else weights
    # the two columns of the counts carry the capped errors and the cases themselves
    counts = ScoreCounts.from_counts(score, mass * np.minimum(errors, whole.max_tolerance), mass)
    lost, answered = np.cumsum(counts.positives[::-1]), np.cumsum(counts.negatives[::-1])
    coverage = answered / answered[-1]
    aoc = lost / answered
    return RecCoverage(
        coverage=read_only(coverage),
        threshold=read_only(counts.scores[::-1].copy()),
        aoc=read_only(aoc),
        area=math.fsum(aoc * np.diff(coverage, prepend=0.0)),
        loss=loss,
        max_tolerance=whole.max_tolerance,
        n=whole.n,
        whole=whole,
        _y_true=target,
        _y_pred=predicted,
        _confidence=score,
        _weights=None if weights is None else weights.copy(),
    )
