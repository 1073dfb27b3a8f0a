"""`demur report` and `demur compare` against reading the file alone, and the size of the page."""

import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

from timing import AS_INSTALLED, alternate, ratio_row

N, MODELS = 10**6, 3

_READ = """
from demur.cli.options import Prices, Source
from demur.cli.input.cases import read_cases
read_cases(Source(file={file!r}), Prices())
"""


def write_predictions(path):
    import duckdb

    noise = "random() + random() + random()"
    raw = [f"{2 - 0.4 * k} * y_true + shared + {noise}" for k in range(MODELS)]
    scores = [f"1 / (1 + exp(-({one}))) as model_{k}" for k, one in enumerate(raw)]
    cases = f"select (random() < 0.3)::int as y_true, {noise} as shared from range({N})"
    duckdb.sql("select setseed(0.5)").fetchall()
    duckdb.sql(f"copy (select y_true, {', '.join(scores)} from ({cases})) to '{path}' (header)")


def run(command, folder):
    subprocess.run(command, check=True, cwd=folder, stdout=subprocess.DEVNULL, env=AS_INSTALLED)


def rows():
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "predictions.csv")
        write_predictions(file)
        costs = ["--cost-fn", "100", "--cost-fp", "40", "--cost-abstain", "12"]
        read = [sys.executable, "-c", _READ.format(file=str(file))]
        size = f"{N:.0e} rows x {MODELS} models"
        for verb in ("report", "compare"):
            command = [sys.executable, "-m", "demur", verb, str(file), "-q", *costs]
            run(command, folder)  # compiled kernels are cached on disk from now on
            times = alternate(partial(run, command, folder), partial(run, read, folder), repeats=3)
            yield ratio_row(f"demur {verb} FILE.csv / reading the file", size, *times, "<= 4")
        page = Path(folder, "predictions-report.html").stat().st_size
        yield ("size of the page", size, f"{page / 1000:.0f} kB", "", "", "<= 600 kB")
