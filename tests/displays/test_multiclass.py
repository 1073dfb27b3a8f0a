"""Figures of class weights: what is drawn is what the results say."""

import matplotlib.pyplot as plt
import numpy as np
import pytest

from demur import ABSTAIN, DemurError, InputError, optimize_weights
from demur.displays import MetaClassTreeDisplay, SimplexDisplay, WeightMapDisplay
from demur.multiclass import MetaClassTree

RNG = np.random.default_rng(2)
Y = RNG.integers(0, 3, 40)
F = RNG.dirichlet(np.ones(3), 40)
F[np.arange(40), Y] += 0.3
F /= F.sum(axis=1, keepdims=True)
C = [[0, 1, 4], [3, 0, 2], [8, 6, 0]]


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


@pytest.mark.parametrize("family", ["weights", "columns"])
def test_map_against_the_objective_at_every_point(family):
    display = WeightMapDisplay.from_predictions(F, Y, C, family=family).plot(resolution=9)
    drawn = display.frame()
    scores = F if family == "weights" else 1 / (F @ np.array(C))
    for a, b, cost in zip(
        drawn["first_log_ratio"], drawn["second_log_ratio"], drawn["objective"], strict=True
    ):
        labels = np.argmax(np.log(scores) + np.array([a, b, 0]), axis=1)
        assert cost == pytest.approx(np.array(C)[Y, labels].mean())
    assert drawn["objective"].min() >= display.result.objective - 1e-12
    assert {text.get_text().split(":")[0] for text in display.ax_.get_legend().get_texts()} >= {
        "weights found"
    }


def test_weights_lie_inside_the_cell_drawn():
    display = WeightMapDisplay.from_predictions(F, Y, C).plot(resolution=5)
    u = display.result.log_weights
    assert display.cell_.get_path().contains_point(u[:2] - u[2])


def test_map_of_two_classes_and_abstaining():
    p = F[:, :2] / F[:, :2].sum(axis=1, keepdims=True)
    display = WeightMapDisplay.from_predictions(p, np.minimum(Y, 1), [[0, 3], [5, 0]], abstain_cost=0.6)
    display.plot(resolution=60, rays=False)
    assert display.ax_.get_xlabel() == "log weight of 0 against abstain"
    assert display.frame()["objective"].min() >= display.result.objective - 1e-12


def inside(polygon, point):
    return polygon.get_path().contains_point(point, radius=-1e-9)


@pytest.mark.parametrize("options", [{}, {"family": "columns"}, {"abstain_cost": 0.4}])
def test_regions_of_the_simplex_against_decisions(options):
    rule = optimize_weights(F, Y, C, rng=0, **options)
    display = SimplexDisplay.from_result(rule, F, Y).plot()
    corners = np.array([(0, 0), (1, 0), (0.5, np.sqrt(3) / 2)])
    points = np.random.default_rng(3).dirichlet(np.ones(3), 200)
    names = {0: "0", 1: "1", 2: "2", ABSTAIN: "abstain"}
    for point, code in zip(points, rule.decide(points).tolist(), strict=True):
        held = [name for name, region in display.regions_.items() if inside(region, point @ corners)]
        assert held in ([names[code]], [])
    covered = sum(inside(region, p @ corners) for p in points for region in display.regions_.values())
    assert covered >= 198
    assert (np.char.startswith(display.frame()["what"], "example of")).sum() == 40


def test_tree_shows_every_decision():
    tree = MetaClassTree().fit(F, Y, C)
    display = MetaClassTreeDisplay.from_result(tree).plot()
    drawn = display.frame()
    assert drawn["threshold"].tolist() == [node.threshold for _, node in tree.nodes()]
    assert drawn["depth"].tolist() == [0, 1]
    texts = [text.get_text() for text in display.ax_.texts]
    assert {"0", "1", "2"} <= set(texts)
    assert texts.count("yes") == texts.count("no") == 2
    single = MetaClassTreeDisplay.from_predictions([[1.0]], ["only"]).plot()
    assert single.frame()["leaf"].tolist() == ["only"]


def test_plot_into_given_axes():
    figure, axes = plt.subplots(1, 3)
    WeightMapDisplay.from_predictions(F, Y, C).plot(axes[0], resolution=4)
    SimplexDisplay.from_predictions(F, Y, C).plot(axes[1])
    display = MetaClassTreeDisplay.from_predictions(F, Y, C).plot(axes[2])
    assert display.ax_ is axes[2]
    assert display.figure_ is figure


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            lambda: WeightMapDisplay.from_predictions(F, Y, C, abstain_cost=1).plot(),
            InputError,
            "got 4 answers",
        ),
        (
            lambda: SimplexDisplay.from_predictions(F[:, :2], np.minimum(Y, 1), [[0, 1], [1, 0]]).plot(),
            InputError,
            "must have three classes, got 2 classes",
        ),
        (
            lambda: WeightMapDisplay.from_result(optimize_weights(F, Y, C)),
            InputError,
            "`scores` and `y_true` must",
        ),
        (lambda: WeightMapDisplay(result=3, scores=F, y_true=Y), InputError, "must be a ClassWeights"),
        (lambda: MetaClassTreeDisplay(result=3), InputError, "must be a MetaClassTree"),
        (lambda: MetaClassTreeDisplay(result=MetaClassTree()).plot(), DemurError, "not fitted yet"),
        (
            lambda: WeightMapDisplay.from_predictions(F, Y, C).plot(resolution=1),
            InputError,
            "`resolution` must",
        ),
    ],
)
def test_error_sentences(call, error, message):
    with pytest.raises(error, match=message):
        call()
