"""`Policy`: a rule, its labels and costs in a small JSON file that production can apply.

The file of a window also holds the pooled blocks of the data it was chosen on, so that other costs or
another prevalence need no data: the blocks are all an optimal window depends on.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np

from demur._checks import check_choice, check_rate, check_type, input_error
from demur._files.values import rate
from demur._files.whole import whole_file
from demur._html import zones
from demur._results import Result, json_safe
from demur._version import __version__
from demur.costs.case_costs import CaseCosts
from demur.costs.matrix import CostMatrix
from demur.costs.model import CostModel
from demur.counts.scores import ScoreCounts
from demur.counts.window import AbstentionWindow
from demur.exceptions import InputError, UndefinedError
from demur.policy.evidence import PolicyEvidence, Promise
from demur.policy.file import (
    DIGEST,
    SCHEMA,
    VERSION,
    costs_part,
    file_text,
    parsed,
    policy_fields,
    require_written,
)
from demur.policy.labels import OUTPUTS, builtin_labels, check_policy_labels, free_label, labelled
from demur.surface.surface import AbstentionSurface
from demur.surface.window import ABSTAIN, written_window
from demur.typing import FloatArray, IntArray
from demur.windows.budgeted import Budgeted
from demur.windows.by_group import ByGroup, Constant, GroupRule
from demur.windows.class_rule import ClassRule
from demur.windows.expression import BatchDecision, Decision
from demur.windows.rule import RULES, Rule, Window

__all__ = ["FROM_COSTS", "Policy"]

FROM_COSTS = "From costs alone, no evidence: no labelled case was looked at."
"""Note of a policy without evidence."""

_CHOSEN = ("cheapest", "constrained", "amounts")
# groups that a note lists
_MOST_NOTED = 20
# ratios of costs may differ by rounding
_ROUNDING = 1e-9


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class Policy(Result):
    """When to act and when to abstain, as a file: a rule, its labels, costs, promise and evidence.

    Decides like its rule, for example a `Window`: positive if ``score >= upper``, negative if
    ``score <= lower``, else abstain. Assumes that scores or probabilities come from the model the
    policy was made for, on the same scale. Make one with `from_answer`, `from_surface`, `from_window` or
    `from_estimator`, keep it with `save`, get it back with `load`; the constructor itself is for values
    from elsewhere and checks them the same way.

    Parameters
    ----------
    rule : Window, ClassRule or ByGroup
        Two thresholds on a score, one weight per class, or such a rule for every group of cases.
    classes : sequence of str or number
        What `apply` answers, in the order of the codes: negative and positive for a window. Default:
        those of the rule, or 0 and 1.
    abstain_label : str or number, optional
        What it answers for an abstention: no class, text beside text, a number beside numbers. Without it
        one is picked as in `from_answer`.
    columns : sequence of str, optional
        Columns of a file that the rule reads. Default: `model` or "score" for one, else the names of
        the classes.
    costs : CostModel or CostMatrix, optional
        The costs the rule was chosen for; None if it was chosen without costs.
    abstain_costs : array, optional
        Price of abstaining by true class, beside a `CostMatrix`.
    amounts : mapping, optional
        Where every case had its own costs (`chosen` is "amounts"): their columns, extremes and factors, as
        `CaseCosts` describes them. New scores need no amounts.
    shares : array, optional
        P(class) assumed in use.
    chosen : str, optional
        How the rule was chosen: "cheapest", "constrained" or "amounts" for a window, which can be derived
        again from the blocks if it is the cheapest; else the kind of the rule, as in the answer.
    promise : Promise, optional
        What it is expected to cost and to do in use, measured on cases that did not choose the rule; None
        where nothing was, as in `from_surface`.
    evidence : PolicyEvidence, optional
        Fingerprint of the data and the pooled blocks; None if the rule was made from costs alone.
    model : str, optional
        Name of the scores; `demur apply` looks for a column of this name.
    note : str
        Anything worth telling, such as the constraints in words.
    unsigned : bool
        Whether it was read from a file without a digest, so that nobody can tell whether it was edited.

    Raises
    ------
    InputError
        For NaN or swapped thresholds, labels that coincide or are of mixed kinds, shares outside
        [0, 1], and parts that do not fit the classes.

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

    One weight per class:

    >>> from demur.windows import ClassRule
    >>> rule = ClassRule(classes=["a", "b", "c"], weights=[1, 1, 2], abstain_weight=0.6)
    >>> Policy(rule=rule, abstain_label="ask").apply([[0.7, 0.2, 0.1], [0.5, 0.4, 0.1]]).tolist()
    ['a', 'ask']
    """

    rule: Rule
    classes: tuple[Any, ...] = ()
    abstain_label: Any = None
    columns: tuple[str, ...] = ()
    costs: CostModel | CostMatrix | None = None
    abstain_costs: FloatArray | None = None
    amounts: Mapping[str, Any] | None = None
    shares: FloatArray | None = None
    chosen: str = ""
    promise: Promise | None = None
    evidence: PolicyEvidence | None = None
    model: str | None = None
    note: str = ""
    unsigned: bool = False
    _evidence: ClassVar[tuple[str, ...]] = ("evidence",)
    _told = ("model", "chosen", "rule", "classes", "abstain_label", "abstention_rate", "expected_cost")

    def __post_init__(self) -> None:
        if type(self.rule) not in RULES.values():
            known = ", ".join(rule.__name__ for rule in RULES.values())
            raise input_error("rule", f"must be a rule ({known})", type(self.rule).__name__)
        check_type(self.note, "note", str)
        for name, kind in (("model", str), ("promise", Promise), ("evidence", PolicyEvidence)):
            if getattr(self, name) is not None:
                check_type(getattr(self, name), name, kind)
        self._set_labels()
        self._set_columns()
        self._set_costs()
        if self.shares is not None:
            shares = np.array([rate(share, "shares") for share in self.shares])
            object.__setattr__(self, "shares", shares)
        Result.__post_init__(self)

    def _set_labels(self) -> None:
        own = builtin_labels(getattr(self.rule, "classes", ()))
        classes = tuple(self.classes) or own or (0, 1)
        for one in [one.rule for one in getattr(self.rule, "members", ())] or [self.rule]:
            if isinstance(one, Window) and len(classes) != 2:
                raise input_error("classes", "must be negative and positive for a window", repr(classes))
            if isinstance(one, Constant) and one.code >= len(classes):
                raise input_error("classes", f"must be more than {one.code} for the rule", repr(classes))
        if own and builtin_labels(classes) != own:
            raise input_error("classes", f"must be those of the rule, {own!r}", repr(classes))
        abstain_label = self.abstain_label
        if abstain_label is None:
            abstain_label = free_label(*builtin_labels(classes))
        *classes_, abstain_label = check_policy_labels(classes, abstain_label)
        if own and not isinstance(self.rule, ByGroup):
            object.__setattr__(self, "rule", replace(self.rule, classes=own))  # type: ignore[type-var]
        object.__setattr__(self, "classes", tuple(classes_))
        object.__setattr__(self, "abstain_label", abstain_label)

    def _set_columns(self) -> None:
        inputs = self.rule.inputs
        columns = tuple(self.columns)
        if not columns:
            # a rule of several models, or of a model and other columns, knows their names
            names = getattr(self.rule, "names", None) or tuple(map(str, self.classes))
            columns = (self.model or "score",) if inputs == 1 else tuple(names)
        if len(columns) != inputs or len(set(columns)) < inputs:
            raise input_error("columns", f"must be {inputs} different names", repr(columns))
        object.__setattr__(self, "columns", columns)

    def _set_costs(self) -> None:
        window = isinstance(self.rule, Window)
        if not self.chosen:
            kinds = {Window: "cheapest", ClassRule: "weights"}
            object.__setattr__(self, "chosen", kinds.get(type(self.rule), self.rule.kind))
        if window:
            check_choice(self.chosen, "chosen", _CHOSEN)
        if isinstance(self.costs, CostMatrix) and not window:
            object.__setattr__(self, "costs", self.costs.arranged(self.classes))
        elif self.costs is not None:
            check_type(self.costs, "costs", CostModel)
        elif window and self.chosen == "cheapest":
            raise input_error("costs", "are needed by the rule 'cheapest'", None)
        if window and (self.amounts is None) == (self.chosen == "amounts"):
            raise input_error("amounts", "belong to the rule 'amounts'", f"the rule {self.chosen!r}")

    # ---------------------------------------------------------------- what it says, by name

    @property
    def lower(self) -> float | None:
        """Threshold up to which a score is called negative; None for a rule without a window."""
        return self.rule.lower if isinstance(self.rule, Window) else None

    @property
    def upper(self) -> float | None:
        """Threshold from which on a score is called positive; None for a rule without a window."""
        return self.rule.upper if isinstance(self.rule, Window) else None

    @property
    def neg_label(self) -> Any:
        """Label of a negative decision; None for more than two classes."""
        return self.classes[0] if len(self.classes) == 2 else None

    @property
    def pos_label(self) -> Any:
        """Label of a positive decision; None for more than two classes."""
        return self.classes[1] if len(self.classes) == 2 else None

    @property
    def prevalence(self) -> float | None:
        """P(positive) assumed in use; None where nothing was assumed, and for more than two classes."""
        return float(self.shares[1]) if self.shares is not None and len(self.classes) == 2 else None

    @property
    def kind(self) -> str:
        """How the rule was chosen, as `chosen`."""
        return self.chosen

    @property
    def expected_cost(self) -> float | None:
        """Promised cost per case in the unit of the costs; None where nothing was promised."""
        return None if self.promise is None else self.promise.cost

    @property
    def expected_limit(self) -> float | None:
        """Upper end of the interval of the promised cost; None where there is no interval."""
        return None if self.promise is None else self.promise.limit

    @property
    def abstention_rate(self) -> float | None:
        """Share of the cases that the rule as written abstains on; None where that is not known.

        Without a promise it is counted on the blocks, unless a threshold cuts one.
        """
        if self.promise is not None:
            return self.promise.abstention_rate
        blocks = None if self.evidence is None else self.evidence.blocks
        if blocks is None or self.shares is None or not isinstance(self.rule, Window):
            return None
        actions = self.rule.decide(blocks.lower)
        if np.any(actions != self.rule.decide(blocks.upper)):
            return None
        cases = np.stack([blocks.negatives, blocks.positives])
        sent = cases[:, actions == ABSTAIN].sum(axis=1) / np.maximum(cases.sum(axis=1), 1e-300)
        return min(float(self.shares @ sent), 1.0)

    @property
    def error_rate(self) -> float | None:
        """Expected share of cases decided wrongly; None where nothing was promised."""
        return None if self.promise is None else self.promise.error_rate

    @property
    def fn(self) -> float | None:
        """Expected share of all cases that are missed positives; None for more than two classes."""
        return None if self.promise is None else self.promise.fn

    @property
    def fp(self) -> float | None:
        """Expected share of all cases that are false alarms; None for more than two classes."""
        return None if self.promise is None else self.promise.fp

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

        The prevalence assumed is that of the surface. The same cases choose and measure, so the policy
        promises no cost. Labels as described for the class; without `abstain_label` one is picked as in
        `from_answer`.
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
        their normal form (a miss costs 1). A window under limits brings its own note along.
        """
        check_type(window, "window", AbstentionWindow, "an")
        check_type(counts, "counts", ScoreCounts)
        _require_window_of(window, counts)
        return cls(
            **_window_parts(window, _costs_of(window, costs)),
            classes=(neg_label, pos_label),
            abstain_label=abstain_label,
            chosen="constrained" if window.about == "limits" else "cheapest",
            evidence=PolicyEvidence.from_counts(counts),
            model=model,
            note=" ".join(words for words in (note, window.note) if words),
        )

    @classmethod
    def from_estimator(cls, estimator: Any, *, abstain_label: Any = None, model: str | None = None) -> Self:
        """Make the policy of a fitted `AbstainingClassifier`: its rule, labels, costs and honest cost.

        The scores to apply it to are those of the inner estimator; the note says which. Where amounts are
        known when deciding, the rule may read them as well, by the names in `CaseCosts.columns` or of the
        arguments. Without `abstain_label` it is the classifier's where that fits its classes, else one is
        picked as in `from_answer`.
        """
        kind = type(estimator).__name__
        if not all(hasattr(estimator, name) for name in ("rule_", "costs_", "classes_", "estimator_")):
            rule = "must be a fitted AbstainingClassifier"
            hint = "call fit first; for scores alone use Policy.from_answer."
            raise input_error("estimator", rule, kind, hint)
        if not hasattr(estimator, "surface_"):
            raise input_error("estimator", "must keep its evidence", kind, "fit it with store_surface=True.")
        negative, positive = builtin_labels(estimator.classes_)
        if estimator.pos_label is not None and estimator.pos_label == negative:
            negative, positive = positive, negative
        own = estimator.abstain_label_
        if abstain_label is None and isinstance(own, str) == isinstance(positive, str):
            abstain_label = None if own in (negative, positive) else own
        inner, response = estimator.estimator_, estimator.response_method
        if response == "auto":
            response = next(name for name in ("predict_proba", "decision_function") if hasattr(inner, name))
        note = f"Scores are {response} of {type(inner).__name__} for {positive!r}."
        named: dict[str, Any] = {"abstain_label": abstain_label, "model": model, "note": note}
        made, costs, surface = estimator.rule_, estimator.costs_, estimator.surface_
        if isinstance(costs, CaseCosts):
            policy = cls(
                rule=made,
                classes=(negative, positive),
                columns=(model or "score", *getattr(made, "names", ())[1:]),
                amounts=costs.to_dict(),
                shares=np.array([1 - surface.prevalence, surface.prevalence]),
                chosen="amounts" if isinstance(made, Window) else made.kind,
                evidence=PolicyEvidence.from_counts(surface.counts),
                **named,
            )
        else:
            named |= {"pos_label": positive, "neg_label": negative}
            policy = cls.from_window(estimator.window_, surface.counts, costs=costs, **named)
        honest, sent = estimator.expected_cost_, estimator.abstention_rate_
        if honest is None:
            return policy
        promise = Promise(cost=honest.cost, limit=honest.interval.high, abstention_rate=sent)
        return replace(policy, promise=promise)

    @classmethod
    def from_answer(cls, answer: Any, abstain_label: Any = None) -> Self:
        """Make the policy of the answer of `compare_models`: its rule, its labels, its promise.

        Promised are the cost after the choice and the upper end of its interval, without what asking models
        costs, the errors on cases that did not choose the rule, and the share that the rule as written sends
        to people.

        Without `abstain_label` an abstention is -1 beside whole-number labels (0 where -1 is a class),
        else "abstain". A rule without a model needs no policy and is refused.
        """
        if answer.model is None:
            raise InputError(
                f"`answer` must be the rule of a model, got {answer.kind!r}. "
                "Hint: a rule without a model needs no policy."
            )
        parts = {
            "rule": answer.rule,
            "classes": answer.classes,
            "abstain_label": abstain_label,
            "promise": Promise(**_promised(answer)),
            "model": answer.model,
            "note": answer.condition,
            "shares": answer.class_shares,
        }
        if answer.unknown_decided is not None:  # of the cases whose class can be known
            parts["shares"] = answer.class_shares[:-1] / answer.class_shares[:-1].sum()
        if answer.counts is None:
            parts["evidence"] = PolicyEvidence(
                n=answer.n,
                class_sizes=answer.class_sizes[: len(answer.classes)],
                digest=answer.digest,
                cluster_size=answer.cluster_size,
                software=f"demur {__version__}",
            )
        else:
            counted = PolicyEvidence.from_counts(answer.counts)
            parts["evidence"] = replace(counted, cluster_size=answer.cluster_size)
        if isinstance(answer.costs, CostMatrix):
            parts |= {
                "rule": replace(answer.rule, classes=answer.classes),
                "costs": replace(answer.costs, classes=answer.classes),
                "abstain_costs": answer.abstain_costs,
                "chosen": answer.kind,
            }
            return cls(**parts)
        amounts = answer.costs.to_dict() if isinstance(answer.costs, CaseCosts) else None
        if answer.window is None or answer.counts is None:
            costs = answer.costs if amounts is None else None
            # not to be derived again at other costs, which say nothing of cases that cannot be known
            chosen = "constrained" if isinstance(answer.rule, Window) else answer.kind
            return cls(**parts, costs=costs, amounts=amounts, chosen=chosen)
        _require_window_of(answer.window, answer.counts)
        if amounts is not None:
            return cls(**parts, amounts=amounts, chosen="amounts")
        # one threshold may have been cheaper than reviews: so it stays at other costs, too
        costs = answer.costs.never_abstaining() if math.isinf(answer.window.nu_positive) else answer.costs
        constrained = answer.condition or answer.window.about == "limits"
        parts |= {
            "costs": _costs_of(answer.window, costs),
            "shares": [1 - answer.window.prevalence, answer.window.prevalence],
            # not the cheapest window at its costs, so not to be derived again at others
            "chosen": "constrained" if constrained else "cheapest",
            "note": answer.condition or answer.window.note,
        }
        return cls(**parts)

    @classmethod
    def from_answers(
        cls,
        answers: Mapping[Any, Any],
        *,
        column: str,
        fallback: Any,
        abstain_label: Any = None,
        columns: Mapping[str, Sequence[str]] | None = None,
    ) -> Self:
        """Make one policy of the answers for several groups of cases.

        Promised are means over the groups, weighted by their cases; the cases of groups without an answer
        of their own count for `fallback`. The limit is the mean of those of the groups, which is never too
        low; `note` lists them.

        Parameters
        ----------
        answers : mapping {group: Answer}
            Answers of `compare_models` on the cases of each group. Rules without a model are among them;
            `fallback` itself stands for a group that has too few cases.
        column : str
            Name of the column with the groups.
        fallback : Answer
            That for all cases together: for groups that are not in `answers`.
        abstain_label : str or number, optional
            As in `from_answer`.
        columns : mapping {model: names of columns}, optional
            Columns of every model. Default: the name of the model, or of many classes those of the classes,
            with the name of the model before them where there are several models.

        Examples
        --------
        >>> import numpy as np
        >>> from demur import Binormal, CostModel, Policy, compare_models
        >>> y, risk = Binormal(separation=2.0).sample(1000, rng=0)
        >>> site = np.where(np.arange(1000) % 3 == 0, "north", "south")
        >>> costs = CostModel(cost_fn=100, cost_fp=40, cost_abstain=12)
        >>> def answer(own):
        ...     return compare_models(y[own], {"risk": risk[own]}, costs=costs).answer
        >>> answers = {name: answer(site == name) for name in ("north", "south")}
        >>> policy = Policy.from_answers(answers, column="site", fallback=answer(site != ""))
        >>> policy.columns
        ('risk', 'site')
        >>> policy.apply([[4.0, "north"], [-2.0, "south"], [4.0, "west"]]).tolist()
        [1, 0, 1]
        """
        every = [*answers.values(), fallback]
        models = {answer.model for answer in every} - {None}
        if not models:
            raise InputError(
                "`answers` must hold the rule of a model for some group, got none. "
                "Hint: rules without a model need no policy."
            )
        if any(answer.classes != fallback.classes for answer in every):
            raise input_error("answers", f"must all be about the classes {fallback.classes}", "others")

        def rule_of(answer: Any) -> GroupRule:
            if answer.model is None:  # any numbers will do
                return GroupRule((), Constant(int(answer.decide(np.ones((1, len(answer.classes))))[0])))
            alone = cls.from_answer(answer)
            names = (columns or {}).get(answer.model, alone.columns)
            if columns is None and isinstance(alone.rule, ClassRule) and len(models) > 1:
                names = [f"{answer.model}_{name}" for name in alone.columns]
            return GroupRule(tuple(names), alone.rule)

        costs = next((answer for answer in reversed(every) if answer.kind != "threshold"), fallback).costs
        own = {str(name): answer for name, answer in answers.items() if answer is not fallback}
        left = [str(name) for name, answer in answers.items() if answer is fallback]
        limits = [f"{name} {one.interval.high:.4g}" for name, one in {"all cases": fallback, **own}.items()]
        listed = ", ".join(limits[:_MOST_NOTED]) + (", ..." if len(limits) > _MOST_NOTED else "")
        notes = [
            fallback.condition,
            f"Upper ends of the cost per case: {listed}.",
            f"Without a rule of their own: {', '.join(left)}." if left else "",
        ]
        return cls(
            rule=ByGroup(
                column=column,
                rules={name: rule_of(answer) for name, answer in answers.items()},
                fallback=rule_of(fallback),
            ),
            classes=fallback.classes,
            abstain_label=abstain_label,
            costs=replace(costs, classes=fallback.classes)
            if isinstance(costs, CostMatrix)
            else None
            if isinstance(costs, CaseCosts)
            else costs,
            abstain_costs=fallback.abstain_costs,
            amounts=costs.to_dict() if isinstance(costs, CaseCosts) else None,
            shares=fallback.class_shares,
            chosen=ByGroup.kind,
            promise=_joined_promise(list(own.values()), fallback),
            evidence=PolicyEvidence(
                n=fallback.n,
                class_sizes=fallback.class_sizes,
                digest=_joined_digest({**own, "": fallback}),
                cluster_size=fallback.cluster_size,
                software=f"demur {__version__}",
            ),
            model=models.pop() if len(models) == 1 else None,
            note=" ".join(note for note in notes if note),
        )

    def at(self, *, costs: CostModel | None = None, prevalence: float | None = None) -> Policy:
        """Return the policy for other costs, another prevalence, or both; exact, without the data.

        What is left out stays as it is; the promise goes, since nothing was measured there. Raises
        `UndefinedError` for windows under constraints, and for a reward (negative cost) of abstaining that
        differs by class: both need the scores.
        """
        prices = self.costs if costs is None else costs
        if self.chosen != "cheapest" or prices is None or self.evidence is None:
            how = "for amounts per case" if self.chosen == "amounts" else "under constraints"
            if self.chosen not in _CHOSEN or self.evidence is None:
                how = "without blocks"
            raise UndefinedError(
                f"This policy was made {how}, so its window cannot be derived from the blocks. "
                "Hint: make a new policy from the data."
            )
        check_type(prices, "costs", CostModel)
        assert isinstance(prices, CostModel)
        # a reward may cut a block unless -mu <= nu_positive - nu_negative <= 1
        gap = prices.nu_positive - prices.nu_negative if prices.may_abstain else 0.0
        if min(prices.nu_positive, prices.nu_negative) < 0 and not -prices.mu <= gap <= 1:
            raise UndefinedError(
                "A reward for abstaining that differs by class may cut a block, so the blocks do not tell "
                "the window. Hint: make a new policy from the data."
            )
        assumed = self.prevalence if prevalence is None else check_rate(prevalence, "prevalence")
        surface = self.evidence.surface(prevalence=assumed)
        window = written_window(surface.window(costs=prices), surface.counts)
        return replace(self, promise=None, **_window_parts(window, prices))

    # ---------------------------------------------------------------- decisions

    def decide(self, table: Any) -> IntArray:
        """Return the code of every decision: the place in `classes`, or `ABSTAIN`.

        `table` is an array of n scores where the rule reads one column, else of n rows and one column
        each, or a data frame with the policy's columns. NaN is refused. The last column of a rule per group
        holds the groups, and only the numbers that the rule of its group reads must be there. A rule with a
        number of places for every batch needs whole batches, and the columns of batch and key; see
        `decide_batch`.
        """
        if not isinstance(self.rule, Budgeted):
            return self.rule.decide(self._values(table))
        names, batch = getattr(table, "columns", None), self.columns[-2]
        if names is not None and batch not in list(names):
            raise InputError(
                f"`table` must have the column {batch!r}: this policy gives places to whole batches. "
                "Hint: decide_batch takes all rows as one."
            )
        return self.decide_batch(table) if names is not None else self.rule.decide(table)

    def decide_batch(self, table: Any, batch: Any = None) -> IntArray:
        """Return the code of every decision on a whole table.

        A rule with a number of places for every batch, such as a day, needs all rows of it at once. `batch`
        names the column that says which row belongs to which batch, or holds one value per row, where
        `table` has no column of the policy's name; without it all rows are one batch then. Any other rule
        decides row by row, as `decide`.
        """
        if not isinstance(self.rule, Budgeted):
            return self.decide(table)
        *numbers, own, key = self.columns
        if getattr(table, "columns", None) is None:
            values = list(np.asarray(table, dtype=object).T)
            names = self.columns if len(values) == self.rule.inputs else (*numbers, key)
            if len(values) != len(names):
                rule = f"must have the columns {', '.join(self.columns)}"
                raise input_error("table", rule, f"shape {np.shape(table)}")
            columns = dict(zip(names, values, strict=True))
        else:
            import narwhals as nw

            frame = nw.from_native(table, eager_only=True)
            columns = {name: frame[name].to_numpy() for name in frame.columns}
        for name in [*numbers, key, *([batch] if isinstance(batch, str) else [])]:
            if name not in columns:
                raise input_error("table", f"must have the column {name!r}", f"the columns {list(columns)}")
        if batch is None or isinstance(batch, str):
            alone = np.zeros(len(columns[key]), dtype="datetime64[D]")
            batch = columns.get(own, alone) if batch is None else columns[batch]
        return self.rule.decide_columns([*(columns[name] for name in numbers), batch, columns[key]])

    def apply(self, table: Any, *, output: str = "array") -> Any:
        """Return the label of the decision for every row; the abstain label where it abstains.

        Parameters
        ----------
        table : array or data frame
            As in `decide`, on the scale the policy was made for.
        output : {"array", "pandas", "arrow"}
            An array of labels, a `pandas.Categorical` or a `pyarrow.DictionaryArray`. The last two hold
            few bytes per case; an array of text takes longest.
        """
        check_choice(output, "output", OUTPUTS)
        return labelled(self.decide(table), [*self.classes, self.abstain_label], output)

    def _values(self, table: Any) -> Any:
        """Return the columns of the rule; an array is taken as it is."""
        names = getattr(table, "columns", None)
        if names is None:
            return table
        lacking = [name for name in self.columns if name not in list(names)]
        if lacking:
            raise input_error("table", f"must have the column {lacking[0]!r}", f"the columns {list(names)}")
        import narwhals as nw

        chosen = nw.from_native(table, eager_only=True).select(self.columns)
        if isinstance(self.rule, ByGroup):  # text beside numbers
            return np.stack([chosen[name].to_numpy().astype(object) for name in self.columns], axis=1)
        return chosen.to_numpy()[:, 0] if self.rule.inputs == 1 else chosen.to_numpy()

    def _figure(self) -> str:
        if not isinstance(self.rule, Window):
            return ""
        share = "" if self.abstention_rate is None else f" {self.abstention_rate:.1%}"
        names = (str(self.neg_label), f"{self.abstain_label}{share}", str(self.pos_label))
        return zones(self.rule.lower, self.rule.upper, names)

    # ---------------------------------------------------------------- other languages

    def to_sql(
        self,
        dialect: str = "duckdb",
        columns: str | Sequence[str] | None = None,
        *,
        score: str | None = None,
        table: str | None = None,
        decision: str = "decision",
    ) -> str:
        """Return the decision as one SQL expression, or with `table` as a query that adds it to the rows.

        The same decisions as `decide`, to the last bit: thresholds are written exactly and scores
        compared as floats of 64 bits. A row that has no decision gets NULL, as in `demur apply`: where a
        score is missing or NaN, or a probability negative or infinite, or all of them zero. A comment says
        which data and costs the policy rests on. A column of groups holds text or whole numbers, and what is
        none of the groups gets the rule for all.

        Parameters
        ----------
        dialect : {"duckdb", "postgres", "spark", "bigquery", "snowflake", "tsql", "sqlite"}
            Who reads it. For many classes T-SQL needs SQL Server 2022, and PostgreSQL stops with an error
            where a product of numbers near 1e-308 is too small for a float.
        columns : str or sequence of str, optional
            Names of the columns the rule reads; quoted where they have to be. Default: "score", or for
            several the policy's own.
        score : str, optional
            The same for a rule that reads one column.
        table : str, optional
            Name of a table, dots between catalogue, schema and table: return a whole query.
        decision : str
            Name of the new column in that query.

        Examples
        --------
        >>> from demur import CostModel, Policy, abstention_surface
        >>> surface = abstention_surface([0, 0, 1, 1, 0, 1], [0, 0, 1, 1, 2, 2])
        >>> costs = CostModel(cost_fn=5, cost_fp=5, cost_abstain=1)
        >>> policy = Policy.from_surface(surface, costs=costs, model="risk")
        >>> print(policy.to_sql("sqlite").partition("*/")[2].strip())
        CASE
          WHEN typeof([score]) NOT IN ('real', 'integer') THEN NULL
          WHEN CAST([score] AS REAL) <= (CAST(1 AS REAL) / CAST(2 AS REAL)) THEN 0
          ELSE -1
        END
        """
        from demur.policy.sql import checked_name, sql_of

        one = self.rule.inputs == 1
        given: Any = columns if score is None else score
        if given is None:
            given = "score" if one else self.columns
        names: tuple[str, ...] = tuple(given) if isinstance(given, (list, tuple)) else (given,)
        if len(names) != self.rule.inputs:
            rule = f"must name {self.rule.inputs} columns, those of {', '.join(self.columns)}"
            raise input_error("columns", rule, repr(given))
        for name in names:
            checked_name(name, "score" if one else "columns")
        return sql_of(
            self._decision(names),
            labels=[*self.classes, self.abstain_label],
            origin=[f"{name}: {text}" for name, text in self._origin()],
            dialect=dialect,
            table=table,
            name=decision,
        )

    def to_python(self) -> str:
        """Return the source of a module with one function that imports nothing.

        `decide(score)`, or `decide(values)` for a rule that reads several columns, returns the label, the
        same as `apply`; None where a number is missing (None, NaN) or out of range. The last value is the
        group where there is a rule per group. A rule with places for every batch gives `decide_batch(rows)`
        instead.
        """
        from demur.policy.python_source import python_of

        origin = [f"{name}: {text}" for name, text in self._origin()]
        return python_of(self._decision(self.columns), origin, self.columns)

    def to_onnx(self, model: Any = None, *, output: str | None = None, column: int | None = None) -> Any:
        """Return an `onnx.ModelProto`: `score` (float64, n numbers) in, `decision` (n labels) out.

        For a rule that reads several columns the input is `proba` (float64, n x m). With `model`, a
        classifier in ONNX, the decision is put behind it: its inputs in, `decision` and `score` or `proba`
        out. ONNX knows no missing labels, so NaN abstains. Needs ``demur[onnx]``. A rule per group is
        refused: text cannot be compared.

        Parameters
        ----------
        model : onnx.ModelProto, optional
            For example from ``skl2onnx.to_onnx(estimator, X[:1], options={"zipmap": False})``. It may
            compute in floats of 32 bits: then so are the scores.
        output : str, optional
            Its output with the scores; needed if several outputs hold floats.
        column : int, optional
            Column of the positive class in that output; default: its place among the sorted labels.
        """
        from demur.policy.onnx_graph import onnx_of

        return onnx_of(
            self._decision(self.columns),
            classes=self.classes,
            abstain_label=self.abstain_label,
            origin=self._origin(),
            model=model,
            output=output,
            column=column,
        )

    def _decision(self, columns: Sequence[str]) -> Decision | BatchDecision:
        return self.rule.to_expression(columns, [*self.classes, self.abstain_label])

    def _origin(self) -> list[tuple[str, str]]:
        """Return the origin of the policy for exported copies: name and text of each fact."""
        costs = ""
        if isinstance(self.costs, CostMatrix):
            costs = json.dumps(json_safe(self.costs.to_mapping()))
        elif self.costs is not None:
            costs = ", ".join(f"{name} {value:g}" for name, value in self.costs.to_dict().items() if value)
        facts = {
            "model": self.model or "",
            "rule": self.chosen,
            "costs": costs,
            "prevalence": "" if self.prevalence is None else f"{self.prevalence:.6g}",
            "abstention rate": "" if self.abstention_rate is None else f"{self.abstention_rate:.6g}",
            "note": self.note,
            "data": "" if self.evidence is None else self.evidence.digest,
            "software": "" if self.evidence is None else self.evidence.software,
        }
        shown = {name: "".join(c if c.isprintable() else " " for c in text) for name, text in facts.items()}
        return [(name, text) for name, text in shown.items() if text]

    # ---------------------------------------------------------------- files

    def to_dict(self) -> dict[str, Any]:
        """Return the policy file as JSON-safe built-in types (infinities as "inf" and "-inf")."""
        return {
            "schema": SCHEMA,
            "version": VERSION,
            "model": self.model,
            "classes": list(self.classes),
            "abstain_label": self.abstain_label,
            "columns": list(self.columns),
            "rule": self.rule.to_dict(),
            "chosen": self.chosen,
            "note": self.note,
            "costs": json_safe(costs_part(self)),
            "shares": json_safe(self.shares),
            "promise": json_safe(self.promise),
            "evidence": json_safe(self.evidence),
        }

    def to_json(self) -> str:
        """Return the text of the policy file: one line per part, and a digest of them."""
        return file_text(self.to_dict())

    @classmethod
    def from_dict(cls, data: Any) -> Policy:
        """Return the policy that `to_dict` described, also in versions 1 and 2; refuse anything else."""
        policy = cls(**policy_fields(data))
        require_written(data, policy.to_dict())
        return policy

    def save(self, path: str | Path) -> None:
        """Write the policy as JSON; the file appears whole or not at all."""
        with whole_file(path) as handle:
            handle.write(self.to_json() + "\n")

    @classmethod
    def load(cls, path: str | Path) -> Policy:
        """Read a policy; refuse, in one sentence, what `save` would not have written.

        `unsigned` says whether the file has no digest: the page writes none.
        """
        data = parsed(path)
        try:
            return replace(cls.from_dict(data), unsigned=DIGEST not in data)
        except InputError as error:
            raise InputError(f"`{path}` is not a policy to trust: {error}") from None


