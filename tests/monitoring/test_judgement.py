"""`judge_policy`: by hand, by group, with an audit."""

import numpy as np
import pytest
from scipy.stats import binomtest

from demur import UndefinedError
from demur._results import Interval
from demur.monitoring import judge_policy
from demur.windows.policy_evidence import promise_verdict
from monitoring_cases import shop, shop_policy


def test_confusion_cost_and_rates_by_hand(rng):
    policy = shop_policy(rng, 2000)
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
    assert judged.promised_cost == policy.expected_cost < judged.promised_limit


def test_three_verdicts_by_hand():
    assert promise_verdict(Interval(0.854, 1.257), 0.9, broken=False) == "not yet certain"
    assert promise_verdict(Interval(0.7, 0.9), 0.9, broken=False) == "kept"
    assert promise_verdict(Interval(0.95, 1.2), 0.9, broken=True) == "not kept"
    assert promise_verdict(None, 0.9, broken=False) is None
    assert promise_verdict(Interval(0, 1), None, broken=False) is None


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
    policy = shop_policy(rng, 5000)
    y, s = shop(rng, 3000)
    assert not judge_policy(policy, s, y).broken
    worse = y | ((policy.decide(s) == 0) & (rng.random(3000) < 0.08))
    judged = judge_policy(policy, s, worse)
    assert judged.broken
    assert judged.overall.cost_interval.low > judged.promised_limit


def test_nothing_labelled_is_refused(rng):
    with pytest.raises(UndefinedError, match="needs labels"):
        judge_policy(shop_policy(rng, 100), [0.1, 0.2], [None, None], weights=[1, 1])


@pytest.mark.long
def test_promise_is_rarely_called_broken():
    """Policy and later cases from one population: the cost stated with hindsight is a bit too low."""
    rng = np.random.default_rng(11)
    runs = 300
    broken = 0
    for _ in range(runs):
        policy = shop_policy(rng, 2000)
        y, s = shop(rng, 2000)
        broken += judge_policy(policy, s, y).broken
    assert broken <= 0.05 * runs
