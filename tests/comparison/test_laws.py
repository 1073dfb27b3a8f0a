"""Laws of a comparison: ways to say the same problem give the same answer."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from demur import CaseCosts, CostModel, CostRange, ScoreCounts, compare_models
from demur.comparison.case_table import CaseTable
from demur.comparison.comparison import compared
from demur.comparison.question import Limits, Question
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


def assert_same_rules(one, other, *, intervals=True):
    """Costs, thresholds and choice of two comparisons agree."""
    assert (one.answer.kind, one.answer.model) == (other.answer.kind, other.answer.model)
    assert one.answer.cost == pytest.approx(other.answer.cost, **CLOSE)
    assert (one.answer.lower, one.answer.upper) == (other.answer.lower, other.answer.upper)
    assert list(one.trivial) == list(other.trivial)
    for name, model in one.models.items():
        same = other.models[name]
        for field in (
            "cost",
            "hindsight_cost",
            "threshold_cost",
            "threshold",
            "abstention_rate",
            "auc",
            "vacc",
        ):
            assert getattr(model, field) == pytest.approx(getattr(same, field), **CLOSE), (name, field)
        if intervals:
            assert tuple(model.interval) == pytest.approx(tuple(same.interval), rel=1e-9, abs=1e-9)


@given(problem=problems())
@settings(max_examples=examples(25), deadline=None)
def test_amounts_that_are_all_equal_are_costs_by_class(problem):
    y, scores, costs, options = problem
    by_class = compare_models(y, scores, costs=CostModel(**costs), **options)
    spread = {name: np.full(len(y), value) for name, value in costs.items()}
    by_case = compare_models(y, scores, costs=CaseCosts(**spread), **options)
    # costs of right answers count as spread of the losses by case, and as known by class, until there is
    # one interval for both
    assert_same_rules(by_class, by_case, intervals="cost_tp" not in costs)
    assert by_class.answer.advice_cost == pytest.approx(by_case.answer.advice_cost, **CLOSE)


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
    assert turned.answer.cost == given_order.answer.cost
    assert turned.trivial == given_order.trivial


@given(problem=problems())
@settings(max_examples=examples(15), deadline=None)
def test_counts_are_repeated_rows_with_hindsight(problem):
    """Counts are split by themselves, so only what does not depend on the splits is the same."""
    y, scores, costs, _ = problem
    rows = compare_models(y, scores, costs=CostModel(**costs))
    question = Question.checked(
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
