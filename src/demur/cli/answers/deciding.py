"""The answer of `demur decide`, for all cases or group by group: policies, words, a document."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from shlex import quote
from typing import Any

import numpy as np

from demur._html import threshold_text
from demur.cli.answers.asking import Read, class_abstain_label, each_part, part_remarks, parts_document
from demur.cli.options import Output, Source
from demur.cli.output import document, group_file, heading, number, percent, remark, table, wrapped, write
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
_ONE_BY_ONE = (
    "Each policy is for its own group, and `demur apply` takes one policy for all rows: split the file by "
    "the column {}, and apply to each part the policy of its group."
)


@dataclass(frozen=True, kw_only=True, eq=False)
class Decided:
    """The comparison, the answer a policy is made of, and the policy; None for a rule without a model."""

    comparison: Comparison
    answer: Answer
    policy: Policy | None

    def words(self, output: str | None) -> list[str]:
        """Return, paragraph by paragraph, the decision, what it rests on and what to do next."""
        comparison = self.comparison
        lines = [self.answer.words, self.answer.condition]
        chosen = comparison.answer
        if chosen is not None and chosen is not self.answer:
            lines.insert(0, f"Written although something else is cheaper: {chosen.words}")
        if len(comparison.models) > 1:
            among = [*sorted(comparison.models), *comparison.combinations]
            lines.append(f"Chosen among {', '.join(map(short_name, among))}.")
        lines += [
            f"Left out: {short_name(model.name)}. {model.left_out}"
            for model in comparison.models.values()
            if model.left_out
        ]
        lines += part_remarks(comparison)
        policy = self.policy
        if policy is None:
            lines.append(_REFUSED if self.answer.is_trivial else _NOT_PROVEN)
        else:
            labels = f"Labels: the classes, abstain = {policy.abstain_label}"
            if not isinstance(policy.rule, ClassRule):
                assert policy.shares is not None, "an answer assumes a prevalence"
                labels = (
                    f"Labels: positive = {policy.pos_label}, negative = {policy.neg_label}, "
                    f"abstain = {policy.abstain_label}; {percent(policy.shares[1])} positive assumed"
                )
            elif not policy.rule.abstains:
                labels += "; this rule never abstains"
            lines.append(f"{labels}.")
            if output not in (None, "-"):
                lines.append(f"Written to {output}. Next: demur apply {quote(str(output))} FILE")
        return [line for line in lines if line]

    def to_dict(self) -> dict[str, Any]:
        """Return the answer as built-in types."""
        comparison = self.comparison.to_dict()
        return {
            "decision": self.answer.words,
            "model": self.answer.model,
            "limits": comparison["limits"],
            "comparison": comparison,
            "policy": self.policy,
        }


def decide_parts(read: Read, *, anyway: bool, proof: bool = False) -> dict[str, Decided | str]:
    """Decide for every part; a group that has no answer gives the reason instead.

    With `proof` there is a policy only where the answer is proven.
    """

    def decided(name: str) -> Decided:
        comparison = read.compare(name)
        answer = comparison.answer
        if answer.is_trivial and anyway:
            answer = comparison.best_model()
        unproven = proof and answer.verdict != "proven"
        policy = None if answer.is_trivial or unproven else read.policy(answer, name)
        return Decided(comparison=comparison, answer=answer, policy=policy)

    return each_part(read, decided)


def write_decided(read: Read, parts: dict[str, Decided | str], output: Output) -> int:
    """Write the policies and say what they are, or print the whole document; return the exit code."""
    decided = [part for part in parts.values() if isinstance(part, Decided)]
    if read.cases.group is not None:
        _write_groups(read, parts, output)
    else:
        (only,) = decided
        lines = [*only.words(output.path), *read.cases.bins_in_words()]
        if output.to_file and only.policy is not None:
            only.policy.save(str(output.path))
        if output.to_file and not output.as_json:
            write("\n".join(map(wrapped, lines)), None)
        elif not output.as_json:
            for line in lines:
                remark(line, quiet=output.quiet)
            if only.policy is not None:
                write(only.policy.to_json(), None)
    if output.as_json:
        write(parts_document("decide", read, parts), None)
    return _NO_POLICY if any(part.policy is None for part in decided) else 0


def _write_groups(read: Read, parts: dict[str, Decided | str], output: Output) -> None:
    """Write a policy per group; without -o only the words."""
    files = {name: None if output.path is None else group_file(output.path, name) for name in parts}
    blocks, written = [], False
    for name, part in parts.items():
        file = files[name]
        if isinstance(part, Decided) and file is not None and part.policy is not None:
            part.policy.save(file)
            written = True
        lines = [part] if isinstance(part, str) else part.words(file)
        blocks.append("\n".join([heading(read.cases.title(name), output=None), *map(wrapped, lines)]))
    blocks += map(wrapped, read.cases.bins_in_words())
    if output.path is None:
        blocks.append(wrapped("For a policy per group add -o 'policy-{group}.json'."))
    elif written:
        blocks.append(wrapped(_ONE_BY_ONE.format(read.cases.group)))
    if not output.as_json:
        write("\n\n".join(blocks), None)


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
