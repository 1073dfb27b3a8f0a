"""Costs that differ by case in `compare_models`: by hand, against enumeration, and against costs by class."""

import itertools
import json
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from comparison_oracles import decisions, splits_of, written
from demur import (
    Binormal,
    CaseCosts,
    CostModel,
    CostRange,
    InputError,
    Reviewer,
    UndefinedError,
    compare_models,
)
from demur.counts import AbstentionWindow
from examples import examples

COSTS = {"cost_fn": 100.0, "cost_fp": 40.0, "cost_abstain": 12.0}
# what costs by case cannot have, and what is said of it
_APART = {"costs", "guaranteed_cost", "guarantee_defined", "window", "notes", "words", "stakes"}


# ---------------------------------------------------------------- the definition, slowly


def losses_of(y, costs):
    """Cost of every case if called negative, if called positive, if reviewed."""
    return np.array(
        [
            (fn if label else 0.0, 0.0 if label else fp, review)
            for label, fn, fp, review in zip(y, *np.broadcast_arrays(*costs), strict=False)
        ]
    )


def best_window(s, losses, mass, *, may_abstain, allowed=None):
    """(lower, upper) by looking at all windows; of ties fewest reviews, then the smaller upper threshold."""
    scores, group = np.unique(s, return_inverse=True)
    size = len(scores)
    cuts = [-np.inf, *((scores[1:] + scores[:-1]) / 2), np.inf]
    found = []
    for i, j in itertools.combinations_with_replacement(range(size + 1), 2):
        code = (group >= i) * 2 - (group >= j)
        if (i == j or may_abstain) and (allowed is None or allowed(code)):
            found.append((mass @ losses[np.arange(len(s)), code], mass[code == 2].sum(), j, -i))
    if not found:
        return None
    least = min(cost for cost, *_ in found)
    tied = [one for one in found if one[0] <= least + 1e-9]
    fewest = min(reviewed for _, reviewed, *_ in tied)
    *_, j, minus_i = min((one for one in tied if one[1] <= fewest + 1e-9), key=lambda one: one[2:])
    return cuts[-minus_i], cuts[j]


def honest_codes(s, losses, fold, *, mass_of, may_abstain, allowed_of=None):
    """Decision on every case by the best window of the other folds."""
    code = np.empty(len(s), dtype=int)
    for v in np.unique(fold):
        rest = fold != v
        allowed = None if allowed_of is None else allowed_of(rest)
        window = best_window(s[rest], losses[rest], mass_of(rest), may_abstain=may_abstain, allowed=allowed)
        if window is None:
            return None
        code[~rest] = decisions(s[~rest], window)
    return code


@st.composite
def small_cases(draw):
    labels = [1] * draw(st.integers(3, 5)) + [0] * draw(st.integers(3, 6))
    y = np.array(draw(st.permutations(labels)))
    numbers = {"min_size": len(y), "max_size": len(y)}
    s = np.array(draw(st.lists(st.integers(0, 4), **numbers)), dtype=float)
    # fractions that do not add up to ties by chance
    amounts = [
        np.array(draw(st.lists(st.integers(0, 97), **numbers))) * factor for factor in (1.37, 0.71, 0.23)
    ]
    return y, s, amounts


def _alike(s, window):
    made = set(decisions(s, window).tolist())
    return made.pop() if len(made) == 1 else None


