"""A rule for whole batches: places go where a review saves most, whatever the order of the rows."""

import itertools
import math

import numpy as np
import pandas as pd
import pytest

from demur import ABSTAIN, Budget, InputError
from demur.costs.budget import Places
from demur.windows import Budgeted, ExpectedCostRule, PiecewiseLinear
from demur.windows.budgeted import PlaceUse
from demur.windows.expression import Column, ExpressionValues, Least, Number
from demur.windows.rule import RULES


def inner(miss=100.0, alarm=40.0, review=5.0):
    """P(positive) equals the score between 0 and 1."""
    chance = PiecewiseLinear(np.array([0.0, 1.0]), np.array([0.0, 1.0]))
    costs = np.array([[[0.0], [alarm], [review]], [[miss], [0.0], [review]]])
    return ExpectedCostRule(names=("m",), calibration=chance, costs=costs)


def budgeted(reviews=2, *, least=0.0, per="day", text_key=False, rule=None, **how):
    places = Places(reviews, "date", "id", per, text_key, **how)
    return Budgeted(inner=rule or inner(), places=places, least_saving=least)


def table(*rows):
    return np.array(rows, dtype=object)


# ---------------------------------------------------------------- by hand


def test_two_places_go_to_the_largest_savings_by_hand():
    # e(negative) = 100 p, e(positive) = 40 (1 - p), review 5: savings 5, 15, 23, 7, -1
    rows = table(
        [0.1, "2026-03-01", 1], [0.2, "2026-03-01", 2], [0.3, "2026-03-01", 3], [0.7, "2026-03-01", 4],
        [0.9, "2026-03-01", 5], [0.1, "2026-03-02", 6],
    )  # fmt: skip
    assert budgeted(2).inner.savings(rows[:, :1].astype(float)).tolist() == pytest.approx(
        [5, 15, 23, 7, -1, 5]
    )
    assert budgeted(2).decide(rows).tolist() == [0, ABSTAIN, ABSTAIN, 1, 1, ABSTAIN]
    # a place that saves nothing stays empty
    assert budgeted(9).decide(rows).tolist() == [ABSTAIN, ABSTAIN, ABSTAIN, ABSTAIN, 1, ABSTAIN]


def test_ties_go_to_the_higher_score_then_to_the_smaller_key_by_hand():
    flat = PiecewiseLinear(np.array([0.0, 1.0]), np.array([0.3, 0.3]))
    rule = budgeted(2, rule=ExpectedCostRule(names=("m",), calibration=flat, costs=inner().costs))
    day = "2026-03-01"
    rows = table([0.2, day, 10], [0.5, day, 7], [0.2, day, 9], [0.2, day, 2])
    assert rule.decide(rows).tolist() == [1, ABSTAIN, 1, ABSTAIN]
    # as text 10 comes before 2
    as_text = budgeted(2, rule=rule.inner, text_key=True)
    assert as_text.decide(rows).tolist() == [ABSTAIN, ABSTAIN, 1, 1]


def test_places_left_over_go_to_the_next_batches_by_hand():
    days = ["2026-03-02", "2026-03-02", "2026-03-03", "2026-03-04", "2026-03-04", "2026-03-04", "2026-03-04"]
    rows = table(*([0.3, day, key] for key, day in enumerate(days)))
    assert (budgeted(2).decide(rows) == ABSTAIN).tolist() == [True, True, True, True, True, False, False]
    kept = budgeted(2, carry_over=True).decide(rows) == ABSTAIN
    assert kept.tolist() == [True, True, True, True, True, True, False]


def test_on_arrival_the_first_keys_above_the_threshold_get_places_by_hand():
    day = "2026-03-01"
    rows = table([0.3, day, 5], [0.2, day, 3], [0.1, day, 1], [0.25, day, 4], [0.9, day, 2])
    assert (budgeted(2, least=10.0, arrival=True).decide(rows) == ABSTAIN).tolist() == [0, 1, 0, 1, 0]


