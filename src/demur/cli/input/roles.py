"""From a file to a table and the roles of its columns: the user's words first, then names without doubt.

A table is held by DuckDB for files on this machine, by Spark for a cluster. Numeric columns that look like
something other than the scores of a model are left out of the guess, which is said; a column the user names
with --model is taken as it is. A name alone is never enough, the values have to agree:

- predicted labels: named like a prediction (y_pred, pred, prediction, lr_predicted, ...), with at
  most two distinct values;
- the other class: proba_0 or p0 beside proba_1 or p1, which says the same the other way round
  (proba_1 where the positive class is called 0);
- an amount: the last word of the name is amount, balance, price, cost or fee (credit_amount,
  unitPrice), no value is below 0 and the largest is above 1. Probabilities and log-odds are neither;
- a feature: the same for words such as age, years, income, height or count.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import product
from typing import TYPE_CHECKING, Any

import click
import numpy as np

from demur._files.values import is_number
from demur._tables.numbers import times
from demur._tables.table import shortened
from demur.cli.input.dependence import INDEPENDENT, Dependence, date_form, is_id, name_words
from demur.cli.options import Design, Prices, Source
from demur.cli.options.costs import TypedNumber
from demur.engines.columns import Column
from demur.engines.files import FileTable, open_table
from demur.exceptions import InputError

if TYPE_CHECKING:
    from demur.engines.spark import SparkTable

    Table = FileTable | SparkTable

__all__ = [
    "Roles",
    "amounts",
    "choose_roles",
    "for_counting",
    "frame_of",
    "label_column",
    "likely_labels",
    "model_columns",
    "named_label",
    "only_model",
    "open_with",
    "require_numbers",
    "unreadable_scores",
]

_LONGEST_NAME = 60
_LABEL_NAMES = ("y_true", "label", "target", "class", "y")
# names that are keys as they stand, besides ids; "risk_index" or "worst_case" may well be a score
_KEY_NAMES = re.compile(r"(row|fold|split|repeat|seed)(_?(id|no|nr|number))?|index|idx")
_WEIGHT_NAMES = re.compile(r"(sample_|case_)?weights?")
# what DuckDB and pandas call a column without a name: the row numbers pandas and R write
_UNNAMED = re.compile(r"column\d+|unnamed: \d+")
_PREDICTED = re.compile(r"(.*_)?pred(s|icted|ictions?)?(_(label|class)(es|s)?)?")
_OF_A_CLASS = re.compile(r"((?:.*_)?p(?:rob(?:a|ability|s)?)?_?)([01])")
_FEATURE = re.compile(
    r"(.*_)?(age|years?|months?|days?|hours?|minutes?|seconds?|height|weight|bmi|size|width|length|depth|count"
    r"|counts|number|num|n|qty|quantity|income|salary|tenure|duration|distance|temperature|pressure|pulse"
    r"|latitude|longitude|lat|lon|lng|zip|postcode|phone|children|visits|pregnancies|glucose)"
)
# what may stand between the name of a model and that of a class
_BETWEEN = ("_", ".", ":", "-", " ", "")
_MODEL = "model"
_AMOUNT = re.compile(r"(.*[\W_])?(amount|amt|balance|price|cost|fee)s?")


# ---------------------------------------------------------------- tables


@contextmanager
def open_with(file: str, engine: str, master: str | None) -> "Iterator[Table]":
    """Open a table with DuckDB or Spark; its rows stay where they are until somebody reads them."""
    if engine != "spark":
        from demur.engines.sources import MEMORY_LIMIT

        with open_table(file, memory_limit=None if engine == "memory" else MEMORY_LIMIT) as table:
            yield table
        return
    from demur.engines.spark import SparkTable, spark_errors, spark_session

    with spark_session(master) as session, spark_errors(file):
        yield SparkTable(session, file)


def label_column(table: "Table", name: str) -> Column:
    """Return the distinct labels as if they were all the rows."""
    labels = np.array(table.distinct(name))
    nothing = np.zeros(len(labels), dtype=np.bool_)
    return Column(name=name, values=labels, missing=nothing, kind=table.kinds[name])


def frame_of(table: Any) -> Any:
    """Return the rows as their engine has them."""
    return table.relation if isinstance(table, FileTable) else table.frame


def for_counting(table: Any) -> Any:
    """Return what `read_counts` takes: Parquet files by name, so that it reads only the columns it needs."""
    return table.name if isinstance(table, FileTable) and table.columnar else frame_of(table)


# ---------------------------------------------------------------- roles


OTHER_ROLES = {
    "weight": "weights",
    "doubt": "doubts",
    "group": "groups by",
    "cluster": "clusters by",
    "time": "times",
    "day": "places by",
    "key": "keys",
    "by": "results by",
}
"""Role of a column besides label, score and cost -> how what was read is described; its flag has its name."""


@dataclass(frozen=True, kw_only=True)
class Roles:
    """Which column is what.

    Attributes
    ----------
    label : str
        Column with the true class.
    models : mapping
        Model -> its columns: its score, or the probability of each class.
    classes : tuple of str
        Classes whose probabilities the models give; empty where they give one score.
    others : mapping
        Role, one of `OTHER_ROLES` -> column.
    amounts : tuple of str
        Columns with costs of the cases.
    left_out : tuple of str
        Columns that were not taken as models, each with the reason in brackets.
    suspects : tuple of str
        Those of them that hold numbers but do not look like scores.
    dependence : Dependence
        Columns that say that rows may not be independent, where somebody asked.
    """

    label: str
    models: Mapping[str, tuple[str, ...]]
    classes: tuple[str, ...] = ()
    others: Mapping[str, str] = field(default_factory=dict)
    amounts: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    suspects: tuple[str, ...] = ()
    dependence: Dependence = INDEPENDENT

    @property
    def scores(self) -> tuple[str, ...]:
        """Columns of all models."""
        return tuple(column for columns in self.models.values() for column in columns)

    @property
    def columns(self) -> tuple[str, ...]:
        """All columns in use."""
        return tuple(dict.fromkeys((self.label, *self.scores, *self.others.values(), *self.amounts)))

    def to_dict(self, source: str, n: int, positive: str, negative: str) -> dict[str, Any]:
        """Return what was read, and as what, as built-in types."""
        head = {"source": source, "rows": n, "label": self.label}
        always = {name: self.others.get(name) for name in ("weight", "group")}
        if self.classes:
            models = {name: list(columns) for name, columns in self.models.items()}
            return {**head, "classes": list(self.classes), "models": models, **always, **self.others}
        amounts = {"amounts": list(self.amounts)} if self.amounts else {}
        two = {"positive": positive, "negative": negative}
        return {**head, **two, **always, "left_out": list(self.left_out), **amounts, **self.others}

    def words(self, source: str, n: int, positive: str) -> str:
        """Say what was read, and as what."""
        models = [shortened(model, _LONGEST_NAME) for model in self.models]
        what = f"positive = {positive}, {times(len(models), 'score column')} ({', '.join(models)})"
        if self.classes:
            more = f" and {len(self.classes) - 8} more" if len(self.classes) > 8 else ""
            what = f"one column of probabilities for each of {', '.join(self.classes[:8])}{more}"
            if models != [_MODEL]:
                what += f"; {'models' if len(models) > 1 else 'model'} {', '.join(models)}"
        others = {word: self.others.get(role) for role, word in OTHER_ROLES.items()}
        others["costs of the cases"] = ", ".join(self.amounts)
        what += "".join(f", {word} {column}" for word, column in others.items() if column)
        left_out = f"; left out: {', '.join(self.left_out)}" if self.left_out else ""
        text = f"Read {n} rows of {source}: label column {self.label}, {what}{left_out}."
        if self.suspects:
            verb, use = ("does", "it as a model") if len(self.suspects) == 1 else ("do", "them as models")
            text += (
                f" {' and '.join(self.suspects)} {verb} not look like scores: pass --model to use {use}, "
                "--exclude to confirm."
            )
        return text


def choose_roles(
    table: "Table",
    source: Source,
    *,
    classes: Sequence[str] = (),
    scores: bool = True,
    prices: Prices | None = None,
    others: Mapping[str, str | None] | None = None,
    design: Design | None = None,
    required: bool = True,
) -> Roles:
    """Decide which column is what.

    With `classes` models have a column for each; with `scores` false they predict values, not classes, so
    that any numbers will do. `prices` may name columns of amounts, `others` columns of other roles. At least
    one model is `required`.
    """
    placed = {} if design is None else {name: getattr(design, name) for name in ("cluster", "time", "by")}
    wanted = {"weight": source.weight, "group": source.group, **(others or {}), **placed}
    named = {role: column for role, column in wanted.items() if column is not None}
    models: Mapping[str, tuple[str, ...]] = {name: (name,) for name in source.models}
    if classes:
        models = model_columns(list(table.kinds), classes, source.models, table.name)
    roles = Roles(
        label=source.label or "",
        models=models,
        classes=tuple(classes),
        others={role: named[role] for role in OTHER_ROLES if role in named},
        amounts=() if prices is None else _amount_columns(table, prices),
    )
    if source.label is None:
        taken = [*roles.columns, *(() if classes else source.exclude)]
        label = named_label(table, taken)
        if label is None:
            raise _no_label(table, taken)
        roles = replace(roles, label=label)
    _require_distinct(table, roles, source)
    for name in roles.scores:
        require_numbers(table, name, "--classes" if classes else "--model")
    for role in ("weight", "doubt"):
        if role in named:
            require_numbers(table, named[role], f"--{role}")
    if design is not None:
        # to look at results by a column settles nothing
        used = [name for name in roles.columns if name != named.get("by")]
        roles = replace(roles, dependence=_dependent_columns(table, design, (*used, *source.exclude)))
    if roles.models:
        return roles
    return _with_guessed_models(table, roles, source, scores=scores, required=required)


def _require_distinct(table: "Table", roles: Roles, source: Source) -> None:
    """Refuse columns that are not there, and a column in two roles; a day may also be a time or a cluster."""
    label, others = roles.label, roles.others
    table.require([label, *roles.scores, *others.values()])
    table.require(source.exclude)
    for name in source.exclude:
        if name in (label, *roles.scores, *others.values()):
            raise InputError(f"`--exclude` names {name!r}, which is in use. Hint: it can be one of them.")
    weight = others.get("weight")
    for column, flag in [*((name, "--model") for name in roles.scores), (weight, "--weight")]:
        if column == label:
            raise InputError(f"`{flag}` names {column!r}, which is the label column. Hint: pass --label.")
    if weight in roles.scores:
        raise InputError(
            f"Column {weight!r} is given as --model and as --weight. Hint: it can be one of them."
        )
    taken = dict.fromkeys((label, *roles.scores), "")
    for role, name in others.items():
        shared = {role, taken.setdefault(name, role)}
        if len(shared) > 1 and not ("day" in shared and shared <= {"day", "cluster", "time", "by"}):
            raise InputError(
                f"`--{role}` names {name!r}, which is in use already. Hint: pass another column."
            )
    for name in roles.amounts:
        if name in (label, *roles.scores, *others.values()):
            raise InputError(f"Column {name!r} is given as a cost and in another role. Hint: choose one.")


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
            known = f"; there are {', '.join(groups)}" if groups else ""
            raise InputError(
                f"`--model {text}`: {source} has no columns {text}_{classes[0]}, {text}_{classes[1]}, ..."
                f"{known}. Hint: --model {text}=COLUMN,COLUMN,... names them."
            )
        if not name or len(columns) != len(classes) or len(set(columns)) < len(columns):
            raise InputError(
                f"`--model` must name {len(classes)} different columns, one for each of "
                f"{', '.join(classes)}, got {text!r}. Hint: --model NAME=COLUMN,COLUMN,..."
            )
        models[name] = columns
    return models


def _prefixes(present: Sequence[str], classes: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return the groups of columns that are one prefix with the names of all classes."""
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


