"""`Report`: everything about some models on one set of cases, in one object."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import numpy as np

from demur._checks import (
    check_confidence_level,
    check_labels,
    check_mapping,
    check_positive_int,
    check_same_length,
    check_scores,
    check_type,
    check_weights,
    input_error,
)
from demur._results import Result, json_safe
from demur.costs import CostModel
from demur.counts import ScoreCounts
from demur.report.building import Notes, Settings, build_models, build_pairs, possible_folds
from demur.report.headline import headline, model_remarks
from demur.report.model import DataSource, ModelReport, PairReport
from demur.typing import ArrayLike, Labels

__all__ = ["Report"]

_SCHEMA, _VERSION = "demur.report", 1
_START = CostModel(cost_fn=1.0, cost_fp=1.0, cost_abstain=0.2)
_NOT_PAIRED = (
    "Differences between models have no intervals and no tests: those need the scores of all models for "
    "the same cases, and only counts were given."
)


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class Report(Result):
    models: tuple[ModelReport, ...]
    pairs: tuple[PairReport, ...]
    source: DataSource
    costs: CostModel
    costs_given: bool
    prevalence: float | None
    confidence_level: float
    folds: int | None
    seed: int
    notes: tuple[str, ...]
    made: str

    @classmethod
    def from_predictions(
        cls,
        y_true: Labels,
        scores: Mapping[str, ArrayLike],
        *,
        pos_label: Any = None,
        sample_weight: ArrayLike | None = None,
        costs: CostModel | None = None,
        prevalence: float | None = None,
        confidence_level: float = 0.95,
        folds: int = 10,
        seed: int = 0,
        source: DataSource | None = None,
    ) -> "Report":
        positive = check_labels(y_true, pos_label)
        columns = {str(name): check_scores(column, str(name)) for name, column in scores.items()}
        weights = check_weights(sample_weight)
        check_same_length(y_true=positive, **columns, sample_weight=weights)
        counts = {
            name: ScoreCounts.from_arrays(positive, column, sample_weight=weights)
            for name, column in columns.items()
        }
        notes = Notes()
        settings = _settings(counts, prevalence, confidence_level, folds, seed, notes)
        models = build_models(counts, settings, notes)
        pairs = build_pairs(positive, columns, weights, settings, notes)
        return cls._made(
            models, pairs, settings, costs, source or DataSource(rows=len(positive)), notes
        )

    @classmethod
    def _made(
        cls,
        models: tuple[ModelReport, ...],
        pairs: tuple[PairReport, ...],
        settings: Settings,
        costs: CostModel | None,
        source: DataSource,
        notes: Notes,
    ) -> "Report":
        for remark in model_remarks(models):
            notes.add(remark)
        return cls(
            models=models,
            pairs=pairs,
            source=source,
            costs=_START if costs is None else costs,
            costs_given=costs is not None,
            prevalence=settings.prevalence,
            confidence_level=settings.confidence_level,
            folds=settings.folds,
            seed=settings.seed,
            notes=tuple(notes.sentences),
            made=datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        )

    @property
    def headline(self) -> str:
        """The decision in words."""
        return headline(self.models, self.costs, self.confidence_level, costs_given=self.costs_given)

    def to_dict(self) -> dict[str, Any]:
        from demur import __version__

        counts = self.models[0].surface.counts
        return {
            "schema": _SCHEMA,
            "version": _VERSION,
            "software": {"demur": __version__},
            "made": self.made,
            "source": self.source.to_dict(),
            "n": _number(counts.n),
            "n_positive": _number(counts.n_positive),
            "n_negative": _number(counts.n_negative),
            "confidence_level": self.confidence_level,
            "folds": None if all(model.honest is None for model in self.models) else self.folds,
            "seed": self.seed,
            "costs": {
                name: _number(getattr(self.costs, name)) for name in ("cost_fn", "cost_fp", "cost_abstain")
            },
            "costs_given": self.costs_given,
            "prevalence": self.prevalence,
            "certificate": all(model.certificate is not None for model in self.models),
            "headline": self.headline,
            "notes": list(self.notes),
            "models": [model.to_dict() for model in self.models],
            "pairs": [pair.to_dict() for pair in self.pairs],
        }

    def to_json(self) -> str:
        return json.dumps(self.to_dict(), allow_nan=False, ensure_ascii=False, separators=(",", ":"))


def _number(value: float | None) -> float | int | None:
    return int(value) if value is not None and float(value).is_integer() else value


def _settings(counts, prevalence, confidence_level, folds, seed, notes) -> Settings:
    one = next(iter(counts.values()))
    return Settings(
        prevalence=prevalence,
        confidence_level=check_confidence_level(confidence_level),
        folds=possible_folds(one, check_positive_int(folds, "folds", minimum=2), notes),
        seed=seed,
    )
