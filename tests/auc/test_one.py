"""Variance and interval of one AUC against enumeration, R and hand computation."""

import itertools
import math
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.special import ndtri

import auc_oracles as oracle
from auc_oracles import order_table, paired_data, split
from demur import InputError, ScoreCounts, UndefinedError, auc_interval, auc_score
from demur.auc import auc_cluster_variance, auc_variance
from examples import examples
from reference_cases import cases, close

FILE = "auc_inference.json"
METHODS = ("delong", "jackknife", "unbiased", "bootstrap", "hanley-mcneil", "equal-binormal")

# a worked example, small enough for hand computation
Y, S = [0, 0, 0, 0, 1, 1, 1], [1, 2, 2, 4, 2, 3, 5]


def labelled(data, negative="x", positive="y"):
    x, y = data[negative], data[positive]
    return [0] * len(x) + [1] * len(y), [*x, *y]


# ---------------------------------------------------------------- by hand


@pytest.mark.parametrize(
    ("method", "value"),
    [
        ("delong", 1 / 24),
        ("jackknife", 17 / 336),
        ("unbiased", 5 / 144),
        ("bootstrap", 19 / 576),
        ("hanley-mcneil", 0.0419642857142857),
    ],
)
def test_variances_of_the_worked_example_by_hand(method, value):
    assert auc_variance(Y, S, method=method) == pytest.approx(value, abs=1e-15)


def test_newcombe_of_the_worked_example_by_hand():
    assert auc_interval(Y, S, method="newcombe") == pytest.approx((0.322121, 0.945913), abs=1e-6)


def test_two_against_two_by_hand():
    # psi = [[1, 1], [0, 1]]: r = 2, 1; c = 1, 2; A = 3/4; SSx = SSy = 1/8; SSi = 1/4
    y, s = [0, 0, 1, 1], [1, 3, 2, 4]
    assert auc_variance(y, s) == pytest.approx(1 / 16 + 1 / 16, abs=1e-15)
    assert auc_variance(y, s, method="unbiased") == pytest.approx(1 / 8 - 1 / 16, abs=1e-15)
    assert auc_variance(y, s, method="bootstrap") == pytest.approx(1 / 32 + 1 / 32 + 1 / 64, abs=1e-15)


@pytest.mark.parametrize(("size", "low"), [(10, 0.80021), (50, 0.96034)])
def test_perfect_ranking_gets_newcombes_interval_by_hand(size, low):
    for method in ("logit", "wald"):
        found = auc_interval([0] * size + [1] * size, range(2 * size), method=method)
        assert found == pytest.approx((low, 1), abs=5e-6)
        assert (found.degenerate, found.method) == (True, "newcombe")
    reversed_ = auc_interval([1] * size + [0] * size, range(2 * size))
    assert reversed_ == pytest.approx((0, 1 - low), abs=5e-6)


# ---------------------------------------------------------------- reference cases

KEYS = {
    "delong": "var_delong",
    "jackknife": "var_jackknife1",
    "unbiased": "var_unbiased",
    "bootstrap": "var_bootstrap",
    "hanley-mcneil": "var_hanley_mcneil",
    "equal-binormal": "var_obuchowski94",
}


@pytest.mark.parametrize("case", cases(FILE, "auc_single"))
@pytest.mark.parametrize("method", METHODS)
def test_variance_against_enumeration(case, method):
    y, s = labelled(case["input"])
    expected = case["expected"][KEYS[method]]
    close(auc_score(y, s), case["expected"]["auc"], case["tol"])
    if expected is None:
        # the specification says NaN; one policy of this package: undefined quantities raise
        with pytest.raises(UndefinedError, match="bootstrap"):
            auc_variance(y, s, method=method)
    else:
        close(auc_variance(y, s, method=method), expected, case["tol"])


@pytest.mark.parametrize("case", cases(FILE, "auc_single"))
@pytest.mark.parametrize("method", ["logit", "wald", "newcombe"])
def test_interval_against_the_formula(case, method):
    y, s = labelled(case["input"])
    expected, level = case["expected"], case["input"]["level"]
    key = {"logit": "ci_logit", "wald": "ci_wald_unclipped", "newcombe": "ci_newcombe"}[method]
    if expected["var_delong"] is None and method != "newcombe":
        with pytest.raises(UndefinedError, match="bootstrap"):
            auc_interval(y, s, method=method, confidence_level=level)
        return
    found = auc_interval(y, s, method=method, confidence_level=level)
    if found.degenerate:
        key = "ci_newcombe"
        assert expected["var_delong"] == 0
    close(list(found), np.clip(expected[key], 0, 1).tolist(), case["tol"])


