"""`demur report FILE`: one HTML page that anybody can open."""

from dataclasses import dataclass
from pathlib import Path

import click
from click.exceptions import Exit

from demur.cli.options import (
    Certainty,
    Classes,
    Design,
    Flags,
    Limits,
    Output,
    Prices,
    Several,
    Source,
    flag,
    refuse,
    takes,
    verb,
)
from demur.exceptions import InputError

__all__ = ["command"]


@dataclass(frozen=True, kw_only=True)
class Pages(Flags):
    """How groups are shown, the fewest cases that anything shown stands for, and where the dossier goes."""

    one_page: bool = flag(
        "--one-page",
        title="Pages",
        default=False,
        is_flag=True,
        help="With --group: one page for all cases, with its one rule judged in every group, instead of a "
        "page with a rule of its own for each.",
    )
    smallest: int | None = flag(
        "--private",
        title="Privacy",
        type=click.IntRange(min=2),
        metavar="N",
        help="Join neighbouring scores until every cell of the page, a range of scores and a class, holds "
        "at least N cases or none, and round the ends. Scores and classes of single cases and tests of "
        "differences are left out.",
    )
    dossier: str | None = flag(
        "--dossier",
        title="Dossier",
        metavar="PATH",
        help="Also write a dossier, .md or .docx: purpose, data, costs and their source, rule, evidence, "
        "the costs at which it stays best, groups, limits, how to watch it, lines to sign.",
    )

    def __post_init__(self) -> None:
        """Refuse other formats before anything is read."""
        if self.dossier is not None and Path(self.dossier).suffix.lower() not in (".md", ".docx"):
            raise InputError(f"`--dossier {self.dossier}` must end in .md or .docx.")


@verb(
    "report",
    example="""Examples: a miss costs 100, a false alarm 40, a review by a person 12
  demur report predictions.csv --cost-fn 100 --cost-fp 40 --cost-abstain 12
a miss costs 400 to 600, at most 5 in 100 positives may be missed
  demur report predictions.csv --cost-fn 400:600 --cost-fp 100 \\
    --cost-abstain 20 --objective worst --max-fn-rate 0.05
a missed fraud costs its amount, a column
  demur report payments.csv --cost-fn amount --cost-fp 25 --cost-abstain 4
three classes, a column of probabilities for each
  demur report stages.csv --classes healthy,early,late \\
    --cost-matrix costs.csv --cost-abstain 0.5
""",
)
@takes(Source)
@takes(Prices)
@takes(Limits)
@takes(Several)
@takes(Classes)
@takes(Design, without=("by",))
@takes(Certainty)
@takes(Pages)
@takes(
    Output,
    path={"help": "Write the page to this file, - for standard output [default: FILE-report.html]."},
)
def command(
    *,
    source: Source,
    prices: Prices,
    limits: Limits,
    several: Several,
    classes: Classes,
    design: Design,
    certainty: Certainty,
    pages: Pages,
    output: Output,
) -> None:
    """Write a page that anybody can open, and say the decision.

    FILE as for `demur compare`. The page is one file without links to anywhere, and computes
    thresholds and costs for any prices while its reader sets them. Up to 4,096 cases it contains
    the scores and classes of all cases, with their weights and amounts if given; above that counts
    and sums by class and block of scores. It contains no names and no other columns, and its footer
    says what it holds; --private leaves out single cases. predictions.csv gives predictions-report.html
    in the current folder; an earlier page of that name is replaced. With --json the data of the
    page go to standard output (or to -o) instead; with --group every group has a page of its own,
    and {group} in -o stands for it, as it does in --dossier; with --one-page there is one page, whose
    rule is judged in every group.
    """
    from demur.cli.output import document, group_file, wrapped, write

    if output.as_json:
        if pages.dossier is not None:
            raise InputError("`--dossier` comes with the page. Hint: leave out --json.")
        output.format((".json",))
    else:
        output.format((".html", ".htm"), "print the page from a browser for paper; --json gives the numbers.")
    from demur.cli.answers.asking import FOR_TWO_CLASSES, NOT_PROVEN, ask, proven
    from demur.cli.answers.reporting import make_reports, write_page

    if classes.names is None:
        _require_groups(pages, source, prices, design)
    else:
        refuse(pages, because=FOR_TWO_CLASSES, but=("--dossier",))
    if source.missing_labels == "bounds":
        raise InputError(
            "`--missing-labels bounds` is for demur compare and decide: the page shows no bounds. "
            "Hint: drop leaves these rows out, and the page says that nothing is proven."
        )
    flags = source, prices, limits, classes, certainty, output
    read = ask(*flags, split=not pages.one_page, design=design, several=several)
    parts = make_reports(read, pages.smallest)
    if design.require_proof and not proven(parts):  # no file where a proof is asked for and missing
        said = (part if isinstance(part, str) else part.headline for part in parts.values())
        write("\n".join(map(wrapped, said)), None)
        raise Exit(NOT_PROVEN)
    reports = {name: part for name, part in parts.items() if not isinstance(part, str)}
    left_out = {name: part for name, part in parts.items() if isinstance(part, str)}
    grouped = source.group is not None and not pages.one_page
    if output.as_json:
        groups = {**reports, **{name: {"left_out": reason} for name, reason in left_out.items()}}
        content = {"group": source.group, "groups": groups}
        write(document("report-groups", content) if grouped else reports[""].to_json(), output.path)
        return
    # the page is named after the file; many files or standard input give report.html
    source_name = read.cases.data["source"]
    stem = Path(source_name).name.split(".")[0]
    unnamed = not stem or source_name == "standard input" or any(letter in stem for letter in "*?[")
    start = "report" if unnamed else f"{stem}-report"
    page = output.path or (f"{start}-{{group}}.html" if grouped else f"{start}.html")
    # all names before the first page: nothing is half done when a group cannot be part of one
    files = {part: group_file(page, part) if grouped else page for part in reports}
    dossiers = {}
    if pages.dossier is not None:
        from demur.report.dossier import Dossier

        documents = {part: report.to_dict() for part, report in reports.items()}
        for part, content in documents.items():
            name = group_file(pages.dossier, part) if grouped else pages.dossier
            dossiers[name] = Dossier.of(content, groups=documents if grouped else None)
    for part, report in reports.items():
        write_page(report, files[part], quiet=output.quiet)
    for name, dossier in dossiers.items():
        dossier.save(name)
        write(name, None)
    for part, reason in left_out.items():
        write(wrapped(f"{read.cases.title(part)}. {reason}"), None)


def _require_groups(pages: Pages, source: Source, prices: Prices, design: Design) -> None:
    """Refuse to judge one rule by group where there are no groups, or no judgement of cases."""
    if not pages.one_page:
        return
    if source.group is None:
        raise InputError("`--group COLUMN` is needed beside --one-page. Hint: name the column of the groups.")
    if source.weight is not None:
        raise InputError(
            "`--one-page` counts every case once, got --weight. Hint: leave one of them out, or audit "
            "the policy with demur audit --group."
        )
    if design.cluster is not None:
        raise InputError(
            "`--one-page` takes cases as independent. Hint: leave --cluster out, or --one-page: with --group "
            "alone every group has a page."
        )
    if prices.by_case:
        raise InputError(
            "`--one-page` takes costs that are the same for all cases. Hint: leave it out; with --group "
            "alone every group has a page."
        )
    if pages.smallest is not None:
        raise InputError("`--private` and --one-page exclude each other: groups may be small.")
