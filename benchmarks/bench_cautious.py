"""Response curves at all break points, and selective risk, against one np.argsort of as many values."""

import numpy as np
from timing import alternate, ratio_row

from demur import response_curve, risk_coverage_curve

METRICS = ("accuracy", "error", "cost", "auc")


def data(n, n_classes, seed=0):
    rng = np.random.default_rng(seed)
    if n_classes == 2:
        p = rng.random(n)
        return (rng.random(n) < p).astype(np.int64), np.column_stack([1 - p, p])
    proba = rng.dirichlet(np.full(n_classes, 0.5), n)
    return (rng.random(n)[:, None] > np.cumsum(proba, axis=1)[:, :-1]).sum(axis=1), proba


def jobs(y, proba):
    """Each metric by a call of its own, and all four from one sort."""
    size = proba.shape[1]
    table = np.vstack([1 - np.eye(size), np.full(size, 0.2)])
    costs = {metric: table if metric == "cost" else None for metric in METRICS}

    def one(metric):
        return response_curve(y, proba, metric=metric, costs=costs[metric])

    def four():
        first = one("accuracy")
        return [first.with_metric(metric, costs=costs[metric]) for metric in METRICS[1:]]

    calls = {metric: (lambda metric=metric: one(metric)) for metric in METRICS}
    return {**calls, "all four together": four}


def rows(repeats=5):
    yield from two_classes(repeats)
    yield from ten_classes(repeats)
    y, proba = data(10**6, 2)
    wrong, sure = (y != proba.argmax(axis=1)).astype(float), proba.max(axis=1)
    mine, sort = alternate(
        lambda: risk_coverage_curve(wrong, sure), lambda: np.argsort(sure), repeats=repeats
    )
    yield ratio_row("risk-coverage curve / np.argsort", "1e+06", mine, sort, "")


def two_classes(repeats):
    yield from against_argsort(10**6, 2, "<= 6", repeats)


def ten_classes(repeats):
    """Hand and Till's AUC needs the order of every column, so ten argsorts before it counts a pair."""
    yield from against_argsort(10**5, 10, "<= 20", repeats)


def against_argsort(n, n_classes, asked, repeats):
    y, proba = data(n, n_classes)
    values = np.ascontiguousarray(proba[:, 1])
    for name, job in jobs(y, proba).items():
        job()  # compile
        mine, sort = alternate(job, lambda: np.argsort(values), repeats=repeats)
        what = f"response of {name}, {n_classes} classes / np.argsort"
        yield ratio_row(what, f"{n:.0e}", mine, sort, asked)
