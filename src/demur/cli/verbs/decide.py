"""`demur decide FILE`: choose thresholds at the user's costs and write them as a policy."""

from dataclasses import dataclass
from typing import ClassVar

from click.exceptions import Exit

from demur.cli.options import (
    Certainty,
    Classes,
    Design,
    Flags,
    Limits,
    Output,
    Prices,
    Several,
    Source,
    flag,
    refuse,
    takes,
    verb,
)
from demur.exceptions import InputError

__all__ = ["command"]

# what a rule without labels is made of
_TWO_CLASSES = ("--exclude", "--cost-fn", "--cost-fp", "--mu", "--nu", "--no-labels", "--abstain-label")
_MANY_CLASSES = ("--review-fee", "--reviewer-sensitivity", "--reviewer-specificity")


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
@takes(Several)
@takes(Classes)
@takes(Design)
@takes(Certainty)
@takes(Rule)
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
    output: Output,
) -> None:
    """Choose thresholds at these costs and write them as a policy.

    FILE as for `demur compare`. The rule is the answer of `demur compare` at these costs. Where a
    rule without a model is cheaper, nothing is written and the exit code is 3. The policy goes to
    -o, and the decision in words to standard output; without -o the policy goes to standard output
    and the words to standard error. With --json standard output holds the whole answer, policy
    included. With --group the policy holds a rule for every group, and the rule for all cases together
    for groups that have too few cases or are not in FILE; `demur apply` finds the rule of a row.
    """
    from demur.cli.answers import asking, deciding

    flags = source, prices, limits, classes, certainty
    many = classes.names is not None
    if not rule.no_labels:
        output.format((".json",), "a policy is a JSON file.")
        read = asking.ask(
            *flags,
            output,
            costs_needed=True,
            abstain_label=rule.abstain_label,
            design=design,
            several=several,
        )
        proof = design.require_proof
        parts = deciding.decide_parts(read, anyway=rule.anyway, proof=proof)
        raise Exit(deciding.write_decided(read, parts, output, proof=proof))
    costs = None if many else prices.costs()
    if costs is None and not many:
        raise InputError(asking.COSTS_NEEDED)
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
        output.format((".json", ".txt", ".md"))
        deciding.decide_without_labels(source, costs, abstain_label=rule.abstain_label, output=output)
        return
    output.format((".json",), "a policy is a JSON file.")
    asked = asking.class_question(classes, source, prices, limits, certainty)
    deciding.decide_classes_without_labels(source, asked, abstain_label=rule.abstain_label, output=output)
