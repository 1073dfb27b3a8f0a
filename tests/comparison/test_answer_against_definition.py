"""The whole answer against its definition: enumeration of windows, case by case, and by hand."""

import math
from dataclasses import fields
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from comparison_oracles import (
    Asked,
    Point,
    SlowAnswer,
    constant_rules,
    cost,
    decisions,
    model_rules,
    splits_of,
    written,
)
from demur import CostModel, CostRange, UndefinedError, compare_models
from demur.comparison.problem import Limits
from demur.honest import surface_certificate
from examples import examples
from oracles import folds_of

LIMITS = [
    {"max_abstention": 0.3},
    {"min_precision_positive": 0.7},
    {"min_precision_negative": 0.8},
    {"max_fn_rate": 0.25},
    {"max_abstention": 0.5, "min_precision_positive": 0.6},
    {"max_abstention": 0.0, "max_fn_rate": 0.4},
]


def test_every_limit_is_tried():
    """The confidence of a promised precision has oracles of its own."""
    tried = {name for limits in LIMITS for name in limits} | {"precision_confidence"}
    assert tried == {each.name for each in fields(Limits)}


@st.composite
def small_data(draw, *, weighted=False):
    """(labels, {model: scores}, weights or None): tied scores, two models, three cases per class or more."""
    labels = [1] * draw(st.integers(3, 5)) + [0] * draw(st.integers(3, 6))
    y = np.array(draw(st.permutations(labels)))
    n = len(y)
    scores = {
        name: np.array(draw(st.lists(st.integers(0, 4), min_size=n, max_size=n)), dtype=float)
        for name in ("old", "new")
    }
    # one of them is worth using
    scores["new"] = scores["new"] + 2 * y
    w = None
    if weighted and draw(st.booleans()):
        w = np.array(draw(st.lists(st.sampled_from([0.5, 1.0, 2.0, 3.5]), min_size=n, max_size=n)))
    return y, scores, w


COSTS = st.tuples(
    st.sampled_from([4.0, 10.0]), st.sampled_from([1.0, 4.0, 7.0]), st.sampled_from([None, 0.5, 1.5, 3.0])
)
RATES = st.sampled_from([None, 0.3])
SEEDS = st.integers(0, 5)


def effective(w, n):
    """Importance weights scaled so that they sum to the effective number of cases."""
    return np.ones(n) if w is None else w * w.sum() / (w**2).sum()


def close(value, wanted):
    return value == pytest.approx(wanted, abs=1e-12)


def tabled(slow, code):
    counts = np.zeros((2, 3))
    np.add.at(counts, (slow.y, code), slow.w)
    return counts


def wanted_difference(slow, rule, other, shift, ranged):
    """Difference and its interval over the box: after the choice from a baseline, else as measured."""
    pairs = zip((rule.hindsight, *rule.honest), (other.hindsight, *other.honest), strict=True)
    if all(np.array_equal(one, two) for one, two in pairs):
        return 0.0, (0.0, 0.0)
    gap = slow.gap(rule, other)
    points = [slow.asked.point, *(slow.asked.corners if ranged else ())]
    ends = [slow.difference_ends(rule, other, point) for point in points]
    low, high = min(low for low, _ in ends), max(high for _, high in ends) + shift
    difference = gap.cost + (shift if other.model is None else 0.0)
    return difference, (min(low, difference), max(high, difference))


class Expected(NamedTuple):
    """What the definition says of the chosen rule."""

    cost: float
    honest: float
    interval: tuple
    cost_range: tuple | None
    advice: float


def wanted_answer(slow, seed, ranged):
    """Cost after the choice: not below the honest cost, nor below that with a worst case if none was seen."""
    best, found = slow.best, slow.estimate(slow.best, slow.asked.point)
    of_models, advice = slow.after_choice(seed)
    honest = cost = chosen = found.mean.cost
    if best.model is not None:
        cost = chosen = honest if of_models is None else max(honest, of_models)
        if not found.worst_seen:
            cost = max(chosen, found.mean.raised)
    corners = [slow.estimate(best, corner) for corner in slow.asked.corners] if ranged else [found]
    high = max(one.interval[1] for one in corners) + chosen - honest
    costs = [one.mean.cost + cost - honest for one in corners]
    return Expected(
        cost,
        honest,
        (min(one.interval[0] for one in corners), max(high, cost)),
        (min(costs), max(costs)) if ranged else None,
        advice,
    )


