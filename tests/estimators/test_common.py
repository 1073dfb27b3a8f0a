"""What scikit-learn asks of an estimator, for all four classifiers that abstain."""

import json
import pickle
import warnings

import numpy as np
import pytest
import sklearn
from sklearn.base import clone, is_classifier
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from demur import (
    AbstainingClassifier,
    CautiousClassifier,
    CostModel,
    DegenerateDataWarning,
    DelegatingClassifier,
    Precision,
    ReliableClassifier,
)
from estimator_models import HAND_X, HAND_Y, FirstColumn


def classifiers(inner, **options):
    """One of each kind around the same inner estimator."""
    yield AbstainingClassifier(inner, mu=1, nu=0.2, **options)
    yield CautiousClassifier(inner, max_abstention=0.1, **options)
    yield ReliableClassifier(inner, positive=Precision(0.97), negative=Precision(0.97), **options)
    costs = [CostModel(cost_abstain=0.1), CostModel(cost_abstain=0.3)]
    yield DelegatingClassifier([("first", inner), ("second", inner)], costs=costs, **options)


KINDS = ("abstaining", "cautious", "reliable", "delegating")


def classifier(kind, inner, **options):
    return dict(zip(KINDS, classifiers(inner, **options), strict=True))[kind]


def quiet_logistic():
    return LogisticRegression(max_iter=1000)


@pytest.fixture(scope="module")
def data():
    X, y = load_breast_cancer(return_X_y=True)
    return StandardScaler().fit_transform(X)[:, :5], y


# ---------------------------------------------------------------- the estimator protocol


@pytest.mark.parametrize("kind", KINDS)
def test_clone_pickle_and_pipeline_keep_the_predictions(kind, data):
    X, y = data
    model = classifier(kind, quiet_logistic())
    assert is_classifier(model)
    with pytest.raises(NotFittedError):
        model.predict(X)
    predicted = model.fit(X, y).predict(X)
    assert set(predicted) == {-1, 0, 1}
    assert np.array_equal(clone(model).fit(X, y).predict(X), predicted)
    assert np.array_equal(pickle.loads(pickle.dumps(model)).predict(X), predicted)
    assert not hasattr(clone(model), "classes_")
    inside = make_pipeline(StandardScaler(), classifier(kind, quiet_logistic())).fit(X, y)
    outside = classifier(kind, make_pipeline(StandardScaler(), quiet_logistic())).fit(X, y)
    assert np.mean(inside.predict(X) == outside.predict(X)) > 0.98
    assert not hasattr(model, "set_output")


@pytest.mark.parametrize("kind", KINDS)
def test_grid_search_over_inner_and_outer_parameters(kind, data):
    X, y = data
    model = classifier(kind, quiet_logistic())
    name = "first__C" if kind == "delegating" else "estimator__C"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DegenerateDataWarning)
        found = GridSearchCV(model, {name: [0.01, 1.0], "cv": [2, 3]}, cv=2).fit(X, y)
    assert np.all(np.isfinite(found.cv_results_["mean_test_score"]))
    assert found.best_estimator_.cv == found.best_params_["cv"]


def test_grid_search_looks_for_the_cheapest_model(data):
    X, y = data
    model = AbstainingClassifier(quiet_logistic(), mu=1, nu=0.2)
    scores = cross_val_score(model, X, y, cv=3)
    assert np.all((scores < 0) & (scores > -0.2))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_data_frames_give_the_predictions_of_arrays(kind, library, data):
    frames = pytest.importorskip(library)
    X, y = data
    names = [f"feature {k}" for k in range(X.shape[1])]
    frame = frames.DataFrame({name: X[:, k] for k, name in enumerate(names)})
    labels = frames.Series(np.array(["benign", "malignant"])[1 - y])
    model = classifier(kind, quiet_logistic(), abstain_label="ask").fit(frame, labels)
    expected = classifier(kind, quiet_logistic(), abstain_label="ask").fit(X, labels.to_numpy())
    assert list(model.feature_names_in_) == names
    assert model.n_features_in_ == len(names)
    predicted = model.predict(frame)
    assert set(predicted.tolist()) == {"benign", "malignant", "ask"}
    assert predicted.tolist() == expected.predict(X).tolist()
    assert model.score(frame, labels) == expected.score(X, labels.to_numpy())


