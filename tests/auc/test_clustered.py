"""Intervals of AUCs of clustered cases: by hand, their limits, and their coverage."""

import math

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import ndtri
from scipy.stats import t

from demur import InputError, UndefinedError, auc_difference_test, auc_interval, auc_score
from demur.auc import auc_cluster_interval, auc_cluster_variance, auc_variance
from demur.auc.tables import ModelTables
from demur.paired import PairedCounts
from demur.paired.scores import JointScores

Y = [0, 0, 0, 0, 1, 1, 1, 1]
S = [0.1, 0.2, 0.6, 0.7, 0.4, 0.5, 0.8, 0.9]
PATIENT = ["a", "a", "b", "b", "c", "c", "d", "d"]


def score_limits(auc, n, m, variance, quantile):
    """Where (auc - t)^2 meets quantile^2 times Newcombe's variance, enlarged to `variance` at the AUC."""

    def newcombe(x):
        star = (n + m) / 2 - 1
        return x * (1 - x) * (1 + star * (1 - x) / (2 - x) + star * x / (1 + x)) / (n * m)

    ratio = variance / newcombe(auc)
    assert ratio > 1

    def excess(x):
        return (auc - x) ** 2 - quantile**2 * ratio * newcombe(x)

    return brentq(excess, 1e-12, auc), brentq(excess, auc, 1 - 1e-12)


def test_two_clusters_per_class_by_hand():
    # AUC 12/16, variance 1/8 (docstring of the variance), one degree of freedom
    found = auc_cluster_interval(Y, S, groups=PATIENT)
    assert found == pytest.approx(score_limits(0.75, 4, 4, 1 / 8, t.ppf(0.975, 1)))


def test_one_case_per_cluster_is_delong_with_t_by_hand():
    found = auc_cluster_interval(Y, S, groups=range(8), confidence_level=0.9)
    assert found == pytest.approx(score_limits(0.75, 4, 4, auc_variance(Y, S), t.ppf(0.95, 3)))


def test_difference_by_hand():
    other = [0.1, 0.6, 0.2, 0.7, 0.4, 0.5, 0.3, 0.9]
    low, high = auc_cluster_interval(Y, S, groups=PATIENT, minus=other, confidence_level=0.6)
    gap = auc_score(Y, S) - auc_score(Y, other)
    reach = t.ppf(0.8, 1) * math.sqrt(auc_cluster_variance(Y, S, groups=PATIENT, minus=other))
    assert (low, high) == pytest.approx((gap - reach, gap + reach))


# ---------------------------------------------------------------- tests of two models


def _images(clusters=30, size=5, seed=0, gap=0.5):
    """Cases of both classes in every cluster, and two models that share what a cluster has in common."""
    rng = np.random.default_rng(seed)
    group = np.repeat(np.arange(clusters), size)
    y = rng.random(len(group)) < 0.4
    shared = rng.normal(size=clusters)[group]
    a, b = (effect * y + shared + rng.normal(size=len(y)) for effect in (1.5 + gap, 1.5))
    return y, a.round(1), b.round(1), group


def _variance_by_definition(y, a, b, group):
    """Obuchowski (1997) for a difference, with every pair of cases looked at."""
    negative, positive = np.flatnonzero(~y), np.flatnonzero(y)
    wins = [
        (s[positive][None] > s[negative][:, None]) + 0.5 * (s[positive][None] == s[negative][:, None])
        for s in (a, b)
    ]
    table = wins[0] - wins[1]
    every, total, sums = np.unique(group), 0.0, {}
    for axis, rows in ((1, negative), (0, positive)):
        away = table.mean(axis) - table.mean()
        sums[axis] = np.array([away[group[rows] == k].sum() for k in every]) / len(rows)
        held = len(np.unique(group[rows]))
        total += held / (held - 1) * np.sum(sums[axis] ** 2)
    return total + 2 * len(every) / (len(every) - 1) * np.sum(sums[0] * sums[1])


