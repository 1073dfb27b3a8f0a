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
from demur.displays.bands import BandDisplay
from demur.displays.base import ACCENT, NEGATIVE_COLOR, POSITIVE_COLOR, SERIES, CurveDisplay, series_style
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
    "ClassVaccDisplay": ((CLASSES, THREE), {"n_draws": 20}),
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
    "OrdinalThresholdsDisplay": ((CLASSES, THREE @ [0, 1, 2]), {"cost_abstain": 0.3}),
    "PrecisionRecallDisplay": ((Y, P), {}),
    "PrevalenceDisplay": ((Y, P), {}),
    "PvaDisplay": ((Y, P), {}),
    "RecCoverageDisplay": ((P, Q, P), {}),
    "RecCurveDisplay": ((P, Q), {}),
    "RegionsDisplay": ((Y, P), {}),
    "RegretDisplay": ((Y, P), {}),
    "ReliabilityDisplay": ((Y, P), {}),
    "ReliableWindowDisplay": ((Y, P), {"positive": Precision(0.8), "negative": Precision(0.8)}),
    "ResponseBandDisplay": ((Y, P), {"rng": 0}),
    "ResponseCurveDisplay": ((Y, P), {}),
    "ReviewCurveDisplay": ((P, Q, P), {}),
    "ReviewSurfaceDisplay": ((P, Q, P), {"tolerances": [0, 0.1], "prices": [0.1, 0.2, 0.4]}),
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
    "SurfaceRowDisplay": ((Y, P), {}),
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
    """Every title, vertical label and legend of the drawn axes."""
    texts = []
    for ax in np.ravel(np.asarray(display.ax_, dtype=object)):
        legend = ax.get_legend()
        texts += [
            ax.get_title(),
            ax.get_ylabel(),
            *([] if legend is None else [text.get_text() for text in legend.get_texts()]),
        ]
    return " | ".join(texts)


def test_every_display_is_made_of_predictions_and_of_an_estimator_or_says_why_not():
    for way in ("from_predictions", "from_estimator"):
        found = {name for name in displays.__all__ if hasattr(getattr(displays, name), way)}
        assert found == set(MADE), way
    assert set(displays.__all__) - found == set(NOT_OF_PREDICTIONS)
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
# public displays without `from_predictions`, and why
NOT_OF_PREDICTIONS = {
    "AucBoundsDisplay": "of ROC points",
    "BlockCostDisplay": "of a comparison over time",
    "BoundGapDisplay": "of ROC space, for any model",
    "CaseCostsDisplay": "of the costs of every case",
    "ExpectedCostDisplay": "of a rule, and the amounts of some cases",
    "GroupCostDisplay": "of a comparison by group",
    "IsoDiscriminabilityDisplay": "of ROC space, for any model",
    "IsometricDisplay": "of a metric",
    "MimeticCostDisplay": "of many models that imitate one",
    "MonitorDisplay": "of a policy in use",
    "OrdinalMeasuresDisplay": "of random rankings",
    "SeparabilityDisplay": "of simulated samples",
}
# what these need of a second model, or of the same one, beside its answers
BESIDE = {
    "CostDifferenceDisplay": {"y_pred_b": 0},
    "RecCoverageDisplay": {"confidence": 1},
    "ReviewCurveDisplay": {"spread": 1},
    "ReviewSurfaceDisplay": {"spread": 1},
    "SignificanceMapDisplay": {"score_b": 1},
}


def colourful(artist, color):
    """The colour of an artist, unless it is grey as guides are, or black."""
    rgb = to_rgb(color)
    return {rgb} if np.ptp(rgb) > 0.05 and artist.get_visible() else set()


def looks(ax, before=()):
    """Colours of the curves, bands and marks on axes, class colours of decisions left out."""
    colors = set()
    for line in ax.lines:
        if line not in before:
            if line.get_linestyle() != "None":
                colors |= colourful(line, line.get_color())
            if line.get_marker() not in ("None", None):
                colors |= colourful(line, line.get_markerfacecolor())
    for band in ax.collections:
        if band not in before and len(band.get_facecolor()) == 1:
            colors |= colourful(band, band.get_facecolor()[0][:3])
    return colors


WAYS = {**{name: partial(made, name) for name in MADE}, **OTHERS}
# straight lines in the colours of the two classes, and marks of one point
OWN_COLORS = {to_rgb(color) for color in (POSITIVE_COLOR, NEGATIVE_COLOR)}


