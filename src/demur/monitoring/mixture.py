"""The prevalence that explains the scores, and what keeping the old window costs there.

Right if only the prevalence has changed: the scores of each class are distributed as before.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from demur._results import Interval
from demur.monitoring.drift import log_urn
from demur.monitoring.reference import ReferenceCells
from demur.typing import FloatArray

__all__ = ["PrevalenceFit", "fitted_prevalence", "likeliest_prevalence"]

_STEPS = 200
# of a case in a cell without any, so that its share is defined
_TRACE = 1e-4
# limits of a prevalence need no more digits
_NEAR = 1e-6
_EXACT = 1e-12
# prevalences, and shifts in standard deviations, that explain new scores
_RATES = np.linspace(0, 1, 201)[:, None]
_SHIFTS = np.linspace(-4, 4, 201)[:, None]


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
    log_odds : float
        Log of how much likelier the cases are at the best prevalence than if all scores had moved alike.
    """

    prevalence: float
    interval: Interval
    p_value: float
    log_odds: float


def likeliest_prevalence(cells: ReferenceCells, counts: FloatArray) -> float:
    """Return the maximum-likelihood estimate of `fitted_prevalence` alone.

    By Newton steps, halving the bracket where one leaves it. Cells that neither class was seen in say
    nothing.
    """
    new, positive, negative = map(cells.in_blocks, (counts, cells.positive, cells.negative))
    informative = (new > 0) & (positive + negative > 0)
    cases, base, step = new[informative], negative[informative], (positive - negative)[informative]
    low, high, at = 0.0, 1.0, cells.prevalence
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


def fitted_prevalence(cells: ReferenceCells, counts: FloatArray, *, alpha: float) -> PrevalenceFit:
    """Estimate P(positive) among unlabelled cases from their counts per cell.

    Maximises sum_k n_k log(pi P+_k + (1 - pi) P-_k), concave in pi, with the class shares P+, P-
    of the reference (Saerens, Latinne, Decaestecker 2002). The interval holds the pi whose
    likelihood ratio stays below the chi-square quantile. It counts the reference cases as data,
    too: P+ and P- are fitted anew at every pi, so a small reference makes it wide.
    """
    from scipy.special import chdtrc, chdtri

    estimate = likeliest_prevalence(cells, counts)
    samples = _Samples(
        cells.in_blocks(counts) / cells.cluster_size,
        cells.in_blocks(cells.positive) * cells.n_positive,
        cells.in_blocks(cells.negative) * cells.n_negative,
    )
    best = _root(samples.slope, 0.0, 1.0)
    highest = samples.profile(best)
    allowed = highest - float(chdtri(1, alpha)) / 2
    low, high = (_root(lambda pi: samples.profile(pi) - allowed, best, end) for end in (0.0, 1.0))
    n_informative = int(np.count_nonzero(samples.new + samples.positive + samples.negative))
    return PrevalenceFit(
        prevalence=estimate,
        interval=Interval(min(low, estimate), max(high, estimate)),
        p_value=float(chdtrc(n_informative - 2, 2 * max(samples.apart - highest, 0.0)))
        if n_informative > 2
        else 1.0,
        log_odds=_share_against_shift(cells, samples.new),
    )


def _share_against_shift(cells: ReferenceCells, new: FloatArray) -> float:
    """Return by how much the log-likelihood at the best prevalence exceeds that of the best shift.

    A shift by delta on the normal scale of the reference scores takes the share F below a cut to
    Phi(Phi^-1(F) - delta), whatever the scale of the scores. Both have one parameter, and both predict with
    the urn of ``demur.monitoring.drift``, which holds the sampling error of the reference.
    """
    from scipy.special import ndtr, ndtri

    positive, negative = cells.in_blocks(cells.positive), cells.in_blocks(cells.negative)
    mixed = _RATES * positive + (1 - _RATES) * negative
    below = ndtri(np.clip(np.cumsum(cells.in_blocks(cells.shares()))[:-1], 0.0, 1.0))
    moved = np.diff(ndtr(below - _SHIFTS), axis=1, prepend=0.0, append=1.0)
    share, shift = (log_urn(new, cells.size_at() * shares + 0.5).max() for shares in (mixed, moved))
    return float(share - shift)


