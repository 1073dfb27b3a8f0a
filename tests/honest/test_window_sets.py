"""Near-optimal windows against enumeration of all windows and by hand."""

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from demur import (
    Binormal,
    CostModel,
    InputError,
    ScoreCounts,
    abstention_surface,
    cross_fitted_surface,
    window_interval,
)
from examples import examples
from oracles import all_windows, scored_data, window_cost

SCORES, POS, NEG = [-0.9, -0.5, 0.0, 0.4, 0.8], [0, 1, 1, 2, 2], [2, 1, 2, 1, 0]
COUNTS = ScoreCounts.from_counts(SCORES, POS, NEG)


def test_worked_example_by_hand():
    # mu = 1, nu = 1/4: the best window (1, 4) costs 1/6 = 4/24. Calling the two cases at -0.5
    # negative instead of abstaining costs (1 - 2/4)/12 more, 1/24; abstaining on the two
    # negatives at -0.9 as well also 1/24; moving the upper end in saves the reviews of
    # (2, 1) and pays one false alarm: 1/12 - 3/48 = 1/48 more; moving it out costs 1/24.
    costs = CostModel(cost_abstain=0.25)
    none = window_interval(COUNTS, costs=costs, tolerance=0)
    assert none.lower == pytest.approx((-0.7, -0.7))
    assert none.upper == pytest.approx((0.6, 0.6))
    some = window_interval(COUNTS, costs=costs, tolerance=0.126)  # above 1/48 over 1/6 = 1/8
    assert some.upper == pytest.approx((0.2, 0.6))
    assert some.lower == pytest.approx((-0.7, -0.7))
    wide = window_interval(COUNTS, costs=costs, tolerance=0.251)  # above 1/24 over 1/6 = 1/4
    assert wide.lower == (-math.inf, pytest.approx(-0.25))
    assert wide.upper == (pytest.approx(0.2), math.inf)
    assert wide.tolerance == pytest.approx(0.251 / 6)
    # the cell of the window: r_1 = 0 <= nu <= r_2 = 2/5, and mu q_4 = 0 <= nu <= mu q_3 = mu / 3
    assert none.nu_range == pytest.approx((0, 1 / 3))
    assert none.mu_range == (pytest.approx(3 / 4), math.inf)
    assert "any from -0.7" in none.summary()


def test_one_threshold_without_abstaining_by_hand():
    # costs of the cuts 0..5: 6, 4, 4, 3, 4, 6 errors in 12 cases
    room = window_interval(COUNTS, costs=CostModel(), tolerance=0.4)
    assert room.window.cost == pytest.approx(3 / 12)
    assert room.lower == room.upper
    assert room.lower == pytest.approx((-0.7, 0.6))
    # mu between r_2 / q_2 = 2/3 and r_3 / q_3 = 2
    assert room.mu_range == pytest.approx((2 / 3, 2))
    assert room.nu_range.high == math.inf


@given(
    scored_data(), st.floats(0, 3), st.floats(-0.2, 1), st.floats(-0.2, 1), st.floats(0, 0.5), st.booleans()
)
@settings(max_examples=examples(150), deadline=None)
def test_sets_against_enumeration(data, mu, nu_positive, nu_negative, tolerance, abstain):
    y, s, w = data
    nus = {"cost_abstain_positive": nu_positive, "cost_abstain_negative": nu_negative} if abstain else {}
    room = window_interval(y, s, CostModel(cost_fp=mu, **nus), sample_weight=w, tolerance=tolerance)
    prices = (nu_positive, nu_negative) if abstain else (0.0, 0.0)
    costs = {
        window: window_cost(y, s, w, window, mu, *prices)[0]
        for window in all_windows(s)
        if abstain or window[0] == window[1]
    }
    best = min(costs.values())
    limit = best + tolerance * abs(best)
    # windows at the very limit may round to either side
    inner = {window for window, cost in costs.items() if cost <= limit - 1e-9}
    outer = {window for window, cost in costs.items() if cost <= limit + 1e-9}
    surface = abstention_surface(y, s, sample_weight=w)
    cuts = surface.masses.scores.lower_cut.tolist(), surface.masses.scores.upper_cut.tolist()
    for side, found, interval, connected in (
        (0, room.lower_cuts, room.lower, room.lower_connected),
        (1, room.upper_cuts, room.upper, room.upper_connected),
    ):
        positions = {cuts[side].index(cut) for cut in found}
        assert {window[side] for window in inner} <= positions <= {window[side] for window in outer}
        run = range(cuts[side].index(interval.low), cuts[side].index(interval.high) + 1)
        assert set(run) <= positions
        assert (set(run) == positions) == connected
        assert (room.window.lower_index, room.window.upper_index)[side] in run


