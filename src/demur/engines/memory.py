"""Tables that are in memory: columns as arrays, each row a case."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from demur._checks import input_error
from demur.engines.columns import Kind
from demur.engines.score_bins import LARGEST_FLOAT
from demur.engines.tallies import Columns, Cut, Tally, as_floats
from demur.exceptions import InputError
from demur.typing import BoolArray

__all__ = ["MemoryTable"]


class MemoryTable:
    """Arrays by name; see `demur.engines.tallies.Table`."""

    in_memory = True
    reads_ahead = False

    def __init__(self, name: str, columns: Mapping[str, Any]) -> None:
        self.name = name
        self._columns = {key: _array(values, key) for key, values in columns.items()}
        lengths = {key: len(values) for key, values in self._columns.items()}
        if len(set(lengths.values())) > 1:
            listed = ", ".join(f"{length} in {key!r}" for key, length in lengths.items())
            raise InputError(f"`{name}` must have columns of the same length, got {listed}.")
        self.n_rows: int | None = next(iter(lengths.values()), 0)
        self.kinds: dict[str, Kind] = {key: _kind(values) for key, values in self._columns.items()}
        self.integers = frozenset(key for key, values in self._columns.items() if values.dtype.kind in "iu")

    def head(self, names: tuple[str, ...], rows: int) -> dict[str, Any]:
        """Return the first rows."""
        return {name: self._columns[name][:rows] for name in names}

    def not_numbers(self, name: str) -> str:
        """Count the values that are no numbers."""
        values = self._columns[name].tolist()
        bad = [value for value in values if value is not None and not isinstance(value, (int, float))]
        kind = self._columns[name].dtype
        return f"{len(bad)} of {len(values)} rows that are no numbers" if bad else f"dtype {kind}"

    def tallies(self, columns: Columns, cuts: dict[str, Cut], most: int | None) -> dict[str, Tally]:
        """Hand over the rows as they are: sorting and merging is what `ScoreCounts` does."""
        weight = None if columns.weights is None else as_floats(self._columns[columns.weights])
        with np.errstate(invalid="ignore"):
            bad = 0 if weight is None else int(np.sum((weight < 0) | (weight > LARGEST_FLOAT)))
        missing = 0 if weight is None else int(np.isnan(weight).sum())
        tallies = {}
        for name, cut in cuts.items():
            scores = as_floats(self._columns[name])
            number = None if cut.bins is None else cut.bins.of_array(scores)
            whole = Tally(
                label=self._columns[columns.y_true],
                group=None if columns.groups is None else self._columns[columns.groups],
                lower=scores,
                upper=scores,
                number=number,
                rows=None,
                weight=weight,
                missing_weights=missing,
                bad_weights=bad,
            )
            chosen = None if cut.only is None or number is None else cut.chosen(number)
            tallies[name] = whole if chosen is None else _rows_of(whole, chosen)
        return tallies


def _rows_of(tally: Tally, chosen: BoolArray) -> Tally:
    return Tally(
        label=tally.label[chosen],
        group=None if tally.group is None else tally.group[chosen],
        lower=tally.lower[chosen],
        upper=tally.upper[chosen],
        number=None,
        rows=None,
        weight=None if tally.weight is None else tally.weight[chosen],
    )


def _array(values: Any, name: str) -> Any:
    """Return a column as an array; None stays None, and 1 and "1" stay different."""
    array = values if isinstance(values, np.ndarray) else np.asarray(values)
    if array.ndim != 1:
        raise input_error(name, "must be one-dimensional", f"shape {array.shape}")
    if array.dtype.kind in "USMm":
        array = np.array(list(values), dtype=object)
    return array


def _kind(array: Any) -> Kind:
    if array.dtype.kind == "b":
        return "bool"
    if array.dtype.kind in "iuf":
        return "number"
    if array.dtype.kind != "O":
        return "other"
    present = [value for value in array.tolist() if value is not None]
    if all(isinstance(value, (int, float, np.number)) for value in present):
        return "number"
    return "text" if all(isinstance(value, str) for value in present) else "other"
