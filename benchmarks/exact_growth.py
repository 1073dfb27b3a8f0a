"""Exact counts of distinct scores that DuckDB cannot group in the memory it may use.

python benchmarks/exact_growth.py 1e8 [--memory-limit 2GB] [--keep benchmarks/growth.json]

Writes a Parquet file of so many different float64 scores (1.2 GB for 1e8) to a temporary folder, counts
them with `max_distinct` as large, and compares the counts with those of the same columns in memory. Prints
seconds, peak memory and what DuckDB wrote to disk.
"""

import argparse
import json
import tempfile
import threading
import time
from pathlib import Path

import duckdb
import numpy as np
from growth import keep
from timing import own_peak_memory

from demur import ScoreCounts, read_counts

# a multiplier without a common factor with powers of 2 and 10: every score once, in no order
_STEP = 2654435761


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("rows", type=float)
    parser.add_argument("--memory-limit", default="2GB", help="what DuckDB may use")
    parser.add_argument("--keep", type=Path, help="file of results to merge this one into")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="demur-exact-") as folder:
        tempfile.tempdir = folder
        found = measured(Path(folder), int(chosen.rows), chosen.memory_limit)
    print(json.dumps(found))
    if chosen.keep:
        keep(chosen.keep, "exact", found | {"memory_limit": chosen.memory_limit})


def write(path, rows):
    """Write labels whose share rises with the score, and scores that are all different."""
    place = f"(range * {_STEP}) % {rows}"
    score = f"sqrt(({place} + 0.5) / {rows})"
    label = f"(hash(range) % 1000000) / 1e6 < ({place} + 0.5) / {rows}"
    duckdb.sql(
        f"copy (select ({label})::tinyint as y, {score} as s from range({rows})) to '{path}' (format parquet)"
    )


def measured(folder, rows, memory_limit):
    path = folder / "scores.parquet"
    write(path, rows)
    most = Spilled(folder, path)
    with most:
        start = time.perf_counter()
        counts = read_counts(path, y_true="y", scores="s", max_distinct=rows, memory_limit=memory_limit)["s"]
        seconds = time.perf_counter() - start
    memory = own_peak_memory()
    assert counts.exact
    assert len(counts.scores) == rows
    columns = duckdb.sql(f"select y, s from '{path}'").fetchnumpy()
    expected = ScoreCounts.from_arrays(np.asarray(columns["y"]) == 1, np.asarray(columns["s"]))
    assert counts == expected
    return {
        "rows": rows,
        "seconds": round(seconds, 2),
        "memory": memory,
        "spilled": most.bytes,
        "pairs": list(counts.pair_shares),
    }


class Spilled:
    """Watches how much a folder holds beside one file."""

    def __init__(self, folder, path):
        self.folder, self.path, self.bytes = folder, path, 0
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def _watch(self):
        while not self._done.wait(0.2):
            sizes = [self._size(one) for one in self.folder.rglob("*") if one != self.path]
            self.bytes = max(self.bytes, sum(sizes))

    @staticmethod
    def _size(path):
        try:
            return path.stat().st_size if path.is_file() else 0
        except FileNotFoundError:
            return 0

    def __enter__(self):
        self._thread.start()

    def __exit__(self, *stopped):
        self._done.set()
        self._thread.join()


if __name__ == "__main__":
    main()
