"""Operating points and intervals of ROC curves: by hand, against pROC, published values, definitions."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from scipy.stats import beta, binom, norm

from demur import CostModel, InputError, ScoreCounts, UndefinedError, roc_band, roc_curve
from demur._kernels.proportions import odds_ratio_limits, ratio_limits
from demur.roc import operating_point, roc_interval
from oracles import scored_data

PROC = json.loads((Path(__file__).parents[1] / "reference" / "proc.json").read_text())
DATA = PROC["data"]
Z = norm.ppf(0.975)

# 4 positives, 6 negatives; at 0.5: 3 hits, 1 miss, 2 false alarms, 4 correct rejections
Y = [1, 1, 1, 1, 0, 0, 0, 0, 0, 0]
S = [0.9, 0.8, 0.5, 0.3, 0.7, 0.5, 0.4, 0.3, 0.2, 0.1]


def clopper_pearson(count, n, level=0.95):
    tail = (1 - level) / 2
    low = 0.0 if count == 0 else beta.ppf(tail, count, n - count + 1)
    high = 1.0 if count == n else beta.ppf(1 - tail, count + 1, n - count)
    return low, high


# ---------------------------------------------------------------- operating points


def test_measures_by_hand():
    point = operating_point(Y, S, threshold=0.5)
    assert (point.tp, point.fn, point.fp, point.tn) == (3, 1, pytest.approx(2), pytest.approx(4))
    assert point.sensitivity == 0.75
    assert point.specificity == pytest.approx(2 / 3)
    assert point.ppv == pytest.approx(3 / 5)
    assert point.npv == pytest.approx(4 / 5)
    assert point.accuracy == pytest.approx(0.7)
    assert point.youden == pytest.approx(5 / 12)
    assert point.lr_positive == pytest.approx(9 / 4)
    assert point.lr_negative == pytest.approx(3 / 8)
    assert point.odds_ratio == pytest.approx(6)
    assert point.f1 == pytest.approx(6 / 9)
    assert point.phi == pytest.approx((3 * 4 - 2 * 1) / math.sqrt(4 * 6 * 5 * 5))
    exact = {"sensitivity": (3, 4), "specificity": (4, 6), "ppv": (3, 5), "npv": (4, 5), "accuracy": (7, 10)}
    for name, (count, n) in exact.items():
        assert point.interval(name) == pytest.approx(clopper_pearson(count, n)), name
    low, high = clopper_pearson(3, 6)  # hits among the cases that are ill or called ill
    assert point.interval("f1") == pytest.approx((2 * low / (1 + low), 2 * high / (1 + high)))


def test_another_prevalence_by_hand():
    point = operating_point(Y, S, threshold=0.5, prevalence=0.1)
    assert point.ppv == pytest.approx(0.075 / (0.075 + 0.3))
    assert point.npv == pytest.approx(0.6 / (0.6 + 0.025))
    assert point.accuracy == pytest.approx(0.075 + 0.6)
    assert point.f1 == pytest.approx(2 * 0.2 * 0.75 / 0.95)
    ratio = point.interval("lr_positive")
    assert point.interval("ppv") == pytest.approx([r / (r + 9) for r in ratio])
    negative = point.interval("lr_negative")
    assert point.interval("npv") == pytest.approx([9 / (r + 9) for r in negative[::-1]])
    cases = point.per(1000, prevalence=0.2)
    assert [cases.tp, cases.fn, cases.fp, cases.tn] == pytest.approx([150, 50, 800 / 3, 1600 / 3])
    assert cases.intervals["fp"] == pytest.approx(
        [800 * (1 - limit) for limit in point.interval("specificity")[::-1]]
    )
    assert point.per().n == 1000
    assert point.per().prevalence == 0.1


def test_choices_by_hand():
    # sensitivity - false positive rate: .25 at .9, .5 at .8, 1/3 at .7, 5/12 at .5, 1/4 at .4, 1/3 at .3
    assert operating_point(Y, S, threshold="youden").threshold == 0.8
    # squared distances: .25 at .8, 1/16 + 1/9 at .5
    assert operating_point(Y, S, threshold="closest").threshold == 0.5
    assert operating_point(Y, S, sensitivity=0.75).threshold == 0.5
    assert operating_point(Y, S, sensitivity=0.76).threshold == 0.3
    assert operating_point(Y, S, specificity=0.6).threshold == 0.5
    assert operating_point(Y, S, specificity=1).threshold == 0.8
    # misses 100 times as dear: everything down to 0.3 is called positive
    assert operating_point(Y, S, costs=CostModel(cost_fn=100)).threshold == 0.3
    assert operating_point(Y, S, costs=CostModel(cost_fp=100)).threshold == 0.8
    nobody = operating_point(Y, S, costs=CostModel(cost_fp=100), prevalence=0.0)
    assert nobody.threshold == math.inf
    assert nobody.ppv is None
    assert nobody.interval("ppv") == (0, 0)  # no positive in use
    assert operating_point(Y, S, threshold=math.inf).interval("ppv") == (0, 1)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("fixed", {"threshold": 0.55}),
        ("youden", {"threshold": "youden"}),
        ("closest", {"threshold": "closest"}),
        # pROC's weights: cost of a miss relative to a false alarm, and the prevalence
        ("costs", {"costs": CostModel(cost_fp=4), "prevalence": 0.1}),
    ],
)
def test_coords_against_proc(name, options):
    expected = PROC["coords"][name]
    point = operating_point(DATA["y"], DATA["a"], **options)
    for measure in ("sensitivity", "specificity", "tp", "fn", "fp", "tn"):
        assert getattr(point, measure) == pytest.approx(expected[measure])
    if "prevalence" not in options:
        for measure in ("accuracy", "ppv", "npv"):
            assert getattr(point, measure) == pytest.approx(expected[measure])
        # pROC's thresholds lie between two scores
        assert point.threshold - 0.1 < expected["threshold"] <= point.threshold


@pytest.mark.parametrize("held", ["sensitivity", "specificity"])
def test_rates_on_a_segment_against_proc(held):
    expected = PROC["coords"][held]
    found = roc_interval(DATA["y"], DATA["a"], **{held: 0.9})
    assert found.sensitivity == pytest.approx(expected["sensitivity"])
    assert found.specificity == pytest.approx(expected["specificity"])


def test_choice_on_both_classes_is_corrected():
    flat = operating_point(DATA["y"], DATA["a"], threshold="youden")
    fixed = operating_point(DATA["y"], DATA["a"], threshold=flat.threshold)
    assert fixed.sensitivity == flat.sensitivity
    assert fixed.optimism == (0, 0)
    assert flat.optimism[0] + flat.optimism[1] > 0.02
    for rate, gap in zip(("sensitivity", "specificity"), flat.optimism, strict=True):
        count, n = (25, 35) if rate == "sensitivity" else (33, 45)
        assert flat.interval(rate) == pytest.approx(clopper_pearson(count - gap * n, n))
    again = operating_point(DATA["y"], DATA["a"], threshold="youden", rng=0)
    assert again.optimism == flat.optimism
    assert operating_point(DATA["y"], DATA["a"], threshold="youden", rng=1).optimism != flat.optimism


def test_weights_are_repeats_or_importance():
    weight = [1, 2, 1, 3, 1, 1, 2, 1, 1, 2]
    repeated = operating_point(np.repeat(Y, weight), np.repeat(S, weight), threshold=0.5)
    weighted = operating_point(Y, S, threshold=0.5, sample_weight=weight, weights="repeats")
    assert weighted.to_dict() == repeated.to_dict()
    importance = operating_point(Y, S, threshold=0.5, sample_weight=weight)
    assert importance.ppv == pytest.approx(repeated.ppv)
    # effective numbers: 7^2 / 15 positives
    assert importance.interval("sensitivity") == pytest.approx(clopper_pearson(4 / 7 * 49 / 15, 49 / 15))
    scaled = operating_point(Y, S, threshold=0.5, sample_weight=np.array(weight) * 100.0)
    assert scaled.interval("ppv") == pytest.approx(importance.interval("ppv"))
    equal = operating_point(Y, S, threshold=0.5, sample_weight=np.full(10, 0.3))
    assert equal.interval("ppv") == operating_point(Y, S, threshold=0.5).interval("ppv")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "must be given one at a time, got none"),
        ({"threshold": 0.5, "sensitivity": 0.9}, "got threshold and sensitivity"),
        ({"threshold": "best"}, "'youden', 'closest', got 'best'"),
        ({"sensitivity": 1.5}, "`sensitivity`"),
        ({"costs": 3}, "`costs` must be a CostModel, got int"),
        ({"threshold": 0.5, "prevalence": -1}, "`prevalence`"),
        ({"threshold": 0.5, "weights": "kg"}, "`weights`"),
    ],
)
def test_operating_point_refuses(options, words):
    with pytest.raises(InputError, match=words):
        operating_point(Y, S, **options)


def test_refusals_name_the_remedy():
    with pytest.raises(UndefinedError, match="no positive case"):
        operating_point([0, 0], [1, 2], threshold=1, pos_label=1)
    with pytest.raises(InputError, match="`measure` must be one of 'sensitivity'"):
        operating_point(Y, S, threshold=0.5).interval("auc")
    with pytest.raises(InputError, match="`sample_weight` must hold whole numbers"):
        operating_point(Y, S, threshold=0.5, sample_weight=[0.5] * 10, weights="repeats")


# ---------------------------------------------------------------- two shares


def test_ratio_against_koopman_1984():
    assert ratio_limits(36, 40, 16, 80, Z) == pytest.approx((2.94, 7.15), abs=0.005)


def test_ratio_of_two_full_samples_by_hand():
    # with x = m and y = n the limits are 1 / (1 + z^2 / m) and 1 + z^2 / n
    assert ratio_limits(10, 10, 20, 20, Z) == pytest.approx((1 / (1 + Z**2 / 10), 1 + Z**2 / 20))
    assert ratio_limits(0, 10, 0, 20, Z) == (0, math.inf)
    assert ratio_limits(0, 10, 5, 20, Z)[0] == 0
    assert ratio_limits(5, 10, 0, 20, Z)[1] == math.inf


@pytest.mark.parametrize(
    ("limits", "second"),
    [
        (ratio_limits, lambda p, r: p / r),
        (odds_ratio_limits, lambda p, r: p / (p + r * (1 - p))),
    ],
)
@pytest.mark.parametrize(("x", "m", "y", "n"), [(7, 10, 3, 12), (1, 30, 5, 20), (9, 9, 4, 10), (2, 5, 0, 7)])
def test_limits_against_a_grid_of_shares(limits, second, x, m, y, n):
    """At a limit the most likely shares on the curve of that ratio have Pearson's statistic z^2."""
    for ratio in limits(x, m, y, n, Z):
        if not 0 < ratio < math.inf:
            continue
        first = np.linspace(1e-9, 1 - 1e-9, 400_001)
        other = second(first, ratio)
        inside = (other > 0) & (other < 1)
        first, other = first[inside], other[inside]
        likely = np.argmax(binom.logpmf(x, m, first) + binom.logpmf(y, n, other))
        p, q = first[likely], other[likely]
        pearson = (x - m * p) ** 2 / (m * p * (1 - p)) + (y - n * q) ** 2 / (n * q * (1 - q))
        assert pearson == pytest.approx(Z**2, rel=2e-3)