@pytest.mark.parametrize("seed", range(3))
def test_test_of_a_difference_against_definition(seed):
    y, a, b, group = _images(seed=seed)
    found = auc_difference_test(y, a, b, method="delong", groups=group)
    variance = _variance_by_definition(y, a, b, group)
    clusters = len(np.unique(group[~y])), len(np.unique(group[y]))
    df = min(clusters) - 1
    statistic = (auc_score(y, a) - auc_score(y, b)) / math.sqrt(variance)
    assert (found.clusters, found.df, found.computation) == (clusters, df, "t")
    assert found.variance == pytest.approx(variance, rel=1e-12)
    assert found.statistic == pytest.approx(statistic, rel=1e-12)
    assert found.pvalue == pytest.approx(2 * t.sf(abs(statistic), df), rel=1e-9)
    assert found.interval(0.9) == pytest.approx(
        auc_cluster_interval(y, a, groups=group, minus=b, confidence_level=0.9), abs=1e-12
    )
    assert found.variance == pytest.approx(auc_cluster_variance(y, a, groups=group, minus=b), rel=1e-12)


def test_score_interval_of_a_difference_by_hand():
    y, a, b, group = _images(seed=5)
    low, high = auc_difference_test(y, a, b, method="delong", groups=group).interval(method="score")
    # limits of either area, joined as those of estimates that correlate (Zou and Donner 2008, eq. 6)
    first, second = (auc_cluster_interval(y, s, groups=group) for s in (a, b))
    own = [auc_cluster_variance(y, s, groups=group) for s in (a, b)]
    both = auc_cluster_variance(y, a, groups=group, minus=b)
    r = (sum(own) - both) / 2 / math.sqrt(own[0] * own[1])
    x, z = auc_score(y, a), auc_score(y, b)
    down, up = (x - first.low, second.high - z), (first.high - x, z - second.low)
    reach = [math.sqrt(p**2 + q**2 - 2 * r * p * q) for p, q in (down, up)]
    assert (low, high) == pytest.approx((x - z - reach[0], x - z + reach[1]))


def test_test_of_single_cases_as_clusters_against_delong():
    y, a, b, _ = _images(seed=4)
    expected = auc_difference_test(y, a, b, method="delong")
    found = auc_difference_test(y, a, b, method="delong", groups=np.arange(len(y)))
    for name in ("difference", "variance", "statistic"):
        assert getattr(found, name) == pytest.approx(getattr(expected, name), rel=1e-12)
    # clusters are few enough for a t law, whose degrees of freedom are those of the smaller class
    assert found.pvalue == pytest.approx(2 * t.sf(abs(expected.statistic), y.sum() - 1), rel=1e-9)


def test_variance_against_bootstrap_of_clusters():
    y, a, b, group = _images(clusters=80, size=4, seed=1)
    variance = auc_difference_test(y, a, b, method="delong", groups=group).variance
    rng, draws = np.random.default_rng(0), 3000
    rows = [np.flatnonzero(group == k) for k in range(80)]
    gaps = []
    for _ in range(draws):
        drawn = np.concatenate([rows[k] for k in rng.integers(80, size=80)])
        gaps.append(auc_score(y[drawn], a[drawn]) - auc_score(y[drawn], b[drawn]))
    # four standard errors of the simulation, and terms of second order in the number of clusters
    assert np.var(gaps) == pytest.approx(variance, rel=4 * math.sqrt(2 / draws) + 2 / 80)


def test_models_that_rank_alike_have_p_of_1():
    y, a, _, group = _images()
    found = auc_difference_test(y, a, np.exp(a), method="delong", groups=group)
    assert (found.difference, found.variance, found.pvalue, found.statistic) == (0, 0, 1, 0)
    assert found.interval() == (0, 0)