@pytest.mark.parametrize("case", cases(FILE, "bootstrap_mn"))
def test_bootstrap_of_another_size_against_enumeration(case):
    data = case["input"]
    sizes = {"n_negative": data["n_star"], "n_positive": data["m_star"]}
    close(auc_variance(*labelled(data), method="bootstrap", **sizes), case["expected"]["var"], case["tol"])


@pytest.mark.parametrize("case", cases(FILE, "bootstrap_pooled"))
def test_pooled_bootstrap_against_enumeration(case):
    got = auc_variance(*labelled(case["input"]), method="bootstrap", stratified=False)
    close(got, case["expected"]["var"], case["tol"])


@pytest.mark.parametrize("case", cases(FILE, "clustered"))
def test_clustered_variance_against_the_formula(case):
    data = case["input"]
    y, s = labelled(data)
    groups = [*data["cluster_x"], *data["cluster_y"]]
    close(auc_cluster_variance(y, s, groups=groups), case["expected"]["var"], case["tol"])
    names = [f"patient {group}" for group in groups]
    close(auc_cluster_variance(y, s, groups=names), case["expected"]["var"], case["tol"])


@pytest.mark.parametrize("case", cases(FILE, "proc_delong"))
def test_variance_and_wald_interval_against_r(case):
    expected, tol = case["expected"], case["tol"]
    for number in "12":
        y, s = labelled(case["input"], f"x{number}", f"y{number}")
        close(auc_score(y, s), expected[f"auc{number}"], tol)
        close(auc_variance(y, s), expected[f"var{number}"], tol)
    y, s = labelled(case["input"], "x1", "y1")
    close(list(auc_interval(y, s, method="wald")), [expected["ci_low"], expected["ci_high"]], tol)
    per_case = auc_variance(y, s, method="equal-binormal") * sum(y)
    close(per_case, expected["obuchowski_theta_per_case"], tol)


# pROC 1.18.0: var(roc(controls, cases, direction = "<"), method = "obuchowski")
# fmt: off
OBUCHOWSKI = [
    ([1, 2, 2.5, 4, 3.3], [2, 3, 5, 4.1], 0.03442574),
    (
        [-0.6, 0.2, -0.8, 1.6, 0.3, -0.8, 0.5, 0.7, 0.6, -0.3, 1.5, 0.4, -0.6, -2.2, 1.1, 0, 0,
         0.9, 0.8, 0.6, 0.9, 0.8, 0.1, -2, 0.6],
        [0.9, 0.7, -1.9, 0, 1.8, 3.7, 0.8, 1.8, 0.9, -1.8, 0.2, 0.2, 0.9, 3.2, 2.5, 0.7,
         0.5, 2.4, 2.1, -0.4, -0.4, 1.7, 2.5, 0.8, 2.8],
        0.0060975528096208938,
    ),
]
# fmt: on


@pytest.mark.parametrize(("negative", "positive", "expected"), OBUCHOWSKI)
def test_obuchowski_against_r(negative, positive, expected):
    y, s = [0] * len(negative) + [1] * len(positive), [*negative, *positive]
    assert auc_variance(y, s, method="obuchowski") == pytest.approx(expected, rel=1e-6)
    # ranks only: the fit is on the quantiles of the rates
    assert auc_variance(y, np.exp(s), method="obuchowski") == pytest.approx(expected, rel=1e-6)


