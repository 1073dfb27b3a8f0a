"""`Reviewer`: fees and mistakes as costs of a review, by case and by class."""

import dataclasses
import json
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from demur import CostModel, InputError, Reviewer, ScoreCosts, abstention_surface
from reference_cases import cases, close

RATE = st.floats(0, 1)


def test_costs_by_case_by_hand():
    reviewer = Reviewer(fee=4, sensitivity=0.75, specificity=0.5)
    costs = reviewer.review_costs([1, 1, 0, 0], miss=[900, 40, 0, 0], alarm=[0, 0, 24, 2])
    assert costs.tolist() == [229.0, 14.0, 16.0, 5.0]


def test_fees_by_case_and_labels_of_any_kind():
    reviewer = Reviewer(fee=[1, 2, 3], sensitivity=0.5)
    costs = reviewer.review_costs(["bad", "good", "bad"], miss=[10, 0, 20], alarm=5, pos_label="bad")
    # a hit costs 5 here too: alarm is what calling a case positive costs, whoever calls it
    assert costs.tolist() == [1 + 5 + 2.5, 2.0, 3 + 10 + 2.5]


def test_a_perfect_reviewer_costs_the_fee_and_the_right_answers():
    reviewer = Reviewer(fee=3)
    assert reviewer.review_costs([1, 0], miss=[50, 2], alarm=[1, 20]).tolist() == [3 + 1, 3 + 2]
    model = CostModel(cost_fn=50, cost_fp=20, cost_tp=-6, cost_tn=1, reviewer=reviewer)
    assert (model.cost_abstain_positive, model.cost_abstain_negative) == (-3.0, 4.0)


@given(RATE, RATE, st.floats(0, 50), st.floats(1, 100), st.floats(0, 100))
def test_costs_by_class_are_those_by_case(sensitivity, specificity, fee, cost_fn, cost_fp):
    reviewer = Reviewer(fee=fee, sensitivity=sensitivity, specificity=specificity)
    model = CostModel(cost_fn=cost_fn, cost_fp=cost_fp, reviewer=reviewer)
    by_case = reviewer.review_costs([1, 0], miss=[cost_fn, 0], alarm=[0, cost_fp])
    assert [model.cost_abstain_positive, model.cost_abstain_negative] == by_case.tolist()
    assert by_case.tolist() == [fee + (1 - sensitivity) * cost_fn, fee + (1 - specificity) * cost_fp]


@pytest.mark.parametrize("case", cases("decisions_case_costs.json", "casecost.reviewer"))
def test_reference_reviewers(case):
    given_ = case["input"]
    y = np.array(given_["labels"])
    miss, alarm = np.array(given_["amount"]) * y, given_["cost_fp"] * (1 - y)
    rates = {name: given_[name] for name in ("sensitivity", "specificity")}
    reviewer = Reviewer(fee=given_["review_fee"], **rates)
    review = reviewer.review_costs(y, miss=miss, alarm=alarm)
    window = ScoreCosts.from_arrays(given_["scores"], miss=miss, alarm=alarm, review=review).window()
    for name, value in case["expected"].items():
        close(getattr(window, name), value, case["tol"])


@pytest.mark.parametrize("seed", range(50))
def test_surface_with_a_reviewer_equals_costs_by_case(seed):
    rng = np.random.default_rng(seed)
    y = np.arange(80) % 3 == 0
    scores = np.round(rng.normal(size=80) + y, 1)
    reviewer = Reviewer(
        fee=rng.uniform(0, 4), sensitivity=rng.uniform(0.5, 1), specificity=rng.uniform(0.5, 1)
    )
    model = CostModel(cost_fn=30, cost_fp=12, reviewer=reviewer)
    expected = abstention_surface(y, scores).window(costs=model)
    miss, alarm = 30.0 * y, 12.0 * ~y
    review = reviewer.review_costs(y, miss=miss, alarm=alarm)
    window = ScoreCosts.from_arrays(scores, miss=miss, alarm=alarm, review=review).window()
    assert window.cost == pytest.approx(expected.expected_cost, abs=1e-12)
    assert (window.lower_index, window.upper_index) == (expected.lower_index, expected.upper_index)


# ---------------------------------------------------------------- a reviewer worse than the model


def test_when_abstaining_never_pays_by_hand():
    # 0.95 + 0.9 - 1 = 0.85 against fee (1/100 + 1/40) = 0.035 fee: pays below 24.28...
    def model(fee):
        return CostModel(
            cost_fn=100, cost_fp=40, reviewer=Reviewer(fee=fee, sensitivity=0.95, specificity=0.9)
        )

    assert not model(24.2).abstaining_never_pays
    assert model(24.3).abstaining_never_pays
    assert CostModel(cost_fn=100).abstaining_never_pays  # no cost of abstaining: not an option
    assert not CostModel(cost_fn=100, cost_abstain=49, cost_fp=100).abstaining_never_pays
    assert CostModel(cost_fn=100, cost_abstain=50, cost_fp=100).abstaining_never_pays


