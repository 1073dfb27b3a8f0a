"""One split for all models, and bands drawn from their covariance: against slow, obvious versions."""

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg.lapack import dpstrf

from demur import ABSTAIN, CostModel, ScoreCounts, abstention_surface, decide, surface_difference_band
from demur._kernels.jit import COMPILE_JOB_FROM, whole_job
from demur.honest import deviation_law
from demur.honest.cases import SplitCases
from demur.honest.class_rows import classes_of, others_pooled
from demur.honest.cross_fitting import fitted_surface
from demur.honest.decisions import outcomes
from demur.honest.deviation_law import (
    deviations,
    effects_pay,
    factored_deviations,
    group_sizes,
    loss_part,
    matrix_pays,
    pair_covariance,
    pivoted_factor,
    rules_covariance,
    rules_effects,
)
from demur.honest.evaluate import BlockLearner, CountsLearner, evaluate
from demur.honest.expected_cost import expected_cost_of, judged_rule
from demur.honest.held_out import JudgedRules, Weighting
from demur.honest.pairs import _cumulate, judged_pair
from demur.honest.rules import PricePoints
from demur.paired.scores import JointScores
from demur.windows.cheapest import cheapest_window
from demur.windows.rule import Window
from examples import examples
from loss_oracles import SlowRule, slow_estimate


def sample(seed, n=80, *, weighted=False):
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.4
    y[:4] = [True, True, False, False]
    a = np.round(y + rng.normal(size=n), 1)
    b = np.round(0.5 * a + 0.5 * y + rng.normal(size=n), 1)
    return y, a, b, rng.integers(0, 4, n).astype(float) if weighted else None


def common(y, a, b, weights, *, folds=2, repeats=1, prevalence=None, seed=0):
    """Cases split once for both models, and both judged; weights are repeated cases."""
    if weights is not None:
        keep = weights > 0
        y, a, b, weights = y[keep], a[keep], b[keep], weights[keep]
    split = SplitCases.of_rows(
        y,
        weights,
        weights="repeats",
        prevalence=prevalence,
        folds=folds,
        repeats=repeats,
        rng=seed,
        quantity="a test",
    )
    return split, [split.judge(scores) for scores in (a, b)]


def loss(window, score, *, positive, mu, nu):
    answer = decide([score], window)[0]
    if answer == -1:
        return nu
    return float(positive and answer == 0) + mu * float(not positive and answer == 1)


def losses_by_hand(split, rows, scores, mu, nu):
    """Loss of every row of one split under the window learned from the other folds, case by case."""
    cell, fold, cases = rows
    y = split.positive
    out = np.empty(len(cell))
    for v in range(split.folds):
        kept = fold != v
        surface = abstention_surface(y[cell[kept]], scores[cell[kept]], sample_weight=cases[kept])
        window = surface.window(mu, nu)
        for row in np.flatnonzero(~kept):
            out[row] = loss(window, scores[cell[row]], positive=y[cell[row]], mu=mu, nu=nu)
    return out


def positions(rule, scores):
    """Number of thresholds below a score, and of those it reaches."""
    above = np.searchsorted(rule.lower_cuts, scores, side="left")
    return above + np.searchsorted(rule.upper_cuts, scores, side="right")


@pytest.mark.parametrize("weighted", [False, True])
def test_rows_are_placed_among_the_blocks_of_their_fold_against_a_look_up(weighted):
    y, a, _, weights = sample(2, n=400, weighted=weighted)
    plain = common(y, a, a, weights, folds=5, repeats=2)[1][0]
    with whole_job(COMPILE_JOB_FROM):
        split, (compiled, _) = common(y, a, a, weights, folds=5, repeats=2)
    kept = a if weights is None else a[weights > 0]
    for model in (plain, compiled):
        for index, rows in enumerate(split.splits.repeats):
            for fold in range(5):
                table = model.honest.tables[5 * index + fold]
                held = rows.fold == fold
                at = positions(table.rule, kept[rows.cell[held]])
                assert np.array_equal(model.honest_position[index][held], at)
                for column, kind in zip(table[1:], (True, False), strict=True):
                    members = split.positive[rows.cell[held]] == kind
                    number = np.bincount(at[members], rows.cases[held][members], table.rule.n_positions)
                    assert np.array_equal(column, number / 2)
        first = split.splits.repeats[0]
        everywhere = positions(model.hindsight.tables[0].rule, kept[first.cell])
        assert np.array_equal(model.hindsight_position, everywhere)


