"""The numbers of every model of more than 300 decision problems, as they were recorded before the redesign.

A number that changes on purpose is recorded anew by `python tests/golden/record.py`, which prints what
changed. Problems of a family are compared once per run, whichever process asks first.
"""

import copy
import dataclasses
import functools
import inspect
import json
import operator

import numpy as np
import pytest

from demur import CaseCosts, CostMatrix, CostModel, CostRange, Reviewer, compare_models
from demur.comparison.class_learner import KINDS
from demur.comparison.problem import OBJECTIVES, Limits
from demur.costs import ReviewCascade
from demur.windows.limits import LIMITS
from golden.entries import TOLERANCE, differences, headline_of, numbers_of, read
from golden.problems import families, problems
from golden.record import HEADLINES, NUMBERS


@pytest.fixture
def found(made_once):
    """Return a function: family -> name of a problem -> its numbers and its headline of today."""

    def of_family(family):
        def make(path):
            entries = {}
            for problem in families()[family]:
                # problems of two classes that are also spelt with classes=[0, 1] are asked that way
                comparison = problem.comparison(as_classes=problem.given_as_classes is not None)
                entries[problem.name] = [numbers_of(comparison), headline_of(comparison)]
            path.write_text(json.dumps(entries))

        return json.loads(made_once(f"golden-{family.replace(' ', '-')}.json", make).read_text())

    return of_family


def changes(recorded, found, part):
    """Return what differs from the record, a line each."""
    return [
        f"{name}: {line}"
        for name, entries in found.items()
        for line in differences(_compared(recorded[name]), entries[part], problems()[name].scale())
    ]


def _compared(entry):
    return {name: value for name, value in entry.items() if name != "given_as_classes"}


@pytest.mark.parametrize("family", families())
def test_numbers_of_models_against_the_record(family, found):
    assert changes(read(NUMBERS), found(family), 0) == []


@pytest.mark.parametrize("family", families())
def test_headlines_and_intervals_against_the_record(family, found):
    assert changes(read(HEADLINES), found(family), 1) == []


# ---------------------------------------------------------------- what is recorded


def test_every_problem_is_recorded_and_every_record_is_a_problem():
    for path in (NUMBERS, HEADLINES):
        assert list(read(path)) == list(problems())
    given = {name for name, entry in read(NUMBERS).items() if entry.get("given_as_classes")}
    assert given == {name for name, one in problems().items() if one.given_as_classes is not None}


def test_names_tell_problems_apart_and_drawing_again_gives_the_same():
    assert len(problems()) >= 300
    once, again = problems(), problems.__wrapped__()
    for name, one in once.items():
        assert np.array_equal(one.y, again[name].y, equal_nan=np.asarray(one.y).dtype.kind == "f")
        for model, scores in one.scores.items():
            assert np.array_equal(scores, again[name].scores[model])


def test_half_of_the_problems_have_ties_and_some_two_cases_of_a_class():
    made = problems().values()
    assert sum(problem.tied for problem in made) >= 0.45 * len(problems())
    rare = [problem for problem in made if np.unique(problem.y, return_counts=True)[1].min() == 2]
    assert len(rare) >= 50
    assert {problem.family for problem in rare} >= {"point", "limits", "ranges", "amounts", "3 classes"}


def test_every_limit_has_problems_alone_with_ranges_with_amounts_and_with_others():
    every = {one.name for one in dataclasses.fields(Limits)}
    alone = {problem.name.split("/")[1] for problem in families()["limits"] if problem.limits}
    assert every <= alone
    sharpened = {"precision_confidence"}  # refused beside ranges and amounts
    for kind in (CostRange, CaseCosts):
        used = {
            name
            for problem in problems().values()
            if isinstance(problem.costs, kind)
            for name in problem.limits
        }
        assert used == every - sharpened
    assert any(len(problem.limits) > 1 for problem in problems().values())
    of_classes = {
        name for problem in problems().values() if "classes" in problem.options for name in problem.limits
    }
    assert of_classes == {limit.name for limit in LIMITS if limit.many_classes}


