"""Paired comparison of two AUCs against R pROC, and what one AUC costs."""

import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from timing import alternate, ratio_row, seconds

from demur import auc_difference_test, auc_interval
from demur.auc import auc_difference_variances
from demur.paired import PairedCounts

# Reads the same numbers, so that both sides see the same ties. Processor time on both sides (each
# uses one thread): it is the wall time of a quiet machine, and R's start-up is left out.
R_SCRIPT = """
suppressMessages(library(pROC))
folder <- commandArgs(trailingOnly = TRUE)[1]
n <- as.integer(commandArgs(trailingOnly = TRUE)[2])
read <- function(name) readBin(file.path(folder, name), "double", n)
y <- as.integer(read("y")); a <- read("a"); b <- read("b")
best <- Inf
for (k in 1:5) {
  took <- sum(system.time({
    first <- roc(y, a, quiet = TRUE, levels = c(0, 1), direction = "<")
    second <- roc(y, b, quiet = TRUE, levels = c(0, 1), direction = "<")
    test <- roc.test(first, second, method = "delong", paired = TRUE)
  })[c("user.self", "sys.self")])
  best <- min(best, took)
}
cat(best, test$statistic)
"""


def data(n, seed=0, digits=None):
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.5
    shared = rng.normal(size=n)
    a, b = (shared + rng.normal(size=n) + shift * y for shift in (1.0, 0.998))
    return (y, a, b) if digits is None else (y, np.round(a, digits), np.round(b, digits))


def rows():
    auc_difference_test(*data(200_000))  # compile
    for n, digits in ((10**5, None), (10**6, None), (10**6, 2)):
        sample = data(n, digits=digits)
        size = f"{n:.0e}" + (" tied" if digits else "")
        ours, tested, delong = (
            processor_time(job, sample)
            for job in (auc_difference_variances, auc_difference_test, delong_test)
        )
        peer = r_proc(*sample)
        what = "R pROC DeLong / variances by all five methods"
        if peer is None:
            yield (what, size, seconds(ours), "no Rscript with pROC here: not compared", "", ">= 5")
            continue
        statistic = auc_difference_test(*sample, method="delong").statistic
        assert np.isclose(peer[1], statistic, rtol=1e-6), "the two sides disagree"
        yield ratio_row(what, size, ours, peer[0], ">= 5", peer_over_ours=True)
        yield ratio_row("  / DeLong as well", size, delong, peer[0], ">= 5", peer_over_ours=True)
        yield ratio_row("  / permutation test with p-value", size, tested, peer[0], "", peer_over_ours=True)
    for n in (10**6, 10**7):
        y, a, _ = data(n)
        ours, sort = alternate(lambda y=y, a=a: auc_interval(y, a), lambda a=a: np.sort(a), repeats=3)
        yield ratio_row("AUC, variance and interval / np.sort", f"{n:.0e}", ours, sort, "")
    yield through_cells(10**6)


def delong_test(y, a, b):
    """The same test as the peer's."""
    return auc_difference_test(y, a, b, method="delong")


def through_cells(n):
    """DeLong from joint counts of two models with few distinct scores, against DeLong from the rows."""
    y, a, b = data(n)
    a, b = (np.floor(score * 64) for score in (a, b))
    cells = PairedCounts.from_arrays(y, a, b)
    ours, rows = alternate(
        lambda: auc_difference_test(cells, method="delong"),
        lambda: auc_difference_test(y, a, b, method="delong"),
    )
    return ratio_row("DeLong of joint counts / of rows", f"{n:.0e} tied", ours, rows, "<= 1")


def processor_time(job, sample, repeats=8):
    """Best processor time of one call."""
    best = float("inf")
    for _ in range(repeats):
        start = time.process_time()
        job(*sample)
        best = min(best, time.process_time() - start)
    return best


def r_proc(y, a, b):
    """Best processor time and statistic of R, or None where R or pROC is missing."""
    if shutil.which("Rscript") is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        for name, column in zip("yab", (y, a, b), strict=True):
            np.asarray(column, dtype=np.float64).tofile(Path(folder) / name)
        done = subprocess.run(
            ["Rscript", "-e", R_SCRIPT, folder, str(len(y))], capture_output=True, text=True, check=False
        )
    if done.returncode:
        return None
    return tuple(float(word) for word in done.stdout.split())


def main():
    for row in rows():
        print(*row, sep="  ")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
