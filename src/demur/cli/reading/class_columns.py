"""From a file to true classes and one column of probabilities per class and model."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any, ClassVar

import numpy as np

from demur._checks import check_scores, check_weights
from demur.cli.options import Design, Source
from demur.cli.reading.evidence import (
    DROP_ROWS,
    Evidence,
    complete_rows,
    dropped_counts,
    dropped_words,
    require_complete,
    unlabelled_rows,
)
from demur.cli.reading.roles import (
    dependent_columns,
    guessed_label,
    only_one,
    require_excluded,
    require_numbers,
    require_unused,
)
from demur.engines.columns import Column
from demur.engines.files import FileTable, open_table
from demur.engines.labels import class_name
from demur.exceptions import InputError
from demur.typing import BoolArray, FloatArray, IntArray
from demur.windows.by_group import group_text

__all__ = [
    "ClassPart",
    "model_columns",
    "read_class_probabilities",
    "read_class_rows",
    "require_listed",
]

# what may stand between the name of a model and that of a class
_BETWEEN = ("_", ".", ":", "-", " ", "")
_MODEL = "model"


@dataclass(frozen=True, kw_only=True, eq=False)
class ClassPart:
    """The cases of one group, or all of them; `codes` are places in the list of classes.

    `placed` has their clusters and times, as arguments of `compare_models`; `broken_down` what results are
    broken down by.
    """

    exact: ClassVar[bool] = True
    certified: ClassVar[float] = 0.0

    codes: IntArray
    proba: dict[str, FloatArray]
    weights: FloatArray | None
    placed: dict[str, Any] = field(default_factory=dict)
    broken_down: Any = None

    @property
    def n(self) -> float:
        """Number of cases."""
        return float(len(self.codes) if self.weights is None else self.weights.sum())

    def of(self, own: BoolArray) -> "ClassPart":
        """Return some of the cases."""
        return ClassPart(
            codes=self.codes[own],
            proba={model: columns[own] for model, columns in self.proba.items()},
            weights=None if self.weights is None else self.weights[own],
            placed={name: values[own] for name, values in self.placed.items()},
            broken_down=None if self.broken_down is None else self.broken_down[own],
        )

    def by(self, group: Column) -> "dict[str, ClassPart]":
        """Return the cases of every group."""
        groups = np.array([group_text(value) for value in group.values.tolist()])
        return {name: self.of(groups == name) for name in np.unique(groups).tolist()}


def model_columns(
    present: Sequence[str], classes: Sequence[str], given: Sequence[str], source: str
) -> dict[str, tuple[str, ...]]:
    """Return model -> its columns: as the user named them, else columns called like the classes, else groups.

    `given` are the values of --model: NAME=COLUMN,COLUMN,... or a prefix.
    """
    groups = _prefixes(present, classes)
    if not given and all(name in present for name in classes):
        return {_MODEL: tuple(classes)}
    if not given and not groups:
        missing = next(name for name in classes if name not in present)
        raise InputError(
            f"`{source}` has no column {missing!r}, and no columns that end in the names of all classes. "
            f"Hint: --model NAME={','.join(f'COLUMN{k + 1}' for k in range(len(classes)))}; the columns are "
            f"{', '.join(present[:12])}{', ...' if len(present) > 12 else ''}."
        )
    models = {} if given else groups
    for text in given:
        name, equals, listed = text.partition("=")
        columns = tuple(part.strip() for part in listed.split(",")) if equals else groups.get(name)
        if columns is None:
            told = f"; there are {', '.join(groups)}" if groups else ""
            raise InputError(
                f"`--model {text}`: {source} has no columns {text}_{classes[0]}, {text}_{classes[1]}, ..."
                f"{told}. Hint: --model {text}=COLUMN,COLUMN,... names them."
            )
        if not name or len(columns) != len(classes) or len(set(columns)) < len(columns):
            raise InputError(
                f"`--model` must name {len(classes)} different columns, one for each of "
                f"{', '.join(classes)}, got {text!r}. Hint: --model NAME=COLUMN,COLUMN,..."
            )
        models[name] = columns
    return models


def _prefixes(present: Sequence[str], classes: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Groups of columns that are one prefix with the names of all classes."""
    known = set(present)
    taken: set[str] = set()
    groups: dict[str, tuple[str, ...]] = {}
    for column, between in product(present, _BETWEEN):
        prefix = column.removesuffix(f"{between}{classes[0]}")
        columns = tuple(f"{prefix}{between}{name}" for name in classes)
        if prefix and columns[0] == column and column not in taken and known.issuperset(columns):
            groups.setdefault(prefix, columns)
            taken.update(columns)
    return groups


