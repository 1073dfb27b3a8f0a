"""`Report`: everything about some models on one set of cases, in one object."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from demur._checks import check_mapping, check_type, input_error
from demur._files.whole import whole_file
from demur._results import Result
from demur._version import __version__
from demur.comparison.answer import Answer
from demur.comparison.case_table import CaseTable, Columns, check_columns, doubt_column, table_of_classes
from demur.comparison.choice import make_answer
from demur.comparison.comparison import Comparison, compared
from demur.comparison.problem import DecisionProblem, Limits
from demur.comparison.remarks import model_remarks, no_answer
from demur.costs.budget import Budget
from demur.costs.case_costs import CaseCosts
from demur.costs.class_costs import ClassCosts
from demur.costs.matrix import CostMatrix
from demur.costs.model import CostModel
from demur.costs.ranges import CostRange
from demur.counts.scores import ScoreCounts
from demur.exceptions import InputError, UndefinedError
from demur.honest.splits import FEWEST_CASES
from demur.report.cases import lists_cases, page_costs, page_design, page_evidence, whole_number
from demur.report.model import DataSource, ModelReport, PairReport, RuleByGroup, compared_parts, lone_models
from demur.report.packing import packed
from demur.report.page_text import framed_page, page_text
from demur.typing import ArrayLike, FloatArray, Labels, Range
from demur.windows.rule import Window

if TYPE_CHECKING:
    from demur.report.class_page import ReviewLevel

__all__ = ["Report", "page_problem", "report_of"]

_SCHEMA, _VERSION = "demur.report", 5
# where the page starts if the user names no costs
_START = CostModel(cost_fn=1.0, cost_fp=1.0, cost_abstain=0.2)
_NOT_PAIRED = (
    "Differences between models have no intervals and no tests: those need the scores of all models for "
    "the same cases, and only counts were given."
)


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class Report(Result):
    """Everything about some models on one set of cases: the answer, costs, intervals, comparisons.

    Make one with `from_predictions` or, where only counts are at hand, `from_counts`. The answer and
    every cost are those of `compare_models`. `to_html` writes an interactive page that opens with the
    answer, and where a reader sets the costs. Up to 4,096 cases it holds the scores and classes of all of
    them, in the order of their content, and says at any costs what `compare_models` says; above that it
    holds counts by block of scores and measures the cheapest rule, without a verdict. The page of many
    classes prices the rules it holds, as `answer_at` does.

    Attributes
    ----------
    comparison : Comparison or None
        The answer and what it rests on; None where the cases allow no honest cost.
    models : tuple of ModelReport
        Element m holds the results of model m; empty for many classes, whose models `comparison` holds.
    pairs : tuple of PairReport
        Every two models, the earlier one first; empty without joint cases.
    source : DataSource
        Where the cases came from.
    costs : CostModel, CaseCosts or CostMatrix
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
    levels : tuple
        Of many classes the rules chosen for the price of a review and for multiples of it.
    columns : mapping or None
        Of many classes model -> its columns in the file.

    Examples
    --------
    A miss costs 100, a false alarm 40, a review by a person 12:

    >>> from demur import Binormal, CostModel, Report
    >>> y, s = Binormal(separation=2.0).sample(2000, rng=0)
    >>> costs = CostModel(cost_fn=100, cost_fp=40, cost_abstain=12)
    >>> report = Report.from_predictions(y, {"risk": s}, costs=costs)
    >>> print(report.headline)
    Proven. Use risk: call positive from 1.89 up, negative up to -0.104, send the rest to
    a person. Of 1000 cases 218 are called positive, 321 negative, 461 go to a person;
    about 5 positive cases missed, about 30 false alarms. Cost 6,940 per 1000 cases (95 %
    interval 6,500 to 7,420), 5,060 less than sending every case to a person (4,530 to 5,510).
    Guaranteed at most 8,520 with 95 % confidence.
    """

    comparison: Comparison | None
    models: tuple[ModelReport, ...]
    pairs: tuple[PairReport, ...]
    source: DataSource
    costs: CostModel | CaseCosts | CostMatrix
    costs_given: bool
    prevalence: float | None
    confidence_level: float
    seed: int
    notes: tuple[str, ...]
    made: str
    by_group: RuleByGroup | None = None
    levels: tuple[ReviewLevel, ...] = ()
    columns: Mapping[str, tuple[str, ...]] | None = None

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
        groups: ArrayLike | None = None,
        time: ArrayLike | None = None,
        budget: Budget | None = None,
        costs: CostModel | CostRange | CaseCosts | CostMatrix | Mapping[Any, Mapping[Any, Any]] | None = None,
        prevalence: Any = None,
        objective: str | None = None,
        limits: Limits | None = None,
        include: Sequence[str] = (),
        prices: Mapping[str, float] | None = None,
        doubt: ArrayLike | Mapping[str, ArrayLike] | None = None,
        confidence_level: float = 0.95,
        seed: int = 0,
        source: DataSource | None = None,
    ) -> Report:
        """Make a report from the scores of one or more models for the same cases.

        Parameters
        ----------
        y_true : array of n labels
        scores : mapping {name: array of n numbers}, or a data frame with a column per model
            Higher means more positive; with `classes` one column of probabilities per class.
        classes, abstain_cost
            As in `compare_models`.
        pos_label, sample_weight, weights, prevalence, objective, confidence_level, seed
            As in `compare_models`.
        groups, time
            As in `compare_models`: the answer takes them into account. At other costs a page of counts
            measures without intervals, as those it can compute take independent cases.
        budget : Budget, optional
            As in `compare_models`: the answer keeps it. The page shows windows and thresholds, which do not.
        costs : CostModel, CostRange, CaseCosts or, with `classes`, a matrix; optional
            Of every outcome, also by a reviewer, by class or by case; where the page starts. With costs
            by case the prices of the page are factors on them.
        limits : Limits, optional
            What every rule must keep.
        include, prices, doubt
            As in `compare_models`: the answer takes them into account. The charts of the page show rules of
            one model, without what asking it costs.
        source : DataSource, optional
            What the page says about the data.

        Raises
        ------
        InputError
            For ill-formed input. Data that do not allow some number are no error: it is left
            out, and `notes` says why.
        """
        origin = DataSource(rows=len(np.asarray(y_true))) if source is None else source
        check_type(origin, "source", DataSource)
        asked: dict[str, Any] = {"prevalence": prevalence, "objective": objective, "seed": seed}
        asked |= {"confidence_level": confidence_level, "include": include, "prices": prices}
        if classes is not None:
            for name, given in (("pos_label", pos_label), ("doubt", doubt), ("budget", budget)):
                if given is not None:
                    raise InputError(f"`{name}` is for scores of two classes. Hint: leave it or classes out.")
            table, problem, names = table_of_classes(
                y_true,
                scores,
                classes=classes,
                costs=costs,
                abstain_cost=abstain_cost,
                sample_weight=sample_weight,
                weights=weights,
                groups=groups,
                time=time,
                limits=Limits() if limits is None else limits,
                **asked,
            )
            if not problem.many and source is None:
                origin = replace(origin, negative=str(table.labels[0]), positive=str(table.labels[1]))
            return cls.from_comparison(compared(table, problem, class_names=names), source=origin)
        if abstain_cost is not None:
            raise InputError("`abstain_cost` is for classes=[...]. Hint: CostModel(cost_abstain=...).")
        known = placed = {} if doubt is None else doubt_column(doubt)
        places = None
        if budget is not None:
            check_type(budget, "budget", Budget)
            scores, places, coded = budget.placed(_by_name(scores))
            placed = {**known, **coded}
        columns = check_columns(
            y_true,
            _by_name(scores),
            pos_label=pos_label,
            sample_weight=sample_weight,
            groups=groups,
            time=time,
            known=placed,
        )
        problem = _starting_problem(
            costs,
            limits,
            **asked,
            budget=places,
            doubt=next(iter(known), None),
        )

        def compare() -> Comparison:
            table = CaseTable.of_columns(columns, problem, weights=weights)
            return compared(table, problem, class_names=origin.class_names)

        return report_of(compare, lambda: _counts(columns), problem, origin, costs_given=costs is not None)

    @classmethod
    def from_comparison(
        cls,
        comparison: Comparison,
        *,
        source: DataSource | None = None,
        columns: Mapping[str, tuple[str, ...]] | None = None,
    ) -> Report:
        """Make a report of what `compare_models` gave at some costs; `source` as in `from_predictions`.

        `columns` names those of a file with many classes, for the policy.
        """
        check_type(comparison, "comparison", Comparison)
        if comparison.problem.costs is None:
            raise input_error("comparison", "must have costs", "none", "pass costs to compare_models.")
        if comparison.problem.cost_unknown is not None:
            raise InputError(
                "`comparison` must not have cost_unknown: the page knows no cases whose class cannot be "
                "known. Hint: leave these cases out of it."
            )
        origin = DataSource() if source is None else source
        check_type(origin, "source", DataSource)
        problem, notes = comparison.problem, list(comparison.notes)
        if problem.many:
            made = cls._made(comparison, (), (), problem, origin, notes)
            from demur.report.class_page import review_levels

            return replace(made, levels=review_levels(comparison), columns=columns)
        if len({id(cases) for cases in comparison.cases.values()}) > 1:
            notes.insert(0, _NOT_PAIRED)
        models, pairs = compared_parts(comparison)
        return cls._made(comparison, models, pairs, problem, origin, notes)

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
        problem = _starting_problem(
            costs,
            limits,
            prevalence=prevalence,
            objective=objective,
            confidence_level=confidence_level,
            seed=seed,
        )
        origin = DataSource() if source is None else source
        check_type(origin, "source", DataSource)

        def compare() -> Comparison:
            table = CaseTable.of_counts(checked, problem)
            return compared(table, problem, class_names=origin.class_names)

        given = costs is not None
        return report_of(compare, lambda: checked, problem, origin, costs_given=given, counted=True)

    @classmethod
    def _made(
        cls,
        comparison: Comparison | None,
        models: tuple[ModelReport, ...],
        pairs: tuple[PairReport, ...],
        problem: DecisionProblem,
        source: DataSource,
        notes: Sequence[str],
    ) -> Report:
        """Put the parts together."""
        said = [*notes, *model_remarks(models)]
        if len(models) == 1:
            said.append("Only one model: nothing to compare.")
        answer = None if comparison is None else comparison.answer
        if answer is not None and not problem.many and not isinstance(answer.rule, Window | None):
            said.append(
                "The rule of the answer is none of thresholds alone: charts show the cheapest that is."
            )
        if problem.budget is not None:
            said.append("Windows on the page do not know the number of places; what it copies keeps it.")
        if problem.prices:
            said.append("The charts of the page leave out what asking models costs.")
        if comparison is not None and problem.many:
            from demur.report.class_page import holds_rows

            if not holds_rows(comparison.choice):
                said.append(
                    "At costs you edit, the page prices the rules it holds: rules of expected costs are "
                    "those of the costs it was made with."
                )
        counted = comparison is not None and (problem.many or not lists_cases(comparison))
        if comparison is not None and counted and page_design(comparison) is not None:
            # tables of many classes are those of the blocks of time
            shuffled = comparison.by_block is not None and not problem.many
            where = "Beside the answer, and at other costs," if shuffled else "At other costs"
            how = "by a shuffled split and without intervals" if shuffled else "without intervals"
            said.append(f"{where} the page measures {how}; the copied command gives the answer there.")
        return cls(
            comparison=comparison,
            models=models,
            pairs=pairs,
            source=source,
            costs=problem.chosen_for,
            costs_given=True,
            prevalence=problem.rate,
            confidence_level=problem.confidence_level,
            seed=problem.seed,
            # each is said once
            notes=tuple(dict.fromkeys(said)),
            made=datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        )

    def with_groups(self, y_true: Labels, y_score: ArrayLike, groups: ArrayLike) -> Report:
        """Return the report with its rule judged in every group of some cases, as `judge_policy` does.

        `y_score` are the scores of the answer's model. On later cases the judgement is honest, on those
        that chose the rule it is with hindsight.
        """
        comparison = self.comparison
        answer = None if comparison is None else comparison.answer
        if comparison is None or answer is None or answer.model is None:
            raise InputError(
                "`with_groups` needs the rule of a model, and this report has none. "
                "Hint: a rule without a model treats all groups alike."
            )
        if comparison.choice is not None and comparison.choice.first.cluster is not None:
            raise InputError(
                "`with_groups` takes cases as independent, and this report counts clusters. "
                "Hint: make a report of every group."
            )
        from demur.monitoring.judgement import judge_policy
        from demur.policy.policy import Policy

        policy = Policy.from_answer(answer)
        assert isinstance(policy.rule, Window), "an answer between two classes has a window"
        judged = judge_policy(policy, y_score, y_true, groups=groups, confidence_level=self.confidence_level)
        found = RuleByGroup(
            model=answer.model,
            lower=policy.rule.lower,
            upper=policy.rule.upper,
            groups=judged.groups,
            overall=judged.overall,
            hindsight=np.array_equal(np.asarray(y_score), comparison.judged[answer.model].scores),
        )
        return replace(self, by_group=found)

    # ---------------------------------------------------------------- reading

    @property
    def headline(self) -> str:
        """The answer in words: the rule, what happens, what it costs, what is not proven."""
        if self.comparison is None or self.comparison.answer is None:
            counts = self.models[0].surface.counts
            return no_answer(counts.n_positive, counts.n_negative)
        words, costs = self.comparison.answer.words, self.costs
        if self.costs_given or not isinstance(costs, CostModel):
            return words
        review = "" if costs.cost_abstain is None else f" and a review {costs.cost_abstain:g}"
        start = f"If a miss costs {costs.cost_fn:g}, a false alarm {costs.cost_fp:g}{review}"
        return f"{start}: {words[0].lower()}{words[1:]}"

    @property
    def many(self) -> bool:
        """Whether there are more than two classes."""
        return self.comparison is not None and self.comparison.problem.many

    def answer_at(self, costs: Any, *, abstain_cost: Any = None) -> Answer:
        """Return the cheapest of the rules on a page of many classes at other costs.

        Its `honest_cost` is what the page measures there. Weights are those chosen for the nearest price
        of a review among `levels`, not chosen again: `compare_models` at these costs may find a cheaper
        rule. A page of two classes chooses windows anew at any costs: ask `compare_models`.

        Parameters
        ----------
        costs : CostMatrix, or mapping {true: {answer: cost}}
            Numbers; ranges are for `compare_models`.
        abstain_cost : number, mapping or Reviewer, optional
            Price of a review; None: no reviews.
        """
        own = None if self.comparison is None else self.comparison.problem.costs
        if self.comparison is None or not isinstance(own, ClassCosts):
            raise InputError("`answer_at` is for many classes. Hint: compare_models answers at any costs.")
        asked = ClassCosts.of(costs, abstain_cost, own.classes)
        if asked.ranged:
            raise InputError("`costs` must be numbers here. Hint: compare_models takes ranges.")
        if asked.may_abstain and not own.may_abstain:
            raise InputError(
                "`abstain_cost` must be None: the rules of this report answer every case. "
                "Hint: make the report with a price of a review."
            )
        from demur.report.class_page import class_choice_at, holds_rows

        choice = class_choice_at(self.levels, asked.mean, by_case=holds_rows(self.comparison.choice))
        # a page has no resamples of the cases at prices nobody asked about
        return make_answer(choice, advised=False)

    def to_dict(self) -> dict[str, Any]:
        """Return everything the page knows as JSON-safe built-in types, as docs/report_json.md describes."""
        if self.many:
            from demur.report.class_page import class_document

            parts = (self.comparison, self.levels, self.source, self.columns)
            return class_document(*parts, made=self.made, notes=self.notes)  # type: ignore[arg-type]
        assert not isinstance(self.costs, CostMatrix)
        counts, held = self.models[0].surface.counts, page_evidence(self.comparison)
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
            "folds": held.pop("folds"),
            "repeats": held.pop("repeats"),
            "seed": self.seed,
            "costs": page_costs(self.costs),
            "costs_given": self.costs_given,
            "prevalence": self.prevalence,
            "headline": self.headline,
            "notes": list(self.notes),
            **held,
            "groups": None if self.by_group is None else self.by_group.to_dict(),
            # counts of folds do not tell what cases cost
            "models": [
                model.to_dict(cases=held["cases"] is not None, folds=held["amounts"] is None)
                for model in self.models
            ],
            "pairs": [pair.to_dict() for pair in self.pairs],
        }

    def to_json(self) -> str:
        """Return `to_dict` as one line of JSON."""
        return _one_line(self.to_dict())

    def to_frame(self) -> dict[str, list[Any] | FloatArray]:
        """Return the table of all models: column name -> one entry per model (``pandas.DataFrame`` takes it).

        Costs are per case in the unit of `costs`; what could not be computed is NaN. Of many classes an
        entry per rule.
        """
        rows: list[dict[str, Any]] = []
        for report in self.models:
            model = None if self.comparison is None else self.comparison.models[report.name]
            window = None if model is None else model.window
            interval = None if model is None else model.interval
            volume, auc = report.volume, report.auc_interval
            rows.append(
                {
                    "model": report.name,
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
            )
        if self.comparison is not None and self.many:
            rows = [
                {
                    "model": name,
                    "kind": kind,
                    "cost": one.cost,
                    "cost_low": one.interval.low,
                    "cost_high": one.interval.high,
                    "hindsight_cost": one.hindsight_cost,
                    "abstention_rate": one.abstention_rate,
                    "error_rate": one.error_rate,
                }
                for name, model in self.comparison.models.items()
                for kind, one in model.rules.items()
            ]
        columns = {name: [row[name] for row in rows] for name in rows[0]}
        # None becomes NaN
        return {
            name: values if name in ("model", "kind") else np.array(values, dtype=np.float64)
            for name, values in columns.items()
        }

    # ---------------------------------------------------------------- the page

    def to_html(self, path: str | Path | None = None) -> str:
        """Return the self-contained page; with `path`, also write it there, whole or not at all."""
        text = page_text(
            _one_line(packed(self.to_dict())),
            title=f"demur: {self.source.title}",
            headline=self.headline,
            software=f"demur {__version__}",
        )
        if path is not None:
            with whole_file(path) as handle:
                handle.write(text)
        return text

    def widget(self) -> Any:
        """Return the page as a widget of a notebook: `costs`, `policy` and `headline` go both ways.

        Needs ``demur[notebook]``. Costs by case are refused: the fields of the page are factors on them.
        """
        if isinstance(self.costs, CaseCosts):
            raise InputError("`widget` needs the same costs for all cases. Hint: show the report itself.")
        try:
            from demur.report.widget import page_widget
        except ImportError:
            raise InputError("`widget` needs anywidget. Hint: pip install 'demur[notebook]'.") from None
        return page_widget(self)

    def _repr_html_(self) -> str:
        return framed_page(self.to_html())

    def __repr__(self) -> str:
        names = list(self.comparison.models) if self.comparison else [model.name for model in self.models]
        n = self.comparison.n if self.comparison else self.models[0].surface.n
        classes = f", {len(self.comparison.classes)} classes" if self.comparison and self.many else ""
        more = ", ..." if len(names) > 4 else ""
        return f"Report({self.source.title}: {n:g} cases{classes}, models {', '.join(names[:4])}{more})"


def _one_line(document: dict[str, Any]) -> str:
    return json.dumps(document, allow_nan=False, ensure_ascii=False, separators=(",", ":"))


def _by_name(scores: Any) -> Any:
    """Return the columns of a data frame by name; a mapping as it is."""
    if hasattr(scores, "columns") and not isinstance(scores, Mapping):
        import narwhals as nw

        frame = nw.from_native(scores, eager_only=True, pass_through=True)
        if isinstance(frame, nw.DataFrame):
            scores = {name: frame[name].to_numpy() for name in frame.columns}
    if not isinstance(scores, Mapping) or not scores:
        kind = type(scores).__name__
        raise input_error("scores", "must be a non-empty mapping {name: scores} or a data frame", kind)
    if len({str(name) for name in scores}) < len(scores):
        raise input_error("scores", "must have names that differ as text", list(scores))
    return scores


def _counts(columns: Columns) -> dict[str, ScoreCounts]:
    return {
        name: ScoreCounts.from_arrays(columns.positive, column, sample_weight=columns.weight)
        for name, column in columns.scores.items()
    }


def _starting_problem(costs: Any, limits: Limits | None, **settings: Any) -> DecisionProblem:
    """Check what a user asks, at costs to begin with where none are given."""
    start, kept = _START if costs is None else costs, Limits() if limits is None else limits
    return page_problem(DecisionProblem.checked(costs=start, limits=kept, **settings))


def report_of(
    compare: Callable[[], Comparison],
    counts: Callable[[], Mapping[str, ScoreCounts]],
    problem: DecisionProblem,
    source: DataSource,
    *,
    costs_given: bool,
    counted: bool = False,
) -> Report:
    """Make a report of what `compare` gives, or of `counts` where the cases are too few to judge any rule.

    With `counted` only counts are known, and those of weights allow no honest cost either.
    """
    try:
        comparison = compare()
    except InputError as error:
        # the page has no other number for costs by case
        if problem.by_case:
            raise
        found = counts()
        fewest = min(min(one.n_positive, one.n_negative) for one in found.values())
        if fewest >= FEWEST_CASES and (isinstance(error, UndefinedError) or not counted):
            raise
        notes = [f"Honest costs are left out: {error}"]
        made = Report._made(None, lone_models(found, problem), (), problem, source, notes)
    else:
        made = Report.from_comparison(comparison, source=source)
    return replace(made, costs_given=costs_given)


def page_problem(problem: DecisionProblem) -> DecisionProblem:
    """Return the problem at costs the page can start from: its fields show no review below 0."""
    costs = problem.costs
    if isinstance(costs, CostModel) and costs.hired is None:
        for name in ("cost_abstain", "cost_abstain_positive", "cost_abstain_negative"):
            price = getattr(costs, name)
            if price is not None and price < 0:
                raise input_error(name, "must not be negative in a report", f"{price:g}")
    return replace(problem, costs=_START) if costs is None else problem
