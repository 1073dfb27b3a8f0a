"""`demur guard FILE`: whether abstaining on unfamiliar cases pays, and from where on."""

from dataclasses import dataclass
from typing import ClassVar

from demur.cli.options import Certainty, Flags, Output, Prices, Source, flag, takes, verb
from demur.cli.options.flags import finite
from demur.exceptions import InputError

__all__ = ["command"]


@dataclass(frozen=True, kw_only=True)
class Guarding(Flags):
    """Which column says how unfamiliar a case is, and the most that is tolerated."""

    TITLE: ClassVar[str] = "Guard"

    doubt: str | None = flag(
        "--doubt",
        metavar="COLUMN",
        help="Column that says how unlike the training data a case is, higher = less familiar: a distance to "
        "the training cases, minus a log density, the disagreement of several models.",
    )
    max_doubt: float | None = flag(
        "--max-doubt",
        metavar="X",
        type=float,
        callback=finite,
        help="Abstain above this doubt. Default: the limit that costs least; if no case of FILE is unlike "
        "the training data, none does.",
    )

    def __post_init__(self) -> None:
        """Refuse a call without a doubt."""
        if self.doubt is None:
            raise InputError(
                "`--doubt COLUMN` is needed. Hint: a column that says how unlike the training data a case "
                "is, higher = less familiar."
            )


@verb(
    "guard",
    example="""Example: the distance to the nearest training case as a second score
  demur guard predictions.csv --model forest --doubt distance \\
    --cost-fn 100 --cost-fp 40 --cost-abstain 12 -o rule.png
""",
)
@takes(Source, without=("weights", "group", "missing_labels", "engine", "master"))
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
    from demur.cli.answers.combining import guard, one_price_each
    from demur.cli.output import remark, write_answer
    from demur.cli.reading.evidence import read_predictions

    costs = one_price_each(prices)
    rows = read_predictions(source, prices, doubt=guarding.doubt)
    remark(rows.sentence(), quiet=output.quiet)
    write_answer("guard", rows.to_dict(), guard(rows, costs, certainty, max_doubt=guarding.max_doubt), output)
