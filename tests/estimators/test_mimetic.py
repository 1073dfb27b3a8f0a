"""Invented cases, C4.5 pruning and mimetic trees against definitions, recursion and invariants."""

import inspect
import itertools
import json
import math
import pickle
import sys
import types

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from demur import CostModel, DegenerateDataWarning, InputError, MimeticClassifier, direct_threshold
from demur.estimators import (
    DirectThresholdClassifier,
    LaplaceTreeClassifier,
    mimetic_configurations,
    mimetic_costs,
)
from demur.estimators.trees import added_errors, laplace_shares
from demur.unlabelled import (
    IntegerAttribute,
    NominalAttribute,
    NumericAttribute,
    SampledAttribute,
    invented_cases,
    ranking_threshold,
)
from demur.unlabelled.invented import class_quota, oracle_proba
from examples import examples
from reference_cases import cases, close

FILE = "thresholds.json"
SQUARE = [(0, 1), (0, 1)]


def slope(X):
    """A calibrated oracle on the unit square: P(positive) is the first attribute."""
    return X[:, 0]


def mimetic(oracle=slope, **options):
    options = {"ranges": SQUARE, "n_invented": 400, "random_state": 3} | options
    return MimeticClassifier(oracle, **options)


# ---------------------------------------------------------------- C4.5 pruning


@pytest.mark.parametrize("case", cases(FILE, "c45_leaf"))
def test_leaf_errors_and_shares_against_the_definition(case):
    data, expect, tol = case["input"], case["expected"], case["tol"]
    close(float(added_errors(data["N"], data["e"], data["CF"])), expect["added_errors"], tol)
    close(laplace_shares(np.array(data["counts"], dtype=float)).tolist(), expect["laplace"], tol)


def test_added_errors_by_hand():
    n, errors = [6, 9, 1, 16, 14, 10], [0, 0, 0, 1, 5, 0.5]
    expected = [1.237797, 1.284804, 0.75, 1.475715, 1.761120, 1.353528]
    assert added_errors(n, errors).tolist() == pytest.approx(expected, abs=1e-6)
    # one case, no error: 1 - 0.25; all wrong: nothing can be added
    assert added_errors([1, 3], [0, 3]).tolist() == [0.75, 0]


def pruned_by_recursion(tree, X, y):
    """Prune as the definition says, carrying the cases down; return a predictor of class counts."""
    grown = tree.tree_.tree_

    def build(node, rows):
        counts = np.array([np.sum(y[rows] == label) for label in tree.classes_], dtype=float)
        wrong = counts.sum() - counts.max()
        as_leaf = wrong + float(added_errors(counts.sum(), wrong))
        if grown.children_left[node] < 0:
            return as_leaf, lambda row: counts
        goes_left = X[rows, grown.feature[node]] <= grown.threshold[node]
        left_error, left = build(grown.children_left[node], rows[goes_left])
        right_error, right = build(grown.children_right[node], rows[~goes_left])
        if as_leaf <= left_error + right_error + 0.1:
            return as_leaf, lambda row: counts
        column, value = grown.feature[node], grown.threshold[node]
        return left_error + right_error, lambda row: (left if row[column] <= value else right)(row)

    return build(0, np.arange(len(y)))[1]


@given(st.integers(0, 10_000), st.integers(5, 80))
@settings(max_examples=examples(40), deadline=None)
def test_pruning_against_recursion(seed, n):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 6, (n, 3)).astype(float)
    y = (X[:, 0] + rng.normal(0, 2, n) > 3).astype(int)
    y[:2] = 0, 1
    tree = LaplaceTreeClassifier(random_state=0).fit(X, y)
    counts_of = pruned_by_recursion(tree, X, y)
    expected = laplace_shares(np.array([counts_of(row) for row in X]))
    assert tree.predict_proba(X) == pytest.approx(expected, abs=1e-12)
    unpruned = LaplaceTreeClassifier(prune="none", random_state=0).fit(X, y)
    assert tree.n_leaves_ <= unpruned.n_leaves_ == unpruned.tree_.get_n_leaves()


