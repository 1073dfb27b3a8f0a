"""`compare_models`: candidates, honest costs and the answer for models on the same cases."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from demur._checks import check_type
from demur._kernels.jit import whole_job
from demur._progress import Progress, log
from demur._results import FrozenDict, Result, json_safe
from demur._tables.table import Table
from demur.auc.tables import ModelTables
from demur.comparison.answer import Answer
from demur.comparison.blocks import BlockCost, time_notes
from demur.comparison.by_group import GroupCosts, group_costs
from demur.comparison.candidates import Candidate, baseline_candidates, joint_candidates
from demur.comparison.case_table import (
    CaseTable,
    check_columns,
    doubt_column,
    require_cases,
    table_of_classes,
)
from demur.comparison.choice import Choice, chosen, make_answer
from demur.comparison.class_volume import ClassVacc, volume_of_classes
from demur.comparison.estimates import cost_at, incurred_costs
from demur.comparison.missing import Unscored, known_cases, rows_of, set_aside, unscored
from demur.comparison.models import (
    ModelComparison,
    OverAllCosts,
    PairDifference,
    RuleCost,
    Rules,
    compared_model,
    pair_differences,
    rule_cost,
    rules_of,
    tested_pairs,
)
from demur.comparison.problem import DecisionProblem, Limits
from demur.comparison.tables import comparison_tables, cost_curves
from demur.comparison.threads import workers
from demur.costs.budget import Budget
from demur.costs.case_costs import CaseCosts
from demur.costs.law import CostLaw
from demur.costs.matrix import CostMatrix
from demur.costs.model import CostModel
from demur.costs.ranges import CostRange
from demur.counts.scores import ScoreCounts
from demur.counts.window import NEVER_PAYS
from demur.exceptions import InputError, UndefinedError
from demur.honest.cases import JudgedModel, SplitCases
from demur.honest.evaluate import Inputs
from demur.paired.counts import JointCounts
from demur.roc.curve import roc_curve
from demur.surface.surface import SurfaceDifference
from demur.typing import ArrayLike, BoolArray, FloatArray, Labels

__all__ = ["Comparison", "compare_models", "compared", "compared_where_scored"]

_DRAWS = 1000
"""Costs of many classes that are drawn where none are known."""
_MOST_JOINED = 8
"""Rules of several models are made of so many: of more, of those whose own rules cost least."""
_LARGE_AMOUNT = 0.1
"""Part of the amounts of a class from which on a single one is worth a sentence."""


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class Comparison(Result):
    """Models on the same cases at the user's costs: the answer and everything it rests on.

    Made by `compare_models`.

    Attributes
    ----------
    answer : Answer or None
        What to do; None without costs.
    models : mapping
        Name -> `ModelComparison`, in the order given.
    baselines : mapping
        Rule without a model -> its cost per case; also as `trivial`.
    combinations : mapping
        Name of a rule of several models -> `RuleCost`; empty unless `include` asks for some.
    problem : DecisionProblem
        Costs, prevalence, objective, limits, level and seed.
    classes : tuple
        Classes as the user wrote them; of two the negative one first.
    n, class_sizes : float, array
        Number of cases, of all and of each class, last of those whose class cannot be known; with importance
        weights effective ones.
    n_positive, n_negative, prevalence : float or None
        Of two classes; P(positive) the costs refer to.
    units : float
        Number of independent units: clusters, or cases.
    folds, repeats : int
        Parts of each split, and splits averaged.
    split : str
        "rows" or "counts": what the folds were drawn from.
    notes : tuple of str
        What a reader should know about the numbers.
    class_vacc : ClassVacc or None
        Of many classes without costs: mean costs over a law of costs, and who is cheapest how often.
    """

    # None without costs; `Any` in its place: who passed costs need not ask a type checker's question
    answer: Answer | Any
    models: Mapping[str, ModelComparison]
    baselines: Mapping[str, float]
    combinations: Mapping[str, RuleCost]
    problem: DecisionProblem
    classes: tuple[Any, ...]
    n: float
    class_sizes: FloatArray
    units: float
    folds: int
    repeats: int
    split: str
    weights: str | None
    notes: tuple[str, ...]
    cases: Mapping[str, SplitCases]
    judged: Mapping[str, JudgedModel | Any]
    areas: ModelTables | None
    choice: Choice | None
    class_vacc: ClassVacc | Any = None
    _reported = ("n_positive", "n_negative", "prevalence")
    _evidence = (
        "problem",
        "cases",
        "judged",
        "areas",
        "choice",
        "class_vacc",
        "answer",
        "models",
        "baselines",
        "classes",
        "combinations",
    )

    @property
    def by_block(self) -> tuple[BlockCost, ...] | None:
        """Cost of the answer in every judged block of time; None without times."""
        return None if self.answer is None else self.answer.by_block

    @property
    def trivial(self) -> Mapping[str, float]:
        """The costs of the baselines."""
        return self.baselines

    @property
    def n_negative(self) -> float | Any:
        """Number of negatives; None for many classes."""
        return None if self.problem.many else float(self.class_sizes[0])

    @property
    def n_positive(self) -> float | Any:
        """Number of positives; None for many classes."""
        return None if self.problem.many else float(self.class_sizes[1])

    @property
    def prevalence(self) -> float | Any:
        """P(positive) the costs refer to; None for many classes."""
        if self.problem.many:
            return None
        own = self.n_positive / float(self.class_sizes.sum())
        return own if self.problem.rate is None else self.problem.rate

    def best_model(self) -> Answer:
        """Return the best rule of a model, also where a rule without a model is cheaper."""
        if self.choice is None:
            raise InputError("`costs` are needed to choose. Hint: pass costs=CostModel(...).")
        if not self.choice.candidates:
            raise UndefinedError("No model keeps the limits. Hint: loosen one of them.")
        return make_answer(self.choice, models_only=True)

    def by(self, values: ArrayLike, *, models_only: bool = False) -> GroupCosts:
        """Return cost, errors and reviews of the answer's rule by group of cases.

        Costs and errors are honest, restricted to the cases of the group; weighted by the groups' shares
        they add up to those of all cases. Where costs are ranges, they are those at the middle.

        Parameters
        ----------
        values : array of n values
            Group of every case, such as its site, in the order of `y_true`.
        models_only : bool
            Look at the rule of `best_model`.

        Raises
        ------
        InputError
            Without costs, for counts, for bounded labels, and for another number of values than cases.
        """
        if self.choice is None:
            raise InputError("`costs` are needed for groups. Hint: pass costs=CostModel(...).")
        return group_costs(chosen(self.choice, models_only=models_only), self.problem, values)

    def pairs(self) -> tuple[PairDifference, ...]:
        """Test the differences of areas and volumes of models in pairs, the smaller volume first.

        All pairs of up to five models, else those with the best one; p-values are adjusted for their number.
        None of many classes, nor where only counts of every model were read.
        """
        if self.areas is None or len(self.models) == 1:
            return ()
        cases = next(iter(self.cases.values()))
        return pair_differences(tested_pairs(self.models), self.judged, cases, self.areas)

    def differences(self) -> dict[tuple[str, str], SurfaceDifference]:
        """Compare models in pairs over all relative costs, with hindsight: where each is cheaper, how much.

        The pairs of `pairs`, by name; none of many classes.
        """
        if self.problem.many or len(self.models) == 1:
            return {}
        surfaces = {name: model.surface.surface for name, model in self.models.items()}
        return {pair: surfaces[pair[0]].minus(surfaces[pair[1]]) for pair in tested_pairs(self.models)}

    def tables(
        self, *, by: tuple[str, GroupCosts] | None = None, over_all_costs: bool = True
    ) -> dict[str, Table]:
        """Return everything there is to read as tables by name, the most important first.

        Parameters
        ----------
        by : (column, GroupCosts), optional
            What `by` returned for a column, to show it, too.
        over_all_costs : bool
            Whether areas, volumes and differences over all costs are computed.
        """
        tables = comparison_tables(self, by, over_all_costs=over_all_costs)
        return {table.name: table for table in tables}

    def curves(self) -> dict[str, dict[str, Any]]:
        """Return ROC curve, cost curve and surface by model, with hindsight.

        Of many classes the cost by price of a review, honest; none where costs are known.
        """
        if self.class_vacc is not None:
            return {name: {"review": one} for name, one in self.class_vacc.curves().items()}
        if self.problem.many:
            return {}
        return {
            name: {
                "roc": roc_curve(self.judged[name].counts),
                "cost": curve,
                "surface": self.models[name].surface.surface,
            }
            for name, curve in cost_curves(self).items()
        }

    def to_frame(self, backend: str = "pandas") -> Any:
        """Return the rules with costs per case, or without costs the models, as a data frame.

        Parameters
        ----------
        backend : {"pandas", "polars", ...}
            Library of the frame, as narwhals calls it.
        """
        return next(iter(self.tables().values())).to_frame(backend)

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison as JSON-safe built-in types."""
        problem = self.problem
        baselines = json_safe(dict(self.baselines))
        # without costs the question is which of two is cheaper at which
        pairs: dict[str, Any] = {}
        if problem.costs is None:
            named = (
                ({"first": one, "second": other}, gap) for (one, other), gap in self.differences().items()
            )
            sides = ("better_within", "worse_within")
            pairs = {
                "pairs": [
                    names | gap.to_dict() | json_safe(dict(zip(sides, gap.within(), strict=True)))
                    for names, gap in named
                ]
            }
        return {
            "answer": None if self.answer is None else self.answer.to_dict(),
            "models": {name: model.to_dict() for name, model in self.models.items()},
            "baselines": baselines,
            "trivial": baselines,
            "combinations": {name: one.to_dict() for name, one in self.combinations.items()},
            "costs": None if problem.costs is None else problem.costs.to_dict(),
            "incurred": incurred_costs(problem.costs, self.cases),
            "objective": problem.objective,
            "prevalence_range": list(problem.prevalence) if isinstance(problem.prevalence, tuple) else None,
            "prevalence_error": problem.rate_variance**0.5,
            "shares": json_safe(problem.shares),
            "limits": problem.limits.given(),
            "budget": None if problem.budget is None else problem.budget.to_dict(),
            "include": list(problem.include),
            "prices": dict(problem.prices),
            "doubt": problem.doubt,
            **({} if problem.cost_unknown is None else {"cost_unknown": problem.cost_unknown}),
            "confidence_level": problem.confidence_level,
            "seed": problem.seed,
            # labels of two classes are told by the policy
            "classes": list(self.classes) if problem.many else None,
            **pairs,
            **({} if self.class_vacc is None else {"class_vacc": self.class_vacc.to_dict()}),
            **Result.to_dict(self),
        }

    def __repr__(self) -> str:
        names = ", ".join(list(self.models)[:4]) + (", ..." if len(self.models) > 4 else "")
        classes = f", {len(self.classes)} classes" if self.problem.many else ""
        return f"Comparison(n={self.n:g}{classes}, models {names}, answer={self.answer!r})"


