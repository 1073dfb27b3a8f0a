"""Non-inferiority and equivalence: by hand, against the score statistic, and their level by enumeration."""

import math

import numpy as np
import pytest
from scipy.stats import binom, multinomial, norm

from demur import InputError, UndefinedError, auc_difference_test
from demur.auc import auc_margin_test
from demur.roc import cost_margin_test, tango_interval, tango_margin_test


def tango_statistic(b, c, n, d):
    """T(d) of Tango (1998), eq. 1 and 2."""
    w = -b - c + (2 * n - b + c) * d
    q = (math.sqrt(max(w * w + 8 * n * c * d * (1 - d), 0.0)) - w) / (4 * n)
    return (b - c - n * d) / math.sqrt(n * (2 * q + d * (1 - d)))


@pytest.mark.parametrize(
    ("b", "c", "n", "margin"), [(11, 9, 160, 0.1), (3, 0, 40, 0.05), (0, 0, 30, 0.2), (9, 1, 40, 0.1)]
)
def test_pvalue_is_the_tail_of_the_score_statistic(b, c, n, margin):
    found = tango_margin_test(b, c, n, margin=margin)
    assert found.pvalue == pytest.approx(norm.cdf(tango_statistic(b, c, n, margin)), abs=1e-9)
    assert found.difference == (b - c) / n
    assert found.interval == pytest.approx(
        (
            tango_interval(b, c, n, confidence_level=0.9).low,
            tango_interval(b, c, n, confidence_level=0.9).high,
        )
    )
    assert found.established == (found.interval.high < margin)
    both = tango_margin_test(b, c, n, margin=margin, question="equivalence")
    other = norm.cdf(tango_statistic(c, b, n, margin))
    assert both.pvalue == pytest.approx(max(found.pvalue, other), abs=1e-9)


def test_no_discordant_case_by_hand():
    # b = c = 0: T(d) = -n d / sqrt(n d (1 - d)), so T = -sqrt(n d / (1 - d)) = -sqrt(20) at n = 80, d = 0.2
    assert tango_margin_test(0, 0, 80, margin=0.2).pvalue == pytest.approx(norm.cdf(-math.sqrt(20)), rel=1e-6)


def test_level_at_the_margin_by_enumeration():
    """The truth lies exactly on the margin: the claim may be made in 5 % of the samples, a little more."""
    n, only_b = 30, 0.05
    level = 0.0
    for b in range(n + 1):
        for c in range(n + 1 - b):
            chance = multinomial.pmf([b, c, n - b - c], n, [only_b + 0.15, only_b, 0.75])
            if chance > 1e-7:
                level += chance * tango_margin_test(b, c, n, margin=0.15).established
    assert level == pytest.approx(0.05, abs=0.015)


def test_cost_of_one_class_is_tango_by_hand():
    y = [1] * 40 + [0] * 10
    a, b = np.ones(50, int), np.ones(50, int)
    a[:5], b[5:7] = 0, 0  # a alone misses 5, b alone 2, of 40
    a[40:], b[40:] = 0, 0
    found = cost_margin_test(y, a, b, margin=2.0, cost_fn=10, cost_fp=0, prevalence=0.5)
    alone = tango_margin_test(5, 2, 40, margin=2.0 / 5)
    assert found.difference == pytest.approx(0.5 * 10 * 3 / 40)
    assert found.pvalue == pytest.approx(alone.pvalue, abs=1e-9)
    assert found.interval == pytest.approx([5 * limit for limit in alone.interval])


