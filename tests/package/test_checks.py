"""Checks of arguments: what NumPy would misread without a word is refused with a sentence."""

import sys
from types import ModuleType

import numpy as np
import pandas as pd
import pytest

import demur
from demur import InputError
from demur._checks import (
    check_class_codes,
    check_columns,
    check_finite,
    check_labels,
    check_levels,
    check_scores,
    check_series,
    check_weights,
)

MASKED = np.ma.array([0.1, 0.9, 0.2], mask=[False, True, False])
DATES = np.array(["2026-01-01", "NaT"], dtype="datetime64[s]")


@pytest.mark.parametrize("check", [check_scores, check_weights, check_series, check_labels, check_levels])
def test_masked_values_are_refused(check):
    with pytest.raises(InputError, match=r"must not hold masked values, got 1 of them\. Hint: drop those"):
        check(MASKED)


def test_masked_array_without_masked_values_is_an_array():
    assert check_scores(np.ma.array([0.1, 0.9], mask=False)).tolist() == [0.1, 0.9]
    assert demur.auc_score([0, 1], np.ma.array([0.1, 0.9])) == 1


def test_masked_cases_are_not_taken_unmasked():
    scores = np.ma.array([0.1, 0.9, 0.2, 0.3], mask=[False, True, False, False])
    with pytest.raises(InputError, match=r"`y_score` must not hold masked values"):
        demur.auc_score([0, 0, 1, 1], scores)
    with pytest.raises(InputError, match=r"`y_true` must not hold masked values"):
        demur.auc_score(np.ma.array([0, 0, 1, 1], mask=[1, 0, 0, 0]), scores.data)


def test_masks_module_that_another_thread_is_importing(monkeypatch):
    monkeypatch.setitem(sys.modules, "numpy.ma", ModuleType("numpy.ma"))
    assert check_scores([0.1, 0.9]).tolist() == [0.1, 0.9]


@pytest.mark.parametrize("check", [check_scores, check_weights, check_series])
def test_imaginary_parts_are_refused(check):
    with pytest.raises(InputError, match=r"must hold real numbers, got dtype complex128\. Hint: pass"):
        check([0.1 + 1j, 0.2])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: check_labels([1j, 0]), r"`y_true` must hold labels .*, got dtype complex128"),
        (lambda: check_finite(np.array([1 + 0j]), "mu"), r"`mu` must hold real numbers"),
        (lambda: check_columns([[1j, 0]], "proba"), r"`proba` must hold real numbers"),
        (lambda: check_scores(DATES), r"`y_score` must hold numbers, not times, got dtype datetime64\[s\]"),
        (lambda: check_weights(DATES - DATES[0]), r"`sample_weight` must hold numbers, not times"),
        (lambda: check_labels(DATES), r"`y_true` must hold labels .*, got dtype datetime64"),
        (lambda: check_labels(np.array([pd.NaT, 1], dtype=object)), r"`y_true` must not contain missing"),
        (lambda: check_scores([[0.1], [0.2, 0.3]]), r"`y_score` must be an array, got list with rows of"),
        (lambda: check_labels([[1], [0, 1]]), r"`y_true` must be an array, got list with rows of diff"),
        (lambda: check_class_codes([[1], [0, 1]], 2), r"`y_true` must be an array, got list with rows"),
        (lambda: check_finite([[1], [1, 2]], "mu"), r"`mu` must be an array, got list with rows of diff"),
        (lambda: check_labels(np.array([[1], [0, 1]], dtype=object)), r"`y_true` must hold labels .* lists"),
        (lambda: check_scores([10**400, 1]), r"`y_score` must stay within 1\.8e308, got a larger whole"),
        (lambda: check_finite(10**5000, "mu"), r"`mu` must stay within 1\.8e308, got a larger whole"),
        (lambda: check_scores([10**30, 1]), r"must stay within 2\*\*53 .*, got 1e\+30"),
        (lambda: check_scores(np.array([2**60, 1])), r"must stay within 2\*\*53 .*, got 1152921504606846976"),
    ],
)  # fmt: skip
def test_misread_values_are_refused(call, message):
    with pytest.raises(InputError, match=message):
        call()


