"""How seven databases write names, text, floats and a test for NaN."""

import re
from collections.abc import Callable
from dataclasses import dataclass

__all__ = ["DIALECTS", "Dialect", "binary_fraction"]

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
    """Write a float that a database does not take for a decimal number."""
    digits = repr(value)
    return digits if "e" in digits else f"{digits}e0"


_SQLITE_PERIODS = {
    "hour": "strftime('%Y-%m-%d %H', {})",
    "day": "date({})",
    "week": "date({}, 'weekday 0', '-6 days')",
    "month": "strftime('%Y-%m', {})",
}


def _truncated(period: str, column: str) -> str:
    return f"date_trunc('{period}', CAST({column} AS TIMESTAMP))"


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
    period: Callable[[str, str], str] = _truncated
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