@settings(max_examples=examples(8), deadline=None)
@given(small_cases(), st.sampled_from([None, 0.3]))
def test_costs_and_windows_of_a_model_against_enumeration(data, rate):
    y, s, (fn, fp, review) = data
    losses = losses_of(y, (fn, fp, review))

    def mass_of(rows):
        if rate is None:
            return rows[rows] / rows.sum()
        part = y[rows]
        return np.where(part == 1, rate / (part == 1).sum(), (1 - rate) / (part == 0).sum())

    everything = np.ones(len(y), dtype=bool)
    model = compare_models(
        y, s, costs=CaseCosts(cost_fn=fn, cost_fp=fp, cost_abstain=review), prevalence=rate
    ).models["model"]
    for may_abstain, cost, hindsight in (
        (True, model.cost, model.hindsight_cost),
        (False, model.threshold_cost, model.threshold_hindsight_cost),
    ):
        window = best_window(s, losses, mass_of(everything), may_abstain=may_abstain)
        if may_abstain:
            assert (model.window.lower, model.window.upper) == written(window, s)
        else:
            assert model.threshold == written(window, s)[1]
        seen = mass_of(everything) @ losses[np.arange(len(y)), decisions(s, window)]
        assert hindsight == pytest.approx(seen, abs=1e-9)
        one = _alike(s, window)
        paid = []
        for fold in splits_of(y, 0):
            code = (
                honest_codes(s, losses, fold, mass_of=mass_of, may_abstain=may_abstain)
                if one is None
                else np.full(len(y), one)
            )
            paid.append(mass_of(everything) @ losses[np.arange(len(y)), code])
        assert cost == pytest.approx(np.mean(paid), abs=1e-9)


@settings(max_examples=examples(6), deadline=None)
@given(small_cases(), st.sampled_from([0.0, 0.25, 0.5]))
def test_a_limit_on_reviews_against_enumeration(data, limit):
    y, s, (fn, fp, review) = data
    losses = losses_of(y, (fn, fp, review))

    def keeps(code):
        return np.mean(code == 2) <= limit + 1e-12

    model = compare_models(
        y, s, costs=CaseCosts(cost_fn=fn, cost_fp=fp, cost_abstain=review), max_abstention=limit
    ).models["model"]
    window = best_window(s, losses, np.full(len(y), 1 / len(y)), may_abstain=True, allowed=keeps)
    assert (model.window.lower, model.window.upper) == written(window, s)
    one = _alike(s, window)
    paid = []
    for fold in splits_of(y, 0):
        code = np.full(len(y), one)
        if one is None:
            code = honest_codes(
                s,
                losses,
                fold,
                mass_of=lambda rows: np.full(rows.sum(), 1 / rows.sum()),
                may_abstain=True,
                allowed_of=lambda _: keeps,
            )
        paid.append(losses[np.arange(len(y)), code].mean())
    assert model.cost == pytest.approx(np.mean(paid), abs=1e-9)


@settings(max_examples=examples(6), deadline=None)
@given(small_cases(), st.sampled_from(["worst", "regret"]))
def test_ranges_of_factors_against_enumeration(data, objective):
    y, s, (fn, fp, review) = data
    costs = CaseCosts(
        cost_fn=fn, cost_fp=fp, cost_abstain=review, miss_factor=(0.5, 1.5), review_factor=(0.25, 2)
    )
    window = compare_models(y, s, costs=costs, objective=objective).models["model"].window
    corners = [losses_of(y, (fn * a, fp, review * b)) for a in (0.5, 1.5) for b in (0.25, 2)]
    scores = np.unique(s)
    middles = (scores[1:] + scores[:-1]) / 2
    cuts = written([-np.inf, *middles, np.inf], s)

    def at_corners(pair):
        code = decisions(s, pair)
        return np.array([losses[np.arange(len(y)), code].mean() for losses in corners])

    every = {
        (lower, upper): at_corners((lower, upper))
        for lower, upper in itertools.combinations_with_replacement(cuts, 2)
    }
    floor = np.min(list(every.values()), axis=0) if objective == "regret" else 0.0
    values = {pair: (paid - floor).max() for pair, paid in every.items()}
    assert values[window.lower, window.upper] == pytest.approx(min(values.values()), abs=1e-9)


# ---------------------------------------------------------------- by hand


