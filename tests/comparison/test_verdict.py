"""How sure an answer is: verdicts by construction, ties within noise by hand, cost after the choice."""

import json

import numpy as np
import pytest

from comparison_files import FILES, random_costs
from demur import ABSTAIN, CostModel, CostRange, compare_models
from demur.comparison.candidates import Candidate, baseline_candidates
from demur.comparison.choice import Choice, chosen
from demur.comparison.estimates import gap_of
from demur.comparison.problem import DecisionProblem, Limits
from demur.comparison.words import decision_words
from demur.honest.cases import SplitCases
from demur.honest.decisions import Judged

COSTS = CostModel(cost_fn=10, cost_fp=10, cost_abstain=3)


def noisy(seed, separation=0.8):
    """Six weak models of forty cases: the best of them is lucky."""
    rng = np.random.default_rng(seed)
    y = np.arange(40) % 2
    return y, {f"m{k}": rng.normal(separation * y, 1) for k in range(6)}


# ---------------------------------------------------------------- verdicts


def test_proven_by_hand():
    # no mistake in 100 cases; calling all of them positive costs 4 in each of 60
    y = np.repeat([0, 1], [60, 40])
    costs = CostModel(cost_fn=10, cost_fp=4, cost_abstain=3)
    answer = compare_models(y, y.astype(float), costs=costs).answer
    assert (answer.verdict, answer.honest_cost) == ("proven", 0)
    assert answer.cost == pytest.approx(10 / 101)
    versus = answer.versus["trivial"]
    # two more cases that are missed: squares 60 * 1.6^2 + 40 * 2.4^2 in 100^2, and twice (10 - m) / 100
    m = (-2.4 + 0.2) / 1.02
    error = np.sqrt(102 / 101 * (384 / 100**2 + 2 * ((10 - m) / 100) ** 2)) / 1.02
    t = 1.9842169515864165  # 99 degrees of freedom
    assert versus.difference == pytest.approx(-2.4 + 10 / 101)
    assert versus.interval.high == pytest.approx(m + 10 / 101 + t * error, rel=1e-9)
    assert versus.interval.high < 0
    assert answer.words.startswith("Proven. Use model: call positive from 0.5 up, negative below. Of 1000")


def test_likely_and_unproven_models():
    seen = set()
    for seed in range(8):
        answer = compare_models(*noisy(seed), costs=COSTS).answer
        versus, baseline = answer.versus["trivial"], answer.best_trivial["cost"]
        assert versus.interval.low < 0 < versus.interval.high
        # each measured below every rule without a model; judged on cases left out, not all stay there
        assert answer.honest_cost < baseline
        pays = answer.cost < baseline and answer.advice_cost < baseline
        assert answer.verdict == ("likely" if pays else "unproven")
        seen.add(answer.verdict)
    assert seen == {"likely", "unproven"}


def test_a_baseline_is_unproven_and_keeps_its_cost():
    y, scores = noisy(0, separation=0.0)
    answer = compare_models(y, scores["m0"], costs=CostModel(cost_fn=10, cost_fp=10, cost_abstain=1)).answer
    assert (answer.kind, answer.verdict) == ("always abstain", "unproven")
    assert answer.cost == answer.honest_cost == answer.interval.low == answer.interval.high == 1
    assert answer.words.startswith("Send every case to a person: no model beats this.")
    assert decision_words(answer.facts()) == "Send every case to a person: no model beats this."


def test_without_a_baseline_nothing_can_be_shown():
    y, scores = FILES["tied"]()
    limits = {"max_abstention": 0.2, "min_precision_positive": 0.7, "min_precision_negative": 0.7}
    answer = compare_models(y, scores, costs=COSTS, **limits).answer
    assert answer.best_trivial is None
    assert answer.verdict == "unproven"
    assert answer.words.startswith(f"Unproven. Use {answer.model}: ")


def test_unproven_words_lead_with_the_baseline():
    y, scores = noisy(2)
    answer = compare_models(y, scores, costs=COSTS).answer
    assert answer.verdict == "unproven"
    assert answer.words.startswith(
        "Unproven. Send every case to a person for now: 40 cases do not show that a model beats this. "
        f"The best candidate is {answer.model}: call "
    )
    written = answer.to_dict()
    assert written["verdict"] == "unproven"
    assert written["words"].startswith(written["decision"])
    assert written["decision"].endswith("send the rest to a person.")


