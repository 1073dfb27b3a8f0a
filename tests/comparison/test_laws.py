"""Laws of a comparison: ways to say the same problem give the same answer."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from demur import CaseCosts, CostModel, CostRange, ScoreCounts, compare_models
from demur.comparison.case_table import CaseTable
from demur.comparison.comparison import compared
from demur.comparison.problem import DecisionProblem, Limits
from examples import examples

COSTS = [
    {"cost_fn": 10.0, "cost_fp": 4.0, "cost_abstain": 1.5},
    {"cost_fn": 3.0, "cost_fp": 7.0},
    {"cost_fn": 5.0, "cost_fp": 2.0, "cost_abstain_positive": 0.5, "cost_abstain_negative": 1.0},
    {"cost_fn": 9.0, "cost_fp": 4.0, "cost_abstain": 2.0, "cost_tp": 0.5, "cost_tn": 0.25},
]
SETTINGS = [{}, {"prevalence": 0.2}, {"max_abstention": 0.25}, {"max_fn_rate": 0.4}]
FIELDS = ("cost", "hindsight_cost", "threshold_cost", "threshold", "abstention_rate", "auc", "vacc")
# of one sum taken in another order: a rounding error of the largest cost of 40 cases
CLOSE = {"rel": 1e-12, "abs": 1e-12}


@st.composite
def problems(draw):
    """Labels and tied scores of two models, with settings that every way of asking takes."""
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    n = draw(st.integers(12, 40))
    y = rng.permutation(np.arange(n) % 3 == 0).astype(int)
    scores = {"a": np.round(rng.normal(y, 1), 1), "b": rng.integers(0, 6, n) + 2.0 * y}
    return y, scores, draw(st.sampled_from(COSTS)), draw(st.sampled_from(SETTINGS))


def assert_same_rules(one, other):
    """Costs, intervals, thresholds and choice of two comparisons agree."""
    for field in ("kind", "model", "lower", "upper", "verdict"):
        assert getattr(one.answer, field) == getattr(other.answer, field), field
    for field in ("cost", "honest_cost", "advice_cost"):
        assert getattr(one.answer, field) == pytest.approx(getattr(other.answer, field), **CLOSE), field
    assert tuple(one.answer.interval) == pytest.approx(tuple(other.answer.interval), **CLOSE)
    assert one.answer.versus.keys() == other.answer.versus.keys()
    for key, versus in one.answer.versus.items():
        same = other.answer.versus[key]
        assert versus.name == same.name
        assert versus.difference == pytest.approx(same.difference, **CLOSE)
        assert tuple(versus.interval) == pytest.approx(tuple(same.interval), **CLOSE)
    assert list(one.trivial) == list(other.trivial)
    for name, model in one.models.items():
        same = other.models[name]
        for field in FIELDS:
            assert getattr(model, field) == pytest.approx(getattr(same, field), **CLOSE), (name, field)
        assert tuple(model.interval) == pytest.approx(tuple(same.interval), **CLOSE)


@given(problem=problems())
@settings(max_examples=examples(25), deadline=None)
def test_amounts_that_are_all_equal_are_costs_by_class(problem):
    y, scores, costs, options = problem
    by_class = compare_models(y, scores, costs=CostModel(**costs), **options)
    spread = {name: np.full(len(y), value) for name, value in costs.items()}
    by_case = compare_models(y, scores, costs=CaseCosts(**spread), **options)
    assert_same_rules(by_class, by_case)


@given(problem=problems())
@settings(max_examples=examples(15), deadline=None)
def test_a_range_of_no_width_is_a_point(problem):
    y, scores, costs, options = problem
    if "cost_abstain_positive" in costs or "cost_tp" in costs:
        costs = COSTS[0]
    point = compare_models(y, scores, costs=CostModel(**costs), **options)
    ends = {name: (value, value) for name, value in costs.items()}
    box = compare_models(y, scores, costs=CostRange(**ends), **options)
    assert box.to_dict() == point.to_dict()
    rate = options.get("prevalence")
    if rate is not None:
        pair = compare_models(y, scores, costs=CostModel(**costs), **{**options, "prevalence": (rate, rate)})
        assert pair.to_dict() == point.to_dict()


@given(problem=problems(), seed=st.integers(0, 1000))
@settings(max_examples=examples(15), deadline=None)
def test_reordering_the_models_changes_nothing_but_their_order(problem, seed):
    y, scores, costs, options = problem
    rng = np.random.default_rng(seed)
    scores = {**scores, "c": rng.normal(2 * y, 1)}
    given_order = compare_models(y, scores, costs=CostModel(**costs), **options)
    names = list(scores)[::-1]
    turned = compare_models(y, {name: scores[name] for name in names}, costs=CostModel(**costs), **options)
    assert list(turned.models) == names
    for name in names:
        assert turned.models[name].to_dict() == given_order.models[name].to_dict()
    by_kind = [
        [model.rules[kind].cost for model in turned.models.values() if kind in model.rules]
        for kind in ("threshold", "window")
    ]
    # of models that cost the same to the last bit, the first is taken
    if all(len(set(costs)) == len(costs) for costs in by_kind):
        for field in ("cost", "honest_cost", "interval", "advice_cost"):
            assert getattr(turned.answer, field) == getattr(given_order.answer, field), field
    assert turned.trivial == given_order.trivial


@given(problem=problems())
@settings(max_examples=examples(15), deadline=None)
def test_counts_are_repeated_rows_with_hindsight(problem):
    """Counts are split by themselves, so only what does not depend on the splits is the same."""
    y, scores, costs, _ = problem
    rows = compare_models(y, scores, costs=CostModel(**costs))
    question = DecisionProblem.checked(
        costs=CostModel(**costs),
        prevalence=None,
        objective=None,
        limits=Limits(),
        confidence_level=0.95,
        seed=0,
    )
    counts = {name: ScoreCounts.from_arrays(y, column) for name, column in scores.items()}
    counted = compared(CaseTable.of_counts(counts, question), question)
    assert counted.trivial == pytest.approx(rows.trivial)
    for name, model in rows.models.items():
        for field in ("hindsight_cost", "threshold_hindsight_cost", "threshold", "auc", "hindsight_vacc"):
            assert getattr(counted.models[name], field) == pytest.approx(getattr(model, field), **CLOSE)


@given(problem=problems())
@settings(max_examples=examples(15), deadline=None)
def test_rows_written_twice_are_repeats_of_two(problem):
    y, scores, costs, options = problem
    twice = compare_models(
        y, scores, costs=CostModel(**costs), sample_weight=np.full(len(y), 2.0), weights="repeats", **options
    )
    written = compare_models(
        np.repeat(y, 2),
        {name: np.repeat(column, 2) for name, column in scores.items()},
        costs=CostModel(**costs),
        **options,
    )
    assert_same_rules(twice, written)


# ---------------------------------------------------------------- classes


def as_matrix(costs):
    """Return the costs of two classes, 0 and 1, as a matrix, and the price of abstaining."""
    matrix = {
        0: {0: costs.get("cost_tn", 0), 1: costs["cost_fp"]},
        1: {0: costs["cost_fn"], 1: costs.get("cost_tp", 0)},
    }
    if "cost_abstain_positive" in costs:
        return matrix, {0: costs["cost_abstain_negative"], 1: costs["cost_abstain_positive"]}
    return matrix, costs.get("cost_abstain")


def two_columns(scores):
    """Return scores as probabilities of two classes; digits of both columns are those of the second."""
    ranked = {name: np.round(1 / (1 + np.exp(-np.asarray(one))), 3) for name, one in scores.items()}
    return ranked, {name: np.column_stack([1 - one, one]) for name, one in ranked.items()}


@given(problem=problems())
@settings(max_examples=examples(25), deadline=None)
def test_two_classes_with_a_matrix_are_the_problem_of_two_classes_to_the_letter(problem):
    y, scores, costs, options = problem
    ranked, columns = two_columns(scores)
    two = compare_models(y, ranked, costs=CostModel(**costs), **options)
    matrix, abstain = as_matrix(costs)
    if "prevalence" in options:
        rate = options["prevalence"]
        options = {"prevalence": {0: 1 - rate, 1: rate}}
    many = compare_models(y, columns, classes=[0, 1], costs=matrix, abstain_cost=abstain, **options)
    assert many.answer.words == two.answer.words
    assert many.to_dict() == two.to_dict()
    assert np.array_equal(many.answer.decide(columns["a"]), two.answer.decide(ranked["a"]))


@pytest.mark.parametrize("names", [["well", "ill"], ["b", "a"]])
def test_names_of_two_classes_are_those_of_the_words(names):
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 60)
    p = np.round(1 / (1 + np.exp(-rng.normal(2 * y - 1, 1))), 2)
    labels = np.array(names)[y]
    costs = {"cost_fn": 10, "cost_fp": 4, "cost_abstain": (1, 2)}
    two = compare_models(labels, p, costs=CostRange(**costs), pos_label=names[1], class_names=tuple(names))
    matrix = {names[0]: {names[1]: 4}, names[1]: {names[0]: 10}}
    many = compare_models(
        labels, np.column_stack([1 - p, p]), classes=names, costs=matrix, abstain_cost=(1, 2)
    )
    assert many.to_dict() == two.to_dict()
    assert many.answer.classes == tuple(names)


@given(seed=st.integers(0, 10**6), abstain=st.sampled_from([None, 0.7]))
@settings(max_examples=examples(10), deadline=None)
def test_the_order_of_classes_changes_nothing_but_order(seed, abstain):
    """Rules that choose nothing or one number; weights that cost the same may be others in another order."""
    rng = np.random.default_rng(seed)
    names, order = np.array(["a", "b", "c"]), [2, 0, 1]
    y = rng.permutation(np.arange(45) % 3)
    p = np.exp(rng.normal(size=(45, 3)) + 1.5 * np.eye(3)[y])
    p /= p.sum(axis=1, keepdims=True)
    costs = {"a": {"b": 1, "c": 4}, "b": {"a": 3, "c": 2}, "c": {"a": 8, "b": 6}}
    one, other = (
        compare_models(
            names[y], p[:, places], classes=names[places].tolist(), costs=costs, abstain_cost=abstain
        )
        for places in ([0, 1, 2], order)
    )
    assert one.baselines == pytest.approx(other.baselines, **CLOSE)
    for kind, rule in one.models["model"].rules.items():
        same = other.models["model"].rules[kind]
        if not kind.startswith("weights"):
            assert rule.cost == pytest.approx(same.cost, **CLOSE), kind
            assert tuple(rule.interval) == pytest.approx(tuple(same.interval), rel=1e-9)
        if kind == "weights":  # searched exactly: the best of all weights does not depend on their order
            assert rule.hindsight_cost == pytest.approx(same.hindsight_cost, **CLOSE)
