"""Tango intervals against 50-digit bisection, confident segments against loops over the definition."""

import math
from decimal import Decimal, localcontext
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from demur import InputError, ScoreCounts, UndefinedError, auc_score, confident_segment
from demur.roc import tango_interval
from examples import examples
from oracles import scored_data
from reference_cases import cases, close

FILE = "confident_roc.json"

# the worked example of the specification: 4 positives, 8 negatives, two ties between classes
Y = [1, 0, 1, 1, 0, 0, 1, 0, 0, 0, 0, 0]
S = [0.9, 0.8, 0.7, 0.7, 0.6, 0.5, 0.4, 0.4, 0.3, 0.2, 0.2, 0.1]


# ---------------------------------------------------------------- oracles


def normal_quantile(level):
    # the tail is exact where (1 + level) / 2 has lost its digits
    return -NormalDist().inv_cdf((1 - level) / 2)


def tango_statistic(b, c, n, delta):
    """T(delta) of Tango (1998), eq. 1 and 2, in the current decimal precision."""
    w = -b - c + (2 * n - b + c) * delta
    inside = w * w + 8 * n * c * delta * (1 - delta)
    q = (max(inside, Decimal(0)).sqrt() - w) / (4 * n)
    variance = n * (2 * q + delta * (1 - delta))
    distance = b - c - n * delta
    if variance <= Decimal("1e-40"):
        return Decimal("Infinity") * (1 if distance > 0 else -1)
    return distance / variance.sqrt()


def bisected_interval(b, c, n, level):
    """Both limits by bisection on the definition with 50 digits."""
    with localcontext() as context:
        context.prec = 50
        z = Decimal(normal_quantile(level))
        b, c, n = Decimal(b), Decimal(c), Decimal(n)
        limits = []
        for end, target in ((Decimal(-1), z), (Decimal(1), -z)):
            outside, inside = end, (b - c) / n
            for _ in range(70):
                middle = (outside + inside) / 2
                beyond = abs(tango_statistic(b, c, n, middle)) > abs(target)
                outside, inside = (middle, inside) if beyond else (outside, middle)
            limits.append(float(inside))
    return limits


def judged_by_hand(y, s, w, level):
    """(b, c, confident) of every threshold from inf down, by looking at every case."""
    z = normal_quantile(level)
    rows = []
    for t in [math.inf, *sorted(set(s), reverse=True)]:
        called = [score >= t and t != math.inf for score in s]
        b = sum(wi for yi, wi, hit in zip(y, w, called, strict=True) if yi and not hit)
        c = sum(wi for yi, wi, hit in zip(y, w, called, strict=True) if not yi and hit)
        rows.append((b, c, (b - c) ** 2 <= z * z * (b + c)))
    return rows


# ---------------------------------------------------------------- by hand


@pytest.mark.parametrize("n", [1, 7, 1000])
@pytest.mark.parametrize("level", [0.5, 0.95, 0.999])
def test_interval_without_errors_and_with_only_errors_by_hand(n, level):
    k = normal_quantile(level) ** 2
    none, all_missed, all_alarmed = (
        tango_interval(*t, confidence_level=level) for t in [(0, 0, n), (n, 0, n), (0, n, n)]
    )
    assert (none.low, none.high) == pytest.approx((-k / (n + k), k / (n + k)), abs=1e-15)
    assert (all_missed.low, all_missed.high) == pytest.approx(((n - k) / (n + k), 1), abs=1e-15)
    assert (all_alarmed.low, all_alarmed.high) == pytest.approx((-1, -(n - k) / (n + k)), abs=1e-15)


def test_interval_of_equal_counts_by_hand():
    z = normal_quantile(0.95)
    found = tango_interval(3, 3, 50)
    half = z * math.sqrt(6 + z * z) / (50 + z * z)
    assert (found.low, found.high) == pytest.approx((-half, half), abs=1e-16)


def test_segment_of_the_worked_example_by_hand():
    part = confident_segment(Y, S)
    assert part.b.tolist() == [4, 3, 3, 1, 1, 1, 0, 0, 0, 0]
    assert part.c.tolist() == [0, 0, 1, 1, 2, 3, 4, 5, 7, 8]
    assert (part.first, part.last, part.n_confident, part.n) == (1, 5, 5, 12)
    assert part.low[:3] == pytest.approx([0.010008, -0.053118, -0.188739], abs=1e-6)
    assert part.high[:3] == pytest.approx([0.609378, 0.532305, 0.485035], abs=1e-6)
    areas = {
        "union": 0.53125,
        "vertical": 0.21875,
        "horizontal": 0.4375,
        "sum": 0.65625,
        "concordant": 0.328125,
    }
    for kind, area in areas.items():
        assert part.area(kind) == area
    assert part.cauc == 0.53125
    assert (part.ave_d, part.ave_abs_d) == pytest.approx((1 / 30, 2 / 15), abs=1e-16)
    assert part.threshold_range == (0.5, 0.9)


