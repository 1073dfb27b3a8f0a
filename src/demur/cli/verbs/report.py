"""`demur report FILE`: one HTML page that anybody can open."""

from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

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
    Problem,
    Several,
    Source,
    flag,
    refuse,
    takes,
    verb,
)
from demur.exceptions import InputError

if TYPE_CHECKING:
    from demur.cli.question import Question
    from demur.report.document import Report
    from demur.report.model import DataSource

__all__ = ["command", "make_report"]


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
        help="Also write a dossier, .md, .tex, .html or .docx: purpose, data, costs and their source, rule, "
        "evidence, the costs at which it stays best, groups, limits, how to watch it, lines to sign.",
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
@takes(Source, without=("unknown_label",))
@takes(Prices, without=("cost_unknown",))
@takes(Limits)
@takes(Several)
@takes(Classes)
@takes(Design, without=("by",))
@takes(Certainty)
@takes(Pages)
@takes(Problem)
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
    problem: Problem,
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
    from demur._tables.table import wrapped
    from demur.cli.output import document, group_file, write
    from demur.cli.question import FOR_TWO_CLASSES, NOT_PROVEN, ask, proven

    if pages.dossier is not None:
        _require_document(pages.dossier)
    if output.as_json:
        if pages.dossier is not None:
            raise InputError("`--dossier` comes with the page. Hint: leave out --json.")
        output.format((".json",))
    else:
        output.format((".html", ".htm"), "print the page from a browser for paper; --json gives the numbers.")
    if classes.names is None:
        if pages.one_page:
            _require_groups(pages, source, prices, design)
    else:
        refuse(pages, because=FOR_TWO_CLASSES, but=("--dossier",))
    if source.missing_labels == "bounds":
        raise InputError(
            "`--missing-labels bounds` is for demur compare and decide: the page shows no bounds. "
            "Hint: drop leaves these rows out, and the page says that nothing is proven."
        )
    flags = source, prices, limits, classes, certainty, output
    asked = ask(*flags, split=not pages.one_page, design=design, several=several)
    if pages.smallest is not None:
        asked = _joined_scores(asked, pages.smallest)
    parts = asked.each_part(lambda name: make_report(asked, name))
    if design.require_proof and not proven(parts):  # no file where a proof is asked for and missing
        said = (part if isinstance(part, str) else part.headline for part in parts.values())
        write("\n".join(map(wrapped, said)), None)
        raise Exit(NOT_PROVEN)
    reports = {name: part for name, part in parts.items() if not isinstance(part, str)}
    left_out = {name: part for name, part in parts.items() if isinstance(part, str)}
    grouped = asked.cases.group is not None
    if output.as_json:
        groups = {**reports, **{name: {"left_out": reason} for name, reason in left_out.items()}}
        content = {"group": source.group, "groups": groups}
        write(document("report-groups", content) if grouped else reports[""].to_json(), output.path)
        return
    page = output.path or _page_name(asked.cases.data["source"], grouped=grouped)
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
        _write_page(report, files[part], quiet=output.quiet)
    for name, dossier in dossiers.items():
        dossier.save(name)
        write(name, None)
    for part, reason in left_out.items():
        write(wrapped(f"{asked.cases.title(part)}. {reason}"), None)


def _require_document(path: str) -> None:
    """Refuse other formats before anything is read."""
    from demur._tables.documents import DOCUMENTS

    *most, last = (ending for ending in DOCUMENTS if ending != ".txt")
    if Path(path).suffix.lower() not in (*most, last):
        raise InputError(f"`--dossier {path}` must end in {', '.join(most)} or {last}.")


def _page_name(source: str, *, grouped: bool) -> str:
    """Name the page after the file; many files or standard input give report.html."""
    stem = Path(source).name.split(".")[0]
    unnamed = not stem or source == "standard input" or any(letter in stem for letter in "*?[")
    start = "report" if unnamed else f"{stem}-report"
    return f"{start}-{{group}}.html" if grouped else f"{start}.html"


def _write_page(report: "Report", page: str, *, quiet: bool) -> None:
    """Write the page, and say the decision and where it is; "-" writes it to standard output."""
    from demur._tables.table import wrapped
    from demur.cli.output import remark, write

    for note in report.notes:
        remark(note, quiet=quiet)
    if page == "-":
        write(report.to_html(), None)
        return
    report.to_html(Path(page))
    write("\n".join([wrapped(report.headline), page]), None)


