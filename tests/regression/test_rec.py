"""REC curves against the definition, the worked example, theory and known laws of statistics."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from demur import DegenerateDataWarning, InputError, UndefinedError, rec_curve
from demur.regression import (
    aoc_difference_test,
    aoc_interval,
    diebold_mariano_test,
    null_rec_curve,
    rec_band,
    rec_coverage_curve,
    rec_difference_test,
)
from examples import examples
from reference_cases import cases

FILE = "regression.json"
LOSSES = {"AD": "absolute", "SE": "squared"}


@st.composite
def regression_data(draw, max_size=12):
    """Tied, weighted data: (targets, predictions of a and of b, weights)."""
    n = draw(st.integers(1, max_size))
    level = st.integers(-6, 6).map(lambda k: k / 4)
    columns = [draw(st.lists(level, min_size=n, max_size=n)) for _ in range(3)]
    weights = draw(st.lists(st.sampled_from([1.0, 1.0, 2.0, 0.5, 3.0]), min_size=n, max_size=n))
    return (*(np.array(column) for column in columns), np.array(weights))


def errors_of(y, p, loss):
    e = np.abs(y - p)
    return e if loss == "absolute" else e**2


def accuracy_by_counting(e, w, t):
    return sum(wi for ei, wi in zip(e, w, strict=True) if ei <= t) / sum(w)


# ---------------------------------------------------------------- by hand

EXAMPLE = np.array([0, 0.1, 0.1, 0.3, 0.5, 1])


def test_areas_of_the_worked_example_by_hand():
    zeros = np.zeros(6)
    curve = rec_curve(zeros, EXAMPLE)
    assert curve.tolerance.tolist() == [0, 0.1, 0.3, 0.5, 1]
    assert curve.accuracy == pytest.approx([1 / 6, 3 / 6, 4 / 6, 5 / 6, 1])
    assert curve.aoc == pytest.approx(1 / 3, abs=1e-15)
    assert rec_curve(zeros, EXAMPLE, max_tolerance=0.4).aoc == pytest.approx(0.2166666666666667)
    assert rec_curve(zeros, EXAMPLE, interpolation="linear").aoc == pytest.approx(0.2416666666666667)


def test_values_between_the_errors_by_hand():
    step = rec_curve(np.zeros(6), EXAMPLE)
    assert np.asarray(step.accuracy_at([0, 0.05, 0.1, 0.2, 1, 9])) == pytest.approx(
        [1 / 6, 1 / 6, 0.5, 0.5, 1, 1]
    )
    linear = rec_curve(np.zeros(6), EXAMPLE, interpolation="linear")
    assert linear.accuracy_at(0.2) == pytest.approx((3 / 6 + 4 / 6) / 2)
    assert [step.tolerance_at(q) for q in (0, 1 / 6, 0.5, 0.51, 1)] == [0, 0, 0.1, 0.3, 1]
    x, y = rec_curve([0.0, 0.0], [1.0, 2.0]).vertices()
    assert (x.tolist(), y.tolist()) == ([0, 1, 1, 2, 2], [0, 0, 0.5, 0.5, 1])


def test_absolute_and_squared_areas_disagree_by_hand():
    # errors (0, 3) against (2, 2): the mean prefers the first, the mean square the second
    first, second = ([0.0, 3.0], [2.0, 2.0])
    absolute = [rec_curve([0, 0], p).aoc for p in (first, second)]
    squared = [rec_curve([0, 0], p, loss="squared").aoc for p in (first, second)]
    assert absolute == [1.5, 2.0]
    assert squared == [4.5, 4.0]
    curve_a, curve_b = rec_curve([0, 0], first), rec_curve([0, 0], second)
    assert not curve_a.dominates(curve_b)
    assert not curve_b.dominates(curve_a)
    assert curve_a.crossings(curve_b).tolist() == [2.0]


# ---------------------------------------------------------------- reference cases


@pytest.mark.parametrize("case", cases(FILE, "rec"))
def test_curves_against_reference(case):
    data, expect, tol = case["input"], case["expect"], case["tol"]
    y, p, loss = data["y_true"], data["y_pred"], LOSSES[data["metric"]]
    curve = rec_curve(y, p, loss=loss)
    null = null_rec_curve(y, constant=data["null_constant"], loss=loss)
    assert curve.tolerance == pytest.approx(np.array(expect["tolerances"]), abs=tol)
    assert curve.accuracy == pytest.approx(np.array(expect["accuracy"]), abs=tol)
    assert curve.aoc == pytest.approx(expect["aoc_step"], abs=tol)
    assert curve.mean_error == pytest.approx(expect["mean_error"], abs=tol)
    cut = rec_curve(y, p, loss=loss, max_tolerance=data["truncate"])
    assert cut.aoc == pytest.approx(expect["aoc_truncated"], abs=tol)
    assert curve.area_over(data["truncate"]) == pytest.approx(cut.aoc, abs=tol)
    linear = rec_curve(y, p, loss=loss, interpolation="linear")
    assert linear.aoc == pytest.approx(expect["aoc_polyline"], abs=tol)
    assert null.aoc == pytest.approx(expect["aoc_null"], abs=tol)
    assert curve.dominates(null) is expect["dominates_null"]
    assert curve.largest_gap(null) == pytest.approx(expect["ks_statistic"], abs=tol)
    band = rec_band(curve)
    inside = np.minimum(curve.accuracy + expect["dkw_halfwidth_95"], 1)
    assert band.high == pytest.approx(inside, abs=tol)


# ---------------------------------------------------------------- laws


@given(regression_data(), st.sampled_from(["absolute", "squared"]), st.floats(0.01, 4))
@settings(max_examples=examples(150), deadline=None)
def test_curve_and_area_against_counting(data, loss, limit):
    y, p, _, w = data
    e = errors_of(y, p, loss)
    curve = rec_curve(y, p, loss=loss, sample_weight=w, max_tolerance=limit)
    for t in [0.0, *e.tolist(), limit]:
        assert curve.accuracy_at(t) == pytest.approx(accuracy_by_counting(e, w, t), abs=1e-12)
    # the area by adding rectangles between the points where the count changes
    cuts = sorted({0.0, limit, *(t for t in e.tolist() if t < limit)})
    area = sum((b - a) * (1 - accuracy_by_counting(e, w, a)) for a, b in itertools.pairwise(cuts))
    assert curve.aoc == pytest.approx(area, abs=1e-12)
    assert curve.area_over(limit) == pytest.approx(area, abs=1e-12)


@given(regression_data())
@settings(max_examples=examples(100), deadline=None)
def test_polyline_area_against_its_formula(data):
    y, p, _, w = data
    e = np.abs(y - p)
    values = np.unique(e)
    mass = np.array([w[e == v].sum() for v in values])
    expected = np.average(e, weights=w) - mass @ np.diff(values, prepend=0.0) / (2 * w.sum())
    curve = rec_curve(y, p, interpolation="linear", sample_weight=w)
    assert curve.aoc == pytest.approx(expected, abs=1e-12)
    half = float(e.max()) / 2
    if half > 0:
        x, acc = curve.vertices()
        grid = np.unique(np.concatenate([x[x < half], [half]]))
        over = 1 - np.interp(grid, x, acc)
        assert curve.area_over(half) == pytest.approx(np.diff(grid) @ (over[1:] + over[:-1]) / 2, abs=1e-12)


@given(regression_data())
@settings(max_examples=examples(100), deadline=None)
def test_weight_two_is_a_repeated_row(data):
    y, p, _, w = data
    repeats = np.rint(2 * w).astype(int)
    one = rec_curve(y, p, sample_weight=w)
    other = rec_curve(np.repeat(y, repeats), np.repeat(p, repeats))
    assert one.accuracy == pytest.approx(other.accuracy, abs=1e-12)
    assert one.aoc == pytest.approx(other.aoc, abs=1e-12)


@given(regression_data())
@settings(max_examples=examples(150), deadline=None)
def test_dominance_and_crossings_against_sorted_errors(data):
    y, a, b, _ = data
    curve_a, curve_b = rec_curve(y, a), rec_curve(y, b)
    first, second = np.sort(np.abs(y - a)), np.sort(np.abs(y - b))
    # equal n: domination iff every order statistic is at most the other's, one strictly
    assert curve_a.dominates(curve_b) is bool(np.all(first <= second) and np.any(first < second))
    crossings, last = [], 0.0
    for t in np.union1d(first, second):
        sign = np.sign(np.sum(first <= t) - np.sum(second <= t))
        if sign and last and sign != last:
            crossings.append(t)
        last = sign or last
    assert curve_a.crossings(curve_b).tolist() == crossings
    squared = rec_curve(y, a, loss="squared"), rec_curve(y, b, loss="squared")
    assert squared[0].dominates(squared[1]) is curve_a.dominates(curve_b)
    assert squared[0].crossings(squared[1]).tolist() == [t**2 for t in crossings]
    if curve_a.dominates(curve_b):
        assert curve_a.aoc < curve_b.aoc
        assert squared[0].aoc < squared[1].aoc


def test_relative_area_is_r_squared_against_sklearn():
    from sklearn.metrics import r2_score

    rng = np.random.default_rng(0)
    y = rng.normal(size=50)
    p = y + rng.normal(size=50) / 3
    curve = rec_curve(y, p, loss="squared")
    assert 1 - curve.relative_aoc(null_rec_curve(y, loss="squared")) == pytest.approx(r2_score(y, p))
    train = rng.normal(size=80) + 0.3
    skill = 1 - np.mean((y - p) ** 2) / np.mean((y - train.mean()) ** 2)
    null = null_rec_curve(y, y_train=train, loss="squared")
    assert 1 - curve.relative_aoc(null) == pytest.approx(skill)
    cut = rec_curve(y, p, max_tolerance=0.1).relative_aoc(null_rec_curve(y, max_tolerance=0.1))
    e, e0 = np.abs(y - p), np.abs(y - y.mean())
    assert cut == pytest.approx(np.minimum(e, 0.1).mean() / np.minimum(e0, 0.1).mean())
    # a limit beyond the largest error of the model still cuts the null model
    cut = rec_curve(y, p, max_tolerance=1.2).relative_aoc(null_rec_curve(y, max_tolerance=1.2))
    assert e.max() < 1.2 < e0.max()
    assert cut == pytest.approx(e.mean() / np.minimum(e0, 1.2).mean())
    assert null_rec_curve(y, constant="median").aoc <= null_rec_curve(y).aoc


def test_the_largest_gap_against_scipy():
    from scipy.stats import ks_2samp

    rng = np.random.default_rng(1)
    y, a, b = rng.normal(size=(3, 40))
    expected = ks_2samp(np.abs(y - a), np.abs(y - b)).statistic
    assert rec_curve(y, a).largest_gap(rec_curve(y, b)) == pytest.approx(expected)
    assert rec_difference_test(y, a, b, rng=0, n_resamples=10).statistic == pytest.approx(expected)


# ---------------------------------------------------------------- bands and intervals


def test_pointwise_band_against_scipy():
    from scipy.stats import binomtest

    curve = rec_curve(np.zeros(20), np.arange(20) // 2)
    band = rec_band(curve, method="clopper-pearson", confidence_level=0.9)
    for k, low, high in zip(np.rint(curve.accuracy * 20), band.low, band.high, strict=True):
        interval = binomtest(int(k), 20).proportion_ci(0.9, method="exact")
        assert (low, high) == pytest.approx((interval.low, interval.high), abs=1e-12)


def test_simultaneous_band_covers_the_true_curve_against_theory():
    rng = np.random.default_rng(2)
    missed = 0
    for _ in range(300):
        band = rec_band(rec_curve(np.zeros(40), rng.exponential(size=40)), confidence_level=0.8)
        truth = 1 - np.exp(-band.tolerance)
        # between two errors the band is constant and the truth rises: check both ends
        before = np.concatenate([[min(1, math.sqrt(math.log(10) / 80))], band.high[:-1]])
        missed += bool(np.any(truth < band.low - 1e-12) or np.any(truth > before + 1e-12))
    assert missed / 300 < 0.2 + 3 * math.sqrt(0.16 / 300)
    assert missed > 0


def test_bootstrap_t_limits_against_definition():
    student = 2.200985160082949  # R: qt(.975, 11)
    from_resamples = set()
    for seed in range(6):
        e = np.random.default_rng(seed).exponential(size=12) ** 2
        low, high = aoc_interval(np.zeros(12), e, n_resamples=500, rng=1)
        m, s = e.mean(), e.std(ddof=1) / math.sqrt(12)
        drawn = e[np.random.default_rng(1).integers(0, 12, size=(500, 12))]
        spread = drawn.std(axis=1, ddof=1) / math.sqrt(12)
        studentised = np.sort(np.log(drawn.mean(axis=1) / m) * drawn.mean(axis=1) / spread)
        # the 13th and the 488th of 500 are the order statistics at .025 and .975
        below, above = studentised[12], studentised[487]
        from_resamples |= {below < -student, above > student}
        assert low == pytest.approx(m * math.exp(-max(above, student) * s / m))
        assert high == pytest.approx(m * math.exp(-min(below, -student) * s / m))
    assert from_resamples == {True, False}


def test_bootstrap_t_interval_scales_and_stays_within_the_cap():
    e = np.random.default_rng(5).lognormal(size=25)
    low, high = aoc_interval(np.zeros(25), e, rng=2)
    assert aoc_interval(np.zeros(25), 1000 * e, rng=2) == pytest.approx((1000 * low, 1000 * high))
    assert 0 < low < e.mean() < high
    few = aoc_interval(np.zeros(3), [0.9, 0.95, 0.2], max_tolerance=1, rng=0)
    assert few.high == 1  # three cases leave the upper limit open: the cap is the limit
    assert aoc_interval(np.zeros(3), [0.9, 0.95, 0.2], rng=0).high > 1


def test_equal_errors_have_an_interval_only_below_a_cap():
    low, high = aoc_interval(np.zeros(20), np.zeros(20), max_tolerance=2)
    # no error in 20 cases: Hoeffding's bound of a mean in [0, 2], exp(20 log(1 - x / 2)) = .025
    assert (low, high) == pytest.approx((0, 2 * (1 - 0.025 ** (1 / 20))))
    with pytest.warns(DegenerateDataWarning, match="All 20 errors are equal.*pass max_tolerance"):
        assert aoc_interval(np.zeros(20), np.ones(20)) == (1, 1)


@pytest.mark.parametrize("method", ["percentile", "bca"])
def test_area_interval_against_scipy(method):
    from scipy.stats import bootstrap

    e = np.random.default_rng(3).exponential(size=60)
    interval = aoc_interval(np.zeros(60), e, method=method, n_resamples=20_000, rng=1)
    name = {"bca": "BCa"}.get(method, method)
    expected = bootstrap((e,), np.mean, method=name, n_resamples=20_000, rng=1).confidence_interval
    assert interval == pytest.approx((expected.low, expected.high), abs=0.01)


def test_blocks_widen_the_interval_of_dependent_errors():
    rng = np.random.default_rng(4)
    noise = rng.normal(size=400)
    e = np.zeros(400)
    for k in range(1, 400):
        e[k] = 0.9 * e[k - 1] + noise[k]
    options = {"method": "percentile", "rng": 0}
    plain = aoc_interval(np.zeros(400), e, **options)
    blocks = aoc_interval(np.zeros(400), e, block_length=25, **options)
    assert blocks.high - blocks.low > 2 * (plain.high - plain.low)
    # the whole series as one block has nothing to vary
    low, high = aoc_interval(np.zeros(400), e, block_length=400, **options)
    assert low == pytest.approx(high)


def test_block_resamples_against_indexing():
    from demur.regression.intervals import bootstrap_means

    values = np.random.default_rng(5).normal(size=11)
    means = bootstrap_means(values, 50, 4, np.random.default_rng(6))
    starts = np.random.default_rng(6).integers(0, 8, size=(50, 3))
    for row, mean in zip(starts, means, strict=True):
        chosen = np.concatenate([values[s : s + 4] for s in row])[:11]
        assert chosen.mean() == pytest.approx(mean)


# ---------------------------------------------------------------- paired tests


def test_identical_models_give_p_one():
    y, p = np.arange(30.0), np.arange(30.0) + np.sin(np.arange(30))
    assert aoc_difference_test(y, p, p).pvalue == 1
    assert aoc_difference_test(y, p, p).interval() == (0, 0)
    assert rec_difference_test(y, p, p).pvalue == 1
    test = diebold_mariano_test(y, p, p)
    assert (test.statistic, test.pvalue) == (0, 1)


@given(regression_data(max_size=8), st.sampled_from(["two-sided", "less", "greater"]))
@settings(max_examples=examples(60), deadline=None)
def test_exact_pvalues_against_enumeration(data, alternative):
    y, a, b, _ = data
    gap = np.abs(y - a) - np.abs(y - b)
    observed = gap.mean()
    flipped = [np.mean(np.array(s) * gap) for s in itertools.product([1, -1], repeat=len(gap))]
    hits = {
        "two-sided": [abs(f) >= abs(observed) - 1e-12 for f in flipped],
        "less": [f <= observed + 1e-12 for f in flipped],
        "greater": [f >= observed - 1e-12 for f in flipped],
    }[alternative]
    test = aoc_difference_test(y, a, b, alternative=alternative)
    assert test.exact
    assert test.pvalue == pytest.approx(np.mean(hits))
    assert test.difference == pytest.approx(observed)


@given(regression_data(max_size=7))
@settings(max_examples=examples(40), deadline=None)
def test_exact_curve_pvalue_against_enumeration(data):
    y, a, b, _ = data
    first, second = np.abs(y - a), np.abs(y - b)

    def gap(swap):
        a_errors, b_errors = np.where(swap, second, first), np.where(swap, first, second)
        return max(abs(np.mean(a_errors <= t) - np.mean(b_errors <= t)) for t in np.union1d(first, second))

    gaps = [gap(np.array(swap)) for swap in itertools.product([False, True], repeat=len(y))]
    test = rec_difference_test(y, a, b)
    assert test.statistic == pytest.approx(gaps[0])
    assert test.pvalue == pytest.approx(np.mean([exchanged >= gaps[0] - 1e-12 for exchanged in gaps]))


def test_drawn_pvalues_agree_with_enumerated_ones():
    rng = np.random.default_rng(8)
    y, a = rng.normal(size=(2, 12))
    b = a + rng.normal(size=12) / 2
    exact = aoc_difference_test(y, a, b, n_resamples=5000)
    drawn = aoc_difference_test(y, a, b, n_resamples=4000, rng=0)
    assert (exact.exact, drawn.exact) == (True, False)
    assert drawn.pvalue == pytest.approx(exact.pvalue, abs=0.03)


def test_exchanging_blocks_by_hand():
    # one block of all cases: two exchanges, both equally far from 0
    test = aoc_difference_test([0.0] * 4, [0.1] * 4, [0.3] * 4, block_length=4)
    assert (test.pvalue, test.block_length) == (1.0, 4)
    assert aoc_difference_test([0.0] * 4, [0.1] * 4, [0.3] * 4, block_length=2).pvalue == 0.5


def test_diebold_mariano_is_the_paired_t_test_at_horizon_one_against_scipy():
    from scipy.stats import ttest_rel

    rng = np.random.default_rng(9)
    y, a, b = rng.normal(size=(3, 25))
    for alternative in ("two-sided", "less", "greater"):
        test = diebold_mariano_test(y, a, b, alternative=alternative)
        expected = ttest_rel((y - a) ** 2, (y - b) ** 2, alternative=alternative)
        assert test.statistic == pytest.approx(expected.statistic)
        assert test.pvalue == pytest.approx(expected.pvalue)
    interval = ttest_rel((y - a) ** 2, (y - b) ** 2).confidence_interval()
    assert test.interval() == pytest.approx((interval.low, interval.high))


def test_diebold_mariano_at_horizon_two_by_hand():
    # loss differences 3, 1, 2, 2: mean 2, g0 = 1/2, g1 = -1/4, so g0 + 2 g1 = 0 and no test
    y, a, b = np.zeros(4), [3.0, 1.0, 2.0, 2.0], np.zeros(4)
    with pytest.raises(UndefinedError, match="long-run variance"):
        diebold_mariano_test(y, a, b, loss="absolute", horizon=2)
    # 0, 0, 2, 2: mean 1, g0 = 1, g1 = (1 - 1 + 1) / 4; V = 1.5 / 4; factor (5 - 4 + 2 / 4) / 4
    test = diebold_mariano_test(y, [0.0, 0.0, 2.0, 2.0], b, loss="absolute", horizon=2)
    assert test.variance == pytest.approx(1.5 / 4 / (1.5 / 4))
    assert test.statistic == pytest.approx(1.0)


def test_a_constant_loss_difference_has_no_test():
    with pytest.raises(UndefinedError, match="aoc_difference_test"):
        diebold_mariano_test(np.zeros(9), np.ones(9), np.zeros(9))


# ---------------------------------------------------------------- abstention


@given(regression_data(), st.sampled_from(["absolute", "squared"]), st.sampled_from([0, 0.3, 0.5, 0.9, 1]))
@settings(max_examples=examples(150), deadline=None)
def test_coverage_against_definition(data, loss, accuracy):
    y, p, confidence, w = data
    e = errors_of(y, p, loss)
    coverage = rec_coverage_curve(y, p, confidence, loss=loss, sample_weight=w)
    bounds = coverage.tolerance_at(accuracy)
    for k, threshold in enumerate(sorted(set(confidence.tolist()), reverse=True)):
        kept = confidence >= threshold
        assert coverage.threshold[k] == threshold
        assert coverage.coverage[k] == pytest.approx(w[kept].sum() / w.sum())
        assert coverage.aoc[k] == pytest.approx(np.average(e[kept], weights=w[kept]), abs=1e-12)
        curve = rec_curve(y[kept], p[kept], loss=loss, sample_weight=w[kept])
        assert bounds[k] == curve.tolerance_at(accuracy)
        assert coverage.curve(float(coverage.coverage[k])).aoc == pytest.approx(curve.aoc, abs=1e-12)
        assert coverage.aoc_at(coverage.coverage[k]) == coverage.aoc[k]
    assert coverage.aoc[-1] == pytest.approx(rec_curve(y, p, loss=loss, sample_weight=w).aoc, abs=1e-12)


@given(regression_data())
@settings(max_examples=examples(60), deadline=None)
def test_no_confidence_beats_the_ideal_one(data):
    y, p, confidence, _ = data
    # strict ranks: with ties the ideal curve answers whole groups at a time
    ranks = np.argsort(np.argsort(confidence, kind="stable"))
    coverage = rec_coverage_curve(y, p, ranks)
    ideal = rec_coverage_curve(y, p, -np.argsort(np.argsort(np.abs(y - p), kind="stable")))
    assert np.all(ideal.aoc <= coverage.aoc + 1e-12)
    assert ideal.area <= coverage.area + 1e-12
    assert coverage.ideal().aoc[-1] == pytest.approx(coverage.aoc[-1])


def test_running_quantile_compiled_equals_interpreted(monkeypatch):
    from demur._kernels import jit
    from demur._kernels.running import running_quantile

    rng = np.random.default_rng(10)
    ranks, weights = rng.integers(0, 40, size=300), rng.random(300)
    last = np.array([0, 3, 4, 100, 299])
    results = []
    for choice in (False, True):
        monkeypatch.setattr(jit, "worth_compiling", lambda size, choice=choice: choice)
        results.append(running_quantile(ranks, weights, last, 0.7))
    assert np.array_equal(*results)


def test_results_leave_the_arrays_of_the_caller_writeable():
    y, p, c = (np.arange(5.0) for _ in range(3))
    rec_coverage_curve(y, p, c, sample_weight=np.ones(5))
    aoc_difference_test(y, p, c)
    y[0] = p[0] = c[0] = 9.0
    assert y[0] == 9.0


# ---------------------------------------------------------------- edges


def test_a_perfect_model_and_a_constant_target():
    curve = rec_curve([1.0, 2.0], [1.0, 2.0])
    assert (curve.aoc, curve.accuracy_at(0)) == (0, 1)
    assert rec_coverage_curve([1.0, 2.0], [1.0, 2.0], [1, 2]).curve(0.5).aoc == 0
    with pytest.raises(UndefinedError, match="y_true is constant"):
        rec_curve([1.0, 1.0], [1.0, 2.0]).relative_aoc(null_rec_curve([1.0, 1.0]))


def test_results_are_json_safe():
    import json

    y, a, b = np.random.default_rng(0).normal(size=(3, 9))
    results = [rec_curve(y, a), rec_band(rec_curve(y, a)), aoc_difference_test(y, a, b)]
    results += [rec_difference_test(y, a, b), diebold_mariano_test(y, a, b), rec_coverage_curve(y, a, b)]
    for result in results:
        text = json.dumps(result.to_dict(), allow_nan=False)
        assert "_y_true" not in text
        assert "_means" not in text


Y, P = [1.0, 2.0, 4.0], [1.0, 2.5, 3.0]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: rec_curve([1.0, math.nan], [1, 2]), "`y_true` must not contain NaN"),
        (lambda: rec_curve([1, 2], [1.0, math.nan]), "`y_pred` must not contain NaN"),
        (lambda: rec_curve([1, math.inf], [1, 2]), "`y_true` must be finite"),
        (lambda: rec_curve([1, math.inf], [1, math.inf]), "`y_true` must be finite"),
        (lambda: rec_curve([1, 2], [1, -math.inf]), "`y_pred` must be finite"),
        (lambda: rec_curve([1e200], [-1e200], loss="squared"), "must not overflow"),
        (lambda: rec_curve([1e308, 1e308], [0.0, 0.0]), "must not overflow"),
        (lambda: rec_curve([1, 2], [1]), "must have the same length"),
        (lambda: rec_curve([], []), "at least one case"),
        (lambda: rec_curve(Y, P, loss="huber"), "`loss` must be one of"),
        (lambda: rec_curve(Y, P, interpolation="cubic"), "`interpolation` must be one of"),
        (lambda: rec_curve(Y, P, max_tolerance=0), "`max_tolerance` must be positive"),
        (lambda: rec_curve(Y, P, max_tolerance=math.nan), "`max_tolerance` must be finite"),
        (lambda: rec_curve(Y, P, sample_weight=[1, 1]), "must have the same length"),
        (lambda: rec_curve(Y, P, sample_weight=[1, -1, 1]), "`sample_weight` must not be negative"),
        (lambda: rec_curve(Y, P).accuracy_at(-1), "`tolerance` must not be negative"),
        (lambda: rec_curve(Y, P).tolerance_at(2), r"`accuracy` must lie in \[0, 1\]"),
        (lambda: rec_curve(Y, P).dominates(3), "`other` must be a RecCurve"),
        (lambda: rec_curve(Y, P).crossings(rec_curve(Y, P, loss="squared")), "must have loss 'absolute'"),
        (lambda: rec_curve(Y, P, max_tolerance=0.1).relative_aoc(null_rec_curve(Y)), "max_tolerance 0.1"),
        (lambda: null_rec_curve(Y, constant="mode"), "`constant` must be one of"),
        (lambda: null_rec_curve(Y, constant=[1, 2]), "`constant` must be 'mean'"),
        (lambda: null_rec_curve(Y, y_train=[math.inf]), "`y_train` must be finite"),
        (lambda: rec_band(3), "`curve` must be a RecCurve"),
        (lambda: rec_band(rec_curve(Y, P, sample_weight=[1, 1, 2])), "must be without case weights"),
        (lambda: rec_band(rec_curve(Y, P), confidence_level=1), "strictly between 0 and 1"),
        (lambda: aoc_interval(Y, P, method="bca", block_length=2), "must be 'percentile' with blocks"),
        (lambda: aoc_interval(Y, P, block_length=2), "must be 'percentile' with blocks"),
        (lambda: aoc_interval(Y, P, method="t"), "`method` must be one of 'bootstrap-t'"),
        (lambda: aoc_interval([1.0], [2.0]), "needs at least 2 cases, got 1"),
        (lambda: aoc_interval(Y, P, block_length=4), "must not exceed the number of cases"),
        (lambda: aoc_interval(Y, P, max_tolerance=-1), "`max_tolerance` must be positive"),
        (lambda: aoc_difference_test(Y, P, [1.0, 2.0]), "`y_true` and `pred_b` must have the same length"),
        (lambda: aoc_difference_test(Y, P, [1.0, 2.0, math.nan]), "`pred_b` must not contain NaN"),
        (lambda: aoc_difference_test(1.0, 2.0, 3.0), "`y_true` must be one-dimensional"),
        (lambda: aoc_difference_test(Y, P, P, alternative="up"), "`alternative` must be one of"),
        (lambda: aoc_difference_test(Y, P, P, rng="x"), "`rng` must be a seed"),
        (lambda: diebold_mariano_test(Y, P, P, horizon=3), "`horizon` must be less than"),
        (lambda: rec_coverage_curve(Y, P, [1, 2]), "must have the same length"),
        (lambda: rec_coverage_curve(Y, P, [1, 2, math.nan]), "`confidence` must not contain NaN"),
        (lambda: rec_coverage_curve(Y, P, [1, 2, 3]).aoc_at(0), r"`coverage` must lie in \(0, 1\]"),
    ],
)
def test_error_sentences(call, message):
    with pytest.raises(InputError, match=message):
        call()