def wanted_verdict(answer, slow, advice):
    """How sure it is that the answer is cheaper than the best rule without a model."""
    baseline = slow.cheapest(lambda rule: rule.model is None)
    if slow.best.model is None or baseline is None:
        return "unproven"
    versus = answer.versus["trivial"]
    if versus.interval.high < 0:
        return "proven"
    pays = advice < cost(slow.rule(baseline.kind, None)[1], slow.asked.point)
    return "likely" if versus.difference < 0 and pays else "unproven"


def check_models(comparison, slow):
    point = slow.asked.point
    for name, model in comparison.models.items():
        threshold, window = slow.rule("threshold", name), slow.rule("window", name)
        used = window or threshold
        assert (model.left_out != "") == (used is None)
        if used is None:
            assert (model.cost, model.window, model.threshold_cost) == (None, None, None)
            continue
        rule, outcomes = used
        assert close(model.cost, cost(outcomes, point))
        assert close(model.hindsight_cost, cost(tabled(slow, rule.hindsight), point))
        assert (model.window.lower, model.window.upper) == written(rule.window, slow.scores[name])
        assert tuple(model.interval) == pytest.approx(slow.estimate(rule, point).interval, abs=1e-9)
        rates = outcomes / outcomes.sum()
        if point.rate is not None:
            rates = outcomes / outcomes.sum(axis=1, keepdims=True) * [[1 - point.rate], [point.rate]]
        assert close(model.abstention_rate, rates[:, 2].sum())
        assert close(model.missed, rates[1, 0])
        assert close(model.alarms, rates[0, 1])
        if threshold is None:
            assert model.threshold_cost is None
        else:
            assert close(model.threshold_cost, cost(threshold[1], point))
            assert model.threshold == written(threshold[0].window, slow.scores[name])[1]
            hindsight = cost(tabled(slow, threshold[0].hindsight), point)
            assert close(model.threshold_hindsight_cost, hindsight)


def check_answer(comparison, slow, seed, *, ranged=False):
    answer, best, point = comparison.answer, slow.best, slow.asked.point
    assert answer.model == best.model
    empty = best.window is not None and best.window[0] == best.window[1]
    assert answer.kind == ("threshold" if empty else best.kind)
    if best.window is not None:
        window, tried = written(best.window, slow.scores[best.model]), np.array([-9, 0, 1, 2.5, 4, 9])
        assert (answer.lower, answer.upper) == window
        assert (answer.decide(tried) % 3).tolist() == decisions(tried, window).tolist()
    wanted = wanted_answer(slow, seed, ranged)
    assert close(answer.honest_cost, cost(slow.tables[slow.place], point))
    assert answer.cost == pytest.approx(wanted.cost, abs=1e-9)
    assert answer.honest_cost <= answer.cost
    assert close(answer.hindsight_cost, cost(tabled(slow, best.hindsight), point))
    assert tuple(answer.interval) == pytest.approx(wanted.interval, abs=1e-9)
    assert answer.cost_range == (None if not ranged else pytest.approx(wanted.cost_range, abs=1e-9))
    assert answer.advice_cost == pytest.approx(wanted.advice, abs=1e-9)
    assert answer.verdict == wanted_verdict(answer, slow, wanted.advice)
    assert answer.n_rules == len(slow.rules)
    assert {kind: pytest.approx(value, abs=1e-12) for kind, value in comparison.trivial.items()} == {
        rule.kind: cost(one, point)
        for rule, one in zip(slow.rules, slow.tables, strict=True)
        if rule.model is None
    }
    others = {
        "trivial": slow.cheapest(lambda rule: rule.model is None and rule is not best),
        "never_abstaining": slow.cheapest(
            lambda rule: rule.kind == "threshold" and rule is not best and best.model in (None, rule.model)
        ),
        "runner_up": slow.cheapest(lambda rule: rule.model is not None and rule.model != best.model),
    }
    assert {key for key, rule in others.items() if rule is not None} == set(answer.versus)
    for key, versus in answer.versus.items():
        other = others[key]
        assert versus.name == (other.model or other.kind)
        difference, interval = wanted_difference(slow, best, other, wanted.cost - wanted.honest, ranged)
        assert versus.difference == pytest.approx(difference, abs=1e-9)
        assert tuple(versus.interval) == pytest.approx(interval, abs=1e-9)


