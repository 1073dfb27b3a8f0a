"""`AbstainingClassifier` where amounts are known when deciding: by definition, routed, as a policy."""

import pickle

import numpy as np
import pytest
import sklearn
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from demur import AbstainingClassifier, CaseCosts, CostModel, InputError, Policy, Reviewer, compare_models
from demur.windows import Window

COSTS = CaseCosts(
    cost_fn=1, cost_fp=25, cost_abstain=4, columns={"cost_fn": "amount"}, known_at_decision=True
)


class Given(ClassifierMixin, BaseEstimator):
    """The first feature is the score."""

    def fit(self, X, y, sample_weight=None):
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X):
        return np.column_stack([1 - X[:, 0], X[:, 0]])


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(4)
    y = (np.arange(400) % 4 == 0).astype(int)
    X = np.column_stack([1 / (1 + np.exp(-(2 * y + rng.normal(size=400) - 1))), rng.normal(size=400)])
    return X, y, rng.lognormal(4.5, 1, 400)


@pytest.fixture(scope="module")
def fitted(data):
    X, y, amount = data
    return AbstainingClassifier(Given(), costs=COSTS).fit(X, y, cost_fn=amount)


@pytest.mark.parametrize(
    ("options", "metadata"),
    [
        ({}, {}),
        ({"prevalence": 0.1}, {}),
        ({"max_abstention": 0.1}, {}),
        ({"min_precision_positive": 0.9}, {}),
        ({}, {"sample_weight": np.arange(400) % 3}),
        ({}, {"groups": np.arange(400) // 2}),
        ({}, {"time": np.arange(400)}),
    ],
)
def test_rule_and_cost_are_those_of_compare_models(data, options, metadata):
    X, y, amount = data
    model = AbstainingClassifier(Given(), costs=COSTS, **options).fit(X, y, cost_fn=amount, **metadata)
    rows = model.out_of_fold_rows_  # out-of-fold scores of this estimator are the feature itself
    costs = CaseCosts(
        **{name: getattr(COSTS, name) for name in ("cost_fp", "cost_abstain", "columns")},
        cost_fn=amount[rows],
        known_at_decision=True,
    )
    known = {name: values[rows] for name, values in metadata.items()}
    if "sample_weight" in known:
        known["weights"] = "importance"
    compared = compare_models(y[rows], {"score": X[rows, 0]}, costs=costs, **options, **known)
    made = compared.models["score"]
    if "min_precision_positive" in options:  # of windows only, with the thresholds as they were found
        assert (model.rule_.kind, made.kind) == ("window", "window")
    else:
        assert model.rule_.to_dict() == made.rule.to_dict()
        assert (model.window_.lower, model.window_.upper) == (made.window.lower, made.window.upper)
    assert model.expected_cost_.cost == pytest.approx(made.cost, rel=1e-12)
    assert model.expected_cost_.interval == pytest.approx(made.interval, rel=1e-12)
    assert model.expected_cost_.hindsight == pytest.approx(made.hindsight_cost, rel=1e-12)
    if compared.answer.rule is made.rule:
        assert model.abstention_rate_ == pytest.approx(compared.answer.shares[-1], rel=1e-12)


def test_out_of_fold_decisions_are_those_of_the_rule(data, fitted):
    X, _, amount = data
    rows = fitted.out_of_fold_rows_
    decided = fitted.rule_.decide(np.column_stack([X[rows, 0], amount[rows]]))
    assert fitted.out_of_fold_decisions_.tolist() == decided.tolist()
    assert fitted.abstention_rate_ == np.mean(decided == -1)


def test_predictions_by_thresholds_at_every_amount(data, fitted):
    X, _, amount = data
    ends = np.array([fitted.rule_.thresholds(one) for one in amount])
    by_hand = np.where(X[:, 0] >= ends[:, 1], 1, np.where(X[:, 0] <= ends[:, 0], 0, -1))
    assert fitted.predict(X, cost_fn=amount).tolist() == by_hand.tolist()
    assert fitted.decide(X, cost_fn=amount).tolist() == by_hand.tolist()
    assert set(by_hand.tolist()) == {-1, 0, 1}
    # what a window cannot do: one score, two decisions
    middle = np.array([[0.3, 0.0]])
    assert fitted.predict(middle, cost_fn=1.0).tolist() == [0]
    assert fitted.predict(middle, cost_fn=[1000.0]).tolist() == [-1]


def test_score_is_minus_the_mean_loss_by_hand(data, fitted):
    X, y, amount = data
    predicted = fitted.predict(X, cost_fn=amount)
    losses = np.where(predicted == -1, 4.0, np.where(predicted == y, 0.0, np.where(y == 1, amount, 25.0)))
    assert fitted.score(X, y, cost_fn=amount) == pytest.approx(-losses.mean())
    # false alarms of these cases cost more, but the rule was chosen for others
    dearer = np.where((predicted == 1) & (y == 0), 75.0, losses)
    assert fitted.score(X, y, cost_fn=amount, cost_fp=75) == pytest.approx(-dearer.mean())


def test_two_costs_of_one_column(data):
    X, y, amount = data
    columns = {"cost_fn": "0.5*amount", "cost_abstain": "0.02*amount"}
    costs = CaseCosts(cost_fn=1, cost_fp=25, cost_abstain=1, columns=columns, known_at_decision=True)
    paid = {"cost_fn": 0.5 * amount, "cost_abstain": 0.02 * amount}
    model = AbstainingClassifier(Given(), costs=costs).fit(X, y, **paid)
    assert model.rule_.names == ("score", "amount")
    policy = Policy.from_estimator(model)
    assert policy.apply(np.column_stack([X[:, 0], amount])).tolist() == model.predict(X, **paid).tolist()
    with pytest.raises(InputError, match="`columns` must not call different amounts 'amount'"):
        model.predict(X, cost_fn=amount, cost_abstain=amount)


def test_a_policy_reads_the_amount(data, fitted, tmp_path):
    X, _, amount = data
    policy = Policy.from_estimator(fitted, model="risk")
    assert (policy.columns, policy.chosen) == (("risk", "amount"), "expected cost")
    table = np.column_stack([X[:, 0], amount])
    assert policy.apply(table).tolist() == fitted.predict(X, cost_fn=amount).tolist()
    honest, promise = fitted.expected_cost_, policy.promise
    assert (promise.cost, promise.limit) == (honest.cost, honest.interval.high)
    assert promise.abstention_rate == fitted.abstention_rate_
    policy.save(tmp_path / "policy.json")
    assert Policy.load(tmp_path / "policy.json").to_dict() == policy.to_dict()
    unnamed = CaseCosts(cost_fn=1, cost_fp=25, cost_abstain=4, known_at_decision=True)
    model = AbstainingClassifier(Given(), costs=unnamed).fit(X, data[1], cost_fn=amount)
    assert Policy.from_estimator(model).columns == ("score", "cost_fn")


def test_a_policy_of_a_window_for_amounts(data):
    X, y, amount = data
    costs = CostModel(cost_fn=1, cost_fp=25, cost_abstain=4)
    model = AbstainingClassifier(Given(), costs=costs).fit(X, y, cost_fn=amount)
    assert model.rule_ == Window(model.window_.lower, model.window_.upper)
    policy = Policy.from_estimator(model, model="risk")
    assert (policy.columns, policy.chosen) == (("risk",), "amounts")
    assert policy.apply(X[:, 0]).tolist() == model.predict(X).tolist()
    assert policy.promise.abstention_rate == model.window_.abstention_rate


def test_pipeline_search_and_cross_validation_route_amounts(data):
    X, y, amount = data
    with sklearn.config_context(enable_metadata_routing=True):
        model = AbstainingClassifier(LogisticRegression(), costs=COSTS)
        model.set_fit_request(cost_fn=True).set_predict_request(cost_fn=True).set_score_request(cost_fn=True)
        pipeline = make_pipeline(StandardScaler(), model).fit(X, y, cost_fn=amount)
        alone = clone(model).fit(pipeline[:-1].transform(X), y, cost_fn=amount)
        predicted = pipeline.predict(X, cost_fn=amount)
        assert predicted.tolist() == alone.predict(pipeline[:-1].transform(X), cost_fn=amount).tolist()
        assert pipeline.score(X, y, cost_fn=amount) < 0
        grid = {"abstainingclassifier__estimator__C": [0.01, 1.0]}
        search = GridSearchCV(pipeline, grid, cv=2).fit(X, y, cost_fn=amount)
        kept = cross_validate(clone(pipeline), X, y, params={"cost_fn": amount}, cv=2)
        scores = [search.cv_results_[f"split{k}_test_score"][1] for k in range(2)]
        assert kept["test_score"] == pytest.approx(scores, rel=1e-9)
        best = search.best_estimator_.predict(X, cost_fn=amount)
        assert search.score(X, y, cost_fn=amount) == search.best_estimator_.score(X, y, cost_fn=amount)
        assert set(best.tolist()) <= {-1, 0, 1}
        unasked = make_pipeline(StandardScaler(), clone(model).set_predict_request(cost_fn=None))
        with pytest.raises(ValueError, match="cost_fn"):
            unasked.fit(X, y, cost_fn=amount).predict(X, cost_fn=amount)


def test_clones_pickles_and_labels(data, fitted):
    X, y, amount = data
    words = np.where(y == 1, "fraud", "good")
    # the first of the sorted classes is the positive one
    turned = np.column_stack([1 - X[:, 0], X[:, 1]])
    model = clone(AbstainingClassifier(Given(), costs=COSTS, pos_label="fraud"))
    predicted = model.fit(turned, words, cost_fn=amount).predict(turned, cost_fn=amount)
    assert (
        predicted.tolist()
        == np.array(["good", "fraud", "abstain"])[fitted.decide(X, cost_fn=amount)].tolist()
    )
    assert pickle.loads(pickle.dumps(model)).predict(turned, cost_fn=amount).tolist() == predicted.tolist()


@pytest.mark.parametrize(
    ("amounts", "sentence"),
    [
        ({}, r"`cost_fn` is needed: the rule reads the amounts.* set_predict_request\(cost_fn=True\)"),
        ({"cost_fn": 50, "cost_fp": 3}, "`cost_fp` has no use here: the rule does not read it"),
        ({"cost_fn": -1.0}, "`cost_fn` must not be negative"),
        ({"cost_fn": np.full(400, np.nan)}, "`cost_fn` must not be missing"),
    ],
)
def test_amounts_that_are_missing_or_misplaced(data, fitted, amounts, sentence):
    with pytest.raises(InputError, match=sentence):
        fitted.predict(data[0], **amounts)


def test_amounts_of_other_cases_and_of_other_models(data, fitted):
    X, y, amount = data
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        fitted.predict(X, cost_fn=amount[:9])
    with pytest.raises(InputError, match="`cost_fn` is needed"):
        fitted.score(X, y)
    unknowing = AbstainingClassifier(Given(), costs=CostModel(cost_fp=25, cost_abstain=4))
    with pytest.raises(InputError, match="known_at_decision=True"):
        unknowing.fit(X, y, cost_fn=amount).predict(X, cost_fn=amount)
    # numbers need no amounts: the window decides
    numbers = CaseCosts(cost_fn=100, cost_fp=25, cost_abstain=4, known_at_decision=True)
    plain = AbstainingClassifier(Given(), costs=numbers).fit(X, y)
    assert plain.rule_ == Window(plain.window_.lower, plain.window_.upper)
    assert plain.predict(X).tolist() == plain.rule_.decide(X[:, 0]).tolist()


def test_columns_and_fees_that_are_refused(data):
    X, y, amount = data
    same = CaseCosts(cost_fn=1, cost_fp=25, columns={"cost_fn": "score"}, known_at_decision=True)
    with pytest.raises(InputError, match="`names` must tell score and amounts apart"):
        AbstainingClassifier(Given(), costs=same).fit(X, y, cost_fn=amount)
    # folds would part them from their cases
    fees = CaseCosts(cost_fn=1, cost_fp=25, reviewer=Reviewer(fee=amount / 9))
    with pytest.raises(InputError, match="`costs` must hold one number per cost, got fees of a reviewer"):
        AbstainingClassifier(Given(), costs=fees).fit(X, y, cost_fn=amount)
