"""`demur check FILE`: problems of a file of predictions, each with a count and a hint."""

from demur.cli.options import Design, Output, Source, takes, verb
from demur.exceptions import InputError

__all__ = ["command"]


@verb("check", example="Example:\n  demur check predictions.csv --label outcome --positive yes")
@takes(Source, without=("group", "weights", "drop_missing", "missing_labels"))
@takes(Design, without=("by", "require_proof"))
@takes(Output)
def command(*, source: Source, design: Design, output: Output) -> None:
    """Look for problems in a file of predictions.

    FILE as for `demur compare`, counts included, or JSON: a list of records or one per line.
    Errors stop an analysis (exit code 2); notes do not (exit code 0).
    """
    output = output.told(tables=True)
    from demur.cli.output import document, remark, times, write
    from demur.cli.reading.findings import find_problems, findings_text
    from demur.cli.table_files import write_tables

    report = find_problems(source, design)
    remark(report.sentence, quiet=output.quiet)
    if output.as_table:
        write_tables(str(output.path), {"Findings": report.table()}, words=[report.sentence])
    else:
        write(document("check", report.to_dict()) if output.as_json else findings_text(report), output.path)
    errors = [finding for finding in report.findings if finding.level == "error"]
    if errors:
        raise InputError(
            f"`{report.source}` cannot be analysed: {times(len(errors), 'error')}. Hint: see the list."
        )