@given(st.integers(0, 10_000), st.sampled_from(["c45", "none"]))
@settings(max_examples=examples(30), deadline=None)
def test_exactly_one_rule_holds_for_any_case(seed, prune):
    rng = np.random.default_rng(seed)
    X, y = rng.random((60, 3)).astype(np.float32), rng.integers(0, 3, 60)
    tree = LaplaceTreeClassifier(prune=prune, random_state=0).fit(X, y)
    new = rng.random((40, 3)).astype(np.float32)
    proba = tree.predict_proba(new)
    for row, shares in zip(new, proba, strict=True):
        hits = [r for r in tree.rules() if all(a < row[k] <= b for k, (a, b) in r.bounds.items())]
        assert len(hits) == 1
        assert hits[0].proba == pytest.approx(shares)
    assert sum(rule.counts.sum() for rule in tree.rules()) == 60


def test_leaf_shares_against_sklearn_leaves():
    rng = np.random.default_rng(1)
    X, y = rng.random((300, 4)), rng.integers(0, 2, 300)
    tree = LaplaceTreeClassifier(prune="none", random_state=0).fit(X, y)
    plain = DecisionTreeClassifier(criterion="entropy", min_samples_leaf=2, random_state=0).fit(X, y)
    leaf = plain.apply(X)
    for node in np.unique(leaf):
        inside = y[leaf == node]
        expected = (np.sum(inside == 1) + 1) / (len(inside) + 2)
        assert tree.predict_proba(X[leaf == node])[:, 1] == pytest.approx(expected)


def test_absent_class_gets_its_laplace_share():
    tree = LaplaceTreeClassifier(classes=[0, 1]).fit([[1.0], [2.0], [3.0]], [1, 1, 1])
    assert tree.predict_proba([[5.0]]).tolist() == [pytest.approx([1 / 5, 4 / 5])]
    assert tree.explain() == "always: 1 (0.80, 3 cases)"


# ---------------------------------------------------------------- invented cases


@pytest.mark.parametrize("case", cases(FILE, "invented_counts"))
def test_quotas_against_the_definition(case):
    data, expect = case["input"], case["expected"]
    assert class_quota(data["n"], "prior", prevalence=data["prior0"]) == expect["a0"]
    assert class_quota(data["n"], "balanced") == expect["b0"]
    assert class_quota(data["n"], "oversampling", mu=data["skew"]) == expect["d0"]
    assert class_quota(data["n"], "random") is None


SCHEMA = {
    "dose": NumericAttribute(-2, 3),
    "visits": IntegerAttribute(1, 4),
    "ward": NominalAttribute(("a", "b", "c"), (0.5, 0.5, 0.0)),
    "only": NominalAttribute(("x",)),
    "known": SampledAttribute(lambda rng, n: rng.normal(size=n)),
}


def dose_is_high(X):
    return (X[:, 0].astype(float) > 2) & (X[:, 2] == "b")


@pytest.mark.parametrize(
    ("data", "options", "positives"),
    [("prior", {"prevalence": 0.3}, 60), ("balanced", {}, 100), ("oversampling", {"mu": 4}, 40)],
)
def test_invented_cases_fill_the_quotas_and_stay_in_the_ranges(data, options, positives):
    found = invented_cases(dose_is_high, SCHEMA, 200, data=data, rng=5, **options)
    assert (len(found.X), int(found.positive.sum())) == (200, positives)
    dose, visits, ward, only, _ = found.X.T
    assert min(dose) >= -2
    assert max(dose) <= 3
    assert set(visits) <= {1.0, 2.0, 3.0, 4.0}
    assert set(ward) == {"a", "b"}
    assert set(only) == {"x"}
    assert np.array_equal(found.positive, dose_is_high(found.X))
    assert np.array_equal(found.proba >= 0.5, found.positive)
    again = invented_cases(dose_is_high, SCHEMA, 200, data=data, rng=5, **options)
    assert np.array_equal(found.X, again.X)
    # shuffled: the positives are not in one run
    assert 0 < found.positive[:100].sum() < positives


