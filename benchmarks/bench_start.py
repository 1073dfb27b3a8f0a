"""How long a command takes to start: from memory, from disk, and where loops are compiled for the first time.

From disk: before every run the system drops the pages of all files of Python, its packages and demur.
"""

import os
import subprocess
import sys
import sysconfig
import tempfile
import time
from functools import partial
from pathlib import Path

import numpy as np
from timing import AS_INSTALLED, alternate, ratio_row, seconds

import demur
from demur.datasets.breast_cancer import breast_cancer_scores

COSTS = ("--cost-fn", "1000", "--cost-fp", "100", "--cost-abstain", "20")
LARGE, REPEATS = 2**17, 5


def write_demo(path):
    data = breast_cancer_scores()
    names = ["y_true", *data.scores]
    rows = zip(data.diagnosis, *data.scores.values(), strict=True)
    path.write_text("\n".join(",".join(map(str, row)) for row in [names, *rows]) + "\n")


def write_large(path):
    rng = np.random.default_rng(0)
    y = rng.random(LARGE) < 0.3
    table = np.column_stack([y, y + rng.normal(size=LARGE), y + rng.normal(size=LARGE)])
    np.savetxt(path, table, delimiter=",", header="y_true,a,b", comments="", fmt=["%d", "%.6f", "%.6f"])


def run(file, *flags, **environment):
    command = [sys.executable, "-m", "demur", "compare", str(file), "-q", *COSTS, *flags]
    env = {**AS_INSTALLED, **environment}
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=env)


def forget_files():
    """Have the system drop what it holds of the files a command may read."""
    folders = {
        *sysconfig.get_paths().values(),
        os.path.dirname(demur.__file__),
        os.path.dirname(sys.executable),
    }
    os.sync()
    for folder in folders:
        for path in Path(folder).rglob("*"):
            if path.is_file() and not path.is_symlink():
                descriptor = os.open(path, os.O_RDONLY)
                os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
                os.close(descriptor)


def from_disk(file):
    """Shortest of a few runs that read everything anew."""
    best = float("inf")
    for _ in range(REPEATS):
        forget_files()
        start = time.perf_counter()
        run(file, "--positive", "malignant")
        best = min(best, time.perf_counter() - start)
    return best


def rows():
    with tempfile.TemporaryDirectory() as folder:
        demo, large = Path(folder, "demo.csv"), Path(folder, "large.csv")
        write_demo(demo)
        write_large(large)
        size = "569 rows x 4 models"
        again, bare = alternate(
            partial(run, demo, "--positive", "malignant"),
            lambda: subprocess.run(
                [sys.executable, "-c", "import numpy, duckdb"], check=True, env=AS_INSTALLED
            ),
            repeats=REPEATS,
        )
        yield ratio_row("demur compare / importing NumPy and DuckDB", size, again, bare, "")
        yield ("demur compare, files read from disk", size, seconds(from_disk(demo)), "", "", "<= 1.5 s")
        stored = Path(folder, "stored")
        start = time.perf_counter()
        run(large, NUMBA_CACHE_DIR=str(stored))
        first = time.perf_counter() - start
        (later,) = alternate(partial(run, large, NUMBA_CACHE_DIR=str(stored)), repeats=3)
        what = "demur compare, loops compiled for the first time / later"
        yield ratio_row(what, f"{LARGE:,} rows x 2 models", first, later, "")
        yield ("the first compilation alone", "", seconds(first - later), "", "", "")