def test_obuchowski_takes_the_line_for_the_mirrored_curve():
    # Disagreement with pROC, written down: the A and B of Obuchowski and McClish belong to the line of
    # sensitivity on 1 - specificity, z(se) = A + B z(fpr). pROC fits z(sp) = a + b z(se) and puts a and
    # -b in their place, while the sizes of the classes stay. Exact binormal rates with B = 1/3 show it:
    # the true parameters and those used are A, B and A/B, 1/B.
    from scipy.special import ndtr

    from demur._kernels.auc_variances import equal_binormal, obuchowski
    from demur.auc.one import binormal_line

    a, b = 0.9, 1 / 3
    fpr = np.linspace(0.05, 0.95, 19)
    rates = [np.diff(np.concatenate([[0], r, [1]]))[::-1] for r in (fpr, ndtr(a + b * ndtri(fpr)))]
    counts = ScoreCounts.from_counts(range(20), rates[1], rates[0])
    assert binormal_line(counts) == pytest.approx((a / b, 1 / b))
    assert obuchowski(a, b, 200, 20) != pytest.approx(obuchowski(a / b, 1 / b, 200, 20), rel=0.1)
    # with equal spreads the two agree, and are the formula that needs only the AUC, up to its rounding
    auc = float(ndtr(0.9 / math.sqrt(2)))
    assert equal_binormal(auc, 200, 20) == pytest.approx(obuchowski(0.9, 1, 200, 20), rel=6e-3)


# ---------------------------------------------------------------- what weights mean


@given(paired_data(min_class=2, models=1), st.data())
@settings(max_examples=examples(60), deadline=None)
def test_importance_weights_against_the_influence_function(data, more):
    y, (s,) = np.array(data[0]), data[1]
    w = np.array(more.draw(st.lists(st.floats(0.1, 9), min_size=len(y), max_size=len(y))))
    psi = order_table(*split(y, s))
    neg, pos = w[y == 0], w[y == 1]
    auc = neg @ psi @ pos / (neg.sum() * pos.sum())
    rows, columns = psi @ pos / pos.sum() - auc, neg @ psi / neg.sum() - auc
    parts = [((v * d) ** 2).sum() / v.sum() ** 2 for v, d in ((neg, rows), (pos, columns))]
    sizes = [v.sum() ** 2 / (v**2).sum() for v in (neg, pos)]
    expected = sum(part * n / (n - 1) for part, n in zip(parts, sizes, strict=True))
    assert auc_variance(y, s, sample_weight=w) == pytest.approx(expected, abs=1e-12)
    left = psi - auc - rows[:, None] - columns
    within = ((np.outer(neg, pos) * left) ** 2).sum() / (neg.sum() * pos.sum()) ** 2
    exact = auc_variance(y, s, sample_weight=w, method="bootstrap")
    assert exact == pytest.approx(sum(parts) + within, abs=1e-12)


@pytest.mark.parametrize("factor", [100, 2.0**-980, 1e300, 1 / 3])
@pytest.mark.parametrize("method", ["logit", "wald", "newcombe"])
def test_importance_weights_have_no_unit(factor, method):
    rng = np.random.default_rng(0)
    y, s = np.arange(60) % 2, rng.normal(size=60) + np.arange(60) % 2
    w = rng.random(60) + 0.1
    for variance in (*METHODS, "obuchowski"):
        options = {"method": method, "variance": variance}
        expected = auc_interval(y, s, sample_weight=w, **options)
        scaled = auc_interval(y, s, sample_weight=w * factor, **options)
        assert scaled == pytest.approx(expected, rel=1e-9)


def test_equal_importance_weights_are_no_weights():
    for weight in (3, 0.3, 1e-299):
        assert auc_interval(Y, S, sample_weight=[weight] * 7) == auc_interval(Y, S)
        assert auc_variance(Y, S, sample_weight=[weight] * 7, method="bootstrap") == pytest.approx(19 / 576)


def test_counts_know_the_weights_of_their_cases_until_they_are_added_up(tmp_path):
    w = [1, 2, 2, 1, 3, 1, 1]
    expected = auc_interval(Y, S, sample_weight=w)
    counts = ScoreCounts.from_arrays(Y, S, sample_weight=w)
    assert auc_interval(counts) == expected
    assert auc_interval(counts, weights="repeats") == auc_interval(np.repeat(Y, w), np.repeat(S, w))
    assert expected != auc_interval(counts, weights="repeats")
    other = ScoreCounts.from_arrays(Y, S)
    with pytest.raises(UndefinedError, match=r"weight of every case, got a ScoreCounts of sums .*'repeats'"):
        auc_interval(counts.merge(other))
    assert auc_interval(counts.merge(other), weights="repeats").low > 0
    # counts of cases are cases
    assert auc_interval(other.merge(other)) == auc_interval(Y * 2, S * 2)
    halves = ScoreCounts.from_counts(other.scores, other.positives / 2, other.negatives / 2)
    with pytest.raises(UndefinedError, match="weight of every case"):
        auc_interval(halves)


