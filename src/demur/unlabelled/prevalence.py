"""Class distribution of unlabelled cases (Saerens, Latinne, Decaestecker 2002)."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from demur._checks import check_positive_proba, check_proba, check_rate, check_simplex, input_error
from demur._results import Result, read_only
from demur.costs.model import CostModel
from demur.exceptions import DegenerateDataWarning, UndefinedError
from demur.typing import ArrayLike, BoolArray, FloatArray, Scalar
from demur.unlabelled.thresholds import UnlabelledThreshold, shifted_threshold

__all__ = ["PrevalenceShift", "adjust_prevalence"]

_TOLERANCE = 1e-12
_ROUNDED_GAP = 1e-8
_SUFFICIENT = 1e-4
_ROUNDING = 1e-16
_MAX_STEPS = 1000
_BLOCK = (
    2**13
)  # cases that stay in the cache while all sums over them are taken, too few for BLAS to wake threads
_ASSUMPTION = (
    "right if the probabilities are calibrated at the trained prevalence and only the class "
    "distribution has changed, not how the cases of a class look"
)


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
        Mean log-likelihood per case over the one without a shift; 0 means no sign of a shift.
    iterations : int
        Steps taken.
    converged : bool
        Whether the mean log-likelihood is certainly within 1e-8 (usually 1e-12) of its maximum.
    assumption : str
        What has to hold for the estimate to be right.
    """

    prevalence: Scalar
    trained_prevalence: Scalar
    proba: FloatArray
    log_likelihood_gain: float
    iterations: int
    converged: bool
    assumption: str = _ASSUMPTION

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
    distributions q, with t = `prevalence`. The paper climbs it by EM (q_k <- mean of the
    adjusted probabilities), which takes hundreds of steps, and thousands where a class
    vanishes; Newton steps reach the same maximum to the last digits in about ten.

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
        positive = check_positive_proba(proba)
        rate = check_rate(prevalence, "prevalence")
        trained = np.array([rate, 1 - rate])
        # one row per class: sums over cases then run along contiguous memory
        ratios = np.stack([positive, 1 - positive])
    else:
        rows = check_proba(proba)
        ratios = rows.T.copy()
        trained = check_simplex(prevalence, "prevalence", size=rows.shape[1])
    if trained.min() == 0:
        raise input_error(
            "prevalence", "must give every class a share above 0", np.asarray(prevalence).tolist()
        )
    ratios /= trained[:, None]
    shares, steps, converged = _maximise(ratios, trained)
    if not converged:
        warnings.warn(
            f"The class distribution is not settled after {steps} steps: the likelihood is almost flat, "
            "so the estimate is fragile.",
            DegenerateDataWarning,
            stacklevel=2,
        )
    adjusted, gain = _adjusted(ratios[:1] if binary else ratios, ratios, shares)
    return PrevalenceShift(
        prevalence=float(shares[0]) if binary else shares,
        trained_prevalence=float(trained[0]) if binary else trained,
        proba=read_only(adjusted[0] if binary else adjusted.T.copy()),
        log_likelihood_gain=gain,
        iterations=steps,
        converged=converged,
    )


def _blocks(n_cases: int) -> Iterator[slice]:
    for start in range(0, n_cases, _BLOCK):
        yield slice(start, start + _BLOCK)


def _mixture(ratios: FloatArray, shares: FloatArray) -> FloatArray:
    """Return `shares` @ `ratios`, without a matrix product: it takes longer for so few rows."""
    mixture: FloatArray = shares[0] * ratios[0]
    for share, ratio in zip(shares[1:], ratios[1:], strict=True):
        mixture += share * ratio
    return mixture


def _adjusted(wanted: FloatArray, ratios: FloatArray, shares: FloatArray) -> tuple[FloatArray, float]:
    """Probabilities of the first classes at the new shares, and the mean log-likelihood."""
    adjusted, total = np.empty_like(wanted), 0.0
    for block in _blocks(ratios.shape[1]):
        mixture = _mixture(ratios[:, block], shares)
        adjusted[:, block] = wanted[:, block] * shares[: len(wanted), None] / mixture
        total += float(np.log(mixture).sum())
    return adjusted, total / ratios.shape[1]


