"""From a file to a table and the roles of its columns: the user's words first, then names without doubt.

A table is held by DuckDB for files on this machine, by Spark for a cluster. Numeric columns that look like
something other than the scores of a model are left out of the guess, which is said; a column the user names
with --model is taken as it is. A name alone is never enough, the values have to agree:

- predicted labels: named like a prediction (y_pred, pred, prediction, lr_predicted, ...), with at
  most two distinct values;
- the other class: proba_0 or p0 beside proba_1 or p1, which says the same the other way round
  (proba_1 where the positive class is called 0);
- an amount: the last word of the name is amount, balance, price, cost or fee (credit_amount,
  unitPrice), no value is below 0 and the largest is above 1. Probabilities and log-odds are neither.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import click
import numpy as np

from demur.cli.options import Design, Prices, Source
from demur.cli.output import shortened, times
from demur.cli.reading.dependence import INDEPENDENT, Dependence, date_form, is_id, name_words
from demur.costs.budget import Places
from demur.engines.columns import Column
from demur.engines.files import FileTable, open_table
from demur.engines.frames import summaries
from demur.engines.labels import is_number
from demur.engines.sources import MEMORY_LIMIT
from demur.exceptions import InputError

if TYPE_CHECKING:
    from demur.engines.spark import SparkTable

    Table = FileTable | SparkTable

__all__ = [
    "Roles",
    "amounts",
    "choose_roles",
    "dependent_columns",
    "described",
    "for_counting",
    "frame_of",
    "guessed_label",
    "label_column",
    "only_model",
    "only_one",
    "open_with",
    "read_as",
    "require_excluded",
    "require_numbers",
    "require_unused",
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
_AMOUNT = re.compile(r"(.*[\W_])?(amount|amt|balance|price|cost|fee)s?")


# ---------------------------------------------------------------- tables


@contextmanager
def open_with(file: str, engine: str, master: str | None) -> "Iterator[Table]":
    """Open a table with DuckDB or Spark; its rows stay where they are until somebody reads them."""
    if engine != "spark":
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


@dataclass(frozen=True, kw_only=True)
class Roles:
    """Which column is what.

    Attributes
    ----------
    label, weight, group : str or None
        One column each; only the label is always there.
    models : tuple of str
        Columns with scores.
    left_out : tuple of str
        Columns that were not taken as models, each with the reason in brackets.
    suspects : tuple of str
        Those of them that hold numbers but do not look like scores.
    amounts : tuple of str
        Columns with costs of the cases.
    doubt : str or None
        Column that says how unlike the training data a case is.
    cluster, time, by : str or None
        Columns of clusters, of times, and of what results are broken down by.
    day, key : str or None
        Columns of the batches that share places, and of what tells their rows apart.
    dependence : Dependence
        Columns that say that rows may not be independent, where somebody asked.
    """

    label: str
    models: tuple[str, ...]
    weight: str | None
    group: str | None = None
    left_out: tuple[str, ...] = ()
    suspects: tuple[str, ...] = ()
    amounts: tuple[str, ...] = ()
    doubt: str | None = None
    cluster: str | None = None
    time: str | None = None
    day: str | None = None
    key: str | None = None
    by: str | None = None
    dependence: Dependence = INDEPENDENT

    @property
    def columns(self) -> tuple[str, ...]:
        """All columns in use."""
        others = (self.weight, self.group, self.doubt, self.cluster, self.time, self.day, self.key, self.by)
        return tuple(dict.fromkeys((self.label, *self.models, *filter(None, others), *self.amounts)))


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
        **({"amounts": list(roles.amounts)} if roles.amounts else {}),
        **{
            name: value
            for name in ("doubt", "cluster", "time", "day", "key", "by")
            if (value := getattr(roles, name))
        },
    }


def described(source: str, n: int, roles: Roles, positive: str) -> str:
    """Tell what was read, and as what."""
    models = [shortened(model, _LONGEST_NAME) for model in roles.models]
    text = f"Read {n} rows of {source}: label column {roles.label}, positive = {positive}, "
    text += f"{times(len(models), 'score column')} ({', '.join(models)})"
    others = {
        "weights": roles.weight,
        "doubts": roles.doubt,
        "groups by": roles.group,
        "clusters by": roles.cluster,
        "times": roles.time,
        "places by": roles.day,
        "keys": roles.key,
        "results by": roles.by,
        "costs of the cases": ", ".join(roles.amounts),
    }
    text += "".join(f", {word} {column}" for word, column in others.items() if column)
    text += f"; left out: {', '.join(roles.left_out)}." if roles.left_out else "."
    if roles.suspects:
        verb, use = ("does", "it as a model") if len(roles.suspects) == 1 else ("do", "them as models")
        text += (
            f" {' and '.join(roles.suspects)} {verb} not look like scores: pass --model to use {use}, "
            "--exclude to confirm."
        )
    return text


def require_unused(placed: Mapping[str, str], others: Collection[str | None]) -> None:
    """Refuse a column of clusters, times or groups that has another role."""
    for flag, name in placed.items():
        if name in others or list(placed.values()).count(name) > 1:
            raise InputError(f"`{flag}` names {name!r}, which is in use already. Hint: pass another column.")


def require_excluded(table: "Table", excluded: Collection[str], used: Collection[str]) -> None:
    """Refuse excluded columns that are not there or in use."""
    table.require(excluded)
    for name in excluded:
        if name in used:
            raise InputError(f"`--exclude` names {name!r}, which is in use. Hint: it can be one of them.")


def choose_roles(
    table: "Table",
    source: Source,
    *,
    scores: bool = True,
    prices: Prices | None = None,
    doubt: str | None = None,
    design: Design | None = None,
    places: Places | None = None,
) -> Roles:
    """Decide which column is what.

    With `scores` false the models predict values, not classes, so that any numbers will do. `prices` may
    name columns of amounts; `doubt` is the column of --doubt; `places` are those of --day.
    """
    models, weight, group = source.models, source.weight, source.group
    amounts = () if prices is None else _amount_columns(table, prices)
    placed = {} if design is None else design.columns
    batches = {} if places is None else {"--day": places.column, "--key": places.key}
    given = (*models, weight, group, doubt, *placed.values(), *batches.values())
    named = [name for name in given if name is not None]
    label = source.label
    if label is None:
        label = guessed_label(table, taken=[*named, *source.exclude, *amounts])
    table.require([label, *named])
    require_excluded(table, source.exclude, (label, *named))
    if group is not None and group in (label, *models, weight):
        raise InputError(f"`--group` names {group!r}, which is in use already. Hint: pass another column.")
    for name in [*models, *([] if weight is None else [weight])]:
        flag = "--weight" if name == weight else "--model"
        if name == label:
            raise InputError(f"`{flag}` names {name!r}, which is the label column. Hint: pass --label.")
        require_numbers(table, name, flag)
    if weight is not None and weight in models:
        raise InputError(
            f"Column {weight!r} is given as --model and as --weight. Hint: it can be one of them."
        )
    if doubt is not None:
        if doubt in (label, *models, weight, group):
            raise InputError(
                f"`--doubt` names {doubt!r}, which is in use already. Hint: name another column."
            )
        require_numbers(table, doubt, "--doubt")
    require_unused(placed, (label, *models, weight, group))
    # a day may also be the time or the cluster of a case
    require_unused(batches, (label, *models, weight, group))
    for name in amounts:
        if name in (label, *named):
            raise InputError(f"Column {name!r} is given as a cost and in another role. Hint: choose one.")
    roles = Roles(
        label=label,
        models=tuple(dict.fromkeys(models)),
        weight=weight,
        group=group,
        amounts=amounts,
        doubt=doubt,
        cluster=placed.get("--cluster"),
        time=placed.get("--time"),
        day=batches.get("--day"),
        key=batches.get("--key"),
        by=placed.get("--by"),
    )
    if design is not None:
        # to look at results by a column settles nothing
        used = [name for name in roles.columns if name != roles.by]
        roles = replace(roles, dependence=dependent_columns(table, design, (*used, *source.exclude)))
    return roles if models else _with_guessed_models(table, roles, source, scores=scores)


def dependent_columns(table: "Table", design: Design, used: Collection[str]) -> Dependence:
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
    for flag, text in prices.typed.items():
        if text in table.kinds:
            raise InputError(
                f"`{flag} {text}` is a number and also a column of {table.name}. "
                f"Hint: write {flag} {text}.0 for the number or {flag} '1*{text}' for the column."
            )
    for flag, priced in prices.columns.items():
        if priced.column not in table.kinds:
            raise InputError(
                f"`{flag}` must be a number, a range LOW:HIGH or a column of {table.name}, got "
                f"{priced.column!r}. Hint: the columns are {', '.join(table.kinds)}."
            )
        require_numbers(table, priced.column, flag)
    return tuple(dict.fromkeys(priced.column for priced in prices.columns.values()))


def guessed_label(table: "Table", *, taken: Collection[str]) -> str:
    """Return the one column whose name says that it holds the label."""
    named = [name for name in table.kinds if name.lower() in _LABEL_NAMES]
    free = [name for name in named if name not in taken]
    if len(free) == 1:
        return free[0]
    if named and not free:
        raise InputError(
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
    raise InputError(
        f"`{table.name}`: {which}. Hint: pass --label COLUMN{without}; the columns are "
        f"{', '.join(table.kinds)}."
    )


def only_model(table: "Table", source: Source) -> str:
    """Return the one score column of a file without labels."""
    table.require([*source.models, *source.exclude])
    for name in source.models:
        require_numbers(table, name, "--model")
    models = source.models
    if not models:
        models = _with_guessed_models(table, Roles(label="", models=(), weight=None), source).models
    return only_one(models, table.name)


def only_one(names: Collection[str], source: str, what: str = "score columns") -> str:
    """Return the only one of some names; refuse several."""
    if len(names) != 1:
        raise InputError(
            f"`{source}` has {len(names)} {what} ({', '.join(names)}). Hint: choose one with --model."
        )
    return next(iter(names))


def _with_guessed_models(table: "Table", roles: Roles, source: Source, *, scores: bool = True) -> Roles:
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
    models = tuple(name for name, reason in reasons.items() if reason is None)
    left_out = tuple(f"{name} ({reason})" for name, reason in reasons.items() if reason is not None)
    if not models:
        why = f"left out: {', '.join(left_out)}" if left_out else "there is no other column"
        raise InputError(f"`{table.name}` has no score column ({why}). Hint: pass --model COLUMN.")
    return replace(roles, models=models, left_out=left_out, suspects=tuple(doubtful))


def _suspects(table: "Table", numeric: Collection[str], positive: str | None) -> dict[str, str]:
    """Return column -> what it looks like, for those of the numeric columns that look like no score."""
    reasons = dict.fromkeys(amounts(table, numeric), "an amount")
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


def amounts(table: "Table", names: Iterable[str]) -> list[str]:
    """Return which of the numeric columns look like amounts."""
    named = {name: table.kinds[name] for name in names if _AMOUNT.fullmatch(name_words(name))}
    if not named:
        return []
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
        # one stray word must not make a model disappear
        if 2 * table.n_numeric(name) >= table.n_rows:
            raise _not_numbers(table, name, f"Column {name!r} looks like scores, but")
        if 2 * table.n_numeric_to_people(name) >= table.n_rows:
            raise InputError(
                f"Column {name!r} looks like scores, but with percent signs or separated thousands. Hint: "
                f"write plain numbers, or leave the column out with --exclude."
            )
        return "text"
    if kind != "number":
        return "dates" if kind == "date" else "not numbers"
    if date_form(table, name):
        return "dates"
    return f"pass --weight {name} to use it" if _WEIGHT_NAMES.fullmatch(lower) else None


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