def compare_models(
    y_true: Labels | JointCounts,
    scores: Mapping[str, ArrayLike] | ArrayLike | None = None,
    *,
    costs: CostModel | CostRange | CaseCosts | CostMatrix | CostLaw | Mapping[Any, Any] | None = None,
    classes: Sequence[Any] | None = None,
    abstain_cost: Any = None,
    prevalence: Any = None,
    objective: str | None = None,
    max_abstention: float | None = None,
    min_precision_positive: float | None = None,
    min_precision_negative: float | None = None,
    max_fn_rate: float | None = None,
    precision_confidence: float | None = None,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
    weights: str = "importance",
    groups: ArrayLike | None = None,
    time: ArrayLike | None = None,
    missing_labels: str = "refuse",
    budget: Budget | None = None,
    include: Sequence[str] = (),
    prices: Mapping[str, float] | None = None,
    doubt: ArrayLike | Mapping[str, ArrayLike] | None = None,
    unknown_label: Any = None,
    cost_unknown: float | None = None,
    class_names: tuple[str, str] = ("negative", "positive"),
    confidence_level: float = 0.95,
    seed: int = 0,
) -> Comparison:
    """Choose the rule with the lowest honest cost: the answer of Python, the command line and the page.

    For every model the cheapest window and the cheapest single threshold, or the rules of many classes,
    and the rules without a model. The answer has the smallest honest cost: chosen on nine folds, scored on
    the tenth, over repeated splits. Assumes independent cases that resemble the use, up to the prevalence.

    Parameters
    ----------
    y_true : array of n labels, or JointCounts
        Two distinct values, or any number of `classes`; or, without scores, what `read_joint_counts` gave.
    scores : mapping {name: array of n numbers}, data frame with a column for each model, or one array
        Higher means more positive; with `classes` one column of probabilities per class.
    costs : CostModel, CostRange, CaseCosts, CostMatrix, CostLaw or mapping, optional
        What a miss, a false alarm and a review cost; each may be a range, or differ by case; None: over all
        costs. With `classes` {true: {answer: cost}}, a cost may be (low, high); None: those of a `CostLaw`.
    classes : m names, optional
        Names of the columns. Two of them are the negative and the positive class.
    abstain_cost : float, (low, high), one number per class (mapping or list) or Reviewer, optional
        Price of abstaining beside `classes`; None: abstaining is no option.
    prevalence : float, (low, high) or Prevalence, optional
        P(positive) in use, if not the sample's: known, a range, or an estimate whose error the intervals
        hold. With `classes` a mapping {class: share}.
    objective : {"expected", "worst", "regret", "guaranteed"}, optional
        What to minimise over ranges: the cost at their middle, the largest cost, or the largest
        regret (default for ranges). "guaranteed": the bound that holds for every sample size.
    max_abstention, min_precision_positive, min_precision_negative, max_fn_rate : float, optional
        Limits every rule must keep.
    precision_confidence : float, optional
        Keep promised precisions for the population with this confidence.
    pos_label, sample_weight, weights
        As in `cross_fitted_surface`: weights mean "importance" or "repeats".
    groups : array of n values, optional
        Cluster of every case, such as the patient: its cases stay in one fold, and intervals count clusters.
    time : array of n numbers or dates, optional
        When every case happened: rules chosen on the past are judged on what follows (`by_block`).
    missing_labels : {"refuse", "drop", "bounds"}
        Cases without a label (NaN, None) are left out if their scores do not differ from the others; else
        refused. "drop": left out anyway, nothing is guaranteed, and models are compared on the cases that
        all of them scored. "bounds": kept at the label that costs most: costs hold whatever it is.
    budget : Budget, optional
        Number of places for reviews in every day or other batch, which every rule keeps.
    include : {"combinations", "cascades", "guards"}, optional
        Rules to choose among besides: averages, votes and disagreement; a cheap model that passes cases on to
        a second one; a window that abstains where `doubt` is too large. Made of the eight cheapest models.
    prices : mapping {model: number}, optional
        What asking a model for one case costs; 0 for those left out. Rules pay for the models they ask.
    doubt : array of n numbers, or mapping {name: array}, optional
        How unlike the training data every case is, for guards; higher is less familiar.
    unknown_label, cost_unknown : label, float, optional
        Label of cases whose class cannot be known, and the price of deciding one; abstaining is right there.
    class_names, confidence_level : (str, str), float
        How the words call the negative and the positive class, and the level of intervals.
    seed : int, default 0
        For the splits, which depend on the labels in row order and the seed alone.

    Returns
    -------
    Comparison
        With `answer`, `models`, `baselines`, `pairs()`, `to_dict()`.

    Raises
    ------
    InputError, UndefinedError
        For ill-formed input; if a class is missing, or no rule keeps the limits.

    Notes
    -----
    A difference below a tenth of its standard error goes to the simpler rule: without a model, then a
    threshold, then a window. `answer.cost` is what to expect after the choice (`cost_after_choice`).

    Examples
    --------
    A miss costs 100, a false alarm 40, a review 12:

    >>> from demur import Binormal, CostModel, compare_models
    >>> y, s = Binormal(separation=2.0).sample(400, rng=0)
    >>> costs = CostModel(cost_fn=100, cost_fp=40, cost_abstain=12)
    >>> answer = compare_models(y, {"new": s}, costs=costs).answer
    >>> answer.kind, answer.model, answer.cost < compare_models(y, s, costs=costs).trivial["always abstain"]
    ('window', 'new', True)
    """
    limits = Limits(
        max_abstention=max_abstention,
        min_precision_positive=min_precision_positive,
        min_precision_negative=min_precision_negative,
        max_fn_rate=max_fn_rate,
        precision_confidence=precision_confidence,
    )
    frame: Any = scores
    if hasattr(frame, "columns") and classes is None and not isinstance(costs, CostMatrix | CostLaw):
        scores = {str(name): frame[name] for name in frame.columns}
    known = {} if doubt is None else doubt_column(doubt)
    asked: dict[str, Any] = {
        "objective": objective,
        "limits": limits,
        "confidence_level": confidence_level,
        "seed": seed,
        "include": include,
        "prices": prices,
        "doubt": next(iter(known), None),
        "cost_unknown": cost_unknown,
    }
    if budget is not None:
        check_type(budget, "budget", Budget)
        scores, asked["budget"], coded = budget.placed(scores)
        known |= coded
    how = {
        "classes": classes,
        "abstain_cost": abstain_cost,
        "prevalence": prevalence,
        "pos_label": pos_label,
        "weights": weights,
        "missing_labels": missing_labels,
        "class_names": class_names,
        "unknown_label": unknown_label,
        "asked": asked,
    }
    if unknown_label is not None and isinstance(y_true, Sequence):  # 0, 1 and "unclear" stay what they are
        y_true = np.array(y_true, dtype=object)
    data = _Data(y_true, scores, costs, sample_weight, groups, time, known or None)
    without = None
    if missing_labels == "drop" and scores is not None:
        without = unscored(y_true, scores)
    if without is None:
        return _compared_data(data, **how)
    found = _compared_data(data.take(without.common), unproven=without.differ, **how)
    given = {str(name): column for name, column in scores.items()} if isinstance(scores, Mapping) else {}
    own = {}
    for name, scored in without.scored.items():
        if scored.sum() > without.common.sum():
            alone = {**how, "asked": {**asked, **found.problem.alone(name)}}
            own[name] = _compared_data(data._replace(scores={name: given[name]}).take(scored), **alone)
    return compared_where_scored(found, own, without)


