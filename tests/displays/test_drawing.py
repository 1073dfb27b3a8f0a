"""`from_predictions` and `from_estimator` draw like scikit-learn's, and return the display."""

import inspect
from functools import partial

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import to_rgb
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression

from demur import ABSTAIN, CostModel, InputError, Precision, ScoreCosts, compare_models, displays
from demur.windows import ExpectedCostRule, PiecewiseLinear

RNG = np.random.default_rng(0)
Y = (RNG.random(60) < 0.5).astype(int)
P = 1 / (1 + np.exp(-RNG.normal(2 * Y - 1.0)))
Q = 1 / (1 + np.exp(-RNG.normal(2 * Y - 1.0)))
THREE = np.array([[0.7, 0.2, 0.1], [0.2, 0.6, 0.2], [0.1, 0.2, 0.7], [0.4, 0.35, 0.25]] * 3)
CLASSES = np.array([0, 1, 2, 1] * 3)
COSTS = [[0, 1, 2], [1, 0, 1], [2, 1, 0]]
# what every display makes its figure from
MADE = {
    "AbstentionSurfaceDisplay": ((Y, P), {}),
    "CapacityGraphDisplay": ((Y, np.where(P > 0.6, 1, np.where(P < 0.4, 0, ABSTAIN))), {}),
    "ConfidentSegmentDisplay": ((Y, P), {}),
    "CostCurveBandDisplay": ((Y, P), {"rng": 0}),
    "CostCurveDisplay": ((Y, P), {}),
    "CostDifferenceDisplay": ((Y, P > 0.5, Q > 0.5), {}),
    "DetCurveDisplay": ((Y, P), {}),
    "EfficacyDisplay": ((Y, np.where(P > 0.6, 1, np.where(P < 0.4, 0, ABSTAIN))), {}),
    "MetaClassTreeDisplay": ((THREE, CLASSES), {}),
    "NetBenefitDisplay": ((Y, P), {}),
    "NrocCurveDisplay": ((P,), {}),
    "OrdinalSurfaceDisplay": ((CLASSES, THREE @ [0, 1, 2]), {}),
    "PrecisionRecallDisplay": ((Y, P), {}),
    "PvaDisplay": ((Y, P), {}),
    "RecCoverageDisplay": ((P, Q, P), {}),
    "RecCurveDisplay": ((P, Q), {}),
    "RegretDisplay": ((Y, P), {}),
    "ReliabilityDisplay": ((Y, P), {}),
    "ReliableWindowDisplay": ((Y, P), {"positive": Precision(0.8), "negative": Precision(0.8)}),
    "ResponseBandDisplay": ((Y, P), {"rng": 0}),
    "ResponseCurveDisplay": ((Y, P), {}),
    "RiskCoverageDisplay": ((np.abs(Y - P), P), {}),
    "RocBandDisplay": ((Y, P), {}),
    "RocCostDualDisplay": ((Y, P), {}),
    "RocCurveDisplay": ((Y, P), {}),
    "RocResponseSurfaceDisplay": ((Y, P), {}),
    "RocSecantDisplay": ((Y, P), {"window": (0.4, 0.6)}),
    "SegmentComparisonDisplay": ((Y, P), {}),
    "SignificanceMapDisplay": ((Y, P, Q), {"rng": 0, "resolution": 5}),
    "SimplexDisplay": ((THREE, CLASSES, COSTS), {}),
    "SkillDisplay": ((Y, P), {}),
    "SurfaceBandDisplay": ((Y, P), {"rng": 0}),
    "SurfaceDifferenceDisplay": ((Y, P, Q), {}),
    "TangoIntervalDisplay": ((Y, P), {}),
    "ThresholdsByCostDisplay": ((P,), {}),
    "WeightMapDisplay": ((THREE, CLASSES, COSTS), {}),
    "WindowDisplay": ((Y, P), {"mu": 1.0, "nu": 0.2}),
}
THREE_D = {"OrdinalSurfaceDisplay", "RocResponseSurfaceDisplay"}
CASES = ScoreCosts.from_arrays([0.1, 0.3, 0.6, 0.9], miss=[0, 40, 0, 900], alarm=[25, 0, 25, 0], review=4)
FROM_ESTIMATOR = [name for name in displays.__all__ if hasattr(getattr(displays, name), "from_estimator")]