def test_less_than_one_repeated_case_says_nothing():
    with pytest.raises(UndefinedError, match=r"at least 1 negative case, got a total weight of 4e-299"):
        auc_interval(Y, S, sample_weight=[1e-299] * 7, weights="repeats", variance="bootstrap")


# ---------------------------------------------------------------- brute force on random data


@given(paired_data(max_class=3, min_class=2, models=1))
@settings(max_examples=examples(100), deadline=None)
def test_variances_against_brute_force(data):
    y, (s,) = data
    table = order_table(*split(y, s))
    found = {method: auc_variance(y, s, method=method) for method in oracle.VARIANCES}
    for method, value in found.items():
        assert value == pytest.approx(oracle.VARIANCES[method](table), abs=1e-13)
    assert found["unbiased"] <= found["delong"] <= found["jackknife"]


@given(paired_data(max_class=3, models=1), st.integers(1, 4), st.integers(1, 4))
@settings(max_examples=examples(30), deadline=None)
def test_resized_and_pooled_bootstrap_against_brute_force(data, n_drawn, m_drawn):
    y, (s,) = data
    table = order_table(*split(y, s))
    got = auc_variance(y, s, method="bootstrap", n_negative=n_drawn, n_positive=m_drawn)
    assert got == pytest.approx(oracle.bootstrap(table, n_drawn, m_drawn), abs=1e-13)
    if len(y) <= 5:
        got = auc_variance(y, s, method="bootstrap", stratified=False)
        assert got == pytest.approx(oracle.pooled_bootstrap(table), abs=1e-13)


@given(paired_data(min_class=2, models=1), st.data())
@settings(max_examples=examples(60), deadline=None)
def test_weights_are_repeated_rows(data, more):
    y, (s,) = data
    weights = more.draw(st.lists(st.integers(1, 3), min_size=len(y), max_size=len(y)))
    rows = np.repeat(y, weights), np.repeat(s, weights)
    for method in ("delong", "jackknife", "unbiased", "bootstrap", "hanley-mcneil"):
        weighted = auc_variance(y, s, method=method, sample_weight=weights, weights="repeats")
        assert weighted == pytest.approx(auc_variance(*rows, method=method), abs=1e-14)
    for method in ("logit", "wald", "newcombe"):
        weighted = auc_interval(y, s, method=method, sample_weight=weights, weights="repeats")
        assert weighted == pytest.approx(auc_interval(*rows, method=method), abs=1e-9)


@given(paired_data(min_class=1, models=1), st.sampled_from([0.5, 0.9, 0.95, 0.999]))
@settings(max_examples=examples(100), deadline=None)
def test_intervals_hold_the_auc_and_stay_within_0_and_1(data, level):
    y, (s,) = data
    for method in ("logit", "wald", "newcombe"):
        for variance in ("bootstrap", "hanley-mcneil"):
            low, high = auc_interval(y, s, method=method, variance=variance, confidence_level=level)
            assert 0 <= low <= auc_score(y, s) + 1e-12
            assert auc_score(y, s) - 1e-12 <= high <= 1
            assert low < high


@given(paired_data(min_class=2, models=1))
@settings(max_examples=examples(40), deadline=None)
def test_clusters_of_one_case_are_delong(data):
    y, (s,) = data
    clustered = auc_cluster_variance(y, s, groups=range(len(y)))
    assert clustered == pytest.approx(auc_variance(y, s), abs=1e-14)


def test_clustered_difference_against_polarised_variances():
    rng = np.random.default_rng(0)
    y, groups = rng.integers(0, 2, 60), rng.integers(0, 15, 60)
    a, b = rng.integers(0, 6, (2, 60)) + y
    table = order_table(*split(y, a)) - order_table(*split(y, b))
    gap = table.mean()
    rows, columns = table.mean(1) - gap, table.mean(0) - gap
    neg, pos = groups[y == 0], groups[y == 1]
    d0 = np.array([rows[neg == k].sum() for k in range(15)]) / len(neg)
    d1 = np.array([columns[pos == k].sum() for k in range(15)]) / len(pos)
    i0, i1 = len(set(neg)), len(set(pos))
    expected = i0 / (i0 - 1) * d0 @ d0 + i1 / (i1 - 1) * d1 @ d1 + 2 * 15 / 14 * d0 @ d1
    assert len(set(groups)) == 15
    assert auc_cluster_variance(y, a, groups=groups, minus=b) == pytest.approx(expected, abs=1e-15)
    assert auc_cluster_variance(y, a, groups=groups, minus=a) == 0


