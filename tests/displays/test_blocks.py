"""The figure of costs by block of time draws what the comparison says and nothing else."""

import matplotlib.pyplot as plt
import numpy as np
import pytest

from demur import Binormal, CostModel, InputError, UndefinedError, compare_models
from demur.displays import BlockCostDisplay

COSTS = CostModel(cost_fn=100, cost_fp=40, cost_abstain=12)
Y, S = Binormal(separation=2.0).sample(600, rng=0)
DAY = np.datetime64("2024-01-01") + np.arange(600) // 2


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def forward():
    return compare_models(Y, {"risk": S}, costs=COSTS, time=DAY)


def test_drawn_numbers_are_those_of_the_result(forward):
    display = BlockCostDisplay.from_result(forward).plot()
    drawn, blocks, answer = display.frame(), forward.by_block, forward.answer
    for name in ("block", "start", "end", "n", "cost"):
        assert drawn[name].tolist() == [getattr(one, name) for one in blocks]
    assert [*zip(drawn["low"], drawn["high"], strict=True)] == [tuple(one.interval) for one in blocks]
    assert set(drawn["all_judged_blocks"]) == {answer.honest_cost}
    assert set(drawn["shuffled_split"]) == {answer.shuffled_cost}
    dots, _, (whiskers,) = display.bars_.lines
    assert dots.get_ydata().tolist() == drawn["cost"].tolist()
    ends = np.array([segment[:, 1] for segment in whiskers.get_segments()])
    np.testing.assert_allclose(ends, np.column_stack([drawn["low"], drawn["high"]]), rtol=1e-12)
    assert [line.get_ydata()[0] for line in display.lines_] == [answer.honest_cost, answer.shuffled_cost]
    assert display.ax_.get_xlabel() == f"block of time, {blocks[0].start} to {blocks[-1].end}"


def test_a_rule_without_a_model_has_no_shuffled_split():
    noise = np.random.default_rng(1).normal(size=600)
    found = compare_models(Y, {"noise": noise}, costs=COSTS, time=DAY)
    assert found.answer.model is None
    display = BlockCostDisplay.from_result(found).plot()
    assert len(display.lines_) == 1
    assert "shuffled_split" not in display.frame()


def test_legend_lies_below_the_data(forward):
    display = BlockCostDisplay.from_result(forward).plot()
    display.figure_.canvas.draw()
    legend = display.ax_.get_legend().get_window_extent()
    label = display.ax_.xaxis.label.get_window_extent()
    assert legend.y1 <= label.y0 <= display.ax_.get_window_extent().y0


def test_comparisons_without_times_and_other_results_are_refused():
    shuffled = compare_models(Y, {"risk": S}, costs=COSTS)
    with pytest.raises(UndefinedError, match="need times"):
        BlockCostDisplay.from_result(shuffled).plot()
    with pytest.raises(InputError, match="must be a Comparison"):
        BlockCostDisplay(result=shuffled.answer)
