"""Binned counts: limits that bracket the exact answer, the certificate, refinement, files, merging."""

import itertools
import json
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from demur import (
    InputError,
    ScoreCosts,
    ScoreCounts,
    UndefinedError,
    abstention_surface,
    auc_score,
    cost_curve,
    decide,
    roc_curve,
    vacc_score,
)
from demur.counts import BinnedCounts, bins_to_refine
from demur.surface import count_bounds
from demur.windows import widest_coverage_window
from examples import examples
from oracles import all_windows, scored_data, window_cost

CLOSE = 1e-12


@st.composite
def binned_data(draw, both_classes=False):
    """Exact counts of tied, weighted, partly infinite data, and a number of the bin of each score."""
    labels, scores, weights = draw(scored_data(both_classes=both_classes))
    infinite = draw(st.lists(st.sampled_from([None, None, None, -np.inf, np.inf]), max_size=len(scores)))
    for at, value in enumerate(infinite):
        scores[at] = scores[at] if value is None else value
    exact = ScoreCounts.from_arrays(labels, scores, sample_weight=weights)
    new_bin = draw(st.lists(st.booleans(), min_size=len(exact.scores), max_size=len(exact.scores)))
    return exact, np.cumsum(new_bin)


def binned(exact, number):
    """Counts of `exact` with the scores of one number in one bin."""
    starts = np.flatnonzero(np.append(True, number[1:] != number[:-1]))
    ends = np.append(starts[1:], len(number)) - 1
    sums = [np.add.reduceat(column, starts) for column in (exact.positives, exact.negatives)]
    return BinnedCounts.from_bins(exact.scores[starts], exact.scores[ends], *sums)


def costs(limit=1.0):
    return st.floats(0, limit)


# ---------------------------------------------------------------- by hand

# three bins; the middle one holds 2 positives and 1 negative in unknown order
LOWER, UPPER, POS, NEG = [0.0, 0.3, 0.6], [0.2, 0.5, 0.6], [0, 2, 7], [6, 1, 0]


def test_limits_of_three_bins_by_hand():
    bounds = count_bounds(BinnedCounts.from_bins(LOWER, UPPER, POS, NEG))
    # one block (2, 1) of 16 cases as ties; nothing to pay in the best order
    assert bounds.surface(1, 1) == pytest.approx((0, 1 / 16))
    assert bounds.surface(0.5, 1) == pytest.approx((0, 1 / 32))
    assert bounds.surface(1, 0.1) == pytest.approx((0, 0.3 / 16))
    assert bounds.volume()[1] == pytest.approx(3 / 16 * 4 / 27)  # g(2/3), the volume of one block
    # 63 pairs, two of them inside the bin
    assert bounds.auc() == pytest.approx((61 / 63, 1))
    # mu = 1, nu >= 1/3: one false alarm in 16; the dearer error never makes it more
    assert bounds.certified == pytest.approx(1 / 16)
    found = bounds.window(1, 1)
    assert (found.window.lower, found.window.upper) == pytest.approx((0.25, 0.25))
    assert (found.gap, found.window.cost) == pytest.approx((1 / 16, 1 / 16))
    assert not bounds.exact
    assert bounds.n_bins == 2


def test_certificate_of_two_thresholds_by_hand():
    """Both thresholds of a window may fall into a bin."""
    counts = BinnedCounts.from_bins([0, 2], [1, 3], [4, 16], [16, 4])
    # at mu = 1, nu = 1/5 the bins cost 8/40, whether abstained on or not; in the best order
    # only the 8 cases in the middle are abstained on
    assert counts.certified == pytest.approx((8 - 8 / 5) / 40)
    assert count_bounds(counts).surface(1, 0.2) == pytest.approx((8 / 5 / 40, 8 / 40))
    # each threshold alone can save 1/5 of 16 cases: 0.08 of all, twice that together
    assert bins_to_refine(counts, tolerance=0.15).tolist() == [0, 1]
    assert bins_to_refine(counts, tolerance=0.17).tolist() == []


# ---------------------------------------------------------------- the truth lies between