def test_large_tied_data_against_the_definition():
    rng = np.random.default_rng(5)
    y = rng.random(90_000) < 0.4
    s = np.round(rng.normal(size=len(y)) + y, 1)
    x, z = np.sort(s[~y]), np.sort(s[y])
    rows = (len(z) - (np.searchsorted(z, x, "left") + np.searchsorted(z, x, "right")) / 2) / len(z)
    columns = (np.searchsorted(x, z, "left") + np.searchsorted(x, z, "right")) / 2 / len(x)
    expected = rows.var(ddof=1) / len(x) + columns.var(ddof=1) / len(z)
    assert auc_variance(y, s) == pytest.approx(expected, rel=1e-12)


# ---------------------------------------------------------------- edges


@pytest.mark.parametrize("s", [[1, 2, 3, 4], [4, 3, 2, 1], [7, 7, 7, 7]])
@pytest.mark.parametrize("weights", [None, [0.1, 0.7, 0.3, 0.9]])
def test_perfect_reversed_and_constant_scores_have_no_variance(s, weights):
    y = [0, 0, 1, 1]
    for method in ("bootstrap",) if weights else ("delong", "jackknife", "unbiased", "bootstrap"):
        assert auc_variance(y, s, method=method, sample_weight=weights) == 0
    for method in ("logit", "wald"):
        found = auc_interval(y, s, method=method, variance="bootstrap", sample_weight=weights)
        assert found.degenerate
        assert found.low < found.high


def test_one_case_per_class_by_hand():
    assert auc_variance([0, 1], [1, 2], method="bootstrap") == 0
    assert auc_interval([0, 1], [1, 1], method="newcombe").low > 0
    found = auc_interval([0, 1], [1, 2])
    assert found.high == 1
    assert found.degenerate
    for method in ("delong", "jackknife", "unbiased"):
        with pytest.raises(UndefinedError, match="needs at least 2 negative cases, got 1"):
            auc_variance([0, 1, 1], [1, 2, 0], method=method)


def test_unbiased_variance_of_one_auc_is_never_negative_by_enumeration():
    # The specification allows negative values: they occur for differences only (test_auc_tests).
    for scores in itertools.product(range(4), repeat=6):
        assert auc_variance([0, 0, 0, 1, 1, 1], scores, method="unbiased") > -1e-15
        assert auc_interval([0, 0, 0, 1, 1, 1], scores, variance="unbiased").low >= 0


def test_labels_of_other_kinds_and_counts_agree():
    expected = auc_variance(Y, S), auc_interval(Y, S)
    floats = [float(label) for label in Y]
    words = ["ill" if label else "well" for label in Y]
    swapped = [1 - label for label in Y]
    for labels, positive in ((floats, None), (words, "ill"), (swapped, 0), (np.array(Y, bool), None)):
        assert auc_variance(labels, S, pos_label=positive) == expected[0]
        assert auc_interval(labels, S, pos_label=positive) == expected[1]
    counts = ScoreCounts.from_arrays(Y, S)
    assert (auc_variance(counts), auc_interval(counts)) == expected
    groups = range(len(Y))
    assert auc_cluster_variance(words, S, groups=groups, pos_label="ill") == pytest.approx(expected[0])


def score_statistic(auc, truth, n, m, variance, widening):
    """Squared distance over the score variance at `truth`, inflated by the data; from the definition."""

    def newcombe(t):
        star = (n + m) / 2 - 1
        return t * (1 - t) * (1 + star * (1 - t) / (2 - t) + star * t / (1 + t)) / (n * m)

    return (auc - truth) ** 2 / (newcombe(truth) * max(1.0, variance * widening**2 / newcombe(auc)))


def test_score_interval_by_hand():
    # negatives 1 2 2 4, positives 2 3 5: placements of negatives 1, 5/6, 5/6, 1/3, of positives 1/2, 3/4, 1
    parts = np.var([1, 5 / 6, 5 / 6, 1 / 3], ddof=1) / 4, np.var([1 / 2, 3 / 4, 1], ddof=1) / 3
    degrees = sum(parts) ** 2 / (parts[0] ** 2 / 3 + parts[1] ** 2 / 2)
    widening = stats.t.ppf(0.975, degrees) / ndtri(0.975)
    for limit in auc_interval(Y, S):
        statistic = score_statistic(0.75, limit, 4, 3, sum(parts), widening)
        assert statistic == pytest.approx(ndtri(0.975) ** 2)


