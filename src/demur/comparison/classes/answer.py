"""`ClassAnswer`: one rule for any number of classes, what it costs, and what is not proven about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from demur._results import Interval, Result, json_safe
from demur.comparison.answer import Versus
from demur.comparison.classes.words import class_words
from demur.costs.matrix import CostMatrix
from demur.exceptions import InputError
from demur.surface.window import ABSTAIN
from demur.typing import ArrayLike, FloatArray, IntArray
from demur.windows.class_rule import ClassRule, check_class_probabilities

__all__ = ["ClassAnswer"]

_DECIMALS = 15


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class ClassAnswer(Result):
    """The rule with the smallest honest cost for any number of classes; made by `compare_models`.

    Costs are per case in the user's unit, and honest unless the name says otherwise: measured
    on cases that were not used to choose the rule.

    Attributes
    ----------
    kind : str
        "argmax", "expected cost", "weights", "cautious", "cautious by class", "expected cost,
        abstaining", "weights, abstaining", "always <class>" or "always abstain".
    model : str or None
        None for a rule without a model.
    rule : ClassRule or None
        The weights; None for a rule without a model.
    cost, interval, hindsight_cost : float, Interval, float
        Honest cost, interval for the true cost of the rule in use, and cost with hindsight.
    guaranteed_cost, advice_cost : None
        Known for two classes only.
    versus : mapping
        "trivial", "argmax", "never_abstaining", "runner_up" -> `Versus`, where there is such a rule.
    regret, worst_cost, best_share : float or None
        Over ranges of costs: the most it costs beyond a rule chosen for the true costs, the most it
        costs at any corner, and the share of the corners at which no other rule is cheaper.
    gap : float
        How far the objective of the search may be above the smallest one there is, with hindsight.
    confusion : array of shape (m, m + 1)
        Honest share of all cases by true class and answer, abstaining last.
    confusion_cost : array of shape (m, m + 1)
        What each of them costs per case.
    abstention_rate, error_rate : float
        Honest shares of all cases sent to a person, and answered wrong.
    dearest : mapping or None
        The confusion that costs most: "true", "answer", "share" of the cost.
    costs, abstain_costs : CostMatrix, array or None
        Prices in use, at the middle of ranges; the second by true class.
    classes, class_sizes, shares : tuple, array, array
        Names, cases of each class, and P(class) in use.
    condition : str
        What the rule had to keep; empty if nothing.
    digest : str
        Fingerprint of the labels and the probabilities of the model.
    words : str
        All of this in words.
    """

    kind: str
    model: str | None
    rule: ClassRule | None
    cost: float
    interval: Interval
    hindsight_cost: float
    guaranteed_cost: None = None
    advice_cost: None = None
    versus: Mapping[str, Versus]
    regret: float | None
    worst_cost: float | None
    best_share: float | None
    gap: float
    confusion: FloatArray
    confusion_cost: FloatArray
    abstention_rate: float
    error_rate: float
    dearest: Mapping[str, Any] | None
    costs: CostMatrix
    abstain_costs: FloatArray | None
    classes: tuple[Any, ...]
    class_sizes: FloatArray
    shares: FloatArray
    n: float
    confidence_level: float
    best_trivial: Mapping[str, Any] | None
    condition: str
    digest: str
    _reported = ("words", "lower", "upper", "weights", "abstain_weight")
    _evidence = ("best_trivial",)

    @property
    def words(self) -> str:
        """What to do, what happens then, what it costs, what is not proven."""
        return class_words(self.facts())

    @property
    def is_trivial(self) -> bool:
        """Whether the answer is a rule without a model."""
        return self.model is None

    @property
    def weights(self) -> FloatArray | None:
        """Weight of each class; None for a rule without a model."""
        return None if self.rule is None else self.rule.weights

    @property
    def abstain_weight(self) -> float | None:
        """Weight of abstaining; None where it is no answer."""
        return None if self.rule is None else self.rule.abstain_weight

    @property
    def lower(self) -> float | None:
        """For two classes: the first one is called up to this probability of the second."""
        return None if self._window() is None else self._window()[0]  # type: ignore[index]

    @property
    def upper(self) -> float | None:
        """For two classes: the second one is called from this probability on."""
        return None if self._window() is None else self._window()[1]  # type: ignore[index]

    def _window(self) -> tuple[float, float] | None:
        """Thresholds from their inverses, the weights; the last digits of that are rounding errors."""
        if self.rule is None or len(self.classes) != 2 or self.rule.family != "weights":
            return None
        negative, positive = self.rule.weights.tolist()
        abstain = self.rule.abstain_weight
        if abstain is None:
            threshold = round(negative / (negative + positive), _DECIMALS)
            if threshold in (0.0, 1.0):
                threshold = -np.inf if threshold == 0 else np.inf
            return threshold, threshold
        # + 0.0: never minus zero
        lower = round(1 - abstain / negative, _DECIMALS) + 0.0 if negative else -np.inf
        return float(lower), float(round(abstain / positive, _DECIMALS) if positive else np.inf)

    def decide(self, proba: ArrayLike) -> IntArray:
        """Apply the rule to probabilities of its model: index in `classes`, or `ABSTAIN`."""
        if self.rule is not None:
            return self.rule.decide(proba)
        rows = len(check_class_probabilities(proba, len(self.classes)))
        always = [f"always {name}" for name in self.classes]
        return np.full(rows, always.index(self.kind) if self.kind in always else ABSTAIN)

    def require_rule(self) -> ClassRule:
        """Return the rule; refuse an answer without a model, which needs none."""
        if self.rule is None:
            raise InputError(
                f"`answer` must be the rule of a model, got {self.kind!r}. "
                "Hint: a rule without a model needs no policy."
            )
        return self.rule

    def facts(self) -> dict[str, Any]:
        """Return what the words are made from, JSON-safe."""
        return {
            "kind": self.kind,
            "model": self.model,
            "classes": [str(name) for name in self.classes],
            "weights": None if self.rule is None else self.rule.weights.tolist(),
            "abstain_weight": self.abstain_weight,
            "family": None if self.rule is None else self.rule.family,
            "window": self._window(),
            "called": self.confusion[:, :-1].sum(axis=0).tolist(),
            "abstained": self.abstention_rate,
            "wrong": self.error_rate,
            # two classes have the words of two classes: the second is the positive one
            "missed": float(self.confusion[1, 0]) if len(self.classes) == 2 else None,
            "alarms": float(self.confusion[0, 1]) if len(self.classes) == 2 else None,
            "dearest": None if self.dearest is None else json_safe(dict(self.dearest)),
            "cost": self.cost,
            "interval": tuple(self.interval),
            "versus": {
                key: {"name": one.name, "difference": one.difference, "interval": tuple(one.interval)}
                for key, one in self.versus.items()
            },
            "worst_cost": self.worst_cost,
            "regret": self.regret,
            "best_trivial": None if self.best_trivial is None else dict(self.best_trivial),
            "n": self.n,
            "confidence_level": self.confidence_level,
        }

    def to_dict(self) -> dict[str, Any]:
        """Return the answer as JSON-safe built-in types."""
        named = {name: value for name, value in Result.to_dict(self).items() if name != "versus"}
        return {
            **named,
            "versus": {key: one.to_dict() for key, one in self.versus.items()},
            "facts": json_safe(self.facts()),
        }

    def __repr__(self) -> str:
        what = self.kind if self.model is None else f"{self.model}, {self.kind}"
        low, high = self.interval
        return f"ClassAnswer({what}, cost={self.cost:.6g} ({low:.6g} to {high:.6g}))"
