"""From a comparison to the parts of a report."""

from collections.abc import Callable, Mapping
from concurrent.futures import Executor, Future
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np

from demur._kernels.multiple_tests import holm
from demur.auc.difference import PairedOptions, paired_test
from demur.auc.tables import ModelTables
from demur.comparison.comparison import Comparison
from demur.comparison.models import tested_pairs
from demur.comparison.problem import DecisionProblem
from demur.counts.scores import ScoreCounts
from demur.honest.curve_bands import envelope_band_of
from demur.honest.pairs import held_out_pair, judged_pair
from demur.honest.volume_difference import volume_difference_of
from demur.policy.evidence import PolicyEvidence
from demur.report.cases import page_design
from demur.report.evidence import model_evidence
from demur.report.model import ModelReport, PairReport, roc_points, score_bins
from demur.roc.curve import auc_score
from demur.surface.regions import cheapest_shares
from demur.surface.surface import AbstentionSurface, abstention_surface
from demur.typing import Range

__all__ = ["begin_models", "begin_pairs", "lone_models"]

_DRAWS = 1000
_UNIT: Range = (0.0, 1.0)
# pairs beyond these many models are left to the functions that compare two
_MOST_PAIRED = 12


# ---------------------------------------------------------------- models


def begin_models(comparison: Comparison, pool: Executor) -> Callable[[], tuple[ModelReport, ...]]:
    """Begin the part of every model of a comparison; what is returned waits for all of them."""
    problem, models = comparison.problem, comparison.models
    assert comparison.choice is not None
    intervals, independent = page_design(comparison) is None, comparison.choice.first.independent
    counts = [comparison.judged[name].counts for name in models]
    # what takes longest goes first, so that no thread waits for it at the end
    evidence = [
        pool.submit(
            model_evidence,
            one,
            prevalence=problem.rate,
            confidence_level=problem.confidence_level,
            weights=comparison.cases[name].weights,
            intervals=intervals,
            independent=independent,
        )
        for name, one in zip(models, counts, strict=True)
    ]
    wins = pool.submit(_wins, [model.surface.surface for model in models.values()])
    drawn: list[dict[str, Future[Any]]] = [
        {
            "policy": pool.submit(PolicyEvidence.from_counts, one),
            "bins": pool.submit(score_bins, one),
            "roc": pool.submit(roc_points, one),
            "evidence": found,
        }
        for one, found in zip(counts, evidence, strict=True)
    ]
    for index, model in enumerate(models.values() if intervals else ()):
        drawn[index]["cost_band"] = pool.submit(
            envelope_band_of,
            model.surface,
            np.linspace(0, 1, 101),
            level=problem.confidence_level,
            draws=_DRAWS,
            # streams of their own, so that neither threads nor other models matter
            rng=np.random.default_rng([problem.seed, index]),
            workers=1,
        )

    def finished() -> tuple[ModelReport, ...]:
        return tuple(
            ModelReport(
                name=name,
                surface=model.surface.surface,
                honest=model.surface,
                auc=model.auc,
                auc_interval=model.auc_interval,
                volume=model.volume,
                wins=share,
                **{part: future.result() for part, future in parts.items()},
            )
            for (name, model), share, parts in zip(models.items(), wins.result(), drawn, strict=True)
        )

    return finished


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
            roc=roc_points(one),
            evidence=model_evidence(
                one,
                prevalence=problem.rate,
                confidence_level=problem.confidence_level,
                weights="importance",
                intervals=True,
                independent=False,
            ),
            policy=PolicyEvidence.from_counts(one),
        )
        for (name, one), surface, share in zip(counts.items(), surfaces, _wins(surfaces), strict=True)
    )


def _wins(surfaces: list[AbstentionSurface]) -> list[float]:
    if len(surfaces) == 1:
        return [1.0]
    shares: list[float] = cheapest_shares([surface.masses for surface in surfaces], _UNIT, _UNIT).tolist()
    return shares


# ---------------------------------------------------------------- pairs


def begin_pairs(comparison: Comparison, pool: Executor) -> Callable[[], tuple[PairReport, ...]]:
    """Begin to compare every two models judged on the same splits; none where they were split apart."""
    names, tables = list(comparison.models), comparison.tables
    if not 2 <= len(names) <= _MOST_PAIRED or tables is None:
        return tuple
    pairs = [pool.submit(_pair, comparison, tables, *pair) for pair in combinations(range(len(names)), 2)]
    return lambda: _adjusted(comparison, tuple(pair.result() for pair in pairs))


def _adjusted(comparison: Comparison, pairs: tuple[PairReport, ...]) -> tuple[PairReport, ...]:
    """Adjust p-values as the table of `demur compare` does, for the pairs it shows; others for all pairs."""
    names = list(comparison.models)
    shown = {frozenset(pair) for pair in tested_pairs(comparison.models)}
    table = [pair for pair in pairs if {names[pair.first], names[pair.second]} in shown]
    found = {}
    for family in (pairs, table):
        columns = [
            holm(np.array([getattr(pair, test).pvalue for pair in family])) for test in ("volume", "auc")
        ]
        for pair, volume, auc in zip(family, *columns, strict=True):
            found[pair.first, pair.second] = replace(
                pair, volume_pvalue=float(volume), auc_pvalue=float(auc), comparisons=len(family)
            )
    return tuple(found.values())


def _pair(comparison: Comparison, tables: ModelTables, first: int, second: int) -> PairReport:
    names = list(comparison.models)
    cases, one, two = comparison.cases[names[0]], *(comparison.judged[names[k]] for k in (first, second))
    paired = judged_pair(cases, one, two)
    volume = volume_difference_of(paired)
    # tests take models that rank alike as one, whose held-out cases may differ
    joint = paired.honest if paired.honest.second is two.honest else held_out_pair(cases, one, two)
    auc = paired_test(tables, first, second, PairedOptions(method="delong"))
    return PairReport(
        first=first,
        second=second,
        paired=paired,
        joint=joint,
        volume=volume,
        auc=auc,
        confidence_level=comparison.problem.confidence_level,
        volume_pvalue=volume.pvalue,
        auc_pvalue=auc.pvalue,
        comparisons=1,
    )
