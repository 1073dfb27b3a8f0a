"""One split for all models, and bands drawn from their covariance: against slow, obvious versions."""

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from demur import ScoreCounts, abstention_surface, decide, surface_difference_band
from demur.honest import difference as tests_of_surfaces
from demur.honest.deviation_law import deviations, matrix_pays, pair_covariance, rules_covariance
from demur.honest.folds import CommonFolds
from demur.honest.held_out import JudgedRules, Prices, Weighting
from demur.honest.multiplier import _Sums, group_sizes, loss_part
from demur.honest.pairs import _cumulate
from demur.paired.scores import JointScores


def sample(seed, n=80, *, weighted=False):
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.4
    y[:4] = [True, True, False, False]
    a = np.round(y + rng.normal(size=n), 1)
    b = np.round(0.5 * a + 0.5 * y + rng.normal(size=n), 1)
    return y, a, b, rng.integers(0, 4, n).astype(float) if weighted else None


def common(y, a, b, weights, *, folds=2, prevalence=None, seed=0):
    counts = [ScoreCounts.from_arrays(y, one, sample_weight=weights) for one in (a, b)]
    split = CommonFolds.split(
        y, weights, counts[0], folds=folds, prevalence=prevalence, rng=np.random.default_rng(seed)
    )
    return split, [split.judge(one, scores) for one, scores in zip(counts, (a, b), strict=True)]


def loss(window, score, *, positive, mu, nu):
    answer = decide([score], window)[0]
    if answer == -1:
        return nu
    return float(positive and answer == 0) + mu * float(not positive and answer == 1)


def losses_by_hand(split, y, scores, mu, nu):
    """Loss of every row under the window learned from the other folds, case by case."""
    cell, fold, cases = split.rows
    out = np.empty(len(cell))
    for v in range(split.folds):
        kept = fold != v
        surface = abstention_surface(y[cell[kept]], scores[cell[kept]], sample_weight=cases[kept])
        window = surface.window(mu, nu)
        for row in np.flatnonzero(~kept):
            out[row] = loss(window, scores[cell[row]], positive=y[cell[row]], mu=mu, nu=nu)
    return out


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("mu", "nu"), [(1.0, 0.25), (0.5, 0.1), (1.0, np.inf), (2.0, 0.3)])
def test_honest_costs_and_differences_against_brute_force(weighted, mu, nu):
    y, a, b, weights = sample(1, weighted=weighted)
    split, judged = common(y, a, b, weights, folds=4)
    by_hand = [losses_by_hand(split, y, scores, mu, nu) for scores in (a, b)]
    cases = split.rows.cases
    for model, found in zip(judged, by_hand, strict=True):
        assert model.surface().cost(mu, nu) == pytest.approx(np.average(found, weights=cases), abs=1e-12)
    gap = by_hand[0] - by_hand[1]
    mean = np.average(gap, weights=cases)
    n = cases.sum()
    error = np.sqrt((cases * (gap - mean) ** 2).sum() / (n * (n - 1)))
    prices = Prices.of_surface(np.array([mu]), np.array([nu]))
    found = split.pair(*judged).honest.difference_and_error(prices)
    assert found[0] == pytest.approx(mean, abs=1e-12)
    assert found[1] == pytest.approx(error, abs=1e-12)


def test_models_that_rank_alike_are_one():
    y, a, _, _ = sample(2)
    split, judged = common(y, a, np.exp(a), None)
    pair = split.pair(*judged)
    assert pair.honest.first is pair.honest.second


def grid_prices():
    mu, nu = (axis.ravel() for axis in np.meshgrid(np.linspace(0, 1, 5), [0.0, 0.1, 0.3, 0.6, np.inf]))
    return Prices.of_surface(mu, nu)


@settings(deadline=None, max_examples=30)
@given(seed=st.integers(0, 10**6), weighted=st.booleans(), prevalence=st.sampled_from([None, 0.2]))
def test_covariance_against_one_multiplier_per_group(seed, weighted, prevalence):
    y, a, b, weights = sample(seed, weighted=weighted)
    if weights is not None:
        weights[:4] = 2
    split, judged = common(y, a, b, weights, prevalence=prevalence)
    pair, prices = split.pair(*judged).honest, grid_prices()
    scale = np.linspace(1, 2, prices.miss.size)
    slots = pair.first_slot, pair.second_slot
    parts = [
        loss_part(rules, prices, scale, slot)
        for rules, slot in zip((pair.first, pair.second), slots, strict=True)
    ]
    each = np.eye(len(pair.sizes))
    effect = _Sums(parts[0]).on_grid(each) - _Sums(parts[1]).on_grid(each)
    expected = (effect * pair.sizes) @ effect.T
    assert pair_covariance(pair, prices, scale) == pytest.approx(expected, abs=1e-12)
    rules = judged[0].honest
    effect = _Sums(loss_part(rules, prices, scale)).on_grid(np.eye(len(group_sizes(rules))))
    expected = (effect * group_sizes(rules)) @ effect.T
    assert rules_covariance(rules, prices, scale) == pytest.approx(expected, abs=1e-12)