def test_uniform_ranges_against_theory():
    schema = [NumericAttribute(-1, 3), IntegerAttribute(0, 4)]
    X = invented_cases(lambda X: np.full(len(X), 0.5), schema, 40_000, rng=0).X
    assert X.mean(axis=0) == pytest.approx([1, 2], abs=0.03)
    assert X.var(axis=0) == pytest.approx([16 / 12, 2], abs=0.04)


class CountingOracle:
    """Always negative; counts how many cases it was asked about."""

    def __init__(self):
        self.asked = 0

    def __call__(self, X):
        self.asked += len(X)
        return np.zeros(len(X))


def test_class_the_oracle_never_predicts_stops_with_a_message():
    oracle = CountingOracle()
    with pytest.warns(
        DegenerateDataWarning, match="called 0 of 10000 invented cases positive, but 25 are needed"
    ):
        found = invented_cases(oracle, [NumericAttribute(0, 1)], 50, data="balanced", rng=0)
    assert oracle.asked == found.drawn == 200 * 50
    assert len(found.X) == 50
    assert not found.positive.any()
    with pytest.raises(InputError, match="widen the ranges"):
        invented_cases(
            oracle, [NumericAttribute(0, 1)], 50, data="balanced", rng=0, on_shortage="error", max_draws=100
        )


def test_rare_class_is_repeated_with_a_warning():
    with pytest.warns(DegenerateDataWarning, match="They are repeated"):
        found = invented_cases(
            lambda X: X[:, 0] > 0.95, [NumericAttribute(0, 1)], 100, data="balanced", rng=0, max_draws=200
        )
    assert int(found.positive.sum()) == 50
    assert len(np.unique(found.X[found.positive])) < 50
    assert len(np.unique(found.X[~found.positive])) == 50


def test_oracles_of_every_kind_agree():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 2))
    y = np.where(X[:, 0] > 0, "yes", "no")
    model = LogisticRegression().fit(X, y)
    proba = model.predict_proba(X)
    assert oracle_proba(model, X) == pytest.approx(proba[:, 1])
    assert oracle_proba(model, X, pos_label="no") == pytest.approx(proba[:, 0])
    assert oracle_proba(model.predict_proba, X) == pytest.approx(proba[:, 1])
    single = oracle_proba(lambda X: proba.astype(np.float32), X)
    assert single == pytest.approx(proba[:, 1], abs=1e-6)

    class Hard:
        classes_ = model.classes_

        def predict(self, X):
            return model.predict(X)

    assert oracle_proba(Hard(), X).tolist() == (model.predict(X) == "yes").astype(float).tolist()
    assert oracle_proba(Hard(), X, pos_label="no").sum() == np.sum(model.predict(X) == "no")


def test_oracle_fitted_on_a_frame_gets_a_frame(monkeypatch):
    class Frame(dict):
        def infer_objects(self):
            return self

        def __len__(self):
            return len(self["dose"])

    class Named:
        feature_names_in_ = np.array(["dose", "age"])
        classes_ = np.array([0, 1])

        def predict_proba(self, X):
            p = X["dose"] / 2
            return np.column_stack([1 - p, p])

    monkeypatch.setitem(sys.modules, "pandas", types.SimpleNamespace(DataFrame=Frame))
    by_name = {"age": NumericAttribute(5, 6), "dose": NumericAttribute(0, 1)}
    assert invented_cases(Named(), by_name, 20, rng=0).proba.max() <= 0.5
    by_place = [NumericAttribute(0, 1), NumericAttribute(5, 6)]
    assert invented_cases(Named(), by_place, 20, rng=0).proba.max() <= 0.5


# ---------------------------------------------------------------- configurations and invariants


def test_configurations_against_paper():
    found = mimetic_configurations()
    assert len(found) == 22
    assert sum(name.startswith("Mim0") for name in found) == 3
    assert sum(name.startswith("Mim1") for name in found) == 9
    assert sum(name.startswith("Mim2") for name in found) == 9
    assert found["Mim3"] == {"scheme": 3, "data": "oversampling", "threshold": "direct"}
    for name, options in found.items():
        assert mimetic(**options).name == name


