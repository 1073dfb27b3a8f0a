"""`ClassComparison`: models with one column per class, on the same cases, at a matrix of costs."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from demur._results import Interval, Result, json_safe
from demur.comparison.answer import Versus
from demur.comparison.classes.answer import ClassAnswer
from demur.comparison.classes.estimates import cost_at, cost_of, difference_of, shares_of
from demur.comparison.classes.judging import ClassCandidate, model_candidates, trivial_candidates
from demur.comparison.classes.question import ClassQuestion
from demur.comparison.classes.rows import ClassCases
from demur.comparison.classes.search import MOST_SEARCHED
from demur.comparison.words import condition_words
from demur.costs.losses import Losses
from demur.costs.matrix import class_names
from demur.exceptions import InputError, UndefinedError
from demur.honest.after_choice import first_smallest
from demur.multiclass.auc import HandTillAuc, hand_till_auc
from demur.typing import FloatArray
from demur.windows.class_rule import ClassRule
from demur.windows.limits import LIMITS, Limits

__all__ = ["ClassChoice", "ClassComparison", "ClassModel", "RuleCost", "compare_class_models", "digest_of"]

_TIE = 1e-12


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class RuleCost(Result):
    """One kind of rule of one model: what it costs, honestly and with hindsight."""

    kind: str
    rule: ClassRule
    cost: float
    interval: Interval
    hindsight_cost: float
    abstention_rate: float
    error_rate: float
    gap: float


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class ClassModel(Result):
    """One model of a comparison of many classes; costs are per case in the user's unit.

    Attributes
    ----------
    kind, rule, cost, interval, hindsight_cost, abstention_rate, error_rate
        Of its cheapest rule.
    never_abstaining_cost, never_abstaining_interval
        Of its cheapest rule that answers every case.
    auc, auc_interval : float, Interval, or None
        Mean AUC over pairs of classes (Hand and Till); None where a class has too few cases.
    rules : mapping
        Kind -> `RuleCost`, every rule that was tried, at the costs in the middle of their ranges.
    """

    name: str
    kind: str
    rule: ClassRule
    cost: float
    interval: Interval
    hindsight_cost: float
    abstention_rate: float
    error_rate: float
    never_abstaining_cost: float
    never_abstaining_interval: Interval
    auc: float | None
    auc_interval: Interval | None
    rules: Mapping[str, RuleCost]

    def to_dict(self) -> dict[str, Any]:
        """Return the model as JSON-safe built-in types."""
        return {**Result.to_dict(self), "rules": {kind: one.to_dict() for kind, one in self.rules.items()}}


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class ClassComparison(Result):
    """Models of any number of classes at the user's costs: the answer and everything it rests on.

    Made by `compare_models` with `classes`. Attributes as in `Comparison`: `answer`, `models`,
    `trivial`, `n`, `folds`, `repeats`, `notes`; and `classes`, `class_sizes`, `shares` (P(class) in
    use), `costs` and `abstain_costs` in the middle of their ranges.
    """

    answer: ClassAnswer
    models: Mapping[str, ClassModel]
    trivial: Mapping[str, float]
    question: ClassQuestion
    classes: tuple[Any, ...]
    class_sizes: FloatArray
    shares: FloatArray
    n: float
    folds: int
    repeats: int
    weights: str | None
    notes: tuple[str, ...]
    choice: ClassChoice
    _evidence = ("question", "choice", "answer", "models", "trivial")

    def best_model(self) -> ClassAnswer:
        """Return the best rule of a model, also where a rule without a model is cheaper."""
        return self.choice.answer(models_only=True)

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison as JSON-safe built-in types."""
        question, losses = self.question, self.question.point
        ranges = question.ranges
        spread = {"costs_low": ranges.low.table.tolist(), "costs_high": ranges.high.table.tolist()}
        return {
            "answer": self.answer.to_dict(),
            "models": {name: model.to_dict() for name, model in self.models.items()},
            "trivial": json_safe(dict(self.trivial)),
            "costs": losses.answers.tolist(),
            "abstain_costs": None if losses.abstain is None else losses.abstain.tolist(),
            **(spread if ranges.ranged else {}),
            "objective": question.objective,
            "limits": question.limits.given(),
            "confidence_level": question.confidence_level,
            "seed": question.seed,
            **Result.to_dict(self),
        }

    def __repr__(self) -> str:
        names = ", ".join(list(self.models)[:4]) + (", ..." if len(self.models) > 4 else "")
        return f"ClassComparison(n={self.n:g}, {len(self.classes)} classes, models {names}, {self.answer!r})"


