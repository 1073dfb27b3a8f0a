"""`Answer`: one rule, what it costs, and what is not proven about it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from demur._html import threshold_text
from demur._results import Interval, Result, json_safe
from demur.comparison.words import answer_words
from demur.costs.case_costs import CaseCosts
from demur.costs.model import CostModel
from demur.counts.case_window import CaseWindow
from demur.counts.scores import ScoreCounts
from demur.surface.window import AbstentionWindow, decide
from demur.typing import ArrayLike, IntArray

__all__ = ["Answer", "Versus"]


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Versus(Result):
    """The answer against one other rule, on the same held-out cases.

    Attributes
    ----------
    name : str
        The other rule: a model, or a rule without a model.
    difference : float
        Honest cost of the answer minus that of the other, per case; negative: the answer is cheaper.
    interval : Interval
        For the true difference of the two rules in use: from the smaller of the honest difference and that
        with hindsight to the larger, and z standard errors beyond. Where it contains 0 nothing is proven.
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
        "window", "threshold", "always positive", "always negative" or "always abstain".
    model : str or None
        None for a rule without a model.
    lower, upper : float
        Thresholds: negative up to `lower`, positive from `upper` on, abstain in between. Each is the
        number of the fewest digits strictly between the scores beside it, the nearest to their middle.
    cost : float
        Honest cost; at the middle of the ranges where costs are ranges.
    interval : Interval
        For the true cost of the rule in use.
    hindsight_cost : float
        Cost on the cases used to choose the thresholds: too low on average.
    guaranteed_cost : float or None
        Upper bound of the true cost that holds for every sample size and for the choice among all
        models; None where it is not defined (importance weights, ranges of prevalence).
    advice_cost : float or None
        What choosing this way costs, baselines included: cases are resampled, and the rule that is cheapest
        on those drawn is judged on the others (`cost_after_choice`). Of more than 64 models it is chosen
        among the 64 of smallest cost.
    versus : mapping
        "trivial", "never_abstaining", "runner_up" -> `Versus`, where there is such a rule.
    regret, worst_cost : float or None
        Over ranges of costs: the most it costs beyond a rule chosen for the true costs, at any
        corner, and the most it costs at any corner.
    best_share : float or None
        Share of the range at which it is the cheapest candidate, on five evenly spaced values of
        everything that is a range.
    called_positive, called_negative, abstention_rate, missed, alarms : float
        Honest shares of all cases.
    stakes : mapping or None
        Where costs differ by case, honest money per case: "at_stake" (lost if every positive is missed),
        lost by "missed" and by "alarms", paid for "reviews".
    condition : str
        What the rule had to keep, and what it was chosen for if not the smallest cost; empty if neither.
    words : str
        All of this in words.
    costs, labels, window, counts
        What a policy needs: the costs the thresholds were chosen for, the labels (negative, positive),
        the window and the counts it was chosen on; the last two are None for a rule without a model.
    """

    kind: str
    model: str | None
    lower: float
    upper: float
    cost: float
    interval: Interval
    hindsight_cost: float
    guaranteed_cost: float | None
    advice_cost: float | None
    versus: Mapping[str, Versus]
    regret: float | None
    worst_cost: float | None
    best_share: float | None
    gap: float
    called_positive: float
    called_negative: float
    abstention_rate: float
    missed: float
    alarms: float
    n: float
    prevalence: float
    confidence_level: float
    positive: str
    negative: str
    best_trivial: Mapping[str, Any] | None
    guarantee_defined: bool
    condition: str
    costs: CostModel | CaseCosts
    labels: tuple[Any, Any]
    window: AbstentionWindow | CaseWindow | None
    counts: ScoreCounts | None
    stakes: Mapping[str, float] | None = None
    _reported = ("words",)
    _evidence = ("costs", "counts", "labels", "stakes", "window")

    @property
    def words(self) -> str:
        """What to do, what happens then, what it costs, what is not proven."""
        return answer_words(self.facts())

    @property
    def is_trivial(self) -> bool:
        """Whether the answer is a rule without a model."""
        return self.model is None

    def decide(self, scores: ArrayLike) -> IntArray:
        """Apply the rule to scores of its model: 1, 0 or `ABSTAIN`."""
        return decide(scores, (self.lower, self.upper))

    def facts(self) -> dict[str, Any]:
        """Return what the words are made from, JSON-safe apart from infinities."""
        money = {} if self.stakes is None else {"stakes": dict(self.stakes)}
        return {
            "kind": self.kind,
            "model": self.model,
            "positive": self.positive,
            "negative": self.negative,
            "lower": self.lower,
            "upper": self.upper,
            "calls_positive": self.upper < math.inf,
            "calls_negative": self.lower > -math.inf,
            "called_positive": self.called_positive,
            "called_negative": self.called_negative,
            "abstained": self.abstention_rate,
            "missed": self.missed,
            "alarms": self.alarms,
            "cost": self.cost,
            "interval": tuple(self.interval),
            "versus": {
                key: {"name": one.name, "difference": one.difference, "interval": tuple(one.interval)}
                for key, one in self.versus.items()
            },
            "worst_cost": self.worst_cost,
            "regret": self.regret,
            "advice_cost": self.advice_cost,
            "best_trivial": None if self.best_trivial is None else dict(self.best_trivial),
            "guaranteed_cost": self.guaranteed_cost,
            "guarantee_defined": self.guarantee_defined,
            "n": self.n,
            "confidence_level": self.confidence_level,
            **money,
        }

    def to_dict(self) -> dict[str, Any]:
        """Return the answer as JSON-safe built-in types."""
        named = {
            key: value for key, value in Result.to_dict(self).items() if key not in ("versus", "best_trivial")
        }
        return {
            **named,
            "versus": {key: one.to_dict() for key, one in self.versus.items()},
            "facts": json_safe(self.facts()),
        }

    def __repr__(self) -> str:
        what = self.kind
        if self.model is not None:
            what = f"{self.model}, {what} {threshold_text(self.lower)} to {threshold_text(self.upper)}"
        low, high = self.interval
        return f"Answer({what}, cost={self.cost:.6g} ({low:.6g} to {high:.6g}))"
