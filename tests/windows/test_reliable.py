"""Reliable windows against bisection, enumeration, the theorems and the paper's examples.

Errata of Vanderlooy et al. (2006), each shown by a test below: case 2 for metrics other than
precision, the skew and the points of figure 6, the text before theorem 7 on upr = unr, theorems 7 and 8
for fixed m-hat, the superscript in figure 7.
"""

import itertools
import json
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import demur
from demur import (
    ABSTAIN,
    FMeasure,
    GmEstimate,
    InputError,
    Precision,
    ScoreCounts,
    UndefinedError,
    decide,
    reliable_window,
    roc_curve,
)
from demur.roc import reliable_roc
from examples import examples
from oracles import scored_data
from reference_cases import cases, close

FILE = "reliable.json"
SIDES = ("positive", "negative")

# the worked example of the specification: hull (0,0), (0,1/3), (1/6,2/3), (2/3,1), (1,1)
SCORES, POS, NEG = [-0.9, -0.5, 0.0, 0.4, 0.8], [0, 1, 1, 2, 2], [2, 1, 2, 1, 0]


def worked_example():
    return ScoreCounts.from_counts(SCORES, POS, NEG)


def target_of(metric, value, data):
    symbol = metric.split("_")[0]
    if symbol == "F":
        return FMeasure(value, data["alpha"])
    return GmEstimate(value, data["m_hat"]) if symbol == "gm" else Precision(value)


def window_of(data):
    counts = ScoreCounts.from_arrays(data["labels"], data["scores"], sample_weight=data.get("weights"))
    return reliable_window(
        counts,
        positive=target_of(data["positive_metric"], data["target_pos"], data),
        negative=target_of(data["negative_metric"], data["target_neg"], data),
        skew=data["cost_ratio"] * counts.n_negative / counts.n_positive,
    )


# ---------------------------------------------------------------- by hand


def test_precision_design_by_hand():
    # the worked example of the reliable window
    window = reliable_window(worked_example(), positive=Precision(0.9), negative=Precision(0.9))
    assert window.case == 3
    assert (window.a.fpr, window.a.tpr) == pytest.approx((1 / 21, 3 / 7), abs=1e-15)
    assert (window.b.fpr, window.b.tpr) == pytest.approx((3 / 5, 43 / 45), abs=1e-15)
    assert (window.a.edge, window.b.edge) == (1, 2)
    assert (window.a.fraction, window.b.fraction) == pytest.approx((2 / 7, 13 / 15), abs=1e-15)
    assert (window.upr, window.unr) == pytest.approx((166 / 315, 58 / 105), abs=1e-15)
    assert window.new_skew == pytest.approx(141 / 149, abs=1e-15)
    assert (window.new_fpr, window.new_tpr) == pytest.approx((5 / 47, 135 / 149), abs=1e-15)
    e = window.expected
    assert (e.tp, e.fp, e.tn, e.fn) == pytest.approx((18 / 7, 2 / 7, 12 / 5, 4 / 15), abs=1e-14)
    assert (window.positive_reached, window.negative_reached, window.accuracy) == pytest.approx((0.9,) * 3)
    assert window.coverage == pytest.approx(1 - (6 * 166 / 315 + 6 * 58 / 105) / 12)


def test_thresholds_by_hand():
    window = reliable_window(worked_example(), positive=Precision(0.9), negative=Precision(0.9))
    # a: above the block {0.4} for sure, {0.4} itself by chance; b: {-0.5, 0} by chance
    assert (window.upper, window.a.lower) == pytest.approx((0.6, 0.2))
    assert (window.b.upper, window.lower) == pytest.approx((0.2, -0.7))
    fixed = window.deterministic()
    assert (fixed.lower, fixed.upper) == pytest.approx((-0.7, 0.6))
    assert (fixed.positive_performance, fixed.negative_performance) == (1.0, 1.0)
    assert decide(SCORES, fixed).tolist() == [0, ABSTAIN, ABSTAIN, ABSTAIN, 1]


def test_target_equal_to_the_first_edge_takes_the_whole_edge():
    # top block: 3 positives, 1 negative; the next: 1 and 3. Precision of the first edge is 3/4.
    counts = ScoreCounts.from_counts([1, 2], [1, 3], [3, 1])
    window = reliable_window(counts, positive=Precision(0.75), negative=Precision(0.75))
    assert window.case == 1
    assert (window.a.fpr, window.a.tpr) == (0.25, 0.75)
    assert window.positive_reached == window.negative_reached == window.accuracy == 0.75
    assert (window.upr, window.unr, window.a.fraction) == (0, 0, 0)
    assert window.deterministic().is_empty


