"""`DelegatingClassifier` against a cascade built by hand."""

import numpy as np
import pytest
from sklearn.datasets import load_digits, make_moons
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from demur import (
    ABSTAIN,
    AbstainingClassifier,
    CautiousClassifier,
    CostModel,
    CostWeightedClassifier,
    DegenerateDataWarning,
    DelegatingClassifier,
    InputError,
    Precision,
    ReliableClassifier,
)

CHEAP, DEAR = CostModel(cost_abstain=0.1), CostModel(cost_abstain=0.25)
STAGES = [("line", LogisticRegression()), ("tree", DecisionTreeClassifier(max_depth=4, random_state=0))]
HALVES = np.arange(0, 600, 2), np.arange(1, 600, 2)
SPLITS = [HALVES, HALVES[::-1]]  # fits the first stage, but no later one


@pytest.fixture(scope="module")
def moons():
    return make_moons(600, noise=0.25, random_state=0)


def test_cascade_by_hand(moons):
    X, y = moons
    model = DelegatingClassifier([*STAGES, ("bayes", GaussianNB())], costs=[CHEAP, DEAR, None]).fit(X, y)
    first = AbstainingClassifier(LogisticRegression(), costs=CHEAP).fit(X, y)
    out = np.zeros(len(y), dtype=int)
    out[first.out_of_fold_rows_] = first.out_of_fold_decisions_
    left = np.flatnonzero(out == ABSTAIN)
    second = AbstainingClassifier(STAGES[1][1], costs=DEAR).fit(X[left], y[left])
    out = np.zeros(len(left), dtype=int)
    out[second.out_of_fold_rows_] = second.out_of_fold_decisions_
    rest = left[out == ABSTAIN]
    third = GaussianNB().fit(X[rest], y[rest])
    assert model.stage_sizes_.tolist() == [600, len(left), len(rest)]
    expected = first.predict(X)
    stage = np.zeros(len(y), dtype=int)
    for k, later in ((1, second), (2, third)):
        open_ = expected == -1
        stage[open_] = k
        expected[open_] = later.predict(X[open_])
    assert np.array_equal(model.predict(X), expected)
    assert np.array_equal(model.deciding_stage(X), stage)
    assert set(stage) == {0, 1, 2}
    assert np.array_equal(model.decide(X), expected)
    assert model.score(X, y) == pytest.approx(np.mean(expected == y))


def test_last_stage_may_abstain(moons):
    X, y = moons
    model = DelegatingClassifier(STAGES, costs=CHEAP, abstain_label=5).fit(X, y)
    predicted = model.predict(X)
    assert set(predicted) == {0, 1, 5}
    assert np.array_equal(predicted == 5, model.deciding_stage(X) == ABSTAIN)
    assert np.array_equal(predicted == 5, model.decide(X) == ABSTAIN)


def test_delegation_beats_the_first_stage_on_new_cases(moons):
    X, y = moons
    new, truth = make_moons(2000, noise=0.25, random_state=1)
    forest = RandomForestClassifier(50, random_state=0)
    model = DelegatingClassifier([STAGES[0], ("forest", forest)], costs=[CHEAP, None]).fit(X, y)
    assert model.score(new, truth) > LogisticRegression().fit(X, y).score(new, truth) + 0.02
    assert np.mean(model.deciding_stage(new) == 0) > 0.3


def test_stages_of_many_classes_and_of_every_kind():
    X, y = load_digits(return_X_y=True)
    names = np.array([f"digit {k}" for k in range(10)])[y]
    stages = [
        ("quick", CautiousClassifier(LinearDiscriminantAnalysis(), min_accuracy=0.98, abstain_label="?")),
        ("slow", RandomForestClassifier(50, random_state=0)),
    ]
    train = np.arange(len(y)) % 2 == 0
    model = DelegatingClassifier(stages, abstain_label="?").fit(X[train], names[train])
    alone = LinearDiscriminantAnalysis().fit(X[train], names[train])
    assert model.score(X[~train], names[~train]) > alone.score(X[~train], names[~train])
    assert set(model.predict(X)) <= set(names)
    binary = y < 5
    reliable = ReliableClassifier(
        LinearDiscriminantAnalysis(), positive=Precision(0.97), negative=Precision(0.97)
    )
    mixed = DelegatingClassifier([("sure", reliable), *STAGES[1:]]).fit(X, binary)
    assert set(mixed.deciding_stage(X)) == {0, 1}
    assert set(mixed.predict(X).tolist()) == {False, True}  # as numbers, beside the abstain label -1


def test_stages_of_weighted_costs_abstain_if_that_has_a_cost(moons):
    X, y = moons
    weighted = CostWeightedClassifier(GaussianNB(), abstain_cost=0.1, random_state=0)
    model = DelegatingClassifier([("weighted", weighted), *STAGES[1:]]).fit(X, y)
    assert isinstance(model.stages_[0], CostWeightedClassifier)
    assert set(model.deciding_stage(X)) == {0, 1}
    weighted.set_params(abstain_cost=None)
    model = DelegatingClassifier([("weighted", weighted), *STAGES[1:]], costs=[CHEAP, None]).fit(X, y)
    assert isinstance(model.stages_[0], AbstainingClassifier)
    assert set(model.deciding_stage(X)) == {0, 1}


def test_parameters_of_stages_are_set_by_name(moons):
    model = DelegatingClassifier(STAGES, costs=CHEAP)
    assert model.get_params()["line__C"] == 1.0
    model.set_params(line__C=0.5, tree=GaussianNB())
    assert model.estimators[0][1].C == 0.5
    assert isinstance(model.estimators[1][1], GaussianNB)
    model.set_params(line__C=1.0)


def test_stage_without_cases_is_left_out_with_a_warning():
    X = np.concatenate([np.linspace(-2, -1, 20), np.linspace(1, 2, 20)])[:, None]
    y = np.repeat([0, 1], 20)
    with pytest.warns(
        DegenerateDataWarning, match="Stage 'tree' would be fitted to 0 delegated cases of 0 cl"
    ):
        model = DelegatingClassifier(STAGES, costs=CHEAP).fit(X, y)
    assert len(model.stages_) == 1
    assert np.array_equal(model.predict(X), y)


@pytest.mark.parametrize(
    ("stages", "options", "sentence"),
    [
        ([], {}, r"`estimators` must be a non-empty list of \(name, classifier\), got \[\]"),
        ([LogisticRegression()], {}, "`estimators` must be a non-empty list"),
        (STAGES, {}, "`costs` must say what delegating costs at stage 'line', got None"),
        (STAGES, {"costs": [CHEAP]}, "`costs` must be one CostModel or 2, one per stage, got 1"),
        (STAGES, {"costs": [0.1, None]}, "`costs` must be a CostModel, got float"),
        (
            STAGES,
            {"costs": CHEAP, "cv": SPLITS},
            "`cv` must split the .* cases at hand, got rows beyond them",
        ),
        (STAGES, {"costs": CHEAP, "abstain_label": 1}, "`abstain_label` must not be one of the classes"),
    ],
)
def test_error_sentences(stages, options, sentence, moons):
    with pytest.raises(InputError, match=sentence):
        DelegatingClassifier(stages, **options).fit(*moons)
