"""Promises kept by the decided cases (search="direct") at points of the ROC hull."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from demur import FMeasure, GmEstimate, InputError, Precision, ScoreCounts, UndefinedError, reliable_window
from demur.windows import deterministic_window
from examples import examples
from oracles import scored_data


def decided_window(counts, positive, negative, skew=None):
    return reliable_window(counts, positive=positive, negative=negative, skew=skew, search="direct")


def test_f_for_both_classes_by_hand():
    # a on the second edge: TP = 2 + 2 x, FP = x; b on the third: FN = 2 (1 - y), TN = 5 - 3 y.
    # F = 0.8 asks for TP and TN >= 2 (FP + FN): y >= 1/2 and x <= (1 + y) / 2, so x = 3/4, y = 1/2
    counts = ScoreCounts.from_counts([-0.9, -0.5, 0.0, 0.4, 0.8], [0, 1, 1, 2, 2], [2, 1, 2, 1, 0])
    window = decided_window(counts, FMeasure(0.8), FMeasure(0.8))
    got = window.expected
    assert [got.tp, got.fp, got.fn, got.tn] == pytest.approx([3.5, 0.75, 1, 3.5])
    assert (window.a.position, window.b.position) == pytest.approx((1.75, 2.5))
    assert window.abstention_rate == pytest.approx(13 / 48)
    assert (window.case, window.note, window.search) == (3, "", "direct")
    with pytest.raises(UndefinedError, match=r"at most 0.75 is reached; .*search='direct'"):
        reliable_window(counts, positive=FMeasure(0.8), negative=FMeasure(0.8))
    # two thresholds instead of a draw
    assert window.deterministic().abstention_rate == pytest.approx(5 / 12)


def test_f_above_what_the_hull_reaches_by_hand():
    # hull (0, 0), (1/3, 2/3), (1, 1) reaches F = 2/3. All above the bend is called positive, TP = 2,
    # FP = 1; F = 0.72 leaves room for FN = 5/9, so 4/9 of the lower three cases are abstained on
    counts = ScoreCounts.from_counts([0, 1], [1, 2], [2, 1])
    window = decided_window(counts, FMeasure(0.72), Precision(2 / 3))
    assert window.expected.fn == pytest.approx(5 / 9)
    assert window.abstention_rate == pytest.approx(2 / 9)
    assert window.positive_reached == pytest.approx(0.72)
    # for both classes nothing but abstaining on everything keeps it, which nothing tests
    nothing = decided_window(counts, FMeasure(0.72), FMeasure(0.72))
    assert nothing.abstention_rate == pytest.approx(1)
    assert "no case is left to test it" in nothing.note
    assert nothing.positive_vacuous
    assert nothing.negative_vacuous


def kept(target, hits, alarms, own, other):
    return target.margin(hits, alarms, own, other) >= -1e-9


def least_on_a_grid(counts, positive, negative, skew, steps=12):
    """Smallest abstention over a grid of pairs of hull points, from the definitions."""
    hull = reliable_window(counts, positive=Precision(0.5), negative=Precision(0.5)).hull
    at = np.linspace(0, len(hull.fpr) - 1, steps * (len(hull.fpr) - 1) + 1)
    fpr, tpr = (np.interp(at, np.arange(len(hull.fpr)), rates) for rates in (hull.fpr, hull.tpr))
    best = np.inf
    for start in range(len(at)):
        tp, fp = tpr[start], skew * fpr[start]
        fn, tn = 1 - tpr[start:], skew * (1 - fpr[start:])
        fine = kept(positive, tp, fp, tp + fn, fp + tn) & kept(negative, tn, fn, fp + tn, tp + fn)
        abstained = counts.n_positive * (tpr[start:] - tpr[start])
        abstained = (abstained + counts.n_negative * (fpr[start:] - fpr[start])) / counts.n
        best = min(best, abstained[fine].min(initial=np.inf))
    return best


targets = st.one_of(
    st.floats(0.3, 0.95).map(Precision),
    st.builds(FMeasure, st.floats(0.3, 0.95), st.sampled_from([0.5, 1.0, 2.0])),
    st.builds(GmEstimate, st.floats(0.3, 0.9), st.just(0.1)),
)


@settings(max_examples=examples(200), deadline=None)
@given(scored_data(both_classes=True), targets, targets, st.sampled_from([0.5, 1, 3]))
def test_least_abstention_against_a_grid(data, positive, negative, ratio):
    labels, scores, weights = data
    counts = ScoreCounts.from_arrays(labels, scores, sample_weight=weights)
    skew = ratio * counts.n_negative / counts.n_positive
    window = decided_window(counts, positive, negative, skew)
    assert window.abstention_rate <= least_on_a_grid(counts, positive, negative, skew) + 1e-9
    # the promises are kept, by the metric's own formula
    for target, reached in ((positive, window.positive_reached), (negative, window.negative_reached)):
        assert np.isnan(reached) or reached >= target.value - 1e-9
    if not isinstance(positive, GmEstimate) and not isinstance(negative, GmEstimate):
        exact = deterministic_window(counts, positive=positive, negative=negative, skew=skew)
        assert window.abstention_rate <= exact.abstention_rate + 1e-9


def test_precision_is_the_same_either_way():
    counts = ScoreCounts.from_counts([-0.9, -0.5, 0.0, 0.4, 0.8], [0, 1, 1, 2, 2], [2, 1, 2, 1, 0])
    one, other = (
        reliable_window(counts, positive=Precision(0.9), negative=Precision(0.9), search=search)
        for search in ("isometric", "direct")
    )
    assert one.abstention_rate == pytest.approx(other.abstention_rate)
    assert other.a.position == pytest.approx(one.a.position)
    assert other.b.position == pytest.approx(one.b.position)


def test_search_is_checked():
    with pytest.raises(InputError, match="`search`"):
        reliable_window([0, 1], [0, 1], positive=Precision(0.9), negative=Precision(0.9), search="fast")
