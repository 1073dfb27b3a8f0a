"""Read the data of the papers: from a folder, Debian's WEKA examples, or by enumeration.

The folder (``--data-dir``) has the layout ``uci/<name>.csv`` (header; class in the last column,
named ``class``; empty cell = missing), ``timeseries/<name>.csv`` (columns t, value) and
``weka_scores/<name>_seed<k>.csv``. It comes first; what it lacks is looked up in the examples of
Debian's package ``weka`` or made. What is nowhere raises `MissingDataError`.
"""

import csv
import gzip
import hashlib
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from demur.exceptions import DemurError, InputError
from demur.typing import BoolArray, FloatArray
from demur_studies._finished import FinishedParts

__all__ = ["MissingDataError", "PaperData", "Table"]

_WEKA_EXAMPLES = Path("/usr/share/doc/weka/examples")
# name in the folder's layout -> the ARFF files that hold the same rows, one after the other
_ARFF_FILES = {
    "breast-cancer": ("breast-cancer",),
    "credit-g": ("credit-g",),
    "diabetes": ("diabetes",),
    "glass": ("glass",),
    "labor": ("labor",),
    "segment": ("segment-challenge", "segment-test"),
    "vote": ("vote",),
}


class MissingDataError(DemurError):
    """A data set is not at hand; `needs` tells what would help."""

    def __init__(self, needs: str) -> None:
        super().__init__(f"needs {needs}")
        self.needs = needs


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Table:
    """A data set: attributes as text ("" = missing), the class, and where the rows come from.

    Attributes
    ----------
    name : str
    attributes : dict
        Name -> array of str, in the order of the file.
    target : array of str
        The class of each row.
    source : str
        In words: "the folder given", "Debian's weka examples", "enumeration".
    """

    name: str
    attributes: dict[str, np.ndarray]
    target: np.ndarray
    source: str

    def __len__(self) -> int:
        return len(self.target)

    def is_numeric(self, attribute: str) -> bool:
        """Tell whether every value that is there reads as a number."""
        present = [value for value in self.attributes[attribute] if value != ""]
        try:
            np.array(present, dtype=float)
        except ValueError:
            return False
        return bool(present)

    @property
    def fingerprint(self) -> str:
        """Name of exactly these rows, for what is computed from them."""
        content = hashlib.sha256(repr((self.name, list(self.attributes))).encode())
        for values in (*self.attributes.values(), self.target):
            content.update("\x00".join(values.tolist()).encode())
        return f"{self.name} {content.hexdigest()[:16]}"

    def labels(self, positive: str) -> BoolArray:
        """Return True for rows of class `positive`."""
        chosen = self.target == positive
        if not chosen.any():
            raise InputError(f"`{self.name}` has no row of class {positive!r}.")
        return np.asarray(chosen)

    def matrix(self, *, nominal: tuple[str, ...] = ()) -> FloatArray:
        """Return numbers for scikit-learn: means for gaps, one column per value of nominal ones.

        A missing nominal value has zeros in all its columns.
        """
        columns: list[FloatArray] = []
        for name, values in self.attributes.items():
            if self.is_numeric(name) and name not in nominal:
                numbers = np.array([float(value) if value != "" else np.nan for value in values])
                columns.append(np.where(np.isnan(numbers), np.nanmean(numbers), numbers))
            else:
                levels = sorted(set(values) - {""})
                columns.extend((values == level).astype(float) for level in levels)
        return np.column_stack(columns)


