"""Class weights on hard data, names of classes, choice by cross-validation, binary views, errors."""

import math

import numpy as np
import pytest

from demur import ABSTAIN, CostMatrix, DegenerateDataWarning, DemurError, InputError, optimize_weights
from demur._kernels.weight_objective import table_of
from demur.multiclass import cell_margin, class_cost_maps, weights_for_counts
from demur.multiclass.weights import SEARCHES
from weight_oracles import (
    LETTERS,
    NAMED,
    C,
    F,
    Y,
    best_by_realisable_labels,
    mean_cost,
    worked,
)

# ---------------------------------------------------------------- hard data


def test_zero_probabilities():
    f = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.5, 0.5, 0.0], [0.0, 0.0, 1.0]])
    rule = optimize_weights(f, [0, 1, 1, 2], 1 - np.eye(3))
    assert rule.objective == 0
    assert np.isfinite(rule.log_weights).all()
    assert rule.decide(f).tolist() == [0, 1, 1, 2]


def test_identical_rows_are_answered_alike():
    f = np.full((6, 4), 0.25)
    y = [0, 0, 1, 2, 2, 2]
    for method in ("auto", "milp", "ga", "de", "solff"):
        rule = optimize_weights(f, y, 1 - np.eye(4), method=method, rng=0)
        assert set(rule.labels.tolist()) == {2}
        assert rule.objective == pytest.approx(0.5)
        assert rule.margin == 1
    assert optimize_weights(f, y, 1 - np.eye(4), rng=0).optimal


def test_class_without_examples_has_no_say():
    rule = optimize_weights(F[:5], Y[:5], C)
    assert rule.priors.tolist() == pytest.approx([0.4, 0.6, 0])
    with pytest.raises(InputError, match="gives weight to the class 2, but the data hold no example of it"):
        optimize_weights(F[:5], Y[:5], C, priors=[0.4, 0.4, 0.2])


def test_one_class_only():
    rule = optimize_weights([[0.3], [0.9]], [0, 0], [[0]])
    assert (rule.objective, rule.optimal, rule.weights.tolist()) == (0, True, [1.0])
    for method in {*SEARCHES, "lp", "milp", "cv"}:
        assert optimize_weights([[0.3], [0.9]], [0, 0], [[2]], method=method, folds=2).objective == 2
    alone = optimize_weights([[0.3], [0.9]], [0, 0], [[2]], abstain_cost=1)
    assert alone.objective == 1
    assert alone.labels.tolist() == [ABSTAIN, ABSTAIN]
    both = optimize_weights(F, [1] * 8, C)
    assert both.objective == 0


def test_sixty_classes():
    rng = np.random.default_rng(18)
    m, n = 60, 600
    y = np.arange(n) % m
    g = rng.normal(size=(n, m))
    g[np.arange(n), y] += 1.5
    costs = rng.integers(1, 11, (m, m)) * (1 - np.eye(m))
    rule = optimize_weights(g, y, costs, log=True, n_restarts=3, rng=0)
    plain = optimize_weights(g, y, costs, log=True, method="none")
    assert rule.lower_bound <= rule.objective < plain.objective
    assert rule.margin > 0
    assert rule.decide(g, log=True).tolist() == rule.labels.tolist()


def test_nonzero_diagonal_is_priced():
    costs = np.array(C) + np.diag([1.0, 0.5, 0.25])
    rule = optimize_weights(F, Y, costs)
    assert rule.objective == pytest.approx(mean_cost(F, Y, costs, rule.weights))
    table = table_of(np.log(F), costs[Y] / 8)
    assert rule.objective == pytest.approx(best_by_realisable_labels(table.g, table.v))


def test_negative_costs_are_gains():
    costs = np.array(C) - 5.0 * np.eye(3)
    rule = optimize_weights(F, Y, costs)
    table = table_of(np.log(F), costs[Y] / 8)
    assert rule.objective == pytest.approx(best_by_realisable_labels(table.g, table.v))
    assert optimize_weights(F, Y, costs, method="cv", folds=2, rng=0).cross_validation.keys() == {
        "none",
        "coordinate, weights",
        "restarts, weights",
    }


def test_scores_closer_than_rounding_are_one():
    # the apexes differ by less than the tolerance: the examples can only move together
    g = np.array([[0.0, 0.0, 0.0], [0.0, 1e-15, 0.0]])
    rule = optimize_weights(g, [0, 1], 1 - np.eye(3), log=True)
    assert rule.objective == pytest.approx(0.5)
    assert rule.margin > 1e-3 or not rule.optimal


