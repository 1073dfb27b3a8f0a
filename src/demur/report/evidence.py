"""What else is known about a model, in few numbers: calibration, net benefit, risk, promised precision."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from demur._results import json_safe
from demur.calibration.reliability import brier_parts, reliability_curve
from demur.cautious.selective_risk import answers_by_confidence, areas_under
from demur.costs.net_benefit import net_benefit_curve
from demur.counts.scores import ScoreCounts
from demur.exceptions import InputError
from demur.roc.curve import average_precision_of
from demur.surface.window import written_window
from demur.typing import FloatArray
from demur.windows.promised import PromisedPrecisions

__all__ = ["few_digits", "model_evidence", "thinned"]

_PROMISES = (0.8, 0.9, 0.95, 0.98, 0.99)
_THRESHOLDS = np.linspace(0.02, 0.98, 49)
# what a chart of a few hundred pixels shows
_MOST_POINTS = 80
# beyond so many scores chance alone hardly moves the curve, and resampling takes long
_MOST_RESAMPLED = 2_000
_DRAWS = 99


def model_evidence(
    counts: ScoreCounts,
    *,
    prevalence: float | None,
    confidence_level: float,
    weights: str | None,
    intervals: bool,
    independent: bool,
) -> dict[str, Any]:
    """Compute what the page draws beyond costs and ROC, as docs/report_json.md describes.

    Of curves as long as the data it keeps what a screen shows: their memory serves the next model. None
    stands for what the data do not allow: the Brier score and its parts, net benefit and risk are those of
    probabilities, promised precisions those of whole, independent cases. `weights` is None where every case
    counts once. Without `intervals` there are none: neither clusters nor times enter them.
    """
    probabilities = counts.score_range[0] >= 0 and counts.score_range[1] <= 1
    both = min(counts.n_positive, counts.n_negative) > 0
    benefit = risk = None
    if probabilities and both:
        curve = net_benefit_curve(counts, prevalence=prevalence, weights=weights or "repeats")
        benefit = _drawn(threshold=_THRESHOLDS, value=np.asarray(curve.net_benefit(_THRESHOLDS)))
        low, high = map(np.asarray, curve.interval(_THRESHOLDS, confidence_level=confidence_level))
        benefit |= _drawn(low=low, high=high) if intervals else {"low": None, "high": None}
    if probabilities:
        # answers by the more probable class, most confident first
        answered, wrong = answers_by_confidence(counts)
        at = thinned(answered)
        risk = {
            **_drawn(coverage=answered[at] / answered[-1], risk=wrong[at] / answered[at]),
            "aurc": areas_under(answered, wrong)[0],
        }
    # widest windows that keep a precision on both sides with confidence
    promises = []
    if both and independent and prevalence is None:
        search = PromisedPrecisions(counts)
        for precision in _PROMISES:
            widest = partial(search.widest, precision, precision, confidence_level=confidence_level)
            window = _unless_undefined(widest)
            if window is not None:
                window = written_window(window, counts)
                promises.append(
                    {
                        "precision": precision,
                        **json_safe({"lower": window.lower, "upper": window.upper}),
                        "decided": 1 - window.abstention_rate,
                        "positive": window.positive_performance,
                        "negative": window.negative_performance,
                    }
                )
    return {
        "average_precision": _unless_undefined(partial(average_precision_of, counts, prevalence)),
        "calibration": _calibration(counts, resampled=independent) if probabilities else None,
        "net_benefit": benefit,
        "risk_coverage": risk,
        "promises": promises,
    }


def _calibration(counts: ScoreCounts, *, resampled: bool) -> dict[str, Any]:
    """Return the parts of the Brier score and, of few independent cases, the band of a calibrated model."""
    brier, band = brier_parts(counts), None
    if resampled and len(counts.scores) <= _MOST_RESAMPLED:
        curve = reliability_curve(counts)
        band = _unless_undefined(lambda: curve.consistency_band(n_resamples=_DRAWS, rng=0))
    drawn = None
    if band is not None:
        at = thinned(band.forecast)
        columns = _drawn(forecast=band.forecast[at], low=band.low[at], high=band.high[at])
        drawn = {"level": band.confidence_level, **columns}
    return {
        "brier": brier.score,
        "miscalibration": brier.miscalibration,
        "discrimination": brier.discrimination,
        "uncertainty": brier.uncertainty,
        "pvalue": None if band is None else band.pvalue,
        "band": drawn,
    }


def _unless_undefined(compute: Callable[[], Any]) -> Any:
    """Return what `compute` gives; None where the data do not allow it."""
    try:
        return compute()
    except InputError:
        return None


def thinned(places: FloatArray, most: int = _MOST_POINTS) -> Any:
    """Choose at most so many places of an ascending column, evenly along it, both ends included."""
    if len(places) <= most:
        return np.arange(len(places))
    wanted = np.linspace(places[0], places[-1], most)
    return np.unique(np.minimum(np.searchsorted(places, wanted), len(places) - 1))


def few_digits(column: FloatArray, digits: int = 6) -> list[Any]:
    """Round every number to what a screen shows; infinite ones become text as everywhere in the JSON."""
    return [
        float(f"{value:.{digits}g}") if isinstance(value, float) else value for value in json_safe(column)
    ]


def _drawn(**columns: FloatArray) -> dict[str, Any]:
    return {name: few_digits(column, 5) for name, column in columns.items()}