@pytest.mark.parametrize("file", ["tied", "rare", "weak"])
def test_cost_after_the_choice_is_never_below_the_honest_cost(file):
    y, scores = FILES[file]()
    for miss, alarm, review in random_costs(3, 4):
        costs = CostModel(cost_fn=miss, cost_fp=alarm, cost_abstain=review)
        answer = compare_models(y, scores, costs=costs).answer
        assert answer.honest_cost <= answer.cost <= answer.interval.high
        assert answer.interval.low <= answer.honest_cost
        if answer.model is None:
            assert answer.cost == answer.honest_cost


def test_the_seed_decides_the_draws():
    y, scores = noisy(1)
    one, same, other = (compare_models(y, scores, costs=COSTS, seed=seed).answer for seed in (4, 4, 5))
    assert one.cost == same.cost
    assert one.cost != other.cost


# ---------------------------------------------------------------- ranges


def test_cost_range_at_the_corners_by_hand():
    y = np.repeat([0, 1], [60, 40])
    wide = CostRange(cost_fn=(10, 20), cost_fp=4, cost_abstain=3)
    answer = compare_models(y, y.astype(float), costs=wide).answer
    # no mistake: nothing at either corner; in the middle a miss costs 15, and one was added
    assert answer.honest_cost == 0
    assert answer.cost == pytest.approx(15 / 101)
    assert answer.cost_range == pytest.approx((15 / 101, 15 / 101))
    # at the dearest corner a miss of 20: mean 20 / 101, its error 20 sqrt(100 / 101^3)
    t = 1.9842169515864165
    assert answer.interval.high == pytest.approx(20 / 101 + t * 20 * np.sqrt(100 / 101**3), rel=1e-9)


def test_cost_range_of_a_prevalence():
    y, scores = FILES["tied"]()
    costs = CostModel(cost_fn=20, cost_fp=10, cost_abstain=2)
    answer = compare_models(y, scores, costs=costs, prevalence=(0.2, 0.6)).answer
    ends = [answer.confusion_cost[k].sum() / answer.confusion[k].sum() for k in (0, 1)]
    corners = sorted((1 - rate) * ends[0] + rate * ends[1] for rate in (0.2, 0.6))
    rise = answer.cost - answer.honest_cost
    assert answer.cost_range == pytest.approx([corner + rise for corner in corners])
    assert answer.cost_range.low <= answer.cost <= answer.cost_range.high
    point = compare_models(y, scores, costs=costs, prevalence=0.4).answer
    assert point.cost_range is None
    assert answer.interval.low <= point.interval.low
    assert answer.interval.high >= point.interval.high


# ---------------------------------------------------------------- ties within noise


TRUTH = np.repeat([False, True], 50)


def split_cases():
    return SplitCases.of_rows(
        TRUTH, None, weights="importance", prevalence=None, folds=2, repeats=1, rng=0, quantity="a test"
    )


def made_choice(review, threshold, window, *, apart=False):
    """A threshold and a window with given decisions; `apart`: baselines are judged on splits of their own."""
    cases = split_cases()
    order = cases.splits.repeats[0].cell
    problem = DecisionProblem.checked(
        costs=CostModel(cost_fn=1, cost_fp=1, cost_abstain=review),
        prevalence=None,
        objective="expected",
        limits=Limits(),
        confidence_level=0.95,
        seed=0,
    )
    rules = [
        Candidate.of(cases, kind, "m", Judged((codes[order],), codes[order]), (rank, 0))
        for kind, codes, rank in (("threshold", threshold, 1), ("window", window, 2))
    ]
    choice = Choice(
        cases={"m": cases},
        judged={},
        problem=problem,
        baselines=baseline_candidates(split_cases() if apart else cases, problem),
        candidates={"m": rules},
        certificates={},
        class_names=("negative", "positive"),
        classes=(0, 1),
    )
    return choice, rules


