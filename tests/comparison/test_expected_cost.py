"""Rules that know the amount of a case, as candidates: against slow loops, under limits, for any data."""

import numpy as np
import pandas as pd
import pytest
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression

from demur import CaseCosts, InputError, Policy, Prevalence, Report, Reviewer, compare_models
from demur.comparison.estimates import gap_of
from demur.comparison.expected_cost_learner import _calibrated, _logistic
from demur.costs import ReviewCascade
from demur.surface.window import ABSTAIN
from demur.windows import ExpectedCostRule

KINDS = ["expected cost", "expected cost, score only", "expected cost, no reviews"]


def cases(n=400, seed=0, levels=None):
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.3
    s = 1.6 * y + rng.normal(size=n)
    amount = np.round(np.exp(rng.normal(4 + 0.6 * y, 1)), 2)
    return y, s if levels is None else np.round(s * levels) / levels, amount


def known(amount, **changes):
    costs = {"cost_fn": amount, "cost_fp": 25, "cost_abstain": 4, "columns": {"cost_fn": "amount"}}
    return CaseCosts(**{**costs, **changes}, known_at_decision=True)


# ---------------------------------------------------------------- probabilities


def slowly_calibrated(place, positive, sizes):
    """Blocks of an isotonic fit, one case of the base rate in each, pooled again, by scikit-learn."""
    fit = IsotonicRegression(out_of_bounds="clip").fit(place, positive, sizes)
    heights = np.round(fit.predict(place), 12)
    base, blocks = np.average(positive, weights=sizes), []
    for height in np.unique(heights):
        own = heights == height
        blocks.append(
            (np.average(place[own], weights=sizes[own]), sizes[own].sum(), sizes[own] @ positive[own])
        )
    centre, weight, ill = map(np.array, zip(*blocks, strict=True))
    steps = np.arange(len(ill))
    again = IsotonicRegression().fit(steps, (ill + base) / (weight + 1), weight + 1).predict(steps)
    points = []
    for value in np.unique(np.round(again, 12)):
        own = np.abs(again - value) < 1e-11
        points.append((np.average(centre[own], weights=weight[own]), value))
    return np.array(points).T


@pytest.mark.parametrize("levels", [None, 3])
@pytest.mark.parametrize("weighted", [False, True])
def test_probabilities_against_sklearn(levels, weighted):
    for seed in range(10):
        y, s, _ = cases(120, seed, levels)
        sizes = np.random.default_rng(seed).integers(1, 4, 120) * 1.0 if weighted else np.ones(120)
        found = _calibrated(s, y, sizes, None)
        points, values = slowly_calibrated(s, y.astype(float), sizes)
        assert found.points == pytest.approx(points, abs=1e-9)
        assert found.values == pytest.approx(values, abs=1e-9)


def test_probabilities_under_a_prevalence_by_hand():
    # two blocks of 2 cases: 0 of 2 and 2 of 2 positive; at a prevalence of 1/4 a positive counts 1/2, a
    # negative 3/2, and the case added to each block is positive by a quarter
    found = _calibrated(np.array([1.0, 2, 3, 4]), np.array([0, 0, 1, 1], bool), np.ones(4), 0.25)
    assert found.points.tolist() == [1.5, 3.5]
    assert found.values == pytest.approx([0.25 / 4, 1.25 / 2])


def test_weights_against_sklearn():
    y, s, amount = cases(500)
    features = np.column_stack([s, np.log(amount)])
    scaled = (features - features.mean(axis=0)) / features.std(axis=0)
    fit = LogisticRegression(C=1.0, tol=1e-10, max_iter=1000).fit(scaled, y)
    assert _logistic(features, y, np.ones(500)) == pytest.approx(
        fit.coef_[0] / features.std(axis=0), rel=1e-6
    )


# ---------------------------------------------------------------- honest costs


@pytest.mark.parametrize("kind", KINDS)
def test_honest_cost_against_a_slow_loop(kind):
    y, s, amount = cases(150)
    found = compare_models(y, {"m": s}, costs=known(amount))
    model, split = found.models["m"], found.cases["m"]
    (candidate,) = [one for one in found.choice.candidates["m"] if one.kind == kind]
    table = np.column_stack([s, amount])
    paid = []
    for rows in split.splits.repeats:
        for fold in range(split.folds):
            trains, held = rows.cell[rows.fold != fold], rows.cell[rows.fold == fold]
            rule = candidate.learner.rule(split, table, trains, np.ones(len(trains)), (0,), {})
            codes = rule.decide(table[held])
            miss, alarm, review = amount[held] * y[held], 25.0 * ~y[held], np.full(len(held), 4.0)
            paid.append(np.where(codes == 0, miss, np.where(codes == 1, alarm, review)).sum())
    assert model.rules[kind].cost == pytest.approx(sum(paid) / len(split.splits.repeats) / len(y), rel=1e-12)


