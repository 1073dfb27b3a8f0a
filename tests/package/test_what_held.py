"""Attacks that failed and must go on failing: hostile names, missing counts, threads and forks, memory."""

import gc
import multiprocessing
import os
import subprocess
import sys
import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

from demur import InputError, ScoreCounts, abstention_surface, auc_score, read_counts
from demur._kernels.jit import COMPILE_FROM
from demur.engines.files import open_table

HOSTILE = [
    "a\"; drop table t; copy (select 1) to 'owned.csv'; --",
    "') or 1=1 --",
    "read_text('/etc/hostname')",
    "a'b\"c`d$e{f}%s",
]


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_names_of_columns_and_groups_are_no_sql(tmp_path, monkeypatch, name, form):
    monkeypatch.chdir(tmp_path)
    table = pa.table({"y": [0, 1, 0, 1], name: [0.1, 0.9, 0.3, 0.8], f"{name} group": [name, name, "b", "b"]})
    path = tmp_path / f"t.{form}"
    if form == "csv":
        pa.csv.write_csv(table, path)
    else:
        pq.write_table(table, path)
    counts = read_counts(path, y_true="y", scores=name, groups=f"{name} group")
    assert {group: own[name].scores.tolist() for group, own in counts.items()} == {
        name: [0.1, 0.9],
        "b": [0.3, 0.8],
    }
    with open_table(path) as opened:
        assert opened.read([name])[name].values.tolist() == [0.1, 0.9, 0.3, 0.8]
    assert [entry.name for entry in tmp_path.iterdir()] == [path.name]


@pytest.mark.parametrize("column", ["score", "positives", "negatives"])
def test_counts_that_are_missing_in_a_file_are_not_zeros(tmp_path, column):
    ScoreCounts.from_arrays([0, 1, 0, 1], [0.1, 0.9, 0.3, 0.8]).save(tmp_path / "a.parquet")
    duckdb.sql(
        f"""copy (select * replace (case when score > 0.5 then null else {column} end as {column})
        from '{tmp_path}/a.parquet') to '{tmp_path}/b.parquet'
        (format parquet, kv_metadata {{schema: 'demur.counts', version: '1'}})"""
    )
    with pytest.raises(InputError, match=r"missing|masked|NaN"):
        ScoreCounts.load(tmp_path / "b.parquet")


def test_an_unknown_column_among_ten_thousand_is_a_short_message(tmp_path):
    table = pa.table({f"column{k}": [0, 1] for k in range(10_000)})
    pq.write_table(table, tmp_path / "wide.parquet")
    for source in (tmp_path / "wide.parquet", table):
        with pytest.raises(InputError, match="has no column 'zzz'; it has 10000 columns") as refused:
            read_counts(source, y_true="column0", scores="zzz")
        assert len(str(refused.value)) < 400


def summary(seed):
    """Numbers of a sample that is large enough for the compiled loops."""
    rng = np.random.default_rng(seed)
    y = rng.random(2 * COMPILE_FROM) < 0.4
    scores = y + rng.normal(size=len(y))
    surface = abstention_surface(y, scores)
    return auc_score(y, scores), surface.volume(), surface.window(1.0, 0.2).lower


def test_threads_and_forks_give_the_same_numbers():
    expected = [summary(seed) for seed in range(4)]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(summary, range(4))) == expected
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.map(summary, range(4)) == expected


@pytest.mark.long
def test_workers_of_loky_give_the_same_numbers():
    joblib = pytest.importorskip("joblib")
    found = joblib.Parallel(n_jobs=2, backend="loky")(joblib.delayed(summary)(seed) for seed in range(2))
    joblib.externals.loky.get_reusable_executor().shutdown(wait=True)
    assert found == [summary(seed) for seed in range(2)]


SUMMARY = """
import sys
sys.path.insert(0, {tests!r})
from package.test_what_held import summary
print(summary(3))
"""


@pytest.mark.long
def test_processes_that_compile_at_the_same_time_give_the_same_numbers(tmp_path):
    # an empty folder for machine code: all of them compile, store and load, each for itself
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    command = [sys.executable, "-c", SUMMARY.format(tests=str(Path(__file__).parents[1]))]
    running = [
        subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    said = [process.communicate(timeout=300) for process in running]
    assert said == [(f"{summary(3)}\n", "")] * 3
    assert list(tmp_path.rglob("*.nbi"))


def test_many_rounds_keep_no_memory():
    rng = np.random.default_rng(0)
    y, scores = rng.integers(0, 2, 500), rng.normal(size=500)

    def rounds(number):
        for _ in range(number):
            surface = abstention_surface(y, scores)
            surface.window(1.0, 0.2)
            auc_score(y, scores)
        gc.collect()
        return tracemalloc.get_traced_memory()[0]

    tracemalloc.start()
    try:
        before = rounds(50)
        # one array of the cases kept in every round would be 1.6 MB
        assert rounds(400) - before < 2**17
    finally:
        tracemalloc.stop()