def ten_errors_or_nine():
    """A threshold that errs on ten of 100 cases, and a window that errs on nine others and reviews one."""
    threshold, window = TRUTH.astype(np.int8), TRUTH.astype(np.int8)
    threshold[:10] = 1
    window[10:19] = 1
    window[19] = ABSTAIN
    return threshold, window


@pytest.mark.parametrize(("review", "kind"), [(0.7, "threshold"), (0.5, "window")])
def test_a_difference_within_noise_goes_to_the_simpler_rule_by_hand(review, kind):
    choice, (threshold, window) = made_choice(review, *ten_errors_or_nine())
    # ten errors against nine and a review: a difference of (1 - review) / 100
    gap = gap_of(threshold, window, choice.problem)
    assert gap.cost == pytest.approx((1 - review) / 100)
    squares = 10 + 9 + review**2 - (1 - review) ** 2 / 100
    assert gap.standard_error == pytest.approx(np.sqrt(100 / 99 * squares) / 100)
    # a tenth of the standard error is 0.0044: more than 0.003 and less than 0.005
    assert choice.best(choice.all) is window
    assert chosen(choice).kind == kind


def test_rules_of_one_kind_do_not_tie_within_noise():
    choice, (threshold, window) = made_choice(0.7, *ten_errors_or_nine())
    only = [one for one in choice.all if one.kind != "threshold"]
    assert chosen(choice, only) is window
    # a baseline is simpler still, but far behind
    assert {one.kind for one in only} == {"always positive", "always negative", "always abstain", "window"}
    assert chosen(choice, [threshold]) is threshold


@pytest.mark.parametrize("apart", [False, True])
@pytest.mark.parametrize(("review", "kind"), [(0.7, "always negative"), (0.1, "window")])
def test_a_baseline_wins_within_noise_wherever_it_was_split(review, kind, apart):
    # half of the positives are found, for 24 alarms and a review: 49 + review against 50 errors
    window = np.zeros(100, dtype=np.int8)
    window[50:75] = 1
    window[:24] = 1
    window[24] = ABSTAIN
    choice, (_, rule) = made_choice(review, TRUTH.astype(np.int8), window, apart=apart)
    only = [one for one in choice.all if one.kind in ("always negative", "window")]
    assert choice.best(only) is rule
    # a tenth of the standard error is about 0.007: between 0.003 and 0.009
    assert chosen(choice, only).kind == kind


# ---------------------------------------------------------------- shares


@pytest.mark.parametrize("labels", [(-1, 1), (1, -1), (0, 1), ("no", "yes")])
def test_shares_by_label(labels):
    rng = np.random.default_rng(0)
    y = np.arange(60) % 3 == 0
    s = rng.normal(2 * y, 1)
    named = np.array(labels)[y.astype(int)]
    costs = CostModel(cost_fn=10, cost_fp=4, cost_abstain=0.5)
    answer = compare_models(named, s, costs=costs, pos_label=labels[1]).answer
    decided = answer.decide(s)
    counted = [float(np.mean(decided == code)) for code in (0, 1, ABSTAIN)]
    last = "abstain" if -1 in labels else ABSTAIN
    assert list(answer.shares) == [*labels, last]
    assert list(answer.shares.values()) == pytest.approx(counted)
    written = json.loads(json.dumps(answer.to_dict()))["shares"]
    assert written == pytest.approx(dict(zip((*answer.class_names, "abstain"), counted, strict=True)))
    # the words count the rule as written, not its folds
    called = [answer.facts()[name] for name in ("called_negative", "called_positive", "abstained")]
    assert called == pytest.approx(counted)
    # three classes, one of them -1
    y = np.array([-1, 1, 5])[np.arange(60) % 3]
    p = rng.dirichlet([1, 1, 1], 60) + 2 * (y[:, None] == [-1, 1, 5])
    p /= p.sum(axis=1, keepdims=True)
    matrix = {-1: {1: 1, 5: 2}, 1: {-1: 3, 5: 1}, 5: {-1: 4, 1: 2}}
    many = compare_models(y, p, classes=[-1, 1, 5], costs=matrix, abstain_cost=0.5).answer
    assert list(many.shares) == [-1, 1, 5, "abstain"]
    assert list(many.to_dict()["shares"]) == ["-1", "1", "5", "abstain"]
    assert sum(many.shares.values()) == pytest.approx(1)