def test_model_and_answer_take_the_preferred_rule():
    y, s, amount = cases(600)
    found = compare_models(y, {"m": s, "noise": np.zeros(600)}, costs=known(amount))
    model = found.models["m"]
    assert list(model.rules) == ["threshold", "window", *KINDS[1:], KINDS[0]]
    assert (model.kind, found.answer.kind, found.answer.model) == (KINDS[0], KINDS[0], "m")
    assert model.cost == model.rules[KINDS[0]].cost < model.rules["window"].cost
    assert model.threshold_cost == model.rules[KINDS[2]].cost
    assert model.window is not None
    assert found.answer.lower is None
    # without the amounts nothing changes
    plain = compare_models(y, {"m": s}, costs=known(amount, columns={}))
    window = compare_models(y, {"m": s}, costs=CaseCosts(cost_fn=amount, cost_fp=25, cost_abstain=4))
    assert plain.models["m"].rules["window"].cost == window.models["m"].cost
    assert plain.answer.rule.names == ("m", "cost_fn")


def test_another_rule_must_be_cheaper_by_a_standard_error():
    y, s, amount = cases(300, seed=3)
    found = compare_models(y, {"m": s}, costs=known(amount))
    *others, preferred = found.choice.candidates["m"]
    assert (preferred.kind, preferred.handicap) == (KINDS[0], 0.0)
    for one in others:
        assert one.handicap == pytest.approx(gap_of(one, preferred, found.problem).standard_error)
    best = found.choice.best([*others, preferred])
    costs = {one.kind: found.models["m"].rules[one.kind].cost + one.handicap for one in (*others, preferred)}
    assert best.kind == min(costs, key=costs.get)


def test_costs_are_linear_in_the_columns():
    amount = cases(50)[2]
    fee = np.linspace(1, 2, 50)
    junior = Reviewer(fee=fee, sensitivity=0.9, specificity=0.8)
    senior = Reviewer(fee=9, sensitivity=0.95)
    people = ReviewCascade(junior=junior, senior=senior, passed_on_positive=0.3, passed_on_negative=0.2)
    for reviewer in (junior, people):
        costs = CaseCosts(
            cost_fn=0.6 * amount,
            cost_fp=25,
            cost_tp=0.1 * amount,
            reviewer=reviewer,
            miss_factor=(0.5, 1.5),
            alarm_factor=2,
            columns={"cost_fn": "0.6*amount", "cost_tp": "0.1*amount", "fee": "fee"},
            known_at_decision=True,
        )
        columns = costs.known_columns()
        assert list(columns) == ["amount", "fee"]
        assert columns["amount"] == pytest.approx(amount)
        linear = costs.linear_costs() @ np.stack([np.ones(50), *columns.values()])
        for kind in (0, 1):
            wanted = costs.losses(np.full(50, bool(kind))).table * np.array(costs.mean)
            assert pytest.approx(wanted, rel=1e-9) == linear[kind].T


def test_two_amounts_of_one_name_are_refused():
    _, _, amount = cases(50)
    wrong = known(amount, cost_abstain=2 * amount, columns={"cost_fn": "amount", "cost_abstain": "amount"})
    with pytest.raises(InputError, match="`columns` must not call different amounts 'amount'"):
        wrong.known_columns()


# ---------------------------------------------------------------- limits, designs, data


def test_a_limit_on_reviews_is_kept_by_what_they_save():
    y, s, amount = cases(500)
    free = compare_models(y, {"m": s}, costs=known(amount))
    found = compare_models(y, {"m": s}, costs=known(amount), max_abstention=0.1)
    rule = found.answer.rule
    assert isinstance(rule, ExpectedCostRule)
    assert 0.08 < found.answer.shares[ABSTAIN] <= 0.1
    table = np.column_stack([s, amount])
    savings, sent = rule.savings(table), rule.decide(table) == ABSTAIN
    assert savings[sent].min() > savings[~sent].max()
    assert found.answer.honest_cost > free.answer.honest_cost
    kept = compare_models(y, {"m": s}, costs=known(amount), max_fn_rate=0.2)
    assert set(kept.models["m"].rules) == {"threshold", "window"}
    assert any("they cannot keep max_fn_rate" in note for note in kept.notes)


