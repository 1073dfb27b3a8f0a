"""CostWeightedClassifier: scikit-learn's own checks, and the decisions of optimize_weights."""

import pickle

import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.datasets import load_iris, make_classification
from sklearn.model_selection import GridSearchCV, KFold, ShuffleSplit, cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from demur import CostWeightedClassifier, InputError, optimize_weights

X, TARGET = make_classification(
    240, 6, n_informative=4, n_redundant=0, n_classes=3, class_sep=0.8, random_state=0
)
NAMES = np.array(["ant", "bee", "cat"])[TARGET]
COSTS = {"ant": {"bee": 1, "cat": 9}, "bee": {"ant": 3, "cat": 2}, "cat": {"ant": 8, "bee": 1}}


def test_weights_are_those_of_held_out_scores():
    model = CostWeightedClassifier(GaussianNB(), COSTS).fit(X, NAMES)
    scores = cross_val_predict(GaussianNB(), X, NAMES, cv=5, method="predict_log_proba")
    direct = optimize_weights(scores, NAMES, COSTS, log=True)
    assert model.rule_.objective == pytest.approx(direct.objective)
    assert model.rule_.log_weights == pytest.approx(direct.log_weights)
    fitted = GaussianNB().fit(X, NAMES)
    assert model.predict(X).tolist() == direct.predict(fitted.predict_log_proba(X), log=True).tolist()
    assert model.predict_proba(X) == pytest.approx(fitted.predict_proba(X))


def test_costs_are_lower_than_of_the_plain_answers():
    model = CostWeightedClassifier(GaussianNB(), COSTS, cv=None).fit(X, NAMES)
    plain = GaussianNB().fit(X, NAMES).predict(X)

    def cost(answers):
        return np.mean([COSTS[t].get(p, 0) for t, p in zip(NAMES, answers, strict=True)])

    assert cost(model.predict(X)) == pytest.approx(model.rule_.objective)
    assert cost(model.predict(X)) < cost(plain)


def test_abstaining_says_the_label_the_user_chose():
    model = CostWeightedClassifier(GaussianNB(), COSTS, abstain_cost=0.3, abstain_label="ask", random_state=0)
    answers = model.fit(X, NAMES).predict(X)
    assert {"ask"} < set(answers) <= {"ant", "bee", "cat", "ask"}
    numbers = CostWeightedClassifier(GaussianNB(), abstain_cost={0: 0.1, 1: 0.1, 2: 0.2}, random_state=0)
    assert -1 in numbers.fit(X, TARGET).predict(X)
    never = CostWeightedClassifier(GaussianNB(), abstain_cost=100, random_state=0).fit(X, TARGET)
    assert never.predict(X).dtype == TARGET.dtype


def test_clones_pickles_and_grid_searches():
    model = CostWeightedClassifier(make_pipeline(StandardScaler(), GaussianNB()), COSTS, random_state=1)
    grid = {"estimator__gaussiannb__var_smoothing": [1e-9, 1e-1], "family": ["weights", "columns"]}
    search = GridSearchCV(clone(model), grid, cv=2).fit(X, NAMES)
    again = pickle.loads(pickle.dumps(search.best_estimator_))
    assert again.predict(X).tolist() == search.predict(X).tolist()
    state = CostWeightedClassifier(GaussianNB(), method="ga", random_state=np.random.RandomState(3))
    assert state.fit(X, TARGET).rule_.method == "ga"


def test_sample_weight_reaches_model_and_weights():
    weight = np.where(TARGET == 0, 3.0, 1.0)
    weighted = CostWeightedClassifier(GaussianNB(), COSTS, cv=None).fit(X, NAMES, sample_weight=weight)
    repeat = weight.astype(int)
    repeated = CostWeightedClassifier(GaussianNB(), COSTS, cv=None).fit(
        np.repeat(X, repeat, axis=0), np.repeat(NAMES, repeat)
    )
    assert weighted.rule_.objective == pytest.approx(repeated.rule_.objective)
    assert weighted.estimator_.class_prior_ == pytest.approx(repeated.estimator_.class_prior_)


@pytest.mark.parametrize("requested", [True, False])
def test_metadata_routing_decides_who_gets_the_weights(requested):
    weight = np.where(TARGET == 0, 3.0, 1.0)
    with sklearn.config_context(enable_metadata_routing=True):
        inner = GaussianNB().set_fit_request(sample_weight=requested)
        model = CostWeightedClassifier(inner, COSTS, cv=3).set_fit_request(sample_weight=True)
        model.fit(X, NAMES, sample_weight=weight)
    heavier = model.estimator_.class_prior_[0] > 0.4
    assert heavier == requested
    assert model.rule_.priors[0] > 0.4


def test_folds_that_miss_a_class_and_rare_classes():
    rare = TARGET.copy()
    rare[rare == 2] = 1
    rare[0] = 2
    few = CostWeightedClassifier(GaussianNB(var_smoothing=1e-2)).fit(X, rare)
    assert few.classes_.tolist() == [0, 1, 2]
    sparse_folds = CostWeightedClassifier(GaussianNB(var_smoothing=1e-2), cv=KFold(4)).fit(X, rare)
    assert np.isfinite(sparse_folds.rule_.log_weights).all()


def test_prefers_joint_log_probabilities():
    class Extreme(GaussianNB):
        def predict_proba(self, X):
            raise AssertionError("rounded probabilities were used")

        def predict_log_proba(self, X):
            raise AssertionError("rounded probabilities were used")

    data, y = load_iris(return_X_y=True)
    assert CostWeightedClassifier(Extreme()).fit(data, y).score(data, y) > 0.9


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (
            lambda: CostWeightedClassifier(LinearSVC()),
            "must have predict_proba, got LinearSVC. Hint: wrap it",
        ),
        (
            lambda: CostWeightedClassifier(GaussianNB(), {0: {1: 1}, 1: {0: 1}}),
            "got costs for 0, 1 and classes 'ant', 'bee', 'cat'",
        ),
        (
            lambda: CostWeightedClassifier(GaussianNB(), abstain_cost=1, abstain_label=-1),
            "`abstain_label` must be a string where the classes are strings",
        ),
        (
            lambda: CostWeightedClassifier(GaussianNB(), abstain_cost=1, abstain_label="cat"),
            r"`abstain_label` must not be one of the classes \[.*\], got 'cat'",
        ),
        (lambda: CostWeightedClassifier(GaussianNB(), method="magic"), "`method` must be one of"),
        (
            lambda: CostWeightedClassifier(GaussianNB(), priors={"ant": 1.0}),
            "`priors` must name exactly the classes",
        ),
        (
            lambda: CostWeightedClassifier(GaussianNB(), cv=ShuffleSplit(2, random_state=0)),
            "`cv` must score every case at most once",
        ),
    ],
)
def test_error_sentences(build, message):
    with pytest.raises(InputError, match=message):
        build().fit(X, NAMES)
