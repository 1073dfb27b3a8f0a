"""What the flags ask about the cases of a file: of two classes, or with `--classes` of any number."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from demur._checks import check_groups, check_times
from demur._progress import Progress
from demur._tables.numbers import percent
from demur.cli.input.cases import Cases, Rows, read_cases
from demur.cli.options import (
    Certainty,
    Classes,
    Design,
    Limits,
    Output,
    Prices,
    Several,
    Source,
    refuse,
)
from demur.cli.options.costs import ColumnPrice
from demur.cli.output import document, remark
from demur.comparison.answer import Answer
from demur.comparison.by_group import GroupCosts
from demur.comparison.case_table import CaseTable, Columns, table_of_classes
from demur.comparison.comparison import Comparison, compared, compared_where_scored
from demur.comparison.problem import DecisionProblem
from demur.comparison.remarks import classes_in_words, no_answer
from demur.costs.reviewer import Reviewer
from demur.engines.cost_files import read_cost_entries
from demur.exceptions import InputError
from demur.honest.splits import FEWEST_CASES
from demur.windows.limits import LIMITS

if TYPE_CHECKING:
    from demur.policy.policy import Policy

__all__ = [
    "COSTS_NEEDED",
    "FOR_TWO_CLASSES",
    "NOT_PROVEN",
    "Question",
    "ask",
    "class_abstain_label",
    "class_question",
    "parts_document",
    "proven",
]

FOR_TWO_CLASSES = "is for two classes. Hint: leave it out beside --classes."
"""Why a flag is refused."""

COSTS_NEEDED = "A decision needs costs. Hint: pass --cost-fn, --cost-fp and --cost-abstain, or --mu and --nu."

NOT_PROVEN = 3
"""Exit code of --require-proof."""

# flags that have a meaning for any number of classes
_WITH_CLASSES = (
    "--label",
    "--model",
    "--weight",
    "--weights",
    "--group",
    "--exclude",
    "--drop-missing",
    "--missing-labels",
    "--unknown-label",
    "--cost-unknown",
    "--cost-abstain",
    "--review-fee",
    "--reviewer-sensitivity",
    "--reviewer-specificity",
    "--objective",
    "--max-abstention",
    "--reviews-per-day",
    "--cases-per-day",
)
_MATRIX_NEEDED = "needs costs. Hint: add --cost-matrix FILE."
_SUM_OF_ONE = 1e-9
_PLACED = {"sample_weight": "weight", "groups": "cluster", "time": "time"}
"""Argument -> role of the column."""

_Made = TypeVar("_Made")


@dataclass(frozen=True, kw_only=True, eq=False)
class Question:
    """What is asked about every part of the cases of a file.

    Attributes
    ----------
    cases : Cases
        What was read.
    problem : DecisionProblem or None
        Costs, limits and certainty for scores of two classes; None with --classes.
    cost_unknown : float or None
        What deciding a case costs whose class cannot be known; their codes follow those of the labels.
    classes : dict
        With --classes the arguments of `table_of_classes`; else empty.
    prices : Prices
        The cost flags; costs that differ by case are made of them and of columns.
    weights : str
        What weights of cases mean.
    labels : tuple
        The classes as the policy writes them, numbers if all are whole; of two the negative one first.
    abstain_label : str, int or None
        The label of an abstention; None to pick one.
    """

    cases: Cases
    problem: DecisionProblem | Any
    prices: Prices
    weights: str
    labels: tuple[Any, ...]
    abstain_label: Any
    cost_unknown: float | None = None
    classes: dict[str, Any] = field(default_factory=dict)

    def compare(self, name: str | None) -> Comparison:
        """Compare the models on the cases of one part; from their counts where there are no rows."""
        part, problem = self.cases.part(name), self.problem
        if part.rows is not None:
            return self._compared_rows(part.rows)
        labels = (self.labels[0], self.labels[1])
        if part.summed is not None:
            table = CaseTable.of_sums(part.summed, problem, labels=labels)
        elif part.joint is not None:
            table = CaseTable.of_joint(part.joint, problem, labels=labels)
        else:
            table = CaseTable.of_counts(part.counts, problem, labels=labels)
        names = classes_in_words(self.cases.negative, self.cases.positive)
        return compared(self._doubted(table, problem), problem, class_names=names)

    def _doubted(self, table: CaseTable, problem: DecisionProblem) -> CaseTable:
        """Return the cases of a part with what is known of rows without a label and of dependence."""
        aside, dependence = self.cases.aside, self.cases.dependence
        table = table if aside is None else aside.beside(table, problem)
        return dependence.on(table, problem) if dependence else table

    def _compared_rows(self, rows: Rows) -> Comparison:
        """Compare the models on rows that all of them scored; each by itself on those it scored."""
        without, every, knowable = rows.unscored, rows, rows.codes < len(self.labels)
        # of cases whose class cannot be known there may be none
        cost_unknown = None if knowable.all() else self.cost_unknown
        rows = rows if knowable.all() else rows.of(knowable)
        columns = rows.columns
        if self.classes:
            placed: dict[str, Any] = {"groups": columns.get("cluster"), "time": columns.get("time")}
            table, problem, names = table_of_classes(
                np.array(self.labels, dtype=object)[rows.codes],
                rows.scores,
                prevalence=None,
                sample_weight=columns.get("weight"),
                **placed,
                **self.classes,
                cost_unknown=cost_unknown,
            )
        else:
            # costs that differ by case and batches are those of the rows
            problem = replace(self.problem, cost_unknown=cost_unknown)
            if problem.by_case:
                problem = replace(problem, costs=self.prices.case_costs(rows.amounts))
            names = classes_in_words(self.cases.negative, self.cases.positive)
            roles, known = self.cases.roles.others, {}
            if "doubt" in columns:
                known[roles["doubt"]] = columns["doubt"]
            if problem.budget is not None:
                budget = problem.budget.on(columns["day"], columns["key"])
                problem = replace(problem, budget=budget)
                coded = budget.coded(columns["day"], columns["key"])
                known |= dict(zip((roles["day"], roles["key"]), coded, strict=True))
            n = len(rows.codes)
            clusters = check_groups(columns["cluster"], n) if "cluster" in columns else None
            times = check_times(columns["time"], n) if "time" in columns else None
            labels = (self.labels[0], self.labels[1])
            codes = rows.codes.astype(np.bool_, copy=False)
            given = Columns(codes, rows.scores, columns.get("weight"), labels, clusters, times, known)
            table = CaseTable.of_columns(given, problem, weights=self.weights)
        if cost_unknown is not None:
            more = {role: every.columns.get(name) for role, name in _PLACED.items()}
            table = table.with_unknown(knowable, every.scores, problem, weights=self.weights, **more)
        if self.cases.aside is not None or self.cases.dependence:
            table = self._doubted(table, problem)
        if without is not None and without.differ:
            table = table.unproven()
        found = compared(table, problem, class_names=names)
        if without is None:
            return found
        own = {
            name: replace(self, problem=replace(self.problem, **problem.alone(name)))._compared_rows(one)
            for name, one in rows.own.items()
        }
        return compared_where_scored(found, own, without)

    def by(
        self, name: str | None, comparison: Comparison, *, models_only: bool = False
    ) -> tuple[str, GroupCosts] | None:
        """Return what the rule of the answer for a part does for every value of --by; None without it."""
        rows = self.cases.part(name).rows
        values = None if rows is None else rows.columns.get("by")
        if values is None:
            return None
        return self.cases.data["by"], comparison.by(values, models_only=models_only)

    def each_part(self, make: Callable[[str], _Made]) -> dict[str, _Made | str]:
        """Make something of all cases, or of every group; a group may give a reason instead."""
        cases = self.cases
        if cases.group is None:
            return {"": make("")}
        parts: dict[str, _Made | str] = {}
        with Progress(len(cases.parts), "groups") as progress:
            for name in cases.parts:
                try:
                    parts[name] = make(name)
                except InputError as error:
                    parts[name] = f"Left out: {error}"
                    if not self.classes and self.cost_unknown is None:
                        counts = next(iter(cases.parts[name].counts.values()))
                        sizes = counts.n_positive, counts.n_negative
                        if min(sizes) < FEWEST_CASES:
                            parts[name] = f"{no_answer(*sizes)} Honest costs are left out: {error}"
                progress.advance()
        return parts

    def policy(self, answer: Answer, name: str | None) -> "Policy":
        """Make the policy of an answer; of columns by class it names those it reads, of two the second."""
        from demur.policy.policy import Policy

        policy = Policy.from_answer(answer, abstain_label=self.abstain_label)
        if not self.classes:
            return policy
        columns = self.cases.roles.models[str(answer.model)]
        if policy.rule.inputs > 1:
            return replace(policy, columns=columns)
        rows = self.cases.part(name).rows
        assert rows is not None, "probabilities are read into memory"
        total = rows.scores[str(answer.model)].sum(axis=1)
        if abs(total - 1).max() > _SUM_OF_ONE:
            raise InputError(
                f"`{self.cases.data['source']}` must have probabilities of two classes that sum to 1 in "
                f"every row: the rule reads one of them, got {total[abs(total - 1).argmax()]:g}. "
                "Hint: divide them by their sum."
            )
        return replace(policy, columns=columns[1:])


def ask(
    source: Source,
    prices: Prices,
    limits: Limits,
    classes: Classes,
    certainty: Certainty,
    output: Output,
    *,
    costs_needed: bool = False,
    split: bool = True,
    abstain_label: str | None = None,
    design: Design | None = None,
    several: Several | None = None,
    unpriced_classes: bool = False,
) -> Question:
    """Check the flags, read the file, and say what there is to say about both.

    With `unpriced_classes` --classes stands without costs, too.
    """
    share = limits.kept().max_abstention
    if limits.cases_per_day is not None and share is not None:
        remark(
            f"--reviews-per-day is a share here, {percent(share)} of the cases: busy days exceed the number. "
            "Hint: --day COLUMN --key COLUMN keeps it every day.",
            quiet=output.quiet,
        )
    joint = several or Several()
    by = None if design is None else design.by
    if by is not None and source.missing_labels == "bounds":
        raise InputError("`--by` needs labels, got --missing-labels bounds. Hint: leave one of them out.")
    asked: dict[str, Any] = {"prices": prices, "weights": source.weights or "importance"}
    asked["cost_unknown"] = prices.cost_unknown
    if classes.names is not None:
        two = len(classes.listed()) == 2
        named = tuple(limit.flag for limit in LIMITS if two or limit.many_classes)
        refuse(source, prices, limits, joint, because=FOR_TWO_CLASSES, but=(*_WITH_CLASSES, *named))
        arguments = class_question(classes, source, prices, limits, certainty, unpriced=unpriced_classes)
        if arguments["costs"] is None and by is not None:
            raise InputError(f"`--by` {_MATRIX_NEEDED}")
        cases = read_cases(source, prices, classes=classes.listed(), design=design)
        remark(cases.sentence, quiet=output.quiet)
        labels = tuple(arguments["classes"])
        label = class_abstain_label(abstain_label, labels)
        return Question(
            cases=cases, problem=None, labels=labels, abstain_label=label, classes=arguments, **asked
        )
    costs = _costs(source, prices, limits, joint.given(), by=by, needed=costs_needed)
    places = None if limits.day is None else limits.places()
    problem = DecisionProblem.checked(
        costs=costs,
        prevalence=prices.prevalence,
        objective=prices.objective,
        limits=limits.kept(),
        confidence_level=certainty.confidence,
        seed=certainty.seed,
        budget=places,
        cost_unknown=prices.cost_unknown,
        **joint.asked(),
    )
    read: dict[str, Any] = {"split": split, "design": design, "places": places, "several": joint}
    cases = read_cases(source, prices, **read)
    remark(cases.sentence, quiet=output.quiet)
    remark(_flags_remark(prices, problem), quiet=output.quiet)
    names = cases.negative, cases.positive
    if abstain_label in names:
        listed = f"{names[1]} and {names[0]}"
        raise InputError(f"`--abstain-label` must not be one of the classes {listed}, got {abstain_label}.")
    # a file has one kind in a column: all labels are whole numbers, or all are text
    whole = all(_is_whole(name) for name in (*names, abstain_label) if name is not None)
    return Question(
        cases=cases,
        problem=problem,
        labels=(int(names[0]), int(names[1])) if whole else names,
        abstain_label=int(abstain_label) if whole and abstain_label is not None else abstain_label,
        **asked,
    )


def _costs(
    source: Source, prices: Prices, limits: Limits, others: Mapping[str, Any], *, by: str | None, needed: bool
) -> Any:
    """Return the costs of two classes; refuse flags that do not go together, and `others` without costs."""
    costs = prices.costs()
    if costs is None and needed:
        raise InputError(COSTS_NEEDED)
    alone = {"--objective": prices.objective, "--unknown-label": source.unknown_label, "--by": by}
    wanted = [*limits.given(), *others, *(name for name, value in alone.items() if value is not None)]
    if costs is None and wanted:
        raise InputError(f"`{wanted[0]}` needs costs. Hint: add --cost-fn and --cost-fp.")
    if prices.known_at_decision and source.engine != "memory":
        raise InputError(
            f"`--known-at-decision` needs the rows in memory, got --engine {source.engine}. "
            "Hint: leave --engine out."
        )
    if limits.day is not None and source.group is not None:
        raise InputError(
            "`--group` would give every group the places of all. Hint: leave it out, or pass the rows of one "
            "group and its own places."
        )
    return costs


def _is_whole(text: str) -> bool:
    """Tell whether a text is a whole number as Python writes it, so that it comes back the same."""
    return text.removeprefix("-").isdecimal() and text == str(int(text))


def _flags_remark(prices: Prices, problem: DecisionProblem) -> str:
    """Say which flag makes no difference, or where no review can pay, whatever it costs."""
    if prices.objective in ("worst", "regret") and not problem.ranged:
        return (
            f"--objective {prices.objective} makes no difference here: no cost and no prevalence is a "
            "range. Hint: --cost-fn 400:600 is one."
        )
    reviewer = None if prices.review_fee is None else prices.reviewer(0.0)
    if reviewer is None or reviewer.better_than_chance:
        if not prices.columns or prices.known_at_decision:
            return ""
        names = sorted({one.column for one in prices.columns.values()})
        known = "Are" if len(names) > 1 else "Is"
        return (
            f"{known} {' and '.join(names)} known when you decide? Then add --known-at-decision: a rule that "
            "reads it may be cheaper."
        )
    return (
        f"Abstaining never pays: a reviewer who recognises {percent(reviewer.sensitivity)} of the positives "
        f"and {percent(reviewer.specificity)} of the negatives is no better than chance."
    )


# ---------------------------------------------------------------- parts


def parts_document(kind: str, asked: Question, parts: Mapping[str, Any]) -> str:
    """Return the JSON document of the answers for every part."""
    answers = {
        name: {"left_out": part} if isinstance(part, str) else part.to_dict() for name, part in parts.items()
    }
    return document(kind, asked.cases.answered(answers), version=3)


def proven(parts: Mapping[str, Any]) -> bool:
    """Tell whether the answer of every part is proven cheaper than the rules without a model."""
    comparisons = [part.comparison for part in parts.values() if not isinstance(part, str)]
    verdicts = [None if one.answer is None else one.answer.verdict for one in comparisons]
    return len(verdicts) == len(parts) and all(verdict == "proven" for verdict in verdicts)


# ---------------------------------------------------------------- any number of classes


def class_question(
    classes: Classes,
    source: Source,
    prices: Prices,
    limits: Limits,
    certainty: Certainty,
    *,
    unpriced: bool = False,
) -> dict[str, Any]:
    """Return what the flags ask as arguments of `table_of_classes`, under the labels of the policy.

    With `unpriced` costs may be left out, and then all flags that need some.
    """
    names = classes.listed()
    # labels that are whole numbers in the file are numbers for the policy, too
    labels = {name: int(name) if all(map(_is_whole, names)) else name for name in names}
    costs, by_class = None, None
    if not unpriced or classes.cost_matrix is not None or classes.ordered:
        costs, by_class = _class_costs(classes, names)
    for name in () if costs is not None else (*prices.given(), *limits.given()):
        raise InputError(f"`{name}` {_MATRIX_NEEDED}")
    abstain = _abstain_cost(prices, by_class)
    if isinstance(abstain, Mapping):
        abstain = {labels[name]: price for name, price in abstain.items()}
    return {
        "costs": None
        if costs is None
        else {
            labels[true]: {labels[name]: cost for name, cost in row.items()} for true, row in costs.items()
        },
        "classes": list(labels.values()),
        "abstain_cost": abstain,
        "objective": prices.objective,
        "limits": limits.kept(),
        "weights": source.weights or "importance",
        "confidence_level": certainty.confidence,
        "seed": certainty.seed,
    }


def class_abstain_label(given: str | None, labels: Sequence[Any]) -> Any:
    """Return the label of an abstention, of the kind of the classes; None to pick one."""
    names = list(map(str, labels))
    if given in names:
        raise InputError(f"`--abstain-label` must not be one of the classes {', '.join(names)}, got {given}.")
    if given is None or not isinstance(labels[0], int):
        return given
    if not _is_whole(given):
        raise InputError(
            f"`--abstain-label` must be a whole number like the classes, got {given!r}. Hint: -1."
        )
    return int(given)


def _class_costs(
    classes: Classes, names: list[str]
) -> tuple[dict[str, dict[str, Any]], dict[str, Any] | None]:
    """Return costs by name, and the price of abstaining by class if the file has one."""
    if classes.ordered:
        step = 1.0 if classes.step_cost is None else classes.step_cost
        rows = {
            true: {name: step * abs(i - j) for j, name in enumerate(names)} for i, true in enumerate(names)
        }
        return rows, None
    if classes.cost_matrix is None:
        raise InputError(
            "`--cost-matrix FILE` is needed with --classes. Hint: costs are never assumed; --ordered "
            "--step-cost 1 is a matrix for classes in order."
        )
    costs, abstain = read_cost_entries(classes.cost_matrix)
    if set(costs) != set(names):
        raise InputError(
            f"`{classes.cost_matrix}` names the classes {', '.join(costs)}, "
            f"--classes names {', '.join(names)}. Hint: both must hold the same classes."
        )
    return costs, abstain


def _abstain_cost(prices: Prices, by_class: dict[str, Any] | None) -> Any:
    given = prices.given()
    said: list[str] = [name for name in ("--cost-abstain", "--review-fee") if name in given]
    said += [] if by_class is None else ["the column abstain of the cost matrix"]
    if len(said) > 1:
        raise InputError(f"Abstaining has two prices: {' and '.join(said)}. Hint: give one of them.")
    if by_class is not None:
        return by_class
    if prices.review_fee is not None:
        rates = prices.reviewer_sensitivity, prices.reviewer_specificity
        # among many classes there is one accuracy, whatever it is called
        one = next((rate for rate in rates if rate is not None), 1.0)
        sensitivity, specificity = (one if rate is None else rate for rate in rates)
        return Reviewer(fee=prices.number("--review-fee"), sensitivity=sensitivity, specificity=specificity)
    price = prices.cost_abstain
    if isinstance(price, ColumnPrice):
        raise InputError(
            f"`--cost-abstain` must be a number or a range beside --classes, got the column {price.column!r}."
        )
    return price
