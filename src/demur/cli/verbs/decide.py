"""`demur decide FILE`: choose thresholds at the user's costs and write them as a policy."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any, ClassVar

import click
from click.exceptions import Exit

from demur.cli.options import (
    Certainty,
    Classes,
    Design,
    Flags,
    Limits,
    Output,
    Prices,
    Problem,
    Several,
    Source,
    flag,
    refuse,
    takes,
    verb,
)
from demur.exceptions import InputError

if TYPE_CHECKING:
    from demur.cli.question import Question
    from demur.comparison.answer import Answer
    from demur.comparison.by_group import GroupCosts
    from demur.comparison.comparison import Comparison
    from demur.costs.model import CostModel
    from demur.policy.policy import Policy
    from demur.unlabelled.thresholds import UnlabelledDecision

__all__ = ["command"]

# what a rule without labels is made of
_TWO_CLASSES = ("--exclude", "--cost-fn", "--cost-fp", "--mu", "--nu", "--no-labels", "--abstain-label")
_MANY_CLASSES = ("--review-fee", "--reviewer-sensitivity", "--reviewer-specificity")

_CASES = 1000
# exit code where the answer is a rule without a model, so that no policy is written
_NO_POLICY = 3
# all groups together, among the parts
_ALL = None

_REFUSED = (
    "No policy is written: a rule without a model needs none. Hint: --anyway writes the best model's rule."
)
_NOT_PROVEN = (
    "No policy is written: --require-proof asks for an answer that is proven cheaper than every rule without "
    "a model. Hint: settle what the notes name, collect more cases, or leave the flag out."
)


@dataclass(frozen=True, kw_only=True)
class Rule(Flags):
    """How the rule is made and written."""

    TITLE: ClassVar[str] = "Rule"

    no_labels: bool = flag(
        "--no-labels",
        default=False,
        is_flag=True,
        help="FILE holds probabilities only: a rule from the costs alone. The policy that -o x.json writes "
        "says so.",
    )
    abstain_label: str | None = flag(
        "--abstain-label", metavar="VALUE", help="Label of an abstention [default: abstain, or -1]."
    )
    anyway: bool = flag(
        "--anyway",
        default=False,
        is_flag=True,
        help="Write the rule of the best model even where a rule without a model is cheaper.",
    )


@verb(
    "decide",
    example="""Examples: a miss costs 100, a false alarm 40, a review by a person 12
  demur decide predictions.csv --cost-fn 100 --cost-fp 40 --cost-abstain 12 \\
    -o policy.json
the same with 50 reviews for 1000 cases a day and a promised precision
  demur decide predictions.csv --cost-fn 100 --cost-fp 40 --cost-abstain 12 \\
    --reviews-per-day 50 --cases-per-day 1000 \\
    --min-precision-positive 0.9 -o policy.json
the same again next month, from the file written beside the policy
  demur decide march.csv --problem policy.toml -o policy.json
