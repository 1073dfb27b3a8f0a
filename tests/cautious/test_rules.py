"""Decision rules against their definitions, the paper and a bisection on the window."""

import math

import numpy as np
import pytest
from hypothesis import given, settings

from cautious_cases import biased_cases, tree_cases
from demur import ABSTAIN, InputError, cautious_confusion
from demur.cautious import CautionWindowRule, ClassThresholdRule, ConfidenceRule, RatioRule, critical_windows
from examples import examples
from reference_cases import cases

FILE = "cautious.json"


def tree_matrix(rule):
    labels, proba = tree_cases()
    return cautious_confusion(labels, rule.decide(proba), labels=[0, 1]).matrix.tolist()


def decide_by_definition(p, bias, window):
    """Rule R4 case by case, straight from the definition; the number of classes abstains."""
    thresholds = [(1 - k) * window + k for k in bias]
    if not any(value >= limit for value, limit in zip(p, thresholds, strict=True)):
        return len(p)

    def ratio(value, limit):
        if limit == 0:
            return math.inf if value > 0 else 0.0
        return value / limit

    ratios = [ratio(value, limit) for value, limit in zip(p, thresholds, strict=True)]
    return ratios.index(max(ratios))


# ---------------------------------------------------------------- against the paper, by hand


def test_rules_on_the_tree_against_paper():
    assert tree_matrix(ConfidenceRule(0)) == [[37, 12], [3, 48], [0, 0]]
    assert tree_matrix(ConfidenceRule(0.625, strict=True)) == [[37, 3], [3, 48], [0, 9]]
    assert tree_matrix(CautionWindowRule([0.55, 0.45], 0.15)) == [[37, 3], [3, 48], [0, 9]]
    assert tree_matrix(CautionWindowRule([0.55, 0.45], 0.4)) == [[33, 1], [1, 45], [6, 14]]


def test_thresholds_of_the_window_against_paper():
    assert CautionWindowRule([0.55, 0.45], 0.15).thresholds == pytest.approx([0.6175, 0.5325])
    assert CautionWindowRule([0.55, 0.45], 0.4).thresholds == pytest.approx([0.73, 0.67])


def test_ratio_and_class_thresholds_differ_against_paper():
    assert RatioRule([0.8, 0.4]).decide([0.55, 0.45]) == 1
    assert ClassThresholdRule([0.8, 0.4]).decide([0.55, 0.45]) == ABSTAIN


def test_strict_and_inclusive_confidence_by_hand():
    rows = [[0.5, 0.5], [0.75, 0.25]]
    assert ConfidenceRule(0.75).decide(rows).tolist() == [ABSTAIN, 0]
    assert ConfidenceRule(0.75, strict=True).decide(rows).tolist() == [ABSTAIN, ABSTAIN]


def test_windows_at_the_ends_by_hand():
    rows = [[1.0, 0.0], [0.5, 0.5], [0.25, 0.75]]
    assert CautionWindowRule([0.5, 0.5], 0).decide(rows).tolist() == [0, 0, 1]
    assert CautionWindowRule([0.5, 0.5], 1).decide(rows).tolist() == [0, ABSTAIN, ABSTAIN]
    # a class with all the bias is called only when certain
    assert CautionWindowRule([1, 0], 0).decide(rows).tolist() == [0, 1, 1]
    assert CautionWindowRule([1, 0], 1).decide(rows).tolist() == [0, ABSTAIN, ABSTAIN]


def test_decimal_ties_count_as_reached_by_hand():
    # 0.6 = 0.5 * 0.2 + 0.5, which binary floats miss on one side or the other
    for p, window in ((0.6, 0.2), (0.65, 0.3), (0.7, 0.4), (0.8, 0.6), (0.9, 0.8)):
        assert CautionWindowRule([0.5, 0.5], window).decide([p, 1 - p]) == 0
        assert CautionWindowRule([0.5, 0.5], window + 1e-9).decide([p, 1 - p]) == ABSTAIN


# ---------------------------------------------------------------- reference cases (definition)


def rule_of(data):
    if data["rule"] == "threshold":
        return ConfidenceRule(data["tau"])
    if data["rule"] == "bias_window":
        return CautionWindowRule(data["K"], data["w"])
    return {"per_class": ClassThresholdRule, "ratio": RatioRule}[data["rule"]](data["tau"])


@pytest.mark.parametrize("case", cases(FILE, "cautious.rule"))
def test_rule_against_definition(case):
    p = case["input"]["p"]
    expect = case["expect"]["decision"]
    decided = rule_of(case["input"]).decide(p)
    assert decided == (ABSTAIN if expect == len(p) else expect)
    assert isinstance(decided, int)


# ---------------------------------------------------------------- critical windows against bisection


@given(biased_cases())
@settings(max_examples=examples(150), deadline=None)
def test_rule_agrees_with_the_definition_on_every_window(data):
    rows, bias = data
    for window in (0.0, 0.125, 0.3, 0.5, 0.875, 1.0):
        decided = CautionWindowRule(bias, window).decide(rows)
        expected = [decide_by_definition(p, bias, window) for p in rows]
        if window in (0.3, 0.875):
            # an exact tie may round either way in the definition; the rule answers it
            sure = [abs(w - window) > 1e-9 for w in critical_windows(rows, bias=bias).abstain]
        else:
            sure = [True] * len(rows)
        for got, expect, checked in zip(decided, expected, sure, strict=True):
            if checked:
                assert got == (ABSTAIN if expect == rows.shape[1] else expect)


