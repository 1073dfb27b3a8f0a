"""CSV files as text: the separator, the header, and what is wrong with a line."""

import csv
import gzip
import re
import shutil
import zlib
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, cast

from demur._checks import input_error
from demur.exceptions import InputError

__all__ = [
    "MISSING_WORDS",
    "NUMBER_AS_PEOPLE_WRITE",
    "check_row_lengths",
    "copy_with_one_line_end",
    "has_rows",
    "header_line",
    "header_separator",
    "mixes_line_ends",
    "open_text",
    "ragged_line",
    "text_errors",
]

MISSING_WORDS = ("", "NA", "N/A", "NULL", "null")
# 12 %, 1,234 and 1'234.5: numbers, but not to a computer
NUMBER_AS_PEOPLE_WRITE = r"[-+]?[0-9]+([.,][0-9]+)?\s*%|[-+]?[0-9]{1,3}([,.' ][0-9]{3})+([.,][0-9]+)?\s*%?"
_SEPARATORS = (",", ";", "\t", "|")


def has_rows(path: Path, kind: str, shown: str) -> bool:
    """Tell whether a file has a line below its header that is not blank."""
    with text_errors(shown), open_text(path, kind) as handle:
        handle.readline()
        return any(line.strip() for line in handle)


def header_line(path: Path, kind: str, shown: str) -> str:
    """Return the first line of a file."""
    with text_errors(shown), open_text(path, kind) as handle:
        return handle.readline()


def header_separator(header: str, shown: str) -> str:
    """Return the separator of the header line; refuse a header that repeats a name."""
    # what is quoted separates nothing
    separator = max(_SEPARATORS, key=re.sub(r'"[^"]*"', "", header).count)
    with text_errors(shown):
        names = [name.strip() for name in next(csv.reader([header], delimiter=separator), [])]
    counted = Counter(name.lower() for name in names if name)
    repeated = [name for name in names if counted[name.lower()] > 1]
    if repeated:
        raise input_error(
            shown,
            "must not repeat a column name",
            " and ".join(repeated),
            "names that differ only in upper and lower case count as repeated; rename one.",
        )
    return separator


def open_text(path: Path, kind: str, *, newline: str | None = "", new: bool = False) -> IO[str]:
    """Open a CSV file, gzipped or not, as text; line ends stay as they are unless `newline` is None.

    `new`: to write it, not to read it.
    """
    mode, encoding = ("wt", "utf-8") if new else ("rt", "utf-8-sig")
    opener: Any = gzip.open if kind == "gzip" else open
    return cast(IO[str], opener(path, mode, encoding=encoding, newline=newline))


def mixes_line_ends(path: Path, kind: str, shown: str) -> bool:
    """Tell whether lines of a file end in more than one way."""
    with text_errors(shown), open_text(path, kind, newline=None) as handle:
        for _ in handle:
            # one line end is a string, several are a tuple
            if isinstance(getattr(handle, "newlines", None), tuple):
                return True
    return False


def copy_with_one_line_end(path: Path, copy: Path, kind: str, shown: str) -> None:
    """Write a file once more, packed as before, every line ended alike."""
    with (
        text_errors(shown),
        open_text(path, kind, newline=None) as handle,
        open_text(copy, kind, newline="\n", new=True) as written,
    ):
        shutil.copyfileobj(handle, written)


@contextmanager
def text_errors(shown: str) -> Iterator[None]:
    """Turn failures of reading text into one sentence."""
    try:
        yield
    except UnicodeDecodeError:
        raise input_error(shown, "must be UTF-8 text", "other bytes", "save it as UTF-8.") from None
    except csv.Error as error:
        raise input_error(shown, "must be a readable table", str(error)) from None
    except (OSError, EOFError, zlib.error) as error:
        raise input_error(shown, "must be readable", str(error)) from None


def check_row_lengths(path: Path, kind: str, separator: str, shown: str) -> None:
    """Refuse the first line whose number of fields is not that of the header."""
    with text_errors(shown), open_text(path, kind) as handle:
        rows = csv.reader(handle, delimiter=separator)
        header = next(rows)
        for row in rows:
            if row and len(row) != len(header):
                raise ragged_line(shown, expected=len(header), got=len(row), line=rows.line_num)


def ragged_line(shown: str, *, expected: int, got: int, line: int) -> InputError:
    """Build the error for a line with too few or too many fields."""
    return input_error(
        shown,
        f"must have {expected} fields in every line, as in the header",
        f"{got} in line {line}",
        "quote fields that contain the separator.",
    )
