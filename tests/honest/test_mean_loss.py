"""The interval of a mean loss: against reference values, its definition in loops, by hand, and its laws."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from demur import InputError
from demur.honest import mean_loss_interval
from examples import examples
from loss_oracles import slow_mean
from reference_cases import cases, close


def values(found):
    return found.cost, found.standard_error, found.units, *found.interval


@pytest.mark.parametrize("case", cases("honest.json", "honest.mean_loss"))
def test_interval_against_reference(case):
    given, expected = case["input"], case["expected"]
    found = mean_loss_interval(
        given["loss"],
        worst=given["worst"],
        sample_weight=given["weights"],
        groups=given["groups"],
        y_true=given["classes"],
        prevalence=given["prevalence"],
        confidence_level=given["confidence_level"],
    )
    wanted = [expected[name] for name in ("cost", "se", "units", "lower", "upper")]
    close(list(values(found)), wanted, case["tol"])


@st.composite
def samples(draw):
    """Losses of few values, and arguments of every kind or none; both classes are present."""
    n = draw(st.integers(4, 12))
    columns = {
        "losses": st.sampled_from([0.0, 0.0, 1.5, 4.0, -2.0]),
        "sample_weight": st.sampled_from([0.5, 1.0, 3.0]),
        "groups": st.integers(0, 3),
    }
    made = {name: draw(st.lists(one, min_size=n, max_size=n)) for name, one in columns.items()}
    made["groups"][:2] = [0, 1]
    for name in ("sample_weight", "groups"):
        if draw(st.booleans()):
            made[name] = None
    if draw(st.booleans()):
        made["y_true"] = [0, 1, *draw(st.lists(st.integers(0, 1), min_size=n - 2, max_size=n - 2))]
        made["prevalence"] = draw(st.sampled_from([0.02, 0.3, 0.5]))
    return made


@given(samples(), st.sampled_from([0.0, 4.0, 30.0]), st.sampled_from([0.5, 0.95]))
@settings(max_examples=examples(150), deadline=None)
def test_interval_against_its_definition(sample, worst, level):
    found = mean_loss_interval(sample["losses"], worst=worst, confidence_level=level, **options(sample))
    rate = sample.get("prevalence")
    wanted = slow_mean(
        sample["losses"],
        worst,
        weights=sample["sample_weight"],
        groups=sample["groups"],
        classes=sample.get("y_true"),
        shares=None if rate is None else [1 - rate, rate],
    )
    wanted = (wanted.cost, wanted.error, wanted.units, *wanted.interval(level))
    assert values(found) == pytest.approx(wanted, rel=1e-12, abs=1e-12)


def options(sample):
    return {name: value for name, value in sample.items() if name != "losses"}


# ---------------------------------------------------------------- by hand


def test_one_loss_among_four_by_hand():
    found = mean_loss_interval([0, 0, 0, 4], worst=4)
    # totals -1/4 three times and 3/4: their squares sum to 3/4, times 4/3
    assert (found.cost, found.standard_error, found.units) == (1.0, 1.0, 4)
    # with the fifth unit the mean is 1.6; squares 0.75 / 1.5625 + 0.48^2, times 5/4
    t = 3.182446305284263
    assert tuple(found.interval) == pytest.approx((1 - t, 1.6 + t * math.sqrt(0.888)), rel=1e-12)


def test_nothing_went_wrong_by_hand():
    found = mean_loss_interval(np.zeros(99), worst=100)
    assert (found.cost, found.standard_error, found.interval.low) == (0.0, 0.0, 0.0)
    # one in 100 units has the worst loss: mean 1, spread 100 sqrt(99) / 1000
    assert found.interval.high == pytest.approx(1 + stats.t.ppf(0.975, 98) * 0.1 * math.sqrt(99), rel=1e-12)


def test_classes_of_known_share_by_hand():
    found = mean_loss_interval([0, 2, 1, 1], worst=1, y_true=[1, 1, 0, 0], prevalence=0.25)
    # both classes cost 1 on average; only the positives differ among each other, by 1/8 of 1 each way
    assert found.cost == 1.0
    assert found.standard_error == pytest.approx(math.sqrt(4 / 3 * 2 / 64), rel=1e-12)


def test_clusters_that_cost_the_same_have_no_spread_by_hand():
    found = mean_loss_interval([0, 2, 2, 0, 1, 1], groups=["a", "a", "b", "b", "c", "c"], worst=1)
    assert values(found) == pytest.approx((1.0, 0.0, 3, 1.0, 1.0), abs=1e-12)


# ---------------------------------------------------------------- laws


def same(one, other):
    assert values(one) == pytest.approx(values(other), rel=1e-12, abs=1e-12)


@given(samples(), st.sampled_from([4.0, 30.0]), st.integers(0, 1000))
@settings(max_examples=examples(60), deadline=None)
def test_row_order_and_scale_of_weights_do_not_matter(sample, worst, seed):
    found = mean_loss_interval(sample["losses"], worst=worst, **options(sample))
    order = np.random.default_rng(seed).permutation(len(sample["losses"]))
    moved = {
        name: np.asarray(value)[order] if isinstance(value, list) else value for name, value in sample.items()
    }
    same(mean_loss_interval(moved["losses"], worst=worst, **options(moved)), found)
    if sample["sample_weight"] is not None:
        scaled = {**options(sample), "sample_weight": 1e3 * np.array(sample["sample_weight"])}
        same(mean_loss_interval(sample["losses"], worst=worst, **scaled), found)


@given(samples(), st.sampled_from([4.0, 30.0]))
@settings(max_examples=examples(60), deadline=None)
def test_arguments_that_say_nothing_change_nothing(sample, worst):
    given, n = options(sample), len(sample["losses"])
    alone = mean_loss_interval(sample["losses"], worst=worst, **{**given, "groups": None})
    each = [f"case {number}" for number in range(n)]
    same(mean_loss_interval(sample["losses"], worst=worst, **{**given, "groups": each}), alone)
    plain = mean_loss_interval(sample["losses"], worst=worst, **{**given, "sample_weight": None})
    same(
        mean_loss_interval(sample["losses"], worst=worst, **{**given, "sample_weight": [0.7] * n}),
        plain,
    )
    # a cluster of copies is one unit
    twice = {name: np.repeat(value, 2) if isinstance(value, list) else value for name, value in given.items()}
    twice["groups"] = np.repeat(each, 2)
    same(mean_loss_interval(np.repeat(sample["losses"], 2), worst=worst, **twice), alone)
    # cases of weight 0 are not there
    weights = [1.0] * n if sample["sample_weight"] is None else sample["sample_weight"]
    longer = {name: [*value, value[0]] if isinstance(value, list) else value for name, value in given.items()}
    longer["sample_weight"] = [*weights, 0.0]
    same(
        mean_loss_interval([*sample["losses"], 99.0], worst=worst, **longer),
        mean_loss_interval(sample["losses"], worst=worst, **given),
    )


@given(samples(), st.sampled_from([4.0, 30.0]), st.sampled_from([-3.0, 1e3]), st.sampled_from([0.01, 7.0]))
@settings(max_examples=examples(60), deadline=None)
def test_other_units_of_money_change_the_ends_alike(sample, worst, shift, factor):
    found = mean_loss_interval(sample["losses"], worst=worst, **options(sample))
    losses = shift + factor * np.array(sample["losses"])
    moved = mean_loss_interval(losses, worst=shift + factor * worst, **options(sample))
    wanted = [shift + factor * value for value in (found.cost, *found.interval)]
    assert [moved.cost, *moved.interval] == pytest.approx(wanted, rel=1e-12, abs=1e-9)


def test_classes_alone_change_nothing():
    losses = [0.0, 1.0, 5.0, 0.0]
    same(
        mean_loss_interval(losses, worst=9, y_true=["a", "b", "a", "b"], pos_label="b"),
        mean_loss_interval(losses, worst=9),
    )


# ---------------------------------------------------------------- errors


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"losses": [1.0]}, "`losses` must hold at least two units, got 1."),
        ({"losses": []}, "`losses` must hold at least two units, got 0."),
        ({"losses": [1, 2], "groups": ["a", "a"]}, "`losses` must hold at least two units, got 1."),
        ({"losses": [1, 2], "sample_weight": [0, 1]}, "`losses` must hold at least two units, got 1."),
        ({"losses": [[1, 2]]}, "`losses` must hold one number per case, got an array of shape (1, 2)."),
        ({"losses": [1, np.nan]}, "`losses` must be finite, got nan."),
        ({"losses": [1, 2], "worst": np.inf}, "`worst` must be finite, got inf."),
        ({"losses": [1, 2], "worst": [1, 2]}, "`worst` must be one number, got shape (2,)."),
        ({"losses": [1, 2], "groups": [1]}, "`losses` and `groups` must have the same length, got 2 and 1."),
        ({"losses": [1, 2], "groups": [[1], [2]]}, "`groups` must be one-dimensional, got shape (2, 1)."),
        (
            {"losses": [1, 2], "groups": [1, np.nan]},
            "`groups` must not contain NaN, got NaN. Hint: give such cases clusters of their own.",
        ),
        ({"losses": [1, 2], "sample_weight": [-1, 2]}, "`sample_weight` must not be negative, got -1.0."),
        (
            {"losses": [1, 2], "prevalence": 0.3},
            "`prevalence` needs the classes of the cases. Hint: pass y_true.",
        ),
        (
            {"losses": [1, 2], "y_true": ["a", "b"], "prevalence": 0.3},
            "`pos_label` is required unless the labels are {0, 1}, {-1, 1} or bool, got labels 'a', 'b'. "
            "Hint: pass pos_label='b' if that is the positive class.",
        ),
        (
            # the only positive has no weight
            {"losses": [1, 2, 3], "y_true": [0, 0, 1], "sample_weight": [1, 1, 0], "prevalence": 0.3},
            "`prevalence` gives weight to the positive class, but the data hold no positive case, got 0.3. "
            "Hint: leave prevalence out to use the sample's.",
        ),
        ({"losses": [1, 2], "confidence_level": 95}, "`confidence_level` must lie in [0, 1], got 95.0."),
    ],
)
def test_wrong_input_is_refused(arguments, message):
    with pytest.raises(InputError) as error:
        mean_loss_interval(arguments.pop("losses"), **{"worst": 10, **arguments})
    assert str(error.value) == message
