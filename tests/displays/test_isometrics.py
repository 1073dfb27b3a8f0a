"""Figures of isometrics and reliable designs: every drawn number against the result it shows."""

import numpy as np
import pytest

from demur import DemurError, FMeasure, InputError, Precision, ScoreCounts, reliable_window
from demur.displays import IsometricDisplay, ReliableWindowDisplay
from demur.roc import isometric, isometric_grid

COUNTS = ScoreCounts.from_counts([-0.9, -0.5, 0.0, 0.4, 0.8], [0, 1, 1, 2, 2], [2, 1, 2, 1, 0])


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    import matplotlib.pyplot as plt

    plt.close("all")


def drawn(artist):
    return np.column_stack(artist.get_data())


def points(display, part):
    frame = display.frame()
    rows = frame["part"] == part
    return np.column_stack([frame["fpr"][rows], frame["tpr"][rows]]).tolist()


@pytest.mark.parametrize(
    ("metric", "extra"), [("precision", {}), ("f_measure", {"alpha": 1.0}), ("gm_estimate", {"m": 0.1})]
)
def test_grids_of_figures_1_to_3_against_paper(metric, extra):
    display = IsometricDisplay.from_metric(metric, skew=1, **extra).plot()
    assert len(display.lines_) == 18
    for side, artists in (("positive", display.lines_[:9]), ("negative", display.lines_[9:])):
        for value, artist in zip(np.arange(1, 10) / 10, artists, strict=True):
            line = isometric(metric, side, value, skew=1, **extra)
            fpr, tpr = drawn(artist).T
            assert tpr == pytest.approx(line.slope * fpr + line.intercept, abs=1e-9)
            assert (artist.get_linestyle() == "-") == (side == "positive")
    frame = display.frame()
    assert {len(column) for column in frame.values()} == {18}
    assert frame["slope"][0] == isometric(metric, "positive", 0.1, skew=1, **extra).slope
    assert display.ax_.get_xlabel() == "false positive rate"
    # one number per line, none outside the axes
    labels = [text for text in display.ax_.texts if text.get_text()]
    assert len(labels) == 18
    assert all(0 <= at <= 1 for text in labels for at in text.get_position())


def test_lines_outside_the_square_are_left_out():
    display = IsometricDisplay.from_result(isometric_grid("gm", skew=1, m=0.1, values=[0.5, 1])).plot()
    assert len(display.lines_) == 2
    assert display.frame()["value"].tolist() == [0.5, 0.5]


def test_design_of_figure_5():
    window = reliable_window(COUNTS, positive=Precision(0.9), negative=Precision(0.9))
    display = ReliableWindowDisplay.from_result(window).plot()
    frame = display.frame()
    assert {len(column) for column in frame.values()} == {len(frame["part"])}
    assert points(display, "hull") == np.column_stack([window.hull.fpr, window.hull.tpr]).tolist()
    a, b = [window.a.fpr, window.a.tpr], [window.b.fpr, window.b.tpr]
    assert (points(display, "a"), points(display, "b")) == ([a], [b])
    assert points(display, "abstained") == [a, [window.hull.fpr[2], window.hull.tpr[2]], b]
    abstained, decided = display.lines_
    assert drawn(abstained).tolist() == points(display, "abstained")
    curve = window.roc()
    assert drawn(decided).tolist() == np.column_stack([curve.fpr, curve.tpr]).tolist()
    assert points(display, "decided point") == [list(curve.point)]
    assert points(display, "positive isometric") == window.isometrics[0].segment().tolist()
    assert display.ax_.get_title(loc="left") == "Case 3: abstain on 54% between a and b"
    words = [text.get_text() for text in display.ax_.texts]
    assert "53% of positives" in words
    assert "55% of negatives" in words


def test_three_cases_of_figure_4_on_given_axes():
    import matplotlib.pyplot as plt

    _, axes = plt.subplots(1, 3)
    counts = ScoreCounts.from_counts([1, 2], [1, 3], [3, 1])
    titles = []
    for ax, target in zip(axes, (0.75, 0.6, 0.9), strict=True):
        promise = {"positive": Precision(target), "negative": Precision(target)}
        display = ReliableWindowDisplay.from_result(reliable_window(counts, **promise))
        assert display.plot(ax, new_curve=False, legend=False).ax_ is ax
        assert points(display, "decided") == []
        assert ax.get_legend() is None
        window = display.result
        in_use = [] if window.case == 3 else [[window.positive_cut.fpr, window.positive_cut.tpr]]
        assert points(display, "in use") == in_use
        titles.append(ax.get_title(loc="left")[:6])
    assert titles == ["Case 1", "Case 2", "Case 3"]


def test_no_curve_without_decided_cases():
    promise = {"positive": Precision(0.9), "negative": Precision(0.9)}
    display = ReliableWindowDisplay.from_predictions([0, 1], [1, 1], **promise).plot()
    assert points(display, "decided") == []
    assert "100%" in display.ax_.get_title(loc="left")


def test_promises_that_exclude_each_other_are_said_in_the_title():
    promise = {"positive": FMeasure(0.6), "negative": FMeasure(0.6)}
    display = ReliableWindowDisplay.from_predictions([0, 1], [1, 1], **promise).plot()
    assert display.ax_.get_title(loc="left") == "No point keeps both promises"
    assert points(display, "in use") == []


def test_error_sentences():
    window = reliable_window(COUNTS, positive=Precision(0.9), negative=Precision(0.9))
    with pytest.raises(InputError, match="`result` must be an IsometricGrid"):
        IsometricDisplay.from_result(window).plot()
    with pytest.raises(InputError, match="`result` must be a ReliableWindow"):
        ReliableWindowDisplay.from_result(isometric_grid("precision", skew=1)).plot()
    with pytest.raises(DemurError, match="call plot"):
        ReliableWindowDisplay.from_result(window).frame()
