"""Which column is what: the user's words first, then names that leave no doubt."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

import click

from demur.cli.options import Prices, Source
from demur.cli.output import shortened
from demur.cli.reading.suspects import suspects
from demur.cli.reading.tables import Table
from demur.engines.columns import Column
from demur.engines.labels import is_number
from demur.exceptions import InputError

__all__ = ["Roles", "choose_roles", "described", "guessed_label", "only_model", "read_as", "require_numbers"]

_LONGEST_NAME = 60
_LABEL_NAMES = ("y_true", "label", "target", "class", "y")
# names that are keys as they stand; "risk_index" or "worst_case" may well be a score
_KEY_NAMES = re.compile(r"(row|case|fold|split|repeat|seed)(_?(id|no|nr|number))?|index|idx|id|.*_id")
_WEIGHT_NAMES = re.compile(r"(sample_|case_)?weights?")
# what DuckDB and pandas call a column without a name: the row numbers pandas and R write
_UNNAMED = re.compile(r"column\d+|unnamed: \d+")


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
    """

    label: str
    models: tuple[str, ...]
    weight: str | None
    group: str | None = None
    left_out: tuple[str, ...] = ()
    suspects: tuple[str, ...] = ()
    amounts: tuple[str, ...] = ()
    doubt: str | None = None

    @property
    def columns(self) -> tuple[str, ...]:
        """All columns in use."""
        others = (name for name in (self.weight, self.group, self.doubt) if name)
        return (self.label, *self.models, *others, *self.amounts)


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
        **({"doubt": roles.doubt} if roles.doubt else {}),
    }


def described(source: str, n: int, roles: Roles, positive: str) -> str:
    """Tell what was read, and as what."""
    models = [shortened(model, _LONGEST_NAME) for model in roles.models]
    text = f"Read {n} rows of {source}: label column {roles.label}, positive = {positive}, "
    text += f"{len(models)} score column{'s' if len(models) > 1 else ''} ({', '.join(models)})"
    if roles.weight:
        text += f", weights {roles.weight}"
    if roles.doubt:
        text += f", doubts {roles.doubt}"
    if roles.group:
        text += f", groups by {roles.group}"
    if roles.amounts:
        text += f", costs of the cases {', '.join(roles.amounts)}"
    text += f"; left out: {', '.join(roles.left_out)}." if roles.left_out else "."
    return text + (f" {_doubt(roles.suspects)}" if roles.suspects else "")


def _doubt(names: Sequence[str]) -> str:
    """Say how to take or to drop columns that look like no score."""
    verb, use = ("does", "it as a model") if len(names) == 1 else ("do", "them as models")
    return (
        f"{' and '.join(names)} {verb} not look like scores: pass --model to use {use}, --exclude to confirm."
    )


def choose_roles(
    table: Table,
    source: Source,
    *,
    scores: bool = True,
    prices: Prices | None = None,
    doubt: str | None = None,
) -> Roles:
    """Decide which column is what.

    With `scores` false the models predict values, not classes, so that any numbers will do. `prices` may
    name columns of amounts; `doubt` is the column of --doubt.
    """
    models, weight, group = source.models, source.weight, source.group
    amounts = () if prices is None else _amount_columns(table, prices)
    named = [name for name in (*models, weight, group, doubt) if name is not None]
    label = source.label
    if label is None:
        label = guessed_label(table, taken=[*named, *source.exclude, *amounts])
    table.require([label, *named, *source.exclude])
    for name in source.exclude:
        if name in (label, *named):
            raise InputError(f"`--exclude` names {name!r}, which is in use. Hint: it can be one of them.")
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
    )
    return roles if models else _with_guessed_models(table, roles, source, scores=scores)


def _amount_columns(table: Table, prices: Prices) -> tuple[str, ...]:
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


def guessed_label(table: Table, *, taken: Collection[str]) -> str:
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


def only_model(table: Table, source: Source) -> str:
    """Return the one score column of a file without labels."""
    table.require([*source.models, *source.exclude])
    for name in source.models:
        require_numbers(table, name, "--model")
    models = source.models
    if not models:
        models = _with_guessed_models(table, Roles(label="", models=(), weight=None), source).models
    if len(models) != 1:
        raise InputError(
            f"`{table.name}` has {len(models)} score columns ({', '.join(models)}). "
            "Hint: choose one with --model."
        )
    return models[0]


def _with_guessed_models(table: Table, roles: Roles, source: Source, *, scores: bool = True) -> Roles:
    """Take every other numeric column as a model, unless its name or its values say that it is none."""
    reasons: dict[str, str | None] = {}
    for name in table.kinds:
        if name not in roles.columns:
            reasons[name] = "excluded" if name in source.exclude else _reason_to_leave_out(table, name)
    candidates = [name for name, reason in reasons.items() if reason is None]
    doubtful = suspects(table, candidates, positive=source.positive) if scores else {}
    reasons |= doubtful
    models = tuple(name for name, reason in reasons.items() if reason is None)
    left_out = tuple(f"{name} ({reason})" for name, reason in reasons.items() if reason is not None)
    if not models:
        why = f"left out: {', '.join(left_out)}" if left_out else "there is no other column"
        raise InputError(f"`{table.name}` has no score column ({why}). Hint: pass --model COLUMN.")
    return replace(roles, models=models, left_out=left_out, suspects=tuple(doubtful))


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
        if 2 * table.n_numeric_to_people(name) >= table.n_rows:
            raise InputError(
                f"Column {name!r} looks like scores, but with percent signs or separated thousands. Hint: "
                f"write plain numbers, or leave the column out with --exclude."
            )
        return "text"
    if kind != "number":
        return "not numbers"
    return f"pass --weight {name} to use it" if _WEIGHT_NAMES.fullmatch(lower) else None


def require_numbers(table: Table, name: str, flag: str) -> None:
    """Refuse a column without numbers that a flag names."""
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
