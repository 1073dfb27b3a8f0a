"""Figure of many classes with unknown costs: what is drawn against the result."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import to_rgb

from demur import InputError, compare_models
from demur.comparison import class_vacc
from demur.costs import CostLaw
from demur.displays import ClassVaccDisplay
from demur.displays.comparison import comparison_figure

RNG = np.random.default_rng(0)
N = 60
STAGE = RNG.integers(0, 3, N)
MODELS = {
    name: RNG.dirichlet([1, 1, 1], N) + gain * np.eye(3)[STAGE] for name, gain in (("new", 0.6), ("old", 0.3))
}


@pytest.fixture(autouse=True)
def _closed_figures():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def result():
    return class_vacc(STAGE, MODELS, n_draws=100)


def test_lines_bands_and_words_are_those_of_the_result(result):
    display = ClassVaccDisplay.from_result(result).plot()
    frame, curves = display.frame(), result.curves()
    assert len(display.lines_) == 3
    assert len(display.bands_) == 2
    for line, band, (name, curve) in zip(
        display.lines_, [*display.bands_, None], curves.items(), strict=True
    ):
        own = frame["model"] == name
        np.testing.assert_array_equal(line.get_xdata(), curve.review)
        np.testing.assert_array_equal(line.get_ydata(), curve.cost)
        np.testing.assert_array_equal(frame["cost"][own], curve.cost)
        np.testing.assert_array_equal(frame["cheapest"][own], curve.cheapest)
        if band is not None:
            assert to_rgb(line.get_color()) == tuple(band.get_facecolor()[0][:3])
            reach = band.get_paths()[0].vertices[:, 1]
            assert reach.max() == pytest.approx((curve.cost + 2 * curve.monte_carlo_error).max())
    words = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert words[0].startswith(f"new: VACC {result.vacc['new']:.3f}, cheapest in")
    assert words[2] == f"without a model: {result.baseline:.3f}"


def test_one_price_of_reviews_is_a_dot():
    alone = class_vacc(STAGE, MODELS["new"], law=CostLaw(review=(0.3, 0.3)), n_draws=30)
    display = ClassVaccDisplay.from_result(alone).plot()
    assert display.lines_[0].get_marker() == "o"
    words = display.ax_.get_legend().get_texts()[0].get_text()
    assert words == f"model: VACC {alone.vacc['model']:.3f}"


def test_from_predictions_and_estimator(result):
    made = ClassVaccDisplay.from_predictions(STAGE, MODELS, n_draws=100)
    assert made.result.to_dict() == result.to_dict()
    from sklearn.linear_model import LogisticRegression

    X = STAGE[:, None] + RNG.normal(size=(N, 2))
    fitted = LogisticRegression().fit(X, np.array(list("abc"))[STAGE])
    drawn = ClassVaccDisplay.from_estimator(fitted, X, np.array(list("abc"))[STAGE], n_draws=20)
    assert drawn.result.classes == ("a", "b", "c")


def test_of_a_comparison():
    without = compare_models(STAGE, MODELS, classes=[0, 1, 2])
    drawn = comparison_figure(without, "reviews")
    assert drawn.result is without.class_vacc
    with pytest.raises(InputError, match="without costs many classes have `--figure reviews`"):
        comparison_figure(without, "surface")
    two = compare_models(STAGE > 0, STAGE + RNG.normal(size=N))
    with pytest.raises(InputError, match="`--figure reviews` needs more than two classes without costs"):
        comparison_figure(two, "reviews")