def test_costs_of_both_classes_by_hand():
    y = [1] * 20 + [0] * 80
    a = [1] * 18 + [0] * 2 + [0] * 76 + [1] * 4
    b = [1] * 19 + [0] * 1 + [0] * 74 + [1] * 6
    found = cost_margin_test(y, a, b, margin=0.5, cost_fn=10, significance_level=0.025)
    # one more miss in 20 positives (share 0.2, cost 10), two alarms less in 80 negatives (share 0.8)
    assert found.difference == pytest.approx(0.2 * 10 / 20 - 0.8 * 2 / 80)
    miss, alarm = tango_interval(1, 0, 20), tango_interval(0, 2, 80)
    low = math.hypot(2 * (0.05 - miss.low), 0.8 * (-0.025 - alarm.low))
    high = math.hypot(2 * (miss.high - 0.05), 0.8 * (alarm.high + 0.025))
    assert found.interval == pytest.approx((found.difference - low, found.difference + high))
    mirrored = cost_margin_test(y, b, a, margin=0.5, cost_fn=10, significance_level=0.025)
    assert mirrored.interval == pytest.approx((-found.interval.high, -found.interval.low))


def test_auc_by_hand():
    rng = np.random.default_rng(4)
    y = np.repeat([0, 1], 40)
    a, b = rng.normal(size=(2, 80)) + 1.5 * y
    test = auc_difference_test(y, a, b, method="delong")
    error = math.sqrt(test.variance)
    found = auc_margin_test(y, a, b, margin=0.1)
    assert found.pvalue == pytest.approx(norm.sf((test.difference + 0.1) / error))
    assert found.interval == pytest.approx(test.interval(0.9))
    both = auc_margin_test(y, a, b, margin=0.1, question="equivalence")
    assert both.pvalue == pytest.approx(
        max(norm.sf((test.difference + 0.1) / error), norm.cdf((test.difference - 0.1) / error))
    )
    # a difference exactly on the margin
    edge = auc_margin_test(y, a, b, margin=abs(test.difference), question="equivalence")
    assert edge.pvalue == pytest.approx(0.5)
    worse = auc_margin_test(y, -a, b, margin=0.01)
    assert worse.pvalue == pytest.approx(1)
    assert not worse.established


def test_identical_models_are_equivalent():
    y, s = [0, 1, 0, 1, 1], [1, 3, 2, 2, 5]
    assert auc_margin_test(y, s, s, margin=0.01, question="equivalence").established
    assert cost_margin_test(y, y, y, margin=1.5).pvalue < 0.05
    assert not cost_margin_test(y, y, y, margin=0.01).established  # five cases cannot show it


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: tango_margin_test(1, 2, 10, margin=0), "`margin` must be positive, got 0.*acceptable"),
        (lambda: tango_margin_test(1, 2, 2, margin=0.1), "`n` must be at least b"),
        (
            lambda: tango_margin_test([], 2, 60, margin=0.1),
            "`b` must be one whole number of cases, got shape",
        ),
        (
            lambda: tango_margin_test(1, 2, 10, margin=0.1, question="superiority"),
            "`question` must be one of",
        ),
        (lambda: tango_margin_test(1, 2, 10, margin=0.1, significance_level=0.5), "below 0.5"),
        (lambda: cost_margin_test([0, 1], [0, 1], [0], margin=1), "decision_b"),
        (lambda: cost_margin_test([0, 1], [0, 1], [0, 2], margin=1), "pos_label"),
    ],
)
def test_refusals(call, words):
    with pytest.raises(InputError, match=words):
        call()
    with pytest.raises(UndefinedError, match="no negative case"):
        cost_margin_test([1, 1], [0, 1], [1, 1], margin=1, pos_label=1)


@pytest.mark.long
def test_level_of_the_cost_test_at_the_margin():
    """Independent errors of both classes, the true difference exactly on the margin."""
    rng = np.random.default_rng(6)
    y = np.repeat([1, 0], [60, 140])
    true = 0.3 * 5 * 0.1 + 0.7 * 0.05  # a misses 0.25 against 0.15, false alarms 0.15 against 0.10
    found = 0
    for _ in range(300):
        a, b = (
            np.where(y, rng.random(200) > miss, rng.random(200) < alarm)
            for miss, alarm in ((0.25, 0.15), (0.15, 0.1))
        )
        found += cost_margin_test(y, a.astype(int), b.astype(int), margin=true, cost_fn=5).established
    assert binom.sf(found - 1, 300, 0.065) > 0.001