@pytest.mark.parametrize("repeats", [1, 3])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("mu", "nu"), [(1.0, 0.25), (0.5, 0.1), (1.0, np.inf), (2.0, 0.3)])
def test_honest_costs_and_differences_against_brute_force(weighted, repeats, mu, nu):
    y, a, b, weights = sample(1, weighted=weighted)
    split, judged = common(y, a, b, weights, folds=4, repeats=repeats)
    by_hand = [
        np.concatenate([losses_by_hand(split, rows, model.scores, mu, nu) for rows in split.splits.repeats])
        for model in judged
    ]
    cases = np.concatenate([rows.cases for rows in split.splits.repeats]) / repeats
    for model, losses in zip(judged, by_hand, strict=True):
        mean = np.average(losses, weights=cases)
        assert fitted_surface(split, model).cost(mu, nu) == pytest.approx(mean, abs=1e-12)
    gap = by_hand[0] - by_hand[1]
    mean = np.average(gap, weights=cases)
    n = cases.sum()
    error = np.sqrt((cases * (gap - mean) ** 2).sum() / (n * (n - 1)))
    prices = PricePoints.of_surface(np.array([mu]), np.array([nu]))
    got = judged_pair(split, *judged).honest.difference_and_error(prices)
    assert got[0] == pytest.approx(mean, abs=1e-12)
    assert got[1] == pytest.approx(error, abs=1e-12)


def learned(split, model, prices):
    """Decisions of the cheapest windows at one cost point."""
    rule = Window(*model.hindsight.tables[0].rule.thresholds(prices.share_cuts()))
    (judged,) = evaluate(split, model, [BlockLearner(prices)], [rule])
    return judged


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("mu", "nu"), [(1.0, 0.25), (0.5, 0.1), (1.0, np.inf)])
def test_tables_of_decisions_against_the_losses_of_the_cases(weighted, mu, nu):
    y, a, b, weights = sample(5, weighted=weighted)
    split, judged = common(y, a, b, weights, folds=4, repeats=3)
    prices = PricePoints.of_surface(np.asarray(mu), np.asarray(nu))
    decided = [learned(split, model, prices) for model in judged]
    review = 0.0 if np.isinf(nu) else nu
    losses = np.array([[0, mu, review], [1, 0, review]])
    for model, one in zip(judged, decided, strict=True):
        table = outcomes(split, one.honest)
        assert table.sum() == pytest.approx(split.n)
        cost = (table * losses).sum() / split.n
        assert cost == pytest.approx(fitted_surface(split, model).cost(mu, nu), abs=1e-12)
        hindsight = (outcomes(split, [one.hindsight]) * losses).sum() / split.n
        assert hindsight == pytest.approx(abstention_surface(model.counts).cost(mu, nu), abs=1e-12)
    joint = outcomes(split, decided[0].honest, decided[1].honest)
    assert joint.sum(axis=2) == pytest.approx(outcomes(split, decided[0].honest))
    assert joint.sum(axis=1) == pytest.approx(outcomes(split, decided[1].honest))
    gap = losses[:, :, None] - losses[:, None, :]
    got = judged_pair(split, *judged).honest.difference_and_error(prices)[0]
    assert (joint * gap).sum() / split.n == pytest.approx(float(got), abs=1e-12)


def expected_cost(split, scores, learner, window, costs):
    (judged,) = evaluate(split, split.judge(scores), [learner], [Window(window.lower, window.upper)])
    return expected_cost_of(judged_rule(split, judged, scores), costs.losses, confidence_level=0.9)