# ---------------------------------------------------------------- intervals of the curve


def test_interval_at_a_threshold_by_hand():
    found = roc_interval(Y, S, threshold=0.5)
    assert found.sensitivity_interval == pytest.approx(clopper_pearson(3, 4))
    assert found.specificity_interval == pytest.approx(clopper_pearson(4, 6))
    several = roc_interval(Y, S, threshold=[0.95, 0.5, 0.0])
    assert several.sensitivity.tolist() == [0, 0.75, 1]
    assert several.specificity == pytest.approx([1, 2 / 3, 0])
    assert several.sensitivity_interval.low[1] == found.sensitivity_interval.low
    with pytest.raises(UndefinedError, match="two intervals"):
        found.low  # noqa: B018


def test_interval_at_a_specificity_by_hand():
    # 6 negatives: alarms at the threshold of specificity 0.9 are binomial(6, 0.1)
    each = math.sqrt(0.95)
    fewest, most = binom.ppf((1 - each) / 2, 6, 0.1), binom.ppf((1 + each) / 2, 6, 0.1)
    assert (fewest, most) == (0, 3)
    # no alarm: 0 hits are sure; at most 3 alarms: down to 0.4, where 3 of 4 are hit
    found = roc_interval(Y, S, specificity=0.9, method="exact")
    assert found.low == 0
    assert found.high == pytest.approx(clopper_pearson(3, 4, each)[1])
    assert found.specificity_interval == (0.9, 0.9)
    # at the level itself at most 2 alarms, where 3 of 4 are hit; the estimate is above the first alarm
    assert binom.interval(0.95, 6, 0.1) == (0, 2)
    near, (low, high) = roc_interval(Y, S, specificity=0.9), clopper_pearson(2, 4)
    assert (near.method, near.sensitivity) == ("mover", 0.5)
    assert near.low == max(0.5 - math.hypot(0.5 - low, 0.5 - 0), 0) == 0
    assert near.high == pytest.approx(0.5 + math.hypot(high - 0.5, 0.75 - 0.5))


