"""Bootstrap of partial areas and ROC points, whole curves: against R, brute force and theory."""

import itertools
import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auc_oracles import paired_data
from demur import (
    DegenerateDataWarning,
    InputError,
    ScoreCounts,
    UndefinedError,
    auc_difference_test,
    roc_curve,
)
from demur._resampling import resample
from demur.auc import partial_auc_difference_test, partial_auc_interval, roc_point_test, venkatraman_test
from demur.auc.curves import class_sampler, error_distance, positives_below, rate_at
from examples import examples
from reference_cases import cases, close

FILE = "auc_inference.json"


def binormal(n, shifts, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    shared = rng.normal(size=n)
    return y, [shared + rng.normal(size=n) + shift * y for shift in shifts]


# ---------------------------------------------------------------- against R


@pytest.mark.parametrize("case", cases(FILE, "proc_resampling"))
def test_bootstrap_tests_against_r(case):
    data, expected = case["input"], case["expected"]
    y, a, b = data["y"], data["a"], data["b"]
    options = {"rng": 1, "n_resamples": 6000, "half_errors": False}
    by_fpr = partial_auc_difference_test(y, a, b, max_fpr=0.2, **options)
    close([by_fpr.estimate_a, by_fpr.estimate_b], [expected["pauc_a"], expected["pauc_b"]], 1e-12)
    by_tpr = partial_auc_difference_test(y, a, b, min_tpr=0.8, **options)
    close([by_tpr.estimate_a, by_tpr.estimate_b], [expected["pauc_tpr_a"], expected["pauc_tpr_b"]], 1e-12)
    at_specificity = roc_point_test(y, a, b, specificity=0.9, **options)
    close([at_specificity.estimate_a, at_specificity.estimate_b], expected["sens_at_spec"], 1e-12)
    at_sensitivity = roc_point_test(y, a, b, sensitivity=0.8, **options)
    close([at_sensitivity.estimate_a, at_sensitivity.estimate_b], expected["spec_at_sens"], 1e-12)
    # both sides resample: the standard error of these ratios is about 1 % each
    got = [test.statistic for test in (by_fpr, by_tpr, at_specificity, at_sensitivity)]
    want = [expected[key] for key in ("pauc_stat", "pauc_tpr_stat", "spec_stat", "sens_stat")]
    close(got, want, case["tol"])
    interval = partial_auc_interval(y, a, max_fpr=0.2, **options)
    close(list(interval), expected["pauc_ci"], 0.004)


@pytest.mark.parametrize("case", cases(FILE, "proc_venkatraman"))
def test_venkatraman_against_r(case):
    data, expected = case["input"], case["expected"]
    test = venkatraman_test(data["y"], data["a"], data["b"], rng=2, n_resamples=4000)
    close(test.statistic, expected["statistic"], case["tol"])
    # R breaks the ties after swapping at random, here they share their places
    assert test.pvalue == pytest.approx(expected["p"], abs=0.06)


@pytest.mark.filterwarnings("ignore:the curve lies below the diagonal")
@pytest.mark.parametrize("case", cases(FILE, "partial_auc"))
def test_partial_areas_against_the_definition(case):
    data, expected, tol = case["input"], case["expected"], case["tol"]
    y, s = [0] * len(data["x"]) + [1] * len(data["y"]), [*data["x"], *data["y"]]
    bounds = {"min_fpr": data["fpr_low"], "max_fpr": data["fpr_high"]}
    curve = roc_curve(y, s)
    close(curve.partial_auc(**bounds), expected["pauc"], tol)
    close(curve.partial_auc(**bounds, standardize=True), expected["mcclish"], tol)
    test = partial_auc_difference_test(y, s, s, **bounds, standardize=True, n_resamples=3, rng=0)
    close(test.estimate_a, expected["mcclish"], tol)


@pytest.mark.parametrize("case", cases(FILE, "proc_delong"))
def test_partial_areas_against_r(case):
    data, expected, tol = case["input"], case["expected"], case["tol"]
    curve = roc_curve([0] * len(data["x1"]) + [1] * len(data["y1"]), [*data["x1"], *data["y1"]])
    close(curve.partial_auc(max_fpr=0.1), expected["pauc_spec_1_0.9"], tol)
    close(curve.partial_auc(max_fpr=0.1, standardize=True), expected["pauc_spec_corrected"], tol)
    close(curve.partial_auc_sensitivity(0.9), expected["pauc_sens_0.9_1"], tol)


# ---------------------------------------------------------------- brute force


def test_bootstrap_of_two_against_two_by_enumeration():
    # 16 equally likely samples; the simulated law must agree with the enumerated one
    x, y = [1, 3], [2, 4]
    areas = []
    for rows, columns in itertools.product(itertools.product(x, repeat=2), itertools.product(y, repeat=2)):
        areas.append(roc_curve([0, 0, 1, 1], [*rows, *columns]).partial_auc(max_fpr=0.5))
    test = partial_auc_difference_test(
        [0, 0, 1, 1], [*x, *y], [0, 0, 0, 0], max_fpr=0.5, n_resamples=4000, rng=3, half_errors=False
    )
    assert test.estimate_b == 0.125
    assert test.variance == pytest.approx(np.var(areas), rel=0.06)


@given(paired_data(models=1), st.integers(0, 60).map(lambda k: k / 60))
@settings(max_examples=examples(100), deadline=None)
def test_rate_at_a_point_against_the_curve(data, level):
    y, (s,) = data
    counts = ScoreCounts.from_arrays(y, s)
    curve = roc_curve(counts)
    specificity, sensitivity = 1 - curve.fpr, curve.tpr
    best = 0.0  # highest point of the polyline on the line specificity = level
    for k in range(len(specificity) - 1):
        (s0, s1), (t0, t1) = specificity[k : k + 2], sensitivity[k : k + 2]
        if s1 - 1e-12 <= level <= s0 + 1e-12:
            share = 1.0 if s0 - s1 < 1e-15 else min(max((s0 - level) / (s0 - s1), 0), 1)
            best = max(best, t0 + share * (t1 - t0))
    assert rate_at(counts.negatives, counts.positives, level) == pytest.approx(best, abs=1e-9)


@given(paired_data(max_class=3))
@settings(max_examples=examples(60), deadline=None)
def testerror_distance_against_random_order_of_ties(data):
    y, (a, b) = data
    y = np.array(y)
    expected = []
    for scores in (np.array(a), np.array(b)):
        errors = np.zeros(len(y) - 1)
        orders = [
            order
            for order in itertools.permutations(range(len(y)))
            if np.all(np.diff(_ranks(scores[list(order)])) >= 0)
        ]
        for order in orders:
            below = np.cumsum(y[list(order)])[:-1]
            cut = np.arange(1, len(y))
            errors += below + (np.sum(y == 0) - (cut - below))
        expected.append(errors / len(orders))
    doubled = [_doubled(np.array(scores)) for scores in (a, b)]
    got = error_distance(*doubled, y == 1)
    assert got == pytest.approx(np.abs(expected[0] - expected[1]).sum(), abs=1e-9)
    assert len(positives_below(doubled[0], y == 1)) == len(y) - 1


def _ranks(scores):
    """Positions among the distinct scores; infinities have no differences."""
    return np.unique(scores, return_inverse=True)[1]


def _doubled(scores):
    return 2 * (scores[:, None] > scores).sum(1) + (scores[:, None] == scores).sum(1) + 1


# ---------------------------------------------------------------- identical models, power


@pytest.mark.filterwarnings("ignore:the curve lies below the diagonal")
def test_identical_models_give_p_1_and_no_length():
    rng = np.random.default_rng(0)
    y = np.arange(30) % 2
    for s in (rng.normal(size=30), rng.integers(0, 3, 30), np.zeros(30), y):
        options = {"rng": 0, "n_resamples": 50}
        tests = [
            partial_auc_difference_test(y, s, s, max_fpr=0.3, **options),
            partial_auc_difference_test(y, s, s, min_tpr=0.8, standardize=True, **options),
            roc_point_test(y, s, s, specificity=0.9, **options),
            roc_point_test(y, s, s, sensitivity=0.5, alternative="greater", **options),
        ]
        for test in tests:
            assert (test.statistic, test.pvalue, test.interval()) == (0, 1, (0, 0))
            assert not test.degenerate
        assert venkatraman_test(y, s, s, **options).pvalue == 1


def test_crossing_curves_with_equal_aucs_are_told_apart():
    rng = np.random.default_rng(1)
    y = np.repeat([0, 1], 150)
    a = rng.normal(size=300) + 1.19 * y
    b = rng.normal(size=300) * np.where(y, 3.0, 1.0) + 2.66 * y
    assert auc_difference_test(y, a, b, method="permutation").pvalue > 0.2
    assert venkatraman_test(y, a, b, rng=0, n_resamples=500).pvalue < 0.02


def test_degenerate_difference_is_flagged():
    y, perfect, reversed_ = [0, 0, 1, 1], [1, 2, 3, 4], [4, 3, 2, 1]
    test = roc_point_test(y, perfect, reversed_, specificity=0.5, rng=0, n_resamples=20, half_errors=False)
    assert (test.difference, test.pvalue, test.degenerate) == (1, 0, True)
    low, high = partial_auc_interval([0, 1], [1, 2], rng=0, n_resamples=20, half_errors=False)
    assert (low, high) == (1, 1)


def test_half_errors_by_enumeration():
    """One case per class: of two draws each, the added one comes up 0, 1 or 2 times (1/4, 1/2, 1/4)."""
    counts = ScoreCounts.from_arrays([0, 1], [1, 2])
    sampler = class_sampler(counts, "importance", "A test", half_errors=True)
    drawn = [sampler(np.random.default_rng(k)) for k in range(2000)]
    seen = {(tuple(negatives.tolist()), tuple(positives.tolist())) for negatives, positives in drawn}
    negatives = [(0, 2, 0, 0), (0, 1, 0, 0.5), (0, 0, 0, 1)]
    positives = [(0, 0, 2, 0), (0.5, 0, 1, 0), (1, 0, 0, 0)]
    assert seen == {(x, y) for x in negatives for y in positives}
    shares = np.mean([x[3] for x, _ in drawn])
    assert shares == pytest.approx(0.5, abs=0.05)


def test_half_errors_of_a_difference_widen_it():
    y, (a, b) = binormal(20, [1.5, 1.0])
    plain, wide = (
        roc_point_test(y, a, b, sensitivity=0.9, rng=1, n_resamples=500, half_errors=added)
        for added in (False, True)
    )
    assert plain.difference == wide.difference
    assert wide.variance > plain.variance
    # separable models: no resample of the cases alone shows a difference
    y, s = np.repeat([0, 1], 10), np.arange(20.0)
    other = s.copy()
    other[:10] = s[:10][::-1]
    low, high = partial_auc_difference_test(y, s, other, max_fpr=0.2, rng=0, n_resamples=300).interval()
    assert low < 0 < high


@pytest.mark.long
@pytest.mark.parametrize("positives", [10, 40])
def test_level_of_a_point_with_few_positives(positives):
    """Two equally good models, correlated 0.5: the test must not find a difference in 5 % of the samples."""
    rng = np.random.default_rng(5)
    y = np.repeat([0, 1], [100, positives])
    found = 0
    for _ in range(300):
        shared, own = rng.normal(size=(2, 100 + positives)), rng.normal(size=100 + positives)
        a, b = (np.sqrt(0.5) * (own + noise) + 1.2 * y for noise in shared)
        found += roc_point_test(y, a, b, sensitivity=0.9, rng=rng, n_resamples=150).pvalue < 0.05
    assert found / 300 <= 0.08


def test_perfect_curve_has_an_interval():
    y, s = np.repeat([0, 1], 30), np.arange(60)
    low, high = partial_auc_interval(y, s, max_fpr=0.2, rng=0)
    assert high == pytest.approx(0.2)
    assert 0.1 < low < 0.19
    more = partial_auc_interval(np.repeat(y, 10), np.arange(600), max_fpr=0.2, rng=0)
    assert low < more.low < 0.2


def test_half_errors_follow_the_weights():
    y, s = np.repeat([0, 1], 20), np.random.default_rng(0).normal(size=40) + np.repeat([0, 2], 20)
    weight = np.random.default_rng(1).integers(1, 4, 40)
    limits = [
        partial_auc_interval(y, s, max_fpr=0.3, rng=2, sample_weight=weight * unit) for unit in (1.0, 0.01)
    ]
    assert limits[0] == pytest.approx(limits[1])
    repeats = partial_auc_interval(y, s, max_fpr=0.3, rng=2, sample_weight=weight, weights="repeats")
    rows = partial_auc_interval(np.repeat(y, weight), np.repeat(s, weight), max_fpr=0.3, rng=2)
    assert repeats == rows


# ---------------------------------------------------------------- resampling


def test_same_seed_same_numbers_whatever_the_split():
    y, (a, b) = binormal(60, [1, 0.5])
    one = partial_auc_difference_test(y, a, b, max_fpr=0.3, rng=5, n_resamples=200)
    for workers in (2, 3):
        many = partial_auc_difference_test(y, a, b, max_fpr=0.3, rng=5, n_resamples=200, workers=workers)
        assert many.to_dict() == one.to_dict()
        assert many.interval() == one.interval()
    longer = resample(lambda rng: rng.random(), n_resamples=150, rng=9)
    shorter = resample(lambda rng: rng.random(), n_resamples=70, rng=9, workers=2)
    assert np.array_equal(longer[:70], shorter)
    assert len(set(longer.tolist())) == 150


def test_generator_is_accepted_and_advances():
    rng = np.random.default_rng(5)
    seeded = resample(lambda stream: stream.random(), n_resamples=3, rng=5)
    first, second = (resample(lambda stream: stream.random(), n_resamples=3, rng=rng) for _ in range(2))
    assert np.array_equal(first, seeded)
    assert not np.array_equal(first, second)


def test_counts_weights_and_labels_agree():
    y, (s, _) = binormal(50, [1, 0.5])
    weights = np.arange(50) % 3 + 1
    rows = np.repeat(y, weights), np.repeat(s, weights)
    expected = partial_auc_interval(*rows, max_fpr=0.5, rng=0, n_resamples=50)
    got = [
        partial_auc_interval(
            y, s, max_fpr=0.5, rng=0, n_resamples=50, sample_weight=weights, weights="repeats"
        ),
        partial_auc_interval(ScoreCounts.from_arrays(*rows), max_fpr=0.5, rng=0, n_resamples=50),
        partial_auc_interval(
            np.where(rows[0], "a", "b"), rows[1], max_fpr=0.5, rng=0, n_resamples=50, pos_label="a"
        ),
    ]
    assert got == [expected] * 3


def test_results_are_json_safe():
    y, (a, b) = binormal(30, [1, 0.5])
    for test in (
        roc_point_test(y, a, b, specificity=0.5, rng=0, n_resamples=9),
        venkatraman_test(y, a, b, rng=0),
    ):
        json.dumps(test.to_dict(), allow_nan=False)
    assert roc_point_test(y, a, b, specificity=0.5, rng=0, n_resamples=1).n_resamples == 1


Y, A, B = [0, 0, 1, 1], [1, 3, 2, 4], [1, 2, 3, 4]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: partial_auc_interval(Y, A, min_fpr=0.5, max_fpr=0.2), "low <= high"),
        (lambda: partial_auc_interval(Y, A, min_fpr=0.5, max_fpr=0.5), "`max_fpr` must exceed min_fpr = 0.5"),
        (lambda: partial_auc_interval(Y, A, max_tpr=1.2), "must lie within"),
        (
            lambda: partial_auc_interval(Y, A, max_fpr=0.5, min_tpr=0.5),
            "must be left out when a range of fpr",
        ),
        (lambda: partial_auc_interval(Y, A, n_resamples=0), "`n_resamples` must be a whole number"),
        (lambda: partial_auc_interval(Y, A, workers=0), "`workers` must be a whole number"),
        (lambda: partial_auc_interval(Y, A, rng="seed"), "`rng` must be a seed"),
        (lambda: partial_auc_interval(Y, A, confidence_level=2), "`confidence_level` must lie in"),
        (lambda: partial_auc_interval([0, 0], [1, 2]), "got no positive case"),
        (lambda: roc_point_test(Y, A, B), "must be given one at a time"),
        (lambda: roc_point_test(Y, A, B, sensitivity=0.5, specificity=0.5), "must be given one at a time"),
        (lambda: roc_point_test(Y, A, B, sensitivity=1.5), "`sensitivity` must lie in"),
        (lambda: roc_point_test(Y, A, B, sensitivity=0.5, alternative="x"), "`alternative` must be one of"),
        (lambda: venkatraman_test(Y, A, B[1:]), "must have the same length"),
        (lambda: venkatraman_test([0] * 4, A, B), "A test of ROC curves needs cases of both classes"),
    ],
)
def test_error_sentences(call, message):
    with pytest.raises(InputError, match=message):
        call()