def test_unreachable_answers_of_the_exact_scan_fall_back_to_a_search(monkeypatch):
    # rounding could make the scan see a cell that is none; then nothing may be called proved
    monkeypatch.setattr("demur.multiclass.weights.cheapest_labels", lambda table: np.array(Y)[: len(table.g)])
    with pytest.warns(DegenerateDataWarning, match="closer than rounding"):
        rule = worked()
    assert rule.objective == 0.25
    assert rule.margin > 0


def test_narrow_margin_of_the_integer_program_warns():
    g = np.array([[0.0, 0.0], [0.0, 1e-5]])
    with pytest.warns(DegenerateDataWarning, match="margin below 0.0001"):
        rule = optimize_weights(g, [0, 1], 1 - np.eye(2), log=True, method="milp", rng=0)
    assert rule.objective == 0


# ---------------------------------------------------------------- names, choice, deciding


def test_names_may_come_in_any_order():
    shuffled = {"c": {"b": 6, "a": 8}, "a": {"c": 4, "b": 1}, "b": {"a": 3, "c": 2, "b": 0}}
    rule = optimize_weights(F, LETTERS, shuffled)
    assert rule.classes == ("a", "b", "c")
    assert rule.objective == 0.25
    moved = optimize_weights(np.array(F)[:, [2, 0, 1]], LETTERS, NAMED, classes=["c", "a", "b"])
    assert moved.objective == 0.25
    assert moved.predict([[0.1, 0.7, 0.2]]).tolist() == ["a"]
    assert optimize_weights(F, LETTERS, CostMatrix.from_mapping(NAMED)).objective == 0.25


def test_names_of_a_data_frame_count_not_its_order():
    class Frame:
        index, columns = ("c", "a", "b"), ("b", "c", "a")

        def __array__(self, dtype=None, copy=None):
            return np.array([[NAMED[t].get(p, 0) for p in self.columns] for t in self.index], dtype=dtype)

    assert optimize_weights(F, LETTERS, Frame()).costs.to_mapping() == {
        true: {p: float(NAMED[true].get(p, 0)) for p in "abc"} for true in "abc"
    }


def test_a_transposed_matrix_is_another_problem():
    assert optimize_weights(F, Y, np.transpose(C)).objective != worked().objective


def test_choice_by_cross_validation_takes_the_cheapest_held_out():
    rng = np.random.default_rng(19)
    y = rng.integers(0, 3, 200)
    f = rng.dirichlet(np.ones(3), 200)
    f[np.arange(200), y] += 0.8
    f /= f.sum(axis=1, keepdims=True)
    costs = [[0, 1, 9], [1, 0, 9], [1, 1, 0]]
    rule = optimize_weights(f, y, costs, method="cv", rng=0)
    assert set(rule.cross_validation) == {"none", "bayes", "coordinate, weights", "restarts, weights"}
    chosen = min(rule.cross_validation, key=rule.cross_validation.get)
    assert rule.method == {"bayes": "none"}.get(chosen, chosen.split(",")[0])
    assert rule.family == ("columns" if chosen == "bayes" else "weights")
    assert rule.to_dict()["cross_validation"] == rule.cross_validation
    # rules without weights see nothing of the training part: held out or not is the same
    for name, family in (("none", "weights"), ("bayes", "columns")):
        plain = optimize_weights(f, y, costs, method="none", family=family)
        assert rule.cross_validation[name] == pytest.approx(plain.objective)


def test_cross_validation_survives_rare_classes_and_priors():
    y = [0] * 8 + [1] * 8 + [2]
    f = np.random.default_rng(20).dirichlet(np.ones(3), 17)
    rule = optimize_weights(f, y, C, method="cv", priors=[0.5, 0.3, 0.2], folds=3, rng=0)
    assert rule.cross_validation["none"] > 0


def test_new_cases_are_decided_by_name_with_abstentions():
    rule = optimize_weights(F, LETTERS, NAMED, abstain_cost={"a": 0.25, "b": 0.25, "c": 0.25}, rng=0)
    answers = rule.predict([[0.7, 0.2, 0.1], [0.4, 0.35, 0.25]], abstain_label="ask")
    assert answers.tolist() == ["a", "ask"]
    assert rule.decide([[7.0, 2.0, 1.0]]).tolist() == [0]
    mixed = rule.predict([[0.4, 0.35, 0.25]])
    assert mixed.tolist() == [ABSTAIN]