@pytest.mark.parametrize(("target", "a", "vacuous"), [(0.6, (1, 1), False), (0.61, (0, 0), True)])
def test_tied_scores_by_hand(target, a, vacuous):
    # the hull is the diagonal: precision is 1 / (1 + c) = 0.6 everywhere
    window = reliable_window([1, 1, 1, 0, 0], [7.0] * 5, positive=Precision(target), negative=Precision(0.4))
    assert (window.a.fpr, window.a.tpr) == a
    assert window.positive_vacuous == vacuous


def test_perfect_ranking_never_abstains():
    window = reliable_window([0, 0, 1, 1], [1, 2, 3, 4], positive=Precision(1.0), negative=Precision(1.0))
    assert (window.case, window.upr, window.unr, window.accuracy) == (1, 0, 0, 1)
    assert window.decide([1, 2, 3, 4], rng=0).tolist() == [0, 0, 1, 1]
    window = reliable_window([0, 0, 1, 1], [1, 2, 3, 4], positive=Precision(0.8), negative=Precision(0.7))
    assert window.case == 2
    assert (window.new_fpr, window.new_tpr) == (0, 1)


# ---------------------------------------------------------------- reference cases (bisection)


@pytest.mark.parametrize("case", cases(FILE, "reliable.design"))
def test_design_against_bisection(case):
    data, expect, tol = case["input"], case["expect"], case["tol"]
    hull = roc_curve(data["labels"], data["scores"], sample_weight=data["weights"]).convex_hull()
    close(np.column_stack([hull.fpr, hull.tpr]).tolist(), expect["hull"], tol)
    if expect["case"] == "infeasible":
        with pytest.raises(UndefinedError, match=r"cannot be kept .* at most 0\.\d+ is reached"):
            window_of(data)
        return
    window = window_of(data)
    e = window.expected
    got = {
        "c": window.skew,
        "case": window.case,
        "a": [window.a.fpr, window.a.tpr],
        "b": [window.b.fpr, window.b.tpr],
        "positive_vacuous": window.positive_vacuous,
        "negative_vacuous": window.negative_vacuous,
        "upr": window.upr,
        "unr": window.unr,
        "new_point": [window.new_fpr, window.new_tpr],
        "c_new": window.new_skew,
        "accuracy": window.accuracy,
        "new_pos_fixed_m_hat": window.positive_reached,
        "new_neg_fixed_m_hat": window.negative_reached,
        "precision_pos": _precision(e.tp, e.fp, data["cost_ratio"]),
        "precision_neg": _precision(e.tn, e.fn, 1 / data["cost_ratio"]),
    }
    for key in got.keys() & expect.keys():
        close(got[key], expect[key], tol)
    names = {"TP": "tp", "FP": "fp", "FN": "fn", "TN": "tn"}
    names |= {"UP": "abstained_positive", "UN": "abstained_negative"}
    for key, value in expect.get("expected_counts", {}).items():
        close(getattr(e, names[key]) / window.counts.n, value / window.counts.n, tol)
    assert not expect.keys() - got.keys() - {"hull", "expected_counts"}


def _precision(hits, alarms, ratio):
    return hits / (hits + ratio * alarms) if hits + alarms else math.nan


@pytest.mark.parametrize("case", cases(FILE, "reliable.transform"))
def test_transformed_curve_against_enumeration(case):
    data, expect, tol = case["input"], case["expect"], case["tol"]
    points = {"point_a": data["point_a"], "point_b": data["point_b"]}
    curve = reliable_roc(data["labels"], data["scores"], sample_weight=data["weights"], **points)
    close(np.column_stack([curve.fpr, curve.tpr]).tolist(), expect["curve"], tol)
    close([curve.upr, curve.unr], [expect["upr"], expect["unr"]], tol)


@pytest.mark.parametrize("case", cases(FILE, "errors"))
def test_wrong_input_raises(case):
    args = case["input"]["args"]
    with pytest.raises(InputError):
        reliable_window(
            args["labels"],
            args["scores"],
            positive=Precision(args["target_pos"]),
            negative=Precision(args["target_neg"]),
        )


# ---------------------------------------------------------------- the paper


def test_skew_of_figure_6_against_paper():
    # Erratum: figure 6 prints the superscript 1.84, but c' = 2 (1 - .2116) / (1 - .1541) = 1.864.
    skew = 2 * (1 - 0.2116) / (1 - 0.1541)
    assert skew == pytest.approx(1.864, abs=5e-4)
    # Its numbers contradict each other as well: with F' = .7693, .8597 (theorem 6) the isometrics
    # through a and b have the values .7096 and .7538, not the .72 and .75 of the caption.
    a, b = _points_of_figure_6()
    assert (*a, *b) == pytest.approx((0.141, 0.705, 0.352, 0.859), abs=1e-3)
    assert float(FMeasure(0.5).at(*a, side="positive", skew=2)) == pytest.approx(0.7096, abs=1e-3)
    assert float(FMeasure(0.5).at(*b, side="negative", skew=2)) == pytest.approx(0.7538, abs=1e-3)


