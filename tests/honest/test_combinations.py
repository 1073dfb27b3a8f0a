"""Honest costs of rules that look at several scores, against the definition and against simulation."""

import numpy as np
import pytest

from demur import CostModel
from demur.cautious import conformal_p_values
from demur.comparison import compare_models
from demur.honest import combination_costs, guarded_cost
from demur.honest.cases import SplitCases
from demur.windows import combined_rule, guarded_window
from demur.windows.combined import WAYS
from loss_oracles import SlowRule, slow_estimate, slow_gap

COSTS = CostModel(cost_fn=3, cost_abstain=0.3)


@pytest.fixture(scope="module")
def cases():
    rng = np.random.default_rng(2)
    y = np.arange(90) % 2
    scores = {name: 1 / (1 + np.exp(-(2 * y - 1) - rng.normal(0, 1.2, 90))) for name in ("a", "b")}
    return y, scores


def folds_of(y, folds, repeats):
    split = SplitCases.of_rows(
        y == 1, None, weights="importance", prevalence=None, folds=folds, repeats=repeats, rng=0, quantity="x"
    )
    return [rows.fold[np.argsort(rows.cell)] for rows in split.splits.repeats]


def loss(y, codes):
    table = np.array([[0, 1, 0.3], [3, 0, 0.3]])
    return table[y, codes]


