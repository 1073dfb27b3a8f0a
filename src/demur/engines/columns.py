"""Columns of a table: their names, their kinds, their values."""

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Any, Literal

import numpy as np

from demur.exceptions import InputError
from demur.typing import BoolArray

__all__ = [
    "Column",
    "Kind",
    "column_kind",
    "masked_column",
    "require_columns",
    "unknown_column",
]

Kind = Literal["number", "bool", "text", "date", "other"]

_NUMBERS = re.compile(r"U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?|FLOAT|REAL|DOUBLE|DECIMAL.*")
_TEXTS = re.compile(r"VARCHAR|ENUM.*")
_DATES = re.compile(r"DATE|TIMESTAMP.*")
# names of columns in one message, and characters of each
_SHOWN_COLUMNS = 20
_CLOSE_MATCHES = 3
_SHOWN_CHARACTERS = 60


@dataclass(frozen=True, kw_only=True, eq=False)
class Column:
    """One column as it stands in the file.

    Attributes
    ----------
    values : array
        Element i is the value of data row i + 1; what stands at missing places is undefined.
    missing : array of bool
        True where the value is missing (empty, NA, NULL or NaN).
    kind : {"number", "bool", "text", "date", "other"}
        What the values are; "date" covers times of a day, "other" nested types.
    """

    name: str
    values: Any
    missing: BoolArray
    kind: Kind

    @property
    def n_missing(self) -> int:
        """Number of missing values."""
        return int(np.count_nonzero(self.missing))

    @property
    def first_missing(self) -> int | None:
        """Data row (from 1, the header not counted) of the first missing value."""
        return int(np.argmax(self.missing)) + 1 if self.missing.any() else None

    def take(self, rows: BoolArray) -> "Column":
        """Return some of the rows."""
        return replace(self, values=self.values[rows], missing=self.missing[rows])

    def filled(self) -> Any:
        """Return the values with NaN (numbers) or None (all else) where they are missing."""
        if not self.missing.any():
            return self.values
        return np.where(self.missing, np.nan if self.kind == "number" else None, self.values)


def require_columns(shown: str, names: Iterable[str], present: Collection[Any]) -> None:
    """Raise `InputError` for the first column that a table does not have."""
    for name in names:
        if name not in present:
            raise unknown_column(shown, name, present)


def unknown_column(shown: str, name: str, columns: Iterable[Any]) -> InputError:
    """Build the error for a column the table does not have; of a wide table it names a few only."""
    present = list(map(str, columns))
    close = get_close_matches(name, present, n=_CLOSE_MATCHES, cutoff=0.5)
    if len(present) <= _SHOWN_COLUMNS:
        listed = f"its columns are {', '.join(map(_shortened, present))}"
        close = close[:1]
    else:
        listed = f"it has {len(present)} columns, {', '.join(map(_shortened, present[:3]))} and so on"
    hint = f" Hint: did you mean {' or '.join(map(_shortened, close))}?" if close else ""
    return InputError(f"`{shown}` has no column {_shortened(name)!r}; {listed}.{hint}")


def _shortened(name: str) -> str:
    return name if len(name) <= _SHOWN_CHARACTERS else f"{name[: _SHOWN_CHARACTERS - 3]}..."


def column_kind(database_type: str) -> Kind:
    """Return what kind of values a DuckDB type holds."""
    if _NUMBERS.fullmatch(database_type):
        return "number"
    if database_type == "BOOLEAN":
        return "bool"
    if _DATES.fullmatch(database_type):
        return "date"
    return "text" if _TEXTS.fullmatch(database_type) else "other"


def masked_column(name: str, array: Any, kind: Kind) -> Column:
    """Return a column from a masked array; NaN among numbers is missing as well."""
    missing = np.array(np.ma.getmaskarray(array))
    values = np.ma.getdata(array)
    if kind == "number" and values.dtype.kind == "f":
        missing |= np.isnan(values)
    return Column(name=name, values=values, missing=missing, kind=kind)
