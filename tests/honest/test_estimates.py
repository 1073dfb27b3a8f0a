"""Mean costs from tables of outcomes: against the form of two classes, NumPy, and by hand."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from demur import ABSTAIN, CostModel
from demur.costs.losses import Losses
from demur.honest.estimates import (
    OutcomeSums,
    cost_interval,
    mean_and_error,
    mean_cost,
    table_beyond,
    table_difference,
    table_estimate,
)
from demur.honest.intervals import OutcomeTable, honest_interval, loss_sums
from examples import examples

Z = 1.959963984540054
W = Z**2 / 4
PRICES = {"miss": 1.0, "alarm": 0.5, "abstain_positive": 0.2, "abstain_negative": 0.1}
COSTS = CostModel(cost_fn=1, cost_fp=0.5, cost_abstain_positive=0.2, cost_abstain_negative=0.1)
LOSSES = COSTS.losses


def two_classes(table):
    """The same table as the intervals of two classes take it."""
    (right_negative, alarmed, kept_negative), (missed, right_positive, kept_positive) = table
    return OutcomeTable(missed, right_positive, kept_positive, alarmed, right_negative, kept_negative)


@given(st.integers(0, 10**6), st.sampled_from([None, 0.2]))
@settings(max_examples=examples(60), deadline=None)
def test_two_classes_against_their_own_form(seed, rate):
    rng = np.random.default_rng(seed)
    hindsight, honest = rng.integers(0, 6, (2, 2, 3)) * rng.integers(0, 2, (2, 2, 3)) + 0.5
    shares = None if rate is None else np.array([1 - rate, rate])
    sums = [OutcomeSums.of_table(table, LOSSES.relative) for table in (hindsight, honest)]
    wanted = [loss_sums(two_classes(table), **PRICES) for table in (hindsight, honest)]
    ends = honest_interval(*wanted, level=0.95, prevalence=rate)
    assert cost_interval(*sums, shares, level=0.95) == pytest.approx(tuple(map(float, ends)), rel=1e-12)


def test_mean_and_error_against_numpy():
    table = np.array([[40, 5, 6], [3, 20, 4]])
    per_class = [np.repeat(LOSSES.table[k], table[k]) for k in (0, 1)]
    both = np.concatenate(per_class)
    sums = OutcomeSums.of_table(table.astype(float), LOSSES.table)
    wanted = both.mean(), both.std(ddof=1) / math.sqrt(len(both))
    assert mean_and_error(sums, None) == pytest.approx(wanted)
    assert mean_cost(sums.cases, sums.losses, None) == pytest.approx(both.mean())
    shares = np.array([0.8, 0.2])
    mean = 0.8 * per_class[0].mean() + 0.2 * per_class[1].mean()
    error = math.sqrt(0.8**2 * per_class[0].var(ddof=1) / 51 + 0.2**2 * per_class[1].var(ddof=1) / 27)
    assert mean_and_error(sums, shares) == pytest.approx((mean, error))


def test_a_class_without_cases_and_without_share_counts_nothing():
    table = np.array([[10.0, 0, 0], [0, 0, 0]])
    sums = OutcomeSums.of_table(table, LOSSES.table)
    assert mean_and_error(sums, np.array([1.0, 0.0])) == (0.0, 0.0)
    assert mean_cost(table, sums.losses, np.array([1.0, 0.0])) == 0.0


# ---------------------------------------------------------------- differences

# element [k, i, j]: cases of class k for which the first rule acts i and the second j
JOINT = np.array([[[50, 1, 3], [4, 3, 1], [2, 0, 6]], [[2, 3, 1], [1, 30, 5], [0, 2, 4]]])


def gaps_of(joint, loss):
    return np.concatenate([np.full(joint[i, j], loss[i] - loss[j]) for i in range(3) for j in range(3)])


def test_difference_against_numpy():
    joint = JOINT.astype(float)
    gaps = [gaps_of(JOINT[k], LOSSES.table[k]) for k in (0, 1)]
    both = np.concatenate(gaps)
    n = len(both)
    # each of the two rules errs once more each way: squares 1 and 0.25
    square = (both**2).sum() + W * (2 * 1.0 + 2 * 0.25)
    error = math.sqrt((square - both.sum() ** 2 / n) / (n * (n - 1)))
    low, high = table_difference(joint, joint, LOSSES, None, level=0.95)
    assert (low, high) == pytest.approx((both.mean() - Z * error, both.mean() + Z * error))
    low, high = table_difference(joint, joint, LOSSES, np.array([0.6, 0.4]), level=0.95)
    assert (low + high) / 2 == pytest.approx(0.6 * gaps[0].mean() + 0.4 * gaps[1].mean())


@given(st.integers(0, 1000), st.integers(2, 4))
@settings(max_examples=examples(20), deadline=None)
def test_exchanging_the_rules_changes_the_sign(seed, m):
    rng = np.random.default_rng(seed)
    hindsight, honest = rng.integers(0, 9, (2, m, m + 1, m + 1)).astype(float)
    losses = Losses(by_class=rng.exponential(size=(m, m + 1)) * (1 - np.eye(m, m + 1)))
    low, high = table_difference(hindsight, honest, losses, None, level=0.9)
    swapped = (table.transpose(0, 2, 1) for table in (hindsight, honest))
    assert table_difference(*swapped, losses, None, level=0.9) == pytest.approx((-high, -low))


def test_equal_decisions_everywhere_still_leave_doubt():
    joint = np.array([np.diag([60.0, 0, 0]), np.diag([0, 40.0, 0])])
    low, high = table_difference(joint, joint, LOSSES, None, level=0.95)
    assert low == pytest.approx(-high)
    assert high == pytest.approx(Z * math.sqrt(W * 2.5 / (100 * 99)))
    # two rules that abstain on everything are one rule
    joint = np.array([np.diag([0, 0, 60.0]), np.diag([0, 0, 40.0])])
    assert table_difference(joint, joint, LOSSES, None, level=0.95) == (0, 0)


def test_beyond_a_constant_by_hand():
    # always abstaining costs 0.1 and 0.2; a rule that abstains on all cases costs nothing beyond it
    table = np.array([[0, 0, 60.0], [0, 0, 40.0]])
    assert table_beyond(table, table, ABSTAIN, LOSSES, None, level=0.95) == (0, 0)
    # without errors the rule saves 0.1 on 60 cases and 0.2 on 40
    table = np.array([[60.0, 0, 0], [0, 40.0, 0]])
    low, high = table_beyond(table, table, ABSTAIN, LOSSES, None, level=0.95)
    assert low < -0.14 < high


def test_costs_of_right_answers_are_certain():
    rewarded = CostModel(cost_fn=1, cost_fp=0.5, cost_abstain=0.3, cost_tp=-2, cost_tn=0.1)
    table = np.array([[55.0, 5, 0], [3, 37, 0]])
    plain = CostModel(cost_fn=3, cost_fp=0.4, cost_abstain_positive=2.3, cost_abstain_negative=0.2)
    options = {"shares": None, "level": 0.95, "abstains": True}
    got = table_estimate(table, table, rewarded.losses, **options)
    relative = table_estimate(table, table, plain.losses, **options)
    base = 0.6 * 0.1 - 0.4 * 2
    assert got.cost == pytest.approx(relative.cost + base)
    assert tuple(got.interval) == pytest.approx(tuple(end + base for end in relative.interval))
