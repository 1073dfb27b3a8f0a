"""Tables in memory, and of any engine that Narwhals speaks to, grouped by one expression for all.

Lazy frames stay lazy: only the grouped rows come back.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np

from demur._checks import input_error
from demur._files.database import load_duckdb, quoted
from demur.engines.columns import Kind
from demur.engines.score_bins import LARGEST_FLOAT, ScoreBins
from demur.engines.tallies import Columns, Cut, Tally, as_floats
from demur.exceptions import InputError

__all__ = [
    "FrameTable",
    "MemoryTable",
    "Summary",
    "Table",
    "bin_number",
    "collected",
    "column_kinds",
    "eager_columns",
    "named_column",
    "narwhals",
    "no_amounts",
    "summaries",
    "with_numbers",
    "without_nan",
]

# columns while grouping; what stands in the source is chosen by name before, so none can clash
_LABEL, _GROUP, _MODEL, _SCORE, _WEIGHT = "label", "group", "model", "score", "weight"
_NUMBER, _ROWS, _LOWER, _UPPER, _MISSING, _BAD = "number", "rows", "lower", "upper", "missing", "bad"
_EDGE = "edge"
_STAR, _RENAMED_STAR = "*", "the column *"


def narwhals() -> Any:
    """Import the stable interface of Narwhals."""
    import narwhals.stable.v2 as module

    return module


def eager_columns(frame: Any, names: tuple[str, ...]) -> dict[str, Any]:
    """Return columns of an eager Narwhals frame as arrays; missing values are NaN or None."""
    return {name: _array(frame.get_column(name)) for name in names}


class FrameTable:
    """A Narwhals lazy frame.

    `reads_ahead` tells whether the first two million rows come at little cost.

    Parameters
    ----------
    name : str
        What errors call it.
    frame : narwhals.LazyFrame
        The table.
    at_once : bool
        Whether several score columns are stacked and read in one pass. Where columns lie apart,
        as in Parquet files, one pass per column reads hardly more and groups twice as fast.
    n_rows : int, optional
        Number of rows, where it is known without a scan.
    explain : function, optional
        Says what a column of text holds in place of numbers.
    """

    in_memory = False

    def __init__(
        self,
        name: str,
        frame: Any,
        *,
        at_once: bool,
        n_rows: int | None = None,
        explain: Callable[[str], str] | None = None,
    ) -> None:
        self.name = name
        self.n_rows = n_rows
        self._explain = explain
        self.frame = frame
        if frame.implementation.is_duckdb() and _STAR in frame.columns:
            # a column * of DuckDB, which `named_column` finds under its new name
            renamed = f"{quoted(_STAR)} as {quoted(_RENAMED_STAR)}"
            kept = [renamed if column == _STAR else quoted(column) for column in frame.columns]
            self.frame = narwhals().from_native(frame.to_native().project(", ".join(kept)))
        self.at_once = at_once
        self.reads_ahead: bool = frame.implementation.is_duckdb()
        self.types = dict(frame.collect_schema().items())
        self.kinds = column_kinds(frame)
        self.integers = frozenset(column for column, dtype in self.types.items() if dtype.is_integer())

    def head(self, names: tuple[str, ...], rows: int) -> dict[str, Any]:
        """Return the first rows, in the order of the engine, of some columns as arrays."""
        return collected(
            self.frame.select(**{name: named_column(self.frame, name) for name in names}).head(rows)
        )

    def not_numbers(self, name: str) -> str:
        """Count the values that are no numbers where that can be told, or name the type."""
        return str(self.types[name]) if self._explain is None else self._explain(name)

    def keys(self, columns: Columns) -> dict[str, Any]:
        """Refer to the columns that rows are grouped by: the label, and the group if there is one."""
        nw, keys = narwhals(), {}
        for role, name in ((_LABEL, columns.y_true), (_GROUP, columns.groups)):
            if name is not None:
                # categories sort and compare in ways of their own
                text = self.types[name] in (nw.Categorical, nw.Enum)
                column = named_column(self.frame, name)
                keys[role] = column.cast(nw.String) if text else column
        return keys

    def numbers(self, name: str) -> Any:
        """Refer to a column as floats."""
        return named_column(self.frame, name).cast(narwhals().Float64)

    def times(self, name: str) -> Any:
        """Refer to a column of times: numbers, or dates as text, which sorts as they do."""
        if self.types[name].is_integer():
            return named_column(self.frame, name)
        if self.types[name].is_numeric():
            return without_nan(self.frame, self.numbers(name))
        return named_column(self.frame, name).cast(narwhals().String)

    def tallies(self, columns: Columns, cuts: dict[str, Cut], most: int | None) -> dict[str, Tally]:
        """Group the frame: one query for all columns that are cut alike, or one per column.

        Exact tallies of more than `most` rows need not be whole.
        """
        tallies: dict[str, Tally] = {}
        beyond: dict[str, Cut] = {}
        for names in self._batches(cuts):
            grouped = self._grouped(columns, {name: cuts[name] for name in names})
            enough = len(names) * most if most is not None and cuts[names[0]].exact else None
            rows = collected(grouped, enough)
            # where the end is cut off, nobody knows whose rows are gone
            whole = most is None or len(rows[_ROWS]) <= len(names) * most
            for place, name in enumerate(names):
                own = rows
                if len(names) > 1:
                    mine = rows[_MODEL] == f"{_SCORE}{place}"
                    own = {column: values[mine] for column, values in rows.items()}
                tally = _tally(own, cuts[name], whole=whole, shared_limit=len(names) > 1)
                if tally is None:
                    beyond[name] = replace(cuts[name], ranges=True)
                else:
                    tallies[name] = tally
        # scores beyond the range whose ends are known: rare, as the first rows had none
        return tallies | self.tallies(columns, beyond, most) if beyond else tallies

    def _batches(self, cuts: dict[str, Cut]) -> list[list[str]]:
        """Divide the columns into those that one query can group."""
        if not self.at_once:
            return [[name] for name in cuts]
        alike: dict[tuple[ScoreBins | None, bool, bool], list[str]] = {}
        for name, cut in cuts.items():
            alike.setdefault((cut.bins, cut.exact, cut.ranges), []).append(name)
        return list(alike.values())

    def _grouped(self, columns: Columns, cuts: dict[str, Cut]) -> Any:
        """Return the grouped frame for columns that are cut alike."""
        nw, weighted = narwhals(), columns.weights is not None
        frame = self._stacked(columns, list(cuts))
        cut = next(iter(cuts.values()))
        if cut.bins is not None:
            frame = with_numbers(frame, cut.bins, weighted=weighted)
        if cut.only is not None:
            inside = [nw.col(_NUMBER).is_in(sorted(one.only or ())) for one in cuts.values()]
            if len(inside) > 1:
                own = [(nw.col(_MODEL) == f"{_SCORE}{place}") & test for place, test in enumerate(inside)]
                inside = [nw.any_horizontal(*own, ignore_nulls=True)]
            frame = frame.filter(inside[0])
        keys = [_LABEL, _SCORE if cut.exact else _NUMBER]
        keys += [_GROUP] if columns.groups is not None else []
        keys += [_MODEL] if len(cuts) > 1 else []
        sums = {_ROWS: nw.len()}
        if weighted:
            sums |= {name: nw.col(name).sum() for name in (_WEIGHT, _MISSING, _BAD)}
        if not cut.exact and cut.ranges:
            edge = nw.col(_EDGE if weighted else _SCORE)
            sums |= {_LOWER: edge.min(), _UPPER: edge.max()}
        return frame.group_by(*keys).agg(**sums)

    def _stacked(self, columns: Columns, names: list[str]) -> Any:
        """Select the columns in use; stack several score columns into one beside a column of their names."""
        kept = self.keys(columns)
        if columns.weights is not None:
            weight = without_nan(self.frame, self.numbers(columns.weights))
            kept |= {_WEIGHT: weight, **dict(zip((_MISSING, _BAD), no_amounts(weight), strict=True))}
        scores = [self.numbers(name) for name in names]
        if len(names) == 1:
            return self.frame.select(**kept, **{_SCORE: scores[0]})
        places = {f"{_SCORE}{place}": score for place, score in enumerate(scores)}
        frame = self.frame.select(**kept, **places)
        if frame.implementation.is_duckdb():
            # the unpivot of Narwhals finds relations of the default connection only
            stacked = f"unnest([{', '.join(places)}]) as {_SCORE}, unnest({list(places)}) as {_MODEL}"
            tall = frame.to_native().project(", ".join([*map(quoted, kept), stacked]))
            return narwhals().from_native(tall)
        return frame.unpivot(list(places), index=list(kept), variable_name=_MODEL, value_name=_SCORE)


# ---------------------------------------------------------------- expressions


def named_column(frame: Any, name: str) -> Any:
    """Refer to a column as it is called: in a.b some engines would look for a field b of a."""
    kind = frame.implementation
    if kind.is_spark_like():
        name = "`" + name.replace("`", "``") + "`"
    elif kind.is_duckdb():
        # a name to us, all columns to DuckDB
        name = _RENAMED_STAR if name == _STAR else name
    # before version 2 DuckDB reads the name of a column as SQL
    if kind.is_duckdb() and int(load_duckdb().__version__.split(".")[0]) < 2:
        if '"' in name:
            raise InputError(
                f"Column {name!r} cannot be counted: DuckDB before version 2 does not find a name with a "
                "quotation mark. Hint: rename the column, or pip install 'duckdb>=2'."
            )
        name = quoted(name)
    return narwhals().col(name)


def without_nan(frame: Any, value: Any) -> Any:
    """Make NaN a missing value: it compares differently in every engine."""
    if frame.implementation.is_ibis():
        # SQLite, for one, stores no NaN and has no function to find it
        operations = import_module("ibis.expr.operations")
        if not frame.to_native().get_backend().has_operation(operations.IsNan):
            return value
    return narwhals().when(~value.is_nan()).then(value)


def no_amounts(amount: Any) -> tuple[Any, Any]:
    """Return 0/1 indicators of missing, and of negative or infinite, amounts or weights."""
    whole, bad = narwhals().Int64, (amount < 0) | (amount > LARGEST_FLOAT)
    return amount.is_null().cast(whole), bad.fill_null(value=False).cast(whole)


def bin_number(score: Any, bins: ScoreBins) -> Any:
    """Return the bin of a score in the language of any engine."""
    nw = narwhals()

    def literal(value: Any) -> Any:
        return nw.lit(value) if isinstance(value, float) else value

    return bins.number(
        score,
        choose=lambda condition, yes, no: nw.when(condition).then(literal(yes)).otherwise(literal(no)),
        floor=lambda value: value.floor(),
        size=lambda value: value.abs(),
    )


def with_numbers(frame: Any, bins: ScoreBins, *, weighted: bool) -> Any:
    """Add the bin of every score, and with weights the scores that count for its range."""
    nw = narwhals()
    frame = frame.with_columns(**{_SCORE: without_nan(frame, nw.col(_SCORE))})
    number = bin_number(nw.col(_SCORE), bins)
    # integers group and compare faster; Dask has none that can be missing
    whole = number if frame.implementation.is_dask() else number.cast(nw.Int32)
    edge = {_EDGE: nw.when(nw.col(_WEIGHT) > 0).then(nw.col(_SCORE))} if weighted else {}
    return frame.with_columns(**{_NUMBER: whole}, **edge)


def column_kinds(frame: Any) -> dict[str, Kind]:
    """Return what kind of values each column of a Narwhals frame holds."""
    nw = narwhals()
    kinds: dict[str, Kind] = {}
    for name, dtype in frame.collect_schema().items():
        if dtype.is_numeric():
            kinds[name] = "number"
        elif dtype == nw.Boolean:
            kinds[name] = "bool"
        elif dtype in (nw.Date, nw.Datetime):
            kinds[name] = "date"
        else:
            kinds[name] = "text" if dtype in (nw.String, nw.Categorical, nw.Enum) else "other"
    return kinds


# ---------------------------------------------------------------- what comes back


def collected(frame: Any, enough: int | None = None) -> dict[str, Any]:
    """Run the query; missing values are NaN or None. Of more than `enough` rows some may be left out."""
    # Polars works in memory, and its older versions trip over the first rows of groups
    if enough is not None and not frame.implementation.is_polars():
        frame = frame.head(enough + 1)
    if frame.implementation.is_duckdb():
        # straight to NumPy, which needs no PyArrow
        arrays = frame.to_native().fetchnumpy()
        for name, array in arrays.items():
            if np.ma.is_masked(array):
                filler = np.nan if array.dtype.kind == "f" else None
                arrays[name] = np.where(array.mask, filler, array.data)
        return {name: np.ma.getdata(array) for name, array in arrays.items()}
    rows = frame.collect()
    return eager_columns(rows, tuple(rows.columns))


def _array(series: Any) -> Any:
    dtype = series.dtype
    if (dtype.is_numeric() and not dtype.is_decimal()) or dtype == narwhals().Boolean:
        if not series.is_null().any():
            return series.to_numpy()
        if dtype.is_float():
            return series.to_numpy().astype(np.float64)
    array = np.empty(len(series), dtype=object)
    array[:] = series.to_list()
    # pandas has missing values of its own, which are not even equal to themselves
    array[series.is_null().to_numpy().astype(np.bool_)] = None
    return array


def _tally(rows: dict[str, Any], cut: Cut, *, whole: bool, shared_limit: bool) -> Tally | None:
    """Return the rows of a query; None if the ends of a bin are not known."""
    exact = _SCORE in rows
    if exact or cut.ranges:
        lower, upper = (as_floats(rows[_SCORE if exact else edge]) for edge in (_LOWER, _UPPER))
    else:
        assert cut.bins is not None
        ends = cut.bins.ends(as_floats(rows[_NUMBER]))
        if ends is None:
            return None
        lower, upper = ends
    weighted = _WEIGHT in rows
    return Tally(
        label=rows[_LABEL],
        group=rows.get(_GROUP),
        lower=lower,
        upper=upper,
        number=None if exact else as_floats(rows[_NUMBER]),
        rows=rows[_ROWS].astype(np.int64),
        weight=as_floats(rows[_WEIGHT]) if weighted else None,
        missing_weights=int(rows[_MISSING].sum()) if weighted else 0,
        bad_weights=int(rows[_BAD].sum()) if weighted else 0,
        whole=whole,
        shared_limit=shared_limit,
    )


class MemoryTable:
    """Arrays by name; offers what `FrameTable` offers."""

    in_memory = True
    reads_ahead = False

    def __init__(self, name: str, columns: Mapping[str, Any]) -> None:
        self.name = name
        self._columns = {key: _one_dimensional(values, key) for key, values in columns.items()}
        lengths = {key: len(values) for key, values in self._columns.items()}
        if len(set(lengths.values())) > 1:
            listed = ", ".join(f"{length} in {key!r}" for key, length in lengths.items())
            raise InputError(f"`{name}` must have columns of the same length, got {listed}.")
        self.n_rows: int | None = next(iter(lengths.values()), 0)
        self.kinds: dict[str, Kind] = {key: _array_kind(values) for key, values in self._columns.items()}
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
        """Return the rows as they are: `ScoreCounts` sorts and merges."""
        weight = None if columns.weights is None else as_floats(self._columns[columns.weights])
        with np.errstate(invalid="ignore"):
            bad = 0 if weight is None else int(np.sum((weight < 0) | (weight > LARGEST_FLOAT)))
        missing = 0 if weight is None else int(np.isnan(weight).sum())
        tallies = {}
        for name, cut in cuts.items():
            scores = as_floats(self._columns[name])
            whole = Tally(
                label=self._columns[columns.y_true],
                group=None if columns.groups is None else self._columns[columns.groups],
                lower=scores,
                upper=scores,
                number=None if cut.bins is None else cut.bins.of_array(scores),
                rows=None,
                weight=weight,
                missing_weights=missing,
                bad_weights=bad,
            )
            tallies[name] = whole
            if cut.only is not None:
                tallies[name] = replace(whole.of_rows(cut.chosen(scores)), number=None)
        return tallies


def _one_dimensional(values: Any, name: str) -> Any:
    """Return a column as an array; None stays None, and 1 and "1" stay different."""
    array = values if isinstance(values, np.ndarray) else np.asarray(values)
    if array.ndim != 1:
        raise input_error(name, "must be one-dimensional", f"shape {array.shape}")
    if array.dtype.kind in "USMm":
        array = np.array(list(values), dtype=object)
    return array


def _array_kind(array: Any) -> Kind:
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


Table = FrameTable | MemoryTable


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
    row = {what: values[0] for what, values in collected(frame.select(**wanted)).items()}
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