@pytest.mark.parametrize("name", sorted(mimetic_configurations()))
def test_every_configuration_fits_predicts_and_explains(name):
    model = mimetic(**mimetic_configurations()[name], costs=CostModel(cost_fp=3), prevalence=0.4).fit()
    X = np.random.default_rng(0).random((50, 2))
    proba = model.predict_proba(X)
    assert proba.sum(axis=1) == pytest.approx(np.ones(50))
    called = proba[:, 1] >= model.decision_.threshold - 1e-12
    assert model.predict(X).tolist() == called.astype(int).tolist()
    assert model.explain().count("\n") + 1 == model.tree_.n_leaves_
    assert model.fidelity_ > 0.9
    # the oracle is the first attribute: the tree finds the wanted cut there
    cut = {"Mim1Dir": None, "Mim2Dir": 0.75, "Mim0": 0.5, "Mim3": 0.5}.get(name.rstrip("abc"))
    if cut is not None:
        assert np.mean(model.predict(X) == (X[:, 0] >= cut)) >= 0.94


@pytest.mark.parametrize("data", ["prior", "balanced", "random"])
def test_scheme_2_direct_at_equal_costs_is_scheme_0(data):
    # invariant i of the specification: the paper's table 2 prints the same costs twice
    zero = mimetic(scheme=0, data=data, prevalence=0.3).fit()
    two = mimetic(scheme=2, data=data, prevalence=0.3).fit()
    assert zero.explain() == two.explain()


@pytest.mark.parametrize("data", ["prior", "balanced", "random"])
def test_scheme_1_variants_share_one_tree(data):
    found = [
        mimetic(scheme=1, data=data, threshold=rule, prevalence=0.3, costs=CostModel(cost_fp=mu)).fit()
        for rule in ("direct", "ranking", "roc")
        for mu in (1, 7)
    ]
    X = np.random.default_rng(0).random((100, 2))
    first = found[0].predict_proba(X)
    assert all(np.array_equal(model.predict_proba(X), first) for model in found)


@pytest.mark.parametrize("scheme", [1, 2])
def test_costs_enter_only_through_mu(scheme):
    plain = mimetic(scheme=scheme, threshold="ranking", costs=CostModel(cost_fp=2)).fit()
    scaled = mimetic(
        scheme=scheme, threshold="ranking", costs=CostModel(cost_fn=3, cost_fp=4, cost_tp=1)
    ).fit()
    assert plain.explain() == scaled.explain()


@pytest.mark.parametrize("rule", ["direct", "ranking", "roc"])
def test_dearer_false_alarms_never_add_positives_in_scheme_1(rule):
    X = np.random.default_rng(0).random((300, 2))
    calls = [
        mimetic(wobbly, scheme=1, threshold=rule, costs=CostModel(cost_fp=mu)).fit().predict(X)
        for mu in (0.2, 1, 3, 10)
    ]
    for before, after in itertools.pairwise(calls):
        assert np.all(before >= after)


def wobbly(X):
    return 0.5 + 0.4 * np.sin(5 * X[:, 0]) * np.cos(4 * X[:, 1])


def test_scheme_2_teaches_the_ranking_rule_with_split_ties():
    # an oracle with three levels: the threshold falls on a tie
    steps = lambda X: np.floor(X[:, 0] * 3) / 2  # noqa: E731
    model = mimetic(steps, scheme=2, threshold="ranking", data="random", costs=CostModel(cost_fp=1)).fit()
    assert model.labelling_.threshold == 0.5
    assert 0 < model.labelling_.tie_share < 1
    found = invented_cases(steps, [NumericAttribute(0, 1)] * 2, 400, rng=3)
    assert model.labelling_.tie_share == ranking_threshold(found.proba, mu=1).tie_share


