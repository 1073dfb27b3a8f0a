"""Paired comparison of two models over all costs against the bootstrap of two AUCs in R pROC."""

import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from timing import ratio_row, seconds

from demur import Binormal, surface_band, surface_difference_band, volume_difference_test
from demur.datasets.binormal import paired_binormal_sample

R_RESAMPLES = 50

# Reads the same numbers. Processor time on both sides (each uses one thread): it is the wall
# time of a quiet machine, and R's start-up is left out.
R_SCRIPT = """
suppressMessages(library(pROC))
arguments <- commandArgs(trailingOnly = TRUE)
folder <- arguments[1]; n <- as.integer(arguments[2]); resamples <- as.integer(arguments[3])
read <- function(name) readBin(file.path(folder, name), "double", n)
y <- as.integer(read("y")); a <- read("a"); b <- read("b")
first <- roc(y, a, quiet = TRUE, levels = c(0, 1), direction = "<")
second <- roc(y, b, quiet = TRUE, levels = c(0, 1), direction = "<")
set.seed(1)
took <- system.time(roc.test(first, second, method = "bootstrap", boot.n = resamples, progress = "none"))
cat(sum(took[c("user.self", "sys.self")]))
"""


def sample(n, seed=0):
    return paired_binormal_sample(Binormal(separation=1.3), Binormal(), n=n, correlation=0.6, rng=seed)


def processor_time(job, repeats=3):
    """Best processor time of one call."""
    best = float("inf")
    for _ in range(repeats):
        start = time.process_time()
        job()
        best = min(best, time.process_time() - start)
    return best


def r_bootstrap(y, a, b, resamples=R_RESAMPLES):
    """Seconds pROC needs for 1000 resamples (so many are run, the time is proportional); None without it."""
    if shutil.which("Rscript") is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        for name, column in zip("yab", (y, a, b), strict=True):
            np.asarray(column, dtype=np.float64).tofile(Path(folder) / name)
        words = ["Rscript", "-e", R_SCRIPT, folder, str(len(y)), str(resamples)]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
    return None if done.returncode else float(done.stdout) * 1000 / resamples


def rows():
    surface_difference_band(*sample(70_000), rng=0, n_resamples=10)  # compile
    n = 10**5
    data = sample(n)
    what = f"R pROC roc.test bootstrap, 1000 from {R_RESAMPLES} / difference band and map"
    ours = processor_time(lambda: surface_difference_band(*data, rng=0))
    peer = r_bootstrap(*data)
    if peer is None:
        yield (what, f"{n:.0e}", seconds(ours), "no Rscript with pROC here: not compared", "", ">= 30 x")
    else:
        yield ratio_row(what, f"{n:.0e}", ours, peer, ">= 30 x", peer_over_ours=True)
    for n in (10**5, 10**6):
        data = sample(n)
        jobs = {
            "  band of one surface, 51 x 51 costs": lambda data=data: surface_band(data[0], data[1], rng=0),
            "  test of two volumes": lambda data=data: volume_difference_test(*data, rng=0),
        }
        if n > 10**5:
            jobs["  difference band and map"] = lambda data=data: surface_difference_band(*data, rng=0)
        for name, job in jobs.items():
            yield (name, f"{n:.0e}", seconds(processor_time(job, repeats=1)), "", "", "")


def main():
    for row in rows():
        print(*row, sep="  ")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
