"""ROC and precision-recall curves against scikit-learn, definitions and hand computation."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics

from demur import InputError, UndefinedError, auc_score, precision_recall_curve, roc_curve
from examples import examples
from oracles import scored_data, threshold_rates


def test_roc_by_hand():
    curve = roc_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    assert curve.fpr.tolist() == [0, 0, 0.5, 0.5, 1]
    assert curve.tpr.tolist() == [0, 0.5, 0.5, 1, 1]
    assert curve.thresholds.tolist() == [np.inf, 0.8, 0.4, 0.35, 0.1]
    hull = curve.convex_hull()
    assert hull.fpr.tolist() == [0, 0, 0.5, 1]
    assert hull.tpr.tolist() == [0, 0.5, 1, 1]
    assert hull.auc == 0.875
    assert hull.thresholds[0] == np.inf
    assert hull.thresholds[-1] == -np.inf


@given(scored_data(both_classes=True))
@settings(max_examples=examples(100), deadline=None)
def test_roc_against_sklearn(data):
    y, s, w = data
    curve = roc_curve(y, s, sample_weight=w)
    fpr, tpr, thresholds = metrics.roc_curve(y, s, sample_weight=w, drop_intermediate=False)
    np.testing.assert_allclose(curve.fpr, fpr, atol=1e-15)
    np.testing.assert_allclose(curve.tpr, tpr, atol=1e-15)
    np.testing.assert_array_equal(curve.thresholds, thresholds)
    assert curve.auc == pytest.approx(metrics.roc_auc_score(y, s, sample_weight=w), abs=1e-12)


@given(scored_data(both_classes=True))
@settings(max_examples=examples(100), deadline=None)
def test_hull_against_every_pair_of_points(data):
    y, s, w = data
    curve = roc_curve(y, s, sample_weight=w)
    hull = curve.convex_hull()
    # no curve point above the hull, every hull vertex a curve point, slopes strictly falling
    height = np.interp(curve.fpr, hull.fpr, hull.tpr)
    assert np.all(curve.tpr[curve.fpr > 0] <= height[curve.fpr > 0] + 1e-12)
    points = set(zip(np.round(curve.fpr, 12), np.round(curve.tpr, 12), strict=True))
    assert set(zip(np.round(hull.fpr, 12), np.round(hull.tpr, 12), strict=True)) <= points
    run, rise = np.diff(hull.fpr), np.diff(hull.tpr)
    assert np.all(rise[:-1] * run[1:] > rise[1:] * run[:-1])
    assert hull.auc >= curve.auc - 1e-12


@pytest.mark.filterwarnings("ignore:the curve lies below the diagonal")
@given(scored_data(both_classes=True), st.floats(0.01, 1))
@settings(max_examples=examples(100), deadline=None)
def test_partial_area_against_sklearn(data, max_fpr):
    y, s, w = data
    curve = roc_curve(y, s, sample_weight=w)
    expected = metrics.roc_auc_score(y, s, sample_weight=w, max_fpr=max_fpr)
    assert curve.partial_auc(max_fpr=max_fpr, standardize=max_fpr < 1) == pytest.approx(expected, abs=1e-9)


@given(scored_data(both_classes=True), st.floats(0, 1), st.floats(0, 1))
@settings(max_examples=examples(100), deadline=None)
def test_partial_areas_add_up(data, one, other):
    y, s, w = data
    curve = roc_curve(y, s, sample_weight=w)
    low, high = sorted((one, other))
    cuts = [0.0, *(c for c in (low, high) if 0 < c < 1), 1.0]
    parts = [(a, b) for a, b in itertools.pairwise(cuts) if a < b]
    assert sum(curve.partial_auc(a, b) for a, b in parts) == pytest.approx(curve.auc, abs=1e-12)
    parts_tpr = [curve.partial_auc_sensitivity(a, b) for a, b in parts]
    assert sum(parts_tpr) == pytest.approx(curve.auc, abs=1e-12)


def test_partial_area_by_hand():
    curve = roc_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    assert curve.partial_auc(0.25, 0.75) == pytest.approx(0.25 * 0.5 + 0.25 * 1)
    # sensitivity from 1/2 on: specificity 1/2 there
    assert curve.partial_auc_sensitivity(0.5) == pytest.approx(0.25)
    diagonal = roc_curve([0, 1], [1.0, 1.0])
    assert diagonal.partial_auc(0.2, 0.6, standardize=True) == pytest.approx(0.5)
    assert diagonal.partial_auc_sensitivity(0.3, standardize=True) == pytest.approx(0.5)


@given(scored_data(both_classes=True))
@settings(max_examples=examples(100), deadline=None)
def test_precision_recall_against_sklearn(data):
    y, s, w = data
    curve = precision_recall_curve(y, s, sample_weight=w)
    precision, recall, thresholds = metrics.precision_recall_curve(y, s, sample_weight=w)
    # scikit-learn appends (recall 0, precision 1), which no threshold reaches; it is left out here
    np.testing.assert_allclose(curve.precision, precision[-2::-1], atol=1e-12)
    np.testing.assert_allclose(curve.recall, recall[-2::-1], atol=1e-12)
    np.testing.assert_array_equal(curve.thresholds, thresholds[::-1])
    expected = metrics.average_precision_score(y, s, sample_weight=w)
    assert curve.average_precision == pytest.approx(expected, abs=1e-12)


def test_precision_at_another_prevalence_is_a_reweighting():
    y, s = [1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.3, 0.2]
    # 2 positives, 3 negatives; weights that make the positives 80 %
    weights = [0.4 if label else 0.2 / 3 for label in y]
    moved = precision_recall_curve(y, s, prevalence=0.8)
    weighted = precision_recall_curve(y, s, sample_weight=weights)
    np.testing.assert_allclose(moved.precision, weighted.precision)
    assert moved.prevalence == 0.8


@given(scored_data(both_classes=True))
@settings(max_examples=examples(50), deadline=None)
def test_rates_against_definition(data):
    y, s, w = data
    curve = roc_curve(y, s, sample_weight=w)
    rates = threshold_rates(y, s, w)
    np.testing.assert_allclose(curve.fpr[::-1], [fp for fp, _ in rates], atol=1e-12)
    np.testing.assert_allclose(1 - curve.tpr[::-1], [fn for _, fn in rates], atol=1e-12)


def test_direction_is_never_guessed():
    # pROC flips such data silently with its default direction; here it stays below chance
    assert auc_score([1, 1, 0, 0], [1, 2, 3, 4]) == 0


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: roc_curve([1, 1], [1, 2]), UndefinedError, "A ROC curve needs cases of both classes"),
        (lambda: precision_recall_curve([0, 0], [1, 2]), UndefinedError, "needs positive cases"),
        (lambda: precision_recall_curve([0, 1], [1, 2], prevalence=0), UndefinedError, "0/0"),
        (lambda: roc_curve([0, 1], [1, 2]).partial_auc(0.5, 0.2), InputError, "low <= high"),
        (lambda: roc_curve([0, 1], [1, 2]).partial_auc(0.5, 0.5), InputError, "`max_fpr` must exceed"),
        (lambda: roc_curve([0, 1], [1, 2]).partial_auc(0.5, 1.5), InputError, r"within \[0, 1\]"),
        (lambda: roc_curve([0, 1], [1, 2]).partial_auc_sensitivity(1.0), InputError, "`max_tpr` must exceed"),
    ],
)
def test_error_sentences(call, error, message):
    with pytest.raises(error, match=message):
        call()
