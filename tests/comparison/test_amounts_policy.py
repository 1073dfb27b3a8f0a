"""Policies of answers at costs that differ by case: written, read, applied without amounts."""

import json

import numpy as np
import pytest

from demur import Binormal, CaseCosts, CostModel, InputError, Policy, Reviewer, UndefinedError, compare_models


@pytest.fixture(scope="module")
def answer():
    y, s = Binormal(separation=2.0).sample(150, rng=9)
    amount = np.random.default_rng(2).lognormal(4, 1, len(y))
    reviewer = Reviewer(fee=12, sensitivity=0.98)
    costs = CaseCosts(cost_fn=amount, cost_fp=40, reviewer=reviewer, columns={"cost_fn": "amount"})
    return compare_models(y, {"risk": s}, costs=costs).answer


def test_file_comes_back_and_says_where_the_costs_came_from(answer, tmp_path):
    policy = Policy.from_answer(answer)
    assert (policy.lower, policy.upper, policy.chosen) == (answer.lower, answer.upper, "amounts")
    policy.save(tmp_path / "policy.json")
    data = json.loads((tmp_path / "policy.json").read_text())
    assert (data["costs"]["kind"], policy.costs) == ("amounts", None)
    assert data["costs"]["cost_fn"]["column"] == "amount"
    assert data["costs"]["cost_fp"] == 40
    assert data["costs"]["reviewer"] == {"fee": 12.0, "sensitivity": 0.98, "specificity": 1.0}
    assert data["promise"]["cost"] == answer.cost
    again = Policy.load(tmp_path / "policy.json")
    assert again.to_dict() == policy.to_dict()
    assert again.apply([answer.lower - 1, answer.upper + 1]).tolist() == [0, 1]


def test_costs_by_class_have_a_limit_of_the_promise():
    y, s = Binormal(separation=2.0).sample(120, rng=1)
    costs = CostModel(cost_fn=100, cost_fp=40, cost_abstain=12)
    answer = compare_models(y, s, costs=costs).answer
    data = Policy.from_answer(answer).to_dict()
    assert data["costs"] == {"kind": "by class", **costs.to_dict()}
    assert data["promise"]["limit"] == answer.interval.high


def test_other_costs_need_the_data(answer):
    with pytest.raises(UndefinedError, match="made for amounts per case"):
        Policy.from_answer(answer).at(prevalence=0.1)


@pytest.mark.parametrize(
    ("amounts", "sentence"),
    [([1], "`costs.kind` is missing"), ({"kind": "amounts", "cost_fp": 1}, "`cost_fn` is missing")],
)
def test_broken_amounts_are_refused(answer, amounts, sentence):
    data = {**Policy.from_answer(answer).to_dict(), "costs": amounts}
    with pytest.raises(InputError, match=sentence):
        Policy.from_dict(data)


def test_amounts_and_rule_belong_together(answer):
    data = Policy.from_answer(answer).to_dict()
    with pytest.raises(InputError, match="`amounts` belong to the rule 'amounts'"):
        Policy.from_dict({**data, "chosen": "constrained"})
