"""Tables, curves and differences of a comparison against the numbers they show."""

from importlib import import_module

import numpy as np
import pytest

from demur import Binormal, CostModel, abstention_surface, compare_models, cost_curve

COSTS = CostModel(cost_fn=100, cost_fp=40, cost_abstain=12)


def models(n=200):
    y, new = Binormal(separation=1.6).sample(n, rng=0)
    old = new + np.random.default_rng(1).normal(size=n)
    return y, {"new": new, "old": old}


@pytest.fixture(scope="module")
def priced():
    return compare_models(*models(), costs=COSTS)


@pytest.fixture(scope="module")
def unpriced():
    return compare_models(*models())


def test_rules_hold_the_numbers_of_the_models(priced):
    rules = priced.tables()["Rules"].plain()
    place = rules["rule"].index("new")
    model = priced.models["new"]
    assert rules["cost"][place] == model.cost
    assert (rules["cost_low"][place], rules["cost_high"][place]) == model.interval
    assert rules["auc"][place] == model.auc
    assert rules["vacc"][place] == model.vacc
    assert rules["lower"][place] == model.window.lower
    assert {rules["rule"][k] for k in range(len(rules["rule"])) if not rules["needs_model"][k]} == set(
        priced.baselines
    )
    assert [name for name, one in zip(rules["rule"], rules["chosen"], strict=True) if one] == [
        priced.answer.model or priced.answer.kind
    ]
    costs = [cost for cost, needs in zip(rules["cost"], rules["needs_model"], strict=True) if needs]
    assert costs == sorted(costs)


def test_what_holds_over_all_costs_can_be_left_out(priced):
    names = list(priced.tables(over_all_costs=False))
    assert names == ["Rules", "Thresholds"]
    assert "auc" not in priced.tables(over_all_costs=False)["Rules"].plain()
    assert list(priced.tables()) == [*names, "Areas", "Operating points", "Differences", "Pairs"]


def test_without_costs_areas_come_first(unpriced):
    areas = unpriced.tables()["Areas"].plain()
    assert next(iter(unpriced.tables())) == "Areas"
    for place, name in enumerate(areas["model"]):
        model = unpriced.models[name]
        assert (areas["auc"][place], areas["vacc"][place]) == (model.auc, model.vacc)


def test_differences_against_the_surfaces_on_a_grid(unpriced):
    y, scores = models()
    ((first, second),) = unpriced.differences()
    gap = unpriced.differences()[first, second]
    at = (np.arange(400) + 0.5) / 400
    one, other = (
        abstention_surface(y, scores[name]).cost(at[:, None], at[None, :]) for name in (first, second)
    )
    assert gap.better_area == pytest.approx(np.mean(one < other - 1e-12), abs=0.01)
    assert gap.worse_area == pytest.approx(np.mean(one > other + 1e-12), abs=0.01)
    table = unpriced.tables()["Differences"].plain()
    assert table["better_area"] == [gap.better_area]
    assert table["largest_gain_mu"] == [gap.largest_gain_at[0]]


def test_curves_are_those_of_the_functions(priced):
    y, scores = models()
    curves = priced.curves()
    for name, score in scores.items():
        assert curves[name]["cost"].area() == cost_curve(y, score).area()
        assert curves[name]["surface"].volume() == abstention_surface(y, score).volume()
        assert curves[name]["roc"].counts.n == len(y)


def test_frames(priced):
    assert list(priced.to_frame()["rule"]) == priced.tables()["Rules"].plain()["rule"]
    assert priced.to_frame("polars").shape == priced.to_frame("pandas").shape


def test_groups_add_up(priced):
    y, _ = models()
    site = np.where(np.arange(len(y)) % 3 == 0, "south", "north")
    table = priced.tables(by=("site", priced.by(site)))["Groups"]
    plain = table.plain()
    assert sum(plain["n"][:-1]) == plain["n"][-1]
    mean = sum(share * cost for share, cost in zip(plain["share"][:-1], plain["cost"][:-1], strict=True))
    assert mean == pytest.approx(plain["cost"][-1], rel=1e-12)
    shown = [int(row[1].replace(",", "")) for row in table.section().rows]
    assert sum(shown[:-1]) == shown[-1]


def test_many_classes():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 240)
    proba = np.exp(rng.normal(size=(240, 3)) + 2 * np.eye(3)[y])
    proba /= proba.sum(axis=1, keepdims=True)
    costs = {0: {1: 2, 2: 5}, 1: {0: 3, 2: 1}, 2: {0: 9, 1: 4}}
    comparison = compare_models(y, {"new": proba}, classes=[0, 1, 2], costs=costs, abstain_cost=0.8)
    tables = comparison.tables()
    assert list(tables) == ["Rules", "Confusion"]
    assert comparison.curves() == {} == comparison.differences()
    confusion = tables["Confusion"].plain()
    assert sum(confusion["share"]) == pytest.approx(1, abs=1e-12)
    assert sum(confusion["cost"]) == pytest.approx(comparison.answer.honest_cost, rel=1e-9)


@pytest.mark.parametrize("backend", ["pandas", "polars"])
def test_a_frame_of_scores_is_a_mapping_of_its_columns(backend):
    library = import_module(backend)
    rng = np.random.default_rng(3)
    y = (rng.random(80) < 0.4).astype(int)
    columns = {"label": y, "old": y + rng.normal(size=80), "new": 2 * y + rng.normal(size=80)}
    costs = CostModel(cost_fn=10, cost_fp=4, cost_abstain=1)
    frame = library.DataFrame(columns)
    found = compare_models(frame["label"], frame[["old", "new"]], costs=costs)
    arrays = compare_models(y, {name: columns[name] for name in ("old", "new")}, costs=costs)
    assert found.to_dict() == arrays.to_dict()
    assert type(found.to_frame(backend)) is library.DataFrame
