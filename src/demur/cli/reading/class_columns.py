"""From a file to true classes and one column of probabilities per class and model."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from demur._checks import check_scores, check_weights
from demur.cli.options import Source
from demur.cli.reading.predictions import missing_values
from demur.cli.reading.roles import guessed_label, require_numbers
from demur.engines.columns import Column
from demur.engines.files import open_table
from demur.engines.labels import class_name
from demur.exceptions import InputError
from demur.typing import BoolArray, FloatArray, IntArray
from demur.windows.class_policy import ClassPolicy

__all__ = [
    "ClassPart",
    "ClassRows",
    "model_columns",
    "read_class_probabilities",
    "read_class_rows",
    "read_labelled_classes",
]

# what may stand between the name of a model and that of a class
_BETWEEN = ("_", ".", ":", "-", " ", "")
_MODEL = "model"


@dataclass(frozen=True, kw_only=True, eq=False)
class ClassPart:
    """The cases of one group, or all of them; `codes` are places in the list of classes."""

    codes: IntArray
    proba: dict[str, FloatArray]
    weights: FloatArray | None

    @property
    def n(self) -> float:
        """Number of cases."""
        return float(len(self.codes) if self.weights is None else self.weights.sum())


@dataclass(frozen=True, kw_only=True, eq=False)
class ClassRows:
    """Everything read from one file.

    Attributes
    ----------
    classes : list of str
        Names as they stand in the file.
    columns : dict
        Model -> its columns, in the order of the classes.
    parts : dict
        Group -> its cases; without groups one entry, under the empty name.
    dropped : int
        Rows left out because a value is missing.
    """

    source: str
    label: str
    classes: list[str]
    columns: dict[str, tuple[str, ...]]
    parts: dict[str, ClassPart]
    group: str | None
    weight: str | None
    dropped: int

    @property
    def rows(self) -> int:
        """Number of rows in use."""
        return sum(len(part.codes) for part in self.parts.values())

    @property
    def sentence(self) -> str:
        """Tell what was read, and as what."""
        more = f" and {len(self.classes) - 8} more" if len(self.classes) > 8 else ""
        names = ", ".join(self.classes[:8]) + more
        models = ", ".join(self.columns)
        text = (
            f"Read {self.rows} rows of {self.source}: label column {self.label}, one column of probabilities "
        )
        text += f"for each of {names}"
        if list(self.columns) != [_MODEL]:
            text += f"; {'models' if len(self.columns) > 1 else 'model'} {models}"
        text += f", weights {self.weight}" if self.weight else ""
        text += f", groups by {self.group}" if self.group else ""
        return f"{text}." + (f" Left out {self.dropped} rows with a missing value." if self.dropped else "")

    def title(self, name: str) -> str:
        """Return the heading of a group."""
        return f"{self.group} = {name}: {self.parts[name].n:g} cases"

    def bins_in_words(self) -> list[str]:
        """Say nothing: the rows themselves were read."""
        return []

    @property
    def data(self) -> dict[str, Any]:
        """What was read, for a document."""
        return {
            "source": self.source,
            "rows": self.rows,
            "label": self.label,
            "classes": self.classes,
            "models": {name: list(columns) for name, columns in self.columns.items()},
            "weight": self.weight,
            "group": self.group,
        }

    def answered(self, parts: dict[str, dict[str, Any]]) -> dict[str, Any]:
        """Return the content of a document: what was read, and the answer for every part."""
        data = self.data
        if self.group is None:
            return {"data": data, **parts[""]}
        groups = {name: {"n": self.parts[name].n, **part} for name, part in parts.items()}
        return {"data": data, "group": self.group, "groups": groups}


def model_columns(
    present: Sequence[str], classes: Sequence[str], given: Sequence[str], source: str
) -> dict[str, tuple[str, ...]]:
    """Return model -> its columns: as the user named them, else columns called like the classes, else groups.

    `given` are the values of --model: NAME=COLUMN,COLUMN,... or a prefix.
    """
    if given:
        return dict(_named(text, present, classes, source) for text in given)
    if all(name in present for name in classes):
        return {_MODEL: tuple(classes)}
    groups = _prefixes(present, classes)
    if groups:
        return groups
    missing = next(name for name in classes if name not in present)
    raise InputError(
        f"`{source}` has no column {missing!r}, and no columns that end in the names of all classes. "
        f"Hint: --model NAME={','.join(f'COLUMN{k + 1}' for k in range(len(classes)))}; the columns are "
        f"{', '.join(present[:12])}{', ...' if len(present) > 12 else ''}."
    )


def _named(
    text: str, present: Sequence[str], classes: Sequence[str], source: str
) -> tuple[str, tuple[str, ...]]:
    name, equals, listed = text.partition("=")
    if equals:
        columns = tuple(part.strip() for part in listed.split(","))
        if not name or len(columns) != len(classes) or len(set(columns)) < len(columns):
            raise InputError(
                f"`--model` must name {len(classes)} different columns, one for each of "
                f"{', '.join(classes)}, got {text!r}. Hint: --model NAME=COLUMN,COLUMN,..."
            )
        return name, columns
    found = _prefixes(present, classes)
    if text in found:
        return text, found[text]
    told = f"; there are {', '.join(found)}" if found else ""
    raise InputError(
        f"`--model {text}`: {source} has no columns {text}_{classes[0]}, {text}_{classes[1]}, ...{told}. "
        f"Hint: --model {text}=COLUMN,COLUMN,... names them."
    )


def _prefixes(present: Sequence[str], classes: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Groups of columns that are one prefix with the names of all classes."""
    known = set(present)
    groups: dict[str, tuple[str, ...]] = {}
    taken: set[str] = set()
    for column in present:
        for between in _BETWEEN:
            ending = f"{between}{classes[0]}"
            prefix = column.removesuffix(ending)
            if not column.endswith(ending) or not prefix:
                continue
            columns = tuple(f"{prefix}{between}{name}" for name in classes)
            if column not in taken and all(one in known for one in columns):
                groups.setdefault(prefix, columns)
                taken.update(columns)
    return groups


