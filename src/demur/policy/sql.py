"""A decision as SQL: one CASE expression, or a query over a table."""

from collections.abc import Sequence
from typing import Any

from demur._checks import check_choice, input_error
from demur.exceptions import InputError
from demur.policy.labels import label_kind
from demur.policy.sql_dialects import DIALECTS, Dialect
from demur.windows.expression import (
    All,
    BatchDecision,
    Bound,
    Case,
    Column,
    Condition,
    Decision,
    Equals,
    FirstBest,
    Indicator,
    Interpolated,
    Least,
    Number,
    Numeric,
    Sum,
)

__all__ = ["checked_name", "computes_by_group", "duckdb_parts", "sql_of"]

_OTHER_NAMES = {"postgresql": "postgres", "pg": "postgres", "sparksql": "spark", "mssql": "tsql"}


def sql_of(
    decision: Decision | BatchDecision,
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
    printer = _Printer(target, label_kind(labels))
    head = (
        f"Decision of a policy of demur, for {target.name}; a missing score or NaN gets no decision (NULL)."
    )
    # nothing in it can end the comment or begin another
    lines = (line.replace("*/", "* /").replace("/*", "/ *") for line in (head, *origin))
    comment = "/* " + "\n   ".join(lines) + " */"
    if isinstance(decision, BatchDecision):
        _require_batches(decision, table)
    elif table is None:
        return f"{comment}\n{printer.bound(decision.bindings, printer.decision(decision))}"
    assert table is not None
    rows, added = target.table(checked_name(table, "table")), target.column(checked_name(name, "decision"))
    kept = "*"
    if isinstance(decision, BatchDecision):
        expression = printer.batch(decision)
    elif decision.bindings and target.exclude:
        expression = printer.decision(decision)
        rows = printer.staged(decision.bindings, rows)
        helpers = ", ".join(target.column(f"demur_{one}") for one, _ in decision.bindings)
        kept = f"* {target.exclude} ({helpers})"
    else:
        expression = printer.bound(decision.bindings, printer.decision(decision))
    return f"{comment}\nSELECT {kept},\n{expression} AS {added}\nFROM {rows}"


def duckdb_parts(decision: Decision, labels: Sequence[Any], rows: str) -> tuple[str, str]:
    """Return the expression of a decision for DuckDB, and the source to take it from, in the order of `rows`.

    A subquery for every row, as in an expression by itself, would leave the order to the database.
    """
    printer = _Printer(DIALECTS["duckdb"], label_kind(labels))
    return printer.decision(decision), printer.staged(decision.bindings, rows)


def computes_by_group(decision: Decision) -> bool:
    """Tell whether rules of groups compute numbers before they decide."""
    value = decision.value
    assert isinstance(value, Case)
    results = [*(result for _, result in value.branches), value.otherwise]
    return any(isinstance(one, Decision) and bool(one.bindings) for one in results)


def _require_batches(decision: BatchDecision, table: str | None) -> None:
    """Refuse what one query cannot say about whole batches."""
    if table is None:
        raise InputError(
            "`table` is needed: this policy gives places to whole batches. Hint: to_sql(table='cases')."
        )
    if decision.places.carry_over:
        raise InputError(
            "SQL does not know the places that earlier batches left over. Hint: Policy.decide_batch, "
            "to_python() and demur apply do."
        )


class _Printer:
    """Writes the parts of a decision for one database."""

    def __init__(self, target: Dialect, kind: str) -> None:
        self.target, self.kind = target, kind

    def decision(self, decision: Decision, indent: str = "") -> str:
        columns, value = decision.columns, decision.value
        if not columns and isinstance(value, Case) and not value.branches:
            return self.result(value.otherwise)
        lines = [f"WHEN {self.missing(columns)} THEN NULL"] if columns else []
        if decision.valid is not None:
            lines.append(f"WHEN {self.condition(decision.valid)} THEN {self.value(value)}")
        elif isinstance(value, Case):
            lines += self.cases(value, f"{indent}  ")
        else:
            lines.append(f"ELSE {self.value(value)}")
        return "CASE" + "".join(f"\n{indent}{line}" for line in (*(f"  {line}" for line in lines), "END"))

    def staged(self, bindings: Sequence[tuple[str, Numeric]], rows: str) -> str:
        """Write the source of rows with a column more for every number that is computed before."""
        for place, (name, number) in enumerate(bindings):
            column = self.target.column(f"demur_{name}")
            rows = f"(SELECT *, {self.number(number)} AS {column}\nFROM {rows}) AS demur_{place}"
        return rows

    def batch(self, decision: BatchDecision) -> str:
        """Write who is among the first of a batch by a window function; all others as they stand."""
        others, places, target = decision.others, decision.places, self.target
        batch, key = map(target.column, decision.columns[-2:])
        ordered = target.text_order.format(raw=key) if places.text_key else key
        if places.per is not None:
            batch = target.period(places.per, batch)
        none, least = target.literal(0.0), target.literal(decision.least)
        assert others.valid is not None
        # a row without a decision takes nobody's place
        worth = (
            f"CASE WHEN {key} IS NULL OR {self.missing(others.columns)} THEN {none}"
            f" WHEN {self.condition(others.valid)} THEN {self.number(decision.saving)} ELSE {none} END"
        )
        saving = self.bound(others.bindings, worth)
        first = f"{saving} DESC, {self.number(Column(others.columns[0]))} DESC"
        if places.arrival:
            first = f"CASE WHEN {saving} > {least} THEN 0 ELSE 1 END"
        row = f"ROW_NUMBER() OVER (PARTITION BY {batch} ORDER BY {first}, {ordered})"
        return (
            f"CASE\n  WHEN {batch} IS NULL OR {key} IS NULL THEN NULL"
            f"\n  WHEN {saving} > {least} AND {row} <= {places.reviews}"
            f"\n    THEN {self.label(decision.label)}"
            f"\n  ELSE {self.bound(others.bindings, self.decision(others))}\nEND"
        )

    def missing(self, columns: Sequence[str]) -> str:
        return " OR ".join(
            self.target.missing.format(raw=self.target.column(name), score=self.number(Column(name)))
            for name in columns
        )

    def bound(self, bindings: Sequence[tuple[str, Numeric]], text: str) -> str:
        """Write a value that reads numbers computed before: each in a query of one row, inside the next."""
        if not bindings:
            return text
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
        if not isinstance(found, Decision):
            return self.label(found)
        return self.bound(found.bindings, self.decision(found, indent))

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
        if isinstance(value, Least):
            return f"{self.target.least}({', '.join(map(self.number, value.values))})"
        if isinstance(value, Indicator):
            one, zero = map(self.target.literal, (1.0, 0.0))
            return f"CASE WHEN {self.condition(value.condition)} THEN {one} ELSE {zero} END"
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