""",
)
@takes(Source)
@takes(Prices)
@takes(Limits)
@takes(Several)
@takes(Classes)
@takes(Design)
@takes(Certainty)
@takes(Rule)
@takes(Problem)
@takes(Output, path={"help": "Write the policy to this file instead of standard output."})
def command(
    *,
    source: Source,
    prices: Prices,
    limits: Limits,
    several: Several,
    classes: Classes,
    design: Design,
    certainty: Certainty,
    rule: Rule,
    problem: Problem,
    output: Output,
) -> None:
    """Choose thresholds at these costs and write them as a policy.

    FILE as for `demur compare`. The rule is the answer of `demur compare` at these costs. Where a
    rule without a model is cheaper, nothing is written and the exit code is 3. The policy goes to
    -o, and the decision in words to standard output; without -o the policy goes to standard output
    and the words to standard error. Beside -o policy.json the file policy.toml holds the problem, for
    --problem. With --json standard output holds the whole answer, policy included. With --group the
    policy holds a rule for every group, and the rule for all cases together for groups that have too
    few cases or are not in FILE; `demur apply` finds the rule of a row.
    """
    from demur.cli import question

    flags = source, prices, limits, classes, certainty
    many = classes.names is not None
    if not rule.no_labels:
        output.format((".json",), "a policy is a JSON file.")
        asked = question.ask(
            *flags,
            output,
            costs_needed=True,
            abstain_label=rule.abstain_label,
            design=design,
            several=several,
        )
        parts = _decide_parts(asked, anyway=rule.anyway, proof=design.require_proof)
        policy = _policy_of(asked, parts, proof=design.require_proof)
        beside = None
        if output.to_file and policy is not None:
            policy.save(str(output.path))
            beside = _write_problem(
                asked, output, (source, prices, limits, several, classes, design, certainty, rule)
            )
        raise Exit(_tell(asked, parts, policy, output, proof=design.require_proof, beside=beside))
    costs = None if many else prices.costs(exact=True)
    if costs is None and not many:
        raise InputError(question.COSTS_NEEDED)
    refuse(
        source,
        prices,
        limits,
        several,
        design,
        certainty,
        *(() if many else (rule,)),
        because="needs labelled cases. Hint: leave it out with --no-labels.",
        but=("--model", "--cost-abstain", *(_MANY_CLASSES if many else _TWO_CLASSES)),
    )
    if costs is not None:
        output.format((".json", ".txt"))
        _decide_without_labels(source, costs, abstain_label=rule.abstain_label, output=output)
        return
    output.format((".json",), "a policy is a JSON file.")
    arguments = question.class_question(classes, source, prices, limits, certainty)
    _decide_classes_without_labels(source, arguments, abstain_label=rule.abstain_label, output=output)


@dataclass(frozen=True, kw_only=True, eq=False)
class _Decided:
    """The comparison, the answer a policy is made of, and the policy; None for a rule without a model.

    `by` tells what the rule of the answer does by group of cases, where somebody asked.
    """

    comparison: "Comparison"
    answer: "Answer"
    policy: "Policy | None"
    by: "tuple[str, GroupCosts] | None" = None

    def words(self) -> list[str]:
        """Return, paragraph by paragraph, the decision and what it rests on."""
        from demur.comparison.remarks import model_remarks
        from demur.comparison.words import short_name

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
        remarks = model_remarks(list(comparison.models.values()))
        return [line for line in [*lines, *comparison.notes, *remarks] if line]

    def to_dict(self) -> dict[str, Any]:
        """Return the answer as built-in types."""
        comparison = self.comparison.to_dict()
        if self.by is not None:
            comparison["by"] = {"column": self.by[0], **self.by[1].to_dict()}
        return {
            "decision": self.answer.words,
            "model": self.answer.model,
            "limits": comparison["limits"],
            "comparison": comparison,
        }


_Parts = Mapping[str | None, _Decided | str]


def _decide_parts(asked: "Question", *, anyway: bool, proof: bool) -> _Parts:
    """Decide for every part, and for all groups together; a group that has no answer gives the reason.

    With `proof` there is a policy only where the answer is proven.
    """

    def decided(name: str | None) -> _Decided:
        comparison = asked.compare(name)
        answer = comparison.answer
        if answer.is_trivial and anyway:
            answer = comparison.best_model()
        unproven = proof and answer.verdict != "proven"
        policy = None if answer.is_trivial or unproven else asked.policy(answer, name)
        by = asked.by(name, comparison, models_only=answer is not comparison.answer)
        return _Decided(comparison=comparison, answer=answer, policy=policy, by=by)

    parts: dict[Any, _Decided | str] = dict(asked.each_part(decided))
    return parts if asked.cases.group is None else {**parts, _ALL: decided(_ALL)}


def _policy_of(asked: "Question", parts: _Parts, *, proof: bool) -> "Policy | None":
    """Return the policy, with a rule per group if there are groups; None if no rule needs one."""
    from demur.policy.policy import Policy

    decided = [part for part in parts.values() if isinstance(part, _Decided)]
    if asked.cases.group is None:
        return decided[0].policy
    made = {one.answer.model: one.policy.columns for one in decided if one.policy is not None}
    if not made or (proof and any(one.policy is None for one in decided)):
        return None
    fallback = parts[_ALL]
    assert isinstance(fallback, _Decided), "all cases together have an answer"
    answers = {
        name: part.answer if isinstance(part, _Decided) else fallback.answer
        for name, part in parts.items()
        if name  # a missing group has the rule for all
    }
    return Policy.from_answers(
        answers,
        column=asked.cases.group,
        fallback=fallback.answer,
        abstain_label=asked.abstain_label,
        columns={str(model): columns for model, columns in made.items()},
    )


def _write_problem(asked: "Question", output: Output, flags: tuple[Flags, ...]) -> str:
    """Write the problem beside the policy, with the roles that were guessed; return its name."""
    from demur.cli.output import keep_inputs, write_file
    from demur.cli.problem_file import problem_text

    source, *others = flags
    assert isinstance(source, Source)
    roles = asked.cases.roles
    if roles.label:
        source = replace(source, label=roles.label)
    if not roles.classes and roles.label:
        source = replace(source, positive=asked.cases.positive, models=tuple(roles.models))
    name = str(Path(str(output.path)).with_suffix(".toml"))
    keep_inputs(name, click.get_current_context())
    write_file(Path(name), problem_text(source.file, (source, *others)))
    return name


def _tell(
    asked: "Question",
    parts: _Parts,
    policy: "Policy | None",
    output: Output,
    *,
    proof: bool,
    beside: str | None,
) -> int:
    """Say what the policy is, or print the whole document; return the exit code."""
    from demur._tables.table import wrapped
    from demur.cli.output import document, heading, shown_table, write
    from demur.comparison.tables import groups_table

    group = asked.cases.group
    if output.as_json:
        content: dict[Any, Any] = {
            name: {"left_out": one} if isinstance(one, str) else one.to_dict() for name, one in parts.items()
        }
        everything = {} if group is None else {"fallback": content.pop(_ALL)}
        content = {**asked.cases.answered(content), **everything, "policy": policy}
        write(document("decide", content, version=3), None)
        return _NO_POLICY if policy is None else 0
    blocks = []
    for name, part in parts.items():
        lines = [part] if isinstance(part, str) else part.words()
        if group is not None:
            title = f"Every other {group}: the rule for all {asked.cases.whole.n:g} cases"
            blocks.append(heading(title if name is None else asked.cases.title(name), output=None))
        blocks += map(wrapped, lines)
        if isinstance(part, _Decided) and part.by is not None:
            blocks += ["", shown_table(groups_table(*part.by)), *([""] if group is None else [])]
        blocks += [] if group is None else [""]
    decided = [part for part in parts.values() if isinstance(part, _Decided)]
    closing = [_NOT_PROVEN if proof and any(not one.answer.is_trivial for one in decided) else _REFUSED]
    if policy is not None:
        closing = [*(_group_words(policy, parts) if group else ()), *_policy_words(policy, output, beside)]
    text = "\n".join([*blocks, *map(wrapped, [*closing, *asked.cases.bins_in_words()])])
    if output.to_file:
        write(text, None)
    else:
        if not output.quiet:
            click.echo(text, err=True)
        if policy is not None:
            write(policy.to_json(), None)
    return _NO_POLICY if policy is None else 0


def _group_words(policy: "Policy", parts: _Parts) -> Iterator[str]:
    """Say which groups have no rule of their own, and whether rules for groups are expected to pay."""
    from demur._tables.numbers import number

    left_out = [str(name) for name, part in parts.items() if isinstance(part, str)]
    if left_out:
        yield f"Without a rule of their own, so decided by the rule for all: {', '.join(left_out)}."
    fallback = parts[_ALL]
    assert isinstance(fallback, _Decided)
    assert policy.expected_cost is not None, "every answer has a cost"
    own, whole = (number(_CASES * cost, 3) for cost in (policy.expected_cost, fallback.answer.cost))
    yield f"Expected cost per 1000 cases: {own} with a rule per group, {whole} with the rule for all alone."


def _policy_words(policy: "Policy", output: Output, beside: str | None) -> list[str]:
    """Say which labels a policy writes, where it is, and what to do next."""
    from demur._tables.numbers import percent
    from demur.windows.class_rule import ClassRule

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
        lines.append(f"Written to {output.path}, the problem to {beside}.")
        lines.append(f"Next: demur apply {quote(str(output.path))} FILE")
    return lines


# ---------------------------------------------------------------- without labels


def _decide_without_labels(
    source: Source, costs: "CostModel", *, abstain_label: str | None, output: Output
) -> None:
    """Read one column of P(positive), decide, print the answer; a file that ends in .json gets the policy."""
    from demur._html import threshold_text
    from demur._tables.numbers import number, percent
    from demur._tables.table import Section, wrapped
    from demur.cli.input.cases import read_unlabelled
    from demur.cli.output import document, remark, write
    from demur.policy.policy import FROM_COSTS
    from demur.unlabelled.thresholds import unlabelled_decision

    name, _, (column,), proba = read_unlabelled(source)
    remark(
        f"Read {len(proba)} rows of {name}: column {column} as P(positive), no labels.", quiet=output.quiet
    )
    decision = unlabelled_decision(proba, costs)
    policy = _policy(decision, costs, proba, column, abstain_label)
    to_policy = output.path is not None and output.path.lower().endswith(".json")
    if to_policy:
        policy.save(str(output.path))
    if output.as_json:
        content: dict[str, Any] = {"data": {"source": name, "rows": len(proba), "model": column}}
        content |= {**decision.to_dict(), "policy": policy}
        write(document("decide.unlabelled", content), None)
        return
    rows, assumptions = [], []
    for method in ("direct", "ranking", "nroc"):
        found = getattr(decision, method)
        cost = number(_CASES * decision.expected_costs[method])
        rows.append((method, threshold_text(found.threshold), percent(decision.positive_rates[method]), cost))
        assumptions.append(wrapped(f"{method}: {found.assumption}.", indent="  "))
    header = ("method", "threshold", "called positive", "cost per 1000 (if calibrated)")
    shown = Section("", header=header, rows=tuple(rows)).text()
    text = "\n\n".join([wrapped(decision.sentence), shown, "\n".join(assumptions)])
    write(text, None if to_policy else output.path)
    if to_policy:
        remark(f"Policy written to {output.path}. {FROM_COSTS}", quiet=output.quiet)


def _policy(
    decision: "UnlabelledDecision", costs: "CostModel", proba: Any, model: str, abstain_label: str | None
) -> "Policy":
    """Make the policy of what is cheapest for calibrated probabilities."""
    from demur.policy.policy import FROM_COSTS, Policy
    from demur.surface.surface import abstention_surface
    from demur.unlabelled.thresholds import expected_counts
    from demur.windows.rule import Window

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


def _decide_classes_without_labels(
    source: Source, arguments: Mapping[str, Any], *, abstain_label: str | None, output: Output
) -> None:
    """Answer the class with the lowest expected cost, or abstain where that is expected to cost less."""
    import numpy as np

    from demur._tables.numbers import number, percent
    from demur._tables.table import wrapped
    from demur.cli.input.cases import read_unlabelled
    from demur.cli.output import document, remark, write
    from demur.cli.question import class_abstain_label
    from demur.costs.class_costs import ClassCosts
    from demur.policy.policy import FROM_COSTS, Policy
    from demur.surface.window import ABSTAIN
    from demur.windows.class_rule import ClassRule

    labels = arguments["classes"]
    name, model, columns, proba = read_unlabelled(source, list(map(str, labels)))
    remark(f"Read {len(proba)} rows of {name}: columns {', '.join(columns)}, no labels.", quiet=output.quiet)
    asked = ClassCosts.of(arguments["costs"], arguments["abstain_cost"], labels)
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
            "data": {"source": name, "rows": len(proba), "columns": columns},
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