@pytest.mark.parametrize("prevalence", [None, 0.2])
@pytest.mark.parametrize("reviews", [(1, 1), (0.5, 2)], ids=str)
def test_expected_cost_of_the_cheapest_window_against_its_search_in_every_fold(prevalence, reviews):
    y, a, _, _ = sample(7)
    split, _ = common(y, a, a, None, folds=3, repeats=2, prevalence=prevalence)
    positive, negative = reviews
    costs = CostModel(cost_fn=10, cost_fp=4, cost_abstain_positive=positive, cost_abstain_negative=negative)

    def choose(counts):
        return abstention_surface(counts, prevalence=prevalence).window(costs=costs)

    learners, window = (CountsLearner(choose), BlockLearner(PricePoints.at(costs))), choose(split.counts(a))
    searched, learned = (expected_cost(split, a, learner, window, costs) for learner in learners)
    assert learned.to_dict() == searched.to_dict()


@pytest.mark.parametrize("prevalence", [None, 0.2])
def test_expected_cost_of_a_limited_window_against_brute_force(prevalence):
    y, a, _, _ = sample(7)
    split, _ = common(y, a, a, None, folds=3, repeats=2, prevalence=prevalence)
    costs = CostModel(cost_fn=10, cost_fp=4, cost_abstain=1)

    def choose(counts):
        return cheapest_window(counts, costs=costs, prevalence=prevalence, max_abstention=0.3)

    got = expected_cost(split, a, CountsLearner(choose), choose(split.counts(a)), costs)
    decided = []
    for cell, fold, _ in split.splits.repeats:
        answers = [0] * 80
        for v in range(3):
            kept = cell[fold != v]
            window = choose(ScoreCounts.from_arrays(y[kept], a[kept]))
            for row in cell[fold == v]:
                answers[row] = int(decide([a[row]], window)[0])
        decided.append(answers)
    window = choose(ScoreCounts.from_arrays(y, a))
    rule = SlowRule(decided, decide(a, window).tolist(), a.tolist())
    prices = [[10, 0, 1] if positive else [0, 4, 1] for positive in y]
    shares = None if prevalence is None else [1 - prevalence, prevalence]
    wanted = slow_estimate(rule, prices, classes=y.astype(int).tolist(), shares=shares, level=0.9)
    assert got.cost == pytest.approx(wanted.mean.cost)
    assert got.standard_error == pytest.approx(wanted.mean.error)
    assert got.interval == pytest.approx(wanted.interval)
    assert got.interval.high > got.cost + 1.6448536269514722 * got.standard_error
    assert got.hindsight == pytest.approx(wanted.hindsight)
    assert got.hindsight == pytest.approx(costs.expected_cost(window.cost, window.prevalence))
    sizes = np.array([(~y).sum(), y.sum()])
    weights = (1 / np.array([80, 80]) if prevalence is None else shares / sizes)[y.astype(int)]
    assert got.abstention_rate == pytest.approx(
        np.mean([weights[np.array(one) == -1].sum() for one in decided])
    )
    assert (got.folds, got.repeats, got.n) == (3, 2, 80)


def test_models_that_rank_alike_are_one():
    y, a, _, _ = sample(2)
    split, judged = common(y, a, np.exp(a), None)
    pair = judged_pair(split, *judged)
    assert pair.honest.first is pair.honest.second


def grid_prices():
    mu, nu = (axis.ravel() for axis in np.meshgrid(np.linspace(0, 1, 5), [0.0, 0.1, 0.3, 0.6, np.inf]))
    return PricePoints.of_surface(mu, nu)