def test_the_next_place_is_worth_what_the_first_case_left_out_would_save_by_hand():
    # day 1 leaves out a saving of 5, day 2 nothing
    scores, batch = np.array([0.1, 0.2, 0.3, 0.1]), np.array([0.0, 0, 0, 1])
    used = budgeted(2).used_on(np.column_stack([scores, batch, np.arange(4.0)])).use
    assert (used.batches, used.full, used.next_saving) == (2, 1, pytest.approx(2.5))


# ---------------------------------------------------------------- slow oracles


def random_rule(rng, amounts=False, **how):
    points = np.sort(rng.random(4))
    chance = PiecewiseLinear(points, np.sort(np.round(rng.random(4), 2)))
    constant = np.round(rng.uniform(1, 9, (2, 3)), 1)
    constant[[0, 1], [0, 1]] = 0.0
    linear = np.zeros((2, 3, 2 if amounts else 1))
    linear[:, :, 0] = constant
    if amounts:
        linear[1, 0] = 0.0, 1.0
    names = ("m", "amount") if amounts else ("m",)
    rule = ExpectedCostRule(names=names, calibration=chance, costs=linear)
    return Budgeted(inner=rule, places=Places(int(rng.integers(1, 4)), "d", "k", None, False, **how))


def random_table(rng, n, batches, amounts=False):
    columns = [np.round(rng.random(n), 1), *([np.round(rng.random(n) * 20)] if amounts else [])]
    return np.column_stack([*columns, rng.integers(0, batches, n), rng.permutation(n)]).astype(float)


def expected_costs(rule, rows):
    """Return the expected cost of negative, positive and abstaining, from the formula."""
    numbers = rows[:, :-2]
    p = np.interp(numbers[:, 0], rule.calibration.points, rule.calibration.values)
    linear = rule.costs @ np.column_stack([np.ones(len(rows)), numbers[:, 1:]]).T
    return ((1 - p) * linear[0] + p * linear[1]).T


@pytest.mark.parametrize("amounts", [False, True])
def test_no_choice_of_so_many_cases_costs_less_against_all_subsets(amounts):
    rng = np.random.default_rng(amounts)
    for _ in range(100):
        rule, rows = random_rule(rng, amounts), random_table(rng, int(rng.integers(3, 14)), 2, amounts)
        costs, codes = expected_costs(rule.inner, rows), rule.codes(rows)
        paid = costs[np.arange(len(rows)), codes].sum()
        best = 0.0
        for batch in np.unique(rows[:, -2]):
            own = costs[rows[:, -2] == batch]
            acting = own[:, :2].min(axis=1)
            sizes = range(rule.places.reviews + 1)
            subsets = itertools.chain(*(itertools.combinations(range(len(own)), size) for size in sizes))
            best += min(acting.sum() + sum(own[i, 2] - acting[i] for i in chosen) for chosen in subsets)
        assert paid == pytest.approx(best, rel=1e-12)


def slow_codes(rule, rows):
    """Walk the batches one by one and give places away one by one."""
    places, left = rule.places, 0
    costs = expected_costs(rule.inner, rows)
    saving = rule.inner.savings(rows[:, :-2])
    codes = [1 if positive <= negative else 0 for negative, positive, _ in costs]
    for batch in sorted(set(rows[:, -2])):
        own = [row for row in range(len(rows)) if rows[row, -2] == batch and saving[row] > rule.least_saving]
        first = (lambda row: rows[row, -1]) if places.arrival else (
            lambda row: (-saving[row], -rows[row, 0], rows[row, -1])
        )  # fmt: skip
        free = places.reviews + (left if places.carry_over else 0)
        for row in sorted(own, key=first):
            if free == 0:
                break
            codes[row] = ABSTAIN
            free -= 1
        left = free
    return codes


