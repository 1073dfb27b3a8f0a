"""`ClassReport`: the page for any number of classes."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from demur._checks import check_type
from demur._files.whole import whole_file
from demur._results import Result, json_safe
from demur.comparison.classes.answer import ClassAnswer
from demur.comparison.classes.comparison import ClassComparison, compare_class_models
from demur.comparison.classes.levels import ReviewLevel, class_answer_at, review_levels
from demur.comparison.classes.question import ClassRanges
from demur.comparison.question import Limits
from demur.exceptions import InputError
from demur.report.class_parts import holds_rows, page_levels, page_models, page_rows
from demur.report.model import DataSource
from demur.report.notebook import class_page_widget
from demur.report.page_text import framed_page, page_text
from demur.typing import FloatArray, Labels
from demur.windows.class_policy import builtin_labels
from demur.windows.policy_labels import free_label

__all__ = ["ClassReport"]

_SCHEMA, _VERSION = "demur.class_report", 1
_SOURCE = ("name", "group", "part", "label", "weight", "rows")


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class ClassReport(Result):
    """The answer for any number of classes as a page on which a reader edits the matrix of costs.

    Make one with `Report.from_predictions(..., classes=[...])`. The page opens with the answer of
    `compare_models`. At other costs it says what `answer_at` says: the rules it holds, priced anew.
    Costs are honest: the decisions priced are those of rules that did not see the case.

    Attributes
    ----------
    comparison : ClassComparison
        The answer and what it rests on.
    levels : tuple
        Rules chosen for the price of a review and for multiples of it.
    source : DataSource
        Where the cases came from.
    columns : mapping or None
        Model -> its columns in the file.
    made : str
        Time of making, ISO 8601 in UTC.

    Examples
    --------
    Three stages; a late one called healthy costs most:

    >>> import numpy as np
    >>> from demur import Report
    >>> rng = np.random.default_rng(0)
    >>> stages = ["healthy", "early", "late"]
    >>> truth = rng.integers(0, 3, 40)
    >>> proba = rng.dirichlet([1, 1, 1], 40) + 0.8 * np.eye(3)[truth]
    >>> costs = {"healthy": {"early": 1, "late": 2}, "early": {"healthy": 4, "late": 1},
    ...          "late": {"healthy": 20, "early": 5}}
    >>> labels = np.array(stages)[truth]
    >>> report = Report.from_predictions(labels, {"new": proba}, classes=stages, costs=costs)
    >>> report.headline == report.comparison.answer.words
    True

    A late stage called healthy becomes three times as expensive; what the page says then:

    >>> costs["late"]["healthy"] = 60
    >>> report.answer_at(costs).model
    'new'
    """

    comparison: ClassComparison
    levels: tuple[ReviewLevel, ...]
    source: DataSource
    columns: Mapping[str, tuple[str, ...]] | None
    made: str
    _evidence = ("comparison", "levels", "columns")

    @classmethod
    def from_predictions(
        cls,
        y_true: Labels,
        scores: Any,
        *,
        classes: Sequence[Any] | None,
        costs: Any,
        abstain_cost: Any = None,
        limits: Limits | None = None,
        pos_label: Any = None,
        source: DataSource | None = None,
        **settings: Any,
    ) -> ClassReport:
        """Make a report from probabilities; arguments as in `compare_models` with `classes`.

        Of the `limits` only `max_abstention` has a meaning for many classes; `pos_label` has none.
        """
        comparison = compare_class_models(
            y_true,
            scores,
            classes=classes,
            costs=costs,
            abstain_cost=abstain_cost,
            limits=Limits() if limits is None else limits,
            pos_label=pos_label,
            **settings,
        )
        origin = DataSource(rows=len(np.asarray(y_true))) if source is None else source
        return cls.from_comparison(comparison, source=origin)

    @classmethod
    def from_comparison(
        cls,
        comparison: ClassComparison,
        *,
        source: DataSource | None = None,
        columns: Mapping[str, tuple[str, ...]] | None = None,
    ) -> ClassReport:
        """Make a report of what `compare_models` gave; `columns` names those of a file, for the policy."""
        check_type(comparison, "comparison", ClassComparison)
        origin = DataSource() if source is None else source
        check_type(origin, "source", DataSource)
        return cls(
            comparison=comparison,
            levels=review_levels(comparison),
            source=origin,
            columns=columns,
            made=datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        )

    # ---------------------------------------------------------------- reading

    @property
    def headline(self) -> str:
        """The answer in words."""
        return self.comparison.answer.words

    @property
    def notes(self) -> tuple[str, ...]:
        """What is odd about the cases, and which rules the page cannot make anew."""
        notes = list(self.comparison.notes)
        if not holds_rows(self.comparison.choice):
            notes.append(
                "At costs you edit, the page prices the rules it holds: rules of expected costs are those of "
                "the costs it was made with."
            )
        return tuple(notes)

    def answer_at(self, costs: Any, *, abstain_cost: Any = None) -> ClassAnswer:
        """Return the cheapest of the rules on the page at other costs: what the page says there.

        Weights are those chosen for the nearest price of a review among `levels`, not chosen again:
        `compare_models` at these costs may find a cheaper rule.

        Parameters
        ----------
        costs : CostMatrix, or mapping {true: {answer: cost}}
            Numbers; ranges are for `compare_models`.
        abstain_cost : number, mapping or Reviewer, optional
            Price of a review; None: no reviews.
        """
        question = self.comparison.question
        ranges = ClassRanges.of(costs, abstain_cost, question.classes)
        if ranges.ranged:
            raise InputError("`costs` must be numbers here. Hint: compare_models takes ranges.")
        if ranges.may_abstain and not question.ranges.may_abstain:
            raise InputError(
                "`abstain_cost` must be None: the rules of this report answer every case. "
                "Hint: make the report with a price of a review."
            )
        return class_answer_at(self.levels, ranges.centre, by_case=holds_rows(self.comparison.choice))

    def to_dict(self) -> dict[str, Any]:
        """Return everything the page knows as JSON-safe built-in types, as docs/report_json.md describes."""
        from demur._version import __version__

        comparison = self.comparison
        question, prices = comparison.question, comparison.question.point
        labels = list(builtin_labels(comparison.classes))
        return {
            "schema": _SCHEMA,
            "version": _VERSION,
            "software": {"demur": __version__},
            "made": self.made,
            "source": {name: getattr(self.source, name) for name in _SOURCE},
            "classes": [str(name) for name in comparison.classes],
            "labels": labels,
            "abstain_label": free_label(*labels),
            "n": comparison.n,
            "class_sizes": json_safe(comparison.class_sizes),
            "shares": json_safe(question.shares),
            "confidence_level": question.confidence_level,
            "folds": comparison.folds,
            "repeats": comparison.repeats,
            "seed": question.seed,
            "costs": prices.answers.tolist(),
            "abstain_costs": json_safe(prices.abstain),
            "ranged": bool(question.ranges.ranged),
            "limits": question.limits.given(),
            "condition": comparison.answer.condition,
            "headline": self.headline,
            "notes": list(self.notes),
            "comparison": comparison.to_dict(),
            "models": page_models(comparison.choice, self.columns),
            "trivial": [one.kind for one in comparison.choice.trivial],
            "levels": page_levels(self.levels),
            "rows": page_rows(comparison.choice),
        }

    def to_json(self) -> str:
        """Return `to_dict` as one line of JSON."""
        return json.dumps(self.to_dict(), allow_nan=False, ensure_ascii=False, separators=(",", ":"))

    def to_frame(self) -> dict[str, list[Any] | FloatArray]:
        """Return the table of all rules: column name -> one entry per rule, for ``pandas.DataFrame``."""
        found = [
            (name, kind, one)
            for name, model in self.comparison.models.items()
            for kind, one in model.rules.items()
        ]
        numbers = {
            "cost": [one.cost for *_, one in found],
            "cost_low": [one.interval.low for *_, one in found],
            "cost_high": [one.interval.high for *_, one in found],
            "hindsight_cost": [one.hindsight_cost for *_, one in found],
            "abstention_rate": [one.abstention_rate for *_, one in found],
            "error_rate": [one.error_rate for *_, one in found],
        }
        return {
            "model": [name for name, *_ in found],
            "kind": [kind for _, kind, _ in found],
            **{name: np.array(column) for name, column in numbers.items()},
        }

    # ---------------------------------------------------------------- the page

    def to_html(self, path: str | Path | None = None) -> str:
        """Return the self-contained page; with `path`, also write it there, whole or not at all."""
        from demur._version import __version__

        text = page_text(
            self.to_json(),
            title=f"demur: {self.source.title}",
            headline=self.headline,
            software=f"demur {__version__}",
            page="classes",
        )
        if path is not None:
            with whole_file(path) as handle:
                handle.write(text)
        return text

    def widget(self) -> Any:
        """Return the page as a widget of a notebook; see `Report.widget`."""
        return class_page_widget(self)

    def _repr_html_(self) -> str:
        return framed_page(self.to_html())

    def __repr__(self) -> str:
        names = ", ".join(list(self.comparison.models)[:4])
        more = ", ..." if len(self.comparison.models) > 4 else ""
        classes = len(self.comparison.classes)
        return (
            f"ClassReport({self.source.title}: {self.comparison.n:g} cases, {classes} classes, "
            f"models {names}{more})"
        )
