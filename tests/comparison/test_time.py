"""Rules chosen on the past: blocks of time, what is judged, and what the words say about the period."""

import numpy as np
import pytest

from demur import CaseCosts, CostModel, InputError, compare_models
from demur.honest.splits import split_by_time
from demur.surface import abstention_surface

COSTS = CostModel(cost_fn=10, cost_fp=10, cost_abstain=2.5)


def _drifting(n=3000, drift=1.5, seed=0):
    rng = np.random.default_rng(seed)
    when = np.arange(n)
    y = (rng.random(n) < 0.3).astype(int)
    return y, 1.5 * y + rng.normal(size=n) + drift * when / n, when


def _split(time, codes, **changed):
    n = len(time)
    given = {"number": np.ones(n), "cases": np.ones(n), "cell": np.arange(n), **changed}
    return split_by_time(np.asarray(time), np.asarray(codes), 2, **given)


# ---------------------------------------------------------------- blocks


def test_ten_blocks_of_equal_size_by_hand():
    splits = _split(np.arange(1000)[::-1], np.arange(1000) % 2)
    assert (splits.folds, splits.first, splits.forward) == (10, 3, True)
    assert splits.repeats[0].fold[[0, 99, 100, 999]].tolist() == [9, 9, 8, 0]
    assert splits.periods[0] == (0, 99)
    assert splits.judged().sum() == 700


def test_equal_times_stay_together():
    time = np.repeat([1, 2, 3, 4, 5], [300, 100, 200, 200, 200])
    splits = _split(time, np.arange(1000) % 2)
    assert splits.folds == 5
    assert [set(splits.repeats[0].fold[time == t]) for t in range(1, 6)] == [{0}, {1}, {2}, {3}, {4}]


def test_rows_of_several_cases_fill_blocks_by_hand():
    # 100, 300 and then 6 times 100 cases: the second time reaches over two further blocks
    number, codes = np.array([100.0, 300, *[100] * 6]), np.arange(8) % 2
    splits = _split(np.arange(8), codes, number=number, cases=number, end=np.arange(8) + 0.5)
    assert splits.repeats[0].fold.tolist() == list(range(8))
    assert (splits.folds, splits.first, splits.periods[1]) == (8, 3, (1, 1.5))
    assert splits.judged().sum() == 500


def test_few_cases_of_a_class_are_judged_later():
    codes = (np.arange(1000) % 25 == 0).astype(int)
    assert _split(np.arange(1000), codes).first == 6


@pytest.mark.parametrize("time", [np.zeros(40), np.repeat([1, 2, 3], [10, 10, 20])])
def test_too_few_blocks_are_refused(time):
    with pytest.raises(InputError, match="`time` must leave at least two cases of each class"):
        _split(time, np.arange(40) % 2)


# ---------------------------------------------------------------- costs


def _forward_cost(y, score, block, costs, first=3, group=None):
    """Average loss of windows chosen on all blocks before, in loops."""
    total, cases = 0.0, 0
    for b in range(first, 10):
        past, now = block < b, block == b
        if group is not None:
            past &= ~np.isin(group, group[now])
        window = abstention_surface(y[past], score[past]).window(costs=costs)
        decided = np.where(score >= window.upper, 1, np.where(score <= window.lower, 0, -1))[now]
        total += np.where(decided == -1, 2.5, np.where(decided == y[now], 0, 10)).sum()
        cases += now.sum()
    return total / cases


