"""Mimetic trees against the oracle's own predictions plus scikit-learn's tree; thresholds against a sort."""

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier
from timing import alternate, ratio_row

from demur import CostModel, MimeticClassifier, adjust_prevalence, direct_threshold
from demur.unlabelled import nroc_curve, nroc_threshold, ranking_threshold

N, ATTRIBUTES = 100_000, 20
COSTS = CostModel(cost_fp=3)
ASKED = {"NROC curve": "<= 16", "new prevalence": "<= 2.8"}


def oracles():
    rng = np.random.default_rng(0)
    X = rng.random((2000, ATTRIBUTES))
    y = X[:, :3].sum(axis=1) + rng.normal(0, 0.3, 2000) > 1.5
    yield "naive Bayes", GaussianNB().fit(X, y)
    yield "random forest", RandomForestClassifier(50, random_state=0).fit(X, y)


def rows():
    yield from mimetic()
    yield from thresholds()


def mimetic():
    """Asked: at most 3 x (one prediction of n cases by the oracle + scikit-learn's tree fit)."""
    X = np.random.default_rng(1).random((N, ATTRIBUTES))
    for name, oracle in oracles():
        plain = DecisionTreeClassifier(criterion="entropy", min_samples_leaf=2, random_state=0)
        for configuration in ({"data": "balanced"}, {"scheme": 1, "threshold": "ranking"}):
            model = MimeticClassifier(
                oracle,
                ranges=[(0, 1)] * ATTRIBUTES,
                costs=COSTS,
                n_invented=N,
                random_state=0,
                **configuration,
            )
            # the labels this model's tree learns from, on as many cases
            labels = model.fit().labelling_.decide(oracle.predict_proba(X)[:, 1])

            def peer(oracle=oracle, plain=plain, labels=labels):
                oracle.predict_proba(X)
                plain.fit(X, labels)

            mine, theirs = alternate(model.fit, peer, repeats=2)
            yield ratio_row(f"{model.name}, {name} / oracle + tree", f"{N:.0e}", mine, theirs, "<= 3")


def thresholds():
    proba = np.random.default_rng(2).beta(2, 5, 10**6)
    calls = {
        "three thresholds": lambda: (
            direct_threshold(COSTS),
            ranking_threshold(proba, COSTS),
            nroc_threshold(proba, COSTS),
        ),
        "NROC curve": lambda: nroc_curve(proba),
        "new prevalence": lambda: adjust_prevalence(proba, prevalence=0.5),
    }
    for name, call in calls.items():
        call()
        mine, sort = alternate(call, lambda: np.sort(proba), repeats=3)
        yield ratio_row(f"{name} / np.sort", "1e+06", mine, sort, ASKED.get(name, ""))
