"""Several reviewers: a cascade by hand, and the best of several by its definition."""

import numpy as np
import pytest

from demur import ABSTAIN, Binormal, CaseCosts, CostModel, InputError, Reviewer, compare_models
from demur.comparison import compare_reviewers
from demur.costs import ReviewCascade

JUNIOR = Reviewer(fee=2, sensitivity=0.9, specificity=0.8)
SENIOR = Reviewer(fee=15, sensitivity=0.99, specificity=0.95)
BOTH = ReviewCascade(junior=JUNIOR, senior=SENIOR, passed_on_positive=0.25, passed_on_negative=0.5)


def test_costs_by_class_by_hand():
    positive, negative = BOTH.class_costs(cost_fn=100, cost_fp=40)
    # 2, then 3 of 4 decided with 10 % missed, 1 of 4 passed on at 15 with 1 % missed
    assert positive == pytest.approx(2 + 0.75 * 0.1 * 100 + 0.25 * (15 + 0.01 * 100))
    assert negative == pytest.approx(2 + 0.5 * 0.2 * 40 + 0.5 * (15 + 0.05 * 40))


def test_costs_by_case_by_hand():
    costs = BOTH.review_costs([1, 0], miss=[900, 0], alarm=[0, 25])
    assert costs == pytest.approx([2 + 0.75 * 90 + 0.25 * (15 + 9), 2 + 0.5 * 5 + 0.5 * (15 + 1.25)])


def test_passing_on_nothing_is_the_junior_and_everything_both_fees():
    alone = ReviewCascade(junior=JUNIOR, senior=SENIOR, passed_on_positive=0, passed_on_negative=0)
    errors = {"cost_fn": 100, "cost_fp": 40, "cost_tp": 3, "cost_tn": 1}
    assert alone.class_costs(**errors) == pytest.approx(JUNIOR.class_costs(**errors))
    every = ReviewCascade(junior=JUNIOR, senior=SENIOR, passed_on_positive=1, passed_on_negative=1)
    wanted = [2 + cost for cost in SENIOR.class_costs(**errors)]
    assert every.class_costs(**errors) == pytest.approx(wanted)
    assert (every.sensitivity, every.specificity) == (0.99, 0.95)


def test_the_same_by_class_and_by_case():
    by_class = CostModel(cost_fn=100, cost_fp=40, reviewer=BOTH)
    losses = CaseCosts(cost_fn=100, cost_fp=40, reviewer=BOTH).losses([1, 0]).table
    wanted = [by_class.cost_abstain_positive, by_class.cost_abstain_negative]
    assert losses[:, ABSTAIN].tolist() == pytest.approx(wanted)
    assert CaseCosts(cost_fn=100, cost_fp=40, reviewer=BOTH).to_dict()["reviewer"]["senior"]["fee"] == 15


@pytest.mark.parametrize("costs", [CostModel(cost_fn=100, cost_fp=40), CaseCosts(cost_fn=100, cost_fp=40)])
def test_the_best_reviewer_is_the_cheapest_comparison(costs):
    y, s = Binormal(separation=2.0).sample(60, rng=2)
    reviewers = {"junior": JUNIOR, "senior": SENIOR, "both": BOTH, "nobody": Reviewer(fee=1000)}
    chosen = compare_reviewers(y, s, costs=costs, reviewers=reviewers, seed=3)
    for name, reviewer in reviewers.items():
        alone = compare_models(y, s, costs=CostModel(cost_fn=100, cost_fp=40, reviewer=reviewer), seed=3)
        assert chosen.costs[name] == pytest.approx(alone.answer.cost, rel=1e-12)
    assert chosen.best == min(chosen.costs, key=chosen.costs.get)
    assert chosen.words.startswith(f"Let {chosen.best} review: ")
    assert chosen.answer is chosen.comparisons[chosen.best].answer
    assert set(chosen.to_dict()) == {"best", "costs", "words"}


def test_equal_reviewers_are_a_tie_that_the_first_wins():
    y, s = Binormal(separation=2.0).sample(40, rng=2)
    reviewers = {"a": JUNIOR, "b": JUNIOR}
    assert compare_reviewers(y, s, costs=CostModel(cost_fn=100, cost_fp=40), reviewers=reviewers).best == "a"


def test_errors_are_one_sentence():
    y, s = np.array([0, 1, 0, 1]), np.arange(4.0)
    with pytest.raises(InputError, match="`passed_on_positive` must lie in"):
        ReviewCascade(junior=JUNIOR, senior=SENIOR, passed_on_positive=2, passed_on_negative=0)
    with pytest.raises(InputError, match="`senior` must be a Reviewer, got int"):
        ReviewCascade(junior=JUNIOR, senior=3, passed_on_positive=1, passed_on_negative=0)
    with pytest.raises(InputError, match="`costs` must not have a cost of abstaining beside reviewers"):
        compare_reviewers(y, s, costs=CostModel(cost_abstain=0.1), reviewers={"a": JUNIOR})
    with pytest.raises(InputError, match="`reviewers` must be a non-empty mapping"):
        compare_reviewers(y, s, costs=CostModel(), reviewers={})
    with pytest.raises(InputError, match="must be a Reviewer, got int"):
        compare_reviewers(y, s, costs=CostModel(), reviewers={"a": 3})
