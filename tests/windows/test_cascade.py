"""Cascades: by hand, against brute force over all cuts of both stages, and in other languages."""

import itertools
import math

import numpy as np
import pytest

from demur import InputError, ScoreCosts, UndefinedError
from demur.windows import Cascade
from demur.windows.cascade import cheapest_cascade, written_cascade

INF = math.inf
NAMES = ("cheap", "large")


def cascade(cuts=(0.1, 0.4, 0.6, 0.9), lower=0.2, upper=0.7, prices=(0.02, 0.6), names=NAMES):
    return Cascade(names=names, cuts=cuts, lower=lower, upper=upper, prices=prices)


def searched(losses, weight, scores, price=0.0, **options):
    return cheapest_cascade(losses, weight, scores, names=NAMES, prices=(0.0, price), **options)


def paid(rule, losses, weight, scores):
    """Cost of a cascade, cases sent to a person and cases passed on."""
    codes, passed = rule.codes(scores), rule.passes(scores[:, 0])
    cost = losses[np.arange(len(codes)), codes].sum() + rule.prices[1] * weight[passed].sum()
    return cost, weight[codes == -1].sum(), weight[passed].sum()


def problem(rng, n, levels):
    """Cases with tied scores, weights and costs of several kinds."""
    positive = rng.random(n) < rng.uniform(0.2, 0.8)
    scores = positive[:, None] + rng.normal(0, [1.2, 0.6], (n, 2))
    scores = np.round(np.clip(scores, -1, 2) * (levels - 1) / 3) / 8
    weight = rng.choice([1.0, 1.0, 0.5, rng.random() + 0.1], n) if rng.random() < 0.5 else np.ones(n)
    amount = [np.full(n, 5.0), rng.integers(1, 9, n), rng.lognormal(1, 1, n)][rng.integers(3)]
    alarm, review = rng.choice([1, 2, 3.3]), rng.choice([0.3, 0.8, 1])
    losses = np.column_stack([positive * amount, ~positive * alarm, np.full(n, review)])
    return losses * weight[:, None], weight, scores, float(rng.choice([0, 0.1, 0.25, 0.7]))


# ---------------------------------------------------------------- brute force


def every_cascade(losses, weight, scores, price, segments="npapq"):
    """Cost, weight at a person and weight passed on of every cascade: all cuts of both stages.

    `segments` are the segments of the first score: n negative, p pass on, a person, q positive.
    """
    firsts, group = np.unique(scores[:, 0], return_inverse=True)
    seconds, place = np.unique(scores[:, 1], return_inverse=True)
    people = "a" in segments
    found = []
    for i, j in itertools.combinations_with_replacement(range(len(seconds) + 1), 2):
        if i < j and not people:
            continue
        later = np.where(place < i, 0, np.where(place < j, 2, 1))
        columns = {
            "n": (losses[:, 0], 0 * weight, 0 * weight),
            "q": (losses[:, 1], 0 * weight, 0 * weight),
            "a": (losses[:, 2], weight, 0 * weight),
            "p": (losses[np.arange(len(later)), later] + price * weight, weight * (later == 2), weight),
        }
        table = np.array(
            [[np.bincount(group, one, len(firsts)) for one in columns[name]] for name in segments]
        )
        for cuts in itertools.combinations_with_replacement(range(len(firsts) + 1), len(segments) - 1):
            segment = np.searchsorted(cuts, np.arange(len(firsts)), side="right")
            found.append(table[segment, :, np.arange(len(firsts))].sum(axis=0))
    return np.array(found)


@pytest.mark.parametrize("seed", range(200))
def test_cheapest_cascade_against_brute_force(seed):
    rng = np.random.default_rng(seed)
    losses, weight, scores, price = problem(rng, int(rng.integers(2, 25)), levels=6)
    may_abstain = seed % 4 > 0
    rule = searched(losses, weight, scores, price, may_abstain=may_abstain)
    every = every_cascade(losses, weight, scores, price, "npapq" if may_abstain else "npq")
    best = min(map(tuple, every[every[:, 0] <= every[:, 0].min() + 1e-9][:, 1:].round(9)))
    for one in (rule, written_cascade(rule, scores)):
        cost, *ties = paid(one, losses, weight, scores)
        assert cost == pytest.approx(every[:, 0].min(), rel=1e-12, abs=1e-12)
        assert ties == pytest.approx(best)
        assert may_abstain or not one.abstains


