"""Honest costs and differences of judged rules: against loops over cases and splits, by hand, and laws."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from demur import ABSTAIN, CostModel
from demur.costs import CaseCosts
from demur.costs.losses import Losses
from demur.honest.cases import SplitCases
from demur.honest.decisions import Judged, judge_constant
from demur.honest.estimates import (
    cost_estimate,
    cost_gap,
    mean_cost,
    paired_interval,
    row_losses,
    tabled_losses,
)
from demur.honest.expected_cost import judged_rule
from demur.honest.mean_loss import mean_loss
from demur.honest.splits import Splits
from examples import examples
from loss_oracles import SlowRule, slow_estimate, slow_gap


def split(codes, classes, weight, meaning, repeats):
    """Splits of cases of two classes or more; `codes` in the order of the rows."""
    if classes == 2:
        return SplitCases.of_rows(
            codes == 1,
            weight,
            weights=meaning or "importance",
            prevalence=None,
            folds=2,
            repeats=repeats,
            rng=0,
            quantity="a cost",
        )
    cases = SplitCases.of_classes(codes, weight, list(range(classes)), rng=0)
    return replace(cases, splits=Splits(cases.splits.repeats[:repeats], cases.folds))


def judged(cases, rule):
    """The same decisions in the order of the splits."""
    repeats = cases.splits.repeats
    honest = tuple(
        np.array(codes, dtype=np.int8)[rows.cell] for codes, rows in zip(rule.honest, repeats, strict=True)
    )
    hindsight = np.array(rule.hindsight, dtype=np.int8)[repeats[0].cell]
    scores = None if rule.scores is None else np.array(rule.scores)
    return judged_rule(cases, Judged(honest, hindsight), scores)


class Case:
    """Random decisions of two rules, costs by class or case, weights and shares, for package and oracle."""

    def __init__(self, seed, classes, by_case, meaning, shares, repeats, with_scores):
        rng = np.random.default_rng(seed)
        n = 14
        self.codes = rng.permutation(np.arange(n) % classes)
        self.weight = None
        if meaning == "importance":
            self.weight = rng.choice([0.5, 1.0, 2.0, 7.0], n)
        elif meaning == "repeats":
            self.weight = rng.integers(1, 4, n).astype(float)
        self.cases = split(self.codes, classes, self.weight, meaning, repeats)
        self.shares = None if not shares else rng.dirichlet(np.ones(classes))
        table = np.round(rng.exponential(4, (classes, classes + 1)), 1)
        table[np.arange(classes), np.arange(classes)] = 0
        table[:, -1] = 1.5
        amounts = table[self.codes] * rng.choice([0.2, 1.0, 9.0], (n, 1))
        amounts[:, -1] = 1.5 * rng.choice([1.0, 2.0])
        self.same_review = bool(by_case and rng.random() < 0.5)
        self.losses = (
            Losses(by_case=amounts, same_review=self.same_review) if by_case else Losses(by_class=table)
        )
        self.costs = (amounts if by_case else table[self.codes]).tolist()
        self.rules = [self._rule(rng, n, classes, repeats, with_scores) for _ in range(2)]
        self.fast = [judged(self.cases, rule) for rule in self.rules]

    def _rule(self, rng, n, classes, repeats, with_scores):
        actions = rng.choice([*range(classes), ABSTAIN], rng.integers(1, classes + 2), replace=False)
        honest = [rng.choice(actions, n).tolist() for _ in range(repeats)]
        scores = None
        if with_scores:
            scores = rng.integers(0, 5, n).tolist() if classes == 2 else rng.random((n, classes)).tolist()
        return SlowRule(honest, rng.choice(actions, n).tolist(), scores)

    @property
    def asked(self):
        """The cases one by one: those that stand for several are several."""
        return self._each(self.costs), {
            "classes": self._each(self.codes.tolist()),
            "weights": self.weight if self.cases.weights == "importance" else None,
            "shares": None if self.shares is None else self.shares.tolist(),
        }

    def slow(self, rule):
        return SlowRule(
            [self._each(codes) for codes in rule.honest],
            self._each(rule.hindsight),
            None if rule.scores is None else self._each(rule.scores),
        )

    def _each(self, values):
        if self.cases.weights != "repeats":
            return list(values)
        return [value for value, number in zip(values, self.weight, strict=True) for _ in range(int(number))]


CASES = st.builds(
    Case,
    seed=st.integers(0, 10**6),
    classes=st.sampled_from([2, 3]),
    by_case=st.booleans(),
    meaning=st.sampled_from([None, "importance"]),
    shares=st.booleans(),
    repeats=st.sampled_from([1, 3]),
    with_scores=st.booleans(),
)
REPEATED = st.builds(
    Case,
    seed=st.integers(0, 10**6),
    classes=st.just(2),
    # what a half of a class is does not depend on copies where all cases of a class cost the same
    by_case=st.just(False),
    meaning=st.just("repeats"),
    shares=st.booleans(),
    repeats=st.sampled_from([1, 3]),
    with_scores=st.just(False),
)


def require(found, wanted, level):
    assert found.mean.units == wanted.mean.units
    values = found.cost, found.mean.standard_error, found.mean.raised, found.hindsight, *found.interval
    slow = wanted.mean.cost, wanted.mean.error, wanted.mean.raised, wanted.hindsight, *wanted.interval
    assert values == pytest.approx(slow, rel=1e-10, abs=1e-10)
    assert found.worst_seen == wanted.worst_seen


@given(CASES | REPEATED, st.sampled_from([0.8, 0.95]))
@settings(max_examples=examples(150), deadline=None)
def test_cost_against_loops_over_cases_and_splits(case, level):
    costs, given = case.asked
    for fast, slow in zip(case.fast, case.rules, strict=True):
        found = cost_estimate(fast, case.losses, case.shares, level=level)
        wanted = slow_estimate(case.slow(slow), costs, level=level, same_review=case.same_review, **given)
        if wanted.interval[0] == wanted.interval[1]:
            assert found.interval.low == found.interval.high == pytest.approx(wanted.mean.cost)
            continue
        require(found, wanted, level)


@given(CASES | REPEATED)
@settings(max_examples=examples(100), deadline=None)
def test_difference_against_loops_over_cases_and_splits(case):
    costs, given = case.asked
    found = cost_gap(*case.fast, case.losses, case.shares)
    wanted = slow_gap(*map(case.slow, case.rules), costs, **given)
    assert found == pytest.approx(tuple(wanted), rel=1e-10, abs=1e-10)
    assert found.interval(0.9, shift=0.25) == pytest.approx(wanted.interval(0.9, 0.25), rel=1e-9, abs=1e-9)


@given(st.integers(0, 10**6), st.sampled_from([2, 3]), st.sampled_from([None, "importance"]), st.booleans())
@settings(max_examples=examples(40), deadline=None)
def test_tables_of_one_split_give_what_its_cases_give(seed, classes, meaning, shares):
    for repeats in (1, 3):
        case = Case(seed, classes, False, meaning, shares, repeats, True)
        for rule in case.fast:
            tabled, by_row = (
                mean_loss(loss, sample, 10.0)
                for (loss,), sample in (
                    read([rule], case.losses, case.shares) for read in (tabled_losses, row_losses)
                )
            )
            assert tabled.cost == pytest.approx(by_row.cost, rel=1e-12, abs=1e-12)
            if repeats == 1:
                assert tabled == pytest.approx(by_row, rel=1e-12, abs=1e-12)
            else:
                # tables know the mean of several splits, but not which case was decided differently
                assert tabled.standard_error >= by_row.standard_error - 1e-12


@given(st.integers(0, 10**6), st.sampled_from([None, "importance"]), st.booleans(), st.sampled_from([1, 3]))
@settings(max_examples=examples(40), deadline=None)
def test_equal_amounts_are_costs_by_class(seed, meaning, shares, repeats):
    case = Case(seed, 2, False, meaning, shares, repeats, True)
    costs = CostModel(cost_fn=7, cost_fp=2, cost_abstain=0.5)
    amounts = CaseCosts(cost_fn=np.full(14, 7.0), cost_fp=2.0, cost_abstain=0.5)
    by_case = amounts.losses(case.codes)
    for rule in case.fast:
        one, other = (
            cost_estimate(rule, losses, case.shares, level=0.95) for losses in (by_case, costs.losses)
        )
        assert one.mean == pytest.approx(other.mean, rel=1e-12, abs=1e-12)
        assert one.interval == pytest.approx(other.interval, rel=1e-12, abs=1e-12)
        assert (one.hindsight, one.worst_seen) == (
            pytest.approx(other.hindsight, rel=1e-12, abs=1e-12),
            other.worst_seen,
        )
    gaps = [cost_gap(*case.fast, losses, case.shares) for losses in (by_case, costs.losses)]
    assert gaps[0] == pytest.approx(gaps[1], rel=1e-12, abs=1e-12)


# ---------------------------------------------------------------- by hand

LOSSES = CostModel(cost_fn=10, cost_fp=4, cost_abstain=1).losses
HALF = np.repeat([0, 1], [6, 4])
"""Six negatives, then four positives."""


def rule_of(codes, *, scores=None, weight=None):
    cases = split(HALF, 2, weight, "importance", 1)
    return judged(cases, SlowRule([codes], codes, scores))


def test_what_is_certain_bounds_the_lower_end_by_hand():
    # five of ten cases are reviewed at a price of 1; the others are right
    found = cost_estimate(rule_of([0, 0, 0, -1, -1, -1, -1, -1, 1, 1]), LOSSES, None, level=0.95)
    assert found.cost == 0.5
    assert found.interval.low == 0.5  # not 0.5 less some standard errors
    assert not found.worst_seen
    # in use nine of ten cases are negative: half of them are reviewed, and half of the positives
    shares = np.array([0.9, 0.1])
    found = cost_estimate(rule_of([0, 0, 0, -1, -1, -1, -1, -1, 1, 1]), LOSSES, shares, level=0.95)
    assert found.interval.low == pytest.approx(0.5)
    # a false alarm on top: at least the reviews are certain
    found = cost_estimate(rule_of([0, 0, 1, -1, -1, -1, -1, -1, 1, 1]), LOSSES, None, level=0.95)
    assert found.cost == pytest.approx(0.9)
    assert found.interval.low == 0.5


@pytest.mark.parametrize("shares", [None, np.array([0.8, 0.2])])
@pytest.mark.parametrize("weight", [None, np.linspace(0.5, 3, 10)])
@pytest.mark.parametrize("by_case", [False, True])
def test_a_certain_cost_has_no_width(shares, weight, by_case):
    cases = split(HALF, 2, weight, "importance", 1)
    rule = judged_rule(cases, judge_constant(cases, ABSTAIN), None)
    losses = CaseCosts(cost_fn=np.arange(10.0), cost_fp=4, cost_abstain=0.3).losses(HALF)
    found = cost_estimate(rule, losses if by_case else CostModel(cost_abstain=0.3).losses, shares, level=0.95)
    assert (found.cost, *found.interval) == pytest.approx((0.3, 0.3, 0.3), rel=1e-12)
    assert found.interval.low == found.interval.high == found.mean.raised
    # calling every case positive costs 4 where it is negative: known only as far as the shares are
    rule = judged_rule(cases, judge_constant(cases, 1), None)
    found = cost_estimate(rule, LOSSES, shares, level=0.95)
    assert found.interval.low < found.cost < found.interval.high or shares is not None
    assert found.worst_seen


def test_the_worst_loss_is_that_of_actions_taken_by_hand():
    # never negative: a miss at 10 cannot happen, a false alarm at 4 can
    found = cost_estimate(rule_of([-1, -1, -1, -1, -1, -1, -1, -1, 1, 1]), LOSSES, None, level=0.95)
    assert found.mean.raised == pytest.approx((0.8 + 0.4) / 1.1)
    # a negative weighs 0.95 / 0.6 of the average case where 95 % are negative, a positive 0.05 / 0.4
    shares = np.array([0.95, 0.05])
    found = cost_estimate(rule_of([0] * 6 + [1] * 4), LOSSES, shares, level=0.95)
    worst = max(4 * 0.95 / 0.6, 10 * 0.05 / 0.4)
    assert found.mean.raised == pytest.approx(worst / 10 / 1.1)


def test_a_large_amount_far_from_the_threshold_does_not_count_by_hand():
    codes, scores = [0] * 6 + [1] * 4, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]
    stakes = np.array([0, 0, 0, 0, 0, 0, 50.0, 60, 3, 1000])
    losses = CaseCosts(cost_fn=stakes, cost_fp=4.0).losses(HALF)
    # misses are looked for among the two positives of the lowest scores: 50 and 60
    found = cost_estimate(rule_of(codes, scores=scores), losses, None, level=0.95)
    assert found.mean.raised == pytest.approx(60 / 11)
    # without scores any case may be missed
    found = cost_estimate(rule_of(codes), losses, None, level=0.95)
    assert found.mean.raised == pytest.approx(1000 / 11)
    # and so may a heavy one: weight 5 among ten, mean 1.4
    weight = np.array([1, 1, 1, 1, 1, 1, 1, 5.0, 1, 1])
    table = CostModel(cost_fn=10, cost_fp=4).losses
    found = cost_estimate(rule_of(codes, scores=scores, weight=weight), table, None, level=0.95)
    assert found.mean.raised == pytest.approx(10 * 5 / 1.4 / 11)
    weight = np.array([1, 1, 1, 1, 1, 1, 1, 1, 1, 5.0])
    found = cost_estimate(rule_of(codes, scores=scores, weight=weight), table, None, level=0.95)
    assert found.mean.raised == pytest.approx(10 / 1.4 / 11)


def test_the_worst_of_profits_is_seen():
    losses = CostModel(cost_fn=-1, cost_fp=-2, cost_tp=-9, cost_tn=-9).losses
    assert cost_estimate(rule_of([0] * 9 + [1]), losses, None, level=0.95).worst_seen
    assert not cost_estimate(rule_of([0] * 6 + [1] * 4), losses, None, level=0.95).worst_seen


def test_difference_by_hand():
    # the first rule is always right, the second sends all cases to a person for 1
    first, second = rule_of([0] * 6 + [1] * 4), rule_of([-1] * 10)
    second = replace(second, cases=first.cases)
    found = cost_gap(first, second, LOSSES, None)
    assert (found.cost, found.standard_error, found.units) == (-1, 0, 10)
    # a miss instead of a review is 9 more, twice: (-1 + 2 * 0.9) / 1.2
    assert found.raised == pytest.approx(0.8 / 1.2)
    spread = (-1 - 0.8 / 1.2) * 0.0, 2 * (0.1 * (9 - 0.8 / 1.2) / 1.2) ** 2
    assert found.raised_error == pytest.approx(np.sqrt(12 / 11 * sum(spread)))
    # the other way round: at worst a review instead of being right
    back = cost_gap(second, first, LOSSES, None)
    assert (back.cost, back.raised) == (1, pytest.approx(1.0))
    difference, interval = paired_interval(first, second, LOSSES, None, level=0.95)
    assert (difference, interval.high) == (-1, pytest.approx(found.interval(0.95).high))
    assert interval.low == pytest.approx(-back.interval(0.95).high)


def test_fees_count_in_costs_and_differences():
    cases = split(HALF, 2, None, None, 1)
    order = cases.splits.repeats[0].cell
    codes = np.array([0] * 6 + [1] * 4, dtype=np.int8)[order]
    fees = np.linspace(0.1, 1.0, 10)[order]
    free, paid = Judged((codes,), codes), Judged((codes,), codes, (fees,), fees)
    free, paid = (judged_rule(cases, one, None) for one in (free, paid))
    found = cost_estimate(paid, LOSSES, None, level=0.95)
    assert (found.cost, found.hindsight) == pytest.approx((0.55, 0.55))
    assert found.mean.raised == pytest.approx((0.55 + 1.1) / 1.1)
    # at worst a miss instead of being right, and the highest fee more, or the lowest spared
    for first, second, wanted, worst in ((paid, free, 0.55, 11), (free, paid, -0.55, 9.9)):
        gap = cost_gap(first, second, LOSSES, None)
        assert gap.cost == pytest.approx(wanted)
        assert gap.raised == pytest.approx((wanted + 0.2 * worst) / 1.2)


def test_one_rule_does_not_differ_from_itself():
    rule = rule_of([0, 0, 1, -1, -1, -1, -1, -1, 1, 1])
    losses = CostModel(cost_fn=10, cost_fp=4, cost_abstain=1).losses
    assert paired_interval(rule, rule, losses, None, level=0.95) == (0.0, (0.0, 0.0))


def test_a_class_without_cases_and_without_share_counts_nothing():
    table = np.array([[10.0, 0, 0], [0, 0, 0]])
    assert mean_cost(table, table * LOSSES.table, np.array([1.0, 0.0])) == 0.0
