"""`AbstainingClassifier` with costs that differ by case: by definition, in pipelines and in searches."""

import numpy as np
import pytest
import sklearn
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from demur import AbstainingClassifier, CaseCosts, CostModel, InputError, Reviewer, compare_models
from demur._kernels.thresholds import shortest_in
from demur.counts import AbstentionWindow

COSTS = CostModel(cost_fn=1, cost_fp=40, cost_abstain=12)


class Given(ClassifierMixin, BaseEstimator):
    """The first feature is the score."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X):
        return np.column_stack([1 - X[:, 0], X[:, 0]])


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(4)
    y = np.arange(160) % 2
    X = np.column_stack([1 / (1 + np.exp(-(1.5 * y + rng.normal(size=160) - 0.7))), rng.normal(size=160)])
    return X, y, rng.lognormal(4, 1, 160)


def test_window_and_cost_are_those_of_compare_models(data):
    X, y, amount = data
    model = AbstainingClassifier(Given(), costs=COSTS).fit(X, y, cost_fn=amount)
    # out-of-fold scores of this estimator are the feature itself, in the order of the folds
    rows = model.out_of_fold_rows_
    costs = CaseCosts(cost_fn=amount[rows], cost_fp=40, cost_abstain=12)
    made = compare_models(y[rows], X[rows, 0], costs=costs).models["model"]
    assert isinstance(model.window_, AbstentionWindow)
    # the rule of a comparison is written with rounded thresholds
    ends = [shortest_in(end, X[rows, 0]) for end in (model.window_.lower, model.window_.upper)]
    assert ends == [made.window.lower, made.window.upper]
    assert model.expected_cost_.cost == pytest.approx(made.cost, rel=1e-12)
    assert model.expected_cost_.interval == pytest.approx(made.interval, rel=1e-12)
    assert model.expected_cost_.abstention_rate == pytest.approx(made.abstention_rate, rel=1e-12)
    assert model.certificate_ is None
    assert model.optimal_costs_ is None


def test_equal_amounts_are_costs_by_class(data):
    X, y, _ = data
    plain = AbstainingClassifier(Given(), costs=CostModel(cost_fn=100, cost_fp=40, cost_abstain=12)).fit(X, y)
    equal = AbstainingClassifier(Given(), costs=COSTS).fit(X, y, cost_fn=np.full(160, 100.0))
    assert (equal.window_.lower, equal.window_.upper) == (plain.window_.lower, plain.window_.upper)
    for name in ("cost", "hindsight", "standard_error", "abstention_rate"):
        expected = getattr(plain.expected_cost_, name)
        assert getattr(equal.expected_cost_, name) == pytest.approx(expected, rel=1e-9)
    assert equal.expected_cost_.interval == pytest.approx(plain.expected_cost_.interval, rel=1e-9)
    assert equal.score(X, y, cost_fn=np.full(160, 100.0)) == pytest.approx(plain.score(X, y), rel=1e-12)


def test_score_is_minus_the_mean_loss_by_hand(data):
    X, y, amount = data
    model = AbstainingClassifier(Given(), costs=COSTS).fit(X, y, cost_fn=amount)
    predicted = model.predict(X)
    losses = np.where(predicted == -1, 12.0, np.where(predicted == y, 0.0, np.where(y == 1, amount, 40.0)))
    assert model.score(X, y, cost_fn=amount) == pytest.approx(-losses.mean())
    weight = np.arange(160.0)
    assert model.score(X, y, weight, cost_fn=amount) == pytest.approx(-np.average(losses, weights=weight))


def test_a_reviewer_errs_on_amounts(data):
    X, y, amount = data
    reviewer = Reviewer(fee=8, sensitivity=0.9)
    model = AbstainingClassifier(Given(), costs=CaseCosts(cost_fn=1, cost_fp=40, reviewer=reviewer))
    rows = model.fit(X, y, cost_fn=amount).out_of_fold_rows_
    costs = CaseCosts(cost_fn=amount[rows], cost_fp=40, reviewer=reviewer)
    made = compare_models(y[rows], X[rows, 0], costs=costs).models["model"]
    assert model.expected_cost_.cost == pytest.approx(made.cost, rel=1e-12)


def test_limits_hold_with_amounts(data):
    X, y, amount = data
    model = AbstainingClassifier(Given(), costs=COSTS, max_abstention=0.05).fit(X, y, cost_fn=amount)
    assert model.window_.abstention_rate <= 0.05
    free = AbstainingClassifier(Given(), max_abstention=0.05).fit(X, y, cost_fn=amount, cost_fp=40)
    assert 0 < free.window_.abstention_rate <= 0.05


def test_pipeline_search_and_cross_validation_route_amounts(data):
    X, y, amount = data
    with sklearn.config_context(enable_metadata_routing=True):
        model = AbstainingClassifier(LogisticRegression(), costs=COSTS)
        model.set_fit_request(cost_fn=True).set_score_request(cost_fn=True)
        pipeline = make_pipeline(StandardScaler(), model).fit(X, y, cost_fn=amount)
        assert isinstance(pipeline[-1].window_, AbstentionWindow)
        assert pipeline.score(X, y, cost_fn=amount) <= 0
        grid = {"abstainingclassifier__estimator__C": [0.01, 1.0]}
        search = GridSearchCV(pipeline, grid, cv=2).fit(X, y, cost_fn=amount)
        kept = cross_validate(clone(pipeline), X, y, params={"cost_fn": amount}, cv=2)
        # half of the cases, their own amounts
        half = next(iter(search.cv_results_["split0_test_score"]))
        assert half < 0
        assert kept["test_score"] == pytest.approx(
            [search.cv_results_[f"split{k}_test_score"][1] for k in range(2)], rel=1e-9
        )


@pytest.mark.parametrize(
    ("amounts", "sentence"),
    [
        ({"cost_fn": -1.0}, "`cost_fn` must not be negative"),
        ({"cost_fn": np.full(160, np.nan)}, "`cost_fn` must not be missing"),
    ],
)
def test_bad_amounts_are_named_before_the_fit(data, amounts, sentence):
    X, y, _ = data
    with pytest.raises(InputError, match=sentence):
        AbstainingClassifier(Given(), costs=COSTS).fit(X, y, **amounts)


def test_amounts_that_are_missing_or_misplaced(data):
    X, y, amount = data
    model = AbstainingClassifier(Given(), costs=COSTS).fit(X, y, cost_fn=amount)
    with pytest.raises(InputError, match="`cost_fn` is needed: the window was chosen for amounts"):
        model.score(X, y)
    with pytest.raises(InputError, match="`costs` must hold one number per cost, got amounts as cost_fn"):
        AbstainingClassifier(Given(), costs=CaseCosts(cost_fn=amount, cost_fp=1)).fit(X, y)
    with pytest.raises(InputError, match="`cost_fp` is needed with amounts"):
        AbstainingClassifier(Given()).fit(X, y, cost_fn=amount)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        AbstainingClassifier(Given(), costs=COSTS).fit(X, y, cost_fn=amount[:9])