@settings(deadline=None, max_examples=examples(30))
@given(
    seed=st.integers(0, 10**6),
    weighted=st.booleans(),
    prevalence=st.sampled_from([None, 0.2]),
    repeats=st.sampled_from([1, 2]),
)
def test_covariance_against_one_multiplier_per_group(seed, weighted, prevalence, repeats):
    y, a, b, weights = sample(seed, weighted=weighted)
    if weights is not None:
        weights[:4] = 2
    split, judged = common(y, a, b, weights, prevalence=prevalence, repeats=repeats)
    pair, prices = judged_pair(split, *judged).honest, grid_prices()
    scale = np.linspace(1, 2, prices.miss.size)
    slots = pair.first_slot, pair.second_slot
    parts = [
        loss_part(rules, prices, scale, slot)
        for rules, slot in zip((pair.first, pair.second), slots, strict=True)
    ]
    each = np.eye(len(pair.sizes))
    effect = parts[0](each) - parts[1](each)
    expected = (effect * pair.sizes) @ effect.T
    assert pair_covariance(pair, prices, scale) == pytest.approx(expected, abs=1e-12)
    rules = judged[0].honest
    effect = loss_part(rules, prices, scale)(np.eye(len(group_sizes(rules))))
    expected = (effect * group_sizes(rules)) @ effect.T
    assert rules_covariance(rules, prices, scale) == pytest.approx(expected, abs=1e-12)
    at_every_point = rules_effects(rules, prices, scale)
    assert at_every_point == pytest.approx((effect * np.sqrt(group_sizes(rules))).T, abs=1e-12)


def test_deviations_of_a_singular_law_against_theory():
    # two points of which one is the negative of the other, and one that never varies
    covariance = np.array([[1.0, -1.0, 0.0], [-1.0, 1.0, 0.0], [0.0, 0.0, 0.0]])
    drawn = deviations(covariance, 20_000, np.random.default_rng(0))
    assert drawn[:, 0] == pytest.approx(drawn[:, 1])
    # the larger of x and -x is |x|
    assert np.mean(drawn[:, 0] < 1.959964) == pytest.approx(0.95, abs=0.005)


@pytest.mark.parametrize(("size", "rank"), [(1, 1), (7, 7), (40, 12), (101, 100)])
def test_the_factor_of_a_covariance_against_lapack(size, rank):
    effects = np.random.default_rng(size).normal(size=(size, rank))
    covariance = effects @ effects.T
    found = pivoted_factor(covariance)
    assert found.shape == (size, rank)
    assert found @ found.T == pytest.approx(covariance, abs=1e-12 * np.abs(covariance).max())
    factor, order, lapack_rank, _ = dpstrf(covariance, lower=1)
    assert lapack_rank == rank
    # the same pivots; LAPACK leaves its rows in their order
    assert found[order - 1] == pytest.approx(np.tril(factor)[:, :rank], abs=1e-6 * np.abs(factor).max())


def test_the_factor_of_no_variance_has_no_columns():
    assert pivoted_factor(np.zeros((3, 3))).shape == (3, 0)


@pytest.mark.parametrize("groups", [1, 2, 6])
def test_deviations_from_effects_against_theory(groups):
    # as above, the variance divided among the groups: fewer than points, and more
    effects = np.tile([1.0, -1.0, 0.0], (groups, 1)) / np.sqrt(groups)
    drawn = factored_deviations(effects, 20_000, np.random.default_rng(0))
    assert drawn[:, 0] == pytest.approx(drawn[:, 1])
    assert np.mean(drawn[:, 0] < 1.959964) == pytest.approx(0.95, abs=0.005)


def test_draws_from_effects_do_not_hang_on_the_sign_the_library_chose(monkeypatch):
    effects = np.random.default_rng(3).normal(size=(50, 7))
    expected = factored_deviations(effects, 10, np.random.default_rng(0))
    factor = np.linalg.qr(effects, mode="r")
    monkeypatch.setattr(np.linalg, "qr", lambda *_, mode: -factor)
    assert np.array_equal(factored_deviations(effects, 10, np.random.default_rng(0)), expected)


@pytest.mark.parametrize("repeats", [1, 2])
def test_given_orders_change_nothing(repeats):
    y, a, b, _ = sample(3)
    split, judged = common(y, a, b, None, folds=3, repeats=repeats)
    joint = JointScores(y, np.stack([a, b]), None)
    for index, (one, scores) in enumerate(zip(judged, (a, b), strict=True)):
        again = split.judge(scores, one.counts, joint.orders(index))
        for position, other in zip(again.honest_position, one.honest_position, strict=True):
            assert position.tolist() == other.tolist()
        assert again.hindsight_position.tolist() == one.hindsight_position.tolist()
        for table, other in zip(again.honest.tables, one.honest.tables, strict=True):
            assert np.array_equal(table.positives, other.positives)
            assert np.array_equal(table.negatives, other.negatives)


