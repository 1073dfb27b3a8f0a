"""Multi-class AUC of Hand and Till against all pairs, scikit-learn, and the variance of its definition."""

import itertools
import json
import math
import pickle

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

from demur import InputError, UndefinedError, auc_score, hand_till_auc, ordinal_roc


def pair_credit(a, b):
    return 1.0 if a > b else 0.5 if a == b else 0.0


def tuple_credit(rows):
    """Credit of one tuple of cases, one per class: mean over ordered pairs of classes."""
    c = len(rows)
    return sum(pair_credit(rows[i][i], rows[j][i]) for i, j in itertools.permutations(range(c), 2)) / (
        c * (c - 1)
    )


def oracle(y, proba):
    """Value and components variance over all tuples, one case per class."""
    classes = sorted(set(y))
    groups = [[proba[k] for k in range(len(y)) if y[k] == label] for label in classes]
    value = np.mean([tuple_credit(rows) for rows in itertools.product(*groups)])
    variance = 0.0
    for position, group in enumerate(groups):
        means = []
        for row in group:
            rest = [[row] if k == position else other for k, other in enumerate(groups)]
            means.append(np.mean([tuple_credit(rows) for rows in itertools.product(*rest)]))
        variance += np.var(means, ddof=1) / len(group) if len(group) > 1 else math.nan
    return value, variance


@st.composite
def scored_classes(draw, min_per_class=1):
    c = draw(st.integers(2, 4))
    y = [label for label in range(c) for _ in range(min_per_class)]
    y += draw(st.lists(st.integers(0, c - 1), max_size=4))
    levels = st.sampled_from([0.0, 0.1, 0.25, 0.5, 1.0])
    proba = [draw(st.lists(levels, min_size=c, max_size=c)) for _ in y]
    return y, proba


def test_three_cases_by_hand():
    # column 0 puts its case above both others; column 1 ties with class 2; column 2 loses to class 1
    auc = hand_till_auc([0, 1, 2], [[0.8, 0.1, 0.1], [0.2, 0.4, 0.4], [0.3, 0.4, 0.3]])
    assert auc.pair_auc[0, 1:].tolist() == [1, 1]
    assert auc.pair_auc[1, [0, 2]].tolist() == [1, 0.5]
    assert auc.pair_auc[2, :2].tolist() == [1, 0]
    assert auc == 4.5 / 6
    assert np.isnan(np.diag(auc.pair_auc)).all()


def test_perfect_separation_by_hand():
    auc = hand_till_auc([0, 0, 1, 1, 2, 2], np.repeat(np.eye(3), 2, axis=0))
    assert (auc, auc.variance) == (1, 0)
    # two tuples without a common case, both right: theta^2 >= 0.025
    assert auc.interval() == pytest.approx((math.sqrt(0.025), 1))


@given(scored_classes(min_per_class=2))
def test_value_and_variance_against_brute_force(data):
    y, proba = data
    auc = hand_till_auc(y, proba)
    assert (auc.auc, auc.variance) == pytest.approx(oracle(y, proba), abs=1e-13)


def test_value_against_sklearn():
    rng = np.random.default_rng(1)
    y = rng.integers(0, 5, 400)
    proba = rng.dirichlet(np.ones(5), 400).round(2)
    proba[np.arange(400), y] += 0.2
    proba /= proba.sum(axis=1, keepdims=True)
    assert hand_till_auc(y, proba) == pytest.approx(roc_auc_score(y, proba, multi_class="ovo"), abs=1e-13)


@given(scored_classes(), st.data())
def test_weight_two_is_a_repeated_row(data, draw):
    y, proba = data
    w = draw.draw(st.lists(st.sampled_from([0, 1, 2, 3]), min_size=len(y), max_size=len(y)))
    assume(all(any(w[k] for k in range(len(y)) if y[k] == label) for label in set(y)))
    weighted = hand_till_auc(y, proba, sample_weight=w)
    repeated = hand_till_auc(np.repeat(y, w), np.repeat(proba, w, axis=0))
    assert weighted == pytest.approx(repeated, abs=1e-14)
    assert weighted.variance == pytest.approx(repeated.variance, abs=1e-14, nan_ok=True)


@given(scored_classes(), st.randoms(use_true_random=False))
def test_order_of_classes_and_rows_does_not_matter(data, random):
    y, proba = data
    proba = np.array(proba)
    classes = random.sample(range(proba.shape[1]), proba.shape[1])
    rows = random.sample(range(len(y)), len(y))
    auc = hand_till_auc(y, proba)
    moved = hand_till_auc(np.array(y)[rows], proba[rows][:, classes], labels=classes)
    assert moved == pytest.approx(auc, abs=1e-14)
    assert np.allclose(moved.pair_auc, auc.pair_auc[np.ix_(classes, classes)], equal_nan=True)
    # any increasing rescaling of a column
    assert hand_till_auc(y, np.exp(3 * proba)) == auc


