"""Counts, surfaces and start-up against NumPy and scikit-learn."""

import subprocess
import sys

import numpy as np
from sklearn.metrics import roc_auc_score
from sklearn.metrics import roc_curve as sklearn_roc_curve
from timing import AS_INSTALLED, alternate, peak_extra_memory, ratio_row, seconds

from demur import ScoreCounts, abstention_surface, auc_score

JOB = "surface + AUC + volume + window"


def data(n, seed=0):
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.3).astype(np.int64)
    return y, rng.normal(size=n)


def whole_job(y, s):
    surface = abstention_surface(y, s)
    return auc_score(surface.counts), surface.volume(), surface.window(0.5, 0.1)


def rows():
    yield from large()
    yield from small()
    yield from grid()
    yield from start_up()


def large():
    whole_job(*data(200_000))  # compile
    for n in (10**5, 10**6, 10**7):
        y, s = data(n)

        def ours(y=y, s=s):
            return whole_job(y, s)

        mine, sort = alternate(ours, lambda s=s: np.sort(s))
        yield ratio_row(f"{JOB} / np.sort", f"{n:.0e}", mine, sort, "<= 4, aim 2.5")
        mine, peer = alternate(ours, lambda y=y, s=s: roc_auc_score(y, s), repeats=2)
        yield ratio_row(
            "  sklearn roc_auc_score / it", f"{n:.0e}", mine, peer, ">= 15, aim 25", peer_over_ours=True
        )
    extra = peak_extra_memory(ours)
    ratio = f"{extra / s.nbytes:.2f} x"
    yield (
        "  peak extra memory / scores",
        f"{n:.0e}",
        f"{extra / 1e6:.0f} MB",
        f"{s.nbytes / 1e6:.0f} MB",
        ratio,
        "<= 6",
    )


def small():
    for n in (10, 100, 1000):
        y, s = data(n)
        y[:2] = 0, 1
        mine, peer = alternate(
            lambda y=y, s=s: whole_job(y, s), lambda y=y, s=s: sklearn_roc_curve(y, s), repeats=50
        )
        yield ratio_row(f"{JOB} / sklearn roc_curve", n, mine, peer, "<= 5")


def grid():
    rng = np.random.default_rng(1)
    share = np.sort(rng.random(500))
    size = rng.integers(50, 500, 500)
    surface = abstention_surface(ScoreCounts.from_counts(range(500), share * size, (1 - share) * size))
    mu, nu = np.linspace(0, 1, 1001)[:, None], np.linspace(0, 1, 1001)[None, :]
    (mine,) = alternate(lambda: surface.cost(mu, nu))
    blocks = f"{len(surface.shares)} blocks"
    yield ("surface cost on 1001 x 1001 points", blocks, seconds(mine), "", "", "<= 0.2 s")


def start_up():
    def run(*arguments):
        command = [sys.executable, *arguments]
        return lambda: subprocess.run(command, check=True, capture_output=True, env=AS_INSTALLED)

    numpy_scipy = run("-c", "import numpy, scipy.optimize")
    mine, peer = alternate(run("-c", "import demur"), numpy_scipy)
    yield ratio_row("import demur / import numpy, scipy.optimize", "", mine, peer, "<= 2.5")
    touch = "import demur; demur.abstention_surface, demur.cost_curve, demur.roc_curve"
    mine, peer = alternate(run("-c", touch), numpy_scipy)
    yield ratio_row("  the same with the core modules touched", "", mine, peer, "<= 2.5")
    mine, peer = alternate(run("-m", "demur", "--help"), run("-c", "pass"), repeats=10)
    yield ratio_row("demur --help / python -c pass", "", mine, peer, "<= 5")
