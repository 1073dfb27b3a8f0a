"""Cost curves and lines against enumeration, closed forms and hand computation."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.stats import beta, binom

import demur
from demur import (
    InputError,
    ScoreCounts,
    UndefinedError,
    abstention_surface,
    best_ranges,
    cost_curve,
    cost_line,
)
from demur.costs import (
    CostLineDifference,
    average_cost_curves,
    cost_line_difference,
    probability_cost,
    roc_line_to_cost_point,
)
from examples import examples
from oracles import scored_data, threshold_rates
from reference_cases import cases, close

FILE = "costs_and_abstention.json"


def curve_of(data):
    return cost_curve(data["labels"], data["scores"], sample_weight=data.get("weights"))


def worked_example():
    return cost_curve(ScoreCounts.from_counts([-0.9, -0.5, 0.0, 0.4, 0.8], [0, 1, 1, 2, 2], [2, 1, 2, 1, 0]))


def test_worked_example_by_hand():
    curve = worked_example()
    np.testing.assert_allclose(curve.vertices, [(0, 0), (1 / 3, 2 / 9), (3 / 5, 4 / 15), (1, 0)], atol=1e-15)
    assert curve.area() == pytest.approx(7 / 45)
    np.testing.assert_allclose(curve.fpr, [1, 2 / 3, 1 / 2, 1 / 6, 0, 0], atol=1e-15)
    np.testing.assert_allclose(curve.fnr, [0, 0, 1 / 6, 1 / 3, 2 / 3, 1], atol=1e-15)
    assert curve.expected_cost(0.5) == pytest.approx(1 / 4)
    assert curve.threshold(0.5) == pytest.approx(0.2)
    assert curve.operating_range == (0, 1)


# ---------------------------------------------------------------- reference cases


@pytest.mark.parametrize("case", cases(FILE, "dh.pc"))
def test_probability_cost_against_definition(case):
    data, expect = case["input"], case["expect"]
    close(probability_cost(data["p_pos"], data["cost_fn"], data["cost_fp"]), expect["pc"], case["tol"])


@pytest.mark.parametrize("case", cases(FILE, "dh.envelope"))
def test_envelope_against_enumeration(case):
    data, expect, tol = case["input"], case["expect"], case["tol"]
    curve = curve_of(data)
    close(np.asarray(curve.expected_cost(data["xs"])).tolist(), expect["values"], tol)
    close(curve.vertices.tolist(), expect["vertices"], tol)
    close(curve.area(), expect["area"], tol)
    close(curve.area(*data["range"]), expect["range_area"], tol)
    lines = sorted(map(list, zip(curve.fpr.tolist(), curve.fnr.tolist(), strict=True)))
    close(lines, sorted(expect["lines"]), tol)


@pytest.mark.parametrize("case", cases(FILE, "dh.expected_beta"))
def test_beta_area_against_quadrature(case):
    data = case["input"]
    close(curve_of(data).expected_area(data["a"], data["b"]), case["expect"]["expected"], case["tol"])


@pytest.mark.parametrize("case", cases(FILE, "dh.from_surface"))
def test_relation_to_the_surface(case):
    data, expect, tol = case["input"], case["expect"], case["tol"]
    curve = curve_of(data)
    surface = abstention_surface(curve.counts, prevalence=data["prior_pos"])
    close(surface.cost(data["mu"], np.inf), expect["surface_cost_no_abstention"], tol)
    pc = probability_cost(data["prior_pos"], 1.0, data["mu"])
    close(pc, expect["pc"], tol)
    close(curve.expected_cost(pc), expect["nec"], tol)


@pytest.mark.parametrize("case", cases(FILE, "dh.crossing"))
def test_crossing_against_bisection(case):
    data = case["input"]
    x = cost_line(data["fp1"], data["fn1"]).crossing(cost_line(data["fp2"], data["fn2"]))
    if case["expect"]["x"] == "none":
        assert x is None
    else:
        close(x, case["expect"]["x"], case["tol"])


@pytest.mark.parametrize("case", cases(FILE, "dh.operating_range"))
def test_operating_range_against_bisection(case):
    reach = cost_line(case["input"]["fp"], case["input"]["fn"]).operating_range
    expected = case["expect"]["range"]
    if reach is None:
        assert expected in ("none", None)
    else:
        close(list(reach), expected, case["tol"])


@pytest.mark.parametrize("case", cases(FILE, "dh.dual"))
def test_duality_against_definition(case):
    data, expect, tol = case["input"], case["expect"], case["tol"]
    close(list(roc_line_to_cost_point(data["roc_slope"], data["roc_intercept"])), expect["point"], tol)
    line = cost_line(data["fp"], 1 - data["tp"])
    close(line.expected_cost(0), expect["line_at_0"], tol)
    close(line.expected_cost(1), expect["line_at_1"], tol)


@pytest.mark.parametrize("case", cases(FILE, "dh.average"))
def test_average_against_definition(case):
    data, expect, tol = case["input"], case["expect"], case["tol"]
    mean = average_cost_curves([curve_of(member) for member in data["classifiers"]])
    close(np.asarray(mean.expected_cost(data["xs"])).tolist(), expect["values"], tol)
    close(mean.area(), expect["area"], tol)


@pytest.mark.parametrize("case", cases(FILE, "dh.bootstrap_exact"))
def test_exact_bootstrap_of_a_line_against_enumeration(case):
    data, expect, tol = case["input"], case["expect"], case["tol"]
    line = cost_line(
        data["FP"] / data["N"], data["FN"] / data["P"], n_positive=data["P"], n_negative=data["N"]
    )
    close(line.expected_cost(data["x"]), expect["mean"], tol)
    close(line.variance(data["x"]), expect["variance"], tol)
    for q in (0.025, 0.5, 0.975):
        close(line.quantile(data["x"], q), expect[f"quantile_{q}"], tol)
    assert line.interval(data["x"]) == (line.quantile(data["x"], 0.025), line.quantile(data["x"], 0.975))


@pytest.mark.parametrize("case", cases(FILE, "dh.paired_difference"))
def test_exact_paired_difference_against_enumeration(case):
    data, expect, tol = case["input"], case["expect"], case["tol"]
    gap = CostLineDifference(
        positive_table=np.array(data["pos"], dtype=float), negative_table=np.array(data["neg"], dtype=float)
    )
    close(gap.expected_cost(data["x"]), expect["mean"], tol)
    close(gap.variance(data["x"]), expect["variance"], tol)
    close(gap.probability_not_above(data["x"]), expect["prob_le_0"], tol)


# ---------------------------------------------------------------- brute force and theory


@given(scored_data(both_classes=True), st.floats(0, 1))
@settings(max_examples=examples(150), deadline=None)
def test_envelope_against_all_lines(data, x):
    y, s, w = data
    curve = cost_curve(y, s, sample_weight=w)
    rates = threshold_rates(y, s, w)
    best = min(fn * x + fp * (1 - x) for fp, fn in rates)
    assert curve.expected_cost(x) == pytest.approx(best, abs=1e-12)
    # the threshold reaches it
    t = curve.threshold(x)
    called = [si >= t and t < np.inf for si in s]
    fp = sum(wi for yi, wi, c in zip(y, w, called, strict=True) if c and not yi)
    fn = sum(wi for yi, wi, c in zip(y, w, called, strict=True) if yi and not c)
    wp = sum(wi for yi, wi in zip(y, w, strict=True) if yi)
    assert fn / wp * x + fp / (sum(w) - wp) * (1 - x) == pytest.approx(best, abs=1e-12)


@given(scored_data(both_classes=True), st.floats(0.3, 5), st.floats(0.3, 5))
@settings(max_examples=examples(30), deadline=None)
def test_beta_area_against_pieces(data, a, b):
    curve = cost_curve(data[0], data[1], sample_weight=data[2])
    law, x = beta(a, b), curve.vertices[:, 0]
    # integrate over the distribution function, where the integrand is bounded
    edges = law.cdf(x)
    total = sum(
        quad(lambda u: curve.expected_cost(min(max(law.ppf(u), 0), 1)), lo, hi)[0]
        for lo, hi in itertools.pairwise(edges)
    )
    assert curve.expected_area(a, b) == pytest.approx(total, abs=1e-7)


def test_h_measure_limits_and_definition():
    assert cost_curve([0, 0, 1, 1], [1, 2, 3, 4]).h_measure() == pytest.approx(1)
    assert cost_curve([0, 1, 0, 1], [1, 1, 1, 1]).h_measure() == pytest.approx(0)
    # Hand (2009): loss (1 - c) pi_1 F_1 + c pi_0 (1 - F_0) with the cost share c of a false
    # alarm Beta distributed; c = 1 - (share of a miss)
    curve, rate, law = worked_example(), 0.3, beta(2, 3)

    def best(c):
        return min(
            (1 - c) * rate * fn + c * (1 - rate) * fp for fp, fn in zip(curve.fpr, curve.fnr, strict=True)
        )

    grid = (np.arange(20000) + 0.5) / 20000
    weight = law.pdf(1 - grid)
    loss = np.mean([best(c) for c in grid] * weight)
    worst = np.mean(np.minimum((1 - grid) * rate, grid * (1 - rate)) * weight)
    assert curve.h_measure(2, 3, prevalence=rate) == pytest.approx(1 - loss / worst, abs=1e-6)


def test_average_of_envelopes_is_below_the_envelope_of_the_average():
    rng = np.random.default_rng(5)
    curves = []
    for _ in range(4):
        y = rng.random(30) < 0.5
        curves.append(cost_curve(y, rng.normal(size=30) + y))
    mean = average_cost_curves(curves, weights=[1, 2, 3, 4])
    x = np.linspace(0, 1, 101)
    values = np.array([curve.expected_cost(x) for curve in curves])
    np.testing.assert_allclose(
        mean.expected_cost(x), np.average(values, axis=0, weights=[1, 2, 3, 4]), atol=1e-14
    )
    assert mean.area() == pytest.approx(np.average([c.area() for c in curves], weights=[1, 2, 3, 4]))
    line = average_cost_curves([cost_line(0.1, 0.4), cost_line(0.3, 0.2)], weights=[3, 1])
    assert (line.fpr, line.fnr) == pytest.approx((0.15, 0.35))


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=6))
@settings(max_examples=examples(100), deadline=None)
def test_best_ranges_of_lines_against_a_dense_look(rates):
    lines = {f"m{k}": cost_line(fp, fn) for k, (fp, fn) in enumerate(rates)}
    parts = best_ranges(lines)
    assert parts[0].low == 0
    assert parts[-1].high == 1
    for part, following in itertools.pairwise(parts):
        assert part.high == following.low
        assert part.winners != following.winners
    for part in parts:
        for x in np.linspace(part.low, part.high, 7):
            best = min(line.expected_cost(x) for line in lines.values())
            for name in part.winners:
                assert lines[name].expected_cost(x) == pytest.approx(best, abs=1e-9)


@given(scored_data(both_classes=True), scored_data(both_classes=True))
@settings(max_examples=examples(60), deadline=None)
def test_best_ranges_of_curves_against_a_dense_look(one, other):
    curves = {"one": cost_curve(*one[:2]), "other": cost_curve(*other[:2])}
    for part in best_ranges(curves):
        for x in np.linspace(part.low, part.high, 5):
            costs = {name: curve.expected_cost(x) for name, curve in curves.items()}
            for name in part.winners:
                assert costs[name] == pytest.approx(min(costs.values()), abs=1e-9)


def test_quantiles_against_all_atoms():
    n_positive, n_negative, fnr, fpr = 13, 9, 4 / 13, 2 / 9
    line = cost_line(fpr, fnr, n_positive=n_positive, n_negative=n_negative)
    for x in (0.0, 0.3, 0.5, 0.77, 1.0):
        i, j = np.meshgrid(np.arange(n_positive + 1), np.arange(n_negative + 1), indexing="ij")
        atoms = np.round((x * i / n_positive + (1 - x) * j / n_negative).ravel(), 12)
        probability = (binom.pmf(i, n_positive, fnr) * binom.pmf(j, n_negative, fpr)).ravel()
        order = np.argsort(atoms)
        total = np.cumsum(probability[order])
        values, last = np.unique(atoms[order][::-1], return_index=True)
        cdf = total[::-1][last]
        for q in (0.01, 0.2, 0.5, 0.9, 0.975):
            expected = values[np.flatnonzero(cdf >= q - 1e-14)[0]]
            assert line.quantile(x, q) == pytest.approx(expected, abs=1e-11)


def test_large_sample_interval_against_the_normal_law():
    line = cost_line(0.2, 0.3, n_positive=20000, n_negative=30000)
    low, high = line.interval(0.4)
    half = 1.959964 * np.sqrt(line.variance(0.4))
    assert (low, high) == pytest.approx(
        (line.expected_cost(0.4) - half, line.expected_cost(0.4) + half), abs=2e-5
    )


def test_difference_of_predictions_by_hand():
    y = [1, 1, 1, 1, 0, 0]
    gap = cost_line_difference(y, [1, 0, 0, 1, 0, 1], [1, 1, 0, 0, 0, 0])
    assert gap.positive_table.tolist() == [1, 1, 1, 1]
    assert gap.negative_table.tolist() == [0, 1, 0, 1]
    assert gap.expected_cost(0.25) == pytest.approx(0.75 * 0.5)
    same = cost_line_difference(y, y, y)
    assert same.interval(0.5) == (0, 0)
    assert not same.significant(0.5)
    assert same.significant([0.1, 0.9]).tolist() == [False, False]
    line = demur.costs.CostLine.from_predictions(y, [1, 0, 0, 1, 0, 1])
    assert (line.fpr, line.fnr, line.n_positive, line.n_negative) == (0.5, 0.5, 4, 2)


def test_difference_of_equal_classifiers_against_simulation():
    """The percentile interval of the bootstrap told 20 + 20 cases apart in 9 % of the samples."""
    rng, found = np.random.default_rng(0), {"adjusted": 0, "percentile": 0}
    cells = [0.1, 0.2, 0.2, 0.5]
    for _ in range(1000):
        positive, negative = rng.multinomial(20, cells, size=2).astype(float)
        gap = demur.costs.CostLineDifference(positive_table=positive, negative_table=negative)
        for method in found:
            low, high = gap.interval(0.5, method=method)
            found[method] += low > 0 or high < 0
    # 5 % and three standard errors of 1,000 samples
    assert found["adjusted"] <= 50 + 3 * np.sqrt(47.5)
    assert found["percentile"] > found["adjusted"]


def test_adjusted_interval_by_hand():
    gap = demur.costs.CostLineDifference(
        positive_table=np.array([2.0, 3, 1, 14]), negative_table=np.array([0.0, 0, 0, 20])
    )
    # cells (4, 2) and (1, 1) of 24: differences 1/12 and 0
    variance = 0.5**2 * (6 / 24 - (2 / 24) ** 2) / 24 + 0.5**2 * (2 / 24) / 24
    low, high = gap.interval(0.5)
    assert (low + high) / 2 == pytest.approx(0.5 * 2 / 24)
    assert (high - low) / 2 == pytest.approx(2.0243942 * np.sqrt(variance), rel=1e-6)
    with pytest.raises(InputError, match="`method`"):
        gap.interval(0.5, method="exact")


# ---------------------------------------------------------------- errors


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: cost_curve([1, 1], [1, 2]), UndefinedError, "A cost curve needs cases of both classes"),
        (lambda: worked_example().expected_cost(1.2), InputError, r"`pc` must lie in \[0, 1\], got 1.2"),
        (lambda: worked_example().area(0.5, 0.2), InputError, "low <= high"),
        (lambda: worked_example().expected_area(0, 1), InputError, "`a` must be positive, got 0"),
        (lambda: worked_example().h_measure(prevalence=1), UndefinedError, "both classes"),
        (lambda: cost_line(1.1, 0), InputError, r"`fpr` must lie in \[0, 1\]"),
        (lambda: cost_line(0.1, 0.1, n_positive=0), InputError, "`n_positive` must be a whole number"),
        (lambda: cost_line(0.1, 0.1).interval(0.5), UndefinedError, "n_positive and n_negative"),
        (
            lambda: cost_line(0.1, 0.1, n_positive=3, n_negative=3).interval(0.5, confidence_level=1),
            InputError,
            "strictly",
        ),
        (lambda: average_cost_curves([]), InputError, "at least one member"),
        (lambda: average_cost_curves([1]), InputError, "`curves` must be"),
        (lambda: average_cost_curves([cost_line(0, 0)], weights=[0]), InputError, "not all be zero"),
        (lambda: average_cost_curves([cost_line(0, 0)], weights=[1, 1]), InputError, "same length"),
        (lambda: best_ranges({}), InputError, "non-empty mapping"),
        (lambda: best_ranges({"a": 3}), InputError, r"`curves\['a'\]` must be a cost curve"),
        (lambda: cost_line_difference([1, 1], [1, 1], [1, 0]), UndefinedError, "both classes"),
        (lambda: roc_line_to_cost_point(-1, 0), InputError, "`slope` must not be negative"),
        (lambda: probability_cost(0.5, -1, 1), InputError, "`cost_fn` must not be negative"),
        (lambda: probability_cost(1.5, 1, 1), InputError, "`prevalence` must lie"),
    ],
)
def test_error_sentences(call, error, message):
    with pytest.raises(error, match=message):
        call()