def test_positives_below_all_negatives_belong_to_the_upper_limit():
    """The curve ends upright: at a low specificity all cases may be called positive."""
    y, s = [0] * 8 + [1] * 8, [*range(3, 11), 0, 1, 2, *range(11, 16)]
    found = roc_interval(y, s, specificity=[0.03, 0.5], method="exact")
    # at 0.03 up to 8 of the negatives are called positive, so perhaps every positive, too; at 0.5 at most 7
    high = clopper_pearson(5, 8, math.sqrt(0.95))[1]
    assert found.sensitivity_interval.high == pytest.approx([1.0, high])


@given(scored_data())
def test_specificity_held_is_the_pointwise_band_and_its_mirror_image(data):
    y, s, _ = data
    if len(set(y)) < 2:
        return
    y, s = np.asarray(y), np.asarray(s, dtype=float)
    x = np.array([0.0, 0.1, 0.5, 0.85, 1.0])
    band = roc_band(y, s).at(1 - x, pointwise=True)
    for method in ("exact", "mover"):
        found = roc_interval(y, s, specificity=x, method=method)
        if method == "exact":
            assert found.low.tolist() == band.low.tolist()
            assert found.high.tolist() == band.high.tolist()
        mirrored = roc_interval(1 - y, -s, sensitivity=x, method=method)
        assert mirrored.low == pytest.approx(found.low, abs=1e-12)
        assert mirrored.high == pytest.approx(found.high, abs=1e-12)
        assert mirrored.specificity == pytest.approx(found.sensitivity)
        assert np.all(found.low <= found.high)
    # the estimate is within the limits of "mover"
    assert np.all((found.low >= 0) & (found.low <= found.sensitivity))
    assert np.all((found.sensitivity <= found.high) & (found.high <= 1))


