"""The answer in words: whole sentences by hand, numbers as people read them, policies from answers."""

import json
import math
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from comparison_files import FILES
from demur import (
    CostModel,
    CostRange,
    InputError,
    Policy,
    ScoreCounts,
    abstention_surface,
    compare_models,
    decide,
)
from demur._kernels.thresholds import cut_points
from demur.comparison.numbers import finer_step, money, money_parts, money_step, shares_of_1000
from demur.comparison.words import answer_words, decision_words, rule_words, short_name
from demur.costs import CaseCosts
from demur.datasets.breast_cancer import breast_cancer_scores
from demur.surface.window import window_thresholds

INF = math.inf


def facts(**changes):
    """The example of the specification."""
    return {
        "kind": "window",
        "model": "logistic",
        "positive": "malignant",
        "negative": "benign",
        "lower": 0.06,
        "upper": 0.59,
        "calls_positive": True,
        "calls_negative": True,
        "called_positive": 0.353,
        "called_negative": 0.541,
        "abstained": 0.106,
        "missed": 0.002,
        "alarms": 0.0021,
        "verdict": "proven",
        "cost": 6.0,
        "honest_cost": 6.0,
        "interval": (1.0, 11.0),
        "cost_range": None,
        "n_unlabelled": 0,
        "one_added": False,
        "versus": {
            "trivial": {"name": "always abstain", "difference": -14.0, "interval": (-19.0, -5.0)},
            "never_abstaining": {"name": "logistic", "difference": -4.0, "interval": (-9.0, 1.0)},
            "runner_up": {"name": "forest", "difference": -2.0, "interval": (-3.0, -1.0)},
        },
        "worst_cost": None,
        "regret": None,
        "regret_bound": None,
        "advice_cost": 6.5,
        "best_trivial": {"name": "always abstain", "cost": 20.0},
        "guaranteed_cost": 13.5,
        "guarantee_defined": True,
        "n": 569.0,
        "n_rules": 7,
        "confidence_level": 0.95,
        **changes,
    }


def test_a_window_by_hand():
    assert answer_words(facts()) == (
        "Proven. Use logistic: call malignant from 0.59 up, benign up to 0.06, send the rest to a person. "
        "Of 1000 cases 353 are called malignant, 541 benign, 106 go to a person; "
        "about 2 malignant cases missed, about 2 false alarms. "
        "Cost 6,000 per 1000 cases (95 % interval 1,000 to 11,000), "
        "14,000 less than sending every case to a person (5,000 to 19,000). "
        "Not proven cheaper than never abstaining: the 95 % interval contains 0. "
        "Guaranteed at most 14,000 with 95 % confidence."
    )


def test_a_threshold_by_hand():
    text = answer_words(
        facts(
            kind="threshold",
            verdict="likely",
            lower=0.41,
            upper=0.41,
            called_positive=0.4,
            called_negative=0.6,
            abstained=0.0,
            missed=0.0,
            alarms=0.0014,
            versus={"trivial": {"name": "always positive", "difference": -3.0, "interval": (-6.0, 0.5)}},
            best_trivial={"name": "always positive", "cost": 9.0},
            guaranteed_cost=9.5,
        )
    )
    assert text == (
        "Likely. Use logistic: call malignant from 0.41 up, benign below. "
        "Of 1000 cases 400 are called malignant, 600 benign; no malignant cases missed, about 1 false alarm. "
        "Cost 6,000 per 1000 cases (95 % interval 1,000 to 11,000), "
        "3,000 less than calling every case malignant (-1,000 to 6,000, which contains 0). "
        "No guarantee yet with 569 cases."
    )


@pytest.mark.parametrize(
    ("kind", "advice"),
    [
        ("always positive", "Call every case malignant: no model beats this."),
        ("always negative", "Call every case benign: no model beats this."),
        ("always abstain", "Send every case to a person: no model beats this."),
    ],
)
def test_rules_without_a_model_by_hand(kind, advice):
    text = answer_words(
        facts(
            kind=kind,
            model=None,
            verdict="unproven",
            cost=20.0,
            interval=(20.0, 20.0),
            versus={"runner_up": {"name": "forest", "difference": -2.5, "interval": (-4.0, 0.0)}},
            best_trivial={"name": kind, "cost": 20.0},
        )
    )
    assert text == f"{advice} Cost 20,000 per 1000 cases. The best model, forest, costs 23,000."
    alone = answer_words(facts(kind=kind, model=None, cost=20.0, interval=(20.0, 20.0), versus={}))
    assert alone == f"{advice} Cost 20,000 per 1000 cases."


