"""Clusters and times in classifiers that learn from out-of-fold scores: who is fitted to what, who judges."""

import numpy as np
import pytest
import sklearn
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    GroupKFold,
    GroupShuffleSplit,
    StratifiedGroupKFold,
    StratifiedKFold,
    TimeSeriesSplit,
    cross_validate,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from demur import (
    ABSTAIN,
    AbstainingClassifier,
    CaseCosts,
    CautiousClassifier,
    CostModel,
    CostWeightedClassifier,
    DegenerateDataWarning,
    DelegatingClassifier,
    InputError,
    Precision,
    ReliableClassifier,
    compare_models,
)
from demur.estimators import CautiousEnsemble, GuardedClassifier

COSTS = CostModel(cost_fn=10, cost_fp=10, cost_abstain=2.5)
SIZE = 320


class Spy(ClassifierMixin, BaseEstimator):
    """The second feature is the score, the first the row; notes which rows were fitted and scored."""

    seen: list = []  # noqa: RUF012 - clones share it

    def fit(self, X, y=None):
        self.classes_, self.rows_ = np.array([0, 1]), np.asarray(X)[:, 0].astype(int)
        return self

    def predict_proba(self, X):
        rows = np.asarray(X)[:, 0].astype(int)
        Spy.seen.append((self.rows_, rows))
        positive = 1 / (1 + np.exp(-np.asarray(X)[:, 1]))
        return np.column_stack([1 - positive, positive])

    def score_samples(self, X):
        return -np.abs(self.predict_proba(X)[:, 1] - 0.5)


@pytest.fixture(autouse=True)
def fresh():
    Spy.seen.clear()


@pytest.fixture(scope="module")
def data():
    """Forty clusters of eight whose cases are alike, in random order."""
    rng = np.random.default_rng(4)
    group = rng.permutation(np.repeat(np.arange(40), 8))
    y = (rng.random(SIZE) < np.where(rng.random(40) < 0.4, 0.8, 0.1)[group]).astype(int)
    score = 1.5 * y + 0.7 * rng.normal(size=40)[group] + 0.7 * rng.normal(size=SIZE)
    return np.column_stack([np.arange(SIZE), score]), y, group, rng.permutation(SIZE)


def classifiers(inner=Spy):
    """One of each kind."""
    return {
        "abstaining": AbstainingClassifier(inner(), costs=COSTS),
        "limited": AbstainingClassifier(inner(), costs=COSTS, max_abstention=0.2),
        "cautious": CautiousClassifier(inner(), max_abstention=0.2),
        "reliable": ReliableClassifier(inner(), positive=Precision(0.8), negative=Precision(0.8)),
        "guarded": GuardedClassifier(inner(), costs=COSTS, guard=Spy(), alpha=0.1),
        "weighted": CostWeightedClassifier(inner()),
        "ensemble": CautiousEnsemble([("a", inner()), ("b", inner())], costs=COSTS),
        "delegating": DelegatingClassifier([("a", inner()), ("b", inner())], costs=COSTS),
    }


KINDS = tuple(classifiers())


def abstaining(**options):
    return AbstainingClassifier(Spy(), **{"costs": COSTS, **options})


# ---------------------------------------------------------------- who is fitted to what


@pytest.mark.parametrize("kind", KINDS)
def test_no_model_scores_a_case_of_a_cluster_it_was_fitted_to(kind, data):
    X, y, group, _ = data
    classifiers()[kind].fit(X, y, groups=group)
    assert len(Spy.seen) >= 5
    for fitted, scored in Spy.seen:
        assert not set(group[fitted]) & set(group[scored])
    first = np.concatenate([scored for _, scored in Spy.seen[:5]])
    assert np.array_equal(np.sort(first), np.arange(SIZE))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("clustered", [False, True])
