"""`demur apply POLICY FILE`: decide on every row of a file, of any size."""

from dataclasses import dataclass
from typing import Any, ClassVar

from click.exceptions import Exit

from demur.cli.options import Flags, Output, argument, flag, takes, verb
from demur.exceptions import InputError

__all__ = ["Decisions", "command"]

# exit code where no row got a decision
_NO_DECISION = 3


@dataclass(frozen=True, kw_only=True)
class Decisions(Flags):
    """Which policy decides on which rows, and how the decisions are written."""

    TITLE: ClassVar[str] = "Decisions"

    policy: str = argument(metavar="POLICY")
    file: str = argument()
    model: str | None = flag(
        "--model", metavar="COLUMN", help="Column with the scores [default: the policy's model]."
    )
    column: str = flag(
        "--column", default="decision", metavar="NAME", show_default=True, help="Name of the new column."
    )
    only: bool = flag(
        "--only", default=False, is_flag=True, help="Write the decisions alone, without the input's columns."
    )
    strict: bool = flag(
        "--strict",
        default=False,
        is_flag=True,
        help="Fail on the first row without a score, or on scores of another scale, and write nothing.",
    )
    audit: float | None = flag(
        "--audit",
        metavar="SHARE",
        type=float,
        help="Ask for the true class of this random share of the decided rows: 1 in a column audit, and "
        "the probability of a label in audit_probability.",
    )
    audit_seed: str | None = flag(
        "--audit-seed", metavar="TEXT", help="Another seed draws other rows; the same one the same rows."
    )
    audit_key: str | None = flag(
        "--audit-key",
        metavar="COLUMN",
        help="Column that names a case, which is then drawn or not in every file [default: the whole row "
        "and its place].",
    )

    def __post_init__(self) -> None:
        """Refuse flags that need others."""
        for name, value in (("--audit-seed", self.audit_seed), ("--audit-key", self.audit_key)):
            if self.audit is None and value is not None:
                raise InputError(f"`{name}` is for audits. Hint: add --audit SHARE.")
        if self.audit is not None and self.only:
            raise InputError(
                "`--audit` needs the columns of the rows: nobody can label a decision alone. "
                "Hint: leave --only out."
            )
        if self.audit is not None and self.column in ("audit", "audit_probability"):
            raise InputError(f"`--column {self.column}` must differ from the columns of --audit.")


@verb(
    "apply",
    example="""Example: what `demur decide` wrote, on new scores
  demur apply policy.json new_scores.parquet -o decisions.parquet
""",
)
@takes(Decisions)
@takes(Output, path={"help": "Write to this CSV or Parquet file instead of standard output."})
def command(*, decisions: Decisions, output: Output) -> None:
    """Decide on every row of a file with a policy.

    FILE is CSV (also gzipped), Parquet, a quoted glob of either, or - for standard input. The answer
    has the columns of FILE as they stand and one more for the decision, in the labels of the policy:
    a Parquet file if -o ends in .parquet (columns keep their types; text from CSV stays text), else
    CSV with the separator of FILE. A row whose score is missing or not a number is reported with
    its line and gets an empty decision. With --json a summary goes to standard output; this needs -o.
    The exit code is 3 if no row got a decision, else 0; 2 for an error.

    Scores outside the range the policy was made for, or on another scale, are reported. With --audit,
    fill in the true class of the rows with audit = 1 and of those a person reviewed, keep all other
    rows, and pass the file to `demur judge` or `demur watch --late`.
    """
    if output.as_json and not output.to_file:
        raise InputError(
            "`--json` needs -o PATH. Hint: the summary and the decisions cannot share one stream."
        )
    suffix = output.format((".csv", ".tsv", ".txt", ".parquet", ".pq"))
    from demur.cli.answers.decisions import (
        Application,
        decision_sink,
        stream_columns,
        write_decisions,
        write_parquet_decisions,
    )
    from demur.cli.reading.policies import read_policy
    from demur.engines.row_stream import open_rows
    from demur.monitoring.audit import Audit

    audit = None
    if decisions.audit is not None:
        audit = Audit(share=decisions.audit, seed=decisions.audit_seed or "")
    policy = read_policy(decisions.policy, quiet=output.quiet)
    with open_rows(decisions.file) as stream:
        applied = Application(
            policy=policy,
            columns=stream_columns(policy, stream, decisions.model),
            asked=decisions,
            audit=audit,
            quiet=output.quiet,
        )
        if suffix in (".parquet", ".pq"):
            tally = write_parquet_decisions(applied, stream, str(output.path))
        else:
            if suffix == ".tsv":
                stream.separator = "\t"
            with decision_sink(output.path, strict=decisions.strict) as handle:
                tally = write_decisions(applied, stream, handle)
        source = stream.name
    _tell(applied, tally, decisions, output, source)
    if tally.rows and tally.bad == tally.rows:
        raise Exit(_NO_DECISION)


def _tell(applied: Any, tally: Any, decisions: Decisions, output: Output, source: str) -> None:
    """Say what was decided: bad rows, odd scales, and the sum of it."""
    from demur.cli.output import document, remark, write

    for bad in tally.first_bad:
        remark(f"{applied.problem(bad)}; no decision.", quiet=output.quiet)
    if tally.bad:
        # said even when quiet: rows that nobody decides must not go unnoticed
        remark(f"{tally.bad} of {tally.rows} rows of {source} have no decision.", quiet=False)
    for sentence in tally.warnings:
        # said even when quiet: decisions on another scale are all wrong
        remark(f"WARNING: {sentence}", quiet=False)
    columns = list(applied.columns)
    one = len(columns) == 1
    read = f"Scores from column {columns[0]}" if one else f"Probabilities from columns {', '.join(columns)}"
    remark(f"{tally.sentence()} {read}.", quiet=output.quiet)
    if output.as_json:
        content = {
            "policy": decisions.policy,
            "source": source,
            **({"model": columns[0]} if one else {"columns": columns}),
            "output": output.path,
            **tally.to_dict(applied.policy),
        }
        write(document("apply", content), None)