def _dependent_columns(table: "Table", design: Design, used: Collection[str]) -> Dependence:
    """Look for ids that repeat and for dates among the columns without a role, unless flags name some."""
    free = [name for name in table.kinds if name not in used]
    ids = free if design.cluster is None else ()
    dates = {name: date_form(table, name) for name in free} if design.time is None else {}
    return Dependence(
        repeated=tuple(name for name in ids if is_id(table, name) and table.repeats(name)),
        dates=tuple(name for name, form in dates.items() if form == "read"),
        other_dates=tuple(name for name, form in dates.items() if form == "other"),
    )


def _amount_columns(table: "Table", prices: Prices) -> tuple[str, ...]:
    """Return the columns that cost flags name; refuse what could be a number as well, or is neither."""
    for flag, price in prices.given().items():
        if isinstance(price, TypedNumber) and price.text in table.kinds:
            raise InputError(
                f"`{flag} {price.text}` is a number and also a column of {table.name}. "
                f"Hint: write {flag} {price.text}.0 for the number or {flag} '1*{price.text}' for the column."
            )
    for flag, priced in prices.columns.items():
        if priced.column not in table.kinds:
            raise InputError(
                f"`{flag}` must be a number, a range LOW:HIGH or a column of {table.name}, got "
                f"{priced.column!r}. Hint: the columns are {', '.join(table.kinds)}."
            )
        require_numbers(table, priced.column, flag)
    return tuple(dict.fromkeys(priced.column for priced in prices.columns.values()))


