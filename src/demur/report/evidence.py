"""What else is known about a model, in few numbers: calibration, net benefit, risk, promised precision."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from demur._results import Result, json_safe
from demur.calibration.decomposition import ScoreDecomposition, brier_parts
from demur.calibration.reliability import ConsistencyBand, reliability_curve
from demur.cautious.answers import answers_by_confidence
from demur.cautious.selective_risk import areas_under
from demur.costs.net_benefit import net_benefit_curve
from demur.counts.scores import ScoreCounts
from demur.exceptions import InputError
from demur.report.digits import few_digits
from demur.roc.curve import average_precision_of
from demur.surface.window import written_window
from demur.typing import FloatArray
from demur.windows.constrained import ConstrainedWindow
from demur.windows.promised import PromisedPrecisions

__all__ = ["ModelEvidence", "NetBenefitPoints", "RiskCoveragePoints", "model_evidence"]

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
    promises : tuple of (float, ConstrainedWindow)
        Widest windows that keep a precision on both sides with confidence; of whole cases only.
    """

    average_precision: float | None
    calibration: ScoreDecomposition | None
    band: ConsistencyBand | None
    net_benefit: NetBenefitPoints | None
    risk_coverage: RiskCoveragePoints | None
    promises: tuple[tuple[float, ConstrainedWindow], ...]

    def to_dict(self) -> dict[str, Any]:
        """Return what the page draws: thinned to what a screen shows."""
        return {
            "average_precision": self.average_precision,
            "calibration": self._calibration(),
            "net_benefit": self._net_benefit(),
            "risk_coverage": self._risk_coverage(),
            "promises": [_promise(precision, window) for precision, window in self.promises],
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
        at = _thinned(band.forecast)
        columns = {"forecast": band.forecast[at], "low": band.low[at], "high": band.high[at]}
        return {
            **parts,
            "pvalue": band.pvalue,
            "band": {"level": band.confidence_level, **_drawn(columns)},
        }

    def _net_benefit(self) -> dict[str, Any] | None:
        points = self.net_benefit
        if points is None:
            return None
        return _drawn({name: getattr(points, name) for name in ("threshold", "value", "low", "high")})

    def _risk_coverage(self) -> dict[str, Any] | None:
        points = self.risk_coverage
        if points is None:
            return None
        return {**_drawn({"coverage": points.coverage, "risk": points.risk}), "aurc": points.aurc}


def model_evidence(
    counts: ScoreCounts, *, prevalence: float | None, confidence_level: float, weights: str | None
) -> ModelEvidence:
    """Compute once what the page only draws; `weights` is None where every case counts once."""
    probabilities = counts.score_range[0] >= 0 and counts.score_range[1] <= 1
    both = min(counts.n_positive, counts.n_negative) > 0
    whole = weights in (None, "repeats")
    band = None
    if probabilities and whole and len(counts.scores) <= _MOST_RESAMPLED:
        calibration = reliability_curve(counts)
        band = _unless_undefined(lambda: calibration.consistency_band(n_resamples=_DRAWS, rng=0))
    return ModelEvidence(
        average_precision=_unless_undefined(partial(average_precision_of, counts, prevalence)),
        calibration=brier_parts(counts) if probabilities else None,
        band=band,
        net_benefit=_net_benefit(counts, prevalence, confidence_level, weights)
        if probabilities and both
        else None,
        risk_coverage=_risk_coverage(counts) if probabilities else None,
        promises=_promises(counts, confidence_level) if both and whole and prevalence is None else (),
    )


def _net_benefit(
    counts: ScoreCounts, prevalence: float | None, confidence_level: float, weights: str | None
) -> NetBenefitPoints:
    curve = net_benefit_curve(counts, prevalence=prevalence, weights=weights or "repeats")
    low, high = curve.interval(_THRESHOLDS, confidence_level=confidence_level)
    value = np.asarray(curve.net_benefit(_THRESHOLDS))
    return NetBenefitPoints(threshold=_THRESHOLDS, value=value, low=np.asarray(low), high=np.asarray(high))


def _risk_coverage(counts: ScoreCounts) -> RiskCoveragePoints:
    """Answer by the more probable class, most confident first."""
    answered, wrong = answers_by_confidence(counts)
    at = _thinned(answered)
    return RiskCoveragePoints(
        coverage=answered[at] / answered[-1],
        risk=wrong[at] / answered[at],
        aurc=areas_under(answered, wrong)[0],
    )


def _promises(counts: ScoreCounts, confidence_level: float) -> tuple[tuple[float, ConstrainedWindow], ...]:
    search, found = PromisedPrecisions(counts), []
    for precision in _PROMISES:
        widest = partial(search.widest, precision, precision, confidence_level=confidence_level)
        window = _unless_undefined(widest)
        if window is not None:
            found.append((precision, written_window(window, counts)))
    return tuple(found)


def _promise(precision: float, window: ConstrainedWindow) -> dict[str, Any]:
    ends: dict[str, Any] = json_safe({"lower": window.lower, "upper": window.upper})
    return {
        "precision": precision,
        **ends,
        "decided": 1 - window.abstention_rate,
        "positive": window.positive_performance,
        "negative": window.negative_performance,
    }


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


def _drawn(columns: dict[str, FloatArray]) -> dict[str, Any]:
    return {name: few_digits(column, 5) for name, column in columns.items()}