def _moments(ratios: FloatArray, shares: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return gradient and curvature: means of s and of s s' over the cases, s = ratios / mixture."""
    size, n_cases = ratios.shape
    gradient, products = np.zeros(size), np.zeros((size, size))
    for block in _blocks(n_cases):
        part = ratios[:, block]
        scaled = part / _mixture(part, shares)
        gradient += scaled.sum(axis=1)
        for one in range(size):
            for other in range(one + 1):
                products[one, other] += np.dot(scaled[one], scaled[other])
    return gradient / n_cases, (products + np.tril(products, -1).T) / n_cases


def _maximise(ratios: FloatArray, start: FloatArray) -> tuple[FloatArray, int, bool]:
    """Maximise f(q) = mean log(q @ ratios) over class distributions q; return q, steps, success.

    The gradient g has sum q_k g_k = 1, and by concavity f misses its maximum by at most
    max(g) - 1: that is the stopping rule. Newton steps on the classes with a share; where
    they fail, or a class without a share wants one, a step towards the class with the
    largest g.
    """
    shares = start
    for step in range(1, _MAX_STEPS + 1):
        gradient, products = _moments(ratios, shares)
        gap = float(gradient.max()) - 1
        if gap <= _TOLERANCE:
            return shares, step, True
        best = int(gradient.argmax())
        moved = None
        if shares[best] > 0:
            direction = _newton_direction(products, gradient, shares > 0)
            # the direction sums to 0, so 1 may be taken off the gradient: no cancellation near the maximum
            moved = _line_search(ratios, shares, direction, float((gradient - 1) @ direction))
        if moved is None:
            direction = -shares
            direction[best] += 1
            moved = _line_search(ratios, shares, direction, gap)
        if moved is None:
            # no step changes the likelihood any more: the rest is rounding
            return shares, step, gap <= _ROUNDED_GAP
        shares = moved
    return shares, _MAX_STEPS, gap <= _ROUNDED_GAP


def _newton_direction(products: FloatArray, gradient: FloatArray, free: BoolArray) -> FloatArray:
    """Newton direction among the free classes, along which the shares keep their sum."""
    curvature = np.diag(products)[free]
    # in units in which every class has the same curvature: rare classes have huge ratios
    unit = 1 / np.sqrt(np.maximum(curvature, 1e-16 * curvature.max()))
    size = len(unit)
    system = np.zeros((size + 1, size + 1))
    system[:size, :size] = -products[np.ix_(free, free)] * np.outer(unit, unit)
    system[:size, size] = system[size, :size] = unit / unit.max()
    # least squares: classes that cannot be told apart make the system singular
    solution = np.linalg.lstsq(system, np.append(-gradient[free] * unit, 0.0), rcond=None)[0][:size]
    direction = np.zeros(len(free))
    direction[free] = solution * unit
    return direction


def _line_search(
    ratios: FloatArray, shares: FloatArray, direction: FloatArray, slope: float
) -> FloatArray | None:
    """Go along `direction` as far as the simplex and a sufficient gain allow (Armijo), or None."""
    if not slope > 0:
        return None
    falling = direction < 0
    limits = np.full(len(shares), np.inf)
    limits[falling] = shares[falling] / -direction[falling]
    length = min(1.0, float(limits.min()))
    for _ in range(60):
        moved = np.where(limits <= length, 0.0, np.maximum(shares + length * direction, 0.0))
        moved /= moved.sum()
        if _gain(ratios, shares, moved) >= _SUFFICIENT * length * slope - _ROUNDING:
            return None if np.array_equal(moved, shares) else moved
        length /= 2
    return None


def _gain(ratios: FloatArray, shares: FloatArray, moved: FloatArray) -> float:
    """Mean gain of log-likelihood; minus infinity where a case would become impossible."""
    total = 0.0
    for block in _blocks(ratios.shape[1]):
        part = ratios[:, block]
        after = _mixture(part, moved)
        if not after.min() > 0:
            return -math.inf
        total += float(np.log(after / _mixture(part, shares)).sum())
    return total / len(ratios[0])
