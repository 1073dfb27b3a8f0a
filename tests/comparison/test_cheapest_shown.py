"""The recommended rule is the cheapest of everything a comparison shows, at random costs on five files."""

import csv

import numpy as np
import pytest

from comparison_files import FILES, random_costs
from demur import CostModel, compare_models
from demur.comparison.estimates import cost_at, gap_of


def shown_costs(comparison):
    """Every honest cost that stands anywhere in the comparison."""
    costs = dict(comparison.trivial)
    for name, model in comparison.models.items():
        costs[name, "window"] = model.cost
        costs[name, "threshold"] = model.threshold_cost
    return costs


def require_cheapest(comparison, least):
    """The answer costs least, or is simpler than what does and dearer by less than a tenth of the error."""
    answer, choice = comparison.answer, comparison.choice
    if answer.honest_cost <= least * (1 + 1e-12):
        return
    centre = choice.problem.centre
    cheapest = min(choice.all, key=lambda one: cost_at(one, centre))
    (chosen,) = [
        one
        for one in choice.all
        if one.model == answer.model
        and cost_at(one, centre) == answer.honest_cost
        and one.order < cheapest.order
    ]
    assert chosen.order[0] < cheapest.order[0]
    error = gap_of(chosen, cheapest, choice.problem).standard_error
    assert answer.honest_cost - least < 0.1 * error


def check_cheapest(y, scores, points):
    for miss, alarm, review in points:
        costs = CostModel(cost_fn=miss, cost_fp=alarm, cost_abstain=review)
        comparison = compare_models(y, scores, costs=costs)
        shown, answer = shown_costs(comparison), comparison.answer
        least = min(shown.values())
        require_cheapest(comparison, least)
        # and it is the very rule it names
        if answer.model is None:
            assert answer.cost == comparison.trivial[answer.kind]
        else:
            model = comparison.models[answer.model]
            assert answer.honest_cost in (model.cost, model.threshold_cost)
            thresholds = {(model.window.lower, model.window.upper), (model.threshold, model.threshold)}
            assert (answer.lower, answer.upper) in thresholds
        # the words name it
        named = answer.model if answer.model is not None else "no model beats this"
        assert named in answer.words
        assert answer.interval.low <= answer.honest_cost * (1 + 1e-12)
        assert answer.honest_cost <= answer.cost <= answer.interval.high
        if answer.model is not None:
            assert answer.honest_cost < min(comparison.trivial.values())
        if answer.verdict != "unproven":
            assert answer.versus["trivial"].difference < 0


@pytest.mark.parametrize("name", FILES)
def test_recommended_rule_is_the_cheapest_shown(name):
    y, scores = FILES[name]()
    check_cheapest(y, scores, random_costs(sorted(FILES).index(name), 8))


@pytest.mark.long
@pytest.mark.parametrize("name", FILES)
def test_recommended_rule_is_the_cheapest_shown_at_40_points(name):
    y, scores = FILES[name]()
    check_cheapest(y, scores, random_costs(10 + sorted(FILES).index(name), 40))


@pytest.mark.long
def test_recommended_rule_is_the_cheapest_shown_on_real_scores(shared_folder):
    files = sorted((shared_folder / "data" / "weka_scores").glob("*_seed*.csv"))
    for number, file in enumerate(files[:3]):
        with open(file) as handle:
            rows = list(csv.DictReader(handle))
        y = np.array([int(row["y_true"]) for row in rows])
        learners = [key for key in rows[0] if key != "y_true" and _is_score(rows, key)]
        scores = {key: np.array([float(row[key]) for row in rows]) for key in learners}
        check_cheapest(y, scores, random_costs(20 + number, 10))


def _is_score(rows, key):
    try:
        return len({float(row[key]) for row in rows}) > 2
    except ValueError:
        return False


def test_limits_are_kept_by_everything_shown():
    y, scores = FILES["tied"]()
    for miss, alarm, review in random_costs(7, 4):
        costs = CostModel(cost_fn=miss, cost_fp=alarm, cost_abstain=review)
        limits = {"max_abstention": 0.2, "max_fn_rate": 0.3}
        comparison = compare_models(y, scores, costs=costs, **limits)
        assert "always abstain" not in comparison.trivial
        assert "always negative" not in comparison.trivial
        shown = {key: cost for key, cost in shown_costs(comparison).items() if cost is not None}
        require_cheapest(comparison, min(shown.values()))
        for name, model in comparison.models.items():
            if model.window is not None:
                assert model.window.abstention_rate <= 0.2 + 1e-12
                missed = np.mean(np.asarray(scores[name])[y == 1] <= model.window.lower)
                assert missed <= 0.3 + 1e-12
