"""Reliability curve from the pooled blocks, and what a calibrated model would show by chance."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from demur._checks import check_confidence_level, check_positive_int, input_error
from demur._resampling import resample
from demur._results import Result, read_only
from demur.counts.scores import ScoreCounts, as_counts
from demur.typing import ArrayLike, FloatArray, Labels

__all__ = [
    "ConsistencyBand",
    "ReliabilityCurve",
    "ScoreDecomposition",
    "brier_parts",
    "check_probabilities",
    "log_parts",
    "observed_shares",
    "reliability_curve",
]

_ROUNDING = 1e-12
_MOST_SHOWN = 2000  # forecasts at which a band is kept: finer than a figure can show


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class ConsistencyBand(Result):
    """Where the reliability curve of a calibrated model lies; made by `ReliabilityCurve.consistency_band`.

    Attributes
    ----------
    forecast : array
        The distinct probabilities; of more than 2000, 2000 evenly spaced by rank.
    low, high : array
        Element i: pointwise limits of the observed share at ``forecast[i]``, if the model is calibrated.
    pvalue : float
        Share of calibrated resamples with at least the observed miscalibration (Brier score), the
        observed one included: small if the model is not calibrated.
    confidence_level : float
    n_resamples : int
    """

    forecast: FloatArray
    low: FloatArray
    high: FloatArray
    pvalue: float
    confidence_level: float
    n_resamples: int


@dataclass(frozen=True, kw_only=True, eq=False)
class ReliabilityCurve(Result):
    """Observed share against forecast probability; made by `reliability_curve`.

    Attributes
    ----------
    forecast : array
        The distinct probabilities, ascending.
    observed : array
        Element i: share of positives in the block of ``forecast[i]``; on the diagonal where calibrated.
    weight : array
        Element i: weight of the cases with this forecast.
    brier, miscalibration, discrimination, uncertainty : float
        Mean of (y - p)^2 and its parts: brier = miscalibration - discrimination + uncertainty.
    n, prevalence : float
    """

    forecast: FloatArray
    observed: FloatArray
    weight: FloatArray
    brier: float
    miscalibration: float
    discrimination: float
    uncertainty: float
    n: float
    prevalence: float
    counts: ScoreCounts
    _reported = ("log_score",)

    @cached_property
    def log_score(self) -> ScoreDecomposition:
        """The mean of -log of the probability given to what happened, in the same three parts."""
        return log_parts(self.counts)

    def recalibrated(self, probability: ArrayLike) -> FloatArray:
        """Return the observed share at any probability: straight between the forecasts seen."""
        p = np.asarray(probability, dtype=np.float64)
        if not np.all((p >= 0) & (p <= 1)):
            raise input_error("probability", "must lie in [0, 1]", p[~((p >= 0) & (p <= 1))].flat[0])
        return np.asarray(np.interp(p, self.forecast, self.observed))

    def consistency_band(
        self,
        *,
        confidence_level: float = 0.9,
        n_resamples: int = 1000,
        rng: Any = 0,
        workers: int = 1,
    ) -> ConsistencyBand:
        """Return where the curve would lie if the model were calibrated.

        Outcomes are drawn from the forecasts themselves, and the curve is made anew each time; the
        limits are pointwise. A curve that leaves the band in many places, or a small `pvalue`, speaks
        against calibration. Needs whole cases: weights are refused unless they are whole numbers.
        """
        level = check_confidence_level(confidence_level)
        runs = check_positive_int(n_resamples, "n_resamples")
        self.counts.require_repeated_cases("a consistency band")
        cases = np.rint(self.weight).astype(np.int64)
        shown = np.unique(
            np.linspace(0, len(cases) - 1, min(len(cases), _MOST_SHOWN)).round().astype(np.int64)
        )
        shares: list[FloatArray] = []

        def drawn(stream: np.random.Generator) -> float:
            positives = stream.binomial(cases, self.forecast)
            counts = ScoreCounts.from_counts(self.forecast, positives, cases - positives)
            miscalibration = brier_parts(counts).miscalibration
            shares.append(observed_shares(counts)[shown])
            return miscalibration

        values = resample(drawn, n_resamples=runs, rng=rng, workers=workers, label="consistency band")
        tail = (1 - level) / 2
        low, high = np.quantile(np.stack(shares), [tail, 1 - tail], axis=0)
        as_large = int(np.count_nonzero(values >= self.miscalibration * (1 - _ROUNDING) - _ROUNDING))
        return ConsistencyBand(
            forecast=self.forecast[shown],
            low=read_only(low),
            high=read_only(high),
            pvalue=(1 + as_large) / (1 + runs),
            confidence_level=level,
            n_resamples=runs,
        )

    def __repr__(self) -> str:
        return (
            f"ReliabilityCurve(brier={self.brier:.4g}, miscalibration={self.miscalibration:.4g}, "
            f"discrimination={self.discrimination:.4g}, uncertainty={self.uncertainty:.4g})"
        )


def check_probabilities(counts: ScoreCounts, quantity: str) -> None:
    """Require scores in [0, 1]; `quantity` opens the sentence."""
    low, high = counts.score_range
    if low < 0 or high > 1:
        raise input_error(
            "y_score",
            f"must hold probabilities in [0, 1] for {quantity}",
            f"scores from {low:g} to {high:g}",
            "a logistic function of a log-odds, or isotonic regression, makes probabilities of scores.",
        )


def reliability_curve(
    y_true: Labels | ScoreCounts,
    y_score: ArrayLike | None = None,
    *,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
) -> ReliabilityCurve:
    """Observed share of positives against the forecast probability; on the diagonal is better.

    Forecasts are pooled exactly where the observed shares would fall (isotonic regression), so there
    are no bins to choose. Judges probabilities: for scores on any scale see `roc_curve`. Fitted to
    the same cases, it shows some miscalibration for every model; `consistency_band` says how much
    chance alone would show.

    Parameters
    ----------
    y_true, pos_label, sample_weight
        As in `abstention_surface`.
    y_score : array of n probabilities
        Of the positive class, in [0, 1].

    Returns
    -------
    ReliabilityCurve
        With the Brier score and the log score in three parts, `consistency_band` and `recalibrated`.

    Raises
    ------
    InputError
        If scores lie outside [0, 1].

    Notes
    -----
    CORP: with S the mean score, rc the recalibrated and pi the constant forecast, miscalibration =
    S(p) - S(rc), discrimination = S(pi) - S(rc), uncertainty = S(pi). The blocks minimise every
    proper score among rising functions of p, so the first two are not negative.

    References
    ----------
    Dimitriadis, Gneiting, Jordan (2021), PNAS 118, doi:10.1073/pnas.2016191118.

    Examples
    --------
    A model that is too sure of itself: recalibrating it saves more than a third of its Brier score.

    >>> from demur.calibration import reliability_curve
    >>> curve = reliability_curve([0, 1, 0, 1], [0.1, 0.4, 0.6, 0.8])
    >>> curve.observed.tolist()
    [0.0, 0.5, 0.5, 1.0]
    >>> round(curve.brier, 4), round(curve.miscalibration, 4), round(curve.discrimination, 4)
    (0.1925, 0.0675, 0.125)
    """
    counts = as_counts(y_true, y_score, pos_label=pos_label, sample_weight=sample_weight)
    check_probabilities(counts, "a reliability curve")
    brier = brier_parts(counts)
    return ReliabilityCurve(
        forecast=counts.scores,
        observed=read_only(observed_shares(counts)),
        weight=read_only(counts.positives + counts.negatives),
        brier=brier.score,
        miscalibration=brier.miscalibration,
        discrimination=brier.discrimination,
        uncertainty=brier.uncertainty,
        n=counts.n,
        prevalence=counts.prevalence,
        counts=counts,
    )


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class ScoreDecomposition(Result):
    """A mean score of probabilities in three parts; the smaller the score the better.

    score = miscalibration - discrimination + uncertainty.

    Attributes
    ----------
    score : float
        Mean score of the probabilities as they are.
    miscalibration : float
        What recalibrating them would save, at least 0.
    discrimination : float
        What the recalibrated ones save against the prevalence alone, at least 0.
    uncertainty : float
        Mean score of the prevalence alone.
    """

    score: float
    miscalibration: float
    discrimination: float
    uncertainty: float


def observed_shares(counts: ScoreCounts) -> FloatArray:
    """Share of positives in the block of each distinct score: the recalibrated probability."""
    blocks = counts.blocks()
    return np.repeat(blocks.positives / (blocks.positives + blocks.negatives), blocks.groups)


def brier_parts(counts: ScoreCounts) -> ScoreDecomposition:
    """Split the mean of (y - p)^2."""
    return _parts(counts, lambda p: (1 - p) ** 2, lambda p: p**2)


def log_parts(counts: ScoreCounts) -> ScoreDecomposition:
    """Split the mean of -log of the probability given to what happened."""
    with np.errstate(divide="ignore"):
        return _parts(counts, lambda p: -np.log(p), lambda p: -np.log1p(-p))


def _parts(
    counts: ScoreCounts,
    if_positive: Callable[[FloatArray], FloatArray],
    if_negative: Callable[[FloatArray], FloatArray],
) -> ScoreDecomposition:
    def mean_score(probability: FloatArray, positives: FloatArray, negatives: FloatArray) -> float:
        total = 0.0
        for weight, loss in ((positives, if_positive), (negatives, if_negative)):
            seen = weight > 0  # an infinite loss nobody suffers counts nothing
            total += float(np.dot(weight[seen], loss(probability[seen])))
        return total / counts.n

    if counts.unweighted:
        positives, negatives = counts.scores_by_class()
        score = (float(if_positive(positives).sum()) + float(if_negative(negatives).sum())) / counts.n
    else:
        # before the blocks, which come from the same pass over the scores
        score = mean_score(counts.scores, counts.positives, counts.negatives)
    # recalibrated forecasts are equal within a block, and the prevalence is one forecast for all cases
    blocks = counts.blocks()
    shares = blocks.positives / (blocks.positives + blocks.negatives)
    everyone = (np.array([size]) for size in (counts.n_positive, counts.n_negative))
    recalibrated = mean_score(shares, blocks.positives, blocks.negatives)
    uncertainty = mean_score(np.array([counts.prevalence]), *everyone)
    return ScoreDecomposition(
        score=score,
        # below 0 only by rounding: blocks minimise every proper score among rising functions
        miscalibration=max(score - recalibrated, 0.0),
        discrimination=max(uncertainty - recalibrated, 0.0),
        uncertainty=uncertainty,
    )
