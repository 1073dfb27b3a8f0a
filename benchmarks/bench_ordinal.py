"""Volume under the ordinal ROC surface against one argsort; exact variances; multi-class AUC."""

import numpy as np
from sklearn.metrics import roc_auc_score
from timing import alternate, ratio_row, seconds

from demur import hand_till_auc, ordinal_roc


def data(n, r, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, r, n)
    return y, rng.normal(size=n) + y


def rows():
    yield from volumes()
    yield from variances()
    yield from classes()


def volumes():
    ordinal_roc(*data(200_000, 5)).interval()  # compile
    for n, r in ((10**5, 5), (10**6, 5), (10**6, 20)):
        y, s = data(n, r)
        mine, sort = alternate(lambda y=y, s=s: ordinal_roc(y, s).vus(), lambda s=s: np.argsort(s))
        yield ratio_row(f"VUS, {r} levels / argsort", f"{n:.0e}", mine, sort, "<= 4")
    y, s = data(10**6, 5)
    tied = np.round(s, 2)
    mine, sort = alternate(lambda: ordinal_roc(y, tied).vus(), lambda: np.argsort(tied))
    yield ratio_row("  the same, tied scores", "1e+06", mine, sort, "<= 4")
    mine, sort = alternate(lambda: ordinal_roc(y, s).measures(), lambda: np.argsort(s))
    yield ratio_row("VUS, Cons, Ovo, Pairs, 5 levels / argsort", "1e+06", mine, sort, "")
    mine, sort = alternate(lambda: ordinal_roc(y, s).interval(), lambda: np.argsort(s))
    yield ratio_row("VUS with interval, 5 levels / argsort", "1e+06", mine, sort, "")


def variances():
    y, s = data(3000, 3)
    for method in ("bootstrap", "unbiased"):
        (mine,) = alternate(lambda method=method: ordinal_roc(y, s).variance(method), repeats=2)
        yield (f"exact {method} variance of VUS, 3 levels", "3e+03", seconds(mine), "", "", "")


def classes():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 5, 10**5)
    proba = rng.dirichlet(np.ones(5), len(y))
    mine, peer = alternate(
        lambda: hand_till_auc(y, proba).interval(),
        lambda: roc_auc_score(y, proba, multi_class="ovo"),
        repeats=2,
    )
    what = "sklearn roc_auc_score(ovo) / Hand-Till with interval"
    yield ratio_row(what, "1e+05, 5", mine, peer, ">= 1", peer_over_ours=True)
