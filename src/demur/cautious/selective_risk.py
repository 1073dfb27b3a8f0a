"""Selective risk: the loss of the answered cases against coverage, most confident first."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from demur._checks import (
    check_choice,
    check_confidence_level,
    check_positive_int,
    check_probability,
    check_rate,
    check_rng,
    check_same_length,
    check_scores,
    check_type,
    check_weights,
    input_error,
)
from demur._kernels.jit import kernel, run, whole_job
from demur._kernels.running import running_sums
from demur._kernels.sweep import ascending_order, sorted_values
from demur._results import Interval, Result, read_only
from demur.counts.scores import ScoreCounts
from demur.typing import ArrayLike, FloatArray, IntArray

__all__ = [
    "RiskCoverageCurve",
    "RiskCoverageDifference",
    "answers_by_confidence",
    "areas_under",
    "resampled_statistic",
    "risk_coverage_curve",
]

STATISTICS = ("aurc", "e_aurc", "augrc")
CONVENTIONS = ("exact", "discrete")
_GROUPS_AT_ONCE = 2**14
# what the interpreter does for every score, in steps of an ordinary loop
_STEPS = 6


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class RiskCoverageDifference(Result):
    """Difference of one statistic between two models on the same cases; negative: the first is better.

    Attributes
    ----------
    statistic : str
        "aurc", "e_aurc" or "augrc".
    difference : float
        First minus second.
    interval : Interval
        Percentile bootstrap interval; cases are resampled in pairs.
    confidence_level : float
        Of the interval.
    """

    statistic: str
    difference: float
    interval: Interval
    confidence_level: float


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class RiskCoverageCurve(Result):
    """Loss of the answered cases against coverage; made by `risk_coverage_curve`.

    Attributes
    ----------
    coverage : array
        Ascending shares of answered cases: the ends of the groups of equal confidence, or k/n.
    risk : array
        Element i: mean loss of the answered cases at ``coverage[i]`` (selective risk).
    generalized_risk : array
        Element i: loss of the answered cases per case of all, coverage times risk.
    thresholds : array
        Element i: answer the cases with at least this confidence to reach ``coverage[i]``.
    aurc : float
        Area under the selective risk.
    e_aurc : float
        `aurc` minus that of the best possible order (all losses last).
    augrc : float
        Area under the generalized risk.
    convention : str
        "exact" or "discrete".
    n : float
        Total weight of the cases.
    """

    coverage: FloatArray
    risk: FloatArray
    generalized_risk: FloatArray
    thresholds: FloatArray
    aurc: float
    e_aurc: float
    augrc: float
    convention: str
    n: float
    # what the curve was made from, for those who draw from it again
    _loss: FloatArray
    _weight: FloatArray | None
    _confidence: FloatArray
    _told = ("n", "aurc", "e_aurc", "augrc", "convention")

    def risk_at(self, coverage: float) -> float:
        """Return the selective risk at a coverage; inside a group cases are answered at random."""
        share = check_rate(coverage, "coverage")
        if share == 0:
            raise input_error("coverage", "must be above 0: no case is answered there", share)
        ends = np.concatenate([[0.0], self.coverage])
        return float(np.interp(share, ends, np.concatenate([[0.0], self.generalized_risk])) / share)

    def best_possible(self) -> RiskCoverageCurve:
        """Return the curve of the same losses in the best order, the smallest first."""
        return risk_coverage_curve(
            self._loss, -self._loss, sample_weight=self._weight, convention=self.convention
        )

    def interval(
        self,
        statistic: str = "aurc",
        *,
        confidence_level: float = 0.95,
        n_resamples: int = 1000,
        rng: Any = None,
    ) -> Interval:
        """Return a percentile bootstrap interval of "aurc", "e_aurc" or "augrc".

        Nothing is optimised inside these areas, so the plain bootstrap is valid. The same `rng`
        gives the same interval.
        """
        check_choice(statistic, "statistic", STATISTICS)
        return _bootstrap(
            resampled_statistic(self, statistic),
            len(self._loss),
            confidence_level=confidence_level,
            n_resamples=n_resamples,
            rng=rng,
        )

    def minus(
        self,
        other: RiskCoverageCurve,
        statistic: str = "aurc",
        *,
        confidence_level: float = 0.95,
        n_resamples: int = 1000,
        rng: Any = None,
    ) -> RiskCoverageDifference:
        """Return the difference to another model on the same cases, in the same order.

        Negative: this model is better. Every resample draws the same cases for both.
        """
        check_type(other, "other", RiskCoverageCurve)
        check_choice(statistic, "statistic", STATISTICS)
        check_same_length(self=self._loss, other=other._loss)
        if self.convention != other.convention:
            raise input_error("other", f"must follow the convention {self.convention!r}", other.convention)
        own, rival = (resampled_statistic(curve, statistic) for curve in (self, other))
        interval = _bootstrap(
            lambda drawn: own(drawn) - rival(drawn),
            len(self._loss),
            confidence_level=confidence_level,
            n_resamples=n_resamples,
            rng=rng,
        )
        return RiskCoverageDifference(
            statistic=statistic,
            difference=getattr(self, statistic) - getattr(other, statistic),
            interval=interval,
            confidence_level=confidence_level,
        )


def _bootstrap(
    statistic: Callable[[IntArray], float], n: int, *, confidence_level: float, n_resamples: int, rng: Any
) -> Interval:
    """Percentile interval of a function of how often each of n cases is drawn."""
    level = check_confidence_level(confidence_level)
    times, draws = check_positive_int(n_resamples, "n_resamples", minimum=2), check_rng(rng)
    values = [statistic(np.bincount(draws.integers(n, size=n), minlength=n)) for _ in range(times)]
    low, high = np.quantile(values, [(1 - level) / 2, (1 + level) / 2])
    return Interval(float(low), float(high))


# ---------------------------------------------------------------- areas


def _exact_areas(mass: FloatArray, loss: FloatArray) -> tuple[float, float]:
    """AURC and AUGRC of groups in the order of answering: mass and loss of each group."""
    if not mass.all():
        keep = mass > 0
        mass, loss = mass[keep], loss[keep]
    return areas_under(np.cumsum(mass), np.cumsum(loss))


def areas_under(answered: FloatArray, accepted: FloatArray) -> tuple[float, float]:
    """AURC and AUGRC of the mass answered and the loss accepted at the ends of the groups.

    Inside a group cases are answered in random order, so the accepted loss G is linear in the
    coverage c and the risk G/c = a/c + b integrates to a ln(c2/c1) + b (c2 - c1). In pieces that
    fit into the cache: new memory for every step takes longer than the steps.
    """
    total = float(answered[-1])
    # on the first group a = 0
    under_risk, under_loss = float(accepted[0]), float(answered[0] / total * accepted[0])
    for at in range(0, len(answered) - 1, _GROUPS_AT_ONCE):
        ends = slice(at, at + _GROUPS_AT_ONCE + 1)
        c, g = answered[ends], accepted[ends]
        width, rise = np.diff(c), np.diff(g)
        # a group too light to count has no slope
        slope = np.divide(rise, width, out=np.zeros_like(rise), where=width > 0)
        under_risk += float(rise.sum() + (g[:-1] - slope * c[:-1]) @ np.log(c[1:] / c[:-1]))
        under_loss += float(width / total @ (g[1:] + g[:-1]))
    return under_risk / total, under_loss / 2 / total


def _discrete_areas(loss: FloatArray) -> tuple[float, float]:
    """Mean over k of the mean loss of the k most confident, and of their loss per case of all."""
    accepted = np.cumsum(loss)
    return float(np.mean(accepted / np.arange(1, len(loss) + 1))), float(np.mean(accepted) / len(loss))


def resampled_statistic(curve: RiskCoverageCurve, name: str) -> Callable[[IntArray], float]:
    """Statistic of a resample by how often it holds each case; the cases are sorted once for all of them."""
    exact, loss, n_groups = curve.convention == "exact", curve._loss, len(curve.thresholds)
    weight = np.ones(len(loss)) if curve._weight is None else curve._weight
    # thresholds descend; in the discrete convention every case is a group of its own
    group = np.searchsorted(-curve.thresholds, -curve._confidence)
    order, best = ascending_order(-curve._confidence), ascending_order(loss)

    def statistic(times: IntArray) -> float:
        if exact:
            columns: list[Any] = [times * weight, times * weight * loss]
            sums: list[Any] = [np.bincount(group, column, n_groups) for column in columns]
            aurc, augrc = _exact_areas(*sums)
        else:
            aurc, augrc = _discrete_areas(np.repeat(loss[order], times[order]))
        if name != "e_aurc":
            return aurc if name == "aurc" else augrc
        if not exact:
            return aurc - _discrete_areas(np.repeat(loss[best], times[best]))[0]
        # cases of equal loss need no merging: they continue one straight line
        return aurc - _exact_areas(*(column[best] for column in columns))[0]

    return statistic


# ---------------------------------------------------------------- the curve


def risk_coverage_curve(
    loss: ArrayLike,
    confidence: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    convention: str = "exact",
) -> RiskCoverageCurve:
    """Mean loss of the answered cases at every coverage, the most confident answered first.

    The lower the better, for the curve and for its three areas. AURC and E-AURC weigh the most
    confident cases heavily (the risk divides by the coverage); AUGRC does not. Assumes that the
    confidence was not fitted on these cases.

    Parameters
    ----------
    loss : array of n numbers in [0, 1]
        Loss of each case if it is answered; 1 for an error and 0 for a right answer.
    confidence : array of n numbers
        Higher is answered first; infinities are fine.
    sample_weight : array of n numbers >= 0, optional
        Weight 2 means the same as a repeated row.
    convention : {"exact", "discrete"}
        "exact": equal confidences are answered in random order and areas are integrals over
        coverage. "discrete": one step per case, equal confidences in the order given, areas are
        means over k = 1..n; common elsewhere, but it depends on the order of the rows.

    Returns
    -------
    RiskCoverageCurve
        With `coverage`, `risk`, `aurc`, `e_aurc`, `augrc`, `interval`, `minus`.

    Raises
    ------
    InputError
        For losses outside [0, 1], NaN, or weights with the discrete convention.

    Notes
    -----
    With G(c) the loss accepted at coverage c per case of all, linear within ties: risk = G(c)/c,
    AURC = int G(c)/c dc, AUGRC = int G(c) dc, over [0, 1]. On a piece G = a + b c the first is
    a ln(c2/c1) + b (c2 - c1). For errors with rate e the best order has AURC e + (1 - e) ln(1 - e).

    References
    ----------
    Geifman, Uziel, El-Yaniv (2019), "Bias-Reduced Uncertainty Estimation", ICLR, arXiv:1805.08206.
    Traub et al. (2024), "Overcoming Common Flaws in the Evaluation of Selective Classification
    Systems", NeurIPS, doi:10.48550/arXiv.2407.01032.

    Examples
    --------
    Two errors in eight, one of them with high confidence. Answering half of the cases leaves a
    risk of 1/4, no better than answering all:

    >>> from demur import risk_coverage_curve
    >>> wrong, confidence = [0, 1, 0, 0, 0, 1, 0, 0], [0.95, 0.9, 0.9, 0.8, 0.7, 0.6, 0.6, 0.5]
    >>> curve = risk_coverage_curve(wrong, confidence)
    >>> curve.risk_at(0.5), curve.risk_at(1)
    (0.25, 0.25)
    >>> round(curve.aurc, 4), round(curve.augrc, 4)
    (0.2155, 0.125)
    """
    check_choice(convention, "convention", CONVENTIONS)
    losses = np.atleast_1d(check_probability(loss, "loss"))
    ranking = check_scores(confidence, "confidence")
    weights = check_weights(sample_weight)
    check_same_length(loss=losses, confidence=ranking, sample_weight=weights)
    if losses.ndim != 1:
        raise input_error("loss", "must be one-dimensional", f"shape {losses.shape}")
    if convention == "discrete":
        if weights is not None:
            raise input_error("sample_weight", "must be left out of the discrete convention", "weights")
        return _discrete_curve(losses, ranking)
    counts = _counted(losses, ranking, weights)
    if weights is not None and not weights.all():
        keep = weights > 0
        losses, ranking, weights = losses[keep], ranking[keep], weights[keep]
    lost = counts.positives
    above = running_sums(lost, lost + counts.negatives, backwards=True)
    accepted, answered = (sums[-2::-1] for sums in above)
    total = float(answered[-1])
    aurc, augrc = areas_under(answered, accepted)
    generalized = accepted / total
    # in the memory of what nobody needs any more: new memory takes longer than a division
    risk = np.divide(accepted, answered, out=accepted)
    coverage = np.divide(answered, total, out=answered)
    return RiskCoverageCurve(
        coverage=read_only(coverage),
        risk=read_only(risk),
        generalized_risk=read_only(generalized),
        thresholds=counts.scores[::-1],
        aurc=aurc,
        e_aurc=aurc - _best_aurc(losses, weights),
        augrc=augrc,
        convention="exact",
        n=counts.n,
        _loss=losses,
        _weight=weights,
        _confidence=ranking,
    )


def _counted(loss: FloatArray, confidence: FloatArray, weights: FloatArray | None) -> ScoreCounts:
    """Loss as positives and its complement as negatives, per distinct confidence."""
    if _all_or_nothing(loss):
        return ScoreCounts.from_arrays(loss == 1, confidence, sample_weight=weights)
    share = np.ones(len(loss)) if weights is None else weights
    return ScoreCounts.from_counts(confidence, share * loss, share * (1 - loss))


def _all_or_nothing(loss: FloatArray) -> bool:
    """Whether every case is an error or a right answer."""
    return bool(np.all((loss == 0) | (loss == 1)))


def _best_aurc(loss: FloatArray, weights: FloatArray | None) -> float:
    """AURC when the smallest losses are answered first."""
    if _all_or_nothing(loss):
        # two groups: the right answers, then the errors
        share = np.ones(len(loss)) if weights is None else weights
        errors = float(share[loss == 1].sum())
        right = float(share.sum()) - errors
        return _exact_areas(np.array([right, errors]), np.array([0.0, errors]))[0]
    ideal = _counted(loss, -loss, weights)
    return _exact_areas((ideal.positives + ideal.negatives)[::-1], ideal.positives[::-1])[0]


def _discrete_curve(loss: FloatArray, confidence: FloatArray) -> RiskCoverageCurve:
    order = ascending_order(-confidence)
    steps, size = np.arange(1, len(loss) + 1), len(loss)
    accepted = np.cumsum(loss[order])
    aurc, augrc = _discrete_areas(loss[order])
    return RiskCoverageCurve(
        coverage=read_only(steps / size),
        risk=read_only(accepted / steps),
        generalized_risk=read_only(accepted / size),
        thresholds=read_only(confidence[order]),
        aurc=aurc,
        e_aurc=aurc - _discrete_areas(sorted_values(loss))[0],
        augrc=augrc,
        convention="discrete",
        n=float(size),
        _loss=loss,
        _weight=None,
        _confidence=confidence,
    )


# ---------------------------------------------------------------- counts alone


def answers_by_confidence(counts: ScoreCounts) -> tuple[FloatArray, FloatArray]:
    """Return the weight of the answers and of the errors among them, down to every confidence.

    Scores are probabilities p: from 1/2 on the answer is positive, with confidence p, else negative, with
    1 - p. Equal confidences are answered together. The curve of `risk_coverage_curve`, without sorting.

    Examples
    --------
    The two surest answers are right; of the other two one is wrong.

    >>> counts = ScoreCounts.from_arrays([0, 1, 1, 1], [0.125, 0.25, 0.75, 0.875])
    >>> answers_by_confidence(counts)
    (array([2., 4.]), array([0., 1.]))
    """
    half, size = int(np.searchsorted(counts.scores, 0.5)), len(counts.scores)
    answered, wrong = np.empty(size), np.empty(size)
    with whole_job(_STEPS * size):
        columns = [counts.scores, counts.positives, counts.negatives, half]
        groups = run(_answers_loop, size, columns, [answered, wrong])
    return answered[:groups], wrong[:groups]


@kernel
def _answers_loop(scores: Any, positives: Any, negatives: Any, half: Any, answered: Any, wrong: Any) -> Any:
    low, high, groups = 0, len(scores) - 1, 0
    total = errors = 0.0
    while low < half or high >= half:
        confidence = 1 - scores[low] if low < half else 0.0
        if high >= half and scores[high] > confidence:
            confidence = scores[high]
        right = missed = 0.0
        # small probabilities may share the float nearest to 1 - p
        while low < half and 1 - scores[low] == confidence:
            missed += positives[low]
            right += negatives[low]
            low += 1
        if high >= half and scores[high] == confidence:
            missed += negatives[high]
            right += positives[high]
            high -= 1
        errors += missed
        total += missed + right
        answered[groups] = total
        wrong[groups] = errors
        groups += 1
    return groups
