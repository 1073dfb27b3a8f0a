"""`demur watch POLICY FILES...`: does a policy in use still see what it was made for?"""

from dataclasses import dataclass
from typing import ClassVar

from click.exceptions import Exit

from demur.cli.options import Flags, Output, argument, flag, takes, verb
from demur.exceptions import InputError

__all__ = ["command"]


@dataclass(frozen=True, kw_only=True)
class Watching(Flags):
    """Which policy is watched on which batches, and where it is remembered."""

    TITLE: ClassVar[str] = "Batches"

    policy: str = argument(metavar="POLICY")
    files: tuple[str, ...] = argument(metavar="FILES...", nargs=-1)
    state: str | None = flag("--state", metavar="PATH", help="What was seen so far; made at the first call.")
    model: str | None = flag(
        "--model", metavar="COLUMN", help="Column with the scores [default: the policy's model]."
    )
    label: str | None = flag(
        "--label", metavar="COLUMN", help="Column with the true class; may be empty for some rows."
    )
    weight: str | None = flag(
        "--weight",
        metavar="COLUMN",
        help="Column with 1 / probability of being labelled, where labels are missing "
        "[default: one over audit_probability, if there is such a column].",
    )
    late: bool = flag(
        "--late",
        default=False,
        is_flag=True,
        help="The files bring labels of cases that were watched before: count the labels only.",
    )
    at: str | None = flag("--at", metavar="DATE", help="When the cases came, such as 2026-03-01.")
    alpha: float | None = flag(
        "--alpha", metavar="SHARE", type=float, help="Chance of a false alarm, ever [default: 0.05]."
    )
    propose: str | None = flag(
        "--propose",
        metavar="PATH",
        help="On an alarm that a changed share of positives explains, write the policy for the new share.",
    )

    def __post_init__(self) -> None:
        """Refuse flags that need others."""
        if not self.files:
            raise InputError(
                "At least one file of scores is needed. Hint: demur watch policy.json today.csv."
            )
        if self.state is None:
            raise InputError("`--state PATH` is needed: what was seen so far. Hint: --state watch.json.")
        if self.label is None and (self.late or self.weight is not None):
            name = "--late" if self.late else "--weight"
            raise InputError(f"`{name}` is for labels. Hint: add --label COLUMN.")


@verb(
    "watch",
    example="""Examples: every day, the scores of the day
  demur watch policy.json scores-2026-03-01.parquet --state watch.json
weeks later, the labels of an audit of one case in a hundred
  demur watch policy.json audit.csv --state watch.json --label fraud \\
    --weight weight --late
""",
)
@takes(Watching)
@takes(Output, path={"help": "Write the answer to this file instead of standard output."})
def command(*, watching: Watching, output: Output) -> None:
    """Tell whether a policy in use still sees what it was made for.

    Each of FILES is a batch of scores: CSV (also gzipped), Parquet, or a quoted glob of either. A
    batch that is known changes nothing. The evidence may be looked at as often as you like. The exit
    code is 0 while all is quiet, 3 on an alarm, 2 for an error. Two processes on one state wait for
    each other; a killed one loses nothing that it had said.
    """
    from demur.cli.answers.watching import watch
    from demur.cli.output import document, write

    assert watching.state is not None
    answer = watch(
        watching.policy,
        watching.files,
        watching.state,
        model=watching.model,
        label=watching.label,
        weight=watching.weight,
        late=watching.late,
        at=watching.at,
        alpha=watching.alpha,
        propose=watching.propose,
        quiet=output.quiet,
    )
    write(document("watch", answer.to_dict()) if output.as_json else answer.words(), output.path)
    if answer.monitor.alarms:
        raise Exit(3)