def test_two_classes_give_the_auc_and_its_variance():
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, 70)
    p = (rng.random(70) + 0.3 * y).round(1)
    auc = hand_till_auc(y, np.column_stack([-p, p]))
    assert auc == pytest.approx(auc_score(y, p), abs=1e-15)
    assert auc.variance == pytest.approx(ordinal_roc(y, p).variance(), abs=1e-15)
    assert auc.interval() == pytest.approx(ordinal_roc(y, p).interval())


def test_interval_covers_the_truth():
    rng = np.random.default_rng(2)
    y = np.repeat([0, 1, 2], 40)
    # column i of a class-i case is higher by 1 in normal scores: every A(i | j) is Phi(1 / sqrt 2)
    truth, hits = 0.7602499389065233, 0
    for _ in range(200):
        low, high = hand_till_auc(y, rng.normal(size=(120, 3)) + np.eye(3)[y]).interval()
        hits += low <= truth <= high
    # 95 % asked for: 200 runs fall below 90 % with probability 0.002
    assert hits >= 180


def test_result_is_a_number_with_evidence():
    auc = hand_till_auc(
        ["b", "a", "b", "a"], [[0.1, 0.9], [0.8, 0.2], [0.7, 0.3], [0.6, 0.4]], labels=["a", "b"]
    )
    assert isinstance(auc, float)
    assert f"{auc:.3f}" == f"{auc.auc:.3f}"
    assert auc.labels == ("a", "b")
    copy = pickle.loads(pickle.dumps(auc))
    assert (copy, copy.variance) == (auc, auc.variance)
    assert repr(auc) == f"HandTillAuc({auc.auc:.6g}, classes=2)"
    json.dumps(auc.to_dict(), allow_nan=False)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: hand_till_auc([0, 1], [[1, 0], [math.nan, 1]]), "`proba` must not contain NaN"),
        (lambda: hand_till_auc([0, 1], [0.1, 0.9]), "`proba` must be two-dimensional"),
        (
            lambda: hand_till_auc([0, 1, 1], [[1, 0], [0, 1]]),
            "`y_true` and `proba` must have the same length",
        ),
        (
            lambda: hand_till_auc([0, 1], np.eye(3)[:2]),
            "`proba` must have one column per class (2: 0, 1), got 3",
        ),
        (
            lambda: hand_till_auc([0, 0], [[1, 0], [0, 1]]),
            "`y_true` must hold at least 2 classes, got 1 (0).",
        ),
        (lambda: hand_till_auc(["x", "y"], np.eye(2)), "`labels` is required unless the labels are numbers"),
        (
            lambda: hand_till_auc([0, 1], np.eye(3)[:2], labels=[0, 1, 2]),
            "must hold cases of class 2, got none",
        ),
        (lambda: hand_till_auc([0, 1], np.eye(2), labels=[1, 1]), "`labels` must not name a class twice"),
        (lambda: hand_till_auc([0, 5], np.eye(2), labels=[0, 1]), "`labels` must name every label of y_true"),
        (
            lambda: hand_till_auc([0, 1], np.eye(2), sample_weight=[0, 1]),
            "must give class 0 a positive weight",
        ),
        (
            lambda: hand_till_auc([0, 1], np.eye(2)).interval(method="exact"),
            "`method` must be one of 'logit'",
        ),
        (
            lambda: hand_till_auc([0, 1], np.eye(2)).interval(2, method="hoeffding"),
            "`confidence_level` must lie",
        ),
    ],
)
def test_error_sentences(call, message):
    with pytest.raises(InputError) as caught:
        call()
    assert message in str(caught.value)


def test_single_cases_have_no_variance():
    auc = hand_till_auc([0, 1, 1], [[0.9, 0.1], [0.2, 0.8], [0.4, 0.6]])
    assert math.isnan(auc.variance)
    with pytest.raises(UndefinedError, match=r"at least 2 cases of every class, got 1 of class 0\."):
        auc.interval()
    # one tuple without a common case with another, right: theta >= 0.025
    assert auc.interval(method="hoeffding") == pytest.approx((0.025, 1))


def test_perfect_separation_under_weights_is_one_up_to_rounding():
    """Sums of weights may round to either side of 1; the interval is that of 1."""
    for seed in range(40):
        rng = np.random.default_rng(seed)
        y = np.arange(30) % 3
        proba = np.eye(3)[y] * 2 + rng.dirichlet([1, 1, 1], 30)
        weights = rng.choice([0.1, 0.7, 5.3], 30)
        auc = hand_till_auc(y, proba / proba.sum(axis=1, keepdims=True), sample_weight=weights)
        assert 1 - 1e-12 < auc <= 1
        low, high = auc.interval()
        sizes = np.bincount(y, weights)
        assert low == pytest.approx(0.025 ** (1 / max(np.floor(sizes.min()), 1)), rel=1e-9)
        assert high == pytest.approx(1)
