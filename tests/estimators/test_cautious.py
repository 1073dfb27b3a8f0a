"""`CautiousClassifier` against worked examples and the response curve it rests on."""

import numpy as np
import pytest
from sklearn.datasets import load_digits, load_iris, load_wine
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC

from demur import (
    ABSTAIN,
    CautiousClassifier,
    CostModel,
    DegenerateDataWarning,
    InputError,
    UndefinedError,
    cautious_confusion,
    response_curve,
)
from demur.cautious import CautionWindowRule
from estimator_models import Columns

P = np.array([0.05, 0.1, 0.3, 0.35, 0.6, 0.7, 0.9, 0.95])
Y = np.array([0, 0, 1, 0, 1, 0, 1, 1])
PROBA = np.column_stack([1 - P, P])


def on_columns(**options):
    return CautiousClassifier(Columns(), cv=2, **options)


def test_cost_of_the_worked_example_by_hand():
    # the example of response_curve: half of the cases reviewed at 0.2 each, the rest right
    costs = CostModel(cost_fp=5, cost_fn=1, cost_abstain=0.2)
    model = on_columns(costs=costs).fit(PROBA, Y)
    assert model.reached_.abstention == pytest.approx(0.5)
    assert model.reached_.value == pytest.approx(0.1)
    assert model.decide(PROBA).tolist() == [0, 0, -1, -1, -1, -1, 1, 1]


def test_accuracy_of_the_worked_example_by_hand():
    # window 0: wrong at 0.3 and 0.7, accuracy 6/8; without 0.35 and 0.6 4/6; without all four 1
    model = on_columns(min_accuracy=0.7).fit(PROBA, Y)
    assert (model.window_, model.reached_.value) == (0, pytest.approx(0.75))
    model = on_columns(min_accuracy=0.8).fit(PROBA, Y)
    assert model.reached_.abstention == pytest.approx(0.5)
    assert model.predict(PROBA).tolist() == [0, 0, -1, -1, -1, -1, 1, 1]
    assert model.score(PROBA, Y) == 0.5


@pytest.mark.parametrize("limit", [0.0, 0.1, 0.25, 0.5, 0.9, 1.0])
def test_abstention_limit_is_used_up_to_the_next_state(limit):
    model = on_columns(max_abstention=limit).fit(PROBA, Y)
    decided = model.decide(PROBA)
    rate = np.mean(decided == ABSTAIN)
    assert rate == pytest.approx(model.reached_.abstention)
    assert rate <= limit
    states = model.response_curve_.abstention
    assert rate == states[states <= limit].max()


def test_certain_cases_are_answered_also_at_the_end_of_the_curve():
    proba = np.vstack([PROBA, [[0.0, 1.0], [1.0, 0.0]]])
    y = np.append(Y, [1, 0])
    model = on_columns(max_abstention=1.0).fit(proba, y)
    assert model.window_ <= 1
    assert model.decide(proba).tolist() == [-1] * 8 + [1, 0]
    assert model.reached_.abstention == pytest.approx(0.8)


@pytest.mark.parametrize("load", [load_iris, load_wine, load_digits])
def test_many_classes_on_real_data(load):
    X, y = load(return_X_y=True)
    names = np.array([f"class {k}" for k in range(10)])
    model = CautiousClassifier(LinearDiscriminantAnalysis(), min_accuracy=0.985, abstain_label="?", cv=3).fit(
        X, names[y]
    )
    proba = cross_val_predict(LinearDiscriminantAnalysis(), X, y, cv=3, method="predict_proba")
    proba /= proba.sum(axis=1, keepdims=True)
    curve = response_curve(y, proba)
    assert np.allclose(model.response_curve_.value, curve.value)
    decided = CautionWindowRule(np.full(model.classes_.size, 1 / model.classes_.size), model.window_).decide(
        proba
    )
    assert np.array_equal(np.sort(decided), np.sort(model.out_of_fold_decisions_))
    confusion = cautious_confusion(y, decided, labels=range(model.classes_.size))
    assert confusion.accuracy >= 0.985
    assert confusion.accuracy == pytest.approx(model.reached_.value)
    assert confusion.abstention == pytest.approx(model.reached_.abstention)
    # the least abstention that will do: no earlier state reaches the accuracy
    earlier = curve.abstention < model.reached_.abstention - 1e-12
    assert np.all(curve.value[earlier] < 0.985)


