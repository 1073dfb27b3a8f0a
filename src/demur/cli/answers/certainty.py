"""How sure a comparison is: intervals, honest costs, certificates, tests of all pairs."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from demur._results import Interval, json_safe
from demur.auc.one import auc_interval
from demur.auc.several import AucPairwiseTests, auc_pairwise_tests
from demur.cli.answers.comparison import Comparison, ModelResult, Ranking
from demur.cli.output import number, percent, table, wrapped
from demur.cli.reading.predictions import Predictions
from demur.costs.model import CostModel
from demur.counts.scores import ScoreCounts
from demur.exceptions import InputError
from demur.honest.bands import volume_interval
from demur.honest.certificates import surface_certificate
from demur.honest.cross_fitting import cross_fitted_surface
from demur.honest.difference import VolumeComparison, volume_comparison

__all__ = [
    "Certainty",
    "HonestCost",
    "certainty_sections",
    "honest_cost",
    "honest_sentence",
    "how_sure",
]

_MOST_PAIRS = 10
_MOST_FOLDS = 10
_CASES = 1000
_PAIRS_TITLE = "Differences, pair by pair (p adjusted for all pairs, Holm)"
_NO_PAIRS = (
    "Tests of pairs are left out: they need both scores of every case, and only counts were read. "
    "Hint: name two models and no groups, or leave --engine out where the cases fit into memory."
)


@dataclass(frozen=True, kw_only=True, eq=False)
class HonestCost:
    """Cost at the user's costs and in their unit, per case."""

    cost: float
    interval: Interval
    certified: float


@dataclass(frozen=True, kw_only=True, eq=False)
class ModelCertainty:
    """Intervals of one model; `honest` is None without costs."""

    name: str
    auc: float
    auc_interval: Interval
    volume: float
    volume_interval: Interval
    honest: HonestCost | None


@dataclass(frozen=True, kw_only=True, eq=False)
class Certainty:
    """Everything about sampling error that `compare` shows.

    Attributes
    ----------
    models : tuple of ModelCertainty
        In the order of the comparison.
    auc_tests, volume_tests : tests of all pairs, or None for one model and without rows
    left_out : str
        Why there is nothing here, in words; empty if there is.
    pairs_left_out : str
        Why there are no tests of pairs; empty if there are, or nothing to test.
    """

    confidence_level: float
    seed: int
    folds: int
    models: tuple[ModelCertainty, ...] = ()
    auc_tests: AucPairwiseTests | None = None
    volume_tests: VolumeComparison | None = None
    left_out: str = ""
    pairs_left_out: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return all numbers, unrounded."""
        models = [
            {**vars(model), "honest": None if model.honest is None else vars(model.honest)}
            for model in self.models
        ]
        return {
            "confidence_level": self.confidence_level,
            "seed": self.seed,
            "folds": self.folds,
            "left_out": self.left_out,
            "pairs_left_out": self.pairs_left_out,
            "models": json_safe(models),
            "auc_tests": None if self.auc_tests is None else self.auc_tests.to_dict(),
            "volume_tests": None if self.volume_tests is None else self.volume_tests.to_dict(),
        }


def how_sure(read: Predictions | None, found: Comparison, *, confidence_level: float, seed: int) -> Certainty:
    """Compute intervals and tests; data that do not allow them give the reason instead.

    Intervals come from the counts; tests of pairs need the rows in `read`.
    """
    folds = _folds(found)
    settings: dict[str, Any] = {"confidence_level": confidence_level, "seed": seed, "folds": folds}
    try:
        models = tuple(_model(model, found, **settings) for model in found.models)
        names = [model.name for model in found.models]
        if len(names) == 1:
            return Certainty(**settings, models=models)
        if read is None:
            return Certainty(**settings, models=models, pairs_left_out=_NO_PAIRS)
        columns = np.column_stack([read.scores[name] for name in names])
        return Certainty(
            **settings,
            models=models,
            auc_tests=auc_pairwise_tests(
                read.truth,
                columns,
                names=names,
                method="delong",
                sample_weight=read.weights,
                weights=read.weights_are,
            ),
            volume_tests=volume_comparison(
                read.truth,
                {name: read.scores[name] for name in names},
                sample_weight=read.weights,
                weights=read.weights_are,
                prevalence=_given(found),
                folds=folds,
                rng=seed,
            ),
        )
    except InputError as error:
        return Certainty(**settings, left_out=str(error))


def _given(found: Ranking) -> float | None:
    """The prevalence the user asked for; None for the sample's own, which has sampling error."""
    same = found.prevalence == found.best.counts.prevalence
    return None if same else found.prevalence


def _model(
    model: ModelResult, found: Comparison, *, confidence_level: float, seed: int, folds: int
) -> ModelCertainty:
    counts, prevalence = model.counts, _given(found)
    keywords: dict[str, Any] = {"prevalence": prevalence, "folds": folds, "rng": seed}
    volume = volume_interval(counts, confidence_level=confidence_level, **keywords)
    honest = None
    if found.costs is not None:
        honest = _honest_cost(counts, found.costs, confidence_level=confidence_level, **keywords)
    return ModelCertainty(
        name=model.name,
        auc=model.auc,
        auc_interval=Interval(*auc_interval(counts, confidence_level=confidence_level)),
        volume=volume.honest,
        volume_interval=Interval(volume.low, volume.high),
        honest=honest,
    )