@dataclass(frozen=True, eq=False)
class _Samples:
    """Cases per cell: new ones without labels, and the positives and negatives of the reference."""

    new: FloatArray
    positive: FloatArray
    negative: FloatArray

    def shares(self, pi: float) -> tuple[FloatArray, FloatArray]:
        """Return the shares of both classes that are most likely at pi, all samples together.

        With multipliers r and s of sum p = 1 and sum q = 1, cell k of mass m = pi p + (1 - pi) q and
        u = n / m has p = a / (r - pi u) and q = b / (s - (1 - pi) u) for its a positives, b
        negatives and n new cases. So u is the smaller root of a quadratic equation. Summing up gives
        r + s = all cases, and sum p falls from above 1 to below 1 as r goes from the number of
        positives to that plus all new cases: one root is left to find.
        """
        a, b = self.positive + _TRACE, self.negative + _TRACE
        new, rest = self.new, 1 - pi
        total = float(a.sum() + b.sum() + new.sum())

        def at(r: float) -> tuple[FloatArray, FloatArray]:
            s = total - r
            straight = new * (r * rest + s * pi) + pi * s * a + rest * r * b
            bent = pi * rest * (new + a + b)
            root = np.sqrt(np.maximum(straight**2 - 4 * bent * new * r * s, 0.0))
            u = 2 * new * r * s / (straight + root)
            return a / (r - pi * u), b / (s - rest * u)

        few = float(a.sum())
        r = _root(lambda r: float(at(r)[0].sum()) - 1, few, few + float(new.sum()), within=1e-11 * total)
        p, q = at(r)
        return p / p.sum(), q / q.sum()

    def profile(self, pi: float) -> float:
        """Log-likelihood of all samples at pi, maximised over the shares of the classes."""
        p, q = self.shares(pi)
        return _cross(self.new, pi * p + (1 - pi) * q) + _cross(self.positive, p) + _cross(self.negative, q)

    def slope(self, pi: float) -> float:
        """Derivative of `profile`: by the envelope theorem that of the likelihood at fixed shares."""
        p, q = self.shares(pi)
        held = self.new > 0
        with np.errstate(divide="ignore"):
            return float((self.new * (p - q) / (pi * p + (1 - pi) * q))[held].sum())

    @property
    def apart(self) -> float:
        """Log-likelihood with shares of their own for the new cases."""
        columns = (self.new, self.positive, self.negative)
        return sum(_cross(counts, counts / max(counts.sum(), 1.0)) for counts in columns)


def _cross(counts: FloatArray, shares: FloatArray) -> float:
    held = counts > 0
    with np.errstate(divide="ignore"):
        return float((counts[held] * np.log(shares[held])).sum())


def _root(
    falling: Callable[[float], float], inside: float, outside: float, *, within: float = _NEAR
) -> float:
    """Return where a function changes from >= 0 (at `inside`) to below 0; the end if it never does.

    False position with the Illinois rule (Dowell and Jarratt 1971, doi:10.1007/BF01934364); halving
    where that stays at one end or a value is infinite.
    """
    above, below = falling(inside), falling(outside)
    if below >= 0:
        return outside
    if above < 0:
        return inside
    above_weight = below_weight = 1.0
    for step in range(_STEPS):
        if abs(outside - inside) < within:
            break
        part = above * above_weight / (above * above_weight - below * below_weight)
        # every third step halves, so that the bracket shrinks whatever the function is like
        if step % 3 == 2 or not 0 < part < 1:
            part = 0.5
        middle = inside + part * (outside - inside)
        value = falling(middle)
        if value >= 0:
            inside, above, above_weight, below_weight = middle, value, 1.0, below_weight / 2
        else:
            outside, below, below_weight, above_weight = middle, value, 1.0, above_weight / 2
    return (inside + outside) / 2
