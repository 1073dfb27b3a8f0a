"""Figures of REC curves: what is drawn is what the results say."""

import matplotlib.pyplot as plt
import numpy as np
import pytest

from demur import DemurError, InputError, rec_curve
from demur.displays import RecCoverageDisplay, RecCurveDisplay, ReviewCurveDisplay, ReviewSurfaceDisplay
from demur.regression import (
    excess_losses,
    null_rec_curve,
    rec_band,
    rec_coverage_curve,
    regression_errors,
    review_curve,
    review_surface,
)


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


def data(n=40):
    rng = np.random.default_rng(0)
    y = rng.normal(size=n)
    return y, {"close": y + 0.2 * rng.normal(size=n), "far": y + 0.6 * rng.normal(size=n)}


def test_the_drawn_curves_are_the_steps_and_the_null_is_grey_and_ends_the_axis():
    y, models = data()
    display = RecCurveDisplay.from_predictions(y, models).plot()
    null = null_rec_curve(y)
    drawn = display.frame()
    for name, prediction in models.items():
        curve = rec_curve(y, prediction)
        x = drawn["tolerance"][drawn["model"] == name]
        acc = drawn["accuracy"][drawn["model"] == name]
        # element 2k + 1, 2k + 2 are the foot and the head of the step at the k-th error
        assert np.array_equal(x[1:-1:2], curve.tolerance[curve.tolerance <= null.max_tolerance])
        assert np.array_equal(acc[2:-1:2], curve.accuracy[curve.tolerance <= null.max_tolerance])
    assert display.lines_[-1].get_color() == "#999999"
    assert display.ax_.get_xlim()[1] == pytest.approx(1.01 * null.tolerance[-1])
    shorter = RecCurveDisplay.from_predictions(y, models).plot(null_accuracy=0.5)
    assert shorter.ax_.get_xlim()[1] == pytest.approx(1.01 * null.tolerance_at(0.5))
    labels = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert labels[0] == f"close ({rec_curve(y, models['close']).aoc:.4g})"
    assert labels[-1] == f"null model ({null.aoc:.4g})"


def test_bands_are_those_of_the_result():
    y, models = data()
    display = RecCurveDisplay.from_predictions(y, models["close"]).plot(confidence_level=0.9)
    band = rec_band(rec_curve(y, models["close"]), confidence_level=0.9)
    (shade,) = display.bands_
    heights = shade.get_paths()[0].vertices[:, 1]
    for value in (*band.low, *band.high):
        assert np.abs(heights - value).min() < 1e-12


def test_a_large_curve_is_thinned_to_points_of_itself():
    e = np.random.default_rng(1).random(50_000)
    curve = rec_curve(np.zeros(50_000), e)
    display = RecCurveDisplay.from_result(curve).plot()
    drawn = display.frame()
    assert len(drawn["tolerance"]) <= 4000
    # a corner of a step: its height is the share up to its error, or up to the one before
    share, before = curve.accuracy_at(drawn["tolerance"]), curve.accuracy_at(drawn["tolerance"]) - 1 / 50_000
    nearest = np.minimum(np.abs(drawn["accuracy"] - share), np.abs(drawn["accuracy"] - before))
    assert nearest.max() < 1e-9


def test_coverage_shows_the_tolerance_or_the_area():
    y, models = data()
    confidence = -np.abs(models["far"])
    found = rec_coverage_curve(y, models["close"], confidence)
    display = RecCoverageDisplay.from_result(found).plot(accuracy=0.8)
    rows = display.frame()["model"] == "model"
    assert np.array_equal(display.frame()["tolerance"][rows], found.tolerance_at(0.8))
    assert len(display.lines_) == 2
    area = RecCoverageDisplay(result={"a": found, "b": found}).plot(accuracy=None)
    assert np.array_equal(area.frame()["aoc"][: len(found.aoc)], found.aoc)
    assert len(area.lines_) == 2
    assert "AOC" in area.ax_.get_ylabel()