def _points_of_figure_6():
    # F' of the transformed point and c' fix (fpr', tpr'); undo theorem 2
    upr, unr = 0.1541, 0.2116
    c = 2 * (1 - unr) / (1 - upr)
    rows = [FMeasure(0.7693).half_plane("positive", c), FMeasure(0.8597).half_plane("negative", c)]
    fpr, tpr = np.linalg.solve([row[:2] for row in rows], [row.level for row in rows])
    a = fpr * (1 - unr), tpr * (1 - upr)
    return a, (a[0] + unr, a[1] + upr)


def test_figure_7_against_paper():
    # c = .3, prec_p = .97 at a, gm_n (m-hat .1, fixed m) at b, upr .4549, unr .3763. Made into data:
    # 10000 positives, 3000 negatives in three blocks whose borders are a = (.0494, .4794) and b.
    a, upr, unr = (0.0494, 0.4794), 0.4549, 0.3763
    positives = np.array([1 - a[1] - upr, upr, a[1]]) * 10000
    negatives = np.array([1 - a[0] - unr, unr, a[0]]) * 3000
    counts = ScoreCounts.from_counts([1, 2, 3], positives, negatives)
    target = float(GmEstimate(0.5, 0.1).at(a[0] + unr, a[1] + upr, side="negative", skew=0.3))
    assert target == pytest.approx(0.55, abs=1e-3)
    prec = float(Precision(0.5).at(*a, side="positive", skew=0.3))
    assert prec == pytest.approx(0.97, abs=1e-3)
    window = reliable_window(counts, positive=Precision(prec), negative=GmEstimate(target, 0.1))
    assert (window.upr, window.unr) == pytest.approx((upr, unr), abs=1e-9)
    # The paper prints prec with superscript .3 for the new point; its skew is .34 like that of gm.
    assert window.new_skew == pytest.approx(0.34, abs=5e-3)
    assert window.positive_reached == pytest.approx(prec)
    assert window.reached("negative", hold="count") == pytest.approx(0.5584, abs=5e-4)


# ---------------------------------------------------------------- brute force and theorems on random data

shares = st.floats(0.05, 1.0)
FAMILIES = [
    lambda z, alpha, m: Precision(z),
    lambda z, alpha, m: FMeasure(z, alpha),
    lambda z, alpha, m: GmEstimate(z, m),
]
promises = st.builds(
    lambda make, z, alpha, m: make(z, alpha, m),
    st.sampled_from(FAMILIES),
    shares,
    st.sampled_from([0.5, 1.0, 2.0]),
    st.sampled_from([0.0, 0.05, 0.5]),
)
cost_ratios = st.sampled_from([0.3, 1.0, 2.0])


def design(data, positive, negative, ratio):
    y, s, w = data
    counts = ScoreCounts.from_arrays(y, s, sample_weight=w)
    skew = ratio * counts.n_negative / counts.n_positive
    try:
        return reliable_window(counts, positive=positive, negative=negative, skew=skew)
    except UndefinedError:
        assume(False)


def walk(hull, steps=100):
    """Points along the hull, vertices included, as (position, fpr, tpr)."""
    for edge in range(len(hull.fpr) - 1):
        for step in range(steps):
            t = step / steps
            fpr = hull.fpr[edge] + t * (hull.fpr[edge + 1] - hull.fpr[edge])
            yield edge + t, fpr, hull.tpr[edge] + t * (hull.tpr[edge + 1] - hull.tpr[edge])
    yield float(len(hull.fpr) - 1), 1.0, 1.0


@given(scored_data(both_classes=True), promises, promises, cost_ratios)
@settings(max_examples=examples(60), deadline=None)
def test_ends_of_the_promises_against_brute_force(data, positive, negative, ratio):
    window = design(data, positive, negative, ratio)
    hull = roc_curve(window.counts).convex_hull()
    step = 1 / 100
    for position, fpr, tpr in walk(hull):
        up = float(positive.at(fpr, tpr, side="positive", skew=window.skew))
        down = float(negative.at(fpr, tpr, side="negative", skew=window.skew))
        if up >= positive.value + 1e-9:
            assert position <= window.a.position + step
        if down >= negative.value + 1e-9:
            assert position >= window.b.position - step
    for point, target, side in ((window.a, positive, "positive"), (window.b, negative, "negative")):
        value = float(target.at(point.fpr, point.tpr, side=side, skew=window.skew))
        assert math.isnan(value) or value >= target.value - 1e-9


