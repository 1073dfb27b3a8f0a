"""`demur combine FILE`: whether several models make a cheaper rule together, and which."""

from pathlib import Path

from demur.cli.options import Certainty, Output, Prices, Source, takes, verb
from demur.cli.options.combining import Combining

__all__ = ["command"]


@verb(
    "combine",
    example="""Example: a cheap test and a dear one; the dear one may be asked second
  demur combine tests.csv --model blood_test --model scan --fee scan=0.5 \\
    --cost-fn 10 --cost-fp 4 --cost-abstain 2 -o costs.png
""",
)
@takes(Source, without=("weights", "group", "engine", "master"))
@takes(Prices, without=("prevalence", "objective"))
@takes(Combining)
@takes(Certainty)
@takes(Output, path={"metavar": "FIGURE", "help": "Draw the costs to this file (png, svg or pdf)."})
def command(
    *, source: Source, prices: Prices, combining: Combining, certainty: Certainty, output: Output
) -> None:
    """Tell whether several models make a cheaper rule together, and which.

    FILE is a table with a header, one row per case: the true class and a column of probabilities
    for each of two or more models (CSV, gzipped CSV, Parquet, a quoted glob of such files, or -
    for CSV on standard input). Every rule is chosen on nine folds and scored on the tenth, each
    model alone beside the combinations.
    """
    output.format((".png", ".svg", ".pdf"))
    from demur.cli.answers.combining import combine, draw_combined, one_price_each
    from demur.cli.output import document, remark, write
    from demur.cli.reading.predictions import read_predictions

    costs = one_price_each(prices)
    rows = read_predictions(source, prices)
    remark(rows.sentence(), quiet=output.quiet)
    combined = combine(rows, costs, combining, certainty)
    if output.to_file:
        draw_combined(combined, Path(str(output.path)))
        remark(f"Figure written to {output.path}.", quiet=output.quiet)
    if output.as_json:
        write(document("combine", {"data": rows.to_dict(), **combined.to_dict()}), None)
    else:
        write(combined.text(), None)
