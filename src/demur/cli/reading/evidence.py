"""What the verbs work from: counts per model, and the rows where they are in memory.

Rows come from `read_predictions`. With `--engine duckdb` or `spark` the rows stay where they are
and only their counts come back; a file of saved counts has none to begin with.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from demur._files.parquet import parquet_schema
from demur.cli.reading.predictions import (
    Predictions,
    Roles,
    choose_roles,
    described,
    distinct,
    positive_cases,
    read_as,
    read_predictions,
)
from demur.counts.scores import SCHEMA, ScoreCounts
from demur.engines.counting import read_counts
from demur.engines.files import Column, FileTable, open_table
from demur.engines.labels import class_name
from demur.engines.paired import read_paired_counts
from demur.engines.sources import MEMORY_LIMIT
from demur.exceptions import InputError
from demur.paired.counts import PairedCounts

if TYPE_CHECKING:
    from demur.engines.spark import SparkTable

__all__ = ["Evidence", "Part", "for_counting", "frame_of", "label_column", "open_with", "read_evidence"]


@dataclass(frozen=True, kw_only=True, eq=False)
class Part:
    """The cases of one group, or all of them.

    Attributes
    ----------
    counted : dict or None
        Model -> its counts, where an engine counted; None where the rows are all there is.
    rows : Predictions or None
        The cases themselves, or one weighted row per pair of scores, where they are in memory.
    """

    counted: dict[str, ScoreCounts] | None = None
    rows: Predictions | None = None

    @cached_property
    def counts(self) -> dict[str, ScoreCounts]:
        """Model -> its counts; made from the rows when somebody asks, as not every verb does."""
        if self.counted is not None:
            return self.counted
        assert self.rows is not None
        return self.rows.counts()

    @property
    def n(self) -> float:
        """Weight of the cases."""
        return next(iter(self.counts.values())).n

    @property
    def certified(self) -> float:
        """The most a cost can be too high because scores share bins; 0 where rows were counted."""
        return max((counts.certified for counts in (self.counted or {}).values()), default=0.0)

    @property
    def exact(self) -> bool:
        """Whether every distinct score was counted apart."""
        return all(counts.exact for counts in (self.counted or {}).values())


@dataclass(frozen=True, kw_only=True, eq=False)
class Evidence:
    """Everything read from one source.

    Attributes
    ----------
    sentence : str
        What was read, and as what.
    data : dict
        The same as built-in types.
    positive, negative : str
        The two labels.
    group : str or None
        Column of the groups.
    parts : dict
        Group -> its cases; without groups one entry, under the empty name.
    """

    sentence: str
    data: dict[str, Any]
    positive: str
    negative: str
    parts: dict[str, Part]
    group: str | None = None

    @property
    def whole(self) -> Part:
        """The only part, where there are no groups."""
        return self.parts[""]

    @property
    def certified(self) -> float:
        """The most a cost can be too high because scores share bins, in units of the dearer error."""
        return max(part.certified for part in self.parts.values())

    @property
    def exact(self) -> bool:
        """Whether every distinct score was counted apart."""
        return all(part.exact for part in self.parts.values())

    def bins_in_words(self) -> list[str]:
        """Say to what the numbers are certified; nothing if they are exact."""
        if self.exact:
            return []
        return [
            "Scores were counted in bins: whatever the costs, those of a model are certified to be at most "
            f"{self.certified:.1e} times the dearer error too high per case."
        ]

    def title(self, name: str) -> str:
        """Return the heading of a group."""
        return f"{self.group} = {name}: {self.parts[name].n:g} cases"

    def answered(self, parts: dict[str, dict[str, Any]]) -> dict[str, Any]:
        """Return the content of a document: what was read, and the answer for every part."""
        head = {"data": self.data, "exact": self.exact, "certified": self.certified}
        if self.group is None:
            return {**head, **parts[""]}
        groups = {name: {"n": self.parts[name].n, **part} for name, part in parts.items()}
        return {**head, "group": self.group, "groups": groups}


def read_evidence(
    file: str,
    *,
    label: str | None,
    positive: str | None,
    models: Sequence[str],
    weight: str | None,
    group: str | None = None,
    engine: str = "memory",
    master: str | None = None,
) -> Evidence:
    """Read a file of predictions or of counts with an engine; refuse what is ambiguous or missing."""
    named = {"--label": label, "--positive": positive, "--model": models, "--weight": weight}
    given = [flag for flag, value in {**named, "--group": group}.items() if value]
    path = Path(file)
    if path.is_file() and parquet_schema(path) == SCHEMA:
        return _from_saved(path, given)
    if engine == "memory":
        read = read_predictions(
            file, label=label, positive=positive, models=models, weight=weight, group=group
        )
        return _from_rows(read)
    with open_with(file, engine, master) as table:
        roles = choose_roles(table, label=label, models=models, weight=weight, group=group)
        return _counted(table, roles, positive, engine)


# ---------------------------------------------------------------- saved counts


def _from_saved(path: Path, given: list[str]) -> Evidence:
    """Take one model, called like the file; counts tell nothing of columns and labels."""
    if given:
        raise InputError(f"`{given[0]}` is for tables of cases, but {path} holds counts. Hint: leave it out.")
    counts = ScoreCounts.load(path)
    distinct = len(counts.scores)
    return Evidence(
        sentence=f"Read the counts of {counts.n:g} cases of {path}: {distinct} distinct scores or bins.",
        data={"source": str(path), "rows": counts.n, "engine": "counts", "distinct_scores": distinct},
        positive="1",
        negative="0",
        parts={"": Part(counted={path.stem: counts})},
    )


# ---------------------------------------------------------------- rows in memory


def _from_rows(read: Predictions) -> Evidence:
    rows = {"": read} if read.groups is None else _split(read)
    return Evidence(
        sentence=read.sentence(),
        data={**read.to_dict(), "engine": "memory"},
        positive=read.positive,
        negative=read.negative,
        group=read.roles.group,
        parts={name: Part(rows=part) for name, part in rows.items()},
    )


def _split(read: Predictions) -> dict[str, Predictions]:
    """Return the rows of every group, groups ascending."""
    found = {}
    for value in distinct(read.groups):
        chosen = read.groups == value
        found[class_name(value)] = replace(
            read,
            truth=read.truth[chosen],
            scores={model: scores[chosen] for model, scores in read.scores.items()},
            weights=None if read.weights is None else read.weights[chosen],
            groups=None,
        )
    return found


# ---------------------------------------------------------------- counts from an engine


@contextmanager
def open_with(file: str, engine: str, master: str | None) -> "Iterator[FileTable | SparkTable]":
    """Open a table with DuckDB or Spark; its rows stay where they are until somebody reads them."""
    if engine != "spark":
        limit = None if engine == "memory" else MEMORY_LIMIT
        with open_table(file, memory_limit=limit) as table:
            yield table
        return
    from demur.engines.spark import SparkTable, spark_errors, spark_session

    with spark_session(master) as session, spark_errors(file):
        yield SparkTable(session, file)


def _counted(table: "FileTable | SparkTable", roles: Roles, positive: str | None, engine: str) -> Evidence:
    _, shown, other = positive_cases(label_column(table, roles.label), positive)
    columns: dict[str, Any] = {"y_true": roles.label, "scores": list(roles.models), "positive": shown}
    columns["weights"] = roles.weight
    source = for_counting(table)
    found = read_counts(source, **columns, groups=roles.group)
    if roles.group is not None:
        parts = {class_name(group): Part(counted=counts) for group, counts in found.items()}
    else:
        joint = read_paired_counts(source, **columns) if len(roles.models) == 2 else None
        rows = _joint_rows(joint, table.name, roles, shown, other) if joint and joint.exact else None
        parts = {"": Part(counted=found, rows=rows)}
    return Evidence(
        sentence=described(table.name, table.n_rows, roles, shown),
        data={**read_as(table.name, table.n_rows, roles, shown, other), "engine": engine},
        positive=shown,
        negative=other,
        group=roles.group,
        parts=parts,
    )


def label_column(table: "FileTable | SparkTable", name: str) -> Column:
    """Return the distinct labels as if they were all the rows."""
    labels = np.array(table.distinct(name))
    nothing = np.zeros(len(labels), dtype=np.bool_)
    return Column(name=name, values=labels, missing=nothing, kind=table.kinds[name])


def frame_of(table: "FileTable | SparkTable") -> Any:
    """Return the rows as their engine has them."""
    return table.relation if isinstance(table, FileTable) else table.frame


def for_counting(table: "FileTable | SparkTable") -> Any:
    """Return what `read_counts` takes: columns of Parquet files are read one by one, if it opens them."""
    return table.name if isinstance(table, FileTable) and table.columnar else frame_of(table)


def _joint_rows(joint: PairedCounts, source: str, roles: Roles, positive: str, negative: str) -> Predictions:
    """Return one weighted row per pair of scores and class: all that tests of a pair need."""
    rows = joint.rows()
    return Predictions(
        source=source,
        roles=roles,
        positive=positive,
        negative=negative,
        truth=rows.positive,
        scores=dict(zip(roles.models, (rows.score_a, rows.score_b), strict=True)),
        weights=rows.weights,
    )
