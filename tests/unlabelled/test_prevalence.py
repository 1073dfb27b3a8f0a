"""The estimated class distribution against plain EM, first-order conditions and the reference cases."""

import json
import warnings

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import demur.unlabelled.prevalence
from demur import (
    CostModel,
    DegenerateDataWarning,
    InputError,
    UndefinedError,
    adjust_prevalence,
    direct_threshold,
)
from examples import examples
from reference_cases import cases, close


def plain_em(rows, trained, steps=200_000, tolerance=1e-14):
    """Saerens et al. (2002), eq. 2.9, as printed."""
    rows, trained = np.array(rows), np.array(trained)
    shares = trained
    for _ in range(steps):
        adjusted = rows * (shares / trained)
        adjusted /= adjusted.sum(axis=1, keepdims=True)
        change = np.abs(adjusted.mean(axis=0) - shares).max()
        shares = adjusted.mean(axis=0)
        if change < tolerance:
            break
    return shares


def likelihood(rows, trained, shares):
    return np.log((np.array(rows) * (np.array(shares) / np.array(trained))).sum(axis=1)).mean()


def test_example_against_direct_maximisation():
    shift = adjust_prevalence([0.9, 0.8, 0.6, 0.3, 0.2, 0.7], prevalence=0.5)
    assert shift.prevalence == pytest.approx(0.80533371, abs=1e-8)
    assert shift.converged
    assert "calibrated" in shift.assumption
    json.dumps(shift.to_dict(), allow_nan=False)


def test_certain_cases_by_hand():
    shift = adjust_prevalence([1.0, 1.0, 0.0], prevalence=0.2)
    assert shift.prevalence == pytest.approx(2 / 3, abs=1e-12)
    assert shift.proba.tolist() == [1, 1, 0]
    # one case that is likelier positive than before: all weight goes there
    assert adjust_prevalence([0.6], prevalence=0.5).prevalence == pytest.approx(1, abs=1e-10)
    assert adjust_prevalence([0.6], prevalence=0.7).prevalence == pytest.approx(0, abs=1e-10)


@pytest.mark.parametrize("case", cases("thresholds.json", "saerens_em"))
def test_shares_against_the_reference_cases(case):
    rows, trained = case["input"]["posteriors"], case["input"]["train_prior"]
    shift = adjust_prevalence(rows, prevalence=trained)
    close(shift.prevalence.tolist(), case["expected"]["prior"], case["tol"])
    close(shift.proba[0].tolist(), case["expected"]["first_adjusted"], case["tol"])
    # at least as likely as the reference optimum, which is rounded
    reference = likelihood(rows, trained, case["expected"]["prior"])
    assert shift.log_likelihood_gain >= reference - 1e-12
    if len(trained) == 2:
        binary = adjust_prevalence(np.array(rows)[:, 0], prevalence=trained[0])
        assert binary.prevalence == pytest.approx(shift.prevalence[0], abs=1e-9)
        assert binary.proba == pytest.approx(shift.proba[:, 0], abs=1e-9)


@given(
    st.lists(
        st.lists(st.sampled_from([0.05, 0.2, 0.5, 0.9]), min_size=3, max_size=3), min_size=2, max_size=12
    ),
    st.lists(st.sampled_from([0.2, 0.5, 1.0]), min_size=3, max_size=3),
)
# a class that vanishes with a mean ratio of almost 1: EM creeps, Newton does not
@example([(0.05, 0.05, 0.05), (0.05, 0.5, 0.05), (0.2, 0.9, 0.05), (0.2, 0.9, 0.05)], [0.2, 1.0, 0.2])
@settings(max_examples=examples(100), deadline=None)
def test_shares_against_plain_em(rows, trained):
    rows = np.array(rows) / np.sum(rows, axis=1, keepdims=True)
    trained = np.array(trained) / np.sum(trained)
    shift = adjust_prevalence(rows, prevalence=trained)
    assert shift.converged
    assert shift.prevalence.sum() == pytest.approx(1)
    assert shift.prevalence.min() >= 0
    # the optimum may not be unique (tied rows), its likelihood is
    slow = likelihood(rows, trained, plain_em(rows, trained, steps=3000))
    assert shift.log_likelihood_gain >= slow - 1e-9
    assert shift.log_likelihood_gain >= -1e-12
    # first-order conditions of the concave problem: no class has a mean ratio above 1
    mixture = (rows * (shift.prevalence / trained)).sum(axis=1)
    assert np.all((rows / trained / mixture[:, None]).mean(axis=0) <= 1 + 1e-8)


