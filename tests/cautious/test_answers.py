"""Answers by the more probable class: the same curve as from losses and confidences, case by case."""

import numpy as np
import pytest

from demur import ScoreCounts, risk_coverage_curve
from demur._kernels.jit import COMPILE_FROM
from demur.cautious.selective_risk import answers_by_confidence, areas_under


def test_by_hand():
    # confidences 1 (0 and 1), 0.75 (0.25 twice), 0.5: the score of one half is called positive
    counts = ScoreCounts.from_arrays([0, 1, 1, 0, 0, 1], [0, 1, 0.25, 0.25, 0.5, 0.5])
    answered, wrong = answers_by_confidence(counts)
    assert answered.tolist() == [2, 4, 6]
    assert wrong.tolist() == [0, 1, 2]


def test_probabilities_too_small_to_tell_apart_are_answered_together():
    # 1 - p is 1 for each of the three
    answered, wrong = answers_by_confidence(ScoreCounts.from_arrays([1, 0, 0, 1], [0, 1e-20, 1e-17, 1]))
    assert (answered.tolist(), wrong.tolist()) == ([4], [1])


@pytest.mark.parametrize("side", [0.1, 0.9])
def test_answers_of_one_kind_only(side):
    counts = ScoreCounts.from_arrays([0, 1, 1], [side, side, side / 2 + 0.5 * (side > 0.5)])
    answered, wrong = answers_by_confidence(counts)
    assert answered[-1] == 3
    assert wrong[-1] == (1 if side > 0.5 else 2)


@pytest.mark.parametrize("size", [1, 2, 40, 500, COMPILE_FROM + 10])
@pytest.mark.parametrize("weighted", [False, True])
def test_against_the_curve_of_losses(size, weighted):
    rng = np.random.default_rng(size)
    y, p = rng.random(size) < 0.4, rng.random(size)
    if size < 1000:
        p = p.round(1)
    weights = rng.integers(1, 5, size) / 4 if weighted else None
    right = (p >= 0.5) == y
    expected = risk_coverage_curve(1.0 - right, np.maximum(p, 1 - p), sample_weight=weights)
    answered, wrong = answers_by_confidence(ScoreCounts.from_arrays(y, p, sample_weight=weights))
    assert answered / answered[-1] == pytest.approx(expected.coverage, rel=1e-12)
    assert wrong / answered == pytest.approx(expected.risk, rel=1e-12, abs=1e-15)
    assert areas_under(answered, wrong) == pytest.approx((expected.aurc, expected.augrc), rel=1e-12)
