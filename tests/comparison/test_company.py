"""Honest numbers that do not move: whatever stands beside a model, and hardly with the seed."""

import json

import numpy as np
import pytest

from comparison_files import FILES
from demur import CostModel, CostRange, compare_models, cross_fitted_surface, volume_interval

COSTS = CostModel(cost_fn=500, cost_fp=100, cost_abstain=20)
QUESTIONS = {
    "point": {"costs": COSTS},
    "limits": {"costs": COSTS, "max_abstention": 0.1, "max_fn_rate": 0.2},
    "prevalence": {"costs": COSTS, "prevalence": 0.1},
    "box": {"costs": CostRange(cost_fn=(300, 600), cost_fp=100, cost_abstain=20)},
    "no costs": {},
}


def numbers(comparison, name):
    return json.dumps(comparison.models[name].to_dict(), sort_keys=True)


@pytest.mark.parametrize(
    ("file", "question"),
    [
        ("tied", "point"),
        ("rare", "point"),
        ("rare", "limits"),
        ("tied", "prevalence"),
        ("rare", "box"),
        ("tied", "no costs"),
    ],
)
def test_other_models_do_not_change_a_model(file, question):
    y, scores = FILES[file]()
    options = QUESTIONS[question]
    names = list(scores)
    together = compare_models(y, scores, **options)
    backwards = compare_models(y, {name: scores[name] for name in names[::-1]}, **options)
    noise = np.random.default_rng(0).normal(size=len(y))
    crowded = compare_models(y, {"noise": noise, **scores}, **options)
    for name in names:
        alone = compare_models(y, {name: scores[name]}, **options)
        wanted = numbers(alone, name)
        assert numbers(together, name) == wanted
        assert numbers(backwards, name) == wanted
        assert numbers(crowded, name) == wanted
        assert together.trivial == alone.trivial == crowded.trivial
    assert list(backwards.models) == names[::-1]


def test_order_of_the_models_decides_ties_alone():
    y, scores = FILES["tied"]()
    answers = []
    for names in (list(scores), list(scores)[::-1]):
        answers.append(compare_models(y, {name: scores[name] for name in names}, costs=COSTS).answer)
    one, two = (answer.to_dict() for answer in answers)
    assert one == two


def test_every_door_holds_the_same_honest_number():
    y, scores = FILES["tied"]()
    comparison = compare_models(y, scores, costs=COSTS)
    company = compare_models(y, scores, costs=COSTS, include="combinations")
    for name, column in scores.items():
        surface = cross_fitted_surface(y, column)
        model = comparison.models[name]
        unit = COSTS.cost_fn
        assert model.cost == pytest.approx(unit * surface.cost(COSTS.mu, COSTS.nu), rel=1e-12)
        assert model.threshold_cost == pytest.approx(unit * surface.cost(COSTS.mu, np.inf), rel=1e-12)
        assert model.hindsight_cost == pytest.approx(unit * surface.hindsight(COSTS.mu, COSTS.nu), rel=1e-12)
        assert company.models[name].to_dict() == model.to_dict()
        volume = volume_interval(y, column)
        assert (model.vacc, model.vacc_interval.low, model.vacc_interval.high, model.hindsight_vacc) == (
            volume.honest,
            volume.low,
            volume.high,
            volume.hindsight,
        )


def test_the_same_call_gives_the_same_bytes():
    y, scores = FILES["constant"]()
    made = [json.dumps(compare_models(y, scores, costs=COSTS, seed=5).to_dict()) for _ in range(2)]
    assert made[0] == made[1]
    other = compare_models(y, scores, costs=COSTS, seed=6)
    assert other.models["little"].cost != compare_models(y, scores, costs=COSTS, seed=5).models["little"].cost


def seed_study(points, seeds):
    """Honest costs, half-widths of intervals and answers of the demo's models over seeds."""
    y, scores = FILES["demo"]()
    for costs in points:
        made = [compare_models(y, scores, costs=costs, seed=seed) for seed in range(seeds)]
        spread = {name: np.std([one.models[name].cost for one in made], ddof=1) for name in scores}
        half = {
            name: np.mean([np.subtract(*one.models[name].interval[::-1]) / 2 for one in made])
            for name in scores
        }
        yield made, spread, half


def same_model_share(made):
    """Share of the seeds with the usual answer, among those whose lead exceeds one standard error."""
    clear = []
    for one in made:
        versus = one.answer.versus.get("runner_up")
        if versus is None:
            continue
        error = (versus.interval.high - versus.interval.low) / (2 * 1.959963984540054)
        if -versus.difference > error:
            clear.append(one.answer.model)
    if not clear:
        return 1.0
    return max(clear.count(name) for name in set(clear)) / len(clear)


def test_honest_costs_of_the_demo_hardly_move_with_the_seed():
    for made, spread, half in seed_study([COSTS], 6):
        # a tenth of the half-width, with room for a standard deviation from 6 seeds
        for name, value in spread.items():
            assert value < 0.17 * half[name]
        assert same_model_share(made) >= 0.95


@pytest.mark.long
@pytest.mark.parametrize(
    "costs",
    [
        COSTS,
        pytest.param(
            CostModel(cost_fn=10_000, cost_fp=500, cost_abstain=20),
            marks=pytest.mark.xfail(
                strict=True,
                reason="few missed cases carry the whole cost: about .14 of a half-width for one model, and "
                "a tenth would need twice the splits",
            ),
        ),
        CostModel(cost_fn=100, cost_fp=100),
    ],
    ids=["demo", "expensive misses", "never abstaining"],
)
def test_seed_stability_over_50_seeds(costs):
    for made, spread, half in seed_study([costs], 50):
        for name, value in spread.items():
            assert value < 0.1 * half[name], name
        assert same_model_share(made) >= 0.95
