"""The answer of `demur report`: a report for all cases or for a group, and its page."""

from dataclasses import dataclass
from pathlib import Path

from demur.cli.output import remark, wrapped, write, write_file
from demur.cli.reading.evidence import Evidence
from demur.costs.model import CostModel
from demur.report.document import Report
from demur.report.model import DataSource

__all__ = ["Wanted", "make_report", "write_page"]


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """What the user asked for."""

    costs: CostModel | None
    prevalence: float | None
    confidence_level: float
    seed: int


def make_report(read: Evidence, part: str, wanted: Wanted) -> Report:
    """Make the report of one part: from its rows where they are at hand, else from its counts."""
    rows = read.parts[part].rows
    settings = vars(wanted)
    source = _source(read, part)
    if rows is None:
        return Report.from_counts(read.parts[part].counts, **settings, source=source)
    return Report.from_predictions(
        rows.truth, rows.scores, sample_weight=rows.weights, **settings, source=source
    )


def _source(read: Evidence, part: str) -> DataSource:
    # the page travels: the folders of its maker are nobody's business
    file = Path(read.data["source"]).name
    whole = read.group is None
    return DataSource(
        name=file if whole else f"{file}, {read.group} = {part}",
        label=read.data.get("label"),
        positive=read.positive,
        negative=read.negative,
        weight=read.data.get("weight"),
        rows=int(read.data["rows"]) if whole else None,
        exact=read.exact,
        certified=None if read.exact else read.certified,
    )


def write_page(report: Report, page: str, *, quiet: bool) -> None:
    """Write the page, and say the decision and where it is; "-" writes it to standard output."""
    for note in report.notes:
        remark(note, quiet=quiet)
    if page == "-":
        write(report.to_html(), None)
        return
    write_file(Path(page), report.to_html())
    write("\n".join([wrapped(report.headline), page]), None)
