"""`demur guard FILE`: whether abstaining on unfamiliar cases pays, and from where on."""

from pathlib import Path

from demur.cli.options import Certainty, Output, Prices, Source, takes, verb
from demur.cli.options.combining import Guarding

__all__ = ["command"]


@verb(
    "guard",
    example="""Example: the distance to the nearest training case as a second score
  demur guard predictions.csv --model forest --doubt distance \\
    --cost-fn 100 --cost-fp 40 --cost-abstain 12 -o rule.png
""",
)
@takes(Source, without=("weights", "group", "engine", "master"))
@takes(Prices, without=("prevalence", "objective"))
@takes(Guarding)
@takes(Certainty)
@takes(
    Output, path={"metavar": "FIGURE", "help": "Draw the cases and the rule to this file (png, svg or pdf)."}
)
def command(
    *, source: Source, prices: Prices, guarding: Guarding, certainty: Certainty, output: Output
) -> None:
    """Tell whether abstaining on unfamiliar cases pays, and from where on.

    FILE is a table with a header, one row per case: the true class, the scores of one model, and
    a doubt that says how unlike the training data the case is (CSV, gzipped CSV, Parquet, a
    quoted glob of such files, or - for CSV on standard input). The rule abstains between two
    thresholds of the score, and above a limit of the doubt. It is chosen on nine folds and scored
    on the tenth, the thresholds alone beside it.
    """
    output.format((".png", ".svg", ".pdf"))
    from demur.cli.answers.combining import one_price_each
    from demur.cli.answers.guarding import draw_guarded, guard
    from demur.cli.output import document, remark, write
    from demur.cli.reading.predictions import read_predictions

    costs = one_price_each(prices)
    rows = read_predictions(source, prices, doubt=guarding.doubt)
    remark(rows.sentence(), quiet=output.quiet)
    guarded = guard(rows, costs, guarding, certainty)
    if output.to_file:
        draw_guarded(guarded, Path(str(output.path)))
        remark(f"Figure written to {output.path}.", quiet=output.quiet)
    if output.as_json:
        write(document("guard", {"data": rows.to_dict(), **guarded.to_dict()}), None)
    else:
        write(guarded.text(), None)