def test_no_model_scores_a_case_that_is_not_later_than_all_it_was_fitted_to(kind, clustered, data):
    X, y, group, when = data
    classifiers()[kind].fit(X, y, time=when, groups=group if clustered else None)
    assert len(Spy.seen) >= 7
    for fitted, scored in Spy.seen:
        assert when[fitted].max() < when[scored].min()
        assert not clustered or not set(group[fitted]) & set(group[scored])
    # ten blocks, scored from the fourth on; of clusters all but those of the block are left to fit
    first = np.concatenate([scored for _, scored in Spy.seen[:7]])
    assert np.array_equal(np.sort(when[first]), np.arange(96, SIZE))
    if not clustered:
        sizes = [(len(fitted), len(scored)) for fitted, scored in Spy.seen[:7]]
        assert sizes == [(32 * block, 32) for block in range(3, 10)]


@pytest.mark.parametrize("kind", KINDS)
def test_clusters_of_one_case_change_nothing(kind, data):
    X, y, _, _ = data
    plain, single = (classifiers(GaussianNB)[kind] for _ in range(2))
    plain.fit(X, y)
    single.fit(X, y, groups=np.arange(SIZE)[::-1])
    assert np.array_equal(plain.predict(X), single.predict(X))
    for name in ("out_of_fold_rows_", "out_of_fold_decisions_", "out_of_fold_scores_", "stage_sizes_"):
        assert np.array_equal(getattr(plain, name, None), getattr(single, name, None))
    for name in ("window_", "expected_cost_", "certificate_"):
        one, two = (getattr(model, name, None) for model in (plain, single))
        assert (one is None) == (two is None)
        assert not hasattr(one, "to_dict") or one.to_dict() == two.to_dict()


def test_prefitted_model_scores_everything_and_is_judged_by_cluster(data):
    X, y, group, when = data
    model = abstaining(cv="prefit").set_params(estimator=Spy().fit(X, y))
    assert model.fit(X, y, groups=group).expected_cost_.units == 40
    # ten blocks again; a class has fewer than 50 cases in some, so four of them are judged
    assert model.fit(X, y, time=when).expected_cost_.units == 128


# ---------------------------------------------------------------- the window and its cost


def columns(data, kind):
    X, y, group, when = data
    given = {"groups": {"groups": group}, "time": {"time": when}}
    return X, y, {**given, "both": {"groups": group, "time": when}}[kind]


@pytest.mark.parametrize("kind", ["groups", "time", "both"])
@pytest.mark.parametrize("options", [{}, {"max_abstention": 0.2}, {"prevalence": 0.2}])
def test_window_and_cost_against_compare_models(kind, options, data):
    X, y, given = columns(data, kind)
    model = abstaining(**options).fit(X, y, **given)
    rows = model.out_of_fold_rows_
    assert len(rows) == (SIZE if kind == "groups" else 224)
    scored = 1 / (1 + np.exp(-X[rows, 1]))
    given = {name: column[rows] for name, column in given.items()}
    made = compare_models(y[rows], scored, costs=COSTS, **given, **options)
    window = made.models["model"].rules["window"]
    assert model.expected_cost_.cost == pytest.approx(window.cost, rel=1e-12)
    assert model.expected_cost_.interval == pytest.approx(window.interval, rel=1e-12)
    assert model.expected_cost_.units == made.units
    assert np.array_equal(model.out_of_fold_decisions_, window.rule.codes(scored))
    assert model.certificate_ is None


@pytest.mark.parametrize("kind", ["groups", "time"])
def test_amounts_against_compare_models(kind, data):
    X, y, given = columns(data, kind)
    amount = np.random.default_rng(0).lognormal(2, 1, SIZE)
    model = abstaining().fit(X, y, cost_fn=amount, **given)
    rows = model.out_of_fold_rows_
    costs = CaseCosts(cost_fn=amount[rows], cost_fp=10, cost_abstain=2.5)
    given = {name: column[rows] for name, column in given.items()}
    made = compare_models(y[rows], 1 / (1 + np.exp(-X[rows, 1])), costs=costs, **given)
    window = made.models["model"].rules["window"]
    assert model.expected_cost_.cost == pytest.approx(window.cost, rel=1e-12)
    assert model.expected_cost_.interval == pytest.approx(window.interval, rel=1e-12)


