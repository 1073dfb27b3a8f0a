"""`demur watch POLICY FILES...`: does a policy in use still see what it was made for?"""

import os
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from click.exceptions import Exit

from demur.cli.options import Flags, Output, flag, takes, verb
from demur.exceptions import InputError, UndefinedError

if TYPE_CHECKING:
    from demur._tables.table import Table
    from demur.monitoring.monitor import PolicyMonitor
    from demur.policy.policy import Policy

__all__ = ["Watching", "command", "watch"]


@dataclass(frozen=True, kw_only=True)
class Watching(Flags):
    """Which policy is watched on which batches, and where it is remembered."""

    TITLE: ClassVar[str] = "Batches"

    policy: str = flag(metavar="POLICY")
    files: tuple[str, ...] = flag(metavar="FILES...", nargs=-1)
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

    NEEDS = (("--late --weight --second-label", "--label", "`{}` is for labels. Hint: add --label COLUMN."),)
    EXCLUDES = (
        ("--at", "--date-column", "`--at` and `--date-column` say the same. Hint: pass one of them."),
    )

    def __post_init__(self) -> None:
        """Refuse flags that need others, and files that would be written over."""
        if not self.files:
            raise InputError(
                "At least one file of scores is needed. Hint: demur watch policy.json today.csv."
            )
        if self.state is None:
            raise InputError("`--state PATH` is needed: what was seen so far. Hint: --state watch.json.")
        super().__post_init__()
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
    output = output.answering()
    from demur._tables.table import wrapped
    from demur.cli.output import document, write, write_tables_to

    answer = watch(watching, quiet=output.quiet)
    if output.as_json:
        write(document("watch", answer.to_dict(), version=2), output.path)
    elif output.as_table:
        write_tables_to(output, [answer.table()], answer.words())
    else:
        write("\n".join(map(wrapped, answer.words())), output.path)
    if answer.monitor.alarms:
        raise Exit(3)


@dataclass(frozen=True, kw_only=True, eq=False)
class Watched:
    """The state after a call of `demur watch`, and the files that were counted."""

    state: str
    new: list[str]
    known: list[str]
    proposed: str | None
    page: str | None
    monitor: "PolicyMonitor"

    def to_dict(self) -> dict[str, Any]:
        """Return the document."""
        return {**vars(self), "monitor": self.monitor.to_dict()}

    def table(self) -> "Table":
        """Return the batches: when they came, how they were decided, the evidence of a change."""
        from demur._tables.table import Table

        rows = [
            {
                **{name: getattr(row, name) for name in ("first", "last", "at", "missing")},
                **dict(zip(map(str, self.monitor.actions), row.counts, strict=False)),
                "log_evidence": row.log_e,
            }
            for row in self.monitor.history
        ]
        return Table.of_rows("Batches", rows)

    def words(self) -> list[str]:
        """Say it, paragraph by paragraph: the alarms first."""
        from demur.monitoring.alarms import monitor_words

        said = monitor_words(self.monitor)
        if self.proposed is not None:
            said.append(f"A policy for the new share of positives is in {self.proposed}.")
        if self.page is not None:
            said.append(f"The page is {self.page}.")
        return said


def watch(asked: Watching, *, quiet: bool) -> Watched:
    """Count every file into the state; the state is saved after each, so that none is lost."""
    from demur.cli.input.policies import input_columns, read_policy
    from demur.cli.output import remark, write_file
    from demur.monitoring.cases import count_file
    from demur.monitoring.page import monitor_page
    from demur.monitoring.state import locked

    policy, state = read_policy(asked.policy, quiet=quiet), str(asked.state)
    columns = partial(input_columns, policy, model=asked.model)
    names = ("label", "weight", "second_label", "date", "at", "late")
    options = {name: getattr(asked, name) for name in names}
    new: list[str] = []
    known: list[str] = []
    # a file that is no state is refused before a lock stands beside it
    _monitor(policy, state, asked.alpha)
    with locked(state):
        monitor = _monitor(policy, state, asked.alpha)
        for file in asked.files:
            counted = count_file(monitor, file, columns, **options)
            if policy.amounts is not None and asked.label is not None:
                remark(f"{file}: costs of the cases {counted.costs}.", quiet=quiet)
            fresh, days = sum(counted.new), len(counted.new)
            if fresh:
                monitor.save(state)
            (new if fresh else known).append(file)
            if fresh < days:
                before = f"{file} was" if days == 1 else f"{file}: {days - fresh} of its {days} days were"
                changed = "only the others count" if fresh else "nothing changed"
                remark(f"{before} counted before; {changed}.", quiet=quiet)
        proposed = None
        if monitor.e_value >= 1 / monitor.alpha and monitor.only_prevalence:
            # a window under constraints cannot be derived again; the alarm says so
            with suppress(UndefinedError):
                path = asked.propose or str(Path(state).with_suffix(".proposed.json"))
                monitor.proposed_policy().save(path)
                proposed = path
        if asked.html is not None:
            write_file(Path(asked.html), monitor_page(monitor, proposed=proposed))
    return Watched(state=state, new=new, known=known, proposed=proposed, page=asked.html, monitor=monitor)


def _monitor(policy: "Policy", state: str, alpha: float | None) -> "PolicyMonitor":
    from demur.monitoring.monitor import PolicyMonitor

    if not Path(state).exists():
        return PolicyMonitor(policy, alpha=0.05 if alpha is None else alpha)
    monitor = PolicyMonitor.load(state, policy=policy)
    if alpha is not None and alpha != monitor.alpha:
        raise InputError(
            f"`--alpha` must stay {monitor.alpha:g}, as `{state}` was begun, got {alpha:g}. "
            "Hint: leave it out, or begin a new state."
        )
    return monitor