def candidates_exist(y, scores, seed, asked):
    splits, w = splits_of(y, seed), np.ones(len(y))
    return constant_rules(y, w, splits, asked) or any(
        model_rules(y, name, s, w, splits, asked) for name, s in scores.items()
    )


def slow_answer(y, scores, w, seed, asked):
    return SlowAnswer(y, scores, effective(w, len(y)), splits_of(y, seed), asked)


@given(small_data(weighted=True), COSTS, RATES, SEEDS)
@settings(max_examples=examples(25), deadline=None)
def test_answer_at_a_point_against_enumeration(data, costs, rate, seed):
    y, scores, w = data
    point = Point(*costs, rate)
    model = CostModel(cost_fn=costs[0], cost_fp=costs[1], cost_abstain=costs[2])
    comparison = compare_models(y, scores, costs=model, prevalence=rate, sample_weight=w, seed=seed)
    slow = slow_answer(y, scores, w, seed, Asked(point, (point,)))
    check_models(comparison, slow)
    check_answer(comparison, slow, seed)
    assert comparison.n == pytest.approx(slow.w.sum())
    assert (comparison.folds, comparison.repeats) == (len(np.unique(slow.splits[0])), 10)
    assert comparison.weights == (None if w is None else "importance")


@given(small_data(), COSTS, RATES, st.sampled_from(LIMITS), SEEDS)
@settings(max_examples=examples(20), deadline=None)
def test_answer_under_limits_against_enumeration(data, costs, rate, limits, seed):
    y, scores, _ = data
    point = Point(*costs, rate)
    model = CostModel(cost_fn=costs[0], cost_fp=costs[1], cost_abstain=costs[2])
    asked = Asked(point, (point,), limits=limits)
    if not candidates_exist(y, scores, seed, asked):
        with pytest.raises(UndefinedError, match="No rule keeps the limits"):
            compare_models(y, scores, costs=model, prevalence=rate, seed=seed, **limits)
        return
    comparison = compare_models(y, scores, costs=model, prevalence=rate, seed=seed, **limits)
    slow = slow_answer(y, scores, None, seed, asked)
    check_models(comparison, slow)
    check_answer(comparison, slow, seed)


BOXES = [
    ({"cost_fn": (4, 12), "cost_fp": 3, "cost_abstain": 1}, None),
    ({"cost_fn": 10, "cost_fp": (1, 8), "cost_abstain": (0.5, 2)}, None),
    ({"cost_fn": (6, 10), "cost_fp": (2, 5)}, None),
    ({"cost_fn": 10, "cost_fp": 4, "cost_abstain": 1.5}, (0.1, 0.5)),
    ({"cost_fn": (8, 10), "cost_fp": 4, "cost_abstain": 1.5}, (0.2, 0.4)),
]


def box_of(costs, prevalence, objective, limits):
    """The corners and the middle of a box."""
    ends = {name: value if isinstance(value, tuple) else (value,) for name, value in costs.items()}
    rates = prevalence if isinstance(prevalence, tuple) else (prevalence,)
    corners = tuple(
        Point(miss, alarm, review, rate)
        for miss in ends["cost_fn"]
        for alarm in ends["cost_fp"]
        for review in ends.get("cost_abstain", (None,))
        for rate in rates
    )
    middle = [
        None if None in column else (min(column) + max(column)) / 2 for column in zip(*corners, strict=True)
    ]
    return Asked(Point(*middle), corners, objective, limits)


@given(
    small_data(),
    st.sampled_from(BOXES),
    st.sampled_from(["worst", "regret", "expected"]),
    st.sampled_from([{}, {}, {"max_abstention": 0.4}, {"min_precision_positive": 0.6}]),
    st.integers(0, 2),
)
@settings(max_examples=examples(12), deadline=None)
def test_answer_over_a_box_against_enumeration(data, box, objective, limits, seed):
    y, scores, _ = data
    costs, prevalence = box
    comparison = compare_models(
        y, scores, costs=CostRange(**costs), prevalence=prevalence, objective=objective, seed=seed, **limits
    )
    asked = box_of(costs, prevalence, objective, limits)
    slow = slow_answer(y, scores, None, seed, asked)
    check_models(comparison, slow)
    check_answer(comparison, slow, seed, ranged=True)
    answer, outcomes = comparison.answer, slow.tables[slow.place]
    assert close(answer.worst_cost, max(cost(outcomes, corner) for corner in asked.corners))
    assert answer.gap == 0
    if objective == "regret":
        assert answer.regret == pytest.approx(slow.values[slow.place], abs=1e-12)
        bound = slow.regret_bound() + answer.cost - answer.honest_cost
        assert answer.regret_bound == pytest.approx(max(answer.regret, bound), abs=1e-9)
    # on five values of everything that is a range
    ends = [sorted({getattr(corner, name) for corner in asked.corners} - {None}) for name in Point._fields]
    grids = [np.linspace(end[0], end[-1], 5) if len(end) > 1 else [*end, None][:1] for end in ends]
    points = [Point(a, b, c, d) for a in grids[0] for b in grids[1] for c in grids[2] for d in grids[3]]
    costs_there = np.array([[cost(one, point) for point in points] for one in slow.tables])
    share = np.mean(costs_there[slow.place] <= costs_there.min(axis=0) * (1 + 1e-12))
    assert answer.best_share == pytest.approx(share)


