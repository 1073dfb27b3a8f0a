"""`demur ordinal FILE`: how well scores put ordered classes in order, and where to cut them."""

from pathlib import Path

from demur.cli.options import Output, takes, verb
from demur.cli.options.ranking import Ranking

__all__ = ["command"]


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