@pytest.fixture(autouse=True)
def _closed_figures():
    yield
    plt.close("all")


def made(which, **options):
    args, settings = MADE[which]
    return getattr(displays, which).from_predictions(*args, **settings, **options)


def words(display):
    """Every title and legend of the drawn axes."""
    texts = []
    for ax in np.ravel(np.asarray(display.ax_, dtype=object)):
        legend = ax.get_legend()
        texts += [
            ax.get_title(),
            *([] if legend is None else [text.get_text() for text in legend.get_texts()]),
        ]
    return " | ".join(texts)


def test_every_display_with_predictions_is_tried():
    found = {name for name in displays.__all__ if hasattr(getattr(displays, name), "from_predictions")}
    assert found == set(MADE)
    for name in found:
        parameters = inspect.signature(getattr(displays, name).from_predictions).parameters
        assert parameters["ax"].kind is parameters["name"].kind is inspect.Parameter.KEYWORD_ONLY


# displays without predictions; those of several panels have curves of their own in each
OTHERS = {
    "AucBoundsDisplay": lambda ax=None: displays.AucBoundsDisplay.from_points(0.2, 0.6).plot(ax),
    "BlockCostDisplay": lambda ax=None: displays.BlockCostDisplay.from_result(
        compare_models(Y, P, costs=CostModel(cost_fn=1, cost_fp=1, cost_abstain=0.2), time=np.arange(60))
    ).plot(ax),
    "BoundGapDisplay": lambda ax=None: displays.BoundGapDisplay().plot(ax, resolution=5),
    "CaseCostsDisplay": lambda ax=None: displays.CaseCostsDisplay(result=CASES).plot(ax),
    "ExpectedCostDisplay": lambda ax=None: displays.ExpectedCostDisplay.from_result(
        ExpectedCostRule(
            names=("score", "amount"),
            calibration=PiecewiseLinear(np.array([0.0, 1.0]), np.array([0.0, 1.0])),
            costs=np.array([[[0.0, 0], [25, 0]], [[0, 1], [0, 0]]]),
        ),
        Y,
        P,
        100 * Q,
    ).plot(ax),
    "IsoDiscriminabilityDisplay": lambda ax=None: displays.IsoDiscriminabilityDisplay().plot(
        ax, resolution=9
    ),
    "IsometricDisplay": lambda ax=None: displays.IsometricDisplay.from_metric("precision", skew=1).plot(ax),
}
PANELS = {
    "GroupCostDisplay",
    "MimeticCostDisplay",
    "MonitorDisplay",
    "OrdinalMeasuresDisplay",
    "RocCostDualDisplay",
    "SeparabilityDisplay",
    "SurfaceRowDisplay",
}


def curve_colors(ax, before=()):
    """Colours of the lines that the legend tells apart, greys and straight guides left out."""
    colors = set()
    for line in ax.lines:
        drawn = line.get_linestyle() != "None" and not line.get_label().startswith("_")
        color = to_rgb(line.get_color())
        if (
            line not in before
            and drawn
            and len(np.unique(line.get_xydata(), axis=0)) > 2
            and np.ptp(color) > 0.05
        ):
            colors.add(color)
    return colors


def test_two_displays_on_one_axes_share_no_colour_by_hand():
    takes = {
        name
        for name in displays.__all__
        if "ax" in inspect.signature(getattr(displays, name).plot).parameters
    }
    ways = {**{name: partial(made, name) for name in MADE}, **OTHERS}
    assert takes == set(ways) | PANELS
    several = set()
    for name in sorted(takes - PANELS):
        ax = ways[name]().ax_
        first, before = curve_colors(ax), list(ax.lines)
        second = ways[name](ax=ax)
        assert not first & curve_colors(ax, before), name
        several |= {name} if first else set()
        # axes that were emptied start again
        if name in several:
            ax.clear()
            ways[name](ax=ax)
            assert curve_colors(ax) == first, name
        plt.close(second.figure_)
    assert len(several) >= 20