def compared_where_scored(found: Comparison, own: Mapping[str, Comparison], without: Unscored) -> Comparison:
    """Join a comparison on the cases that all models scored with those of models on all that they scored.

    What a model costs does not depend on the models beside it.
    """
    models = {**found.models, **{name: one.models[name] for name, one in own.items()}}
    return replace(found, models=models, notes=(*found.notes, *without.notes))


class _Data(NamedTuple):
    """What is given of every case."""

    y_true: Any
    scores: Any
    costs: Any
    sample_weight: Any
    groups: Any
    time: Any
    known: Any = None

    def take(self, kept: BoolArray) -> _Data:
        """Return the data of some of the cases."""
        costs = self.costs.take(kept) if isinstance(self.costs, CaseCosts) else self.costs
        return _Data(*(rows_of(one, kept) for one in self._replace(costs=None)))._replace(costs=costs)


def _compared_data(
    data: _Data,
    *,
    classes: Any,
    abstain_cost: Any,
    prevalence: Any,
    pos_label: Any,
    weights: str,
    missing_labels: Any,
    class_names: tuple[str, ...],
    unknown_label: Any,
    asked: dict[str, Any],
    unproven: bool = False,
) -> Comparison:
    """Compare models on labels and scores, or on joint counts; with `unproven` nothing counts as proven."""
    counted, aside = isinstance(data.y_true, (JointCounts, ScoreCounts)), None
    if not counted and data.scores is not None:
        aside = set_aside(data.y_true, data.scores, data.sample_weight, missing_labels, data.costs)
    if aside is not None:
        data = data.take(aside.kept)
    every, can_be_known = data, None
    if unknown_label is not None or asked["cost_unknown"] is not None:
        can_be_known = known_cases(data.y_true, unknown_label, asked["cost_unknown"])
        if can_be_known.all():
            asked, can_be_known = asked | {"cost_unknown": None}, None
        else:
            data = data.take(can_be_known)
    y_true, scores, costs, *others = data
    rows = dict(zip(("sample_weight", "groups", "time", "known"), others, strict=True))
    if classes is not None or isinstance(costs, CostMatrix | CostLaw):
        if pos_label is not None:
            hint = "of two classes the second is the positive one."
            raise InputError(f"`pos_label` must be left out beside classes, got {pos_label!r}. Hint: {hint}")
        if rows.pop("known") is not None:
            what = "doubt" if asked.get("budget") is None else "budget"
            raise InputError(f"`{what}` is for scores of two classes. Hint: leave classes out, or {what}.")
        priced = {"classes": classes, "costs": costs, "abstain_cost": abstain_cost, "prevalence": prevalence}
        table, problem, class_names = table_of_classes(
            y_true, scores, **priced, weights=weights, **rows, **asked
        )
    else:
        if abstain_cost is not None:
            raise InputError(
                "`abstain_cost` is for classes=[...]. Hint: CostModel(cost_abstain=...) for two."
            )
        problem = DecisionProblem.checked(costs=costs, prevalence=prevalence, **asked)
        if isinstance(y_true, JointCounts):
            require_cases(problem)
            if any(given is not None for given in (scores, pos_label, *others)):
                hint = "leave scores, weights, groups, time and pos_label out; read_joint_counts takes them."
                raise InputError(f"`y_true` holds joint counts. Hint: {hint}")
            table = CaseTable.of_joint(y_true, problem)
        else:
            columns = check_columns(y_true, scores, pos_label=pos_label, **rows)
            table = CaseTable.of_columns(columns, problem, weights=weights)
    if can_be_known is not None:
        given = {"sample_weight": every.sample_weight, "groups": every.groups, "time": every.time}
        table = table.with_unknown(can_be_known, every.scores, problem, weights=weights, **given)
    table = table.unproven() if unproven else table
    table = table if aside is None else aside.beside(table, problem)
    return compared(table, problem, class_names=class_names)