def test_single_class_after_relabelling_is_one_leaf_by_hand():
    timid = lambda X: np.full(len(X), 0.6)  # noqa: E731
    model = mimetic(timid, data="random", costs=CostModel(cost_fp=9), n_invented=98).fit()
    assert model.predict_proba([[0.5, 0.5]]).tolist() == [pytest.approx([99 / 100, 1 / 100])]
    assert model.explain() == "always: 0 (0.99, 98 cases)"
    plain = mimetic(
        timid, data="random", costs=CostModel(cost_fp=9), tree=DecisionTreeClassifier(max_depth=2)
    ).fit()
    assert plain.predict_proba([[0.5, 0.5]]).tolist() == [[1, 0]]


# ---------------------------------------------------------------- attributes


def test_nominal_attributes_in_rules():
    schema = {
        "ward": NominalAttribute(("a", "b", "c")),
        "smoker": NominalAttribute(("no", "yes")),
        "only": NominalAttribute(("x",)),
    }
    rule = lambda X: (X[:, 0] == "b") & (X[:, 1] == "yes")  # noqa: E731
    model = mimetic(rule, ranges=None, schema=schema).fit()
    text = model.explain()
    assert "ward is b" in text
    assert "smoker is yes" in text
    assert "ward is not b" in text
    X = np.array([["b", "yes", "x"], ["b", "no", "x"], ["a", "yes", "x"]], dtype=object)
    assert model.predict(X).tolist() == [1, 0, 0]
    with pytest.raises(InputError, match=r"`X column ward` must be one of \['a', 'b', 'c'\], got 'd'"):
        model.predict(np.array([["d", "yes", "x"]], dtype=object))


def test_nominal_attribute_with_one_value_alone():
    only = {"only": NominalAttribute(("x",))}
    model = mimetic(lambda X: np.full(len(X), 0.9), ranges=None, schema=only, data="random").fit()
    assert model.predict(np.array([["x"]], dtype=object)).tolist() == [1]
    assert model.explain().startswith("always: 1")


def test_ranges_are_taken_from_the_training_cases():
    X = np.array([[0, 10.5], [4, 20.0]])
    model = MimeticClassifier(lambda X: X[:, 0] > 2, n_invented=50, random_state=0).fit(X, [0, 1])
    assert model.attributes_ == (NumericAttribute(0.0, 4.0), NumericAttribute(10.5, 20.0))
    mixed = np.array([[1, "a"], [5, "b"]], dtype=object)
    model = MimeticClassifier(lambda X: X[:, 1] == "a", n_invented=50, random_state=0).fit(mixed, [1, 0])
    assert model.attributes_ == (IntegerAttribute(1, 5), NominalAttribute(("a", "b")))


def test_prevalence_is_taken_from_the_labels():
    X, y = np.random.default_rng(0).random((10, 2)), [1] * 3 + [0] * 7
    model = mimetic(scheme=0, data="prior").fit(X, y)
    assert model.tree_.counts_[0].tolist() == [280, 120]
    assert mimetic(scheme=0, data="prior").fit(y=y).tree_.counts_[0].tolist() == [280, 120]


# ---------------------------------------------------------------- the estimator protocol


def test_labels_of_the_oracle_are_kept():
    rng = np.random.default_rng(0)
    X = rng.random((300, 2))
    y = np.where(X[:, 0] + rng.normal(0, 0.1, 300) > 0.5, "bad", "good")
    oracle = GaussianNB().fit(X, y)
    # "good" is the second class in order; "bad" is said to be the positive one
    for pos_label, other in (("bad", "good"), ("good", "bad")):
        model = mimetic(oracle, pos_label=pos_label, costs=CostModel(cost_fp=20)).fit()
        cautious = np.mean(model.predict(X) == pos_label)
        eager = mimetic(oracle, pos_label=pos_label, costs=CostModel(cost_fn=20)).fit()
        assert cautious < np.mean(oracle.predict(X) == pos_label) < np.mean(eager.predict(X) == pos_label)
        assert set(model.predict(X)) == {pos_label, other}
        column = model.classes_.tolist().index(pos_label)
        assert np.array_equal(model.predict_proba(X)[:, column] >= 0.5, model.predict(X) == pos_label)


