"""Promised precision with confidence: by hand, against the binomial law, and in simulation."""

import math

import numpy as np
import pytest
from scipy.stats import binom, norm

from demur import (
    CostModel,
    FMeasure,
    InputError,
    Precision,
    ScoreCounts,
    UndefinedError,
    cheapest_window,
    decide,
    reliable_window,
)
from demur._kernels.running import running_sums
from demur.windows import widest_coverage_window
from demur.windows.certified import certified_starts, certified_stops, rank_grid

COSTS = CostModel(cost_fn=5, cost_fp=5, cost_abstain=1.2)


def sample(rng, n=3000, distance=1.5, prevalence=0.3):
    labels = (rng.random(n) < prevalence).astype(int)
    return labels, rng.normal(size=n) + distance * labels


def true_precision(threshold, side, distance=1.5, prevalence=0.3):
    """Precision of the normal model beyond a threshold; 1 where nothing is decided."""
    tail = norm.sf if side == "positive" else norm.cdf
    positive, negative = prevalence * tail(threshold - distance), (1 - prevalence) * tail(threshold)
    right = positive if side == "positive" else negative
    return right / (positive + negative) if positive + negative else 1.0


def broken(window, target, **law):
    upper = math.isfinite(window.upper) and true_precision(window.upper, "positive", **law) < target
    lower = math.isfinite(window.lower) and true_precision(window.lower, "negative", **law) < target
    return upper or lower


def above(right, decided):
    """Right and all cases from every position on."""
    return running_sums(np.asarray(right, float), np.asarray(decided, float), backwards=True)


def test_ranks_do_not_depend_on_the_data():
    # 0.5**m <= 0.25 from m = 2 on: ranks 3, then steps of floor(sqrt(rank)), and everything
    assert rank_grid(10, 0.5, 0.25).tolist() == [3, 4, 6, 8, 10, 11]
    assert rank_grid(1, 0.9, 0.05).tolist() == [2]


def test_positions_by_hand():
    # five cases, target 0.5, delta 0.5: the first rank that can pass is 2, since 0.5**1 <= 0.5
    right, decided = above([0, 1, 1, 1, 1], [1, 1, 1, 1, 1])
    assert rank_grid(5, 0.5, 0.5).tolist() == [2, 3, 4, 6]
    # four ranks at level 0.125: 3 of 3 (rank 4) passes, 2 of 2 not, 4 of 5 has p = 6/32
    assert certified_stops(right, decided, 0.5, 0.5).tolist() == [False, False, True, False, False, True]


def test_positions_against_the_binomial_law():
    rng = np.random.default_rng(0)
    labels, scores = sample(rng, n=400, distance=3)
    counts = ScoreCounts.from_arrays(labels, np.round(scores, 1))
    p, q = counts.positives, counts.negatives
    ranks = rank_grid(400, 0.8, 0.05)
    expected = np.zeros(len(p) + 1, dtype=bool)
    expected[-1] = True
    everyone = np.repeat(np.arange(len(p)), (p + q).astype(int))[::-1]
    for rank in ranks:
        beyond = everyone[rank - 1] + 1 if rank <= 400 else 0
        decided = int((p + q)[beyond:].sum())
        tail = binom.sf(p[beyond:].sum() - 1, decided, 0.8) if decided else 1.0
        expected[beyond] |= tail <= 0.05 / len(ranks)
    assert expected[:-1].any()
    right, decided = above(p, p + q)
    assert certified_stops(right, decided, 0.8, 0.05).tolist() == expected.tolist()
    mirrored = certified_starts(right[::-1], decided[::-1], 0.8, 0.05)[::-1]
    assert mirrored.tolist() == expected.tolist()


def test_thresholds_decide_what_was_tested():
    labels, scores = sample(np.random.default_rng(2))
    counts = ScoreCounts.from_arrays(labels, scores)
    for arguments in (
        {"min_precision_negative": 0.9},
        {"min_precision_positive": 0.8},
        {"min_precision_positive": 0.8, "min_precision_negative": 0.9},
    ):
        window = cheapest_window(counts, costs=COSTS, confidence_level=0.9, **arguments)
        codes = decide(scores, window)
        ranks = np.searchsorted(counts.scores, scores)
        assert np.array_equal(codes == 1, ranks >= window.upper_index)
        assert np.array_equal(codes == 0, ranks < window.lower_index)
        assert window.confidence_level == 0.9
        if "min_precision_positive" in arguments and math.isfinite(window.upper):
            assert window.upper == np.nextafter(counts.scores[window.upper_index - 1], np.inf)
        if "min_precision_negative" in arguments and math.isfinite(window.lower):
            assert window.lower == np.nextafter(counts.scores[window.lower_index], -np.inf)


def test_one_promise_without_abstaining_keeps_its_threshold():
    labels, scores = sample(np.random.default_rng(4))
    never = CostModel(cost_fn=5, cost_fp=5)
    for side in ("positive", "negative"):
        window = cheapest_window(
            labels, scores, costs=never, confidence_level=0.9, **{f"min_precision_{side}": 0.8}
        )
        assert window.is_empty
        codes = decide(scores, window)
        assert not np.any(codes == -1)
        assert codes.mean() == pytest.approx(1 - window.lower_index / 3000)


def test_confidence_costs_coverage_and_says_what_it_cannot_promise():
    labels, scores = sample(np.random.default_rng(3), n=600)
    promised = {"min_precision_positive": 0.97, "min_precision_negative": 0.9}
    plain = widest_coverage_window(labels, scores, **promised)
    sure = widest_coverage_window(labels, scores, confidence_level=0.95, **promised)
    assert sure.coverage < plain.coverage
    assert sure.positive_performance is None
    assert "no threshold has precision 0.97 with confidence 0.95" in sure.note


