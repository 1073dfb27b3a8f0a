"""REC with abstention: a regression that answers only where it is confident.

Cases are answered in the order of a confidence score, the most confident first. At every coverage
there is a REC curve of the answered cases; this module follows its area and the tolerance
it needs for a promised accuracy.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from demur._checks import check_rate, check_same_length, check_scores, check_weights, input_error
from demur._kernels.running import running_quantile
from demur._kernels.sweep import score_groups
from demur._results import Result, as_scalar, read_only
from demur.counts.scores import ScoreCounts
from demur.regression.rec import RecCurve, rec_curve, regression_errors
from demur.typing import ArrayLike, FloatArray, Scalar

__all__ = ["RecCoverage", "rec_coverage_curve"]


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