@pytest.mark.parametrize("kind", ["", "groups", "time", "groups time"])
def test_models_alone_cost_what_a_comparison_says(kind, cases):
    y, scores = cases
    known = {"groups": np.arange(90) // 3, "time": np.arange(90) // 2}
    given = {name: known[name] for name in kind.split()}
    alone, compared = (
        judge(y, scores, costs=COSTS, **given) for judge in (combination_costs, compare_models)
    )
    for name in scores:
        row, model = alone.rows[name], compared.models[name]
        assert row.cost == pytest.approx(model.cost, rel=1e-12)
        assert list(row.interval) == pytest.approx(list(model.interval), rel=1e-12)


def test_honest_costs_against_the_definition(cases):
    y, scores = cases
    fees = [0.05, 0.1]
    found = combination_costs(y, scores, costs=COSTS, stage_costs=fees, folds=3, repeats=2)
    table = np.column_stack(list(scores.values()))
    for way in WAYS:
        paid = []
        for fold in folds_of(y, 3, 2):
            for held in range(3):
                train, test = fold != held, fold == held
                part = {name: column[train] for name, column in scores.items()}
                rule = combined_rule(y[train], part, how=way, costs=COSTS, stage_costs=fees)
                paid.extend(loss(y[test], rule.decide(table[test])) + rule.fees(table[test]))
        row = found.rows[way]
        assert row.cost == pytest.approx(np.mean(paid), abs=1e-12)
        assert row.hindsight == pytest.approx(
            combined_rule(y, scores, how=way, costs=COSTS, stage_costs=fees).cost, abs=1e-12
        )
        assert row.interval.low <= row.cost <= row.interval.high
        difference, interval = found.versus_best_member[way]
        assert difference == pytest.approx(row.cost - found.rows[found.best_member].cost, abs=1e-12)
        assert interval.low <= difference <= interval.high
    assert found.best == min(found.rows, key=lambda name: found.rows[name].cost)


def test_hindsight_with_times_counts_what_is_judged_by_hand(cases):
    y, scores = cases
    options = {"costs": COSTS, "stage_costs": [0, 0.1]}
    found = combination_costs(y, scores, time=np.arange(90), repeats=1, **options)
    rule, table = combined_rule(y, scores, how="chain", **options), np.column_stack(list(scores.values()))
    paid = loss(y, rule.decide(table)) + rule.fees(table)
    # nine cases a block, fewer than 50 of a class: the last four of ten blocks are judged
    assert found.rows["chain"].hindsight == pytest.approx(paid[54:].mean())
    assert found.rows["chain"].units == 36


def test_guarded_cost_against_the_definition(cases):
    y, scores = cases
    score, doubt = scores["a"], np.abs(scores["a"] - scores["b"])
    found = guarded_cost(y, score, doubt, costs=COSTS, folds=3, repeats=1)
    rules = []
    for limit in (None, np.inf):
        fold, codes = folds_of(y, 3, 1)[0], np.empty(90, dtype=int)
        for held in range(3):
            train, test = fold != held, fold == held
            rule = guarded_window(y[train], score[train], doubt[train], costs=COSTS, max_doubt=limit)
            codes[test] = rule.decide(score[test], doubt[test])
        written = guarded_window(y, score, doubt, costs=COSTS, max_doubt=limit).decide(score, doubt)
        rules.append(SlowRule([codes.tolist()], written.tolist()))
    prices = COSTS.losses.table[y].tolist()
    for row, rule in zip((found.guarded, found.unguarded), rules, strict=True):
        wanted = slow_estimate(rule, prices, classes=y.tolist())
        assert (row.cost, row.standard_error) == pytest.approx((wanted.mean.cost, wanted.mean.error))
        assert row.interval == pytest.approx(wanted.interval)
    gap = slow_gap(*rules, prices, classes=y.tolist())
    assert found.difference == pytest.approx(gap.cost, abs=1e-12)
    low = -slow_gap(*rules[::-1], prices, classes=y.tolist()).interval()[1]
    assert found.difference_interval == pytest.approx((low, gap.interval()[1]), abs=1e-12)
    assert found.guarded.hindsight == pytest.approx(guarded_window(y, score, doubt, costs=COSTS).cost)
    plain = guarded_cost(y, score, doubt, costs=COSTS, max_doubt=np.inf, folds=3, repeats=1)
    assert found.unguarded.cost == plain.cost
    assert found.difference == pytest.approx(found.cost - plain.cost, abs=1e-12)
    assert found.difference_interval.low <= found.difference <= found.difference_interval.high
    assert (plain.difference, *plain.difference_interval) == (0, 0, 0)
    # half of the cases are positive: a miss costs 3, a false alarm 1
    assert found.trivial == pytest.approx(
        {"always positive": 0.5, "always negative": 1.5, "always abstain": 0.3}
    )


def test_weights_of_one_change_nothing_and_zeros_leave_cases_out(cases):
    y, scores = cases
    options = {"costs": COSTS, "folds": 3, "repeats": 1, "ways": ["vote"]}
    plain = combination_costs(y, scores, **options)
    same = combination_costs(y, scores, sample_weight=np.ones(90), **options)
    assert same.rows["vote"].cost == pytest.approx(plain.rows["vote"].cost)
    more = {name: np.append(column, 0.5) for name, column in scores.items()}
    left_out = combination_costs(np.append(y, 1), more, sample_weight=np.append(np.ones(90), 0), **options)
    assert left_out.rows["vote"].cost == pytest.approx(plain.rows["vote"].cost)


def test_conformal_p_values_by_hand_and_under_exchange():
    assert conformal_p_values([1, 2, 2, 3], [0.5, 2, 3.5]).tolist() == [1.0, 0.8, 0.2]
    # each of six cases in turn against the other five: p <= k/6 for at most k of them, ties or not
    for values in ([1, 2, 3, 4, 5, 6], [1, 1, 2, 2, 2, 5]):
        p = [conformal_p_values(values[:k] + values[k + 1 :], [values[k]])[0] for k in range(6)]
        for level in range(1, 7):
            assert sum(value <= level / 6 + 1e-12 for value in p) <= level


@pytest.mark.long
def test_intervals_of_combinations_cover_the_cost_in_use():
    """The rule of 200 cases, judged on 20,000 others, lies in its interval in at least 92 of 100 samples."""

    def draw(n, rng):
        y = (np.arange(n) % 2).astype(int)
        return y, {name: 1 / (1 + np.exp(-(2 * y - 1) - rng.normal(0, 1.2, n))) for name in ("a", "b")}

    rng = np.random.default_rng(11)
    y_new, new = draw(20_000, rng)
    table = np.column_stack(list(new.values()))
    covered = dict.fromkeys(WAYS, 0)
    for _ in range(100):
        y, scores = draw(200, rng)
        found = combination_costs(y, scores, costs=COSTS, repeats=1)
        for way in WAYS:
            rule = combined_rule(y, scores, how=way, costs=COSTS)
            true = np.mean(loss(y_new, rule.decide(table)))
            interval = found.rows[way].interval
            covered[way] += interval.low <= true <= interval.high
    assert min(covered.values()) >= 92, covered