def named_label(table: "Table", taken: Collection[str]) -> str | None:
    """Return the one column whose name says that it holds the label; None if there are several or none."""
    free = [name for name in table.kinds if name.lower() in _LABEL_NAMES and name not in taken]
    return free[0] if len(free) == 1 else None


def likely_labels(table: "Table") -> list[str]:
    """Return the columns with two values, predictions left out."""
    return [
        name
        for name, kind in table.kinds.items()
        if kind in ("number", "text", "bool")
        and name not in table.partitions
        and not _PREDICTED.fullmatch(name_words(name))
        and len(table.distinct(name)) == 2
    ]


def _no_label(table: "Table", taken: Collection[str]) -> InputError:
    """Return the error of a table with no column, or several, whose name says that it holds the label."""
    named = [name for name in table.kinds if name.lower() in _LABEL_NAMES]
    free = [name for name in named if name not in taken]
    if named and not free:
        return InputError(
            f"{named[0]!r} is given as a score or weight, so the label is open. Hint: pass --label."
        )
    which = (
        f"several columns could hold the label ({', '.join(free)})"
        if free
        else f"no column is called {', '.join(_LABEL_NAMES[:-1])} or {_LABEL_NAMES[-1]}"
    )
    context = click.get_current_context(silent=True)
    deciding = context is not None and context.command.name == "decide"
    without = ", or --no-labels to decide from the costs alone" if deciding and not free else ""
    finds = "" if free else f" `demur check {table.name}` looks for it."
    return InputError(
        f"`{table.name}`: {which}. Hint: pass --label COLUMN{without}; the columns are "
        f"{', '.join(table.kinds)}.{finds}"
    )


