"""From a file and the user's flags to labels, scores and weights; says what it guessed."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from demur._checks import check_scores, check_weights
from demur.counts.scores import ScoreCounts
from demur.engines.files import Column, Kind, open_table
from demur.engines.labels import class_name, guessed_positive, is_number, named_positive
from demur.exceptions import InputError
from demur.typing import BoolArray, FloatArray

__all__ = [
    "Predictions",
    "Roles",
    "Table",
    "choose_roles",
    "class_without_weight",
    "described",
    "distinct",
    "missing_values",
    "positive_cases",
    "read_as",
    "read_class_columns",
    "read_predictions",
    "read_scores",
]

_LABEL_NAMES = ("y_true", "label", "target", "class", "y")
# names that are keys as they stand; "risk_index" or "worst_case" may well be a score
_KEY_NAMES = re.compile(r"(row|case|fold|split|repeat|seed)(_?(id|no|nr|number))?|index|idx|id|.*_id")
_WEIGHT_NAMES = re.compile(r"(sample_|case_)?weights?")
# what DuckDB and pandas call a column without a name: the row numbers pandas and R write
_UNNAMED = re.compile(r"column\d+|unnamed: \d+")


class Table(Protocol):
    """What has to be known of a table before its columns get their roles."""

    name: str
    kinds: dict[str, Kind]
    n_rows: int
    partitions: tuple[str, ...]

    def require(self, names: Iterable[str]) -> None:
        """Raise `InputError` for a column the table does not have."""

    def n_numeric(self, name: str) -> int:
        """Return how many values of a text column are numbers."""

    def read(self, names: Iterable[str]) -> dict[str, Column]:
        """Read columns by name into arrays."""


@dataclass(frozen=True, kw_only=True)
class Roles:
    """Which column is what, and which were left out and why."""

    label: str
    models: tuple[str, ...]
    weight: str | None
    group: str | None = None
    left_out: tuple[str, ...] = ()

    @property
    def columns(self) -> tuple[str, ...]:
        """All columns in use."""
        return (self.label, *self.models, *(name for name in (self.weight, self.group) if name))


@dataclass(frozen=True, kw_only=True, eq=False)
class Predictions:
    """True classes and scores of one or more models for the same cases.

    Attributes
    ----------
    source : str
        The file as the user wrote it.
    roles : Roles
        The columns in use.
    positive, negative : str
        The two labels as they stand in the file.
    truth : array of bool
        Element i: whether case i is positive.
    scores : dict
        Model -> scores.
    weights : array or None
        Case weights.
    groups : array or None
        Element i: the group of case i.
    """

    source: str
    roles: Roles
    positive: str
    negative: str
    truth: BoolArray
    scores: dict[str, FloatArray]
    weights: FloatArray | None
    groups: Any = None

    @property
    def n(self) -> int:
        """Number of cases."""
        return len(self.truth)

    def counts(self) -> dict[str, ScoreCounts]:
        """Return the evidence of each model."""
        return {
            name: ScoreCounts.from_arrays(self.truth, score, sample_weight=self.weights)
            for name, score in self.scores.items()
        }

    def sentence(self) -> str:
        """Tell what was read, and as what."""
        return described(self.source, self.n, self.roles, self.positive)

    def to_dict(self) -> dict[str, Any]:
        """Return what was read, without the rows."""
        return read_as(self.source, self.n, self.roles, self.positive, self.negative)


def read_as(source: str, n: int, roles: Roles, positive: str, negative: str) -> dict[str, Any]:
    """Return what was read, and as what, as built-in types."""
    return {
        "source": source,
        "rows": n,
        "label": roles.label,
        "positive": positive,
        "negative": negative,
        "weight": roles.weight,
        "group": roles.group,
        "left_out": list(roles.left_out),
    }


def described(source: str, n: int, roles: Roles, positive: str) -> str:
    """Tell what was read, and as what."""
    models = roles.models
    text = f"Read {n} rows of {source}: label column {roles.label}, positive = {positive}, "
    text += f"{len(models)} score column{'s' if len(models) > 1 else ''} ({', '.join(models)})"
    if roles.weight:
        text += f", weights {roles.weight}"
    if roles.group:
        text += f", groups by {roles.group}"
    return text + (f"; left out: {', '.join(roles.left_out)}." if roles.left_out else ".")


def read_predictions(
    file: str,
    *,
    label: str | None,
    positive: str | None,
    models: Sequence[str],
    weight: str | None,
    group: str | None = None,
) -> Predictions:
    """Read a file; refuse what is ambiguous, missing or not a number, naming the flag or the row."""
    with open_table(file) as table:
        roles = choose_roles(table, label=label, models=models, weight=weight, group=group)
        columns = table.read(roles.columns)
    for column in columns.values():
        _require_complete(column)
    truth, shown, other = positive_cases(columns[roles.label], positive)
    weights = None if roles.weight is None else check_weights(columns[roles.weight].values, roles.weight)
    without = None if weights is None else class_without_weight(truth, weights)
    if without is not None:
        raise InputError(
            f"`--weight {roles.weight}` leaves no case of class {shown if without else other}: "
            "all its weights are 0. Hint: both classes are needed."
        )
    return Predictions(
        source=table.name,
        roles=roles,
        positive=shown,
        negative=other,
        truth=truth,
        scores={name: check_scores(columns[name].values, name) for name in roles.models},
        weights=weights,
        groups=None if group is None else columns[group].values,
    )


def read_class_columns(
    file: str, classes: Sequence[str], label: str | None
) -> tuple[str, str, list[str], FloatArray]:
    """Read one probability column per class: (source, label column, true classes, probabilities)."""
    with open_table(file) as table:
        chosen = label if label is not None else _guessed_label(table, taken=list(classes))
        table.require([chosen, *classes])
        for name in classes:
            _require_numbers(table, name, "--classes")
        columns = table.read([chosen, *classes])
    for column in columns.values():
        _require_complete(column)
    truth = [class_name(value) for value in columns[chosen].values]
    unknown = next((name for name in truth if name not in classes), None)
    if unknown is not None:
        raise InputError(
            f"Label column {chosen!r} holds the class {unknown!r}, which --classes does not list. "
            "Hint: list every class, in the spelling of the file."
        )
    proba = np.column_stack([check_scores(columns[name].values, name) for name in classes])
    return table.name, chosen, truth, proba


def read_scores(file: str, models: Sequence[str]) -> tuple[str, str, FloatArray]:
    """Read one score column of a file without labels: (source, column, scores)."""
    with open_table(file) as table:
        table.require(models)
        for name in models:
            _require_numbers(table, name, "--model")
        found = tuple(models) or _guessed_models(table, taken=set())[0]
        if len(found) != 1:
            raise InputError(
                f"`{table.name}` has {len(found)} score columns ({', '.join(found)}). "
                "Hint: choose one with --model."
            )
        column = table.read(found)[found[0]]
    _require_complete(column)
    return table.name, found[0], check_scores(column.values, found[0])


# ---------------------------------------------------------------- which column is what


def choose_roles(
    table: Table,
    *,
    label: str | None,
    models: Sequence[str],
    weight: str | None,
    group: str | None = None,
) -> Roles:
    """Decide the columns: the user's words first, then names that leave no doubt."""
    chosen = label if label is not None else _guessed_label(table, taken=[*models, weight, group])
    table.require([chosen, *models, *(name for name in (weight, group) if name is not None)])
    if group is not None and group in (chosen, *models, weight):
        raise InputError(f"`--group` names {group!r}, which is in use already. Hint: pass another column.")
    for name in [*models, *([] if weight is None else [weight])]:
        flag = "--weight" if name == weight else "--model"
        if name == chosen:
            raise InputError(f"`{flag}` names {name!r}, which is the label column. Hint: pass --label.")
        _require_numbers(table, name, flag)
    if weight is not None and weight in models:
        raise InputError(
            f"Column {weight!r} is given as --model and as --weight. Hint: it can be one of them."
        )
    if models:
        return Roles(label=chosen, models=tuple(dict.fromkeys(models)), weight=weight, group=group)
    found, left_out = _guessed_models(table, taken={chosen, weight, group})
    return Roles(label=chosen, models=found, weight=weight, group=group, left_out=left_out)


