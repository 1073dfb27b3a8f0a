"""`demur reproduce NAME`: run a source paper again and compare with its printed values."""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import click

from demur.cli.options import Flags, Output, flag, takes, verb
from demur.exceptions import InputError

if TYPE_CHECKING:
    from demur_studies._data import PaperData
    from demur_studies._study import Cell, Reproduction, Study

__all__ = ["command"]

_WIDTH = 80
_SEED = 2006  # studies draw from one fixed seed: the same numbers on every run


@dataclass(frozen=True, kw_only=True)
class Studies(Flags):
    """Which studies to run, and how."""

    TITLE: ClassVar[str] = "Studies"

    name: str | None = flag(required=False)
    as_list: bool = flag("--list", default=False, is_flag=True, help="List the studies and stop.")
    data_dir: str | None = flag(
        "--data-dir",
        metavar="FOLDER",
        help="Folder with data that are not shipped: CSV files in uci/, timeseries/, weka_scores/.",
    )
    quick: bool = flag(
        "--quick/--full",
        default=False,
        help="Fewer repetitions, smaller data: seconds, not minutes. By default in full: up to half an hour "
        "for a paper.",
    )
    cache_dir: str | None = flag(
        "--cache-dir",
        metavar="FOLDER",
        help="Where a full run keeps finished parts; started again, it goes on there. By default "
        "demur/reproduce in the user's cache folder.",
    )


@verb(
    "reproduce",
    example="""Examples:
  demur reproduce --list
  demur reproduce vanderlooy2006 -o figures
  demur reproduce all --quick --data-dir data
""",
)
@takes(Studies)
@takes(
    Output,
    path={"metavar": "FOLDER", "help": "Folder for figures and cells.csv; without it none is made."},
)
def command(*, studies: Studies, output: Output) -> None:
    """Run a source paper again and compare with what it prints.

    NAME is one of `demur reproduce --list`, or all. Every printed value gets one of six
    verdicts: "number reproduced" (within a derived tolerance; weak if that exceeds a quarter of
    the value), "statement reproduced", "explained by" a variant run beside the paper's text,
    "differs" with the reason, "own check" (of demur, not of print), or "not run" with what it
    needs. Every table of 12 cells or more has a placebo: how often it would agree with rows or
    methods shuffled. Exit code 1 if a difference has no reason.
    """
    from demur.cli.output import document, write
    from demur_studies import STUDIES, load_study
    from demur_studies._data import PaperData
    from demur_studies._finished import FinishedParts, default_folder

    if studies.as_list:
        listed = [
            {"name": study, "title": title, "authors": authors}
            for study, (_, title, authors) in STUDIES.items()
        ]
        write(document("reproduce", {"studies": listed}) if output.as_json else _listing(listed), None)
        return
    if studies.name is None:
        raise InputError("A study is needed. Hint: demur reproduce --list shows them; all runs every one.")
    chosen = {name: load_study(name) for name in (STUDIES if studies.name == "all" else [studies.name])}
    finished = FinishedParts(None if studies.quick else studies.cache_dir or default_folder())
    folder, data = _figure_folder(output.path), PaperData(studies.data_dir, finished=finished)
    runs = [
        _run(name, study, data, quick=studies.quick, quiet=output.quiet) for name, study in chosen.items()
    ]
    files = [run.save(folder) for run in runs]
    if folder is not None:
        _write_cells(runs, folder)
    documented = all(run.result.is_documented for run in runs)
    if output.as_json:
        content = {
            "made": _made(),
            "quick": studies.quick,
            "data_dir": studies.data_dir,
            "documented": documented,
            "studies": [run.to_dict(saved) for run, saved in zip(runs, files, strict=True)],
        }
        # 3: verdicts of six kinds, a placebo from 12 cells on
        write(document("reproduce", content, version=3), None)
    else:
        write("\n\n\n".join(run.text(saved) for run, saved in zip(runs, files, strict=True)), None)
    if not documented:
        raise click.exceptions.Exit(1)


def _made() -> dict[str, Any]:
    """Tell when, and with which versions of what the numbers depend on."""
    import platform
    from datetime import UTC, datetime
    from importlib.metadata import version

    from demur_studies._weka import weka_is_here

    return {
        "date": datetime.now(UTC).date().isoformat(),
        "python": platform.python_version(),
        **{name: version(name) for name in ("numpy", "scipy", "scikit-learn")},
        "weka": weka_is_here(),
    }


def _write_cells(runs: "Sequence[_Run]", folder: Path) -> None:
    """Write every printed value beside what came out, one row for each."""
    from demur._tables.files import write_tables
    from demur._tables.table import Table

    rows = [{"study": run.name, **cell.to_dict()} for run in runs for cell in run.result.cells]
    write_tables(folder / "cells.csv", [Table.of_rows("Cells", rows)])


def _listing(studies: list[dict[str, str]]) -> str:
    """Name, title and authors; what does not fit into a line goes on below the title."""
    from demur._tables.table import wrapped

    widest = max(len(study["name"]) for study in studies)
    lines = []
    for study in studies:
        authors = f" ({study['authors']})" if study["authors"] else ""
        lines.append(
            wrapped(f"{study['name']:{widest}}  {study['title']}{authors}", indent=" " * (widest + 2))
        )
    return "\n".join(lines)


