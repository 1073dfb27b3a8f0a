"""From counts and predictions to the parts of a report; what cannot be computed becomes a sentence."""

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from importlib import import_module
from itertools import combinations
from typing import NamedTuple, TypeVar

import numpy as np

from demur.auc.difference import AucDifferenceTest, PairedOptions, paired_test
from demur.auc.one import auc_interval
from demur.auc.tables import ModelTables
from demur.counts.scores import ScoreCounts
from demur.exceptions import InputError
from demur.honest.bands import volume_interval_of
from demur.honest.certificates import surface_certificate
from demur.honest.cross_fitting import CrossFittedSurface, cross_fitted_surface, grid_axes
from demur.honest.curve_bands import CostCurveBand, envelope_band_of
from demur.honest.difference import (
    SurfaceDifferenceBand,
    VolumeDifferenceTest,
    difference_band_of,
    volume_difference_of,
)
from demur.honest.folds import CommonFolds, JudgedModel
from demur.paired.scores import JointScores
from demur.report.headline import short_name
from demur.report.model import ModelReport, PairReport, RocPoints, ScoreBins
from demur.roc.curve import auc_score, roc_curve
from demur.surface.regions import cheapest_shares
from demur.surface.surface import AbstentionSurface, abstention_surface
from demur.typing import BoolArray, FloatArray, Range

__all__ = ["Cases", "Notes", "Settings", "build_parts", "possible_folds", "roc_points", "score_bins"]

GRID = 32
"""Steps of the map of decided costs in either direction."""

_DRAWS = 1000
_MOST_BINS = 60
_MOST_POINTS = 200
_UNIT: Range = (0.0, 1.0)
# the kernels release the interpreter lock; small data are done before a thread starts
_THREADS, _THREADS_FROM = 2, 2**16
_Found = TypeVar("_Found")


class Cases(NamedTuple):
    """Scores of all models for the same cases."""

    truth: BoolArray
    scores: Mapping[str, FloatArray]
    weights: FloatArray | None


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


# ---------------------------------------------------------------- everything


def build_parts(
    counts: Mapping[str, ScoreCounts], cases: Cases | None, settings: Settings, notes: Notes
) -> tuple[tuple[ModelReport, ...], tuple[PairReport, ...]]:
    """Compute everything about every model and, where the cases are given, every pair."""
    threads = _THREADS if next(iter(counts.values())).n >= _THREADS_FROM else 1
    with _workers(threads) as pool:
        surfaces = [abstention_surface(one, prevalence=settings.prevalence) for one in counts.values()]
        wins = pool.submit(_wins, surfaces)
        judging = notes.unless_undefined("Honest costs are", lambda: _judge(counts, cases, settings, pool))
        judged = _Judging([], None, None, []) if judging is None else judging
        pairs = None if judged.joint is None else pool.submit(_auc_tests, judged.joint)
        bands = [
            pool.submit(_compared, judged, first, second, settings)
            for first, second in combinations(range(len(judged.models)), 2)
        ]
        honest: list[CrossFittedSurface | None] = [*judged.surfaces] or [None] * len(counts)
        found = pool.map(
            _model, range(len(counts)), counts, surfaces, wins.result(), honest, [settings] * len(counts)
        )
        models = []
        for model, remarks in found:
            models.append(model)
            for sentence in remarks.sentences:
                notes.add(sentence)
        tests = [] if pairs is None else pairs.result()
        done = [band.result() for band in bands]
    return tuple(models), tuple(
        _pair(models, parts, test, settings) for parts, test in zip(done, tests, strict=True)
    )


@contextmanager
def _workers(threads: int) -> Iterator[Executor]:
    """Start threads; those of BLAS, which wait by turning in circles, must not get in their way."""
    with ExitStack() as stack:
        if threads > 1:
            import_module("scipy.linalg.lapack")  # has a BLAS of its own, which must be there to be found
            limits = import_module("threadpoolctl").threadpool_limits
            stack.enter_context(limits(1, user_api="blas"))
        yield stack.enter_context(ThreadPoolExecutor(threads))


def _wins(surfaces: list[AbstentionSurface]) -> list[float]:
    return (
        [1.0]
        if len(surfaces) == 1
        else cheapest_shares([surface.masses for surface in surfaces], _UNIT, _UNIT).tolist()
    )


