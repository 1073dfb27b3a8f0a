"""Studies of readers: by hand, against covariances of single pairs, level and coverage by simulation."""

import numpy as np
import pytest
from scipy import stats

from demur import InputError, UndefinedError, auc_difference_test, auc_score
from demur.auc import auc_covariance, reader_study
from demur.auc.several import _components


def simulated(rng, tests, readers, n, *, gap=0.0, reader_spread=0.2):
    """Ratings with variance of cases, of readers and of readers within tests (Roe and Metz 1997)."""
    y = np.repeat([0, 1], n)
    skill = 1.2 + reader_spread * rng.normal(size=readers) + 0.15 * rng.normal(size=(tests, readers))
    skill = skill + gap * (np.arange(tests) == 0)[:, None]
    shared = np.sqrt(0.4) * rng.normal(size=2 * n)
    by_test = np.sqrt(0.2) * rng.normal(size=(tests, 1, 2 * n))
    by_reader = np.sqrt(0.2) * rng.normal(size=(1, readers, 2 * n))
    own = np.sqrt(0.2) * rng.normal(size=(tests, readers, 2 * n))
    return y, skill[:, :, None] * y + shared + by_test + by_reader + own


def test_mean_squares_and_f_by_hand():
    y, ratings = simulated(np.random.default_rng(1), 2, 3, 15)
    found = reader_study(y, ratings)
    aucs = np.array([[auc_score(y, column) for column in rows] for rows in ratings])
    assert found.aucs == pytest.approx(aucs)
    means, overall = aucs.mean(1), aucs.mean()
    square = 3 * ((means - overall) ** 2).sum()
    inner = aucs - means[:, None] - aucs.mean(0) + overall
    interaction = (inner**2).sum() / 2
    assert found.mean_square_test == pytest.approx(square)
    assert found.mean_square_interaction == pytest.approx(interaction)
    denominator = interaction + max(3 * (found.cov_test - found.cov_both), 0)
    assert found.statistic == pytest.approx(square / denominator)
    assert found.df_denominator == pytest.approx(denominator**2 / (interaction**2 / 2))
    assert found.pvalue == pytest.approx(stats.f.sf(found.statistic, 1, found.df_denominator))
    # with two tests F is the square of t, so test and interval agree
    half = stats.t.ppf(0.975, found.df_denominator) * np.sqrt(2 / 3 * denominator)
    assert found.interval() == pytest.approx((found.difference() - half, found.difference() + half))


def test_components_against_single_pairs():
    y, ratings = simulated(np.random.default_rng(2), 2, 3, 12)
    found = reader_study(y, ratings)

    def covariance(one, other):
        return auc_covariance(y, np.column_stack([ratings[one], ratings[other]]))[0, 1]

    cells = [(i, j) for i in range(2) for j in range(3)]
    pairs = [(one, other) for one in cells for other in cells if one != other]
    reader = [covariance(a, b) for a, b in pairs if a[1] == b[1]]
    test = [covariance(a, b) for a, b in pairs if a[0] == b[0]]
    both = [covariance(a, b) for a, b in pairs if a[0] != b[0] and a[1] != b[1]]
    means = [np.mean(values) for values in (reader, test, both)]
    assert [found.cov_reader, found.cov_test, found.cov_both] == pytest.approx(means)


def test_components_by_hand():
    # AUCs in the order (test 0, reader 0), (0, 1), (1, 0), (1, 1)
    table = np.array([[10, 1, 2, 3], [1, 20, 4, 5], [2, 4, 30, 6], [3, 5, 6, 40.0]])
    assert _components(table, 2, 2) == (25, (2 + 5) / 2, (1 + 6) / 2, (3 + 4) / 2)


def test_identical_tests_and_readers():
    y = np.repeat([0, 1], 10)
    same = np.tile(np.random.default_rng(0).normal(size=20) + y, (2, 3, 1))
    found = reader_study(y, same)
    assert (found.statistic, found.pvalue) == (0, 1)
    assert found.interval() == (0, 0)


def test_fixed_reader_difference_is_that_of_a_paired_test():
    y, ratings = simulated(np.random.default_rng(3), 2, 2, 30)
    found = reader_study(y, ratings)
    each = [auc_difference_test(y, *ratings[:, j], method="delong").difference for j in range(2)]
    assert found.difference() == pytest.approx(np.mean(each))
    assert found.difference(1, 0) == -found.difference(0, 1)


@pytest.mark.parametrize("shape", [(1, 3, 20), (2, 1, 20), (2, 3, 19), (6, 20)])
def test_shapes_are_refused(shape):
    with pytest.raises(
        InputError, match=r"`scores` must have the shape \(tests >= 2, readers >= 2, 20 cases\)"
    ):
        reader_study(np.repeat([0, 1], 10), np.zeros(shape))


def test_single_case_is_refused():
    with pytest.raises(UndefinedError, match="at least 2 positive cases, got 1"):
        reader_study([0, 0, 1], np.zeros((2, 2, 3)))


@pytest.mark.long
@pytest.mark.parametrize("readers", [3, 5])
def test_level_and_coverage_of_simulated_truth(readers):
    rng = np.random.default_rng(7)
    runs, found, held = 400, 0, 0
    for _ in range(runs):
        y, ratings = simulated(rng, 2, readers, 40)
        study = reader_study(y, ratings)
        found += study.pvalue < 0.05
        low, high = study.interval()
        held += low <= 0 <= high
    assert found / runs <= 0.08
    assert held / runs >= 0.92
