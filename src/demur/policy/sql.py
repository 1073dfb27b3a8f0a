"""A decision as SQL: one CASE expression, or a query over a table."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
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
    Comparison,
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

__all__ = ["checked_name", "duckdb_parts", "sql_of"]

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
        levels = printer.levels(decision.bindings)
        rows, helpers = (
            printer.staged(levels, rows),
            ", ".join(column for level in levels for column in level),
        )
        kept = f"* {target.exclude} ({helpers})"
    else:
        expression = printer.bound(decision.bindings, printer.decision(decision))
    return f"{comment}\nSELECT {kept},\n{expression} AS {added}\nFROM {rows}"


def duckdb_parts(decision: Decision, labels: Sequence[Any], rows: str) -> tuple[str, str]:
    """Return the expression of a decision for DuckDB, and the source to take it from, in the order of `rows`.

    Numbers that are read more than once are columns of inner queries, those of the rules of groups as well: a
    subquery for every row would leave the order to the database, and CASE would compute them again and again.
    """
    value, kind = decision.value, label_kind(labels)
    cases: list[tuple[Condition | None, Decision]] = [(None, decision)]
    if isinstance(value, Case) and isinstance(value.otherwise, Decision):
        cases = [*value.branches, (None, value.otherwise)]
    levels: dict[int, dict[str, str]] = defaultdict(dict)
    branches = ""
    for place, (test, one) in enumerate(cases):
        printer = _Printer(DIALECTS["duckdb"], kind, f"demur_{place}_")
        own, columns = printer.named(one)
        for depth, level in enumerate(columns):
            levels[depth].update(level)
        text = printer.decision(own)
        if test is not None:
            branches += f"WHEN {printer.condition(test)} THEN {text} "
    return f"CASE {branches}ELSE {text} END" if branches else text, printer.staged(levels.values(), rows)


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
    """Writes the parts of a decision for one database; numbers computed before are columns with a prefix."""

    def __init__(self, target: Dialect, kind: str, prefix: str = "demur_") -> None:
        self.target, self.kind, self.prefix = target, kind, prefix

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

    def levels(self, bindings: Sequence[tuple[str, Numeric]]) -> list[dict[str, str]]:
        """Return columns of the numbers that are computed before; each level reads only those before it."""
        levels: list[dict[str, str]] = []
        for name, number in bindings:
            text = self.number(number)
            if not levels or any(column in text for column in levels[-1]):
                levels.append({})
            levels[-1][self.number(Bound(name))] = text
        return levels

    def named(self, decision: Decision) -> tuple[Decision, list[dict[str, str]]]:
        """Return a decision whose numbers to choose among, and the best, are columns of two more levels."""
        value, levels = decision.value, self.levels(decision.bindings)
        if not isinstance(value, FirstBest):
            return decision, levels
        each = [Bound(f"value{place}") for place in range(len(value.values))]
        columns, best = [self.number(one) for one in each], Bound("best")
        levels.append(dict(zip(columns, map(self.number, value.values), strict=True)))
        levels.append({self.number(best): self.best(columns, largest=value.largest)})
        pairs = zip(each, value.labels, strict=True)
        *branches, (_, otherwise) = [(Comparison("=", best, one), label) for one, label in pairs]
        return replace(decision, value=Case(tuple(branches), otherwise)), levels

    def staged(self, levels: Iterable[dict[str, str]], rows: str) -> str:
        """Write the source of rows with a column more for every number that is computed before."""
        for place, level in enumerate(levels):
            listed = ", ".join(f"{number} AS {column}" for column, number in level.items())
            rows = f"(SELECT *, {listed}\nFROM {rows}) AS demur_{place}"
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
            column = self.number(Bound(name))
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
        return f"CASE {self.best(numbers, largest=value.largest)}{branches}\n  END"

    def best(self, numbers: Sequence[str], *, largest: bool) -> str:
        return f"{self.target.greatest if largest else self.target.least}({', '.join(numbers)})"

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
            return self.target.column(f"{self.prefix}{value.name}")
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