def test_results_are_json_safe_and_short():
    import json

    rule = worked()
    json.dumps(rule.to_dict(), allow_nan=False)
    assert len(repr(rule)) < 700
    assert "costs" not in rule.to_dict()
    json.dumps(CostMatrix.from_mapping(NAMED).to_dict(), allow_nan=False)
    json.dumps(weights_for_counts(np.log(F), [3, 3, 2]).to_dict(), allow_nan=False)


# ---------------------------------------------------------------- binary views


def test_one_vs_one_costs_by_hand():
    costs = CostMatrix.from_mapping(NAMED)
    pair = costs.one_vs_one("a", "c")
    assert (pair.cost_fn, pair.cost_fp) == (4, 8)
    rest = costs.one_vs_rest("a")
    assert (rest.cost_fn, rest.cost_fp) == (2.5, 5.5)
    weighted = costs.one_vs_rest("a", priors={"a": 0.5, "b": 0.4, "c": 0.1}, abstain_cost=[1, 2, 7])
    assert (weighted.cost_fn, weighted.cost_fp) == pytest.approx((0.8 * 1 + 0.2 * 4, 0.8 * 3 + 0.2 * 8))
    assert weighted.cost_abstain_positive == 1
    assert weighted.cost_abstain_negative == pytest.approx(0.8 * 2 + 0.2 * 7)


def test_class_cost_maps_against_all_thresholds():
    rng = np.random.default_rng(21)
    f, y = rng.dirichlet(np.ones(3), 40), rng.integers(0, 3, 40)
    priors = [0.2, 0.3, 0.5]
    maps = class_cost_maps(f, y, C, scheme="one-vs-rest", priors=priors)
    assert list(maps) == [0, 1, 2]
    for a, cost_map in maps.items():
        ratio = f[:, a] / (1 - f[:, a])
        share = (np.array(priors) / np.bincount(y))[y]
        costs = CostMatrix(values=C, classes=range(3)).one_vs_rest(a, priors=priors)
        tried = [
            (share * np.where(y == a, costs.cost_fn * (ratio < t), costs.cost_fp * (ratio >= t))).sum()
            for t in [*ratio, math.inf]
        ]
        assert cost_map.window.expected_cost == pytest.approx(min(tried))
        assert cost_map.share == pytest.approx(1)
    pairs = class_cost_maps(f, y, C, priors=priors, abstain_cost=0.1)
    assert list(pairs) == [(0, 1), (0, 2), (1, 2)]
    assert pairs[0, 2].share == pytest.approx(0.7)
    assert pairs[0, 2].window.expected_cost <= 0.1
    with pytest.raises(InputError, match="`scheme` must be one of"):
        class_cost_maps(f, y, C, scheme="pairs")


