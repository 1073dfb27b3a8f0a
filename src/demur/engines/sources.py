"""What a source is, and who counts it: arrays, frames, files, warehouses."""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from os import PathLike, fspath
from typing import Any

import numpy as np

from demur._checks import check_choice, check_members, check_positive_int, input_error
from demur._files.database import connect
from demur._progress import Progress
from demur.engines.addresses import is_address, is_remote, shown_address, warehouse_table
from demur.engines.columns import require_columns
from demur.engines.files import database_errors, open_table
from demur.engines.frames import FrameTable, MemoryTable, Table, eager_columns, narwhals
from demur.engines.tallies import Columns

__all__ = ["ENGINES", "MEMORY_LIMIT", "check_power_of_two", "named_columns", "open_source"]

ENGINES = ("memory", "duckdb", "narwhals", "polars", "dask", "ibis", "spark")
MEMORY_LIMIT = "1GB"
_SOURCES = (
    "pass a path, a mapping of arrays, a pandas, Polars, PyArrow, Dask or PySpark frame, "
    "a DuckDB relation or an Ibis table."
)


def named_columns(
    source: Any, *, y_true: Any, scores: Any, weights: Any, groups: Any, time: Any = None
) -> tuple[Any, Columns]:
    """Return the source and the names of its columns; arrays in place of names become a mapping."""
    roles = {"weights": weights, "groups": groups, "time": time}
    optional = {role: name for role, name in roles.items() if name is not None}
    if source is None:
        models = dict(scores) if isinstance(scores, Mapping) else {"score": scores}
        clash = next((name for name in models if name in ("y_true", "weights", "groups", *optional)), None)
        if clash is not None:
            raise input_error("scores", "must not call a model y_true, weights, groups or time", repr(clash))
        source = models | {"y_true": y_true, **optional}
        y_true, scores, optional = "y_true", list(models), {role: role for role in optional}
    names = [scores] if isinstance(scores, str) else check_members(scores, "scores")
    for argument, name in [("y_true", y_true), *(("scores", name) for name in names), *optional.items()]:
        if not isinstance(name, str):
            arrays = "with arrays in place of columns, pass None as source."
            hint = None if argument in optional else arrays
            raise input_error(argument, "must name a column", type(name).__name__, hint)
    if not names or len(set(names)) < len(names):
        raise input_error("scores", "must name one or more columns, each once", names)
    return source, Columns(y_true=y_true, scores=tuple(names), **optional)


def check_power_of_two(value: Any, name: str, exponent: int, unit: str = "") -> None:
    """Require None, or a whole number from 1 to a power of two; `unit` ends the rule."""
    if value is not None and check_positive_int(value, name) > 2**exponent:
        raise input_error(name, f"must not exceed 2**{exponent} = {2**exponent}{unit}", value)


@contextmanager
def open_source(
    source: Any, columns: Columns, *, engine: str | None, memory_limit: str, master: str | None
) -> Iterator[Table]:
    """Open a source with the engine asked for, or the one that fits, and check its columns."""
    if engine is not None:
        check_choice(engine, "engine", ENGINES)
    if master is not None and engine != "spark":
        raise input_error("master", "is for engine='spark'", repr(master))
    table: Table
    with ExitStack() as resources:
        resources.enter_context(Progress(None, "counting cases"))
        if isinstance(source, (str, PathLike)):
            table = _at_address(fspath(source), columns, engine, memory_limit, master, resources)
        elif isinstance(source, Mapping):
            _require(engine, ("memory",), "arrays")
            require_columns("source", columns.all, source)
            table = MemoryTable("source", {name: source[name] for name in columns.all})
        elif isinstance(source, np.ndarray) and source.dtype.names:
            _require(engine, ("memory",), "arrays")
            table = MemoryTable("source", {name: source[name] for name in source.dtype.names})
        else:
            table = _of_frame(source, columns, engine, resources)
        require_columns(table.name, columns.all, table.kinds)
        roles = {"scores": columns.scores, "weights": (columns.weights,), "a cost": columns.amounts}
        for argument, names in roles.items():
            for name in names:
                if name is not None and table.kinds[name] not in ("number", "bool"):
                    raise input_error(
                        argument,
                        "must name columns of numbers",
                        f"{table.not_numbers(name)} in {name!r}",
                        "write decimals with a point, and leave missing values empty.",
                    )
        yield table


def _require(engine: str | None, fitting: tuple[str, ...], what: str) -> None:
    if engine is not None and engine not in fitting:
        hint = "leave it out, or pass " + " or ".join(map(repr, fitting)) + "."
        raise input_error("engine", f"must be one that can count {what}", repr(engine), hint)


# ---------------------------------------------------------------- paths and addresses


def _at_address(
    source: str,
    columns: Columns,
    engine: str | None,
    memory_limit: str,
    master: str | None,
    resources: ExitStack,
) -> Table:
    if engine == "spark":
        from demur.engines.spark import open_frame, spark_errors, spark_session

        session = resources.enter_context(spark_session(master))
        resources.enter_context(spark_errors(source))
        frame = narwhals().from_native(open_frame(session, source))
        return FrameTable(shown_address(source), frame, at_once=True)
    if is_address(source) and not is_remote(source):
        _require(engine, ("ibis", "memory"), "a warehouse")
        return _of_frame(warehouse_table(source), columns, engine, resources)
    _require(engine, ("duckdb", "memory"), "files")
    if engine == "memory":
        with open_table(source) as table:
            read = table.read(columns.all)
        return MemoryTable(table.name, {name: column.filled() for name, column in read.items()})
    table = resources.enter_context(open_table(source, memory_limit=memory_limit))
    resources.enter_context(database_errors(table.name))
    table.check([name for name in columns.all if name in table.kinds])
    frame = narwhals().from_native(table.relation)
    # the columns of a CSV file lie side by side: both models in one pass
    return FrameTable(
        table.name,
        frame,
        at_once=not table.columnar,
        n_rows=table.n_rows,
        explain=table.not_numbers,
    )


# ---------------------------------------------------------------- frames


def _of_frame(source: Any, columns: Columns, engine: str | None, resources: ExitStack) -> Table:
    nw = narwhals()
    try:
        frame = nw.from_native(source)
    except TypeError:
        raise input_error("source", "must hold columns", type(source).__name__, _SOURCES) from None
    kind = frame.implementation.value
    shown = f"the {kind} frame"
    if isinstance(frame, nw.DataFrame):
        _require(engine, ("memory", "narwhals", "duckdb", *([kind] if kind in ENGINES else [])), shown)
        if engine in (None, "memory"):
            return _loaded(shown, frame, columns)
        if engine != "duckdb":
            return FrameTable(shown, frame.lazy(), at_once=True)
        connection = resources.enter_context(connect())
        connection.register("source", source)
        return FrameTable(shown, nw.from_native(connection.table("source")), at_once=True)
    own = "spark" if frame.implementation.is_spark_like() else kind
    _require(engine, ("memory", "narwhals", own), shown)
    if engine == "memory":
        return _loaded(shown, frame, columns)
    # not every warehouse can stack columns
    return FrameTable(shown, frame, at_once=not frame.implementation.is_ibis())


def _loaded(shown: str, frame: Any, columns: Columns) -> Table:
    require_columns(shown, columns.all, frame.collect_schema().names())
    loaded = frame.select(*columns.all).collect() if isinstance(frame, narwhals().LazyFrame) else frame
    return MemoryTable(shown, eager_columns(loaded, columns.all))
