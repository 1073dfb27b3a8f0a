"""`demur audit POLICY FILE`: what a policy costs on later labelled cases."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from click.exceptions import Exit

from demur.cli.options import Flags, Output, flag, takes, verb
from demur.exceptions import InputError

if TYPE_CHECKING:
    from demur._tables.table import Table
    from demur.monitoring.judgement import PolicyJudgement
    from demur.policy.policy import Policy

__all__ = ["Auditing", "command"]


@dataclass(frozen=True, kw_only=True)
class Auditing(Flags):
    """Which policy is audited on which cases."""

    TITLE: ClassVar[str] = "Cases"

    policy: str = flag(metavar="POLICY")
    file: str = flag()
    label: str | None = flag("--label", metavar="COLUMN", help="Column with the true class.")
    model: str | None = flag(
        "--model",
        metavar="COLUMN",
        help="Column with the scores, or prefix of one column per class [default: the policy's own].",
    )
    weight: str | None = flag(
        "--weight",
        metavar="COLUMN",
        help="Column with 1 / probability of being labelled, where labels are missing "
        "[default: one over audit_probability, if there is such a column].",
    )
    group: str | None = flag("--group", metavar="COLUMN", help="Also audit every group of cases.")
    confidence_level: float = flag(
        "--confidence",
        default=0.95,
        type=float,
        metavar="LEVEL",
        show_default=True,
        help="Level of the intervals and of the verdict.",
    )


@verb(
    "audit",
    example="""Example: a policy on the labelled cases of last month, by branch
  demur audit policy.json march.csv --label fraud --group branch
""",
)
@takes(Auditing)
@takes(Output, path={"help": "Write the answer to this file instead of standard output."})
def command(*, auditing: Auditing, output: Output) -> None:
    """Tell what a policy costs on later labelled cases.

    FILE is CSV (also gzipped), Parquet, or a quoted glob of either, with the scores and the true
    class in the labels of the policy; for many classes with one column per class. Costs that differ
    by case are read from the columns the policy names, if the file has them. The promise is kept,
    not kept, or not yet certain: kept if the interval of the cost lies below what was promised at
    most. The exit code is 3 if it is not kept, else 0; 2 for an error.
    """
    if auditing.label is None:
        raise InputError("`--label COLUMN` is needed. Hint: name the column with the true class.")
    output = output.answering()
    from demur.cli.input.policies import input_columns, read_policy
    from demur.cli.output import deliver
    from demur.engines.files import open_table
    from demur.monitoring.cases import labelled_scores
    from demur.monitoring.judgement import judge_policy

    policy = read_policy(auditing.policy, quiet=output.quiet)
    with open_table(auditing.file) as source:
        cases = labelled_scores(
            source,
            policy,
            input_columns(policy, list(source.kinds), source.name, auditing.model),
            label=auditing.label,
            weight=auditing.weight,
            group=auditing.group,
        )
    judgement = judge_policy(
        policy,
        cases.scores,
        cases.labels,
        weights=cases.weights,
        groups=cases.groups,
        costs=cases.costs,
        confidence_level=auditing.confidence_level,
    )
    answer = Audited(
        files={"policy": auditing.policy, "source": source.name},
        policy=policy,
        judgement=judgement,
        amounts=cases.amounts,
    )
    deliver(answer, output, kind="audit", version=2)
    if judgement.broken:
        raise Exit(3)


@dataclass(frozen=True, kw_only=True, eq=False)
class Audited:
    """A policy audited on a file; `amounts` are the columns with the costs of the cases."""

    files: dict[str, str]
    policy: "Policy"
    judgement: "PolicyJudgement"
    amounts: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the document."""
        content = {**self.files, **self.judgement.to_dict()}
        return {**content, "amounts": list(self.amounts)} if self.policy.amounts is not None else content

    def opening(self) -> list[str]:
        """Return the verdict."""
        sentence = self.judgement.words
        if self.amounts:
            columns = "column" if len(self.amounts) == 1 else "columns"
            sentence += f" Costs of the cases: {columns} {', '.join(self.amounts)}."
        return [sentence]

    def tables(self) -> "list[Table]":
        """Return the cases by true class and decision, and the groups if there are any."""
        return self.judgement.tables([str(name) for name in self.policy.classes])

    def closing(self) -> list[str]:
        """Return nothing."""
        return []
