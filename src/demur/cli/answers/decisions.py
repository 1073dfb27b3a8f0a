"""Decisions for the rows of a file: written batch by batch, bad rows told and counted."""

import csv
import io
import shutil
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import IO, Any

import click
import numpy as np

from demur._files.whole import whole_file
from demur.engines.columns import unknown_column
from demur.engines.row_stream import BadRow, Batch, RowStream
from demur.exceptions import InputError
from demur.monitoring.audit import Audit
from demur.monitoring.reference import ReferenceCells
from demur.monitoring.scale import BatchCounts, scale_sentences
from demur.surface.window import ABSTAIN
from demur.typing import FloatArray, IntArray
from demur.windows.policy import Policy

__all__ = [
    "AUDIT_COLUMNS",
    "MOST_TOLD",
    "Drawing",
    "Tally",
    "decision_sink",
    "require_new",
    "score_column",
    "show_progress",
    "write_cells",
    "write_decisions",
    "write_rows",
]

AUDIT_COLUMNS = ("audit", "audit_probability")
"""Whether a label is asked for, and the probability of a label."""

MOST_TOLD = 10
"""How many rows without a score are told one by one."""

_SECONDS_BETWEEN = 0.5
# no decision; the policy knows -1, 0 and 1
_NONE = 2


@dataclass(kw_only=True)
class Tally:
    """How often each decision was made.

    Attributes
    ----------
    rows, positive, negative, abstained, bad : int
        Numbers of rows; bad ones have no score and no decision.
    first_bad : list of BadRow
        The first few.
    audited : int
        Decided cases whose true class is asked for.
    warnings : list of str
        What is odd about the scale of the scores.
    """

    rows: int = 0
    positive: int = 0
    negative: int = 0
    abstained: int = 0
    bad: int = 0
    first_bad: list[BadRow] = field(default_factory=list)
    audited: int = 0
    warnings: list[str] = field(default_factory=list)

    def add(self, batch: Batch, codes: Any) -> None:
        """Count a batch; `codes` are the decisions of its good rows."""
        self.rows += len(batch.scores)
        self.positive += int(np.count_nonzero(codes == 1))
        self.negative += int(np.count_nonzero(codes == 0))
        self.abstained += int(np.count_nonzero(codes == ABSTAIN))
        self.bad += len(batch.bad)
        self.first_bad += batch.bad[: MOST_TOLD - len(self.first_bad)]

    def sentence(self) -> str:
        """Say it in words."""
        text = f"{self.rows} rows: {self.positive} positive, {self.negative} negative, "
        return (
            text
            + f"{self.abstained} abstained on"
            + (f", {self.bad} without a decision." if self.bad else ".")
            + (f" A label is asked for in {self.audited} decided rows." if self.audited else "")
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers and the first bad rows."""
        return {**vars(self), "first_bad": [row._asdict() for row in self.first_bad]}


def score_column(policy: Policy, stream: RowStream, model: str | None) -> str:
    """Return the column with the scores: the user's, the policy's, or the only one."""
    name = model if model is not None else policy.model
    if name is None and len(stream.columns) == 1:
        return stream.columns[0]
    if name in stream.columns:
        return name
    if model is None:
        why = (
            "the policy names no model"
            if name is None
            else f"there is no column {name!r}, the policy's model"
        )
        raise InputError(
            f"`{stream.name}`: {why}. Hint: pass --model COLUMN; the columns are {', '.join(stream.columns)}."
        )
    return model  # the stream says what is wrong with it


@contextmanager
def decision_sink(output: str | None, *, strict: bool) -> Iterator[IO[str]]:
    """Open where decisions go; with `strict` standard output too gets everything or nothing."""
    if output not in (None, "-"):
        with whole_file(str(output)) as handle:
            yield handle
    elif strict:
        with tempfile.TemporaryFile("w+", encoding="utf-8", newline="") as draft:
            yield draft
            draft.seek(0)
            shutil.copyfileobj(draft, sys.stdout)
    else:
        yield sys.stdout


@dataclass(frozen=True, kw_only=True)
class Drawing:
    """How cases are drawn for an audit: the draw, and the column that names a case if there is one."""

    audit: Audit
    key: str | None = None


def write_decisions(
    policy: Policy,
    stream: RowStream,
    handle: IO[str],
    *,
    score: str,
    column: str,
    only: bool,
    strict: bool,
    quiet: bool,
    drawing: Drawing | None = None,
) -> Tally:
    """Decide on every row; a bad row gets an empty decision, or with `strict` ends the work."""
    added = [column, *(AUDIT_COLUMNS if drawing is not None else ())]
    require_new(stream, added, only=only)
    key = _key_place(stream, drawing)
    batches = stream.batches(score, cells=not only)
    write_rows(handle, [added if only else [*stream.columns, *added]], stream.separator)
    tally, scale = Tally(), _Scale(policy)
    with show_progress(tally, quiet=quiet) as show:
        for batch in batches:
            if strict and batch.bad:
                where, problem = batch.bad[0]
                raise InputError(f"`{stream.name}` {where}, column {score}: {problem}.")
            first = tally.rows
            codes = _codes(policy, batch)
            tally.add(batch, codes[codes != _NONE])
            scale.add(batch.scores)
            answers = [_labels(policy, codes)]
            if drawing is not None:
                answers += _audit_cells(drawing, batch, codes, tally, first=first, key=key)
            told = [()] * len(codes) if only else batch.rows
            rows = ((*row, *answer) for row, answer in zip(told, zip(*answers, strict=True), strict=True))
            write_rows(handle, rows, stream.separator)
            show()
    tally.warnings = scale.sentences()
    if strict and tally.warnings:
        raise InputError(f"`{stream.name}`, column {score}: {' '.join(tally.warnings)}")
    return tally


def require_new(stream: RowStream, added: Sequence[str], *, only: bool) -> None:
    """Refuse new columns that the rows have already."""
    for name in added:
        if not only and name in stream.columns:
            hint = "pass --column NAME, or --only" if name == added[0] else "it was audited already"
            raise InputError(f"`{stream.name}` already has a column {name!r}. Hint: {hint}.")


def _key_place(stream: RowStream, drawing: Drawing | None) -> int | None:
    """Return which cell names a case; None if all of them together with the place in the file do."""
    if drawing is None or drawing.key is None:
        return None
    if drawing.key not in stream.columns:
        raise unknown_column(stream.name, drawing.key, stream.columns)
    return stream.columns.index(drawing.key)


class _Scale:
    """What the scores looked like so far, against what the policy was made for."""

    def __init__(self, policy: Policy) -> None:
        self._policy, self._cells = policy, ReferenceCells.of(policy)
        self._seen: BatchCounts | None = None

    def add(self, scores: FloatArray) -> None:
        good = scores[~np.isnan(scores)]
        if len(good):
            batch = BatchCounts.of(good, self._cells, self._policy)
            self._seen = batch if self._seen is None else self._seen.joined(batch)

    def sentences(self) -> list[str]:
        if self._seen is None:
            return []
        return list(scale_sentences(self._policy, self._cells, self._seen).values())


def write_rows(handle: IO[str], rows: Iterable[Sequence[Any]], separator: str) -> None:
    """Write rows in one go: an unbuffered stream would be called once per row."""
    text = io.StringIO()
    csv.writer(text, delimiter=separator, lineterminator="\n").writerows(rows)
    handle.write(text.getvalue())


def write_cells(handle: IO[str], rows: Sequence[Sequence[str]], separator: str) -> None:
    """Write rows of text: joined where no cell needs quotes, which is quicker, else as `write_rows` does."""
    text = "\n".join(map(separator.join, rows))
    width = len(rows[0])
    plain = width > 1 and '"' not in text and "\r" not in text
    plain = plain and text.count("\n") == len(rows) - 1
    if plain and text.count(separator) == len(rows) * (width - 1):
        handle.write(f"{text}\n")
    else:
        write_rows(handle, rows, separator)


def _codes(policy: Policy, batch: Batch) -> IntArray:
    """Return the decision on every row, `_NONE` where it has no score."""
    good = ~np.isnan(batch.scores)
    codes = np.full(len(good), _NONE, dtype=np.int64)
    if good.any():
        codes[good] = policy.decide(batch.scores[good])
    return codes


def _labels(policy: Policy, codes: IntArray) -> list[Any]:
    """Return the label of every row, empty for bad ones."""
    names = np.array([policy.neg_label, policy.pos_label, policy.abstain_label, ""], dtype=object)
    labels: list[Any] = names[np.where(codes == ABSTAIN, 2, np.where(codes == _NONE, 3, codes))].tolist()
    return labels


def _audit_cells(
    drawing: Drawing, batch: Batch, codes: IntArray, tally: Tally, *, first: int, key: int | None
) -> list[list[str]]:
    """Return the two columns of an audit for some rows, empty where there is no decision."""
    keys = (
        # the place keeps equal rows apart
        ("\x1f".join([str(first + k), *row]) for k, row in enumerate(batch.rows))
        if key is None
        else (row[key] for row in batch.rows)
    )
    decided = (codes == 0) | (codes == 1)
    drawn = drawing.audit.drawn(keys) & decided
    tally.audited += int(np.count_nonzero(drawn))
    asked = np.where(codes == _NONE, "", np.where(drawn, "1", "0"))
    share, sure = repr(drawing.audit.share), "1"
    chance = np.where(codes == _NONE, "", np.where(decided, share, sure))
    return [asked.tolist(), chance.tolist()]


@contextmanager
def show_progress(tally: Any, *, quiet: bool) -> Iterator[Any]:
    """Show the number of rows done, on a terminal only."""
    if quiet or not sys.stderr.isatty():
        yield lambda: None
        return
    last, shown = time.monotonic(), ""

    def show() -> None:
        nonlocal last, shown
        if time.monotonic() - last > _SECONDS_BETWEEN:
            last, shown = time.monotonic(), f"{tally.rows:,} rows"
            click.echo(f"\r{shown}", err=True, nl=False)

    try:
        yield show
    finally:
        click.echo(f"\r{' ' * len(shown)}\r" if shown else "", err=True, nl=False)