def test_windows_with_one_side_by_hand():
    none_positive = facts(calls_positive=False, upper=INF)
    assert rule_words(none_positive) == "Use logistic: call benign up to 0.06, send the rest to a person."
    none_negative = facts(calls_negative=False, lower=-INF)
    assert (
        rule_words(none_negative) == "Use logistic: call malignant from 0.59 up, send the rest to a person."
    )


def test_ranges_by_hand():
    over = {"cost_range": (4.0, 9.0), "worst_cost": 9.0, "regret": 1.0, "regret_bound": 4.0}
    text = answer_words(facts(interval=(1.0, 14.0), **over))
    assert (
        "Cost 4,000 to 9,000 per 1000 cases over the ranges, at most 14,000 with 95 % confidence; "
        "6,000 in their middle, "
        "14,000 less than sending every case to a person (5,000 to 19,000). "
        "It costs up to 1,000 more than a rule chosen for the true costs, "
        "at most 4,000 with 95 % confidence." in text
    )
    baseline = facts(
        kind="always positive",
        model=None,
        verdict="unproven",
        cost=20.0,
        interval=(15.0, 31.0),
        cost_range=(15.0, 31.0),
        versus={"runner_up": {"name": "forest", "difference": -2.5, "interval": (-4.0, 0.0)}},
        regret=3.0,
        regret_bound=5.0,
    )
    assert answer_words(baseline) == (
        "Call every case malignant: no model beats this. "
        "Cost 15,000 to 31,000 per 1000 cases over the ranges; 20,000 in their middle. "
        "The best model, forest, costs 23,000. "
        "It costs up to 3,000 more than a rule chosen for the true costs, "
        "at most 5,000 with 95 % confidence."
    )


def test_an_unproven_rule_leads_with_the_baseline_by_hand():
    open_questions = {
        "trivial": {"name": "always abstain", "difference": -1.0, "interval": (-9.0, 6.0)},
        "never_abstaining": {"name": "logistic", "difference": -4.0, "interval": (-9.0, 1.0)},
    }
    text = answer_words(facts(verdict="unproven", n=40.0, advice_cost=23.0, versus=open_questions))
    # the comparison with the baseline is said once, at the start
    assert text == (
        "Unproven. Send every case to a person for now: 40 cases do not show that a model beats this. "
        "The best candidate is logistic: call malignant from 0.59 up, benign up to 0.06, "
        "send the rest to a person. "
        "Of 1000 cases 353 are called malignant, 541 benign, 106 go to a person; "
        "about 2 malignant cases missed, about 2 false alarms. "
        "Cost 6,000 per 1000 cases (95 % interval 1,000 to 11,000), "
        "1,000 less than sending every case to a person (-6,000 to 9,000, which contains 0). "
        "Not proven cheaper than never abstaining: the 95 % interval contains 0. "
        "Choosing a rule this way costs 23,000 on cases left out, more than sending every case to a person: "
        "collect more cases before you rely on it. "
        "Guaranteed at most 14,000 with 95 % confidence."
    )
    # another baseline, and none that keeps the limits
    calling = facts(verdict="unproven", best_trivial={"name": "always negative", "cost": 20.0})
    assert decision_words(calling).startswith("Unproven. Call every case benign for now: 569 cases do not")
    alone = facts(verdict="unproven", best_trivial=None, versus={})
    assert decision_words(alone).startswith("Unproven. Use logistic: call malignant from 0.59 up")


@pytest.mark.parametrize("verdict", ["proven", "likely", "unproven"])
def test_the_words_begin_with_the_decision(verdict):
    text, decision = answer_words(facts(verdict=verdict)), decision_words(facts(verdict=verdict))
    assert decision.startswith(f"{verdict.capitalize()}. ")
    assert text.startswith(f"{decision} Of 1000 cases")
    assert rule_words(facts()).removeprefix("Use ") in decision