@pytest.mark.parametrize("seed", range(40))
def test_where_it_never_pays_no_window_abstains(seed):
    rng = np.random.default_rng(seed)
    y = rng.random(60) < 0.4
    y[:2] = 0, 1
    scores, amounts = rng.normal(size=60) + y, rng.lognormal(3, 1, 60)
    sensitivity = rng.random()
    poor = Reviewer(
        fee=rng.uniform(0, 1), sensitivity=sensitivity, specificity=rng.uniform(0, 1 - sensitivity)
    )
    assert not poor.better_than_chance
    miss, alarm = amounts * y, rng.lognormal(2, 1, 60) * ~y
    review = poor.review_costs(y, miss=miss, alarm=alarm)
    window = ScoreCosts.from_arrays(scores, miss=miss, alarm=alarm, review=review).window()
    assert window.is_empty
    assert window.note.startswith("Abstaining never pays on these cases")
    model = CostModel(cost_fn=30, cost_fp=12, reviewer=poor)
    assert model.abstaining_never_pays
    assert abstention_surface(y, scores).window(costs=model).is_empty


def test_a_perfect_reviewer_is_better_than_chance():
    assert Reviewer(fee=1).better_than_chance
    assert not Reviewer(fee=1, sensitivity=0.5, specificity=0.5).better_than_chance


# ---------------------------------------------------------------- as values


def test_model_keeps_costs_by_class_through_files_and_changes():
    model = CostModel(cost_fn=100, cost_fp=40, reviewer=Reviewer(fee=4, sensitivity=0.95))
    assert CostModel(**json.loads(json.dumps(model.to_dict(), allow_nan=False))) == model
    assert pickle.loads(pickle.dumps(model)) == model
    changed = dataclasses.replace(model, cost_abstain_positive=None, cost_abstain_negative=None)
    assert changed == CostModel(cost_fn=100, cost_fp=40)
    assert not changed.may_abstain


def test_equality_and_text():
    reviewer = Reviewer(fee=4, sensitivity=0.95)
    assert reviewer == Reviewer(fee=4.0, sensitivity=0.95)
    assert len({reviewer, Reviewer(fee=4.0, sensitivity=0.95), Reviewer(fee=4)}) == 2
    assert Reviewer(fee=[1, 2]) == Reviewer(fee=(1, 2))
    assert Reviewer(fee=[1, 2]) != Reviewer(fee=[1, 3])
    assert reviewer != 4
    assert repr(reviewer) == "Reviewer(fee=4, sensitivity=0.95, specificity=1)"
    assert Reviewer(**reviewer.to_dict()) == reviewer


def test_fees_of_the_caller_stay_his_own():
    fees = np.array([1.0, 2.0])
    reviewer = Reviewer(fee=fees)
    fees[:] = 9
    assert reviewer.fee.tolist() == [1, 2]
    assert not reviewer.fee.flags.writeable


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: Reviewer(fee=-1), "`fee` must not be negative, got -1. Hint:"),
        (lambda: Reviewer(fee=None), "`fee` must not be missing"),
        (lambda: Reviewer(fee="four"), "`fee` must be a number or one number per case, got 'four'."),
        (lambda: Reviewer(fee=1, sensitivity=95), "`sensitivity` must lie in [0, 1], got 95.0."),
        (lambda: Reviewer(fee=1, specificity=-0.1), "`specificity` must lie in [0, 1], got -0.1."),
        (
            lambda: CostModel(cost_abstain=1, reviewer=Reviewer(fee=1)),
            "`cost_abstain` must be left out beside reviewer, got 1.0.",
        ),
        (lambda: CostModel(reviewer=4), "`reviewer` must be a Reviewer, got int."),
        (
            lambda: CostModel(reviewer=Reviewer(fee=[1, 2])),
            "`fee` must be one number for costs by class, got 2 fees.",
        ),
        (
            lambda: Reviewer(fee=1).review_costs([0, 1], miss=[1], alarm=1),
            "`y_true` and `miss` must have the same length, got 2 and 1.",
        ),
        (
            lambda: Reviewer(fee=[1, 2, 3]).review_costs([0, 1], miss=1, alarm=1),
            "`y_true` and `fee` must have the same length, got 2 and 3.",
        ),
        (
            lambda: Reviewer(fee=1).review_costs([0, 1], miss=1, alarm=[0, -1]),
            "`alarm` must not be negative, got -1 at position 1.",
        ),
    ],
)
def test_error_sentences(call, words):
    with pytest.raises(InputError) as error:
        call()
    assert words in str(error.value)