def test_fractional_repeats_cannot_be_drawn():
    with pytest.raises(UndefinedError, match="draws whole cases, got fractional repeats"):
        partial_auc_interval(Y, A, sample_weight=[0.5] * 4, weights="repeats")
    counts = ScoreCounts.from_counts(A, np.array(Y) / 2, (1 - np.array(Y)) / 2)
    with pytest.raises(UndefinedError, match="weight of every case, got a ScoreCounts of sums of weights"):
        partial_auc_interval(counts)


@pytest.mark.parametrize("factor", [1, 1e12, 1e-299, 1 / 3])
def test_importance_weights_have_no_unit(factor):
    y, (s, _) = binormal(60, [1, 0.5])
    weights = np.arange(60) % 5 + 1.0
    question = {"max_fpr": 0.5, "rng": 0, "n_resamples": 60}
    expected = partial_auc_interval(y, s, sample_weight=weights, **question)
    scaled = partial_auc_interval(y, s, sample_weight=weights * factor, **question)
    assert scaled == pytest.approx(expected, rel=1e-9)
    equal = partial_auc_interval(y, s, sample_weight=np.full(60, 0.7 * factor), **question)
    assert equal == pytest.approx(partial_auc_interval(y, s, **question))


def test_a_million_million_cases_per_row_fit_into_memory():
    y, (s, _) = binormal(60, [1, 0.5])
    weights = np.full(60, 1e12)
    low, high = partial_auc_interval(
        y, s, max_fpr=0.5, rng=0, n_resamples=20, sample_weight=weights, weights="repeats"
    )
    truth = roc_curve(y, s).partial_auc(0, 0.5)
    assert truth - 1e-5 < low < high < truth + 1e-5


