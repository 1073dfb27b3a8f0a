"""Cascades as candidates of a comparison: honest costs against a slow loop, fees, designs of the data."""

import numpy as np
import pandas as pd
import pytest

from demur import CaseCosts, CostModel, InputError, Policy, compare_models
from demur.comparison.combination_learner import cascade_learners
from demur.comparison.problem import DecisionProblem, Limits
from demur.comparison.training_losses import training_losses
from demur.costs import CostRange
from demur.windows import Cascade
from demur.windows.cascade import cheapest_cascade, written_cascade

COSTS = CostModel(cost_fn=10, cost_fp=5, cost_abstain=2)
PRICES = {"cheap": 0.02, "large": 0.3}
NAME = "cheap, then large"


def drawn(n, rng, digits=None):
    """Labels, and the scores of a model and of a better one."""
    y = rng.random(n) < 0.3
    scores = {"cheap": y + rng.normal(0, 0.8, n), "large": y + rng.normal(0, 0.45, n)}
    return y, {name: one if digits is None else one.round(digits) for name, one in scores.items()}


def compared(y, scores, **options):
    return compare_models(y, scores, **{"costs": COSTS, "include": "cascades", "prices": PRICES, **options})


def problem_of(costs=COSTS, include=("cascades",), prices=None, objective=None, limits=None, prevalence=None):
    return DecisionProblem.checked(
        costs=costs,
        prevalence=prevalence,
        objective=objective,
        limits=limits or Limits(),
        confidence_level=0.95,
        seed=0,
        include=include,
        prices=prices,
    )


# ---------------------------------------------------------------- which cascades


def test_the_lower_price_comes_first_by_hand():
    def names(prices, *models):
        return [one.name for one in cascade_learners(problem_of(prices=prices), models)]

    assert names({"a": 2, "b": 1}, "a", "b") == ["b, then a"]
    assert names({"a": 1}, "a", "b") == ["b, then a"]
    assert names({}, "a", "b") == ["a, then b", "b, then a"]
    assert names({"a": 3, "b": 1, "c": 2}, "a", "b", "c") == ["b, then c", "b, then a", "c, then a"]
    ten = {f"m{k}": k for k in range(10)}
    pairs = [one.prices for one in cascade_learners(problem_of(prices=ten), tuple(ten))]
    assert len(pairs) == 12
    assert pairs[:4] == [(0, 1), (0, 2), (0, 3), (1, 2)]
    assert max(map(sum, pairs)) == 6


@pytest.mark.parametrize(
    "asked",
    [
        {"include": ()},
        {"include": ("combinations", "guards")},
        {"limits": Limits(max_abstention=0.1)},
        {"objective": "guaranteed"},
    ],
)
def test_no_cascade_where_none_is_asked_for_or_possible(asked):
    assert cascade_learners(problem_of(**asked), ("a", "b")) == []


def test_no_cascade_of_many_classes():
    rng = np.random.default_rng(0)
    y = np.arange(90) % 3
    proba = {name: rng.dirichlet([1, 1, 1], 90) + np.eye(3)[y] for name in "ab"}
    asked = {"classes": [0, 1, 2], "costs": 1 - np.eye(3), "abstain_cost": 0.3, "include": "cascades"}
    with pytest.raises(InputError, match="`include` is for two classes"):
        compare_models(y, proba, **asked)


# ---------------------------------------------------------------- honest costs


def slow_cost(y, scores, costs, found, shares=None):
    """Mean loss and fee by a loop over splits, folds and cases, with cascades learned anew."""
    table = np.column_stack(list(scores.values()))
    losses = costs.losses.table[y.astype(int)] if isinstance(costs, CostModel) else costs.losses(y).table
    cases, total, mass = found.choice.cases[NAME], 0.0, 0.0
    for split, rows in enumerate(cases.splits.repeats):
        for fold in range(cases.splits.first, cases.splits.folds):
            kept = cases.trains(split, fold)
            cell, number = rows.cell[kept], rows.cases[kept]
            each = _in_use(y[cell], number, shares)
            rule = cheapest_cascade(
                losses[cell] * each[:, None],
                each,
                table[cell],
                names=("cheap", "large"),
                prices=(0.02, 0.3),
                may_abstain=costs.may_abstain,
                grid=(64, 64),
            )
            for row in np.flatnonzero(rows.fold == fold):
                case = table[rows.cell[row]][None]
                (code,), (fee,) = rule.decide(case), rule.charge(case)
                value = rows.cases[row]
                if shares is not None:
                    value *= shares[int(y[rows.cell[row]])] / np.mean(y == y[rows.cell[row]])
                total += value * (losses[rows.cell[row], code] + fee)
                mass += value
    return total / mass


