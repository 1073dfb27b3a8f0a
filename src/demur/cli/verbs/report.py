"""`demur report FILE`: one HTML page that anybody can open."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from demur.cli.options import (
    Certainty,
    Classes,
    Flags,
    Limits,
    Output,
    Prices,
    Privacy,
    Signing,
    Source,
    flag,
    takes,
    verb,
)
from demur.cli.verbs.refusals import FOR_TWO_CLASSES, WITH_CLASSES, refuse
from demur.exceptions import InputError

__all__ = ["command"]


@dataclass(frozen=True, kw_only=True)
class Pages(Flags):
    """How groups are shown."""

    TITLE: ClassVar[str] = "Pages"

    one_page: bool = flag(
        "--one-page",
        default=False,
        is_flag=True,
        help="With --group: one page for all cases, with its one rule judged in every group, instead of a "
        "page with a rule of its own for each.",
    )


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
@takes(Classes)
@takes(Certainty)
@takes(Pages)
@takes(Privacy)
@takes(Signing)
@takes(
    Output,
    path={"help": "Write the page to this file, - for standard output [default: FILE-report.html]."},
)
def command(
    *,
    source: Source,
    prices: Prices,
    limits: Limits,
    classes: Classes,
    certainty: Certainty,
    pages: Pages,
    privacy: Privacy,
    signing: Signing,
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
        if signing.dossier is not None:
            raise InputError("`--dossier` comes with the page. Hint: leave out --json.")
        output.format((".json",))
    else:
        output.format((".html", ".htm"), "print the page from a browser for paper; --json gives the numbers.")
    if classes.names is None:
        _require_groups(pages, source, prices, privacy)
        read, reports, left_out = _two_classes(source, prices, limits, certainty, pages, privacy, output)
    else:
        refuse(privacy, pages, because=FOR_TWO_CLASSES)
        read, reports, left_out = _many_classes(classes, source, prices, limits, certainty, output)
    grouped = source.group is not None and not pages.one_page
    if output.as_json and grouped:
        groups = {part: report.to_dict() for part, report in reports.items()}
        groups |= {part: {"left_out": reason} for part, reason in left_out.items()}
        write(document("report-groups", {"group": source.group, "groups": groups}), output.path)
        return
    if output.as_json:
        write(reports[""].to_json(), output.path)
        return
    from demur.cli.answers.reporting import write_page

    page = output.path or _default_output(read.data["source"], grouped=grouped)
    # all names before the first page: nothing is half done when a group cannot be part of one
    files = {part: group_file(page, part) if grouped else page for part in reports}
    dossiers = _dossiers(signing.dossier, reports, grouped=grouped)
    for part, report in reports.items():
        write_page(report, files[part], quiet=output.quiet)
    for name, dossier in dossiers.items():
        dossier.save(name)
        write(name, None)
    for part, reason in left_out.items():
        write(wrapped(f"{read.title(part)}. {reason}"), None)


def _dossiers(path: str | None, reports: dict[str, Any], *, grouped: bool) -> dict[str, Any]:
    """Make the dossier of every report under the name of its file; none where no file is named."""
    if path is None:
        return {}
    from demur.cli.output import group_file
    from demur.report.dossier import Dossier

    documents = {part: report.to_dict() for part, report in reports.items()}
    groups = documents if grouped else None
    return {
        group_file(path, part) if grouped else path: Dossier.of(document, groups=groups)
        for part, document in documents.items()
    }


def _require_groups(pages: Pages, source: Source, prices: Prices, privacy: Privacy) -> None:
    """Refuse to judge one rule by group where there are no groups, or no judgement of cases."""
    if not pages.one_page:
        return
    if source.group is None:
        raise InputError("`--group COLUMN` is needed beside --one-page. Hint: name the column of the groups.")
    if source.weight is not None:
        raise InputError(
            "`--one-page` counts every case once, got --weight. Hint: leave one of them out, or judge the "
            "policy with demur judge --group."
        )
    if prices.by_case:
        raise InputError(
            "`--one-page` takes costs that are the same for all cases. Hint: leave it out; with --group "
            "alone every group has a page."
        )
    if privacy.smallest is not None:
        raise InputError("`--private` and --one-page exclude each other: groups may be small.")


def _two_classes(
    source: Source,
    prices: Prices,
    limits: Limits,
    certainty: Certainty,
    pages: Pages,
    privacy: Privacy,
    output: Output,
) -> tuple[Any, dict[str, Any], dict[str, str]]:
    """Read scores; (what was read, reports by part, why a part has none)."""
    from demur.cli.answers.asking import ask_and_read

    asked, evidence = ask_and_read(source, prices, limits, certainty, output, split=not pages.one_page)
    from demur.cli.answers.reporting import make_reports

    return evidence, *make_reports(evidence, asked, privacy.smallest)


def _many_classes(
    classes: Classes, source: Source, prices: Prices, limits: Limits, certainty: Certainty, output: Output
) -> tuple[Any, dict[str, Any], dict[str, str]]:
    """Read one column of probabilities per class; the same."""
    refuse(source, prices, limits, because=FOR_TWO_CLASSES, but=WITH_CLASSES)
    from demur.cli.answers.class_reporting import make_class_reports
    from demur.cli.answers.many_classes import ClassQuestions
    from demur.cli.output import remark
    from demur.cli.reading.class_columns import read_class_rows

    questions = ClassQuestions(classes, source, prices, limits, certainty)
    rows = read_class_rows(source, questions.names)
    remark(rows.sentence, quiet=output.quiet)
    return rows, *make_class_reports(rows, questions)


def _default_output(source: str, *, grouped: bool) -> str:
    """Name the page after the file; many files or standard input give report.html."""
    stem = Path(source).name.split(".")[0]
    if not stem or source == "standard input" or any(letter in stem for letter in "*?["):
        start = "report"
    else:
        start = f"{stem}-report"
    return f"{start}-{{group}}.html" if grouped else f"{start}.html"
