"""The loss of every candidate on every case: against costs, by hand, and what the choice costs."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from demur import Binormal, CaseCosts, CostModel, CostRange, compare_models
from demur.comparison import loss_matrix
from demur.comparison.estimates import cost_at
from demur.comparison.loss_matrix import loss_units
from demur.honest import cost_after_choice
from demur.windows.limits import Limits
from demur.windows.search import MassRows, Prices, cut_limits, limited_search, limited_searches
from examples import examples

POINT = CostModel(cost_fn=10, cost_fp=4, cost_abstain=1.5, cost_tp=-1)
BOX = CostRange(cost_fn=(6, 12), cost_fp=4, cost_abstain=1)
SETTINGS = {
    "a point": {"costs": POINT},
    "a prevalence": {"costs": POINT, "prevalence": 0.3},
    "a range": {"costs": BOX},
    "ranges of both": {"costs": BOX, "prevalence": (0.2, 0.5), "objective": "worst"},
    "a limit": {"costs": POINT, "max_abstention": 0.2},
    "amounts": {"costs": "amounts"},
    "amounts, a prevalence": {"costs": "amounts", "prevalence": 0.2},
    "importance weights": {"costs": POINT, "sample_weight": "importance"},
    "repeats": {"costs": POINT, "sample_weight": "repeats"},
}


def compared(name, n=60, seed=1):
    rng = np.random.default_rng(seed)
    y = (np.arange(n) % 3 == 0).astype(int)
    scores = {"old": np.round(rng.normal(y, 1), 1), "new": rng.normal(2 * y, 1)}
    options = dict(SETTINGS[name])
    if options["costs"] == "amounts":
        options["costs"] = CaseCosts(cost_fn=rng.exponential(9, n), cost_fp=2, cost_abstain=0.5)
    meaning = options.get("sample_weight")
    if meaning is not None:
        weights = rng.uniform(0.5, 2, n) if meaning == "importance" else rng.integers(1, 4, n).astype(float)
        options |= {"sample_weight": weights, "weights": meaning}
    return compare_models(y, scores, **options)


def matrix_of(units):
    """All losses, and the share of every row in the mean."""
    copies = np.ones(len(units.weight)) if units.copies is None else units.copies
    share = units.weight * copies
    if units.shares is None:
        return units.losses(slice(None)), share / share.sum()
    totals = np.bincount(units.stratum, share, 2)
    return units.losses(slice(None)), share * (units.shares / totals)[units.stratum]


@pytest.mark.parametrize("name", SETTINGS)
@pytest.mark.parametrize("n", [60, 25_000])
def test_means_of_the_losses_are_the_costs(name, n):
    choice = compared(name, n).choice
    cases = next(iter(choice.cases.values()))
    corners = [choice.problem.centre, *choice.problem.corners()]
    losses, share = matrix_of(loss_units(cases, choice.all, corners))
    wanted = [[cost_at(one, corner) for one in choice.all] for corner in corners]
    assert np.einsum("srj,r->sj", losses, share) == pytest.approx(np.array(wanted), rel=1e-11)


@pytest.mark.parametrize("name", ["a point", "a limit", "amounts", "importance weights"])
def test_the_cost_of_advice_is_that_of_the_matrix(name):
    comparison = compared(name)
    choice = comparison.choice
    cases = next(iter(choice.cases.values()))
    units = loss_units(cases, choice.all, [choice.problem.centre])
    models = np.array([one.model is not None for one in choice.all])
    weight = units.weight if units.copies is None else None
    found = cost_after_choice(units.losses(slice(None))[0], models=models, sample_weight=weight)
    assert comparison.answer.advice_cost == pytest.approx(found.all_draws, rel=1e-12)


def test_equal_rows_are_counted_once(monkeypatch):
    choice = compared("a prevalence", 25_000).choice
    cases, corners = next(iter(choice.cases.values())), [choice.problem.centre]
    few = loss_units(cases, choice.all, corners)
    assert len(few.weight) <= 2 * 3 ** len(choice.all)
    monkeypatch.setattr(loss_matrix, "_MOST_CODES", 4)
    again = loss_units(cases, choice.all, corners)
    assert sorted(again.copies.tolist()) == sorted(few.copies.tolist())
    assert few.copies.sum() == 25_000


def test_advice_over_ranges_uses_the_objective():
    """Resampled by its definition: the smallest regret among the candidates on the rows drawn."""
    comparison = compared("a range")
    choice = comparison.choice
    cases, question = next(iter(choice.cases.values())), choice.problem
    units = loss_units(cases, choice.all, [question.centre, *question.corners()])
    losses = units.losses(slice(None))
    n, found = losses.shape[1], []
    for b in range(400):
        drawn = [_mix32((b * n + k) % 2**32) * n // 2**32 for k in range(n)]
        left = np.setdiff1d(np.arange(n), drawn)
        there = losses[1:, drawn].mean(axis=1)
        regret = (there - there.min(axis=1, keepdims=True)).max(axis=0)
        best = int(np.argmax(regret <= regret.min() + 1e-12 * np.abs(there).max()))
        found.append(losses[0, left, best].mean())
    assert comparison.answer.advice_cost == pytest.approx(np.mean(found), rel=1e-12)


def _mix32(x):
    x ^= x >> 16
    x = x * 0x85EBCA6B % 2**32
    x ^= x >> 13
    x = x * 0xC2B2AE35 % 2**32
    return x ^ (x >> 16)


def test_advice_by_hand():
    # Negatives at 0, positives at 1 for one model, and a model that knows nothing: the first one errs on no
    # held-out case, so it is free whatever is drawn, and nothing else is where both classes are drawn.
    y = np.repeat([0, 1], 20)
    scores = {"flat": np.zeros(40), "good": y.astype(float)}
    answer = compare_models(y, scores, costs=CostModel(cost_fn=10, cost_fp=4, cost_abstain=3)).answer
    assert (answer.model, answer.advice_cost, answer.honest_cost) == ("good", 0, 0)
    # no miss was seen among 40 cases: one more case that is missed
    assert answer.cost == pytest.approx(10 / 41)


def test_the_best_of_equal_models_costs_more_than_measured():
    rng = np.random.default_rng(0)
    y = (np.arange(120) % 2).astype(int)
    models = {f"m{k}": rng.normal(y, 1) for k in range(12)}
    answer = compare_models(y, models, costs=CostModel(cost_fn=10, cost_fp=10, cost_abstain=3)).answer
    assert answer.cost > answer.honest_cost
    assert answer.advice_cost > answer.honest_cost


def test_advice_is_left_out_where_it_is_not_defined():
    y, s = Binormal(separation=2.0).sample(200, rng=1)
    costs = CostModel(cost_fn=10, cost_fp=4, cost_abstain=1.5)
    for options in (
        {"objective": "guaranteed"},
        {"min_precision_positive": 0.7, "precision_confidence": 0.9},
    ):
        answer = compare_models(y, s, costs=costs, **options).answer
        assert answer.advice_cost is None


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
    assert bounded.answer.honest_cost == everything.answer.honest_cost
