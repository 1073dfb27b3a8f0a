"""`Report`: everything about some models on one set of cases, in one object."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from demur._checks import (
    check_mapping,
    check_type,
    input_error,
)
from demur._files.whole import whole_file
from demur._results import Result
from demur.comparison.case_table import CaseTable, check_columns
from demur.comparison.comparison import Comparison, compared
from demur.comparison.question import Limits, Question
from demur.comparison.remarks import model_remarks
from demur.comparison.threads import workers
from demur.costs.case_costs import CaseCosts
from demur.costs.matrix import CostMatrix
from demur.costs.model import CostModel
from demur.costs.ranges import CostRange
from demur.counts.scores import ScoreCounts
from demur.exceptions import InputError, UndefinedError
from demur.honest.splits import FEWEST_CASES
from demur.report.amounts import page_amounts
from demur.report.asked import model_scores, page_question
from demur.report.building import Notes, begin_models, begin_pairs, lone_models
from demur.report.cases import page_bounds, page_cases
from demur.report.groups import RuleByGroup, rule_by_group
from demur.report.headline import headline
from demur.report.model import DataSource, ModelReport, PairReport
from demur.report.notebook import page_widget
from demur.report.page_costs import page_costs, whole_number
from demur.report.page_text import framed_page, page_text
from demur.typing import ArrayLike, FloatArray, Labels, Range

if TYPE_CHECKING:
    from demur.comparison.classes.comparison import ClassComparison
    from demur.report.classes import ClassReport

__all__ = ["Report"]

_SCHEMA, _VERSION = "demur.report", 3
# groups of cases of all pairs that a page may hold; more would make it too large to mail
_MOST_GROUPS = 48_000
_NOT_PAIRED = (
    "Differences between models have no intervals and no tests: those need the scores of all models for "
    "the same cases, and only counts were given."
)


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class Report(Result):
    """Everything about some models on one set of cases: the answer, costs, intervals, comparisons.

    Make one with `from_predictions` or, where only counts are at hand, `from_counts`. The answer and
    every cost are those of `compare_models`. `to_html` writes an interactive page where a reader sets
    the costs, and computes the answer for any prices itself. Up to 4,096 cases it holds the scores and
    classes of all of them, in the order of their content; above that counts by block of scores.

    Attributes
    ----------
    comparison : Comparison or None
        The answer and what it rests on; None where the cases allow no honest cost.
    models : tuple of ModelReport
        Element m holds the results of model m.
    pairs : tuple of PairReport
        Every two models, the earlier one first; empty without joint cases.
    source : DataSource
        Where the cases came from.
    costs : CostModel or CaseCosts
        Where the page starts.
    costs_given : bool
        Whether a user chose these costs.
    prevalence : float or None
        P(positive) in use, if it was given; None: that of the data.
    confidence_level : float
    seed : int
    notes : tuple of str
        What could not be computed, and why; what is odd about the models.
    made : str
        Time of making, ISO 8601 in UTC.
    by_group : RuleByGroup or None
        The rule of the answer in groups of cases; see `with_groups`.

    Examples
    --------
    A miss costs 100, a false alarm 40, a review by a person 12:

    >>> from demur import Binormal, CostModel, Report
    >>> y, s = Binormal(separation=2.0).sample(2000, rng=0)
    >>> costs = CostModel(cost_fn=100, cost_fp=40, cost_abstain=12)
    >>> report = Report.from_predictions(y, {"risk": s}, costs=costs)
    >>> print(report.headline)
    Use risk: call positive from 1.89 up, negative up to -0.104, send the rest to a
    person. Of 1000 cases 231 are called positive, 330 negative, 439 go to a person; about
    5 positive missed, about 30 false alarms. Cost 6,900 per 1000 cases (95 % 6,200 to
    7,500), 5,100 less than sending every case to a person (4,500 to 5,800). Guaranteed at
    most 8,500 (95 %).
    """

    comparison: Comparison | None
    models: tuple[ModelReport, ...]
    pairs: tuple[PairReport, ...]
    source: DataSource
    costs: CostModel | CaseCosts
    costs_given: bool
    prevalence: float | None
    confidence_level: float
    seed: int
    notes: tuple[str, ...]
    made: str
    by_group: RuleByGroup | None = None

    # ---------------------------------------------------------------- construction

    @classmethod
    def from_predictions(
        cls,
        y_true: Labels,
        scores: Any,
        *,
        classes: Sequence[Any] | None = None,
        abstain_cost: Any = None,
        pos_label: Any = None,
        sample_weight: ArrayLike | None = None,
        weights: str = "importance",
        costs: CostModel | CostRange | CaseCosts | CostMatrix | Mapping[Any, Mapping[Any, Any]] | None = None,
        prevalence: Any = None,
        objective: str | None = None,
        limits: Limits | None = None,
        confidence_level: float = 0.95,
        seed: int = 0,
        source: DataSource | None = None,
    ) -> Report | ClassReport:
        """Make a report from the scores of one or more models for the same cases.

        Parameters
        ----------
        y_true : array of n labels
        scores : mapping {name: array of n numbers}, or a data frame with a column per model
            Higher means more positive; with `classes` one column of probabilities per class.
        classes, abstain_cost
            As in `compare_models`: with `classes` the report is a `ClassReport`, and `costs` a matrix.
        pos_label, sample_weight, weights, prevalence, objective, confidence_level, seed
            As in `compare_models`.
        costs : CostModel, CostRange or CaseCosts, optional
            Of every outcome, also by a reviewer, by class or by case; where the page starts. With costs
            by case the prices of the page are factors on them.
        limits : Limits, optional
            What every rule must keep.
        source : DataSource, optional
            What the page says about the data.

        Raises
        ------
        InputError
            For ill-formed input. Data that do not allow some number are no error: it is left
            out, and `notes` says why.
        """
        if classes is not None:
            from demur.report.classes import ClassReport

            return ClassReport.from_predictions(
                y_true,
                scores,
                classes=classes,
                costs=costs,
                abstain_cost=abstain_cost,
                prevalence=prevalence,
                objective=objective,
                limits=limits,
                sample_weight=sample_weight,
                weights=weights,
                confidence_level=confidence_level,
                seed=seed,
                source=source,
                pos_label=pos_label,
            )
        if abstain_cost is not None:
            raise InputError("`abstain_cost` is for classes=[...]. Hint: CostModel(cost_abstain=...).")
        columns = check_columns(
            y_true, model_scores(scores), pos_label=pos_label, sample_weight=sample_weight
        )
        positive, weight = columns.positive, columns.weight
        question = page_question(costs, prevalence, objective, limits, confidence_level, seed)
        origin = DataSource(rows=len(np.asarray(y_true))) if source is None else source
        check_type(origin, "source", DataSource)
        notes = Notes()
        comparison = _unless_too_few(
            notes,
            [float(np.sum((positive == kind) & (weight is None or weight > 0))) for kind in (True, False)],
            lambda: compared(
                CaseTable.of_columns(columns, question, weights=weights),
                question,
                class_names=origin.class_names,
            ),
            by_case=question.by_case,
        )
        if comparison is None:
            counts = {
                name: ScoreCounts.from_arrays(positive, column, sample_weight=weight)
                for name, column in columns.scores.items()
            }
            lone = lone_models(counts, question.rate, question.confidence_level)
            return cls._made(None, lone, (), question, origin, notes, costs_given=costs is not None)
        return cls._of(comparison, origin, notes, costs_given=costs is not None)

    @classmethod
    def from_comparison(
        cls, comparison: Comparison | ClassComparison, *, source: DataSource | None = None
    ) -> Report:
        """Make a report of what `compare_models` gave at some costs; `source` as in `from_predictions`.

        A comparison of many classes is refused: `ClassReport.from_comparison` takes it.
        """
        if not isinstance(comparison, Comparison):
            hint = "ClassReport.from_comparison takes a comparison of classes."
            raise input_error("comparison", "must be a Comparison", type(comparison).__name__, hint)
        if comparison.question.costs is None:
            raise input_error("comparison", "must have costs", "none", "pass costs to compare_models.")
        origin = DataSource() if source is None else source
        check_type(origin, "source", DataSource)
        return cls._of(comparison, origin, Notes(), costs_given=True)

    @classmethod
    def from_counts(
        cls,
        counts: Mapping[str, ScoreCounts],
        *,
        costs: CostModel | CostRange | None = None,
        prevalence: float | Range | None = None,
        objective: str | None = None,
        limits: Limits | None = None,
        confidence_level: float = 0.95,
        seed: int = 0,
        source: DataSource | None = None,
    ) -> Report:
        """Make a report from the counts of one or more models for the same cases.

        As `from_predictions`, but without tests of differences: those need to know which scores
        belong to one case.
        """
        checked = check_mapping(counts, "counts", ScoreCounts)
        sizes = {(one.n_positive, one.n_negative) for one in checked.values()}
        if len(sizes) > 1:
            shown = " and ".join(f"{p:g} positive, {n:g} negative" for p, n in sorted(sizes)[:2])
            raise input_error("counts", "must be of the same cases for all models", shown)
        question = page_question(costs, prevalence, objective, limits, confidence_level, seed)
        origin = DataSource() if source is None else source
        check_type(origin, "source", DataSource)
        notes = Notes()
        comparison = _unless_too_few(
            notes,
            sizes.pop(),
            lambda: compared(
                CaseTable.of_counts(checked, question), question, class_names=origin.class_names
            ),
        )
        if comparison is None:
            if len(checked) > 1:
                notes.add(_NOT_PAIRED)
            lone = lone_models(checked, question.rate, question.confidence_level)
            return cls._made(None, lone, (), question, origin, notes, costs_given=costs is not None)
        return cls._of(comparison, origin, notes, costs_given=costs is not None)

    @classmethod
    def _of(
        cls,
        comparison: Comparison,
        source: DataSource,
        notes: Notes,
        *,
        costs_given: bool,
    ) -> Report:
        """Add to a comparison what only a report has."""
        if len({id(cases) for cases in comparison.cases.values()}) > 1:
            notes.add(_NOT_PAIRED)
        with workers(comparison.n) as pool:
            models, pairs = begin_models(comparison, pool), begin_pairs(comparison, pool)
        return cls._made(
            comparison, models(), pairs(), comparison.question, source, notes, costs_given=costs_given
        )

    @classmethod
    def _made(
        cls,
        comparison: Comparison | None,
        models: tuple[ModelReport, ...],
        pairs: tuple[PairReport, ...],
        question: Question,
        source: DataSource,
        notes: Notes,
        *,
        costs_given: bool,
    ) -> Report:
        for sentence in () if comparison is None else comparison.notes:
            notes.add(sentence)
        for remark in model_remarks(models):
            notes.add(remark)
        if len(models) == 1:
            notes.add("Only one model: nothing to compare.")
        return cls(
            comparison=comparison,
            models=models,
            pairs=pairs,
            source=source,
            costs=question.chosen_for,
            costs_given=costs_given,
            prevalence=question.rate,
            confidence_level=question.confidence_level,
            seed=question.seed,
            notes=tuple(notes.sentences),
            made=datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        )

    def with_groups(self, y_true: Labels, y_score: ArrayLike, groups: ArrayLike) -> Report:
        """Return the report with its rule judged in every group of some cases, as `judge_policy` does.

        `y_score` are the scores of the answer's model. On later cases the judgement is honest, on those
        that chose the rule it is with hindsight.
        """
        return replace(self, by_group=rule_by_group(self.comparison, y_true, y_score, groups))

    # ---------------------------------------------------------------- reading

    @property
    def headline(self) -> str:
        """The answer in words: the rule, what happens, what it costs, what is not proven."""
        return headline(self.comparison, self.models, self.costs, costs_given=self.costs_given)

    def to_dict(self) -> dict[str, Any]:
        """Return everything the page knows as JSON-safe built-in types, as docs/report_json.md describes."""
        from demur._version import __version__

        counts, comparison = self.models[0].surface.counts, self.comparison
        cases = page_cases(comparison)
        amounts = page_amounts(comparison, cases)
        return {
            "schema": _SCHEMA,
            "version": _VERSION,
            "software": {"demur": __version__},
            "made": self.made,
            "source": self.source.to_dict(),
            "n": whole_number(counts.n),
            "n_positive": whole_number(counts.n_positive),
            "n_negative": whole_number(counts.n_negative),
            "confidence_level": self.confidence_level,
            "folds": None if comparison is None else comparison.folds,
            "repeats": None if comparison is None else comparison.repeats,
            "seed": self.seed,
            "costs": page_costs(self.costs),
            "costs_given": self.costs_given,
            "prevalence": self.prevalence,
            "headline": self.headline,
            "notes": list(self.notes),
            "comparison": None if comparison is None else comparison.to_dict(),
            "bounds": page_bounds(comparison, every_score=cases is not None),
            "cases": None if cases is None else cases.to_dict(),
            "amounts": None if amounts is None else amounts.to_dict(),
            "groups": None if self.by_group is None else self.by_group.to_dict(),
            # counts of folds do not tell what cases cost
            "models": [model.to_dict(folds=amounts is None) for model in self.models],
            "pairs": [pair.to_dict(joint=kept) for pair, kept in zip(self.pairs, self._joint(), strict=True)],
        }

    def _joint(self) -> list[bool]:
        """Choose the pairs whose joint tables a page holds: the best models first, while there is room."""
        volumes = [
            model.surface.volume() if model.volume is None else model.volume.honest for model in self.models
        ]
        rank = np.argsort(np.argsort(volumes, kind="stable"))
        order = sorted(
            range(len(self.pairs)),
            key=lambda at: sorted(rank[[self.pairs[at].first, self.pairs[at].second]])[::-1],
        )
        # joint counts do not tell what cases cost
        kept, room = [False] * len(self.pairs), 0 if isinstance(self.costs, CaseCosts) else _MOST_GROUPS
        for at in order:
            if self.pairs[at].groups <= room:
                kept[at] = True
                room -= self.pairs[at].groups
        return kept

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

    def _row(self, report: ModelReport) -> dict[str, float | None]:
        model = None if self.comparison is None else self.comparison.models[report.name]
        window = None if model is None else model.window
        interval = None if model is None else model.interval
        volume, auc = report.volume, report.auc_interval
        return {
            "auc": report.auc,
            "auc_low": None if auc is None else auc.low,
            "auc_high": None if auc is None else auc.high,
            "vacc": None if volume is None else volume.honest,
            "vacc_low": None if volume is None else volume.low,
            "vacc_high": None if volume is None else volume.high,
            "hindsight_vacc": report.surface.volume(),
            "wins": report.wins,
            "lower": None if window is None else window.lower,
            "upper": None if window is None else window.upper,
            "abstention_rate": None if model is None else model.abstention_rate,
            "cost": None if model is None else model.cost,
            "cost_low": None if interval is None else interval.low,
            "cost_high": None if interval is None else interval.high,
            "threshold_cost": None if model is None else model.threshold_cost,
            "guaranteed_cost": None if model is None else model.guaranteed_cost,
            "hindsight_cost": None if model is None else model.hindsight_cost,
        }

    # ---------------------------------------------------------------- the page

    def to_html(self, path: str | Path | None = None) -> str:
        """Return the self-contained page; with `path`, also write it there, whole or not at all."""
        document = self.to_dict()
        text = page_text(
            json.dumps(document, allow_nan=False, ensure_ascii=False, separators=(",", ":")),
            title=f"demur: {self.source.title}",
            headline=document["headline"],
            software=f"demur {document['software']['demur']}",
        )
        if path is not None:
            with whole_file(path) as handle:
                handle.write(text)
        return text

    def widget(self) -> Any:
        """Return the page as a widget of a notebook: `costs`, `policy` and `headline` go both ways.

        Needs ``demur[notebook]``. Costs by case are refused: the fields of the page are factors on them.
        """
        return page_widget(self)

    def _repr_html_(self) -> str:
        return framed_page(self.to_html())

    def __repr__(self) -> str:
        names = ", ".join(model.name for model in self.models[:4])
        more = ", ..." if len(self.models) > 4 else ""
        return f"Report({self.source.title}: {self.models[0].surface.n:g} cases, models {names}{more})"


# ---------------------------------------------------------------- checks


def _unless_too_few(
    notes: Notes, classes: Iterable[float], compare: Callable[[], Comparison], *, by_case: bool = False
) -> Comparison | None:
    """Compare; None and a sentence where the cases allow no honest cost.

    Limits that nothing keeps raise, and so do costs by case: the page has no other number for them.
    """
    try:
        return compare()
    except InputError as error:
        if by_case or (isinstance(error, UndefinedError) and min(classes) >= FEWEST_CASES):
            raise
        notes.add(f"Honest costs are left out: {error}")
        return None
