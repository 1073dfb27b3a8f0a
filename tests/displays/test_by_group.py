"""The figure of groups draws what `Comparison.by` says and nothing else."""

from itertools import pairwise

import matplotlib.pyplot as plt
import numpy as np
import pytest

from demur import Binormal, CostModel, InputError, UndefinedError, compare_models
from demur.displays import GroupCostDisplay

COSTS = CostModel(cost_fn=100, cost_fp=40, cost_abstain=12)
Y, S = Binormal(separation=2.0).sample(600, rng=0)
SITE = np.random.default_rng(1).choice(["north", "south", "west"], 600)
SITE[SITE == "west"] = "south"
SITE[0] = "alone"


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def two():
    return compare_models(Y, {"risk": S}, costs=COSTS).by(SITE)


@pytest.fixture(scope="module")
def many():
    rng = np.random.default_rng(2)
    y = rng.integers(0, 3, 300)
    proba = rng.dirichlet([1, 1, 1], 300) + np.eye(3)[y]
    costs = {k: {j: 1.0 for j in range(3) if j != k} for k in range(3)}
    compared = compare_models(y, proba, classes=[0, 1, 2], costs=costs, abstain_cost=0.4)
    return compared.by(np.arange(300) % 2)


def drawn_panels(display):
    """Return the dots, the whiskers and the line of every panel."""
    for bars, line in zip(display.bars_, display.lines_, strict=True):
        dots, _, (whiskers,) = bars.lines
        ends = np.array([segment[:, 0] for segment in whiskers.get_segments()])
        yield dots.get_xdata(), ends, line.get_xdata()[0]


@pytest.mark.parametrize("name", ["two", "many"])
def test_drawn_numbers_are_those_of_the_result(name, request):
    result = request.getfixturevalue(name)
    display = GroupCostDisplay.from_result(result).plot()
    frame, groups = display.frame(), [one for one in result.groups if one.n > 1]
    errors = ["miss_rate", "alarm_rate"] if name == "two" else ["error_rate"]
    keys = ["cost", *errors, "abstention_rate"]
    assert frame["group"].tolist() == [one.name for one in groups]
    assert "alone" not in frame["group"]
    assert frame["n"].tolist() == [one.n for one in groups]
    assert len(display.ax_) == len(keys)
    for key, (dots, ends, line) in zip(keys, drawn_panels(display), strict=True):
        assert dots.tolist() == frame[key].tolist() == [getattr(one, key) for one in groups]
        limits = np.array([getattr(one, f"{key}_interval") for one in groups])
        np.testing.assert_allclose(ends, limits, rtol=1e-12, atol=1e-15)
        np.testing.assert_array_equal(np.column_stack([frame[f"{key}_low"], frame[f"{key}_high"]]), limits)
        assert line == getattr(result.whole, key)
    assert [text.get_text() for text in display.ax_[0].get_yticklabels()] == [one.name for one in groups]


def test_nothing_is_drawn_over_anything(two):
    display = GroupCostDisplay.from_result(two).plot()
    display.figure_.canvas.draw()
    boxes = [panel.get_tightbbox() for panel in display.ax_]
    title = display.ax_[0].title.get_window_extent()
    assert all(left.x1 <= right.x0 for left, right in pairwise(boxes))
    assert all(title.y0 >= panel.get_window_extent().y1 for panel in display.ax_)


def test_axes_of_ones_own_and_what_cannot_be_drawn(two):
    _, axes = plt.subplots(1, 4)
    display = GroupCostDisplay(result=two).plot(axes)
    assert list(display.ax_) == list(axes)
    with pytest.raises(InputError, match="`ax` must hold 1 x 4 axes"):
        GroupCostDisplay(result=two).plot(plt.subplots(1, 2)[1])
    with pytest.raises(InputError, match="must be a GroupCosts"):
        GroupCostDisplay(result=two.whole)
    each = compare_models(Y[:40], S[:40] + 0.0, costs=COSTS, pos_label=True).by(np.arange(40))
    with pytest.raises(UndefinedError, match="needs a group of two cases or more"):
        GroupCostDisplay(result=each).plot()


def test_a_group_without_positives_and_one_without_interval_have_no_dot_or_whisker():
    cluster = np.arange(600) // 2
    place = np.where(np.arange(600) < 2, "one cluster", np.where(Y, "rest", "negatives"))
    found = compare_models(Y, S, costs=COSTS, groups=cluster).by(place)
    frame = GroupCostDisplay.from_result(found).plot().frame()
    names = frame["group"].tolist()
    assert np.isnan(frame["miss_rate"][names.index("negatives")])
    assert np.isnan(frame["cost_low"][names.index("one cluster")])
    assert np.isfinite(frame["cost"]).all()
