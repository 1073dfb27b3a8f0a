"""`demur ordinal FILE`: how well scores put ordered classes in order, and where to cut them."""

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from demur.cli.options import Flags, Output, argument, flag, rules, takes, verb
from demur.exceptions import InputError

__all__ = ["command"]


@dataclass(frozen=True, kw_only=True)
class Ranking(Flags):
    """A file of scores for ordered classes, and what a mistake costs."""

    TITLE: ClassVar[str] = "Data"

    file: str = argument()
    label: str | None = flag("--label", metavar="COLUMN", help="Column with the true class.")
    order: str | None = flag(
        "--order",
        metavar="A,B,C",
        help="The classes from lowest to highest [default: numbers by value].",
    )
    models: tuple[str, ...] = flag(
        "--model",
        default=(),
        metavar="COLUMN",
        multiple=True,
        help="Column with the scores of a model, higher = a higher class; repeatable. Default: every other "
        "numeric column but keys such as row, id, fold, index.",
    )
    exclude: tuple[str, ...] = flag(
        "--exclude", default=(), metavar="COLUMN", multiple=True, help="Column that is no model; repeatable."
    )
    step_cost: float | None = flag(
        "--step-cost",
        metavar="X",
        type=float,
        callback=rules.not_negative,
        help="Cost of a mistake per step between the true class and the answer [default: 1].",
    )
    cost_matrix: str | None = flag(
        "--cost-matrix",
        metavar="FILE",
        help="Instead: a cost for every confusion, CSV or TOML with named rows (true) and columns (answer).",
    )
    confidence: float = flag(
        "--confidence",
        default=0.95,
        type=float,
        metavar="X",
        callback=rules.confidence,
        show_default=True,
        help="Level of all intervals.",
    )

    def __post_init__(self) -> None:
        """Refuse two kinds of costs."""
        if self.step_cost is not None and self.cost_matrix is not None:
            raise InputError("`--step-cost` and --cost-matrix are two kinds of costs. Hint: give one.")


@verb(
    "ordinal",
    example="""Example: three stages of a disease, two markers, a figure beside the table
  demur ordinal markers.csv --label stage --order healthy,mild,severe \\
    -o curves.png
""",
)
@takes(Ranking)
@takes(Output, path={"metavar": "FIGURE", "help": "Draw the curves to this file (png, svg or pdf)."})
def command(*, ranking: Ranking, output: Output) -> None:
    """Tell how well scores put ordered classes in order, and where to cut them.

    FILE is a table with a header, one row per case: the true class and one score column per model
    (CSV, gzipped CSV, Parquet, a quoted glob of such files, or - for CSV on standard input). VUS is
    the share of tuples, one case of each class, that the scores put in order; Cons the mean AUC of
    the cuts between neighbours.
    """
    if output.path is not None:
        output.format((".png", ".svg", ".pdf"))
    from demur.cli.answers.ranking import compare_rankings, draw_rankings, read_ranking
    from demur.cli.output import document, remark, write

    read = read_ranking(ranking)
    remark(read.sentence(), quiet=output.quiet)
    compared = compare_rankings(read, ranking)
    if output.path is not None:
        draw_rankings(compared, Path(output.path))
        remark(f"Figure written to {output.path}.", quiet=output.quiet)
    if output.as_json:
        write(document("ordinal", {"data": read.to_dict(), **compared.to_dict()}), None)
    else:
        write(compared.text(), None)
