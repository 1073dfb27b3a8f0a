"""Power and sample size against R, simulation-free theory and hand computation."""

import math

import pytest

from demur import InputError, UndefinedError
from demur.auc import auc_power, auc_sample_size
from reference_cases import cases, close

FILE = "auc_inference.json"


@pytest.mark.parametrize("case", cases(FILE, "proc_power"))
def test_power_against_r(case):
    close(auc_power(**case["input"]), case["expected"]["power"], case["tol"])


@pytest.mark.parametrize("case", cases(FILE, "proc_size"))
def test_sample_size_against_r(case):
    found = auc_sample_size(**case["input"])
    # R solves for a real number of cases and rounds nothing; the negatives here are rounded up,
    # which may spare one positive
    exact = case["expected"]["n_positive"]
    assert math.ceil(exact) - 1 <= found.n_positive <= math.ceil(exact)
    assert found.n_negative == math.ceil(found.n_positive * case["input"]["negatives_per_positive"])


def test_power_of_one_auc_by_hand():
    # Hanley and McNeil with A = 0.5, N = M = 4: [1/4 + 2 * 3 * (1/3 - 1/4)] / 16 = 3/64; at 0.8 by hand
    null = math.sqrt(3 / 64)
    truth = math.sqrt((0.16 + 3 * (0.8 / 1.2 - 0.64) + 3 * (1.28 / 1.8 - 0.64)) / 16)
    z = (0.3 - 1.959963984540054 * null) / truth
    expected = 0.5 * math.erfc(-z / math.sqrt(2))
    got = auc_power(auc=0.8, n_positive=4, n_negative=4, variance="hanley-mcneil")
    assert got == pytest.approx(expected, abs=1e-12)


def test_power_of_two_aucs_by_hand():
    # binormal variances per positive with as many negatives: 0.0099 exp(-a^2/2) (6 a^2 + 16)
    from scipy.special import ndtri

    def variance(auc):
        a2 = (1.414 * ndtri(auc)) ** 2
        return 0.0099 * math.exp(-a2 / 2) * (6 * a2 + 16) / 100

    first, second = variance(0.85), variance(0.75)
    truth = math.sqrt(first + second - 2 * 0.4 * math.sqrt(first * second))
    null = math.sqrt(2 * variance(0.8) * 0.6)
    z = (0.1 - 1.959963984540054 * null) / truth
    got = auc_power(auc=0.85, other_auc=0.75, correlation=0.4, n_positive=100, n_negative=100)
    assert got == pytest.approx(0.5 * math.erfc(-z / math.sqrt(2)), abs=1e-12)


@pytest.mark.parametrize("null", [0.5, 0.6, 0.85])
@pytest.mark.parametrize("variance", ["equal-binormal", "hanley-mcneil"])
@pytest.mark.parametrize("alternative", ["two-sided", "one-sided"])
def test_sample_size_is_the_smallest_that_reaches_the_power(null, variance, alternative):
    question = {"auc": 0.72, "null_auc": null, "variance": variance, "alternative": alternative}
    found = auc_sample_size(**question, power=0.9, negatives_per_positive=2.5)
    assert found.power >= 0.9
    assert found.n == found.n_positive + found.n_negative
    reached = auc_power(**question, n_positive=found.n_positive, n_negative=found.n_negative)
    assert reached == found.power
    fewer = found.n_positive - 1
    assert auc_power(**question, n_positive=fewer, n_negative=math.ceil(2.5 * fewer)) < 0.9


def test_correlation_spares_cases():
    sizes = [auc_sample_size(auc=0.9, other_auc=0.85, correlation=rho).n for rho in (0, 0.3, 0.6)]
    assert sizes[0] > sizes[1] > sizes[2]
    assert auc_sample_size(auc=0.9, other_auc=0.85).to_dict()["n_positive"] * 2 == sizes[0]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: auc_power(auc=1, n_positive=5, n_negative=5),
            "`auc` must lie strictly between 0 and 1, got 1",
        ),
        (lambda: auc_power(auc=0.5, n_positive=5, n_negative=5), "`auc` must differ from null_auc, got 0.5"),
        (
            lambda: auc_power(auc=0.7, other_auc=0.7, n_positive=5, n_negative=5),
            "`auc` must differ from other_auc",
        ),
        (lambda: auc_power(auc=0.7, n_positive=0, n_negative=5), "`n_positive` must be a whole number"),
        (lambda: auc_power(auc=0.7, n_positive=5, n_negative=5, correlation=0.3), "is only for two AUCs"),
        (
            lambda: auc_power(auc=0.7, other_auc=0.6, n_positive=5, n_negative=5, correlation=1),
            "strictly between -1 and 1",
        ),
        (
            lambda: auc_power(auc=0.7, n_positive=5, n_negative=5, alternative="less"),
            "'two-sided', 'one-sided'",
        ),
        (
            lambda: auc_power(auc=0.7, n_positive=5, n_negative=5, variance="delong"),
            "`variance` must be one of",
        ),
        (
            lambda: auc_power(auc=0.7, n_positive=5, n_negative=5, significance_level=0),
            "`significance_level` must lie strictly",
        ),
        (lambda: auc_sample_size(auc=0.7, power=1), "`power` must lie between the significance level and 1"),
        (lambda: auc_sample_size(auc=0.7, power=0.01), "`power` must lie between"),
        (lambda: auc_sample_size(auc=0.7, negatives_per_positive=0), "must be positive, got 0"),
        (lambda: auc_sample_size(auc=0.7, negatives_per_positive=[1, 2]), "must be one number"),
    ],
)
def test_error_sentences(call, message):
    with pytest.raises(InputError, match=message):
        call()


def test_difference_too_small_to_be_found():
    with pytest.raises(UndefinedError, match="too small to be found"):
        auc_sample_size(auc=0.5 + 1e-9)
