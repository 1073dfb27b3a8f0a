"""The one database in memory: connections that know nothing of each other, files read anew, forks."""

import os
import subprocess
import sys
import threading

import duckdb
import numpy as np
import pytest

from demur import ScoreCounts, read_counts
from demur._files.database import connect


def test_what_one_connection_makes_another_does_not_see():
    with connect() as first, connect() as second:
        first.register("written", {"a": np.arange(3)})
        first.execute("create temporary table kept (b integer)")
        for name in ("written", "kept"):
            with pytest.raises(duckdb.CatalogException, match=name):
                second.execute(f"from {name}")
    with connect() as later, pytest.raises(duckdb.CatalogException, match="kept"):
        later.execute("from kept")


def test_a_closed_connection_leaves_the_others_open():
    with connect() as kept:
        with connect() as closed:
            assert closed.execute("select 1").fetchall() == [(1,)]
        with pytest.raises(duckdb.ConnectionException):
            closed.execute("select 1")
        assert kept.execute("select 2").fetchall() == [(2,)]


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_file_that_changed_is_read_anew_even_if_it_looks_the_same(tmp_path, ending):
    """Equal in name, size and time: whoever kept what was read would not notice."""
    path, seen = tmp_path / f"cases.{ending}", []
    for scores in ("0.25, 0.75", "0.75, 0.25"):
        with connect() as connection:
            table = f"select unnest([0, 1]) as y, unnest([{scores}]) as s"
            connection.execute(f"copy ({table}) to '{path}'")
        os.utime(path, (1e9, 1e9))
        seen.append((path.stat().st_size, read_counts(path, y_true="y", scores="s", engine="duckdb")["s"]))
    (size, first), (other_size, second) = seen
    assert size == other_size
    assert first == ScoreCounts.from_arrays([0, 1], [0.25, 0.75])
    assert second == ScoreCounts.from_arrays([0, 1], [0.75, 0.25])


def test_threads_have_connections_of_their_own():
    found = []

    def ask(number):
        with connect() as connection:
            connection.execute(f"create temporary table mine as select {number} as k from range(1000)")
            found.append(connection.execute("select sum(k) from mine").fetchall()[0][0])

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found) == [1000 * number for number in range(8)]


FORKS = """
import os, signal, sys
from demur._files.database import connect

ask = "select count(*) from (select range % 1009 as k, sum(range) from range(1_000_000) group by k)"
with connect() as connection:
    assert connection.execute(ask).fetchall() == [(1009,)]
child = os.fork()
with connect() as connection:
    assert connection.execute(ask).fetchall() == [(1009,)]
if child:
    sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
signal.alarm(30)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_a_forked_process_opens_a_database_of_its_own():
    """The threads of the first one would be gone: to close it would end the process with SIGSEGV."""
    finished = subprocess.run([sys.executable, "-c", FORKS], capture_output=True, text=True, timeout=120)
    assert (finished.returncode, finished.stderr) == (0, "")