def _figure_folder(output: str | None) -> Path | None:
    """Refuse before the work what could not be written after it."""
    if output is None:
        return None
    from importlib.util import find_spec

    if find_spec("matplotlib") is None:
        raise InputError("`--output` needs matplotlib for the figures. Hint: pip install 'demur[plot]'.")
    folder = Path(output)
    if folder.exists() and not folder.is_dir():
        raise InputError(f"`--output` must be a folder, got {output!r}.")
    return folder


@dataclass(frozen=True)
class _Run:
    name: str
    study: "Study"
    result: "Reproduction"

    def save(self, folder: Path | None) -> list[Path]:
        from demur_studies._study import save_figures

        return [] if folder is None else save_figures(self.result.figures, folder, prefix=self.name)

    def to_dict(self, files: Sequence[Path]) -> dict[str, Any]:
        facts = self.result.to_dict()
        for figure, file in zip(facts["figures"], files, strict=False):  # no files without --output
            figure["file"] = str(file)
        return {"name": self.name, "title": self.study.TITLE, "reference": self.study.REFERENCE, **facts}

    def text(self, files: Sequence[Path]) -> str:
        from demur._tables.table import wrapped
        from demur.cli.output import heading

        result = self.result
        parts = [
            f"{heading(f'{self.name}: {self.study.TITLE}', output=None)}\n{wrapped(self.study.REFERENCE)}"
        ]
        parts += [wrapped(remark) for remark in result.remarks]
        parts += list(_cells_text(result.cells))
        parts += [wrapped(f"Placebo. {table.sentence}", indent="  ") for table in result.evidence]
        summary = result.summary
        if not result.is_documented:
            summary += " Some differences have no reason: this is a fault of demur or of the data given."
        parts.append(wrapped(summary))
        if files:
            parts.append(wrapped(f"Figures: {', '.join(str(file) for file in files)}"))
        return "\n\n".join(parts)


def _run(name: str, study: "Study", data: "PaperData", *, quick: bool, quiet: bool) -> _Run:
    import numpy as np

    from demur.cli.output import remark

    remark(f"{name} ...", quiet=quiet or not sys.stderr.isatty())
    return _Run(name, study, study.run(quick=quick, data=data, rng=np.random.default_rng(_SEED)))


# ---------------------------------------------------------------- tables of at most 80 columns


def _cells_text(cells: "Sequence[Cell]") -> Iterator[str]:
    """Numbers as a table, then statements, then the reasons, each of them once."""
    from demur._tables.table import wrapped

    reasons: dict[str, int] = {}
    for cell in cells:
        if cell.reason:
            reasons.setdefault(cell.sentence, len(reasons) + 1)
    of_print = [cell for cell in cells if cell.verdict != "own check"]
    numbers = [cell for cell in of_print if not isinstance(cell.published, str)]
    statements = [cell for cell in of_print if isinstance(cell.published, str)]
    checks = [cell for cell in cells if cell.verdict == "own check"]
    if numbers:
        yield _number_table(numbers, reasons)
        yield _tolerances(numbers)
    if statements:
        yield "\n".join(_statement(cell, reasons) for cell in statements)
    if checks:
        yield "\n".join(["Our own checks, not of print:", *(_statement(cell, reasons) for cell in checks)])
    if reasons:
        yield "\n".join(wrapped(f"[{mark}] {sentence}", indent="    ") for sentence, mark in reasons.items())


def _number_table(cells: "Sequence[Cell]", reasons: dict[str, int]) -> str:
    from textwrap import wrap

    from demur._tables.numbers import number

    rows = [("where", "paper", "demur", "+/-", "verdict")]
    for cell in cells:
        computed = number(cell.computed) if isinstance(cell.computed, float) else "-"
        room = "-" if cell.tolerance is None else number(cell.tolerance, 2)
        rows.append((cell.where, number(float(cell.published)), computed, room, _marked(cell, reasons)))
    widths = [max(len(row[k]) for row in rows) for k in range(1, 5)]
    first = min(max(len(row[0]) for row in rows), _WIDTH - sum(widths) - 8)
    lines = []
    for where, paper, computed, room, verdict in rows:
        *above, last = wrap(where, first, subsequent_indent="  ")
        lines += above
        columns = [
            last.ljust(first),
            paper.rjust(widths[0]),
            computed.rjust(widths[1]),
            room.rjust(widths[2]),
        ]
        lines.append("  ".join([*columns, verdict]).rstrip())
    return "\n".join(lines)


def _marked(cell: "Cell", reasons: dict[str, int]) -> str:
    # "number reproduced" beside a number: the column says that it is one
    verdict = cell.words.removeprefix("number ").removeprefix("statement ")
    return f"{verdict} [{reasons[cell.sentence]}]" if cell.reason else verdict


def _tolerances(cells: "Sequence[Cell]") -> str:
    """Say once why each tolerance is as wide as it is."""
    from demur._tables.table import wrapped

    reasons = dict.fromkeys(cell.tolerance_reason for cell in cells if cell.tolerance_reason)
    return wrapped(f"Tolerance (+/-): {'; '.join(reasons)}.", indent="  ") if reasons else "Nothing was run."


def _statement(cell: "Cell", reasons: dict[str, int]) -> str:
    from demur._tables.numbers import number
    from demur._tables.table import wrapped

    shown = [number(each) if isinstance(each, float) else each for each in (cell.published, cell.computed)]
    parts = [f"{cell.where}: {shown[0]}"]
    if shown[1] is not None:
        parts.append(f"demur: {shown[1]}")
    if cell.tolerance_reason:
        parts.append(f"({cell.tolerance_reason})")
    return wrapped(f"{_marked(cell, reasons):11}  {' | '.join(parts)}", indent=" " * 13)
