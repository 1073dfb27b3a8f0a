"""`range_window`: one window for ranges of costs and prevalence."""

import itertools
import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from demur import CostModel, CostRange, InputError, ScoreCounts, abstention_surface, decide
from demur.surface.masses import score_masses
from demur.windows import range_search as search_module
from demur.windows import range_window
from demur.windows.limits import Limits
from demur.windows.ranges import box_corners
from demur.windows.search import cut_limits
from examples import examples
from reference_cases import cases, close

OBJECTIVES = ("regret", "worst", "expected")


@pytest.mark.parametrize("prevalence", [0, 1, (0, 1), (1 - 1e-16, 1)])
def test_ranges_that_reach_one_class_by_hand(prevalence):
    costs = CostRange(cost_fn=(5, 20), cost_fp=4, cost_abstain=1)
    window = range_window([0, 1] * 8, [0.5] * 16, costs, objective="worst", prevalence=prevalence)
    # one score: a window calls all cases alike
    worst = {0: 0, 1: 0, (0, 1): 1}.get(prevalence, 0)
    assert window.worst_cost == pytest.approx(worst, abs=1e-12)


def enumerated(labels, scores, costs, prevalence=None):
    """Cost of every window (i, j) at every corner, and at the means, from the definition."""
    labels, scores = np.asarray(labels), np.asarray(scores)
    levels = np.unique(scores)
    own = labels.mean()
    low, high = (own, own) if prevalence is None else np.broadcast_to(prevalence, 2)
    missed = np.array([0, *(labels[scores <= level].sum() for level in levels)]) / max(labels.sum(), 1)
    cleared = np.array([0, *((1 - labels)[scores <= level].sum() for level in levels)])
    cleared = cleared / max((1 - labels).sum(), 1)
    k = len(missed)
    legal = np.arange(k)[:, None] <= np.arange(k)

    def all_costs(model, rate):
        cost = rate * model.cost_fn * missed[:, None] + (1 - rate) * model.cost_fp * (1 - cleared)
        reviewed = rate * (missed - missed[:, None]) + (1 - rate) * (cleared - cleared[:, None])
        if model.may_abstain:
            return np.where(legal, cost + model.cost_abstain * reviewed, np.inf)
        return np.where(np.eye(k, dtype=bool), cost, np.inf)

    corners = np.stack([all_costs(m, rate) for rate in (low, high) for m in costs.corners()])
    worst = np.maximum(all_costs(costs.upper, low), all_costs(costs.upper, high))
    middle = (low + high) / 2
    mass = middle * missed + (1 - middle) * cleared
    with np.errstate(invalid="ignore"):
        regret = (corners - corners.min(axis=(1, 2), keepdims=True)).max(axis=0)
    return {
        "regret": regret,
        "worst": worst,
        "expected": all_costs(costs.mean, middle),
        "abstained": mass - mass[:, None],
    }


def canonical(values, abstained, tolerance=1e-11):
    """Best pair: least value, then least abstention, then smaller j."""
    i, j = np.nonzero(values <= values.min() + tolerance)
    width = abstained[i, j]
    least = width <= width.min() + tolerance
    return min(zip(j[least].tolist(), (-i[least]).tolist(), strict=True))