def test_vertical_segment_has_no_area_below_it_by_hand():
    # one positive among many negatives, ranked first: (0, 0) to (0, 1), then false alarms
    part = confident_segment([1] * 3 + [0] * 40, [3.0, 2.0, 1.0] + [0.0] * 40)
    assert part.segment.tolist() == [[0, 0], [0, 1 / 3], [0, 2 / 3], [0, 1]]
    assert (part.area("vertical"), part.area("horizontal"), part.cauc) == (0, 1, 1)


# ---------------------------------------------------------------- reference cases


@pytest.mark.parametrize("case", cases(FILE, "tango"))
def test_interval_against_bisection(case):
    data, expected = case["input"], case["expected"]
    found = tango_interval(data["b"], data["c"], data["n"], confidence_level=data["level"])
    close(found.low, expected["lower"], case["tol"])
    close(found.high, expected["upper"], case["tol"])


@pytest.mark.parametrize("case", cases(FILE, "confident_segment"))
def test_segment_against_enumeration(case):
    data, expected, tol = case["input"], case["expected"], case["tol"]
    part = confident_segment(data["y"], data["score"], confidence_level=data["level"])
    assert part.b.tolist() == expected["b"]
    assert part.c.tolist() == expected["c"]
    assert part.confident.tolist() == expected["confident"]
    assert (part.first, part.last, part.n_confident) == tuple(
        expected[k] for k in ("first", "last", "n_confident")
    )
    close(part.low.tolist(), expected["lower"], tol)
    close(part.high.tolist(), expected["upper"], tol)
    got = {f"cauc_{kind}": part.area(kind) for kind in ("vertical", "horizontal", "union", "sum")}
    got |= {"ave_d": part.ave_d, "ave_abs_d": part.ave_abs_d}
    for key, value in got.items():
        if expected[key] is None:
            assert value is None
        else:
            close(value, expected[key], tol)


# ---------------------------------------------------------------- brute force on random data


@st.composite
def tables(draw):
    n = draw(st.one_of(st.integers(1, 30), st.integers(1, 10**6)))
    b = draw(st.one_of(st.just(0), st.just(n), st.integers(0, n)))
    c = draw(st.one_of(st.just(0), st.just(min(1, n - b)), st.integers(0, n - b)))
    return b, c, n


LEVELS = st.sampled_from([1e-6, 0.3, 0.8, 0.95, 0.9999, 1 - 1e-12])


@given(tables(), LEVELS)
@settings(max_examples=examples(150), deadline=None)
def test_closed_form_against_fifty_digits(table, level):
    found = tango_interval(*table, confidence_level=level)
    assert [found.low, found.high] == pytest.approx(bisected_interval(*table, level), abs=5e-16)


@given(tables(), LEVELS)
@settings(max_examples=examples(150), deadline=None)
def test_interval_mirrors_and_nests(table, level):
    b, c, n = table
    found, mirrored = (
        tango_interval(b, c, n, confidence_level=level),
        tango_interval(c, b, n, confidence_level=level),
    )
    assert (mirrored.low, mirrored.high) == pytest.approx((-found.high, -found.low), abs=1e-15)
    assert -1 <= found.low <= found.difference <= found.high <= 1
    wider = tango_interval(b, c, n, confidence_level=(1 + level) / 2)
    assert wider.low <= found.low + 1e-15
    assert wider.high >= found.high - 1e-15


def test_arrays_broadcast_like_single_calls():
    b, c = np.arange(6), np.array([[0], [1], [4]])
    found = tango_interval(b, c, 12, confidence_level=0.9)
    assert np.shape(found.low) == (3, 6)
    for i in range(3):
        for j in range(6):
            one = tango_interval(int(b[j]), int(c[i, 0]), 12, confidence_level=0.9)
            assert (one.low, one.high) == (found.low[i, j], found.high[i, j])
            assert isinstance(one.low, float)


whole_weights = st.lists(st.integers(1, 4), min_size=14, max_size=14)


