"""From counts and predictions to the parts of a report; what cannot be computed becomes a sentence."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, TypeVar

import numpy as np

from demur.abstention import AbstentionSurface, abstention_surface
from demur.auc_inference import auc_interval
from demur.auc_tests import auc_difference_test
from demur.certificates import surface_certificate
from demur.counts import ScoreCounts
from demur.cross_fitting import cross_fitted_surface
from demur.curve_bands import cost_curve_band
from demur.exceptions import InputError
from demur.regions import cheapest_shares
from demur.report.headline import short_name
from demur.report.model import ModelReport, PairReport, RocPoints, ScoreBins
from demur.roc import auc_score, roc_curve
from demur.surface_bands import volume_interval
from demur.surface_tests import surface_difference_band, volume_difference_test
from demur.typing import BoolArray, FloatArray, Range

__all__ = ["Notes", "Settings", "build_models", "build_pairs", "possible_folds"]

GRID = 32
_MOST_BINS = 60
_MOST_POINTS = 200
_UNIT: Range = (0.0, 1.0)
_Found = TypeVar("_Found")


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What all parts of a report are computed with; `folds` is None where cross-fitting is impossible."""

    prevalence: float | None
    confidence_level: float
    folds: int | None
    seed: int


@dataclass
class Notes:
    """Sentences on what could not be computed, each said once."""

    sentences: list[str] = field(default_factory=list)

    def add(self, sentence: str) -> None:
        """Keep a sentence."""
        if sentence not in self.sentences:
            self.sentences.append(sentence)

    def unless_undefined(self, what: str, compute: Callable[[], _Found]) -> _Found | None:
        """Return what `compute` finds; None and a sentence if the data do not allow it."""
        try:
            return compute()
        except InputError as error:
            self.add(f"{what} left out: {error}")
            return None


def possible_folds(counts: ScoreCounts, wanted: int, notes: Notes) -> int | None:
    """Return the wanted number of folds, or as many as the smaller class has cases, or None."""
    smaller = int(min(counts.n_positive, counts.n_negative))
    if smaller < 2:
        notes.add(
            f"Honest costs are left out: they need at least two cases of each class, got "
            f"{counts.n_positive:g} positive and {counts.n_negative:g} negative."
        )
        return None
    if smaller < wanted:
        notes.add(f"Honest costs use {smaller} folds: the smaller class has only {smaller} cases.")
    return min(smaller, wanted)


# ---------------------------------------------------------------- one model


def build_models(
    counts: Mapping[str, ScoreCounts], settings: Settings, notes: Notes
) -> tuple[ModelReport, ...]:
    """Compute everything about every model."""
    surfaces = [abstention_surface(one, prevalence=settings.prevalence) for one in counts.values()]
    wins = cheapest_shares(surfaces, _UNIT, _UNIT) if len(surfaces) > 1 else np.ones(1)
    return tuple(
        _model(name, surface, float(share), settings, notes)
        for (name, surface, share) in zip(counts, surfaces, wins, strict=True)
    )


def _model(
    name: str, surface: AbstentionSurface, wins: float, settings: Settings, notes: Notes
) -> ModelReport:
    counts, level = surface.counts, settings.confidence_level
    given: dict[str, Any] = {"prevalence": settings.prevalence}
    honest = volume = band = None
    if settings.folds is not None:
        fitted = {"folds": settings.folds, "rng": settings.seed}
        honest = notes.unless_undefined(
            "Honest costs are", lambda: cross_fitted_surface(counts, **given, **fitted)
        )
    if honest is not None:
        volume = volume_interval(counts, confidence_level=level, **given, **fitted)
        band = cost_curve_band(counts, confidence_level=level, **fitted)
    return ModelReport(
        name=name,
        surface=surface,
        honest=honest,
        certificate=notes.unless_undefined(
            "Certified bounds are", lambda: surface_certificate(counts, confidence_level=level, **given)
        ),
        auc=notes.unless_undefined("The AUC is", lambda: auc_score(counts)),
        auc_interval=notes.unless_undefined(
            "Intervals of the AUC are", lambda: auc_interval(counts, confidence_level=level)
        ),
        volume=volume,
        wins=wins,
        cost_band=band,
        bins=score_bins(counts),
        roc=roc_points(counts),
    )


