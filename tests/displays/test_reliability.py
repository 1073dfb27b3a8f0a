"""The reliability diagram draws its result and nothing else."""

import matplotlib.pyplot as plt
import numpy as np
import pytest

from demur import InputError, roc_curve
from demur.calibration import reliability_curve
from demur.displays import ReliabilityDisplay

Y = np.array([0, 0, 1, 0, 1, 1, 0, 1, 1, 1])
P = np.array([0.1, 0.2, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.9, 0.9])


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


def test_drawn_numbers_are_those_of_the_result():
    curve = reliability_curve(Y, P)
    display = ReliabilityDisplay.from_predictions(Y, P).plot(n_resamples=50, rng=3)
    band = curve.consistency_band(n_resamples=50, rng=3)
    drawn = display.frame()
    line, area = drawn["part"] == "curve", drawn["part"] == "band"
    assert drawn["forecast"][line].tolist() == curve.forecast.tolist()
    assert drawn["observed"][line].tolist() == curve.observed.tolist()
    assert drawn["low"][area].tolist() == band.low.tolist()
    assert drawn["high"][area].tolist() == band.high.tolist()
    assert display.lines_[0].get_ydata().tolist() == curve.observed.tolist()
    corners = display.bands_[0].get_paths()[0].vertices
    assert set(band.high.tolist()) <= set(corners[:, 1].tolist())
    heights = np.array([bar.get_height() for bar in display.bars_[0]])
    weights = np.histogram(P, bins=40, range=(0, 1))[0]
    assert heights / heights.max() == pytest.approx(weights / weights.max())


def test_several_models_have_names_and_no_band():
    display = ReliabilityDisplay(
        result={"a": reliability_curve(Y, P), "b": reliability_curve(Y, 1 - P)}
    ).plot(bars=False)
    assert display.bands_ == display.bars_ == []
    assert set(display.frame()["model"]) == {"a", "b"}
    words = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert words[0] == "calibrated"
    assert words[1].startswith("a: Brier")


def test_legend_lies_below_the_data():
    display = ReliabilityDisplay.from_predictions(Y, P).plot(n_resamples=20)
    display.figure_.canvas.draw()
    legend = display.ax_.get_legend().get_window_extent()
    assert legend.y1 <= display.ax_.get_window_extent().y0


def test_other_results_are_refused():
    with pytest.raises(InputError, match="must be a ReliabilityCurve"):
        ReliabilityDisplay(result=roc_curve(Y, P))