@given(scored_data(both_classes=True), promises, cost_ratios)
@settings(max_examples=examples(60), deadline=None)
def test_infeasible_targets_name_the_best_value_against_brute_force(data, negative, ratio):
    y, s, w = data
    counts = ScoreCounts.from_arrays(y, s, sample_weight=w)
    skew = ratio * counts.n_negative / counts.n_positive
    hull = roc_curve(counts).convex_hull()
    values = [float(negative.at(*point[1:], side="negative", skew=skew)) for point in walk(hull, steps=20)]
    best = np.nanmax(values)
    assume(abs(best - negative.value) > 1e-9)
    promised = {"positive": Precision(0.5), "negative": negative, "skew": skew}
    if best > negative.value or any(map(math.isnan, values)):
        assert reliable_window(counts, **promised).case in (1, 2, 3)
    else:
        with pytest.raises(
            UndefinedError, match=f"`negative` cannot be kept .* at most {best:.6g} is reached"
        ):
            reliable_window(counts, **promised)


@given(scored_data(both_classes=True), promises, promises, cost_ratios)
@settings(max_examples=examples(100), deadline=None)
def test_cases_1_and_2_against_brute_force(data, positive, negative, ratio):
    window = design(data, positive, negative, ratio)
    assume(window.case != 3)
    assert (window.upr, window.unr, window.abstention_rate) == (0, 0, 0)
    gain = window.positive_cut.tpr - window.skew * window.positive_cut.fpr
    kept = 0
    for _, fpr, tpr in walk(roc_curve(window.counts).convex_hull(), steps=100):
        up = float(positive.at(fpr, tpr, side="positive", skew=window.skew))
        down = float(negative.at(fpr, tpr, side="negative", skew=window.skew))
        if not (up < positive.value + 1e-9 or down < negative.value + 1e-9):
            kept += 1
            # the operating point is the best of those that keep both promises
            assert tpr - window.skew * fpr <= gain + 1e-9
    if window.note:
        # Erratum: the paper says all points between b and a are good enough in case 2
        assert kept == 0
        assert isinstance(positive, (FMeasure, GmEstimate)) or isinstance(negative, (FMeasure, GmEstimate))
    else:
        for target, reached in ((positive, window.positive_reached), (negative, window.negative_reached)):
            assert math.isnan(reached) or reached >= target.value - 1e-9


def test_case_2_without_a_common_point_by_hand():
    # Erratum: on the diagonal with c = 1 F_p = 2t/(1 + 2t) and F_n = 2(1 - t)/(3 - 2t). F_p >= .6 from
    # t = 3/4 on, F_n >= .6 up to t = 1/4: a = (1, 1) comes after b = (0, 0), case 2 of the paper, but
    # no point keeps both promises.
    window = reliable_window([0, 1], [5, 5], positive=FMeasure(0.6), negative=FMeasure(0.6))
    assert (window.case, window.a.tpr, window.b.tpr) == (2, 1, 0)
    assert "no single point keeps both" in window.note
    with pytest.raises(UndefinedError, match="No vertex of the ROC hull keeps both"):
        window.deterministic()
    # with .5 both hold exactly at t = 1/2
    window = reliable_window([0, 1], [5, 5], positive=FMeasure(0.5), negative=FMeasure(0.5))
    assert not window.note
    assert (window.positive_cut.fpr, window.positive_cut.tpr) == pytest.approx((0.5, 0.5))
    assert (window.positive_reached, window.negative_reached) == pytest.approx((0.5, 0.5))


@given(scored_data(both_classes=True), shares, shares, cost_ratios, st.sampled_from([1.0, 1.5, 2.0]))
@settings(max_examples=examples(100), deadline=None)
def test_f_measures_with_alpha_from_one_never_abstain(data, z_positive, z_negative, ratio, alpha):
    # Erratum: figure 6 (alpha = 1) shows abstention, which the paper's own choice (highest tpr, lowest
    # fpr) excludes. After the last crossing a the hull is flatter than the isometric of F_p, slope
    # c z/(1 + alpha^2 - z) <= c/alpha^2; before the first crossing b it is steeper than that of F_n,
    # c (1 + alpha^2 - z)/z >= c alpha^2. The hull gets flatter, so b cannot follow a if alpha >= 1.
    window = design(data, FMeasure(z_positive, alpha), FMeasure(z_negative, alpha), ratio)
    assert window.case != 3


@st.composite
def precise_designs(draw):
    """Designs with precision targets taken from two points of the hull, a before b."""
    y, s, w = draw(scored_data(both_classes=True))
    counts = ScoreCounts.from_arrays(y, s, sample_weight=w)
    skew = draw(cost_ratios) * counts.n_negative / counts.n_positive
    hull = roc_curve(counts).convex_hull()
    points = [point[1:] for point in walk(hull, steps=8)]
    i = draw(st.integers(1, len(points) - 2))
    j = draw(st.integers(i, len(points) - 2))
    values = (
        float(Precision(0.5).at(*points[i], side="positive", skew=skew)),
        float(Precision(0.5).at(*points[j], side="negative", skew=skew)),
    )
    assume(min(values) > 0)
    bump = draw(st.sampled_from([0.0, 0.0, 0.01]))
    targets = [Precision(min(1.0, value + bump)) for value in values]
    return reliable_window(counts, positive=targets[0], negative=targets[1], skew=skew)


