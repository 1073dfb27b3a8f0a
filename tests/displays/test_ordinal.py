"""Ordinal figures: what `frame()` says was drawn, against the results and brute force."""

import math

import matplotlib.pyplot as plt
import numpy as np
import pytest

from demur import DemurError, InputError, UndefinedError, ordinal_roc
from demur.displays import (
    OrdinalMeasuresDisplay,
    OrdinalSurfaceDisplay,
    OrdinalThresholdsDisplay,
    SeparabilityDisplay,
)
from demur.ordinal import ordinal_thresholds, ranking_experiment, separability_experiment

RANKINGS = ranking_experiment(n_rankings=40, level_counts=(4, 9, 6), rng=0)
DISTANCES = separability_experiment(n_levels=[2, 3], distances=[0, 1, 2], n_per_level=20, n_runs=2, rng=0)


@pytest.fixture(autouse=True)
def _closed_figures():
    yield
    plt.close("all")


def scored(n=60, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 3
    return y, np.round(y + rng.normal(size=n), 1)


def volume(drawn):
    sides = (drawn["low_to"] - drawn["low_from"]) * (drawn["high_to"] - drawn["high_from"])
    return float((sides * drawn["height"]).sum())


FIGURES = {
    "surface": lambda: OrdinalSurfaceDisplay.from_predictions(*scored()).plot(),
    "infinite": lambda: OrdinalSurfaceDisplay.from_predictions([0, 1, 2], [-math.inf, 0, math.inf]).plot(),
    "cuts": lambda: OrdinalThresholdsDisplay.from_predictions(*scored()).plot(),
    "gaps": lambda: OrdinalThresholdsDisplay.from_predictions(*scored(), cost_abstain=0.3).plot(),
    "gaps, infinite": lambda: OrdinalThresholdsDisplay.from_predictions(
        [0, 1, 2, 2], [-math.inf, 0, 1, math.inf], cost_abstain=0.3
    ).plot(),
    "measures": lambda: OrdinalMeasuresDisplay(result=RANKINGS).plot(),
    "separability": lambda: SeparabilityDisplay(result=DISTANCES).plot(),
}


@pytest.mark.parametrize("kind", FIGURES)
def test_every_figure_is_whole_and_its_frame_is_a_table(kind):
    display = FIGURES[kind]()
    figure = display.figure_
    figure.canvas.draw()
    box = figure.get_tightbbox(figure.canvas.get_renderer())
    width, height = figure.get_size_inches()
    assert min(box.x0, box.y0) >= -0.02
    assert max(box.x1 - width, box.y1 - height) <= 0.02
    drawn = display.frame()
    assert len({len(column) for column in drawn.values()}) == 1
    numbers = [column for column in drawn.values() if column.dtype.kind != "U"]
    assert all(np.isfinite(column).all() for column in numbers)


def test_drawn_staircase_has_the_exact_volume():
    y, s = scored()
    found = ordinal_roc(y, s)
    display = OrdinalSurfaceDisplay.from_result(found.surface()).plot()
    assert volume(display.frame()) == pytest.approx(found.vus("strict"), abs=1e-14)
    assert f"volume {found.vus('strict'):.3f} (dashed: guessing, 0.167)" == display.ax_.get_title()
    assert "guessing" not in display.plot(chance=False).ax_.get_title()
    assert len(display.ax_.lines) == 0


def test_long_staircases_are_drawn_from_below():
    y, s = scored(600)
    found = ordinal_roc(y, s)
    display = OrdinalSurfaceDisplay(result=found.surface()).plot(steps=12)
    drawn = display.frame()
    assert len(drawn["height"]) == 144
    for u, v, height in zip(drawn["low_to"], drawn["high_to"], drawn["height"], strict=True):
        assert height == pytest.approx(display.result.height(u, v), abs=1e-14)
    assert found.vus("strict") - 0.2 < volume(drawn) <= found.vus("strict")


def test_levels_are_named_on_the_axes():
    words = ["none", "mild", "severe"]
    y, s = scored()
    ax = OrdinalSurfaceDisplay.from_predictions([words[k] for k in y], s, order=words).plot().ax_
    assert ax.get_xlabel() == "share of none recognised"
    assert ax.get_ylabel() == "share of severe recognised"
    assert ax.get_zlabel() == "best share of mild"


def test_scatter_matrix_against_the_result():
    display = OrdinalMeasuresDisplay(result=RANKINGS).plot(bins=7)
    drawn = display.frame()
    assert all(
        np.array_equal(drawn[name], getattr(RANKINGS, name)) for name in ("vus", "cons", "ovo", "pairs")
    )
    assert display.ax_.shape == (4, 4)
    line = display.ax_[2, 1].lines[0]
    assert np.array_equal(line.get_xydata(), np.column_stack([RANKINGS.cons, RANKINGS.ovo]))
    bars = display.ax_[3, 3].patches
    assert sum(bar.get_height() for bar in bars) == 40
    words = display.ax_[0, 2].texts[0].get_text()
    assert f"{RANKINGS.correlations[0, 2]:.3f}" in words
    assert f"{RANKINGS.agreement('vus', 'ovo').discordant:.1%}" in words


def test_separability_lines_are_exact_and_points_are_means():
    display = SeparabilityDisplay(result=DISTANCES).plot()
    axes = display.ax_[0, 1]
    line, points = axes.lines[2], axes.lines[3]
    assert np.array_equal(line.get_xydata(), np.column_stack([DISTANCES.true_ovo[1], DISTANCES.true_vus[1]]))
    assert np.array_equal(points.get_xydata(), np.column_stack([DISTANCES.ovo[1], DISTANCES.vus[1]]))
    drawn = display.frame()
    assert np.array_equal(drawn["cons"][drawn["n_levels"] == 3], DISTANCES.cons[1])


def test_given_axes_are_used():
    figure, ax = plt.subplots(4, 4)
    assert OrdinalMeasuresDisplay(result=RANKINGS).plot(ax).figure_ is figure
    figure, ax = plt.subplots(1, 3)
    assert SeparabilityDisplay(result=DISTANCES).plot(ax).ax_[0, 2] is ax[2]
    ax = plt.figure().add_subplot(projection="3d")
    assert OrdinalSurfaceDisplay.from_predictions(*scored()).plot(ax).ax_ is ax


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: OrdinalSurfaceDisplay(result=3), "`result` must be an OrdinalSurface, got int."),
        (lambda: FIGURES["surface"]().plot(steps=0), "`steps` must be a whole number of at least 1"),
        (lambda: FIGURES["surface"]().plot(plt.subplots()[1]), "`ax` must be three-dimensional, got Axes."),
        (lambda: OrdinalMeasuresDisplay(result=RANKINGS).plot(bins=0), "`bins` must be a whole number"),
        (
            lambda: OrdinalMeasuresDisplay(result=RANKINGS).plot(plt.subplots()[1]),
            "`ax` must hold 4 x 4 axes",
        ),
        (lambda: SeparabilityDisplay(result=RANKINGS), "`result` must be a SeparabilityExperiment"),
    ],
)
def test_error_sentences(call, message):
    with pytest.raises(InputError) as caught:
        call()
    assert message in str(caught.value)