def test_deviations_of_a_singular_law_against_theory():
    # two points of which one is the negative of the other, and one that never varies
    covariance = np.array([[1.0, -1.0, 0.0], [-1.0, 1.0, 0.0], [0.0, 0.0, 0.0]])
    drawn = deviations(covariance, 20_000, np.random.default_rng(0))
    assert drawn[:, 0] == pytest.approx(drawn[:, 1])
    # the larger of x and -x is |x|
    assert np.mean(drawn[:, 0] < 1.959964) == pytest.approx(0.95, abs=0.005)


def test_given_orders_change_nothing():
    y, a, b, _ = sample(3)
    split, judged = common(y, a, b, None, folds=3)
    joint = JointScores(y, np.stack([a, b]), None)
    for index, (one, scores) in enumerate(zip(judged, (a, b), strict=True)):
        again = split.judge(one.counts, scores, joint.orders(index))
        assert again.honest_position.tolist() == one.honest_position.tolist()
        assert again.hindsight_position.tolist() == one.hindsight_position.tolist()
        for table, other in zip(again.honest.tables, one.honest.tables, strict=True):
            assert np.array_equal(table.positives, other.positives)
            assert np.array_equal(table.negatives, other.negatives)


@pytest.mark.parametrize("n", [80, 2**17])
def test_counts_of_other_folds_are_those_of_the_cases_left(n):
    """Both ways of leaving a fold out; the room for the scores is used again by the next fold."""
    y, a, b, _ = sample(4, n=n)
    split, (judged, _) = common(y, a, b, None, folds=3)
    cell, fold, _ = split.rows
    for index, table in enumerate(judged.honest.tables):
        left = cell[fold != index]
        wanted = ScoreCounts.from_arrays(y[left], a[left])
        found = table.rule.surface.counts
        for one in (found, copy.copy(found), pickle.loads(pickle.dumps(found))):
            assert one == wanted
            assert (one.n_positive, one.n_negative) == (wanted.n_positive, wanted.n_negative)
            assert one.blocks().upper.tolist() == wanted.blocks().upper.tolist()
        assert not hasattr(found, "score")


def test_a_small_grid_takes_the_matrix_only_where_the_compiler_is_loaded_anyway():
    def rules(cases):
        return JudgedRules((), Weighting.of(cases / 2, cases / 2, None))

    few, many = rules(1000), rules(10**6)
    assert [matrix_pays(few, groups, 100) for groups in (900, 8192, 8193)] == [False, False, True]
    assert [matrix_pays(many, groups, 100) for groups in (800, 801)] == [False, True]
    assert [matrix_pays(many, groups, 5000) for groups in (8192, 8193)] == [False, True]


def test_cumulative_table_against_running_sums_of_the_plain_table():
    rng = np.random.default_rng(2)
    first, second = rng.integers(0, 7, 60), rng.integers(0, 5, 60)
    sizes = rng.integers(1, 4, 60).astype(float)
    plain, found = np.zeros((8, 6)), np.zeros((8, 6))
    np.add.at(plain, (first + 1, second + 1), sizes)
    _cumulate(first + 10, second + 20, sizes, 10, 20, found)
    assert np.array_equal(found, plain.cumsum(axis=0).cumsum(axis=1))


def test_band_from_the_covariance_against_the_band_from_multipliers(monkeypatch):
    rng = np.random.default_rng(5)
    y = rng.random(1500) < 0.4
    a = 1.5 * y + rng.normal(size=1500)
    b = 0.8 * a + rng.normal(size=1500)
    made = []
    for pays in (True, False):
        monkeypatch.setattr(tests_of_surfaces, "matrix_pays", lambda *_, pays=pays: pays)
        made.append(surface_difference_band(y, a, b, resolution=8, n_resamples=4000, rng=1))
    assert made[0].factor == pytest.approx(made[1].factor, abs=0.08)
    assert np.array_equal(made[0].difference, made[1].difference)
    assert made[0].a_better_share == pytest.approx(made[1].a_better_share, abs=0.06)
