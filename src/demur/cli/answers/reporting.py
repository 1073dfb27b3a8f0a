"""The answer of `demur report`: a report for all cases or for a group, and its page."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from demur.cli.answers.asking import Read, TwoClasses, each_part
from demur.cli.output import remark, wrapped, write, write_file
from demur.cli.reading.evidence import Part
from demur.counts.bins import joined_counts
from demur.engines.labels import class_name
from demur.exceptions import InputError
from demur.report.document import Report, page_problem
from demur.report.model import DataSource

__all__ = ["make_report", "make_reports", "write_page"]


def make_reports(read: Read, smallest: int | None) -> dict[str, Report | str]:
    """Make the report of every part, or say why it has none.

    With `smallest`, pages hold no cell of fewer cases.
    """
    if smallest is not None:
        assert isinstance(read, TwoClasses), "refused for many classes"
        cases = read.cases
        if read.problem.by_case or any(part.summed is not None for part in cases.parts.values()):
            raise InputError(
                "`--private` takes costs that are the same for all cases: amounts tell about each. "
                "Hint: pass their means."
            )
        if cases.data.get("weight") is not None and read.weights != "repeats":
            raise InputError(
                "`--private` needs numbers of cases, and weights tell how much a case matters. "
                "Hint: leave --weight out, or pass --weights repeats."
            )
        joint = {"combine": read.problem.include, "price": read.problem.prices}
        for flag in ("cluster", "time", *joint):
            if flag in cases.data or joint.get(flag):
                hint = "Hint: leave one of them out."
                raise InputError(f"`--private` keeps counts alone, and --{flag} needs the cases. {hint}")
        # counts of joined scores in place of everything that tells more
        parts = {
            name: Part(
                counted={model: joined_counts(one, smallest=smallest) for model, one in part.counts.items()}
            )
            for name, part in cases.parts.items()
        }
        read = replace(read, cases=replace(cases, parts=parts))
    return each_part(read, lambda name: make_report(read, name))


def make_report(read: Read, name: str) -> Report:
    """Make the report of one part."""
    if isinstance(read, TwoClasses):
        report, rows = _score_report(read, name), read.cases.parts[name].rows
        if rows is None or rows.groups is None:
            return report
        # the rule is judged in every group, where a model decides
        answer = None if report.comparison is None else report.comparison.answer
        if answer is None or answer.model is None:
            note = "Groups left out: a rule without a model treats all groups alike."
            return replace(report, notes=(*report.notes, note))
        if answer.model not in rows.scores:
            note = "Groups left out: the page judges rules of one model; demur audit --group judges others."
            return replace(report, notes=(*report.notes, note))
        groups = [class_name(value) for value in rows.groups]
        return report.with_groups(rows.truth, rows.scores[answer.model], groups)
    comparison, cases = read.compare(name), read.cases
    classes = comparison.classes if len(comparison.classes) == 2 else ("negative", "positive")
    negative, positive = map(str, classes)
    n = len(cases.parts[name].codes)
    source = _source(read, name, negative=negative, positive=positive, rows=n)
    return Report.from_comparison(comparison, source=source, columns=cases.columns)


def _source(read: Read, name: str, **more: Any) -> DataSource:
    """Say where the cases of one part come from."""
    data, group = read.cases.data, read.cases.group
    return DataSource(
        # the page travels: the folders of its maker are nobody's business
        name=Path(data["source"]).name,
        group=group,
        part=None if group is None else name,
        label=data.get("label"),
        weight=data.get("weight"),
        cluster=data.get("cluster"),
        time=data.get("time"),
        **more,
    )


def _score_report(read: TwoClasses, name: str) -> Report:
    """Make the report of scores: from the rows where they are at hand, else from counts."""
    part, cases = read.cases.parts[name], read.cases
    source = _source(
        read,
        name,
        positive=cases.positive,
        negative=cases.negative,
        rows=int(cases.data["rows"]) if cases.group is None else None,
        exact=cases.exact,
        certified=None if cases.exact else cases.certified,
    )
    if part.summed is not None:
        return Report.from_comparison(read.compare(name), source=source)
    rows, problem = part.rows, read.on(part)
    settings: dict[str, Any] = {
        "costs": problem.costs,
        "prevalence": problem.prevalence,
        "objective": problem.objective if problem.costs is not None else None,
        "limits": problem.limits,
        "confidence_level": problem.confidence_level,
        "seed": problem.seed,
    }
    joint: dict[str, Any] = {"include": problem.include, "prices": problem.prices, "doubt": problem.doubt}
    if cases.doubtful or part.joint is not None or problem.budget is not None:
        # at costs to begin with, where none are given
        asked = replace(read, problem=page_problem(**settings, budget=problem.budget, **joint))
        report = Report.from_comparison(asked.compare(name), source=source)
        return replace(report, costs_given=problem.costs is not None)
    if rows is None:
        return Report.from_counts(part.counts, **settings, source=source)
    return Report.from_predictions(
        rows.truth,
        rows.scores,
        sample_weight=rows.weights,
        weights=read.weights,
        groups=rows.clusters,
        time=rows.times,
        **settings,
        **{**joint, "doubt": rows.known or None},
        source=source,
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