def read_class_rows(source: Source, classes: list[str], design: Design) -> Evidence:
    """Read labels and probabilities; refuse what is ambiguous, missing or not a number."""
    with open_table(source.file) as table:
        columns = model_columns(list(table.kinds), classes, source.models, table.name)
        every = [name for listed in columns.values() for name in listed]
        label = source.label if source.label is not None else guessed_label(table, taken=every)
        require_unused(design.columns, (label, *every, source.weight, source.group))
        placed = {"groups": design.cluster, "time": design.time}
        used = [label, *every, *filter(None, (source.weight, source.group, *placed.values()))]
        dependence = dependent_columns(table, design, (*used, *source.exclude))
        used += filter(None, [design.by])  # after that: to look at results by a column settles nothing
        require_excluded(table, source.exclude, used)
        read = _read_numbers(table, every, [*used, *dependence.dates])
    read, dropped = complete_rows(read, used, label, source)
    weights = None if source.weight is None else check_weights(read[source.weight].values, source.weight)
    proba = {
        model: np.column_stack([check_scores(read[name].values, name) for name in listed])
        for model, listed in columns.items()
    }
    aside = unlabelled_rows(read[label], proba, weights, None, source, dropped)
    if aside is not None:
        read = {name: column.take(aside.kept) for name, column in read.items()}
        proba = {model: values[aside.kept] for model, values in proba.items()}
        weights = None if weights is None else weights[aside.kept]
    whole = ClassPart(
        codes=_class_codes(read[label], classes),
        weights=weights,
        proba=proba,
        placed={name: read[column].values for name, column in placed.items() if column is not None},
        broken_down=None if design.by is None else read[design.by].values,
    )
    dependence = dependence.in_rows(whole.codes, proba, read, design)
    told = {
        "weights": source.weight,
        "groups by": source.group,
        "clusters by": design.cluster,
        "times": design.time,
        "results by": design.by,
    }
    text = f"Read {len(whole.codes)} rows of {table.name}: label column {label}, {_listed(classes, columns)}"
    text += "".join(f", {word} {column}" for word, column in told.items() if column)
    return Evidence(
        sentence=f"{text}.{dropped_words(dropped, aside)}{dependence.words()}",
        data={
            "source": table.name,
            "rows": len(whole.codes),
            "label": label,
            "classes": classes,
            "models": {name: list(listed) for name, listed in columns.items()},
            "weight": source.weight,
            "group": source.group,
            **{name: column for name in ("cluster", "time", "by") if (column := getattr(design, name))},
            **dropped_counts(dropped),
        },
        columns=columns,
        parts={"": whole} if source.group is None else whole.by(read[source.group]),
        group=source.group,
        together=whole,
        dependence=dependence,
        aside=aside,
    )


def _class_codes(label: Column, classes: Sequence[str]) -> IntArray:
    """Return the place of every label in the list of classes."""
    labels = label.values.tolist()
    names = {value: class_name(value) for value in dict.fromkeys(labels)}
    require_listed(names.values(), classes, label.name, "--classes")
    codes = {value: classes.index(name) for value, name in names.items()}
    return np.fromiter((codes[value] for value in labels), np.int64, len(labels))


def _listed(classes: Sequence[str], models: Collection[str]) -> str:
    """Name the classes, and the models if they have names."""
    more = f" and {len(classes) - 8} more" if len(classes) > 8 else ""
    text = f"one column of probabilities for each of {', '.join(classes[:8])}{more}"
    if list(models) != [_MODEL]:
        text += f"; {'models' if len(models) > 1 else 'model'} {', '.join(models)}"
    return text


def _read_numbers(table: FileTable, numbers: Sequence[str], names: Sequence[str]) -> dict[str, Column]:
    """Read columns, some of which must hold numbers."""
    table.require(names)
    for name in numbers:
        require_numbers(table, name, "--classes")
    return table.read(names)


def read_class_probabilities(
    source: Source, classes: list[str]
) -> tuple[str, str, tuple[str, ...], FloatArray]:
    """Read the columns of one model in a file without labels: (source, model, columns, probabilities)."""
    with open_table(source.file) as table:
        models = model_columns(list(table.kinds), classes, source.models, table.name)
        model = only_one(models, table.name, "models")
        columns = models[model]
        read = _read_numbers(table, columns, columns)
    require_complete(read.values(), DROP_ROWS.format(""))
    return table.name, model, columns, np.column_stack([read[name].values for name in columns])


def require_listed(present: Iterable[str], classes: Collection[str], label: str, flag: str) -> None:
    """Refuse a class of the file that a flag does not list."""
    for name in present:
        if name not in classes:
            raise InputError(
                f"Label column {label!r} holds the class {name!r}, which {flag} does not list. "
                "Hint: list every class, in the spelling of the file."
            )
