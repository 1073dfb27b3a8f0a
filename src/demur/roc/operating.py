"""Operating points: every rate and ratio of one threshold, and points of a ROC curve, with intervals."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np

from demur._checks import (
    check_choice,
    check_confidence_level,
    check_number,
    check_positive,
    check_positive_int,
    check_prevalence,
    check_probability,
    check_rate,
    check_rng,
    check_scores,
    check_weight_meaning,
    input_error,
)
from demur._kernels.normal import normal_quantile
from demur._kernels.proportions import (
    Stratum,
    binomial_interval,
    linear_limits,
    odds_ratio_limits,
    pointwise_limits,
    ratio_limits,
    wilson_limits,
)
from demur._results import Interval, Result, as_scalar
from demur.counts.scores import ScoreCounts, as_counts
from demur.exceptions import UndefinedError
from demur.roc.curve import running_rate
from demur.typing import ArrayLike, FloatArray, Labels, Range, Scalar

__all__ = [
    "Choice",
    "ExpectedCases",
    "HasCostRatio",
    "OperatingPoint",
    "RocInterval",
    "chosen",
    "class_sizes",
    "hits_and_alarms",
    "only_one",
    "operating_point",
    "optimism",
    "roc_interval",
]


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class ExpectedCases(Result):
    """What happens to a given number of cases at an operating point; made by `OperatingPoint.per`.

    Attributes
    ----------
    n, prevalence : float
        How many cases, and the share of positives among them.
    tp, fn, fp, tn : float
        Expected numbers of hits, misses, false alarms and correct rejections.
    intervals : mapping
        The interval of each of the four.
    """

    n: float
    prevalence: float
    tp: float
    fn: float
    fp: float
    tn: float
    intervals: dict[str, Interval]


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class OperatingPoint(Result):
    """One threshold with its rates; made by `operating_point`.

    A measure is None where it is 0 / 0 (the precision of a rule that calls nobody positive).

    Attributes
    ----------
    threshold : float
        A case is called positive if its score is at least this; infinite: nobody is.
    chosen_by : str
        How the threshold was chosen, in words.
    sensitivity, specificity, ppv, npv, accuracy, youden, f1, phi : float or None
        Youden's J is sensitivity + specificity - 1; f1 the harmonic mean of ppv and sensitivity; phi
        the correlation of decision and class (Matthews).
    lr_positive, lr_negative, odds_ratio : float or None
        sensitivity / (1 - specificity), (1 - sensitivity) / specificity, and their quotient.
    tp, fn, fp, tn : float
        Weight of hits, misses, false alarms and correct rejections in the sample.
    prevalence : float
        Share of positives that ppv, npv, accuracy, f1 and phi refer to.
    optimism : pair of floats
        How much too high sensitivity and specificity look because the threshold was chosen on
        the same cases, in this order; (0, 0) unless the choice looked at both classes. The
        intervals are corrected for it, the measures are not.
    intervals : mapping
        The interval of each measure by its name.
    confidence_level : float
    """

    threshold: float
    chosen_by: str
    sensitivity: float
    specificity: float
    ppv: float | None
    npv: float | None
    accuracy: float
    youden: float
    lr_positive: float | None
    lr_negative: float | None
    odds_ratio: float | None
    f1: float | None
    phi: float | None
    tp: float
    fn: float
    fp: float
    tn: float
    prevalence: float
    optimism: tuple[float, float]
    intervals: dict[str, Interval]
    confidence_level: float
    _told = ("threshold", "sensitivity", "specificity")

    def interval(self, measure: str) -> Interval:
        """Return the interval of one measure."""
        return self.intervals[check_choice(measure, "measure", tuple(self.intervals))]

    def per(self, n: float = 1000, *, prevalence: float | None = None) -> ExpectedCases:
        """Return what happens to n cases of any prevalence (default: that of the point)."""
        size = check_positive(n, "n")
        rate = check_prevalence(
            self.prevalence if prevalence is None else prevalence, positives=1.0, negatives=1.0
        )
        classes = size * rate, size * (1 - rate)
        ends = zip(self.intervals["sensitivity"], self.intervals["specificity"], strict=True)
        low, high = (_outcomes(*rates, *classes) for rates in ends)
        return ExpectedCases(
            n=size,
            prevalence=rate,
            **_outcomes(self.sensitivity, self.specificity, *classes),
            intervals={name: Interval(*sorted((low[name], high[name]))) for name in low},
        )


def operating_point(
    y_true: Labels | ScoreCounts,
    y_score: ArrayLike | None = None,
    *,
    threshold: float | str | None = None,
    sensitivity: float | None = None,
    specificity: float | None = None,
    costs: HasCostRatio | None = None,
    prevalence: float | None = None,
    confidence_level: float = 0.95,
    n_resamples: int = 500,
    rng: Any = 0,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
    weights: str = "importance",
) -> OperatingPoint:
    """Every rate of one threshold, with intervals: what this threshold will do on new cases.

    Assumes independent cases. Give the threshold, or say how to choose it: exactly one of
    `threshold`, `sensitivity`, `specificity` and `costs`. For two thresholds with abstention between
    them see `abstention_surface`.

    Parameters
    ----------
    y_true, y_score, pos_label, sample_weight
        As in `abstention_surface`.
    threshold : float, "youden" or "closest", optional
        A number: scores from it on are called positive. "youden": largest sensitivity + specificity.
        "closest": smallest distance to the corner of the perfect classifier. Of equal thresholds the
        highest is taken.
    sensitivity, specificity : float, optional
        The threshold that keeps at least this rate with the best other one.
    costs : CostModel, optional
        The threshold of the smallest expected cost.
    prevalence : float, optional
        Share of positives in use, for ppv, npv, accuracy, f1, phi and `costs`; default: the sample's.
    confidence_level : float, default 0.95
        Of each interval alone.
    n_resamples, rng
        For thresholds chosen by looking at both classes: resamples that measure the optimism, and
        their seed.
    weights : {"importance", "repeats"}
        "importance": intervals use the effective number of cases. "repeats": a weight of 2 is two cases.

    Returns
    -------
    OperatingPoint
        With `interval(measure)` and `per(1000, prevalence=...)`.

    Raises
    ------
    InputError
        If not exactly one way to choose is given.
    UndefinedError
        If a class is missing.

    Notes
    -----
    Exact (Clopper and Pearson): sensitivity and specificity; for the sample's prevalence also ppv,
    npv, accuracy, and f1 through tp / (tp + fp + fn). Score tests of two shares, inverted: likelihood
    ratios (Koopman), odds ratio (Cornfield), ppv and npv at a given prevalence. Distances to Wilson
    limits, added in squares (MOVER): youden, phi, and accuracy and f1 at a given prevalence.

    A threshold fixed in advance, or chosen by one rate, leaves these intervals exact: the other class
    is untouched, and the rate of an order statistic is a Beta law within the limits. "youden",
    "closest" and `costs` look at both classes, so both rates are flattered: the counts are lowered by
    the optimism before the intervals are made (coverage 0.945 to 0.985 in binormal samples of 20 to
    200 cases per class; uncorrected down to 0.885).

    References
    ----------
    Clopper and Pearson (1934), Biometrika 26, doi:10.1093/biomet/26.4.404.
    Koopman (1984), Biometrics 40, doi:10.2307/2531405.
    Cornfield (1956), Proceedings of the Third Berkeley Symposium 4, 135-148.
    Zou and Donner (2008), Statistics in Medicine 27, doi:10.1002/sim.3095.
    Efron and Gong (1983), The American Statistician 37, doi:10.1080/00031305.1983.10483087.

    Examples
    --------
    Nine of ten ill people must be found. Of a thousand people screened, how many false alarms?

    >>> from demur import Binormal
    >>> from demur.roc import operating_point
    >>> y, s = Binormal(separation=2.0).sample(400, rng=0)
    >>> point = operating_point(y, s, sensitivity=0.9)
    >>> screened = point.per(1000, prevalence=0.02)
    >>> round(screened.fp), [round(limit) for limit in screened.intervals["fp"]]
    (200, [155, 251])
    """
    check_weight_meaning(weights)
    level = check_confidence_level(confidence_level)
    counts = as_counts(
        y_true, y_score, pos_label=pos_label, sample_weight=sample_weight, both_classes="An operating point"
    )
    share = check_prevalence(prevalence, positives=counts.n_positive, negatives=counts.n_negative)
    draws, generator = check_positive_int(n_resamples, "n_resamples"), check_rng(rng)
    choice = chosen(counts, threshold, sensitivity, specificity, costs, share)
    sizes, counted = class_sizes(counts, weights, "an operating point")
    tpr, fpr = hits_and_alarms(counts.positives, counts.negatives)
    at = choice.pick(tpr, fpr)
    # the number asked for, or the score the rule chose
    used = math.inf if at == 0 else float(counts.scores[len(counts.scores) - at])
    if threshold is not None and not isinstance(threshold, str):
        used = float(threshold)
    too_high = (0.0, 0.0)
    if choice.both_classes:
        too_high = optimism(counts, choice, sizes, n_resamples=draws, rng=generator)
    rates = float(tpr[at]), 1 - float(fpr[at])
    fair = [min(max(rate - gap, 0.0), 1.0) for rate, gap in zip(rates, too_high, strict=True)]
    expected = _outcomes(fair[0], fair[1], *sizes)
    return OperatingPoint(
        threshold=used,
        chosen_by=choice.words,
        **_measures(*rates, share),
        **_outcomes(*rates, counts.n_positive, counts.n_negative),
        prevalence=share,
        optimism=too_high,
        intervals=_intervals(expected, share, level, sampled=prevalence is None and counted),
        confidence_level=level,
    )


def class_sizes(counts: ScoreCounts, weights: str, quantity: str) -> tuple[tuple[float, float], bool]:
    """Numbers of positives and negatives the intervals rest on, and whether they are counts of cases."""
    if weights == "repeats":
        counts.require_repeated_cases(quantity)
        return (counts.n_positive, counts.n_negative), True
    plain, squared = counts.importance(f"{quantity[0].upper()}{quantity[1:]}")
    sizes = plain.n_positive**2 / squared.n_positive, plain.n_negative**2 / squared.n_negative
    return sizes, plain is squared


def _outcomes(sensitivity: float, specificity: float, positives: float, negatives: float) -> dict[str, float]:
    """Return the outcomes in numbers of cases; they need not be whole."""
    return {
        "tp": sensitivity * positives,
        "fn": (1 - sensitivity) * positives,
        "fp": (1 - specificity) * negatives,
        "tn": specificity * negatives,
    }


# ---------------------------------------------------------------- measures


def _quotient(over: float, under: float) -> float | None:
    """None for 0 / 0, infinite over 0."""
    if under > 0:
        return over / under
    return math.inf if over > 0 else None


def _f1(sensitivity: float, specificity: float, prevalence: float) -> float | None:
    hits = prevalence * sensitivity
    alarms = (1 - prevalence) * (1 - specificity)
    return _quotient(2 * hits, hits + alarms + prevalence)


def _phi(sensitivity: float, specificity: float, prevalence: float) -> float | None:
    """Correlation; it rises with both rates."""
    called = prevalence * sensitivity + (1 - prevalence) * (1 - specificity)
    spread = called * (1 - called)
    if spread <= 0:
        return None
    gain = sensitivity + specificity - 1
    return gain * math.sqrt(prevalence * (1 - prevalence) / spread)


def _measures(sensitivity: float, specificity: float, prevalence: float) -> dict[str, Any]:
    miss, alarm = 1 - sensitivity, 1 - specificity
    ill, well = prevalence, 1 - prevalence
    return {
        "sensitivity": sensitivity,
        "specificity": specificity,
        "ppv": _quotient(ill * sensitivity, ill * sensitivity + well * alarm),
        "npv": _quotient(well * specificity, well * specificity + ill * miss),
        "accuracy": ill * sensitivity + well * specificity,
        "youden": sensitivity + specificity - 1,
        "lr_positive": _quotient(sensitivity, alarm),
        "lr_negative": _quotient(miss, specificity),
        "odds_ratio": _quotient(sensitivity * specificity, miss * alarm),
        "f1": _f1(sensitivity, specificity, prevalence),
        "phi": _phi(sensitivity, specificity, prevalence),
    }


# ---------------------------------------------------------------- intervals


def _exact(count: float, n: float, level: float) -> Interval:
    if n <= 0:
        return Interval(0.0, 1.0)
    low, high = binomial_interval(min(count, n), n, level)
    return Interval(float(low), float(high))


def _intervals(
    outcomes: dict[str, float], prevalence: float, level: float, *, sampled: bool
) -> dict[str, Interval]:
    tp, fn, fp, tn = outcomes.values()
    z, sizes = normal_quantile(level), (tp + fn, fp + tn)
    rates = tp / sizes[0], tn / sizes[1]
    lr_positive = Interval(*ratio_limits(tp, sizes[0], fp, sizes[1], z))
    lr_negative = Interval(*ratio_limits(fn, sizes[0], tn, sizes[1], z))
    if sampled:
        overlap = _exact(tp, tp + fp + fn, level)
        by_prevalence = {
            "ppv": _exact(tp, tp + fp, level),
            "npv": _exact(tn, tn + fn, level),
            "accuracy": _exact(tp + tn, sum(sizes), level),
            "f1": Interval(*(2 * share / (1 + share) for share in overlap)),
        }
    else:
        by_prevalence = {
            "ppv": Interval(*(_posterior(ratio, prevalence) for ratio in lr_positive)),
            "npv": Interval(*(1 - _posterior(ratio, prevalence) for ratio in lr_negative[::-1])),
            "accuracy": _linear(rates, sizes, (prevalence, 1 - prevalence), z),
            "f1": _combined(rates, sizes, lambda se, sp: _f1(se, sp, prevalence), z, lowest=0.0),
        }
    return {
        "sensitivity": _exact(tp, sizes[0], level),
        "specificity": _exact(tn, sizes[1], level),
        "ppv": by_prevalence["ppv"],
        "npv": by_prevalence["npv"],
        "accuracy": by_prevalence["accuracy"],
        "youden": _linear(rates, sizes, (1.0, 1.0), z, shift=-1.0),
        "lr_positive": lr_positive,
        "lr_negative": lr_negative,
        "odds_ratio": Interval(*odds_ratio_limits(tp, sizes[0], fp, sizes[1], z)),
        "f1": by_prevalence["f1"],
        "phi": _combined(rates, sizes, lambda se, sp: _phi(se, sp, prevalence), z, lowest=-1.0),
    }


def _posterior(ratio: float, prevalence: float) -> float:
    """Probability of the positive class after a likelihood ratio."""
    if math.isinf(ratio):
        return 1.0 if prevalence > 0 else 0.0
    hits = prevalence * ratio
    return hits / (hits + 1 - prevalence) if hits + 1 - prevalence > 0 else 1.0


def _linear(rates: Range, sizes: Range, factors: Range, z: float, shift: float = 0.0) -> Interval:
    strata = [Stratum((c,), (rate,), n) for c, rate, n in zip(factors, rates, sizes, strict=True)]
    low, high = linear_limits(strata, z)
    return Interval(float(low) + shift, float(high) + shift)


def _combined(
    rates: Range, sizes: Range, measure: Callable[[float, float], float | None], z: float, *, lowest: float
) -> Interval:
    """Limits of a measure that rises with both rates: squared distances to each rate's limits add up."""
    first, second = (wilson_limits(rate, n, z) for rate, n in zip(rates, sizes, strict=True))
    value = measure(*rates)
    if value is None:
        return Interval(lowest, 1.0)
    distances = []
    for side, bound in ((0, lowest), (1, 1.0)):
        moved = measure(float(first[side]), rates[1]), measure(rates[0], float(second[side]))
        distances.append(math.hypot(*((bound if part is None else part) - value for part in moved)))
    return Interval(max(value - distances[0], lowest), min(value + distances[1], 1.0))