@pytest.mark.parametrize("kind", ["groups", "time", "both"])
def test_honest_costs_of_ensembles_and_guards_are_those_of_a_comparison(kind, data):
    X, y, given = columns(data, kind)
    model = classifiers()["ensemble"].fit(X, y, **given)
    rows, scores = model.out_of_fold_rows_, model.out_of_fold_scores_
    there = {name: column[rows] for name, column in given.items()}
    found = model.honest_costs()
    compared = compare_models(
        y[rows], dict(zip("ab", scores.T, strict=True)), costs=COSTS, include="combinations", **there
    )
    wanted = {one.rule.how: one for one in compared.combinations.values()} | dict(compared.models)
    assert set(found) == {*wanted, "chain"}
    for name, one in wanted.items():
        assert found[name].cost == pytest.approx(one.cost, rel=1e-12)
        assert found[name].interval == pytest.approx(one.interval, rel=1e-12)
    guarded = GuardedClassifier(Spy(), costs=COSTS, guard=Spy(), alpha=None).fit(X, y, **given)
    rows = guarded.out_of_fold_rows_
    there = {name: column[rows] for name, column in given.items()}
    scored = 1 / (1 + np.exp(-X[rows, 1]))
    doubt = {"doubt": np.abs(scored - 0.5)}
    compared = compare_models(y[rows], scored, costs=COSTS, include="guards", doubt=doubt, **there)
    (one,) = compared.combinations.values()
    assert guarded.honest_cost().cost == pytest.approx(one.cost, rel=1e-12)
    assert guarded.honest_cost().interval == pytest.approx(one.interval, rel=1e-12)


def test_stages_of_a_cascade_get_the_clusters_by_hand(data):
    X, y, group, _ = data
    model = DelegatingClassifier([("a", Spy()), ("b", GaussianNB())], costs=[COSTS, None])
    model.fit(X, y, groups=group)
    first = abstaining().fit(X, y, groups=group)
    left = np.sort(first.out_of_fold_rows_[first.out_of_fold_decisions_ == ABSTAIN])
    assert model.stage_sizes_.tolist() == [SIZE, len(left)]
    assert model.stages_[0].expected_cost_.to_dict() == first.expected_cost_.to_dict()
    again = DelegatingClassifier(
        [("a", Spy()), ("b", Spy()), ("c", GaussianNB())], costs=[COSTS, COSTS, None]
    )
    again.fit(X, y, groups=group)
    second = abstaining().fit(X[left], y[left], groups=group[left])
    assert again.stages_[1].expected_cost_.to_dict() == second.expected_cost_.to_dict()


def test_a_model_that_knows_patients_by_heart_is_found_out():
    """Labels are drawn by patient, whatever the features: nothing is to be learned about new ones."""
    rng = np.random.default_rng(0)
    group = rng.permutation(np.repeat(np.arange(60), 6))
    X = rng.normal(size=(60, 3))[group] + 0.01 * rng.normal(size=(360, 3))
    y = (rng.random(60) < 0.5)[group].astype(int)
    new = rng.normal(size=(20_000, 3))
    truth = (rng.random(20_000) < 0.5).astype(int)
    for groups, holds in ((None, False), (group, True)):
        costs = CostModel(cost_fn=10, cost_fp=10)
        model = AbstainingClassifier(KNeighborsClassifier(3), costs=costs).fit(X, y, groups=groups)
        low, high = model.expected_cost_.interval
        assert (low <= -model.score(new, truth) <= high) == holds


