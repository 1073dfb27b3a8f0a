"""Planned studies: against pROC, by hand, and every number solved back."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import norm

from demur import InputError, UndefinedError, auc_difference_test
from demur.auc import auc_power, auc_study, pilot_study

PROC = json.loads((Path(__file__).parents[1] / "reference" / "proc.json").read_text())["power"]


def test_solved_numbers_against_proc():
    sizes = {"n_positive": 30, "n_negative": 30}
    assert auc_study(**sizes, power=0.9).auc == pytest.approx(PROC["auc"], abs=1e-4)
    level = auc_study(auc=0.8, **sizes, power=0.9, significance_level=None)
    assert level.significance_level == pytest.approx(PROC["level"], rel=1e-3)
    assert level.solved == "significance_level"
    power = auc_study(auc=0.8, n_positive=40, n_negative=60).power
    assert power == pytest.approx(PROC["power"], abs=2e-5)
    # pROC does not round up
    assert auc_study(auc=0.8, power=0.9, negatives_per_positive=2).n_positive == math.ceil(PROC["ncases"])


@pytest.mark.parametrize(
    "options", [{}, {"other_auc": 0.7, "correlation": 0.5}, {"alternative": "one-sided"}]
)
def test_solutions_have_the_power(options):
    question = {"n_positive": 50, "n_negative": 80, **options}
    found = auc_study(power=0.85, **question)
    assert auc_power(auc=found.auc, **question) == pytest.approx(0.85)
    level = auc_study(auc=0.78, power=0.85, significance_level=None, **question).significance_level
    assert auc_power(auc=0.78, significance_level=level, **question) == pytest.approx(0.85)


def test_pilot_by_hand():
    # variance 0.01, difference 0.1: one standard error; 2.802 = 1.960 + 0.842 are needed
    times = pilot_study(variance=0.01, difference=0.1, power=0.8).times
    assert times == pytest.approx((norm.ppf(0.975) + norm.ppf(0.8)) ** 2)
    assert pilot_study(variance=0.01, difference=0.1, times=4).power == pytest.approx(norm.cdf(2 - 1.959964))
    one_sided = pilot_study(variance=0.01, difference=-0.1, times=4, alternative="one-sided")
    assert one_sided.power == pytest.approx(norm.cdf(2 - norm.ppf(0.95)))
    assert pilot_study(variance=0.01, times=times, power=0.8).difference == pytest.approx(0.1)
    level = pilot_study(variance=0.01, difference=0.1, times=times, power=0.8, significance_level=None)
    assert level.significance_level == pytest.approx(0.05)


def test_pilot_of_two_curves_against_a_larger_study():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 60)
    a, b = rng.normal(size=(2, 120)) + 1.2 * y
    pilot = auc_difference_test(y, a, b, method="delong")
    large = auc_difference_test(np.tile(y, 9), np.tile(a, 9), np.tile(b, 9), method="delong")
    # nine times the cases: a ninth of the variance, up to N / (N - 1)
    assert large.variance == pytest.approx(pilot.variance / 9, rel=0.02)
    power = pilot_study(variance=pilot.variance, difference=0.1, times=9).power
    assert power == pytest.approx(norm.cdf(0.1 / math.sqrt(large.variance) - 1.96), abs=0.01)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: auc_study(auc=0.8, n_positive=9, n_negative=9, power=0.8), "exactly one open"),
        (lambda: auc_study(power=0.8), "exactly one open.*got auc, n_positive"),
        (lambda: auc_study(auc=0.8, n_positive=9), "`n_negative` must be given"),
        (lambda: pilot_study(variance=0, difference=0.1, times=1), "`variance` must be positive"),
        (lambda: pilot_study(variance=1, difference=0, times=1), "`difference` must not be 0"),
        (lambda: pilot_study(variance=1, difference=1, power=1.0), "`power` must lie strictly"),
        (lambda: pilot_study(variance=1, difference=1, power=0.5, alternative="less"), "`alternative`"),
    ],
)
def test_refusals(call, words):
    with pytest.raises(InputError, match=words):
        call()


def test_studies_without_a_solution():
    with pytest.raises(UndefinedError, match="No AUC between"):
        auc_study(n_positive=2, n_negative=2, power=0.999)
    with pytest.raises(UndefinedError, match="No significance level below 1"):
        pilot_study(variance=1, difference=0.01, times=1, power=0.999, significance_level=None)
