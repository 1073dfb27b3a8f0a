"""Joint counts of two models: the same numbers as the rows, limits of bins, merging."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from demur import (
    InputError,
    ScoreCounts,
    UndefinedError,
    abstention_surface,
    auc_difference_test,
    auc_score,
    surface_difference_band,
    volume_difference_test,
)
from demur.auc import auc_difference_variances, partial_auc_difference_test, roc_point_test, venkatraman_test
from demur.counts import BinnedCounts
from demur.paired import PairedCounts
from examples import examples

METHODS = ("permutation", "delong", "jackknife", "unbiased", "bootstrap")


@st.composite
def joint_data(draw, max_size=25):
    """Tied scores of two models on the same cases of both classes, with whole weights."""
    n = draw(st.integers(8, max_size))
    y = [0, 0, 0, 1, 1, 1, *draw(st.lists(st.integers(0, 1), min_size=n - 6, max_size=n - 6))]
    level = st.sampled_from([-np.inf, -1.5, 0.0, 0.25, 0.5, 3.0, np.inf])
    a, b = (draw(st.lists(level, min_size=n, max_size=n)) for _ in range(2))
    w = draw(st.lists(st.integers(1, 3), min_size=n, max_size=n))
    return y, a, b, w


def sample(n, seed=0):
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.4).astype(int)
    common = rng.normal(size=n)
    a = 1.5 * y + 0.6 * common + 0.8 * rng.normal(size=n)
    b = 1.2 * y + 0.6 * common + 0.8 * rng.normal(size=n)
    return y, a, b


def same(found, expected, tolerance=1e-9):
    """All numbers of two results agree; what they say about the evidence does not have to."""
    first, second = found.to_dict(), expected.to_dict()
    assert first.keys() == second.keys()
    for name in first.keys() - {"evidence"}:
        if first[name] is None or isinstance(first[name], str):
            assert first[name] == second[name], name
        else:
            assert np.allclose(first[name], second[name], rtol=tolerance, atol=1e-12), name


# ---------------------------------------------------------------- cells equal rows


@pytest.mark.filterwarnings("ignore:the two models score on different scales")
@settings(max_examples=examples(80), deadline=None)
@given(data=joint_data(), method=st.sampled_from(METHODS), exchange=st.sampled_from(["ranks", "scores"]))
def test_auc_tests_of_cells_equal_those_of_the_rows(data, method, exchange):
    y, a, b, w = data
    repeated = [np.repeat(column, w) for column in (y, a, b)]
    options = {"exchange": exchange} if method == "permutation" else {}
    cells = PairedCounts.from_arrays(y, a, b, sample_weight=w)
    try:
        expected = auc_difference_test(*repeated, method=method, **options)
    except UndefinedError:
        with pytest.raises(UndefinedError):
            auc_difference_test(cells, method=method, **options)
        return
    found = auc_difference_test(cells, method=method, **options)
    same(found, expected)
    assert np.allclose(found.interval(0.9), expected.interval(0.9))


@settings(max_examples=examples(30), deadline=None)
@given(data=joint_data())
def test_variances_of_cells_equal_those_of_the_rows(data):
    y, a, b, w = data
    found = auc_difference_variances(PairedCounts.from_arrays(y, a, b, sample_weight=w))
    expected = auc_difference_variances(*(np.repeat(column, w) for column in (y, a, b)))
    assert found == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("digits", [1, 6])
def test_surface_band_and_volume_test_of_cells_equal_those_of_the_rows(digits):
    """Rows in the order of the cells, each standing for so many cases, are split as the cells are."""
    y, a, b = sample(400)
    cells = PairedCounts.from_arrays(y, a.round(digits), b.round(digits))
    rows = cells.rows()
    columns = rows.positive, rows.score_a, rows.score_b
    options = {"folds": 5, "rng": 3}
    weighted = {"sample_weight": rows.weights, "weights": "repeats", **options}
    same(volume_difference_test(cells, **options), volume_difference_test(*columns, **weighted))
    drawn = {"resolution": 6, "n_resamples": 50}
    same(
        surface_difference_band(cells, **options, **drawn),
        surface_difference_band(*columns, **weighted, **drawn),
    )


def test_volume_test_of_cells_is_close_to_that_of_the_cases():
    """The splits differ, as counts have no row order; repeats leave little of that."""
    y, a, b = sample(400)
    a, b = a.round(1), b.round(1)
    from_cells = volume_difference_test(PairedCounts.from_arrays(y, a, b), rng=3)
    from_rows = volume_difference_test(y, a, b, rng=3)
    assert abs(from_cells.difference - from_rows.difference) < from_rows.standard_error / 4
    assert from_cells.standard_error == pytest.approx(from_rows.standard_error, rel=0.1)


def test_what_a_result_says_about_its_evidence():
    y, a, b = sample(200)
    assert auc_difference_test(y, a, b).evidence == {"statistic": "cases", "exact": True}
    cells = PairedCounts.from_arrays(y, a.round(1), b.round(1))
    said = {"statistic": "joint counts", "cells": len(cells.positives), "exact": True}
    assert auc_difference_test(cells).to_dict()["evidence"] == said
    assert volume_difference_test(cells, rng=0).evidence == said
    binned = in_bins(y, a, b, 8)
    said = volume_difference_test(binned, rng=0).to_dict()["evidence"]
    assert said["exact"] is False
    assert said["bins"] == list(binned.n_bins)
    assert said["certified"] == max(binned.counts_a.certified, binned.counts_b.certified) > 0
    assert (
        repr(binned)
        == f"PairedCounts(n=200, cells={said['cells']}, bins={said['bins'][0]} x {said['bins'][1]})"
    )
    json.dumps(said, allow_nan=False)


# ---------------------------------------------------------------- bins


def in_bins(y, a, b, steps, rows=slice(None)):
    """What engines count: rows per pair of bins, with the observed range of each bin."""
    y, scores = np.asarray(y)[rows], [np.asarray(score)[rows] for score in (a, b)]
    numbers = [np.floor(score * steps) for score in scores]
    low, high = (
        [
            [extreme(score[number == at]) for at in number]
            for score, number in zip(scores, numbers, strict=True)
        ]
        for extreme in (np.min, np.max)
    )
    return PairedCounts.from_cells(*low, y, 1 - y, upper_a=high[0], upper_b=high[1])


@settings(max_examples=examples(30), deadline=None)
@given(seed=st.integers(0, 1000), steps=st.sampled_from([1, 3, 10]), mu=st.floats(0, 1), nu=st.floats(0, 0.5))
def test_bins_shift_differences_by_no_more_than_they_say(seed, steps, mu, nu):
    y, a, b = sample(60, seed)
    binned = in_bins(y, a, b, steps)
    truth = auc_score(y, a) - auc_score(y, b)
    assert (
        abs(auc_difference_test(binned).difference - truth) <= binned.evidence.get("certified_auc", 0) + 1e-12
    )
    found, expected = (
        abstention_surface(*one).cost(mu, nu) - abstention_surface(*two).cost(mu, nu)
        for one, two in (((binned.counts_a,), (binned.counts_b,)), ((y, a), (y, b)))
    )
    assert abs(found - expected) <= binned.evidence.get("certified", 0) + 1e-12
    assert binned.n == 60


def test_counts_of_each_model_by_hand():
    cells = PairedCounts.from_cells([2, 1, 2, 1], [5, 5, 5, 7], [1, 0, 2, 0], [0, 3, 1, 4])
    assert cells.score_a.tolist() == [1, 1, 2]
    assert cells.score_b.tolist() == [5, 7, 5]
    assert cells.positives.tolist() == [0, 0, 3]
    assert cells.negatives.tolist() == [3, 4, 1]
    assert cells.counts_a == ScoreCounts.from_counts([1, 2], [0, 3], [7, 1])
    assert cells.counts_b == ScoreCounts.from_counts([5, 7], [3, 0], [4, 4])
    assert cells.exact
    binned = PairedCounts.from_cells([1, 2], [5, 6], [1, 0], [0, 3], upper_a=[1.5, 2])
    assert binned.counts_a == BinnedCounts.from_bins([1, 2], [1.5, 2], [1, 0], [0, 3])
    assert type(binned.counts_b) is ScoreCounts
    assert binned.n_bins == (1, 0)


# ---------------------------------------------------------------- merging


@settings(max_examples=examples(50), deadline=None)
@given(data=joint_data(), cut=st.integers(1, 7))
def test_merged_parts_equal_the_whole(data, cut):
    y, a, b, w = data
    parts = [
        PairedCounts.from_arrays(y[rows], a[rows], b[rows], sample_weight=w[rows])
        for rows in (slice(0, cut), slice(cut, None))
    ]
    whole = PairedCounts.from_arrays(y, a, b, sample_weight=w)
    merged = parts[0].merge(parts[1])
    for name in ("score_a", "score_b", "upper_a", "upper_b", "positives", "negatives"):
        assert getattr(merged, name).tolist() == getattr(whole, name).tolist()


def test_merged_bins_hold_both_parts():
    y, a, b = sample(300)
    merged = in_bins(y, a, b, 5, slice(0, 100)).merge(in_bins(y, a, b, 5, slice(100, None)))
    assert merged.n == 300
    truth = auc_score(y, a) - auc_score(y, b)
    found = auc_difference_test(merged, method="delong")
    assert abs(found.difference - truth) <= found.evidence["certified_auc"]


# ---------------------------------------------------------------- size


def test_delong_of_a_million_cases_through_cells_equals_that_of_rows():
    y, a, b = sample(10**6)
    a, b = (np.floor(score * 64) for score in (a, b))
    of_cells = auc_difference_test(PairedCounts.from_arrays(y, a, b), method="delong")
    same(of_cells, auc_difference_test(y, a, b, method="delong"), tolerance=1e-6)


# ---------------------------------------------------------------- errors

HALVES = PairedCounts.from_cells([1, 2], [1, 2], [0.5, 1], [1, 1])
SMALL = PairedCounts.from_arrays([0, 1, 0, 1], [1, 2, 3, 4], [1, 3, 2, 4])
HUGE = PairedCounts.from_cells([1, 2], [2, 1], [2**27, 1], [1, 2**27])


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: PairedCounts.from_cells([1], [2], [0], [0]), "must have a positive, finite sum, got 0.0"),
        (lambda: PairedCounts.from_cells([1], [2, 3], [1], [0]), "must have the same length"),
        (lambda: PairedCounts.from_cells([np.nan], [2], [1], [0]), "`score_a` must not contain NaN"),
        (
            lambda: PairedCounts.from_cells([1], [2], [1], [0], upper_b=[1.5]),
            "`score_b` must not exceed upper_b, got 2.0",
        ),
        (lambda: SMALL.merge(3), "`others` must be a PairedCounts, got int"),
        (
            lambda: PairedCounts.from_cells([0, 2], [1, 2], [1, 1], [1, 1], upper_a=[1, 3]).merge(
                PairedCounts.from_cells([0.5], [1], [1], [1], upper_a=[2.5])
            ),
            "Hint: count all parts with the same bins",
        ),
        (
            lambda: auc_difference_test(SMALL, [1, 2, 3, 4]),
            "`score_a` must be left out when",
        ),
        (lambda: auc_difference_test([0, 1], [1, 2]), "`score_b` is missing"),
        (
            lambda: volume_difference_test([0, 1]),
            "`score_a` is missing. Hint: pass y_true, score_a",
        ),
        (lambda: auc_difference_test(SMALL.counts_a), "or a PairedCounts."),
        (lambda: auc_difference_test(HUGE), "`method` must not be 'permutation' for more than"),
        (
            lambda: partial_auc_difference_test(SMALL, max_fpr=0.5),
            "test of partial AUCs draws single cases",
        ),
        (lambda: roc_point_test(SMALL, specificity=0.5), "a test of ROC points draws single cases"),
        (lambda: venkatraman_test(SMALL), "a test of ROC curves draws single cases"),
        (
            lambda: volume_difference_test(
                PairedCounts.from_cells([1, 2], [1, 2], [0.5, 1], [1, 1]), folds=2
            ),
            "must hold whole numbers",
        ),
    ],
)
def test_error_sentences(call, words):
    with pytest.raises(InputError) as error:
        call()
    assert words in str(error.value)


def test_delong_takes_what_is_too_many_for_a_permutation():
    assert auc_difference_test(HUGE, method="delong").n_positive == 2**27 + 1


def test_permutation_of_fractional_cells_is_undefined():
    cells = PairedCounts.from_cells([1, 2, 3], [1, 3, 2], [0.5, 1, 2], [1, 1, 1])
    with pytest.raises(
        UndefinedError, match="exchanges whole cases, got weights that are not numbers of cases"
    ):
        auc_difference_test(cells, weights="repeats")
    with pytest.raises(UndefinedError, match="weight of every case, got a PairedCounts of sums of weights"):
        auc_difference_test(cells, method="bootstrap")
    assert auc_difference_test(cells, method="bootstrap", weights="repeats").pvalue <= 1
