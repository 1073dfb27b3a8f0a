"""Hard numbers: near ties, largest floats, subnormals, infinities, many rows."""

import math

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from demur import ABSTAIN, ScoreCounts, abstention_surface, auc_score, cost_curve, decide, roc_curve

MAX = np.finfo(float).max
TINY = 5e-324


@pytest.mark.parametrize(
    "scores",
    [
        [-MAX, -1.0, 0.0, 1.0, MAX],
        [TINY, 2 * TINY, 3 * TINY, 4 * TINY, 5 * TINY],
        [1.0, np.nextafter(1, 2), np.nextafter(np.nextafter(1, 2), 2), 1 + 1e-15, 1 + 1e-14],
        [-np.inf, -1e300, 0.0, 1e300, np.inf],
        [1e308, 1.1e308, 1.2e308, 1.5e308, 1.7e308],
    ],
)
def test_hard_scores_give_the_results_of_their_ranks(scores):
    y = [0, 1, 0, 1, 1]
    hard, ranks = ScoreCounts.from_arrays(y, scores), ScoreCounts.from_arrays(y, range(5))
    assert auc_score(hard) == auc_score(ranks)
    for mu, nu in [(1, 0.2), (0.5, 0.9), (3, 0.3), (1, 0)]:
        window, expected = abstention_surface(hard).window(mu, nu), abstention_surface(ranks).window(mu, nu)
        assert window.cost == expected.cost
        assert decide(scores, window).tolist() == decide(range(5), expected).tolist()
    for pc in (0.1, 0.5, 0.9):
        cut = cost_curve(hard).threshold(pc)
        expected = cost_curve(ranks).threshold(pc)
        assert [s >= cut for s in scores] == [s >= expected for s in range(5)]


def test_zero_and_minus_zero_are_one_score():
    counts = ScoreCounts.from_arrays([0, 1, 1], [0.0, -0.0, 0.0])
    assert len(counts.scores) == 1


def test_windows_of_infinite_scores():
    y, s = [0, 1, 0, 1], [-math.inf, -math.inf, math.inf, math.inf]
    surface = abstention_surface(y, s)
    assert decide(s, surface.window(1, 0.1)).tolist() == [ABSTAIN] * 4
    assert decide(s, (-math.inf, math.inf)).tolist() == [ABSTAIN] * 4
    assert decide(s, (math.inf, math.inf)).tolist() == [0] * 4
    assert decide(s, (-math.inf, -math.inf)).tolist() == [1] * 4


def test_counts_of_ten_to_the_thirteen_by_hand():
    big = 1e13
    counts = ScoreCounts.from_counts([0, 1, 2], [big, 3 * big, 6 * big], [6 * big, 3 * big, big])
    small = ScoreCounts.from_counts([0, 1, 2], [1, 3, 6], [6, 3, 1])
    assert auc_score(counts) == pytest.approx(auc_score(small), abs=1e-15)
    assert abstention_surface(counts).volume() == pytest.approx(abstention_surface(small).volume(), abs=1e-15)
    one_more = ScoreCounts.from_counts([0, 1], [big, big + 1], [big, big])
    assert len(one_more.blocks().positives) == 2
    one_less = ScoreCounts.from_counts([0, 1], [big, big - 1], [big, big])
    assert len(one_less.blocks().positives) == 1


def test_single_case():
    surface = abstention_surface([1], [0.3])
    window = surface.window(1, 0.2)
    assert window.cost == 0
    assert decide([0.3], window).tolist() == [1]


def test_million_rows_against_sklearn():
    rng = np.random.default_rng(1)
    y = rng.random(1_000_000) < 0.3
    s = np.round(rng.normal(size=y.size) + y, 4)
    curve = roc_curve(y, s)
    assert curve.auc == pytest.approx(roc_auc_score(y, s), abs=1e-12)
    surface = abstention_surface(curve.counts)
    window = surface.window(0.5, 0.1)
    codes = decide(s, window)
    cost = np.mean((codes == 0) & y) + 0.5 * np.mean((codes == 1) & ~y) + 0.1 * np.mean(codes == ABSTAIN)
    assert window.cost == pytest.approx(cost, abs=1e-12)


def test_integer_and_float32_scores():
    y = [0, 1, 0, 1]
    for dtype in (np.int8, np.uint16, np.int64, np.float32, np.float16, bool):
        scores = np.array([0, 1, 0, 1], dtype=dtype)
        assert auc_score(y, scores) == 1
