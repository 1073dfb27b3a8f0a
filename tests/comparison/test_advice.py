"""What following the advice costs: nested cross-fitting against a slow version and by hand."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from comparison_oracles import Asked, Point, advice_table, cost, splits_of
from demur import Binormal, CostModel, CostRange, compare_models
from demur.comparison import advice
from demur.windows.limits import Limits
from demur.windows.search import MassRows, Prices, cut_limits, limited_search, limited_searches
from examples import examples
from oracles import folds_of


def data_of(seed, weighted=False):
    rng = np.random.default_rng(seed)
    y = rng.permutation([1] * int(rng.integers(3, 5)) + [0] * int(rng.integers(3, 6)))
    scores = {
        "old": rng.integers(0, 4, len(y)).astype(float),
        "new": rng.integers(0, 3, len(y)) + 2.0 * y,
    }
    return y, scores, rng.choice([0.5, 1.0, 3.0], len(y)) if weighted else None


def effective(w, n):
    return np.ones(n) if w is None else w * w.sum() / (w**2).sum()


@given(
    st.integers(0, 10**6),
    st.booleans(),
    st.sampled_from([(10.0, 4.0, 1.5), (4.0, 7.0, 0.5), (10.0, 1.0, None)]),
    st.sampled_from([None, 0.3]),
    st.sampled_from([{}, {}, {"max_abstention": 0.5}, {"min_precision_positive": 0.6}, {"max_fn_rate": 0.3}]),
)
@settings(max_examples=examples(20), deadline=None)
def test_advice_at_a_point_against_nested_loops(seed, weighted, costs, rate, limits):
    y, scores, w = data_of(seed, weighted)
    point = Point(*costs, rate)
    model = CostModel(cost_fn=costs[0], cost_fp=costs[1], cost_abstain=costs[2])
    answer = compare_models(y, scores, costs=model, prevalence=rate, sample_weight=w, seed=3, **limits).answer
    outcomes = advice_table(
        y, scores, effective(w, len(y)), splits_of(y, 3), Asked(point, (point,), limits=limits)
    )
    assert answer.advice_cost == pytest.approx(cost(outcomes, point), abs=1e-12)
    assert answer.advice_interval.low <= answer.advice_cost <= answer.advice_interval.high


@given(
    st.integers(0, 10**6),
    st.sampled_from(["worst", "regret", "expected"]),
    st.sampled_from([None, (0.2, 0.5)]),
)
@settings(max_examples=examples(8), deadline=None)
def test_advice_over_a_box_against_nested_loops(seed, objective, prevalence):
    y, scores, _ = data_of(seed)
    rates = (None,) if prevalence is None else prevalence
    corners = tuple(Point(miss, 4.0, 1.0, rate) for miss in (6.0, 12.0) for rate in rates)
    middle = Point(9.0, 4.0, 1.0, None if prevalence is None else 0.35)
    costs = CostRange(cost_fn=(6, 12), cost_fp=4, cost_abstain=1)
    answer = compare_models(y, scores, costs=costs, prevalence=prevalence, objective=objective).answer
    outcomes = advice_table(y, scores, np.ones(len(y)), splits_of(y, 0), Asked(middle, corners, objective))
    assert answer.advice_cost == pytest.approx(cost(outcomes, middle), abs=1e-12)


def test_advice_by_hand():
    # Negatives at 0, 0, 0, positives at 1, 1, 1 for one model, and a model that knows nothing: without
    # any two folds the first one still separates the classes, so the advice never fails.
    y = np.array([0, 0, 0, 1, 1, 1])
    scores = {"flat": np.zeros(6), "good": y.astype(float)}
    answer = compare_models(y, scores, costs=CostModel(cost_fn=10, cost_fp=4, cost_abstain=3)).answer
    assert (answer.model, answer.advice_cost) == ("good", 0)


def test_advice_may_cost_more_than_the_answer_by_hand():
    # As in the test of one overlap: negatives at 0, 0, 1, positives at 1, 2, 2, all errors 10, but
    # reviews cost 4. Without any fold v two cases of each class are left, split into two inner folds
    # of one each: the inner rule is a threshold between one negative and one positive, and errs only
    # on the cases at 1. The choice is between that and the trivial rules (4, 5, 5).
    y, s = np.array([0, 0, 0, 1, 1, 1]), np.array([0, 0, 1, 1, 2, 2.0])
    costs = CostModel(cost_fn=10, cost_fp=10, cost_abstain=4)
    answer = compare_models(y, s, costs=costs).answer
    paid = 0.0
    for fold in folds_of(y, 3, 10, 0):
        for v in range(3):
            left = [(y[k], s[k], fold[k]) for k in range(6) if fold[k] != v]
            errors = 0
            for w in {f for _, _, f in left}:
                (low,) = (score for label, score, f in left if f != w and label == 0)
                (high,) = (score for label, score, f in left if f != w and label == 1)
                # equal scores: one error of 10 beats two reviews of 4 only if it is one of them: 8 < 10
                for label, score, f in left:
                    if f != w:
                        continue
                    if low == high:
                        errors += 4 / 10
                    else:
                        called = score >= (low + high) / 2
                        errors += called != (label == 1)
            choose_model = 10 * errors / 4 < 4 - 1e-9
            # the rule chosen without v
            negative = sorted(score for label, score, _ in left if label == 0)
            positive = sorted(score for label, score, _ in left if label == 1)
            for k in range(6):
                if fold[k] != v:
                    continue
                if not choose_model:
                    paid += 4
                elif negative[-1] < positive[0]:
                    called = s[k] >= (negative[-1] + positive[0]) / 2
                    paid += 10 * (called != (y[k] == 1))
                else:
                    # negatives at 0 and 1, positives at 1 and 2: review what is at 1
                    paid += 4 if s[k] == 1 else 0
    assert answer.advice_cost == pytest.approx(paid / 60)


def test_many_scores_are_merged_for_the_advice_alone(monkeypatch):
    y, s = Binormal(separation=2.0).sample(400, rng=1)
    costs = CostModel(cost_fn=10, cost_fp=4, cost_abstain=1.5)
    exact = compare_models(y, s, costs=costs)
    monkeypatch.setattr(advice, "_MOST_GROUPS", 60)
    merged = compare_models(y, s, costs=costs)
    assert merged.models["model"].cost == exact.models["model"].cost
    assert merged.answer.advice_cost == pytest.approx(exact.answer.advice_cost, rel=0.1)


def test_advice_is_left_out_where_it_is_not_defined():
    y, s = Binormal(separation=2.0).sample(200, rng=1)
    costs = CostModel(cost_fn=10, cost_fp=4, cost_abstain=1.5)
    for options in (
        {"objective": "guaranteed"},
        {"min_precision_positive": 0.7, "precision_confidence": 0.9},
    ):
        answer = compare_models(y, s, costs=costs, **options).answer
        assert (answer.advice_cost, answer.advice_interval) == (None, None)


@given(st.integers(0, 10**6), st.booleans())
@settings(max_examples=examples(60), deadline=None)
def test_searches_of_many_rows_are_single_searches(seed, abstain):
    rng = np.random.default_rng(seed)
    counts = rng.integers(0, 3, (5, 2, 8)).astype(float)
    assume((counts.sum(axis=2) > 0).all())
    below = np.concatenate([np.zeros((5, 2, 1)), np.cumsum(counts, axis=2)], axis=2)
    rows = MassRows(below[:, 1], below[:, 0], below[:, 0, -1:] - below[:, 0])
    reviews = (0.5, 1.0) if abstain else (np.inf, np.inf)
    prices = Prices(float(rng.integers(1, 4)), float(rng.integers(0, 4)), *reviews)
    kept = {"max_abstention": 0.4, "min_precision_positive": 0.6, "max_fn_rate": 0.3}
    kept = {name: limit for name, limit in kept.items() if rng.random() < 0.5}
    starts, stops = limited_searches(rows, prices, cut_limits(rows, Limits(**kept)))
    for row, (start, stop) in enumerate(zip(starts, stops, strict=True)):
        one = MassRows(*(column[row : row + 1] for column in rows))
        single = type("Masses", (), {
            "positive_below": one.positive_below[0],
            "negative_below": one.negative_below[0],
            "positive_above": one.positive_above[0],
            "negative_above": one.negative_above[0],
            "below": one.below[0],
        })  # fmt: skip
        window = limited_search(single, prices, cut_limits(single, Limits(**kept)))
        assert (start, stop) == (window or (-1, -1))


def test_of_many_models_the_advice_is_chosen_among_the_cheapest(monkeypatch):
    rng = np.random.default_rng(5)
    y = rng.random(80) < 0.4
    models = {f"m{k}": rng.normal(size=80) + k % 3 * y for k in range(5)}
    costs = CostModel(cost_fn=3, cost_fp=1, cost_abstain=0.4)
    everything = compare_models(y, models, costs=costs)
    cheapest = sorted(models, key=lambda name: everything.models[name].cost)[:2]
    monkeypatch.setattr("demur.comparison.choice._MOST_ADVISED", 2)
    bounded = compare_models(y, models, costs=costs)
    few = compare_models(y, {name: models[name] for name in models if name in cheapest}, costs=costs)
    assert bounded.answer.advice_cost == few.answer.advice_cost
    assert bounded.answer.cost == everything.answer.cost
