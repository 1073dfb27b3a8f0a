"""The prevalence that explains the scores, and what keeping the old window costs there.

Right if only the prevalence has changed: the scores of each class are distributed as before.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from demur._results import Interval
from demur.monitoring.reference import ReferenceCells
from demur.typing import FloatArray

__all__ = ["PrevalenceFit", "fitted_prevalence", "likeliest_prevalence"]

_STEPS = 200
_SWEEPS = 400
_SETTLED = 1e-10
# limits of a prevalence need no more digits
_NEAR = 1e-6
_EXACT = 1e-12


@dataclass(frozen=True, kw_only=True)
class PrevalenceFit:
    """Maximum likelihood over the cells, and its interval by the likelihood ratio.

    Attributes
    ----------
    prevalence : float
        The estimate.
    interval : Interval
        Its limits.
    p_value : float
        Of "the cases are a mixture of the reference classes", by the likelihood ratio to shares of
        their own in every cell. Small: the scores of the classes have moved. Right for one look.
    """

    prevalence: float
    interval: Interval
    p_value: float


def likeliest_prevalence(cells: ReferenceCells, counts: FloatArray) -> float:
    """Return the maximum-likelihood estimate of `fitted_prevalence` alone."""
    starts = cells.block_starts
    new, positive, negative = (
        np.add.reduceat(column, starts) for column in (counts, cells.positive, cells.negative)
    )
    return _highest(cells.prevalence, new, positive, negative)


def fitted_prevalence(cells: ReferenceCells, counts: FloatArray, *, alpha: float) -> PrevalenceFit:
    """Estimate P(positive) among unlabelled cases from their counts per cell.

    Maximises sum_k n_k log(pi P+_k + (1 - pi) P-_k), concave in pi, with the class shares P+, P-
    of the reference (Saerens, Latinne, Decaestecker 2002). The interval holds the pi whose
    likelihood ratio stays below the chi-square quantile. It counts the reference cases as data,
    too: P+ and P- are fitted anew at every pi, so a small reference makes it wide.
    """
    from scipy.special import chdtrc, chdtri

    starts = cells.block_starts
    new = np.add.reduceat(counts, starts)
    positive = np.add.reduceat(cells.positive, starts)
    negative = np.add.reduceat(cells.negative, starts)
    estimate = likeliest_prevalence(cells, counts)
    reference = positive * cells.n_positive, negative * cells.n_negative

    def profile(pi: float) -> float:
        return _profile(pi, new, *reference)

    best, highest = _peak(profile, estimate)
    allowed = highest - float(chdtri(1, alpha)) / 2
    low = 0.0 if profile(0.0) >= allowed else _root(lambda pi: profile(pi) - allowed, best, 0.0, within=_NEAR)
    high = (
        1.0 if profile(1.0) >= allowed else _root(lambda pi: profile(pi) - allowed, best, 1.0, within=_NEAR)
    )
    apart = sum(_cross(counts, counts / max(counts.sum(), 1.0)) for counts in (new, *reference))
    told = int(np.count_nonzero(new + reference[0] + reference[1]))
    return PrevalenceFit(
        prevalence=estimate,
        interval=Interval(min(low, estimate), max(high, estimate)),
        p_value=float(chdtrc(told - 2, 2 * max(apart - highest, 0.0))) if told > 2 else 1.0,
    )


def _highest(near: float, new: FloatArray, positive: FloatArray, negative: FloatArray) -> float:
    """Maximise the log-likelihood by Newton steps, halving the bracket where one leaves it.

    Cells that neither class was seen in say nothing.
    """
    told = (new > 0) & (positive + negative > 0)
    cases, base, step = new[told], negative[told], (positive - negative)[told]
    low, high, at = 0.0, 1.0, near
    for _ in range(_STEPS):
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = step / (base + at * step)
            slope, bend = float((cases * ratio).sum()), float((cases * ratio**2).sum())
        # the slope falls in pi: the maximum is above where it is positive
        low, high = (at, high) if slope > 0 else (low, at)
        after = at + slope / bend if 0 < bend < math.inf else math.nan
        if not low <= after <= high:
            after = (low + high) / 2
        if abs(after - at) < _EXACT:
            return after
        at = after
    return at


def _profile(pi: float, new: FloatArray, positive: FloatArray, negative: FloatArray) -> float:
    """Log-likelihood of both samples at pi, maximised over the shares of the classes by EM.

    An unlabelled case of cell k is a positive with probability pi P+_k / (pi P+_k + (1 - pi) P-_k);
    the shares that maximise the completed likelihood are the completed counts.
    """
    p, q = (positive + 0.5) / (positive + 0.5).sum(), (negative + 0.5) / (negative + 0.5).sum()
    for _ in range(_SWEEPS):
        mass = pi * p + (1 - pi) * q
        with np.errstate(divide="ignore", invalid="ignore"):
            theirs = np.where(mass > 0, new * pi * p / mass, 0.0)
        full_p, full_q = positive + theirs, negative + (new - theirs)
        next_p, next_q = full_p / max(full_p.sum(), 1e-300), full_q / max(full_q.sum(), 1e-300)
        moved = max(float(np.abs(next_p - p).max()), float(np.abs(next_q - q).max()))
        p, q = next_p, next_q
        if moved < _SETTLED:
            break
    mass = pi * p + (1 - pi) * q
    return _cross(new, mass) + _cross(positive, p) + _cross(negative, q)


def _cross(counts: FloatArray, shares: FloatArray) -> float:
    held = counts > 0
    with np.errstate(divide="ignore"):
        return float((counts[held] * np.log(shares[held])).sum())


def _root(falling: Callable[[float], float], inside: float, outside: float, *, within: float) -> float:
    """Return where a function changes from >= 0 (at `inside`) to below 0; the end if it never does."""
    if falling(outside) >= 0:
        return outside
    if falling(inside) < 0:
        return inside
    for _ in range(_STEPS):
        middle = (inside + outside) / 2
        if abs(outside - inside) < within:
            break
        inside, outside = (middle, outside) if falling(middle) >= 0 else (inside, middle)
    return (inside + outside) / 2


def _peak(function: Callable[[float], float], near: float) -> tuple[float, float]:
    """Return where the profile is largest, from a point near it, by halving steps."""
    at, height = near, function(near)
    step = 0.1
    while step > _NEAR:
        best = max((function(point), point) for point in (max(at - step, 0.0), min(at + step, 1.0)))
        if best[0] > height:
            height, at = best
        else:
            step /= 3
    return (at, height) if math.isfinite(height) else (near, function(near))
