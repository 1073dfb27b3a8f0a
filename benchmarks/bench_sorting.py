"""Sorting against NumPy, on this processor and as on one for which NumPy has no vectors."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
from timing import AS_INSTALLED, alternate, ratio_row

from demur._kernels.radix import radix_order, radix_sort, sorts_with_vectors

SIZES = (10**5, 10**6, 10**7)


def rows():
    warm = np.random.default_rng(0).normal(size=70_000)
    for dtype in (np.float64, np.float32):  # compile
        radix_sort(warm.astype(dtype))
        radix_order(warm.astype(dtype))
    yield from orders()
    yield from values()
    if sorts_with_vectors():
        yield from without_vectors()


def samples(n):
    normal = np.random.default_rng(1).normal(size=n)
    yield f"{n:.0e}", normal
    yield f"{n:.0e} tied", normal.round(2)
    yield f"{n:.0e} float32", normal.astype(np.float32)


def orders():
    """Cases in ascending order with their values, stable, as every paired statistic needs them."""
    for n in SIZES:
        for size, scores in samples(n):
            mine, stable, default = alternate(
                lambda scores=scores: radix_order(scores),
                lambda scores=scores: scores[np.argsort(scores, kind="stable")],
                lambda scores=scores: scores[np.argsort(scores)],
                repeats=3,
            )
            what = "stable np.argsort / radix order"
            yield ratio_row(what, size, mine, stable, ">= 2", peer_over_ours=True)
            yield ratio_row("  default np.argsort / it", size, mine, default, "", peer_over_ours=True)


def values():
    for n in SIZES:
        for size, scores in samples(n):
            mine, peer = alternate(
                lambda scores=scores: radix_sort(scores.copy()),
                lambda scores=scores: np.sort(scores),
                repeats=3,
            )
            yield ratio_row("np.sort / radix sort of values", size, mine, peer, "", peer_over_ours=True)


_JOB = f"""
import json, sys
sys.path.insert(0, {str(Path(__file__).parent)!r})
import numpy as np
from bench_core import data, whole_job
from sklearn.metrics import roc_auc_score
from timing import alternate
from demur._kernels.radix import sorts_with_vectors
assert not sorts_with_vectors()
whole_job(*data(200_000))
y, s = data(10**7)
jobs = (lambda: whole_job(y, s), lambda: np.sort(s), lambda: roc_auc_score(y, s))
print(json.dumps(alternate(*jobs, repeats=2)))
"""


def without_vectors():
    """The whole analysis in a process in which NumPy is told to leave the vectors of this processor alone."""
    found = np.show_config(mode="dicts")["SIMD Extensions"].get("found", [])
    env = {**AS_INSTALLED, "NPY_DISABLE_CPU_FEATURES": " ".join(found)}
    ran = subprocess.run([sys.executable, "-c", _JOB], env=env, capture_output=True, text=True, check=False)
    if ran.returncode:
        yield ("whole analysis without vectors", "1e+07", "they cannot be switched off here", "", "", "")
        return
    mine, sort, peer = json.loads(ran.stdout)
    what = "sklearn roc_auc_score / whole analysis, no vectors"
    yield ratio_row(what, "1e+07", mine, peer, ">= 15, aim 25", peer_over_ours=True)
    yield ratio_row("  it / np.sort, no vectors", "1e+07", mine, sort, "")
