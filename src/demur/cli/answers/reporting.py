"""The answer of `demur report`: a report for all cases or for a group, and its page."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from demur.cli.answers.asking import Asked
from demur.cli.answers.parts import compare_part, why_left_out
from demur.cli.output import remark, wrapped, write, write_file
from demur.cli.reading.evidence import Evidence, Part
from demur.comparison.question import Question
from demur.counts.joined import joined_counts
from demur.engines.labels import class_name
from demur.exceptions import InputError
from demur.report.asked import page_question
from demur.report.document import Report
from demur.report.model import DataSource

if TYPE_CHECKING:
    from demur.report.classes import ClassReport

__all__ = ["make_report", "make_reports", "write_page"]


def make_reports(
    read: Evidence, asked: Asked, smallest: int | None = None
) -> tuple[dict[str, Report], dict[str, str]]:
    """Make the report of every part; (reports, why a group has none).

    With `smallest`, pages hold no cell of fewer cases.
    """
    if smallest is not None:
        read = _joined(read, asked, smallest)
    if read.group is None:
        return {"": _by_group(make_report(read, "", asked), read.whole)}, {}
    reports, left_out = {}, {}
    for name, part in read.parts.items():
        try:
            reports[name] = make_report(read, name, asked)
        except InputError as error:
            left_out[name] = why_left_out(part, error)
    return reports, left_out


def _by_group(report: Report, part: Part) -> Report:
    """Judge the rule in every group, where the rows tell their groups and a model decides."""
    rows, comparison = part.rows, report.comparison
    if rows is None or rows.groups is None:
        return report
    answer = None if comparison is None else comparison.answer
    if answer is None or answer.model is None:
        return replace(
            report, notes=(*report.notes, "Groups left out: a rule without a model treats all groups alike.")
        )
    names = [class_name(value) for value in rows.groups]
    return report.with_groups(rows.truth, rows.scores[answer.model], names)


def _joined(read: Evidence, asked: Asked, smallest: int) -> Evidence:
    """Return counts of joined scores in place of everything that tells more."""
    if asked.question.by_case or any(part.summed is not None for part in read.parts.values()):
        raise InputError(
            "`--private` takes costs that are the same for all cases: amounts tell about each. "
            "Hint: pass their means."
        )
    if read.data.get("weight") is not None and asked.weights != "repeats":
        raise InputError(
            "`--private` needs numbers of cases, and weights tell how much a case matters. "
            "Hint: leave --weight out, or pass --weights repeats."
        )
    parts = {
        name: Part(
            counted={model: joined_counts(one, smallest=smallest) for model, one in part.counts.items()}
        )
        for name, part in read.parts.items()
    }
    return replace(read, parts=parts)


def make_report(read: Evidence, part: str, asked: Asked) -> Report:
    """Make the report of one part: from its rows where they are at hand, else from its counts."""
    evidence = read.parts[part]
    if evidence.summed is not None:
        return Report.from_comparison(compare_part(read, evidence, asked), source=_source(read, part))
    rows = evidence.rows
    question = asked.question if rows is None else asked.on(rows)
    if evidence.joint is not None and rows is None:
        with_costs = replace(asked, question=_page_question(question))
        return Report.from_comparison(compare_part(read, evidence, with_costs), source=_source(read, part))
    settings: dict[str, Any] = {
        "costs": question.costs,
        "prevalence": question.prevalence,
        "objective": question.objective if question.costs is not None else None,
        "limits": question.limits,
        "confidence_level": question.confidence_level,
        "seed": question.seed,
        "source": _source(read, part),
    }
    if rows is None:
        return Report.from_counts(evidence.counts, **settings)
    # rows that an engine counted stand for so many cases each
    weights = asked.weights if evidence.counted is None else "repeats"
    report = Report.from_predictions(
        rows.truth, rows.scores, sample_weight=rows.weights, weights=weights, **settings
    )
    assert isinstance(report, Report), "no classes were passed"
    return report


def _page_question(question: Question) -> Question:
    """Return the question a page answers: at costs to begin with, where none are given."""
    return page_question(
        question.costs,
        question.prevalence,
        question.objective if question.costs is not None else None,
        question.limits,
        question.confidence_level,
        question.seed,
    )


def _source(read: Evidence, part: str) -> DataSource:
    # the page travels: the folders of its maker are nobody's business
    file = Path(read.data["source"]).name
    whole = read.group is None
    return DataSource(
        name=file,
        group=read.group,
        part=None if whole else part,
        label=read.data.get("label"),
        positive=read.positive,
        negative=read.negative,
        weight=read.data.get("weight"),
        rows=int(read.data["rows"]) if whole else None,
        exact=read.exact,
        certified=None if read.exact else read.certified,
    )


def write_page(report: "Report | ClassReport", page: str, *, quiet: bool) -> None:
    """Write the page, and say the decision and where it is; "-" writes it to standard output."""
    for note in report.notes:
        remark(note, quiet=quiet)
    if page == "-":
        write(report.to_html(), None)
        return
    write_file(Path(page), report.to_html())
    write("\n".join([wrapped(report.headline), page]), None)
