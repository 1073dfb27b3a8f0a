"""A decision as SQL: one CASE expression, or a query over a table."""

from collections.abc import Sequence
from typing import Any

from demur._checks import check_choice, input_error
from demur.policy.labels import label_kind
from demur.policy.sql_dialects import DIALECTS, Dialect
from demur.windows.expression import (
    All,
    Bound,
    Case,
    Column,
    Condition,
    Decision,
    Equals,
    FirstBest,
    Interpolated,
    Number,
    Numeric,
    Sum,
)

__all__ = ["checked_name", "sql_of"]

_OTHER_NAMES = {"postgresql": "postgres", "pg": "postgres", "sparksql": "spark", "mssql": "tsql"}


def sql_of(
    decision: Decision,
    *,
    labels: Sequence[Any],
    origin: Sequence[str],
    dialect: str,
    table: str | None,
    name: str,
) -> str:
    """Return the CASE expression of a decision, or with `table` the query that adds it as the column `name`.

    `labels` are all those of the policy: their type is that of the decisions. `origin` goes into a comment.
    """
    if isinstance(dialect, str):
        plain = dialect.lower().replace("-", "").replace(" ", "")
        dialect = _OTHER_NAMES.get(plain, plain)
    target = DIALECTS[check_choice(dialect, "dialect", tuple(DIALECTS))]
    expression = _Printer(target, label_kind(labels)).decision(decision)
    head = (
        f"Decision of a policy of demur, for {target.name}; a missing score or NaN gets no decision (NULL)."
    )
    # nothing in it can end the comment or begin another
    lines = (line.replace("*/", "* /").replace("/*", "/ *") for line in (head, *origin))
    comment = "/* " + "\n   ".join(lines) + " */"
    if table is None:
        return f"{comment}\n{expression}"
    added = target.column(checked_name(name, "decision"))
    return f"{comment}\nSELECT *,\n{expression} AS {added}\nFROM {target.table(checked_name(table, 'table'))}"


class _Printer:
    """Writes the parts of a decision for one database."""

    def __init__(self, target: Dialect, kind: str) -> None:
        self.target, self.kind = target, kind

    def decision(self, decision: Decision, indent: str = "") -> str:
        columns, value = decision.columns, decision.value
        if not columns and isinstance(value, Case) and not value.branches:
            return self.result(value.otherwise)
        missing = " OR ".join(
            self.target.missing.format(raw=self.target.column(name), score=self.number(Column(name)))
            for name in columns
        )
        lines = [f"WHEN {missing} THEN NULL"] if columns else []
        if decision.valid is not None:
            lines.append(f"WHEN {self.condition(decision.valid)} THEN {self.value(value)}")
        elif isinstance(value, Case):
            lines += self.cases(value, f"{indent}  ")
        else:
            lines.append(f"ELSE {self.value(value)}")
        text = "".join(f"\n{indent}{line}" for line in (*(f"  {line}" for line in lines), "END"))
        return self.bound(decision.bindings, f"CASE{text}") if decision.bindings else f"CASE{text}"

    def bound(self, bindings: Sequence[tuple[str, Numeric]], text: str) -> str:
        """Write a value that reads numbers computed before: each in a query of one row, inside the next."""
        rows, names = "", ""
        for place, (name, number) in enumerate(bindings):
            column = self.target.column(f"demur_{name}")
            rows = f"SELECT {names}{self.number(number)} AS {column}{rows}"
            rows, names = f"\nFROM ({rows}) AS demur_{place}", f"{names}{column}, "
        return f"(SELECT {text}{rows})"

    def value(self, value: Case | FirstBest) -> str:
        if isinstance(value, Case):
            return (
                f"CASE {' '.join(self.cases(value))} END" if value.branches else self.result(value.otherwise)
            )
        numbers = [self.number(number) for number in value.values]
        pairs = zip(numbers, map(self.label, value.labels), strict=True)
        branches = "".join(f"\n    WHEN {number} THEN {label}" for number, label in pairs)
        pick = self.target.greatest if value.largest else self.target.least
        return f"CASE {pick}({', '.join(numbers)}){branches}\n  END"

    def cases(self, value: Case, indent: str = "") -> list[str]:
        branches = [
            f"WHEN {self.condition(test)} THEN {self.result(found, indent)}" for test, found in value.branches
        ]
        return [*branches, f"ELSE {self.result(value.otherwise, indent)}"]

    def result(self, found: Any, indent: str = "") -> str:
        return self.decision(found, indent) if isinstance(found, Decision) else self.label(found)

    def condition(self, test: Condition) -> str:
        if isinstance(test, All):
            return " AND ".join(map(self.condition, test.conditions))
        if isinstance(test, Equals):
            written = self.target.as_text.format(raw=self.target.column(test.name))
            return f"{written} IN ({', '.join(map(self.target.text, test.texts))})"
        return f"{self.number(test.left)} {test.operator} {self.number(test.right)}"

    def number(self, value: Numeric) -> str:
        if isinstance(value, Column):
            return f"CAST({self.target.column(value.name)} AS {self.target.real})"
        if isinstance(value, Bound):
            return self.target.column(f"demur_{value.name}")
        if isinstance(value, Number):
            return self.target.literal(value.value)
        if isinstance(value, Sum):
            total, *rest = map(self.number, value.terms)
            for term in rest:
                total = f"({total} + {term})"
            return total
        if isinstance(value, Interpolated):
            return self.interpolated(value)
        return f"({self.number(value.left)} * {self.number(value.right)})"

    def interpolated(self, value: Interpolated) -> str:
        at, literal = self.number(value.value), self.target.literal
        pieces = zip(value.points, value.values, value.slopes, strict=True)
        branches = [f"WHEN {at} < {literal(value.points[0])} THEN {literal(value.values[0])}"]
        upper = [*value.points[1:], None]
        for (point, start, slope), end in zip(pieces, upper, strict=True):
            risen = f"({literal(start)} + ({literal(slope)} * ({at} + {literal(-point)})))"
            text = risen if slope else literal(start)
            branches.append(f"ELSE {text}" if end is None else f"WHEN {at} < {literal(end)} THEN {text}")
        return f"CASE {' '.join(branches)} END"

    def label(self, label: Any) -> str:
        if self.kind == "text":
            return self.target.text(str(label))
        return str(label) if self.kind == "whole" else self.target.literal(float(label))


def checked_name(name: object, argument: str) -> str:
    """Return the name of a column or a table."""
    if not isinstance(name, str) or not name or "\0" in name:
        raise input_error(argument, "must be a name", repr(name))
    return name