def _require_groups(pages: Pages, source: Source, prices: Prices, design: Design) -> None:
    """Refuse to judge one rule by group where there are no groups, or no judgement of cases."""
    refused = {
        "`--group COLUMN` is needed beside --one-page. Hint: name the column of the groups.": (
            source.group is None
        ),
        "`--one-page` counts every case once, got --weight. Hint: leave one of them out, or audit the policy "
        "with demur audit --group.": source.weight is not None,
        "`--one-page` takes cases as independent. Hint: leave --cluster out, or --one-page: with --group "
        "alone every group has a page.": design.cluster is not None,
        "`--one-page` takes costs that are the same for all cases. Hint: leave it out; with --group alone "
        "every group has a page.": prices.by_case,
        "`--private` and --one-page exclude each other: groups may be small.": pages.smallest is not None,
    }
    for sentence, given in refused.items():
        if given:
            raise InputError(sentence)


def _joined_scores(asked: "Question", smallest: int) -> "Question":
    """Put counts of joined scores, no cell of fewer cases, in place of everything that tells more."""
    from demur.cli.input.cases import Part
    from demur.counts.bins import joined_counts

    cases, problem = asked.cases, asked.problem
    if problem.by_case or any(part.summed is not None for part in cases.parts.values()):
        raise InputError(
            "`--private` takes costs that are the same for all cases: amounts tell about each. "
            "Hint: pass their means."
        )
    if cases.data.get("weight") is not None and asked.weights != "repeats":
        raise InputError(
            "`--private` needs numbers of cases, and weights tell how much a case matters. "
            "Hint: leave --weight out, or pass --weights repeats."
        )
    joint = {"combine": problem.include, "price": problem.prices}
    for name in ("cluster", "time", *joint):
        if name in cases.data or joint.get(name):
            hint = "Hint: leave one of them out."
            raise InputError(f"`--private` keeps counts alone, and --{name} needs the cases. {hint}")
    parts = {
        name: Part(
            counted={model: joined_counts(one, smallest=smallest) for model, one in part.counts.items()}
        )
        for name, part in cases.parts.items()
    }
    return replace(asked, cases=replace(cases, parts=parts))


def make_report(asked: "Question", name: str) -> "Report":
    """Make the report of one part: from the rows where they are at hand, else from counts."""
    from demur.report.document import Report, page_problem, report_of

    part, cases = asked.cases.parts[name], asked.cases
    rows = part.rows
    if asked.classes:
        comparison = asked.compare(name)
        classes = comparison.classes if len(comparison.classes) == 2 else ("negative", "positive")
        negative, positive = map(str, classes)
        n = None if rows is None else len(rows.codes)
        source = _source(asked, name, negative=negative, positive=positive, rows=n)
        return Report.from_comparison(comparison, source=source, columns=cases.roles.models)
    # rows in memory are in no bins
    counted: dict[str, Any] = {} if rows is not None else {"exact": cases.exact}
    if not counted.get("exact", True):
        counted["certified"] = cases.certified
    source = _source(
        asked,
        name,
        positive=cases.positive,
        negative=cases.negative,
        rows=int(cases.data["rows"]) if cases.group is None else None,
        **counted,
    )
    given = asked.problem.costs is not None
    # at costs to begin with, where none are given; all models are drawn on the same cases
    problem = page_problem(asked.problem)
    shared = replace(part, rows=None if rows is None else replace(rows, own={}))
    priced = replace(asked, problem=problem, cases=replace(cases, parts={name: shared}))
    if part.joint is not None:
        report = replace(Report.from_comparison(priced.compare(name), source=source), costs_given=given)
    else:
        compare, counts = partial(priced.compare, name), (lambda: part.counts)
        report = report_of(compare, counts, problem, source, costs_given=given, counted=rows is None)
    if cases.group is not None or rows is None or "group" not in rows.columns:
        return report
    return _by_group(report, rows, asked.labels)


def _by_group(report: "Report", rows: Any, labels: tuple[Any, ...]) -> "Report":
    """Judge the rule in every group, where a model decides."""
    from demur.engines.columns import class_name

    answer = None if report.comparison is None else report.comparison.answer
    if answer is None or answer.model is None:
        note = "Groups left out: a rule without a model treats all groups alike."
        return replace(report, notes=(*report.notes, note))
    if answer.model not in rows.scores:
        note = "Groups left out: the page judges rules of one model; demur audit --group judges others."
        return replace(report, notes=(*report.notes, note))
    groups = [class_name(value) for value in rows.columns["group"]]
    classes = [labels[int(code)] for code in rows.codes]
    return report.with_groups(classes, rows.scores[answer.model], groups)


def _source(asked: "Question", name: str, **more: Any) -> "DataSource":
    """Say where the cases of one part come from."""
    from demur.report.model import DataSource

    data, group = asked.cases.data, asked.cases.group
    roles: dict[str, Any] = {role: data.get(role) for role in ("label", "weight", "cluster", "time")}
    return DataSource(
        # the page travels: the folders of its maker are nobody's business
        name=Path(data["source"]).name,
        group=group,
        part=None if group is None else name,
        **roles,
        **more,
    )
