"""From a comparison to the parts of a report."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np

from demur._kernels.multiple_tests import holm
from demur._progress import Progress
from demur.auc.difference import PairedOptions, paired_test
from demur.comparison.comparison import Comparison
from demur.comparison.models import tested_pairs
from demur.comparison.problem import DecisionProblem
from demur.comparison.threads import workers
from demur.counts.scores import ScoreCounts
from demur.exceptions import InputError
from demur.honest.curve_bands import envelope_band_of
from demur.honest.pairs import judged_pair
from demur.honest.volume_difference import volume_difference_of
from demur.policy.evidence import PolicyEvidence
from demur.report.cases import page_design
from demur.report.model import ModelReport, PairReport, few_digits, score_bins, thinned
from demur.roc.curve import auc_score, average_precision_of
from demur.surface.regions import cheapest_shares
from demur.surface.surface import AbstentionSurface, abstention_surface
from demur.typing import FloatArray, Range

__all__ = ["compared_parts", "lone_models"]

_DRAWS = 1000
_UNIT: Range = (0.0, 1.0)
# pairs beyond these many models are left to the functions that compare two
_MOST_PAIRED = 12
_THRESHOLDS = np.linspace(0.02, 0.98, 49)
# what a chart of a few hundred pixels shows
_MOST_POINTS = 80
# beyond so many scores chance alone hardly moves the curve, and resampling takes long
_MOST_RESAMPLED = 2_000
_CALIBRATED_DRAWS = 99


# ---------------------------------------------------------------- models


def compared_parts(comparison: Comparison) -> tuple[tuple[ModelReport, ...], tuple[PairReport, ...]]:
    """Make the parts of the models of a comparison, and of every two judged on the same splits.

    P-values are adjusted as the table of `demur compare` does, for the pairs it shows; others for all pairs.
    """
    problem, models, names = comparison.problem, comparison.models, list(comparison.models)
    assert comparison.choice is not None
    intervals, independent = page_design(comparison) is None, comparison.choice.first.independent
    counts = [comparison.judged[name].counts for name in names]
    paired = 2 <= len(names) <= _MOST_PAIRED and comparison.areas is not None
    with workers(comparison.n) as pool, Progress(None, "drawing the page"):
        # what takes longest goes first, so that no thread waits for it at the end
        evidence = [
            pool.submit(
                _evidence,
                one,
                problem,
                weights=comparison.cases[name].weights,
                intervals=intervals,
                independent=independent,
            )
            for name, one in zip(names, counts, strict=True)
        ]
        wins = pool.submit(_wins, [model.surface.surface for model in models.values()])
        policies = [pool.submit(PolicyEvidence.from_counts, one) for one in counts]
        bands = [
            pool.submit(
                envelope_band_of,
                model.surface,
                np.linspace(0, 1, 101),
                level=problem.confidence_level,
                draws=_DRAWS,
                # streams of their own, so that neither threads nor other models matter
                rng=np.random.default_rng([problem.seed, index]),
                workers=1,
            )
            for index, model in enumerate(models.values() if intervals else ())
        ]
        begun = combinations(range(len(names) if paired else 0), 2)
        pairs = [one.result() for one in [pool.submit(_pair, comparison, *pair) for pair in begun]]
        drawn = tuple(
            ModelReport(
                name=name,
                surface=models[name].surface.surface,
                honest=models[name].surface,
                auc=models[name].auc,
                auc_interval=models[name].auc_interval,
                volume=models[name].volume,
                wins=wins.result()[k],
                bins=score_bins(counts[k]),
                evidence=evidence[k].result(),
                policy=policies[k].result(),
                cost_band=bands[k].result() if intervals else None,
            )
            for k, name in enumerate(names)
        )
    shown = {frozenset(pair) for pair in tested_pairs(models)} if paired else set()
    tested = [one for one in pairs if {names[one.first], names[one.second]} in shown]
    return drawn, _adjusted(pairs, tested)


def _adjusted(*families: list[PairReport]) -> tuple[PairReport, ...]:
    """Adjust the p-values of every family together; of a pair in several the last family counts."""
    found = {}
    for family in families:
        volumes, areas = (
            holm(np.array([getattr(pair, test).pvalue for pair in family])) for test in ("volume", "auc")
        )
        for pair, volume, auc in zip(family, volumes, areas, strict=True):
            found[pair.first, pair.second] = replace(
                pair, volume_pvalue=float(volume), auc_pvalue=float(auc), comparisons=len(family)
            )
    return tuple(found.values())


def lone_models(counts: Mapping[str, ScoreCounts], problem: DecisionProblem) -> tuple[ModelReport, ...]:
    """Make the parts of models that cannot be judged honestly: one class, or too few cases."""
    surfaces = [abstention_surface(one, prevalence=problem.rate) for one in counts.values()]
    return tuple(
        ModelReport(
            name=name,
            surface=surface,
            honest=None,
            auc=auc_score(one) if min(one.n_positive, one.n_negative) > 0 else None,
            auc_interval=None,
            volume=None,
            wins=share,
            bins=score_bins(one),
            evidence=_evidence(one, problem, weights="importance", intervals=True, independent=False),
            policy=PolicyEvidence.from_counts(one),
        )
        for (name, one), surface, share in zip(counts.items(), surfaces, _wins(surfaces), strict=True)
    )


def _wins(surfaces: list[AbstentionSurface]) -> list[float]:
    if len(surfaces) == 1:
        return [1.0]
    shares: list[float] = cheapest_shares([surface.masses for surface in surfaces], _UNIT, _UNIT).tolist()
    return shares


# ---------------------------------------------------------------- what no price moves


def _evidence(
    counts: ScoreCounts, problem: DecisionProblem, *, weights: str | None, intervals: bool, independent: bool
) -> dict[str, Any]:
    """Compute what the page draws beyond costs and ROC, as docs/report_json.md describes.

    Of curves as long as the data it keeps what a screen shows: their memory serves the next model. None
    stands for what the data do not allow: the Brier score and its parts, net benefit and risk are those of
    probabilities. `weights` is None where every case counts once. Without `intervals` there are none: neither
    clusters nor times enter them.
    """
    probabilities = counts.score_range[0] >= 0 and counts.score_range[1] <= 1
    both, level = min(counts.n_positive, counts.n_negative) > 0, problem.confidence_level
    benefit = risk = None
    if probabilities and both:
        from demur.costs.net_benefit import net_benefit_curve

        curve = net_benefit_curve(counts, prevalence=problem.rate, weights=weights or "repeats")
        benefit = _drawn(threshold=_THRESHOLDS, value=np.asarray(curve.net_benefit(_THRESHOLDS)))
        low, high = map(np.asarray, curve.interval(_THRESHOLDS, confidence_level=level))
        benefit |= _drawn(low=low, high=high) if intervals else {"low": None, "high": None}
    if probabilities:
        from demur.cautious.selective_risk import answers_by_confidence, areas_under

        # answers by the more probable class, most confident first
        answered, wrong = answers_by_confidence(counts)
        at = thinned(answered, _MOST_POINTS)
        risk = {
            **_drawn(coverage=answered[at] / answered[-1], risk=wrong[at] / answered[at]),
            "aurc": areas_under(answered, wrong)[0],
        }
    return {
        "average_precision": _unless_undefined(average_precision_of, counts, problem.rate),
        "calibration": _calibration(counts, resampled=independent) if probabilities else None,
        "net_benefit": benefit,
        "risk_coverage": risk,
    }


def _calibration(counts: ScoreCounts, *, resampled: bool) -> dict[str, Any]:
    """Return the parts of the Brier score and, of few independent cases, the band of a calibrated model."""
    from demur.calibration.reliability import brier_parts, reliability_curve

    brier, band, drawn = brier_parts(counts), None, None
    if resampled and len(counts.scores) <= _MOST_RESAMPLED:
        curve = reliability_curve(counts)
        band = _unless_undefined(curve.consistency_band, n_resamples=_CALIBRATED_DRAWS, rng=0)
    if band is not None:
        at = thinned(band.forecast, _MOST_POINTS)
        columns = _drawn(forecast=band.forecast[at], low=band.low[at], high=band.high[at])
        drawn = {"level": band.confidence_level, **columns}
    return {
        "brier": brier.score,
        "miscalibration": brier.miscalibration,
        "pvalue": None if band is None else band.pvalue,
        "band": drawn,
    }


def _unless_undefined(compute: Callable[..., Any], *given: Any, **options: Any) -> Any:
    """Return what `compute` gives; None where the data do not allow it."""
    try:
        return compute(*given, **options)
    except InputError:
        return None


def _drawn(**columns: FloatArray) -> dict[str, Any]:
    return {name: few_digits(column, 5) for name, column in columns.items()}


# ---------------------------------------------------------------- pairs


def _pair(comparison: Comparison, first: int, second: int) -> PairReport:
    names, tables = list(comparison.models), comparison.areas
    assert tables is not None
    cases, one, two = comparison.cases[names[0]], *(comparison.judged[names[k]] for k in (first, second))
    paired = judged_pair(cases, one, two)
    volume = volume_difference_of(paired)
    auc = paired_test(tables, first, second, PairedOptions(method="delong"))
    return PairReport(
        first=first,
        second=second,
        paired=paired,
        volume=volume,
        auc=auc,
        confidence_level=comparison.problem.confidence_level,
        volume_pvalue=volume.pvalue,
        auc_pvalue=auc.pvalue,
        comparisons=1,
    )