@given(scored_data(both_classes=True), whole_weights, st.sampled_from([0.2, 0.5, 0.8, 0.95]))
@settings(max_examples=examples(200), deadline=None)
def test_segment_against_brute_force(data, weights, level):
    y, s, _ = data
    w = weights[: len(y)]
    part = confident_segment(y, s, sample_weight=w, confidence_level=level)
    rows = judged_by_hand(y, s, w, level)
    assert list(zip(part.b.tolist(), part.c.tolist(), part.confident.tolist(), strict=True)) == rows
    inside = [row for row in rows if row[2]]
    # the mask is McNemar's test; the interval must tell the same story
    assert ((part.low <= 0) & (part.high >= 0)).tolist() == part.confident.tolist()
    if not inside:
        assert (part.first, part.last, part.cauc, part.ave_d, part.ave_abs_d) == (None,) * 5
        return
    # contiguity: the run has no hole
    assert part.last - part.first + 1 == len(inside)
    assert part.ave_d == pytest.approx(np.mean([b - c for b, c, _ in inside]) / sum(w), abs=1e-15)
    assert part.ave_abs_d == pytest.approx(np.mean([abs(b - c) for b, c, _ in inside]) / sum(w), abs=1e-15)
    assert part.cauc == pytest.approx(_rasterised(part.segment, 400), abs=0.02)


def _rasterised(segment, steps):
    """Share of a grid below the segment (within its strip) or right of it (within its strip)."""
    centre = (np.arange(steps) + 0.5) / steps
    x, y = np.meshgrid(centre, centre)
    (f1, t1), (f2, t2) = segment[0], segment[-1]
    below = (x > f1) & (x < f2) & (y < _interpolated(x, segment[:, 0], segment[:, 1]))
    right = (y > t1) & (y < t2) & (x > _interpolated(y, segment[:, 1], segment[:, 0]))
    return np.mean(below | right)


def _interpolated(at, x, y):
    keep = np.concatenate([[True], np.diff(x) > 0])
    return np.interp(at, x[keep], y[keep]) if keep.all() else _piecewise(at, x, y)


def _piecewise(at, x, y):
    out = np.full(at.shape, y[0])
    for k in range(len(x) - 1):
        if x[k + 1] > x[k]:
            piece = (at >= x[k]) & (at <= x[k + 1])
            out[piece] = y[k] + (y[k + 1] - y[k]) * (at[piece] - x[k]) / (x[k + 1] - x[k])
    return out


@given(scored_data(both_classes=True))
@settings(max_examples=examples(100), deadline=None)
def test_area_of_the_whole_curve_is_the_auc(data):
    y, s, _ = data
    # 14 cases at this level: everything is confident, which is why the text warns of small samples
    part = confident_segment(y, s, confidence_level=1 - 1e-9)
    assert part.confident.all()
    assert part.cauc == pytest.approx(auc_score(y, s), abs=1e-14)
    assert part.area("concordant") == pytest.approx(auc_score(y, s), abs=1e-14)
    assert part.area("union") == pytest.approx(
        part.area("horizontal") + np.ptp(part.fpr) * part.tpr[0], abs=1e-14
    )


@given(scored_data(both_classes=True), whole_weights)
@settings(max_examples=examples(60), deadline=None)
def test_weight_two_is_a_repeated_row_and_label_swap_mirrors(data, weights):
    y, s, _ = data
    w = weights[: len(y)]
    weighted = confident_segment(y, s, sample_weight=w, confidence_level=0.8)
    repeated = confident_segment(np.repeat(y, w), np.repeat(s, w), confidence_level=0.8)
    assert weighted.to_dict() == repeated.to_dict()
    swapped = confident_segment(
        [1 - label for label in y], [-score for score in s], sample_weight=w, confidence_level=0.8
    )
    assert swapped.b.tolist() == weighted.c[::-1].tolist()
    assert swapped.confident.tolist() == weighted.confident[::-1].tolist()
    if weighted.cauc is not None:
        assert swapped.ave_d == -weighted.ave_d
        assert swapped.area("vertical") == pytest.approx(weighted.area("horizontal"), abs=1e-14)


# ---------------------------------------------------------------- thresholds of the user


