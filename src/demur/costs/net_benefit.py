"""Net benefit (decision curve analysis): what acting on predicted probabilities is worth."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from demur._checks import (
    check_confidence_level,
    check_labels,
    check_prevalence,
    check_probability_scores,
    check_same_length,
    check_threshold_probability,
    check_weight_meaning,
    check_weights,
    input_error,
)
from demur._kernels.normal import normal_quantile
from demur._kernels.proportions import Stratum, linear_limits
from demur._results import Interval, Result, as_scalar
from demur.costs.curves import CostCurve, cost_curve
from demur.counts.scores import ScoreCounts, as_counts
from demur.typing import ArrayLike, BoolArray, FloatArray, Labels, Scalar

__all__ = ["NetBenefitCurve", "NetBenefitDifference", "net_benefit_curve", "net_benefit_difference"]


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class NetBenefitCurve(Result):
    """Net benefit against the threshold probability; made by `net_benefit_curve`.

    Attributes
    ----------
    curve : CostCurve
        The same scores in the unit of costs.
    prevalence : float
        Share of the positives in use.
    sampled : bool
        Whether the prevalence is that of the sample, and as uncertain as the rates.
    weights : {"importance", "repeats"}
        What the weights of the cases mean, for the standard error and the interval.
    """

    curve: CostCurve
    prevalence: float
    sampled: bool
    weights: str
    _evidence = ("curve",)
    _plotted = ("net_benefit", "threshold probability", "net benefit", 0.99)

    def net_benefit(self, threshold_probability: ArrayLike) -> Scalar:
        """Return the net benefit of acting where the predicted probability is at least t.

        True positives per case minus t / (1 - t) times false positives per case. It can be
        negative: then acting on this model does harm. Scores outside [0, 1] are refused.
        """
        t = check_threshold_probability(threshold_probability)
        tpr, fpr = self._rates(t)
        return as_scalar(np.asarray(self.prevalence * tpr - (1 - self.prevalence) * fpr * t / (1 - t)))

    def treat_all(self, threshold_probability: ArrayLike) -> Scalar:
        """Return the net benefit of acting on every case."""
        t = check_threshold_probability(threshold_probability)
        return as_scalar(np.asarray(self.prevalence - (1 - self.prevalence) * t / (1 - t)))

    def treat_none(self, threshold_probability: ArrayLike) -> Scalar:
        """Return the net benefit of acting on no case: 0."""
        return as_scalar(np.zeros_like(check_threshold_probability(threshold_probability)))

    def net_interventions_avoided(self, threshold_probability: ArrayLike) -> Scalar:
        """Return the unnecessary interventions per case that the model spares, none of the ill missed.

        The gain over acting on every case, in false positives: (net benefit - that of acting on all)
        times (1 - t) / t. Negative if acting on all is better. t must be positive.
        """
        t = check_threshold_probability(threshold_probability)
        if np.any(t == 0):
            raise input_error(
                "threshold_probability", "must be positive", 0.0, "at 0 an intervention costs nothing."
            )
        gain = np.asarray(self.net_benefit(t)) - np.asarray(self.treat_all(t))
        return as_scalar(np.asarray(gain * (1 - t) / t))

    def standard_error(self, threshold_probability: ArrayLike) -> Scalar:
        """Return the standard error of `net_benefit` for a fixed model on independent cases.

        Multinomial, by the influence of every case; with a given prevalence the two rates are
        independent binomial shares. It is 0 where no case, or every case, is acted on rightly:
        `interval` is not.
        """
        t = check_threshold_probability(threshold_probability)
        (acted, total), (acted_square, total_square) = (_acted(c, t) for c in self._weighted())
        price = t / (1 - t)
        if self.sampled:
            n = total[0] + total[1]
            mean = (acted[0] - price * acted[1]) / n
            rest = total_square[0] + total_square[1] - acted_square[0] - acted_square[1]
            square = acted_square[0] * (1 - mean) ** 2 + acted_square[1] * (price + mean) ** 2
            return as_scalar(np.asarray(np.sqrt(square + rest * mean**2) / n))
        square = np.zeros_like(t)
        scales: tuple[Any, Any] = (self.prevalence, (1 - self.prevalence) * price)
        for k, scale in enumerate(scales):
            rate = acted[k] / total[k]
            spread = acted_square[k] * (1 - rate) ** 2 + (total_square[k] - acted_square[k]) * rate**2
            square = square + scale**2 * spread / total[k] ** 2
        return as_scalar(np.asarray(np.sqrt(square)))

    def interval(self, threshold_probability: ArrayLike, *, confidence_level: float = 0.95) -> Interval:
        """Return the confidence interval of `net_benefit` for a fixed model on independent cases.

        The shares of true and of false positives have Wilson limits, joined by MOVER (Zou and
        Donner 2008): unlike value -+ 1.96 standard errors, it keeps its length where no error is
        seen. Importance weights enter by the effective number of cases.
        """
        t = check_threshold_probability(threshold_probability)
        z = normal_quantile(check_confidence_level(confidence_level))
        tpr, fpr = self._rates(t)
        price = t / (1 - t)
        # effective numbers of cases
        plain, squared = self._weighted()
        if self.sampled:
            shares = self.prevalence * tpr, (1 - self.prevalence) * fpr
            strata = [Stratum((1.0, -price), shares, plain.n**2 / squared.n)]
        else:
            sizes = plain.n_positive**2 / squared.n_positive, plain.n_negative**2 / squared.n_negative
            strata = [
                Stratum((self.prevalence,), (tpr,), sizes[0]),
                Stratum((-(1 - self.prevalence) * price,), (fpr,), sizes[1]),
            ]
        low, high = linear_limits(strata, z)
        return Interval(as_scalar(np.asarray(low)), as_scalar(np.asarray(high)))  # type: ignore[arg-type]

    def optimal_net_benefit(self, threshold_probability: ArrayLike) -> Scalar:
        """Return the largest net benefit any threshold of the scores reaches, chosen in hindsight.

        What these scores could be worth if they were calibrated on the very cases they are judged
        on: it never falls below acting on all or on none, so it cannot show harm. Any scores.
        """
        t = check_threshold_probability(threshold_probability)
        worst = self.prevalence + (1 - self.prevalence) * t / (1 - t)
        cost = worst * np.asarray(self.curve.expected_cost(self._pc(t)))
        return as_scalar(np.asarray(self.prevalence - cost))

    def optimal_threshold(self, threshold_probability: ArrayLike) -> Scalar:
        """Return the score from which on acting reaches `optimal_net_benefit`."""
        return self.curve.threshold(self._pc(check_threshold_probability(threshold_probability)))

    def _rates(self, t: FloatArray) -> tuple[Any, Any]:
        """Shares of the positives and of the negatives whose probability is at least t."""
        (positives, negatives), (n_positive, n_negative) = _acted(self._probabilities(), t)
        return positives / n_positive, negatives / n_negative

    def _probabilities(self) -> ScoreCounts:
        counts = self.curve.counts
        low, high = counts.score_range
        if low < 0 or high > 1:
            raise input_error(
                "y_score",
                "must hold probabilities in [0, 1] to act on them",
                f"scores from {low:g} to {high:g}",
                "calibrate the scores, or use optimal_net_benefit, which takes any scores.",
            )
        return counts

    def _weighted(self) -> tuple[ScoreCounts, ScoreCounts]:
        """Counts, and counts of squared weights."""
        counts = self._probabilities()
        if self.weights == "repeats":
            return counts, counts
        return counts.importance("The standard error of a net benefit")

    def _pc(self, t: FloatArray) -> FloatArray:
        """Operating point of a threshold probability: cost_fp / cost_fn = t / (1 - t)."""
        missed, alarmed = self.prevalence * (1 - t), (1 - self.prevalence) * t
        total = missed + alarmed
        # without positives and with free false alarms any point costs nothing
        return np.divide(missed, total, out=np.zeros_like(total), where=total > 0)

    def to_dict(self) -> dict[str, Any]:
        """Return the curves at threshold probabilities 0, 0.01, ..., 0.99 as JSON-safe types.

        "net_benefit" is None if the scores are not probabilities.
        """
        t = np.arange(100) / 100
        low, high = self.curve.counts.score_range
        plug_in = np.asarray(self.net_benefit(t)).tolist() if low >= 0 and high <= 1 else None
        return {
            "prevalence": self.prevalence,
            "threshold_probability": t.tolist(),
            "net_benefit": plug_in,
            "optimal_net_benefit": np.asarray(self.optimal_net_benefit(t)).tolist(),
            "treat_all": np.asarray(self.treat_all(t)).tolist(),
        }


def _acted(counts: ScoreCounts, t: FloatArray) -> tuple[tuple[Any, Any], tuple[float, float]]:
    """Weight of the positives and negatives with a score of at least t, and of all of them."""
    if counts.unweighted:
        samples = counts.scores_by_class()
        positives, negatives = (len(one) - np.searchsorted(one, t, side="left") for one in samples)
        return (positives, negatives), (counts.n_positive, counts.n_negative)
    at = np.searchsorted(counts.scores, t, side="left")
    acted, totals = [], []
    for column in (counts.positives, counts.negatives):
        from_score = np.append(np.cumsum(column[::-1])[::-1], 0.0)
        acted.append(from_score[at])
        totals.append(float(from_score[0]))
    return (acted[0], acted[1]), (totals[0], totals[1])


def net_benefit_curve(
    y_true: Labels | ScoreCounts,
    y_score: ArrayLike | None = None,
    *,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
    weights: str = "importance",
    prevalence: float | None = None,
) -> NetBenefitCurve:
    """Net benefit of acting on predicted probabilities (decision curve analysis); the higher the better.

    t is the probability from which on a case is worth acting on, a matter of costs alone. Acting on
    a case that needs it counts 1, acting on one that does not costs t / (1 - t). A useful model
    beats both acting on every case and acting on none (0); one that does not is harmful at that t.

    Parameters
    ----------
    y_true, y_score, pos_label, sample_weight, prevalence
        As in `abstention_surface`; `y_score` are probabilities in [0, 1], except for the two
        methods called optimal.
    weights : {"importance", "repeats"}
        For standard errors and intervals: whether a case is one case whatever its weight, or a
        weight of 2 is two cases.

    Returns
    -------
    NetBenefitCurve
        With `net_benefit`, `interval`, `standard_error`, `treat_all`, `treat_none`,
        `net_interventions_avoided`; `optimal_net_benefit` and `optimal_threshold` in hindsight.

    Notes
    -----
    NB(t) = TP/n - FP/n * t/(1 - t) with the cases of probability >= t acted on; with a given
    prevalence pi, pi TPR - (1 - pi) FPR t/(1 - t). The optimal one is a rescaled cost curve:
    pi - k(mu = t / (1 - t), never abstain).

    References
    ----------
    Vickers and Elkin (2006), Medical Decision Making 26, doi:10.1177/0272989X06295361.
    Zou and Donner (2008), Statistics in Medicine 27, doi:10.1002/sim.3095.

    Examples
    --------
    Acting pays from a risk of 20 % on. Treating everybody is worth 0.375 true positives per case,
    the model 0.4375: it saves a quarter of an intervention per case.

    >>> from demur import net_benefit_curve
    >>> y = [0, 0, 0, 1, 0, 1, 1, 1]
    >>> p = [0.1, 0.2, 0.15, 0.4, 0.5, 0.6, 0.8, 0.9]
    >>> curve = net_benefit_curve(y, p)
    >>> round(curve.net_benefit(0.2), 4), curve.treat_all(0.2)
    (0.4375, 0.375)
    >>> round(curve.net_interventions_avoided(0.2), 3)
    0.25
    """
    check_weight_meaning(weights)
    counts = as_counts(y_true, y_score, pos_label=pos_label, sample_weight=sample_weight)
    return NetBenefitCurve(
        curve=cost_curve(counts),
        prevalence=check_prevalence(prevalence, positives=counts.n_positive, negatives=counts.n_negative),
        sampled=prevalence is None,
        weights=weights,
    )


# ---------------------------------------------------------------- two models


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class NetBenefitDifference(Result):
    """Net benefit of two models on the same cases; made by `net_benefit_difference`.

    Attributes
    ----------
    threshold_probability : float
    net_benefit_a, net_benefit_b, difference : float
        difference = net_benefit_a - net_benefit_b, positive where model a is worth more.
    standard_error : float
        Of the difference, by the influence of every case.
    """

    threshold_probability: float
    net_benefit_a: float
    net_benefit_b: float
    difference: float
    standard_error: float
    _strata: tuple[Stratum, ...]
    _told = ("t:threshold_probability", "difference", "standard_error")

    def interval(self, confidence_level: float = 0.95) -> Interval:
        """Return the confidence interval of the difference.

        Wilson limits of the shares of cases on which the models decide differently, joined by MOVER
        (Zou and Donner 2008); it has length even if they always agree on the sample. Cautious: in
        simulations it covers 97 to 100 % at level 0.95.
        """
        z = normal_quantile(check_confidence_level(confidence_level))
        low, high = linear_limits(self._strata, z)
        return Interval(float(low), float(high))


def net_benefit_difference(
    y_true: Labels,
    score_a: ArrayLike,
    score_b: ArrayLike,
    *,
    threshold_probability: float,
    prevalence: float | None = None,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
    weights: str = "importance",
) -> NetBenefitDifference:
    """Net benefit of one model minus that of another on the same cases; positive favours model a.

    Both act where their own probability is at least t. Only cases on which they decide differently
    count, so the interval is narrower than two single intervals suggest. Assumes independent cases
    and models that were not fitted to them.

    Parameters
    ----------
    y_true, pos_label, sample_weight, prevalence
        As in `abstention_surface`, but arrays only.
    score_a, score_b : array of n numbers in [0, 1]
        Predicted probabilities of the positive label.
    threshold_probability : float in [0, 1)
        Act from this probability on.
    weights : {"importance", "repeats"}
        As in `net_benefit_curve`.

    Returns
    -------
    NetBenefitDifference
        With `interval(confidence_level)`.

    Raises
    ------
    InputError
        If scores are not probabilities, or the threshold is not in [0, 1).

    Notes
    -----
    With b, c the shares of positives acted on by a only and by b only, and B, C those of the
    negatives: (b - c) - (B - C) t / (1 - t), all as shares of the cases; with a given prevalence as
    shares of their class, weighted by it.

    References
    ----------
    Vickers and Elkin (2006), Medical Decision Making 26, doi:10.1177/0272989X06295361.
    Zou and Donner (2008), Statistics in Medicine 27, doi:10.1002/sim.3095.

    Examples
    --------
    Model a spares two of eight people an unnecessary treatment. Eight are too few to prove it:

    >>> from demur.costs import net_benefit_difference
    >>> y = [0, 0, 0, 1, 0, 1, 1, 1]
    >>> a = [0.1, 0.2, 0.15, 0.4, 0.5, 0.6, 0.8, 0.9]
    >>> b = [0.4, 0.2, 0.35, 0.4, 0.5, 0.6, 0.8, 0.9]
    >>> gap = net_benefit_difference(y, a, b, threshold_probability=0.25)
    >>> round(gap.difference, 4), gap.interval().low > 0
    (0.0833, False)
    """
    check_weight_meaning(weights)
    t = float(check_threshold_probability(threshold_probability))
    positive = check_labels(y_true, pos_label)
    models = [check_probability_scores(s, name) for s, name in ((score_a, "score_a"), (score_b, "score_b"))]
    given = check_weights(sample_weight)
    check_same_length(y_true=positive, score_a=models[0], score_b=models[1], sample_weight=given)
    weight = np.ones(len(positive)) if given is None else given
    if weights == "importance":
        weight = weight / weight.max()
    n_positive, n_negative = float(weight[positive].sum()), float(weight[~positive].sum())
    rate = check_prevalence(prevalence, positives=n_positive, negatives=n_negative)
    price = t / (1 - t)
    acted = [scores >= t for scores in models]
    scale = np.where(positive, 1.0, -price) / (n_positive + n_negative)
    if prevalence is not None:
        scale = np.where(positive, rate / n_positive, -(1 - rate) * price / n_negative)
    values = [float((weight * scale * act).sum()) for act in acted]
    strata, standard_error = _paired_spread(
        positive, acted, scale, weight, repeats=weights == "repeats", sampled=prevalence is None
    )
    return NetBenefitDifference(
        threshold_probability=t,
        net_benefit_a=values[0],
        net_benefit_b=values[1],
        difference=values[0] - values[1],
        standard_error=standard_error,
        _strata=strata,
    )


def _paired_spread(
    positive: BoolArray,
    acted: list[BoolArray],
    scale: FloatArray,
    weight: FloatArray,
    *,
    repeats: bool,
    sampled: bool,
) -> tuple[tuple[Stratum, ...], float]:
    """Shares of the four kinds of disagreement per stratum, and the standard error of the difference."""
    strata, square = [], 0.0
    everyone = np.ones(len(positive), dtype=np.bool_)
    for members in (everyone,) if sampled else (positive, ~positive):
        total = float(weight[members].sum())
        spread = weight[members] if repeats else weight[members] ** 2
        gain = (scale * (acted[0].astype(np.float64) - acted[1]))[members]
        mean = float((weight[members] * gain).sum()) / total
        square += float((spread * (gain - mean) ** 2).sum())
        coefficients, shares = [], []
        for label in (positive, ~positive):
            for sign, (one, other) in ((1, acted), (-1, acted[::-1])):
                kind = members & label & one & ~other
                if np.any(label & members):
                    coefficients.append(sign * total * float(scale[label][0]))
                    shares.append(float(weight[kind].sum()) / total)
        size = total if repeats else total**2 / float(spread.sum())
        strata.append(Stratum(tuple(coefficients), tuple(shares), size))
    return tuple(strata), float(np.sqrt(square))