@pytest.fixture(scope="module")
def curve_displays():
    """Every display with curves of its own colours, found by drawing all of them."""
    takes = {
        name
        for name in displays.__all__
        if "ax" in inspect.signature(getattr(displays, name).plot).parameters
    }
    assert takes == set(WAYS) | PANELS
    found = {}
    for name in sorted(takes - PANELS - THREE_D):
        display = WAYS[name]()
        if getattr(display.ax_, "_demur_series", 0):
            found[name] = display
        plt.close("all")
    assert len(found) >= 20
    for name in set(WAYS) - PANELS - THREE_D:
        kind = getattr(displays, name)
        assert name in found or not issubclass(kind, CurveDisplay | BandDisplay), name
    return found


# a scale of logarithms stays, whatever is drawn beside it
@pytest.mark.filterwarnings("ignore:Attempt to set non-positive")
@pytest.mark.parametrize("other", ["itself", "RocCurveDisplay", "CostCurveDisplay", "CostCurveBandDisplay"])
def test_two_displays_on_one_axes_share_no_colour_by_hand(other, curve_displays):
    for name, display in curve_displays.items():
        second = display if other == "itself" else curve_displays[other]
        for first, then in ((display, second), (second, display)):
            ax = plt.figure().add_subplot()
            first.plot(ax)
            before, shown = [*ax.lines, *ax.collections], looks(ax)
            then.plot(ax)
            series = set(map(to_rgb, SERIES))
            mine = {"ReliableWindowDisplay"} & {name, other} and OWN_COLORS
            shared = shown & looks(ax, before) & series - (mine or set())
            assert not shared, (name, other)
            # axes that were emptied start again
            ax.clear()
            first.plot(ax)
            assert looks(ax) == shown
            plt.close("all")


def test_a_band_has_the_colour_of_its_curve(curve_displays):
    banded = set()
    for name, display in curve_displays.items():
        lines = display.lines_.values() if isinstance(display.lines_, dict) else display.lines_
        for band in display.bands_:
            banded.add(name)
            assert to_rgb(band.get_facecolor()[0][:3]) in {to_rgb(line.get_color()) for line in lines}, name
    assert len(banded) >= 8


def test_marks_have_a_colour_of_no_series_and_many_curves_differ():
    assert ACCENT not in SERIES
    assert len({str(series_style(index)) for index in range(42)}) == 42


def test_a_guide_is_drawn_once():
    ax = made("CostCurveDisplay").ax_
    made("CostCurveBandDisplay", ax=ax)
    labels = [text.get_text() for text in ax.get_legend().get_texts()]
    assert labels.count("trivial (one class always)") == 1


@pytest.mark.parametrize("backend", ["pandas", "polars"])
def test_frames_of_libraries_against_the_mapping(backend):
    pytest.importorskip(backend)
    for name in ("RocCurveDisplay", "AbstentionSurfaceDisplay", "ThresholdsByCostDisplay"):
        display = made(name)
        table, drawn = display.frame(backend=backend), display.frame()
        assert type(table).__module__.startswith(backend)
        assert list(table.columns) == list(drawn)
        for column, values in drawn.items():
            np.testing.assert_array_equal(np.asarray(table[column]), values)
    # numbers of the whole figure stand in every row, a point in two columns
    display = made("NrocCurveDisplay").plot(costs=CostModel(cost_fp=2))
    table, drawn = display.frame(backend=backend), display.frame()
    assert set(np.asarray(table["nroc_threshold"]).tolist()) == {float(drawn["nroc_threshold"])}
    assert float(np.asarray(table["nroc_point_y"])[0]) == drawn["nroc_point"][1]


def test_frames_of_other_libraries_are_refused(monkeypatch):
    display = made("RocCurveDisplay")
    with pytest.raises(InputError, match="`backend` must be one of 'pandas', 'polars', got 'arrow'"):
        display.frame(backend="arrow")

    def missing(*_, **__):
        raise ModuleNotFoundError("no such library")

    monkeypatch.setattr("narwhals.from_dict", missing)
    with pytest.raises(InputError, match="`backend` must be installed, got 'polars'"):
        display.frame(backend="polars")


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


@pytest.mark.parametrize("name", sorted(set(MADE) - PANELS))
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


def asked(kind, estimator, X, y):
    """What `from_predictions` takes, by the definition of each kind of figure."""
    proba = estimator.predict_proba(X)
    return {
        "scores": ((y, proba[:, 1]), {}),
        "unlabelled": ((proba[:, 1],), {}),
        "probabilities": ((y, proba), {}),
        "classes": ((y, proba), {}),
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
    if name in ("SimplexDisplay", "WeightMapDisplay", "OrdinalSurfaceDisplay"):
        estimator = three_classes()
        settings = {} if name == "OrdinalSurfaceDisplay" else {"costs": np.array(COSTS)}
        X, y = estimator.X, estimator.y
    given = (y, estimator.predict_proba(X)[:, 1])
    settings = settings | {option: given[which] for option, which in BESIDE.get(name, {}).items()}
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
    told = {"probabilities": {"labels"}, "classes": {"classes"}}.get(kind._asks, set())
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
