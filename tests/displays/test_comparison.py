"""Figures of a comparison: what is drawn against the library, and what is refused."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import to_rgb

from demur import CaseCosts, CostModel, InputError, abstention_surface, compare_models
from demur.displays import (
    AbstentionSurfaceDisplay,
    BlockCostDisplay,
    GroupCostDisplay,
    PrevalenceDisplay,
    RegionsDisplay,
    SurfaceDifferenceDisplay,
    WindowDisplay,
)
from demur.displays.comparison import FIGURES, comparison_figure
from demur.surface.regions import cheapest_shares

RNG = np.random.default_rng(0)
N = 120
Y = (RNG.random(N) < 0.3).astype(int)
KNOWN = RNG.random((2, N)) < 0.6
SCORES = {
    "knows positives": 3 * Y * KNOWN[0] + RNG.normal(size=N),
    "knows negatives": -3 * (1 - Y) * KNOWN[1] + RNG.normal(size=N),
    "good": RNG.normal(1.5 * Y),
    "poor": RNG.normal(0.3 * Y),
}
COSTS = CostModel(cost_fn=100, cost_fp=40, cost_abstain=12)
SITE = np.where(np.arange(N) % 3 == 0, "north", "south")
UNIT = (0.0, 1.0)


@pytest.fixture(autouse=True)
def _closed_figures():
    yield
    plt.close("all")


def compared(number, **options):
    return compare_models(Y, dict(list(SCORES.items())[:number]), **options)


@pytest.fixture(scope="module")
def without_costs():
    return {number: compared(number) for number in (1, 2, 4)}


@pytest.fixture(scope="module")
def with_costs():
    return {number: compared(number, costs=COSTS, time=np.arange(N)) for number in (1, 2, 4)}


def whole(display):
    """Nothing sticks out of the figure, and no legend hides data."""
    figure = display.figure_
    figure.canvas.draw()
    box, (width, height) = figure.get_tightbbox(figure.canvas.get_renderer()), figure.get_size_inches()
    assert min(box.x0, box.y0) >= -0.02
    assert max(box.x1 - width, box.y1 - height) <= 0.02
    for ax in np.ravel(np.asarray(display.ax_, dtype=object)):
        legend = ax.get_legend()
        assert legend is None or not legend.get_window_extent().overlaps(ax.get_window_extent())


KINDS = {
    "surface": AbstentionSurfaceDisplay,
    "difference": SurfaceDifferenceDisplay,
    "regions": RegionsDisplay,
    "prevalence": PrevalenceDisplay,
    "scores": WindowDisplay,
    "blocks": BlockCostDisplay,
    "groups": GroupCostDisplay,
}


def test_every_kind_is_tried():
    # test_class_vacc.py tries what needs more than two classes
    assert {*KINDS, "reviews"} == set(FIGURES)


@pytest.mark.parametrize("number", [1, 2, 4])
@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_with_costs(kind, number, with_costs):
    if kind == "difference" and number == 1:
        with pytest.raises(InputError, match="`--figure difference` needs two models, got one"):
            comparison_figure(with_costs[1], kind)
        return
    display = comparison_figure(with_costs[number], kind, by=SITE)
    assert isinstance(display, KINDS[kind])
    assert display.frame()
    whole(display)


@pytest.mark.parametrize("number", [1, 2, 4])
@pytest.mark.parametrize("kind", ["surface", "difference", "regions", "scores"])
def test_every_kind_without_costs(kind, number, without_costs):
    if kind == "difference" and number == 1:
        return
    display = comparison_figure(without_costs[number], kind)
    assert isinstance(display, KINDS[kind])
    whole(display)


def test_surface_is_of_the_answer_or_of_the_smallest_volume(with_costs, without_costs):
    for comparison in (with_costs[4], without_costs[4]):
        models = comparison.models
        best = (
            min(models, key=lambda name: models[name].vacc)
            if comparison.answer is None
            else comparison.answer.model
        )
        display = comparison_figure(comparison, "surface")
        assert display.ax_.get_title() == best
        drawn, surface = display.frame(), abstention_surface(Y, SCORES[best])
        np.testing.assert_allclose(drawn["value"], surface.cost(drawn["mu"], drawn["nu"]), rtol=1e-12)
    # the window is marked where costs are given: a miss costs 100, a false alarm 40, a review 12
    marks = [
        line for line in comparison_figure(with_costs[4], "surface").ax_.lines if line.get_marker() == "o"
    ]
    np.testing.assert_allclose(marks[0].get_xydata(), [[0.4, 0.12]])
    assert not [line for line in display.ax_.lines if line.get_marker() == "o"]


def test_difference_is_of_the_two_cheapest_models(with_costs):
    models = with_costs[4].models
    first, second = sorted(models, key=lambda name: models[name].cost)[:2]
    display = comparison_figure(with_costs[4], "difference")
    gap = abstention_surface(Y, SCORES[first]).minus(abstention_surface(Y, SCORES[second]), nu=(0.0, 0.5))
    assert display.result.better_area == pytest.approx(gap.better_area, rel=1e-12)
    drawn = display.frame()
    expected = np.asarray(gap.cost(drawn["mu"], drawn["nu"]))
    np.testing.assert_allclose(drawn["difference"], expected, atol=1e-12)
    legend = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert f"{first} cheaper on {100 * gap.better_area / 0.5:.1f} % of the area" in legend


def test_shares_of_regions_against_the_library_and_a_count(without_costs):
    display = comparison_figure(without_costs[4], "regions")
    surfaces = [abstention_surface(Y, SCORES[name]) for name in SCORES]
    own = cheapest_shares([one.masses for one in (*surfaces, surfaces[0].trivial())], UNIT, UNIT)
    shares = display.shares_
    np.testing.assert_allclose([shares[name] for name in SCORES], own[:4], rtol=1e-12)
    assert own[4] == 0
    assert sum(shares.values()) == pytest.approx(1, abs=1e-12)
    drawn = display.frame()["cheapest"]
    for name, share in shares.items():
        # the grid has points on the axes, where everything is free
        assert np.mean(drawn == name) == pytest.approx(share, abs=0.01), name
    legend = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    for name in SCORES:
        assert (f"{name}: {100 * shares[name]:.1f} % of the area" in legend) == (shares[name] >= 0.0005)


def test_regions_of_models_that_know_nothing_by_hand():
    # at prevalence 1/2 false alarms cost mu / 2 and reviews nu: abstain below the line nu = mu / 2
    display = RegionsDisplay.from_predictions([0, 1] * 4, {"a": [1] * 8, "b": [2] * 8}).plot()
    shares = {name: share for name, share in display.shares_.items() if share > 0}
    assert shares == pytest.approx({"always positive": 0.75, "always abstain": 0.25}, abs=1e-12)
    # two models that are the same below all rules without a model
    twins = RegionsDisplay.from_predictions([0, 1] * 4, {"a": [0, 1] * 4, "b": [0, 1] * 4}).plot()
    assert twins.shares_["several models alike"] == 1


@pytest.mark.parametrize("mu", [1.0, 0.25])
def test_map_of_prevalences_against_surfaces(mu):
    """Every point of the map against the surfaces at its prevalence."""
    display = PrevalenceDisplay.from_predictions(Y, SCORES).plot(mu=mu, resolution=12, point=(0.05, 0.1))
    drawn = display.frame()
    for rate, nu, name in zip(drawn["prevalence"], drawn["nu"], drawn["cheapest"], strict=True):
        surfaces = {key: abstention_surface(Y, s, prevalence=rate) for key, s in SCORES.items()}
        costs = {key: surface.cost(mu, nu) for key, surface in surfaces.items()}
        trivial = {"always negative": rate, "always positive": mu * (1 - rate), "always abstain": nu}
        if name in trivial:
            assert trivial[name] == pytest.approx(min(trivial.values()), abs=1e-12)
            assert min(costs.values()) == pytest.approx(trivial[name], abs=1e-9)
        else:
            assert costs[name] == pytest.approx(min(costs.values()), abs=1e-12)
            assert costs[name] < min(trivial.values())
    (place,) = display.point_.get_xdata()
    assert place == pytest.approx(0.05 / (0.05 + mu * 0.95))
    whole(display)


def test_borders_of_regions_are_no_ties():
    # the border mu = 1 / 2 lies on points of the grid
    y = [0] * 20 + [1] * 20
    models = {"alarms": [0] * 16 + [1] * 24, "misses": [0] * 20 + [0] * 2 + [1] * 18}
    display = RegionsDisplay.from_predictions(y, models).plot(resolution=101)
    drawn = display.frame()
    assert display.shares_["several models alike"] == 0
    assert not np.any(drawn["cheapest"] == "several models alike")


def test_figures_of_long_names_keep_their_words_inside():
    names = [f"gradient_boosting_with_all_features_and_calibration_v{k}" for k in range(3)]
    rng = np.random.default_rng(0)
    models = {name: rng.normal(size=N) + (k + 1) * Y for k, name in enumerate(names)}
    found = compare_models(Y, models)
    for kind in ("regions", "difference"):
        figure = comparison_figure(found, kind).figure_
        figure.canvas.draw()
        axes, size = figure.axes, figure.bbox
        boxes = [
            axes[0].get_legend().get_window_extent(),
            *(one.yaxis.label.get_window_extent() for one in axes),
        ]
        assert all(box.x0 >= 0 and box.x1 <= size.x1 for box in boxes), kind
        assert all(box.y0 >= 0 and box.y1 <= size.y1 for box in boxes), kind


def test_shares_of_the_difference_are_those_of_the_table():
    rng = np.random.default_rng(2)
    found = compare_models(Y, {"a": rng.normal(size=N) + Y, "b": rng.normal(size=N) + 0.8 * Y})
    (gap,) = found.differences().values()
    legend = comparison_figure(found, "difference").ax_.get_legend().get_texts()
    assert f"{100 * gap.better_area:.1f} % of the area" in legend[1].get_text()
    table = found.tables()["Differences"]
    columns = {column.name: column.values for column in table.columns if column.name}
    assert columns["better_area_mu"][0] == gap.within()[0][0]
    pair = found.to_dict()["pairs"][0]
    assert pair["better_within"] == [list(ends) for ends in gap.within()[0]]


def test_regions_of_many_models_name_the_largest():
    rng = np.random.default_rng(1)
    models = {f"model {k}": rng.normal(size=N) + k % 3 * Y for k in range(9)}
    display = RegionsDisplay.from_predictions(Y, models).plot(resolution=20)
    legend = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert sum(display.shares_.values()) == pytest.approx(1, abs=1e-12)
    assert sum(word.startswith("model ") for word in legend) <= 6
    colors = [to_rgb(patch.get_facecolor()[:3]) for patch in display.ax_.get_legend().get_patches()]
    assert len(set(colors)) == len(colors)


def test_the_own_costs_are_marked_and_shown(with_costs, without_costs):
    assert comparison_figure(without_costs[2], "regions").point_ is None
    marked = comparison_figure(with_costs[2], "regions").point_
    np.testing.assert_allclose(marked.get_xydata(), [[0.4, 0.12]])
    # a false alarm that costs more than a miss widens the figure; without reviews the mark is at its top
    dear = compared(2, costs=CostModel(cost_fn=10, cost_fp=30))
    display = comparison_figure(dear, "regions")
    assert display.point_.get_xydata()[0].tolist() == [3.0, display.ax_.get_ylim()[1]]
    assert display.ax_.get_xlim()[1] > 3
    assert "no abstaining" in display.point_.get_label()
    assert comparison_figure(dear, "surface").frame()["mu"].max() > 3


def test_scores_have_the_window_where_there_is_one(with_costs, without_costs):
    shown = comparison_figure(with_costs[4], "scores")
    answer = with_costs[4].answer
    assert (shown.window.lower, shown.window.upper) == (
        with_costs[4].models[answer.model].window.lower,
        with_costs[4].models[answer.model].window.upper,
    )
    bare = comparison_figure(without_costs[4], "scores")
    assert bare.window is None
    drawn = bare.frame()
    assert set(drawn["decision"]) == {"none"}
    assert drawn["positive"].sum() + drawn["negative"].sum() == pytest.approx(1, abs=1e-12)


def test_costs_by_case_have_no_point_on_the_plane():
    costs = CaseCosts(cost_fn=np.exp(RNG.normal(size=N)), cost_fp=1, cost_abstain=0.3)
    comparison = compared(2, costs=costs)
    assert comparison_figure(comparison, "regions").point_ is None
    assert comparison_figure(comparison, "surface").frame()
    assert comparison_figure(comparison, "scores").window is not None


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("blocks", "`--figure blocks` needs times and costs, got none. Hint: `--time COLUMN`"),
        ("groups", "`--figure groups` needs groups, got none. Hint: name their column: `--by COLUMN`"),
        (
            "roc",
            "`--figure` must be one of 'surface', 'difference', 'regions', 'prevalence', 'reviews', 'scores'",
        ),
    ],
)
def test_refusals(kind, message, without_costs):
    with pytest.raises(InputError, match=message):
        comparison_figure(without_costs[2], kind)


def test_many_classes_have_groups_and_blocks():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 90)
    proba = 0.6 * np.eye(3)[y] + 0.4 * rng.dirichlet([1, 1, 1], 90)
    costs = {k: {j: 1 for j in range(3) if j != k} for k in range(3)}
    comparison = compare_models(y, {"m": proba}, costs=costs, classes=[0, 1, 2], abstain_cost=0.2)
    assert isinstance(comparison_figure(comparison, "groups", by=y % 2), GroupCostDisplay)
    for kind in ("surface", "difference", "regions", "scores"):
        with pytest.raises(
            InputError, match=f"`--figure {kind}` needs two classes, got 3. Hint: .*groups.*blocks"
        ):
            comparison_figure(comparison, kind)


def test_differences_with_people_who_err_show_their_border():
    people = {"ray": (1.0, 2.0), "reviewer": (0.95, 0.9)}
    display = SurfaceDifferenceDisplay.from_predictions(Y, SCORES["good"], SCORES["poor"], **people)
    first, second = (abstention_surface(Y, SCORES[name]) for name in ("good", "poor"))
    gap = first.minus(second, nu=display.result.nu, **people)
    drawn = display.frame()
    assert drawn["difference"] == pytest.approx(gap.cost(drawn["mu"], drawn["nu"]), abs=1e-12)
    (border,) = [line for line in display.ax_.get_lines() if "never pays" in str(line.get_label())]
    mu, nu = border.get_data()
    # at nu = mu (1 - .05 - .1) / (mu + 2) a review costs a block what deciding it costs
    assert nu == pytest.approx(0.85 * mu / (mu + 2))
    assert display.result.nu[1] == pytest.approx(0.85 / 3)
    whole(display)