@pytest.mark.parametrize("meaning", ["importance", "repeats"])
def test_a_weight_of_three_against_three_rows_of_a_cluster(meaning):
    y, a, b, group = _images(clusters=12, seed=2)
    weight = np.random.default_rng(3).integers(0, 4, len(y))
    rows = np.repeat(np.arange(len(y)), weight)
    weighted = auc_difference_test(
        y, a, b, method="delong", groups=group, sample_weight=weight, weights=meaning
    )
    repeated = auc_difference_test(y[rows], a[rows], b[rows], method="delong", groups=group[rows])
    for name in ("difference", "variance", "pvalue", "clusters"):
        assert getattr(weighted, name) == pytest.approx(getattr(repeated, name), rel=1e-11)
    if meaning == "repeats":  # the interval of one area has a shape that depends on the number of cases
        tables = ModelTables(JointScores(y, [a], weight.astype(float), cluster=group), meaning)
        expected = auc_cluster_interval(y[rows], a[rows], groups=group[rows])
        assert tables.clustered(0).limits(0.95) == pytest.approx(expected, rel=1e-11)


def test_tests_of_clusters_refuse():
    y, a, b, group = _images(clusters=6)
    with pytest.raises(InputError, match="`method` must be 'delong' where cases come in clusters, got 'perm"):
        auc_difference_test(y, a, b, groups=group)
    with pytest.raises(InputError, match="groups"):
        auc_difference_test(y, a, b, method="delong", groups=group[1:])
    with pytest.raises(InputError, match="`groups` must be left out when the first argument is a PairedC"):
        auc_difference_test(PairedCounts.from_arrays(y, a, b), method="delong", groups=group)
    with pytest.raises(UndefinedError, match="positive cases in at least 2 clusters, got 1"):
        auc_difference_test(y, a, b, method="delong", groups=np.where(y, -1, group))


@pytest.mark.long
@pytest.mark.parametrize(("clusters", "size"), [(20, 5), (60, 3)])
def test_level_and_coverage_of_differences_with_few_clusters(clusters, size):
    """Models of equal AUC that share what a cluster has in common."""
    rejected = held = 0
    for seed in range(1000):
        y, a, b, group = _images(clusters, size, seed=seed, gap=0.0)
        test = auc_difference_test(y, a, b, method="delong", groups=group)
        low, high = test.interval()
        rejected += test.pvalue < 0.05
        held += low <= 0 <= high
    assert rejected / 1000 <= 0.07
    assert held / 1000 >= 0.93


# ---------------------------------------------------------------- limits


def test_perfect_ranking_counts_clusters():
    y, s = np.repeat([0, 1], 20), np.arange(40)
    found = auc_cluster_interval(y, s, groups=np.repeat(np.arange(10), 4))
    assert found == pytest.approx(auc_interval([0] * 5 + [1] * 5, range(10), method="newcombe"))
    low, high = auc_cluster_interval(y, s, groups=np.repeat(np.arange(10), 4), minus=s * 2)
    assert low < 0 < high


def test_refusals():
    with pytest.raises(UndefinedError, match="positive cases in at least 2 clusters, got 1"):
        auc_cluster_interval([0, 0, 1, 1], [1, 3, 2, 4], groups=[1, 2, 3, 3])
    with pytest.raises(InputError, match="`confidence_level`"):
        auc_cluster_interval(Y, S, groups=PATIENT, confidence_level=2)


@pytest.mark.long
@pytest.mark.parametrize(
    ("clusters", "auc", "mixed"), [(20, 0.95, True), (20, 0.8, False), (10, 0.8, True), (40, 0.98, False)]
)
def test_coverage_with_few_clusters(clusters, auc, mixed):
    """Five cases per cluster that share half their variance."""
    rng = np.random.default_rng(2)
    group = np.repeat(np.arange(clusters), 5)
    held = 0
    for _ in range(1000):
        y = rng.random(len(group)) < 0.5 if mixed else group < clusters // 2
        shared, own = rng.normal(size=clusters)[group], rng.normal(size=len(group))
        s = math.sqrt(0.5) * (shared + own) + math.sqrt(2) * ndtri(auc) * y
        low, high = auc_cluster_interval(y, s, groups=group)
        held += low <= auc <= high
    assert held / 1000 >= 0.92
