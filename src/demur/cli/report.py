"""`demur report FILE`: one HTML page that anybody can open."""

from importlib import import_module
from pathlib import Path
from threading import Thread

import click

from demur.cli.options import (
    certainty_options,
    cost_model,
    cost_options,
    output_options,
    prediction_options,
)

__all__ = ["command"]

_LARGE = 2**24
"""Files of this many bytes hold enough rows for the compiled kernels."""


@click.command(
    name="report",
    epilog="""\b
Example: a miss costs 100, a false alarm 40, a review by a person 12
  demur report predictions.csv --cost-fn 100 --cost-fp 40 --cost-abstain 12
""",
)
@prediction_options
@cost_options
@certainty_options
@output_options(what="Write the page to this file, - for standard output [default: FILE-report.html].")
def command(
    *,
    file: str,
    label: str | None,
    positive: str | None,
    models: tuple[str, ...],
    weight: str | None,
    cost_fn: float | None,
    cost_fp: float | None,
    cost_abstain: float | None,
    mu: float | None,
    nu: float | None,
    prevalence: float | None,
    confidence: float,
    seed: int,
    output: str | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Write a page that anybody can open, and say the decision.

    FILE as for `demur compare`. The page is one file without links to anywhere: it holds counts,
    no rows, and computes thresholds and costs for any prices while its reader sets them.
    predictions.csv gives predictions-report.html in the current folder; an earlier page of that
    name is replaced. With --json the data of the page go to standard output (or to -o) instead.
    """
    costs = cost_model(cost_fn=cost_fn, cost_fp=cost_fp, cost_abstain=cost_abstain, mu=mu, nu=nu)
    from demur.cli.output import remark, wrapped, write, write_file
    from demur.cli.predictions import read_predictions
    from demur.report.document import Report
    from demur.report.model import DataSource

    _load_ahead(file)
    read = read_predictions(file, label=label, positive=positive, models=models, weight=weight)
    remark(read.sentence(), quiet=quiet)
    roles = read.roles
    found = Report.from_predictions(
        read.truth,
        read.scores,
        sample_weight=read.weights,
        costs=costs,
        prevalence=prevalence,
        confidence_level=confidence,
        seed=seed,
        source=DataSource(
            # the page travels: the folders of its maker are nobody's business
            name=Path(read.source).name,
            label=roles.label,
            positive=read.positive,
            negative=read.negative,
            weight=roles.weight,
            rows=read.n,
        ),
    )
    if as_json:
        write(found.to_json(), output)
        return
    for note in found.notes:
        remark(note, quiet=quiet)
    if output == "-":
        write(found.to_html(), None)
        return
    path = _default_output(read.source) if output is None else Path(output)
    write_file(path, found.to_html())
    write("\n".join([wrapped(found.headline), str(path)]), None)


def _load_ahead(file: str) -> None:
    """Import what a large file will need while it is being read: half a second less to wait."""
    path = Path(file)
    if path.is_file() and path.stat().st_size >= _LARGE:
        for name in ("numba", "scipy.linalg.lapack"):
            Thread(target=import_module, args=[name], daemon=True).start()


def _default_output(source: str) -> Path:
    """Name the page after the file; many files or standard input give report.html."""
    stem = Path(source).name.split(".")[0]
    if not stem or source == "standard input" or any(letter in stem for letter in "*?["):
        return Path("report.html")
    return Path(f"{stem}-report.html")
