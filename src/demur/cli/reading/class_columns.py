"""From a file to true classes and one column of probabilities per class and model."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from demur._checks import check_scores, check_weights
from demur.cli.options import Source
from demur.cli.reading.evidence import CaseParts, require_complete
from demur.cli.reading.roles import guessed_label, require_numbers
from demur.engines.files import open_table
from demur.engines.labels import class_name
from demur.exceptions import InputError
from demur.typing import FloatArray, IntArray

__all__ = [
    "ClassPart",
    "ClassRows",
    "model_columns",
    "read_class_probabilities",
    "read_class_rows",
]

# what may stand between the name of a model and that of a class
_BETWEEN = ("_", ".", ":", "-", " ", "")
_MODEL = "model"
_MISSING = "drop those rows (--drop-missing), or fill them in where the model has an answer."


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
class ClassRows(CaseParts):
    """Probabilities of any number of classes; `columns` are those of each model, in order of the classes."""

    columns: dict[str, tuple[str, ...]]
    parts: Mapping[str, ClassPart]


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
    if not source.drop_missing:
        require_complete(read.values(), _MISSING)
    kept = ~np.logical_or.reduce([column.missing for column in read.values()])
    values = {name: column.values[kept] for name, column in read.items()}
    codes = _codes(values[label], classes, label)
    weights = None if source.weight is None else check_weights(values[source.weight], source.weight)
    proba = {
        model: np.column_stack([check_scores(values[name], name) for name in listed])
        for model, listed in columns.items()
    }
    more = f" and {len(classes) - 8} more" if len(classes) > 8 else ""
    text = (
        f"Read {len(codes)} rows of {table.name}: label column {label}, one column of probabilities for each "
        f"of {', '.join(classes[:8])}{more}"
    )
    if list(columns) != [_MODEL]:
        text += f"; {'models' if len(columns) > 1 else 'model'} {', '.join(columns)}"
    text += f", weights {source.weight}" if source.weight else ""
    text += f", groups by {source.group}." if source.group else "."
    dropped = len(kept) - len(codes)
    return ClassRows(
        sentence=text + (f" Left out {dropped} rows with a missing value." if dropped else ""),
        data={
            "source": table.name,
            "rows": len(codes),
            "label": label,
            "classes": classes,
            "models": {name: list(listed) for name, listed in columns.items()},
            "weight": source.weight,
            "group": source.group,
        },
        columns=columns,
        parts=_parts(codes, proba, weights, None if source.group is None else values[source.group]),
        group=source.group,
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
    require_complete(read.values(), _MISSING)
    return table.name, model, columns, np.column_stack([read[name].values for name in columns])


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