# ---------------------------------------------------------------- where the parts come from


def _promised(answer: Any) -> dict[str, Any]:
    """Return the arguments of `Promise` that an answer gives: of decisions, without fees for models."""
    fees = answer.fees or 0.0
    return {
        "cost": answer.cost - fees,
        "limit": answer.interval.high - fees,
        "abstention_rate": list(answer.shares.values())[ABSTAIN],
        "error_rate": answer.error_rate,
        "fn": answer.missed,
        "fp": answer.alarms,
    }


def _joined_promise(answers: Sequence[Any], fallback: Any) -> Promise:
    """Return the mean over groups, by their cases; cases without an answer of their group count as all do."""
    rest = max(fallback.n - sum(answer.n for answer in answers), 0.0)
    sizes = [*(answer.n for answer in answers), rest]
    promised = [_promised(answer) for answer in (*answers, fallback)]
    columns = {name: [one[name] for one in promised] for name in promised[0]}
    return Promise(
        **{
            name: None if None in column else float(np.average(column, weights=sizes))
            for name, column in columns.items()
        }
    )


def _joined_digest(answers: Mapping[str, Any]) -> str:
    """Return the SHA-256 of the fingerprints of the cases of all groups."""
    found = {}
    for name, answer in answers.items():
        counts = None if answer.counts is None else PolicyEvidence.from_counts(answer.counts).digest
        found[name] = [counts or answer.digest, answer.n, answer.class_sizes.tolist()]
    return f"sha256:{hashlib.sha256(json.dumps(found, sort_keys=True).encode()).hexdigest()}"