@given(precise_designs())
@settings(max_examples=examples(100), deadline=None, suppress_health_check=[HealthCheck.filter_too_much])
def test_theorems_4_and_5_precision_against_paper(window):
    assume(window.case == 3)
    z_positive, z_negative = window.positive.value, window.negative.value
    precisions = []
    if not window.positive_vacuous:
        assert window.positive_reached == pytest.approx(z_positive, abs=1e-9)
        precisions.append(z_positive)
    if not window.negative_vacuous:
        assert window.negative_reached == pytest.approx(z_negative, abs=1e-9)
        precisions.append(z_negative)
    if window.upr < 1 and window.unr < 1:
        c = window.new_skew
        # the metric at the transformed point with the new skew
        if not window.positive_vacuous:
            got = float(Precision(0.5).at(window.new_fpr, window.new_tpr, side="positive", skew=c))
            assert got == pytest.approx(z_positive, abs=1e-9)
        skewed = (window.new_tpr + c * (1 - window.new_fpr)) / (1 + c)
        assert window.accuracy == pytest.approx(skewed, abs=1e-9)
    if precisions:
        # theorem 5 is the case of equal precisions
        assert min(precisions) - 1e-9 <= window.accuracy <= max(precisions) + 1e-9


@st.composite
def cut_curves(draw):
    """A ROC curve with the part between two of its points cut out: (curve, a, b, skew)."""
    y, s, w = draw(scored_data(both_classes=True))
    full = roc_curve(y, s, sample_weight=w)
    i = draw(st.integers(0, len(full.fpr) - 1))
    j = draw(st.integers(i, len(full.fpr) - 1))
    a, b = ((float(full.fpr[k]), float(full.tpr[k])) for k in (i, j))
    assume(b[0] - a[0] < 1 and b[1] - a[1] < 1)
    skew = draw(cost_ratios) * full.n_negative / full.n_positive
    return reliable_roc(y, s, sample_weight=w, point_a=a, point_b=b), a, b, skew


def before_and_after(cut, target, after=None):
    """Metrics at a and b with the old skew, and of the abstaining classifier with the new one."""
    curve, a, b, c = cut
    new = c * (1 - curve.unr) / (1 - curve.upr)
    old = (target.at(*a, side="positive", skew=c), target.at(*b, side="negative", skew=c))
    changed = [(after or target).at(*curve.point, side=side, skew=new) for side in SIDES]
    return [float(value) for value in (*old, *changed)]


@given(cut_curves(), st.sampled_from([0.5, 1.0, 2.0]))
@settings(max_examples=examples(100), deadline=None)
def test_theorem_6_f_measure_against_paper(cut, alpha):
    curve, a, b, c = cut
    up, down, new_up, new_down = before_and_after(cut, FMeasure(0.5, alpha))
    k = alpha**2
    formula = (
        (1 + k) * a[1] / (k * (1 - curve.upr) + a[1] + c * a[0]),
        (1 + k) * (1 - b[0]) / (k * (1 - curve.unr) + 1 - b[0] + (1 - b[1]) / c),
    )
    assert (new_up, new_down) == pytest.approx(formula)
    assert (new_up > up + 1e-12) == (curve.upr > 0 and a[1] > 0)
    assert (new_down > down + 1e-12) == (curve.unr > 0 and b[0] < 1)


@given(cut_curves(), st.sampled_from([0.05, 0.5, 2.0]))
@settings(max_examples=examples(100), deadline=None)
def test_theorems_7_and_8_m_estimate_against_paper(cut, m):
    curve, a, b, c = cut
    upr, unr = curve.upr, curve.unr
    # fixed m: at least as good iff upr <= unr (positive), upr >= unr (negative)
    held = m * (1 + c) / ((1 - upr) + c * (1 - unr))
    up, down, new_up, new_down = before_and_after(cut, GmEstimate(0.5, m), GmEstimate(0.5, held))
    if abs(upr - unr) > 1e-9:
        assert (new_up >= up) == (upr < unr)
        assert (new_down >= down) == (upr > unr)
    # fixed m-hat: eq. 26, and its mirror image, which the paper does not print
    tests = (
        m * (unr - upr) + a[1] * unr - a[0] * upr,
        m * (upr - unr) + (1 - b[0]) * upr - (1 - b[1]) * unr,
    )
    up, down, new_up, new_down = before_and_after(cut, GmEstimate(0.5, m))
    for test, old, new in zip(tests, (up, down), (new_up, new_down), strict=True):
        if abs(test) > 1e-9:
            assert (new >= old) == (test >= 0)