@settings(max_examples=examples(300))
@given(data=binned_data(), mu=costs(3), nu=costs(), points=st.lists(costs(), min_size=1, max_size=3))
def test_surface_and_volume_limits_bracket_the_exact_answer(data, mu, nu, points):
    exact, number = data
    bounds = count_bounds(binned(exact, number))
    truth = abstention_surface(exact)
    low, high = bounds.surface(mu, nu)
    assert low - CLOSE <= truth.cost(mu, nu) <= high + CLOSE
    assert high - low <= bounds.certified * max(1, mu) + CLOSE
    lows, highs = bounds.surface(points, nu)
    assert np.all((lows - CLOSE <= truth.cost(points, nu)) & (truth.cost(points, nu) <= highs + CLOSE))
    volume = bounds.volume((0, mu), (0, nu))
    assert volume.low - CLOSE <= truth.volume((0, mu), (0, nu)) <= volume.high + CLOSE
    assert bounds.volume().high == pytest.approx(vacc_score(binned(exact, number)))
    found = bounds.window(mu, nu)
    assert found.gap == pytest.approx(found.best_cost.high - found.best_cost.low)
    assert found.best_cost.low - CLOSE <= truth.cost(mu, nu) <= found.best_cost.high + CLOSE


@settings(max_examples=examples(200))
@given(data=binned_data(both_classes=True), pc=costs(), rate=st.floats(0.05, 0.95))
def test_auc_and_cost_curve_limits_bracket_the_exact_answer(data, pc, rate):
    exact, number = data
    bounds = count_bounds(binned(exact, number), prevalence=rate)
    auc = bounds.auc()
    assert auc.low - CLOSE <= auc_score(exact) <= auc.high + CLOSE
    low, high = bounds.cost_curve(pc)
    assert low - CLOSE <= cost_curve(exact).expected_cost(pc) <= high + CLOSE
    low, high = bounds.surface(pc, rate)
    assert low - CLOSE <= abstention_surface(exact, prevalence=rate).cost(pc, rate) <= high + CLOSE
    assert high - low <= bounds.certified + CLOSE


@settings(max_examples=examples(100))
@given(data=binned_data(), mu=costs(2), nu=costs())
def test_windows_of_bins_cost_what_they_say_on_the_exact_scores(data, mu, nu):
    """Thresholds lie between bins, so no score inside a bin is cut off from the others."""
    exact, number = data
    window = count_bounds(binned(exact, number)).window(mu, nu).window
    code = decide(exact.scores, window)
    cost = exact.positives[code == 0].sum() + mu * exact.negatives[code == 1].sum()
    cost += nu * (exact.positives + exact.negatives)[code == -1].sum()
    assert cost / exact.n == pytest.approx(window.cost, abs=CLOSE)
    for block in np.unique(number):
        assert len(set(code[number == block])) == 1


@given(data=binned_data(both_classes=True))
def test_windows_over_single_bins_also_lie_between_bins(data):
    """Rewards for abstaining and promised precisions are searched score by score, not by blocks."""
    exact, number = data
    counts = binned(exact, number)
    windows = [
        abstention_surface(counts).window(0.3, -0.1, 0.9),
        widest_coverage_window(counts, min_precision_positive=0.6, min_precision_negative=0.6),
    ]
    for window in windows:
        code = decide(exact.scores, window)
        assert all(len(set(code[number == block])) == 1 for block in np.unique(number))


def test_roc_thresholds_of_bins_call_whole_bins_positive():
    counts = BinnedCounts.from_bins(LOWER, UPPER, POS, NEG)
    assert roc_curve(counts).thresholds.tolist() == [np.inf, 0.6, 0.3, 0.0]
    assert counts.score_range == (0.0, 0.6)


# ---------------------------------------------------------------- the certificate


def corners(counts):
    """All crossings in the unit square of the lines that bound cells of both surfaces, and of its edges."""
    shares = []
    for part in (counts, counts.split):
        blocks = part.blocks()
        shares += [p / (p + n) for p, n in zip(blocks.positives, blocks.negatives, strict=True)]
    # a mu + b nu = c
    lines = [(1, 0, 0), (1, 0, 1), (0, 1, 0), (0, 1, 1)]
    for r in shares:
        lines += [(0, 1, r), (1 - r, -1, 0)]
        lines += [(1, 0, r / (1 - r))] if r < 1 else []
    for (a, b, c), (d, e, f) in itertools.combinations(lines, 2):
        det = a * e - b * d
        if abs(det) > 1e-12:
            mu, nu = (c * e - b * f) / det, (a * f - c * d) / det
            if 0 <= mu <= 1 and 0 <= nu <= 1:
                yield mu, nu


def largest_gap(counts):
    mu, nu = np.array(list(corners(counts))).T
    return float(
        np.max(abstention_surface(counts).cost(mu, nu) - abstention_surface(counts.split).cost(mu, nu))
    )


