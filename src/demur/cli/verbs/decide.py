"""`demur decide FILE`: choose thresholds at the user's costs and write them as a policy."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from click.exceptions import Exit

from demur.cli.options import Certainty, Classes, Flags, Limits, Output, Prices, Source, flag, takes, verb
from demur.cli.verbs.refusals import FOR_TWO_CLASSES, WITH_CLASSES, refuse
from demur.exceptions import InputError

if TYPE_CHECKING:
    from demur.costs.model import CostModel

__all__ = ["command"]

_COST_FLAGS = ("--cost-fn", "--cost-fp", "--cost-abstain", "--mu", "--nu")


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
""",
)
@takes(Source)
@takes(Prices)
@takes(Limits)
@takes(Classes)
@takes(Certainty)
@takes(Rule)
@takes(Output, path={"help": "Write the policy to this file instead of standard output."})
def command(
    *,
    source: Source,
    prices: Prices,
    limits: Limits,
    classes: Classes,
    certainty: Certainty,
    rule: Rule,
    output: Output,
) -> None:
    """Choose thresholds at these costs and write them as a policy.

    FILE as for `demur compare`. The rule is the answer of `demur compare` at these costs. Where a
    rule without a model is cheaper, nothing is written and the exit code is 3. The policy goes to
    -o, and the decision in words to standard output; without -o the policy goes to standard output
    and the words to standard error. With --json standard output holds the whole answer, policy
    included. With --group the words go to standard output, and a policy per group to -o, in which
    {group} stands for the group. `demur apply` takes one policy for all rows: split the file by
    the column, and apply to each part the policy of its group.
    """
    if classes.names is not None and rule.no_labels:
        _decide_classes_without_labels(classes, source, prices, limits, certainty, rule, output)
        return
    if classes.names is not None:
        refuse(source, prices, limits, because=FOR_TWO_CLASSES, but=WITH_CLASSES)
        _decide_classes(classes, source, prices, limits, certainty, rule, output)
        return
    if rule.no_labels:
        _decide_without_labels(source, prices, limits, certainty, rule, output)
        return
    _decide(source, prices, limits, certainty, rule, output)


def _needed_costs(prices: Prices) -> "CostModel":
    costs = prices.costs()
    if costs is None:
        raise InputError(
            "A decision needs costs. Hint: pass --cost-fn, --cost-fp and --cost-abstain, or --mu and --nu."
        )
    return costs


def _decide(
    source: Source,
    prices: Prices,
    limits: Limits,
    certainty: Certainty,
    rule: Rule,
    output: Output,
) -> None:
    """Decide between two classes, and write the policies."""
    output.format((".json",), "a policy is a JSON file.")
    from demur.cli.answers.asking import ask_and_read

    asked, evidence = ask_and_read(source, prices, limits, certainty, output, costs_needed=True)
    from demur.cli.answers.deciding import decide_parts, write_decided

    parts = decide_parts(evidence, asked, abstain_label=rule.abstain_label, anyway=rule.anyway)
    raise Exit(write_decided(evidence, parts, output))


def _decide_without_labels(
    source: Source, prices: Prices, limits: Limits, certainty: Certainty, rule: Rule, output: Output
) -> None:
    """Decide from the costs and the probabilities alone."""
    costs = _needed_costs(prices)
    refuse(
        source,
        prices,
        limits,
        certainty,
        rule,
        because="needs labelled cases. Hint: leave it out with --no-labels.",
        but=("--model", "--exclude", "--no-labels", "--abstain-label", *_COST_FLAGS),
    )
    from demur.cli.answers.unlabelled import decide_without_labels

    output.format((".json", ".txt", ".md"))
    decide_without_labels(
        source,
        costs,
        abstain_label=rule.abstain_label,
        output=output.path,
        as_json=output.as_json,
        quiet=output.quiet,
    )


def _decide_classes_without_labels(
    classes: Classes,
    source: Source,
    prices: Prices,
    limits: Limits,
    certainty: Certainty,
    rule: Rule,
    output: Output,
) -> None:
    """Decide between more than two classes from the costs alone."""
    kept = ("--model", "--cost-abstain", "--review-fee", "--reviewer-sensitivity", "--reviewer-specificity")
    refuse(
        source,
        prices,
        limits,
        certainty,
        because="needs labelled cases. Hint: leave it out with --no-labels.",
        but=kept,
    )
    output.format((".json",), "a policy is a JSON file.")
    from demur.cli.answers.many_classes import ClassQuestions
    from demur.cli.answers.unlabelled import decide_classes_without_labels

    questions = ClassQuestions(classes, source, prices, limits, certainty)
    decide_classes_without_labels(
        source,
        questions,
        abstain_label=rule.abstain_label,
        output=output.path,
        as_json=output.as_json,
        quiet=output.quiet,
    )


def _decide_classes(
    classes: Classes,
    source: Source,
    prices: Prices,
    limits: Limits,
    certainty: Certainty,
    rule: Rule,
    output: Output,
) -> None:
    """Decide between more than two classes, and write the policies."""
    output.format((".json",), "a policy is a JSON file.")
    from demur.cli.answers.deciding import write_decided
    from demur.cli.answers.many_classes import ClassQuestions, decide_class_parts
    from demur.cli.output import remark
    from demur.cli.reading.class_columns import read_class_rows

    questions = ClassQuestions(classes, source, prices, limits, certainty)
    rows = read_class_rows(source, questions.names)
    remark(rows.sentence, quiet=output.quiet)
    parts = decide_class_parts(rows, questions, abstain_label=rule.abstain_label, anyway=rule.anyway)
    raise Exit(write_decided(rows, parts, output))
