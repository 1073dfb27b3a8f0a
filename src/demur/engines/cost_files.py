"""Cost matrices in files: CSV or TOML with named rows (true) and columns (predicted)."""

from __future__ import annotations

import csv
import math
import tomllib
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from demur._checks import input_error
from demur.costs.matrix import CostMatrix
from demur.exceptions import InputError

__all__ = ["read_cost_entries", "read_cost_matrix"]

_ABSTAIN = "abstain"
_CORNERS = ("true", "actual", "class", "")
_LAYOUT = "the first line is true,<class>,<class>,... and every other line <class>,<cost>,<cost>,..."


def read_cost_matrix(path: str | PathLike[str]) -> CostMatrix:
    """Read a named cost matrix from a CSV or TOML file; names are text, costs are numbers.

    Rows are true classes and columns are answers, in both forms. The order of rows and columns
    does not matter, their names do.

    Parameters
    ----------
    path : path
        A file ending in .csv or .toml.

    Returns
    -------
    CostMatrix
        With classes as text, sorted.

    Raises
    ------
    InputError
        If the file cannot be read, or a name or a cost is missing, repeated or no number; the
        sentence names the line or the table.

    Notes
    -----
    CSV: the first line is ``true,a,b,c``, then one line per true class, ``a,0,1,4``. The first
    field must be "true" (or "actual", "class", empty): a file that starts with "predicted" is
    refused, since its rows and columns are exchanged. The cost of a right answer may be empty.

    TOML: one table per true class, ``[costs.a]`` with lines ``b = 1``; the table around them may
    be left out.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from demur.engines import read_cost_matrix
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder) / "costs.csv"
    ...     _ = file.write_text("true,sick,well\\nsick,0,20\\nwell,1,0\\n")
    ...     read_cost_matrix(file).cost(true="sick", predicted="well")
    20.0
    """
    entries = _entries(path)
    for true, row in entries.items():
        for name, cost in row.items():
            if isinstance(cost, tuple):
                raise input_error(
                    str(path),
                    f"must give a number for {name!r} where {true!r} is true",
                    f"{cost[0]:g}:{cost[1]:g}",
                )
    return _matrix(entries, str(path))


def read_cost_entries(
    path: str | PathLike[str],
) -> tuple[dict[str, dict[str, Any]], dict[str, Any] | None]:
    """Read costs of which some may be ranges ``4:8``, and the price of abstaining by true class.

    The layout is that of `read_cost_matrix`; a column "abstain" that no row has is the price of
    abstaining. Returns {true: {answer: number or (low, high)}} and {true: number} or None.
    """
    entries = _entries(path)
    abstain = None
    if _ABSTAIN not in entries and all(_ABSTAIN in row for row in entries.values()):
        abstain = {true: row.pop(_ABSTAIN) for true, row in entries.items()}
    middle = {true: {name: np.mean(cost) for name, cost in row.items()} for true, row in entries.items()}
    _matrix(middle, str(path))  # says what is missing
    return {true: {true: 0.0, **row} for true, row in entries.items()}, abstain


def _entries(path: str | PathLike[str]) -> dict[str, dict[str, Any]]:
    file = Path(path)
    readers = {".csv": _from_csv, ".toml": _from_toml}
    if file.suffix.lower() not in readers:
        raise input_error("path", "must end in .csv or .toml", repr(str(path)))
    try:
        text = file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise input_error(str(path), "must be UTF-8 text", "other bytes", "save it as UTF-8.") from None
    except OSError as error:
        raise input_error(str(path), "must be readable", error.strerror or type(error).__name__) from None
    return readers[file.suffix.lower()](text, str(path))


def _from_csv(text: str, shown: str) -> dict[str, dict[str, Any]]:
    separator = max((",", ";", "\t"), key=text.split("\n", 1)[0].count)
    reader = csv.reader(text.splitlines(), delimiter=separator)
    numbered = [(reader.line_num, [field.strip() for field in row]) for row in reader]
    lines = [(number, row) for number, row in numbered if any(row)]
    if not lines:
        raise input_error(shown, "must hold a cost matrix", "an empty file", _LAYOUT)
    (_, header), *body = lines
    if header[0].lower() not in _CORNERS:
        hint = _LAYOUT
        if header[0].lower().startswith("pred"):
            hint = "rows are true classes and columns answers: exchange them and write 'true' first."
        raise input_error(shown, "must start with the field 'true'", repr(header[0]), hint)
    _refuse_repeats(header[1:], shown, "column")
    _refuse_repeats([row[0] for _, row in body], shown, "row")
    costs: dict[str, dict[str, Any]] = {}
    for number, row in body:
        if len(row) != len(header):
            raise input_error(
                shown,
                f"must have {len(header)} fields in every line",
                f"{len(row)} in line {number}",
                _LAYOUT,
            )
        costs[row[0]] = {
            name: _number(field, shown, f"line {number}", name)
            for name, field in zip(header[1:], row[1:], strict=True)
            if field or name != row[0]
        }
    return costs


def _from_toml(text: str, shown: str) -> dict[str, dict[str, Any]]:
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise input_error(shown, "must be TOML", f"this from the reader: {error}") from None
    tables = content["costs"] if isinstance(content.get("costs"), dict) and len(content) == 1 else content
    if not tables:
        raise input_error(shown, "must hold a cost matrix", "an empty file", "write [costs.a], then b = 1.")
    costs: dict[str, dict[str, Any]] = {}
    for true, row in tables.items():
        if not isinstance(row, dict):
            raise input_error(
                shown,
                f"must have a table for the class {true!r}",
                repr(row),
                f"write [costs.{true}], then b = 1.",
            )
        costs[true] = {name: _number(value, shown, f"[{true}]", name) for name, value in row.items()}
    return costs


def _number(value: Any, shown: str, where: str, name: str) -> Any:
    """Return a number, or (low, high) for a range."""
    if isinstance(value, str) and ":" in value:
        low, _, high = value.partition(":")
        ends = _number(low, shown, where, name), _number(high, shown, where, name)
        if not ends[0] <= ends[1]:
            raise input_error(shown, f"must give ranges LOW:HIGH for the answer {name!r} in {where}", value)
        return ends
    try:
        # TOML knows true and false; they are no costs
        number = math.nan if isinstance(value, bool) else float(value)
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number):
        raise input_error(shown, f"must give a number for the answer {name!r} in {where}", repr(value))
    return number


def _refuse_repeats(names: list[str], shown: str, what: str) -> None:
    for name in names:
        if not name:
            raise input_error(shown, f"must name every {what}", "an empty name", _LAYOUT)
        if names.count(name) > 1:
            raise input_error(shown, f"must not repeat a {what}", repr(name))


def _matrix(costs: dict[str, dict[str, Any]], shown: str) -> CostMatrix:
    try:
        return CostMatrix.from_mapping(costs)
    except InputError as error:
        raise InputError(f"`{shown}`: {error}") from None
