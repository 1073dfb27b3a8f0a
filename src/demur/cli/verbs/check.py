"""`demur check FILE`: problems of a file of predictions, each with a count and a hint."""

import click

from demur.cli.options import chosen_engine, engine_options, output_options, prediction_options
from demur.exceptions import InputError

__all__ = ["command"]


@click.command(
    name="check", epilog="\b\nExample:\n  demur check predictions.csv --label outcome --positive yes"
)
@prediction_options
@engine_options(group=False)
@output_options()
def command(
    *,
    file: str,
    label: str | None,
    positive: str | None,
    models: tuple[str, ...],
    weight: str | None,
    engine: str | None,
    master: str | None,
    output: str | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Look for problems in a file of predictions.

    Errors stop an analysis (exit code 2); notes do not (exit code 0).
    """
    name = chosen_engine(engine, master)
    from demur.cli.output import document, remark, write
    from demur.cli.reading.findings import find_problems, findings_text

    report = find_problems(
        file, label=label, positive=positive, models=models, weight=weight, engine=name, master=master
    )
    remark(report.sentence, quiet=quiet)
    write(document("check", report.to_dict()) if as_json else findings_text(report), output)
    errors = [finding for finding in report.findings if finding.level == "error"]
    if errors:
        count = "1 error" if len(errors) == 1 else f"{len(errors)} errors"
        raise InputError(f"`{report.source}` cannot be analysed: {count}. Hint: see the list.")
