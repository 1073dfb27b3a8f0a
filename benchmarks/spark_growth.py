"""Counts of two models through a Spark cluster of two workers on this machine, against Spark's bare GROUP BY.

python benchmarks/spark_growth.py 2e8 [--memory 1g] [--keep benchmarks/growth.json]

Starts a master and two workers of one core each on loopback, and ends them. Files are those of growth.py: at
most a hundred million rows (1.6 GB) in a temporary folder, each read several times beyond that. Processor
seconds and peak memory are those of all processes together: driver, workers, executors.
"""

import argparse
import json
import os
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
sys.path.insert(0, str(Path(__file__).parent))

from bench_engines import BINS, counted_scans
from growth import files, keep
from timing import own_peak_memory

from spark_cluster import SMALL, SparkCluster

COLUMNS = ("first", "second")


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("rows", type=float)
    parser.add_argument("--memory", default="1g", help="heap of the driver and of each executor")
    parser.add_argument("--keep", type=Path, help="file of results to merge this one into")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="demur-spark-") as name:
        folder = Path(name)
        source = files(folder, int(chosen.rows))
        configure(folder, SMALL | settings(chosen.memory))
        cluster = SparkCluster(folder, memory=chosen.memory)
        try:
            found = measured(cluster.master, source, int(chosen.rows))
        finally:
            cluster.stop()
    print(json.dumps(found))
    if chosen.keep:
        keep(chosen.keep, "spark", found | {"memory_setting": chosen.memory})


def settings(memory):
    """Heaps of one size, and the compiler that pays in long jobs: the tests take the quick one."""
    options = {f"spark.{role}.memory": memory for role in ("driver", "executor")}
    return options | {
        f"spark.{role}.extraJavaOptions": "-XX:+UseParallelGC" for role in ("driver", "executor")
    }


def configure(folder, chosen):
    """Write the settings where Spark looks for them, before it starts."""
    lines = [f"{name} {value}" for name, value in chosen.items()]
    (folder / "spark-defaults.conf").write_text("\n".join(lines) + "\n")
    os.environ |= {
        "SPARK_CONF_DIR": str(folder),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_LOCAL_DIRS": str(folder),
        "PYSPARK_PYTHON": sys.executable,
    }


def measured(master, source, rows):
    from demur import read_counts
    from demur.engines.spark import spark_session

    scans = counted_scans()
    with spark_session(master) as session:
        frame = session.read.parquet(str(source))
        assert frame.count() == rows  # starts the executors, too
        bare, _ = timed(lambda: [bare_bins(frame, column) for column in COLUMNS])
        counted, found = timed(lambda: read_counts(frame, y_true="y", scores=list(COLUMNS)))
        memory = own_peak_memory() + sum(peak for _, peak in children())
    assert all(one.n == rows for one in found.values())
    return {
        "rows": rows,
        "bare_seconds": round(bare["seconds"], 2),
        "bare_processor": round(bare["processor"], 2),
        "seconds": round(counted["seconds"], 2),
        "processor": round(counted["processor"], 2),
        "memory": memory,
        "certified": max(one.certified for one in found.values()),
        "scans": len(scans),
    }


def bare_bins(frame, column):
    """Count the bins of a column as anybody would, and fetch them."""
    from pyspark.sql import functions

    number = functions.floor(functions.col(column) * BINS).cast("int").alias("k")
    return frame.groupBy(number, "y").count().toArrow()


def timed(job):
    start, work = time.perf_counter(), processor()
    answer = job()
    return {"seconds": time.perf_counter() - start, "processor": processor() - work}, answer


def processor():
    """Seconds of this process and of those it started."""
    return time.process_time() + sum(used for used, _ in children())


def children():
    """Processor seconds and peak memory of every process below this one."""
    parents, numbers = {}, {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
            status = (path.parent / "status").read_text()
        except (FileNotFoundError, ProcessLookupError):
            continue  # it has ended meanwhile
        own = int(path.parent.name)
        parents[own] = int(fields[1])
        ticks = sum(map(int, fields[11:15]))  # its own and those of children it has waited for
        peak = status.partition("VmHWM:")[2].split()
        numbers[own] = ticks / os.sysconf("SC_CLK_TCK"), 1024 * int(peak[0]) if peak else 0
    below = {os.getpid()}
    while grown := {one for one, parent in parents.items() if parent in below} - below:
        below |= grown
    return [numbers[one] for one in below - {os.getpid()}]


if __name__ == "__main__":
    main()