def exchanged(counts):
    """The same data with the classes, and the direction of the scores, exchanged."""
    return BinnedCounts.from_bins(
        -counts.upper_scores[::-1], -counts.scores[::-1], counts.negatives[::-1], counts.positives[::-1]
    )


@settings(max_examples=examples(60), deadline=None)
@given(data=binned_data())
def test_certificate_against_all_corners_of_both_surfaces(data):
    counts = binned(*data)
    expected = max(largest_gap(counts), largest_gap(exchanged(counts)))
    assert counts.certified == pytest.approx(expected, abs=CLOSE)
    assert exchanged(counts).certified == pytest.approx(counts.certified, abs=CLOSE)


@settings(max_examples=examples(30), deadline=None)
@given(data=binned_data(), mu=costs(), nu=costs())
def test_limits_against_all_windows_of_the_best_order(data, mu, nu):
    counts = binned(*data)
    y, s, w = [], [], []
    for at in range(len(counts.scores)):
        several = counts.scores[at] < counts.upper_scores[at]
        y += [0, 1]
        s += [2 * at, 2 * at + int(several)]
        w += [counts.negatives[at], counts.positives[at]]
    least = min(window_cost(y, s, w, window, mu, nu, nu)[0] for window in all_windows(s))
    assert count_bounds(counts).surface(mu, nu).low == pytest.approx(least, abs=CLOSE)


@settings(max_examples=examples(300))
@given(
    data=binned_data(),
    tolerance=st.sampled_from([0.3, 0.1, 0.03, 0.01, 1e-6, 0.0]),
    seed=st.integers(0, 2**32 - 1),
)
def test_refining_the_named_bins_reaches_the_tolerance_whatever_they_show(data, tolerance, seed):
    exact, number = data
    counts = binned(exact, number)
    chosen = bins_to_refine(counts, tolerance=tolerance)
    assert len(chosen) == 0 or counts.certified > tolerance
    inside = np.isin(np.searchsorted(counts.scores, exact.scores, side="right") - 1, chosen)
    # what the second pass finds: the truth, or the classes of each bin dealt out anew
    rng = np.random.default_rng(seed)
    place = (np.searchsorted(counts.scores, exact.scores, side="right") - 1)[inside]
    dealt = []
    for column in (counts.positives, counts.negatives):
        share = rng.dirichlet([0.5, 0.5], size=len(place))[:, 0]
        total = np.bincount(place, share, len(counts.scores))[place]
        dealt.append(column[place] * share / np.where(total > 0, total, 1))
        if np.any((total == 0) & (column[place] > 0)):
            dealt[-1] = column[place] / np.bincount(place, minlength=len(counts.scores))[place]
    if len(chosen) == 0:
        assert counts.certified <= tolerance
        return
    for found in ((exact.positives[inside], exact.negatives[inside]), tuple(dealt)):
        refined = counts.refined(chosen, exact.scores[inside], *found)
        assert refined.certified <= tolerance + CLOSE
        assert refined.n == pytest.approx(counts.n)


def test_few_bins_are_refined_only_those_at_block_borders():
    """Binormal scores in 2**12 bins of very unequal mass: the certificate needs a few of them."""
    rng = np.random.default_rng(0)
    y = rng.random(200_000) < 0.3
    score = 1 / (1 + np.exp(-rng.normal(1.5 * y, 1) * 4))
    exact = ScoreCounts.from_arrays(y, score)
    counts = binned(exact, np.floor(exact.scores * 2**12))
    chosen = bins_to_refine(counts, tolerance=1e-4)
    assert 0 < len(chosen) < 0.05 * len(counts.scores)
    inside = np.isin(np.searchsorted(counts.scores, exact.scores, side="right") - 1, chosen)
    refined = counts.refined(chosen, exact.scores[inside], exact.positives[inside], exact.negatives[inside])
    assert refined.certified <= 1e-4 < counts.certified
    low, high = count_bounds(refined).volume()
    assert low <= vacc_score(exact) <= high
    assert high - low <= 1e-4


# ---------------------------------------------------------------- refining, merging, files


@given(data=binned_data())
def test_refining_every_bin_gives_the_exact_counts(data):
    exact, number = data
    counts = binned(exact, number)
    refined = counts.refined(range(len(counts.scores)), exact.scores, exact.positives, exact.negatives)
    assert type(refined) is ScoreCounts
    assert refined == exact
    assert exact.exact
    assert exact.certified == 0