def test_names_that_are_no_mathematics_are_drawn_as_text():
    for name in ("$\\model$", "$^$"):
        display = made("RocCurveDisplay", name=name)
        display.figure_.canvas.draw()
        assert name in words(display)
    made("WindowDisplay", name="$\\model$").figure_.canvas.draw()


@pytest.mark.parametrize("name", sorted(MADE))
def test_predictions_are_drawn_at_once_under_a_name(name):
    display = made(name, name="my model")
    assert isinstance(display, getattr(displays, name))
    assert display.frame()
    assert plt.get_fignums() == [display.figure_.number]
    assert "my model" in words(display)
    # a tree is an estimator, no result; a confusion matrix is a table already
    if name not in ("MetaClassTreeDisplay", "EfficacyDisplay"):
        shown = next(iter(display.result.values())) if isinstance(display.result, dict) else display.result
        html = shown._repr_html_()
        assert "<svg" in html, "whatever has a display has a small figure in a notebook"
        assert len(html) < 20_000
    # drawing again, in another way, leaves one figure
    again = display.plot()
    assert again is display
    assert plt.get_fignums() == [display.figure_.number]


@pytest.mark.parametrize("name", sorted(MADE))
def test_every_figure_is_whole_and_no_legend_hides_data(name):
    display = made(name)
    figure = display.figure_
    figure.canvas.draw()
    box, (width, height) = figure.get_tightbbox(figure.canvas.get_renderer()), figure.get_size_inches()
    assert min(box.x0, box.y0) >= -0.02
    assert max(box.x1 - width, box.y1 - height) <= 0.02
    for ax in np.ravel(np.asarray(display.ax_, dtype=object)):
        legend = ax.get_legend()
        if legend is not None and not hasattr(ax, "get_zlim"):
            assert not legend.get_window_extent().overlaps(ax.get_window_extent())


@pytest.mark.parametrize("name", sorted(set(MADE) - {"RocCostDualDisplay"}))
def test_predictions_are_drawn_on_given_axes(name):
    figure = plt.figure()
    ax = figure.add_subplot(projection="3d" if name in THREE_D else None)
    display = made(name, ax=ax)
    assert np.ravel(np.asarray(display.ax_, dtype=object))[0] is ax
    assert plt.get_fignums() == [figure.number]
    display.plot(ax)
    assert plt.get_fignums() == [figure.number], "the user's figure stays"


def test_two_models_on_the_same_axes():
    first = made("RocCurveDisplay", name="first")
    displays.RocCurveDisplay.from_predictions(Y, Q, ax=first.ax_, name="second")
    assert "first" in words(first)
    assert "second" in words(first)
    colors = [line.get_color() for line in first.ax_.get_lines() if "AUC" in str(line.get_label())]
    assert len(set(colors)) == len(colors) == 2


@pytest.mark.parametrize("name", ["CapacityGraphDisplay", "RecCurveDisplay", "ResponseCurveDisplay"])
def test_a_mapping_brings_its_own_names(name):
    (truth, answers), _ = MADE[name]
    with pytest.raises(InputError, match="`name` is for one model, got 'x'"):
        getattr(displays, name).from_predictions(truth, {"a": answers}, name="x")


# ---------------------------------------------------------------- classifiers


@pytest.fixture(scope="module")
def fitted():
    X, y = make_classification(n_samples=80, random_state=0)
    return LogisticRegression().fit(X, y), X, y


def test_all_but_figures_of_two_models_or_of_more_than_scores_take_an_estimator():
    two_models = {"CostDifferenceDisplay", "SignificanceMapDisplay"}
    # a classifier tells neither the confidence of a regressor nor one score for ordered classes
    more = {"RecCoverageDisplay", "OrdinalSurfaceDisplay"}
    assert set(MADE) - two_models - more == set(FROM_ESTIMATOR)


