"""Thresholds between ordered levels: by hand and against enumeration."""

from itertools import combinations_with_replacement

import numpy as np
import pytest

from demur import InputError
from demur.ordinal import ordinal_thresholds


def enumerated(y, s, table, weight):
    """Smallest cost over all ways to cut the sorted distinct scores."""
    scores = np.unique(s)
    r = len(table)
    best = np.inf
    for cuts in combinations_with_replacement(range(len(scores) + 1), r - 1):
        ends = np.array(cuts)
        called = (np.searchsorted(scores, s)[:, None] >= ends).sum(axis=1)
        best = min(best, (weight * table[y, called]).sum() / weight.sum())
    return best


def test_by_hand():
    # 0 0 | 1 | 2 2 with one 2 scored below all: two steps, and moving a threshold costs more
    found = ordinal_thresholds([0, 0, 2, 1, 2, 2], [1, 2, 0.5, 3, 4, 5])
    assert found.thresholds.tolist() == [2.5, 3.5]
    assert found.cost == pytest.approx(2 / 6)
    assert found.confusion[2].tolist() == pytest.approx([1 / 6, 0, 2 / 6])
    # calling the middle level for the top costs nothing: one threshold is not needed
    free = ordinal_thresholds([0, 1, 2], [1, 2, 2], costs=[[0, 1, 2], [1, 0, 1], [1, 0, 0]])
    assert free.thresholds.tolist() == [1.5, np.inf]
    assert free.cost == 0
    assert free.decide([0, 1.5, 1.6, 9]).tolist() == [0, 0, 1, 1]


@pytest.mark.parametrize("levels", [2, 3, 4])
def test_against_enumeration(levels):
    rng = np.random.default_rng(levels)
    for _ in range(15):
        y = np.concatenate([np.arange(levels), rng.integers(0, levels, 7)])
        s = rng.integers(0, 6, len(y)).astype(float) + y
        weight = rng.integers(1, 4, len(y)).astype(float)
        table = rng.integers(0, 9, (levels, levels)).astype(float)
        found = ordinal_thresholds(y, s, costs=table, sample_weight=weight)
        assert found.cost == pytest.approx(enumerated(y, s, table, weight), abs=1e-12)
        called = found.decide(s)
        assert (weight * table[y, called]).sum() / weight.sum() == pytest.approx(found.cost)


def test_errors():
    with pytest.raises(InputError, match="`costs` must be a table of 2 x 2"):
        ordinal_thresholds([0, 1], [0, 1], costs=[[0, 1, 2]])
    with pytest.raises(InputError, match="`step_cost` must be a finite number"):
        ordinal_thresholds([0, 1], [0, 1], step_cost=-1)