@given(precise_designs(), promises, promises)
@settings(max_examples=examples(100), deadline=None, suppress_health_check=[HealthCheck.filter_too_much])
def test_reached_is_the_metric_at_the_new_point(window, positive, negative):
    # whatever the metric: counts of decided cases, or the transformed point with the new skew
    assume(window.upr < 1 and window.unr < 1)
    point = {"fpr": window.new_fpr, "tpr": window.new_tpr, "skew": window.new_skew}
    other = replace(window, positive=positive, negative=negative)
    c = window.skew
    factor = (1 + c) / ((1 - window.upr) + c * (1 - window.unr))
    e = window.expected
    for target, side, decisions in ((positive, "positive", e.tp + e.fp), (negative, "negative", e.tn + e.fn)):
        if decisions < 1e-9:
            # 0/0 up to rounding of the point
            continue
        expected = float(target.at(**point, side=side))
        held = replace(target, m=target.m * factor) if isinstance(target, GmEstimate) else target
        assert other.reached(side) == pytest.approx(expected, abs=1e-9)
        expected = float(held.at(**point, side=side))
        assert other.reached(side, hold="count") == pytest.approx(expected, abs=1e-9)


def test_equal_abstention_gives_equality_not_an_increase_against_paper():
    # Erratum: "an increase in performance in both classes is only possible iff upr = unr". With
    # fixed m, upr = unr (corollary 1) leaves both estimates exactly as they were.
    counts = ScoreCounts.from_counts([1, 2, 3], [1, 4, 5], [5, 4, 1])
    promised = [
        float(GmEstimate(0.5, 0.2).at(*point, side=side, skew=1.0))
        for point, side in (((0.1, 0.5), "positive"), ((0.5, 0.9), "negative"))
    ]
    window = reliable_window(
        counts, positive=GmEstimate(promised[0], 0.2), negative=GmEstimate(promised[1], 0.2)
    )
    assert (window.upr, window.unr) == pytest.approx((0.4, 0.4))
    for side, value in zip(SIDES, promised, strict=True):
        assert window.reached(side, hold="count") == pytest.approx(value, abs=1e-12)
        # with fixed m-hat both increase
        assert window.reached(side) > value + 1e-3


def test_theorem_7_is_not_necessary_for_fixed_share_against_paper():
    # Erratum: for fixed m-hat both estimates can increase although upr > unr.
    counts = ScoreCounts.from_counts([1, 2, 3], [1, 5, 4], [5, 4, 1])
    m = 0.01
    promised = [
        float(GmEstimate(0.5, m).at(*point, side=side, skew=1.0))
        for point, side in (((0.1, 0.4), "positive"), ((0.5, 0.9), "negative"))
    ]
    window = reliable_window(counts, positive=GmEstimate(promised[0], m), negative=GmEstimate(promised[1], m))
    assert window.upr > window.unr
    assert window.positive_reached > promised[0]
    assert window.negative_reached > promised[1]
    assert window.reached("positive", hold="count") < promised[0]


@given(precise_designs())
@settings(max_examples=examples(80), deadline=None, suppress_health_check=[HealthCheck.filter_too_much])
def test_theorems_2_and_3_transformed_hull_against_paper(window):
    assume(window.upr < 1 and window.unr < 1)
    curve = window.roc()
    ends = [curve.fpr[0], curve.tpr[0], curve.fpr[-1], curve.tpr[-1]]
    assert ends == pytest.approx([0, 0, 1, 1], abs=1e-12)
    assert np.all(np.diff(curve.fpr) >= -1e-12)
    assert np.all(np.diff(curve.tpr) >= -1e-12)
    # convex: slopes do not increase
    steps = np.column_stack([np.diff(curve.fpr), np.diff(curve.tpr)])
    for (x1, y1), (x2, y2) in itertools.pairwise(steps):
        assert x1 * y2 - x2 * y1 <= 1e-12
    assert curve.point == pytest.approx((window.new_fpr, window.new_tpr))
    # both cut points fall on one point
    b = window.negative_cut
    image = 1 - (1 - b.fpr) / (1 - window.unr), 1 - (1 - b.tpr) / (1 - window.upr)
    assert curve.point == pytest.approx(image, abs=1e-9)


@given(scored_data(both_classes=True, max_size=10), shares, shares)
@settings(max_examples=examples(60), deadline=None)
def test_curve_of_a_deterministic_window_against_brute_force(data, z_positive, z_negative):
    # cut out by hand: the ROC curve of the rows that are left
    y, s, w = data
    window = design(data, Precision(z_positive), Precision(z_negative), 1.0).deterministic()
    codes = decide(s, window)
    left = [row for row, code in zip(zip(y, s, w, strict=True), codes, strict=True) if code != ABSTAIN]
    assume(len({label for label, _, _ in left}) == 2)
    full = roc_curve(y, s, sample_weight=w)
    at = [len(full.fpr) - 1 - index for index in (window.upper_index, window.lower_index)]
    points = [(full.fpr[k], full.tpr[k]) for k in at]
    curve = reliable_roc(y, s, sample_weight=w, point_a=points[0], point_b=points[1])
    labels, scores, weights = zip(*left, strict=True)
    expected = roc_curve(labels, scores, sample_weight=weights)
    assert curve.fpr == pytest.approx(expected.fpr, abs=1e-12)
    assert curve.tpr == pytest.approx(expected.tpr, abs=1e-12)
    assert curve.auc == pytest.approx(expected.auc, abs=1e-12)