@pytest.mark.parametrize("kind", [CostModel, CostRange, CaseCosts, Reviewer, ReviewCascade])
def test_every_field_of_every_kind_of_costs_occurs(kind):
    made = [problem.costs for problem in problems().values()]
    # what a cost model keeps of its reviewer
    made += [one.hired if isinstance(one, CostModel) else getattr(one, "reviewer", None) for one in made]
    made = [one for one in made if isinstance(one, kind)]
    assert made
    names = [name for name in inspect.signature(kind).parameters if name != "reviewer"]
    for name in names:
        default = inspect.signature(kind).parameters[name].default
        values = [getattr(one, name) for one in made]
        assert any(np.ndim(value) or value != default for value in values), name
    for name in names if kind is CostRange else ():
        assert any(getattr(one, name) is not None and np.ptp(getattr(one, name)) > 0 for one in made), name


def test_every_argument_objective_rule_and_form_occurs():
    used = {name for problem in problems().values() for name in problem.options}
    assert set(inspect.signature(compare_models).parameters) - {"y_true", "scores"} <= used
    assert {problem.options.get("objective") for problem in problems().values()} == {None, *OBJECTIVES}
    assert {problem.form for problem in problems().values()} == {"rows", "counts", "joint"}
    assert any(isinstance(problem.costs, CostMatrix) for problem in problems().values())
    assert any(problem.costs is None for problem in problems().values())
    rules = {
        kind
        for name, entry in read(NUMBERS).items()
        if "classes" in problems()[name].options
        for model in entry["models"].values()
        for kind in model["rules"]
    }
    assert rules == set(KINDS)
    sizes = {
        len(problem.options["classes"]) for problem in problems().values() if "classes" in problem.options
    }
    assert sizes == {3, 6}


def test_few_windows_tie_so_most_thresholds_are_compared():
    models = [model for entry in read(NUMBERS).values() for model in entry["models"].values()]
    tied = sum("window" in model.get("tied", {}) for model in models)
    assert 0 < tied < 0.1 * len(models)


# ---------------------------------------------------------------- the comparison can fail


@pytest.mark.parametrize("name", ["point/tied/1", "amounts/plain/0", "3 classes/plain/plain/0"])
def test_every_number_of_a_problem_is_compared_by_changing_each(name):
    """Three times the tolerance of the largest unit is found, a third of that of the smallest is not."""
    entry, scale = _compared(read(NUMBERS)[name]), problems()[name].scale()
    places = list(_places(entry))
    assert len(places) > 10
    for place in places:
        number = functools.reduce(operator.getitem, place, entry)
        for step, expected in ((3 * max(scale, abs(number)), 1), (0.3, 0)):
            moved = copy.deepcopy(entry)
            functools.reduce(operator.getitem, place[:-1], moved)[place[-1]] += step * TOLERANCE
            assert len(differences(entry, moved, scale)) == expected, (place, step)


def _places(entry, before=()):
    """Places of all finite numbers."""
    pairs = entry.items() if isinstance(entry, dict) else enumerate(entry)
    for key, value in pairs:
        if isinstance(value, (dict, list)):
            yield from _places(value, (*before, key))
        elif isinstance(value, float) and np.isfinite(value):
            yield (*before, key)


def test_a_number_more_or_less_and_another_word_are_found_and_ties_are_not():
    entry = {"models": {"a": {"cost": 1.0, "lower": 0.5, "kind": "weights", "tied": {"window": "2 others"}}}}
    other = copy.deepcopy(entry)
    other["models"]["a"] |= {"lower": 0.7}
    del other["models"]["a"]["tied"]
    assert differences(entry, other, 1.0) == []
    other["models"]["a"] |= {"cost": 1.1, "kind": "argmax", "auc": 0.5}
    (cost, kind, auc) = differences(entry, other, 1.0)
    assert cost == "models / a / cost: recorded 1.0, found 1.1, off by 0.1"
    assert kind == "models / a / kind: recorded 'weights', found 'argmax'"
    assert auc == "models / a / auc: new"
    assert differences(entry, {"models": {}}, 1.0) == ["models / a: missing"]


# ---------------------------------------------------------------- the other spelling


@pytest.mark.parametrize("place", [0, 1, 3])
def test_class_spelling_asks_the_same_problem(place):
    """Costs agree where all scores differ; where they are rounded, that is what the redesign must reach."""
    plain = [one for one in families()["two classes"] if "/plain/" in one.name]
    recorded = read(NUMBERS)[plain[place].name]["models"]
    for name, model in plain[place].comparison(as_classes=True).models.items():
        assert model.cost == pytest.approx(recorded[name]["cost"], abs=TOLERANCE * plain[place].scale())
        assert model.hindsight_cost == pytest.approx(recorded[name]["hindsight_cost"], rel=1e-12)
