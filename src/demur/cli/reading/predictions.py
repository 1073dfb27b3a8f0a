"""From a file and the user's flags to labels, scores and weights."""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from demur._checks import check_scores, check_weights
from demur._results import read_only
from demur.cli.options import Prices, Source
from demur.cli.reading.roles import (
    Roles,
    choose_roles,
    described,
    only_model,
    read_as,
)
from demur.counts.scores import ScoreCounts
from demur.engines.columns import Column
from demur.engines.files import open_table
from demur.engines.labels import class_name, guessed_positive, named_positive
from demur.engines.tallies import nested_values
from demur.exceptions import InputError
from demur.typing import BoolArray, FloatArray

__all__ = [
    "Predictions",
    "class_without_weight",
    "distinct",
    "missing_values",
    "positive_cases",
    "read_predictions",
    "read_scores",
    "require_whole_weights",
]


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
    amounts : dict
        Column -> costs of the cases.
    dropped : dict
        Class -> rows left out because a value is missing; "" counts rows without a class.
    doubts : array or None
        Element i: how unlike the training data case i is.
    """

    source: str
    roles: Roles
    positive: str
    negative: str
    truth: BoolArray
    scores: dict[str, FloatArray]
    weights: FloatArray | None
    groups: Any = None
    amounts: dict[str, FloatArray] = field(default_factory=dict)
    dropped: dict[str, int] = field(default_factory=dict)
    doubts: FloatArray | None = None

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
        return described(self.source, self.n, self.roles, self.positive) + _dropped_words(self.dropped)

    def to_dict(self) -> dict[str, Any]:
        """Return what was read, without the rows."""
        told = read_as(self.source, self.n, self.roles, self.positive, self.negative)
        return {**told, "dropped": dict(self.dropped)} if self.dropped else told


def read_predictions(
    source: Source, prices: Prices | None = None, *, doubt: str | None = None
) -> Predictions:
    """Read a file; refuse what is ambiguous, missing or not a number, naming the flag or the row."""
    with open_table(source.file) as table:
        roles = choose_roles(table, source, prices=prices, doubt=doubt)
        columns = table.read(roles.columns)
    dropped: dict[str, int] = {}
    if source.drop_missing:
        columns, dropped = _complete_rows(columns, roles.label)
    for column in columns.values():
        _require_complete(column, " (--drop-missing)")
    truth, shown, other = positive_cases(columns[roles.label], source.positive)
    weights = None if roles.weight is None else check_weights(columns[roles.weight].values, roles.weight)
    without = None if weights is None else class_without_weight(truth, weights)
    if without is not None:
        raise InputError(
            f"`--weight {roles.weight}` leaves no case of class {shown if without else other}: "
            "all its weights are 0. Hint: both classes are needed."
        )
    if weights is not None and source.weights == "repeats":
        require_whole_weights(weights, str(roles.weight))
    return Predictions(
        source=table.name,
        roles=roles,
        positive=shown,
        negative=other,
        truth=truth,
        # nobody else holds what was read: results need no copy of it
        scores={name: read_only(check_scores(columns[name].values, name)) for name in roles.models},
        weights=weights,
        groups=None if roles.group is None else columns[roles.group].values,
        amounts={name: columns[name].values for name in roles.amounts},
        dropped=dropped,
        doubts=None if doubt is None else check_scores(columns[doubt].values, doubt),
    )


def read_scores(source: Source) -> tuple[str, str, FloatArray]:
    """Read the one score column of a file without labels: (source, column, scores)."""
    with open_table(source.file) as table:
        model = only_model(table, source)
        column = table.read([model])[model]
    _require_complete(column)
    return table.name, model, check_scores(column.values, model)


# ---------------------------------------------------------------- values


def _complete_rows(columns: dict[str, Column], label: str) -> tuple[dict[str, Column], dict[str, int]]:
    """Return the rows without a missing value, and how many of each class are left out."""
    missing = np.logical_or.reduce([column.missing for column in columns.values()])
    labels = columns[label]
    told: dict[str, int] = {}
    for value, unknown in zip(labels.values[missing], labels.missing[missing], strict=True):
        name = "" if unknown else class_name(value)
        told[name] = told.get(name, 0) + 1
    kept = {
        name: replace(column, values=column.values[~missing], missing=column.missing[~missing])
        for name, column in columns.items()
    }
    return kept, dict(sorted(told.items(), key=lambda item: (item[0] == "", item[0])))


def _dropped_words(dropped: dict[str, int]) -> str:
    """Say what was left out, by class: a class that loses more rows than the other changes the answer."""
    if not dropped:
        return ""
    total = sum(dropped.values())
    parts = [f"{n} of class {name}" if name else f"{n} without a label" for name, n in dropped.items()]
    rows = "1 row" if total == 1 else f"{total} rows"
    return f" Left out {rows} with a missing value: {', '.join(parts)}."


def _require_complete(column: Column, flag: str = "") -> None:
    """Refuse missing values; `flag` is the one that drops their rows, if there is one."""
    if column.n_missing:
        raise InputError(
            f"Column {column.name!r} has {missing_values(column)}. "
            f"Hint: drop those rows{flag}, or fill them in where the model has an answer."
        )


def missing_values(column: Column) -> str:
    """Count the missing values in words."""
    values = "value" if column.n_missing == 1 else "values"
    return f"{column.n_missing} missing {values}, the first in row {column.first_missing}"


def class_without_weight(truth: BoolArray, weights: Any) -> bool | None:
    """Return the class (True: positive) whose weights are all 0; None if both have weight."""
    return next((kind for kind in (True, False) if not weights[truth == kind].any()), None)


def require_whole_weights(weights: FloatArray, name: str) -> None:
    """Refuse parts of cases."""
    broken = weights[weights % 1 != 0]
    if len(broken):
        raise InputError(
            f"`--weights repeats` needs whole numbers of cases in column {name!r}, got {broken[0]:g}. "
            "Hint: leave --weights out, if a weight says how much a case matters."
        )


def positive_cases(column: Column, positive: str | None) -> tuple[BoolArray, str, str]:
    """Return which cases are positive and how the two classes are called in the file."""
    if any(isinstance(value, (list, dict, np.ndarray)) for value in column.values[:1]):
        raise nested_values(column.values)
    classes = distinct(column.values[~column.missing])
    names = [class_name(value) for value in classes]
    shown = ", ".join(names[:5]) + (", ..." if len(names) > 5 else "")
    if len(names) != 2:
        hint = "both classes are needed"
        if len(names) > 2:
            listed = ",".join(names) if len(names) <= 5 else f"{','.join(names[:2])},..."
            hint = f"--classes {listed} takes a column of probabilities for each class; or compare one class "
            hint += "with the rest"
        raise InputError(
            f"Label column {column.name!r} must hold two classes, got {len(names)} ({shown}). "
            f"Hint: {hint}, or pass another --label."
        )
    chosen = guessed_positive(names) if positive is None else named_positive(names, positive)
    if chosen is None:
        reason = "needs --positive" if positive is None else f"has no class {positive!r}"
        # spaces at the ends of a class show only between quotation marks
        first, second = (name if name == name.strip() else repr(name) for name in names)
        raise InputError(
            f"Label column {column.name!r} {reason}: its classes are {first} and {second}. "
            f"Hint: pass --positive {second} or --positive {first}."
        )
    at = names.index(chosen)
    return np.asarray(column.values == classes[at], dtype=np.bool_), chosen, names[1 - at]


def distinct(values: Any) -> Any:
    """Return the distinct values, ascending."""
    return np.unique(values.astype(str) if values.dtype.kind == "O" else values)
