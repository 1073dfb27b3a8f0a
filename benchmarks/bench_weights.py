"""Class weights: speed of the searches, and training cost against GA and differential evolution."""

import numpy as np
from sklearn.datasets import load_digits, load_iris, load_wine, make_classification
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB
from timing import alternate, ratio_row, seconds

from demur import optimize_weights

PEERS = ("ga", "ga-solff", "de")


def rows():
    yield from exact()
    yield from coordinate()
    yield from against_peers()


def noisy(n, m, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, m, n)
    g = rng.normal(size=(n, m))
    g[np.arange(n), y] += 1
    return g, y, random_costs(m, rng)


def random_costs(m, rng):
    return rng.integers(1, 11, (m, m)) * (1.0 - np.eye(m))


def exact():
    optimize_weights(*noisy(300, 3), log=True)  # compile
    for n, limit in ((1000, 0.5), (5000, 8)):
        case = noisy(n, 3)
        (mine,) = alternate(lambda case=case: optimize_weights(*case, log=True), repeats=3 if n < 5000 else 1)
        yield ("exact optimum, three classes", f"n={n}", seconds(mine), "", "", f"<= {limit:g} s")


def coordinate():
    case = noisy(10**4, 10)
    run = lambda: optimize_weights(*case, log=True, method="coordinate")  # noqa: E731
    run()
    (mine,) = alternate(run, repeats=3)
    yield ("coordinate search", "n=1e4, m=10", seconds(mine), "", "", "<= 0.3 s")


def problems():
    """Data sets of the specification: scores on the training half, several random cost matrices."""
    wine, wine_y = load_wine(return_X_y=True)
    sets = {
        "wine2f": (wine[:, :2], wine_y),
        "wine": (wine, wine_y),
        "iris": load_iris(return_X_y=True),
        "mc3": make(600, 10, 4, 4, 3, 0.7, 1, weights=[0.6, 0.25, 0.15]),
        "mc5": make(1000, 12, 6, 4, 5, 0.8, 2),
        "mc8": make(1600, 16, 8, 4, 8, 0.9, 3),
        "digits": load_digits(return_X_y=True),
    }
    for name, (x, y) in sets.items():
        x, _, y, _ = train_test_split(x, y, test_size=0.5, stratify=y, random_state=0)
        g = GaussianNB(var_smoothing=1e-3).fit(x, y).predict_joint_log_proba(x)
        m = g.shape[1]
        matrices = [
            random_costs(m, np.random.default_rng(100 + c)) for c in range(3 if name == "digits" else 4)
        ]
        yield name, g, y, matrices


def make(n, features, informative, redundant, m, sep, seed, **options):
    return make_classification(
        n,
        features,
        n_informative=informative,
        n_redundant=redundant,
        n_classes=m,
        n_clusters_per_class=2,
        class_sep=sep,
        random_state=seed,
        **options,
    )


def against_peers():
    for name, g, y, matrices in problems():
        runs = {m: [measured(g, y, costs, m) for costs in matrices] for m in ("restarts", *PEERS)}
        size = f"{name} n={len(y)} m={g.shape[1]}"
        ours, time = zip(*runs["restarts"], strict=True)
        for peer in PEERS:
            theirs, slow = zip(*runs[peer], strict=True)
            worse = sum(a > b + 1e-9 for a, b in zip(ours, theirs, strict=True))
            yield (
                f"training cost: restarts (100) / {peer}",
                size,
                f"{np.mean(ours):.4f}",
                f"{np.mean(theirs):.4f}",
                f"worse in {worse} of {len(ours)}",
                "never worse",
            )
            asked = ">= 10 on the larger" if peer == "ga" else ""
            yield ratio_row(
                f"  time: {peer} / all 100 restarts",
                size,
                np.mean(time),
                np.mean(slow),
                asked,
                peer_over_ours=True,
            )
            enough = [
                time_to_reach(g, y, costs, value) for costs, value in zip(matrices, theirs, strict=True)
            ]
            yield ratio_row(
                f"  time: {peer} / restarts until not worse",
                size,
                np.mean(enough),
                np.mean(slow),
                asked,
                peer_over_ours=True,
            )


def measured(g, y, costs, method, **options):
    found = []
    (time,) = alternate(
        lambda: found.append(optimize_weights(g, y, costs, log=True, method=method, rng=0, **options)),
        repeats=2,
    )
    return found[0].objective, time


def time_to_reach(g, y, costs, value):
    """Seconds of the fewest restarts, of those tried, that cost no more than `value`."""
    for n_restarts in (0, 1, 3, 10, 30, 100):
        objective, time = measured(g, y, costs, "restarts", n_restarts=n_restarts)
        if objective <= value + 1e-9:
            break
    return time
