"""DET, regret, skill and PVA plots, efficacy and the secant: drawn numbers against error rates by hand."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from scipy.stats import norm

from demur import CautiousConfusion, InputError, UndefinedError, cost_curve, roc_curve
from demur.displays import (
    DetCurveDisplay,
    EfficacyDisplay,
    PvaDisplay,
    RegretDisplay,
    RocSecantDisplay,
    SkillDisplay,
    WindowDisplay,
)
from demur.roc import reliable_roc

Y, S = [0, 0, 1, 0, 1, 0, 1, 1], [1, 2, 3, 4, 5, 6, 7, 8]


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def rates():
    """Misses and false alarms of every threshold, from the cases."""
    pairs = []
    for threshold in [*S, 9]:
        called = np.array(S) >= threshold
        pairs.append((np.mean(~called[np.array(Y) == 1]), np.mean(called[np.array(Y) == 0])))
    return np.array(pairs)


def test_det_draws_normal_deviates():
    display = DetCurveDisplay(result=roc_curve(Y, S)).plot()
    frame = display.frame()
    x, y = display.lines_[0].get_data()
    assert x == pytest.approx(norm.ppf(frame["fpr"]))
    assert y == pytest.approx(norm.ppf(frame["fnr"]))
    known = {(float(miss), float(alarm)) for miss, alarm in rates()}
    assert set(zip(frame["fnr"].tolist(), frame["fpr"].tolist(), strict=True)) <= known


def test_regret_and_skill_against_all_thresholds():
    misses, alarms = rates().T
    regret = RegretDisplay(result=cost_curve(Y, S)).plot(cost_fn=3, cost_fp=2, points=11).frame()
    for rate, value, trivial in zip(regret["prevalence"], regret["regret"], regret["trivial"], strict=True):
        assert value == pytest.approx((3 * rate * misses + 2 * (1 - rate) * alarms).min())
        assert trivial == pytest.approx(min(3 * rate, 2 * (1 - rate)))
    skill = SkillDisplay(result=cost_curve(Y, S)).plot(points=9).frame()
    for place, value in zip(skill["pc"], skill["skill"], strict=True):
        best = (place * misses + (1 - place) * alarms).min()
        assert value == pytest.approx(1 - best / min(place, 1 - place))


def test_pva_against_all_thresholds():
    misses, alarms = rates().T
    frame = PvaDisplay(result=cost_curve(Y, S)).plot(resolution=4).frame()
    for rate, miss, cost in zip(frame["prevalence"], frame["miss"], frame["cost"], strict=True):
        assert cost == pytest.approx((rate * miss * misses + (1 - rate) * (1 - miss) * alarms).min())


def test_efficacy_is_the_area_drawn():
    model = CautiousConfusion([[19, 1, 2], [0, 30, 0], [0, 1, 38], [1, 2, 6]])
    display = EfficacyDisplay(result={"R": model}).plot()
    x, y = display.lines_[0].get_data()
    assert np.trapezoid(y, x) == pytest.approx(model.efficacy)
    with pytest.raises(UndefinedError, match="abstentions only"):
        EfficacyDisplay(result=CautiousConfusion([[0, 0], [0, 0], [3, 4]])).plot()


def test_secant_joins_the_ends_of_the_window():
    display = RocSecantDisplay.from_predictions(Y, S, window=(3.5, 6.5)).plot()
    # above 6.5: two of four positives, no negative; above 3.5: three of four and two of four
    x, y = display.lines_[1].get_data()
    assert np.column_stack([x, y]).tolist() == [[0, 0.5], [0.5, 0.75]]
    expected = reliable_roc(Y, S, point_a=(0, 0.5), point_b=(0.5, 0.75))
    assert display.decided.auc == pytest.approx(expected.auc)
    assert display.lines_[2].get_xdata() == pytest.approx(expected.fpr)
    with pytest.raises(InputError, match="must abstain on some score"):
        RocSecantDisplay.from_predictions(Y, S, window=(3.5, 3.5))


def test_window_display_of_a_window_of_your_own():
    frame = WindowDisplay.from_predictions(Y, S, window=(3.5, 6.5)).plot().frame()
    inside = frame["decision"] == "abstain"
    assert (frame["positive"] + frame["negative"])[inside].sum() == pytest.approx(3 / 8)
    with pytest.raises(InputError, match="`window` replaces"):
        WindowDisplay.from_predictions(Y, S, window=(3.5, 6.5), mu=1, nu=0.2)