_ROUNDING = 1e-12


class HasCostRatio(Protocol):
    """Costs of errors, such as a `CostModel`."""

    @property
    def mu(self) -> float:
        """Cost of a false alarm relative to that of a miss."""


class Choice(NamedTuple):
    """A rule that picks one threshold of a curve.

    words
        The rule in words.
    pick
        Position among the thresholds, given the true and false positive rates.
    both_classes
        Whether the choice looks at both classes; then its rates are flattered.
    """

    words: str
    pick: Callable[[FloatArray, FloatArray], int]
    both_classes: bool


CRITERIA = {
    "youden": Choice(
        "the largest sensitivity + specificity - 1",
        lambda tpr, fpr: int(np.argmax(np.round(tpr - fpr, 12))),
        both_classes=True,
    ),
    "closest": Choice(
        "the point closest to the corner (0, 1)",
        lambda tpr, fpr: int(np.argmin(np.round((1 - tpr) ** 2 + fpr**2, 12))),
        both_classes=True,
    ),
}


def only_one(hint: str, **given: Any) -> tuple[str, Any]:
    """Return the name and the value of the one argument that is given."""
    named = {name: value for name, value in given.items() if value is not None}
    if len(named) != 1:
        *names, last = given
        got = " and ".join(named) or "none"
        raise input_error(f"{', '.join(names)} and {last}", "must be given one at a time", got, hint)
    return named.popitem()