# ---------------------------------------------------------------- errors


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: optimize_weights(F, LETTERS, {"a": {"b": 1}, "b": {"a": 2}}, classes=["a", "b", "c"]),
            "must name exactly the classes of the data, got costs for 'a', 'b' and classes 'a', 'b', 'c'",
        ),
        (
            lambda: optimize_weights(F, Y, NAMED),
            r"`y_true` must hold the classes 'a', 'b', 'c', got also 0, 1, 2. Hint: .* \(1 is not '1'\)",
        ),
        (
            lambda: optimize_weights(F, LETTERS, {"a": {"b": 1, "x": 4}, "b": {"a": 3, "x": 2}}),
            "got rows 'a', 'b' and columns 'a', 'b', 'x'",
        ),
        (
            lambda: optimize_weights(F, LETTERS, NAMED | {"b": {"a": 3}}),
            r"`costs\['b'\]` must say what the answer 'c' costs, got only 'a'",
        ),
        (lambda: optimize_weights(F, LETTERS, NAMED | {"b": 3}), r"`costs\['b'\]` must be a mapping"),
        (lambda: optimize_weights(F, Y, [[0, 1], [1, 0]]), "`costs` must be a table of 3 x 3 for 3 classes"),
        (lambda: optimize_weights(F, Y, [[0, 1, np.nan]] * 3), "`costs` must be finite"),
        (
            lambda: optimize_weights(F, ["x", "y"] * 4, C),
            "`classes` must name the 3 columns of the scores, got 'x', 'y'",
        ),
        (lambda: optimize_weights(F, Y[:-1], C), "`scores` and `y_true` must have the same length"),
        (
            lambda: optimize_weights([[0.1, -0.2]], [0], [[0, 1], [1, 0]]),
            "`scores` must be finite and not negative",
        ),
        (lambda: optimize_weights([[0.0, 0.0]], [0], [[0, 1], [1, 0]]), "zeros in row 0"),
        (
            lambda: optimize_weights([[-np.inf, -np.inf]], [0], [[0, 1], [1, 0]], log=True),
            "must have a finite largest log score",
        ),
        (lambda: optimize_weights(F, [None] * 8, C), "`y_true` must not contain missing labels"),
        (lambda: worked(method="simplex"), "`method` must be one of"),
        (lambda: worked(family="rows"), "`family` must be one of 'weights', 'columns'"),
        (
            lambda: worked(method="exact", abstain_cost=1),
            "'exact' needs at most three answers .* got 4 answers",
        ),
        (lambda: worked(priors=[0.5, 0.5, 0.5]), "`priors` must add up to 1, got 1.5"),
        (
            lambda: worked(priors={0: 1.0}),
            "`priors` must name exactly the classes, got 0 and classes 0, 1, 2",
        ),
        (lambda: worked(abstain_cost=-1), "`abstain_cost` must not be negative"),
        (
            lambda: worked(abstain_cost=[1, 2]),
            "`abstain_cost` must be one number, or one for each of 3 classes",
        ),
        (lambda: worked(order=[0, 1]), "`order` must name each of the classes"),
        (lambda: worked(time_limit=0), "`time_limit` must be a positive number"),
        (lambda: worked(n_restarts=-1), "`n_restarts` must be a whole number"),
        (lambda: worked(method="cv", folds=9), "`folds` must not exceed the number of examples, 8"),
        (
            lambda: optimize_weights(F, Y, -np.array(C), family="columns"),
            "must not be negative for family='columns'",
        ),
        (
            lambda: optimize_weights(np.ones((3, 13)), [0, 1, 2], 1 - np.eye(13), method="subsets"),
            "'subsets' needs at most 12 answers",
        ),
        (lambda: cell_margin(np.log(F), [0, 1]), "`labels` must hold one column index for each of 8 rows"),
        (lambda: cell_margin(np.log(F), [3] * 8), "`labels` must be column indices below 3, got 3"),
        (lambda: cell_margin([[0.0, -np.inf]], [0]), "`log_scores` must be finite"),
        (
            lambda: weights_for_counts(np.log(F), [4, 5]),
            "`counts` must hold one number for each of 3 columns",
        ),
        (
            lambda: weights_for_counts(np.log(F), [4, 5, 6]),
            "`counts` must add up to the number of rows, 8, got 15",
        ),
        (lambda: CostMatrix(values=[[0, 1]], classes=["a"]), "must be a square table"),
        (lambda: CostMatrix(values=C, classes="ab"), "must name the 3 rows, got 'a', 'b'"),
        (lambda: CostMatrix(values=C, classes="aba"), "must not repeat a name"),
        (
            lambda: CostMatrix(values=C, classes="abc").cost(true="x", predicted="a"),
            "`true` must be one of the classes",
        ),
        (lambda: CostMatrix(values=C, classes="abc").one_vs_one("a", "a"), "`negative` must differ"),
        (lambda: CostMatrix(values=[[0]], classes="a").one_vs_rest("a"), "needs other classes with a prior"),
        (lambda: class_cost_maps([[0.5]], [0], [[0]]), "No two classes"),
    ],
)
def test_error_sentences(call, message):
    with pytest.raises(InputError, match=message):
        call()


def test_exact_search_of_too_many_rows_is_refused():
    f = np.random.default_rng(23).dirichlet(np.ones(3), 50_001)
    y = np.arange(len(f)) % 3
    message = (
        "'exact' needs at most 50000 distinct rows .* got 50001 rows. Hint: use 'restarts' or 'coordinate'"
    )
    with pytest.raises(InputError, match=message):
        optimize_weights(f, y, 1 - np.eye(3), method="exact")
    # equal rows count once, and two answers need one line search only
    assert optimize_weights(np.round(f, 1), y, 1 - np.eye(3), method="exact").optimal
    assert optimize_weights(f[:, :2], y % 2, 1 - np.eye(2), method="exact").optimal


def test_huge_integer_program_is_refused():
    f = np.random.default_rng(22).dirichlet(np.ones(20), 600)
    with pytest.raises(DemurError, match="more than 200000"):
        optimize_weights(f, np.arange(600) % 20, 1 - np.eye(20), method="milp", n_restarts=0, rng=0)