@dataclass(frozen=True, kw_only=True, eq=False)
class ClassChoice:
    """Everything the answer is chosen from."""

    cases: ClassCases
    question: ClassQuestion
    trivial: Sequence[ClassCandidate]
    candidates: Mapping[str, Sequence[ClassCandidate]]

    @property
    def eligible(self) -> list[ClassCandidate]:
        """Rules the answer may be, simplest first.

        For two classes the windows alone, as all other rules are windows that were not looked for.
        """
        rules = [one for several in self.candidates.values() for one in several]
        if len(self.cases.classes) == 2:
            rules = [one for one in rules if one.kind.startswith("weights")]
        return sorted([*self.trivial, *rules], key=lambda one: one.order)

    def costs_at(self, candidates: Sequence[ClassCandidate], losses: Losses) -> FloatArray:
        """Honest costs at one point."""
        return np.array([cost_at(one, losses, self.question) for one in candidates])

    def best(self, candidates: Sequence[ClassCandidate]) -> ClassCandidate | None:
        """Return the candidate with the smallest objective, the simplest of ties."""
        if not candidates:
            return None
        ordered = sorted(candidates, key=lambda one: one.order)
        question = self.question
        if question.objective == "expected" or not question.ranges.ranged:
            return ordered[first_smallest(self.costs_at(ordered, question.point))]
        corners = question.ranges.corners()
        costs = np.array([self.costs_at(ordered, corner) for corner in corners])
        floors = self.floors() if question.objective == "regret" else np.zeros(len(corners))
        return ordered[first_smallest((costs - floors[:, None]).max(axis=0), float(np.abs(costs).max()))]

    def floors(self) -> FloatArray:
        """Smallest honest cost at every corner of the ranges."""
        rules = self.eligible
        return np.array([self.costs_at(rules, corner).min() for corner in self.question.ranges.corners()])

    def answer(self, *, models_only: bool = False) -> ClassAnswer:
        """Choose, and say what surrounds the choice."""
        best = self.best([one for one in self.eligible if not models_only or one.model is not None])
        assert best is not None
        question, losses = self.question, self.question.point
        estimate = cost_of(best, question)
        confusion = shares_of(best.honest_table, question)
        regret, worst, share = self._over_ranges(best)
        trivial = self.best(self.trivial)
        answered = confusion[:, :-1]
        return ClassAnswer(
            kind=best.kind,
            model=best.model,
            rule=best.rule,
            cost=estimate.cost,
            interval=estimate.interval,
            hindsight_cost=estimate.hindsight,
            versus=self._versus(best),
            regret=regret,
            worst_cost=worst,
            best_share=share,
            gap=0.0 if best.chosen is None else best.chosen.gap,
            confusion=confusion,
            confusion_cost=confusion * losses.table,
            abstention_rate=float(confusion[:, -1].sum()),
            error_rate=float(answered.sum() - np.trace(answered)),
            dearest=_dearest(confusion * losses.relative, estimate.cost, question.classes),
            costs=question.ranges.matrix(),
            abstain_costs=losses.abstain,
            classes=question.classes,
            class_sizes=self.cases.class_sizes,
            shares=confusion.sum(axis=1),
            n=self.cases.n,
            confidence_level=question.confidence_level,
            best_trivial=None
            if trivial is None
            else {"name": trivial.kind, "cost": cost_at(trivial, losses, question)},
            condition=condition_words(question.limits.given(), question.objective),
            digest=digest_of(self.cases, best.model),
        )

    def _over_ranges(self, best: ClassCandidate) -> tuple[float | None, float | None, float | None]:
        corners = self.question.ranges.corners()
        if len(corners) < 2:
            return None, None, None
        costs = np.array([cost_at(best, corner, self.question) for corner in corners])
        floors = self.floors()
        share = float(np.mean(costs <= floors + _TIE * np.abs(floors)))
        return float((costs - floors).max()), float(costs.max()), share

    def _versus(self, best: ClassCandidate) -> dict[str, Versus]:
        """Compare with the best other rule of each sort, paired on the same held-out cases."""
        rules = [one for several in self.candidates.values() for one in several]
        own = [one for one in rules if best.model is None or one.model == best.model]
        allowed = self.eligible
        others = {
            "trivial": self.best([one for one in self.trivial if one is not best]),
            "argmax": self.best([one for one in own if one.kind == "argmax" and one is not best]),
            "never_abstaining": self.best([one for one in own if one in allowed and not one.abstains])
            if best.abstains
            else None,
            "runner_up": self.best([one for one in allowed if one.model not in (None, best.model)]),
        }
        versus = {}
        for key, other in others.items():
            if other is not None:
                difference, interval = difference_of(best, other, self.question)
                versus[key] = Versus(name=other.model or other.kind, difference=difference, interval=interval)
        return versus


