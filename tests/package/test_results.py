"""Every public class of results: JSON-safe, short when printed, and nobody can change it."""

import dataclasses
import json
from xml.etree import ElementTree

import numpy as np
import pytest

import demur
from demur._results import FrozenDict, Result, frozen, read_only
from made_results import MAKERS, RESULTS, SHARED, arrays_of, by_example, example_of, reachable

every_result = pytest.mark.parametrize("name", sorted(RESULTS))


@every_result
def test_an_example_or_a_maker_makes_one(name):
    assert type(example_of(name)) is RESULTS[name], f"{name}: show one in an example, or add it to MAKERS"


def test_makers_are_for_public_results_that_no_example_makes():
    known = {kind.__name__: kind for kind in RESULTS.values()}
    assert set(MAKERS) <= set(known)
    assert {name for name in MAKERS if known[name] in by_example()} == set()


@every_result
def test_to_dict_is_json_safe(name):
    contents = example_of(name).to_dict()
    assert isinstance(contents, dict)
    assert json.loads(json.dumps(contents, allow_nan=False)) == contents


@every_result
def test_repr_is_short(name):
    text = repr(example_of(name))
    assert text.startswith(RESULTS[name].__name__)
    assert len(text) < 2000
    assert "array(" not in text


@every_result
def test_a_notebook_shows_a_small_table(name):
    html = example_of(name)._repr_html_()
    if name != "demur.Report":  # which shows its whole page
        tree = ElementTree.fromstring(html)
        assert RESULTS[name].__name__ in "".join(tree.itertext())
        assert len(html) < 20_000
        assert "array(" not in html


@every_result
def test_nobody_can_change_it(name):
    result = example_of(name)
    for field in dataclasses.fields(result):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(result, field.name, 3)
    assert [array for array in arrays_of(result) if array.flags.writeable] == []
    for part in reachable(result):
        assert not isinstance(part, list)
        assert not isinstance(part, dict) or isinstance(part, FrozenDict)
    with pytest.raises(TypeError):
        iter(result)


def test_no_example_shares_a_writeable_array_with_its_caller():
    by_example()
    assert SHARED == []


# ---------------------------------------------------------------- what the caller holds


@pytest.mark.parametrize(
    "call",
    [
        lambda given: demur.honest.cost_curve_band([0, 1] * 30, np.arange(60) % 7, pc=given, rng=0),
        lambda given: demur.cautious.ClassThresholdRule(given),
        lambda given: demur.cautious.CautionWindowRule(given / given.sum(), 0.1),
        lambda given: demur.ordinal.normal_population(given, sds=given),
        lambda given: demur.CostMatrix(values=np.diag(given), classes=(0, 1, 2)),
    ],
)
def test_arrays_of_the_caller_stay_his_own(call):
    given = np.array([0.2, 0.3, 0.5])
    result = call(given)
    assert given.flags.writeable
    kept = [array.copy() for array in arrays_of(result)]
    given[:] = 0.9
    assert kept
    assert all(np.array_equal(a, b, equal_nan=True) for a, b in zip(kept, arrays_of(result), strict=True))


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Kept(Result):
    value: object


def test_what_is_frozen_already_is_not_copied():
    made = read_only(np.arange(3.0))
    assert Kept(value=made).value is made
    view = made[1:]
    assert Kept(value=view).value is view
    hidden = np.arange(3.0)
    window = hidden[:]
    window.flags.writeable = False
    held = Kept(value=window).value
    hidden[0] = 9
    assert held[0] == 0


def test_mappings_and_tuples_are_frozen_to_the_ground():
    table, column = {"rows": np.arange(2), "names": ["a", "b"]}, np.zeros(2)
    result = Kept(value={"table": table, "pair": (column, 1)})
    table["rows"][0] = column[0] = 7
    assert result.value["table"]["rows"].tolist() == [0, 1]
    assert result.value["pair"][0].tolist() == [0, 0]
    assert result.value["table"]["names"] == ("a", "b")
    for change in (
        lambda: result.value.update(a=1),
        lambda: result.value.pop("pair"),
        lambda: result.value["table"].__setitem__("rows", 1),
        lambda: result.value["table"].clear(),
    ):
        with pytest.raises(TypeError, match="cannot be changed"):
            change()
    assert frozen(result.value) is result.value


def test_frozen_mappings_travel():
    import copy
    import pickle

    mapping = FrozenDict(a=1, b=FrozenDict(c=2))
    for again in (pickle.loads(pickle.dumps(mapping)), copy.deepcopy(mapping)):
        assert again == mapping
        assert isinstance(again["b"], FrozenDict)
