"""`CostRange`: a box of costs, its corners and its checks."""

import itertools
import json

import pytest

from demur import CostModel, CostRange, InputError
from demur._results import Interval


def test_a_number_is_a_range_of_length_zero():
    costs = CostRange(cost_fn=5, cost_fp=(1, 2), cost_abstain=0.5)
    assert costs.cost_fn == Interval(5.0, 5.0)
    assert costs.cost_fp == Interval(1.0, 2.0)
    assert not costs.is_point
    assert CostRange(cost_fn=5, cost_fp=1, cost_abstain=(0.5, 0.5)).is_point


def test_corners_by_hand():
    costs = CostRange(cost_fn=(4, 6), cost_fp=1, cost_abstain=(0.1, 0.3))
    expected = [
        CostModel(cost_fn=fn, cost_fp=1, cost_abstain=abstain)
        for fn, abstain in itertools.product((4, 6), (0.1, 0.3))
    ]
    assert costs.corners() == expected
    assert costs.lower == expected[0]
    assert costs.upper == expected[-1]
    assert costs.mean == CostModel(cost_fn=5, cost_fp=1, cost_abstain=0.2)


def test_three_ranges_have_eight_corners():
    costs = CostRange(cost_fn=(4, 6), cost_fp=(1, 2), cost_abstain=(0.1, 0.3))
    corners = costs.corners()
    assert len(corners) == len({(c.cost_fn, c.cost_fp, c.cost_abstain) for c in corners}) == 8


def test_without_a_cost_of_abstaining_no_corner_may_abstain():
    costs = CostRange(cost_fn=(4, 6), cost_fp=(1, 2))
    assert not costs.may_abstain
    assert len(costs.corners()) == 4
    assert not any(corner.may_abstain for corner in [*costs.corners(), costs.mean, costs.upper])


def test_round_trip_through_json():
    costs = CostRange(cost_fn=(4, 6), cost_fp=2, cost_abstain=None)
    data = json.loads(json.dumps(costs.to_dict(), allow_nan=False))
    assert data == {"cost_fn": [4.0, 6.0], "cost_fp": [2.0, 2.0], "cost_abstain": None}
    assert CostRange(**data) == costs
    assert repr(costs) == "CostRange(cost_fn=(4, 6), cost_fp=2, cost_abstain=None)"


def test_a_range_cannot_be_changed():
    costs = CostRange(cost_fn=(4, 6))
    with pytest.raises(AttributeError):
        costs.cost_fn = 3  # type: ignore[misc]
    with pytest.raises(TypeError):
        CostRange(4, 6)  # type: ignore[misc]


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"cost_fn": (6, 4)}, "`cost_fn` must be a number or a pair"),
        ({"cost_fn": (1, 2, 3)}, "`cost_fn` must be a number or a pair"),
        ({"cost_fn": (0, 2)}, "`cost_fn` must be above 0"),
        ({"cost_fp": (-1, 2)}, "`cost_fp` must be at least 0"),
        ({"cost_fp": None}, "`cost_fp`"),
        ({"cost_abstain": "cheap"}, "`cost_abstain`"),
        ({"cost_abstain": (1, float("inf"))}, "`cost_abstain`"),
        ({"cost_abstain": (float("nan"), 1)}, "`cost_abstain`"),
    ],
)
def test_bad_ranges_are_refused_in_one_sentence(given, sentence):
    with pytest.raises(InputError, match=sentence):
        CostRange(**given)
