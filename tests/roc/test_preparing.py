"""Ordered words, missing values and directions become scores, and it is said how."""

import math

import numpy as np
import pandas as pd
import pytest

from demur import InputError, UndefinedError, auc_score
from demur.roc import prepared_scores

Y = [1, 0, 1, 0, 0, 1]
GRADE = ["poor", "good", "poor", "fair", "good", "fair"]
ORDER = ["poor", "fair", "good"]


def test_levels_by_hand():
    found = prepared_scores(Y, GRADE, levels=ORDER, direction="lower")
    assert found.y_score.tolist() == [0, -2, 0, -1, -2, -1]
    assert found.y_true.tolist() == [True, False, True, False, False, True]
    assert found.words == "lower means more positive, as given"
    # 6 of 9 pairs right on levels 0 < 1 < 2 reversed, one tie: (8 + 0.5) / 9
    assert auc_score(found.y_true, found.y_score) == pytest.approx(8.5 / 9)


def test_direction_is_said():
    auto = prepared_scores(Y, GRADE, levels=ORDER, direction="auto")
    assert auto.direction == "lower"
    assert auto.words == f"lower means more positive (AUC {8.5 / 9:.3f}, the other way {0.5 / 9:.3f})"
    assert prepared_scores([0, 1], [1, 2], direction="auto").direction == "higher"
    assert prepared_scores([0, 1], [1, 1], direction="auto").direction == "higher"
    assert "n=6: lower" in repr(auto)


@pytest.mark.parametrize("hole", [None, math.nan, np.nan, pd.NA, pd.NaT])
def test_missing_values_are_counted(hole):
    found = prepared_scores([*Y, 1, None], [*GRADE, hole, "good"], levels=ORDER, drop_missing=True)
    assert found.n_dropped == 2
    assert found.words.endswith("; 2 cases with missing values left out")
    assert len(found.y_true) == len(found.y_score) == 6
    with pytest.raises(InputError, match=r"2 such cases.*drop_missing=True"):
        prepared_scores([*Y, 1, None], [*GRADE, hole, "good"], levels=ORDER)


def test_ordered_categorical_brings_its_levels():
    ordered = pd.Series(pd.Categorical(GRADE, categories=ORDER, ordered=True))
    assert prepared_scores(Y, ordered).y_score.tolist() == [0, 2, 0, 1, 2, 1]
    with pytest.raises(InputError, match="unordered categorical"):
        prepared_scores(Y, pd.Series(pd.Categorical(GRADE)))


def test_numbers_and_words_as_labels():
    found = prepared_scores(["ill", "well", "ill"], [3, 1.5, math.inf], pos_label="ill")
    assert found.y_score.tolist() == [3, 1.5, math.inf]
    assert found.n_dropped == 0


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (
            lambda: prepared_scores(Y, GRADE),
            InputError,
            "must be numbers unless levels are given, got 'poor'",
        ),
        (
            lambda: prepared_scores(Y, GRADE, levels=["poor", "good"]),
            InputError,
            "one of the levels.*got 'fair'",
        ),
        (lambda: prepared_scores(Y, GRADE, levels=["poor", "poor"]), InputError, "`levels` must differ"),
        (lambda: prepared_scores(Y, GRADE[:3], levels=ORDER), InputError, "y_score"),
        (lambda: prepared_scores(Y, range(6), direction="up"), InputError, "`direction` must be one of"),
        (lambda: prepared_scores([None], [1.0], drop_missing=True), UndefinedError, "one complete case"),
        (lambda: prepared_scores([1, 1], [1, 2], direction="auto"), UndefinedError, "both classes"),
    ],
)
def test_refusals(call, error, words):
    with pytest.raises(error, match=words):
        call()
