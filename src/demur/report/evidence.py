"""What else is known about a model, in few numbers: calibration, net benefit, risk, promised precision."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from demur._results import Result, json_safe
from demur.calibration.reliability import ConsistencyBand, ScoreDecomposition, brier_parts, reliability_curve
from demur.cautious.selective_risk import answers_by_confidence, areas_under
from demur.costs.net_benefit import net_benefit_curve
from demur.counts.scores import ScoreCounts
from demur.counts.window import AbstentionWindow
from demur.exceptions import InputError
from demur.roc.curve import average_precision_of
from demur.surface.window import written_window
from demur.typing import FloatArray
from demur.windows.promised import PromisedPrecisions

__all__ = ["ModelEvidence", "NetBenefitPoints", "RiskCoveragePoints", "few_digits", "model_evidence"]

_PROMISES = (0.8, 0.9, 0.95, 0.98, 0.99)
_THRESHOLDS = np.linspace(0.02, 0.98, 49)
# what a chart of a few hundred pixels shows
_MOST_POINTS = 80
# beyond so many scores chance alone hardly moves the curve, and resampling takes long
_MOST_RESAMPLED = 2_000
_DRAWS = 99


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class NetBenefitPoints(Result):
    """Net benefit of acting from a threshold probability on, with its interval."""

    threshold: FloatArray
    value: FloatArray
    low: FloatArray
    high: FloatArray


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class RiskCoveragePoints(Result):
    """Points of the risk-coverage curve, and the area under all of it."""

    coverage: FloatArray
    risk: FloatArray
    aurc: float


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class ModelEvidence(Result):
    """What is known beyond costs and ROC, by the public functions of these names; None where there is none.

    Of curves as long as the data it keeps what a screen shows: their memory serves the next model.

    Attributes
    ----------
    average_precision : float or None
    calibration : ScoreDecomposition or None
        Parts of the Brier score; of probabilities only.
    band : ConsistencyBand or None
        Where the curve of a calibrated model would lie; of whole cases, and of not too many.
    net_benefit : NetBenefitPoints or None
        Of probabilities only, at the prevalence of the report.
    risk_coverage : RiskCoveragePoints or None
        Errors of the cases answered, most confident first; of probabilities only.
    promises : tuple of (float, AbstentionWindow)
        Widest windows that keep a precision on both sides with confidence; of whole cases only.
    """

    average_precision: float | None
    calibration: ScoreDecomposition | None
    band: ConsistencyBand | None
    net_benefit: NetBenefitPoints | None
    risk_coverage: RiskCoveragePoints | None
    promises: tuple[tuple[float, AbstentionWindow], ...]

    def to_dict(self) -> dict[str, Any]:
        """Return what the page draws: thinned to what a screen shows."""
        benefit, risk = self.net_benefit, self.risk_coverage
        return {
            "average_precision": self.average_precision,
            "calibration": self._calibration(),
            "net_benefit": None if benefit is None else _drawn(benefit, "threshold", "value", "low", "high"),
            "risk_coverage": None
            if risk is None
            else {**_drawn(risk, "coverage", "risk"), "aurc": risk.aurc},
            "promises": [
                {
                    "precision": precision,
                    **json_safe({"lower": window.lower, "upper": window.upper}),
                    "decided": 1 - window.abstention_rate,
                    "positive": window.positive_performance,
                    "negative": window.negative_performance,
                }
                for precision, window in self.promises
            ],
        }

    def _calibration(self) -> dict[str, Any] | None:
        brier, band = self.calibration, self.band
        if brier is None:
            return None
        parts = {
            "brier": brier.score,
            "miscalibration": brier.miscalibration,
            "discrimination": brier.discrimination,
            "uncertainty": brier.uncertainty,
        }
        if band is None:
            return {**parts, "pvalue": None, "band": None}
        drawn = _drawn(band, "forecast", "low", "high", at=_thinned(band.forecast))
        return {**parts, "pvalue": band.pvalue, "band": {"level": band.confidence_level, **drawn}}


def model_evidence(
    counts: ScoreCounts, *, prevalence: float | None, confidence_level: float, weights: str | None
) -> ModelEvidence:
    """Compute once what the page only draws; `weights` is None where every case counts once."""
    probabilities = counts.score_range[0] >= 0 and counts.score_range[1] <= 1
    both = min(counts.n_positive, counts.n_negative) > 0
    whole = weights in (None, "repeats")
    band = benefit = risk = None
    if probabilities and whole and len(counts.scores) <= _MOST_RESAMPLED:
        calibration = reliability_curve(counts)
        band = _unless_undefined(lambda: calibration.consistency_band(n_resamples=_DRAWS, rng=0))
    if probabilities and both:
        curve = net_benefit_curve(counts, prevalence=prevalence, weights=weights or "repeats")
        low, high = map(np.asarray, curve.interval(_THRESHOLDS, confidence_level=confidence_level))
        value = np.asarray(curve.net_benefit(_THRESHOLDS))
        benefit = NetBenefitPoints(threshold=_THRESHOLDS, value=value, low=low, high=high)
    if probabilities:
        # answers by the more probable class, most confident first
        answered, wrong = answers_by_confidence(counts)
        at = _thinned(answered)
        shown, aurc = wrong[at] / answered[at], areas_under(answered, wrong)[0]
        risk = RiskCoveragePoints(coverage=answered[at] / answered[-1], risk=shown, aurc=aurc)
    promises = []
    if both and whole and prevalence is None:
        search = PromisedPrecisions(counts)
        for precision in _PROMISES:
            widest = partial(search.widest, precision, precision, confidence_level=confidence_level)
            window = _unless_undefined(widest)
            if window is not None:
                promises.append((precision, written_window(window, counts)))
    return ModelEvidence(
        average_precision=_unless_undefined(partial(average_precision_of, counts, prevalence)),
        calibration=brier_parts(counts) if probabilities else None,
        band=band,
        net_benefit=benefit,
        risk_coverage=risk,
        promises=tuple(promises),
    )


def _unless_undefined(compute: Callable[[], Any]) -> Any:
    """Return what `compute` gives; None where the data do not allow it."""
    try:
        return compute()
    except InputError:
        return None


def _thinned(places: FloatArray) -> Any:
    """Choose at most 80 places of an ascending column, evenly along it, both ends included."""
    if len(places) <= _MOST_POINTS:
        return np.arange(len(places))
    wanted = np.linspace(places[0], places[-1], _MOST_POINTS)
    return np.unique(np.minimum(np.searchsorted(places, wanted), len(places) - 1))


def few_digits(column: FloatArray, digits: int = 6) -> list[Any]:
    """Round every number to what a screen shows; infinite ones become text as everywhere in the JSON."""
    return [
        float(f"{value:.{digits}g}") if isinstance(value, float) else value for value in json_safe(column)
    ]


def _drawn(points: Any, *names: str, at: Any = slice(None)) -> dict[str, Any]:
    return {name: few_digits(getattr(points, name)[at], 5) for name in names}
