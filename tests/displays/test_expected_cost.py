"""The figure of a rule that knows the amount draws its exact thresholds and the cases, and nothing else."""

import matplotlib.pyplot as plt
import numpy as np
import pytest

from demur import Binormal, CaseCosts, InputError, compare_models
from demur.displays import ExpectedCostDisplay
from demur.windows import ExpectedCostRule, PiecewiseLinear

# the score is the probability; a miss costs the amount, a false alarm 25, a review 4
EVEN = PiecewiseLinear(np.array([0.0, 1.0]), np.array([0.0, 1.0]))
COSTS = np.array([[[0, 0], [25, 0], [4, 0]], [[0, 1], [0, 0], [4, 0]]], dtype=float)
RULE = ExpectedCostRule(names=("risk", "amount"), calibration=EVEN, costs=COSTS)
RNG = np.random.default_rng(0)
SCORE, AMOUNT = RNG.random(400), RNG.lognormal(4, 1.5, 400)
Y = RNG.random(400) < SCORE


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


def drawn(display, part):
    frame = display.frame()
    return tuple(frame[name][frame["drawn"] == part] for name in ("score", "amount"))


def test_borders_by_hand():
    display = ExpectedCostDisplay.from_result(RULE, Y, SCORE, AMOUNT).plot()
    up_to, amount = drawn(display, "called negative up to")
    start, again = drawn(display, "called positive from")
    assert len(amount) == 200
    assert amount.tolist() == again.tolist()
    assert (amount[0], amount[-1]) == pytest.approx((AMOUNT.min(), AMOUNT.max()))
    assert np.ptp(np.diff(np.log(amount))) < 1e-9  # evenly spaced on the scale
    # a miss is expected to cost p * amount, a false alarm (1 - p) * 25
    either = 25 / (25 + amount)
    np.testing.assert_allclose(up_to, np.minimum(either, 4 / amount), rtol=1e-12)
    np.testing.assert_allclose(start, np.maximum(either, 1 - 4 / 25), rtol=1e-12)
    for line, border in zip(display.lines_, (up_to, start), strict=True):
        assert line.get_xdata().tolist() == border.tolist()
        assert line.get_ydata().tolist() == amount.tolist()
    assert display.ax_.get_yscale() == "log"
    assert (display.ax_.get_xlabel(), display.ax_.get_ylabel()) == ("score", "amount")


def test_regions_against_decisions():
    display = ExpectedCostDisplay.from_result(RULE, Y, SCORE, AMOUNT).plot()
    codes = RULE.decide(np.column_stack([SCORE, AMOUNT]))
    regions = [one for one in display.ax_.collections if one not in display.dots_.values()]
    texts = [one.get_label() for one in regions]
    shares = [f"{100 * np.mean(codes == code):.1f} %" for code in (0, -1, 1)]
    assert texts == [
        f"called negative, {shares[0]}",
        f"to a person, {shares[1]}",
        f"called positive, {shares[2]}",
    ]
    # between two of the amounts a border is straight: cases beside it are left out
    beside = np.min(np.abs(np.array([RULE.thresholds(one) for one in AMOUNT]).T - SCORE), axis=0) < 0.01
    for region, code in zip(regions, (0, -1, 1), strict=True):
        (path,) = region.get_paths()
        inside = path.contains_points(np.column_stack([SCORE, AMOUNT])[~beside])
        assert inside.tolist() == (codes == code)[~beside].tolist()


def test_cases_are_dots_by_class():
    words = np.where(Y, "fraud", "good")
    display = ExpectedCostDisplay.from_result(RULE, words, SCORE, AMOUNT, pos_label="fraud").plot()
    for word, own in (("positive", Y), ("negative", ~Y)):
        score, amount = drawn(display, f"{word} case")
        assert (score.tolist(), amount.tolist()) == (SCORE[own].tolist(), AMOUNT[own].tolist())
        assert display.dots_[word].get_offsets().tolist() == np.column_stack([score, amount]).tolist()
        assert display.dots_[word].get_label() == f"{word}s"