def test_counted_cases_are_drawn_by_one_law_whatever_their_number(monkeypatch):
    y, (s, _) = binormal(60, [1, 0.5])
    counts = ScoreCounts.from_arrays(np.repeat(y, 3), np.repeat(np.round(s, 1), 3))
    question = {"max_fpr": 0.5, "rng": 0, "n_resamples": 3000}
    one_by_one = partial_auc_interval(counts, **question)
    monkeypatch.setattr("demur.auc.curves._MOST_ROWS", 0)
    assert partial_auc_interval(counts, **question) == pytest.approx(one_by_one, abs=0.01)


def test_standardised_areas_below_the_diagonal_by_hand():
    # pROC returns NA with a warning here, scikit-learn goes on with McClish's line
    curve = roc_curve([0, 0, 0, 0, 1, 1], [3, 4, 5, 6, 1, 2])
    with pytest.warns(DegenerateDataWarning, match=r"below the diagonal .*area 0, chance 0.125"):
        assert curve.partial_auc(0, 0.5, standardize=True) == pytest.approx((1 - 0.125 / 0.375) / 2)
    with pytest.warns(DegenerateDataWarning, match="below the diagonal"):
        assert curve.partial_auc(0.9, 1, standardize=True) == pytest.approx(-9)
    with pytest.warns(DegenerateDataWarning, match="below the diagonal"):
        assert curve.partial_auc_sensitivity(0.5, standardize=True) < 0.5
    # on the diagonal: 1/2, and no warning although resamples fall below
    chance = [0, 1, 0, 1], [1, 1, 2, 2]
    assert roc_curve(*chance).partial_auc(0, 0.3, standardize=True) == pytest.approx(0.5)
    assert partial_auc_interval(*chance, max_fpr=0.3, standardize=True, rng=0, n_resamples=50).low < 0.5
