"""Cases without a label: refused with evidence, left out, or bounded whatever their labels are."""

import itertools

import numpy as np
import pytest

from demur import CaseCosts, CostModel, InputError, compare_models
from demur.comparison.estimates import cost_at, cost_of
from demur.comparison.missing import labels_missing

COSTS = CostModel(cost_fn=10, cost_fp=6, cost_abstain=2.5)
TABLE = np.array([[0, 6, 2.5], [10, 0, 2.5]])


def _data(n=400, seed=0):
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.4).astype(float)
    return y, 2 * y + rng.normal(size=n), rng


@pytest.mark.parametrize(
    "labels",
    [
        np.array([1.0, np.nan, 0]),
        np.array([1, None, 0], dtype=object),
        np.array(["a", np.nan, "b"], dtype=object),
    ],
)
def test_what_a_missing_label_is(labels):
    assert labels_missing(labels).tolist() == [False, True, False]


def test_labels_missing_by_chance_are_left_out():
    y, score, rng = _data()
    y[rng.random(400) < 0.1] = np.nan
    kept = ~np.isnan(y)
    found = compare_models(y, {"a": score}, costs=COSTS)
    alone = compare_models(y[kept], {"a": score[kept]}, costs=COSTS)
    assert found.answer.to_dict() == alone.answer.to_dict()
    assert found.notes == (
        f"{400 - kept.sum()} of 400 cases have no label: they were left out; their scores do not differ from "
        "those of the others.",
    )


def test_labels_that_exist_where_something_was_done_are_refused_with_evidence():
    y, score, _ = _data()
    y[score < 0.5] = np.nan
    with pytest.raises(
        InputError, match=r"scores of a differ \(none below 0\.5\d* with a label\): labels may exist only"
    ):
        compare_models(y, {"a": score}, costs=COSTS)


def test_dropped_all_the_same_nothing_is_proven_or_guaranteed():
    y, score, _ = _data(4000)
    y[score < -0.5] = np.nan
    found = compare_models(y, {"a": score}, costs=COSTS, missing_labels="drop")
    assert found.answer.verdict == "likely"
    assert found.answer.guaranteed_cost is None
    assert "so nothing is guaranteed." in found.notes[-1]
    kept = ~np.isnan(y)
    alone = compare_models(y[kept], {"a": score[kept]}, costs=COSTS)
    assert (alone.answer.verdict, alone.answer.cost) == ("proven", found.answer.cost)


def test_bounds_of_a_rule_against_every_labelling():
    y, score, rng = _data(60, seed=3)
    blank = rng.choice(60, 5, replace=False)
    labels = y.copy()
    labels[blank] = np.nan
    found = compare_models(labels, {"a": score}, costs=COSTS, missing_labels="bounds")
    for candidate in found.choice.candidates["a"]:
        kept = ~np.isnan(labels)
        honest = (candidate.honest * TABLE).sum()
        decided = candidate.rule.decide(score[blank])
        totals = [
            (honest + TABLE[list(classes), decided].sum()) / 60
            for classes in itertools.product((0, 1), repeat=5)
        ]

        assert candidate.honest.sum() == pytest.approx(kept.sum())
        assert cost_at(candidate, found.problem.centre) == pytest.approx(max(totals), abs=1e-12)
        assert cost_of(candidate, found.problem).cost == pytest.approx(max(totals), abs=1e-12)
        assert cost_of(candidate, found.problem, best=True).cost == pytest.approx(min(totals), abs=1e-12)
    assert found.units == 60


