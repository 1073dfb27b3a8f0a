"""The answer of `demur report` for more than two classes."""

from pathlib import Path

from demur.cli.answers.many_classes import ClassQuestions, compare_class_parts
from demur.cli.reading.class_columns import ClassRows
from demur.report.classes import ClassReport
from demur.report.model import DataSource

__all__ = ["make_class_reports"]


def make_class_reports(
    rows: ClassRows, questions: ClassQuestions
) -> tuple[dict[str, ClassReport], dict[str, str]]:
    """Make the report of every part of cases of many classes; (reports, why a group has none)."""
    reports, left_out = {}, {}
    for name, compared in compare_class_parts(rows, questions).items():
        if isinstance(compared, str):
            left_out[name] = compared
            continue
        file, whole = Path(rows.source).name, rows.group is None
        source = DataSource(
            name=file,
            group=rows.group,
            part=None if whole else name,
            label=rows.label,
            weight=rows.weight,
            rows=len(rows.parts[name].codes),
        )
        reports[name] = ClassReport.from_comparison(compared, source=source, columns=rows.columns)
    return reports, left_out