def test_a_perfect_model_of_a_constant_has_axes_too():
    display = RecCurveDisplay.from_predictions([2.0, 2.0], [2.0, 2.0]).plot()
    assert display.ax_.get_xlim() == pytest.approx((-0.01, 1.01))
    assert display.frame()["accuracy"].max() == 1


def test_given_axes_are_used():
    y, models = data()
    _, ax = plt.subplots()
    assert RecCurveDisplay.from_predictions(y, models).plot(ax, max_tolerance=0.5).ax_ is ax


CURVE = rec_curve([1.0, 2.0], [1.5, 2.0])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: RecCurveDisplay(result=3), "`result` must be a RecCurve"),
        (lambda: RecCurveDisplay(result={}), "a mapping with at least one"),
        (lambda: RecCurveDisplay(result={"a": CURVE, "b": 3}), r"`result\['b'\]` must be a RecCurve"),
        (lambda: RecCurveDisplay(result=CURVE, null=3), "`null` must be a RecCurve"),
        (
            lambda: RecCurveDisplay(result=CURVE, null=rec_curve([1.0], [2.0], loss="squared")),
            "must hold curves of one loss",
        ),
        (lambda: RecCurveDisplay(result=CURVE).plot(max_tolerance=0), "`max_tolerance` must be positive"),
        (lambda: RecCurveDisplay(result=CURVE).plot(confidence_level=2), "`confidence_level` must lie"),
        (lambda: RecCoverageDisplay(result=CURVE), "`result` must be a RecCoverage"),
    ],
)
def test_error_sentences(call, message):
    with pytest.raises(InputError, match=message):
        call()


def test_nothing_drawn_yet():
    with pytest.raises(DemurError, match="call plot"):
        RecCurveDisplay(result=CURVE).frame()


def test_reviews_are_drawn_with_the_least_cost_at_a_price():
    y, models = data()
    spread = np.random.default_rng(2).random(40)
    display = ReviewCurveDisplay.from_predictions(y, models, spread, tolerance=0.1).plot(cost_review=0.3)
    drawn = display.frame()
    for name, prediction in models.items():
        curve = review_curve(excess_losses(y, prediction, tolerance=0.1), spread)
        own = drawn["model"] == name
        assert np.array_equal(drawn["reviews"][own], curve.reviews[::-1])
        assert np.array_equal(drawn["loss"][own], curve.loss[::-1])
        share, loss = display.cheapest_[name]
        assert loss + 0.3 * share == pytest.approx(curve.cost(0.3))
        assert share == curve.reviews_at(0.3)
    assert display.ax_.get_ylim()[0] == 0
    assert ReviewCurveDisplay.from_predictions(y, models, spread).plot().cheapest_ == {}
    gains = ReviewCurveDisplay.from_result(review_curve([-1, 2, -3], [1, 2, 3])).plot()
    assert gains.ax_.get_ylim()[0] < 0
    with pytest.raises(InputError, match="`cost_review` must not be negative"):
        display.plot(cost_review=-1)


def test_the_surface_of_reviews_is_that_of_the_result():
    y, models = data(60)
    spread = np.random.default_rng(2).random(60)
    grid = {"tolerances": [0.0, 0.2], "prices": [0.1, 0.3, 0.5]}
    surface = review_surface(regression_errors(y, models["far"]), spread, **grid)
    display = ReviewSurfaceDisplay.from_predictions(y, models["far"], spread, **grid)
    drawn = display.frame()
    assert np.array_equal(drawn["saving"], surface.saving.ravel())
    assert np.array_equal(display.mesh_.get_array(), surface.saving.T)
    assert drawn["price"].tolist() == [0.1, 0.3, 0.5] * 2
    with pytest.raises(InputError, match="must have two tolerances and two prices"):
        ReviewSurfaceDisplay.from_predictions(y, models["far"], spread, tolerances=[0.1])