def test_clones_share_the_oracle_and_grid_search_works():
    rng = np.random.default_rng(0)
    X = rng.random((120, 2))
    y = (X[:, 0] > 0.5).astype(int)
    oracle = GaussianNB().fit(X, y)
    model = mimetic(oracle)
    copy = clone(model)
    assert copy.oracle is oracle
    assert copy is not model
    search = GridSearchCV(model, {"scheme": [0, 2], "threshold": ["direct", "roc"]}, cv=3).fit(X, y)
    assert search.best_score_ > 0.9
    again = pickle.loads(pickle.dumps(search.best_estimator_))
    assert np.array_equal(again.predict(X), search.predict(X))


def test_same_seed_same_tree():
    assert mimetic(wobbly).fit().explain() == mimetic(wobbly).fit().explain()
    assert mimetic(wobbly).fit().explain() != mimetic(wobbly, random_state=4).fit().explain()


def test_every_option_is_keyword_only():
    parameters = list(inspect.signature(MimeticClassifier).parameters.values())
    assert [p.name for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD] == ["oracle"]


# ---------------------------------------------------------------- the baseline and all side by side


def test_oracle_at_the_direct_threshold_by_hand():
    model = DirectThresholdClassifier(slope, costs=CostModel(cost_fp=3)).fit()
    assert model.decision_.threshold == 0.75
    X = np.array([[0.74, 0], [0.75, 0], [0.9, 0]])
    assert model.predict(X).tolist() == [0, 1, 1]
    assert model.predict_proba(X)[:, 1].tolist() == [0.74, 0.75, 0.9]
    assert clone(model).oracle is slope