@given(small_data(), st.sampled_from([None, 0.3]))
@settings(max_examples=examples(6), deadline=None)
def test_guarantee_is_the_certificate_of_the_window(data, rate):
    y, scores, _ = data
    costs = CostModel(cost_fn=10, cost_fp=4, cost_abstain=1.5)
    comparison = compare_models(y, scores, costs=costs, prevalence=rate)
    for name, model in comparison.models.items():
        certificate = surface_certificate(y, scores[name], prevalence=rate)
        bound = certificate.of_window(model.window, costs=costs).certified_expected_cost
        assert model.guaranteed_cost == pytest.approx(bound)
    answer = comparison.answer
    if answer.model is not None:
        # two models: each certificate has half of the doubt
        certificate = surface_certificate(y, scores[answer.model], prevalence=rate, confidence_level=0.975)
        bound = certificate.of_window(answer.window, costs=costs).certified_expected_cost
        assert answer.guaranteed_cost == pytest.approx(bound)
    elif answer.kind == "always abstain":
        assert answer.guaranteed_cost == answer.cost == pytest.approx(1.5)
    safest = compare_models(y, scores, costs=costs, prevalence=rate, objective="guaranteed").answer
    assert safest.guaranteed_cost <= 1.5 + 1e-12  # never above sending every case to a person


# ---------------------------------------------------------------- by hand


def test_a_perfect_model_by_hand():
    y, s = [0, 0, 0, 1, 1, 1], [0, 0, 0, 1, 1, 1]
    comparison = compare_models(y, s, costs=CostModel(cost_fn=10, cost_fp=4, cost_abstain=3))
    answer = comparison.answer
    assert (answer.kind, answer.model, answer.lower, answer.upper) == ("threshold", "model", 0.5, 0.5)
    assert (answer.honest_cost, answer.hindsight_cost) == (0, 0)
    # no miss was seen: with one more case, a miss, the mean of seven is 10 / 7, its error 60 / 49 sqrt(7 / 6)
    t = 2.5705818366147395  # five degrees of freedom
    assert answer.cost == pytest.approx(10 / 7)
    assert tuple(answer.interval) == pytest.approx((0, 10 / 7 + t * 60 / 49 * math.sqrt(7 / 6)))
    assert comparison.trivial == {"always positive": 2, "always negative": 5, "always abstain": 3}
    assert answer.versus["trivial"].name == "always positive"
    assert answer.versus["trivial"].difference == pytest.approx(10 / 7 - 2)
    assert set(answer.versus) == {"trivial"}
    # six cases without a mistake are no proof; the draws that leave cases out say that it is cheaper
    assert answer.verdict == "likely"
    assert (answer.called_positive, answer.called_negative, answer.abstention_rate) == (0.5, 0.5, 0)
    # a threshold and an empty window tie: the simpler one
    assert (comparison.models["model"].cost, comparison.models["model"].threshold_cost) == (0, 0)