def test_bounds_hold_the_range_and_the_difference():
    y, score, rng = _data(300)
    blank = rng.random(300) < 0.03
    labels = np.where(blank, np.nan, y)
    found = compare_models(labels, {"a": score}, costs=COSTS, missing_labels="bounds")
    answer = found.answer
    low, high = answer.cost_range
    assert low < high == pytest.approx(answer.cost)
    assert answer.interval.low < low
    assert answer.interval.high > high
    assert answer.n_unlabelled == blank.sum()
    assert f"whatever the {blank.sum()} missing labels are" in answer.words
    assert sum(answer.shares.values()) == pytest.approx(1)
    assert answer.guaranteed_cost is None
    against = answer.versus["trivial"]
    # the smallest and the largest difference over all labels lie inside
    rule, other = (
        found.choice.candidates["a"][-1],
        next(one for one in found.choice.baselines if one.kind == against.name),
    )
    decided = rule.rule.decide(score[blank])
    gaps = TABLE[:, decided] - TABLE[:, [other.judged.hindsight[0]] * blank.sum()]
    honest = ((rule.honest - other.honest) * TABLE).sum()
    for extreme in (gaps.min(axis=0), gaps.max(axis=0)):
        assert against.interval.low <= (honest + extreme.sum()) / 300 <= against.interval.high


def test_bounds_of_many_classes():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 300).astype(object)
    proba = rng.dirichlet([1, 1, 1], 300) + 1.5 * np.eye(3)[y.astype(int)]
    y[:10] = None
    costs = {0: {1: 2, 2: 5}, 1: {0: 3, 2: 1}, 2: {0: 9, 1: 4}}
    asked = {"classes": [0, 1, 2], "costs": costs, "abstain_cost": 0.8}
    found = compare_models(y, {"a": proba}, missing_labels="bounds", **asked)
    table = np.array([[0, 2, 5], [3, 0, 1], [9, 4, 0]])
    honest = table[y[10:].astype(int), proba[10:].argmax(axis=1)].sum()
    worst = table[:, proba[:10].argmax(axis=1)].max(axis=0).sum()
    assert found.models["a"].rules["argmax"].cost == pytest.approx((honest + worst) / 300, abs=1e-12)


def test_amounts_follow_their_rows():
    y, score, rng = _data()
    amounts, blank = np.exp(rng.normal(2, 1, 400)), rng.random(400) < 0.1
    kept = ~blank
    whole, part = (CaseCosts(cost_fn=one, cost_fp=6, cost_abstain=2.5) for one in (amounts, amounts[kept]))
    found = compare_models(np.where(blank, np.nan, y), {"a": score}, costs=whole)
    assert found.answer.cost == compare_models(y[kept], {"a": score[kept]}, costs=part).answer.cost


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"missing_labels": "guess"}, "`missing_labels`"),
        ({"missing_labels": "bounds", "prevalence": 0.2}, "must not be 'bounds' beside"),
        ({"missing_labels": "bounds", "groups": np.arange(400) // 4}, "must not be 'bounds' beside"),
        ({"missing_labels": "bounds", "time": np.arange(400)}, "must not be 'bounds' beside"),
    ],
)
def test_refusals(asked, said):
    y, score, rng = _data()
    y[rng.random(400) < 0.1] = np.nan
    with pytest.raises(InputError, match=said):
        compare_models(y, {"a": score}, costs=COSTS, **asked)


def test_no_label_at_all():
    with pytest.raises(InputError, match="`y_true` has no label at all"):
        compare_models([np.nan] * 4, [1.0, 2, 3, 4], costs=COSTS)


def test_bounds_of_amounts_against_every_labelling():
    y, score, rng = _data(60, seed=3)
    amounts, blank = np.exp(rng.normal(2, 1, 60)), rng.choice(60, 5, replace=False)
    labels = y.copy()
    labels[blank] = np.nan
    costs = CaseCosts(cost_fn=amounts, cost_fp=6, cost_abstain=2.5, miss_factor=(0.5, 1.5))
    found = compare_models(labels, {"a": score}, costs=costs, objective="expected", missing_labels="bounds")
    kept = ~np.isnan(labels)
    for candidate in (*found.choice.candidates["a"], *found.choice.baselines):
        honest = candidate.paid.sum()
        decided = [candidate.judged.hindsight[0]] * 5
        if candidate.rule is not None:
            decided = candidate.rule.decide(score[blank])
        each = [[0, 6, 2.5], [0, 0, 2.5]]
        totals = []
        for classes in itertools.product((0, 1), repeat=5):
            paid = [
                amounts[i] if (k, int(a)) == (1, 0) else each[k][a]
                for i, k, a in zip(blank, classes, decided, strict=True)
            ]
            totals.append((honest + sum(paid)) / 60)
        assert candidate.honest.sum() == pytest.approx(kept.sum())
        assert cost_at(candidate, found.problem.centre) == pytest.approx(max(totals), abs=1e-12)
        assert cost_of(candidate, found.problem).cost == pytest.approx(max(totals), abs=1e-12)
        assert cost_of(candidate, found.problem, best=True).cost == pytest.approx(min(totals), abs=1e-12)
    assert found.answer.n_unlabelled == 5


