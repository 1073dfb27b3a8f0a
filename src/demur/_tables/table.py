"""`Table`: columns of values, their names for programs and their headings for people; plain text."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from os.path import commonprefix
from textwrap import fill, wrap
from typing import Any, NamedTuple

from demur._files.database import first_line
from demur._files.escaping import visible
from demur.exceptions import InputError

__all__ = ["WIDTH", "Column", "Section", "Table", "shortened", "told_apart", "wrapped"]

WIDTH = 80
"""Most letters in a line of text."""

_NUMBER = re.compile(r"[-+<>(]?\d.*|-?inf.*|-", re.DOTALL)
# what a line breaks at
_BLANKS = dict.fromkeys(map(ord, "\t\n\r"), " ")


def value_text(value: Any) -> str:
    """Show any value: truth values as yes and no, numbers with six digits."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.6g}" if isinstance(value, float) else str(value)


@dataclass(frozen=True)
class Column:
    """One column of a table.

    Attributes
    ----------
    name : str
        Name in files for programs; empty: people alone have the column.
    values : sequence
        Text, numbers, truth values, intervals, or None where there is nothing to say. Intervals make two
        columns for programs, `name`_low and `name`_high.
    heading : str or None
        What people read above it; None: programs alone have the column.
    show : callable
        Turns a value into text for people; line breaks stay within the cell.
    """

    name: str
    values: Sequence[Any]
    heading: str | None = None
    show: Callable[[Any], str] = value_text
    ends: bool = False

    def shown(self) -> list[str]:
        """Return the cells as people read them."""
        return ["" if value is None else self.show(value) for value in self.values]

    def plain(self) -> dict[str, list[Any]]:
        """Return the columns that programs read."""
        if not self.name:
            return {}
        if self.ends:
            pairs = [(None, None) if value is None else tuple(value) for value in self.values]
            return {
                f"{self.name}_{end}": [pair[k] for pair in pairs] for k, end in enumerate(("low", "high"))
            }
        return {self.name: [value.item() if hasattr(value, "item") else value for value in self.values]}


class Section(NamedTuple):
    """A heading and what follows it: paragraphs, then a list, then a table of text with a note."""

    title: str
    paragraphs: tuple[str, ...] = ()
    items: tuple[str, ...] = ()
    header: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    note: str = ""

    def numeric(self) -> list[bool]:
        """Tell which columns hold numbers, which stand on the right."""
        columns = zip(*self.rows, strict=True) if self.rows else [()] * len(self.header)
        return [any(column) and all(_NUMBER.fullmatch(cell) for cell in column if cell) for column in columns]

    def text(self) -> str:
        """Lay out the table in 80 columns: long names are cut, text in the last column breaks."""
        right = self.numeric()
        rows = [[visible(cell) for cell in self.header]]
        cells: list[list[list[str]]] = [
            [[visible(part) for part in cell.split("\n")] for cell in row] for row in self.rows
        ]
        if not right[-1] and len(right) > 1:
            fixed = zip(rows[0][:-1], *(row[:-1] for row in cells), strict=True)
            taken = [max(map(len, [head, *chain.from_iterable(column)])) for head, *column in fixed]
            room = WIDTH - sum(width + 2 for width in taken)
            for parts in cells:
                parts[-1] = wrap(" ".join(parts[-1]), max(room, 20), break_on_hyphens=False) or [""]
        for parts in cells:
            tall = max(map(len, parts))
            rows += map(list, zip(*(cell + [""] * (tall - len(cell)) for cell in parts), strict=True))
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        first = min(widths[0], max(WIDTH - sum(width + 2 for width in widths[1:]), 8))
        names = [rows[0][0], *told_apart([row[0] for row in rows[1:]], first)]
        shown = []
        for name, row in zip(names, rows, strict=True):
            aligned = [
                cell.rjust(width) if number else cell.ljust(width)
                for cell, width, number in zip(row[1:], widths[1:], right[1:], strict=True)
            ]
            shown.append("  ".join([name.ljust(first), *aligned]).rstrip())
        return "\n".join(shown)


@dataclass(frozen=True, kw_only=True)
class Table:
    """Columns with a title and a note; people may see other rows than programs.

    Attributes
    ----------
    name : str
        What programs call it.
    columns : tuple of Column
    title : str
        Heading for people.
    note : str
        What people should know to read it.
    over_all_costs : bool
        Whether it holds for all costs rather than for those given.
    """

    name: str
    columns: tuple[Column, ...]
    title: str = ""
    note: str = ""
    over_all_costs: bool = False

    @classmethod
    def of_rows(cls, name: str, rows: Sequence[Mapping[str, Any]], **more: Any) -> "Table":
        """Make a table of rows: columns in the order in which their names first appear."""
        names = dict.fromkeys(key for row in rows for key in row)
        columns = tuple(Column(key, [row.get(key) for row in rows], key) for key in names)
        return cls(name=name, columns=columns, **more)

    def section(self) -> Section:
        """Return what people read."""
        columns = [column for column in self.columns if column.heading is not None]
        rows = zip(*(column.shown() for column in columns), strict=True)
        header = tuple(str(column.heading) for column in columns)
        return Section(self.title or self.name, header=header, rows=tuple(rows), note=self.note)

    def plain(self) -> dict[str, list[Any]]:
        """Return what programs read: name of a column -> values."""
        return {name: values for column in self.columns for name, values in column.plain().items()}

    def to_frame(self, backend: str) -> Any:
        """Return what programs read as a data frame of a library that narwhals knows."""
        import narwhals as nw

        try:
            return nw.from_dict(self.plain(), backend=backend).to_native()  # type: ignore[arg-type]
        except (ImportError, ValueError) as error:
            raise InputError(
                f"`backend` must be a library of data frames that is installed, got {backend!r}: "
                f"{first_line(error)}. Hint: backend='pandas' or 'polars'."
            ) from None

    def below(self, title: str) -> "Table":
        """Return the same under a longer title, such as that of a group."""
        return replace(self, title=f"{title}. {self.title or self.name}")


# ---------------------------------------------------------------- text


def shortened(name: str, width: int) -> str:
    """Cut a long name in its middle: both ends tell models apart."""
    if len(name) <= width:
        return name
    tail = (width - 3) // 2
    return f"{name[: width - 3 - tail]}...{name[len(name) - tail :]}"


def told_apart(names: Sequence[str], width: int) -> list[str]:
    """Cut names to a width; where that makes them equal, cut what they share instead."""
    short = [shortened(name, width) for name in names]
    for same in {text for text in short if short.count(text) > 1}:
        places = [k for k, text in enumerate(short) if text == same and len(names[k]) > width]
        alike = [names[k] for k in places]
        if len(set(alike)) < 2:
            continue
        ends = alike, [name[::-1] for name in alike]
        start, end = (len(commonprefix(some)) for some in ends)  # noqa: RUF071 - letters are meant
        for k in places:
            own = len(names[k]) - start - end
            begin = max(start - max(width - 6 - own, 0), 0)
            shown = names[k][begin : begin + width - 6]
            short[k] = f"...{shown}..."
    return short


def wrapped(text: str, *, indent: str = "") -> str:
    """Break a paragraph into lines of at most 80 columns."""
    text = visible(text.translate(_BLANKS))
    return fill(text, WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)