def test_a_useless_model_by_hand():
    y, s = [0, 1, 0, 1, 0, 1], [1.0] * 6
    comparison = compare_models(y, {"flat": s}, costs=CostModel(cost_fn=10, cost_fp=4, cost_abstain=3))
    answer = comparison.answer
    assert (answer.kind, answer.model, answer.cost) == ("always positive", None, 2)
    assert (answer.lower, answer.upper) == (-math.inf, -math.inf)
    assert answer.decide([0, 5]).tolist() == [1, 1]
    # the model's window calls every case positive as well: a tie, and the same decisions
    assert comparison.models["flat"].cost == 2
    assert answer.versus["runner_up"].difference == 0
    assert tuple(answer.versus["runner_up"].interval) == (0, 0)
    assert answer.versus["trivial"].name == "always abstain"
    assert answer.versus["trivial"].difference == pytest.approx(-1)
    # any case may be an alarm at 4, none can be a miss: totals +-1/3, with a seventh case (4 - 16 / 7) / 7
    t = 2.5705818366147395
    high = 16 / 7 + t * math.sqrt(7 / 6 * (24 / 49 + (12 / 49) ** 2))
    assert tuple(answer.interval) == pytest.approx((0, high))
    assert answer.verdict == "unproven"
    assert (answer.cost, answer.honest_cost) == (2, 2)
    assert comparison.best_model().model == "flat"


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_one_overlap_by_hand(seed):
    # Negatives at 0, 0, 1, positives at 1, 2, 2; misses and alarms cost 10, reviews 1. With hindsight
    # the two cases at 1 are reviewed: 2 / 6. Held out, the negative at 1 is always called positive
    # (cut at 0.5 or 1.0), and the positive at 1 is missed (cut at 1.5) unless both share a fold (cut
    # at 1.0): 10 or 20 in six cases.
    y, s = np.array([0, 0, 0, 1, 1, 1]), np.array([0, 0, 1, 1, 2, 2.0])
    costs = CostModel(cost_fn=10, cost_fp=10, cost_abstain=1)
    comparison = compare_models(y, s, costs=costs, seed=seed)
    together = np.mean([fold[2] == fold[3] for fold in folds_of(y, 3, 10, seed)])
    model = comparison.models["model"]
    assert model.hindsight_cost == pytest.approx(2 / 6)
    assert model.cost == pytest.approx((10 * together + 20 * (1 - together)) / 6)
    assert (model.window.lower, model.window.upper) == (0.5, 1.5)
    assert model.missed == pytest.approx((1 - together) / 6)
    assert model.alarms == pytest.approx(1 / 6)
    assert model.abstention_rate == 0
    answer = comparison.answer
    assert (answer.kind, answer.cost) == ("always abstain", 1)
    assert tuple(answer.interval) == pytest.approx((1, 1))
    assert answer.versus["runner_up"].difference == pytest.approx(1 - model.cost)
    best = comparison.best_model()
    # a single threshold meets the same held-out cases with the same decisions: a tie, the simpler rule
    assert model.threshold_cost == pytest.approx(model.cost)
    assert (best.model, best.kind) == ("model", "threshold")


def test_ties_go_to_the_simpler_rule_then_to_the_first_model():
    y, s = [0, 0, 0, 1, 1, 1], [0, 0, 0, 1, 1, 1]
    costs = CostModel(cost_fn=10, cost_fp=4, cost_abstain=3)
    assert compare_models(y, {"a": s, "b": s}, costs=costs).answer.model == "a"
    assert compare_models(y, {"b": s, "a": s}, costs=costs).answer.model == "b"
    free = CostModel(cost_fn=10, cost_fp=4, cost_abstain=0)
    assert compare_models(y, s, costs=free).answer.kind == "always abstain"


def test_without_costs_there_is_no_answer():
    y, s = [0, 1] * 6, list(range(12))
    comparison = compare_models(y, {"a": s, "b": s[::-1]})
    assert comparison.answer is None
    assert comparison.trivial == {}
    assert comparison.models["a"].cost is None
    assert comparison.models["a"].vacc < comparison.models["b"].vacc
    assert comparison.models["a"].auc == pytest.approx(1 - comparison.models["b"].auc)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("price", [5, 30, None])
def test_thresholds_against_the_distinct_scores(seed, price):
    # neighbours in the floats, so that no float lies between some of them; and infinite scores
    rng = np.random.default_rng(seed)
    levels = np.array([-np.inf, -1.0, 0.5, np.nextafter(0.5, 1), 2.0, np.nextafter(2.0, 3), np.inf])
    level = rng.integers(0, len(levels), 60)
    y = (rng.random(60) < 0.1 + 0.8 * level / len(levels)).astype(int)
    costs = CostModel(cost_fn=100, cost_fp=40, cost_abstain=price)
    comparison = compare_models(y, {"a": levels[level]}, costs=costs)
    answer = comparison.best_model()
    distinct = np.unique(levels[level])
    i, j = answer.window.lower_index, answer.window.upper_index
    assert answer.decide(distinct).tolist() == [0] * i + [-1] * (j - i) + [1] * (len(distinct) - j)