@given(biased_cases())
@settings(max_examples=examples(150), deadline=None)
def test_critical_windows_against_the_definition(data):
    rows, bias = data
    windows = critical_windows(rows, bias=bias)
    for case, p in enumerate(rows):
        limit = min(windows.abstain[case], 1.0)
        changes = windows.case == case
        edges = np.concatenate([[0.0], windows.window[changes], [limit]])
        classes = [windows.first[case], *windows.after[changes]]
        assert windows.first[case] == decide_by_definition(p, bias, 0.0)
        for low, high, expected in zip(edges[:-1], edges[1:], classes, strict=True):
            if high - low > 1e-9:
                assert decide_by_definition(p, bias, (low + high) / 2) == expected
        if limit < 1 - 1e-9:
            assert decide_by_definition(p, bias, limit + 1e-9) == rows.shape[1]
        assert windows.last[case] == classes[-1]
        if windows.abstain[case] >= 1:
            assert p.max() == 1
        assert windows.abstain[case] >= 0


@given(biased_cases(max_classes=2))
@settings(max_examples=examples(60), deadline=None)
def test_two_classes_never_change_class_against_theory(data):
    rows, bias = data
    assert critical_windows(rows, bias=bias).case.size == 0


def test_three_classes_do_change_class_by_hand():
    # ratios at w = 0: 1.2, 1.4, 0.4; lines cross at (0.28*0.5 - 0.6*0.2) / (0.6*0.8 - 0.28*0.5)
    windows = critical_windows([[0.6, 0.28, 0.12]], bias=[0.5, 0.2, 0.3])
    assert windows.window == pytest.approx([0.02 / 0.34])
    assert (windows.before.tolist(), windows.after.tolist()) == ([1], [0])
    assert windows.abstain == pytest.approx([0.2])


def test_case_on_the_bias_is_answered_only_without_a_window():
    windows = critical_windows([[0.25, 0.75]], bias=[0.25, 0.75])
    assert windows.abstain.tolist() == [0]
    assert CautionWindowRule([0.25, 0.75], 0).decide([0.25, 0.75]) == 0
    assert CautionWindowRule([0.25, 0.75], 1e-6).decide([0.25, 0.75]) == ABSTAIN


def test_rules_are_json_safe_and_frozen():
    rule = CautionWindowRule([0.5, 0.5], 0.2)
    assert rule.to_dict() == {"bias": [0.5, 0.5], "window": 0.2, "thresholds": [0.6, 0.6]}
    with pytest.raises(AttributeError):
        rule.window = 0.3
    with pytest.raises(ValueError, match="read-only"):
        rule.bias[0] = 1


# ---------------------------------------------------------------- wrong input

WRONG = [case for case in cases(FILE, "errors") if case.values[0]["input"]["call"] == "cautious.rule"]


@pytest.mark.parametrize("case", WRONG)
def test_wrong_input_raises(case):
    with pytest.raises(InputError):
        rule_of(case["input"]["args"]).decide(case["input"]["args"]["p"])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: ConfidenceRule(1.5), r"`threshold` must lie in \[0, 1\], got 1.5"),
        (lambda: ConfidenceRule("high"), "`threshold` must be a number"),
        (lambda: ClassThresholdRule([0.5, -0.5]), r"`thresholds` must lie in \[0, 1\]"),
        (lambda: RatioRule(0.5), "`thresholds` must be one number per class"),
        (lambda: CautionWindowRule([0.5, 0.6], 0.1), "`bias` must sum to 1, got 1.1"),
        (lambda: CautionWindowRule([1.5, -0.5], 0.1), r"`bias` must lie in \[0, 1\]"),
        (lambda: CautionWindowRule([1.0], 0.1), "`bias` must be one number per class"),
        (lambda: CautionWindowRule([0.5, 0.5], -0.1), r"`window` must lie in \[0, 1\], got -0.1"),
        (
            lambda: ConfidenceRule(0.5).decide([0.5, 0.6]),
            "`proba` must have rows that sum to 1, got 1.1 in row 0",
        ),
        (lambda: ConfidenceRule(0.5).decide([-0.5, 1.5]), r"`proba` must lie in \[0, 1\], got -0.5"),
        (lambda: ConfidenceRule(0.5).decide([0.5, math.nan]), "`proba` must not contain NaN"),
        (lambda: RatioRule([0.5, 0.5]).decide([0.2, 0.3, 0.5]), "`proba` must have 2 columns, got 3"),
        (lambda: critical_windows([[0.5, 0.5]], bias=[0.2, 0.3, 0.5]), "`bias` must be 2 numbers"),
        (lambda: critical_windows([0.5, 0.5]), "`proba` must be two-dimensional"),
    ],
)
def test_error_sentences(call, message):
    with pytest.raises(InputError, match=message):
        call()
