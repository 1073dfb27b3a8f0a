"""Time of response curves, as multiples of one np.argsort of as many values.

Targets: at most 6 for each metric at 10^6 cases of two classes, at most 20 for 10 classes and
10^5 cases. Run with ``python benchmarks/cautious.py``.
"""

import time

import numpy as np

from demur import response_curve, risk_coverage_curve

COSTS = {"accuracy": None, "error": None, "cost": True, "auc": None}


def _median(call, repeats):
    call()  # compiles, fills caches
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return float(np.median(times))


def _data(n, n_classes, seed=0):
    rng = np.random.default_rng(seed)
    if n_classes == 2:
        p = rng.random(n)
        return (rng.random(n) < p).astype(np.int64), np.column_stack([1 - p, p])
    proba = rng.dirichlet(np.full(n_classes, 0.5), n)
    return (rng.random(n)[:, None] > np.cumsum(proba, axis=1)[:, :-1]).sum(axis=1), proba


def _curves(y, proba):
    size = proba.shape[1]
    costs = np.vstack([1 - np.eye(size), np.full(size, 0.2)])

    def one(metric):
        return response_curve(y, proba, metric=metric, costs=costs if COSTS[metric] else None)

    def all_four():
        first = one("accuracy")
        for metric in ("error", "cost", "auc"):
            first.with_metric(metric, costs=costs if COSTS[metric] else None)

    calls = {metric: (lambda metric=metric: one(metric)) for metric in COSTS}
    return {**calls, "all four": all_four}


def rows(repeats=7):
    """Yield (what, n, seconds, multiple of one argsort, limit or None)."""
    for n, n_classes, limit in ((10**6, 2, 6.0), (10**5, 10, 20.0)):
        y, proba = _data(n, n_classes)
        values = np.ascontiguousarray(proba[:, 1])
        unit = _median(lambda values=values: np.argsort(values), repeats)
        yield f"argsort, {n_classes} classes", n, unit, 1.0, None
        for name, call in _curves(y, proba).items():
            seconds = _median(call, repeats)
            yield f"response {name}, {n_classes} classes", n, seconds, seconds / unit, limit
    y, proba = _data(10**6, 2)
    wrong, sure = (y != proba.argmax(axis=1)).astype(float), proba.max(axis=1)
    unit = _median(lambda: np.argsort(sure), repeats)
    seconds = _median(lambda: risk_coverage_curve(wrong, sure), repeats)
    yield "risk-coverage curve", 10**6, seconds, seconds / unit, None


if __name__ == "__main__":
    for what, n, seconds, multiple, limit in rows():
        verdict = "" if limit is None else f"  (limit {limit:g})"
        print(f"{what:32s} n={n:<9d}{seconds * 1e3:9.1f} ms {multiple:7.2f} argsorts{verdict}")
