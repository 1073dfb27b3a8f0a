"""Intervals of AUCs of clustered cases: by hand, their limits, and their coverage."""

import math

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import ndtri
from scipy.stats import t

from demur import InputError, UndefinedError, auc_interval, auc_score
from demur.auc import auc_cluster_interval, auc_cluster_variance, auc_variance

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
