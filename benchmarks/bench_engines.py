"""Counting scores of Parquet files against the bare GROUP BY of DuckDB; memory and scans up to 1e8 rows.

Sizes come from DEMUR_BENCH_ROWS, "1e6 1e7" by default; 1e8 needs 3 GB of disk and some minutes.
Each measurement is a process of its own, so that its peak memory is its own.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from timing import own_peak_memory, ratio_row, seconds

BINS = 2**20
SIZES = [int(float(size)) for size in os.environ.get("DEMUR_BENCH_ROWS", "1e6 1e7").split()]
GIGABYTE = 2**30


def rows():
    with tempfile.TemporaryDirectory(prefix="demur-bench-") as folder:
        for size in SIZES:
            path = Path(folder) / f"{size}.parquet"
            _write(path, size)
            yield from _binned(path, size)
            yield from _certified(path, size)
            if size == 10**7:
                yield from _exact(path, size)
            path.unlink()


def _binned(path, size):
    """Asked: at most 3 x the bare GROUP BY of the same bins, at most 1.5 GB."""
    repeats = 1 if size > 10**7 else 3
    pairs = [(_measured("binned", path), _measured("bare_bins", path)) for _ in range(repeats)]
    ours, bare = (min(pair[side]["seconds"] for pair in pairs) for side in (0, 1))
    yield ratio_row("two models, binned / bare GROUP BY of the bins", f"{size:.0e}", ours, bare, "<= 3")
    yield _memory_row("peak memory, binned", size, pairs[0][0])


def _certified(path, size):
    """Asked: certified to 1e-6 in at most two scans."""
    done = _measured("certified", path)
    promise = f"{done['certified']:.1e} in {done['scans']} scan{'s' if done['scans'] > 1 else ''}"
    yield (
        "two models, certified",
        f"{size:.0e}",
        seconds(done["seconds"]),
        "",
        promise,
        "<= 1e-6 in <= 2",
    )
    yield _memory_row("peak memory, certified", size, done)


def _exact(path, size):
    """Asked: at most 1.5 x the bare SQL on 1e4 distinct scores."""
    pairs = [(_measured("exact", path), _measured("bare_scores", path)) for _ in range(3)]
    ours, bare = (min(pair[side]["seconds"] for pair in pairs) for side in (0, 1))
    yield ratio_row("1e4 distinct scores / bare GROUP BY", f"{size:.0e}", ours, bare, "<= 1.5")


def _memory_row(what, size, done):
    return (what, f"{size:.0e}", f"{done['memory'] / GIGABYTE:.2f} GB", "", "", "<= 1.5 GB")


# ---------------------------------------------------------------- one measurement


def _write(path, size):
    import duckdb

    # positives have the larger of two uniform scores, negatives the smaller: every bin is mixed
    duckdb.sql(
        f"""copy (select y, case when y = 1 then greatest(a, b) else least(a, b) end as first,
            case when y = 1 then greatest(a, c) else least(a, c) end as second,
            floor(c * 10000) / 10000 as rounded
        from (select (random() < 0.3)::integer as y, random() as a, random() as b, random() as c
            from range({size}))) to '{path}' (format parquet)"""
    )


def _measured(what, path):
    command = [sys.executable, __file__, what, str(path)]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def _bare(path, queries):
    import duckdb

    with duckdb.connect(config={"memory_limit": "1GB", "temp_directory": str(path.parent)}) as connection:
        for query in queries:
            connection.execute(query.format(path=path)).fetchnumpy()


def counted_scans():
    """Return a list that every scan from now on adds to."""
    from demur.engines.frames import FrameTable

    scans = []
    tallies = FrameTable.tallies

    def counting(self, *args):
        scans.append(args)
        return tallies(self, *args)

    FrameTable.tallies = counting
    return scans


def _counted(path, scores, found=None, **options):
    from demur import read_counts

    scans = counted_scans()
    found = {} if found is None else found
    found |= read_counts(path, y_true="y", scores=scores, **options)
    certified = max(counts.certified for counts in found.values())
    return {"scans": len(scans), "certified": certified}


def _answered(path, scores):
    """Counts first, then the answer from joint counts: time, work and memory of each."""
    from demur import CostModel, compare_models
    from demur.engines import read_joint_counts

    costs = CostModel(cost_fn=100, cost_fp=40, cost_abstain=12)
    start, work = time.perf_counter(), time.process_time()
    counts = {}
    done = {"counts": _counted(path, scores, found=counts)}
    done["counts"] |= {
        "seconds": time.perf_counter() - start,
        "processor": time.process_time() - work,
        "memory": own_peak_memory(),
    }
    joint = read_joint_counts(path, y_true="y", scores=scores, costs=costs, counts=counts)
    assert compare_models(joint, costs=costs).answer is not None
    return done | {"certified": joint.certified(costs)}


def _one(what, path):
    import duckdb
    import narwhals.stable.v2  # noqa: F401

    import demur.engines.counting  # noqa: F401

    bins = f"select cast(floor({{column}} * {BINS}) as integer) k, y, count(*) from '{{path}}' group by k, y"
    score = "select rounded, y, count(*) from '{path}' group by rounded, y"
    columns = ("first", "second")
    run = {
        "binned": lambda: _counted(path, columns, bins=BINS, tolerance=1),
        "certified": lambda: _counted(path, columns),
        "answer": lambda: _answered(path, columns),
        "exact": lambda: _counted(path, "rounded"),
        "bare_bins": lambda: _bare(path, [bins.format(column=name, path="{path}") for name in columns]),
        "bare_scores": lambda: _bare(path, [score]),
    }[what]
    duckdb.sql("select 1").fetchall()
    start, work = time.perf_counter(), time.process_time()
    done = run() or {}
    done["seconds"] = time.perf_counter() - start
    # of all threads: what others do on the machine does not count
    done["processor"] = time.process_time() - work
    done["memory"] = own_peak_memory()
    print(json.dumps(done))


if __name__ == "__main__":
    _one(sys.argv[1], Path(sys.argv[2]))