def test_refining_to_finer_bins_leaves_bins():
    counts = BinnedCounts.from_bins(LOWER, UPPER, POS, NEG)
    finer = counts.refined([1], [0.3, 0.5], [1, 1], [1, 0], upper=[0.4, 0.5])
    assert isinstance(finer, BinnedCounts)
    assert finer.upper_scores.tolist() == [0.2, 0.4, 0.5, 0.6]


@settings(max_examples=examples(100))
@given(data=binned_data(), labels=st.data())
def test_merging_parts_of_the_same_bins_brackets_the_union(data, labels):
    """Two days of the same bins: their observed ranges differ, the union still holds both."""
    exact, number = data
    share = np.array(
        labels.draw(st.lists(st.sampled_from([0, 0.5, 1]), min_size=len(number), max_size=len(number)))
    )
    days = []
    for part in (share, 1 - share):
        kept = part > 0
        if kept.any():
            day = ScoreCounts.from_counts(
                exact.scores[kept], (exact.positives * part)[kept], (exact.negatives * part)[kept]
            )
            days.append(binned(day, number[kept]))
    merged = days[0].merge(*days[1:])
    assert merged.n == pytest.approx(exact.n)
    low, high = count_bounds(merged).surface(0.7, 0.2)
    assert low - CLOSE <= abstention_surface(exact).cost(0.7, 0.2) <= high + CLOSE


def test_merging_exact_scores_into_bins_from_either_side():
    bins = BinnedCounts.from_bins(LOWER, UPPER, POS, NEG)
    exact = ScoreCounts.from_counts([0.1, 0.15, 0.55, 0.6], [1, 0, 2, 1], [0, 3, 1, 0])
    merged = bins.merge(exact)
    assert isinstance(merged, BinnedCounts)
    assert merged == exact.merge(bins)
    assert merged.scores.tolist() == [0.0, 0.3, 0.55, 0.6]
    assert merged.positives.tolist() == [1, 2, 2, 8]
    assert merged.negatives.tolist() == [9, 1, 1, 0]


def test_merging_exact_bins_gives_exact_counts():
    one = BinnedCounts.from_counts([1.0, 2.0], [1, 0], [0, 1])
    assert one.exact
    assert type(one.merge(one)) is ScoreCounts


def test_saved_bins_come_back_as_bins(tmp_path):
    counts = BinnedCounts.from_bins([-np.inf, 0.1, 0.3], [-np.inf, 0.2, np.inf], [1, 0.1, 2], [0, 2, 1e-300])
    counts.save(tmp_path / "bins.parquet")
    back = ScoreCounts.load(tmp_path / "bins.parquet")
    assert isinstance(back, BinnedCounts)
    assert back == counts
    assert back.certified == counts.certified
    exact = BinnedCounts.from_counts([1.0, 2.0], [1, 0], [0, 1])
    exact.save(tmp_path / "exact.parquet")
    assert type(ScoreCounts.load(tmp_path / "exact.parquet")) is ScoreCounts


def test_saved_bins_are_read_by_a_process_that_made_none(tmp_path):
    BinnedCounts.from_bins(LOWER, UPPER, POS, NEG).save(tmp_path / "bins.parquet")
    code = "import sys; from demur import ScoreCounts; print(ScoreCounts.load(sys.argv[1]).n_bins)"
    command = [sys.executable, "-c", code, str(tmp_path / "bins.parquet")]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "2\n"


def test_counts_and_results_say_what_is_certified():
    counts = BinnedCounts.from_bins(LOWER, UPPER, POS, NEG)
    assert repr(counts) == (
        "BinnedCounts(n=16, prevalence=0.5625, bins=3, of several scores=2, certified to 0.0625)"
    )
    assert repr(count_bounds(counts)) == "CountBounds(n=16, prevalence=0.5625, bins=2, certified to 0.0625)"
    assert repr(count_bounds([0, 1], [1, 2])) == "CountBounds(n=2, prevalence=0.5, exact)"
    assert counts != ScoreCounts.from_counts(LOWER, POS, NEG)
    said = counts.to_dict()
    assert (said["exact"], said["certified"]) == (False, 1 / 16)
    for result in (abstention_surface(counts), cost_curve(counts), roc_curve(counts)):
        assert result.to_dict()["evidence"] == {"exact": False, "certified": 1 / 16}
    assert "evidence" not in abstention_surface([0, 1], [1, 2]).to_dict()
    bounds = count_bounds(counts)
    json.dumps(bounds.to_dict(), allow_nan=False)
    assert (bounds.to_dict()["exact"], bounds.to_dict()["certified"]) == (False, 1 / 16)
    json.dumps(bounds.window(1, 1).to_dict(), allow_nan=False)