def _within(work: int, judge: Callable[[], JudgedModel | Inputs]) -> JudgedModel | Inputs:
    """Judge a model as part of a job: many small ones are worth the compiler, too."""
    with whole_job(work):
        return judge()


def compared(
    table: CaseTable, problem: DecisionProblem, *, class_names: tuple[str, ...] = ("negative", "positive")
) -> Comparison:
    """Compare the models of a table: candidates of each, the answer, and what surrounds it."""
    cases, level, known = table.cases, problem.confidence_level, table.known or table
    first = next(iter(cases.values()))
    split = first.n, first.folds, first.repeats, first.source
    log.debug("comparing on %g cases in %d folds, %d repeats, split by %s", *split)
    judged: dict[str, JudgedModel | Inputs] = {}
    begun, over_all, surveyed = {}, {}, judged if table.known is None else {}
    with workers(first.n) as pool, Progress(len(table.judging), "comparing", "models") as progress:
        # a model is looked at in small parts, so that no thread waits for the last one
        work = int(first.n) * first.folds * first.repeats * len(table.judging)
        pending = {name: pool.submit(_within, work, judge) for name, judge in table.judging.items()}
        for place, (name, one) in enumerate(pending.items()):
            judged[name] = model = one.result()
            begun[name] = pool.submit(rules_of, cases[name], name, model, problem, place)
            surveyed[name] = model if table.known is None else known.judging[name]()
            over_all[name] = OverAllCosts(known.cases[name], surveyed[name], known.tables, place, level)
            progress.advance(0.5)
        rules = {}
        for name, found in begun.items():
            rules[name] = found.result()
            progress.advance(0.5)
        choice = None
        if problem.costs is not None:
            choice = _choice(table, judged, rules, problem, class_names)
        models = {
            name: compared_model(name, one, over_all[name], problem, choice) for name, one in rules.items()
        }
    baselines, candidates = ((), {}) if choice is None else (choice.baselines, choice.candidates)
    answer = None if choice is None else make_answer(choice)
    notes = [*_notes(first, problem, models), *table.notes]
    if answer is not None and first.splits.forward:
        notes += time_notes(first, answer.honest_cost, answer.shuffled_cost)
    return Comparison(
        answer=answer,
        models=models,
        baselines={one.kind: cost_at(one, problem.centre) for one in baselines},
        combinations={
            name: rule_cost(one, problem) for name, (one, *_) in candidates.items() if name not in judged
        },
        problem=problem,
        classes=table.labels,
        n=first.n,
        class_sizes=first.class_sizes,
        units=first.units,
        folds=first.folds,
        repeats=first.repeats,
        split=first.source,
        weights=first.weights,
        notes=tuple(notes),
        # as they are: the choice holds them, too, and copies of all cases would take their memory twice
        cases=FrozenDict({name: one.shuffled or one for name, one in known.cases.items()}),
        judged=FrozenDict(surveyed),
        areas=known.tables,
        choice=choice,
        class_vacc=None if problem.law is None else _class_vacc(table, judged, problem),
    )