def test_expected_and_measured_cost_by_hand():
    linked = "It measured 5,000 as the best of 7 rules; the best of many looks better than it is."
    # a tenth of the half-width of 5 is 0.5
    assert f"(5,000 to 19,000). {linked} Not proven" in answer_words(facts(honest_cost=5.4))
    for quiet in (5.6, 6.0):
        assert "measured" not in answer_words(facts(honest_cost=quiet))
    assert "as the best of 12 rules;" in answer_words(facts(honest_cost=2.0, n_rules=12))


def test_advice_that_has_not_paid_by_hand():
    text = answer_words(facts(advice_cost=23.0))
    assert (
        "Choosing a rule this way costs 23,000 on cases left out, more than sending every case to a person: "
        "collect more cases before you rely on it." in text
    )
    for quiet in (facts(advice_cost=None), facts(advice_cost=20.0), facts(best_trivial=None)):
        assert "on cases left out" not in answer_words(quiet)


def test_guarantees_are_named_where_they_say_something():
    assert "No guarantee yet with 569 cases." in answer_words(facts(guaranteed_cost=20.0))
    assert "No guarantee yet" in answer_words(facts(guaranteed_cost=None))
    for silent in (facts(guarantee_defined=False), facts(best_trivial=None)):
        assert "uarantee" not in answer_words(silent)
    assert "Guaranteed at most 14,000 with 90 % confidence." in answer_words(facts(confidence_level=0.9))


def test_everything_that_is_not_proven_is_listed():
    versus = {
        "trivial": {"name": "always negative", "difference": -1.0, "interval": (-2.0, 0.1)},
        "never_abstaining": {"name": "logistic", "difference": 0.0, "interval": (0.0, 0.0)},
        "runner_up": {"name": "forest", "difference": -1.0, "interval": (-3.0, 1.0)},
    }
    text = answer_words(facts(verdict="likely", versus=versus))
    assert "1,000 less than calling every case benign (0 to 2,000, which contains 0)." in text
    assert "Not proven cheaper than never abstaining or forest: the 95 % intervals contain 0." in text
    many = {"argmax": versus["runner_up"], **versus}
    listed = "Not proven cheaper than the class with the highest probability, never abstaining or forest: the"
    assert listed in answer_words(facts(versus=many))
    proven = {key: {**one, "interval": (-3.0, -1.0)} for key, one in versus.items()}
    assert "contain" not in answer_words(facts(versus=proven))


def test_odd_states_by_hand():
    # a rare miss is not "no" miss
    assert "fewer than one malignant case missed" in answer_words(facts(missed=0.0001))
    # an answer forced by limits may cost more than a rule that breaks them
    more = {"trivial": {"name": "always positive", "difference": 2.0, "interval": (-1.0, 5.0)}}
    assert "2,000 more than calling every case malignant (-1,000 to 5,000, which contains 0)" in answer_words(
        facts(versus=more)
    )
    assert answer_words(facts(versus={}, best_trivial=None)).endswith(
        "Cost 6,000 per 1000 cases (95 % interval 1,000 to 11,000)."
    )
    long = "x" * 41
    assert short_name(long) == "x" * 37 + "..."
    assert f"Use {'x' * 37}...:" in answer_words(facts(model=long))
    assert short_name("x" * 40) == "x" * 40
    assert "<=" not in answer_words(facts())


def test_names_with_braces_are_names():
    assert "call {negative} from" in answer_words(facts(positive="{negative}"))


# ---------------------------------------------------------------- numbers


@pytest.mark.parametrize(
    ("interval", "cost", "step", "text"),
    [
        ((1.0, 11.0), 6.0, 1000.0, "6,000"),
        ((0.0123, 0.0187), 0.0151, 0.1, "15.1"),
        ((20.0, 20.0), 20.0, 1000.0, "20,000"),
        ((8.25, 8.25), 8.25, 10.0, "8,250"),
        ((0.0, 0.0), 0.0, 1.0, "0"),
        ((0.0, 2.6e-5), 1.2e-5, 0.001, "0.012"),
        ((1234.5, 1260.0), 1240.0, 1000.0, "1,240,000"),
    ],
)
def test_money_by_hand(interval, cost, step, text):
    assert money_step(*interval, cost) == pytest.approx(step)
    assert money(cost, money_step(*interval, cost)) == text