def _honest_cost(
    counts: ScoreCounts,
    costs: CostModel,
    *,
    prevalence: float | None,
    confidence_level: float,
    folds: int,
    rng: int,
) -> HonestCost:
    surface = cross_fitted_surface(counts, prevalence=prevalence, folds=folds, rng=rng)
    certificate = surface_certificate(counts, prevalence=prevalence, confidence_level=confidence_level)
    ends = surface.interval(costs.mu, costs.nu, confidence_level=confidence_level)
    return HonestCost(
        cost=_in_unit(costs, surface.cost(costs.mu, costs.nu), surface.prevalence),
        interval=Interval(*(_in_unit(costs, end, surface.prevalence) for end in ends)),
        certified=certificate.window(costs=costs).certified_expected_cost,
    )


def honest_cost(found: Ranking, *, confidence_level: float, seed: int) -> HonestCost | str:
    """Return what the best model will cost, or why that cannot be said."""
    if found.costs is None or found.limits.given():
        return "Windows under limits have no honest cost here yet: judge them on new data."
    try:
        return _honest_cost(
            found.best.counts,
            found.costs,
            prevalence=_given(found),
            confidence_level=confidence_level,
            folds=_folds(found),
            rng=seed,
        )
    except InputError as error:
        return f"Honest costs are left out: {error}"


def honest_sentence(honest: HonestCost | str, confidence_level: float) -> str:
    """Say what to expect on new cases."""
    if isinstance(honest, str):
        return honest
    low, high = (number(_CASES * end, 3) for end in honest.interval)
    return (
        f"Honest cost, judged on cases that did not choose the thresholds: {number(_CASES * honest.cost, 3)} "
        f"per 1000 cases ({_level(confidence_level)} interval {low} to {high}); certified at most "
        f"{number(_CASES * honest.certified, 3)}."
    )


def _level(confidence_level: float) -> str:
    return percent(confidence_level).replace(".0 %", " %")


def _folds(found: Ranking) -> int:
    """Ten folds, or as many as the smaller class has cases."""
    smaller = int(min(found.best.counts.n_positive, found.best.counts.n_negative))
    return min(_MOST_FOLDS, max(smaller, 2))


def _in_unit(costs: CostModel, normalized: Any, prevalence: float) -> float:
    return float(costs.expected_cost(normalized, prevalence))


# ---------------------------------------------------------------- in words


def certainty_sections(sure: Certainty) -> list[tuple[str, str]]:
    """Return (title, body) of what to print."""
    level = _level(sure.confidence_level)
    if sure.left_out:
        return [("How sure", wrapped(f"Intervals and tests are left out: {sure.left_out}"))]
    sections = []
    if sure.models[0].honest is not None:
        sections.append((f"How sure of the cost per 1000 cases ({level})", _costs_table(sure)))
    sections.append((f"How sure over all costs ({level})", _quality_table(sure)))
    if sure.auc_tests is not None:
        sections.append((_PAIRS_TITLE, _pairs_table(sure)))
    elif sure.pairs_left_out:
        sections.append((_PAIRS_TITLE, wrapped(sure.pairs_left_out)))
    return sections


def _costs_table(sure: Certainty) -> str:
    rows = []
    for model in sure.models:
        honest = model.honest
        if honest is not None:
            low, high = (number(_CASES * end, 3) for end in honest.interval)
            certified = number(_CASES * honest.certified, 3)
            rows.append([model.name, number(_CASES * honest.cost, 3), f"{low} to {high}", f"<= {certified}"])
    note = (
        f"honest: windows judged on cases that did not choose them ({sure.folds} folds); "
        "certified: holds for every sample size"
    )
    return table(["model", "honest", "interval", "certified"], rows) + "\n" + wrapped(note)


def _quality_table(sure: Certainty) -> str:
    rows = [
        [
            model.name,
            f"{model.auc:.3f}",
            _span(model.auc_interval, 3),
            f"{model.volume:.4f}",
            _span(model.volume_interval, 4),
        ]
        for model in sure.models
    ]
    return table(["model", "AUC", "interval", "VACC (honest)", "interval"], rows)


def _pairs_table(sure: Certainty) -> str:
    auc, volume = sure.auc_tests, sure.volume_tests
    if auc is None or volume is None:
        return ""
    rows = []
    for k, (first, second) in enumerate(volume.pairs):
        rows.append(
            [
                f"{first} / {second}",
                f"{auc.difference[k]:+.3f}",
                _pvalue(float(auc.adjusted_pvalue[k])),
                f"{volume.tests[k].difference:+.4f}",
                _span(volume.tests[k].interval(sure.confidence_level), 4),
                _pvalue(float(volume.pvalues[k])),
            ]
        )
    kept = rows if len(rows) <= _MOST_PAIRS else rows[: len(sure.models) - 1]
    header = ["first / second", "AUC gap", "p", "VACC gap", "interval", "p"]
    note = "gap: first minus second; AUC by DeLong's test, VACC by per-case scores"
    if len(kept) < len(rows):
        note += f"; {sure.models[0].name} against each other model, --json has all pairs"
    return table(header, kept) + "\n" + wrapped(note)


def _span(interval: Interval, digits: int) -> str:
    return f"{interval.low:.{digits}f} to {interval.high:.{digits}f}"


def _pvalue(value: float) -> str:
    return "<0.001" if value < 0.001 else f"{value:.3f}"