def chosen(
    counts: ScoreCounts,
    threshold: float | str | None,
    sensitivity: float | None,
    specificity: float | None,
    costs: HasCostRatio | None,
    prevalence: float,
) -> Choice:
    """Return the rule that chooses the threshold; exactly one of the first four must be given."""
    only_one(
        "threshold=0.5 for a threshold fixed in advance, threshold='youden' to choose one.",
        threshold=threshold,
        sensitivity=sensitivity,
        specificity=specificity,
        costs=costs,
    )
    if isinstance(threshold, str):
        if threshold not in CRITERIA:
            wanted = "must be a number or one of " + ", ".join(map(repr, CRITERIA))
            raise input_error("threshold", wanted, repr(threshold))
        return CRITERIA[threshold]
    if threshold is not None:
        # infinities are thresholds too: nobody, or everybody, is called positive
        value = float(threshold) if np.isinf(threshold) else check_number(threshold, "threshold")
        position = len(counts.scores) - int(np.searchsorted(counts.scores, value, side="left"))
        return Choice(
            f"the threshold {value:g}, fixed in advance", lambda tpr, fpr: position, both_classes=False
        )
    if sensitivity is not None:
        rate = check_rate(sensitivity, "sensitivity")
        return Choice(
            f"the highest threshold with a sensitivity of at least {rate:g}",
            lambda tpr, fpr: int(np.argmax(tpr >= rate - _ROUNDING)),
            both_classes=False,
        )
    if specificity is not None:
        rate = check_rate(specificity, "specificity")
        return Choice(
            f"the lowest threshold with a specificity of at least {rate:g}",
            lambda tpr, fpr: int(np.flatnonzero(1 - fpr >= rate - _ROUNDING)[-1]),
            both_classes=False,
        )
    mu = getattr(costs, "mu", None)
    if mu is None:
        raise input_error(
            "costs", "must be a CostModel", type(costs).__name__, "CostModel(cost_fn=5, cost_fp=1)."
        )
    return Choice(
        f"the smallest expected cost, a false alarm costing {mu:g} misses",
        lambda tpr, fpr: int(np.argmin(prevalence * (1 - tpr) + (1 - prevalence) * mu * fpr)),
        both_classes=True,
    )