@given(st.integers(0, 500), st.sampled_from([None, 0.3]), st.booleans())
@settings(max_examples=examples(30), deadline=None)
def test_standard_error_sets_against_the_losses_of_the_cases(seed, prevalence, abstain):
    rng = np.random.default_rng(seed)
    y = np.concatenate([[0, 0, 1, 1], rng.integers(0, 2, 20)])
    s = rng.integers(0, 9, 24).astype(float)
    mu, nu = 0.8, 0.2
    costs = CostModel(cost_fp=mu, cost_abstain=nu if abstain else None)
    room = window_interval(y, s, costs, prevalence=prevalence, method="standard-error", confidence_level=0.9)
    group = np.unique(s, return_inverse=True)[1]

    def losses(i, j):
        return np.where(group >= j, mu * (y == 0), np.where(group < i, y == 1, nu))

    best = losses(room.window.lower_index, room.window.upper_index)
    cuts = abstention_surface(y, s).masses.scores.lower_cut.tolist()
    for i in range(len(cuts)):
        j = room.window.upper_index if abstain else i
        if i > j:
            continue
        gap = losses(i, j) - best
        if prevalence is None:
            mean, error = gap.mean(), gap.std(ddof=1) / math.sqrt(24)
        else:
            parts = [(prevalence, gap[y == 1]), (1 - prevalence, gap[y == 0])]
            mean = sum(share * part.mean() for share, part in parts)
            error = math.sqrt(sum(share**2 * part.var(ddof=1) / len(part) for share, part in parts))
        if abs(mean - 1.6448536269514722 * error) > 1e-9:
            assert (cuts[i] in room.lower_cuts.tolist()) == (mean <= 1.6448536269514722 * error)
    assert room.tolerance is None


@given(st.integers(0, 200))
@settings(max_examples=examples(40), deadline=None)
def test_window_stays_the_same_within_its_cost_ranges(seed):
    rng = np.random.default_rng(seed)
    y, s = Binormal().sample(60, rng=rng)
    mu, nu = rng.uniform(0.1, 1.5), rng.uniform(0.02, 0.6)
    room = window_interval(y, s, CostModel(cost_fp=mu, cost_abstain=nu))
    surface = abstention_surface(y, s)
    ends = room.window.lower_index, room.window.upper_index

    def at(x, z):
        window = surface.window(x, z)
        return window.lower_index, window.upper_index

    for share in (0.01, 0.5, 0.99):
        low, high = room.mu_range.low, min(room.mu_range.high, 10.0)
        assert at(low + share * (high - low), nu) == ends
        low, high = room.nu_range.low, min(room.nu_range.high, 5.0)
        assert at(mu, low + share * (high - low)) == ends
    if room.mu_range.high < 10 and room.mu_range.low < room.mu_range.high:
        assert at(room.mu_range.high * 1.0001, nu) != ends
    if room.nu_range.low > 0:
        assert at(mu, room.nu_range.low * 0.9999) != ends


def test_fold_windows_and_both_call_forms():
    y, s = Binormal().sample(300, rng=2)
    costs = CostModel(cost_abstain=0.2)
    room = window_interval(y, s, costs, folds=6, rng=0, repeats=2)
    assert len(room.fold_lower) == len(room.fold_upper) == 12
    assert np.all(room.fold_lower <= room.fold_upper)
    assert room.honest_cost == cross_fitted_surface(y, s, folds=6, rng=0, repeats=2).cost(1, 0.2)
    assert len(window_interval(y, s, costs, folds=6).fold_lower) == 60  # ten splits of 300 cases
    assert window_interval(y, s, costs).honest_cost is None
    counts = ScoreCounts.from_arrays(y, s)
    counted = window_interval(counts, costs, folds=6, rng=0, repeats=2)
    assert counted.honest_cost == cross_fitted_surface(counts, folds=6, rng=0, repeats=2).cost(1, 0.2)
    split = ("fold_lower", "fold_upper", "honest_cost")
    plain, from_counts = (
        {name: value for name, value in one.to_dict().items() if name not in split} for one in (room, counted)
    )
    assert plain == from_counts
    json.dumps(room.to_dict(), allow_nan=False)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: window_interval(COUNTS), "`costs` is missing"),
        (lambda: window_interval([0, 1], [1, 2], (1, 2)), "`costs` must be a CostModel"),
        (lambda: window_interval(COUNTS, CostModel(), tolerance=-1), "`tolerance` must not be negative"),
        (lambda: window_interval(COUNTS, CostModel(), tolerance=[1, 2]), "`tolerance` must be one number"),
        (lambda: window_interval(COUNTS, CostModel(), method="bootstrap"), "`method` must be one of"),
        (
            lambda: window_interval(COUNTS, CostModel(), method="standard-error", tolerance=0.1),
            "belongs to method='relative'",
        ),
        (lambda: window_interval(COUNTS, CostModel(), folds=50), "`folds` must not exceed"),
        (lambda: window_interval(COUNTS, CostModel(), confidence_level=2), r"must lie in \[0, 1\]"),
        (
            lambda: window_interval(
                [0, 1], [1, 2], CostModel(), sample_weight=[0.5, 1], method="standard-error"
            ),
            "whole numbers",
        ),
        (lambda: window_interval([1, 1], [1, 2], CostModel(), method="standard-error"), "both classes"),
        (
            lambda: window_interval(
                [0, 1, 1], [1, 2, 3], CostModel(), method="standard-error", prevalence=0.5
            ),
            "needs two cases of each class, got 2 positive and 1 negative",
        ),
    ],
)
def test_error_sentences(call, message):
    with pytest.raises(InputError, match=message):
        call()
