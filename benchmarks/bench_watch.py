"""Watching scores of Parquet files against a bare GROUP BY of DuckDB; memory and state up to 1e8 rows.

Sizes come from DEMUR_BENCH_ROWS, "1e6 1e7" by default; 1e8 needs 1 GB of disk.
Each measurement is a process of its own, so that its peak memory is its own.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from timing import own_peak_memory, ratio_row

SIZES = [int(float(size)) for size in os.environ.get("DEMUR_BENCH_ROWS", "1e6 1e7").split()]
GIGABYTE = 2**30
_CHUNK = 10**7


def rows():
    with tempfile.TemporaryDirectory(prefix="demur-bench-") as folder:
        _policy(Path(folder))
        for size in SIZES:
            files = _write(Path(folder), size)
            # starting takes longer than counting a small file
            large = size >= 10**7
            repeats = 1 if size > 10**7 else 3
            pairs = [(_measured("watch", files), _measured("bare", files)) for _ in range(repeats)]
            ours, bare = (min(pair[side]["seconds"] for pair in pairs) for side in (0, 1))
            yield ratio_row(
                "one batch / bare GROUP BY of 25 cells", f"{size:.0e}", ours, bare, "<= 10" if large else ""
            )
            done = pairs[0][0]
            memory = f"{done['memory'] / GIGABYTE:.2f} GB"
            yield ("peak memory", f"{size:.0e}", memory, "", "", "<= 1.5 GB")
            # once to count the scores, once to tell the file from others
            yield (
                "bytes read / bytes of the file",
                f"{size:.0e}",
                "",
                "",
                f"{done['read']:.2f} x",
                "<= 2.1" if large else "",
            )
            yield ("state", f"{size:.0e}", f"{done['state'] / 1000:.1f} kB", "", "", "<= 50 kB")
            for path in files:
                path.unlink()


def _policy(folder):
    import numpy as np

    from demur import CostModel, Policy, abstention_surface

    rng = np.random.default_rng(0)
    positive = rng.random(10_000) < 0.3
    pair = rng.random((2, 10_000))
    score = np.where(positive, pair.max(axis=0), pair.min(axis=0))
    costs = CostModel(cost_fn=10, cost_fp=5, cost_abstain=1)
    Policy.from_surface(abstention_surface(positive, score), costs=costs, model="score").save(
        folder / "policy.json"
    )


def _write(folder, size):
    """Write scores of the same law in files of at most 1e7 rows; a glob of them is one batch."""
    import duckdb

    (folder / str(size)).mkdir()
    files = []
    for start in range(0, size, _CHUNK):
        files.append(folder / str(size) / f"{start:010}.parquet")
        duckdb.sql(
            f"""copy (select case when random() < 0.3 then greatest(a, b) else least(a, b) end as score
            from (select random() as a, random() as b from range({min(_CHUNK, size - start)})))
            to '{files[-1]}' (format parquet)"""
        )
    return files


def _measured(what, files):
    command = [sys.executable, __file__, what, str(files[0].parent)]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def _watch(folder):
    from demur.cli.verbs.watch import Watching, watch

    before = _bytes_read()
    state = folder.parent / f"{folder.name}.json"
    state.unlink(missing_ok=True)
    policy, batch = str(folder.parent / "policy.json"), str(folder / "*.parquet")
    answer = watch(Watching(policy=policy, files=(batch,), state=str(state)), quiet=True)
    assert answer.monitor.alarms == []
    size = sum(path.stat().st_size for path in folder.iterdir())
    return {"read": (_bytes_read() - before) / size, "state": state.stat().st_size}


def _bytes_read():
    return int(re.search(r"rchar: (\d+)", Path("/proc/self/io").read_text()).group(1))


def _bare(folder):
    import duckdb

    with duckdb.connect(config={"memory_limit": "1GB", "temp_directory": str(folder.parent)}) as connection:
        connection.execute(
            f"""select cast(floor(score * 25) as integer) k, count(*), min(score), max(score)
            from '{folder}/*.parquet' group by k"""
        ).fetchall()
    return {}


def _one(what, folder):
    import duckdb

    import demur.monitoring.cases  # noqa: F401

    duckdb.sql("select 1").fetchall()
    start = time.perf_counter()
    done = {"watch": _watch, "bare": _bare}[what](folder)
    done["seconds"] = time.perf_counter() - start
    done["memory"] = own_peak_memory()
    print(json.dumps(done))


if __name__ == "__main__":
    _one(sys.argv[1], Path(sys.argv[2]))
