"""Counts for pages that leave the house: no small cells, round ends, the same decisions."""

from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from demur import InputError, ScoreCounts, abstention_surface, decide
from demur.counts import BinnedCounts, joined_counts
from examples import examples

Y = [0, 0, 1, 0, 0, 1, 1, 1]
S = [0.1307, 0.2219, 0.3871, 0.4142, 0.4306, 0.4977, 0.8254, 0.9118]


def digits(number):
    return len(f"{number!r}".partition("e")[0].replace(".", "").strip("-0"))


def test_by_hand():
    joined = joined_counts(ScoreCounts.from_arrays(Y, S), smallest=2)
    assert joined.positives.tolist() == [0, 2, 2]
    assert joined.negatives.tolist() == [2, 2, 0]
    # 0.2219 | 0.3871: 0.23 and 0.38 have the fewest decimals; 0.4977 | 0.8254: 0.5 and 0.8
    assert joined.scores.tolist() == [0.13, 0.38, 0.8]
    assert joined.upper_scores.tolist() == [0.23, 0.5, 0.92]


def test_scores_that_enough_cases_share_stay_exact():
    counts = ScoreCounts.from_counts([0.123456, 0.3, 0.7], [0, 20, 30], [15, 12, 0])
    joined = joined_counts(counts)
    assert joined.exact
    assert joined.scores.tolist() == [0.123456, 0.3, 0.7]


@st.composite
def cells(draw):
    n = draw(st.integers(1, 9))
    column = st.lists(st.integers(0, 4), min_size=n, max_size=n)
    pos, neg = np.array(draw(column)), np.array(draw(column))
    neg[pos + neg == 0] = 1
    scale = draw(st.sampled_from([1e-300, 1e-3, 1.0, 1e12, 1e290]))
    steps = draw(st.lists(st.floats(1e-9, 1), min_size=n, max_size=n))
    return np.cumsum(steps) * scale, pos, neg


def most_bins(pos, neg, least):
    """The largest number of bins, by trying all."""

    def fine(start, end):
        return all(cell == 0 or cell >= least for cell in (pos[start:end].sum(), neg[start:end].sum()))

    n = len(pos)
    for inner in range(n - 1, -1, -1):
        for cuts in combinations(range(1, n), inner):
            bounds = [0, *cuts, n]
            if all(fine(*pair) for pair in pairwise(bounds)):
                return inner + 1
    return 0


@given(cells(), st.integers(1, 5))
@settings(max_examples=examples(200), deadline=None)
def test_cells_ends_and_number_of_bins(data, least):
    scores, pos, neg = data
    counts = ScoreCounts.from_counts(scores, pos, neg)
    if any(0 < total < least for total in (pos.sum(), neg.sum())):
        with pytest.raises(InputError, match=f"must hold at least {least}"):
            joined_counts(counts, smallest=least)
        return
    joined = joined_counts(counts, smallest=least)
    for cell in (joined.positives, joined.negatives):
        assert np.all((cell == 0) | (cell >= least))
    low, high = joined.scores, joined.upper_scores
    at = np.searchsorted(low, counts.scores, side="right") - 1
    assert np.all((low[at] <= counts.scores) & (counts.scores <= high[at]))
    assert np.array_equal(np.bincount(at, counts.positives, len(low)), joined.positives)
    assert np.array_equal(np.bincount(at, counts.negatives, len(low)), joined.negatives)
    merged = ScoreCounts.from_counts(scores, pos, neg)
    assert len(low) == most_bins(merged.positives, merged.negatives, least)


def test_windows_decide_on_the_cases_as_on_their_bins_and_few_digits_remain():
    rng = np.random.default_rng(0)
    y = rng.random(600) < 0.4
    s = 1 / (1 + np.exp(-rng.normal(2.0 * y, 1.0)))
    joined = joined_counts(ScoreCounts.from_arrays(y, s), smallest=8)
    assert isinstance(joined, BinnedCounts)
    window = abstention_surface(joined).window(mu=1, nu=0.15)
    assert 0 < window.abstention_rate < 1
    codes = decide(s, window)
    assert np.mean((codes == 1) & ~y) == pytest.approx(window.fp, abs=1e-12)
    assert np.mean((codes == 0) & y) == pytest.approx(window.fn, abs=1e-12)
    assert max(map(digits, [*joined.scores.tolist(), *joined.upper_scores.tolist()])) <= 8
    assert not set(joined.scores.tolist()) & set(s.tolist())


def test_weights_are_no_numbers_of_cases():
    with pytest.raises(InputError, match="must be whole numbers of cases"):
        joined_counts(ScoreCounts.from_counts([0, 1], [0.5, 20], [20, 3]))