def _in_use(y, number, shares):
    if shares is None:
        return number
    sizes = np.array([number[~y].sum(), number[y].sum()])
    return number * (np.array(shares) * sizes.sum() / sizes)[y.astype(int)]


@pytest.mark.parametrize("kind", ["classes", "no person", "amounts", "prevalence"])
def test_honest_costs_against_a_slow_loop(kind):
    rng = np.random.default_rng(2)
    y, scores = drawn(150, rng)
    options = {
        "classes": {},
        "no person": {"costs": CostModel(cost_fn=10, cost_fp=5)},
        "amounts": {"costs": CaseCosts(cost_fn=rng.lognormal(2, 1, 150), cost_fp=5, cost_abstain=2)},
        "prevalence": {"prevalence": 0.1},
    }[kind]
    found = compared(y, scores, **options)
    shares = [0.9, 0.1] if kind == "prevalence" else None
    slow = slow_cost(y, scores, options.get("costs", COSTS), found, shares)
    assert found.combinations[NAME].cost == pytest.approx(slow, rel=1e-12)
    # the first score tells which cases are like those called negative or positive
    assert np.array_equal(found.choice.candidates[NAME][0].scores, scores["cheap"])
    rule = found.combinations[NAME].rule
    assert isinstance(rule, Cascade)
    assert rule.abstains == (kind != "no person")


def test_forward_in_time_against_a_slow_loop():
    y, scores = drawn(240, np.random.default_rng(4))
    found = compared(y, scores, time=np.arange(240))
    assert found.choice.cases[NAME].splits.forward
    assert found.combinations[NAME].cost == pytest.approx(slow_cost(y, scores, COSTS, found), rel=1e-12)