def test_many_cases_are_thinned_evenly():
    score = np.linspace(0, 1, 20_000)
    display = ExpectedCostDisplay.from_result(RULE, np.arange(20_000) % 2, score, 1 + 99 * score).plot()
    shown = np.sort(np.concatenate([drawn(display, f"{word} case")[0] for word in ("positive", "negative")]))
    assert len(shown) == 5000
    assert (shown[0], shown[-1]) == (0.0, 1.0)
    assert np.diff(shown).max() < 2 * np.diff(shown).min()
    labels = [dots.get_label() for dots in display.dots_.values()]
    assert all(label.endswith("of 10,000 shown") for label in labels)


@pytest.mark.parametrize(("amount", "scale"), [(np.arange(400) % 50, "linear"), (np.full(400, 30), "log")])
def test_amounts_of_zero_and_of_one_size(amount, scale):
    display = ExpectedCostDisplay.from_result(RULE, Y, SCORE, amount).plot()
    assert display.ax_.get_yscale() == scale
    low, high = display.ax_.get_ylim()
    assert low < amount.min() <= amount.max() < high
    score, border = drawn(display, "called positive from")
    assert score.tolist() == [RULE.thresholds(one)[1] for one in border.tolist()]


def test_thresholds_that_no_score_reaches_and_rules_without_reviews():
    doubtful = PiecewiseLinear(np.array([0.0, 1.0]), np.array([0.05, 0.5]))
    rule = ExpectedCostRule(names=("risk", "amount"), calibration=doubtful, costs=COSTS)
    display = ExpectedCostDisplay.from_result(rule, Y, SCORE, AMOUNT).plot()
    score, _ = drawn(display, "called positive from")
    assert np.isinf(score).any()
    assert np.array_equal(np.isnan(display.lines_[1].get_xdata()), np.isinf(score))
    deciding = ExpectedCostRule(names=("risk", "amount"), calibration=EVEN, costs=COSTS[:, :2])
    display = ExpectedCostDisplay.from_result(deciding, Y, SCORE, AMOUNT).plot()
    assert len(display.lines_) == 1
    texts = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert not any("person" in text for text in texts)


def test_an_answer_on_given_axes_with_the_legend_below():
    fraud, score = Binormal(separation=2.5, prevalence=0.1).sample(600, rng=0)
    amount = np.random.default_rng(0).lognormal(5, 1, 600)
    costs = {"cost_fn": amount, "cost_fp": 25, "cost_abstain": 4, "columns": {"cost_fn": "payment"}}
    answer = compare_models(fraud, score, costs=CaseCosts(**costs, known_at_decision=True)).answer
    figure, ax = plt.subplots(layout="constrained")
    display = ExpectedCostDisplay.from_answer(answer, fraud, score, amount).plot(ax)
    assert display.figure_ is figure
    assert display.result is answer.rule
    assert ax.get_ylabel() == "payment"
    figure.canvas.draw()
    legend, label = ax.get_legend().get_window_extent(), ax.xaxis.label.get_window_extent()
    assert legend.y1 <= label.y0 <= ax.get_window_extent().y0
    window = compare_models(fraud, score, costs=CaseCosts(**costs)).answer
    with pytest.raises(InputError, match="`answer` must be a rule that reads an amount, got 'window'"):
        ExpectedCostDisplay.from_answer(window, fraud, score, amount)


def test_error_sentences():
    with pytest.raises(InputError, match="`result` must be an ExpectedCostRule, got tuple"):
        ExpectedCostDisplay.from_result((0, 1), Y, SCORE, AMOUNT)
    two = ExpectedCostRule(names=("risk", "a", "b"), calibration=EVEN, costs=np.zeros((2, 2, 3)))
    with pytest.raises(InputError, match="`result` must read one column of amounts"):
        ExpectedCostDisplay.from_result(two, Y, SCORE, AMOUNT)
    with pytest.raises(InputError, match="amounts"):
        ExpectedCostDisplay.from_result(RULE, Y, SCORE, AMOUNT[:9])
    with pytest.raises(InputError, match="`amounts` must not be negative"):
        ExpectedCostDisplay.from_result(RULE, Y, SCORE, -AMOUNT)
    with pytest.raises(InputError, match="`y_score`"):
        ExpectedCostDisplay.from_result(RULE, Y, np.where(Y, np.inf, SCORE), AMOUNT)