def calibrated(n=3000, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.random((n, 2))
    return X, rng.random(n) < X[:, 0]


def test_costs_of_all_configurations_on_calibrated_data():
    X, y = calibrated()
    found = mimetic_costs(slope, X, y, ranges=SQUARE, mu=[1, 5], prevalence=0.5, n_invented=300)
    assert found.names[:22] == tuple(mimetic_configurations())
    assert found.names[22:] == ("oracle at 0.5", "oracle, direct")
    assert found.cost.shape == found.accuracy.shape == found.auc.shape == (24, 2)
    # the oracle ranks alike whatever the costs, and here as well as can be
    assert found.auc[-1] == pytest.approx(np.full(2, found.auc[-2, 0]))
    assert np.all((found.auc > 0.4) & (found.auc <= found.auc[-1] + 1e-3))
    row = dict(zip(found.names, found.cost, strict=True))
    # the oracle is calibrated: no rule is cheaper than it at the direct threshold, sampling aside
    best = row["oracle, direct"]
    assert np.all(found.cost >= best - 0.02)
    expected = [1 / 4, 5 / 12]  # integral of min(p, mu (1 - p)) = mu / (2 (1 + mu))
    assert best == pytest.approx(expected, abs=0.02)
    json.dumps(found.to_dict(), allow_nan=False)
    # findings of the paper that do hold: with dear false alarms schemes 2 and 3 beat scheme 0
    for data in "abc":
        assert row[f"Mim2Dir{data}"][1] < row["Mim3"][1] < row[f"Mim0{data}"][1]
    assert found.best(5) in found.names
    called = direct_threshold(mu=5.0).decide(X[:, 0]) == 1
    by_hand = np.mean(5 * (called & ~y) + (~called & y))
    assert best[1] == pytest.approx(by_hand)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: mimetic(scheme=4).fit(), "`scheme` must be 0, 1, 2 or 3"),
        (lambda: mimetic(scheme=3).fit(), '`data` must be "oversampling" for scheme 3'),
        (lambda: mimetic(data="oversampling").fit(), "with scheme 2"),
        (lambda: mimetic(data="fair").fit(), "`data` must be one of 'prior', 'balanced'"),
        (lambda: mimetic(threshold="nroc").fit(), "`threshold` must be one of 'direct', 'ranking', 'roc'"),
        (lambda: mimetic(data="prior").fit(), "`prevalence` is needed"),
        (lambda: mimetic(ranges=None).fit(), "`ranges` or `schema`, or else the X of fit"),
        (lambda: mimetic(schema=[NumericAttribute(0, 1)]).fit(), "`schema` must be left out"),
        (lambda: mimetic(ranges=[(1, 0)]).fit(), r"`ranges\[0\]` must be a pair with low <= high"),
        (lambda: mimetic(ranges=[(0, math.inf)]).fit(), r"`ranges\[0\]` must be finite"),
        (lambda: mimetic(ranges=[]).fit(), "`ranges` must hold at least one pair"),
        (lambda: mimetic(ranges=3).fit(), "`ranges` must be pairs"),
        (lambda: mimetic(ranges=[(0, 1)]).fit([[1.0, 2.0]]), "`X` must have 1 columns, got 2"),
        (lambda: mimetic(n_invented=0).fit(), "`n_invented` must be a whole number"),
        (lambda: mimetic(costs=3).fit(), "`costs` must be a CostModel"),
        (lambda: mimetic(pos_label=7).fit(), r"`pos_label` must be one of the classes \[0, 1\]"),
        (lambda: mimetic(3).fit(), "`oracle` must be a fitted classifier or a function"),
        (lambda: mimetic(lambda X: np.full((len(X), 2), 0.4)).fit(), "rows that sum to 1, got 0.8"),
        (lambda: mimetic(lambda X: np.full(len(X), 1.4)).fit(), r"`oracle\(X\)` must lie in \[0, 1\]"),
        (lambda: mimetic(lambda X: [0.2]).fit(), "must answer each of the 400 cases, got 1"),
        (lambda: mimetic(lambda X: np.full((len(X), 3), 1 / 3)).fit(), "must have 2 columns"),
        (lambda: mimetic().fit([[0.1, 0.2]] * 3, [0, 1, 2]), "Only binary classification is supported"),
        (lambda: mimetic(on_shortage="pray").fit(), "`on_shortage` must be one of"),
        (lambda: mimetic(max_draws=10).fit(), "`max_draws` must be a whole number of at least 400"),
        (lambda: NumericAttribute(2, 1), "low <= high"),
        (lambda: NumericAttribute(-1e308, 1e308), "must span a finite range"),
        (lambda: IntegerAttribute(0, 1.5), "must be whole numbers"),
        (lambda: NominalAttribute(()), "`values` must be distinct, at least one"),
        (lambda: NominalAttribute(("a", "a")), "`values` must be distinct"),
        (lambda: NominalAttribute("abc"), "`values` must be a sequence"),
        (lambda: NominalAttribute(([1], [2])), "`values` must be numbers or names"),
        (lambda: NominalAttribute(("a", "b"), (0.5, 0.4)), "`probabilities` must sum to 1"),
        (lambda: invented_cases(slope, [(0, 1)], 5), r"`schema\[x0\]` must be a Numeric-"),
        (lambda: invented_cases(slope, {}, 5), "`schema` must hold at least one attribute"),
        (lambda: invented_cases(slope, "abc", 5), "`schema` must be a sequence or mapping"),
        (
            lambda: invented_cases(slope, [SampledAttribute(lambda rng, n: [1.0])], 5),
            "must return n = 5 numbers",
        ),
        (lambda: mimetic_costs(slope, [[0.1, 0.2]], [1], ranges=SQUARE, configurations=["Mim9"]), "Mim0a"),
        (lambda: mimetic(tree=DecisionTreeClassifier()).fit().explain(), "must be a LaplaceTreeClassifier"),
        (lambda: LaplaceTreeClassifier(prune="ccp").fit([[0], [1]], [0, 1]), "`prune` must be one of"),
        (lambda: LaplaceTreeClassifier(classes=[0]).fit([[0], [1]], [0, 1]), "`classes` must hold every"),
        (lambda: LaplaceTreeClassifier().fit([[0], [1]], [0, 1]).explain(["a", "b"]), "must name 1 columns"),
    ],
)
def test_error_sentences(call, message):
    with pytest.raises(InputError, match=message):
        call()