def _window_parts(window: AbstentionWindow, costs: CostModel | None) -> dict[str, Any]:
    """Return the arguments of `Policy` that a window gives."""
    shares = np.array([1 - window.prevalence, window.prevalence])
    return {"rule": Window(window.lower, window.upper), "costs": costs, "shares": shares}


def _require_window_of(window: AbstentionWindow, counts: ScoreCounts) -> None:
    """Refuse a window whose thresholds do not cut these scores where it says."""
    scores = counts.scores
    below = np.searchsorted(scores, window.lower, side="right") if window.lower > -math.inf else 0
    inside = np.searchsorted(scores, window.upper, side="left") if window.upper < math.inf else len(scores)
    if (below, inside) != (window.lower_index, window.upper_index):
        raise input_error(
            "window",
            "must have been chosen on these counts",
            f"{below} and {inside} scores below its thresholds instead of "
            f"{window.lower_index} and {window.upper_index}",
        )


def _costs_of(window: AbstentionWindow, costs: CostModel | None) -> CostModel | None:
    """Return the costs of a window: the user's if they fit it, else its own in the normal form."""
    own = (window.mu, window.nu_positive, window.nu_negative)
    if costs is not None:
        check_type(costs, "costs", CostModel)
        given = (costs.mu, costs.nu_positive, costs.nu_negative)
        if not np.allclose(given, own, rtol=_ROUNDING, atol=0):
            raise input_error(
                "costs",
                "must be those the window was chosen for (mu, nu of positives, nu of negatives)",
                f"{given} beside {own}",
            )
        return costs
    if math.isnan(window.mu):
        return None
    if math.isinf(window.nu_positive) or math.isinf(window.nu_negative):
        return CostModel(cost_fn=1.0, cost_fp=window.mu)
    if window.nu_positive == window.nu_negative:
        return CostModel(cost_fn=1.0, cost_fp=window.mu, cost_abstain=window.nu_positive)
    return CostModel(
        cost_fn=1.0,
        cost_fp=window.mu,
        cost_abstain_positive=window.nu_positive,
        cost_abstain_negative=window.nu_negative,
    )
