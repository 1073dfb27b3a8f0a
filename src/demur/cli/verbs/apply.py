"""`demur apply POLICY FILE`: decide on every row of a file, of any size."""

from click.exceptions import Exit

from demur.cli.options import Output, takes, verb
from demur.cli.options.policies import Decisions
from demur.exceptions import InputError

__all__ = ["command"]

# exit code where no row got a decision
_NO_DECISION = 3


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
    from demur.cli.answers.decisions import (
        Application,
        decision_sink,
        write_decisions,
        write_parquet_decisions,
    )
    from demur.cli.output import document, remark, write
    from demur.cli.reading.policies import input_columns, read_policy
    from demur.engines.row_stream import open_rows
    from demur.monitoring.labels import Audit

    audit = None
    if decisions.audit is not None:
        audit = Audit(share=decisions.audit, seed=decisions.audit_seed or "")
    policy = read_policy(decisions.policy, quiet=output.quiet)
    with open_rows(decisions.file) as stream:
        applied = Application(
            policy=policy,
            columns=input_columns(policy, stream.columns, stream.name, decisions.model),
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
    for bad in tally.first_bad:
        remark(f"{applied.problem(bad)}; no decision.", quiet=output.quiet)
    if tally.bad:
        # said even when quiet: rows that nobody decides must not go unnoticed
        remark(f"{tally.bad} of {tally.rows} rows of {stream.name} have no decision.", quiet=False)
    for sentence in tally.warnings:
        # said even when quiet: decisions on another scale are all wrong
        remark(f"WARNING: {sentence}", quiet=False)
    remark(f"{tally.sentence()} {applied.read()}.", quiet=output.quiet)
    if output.as_json:
        content = {
            "policy": decisions.policy,
            "source": stream.name,
            **({"columns": applied.columns} if policy.rule.inputs > 1 else {"model": applied.columns[0]}),
            "output": output.path,
            **tally.to_dict(policy),
        }
        write(document("apply", content), None)
    if tally.rows and tally.bad == tally.rows:
        raise Exit(_NO_DECISION)
