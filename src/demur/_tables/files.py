"""Tables as files: for programs unrounded numbers (CSV, spreadsheets, Parquet), for people documents."""

import csv
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from demur._files.database import connect, quoted, sql_text
from demur._files.escaping import spreadsheet, visible, xml
from demur._files.whole import draft_of, whole_file
from demur._tables.documents import DOCUMENTS, archive, write_document
from demur._tables.table import Section, Table

__all__ = ["TABLE_FORMATS", "joined_groups", "left_out_of", "write_tables"]

_Plain = Mapping[str, Sequence[Any]]
_LONGEST_SHEET_NAME = 31


def write_tables(path: str | Path, tables: Iterable[Table], *, words: Sequence[str] = ()) -> None:
    """Write tables in the format the name ends in; the file appears whole or not at all.

    Documents (.md, .html, .tex, .docx) show what people read, below the words. A spreadsheet has a sheet for
    each table, the other formats the first table: names of columns and unrounded numbers.
    """
    suffix = Path(path).suffix.lower()
    tables = list(tables)
    if suffix in DOCUMENTS:
        sections = [Section("", tuple(words))] if words else []
        write_document(path, "", [*sections, *(table.section() for table in tables)])
        return
    plain = {table.name: content for table in tables if (content := table.plain())}
    write, takes_all = _PROGRAMS[suffix]
    write(path, plain if takes_all else next(iter(plain.values())))


def left_out_of(path: str | Path, tables: Iterable[Table]) -> list[str]:
    """Return the names of the tables that a format with room for one leaves out."""
    names = [table.name for table in tables if table.plain()]
    _, takes_all = _PROGRAMS.get(Path(path).suffix.lower(), (None, True))
    return [] if takes_all else names[1:]


def joined_groups(column: str, groups: Mapping[str, Mapping[str, Table]], *, stacked: bool) -> list[Table]:
    """Return the tables of several groups: stacked by name, or one after the other."""
    if not stacked:
        return [table.below(f"{column} = {name}") for name, own in groups.items() for table in own.values()]
    rows: dict[str, list[dict[str, Any]]] = {}
    for group, own in groups.items():
        for name, table in own.items():
            plain = table.plain()
            rows.setdefault(name, []).extend(
                {column: group, **dict(zip(plain, row, strict=True))} for row in _rows(plain)
            )
    return [Table.of_rows(name, listed) for name, listed in rows.items() if listed]


def _rows(table: _Plain) -> list[tuple[Any, ...]]:
    return list(zip(*table.values(), strict=True))


def _write_csv(path: str | Path, table: _Plain, *, separator: str = ",") -> None:
    with whole_file(path) as handle:
        writer = csv.writer(handle, delimiter=separator, lineterminator="\n")
        lines = [list(table), *_rows(table)]
        writer.writerows([["" if cell is None else spreadsheet(cell) for cell in line] for line in lines])


def _write_parquet(path: str | Path, table: _Plain) -> None:
    columns = ", ".join(f"{quoted(name)} {_sql_type(table[name])}" for name in table)
    with draft_of(path) as draft, connect() as connection:
        connection.execute(f"create temporary table written ({columns})")
        rows = _rows(table)
        if rows:
            connection.executemany(f"insert into written values ({', '.join('?' for _ in table)})", rows)
        connection.execute(f"copy written to {sql_text(draft)} (format parquet, use_tmp_file false)")


def _sql_type(column: Sequence[Any]) -> str:
    kinds = {type(cell) for cell in column if cell is not None}
    if kinds == {bool}:
        return "BOOLEAN"
    if kinds and kinds <= {int, float}:
        return "BIGINT" if kinds == {int} else "DOUBLE"
    return "VARCHAR"


# ---------------------------------------------------------------- spreadsheets: Office Open XML, ECMA-376

_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_SHEET = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'


def _write_workbook(path: str | Path, tables: Mapping[str, _Plain]) -> None:
    with draft_of(path) as draft:
        archive(draft, dict(_workbook(tables)))


def _workbook(tables: Mapping[str, _Plain]) -> Iterable[tuple[str, str]]:
    """Yield the parts of a workbook with a sheet for each table."""
    numbered = list(enumerate(tables, start=1))
    overrides = "".join(
        f'<Override PartName="/xl/worksheets/sheet{k}.xml" ContentType="{_SHEET}.worksheet+xml"/>'
        for k, _ in numbered
    )
    sheets = "".join(
        f'<sheet name="{xml(title[:_LONGEST_SHEET_NAME])}" sheetId="{k}" r:id="rId{k}"/>'
        for k, title in numbered
    )
    links = "".join(
        f'<Relationship Id="rId{k}" Type="{_OFFICE}/worksheet" Target="worksheets/sheet{k}.xml"/>'
        for k, _ in numbered
    )
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types">'
        '<Default Extension="rels" '
        'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        '<Default Extension="xml" ContentType="application/xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{_SHEET}.sheet.main+xml"/>{overrides}</Types>',
        "_rels/.rels": f'<Relationships xmlns="{_PACKAGE}/relationships">'
        f'<Relationship Id="rId1" Type="{_OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}">'
        f"<sheets>{sheets}</sheets></workbook>",
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{_PACKAGE}/relationships">'
        f"{links}</Relationships>",
    }
    for k, title in numbered:
        rows = "".join(
            f'<row r="{r}">{"".join(_cell(cell, f"{_letters(c)}{r}") for c, cell in enumerate(line))}</row>'
            for r, line in enumerate([list(tables[title]), *_rows(tables[title])], start=1)
        )
        parts[f"xl/worksheets/sheet{k}.xml"] = (
            f'<worksheet xmlns="{_MAIN}"><sheetData>{rows}</sheetData></worksheet>'
        )
    for name, content in parts.items():
        yield name, _XML + content


def _cell(cell: Any, place: str) -> str:
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return f'<c r="{place}" t="b"><v>{int(cell)}</v></c>'
    if isinstance(cell, int | float) and math.isfinite(cell):
        return f'<c r="{place}"><v>{cell!r}</v></c>'
    # a cell has no infinities: they become words
    kept = spreadsheet(visible(str(cell)))
    return f'<c r="{place}" t="inlineStr"><is><t xml:space="preserve">{xml(kept)}</t></is></c>'


def _letters(column: int) -> str:
    """Name a column as a spreadsheet does: A, ..., Z, AA, ..."""
    name = ""
    column += 1
    while column:
        column, letter = divmod(column - 1, 26)
        name = chr(ord("A") + letter) + name
    return name


# ---------------------------------------------------------------- all of them

_PROGRAMS: dict[str, tuple[Callable[[str | Path, Any], None], bool]] = {
    ".csv": (_write_csv, False),
    ".tsv": (partial(_write_csv, separator="\t"), False),
    ".xlsx": (_write_workbook, True),
    ".parquet": (_write_parquet, False),
    ".pq": (_write_parquet, False),
}
"""Ending of a name -> what writes it, and whether it takes all tables, by name, or the first."""

TABLE_FORMATS = (*_PROGRAMS, *(each for each in DOCUMENTS if each != ".txt"))
"""Endings of names that ask for tables."""