@pytest.mark.parametrize("kind", KINDS)
def test_weights_reach_the_inner_estimator_and_the_rule(kind, data):
    X, y = data
    weights = np.where(y == 1, 4, 1)
    plain = classifier(kind, quiet_logistic()).fit(X, y)
    weighted = classifier(kind, quiet_logistic()).fit(X, y, sample_weight=weights)
    inner = [model.stages_[0] if kind == "delegating" else model for model in (plain, weighted)]
    assert np.abs(inner[0].estimator_.coef_ - inner[1].estimator_.coef_).max() > 0.01
    expected = LogisticRegression(max_iter=1000).fit(X, y, sample_weight=weights)
    assert np.allclose(inner[1].estimator_.coef_, expected.coef_)
    # an inner estimator without weights: only the rule is weighted
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        model = classifier(kind, KNeighborsClassifier()).fit(X, y, sample_weight=weights)
    assert any("KNeighborsClassifier.fit takes no sample_weight" in str(warning.message) for warning in said)
    assert set(model.predict(X)) <= {-1, 0, 1}


@pytest.mark.parametrize("kind", KINDS)
def test_metadata_routing(kind, data):
    X, y = data
    weights = np.where(y == 1, 4, 1)
    with sklearn.config_context(enable_metadata_routing=True):
        asking = quiet_logistic().set_fit_request(sample_weight=True)
        model = classifier(kind, asking)
        routed = make_pipeline(
            StandardScaler().set_fit_request(sample_weight=False),
            model if kind == "delegating" else model.set_fit_request(sample_weight=True),
        ).fit(X, y, sample_weight=weights)[-1]
        with pytest.raises(ValueError, match=r"sample_weight.* but are not explicitly set"):
            classifier(kind, quiet_logistic()).fit(X, y, sample_weight=weights)
    first = routed.stages_[0] if kind == "delegating" else routed
    expected = quiet_logistic().fit(StandardScaler().fit_transform(X), y, sample_weight=weights)
    assert np.allclose(first.estimator_.coef_, expected.coef_)


def test_groups_are_routed_to_the_splitter(data):
    X, y = data
    groups = np.arange(len(y)) // 10
    splitter = GroupKFold(4)
    with sklearn.config_context(enable_metadata_routing=True):
        model = AbstainingClassifier(GaussianNB(), mu=1, nu=0.2, cv=splitter).fit(X, y, groups=groups)
    tests = [test for _, test in splitter.split(X, y, groups)]
    assert np.array_equal(model.out_of_fold_rows_, np.concatenate(tests))


def test_weights_of_a_step_pass_through_without_routing(data):
    X, y = data
    weights = np.where(y == 1, 4, 1)
    model = AbstainingClassifier(make_pipeline(quiet_logistic()), mu=1, nu=0.2)
    model.fit(X, y, sample_weight=weights, logisticregression__sample_weight=weights)
    expected = AbstainingClassifier(quiet_logistic(), mu=1, nu=0.2).fit(X, y, sample_weight=weights)
    assert model.window_.to_dict() == expected.window_.to_dict()
    assert np.array_equal(model.predict(X), expected.predict(X))


def test_unknown_fit_parameters_are_refused_by_the_inner_estimator():
    model = AbstainingClassifier(FirstColumn(), mu=1, nu=0.25, cv=2)
    with pytest.raises(TypeError, match="unexpected keyword"):
        model.fit(HAND_X, HAND_Y, epochs=3)


@pytest.mark.parametrize("kind", ["abstaining", "cautious", "reliable"])
def test_scores_exist_exactly_where_the_inner_estimator_has_them(kind):
    model = classifier(kind, RandomForestClassifier())
    assert hasattr(model, "predict_proba")
    assert not hasattr(model, "decision_function")
    assert not hasattr(AbstainingClassifier(FirstColumn()), "predict_proba")


def test_frozen_estimator_survives_a_clone(data):
    X, y = data
    frozen = FrozenEstimator(quiet_logistic().fit(X, y))
    model = clone(AbstainingClassifier(frozen, mu=1, nu=0.2, cv="prefit")).fit(X, y)
    assert np.array_equal(model.predict_proba(X), frozen.predict_proba(X))


def test_results_are_json_safe(data):
    model = AbstainingClassifier(quiet_logistic(), mu=1, nu=float("inf")).fit(*data)
    for result in (model.expected_cost_, model.optimal_costs_, model.certificate_, model.window_):
        assert json.loads(json.dumps(result.to_dict(), allow_nan=False))
        assert len(repr(result)) < 400
    assert model.optimal_costs_.to_dict()["nu"][1] == "inf"