@pytest.mark.parametrize("arrival", [False, True])
@pytest.mark.parametrize("carry_over", [False, True])
def test_codes_against_a_slow_walk(arrival, carry_over):
    rng = np.random.default_rng([arrival, carry_over])
    for _ in range(50):
        rule = random_rule(rng, amounts=True, arrival=arrival, carry_over=carry_over)
        rows = random_table(rng, int(rng.integers(5, 40)), 5, amounts=True)
        assert rule.codes(rows).tolist() == slow_codes(rule, rows)


def test_shuffling_rows_changes_nothing():
    rng = np.random.default_rng(3)
    rule, rows = budgeted(2, carry_over=True), random_table(rng, 400, 20)
    codes = rule.codes(rows)
    assert (codes == ABSTAIN).sum() == 40
    for seed in range(20):
        order = np.random.default_rng(seed).permutation(400)
        assert np.array_equal(rule.codes(rows[order]), codes[order])


# ---------------------------------------------------------------- batches and keys


@pytest.mark.parametrize(
    ("per", "same", "other"),
    [
        ("hour", "2026-03-01 10:59", "2026-03-01 11:00"),
        ("day", "2026-03-01 23:59:59.9", "2026-03-02"),
        # 2026-03-02 is a Monday
        ("week", "2026-02-23", "2026-03-02"),
        ("month", "2026-03-31T12:00", "2026-02-28"),
    ],
)
def test_dates_are_floored_to_the_period_by_hand(per, same, other):
    dates = ["2026-03-01 10:00", same, other]
    forms = [dates, np.array(dates, dtype="datetime64[ns]"), pd.to_datetime(dates, format="mixed")]
    forms += [pd.Series(forms[2]), np.array(forms[2].to_pydatetime(), dtype=object)]
    for values in forms:
        _, places, coded = Budget(reviews=1, column=values, key=[1, 2, 3], per=per).placed({"m": None})
        assert places.per == per
        assert coded["batch"][0] == coded["batch"][1] != coded["batch"][2]


def test_weeks_against_the_calendar():
    dates = np.arange("2020-01-01", "2028-01-01", dtype="datetime64[D]")
    _, _, coded = Budget(reviews=1, column=dates, key=np.arange(len(dates)), per="week").placed([])
    calendar = np.unique([date.isocalendar()[:2] for date in dates.tolist()], axis=0, return_inverse=True)[1]
    calendar = calendar.ravel()  # a column in NumPy 2.0
    assert np.array_equal(coded["batch"], calendar)


@pytest.mark.parametrize(
    "values", [["20260301", "20260302"], ["b", "a"], [7, 8], ["2026-03", "2026-04"], [1.5, 2.5]]
)
def test_other_values_are_batches_as_they_stand(values):
    _, places, coded = Budget(reviews=1, column=values, key=["x", "x"]).placed({"m": None})
    assert (places.per, sorted(coded["batch"])) == (None, [0, 1])
    assert places.words == "at most 1 per batch"


def test_text_of_numbers_is_in_their_order():
    assert Places(1, "d", "k", None, False).coded(["10", "9", "x", "2"], [1, 2, 3, 4])[0].tolist() == [
        2, 1, 3, 0,
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("batch", "key", "sentence"),
    [
        (["2026-03-01"] * 2, ["a", "a"], "`id` must differ within a batch of `date`, got 'a' twice. Hint"),
        ([1, 1, 2], [4, 4, 4], "`id` must differ within a batch of `date`, got 4 twice"),
        ([1, math.nan], [1, 2], "`date` must not be missing"),
        ([1, 2], ["a", None], "`id` must not be missing"),
        ([1, 2], [1, 2, 3], "`id` must be as long as `date` .2., got 3"),
        (["2026-03-01T10:00+01:00"] * 2, [1, 2], "`date` must hold dates without a time zone"),
        (["2026-02-30"] * 2, [1, 2], "`date` must hold dates, got"),
        ([], [], "`date` must hold one value per case"),
    ],
)
def test_batches_and_keys_that_cannot_be_used_are_one_sentence(batch, key, sentence):
    with pytest.raises(InputError, match=sentence):
        Budget(reviews=1, column="date", key="id").placed({"date": batch, "id": key, "m": None})


