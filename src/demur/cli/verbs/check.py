"""`demur check FILE`: everything that is wrong or odd about a file, and the command to run next."""

from demur.cli.options import Design, Output, Source, takes, verb
from demur.exceptions import InputError

__all__ = ["command"]


@verb(
    "check",
    example="""Example: everything at once; it ends with the command to run next
  demur check predictions.csv
""",
)
@takes(Source, without=("group", "weights", "drop_missing", "missing_labels", "unknown_label"))
@takes(Design, without=("by", "require_proof"))
@takes(Output)
def command(*, source: Source, design: Design, output: Output) -> None:
    """Find what is wrong with a file of predictions, and the command to run next.

    Which column is the label and which class positive, missing values by column, ids that repeat and
    dates, numbers that look like features or amounts rather than scores, copies, calibration. FILE as
    for `demur compare`, counts included, or JSON: a list of records or one per line. Errors stop an
    analysis (exit code 2); notes do not (exit code 0).
    """
    output = output.answering()
    from demur._tables.numbers import times
    from demur.cli.input.findings import find_problems
    from demur.cli.output import document, remark, write, write_tables_to

    report = find_problems(source, design)
    remark(report.sentence, quiet=output.quiet)
    if output.as_table:
        write_tables_to(output, [report.table()], [report.sentence])
    else:
        write(document("check", report.to_dict()) if output.as_json else report.text(), output.path)
    errors = [finding for finding in report.findings if finding.level == "error"]
    if errors:
        raise InputError(
            f"`{report.source}` cannot be analysed: {times(len(errors), 'error')}. Hint: see the list."
        )
