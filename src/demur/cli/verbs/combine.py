"""`demur combine FILE`: whether several models make a cheaper rule together, and which."""

from dataclasses import dataclass
from typing import ClassVar

import click

from demur.cli.options import Certainty, Flags, Output, Prices, Source, flag, takes, verb

__all__ = ["command"]


@dataclass(frozen=True, kw_only=True)
class Combining(Flags):
    """Which ways to combine, and what asking each model costs."""

    TITLE: ClassVar[str] = "Combinations"

    ways: tuple[str, ...] = flag(
        "--way",
        default=(),
        multiple=True,
        type=click.Choice(["average", "vote", "variance", "chain"]),
        help="Way to combine; repeatable. average: thresholds on the mean. vote: every model votes by its "
        "own thresholds and may abstain. variance: thresholds on the mean, abstain where the models "
        "disagree. chain: what a model abstains on goes to the next one. Default: all four.",
    )
    fees: tuple[str, ...] = flag(
        "--fee",
        default=(),
        metavar="MODEL=X",
        multiple=True,
        help="Cost of asking a model for one case, such as --fee scan=0.5; repeatable. A chain pays only "
        "for the models a case reaches, in the order of --model or of the columns. Default: 0.",
    )


@verb(
    "combine",
    example="""Example: a cheap test and a dear one; the dear one may be asked second
  demur combine tests.csv --model blood_test --model scan --fee scan=0.5 \\
    --cost-fn 10 --cost-fp 4 --cost-abstain 2 -o costs.png
""",
)
@takes(Source, without=("weights", "group", "missing_labels", "engine", "master"))
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
    from demur.cli.answers.combining import combine, one_price_each
    from demur.cli.output import remark, write_answer
    from demur.cli.reading.evidence import read_predictions

    costs = one_price_each(prices)
    rows = read_predictions(source, prices)
    remark(rows.sentence(), quiet=output.quiet)
    combined = combine(rows, costs, certainty, ways=combining.ways, fees=combining.fees)
    write_answer("combine", rows.to_dict(), combined, output)