def test_exact_counts_have_limits_of_length_zero():
    bounds = count_bounds([0, 1, 0, 1, 1], [0.1, 0.4, 0.3, 0.2, np.inf])
    for low, high in (bounds.surface(0.5, 0.3), bounds.volume(), bounds.auc(), bounds.cost_curve(0.4)):
        assert low == high
    assert bounds.certified == bounds.window(1, 0.2).gap == 0
    assert bins_to_refine(bounds.counts, tolerance=0.0).size == 0


def test_one_class_in_bins_has_nothing_to_certify():
    counts = BinnedCounts.from_bins([0, 2], [1, 3], [5, 6], [0, 0])
    assert counts.certified == 0
    with pytest.raises(UndefinedError, match="AUC needs cases of both classes"):
        count_bounds(counts).auc()


BINS = BinnedCounts.from_bins(LOWER, UPPER, POS, NEG)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (
            lambda: BinnedCounts.from_bins([0, 1], [1, 2], [1, 1], [1, 1]),
            "must be ascending bins that do not touch, got 1.0",
        ),
        (lambda: BinnedCounts.from_bins([2, 0], [3, 1], [1, 1], [1, 1]), "must be ascending bins"),
        (
            lambda: BinnedCounts.from_bins([2], [1], [1], [1]),
            "`lower` must not exceed upper, got 2.0 above 1.0 in bin 0",
        ),
        (lambda: BinnedCounts.from_bins([1], [2], [0], [0]), "must have a positive, finite sum, got 0.0"),
        (lambda: BinnedCounts.from_bins([1], [np.nan], [1], [0]), "`upper` must not contain NaN"),
        (lambda: BinnedCounts.from_bins([1], [2, 3], [1], [0]), "must have the same length"),
        (lambda: BinnedCounts.from_bins([1], [2], [-1], [3]), "`positives` must not be negative"),
        (lambda: BINS.refined([3], [0.3], [1], [1]), "`indices` must be whole numbers from 0 to 2"),
        (lambda: BINS.refined([0.5], [0.3], [1], [1]), "`indices` must be whole numbers from 0 to 2"),
        (lambda: BINS.refined([1], [0.3], [2], [2]), "2 instead of 1 in bin 1. Hint: count the same data"),
        (lambda: BINS.refined([1], [0.1], [2], [1]), "must lie in the bins to be replaced, got 0.1"),
        (lambda: BINS.refined([1], [-1.0], [2], [1]), "must lie in the bins to be replaced, got -1.0"),
        (
            lambda: BINS.merge(BinnedCounts.from_bins([0.1], [0.4], [1], [1])),
            "Hint: count all parts with the same bins",
        ),
        (lambda: BINS.merge([1, 2]), "`others` must be a ScoreCounts"),
        (lambda: bins_to_refine(BINS, tolerance=-1), "`tolerance` must not be negative"),
        (lambda: bins_to_refine([1], tolerance=1), "`counts` must be a ScoreCounts"),
        (lambda: count_bounds(BINS).surface(1, -0.1), "`nu` must not be negative"),
        (lambda: count_bounds(BINS).window(1, -0.1), "`nu` must not be negative"),
    ],
)
def test_error_sentences(call, words):
    with pytest.raises(InputError) as error:
        call()
    assert words in str(error.value)


def test_merged_bins_and_costs_have_the_same_bits_in_any_order():
    rng = np.random.default_rng(6)
    low, high = [0.0, 0.3, 0.6], [0.2, 0.5, 0.9]
    bins = [BinnedCounts.from_bins(low, high, *rng.lognormal(0, 3, (2, 3))) for _ in range(5)]
    money = [
        ScoreCosts.from_arrays(low, miss=rng.lognormal(0, 3, 3), alarm=0.1, review=0.7) for _ in range(5)
    ]
    for seed in range(20):
        order = np.random.default_rng(seed).permutation(5)
        for parts in (bins, money):
            first, *others = (parts[k] for k in order)
            merged, expected = first.merge(*others), parts[0].merge(*parts[1:])
            assert merged.to_dict() == expected.to_dict()
