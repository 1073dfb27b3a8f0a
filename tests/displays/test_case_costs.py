"""The figure of the money by score shows the sums of its costs."""

import math

import numpy as np
import pytest

from demur import InputError, ScoreCosts, UndefinedError
from demur.displays import CaseCostsDisplay

plt = pytest.importorskip("matplotlib.pyplot")
HAND = ScoreCosts.from_arrays(
    [0.1, 0.2, 0.3, 0.4, 0.6, 0.9],
    miss=[0, 0, 40, 0, 0, 900],
    alarm=[25, 25, 0, 25, 25, 0],
    review=4,
)


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


def many(n=500):
    rng = np.random.default_rng(0)
    positive = rng.random(n) < 0.3
    scores = rng.normal(size=n) + positive
    scores[:3] = np.inf
    return ScoreCosts.from_arrays(
        scores, miss=rng.lognormal(3, 1, n) * positive, alarm=5.0 * ~positive, review=2
    )


def test_bars_of_single_scores_by_hand():
    display = CaseCostsDisplay.from_result(HAND).plot()
    drawn = display.frame()
    assert drawn["low"].tolist() == [0.3, 0.4, 0.6, 0.9]  # below, nothing is at stake
    assert drawn["decision"].tolist() == ["abstain"] * 3 + ["positive"]
    per_case = {name: (drawn[name] * HAND.n / 1000).round(9).tolist() for name in display.bars_}
    assert per_case == {
        "saved": [40, 0, 0, 900],
        "missed": [0, 0, 0, 0],
        "alarms": [0, 0, 0, 0],
        "reviews": [4, 4, 4, 0],
    }
    for name, bars in display.bars_.items():
        sign = 1 if name == "saved" else -1
        assert [bar.get_height() for bar in bars] == pytest.approx((sign * drawn[name]).tolist())


@pytest.mark.parametrize("bins", [1, 7, 40, 1000])
def test_money_adds_up_to_the_window(bins):
    costs = many()
    display = CaseCostsDisplay.from_result(costs).plot(bins=bins)
    drawn, window = display.frame(), display.window
    assert drawn["missed"].sum() == pytest.approx(1000 * window.miss)
    assert drawn["alarms"].sum() == pytest.approx(1000 * window.alarm)
    assert drawn["reviews"].sum() == pytest.approx(1000 * window.review)
    always_negative = costs.trivial["always negative"]
    assert drawn["saved"].sum() == pytest.approx(1000 * (always_negative - window.miss))
    texts = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert sum("at infinity" in text for text in texts) >= 1


def test_a_window_of_other_data_and_given_axes():
    figure, ax = plt.subplots()
    window = HAND.of_window(-math.inf, 0.5)
    display = CaseCostsDisplay(result=HAND, window=window).plot(ax)
    assert display.figure_ is figure
    assert display.ax_ is ax
    assert set(display.frame()["decision"]) == {"abstain", "positive"}
    assert display.frame()["alarms"].sum() == pytest.approx(1000 * 25 / 6)


def test_bins_are_drawn_where_they_lie():
    bins = many().binned(at_most=60)
    drawn = CaseCostsDisplay.from_result(bins).plot().frame()
    assert drawn["reviews"].sum() == pytest.approx(1000 * bins.window().review)
    several = int(np.flatnonzero(bins.scores < bins.upper_scores)[0])
    inside = (float(bins.scores[several]) + float(bins.upper_scores[several])) / 2
    with pytest.raises(UndefinedError, match="inside a bin"):
        CaseCostsDisplay(result=bins, window=many().of_window(inside, inside))


def test_error_sentences():
    with pytest.raises(InputError, match="`result` must be a ScoreCosts, got list"):
        CaseCostsDisplay(result=[1])
    with pytest.raises(InputError, match="`window` must be a AbstentionWindow, got tuple"):
        CaseCostsDisplay(result=HAND, window=(0, 1))
    with pytest.raises(InputError, match="`bins` must be"):
        CaseCostsDisplay(result=HAND).plot(bins=0)