def test_threshold_grid_by_hand():
    part = confident_segment(Y, S, thresholds=[0.0, 0.25, 0.5, 0.55, 0.6, 0.75, 1.0, math.inf])
    # 0.55 and 0.6 call the same cases positive: the larger is kept; so are 1 and inf
    assert part.thresholds.tolist() == [math.inf, 0.75, 0.6, 0.5, 0.25, 0.0]
    assert part.b.tolist() == [4, 3, 1, 1, 0, 0]
    assert part.c.tolist() == [0, 1, 2, 3, 5, 8]
    assert part.confident.tolist() == [False, True, True, True, False, False]
    assert part.ave_d == pytest.approx((2 - 1 - 2) / 36)


def test_infinite_scores_are_legal():
    part = confident_segment(
        [1, 0, 1, 0], [math.inf, -math.inf, 0.0, 0.0], thresholds=[math.inf, 1e300, -math.inf]
    )
    assert part.b.tolist() == [2, 1, 0]
    assert part.c.tolist() == [0, 0, 2]


# ---------------------------------------------------------------- edges


@pytest.mark.parametrize(
    ("positives", "negatives", "mask"), [(3, 3, [True, True]), (4, 3, [False, True]), (4, 4, [False, False])]
)
def test_constant_score_by_hand(positives, negatives, mask):
    # (P, 0) is confident if and only if P <= z^2 = 3.84
    part = confident_segment([1] * positives + [0] * negatives, [0.5] * (positives + negatives))
    assert part.confident.tolist() == mask
    if not any(mask):
        assert (part.first, part.last, part.cauc, part.area("sum"), part.threshold_range) == (None,) * 5
        assert repr(part) == "ConfidentSegment(points=2, confident=0, cauc=None)"
        assert part.to_dict()["cauc"] is None
    if mask == [False, True]:
        assert part.cauc == 0  # one point has no area


def test_counts_and_arrays_agree():
    counts = ScoreCounts.from_arrays(Y, S)
    assert confident_segment(counts).to_dict() == confident_segment(Y, S).to_dict()


def test_large_sample_against_the_interval():
    rng = np.random.default_rng(5)
    y = rng.random(200_000) < 0.02
    part = confident_segment(y, np.round(rng.normal(size=200_000) + 1.5 * y, 4))
    assert ((part.low <= 0) & (part.high >= 0)).tolist() == part.confident.tolist()
    assert part.last - part.first + 1 == part.n_confident > 1
    assert not part.points.flags.writeable


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: tango_interval(1.5, 1, 10),
            "`b` must hold whole numbers of cases, got 1.5. Hint: Tango's interval",
        ),
        (lambda: tango_interval(1, [0, 0.25], 10), "`c` must hold whole numbers of cases, got 0.25"),
        (lambda: tango_interval(-1, 1, 10), "`b` must not be negative, got -1"),
        (lambda: tango_interval(1, math.nan, 10), "`c` must be finite"),
        (lambda: tango_interval(1, "x", 10), "`c` must be a number or an array"),
        (lambda: tango_interval(0, 0, 0), "`n` must be at least 1, got 0"),
        (lambda: tango_interval([1, 6], 5, [10, 10]), "`n` must be at least b \\+ c = 11, got 10"),
        (lambda: tango_interval([1, 2], [1, 2, 3], 10), "must broadcast together, got shapes"),
        (lambda: tango_interval(2.0**60, 0, 2.0**61), "`b` must not exceed 2\\*\\*53"),
        (lambda: tango_interval(1, 1, 10, confidence_level=1), "`confidence_level` must lie strictly"),
        (lambda: confident_segment(Y, S, confidence_level=0), "`confidence_level` must lie strictly"),
        (
            lambda: confident_segment(Y, S, sample_weight=[0.5] * 12),
            "`sample_weight` must hold whole numbers",
        ),
        (lambda: confident_segment(Y, S, thresholds=[0.1, math.nan]), "`thresholds` must not contain NaN"),
        (lambda: confident_segment(Y, S, thresholds=[]), "`thresholds` must hold at least one"),
        (lambda: confident_segment(Y, [math.nan] * 12), "`y_score` must not contain NaN"),
        (lambda: confident_segment(Y), "`y_score` is missing"),
        (lambda: confident_segment(Y, S).area("left"), "`kind` must be one of 'union', 'vertical'"),
    ],
)
def test_error_sentences(call, message):
    with pytest.raises(InputError, match=message):
        call()


def test_one_class_is_undefined():
    with pytest.raises(
        UndefinedError, match="A confident segment needs cases of both classes, got no negative"
    ):
        confident_segment([1, 1], [0.1, 0.2])
