"""Every row of docs/coming_from/proc.md against stored output of pROC 1.18.0 (tests/reference/proc.R).

Closed forms agree to rounding; where both sides resample, within the simulation error of 4000 draws.
`coords`, `ci.se`, `ci.sp`, `ci.thresholds` are compared in tests/roc/test_operating.py.
"""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from scipy.special import ndtr, ndtri

import demur
import demur.auc
import demur.roc
from demur import (
    DegenerateDataWarning,
    InputError,
    ScoreCounts,
    UndefinedError,
    auc_difference_test,
    auc_interval,
    auc_score,
    hand_till_auc,
    ordinal_roc,
    roc_curve,
)
from demur.auc import (
    auc_covariance,
    auc_power,
    auc_sample_size,
    auc_study,
    auc_unpaired_test,
    auc_variance,
    partial_auc_difference_test,
    partial_auc_interval,
    partial_auc_unpaired_test,
    pilot_study,
    roc_point_test,
    roc_point_unpaired_test,
    venkatraman_test,
    venkatraman_unpaired_test,
)
from demur.auc.curves import curve_distance
from demur.roc import prepared_scores

PROC = json.loads((Path(__file__).parents[1] / "reference" / "proc.json").read_text())
DATA, BOOT = PROC["data"], PROC["bootstrap"]
Y, A, B = (np.array(DATA[name]) for name in ("y", "a", "b"))
OTHER = np.array(DATA["y2"]), np.array(DATA["c2"])
DRAWS = {"rng": 0, "n_resamples": 800, "half_errors": False}


def test_every_function_of_the_page_is_compared():
    """Names in code on the right of the table stand in a test that reads the stored output."""
    tests = Path(__file__).parents[1]
    page = (tests.parent / "docs" / "coming_from" / "proc.md").read_text()
    rows = [line.split("|") for line in page.replace("\\|", "/").splitlines() if line.startswith("| ")][1:]
    named = {
        name
        for row in rows
        if "`" in row[1]
        for code in re.findall(r"`([^`]+)`", row[2])
        for name in re.findall(r"^[\w.]*?\.?([a-z_]+)(?=\(|$)", code)
        if hasattr(demur, name) or any(hasattr(room, name) for room in (demur.auc, demur.roc))
    }
    assert {"auc_score", "roc_interval", "smooth_roc", "operating_point", "hand_till_auc"} < named
    readers = ("auc/test_proc.py", "roc/test_operating.py", "roc/test_smooth.py")
    code = "".join((tests / name).read_text() for name in readers)
    assert {name for name in named if f"{name}(" not in code} == set()


def test_curve_and_area():
    assert PROC["version"] == "1.18.0"
    assert auc_score(Y, A) == pytest.approx(PROC["auc"]["a"])
    assert auc_score(Y, B) == pytest.approx(PROC["auc"]["b"])
    curve = roc_curve(Y, A)
    # pROC lists from the lowest threshold, between the scores, on
    assert curve.tpr[::-1] == pytest.approx(PROC["curve"]["sensitivity"])
    assert 1 - curve.fpr[::-1] == pytest.approx(PROC["curve"]["specificity"])


def test_direction_is_not_guessed_unless_asked_for():
    assert PROC["direction"]["chosen"] == ">"
    assert auc_score(Y, -A) == pytest.approx(1 - PROC["direction"]["auto_flipped"])
    turned = prepared_scores(Y, -A, direction="auto")
    assert turned.direction == "lower"
    assert auc_score(turned.y_true, turned.y_score) == pytest.approx(PROC["direction"]["auto_flipped"])


def test_missing_values_and_ordered_words():
    gaps = A.copy()
    gaps[[2, 49]] = np.nan
    left = prepared_scores(Y, gaps, drop_missing=True)
    assert auc_score(left.y_true, left.y_score) == pytest.approx(PROC["missing"])
    sizes = np.array(["small", "medium", "large"])
    words = sizes[(A > 0).astype(int) + (A > 1.5)]
    ranked = prepared_scores(np.where(Y == 1, "ill", "healthy"), words, levels=list(sizes), pos_label="ill")
    assert auc_score(ranked.y_true, ranked.y_score) == pytest.approx(PROC["words"])


def test_variances_and_interval():
    assert auc_variance(Y, A) == pytest.approx(PROC["variance"]["delong"])
    assert auc_variance(Y, A, method="obuchowski") == pytest.approx(PROC["variance"]["obuchowski"])
    assert auc_covariance(Y, np.column_stack([A, B]))[0, 1] == pytest.approx(PROC["covariance"])
    low, _, high = PROC["interval"]
    assert auc_interval(Y, A, method="wald") == pytest.approx((low, high))