def test_missing_values_of_data_frames_are_refused():
    labels = pd.Series([True, False, pd.NA], dtype="boolean")
    with pytest.raises(InputError, match=r"`y_true` must not contain missing labels, got <NA>\. Hint: drop"):
        check_labels(labels)
    with pytest.raises(InputError, match=r"`y_true` must not contain missing labels"):
        check_levels(pd.Series([1, 2, pd.NA], dtype="Int64"))
    with pytest.raises(InputError, match=r"`y_score` must not contain (NaN|missing values), got .*2"):
        check_scores(pd.Series([0.1, 0.2, pd.NA], dtype="Float64"))
    with pytest.raises(InputError, match=r"`y_score` must not contain (NaN|missing values)"):
        check_scores(np.array([0.1, pd.NA], dtype=object))
    assert check_labels(pd.Series([True, False], dtype="boolean")).tolist() == [True, False]


@pytest.mark.parametrize("name", ["cost", "window", "abstention_rate"])
def test_one_negative_cost_of_abstaining_is_refused(name):
    surface = demur.abstention_surface([0, 1, 0, 1], [1, 2, 3, 4])
    ask = getattr(surface, name)
    with pytest.raises(InputError, match=r"`nu` must not be negative where it holds .*, got -1.0\. Hint"):
        ask(1, -1)
    assert np.isfinite(surface.cost(1, -0.1, 0.9))
    assert surface.cost(1, 0, 0) == surface.cost(1, 0) == 0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: demur.cautious.response_band([0, 1], [1j, 2j]), "`proba` must hold real numbers"),
        (lambda: demur.cautious.response_band([0, 1], "text"), "`proba` must"),
        (lambda: demur.cautious.response_band([0, 1], [[], []]), "`proba` must have a column for each class"),
        (lambda: demur.ordinal.ranking_experiment(level_counts=3.5), "`level_counts` must be a sequence"),
        (lambda: demur.ordinal.ranking_experiment(n_rankings=10**400), "`n_rankings` must be below"),
        (lambda: demur.ordinal.separability_experiment(n_levels=3), "`n_levels` must be a sequence"),
        (lambda: demur.ordinal.separability_experiment(distances=[1e300]), "`distances` must not exceed"),
        (
            lambda: demur.engines.read_joint_counts(
                {"y": [0, 1], "a": [0, 1], "b": [1, 0]}, y_true="y", scores=["a", "b"], counts=3
            ),
            "`counts` must be a non-empty mapping",
        ),
        (lambda: demur.roc.prepared_scores([0, 1], float("nan")), "`y_score` must be a sequence, got float"),
        (lambda: demur.roc.prepared_scores([0, 1], [[1, 2], [3]]), "`y_score` must hold single values"),
        (lambda: demur.roc.prepared_scores([0, 1], [(1, 2), (3, 4)]), "`y_score` must hold single values"),
        (lambda: demur.roc.prepared_scores([0, 1], [1, 2], levels=np.nan), "`levels` must be a sequence"),
        (lambda: demur.roc.prepared_scores([0, 1], [1, 2], levels=[{}]), "`levels` must hold single values"),
        (lambda: demur.auc_score([0, 1], [1, 2], pos_label=np.array([0, 1])), "`pos_label` must be one of"),
    ],
)
def test_what_the_fuzzer_found(call, message):
    with pytest.raises(InputError, match=message):
        call()


def test_rankings_of_huge_numbers_agree_by_their_order():
    agreement = demur.ordinal.order_agreement([0.25, 1.5, 2.0], [-1.7e308, -0.0, 1.7e308])
    assert agreement.concordant == 1
