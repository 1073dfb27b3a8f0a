"""Smooth ROC curves: published fits, pROC, the likelihood itself, and their coverage."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import ndtr
from scipy.stats import norm

from demur import InputError, ScoreCounts, UndefinedError, auc_interval, auc_score
from demur.roc import smooth_roc

PROC = json.loads((Path(__file__).parents[1] / "reference" / "proc.json").read_text())
Y, A = np.array(PROC["data"]["y"]), np.array(PROC["data"]["a"])
# five ratings of 58 normal and 51 abnormal images (Hanley and McNeil 1982, table I)
NORMAL, ABNORMAL = [33, 6, 6, 11, 2], [3, 2, 2, 11, 33]
RATINGS = ScoreCounts.from_counts([1, 2, 3, 4, 5], ABNORMAL, NORMAL)


def test_ratings_against_the_published_area():
    # Hanley and McNeil (1982): 0.911 with standard error 0.0296 by maximum likelihood
    found = smooth_roc(RATINGS)
    assert found.auc == pytest.approx(0.911, abs=0.001)
    width = found.auc_interval.high - found.auc_interval.low
    assert width / (2 * 1.96) == pytest.approx(0.0296, abs=0.003)


def test_fit_against_a_search_of_the_likelihood():
    def loss(parameters):
        a, b, cuts = parameters[0], parameters[1], np.sort(parameters[2:])
        total = 0.0
        for counts, edge in ((NORMAL, cuts), (ABNORMAL, b * cuts - a)):
            mass = np.diff(np.concatenate([[0], ndtr(edge), [1]]))
            total -= np.dot(counts, np.log(np.maximum(mass, 1e-300)))
        return total

    start = [1.5, 1.0, 0.2, 0.5, 0.8, 1.8]
    best = minimize(
        loss,
        start,
        method="Nelder-Mead",
        options={"maxiter": 20000, "maxfev": 20000, "fatol": 1e-12, "xatol": 1e-9},
    )
    found = smooth_roc(RATINGS)
    assert (found.a, found.b) == pytest.approx(tuple(best.x[:2]), abs=2e-4)


def test_exact_normal_shares_are_recovered_by_hand():
    # ten thousand cases per class at the expected numbers of a = 1, b = 2 with cuts -1, 0, 1
    cuts = np.array([-1.0, 0.0, 1.0])
    negative = np.diff(np.concatenate([[0], ndtr(cuts), [1]])) * 1e6
    positive = np.diff(np.concatenate([[0], ndtr(2 * cuts - 1), [1]])) * 1e6
    found = smooth_roc(ScoreCounts.from_counts(range(4), np.rint(positive), np.rint(negative)))
    assert (found.a, found.b) == pytest.approx((1, 2), abs=1e-3)
    assert found.auc == pytest.approx(norm.cdf(1 / math.sqrt(5)), abs=1e-4)
    assert found.at(0.5) == pytest.approx(norm.cdf(1), abs=1e-3)
    assert found.at([0.0, 1.0]).tolist() == [0, 1]


def test_binormal_uses_ranks_only():
    assert smooth_roc(Y, np.exp(A)).auc == smooth_roc(Y, A).auc
    # pROC fits a line through the points instead of maximising the likelihood
    assert smooth_roc(Y, A).auc == pytest.approx(PROC["smooth"]["binormal"], abs=0.01)


def test_kernel_by_hand():
    # one pair at distance 1, both blurred by h = 0.5: Phi(1 / sqrt(0.5))
    found = smooth_roc([0, 1], [0.0, 1.0], method="kernel", bandwidth=0.5)
    assert found.auc == pytest.approx(norm.cdf(1 / math.sqrt(0.5)))
    # the curve of two normal laws of spread 0.5 at distance 1
    assert found.at(0.1) == pytest.approx(norm.cdf(2 + norm.ppf(0.1)), abs=1e-3)


def test_kernel_area_against_the_curve_and_proc():
    found = smooth_roc(Y, A, method="kernel")
    assert found.auc == pytest.approx(np.trapezoid(found.tpr, found.fpr), abs=1e-5)
    assert found.auc == pytest.approx(PROC["smooth"]["density"], abs=0.003)
    narrow = smooth_roc(Y, A, method="kernel", bandwidth=1e-6)
    assert narrow.auc == pytest.approx(auc_score(Y, A))


def test_kernel_in_parts_against_all_pairs_at_once(monkeypatch):
    whole = smooth_roc(Y, A, method="kernel")
    monkeypatch.setattr("demur.roc.smooth._AT_ONCE", 100)
    parts = smooth_roc(Y, A, method="kernel")
    assert parts.auc == pytest.approx(whole.auc, abs=1e-14)
    np.testing.assert_allclose(parts.tpr, whole.tpr, atol=1e-14)


def test_interval_of_a_kernel_curve_is_that_of_the_auc_without_blur():
    found = smooth_roc(Y, A, method="kernel")
    assert found.auc_interval == pytest.approx(auc_interval(Y, A))
    # exponential scores, one class ten times as wide: the blur crosses 0, the true AUC is 10/11
    rng = np.random.default_rng(0)
    y, s = np.repeat([0, 1], 200), rng.exponential(np.repeat([1.0, 10.0], 200))
    found = smooth_roc(y, s, method="kernel")
    assert found.auc < found.auc_interval.low < 10 / 11 < found.auc_interval.high
    # one case of a class has no variance of its own
    few = smooth_roc([0, 0, 1], [1.0, 3.0, 2.0], method="kernel")
    assert few.auc_interval.low < 0.5 < few.auc_interval.high


@pytest.mark.parametrize("method", ["binormal", "kernel"])
def test_weights_are_repeats(method):
    weight = np.random.default_rng(0).integers(1, 3, len(Y))
    weighted = smooth_roc(Y, A, method=method, sample_weight=weight)
    repeated = smooth_roc(np.repeat(Y, weight), np.repeat(A, weight), method=method)
    assert weighted.to_dict() == repeated.to_dict()


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: smooth_roc(Y, A, method="logspline"), InputError, "`method` must be one of"),
        (lambda: smooth_roc(Y, A, bandwidth=1.0), InputError, "`bandwidth` is only for method 'kernel'"),
        (lambda: smooth_roc([0, 1, 1], [1, 2, math.inf], method="kernel"), InputError, "must be finite"),
        (lambda: smooth_roc([0, 1], [1, 1], method="kernel"), UndefinedError, "Hint: give a bandwidth"),
        (lambda: smooth_roc([0, 0, 1, 1], [1, 2, 3, 4]), UndefinedError, "at least 3 groups"),
        (lambda: smooth_roc([0, 0], [1, 2], pos_label=1), UndefinedError, "no positive case"),
        (lambda: smooth_roc(Y, A, sample_weight=np.full(80, 0.5)), InputError, "whole numbers"),
    ],
)
def test_refusals(call, error, words):
    with pytest.raises(error, match=words):
        call()


@pytest.mark.long
def test_coverage_of_the_binormal_area():
    rng = np.random.default_rng(1)
    y = np.repeat([0, 1], [60, 40])
    truth = norm.cdf(1.5 / math.sqrt(1 + 1.5**2))
    held = 0
    for _ in range(200):
        s = rng.normal(size=100) * np.where(y, 1.5, 1.0) + 1.5 * y
        low, high = smooth_roc(y, s).auc_interval
        held += low <= truth <= high
    assert held / 200 >= 0.91
