"""`demur report FILE`: one HTML page that anybody can open."""

from pathlib import Path

from demur.cli.options import Certainty, Limits, Output, Prices, Privacy, Source, takes, verb

__all__ = ["command"]


@verb(
    "report",
    example="""Examples: a miss costs 100, a false alarm 40, a review by a person 12
  demur report predictions.csv --cost-fn 100 --cost-fp 40 --cost-abstain 12
a miss costs 400 to 600, at most 5 in 100 positives may be missed
  demur report predictions.csv --cost-fn 400:600 --cost-fp 100 \\
    --cost-abstain 20 --objective worst --max-fn-rate 0.05
a missed fraud costs its amount, a column
  demur report payments.csv --cost-fn amount --cost-fp 25 --cost-abstain 4
""",
)
@takes(Source)
@takes(Prices)
@takes(Limits)
@takes(Certainty)
@takes(Privacy)
@takes(
    Output,
    path={"help": "Write the page to this file, - for standard output [default: FILE-report.html]."},
)
def command(
    *,
    source: Source,
    prices: Prices,
    limits: Limits,
    certainty: Certainty,
    privacy: Privacy,
    output: Output,
) -> None:
    """Write a page that anybody can open, and say the decision.

    FILE as for `demur compare`. The page is one file without links to anywhere: it holds counts,
    no rows, and computes thresholds and costs for any prices while its reader sets them.
    predictions.csv gives predictions-report.html in the current folder; an earlier page of that
    name is replaced. With --json the data of the page go to standard output (or to -o) instead;
    with --group every group has a page of its own, and {group} in -o stands for it.
    """
    from demur.cli.answers.asking import Asked
    from demur.cli.answers.reporting import make_reports, write_page
    from demur.cli.output import document, group_file, remark, wrapped, write
    from demur.cli.reading.evidence import read_evidence

    if output.as_json:
        output.format((".json",))
    else:
        output.format((".html", ".htm"), "print the page from a browser for paper; --json gives the numbers.")
    asked = Asked.of(source, prices, limits, certainty)
    evidence = read_evidence(source, prices)
    remark(evidence.sentence, quiet=output.quiet)
    remark(asked.remark, quiet=output.quiet)
    reports, left_out = make_reports(evidence, asked, privacy.smallest)
    grouped = source.group is not None
    if output.as_json and grouped:
        groups = {part: report.to_dict() for part, report in reports.items()}
        groups |= {part: {"left_out": reason} for part, reason in left_out.items()}
        write(document("report-groups", {"group": source.group, "groups": groups}), output.path)
        return
    if output.as_json:
        write(reports[""].to_json(), output.path)
        return
    page = output.path or _default_output(evidence.data["source"], grouped=grouped)
    # all names before the first page: nothing is half done when a group cannot be part of one
    pages = {part: group_file(page, part) if grouped else page for part in reports}
    for part, report in reports.items():
        write_page(report, pages[part], quiet=output.quiet)
    for part, reason in left_out.items():
        write(wrapped(f"{evidence.title(part)}. {reason}"), None)


def _default_output(source: str, *, grouped: bool) -> str:
    """Name the page after the file; many files or standard input give report.html."""
    stem = Path(source).name.split(".")[0]
    if not stem or source == "standard input" or any(letter in stem for letter in "*?["):
        start = "report"
    else:
        start = f"{stem}-report"
    return f"{start}-{{group}}.html" if grouped else f"{start}.html"