@given(scored_data(both_classes=True), promises, promises, cost_ratios)
@settings(max_examples=examples(60), deadline=None)
def test_rounding_to_vertices_keeps_precision_and_f(data, positive, negative, ratio):
    assume(not isinstance(positive, GmEstimate) and not isinstance(negative, GmEstimate))
    window = design(data, positive, negative, ratio)
    try:
        fixed = window.deterministic()
    except UndefinedError:
        assume(False)
    assert fixed.abstention_rate >= window.abstention_rate - 1e-12
    pairs = ((positive, fixed.positive_performance), (negative, fixed.negative_performance))
    for target, reached in pairs:
        assert reached is None or reached >= target.value - 1e-9


# ---------------------------------------------------------------- decisions


def test_decisions_have_the_stated_expectation():
    # 200000 copies of every score: the share of each outcome within five standard errors
    window = reliable_window(worked_example(), positive=Precision(0.9), negative=Precision(0.9))
    copies = 200_000
    counted = {score: np.bincount(window.decide(np.full(copies, score), rng=7) + 1) for score in SCORES}
    tp = sum(p * counted[s][2] / copies for s, p in zip(SCORES, POS, strict=True) if len(counted[s]) == 3)
    fn = sum(p * counted[s][1] / copies for s, p in zip(SCORES, POS, strict=True) if len(counted[s]) > 1)
    assert tp == pytest.approx(window.expected.tp, abs=5 * 2 * 0.5 / math.sqrt(copies))
    assert fn == pytest.approx(window.expected.fn, abs=5 * 2 * 0.5 / math.sqrt(copies))
    assert counted[0.8].tolist() == [0, 0, copies]
    assert counted[-0.9].tolist() == [0, copies]


def test_one_block_split_three_ways():
    # all scores in one block of precision 1/2: a and b on the same edge with m-estimates
    counts = ScoreCounts.from_counts([1, 2, 3, 4], [0, 5, 5, 4], [4, 5, 5, 0])
    window = reliable_window(counts, positive=Precision(0.9), negative=Precision(0.9))
    assert window.a.edge == window.b.edge == 1
    assert 0 < window.a.fraction < window.b.fraction < 1
    codes = window.decide(np.full(50_000, 2.0), rng=3)
    found = [np.mean(codes == code) for code in (1, ABSTAIN, 0)]
    widths = [window.a.fraction, window.b.fraction - window.a.fraction, 1 - window.b.fraction]
    assert found == pytest.approx(widths, abs=0.012)


def test_same_seed_same_decisions_and_infinite_scores():
    y, s = [0, 0, 1, 0, 1, 1], [-math.inf, 0, 0, 1, 1, math.inf]
    window = reliable_window(y, s, positive=Precision(0.9), negative=Precision(0.9))
    first, second = (window.decide(s, rng=5).tolist() for _ in range(2))
    assert first == second
    assert (first[0], first[-1]) == (0, 1)
    everything_negative = reliable_window(
        [0, 0, 1], [1, 2, 0], positive=Precision(1.0), negative=Precision(0.5)
    )
    assert everything_negative.decide([-math.inf, math.inf], rng=0).tolist() == [0, 0]


def test_precision_interval_against_scipy():
    from scipy.stats import binomtest

    counts = ScoreCounts.from_counts([1, 2], [3, 18], [27, 2])
    window = reliable_window(counts, positive=Precision(0.9), negative=Precision(0.9))
    assert window.case == 1
    expected = binomtest(18, 20).proportion_ci(0.9, method="exact")
    assert window.precision_interval("positive", confidence_level=0.9) == pytest.approx(tuple(expected))
    expected = binomtest(27, 30).proportion_ci(0.95, method="exact")
    assert window.precision_interval("negative") == pytest.approx(tuple(expected))
    perfect = reliable_window([0, 1], [1, 2], positive=Precision(1.0), negative=Precision(1.0))
    assert perfect.precision_interval("positive").high == 1


# ---------------------------------------------------------------- invariance, edges, errors


