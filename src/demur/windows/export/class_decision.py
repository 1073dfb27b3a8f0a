"""A rule for many classes in SQL and in Python: one number per answer, and the first best of them."""

import sys
from collections.abc import Sequence
from typing import Any, NamedTuple

from demur._checks import input_error
from demur.windows.class_rule import ClassRule
from demur.windows.export.python_source import in_docstring
from demur.windows.export.rule import label_kind, origin_lines
from demur.windows.export.sql import checked_name, commented, dialect_of, label_sql
from demur.windows.export.sql_dialects import Dialect

__all__ = ["ClassDecision", "SqlParts", "class_python", "class_sql", "sql_parts"]

LARGEST = sys.float_info.max


class ClassDecision(NamedTuple):
    """The part of a policy for many classes that another system needs.

    `labels` are those of the classes and, last, of abstaining; `columns` the names of the
    probabilities in the order of the classes.
    """

    rule: ClassRule
    labels: tuple[Any, ...]
    columns: tuple[str, ...]
    origin: tuple[tuple[str, str], ...]

    @property
    def kind(self) -> str:
        """Type of the labels: "text", "whole" or "number"."""
        return label_kind(self.labels)

    @property
    def answers(self) -> tuple[Any, ...]:
        """Labels of the answers the rule has."""
        return self.labels if self.rule.abstains else self.labels[:-1]


# ---------------------------------------------------------------- SQL


def class_sql(
    decision: ClassDecision, *, dialect: str, columns: Sequence[str] | None, table: str | None, name: str
) -> str:
    """Return a CASE expression over one column per class, or with `table` the query that adds it."""
    target = dialect_of(dialect)
    parts = sql_parts(decision, target, columns)
    expression = f"CASE WHEN {parts.valid} THEN\n  {parts.choice(parts.values)}\nEND"
    return commented(expression, origin_lines(decision.origin), target, table=table, decision=name)


class SqlParts(NamedTuple):
    """Pieces of a decision in SQL: which rows have one, a number per answer, and what picks a label."""

    valid: str
    values: list[str]
    labels: list[str]
    pick: str

    def choice(self, values: Sequence[str]) -> str:
        """Write the label of the first best of these numbers, expressions or names of columns."""
        if len(values) == 1:
            return self.labels[0]
        cases = "".join(f"\n    WHEN {v} THEN {label}" for v, label in zip(values, self.labels, strict=True))
        return f"CASE {self.pick}({', '.join(values)}){cases}\n  END"


def sql_parts(decision: ClassDecision, target: Dialect, columns: Sequence[str] | None) -> SqlParts:
    """Write the pieces of a decision over one column per class."""
    names = decision.columns if columns is None else tuple(columns)
    m = len(decision.columns)
    if len(names) != m or isinstance(columns, str):
        raise input_error("columns", f"must name {m} columns, one per class", repr(columns))
    raw = [target.column(checked_name(column, "columns")) for column in names]
    scores = [f"CAST({column} AS {target.real})" for column in raw]
    zero, most = target.literal(0.0), target.literal(LARGEST)
    total = _sum(scores)
    # NaN fails one of the two comparisons in every database, wherever it stands among the numbers
    good = [
        f"{target.number(column)}{score} >= {zero} AND {score} <= {most}"
        for column, score in zip(raw, scores, strict=True)
    ]
    return SqlParts(
        valid=" AND ".join([*good, f"{total} > {zero}"]),
        values=_weighted(decision.rule, target, scores, total),
        labels=[label_sql(label, decision.kind, target) for label in decision.answers],
        pick=target.greatest if decision.rule.column_costs is None else target.least,
    )


def _sum(terms: Sequence[str]) -> str:
    """Add from the first to the last, each sum rounded by itself."""
    total = terms[0]
    for term in terms[1:]:
        total = f"({total} + {term})"
    return total


def _weighted(rule: ClassRule, target: Dialect, scores: list[str], total: str) -> list[str]:
    """One expression per answer, in the order of operations of `ClassRule`."""
    if rule.column_costs is None:
        values = [
            f"({target.literal(weight)} * {score})"
            for weight, score in zip(rule.weights.tolist(), scores, strict=True)
        ]
        if rule.abstain_weight:
            values.append(f"({target.literal(rule.abstain_weight)} * {total})")
        return values
    values = []
    for divisor, costs in zip(rule.divisors, rule.column_costs.T.tolist(), strict=True):
        terms = [f"({target.literal(c)} * {s})" for c, s in zip(costs, scores, strict=True) if c]
        values.append(f"({_sum(terms or [target.literal(0.0)])} * {target.literal(divisor)})")
    return values


# ---------------------------------------------------------------- Python


_HEAD = '''"""Decision of a policy of demur.

{origin}
"""

CLASSES = {columns}
LABELS = {labels}
{constants}


def decide(probabilities):
    """Return the label for one probability per class, in the order of CLASSES.

    They need not sum to 1. A missing (None, NaN), negative or infinite one gets no decision: None.
    """
    values = [None if value is None else float(value) for value in probabilities]
    if len(values) != {m}:
        raise ValueError("decide needs {m} probabilities, got " + str(len(values)))
    if not all(value is not None and 0.0 <= value <= {largest!r} for value in values):
        return None
    total = values[0]
    for value in values[1:]:
        total += value
    if not total > 0.0:
        return None
'''

_WEIGHTS = """    scores = [weight * value for weight, value in zip(WEIGHTS, values)]
    if ABSTAIN_WEIGHT is not None:
        scores.append(ABSTAIN_WEIGHT * total)
    return LABELS[scores.index(max(scores))]
"""

_COLUMNS = """    losses = []
    for costs, factor in COSTS:
        loss = 0.0
        for cost, value in zip(costs, values):
            loss += cost * value
        losses.append(loss * factor)
    return LABELS[losses.index(min(losses))]
"""


def class_python(decision: ClassDecision) -> str:
    """Return the source of a module with one function, `decide(probabilities)`, that imports nothing."""
    rule = decision.rule
    if rule.column_costs is None:
        abstain = rule.abstain_weight if rule.abstains else None
        constants = f"WEIGHTS = {tuple(rule.weights.tolist())!r}\nABSTAIN_WEIGHT = {abstain!r}"
        body = _WEIGHTS
    else:
        pairs = zip(map(tuple, rule.column_costs.T.tolist()), rule.divisors, strict=True)
        lines = "".join(f"    {pair!r},\n" for pair in pairs)
        constants = (
            f"# costs of an answer by true class, and the factor of what is expected\nCOSTS = (\n{lines})"
        )
        body = _COLUMNS
    head = _HEAD.format(
        origin="\n".join(map(in_docstring, origin_lines(decision.origin))),
        columns=repr(decision.columns),
        labels=repr(decision.answers if len(decision.answers) > 1 else [*decision.answers]),
        constants=constants,
        m=len(decision.columns),
        largest=LARGEST,
    )
    return head + body