def _class_vacc(
    table: CaseTable, judged: Mapping[str, JudgedModel | Inputs], problem: DecisionProblem
) -> ClassVacc:
    """Compare models of many classes over the law of their costs."""
    cases = next(iter(table.cases.values()))
    if cases.unlabelled is not None:
        raise InputError(
            "`missing_labels` must not be 'bounds' without costs. Hint: pass costs={true: {answer: cost}}, "
            "or missing_labels='drop' if you know why labels miss."
        )
    assert problem.law is not None
    return volume_of_classes(
        cases.shuffled or cases,
        {name: model.scores for name, model in judged.items()},
        table.labels,
        law=problem.law,
        n_draws=_DRAWS,
        shares=problem.shares,
        confidence_level=problem.confidence_level,
        seed=problem.seed,
    )


def _choice(
    table: CaseTable,
    judged: Mapping[str, JudgedModel | Inputs],
    rules: Mapping[str, Rules],
    problem: DecisionProblem,
    class_names: tuple[str, ...],
) -> Choice:
    """Gather what the answer is chosen from: the rules of each model, of several, and those without one."""
    first = next(iter(table.cases.values()))
    baselines = baseline_candidates(first, problem)
    candidates = {name: one.candidates for name, one in rules.items() if one.candidates}
    inputs: dict[str, Any] = {}
    several: dict[str, list[Candidate]] = {}
    if problem.prices or problem.include:
        inputs, several = joint_candidates(table.cases, judged, problem, _joined(candidates, problem))
    candidates |= several
    if not baselines and not candidates:
        name, why = next((name, one.left_out) for name, one in rules.items() if one.left_out)
        raise UndefinedError(f"No rule keeps the limits; {name}: {why}")
    return Choice(
        cases={**table.cases, **dict.fromkeys(several, first)},
        judged={**judged, **inputs},
        problem=problem,
        baselines=baselines,
        candidates=candidates,
        certificates={name: one.certificate for name, one in rules.items()},
        class_names=class_names,
        classes=table.labels,
    )