def hits_and_alarms(positives: Any, negatives: Any) -> tuple[FloatArray, FloatArray]:
    """Rates of both classes called positive at every threshold, from none to all."""
    return running_rate(positives[::-1]), running_rate(negatives[::-1])


def optimism(
    counts: ScoreCounts,
    choice: Choice,
    sizes: tuple[float, float],
    *,
    n_resamples: int,
    rng: np.random.Generator,
) -> tuple[float, float]:
    """How much too high the true positive rate and the specificity of a chosen threshold look.

    Mean over resamples of what the threshold chosen there shows there minus what it shows on the
    sample (Efron and Gong 1983). `sizes`: numbers of positives and negatives to draw.
    """
    shares = counts.positives / counts.n_positive, counts.negatives / counts.n_negative
    tpr, fpr = hits_and_alarms(*shares)
    total = np.zeros(2)
    for _ in range(n_resamples):
        drawn = [rng.multinomial(int(n), part) for n, part in zip(sizes, shares, strict=True)]
        tpr_drawn, fpr_drawn = hits_and_alarms(*drawn)
        at = choice.pick(tpr_drawn, fpr_drawn)
        total += tpr_drawn[at] - tpr[at], fpr[at] - fpr_drawn[at]
    return float(total[0] / n_resamples), float(total[1] / n_resamples)


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class RocInterval(Result):
    """Points of a ROC curve with limits; made by `roc_interval`.

    Numbers for one point, arrays for several.

    Attributes
    ----------
    held : {"specificity", "sensitivity", "threshold"}
        What was fixed in advance.
    at : float or array
        Its values.
    sensitivity, specificity : float or array
        The empirical curve there; between two thresholds on the straight segment.
    sensitivity_interval, specificity_interval : Interval
        Limits of the true rates. The rate that was held has no length.
    method : {"mover", "exact"}
        How they were made; those of a threshold are always exact.
    confidence_level : float
        Of each interval alone.
    """

    held: str
    at: Scalar
    sensitivity: Scalar
    specificity: Scalar
    sensitivity_interval: Interval
    specificity_interval: Interval
    method: str
    confidence_level: float

    @property
    def low(self) -> Scalar:
        """Lower limit of the rate that was not held."""
        return self._asked.low

    @property
    def high(self) -> Scalar:
        """Upper limit of the rate that was not held."""
        return self._asked.high

    @property
    def _asked(self) -> Interval:
        if self.held == "threshold":
            raise UndefinedError(
                "A threshold has two intervals, so `low` and `high` are ambiguous, got held = 'threshold'. "
                "Hint: sensitivity_interval and specificity_interval."
            )
        return self.sensitivity_interval if self.held == "specificity" else self.specificity_interval


