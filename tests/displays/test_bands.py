"""Figures of bands: what is drawn is what the result holds."""

import numpy as np
import pytest

from demur import (
    Binormal,
    InputError,
    cost_curve_band,
    cost_line,
    roc_band,
    surface_band,
    surface_difference_band,
)
from demur.datasets.binormal import paired_binormal_sample
from demur.displays import CostCurveBandDisplay, RocBandDisplay, SignificanceMapDisplay, SurfaceBandDisplay
from demur.exceptions import DemurError

Y, S = Binormal().sample(200, rng=0)


@pytest.fixture(autouse=True)
def _close_figures():
    import matplotlib.pyplot as plt

    yield
    plt.close("all")


def labels(display):
    return [text.get_text() for text in display.ax_.get_legend().get_texts()]


def test_slices_of_a_surface_show_the_band_at_the_nearest_mu():
    band = surface_band(Y, S, resolution=10, rng=0, n_resamples=50)
    display = SurfaceBandDisplay.from_result(band).plot(mu=[0.22, 1.0])
    drawn = display.frame()
    assert np.unique(drawn["mu"]).tolist() == pytest.approx([0.2, 1.0])
    assert drawn["high"] == pytest.approx(np.concatenate([band.high[2], band.high[10]]))
    honest, hindsight = display.lines_[:2]
    assert honest.get_ydata() == pytest.approx(band.honest[2])
    assert hindsight.get_ydata() == pytest.approx(band.hindsight[2])
    corners = display.bands_[0].get_paths()[0].vertices
    assert corners[:, 1].max() == pytest.approx(band.high[2].max())
    assert len({len(column) for column in drawn.values()}) == 1
    assert "mu = 0.2: 95 % band, all points" in labels(display)


def test_map_shows_the_decided_differences_and_hatches_the_rest():
    y, a, b = paired_binormal_sample(Binormal(separation=2.0), Binormal(), n=400, correlation=0.6, rng=0)
    band = surface_difference_band(y, a, b, resolution=8, rng=0, n_resamples=100)
    display = SignificanceMapDisplay.from_result(band).plot(names=("new", "old"))
    shown = display.map_.get_array()
    assert np.array_equal(np.ma.getmaskarray(shown).T, band.decision == 0)
    assert shown.compressed() == pytest.approx(band.difference.T[(band.decision != 0).T])
    assert display.undecided_.get_hatch() == "////"
    low, high = display.map_.get_clim()
    assert -low == high == pytest.approx(np.abs(band.difference).max())
    assert labels(display)[0] == f"new cheaper ({100 * band.a_better_share:.0f} % of the costs)"
    assert "new minus cost of old" in display.colorbar_.ax.get_ylabel()
    frame = display.frame()
    assert frame["decision"] == pytest.approx(band.decision.ravel())
    assert frame["mu"][:9] == pytest.approx(0)


def test_map_of_identical_models_is_all_hatched():
    display = SignificanceMapDisplay.from_predictions(Y, S, S, resolution=5, rng=0).plot()
    assert np.ma.getmaskarray(display.map_.get_array()).all()
    assert labels(display)[-1] == "undecided (100 %)"


def test_roc_figure_shows_curve_band_and_crosses():
    band = roc_band(Y, S)
    display = RocBandDisplay.from_result(band).plot(crosses=4)
    assert display.line_.get_xydata() == pytest.approx(np.column_stack([band.fpr, band.tpr]))
    assert display.frame()["low"] == pytest.approx(band.low)
    bars = display.crosses_[2]
    assert len(bars[0].get_segments()) == 4
    corners = display.band_.get_paths()[0].vertices
    assert (corners[:, 1].min(), corners[:, 1].max()) == (0, 1)
    assert display.plot(crosses=0).crosses_ is None


def test_cost_curve_figures_of_an_envelope_and_of_a_line():
    display = CostCurveBandDisplay.from_predictions(Y, S, rng=0).plot()
    assert [line.get_label() for line in display.lines_] == ["honest", "with hindsight"]
    assert display.lines_[0].get_ydata() == pytest.approx(display.result.honest)
    line = cost_curve_band(cost_line(0.1, 0.3, n_positive=60, n_negative=100))
    display = CostCurveBandDisplay.from_result(line).plot()
    assert [drawn.get_label() for drawn in display.lines_] == ["cost"]
    assert display.frame()["pc"] == pytest.approx(line.pc)


def test_figures_are_drawn_on_given_axes():
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 2)
    display = RocBandDisplay.from_predictions(Y, S).plot(axes[0])
    assert display.ax_ is axes[0]
    assert display.figure_ is figure
    surface = SurfaceBandDisplay.from_predictions(Y, S, rng=0).plot(axes[1])
    assert surface.ax_ is axes[1]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: RocBandDisplay(result=3), "`result` must be a RocBand, got int"),
        (lambda: SurfaceBandDisplay.from_result(roc_band(Y, S)), "`result` must be a SurfaceBand"),
        (lambda: RocBandDisplay.from_predictions(Y, S).plot(crosses=-1), "`crosses` must be a whole number"),
        (lambda: SurfaceBandDisplay.from_predictions(Y, S).plot(mu=[0.1] * 4), "`mu` must be one to three"),
        (lambda: SurfaceBandDisplay.from_predictions(Y, S).plot(mu=-1), "`mu` must not be negative"),
    ],
)
def test_error_sentences(call, message):
    with pytest.raises(InputError, match=message):
        call()


def test_nothing_drawn_says_what_to_do():
    with pytest.raises(DemurError, match="call plot"):
        RocBandDisplay.from_result(roc_band(Y, S)).frame()
