"""`demur compare FILE`: which model, with which thresholds, at which costs."""

from click.exceptions import Exit

from demur.cli.options import (
    Certainty,
    Classes,
    Design,
    Limits,
    Output,
    Prices,
    Several,
    Source,
    takes,
    verb,
)

__all__ = ["command"]


@verb(
    "compare",
    example="""Examples: a miss costs 100, a false alarm 40, a review by a person 12
  demur compare predictions.csv --cost-fn 100 --cost-fp 40 --cost-abstain 12
a miss costs 400 to 600, people can review 50 of 1000 cases a day
  demur compare predictions.csv --cost-fn 400:600 --cost-fp 100 \\
    --cost-abstain 20 --reviews-per-day 50 --cases-per-day 1000
a cheap test and a dear one, alone and combined
  demur compare tests.csv --combine --price blood=0.1 --price scan=0.5 \\
    --cost-fn 10 --cost-fp 4 --cost-abstain 2
""",
)
@takes(Source)
@takes(Prices)
@takes(Limits)
@takes(Several)
@takes(Classes)
@takes(Design)
@takes(Certainty)
@takes(Output)
def command(
    *,
    source: Source,
    prices: Prices,
    limits: Limits,
    several: Several,
    classes: Classes,
    design: Design,
    certainty: Certainty,
    output: Output,
) -> None:
    """Tell which model is cheapest, with which thresholds, at which costs.

    FILE is a table with a header, one row per case: the true class and one score column per
    model (CSV, gzipped CSV, Parquet, a folder or a quoted glob of such files, or - for CSV on
    standard input), or a file of counts saved with ScoreCounts.save. Without costs the models
    are compared over all costs.

    -o table.csv, .xlsx, .md or .parquet writes the numbers as columns, a row for each rule; with --by a
    row for each value of that column.
    """
    output = output.told(tables=True)
    from demur.cli.answers.asking import NOT_PROVEN, ask, breakdown, each_part, parts_document, proven
    from demur.cli.answers.comparing import Compared, compared, compared_text, write_compared_tables
    from demur.cli.output import write

    read = ask(source, prices, limits, classes, certainty, output, design=design, several=several)

    def made(name: str) -> Compared:
        comparison = read.compare(name)
        return compared(comparison, breakdown(read, name, comparison))

    parts = each_part(read, made)
    refused = design.require_proof and not proven(parts)
    path = None if refused else output.path  # no file where a proof is asked for and missing
    if output.as_json:
        write(parts_document("compare", read, parts), path)
    elif output.as_table and not refused:
        write_compared_tables(read, parts, output)
    else:
        write(compared_text(read, parts, output=path), path)
    if refused:
        raise Exit(NOT_PROVEN)
