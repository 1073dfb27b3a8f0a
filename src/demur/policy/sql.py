"""A decision as SQL: one CASE expression, or a query over a table, as each of seven databases writes it."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any

from demur._checks import check_choice, input_error
from demur.exceptions import InputError
from demur.policy.labels import label_kind
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

__all__ = ["DIALECTS", "Dialect", "binary_fraction", "checked_name", "duckdb_parts", "sql_of"]

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
        if table is None:
            raise InputError(
                "`table` is needed: this policy gives places to whole batches. Hint: to_sql(table='cases')."
            )
        if decision.places.carry_over:
            raise InputError(
                "SQL does not know the places that earlier batches left over. Hint: Policy.decide_batch, "
                "to_python() and demur apply do."
            )
    elif table is None:
        return f"{comment}\n{printer.bound(decision.bindings, printer.decision(decision))}"
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
        """Return bound numbers as levels of columns; each level reads only those before it."""
        levels: list[dict[str, str]] = []
        for name, number in bindings:
            text = self.number(number)
            if not levels or any(column in text for column in levels[-1]):
                levels.append({})
            levels[-1][self.number(Bound(name))] = text
        return levels

    def named(self, decision: Decision) -> tuple[Decision, list[dict[str, str]]]:
        """Return a decision with the numbers to compare, and their best, as two more levels of columns."""
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
        """Write the source of rows with a column for every number in the levels."""
        for place, level in enumerate(levels):
            listed = ", ".join(f"{number} AS {column}" for column, number in level.items())
            rows = f"(SELECT *, {listed}\nFROM {rows}) AS demur_{place}"
        return rows

    def batch(self, decision: BatchDecision) -> str:
        """Write the places of a batch as a window function, and the decision of all other rows."""
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
        """Write a value that reads bound numbers as nested queries of one row."""
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
        match test:
            case All():
                return " AND ".join(map(self.condition, test.conditions))
            case Equals():
                written = self.target.as_text.format(raw=self.target.column(test.name))
                return f"{written} IN ({', '.join(map(self.target.text, test.texts))})"
        return f"{self.number(test.left)} {test.operator} {self.number(test.right)}"

    def number(self, value: Numeric) -> str:
        match value:
            case Column():
                return f"CAST({self.target.column(value.name)} AS {self.target.real})"
            case Bound():
                return self.target.column(f"{self.prefix}{value.name}")
            case Number():
                return self.target.literal(value.value)
            case Sum():
                return reduce(lambda total, term: f"({total} + {term})", map(self.number, value.terms))
            case Interpolated():
                return self.interpolated(value)
            case Least():
                return f"{self.target.least}({', '.join(map(self.number, value.values))})"
            case Indicator():
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


# ---------------------------------------------------------------- how databases write names, text and floats

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
# 2**62 is the largest power of two that every database reads as a whole number
_STEP = 62


def _doubled(quote: str, closing: str | None = None) -> Callable[[str], str]:
    """Quote by doubling the closing mark inside."""
    end = closing or quote
    return lambda text: f"{quote}{text.replace(end, end * 2)}{end}"


_quoted_text, _quoted_name, _ticked_name = _doubled("'"), _doubled('"'), _doubled("`")


def _escaped(text: str) -> str:
    """Quote for databases that read backslashes; ${name} must not look like a variable of Spark."""
    known = {"\\": "\\\\", "'": "\\'", "\n": "\\n", "\r": "\\r", "\t": "\\t", "$": "\\u0024"}
    return "'" + "".join(known.get(letter, letter) for letter in text) + "'"


def binary_fraction(value: float, real: str) -> str:
    """Write a float as whole numbers below 2**63 and powers of two: exact wherever floats are binary.

    >>> binary_fraction(0.75, "REAL"), binary_fraction(-2.0, "REAL")
    ('(CAST(3 AS REAL) / CAST(4 AS REAL))', 'CAST(-2 AS REAL)')
    """
    numerator, denominator = value.as_integer_ratio()
    if denominator == 1 and abs(numerator) < 1 << _STEP:
        return f"CAST({numerator} AS {real})"
    sign, exponent = "/", denominator.bit_length() - 1
    if denominator == 1:
        exponent = (numerator & -numerator).bit_length() - 1
        numerator, sign = numerator >> exponent, "*"
    powers = [_STEP] * (exponent // _STEP) + ([exponent % _STEP] if exponent % _STEP else [])
    factors = "".join(f" {sign} CAST({1 << power} AS {real})" for power in powers)
    return f"(CAST({numerator} AS {real}){factors})"


def _cast_text(real: str) -> Callable[[float], str]:
    return lambda value: f"CAST('{value!r}' AS {real})"


def _with_exponent(value: float) -> str:
    """Write a float with an exponent, so that it is not read as a decimal number."""
    digits = repr(value)
    return digits if "e" in digits else f"{digits}e0"


_SQLITE_PERIODS = {
    "hour": "strftime('%Y-%m-%d %H', {})",
    "day": "date({})",
    "week": "date({}, 'weekday 0', '-6 days')",
    "month": "strftime('%Y-%m', {})",
}


@dataclass(frozen=True, kw_only=True)
class Dialect:
    """One database.

    Attributes
    ----------
    name : str
        As people call it.
    real : str
        Type of floats of 64 bits.
    literal, text, column : callables
        Write a finite float exactly, a text, and the name of a column.
    missing : str
        Condition of no score, with {raw} for the column and {score} for it as a float.
    as_text : str
        A column as text that is compared letter by letter.
    whole_table_name : bool
        Whether a dotted name of a table is quoted as one.
    greatest, least : str
        Functions of several numbers; in T-SQL since SQL Server 2022.
    exclude : str
        Word that leaves columns out of all columns; empty where there is none.
    period : callable
        Writes the beginning of the hour, day, week (from Monday) or month of a column.
    text_order : str
        How a column {raw} of text is ordered by its characters, in no other alphabet.
    """

    name: str
    real: str
    literal: Callable[[float], str]
    text: Callable[[str], str] = _quoted_text
    column: Callable[[str], str] = _quoted_name
    missing: str
    as_text: str = "CAST({raw} AS VARCHAR)"
    whole_table_name: bool = False
    greatest: str = "GREATEST"
    least: str = "LEAST"
    exclude: str = ""
    period: Callable[[str, str], str] = "date_trunc('{}', CAST({} AS TIMESTAMP))".format
    text_order: str = "CAST({raw} AS VARCHAR)"

    def table(self, name: str) -> str:
        """Write the name of a table; dots part catalogue, schema and table."""
        parts = [name] if self.whole_table_name else name.split(".")
        return ".".join(map(self.column, parts))


DIALECTS = {
    "duckdb": Dialect(
        name="DuckDB",
        real="DOUBLE",
        literal=_cast_text("DOUBLE"),
        missing="{raw} IS NULL OR isnan({score})",
        exclude="EXCLUDE",
    ),
    "postgres": Dialect(
        name="PostgreSQL",
        real="DOUBLE PRECISION",
        literal=_cast_text("DOUBLE PRECISION"),
        # in PostgreSQL NaN equals itself and exceeds every number
        missing="{raw} IS NULL OR {score} = CAST('NaN' AS DOUBLE PRECISION)",
        text_order='CAST({raw} AS TEXT) COLLATE "C"',
        as_text="CAST({raw} AS TEXT)",
    ),
    "spark": Dialect(
        name="Spark SQL",
        real="DOUBLE",
        literal=_with_exponent,
        text=_escaped,
        column=_ticked_name,
        missing="{raw} IS NULL OR isnan({score})",
        text_order="CAST({raw} AS STRING)",
        as_text="CAST({raw} AS STRING)",
    ),
    "bigquery": Dialect(
        name="BigQuery",
        real="FLOAT64",
        literal=_with_exponent,
        text=_escaped,
        # it reads backslashes in names, too
        column=lambda name: "`" + name.replace("\\", "\\\\").replace("`", "\\`") + "`",
        missing="{raw} IS NULL OR IS_NAN({score})",
        as_text="CAST({raw} AS STRING)",
        whole_table_name=True,
        exclude="EXCEPT",
        period=lambda period, column: (
            f"TIMESTAMP_TRUNC(CAST({column} AS TIMESTAMP), {period.upper().replace('WEEK', 'ISOWEEK')})"
        ),
        text_order="CAST({raw} AS STRING)",
    ),
    "snowflake": Dialect(
        name="Snowflake",
        real="DOUBLE",
        literal=_cast_text("DOUBLE"),
        text=_escaped,
        # quoting would make the case of a plain name count
        column=lambda name: name if _PLAIN.fullmatch(name) else _quoted_name(name),
        missing="{raw} IS NULL OR {score} = CAST('NaN' AS DOUBLE)",
        exclude="EXCLUDE",
    ),
    "tsql": Dialect(
        name="T-SQL",
        real="FLOAT(53)",
        # how it rounds decimal digits is not documented
        literal=lambda value: binary_fraction(value, "FLOAT(53)"),
        text=lambda label: "N" + _quoted_text(label),
        column=_doubled("[", "]"),
        missing="{raw} IS NULL",
        # since SQL Server 2022
        period=lambda period, column: (
            f"DATETRUNC({period.replace('week', 'iso_week')}, CAST({column} AS DATETIME2))"
        ),
        text_order="CAST({raw} AS NVARCHAR(4000)) COLLATE Latin1_General_BIN2",
        # its default takes North for north
        as_text="CAST({raw} AS NVARCHAR(MAX)) COLLATE Latin1_General_BIN2",
    ),
    "sqlite": Dialect(
        name="SQLite",
        real="REAL",
        # SQLite promises 15 digits of a decimal number only
        literal=lambda value: binary_fraction(value, "REAL"),
        # it takes a name in double quotes that it does not know for text
        column=lambda name: f"[{name}]" if "]" not in name else _ticked_name(name),
        # text would count as 0; NaN is stored as NULL
        missing="typeof({raw}) NOT IN ('real', 'integer')",
        as_text="CAST({raw} AS TEXT) COLLATE BINARY",
        greatest="max",
        least="min",
        period=lambda period, column: _SQLITE_PERIODS[period].format(column),
        text_order="CAST({raw} AS TEXT) COLLATE BINARY",
    ),
}
