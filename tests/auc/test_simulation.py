"""Level, power, bias and coverage on binormal data, whose true AUC is known in closed form."""

import math

import numpy as np
import pytest
from scipy.special import ndtr, ndtri

from demur import auc_difference_test, auc_interval, auc_score
from demur._kernels.auc_variances import equal_binormal, hanley_mcneil
from demur.auc import auc_power, auc_variance

pytestmark = pytest.mark.long

# the same scale by design, but 40 cases can look otherwise
by_chance = pytest.mark.filterwarnings("ignore:the two models score on different scales")

MODELS = {"hanley-mcneil": hanley_mcneil, "equal-binormal": equal_binormal}


def binormal_pair(rng, auc_a, auc_b, rho, n):
    """n negatives, n positives; within a class the two scores have correlation rho."""
    y = np.repeat([0, 1], n)
    shared, own = rng.normal(size=2 * n), rng.normal(size=(2, 2 * n))
    scores = math.sqrt(rho) * shared + math.sqrt(1 - rho) * own
    # AUC = Phi(shift / sqrt(2))
    shifts = math.sqrt(2) * ndtri([auc_a, auc_b])
    return y, *(scores + shifts[:, None] * y)


def rejection_rates(auc_a, auc_b, rho, n, replicates, seed):
    rng = np.random.default_rng(seed)
    rejected = np.zeros((replicates, 3))
    for k in range(replicates):
        data = binormal_pair(rng, auc_a, auc_b, rho, n)
        exact = auc_difference_test(*data, exchange="scores")
        normal = 2 * ndtr(-abs(exact.statistic))
        rejected[k] = [
            auc_difference_test(*data, method="delong").pvalue <= 0.05,
            normal <= 0.05,
            exact.pvalue <= 0.05,
        ]
    return rejected.mean(0)


@by_chance
@pytest.mark.parametrize(
    ("auc", "delong", "normal"), [(0.70, 0.046, 0.045), (0.85, 0.042, 0.047), (0.95, 0.013, 0.038)]
)
def test_level_against_a_long_simulation(auc, delong, normal):
    # 20,000 replicates, standard error 0.001; here about 0.006
    rates = rejection_rates(auc, auc, 0.5, 20, 1500, seed=1)
    assert rates[0] == pytest.approx(delong, abs=0.018)
    assert rates[1] == pytest.approx(normal, abs=0.018)
    # the exact test never exceeds its level, beyond the error of the simulation
    assert rates[2] <= 0.05 + 0.017


@by_chance
def test_power_against_a_long_simulation():
    rates = rejection_rates(0.85, 0.93, 0.6, 30, 1200, seed=2)
    assert rates[0] == pytest.approx(0.438, abs=0.045)
    assert rates[1] == pytest.approx(0.451, abs=0.045)
    # Bandos et al.: the permutation test is better than DeLong's for AUC > 0.8, correlation > 0.4
    assert rates[1] > rates[0]


def test_bias_against_a_long_simulation():
    rng = np.random.default_rng(3)
    methods = ("unbiased", "delong", "jackknife", "bootstrap")
    found = np.empty((1500, 4))
    aucs = np.empty(1500)
    for k in range(1500):
        y, s, _ = binormal_pair(rng, 0.85, 0.85, 0.5, 20)
        found[k] = [auc_variance(y, s, method=method) for method in methods]
        aucs[k] = auc_score(y, s)
    truth = found[:, 0].mean()
    assert found.mean(0) / truth - 1 == pytest.approx([0, 0.039, 0.066, 0.022], abs=0.008)
    # unbiased: the mean is the variance of the AUC, here known to sqrt(2 / 1500) = 4 %
    assert truth == pytest.approx(aucs.var(ddof=1), rel=0.13)
    assert aucs.mean() == pytest.approx(0.85, abs=4 * math.sqrt(truth / 1500))


@pytest.mark.parametrize(("auc", "n"), [(0.75, 30), (0.95, 30)])
def test_coverage_against_the_true_auc(auc, n):
    rng = np.random.default_rng(4)
    held = {"score": 0, "logit": 0, "newcombe": 0, "wald": 0}
    for _ in range(1000):
        y, s, _ = binormal_pair(rng, auc, auc, 0.0, n)
        for method in held:
            low, high = auc_interval(y, s, method=method)
            held[method] += low <= auc <= high
    assert held["logit"] / 1000 == pytest.approx(0.95, abs=0.025)
    assert held["score"] / 1000 >= 0.94
    assert held["newcombe"] / 1000 >= 0.925
    # Wald limits miss the AUC near 1; that is why they are not the default
    assert held["wald"] <= held["logit"] + 10


@pytest.mark.long
@pytest.mark.parametrize("spread", [0.5, 1.0, 2.0])
@pytest.mark.parametrize("sizes", [(10, 10), (200, 10), (10, 100), (40, 40)])
@pytest.mark.parametrize("auc", [0.8, 0.95, 0.995])
def test_score_interval_covers_where_others_do_not(spread, sizes, auc):
    """Nominal 0.95; 1000 runs, so that 0.93 shows as 0.92 at worst."""
    from scipy.special import ndtri

    rng = np.random.default_rng(11)
    y = np.repeat([0, 1], sizes)
    shift = ndtri(auc) * math.sqrt(1 + spread**2)
    held = 0
    for _ in range(1000):
        s = rng.normal(size=len(y))
        low, high = auc_interval(y, np.where(y, shift + spread * s, s))
        held += low <= auc <= high
    assert held / 1000 >= 0.92


def test_interval_of_a_difference_covers_the_truth():
    rng = np.random.default_rng(5)
    held = {"delong": 0, "permutation": 0}
    for _ in range(800):
        data = binormal_pair(rng, 0.85, 0.75, 0.4, 40)
        for method in held:
            low, high = auc_difference_test(*data, method=method).interval(0.9)
            held[method] += low <= 0.10 <= high
    for count in held.values():
        assert count / 800 == pytest.approx(0.9, abs=0.035)


def test_planned_power_against_simulation():
    # a null other than 0.5: the study must show that 0.82 beats 0.70
    rng = np.random.default_rng(6)
    question = {"auc": 0.82, "null_auc": 0.70, "n_positive": 60, "n_negative": 60}
    planned = {v: auc_power(**question, variance=v) for v in ("hanley-mcneil", "equal-binormal")}
    aucs = np.array([auc_score(*binormal_pair(rng, 0.82, 0.82, 0.0, 60)[:2]) for _ in range(1500)])
    found = {
        v: np.mean(aucs - 0.70 > 1.96 * math.sqrt(formula(0.70, 60, 60))) for v, formula in MODELS.items()
    }
    assert planned["hanley-mcneil"] == pytest.approx(found["hanley-mcneil"], abs=0.045)
    # made for ratings on a few levels: cautious for continuous scores
    assert found["equal-binormal"] - 0.12 < planned["equal-binormal"] < found["equal-binormal"]