def test_shift_is_found_on_data_with_known_truth():
    rng = np.random.default_rng(4)
    positive = rng.random(40_000) < 0.1
    x = rng.normal(positive * 2.0, 1.0)
    # the posterior for half positives: normal densities one standard deviation around 0 and 2
    proba = 1 / (1 + np.exp(-(2 * x - 2)))
    shift = adjust_prevalence(proba, prevalence=0.5)
    assert shift.prevalence == pytest.approx(0.1, abs=0.006)
    assert shift.proba.mean() == pytest.approx(shift.prevalence, abs=1e-9)
    costs = CostModel(cost_fp=2)
    original = shift.threshold(costs).decide(proba)
    assert np.array_equal(original, direct_threshold(costs).decide(shift.proba))

    def price(called):
        return np.mean(2 * (called & ~positive) + (~called & positive))

    assert price(original == 1) < price(direct_threshold(costs).decide(proba) == 1)


def test_few_steps_where_plain_em_creeps():
    # every case is a little less likely positive than in training: no positive is left
    proba = np.full(200, 0.499)
    shift = adjust_prevalence(proba, prevalence=0.5)
    assert shift.prevalence == 0
    assert shift.iterations < 20
    creeping = plain_em(np.column_stack([proba, 1 - proba]), [0.5, 0.5], steps=500)
    assert creeping[0] > 0.05


def test_no_shift_where_none_is_seen():
    shift = adjust_prevalence([0.3, 0.3, 0.3], prevalence=0.3)
    assert shift.prevalence == pytest.approx(0.3)
    assert shift.log_likelihood_gain == pytest.approx(0, abs=1e-15)


def test_too_few_steps_warn(monkeypatch):
    monkeypatch.setattr(demur.unlabelled.prevalence, "_MAX_STEPS", 2)
    with pytest.warns(DegenerateDataWarning, match="not settled after 2 steps"):
        shift = adjust_prevalence([0.9, 0.8, 0.6, 0.3, 0.2, 0.7], prevalence=0.5)
    assert not shift.converged
    assert shift.iterations == 2


def test_sizes_of_a_million_cases_stay_exact():
    proba = np.tile([0.9, 0.8, 0.6, 0.3, 0.2, 0.7], 50_000)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert adjust_prevalence(proba, prevalence=0.5).prevalence == pytest.approx(0.80533371, abs=1e-8)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: adjust_prevalence([[0.5, 0.4]], prevalence=[0.5, 0.5]),
            "rows that sum to 1, got 0.9",
        ),
        (lambda: adjust_prevalence([[0.5, 0.5]], prevalence=[0.5, 0.4]), "`prevalence` must sum to 1"),
        (
            lambda: adjust_prevalence([[0.5, 0.5]], prevalence=[0.2, 0.3, 0.5]),
            "must be 2 numbers",
        ),
        (lambda: adjust_prevalence([0.5], prevalence=0.0), "must give every class a share above 0, got 0"),
        (lambda: adjust_prevalence([[0.5, 0.5]], prevalence=[0.0, 1.0]), "a share above 0"),
        (lambda: adjust_prevalence([0.5], prevalence=1.5), "`prevalence` must lie in"),
        (lambda: adjust_prevalence([1.5], prevalence=0.5), "`proba` must lie in"),
        (lambda: adjust_prevalence([], prevalence=0.5), "`proba` must hold at least one case"),
        (lambda: adjust_prevalence([[1.2, -0.2]], prevalence=[0.5, 0.5]), "`proba` must lie in"),
    ],
)
def test_error_sentences(call, message):
    with pytest.raises(InputError, match=message):
        call()


def test_threshold_needs_two_classes():
    shift = adjust_prevalence([[0.2, 0.3, 0.5], [0.6, 0.2, 0.2]], prevalence=[0.3, 0.3, 0.4])
    with pytest.raises(UndefinedError, match="two classes"):
        shift.threshold(CostModel())
