"""`Answer`: one rule, what it costs, and what is not proven about it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from demur._html import threshold_text
from demur._results import Interval, Result, json_safe
from demur.comparison.blocks import BlockCost
from demur.comparison.words import answer_words, decision_words
from demur.costs.case_costs import CaseCosts
from demur.costs.matrix import CostMatrix
from demur.costs.model import CostModel
from demur.counts.scores import ScoreCounts
from demur.counts.window import AbstentionWindow
from demur.surface.window import ABSTAIN, decide
from demur.typing import ArrayLike, FloatArray, IntArray
from demur.windows.class_rule import ClassRule, check_class_probabilities, second_class_scores
from demur.windows.rule import Rule, Window

__all__ = ["Answer", "Versus"]


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Versus(Result):
    """The answer against one other rule, on the same held-out cases.

    Attributes
    ----------
    name : str
        The other rule: a model, or a rule without a model.
    difference : float
        Cost of the answer minus that of the other, per case; negative: the answer is cheaper. Against a rule
        without a model the cost after the choice; against another model both as measured.
    interval : Interval
        For the true difference of the two rules in use, at any corner of the ranges. Two units of the worst
        loss are added to either end, and to the upper one what the choice adds to the cost. Where it
        contains 0 nothing is proven.
    """

    name: str
    difference: float
    interval: Interval


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class Answer(Result):
    """The candidate with the smallest honest cost, and how sure that is; made by `compare_models`.

    Costs are per case in the user's unit, and honest unless the name says otherwise: measured
    on cases that were not used to choose the rule.

    Attributes
    ----------
    kind : str
        "window" or "threshold"; "combination", "cascade" or "guard" of several models or a doubt; of many
        classes "argmax", "expected cost", "weights", "cautious",
        "cautious by class", "expected cost, abstaining" or "weights, abstaining"; "always positive",
        "always negative", "always <class>" or "always abstain" for a rule without a model.
    model : str or None
        None for a rule without a model.
    rule : Window, ClassRule, another rule, or None
        What decides; None for a rule without a model.
    lower, upper : float or None
        Thresholds: negative up to `lower`, positive from `upper` on, abstain in between. Each is the
        number of the fewest digits strictly between the scores beside it, the nearest to their middle.
        None for many classes.
    verdict : {"proven", "likely", "unproven"}
        Whether the rule is cheaper than the best rule without a model: "proven" if the interval of the
        difference says so, "likely" if it costs less after the choice, and choosing this way does, too.
    cost : float
        What to expect after the choice: the honest cost of the rule, or what the rule that is cheapest on
        some cases costs on others if that is more (`cost_after_choice`), or what one worst case more makes of
        it where none was seen; at the middle of the ranges where costs are ranges.
    honest_cost : float
        Honest cost of the rule itself: as if it had been the only one.
    interval : Interval
        For the true cost of the rule in use, at any corner of the ranges (`mean_loss_interval`).
    cost_range : Interval or None
        Over ranges of costs or prevalence, and whatever missing labels are: smallest and largest cost.
    one_added : bool
        Whether `cost` counts one worst case more, as none was seen.
    n_unlabelled : int
        Number of cases without a label; `cost` takes them at the label that costs most.
    hindsight_cost : float
        Cost on the cases used to choose the rule: too low on average.
    guaranteed_cost : float or None
        Upper bound of the true cost that holds for every sample size and for the choice among all
        models; None where it is not defined (importance weights, ranges of prevalence, many classes).
    advice_cost : float or None
        What choosing this way costs, baselines included: cases are resampled, and the rule that is cheapest
        on those drawn is judged on the others (`cost_after_choice`). Of more than 64 models it is chosen
        among the 64 of smallest cost.
    versus : mapping
        "trivial", "argmax" (many classes), "never_abstaining", "runner_up", and of a rule of several models
        or a guard "alone", the best rule of one model -> `Versus`, where there is such a rule.
    regret, regret_bound, worst_cost : float or None
        Over ranges of costs: the most it costs beyond a rule chosen for the true costs, at any
        corner, the upper end of that, and the most it costs at any corner, whose upper end is that of
        `interval`.
    best_share : float or None
        Share of the range at which it is the cheapest candidate, on five evenly spaced values of
        everything that is a range; of many classes on the corners.
    gap : float
        How far the objective of the search may be above the smallest one there is, with hindsight.
    confusion, confusion_cost : array of (true classes, classes + 1)
        Honest share of all cases by true class and action, abstaining last, and what they cost per case.
    shares : mapping
        Class, or `ABSTAIN` ("abstain" where a class is called -1) -> share of all cases that the rule as
        written treats so; the classes in order, abstaining last.
    called_positive, called_negative, missed, alarms : float or None
        Honest shares of all cases; None for many classes.
    abstention_rate, error_rate : float
        Honest shares of all cases sent to a person, and decided wrong.
    unknown_decided : float or None
        Part of `error_rate` on cases whose class cannot be known; None without such cases.
    dearest : mapping or None
        Of many classes the confusion that costs most: "true", "answer", "share" of the honest cost.
    fees : float or None
        Part of `honest_cost` that is paid for asking models; None where they have no prices.
    stakes : mapping or None
        Where costs differ by case, honest money per case: "at_stake" (lost if every positive is missed),
        lost by "missed" and by "alarms", paid for "reviews".
    n, class_sizes : float, array
        Number of cases, of all and of each class; with importance weights effective ones.
    n_rules : int
        Number of rules it was chosen among, baselines included.
    cluster_size : float
        Size of the cluster of a case, on average; 1 where cases are independent.
    class_shares, prevalence : array, float or None
        P(class) in use, and P(positive) of two classes.
    by_block, shuffled_cost : tuple of BlockCost, float, or None
        With times: the cost in every judged block, and what a shuffled split would have said.
    condition : str
        What the rule had to keep, and what it was chosen for if not the smallest cost; empty if neither.
    words : str
        All of this in words.
    classes, class_names : tuple
        Classes as the user wrote them, and as the words call them; of two the negative one first.
    costs, abstain_costs, window, counts, digest
        What a policy needs: the costs the rule was chosen for, of many classes those of abstaining, the
        window and the counts it was chosen on, and the fingerprint of the cases of many classes.
    """

    kind: str
    model: str | None
    rule: Rule | None
    lower: float | None
    upper: float | None
    verdict: str
    cost: float
    honest_cost: float
    interval: Interval
    cost_range: Interval | None
    n_unlabelled: int
    one_added: bool
    hindsight_cost: float
    guaranteed_cost: float | None
    advice_cost: float | None
    versus: Mapping[str, Versus]
    regret: float | None
    regret_bound: float | None
    worst_cost: float | None
    best_share: float | None
    gap: float
    confusion: FloatArray
    confusion_cost: FloatArray
    shares: Mapping[Any, float]
    n: float
    n_rules: int
    class_sizes: FloatArray
    class_shares: FloatArray
    confidence_level: float
    classes: tuple[Any, ...]
    class_names: tuple[str, ...]
    best_trivial: Mapping[str, Any] | None
    guarantee_defined: bool
    condition: str
    costs: CostModel | CaseCosts | CostMatrix
    abstain_costs: FloatArray | None
    by_block: tuple[BlockCost, ...] | None
    shuffled_cost: float | None
    window: AbstentionWindow | None
    counts: ScoreCounts | None
    digest: str | None
    cluster_size: float
    fees: float | None = None
    stakes: Mapping[str, float] | None = None
    _reported = (
        "words",
        "abstention_rate",
        "error_rate",
        "called_positive",
        "called_negative",
        "missed",
        "alarms",
        "prevalence",
        "positive",
        "negative",
        "dearest",
    )
    _evidence = (
        "best_trivial",
        "classes",
        "cluster_size",
        "costs",
        "counts",
        "rule",
        "shares",
        "stakes",
        "versus",
        "window",
    )

    @property
    def two_classes(self) -> bool:
        """Whether there are two classes: a negative and a positive one."""
        return len(self.classes) == 2

    @property
    def negative(self) -> str | None:
        """How the words call the first of two classes."""
        return self.class_names[0] if self.two_classes else None

    @property
    def positive(self) -> str | None:
        """How the words call the second of two classes."""
        return self.class_names[1] if self.two_classes else None

    @property
    def prevalence(self) -> float | None:
        """P(positive) in use; None for many classes."""
        return float(self.class_shares[1]) if self.two_classes else None

    @property
    def called_positive(self) -> float | None:
        """Honest share of all cases called positive."""
        return float(self.confusion[:, 1].sum()) if self.two_classes else None

    @property
    def called_negative(self) -> float | None:
        """Honest share of all cases called negative."""
        return float(self.confusion[:, 0].sum()) if self.two_classes else None

    @property
    def missed(self) -> float | None:
        """Honest share of all cases that are positive and called negative."""
        return float(self.confusion[1, 0]) if self.two_classes else None

    @property
    def alarms(self) -> float | None:
        """Honest share of all cases that are negative and called positive."""
        return float(self.confusion[0, 1]) if self.two_classes else None

    @property
    def abstention_rate(self) -> float:
        """Honest share of all cases sent to a person."""
        return float(self.confusion[:, -1].sum())

    @property
    def error_rate(self) -> float:
        """Honest share of all cases decided wrong."""
        answered = self.confusion[:, :-1]
        return float(answered.sum() - np.trace(answered))

    @property
    def unknown_decided(self) -> float | None:
        """Honest share of cases decided whose class cannot be known; None without such cases."""
        beyond = self.confusion[len(self.classes) :, :-1]
        return float(beyond.sum()) if len(beyond) else None

    @property
    def dearest(self) -> Mapping[str, Any] | None:
        """Of many classes the wrong answer that costs most beyond the right one, reviews left out."""
        if self.two_classes or not isinstance(self.costs, CostMatrix) or self.honest_cost <= 0:
            return None
        values = self.costs.values
        paid = self.confusion[: len(values), :-1] * (values - np.diagonal(values)[:, None])
        true, answer = (int(place) for place in np.unravel_index(int(np.argmax(paid)), paid.shape))
        if paid[true, answer] <= 0:
            return None
        share = float(paid[true, answer] / self.honest_cost)
        return {"true": self.classes[true], "answer": self.classes[answer], "share": share}

    @property
    def words(self) -> str:
        """What to do, what happens then, what it costs, what is not proven."""
        return answer_words(self.facts())

    @property
    def is_trivial(self) -> bool:
        """Whether the answer is a rule without a model."""
        return self.model is None

    def decide(self, scores: ArrayLike) -> IntArray:
        """Apply the rule to inputs of its model: the place of a class among `classes`, or `ABSTAIN`.

        One score per case, or one probability per class; of two classes either.
        """
        one_input = self.two_classes and (self.rule is None or self.rule.inputs == 1)
        if one_input and np.ndim(scores) == 2:
            scores = second_class_scores(check_class_probabilities(scores, 2))
        if self.rule is not None:
            return self.rule.decide(scores)
        if self.lower is not None and self.upper is not None:
            return decide(scores, (self.lower, self.upper))
        rows = len(check_class_probabilities(scores, len(self.classes)))
        always = [f"always {name}" for name in self.classes]
        return np.full(rows, always.index(self.kind) if self.kind in always else ABSTAIN)

    def facts(self) -> dict[str, Any]:
        """Return what the words are made from, JSON-safe apart from infinities."""
        *called, abstained = self.shares.values()
        own: dict[str, Any] = {
            "positive": self.class_names[1],
            "negative": self.class_names[0],
            "lower": self.lower,
            "upper": self.upper,
            "calls_positive": self.upper is not None and self.upper < math.inf,
            "calls_negative": self.lower is not None and self.lower > -math.inf,
            "called_positive": called[1],
            "called_negative": called[0],
        }
        if not self.two_classes:
            rule = self.rule if isinstance(self.rule, ClassRule) else None
            own = {
                "classes": list(self.class_names),
                "weights": None if rule is None else rule.weights.tolist(),
                "abstain_weight": None if rule is None else rule.abstain_weight,
                "family": None if rule is None else rule.family,
                "called": called,
                "wrong": self.error_rate - (self.unknown_decided or 0.0),
                "dearest": None if self.dearest is None else json_safe(dict(self.dearest)),
            }
        if not isinstance(self.rule, Window | ClassRule | None):  # neither a window nor weights of classes
            own |= {"method": self.rule.words(self.class_names), "abstains": self.rule.abstains}  # type: ignore[attr-defined]
        return {
            "kind": self.kind,
            "model": self.model,
            **own,
            "abstained": abstained,
            "abstention_rate": self.abstention_rate,
            "missed": self.missed,
            "alarms": self.alarms,
            "verdict": self.verdict,
            "cost": self.cost,
            "honest_cost": self.honest_cost,
            "interval": tuple(self.interval),
            "n_unlabelled": self.n_unlabelled,
            "one_added": self.one_added,
            "cost_range": None if self.cost_range is None else tuple(self.cost_range),
            "versus": {
                key: {"name": one.name, "difference": one.difference, "interval": tuple(one.interval)}
                for key, one in self.versus.items()
            },
            "worst_cost": self.worst_cost,
            "regret": self.regret,
            "regret_bound": self.regret_bound,
            "advice_cost": self.advice_cost,
            "best_trivial": None if self.best_trivial is None else dict(self.best_trivial),
            "guaranteed_cost": self.guaranteed_cost,
            "guarantee_defined": self.guarantee_defined,
            "n": self.n,
            "n_rules": self.n_rules,
            "confidence_level": self.confidence_level,
            **({} if self.fees is None else {"fees": self.fees}),
            **({} if self.unknown_decided is None else {"unknown_decided": self.unknown_decided}),
            **({} if self.stakes is None else {"stakes": dict(self.stakes)}),
        }

    def to_dict(self) -> dict[str, Any]:
        """Return the answer as JSON-safe built-in types."""
        return {
            **Result.to_dict(self),
            "decision": decision_words(self.facts()),
            "rule": None if self.rule is None else self.rule.to_dict(),
            "shares": dict(zip((*self.class_names, "abstain"), self.shares.values(), strict=True)),
            "versus": {key: one.to_dict() for key, one in self.versus.items()},
            "by_block": None if self.by_block is None else [one.to_dict() for one in self.by_block],
            "facts": json_safe(self.facts()),
        }

    def __repr__(self) -> str:
        what = self.kind if self.model is None else f"{self.model}, {self.kind}"
        if isinstance(self.rule, Window):
            what += f" {threshold_text(self.rule.lower)} to {threshold_text(self.rule.upper)}"
        low, high = self.interval
        return f"Answer({what}, cost={self.cost:.6g} ({low:.6g} to {high:.6g}))"