def asked(kind, estimator, X, y):
    """What `from_predictions` takes, by the definition of each kind of figure."""
    proba = estimator.predict_proba(X)
    return {
        "scores": ((y, proba[:, 1]), {}),
        "unlabelled": ((proba[:, 1],), {}),
        "probabilities": ((y, proba), {}),
        "weighted": ((proba, y), {}),
        "losses": (((proba[:, 1] >= 0.5) != y, np.maximum(proba[:, 0], proba[:, 1])), {}),
        "answers": ((y, estimator.predict(X)), {}),
        "forecasts": ((y, estimator.predict(X)), {}),
    }[kind._asks]


# SurfaceBandDisplay takes seconds and inherits all of this from the base of CostCurveBandDisplay
@pytest.mark.parametrize("name", sorted(set(FROM_ESTIMATOR) - {"SurfaceBandDisplay"}))
def test_an_estimator_against_its_predictions(name, fitted):
    estimator, X, y = fitted
    settings, kind = MADE[name][1], getattr(displays, name)
    if name in ("SimplexDisplay", "WeightMapDisplay"):
        estimator, settings = three_classes(), {"costs": np.array(COSTS)}
        X, y = estimator.X, estimator.y
    labelled = {} if kind._asks == "unlabelled" else {"y": y}
    display = kind.from_estimator(estimator, X, **labelled, **settings)
    assert type(estimator).__name__ in words(display)
    args, options = asked(kind, estimator, X, y)
    expected = kind.from_predictions(*args, **options, **settings).frame()
    drawn = display.frame()
    for column, values in expected.items():
        if values.dtype.kind == "f":
            np.testing.assert_allclose(drawn[column], values, rtol=1e-12, err_msg=column)
    offered = set(inspect.signature(kind.from_estimator).parameters)
    told = {"labels"} if kind._asks == "probabilities" else set()
    taken = set(list(inspect.signature(kind.from_predictions).parameters)[len(args) :])
    assert taken - told <= offered, "every option of from_predictions, written out"
    if kind._asks == "scores":
        assert {"response_method", "pos_label"} <= offered


def three_classes():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 2))
    y = rng.integers(0, 3, 30)
    estimator = LogisticRegression().fit(X, y)
    estimator.X, estimator.y = X, y
    return estimator


def test_what_an_estimator_is_told_and_refused(fitted):
    estimator, X, y = fitted
    other = displays.RocCurveDisplay.from_estimator(estimator, X, y, pos_label=0, name="other")
    assert "other" in words(other)
    with pytest.raises(InputError, match="`y` must be left out: this figure needs no labels"):
        displays.NrocCurveDisplay.from_estimator(estimator, X, y)
    with pytest.raises(TypeError, match="colour"):
        displays.RocCurveDisplay.from_estimator(estimator, X, y, colour="red")


def test_a_classifier_that_abstains_and_wrong_ones(fitted):
    from demur import AbstainingClassifier

    estimator, X, y = fitted
    costs = CostModel(cost_fn=1, cost_fp=1, cost_abstain=0.2)
    model = AbstainingClassifier(estimator, costs=costs).fit(X, y)
    assert displays.WindowDisplay.from_estimator(model, X, y, costs=costs).frame()
    graph = displays.CapacityGraphDisplay.from_estimator(model, X, y)
    assert graph.result.points[0, 0] == np.mean(model.predict(X) == model.abstain_label_)
    with pytest.raises(InputError, match="`pos_label` must be one of the classes"):
        displays.RocCurveDisplay.from_estimator(estimator, X, y, pos_label=7)
    with pytest.raises(InputError, match="must be a fitted classifier of two classes"):
        displays.RocCurveDisplay.from_estimator(LogisticRegression(), X, y)
    with pytest.raises(InputError, match="`response_method` must be"):
        displays.RocCurveDisplay.from_estimator(estimator, X, y, response_method="predict")
