"""`Policy`: two thresholds, labels and costs in a small JSON file that production can apply.

The file also holds the pooled blocks of the data the window was chosen on, so that other costs or
another prevalence need no data: the blocks are all an optimal window depends on.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, Self

from demur._checks import (
    check_choice,
    check_decision_labels,
    check_rate,
    check_scores,
    check_type,
    input_error,
)
from demur._files.whole import whole_file
from demur._html import zones
from demur._results import Result, json_safe
from demur.costs.case_costs import CaseCosts
from demur.costs.model import CostModel
from demur.counts.scores import ScoreCounts
from demur.exceptions import InputError, UndefinedError
from demur.surface.surface import AbstentionSurface
from demur.surface.window import ABSTAIN, AbstentionWindow, decide, written_window
from demur.typing import ArrayLike, IntArray
from demur.windows.class_policy import ClassPolicy
from demur.windows.constrained import ConstrainedWindow
from demur.windows.export.exportable import Exportable
from demur.windows.export.rule import DecisionRule
from demur.windows.policy_amounts import parts_by_case
from demur.windows.policy_checks import costs_of, in_unit, needs_all_scores, require_window_of
from demur.windows.policy_estimator import parts_of_estimator
from demur.windows.policy_evidence import PolicyEvidence
from demur.windows.policy_file import (
    SCHEMA,
    VERSION,
    file_text,
    is_for_classes,
    number,
    optional_number,
    parsed,
    part,
    rate,
    read_amounts,
    read_costs,
    require_known_fields,
    require_schema,
    text,
    threshold,
)
from demur.windows.policy_labels import OUTPUTS, encoded_labels, free_label, labels_of

__all__ = ["Policy"]

_RULES = ("cheapest", "constrained", "amounts")


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class Policy(Exportable, Result):
    """When to act and when to abstain, as a file: thresholds, labels, costs and their evidence.

    Decides like `decide`: positive if ``score >= upper``, negative if ``score <= lower``, else
    abstain. Assumes that the scores come from the model the policy was made for, on the same
    scale. Make one with `from_surface` or `from_window`, keep it with `save`, get it back with
    `load`; the constructor itself is for values from elsewhere and checks them the same way.

    Parameters
    ----------
    lower, upper : float
        The window; -inf and inf where a side is never used.
    pos_label, neg_label, abstain_label : str or number
        What `apply` answers: three different strings or three different numbers. The abstain label
        is declared, never inferred.
    costs : CostModel or None
        The costs the window was chosen for; None if it was chosen without costs.
    prevalence : float
        P(positive) assumed in use.
    expected_cost : float or None
        Expected cost per case in the unit of `costs`, with hindsight: the window was chosen on the
        same data, so expect slightly more in use.
    abstention_rate, fn, fp : float
        Shares of all cases: abstained on, missed positives, false alarms.
    rule : {"cheapest", "constrained", "amounts"}
        How the window was chosen; only the cheapest one can be derived again from the blocks.
    evidence : PolicyEvidence
        Fingerprint of the data and the pooled blocks.
    model : str, optional
        Name of the scores; `demur apply` looks for a column of this name.
    note : str
        Anything worth telling, such as the constraints in words.
    amounts : mapping, optional
        Where every case had its own costs (rule "amounts"): their columns, extremes and factors, as
        `CaseCosts` describes them. New scores need no amounts.

    Raises
    ------
    InputError
        For NaN or swapped thresholds, labels that coincide or are of mixed kinds, shares outside
        [0, 1].

    Notes
    -----
    An optimal window lies between pooled blocks whatever the costs and the prevalence, and the
    blocks do not depend on either. So `at` is exact, except for windows under constraints, which
    may cut a block.

    References
    ----------
    Friedel, Rueckert, Kramer (2006), "Cost Curves for Abstaining Classifiers", ROCML.

    Examples
    --------
    A miss costs 100, a false alarm 100, a review 25: review scores between -0.7 and 0.6. Where
    positives are rarer, fewer reviews pay:

    >>> from demur import CostModel, Policy, abstention_surface
    >>> y = [0, 0, 1, 0, 1, 0, 0, 1, 1, 0, 1, 1]
    >>> s = [-0.9, -0.9, -0.5, -0.5, 0, 0, 0, 0.4, 0.4, 0.4, 0.8, 0.8]
    >>> costs = CostModel(cost_fn=100, cost_fp=100, cost_abstain=25)
    >>> policy = Policy.from_surface(
    ...     abstention_surface(y, s), costs=costs, pos_label="ill", neg_label="well", abstain_label="ask"
    ... )
    >>> policy.apply([-0.8, 0.1, 0.7]).tolist()
    ['well', 'ask', 'ill']
    >>> round(policy.abstention_rate, 3), round(policy.at(prevalence=0.2).abstention_rate, 3)
    (0.667, 0.2)
    """

    lower: float
    upper: float
    pos_label: Any = 1
    neg_label: Any = 0
    abstain_label: Any = ABSTAIN
    costs: CostModel | None
    prevalence: float
    expected_cost: float | None
    abstention_rate: float
    fn: float
    fp: float
    rule: str = "cheapest"
    evidence: PolicyEvidence
    model: str | None = None
    note: str = ""
    amounts: Mapping[str, Any] | None = None
    _evidence: ClassVar[tuple[str, ...]] = ("evidence",)
    _told = (
        "model",
        "lower",
        "upper",
        "pos_label",
        "neg_label",
        "abstain_label",
        "abstention_rate",
        "expected_cost",
    )

    def __post_init__(self) -> None:
        for name in ("lower", "upper"):
            object.__setattr__(self, name, threshold(getattr(self, name), name))
        if self.lower > self.upper:
            raise input_error("lower", f"must not exceed upper = {self.upper:g}", f"{self.lower:g}")
        names = ("pos_label", "neg_label", "abstain_label")
        for name, label in zip(
            names, check_decision_labels([getattr(self, name) for name in names]), strict=True
        ):
            object.__setattr__(self, name, label)
        for name in ("prevalence", "abstention_rate", "fn", "fp"):
            object.__setattr__(self, name, rate(getattr(self, name), name))
        if self.expected_cost is not None:
            object.__setattr__(self, "expected_cost", number(self.expected_cost, "expected_cost"))
        check_choice(self.rule, "rule", _RULES)
        check_type(self.note, "note", str)
        if self.model is not None:
            check_type(self.model, "model", str)
        check_type(self.evidence, "evidence", PolicyEvidence)
        if self.costs is not None:
            check_type(self.costs, "costs", CostModel)
        elif self.rule == "cheapest":
            raise input_error("costs", "are needed by the rule 'cheapest'", None)
        if (self.amounts is None) == (self.rule == "amounts"):
            raise input_error("amounts", "belong to the rule 'amounts'", f"the rule {self.rule!r}")
        Result.__post_init__(self)

    # ---------------------------------------------------------------- construction

    @classmethod
    def from_surface(
        cls,
        surface: AbstentionSurface,
        *,
        costs: CostModel,
        pos_label: Any = 1,
        neg_label: Any = 0,
        abstain_label: Any = None,
        model: str | None = None,
    ) -> Self:
        """Make the policy of the cheapest window of a surface for these costs.

        The prevalence assumed is that of the surface. Labels as described for the class; without
        `abstain_label` one is picked as in `from_answer`.
        """
        check_type(surface, "surface", AbstentionSurface, "an")
        return cls.from_window(
            written_window(surface.window(costs=costs), surface.counts),
            surface.counts,
            costs=costs,
            pos_label=pos_label,
            neg_label=neg_label,
            abstain_label=abstain_label,
            model=model,
        )

    @classmethod
    def from_window(
        cls,
        window: AbstentionWindow,
        counts: ScoreCounts,
        *,
        costs: CostModel | None = None,
        pos_label: Any = 1,
        neg_label: Any = 0,
        abstain_label: Any = None,
        model: str | None = None,
        note: str = "",
    ) -> Self:
        """Make the policy of a window, also of one under constraints, and the counts it was chosen on.

        `costs` must be those the window was chosen for; left out, they are taken from the window in
        their normal form (a miss costs 1). A `ConstrainedWindow` brings its own note along.
        """
        check_type(window, "window", AbstentionWindow, "an")
        check_type(counts, "counts", ScoreCounts)
        require_window_of(window, counts)
        prices = costs_of(window, costs)
        if abstain_label is None:
            abstain_label = free_label(neg_label, pos_label)
        constrained = isinstance(window, ConstrainedWindow)
        notes = (note, window.note) if isinstance(window, ConstrainedWindow) else (note,)
        return cls(
            lower=window.lower,
            upper=window.upper,
            pos_label=pos_label,
            neg_label=neg_label,
            abstain_label=abstain_label,
            costs=prices,
            prevalence=window.prevalence,
            expected_cost=None if prices is None else in_unit(prices, window),
            abstention_rate=window.abstention_rate,
            fn=window.fn,
            fp=window.fp,
            rule="constrained" if constrained else "cheapest",
            evidence=PolicyEvidence.from_counts(counts),
            model=model,
            note=" ".join(words for words in notes if words),
        )

    @classmethod
    def from_estimator(cls, estimator: Any, *, abstain_label: Any = None, model: str | None = None) -> Self:
        """Make the policy of a fitted `AbstainingClassifier`: its window, labels, costs and honest cost.

        The scores to apply it to are those of the inner estimator; the note says which. Without
        `abstain_label` it is the classifier's where that fits its classes, else one is picked as in
        `from_answer`.
        """
        made, honest = parts_of_estimator(estimator, abstain_label, model)
        policy = cls.from_window(**made)
        return policy if honest is None else replace(policy, expected_cost=honest)

    @classmethod
    def from_answer(cls, answer: Any, abstain_label: Any = None) -> Self | ClassPolicy:
        """Make the policy of the answer of `compare_models`: its rule, its labels, its honest cost.

        Without `abstain_label` an abstention is -1 beside whole-number labels (0 where -1 is a class),
        else "abstain". A rule without a model needs no policy and is refused. The answer for many
        classes gives a `ClassPolicy`.
        """
        if hasattr(answer, "rule"):
            return ClassPolicy.from_answer(answer, abstain_label)
        if answer.window is None or answer.counts is None:
            raise InputError(
                f"`answer` must be the rule of a model, got {answer.kind!r}. "
                "Hint: a rule without a model needs no policy."
            )
        negative, positive = answer.labels
        if abstain_label is None:
            abstain_label = free_label(negative, positive)
        if isinstance(answer.costs, CaseCosts):
            return cls(**parts_by_case(answer, abstain_label))
        costs = answer.costs
        if math.isinf(answer.window.nu_positive) and costs.may_abstain:
            # one threshold was cheaper than reviews: so it stays at other costs, too
            costs = replace(costs, cost_abstain=None, cost_abstain_positive=None, cost_abstain_negative=None)
        policy = cls.from_window(
            answer.window,
            answer.counts,
            costs=costs,
            pos_label=positive,
            neg_label=negative,
            abstain_label=abstain_label,
            model=answer.model,
        )
        return replace(
            policy,
            expected_cost=answer.cost,
            abstention_rate=answer.abstention_rate,
            fn=answer.missed,
            fp=answer.alarms,
            # not the cheapest window at its costs, so not to be derived again at others
            rule="constrained" if answer.condition else policy.rule,
            note=answer.condition or policy.note,
        )

    def at(self, *, costs: CostModel | None = None, prevalence: float | None = None) -> Policy:
        """Return the policy for other costs, another prevalence, or both; exact, without the data.

        What is left out stays as it is. Raises `UndefinedError` for windows under constraints, and
        for a reward (negative cost) of abstaining that differs by class: both need the scores.
        """
        prices = self.costs if costs is None else costs
        if self.rule != "cheapest" or prices is None:
            how = "for amounts per case" if self.rule == "amounts" else "under constraints"
            raise UndefinedError(
                f"This policy was made {how}, so its window cannot be derived from the blocks. "
                "Hint: make a new policy from the data."
            )
        check_type(prices, "costs", CostModel)
        if needs_all_scores(prices):
            raise UndefinedError(
                "A reward for abstaining that differs by class may cut a block, so the blocks do not tell "
                "the window. Hint: make a new policy from the data."
            )
        assumed = self.prevalence if prevalence is None else check_rate(prevalence, "prevalence")
        surface = self.evidence.surface(prevalence=assumed)
        window = written_window(surface.window(costs=prices), surface.counts)
        return dataclasses.replace(
            self,
            lower=window.lower,
            upper=window.upper,
            costs=prices,
            prevalence=window.prevalence,
            expected_cost=window.expected_cost,
            abstention_rate=window.abstention_rate,
            fn=window.fn,
            fp=window.fp,
        )

    # ---------------------------------------------------------------- decisions

    def decide(self, scores: ArrayLike) -> IntArray:
        """Return 1 (positive), 0 (negative) or `ABSTAIN` for every score."""
        return decide(scores, (self.lower, self.upper))

    def apply(self, scores: ArrayLike, *, output: str = "array") -> Any:
        """Return the label of the decision for every score; the abstain label where it abstains.

        Parameters
        ----------
        scores : array of n numbers
            On the scale the policy was made for; NaN is refused.
        output : {"array", "pandas", "arrow"}
            An array of labels, a `pandas.Categorical` or a `pyarrow.DictionaryArray`. The last two hold
            one byte per case and take two to three times two comparisons of the scores; an array of
            text takes about ten times.
        """
        check_choice(output, "output", OUTPUTS)
        values = check_scores(scores, "scores")
        names = (self.neg_label, self.pos_label, self.abstain_label)
        if output == "array":
            return labels_of(values, self.lower, self.upper, names)
        return encoded_labels(values, self.lower, self.upper, names, output)

    def _figure(self) -> str:
        reviewed = f"{self.abstain_label} {self.abstention_rate:.1%}"
        return zones(self.lower, self.upper, (str(self.neg_label), reviewed, str(self.pos_label)))

    def _rule(self) -> DecisionRule:
        costs = {} if self.costs is None else self.costs.to_dict()
        prices = ", ".join(f"{name} {value:g}" for name, value in costs.items() if value)
        origin = {
            "model": self.model or "",
            "rule": self.rule,
            "costs": prices,
            "prevalence": f"{self.prevalence:.6g}",
            "abstention rate": f"{self.abstention_rate:.6g}",
            "note": self.note,
            "data": self.evidence.digest,
            "software": self.evidence.software,
        }
        return DecisionRule(
            lower=self.lower,
            upper=self.upper,
            positive=self.pos_label,
            negative=self.neg_label,
            abstain=self.abstain_label,
            origin=tuple((name, text) for name, text in origin.items() if text),
        )

    # ---------------------------------------------------------------- files

    def to_dict(self) -> dict[str, Any]:
        """Return the policy file as JSON-safe built-in types (infinities as "inf" and "-inf").

        Version 2 has amounts; a policy without them stays readable for readers of version 1.
        """
        amounts = {} if self.amounts is None else {"amounts": json_safe(dict(self.amounts))}
        return {
            "schema": SCHEMA,
            "version": VERSION if amounts else 1,
            "model": self.model,
            "labels": {
                "positive": self.pos_label,
                "negative": self.neg_label,
                "abstain": self.abstain_label,
            },
            "window": {"lower": json_safe(self.lower), "upper": json_safe(self.upper)},
            "rule": self.rule,
            "note": self.note,
            "costs": None if self.costs is None else self.costs.to_dict(),
            "prevalence": self.prevalence,
            "expected": {
                "cost": self.expected_cost,
                "abstention_rate": self.abstention_rate,
                "fn": self.fn,
                "fp": self.fp,
            },
            **amounts,
            "evidence": self.evidence.to_dict(),
        }

    def to_json(self) -> str:
        """Return the text of the policy file: one line per part, and a digest of them."""
        return file_text(self.to_dict())

    @classmethod
    def from_dict(cls, data: Any) -> Policy:
        """Return the policy that `to_dict` described; refuse anything else in one sentence."""
        require_schema(data)
        evidence = PolicyEvidence.from_file(data)
        policy = cls(
            lower=threshold(part(data, "window.lower"), "window.lower"),
            upper=threshold(part(data, "window.upper"), "window.upper"),
            pos_label=part(data, "labels.positive"),
            neg_label=part(data, "labels.negative"),
            abstain_label=part(data, "labels.abstain"),
            costs=read_costs(data),
            prevalence=part(data, "prevalence", float),
            expected_cost=optional_number(data, "expected.cost"),
            abstention_rate=part(data, "expected.abstention_rate", float),
            fn=part(data, "expected.fn", float),
            fp=part(data, "expected.fp", float),
            rule=text(data, "rule"),
            evidence=evidence,
            model=None if part(data, "model") is None else text(data, "model"),
            note=text(data, "note"),
            amounts=read_amounts(data),
        )
        require_known_fields(data, policy.to_dict())
        return policy

    def save(self, path: str | Path) -> None:
        """Write the policy as JSON; the file appears whole or not at all."""
        with whole_file(path) as handle:
            handle.write(self.to_json() + "\n")

    @classmethod
    def load(cls, path: str | Path) -> Policy | ClassPolicy:
        """Read a policy, or a `ClassPolicy`; refuse, in one sentence, what `save` would not have written."""
        data = parsed(path)
        try:
            return ClassPolicy.from_dict(data) if is_for_classes(data) else cls.from_dict(data)
        except InputError as error:
            raise InputError(f"`{path}` is not a policy to trust: {error}") from None
