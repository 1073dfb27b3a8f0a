"""Reports as widgets; the extra `notebook` is imported when somebody asks for one."""

from typing import Any

from demur.costs.case_costs import CaseCosts
from demur.exceptions import InputError
from demur.policy.policy import Policy

__all__ = ["class_page_widget", "page_widget"]


def page_widget(report: Any) -> Any:
    """Return the widget of a `Report`."""
    if isinstance(report.costs, CaseCosts):
        raise InputError("`widget` needs the same costs for all cases. Hint: show the report itself.")
    answer = None if report.comparison is None else report.comparison.answer
    return _widgets().PageWidget(
        page=report.to_html(),
        models=[model.name for model in report.models],
        costs=report.costs,
        policy=None if answer is None or answer.model is None else Policy.from_answer(answer),
        headline=report.headline,
    )


def class_page_widget(report: Any) -> Any:
    """Return the widget of a `Report` of many classes."""
    answer = report.comparison.answer
    return _widgets().ClassPageWidget(
        page=report.to_html(),
        models=list(report.comparison.models),
        classes=report.comparison.classes,
        costs=answer.costs,
        abstain_costs=None if answer.abstain_costs is None else answer.abstain_costs.tolist(),
        policy=None if answer.is_trivial else Policy.from_answer(answer),
        headline=report.headline,
    )


def _widgets() -> Any:
    try:
        from demur.report import widget
    except ImportError:
        raise InputError("`widget` needs anywidget. Hint: pip install 'demur[notebook]'.") from None
    return widget