def _dearest(paid: FloatArray, cost: float, classes: Sequence[Any]) -> dict[str, Any] | None:
    """The wrong answer that costs most, reviews left out."""
    wrong = paid[:, :-1].copy()
    np.fill_diagonal(wrong, 0.0)
    true, answer = (int(place) for place in np.unravel_index(int(np.argmax(wrong)), wrong.shape))
    if wrong[true, answer] <= 0 or cost <= 0:
        return None
    share = float(wrong[true, answer] / cost)
    return {"true": classes[true], "answer": classes[answer], "share": share}


def digest_of(cases: ClassCases, model: str | None) -> str:
    """SHA-256 of labels, weights and probabilities, the same in any order of the rows."""
    order = cases.content_order(*([] if model is None else [model]))
    digest = hashlib.sha256(cases.codes[order].astype("<i8").tobytes())
    digest.update(cases.sizes[order].astype("<f8").tobytes())
    if model is not None:
        digest.update((cases.proba[model][order] + 0.0).astype("<f8").tobytes())
    return f"sha256:{digest.hexdigest()}"


# ---------------------------------------------------------------- the comparison


def compare_class_models(
    y_true: Any,
    proba: Any,
    *,
    costs: Any,
    classes: Sequence[Any] | None,
    abstain_cost: Any = None,
    prevalence: Any = None,
    objective: str | None = None,
    limits: Limits = Limits(),  # noqa: B008 - frozen
    sample_weight: Any = None,
    weights: str = "importance",
    confidence_level: float = 0.95,
    seed: int = 0,
    pos_label: Any = None,
) -> ClassComparison:
    """Compare models with one column per class; see `compare_models`.

    What has a meaning for two classes only is refused.
    """
    _require_many(limits, pos_label)
    models = proba if isinstance(proba, Mapping) else {"model": proba}
    first = np.asarray(next(iter(models.values()), np.empty((0, 0))))
    names = class_names(y_true, first.shape[1] if first.ndim == 2 else len(classes or ()), costs, classes)
    cases = ClassCases.of_rows(
        y_true, models, classes=names, sample_weight=sample_weight, weights=weights, seed=seed
    )
    question = ClassQuestion.checked(
        costs=costs,
        abstain_cost=abstain_cost,
        classes=names,
        shares=cases.shares(prevalence),
        objective=objective,
        limits=limits,
        confidence_level=confidence_level,
        seed=seed,
    )
    trivial = trivial_candidates(cases, question)
    candidates = {
        name: model_candidates(cases, name, question, place) for place, name in enumerate(cases.proba)
    }
    choice = ClassChoice(cases=cases, question=question, trivial=trivial, candidates=candidates)
    answer = choice.answer()
    return ClassComparison(
        answer=answer,
        models={name: _model(name, choice) for name in candidates},
        trivial={one.kind: cost_at(one, question.point, question) for one in trivial},
        question=question,
        classes=question.classes,
        class_sizes=cases.class_sizes,
        shares=answer.shares,
        n=cases.n,
        folds=cases.folds,
        repeats=len(cases.splits),
        weights=cases.meaning,
        notes=_notes(cases),
        choice=choice,
    )