@pytest.mark.parametrize("seed", range(20))
def test_more_segments_are_never_dearer_against_brute_force(seed):
    losses, weight, scores, price = problem(np.random.default_rng(seed), 20, levels=5)
    cost, *_ = paid(searched(losses, weight, scores, price), losses, weight, scores)
    for segments in ("npapq", "npq", "naq", "paq", "npa", "p"):
        assert cost <= every_cascade(losses, weight, scores, price, segments)[:, 0].min() + 1e-12


@pytest.mark.parametrize("seed", range(20))
def test_never_dearer_than_either_model_alone(seed):
    rng = np.random.default_rng(seed)
    losses, weight, _, price = problem(rng, 400, levels=4)
    scores = (losses[:, :1] > 0) + rng.normal(0, [1, 0.5], (400, 2))
    cost, *_ = paid(searched(losses, weight, scores, price, grid=(8, 8)), losses, weight, scores)
    for column, fee in ((0, 0.0), (1, price * weight.sum())):
        miss, alarm, review = losses.T
        alone = ScoreCosts.from_arrays(scores[:, column], miss=miss, alarm=alarm, review=review).window()
        assert cost <= alone.cost * len(scores) + fee + 1e-9


def test_a_coarse_grid_stays_near_the_optimum_against_an_exhaustive_one():
    excess = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        losses, weight, scores, price = problem(rng, 120, levels=1000)
        coarse, full = (
            paid(searched(losses, weight, scores, price, grid=(bins, bins)), losses, weight, scores)[0]
            for bins in (32, 120)
        )
        assert coarse >= full - 1e-9
        excess.append(coarse / full - 1)
    assert np.mean(excess) < 0.005


# ---------------------------------------------------------------- by hand


def test_five_segments_by_hand():
    # the first score is sure at its ends, of its middle nobody knows, and beside that the second is right
    positive = np.array([0, 0, 1, 1, 0, 0, 1, 1])
    losses = np.column_stack([10 * positive, 10 * (1 - positive), np.full(8, 2.0)])
    scores = np.column_stack([[0, 1, 2, 3, 3, 4, 5, 6.0], [9, 0, 8, 5, 5, 1, 8, 0.0]])
    rule = searched(losses, np.ones(8), scores, 0.25)
    # negative up to 1, passed on at 2 (right), a person at 3, passed on at 4 (right), positive from 5 on
    assert paid(rule, losses, np.ones(8), scores) == (4.5, 2, 2)
    assert rule.cuts == (1.5, 2.5, 3.5, 4.5)
    assert (rule.lower, rule.upper) == (4.5, 4.5)


def test_own_prices_count_by_hand():
    # passing on the case of weight 3 costs 3 times the price: 3 * 0.4 > 1, the loss it would save
    losses = np.array([[1.0, 0, 9], [0, 3, 9]])
    scores, weight = np.array([[0.0, 1], [0, 0]]), np.array([1.0, 3])
    assert paid(searched(losses, weight, scores, 0.2), losses, weight, scores)[0] == pytest.approx(0.8)
    rule = searched(losses, weight, scores, 0.4)
    assert paid(rule, losses, weight, scores) == (1, 0, 0)
    assert not rule.can_pass


def test_prohibitive_costs_take_no_digits():
    losses, weight, scores, price = problem(np.random.default_rng(5), 24, levels=6)
    never = searched(losses, weight, scores, price, may_abstain=False)
    losses[:, 2] = 1e18
    assert searched(losses, weight, scores, price).to_dict() == never.to_dict()
    free = every_cascade(losses, weight, scores, 1e18, "nq")[:, 0].min()
    assert paid(searched(losses, weight, scores, 1e18), losses, weight, scores) == pytest.approx((free, 0, 0))


def test_the_order_of_rows_plays_no_part():
    losses, weight, scores, price = problem(np.random.default_rng(8), 300, levels=1000)
    order = np.random.default_rng(0).permutation(300)
    rule = searched(losses, weight, scores, price)
    assert rule == searched(losses[order], weight[order], scores[order], price)


def test_free_cases_and_one_case():
    free = searched(np.zeros((3, 3)), np.ones(3), np.arange(6.0).reshape(3, 2))
    assert paid(free, np.zeros((3, 3)), np.ones(3), np.arange(6.0).reshape(3, 2)) == (0, 0, 0)
    one = searched(np.array([[5.0, 0, 1]]), np.ones(1), np.array([[0.5, 0.5]]))
    assert one.decide([[0.5, 0.5], [-9, 9]]).tolist() == [1, 1]


