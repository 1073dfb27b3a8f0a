"""Learners for ordered classes: the pairwise loss by hand and by all pairs, SVOR against its definition."""

import itertools

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.svm import SVC

from demur import InputError, ordinal_roc
from demur._kernels.tuples import pairwise_hinge
from demur.estimators import OrdinalRankClassifier, SupportVectorOrdinalClassifier
from demur.estimators.ordinal_rank import _widest_cut, pair_weights


@pytest.fixture(scope="module")
def levels():
    rng = np.random.default_rng(1)
    y = np.repeat([0, 1, 2, 3], [40, 30, 20, 30])
    X = np.column_stack([y + rng.normal(0, 1, 120), rng.normal(0, 1, 120), (y > 1) + rng.normal(0, 1, 120)])
    return X, y


def test_pairwise_loss_by_hand():
    # one pair: 1 - (2.5 - 2) = 0.5 squared; slopes -2 * 0.5 and 2 * 0.5
    loss, slope = pairwise_hinge(np.array([2.0, 2.5]), np.array([0, 1]), np.array([[0.0, 1.0], [0.0, 0.0]]))
    assert (loss, slope.tolist()) == (0.25, [1.0, -1.0])
    # a pair that keeps the margin costs nothing
    assert pairwise_hinge(np.array([0.0, 1.0]), np.array([0, 1]), np.array([[0.0, 1.0], [0.0, 0.0]]))[0] == 0


def test_pairwise_loss_against_all_pairs():
    rng = np.random.default_rng(0)
    codes, scores = rng.integers(0, 4, 40), rng.integers(-4, 5, 40) / 2
    weights = np.triu(rng.random((4, 4)), 1)
    loss, slope = 0.0, np.zeros(40)
    for i, j in itertools.permutations(range(40), 2):
        if codes[i] < codes[j]:
            gap = max(0.0, 1 - (scores[j] - scores[i]))
            loss += weights[codes[i], codes[j]] * gap**2
            slope[i] += 2 * weights[codes[i], codes[j]] * gap
            slope[j] -= 2 * weights[codes[i], codes[j]] * gap
    found = pairwise_hinge(scores, codes, weights)
    assert found[0] == pytest.approx(loss)
    assert found[1] == pytest.approx(slope)


@pytest.mark.parametrize("objective", ["cons", "ovo", "pairs", "vus"])
def test_weights_add_up_to_the_measure_against_all_pairs(objective):
    rng = np.random.default_rng(2)
    codes = np.repeat([0, 1, 2], [4, 6, 3])
    scores = rng.permutation(13).astype(float)
    weights = pair_weights(np.bincount(codes), objective)
    wrong = sum(
        weights[codes[i], codes[j]]
        for i, j in itertools.permutations(range(13), 2)
        if codes[i] < codes[j] and scores[i] > scores[j]
    )
    measure = getattr(ordinal_roc(codes, scores).measures(), objective)
    if objective == "vus":
        assert 1 - measure <= wrong + 1e-12  # a bound
    else:
        assert 1 - measure == pytest.approx(wrong)


@pytest.mark.parametrize("objective", ["cons", "ovo", "pairs", "vus", "cost"])
@pytest.mark.parametrize("learner", ["linear", "boosted"])
def test_learned_ranking_beats_the_best_feature(objective, learner, levels):
    X, y = levels
    model = OrdinalRankClassifier(objective=objective, learner=learner, n_estimators=8, random_state=0)
    ranking = ordinal_roc(y, model.fit(X, y).rank_score(X)).measures()
    best = ordinal_roc(y, X[:, 0]).measures()
    assert ranking.cons > best.cons
    assert ranking.vus > best.vus
    assert np.all(np.diff(model.loss_) < 0)
    assert set(model.predict(X)) <= {0, 1, 2, 3}
    assert np.mean(np.abs(model.predict(X) - y)) == pytest.approx(model.thresholds_.cost)


def test_linear_score_is_a_minimum(levels):
    X, y = levels
    model = OrdinalRankClassifier(alpha=0.01).fit(X, y)
    weights = pair_weights(np.bincount(y), "cons")

    def value(coef):
        return pairwise_hinge(X @ coef, y, weights)[0] + 0.01 * coef @ coef

    rng = np.random.default_rng(3)
    least = value(model.coef_)
    assert least == pytest.approx(model.loss_[0])
    assert all(value(model.coef_ + rng.normal(0, 0.05, 3)) > least for _ in range(20))


def svor_objective(parameters, X, codes, C):
    weights, cuts = parameters[: X.shape[1]], parameters[X.shape[1] :]
    side = np.where(codes[:, None] > np.arange(len(cuts)), 1, -1)
    return weights @ weights / 2 + C * np.maximum(0, 1 - side * ((X @ weights)[:, None] - cuts)).sum()


def test_svor_against_its_definition(levels):
    X, y = levels[0][::4], levels[1][::4]
    model = SupportVectorOrdinalClassifier(C=0.5).fit(X, y)
    own = svor_objective(np.append(model.coef_, model.thresholds_), X, y, 0.5)
    start = np.append(model.coef_, model.thresholds_) + 0.05
    other = minimize(
        svor_objective, start, args=(X, y, 0.5), method="Powell", options={"maxiter": 4000, "xtol": 1e-6}
    )
    assert own <= other.fun * 1.002
    assert np.all(np.diff(model.thresholds_) >= 0)
    expected = np.searchsorted(model.thresholds_, X @ model.coef_)
    assert model.predict(X).tolist() == expected.tolist()


@pytest.mark.parametrize("C", [0.01, 10])
def test_svor_far_from_the_origin_against_its_definition(levels, C):
    X, y = 20 + 5 * levels[0][:, :2], levels[1]
    model = SupportVectorOrdinalClassifier(C=C).fit(X, y)
    found = np.append(model.coef_, model.thresholds_)
    own, best = svor_objective(found, X, y, C), found
    for _ in range(3):
        best = minimize(
            svor_objective, best, args=(X, y, C), method="Nelder-Mead", options={"maxfev": 2000}
        ).x
    assert own <= svor_objective(best, X, y, C) * 1.002


def test_svor_threshold_by_hand():
    # bends at 1, 2 (below, score + 1) and 1.5, 3 (above, score - 1): flat between the second and the third
    score, above = np.array([0, 1, 2.5, 4]), np.array([False, False, True, True])
    assert _widest_cut(score, above) == 1.75


def test_svor_of_two_classes_is_the_ordinary_machine(levels):
    X, y = levels[0], (levels[1] > 1).astype(int)
    plain = SVC(C=0.3, kernel="linear").fit(X, y)
    model = SupportVectorOrdinalClassifier(C=0.3).fit(X, y)
    assert model.coef_ == pytest.approx(plain.coef_[0], abs=5e-3)
    assert model.thresholds_[0] == pytest.approx(-plain.intercept_[0], abs=1e-2)
    bent = SupportVectorOrdinalClassifier(C=0.3, kernel="rbf", gamma=0.5).fit(X, y)
    assert np.mean(bent.predict(X) == SVC(C=0.3, gamma=0.5).fit(X, y).predict(X)) > 0.98


def test_errors_name_the_argument(levels):
    for model, name in (
        (OrdinalRankClassifier(objective="auc"), "objective"),
        (OrdinalRankClassifier(learner="deep"), "learner"),
        (OrdinalRankClassifier(alpha=0), "alpha"),
        (SupportVectorOrdinalClassifier(C=-1), "C"),
    ):
        with pytest.raises(InputError, match=f"`{name}`"):
            model.fit(*levels)
