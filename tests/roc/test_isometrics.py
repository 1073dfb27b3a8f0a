"""ROC isometrics against the table of the paper, root finding and hand computation."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from demur import FMeasure, GmEstimate, InputError, Precision
from demur.roc import isometric, isometric_grid
from examples import examples
from reference_cases import cases, close

FILE = "reliable.json"
NAMES = {"prec": "precision", "F": "f_measure", "gm": "gm_estimate"}
SIDES = {"p": "positive", "n": "negative"}


def table_1(metric, side, fpr, tpr, c, alpha, m):
    """The six metrics exactly as printed in Table 1 of Vanderlooy et al. (2006)."""
    tnr, fnr = 1 - fpr, 1 - tpr
    return {
        ("prec", "p"): lambda: tpr / (tpr + c * fpr),
        ("prec", "n"): lambda: tnr / (tnr + fnr / c),
        ("F", "p"): lambda: (1 + alpha**2) * tpr / (alpha**2 + tpr + c * fpr),
        ("F", "n"): lambda: (1 + alpha**2) * tnr / (alpha**2 + tnr + fnr / c),
        ("gm", "p"): lambda: (tpr + m) / (tpr + c * fpr + m * (1 + c)),
        ("gm", "n"): lambda: (tnr + m) / (tnr + fnr / c + m * (1 + c) / c),
    }[metric, side]()


def target_of(metric, value, alpha, m):
    return {"prec": lambda: Precision(value), "F": lambda: FMeasure(value, alpha)}.get(
        metric, lambda: GmEstimate(value, m)
    )()


# ---------------------------------------------------------------- by hand


def test_lines_by_hand():
    # c = 1, nine in ten: tpr = 9 fpr, and tpr = fpr / 9 + 8 / 9 through (1, 1)
    line = isometric("precision", "positive", 0.9, skew=1)
    assert (line.slope, line.intercept) == pytest.approx((9, 0))
    line = isometric("precision", "negative", 0.9, skew=1)
    assert (line.slope, line.intercept) == pytest.approx((1 / 9, 8 / 9))
    # F_p = 2 tpr / (1 + tpr + 2 fpr) = 1/2  <=>  3 tpr = 1 + 2 fpr
    line = isometric("f_measure", "positive", 0.5, skew=2)
    assert (line.slope, line.intercept) == pytest.approx((2 / 3, 1 / 3))
    assert line.rotation_point == pytest.approx((-1 / 2, 0))


def test_value_one_is_a_vertical_line():
    line = isometric("precision", "positive", 1.0, skew=2)
    assert (line.slope, line.intercept) == (math.inf, 0.0)
    assert line.segment().tolist() == [[0, 0], [0, 1]]
    beyond = isometric("gm_estimate", "positive", 1.0, skew=2, m=0.1)
    assert beyond.slope == math.inf
    assert beyond.segment().shape == (0, 2)


def test_the_paper_symbols_are_names_too():
    for symbol, name in NAMES.items():
        one, other = (isometric(metric, "negative", 0.7, skew=2, m=0.1) for metric in (symbol, name))
        assert one.to_dict() == other.to_dict()


# ---------------------------------------------------------------- reference cases (root finding)


@pytest.mark.parametrize("case", cases(FILE, "reliable.isometric"))
def test_lines_against_root_finding(case):
    data, expect, tol = case["input"], case["expect"], case["tol"]
    symbol, letter = data["metric"].split("_")
    settings_ = {"skew": data["c"], "alpha": data["alpha"], "m": data["m_hat"]}
    target = target_of(symbol, 0.5, data["alpha"], data["m_hat"])
    value = float(target.at(data["fpr"], data["tpr"], side=SIDES[letter], skew=data["c"]))
    close(value, expect["value"], tol)
    line = isometric(NAMES[symbol], SIDES[letter], value, **settings_)
    close(line.slope, expect["slope"], tol)
    close(line.intercept, expect["intercept"], tol)


# ---------------------------------------------------------------- Table 1

rates = st.floats(0.01, 0.99)


@given(
    st.sampled_from(sorted(NAMES)),
    st.sampled_from("pn"),
    rates,
    rates,
    st.floats(0.05, 20),
    st.floats(0.1, 4),
    st.floats(0, 3),
    st.floats(0.02, 0.98),
)
@settings(max_examples=examples(200), deadline=None)
def test_metric_line_and_half_plane_agree_against_paper(metric, letter, fpr, tpr, c, alpha, m, target):
    side = SIDES[letter]
    value = table_1(metric, letter, fpr, tpr, c, alpha, m)
    assert float(target_of(metric, 0.5, alpha, m).at(fpr, tpr, side=side, skew=c)) == pytest.approx(value)
    line = isometric(metric, side, value, skew=c, alpha=alpha, m=m)
    assert line.slope * fpr + line.intercept == pytest.approx(tpr, abs=1e-9 * max(1, line.slope))
    # the rotation point lies on the line of every value
    x, y = line.rotation_point
    assert line.half_plane.margin(x, y) == pytest.approx(0, abs=1e-9 * (1 + c) * (1 + m + alpha**2))
    # the half-plane holds exactly the points that reach the value
    plane = isometric(metric, side, target, skew=c, alpha=alpha, m=m).half_plane
    if abs(value - target) > 1e-9:
        assert (plane.margin(fpr, tpr) >= 0) == (value >= target)


@given(rates, rates, st.floats(0.05, 20), st.floats(0.1, 4))
@settings(max_examples=examples(100), deadline=None)
def test_f_is_the_mean_of_precision_and_recall_against_paper(fpr, tpr, c, alpha):
    # eq. 3: F = (1 + alpha^2) prec tpr / (alpha^2 prec + tpr)
    prec = float(Precision(0.5).at(fpr, tpr, side="positive", skew=c))
    f = float(FMeasure(0.5, alpha).at(fpr, tpr, side="positive", skew=c))
    assert f == pytest.approx((1 + alpha**2) * prec * tpr / (alpha**2 * prec + tpr))


def test_limits_of_the_m_estimate_against_theory():
    at = {"side": "positive", "skew": 3.0}
    assert GmEstimate(0.5, 0).at(0.2, 0.7, **at) == Precision(0.5).at(0.2, 0.7, **at)
    # eq. 4 with 100 positives, 300 negatives and m = 40
    assert float(GmEstimate(0.5, 0.1).at(0.2, 0.7, **at)) == pytest.approx((70 + 40 / 4) / (70 + 60 + 40))
    assert float(GmEstimate(0.5, 1e12).at(0.2, 0.7, **at)) == pytest.approx(1 / 4)
    assert isometric("gm", "positive", 0.25, skew=3, m=5).slope == pytest.approx(1)


def test_metric_without_decisions_is_undefined():
    assert math.isnan(Precision(0.9).at(0, 0, side="positive", skew=1))
    assert math.isnan(Precision(0.9).at(1, 1, side="negative", skew=1))
    assert float(FMeasure(0.9).at(0, 0, side="positive", skew=1)) == 0
    # margins read 0/0 as kept
    assert Precision(0.9).margin(0.0, 0.0, 3.0, 4.0) == 0


# ---------------------------------------------------------------- grids, segments, errors


@pytest.mark.parametrize(("metric", "extra"), [("precision", {}), ("f_measure", {}), ("gm", {"m": 0.1})])
def test_segments_stay_on_the_line_and_in_the_square(metric, extra):
    grid = isometric_grid(metric, skew=1, **extra)
    assert grid.values.tolist() == pytest.approx([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9])
    found = 0
    for line in [*grid.positive, *grid.negative]:
        ends = line.segment()
        for fpr, tpr in ends:
            assert line.half_plane.margin(fpr, tpr) == pytest.approx(0, abs=1e-12)
            assert 0 in (fpr, tpr, 1 - fpr, 1 - tpr)
        found += len(ends) > 0
    # figures 1 to 3 of the paper show nine lines of each side
    assert found == 18


def test_values_of_the_user_stay_writeable():
    values = np.array([0.2, 0.8])
    grid = isometric_grid("precision", skew=1, values=values)
    values[0] = 0.5
    assert grid.values.tolist() == [0.2, 0.8]


def test_results_are_json_safe():
    import json

    line = isometric("precision", "positive", 1.0, skew=2)
    assert json.loads(json.dumps(line.to_dict(), allow_nan=False))["slope"] == "inf"
    assert line.to_dict()["target"] == {"value": 1.0, "metric": "precision"}
    json.dumps(isometric_grid("gm", skew=1, m=0.1, values=[0.2, 1]).to_dict(), allow_nan=False)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Precision(0), r"`value` must lie in \(0, 1\], got 0.0. Hint"),
        (lambda: Precision(1.2), r"`value` must lie in \(0, 1\], got 1.2"),
        (lambda: Precision(math.nan), "`value` must be finite"),
        (lambda: Precision([0.5, 0.6]), "`value` must be one number"),
        (lambda: Precision("high"), "`value` must be a number"),
        (lambda: FMeasure(0.5, 0), "`alpha` must be positive, got 0.0"),
        (lambda: GmEstimate(0.5, -1), "`m` must not be negative"),
        (lambda: isometric("recall", "positive", 0.5, skew=1), "`metric` must be one of 'precision'"),
        (lambda: isometric("precision", "both", 0.5, skew=1), "`side` must be one of"),
        (lambda: isometric("precision", "positive", 0.5, skew=0), "`skew` must be positive, got 0.0. Hint"),
        (lambda: isometric("precision", "positive", 0.5, skew=-2), "`skew` must be positive"),
        (lambda: isometric("precision", "positive", 0.5, skew=math.inf), "`skew` must be finite"),
        (lambda: isometric_grid("precision", skew=1, values=[]), "`values` must hold at least one"),
        (lambda: isometric_grid("precision", skew=1, values=[0.5, 2]), "`value` must lie in"),
        (lambda: Precision(0.9).at(0.1, 0.9, side="up", skew=1), "`side` must be one of"),
    ],
)
def test_error_sentences(call, message):
    with pytest.raises(InputError, match=message):
        call()


def test_arrays_of_points():
    values = Precision(0.9).at(np.array([0.0, 0.1]), np.array([0.0, 0.3]), side="positive", skew=1)
    assert math.isnan(values[0])
    assert values[1] == pytest.approx(0.75)