def test_designs_and_weights():
    y, s, amount = cases(240)
    costs = known(amount)
    base = compare_models(y, {"m": s}, costs=costs).models["m"].rules
    once = compare_models(y, {"m": s}, costs=costs, groups=np.arange(240)).models["m"].rules
    even = compare_models(y, {"m": s}, costs=costs, sample_weight=np.full(240, 2.0)).models["m"].rules
    # a row of weight 2 is two cases, which may lie in different folds
    twice = np.where(np.arange(240) % 3 == 0, 2.0, 1.0)
    repeated = (
        compare_models(y, {"m": s}, costs=costs, sample_weight=twice, weights="repeats").models["m"].rules
    )
    written = np.repeat(np.arange(240), twice.astype(int))
    amounts = known(amount[written])
    rows = compare_models(y[written], {"m": s[written]}, costs=amounts).models["m"].rules
    for kind in KINDS:
        assert repeated[kind].hindsight_cost == pytest.approx(rows[kind].hindsight_cost)
        assert repeated[kind].cost == pytest.approx(rows[kind].cost, rel=0.1)
        assert once[kind].cost == base[kind].cost
        assert even[kind].hindsight_cost == pytest.approx(base[kind].hindsight_cost)
    day = np.arange(240)
    timed = compare_models(y, {"m": s}, costs=costs, time=day)
    assert timed.by_block is not None
    assert timed.answer.kind == KINDS[0]
    assert timed.answer.shuffled_cost == pytest.approx(base[KINDS[0]].cost)
    clustered = compare_models(y, {"m": s}, costs=costs, groups=np.arange(240) // 4)
    assert clustered.units == 60
    rarer = compare_models(y, {"m": s}, costs=costs, prevalence=Prevalence(positives=30, cases=300))
    assert rarer.models["m"].rules[KINDS[0]].cost < base[KINDS[0]].cost
    ranged = compare_models(y, {"m": s}, costs=known(amount, miss_factor=(0.5, 1.5)))
    assert ranged.answer.cost_range.high > ranged.answer.cost_range.low


def test_missing_labels_at_their_worst():
    y, s, amount = cases(200)
    labels = y.astype(float)
    labels[:20] = np.nan
    found = compare_models(labels, {"m": s}, costs=known(amount), missing_labels="bounds")
    rule, answer = found.models["m"].rules[KINDS[0]].rule, found.answer
    assert answer.n_unlabelled == 20
    codes = rule.decide(np.column_stack([s, amount])[:20])
    miss, alarm = np.where(codes == 0, amount[:20], 0.0), np.where(codes == 1, 25.0, 0.0)
    worst = np.where(codes == ABSTAIN, 4.0, np.maximum(miss, alarm))
    (candidate,) = [one for one in found.choice.candidates["m"] if one.kind == KINDS[0]]
    labelled = (candidate.paid).sum() / 180
    assert found.models["m"].rules[KINDS[0]].cost == pytest.approx((labelled * 180 + worst.sum()) / 200)


def test_amounts_of_zero_and_huge_ones():
    y, s, amount = cases(200)
    amount[:50], amount[50] = 0.0, 1e90
    found = compare_models(y, {"m": s}, costs=known(amount))
    assert np.isfinite(found.models["m"].rules[KINDS[0]].cost)


def test_scores_that_tell_nothing():
    y, _, amount = cases(200)
    found = compare_models(y, {"m": np.ones(200)}, costs=known(amount))
    rule = found.models["m"].rules[KINDS[1]].rule
    assert rule.calibration.values == pytest.approx([y.mean()])
    reverse = compare_models(y, {"m": -cases(200)[1]}, costs=known(amount))
    assert np.isfinite(reverse.models["m"].cost)


# ---------------------------------------------------------------- policies and reports


def test_policy_reads_score_and_amount(tmp_path):
    y, s, amount = cases(300)
    answer = compare_models(y, {"m": s}, costs=known(amount)).answer
    policy = Policy.from_answer(answer)
    assert policy.columns == ("m", "amount")
    policy.save(tmp_path / "policy.json")
    again = Policy.load(tmp_path / "policy.json")
    table = np.column_stack([s, amount])
    assert np.array_equal(again.decide(table), answer.decide(table))
    assert again.amounts["cost_fn"]["column"] == "amount"
    assert again.promise.cost == answer.cost
    with pytest.raises(InputError, match="must have the column 'amount'"):
        again.decide(pd.DataFrame({"m": s}))


def test_report_says_the_rule():
    y, s, amount = cases(200)
    report = Report.from_predictions(y, {"m": s}, costs=known(amount))
    assert report.headline == compare_models(y, {"m": s}, costs=known(amount)).answer.words
    assert "with amount known" in report.headline