def test_reliable_window_with_confidence_is_the_widest_one():
    labels, scores = sample(np.random.default_rng(8), distance=2.5)
    counts = ScoreCounts.from_arrays(labels, scores)
    promises = {"positive": Precision(0.9), "negative": Precision(0.95)}
    rule = reliable_window(counts, confidence_level=0.95, **promises)
    widest = widest_coverage_window(
        counts, min_precision_positive=0.9, min_precision_negative=0.95, confidence_level=0.95
    )
    assert (rule.certified.lower, rule.certified.upper) == (widest.lower, widest.upper)
    assert rule.case == 3
    assert rule.coverage == pytest.approx(widest.coverage)
    assert rule.positive_reached == pytest.approx(widest.positive_performance)
    assert rule.negative_reached == pytest.approx(widest.negative_performance)
    # nothing is drawn at random, and the rule decides as the window does
    assert np.array_equal(rule.decide(scores, rng=0), decide(scores, widest))
    assert np.array_equal(rule.decide(scores, rng=1), decide(scores, widest))
    assert rule.deterministic() is rule.certified
    curve = rule.roc()
    assert (curve.upr, curve.unr) == pytest.approx((rule.upr, rule.unr))
    assert curve.point == pytest.approx((rule.new_fpr, rule.new_tpr))
    assert rule.to_dict()["certified"]["confidence_level"] == 0.95
    plain = reliable_window(counts, **promises)
    assert plain.certified is None
    assert plain.coverage > rule.coverage


def test_the_prevalence_of_the_cases_may_be_named():
    labels, scores = sample(np.random.default_rng(2), n=600)
    arguments = {"costs": COSTS, "min_precision_negative": 0.9, "confidence_level": 0.9}
    named = cheapest_window(labels, scores, prevalence=labels.mean(), **arguments)
    left_out = cheapest_window(labels, scores, **arguments)
    assert (named.lower, named.upper) == (left_out.lower, left_out.upper)


def test_confidence_that_needs_more_abstention_says_how_much():
    labels, scores = sample(np.random.default_rng(3), n=600)
    promised = {"min_precision_positive": 0.9, "min_precision_negative": 0.9, "confidence_level": 0.95}
    needed = widest_coverage_window(labels, scores, **promised).abstention_rate
    with pytest.raises(UndefinedError, match=f"abstention rate of at least {needed:.4g}.$"):
        cheapest_window(labels, scores, costs=COSTS, max_abstention=0.01, **promised)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"positive": FMeasure(0.9)}, "must be Precision with confidence_level, got FMeasure and Precision"),
        ({"skew": 2.0}, "`skew` must be left out with confidence_level"),
        ({"negative": Precision(1.0)}, "must be below 1 with confidence_level"),
    ],
)
def test_what_a_reliable_window_with_confidence_needs(arguments, sentence):
    promises = {"positive": Precision(0.9), "negative": Precision(0.9), **arguments}
    with pytest.raises(InputError, match=sentence):
        reliable_window([0, 1], [0.1, 0.2], confidence_level=0.95, **promises)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({}, "`confidence_level` needs min_precision_positive or min_precision_negative"),
        ({"min_precision_positive": 1.0}, "must be below 1 with confidence_level"),
        ({"min_precision_positive": 0.9, "prevalence": 0.2}, "`prevalence` must be that of the cases"),
        ({"min_precision_positive": 0.9, "sample_weight": [0.5, 1.0]}, "independent cases, not weights"),
        ({"min_precision_positive": 0.9, "confidence_level": 1.5}, "`confidence_level`"),
    ],
)
def test_what_a_promise_with_confidence_needs(arguments, sentence):
    with pytest.raises(InputError, match=sentence):
        cheapest_window([0, 1], [0.1, 0.2], costs=COSTS, **{"confidence_level": 0.95, **arguments})


def reliable(counts, **options):
    """The thresholds of `reliable_window`; without confidence those of its nearest fixed rule."""
    return reliable_window(
        counts, positive=Precision(0.9), negative=Precision(0.9), **options
    ).deterministic()


def breaks(samples, seed, **options):
    """How often the promise 0.9 is broken on the population, by cheapest and by reliable windows."""
    rng = np.random.default_rng(seed)
    promised = {"min_precision_positive": 0.9, "min_precision_negative": 0.9, **options}
    count = np.zeros(2)
    for _ in range(samples):
        counts = ScoreCounts.from_arrays(*sample(rng))
        count += [
            broken(cheapest_window(counts, costs=COSTS, **promised), 0.9),
            broken(reliable(counts, **options), 0.9),
        ]
    return count / samples


def test_promises_hold_for_the_population_in_simulation():
    # without confidence about half of the promises are broken: the test can fail
    assert np.all(breaks(12, seed=1) > 0.2)
    assert np.all(breaks(25, seed=1, confidence_level=0.95) <= 0.05 + 2 * math.sqrt(0.05 * 0.95 / 25))


@pytest.mark.long
def test_promises_hold_for_the_population_in_200_samples():
    assert np.all(breaks(200, seed=2) > 0.25)
    limit = 0.05 + 2 * math.sqrt(0.05 * 0.95 / 200)
    assert np.all(breaks(200, seed=2, confidence_level=0.95) <= limit)


@pytest.mark.long
def test_the_level_holds_for_the_worst_law():
    # the label ignores the score and the precision is just below the target at every threshold
    rng = np.random.default_rng(7)
    errors = 0
    for _ in range(2000):
        labels = (rng.random(500) < 0.7999).astype(float)
        errors += certified_stops(*above(labels, np.ones(500)), 0.8, 0.1)[:-1].any()
    assert errors / 2000 <= 0.1 + 2 * math.sqrt(0.1 * 0.9 / 2000)
    assert errors > 0