def roc_interval(
    y_true: Labels | ScoreCounts,
    y_score: ArrayLike | None = None,
    *,
    specificity: ArrayLike | None = None,
    sensitivity: ArrayLike | None = None,
    threshold: ArrayLike | None = None,
    method: str = "mover",
    confidence_level: float = 0.95,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
    weights: str = "importance",
) -> RocInterval:
    """Intervals of a ROC curve at one specificity, sensitivity or threshold, or at several.

    At a specificity: the sensitivity of the true curve there, where the threshold is unknown; at a
    sensitivity the other way round; at a threshold both rates of it. What is held must be fixed in
    advance: for a threshold chosen on these cases see `operating_point`, for the whole curve at once
    `roc_band`. Assumes independent cases within each class.

    Parameters
    ----------
    y_true, y_score, pos_label, sample_weight
        As in `abstention_surface`.
    specificity, sensitivity, threshold : float or array
        Exactly one of the three. Scores from `threshold` on are called positive.
    method : {"mover", "exact"}, default "mover"
        For a rate that is held. "exact" holds at least its level for every sample size, and is wider.
        A threshold has exact intervals.
    confidence_level : float, default 0.95
        Of each interval alone.
    weights : {"importance", "repeats"}
        "importance": the effective number of cases, an approximation. "repeats": a weight of 2 is two
        cases.

    Returns
    -------
    RocInterval
        `low`, `high` for a rate; `sensitivity_interval` and `specificity_interval` for a threshold.

    Raises
    ------
    InputError
        If not exactly one of the three is given.
    UndefinedError
        If a class is missing.

    Notes
    -----
    At a threshold the numbers of hits and of correct rejections are binomial (Clopper and Pearson).
    At a specificity x the number of negatives above the unknown threshold is binomial (N, 1 - x),
    which leaves a range of thresholds; the hits there are binomial and independent. "exact": each
    statement has the level sqrt(confidence_level), so both hold with at least confidence_level. "mover":
    each has confidence_level, and how far the curve at the ends of the range, and the limits of Clopper
    and Pearson, are from the estimate is added in squares (Zou and Donner). No resampling.

    Coverage of nominal 0.95 at specificity 0.9 (2,000 samples; AUC 0.75, 0.9, 0.98; 10 + 90, 50 + 50
    and 50 + 450 cases): "mover" 0.968 to 0.998, "exact" 0.998 to 1 (docs/coverage.md).

    References
    ----------
    Clopper and Pearson (1934), Biometrika 26, doi:10.1093/biomet/26.4.404.
    Hilgers (1991), Methods of Information in Medicine 30, 96-101.
    Zou and Donner (2008), Statistics in Medicine 27, doi:10.1002/sim.3095.

    Examples
    --------
    Nine of ten healthy people must be left alone. Can we promise to find seven in ten of the ill?

    >>> from demur import Binormal
    >>> from demur.roc import roc_interval
    >>> y, s = Binormal(separation=2.0).sample(400, rng=0)
    >>> found = roc_interval(y, s, specificity=0.9)
    >>> round(found.sensitivity, 2), round(found.low, 2), round(found.high, 2)
    (0.81, 0.71, 0.89)
    """
    check_weight_meaning(weights)
    check_choice(method, "method", ("mover", "exact"))
    level = check_confidence_level(confidence_level)
    hint = "specificity=0.9 asks for the sensitivity there."
    held, value = only_one(hint, specificity=specificity, sensitivity=sensitivity, threshold=threshold)
    if held != "threshold":
        values = check_probability(value, held)
    elif isinstance(value, str):
        hint = "operating_point chooses a threshold and corrects the intervals for it."
        raise input_error("threshold", "must be a number", repr(value), hint)
    else:
        values = np.reshape(check_scores(np.ravel(value), "threshold"), np.shape(value))
    counts = as_counts(
        y_true,
        y_score,
        pos_label=pos_label,
        sample_weight=sample_weight,
        both_classes="An interval of a ROC curve",
    )
    (n_positive, n_negative), _ = class_sizes(counts, weights, "an interval of a ROC curve")
    tpr, fpr = hits_and_alarms(counts.positives, counts.negatives)
    # binomial laws need whole numbers; one case may have a weight that rounds to a little less
    sizes = float(np.floor(n_positive + 1e-9)), float(np.floor(n_negative + 1e-9))
    # the rate that is held is its own interval
    rates, limits = [values, values], [(values, values), (values, values)]
    if held == "threshold":
        method = "exact"
        called = len(counts.scores) - np.searchsorted(counts.scores, values, side="left")
        rates = [tpr[called], 1 - fpr[called]]
        limits = [
            binomial_interval(rate * n, n, level)
            for rate, n in zip(rates, (n_positive, n_negative), strict=True)
        ]
    else:
        free, curve = 0, (fpr, tpr)
        if held == "sensitivity":
            # from the other corner: misses against correct rejections, both rising as the threshold does
            free, curve, sizes = 1, (1 - tpr[::-1], 1 - fpr[::-1]), sizes[::-1]
        rates[free] = _best_rate(*curve, 1 - values)
        near = None if method == "exact" else rates[free]
        limits[free] = pointwise_limits(*curve, 1 - values, sizes[1], sizes[0], level, near)
    return RocInterval(
        held=held,
        at=as_scalar(values),
        sensitivity=as_scalar(rates[0]),
        specificity=as_scalar(rates[1]),
        sensitivity_interval=Interval(*map(as_scalar, limits[0])),  # type: ignore[arg-type]
        specificity_interval=Interval(*map(as_scalar, limits[1])),  # type: ignore[arg-type]
        method=method,
        confidence_level=level,
    )


def _best_rate(held: FloatArray, other: FloatArray, at: FloatArray) -> FloatArray:
    """Height of the curve, on the straight segments; the top of a vertical one."""
    right = np.clip(np.searchsorted(held, at + 1e-12, side="right"), 1, len(held) - 1)
    run = held[right] - held[right - 1]
    share = np.divide(at - held[right - 1], run, out=np.zeros(np.shape(at)), where=run > 0)
    height = other[right - 1] + np.clip(share, 0.0, 1.0) * (other[right] - other[right - 1])
    return np.asarray(np.where(at >= 1, 1.0, height))