def test_clusters_against_a_slow_loop():
    y, scores = drawn(240, np.random.default_rng(4))
    found = compared(y, scores, groups=np.arange(240) // 3)
    for rows in found.choice.cases[NAME].splits.repeats:
        folds = pd.Series(rows.fold).groupby(rows.cell // 3).nunique()
        assert (folds == 1).all()
    assert found.combinations[NAME].cost == pytest.approx(slow_cost(y, scores, COSTS, found), rel=1e-12)


def test_importance_weights_against_a_slow_loop():
    rng = np.random.default_rng(4)
    y, scores = drawn(150, rng)
    found = compared(y, scores, sample_weight=rng.choice([0.5, 1, 3], 150))
    assert found.combinations[NAME].cost == pytest.approx(slow_cost(y, scores, COSTS, found), rel=1e-12)


def test_a_weight_of_two_is_a_repeated_row():
    rng = np.random.default_rng(6)
    y, scores = drawn(80, rng)
    order = np.argsort(~y, kind="stable")
    y, scores = y[order], {name: one[order] for name, one in scores.items()}
    times = rng.integers(1, 4, 80)
    one = compared(y, scores, sample_weight=times, weights="repeats")
    two = compared(np.repeat(y, times), {name: np.repeat(column, times) for name, column in scores.items()})
    assert one.combinations[NAME].rule == two.combinations[NAME].rule
    assert one.combinations[NAME].cost == pytest.approx(two.combinations[NAME].cost, rel=1e-12)
    assert one.combinations[NAME].interval == pytest.approx(two.combinations[NAME].interval, rel=1e-9)


# ---------------------------------------------------------------- the rule of all cases


@pytest.mark.parametrize("kind", ["range", "factors", "prevalence range"])
def test_the_rule_of_all_cases_is_chosen_in_the_middle_of_ranges(kind):
    rng = np.random.default_rng(7)
    y, scores = drawn(120, rng, digits=1)
    amounts = rng.lognormal(2, 1, 120)
    ranged, middle = {
        "range": (
            {"costs": CostRange(cost_fn=(5, 15), cost_fp=5, cost_abstain=(1, 3))},
            {"costs": COSTS},
        ),
        "factors": (
            {"costs": CaseCosts(cost_fn=amounts, cost_fp=5, cost_abstain=2, miss_factor=(0.2, 0.8))},
            {"costs": CaseCosts(cost_fn=amounts / 2, cost_fp=5, cost_abstain=2)},
        ),
        "prevalence range": ({"prevalence": (0.1, 0.3)}, {"prevalence": 0.2}),
    }[kind]
    rules = [compared(y, scores, **options).combinations[NAME] for options in (ranged, middle)]
    assert rules[0].rule == rules[1].rule
    assert rules[0].cost == pytest.approx(rules[1].cost, rel=1e-12)


def test_hindsight_is_never_dearer_than_the_first_model_alone():
    y, scores = drawn(300, np.random.default_rng(9))
    found = compared(y, scores)
    cascade = found.combinations[NAME]
    assert cascade.hindsight_cost <= found.models["cheap"].hindsight_cost + 1e-12
    # both are asked about every case in the worst case
    assert cascade.hindsight_cost <= found.models["large"].hindsight_cost + PRICES["cheap"] + 1e-12


def test_thresholds_of_the_written_rule_are_short():
    y, scores = drawn(300, np.random.default_rng(9))
    rule = compared(y, scores).combinations[NAME].rule
    cases = compared(y, scores).choice.cases[NAME]
    losses, weight = training_losses(cases, problem_of(), np.arange(300))
    table = np.column_stack(list(scores.values()))
    exact = cheapest_cascade(losses, weight, table, names=rule.names, prices=rule.prices)
    assert rule == written_cascade(exact, table)
    assert np.array_equal(rule.codes(table), exact.codes(table))
    written = [*rule.cuts, rule.lower, rule.upper]
    assert max(len(repr(cut)) for cut in written) < max(len(repr(cut)) for cut in exact.cuts)


def test_gap_is_known_where_the_search_is_exhaustive():
    y, scores = drawn(120, np.random.default_rng(1), digits=1)
    assert compared(y, scores).combinations[NAME].gap == 0
    y, scores = drawn(120, np.random.default_rng(1))
    assert np.isnan(compared(y, scores).combinations[NAME].gap)


# ---------------------------------------------------------------- the answer


@pytest.fixture(scope="module")
def routed():
    y, scores = drawn(1000, np.random.default_rng(0))
    return y, scores, compared(y, scores)


def test_the_answer_is_a_cascade_in_words(routed):
    _, _, found = routed
    answer = found.answer
    assert (answer.model, answer.kind) == (NAME, "cascade")
    assert answer.words.startswith(f"Proven. Use {NAME}: ask cheap first: answer negative up to ")
    assert "on to large, which answers negative up to " in answer.words
    assert answer.honest_cost == found.combinations[NAME].cost
    assert answer.cost < min(one.cost for one in found.models.values())


def test_the_policy_of_the_answer_decides_alike(routed, tmp_path):
    y, scores, found = routed
    policy = Policy.from_answer(found.answer, abstain_label=9)
    policy.save(tmp_path / "routing.json")
    loaded = Policy.load(tmp_path / "routing.json")
    assert (loaded.rule, loaded.columns, loaded.chosen) == (found.answer.rule, ("cheap", "large"), "cascade")
    codes = loaded.decide(pd.DataFrame({"large": scores["large"], "other": 0, "cheap": scores["cheap"]}))
    assert np.array_equal(codes, found.answer.decide(np.column_stack(list(scores.values()))))
    assert np.mean(codes == -1) == pytest.approx(loaded.abstention_rate)
    errors = np.mean((codes == 0) & y), np.mean((codes == 1) & ~y)
    assert errors == pytest.approx((loaded.fn, loaded.fp), abs=0.02)


def test_bounds_of_missing_labels_are_refused():
    y, scores = drawn(150, np.random.default_rng(0))
    missing = np.where(np.arange(150) < 5, np.nan, y)
    with pytest.raises(InputError, match=r"must not be 'bounds' beside .* rules of several"):
        compared(missing, scores, missing_labels="bounds")


# ---------------------------------------------------------------- on fresh cases


@pytest.mark.long
def test_intervals_cover_the_true_cost_on_fresh_cases():
    samples, rng = 250, np.random.default_rng(7)
    fresh, scores = drawn(50_000, rng)
    table, losses = np.column_stack(list(scores.values())), COSTS.losses.table[fresh.astype(int)]
    covered, answered = [], []
    for seed in range(samples):
        found = compared(*drawn(400, rng), seed=seed)
        one, answer = found.combinations[NAME], found.answer
        true = np.mean(losses[np.arange(len(fresh)), one.rule.decide(table)] + one.rule.charge(table))
        covered.append(one.interval.low <= true <= one.interval.high)
        if answer.model == NAME:
            answered.append(answer.interval.low <= true <= answer.interval.high)
    # 600 samples: .920 for the cascade and .938 for the window of the large model; after the choice .97
    assert np.mean(covered) >= 0.93 - 2 * np.sqrt(0.93 * 0.07 / samples)
    assert np.mean(answered) >= 0.93