@pytest.mark.parametrize("form", ["numbers", "dates", "text"])
def test_cost_against_windows_chosen_on_the_past(form):
    y, score, when = _drifting()
    time = {
        "numbers": when,
        "dates": np.datetime64("2024-01-01") + when.astype("timedelta64[h]"),
        "text": (np.datetime64("2024-01-01") + when.astype("timedelta64[h]")).astype(str),
    }[form]
    found = compare_models(y, {"a": score}, costs=COSTS, time=time)
    assert found.models["a"].cost == pytest.approx(_forward_cost(y, score, when // 300, COSTS), abs=1e-12)
    assert found.units == 2100


def test_times_with_a_zone_are_those_of_utc():
    y, score, when = _drifting(600)
    plain = (np.datetime64("2024-01-01T00:00") + when.astype("timedelta64[m]")).astype(str)
    zoned = [f"{one}+00:00" for one in plain.tolist()]
    found = [compare_models(y, {"a": score}, costs=COSTS, time=one).to_dict() for one in (plain, zoned)]
    assert found[0] == found[1]


def test_clusters_of_the_block_are_not_learned_from():
    y, score, when = _drifting(1200)
    group = np.random.default_rng(1).integers(0, 200, 1200)
    found = compare_models(y, {"a": score}, costs=COSTS, time=when, groups=group)
    expected = _forward_cost(y, score, when // 120, COSTS, first=6, group=group)
    assert found.models["a"].cost == pytest.approx(expected, abs=1e-12)
    assert found.units == len(np.unique(group[when >= 720]))


def test_amounts_all_equal_are_class_costs_over_time():
    y, score, when = _drifting()
    amounts = CaseCosts(cost_fn=np.full(3000, 10.0), cost_fp=10, cost_abstain=2.5)
    by_class, by_case = (compare_models(y, {"a": score}, costs=one, time=when) for one in (COSTS, amounts))
    assert by_case.answer.cost == pytest.approx(by_class.answer.cost, abs=1e-12)
    assert by_case.answer.interval == pytest.approx(by_class.answer.interval, abs=1e-12)


def test_many_classes_are_judged_forward():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 2100)
    proba = rng.dirichlet([1, 1, 1], 2100) + 0.6 * np.eye(3)[y]
    costs = {0: {1: 2, 2: 5}, 1: {0: 3, 2: 1}, 2: {0: 9, 1: 4}}
    found = compare_models(
        y, {"a": proba}, classes=[0, 1, 2], costs=costs, abstain_cost=0.8, time=np.arange(2100)
    )
    argmax = proba[630:].argmax(axis=1)
    table = np.array([[0, 2, 5], [3, 0, 1], [9, 4, 0]])
    assert found.models["a"].rules["argmax"].cost == pytest.approx(table[y[630:], argmax].mean(), abs=1e-12)


def test_costs_by_block_add_up():
    y, score, when = _drifting()
    found = compare_models(y, {"a": score}, costs=COSTS, time=when)
    assert [one.block for one in found.by_block] == list(range(4, 11))
    assert (found.by_block[0].start, found.by_block[-1].end) == (900, 2999)
    total = sum(one.cost * one.n for one in found.by_block) / sum(one.n for one in found.by_block)
    assert total == pytest.approx(found.answer.honest_cost, abs=1e-12)
    assert found.to_dict()["answer"]["by_block"][0]["n"] == 300
    assert compare_models(y, {"a": score}, costs=COSTS).by_block is None


def test_notes_name_the_period_and_what_moves():
    y, score, when = _drifting(drift=4)
    found = compare_models(y, {"a": score}, costs=COSTS, time=when)
    period = "Costs are those of 900 to 2999 (blocks 4 to 10 of 10), not of what follows."
    assert f"Rules were chosen on the past. {period}" in found.notes
    shuffled = compare_models(y, {"a": score}, costs=COSTS)
    assert found.answer.shuffled_cost == pytest.approx(shuffled.models["a"].cost, abs=1e-12)
    assert any(
        note.endswith("than a shuffled split suggests: conditions may have changed.") for note in found.notes
    )
    # what moves is not guaranteed; surfaces over all costs are those of shuffled folds
    assert found.answer.guaranteed_cost is None
    assert found.models["a"].vacc == shuffled.models["a"].vacc


@pytest.mark.parametrize(
    ("time", "said"),
    [
        ([1, 2], "`time`"),
        (np.array([np.nan] * 40), "`time` must not be missing"),
        (["yesterday"] * 40, "`time` must hold one number or date per case"),
        (np.zeros((40, 2)), "`time` must hold one number or date per case"),
        (np.array([True] * 40), "`time` must hold one number or date per case"),
    ],
)
def test_refusals(time, said):
    with pytest.raises(InputError, match=said):
        compare_models(np.arange(40) % 2, np.arange(40.0), costs=COSTS, time=time)
