"""Class weights against enumeration of all cells, the paper, permutations and hand computation."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from demur import ABSTAIN, CostMatrix, InputError, UndefinedError, abstention_surface, optimize_weights
from demur._kernels import exact_three, weight_objective
from demur._kernels.weight_objective import descend, predicted, single_moves, soft_cost, table_of
from demur.multiclass import cell_margin, weights_for_counts
from demur.multiclass.search import linear_relaxation, pair_bound
from demur.multiclass.weights import SEARCHES
from examples import examples
from reference_cases import cases, close
from weight_oracles import (
    C,
    F,
    Y,
    best_by_realisable_labels,
    margin_by_linear_program,
    mean_cost,
    random_case,
    worked,
)

FILE = "multiclass.json"


# ---------------------------------------------------------------- by hand


@pytest.mark.parametrize(
    ("method", "family", "objective", "labels"),
    [
        ("none", "weights", 1.75, [0, 0, 0, 1, 0, 2, 0, 0]),
        ("none", "columns", 0.75, [1, 1, 1, 1, 1, 2, 2, 2]),
        ("lf", "weights", 0.375, None),
        ("coord", "weights", 0.25, None),
        ("exact", "weights", 0.25, [0, 1, 1, 1, 1, 2, 2, 1]),
        ("exact", "columns", 0.25, [0, 1, 1, 1, 1, 2, 2, 1]),
        ("milp", "weights", 0.25, [0, 1, 1, 1, 1, 2, 2, 1]),
        ("ils", "columns", 0.25, None),
    ],
)
def test_worked_example_by_hand(method, family, objective, labels):
    rule = worked(method=method, family=family)
    assert rule.objective == pytest.approx(objective, abs=1e-15)
    if labels is not None:
        assert rule.labels.tolist() == labels


def test_margins_of_the_worked_example_by_hand():
    rule = worked()
    assert rule.weights == pytest.approx([1, 2.151657, 1.666667], abs=5e-7)
    assert rule.margin == pytest.approx(0.2554128, abs=5e-8)
    assert worked(family="columns").margin == pytest.approx(0.0688919, abs=5e-8)
    assert rule.optimal
    assert rule.lower_bound == rule.objective
    assert worked(method="lf", order=[2, 1, 0]).objective == 0.25


def test_soft_objective_of_the_worked_example_by_hand():
    v = np.array(C)[Y] / 8
    value, slope = soft_cost(np.log(F), v, np.zeros(3))
    assert value == pytest.approx(2.01875)
    assert slope == pytest.approx([0.346125, -0.1286875, -0.2174375])


def test_linear_relaxation_of_the_worked_example_by_hand():
    f, v = np.array(F), np.array(C)[Y] / 8
    weights, value = linear_relaxation(f, v)
    assert value == pytest.approx(0.046563, abs=5e-7)
    assert weights == pytest.approx([1, 1.25, 1.25])
    assert linear_relaxation(f, v, normalize="sum")[1] == pytest.approx(0.0369237, abs=5e-8)
    # erratum of eq. (14): as printed w = 0 frees every answer
    weights, value = linear_relaxation(f, v, normalize=None)
    assert value == pytest.approx(3e-6)
    assert weights == pytest.approx([0, 0, 0], abs=1e-9)


@pytest.mark.parametrize(("price", "objective"), [(0.25, 0.125), (0.5, 0.25), (0.75, 0.25)])
def test_abstaining_in_the_worked_example_by_hand(price, objective):
    rule = worked(abstain_cost=price, method="milp")
    assert rule.objective == pytest.approx(objective)
    assert rule.optimal
    if price == 0.25:
        assert rule.labels.tolist() == [0, ABSTAIN, ABSTAIN, 1, ABSTAIN, 2, 2, ABSTAIN]
        assert rule.abstain_weight > 0


# ---------------------------------------------------------------- reference cases


@pytest.mark.parametrize("case", cases(FILE, "objective"))
def test_objective_against_reference(case):
    data, expect, tol = case["input"], case["expected"], case["tol"]
    f, y, costs = np.array(data["F"]), np.array(data["y"]), np.array(data["C_true_pred"], dtype=float)
    u = np.log(data["w"])
    rule = optimize_weights(f, y, costs, priors=data["priors"], method="none")
    assert predicted(np.log(f), u).tolist() == expect["labels"]
    close(mean_cost(f, y, costs, data["w"], data["priors"]), expect["objective"], tol)
    share = rule.priors[y] / np.bincount(y, minlength=len(costs))[y]
    v = costs[y] * share[:, None]
    close(float(v[np.arange(len(y)), expect["labels"]].sum()), expect["objective"], tol)
    value, slope = soft_cost(np.log(f), v, u)
    close(value, expect["solff"], tol)
    close(slope.tolist(), expect["solff_grad_logw"], tol)
    # column weights of the reference are v, that is u = -log v
    columns = weight_objective.log_column_costs(np.log(f), costs)
    assert predicted(columns, -u).tolist() == expect["og_column_labels"]


@pytest.mark.parametrize("case", cases(FILE, "optimum_m2") + cases(FILE, "optimum_general"))
def test_optimum_against_reference(case):
    data, tol = case["input"], case["tol"]
    for method in ("auto", "milp"):
        rule = optimize_weights(data["F"], data["y"], data["C_true_pred"], method=method, rng=1)
        close(rule.objective, case["expected"]["objective"], tol)
        assert rule.lower_bound <= rule.objective
    assert rule.optimal


@pytest.mark.parametrize("case", cases(FILE, "optimum_m3"))
def test_optimum_of_three_classes_against_reference(case):
    data, expect, tol = case["input"], case["expected"], case["tol"]
    rule = optimize_weights(data["F"], data["y"], data["C_true_pred"])
    close(rule.objective, expect["objective"], tol)
    close(mean_cost(data["F"], data["y"], data["C_true_pred"], rule.weights), expect["objective"], tol)
    attained = np.exp(expect["a_log_weight_attaining"])
    close(mean_cost(data["F"], data["y"], data["C_true_pred"], attained), rule.objective, tol)
    columns = optimize_weights(data["F"], data["y"], data["C_true_pred"], family="columns")
    close(columns.objective, expect["og_column_objective"], tol)
    assert rule.optimal
    assert columns.optimal


@pytest.mark.parametrize("case", cases(FILE, "cell_margin"))
def test_cell_margin_against_reference(case):
    cell = cell_margin(case["input"]["logF"], case["input"]["labels"])
    close(cell.margin, case["expected"]["margin"], case["tol"])
    assert cell.realisable == case["expected"]["realisable"]


@pytest.mark.parametrize("case", cases(FILE, "quota"))
def test_quota_against_reference(case):
    data, expect = case["input"], case["expected"]
    quota = weights_for_counts(data["logF"], data["counts"])
    assert quota.labels.tolist() == expect["labels"]
    close(quota.total, expect["total"], case["tol"])
    assert quota.margin > 0
    assert predicted(np.array(data["logF"]), quota.log_weights).tolist() == expect["labels"]


@pytest.mark.parametrize("case", cases(FILE, "lachiche_flach"))
def test_lachiche_flach_against_reference(case):
    data, expect = case["input"], case["expected"]
    rule = optimize_weights(
        data["F"], data["y"], data["C_true_pred"], method="lf", order=data["order"], center=False
    )
    close(rule.weights.tolist(), expect["w"], case["tol"])
    close(rule.objective, expect["objective"], case["tol"])


@pytest.mark.parametrize("case", cases(FILE, "lp14"))
def test_linear_relaxation_against_reference(case):
    data, expect = case["input"], case["expected"]
    v = np.array(data["C_true_pred"])[data["y"]] / len(data["y"])
    f = np.array(data["F"])
    close(linear_relaxation(f, v, eta=data["eta"])[1], expect["value_w1_fixed"], case["tol"])
    _, value = linear_relaxation(f, v, eta=data["eta"], normalize=None)
    close(value, expect["value_unnormalised"], case["tol"])


@pytest.mark.parametrize("case", cases(FILE, "reject_binary"))
def test_binary_abstention_against_reference_and_against_the_surface(case):
    data = case["input"]
    p, miss, alarm = np.array(data["p1"]), data["cost_true1_pred0"], data["cost_true0_pred1"]
    rule = optimize_weights(
        np.column_stack([1 - p, p]),
        data["y"],
        {0: {1: alarm}, 1: {0: miss}},
        abstain_cost=data["cost_reject"],
    )
    close(rule.objective, case["expected"]["mean_cost"], case["tol"])
    window = abstention_surface(data["y"], p).window(alarm / miss, data["cost_reject"] / miss)
    close(window.cost * miss, case["expected"]["mean_cost"], case["tol"])


# ---------------------------------------------------------------- against brute force


@pytest.mark.parametrize("tied", [False, True])
def test_three_classes_against_enumeration(tied):
    rng = np.random.default_rng(5)
    for _ in range(12):
        g, y, costs = random_case(rng, 6, 3, tied=tied)
        v = costs[y] / len(y)
        rule = optimize_weights(g, y, costs, log=True)
        table = table_of(g, v)
        assert rule.objective == pytest.approx(best_by_realisable_labels(table.g, table.v), abs=1e-12)
        assert rule.margin > 0


def test_two_classes_against_all_thresholds():
    rng = np.random.default_rng(6)
    for _ in range(20):
        g, y, costs = random_case(rng, 12, 2, tied=True)
        ratio = g[:, 0] - g[:, 1]
        cuts = np.sort(np.unique(ratio))
        steps = [cuts[0] - 1, *((cuts[1:] + cuts[:-1]) / 2), cuts[-1] + 1]
        best = min(costs[y, (step > ratio).astype(int)].mean() for step in steps)
        assert optimize_weights(g, y, costs, log=True).objective == pytest.approx(best)


@pytest.mark.parametrize("m", [3, 4])
def test_number_of_cells_against_theory(m):
    # theorem T3: one cell for each vector of counts, so C(n + m - 1, m - 1) in all
    rng = np.random.default_rng(7)
    n = 4
    g = rng.normal(size=(n, m))
    realised = [
        labels for labels in itertools.product(range(m), repeat=n) if cell_margin(g, labels).realisable
    ]
    counts = {tuple(np.bincount(labels, minlength=m)) for labels in realised}
    assert len(realised) == len(counts) == math.comb(n + m - 1, m - 1)
    for labels in realised:
        quota = weights_for_counts(g, np.bincount(labels, minlength=m))
        assert quota.labels.tolist() == list(labels)


def test_margin_against_linear_program():
    rng = np.random.default_rng(8)
    for _ in range(60):
        n, m = rng.integers(2, 8), rng.integers(2, 6)
        g, labels = rng.normal(size=(n, m)), rng.integers(0, m, n)
        if len(set(labels.tolist())) == 1:
            continue
        cell = cell_margin(g, labels)
        assert cell.margin == pytest.approx(margin_by_linear_program(g, labels), abs=1e-7)
        gap = (g + cell.log_weights)[np.arange(n), labels][:, None] - (g + cell.log_weights)
        gap[np.arange(n), labels] = np.inf
        assert gap.min() == pytest.approx(cell.margin, abs=1e-9)


def test_hard_instances_against_permutations():
    # theorem T4: the best accuracy on these examples is a maximum acyclic subgraph (NP-hard)
    rng = np.random.default_rng(9)
    for _ in range(8):
        m = int(rng.integers(3, 6))
        arcs = [(a, b) for a in range(m) for b in range(m) if a != b and rng.random() < 0.5]
        if not arcs:
            continue
        f = np.full((len(arcs), m), 1e-9)
        for row, (a, b) in enumerate(arcs):
            f[row, [a, b]] = 0.5
        y = [a for a, _ in arcs]
        best = min(
            sum(order.index(a) < order.index(b) for a, b in arcs)
            for order in itertools.permutations(range(m))
        )
        costs = CostMatrix.uniform(range(m))
        rule = optimize_weights(f, y, costs, rng=0)
        assert rule.objective * len(arcs) == pytest.approx(best)
        assert rule.lower_bound <= rule.objective
        if m == 4:
            proved = optimize_weights(f, y, costs, method="milp", rng=0)
            assert proved.objective * len(arcs) == pytest.approx(best)
            assert proved.optimal


def test_pair_bound_against_enumeration():
    rng = np.random.default_rng(10)
    for tied in (False, True):
        for _ in range(10):
            g, y, costs = random_case(rng, 5, 3, tied=tied)
            table = table_of(g, costs[y] / 5)
            best = best_by_realisable_labels(table.g, table.v)
            assert table.v.min(axis=1).sum() - 1e-12 <= pair_bound(table) <= best + 1e-12
    # two examples: the bound is the optimum
    table = table_of(*[a[:2] for a in (g + rng.normal(size=g.shape), costs[y] / 5)])
    assert pair_bound(table) == pytest.approx(best_by_realisable_labels(table.g, table.v))


def test_line_search_against_sorting_all_breakpoints():
    rng = np.random.default_rng(11)
    for tied in (False, True):
        g, y, costs = random_case(rng, 90, 4, tied=tied)
        table = table_of(g, costs[y] / 90)
        for k in range(4):
            u = np.zeros(4)
            side = np.eye(4, dtype=np.int64)[k : k + 1]
            reached = descend(table, u, side, current=np.inf, steps=1)
            others = np.delete(table.g, k, axis=1).max(axis=1) - table.g[:, k]
            cuts = np.unique(np.round(others, 12))
            steps = [cuts[0] - 1, *((cuts[1:] + cuts[:-1]) / 2), cuts[-1] + 1]
            tried = []
            for step in steps:
                labels = predicted(table.g, step * np.eye(4)[k])
                tried.append(table.v[np.arange(len(labels)), labels].sum())
            assert reached == pytest.approx(min(tried))
            assert u[k] == pytest.approx(steps[int(np.argmin(np.round(tried, 10)))])


def test_array_operations_and_compiled_kernels_agree(monkeypatch):
    rng = np.random.default_rng(12)
    g, y, costs = random_case(rng, 40, 3, tied=True)
    table = table_of(g, costs[y] / 40)
    starts = [np.array([0.3, -0.2, 0.0]) for _ in range(2)]
    n = len(table.g)
    values = []
    for fast, u in zip((False, True), starts, strict=True):
        monkeypatch.setattr(weight_objective, "worth_compiling", lambda size, fast=fast: fast)
        values.append(descend(table, u, single_moves(3), current=np.inf, steps=100))
    assert values[0] == values[1]
    assert starts[0].tolist() == starts[1].tolist()
    labels = exact_three.cheapest_labels(table)
    assert table.v[np.arange(n), labels].sum() <= min(values) + 1e-12


@pytest.mark.parametrize("method", sorted({*SEARCHES, "lp"} - {"none"}))
@pytest.mark.parametrize("family", ["weights", "columns"])
def test_every_method_reports_what_its_weights_cost(method, family):
    rng = np.random.default_rng(13)
    f = rng.dirichlet(np.ones(4), 40)
    y = rng.integers(0, 4, 40)
    costs = rng.integers(1, 11, (4, 4)) * (1 - np.eye(4))
    rule = optimize_weights(f, y, costs, method=method, family=family, rng=3)
    scores = f if family == "weights" else 1 / (f @ costs)
    assert rule.objective == pytest.approx(mean_cost(scores, y, costs, rule.weights))
    assert rule.labels.tolist() == rule.decide(f).tolist()
    assert rule.margin > 0
    assert rule.lower_bound <= rule.objective
    again = optimize_weights(f, y, costs, method=method, family=family, rng=3)
    assert again.weights.tolist() == rule.weights.tolist()
    # all but the methods that look at another objective improve on the plain scores
    if method not in ("lp", "ga-solff", "lachiche-flach"):
        plain = optimize_weights(f, y, costs, method="none", family=family)
        assert rule.objective <= plain.objective


def test_restarts_reach_the_exact_optimum_of_three_classes():
    rng = np.random.default_rng(14)
    for _ in range(5):
        g, y, costs = random_case(rng, 60, 3)
        exact = optimize_weights(g, y, costs, log=True)
        rule = optimize_weights(g, y, costs, log=True, method="restarts", rng=0)
        assert rule.objective == pytest.approx(exact.objective)


def test_restarts_are_never_worse_than_genetic_search_or_differential_evolution():
    from sklearn.datasets import load_wine
    from sklearn.naive_bayes import GaussianNB

    x, y = load_wine(return_X_y=True)
    g = GaussianNB(var_smoothing=1e-3).fit(x[::2, :2], y[::2]).predict_joint_log_proba(x[::2, :2])
    for seed in range(3):
        costs = np.random.default_rng(100 + seed).integers(1, 11, (3, 3)) * (1 - np.eye(3))
        restarted = optimize_weights(g, y[::2], costs, log=True, method="restarts", rng=0)
        assert restarted.objective == pytest.approx(optimize_weights(g, y[::2], costs, log=True).objective)
        for method in ("ga", "ga-solff", "de"):
            rival = optimize_weights(g, y[::2], costs, log=True, method=method, rng=0)
            assert restarted.objective <= rival.objective + 1e-12


@pytest.mark.parametrize("digits", [16, 1, 0])
def test_quotas_against_the_assignment_problem(digits):
    rng = np.random.default_rng(24)
    for _ in range(100):
        n, m = rng.integers(1, 40), rng.integers(1, 7)
        g = np.round(3 * rng.normal(size=(n, m)), digits)
        counts = rng.multinomial(n, rng.dirichlet(np.full(m, 0.7)))
        places = np.repeat(np.arange(m), counts)
        chosen = places[linear_sum_assignment(g[:, places], maximize=True)[1]]
        quota = weights_for_counts(g, counts)
        assert np.bincount(quota.labels, minlength=m).tolist() == counts.tolist()
        assert quota.total == pytest.approx(g[np.arange(n), chosen].sum(), abs=1e-11)
        assert quota.margin >= -1e-12
        if digits == 16:
            assert quota.labels.tolist() == chosen.tolist()


@pytest.mark.parametrize("digits", [16, 2])
def test_quotas_of_many_examples_are_filled(digits):
    g = np.log(np.round(np.random.default_rng(25).dirichlet(np.ones(3), 200_000), digits) + 1e-3)
    quota = weights_for_counts(g, [150_000, 49_999, 1])
    assert np.bincount(quota.labels).tolist() == [150_000, 49_999, 1]
    assert quota.margin >= -1e-12
    if quota.margin > 0:
        assert np.array_equal(predicted(g, quota.log_weights), quota.labels)
    assert (quota.margin > 0) == (digits == 16)


def test_quotas_of_huge_scores_by_hand():
    g = [[1e200, 0.0], [0.0, 1e-5], [0.0, 2e-5]]
    assert weights_for_counts(g, [2, 1]).labels.tolist() == [0, 0, 1]
    assert weights_for_counts(g, [0, 3]).labels.tolist() == [1, 1, 1]


def test_tied_examples_cannot_fill_every_quota():
    quota = weights_for_counts([[0.0, 1.0], [0.0, 1.0]], [1, 1])
    assert sorted(quota.labels.tolist()) == [0, 1]
    assert quota.margin == 0
    assert weights_for_counts([[0.0, 1.0], [0.0, 1.0]], [0, 2]).margin == 1


# ---------------------------------------------------------------- laws


@st.composite
def tied_tables(draw):
    n, m = draw(st.integers(2, 9)), draw(st.integers(2, 3))
    levels = st.sampled_from([-3.0, -1.0, -0.5, 0.0, 0.25, 2.0])
    g = np.array(draw(st.lists(st.lists(levels, min_size=m, max_size=m), min_size=n, max_size=n)))
    y = np.array(draw(st.lists(st.integers(0, m - 1), min_size=n, max_size=n)))
    costs = np.array(
        draw(st.lists(st.lists(st.integers(0, 9), min_size=m, max_size=m), min_size=m, max_size=m))
    )
    return g, y, costs


@settings(max_examples=examples(60), deadline=None)
@given(tied_tables())
def test_exact_optimum_obeys_the_laws(data):
    g, y, costs = data
    m = len(costs)
    best = optimize_weights(g, y, costs, log=True)
    assert best.lower_bound == best.objective
    for method in ("coordinate", "lachiche-flach", "none"):
        assert optimize_weights(g, y, costs, log=True, method=method).objective >= best.objective - 1e-12
    order = np.random.default_rng(0).permutation(len(y))
    assert optimize_weights(g[order], y[order], costs, log=True).objective == pytest.approx(best.objective)
    # a constant per row and a factor per class change nothing that can be reached
    shifted = g + np.arange(len(y))[:, None] + np.arange(m)
    assert optimize_weights(shifted, y, costs, log=True).objective == pytest.approx(best.objective, abs=1e-12)
    twice = optimize_weights(np.vstack([g, g]), np.tile(y, 2), costs, log=True)
    weighted = optimize_weights(g, y, costs, log=True, sample_weight=np.full(len(y), 2.0))
    assert twice.objective == pytest.approx(best.objective)
    assert weighted.objective == pytest.approx(best.objective)
    names = np.arange(m)[::-1]
    swapped = optimize_weights(
        g[:, ::-1], y, CostMatrix(values=costs, classes=range(m)), classes=names, log=True
    )
    assert swapped.objective == pytest.approx(best.objective, abs=1e-12)


@settings(max_examples=examples(30), deadline=None)
@given(tied_tables(), st.floats(0, 3))
def test_abstaining_can_only_help(data, price):
    g, y, costs = data
    g, costs = g[:, :2], costs[:2, :2]
    y = np.minimum(y, 1)
    without = optimize_weights(g, y, costs, log=True)
    allowed = optimize_weights(g, y, costs, log=True, abstain_cost=price)
    assert allowed.objective <= without.objective + 1e-12
    assert allowed.objective <= price + 1e-12


def test_sample_weight_counts_like_repeated_cases():
    rng = np.random.default_rng(15)
    g, y, costs = random_case(rng, 15, 4)
    weight = rng.integers(0, 4, 15)
    weight[[0, 1]] = 2
    repeated = optimize_weights(np.repeat(g, weight, axis=0), np.repeat(y, weight), costs, log=True, rng=0)
    weighted = optimize_weights(g, y, costs, log=True, sample_weight=weight, rng=0)
    assert weighted.objective == pytest.approx(repeated.objective)
    assert weighted.weights == pytest.approx(repeated.weights)


def test_priors_change_the_optimum_as_reweighted_cases_do():
    rng = np.random.default_rng(16)
    g, y, costs = random_case(rng, 30, 3)
    priors = np.array([0.7, 0.2, 0.1])
    weight = (priors / np.bincount(y, minlength=3))[y]
    by_priors = optimize_weights(g, y, costs, log=True, priors={0: 0.7, 1: 0.2, 2: 0.1})
    by_weights = optimize_weights(g, y, costs, log=True, sample_weight=weight)
    assert by_priors.objective == pytest.approx(by_weights.objective)
    assert by_priors.labels.tolist() == by_weights.labels.tolist()


def test_bayes_rule_is_a_weight_rule_for_costs_by_true_class():
    # theorem T5: c(j, k) = c_j makes argmin_k L_k the same as argmax_k c_k p_k
    costs = CostMatrix(values=np.array([[0, 3, 3], [5, 0, 5], [2, 2, 0]]), classes=range(3))
    assert costs.by_true_class_only
    assert not CostMatrix(values=C, classes=range(3)).by_true_class_only
    p = np.random.default_rng(17).dirichlet(np.ones(3), 200)
    rule = optimize_weights(p, np.arange(200) % 3, costs, method="none", family="columns")
    assert rule.labels.tolist() == predicted(np.log(p), np.log([3.0, 5.0, 2.0])).tolist()


def test_drawn_answers_by_hand():
    # weights 1 and 3 on scores .6, .4: 0.6 against 1.2, so class b with probability 2/3
    scores, y = [[0.6, 0.4], [0.8, 0.2]], ["a", "b"]
    rule = optimize_weights(scores, y, {"a": {"b": 1}, "b": {"a": 6}}, method="none")
    rule = replace(rule, weights=np.array([1.0, 3.0]), log_answer_weights=np.log([1.0, 3.0]))
    assert rule.probabilities(scores) == pytest.approx(np.array([[1 / 3, 2 / 3], [4 / 7, 3 / 7]]))
    # one "a" called "b" with 2/3 at 1, one "b" called "a" with 4/7 at 6
    assert rule.probabilistic_cost(scores, y) == pytest.approx((2 / 3 + 24 / 7) / 2)
    abstaining = optimize_weights(scores, y, {"a": {"b": 1}, "b": {"a": 6}}, abstain_cost=0.1)
    with pytest.raises(UndefinedError, match="got a rule that abstains"):
        abstaining.probabilities(scores)


def test_eta_of_the_linear_program_holds_the_weights_back():
    scores = [[0.7, 0.2, 0.1], [0.5, 0.3, 0.2], [0.4, 0.35, 0.25], [0.3, 0.5, 0.2], [0.2, 0.3, 0.5]]
    y, costs = [0, 1, 1, 1, 2], 1 - np.eye(3)
    free, held = (
        optimize_weights(scores, y, costs, method="lp", center=False, eta=eta).weights for eta in (1e-6, 1e3)
    )
    assert held == pytest.approx(np.ones(3))
    assert not np.allclose(free, held)
    with pytest.raises(InputError, match="`eta`"):
        optimize_weights(scores, y, costs, method="lp", eta=0)
