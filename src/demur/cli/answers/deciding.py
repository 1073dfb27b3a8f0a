"""The answer of `demur decide`, for all cases or group by group: policies, words, a document."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from shlex import quote
from typing import Any

import click
import numpy as np

from demur._html import threshold_text
from demur.cli.answers.asking import (
    Breakdown,
    Read,
    breakdown,
    class_abstain_label,
    each_part,
    part_remarks,
)
from demur.cli.answers.tables import groups_section
from demur.cli.options import Output, Source
from demur.cli.output import document, heading, number, percent, remark, table, wrapped, write
from demur.cli.reading.class_columns import read_class_probabilities
from demur.cli.reading.evidence import read_scores
from demur.comparison.answer import Answer
from demur.comparison.comparison import Comparison
from demur.comparison.words import short_name
from demur.costs.class_costs import ClassCosts
from demur.costs.model import CostModel
from demur.policy.policy import FROM_COSTS, Policy
from demur.surface.surface import abstention_surface
from demur.surface.window import ABSTAIN
from demur.unlabelled.decision import UnlabelledDecision, unlabelled_decision
from demur.unlabelled.thresholds import expected_counts
from demur.windows.class_rule import ClassRule
from demur.windows.rule import Window

__all__ = [
    "Decided",
    "decide_classes_without_labels",
    "decide_parts",
    "decide_without_labels",
    "write_decided",
]

_CASES = 1000
# exit code where the answer is a rule without a model, so that no policy is written
_NO_POLICY = 3

_REFUSED = (
    "No policy is written: a rule without a model needs none. Hint: --anyway writes the best model's rule."
)
_NOT_PROVEN = (
    "No policy is written: --require-proof asks for an answer that is proven cheaper than every rule without "
    "a model. Hint: settle what the notes name, collect more cases, or leave the flag out."
)
# all groups together, among the parts
_ALL = None


@dataclass(frozen=True, kw_only=True, eq=False)
class Decided:
    """The comparison, the answer a policy is made of, and the policy; None for a rule without a model.

    `by` tells what the rule of the answer does by group of cases, where somebody asked.
    """

    comparison: Comparison
    answer: Answer
    policy: Policy | None
    by: Breakdown | None = None

    def words(self) -> list[str]:
        """Return, paragraph by paragraph, the decision and what it rests on."""
        comparison = self.comparison
        lines = [self.answer.words, self.answer.condition]
        chosen = comparison.answer
        if chosen is not None and chosen is not self.answer:
            lines.insert(0, f"Written although something else is cheaper: {chosen.words}")
        if len(comparison.models) > 1:
            among = [*sorted(comparison.models), *comparison.combinations]
            # names of rules of several models hold commas
            between = "; " if comparison.combinations else ", "
            lines.append(f"Chosen among {between.join(map(short_name, among))}.")
        lines += [
            f"Left out: {short_name(model.name)}. {model.left_out}"
            for model in comparison.models.values()
            if model.left_out
        ]
        return [line for line in [*lines, *part_remarks(comparison)] if line]

    def to_dict(self) -> dict[str, Any]:
        """Return the answer as built-in types."""
        comparison = self.comparison.to_dict() | ({} if self.by is None else {"by": self.by.to_dict()})
        return {
            "decision": self.answer.words,
            "model": self.answer.model,
            "limits": comparison["limits"],
            "comparison": comparison,
        }


def decide_parts(read: Read, *, anyway: bool, proof: bool = False) -> dict[str | None, Decided | str]:
    """Decide for every part, and for all groups together; a group that has no answer gives the reason.

    With `proof` there is a policy only where the answer is proven.
    """

    def decided(name: str | None) -> Decided:
        comparison = read.compare(name)
        answer = comparison.answer
        if answer.is_trivial and anyway:
            answer = comparison.best_model()
        unproven = proof and answer.verdict != "proven"
        policy = None if answer.is_trivial or unproven else read.policy(answer, name)
        by = breakdown(read, name, comparison, models_only=answer is not comparison.answer)
        return Decided(comparison=comparison, answer=answer, policy=policy, by=by)

    parts: dict[Any, Decided | str] = dict(each_part(read, decided))
    return parts if read.cases.group is None else {**parts, _ALL: decided(_ALL)}


def write_decided(
    read: Read, parts: Mapping[str | None, Decided | str], output: Output, *, proof: bool = False
) -> int:
    """Write the policy and say what it is, or print the whole document; return the exit code."""
    decided = [part for part in parts.values() if isinstance(part, Decided)]
    group = read.cases.group
    policy = decided[0].policy if group is None else _joined_policy(read, parts, proof=proof)
    if output.to_file and policy is not None:
        policy.save(str(output.path))
    if output.as_json:
        told: dict[Any, Any] = {
            name: {"left_out": one} if isinstance(one, str) else one.to_dict() for name, one in parts.items()
        }
        everything = {} if group is None else {"fallback": told.pop(_ALL)}
        content = {**read.cases.answered(told), **everything, "policy": policy}
        write(document("decide", content, version=3), None)
        return _NO_POLICY if policy is None else 0
    blocks = []
    for name, part in parts.items():
        lines = [part] if isinstance(part, str) else part.words()
        if group is not None:
            title = f"Every other {group}: the rule for all {read.cases.whole.n:g} cases"
            blocks.append(heading(title if name is None else read.cases.title(name), output=None))
        blocks += map(wrapped, lines)
        if isinstance(part, Decided) and part.by is not None:
            blocks += ["", *groups_section(*part.by), *([""] if group is None else [])]
        blocks += [] if group is None else [""]
    closing = [_NOT_PROVEN if proof and any(not one.answer.is_trivial for one in decided) else _REFUSED]
    if policy is not None:
        closing = [*(_group_words(policy, parts) if group else ()), *_policy_words(policy, output)]
    text = "\n".join([*blocks, *map(wrapped, [*closing, *read.cases.bins_in_words()])])
    if output.to_file:
        write(text, None)
    else:
        if not output.quiet:
            click.echo(text, err=True)
        if policy is not None:
            write(policy.to_json(), None)
    return _NO_POLICY if policy is None else 0


def _joined_policy(read: Read, parts: Mapping[str | None, Decided | str], *, proof: bool) -> Policy | None:
    """Make one policy with a rule per group; None if no rule needs a model, or a proof is missing."""
    decided = [part for part in parts.values() if isinstance(part, Decided)]
    made = {one.answer.model: one.policy.columns for one in decided if one.policy is not None}
    if not made or (proof and any(one.policy is None for one in decided)):
        return None
    fallback = parts[_ALL]
    assert isinstance(fallback, Decided), "all cases together have an answer"
    answers = {
        name: part.answer if isinstance(part, Decided) else fallback.answer
        for name, part in parts.items()
        if name  # a missing group has the rule for all
    }
    return Policy.from_answers(
        answers,
        column=str(read.cases.group),
        fallback=fallback.answer,
        abstain_label=read.abstain_label,
        columns={str(model): columns for model, columns in made.items()},
    )


def _group_words(policy: Policy, parts: Mapping[str | None, Decided | str]) -> Iterator[str]:
    """Say which groups have no rule of their own, and whether rules for groups are expected to pay."""
    left_out = [str(name) for name, part in parts.items() if isinstance(part, str)]
    if left_out:
        yield f"Without a rule of their own, so decided by the rule for all: {', '.join(left_out)}."
    fallback = parts[_ALL]
    assert isinstance(fallback, Decided)
    assert policy.expected_cost is not None, "every answer has a cost"
    own, whole = (number(_CASES * cost, 3) for cost in (policy.expected_cost, fallback.answer.cost))
    yield f"Expected cost per 1000 cases: {own} with a rule per group, {whole} with the rule for all alone."


def _policy_words(policy: Policy, output: Output) -> list[str]:
    """Say which labels a policy writes, where it is, and what to do next."""
    labels = f"Labels: the classes, abstain = {policy.abstain_label}"
    if len(policy.classes) == 2 and not isinstance(policy.rule, ClassRule):
        assert policy.shares is not None, "an answer assumes a prevalence"
        labels = (
            f"Labels: positive = {policy.pos_label}, negative = {policy.neg_label}, "
            f"abstain = {policy.abstain_label}; {percent(policy.shares[1])} positive assumed"
        )
    elif not policy.rule.abstains:
        labels += "; this rule never abstains"
    lines = [f"{labels}."]
    if output.to_file:
        lines.append(f"Written to {output.path}. Next: demur apply {quote(str(output.path))} FILE")
    return lines


# ---------------------------------------------------------------- without labels


def decide_without_labels(
    read: Source, costs: CostModel, *, abstain_label: str | None, output: Output
) -> None:
    """Read one column of P(positive), decide, print the answer; a file that ends in .json gets the policy."""
    source, name, proba = read_scores(read)
    remark(
        f"Read {len(proba)} rows of {source}: column {name} as P(positive), no labels.", quiet=output.quiet
    )
    decision = unlabelled_decision(proba, costs)
    policy = _policy(decision, costs, proba, name, abstain_label)
    to_policy = output.path is not None and output.path.lower().endswith(".json")
    if to_policy:
        policy.save(str(output.path))
    if output.as_json:
        content: dict[str, Any] = {"data": {"source": source, "rows": len(proba), "model": name}}
        content |= {**decision.to_dict(), "policy": policy}
        write(document("decide.unlabelled", content), None)
        return
    rows, assumptions = [], []
    for method in ("direct", "ranking", "nroc"):
        found = getattr(decision, method)
        cost = number(_CASES * decision.expected_costs[method])
        rows.append([method, threshold_text(found.threshold), percent(decision.positive_rates[method]), cost])
        assumptions.append(wrapped(f"{method}: {found.assumption}.", indent="  "))
    shown = table(["method", "threshold", "called positive", "cost per 1000 (if calibrated)"], rows)
    text = "\n\n".join([wrapped(decision.sentence), shown, "\n".join(assumptions)])
    write(text, None if to_policy else output.path)
    if to_policy:
        remark(f"Policy written to {output.path}. {FROM_COSTS}", quiet=output.quiet)


def _policy(
    decision: UnlabelledDecision, costs: CostModel, proba: Any, model: str, abstain_label: str | None
) -> Policy:
    """Make the policy of what is cheapest for calibrated probabilities."""
    counts, window = expected_counts(proba), decision.window
    label: Any = abstain_label
    if label is not None and label.removeprefix("-").isdecimal():
        label = int(label)
    settings: dict[str, Any] = {"costs": costs, "model": model, "note": FROM_COSTS, "abstain_label": label}
    if isinstance(label, str):
        settings |= {"pos_label": "positive", "neg_label": "negative"}
    if window is not None and not window.is_empty:
        return Policy.from_window(window, counts, **settings)
    policy = Policy.from_window(abstention_surface(counts).window(costs=costs), counts, **settings)
    # between two scores of the data every threshold is as cheap; this one is right for all others, too
    return replace(policy, rule=Window(decision.direct.threshold, decision.direct.threshold))


def decide_classes_without_labels(
    read: Source, question: Mapping[str, Any], *, abstain_label: str | None, output: Output
) -> None:
    """Answer the class with the lowest expected cost, or abstain where that is expected to cost less."""
    labels = question["classes"]
    source, model, columns, proba = read_class_probabilities(read, list(map(str, labels)))
    remark(
        f"Read {len(proba)} rows of {source}: columns {', '.join(columns)}, no labels.", quiet=output.quiet
    )
    asked = ClassCosts.of(question["costs"], question["abstain_cost"], labels)
    prices = asked.mean
    table_of_costs = prices.answers if prices.abstain is None else prices.table
    rule = ClassRule(
        classes=tuple(labels),
        weights=np.ones(len(labels)),
        abstain_weight=None if prices.abstain is None else 1.0,
        column_costs=table_of_costs - table_of_costs.min(axis=1, keepdims=True),
    )
    policy = Policy(
        rule=rule,
        abstain_label=class_abstain_label(abstain_label, labels),
        costs=asked.matrix(),
        abstain_costs=prices.abstain,
        chosen="expected cost" if prices.abstain is None else "expected cost, abstaining",
        columns=columns,
        model=model,
        note=FROM_COSTS,
    )
    codes = rule.decide(proba)
    shares = proba / proba.sum(axis=1, keepdims=True)
    expected = (shares @ prices.table)[np.arange(len(codes)), codes].mean()
    sentence = (
        f"Answer the class with the lowest expected cost: {percent(float(np.mean(codes == ABSTAIN)))} of the "
        f"cases go to a person, expected cost {number(_CASES * float(expected))} per 1000 cases if the "
        f"probabilities are calibrated. {FROM_COSTS}"
    )
    if output.to_file:
        policy.save(str(output.path))
    if output.as_json:
        content = {
            "data": {"source": source, "rows": len(proba), "columns": columns},
            "decision": sentence,
            "expected_cost": expected,
            "policy": policy,
        }
        write(document("decide.unlabelled", content), None)
    elif output.to_file:
        write(wrapped(sentence), None)
    else:
        remark(sentence, quiet=output.quiet)
        write(policy.to_json(), None)