def test_costs_of_several_classes_against_every_state():
    X, y = load_wine(return_X_y=True)
    costs = np.array([[0, 4, 1], [2, 0, 3], [5, 1, 0], [0.3, 0.2, 0.4]])
    bias = [0.2, 0.5, 0.3]
    model = CautiousClassifier(GaussianNB(), costs=costs, bias=bias, cv=4).fit(X, y)
    proba = cross_val_predict(GaussianNB(), X, y, cv=4, method="predict_proba")
    proba /= proba.sum(axis=1, keepdims=True)

    def cost(window):
        decided = CautionWindowRule(bias, window).decide(proba)
        return costs[decided, y].mean()  # ABSTAIN is -1: the last row

    assert cost(model.window_) == pytest.approx(model.reached_.value)
    assert model.reached_.value == pytest.approx(min(cost(w) for w in np.linspace(0, 1, 400)), abs=5e-3)
    assert all(model.reached_.value <= cost(w) + 1e-12 for w in np.linspace(0, 1, 400))


def test_weights_against_repeated_cases():
    weights = np.array([1, 2, 3, 1, 1, 2, 1, 1])
    with pytest.warns(UserWarning, match=r"Columns\.fit takes no sample_weight"):
        model = on_columns(min_accuracy=0.7).fit(PROBA, Y, sample_weight=weights)
    expected = response_curve(np.repeat(Y, weights), np.repeat(PROBA, weights, axis=0))
    assert np.allclose(model.response_curve_.value, expected.value)


@pytest.mark.parametrize(
    ("options", "error", "sentence"),
    [
        ({}, InputError, "must be exactly one, got none. Hint: each alone fixes the window"),
        ({"max_abstention": 0.1, "min_accuracy": 0.9}, InputError, "got max_abstention and min_accuracy"),
        ({"max_abstention": 1.2}, InputError, r"`max_abstention` must lie in \[0, 1\]"),
        ({"min_accuracy": -1}, InputError, r"`min_accuracy` must lie in \[0, 1\]"),
        ({"costs": [[0, 1], [1, 0]]}, InputError, "`costs` must have shape"),
        ({"max_abstention": 0.1, "bias": [0.2, 0.2, 0.6]}, InputError, "`bias` must be 2 numbers"),
        ({"max_abstention": 0.1, "abstain_label": 0}, InputError, "must not be one of the classes"),
        ({"min_accuracy": 1.0, "bias": [0.999, 0.001]}, UndefinedError, "No window reaches min_accuracy = 1"),
    ],
)
def test_error_sentences(options, error, sentence):
    # the most certain case is wrong, so no window makes all answers right
    y = np.append(Y, [0, 1])
    proba = np.vstack([PROBA, [[0.01, 0.99], [0.99, 0.01]]])
    with pytest.raises(error, match=sentence):
        on_columns(**options).fit(proba, y)


def test_estimators_without_probabilities_are_refused():
    with pytest.raises(InputError, match=r"must have predict_proba, got LinearSVC\. Hint: wrap it in"):
        CautiousClassifier(LinearSVC(), max_abstention=0.1, cv=2).fit(PROBA, Y)


def test_constant_probabilities_warn():
    with pytest.warns(DegenerateDataWarning, match="All out-of-fold probabilities are equal"):
        model = on_columns(max_abstention=0.5).fit(np.full((8, 2), 0.5), Y)
    assert len(set(model.decide(PROBA[:1]).tolist())) == 1


@pytest.mark.parametrize(
    ("costs", "sentence", "abstention"),
    [
        (CostModel(cost_abstain=0.0), r"Abstaining is free \(nu = 0\)", 0.5),
        (CostModel(cost_abstain=0.5), r"Abstaining never pays at these costs", 0.0),
        ([[0, 1], [1, 0], [0, 0]], "answers cannot pay: 50.0% of the cases", 0.5),
        ([[0, 1], [1, 0], [1, 1]], "abstaining never pays", 0.0),
    ],
)
def test_costs_that_settle_the_question_warn(costs, sentence, abstention):
    with pytest.warns(DegenerateDataWarning, match=sentence):
        model = on_columns(costs=costs).fit(PROBA, Y)
    assert model.reached_.abstention == abstention


def test_single_precision_probabilities_are_made_to_sum_to_one():
    X, y = load_iris(return_X_y=True)
    model = CautiousClassifier(LogisticRegression(max_iter=1000), max_abstention=0.1)
    assert -1 in model.fit(X.astype(np.float32), y).predict(X.astype(np.float32))
