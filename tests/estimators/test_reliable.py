"""`ReliableClassifier` against the windows it rests on; promises are kept out of fold."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import cross_val_predict
from sklearn.naive_bayes import GaussianNB

from demur import (
    ABSTAIN,
    DegenerateDataWarning,
    FMeasure,
    GmEstimate,
    InputError,
    Precision,
    ReliableClassifier,
    reliable_window,
)
from demur.windows import deterministic_window
from estimator_models import HAND_X, HAND_Y, FirstColumn

BOTH = {"positive": Precision(0.8), "negative": Precision(0.8)}


def on_scores(**options):
    return ReliableClassifier(FirstColumn(), cv=2, **options)


def test_precision_of_the_worked_example_by_hand():
    # positive >= 0.4 has 4 right of 5, negative <= -0.9 has 2 of 2, <= -0.5 only 3 of 4
    model = on_scores(**BOTH).fit(HAND_X, HAND_Y)
    assert (model.window_.lower, model.window_.upper) == pytest.approx((-0.7, 0.2))
    assert model.predict(HAND_X).tolist() == [0, 0] + [-1] * 5 + [1] * 5
    assert model.score(HAND_X, HAND_Y) == pytest.approx(6 / 12)


@pytest.mark.parametrize(
    ("positive", "negative"),
    [
        (Precision(0.97), Precision(0.95)),
        (FMeasure(0.95), FMeasure(0.93)),
        (GmEstimate(0.95, m=0.1), Precision(0.95)),
    ],
)
@pytest.mark.parametrize("skew", [None, 1.5])
def test_promises_on_real_data_are_kept_out_of_fold(positive, negative, skew):
    X, y = load_breast_cancer(return_X_y=True)
    options = {"positive": positive, "negative": negative, "skew": skew}
    model = ReliableClassifier(GaussianNB(), pos_label=0, **options).fit(X, y)
    scores = cross_val_predict(GaussianNB(), X, y, cv=5, method="predict_proba")[:, 0]
    expected = deterministic_window(y, scores, pos_label=0, **options)
    assert model.window_.to_dict() == expected.to_dict()
    assert model.window_.positive_performance >= positive.value - 1e-12
    assert model.window_.negative_performance >= negative.value - 1e-12
    assert np.mean(model.out_of_fold_decisions_ == ABSTAIN) == pytest.approx(model.window_.abstention_rate)


def test_random_draws_follow_the_paper_and_the_seed():
    options = {"positive": Precision(0.9), "negative": Precision(0.9)}
    model = on_scores(randomized=True, random_state=3, **options).fit(HAND_X, HAND_Y)
    expected = reliable_window(HAND_Y, HAND_X[:, 0], search="direct", **options)
    assert model.window_.to_dict() == expected.to_dict()
    assert model.decide(HAND_X).tolist() == expected.decide(HAND_X[:, 0], rng=3).tolist()
    assert model.decide(HAND_X).tolist() == model.decide(HAND_X).tolist()
    # in expectation: 4 x 10^4 cases meet the promise that 12 cases meet on average
    many, labels = np.tile(HAND_X, (4000, 1)), np.tile(HAND_Y, 4000)
    decided = model.decide(many)
    for code in (0, 1):
        assert np.mean(labels[decided == code] == code) == pytest.approx(0.9, abs=0.01)


def test_promise_without_decisions_warns():
    with pytest.warns(DegenerateDataWarning, match="No positive decision is made; alone"):
        model = on_scores(positive=Precision(0.99), negative=Precision(0.5)).fit(
            np.append(HAND_X, [[2.0]], axis=0), np.append(HAND_Y, 0)
        )
    assert 1 not in model.decide(HAND_X)


def test_constant_scores_warn():
    # one decision for all, so the other promise is vacuous, which is said too
    with (
        pytest.warns(DegenerateDataWarning, match="No positive decision"),
        pytest.warns(DegenerateDataWarning, match="All out-of-fold scores are equal"),
    ):
        on_scores(positive=Precision(0.4), negative=Precision(0.4)).fit(np.zeros((12, 1)), HAND_Y)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({}, r"`positive` is missing. Hint: promise something, such as positive=Precision\(0.9\)"),
        ({"positive": Precision(0.9)}, "`negative` is missing"),
        ({"positive": 0.9, "negative": Precision(0.9)}, "`positive` must be"),
        ({**BOTH, "randomized": 1}, "`randomized` must be a bool, got int"),
        ({**BOTH, "skew": -1}, "`skew` must"),
        ({**BOTH, "abstain_label": 0}, "`abstain_label` must not be one of the classes"),
    ],
)
def test_error_sentences(options, sentence):
    with pytest.raises(InputError, match=sentence):
        on_scores(**options).fit(HAND_X, HAND_Y)
