"""Figures without labels show the numbers of their results."""

import numpy as np
import pytest

import demur
from demur import CostModel, DemurError, InputError, direct_threshold
from demur.displays import MimeticCostDisplay, NrocCurveDisplay, ThresholdsByCostDisplay
from demur.estimators import mimetic_costs
from demur.unlabelled import nroc_curve, nroc_threshold, ranking_threshold

plt = pytest.importorskip("matplotlib.pyplot")
PROBA = [0.9, 0.8, 0.8, 0.55, 0.4, 0.2, 0.1]


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def comparison():
    rng = np.random.default_rng(0)
    X = rng.random((200, 1))
    y = rng.random(200) < X[:, 0]
    return mimetic_costs(lambda X: X[:, 0], X, y, ranges=[(0, 1)], mu=[1, 4], prevalence=0.5, n_invented=100)


def legend_texts(legend):
    return [text.get_text() for text in legend.get_texts()]


def test_nroc_curve_shows_the_curve_and_both_thresholds():
    costs = CostModel(cost_fp=2)
    display = NrocCurveDisplay.from_predictions(PROBA).plot(costs=costs)
    curve = nroc_curve(PROBA)
    assert np.array_equal(display.curve_.get_xydata(), np.column_stack([curve.fpr, curve.tpr]))
    drawn = display.frame()
    assert float(drawn["nroc_threshold"]) == nroc_threshold(PROBA, costs).threshold
    assert float(drawn["direct_threshold"]) == direct_threshold(costs).threshold
    point = display.points_[0].get_xydata()[0]
    assert tuple(point) == curve.point(nroc_threshold(PROBA, costs).threshold)
    assert "equal cost, slope 2" in legend_texts(display.ax_.get_legend())


def test_nroc_line_touches_the_curve_from_above():
    for mu in (0.3, 1.0, 2.5):
        display = NrocCurveDisplay.from_predictions(PROBA).plot(costs=CostModel(cost_fp=mu))
        x, y = display.frame()["nroc_point"]
        curve = display.result
        assert np.all(curve.tpr - mu * curve.fpr <= y - mu * x + 1e-12)


def test_nroc_curve_without_costs_has_no_line():
    figure, ax = plt.subplots()
    display = NrocCurveDisplay.from_result(nroc_curve(PROBA)).plot(ax)
    assert display.ax_ is ax
    assert display.figure_ is figure
    assert display.line_ is None
    assert display.points_ == []
    assert ax.get_xlabel() == "expected false positive rate"


def test_thresholds_by_cost_show_the_three_rules():
    mu = np.array([0.5, 1.0, 4.0])
    drawn = ThresholdsByCostDisplay.from_predictions(PROBA).plot(mu=mu).frame()
    assert drawn["direct"].tolist() == [direct_threshold(mu=one).threshold for one in mu.tolist()]
    assert drawn["ranking"].tolist() == [ranking_threshold(PROBA, mu=one).threshold for one in mu.tolist()]
    assert drawn["nroc"].tolist() == [nroc_threshold(PROBA, mu=one).threshold for one in mu.tolist()]


def test_mimetic_costs_show_every_configuration_once(comparison):
    display = MimeticCostDisplay.from_result(comparison).plot(relative=False)
    assert sorted(display.lines_) == sorted(demur.estimators.mimetic_configurations())
    assert list(display.axes_) == ["Mim0", "Mim1", "Mim2", "Mim3"]
    for name, line in display.lines_.items():
        row = comparison.cost[comparison.names.index(name)]
        assert line.get_ydata().tolist() == row.tolist()
        assert line.axes is display.axes_[name[:4]]
    # the pair of dash and marker tells the lines of one panel apart
    for scheme, ax in display.axes_.items():
        lines = [line for name, line in display.lines_.items() if name.startswith(scheme)]
        assert len({(str(line._dash_pattern), line.get_marker()) for line in lines}) == len(lines)
        assert {"oracle, direct", "oracle at 0.5"} <= {line.get_label() for line in ax.get_lines()}
    assert len(legend_texts(display.figure_.legends[0])) == 9


def test_relative_mimetic_costs_are_ratios_to_the_oracle(comparison):
    drawn = MimeticCostDisplay.from_result(comparison).plot().frame()
    oracle = comparison.cost[comparison.names.index("oracle, direct")]
    assert drawn["oracle, direct"].tolist() == [1, 1]
    expected = comparison.cost[comparison.names.index("Mim2Ordb")] / oracle
    assert drawn["Mim2Ordb"] == pytest.approx(expected)


def test_one_scheme_fits_given_axes():
    X = np.random.default_rng(0).random((60, 1))
    found = mimetic_costs(
        lambda X: X[:, 0], X, X[:, 0] > 0.5, ranges=[(0, 1)], configurations=["Mim0b", "Mim0c"], n_invented=60
    )
    _, ax = plt.subplots()
    display = MimeticCostDisplay.from_result(found).plot(ax, relative=False)
    assert display.ax_ is ax
    assert "b: half and half" in legend_texts(ax.get_legend())
    # labels are the oracle's own decisions, so it makes no error at mu = 1
    with pytest.raises(InputError, match="use relative=False"):
        MimeticCostDisplay.from_result(found).plot()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda c: NrocCurveDisplay(result=3), "`result` must be an NrocCurve"),
        (lambda c: MimeticCostDisplay(result=3), "`result` must be a MimeticComparison"),
        (lambda c: ThresholdsByCostDisplay.from_predictions(PROBA).plot(mu=[0, 1]), "`mu` must be above 0"),
        (lambda c: MimeticCostDisplay(result=c).plot(plt.figure().gca()), "`ax` must be left out"),
        (lambda c: NrocCurveDisplay.from_result(nroc_curve(PROBA)).frame(), "Nothing is drawn yet"),
    ],
)
def test_error_sentences(call, message, comparison):
    with pytest.raises(DemurError, match=message):
        call(comparison)