def test_money_has_no_negative_zero():
    assert money(-0.0004, 1.0) == "0"
    assert money(-0.0006, 1.0) == "-1"
    assert money(0.0005, 1.0) == "1"  # half away from zero


@given(st.floats(-1e6, 1e6), st.integers(-6, 8))
def test_money_is_within_half_a_step(cost, exponent):
    step = 10.0**exponent
    shown = float(money(cost, step).replace(",", ""))
    assert abs(shown - 1000 * cost) <= 0.5 * step + 1e-9 * max(abs(1000 * cost), step)


@given(st.lists(st.floats(0, 1), min_size=3, max_size=3).filter(lambda values: sum(values) > 1e-3))
def test_shares_sum_to_1000_and_none_is_off_by_one(values):
    shares = [value / sum(values) for value in values]
    whole = shares_of_1000(shares)
    assert sum(whole) == 1000
    assert all(abs(number - 1000 * share) < 1 for number, share in zip(whole, shares, strict=True))


def test_shares_by_hand():
    assert shares_of_1000([1 / 3, 1 / 3, 1 / 3]) == [334, 333, 333]
    assert shares_of_1000([0.3534, 0.5408, 0.1058]) == [353, 541, 106]
    assert shares_of_1000([1.0, 0.0, 0.0]) == [1000, 0, 0]


def _numbers(text, before):
    """Numbers that follow a word."""
    return [float(one) for one in re.findall(rf"{before} (-?[\d.]+(?:e[+-]\d+)?)(?=[ ,.])", text)]


def _require_one_number_everywhere(answer, scores, unrounded):
    """Words, policy file, SQL and Python source state the thresholds of the answer, and decide as before."""
    policy = json.loads(Policy.from_answer(answer).to_json())["rule"]
    assert (float(policy["lower"]), float(policy["upper"])) == (answer.lower, answer.upper)
    made = Policy.from_answer(answer)
    stated = rule_words(answer.facts())
    assert answer.words.startswith(decision_words(answer.facts()))
    assert stated.removeprefix("Use ") in decision_words(answer.facts())
    assert _numbers(stated, "from") == [answer.upper] * (answer.upper < INF)
    if answer.kind == "window":
        assert _numbers(stated, "up to") == [answer.lower] * (answer.lower > -INF)
    branches = dict(re.findall(r"([<>]=) CAST\('([^']+)'", made.to_sql()))
    assert float(branches.get(">=", INF)) == answer.upper
    assert float(branches.get("<=", -INF)) == answer.lower
    assert np.array_equal(answer.decide(scores), decide(scores, unrounded))
    assert np.array_equal(made.decide(scores), decide(scores, unrounded))


def test_one_number_everywhere_on_the_demo():
    data = breast_cancer_scores()
    costs = CostModel(cost_fn=1000.0, cost_fp=100.0, cost_abstain=20.0)
    answer = compare_models(data.diagnosis, data.scores, costs=costs, pos_label="malignant").answer
    scores = data.scores[answer.model]
    unrounded = abstention_surface(data.diagnosis, scores, pos_label="malignant").window(costs=costs)
    assert (answer.lower, answer.upper) != (unrounded.lower, unrounded.upper)
    _require_one_number_everywhere(answer, scores, unrounded)
    assert "from 0.59 up" in answer.words