def test_two_frauds_by_hand():
    """Six payments, each twice: at 4 a call the middle is called, at 400 a call nothing is."""
    fraud = np.array([0, 0, 1, 0, 0, 1] * 2)
    amount = np.array([60, 15, 40, 80, 20, 900] * 2)
    score = np.array([0.1, 0.2, 0.3, 0.4, 0.6, 0.9] * 2)
    cheap = compare_models(fraud, score, costs=CaseCosts(cost_fn=amount, cost_fp=25, cost_abstain=4))
    model = cheap.models["model"]
    assert (model.window.lower, model.window.upper) == (0.25, 0.8)
    # three calls of six payments
    assert model.hindsight_cost == 2.0
    assert cheap.trivial == {
        "always positive": pytest.approx(25 * 4 / 6),
        "always negative": pytest.approx(940 / 6),
        "always abstain": pytest.approx(4.0),
    }
    expensive = compare_models(fraud, score, costs=CaseCosts(cost_fn=amount, cost_fp=25, cost_abstain=400))
    # only the fraud of 900 is stopped: 40 lost in six payments
    assert expensive.models["model"].hindsight_cost == pytest.approx(40 / 6)
    assert expensive.models["model"].window.is_empty
    assert any("Abstaining never pays" in note for note in expensive.notes)


def test_one_large_miss_moves_the_threshold_by_hand():
    """Ten good payments of score 1, two frauds of score 0 and 2: only the large one is worth ten alarms."""
    fraud = np.array([1, 1, *[0] * 10, 1, 1])
    score = np.array([0.0, 0.0, *[1.0] * 10, 2.0, 2.0])
    small = compare_models(fraud, score, costs=CaseCosts(cost_fn=np.where(score == 0, 3, 100), cost_fp=1))
    large = compare_models(fraud, score, costs=CaseCosts(cost_fn=np.where(score == 0, 6, 100), cost_fp=1))
    # 2 x 3 lost against 10 alarms, and 2 x 6 against them
    assert small.models["model"].threshold == 1.5
    assert large.models["model"].threshold == -np.inf
    assert small.models["model"].threshold_hindsight_cost == pytest.approx(6 / 14)
    assert large.models["model"].threshold_hindsight_cost == pytest.approx(10 / 14)


def test_interval_by_hand():
    """One decision for all cases: mean and standard error, and one case of the largest amount added."""
    y = np.array([1, 1, 1, 1, 0, 0, 0, 0, 0, 0])
    amount = np.array([10.0, 20.0, 30.0, 40.0, 7, 7, 7, 7, 7, 7])
    constant = np.zeros(10)
    model = compare_models(y, constant, costs=CaseCosts(cost_fn=amount, cost_fp=1000.0)).models["model"]
    losses = np.where(y == 1, amount, 0.0)
    assert model.threshold_cost == losses.mean() == 10.0
    t = 2.262157162798205  # nine degrees of freedom
    low = losses.mean() - t * losses.std(ddof=1) / np.sqrt(10)
    # squares about the mean of ten sum to 2000; the eleventh case costs 40, the mean of all is 140 / 11
    high = 140 / 11 + t * np.sqrt(1.1 * (20 / 1.21 + (300 / 121) ** 2))
    assert model.threshold_interval == pytest.approx((max(low, 0.0), high), rel=1e-12)


def test_a_huge_amount_at_the_safe_end_by_hand():
    """Misses are looked for among the half of the positives with the lowest scores."""
    y = np.array([1, 1, 1, 1, *[0] * 6])
    score = np.array([3.0, 3.0, 9.0, 9.0, *[1.0] * 6])
    costs = {"cost_fp": 5.0}
    # the window errs on no held-out case: its cost is one case of the worst loss among eleven
    for amounts, worst in (([50, 60, 1000, 2000], 60), ([1000, 2000, 50, 60], 2000)):
        fn = np.array([*amounts, *[0] * 6], dtype=float)
        answer = compare_models(y, score, costs=CaseCosts(cost_fn=fn, **costs)).answer
        assert (answer.kind, answer.honest_cost) == ("threshold", 0)
        assert answer.cost == pytest.approx(worst / 11)


# ---------------------------------------------------------------- costs by class are a special case


def _same(one, other, path=""):
    if isinstance(one, dict):
        for key in one.keys() - _APART:
            _same(one[key], other[key], f"{path}.{key}")
    elif isinstance(one, list):
        assert len(one) == len(other), path
        for left, right in zip(one, other, strict=True):
            _same(left, right, path)
    elif isinstance(one, float):
        assert other == pytest.approx(one, rel=1e-9, abs=1e-10), path
    else:
        assert other == one, path