def test_interval_contains_that_of_the_bootstrap_of_proc():
    boot = PROC["bootstrap"]
    for name, held in (("se", "specificity"), ("sp", "sensitivity")):
        found = roc_interval(DATA["y"], DATA["a"], **{held: [0.7, 0.8, 0.9]}, method="exact")
        low, median, high = boot[name]
        assert np.all(found.low <= np.array(low) + 0.02)
        assert np.all(found.high >= np.array(high) - 0.02)
        assert np.all((found.low < median) & (median < found.high))
    # a chosen threshold: pROC tells where the choice falls in other samples, demur how the chosen one does
    point = operating_point(DATA["y"], DATA["a"], threshold="youden")
    for rate, stored in (("sensitivity", "se"), ("specificity", "sp")):
        low, high = point.interval(rate)
        assert low < boot["coords"][stored][1] < high
    at = roc_interval(DATA["y"], DATA["a"], threshold=0.55)
    for limits, stored in ((at.sensitivity_interval, "se"), (at.specificity_interval, "sp")):
        assert limits == pytest.approx(boot["thresholds"][stored][::2], abs=0.035)


def test_counts_and_curve_agree():
    counts = ScoreCounts.from_arrays(DATA["y"], DATA["a"])
    assert (
        roc_interval(counts, threshold=1.0).to_dict()
        == roc_interval(DATA["y"], DATA["a"], threshold=1.0).to_dict()
    )
    curve = roc_curve(counts)
    found = roc_interval(counts, threshold=curve.thresholds)
    assert np.array_equal(found.sensitivity, curve.tpr)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "one at a time, got none"),
        ({"threshold": 1, "specificity": 0.9}, "got specificity and threshold"),
        ({"threshold": "youden"}, "operating_point chooses"),
        ({"specificity": [0.5, 1.2]}, "`specificity`"),
        ({"threshold": [math.nan]}, "`threshold`"),
        (
            {"specificity": 0.9, "method": "bootstrap"},
            "`method` must be one of 'mover', 'exact', got 'bootst",
        ),
    ],
)
def test_roc_interval_refuses(options, words):
    with pytest.raises(InputError, match=words):
        roc_interval(Y, S, **options)


# ---------------------------------------------------------------- coverage