@pytest.mark.parametrize("seed", range(30))
def test_one_number_everywhere(seed):
    """Odd seeds have scores rounded to 0, 1 or 2 decimals; costs by class, limits and amounts in turn."""
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(90) % 3 == 0).astype(int)
    scale = 10.0 ** rng.integers(-8, 8)
    scores = scale * (rng.normal(y, 0.7) if seed % 2 == 0 else np.round(rng.normal(y, 0.7), seed // 2 % 3))
    costs = CostModel(cost_fn=10, cost_fp=rng.uniform(2, 30), cost_abstain=rng.uniform(0.2, 1.5))
    limits = {"max_abstention": 0.3} if seed % 3 == 0 else {}
    amounts = rng.exponential(20.0, 90)
    asked = CaseCosts(cost_fn=amounts, cost_fp=15.0, cost_abstain=2.0) if seed % 5 == 0 else costs
    found = compare_models(y, scores, costs=asked, **limits)
    answer = found.best_model()
    counts = ScoreCounts.from_arrays(y, scores)
    middles = cut_points(counts.scores, counts.scores)
    unrounded = middles[0][answer.window.lower_index], middles[1][answer.window.upper_index]
    _require_one_number_everywhere(answer, scores, unrounded)
    if not limits and asked is costs and answer.kind == "window":
        assert unrounded == window_thresholds(abstention_surface(counts).window(costs=costs))


def test_class_names_and_ranges_reach_the_words():
    y, scores = FILES["tied"]()
    comparison = compare_models(
        y,
        scores,
        costs=CostRange(cost_fn=(50, 80), cost_fp=40, cost_abstain=5),
        class_names=("healthy", "ill"),
    )
    words = comparison.answer.words
    assert "ill from" in words
    assert "healthy" in words
    assert "per 1000 cases over the ranges" in words
    written = comparison.to_dict()["answer"]
    assert written["words"] == words
    assert words.startswith(f"{written['decision']} ")


def test_limits_that_exclude_every_rule_without_a_model():
    y, scores = FILES["tied"]()
    answer = compare_models(
        y,
        scores,
        costs=CostModel(cost_fn=10, cost_fp=10, cost_abstain=2),
        max_abstention=0.2,
        min_precision_positive=0.7,
        min_precision_negative=0.7,
    ).answer
    assert answer.best_trivial is None
    assert "trivial" not in answer.versus
    assert "than sending" not in answer.words


# ---------------------------------------------------------------- policies


@pytest.mark.parametrize("labels", [(0, 1), ("benign", "malignant"), (-1, 1)])
def test_policy_of_an_answer_decides_as_the_answer(labels):
    y, scores = FILES["tied"]()
    named = np.array(labels)[y]
    costs = CostModel(cost_fn=20, cost_fp=10, cost_abstain=2)
    answer = compare_models(named, scores, costs=costs, pos_label=labels[1]).answer
    assert answer.classes == labels
    policy = Policy.from_answer(answer)
    fresh = np.random.default_rng(0).uniform(-3, 13, 500)
    assert np.array_equal(policy.decide(fresh), answer.decide(fresh))
    words = np.array([policy.abstain_label, labels[0], labels[1]], dtype=object)
    assert list(policy.apply(fresh)) == words[answer.decide(fresh) + 1].tolist()
    assert (policy.model, policy.expected_cost) == (answer.model, answer.cost)
    assert (policy.abstention_rate, policy.fn, policy.fp) == (
        answer.abstention_rate,
        answer.missed,
        answer.alarms,
    )
    own = "ask" if isinstance(labels[0], str) else 7
    assert Policy.from_answer(answer, abstain_label=own).abstain_label == own


def test_policy_of_a_rule_without_a_model_is_refused():
    y, scores = FILES["constant"]()
    comparison = compare_models(y, scores, costs=CostModel(cost_fn=100, cost_fp=1, cost_abstain=50))
    assert comparison.answer.kind == "always positive"
    with pytest.raises(InputError, match="`answer` must be the rule of a model, got 'always positive'"):
        Policy.from_answer(comparison.answer)
    assert Policy.from_answer(comparison.best_model()).model in scores


def test_policy_of_a_threshold_where_reviews_have_a_price():
    # the classes are far apart: a single threshold is the answer, though a review could be bought
    y = np.array([0] * 20 + [1] * 20)
    costs = CostModel(cost_fn=10, cost_fp=10, cost_abstain=3)
    answer = compare_models(y, {"good": y * 2.0 + np.linspace(0, 1, 40)}, costs=costs).answer
    assert answer.kind == "threshold"
    policy = Policy.from_answer(answer)
    assert policy.lower == policy.upper == answer.upper
    assert policy.decide([0.0, 5.0]).tolist() == [0, 1]


# ---------------------------------------------------------------- money that adds up


def _shown(text):
    """Return the number of a printed amount."""
    return float(text.replace(",", ""))


def _unit(text):
    """Return the unit of the last digit that is printed, trailing zeros of whole numbers left out."""
    digits = text.replace(",", "")
    if "." in digits:
        return 10.0 ** -len(digits.split(".")[1])
    return 10.0 ** (len(digits) - len(digits.rstrip("0"))) if digits.strip("0") else 1.0


@given(
    st.lists(st.floats(0, 1e3), min_size=2, max_size=3).filter(any),
    st.integers(-3, 5),
)
def test_parts_of_a_cost_add_up(parts, exponent):
    step = 10.0**exponent
    *shown, whole = map(_shown, money_parts(parts, step))
    assert sum(shown) == pytest.approx(whole, rel=1e-9)
    fine = finer_step(parts, step)
    assert fine <= step
    assert all(abs(one - 1000 * part) < 1.001 * fine for one, part in zip(shown, parts, strict=True))
    assert abs(whole - 1000 * sum(parts)) <= 0.501 * fine


@pytest.mark.parametrize("seed", range(200))
def test_printed_counts_times_prices_are_the_printed_money(seed):
    """Whatever the interval: 21 reviews at 3 never cost 100, and 1000 reviews cost 1000 times their price."""
    rng = np.random.default_rng(seed)
    price, alarm = (float(f"{rng.uniform(0.5, 200):.3g}") for _ in range(2))
    rate, missed, alarms = rng.dirichlet([1, 1, 1, 20])[:3]
    stakes = {"at_stake": 900.0, "missed": 80 * missed, "alarms": alarm * alarms, "reviews": price * rate}
    cost = stakes["missed"] + stakes["alarms"] + stakes["reviews"]
    width = 10.0 ** rng.uniform(-1, 3) * cost
    given_facts = facts(
        stakes=stakes,
        abstention_rate=rate,
        alarms=alarms,
        missed=missed,
        cost=cost,
        honest_cost=cost,
        interval=(0.0, width),
        versus={},
    )
    text = answer_words(given_facts)
    found = re.search(
        r"misses cost ([\d,.]+), false alarms ([\d,.]+), reviews ([\d,.]+) for "
        r"(about ([\d,]+)|fewer than one) cases?: ([\d,.]+) in all\.",
        text,
    )
    miss_money, alarm_money, money_of_reviews, whole = (found[k] for k in (1, 2, 3, 6))
    printed_alarms = re.search(r"(?:about (\d+)|fewer than one) false alarms?", text)[1]
    for count, each, shown in ((found[5], price, money_of_reviews), (printed_alarms, alarm, alarm_money)):
        number = 0.25 if count is None else _shown(count)
        assert abs(number * each - _shown(shown)) <= 0.5 * each + max(1.0, _unit(shown)) + 1e-6
    assert _shown(miss_money) + _shown(alarm_money) + _shown(money_of_reviews) == pytest.approx(_shown(whole))
    # a rule whose cost is known exactly
    sent = facts(kind="always abstain", model=None, cost=price, interval=(price, price), versus={})
    assert f"Cost {1000 * price:,.0f} per 1000 cases." in answer_words(sent)


def test_a_difference_too_small_to_print_by_hand():
    versus = {"trivial": {"name": "always abstain", "difference": -0.1, "interval": (-4.0, 3.0)}}
    text = answer_words(facts(versus=versus))
    assert "about as much as sending every case to a person (-3,000 to 4,000, which contains 0)." in text


def test_money_of_cases_with_their_own_costs_by_hand():
    stakes = {"at_stake": 19.574, "missed": 2.0, "alarms": 0.393, "reviews": 0.063}
    text = answer_words(facts(stakes=stakes, abstention_rate=0.021, fees=0.5))
    assert (
        "20,000 is at stake. On held-out cases, misses cost 2,000, false alarms 393, reviews 63 for about 21 "
        "cases: 2,456 in all. Cost 6,000 per 1000 cases (95 % interval 1,000 to 11,000), including 500 for "
        "asking models, 14,000 less"
    ) in text