def read_class_rows(source: Source, classes: list[str]) -> ClassRows:
    """Read labels and probabilities; refuse what is ambiguous, missing or not a number."""
    with open_table(source.file) as table:
        columns = model_columns(list(table.kinds), classes, source.models, table.name)
        every = [name for listed in columns.values() for name in listed]
        label = source.label if source.label is not None else guessed_label(table, taken=every)
        others = [name for name in (source.weight, source.group) if name is not None]
        table.require([label, *every, *others])
        for name in every:
            require_numbers(table, name, "--classes")
        read = table.read(list(dict.fromkeys([label, *every, *others])))
    kept, dropped = _complete(read, drop=source.drop_missing)
    values = {name: column.values[kept] for name, column in read.items()}
    codes = _codes(values[label], classes, label)
    weights = None if source.weight is None else check_weights(values[source.weight], source.weight)
    proba = {
        model: np.column_stack([check_scores(values[name], name) for name in listed])
        for model, listed in columns.items()
    }
    groups = None if source.group is None else values[source.group]
    return ClassRows(
        source=table.name,
        label=label,
        classes=classes,
        columns=columns,
        parts=_parts(codes, proba, weights, groups),
        group=source.group,
        weight=source.weight,
        dropped=dropped,
    )


def read_class_probabilities(
    source: Source, classes: list[str]
) -> tuple[str, str, tuple[str, ...], FloatArray]:
    """Read the columns of one model in a file without labels: (source, model, columns, probabilities)."""
    with open_table(source.file) as table:
        models = model_columns(list(table.kinds), classes, source.models, table.name)
        if len(models) != 1:
            raise InputError(
                f"`{table.name}` has {len(models)} models ({', '.join(models)}). "
                "Hint: choose one with --model."
            )
        ((model, columns),) = models.items()
        table.require(columns)
        for name in columns:
            require_numbers(table, name, "--classes")
        read = table.read(columns)
    _complete(read, drop=False)
    return table.name, model, columns, np.column_stack([read[name].values for name in columns])


def read_labelled_classes(
    policy: ClassPolicy, file: str, *, label: str, model: str | None, weight: str | None, group: str | None
) -> tuple[str, dict[str, ClassPart]]:
    """Read the labelled rows of a file: its name, and all rows under "", or the rows of every group."""
    classes = [str(name) for name in policy.classes]
    with open_table(file) as table:
        given = () if model is None else (model,)
        own = model is None and all(name in table.kinds for name in policy.columns)
        models = {"": policy.columns} if own else model_columns(list(table.kinds), classes, given, table.name)
        columns = next(iter(models.values()))
        wanted = [label, *columns, *(name for name in (weight, group) if name is not None)]
        table.require(wanted)
        for name in columns:
            require_numbers(table, name, "--model")
        read = table.read(wanted)
    # cases without a label are not judged
    kept = ~np.logical_or.reduce([column.missing for column in read.values()])
    if not kept.any():
        raise InputError(f"`{table.name}` must have at least one row with a label and all probabilities.")
    weights = None if weight is None else check_weights(read[weight].values[kept], weight)
    proba = np.column_stack([check_scores(read[name].values[kept], name) for name in columns])
    codes = _codes(read[label].values[kept], classes, label)
    groups = None if group is None else read[group].values[kept]
    return table.name, _parts(codes, {"": proba}, weights, groups)


def _complete(read: dict[str, Column], *, drop: bool) -> tuple[BoolArray, int]:
    """Return which rows to keep, and how many are left out."""
    missing = np.logical_or.reduce([column.missing for column in read.values()])
    if missing.any() and not drop:
        column = next(column for column in read.values() if column.n_missing)
        raise InputError(
            f"Column {column.name!r} has {missing_values(column)}. Hint: drop those rows (--drop-missing), "
            "or fill them in where the model has an answer."
        )
    return ~missing, int(missing.sum())


def _codes(values: Any, classes: list[str], label: str) -> IntArray:
    place = {name: code for code, name in enumerate(classes)}
    listed = values.tolist()
    names = {value: class_name(value) for value in dict.fromkeys(listed)}
    unknown = next((name for name in names.values() if name not in place), None)
    if unknown is not None:
        raise InputError(
            f"Label column {label!r} holds the class {unknown!r}, which --classes does not list. "
            "Hint: list every class, in the spelling of the file."
        )
    code_of = {value: place[name] for value, name in names.items()}
    return np.fromiter((code_of[value] for value in listed), np.int64, len(listed))


def _parts(
    codes: IntArray, proba: dict[str, FloatArray], weights: FloatArray | None, groups: Any
) -> dict[str, ClassPart]:
    if groups is None:
        return {"": ClassPart(codes=codes, proba=proba, weights=weights)}
    names = np.array([class_name(value) for value in groups.tolist()])
    parts = {}
    for name in np.unique(names).tolist():
        own = names == name
        parts[name] = ClassPart(
            codes=codes[own],
            proba={model: columns[own] for model, columns in proba.items()},
            weights=None if weights is None else weights[own],
        )
    return parts