def only_model(table: "Table", source: Source, classes: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """Return the one model of a file without labels, and its columns."""
    models: Mapping[str, tuple[str, ...]]
    if classes:
        models = model_columns(list(table.kinds), classes, source.models, table.name)
    else:
        table.require([*source.models, *source.exclude])
        models = {name: (name,) for name in source.models}
        if not models:
            models = _with_guessed_models(table, Roles(label="", models={}), source).models
    if len(models) != 1:
        what = "models" if classes else "score columns"
        raise InputError(
            f"`{table.name}` has {len(models)} {what} ({', '.join(models)}). Hint: choose one with --model."
        )
    ((model, columns),) = models.items()
    table.require(columns)
    for name in columns:
        require_numbers(table, name, "--classes" if classes else "--model")
    return model, columns


def _with_guessed_models(
    table: "Table", roles: Roles, source: Source, *, scores: bool = True, required: bool = True
) -> Roles:
    """Take every other numeric column as a model, unless its name or its values say that it is none."""
    reasons: dict[str, str | None] = {}
    known = dict.fromkeys((*roles.dependence.dates, *roles.dependence.other_dates), "dates")
    known |= dict.fromkeys(source.exclude, "excluded")
    for name in table.kinds:
        if name not in roles.columns:
            reasons[name] = known.get(name) or _reason_to_leave_out(table, name)
    candidates = [name for name, reason in reasons.items() if reason is None]
    doubtful = _suspects(table, candidates, source.positive) if scores else {}
    reasons |= doubtful
    models = {name: (name,) for name, reason in reasons.items() if reason is None}
    left_out = tuple(f"{name} ({reason})" for name, reason in reasons.items() if reason is not None)
    if not models and required:
        why = f"left out: {', '.join(left_out)}" if left_out else "there is no other column"
        raise InputError(f"`{table.name}` has no score column ({why}). Hint: pass --model COLUMN.")
    return replace(roles, models=models, left_out=left_out, suspects=tuple(doubtful))


def _suspects(table: "Table", numeric: Collection[str], positive: str | None) -> dict[str, str]:
    """Return column -> what it looks like, for those of the numeric columns that look like no score."""
    reasons = dict.fromkeys(amounts(table, numeric, _FEATURE), "a feature")
    reasons |= dict.fromkeys(amounts(table, numeric), "an amount")
    wanted = "0" if positive == "0" else "1"
    lower = {column.lower(): column for column in reversed(table.kinds)}
    for name in numeric:
        parts = _OF_A_CLASS.fullmatch(name.lower())
        counterpart = None if parts is None or parts[2] == wanted else lower.get(parts[1] + wanted)
        if counterpart is not None:
            reasons[name] = f"the other class of {counterpart}"
        elif _PREDICTED.fullmatch(name_words(name)) and len(table.distinct(name)) <= 2:
            reasons[name] = "predicted labels"
    return {name: reasons[name] for name in numeric if name in reasons}


def amounts(table: "Table", names: Iterable[str], pattern: re.Pattern[str] = _AMOUNT) -> list[str]:
    """Return which of the numeric columns look like amounts, or like what has such a name.

    Their values are not below 0 and exceed 1: no share, no log-odds.
    """
    named = {name: table.kinds[name] for name in names if pattern.fullmatch(name_words(name))}
    if not named:
        return []
    from demur.engines.frames import summaries

    looks = summaries(frame_of(table), named)
    return [name for name, look in looks.items() if look.low >= 0 and look.high > 1]


def _reason_to_leave_out(table: "Table", name: str) -> str | None:
    lower, kind = name.lower(), table.kinds[name]
    if name in table.partitions:
        return "a partition"
    if lower in _LABEL_NAMES:
        return "a label"
    if _KEY_NAMES.fullmatch(lower) or _UNNAMED.fullmatch(lower) or is_id(table, name):
        return "values repeat" if table.repeats(name) else "a key"
    if kind == "text":
        error = unreadable_scores(table, name)
        if error is not None:
            raise error
        return "text"
    if kind != "number":
        return "dates" if kind == "date" else "not numbers"
    if date_form(table, name):
        return "dates"
    return f"pass --weight {name} to use it" if _WEIGHT_NAMES.fullmatch(lower) else None


def unreadable_scores(table: "Table", name: str) -> InputError | None:
    """Return the error of a text column that looks like scores; one stray word must not hide a model."""
    if table.kinds[name] != "text":
        return None
    if 2 * table.n_numeric(name) >= table.n_rows:
        return _not_numbers(table, name, f"Column {name!r} looks like scores, but")
    if 2 * table.n_numeric_to_people(name) >= table.n_rows:
        return InputError(
            f"Column {name!r} looks like scores, but with percent signs or separated thousands. Hint: "
            f"write plain numbers, or leave the column out with --exclude."
        )
    return None


def require_numbers(table: "Table", name: str, flag: str) -> None:
    """Refuse a column without numbers that a flag names."""
    kind = table.kinds[name]
    if kind == "text":
        raise _not_numbers(table, name, f"`{flag} {name}` must name a column of numbers, but")
    if kind in ("date", "other") or (kind == "bool" and flag == "--weight"):
        raise InputError(f"`{flag} {name}` must name a column of numbers, got another type.")


def _not_numbers(table: "Table", name: str, opening: str) -> InputError:
    column = table.read([name])[name]
    if column.missing.all():
        return InputError(f"{opening} it is empty. Hint: choose the columns with --model.")
    for row, (value, missing) in enumerate(zip(column.values, column.missing, strict=True), start=1):
        if not missing and not is_number(str(value)):
            return InputError(
                f"{opening} row {row} holds {str(value)!r}. Hint: write decimals with a point, "
                "leave missing values empty, or choose the columns with --model."
            )
    return InputError(f"{opening} its numbers are stored as text. Hint: convert the column to numbers.")
