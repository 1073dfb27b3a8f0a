"""Figures of confident segments and AUC bounds: what is drawn can be read back and is right."""

import numpy as np
import pytest

pytest.importorskip("matplotlib")
import matplotlib.pyplot as plt

from demur import DemurError, InputError, auc_bounds, confident_segment
from demur.displays import (
    AucBoundsDisplay,
    BoundGapDisplay,
    ConfidentSegmentDisplay,
    IsoDiscriminabilityDisplay,
    SegmentComparisonDisplay,
    TangoIntervalDisplay,
)
from demur.roc import roc_point_index

Y = [1, 0, 1, 1, 0, 0, 1, 0, 0, 0, 0, 0]
S = [0.9, 0.8, 0.7, 0.7, 0.6, 0.5, 0.4, 0.4, 0.3, 0.2, 0.2, 0.1]


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


def many_cases():
    rng = np.random.default_rng(2)
    y = (np.arange(600) < 40).astype(int)
    return y, rng.normal(size=600) + 1.5 * y


def stump():
    return confident_segment([1] * 10 + [0] * 90, [0.7] * 8 + [0.3] * 2 + [0.7] * 40 + [0.3] * 50)


def legend_words(display):
    return [text.get_text() for text in display.ax_.get_legend().get_texts()]


# ---------------------------------------------------------------- confident segments


def test_segment_is_drawn_bold_with_its_area():
    part = confident_segment(Y, S)
    display = ConfidentSegmentDisplay.from_result(part).plot()
    assert display.segments_[0].get_xydata() == pytest.approx(part.segment)
    assert display.lines_[0].get_xydata() == pytest.approx(part.points)
    # the shaded polygon has exactly the area it is labelled with (shoelace)
    x, y = display.region_.get_xy().T
    assert abs(np.sum(x[:-1] * y[1:] - x[1:] * y[:-1])) / 2 == pytest.approx(part.cauc)
    assert legend_words(display)[0] == "confident at 5 of 10 points, CAUC 0.531"
    drawn = display.frame()
    assert drawn["confident"].tolist() == part.confident.tolist()
    assert {len(column) for column in drawn.values()} == {10}


def test_several_curves_share_axes_and_frame():
    members = {"good": confident_segment(Y, S), "stump": stump()}
    figure, ax = plt.subplots()
    display = ConfidentSegmentDisplay(result=members).plot(ax)
    assert display.ax_ is ax
    assert display.figure_ is figure
    assert display.region_ is None
    assert legend_words(display)[1] == "stump: no confident point"
    drawn = display.frame()
    assert np.count_nonzero(drawn["model"] == "good") == 10
    assert not drawn["confident"][drawn["model"] == "stump"].any()


def test_empty_segment_has_no_region():
    display = ConfidentSegmentDisplay.from_result(stump()).plot()
    assert display.region_ is None
    assert len(display.segments_[0].get_xydata()) == 0


def test_few_intervals_are_bars():
    display = TangoIntervalDisplay.from_predictions(Y, S).plot()
    part = display.result
    bars = [bar for group in display.ax_.collections for bar in group.get_segments()]
    ends = {(round(bar[0][0], 6), round(bar[0][1], 6), round(bar[1][1], 6)) for bar in bars}
    finite = slice(1, None)
    expected = zip(part.thresholds[finite], part.low[finite], part.high[finite], strict=True)
    assert ends == {tuple(round(value, 6) for value in row) for row in expected}
    assert display.frame()["threshold"].tolist() == part.thresholds[finite].tolist()


def test_thresholds_that_lie_close_together_are_written_in_full():
    s = 1 - 1e-6 * np.array([9, 7, 4, 5, 3, 1])
    display = TangoIntervalDisplay.from_predictions([0, 0, 0, 1, 1, 1], s)
    display.figure_.canvas.draw()
    assert display.ax_.xaxis.get_offset_text().get_text() == ""
    labels = [each.get_text() for each in display.ax_.get_xticklabels()]
    assert any(label.startswith("0.99999") for label in labels)


def test_confident_only_keeps_the_intervals_with_zero():
    display = TangoIntervalDisplay.from_predictions(Y, S, confidence_level=0.9).plot(
        confident_only=True, title="forest"
    )
    drawn = display.frame()
    assert (drawn["low"] <= 0).all()
    assert (drawn["high"] >= 0).all()
    assert len(drawn["low"]) == display.result.n_confident
    assert legend_words(display) == ["confident: the 90 % interval contains 0"]
    assert display.ax_.get_title() == "forest"
    empty = TangoIntervalDisplay(result=stump()).plot(confident_only=True)
    assert [text.get_text() for text in empty.ax_.texts] == ["no confident point"]
    only_inf = TangoIntervalDisplay.from_predictions([1] * 2 + [0] * 60, [1.0] * 62).plot(confident_only=True)
    assert [text.get_text() for text in only_inf.ax_.texts] == ["no confident point at a finite threshold"]