def test_undefined_figures():
    with pytest.raises(UndefinedError, match="drawn for 3 levels, got 2"):
        OrdinalSurfaceDisplay.from_predictions([0, 1], [1, 2])
    with pytest.raises(DemurError, match="Nothing is drawn yet"):
        OrdinalMeasuresDisplay(result=RANKINGS).frame()


def test_levels_and_gaps_on_the_score_axis():
    y, score = scored()
    found = ordinal_thresholds(y, score, cost_abstain=0.3)
    display = OrdinalThresholdsDisplay.from_result(found).plot()
    drawn = display.frame()
    for level in range(3):
        own = drawn["level"] == str(level)
        x, share = drawn["score"][own], drawn["share"][own]
        for at, value in zip(x, share, strict=True):
            assert value == pytest.approx(np.mean(score[y == level] <= at))
    # the strip covers the axis and says what the rule does
    low, high = display.ax_.get_xlim()
    ends = [low, *(stop for _, stop, _ in display.intervals_)]
    assert [start for start, _, _ in display.intervals_] == ends[:-1]
    assert ends[-1] == high
    for start, stop, action in display.intervals_:
        assert found.decide([(start + stop) / 2]).tolist() == [action]
    assert len(display.bands_) == sum(action == -1 for *_, action in display.intervals_) == 2
    assert "hindsight" in display.ax_.get_legend().get_title().get_text()
