"""Columns of a table: their names, kinds and values, and which of two labels is the positive one."""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Any, Literal

import numpy as np

from demur._checks import input_error
from demur._files.values import is_number
from demur.exceptions import InputError
from demur.typing import BoolArray

__all__ = [
    "Column",
    "Kind",
    "class_name",
    "column_kind",
    "guessed_positive",
    "masked_column",
    "named_positive",
    "one_pos_label",
    "positive_place",
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
    """Build the error for an unknown column; of a wide table it lists only a few columns."""
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


def one_pos_label(pos_label: Any, positive: Any) -> Any:
    """Return the positive class under its name, `pos_label`, or under the older one, `positive`."""
    if pos_label is not None and positive is not None:
        raise input_error("pos_label", "has replaced positive", "both", "leave positive out.")
    return positive if pos_label is None else pos_label


def class_name(value: Any) -> str:
    """Name a label as the user would type it: 1.0 is 1, True is true."""
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (float, np.floating)) and float(value).is_integer():
        return str(int(value))
    return str(value)


def guessed_positive(names: Sequence[str]) -> str | None:
    """Return the positive name of usual pairs of labels: 0 and 1, -1 and 1, false and true."""
    lower = {name.lower(): name for name in names}
    if set(lower) <= {"0", "1"} or set(lower) <= {"-1", "1"}:
        return "1"
    return lower.get("true", "true") if set(lower) <= {"true", "false"} else None


def named_positive(names: Sequence[str], positive: str) -> str | None:
    """Return the name the user means, 1.0 for 1 and Yes for yes included; None if there is none."""
    if positive in names:
        return positive
    wanted = class_name(float(positive)) if is_number(positive) else positive.lower()
    matches = [name for name in names if name.lower() == wanted]
    return matches[0] if len(matches) == 1 else None


def positive_place(labels: Sequence[Any], positive: Any, *, column: str) -> int | None:
    """Return which of the distinct `labels` is positive; None if no case is.

    Raises `InputError` for more than two labels, and where `positive` is needed or unknown.
    """
    names = [class_name(label) for label in labels]
    shown = ", ".join(names[:5]) + (", ..." if len(names) > 5 else "")
    if len(names) > 2:
        raise input_error(
            "y_true",
            "must name a column of two classes",
            f"{len(names)} in {column!r} ({shown})",
            "compare one class with the rest.",
        )
    if positive is None:
        chosen = guessed_positive(names)
        if chosen is None:
            raise input_error(
                "positive",
                "is required unless the labels are {0, 1}, {-1, 1} or {false, true}",
                f"labels {shown} in {column!r}",
                f"pass positive={names[-1]!r} if that is the positive class.",
            )
    else:
        chosen = named_positive(names, class_name(positive))
        # one class only, and it is the other one: nobody is positive
        if chosen is None and len(names) == 2:
            raise input_error("positive", f"must be one of the labels {shown} of {column!r}", repr(positive))
    return names.index(chosen) if chosen in names else None
