"""`compare_models`: candidates, honest costs and the answer for models on the same cases."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from demur._kernels.jit import whole_job
from demur._results import FrozenDict, Result, json_safe
from demur.auc.tables import ModelTables
from demur.comparison.answer import Answer
from demur.comparison.candidates import trivial_candidates
from demur.comparison.case_table import CaseTable
from demur.comparison.choice import Choice, make_answer
from demur.comparison.estimates import cost_at, incurred_costs
from demur.comparison.models import ModelComparison, Parts, area_of, compared_model, rules_of, volume_of
from demur.comparison.question import Limits, Question
from demur.comparison.threads import workers
from demur.costs.case_costs import CaseCosts
from demur.costs.matrix import CostMatrix
from demur.costs.model import CostModel
from demur.costs.ranges import CostRange
from demur.counts.case_window import NEVER_PAYS
from demur.exceptions import InputError, UndefinedError
from demur.honest.cases import JudgedModel, SplitCases
from demur.paired.joint import JointCounts
from demur.typing import ArrayLike, Labels

if TYPE_CHECKING:
    from demur.comparison.classes.comparison import ClassComparison

__all__ = ["Comparison", "compare_models", "compared"]


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
    trivial : mapping
        Rule without a model -> its cost per case.
    question : Question
        Costs, prevalence, objective, limits, level and seed.
    n, n_positive, n_negative : float
        Number of cases; with importance weights the effective one.
    prevalence : float
        P(positive) the costs refer to.
    folds, repeats : int
        Parts of each split, and splits averaged.
    split : str
        "rows" or "counts": what the folds were drawn from.
    notes : tuple of str
        What a reader should know about the numbers.
    """

    # None without costs; `Any` in its place: who passed costs need not ask a type checker's question
    answer: Answer | Any
    models: Mapping[str, ModelComparison]
    trivial: Mapping[str, float]
    question: Question
    n: float
    n_positive: float
    n_negative: float
    prevalence: float
    folds: int
    repeats: int
    split: str
    weights: str | None
    notes: tuple[str, ...]
    cases: Mapping[str, SplitCases]
    judged: Mapping[str, JudgedModel]
    tables: ModelTables | None
    choice: Choice | None
    _evidence = ("question", "cases", "judged", "tables", "choice", "answer", "models", "trivial")

    def best_model(self) -> Answer:
        """Return the best rule of a model, also where a rule without a model is cheaper."""
        if self.choice is None:
            raise InputError("`costs` are needed to choose. Hint: pass costs=CostModel(...).")
        if not self.choice.candidates:
            raise UndefinedError("No model keeps the limits. Hint: loosen one of them.")
        return make_answer(self.choice, models_only=True)

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison as JSON-safe built-in types."""
        question = self.question
        return {
            "answer": None if self.answer is None else self.answer.to_dict(),
            "models": {name: model.to_dict() for name, model in self.models.items()},
            "trivial": json_safe(dict(self.trivial)),
            "costs": None if question.costs is None else question.costs.to_dict(),
            "incurred": incurred_costs(question.costs, self.cases),
            "objective": question.objective,
            "prevalence_range": list(question.prevalence) if isinstance(question.prevalence, tuple) else None,
            "limits": question.limits.given(),
            "confidence_level": question.confidence_level,
            "seed": question.seed,
            **Result.to_dict(self),
        }

    def __repr__(self) -> str:
        names = ", ".join(list(self.models)[:4]) + (", ..." if len(self.models) > 4 else "")
        return f"Comparison(n={self.n:g}, models {names}, answer={self.answer!r})"


def compare_models(
    y_true: Labels | JointCounts,
    scores: Mapping[str, ArrayLike] | ArrayLike | None = None,
    *,
    costs: CostModel | CostRange | CaseCosts | CostMatrix | Mapping[Any, Mapping[Any, Any]] | None = None,
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
    class_names: tuple[str, str] = ("negative", "positive"),
    confidence_level: float = 0.95,
    seed: int = 0,
) -> Comparison | ClassComparison:
    """Choose the rule with the lowest honest cost: the answer of Python, the command line and the page.

    For every model the cheapest window and the cheapest single threshold, and the three rules
    without a model. The answer is the candidate with the smallest honest cost: chosen on nine
    folds, scored on the tenth, averaged over repeated splits. Assumes independent cases that
    resemble the use, up to the prevalence.

    Parameters
    ----------
    y_true : array of n labels, or JointCounts
        Two distinct values, or any number of `classes`. Joint counts of several models, from
        `demur.engines.read_joint_counts`, take the place of labels and scores.
    scores : mapping {name: array of n numbers}, or one array
        Higher means more positive; with `classes` one column of probabilities per class.
    costs : CostModel, CostRange, CaseCosts, CostMatrix or mapping, optional
        What a miss, a false alarm and a review cost; each may be a range, or differ from case to
        case. Without costs there is no answer, only what holds over all costs. With `classes` a
        `CostMatrix` or a mapping {true: {answer: cost}}, in which a cost may be a range (low, high).
    classes : m names, optional
        Names of the columns: there are m classes, and the rules are those of `ClassAnswer`.
    abstain_cost : float, (low, high), one number per class (mapping or list) or Reviewer, optional
        Price of abstaining beside `classes`; None: abstaining is no option.
    prevalence : float or (low, high), optional
        P(positive) in use, if not the sample's; with `classes` a mapping {class: share}.
    objective : {"expected", "worst", "regret", "guaranteed"}, optional
        What to minimise over ranges: the cost at their middle, the largest cost, or the largest
        regret (default for ranges). "guaranteed": the bound that holds for every sample size.
    max_abstention, min_precision_positive, min_precision_negative, max_fn_rate : float, optional
        Limits every rule must keep.
    precision_confidence : float, optional
        Keep promised precisions for the population with this confidence.
    pos_label, sample_weight
        As in `abstention_surface`.
    weights : {"importance", "repeats"}
        What the weights mean; see `cross_fitted_surface`.
    class_names : (str, str)
        How the words call the negative and the positive class.
    confidence_level : float, default 0.95
    seed : int, default 0
        For the splits, which depend on the labels in row order and the seed alone.

    Returns
    -------
    Comparison, or ClassComparison with `classes`
        With `answer`, `models`, `trivial`, `to_dict()`.

    Raises
    ------
    InputError
        For ill-formed input.
    UndefinedError
        If a class is missing, or no rule keeps the limits.

    Notes
    -----
    Ties within 1e-12 go to the simpler rule: without a model, then a threshold, then a window, then
    the order of the models. `answer.advice_cost` judges the choice on cases left out of it.

    Examples
    --------
    A miss costs 100, a false alarm 40, a review 12:

    >>> from demur import Binormal, CostModel, compare_models
    >>> y, s = Binormal(separation=2.0).sample(400, rng=0)
    >>> costs = CostModel(cost_fn=100, cost_fp=40, cost_abstain=12)
    >>> answer = compare_models(y, {"new": s}, costs=costs).answer
    >>> answer.kind, answer.model, answer.cost < compare_models(y, s, costs=costs).trivial["always abstain"]
    ('window', 'new', True)

    Two classes with a column each, and a cost matrix, give the same window:

    >>> import numpy as np
    >>> both = np.column_stack([1 / (1 + np.exp(s)), 1 / (1 + np.exp(-s))])
    >>> matrix = {0: {1: 40}, 1: {0: 100}}
    >>> same = compare_models(y, both, classes=[0, 1], costs=matrix, abstain_cost=12).answer
    >>> bool(np.isclose(same.upper, 1 / (1 + np.exp(-answer.upper)), atol=0.01))
    True
    """
    limits = Limits(
        max_abstention=max_abstention,
        min_precision_positive=min_precision_positive,
        min_precision_negative=min_precision_negative,
        max_fn_rate=max_fn_rate,
        precision_confidence=precision_confidence,
    )
    if classes is not None or isinstance(costs, CostMatrix):
        from demur.comparison.classes.comparison import compare_class_models

        return compare_class_models(
            y_true,
            scores,
            costs=costs,
            classes=classes,
            abstain_cost=abstain_cost,
            prevalence=prevalence,
            objective=objective,
            limits=limits,
            pos_label=pos_label,
            sample_weight=sample_weight,
            weights=weights,
            confidence_level=confidence_level,
            seed=seed,
        )
    if abstain_cost is not None:
        raise InputError("`abstain_cost` is for classes=[...]. Hint: CostModel(cost_abstain=...) for two.")
    question = Question.checked(
        costs=costs,
        prevalence=prevalence,
        objective=objective,
        limits=limits,
        confidence_level=confidence_level,
        seed=seed,
    )
    if isinstance(y_true, JointCounts):
        if scores is not None or sample_weight is not None or pos_label is not None:
            raise InputError("`y_true` holds joint counts. Hint: leave scores, weights and pos_label out.")
        table = CaseTable.of_joint(y_true, question)
    else:
        table = CaseTable.of_arrays(
            y_true, scores, question, pos_label=pos_label, sample_weight=sample_weight, weights=weights
        )
    return compared(table, question, class_names=class_names)


def _within(work: int, judge: Callable[[], JudgedModel]) -> JudgedModel:
    """Judge a model as part of a job: many small ones are worth the compiler, too."""
    with whole_job(work):
        return judge()


def compared(
    table: CaseTable, question: Question, *, class_names: tuple[str, str] = ("negative", "positive")
) -> Comparison:
    """Compare the models of a table: candidates of each, the answer, and what surrounds it."""
    cases = table.cases
    first = next(iter(cases.values()))
    judged: dict[str, JudgedModel] = {}
    parts: dict[str, Parts] = {}
    with workers(first.n) as pool:
        # a model is looked at in small parts, so that no thread waits for the last one
        work = int(first.n) * first.folds * first.repeats * len(table.judging)
        pending = {name: pool.submit(_within, work, judge) for name, judge in table.judging.items()}
        trivial = [] if question.costs is None else trivial_candidates(first, question)
        for place, (name, one) in enumerate(pending.items()):
            judged[name] = model = one.result()
            parts[name] = Parts(
                pool.submit(rules_of, cases[name], name, model, question, place),
                pool.submit(volume_of, cases[name], model, question.confidence_level),
                pool.submit(area_of, table.tables, place, model, question.confidence_level),
            )
        rules = {name: part.rules.result() for name, part in parts.items()}
        models = {name: compared_model(name, judged[name], part, question) for name, part in parts.items()}
    candidates = {name: one.candidates for name, one in rules.items() if one.candidates}
    if question.costs is not None and not trivial and not candidates:
        name, why = next((name, one.left_out) for name, one in rules.items() if one.left_out)
        raise UndefinedError(f"No rule keeps the limits; {name}: {why}")
    choice = None
    if question.costs is not None:
        choice = Choice(
            cases=cases,
            judged=judged,
            question=question,
            trivial=trivial,
            candidates=candidates,
            certificates={name: models[name].certificate for name in judged},
            class_names=class_names,
            labels=table.labels,
        )
    counts = next(iter(judged.values())).counts
    return Comparison(
        answer=None if choice is None else make_answer(choice),
        models=models,
        trivial={} if choice is None else {one.kind: cost_at(one, question.centre) for one in trivial},
        question=question,
        n=first.n,
        n_positive=counts.n_positive,
        n_negative=counts.n_negative,
        prevalence=counts.prevalence if question.rate is None else question.rate,
        folds=first.folds,
        repeats=first.repeats,
        split=first.source,
        weights=first.weights,
        notes=(*_notes(first, question, models), *table.notes),
        # as they are: the choice holds them, too, and copies of all cases would take their memory twice
        cases=FrozenDict(cases),
        judged=FrozenDict(judged),
        tables=table.tables,
        choice=choice,
    )


def _notes(cases: SplitCases, question: Question, models: Mapping[str, ModelComparison]) -> tuple[str, ...]:
    notes = []
    if question.by_case:
        notes.append(
            "Costs differ by case: intervals hold for large samples, and nothing is guaranteed, as amounts "
            "have no bound. AUC and VACC count every case alike: amounts have no normal form with two "
            "parameters."
        )
        if all(getattr(model.window, "note", "") == NEVER_PAYS for model in models.values()):
            notes.append(NEVER_PAYS)
    if cases.weights == "importance":
        notes.append(
            f"Weights are taken as importance weights: intervals rest on an effective {cases.n:,.0f} cases, "
            "and no guarantee is offered. Hint: weights='repeats', or --weights repeats in the command "
            "line, if a weight of 2 is a case seen twice."
        )
    if cases.folds < 10:
        notes.append(f"Honest costs use {cases.folds} folds: the smaller class has only so many cases.")
    return tuple(notes)
