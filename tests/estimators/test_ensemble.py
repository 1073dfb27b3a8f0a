"""`CautiousEnsemble` and `GuardedClassifier` against the rules they wrap, and scikit-learn's checks."""

import pickle
import warnings

import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.ensemble import IsolationForest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.utils.estimator_checks import check_estimator

from demur import ABSTAIN, CostModel, InputError
from demur.estimators import CautiousEnsemble, GuardedClassifier, NeighbourDistance
from demur.honest import combination_costs
from demur.windows import combined_rule

COSTS = CostModel(cost_fn=2, cost_abstain=0.2)


def members():
    return [("bayes", GaussianNB()), ("smooth", GaussianNB(var_smoothing=0.5))]


def ensemble(**options):
    return CautiousEnsemble(members(), **{"costs": COSTS, "cv": 3, **options})


def guarded(**options):
    return GuardedClassifier(GaussianNB(), **{"costs": COSTS, "cv": 3, **options})


@pytest.fixture(scope="module")
def data():
    return make_classification(240, 4, n_redundant=0, flip_y=0.1, random_state=1)


# as in test_common.py: that version makes two classes of three by the first row
OLD = {
    f"check_sample_weight_equivalence_on_{kind}_data": "compares other classes in scikit-learn 1.6"
    for kind in ("dense", "sparse")
    if sklearn.__version__.startswith("1.6.")
}
NOT_THE_ARGMAX = "wants predict to be the argmax of predict_proba; predict abstains"


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        (ensemble(cv=2, combine="chain"), {}),
        (guarded(cv=2), {"check_classifiers_train": NOT_THE_ARGMAX}),
        (NeighbourDistance(), {}),
    ],
    ids=["ensemble", "guarded", "distance"],
)
def test_check_estimator(model, expected):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # tiny data sets
        checks = check_estimator(clone(model), expected_failed_checks={**expected, **OLD}, on_fail=None)
    failed = {check["check_name"]: check["exception"] for check in checks if check["status"] == "failed"}
    assert failed == {}
    excused = {check["check_name"] for check in checks if check["status"] == "xfail"}
    assert excused - set(OLD) == set(expected)


# ---------------------------------------------------------------- ensemble


@pytest.mark.parametrize("how", ["average", "vote", "variance", "chain"])
def test_rule_is_that_of_the_out_of_fold_probabilities(how, data):
    X, y = data
    model = ensemble(combine=how, stage_costs=[0, 0.05]).fit(X, y)
    rows = model.out_of_fold_rows_
    for (_, one), column in zip(members(), model.out_of_fold_scores_.T, strict=True):
        scored = cross_val_predict(one, X, y, cv=StratifiedKFold(3), method="predict_proba")[:, 1]
        assert np.allclose(column, scored[rows], atol=1e-12)
    scores = dict(zip(("bayes", "smooth"), model.out_of_fold_scores_.T, strict=True))
    expected = combined_rule(y[rows], scores, how=how, costs=COSTS, stage_costs=[0, 0.05])
    assert model.rule_.to_dict() == expected.to_dict()
    # in use the members are fitted to all cases
    table = np.column_stack([clone(one).fit(X, y).predict_proba(X)[:, 1] for _, one in members()])
    assert np.array_equal(model.decide(X), expected.decide(table))
    assert set(model.predict(X)) <= {-1, 0, 1}
    lost = np.array([[0, 1, 0.2], [2, 0, 0.2]])[y, model.decide(X)] + expected.fees(table)
    assert model.score(X, y) == pytest.approx(-lost.mean())
    assert np.array_equal(pickle.loads(pickle.dumps(model)).predict(X), model.predict(X))


def test_honest_costs_are_those_of_the_out_of_fold_scores(data):
    X, y = data
    model = ensemble(pos_label=0).fit(X, y)
    names = [name for name, _ in members()]
    rows = model.out_of_fold_rows_
    scores = dict(zip(names, model.out_of_fold_scores_.T, strict=True))
    options = {"folds": 3, "repeats": 1}
    expected = combination_costs(y[rows], scores, costs=COSTS, pos_label=0, **options)
    assert model.honest_costs(**options).to_dict() == expected.to_dict()


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (CautiousEnsemble([("one", GaussianNB())], costs=COSTS), "at least two"),
        (CautiousEnsemble([("vote", GaussianNB()), ("b", GaussianNB())], costs=COSTS), "named after"),
        (ensemble(combine="best"), "`combine`"),
        (ensemble(costs=None), "`costs`"),
        (guarded(costs=CostModel()), "what abstaining costs"),
        (guarded(guard="far"), "`guard`"),
        (guarded(alpha=2), "`alpha`"),
    ],
)
def test_errors_name_the_argument(model, message, data):
    with pytest.raises(InputError, match=message):
        model.fit(*data)


# ---------------------------------------------------------------- guard


@pytest.mark.parametrize("guard", ["distance", "density", IsolationForest(n_estimators=20, random_state=0)])
def test_cases_far_away_are_refused_whatever_their_score(guard, data):
    X, y = data
    model = guarded(guard=guard, alpha=0.05).fit(X, y)
    plain = LogisticRegression().fit(X, y)
    far = X[:6] * 50
    assert plain.predict_proba(far).max(axis=1).min() > 0.9
    assert model.decide(far).tolist() == [ABSTAIN] * 6
    assert np.all(model.p_values(far) <= 0.05)
    # of cases like the training data about one in twenty is refused: out of fold at most that
    refused = model._calibration > model.window_.max_doubt
    assert 0 < np.mean(refused) <= 0.05


def test_alpha_none_finds_no_guard_where_nothing_is_unlike(data):
    X, y = data
    bold, careful = guarded(alpha=None).fit(X, y), guarded(alpha=0.1).fit(X, y)
    assert bold.window_.cost <= careful.window_.cost
    honest = careful.honest_cost(folds=3, repeats=1)
    assert honest.interval.low <= honest.cost <= honest.interval.high
    assert honest.abstention_rate >= careful.window_.refused_rate - 0.05
    few = guarded(alpha=0.01, cv=2).fit(X[:40], y[:40])  # 1 / 41 > 0.01: nothing can be refused
    assert few.window_.max_doubt == np.inf
