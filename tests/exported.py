"""Policies of several columns run elsewhere: DuckDB, SQLite, the Python source and ONNX."""

import sqlite3

import duckdb
import numpy as np
import onnxruntime
import pandas as pd

__all__ = ["RUNS", "in_duckdb", "in_onnx", "in_python", "in_sqlite"]


def in_duckdb(made, rows):
    """Decide rows by the SQL of DuckDB."""
    frame = pd.DataFrame(rows, columns=list(made.columns), dtype=float)
    frame["place"] = range(len(frame))
    with duckdb.connect() as connection:
        # rows of a query have no order of their own
        query = f"select {made.to_sql(columns=made.columns)} from frame order by place"
        decided = [row[0] for row in connection.sql(query).fetchall()]
        query = made.to_sql(columns=made.columns, table="frame", decision="d")
        assert [row[-1] for row in connection.sql(f"{query} order by place").fetchall()] == decided
        return decided


def in_sqlite(made, rows):
    """Decide rows by the SQL of SQLite."""
    with sqlite3.connect(":memory:") as connection:
        connection.execute(f"create table t ({', '.join(f'[{name}]' for name in made.columns)})")
        connection.executemany(f"insert into t values ({', '.join('?' for _ in made.columns)})", rows)
        query = made.to_sql("sqlite", made.columns, table="t", decision="d")
        decisions = [row[-1] for row in connection.execute(f"{query} order by rowid")]
    connection.close()
    return decisions


def in_python(made, rows):
    """Decide rows by the source in Python."""
    names = {}
    exec(compile(made.to_python(), "policy.py", "exec"), names)
    return [names["decide"](row) for row in rows]


def in_onnx(made, rows):
    """Decide rows by the model in ONNX."""
    session = onnxruntime.InferenceSession(made.to_onnx().SerializeToString())
    return session.run(None, {"proba": np.array(rows, dtype=float)})[0].tolist()


RUNS = [in_duckdb, in_sqlite, in_python, in_onnx]
