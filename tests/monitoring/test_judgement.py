"""`judge_policy`: by hand, by group, with an audit."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binomtest

from demur import CaseCosts, CostMatrix, CostModel, InputError, Policy, Reviewer, UndefinedError
from demur._results import Interval
from demur.monitoring import judge_policy
from demur.policy import Promise
from demur.windows import ClassRule, Window
from monitoring_cases import (
    CLASSES,
    amounts_policy,
    class_cases,
    class_policy,
    promised_policy,
    shop,
    shop_policy,
)


def test_confusion_cost_and_rates_by_hand(rng):
    policy = promised_policy(rng, 2000)
    y, s = shop(rng, 800)
    judged = judge_policy(policy, s, y)
    codes = policy.decide(s)
    table = [[np.sum((codes == code) & (y == truth)) for code in (0, 1, -1)] for truth in (0, 1)]
    assert judged.confusion.tolist() == table
    (tn, fp, an), (fn, tp, ap) = table
    assert judged.overall.cost == pytest.approx((100 * fn + 20 * fp + 4 * (an + ap)) / 800)
    assert judged.overall.miss_rate == pytest.approx(fn / (fn + ap + tp))
    assert judged.overall.alarm_rate == pytest.approx(fp / (fp + an + tn))
    assert judged.precision_negative == pytest.approx(tn / (tn + fn))
    exact = binomtest(int(tp), int(tp + fp)).proportion_ci(0.95)
    assert judged.precision_positive_interval == pytest.approx((exact.low, exact.high))
    assert not judged.broken
    assert (judged.promised_cost, judged.promised_limit) == (policy.promise.cost, policy.promise.limit)
    assert judged.promised_abstention == policy.promise.abstention_rate


@pytest.mark.parametrize(
    ("cost", "limit", "broken", "verdict"),
    [
        (Interval(0.854, 1.257), 0.9, False, "not yet certain"),
        (Interval(0.7, 0.9), 0.9, False, "kept"),
        (Interval(0.95, 1.2), 0.9, True, "not kept"),
        (None, 0.9, False, None),
        (Interval(0, 1), None, False, None),
    ],
)
def test_verdicts_by_hand(rng, cost, limit, broken, verdict):
    judged = judge_policy(shop_policy(rng, 200), [0.1, 0.9], [0, 1])
    overall = replace(judged.overall, cost_interval=cost)
    assert replace(judged, overall=overall, promised_limit=limit, broken=broken).verdict == verdict


def test_groups_share_one_level(rng):
    policy = shop_policy(rng, 2000)
    y, s = shop(rng, 900)
    group = np.array(["a", "b", "c"])[np.arange(900) % 3]
    judged = judge_policy(policy, s, y, groups=group)
    assert [one.name for one in judged.groups] == ["a", "b", "c"]
    assert np.mean([one.cost for one in judged.groups]) == pytest.approx(judged.overall.cost)
    alone = judge_policy(policy, s[group == "a"], y[group == "a"], confidence_level=1 - 0.05 / 3).overall
    assert judged.groups[0].cost_interval == alone.cost_interval
    assert judged.groups[0].decided_interval == alone.decided_interval


def test_audit_of_one_in_a_hundred_covers_the_precision_of_negatives():
    rng = np.random.default_rng(3)
    policy = shop_policy(rng, 5000)
    inside, runs = 0, 40
    for _ in range(runs):
        y, s = shop(rng, 30000)
        codes = policy.decide(s)
        truth = np.mean(~y[codes == 0])
        audited = rng.random(30000) < 0.01
        labels = np.where(audited, y.astype(float), np.nan)
        judged = judge_policy(policy, s, labels, weights=np.full(30000, 100.0))
        low, high = judged.precision_negative_interval
        inside += low <= truth <= high
        assert high - low < 0.12
    assert inside >= 36


def test_broken_promise(rng):
    policy = promised_policy(rng, 5000)
    y, s = shop(rng, 3000)
    assert not judge_policy(policy, s, y).broken
    worse = y | ((policy.decide(s) == 0) & (rng.random(3000) < 0.08))
    judged = judge_policy(policy, s, worse)
    assert judged.broken
    assert judged.overall.cost_interval.low > judged.promised_limit


def test_nothing_labelled_is_refused(rng):
    with pytest.raises(UndefinedError, match="needs labels"):
        judge_policy(shop_policy(rng, 100), [0.1, 0.2], [None, None], weights=[1, 1])


# ---------------------------------------------------------------- other rules


def test_many_classes_by_hand(rng):
    policy = class_policy(rng)
    labels, proba = class_cases(rng, 500)
    judged = judge_policy(policy, proba, labels)
    codes, truth = policy.decide(proba), np.array([CLASSES.index(label) for label in labels])
    table = [[np.sum((codes == code) & (truth == k)) for code in (0, 1, 2, -1)] for k in range(3)]
    assert judged.confusion.tolist() == table
    wrong = int(np.sum((codes != -1) & (codes != truth)))
    reviews = int(np.sum(codes == -1))
    assert judged.overall.cost == pytest.approx((wrong + 0.3 * reviews) / 500)
    assert judged.overall.decided == 1 - reviews / 500
    assert judged.overall.error_rate == wrong / 500
    exact = binomtest(wrong, 500).proportion_ci(0.95)
    assert judged.overall.error_rate_interval == pytest.approx((exact.low, exact.high))
    assert (judged.promised_cost, judged.promised_limit) == (policy.promise.cost, policy.promise.limit)
    two_sides = ("precision_negative", "precision_positive_interval")
    assert [getattr(judged, name) for name in two_sides] == [None, None]
    assert (judged.overall.miss_rate, judged.overall.alarm_rate) == (None, None)
    assert judged.overall.cost_interval.low < judged.overall.cost < judged.overall.cost_interval.high


def test_three_verdicts_of_many_classes(rng):
    policy = class_policy(rng)
    labels, proba = class_cases(rng, 2000)
    right = np.array(CLASSES)[proba.argmax(axis=1)]
    assert judge_policy(policy, proba, right).verdict == "kept"
    assert judge_policy(policy, proba[:40], labels[:40]).verdict == "not yet certain"
    broken = judge_policy(policy, proba, rng.permutation(labels))
    assert (broken.verdict, broken.broken) == ("not kept", True)
    assert broken.overall.cost_interval.low > broken.promised_limit
    silent = judge_policy(class_policy(rng, promise=None), proba, labels)
    assert (silent.verdict, silent.broken, silent.promised_cost) == (None, False, None)
    assert silent.overall.cost is not None


def test_a_cost_without_an_upper_end_is_no_promise(rng):
    """As in files of earlier versions, and with hindsight: the cost is counted, and nothing is judged."""
    labels, proba = class_cases(rng, 50)
    y, s = shop(rng, 400)
    for judged in (
        judge_policy(class_policy(rng, promise=Promise(cost=0.2)), proba, labels),
        judge_policy(shop_policy(rng, 500), s, ~y),
    ):
        assert (judged.promised_cost, judged.promised_limit, judged.verdict) == (None, None, None)
        assert judged.overall.cost > 0
        assert not judged.broken
        assert [note.split(":")[0] for note in judged.notes] == ["The policy promises no cost"]


def test_window_equals_the_same_decisions_by_class_weights(rng):
    """p <= 0.3 negative and p >= 0.7 positive: weights 1, 1 and 0.7 for abstaining decide alike."""
    promise = Promise(cost=0.5, limit=0.6)
    reviews = {"cost_abstain_positive": 1, "cost_abstain_negative": 0.5}
    by_class = CostModel(cost_fn=5, cost_fp=2, cost_tp=0.1, **reviews)
    window = Policy(rule=Window(0.3, 0.7), classes=("n", "p"), costs=by_class, promise=promise)
    weights = Policy(
        rule=ClassRule(classes=("n", "p"), weights=[1, 1], abstain_weight=0.7),
        costs=CostMatrix(values=[[0, 2], [5, 0.1]], classes=("n", "p")),
        abstain_costs=np.array([0.5, 1.0]),
        promise=promise,
    )
    p = rng.random(400)
    table = np.column_stack([1 - p, p])
    assert np.array_equal(window.decide(p), weights.decide(table))
    labels = np.where(rng.random(400) < p, "p", "n").astype(object)
    labels[::7] = None
    given = {"weights": np.full(400, 7 / 6), "groups": ["x", "y"] * 200}
    first = judge_policy(window, p, labels, **given)
    second = judge_policy(weights, table, labels, **given)
    assert first.to_dict() == second.to_dict()
    assert first.overall.cost > 0


def test_amounts_by_hand(rng):
    policy = amounts_policy(rng)
    y, s = shop(rng, 600)
    amount = np.round(rng.lognormal(4.5, 0.7, 600), 2)
    costs = CaseCosts(cost_fn=amount, cost_fp=20, cost_abstain=4)
    judged = judge_policy(policy, s, y, costs=costs, groups=np.arange(600) % 2)
    codes = policy.decide(s)
    paid = np.where(codes == -1, 4, np.where(codes == 1, np.where(y, 0, 20), np.where(y, amount, 0)))
    assert judged.overall.cost == pytest.approx(paid.mean())
    assert [one.cost for one in judged.groups] == pytest.approx([paid[::2].mean(), paid[1::2].mean()])
    assert (judged.promised_cost, judged.promised_limit) == (policy.promise.cost, policy.promise.limit)
    assert judged.verdict is not None
    assert judged.notes == ()
    # bounded by the largest loss that an action could have had: any of the cases may have been a fraud
    assert judged.overall.cost_interval.high <= amount.max()


def test_amounts_with_factors_and_a_reviewer_by_hand(rng):
    policy = amounts_policy(rng)
    s, y = np.array([policy.lower, (policy.lower + policy.upper) / 2, policy.upper]), [1, 1, 0]
    reviewer = Reviewer(fee=[1.0, 2.0, 3.0], sensitivity=0.75)
    costs = CaseCosts(cost_fn=[50, 80, 90], cost_fp=20, reviewer=reviewer, miss_factor=(0.4, 0.6))
    assert policy.decide(s).tolist() == [0, -1, 1]
    # a miss loses half of 50; the reviewer costs 2 and overlooks a quarter of 80; a false alarm costs 20
    assert judge_policy(policy, s, y, costs=costs).overall.cost == pytest.approx((25 + 22 + 20) / 3)


def test_amounts_that_are_not_given_are_noted(rng):
    policy = amounts_policy(rng)
    y, s = shop(rng, 100)
    judged = judge_policy(policy, s, y)
    assert (judged.overall.cost, judged.verdict, judged.broken) == (None, None, False)
    assert judged.promised_cost == policy.promise.cost
    assert "the amounts of these cases are needed" in judged.notes[0]
    assert judged.confusion.sum() == 100


def test_broken_promise_of_amounts(rng):
    policy = amounts_policy(rng)
    y, s = shop(rng, 2000)
    costs = CaseCosts(cost_fn=np.full(2000, 100.0), cost_fp=20, cost_abstain=4)
    assert judge_policy(policy, s, ~y, costs=costs).verdict == "not kept"


def test_labels_and_costs_that_do_not_fit_are_refused(rng):
    labels, proba = class_cases(rng, 10)
    policy = class_policy(rng)
    with pytest.raises(InputError, match="must be 'a', 'b' or 'c', as in the policy, or missing"):
        judge_policy(policy, proba, ["a"] * 9 + ["d"])
    with pytest.raises(InputError, match="length"):
        judge_policy(policy, proba, labels[:9])
    with pytest.raises(InputError, match="must have 3 columns"):
        judge_policy(policy, proba[:, :2], labels)
    costs = CaseCosts(cost_fn=1, cost_fp=1)
    with pytest.raises(InputError, match="are for a policy of amounts"):
        judge_policy(policy, proba, labels, costs=costs)
    with pytest.raises(InputError, match="length"):
        judge_policy(amounts_policy(rng), [0.5] * 3, [0, 1, 1], costs=CaseCosts(cost_fn=[1, 2], cost_fp=1))


@pytest.mark.long
def test_promise_is_rarely_called_broken():
    """Policy and later cases from one population."""
    rng = np.random.default_rng(11)
    runs = 300
    broken = 0
    for _ in range(runs):
        policy = promised_policy(rng, 2000)
        y, s = shop(rng, 2000)
        broken += judge_policy(policy, s, y).broken
    assert broken <= 0.05 * runs
