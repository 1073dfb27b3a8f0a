"""Columns in a few numbers, computed where the table lives: what is missing, infinite, out of range."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from demur.engines.columns import Kind
from demur.engines.frames import FrameTable, named_column, narwhals
from demur.engines.score_bins import LARGEST_FLOAT

__all__ = ["Summary", "summaries"]


class Summary(NamedTuple):
    """One column; all but `present` and `missing` are 0 for columns without numbers.

    Attributes
    ----------
    present, missing : int
        Number of rows with and without a value; NaN is none.
    low, high : float
        Smallest and largest value.
    infinite, outside, no_weight : int
        Number of values that are infinite, outside [0, 1], no weight (below 0 or infinite).
    """

    present: int
    missing: int
    low: float = 0.0
    high: float = 0.0
    infinite: int = 0
    outside: int = 0
    no_weight: int = 0


def summaries(native: Any, kinds: Mapping[str, Kind]) -> dict[str, Summary]:
    """Summarise columns of a DuckDB relation, a Spark frame or anything else Narwhals speaks to."""
    nw = narwhals()
    frame = nw.from_native(native).lazy()
    wanted = {"rows": nw.len()}
    for place, (name, kind) in enumerate(kinds.items()):
        wanted |= {f"{what}{place}": how for what, how in _expressions(frame, name, kind).items()}
    first = FrameTable("summary", frame.select(**wanted), at_once=True).head(tuple(wanted), 1)
    row = {what: values[0] for what, values in first.items()}
    by_column = {}
    for place, (name, kind) in enumerate(kinds.items()):
        numbers = {what: row[f"{what}{place}"] for what in _expressions(frame, name, kind)}
        present = int(numbers.pop("present"))
        # sums come as floats, whole numbers or decimals; of nothing as None or NaN
        defaults = Summary._field_defaults
        values = {
            what: type(defaults[what])(value) if present else defaults[what]
            for what, value in numbers.items()
        }
        by_column[name] = Summary(present=present, missing=int(row["rows"]) - present, **values)
    return by_column


def _expressions(frame: Any, name: str, kind: Kind) -> dict[str, Any]:
    nw = narwhals()
    column = named_column(frame, name)
    if kind != "number":
        return {"present": column.count()}
    number = column.cast(nw.Float64)
    # NaN compares differently in every engine
    value = nw.when(~number.is_nan()).then(number)
    low, high = value < 0, value > LARGEST_FLOAT
    return {
        "present": value.count(),
        "low": value.min(),
        "high": value.max(),
        "infinite": (high | (value < -LARGEST_FLOAT)).cast(nw.Int64).sum(),
        "outside": (low | (value > 1)).cast(nw.Int64).sum(),
        "no_weight": (low | high).cast(nw.Int64).sum(),
    }
