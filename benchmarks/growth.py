"""How cost grows with the number of rows of Parquet files: seconds, memory and certificate of two models.

python benchmarks/growth.py 1e6 1e7 1e8 1e9 [--keep benchmarks/growth.json]

Each measurement is a process of its own, so that its peak memory is its own. Files of 1e7 rows are written
to a temporary folder, at most ten (1.6 GB); beyond 1e8 rows each of them is read several times, under
several names. With --keep the rows are merged into a file of results, from which a page of the
documentation is drawn.
"""

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from bench_engines import _write
from run import machine

PART = 10**7
MOST_PARTS = 10


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("rows", nargs="+", type=float)
    parser.add_argument("--keep", type=Path, help="file of results to merge the new ones into")
    chosen = parser.parse_args()
    kept = json.loads(chosen.keep.read_text()) if chosen.keep and chosen.keep.exists() else {}
    kept["machine"] = machine()
    with tempfile.TemporaryDirectory(prefix="demur-growth-") as folder:
        for rows in sorted(map(int, chosen.rows)):
            found = measured(Path(folder), rows)
            print(json.dumps(found), flush=True)
            others = [one for one in kept.get("rows", []) if one["rows"] != rows]
            kept["rows"] = sorted([*others, found], key=lambda one: one["rows"])
            if chosen.keep:
                chosen.keep.write_text(json.dumps(kept, indent=1) + "\n")


def keep(path, name, found):
    """Put a result into the file of results under a name, with the machine it was measured on."""
    kept = json.loads(path.read_text()) if path.exists() else {}
    kept[name] = found | {"machine": machine()}
    path.write_text(json.dumps(kept, indent=1) + "\n")


def measured(folder, rows):
    """Measure one size: the bare query, then the counts and the answer.

    Processor seconds are those of all threads: they do not depend on what else the machine does.
    """
    source = files(folder, rows)
    load = os.getloadavg()[0]
    bare, answer = run("bare_bins", source), run("answer", source)
    counts = answer["counts"]
    return {
        "rows": rows,
        "load": round(load, 1),
        "bare_seconds": round(bare["seconds"], 2),
        "bare_processor": round(bare["processor"], 2),
        "seconds": round(counts["seconds"], 2),
        "processor": round(counts["processor"], 2),
        "memory": counts["memory"],
        "certified": counts["certified"],
        "scans": counts["scans"],
        "answer_seconds": round(answer["seconds"], 2),
        "answer_memory": answer["memory"],
        "answer_certified": answer["certified"],
    }


def files(folder, rows):
    """Return a pattern of files that hold so many rows together."""
    part = min(rows, PART)
    number = math.ceil(rows / part)
    parts = [folder / f"part{place}-{part}.parquet" for place in range(min(number, MOST_PARTS))]
    for path in parts:
        if not path.exists():
            _write(path, part)
    named = folder / f"rows{rows}"
    named.mkdir()
    for place in range(number):
        (named / f"{place}.parquet").symlink_to(parts[place % len(parts)])
    return named / "*.parquet"


def run(what, source):
    command = [sys.executable, str(Path(__file__).parent / "bench_engines.py"), what, str(source)]
    return json.loads(subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout)


if __name__ == "__main__":
    main()