def test_no_float_between_scores():
    low, high = 1.0, float(np.nextafter(1.0, 2.0))
    losses = np.array([[0, 5, 1.0], [5, 0, 1.0]])
    scores = np.array([[low, 0.0], [high, 0.0]])
    rule = searched(losses, np.ones(2), scores)
    assert rule.decide(scores).tolist() == [0, 1]
    assert not rule.abstains
    assert not rule.can_pass
    largest = float(np.finfo(float).max)
    with pytest.raises(UndefinedError, match="No threshold separates an infinite score"):
        searched(losses, np.ones(2), np.array([[largest, 0.0], [INF, 0.0]]))


# ---------------------------------------------------------------- the rule


def test_decisions_and_fees_by_hand():
    rule = cascade()
    first = [-INF, 0.1, 0.11, 0.4, 0.41, 0.59, 0.6, 0.89, 0.9, INF]
    assert rule.passes(first).tolist() == [False, False, True, True, False, False, True, True, False, False]
    table = [[one, 0.7] for one in first]
    assert rule.decide(table).tolist() == [0, 0, 1, 1, -1, -1, 1, 1, 1, 1]
    assert rule.decide([[0.3, 0.2], [0.3, 0.3], [0.3, 0.7]]).tolist() == [0, -1, 1]
    assert rule.charge(table)[:4].tolist() == [0.02, 0.02, 0.62, 0.62]


@pytest.mark.parametrize(
    ("cuts", "window", "words"),
    [
        (
            (0.1, 0.4, 0.6, 0.9),
            (0.2, 0.7),
            "ask cheap first: answer no up to 0.1 and yes from 0.9 up; send 0.4 to 0.6 to a person; pass the "
            "rest on to large, which answers no up to 0.2 and yes from 0.7 up, else a person",
        ),
        (
            (0.1, 0.9, 0.9, 0.9),
            (0.5, 0.5),
            "ask cheap first: answer no up to 0.1 and yes from 0.9 up; pass the rest on to large, which "
            "answers yes from 0.5 up, no below",
        ),
        (
            (-INF, -INF, 0.6, INF),
            (-INF, 0.7),
            "ask cheap first: send up to 0.6 to a person; pass the rest on to large, which answers yes from "
            "0.7 up, else a person",
        ),
        (
            (0.25, 0.5, INF, INF),
            (-INF, INF),
            "ask cheap first: answer no up to 0.25; send 0.5 and up to a person; pass the rest on to large, "
            "then to a person",
        ),
        (
            (-INF, INF, INF, INF),
            (0.5, INF),
            "ask cheap first: pass every case on to large, which answers no up to 0.5, else a person",
        ),
        ((0.5, 0.5, 0.5, 0.5), (-INF, -INF), "ask cheap only: answer yes from 0.5 up, no below"),
        ((-INF, -INF, INF, INF), (0, 1), "ask cheap only: send every case to a person"),
        (
            (2, 2, 4, 4),
            (0, 1),
            "ask cheap only: answer no up to 2 and yes from 4 up; send the rest to a person",
        ),
    ],
)
def test_words_by_hand(cuts, window, words):
    assert cascade(cuts, *window).words(("no", "yes")) == words


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"names": ("a", "a")}, r"`names` must differ, got \('a', 'a'\)"),
        ({"names": "ab"}, "`names` must be two names, got 'ab'"),
        ({"names": ("a", 1)}, "`names` must be two names"),
        ({"cuts": (0.1, 0.4, 0.6)}, "`cuts` must be four numbers"),
        ({"cuts": (0.1, 0.6, 0.4, 0.9)}, "`cuts` must be in ascending order"),
        ({"cuts": (0.1, 0.4, math.nan, 0.9)}, "`cuts` must not be NaN"),
        ({"lower": 0.9}, "`lower` must not exceed upper = 0.7, got 0.9"),
        ({"prices": (-1, 0)}, "`prices` must not be negative, got -1"),
        ({"prices": 3}, "`prices` must be two numbers, got 3"),
    ],
)
def test_wrong_cascades_are_refused(wrong, message):
    with pytest.raises(InputError, match=message):
        cascade(**wrong)
    described = cascade().to_dict() | {name: wrong[name] for name in wrong}
    with pytest.raises(InputError, match=message):
        Cascade.from_dict(described)


def test_nan_and_other_shapes_are_refused():
    with pytest.raises(InputError, match="`table` must not contain NaN"):
        cascade().decide([[0.05, math.nan]])
    with pytest.raises(InputError, match="`table` must have 2 columns, got 3"):
        cascade().decide([[0.05, 0, 1]])
    with pytest.raises(InputError, match="`cuts` is missing"):
        Cascade.from_dict({"kind": "cascade", "names": ["a", "b"]})