def test_many_intervals_are_steps_that_keep_every_value():
    y, s = many_cases()
    display = TangoIntervalDisplay.from_predictions(y, s).plot()
    part = display.result
    lines = [line for line in display.ax_.lines if line is not display.zero_]
    assert len(lines) == 3  # without 0, with 0, without 0
    # a threshold between two scores makes the errors of the next score above
    for line in lines:
        x, values = line.get_data()
        for at, left, value in zip(x[1:], x[:-1], values[1:], strict=True):
            middle = (at + left) / 2
            errors = np.sum((s < middle) & (y == 1)) - np.sum((s >= middle) & (y == 0))
            assert value == pytest.approx(errors / 600)
    assert len(display.frame()["low"]) == len(part.thresholds) - 1
    # no stretch of thresholds is left out between the runs
    spans = sorted((line.get_xdata().min(), line.get_xdata().max()) for line in lines)
    assert [span[1] for span in spans[:-1]] == [span[0] for span in spans[1:]]


def test_infinite_scores_do_not_reach_the_axis():
    y, s = many_cases()
    s[:2], s[-2:] = np.inf, -np.inf
    display = TangoIntervalDisplay.from_predictions(y, s).plot()
    assert np.isfinite(display.frame()["threshold"]).all()
    assert all(np.isfinite(line.get_xdata()).all() for line in display.ax_.lines)


@pytest.mark.parametrize(("absolute", "column"), [(False, "ave_d"), (True, "ave_abs_d")])
def test_comparison_places_one_marker_per_classifier(absolute, column):
    members = {"good": confident_segment(Y, S), "stump": stump()}
    display = SegmentComparisonDisplay.from_result(members).plot(absolute=absolute)
    good = members["good"]
    assert display.markers_[0].get_xydata()[0] == pytest.approx([getattr(good, column), good.cauc])
    drawn = display.frame()
    assert drawn["model"].tolist() == ["good", "stump"]
    assert drawn["cauc"][0] == good.cauc
    assert np.isnan(drawn[column][1])
    assert legend_words(display) == ["good", "stump: no confident point"]


# ---------------------------------------------------------------- AUC bounds


@pytest.mark.parametrize("points", [(0.2, 0.6), (0.7, 0.2), ([0.1, 0.3, 0.6], [0.4, 0.7, 0.9])])
def test_extremal_curves_are_drawn(points):
    found = auc_bounds(*points)
    display = AucBoundsDisplay.from_points(*points).plot()
    assert display.upper_line_.get_xydata() == pytest.approx(found.upper_curve)
    assert display.lower_line_.get_xydata() == pytest.approx(found.lower_curve)
    assert display.points_.get_xdata() == pytest.approx(found.fpr)
    assert set(display.frame()["part"]) == {"upper", "lower", "point"}
    assert legend_words(display)[0] == f"largest area, {found.upper:.4g}"


def test_iso_curves_have_their_index_and_labels_on_them():
    display = IsoDiscriminabilityDisplay().plot(resolution=50)
    drawn = display.frame()
    inside = (drawn["fpr"] > 0) & (drawn["fpr"] < 1)
    got = roc_point_index(drawn["fpr"][inside], drawn["tpr"][inside])
    assert got.index == pytest.approx(drawn["index"][inside], abs=1e-9)
    assert len(display.lines_) == len(display.texts_) == 9
    for text in display.texts_:
        at = roc_point_index(*text.get_position())
        assert at.index == pytest.approx(float(text.get_text()), abs=1e-12)


def test_gap_map_is_the_difference_of_the_bounds():
    display = BoundGapDisplay.from_result(auc_bounds(0.2, 0.6)).plot(resolution=20)
    drawn = display.frame()
    found = roc_point_index(drawn["fpr"], drawn["tpr"])
    assert drawn["gap"] == pytest.approx(found.upper - found.lower)
    assert (drawn["fpr"] <= drawn["tpr"]).all()
    assert 0 <= drawn["gap"].min() < drawn["gap"].max() <= 0.5
    assert display.mesh_.get_array().count() == len(drawn["gap"]) == 210
    assert display.points_.get_xydata()[0] == pytest.approx([0.2, 0.6])


# ---------------------------------------------------------------- errors


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: ConfidentSegmentDisplay(result=3), "`result` must be a ConfidentSegment.*got int"),
        (lambda: ConfidentSegmentDisplay(result={}), "a mapping with at least one, got an empty mapping"),
        (lambda: ConfidentSegmentDisplay(result={"a": 3}), "`result\\['a'\\]` must be a ConfidentSegment"),
        (
            lambda: TangoIntervalDisplay(result={"a": stump()}),
            "`result` must be a ConfidentSegment, got dict",
        ),
        (lambda: SegmentComparisonDisplay(result=stump()), "`result` must be a non-empty mapping"),
        (lambda: AucBoundsDisplay(result=None), "`result` must be an AucBounds"),
        (lambda: IsoDiscriminabilityDisplay(result=1), "`result` must be an AucBounds"),
        (lambda: IsoDiscriminabilityDisplay().plot(levels=[0.3]), "`levels` must be one or more numbers in"),
        (lambda: IsoDiscriminabilityDisplay().plot(levels=[]), "`levels` must be one or more numbers in"),
        (lambda: BoundGapDisplay().plot(resolution=1), "`resolution` must be a whole number of at least 2"),
    ],
)
def test_error_sentences(call, message):
    with pytest.raises(InputError, match=message):
        call()


def test_frame_before_plot_says_what_to_do():
    with pytest.raises(DemurError, match="call plot\\(\\) first"):
        ConfidentSegmentDisplay(result=stump()).frame()