def test_few_clusters_are_said(data):
    X, y, group, _ = data
    with pytest.warns(DegenerateDataWarning, match="fewer than 20 clusters"):
        abstaining().fit(X, y, groups=group // 4)


# ---------------------------------------------------------------- splitters of the user


class EachCluster:
    """A splitter that is no estimator of scikit-learn."""

    def split(self, X, y=None, groups=None):
        for one in range(4):
            yield np.flatnonzero(groups % 4 != one), np.flatnonzero(groups % 4 == one)

    def get_n_splits(self, X=None, y=None, groups=None):
        return 4


@pytest.mark.parametrize("splitter", [GroupKFold(4), StratifiedGroupKFold(4), EachCluster()])
@pytest.mark.parametrize("kind", ["abstaining", "ensemble", "weighted"])
def test_splitters_that_take_groups_get_them(splitter, kind, data):
    X, y, group, _ = data
    model = classifiers()[kind].set_params(cv=splitter).fit(X, y, groups=group)
    tests = [test for _, test in splitter.split(X, y, group)]
    assert np.array_equal(model.out_of_fold_rows_, np.concatenate(tests))


def test_a_held_out_part_of_whole_clusters(data):
    X, y, group, _ = data
    splitter = GroupShuffleSplit(1, test_size=0.5, random_state=0)
    model = abstaining(cv=splitter, refit=False).fit(X, y, groups=group)
    assert model.expected_cost_.units == 20
    assert np.array_equal(np.sort(model.estimator_.rows_), np.sort(next(splitter.split(X, y, group))[0]))


def test_forward_splitters_are_taken_if_rows_are_in_order_of_time(data):
    X, y, _, when = data
    order = np.argsort(when)
    model = abstaining(cv=TimeSeriesSplit(4)).fit(X[order], y[order], time=when[order])
    assert np.array_equal(model.out_of_fold_rows_, np.arange(64, SIZE))
    with pytest.raises(InputError, match="`cv` must score no case by a model of later ones where time is"):
        abstaining(cv=TimeSeriesSplit(4)).fit(X, y, time=when)


# ---------------------------------------------------------------- metadata routing


class Taking(GaussianNB):
    """A base estimator with an argument of its own."""

    def fit(self, X, y, sample_weight=None, importance=None):
        self.importance_ = importance
        return super().fit(X, y, sample_weight)


def test_pipeline_and_cross_validation_route_clusters(data):
    X, y, group, when = data
    weight = 1.0 + (y == 1)
    alone = AbstainingClassifier(GaussianNB(), costs=COSTS).fit(
        StandardScaler().fit_transform(X), y, groups=group, time=when
    )
    with sklearn.config_context(enable_metadata_routing=True):
        inner = Taking().set_fit_request(sample_weight=True, importance=True)
        model = AbstainingClassifier(inner, costs=COSTS)
        model.set_fit_request(groups=True, time=True, sample_weight=True)
        pipeline = make_pipeline(StandardScaler(), model)
        fitted = pipeline.fit(X, y, groups=group, time=when, importance=weight)[-1]
        assert fitted.expected_cost_.to_dict() == alone.expected_cost_.to_dict()
        assert fitted.estimator_.importance_ is weight
        found = cross_validate(
            pipeline, X, y, cv=GroupKFold(4), params={"groups": group}, return_estimator=True
        )
        # a fold of ten clusters is left out of each fit
        assert [one[-1].expected_cost_.units for one in found["estimator"]] == [30] * 4
        unasked = make_pipeline(AbstainingClassifier(GaussianNB(), costs=COSTS).set_fit_request(groups=False))
        with pytest.raises(TypeError, match="groups"):
            unasked.fit(X, y, groups=group)


@pytest.mark.parametrize("kind", KINDS)
def test_all_kinds_take_clusters_in_a_pipeline(kind, data):
    X, y, group, _ = data
    with sklearn.config_context(enable_metadata_routing=True):
        make_pipeline(classifiers()[kind]).fit(X, y, groups=group)
    for fitted, scored in Spy.seen:
        assert not set(group[fitted]) & set(group[scored])


def test_inner_estimators_that_name_groups_get_theirs(data):
    X, y, group, _ = data

    class Named(Spy):
        def fit(self, X, y, groups=None):
            super().fit(X, y)
            self.groups_ = groups
            return self

    model = AbstainingClassifier(Named(), costs=COSTS).fit(X, y, groups=group)
    assert np.array_equal(model.estimator_.groups_, group)


# ---------------------------------------------------------------- errors


def of(name, value):
    return lambda group, when: {name: value(group if name == "groups" else when)}


@pytest.mark.parametrize(
    ("model", "given", "sentence"),
    [
        (
            abstaining(),
            of("groups", lambda g: g[:9]),
            "`y` and `groups` must have the same length, got 320 and 9",
        ),
        (
            abstaining(),
            of("time", lambda t: t[:9]),
            "`y` and `time` must have the same length, got 320 and 9",
        ),
        (
            abstaining(),
            of("groups", lambda g: np.where(g == 3, np.nan, g)),
            "`groups` must not contain NaN, got NaN",
        ),
        (
            abstaining(),
            of("groups", lambda g: np.where(g == 3, None, g.astype(str))),
            "`groups` must not contain NaN, got None. Hint: give such cases clusters of their own",
        ),
        (abstaining(), of("time", lambda t: np.where(t == 3, np.nan, t)), "`time` must not be missing"),
        (abstaining(), of("time", lambda t: ["soon"] * SIZE), "`time` must hold one number or date per case"),
        (abstaining(), of("time", np.zeros_like), "`time` must leave at least two cases of each class"),
        (
            abstaining(cv=30),
            of("groups", lambda g: g % 20),
            r"`cv` must not exceed the clusters of the rarest class \(20 of 20 clusters\), got 30. Hint: use",
        ),
        (
            abstaining(),
            of("groups", np.zeros_like),
            r"rarest class \(1 of 1 clusters\), got 2. Hint: collect at least two clusters of each class",
        ),
        (
            abstaining(cv=StratifiedKFold(3)),
            of("groups", np.array),
            "`cv` must keep the cases of a cluster together where groups are given, got StratifiedKFold",
        ),
        (abstaining(refit=False), of("time", np.array), "`refit` must be True with more than one fold"),
        (
            abstaining(min_precision_positive=0.8, precision_confidence=0.9),
            of("groups", np.array),
            "`precision_confidence` must not ask for a guarantee beside groups",
        ),
        (
            CautiousClassifier(Spy(), max_abstention=0.1, cv="prefit"),
            of("groups", np.array),
            "`groups` has no use with cv='prefit', which makes no folds. Hint: leave it out",
        ),
        (
            CostWeightedClassifier(Spy(), cv=None),
            of("time", np.array),
            "`time` has no use with cv=None, which makes no folds",
        ),
        (
            GuardedClassifier(Spy(), costs=COSTS, cv=3),
            of("time", np.array),
            "`cv` must be None where time is given: the guard takes the same blocks, got 3",
        ),
    ],
)
def test_error_sentences(model, given, sentence, data):
    X, y, group, when = data
    with pytest.raises(InputError, match=sentence):
        model.fit(X, y, **given(group, when))


def test_a_class_that_appears_late_is_named(data):
    X, _, _, when = data
    late = (when >= 100).astype(int) * (when % 2)
    with pytest.raises(InputError, match="`time` must leave cases of every class to fit, got a fold without"):
        abstaining().fit(X, late, time=when)


# ---------------------------------------------------------------- known truth


@pytest.mark.long
def test_interval_covers_the_cost_in_use_with_clusters_only_against_theory():
    """40 clusters of 8 whose scores and labels are alike (spec of honest costs)."""
    from demur import Binormal

    spread, repetitions = np.sqrt(0.98), 500
    population = Binormal(separation=1.5 / spread, prevalence=0.4 * 0.8 + 0.6 * 0.1)
    group = np.repeat(np.arange(40), 8)
    covered = {True: [], False: []}
    for seed in range(repetitions):
        rng = np.random.default_rng(seed)
        y = (rng.random(SIZE) < np.where(rng.random(40) < 0.4, 0.8, 0.1)[group]).astype(int)
        score = 1.5 * y + 0.7 * rng.normal(size=40)[group] + 0.7 * rng.normal(size=SIZE)
        for clustered, holds in covered.items():
            model = AbstainingClassifier(
                LogisticRegression(), costs=COSTS, response_method="decision_function"
            )
            model.fit(score[:, None], y, groups=group if clustered else None)
            inner = model.estimator_
            ends = (np.array([model.window_.lower, model.window_.upper]) - inner.intercept_) / inner.coef_[0]
            cost = 10 * population.window_cost(*(ends / spread), 1.0, 0.25)
            low, high = model.expected_cost_.interval
            holds.append(low <= cost <= high)
    assert np.mean(covered[True]) >= 0.93
    assert np.mean(covered[False]) < 0.88