def _sample(seed, n=150):
    y, s = Binormal(separation=2.0).sample(n, rng=seed)
    return y, {"a": s, "b": np.round(s + np.random.default_rng(seed).normal(size=len(s)), 1)}


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"max_abstention": 0.1},
        {"min_precision_positive": 0.8, "max_fn_rate": 0.2},
        {"prevalence": 0.1},
        {"sample_weight": np.linspace(0.2, 2, 60)},
        {"sample_weight": np.arange(60) % 3, "weights": "repeats"},
    ],
    ids=lambda options: "-".join(options) or "plain",
)
def test_equal_amounts_give_the_whole_answer_of_costs_by_class(options):
    y, scores = _sample(3, 60)
    by_class = compare_models(y, scores, costs=CostModel(**COSTS), **options)
    by_case = compare_models(y, scores, costs=CaseCosts(**COSTS), **options)
    _same(by_class.to_dict(), by_case.to_dict())


@pytest.mark.parametrize("objective", ["expected", "worst", "regret"])
def test_equal_factors_give_the_whole_answer_of_ranges(objective):
    y, scores = _sample(5, 24)
    ranges = CostRange(cost_fn=(50, 150), cost_fp=(30, 50), cost_abstain=12)
    factors = CaseCosts(**COSTS, miss_factor=(0.5, 1.5), alarm_factor=(0.75, 1.25))
    by_class = compare_models(y, scores["a"], costs=ranges, objective=objective, prevalence=(0.2, 0.4))
    by_case = compare_models(y, scores["a"], costs=factors, objective=objective, prevalence=(0.2, 0.4))
    _same(by_class.to_dict(), by_case.to_dict())


def test_a_reviewer_costs_the_same_by_class_and_by_case():
    y, scores = _sample(6)
    reviewer = Reviewer(fee=5, sensitivity=0.95, specificity=0.9)
    by_class = compare_models(y, scores, costs=CostModel(cost_fn=100, cost_fp=40, reviewer=reviewer))
    by_case = compare_models(y, scores, costs=CaseCosts(cost_fn=100, cost_fp=40, reviewer=reviewer))
    _same(by_class.to_dict(), by_case.to_dict())


# ---------------------------------------------------------------- laws, words, errors


def test_order_of_the_models_and_unit_of_the_money_do_not_matter():
    y, scores = _sample(7)
    amount = np.random.default_rng(0).lognormal(4, 1, len(y))
    costs = CaseCosts(cost_fn=amount, cost_fp=25, cost_abstain=4)
    both = compare_models(y, scores, costs=costs)
    alone = compare_models(y, scores["b"], costs=costs)
    assert alone.models["model"].cost == both.models["b"].cost
    assert alone.models["model"].interval == both.models["b"].interval
    cents = compare_models(y, scores, costs=CaseCosts(cost_fn=100 * amount, cost_fp=2500, cost_abstain=400))
    assert cents.answer.cost == pytest.approx(100 * both.answer.cost, rel=1e-12)
    assert (cents.answer.lower, cents.answer.upper) == (both.answer.lower, both.answer.upper)
    assert cents.answer.advice_cost == pytest.approx(100 * both.answer.advice_cost, rel=1e-12)


def test_amounts_of_the_other_class_are_not_looked_at():
    y, scores = _sample(8)
    amount = np.random.default_rng(1).lognormal(4, 1, len(y))
    costs = CaseCosts(cost_fn=amount, cost_fp=25, cost_abstain=4)
    other = CaseCosts(
        cost_fn=np.where(y == 1, amount, 1e9), cost_fp=np.where(y == 1, 1e9, 25), cost_abstain=4
    )
    first, second = (compare_models(y, scores, costs=one).to_dict() for one in (costs, other))
    described = {"costs": None, "incurred": None}
    assert {**first, **described} == {**second, **described}
    # means are over the cases that can incur the cost
    negatives = int(np.sum(y == 0))
    assert second["incurred"]["cost_fn"] == first["incurred"]["cost_fn"]
    assert first["incurred"]["cost_fn"]["mean"] == pytest.approx(amount[y == 1].mean(), rel=1e-12)
    alarms = {"class": "negative", "cases": negatives, "mean": 25, "total": 25 * negatives}
    assert second["incurred"]["cost_fp"] == alarms


