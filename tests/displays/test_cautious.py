"""Figures of cautious classifiers and selective risk: what is drawn is what the results hold."""

import numpy as np
import pytest

from cautious_cases import tree_cases
from demur import ABSTAIN, CautiousConfusion, DemurError, InputError, response_curve, risk_coverage_curve
from demur.cautious import average_response_curves, capacity_graph, response_band, roc_response_surface
from demur.displays import (
    CapacityGraphDisplay,
    ResponseBandDisplay,
    ResponseCurveDisplay,
    RiskCoverageDisplay,
    RocResponseSurfaceDisplay,
)


@pytest.fixture(autouse=True)
def close_figures():
    yield
    import matplotlib.pyplot as plt

    plt.close("all")


def texts(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def test_capacity_graph_draws_tails_points_and_hull():
    models = {
        "bold": CautiousConfusion([[20, 2, 3], [0, 30, 3], [0, 2, 40], [0, 0, 0]]),
        "cautious": CautiousConfusion([[19, 1, 2], [0, 30, 0], [0, 1, 38], [1, 2, 6]]),
    }
    graph = capacity_graph(models)
    display = CapacityGraphDisplay.from_result(graph).plot()
    for index, line in enumerate(display.lines_):
        drawn = np.column_stack(line.get_data())
        assert drawn == pytest.approx(np.vstack([graph.tails[index], graph.points[index], (1, 0)]))
    assert np.column_stack(display.hull_.get_data()) == pytest.approx(graph.hull)
    frame = display.frame()
    assert frame["error"][frame["part"] == "point"] == pytest.approx([0.1, 0.04])
    assert frame["model"][frame["part"] == "hull"].tolist() == list(graph.corners)
    assert display.ax_.get_xlabel() == "share of cases abstained on"
    assert "no information" in texts(display.ax_)
    bare = CapacityGraphDisplay(result=graph).plot(baseline=False)
    assert "no information" not in texts(bare.ax_)


def test_capacity_graph_from_predictions_says_what_is_useless():
    y = [0, 0, 1, 1]
    display = CapacityGraphDisplay.from_predictions(y, {"a": [0, 0, 1, ABSTAIN], "b": [1, 0, 0, ABSTAIN]})
    assert "b (never worth using)" in texts(display.plot().ax_)
    alone = CapacityGraphDisplay.from_predictions(y, [0, 0, 1, ABSTAIN]).plot()
    assert set(alone.frame()["model"].tolist()) == {"classifier", "abstain"}


def test_response_curves_draw_their_states_on_given_axes():
    import matplotlib.pyplot as plt

    labels, proba = tree_cases()
    curves = {
        "equal": response_curve(labels, proba),
        "other": response_curve(labels, proba, bias=[0.55, 0.45]),
    }
    _, ax = plt.subplots()
    display = ResponseCurveDisplay(result=curves).plot(ax, mark_best=True)
    assert display.ax_ is ax
    frame = display.frame()
    for (name, curve), line in zip(curves.items(), display.lines_, strict=True):
        assert frame["value"][frame["model"] == name] == pytest.approx(curve.value)
        # the end at abstention 1 is a convention, drawn apart
        assert np.column_stack(line.get_data()) == pytest.approx(
            np.column_stack([curve.abstention, curve.value])[:-1]
        )
    assert display.best_[0].abstention == pytest.approx(0.46)
    assert texts(ax)[0] == "equal: area 0.965, best 0.9815 at window 0.700"


def test_response_of_cost_may_be_best_without_answers():
    costs = [[0, 9], [9, 0], [1, 1]]
    curve = response_curve([0, 1, 0, 1], [0.9, 0.2, 1.0, 0.4], metric="cost", costs=costs)
    display = ResponseCurveDisplay.from_result(curve).plot(mark_best=True)
    assert display.best_[0].abstention == 1
    assert "by abstaining on everything" in texts(display.ax_)[0]
    assert display.ax_.get_ylabel() == "mean cost per case"


def test_undefined_auc_is_not_drawn():
    display = ResponseCurveDisplay.from_predictions([0, 1, 1], [0.4, 0.8, 0.9], metric="auc").plot()
    assert not np.isnan(display.frame()["value"]).any()
    assert display.frame()["abstention"] == pytest.approx([0, 1])


def test_average_and_mapping_from_predictions():
    labels, proba = tree_cases()
    mean = average_response_curves([response_curve(labels, proba, metric="error")] * 2)
    display = ResponseCurveDisplay(result={"mean": mean}).plot(mark_best=True)
    assert display.best_ == []
    several = ResponseCurveDisplay.from_predictions(labels, {"one": proba, "two": proba[:, ::-1]}).plot()
    assert len(several.lines_) == 2


def test_roc_surface_is_the_stack_of_curves():
    rng = np.random.default_rng(0)
    y = rng.random(300) < 0.4
    p = 1 / (1 + np.exp(-(2 * (y - 0.5) + rng.normal(size=300))))
    result = roc_response_surface(y, p)
    display = RocResponseSurfaceDisplay.from_result(result).plot(levels=6, highest=0.8)
    frame = display.frame()
    shares = np.unique(frame["abstention"])
    assert shares == pytest.approx(np.linspace(0, 0.8, 6))
    curve, here = result.roc(shares[3]), frame["abstention"] == shares[3]
    assert frame["tpr"][here] == pytest.approx(np.interp(frame["fpr"][here], curve.fpr, curve.tpr))
    assert display.ax_.get_zlabel() == "true positive rate"


def test_risk_coverage_draws_exact_risk_inside_groups():
    loss, sure = [0, 1, 0, 0, 0, 1, 0, 0], [0.95, 0.9, 0.9, 0.8, 0.7, 0.6, 0.6, 0.5]
    curve = risk_coverage_curve(loss, sure)
    display = RiskCoverageDisplay.from_result(curve).plot()
    x, y = display.lines_[0].get_data()
    inside = int(np.searchsorted(x, 0.25))
    assert y[inside] == pytest.approx(curve.risk_at(x[inside]))
    frame = display.frame()
    best = frame["risk"][frame["part"] == "best possible order"]
    assert best[-1] == pytest.approx(curve.risk[-1])
    general = RiskCoverageDisplay(result={"model": curve}).plot(generalized=True, best=False)
    assert texts(general.ax_) == ["model: AUGRC 0.125"]
    discrete = RiskCoverageDisplay.from_predictions(loss, sure, convention="discrete").plot(best=False)
    assert len(discrete.frame()["coverage"]) == 8


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: CapacityGraphDisplay(result=3), "`result` must be a CapacityGraph"),
        (lambda: ResponseCurveDisplay(result=3), "`result` must be a ResponseCurve or AverageResponseCurve"),
        (lambda: ResponseCurveDisplay(result={}), "at least one, got an empty mapping"),
        (
            lambda: ResponseCurveDisplay(
                result={m: response_curve([0, 1], [0.2, 0.7], metric=m) for m in ("error", "auc")}
            ),
            "must be of one metric",
        ),
        (lambda: RocResponseSurfaceDisplay(result=3), "`result` must be a RocResponseSurface"),
        (lambda: RiskCoverageDisplay(result={}), "at least one, got an empty mapping"),
        (lambda: RiskCoverageDisplay(result=3), "must be a RiskCoverageCurve"),
    ],
)
def test_error_sentences(call, message):
    with pytest.raises(InputError, match=message):
        call()


def test_frame_before_plot_is_refused():
    with pytest.raises(DemurError, match="call plot"):
        RiskCoverageDisplay.from_result(risk_coverage_curve([0, 1], [1, 2])).frame()


def test_response_band_draws_its_numbers():
    y, p = [0, 0, 1, 0, 1, 1, 0, 1], [0.1, 0.2, 0.4, 0.6, 0.8, 0.9, 0.3, 0.7]
    band = response_band(y, p, metric="f_score", n_resamples=20)
    display = ResponseBandDisplay(result=band).plot()
    assert display.line_.get_ydata() == pytest.approx(band.value)
    frame = display.frame()
    for name in ("abstention", "value", "low", "high", "pointwise_low", "pointwise_high"):
        assert frame[name] == pytest.approx(getattr(band, name))
    assert texts(display.ax_) == ["95 % band, all points", "95 % interval, one point", "these cases"]
