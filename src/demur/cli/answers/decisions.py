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
from demur.engines.row_stream import BadRow, Batch, RowStream
from demur.exceptions import InputError
from demur.surface.window import ABSTAIN
from demur.windows.policy import Policy

__all__ = ["Tally", "decision_sink", "score_column", "write_decisions"]

_MOST_TOLD = 10
_SECONDS_BETWEEN = 0.5


@dataclass(kw_only=True)
class Tally:
    """How often each decision was made.

    Attributes
    ----------
    rows, positive, negative, abstained, bad : int
        Numbers of rows; bad ones have no score and no decision.
    first_bad : list of BadRow
        The first few.
    """

    rows: int = 0
    positive: int = 0
    negative: int = 0
    abstained: int = 0
    bad: int = 0
    first_bad: list[BadRow] = field(default_factory=list)

    def add(self, batch: Batch, codes: Any) -> None:
        """Count a batch; `codes` are the decisions of its good rows."""
        self.rows += len(batch.scores)
        self.positive += int(np.count_nonzero(codes == 1))
        self.negative += int(np.count_nonzero(codes == 0))
        self.abstained += int(np.count_nonzero(codes == ABSTAIN))
        self.bad += len(batch.bad)
        self.first_bad += batch.bad[: _MOST_TOLD - len(self.first_bad)]

    def sentence(self) -> str:
        """Say it in words."""
        text = f"{self.rows} rows: {self.positive} positive, {self.negative} negative, "
        return (
            text
            + f"{self.abstained} abstained on"
            + (f", {self.bad} without a decision." if self.bad else ".")
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
) -> Tally:
    """Decide on every row; a bad row gets an empty decision, or with `strict` ends the work."""
    if not only and column in stream.columns:
        raise InputError(
            f"`{stream.name}` already has a column {column!r}. Hint: pass --column NAME, or --only."
        )
    batches = stream.batches(score, cells=not only)
    _write_rows(handle, [[column] if only else [*stream.columns, column]], stream.separator)
    tally = Tally()
    with _progress(tally, quiet=quiet) as show:
        for batch in batches:
            if strict and batch.bad:
                where, problem = batch.bad[0]
                raise InputError(f"`{stream.name}` {where}, column {score}: {problem}.")
            labels = _labels(policy, batch, tally)
            told = [()] * len(labels) if only else batch.rows
            rows = ((*row, label) for row, label in zip(told, labels, strict=True))
            _write_rows(handle, rows, stream.separator)
            show()
    return tally


def _write_rows(handle: IO[str], rows: Iterable[Sequence[Any]], separator: str) -> None:
    """Write rows in one go: an unbuffered stream would be called once per row."""
    text = io.StringIO()
    csv.writer(text, delimiter=separator, lineterminator="\n").writerows(rows)
    handle.write(text.getvalue())


def _labels(policy: Policy, batch: Batch, tally: Tally) -> list[Any]:
    """Return the label of every row, empty for bad ones."""
    good = ~np.isnan(batch.scores)
    names = np.array([policy.neg_label, policy.pos_label, policy.abstain_label, ""], dtype=object)
    at = np.full(len(good), len(names) - 1)
    codes = policy.decide(batch.scores[good]) if good.any() else np.empty(0, dtype=np.int64)
    at[good] = np.where(codes == ABSTAIN, 2, codes)
    tally.add(batch, codes)
    labels: list[Any] = names[at].tolist()
    return labels


@contextmanager
def _progress(tally: Tally, *, quiet: bool) -> Iterator[Any]:
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
