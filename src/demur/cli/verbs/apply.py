"""`demur apply POLICY FILE`: decide on every row of a file, of any size."""

import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO, ClassVar

from click.exceptions import Exit

from demur.cli.options import Flags, Output, flag, takes, verb
from demur.exceptions import InputError

__all__ = ["Decisions", "command"]

# exit code where no row got a decision
_NO_DECISION = 3


@dataclass(frozen=True, kw_only=True)
class Decisions(Flags):
    """Which policy decides on which rows, and how the decisions are written."""

    TITLE: ClassVar[str] = "Decisions"

    policy: str = flag(metavar="POLICY")
    file: str = flag()
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

    NEEDS = (("--audit-seed --audit-key", "--audit", "`{}` is for audits. Hint: add --audit SHARE."),)
    EXCLUDES = (
        (
            "--audit",
            "--only",
            "`--audit` needs the columns of the rows: nobody can label a decision alone. "
            "Hint: leave --only out.",
        ),
    )

    def __post_init__(self) -> None:
        """Refuse flags that need others, and a column that is written twice."""
        super().__post_init__()
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
    its line and gets an empty decision. Where the policy has a rule per group, that of its group
    decides on a row; of an unknown group the rule for all cases does, and such rows are counted. With
    --json a summary goes to standard output; this needs -o. The exit code is 3 if no row got a
    decision, else 0; 2 for an error.

    A policy with a number of places a day decides whole files: give it all rows of a day at once, with the
    columns of day and key.

    Scores outside the range the policy was made for, or on another scale, are reported. With --audit,
    fill in the true class of the rows with audit = 1 and of those a person reviewed, keep all other
    rows, and pass the file to `demur audit` or `demur watch --late`.
    """
    if output.as_json and not output.to_file:
        raise InputError(
            "`--json` needs -o PATH. Hint: the summary and the decisions cannot share one stream."
        )
    suffix = output.format((".csv", ".tsv", ".txt", ".parquet", ".pq"))
    from demur._progress import Progress
    from demur.cli.input.policies import input_columns, read_policy
    from demur.cli.output import document, remark, write
    from demur.engines.row_stream import open_rows
    from demur.monitoring.application import Application
    from demur.monitoring.labels import Audit

    audit = None
    if decisions.audit is not None:
        audit = Audit(share=decisions.audit, seed=decisions.audit_seed or "")
    policy = read_policy(decisions.policy, quiet=output.quiet)
    with open_rows(decisions.file) as stream, Progress(label="deciding", unit="rows") as progress:
        applied = Application(
            policy,
            stream,
            input_columns(policy, stream.columns, stream.name, decisions.model),
            **{name: getattr(decisions, name) for name in ("column", "only", "strict", "audit_key")},
            audit=audit,
            show=int if output.quiet else progress.advance,
        )
        if suffix in (".parquet", ".pq"):
            applied.write_parquet(str(output.path))
        else:
            stream.separator = "\t" if suffix == ".tsv" else stream.separator
            with _sink(output, strict=decisions.strict) as handle:
                applied.write_csv(handle)
    counted = applied.to_dict()
    for bad in applied.first_bad:
        remark(f"{applied.problem(bad)}; no decision.", quiet=output.quiet)
    # said even when quiet: rows that nobody decides must not go unnoticed, and on another scale all are wrong
    missing = f"{counted['bad']} of {counted['rows']} rows of {stream.name} have no decision."
    for text in [*([missing] if counted["bad"] else []), *(f"WARNING: {one}" for one in applied.warnings)]:
        remark(text, quiet=False)
    remark(applied.words(), quiet=output.quiet)
    if output.as_json:
        read = {"columns": applied.columns} if policy.rule.inputs > 1 else {"model": applied.columns[0]}
        content = {
            "policy": decisions.policy,
            "source": stream.name,
            **read,
            "output": output.path,
            **counted,
        }
        write(document("apply", content), None)
    if counted["rows"] and counted["bad"] == counted["rows"]:
        raise Exit(_NO_DECISION)


@contextmanager
def _sink(output: Output, *, strict: bool) -> Iterator[IO[str]]:
    """Open where decisions go; with `strict` standard output too gets everything or nothing."""
    from demur._files.whole import whole_file

    if output.to_file:
        with whole_file(str(output.path)) as handle:
            yield handle
    elif strict:
        with tempfile.TemporaryFile("w+", encoding="utf-8", newline="") as draft:
            yield draft
            draft.seek(0)
            shutil.copyfileobj(draft, sys.stdout)
    else:
        yield sys.stdout
