"""New class distribution from unlabelled cases (Saerens, Latinne, Decaestecker 2002)."""

import math
import warnings
from dataclasses import dataclass

import numpy as np

from demur._checks import check_proba, check_probability, check_rate, check_scores, check_simplex, input_error
from demur._results import Result
from demur.costs import CostModel
from demur.exceptions import DegenerateDataWarning, UndefinedError
from demur.thresholds import UnlabelledThreshold, shifted_threshold
from demur.typing import ArrayLike, FloatArray, Scalar

__all__ = ["PrevalenceShift", "adjust_prevalence"]

_TOLERANCE = 1e-12
_MAX_STEPS = 10_000


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class PrevalenceShift(Result):
    """Estimated class distribution of unlabelled cases; made by `adjust_prevalence`.

    Attributes
    ----------
    prevalence : float or array
        P(positive) among the cases, or element k the share of class k.
    trained_prevalence : float or array
        The one the probabilities were calibrated for.
    proba : array
        The probabilities adjusted to the new class distribution, in the form they came in.
    log_likelihood_gain : float
        Mean log-likelihood per case over the one without a shift; 0 means no shift is seen.
    iterations : int
        Steps taken.
    converged : bool
        Whether the last step changed no share by more than 1e-12.
    """

    prevalence: Scalar
    trained_prevalence: Scalar
    proba: FloatArray
    log_likelihood_gain: float
    iterations: int
    converged: bool

    def threshold(self, costs: CostModel) -> UnlabelledThreshold:
        """Return the threshold for the original probabilities at the new prevalence.

        It decides as the direct threshold does on `proba`. Two classes only.
        """
        if not isinstance(self.prevalence, float) or not isinstance(self.trained_prevalence, float):
            raise UndefinedError("A threshold on P(positive) needs two classes given as P(positive).")
        return shifted_threshold(costs, prevalence=self.trained_prevalence, target_prevalence=self.prevalence)


def adjust_prevalence(proba: ArrayLike, *, prevalence: ArrayLike) -> PrevalenceShift:
    """Estimate the class distribution of unlabelled cases and adjust their probabilities.

    For a classifier used where the classes are mixed differently than where it was trained.
    Assumes calibrated probabilities and a pure prior shift (the cases of a class look as
    before); with an uncalibrated classifier the result can be worse than no adjustment.

    Parameters
    ----------
    proba : array of n numbers, or n rows
        P(positive) of unlabelled cases, or one row of class probabilities per case.
    prevalence : float, or one number per class
        P(positive), or the class distribution, the probabilities were calibrated for;
        strictly between 0 and 1.

    Returns
    -------
    PrevalenceShift
        With the new `prevalence`, the adjusted `proba`, `threshold`.

    Raises
    ------
    InputError
        For rows that do not sum to 1, or a trained class distribution with a zero.

    Notes
    -----
    Maximises the concave log-likelihood sum_i log sum_k P[i, k] q_k / t_k over class
    distributions q, with t = `prevalence`. EM (q_k <- mean of the adjusted probabilities)
    started at t, as in the paper, with a Newton step wherever that stays inside and is
    better: the same optimum to the last digits in a handful of steps.

    References
    ----------
    Saerens, Latinne, Decaestecker (2002), Neural Computation 14, eq. 2.9,
    doi:10.1162/089976602753284446.

    Examples
    --------
    Trained on half positives; the new cases look like four positives in five:

    >>> from demur import CostModel, adjust_prevalence
    >>> shift = adjust_prevalence([0.9, 0.8, 0.6, 0.3, 0.2, 0.7], prevalence=0.5)
    >>> round(shift.prevalence, 8)
    0.80533371
    >>> round(shift.threshold(CostModel()).threshold, 4)
    0.1947
    """
    binary = np.ndim(proba) == 1
    if binary:
        positive = check_probability(check_scores(proba, "proba"), "proba")
        rate = check_rate(prevalence, "prevalence")
        rows, trained = np.column_stack([positive, 1 - positive]), np.array([rate, 1 - rate])
    else:
        rows = check_proba(proba)
        trained = check_simplex(prevalence, "prevalence", size=rows.shape[1])
    if trained.min() == 0:
        raise input_error(
            "prevalence", "must give every class a share above 0", np.asarray(prevalence).tolist()
        )
    # one row per class: sums over cases then run along contiguous memory
    ratios = np.ascontiguousarray(rows.T) / trained[:, None]
    shares, steps, converged = _maximise(ratios, trained)
    likelihood = shares @ ratios
    adjusted = ratios * shares[:, None] / likelihood
    return PrevalenceShift(
        prevalence=float(shares[0]) if binary else shares,
        trained_prevalence=float(trained[0]) if binary else trained,
        proba=adjusted[0].copy() if binary else adjusted.T.copy(),
        log_likelihood_gain=float(np.log(likelihood).mean()),
        iterations=steps,
        converged=converged,
    )


def _maximise(ratios: FloatArray, start: FloatArray) -> tuple[FloatArray, int, bool]:
    """Maximise mean log(q @ ratios) over the simplex; return q, the steps, success."""
    shares, mixture = start, start @ ratios
    for step in range(1, _MAX_STEPS + 1):
        scaled = ratios / mixture
        gradient = scaled.mean(axis=1)
        proposal = _newton(scaled, gradient, shares)
        if proposal is None or _gain(proposal @ ratios, mixture) < 0:
            # the EM step (Saerens et al. 2002, eq. 2.9): q_k times its mean ratio
            proposal = shares * gradient
            proposal /= proposal.sum()
        change = float(np.abs(proposal - shares).max())
        shares, mixture = proposal, proposal @ ratios
        if change < _TOLERANCE:
            return shares, step, True
    warnings.warn(
        f"The class distribution still moved by {change:.1g} after {_MAX_STEPS} steps: the likelihood is "
        "almost flat, so the estimate is fragile.",
        DegenerateDataWarning,
        stacklevel=3,
    )
    return shares, _MAX_STEPS, False


def _newton(scaled: FloatArray, gradient: FloatArray, shares: FloatArray) -> FloatArray | None:
    """Newton step along the simplex, or None where it would leave the interior."""
    size = len(shares)
    system = np.zeros((size + 1, size + 1))
    system[:size, :size] = -(scaled @ scaled.T) / scaled.shape[1]
    system[:size, size] = system[size, :size] = 1.0
    # least squares: classes that cannot be told apart make the system singular
    step = np.linalg.lstsq(system, np.append(-gradient, 0.0), rcond=None)[0][:size]
    proposal = shares + step
    return np.asarray(proposal / proposal.sum()) if proposal.min() > 0 else None


def _gain(new: FloatArray, old: FloatArray) -> float:
    """Change of the mean log-likelihood; rounding errors count as no change."""
    change = float(np.log(new / old).mean())
    return 0.0 if math.isclose(change, 0.0, abs_tol=1e-15) else change
