"""Cases whose class cannot be known: a true class without an action of its own."""

import json

import numpy as np
import pytest

from demur import ABSTAIN, CaseCosts, CostModel, CostRange, InputError, Policy, Report, compare_models
from demur.engines import read_joint_counts

COSTS = CostModel(cost_fn=10, cost_fp=4, cost_abstain=2)
CLASSES = ["a", "b", "c"]
MATRIX = {true: {answer: 6.0 * (true != answer) for answer in CLASSES} for true in CLASSES}


def sample(seed, n=60, *, distinct=25):
    """Labels 0, 1 and "?", and tied scores: the unknown ones lie in the middle."""
    rng = np.random.default_rng(seed)
    labels = rng.choice(np.array([0, 1, "?"], dtype=object), n, p=[0.5, 0.3, 0.2])
    labels[:6] = [0, 0, 1, 1, "?", "?"]
    place = {0: -1.0, 1: 1.0, "?": 0.2}
    scores = np.array([place[one] for one in labels]) + rng.normal(size=n)
    return labels, np.round(scores * distinct / 6) / distinct * 6


def loss(label, action, costs, unknown):
    """What an action on a case costs, from the definition."""
    if action == ABSTAIN:
        return costs.cost_abstain
    if label == "?":
        return unknown
    return (costs.cost_fn if label == 1 else costs.cost_fp) if action != label else 0.0


def decided(scores, lower, upper):
    return np.where(scores >= upper, 1, np.where(scores <= lower, 0, ABSTAIN))


def cheapest(labels, scores, costs, unknown, *, abstaining):
    """The cheapest of all windows by enumeration; of equal ones fewest reviews, then most positives."""
    values = np.unique(scores)
    cuts = [-np.inf, *((values[:-1] + values[1:]) / 2), np.inf]
    best = None
    for i, lower in enumerate(cuts):
        for upper in cuts[i:] if abstaining else [lower]:
            actions = decided(scores, lower, upper)
            if lower == upper:  # one threshold: positive from it on
                actions = (
                    np.where(scores >= lower, 1, 0) if np.isfinite(lower) else (scores * 0 + (lower < 0))
                )
            total = sum(loss(*pair, costs, unknown) for pair in zip(labels, actions, strict=True))
            key = (round(total, 9), int((actions == ABSTAIN).sum()), -int((actions == 1).sum()))
            if best is None or key < best[0]:
                best = key, (lower, upper), total / len(labels)
    return best[1:]


def compared(labels, scores, *, costs=COSTS, unknown=5.0, **more):
    return compare_models(
        labels, {"m": scores}, costs=costs, pos_label=1, unknown_label="?", cost_unknown=unknown, **more
    )


# ---------------------------------------------------------------- the definition


def test_undecided_by_hand():
    # six of eight cases are clear; abstaining on the two in between costs 2 each, deciding them 5 each
    labels = np.array([0, 0, 0, "?", "?", 1, 1, 1], dtype=object).repeat(5)
    scores = np.array([1, 2, 3, 4, 5, 6, 7, 8.0]).repeat(5)
    found = compared(labels, scores)
    assert (found.answer.lower, found.answer.upper) == (3.5, 5.5)
    assert found.answer.honest_cost == pytest.approx(2 * 2 / 8)
    assert found.models["m"].threshold_cost == pytest.approx(5 * 2 / 8)
    assert found.answer.unknown_decided == 0
    assert found.answer.confusion.tolist() == [[0.375, 0, 0], [0, 0.375, 0], [0, 0, 0.25]]
    assert "no unknowable cases decided" in found.answer.words


def test_decided_where_that_is_cheaper_by_hand():
    # deciding an unknown case costs 1, less than the 2 of abstaining
    labels = np.array([0, 0, 0, "?", "?", 1, 1, 1], dtype=object).repeat(5)
    scores = np.array([1, 2, 3, 4, 5, 6, 7, 8.0]).repeat(5)
    answer = compared(labels, scores, unknown=1.0).answer
    assert answer.kind == "threshold"
    assert answer.honest_cost == pytest.approx(1 * 2 / 8)
    assert (answer.unknown_decided, answer.error_rate) == pytest.approx((0.25, 0.25))
    assert "about 250 unknowable cases decided" in answer.words


@pytest.mark.parametrize("seed", range(8))
def test_windows_against_enumeration(seed):
    labels, scores = sample(seed)
    unknown = [0.0, 1.5, 3.0, 20.0][seed % 4]
    found = compared(labels, scores, unknown=unknown)
    model = found.models["m"]
    for abstaining, cost in ((True, model.hindsight_cost), (False, model.threshold_hindsight_cost)):
        window, least = cheapest(labels, scores, COSTS, unknown, abstaining=abstaining)
        assert cost == pytest.approx(least, abs=1e-12)
        if abstaining:
            assert model.window.cost == pytest.approx(least, abs=1e-12)
            assert np.array_equal(
                decided(scores, model.window.lower, model.window.upper), decided(scores, *window)
            )