@given(paired_data(max_class=6, min_class=2, models=1))
def test_score_interval_contains_newcombe_and_mirrors(data):
    y, (s,) = data
    found, least = auc_interval(y, s), auc_interval(y, s, method="newcombe")
    assert found.low <= least.low + 1e-12
    assert found.high >= least.high - 1e-12
    mirrored = auc_interval([1 - label for label in y], s)
    assert mirrored == pytest.approx((1 - found.high, 1 - found.low), abs=1e-9)
    if not found.degenerate:
        narrower = auc_interval(y, s, confidence_level=0.8)
        assert found.low <= narrower.low <= narrower.high <= found.high


def test_interval_unpacks_and_survives_pickling():
    found = auc_interval(Y, S)
    low, high = found
    again = pickle.loads(pickle.dumps(found))
    assert (again, again.method, again.degenerate) == ((low, high), "score", False)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: auc_variance(Y, S, method="bamber"), "`method` must be one of 'delong', 'jackknife'"),
        (lambda: auc_variance(Y, S, n_negative=3), "`n_negative` is only for method 'bootstrap'"),
        (lambda: auc_variance(Y, S, stratified=False), "`stratified` is only for method 'bootstrap'"),
        (lambda: auc_variance(Y, S, method="bootstrap", n_positive=0), "`n_positive` must be a whole number"),
        (
            lambda: auc_variance(Y, S, method="bootstrap", n_positive=3, stratified=False),
            "`stratified` must be True when sizes",
        ),
        (
            lambda: auc_variance(Y, S, method="bootstrap", stratified=False, sample_weight=[2, *[1] * 6]),
            "whole number of cases, got an effective number of 6.57",
        ),
        (lambda: auc_variance([0, 0], [1, 2]), "needs cases of both classes, got no positive"),
        (lambda: auc_variance([0, 1], [1, 2], method="equal-binormal"), "strictly between 0 and 1, got 1"),
        (lambda: auc_variance([0, 1], [1, 2], method="obuchowski"), "at least 2 sensitivities strictly"),
        (lambda: auc_interval(Y, S, weights="w"), "`weights` must be one of 'importance', 'repeats'"),
        (lambda: auc_variance(Y, [math.nan, *S[1:]]), "`y_score` must not contain NaN"),
        (lambda: auc_interval(Y, S, confidence_level=1), "strictly between 0 and 1"),
        (
            lambda: auc_interval(Y, S, method="exact"),
            "`method` must be one of 'score', 'newcombe', 'logit'",
        ),
        (lambda: auc_interval(Y, S, variance="none"), "`variance` must be one of"),
        (lambda: auc_interval([1, 1], [1, 2]), "got no negative case"),
        (lambda: auc_cluster_variance(Y, S, groups=[1] * 7), "negative cases in at least 2 clusters, got 1"),
        (lambda: auc_cluster_variance(Y, S, groups=[1] * 6), "must have the same length, got 7 and 7 and 6"),
        (lambda: auc_cluster_variance(Y, S, groups=[[1] * 7]), "`groups` must be one-dimensional"),
        (lambda: auc_cluster_variance(Y, S, groups=[math.nan] * 7), "`groups` must not contain NaN"),
        (
            lambda: auc_cluster_variance(Y, S, groups=Y, minus=[1, 2]),
            "`y_true` and `minus` must have the same",
        ),
        (
            lambda: auc_cluster_variance(ScoreCounts.from_arrays(Y, S), S, groups=Y),
            "does not know the clusters",
        ),
    ],
)
def test_error_sentences(call, message):
    with pytest.raises(InputError, match=message):
        call()


def test_no_rounding_of_weights_takes_a_perfect_ranking_beyond_one():
    """Sums of weights in two orders: 72 of 3,000 such AUCs were 1.0000000000000002, and had no interval."""
    rng = np.random.default_rng(0)
    for _ in range(300):
        y = np.append([0, 1], rng.integers(0, 2, rng.integers(2, 12)))
        weights = rng.random(len(y))
        assert auc_score(y, y, sample_weight=weights) <= 1
        low, high = auc_interval(y, y, sample_weight=weights)
        assert 0 <= low < high <= 1
