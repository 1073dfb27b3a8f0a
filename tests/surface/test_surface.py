"""Abstention surfaces against exhaustive enumeration, the paper and hand computation."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import demur
from demur import (
    ABSTAIN,
    CostModel,
    InputError,
    ScoreCounts,
    UndefinedError,
    abstention_surface,
    decide,
    vacc_score,
)
from demur.surface import plugin_vacc_score
from examples import examples
from oracles import all_windows, scored_data, window_cost
from reference_cases import cases, close

FILE = "costs_and_abstention.json"

# the worked example of the specification: 5 distinct scores, 6 positives, 6 negatives
SCORES, POS, NEG = [-0.9, -0.5, 0.0, 0.4, 0.8], [0, 1, 1, 2, 2], [2, 1, 2, 1, 0]


def worked_example(**kwargs):
    return abstention_surface(ScoreCounts.from_counts(SCORES, POS, NEG), **kwargs)


def surface_of(data):
    priors = data.get("priors")
    return abstention_surface(
        data["labels"],
        data["scores"],
        sample_weight=data.get("weights"),
        prevalence=None if priors is None else priors[0],
    )


# ---------------------------------------------------------------- by hand


@pytest.mark.parametrize(
    ("mu", "nu", "cost", "window", "lower", "upper", "rate"),
    [
        (1, 1 / 4, 1 / 6, (1, 4), -0.7, 0.6, 2 / 3),
        (1 / 2, 1 / 4, 7 / 48, (1, 3), -0.7, 0.2, 5 / 12),
        (1, 1 / 2, 1 / 4, (3, 3), 0.2, 0.2, 0),
        (2 / 3, 2 / 5, 2 / 9, (1, 1), -0.7, -0.7, 0),
        (2, 1 / 4, 1 / 6, (1, 4), -0.7, 0.6, 2 / 3),
    ],
)
def test_windows_of_the_worked_example_by_hand(mu, nu, cost, window, lower, upper, rate):
    found = worked_example().window(mu, nu)
    assert found.cost == pytest.approx(cost, abs=1e-15)
    assert (found.lower_index, found.upper_index) == window
    assert (found.lower, found.upper) == pytest.approx((lower, upper))
    assert found.abstention_rate == pytest.approx(rate, abs=1e-15)
    assert found.is_empty == (rate == 0)


def test_integrals_of_the_worked_example_by_hand():
    surface = worked_example()
    assert surface.volume() == pytest.approx(7 / 54, abs=1e-15)
    assert surface.volume(mu=(0, 2), nu=(0, 0.5)) == pytest.approx(1157 / 8640, abs=1e-15)
    assert surface.mean_rates().abstention_rate == pytest.approx(11 / 72, abs=1e-15)
    assert worked_example(prevalence=0.2).volume() == pytest.approx(94 / 945, abs=1e-15)
    assert worked_example(prevalence=0.2).cost(1, 0.25) == pytest.approx(7 / 60, abs=1e-15)
    assert surface.n_cells == 6


def test_comparison_with_the_trivial_rules_by_hand():
    surface = worked_example()
    gap = surface.minus(surface.trivial())
    assert gap.better_area == pytest.approx(1)
    assert gap.gain == pytest.approx(17 / 216)
    assert gap.loss == 0
    assert gap.net == pytest.approx(surface.volume() - 5 / 24)
    assert surface.trivial().volume() == pytest.approx(5 / 24)


def test_class_dependent_costs_by_hand():
    # the PET example of Friedel et al. (2006) with costs FP 100, FN 20, abstain 2 or 3
    counts = ScoreCounts.from_counts(range(5), [0, 1, 2, 4, 33], [30, 15, 12, 2, 1])
    costs = CostModel(cost_fp=100, cost_fn=20, cost_abstain_positive=2, cost_abstain_negative=3)
    window = abstention_surface(counts).window(costs=costs)
    assert (costs.mu, costs.nu_positive, costs.nu_negative) == pytest.approx((5, 0.1, 0.15))
    assert window.expected_cost == pytest.approx(1.43)
    assert window.cost == pytest.approx(1.43 / 20)
    # block (2, 12) is an exact tie between negative and abstain: abstain less
    assert (window.lower_index, window.upper_index) == (3, 5)


# ---------------------------------------------------------------- reference cases (enumeration)


@pytest.mark.parametrize("case", cases(FILE, "abst.min_cost"))
def test_min_cost_against_enumeration(case):
    data, expect, tol = case["input"], case["expect"], case["tol"]
    surface = surface_of(data)
    window = surface.window(data["mu"], data["nu_p"], data["nu_n"])
    close(surface.cost(data["mu"], data["nu_p"], data["nu_n"]), expect["cost"], tol)
    got = {
        "cost": window.cost,
        "i": window.lower_index,
        "j": window.upper_index,
        "lower": window.lower,
        "upper": window.upper,
        "fn": window.fn,
        "fp": window.fp,
        "abst_pos": window.abstained_positive,
        "abst_neg": window.abstained_negative,
        "abstention": window.abstention_rate,
    }
    for key in got.keys() & expect.keys():
        close(got[key], expect[key], tol)
    if "abstention" in expect:
        rate = surface.abstention_rate(data["mu"], data["nu_p"], data["nu_n"])
        close(rate, expect["abstention"], tol)


@pytest.mark.parametrize("case", cases(FILE, "abst.grid"))
def test_grid_against_enumeration(case):
    grid = surface_of(case["input"]).grid(case["input"]["delta"])
    close(grid.cost.tolist(), case["expect"]["K"], case["tol"])


@pytest.mark.parametrize("case", cases(FILE, "abst.vacc"))
def test_volume_means_and_cells_against_enumeration(case):
    expect, tol = case["expect"], case["tol"]
    surface = surface_of(case["input"])
    close(surface.volume(), expect["vacc"], tol)
    close(vacc_score(surface.counts, prevalence=surface.prevalence), expect["vacc"], tol)
    means = surface.mean_rates()
    got = {"mean_abstention": means.abstention_rate, "mean_fp": means.fp, "mean_fn": means.fn}
    got["n_cells_quadrant"] = surface.n_cells
    cells = surface.cells()
    got["n_cells_unit_square"] = int(np.count_nonzero(cells.area > 1e-13))
    got["max_cell_area"] = cells.area.max()
    for key in got.keys() & expect.keys():
        close(got[key], expect[key], tol)
    if "cells" in expect:
        areas = dict(
            zip(
                zip(cells.lower_index.tolist(), cells.upper_index.tolist(), strict=True),
                cells.area,
                strict=True,
            )
        )
        for cell in expect["cells"]:
            found = sum(areas.get(tuple(window), 0.0) for window in cell["windows"])
            close(found, cell["area"], tol)
    assert cells.area.sum() == pytest.approx(1)


@pytest.mark.parametrize("case", cases(FILE, "abst.rect_volume"))
def test_rectangle_volume_against_enumeration(case):
    data = case["input"]
    close(surface_of(data).volume(mu=data["mu"], nu=data["nu"]), case["expect"]["volume"], case["tol"])


@pytest.mark.parametrize("case", cases(FILE, "abst.vacc_class_dependent"))
def test_volume_along_a_ray_against_enumeration(case):
    data = case["input"]
    volume = surface_of(data).volume(ray=(data["alpha"], data["beta"]))
    close(volume, case["expect"]["volume"], case["tol"])


@pytest.mark.parametrize("case", cases(FILE, "abst.expected_beta"))
def test_beta_expectation_against_quadrature(case):
    data = case["input"]
    got = surface_of(data).expected_cost(mu_beta=data["mu_beta"], nu_beta=data["nu_beta"])
    close(got, case["expect"]["expected"], case["tol"])


def test_beta_expectation_with_fractional_parameters_against_a_quantile_grid():
    from scipy.stats import beta

    surface = worked_example()
    middle = (np.arange(2000) + 0.5) / 2000
    mu, nu = beta(2.5, 1.5).ppf(middle), beta(1.2, 3.7).ppf(middle)
    expected = np.asarray(surface.cost(mu[:, None], nu[None, :])).mean()
    assert surface.expected_cost(mu_beta=(2.5, 1.5), nu_beta=(1.2, 3.7)) == pytest.approx(expected, abs=2e-6)


@pytest.mark.parametrize("case", cases(FILE, "abst.symmetric_brier"))
def test_symmetric_cost_against_enumeration(case):
    close(surface_of(case["input"]).symmetric_cost(case["input"]["d"]), case["expect"]["value"], case["tol"])


@pytest.mark.parametrize("case", cases(FILE, "abst.plugin_vacc"))
def test_plugin_volume_against_enumeration(case):
    data = case["input"]
    close(plugin_vacc_score(data["labels"], data["probs"]), case["expect"]["vacc"], case["tol"])


@pytest.mark.parametrize("case", cases(FILE, "abst.compare"))
def test_difference_against_enumeration(case):
    data, expect, tol = case["input"], case["expect"], case["tol"]
    first = abstention_surface(data["labels"], data["scores_s"])
    second = abstention_surface(data["labels"], data["scores_t"])
    gap = first.minus(second)
    close(gap.better_area, expect["area_s_better"], tol)
    close(gap.worse_area, expect["area_t_better"], tol)
    close(gap.equal_area, expect["area_equal"], tol)
    close(gap.gain, expect["volume_s_better"], tol)
    close(gap.loss, expect["volume_t_better"], tol)


@pytest.mark.parametrize("case", cases(FILE, "abst.compare_trivial"))
def test_difference_to_trivial_against_enumeration(case):
    data, expect, tol = case["input"], case["expect"], case["tol"]
    surface = abstention_surface(data["labels"], data["scores"])
    gap = surface.minus(surface.trivial())
    close(gap.better_area, expect["area_s_better"], tol)
    close(gap.equal_area, expect["area_equal"], tol)
    close(gap.gain, expect["volume_s_better"], tol)
    # Erratum: where figure 4e of Friedel et al. (2006) says the trivial classifier "performs
    # better" it can only be equal, because the windows include the three trivial rules.
    close(gap.loss, 0.0, tol)


@pytest.mark.parametrize("case", cases(FILE, "abst.cost_matrix"))
def test_cost_matrix_against_enumeration(case):
    data, expect, tol = case["input"], case["expect"], case["tol"]
    costs = _costs_of(data["cost_matrix"])
    close(costs.mu, expect["mu"], tol)
    close(costs.nu_positive, expect["nu_p"], tol)
    close(costs.nu_negative, expect["nu_n"], tol)
    close(surface_of(data).window(costs=costs).expected_cost, expect["min_expected_cost"], tol)


@pytest.mark.parametrize("case", cases(FILE, "abst.thresholds"))
def test_thresholds_against_enumeration(case):
    from demur._kernels.thresholds import cut_points

    scores = np.array(case["input"]["distinct_scores"], dtype=float)
    lower, upper = cut_points(scores, scores)
    names = {1: "p", 0: "n", ABSTAIN: "a"}
    for window in case["expect"]["windows"]:
        pair = lower[window["i"]], upper[window["j"]]
        assert pair == (window["lower"], window["upper"])
        assert [names[code] for code in decide(scores, pair).tolist()] == window["predictions"]


def _costs_of(matrix):
    (tp, fn, ap), (fp, tn, an) = matrix
    return CostModel(
        cost_tp=tp, cost_fn=fn, cost_fp=fp, cost_tn=tn, cost_abstain_positive=ap, cost_abstain_negative=an
    )


CALLS = {
    "dh.pc": lambda a: demur.costs.probability_cost(a["p_pos"], a["cost_fn"], a["cost_fp"]),
    "dh.envelope": lambda a: demur.cost_curve(a["labels"], a["scores"]),
    "abst.cost_matrix": lambda a: _costs_of(a["cost_matrix"]),
    "abst.min_cost": lambda a: surface_of(a).cost(a["mu"], a["nu_p"], a["nu_n"]),
    "abst.vacc": lambda a: surface_of(a).volume(),
}
# "priors do not sum to 1" cannot be said here: the public form takes P(positive) alone
EXPRESSIBLE = [case for case in cases(FILE, "errors") if "sum to 1" not in case.values[0]["expect"]["why"]]


@pytest.mark.parametrize("case", EXPRESSIBLE)
def test_wrong_input_raises(case):
    call, args = CALLS[case["input"]["call"]], case["input"]["args"]
    with pytest.raises(InputError):
        call(args)


# ---------------------------------------------------------------- brute force on random data


@given(scored_data(), st.floats(0, 3), st.floats(-0.5, 1.5), st.floats(-0.5, 1.5))
@settings(max_examples=examples(200), deadline=None)
def test_cost_and_window_against_brute_force(data, mu, nu_positive, nu_negative):
    y, s, w = data
    surface = abstention_surface(y, s, sample_weight=w)
    costs = {window: window_cost(y, s, w, window, mu, nu_positive, nu_negative) for window in all_windows(s)}
    best = min(cost for cost, _ in costs.values())
    assert surface.cost(mu, nu_positive, nu_negative) == pytest.approx(best, abs=1e-12)
    found = surface.window(mu, nu_positive, nu_negative)
    cost, abstained = costs[found.lower_index, found.upper_index]
    assert cost == pytest.approx(best, abs=1e-12)
    least = min(rate for price, rate in costs.values() if price <= best + 1e-13)
    assert abstained == pytest.approx(found.abstention_rate, abs=1e-12)
    assert found.abstention_rate <= least + 1e-9 or cost < best + 1e-13
    codes = decide(s, found)
    got = sum(
        wi * _price(yi, code, mu, nu_positive, nu_negative) for yi, wi, code in zip(y, w, codes, strict=True)
    )
    assert got / sum(w) == pytest.approx(best, abs=1e-12)


def _price(label, code, mu, nu_positive, nu_negative):
    if code == ABSTAIN:
        return nu_positive if label else nu_negative
    if code == label:
        return 0.0
    return 1.0 if label else mu


@given(scored_data(), st.floats(0, 2), st.floats(0, 1), st.floats(0.01, 1), st.floats(0.01, 1))
@settings(max_examples=examples(60), deadline=None)
def test_volume_is_the_sum_over_cells(data, mu_low, nu_low, width, height):
    y, s, w = data
    surface = abstention_surface(y, s, sample_weight=w)
    rectangle = {"mu": (mu_low, mu_low + width), "nu": (nu_low, nu_low + height)}
    cells = surface.cells(**rectangle)
    total = 0.0
    for k, polygon in enumerate(cells.polygons):
        centre_x, centre_y = polygon.mean(axis=0)
        plane = cells.fn[k] + centre_x * cells.fp[k] + centre_y * cells.abstention_rate[k]
        assert surface.cost(centre_x, centre_y) == pytest.approx(plane, abs=1e-12)
        total += _plane_over(polygon, cells.fn[k], cells.fp[k], cells.abstention_rate[k])
    assert cells.area.sum() == pytest.approx(width * height)
    assert total == pytest.approx(surface.volume(**rectangle), abs=1e-12)


def _plane_over(polygon, constant, by_mu, by_nu):
    total = 0.0
    x0, y0 = polygon[0]
    for (x1, y1), (x2, y2) in itertools.pairwise(polygon[1:]):
        area = abs((x1 - x0) * (y2 - y0) - (y1 - y0) * (x2 - x0)) / 2
        total += area * (constant + by_mu * (x0 + x1 + x2) / 3 + by_nu * (y0 + y1 + y2) / 3)
    return total


@given(scored_data(), scored_data())
@settings(max_examples=examples(60), deadline=None)
def test_difference_balances_the_volumes(one, other):
    first = abstention_surface(one[0], one[1], sample_weight=one[2])
    second = abstention_surface(other[0], other[1], sample_weight=other[2])
    gap = first.minus(second)
    assert gap.net == pytest.approx(first.volume() - second.volume(), abs=1e-12)
    assert gap.better_area + gap.worse_area + gap.equal_area == pytest.approx(1)
    mirrored = second.minus(first)
    assert (mirrored.gain, mirrored.better_area) == pytest.approx((gap.loss, gap.worse_area), abs=1e-12)


@given(scored_data(), scored_data())
@settings(max_examples=examples(60), deadline=None)
def test_smallest_rectangles_against_areas_inside_and_outside(one, other):
    first = abstention_surface(one[0], one[1], sample_weight=one[2])
    second = abstention_surface(other[0], other[1], sample_weight=other[2])
    gap = first.minus(second)
    assert second.minus(first).within() == gap.within()[::-1]
    for kind, rectangle in zip(("better_area", "worse_area"), gap.within(), strict=True):
        if rectangle is None:
            assert getattr(gap, kind) < 1e-10
            continue

        def area(mu, nu, kind=kind):
            return getattr(first.minus(second, mu=mu, nu=nu), kind) if mu[0] < mu[1] and nu[0] < nu[1] else 0

        (left, right), (low, high) = rectangle
        assert area((left, right), (low, high)) == pytest.approx(getattr(gap, kind), abs=1e-10)
        assert area((left, left + 1e-3), (0, 1)) * area((right - 1e-3, right), (0, 1)) > 0
        assert area((0, 1), (low, low + 1e-3)) * area((0, 1), (high - 1e-3, high)) > 0


def test_smallest_rectangles_by_hand():
    # both decide without abstaining; the first never misses, the second has no false alarm
    y = [0] * 10 + [1] * 10
    cautious = abstention_surface(y, [0] * 8 + [1] * 12)  # fp = 0.1
    strict = abstention_surface(y, [0] * 14 + [1] * 6)  # fn = 0.2
    gap = cautious.minus(strict, nu=(1.0, 2.0))
    # 0.1 mu against min(0.2, 0.5 mu): cheaper at all costs above 0
    assert gap.within() == (((0.0, 1.0), (1.0, 2.0)), None)
    # against one error more of each kind: fp = 0.3, fn = 0.05 meet at mu = 0.25
    other = abstention_surface([0] * 20 + [1] * 20, [0] * 8 + [1] * 12 + [1] * 20)
    plain = abstention_surface([0] * 20 + [1] * 20, [0] * 20 + [0] * 2 + [1] * 18)
    ends = other.minus(plain, nu=(1.0, 2.0)).within()
    # 0.3 mu against 0.05: equal at mu = 1 / 6
    assert ends[0][0] == pytest.approx((0.0, 1 / 6))
    assert ends[1][0] == pytest.approx((1 / 6, 1.0))
    assert cautious.minus(cautious).within() == (None, None)


# ---------------------------------------------------------------- theory


def test_no_abstention_above_lemma_1_against_theory():
    surface = worked_example()
    mu = np.linspace(0.01, 3, 50)
    assert np.all(np.asarray(surface.abstention_rate(mu, mu / (1 + mu))) == 0)
    assert np.all(np.asarray(surface.cost(mu, mu / (1 + mu))) == np.asarray(surface.cost(mu, np.inf)))


def test_flip_rule_against_theory():
    y, s = [1, 0, 1, 0, 0, 1, 1], [0.1, 0.2, 0.2, 0.3, 0.5, 0.6, 0.7]
    surface = abstention_surface(y, s)
    flipped = abstention_surface([1 - label for label in y], [-score for score in s])
    for mu, nu in [(2.5, 0.3), (0.4, 0.1), (1.0, 0.45)]:
        assert surface.cost(mu, nu) == pytest.approx(mu * flipped.cost(1 / mu, nu / mu), abs=1e-15)


@pytest.mark.parametrize(
    ("share", "value"),
    [(1 / 4, 53 / 288), (2 / 5, 2 / 9), (1 / 2, 5 / 24), (2 / 3, 4 / 27), (3 / 4, 11 / 96)],
)
def test_volume_of_one_block_by_hand(share, value):
    counts = ScoreCounts.from_counts([0.0], [share * 60], [(1 - share) * 60])
    assert vacc_score(counts) == pytest.approx(value, abs=1e-15)


def test_published_volumes_against_weka_scores(weka_scores):
    checked = 0
    for row, y, score in weka_scores():
        assert demur.auc_score(y, score) == pytest.approx(float(row["auc"]), abs=1e-9)
        surface = abstention_surface(y, score)
        assert surface.volume() == pytest.approx(float(row["vacc"]), abs=1e-9)
        assert len(surface.shares) == int(row["pav_blocks"])
        checked += 1
    assert checked == 90


# ---------------------------------------------------------------- edges


def test_one_class_costs_nothing():
    for labels in ([1, 1], [0, 0], [1]):
        surface = abstention_surface(labels, np.arange(len(labels)))
        assert surface.cost(1, 0.3) == 0
        assert surface.volume() == 0


def test_all_scores_tied_is_the_best_trivial_rule():
    surface = abstention_surface([1, 0, 0, 1, 0], [3.0] * 5)
    gap = surface.minus(surface.trivial())
    assert (gap.equal_area, gap.gain, gap.loss) == (1.0, 0.0, 0.0)


def test_identical_models_are_equal_everywhere():
    rng = np.random.default_rng(3)
    y, s = rng.random(400) < 0.3, rng.normal(size=400)
    gap = abstention_surface(y, s).minus(abstention_surface(y, np.exp(s)))
    assert (gap.better_area, gap.worse_area, gap.gain, gap.loss) == (0, 0, 0, 0)
    assert gap.equal_area == pytest.approx(1)


def test_threshold_between_infinity_and_the_largest_float_is_refused():
    top = np.finfo(float).max
    surface = abstention_surface([0, 1], [top, np.inf])
    with pytest.raises(UndefinedError, match="rescale"):
        surface.window(1, 1)
    assert surface.cost(1, 1) == 0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda s: s.cost(-1, 0.2), "`mu` must not be negative, got -1"),
        (lambda s: s.cost(math.nan, 0.2), "`mu` must be finite"),
        (lambda s: s.cost(1, math.nan), "`nu` must be a number"),
        (lambda s: s.cost([1, 2], [1, 2, 3]), "must broadcast"),
        (lambda s: s.window(1), "`mu` and `nu` are both needed"),
        (lambda s: s.window([1, 2], 0.5), "single numbers"),
        (lambda s: s.window(1, 0.5, costs=CostModel()), "replaces mu and nu"),
        (lambda s: s.window(costs=3), "`costs` must be a CostModel"),
        (lambda s: s.volume(mu=(1, 0)), "low <= high"),
        (lambda s: s.volume(nu=(-1, 0)), "must start at 0"),
        (lambda s: s.volume(mu=3), "must be a pair"),
        (lambda s: s.expected_cost(mu_beta=(0, 1), nu_beta=(1, 1)), "`mu_beta` must be two positive"),
        (lambda s: s.grid(0), "`resolution` must be a whole number"),
        (lambda s: s.minus(3), "`other` must be an AbstentionSurface"),
        (lambda s: s.cost(1, math.inf, -1), "must both be finite"),
        (lambda s: decide([1.0], (2, 1)), "lower <= upper"),
        (lambda s: decide([1.0], "ab"), "lower <= upper"),
        (lambda s: decide([1.0], (0, math.nan)), "lower <= upper"),
        (lambda s: decide([1.0], 3), "lower <= upper"),
        (lambda s: decide([math.nan], (0, 1)), "`scores` must not contain NaN"),
        (lambda s: plugin_vacc_score([0, 1], [0.2, 1.2]), "calibrate"),
    ],
)
def test_error_sentences(call, message):
    with pytest.raises(InputError, match=message):
        call(worked_example())


@pytest.mark.parametrize("prevalence", [None, 0.3])
def test_no_share_of_weighted_cases_exceeds_one(prevalence):
    """Shares that add up to 1 + 2e-16 gave a coverage below 0 in one of 25 small samples."""
    rng = np.random.default_rng(4)
    for _ in range(200):
        y = np.append([0, 1], rng.integers(0, 2, 8))
        score, weight = rng.integers(0, 3, 10), rng.integers(1, 7, 10) / rng.choice([2, 3, 7, 10])
        surface = abstention_surface(y, score, sample_weight=weight, prevalence=prevalence)
        # a free review of every case
        for window in (
            surface.window(1.0, 0.0),
            demur.cheapest_window(
                y, score, mu=1.0, nu=0.0, max_abstention=1.0, sample_weight=weight, prevalence=prevalence
            ),
        ):
            assert window.abstention_rate <= 1
            assert window.coverage >= 0
        assert surface.abstention_rate(1.0, 0.0) <= 1


@pytest.mark.parametrize("seed", range(10))
def test_largest_gain_and_loss_against_a_grid(seed):
    y, score = demur.Binormal(separation=1.0).sample(60, rng=seed)
    other = np.random.default_rng(seed).normal(size=60) + score
    gap = abstention_surface(y, np.round(score, 1)).minus(abstention_surface(y, other))
    at = np.linspace(0.0, 1.0, 101)
    values = np.asarray(gap.cost(at[:, None], at[None, :]))
    # a difference of two planes with masses up to 1 changes by at most 3 / 100 within a cell of the grid
    assert max(-values.min(), 0) <= gap.largest_gain + 1e-12 <= max(-values.min(), 0) + 0.03
    assert max(values.max(), 0) <= gap.largest_loss + 1e-12 <= max(values.max(), 0) + 0.03
    for value, place in ((-gap.largest_gain, gap.largest_gain_at), (gap.largest_loss, gap.largest_loss_at)):
        assert (place is None) == (value == 0)
        if place is not None:
            assert gap.cost(*place) == pytest.approx(value, abs=1e-12)
