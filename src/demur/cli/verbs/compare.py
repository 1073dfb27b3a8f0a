"""`demur compare FILE`: which model, with which thresholds, at which costs."""

from demur.cli.options import Certainty, Classes, Limits, Output, Prices, Source, takes, verb
from demur.cli.verbs.refusals import FOR_TWO_CLASSES, WITH_CLASSES, refuse

__all__ = ["command"]


@verb(
    "compare",
    example="""Examples: a miss costs 100, a false alarm 40, a review by a person 12
  demur compare predictions.csv --cost-fn 100 --cost-fp 40 --cost-abstain 12
a miss costs 400 to 600, people can review 50 of 1000 cases a day
  demur compare predictions.csv --cost-fn 400:600 --cost-fp 100 \\
    --cost-abstain 20 --reviews-per-day 50 --cases-per-day 1000
""",
)
@takes(Source)
@takes(Prices)
@takes(Limits)
@takes(Classes)
@takes(Certainty)
@takes(Output)
def command(
    *,
    source: Source,
    prices: Prices,
    limits: Limits,
    classes: Classes,
    certainty: Certainty,
    output: Output,
) -> None:
    """Tell which model is cheapest, with which thresholds, at which costs.

    FILE is a table with a header, one row per case: the true class and one score column per
    model (CSV, gzipped CSV, Parquet, a folder or a quoted glob of such files, or - for CSV on
    standard input), or a file of counts saved with ScoreCounts.save. Without costs the models
    are compared over all costs.

    -o table.csv, .xlsx, .md or .parquet writes the numbers as columns, a row for each rule.
    """
    output = output.told(tables=True)
    if classes.names is not None:
        _compare_classes(classes, source, prices, limits, certainty, output)
        return
    from demur.cli.answers.asking import ask_and_read
    from demur.cli.output import write

    asked, evidence = ask_and_read(source, prices, limits, certainty, output)
    from demur.cli.answers.comparing import compare_parts, compared_document, compared_text

    parts = compare_parts(evidence, asked)
    if output.as_json:
        write(compared_document(evidence, parts), output.path)
    elif output.as_table:
        from demur.cli.answers.columns import write_compared_tables

        write_compared_tables(evidence, parts, output)
    else:
        write(compared_text(evidence, parts, output=output.path), output.path)


def _compare_classes(
    classes: Classes,
    source: Source,
    prices: Prices,
    limits: Limits,
    certainty: Certainty,
    output: Output,
) -> None:
    """Compare rules for more than two classes."""
    refuse(source, prices, limits, because=FOR_TWO_CLASSES, but=WITH_CLASSES)
    from demur.cli.answers.many_classes import ClassQuestions, compare_class_parts, compared_classes
    from demur.cli.output import remark, write
    from demur.cli.reading.class_columns import read_class_rows

    questions = ClassQuestions(classes, source, prices, limits, certainty)
    rows = read_class_rows(source, questions.names)
    remark(rows.sentence, quiet=output.quiet)
    parts = compare_class_parts(rows, questions)
    if output.as_table:
        from demur.cli.answers.columns import write_class_tables

        write_class_tables(rows, parts, output)
        return
    write(compared_classes(rows, parts, as_json=output.as_json, output=output.path), output.path)