def test_a_rule_for_days_refuses_what_is_no_day_and_a_key_of_another_kind():
    with pytest.raises(InputError, match="`date` must hold dates such as 2026-03-01, got 'x'"):
        budgeted().decide(table([0.1, "x", 1]))
    with pytest.raises(InputError, match="`id` must hold numbers, as when the rule was made, got 'c7'"):
        budgeted().decide(table([0.1, "2026-03-01", "8"], [0.1, "2026-03-01", "c7"]))
    with pytest.raises(InputError, match="must hold finite scores"):
        budgeted().decide(table([np.inf, "2026-03-01", 1]))


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"reviews": 0}, "`reviews` must be"),
        ({"reviews": 2.5}, "`reviews` must be"),
        ({"per": "year"}, "`per` must be one of"),
        ({"key": None}, "`key` is needed"),
        ({"column": None}, "`column` is needed"),
        ({"arrival": "yes"}, "`arrival` must be a bool"),
    ],
)
def test_a_budget_that_is_none_is_one_sentence(wrong, sentence):
    with pytest.raises(InputError, match=sentence):
        Budget(**{"reviews": 5, "column": "date", "key": "id", **wrong})


def test_names_must_be_entries_of_the_scores():
    with pytest.raises(InputError, match=r"`column` must name an entry of `scores`.*got 'date'"):
        Budget(reviews=5, column="date", key="id").placed({"m": [1]})
    with pytest.raises(InputError, match="`column` must name an entry"):
        Budget(reviews=5, column="date", key="id").placed([0.1, 0.2])


# ---------------------------------------------------------------- tables, words, files


@pytest.mark.parametrize(
    ("how", "use", "words"),
    [
        (
            {},
            PlaceUse(10, 7, 3.1415),
            "send the cases to a person where a review is expected to save most, at most 50 a day: all used "
            "on 7 of 10 days; one more place would save 3.14 a day; for all others, call ill from 0.286 up, "
            "well below",
        ),
        (
            {"per": None, "carry_over": True},
            PlaceUse(10, 0, 0.0),
            "save most, at most 50 per date: all used on 0 of 10 batches; one more place would save nothing; "
            "unused places are carried over; for all others",
        ),
        ({"arrival": True, "per": "week"}, None, "more than 2.5 and a place is left, in the order of id, at"),
    ],
)
def test_words_by_hand(how, use, words):
    rule = budgeted(50, least=2.5 if "arrival" in how else 0.0, **how)
    rule = Budgeted(inner=rule.inner, places=rule.places, least_saving=rule.least_saving, use=use)
    assert words in rule.words(("well", "ill"))


def test_a_file_gives_the_same_rule_back():
    rule = budgeted(3, least=1.5, arrival=True, carry_over=True, per=None, text_key=True)
    rule = Budgeted(inner=rule.inner, places=rule.places, least_saving=1.5, use=PlaceUse(4, 2, 0.5))
    again = RULES["budgeted"].from_dict(rule.to_dict())
    assert again.to_dict() == rule.to_dict()
    assert (again.places, again.use, again.names) == (rule.places, rule.use, ("m", "date", "id"))
    for name, wrong in (("reviews", 0), ("per", "year"), ("text_key", 1), ("column", 3)):
        with pytest.raises(InputError, match=name):
            Budgeted.from_dict({**rule.to_dict(), "places": {**rule.places.to_dict(), name: wrong}})


def test_a_rule_without_a_price_of_a_review_is_refused():
    with pytest.raises(InputError, match="`inner` must know what abstaining costs"):
        budgeted(rule=budgeted().acting)


def test_least_of_numbers_by_hand():
    values = ExpressionValues({"a": np.array([1.0, 5.0])})
    assert values.number(Least((Column("a"), Number(3.0)))).tolist() == [1.0, 3.0]
