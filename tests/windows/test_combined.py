"""Rules of several scores: a window with a guard, and cautious classifiers combined."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from demur import ABSTAIN, CostModel, InputError, decide
from demur.windows import combined_rule, guarded_window
from demur.windows.row_costs import RowCosts
from examples import examples

PRICES = CostModel(cost_fn=4, cost_fp=2, cost_abstain=0.7, cost_tp=0.5, cost_tn=-0.25)
PRICE = {(1, 1): 0.5, (1, 0): 4, (0, 1): 2, (0, 0): -0.25, (1, ABSTAIN): 0.7, (0, ABSTAIN): 0.7}


def mean_cost(y, codes, weights):
    paid = [PRICE[label, code] for label, code in zip(y, codes, strict=True)]
    return np.average(paid, weights=weights)


def cuts(values):
    """Thresholds below, between and above some values."""
    levels = sorted(set(values))
    return [-math.inf, *((a + b) / 2 for a, b in itertools.pairwise(levels)), math.inf]


def windows(values):
    return [(a, b) for a, b in itertools.product(cuts(values), repeat=2) if a <= b]


def test_guard_by_hand():
    # window at 0.5 decides six rightly; the two far cases cost 0.2 each instead of 1 each
    y, score = [0, 0, 0, 1, 1, 1, 1, 0], [0.1, 0.2, 0.3, 0.7, 0.8, 0.9, 0.05, 0.95]
    distance = [0.3, 0.5, 0.4, 0.4, 0.3, 0.5, 4.1, 3.7]
    rule = guarded_window(y, score, distance, costs=CostModel(cost_abstain=0.2))
    assert (rule.max_doubt, rule.lower, rule.upper) == (2.1, 0.5, 0.5)
    assert rule.cost == pytest.approx(0.4 / 8)
    assert rule.unguarded_cost == pytest.approx(0.2)  # without a guard everything is abstained on
    assert (rule.abstention_rate, rule.refused_rate) == (0.25, 0.25)
    assert rule.decide([0.9, 0.9, 0.1], [2.1, 2.2, 0]).tolist() == [1, ABSTAIN, 0]


def test_guard_that_does_not_pay_by_hand():
    # every score is right: no limit, whatever the doubt
    data, costs = ([0, 1, 0, 1], [1, 2, 1, 3], [5, 1, 2, 9]), CostModel(cost_abstain=0.2)
    rule = guarded_window(*data, costs=costs)
    assert (rule.max_doubt, rule.cost, rule.refused_rate) == (math.inf, 0, 0)
    fixed = guarded_window(
        [0, 1, 0, 1], [1, 2, 1, 3], [5, 1, 2, 9], costs=CostModel(cost_abstain=0.2), max_doubt=5
    )
    assert (fixed.cost, fixed.refused_rate) == (pytest.approx(0.05), 0.25)


small = st.lists(
    st.tuples(
        st.integers(0, 1),
        st.sampled_from([0.1, 0.4, 0.6, 0.9]),
        st.integers(0, 3),
        st.sampled_from([1, 2, 0.5]),
    ),
    min_size=2,
    max_size=8,
)


@settings(max_examples=examples(80), deadline=None)
@given(small)
def test_guard_against_enumeration(rows):
    y, score, doubt, weights = (list(column) for column in zip(*rows, strict=True))
    y[0], y[1] = 0, 1
    rule = guarded_window(y, score, doubt, costs=PRICES, sample_weight=weights)
    best = min(
        mean_cost(y, np.where(np.array(doubt) > limit, ABSTAIN, decide(score, window)), weights)
        for limit in cuts(doubt)[1:]
        for window in windows(score)
    )
    assert rule.cost == pytest.approx(best, abs=1e-9)
    assert mean_cost(y, rule.decide(score, doubt), weights) == pytest.approx(rule.cost, abs=1e-9)


def test_many_doubts_are_tried_in_pieces(monkeypatch):
    rng = np.random.default_rng(1)
    y = np.arange(300) % 2
    score, doubt = y + rng.normal(0, 0.8, 300), rng.random(300)
    whole = guarded_window(y, score, doubt, costs=PRICES)
    monkeypatch.setattr("demur.windows.guarded._NUMBERS_AT_ONCE", 1000)
    assert guarded_window(y, score, doubt, costs=PRICES).to_dict() == whole.to_dict()


# ---------------------------------------------------------------- combinations

Y = [0, 0, 0, 1, 0, 1, 1, 1]
TESTS = {
    "quick": [0.1, 0.1, 0.2, 0.5, 0.5, 0.8, 0.9, 0.9],
    "dear": [0.1, 0.2, 0.2, 0.9, 0.1, 0.8, 0.8, 0.9],
}


def test_chain_by_hand():
    # the quick test leaves its two cases at 0.5 to the dear one, which is right: 2 x 0.1 / 8
    rule = combined_rule(Y, TESTS, how="chain", costs=CostModel(cost_abstain=0.3), stage_costs=[0, 0.1])
    assert rule.cost == pytest.approx(0.025)
    table = np.column_stack(list(TESTS.values()))
    assert rule.decide(table).tolist() == Y
    assert rule.fees(table).tolist() == [0, 0, 0, 0.1, 0.1, 0, 0, 0]
    # at 0.6 a case it does not pay to ask: one threshold of the quick test errs once
    dear = combined_rule(Y, TESTS, how="chain", costs=CostModel(cost_abstain=0.3), stage_costs=[0, 0.6])
    assert dear.cost == pytest.approx(1 / 8)


def test_vote_by_hand():
    # a abstains at 0.5 and 0.6, b and c vote for one class each; the balance settles all eight
    y = [0, 0, 0, 0, 1, 1, 1, 1]
    members = {
        "a": [0.1, 0.1, 0.1, 0.5, 0.5, 0.9, 0.9, 0.9],
        "b": [0.1, 0.1, 0.9, 0.1, 0.9, 0.9, 0.9, 0.1],
        "c": [0.1, 0.1, 0.1, 0.1, 0.9, 0.9, 0.9, 0.9],
    }
    rule = combined_rule(y, members, how="vote", costs=CostModel(cost_abstain=0.3))
    table = np.column_stack(list(members.values()))
    assert rule.decide(table).tolist() == y
    assert rule.cost == 0
    votes = np.array([decide(table[:, k], rule.windows[k]) for k in range(3)])
    assert votes[0].tolist() == [0, 0, 0, ABSTAIN, ABSTAIN, 1, 1, 1]


def test_disagreement_is_abstained_on():
    # the mean is 0.6 for all; where the members agree it is right, where they do not it is not
    y = [1, 1, 1, 0, 1, 0]
    members = {"a": [0.6, 0.6, 0.6, 0.2, 0.2, 0.2], "b": [0.6, 0.6, 0.6, 1.0, 1.0, 1.0]}
    rule = combined_rule(y, members, how="variance", costs=CostModel(cost_abstain=0.3))
    assert rule.decide(np.column_stack(list(members.values()))).tolist() == [1, 1, 1, -1, -1, -1]
    assert rule.max_disagreement == pytest.approx(0.2)


@settings(max_examples=examples(40), deadline=None)
@given(small)
def test_chain_against_enumeration(rows):
    y, score, doubt, weights = (list(column) for column in zip(*rows, strict=True))
    y[0], y[1] = 0, 1
    members = {"a": score, "b": [0.2 + value / 5 for value in doubt]}
    fees = [0.1, 0.25]
    rule = combined_rule(y, members, how="chain", costs=PRICES, stage_costs=fees, sample_weight=weights)
    columns = [np.array(column) for column in members.values()]

    def cost(first, second):
        codes = decide(columns[0], first)
        asked = codes == ABSTAIN
        codes[asked] = decide(columns[1], second)[asked]
        return mean_cost(y, codes, weights) + fees[0] + fees[1] * np.average(asked, weights=weights)

    assert cost(*rule.windows) == pytest.approx(rule.cost, abs=1e-9)
    # no other window of one stage, the other held, is cheaper
    first, second = rule.windows
    assert rule.cost <= min(cost(window, second) for window in windows(columns[0])) + 1e-9
    assert rule.cost <= min(cost(first, window) for window in windows(columns[1])) + 1e-9


def test_row_costs_leave_out_what_every_decision_costs():
    amounts = RowCosts.of(np.array([True, False]), PRICES, None)
    assert amounts.base.tolist() == [0.5, -0.25]
    assert amounts.paid(np.array([0, 1])).tolist() == [4, 2]
    assert amounts.paid(np.array([ABSTAIN, 0])).tolist() == [0.7, -0.25]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: combined_rule(Y, {"one": TESTS["quick"]}, costs=PRICES), "two or more"),
        (lambda: combined_rule(Y, {**TESTS, "vote": TESTS["quick"]}, costs=PRICES), "a way to combine"),
        (lambda: combined_rule(Y, TESTS, costs=PRICES, stage_costs=[1]), "one number per member"),
        (lambda: combined_rule(Y, {**TESTS, "c": [3] * 8}, costs=PRICES), r"scores\['c'\].*probabilities"),
        (lambda: combined_rule(Y, TESTS, costs=PRICES, how="best"), "`how`"),
        (lambda: guarded_window(Y, TESTS["quick"], Y, costs=CostModel()), "what abstaining costs"),
        (lambda: guarded_window(Y, TESTS["quick"], Y, costs=PRICES, max_doubt=-1), "some cases pass"),
    ],
)
def test_errors_name_the_argument(call, message):
    with pytest.raises(InputError, match=message):
        call()