class _Judging(NamedTuple):
    """Cross-fitted surfaces; with several models on known cases also what pairs are made from."""

    surfaces: list[CrossFittedSurface]
    common: CommonFolds | None
    joint: JointScores | None
    models: list[JudgedModel]


def _judge(
    counts: Mapping[str, ScoreCounts], cases: Cases | None, settings: Settings, pool: Executor
) -> _Judging | None:
    if settings.folds is None:
        return None
    folds, prevalence, seed = settings.folds, settings.prevalence, settings.seed
    if cases is None or len(counts) == 1:
        surfaces = [
            cross_fitted_surface(one, prevalence=prevalence, folds=folds, rng=seed) for one in counts.values()
        ]
        return _Judging(surfaces, None, None, [])
    common = CommonFolds.split(
        cases.truth,
        cases.weights,
        next(iter(counts.values())),
        folds=folds,
        prevalence=prevalence,
        rng=np.random.default_rng(seed),
    )
    joint = JointScores(cases.truth, np.stack(list(cases.scores.values())), cases.weights)

    def judged(index: int, name: str) -> JudgedModel:
        orders = joint.orders(index) if cases.weights is None else None
        return common.judge(counts[name], cases.scores[name], orders)

    models = list(pool.map(judged, range(len(counts)), counts))
    return _Judging([model.surface() for model in models], common, joint, models)


# ---------------------------------------------------------------- one model


def _model(
    index: int,
    name: str,
    surface: AbstentionSurface,
    wins: float,
    honest: CrossFittedSurface | None,
    settings: Settings,
) -> tuple[ModelReport, Notes]:
    notes, counts, level = Notes(), surface.counts, settings.confidence_level
    certificate = notes.unless_undefined(
        "Certified bounds are",
        lambda: surface_certificate(counts, prevalence=settings.prevalence, confidence_level=level),
    )
    interval = notes.unless_undefined(
        "Intervals of the AUC are", lambda: auc_interval(counts, confidence_level=level)
    )
    both = min(counts.n_positive, counts.n_negative) > 0
    model = ModelReport(
        name=name,
        surface=surface,
        honest=honest,
        certificate=certificate,
        auc=auc_score(counts) if both else None,
        auc_interval=interval,
        volume=None if honest is None else volume_interval_of(honest, confidence_level=level),
        wins=wins,
        cost_band=None if honest is None else _cost_band(honest, index, settings),
        bins=score_bins(counts),
        roc=roc_points(counts),
    )
    return model, notes


def _cost_band(honest: CrossFittedSurface, index: int, settings: Settings) -> CostCurveBand:
    return envelope_band_of(
        honest,
        np.linspace(0, 1, 101),
        level=settings.confidence_level,
        draws=_DRAWS,
        # streams of their own, so that neither threads nor other models matter
        rng=np.random.default_rng([settings.seed, index]),
        workers=1,
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
    # quarters: the range of the largest floats is itself too large for a float
    edges = 4 * np.linspace(low / 4, high / 4, min(_MOST_BINS - 2, max(len(finite), 2)) + 1)
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


class _Compared(NamedTuple):
    first: int
    second: int
    band: SurfaceDifferenceBand
    volume: VolumeDifferenceTest


def _compared(judged: _Judging, first: int, second: int, settings: Settings) -> _Compared:
    assert judged.common is not None
    cases = judged.common.pair(judged.models[first], judged.models[second])
    band = difference_band_of(
        cases,
        *check_grid(GRID, _UNIT, _UNIT),
        level=settings.confidence_level,
        method="average",
        draws=_DRAWS,
        rng=np.random.default_rng([settings.seed, first, second]),
        workers=1,
    )
    return _Compared(first, second, band, volume_difference_of(cases))


def _auc_tests(joint: JointScores) -> list[AucDifferenceTest]:
    """Test all pairs; each class of each model is sorted once."""
    tables, options = ModelTables(joint), PairedOptions(method="delong")
    return [
        paired_test(tables, first, second, options)
        for first, second in combinations(range(joint.n_models), 2)
    ]


def _pair(
    models: list[ModelReport], parts: _Compared, auc: AucDifferenceTest, settings: Settings
) -> PairReport:
    names = [short_name(models[at].name) for at in (parts.first, parts.second)]
    return PairReport(
        first=parts.first,
        second=parts.second,
        band=parts.band,
        volume=parts.volume,
        auc=auc,
        words=(parts.band.summary(*names),),
        confidence_level=settings.confidence_level,
    )
