"""The ROC curve that calibrated probabilities lead one to expect (Blanco-Vega et al. 2006)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from demur._checks import check_positive_proba, check_rate
from demur._kernels.sweep import sorted_values
from demur._results import Result, read_only
from demur.costs.model import CostModel
from demur.counts.scores import ScoreCounts
from demur.exceptions import UndefinedError
from demur.roc.curve import auc_score
from demur.typing import ArrayLike, FloatArray, IntArray
from demur.unlabelled.thresholds import UnlabelledThreshold, nroc_threshold, reaches

__all__ = ["NrocCurve", "expected_counts", "nroc_curve"]

_EXPECTED = "the true curve on average if the probabilities are calibrated"


def expected_counts(proba: FloatArray) -> ScoreCounts:
    """Counts that calibrated probabilities lead one to expect: p positives, 1 - p negatives."""
    return ScoreCounts.from_counts(proba, proba, 1 - proba)


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class NrocCurve(Result):
    """ROC curve that calibrated probabilities lead one to expect; made by `nroc_curve`.

    Attributes
    ----------
    fpr, tpr : array
        Element i: expected rates when the i cases with the highest probabilities are called
        positive; from (0, 0) to (1, 1). The curve is concave.
    thresholds : array
        Element i: probability of case i in that order; inf for the first point. Points inside
        a run of equal probabilities lie on one straight line and cannot be reached exactly.
    auc : float
        Area under the curve: the expected AUC of the probabilities.
    n : int
        Number of cases.
    prevalence : float
        Mean of the probabilities.
    assumption : str
        What has to hold for the curve to be the true one on average.
    """

    fpr: FloatArray
    tpr: FloatArray
    thresholds: FloatArray
    auc: float
    n: int
    prevalence: float
    assumption: str = _EXPECTED

    def threshold(self, costs: CostModel | None = None, *, mu: float | None = None) -> UnlabelledThreshold:
        """Return the threshold at which a line of slope mu touches the curve; see `nroc_threshold`."""
        return nroc_threshold(self.thresholds[1:], costs, mu=mu)

    def point(self, threshold: float) -> tuple[float, float]:
        """Return (fpr, tpr) of calling positive where the probability is at least `threshold`."""
        called = int(np.count_nonzero(reaches(self.thresholds[1:], check_rate(threshold, "threshold"))))
        return float(self.fpr[called]), float(self.tpr[called])


def nroc_curve(proba: ArrayLike) -> NrocCurve:
    """ROC curve expected from the probabilities alone; up and left is better.

    Each case counts as p positives and 1 - p negatives. Equal to the true ROC curve on
    average if the probabilities are calibrated; overconfident ones look too good.

    Parameters
    ----------
    proba : array of n numbers in [0, 1]
        P(positive) of unlabelled cases.

    Returns
    -------
    NrocCurve
        n + 1 points, the expected `auc`, `point`, `threshold`.

    Raises
    ------
    UndefinedError
        If all probabilities are 0 or all are 1: one of the rates does not exist.

    Notes
    -----
    With p descending, point i is (sum_{j <= i} (1 - p_j) / sum (1 - p), sum_{j <= i} p_j / sum p).
    The second sum is n - sum p; the paper's proposition 2 prints 1 - sum p.

    References
    ----------
    Blanco-Vega et al. (2006), ROCML, section 2.3.

    Examples
    --------
    How good is the ranking, if the probabilities mean what they say?

    >>> from demur.unlabelled import nroc_curve
    >>> curve = nroc_curve([0.9, 0.8, 0.6, 0.55, 0.4, 0.2, 0.1])
    >>> round(curve.auc, 4), [round(y, 4) for y in curve.tpr[:4].tolist()]
    (0.8103, [0.0, 0.2535, 0.4789, 0.6479])
    """
    values = check_positive_proba(proba)
    counts = expected_counts(sorted_values(values))
    for mass, word in ((counts.n_positive, 0), (counts.n_negative, 1)):
        if mass == 0:
            raise UndefinedError(
                f"An NROC curve needs probabilities that are not all {word}, got all {word}."
            )
    repeats = np.rint(counts.positives + counts.negatives).astype(np.int64)[::-1]
    return NrocCurve(
        fpr=read_only(_rates_per_case(counts.negatives[::-1], repeats)),
        tpr=read_only(_rates_per_case(counts.positives[::-1], repeats)),
        thresholds=read_only(np.concatenate([[np.inf], np.repeat(counts.scores[::-1], repeats)])),
        auc=auc_score(counts),
        n=len(values),
        prevalence=float(values.mean()),
    )


def _rates_per_case(mass: FloatArray, repeats: IntArray) -> FloatArray:
    """Running share of the mass after each case, ties spread evenly; ends at 1 exactly."""
    running = np.cumsum(np.concatenate([[0.0], np.repeat(mass / repeats, repeats)]))
    return np.asarray(running / running[-1])