def test_partial_areas():
    curve, stored = roc_curve(Y, A), PROC["partial"]
    assert curve.partial_auc(0, 0.2) == pytest.approx(stored["specificity"])
    assert curve.partial_auc(0, 0.2, standardize=True) == pytest.approx(stored["corrected"])
    assert curve.partial_auc_sensitivity(0.8, 1) == pytest.approx(stored["sensitivity"])
    assert curve.partial_auc(0.1, 0.4) == pytest.approx(stored["inner"])
    # pROC has no number for a corrected area below the diagonal
    assert PROC["below_diagonal"]
    with pytest.warns(DegenerateDataWarning, match="below the diagonal"):
        assert roc_curve(Y, -A).partial_auc(0, 0.1, standardize=True) < 0.5


def test_paired_and_unpaired_tests():
    paired = auc_difference_test(Y, A, B, method="delong")
    assert (paired.statistic, paired.pvalue) == pytest.approx(tuple(PROC["tests"]["paired"].values()))
    unpaired = auc_unpaired_test(Y, A, *OTHER)
    assert (unpaired.statistic, unpaired.pvalue) == pytest.approx(tuple(PROC["tests"]["unpaired"].values()))
    # ours needs no resampling
    exact = auc_difference_test(Y, A, B, method="bootstrap")
    assert exact.statistic == pytest.approx(BOOT["auc_test"]["statistic"], rel=0.04)


def test_resampled_tests_and_intervals():
    low, _, high = BOOT["partial"]
    assert partial_auc_interval(Y, A, max_fpr=0.2, **DRAWS) == pytest.approx((low, high), abs=0.006)
    found = {
        "partial_test": partial_auc_difference_test(Y, A, B, max_fpr=0.2, **DRAWS),
        "partial_unpaired": partial_auc_unpaired_test(Y, A, *OTHER, max_fpr=0.2, **DRAWS),
        "specificity_test": roc_point_test(Y, A, B, specificity=0.8, **DRAWS),
        "sensitivity_test": roc_point_test(Y, A, B, sensitivity=0.8, **DRAWS),
        "specificity_unpaired": roc_point_unpaired_test(Y, A, *OTHER, specificity=0.8, **DRAWS),
    }
    for name, test in found.items():
        assert test.statistic == pytest.approx(BOOT[name]["statistic"], rel=0.1), name


def test_whole_curves():
    options = {"n_resamples": 800, "rng": 0}
    assert venkatraman_test(Y, A, B, **options).pvalue == pytest.approx(BOOT["venkatraman"], abs=0.025)
    unpaired = venkatraman_unpaired_test(Y, A, *OTHER, **options).pvalue
    assert unpaired == pytest.approx(BOOT["venkatraman_unpaired"], abs=0.07)


def test_power():
    one = {"variance": "equal-binormal"}
    assert auc_power(auc=0.8, n_positive=40, n_negative=60, **one) == pytest.approx(
        PROC["power"]["power"], abs=2e-5
    )
    needed = auc_sample_size(auc=0.8, power=0.9, negatives_per_positive=2, **one)
    assert needed.n_positive == pytest.approx(PROC["power"]["ncases"], abs=1)
    sizes = {"n_positive": 30, "n_negative": 30, "power": 0.9}
    level = auc_study(auc=0.8, significance_level=None, **sizes).significance_level
    assert level == pytest.approx(PROC["power"]["level"])
    # pROC stops its search for the AUC at its tolerance of 1e-4
    assert auc_study(**sizes).auc == pytest.approx(PROC["power"]["auc"], abs=1e-4)


def test_power_of_two_curves():
    """pROC plans with two variances: without a difference both curves have that of the first one.

    So its power depends on the order of the curves (0.76 and 0.47 here). The DeLong test divides by one
    variance, with or without a difference, and `pilot_study` plans for that test: 0.60.
    """
    (first, covariance), (_, second) = auc_covariance(Y, np.column_stack([A, B]))
    gap = auc_score(Y, A) - auc_score(Y, B)
    with_gap = first + second - 2 * covariance
    stored = PROC["power"]

    def as_proc(variance, level=0.05):
        without = 2 * (variance - covariance)
        return ndtr((gap + ndtri(level / 2) * np.sqrt(without)) / np.sqrt(with_gap))

    assert as_proc(first) == pytest.approx(stored["two_power"])
    assert as_proc(second) == pytest.approx(stored["two_power_swapped"])
    assert as_proc(first, stored["two_level"]) == pytest.approx(0.9)
    needed = (-ndtri(0.025) * np.sqrt(2 * (first - covariance)) + ndtri(0.9) * np.sqrt(with_gap)) / gap
    assert 35 * needed**2 == pytest.approx(stored["two_ncases"])

    test = auc_difference_test(Y, A, B, method="delong")
    assert test.variance == pytest.approx(with_gap)
    ours = pilot_study(variance=test.variance, difference=gap, times=1)
    assert ours.power == pytest.approx(ndtr(test.statistic + ndtri(0.025)))
    assert stored["two_power_swapped"] < ours.power < stored["two_power"]
    back = auc_difference_test(Y, B, A, method="delong")
    assert pilot_study(variance=back.variance, difference=-gap, times=1).power == pytest.approx(ours.power)


