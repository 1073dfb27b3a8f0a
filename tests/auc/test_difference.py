"""Tests of differences of AUCs against enumeration, R and hand computation."""

import itertools
import json
import math
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import ndtr, ndtri

import auc_oracles as oracle
from auc_oracles import order_table, paired_data, split, swapped_differences
from demur import (
    DegenerateDataWarning,
    InputError,
    ScoreCounts,
    UndefinedError,
    auc_difference_test,
    auc_interval,
    auc_score,
)
from demur._kernels.lattice_laws import too_large, upper_tail
from demur.auc import (
    auc_contrast_test,
    auc_covariance,
    auc_difference_variances,
    auc_pairwise_tests,
    auc_unpaired_test,
    auc_variance,
)
from demur.paired.scores import JointScores
from examples import examples
from reference_cases import cases, close

FILE = "auc_inference.json"
METHODS = ("permutation", "delong", "jackknife", "unbiased", "bootstrap")
COMPUTATIONS = ("enumeration", "lattice", "saddlepoint", "normal")

# a worked example, small enough for hand computation
Y = [0, 0, 0, 0, 1, 1, 1]
A, B = [1, 2, 2, 4, 2, 3, 5], [1, 3, 2, 2, 3, 2, 4]


def exchange_scores(*data, **options):
    """Exchange the scores themselves, as the oracles do, whatever their scales."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DegenerateDataWarning)
        return auc_difference_test(*data, exchange="scores", **options)


def joined(data):
    y = [0] * len(data["x1"]) + [1] * len(data["y1"])
    return y, [*data["x1"], *data["y1"]], [*data["x2"], *data["y2"]]


# ---------------------------------------------------------------- by hand


@pytest.mark.parametrize(
    ("method", "variance"),
    [
        ("delong", 1 / 16),
        ("jackknife", 307 / 4032),
        ("unbiased", 29 / 576),
        ("bootstrap", 347 / 6912),
        ("permutation", 29 / 576),
    ],
)
def test_difference_of_the_worked_example_by_hand(method, variance):
    exchange = {"exchange": "scores"} if method == "permutation" else {}
    test = auc_difference_test(Y, A, B, method=method, **exchange)
    assert test.difference == pytest.approx(-1 / 24, abs=1e-15)
    assert test.variance == pytest.approx(variance, abs=1e-15)
    assert test.statistic == pytest.approx(-1 / 24 / math.sqrt(variance))
    if method == "permutation":
        assert (test.pvalue, test.mid_pvalue) == (15 / 16, 27 / 32)
        assert test.computation == "enumeration"


def test_terms_of_the_permutation_law_by_hand():
    joint = JointScores.of_two(Y, A, B, quantity="The test")
    assert joint.permutation_terms(0, 1).tolist() == [0, 4, 0, -7, -5, 5, 1]
    assert joint.joint_wins(0, 1) == 7.25


def test_one_sided_permutation_by_hand():
    # terms ±3 and ±1: the sums are 4, 2, -2, -4
    terms = np.array([3, 1])
    assert upper_tail(terms, 4)[:2] == (0, 0.25)
    assert upper_tail(terms, 2)[:2] == (0.25, 0.25)
    assert upper_tail(terms, -2)[:2] == (0.5, 0.25)
    assert upper_tail(terms, -4)[:2] == (0.75, 0.25)


def test_unpaired_test_by_hand():
    # psi = [[1, 1], [0, 1]] has variance 1/8; three against three reversed has variance 0
    first = [0, 0, 1, 1], [1, 3, 2, 4]
    second = [0, 0, 0, 1, 1, 1], [4, 5, 6, 1, 2, 3]
    test = auc_unpaired_test(*first, *second, df="inf")
    assert (test.difference, test.variance) == (0.75, 0.125)
    assert test.statistic == pytest.approx(0.75 / math.sqrt(0.125))
    assert auc_unpaired_test(*first, *second).df == pytest.approx(3)


# ---------------------------------------------------------------- reference cases


@pytest.mark.parametrize("case", cases(FILE, "auc_paired"))
def test_paired_variances_against_enumeration(case):
    data, expected, tol = joined(case["input"]), case["expected"], case["tol"]
    keys = {"delong": "var_delong", "jackknife": "var_jackknife1", "bootstrap": "var_bootstrap"}
    for method, key in keys.items():
        test = auc_difference_test(*data, method=method)
        close(test.variance, expected[key], tol)
        close([test.auc_a, test.auc_b, test.difference], [expected[k] for k in ("auc1", "auc2", "diff")], tol)
    scores = np.column_stack(data[1:])
    for method, key in (("delong", "cov_delong"), ("unbiased", "cov_wieand")):
        close(auc_covariance(data[0], scores, method=method)[0, 1], expected[key], tol)
    if expected["var_unbiased"] >= 0:
        close(auc_difference_test(*data, method="unbiased").variance, expected["var_unbiased"], tol)
    joint = JointScores.of_two(*data, quantity="The test")
    close(joint.joint_wins(0, 1), expected["sum_psi1_psi2"], tol)
    squares = joint.joint_wins(0, 0) + joint.joint_wins(1, 1) - 2 * joint.joint_wins(0, 1)
    close(squares, expected["sum_w2"], tol)


@pytest.mark.parametrize("case", cases(FILE, "auc_paired"))
@pytest.mark.parametrize("computation", [None, "enumeration", "lattice"])
def test_permutation_against_enumeration(case, computation):
    expected, tol = case["expected"], case["tol"]
    test = exchange_scores(*joined(case["input"]), computation=computation)
    close(test.variance, expected["perm_var"], tol)
    close(test.pvalue, expected["perm_p"], tol)
    if expected["perm_z"] is None:
        # identical or constant models: no variance, one possible outcome
        assert (test.statistic, test.pvalue, test.mid_pvalue) == (0, 1, 0.5)
    else:
        close(test.statistic, expected["perm_z"], tol)
        close(test.mid_pvalue, expected["perm_midp"], tol)


@pytest.mark.parametrize("case", cases(FILE, "proc_delong"))
def test_tests_against_r(case):
    data, expected, tol = case["input"], case["expected"], case["tol"]
    y, a, b = joined(data)
    paired = auc_difference_test(y, a, b, method="delong")
    close([paired.statistic, paired.pvalue], [expected["z"], expected["p"]], tol)
    close(auc_covariance(y, np.column_stack([a, b]))[0, 1], expected["cov12"], tol)
    third = [0] * len(data["x3"]) + [1] * len(data["y3"]), [*data["x3"], *data["y3"]]
    unpaired = auc_unpaired_test(y, a, *third)
    got = [unpaired.statistic, unpaired.df, unpaired.pvalue]
    close(got, [expected["unpaired_stat"], expected["unpaired_df"], expected["unpaired_p"]], tol)


@pytest.mark.parametrize("case", cases(FILE, "delong_k"))
def test_contrast_against_brute_force(case):
    data, expected, tol = case["input"], case["expected"], case["tol"]
    scores = np.concatenate([np.array(data["X"]).T, np.array(data["Y"]).T])
    y = [0] * len(data["X"][0]) + [1] * len(data["Y"][0])
    test = auc_contrast_test(y, scores, data["contrast"])
    close(test.auc.tolist(), expected["theta"], tol)
    close(test.covariance.tolist(), expected["cov"], tol)
    close([test.statistic, test.df, test.pvalue], [expected[k] for k in ("chi2", "df", "p")], tol)
    doubled = auc_contrast_test(y, scores, [*data["contrast"], *data["contrast"]])
    close([doubled.statistic, doubled.df], [expected["chi2"], expected["df"]], 1e-8)


# ---------------------------------------------------------------- brute force on random data


@given(paired_data(max_class=3, min_class=2))
@settings(max_examples=examples(80), deadline=None)
def test_paired_variances_against_brute_force(data):
    y, (a, b) = data
    x1, y1, x2, y2 = split(y, a, b)
    table = order_table(x1, y1) - order_table(x2, y2)
    for method in ("delong", "jackknife", "bootstrap"):
        test = auc_difference_test(y, a, b, method=method)
        assert test.variance == pytest.approx(oracle.VARIANCES[method](table), abs=1e-13)
        assert test.difference == pytest.approx(table.mean(), abs=1e-15)
    expected = oracle.unbiased(table)
    if expected < -1e-12:
        with pytest.raises(UndefinedError, match="'delong', 'bootstrap' and 'permutation'"):
            auc_difference_test(y, a, b, method="unbiased")
    elif expected > 1e-12:
        assert auc_difference_test(y, a, b, method="unbiased").variance == pytest.approx(expected, abs=1e-13)


@given(paired_data(max_class=4))
@settings(max_examples=examples(80), deadline=None)
def test_permutation_against_brute_force(data):
    y, (a, b) = data
    values = swapped_differences(*split(y, a, b))
    gap = auc_difference_test(y, a, b, method="bootstrap").difference
    close_to = 1e-9
    law = {
        "two-sided": (np.abs(values) > abs(gap) + close_to, np.abs(np.abs(values) - abs(gap)) < close_to),
        "greater": (values > gap + close_to, np.abs(values - gap) < close_to),
        "less": (values < gap - close_to, np.abs(values - gap) < close_to),
    }
    for alternative, (beyond, at) in law.items():
        for computation in (None, "lattice"):
            test = exchange_scores(y, a, b, alternative=alternative, computation=computation)
            assert test.variance == pytest.approx(values.var(), abs=1e-14)
            assert test.pvalue == pytest.approx(beyond.mean() + at.mean(), abs=1e-12)
            assert test.mid_pvalue == pytest.approx(beyond.mean() + at.mean() / 2, abs=1e-12)


@given(paired_data(max_class=3, min_class=2, models=3), st.sampled_from(list(oracle.VARIANCES)))
@settings(max_examples=examples(60), deadline=None)
def test_covariance_against_polarised_brute_force(data, method):
    y, columns = data
    matrix = auc_covariance(y, np.column_stack(columns), method=method)
    tables = [order_table(*split(y, column)) for column in columns]
    variance = oracle.VARIANCES[method]
    own = [variance(table) for table in tables]
    for i, j in itertools.combinations(range(3), 2):
        polarised = (own[i] + own[j] - variance(tables[i] - tables[j])) / 2
        assert matrix[i, j] == matrix[j, i] == pytest.approx(polarised, abs=1e-13)
    assert np.diag(matrix) == pytest.approx(own, abs=1e-13)


@given(paired_data(max_class=4))
@settings(max_examples=examples(60), deadline=None)
def test_all_variances_at_once_are_those_of_the_tests(data):
    y, (a, b) = data
    variances = auc_difference_variances(y, a, b)
    several = min(y.count(0), y.count(1)) > 1
    assert list(variances) == [m for m in METHODS if several or m in ("permutation", "bootstrap")]
    for method, variance in variances.items():
        if variance < 0:
            assert method == "unbiased"
            assert variance == pytest.approx(
                oracle.unbiased(order_table(*split(y, a)) - order_table(*split(y, b))), abs=1e-13
            )
        else:
            assert variance == auc_difference_test(y, a, b, method=method).variance


def test_unequal_weights_have_no_permutation_variance():
    unequal = [0.5, 1, 1, 1, 1, 1, 1]
    assert list(auc_difference_variances(Y, A, B, sample_weight=unequal)) == list(METHODS[1:])
    # equal weights are no weights
    assert auc_difference_variances(Y, A, B, sample_weight=[0.3] * 7) == auc_difference_variances(Y, A, B)


@given(paired_data(min_class=2), st.data())
@settings(max_examples=examples(60), deadline=None)
def test_weights_are_repeated_rows(data, more):
    y, (a, b) = data
    weights = more.draw(st.lists(st.integers(0, 3), min_size=len(y), max_size=len(y)))
    weights[y.index(0)] = weights[y.index(1)] = 2
    rows = [np.repeat(column, weights) for column in (y, a, b)]
    for method in ("permutation", "delong", "jackknife", "bootstrap"):
        weighted = auc_difference_test(y, a, b, method=method, sample_weight=weights, weights="repeats")
        repeated = auc_difference_test(*rows, method=method)
        for name in ("auc_a", "auc_b", "difference", "variance", "pvalue", "mid_pvalue"):
            assert getattr(weighted, name) == pytest.approx(getattr(repeated, name), abs=1e-12), name
        assert weighted.interval(0.9) == pytest.approx(repeated.interval(0.9), abs=1e-9)


@given(paired_data(max_class=4))
@settings(max_examples=examples(100), deadline=None)
def test_equal_placements_mean_equal_tables(data):
    y, (a, b) = data
    x1, y1, x2, y2 = split(y, a, b)
    one, other = order_table(x1, y1), order_table(x2, y2)
    same = np.array_equal(one.sum(1), other.sum(1)) and np.array_equal(one.sum(0), other.sum(0))
    assert same == np.array_equal(one, other)


@pytest.mark.parametrize("levels", [3, 40, 10**6])
def test_joint_wins_compiled_against_the_definition(levels):
    rng = np.random.default_rng(levels)
    y = rng.random(3000) < 0.4
    scores = rng.integers(0, levels, (2, 3000)) + 0.0
    weights = rng.integers(1, 4, 3000) * 0.5
    joint = JointScores(y, scores, weights)
    tables = [order_table(*split(y.astype(int), score)) for score in scores]
    expected = weights[~y] @ (tables[0] * tables[1]) @ weights[y]
    from demur._kernels import jit

    with jit.whole_job(jit.COMPILE_JOB_FROM):
        assert jit.worth_compiling(3000)
        assert joint.joint_wins(0, 1) == pytest.approx(expected, rel=1e-13)
        row, column, tied = joint.placements(0, 1)
    mixed = order_table(scores[0][~y], scores[1][y])
    assert row == pytest.approx(mixed @ weights[y], rel=1e-13)
    assert column == pytest.approx(weights[~y] @ mixed, rel=1e-13)
    assert tied == pytest.approx(weights[~y] @ (mixed == 0.5) @ weights[y])


# ---------------------------------------------------------------- the law of random signs


@pytest.mark.parametrize("seed", range(6))
def test_saddlepoint_against_the_lattice(seed):
    # about 1 % of p, where the normal law is off many times in the tail
    rng = np.random.default_rng(seed)
    terms = rng.integers(-40, 41, 60) * int(rng.integers(1, 4))
    step = 2 * int(np.gcd.reduce(terms))
    start = int(np.abs(terms).sum()) % step
    for value in range(start, int(4.5 * math.sqrt((terms.astype(float) ** 2).sum())), 20 * step):
        exact, saddle = (upper_tail(terms, value, how) for how in ("lattice", "saddlepoint"))
        assert saddle[:2] == pytest.approx(exact[:2], rel=0.02)
    top = int(np.abs(terms).sum())
    exact = upper_tail(terms, top, "lattice")
    assert exact[:2] == (0, pytest.approx(0.5 ** np.count_nonzero(terms), rel=1e-9))
    assert upper_tail(terms, top, "saddlepoint")[0] == 0


@pytest.mark.parametrize("deviations", [0.5, 3, 9])
def test_saddlepoint_by_power_sums_against_all_terms(monkeypatch, deviations):
    from demur._kernels import lattice_laws

    terms = np.random.default_rng(10).integers(1, 1000, 40_000)
    value = int(deviations * math.sqrt((terms.astype(float) ** 2).sum()))
    value += (value - int(terms.sum())) % 2
    by_series = upper_tail(terms, value, "saddlepoint")[0]
    monkeypatch.setattr(lattice_laws, "_SERIES_UP_TO", 0.0)
    assert by_series == pytest.approx(upper_tail(terms, value, "saddlepoint")[0], rel=1e-9)


def test_lattice_against_enumeration_in_the_far_tail():
    terms = np.array([7, -3, 5, 11, 2, 2, 9, -13, 4, 6, 1, 8, 3, 10, 12, 5, 7])
    for value in range(-108, 109, 2):
        exact, lattice = (upper_tail(terms, value, how) for how in ("enumeration", "lattice"))
        assert lattice[:2] == pytest.approx(exact[:2], rel=1e-12)


def test_tiny_pvalues_keep_their_accuracy_on_both_sides():
    # 60 + 60 cases, perfect against reversed: only keeping or swapping every case is as extreme
    y = np.repeat([0, 1], 60)
    a, b = np.arange(120.0), -np.arange(120.0)
    for first, second, alternative in ((a, b, "greater"), (b, a, "less")):
        for side, factor in ((alternative, 1), ("two-sided", 2)):
            for computation in ("lattice", None):
                test = exchange_scores(y, first, second, alternative=side, computation=computation)
                terms = JointScores.of_two(y, first, second, quantity="").permutation_terms(0, 1)
                assert test.pvalue == pytest.approx(factor * 0.5 ** np.count_nonzero(terms), rel=1e-9)
        assert not test.degenerate


def test_law_is_chosen_by_size():
    rng = np.random.default_rng(0)
    small, middle, large = rng.integers(1, 9, 20), rng.integers(1, 99, 21), rng.integers(1, 10**6, 5000)
    expected = ("enumeration", "lattice", "saddlepoint")
    for terms, computation in zip((small, middle, large), expected, strict=True):
        total = int(terms.sum())
        assert upper_tail(terms, total % 2)[2] == computation
    assert upper_tail(np.zeros(3, np.int64), 0)[:2] == (0, 1)
    assert too_large(large, "lattice")
    assert not too_large(middle, "lattice")
    assert not too_large(large, "saddlepoint")


def test_normal_computation_against_theory():
    rng = np.random.default_rng(1)
    y, a = np.repeat([0, 1], 200), rng.normal(size=400)
    test = auc_difference_test(y, a + y, a + 0.9 * y + rng.normal(size=400), computation="normal")
    assert test.pvalue == pytest.approx(math.erfc(abs(test.statistic) / math.sqrt(2)))


def test_default_does_not_depend_on_the_scale():
    rng = np.random.default_rng(2)
    y = np.repeat([0, 1], 12)
    a, b = np.round(rng.normal(size=(2, 24)) + y, 1)
    expected = auc_difference_test(y, a, b).to_dict()
    for rescaled in ((a, 5 * b), (5 * a, b), (np.exp(a), 100 * b - 7)):
        assert auc_difference_test(y, *rescaled).to_dict() == expected
        assert auc_difference_variances(y, *rescaled) == auc_difference_variances(y, a, b)
        tests = auc_pairwise_tests(y, np.column_stack(rescaled))
        assert tests.pvalue.tolist() == [expected["pvalue"]]
    by_hand = [(s[:, None] > s).sum(1) + (s[:, None] == s).sum(1) / 2 for s in (a, b)]
    assert exchange_scores(y, *by_hand).pvalue == expected["pvalue"]
    assert exchange_scores(y, np.exp(a), b).pvalue != expected["pvalue"]
    weighted = auc_difference_test(y, a, b, sample_weight=np.full(24, 2), weights="repeats")
    repeated = auc_difference_test(*(np.repeat(v, 2) for v in (y, a, b)))
    assert weighted.pvalue == repeated.pvalue


def test_exchange_of_scores_on_other_scales_warns():
    rng = np.random.default_rng(2)
    y = np.repeat([0, 1], 50)
    a, b = rng.normal(size=(2, 100)) + y
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        auc_difference_test(y, a, 1.5 * b, exchange="scores")  # less than twice as wide
        auc_difference_test(y, a * 0, b * 0, exchange="scores")  # all scores tied on one value
        auc_difference_test(y, a - np.inf, b - np.inf, exchange="scores")  # and that one infinite
        auc_difference_test(y, a, 5 * b)
    for other in (5 * b, b / 5, b + 10, b * 0):
        with pytest.warns(DegenerateDataWarning, match=r"different scales .*exchange='ranks'") as caught:
            auc_difference_test(y, a, other, exchange="scores")
        assert caught[0].filename == __file__
    with pytest.warns(DegenerateDataWarning, match="different scales"):
        auc_pairwise_tests(y, np.column_stack([a, 5 * b]), exchange="scores")


# ---------------------------------------------------------------- identical and degenerate models


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize("weights", [None, 2, 0.3])
def test_identical_models_give_p_1_and_no_length(method, alternative, weights):
    # other software answered p = 0 here
    rng = np.random.default_rng(4)
    for scores in (rng.normal(size=40), rng.integers(0, 3, 40), np.zeros(40)):
        y = np.arange(40) % 3 == 0
        sample_weight = None if weights is None else np.full(40, weights)
        test = auc_difference_test(
            y, scores, scores, method=method, alternative=alternative, sample_weight=sample_weight
        )
        assert (test.difference, test.variance, test.statistic) == (0, 0, 0)
        # the observed outcome is the only one: P(T > t) + P(T = t) / 2 = 1/2
        assert (test.pvalue, test.mid_pvalue) == (1, 0.5)
        assert test.interval() == test.interval(0.5) == (0, 0)
        assert not test.degenerate


@pytest.mark.parametrize("computation", COMPUTATIONS)
def test_identical_models_give_p_1_however_computed(computation):
    rng = np.random.default_rng(4)
    test = auc_difference_test(np.arange(40) % 2, *[rng.normal(size=40)] * 2, computation=computation)
    assert (test.pvalue, test.mid_pvalue) == (1, 0.5)


def test_models_that_differ_only_by_scale_are_equal():
    rng = np.random.default_rng(5)
    y, s = np.arange(50) % 2, rng.normal(size=50)
    for method in METHODS:
        test = auc_difference_test(y, s, np.exp(s), method=method)
        assert (test.difference, test.pvalue, test.interval()) == (0, 1, (0, 0))


def test_perfect_against_reversed_by_hand():
    y, s = [0, 0, 0, 1, 1, 1], [1, 2, 3, 4, 5, 6]
    worst = [6, 5, 4, 3, 2, 1]
    for method in ("delong", "jackknife", "bootstrap"):
        test = auc_difference_test(y, s, worst, method=method)
        assert (test.difference, test.variance, test.statistic) == (1, 0, math.inf)
        assert (test.pvalue, test.degenerate) == (0, True)
        assert -1 < test.interval().low < test.interval().high == 1
    exact = exchange_scores(y, s, worst)
    # only keeping or swapping every case is as extreme
    assert (exact.pvalue, exact.mid_pvalue) == (2 / 64, 1 / 64)
    assert exact.interval().low < 1
    mirrored = auc_difference_test(y, worst, s, method="delong")
    assert mirrored.statistic == -math.inf
    assert auc_difference_test(y, worst, s, method="delong", alternative="less").pvalue == 0
    assert auc_difference_test(y, worst, s, method="delong", alternative="greater").pvalue == 1


def test_one_case_per_class():
    for method in ("permutation", "bootstrap"):
        assert auc_difference_test([0, 1], [1, 2], [1, 2], method=method).pvalue == 1
    assert auc_difference_test([0, 1], [1, 2], [2, 1]).pvalue == 0.5
    for method in ("delong", "jackknife", "unbiased"):
        with pytest.raises(UndefinedError, match="positive cases, got 1\\. Hint: 'bootstrap'"):
            auc_difference_test([0, 0, 1], [1, 3, 2], [2, 1, 4], method=method)
    with pytest.raises(UndefinedError, match="negative cases, got 1\\. Hint: 'bootstrap'"):
        auc_unpaired_test([0, 1, 1], [1, 2, 0], [0, 0, 1, 1], [1, 3, 2, 4])
    assert auc_unpaired_test([0, 1], [1, 2], [0, 1], [2, 1], variance="bootstrap").degenerate


def test_negative_unbiased_variance_of_a_difference_raises():
    data = [0, 0, 1, 1], [0, 1, 0, 2], [1, 2, 0, 2]
    table = order_table([0, 1], [0, 2]) - order_table([1, 2], [0, 2])
    assert oracle.unbiased(table) == -1 / 16
    with pytest.raises(UndefinedError, match="needs a variance above 0, got -0"):
        auc_difference_test(*data, method="unbiased")
    assert auc_covariance(data[0], np.column_stack(data[1:]), method="unbiased").shape == (2, 2)


def test_unpaired_without_variance_still_has_an_interval():
    perfect = [0] * 10 + [1] * 10, range(20)
    test = auc_unpaired_test(*perfect, *perfect)
    assert (test.statistic, test.pvalue, test.df, test.degenerate) == (0, 1, math.inf, True)
    low, high = test.interval()
    # the single intervals are [0.80021, 1]
    assert (low, high) == pytest.approx((-0.19979, 0.19979), abs=1e-5)


def test_unpaired_takes_arrays_counts_and_pairs():
    rng = np.random.default_rng(6)
    first = rng.integers(0, 2, 30), rng.normal(size=30)
    second = rng.integers(0, 2, 40), rng.normal(size=40)
    counts = [ScoreCounts.from_arrays(*sample) for sample in (first, second)]
    expected = auc_unpaired_test(*first, *second).to_dict()
    for evidence in ((first, second), counts, (counts[0], *second), (*first, counts[1])):
        assert auc_unpaired_test(*evidence).to_dict() == expected
    strings = [np.where(y, "bad", "good") for y, _ in (first, second)]
    test = auc_unpaired_test(strings[0], first[1], strings[1], second[1], pos_label="bad")
    assert test.to_dict() == expected
    normal = auc_unpaired_test(*counts, df=math.inf)
    half = 1.959963984540054 * math.sqrt(normal.variance)
    assert normal.interval() == pytest.approx((normal.difference - half, normal.difference + half))
    assert test.interval().high - test.interval().low > 2 * half
    one_sided = [auc_unpaired_test(*counts, alternative=side).pvalue for side in ("greater", "less")]
    assert sum(one_sided) == pytest.approx(1)
    assert 2 * min(one_sided) == pytest.approx(test.pvalue)


def test_contrast_of_identical_models_has_no_rank():
    rng = np.random.default_rng(7)
    y, s = np.arange(30) % 2, rng.normal(size=30)
    scores = np.column_stack([s] * 4)
    for contrast in ([1, -1, 0, 0], [1, -1 / 3, -1 / 3, -1 / 3], np.eye(4) - 0.25):
        test = auc_contrast_test(y, scores, contrast)
        assert (test.statistic, test.df, test.pvalue, test.degenerate) == (0, 0, 1, False)
    with pytest.warns(DegenerateDataWarning, match="no variance but differs"):
        test = auc_contrast_test(y, scores, [1, -1, 0, 0], value=0.1)
    assert (test.statistic, test.pvalue, test.degenerate) == (math.inf, 0, True)


def test_contrast_of_one_model_against_a_value_by_hand():
    auc, variance = auc_score(Y, A), auc_variance(Y, A)
    test = auc_contrast_test(Y, np.reshape(A, (-1, 1)), [1.0], value=0.5)
    assert test.statistic == pytest.approx((auc - 0.5) ** 2 / variance)


def test_pairwise_tests_against_single_tests_and_holm_by_hand():
    rng = np.random.default_rng(8)
    y = np.arange(60) % 2
    scores = rng.normal(size=(60, 4)) + y[:, None] * [0.2, 1.0, 1.5, 2.5]
    tests = auc_pairwise_tests(y, scores, names="wxyz", method="delong")
    for (a, b), gap, p in zip(tests.pairs, tests.difference, tests.pvalue, strict=True):
        single = auc_difference_test(y, scores[:, a], scores[:, b], method="delong")
        assert (gap, p) == (single.difference, single.pvalue)
    ordered = np.sort(tests.pvalue)
    running, expected = 0.0, {}
    for rank, p in enumerate(ordered):
        running = max(running, min((6 - rank) * p, 1))
        expected[p] = running
    assert tests.adjusted_pvalue.tolist() == [expected[p] for p in tests.pvalue]
    plain = auc_pairwise_tests(y, scores, method="delong", adjustment="none")
    assert plain.adjusted_pvalue.tolist() == tests.pvalue.tolist()
    same = auc_pairwise_tests(y, scores[:, [0, 0, 0]])
    assert same.adjusted_pvalue.tolist() == [1, 1, 1]


# ---------------------------------------------------------------- form


def test_labels_of_other_kinds_agree():
    expected = auc_difference_test(Y, A, B).to_dict()
    words = ["ill" if label else "well" for label in Y]
    for labels, positive in (
        ([float(v) for v in Y], None),
        (words, "ill"),
        ([1 - v for v in Y], 0),
        ([2 * v - 1 for v in Y], None),
    ):
        assert auc_difference_test(labels, A, B, pos_label=positive).to_dict() == expected


def test_order_of_the_cases_does_not_matter():
    rng = np.random.default_rng(9)
    y, (a, b) = rng.integers(0, 2, 80), rng.integers(0, 9, (2, 80))
    order = rng.permutation(80)
    for method in ("permutation", "delong", "bootstrap"):
        one = auc_difference_test(y, a, b, method=method)
        other = auc_difference_test(y[order], a[order], b[order], method=method)
        assert one.variance == pytest.approx(other.variance, rel=1e-13)
        assert one.pvalue == pytest.approx(other.pvalue, rel=1e-12)


def test_results_are_json_safe_and_short():
    results = [
        auc_difference_test(Y, A, B),
        auc_difference_test([0, 0, 1, 1], [1, 2, 3, 4], [4, 3, 2, 1], method="delong"),
        auc_unpaired_test(Y, A, Y, B),
        auc_contrast_test(Y, np.column_stack([A, B]), [1, -1]),
        auc_pairwise_tests(Y, np.column_stack([A, B])),
    ]
    for result in results:
        json.dumps(result.to_dict(), allow_nan=False)
        assert len(repr(result)) < 120


AB = np.column_stack([A, B])
MANY = [np.arange(60) % 2, np.arange(60), np.arange(60)[::-1] ** 2 % 61]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: auc_difference_test(Y, A, B, method="z"), "`method` must be one of 'permutation', 'delong'"),
        (lambda: auc_difference_test(Y, A, B, alternative="up"), "`alternative` must be one of 'two-sided'"),
        (
            lambda: auc_difference_test(Y, A, B, computation="fft"),
            "`computation` must be one of 'enumeration'",
        ),
        (
            lambda: auc_difference_test(*MANY, computation="enumeration"),
            "must suit the number of cases, got 'enumeration' for 60 cases",
        ),
        (
            lambda: auc_difference_test(Y, A, B, exchange="logs"),
            "`exchange` must be one of 'ranks', 'scores'",
        ),
        (
            lambda: auc_difference_test(Y, A, B, method="delong", exchange="ranks"),
            "`exchange` is only for method 'permutation'",
        ),
        (
            lambda: auc_difference_test(Y, A, B, weights="counts"),
            "`weights` must be one of 'importance', 'repeats'",
        ),
        (
            lambda: auc_difference_test(Y, A, B, sample_weight=[2, 1, 1, 1, 1, 1, 1]),
            "got weights that are not numbers of cases. Hint: 'delong'",
        ),
        (lambda: auc_difference_test(Y, A, B[1:]), "`score_b` must have the same length, got 7 and 7 and 6"),
        (lambda: auc_difference_test(Y, A, [math.nan] * 7), "`score_b` must not contain NaN"),
        (lambda: auc_difference_test([1] * 7, A, B), "needs cases of both classes, got no negative"),
        (
            lambda: auc_difference_test(Y, A, B, sample_weight=[0.5] * 7, weights="repeats"),
            "got weights that are not numbers of cases. Hint: 'delong'",
        ),
        (lambda: auc_difference_test(["a", "b"] * 3, A[1:], B[1:]), "`pos_label` is required"),
        (lambda: auc_unpaired_test(Y, A, Y), "`y_score` is missing"),
        (lambda: auc_unpaired_test(Y, A), "`evidence` must be two samples, got 1"),
        (lambda: auc_unpaired_test(Y, A, Y, B, df=12), "`df` must be one of 'welch', 'inf'"),
        (lambda: auc_unpaired_test(Y, A, Y, B, variance="z"), "`variance` must be one of"),
        (lambda: auc_unpaired_test(Y, A, [1, 1], [1, 2]), "got no negative case"),
        (lambda: auc_difference_test(Y, A, B).interval(0), "strictly between 0 and 1"),
        (lambda: auc_covariance(Y, A), "`scores` must be two-dimensional with one row per case"),
        (lambda: auc_covariance(Y, AB[1:]), "must have the same length, got 7 and 6"),
        (lambda: auc_covariance([0] * 7, AB), "got no positive case"),
        (lambda: auc_covariance(Y, AB, method="permutation"), "`method` must be one of 'delong'"),
        (lambda: auc_contrast_test(Y, AB, [1, -1, 0]), "one column per model"),
        (lambda: auc_contrast_test(Y, AB, [1, math.nan]), "`contrast` must be finite"),
        (
            lambda: auc_contrast_test(Y, AB, [1, -1], value=[1, 2]),
            "`value` must be one number or one per row",
        ),
        (lambda: auc_pairwise_tests(Y, AB[:, :1]), "at least 2 columns, got 1"),
        (lambda: auc_pairwise_tests(Y, AB, names=["a", "a"]), "`names` must be 2 different names"),
        (lambda: auc_pairwise_tests(Y, AB, adjustment="tukey"), "`adjustment` must be one of 'holm', 'none'"),
    ],
)
def test_error_sentences(call, message):
    with pytest.raises(InputError, match=message):
        call()


# ---------------------------------------------------------------- what weights mean


@given(paired_data(min_class=2), st.data())
@settings(max_examples=examples(40), deadline=None)
def test_importance_weights_against_the_influence_function(data, more):
    y, (a, b) = np.array(data[0]), data[1]
    w = np.array(more.draw(st.lists(st.floats(0.1, 9), min_size=len(y), max_size=len(y))))
    neg, pos = w[y == 0], w[y == 1]
    gap_table = order_table(*split(y, a)) - order_table(*split(y, b))
    gap = neg @ gap_table @ pos / (neg.sum() * pos.sum())
    rows, columns = gap_table @ pos / pos.sum() - gap, neg @ gap_table / neg.sum() - gap
    parts = [((v * d) ** 2).sum() / v.sum() ** 2 for v, d in ((neg, rows), (pos, columns))]
    sizes = [v.sum() ** 2 / (v**2).sum() for v in (neg, pos)]
    test = auc_difference_test(y, a, b, method="delong", sample_weight=w)
    assert test.difference == pytest.approx(gap, abs=1e-12)
    expected = sum(part * n / (n - 1) for part, n in zip(parts, sizes, strict=True))
    assert test.variance == pytest.approx(expected, abs=1e-12)
    left = gap_table - gap - rows[:, None] - columns
    within = ((np.outer(neg, pos) * left) ** 2).sum() / (neg.sum() * pos.sum()) ** 2
    exact = auc_difference_variances(y, a, b, sample_weight=w)["bootstrap"]
    assert exact == pytest.approx(sum(parts) + within, abs=1e-12)
    for method in ("delong", "bootstrap"):
        matrix = auc_covariance(y, np.column_stack([a, b]), method=method, sample_weight=w)
        spread = matrix[0, 0] + matrix[1, 1] - 2 * matrix[0, 1]
        assert spread == pytest.approx(auc_difference_variances(y, a, b, sample_weight=w)[method], abs=1e-12)
        own = auc_variance(y, a, method=method, sample_weight=w)
        assert matrix[0, 0] == pytest.approx(own, abs=1e-12)


@pytest.mark.parametrize("factor", [100, 1e300, 2.0**-1000])
def test_importance_weights_have_no_unit(factor):
    rng = np.random.default_rng(3)
    y, (a, b), w = np.arange(50) % 2, rng.normal(size=(2, 50)), rng.random(50) + 0.1
    for method in METHODS[1:]:
        expected = auc_difference_test(y, a, b, method=method, sample_weight=w)
        scaled = auc_difference_test(y, a, b, method=method, sample_weight=w * factor)
        assert scaled.pvalue == pytest.approx(expected.pvalue, rel=1e-9)
        assert scaled.interval() == pytest.approx(expected.interval(), rel=1e-9)
    unpaired = [
        auc_unpaired_test(*(ScoreCounts.from_arrays(y, s, sample_weight=w * f) for s in (a, b)))
        for f in (1, factor)
    ]
    assert unpaired[0].pvalue == pytest.approx(unpaired[1].pvalue, rel=1e-9)
    assert unpaired[0].df < 98


def test_amounts_as_weights_are_not_millions_of_cases():
    rng = np.random.default_rng(4)
    y, a = np.arange(200) % 2, rng.normal(size=200) + 0.3 * (np.arange(200) % 2)
    b, amounts = a + rng.normal(size=200), rng.integers(1000, 5000, 200)
    importance = auc_difference_test(y, a, b, method="delong", sample_weight=amounts)
    repeats = auc_difference_test(y, a, b, method="delong", sample_weight=amounts, weights="repeats")
    assert importance.difference == pytest.approx(repeats.difference)
    assert importance.n_positive < 100 < 1e5 < repeats.n_positive
    assert importance.pvalue > 1e6 * repeats.pvalue


# ---------------------------------------------------------------- intervals


def combined(y, a, b, correlation, level=0.9):
    """MOVER from the definition: limits of the two AUCs, added as correlated standard errors are."""
    aucs = [auc_score(y, s) for s in (a, b)]
    (low_a, high_a), (low_b, high_b) = (auc_interval(y, s, confidence_level=level) for s in (a, b))
    difference, ends = aucs[0] - aucs[1], []
    for sign, first, second in (
        (-1, aucs[0] - low_a, high_b - aucs[1]),
        (1, high_a - aucs[0], aucs[1] - low_b),
    ):
        ends.append(difference + sign * math.sqrt(first**2 + second**2 - 2 * correlation * first * second))
    return ends


def test_interval_of_the_permutation_test_against_its_definition():
    variances = [auc_variance(Y, A), auc_variance(Y, B)]
    joint = auc_difference_variances(Y, A, B)["delong"]
    correlation = (sum(variances) - joint) / 2 / math.sqrt(variances[0] * variances[1])
    test = auc_difference_test(Y, A, B)
    assert test.interval(0.9) == pytest.approx(combined(Y, A, B, correlation), abs=1e-12)
    back = auc_difference_test(Y, B, A).interval(0.9)
    assert test.interval(0.9) == pytest.approx((-back.high, -back.low))
    # the same numbers on request from a test that divides by its standard error
    assert auc_difference_test(Y, A, B, method="delong").interval(0.9, method="score") == test.interval(0.9)


def test_wald_interval_takes_the_variance_of_the_test():
    for method, variance in (("permutation", "bootstrap"), ("delong", "delong")):
        test = auc_difference_test(Y, A, B, method=method)
        half = 1.6448536269514722 * math.sqrt(auc_difference_variances(Y, A, B)[variance])
        low, high = test.interval(0.9, method="wald")
        assert (low, high) == pytest.approx((test.difference - half, test.difference + half))
    with pytest.raises(InputError, match="`method` must be"):
        test.interval(0.9, method="logit")


def test_unpaired_score_interval_adds_squares():
    rng = np.random.default_rng(3)
    a, b = rng.normal(np.array(Y) * 1.5), rng.normal(np.array(Y) * 1.0)
    test = auc_unpaired_test(Y, a, Y, b)
    assert test.interval(0.9, method="score") == pytest.approx(combined(Y, a, b, 0.0), abs=1e-12)
    assert test.interval(0.9) != test.interval(0.9, method="score")


@pytest.mark.long
@pytest.mark.parametrize(("auc", "sizes"), [(0.75, (10, 90)), (0.98, (10, 90)), (0.995, (20, 200))])
def test_interval_covers_with_few_positives(auc, sizes):
    rng = np.random.default_rng([7, int(1000 * auc)])
    y = np.repeat([True, False], sizes)
    shift = math.sqrt(2) * ndtri(auc)
    truth = auc - ndtr((shift - 0.4) / math.sqrt(2))
    held = 0
    for _ in range(600):
        first, own = rng.normal(size=(2, len(y)))
        second = 0.5 * first + math.sqrt(0.75) * own
        low, high = auc_difference_test(y, first + shift * y, second + (shift - 0.4) * y).interval()
        held += low <= truth <= high
    assert held / 600 >= 0.93