@st.composite
def problems(draw, max_size=30):
    """Labels, tied scores, a box of costs and perhaps a range of prevalence."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n = draw(st.integers(2, max_size))
    labels = rng.integers(0, 2, n)
    labels[:2] = 0, 1
    scores = np.round(rng.normal(size=n) + labels * rng.uniform(0, 3), draw(st.integers(0, 3)))
    low = rng.integers(1, 8, 3) / 4
    high = low + rng.integers(0, 8, 3) / 4
    low[2] *= draw(st.sampled_from([0.0, 0.1, 1.0]))
    abstain = None if draw(st.integers(0, 9)) == 0 else (low[2], high[2])
    costs = CostRange(cost_fn=(low[0], high[0]), cost_fp=(low[1], high[1]), cost_abstain=abstain)
    prevalence = draw(st.sampled_from([None, 0.3, (0.1, 0.4), (0.0, 0.2), (0.5, 1.0)]))
    return labels, scores, costs, prevalence


@pytest.mark.parametrize("case", cases("decisions.json", "box.window"))
def test_smallest_regret_and_worst_cost_against_reference(case):
    given_values = dict(case["input"])
    labels, scores = given_values.pop("labels"), given_values.pop("scores")
    costs = CostRange(**given_values)
    window = range_window(labels, scores, costs)
    close(window.regret, case["expected"]["regret"], case["tol"])
    close(
        range_window(labels, scores, costs, objective="worst").worst_cost,
        case["expected"]["worst"],
        case["tol"],
    )
    assert window.gap == 0


def test_one_score_by_hand():
    # at cost_fp 1: positive 0.5, negative 1, abstain 0.6; at cost_fp 3: 1.5, 1 and 0.6
    costs = CostRange(cost_fn=2, cost_fp=(1, 3), cost_abstain=0.6)
    window = range_window([0, 1], [7.0, 7.0], costs)
    assert (window.lower_index, window.upper_index) == (0, 1)
    assert window.regret == pytest.approx(0.1)
    assert window.corner.cost_fp == 1
    assert window.worst_cost == pytest.approx(0.6)
    assert window.expected_cost == pytest.approx(0.6)
    # at the means abstaining is best as well
    assert window.point_regret == pytest.approx(0.1)
    assert window.point_worst_cost == pytest.approx(0.6)


def test_a_range_of_prevalence_by_hand():
    # always positive costs 1 - pi, always negative pi: 0.8 and 0.2 at pi = 0.2, 0.4 and 0.6 at 0.6
    window = range_window([0, 1], [7.0, 7.0], CostRange(), prevalence=(0.2, 0.6))
    assert (window.lower_index, window.upper_index) == (1, 1)
    assert window.regret == pytest.approx(0.2)
    assert window.corner_prevalence == 0.6
    assert window.worst_cost == pytest.approx(0.6)
    assert window.prevalence == pytest.approx(0.4)
    assert window.prevalence_range == (0.2, 0.6)


@settings(max_examples=examples(80), deadline=None)
@given(problems())
def test_every_objective_against_enumeration(problem):
    labels, scores, costs, prevalence = problem
    tables = enumerated(labels, scores, costs, prevalence)
    for objective in OBJECTIVES:
        window = range_window(labels, scores, costs, objective=objective, prevalence=prevalence)
        j, minus_i = canonical(tables[objective], tables["abstained"])
        assert (window.lower_index, window.upper_index) == (-minus_i, j)
        at = window.lower_index, window.upper_index
        assert window.regret == pytest.approx(max(tables["regret"][at], 0), abs=1e-12)
        assert window.worst_cost == pytest.approx(tables["worst"][at], abs=1e-12)
        assert window.expected_cost == pytest.approx(tables["expected"][at], abs=1e-12)
        assert window.gap == 0
        point = canonical(tables["expected"], tables["abstained"])
        assert window.point_regret == pytest.approx(max(tables["regret"][-point[1], point[0]], 0), abs=1e-12)
        assert window.point_worst_cost == pytest.approx(tables["worst"][-point[1], point[0]], abs=1e-12)


@settings(max_examples=examples(25), deadline=None)
@given(problems(max_size=500))
def test_branch_and_bound_against_enumeration(problem):
    labels, scores, costs, prevalence = problem
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(search_module, "_FEW_PAIRS", 0)
        patch.setattr(search_module, "_COARSE", 3)
        window = range_window(labels, scores, costs, prevalence=prevalence)
    tables = enumerated(labels, scores, costs, prevalence)
    j, minus_i = canonical(tables["regret"], tables["abstained"])
    assert (window.lower_index, window.upper_index) == (-minus_i, j)
    assert window.regret == pytest.approx(max(tables["regret"].min(), 0), abs=1e-11)
    assert window.gap == 0


def test_the_best_window_may_cut_a_block():
    inside = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        labels = rng.integers(0, 2, 24)
        scores = np.round(rng.normal(size=24) + labels, 1)
        costs = CostRange(cost_fn=(1, 6), cost_fp=(1, 3), cost_abstain=(0.2, 1))
        window = range_window(labels, scores, costs)
        counts = ScoreCounts.from_arrays(labels, scores)
        ends = {0, *np.cumsum(counts.blocks().groups).tolist()}
        tables = enumerated(labels, scores, costs)["regret"]
        at_ends = min(tables[i, j] for i, j in itertools.product(sorted(ends), repeat=2))
        assert window.regret <= at_ends + 1e-12
        inside += window.regret < at_ends - 1e-9
    assert inside > 0


def test_a_search_cut_short_tells_its_gap():
    rng = np.random.default_rng(3)
    labels = rng.integers(0, 2, 400)
    scores = rng.normal(size=400) + labels
    costs = CostRange(cost_fn=(1, 9), cost_fp=(1, 3), cost_abstain=(0.1, 2))
    masses = score_masses(ScoreCounts.from_arrays(labels, scores), labels.mean())
    points = [corner.prices for corner in box_corners(costs.corners(), (labels.mean(),) * 2)]
    proven = search_module.range_search(masses, points)
    gaps = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(search_module, "_FEW_PAIRS", 0)
        patch.setattr(search_module, "_SAMPLED", 1)
        for node_limit in (1, 4, 64):
            cut_short = search_module.range_search(masses, points, node_limit=node_limit)
            assert cut_short.value - cut_short.gap <= proven.value + 1e-12
            assert cut_short.value >= proven.value - 1e-12
            gaps.append(cut_short.gap)
    assert proven.gap == 0
    assert gaps[0] > 0


def test_a_point_is_the_cheapest_window():
    rng = np.random.default_rng(1)
    labels = rng.integers(0, 2, 60)
    scores = np.round(rng.normal(size=60) + labels, 1)
    model = CostModel(cost_fn=4, cost_fp=1, cost_abstain=0.4)
    costs = CostRange(cost_fn=4, cost_fp=1, cost_abstain=0.4)
    best = abstention_surface(labels, scores).window(costs=model)
    for objective in OBJECTIVES:
        window = range_window(labels, scores, costs, objective=objective)
        assert (window.lower, window.upper) == (best.lower, best.upper)
        assert window.regret == 0
        assert window.cost == pytest.approx(best.cost)
        assert window.worst_cost == window.expected_cost == pytest.approx(best.expected_cost)


def test_regret_under_limits_against_enumeration():
    rng = np.random.default_rng(5)
    for _ in range(40):
        labels = rng.integers(0, 2, 20)
        labels[:2] = 0, 1
        scores = np.round(rng.normal(size=20) + labels, 1)
        costs = CostRange(cost_fn=(1, 6), cost_fp=(1, 3), cost_abstain=(0.2, 1))
        counts = ScoreCounts.from_arrays(labels, scores)
        masses = score_masses(counts, counts.prevalence)
        points = [corner.prices for corner in box_corners(costs.corners(), (counts.prevalence,) * 2)]
        limits = cut_limits(masses, Limits(max_abstention=0.3, max_fn_rate=0.4, min_precision_positive=0.6))
        cuts = search_module.range_search(masses, points, limits=limits)
        kept = limits.starts[:, None] & limits.stops
        kept &= np.arange(len(limits.first))[:, None] >= limits.first
        kept &= np.arange(len(limits.first))[:, None] <= np.arange(len(limits.first))
        if cuts is None:
            assert not kept.any()
            continue
        at = np.nonzero(kept)
        by_corner = np.array(
            [[prices.cost(masses, i, j) for i, j in zip(*at, strict=True)] for prices in points]
        )
        regret = (by_corner - by_corner.min(axis=1, keepdims=True)).max(axis=0)
        assert cuts.value == pytest.approx(regret.min(), abs=1e-12)
        assert kept[cuts.start, cuts.stop]


def test_many_scores_are_searched_with_proof():
    rng = np.random.default_rng(0)
    labels = (rng.random(50_000) < 0.3).astype(int)
    scores = rng.normal(size=50_000) + 1.5 * labels
    costs = CostRange(cost_fn=(5, 10), cost_fp=(1, 2), cost_abstain=(0.1, 3))
    window = range_window(labels, scores, costs, prevalence=(0.2, 0.4))
    assert window.gap == 0
    assert window.regret < window.point_regret
    # no window of a coarse grid is better; the floors come from the surfaces
    counts = ScoreCounts.from_arrays(labels, scores)
    masses = score_masses(counts, 0.3)
    grid = np.linspace(0, len(counts.scores), 80).astype(int)
    i, j = (at.ravel() for at in np.meshgrid(grid, grid, indexing="ij"))
    i, j = i[i <= j], j[i <= j]
    surfaces = {rate: abstention_surface(counts, prevalence=rate) for rate in (0.2, 0.4)}
    excess = [
        corner.prices.miss * masses.positive_below[i]
        + corner.prices.alarm * masses.negative_above[j]
        + corner.prices.review_positive * (masses.positive_below[j] - masses.positive_below[i])
        + corner.prices.review_negative * (masses.negative_below[j] - masses.negative_below[i])
        - surfaces[corner.prevalence].window(costs=corner.costs).expected_cost
        for corner in box_corners(costs.corners(), (0.2, 0.4))
    ]
    smallest = np.max(excess, axis=0).min()
    assert window.regret <= smallest
    assert smallest < 1.05 * window.regret


def test_result_speaks_json_and_decides():
    costs = CostRange(cost_fn=(2, 6), cost_fp=1, cost_abstain=(0.2, 0.5))
    y = [0, 0, 1, 0, 1, 0, 0, 1, 1, 0, 1, 1]
    s = [-0.9, -0.9, -0.5, -0.5, 0, 0, 0, 0.4, 0.4, 0.4, 0.8, 0.8]
    window = range_window(ScoreCounts.from_arrays(y, s), costs, objective="worst")
    data = json.loads(json.dumps(window.to_dict(), allow_nan=False))
    assert data["objective"] == "worst"
    assert data["costs"]["cost_fn"] == [2.0, 6.0]
    assert data["corner"]["cost_fp"] == 1.0
    codes = decide(s, window)
    assert np.mean(codes == -1) == pytest.approx(window.abstention_rate)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"costs": None}, "`costs` must be a CostRange"),
        ({"costs": CostModel()}, "`costs` must be a CostRange"),
        ({"objective": "best"}, "`objective`"),
        ({"prevalence": (0.6, 0.2)}, "`prevalence`"),
        ({"prevalence": (0.2, 1.2)}, "`prevalence`"),
    ],
)
def test_bad_arguments_are_refused_in_one_sentence(arguments, sentence):
    with pytest.raises(InputError, match=sentence):
        range_window([0, 1], [0.1, 0.2], **{"costs": CostRange(), **arguments})


def test_costs_are_given_once():
    with pytest.raises(InputError, match="given twice"):
        range_window(ScoreCounts.from_arrays([0, 1], [0.1, 0.2]), CostRange(), costs=CostRange())