class PaperData:
    """Data sets by name, from the folder or from what the machine offers.

    `finished` keeps parts of long runs; by default none.
    """

    def __init__(self, folder: str | Path | None = None, *, finished: FinishedParts | None = None) -> None:
        self._folder = None if folder is None else Path(folder)
        self.finished = finished or FinishedParts()
        if self._folder is not None and not self._folder.is_dir():
            raise InputError(f"`--data-dir` must be a folder, got {str(folder)!r}.")

    @property
    def folder(self) -> Path | None:
        """The folder given, or None."""
        return self._folder

    def table(self, name: str) -> Table:
        """Return ``uci/<name>.csv`` or the same rows from elsewhere."""
        file = self._file("uci", name)
        if file is not None:
            return _table_from_csv(file, name)
        if name in _ARFF_FILES:
            parts = [_arff_example(stem) for stem in _ARFF_FILES[name]]
            present = [part for part in parts if part is not None]
            if len(present) == len(parts):
                return _table_from_arff(present, name)
        if name in _MADE:
            return _MADE[name](name)
        also = " or Debian's package weka" if name in _ARFF_FILES else ""
        raise MissingDataError(f"uci/{name}.csv in --data-dir{also}")

    def series(self, name: str) -> FloatArray:
        """Return the values of ``timeseries/<name>.csv``."""
        rows = self._rows("timeseries", name)
        return np.array([float(row["value"]) for row in rows])

    def has_weka_scores(self, name: str, seed: int) -> bool:
        """Tell whether `weka_scores` would find its file."""
        return self._file("weka_scores", f"{name}_seed{seed}") is not None

    def weka_scores(self, name: str, seed: int) -> tuple[BoolArray, dict[str, FloatArray]]:
        """Return labels and out-of-fold scores per learner of ``weka_scores/<name>_seed<k>.csv``."""
        rows = self._rows("weka_scores", f"{name}_seed{seed}")
        learners = [column for column in rows[0] if column not in ("fold", "row", "y_true")]
        scores = {learner: np.array([float(row[learner]) for row in rows]) for learner in learners}
        return np.array([row["y_true"] == "1" for row in rows]), scores

    def weka_reference(self) -> dict[tuple[str, str, int], dict[str, float]]:
        """Return ``weka_scores/REFERENCE.csv`` as (data set, learner, seed) -> measure -> value."""
        measures = ("accuracy_argmax", "auc", "vacc", "pav_blocks")
        return {
            (row["dataset"], row["learner"], int(row["seed"])): {m: float(row[m]) for m in measures}
            for row in self._rows("weka_scores", "REFERENCE")
        }

    def _file(self, kind: str, name: str) -> Path | None:
        if self._folder is None:
            return None
        file = self._folder / kind / f"{name}.csv"
        return file if file.is_file() else None

    def _rows(self, kind: str, name: str) -> list[dict[str, str]]:
        file = self._file(kind, name)
        if file is None:
            raise MissingDataError(f"{kind}/{name}.csv in --data-dir")
        with open(file, newline="", encoding="utf-8") as handle:
            rows = list(csv.DictReader(handle))
        if not rows:
            raise InputError(f"`{file}` has no rows.")
        return rows


def _table_from_csv(file: Path, name: str) -> Table:
    with open(file, newline="", encoding="utf-8") as handle:
        rows = list(csv.reader(handle))
    header = rows[0] if rows else []
    if len(rows) < 2 or header[-1] != "class" or any(len(row) != len(header) for row in rows):
        raise InputError(f"`{file}` must be a CSV table whose last column is named class.")
    return _table(name, header[:-1], rows[1:], "the folder given")


def _table(name: str, header: list[str], rows: list[list[str]], source: str) -> Table:
    cells = np.array(rows)
    attributes = {attribute: cells[:, k] for k, attribute in enumerate(header)}
    return Table(name=name, attributes=attributes, target=cells[:, len(header)], source=source)


def _arff_example(stem: str) -> Path | None:
    for file in (_WEKA_EXAMPLES / f"{stem}.arff", _WEKA_EXAMPLES / f"{stem}.arff.gz"):
        if file.is_file():
            return file
    return None


def _table_from_arff(files: list[Path], name: str) -> Table:
    """Read ARFF files with the same dense rows of numbers and nominal values, class last."""
    header: list[str] = []
    rows: list[list[str]] = []
    for file in files:
        header = []
        for line in _arff_lines(file):
            if re.match("@attribute", line, re.IGNORECASE):
                header.append(_unquoted(re.split(r"\s+", line, maxsplit=1)[1]))
            elif not line.startswith("@"):
                cells = next(csv.reader([line], quotechar="'", skipinitialspace=True))
                rows.append(["" if cell.strip() == "?" else cell.strip() for cell in cells])
    return _table(name, header[:-1], rows, "Debian's weka examples")


def _arff_lines(file: Path) -> Iterator[str]:
    opened = gzip.open(file, "rt") if file.suffix == ".gz" else open(file)  # noqa: SIM115
    with opened as handle:
        for line in handle:
            text = str(line).strip()
            if text and not text.startswith("%"):
                yield text


def _unquoted(text: str) -> str:
    """Return the attribute's name in front of its type: 'a b' {x, y} or a numeric."""
    match = re.match(r"'([^']*)'|(\S+)", text)
    assert match is not None
    return match.group(1) or match.group(2)


def _all_tic_tac_toe(name: str) -> Table:
    from demur_studies._tic_tac_toe import tic_tac_toe

    boards, won = tic_tac_toe()
    squares = [
        f"{row}-{column}" for row in ("top", "middle", "bottom") for column in ("left", "middle", "right")
    ]
    attributes = {f"{square}-square": boards[:, k] for k, square in enumerate(squares)}
    target = np.where(won, "positive", "negative")
    return Table(name=name, attributes=attributes, target=target, source="enumeration")


_MADE: dict[str, Callable[[str], Table]] = {"tic-tac-toe": _all_tic_tac_toe}
