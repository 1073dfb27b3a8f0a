"""Tables of an answer as files for other programs: CSV, Excel, Markdown, Parquet; numbers stay numbers."""

import csv
import math
from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from demur._files.database import connect
from demur._files.escaping import markdown, spreadsheet, visible, xml
from demur._files.whole import draft_of, whole_file

__all__ = ["TABLE_FORMATS", "Table", "holds_all", "sql_text", "table_of", "write_tables"]

Table = Mapping[str, Sequence[Any]]
"""Column name -> one entry per row: text, a number, a truth value, or None where there is nothing to say."""

_DIGITS = 6
# the first day a ZIP archive can name: the same table makes the same bytes
_EPOCH = (1980, 1, 1, 0, 0, 0)
_LONGEST_SHEET_NAME = 31


def table_of(rows: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """Turn rows into columns, in the order in which the names first appear."""
    columns: dict[str, list[Any]] = {name: [] for name in chain.from_iterable(rows)}
    for row in rows:
        for name, column in columns.items():
            cell: Any = row.get(name)
            column.append(cell.item() if hasattr(cell, "item") else cell)
    return columns


def write_tables(path: str, tables: Mapping[str, Table], *, words: Sequence[str] = ()) -> None:
    """Write tables by title, in the format the name ends in; the file appears whole or not at all.

    An Excel file has a sheet for each table, Markdown a section for each, below the words. The other
    formats hold one table: the first.
    """
    write, _ = _WRITERS[Path(path).suffix.lower()]
    write(path, tables, words)


def holds_all(path: str) -> bool:
    """Tell whether the format of a file takes several tables."""
    return _WRITERS[Path(path).suffix.lower()][1]


def _rows(table: Table) -> list[tuple[Any, ...]]:
    return list(zip(*table.values(), strict=True))


def _write_text(path: str, tables: Mapping[str, Table], words: Sequence[str]) -> None:
    first = next(iter(tables.values()))
    with whole_file(path) as handle:
        tabs = path.lower().endswith(".tsv")
        writer = csv.writer(handle, delimiter="\t" if tabs else ",", lineterminator="\n")
        lines = [list(first), *_rows(first)]
        writer.writerows([["" if cell is None else spreadsheet(cell) for cell in line] for line in lines])


# ---------------------------------------------------------------- Markdown


def _write_markdown(path: str, tables: Mapping[str, Table], words: Sequence[str]) -> None:
    parts = [markdown(text) for text in words]
    for title, table in tables.items():
        numeric = [
            all(cell is None or isinstance(cell, int | float) for cell in column) for column in table.values()
        ]
        lines = [list(table), ["---:" if one else "---" for one in numeric]]
        lines += [[_in_words(cell) for cell in row] for row in _rows(table)]
        drawn = "\n".join(f"| {' | '.join(map(markdown, line))} |" for line in lines)
        parts.append(f"## {markdown(title)}\n\n{drawn}")
    with whole_file(path) as handle:
        handle.write("\n\n".join(parts) + "\n")


def _in_words(cell: Any) -> str:
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    return f"{cell:.{_DIGITS}g}" if isinstance(cell, float) else str(cell)


# ---------------------------------------------------------------- Parquet


def _sql_type(column: Sequence[Any]) -> str:
    kinds = {type(cell) for cell in column if cell is not None}
    if kinds == {bool}:
        return "BOOLEAN"
    if kinds and kinds <= {int, float}:
        return "BIGINT" if kinds == {int} else "DOUBLE"
    return "VARCHAR"


def _write_parquet(path: str, tables: Mapping[str, Table], words: Sequence[str]) -> None:
    from demur.engines.columns import quoted

    table = next(iter(tables.values()))
    columns = ", ".join(f"{quoted(name)} {_sql_type(table[name])}" for name in table)
    with draft_of(path) as draft, connect() as connection:
        connection.execute(f"create temporary table written ({columns})")
        places = ", ".join("?" for _ in table)
        rows = _rows(table)
        if rows:
            connection.executemany(f"insert into written values ({places})", rows)
        connection.execute(f"copy written to {sql_text(draft)} (format parquet, use_tmp_file false)")


def sql_text(value: object) -> str:
    """Write a text as SQL does."""
    return "'" + str(value).replace("'", "''") + "'"


# ---------------------------------------------------------------- Excel: Office Open XML, ECMA-376

_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_SHEET = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'


def _write_workbook(path: str, tables: Mapping[str, Table], words: Sequence[str]) -> None:
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
    with draft_of(path) as draft, ZipFile(draft, "w", ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(ZipInfo(name, _EPOCH), _XML + content, ZIP_DEFLATED)


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


# ---------------------------------------------------------------- all formats


_WRITERS: dict[str, tuple[Callable[[str, Mapping[str, Table], Sequence[str]], None], bool]] = {
    ".csv": (_write_text, False),
    ".tsv": (_write_text, False),
    ".xlsx": (_write_workbook, True),
    ".md": (_write_markdown, True),
    ".parquet": (_write_parquet, False),
    ".pq": (_write_parquet, False),
}
"""Ending of a name -> what writes tables and words to such a file, and whether it takes several tables."""

TABLE_FORMATS = tuple(_WRITERS)
"""Endings of names that ask for a table."""