@pytest.mark.parametrize(
    ("se", "sp", "sizes"), [(0.9, 0.9, (10, 25)), (0.6, 0.6, (15, 15)), (0.95, 0.98, (20, 30))]
)
def test_coverage_at_a_fixed_threshold_by_enumeration(se, sp, sizes):
    """Every table of hits and correct rejections, weighted by its probability."""
    positive, negative = sizes
    called = 0.1 * se + 0.9 * (1 - sp)
    truth = {
        "youden": se + sp - 1,
        "ppv": 0.1 * se / called,
        "npv": 0.9 * sp / (1 - called),
        "accuracy": 0.1 * se + 0.9 * sp,
        "f1": 0.2 * se / (called + 0.1),
        "phi": (se + sp - 1) * math.sqrt(0.09 / (called * (1 - called))),
        "lr_positive": se / (1 - sp),
        "lr_negative": (1 - se) / sp,
        "odds_ratio": se * sp / ((1 - se) * (1 - sp)),
    }
    held = dict.fromkeys(truth, 0.0)
    for hits in range(positive + 1):
        for right in range(negative + 1):
            chance = binom.pmf(hits, positive, se) * binom.pmf(right, negative, sp)
            if chance < 1e-5:
                continue
            counts = ScoreCounts.from_counts([0, 1], [positive - hits, hits], [right, negative - right])
            point = operating_point(counts, threshold=1, prevalence=0.1)
            for name, value in truth.items():
                low, high = point.interval(name)
                held[name] += chance * (low <= value <= high)
    for name, share in held.items():
        assert share >= 0.92, name  # the least: npv, 0.924, with rates of 0.95 and 0.98


def percentile_limits(positives, negatives, specificity, rng, n_resamples=2000):
    """Limits of the sensitivity by resampling each class: the oracle is the bootstrap's definition."""
    drawn = np.sort(rng.choice(negatives, (n_resamples, len(negatives))), axis=1)
    threshold = drawn[:, round(specificity * len(negatives)) - 1, None]
    hits = (rng.choice(positives, (n_resamples, len(positives))) > threshold).mean(axis=1)
    return np.quantile(hits, [0.025, 0.975])


def test_widths_against_a_percentile_bootstrap():
    """Sixty samples of AUC 0.9 with 50 + 450 cases, where the bootstrap holds its level."""
    rng, separation = np.random.default_rng(4), math.sqrt(2) * norm.ppf(0.9)
    y, widths = np.repeat([1, 0], [50, 450]), []
    for _ in range(60):
        s = rng.normal(size=500) + separation * y
        found = [roc_interval(y, s, specificity=0.9, method=method) for method in ("mover", "exact")]
        low, high = percentile_limits(s[:50], s[50:], 0.9, rng)
        widths.append([*(one.high - one.low for one in found), high - low])
    mover, exact, bootstrap = np.median(widths, axis=0)
    assert mover < 0.8 * exact
    assert bootstrap < mover < 1.15 * bootstrap


@pytest.mark.long
@pytest.mark.parametrize("digits", [None, 1])
@pytest.mark.parametrize("sizes", [(10, 90), (20, 20), (50, 50), (50, 450)])
@pytest.mark.parametrize("auc", [0.75, 0.9, 0.98])
def test_coverage_of_curve_points(auc, sizes, digits):
    """Binormal scores, also rounded: the true curve is then straight across a tie."""
    rng, separation = np.random.default_rng(9), math.sqrt(2) * norm.ppf(auc)
    y, truth = np.repeat([1, 0], sizes), norm.sf(norm.isf(0.1) - separation)
    if digits is not None:
        cuts = np.arange(-8, 16, 0.1) - 0.05
        truth = np.interp(0.1, norm.sf(cuts)[::-1], norm.sf(cuts - separation)[::-1])
    held, runs = 0, 1000
    for _ in range(runs):
        s = rng.normal(size=len(y)) + separation * y
        found = roc_interval(y, s if digits is None else s.round(digits), specificity=0.9)
        held += found.low <= truth <= found.high
    assert held / runs >= 0.93


@pytest.mark.long
@pytest.mark.parametrize(("separation", "sizes"), [(0.5, (30, 30)), (2.0, (20, 100)), (3.0, (100, 40))])
def test_coverage_against_the_binormal_truth(separation, sizes):
    """Exact intervals hold; those of chosen thresholds hold for the threshold that was chosen."""
    rng = np.random.default_rng(8)
    y = np.repeat([1, 0], sizes)
    held = dict.fromkeys(["curve", "sensitivity", "specificity", "rate"], 0)
    runs = 1000
    for _ in range(runs):
        s = rng.normal(size=len(y)) + separation * y
        low, high = (getattr(roc_interval(y, s, specificity=0.9), side) for side in ("low", "high"))
        held["curve"] += low <= norm.sf(norm.isf(0.1) - separation) <= high
        best = operating_point(y, s, threshold="youden", prevalence=0.1, n_resamples=60)
        rate = operating_point(y, s, sensitivity=0.8)
        for point, names in ((best, ("sensitivity", "specificity")), (rate, ("rate",))):
            true = norm.sf(point.threshold - separation), norm.cdf(point.threshold)
            for name, value in zip(names, true, strict=False):
                low, high = point.interval("sensitivity" if name == "rate" else name)
                held[name] += low <= value <= high
    for name, count in held.items():
        assert count / runs >= 0.93, name
