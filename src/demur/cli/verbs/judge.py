"""`demur judge POLICY FILE`: what a policy costs on later labelled cases."""

from dataclasses import dataclass
from typing import ClassVar

from click.exceptions import Exit

from demur.cli.options import Flags, Output, argument, flag, takes, verb
from demur.exceptions import InputError

__all__ = ["Judging", "command"]


@dataclass(frozen=True, kw_only=True)
class Judging(Flags):
    """Which policy is judged on which cases."""

    TITLE: ClassVar[str] = "Cases"

    policy: str = argument(metavar="POLICY")
    file: str = argument()
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
    group: str | None = flag("--group", metavar="COLUMN", help="Also judge every group of cases.")
    confidence_level: float = flag(
        "--confidence",
        default=0.95,
        type=float,
        metavar="LEVEL",
        show_default=True,
        help="Level of the intervals and of the verdict.",
    )

    def __post_init__(self) -> None:
        """Refuse a call without labels."""
        if self.label is None:
            raise InputError("`--label COLUMN` is needed. Hint: name the column with the true class.")


@verb(
    "judge",
    example="""Example: a policy on the labelled cases of last month, by branch
  demur judge policy.json march.csv --label fraud --group branch
""",
)
@takes(Judging)
@takes(Output, path={"help": "Write the answer to this file instead of standard output."})
def command(*, judging: Judging, output: Output) -> None:
    """Tell what a policy costs on later labelled cases.

    FILE is CSV (also gzipped), Parquet, or a quoted glob of either, with the scores and the true
    class in the labels of the policy; for many classes with one column per class. Costs that differ
    by case are read from the columns the policy names, if the file has them. The promise is kept,
    not kept, or not yet certain: kept if the interval of the cost lies below what was promised at
    most. The exit code is 3 if it is not kept, else 0; 2 for an error.
    """
    output = output.told()
    from demur.cli.answers.judging import judge
    from demur.cli.output import document, write

    answer = judge(judging, quiet=output.quiet)
    write(document("judge", answer.to_dict(), version=2) if output.as_json else answer.words(), output.path)
    if answer.judgement.broken:
        raise Exit(3)
