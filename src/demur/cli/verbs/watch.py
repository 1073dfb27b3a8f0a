"""`demur watch POLICY FILES...`: does a policy in use still see what it was made for?"""

import os
from dataclasses import dataclass
from typing import ClassVar

from click.exceptions import Exit

from demur.cli.options import Flags, Output, argument, flag, takes, verb
from demur.exceptions import InputError

__all__ = ["Watching", "command"]


@dataclass(frozen=True, kw_only=True)
class Watching(Flags):
    """Which policy is watched on which batches, and where it is remembered."""

    TITLE: ClassVar[str] = "Batches"

    policy: str = argument(metavar="POLICY")
    files: tuple[str, ...] = argument(metavar="FILES...", nargs=-1)
    state: str | None = flag("--state", metavar="PATH", help="What was seen so far; made at the first call.")
    model: str | None = flag(
        "--model",
        metavar="COLUMN",
        help="Column with the scores, or prefix of one column per class [default: the policy's own].",
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
    second_label: str | None = flag(
        "--second-label", metavar="COLUMN", help="Column with what a second person said: do both agree?"
    )
    at: str | None = flag("--at", metavar="DATE", help="When the cases came, such as 2026-03-01.")
    date: str | None = flag(
        "--date-column", metavar="COLUMN", help="Column with dates: every day of a file is a batch."
    )
    alpha: float | None = flag(
        "--alpha", metavar="SHARE", type=float, help="Chance of a false alarm, ever [default: 0.05]."
    )
    propose: str | None = flag(
        "--propose",
        metavar="PATH",
        help="Where the policy for the new share of positives goes, on an alarm which that share explains "
        "[default: beside the state].",
    )
    html: str | None = flag("--html", metavar="PATH", help="Also write a page that anybody can open.")

    def __post_init__(self) -> None:
        """Refuse flags that need others."""
        if not self.files:
            raise InputError(
                "At least one file of scores is needed. Hint: demur watch policy.json today.csv."
            )
        if self.state is None:
            raise InputError("`--state PATH` is needed: what was seen so far. Hint: --state watch.json.")
        for name in ("--late", "--weight", "--second-label"):
            if name in self.given() and self.label is None:
                raise InputError(f"`{name}` is for labels. Hint: add --label COLUMN.")
        if self.at is not None and self.date is not None:
            raise InputError("`--at` and `--date-column` say the same. Hint: pass one of them.")
        # outputs must not overwrite each other or an input
        written = {"--state": self.state, "--propose": self.propose, "--html": self.html}
        places = {name: os.path.realpath(path) for name, path in written.items() if path is not None}
        read = {os.path.realpath(path) for path in (self.policy, *self.files)}
        for name, place in places.items():
            if (name != "--state" and place in read) or list(places.values()).count(place) > 1:
                raise InputError(f"`{name} {written[name]}` must be a file of its own. Hint: choose another.")


@verb(
    "watch",
    example="""Examples: every day, the scores of the day
  demur watch policy.json scores-2026-03-01.parquet --state watch.json
with a page for the colleagues
  demur watch policy.json week.csv --state watch.json --date-column day \\
    --html watch.html
weeks later, the labels of an audit (`demur apply --audit 0.01`)
  demur watch policy.json audit.csv --state watch.json --label fraud --late
""",
)
@takes(Watching)
@takes(Output, path={"help": "Write the answer to this file instead of standard output."})
def command(*, watching: Watching, output: Output) -> None:
    """Tell whether a policy in use still sees what it was made for.

    Each of FILES is a batch of scores: CSV (also gzipped), Parquet, or a quoted glob of either. Of a
    rule for many classes the decisions are watched, and the cost where labels come. A batch that is
    known changes nothing. You may look at the evidence as often as you like. The exit code is 0 while
    all is quiet, 3 on an alarm, 2 for an error. Two processes on one state wait for each other; a
    killed one loses nothing that it had said.
    """
    output = output.told()
    from demur.cli.answers.watching import watch
    from demur.cli.output import document, write

    answer = watch(watching, quiet=output.quiet)
    write(document("watch", answer.to_dict(), version=2) if output.as_json else answer.words(), output.path)
    if answer.monitor.alarms:
        raise Exit(3)