@pytest.mark.parametrize("seed", range(4))
def test_honest_cost_against_enumeration(seed):
    labels, scores = sample(seed, 40)
    found = compared(labels, scores, unknown=6.0)
    cases, total = found.choice.first, []
    for rows in cases.splits.repeats:
        own, mine = labels[rows.cell], scores[rows.cell]
        for fold in range(cases.folds):
            held = rows.fold == fold
            window, _ = cheapest(own[~held], mine[~held], COSTS, 6.0, abstaining=True)
            actions = decided(mine[held], *window)
            total.append(sum(loss(*pair, COSTS, 6.0) for pair in zip(own[held], actions, strict=True)))
    assert found.models["m"].cost == pytest.approx(sum(total) / len(labels) / cases.repeats, abs=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_windows_against_costs_by_case(seed):
    """A case of no class is a negative whose answers cost the same, whatever they are."""
    labels, scores = sample(seed, 120)
    unsure = labels == "?"
    costs = CaseCosts(
        cost_fn=10, cost_fp=np.where(unsure, 7.0, 4.0), cost_tn=np.where(unsure, 7.0, 0.0), cost_abstain=2
    )
    by_case = compare_models((labels == 1).astype(int), {"m": scores}, costs=costs).models["m"]
    model = compared(labels, scores, unknown=7.0).models["m"]
    assert model.hindsight_cost == pytest.approx(by_case.hindsight_cost, abs=1e-12)
    assert (model.window.lower, model.window.upper) == (by_case.window.lower, by_case.window.upper)
    assert model.threshold == by_case.threshold


def test_what_holds_over_all_costs_is_that_of_the_others():
    labels, scores = sample(1, 300)
    known = labels != "?"
    found = compared(labels, scores)
    alone = compare_models(labels[known].astype(int), {"m": scores[known]}, costs=COSTS)
    for name in ("auc", "auc_interval", "vacc", "vacc_interval", "hindsight_vacc"):
        assert getattr(found.models["m"], name) == getattr(alone.models["m"], name)
    assert found.notes[-1].startswith(f"{(~known).sum()} of 300 cases cannot be known")
    assert (found.n, found.n_positive, found.n_negative) == (300, (labels == 1).sum(), (labels == 0).sum())
    assert json.dumps(found.to_dict())


def test_without_such_cases_nothing_changes():
    labels, scores = sample(2, 200)
    known = labels != "?"
    labels, scores = labels[known].astype(int), scores[known]
    plain = compare_models(labels, {"m": scores}, costs=COSTS)
    assert compared(labels, scores, unknown=3.0).to_dict() == plain.to_dict()


def test_lists_of_mixed_labels_stay_what_they_are():
    labels, scores = sample(4, 100)
    assert compared(labels.tolist(), scores).answer.to_dict() == compared(labels, scores).answer.to_dict()
    text = np.where(labels == "?", "?", np.where(labels == 1, "ill", "well")).tolist()
    asked = {"costs": COSTS, "pos_label": "ill", "unknown_label": "?", "cost_unknown": 5.0}
    assert compare_models(text, {"m": scores}, **asked).classes == ("well", "ill")


def test_order_of_rows_does_not_matter_for_hindsight_and_repeats_are_rows():
    labels, scores = sample(3, 80)
    times = np.random.default_rng(0).integers(0, 3, 80)
    weighted = compared(labels, scores, sample_weight=times, weights="repeats")
    rows = compared(np.repeat(labels, times), np.repeat(scores, times))
    assert weighted.models["m"].hindsight_cost == pytest.approx(rows.models["m"].hindsight_cost, abs=1e-12)
    assert weighted.answer.confusion == pytest.approx(rows.answer.confusion)


def test_groups_times_and_importance_weights():
    labels, scores = sample(4, 240)
    rng = np.random.default_rng(0)
    found = compared(labels, scores, groups=rng.integers(0, 60, 240), time=np.arange(240))
    assert found.by_block
    assert found.units <= 60
    weighted = compared(labels, scores, sample_weight=rng.uniform(0.1, 2, 240))
    by = weighted.by(np.where(scores > 0, "high", "low"))
    costs = [group.share * group.cost for group in by.groups]
    assert sum(costs) == pytest.approx(weighted.answer.honest_cost)


def test_ranges_choose_among_windows_of_the_corners():
    labels, scores = sample(5, 300)
    costs = CostRange(cost_fn=(4, 30), cost_fp=4, cost_abstain=2)
    answer = compared(labels, scores, costs=costs).answer
    assert answer.regret >= 0
    assert answer.cost_range.low < answer.cost_range.high


# ---------------------------------------------------------------- policy, many classes


def test_policy_is_that_of_an_ordinary_rule(tmp_path):
    labels, scores = sample(6, 300)
    answer = compared(labels, scores).answer
    policy = Policy.from_answer(answer)
    policy.save(tmp_path / "policy.json")
    loaded = Policy.load(tmp_path / "policy.json")
    assert loaded.rule == answer.rule
    assert loaded.expected_cost == answer.cost
    assert "cannot be known costs 5" in loaded.note
    assert loaded.shares == pytest.approx([(labels == 0).sum(), (labels == 1).sum()] / (labels != "?").sum())
    assert np.array_equal(loaded.apply(scores) == loaded.abstain_label, answer.decide(scores) == ABSTAIN)


def many(seed, n=240):
    rng = np.random.default_rng(seed)
    proba = rng.dirichlet(np.ones(3), n)
    labels = np.array([rng.choice(CLASSES, p=row) for row in proba], dtype=object)
    labels[rng.random(n) < 0.4 * (1 - proba.max(axis=1))] = "?"
    return labels, proba


def test_many_classes_against_the_definition():
    labels, proba = many(0)
    asked = {"classes": CLASSES, "costs": MATRIX, "abstain_cost": 1.5}
    found = compare_models(labels, {"m": proba}, **asked, unknown_label="?", cost_unknown=4.0)
    assert {rule for rule in found.models["m"].rules if rule.startswith("weights")} == set()
    for rule in found.models["m"].rules.values():
        actions = rule.rule.decide(proba)
        paid = [
            1.5 if action == ABSTAIN else 4.0 if label == "?" else 6.0 * (CLASSES.index(label) != action)
            for label, action in zip(labels, actions, strict=True)
        ]
        assert rule.hindsight_cost == pytest.approx(np.mean(paid), abs=1e-12)
    answer = found.answer
    assert answer.confusion.shape == (4, 4)
    assert answer.unknown_decided == pytest.approx(answer.confusion[3, :3].sum())
    assert "unknowable" in answer.words
    rows = found.tables()["Confusion"]
    assert "(cannot be known)" in rows.columns[0].values
    assert Policy.from_answer(answer).shares.sum() == pytest.approx(1)


def test_two_named_classes_are_the_problem_of_two_classes():
    labels, scores = sample(7, 200)
    risk = 1 / (1 + np.exp(-scores))
    plain = compared(labels, risk)
    costs = {0: {0: 0, 1: 4}, 1: {0: 10, 1: 0}}
    named = compare_models(
        labels,
        {"m": np.column_stack([1 - risk, risk])},
        classes=[0, 1],
        costs=costs,
        abstain_cost=2,
        unknown_label="?",
        cost_unknown=5.0,
    )
    assert named.answer.to_dict() == plain.answer.to_dict()


# ---------------------------------------------------------------- refusals


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"cost_unknown": None}, "`cost_unknown` is needed with unknown_label"),
        ({"cost_unknown": -1}, "`cost_unknown` must not be negative"),
        ({"costs": None}, "`cost_unknown` needs costs"),
        ({"costs": CaseCosts(cost_fn=10, cost_fp=4, cost_abstain=2)}, "beside costs by case"),
        (
            {"costs": CostModel(cost_fn=10, cost_fp=4, cost_abstain_positive=2, cost_abstain_negative=1)},
            "a price of abstaining that differs by class",
        ),
        ({"prevalence": 0.2}, "beside a prevalence in use"),
        ({"objective": "guaranteed"}, "beside objective='guaranteed'"),
        ({"max_abstention": 0.2}, "beside limits"),
        ({"include": "combinations"}, "beside include, prices or a budget"),
        ({"unknown_label": None}, "`unknown_label` is needed with cost_unknown"),
    ],
)
def test_refusals(asked, said):
    labels, scores = sample(8)
    given = {"costs": COSTS, "unknown_label": "?", "cost_unknown": 5.0, **asked}
    with pytest.raises(InputError, match=said):
        compare_models(labels, {"m": scores}, pos_label=1, **given)


def test_refuses_counts_bounds_and_the_page(tmp_path):
    labels, scores = sample(9)
    known = labels != "?"
    file = tmp_path / "p.csv"
    lines = (f"{one},{score}" for one, score in zip(labels[known], scores[known], strict=True))
    file.write_text("y,m\n" + "\n".join(lines))
    joint = read_joint_counts(str(file), y_true="y", scores=["m"])
    with pytest.raises(InputError, match="`unknown_label` needs the cases themselves"):
        compare_models(joint, costs=COSTS, unknown_label="?", cost_unknown=5.0)
    with pytest.raises(InputError, match="cannot be known"):
        Report.from_comparison(compared(labels, scores))
    with pytest.raises(InputError, match="must hold cases whose class can be known"):
        compared(np.full(60, "?", dtype=object), scores)
    missing = labels.copy()
    missing[::7] = None
    with pytest.raises(InputError, match="must not be 'bounds' beside cost_unknown"):
        compared(missing, scores, missing_labels="bounds")