def test_several_classes():
    order = {"low": 0, "mid": 1, "top": 2}
    classes = np.array([order[name] for name in DATA["three"]])
    # pROC's multiclass.roc averages the AUCs of all pairs of one score
    pairs = [(0, 1), (0, 2), (1, 2)]
    mean = np.mean(
        [auc_score(classes[np.isin(classes, pair)] == pair[1], A[np.isin(classes, pair)]) for pair in pairs]
    )
    assert mean == pytest.approx(PROC["multiclass"])
    # with one column of scores for each class it is Hand and Till's M
    shares = np.exp(np.column_stack([-A, -np.abs(B), A]) / 2)
    shares /= shares.sum(axis=1, keepdims=True)
    found = hand_till_auc(DATA["three"], shares, labels=["low", "mid", "top"])
    assert found.auc == pytest.approx(PROC["multiclass_matrix"])
    assert ordinal_roc(classes, A).measures(ties="random").ovo == pytest.approx(PROC["multiclass"])


# ---------------------------------------------------------------- curves of different cases


def test_distance_of_two_curves_by_hand():
    # a perfect curve and the diagonal of one tie: area 1/2 between them
    perfect, tied = (np.array([0.0]), np.array([1.0])), (np.array([0.5]), np.array([0.5]))
    assert curve_distance(perfect, tied) == pytest.approx(0.5)
    # (0, 0), (0, 1/2), (1, 1/2), (1, 1) against the diagonal: two triangles with legs of 1/2
    crossing = np.array([0.5]), np.array([0.0, 1.0])
    assert curve_distance(crossing, tied) == pytest.approx(0.25)
    assert curve_distance(tied, tied) == 0


def test_unpaired_tests_of_one_sample_with_itself():
    for test in (
        partial_auc_unpaired_test(Y, A, Y, A, max_fpr=0.2, rng=0, n_resamples=50),
        roc_point_unpaired_test(
            ScoreCounts.from_arrays(Y, A),
            ScoreCounts.from_arrays(Y, A),
            sensitivity=0.8,
            rng=0,
            n_resamples=50,
        ),
        venkatraman_unpaired_test(Y, A, Y, A, rng=0, n_resamples=50),
    ):
        assert test.pvalue == 1
    low, high = partial_auc_unpaired_test(Y, A, Y, A, max_fpr=0.2, rng=0, n_resamples=50).interval()
    assert low < 0 < high


def test_unpaired_tests_refuse():
    with pytest.raises(InputError, match="must be two samples"):
        partial_auc_unpaired_test(Y, A, max_fpr=0.2)
    with pytest.raises(InputError, match="one at a time"):
        roc_point_unpaired_test(Y, A, Y, B)
    with pytest.raises(InputError, match="`alternative`"):
        roc_point_unpaired_test(Y, A, Y, B, specificity=0.9, alternative="more")
    fractional = ScoreCounts.from_counts([1, 2], [0.5, 1], [1, 1])
    with pytest.raises(UndefinedError, match="exchanges whole cases"):
        venkatraman_unpaired_test(fractional, fractional)
    with pytest.raises(UndefinedError, match="no positive case"):
        venkatraman_unpaired_test(Y, A, Y * 0, A, pos_label=1)


@pytest.mark.long
def test_level_of_the_unpaired_test_of_curves():
    rng = np.random.default_rng(0)
    first, second = np.repeat([0, 1], [40, 20]), np.repeat([0, 1], [30, 30])
    found = 0
    for _ in range(200):
        a, b = (rng.normal(size=len(y)) + 1.2 * y for y in (first, second))
        found += venkatraman_unpaired_test(first, a, second, b, n_resamples=59, rng=rng).pvalue <= 0.05
    assert found / 200 <= 0.09