# ---------------------------------------------------------------- scores


def test_a_missing_score_leaves_the_case_out_for_its_model_only():
    y, score, rng = _data()
    other = 2 * y + rng.normal(size=400)
    blank = rng.random(400) < 0.2
    partly = np.where(blank, np.nan, other)
    asked = {"costs": COSTS, "missing_labels": "drop"}
    found = compare_models(y, {"a": score, "b": partly}, **asked)
    kept = ~blank
    common = compare_models(y[kept], {"a": score[kept], "b": other[kept]}, costs=COSTS)
    whole = compare_models(y, {"a": score}, costs=COSTS)
    assert found.answer.to_dict() == common.answer.to_dict()
    assert found.models["a"].to_dict() == whole.models["a"].to_dict()
    assert found.models["b"].to_dict() == common.models["b"].to_dict()
    assert found.notes == (
        f"{blank.sum()} of 400 cases have no score of b.",
        f"Models are compared on the {kept.sum()} cases that all of them scored.",
    )
    with pytest.raises(InputError, match="scores of b"):
        compare_models(y, {"a": score, "b": partly}, costs=COSTS)
    numbered = compare_models(y, {1: score, 2: partly}, **asked)
    assert numbered.models["1"].cost == whole.models["a"].cost


def test_scores_missing_where_another_model_is_unsure_prove_nothing():
    y, score, rng = _data(4000)
    other = np.where(score < -0.5, np.nan, 2 * y + rng.normal(size=4000))
    found = compare_models(y, {"a": score, "b": other}, costs=COSTS, missing_labels="drop")
    assert found.answer.verdict == "likely"
    assert "They differ from the others in classes and a: nothing is proven." in found.notes[0]


def test_amounts_classes_clusters_and_times_follow_the_scores():
    y, score, rng = _data()
    blank = rng.random(400) < 0.1
    kept, amounts, groups = ~blank, np.exp(rng.normal(2, 1, 400)), np.arange(400) // 2
    whole, part = (CaseCosts(cost_fn=one, cost_fp=6, cost_abstain=2.5) for one in (amounts, amounts[kept]))
    partly = np.where(blank, np.nan, score)
    placed = {"groups": groups, "time": np.arange(400)}
    found = compare_models(y, {"a": partly}, costs=whole, missing_labels="drop", **placed)
    alone = compare_models(
        y[kept], {"a": score[kept]}, costs=part, **{name: one[kept] for name, one in placed.items()}
    )
    assert found.answer.to_dict() == alone.answer.to_dict()
    proba = np.column_stack([1 - 1 / (1 + np.exp(-partly)), 1 / (1 + np.exp(-partly))])
    asked = {"classes": [0, 1], "costs": {0: {1: 6}, 1: {0: 10}}, "abstain_cost": 2.5}
    found = compare_models(y, {"a": proba}, missing_labels="drop", **asked)
    assert found.answer.to_dict() == compare_models(y[kept], {"a": proba[kept]}, **asked).answer.to_dict()


def test_no_case_with_all_scores():
    score = np.array([1.0, 2, 3, 4])
    halves = {"a": np.where(score > 2, np.nan, score), "b": np.where(score > 2, score, np.nan)}
    with pytest.raises(InputError, match="exist for no case"):
        compare_models([0, 1, 0, 1], halves, costs=COSTS, missing_labels="drop")