@pytest.mark.parametrize("n", [80, 2**17])
def test_counts_of_other_folds_are_those_of_the_cases_left(n):
    """Both ways of leaving a fold out; the room for the scores is used again by the next fold."""
    y, a, b, _ = sample(4, n=n)
    split, (judged, _) = common(y, a, b, None, folds=3)
    ((cell, fold, _),) = split.splits.repeats
    (by_class,) = classes_of(a, y, split.splits)
    buffers = [np.empty_like(one.scores) for one in by_class]
    for index, table in enumerate(judged.honest.tables):
        left = cell[fold != index]
        wanted = ScoreCounts.from_arrays(y[left], a[left])
        pooled = others_pooled(by_class, index, buffers)
        for one in (pooled, copy.copy(pooled), pickle.loads(pickle.dumps(pooled))):
            assert one == wanted
            assert (one.n_positive, one.n_negative) == (wanted.n_positive, wanted.n_negative)
        # the rule keeps the blocks alone, and keeps them when the room is used again
        for blocks in (pooled.blocks(), table.rule.blocks, pickle.loads(pickle.dumps(table.rule)).blocks):
            for column, other in zip(blocks, wanted.blocks(), strict=True):
                assert column.tolist() == other.tolist()


@pytest.mark.parametrize("weighted", [False, True])
def test_decisions_and_tables_of_many_cases_against_the_definition(weighted):
    """Above 2**16 rows both are compiled."""
    y, a, b, w = sample(7, n=2**17, weighted=weighted)
    split, models = common(y, a, b, w, folds=3)
    (rows,) = split.splits.repeats
    prices = PricePoints.of_surface(np.asarray(0.5), np.asarray(0.15))
    decided = [learned(split, model, prices) for model in models]
    for model, judged in zip(models, decided, strict=True):
        limits = np.array([table.rule.limits(prices.share_cuts()) for table in model.honest.tables])
        first, last = limits[rows.fold].T
        at = model.honest_position[0]
        wanted = np.where(at >= last, 1, np.where(at < first, 0, ABSTAIN))
        assert np.array_equal(judged.honest[0], wanted)
    one, two = (judged.honest for judged in decided)
    table, joint = outcomes(split, one), outcomes(split, one, two)
    for kind, i, j in np.ndindex(2, 3, 3):
        there = (split.positive[rows.cell] == kind) & (one[0] % 3 == i) & (two[0] % 3 == j)
        assert joint[kind, i, j] == rows.cases[there].sum()
    assert np.array_equal(joint.sum(axis=2), table)


def test_a_small_grid_takes_the_matrix_only_where_the_compiler_is_loaded_anyway():
    def rules(cases):
        return JudgedRules((), Weighting.of(cases / 2, cases / 2, None))

    few, many = rules(1000), rules(10**6)
    assert [matrix_pays(few, groups, 100) for groups in (900, 8192, 8193)] == [False, False, True]
    assert [matrix_pays(many, groups, 100) for groups in (800, 801)] == [False, True]
    assert [matrix_pays(many, groups, 5000) for groups in (8192, 8193)] == [False, True]
    assert [effects_pay(few, points) for points in (256, 257)] == [True, False]
    assert not effects_pay(many, 100)


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
        monkeypatch.setattr(deviation_law, "matrix_pays", lambda *_, pays=pays: pays)
        made.append(surface_difference_band(y, a, b, resolution=8, n_resamples=4000, rng=1))
    assert made[0].factor == pytest.approx(made[1].factor, abs=0.08)
    assert np.array_equal(made[0].difference, made[1].difference)
    assert made[0].a_better_share == pytest.approx(made[1].a_better_share, abs=0.06)
