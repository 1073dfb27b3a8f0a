"""`Report`: everything about some models on one set of cases, in one object."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
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
from demur._files.whole import whole_file
from demur._results import Result
from demur.costs.model import CostModel
from demur.counts.scores import ScoreCounts
from demur.report.building import Cases, Notes, Settings, build_parts, possible_folds
from demur.report.headline import expected_cost, headline, model_remarks
from demur.report.model import DataSource, ModelReport, PairReport
from demur.report.page_text import framed_page, page_text
from demur.typing import ArrayLike, FloatArray, Labels

__all__ = ["Report"]

_SCHEMA, _VERSION = "demur.report", 1
# where the page starts if the user names no costs
_START = CostModel(cost_fn=1.0, cost_fp=1.0, cost_abstain=0.2)
_NOT_PAIRED = (
    "Differences between models have no intervals and no tests: those need the scores of all models for "
    "the same cases, and only counts were given."
)


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class Report(Result):
    """Everything about some models on one set of cases: decision, costs, intervals, comparisons.

    Make one with `from_predictions` or, where only counts are at hand, `from_counts`. Every number
    comes from the public function of its name with the report's settings. `to_html` writes a page
    anyone can open: it holds pooled blocks and bins, no rows, and computes windows and costs for
    any prices itself.

    Attributes
    ----------
    models : tuple of ModelReport
        Element m holds the results of model m.
    pairs : tuple of PairReport
        Every two models, the earlier one first; empty without joint cases or cross-fitting.
    source : DataSource
        Where the cases came from.
    costs : CostModel
        Where the page starts.
    costs_given : bool
        Whether a user chose these costs.
    prevalence : float or None
        P(positive) in use, if it was given; None: that of the data.
    confidence_level : float
    folds : int or None
        None where cross-fitting is impossible; then there are no honest costs.
    seed : int
    notes : tuple of str
        What could not be computed, and why; what is odd about the models.
    made : str
        Time of making, ISO 8601 in UTC.

    Examples
    --------
    A miss costs 100, a false alarm 40, a review by a person 12:

    >>> from demur import Binormal, CostModel, Report
    >>> y, s = Binormal(separation=2.0).sample(2000, rng=0)
    >>> costs = CostModel(cost_fn=100, cost_fp=40, cost_abstain=12)
    >>> report = Report.from_predictions(y, {"risk": s}, costs=costs)
    >>> print(report.headline)
    With these costs, use risk: act on 54 of 100 cases, send 46 to a person. Expected cost 6,900
    per 1000 cases (95 % 6,200-7,300; certified <= 10,800). Never abstaining: 9,200. Best rule
    without a model (send every case to a person): 12,000.
    """

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

    # ---------------------------------------------------------------- construction

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
        """Make a report from the scores of one or more models for the same cases.

        Parameters
        ----------
        y_true : array of n labels
        scores : mapping {name: array of n numbers}
            Higher means more positive.
        pos_label, sample_weight, prevalence
            As in `abstention_surface`. Weights that are not whole numbers leave no intervals.
        costs : CostModel, optional
            Of a miss, a false alarm and abstaining; where the page starts. Right answers cost 0.
        confidence_level : float, default 0.95
            Of all intervals.
        folds : int, default 10
            For honest costs; fewer where a class has fewer cases.
        seed : int, default 0
            For the folds and the bands. Several models share one split of the rows in their order, so
            the same rows in another order give other folds; a single model does not notice.
        source : DataSource, optional
            What the page says about the data.

        Raises
        ------
        InputError
            For ill-formed input. Data that do not allow some number are no error: it is left
            out, and `notes` says why.
        """
        positive = check_labels(y_true, pos_label)
        columns = _check_models(scores)
        weights = check_weights(sample_weight)
        for name, column in columns.items():
            check_same_length(y_true=positive, sample_weight=weights, **{f"scores[{name!r}]": column})
        counts = {
            name: ScoreCounts.from_arrays(positive, column, sample_weight=weights)
            for name, column in columns.items()
        }
        notes = Notes()
        settings = _check_settings(counts, prevalence, confidence_level, folds, seed, notes)
        start = _check_costs(costs)
        models, pairs = build_parts(counts, Cases(positive, columns, weights), settings, notes)
        origin = DataSource(rows=len(positive)) if source is None else source
        return cls._made(models, pairs, settings, start, origin, notes, costs_given=costs is not None)

    @classmethod
    def from_counts(
        cls,
        counts: Mapping[str, ScoreCounts],
        *,
        costs: CostModel | None = None,
        prevalence: float | None = None,
        confidence_level: float = 0.95,
        folds: int = 10,
        seed: int = 0,
        source: DataSource | None = None,
    ) -> "Report":
        """Make a report from the counts of one or more models for the same cases.

        As `from_predictions`, but without tests of differences: those need to know which scores
        belong to one case.
        """
        checked = check_mapping(counts, "counts", ScoreCounts)
        sizes = {(one.n_positive, one.n_negative) for one in checked.values()}
        if len(sizes) > 1:
            shown = " and ".join(f"{p:g} positive, {n:g} negative" for p, n in sorted(sizes)[:2])
            raise input_error("counts", "must be of the same cases for all models", shown)
        notes = Notes()
        settings = _check_settings(checked, prevalence, confidence_level, folds, seed, notes)
        start = _check_costs(costs)
        models, _ = build_parts(checked, None, settings, notes)
        if len(models) > 1:
            notes.add(_NOT_PAIRED)
        origin = DataSource() if source is None else source
        return cls._made(models, (), settings, start, origin, notes, costs_given=costs is not None)

    @classmethod
    def _made(
        cls,
        models: tuple[ModelReport, ...],
        pairs: tuple[PairReport, ...],
        settings: Settings,
        costs: CostModel,
        source: DataSource,
        notes: Notes,
        *,
        costs_given: bool,
    ) -> "Report":
        check_type(source, "source", DataSource)
        for remark in model_remarks(models):
            notes.add(remark)
        return cls(
            models=models,
            pairs=pairs,
            source=source,
            costs=costs,
            costs_given=costs_given,
            prevalence=settings.prevalence,
            confidence_level=settings.confidence_level,
            folds=settings.folds if models[0].honest is not None else None,
            seed=settings.seed,
            notes=tuple(notes.sentences),
            made=datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        )

    # ---------------------------------------------------------------- reading

    @property
    def headline(self) -> str:
        """The decision in words: model, share acted on, honest cost with interval and certificate."""
        return headline(self.models, self.costs, self.confidence_level, costs_given=self.costs_given)

    def to_dict(self) -> dict[str, Any]:
        """Return everything the page knows as JSON-safe built-in types, as docs/report_json.md describes."""
        from demur._version import __version__

        counts = self.models[0].surface.counts
        prices = {name: getattr(self.costs, name) for name in ("cost_fn", "cost_fp", "cost_abstain")}
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
            "folds": self.folds,
            "seed": self.seed,
            "costs": {name: _number(price) for name, price in prices.items()},
            "costs_given": self.costs_given,
            "prevalence": self.prevalence,
            "certificate": all(model.certificate is not None for model in self.models),
            "headline": self.headline,
            "notes": list(self.notes),
            "models": [model.to_dict() for model in self.models],
            "pairs": [pair.to_dict() for pair in self.pairs],
        }

    def to_json(self) -> str:
        """Return `to_dict` as one line of JSON."""
        return json.dumps(self.to_dict(), allow_nan=False, ensure_ascii=False, separators=(",", ":"))

    def to_frame(self) -> dict[str, list[Any] | FloatArray]:
        """Return the table of all models: column name -> one entry per model (``pandas.DataFrame`` takes it).

        Costs are per case in the unit of `costs`; what could not be computed is NaN.
        """
        rows = [self._row(model) for model in self.models]
        columns: dict[str, list[Any] | FloatArray] = {"model": [model.name for model in self.models]}
        for name in rows[0]:
            values = [np.nan if row[name] is None else row[name] for row in rows]
            columns[name] = np.array(values, dtype=np.float64)
        return columns

    def _row(self, model: ModelReport) -> dict[str, float | None]:
        found = expected_cost(model, self.costs, self.confidence_level)
        window = model.surface.window(costs=self.costs)
        auc, volume, cost = model.auc_interval, model.volume, found.interval
        return {
            "auc": model.auc,
            "auc_low": None if auc is None else auc.low,
            "auc_high": None if auc is None else auc.high,
            "vacc": None if volume is None else volume.honest,
            "vacc_low": None if volume is None else volume.low,
            "vacc_high": None if volume is None else volume.high,
            "vacc_hindsight": model.surface.volume(),
            "wins": model.wins,
            "lower": window.lower,
            "upper": window.upper,
            "abstention_rate": window.abstention_rate,
            "cost": found.cost,
            "cost_low": None if cost is None else cost.low,
            "cost_high": None if cost is None else cost.high,
            "cost_certified": found.certified,
            "cost_hindsight": window.expected_cost,
        }

    # ---------------------------------------------------------------- the page

    def to_html(self, path: str | Path | None = None) -> str:
        """Return the self-contained page; with `path`, also write it there, whole or not at all."""
        document = self.to_dict()
        text = page_text(
            json.dumps(document, allow_nan=False, ensure_ascii=False, separators=(",", ":")),
            title=f"demur: {self.source.name}",
            headline=document["headline"],
            software=f"demur {document['software']['demur']}",
        )
        if path is not None:
            with whole_file(path) as handle:
                handle.write(text)
        return text

    def _repr_html_(self) -> str:
        return framed_page(self.to_html())

    def __repr__(self) -> str:
        names = ", ".join(model.name for model in self.models[:4])
        more = ", ..." if len(self.models) > 4 else ""
        return f"Report({self.source.name}: {self.models[0].surface.n:g} cases, models {names}{more})"


# ---------------------------------------------------------------- checks


def _number(value: float | None) -> float | None:
    """Drop the decimal point of whole numbers."""
    return int(value) if value is not None and float(value).is_integer() else value


def _check_models(scores: Any) -> dict[str, FloatArray]:
    if not isinstance(scores, Mapping) or not scores:
        raise input_error("scores", "must be a non-empty mapping {name: scores}", type(scores).__name__)
    columns = {str(name): check_scores(column, f"scores[{name!r}]") for name, column in scores.items()}
    if len(columns) < len(scores):
        raise input_error("scores", "must have names that differ as text", list(scores))
    return columns


def _check_settings(
    counts: Mapping[str, ScoreCounts],
    prevalence: float | None,
    confidence_level: float,
    folds: int,
    seed: int,
    notes: Notes,
) -> Settings:
    wanted = check_positive_int(folds, "folds", minimum=2)
    return Settings(
        prevalence=None if prevalence is None else float(prevalence),
        confidence_level=check_confidence_level(confidence_level),
        folds=possible_folds(next(iter(counts.values())), wanted, notes),
        seed=check_positive_int(seed, "seed", minimum=0),
    )


def _check_costs(costs: CostModel | None) -> CostModel:
    """Return the costs if three prices describe them, which is what the page lets its reader set."""
    if costs is None:
        return _START
    check_type(costs, "costs", CostModel)
    zero = {"cost_tp": costs.cost_tp, "cost_tn": costs.cost_tn}
    for name, value in zero.items():
        if value != 0:
            hint = "subtract it from the other costs of its class: decisions stay the same."
            raise input_error(name, "must be 0 in a report", f"{value:g}", hint)
    for name in ("cost_abstain_positive", "cost_abstain_negative"):
        if getattr(costs, name) is not None:
            hint = "a report has one cost of abstaining, cost_abstain."
            raise input_error(name, "must be left out of a report", f"{getattr(costs, name):g}", hint)
    if costs.cost_abstain is not None and costs.cost_abstain < 0:
        raise input_error("cost_abstain", "must not be negative in a report", f"{costs.cost_abstain:g}")
    return costs