def _guessed_label(table: Table, *, taken: Sequence[str | None]) -> str:
    named = [name for name in table.kinds if name.lower() in _LABEL_NAMES]
    found = [name for name in named if name not in taken]
    if len(found) == 1:
        return found[0]
    if named and not found:
        raise InputError(
            f"{named[0]!r} is given as a score or weight, so the label is open. Hint: pass --label."
        )
    which = (
        f"several columns could hold the label ({', '.join(found)})"
        if found
        else "no column is called " + (f"{', '.join(_LABEL_NAMES[:-1])} or {_LABEL_NAMES[-1]}")
    )
    raise InputError(
        f"`{table.name}`: {which}. Hint: pass --label COLUMN; the columns are {', '.join(table.kinds)}."
    )


def _guessed_models(table: Table, *, taken: set[str | None]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    models, left_out = [], []
    for name in table.kinds:
        if name not in taken:
            reason = _reason_to_leave_out(table, name)
            if reason is None:
                models.append(name)
            else:
                left_out.append(f"{name} ({reason})")
    if not models:
        why = f"left out: {', '.join(left_out)}" if left_out else "there is no other column"
        raise InputError(f"`{table.name}` has no score column ({why}). Hint: pass --model COLUMN.")
    return tuple(models), tuple(left_out)


def _reason_to_leave_out(table: Table, name: str) -> str | None:
    lower, kind = name.lower(), table.kinds[name]
    if name in table.partitions:
        return "a partition"
    if lower in _LABEL_NAMES:
        return "a label"
    if _KEY_NAMES.fullmatch(lower) or _UNNAMED.fullmatch(lower):
        return "a key"
    if kind == "text":
        # one stray word must not make a model disappear
        if 2 * table.n_numeric(name) >= table.n_rows:
            raise _not_numbers(table, name, f"Column {name!r} looks like scores, but")
        return "text"
    if kind != "number":
        return "not numbers"
    return f"pass --weight {name} to use it" if _WEIGHT_NAMES.fullmatch(lower) else None


def _require_numbers(table: Table, name: str, flag: str) -> None:
    kind = table.kinds[name]
    if kind == "text":
        raise _not_numbers(table, name, f"`{flag} {name}` must name a column of numbers, but")
    if kind == "other" or (kind == "bool" and flag == "--weight"):
        raise InputError(f"`{flag} {name}` must name a column of numbers, got another type.")


def _not_numbers(table: Table, name: str, opening: str) -> InputError:
    column = table.read([name])[name]
    row = _first_not_a_number(column)
    if column.missing.all():
        return InputError(f"{opening} it is empty. Hint: choose the columns with --model.")
    if row is None:
        return InputError(f"{opening} its numbers are stored as text. Hint: convert the column to numbers.")
    return InputError(
        f"{opening} row {row} holds {str(column.values[row - 1])!r}. Hint: write decimals with a point, "
        "leave missing values empty, or choose the columns with --model."
    )


def _first_not_a_number(column: Column) -> int | None:
    """Return the data row (from 1) of the first text that is no number; None if all are."""
    for row, (value, missing) in enumerate(zip(column.values, column.missing, strict=True), start=1):
        if not missing and not is_number(str(value)):
            return row
    return None


# ---------------------------------------------------------------- values


def _require_complete(column: Column) -> None:
    """Refuse missing values."""
    if column.n_missing:
        raise InputError(
            f"Column {column.name!r} has {missing_values(column)}. "
            "Hint: drop those rows, or fill them in where the model has an answer."
        )


def missing_values(column: Column) -> str:
    """Count the missing values in words."""
    values = "value" if column.n_missing == 1 else "values"
    return f"{column.n_missing} missing {values}, the first in row {column.first_missing}"


def class_without_weight(truth: BoolArray, weights: Any) -> bool | None:
    """Return the class (True: positive) whose weights are all 0; None if both have weight."""
    return next((kind for kind in (True, False) if not weights[truth == kind].any()), None)


def positive_cases(column: Column, positive: str | None) -> tuple[BoolArray, str, str]:
    """Return which cases are positive and how the two classes are called in the file."""
    classes = distinct(column.values[~column.missing])
    names = [class_name(value) for value in classes]
    shown = ", ".join(names[:5]) + (", ..." if len(names) > 5 else "")
    if len(names) != 2:
        hint = "compare one class with the rest" if len(names) > 2 else "both classes are needed"
        raise InputError(
            f"Label column {column.name!r} must hold two classes, got {len(names)} ({shown}). "
            f"Hint: {hint}, or pass another --label."
        )
    chosen = guessed_positive(names) if positive is None else named_positive(names, positive)
    if chosen is None:
        reason = "needs --positive" if positive is None else f"has no class {positive!r}"
        raise InputError(
            f"Label column {column.name!r} {reason}: its classes are {names[0]} and {names[1]}. "
            f"Hint: pass --positive {names[1]} or --positive {names[0]}."
        )
    at = names.index(chosen)
    return np.asarray(column.values == classes[at], dtype=np.bool_), chosen, names[1 - at]


def distinct(values: Any) -> Any:
    """Return the distinct values, ascending."""
    return np.unique(values.astype(str) if values.dtype.kind == "O" else values)
