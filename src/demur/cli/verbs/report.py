"""`demur report FILE`: one HTML page that anybody can open."""

from pathlib import Path
from threading import Thread

import click

from demur.cli.options import (
    certainty_options,
    chosen_engine,
    cost_model,
    cost_options,
    engine_options,
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
@engine_options()
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
    engine: str | None,
    master: str | None,
    group: str | None,
    output: str | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Write a page that anybody can open, and say the decision.

    FILE as for `demur compare`. The page is one file without links to anywhere: it holds counts,
    no rows, and computes thresholds and costs for any prices while its reader sets them.
    predictions.csv gives predictions-report.html in the current folder; an earlier page of that
    name is replaced. With --json the data of the page go to standard output (or to -o) instead;
    with --group every group has a page of its own, and {group} in -o stands for it.
    """
    costs = cost_model(cost_fn=cost_fn, cost_fp=cost_fp, cost_abstain=cost_abstain, mu=mu, nu=nu)
    name = chosen_engine(engine, master)
    from demur.cli.answers.reporting import Wanted, make_report, write_page
    from demur.cli.output import document, group_file, remark, write
    from demur.cli.reading.evidence import read_evidence

    _load_ahead(file)
    read = read_evidence(
        file,
        label=label,
        positive=positive,
        models=models,
        weight=weight,
        group=group,
        engine=name,
        master=master,
    )
    remark(read.sentence, quiet=quiet)
    wanted = Wanted(costs=costs, prevalence=prevalence, confidence_level=confidence, seed=seed)
    found = {part: make_report(read, part, wanted) for part in read.parts}
    if as_json and group is not None:
        groups = {part: report.to_dict() for part, report in found.items()}
        write(document("report-groups", {"group": group, "groups": groups}), output)
        return
    if as_json:
        write(found[""].to_json(), output)
        return
    page = _default_output(read.data["source"], grouped=group is not None) if output is None else output
    # all names before the first page: nothing is half done when a group cannot be part of one
    pages = {part: page if group is None else group_file(page, part) for part in found}
    for part, report in found.items():
        write_page(report, pages[part], quiet=quiet)


def _load_ahead(file: str) -> None:
    """Load the compiler a large file will need while it is being read: a second less to wait."""
    path = Path(file)
    if path.is_file() and path.stat().st_size >= _LARGE:
        from demur._kernels.jit import load_compiler

        Thread(target=load_compiler, daemon=True).start()


def _default_output(source: str, *, grouped: bool) -> str:
    """Name the page after the file; many files or standard input give report.html."""
    stem = Path(source).name.split(".")[0]
    if not stem or source == "standard input" or any(letter in stem for letter in "*?["):
        start = "report"
    else:
        start = f"{stem}-report"
    return f"{start}-{{group}}.html" if grouped else f"{start}.html"
