"""`demur decide --no-labels`: a rule from the costs and unlabelled probabilities."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from demur._html import threshold_text
from demur.cli.answers.many_classes import ClassQuestions, class_abstain_label
from demur.cli.options import Source
from demur.cli.output import document, number, percent, remark, table, wrapped, write, write_file
from demur.cli.reading.class_columns import read_class_probabilities
from demur.cli.reading.predictions import read_scores
from demur.comparison.classes.question import ClassRanges
from demur.costs.model import CostModel
from demur.surface.surface import abstention_surface
from demur.surface.window import ABSTAIN
from demur.unlabelled.decision import UnlabelledDecision, unlabelled_decision
from demur.unlabelled.nroc import expected_counts
from demur.windows.class_policy import FROM_COSTS, ClassPolicy
from demur.windows.class_rule import ClassRule
from demur.windows.policy import Policy

__all__ = ["decide_classes_without_labels", "decide_without_labels"]

_CASES = 1000


def decide_without_labels(
    read: Source,
    costs: CostModel,
    *,
    abstain_label: str | None,
    output: str | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Read one column of P(positive), decide, print the answer; a file that ends in .json gets the policy."""
    source, name, proba = read_scores(read)
    remark(f"Read {len(proba)} rows of {source}: column {name} as P(positive), no labels.", quiet=quiet)
    decision = unlabelled_decision(proba, costs)
    policy = _policy(decision, costs, proba, name, abstain_label)
    to_policy = output is not None and output.lower().endswith(".json")
    if to_policy:
        write_file(Path(str(output)), policy.to_json() + "\n")
    if as_json:
        content: dict[str, Any] = {"data": {"source": source, "rows": len(proba), "model": name}}
        content |= {**decision.to_dict(), "policy": policy.to_dict()}
        write(document("decide.unlabelled", content), None)
        return
    write(_text(decision), None if to_policy else output)
    if to_policy:
        remark(f"Policy written to {output}. {FROM_COSTS}", quiet=quiet)


def _policy(
    decision: UnlabelledDecision, costs: CostModel, proba: Any, model: str, abstain_label: str | None
) -> Policy:
    """Make the policy of what is cheapest for calibrated probabilities."""
    counts = expected_counts(proba)
    window = decision.window
    threshold = None
    if window is None or window.is_empty:
        window = abstention_surface(counts).window(costs=costs)
        threshold = decision.direct.threshold
    label: Any = abstain_label
    if label is not None and label.removeprefix("-").isdecimal():
        label = int(label)
    names: dict[str, Any] = (
        {"pos_label": "positive", "neg_label": "negative"} if isinstance(label, str) else {}
    )
    policy = Policy.from_window(
        window, counts, costs=costs, model=model, note=FROM_COSTS, abstain_label=label, **names
    )
    if threshold is None:
        return policy
    # between two scores of the data every threshold is as cheap; this one is right for all others, too
    return replace(policy, lower=threshold, upper=threshold)


def decide_classes_without_labels(
    read: Source,
    questions: ClassQuestions,
    *,
    abstain_label: str | None,
    output: str | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Answer the class with the lowest expected cost, or abstain where that is expected to cost less."""
    source, model, columns, proba = read_class_probabilities(read, questions.names)
    remark(f"Read {len(proba)} rows of {source}: columns {', '.join(columns)}, no labels.", quiet=quiet)
    prices = ClassRanges.of(questions.named_costs(), questions.named_abstain(), questions.labels).centre
    table_of_costs = prices.answers if prices.abstain is None else prices.table
    rule = ClassRule(
        classes=tuple(questions.labels),
        weights=np.ones(len(questions.labels)),
        abstain_weight=None if prices.abstain is None else 1.0,
        column_costs=table_of_costs - table_of_costs.min(axis=1, keepdims=True),
    )
    policy = ClassPolicy(
        rule=rule,
        abstain_label=class_abstain_label(abstain_label, questions),
        costs=ClassRanges.of(questions.named_costs(), None, questions.labels).matrix(),
        abstain_costs=prices.abstain,
        kind="expected cost" if prices.abstain is None else "expected cost, abstaining",
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
    to_file = output not in (None, "-")
    if to_file:
        write_file(Path(str(output)), policy.to_json() + "\n")
    if as_json:
        told = {"decision": sentence, "expected_cost": float(expected), "policy": policy.to_dict()}
        data = {"data": {"source": source, "rows": len(proba), "columns": list(columns)}}
        write(document("decide.unlabelled", {**data, **told}), None)
    elif to_file:
        write(wrapped(sentence), None)
    else:
        remark(sentence, quiet=quiet)
        write(policy.to_json(), None)


def _text(decision: UnlabelledDecision) -> str:
    rows = []
    for method in ("direct", "ranking", "nroc"):
        threshold = getattr(decision, method).threshold
        cost = number(_CASES * decision.expected_costs[method])
        rows.append([method, threshold_text(threshold), percent(decision.positive_rates[method]), cost])
    header = ["method", "threshold", "called positive", "cost per 1000 (if calibrated)"]
    assumptions = [
        wrapped(f"{m}: {getattr(decision, m).assumption}.", indent="  ")
        for m in ("direct", "ranking", "nroc")
    ]
    return "\n\n".join([wrapped(decision.sentence), table(header, rows), "\n".join(assumptions)])