def score_bins(counts: ScoreCounts) -> ScoreBins:
    """Count the cases of each class in at most 60 bins of equal width; infinite scores lie apart."""
    scores = counts.scores
    finite = scores[np.isfinite(scores)]
    inner = _equal_bins(finite)
    below, above = [-np.inf] * bool(np.isneginf(scores[0])), [np.inf] * bool(np.isposinf(scores[-1]))
    edges = np.concatenate([below, inner, above])
    # a score on an inner edge belongs to the bin above it, the largest to the last bin
    starts = np.searchsorted(scores, edges[1:-1], side="left")
    if above:
        starts[-1] = len(finite) + len(below)
    columns = []
    for column in (counts.positives, counts.negatives):
        running = np.concatenate([[0.0], np.cumsum(column)])
        columns.append(np.diff(running[np.concatenate([[0], starts, [len(scores)]])]))
    return ScoreBins(edges=edges, positives=columns[0], negatives=columns[1])


def _equal_bins(finite: FloatArray) -> FloatArray:
    """Edges of bins of equal width around finite scores, ascending."""
    if not finite.size:
        return np.zeros(1)
    low, high = float(finite[0]), float(finite[-1])
    if low == high:
        reach = max(0.5, abs(low) / 4)
        return np.array([low - reach, low + reach])
    # halves first: the range of the largest floats is itself too large for a float
    edges = 2 * np.linspace(low / 2, high / 2, min(_MOST_BINS - 2, max(len(finite), 2)) + 1)
    edges[0], edges[-1] = low, high
    return np.unique(edges)


def roc_points(counts: ScoreCounts) -> RocPoints:
    """Choose at most 200 points of the ROC curve, evenly along its length; none with one class only."""
    if min(counts.n_positive, counts.n_negative) == 0:
        return RocPoints(fpr=np.empty(0), tpr=np.empty(0), thresholds=np.empty(0))
    curve = roc_curve(counts)
    length = curve.fpr + curve.tpr
    if len(length) <= _MOST_POINTS:
        at = np.arange(len(length))
    else:
        wanted = np.linspace(0, 2, _MOST_POINTS - 1)
        at = np.unique(np.append(np.searchsorted(length, wanted, side="left"), len(length) - 1))
        at = np.minimum(at, len(length) - 1)
    return RocPoints(fpr=curve.fpr[at], tpr=curve.tpr[at], thresholds=curve.thresholds[at])


# ---------------------------------------------------------------- pairs


def build_pairs(
    truth: BoolArray,
    scores: Mapping[str, FloatArray],
    weights: FloatArray | None,
    settings: Settings,
    notes: Notes,
) -> tuple[PairReport, ...]:
    """Compare every two models on the same cases; nothing where cross-fitting is impossible."""
    if settings.folds is None:
        return ()
    names = list(scores)
    found = []
    for first, second in combinations(range(len(names)), 2):
        pair = notes.unless_undefined(
            "Comparisons of models are",
            lambda: _pair(first, second, names, truth, scores, weights, settings),  # noqa: B023
        )
        if pair is None:
            return ()
        found.append(pair)
    return tuple(found)


def _pair(
    first: int,
    second: int,
    names: list[str],
    truth: BoolArray,
    scores: Mapping[str, FloatArray],
    weights: FloatArray | None,
    settings: Settings,
) -> PairReport:
    data = truth, scores[names[first]], scores[names[second]]
    given: dict[str, Any] = {"sample_weight": weights}
    fitted = {"prevalence": settings.prevalence, "folds": settings.folds, "rng": settings.seed}
    level = settings.confidence_level
    band = surface_difference_band(*data, resolution=GRID, confidence_level=level, **given, **fitted)
    return PairReport(
        first=first,
        second=second,
        band=band,
        volume=volume_difference_test(*data, **given, **fitted),
        auc=auc_difference_test(*data, method="delong", **given),
        words=(band.summary(short_name(names[first]), short_name(names[second])),),
        confidence_level=level,
    )