def _joined(candidates: Mapping[str, Sequence[Candidate]], problem: DecisionProblem) -> list[str]:
    """Return the models that rules of several are made of, in the order given."""
    costs = {
        name: min(cost_at(one, problem.centre) for one in several) for name, several in candidates.items()
    }
    kept = sorted(costs, key=costs.__getitem__)[:_MOST_JOINED]
    return [name for name in candidates if name in kept]


def _notes(
    cases: SplitCases, problem: DecisionProblem, models: Mapping[str, ModelComparison]
) -> tuple[str, ...]:
    notes = []
    if problem.by_case:
        notes.append(
            "Costs differ by case: intervals hold for large samples, and there is no guarantee, as amounts "
            "have no bound. AUC and VACC count every case alike, whatever its amount."
        )
        if isinstance(problem.costs, CaseCosts) and problem.costs.known_at_decision:
            kept = sorted(set(problem.limits.given()) - {"max_abstention"})
            if kept:
                notes.append(f"Rules that read the amounts are left out: they cannot keep {kept[0]}.")
        if all(model.window is not None and model.window.note == NEVER_PAYS for model in models.values()):
            notes.append(NEVER_PAYS)
        assert cases.losses is not None
        for own, action, one, several in (
            (cases.positive, 0, "miss", "misses"),
            (~cases.positive, 1, "false alarm", "false alarms"),
        ):
            amounts = cases.losses[own, action] * cases.sizes[own]
            if len(amounts) and amounts.max() > _LARGE_AMOUNT * amounts.sum() > 0:
                share = f"{100 * amounts.max() / amounts.sum():.0f} % of what {several} can cost"
                notes.append(f"The costliest {one} is {share}: single cases decide the cost.")
    if cases.weights == "importance":
        notes.append(
            f"Weights are taken as importance weights: intervals rest on an effective {cases.n:,.0f} cases, "
            "and no guarantee is offered. Hint: weights='repeats', or --weights repeats in the command "
            "line, if a weight of 2 is a case seen twice."
        )
    if problem.include and (problem.limits.given() or problem.objective == "guaranteed"):
        notes.append(
            "Rules of several models and guards are left out: they keep no limits and give no guarantee."
        )
    if cases.folds < 10 and not problem.many:
        notes.append(f"Honest costs use {cases.folds} folds: the smaller class has no more cases.")
    return tuple(notes)
