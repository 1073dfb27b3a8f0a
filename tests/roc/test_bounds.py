"""Bounds of the AUC from ROC points against direct maximisation, linear programs and theory."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from demur import InputError, UndefinedError, auc_bounds, roc_curve
from demur.roc import iso_discriminability, roc_point_index
from demur.roc.bounds import best_slopes, envelope_area
from examples import examples
from oracles import scored_data
from reference_cases import cases, close

FILE = "confident_roc.json"


def area(corners):
    """Trapezoids between successive corners."""
    return sum((b[0] - a[0]) * (a[1] + b[1]) / 2 for a, b in itertools.pairwise(corners))


# ---------------------------------------------------------------- by hand


@pytest.mark.parametrize(
    ("fpr", "tpr", "lower", "upper", "grier", "smith"),
    [
        (0.2, 0.6, 0.70, 0.84, 19 / 24, 23 / 30),
        (0.25, 0.75, 0.75, 0.875, 5 / 6, 19 / 24),
        (0.1, 0.4, 0.65, 0.875, 37 / 48, 61 / 80),
        (0.6, 0.9, 0.65, 0.875, 37 / 48, 61 / 80),
        (0.7, 0.2, 0.12, 0.25, 1 - (0.5 + 0.5 * 1.5 / (4 * 0.7 * 0.8)), 11 / 56),
    ],
)
def test_one_point_by_hand(fpr, tpr, lower, upper, grier, smith):
    found = auc_bounds(fpr, tpr)
    assert (found.lower, found.upper) == pytest.approx((lower, upper), abs=1e-15)
    assert found.index == pytest.approx((lower + upper) / 2, abs=1e-15)
    assert (found.grier, found.smith) == pytest.approx((grier, smith), abs=1e-15)
    assert found.below_diagonal == (tpr < fpr)


@pytest.mark.parametrize(
    ("fpr", "tpr", "lower", "upper"),
    [(0, 0, 0.5, 1), (1, 1, 0.5, 1), (0, 0.3, 0.65, 1), (0.4, 1, 0.8, 1), (0, 1, 1, 1), (0.3, 0.3, 0.5, 0.5)],
)
def test_border_points_by_hand(fpr, tpr, lower, upper):
    found = auc_bounds(fpr, tpr)
    assert (found.lower, found.upper) == pytest.approx((lower, upper), abs=1e-15)
    assert area(found.lower_curve) == pytest.approx(lower, abs=1e-15)
    assert area(found.upper_curve) == pytest.approx(upper, abs=1e-15)


def test_three_points_by_hand():
    found = auc_bounds([0.6, 0.1, 0.3, 0.1], [0.9, 0.4, 0.7, 0.4])
    assert (found.lower, found.upper) == pytest.approx((0.75, 0.78), abs=1e-15)
    # lines of slopes 2, 1, 1/2: each point is the middle of its edge
    corners = [[0, 0], [0, 0.2], [0.2, 0.6], [0.4, 0.8], [0.8, 1], [1, 1]]
    assert found.upper_curve == pytest.approx(np.array(corners), abs=1e-15)
    for point, start, end in zip(
        zip(found.fpr, found.tpr, strict=True), corners[1:], corners[2:], strict=False
    ):
        assert point == pytest.approx(np.add(start, end) / 2)
    assert (found.grier, found.smith) == (None, None)


def test_joint_move_beats_single_moves_by_hand():
    # Climbing one slope at a time stops here at slopes (2/3, 2/3, 3/5), area
    # 0.85166...: points 1 and 2 share a chord, and only splitting both lines at once gains. By hand:
    # y = .56 + .8 x, then .58 + .6 x from x = .1, then 1 from x = .7: .06 + .492 + .3 = .852.
    x, y = np.array([0, 0.05, 0.2, 0.45, 1]), np.array([0, 0.6, 0.7, 0.85, 1])
    assert auc_bounds(x, y).upper == pytest.approx(0.852, abs=1e-15)
    assert best_slopes(x, y) == pytest.approx([0.8, 0.6, 0.6])
    stuck = np.array([2 / 3, 2 / 3, 0.6])
    here = envelope_area(x, y, stuck)
    assert here == pytest.approx(0.8516666666666667)
    chords = np.diff(y) / np.diff(x)
    for i, step in itertools.product(range(3), (-0.05, -1e-3, 1e-3, 0.05)):
        moved = stuck.copy()
        moved[i] = np.clip(moved[i] + step, chords[i + 1], chords[i])
        assert envelope_area(x, y, moved) <= here + 1e-15


def test_points_in_line_force_their_chord_by_hand():
    # (0, 0) and three more points on one line: 5/4 x up to (8/15, 2/3), (14/15, 1), (1, 1)
    found = auc_bounds(np.array([1, 5, 7, 11]) / 15, np.array([1, 5, 7, 10]) / 12)
    assert found.upper == pytest.approx(8 / 45 + 1 / 3 + 1 / 15, abs=1e-14)
    assert found.upper_curve[-3:] == pytest.approx(
        np.array([[8 / 15, 2 / 3], [14 / 15, 1], [1, 1]]), abs=1e-14
    )


def test_roundings_of_one_point_count_once():
    alone = auc_bounds(0.01, 0.1)
    twice = auc_bounds([0.01, 0.010000000000000002], [0.1, 0.1])
    assert (twice.lower, twice.upper) == pytest.approx((alone.lower, alone.upper), abs=1e-14)


# ---------------------------------------------------------------- reference cases


@pytest.mark.parametrize("case", cases(FILE, "roc_point_bounds"))
def test_one_point_against_golden_section(case):
    data, expected, tol = case["input"], case["expected"], case["tol"]
    found, alone = auc_bounds(data["F"], data["H"]), roc_point_index(data["F"], data["H"])
    names = {
        "a_minus": "lower",
        "a_plus": "upper",
        "a": "index",
        "a_prime": "grier",
        "a_double_prime": "smith",
    }
    for key, name in names.items():
        if expected[key] is None:
            assert getattr(found, name) is None
            assert math.isnan(getattr(alone, name))
        else:
            close(getattr(found, name), expected[key], tol)
            close(getattr(alone, name), expected[key], tol)
    if expected["b"] is not None:
        close(alone.bias, expected["b"], expected["b_tol"])


@pytest.mark.parametrize("case", cases(FILE, "multi_point_bounds"))
def test_several_points_against_golden_section(case):
    points, expected = np.array(case["input"]["points"]), case["expected"]
    if not expected["feasible"]:
        with pytest.raises(UndefinedError, match="No proper"):
            auc_bounds(points[:, 0], points[:, 1])
        return
    found = auc_bounds(points[:, 0], points[:, 1])
    close(found.lower, expected["area_min"], case["tol"])
    close(found.upper, expected["area_max"], case["tol"])


# ---------------------------------------------------------------- one point on random data


rates = st.integers(0, 1000).map(lambda k: k / 1000)


@given(st.floats(0.001, 0.999), st.floats(0.001, 0.999))
@settings(max_examples=examples(100), deadline=None)
def test_upper_bound_against_direct_maximisation(one, other):
    from scipy.optimize import minimize_scalar

    f, h = sorted((one, other))

    def lost(log_slope):
        m = math.exp(log_slope)
        return -area([(0, 0), (0, h - m * f), (f + (1 - h) / m, 1), (1, 1)])

    ends = math.log((1 - h) / (1 - f)), math.log(h / f)
    best = max(-lost(ends[0]), -lost(ends[1]))
    if ends[1] - ends[0] > 1e-9:
        best = max(best, -minimize_scalar(lost, bounds=ends, method="bounded").fun)
    assert auc_bounds(f, h).upper == pytest.approx(best, abs=1e-9)


@given(rates, rates)
@settings(max_examples=examples(200), deadline=None)
def test_index_laws_of_one_point(f, h):
    here, mirrored = roc_point_index(f, h), roc_point_index(1 - h, 1 - f)
    assert 0 <= here.lower <= here.index <= here.upper <= 1
    for name in ("lower", "upper", "index"):
        # symmetric in the negative diagonal; reversed decisions turn areas over
        assert getattr(mirrored, name) == pytest.approx(getattr(here, name), abs=1e-9)
    if f != h:
        assert roc_point_index(h, f).index == pytest.approx(1 - here.index, abs=1e-15)
    found = auc_bounds(f, h)
    assert area(found.lower_curve) == pytest.approx(found.lower, abs=1e-9)
    assert area(found.upper_curve) == pytest.approx(found.upper, abs=1e-9)


@given(st.floats(0.01, 0.99), st.floats(0.01, 0.99))
@settings(max_examples=examples(100), deadline=None)
def test_smith_against_theory(one, other):
    # A'' equals A outside the upper left quadrant and is too small inside it
    f, h = sorted((one, other))
    found = roc_point_index(f, h)
    if f < 0.5 < h:
        assert found.smith <= found.index + 1e-15
    else:
        assert found.smith == pytest.approx(found.index, abs=1e-14)


@given(st.floats(0.5, 1), rates)
@settings(max_examples=examples(200), deadline=None)
def test_iso_curve_has_the_index_it_claims(index, f):
    h = iso_discriminability(index, f)
    if math.isnan(h):
        assert roc_point_index(f, 1.0).index < index
    elif (f, h) not in {(0.0, 0.0), (1.0, 1.0)} and f < 1 - 1e-9 and h > 1e-9:
        assert f <= h <= 1
        assert roc_point_index(f, h).index == pytest.approx(
            index, abs=1e-7 if f > 0.999 or h < 0.001 else 1e-12
        )


@pytest.mark.parametrize(("f", "h"), [(0.2, 0.6), (0.1, 0.4), (0.7, 0.9), (0.3, 0.5), (0.5, 0.8)])
def test_bias_is_the_slope_of_the_iso_curve(f, h):
    found = roc_point_index(f, h)
    step = 1e-6
    rise = iso_discriminability(found.index, f + step) - iso_discriminability(found.index, f - step)
    assert found.bias == pytest.approx(rise / (2 * step), abs=1e-5)


def test_bias_is_one_on_the_negative_diagonal_against_theory():
    f = np.linspace(0.01, 0.49, 25)
    assert roc_point_index(f, 1 - f).bias == pytest.approx(np.ones(25), abs=1e-15)


def test_printed_first_case_of_proposition_5_1_is_wrong():
    # erratum: 1 - 2 H (1 - F) is 0.04 at (.2, .6), below the lower bound 0.7
    f, h = 0.2, 0.6
    assert 1 - 2 * h * (1 - f) < roc_point_index(f, h).lower
    assert roc_point_index(f, h).upper == 1 - 2 * f * (1 - h)


def test_arrays_broadcast_like_single_calls():
    f, h = np.array([0.0, 0.2, 0.9]), np.array([[0.1], [0.8]])
    found = roc_point_index(f, h)
    for i, j in itertools.product(range(2), range(3)):
        one = roc_point_index(float(f[j]), float(h[i, 0]))
        for name in ("lower", "upper", "index", "grier", "smith", "below_diagonal"):
            assert getattr(found, name)[i, j] == getattr(one, name)
        assert isinstance(one.index, float)
        assert isinstance(one.below_diagonal, bool)


# ---------------------------------------------------------------- several points


@st.composite
def concave_chains(draw):
    """Points of a random concave polygon, some on the left and upper border."""
    k = draw(st.integers(2, 7))
    steps = st.lists(st.integers(1, 40), min_size=k + 1, max_size=k + 1)
    width, height = np.array(draw(steps), float), np.array(draw(steps), float)
    order = np.argsort(-height / width, kind="stable")
    start, stop = draw(st.sampled_from([0.0, 0.2])), draw(st.sampled_from([1.0, 0.7]))
    x = np.concatenate([[0.0], np.cumsum(width[order])])
    y = np.concatenate([[0.0], np.cumsum(height[order])])
    return x / x[-1] * stop, 1 - (1 - start) * (1 - y / y[-1])


def outer_bound(x, y, cuts=60):
    """Upper bound of the largest area by a linear program.

    a b / (a + b) = min over w of w^2 a + (1 - w)^2 b and -1/m = min over c of m / c^2 - 2 / c, so finitely
    many w and c give a linear outer approximation in the slopes.
    """
    from scipy.optimize import linprog

    k, chord, width = len(x) - 2, np.diff(y) / np.diff(x), np.diff(x)
    n = 2 * k  # slopes, k - 1 peaks, 1 / last slope
    cost = np.zeros(n)
    cost[0], cost[-1] = x[1] ** 2 / 2, (1 - y[k]) ** 2 / 2
    rows, limits = [], []
    for i in range(k - 1):
        cost[k + i] = -(width[i + 1] ** 2) / 2
        for w in np.linspace(0, 1, cuts):
            row = np.zeros(n)
            row[k + i], row[i], row[i + 1] = 1, -(w**2), (1 - w) ** 2
            rows.append(row)
            limits.append(((1 - w) ** 2 - w**2) * chord[i + 1])
    for c in np.linspace(chord[k], chord[k - 1], cuts):
        row = np.zeros(n)
        row[-1], row[k - 1] = -1, -1 / c**2
        rows.append(row)
        limits.append(-2 / c)
    bounds = [(chord[i + 1], max(chord[i], chord[i + 1])) for i in range(k)] + [(None, None)] * k
    done = linprog(cost, A_ub=np.array(rows), b_ub=limits, bounds=bounds)
    fixed = x[1] * y[1] + 1 - x[k] + sum(width[i] * (y[i] + y[i + 1]) / 2 for i in range(1, k))
    return fixed - done.fun


@given(concave_chains())
@settings(max_examples=examples(60), deadline=None)
def test_largest_area_against_a_linear_program(chain):
    x, y = chain
    found = auc_bounds(x, y)
    ceiling = outer_bound(x, y)
    assert found.upper <= ceiling + 1e-7
    # the program cuts curves off by tangents at finitely many points: a little above the truth
    assert found.upper >= ceiling - 5e-3 * (ceiling - found.lower) - 1e-7


@given(concave_chains())
@settings(max_examples=examples(150), deadline=None)
def test_extremal_curves_are_proper_and_pass_through_the_points(chain):
    x, y = chain
    found = auc_bounds(x, y)
    assert found.lower <= found.upper + 1e-15
    for corners, value in ((found.lower_curve, found.lower), (found.upper_curve, found.upper)):
        steps = np.diff(corners, axis=0)
        assert (steps >= -1e-12).all()
        turn = steps[:-1, 0] * steps[1:, 1] - steps[:-1, 1] * steps[1:, 0]
        assert (turn <= 1e-12).all()
        assert area(corners) == pytest.approx(value, abs=1e-12)
        rising = corners[np.concatenate([np.diff(corners[:, 0]) > 0, [True]])]
        inner = (x > 0) & (y < 1)
        assert np.interp(x[inner], rising[:, 0], rising[:, 1]) == pytest.approx(y[inner], abs=1e-9)


@given(concave_chains(), st.integers(0, 6))
@settings(max_examples=examples(60), deadline=None)
def test_another_point_narrows_the_bounds(chain, dropped):
    x, y = chain
    keep = np.arange(len(x)) != 1 + dropped % (len(x) - 2)
    fewer, more = auc_bounds(x[keep], y[keep]), auc_bounds(x, y)
    assert fewer.lower <= more.lower + 1e-14
    assert more.upper <= fewer.upper + 1e-14


@given(st.lists(st.floats(0.01, 0.99), min_size=1, max_size=8, unique=True), st.floats(1.2, 8))
@settings(max_examples=examples(100), deadline=None)
def test_bounds_enclose_a_power_curve_against_theory(fpr, exponent):
    # H = F^(1/e) is proper with area e / (e + 1)
    f = np.array(fpr)
    found = auc_bounds(f, f ** (1 / exponent))
    assert found.lower - 1e-12 <= exponent / (exponent + 1) <= found.upper + 1e-12


def test_bounds_close_in_on_a_smooth_curve_against_theory():
    f = (np.arange(1, 2000) / 2000) ** 2
    found = auc_bounds(f, np.sqrt(f))
    assert found.upper - found.lower < 1e-6
    assert found.lower <= 2 / 3 <= found.upper


@given(scored_data(both_classes=True))
@settings(max_examples=examples(100), deadline=None)
def test_hull_of_real_scores_is_always_feasible(data):
    y, s, w = data
    hull = roc_curve(y, s, sample_weight=w).convex_hull()
    found = auc_bounds(hull.fpr, hull.tpr)
    # with a single point, (0, 0) and (1, 1) included, the closed form answers
    assert found.lower == pytest.approx(hull.auc, abs=1e-14)
    assert found.upper >= found.lower - 1e-14


def test_hull_of_a_large_sample_is_feasible():
    rng = np.random.default_rng(8)
    y = rng.random(300_000) < 0.3
    hull = roc_curve(y, rng.normal(size=300_000) + y).convex_hull()
    found = auc_bounds(hull.fpr, hull.tpr)
    assert len(found.fpr) > 50
    assert found.lower == pytest.approx(hull.auc, abs=1e-12)
    assert 0 < found.upper - found.lower < 0.01


# ---------------------------------------------------------------- errors


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: auc_bounds(1.2, 0.5), "`fpr` must lie in \\[0, 1\\], got 1.2"),
        (lambda: auc_bounds(0.2, math.nan), "`tpr` must be finite"),
        (lambda: auc_bounds([0.1, 0.2], [0.5]), "must have the same length, got 2 and 1"),
        (
            lambda: auc_bounds([], []),
            "`fpr` must be one number or a one-dimensional array, got shape \\(0,\\)",
        ),
        (lambda: auc_bounds([[0.1]], [[0.2]]), "`fpr` must be one number or a one-dimensional"),
        (
            lambda: auc_bounds([0.2, 0.7], [0.5, 0.6]),
            "\\(0.7, 0.6\\), which lies below the diagonal. Hint: swap",
        ),
        (lambda: auc_bounds([0.2, 1], [0.5, 0.9]), "\\(1, 0.9\\), which lies below the diagonal"),
        (
            lambda: auc_bounds([0.2, 0.2], [0.5, 0.6]),
            "through \\(0.2, 0.5\\) and \\(0.2, 0.6\\). Hint: right of",
        ),
        (lambda: auc_bounds([0.2, 0.3], [1, 0.9]), "through \\(0.3, 0.9\\) and \\(0.2, 1\\)"),
        (lambda: auc_bounds([0, 0.3], [1, 0.9]), "through \\(0.3, 0.9\\) and \\(0, 1\\)"),
        (
            lambda: auc_bounds([0, 0.3], [0.8, 0.7]),
            "\\(0, 0.8\\), \\(0.3, 0.7\\) and \\(1, 1\\). Hint: the middle",
        ),
        (lambda: auc_bounds([0.2, 0.4, 0.6], [0.4, 0.45, 0.9]), "pass the convex hull only"),
        (lambda: roc_point_index([0.1, 0.2], [0.1, 0.2, 0.3]), "`fpr and tpr` must broadcast together"),
        (lambda: iso_discriminability(0.4, 0.2), "`index` must be at least 1/2, got 0.4"),
        (lambda: iso_discriminability([0.6, 0.7], [0.1, 0.2, 0.3]), "`index and fpr` must broadcast"),
    ],
)
def test_error_sentences(call, message):
    with pytest.raises(InputError, match=message):
        call()
