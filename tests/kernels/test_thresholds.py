"""Thresholds of written rules: the fewest digits strictly between two scores."""

import math
import sys
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from demur._html import threshold_label, threshold_text
from demur._kernels.thresholds import cut_points, shortest_cut, shortest_cuts, shortest_in
from demur.surface.window import decide
from examples import examples

INF = math.inf
TINY = 5e-324
MAX = sys.float_info.max


def between(below, above):
    """The rounded threshold between two neighbouring scores."""
    low, high = shortest_cuts(*np.array([[below, above]] * 2))
    assert low[0] == high[0] == -INF
    assert low[2] == high[2] == INF
    return float(low[1]), float(high[1])


@pytest.mark.parametrize(
    ("below", "above", "cut"),
    [
        (0.4871, 0.5429, 0.5),
        (0.5, 0.53, 0.52),  # neither end: 0.5 and 0.53 are scores
        (0.5, 0.6, 0.55),
        (0.59, 0.6, 0.595),
        (0.4, 12.0, 6.0),  # not 10, which is further from the middle
        (97.0, 1234.0, 700.0),
        (123456.7, 123460.1, 123460.0),
        (123456.7, 123456.8, 123456.75),
        (1e-7, 2e-7, 1.5e-7),
        (1e-7, 0.3, 0.2),
        (0.8, 1.0, 0.9),
        (0.999, 1.0, 0.9995),
        (-0.4, 0.3, -0.05),
        (-1.0, 1.0, 0.0),
        (2.0, 3.0, 2.5),
        (4.0, 5.0, 4.5),
        (1.9, 3.1, 3.0),  # 2.5 lies halfway between 2 and 3: away from 0
        (-3.1, -1.9, -3.0),
        (0.0, 3 * TINY, 2 * TINY),
        (MAX / 4, MAX, 1e308),
    ],
)
def test_shortest_cuts_by_hand(below, above, cut):
    assert between(below, above) == (cut, cut)


@pytest.mark.parametrize("below", [0.3, 1.0, -1.0, 1e300, TINY])
def test_neighbouring_floats_keep_their_thresholds(below):
    above = math.nextafter(below, INF)
    assert between(below, above) == (below, above)
    beyond = math.nextafter(above, INF)
    assert between(below, beyond) == (above, above)


def test_infinite_neighbours_keep_the_largest_float():
    assert between(3.7, INF) == (MAX, MAX)
    assert between(-INF, 0.3) == (-MAX, -MAX)
    assert between(-INF, INF) == (0.0, 0.0)
    assert np.isnan(between(-INF, -MAX)[0])
    assert shortest_cut(INF, 0.3, INF) == INF
    assert shortest_cut(-INF, -INF, 0.3) == -INF


def distance_of_fewest_digits(below, above):
    """Distance to the middle of the nearest of the numbers with the fewest digits between two scores."""
    middle = (Fraction(below) + Fraction(above)) / 2
    largest = math.floor(math.log10(max(abs(below), abs(above)))) + 1
    for digits in range(1, 18):
        found = []
        # multiples of a power of ten on both sides of the middle, while they have so few digits
        for power in range(largest, largest - digits - 12, -1):
            unit = Fraction(10) ** power
            for whole in (math.floor(middle / unit), math.ceil(middle / unit)):
                if abs(whole) <= 10**digits and below < float(whole * unit) < above:
                    found.append(abs(whole * unit - middle))
        if found:
            return min(found)
    raise AssertionError("17 digits are enough for any float")


@given(st.integers(-(10**6), 10**6), st.integers(1, 10**6), st.integers(0, 9))
@settings(max_examples=examples(150))
def test_shortest_cuts_against_enumeration(start, width, decimals):
    below, above = start / 10**decimals, (start + width) / 10**decimals
    low, high = between(below, above)
    assert low == high
    exact = (Fraction(below) + Fraction(above)) / 2
    distance = abs(Fraction(low) - exact)
    # up to the rounding of the middle and of the number itself
    assert distance == pytest.approx(
        distance_of_fewest_digits(below, above), abs=2 * math.ulp(max(1e-300, above, -below))
    )


ROUNDED = st.integers(-300, 300).map(lambda whole: whole / 100)


@given(st.lists(st.floats(allow_nan=False) | ROUNDED, min_size=2, max_size=12))
@settings(max_examples=examples(300))
def test_shortest_cuts_decide_as_the_middle(scores):
    scores = np.unique(scores)
    plain, short = cut_points(scores, scores), shortest_cuts(scores, scores)
    for i in range(len(scores) + 1):
        for j in range(i, len(scores) + 1):
            pairs = [(cuts[0][i], cuts[1][j]) for cuts in (plain, short)]
            if np.isnan(pairs[0]).any():
                assert np.isnan(pairs[1]).any()
                continue
            assert np.array_equal(decide(scores, pairs[0]), decide(scores, pairs[1]))
    for cut, low, high in zip(short[0][1:-1], scores[:-1], scores[1:], strict=True):
        assert np.isnan(cut) or low <= cut < high
    assert all(first <= second for first, second in pairwise(short[0][~np.isnan(short[0])]))


def test_shortest_in_finds_the_scores_beside_a_threshold():
    scores = np.array([0.9, 0.4871, 0.1, 0.5429])
    assert shortest_in(0.515, scores) == 0.5
    assert shortest_in(0.4871, scores) == 0.4871
    assert shortest_in(INF, scores) == INF


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.5, "0.5"),
        (2.0, "2"),
        (-2, "-2"),
        (1e-7, "1e-07"),
        (1e16, "1e+16"),
        (123456.75, "123456.75"),
        (1 - 3e-12, "0.999999999997"),
        (0.1 + 0.2, "0.30000000000000004"),
        (INF, "inf"),
        (-INF, "-inf"),
    ],
)
def test_threshold_text_by_hand(value, text):
    assert threshold_text(value) == text
    assert float(text) == value


def test_labels_are_short():
    assert threshold_label(0.59) == "0.59"
    assert threshold_label(0.1 + 0.2) == "0.3"
