"""`demur apply POLICY FILE`: decide on every row of a file, of any size."""

import click

from demur.cli.options import output_options
from demur.exceptions import InputError

__all__ = ["command"]


@click.command(
    name="apply",
    epilog="""\b
Example: what `demur decide` wrote, on new scores
  demur apply policy.json new_scores.parquet -o decisions.csv
""",
)
@click.argument("policy_file", metavar="POLICY")
@click.argument("file")
@click.option("--model", metavar="COLUMN", help="Column with the scores [default: the policy's model].")
@click.option(
    "--column", metavar="NAME", default="decision", show_default=True, help="Name of the new column."
)
@click.option("--only", is_flag=True, help="Write the decisions alone, without the input's columns.")
@click.option("--strict", is_flag=True, help="Fail on the first row without a score, and write nothing.")
@output_options(what="Write to this CSV file instead of standard output.")
def command(
    *,
    policy_file: str,
    file: str,
    model: str | None,
    column: str,
    only: bool,
    strict: bool,
    output: str | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Decide on every row of a file with a policy.

    FILE is CSV (also gzipped), Parquet, a quoted glob of either, or - for standard input. The answer
    is CSV: the columns of FILE as they stand, with its separator, and one more for the decision,
    in the labels of the policy. A row whose score is missing or not a number is reported with its
    line and gets an empty decision. With --json a summary goes to standard output; this needs -o.
    """
    to_file = output not in (None, "-")
    if as_json and not to_file:
        raise InputError(
            "`--json` needs -o PATH. Hint: the summary and the decisions cannot share one stream."
        )
    if to_file and str(output).lower().endswith((".parquet", ".gz")):
        raise InputError(f"`--output {output}` must name a CSV file: decisions are written as plain CSV.")
    from demur.cli.answers.decisions import decision_sink, score_column, write_decisions
    from demur.cli.output import document, remark, write
    from demur.engines.row_stream import open_rows
    from demur.windows.policy import Policy

    policy = Policy.load(policy_file)
    with open_rows(file) as stream:
        score = score_column(policy, stream, model)
        with decision_sink(output, strict=strict) as handle:
            tally = write_decisions(
                policy, stream, handle, score=score, column=column, only=only, strict=strict, quiet=quiet
            )
        source = stream.name
    for where, problem in tally.first_bad:
        remark(f"{where}, column {score}: {problem}; no decision.", quiet=quiet)
    if tally.bad:
        # said even when quiet: rows that nobody decides must not go unnoticed
        remark(f"{tally.bad} of {tally.rows} rows of {source} have no decision.", quiet=False)
    remark(f"{tally.sentence()} Scores from column {score}.", quiet=quiet)
    if as_json:
        content = {
            "policy": policy_file,
            "source": source,
            "model": score,
            "output": output,
            **tally.to_dict(),
        }
        write(document("apply", content), None)
