"""The cases of a file: rows in memory or counts per model, for two classes as for many, whole or by group.

With `--engine duckdb` or `spark` the rows stay where they are and only their counts come back; a file of
saved counts has none to begin with.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from demur._checks import check_scores, check_weights
from demur._files.parquet import parquet_fact
from demur._results import read_only
from demur._tables.numbers import times
from demur.cli.input.dependence import INDEPENDENT, Dependence
from demur.cli.input.roles import Roles, choose_roles, for_counting, label_column, only_model, open_with
from demur.cli.options import Design, Prices, Several, Source, refuse
from demur.comparison.missing import Unlabelled, Unscored, set_aside, unscored
from demur.costs.budget import Places
from demur.costs.case_costs import CaseCosts
from demur.counts.costs import FoldedCosts
from demur.counts.scores import SCHEMA, ScoreCounts
from demur.engines.columns import Column, class_name, guessed_positive, named_positive, require_columns
from demur.engines.files import open_table
from demur.exceptions import InputError
from demur.paired.counts import JointCounts
from demur.typing import BoolArray, FloatArray, IntArray
from demur.windows.by_group import group_text

__all__ = [
    "BOUND_OR_DROP",
    "DROP_ROWS",
    "Cases",
    "Part",
    "Rows",
    "class_without_weight",
    "missing_values",
    "positive_cases",
    "read_cases",
    "read_columns",
    "read_saved_counts",
    "read_unlabelled",
    "require_complete",
    "require_listed",
]

DROP_ROWS = "drop those rows{}, or fill them in where the model has an answer."
"""Hint for missing values; a flag that drops them goes into the braces."""

BOUND_OR_DROP = (
    "--missing-labels bounds gives costs whatever these labels are; --missing-labels drop leaves such rows "
    "out, if you know why they are missing."
)
"""Hint for labels that are missing where scores differ."""


# ---------------------------------------------------------------- rows


@dataclass(frozen=True, kw_only=True, eq=False)
class Rows:
    """True classes and inputs of one or more models for the same cases.

    Attributes
    ----------
    codes : array
        Element i: whether case i is positive, or the place of its class among `Roles.classes`.
    scores : dict
        Model -> scores, or one column of probabilities for each class.
    columns : dict
        Role of a column, one of `OTHER_ROLES` -> its values; weights and doubts as numbers.
    amounts : dict
        Column -> costs of the cases.
    unscored : Unscored or None
        What is known of rows without a score of some model, where these are left out.
    own : dict
        Model -> the rows that it scored, where these are more than those that all models scored.
    """

    codes: BoolArray | IntArray
    scores: dict[str, FloatArray]
    columns: dict[str, Any]
    amounts: dict[str, FloatArray] = field(default_factory=dict)
    unscored: Unscored | None = None
    own: "dict[str, Rows]" = field(default_factory=dict)

    def of(self, own: BoolArray) -> "Rows":
        """Return some of the cases."""
        scores, columns, amounts = (
            {name: values[own] for name, values in one.items()}
            for one in (self.scores, self.columns, self.amounts)
        )
        return Rows(codes=self.codes[own], scores=scores, columns=columns, amounts=amounts)


@dataclass(frozen=True, kw_only=True)
class _Read:
    """Rows as they were read, how their classes are called, and what was left out.

    `dropped` is column -> class -> rows left out because its value is missing; "" stands for no class.
    """

    rows: Rows
    positive: str
    negative: str
    dropped: dict[str, dict[str, int]]
    aside: Unlabelled | None
    dependence: Dependence


def _read_rows(
    columns: Mapping[str, Column],
    roles: Roles,
    source: Source,
    prices: Prices | None,
    design: Design | None,
) -> _Read:
    """Return the rows with everything the models of these roles need; refuse or drop the others.

    Cases with --unknown-label are of no class: their code follows those of the classes.
    """
    dropped: dict[str, dict[str, int]] = {}
    needed = [columns[name] for name in roles.columns if name != roles.label and columns[name].n_missing]
    if needed:
        columns, dropped = _complete_rows(columns, needed, columns[roles.label], source)
    weight = roles.others.get("weight")
    weights = None if weight is None else check_weights(columns[weight].values, weight)
    scores = {
        model: check_scores(columns[names[0]].values, names[0])
        if not roles.classes
        else np.column_stack([check_scores(columns[name].values, name) for name in names])
        for model, names in roles.models.items()
    }
    costs = None
    if prices is not None and prices.by_case:
        costs = prices.case_costs({name: columns[name].values for name in roles.amounts})
    aside = None
    if columns[roles.label].n_missing:
        aside = _unlabelled_rows(columns[roles.label], scores, weights, costs, source, dropped)
        columns = {name: column.take(aside.kept) for name, column in columns.items()}
        scores = {name: values[aside.kept] for name, values in scores.items()}
        weights = None if weights is None else weights[aside.kept]
    label, positive, negative = columns[roles.label], "", ""
    codes: Any = None
    if roles.classes:
        codes = _class_codes(label, [*roles.classes, *filter(None, [source.unknown_label])])
    else:
        if source.unknown_label is None:
            codes, positive, negative = positive_cases(label, source.positive)
        else:
            codes, positive, negative = _two_classes(label, source.positive, source.unknown_label)
        without = None if weights is None else class_without_weight(codes, weights)
        if without is not None:
            raise InputError(
                f"`--weight {weight}` leaves no case of class {positive if without else negative}: "
                "all its weights are 0. Hint: both classes are needed."
            )
        if weights is not None and source.weights == "repeats":
            _require_whole_weights(weights, str(weight))
    others = {role: columns[name].values for role, name in roles.others.items()}
    if weights is not None:
        others["weight"] = weights
    if "doubt" in others:
        others["doubt"] = check_scores(others["doubt"], roles.others["doubt"])
    dependence = INDEPENDENT
    if design is not None:
        dependence = roles.dependence.in_rows(codes, scores, columns, design)
    # nobody else holds what was read: results need no copy of it
    kept = {name: read_only(values) for name, values in scores.items()}
    amounts = {name: columns[name].values for name in roles.amounts}
    rows = Rows(codes=codes, scores=kept, columns=others, amounts=amounts)
    return _Read(
        rows=rows,
        positive=positive,
        negative=negative,
        dropped=dropped,
        aside=aside,
        dependence=dependence,
    )


def _two_classes(label: Column, positive: str | None, unknown: str) -> tuple[Any, str, str]:
    """Return the code of every case, 2 for those of no class, and how the classes are called in the file."""
    known = np.array([class_name(value) != unknown for value in label.values.tolist()], dtype=np.bool_)
    if not known.any():
        raise InputError(f"`--unknown-label` must leave cases of two classes, got {unknown!r} in every row.")
    codes, *names = positive_cases(label.take(known), positive)
    every = np.full(len(known), 2)
    every[known] = codes
    return every if not known.all() else codes, names[0], names[1]


def _class_codes(label: Column, classes: Sequence[str]) -> IntArray:
    """Return the place of every label in the list of classes."""
    labels = label.values.tolist()
    names = {value: class_name(value) for value in dict.fromkeys(labels)}
    require_listed(names.values(), classes, label.name, "--classes")
    codes = {value: classes.index(name) for value, name in names.items()}
    return np.fromiter((codes[value] for value in labels), np.int64, len(labels))


def require_listed(present: Iterable[str], classes: Collection[str], label: str, flag: str) -> None:
    """Refuse a class of the file that a flag does not list."""
    for name in present:
        if name not in classes:
            raise InputError(
                f"Label column {label!r} holds the class {name!r}, which {flag} does not list. "
                "Hint: list every class, in the spelling of the file."
            )


def read_unlabelled(
    source: Source, classes: Sequence[str] = ()
) -> tuple[str, str, tuple[str, ...], FloatArray]:
    """Read the inputs of the one model of a file without labels: (source, model, columns, numbers)."""
    with open_table(source.file) as table:
        model, columns = only_model(table, source, classes)
        read = table.read(columns)
    require_complete(read.values(), DROP_ROWS.format(""))
    numbers = [check_scores(read[name].values, name) for name in columns]
    return table.name, model, columns, np.column_stack(numbers) if classes else numbers[0]


def read_columns(source: Source, more: Sequence[str] = ()) -> tuple[str, Roles, dict[str, Column]]:
    """Read a table whose models predict other things than one of two classes: (name, roles, columns).

    `more` columns are read besides, and are no models.
    """
    with open_table(source.file) as table:
        require_columns(table.name, more, list(table.kinds))
        roles = choose_roles(table, replace(source, exclude=(*source.exclude, *more)), scores=False)
        return table.name, roles, table.read([*roles.columns, *more])


# ---------------------------------------------------------------- missing values


def _complete_rows(
    columns: Mapping[str, Column], needed: Sequence[Column], label: Column, source: Source
) -> tuple[dict[str, Column], dict[str, dict[str, int]]]:
    """Refuse missing values in columns in use but the label, or drop their rows if asked to.

    Returns the columns, and how many rows each of them cost, by class; the first column that lacks a value
    counts.
    """
    if not source.drop_missing:
        require_complete(needed, DROP_ROWS.format(" (--drop-missing)"))
    gone = np.zeros(len(label.missing), dtype=np.bool_)
    dropped = {}
    for column in needed:
        own = column.missing & ~gone
        if own.any():
            lost = label.take(own)
            found = Counter(
                "" if unknown else class_name(value)
                for value, unknown in zip(lost.values, lost.missing, strict=True)
            )
            dropped[column.name] = dict(sorted(found.items(), key=lambda item: (item[0] == "", item[0])))
        gone |= own
    return {name: column.take(~gone) for name, column in columns.items()}, dropped


def _unlabelled_rows(
    label: Column,
    scores: Mapping[str, FloatArray],
    weights: FloatArray | None,
    costs: CaseCosts | None,
    source: Source,
    dropped: dict[str, dict[str, int]],
) -> Unlabelled:
    """Look at rows without a label. Those left out are added to the dropped ones.

    Raises `InputError` if their scores differ from those of the others, unless flags say what to do.
    """
    n = label.n_missing
    if label.missing.all():
        raise InputError(f"Column {label.name!r} has no label at all. Hint: pass another --label.")
    how = source.missing_labels or ("drop" if source.drop_missing else "refuse")
    aside = set_aside(label.filled(), scores, weights, "bounds" if how == "bounds" else "drop", costs)
    assert aside is not None, "some labels are missing"
    if aside.differ and how == "refuse":
        raise InputError(
            f"Column {label.name!r} is empty in {n:,} of {len(label.missing):,} rows, and {aside.differ}: "
            f"labels may exist only where something was done. Hint: {BOUND_OR_DROP}"
        )
    if not aside.bounds:
        dropped[label.name] = {"": n}
    return aside


def _left_out(
    dropped: Mapping[str, Mapping[str, int]], aside: Unlabelled | None
) -> tuple[str, dict[str, dict[str, int]]]:
    """Say which columns cost how many rows, of which class, and what that means; also for the document.

    A class that loses more rows than the other changes the answer.
    """
    parts, by_class = [], Counter[str]()
    for column, lost in dropped.items():
        by_class.update(lost)
        shares = [f"{n} of class {name}" if name else f"{n} without a label" for name, n in lost.items()]
        known = f" ({', '.join(shares)})" if set(lost) != {""} else ""
        parts.append((sum(lost.values()), f"without {column}{known}"))
    total, text = times(by_class.total(), "row"), ""
    if len(parts) == 1:
        text = f" Left out {total} {parts[0][1]}."
    elif parts:
        text = f" Left out {total}: {', '.join(f'{n} {words}' for n, words in parts)}."
    if aside is not None and aside.bounds:
        text += f" Costs hold for any labels of {times(int((~aside.kept).sum()), 'more row')} without one."
    elif aside is not None and aside.differ:
        text += f" Labels are missing where {aside.differ}: nothing is proven or guaranteed."
    if not dropped:
        return text, {}
    return text, {
        "dropped": dict(sorted(by_class.items(), key=lambda item: (item[0] == "", item[0]))),
        "dropped_without": {column: sum(counts.values()) for column, counts in dropped.items()},
    }


def require_complete(columns: Iterable[Column], hint: str) -> None:
    """Refuse missing values."""
    for column in columns:
        if column.n_missing:
            raise InputError(f"Column {column.name!r} has {missing_values(column)}. Hint: {hint}")


def missing_values(column: Column) -> str:
    """Count the missing values in words."""
    return f"{times(column.n_missing, 'missing value')}, the first in row {column.first_missing}"


def class_without_weight(truth: BoolArray, weights: Any) -> bool | None:
    """Return the class (True: positive) whose weights are all 0; None if both have weight."""
    return next((kind for kind in (True, False) if not weights[truth == kind].any()), None)


def _require_whole_weights(weights: FloatArray, name: str) -> None:
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
        from demur.engines.tallies import nested_values

        raise nested_values(column.values)
    present = column.values[~column.missing]
    classes = np.unique(present.astype(str) if present.dtype.kind == "O" else present)
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


# ---------------------------------------------------------------- rows or counts, by group


@dataclass(frozen=True, kw_only=True, eq=False)
class Part:
    """The cases of one group, or all of them.

    Attributes
    ----------
    counted : dict or None
        Model -> its counts, where an engine counted; None where the rows are all there is.
    rows : Rows or None
        The cases themselves, where they are in memory.
    summed : dict or None
        Model -> sums of the costs of the cases, where an engine added them up.
    joint : JointCounts or None
        Cases per combination of scores, or of bins of scores, where an engine counted them.
    """

    counted: dict[str, ScoreCounts] | None = None
    rows: Rows | None = None
    summed: dict[str, FoldedCosts] | None = None
    joint: JointCounts | None = None

    @cached_property
    def counts(self) -> dict[str, ScoreCounts]:
        """Model of two classes -> its counts; made from the rows on demand, as not every verb needs them."""
        if self.counted is not None:
            return self.counted
        rows = self.rows
        assert rows is not None
        weights = rows.columns.get("weight")
        return {
            name: ScoreCounts.from_arrays(rows.codes, score, sample_weight=weights)
            for name, score in rows.scores.items()
        }

    @property
    def n(self) -> float:
        """Weight of the cases."""
        if self.rows is None:
            return next(iter(self.counts.values())).n
        weights = self.rows.columns.get("weight")
        return float(len(self.rows.codes) if weights is None else weights.sum())

    @property
    def certified(self) -> float:
        """The most a cost can be too high because scores share bins; 0 where rows were counted."""
        if self.joint is not None:
            return self.joint.certified()
        return max((counts.certified for counts in (self.counted or {}).values()), default=0.0)


@dataclass(frozen=True, kw_only=True, eq=False)
class Cases:
    """Everything read from one source.

    Attributes
    ----------
    sentence : str
        What was read, and as what.
    data : dict
        The same as built-in types.
    parts : dict
        Group -> its cases; without groups one entry, under the empty name.
    roles : Roles
        The columns in use.
    group : str or None
        Column of the groups.
    together : Part or None
        The cases of all groups, where rows are in memory.
    positive, negative : str
        The labels of two classes.
    dependence : Dependence
        Signs that rows are not independent.
    aside : Unlabelled or None
        Rows without a label.
    """

    sentence: str
    data: dict[str, Any]
    parts: Mapping[str, Part]
    roles: Roles
    group: str | None = None
    together: Part | None = None
    positive: str = ""
    negative: str = ""
    dependence: Dependence = INDEPENDENT
    aside: Unlabelled | None = None

    @property
    def certified(self) -> float:
        """The most a cost can be too high because scores share bins, in units of the more expensive error."""
        return max(float(part.certified) for part in self.parts.values())

    @property
    def exact(self) -> bool:
        """Whether every distinct score was counted apart."""
        return all(
            one.exact
            for part in self.parts.values()
            for one in ([part.joint] if part.joint is not None else (part.counted or {}).values())
        )

    @cached_property
    def whole(self) -> Part:
        """All cases together."""
        return self.together or _joined(list(self.parts.values()))

    def part(self, name: str | None) -> Part:
        """Return the cases of a group; of all groups together for None."""
        return self.whole if name is None else self.parts[name]

    def title(self, name: str) -> str:
        """Return the heading of a group."""
        return f"{self.group} = {name}: {self.parts[name].n:g} cases"

    def bins_in_words(self) -> list[str]:
        """Say to what the numbers are certified; nothing if they are exact."""
        # a comparison of joint counts says itself what its bins leave open at its costs
        if self.exact or any(part.joint is not None for part in self.parts.values()):
            return []
        return [
            "Scores were counted in bins: at any costs, the cost of a model per case is certified to be too "
            f"high by at most {self.certified:.1e} times the more expensive error."
        ]

    def answered(self, answers: dict[str, dict[str, Any]]) -> dict[str, Any]:
        """Return the content of a document: what was read, and the answer for every part."""
        head: dict[str, Any] = {"data": self.data}
        if not self.roles.classes:
            head |= {"exact": self.exact, "certified": self.certified}
        if self.group is None:
            return {**head, **answers[""]}
        groups = {name: {"n": self.parts[name].n, **one} for name, one in answers.items()}
        return {**head, "group": self.group, "groups": groups}


def read_cases(
    source: Source,
    prices: Prices,
    *,
    classes: Sequence[str] = (),
    split: bool = True,
    design: Design | None = None,
    places: Places | None = None,
    several: Several | None = None,
) -> Cases:
    """Read a file of predictions or of counts with an engine; refuse what is ambiguous or missing.

    `classes` have a column of probabilities each; `prices` may name columns with the costs of the cases,
    `places` those of batches and keys. Without `split` the cases of all groups stay one part.
    """
    if (source.unknown_label is None) != (prices.cost_unknown is None):
        missing, given = ("--cost-unknown", "--unknown-label")[:: 1 if source.unknown_label else -1]
        raise InputError(f"`{missing}` is needed with {given}. Hint: costs are never assumed.")
    joint = several or Several()
    others = {"doubt": joint.doubt} | ({} if places is None else {"day": places.column, "key": places.key})
    if classes:
        with open_table(source.file) as table:
            roles = choose_roles(table, source, classes=classes, design=design)
            return _in_memory(table, roles, source, None, design, split=split)
    if parquet_fact(Path(source.file), "schema") == SCHEMA:
        placed = {} if design is None else design.columns
        placed |= {} if places is None else {"--day": places.column}
        if placed or joint.given() or prices.by_case:
            flag = next(iter(placed or joint.given() or prices.columns or prices.ranges))
            raise InputError(
                f"`{flag}` needs the cases of {source.file} themselves, but it holds counts. "
                "Hint: pass the file they were counted from."
            )
        return _saved(source)
    if source.engine == "memory":
        with open_table(source.file) as table:
            roles = choose_roles(table, source, prices=prices, others=others, design=design)
            if joint.given():
                _require_joint(joint, list(roles.models), source)
            return _in_memory(table, roles, source, prices, design, split=split)
    _require_rows(source, joint, places, split=split)
    with open_with(source.file, source.engine, source.master) as counted:
        roles = choose_roles(counted, source, prices=prices if prices.by_case else None, design=design)
        _require_countable(roles, prices, source.engine)
        return _counted(counted, roles, source, prices)


def _in_memory(
    table: Any,
    roles: Roles,
    source: Source,
    prices: Prices | None,
    design: Design | None,
    *,
    split: bool,
) -> Cases:
    """Read the rows, whole and by group; where asked, those of each model apart that scored more."""
    columns = table.read((*roles.columns, *roles.dependence.dates))
    asked = source, prices, design
    read = _read_rows(columns, roles, *asked)
    rows, group, n = read.rows, roles.others.get("group"), len(read.rows.codes)
    apart = source.drop_missing and not roles.classes and group is None and len(roles.models) > 1
    if apart and any(columns[name].missing.any() for name in roles.scores):
        scores = {
            name: np.where(columns[name].missing, np.nan, columns[name].values) for name in roles.models
        }
        own = {
            name: _read_rows(columns, replace(roles, models={name: (name,)}), *asked).rows
            for name in roles.models
        }
        rows = replace(
            rows,
            unscored=unscored(columns[roles.label].filled(), scores),
            own={name: one for name, one in own.items() if len(one.codes) > n},
        )
    parts = {"": Part(rows=rows)}
    if split and group is not None:
        values = rows.columns["group"]
        values = values.astype(str) if values.dtype.kind == "O" else values
        distinct, place = np.unique(values, return_inverse=True)
        names = np.array([group_text(value) for value in distinct])
        parts = {name: Part(rows=rows.of(names[place] == name)) for name in dict.fromkeys(names.tolist())}
    words, counts = _left_out(read.dropped, read.aside) if read.dropped or read.aside else ("", {})
    said = roles.words(table.name, n, read.positive) + words
    engine = {} if roles.classes else {"engine": "memory"}
    return Cases(
        sentence=said + read.dependence.words() if read.dependence else said,
        data={
            **roles.to_dict(table.name, n, read.positive, read.negative),
            **counts,
            **engine,
        },
        parts=parts,
        roles=roles,
        group=group if split else None,
        together=Part(rows=rows),
        positive=read.positive,
        negative=read.negative,
        dependence=read.dependence,
        aside=read.aside,
    )


def _require_rows(source: Source, joint: Several, places: Places | None, *, split: bool) -> None:
    """Refuse what an engine that keeps sums only cannot answer."""
    if places is not None:
        raise InputError(
            f"`--day` needs the rows, but --engine {source.engine} keeps sums only. Hint: leave --engine out."
        )
    because = f"needs the rows in memory, got --engine {source.engine}. Hint: leave --engine out."
    refuse(joint, because=because)
    if not split:
        raise InputError(
            f"`--one-page` needs the rows, but --engine {source.engine} keeps sums only. "
            "Hint: leave --engine out, or --one-page."
        )
    if source.weight is not None and source.weights != "repeats":
        raise InputError(
            "`--weight` as importance needs the weight of every case, but "
            f"--engine {source.engine} keeps sums only. "
            "Hint: leave --engine out; or add --weights repeats, if a weight of 2 means two cases."
        )


def _require_joint(joint: Several, names: Sequence[str], source: Source) -> None:
    """Refuse rules of several models where there is one, and prices of what is no model."""
    if joint.given() and source.missing_labels == "bounds":
        raise InputError(
            f"`{next(iter(joint.given()))}` needs the label of every case. Hint: --missing-labels drop."
        )
    for name in joint.asked()["prices"]:
        if name not in names:
            raise InputError(
                f"`--price` names {name!r}, which is no model. Hint: they are {', '.join(names)}."
            )
    if joint.combine and joint.doubt is None and len(names) < 2:
        raise InputError(
            f"`--combine` needs at least two score columns, got {names[0]}. Hint: pass --model for each, or "
            "--doubt COLUMN for a guard."
        )


# ---------------------------------------------------------------- saved counts


def read_saved_counts(source: Source, *, but: Collection[str] = ()) -> tuple[str, ScoreCounts, str]:
    """Read the counts of one model: its saved name or that of the file, the counts, what was read.

    Counts tell nothing of columns, so that flags about them are refused, `but` some.
    """
    path = Path(source.file)
    refuse(source, because=f"is for tables of cases, but {path} holds counts. Hint: leave it out.", but=but)
    counts = ScoreCounts.load(path)
    sentence = (
        f"Read the counts of {counts.n:g} cases of {path}: {len(counts.scores)} distinct scores or bins."
    )
    return parquet_fact(path, "model") or path.stem, counts, sentence


def _saved(source: Source) -> Cases:
    model, counts, sentence = read_saved_counts(source, but=("--engine", "--master"))
    return Cases(
        sentence=sentence,
        data={
            "source": str(Path(source.file)),
            "rows": counts.n,
            "engine": "counts",
            "distinct_scores": len(counts.scores),
        },
        roles=Roles(label="", models={model: (model,)}),
        positive="1",
        negative="0",
        parts={"": Part(counted={model: counts})},
    )


# ---------------------------------------------------------------- counts from an engine


def _require_countable(roles: Roles, prices: Prices, engine: str) -> None:
    """Refuse groups of results, and clusters and times beside what needs the rows."""
    from demur.engines.joint import MOST_MODELS

    if "by" in roles.others:
        raise InputError(
            f"`--by` needs the rows, but --engine {engine} keeps counts only. Hint: leave --engine out."
        )
    flag = next((f"--{role}" for role in ("cluster", "time") if role in roles.others), None)
    others = {
        "costs by case": prices.by_case,
        "--group": "group" in roles.others,
        f"more than {MOST_MODELS} models": len(roles.models) > MOST_MODELS,
    }
    if flag is not None and any(others.values()):
        raise InputError(
            f"`{flag}` beside {next(filter(others.get, others))} needs the rows, but --engine {engine} keeps "
            "counts only. Hint: leave --engine out."
        )


def _counted(table: Any, roles: Roles, source: Source, prices: Prices) -> Cases:
    """Let the engine count; of few models also count the combinations of scores, in bins if need be."""
    from demur.engines.cost_sums import read_folded_costs
    from demur.engines.counting import read_counts
    from demur.engines.joint import MOST_MODELS, read_joint_counts
    from demur.engines.tallies import Columns

    _, positive, negative = positive_cases(label_column(table, roles.label), source.positive)
    weight, group = roles.others.get("weight"), roles.others.get("group")
    columns: dict[str, Any] = {"y_true": roles.label, "scores": list(roles.models), "weights": weight}
    countable = for_counting(table)
    counted = read_counts(countable, **columns, positive=positive, groups=group)
    placed: dict[str, Any] = {"groups": roles.others.get("cluster"), "time": roles.others.get("time")}
    if group is not None:
        parts = {class_name(name): Part(counted=counts) for name, counts in counted.items()}
    elif not any(placed.values()) and (prices.by_case or not 2 <= len(roles.models) <= MOST_MODELS):
        parts = {"": Part(counted=counted)}
    else:
        costs = prices.costs()
        assert not isinstance(costs, CaseCosts)
        joint = read_joint_counts(
            countable, **columns, **placed, pos_label=positive, counts=counted, costs=costs
        )
        parts = {"": Part(counted=counted, joint=joint)}
    if weight is not None:
        for part in parts.values():
            for counts in part.counts.values():
                _require_whole_weights(np.concatenate([counts.positives, counts.negatives]), weight)
    if prices.by_case:
        summed = Columns(
            y_true=roles.label,
            scores=tuple(roles.models),
            weights=weight,
            groups=group,
            amounts=roles.amounts,
        )
        found = read_folded_costs(countable, columns=summed, terms=prices.cost_terms(), positive=positive)
        by_name = {"" if name is None else class_name(name): sums for name, sums in found.items()}
        parts = {name: replace(part, summed=by_name[name]) for name, part in parts.items()}
    return Cases(
        sentence=roles.words(table.name, table.n_rows, positive) + roles.dependence.words(),
        data={**roles.to_dict(table.name, table.n_rows, positive, negative), "engine": source.engine},
        roles=roles,
        positive=positive,
        negative=negative,
        group=group,
        dependence=roles.dependence,
        parts=parts,
    )


def _joined(parts: Sequence[Part]) -> Part:
    """Return what was counted and summed in all groups together."""
    first, *others = parts
    counted = {name: one.merge(*(part.counts[name] for part in others)) for name, one in first.counts.items()}
    if first.summed is None:
        return Part(counted=counted)
    summed = {}
    for name, sums in first.summed.items():
        columns = zip(*((part.summed or {})[name][:-1] for part in parts), strict=True)
        summed[name] = FoldedCosts._make([*map(np.concatenate, columns), sums.folds])
    return Part(counted=counted, summed=summed)