@given(scored_data(both_classes=True), promises, promises)
@settings(max_examples=examples(50), deadline=None)
def test_swapping_the_classes_mirrors_the_design(data, positive, negative):
    y, s, w = data
    window = design(data, positive, negative, 1.0)
    mirrored = reliable_window(
        [1 - label for label in y],
        [-score for score in s],
        sample_weight=w,
        positive=negative,
        negative=positive,
    )
    assert mirrored.case == window.case
    assert (mirrored.a.fpr, mirrored.a.tpr) == pytest.approx((1 - window.b.tpr, 1 - window.b.fpr), abs=1e-9)
    assert (mirrored.upr, mirrored.unr) == pytest.approx((window.unr, window.upr), abs=1e-9)


def test_all_abstained_is_flagged():
    window = reliable_window([1, 1, 0, 0], [1, 1, 1, 1], positive=Precision(0.9), negative=Precision(0.9))
    assert window.case == 3
    assert (window.upr, window.unr, window.coverage) == (1, 1, 0)
    assert window.positive_vacuous
    assert window.negative_vacuous
    assert math.isnan(window.accuracy)
    assert math.isnan(window.new_skew)
    assert set(window.decide([1.0, 5.0, -5.0], rng=1)) == {ABSTAIN}
    with pytest.raises(UndefinedError, match="no decided positive case"):
        window.roc()
    with pytest.raises(UndefinedError, match="got no positive decision"):
        window.precision_interval("positive")


def test_result_is_json_safe_and_short():
    window = reliable_window(worked_example(), positive=Precision(0.9), negative=GmEstimate(0.6, 0.1))
    table = json.loads(json.dumps(window.to_dict(), allow_nan=False))
    assert table["positive"] == {"value": 0.9, "metric": "precision"}
    assert table["a"]["fraction"] == pytest.approx(2 / 7)
    assert {"upr", "unr", "new_skew", "accuracy", "positive_vacuous"} <= table.keys()
    assert len(repr(window)) < 110
    json.dumps(window.roc().to_dict(), allow_nan=False)


def test_public_names_are_exported():
    for name in ("reliable_window", "Precision", "FMeasure", "GmEstimate"):
        assert name in demur.__all__
    assert {"reliable_roc", "isometric"} <= set(demur.roc.__all__)
    assert {"ExpectedCounts", "HullPoint", "ReliableWindow"} <= set(demur.windows.__all__)


GOOD = {"positive": Precision(0.9), "negative": Precision(0.9)}


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: reliable_window([1, 1], [1, 2], **GOOD), "needs cases of both classes, got no negative"),
        (lambda: reliable_window([0, 0], [1, 2], **GOOD), "got no positive case"),
        (lambda: reliable_window([0, 1], [1, 2], skew=0, **GOOD), "`skew` must be positive"),
        (
            lambda: reliable_window([0, 1], [1, 2], positive=0.9, negative=0.9),
            "`positive` must be a Precision",
        ),
        (lambda: reliable_window([0, 1], [1, 2], positive=Precision(1), negative=1), "`negative` must be a"),
        (lambda: reliable_window([0, 1], [math.nan, 2], **GOOD), "`y_score` must not contain NaN"),
        (
            lambda: reliable_window(
                [0, 1, 0, 1], [1, 1, 1, 1], positive=FMeasure(0.9), negative=FMeasure(0.5)
            ),
            "`positive` cannot be kept at any point of this ROC hull, got .* at most 0.666667 is reached",
        ),
        (
            lambda: reliable_window(worked_example(), **GOOD).reached("both"),
            "`side` must be one of",
        ),
        (
            lambda: reliable_window(worked_example(), **GOOD).reached("positive", hold="m"),
            "`hold` must be one",
        ),
        (
            lambda: reliable_window(worked_example(), **GOOD).decide([math.nan]),
            "`scores` must not contain NaN",
        ),
        (
            lambda: reliable_window(worked_example(), **GOOD).precision_interval(
                "positive", confidence_level=1
            ),
            "`confidence_level` must lie strictly",
        ),
        (lambda: reliable_roc([0, 1], [1, 2], point_a=(0, 0.5), point_b=(0.5, 0.5)), "`point_b` must lie on"),
        (
            lambda: reliable_roc([0, 1], [1, 2], point_a=(0, 1), point_b=(0, 0)),
            "`point_a` must not lie after",
        ),
        (lambda: reliable_roc([0, 1], [1, 2], point_a=0.5, point_b=(1, 1)), "`point_a` must be a point"),
        (lambda: reliable_roc([0, 1], [1, 2], point_a=(2, 2), point_b=(1, 1)), "`point_a` must lie on"),
        (lambda: reliable_roc([0, 1], [1, 2], point_a=(0, 0), point_b=(1, 1)), "no decided positive case"),
        (
            lambda: reliable_window([0, 1], [np.finfo(float).max, math.inf], **GOOD),
            "No threshold separates an infinite score",
        ),
    ],
)
def test_error_sentences(call, message):
    with pytest.raises(InputError, match=message):
        call()