def _require_many(limits: Limits, pos_label: Any) -> None:
    """Refuse what has a meaning for two classes only."""
    meant = [limit.name for limit in LIMITS if limit.many_classes]
    for name, value in {**limits.given(), "pos_label": pos_label}.items():
        if value is not None and name not in meant:
            raise InputError(
                f"`{name}` is for two classes, got {value!r} beside classes. Hint: leave it out; "
                f"{' and '.join(meant)} limits the reviews of any number of classes."
            )


def _model(name: str, choice: ClassChoice) -> ClassModel:
    question = choice.question
    own = [one for one in choice.candidates[name] if one.aim == 0]
    rules = {one.kind: _rule_cost(one, question) for one in own}
    allowed = {id(one) for one in choice.eligible}
    possible = [one for one in choice.candidates[name] if id(one) in allowed]
    best, deciding = choice.best(possible), choice.best([one for one in possible if not one.abstains])
    assert best is not None
    assert deciding is not None
    cheapest, decided = _rule_cost(best, question), cost_of(deciding, question)
    auc = _auc(choice.cases, name)
    return ClassModel(
        name=name,
        kind=best.kind,
        rule=cheapest.rule,
        cost=cheapest.cost,
        interval=cheapest.interval,
        hindsight_cost=cheapest.hindsight_cost,
        abstention_rate=cheapest.abstention_rate,
        error_rate=cheapest.error_rate,
        never_abstaining_cost=decided.cost,
        never_abstaining_interval=decided.interval,
        auc=None if auc is None else float(auc),
        auc_interval=None if auc is None else auc.interval(question.confidence_level),
        rules=rules,
    )


def _rule_cost(candidate: ClassCandidate, question: ClassQuestion) -> RuleCost:
    estimate = cost_of(candidate, question)
    shares = shares_of(candidate.honest_table, question)
    assert candidate.chosen is not None
    return RuleCost(
        kind=candidate.kind,
        rule=candidate.chosen.rule,
        cost=estimate.cost,
        interval=estimate.interval,
        hindsight_cost=estimate.hindsight,
        abstention_rate=float(shares[:, -1].sum()),
        error_rate=float(shares[:, :-1].sum() - np.trace(shares[:, :-1])),
        gap=candidate.chosen.gap,
    )


def _auc(cases: ClassCases, name: str) -> HandTillAuc | None:
    """Mean AUC over pairs of classes, of a random part of very many cases."""
    rows: Any = slice(None)
    if len(cases.codes) > MOST_SEARCHED:
        rows = np.random.default_rng(0).choice(len(cases.codes), MOST_SEARCHED, replace=False)
    codes, present = cases.codes[rows], np.unique(cases.codes[rows])
    if len(present) < len(cases.classes):
        return None
    weight = cases.sizes[rows] if cases.weighted else None
    try:
        auc = hand_till_auc(codes, cases.proba[name][rows], labels=present.tolist(), sample_weight=weight)
        auc.interval()
    except UndefinedError:
        return None
    return auc


def _notes(cases: ClassCases) -> tuple[str, ...]:
    notes = []
    if len(cases.codes) > MOST_SEARCHED and len(cases.classes) > 2:
        notes.append(
            f"Weights were chosen on {MOST_SEARCHED:,} cases drawn at random, and judged on all of them; the "
            "AUC is that of as many cases."
        )
    if cases.weighted:
        notes.append(
            f"Weights are taken as importance weights: intervals rest on an effective {cases.n:,.0f} cases. "
            "Hint: weights='repeats', or --weights repeats in the command line, if a weight of 2 is a case "
            "seen twice."
        )
    sizes = np.bincount(cases.codes, minlength=len(cases.classes))
    rare = [f"{name} {size}" for name, size in zip(cases.classes, sizes.tolist(), strict=True) if size < 10]
    if rare:
        listed = ", ".join(rare[:6]) + (", ..." if len(rare) > 6 else "")
        notes.append(f"Classes with few cases ({listed}): what is said about them rests on those.")
    return tuple(notes)