def test_words_tell_the_money():
    y, scores = _sample(9)
    amount = np.random.default_rng(2).lognormal(4, 1, len(y))
    comparison = compare_models(y, scores["a"], costs=CaseCosts(cost_fn=amount, cost_fp=40, cost_abstain=12))
    answer = comparison.answer
    assert answer.kind == "window"
    assert answer.stakes["at_stake"] == pytest.approx(amount[y == 1].sum() / len(y))
    parts = answer.stakes["missed"] + answer.stakes["alarms"] + answer.stakes["reviews"]
    assert parts == pytest.approx(answer.honest_cost, rel=1e-12)
    assert " is at stake. On held-out cases, misses cost " in answer.words
    assert re.search(r"reviews [\d,]+ for about \d+ cases: [\d,]+ in all\. Cost", answer.words)
    assert "Guaranteed" not in answer.words
    assert "guarantee yet" not in answer.words
    assert isinstance(comparison.models["model"].window, AbstentionWindow)
    assert json.loads(json.dumps(comparison.to_dict(), allow_nan=False))["costs"]["cost_fn"]["cases"] == len(
        y
    )


def test_prevalence_weighs_the_money_of_the_classes():
    y, scores = _sample(10)
    amount = np.random.default_rng(3).lognormal(6, 1, len(y))
    costs = CaseCosts(cost_fn=amount, cost_fp=25, cost_abstain=4)
    answer = compare_models(y, scores, costs=costs, prevalence=0.01).answer
    assert answer.stakes["at_stake"] == pytest.approx(0.01 * amount[y == 1].mean())
    assert sum(answer.stakes.values()) - answer.stakes["at_stake"] == pytest.approx(answer.honest_cost)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"cost_fn": [1.0, -2.0]}, "`cost_fn` must not be negative, got -2 at position 1"),
        ({"cost_fn": [1.0, np.nan]}, "`cost_fn` must not be missing"),
        ({"cost_abstain": "amount"}, "`cost_abstain` must be a number or one number per case"),
        ({"reviewer": Reviewer(fee=1)}, "`cost_abstain` must be left out beside reviewer"),
        ({"miss_factor": (2, 1)}, "`miss_factor` must be a number or a pair"),
        ({"miss_factor": (1, 2, 3)}, "`miss_factor` must be a number or a pair"),
        ({"cost_abstain": None, "cost_abstain_positive": 3}, "`cost_abstain_negative` is needed with"),
    ],
)
def test_bad_amounts_are_named(changes, sentence):
    with pytest.raises(InputError) as error:
        CaseCosts(**{**COSTS, **changes})
    assert str(error.value).startswith(sentence)


def test_what_needs_bounds_or_counts_is_refused():
    y, scores = _sample(11)
    with pytest.raises(InputError, match="`objective` must not be 'guaranteed' with costs by case"):
        compare_models(y, scores, costs=CaseCosts(**COSTS), objective="guaranteed")
    with pytest.raises(InputError, match="`precision_confidence` needs costs by class"):
        compare_models(
            y, scores, costs=CaseCosts(**COSTS), min_precision_positive=0.8, precision_confidence=0.9
        )
    with pytest.raises(InputError, match="`cost_fn`"):
        compare_models(y, scores, costs=CaseCosts(cost_fn=[1.0, 2.0], cost_fp=1))
    with pytest.raises(UndefinedError, match="need an abstention rate of at least"):
        compare_models(
            y,
            scores,
            costs=CaseCosts(**COSTS),
            max_abstention=0.0,
            min_precision_positive=0.999,
            min_precision_negative=0.999,
        )
