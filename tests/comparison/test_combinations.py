"""Combinations and guards as candidates: rules against brute force, honest costs against slow loops."""

import itertools
import math
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from demur import (
    ABSTAIN,
    CaseCosts,
    CostModel,
    CostRange,
    InputError,
    Policy,
    Report,
    ScoreCounts,
    compare_models,
    decide,
)
from demur.comparison.case_table import CaseTable
from demur.comparison.combination_learner import CombinationLearner, GuardLearner, row_window
from demur.comparison.comparison import compared
from demur.comparison.estimates import difference_interval
from demur.comparison.problem import DecisionProblem, Limits
from demur.comparison.training_losses import TrainingLosses, training_losses
from demur.engines import read_joint_counts
from demur.monitoring import judge_policy
from demur.windows import Combined, Guarded, Window
from demur.windows.combined import WAYS
from examples import examples
from loss_oracles import SlowRule, slow_estimate, slow_gap

COSTS = CostModel(cost_fn=3, cost_fp=1, cost_abstain=0.3)
PRICES = CostModel(cost_fn=4, cost_fp=2, cost_abstain=0.7, cost_tp=0.5, cost_tn=-0.25)
BOTH = ("combinations", "guards")
AVERAGE, VOTE, VARIANCE = (f"{way} of a and b" for way in ("average", "vote", "disagreement"))
GUARDS = ("a guarded by far", "b guarded by far")


def problem(costs=COSTS, **parts):
    asked = {"prevalence": None, "objective": None, "confidence_level": 0.95, "seed": 0, "limits": Limits()}
    return DecisionProblem.checked(costs=costs, **{**asked, **parts})


def rows_of(y, costs, weights):
    weight = np.asarray(weights, dtype=float)
    return TrainingLosses(costs.losses.table[np.asarray(y)] * weight[:, None], weight)


def paid(rows, codes):
    return float(rows.losses[np.arange(len(codes)), codes].sum())


def cuts(values):
    """Thresholds below, between and above some values."""
    levels = sorted(set(values))
    return [-math.inf, *((a + b) / 2 for a, b in itertools.pairwise(levels)), math.inf]


def windows(values, *, may_abstain=True):
    """All windows on some values, with thresholds that are such: no float may lie between two means."""
    levels = sorted(set(values))
    ends = itertools.product(enumerate([-math.inf, *levels]), enumerate([*levels, math.inf]))
    return [(a, b) for (i, a), (j, b) in ends if i == j or (i < j and may_abstain)]


def cheapest(rows, score, **options):
    return min(paid(rows, decide(score, window)) for window in windows(score, **options))


@pytest.fixture(scope="module")
def cases():
    rng = np.random.default_rng(2)
    y = np.arange(90) % 2
    scores = {name: 1 / (1 + np.exp(-(2 * y - 1) - rng.normal(0, 1.2, 90))) for name in ("a", "b")}
    return y, scores, {"far": rng.random(90).round(2)}


# ---------------------------------------------------------------- rules by hand


def test_guard_by_hand():
    # a threshold at 0.5 decides six rightly; the two far cases cost 0.2 each instead of 1 each
    y, score = [0, 0, 0, 1, 1, 1, 1, 0], [0.1, 0.2, 0.3, 0.7, 0.8, 0.9, 0.05, 0.95]
    table = np.column_stack([score, [0.3, 0.5, 0.4, 0.4, 0.3, 0.5, 4.1, 3.7]])
    costs = CostModel(cost_abstain=0.2)
    learner = GuardLearner(problem(costs, doubt="far"), "risk")
    rule, rows = learner.choose(table, rows_of(y, costs, np.ones(8))), rows_of(y, costs, np.ones(8))
    assert (rule.max_doubt, rule.lower, rule.upper, rule.names) == (2.1, 0.5, 0.5, ("risk", "far"))
    assert paid(rows, rule.decide(table)) == pytest.approx(0.4)
    # rounded for people: the same decisions
    written = learner.written(rule, table)
    assert (written.max_doubt, written.lower, written.upper) == (2, 0.5, 0.5)
    # infinite doubts are the first to be refused, or the last
    endless = np.column_stack([score, [-np.inf, 0.5, 0.4, 0.4, 0.3, 0.5, np.inf, np.inf]])
    assert learner.choose(endless, rows).decide(endless).tolist() == [0, 0, 0, 1, 1, 1, ABSTAIN, ABSTAIN]
    # every score is right: no limit, whatever the doubt
    table = np.column_stack([[1, 2, 1, 3], [5, 1, 2, 9]]).astype(float)
    assert learner.choose(table, rows_of([0, 1, 0, 1], costs, np.ones(4))).max_doubt == math.inf


def test_vote_by_hand():
    # a abstains at 0.5, b and c vote for one class each; the balance settles all eight
    y = [0, 0, 0, 0, 1, 1, 1, 1]
    members = {
        "a": [0.1, 0.1, 0.1, 0.5, 0.5, 0.9, 0.9, 0.9],
        "b": [0.1, 0.1, 0.9, 0.1, 0.9, 0.9, 0.9, 0.1],
        "c": [0.1, 0.1, 0.1, 0.1, 0.9, 0.9, 0.9, 0.9],
    }
    costs, table = CostModel(cost_abstain=0.3), np.column_stack(list(members.values()))
    rule = CombinationLearner(problem(costs), "vote", tuple("abc")).choose(
        table, rows_of(y, costs, np.ones(8))
    )
    assert rule.decide(table).tolist() == y
    assert rule.windows[0].decide(table[:, 0]).tolist() == [0, 0, 0, ABSTAIN, ABSTAIN, 1, 1, 1]


def test_disagreement_is_abstained_on_by_hand():
    # the mean is 0.6 for all; where the members agree it is right, where they do not it is not
    y, costs = [1, 1, 1, 0, 1, 0], CostModel(cost_abstain=0.3)
    table = np.column_stack([[0.6, 0.6, 0.6, 0.2, 0.2, 0.2], [0.6, 0.6, 0.6, 1.0, 1.0, 1.0]])
    rule = CombinationLearner(problem(costs), "variance", ("a", "b")).choose(
        table, rows_of(y, costs, np.ones(6))
    )
    assert rule.decide(table).tolist() == [1, 1, 1, -1, -1, -1]
    assert rule.max_disagreement == pytest.approx(0.16)  # between 0 and 2 x 0.16


# ---------------------------------------------------------------- rules against brute force

small = st.lists(
    st.tuples(
        st.integers(0, 1),
        st.sampled_from([0.1, 0.4, 0.6, 0.9]),
        st.sampled_from([0.2, 0.4, 0.5, 0.8]),
        st.sampled_from([1, 2, 0.5]),
    ),
    min_size=2,
    max_size=8,
)


@settings(max_examples=examples(80), deadline=None)
@given(small, st.booleans())
def test_combinations_against_enumeration(drawn, may_abstain):
    y, *columns, weights = (list(column) for column in zip(*drawn, strict=True))
    y[0], y[1] = 0, 1
    costs = PRICES if may_abstain else CostModel(cost_fn=4, cost_fp=2, cost_tp=0.5)
    table, rows = np.column_stack(columns), rows_of(y, costs, weights)
    options = {"may_abstain": may_abstain}
    for how in WAYS:
        rule = CombinationLearner(problem(costs), how, ("a", "b")).choose(table, rows)
        score = rule.score(table)
        best = cheapest(rows, score, **options)
        if how == "vote":
            for column, window in zip(table.T, rule.windows, strict=True):
                assert paid(rows, window.decide(column)) == pytest.approx(cheapest(rows, column, **options))
        if how == "variance" and may_abstain:
            apart = rule.disagreement(table)
            best = min(
                paid(rows, np.where(apart > limit, ABSTAIN, decide(score, window)))
                for limit in [*apart, math.inf]
                for window in windows(score)
            )
        assert paid(rows, rule.decide(table)) == pytest.approx(best, abs=1e-9)
        assert may_abstain or ABSTAIN not in rule.decide(table)


@settings(max_examples=examples(80), deadline=None)
@given(small)
def test_guard_against_enumeration(drawn):
    y, score, doubt, weights = (list(column) for column in zip(*drawn, strict=True))
    y[0], y[1] = 0, 1
    table, rows = np.column_stack([score, doubt]), rows_of(y, PRICES, weights)
    rule = GuardLearner(problem(PRICES, doubt="d"), "a").choose(table, rows)
    best = min(
        paid(rows, np.where(table[:, 1] > limit, ABSTAIN, decide(score, window)))
        for limit in [*doubt, math.inf]
        for window in windows(score)
    )
    assert paid(rows, rule.decide(table)) == pytest.approx(best, abs=1e-9)


def test_all_limits_of_many_doubts_against_brute_force():
    n = 700
    rng = np.random.default_rng(n)
    y, doubt = np.arange(n) % 2, rng.permutation(n) / n
    # wrong beyond one limit only
    score = np.where(doubt > 0.805, -1, 1) * (2 * y - 1) + rng.normal(0, 0.3, n)
    rows = rows_of(y, COSTS, rng.integers(1, 4, n))
    rule = GuardLearner(problem(doubt="d"), "a").choose(np.column_stack([score, doubt]), rows)
    costs = {}
    for limit in cuts(doubt)[1:]:
        kept = np.flatnonzero(doubt <= limit)
        part = TrainingLosses(rows.losses[kept], rows.weight[kept])
        codes = row_window(score[kept], part.losses, may_abstain=True).decide(score[kept])
        costs[limit] = paid(part, codes) + 0.3 * float(rows.weight[doubt > limit].sum())
    # of equally cheap limits the largest
    assert rule.max_doubt == max(limit for limit, cost in costs.items() if cost < min(costs.values()) + 1e-9)


# ---------------------------------------------------------------- honest costs


def learners_of(found):
    asked = found.problem
    made = [CombinationLearner(asked, how, ("a", "b")) for how in WAYS]
    return {one.name: one for one in [*made, *(GuardLearner(asked, name) for name in "ab")]}


def recomputed(found, name, columns):
    """Honest cost of a rule of several columns: rows judged one by one, by the rule of the training rows."""
    learner, cases = learners_of(found)[name], found.choice.first
    scenario, own = found.problem.centre, cases.codes.astype(int)
    by_case = cases.losses is not None
    losses = cases.losses * np.array(scenario.costs) if by_case else scenario.losses.table[own]
    sums = np.zeros((2, 2))
    for split, rows in enumerate(cases.splits.repeats):
        judged = cases.splits.judged(split)
        for fold in cases.splits.judged_folds:
            train = np.flatnonzero(cases.trains(split, fold))
            training = training_losses(cases, found.problem, rows.cell[train], rows.cases[train])
            rule = learner.choose(columns[rows.cell[train]], training)
            for row in np.flatnonzero(rows.fold == fold):
                cell = rows.cell[row]
                (code,), (fee,) = rule.decide(columns[[cell]]), rule.charge(columns[[cell]])
                sums[own[cell]] += judged[row] * np.array([losses[cell, code] + fee, 1.0])
    if found.problem.shares is not None:
        return float(found.problem.shares @ (sums[:, 0] / sums[:, 1]))
    total, weight = sums.sum(axis=0)
    return total / weight


def columns_of(name, scores, doubt):
    if "guarded" in name:
        return np.column_stack([scores[name[0]], doubt["far"]])
    return np.column_stack([scores["a"], scores["b"]])


DESIGNS = {
    "point": {},
    "prices": {"prices": {"a": 0.02, "b": 0.1}},
    "prevalence": {"prevalence": 0.2, "prices": {"b": 0.1}},
    "ranges": {"costs": CostRange(cost_fn=(2, 4), cost_fp=1, cost_abstain=(0.2, 0.4))},
    "amounts": {"costs": CaseCosts(cost_fn=np.arange(90) / 30 + 0.1, cost_fp=1.5, cost_abstain=0.3)},
    "factors": {
        "costs": CaseCosts(cost_fn=np.arange(90) / 30, cost_fp=1, cost_abstain=0.3, miss_factor=(0.5, 1)),
        "prices": {"a": 0.02},
    },
    "clusters": {"groups": np.arange(90) // 3},
    "time": {"time": np.arange(90) // 2},
    "time and clusters": {"time": np.arange(90) // 2, "groups": np.arange(90) // 6, "prices": {"a": 0.1}},
    "importance": {"sample_weight": 1 + np.arange(90) % 3},
    "repeats": {"sample_weight": 1 + np.arange(90) % 3, "weights": "repeats", "prices": {"b": 0.2}},
}


@pytest.mark.parametrize("design", DESIGNS)
def test_honest_costs_against_a_slow_loop(design, cases):
    y, scores, doubt = cases
    options = {"costs": COSTS, **DESIGNS[design]}
    found = compare_models(y, scores, include=BOTH, doubt=doubt, **options)
    assert list(found.combinations) == [AVERAGE, VOTE, VARIANCE, *GUARDS]
    for name, one in found.combinations.items():
        cost = recomputed(found, name, columns_of(name, scores, doubt))
        assert one.cost == pytest.approx(cost, rel=1e-12), name
        assert one.interval.low <= one.cost <= one.interval.high
    # models alone cost what they do without company
    alone = compare_models(y, scores, doubt=doubt, **options)
    assert alone.combinations == {}
    for name, model in alone.models.items():
        assert found.models[name].to_dict() == model.to_dict()


def test_honest_costs_of_amounts_against_brute_force():
    """The window of every training set by looking at all of them; amounts leave no ties."""
    rng = np.random.default_rng(7)
    y = np.arange(24) % 2
    scores = {name: y + rng.normal(0, 1, 24) for name in ("a", "b")}
    amounts = CaseCosts(
        cost_fn=rng.uniform(1, 9, 24), cost_fp=rng.uniform(1, 4, 24), cost_abstain=rng.uniform(0.2, 1, 24)
    )
    found = compare_models(y, scores, costs=amounts, include="combinations")
    cases, losses = found.choice.first, amounts.losses(y).table
    mean = (scores["a"] + scores["b"]) * 0.5
    total = 0.0
    for split in cases.splits.repeats:
        for fold in range(cases.folds):
            train, held = (split.cell[own] for own in (split.fold != fold, split.fold == fold))
            ends = itertools.combinations_with_replacement(cuts(mean[train]), 2)
            paid_by = {window: losses[train, decide(mean[train], window)].sum() for window in ends}
            best = min(paid_by, key=paid_by.__getitem__)
            total += losses[held, decide(mean[held], best)].sum()
    assert found.combinations[AVERAGE].cost == pytest.approx(total / (24 * cases.repeats), rel=1e-12)


def test_intervals_and_differences_against_the_definition(cases):
    y, scores, doubt = cases
    found = compare_models(y, scores, costs=COSTS, include=BOTH, doubt=doubt)
    own = y[found.choice.first.splits.repeats[0].cell]
    classes, losses = own.tolist(), COSTS.losses.table[own].tolist()
    candidates = {name: found.choice.candidates[name][-1] for name in (*found.combinations, "a")}
    slow = {
        name: SlowRule([codes.tolist() for codes in one.judged.honest], one.judged.hindsight.tolist())
        for name, one in candidates.items()
    }
    for name, one in found.combinations.items():
        wanted = slow_estimate(slow[name], losses, classes=classes)
        assert one.interval == pytest.approx(wanted.interval, rel=1e-9)
        assert one.hindsight_cost == pytest.approx(wanted.hindsight)
        difference, interval = difference_interval(candidates[name], candidates["a"], found.problem)
        gap, back = (
            slow_gap(*pair, losses, classes=classes)
            for pair in ((slow[name], slow["a"]), (slow["a"], slow[name]))
        )
        assert difference == pytest.approx(gap.cost, abs=1e-12)
        assert interval == pytest.approx((-back.interval()[1], gap.interval()[1]), abs=1e-12)


def test_ranges_choose_in_their_middle(cases):
    y, scores, doubt = cases
    asked = {"include": BOTH, "doubt": doubt}
    ranged = compare_models(y, scores, **asked, **DESIGNS["ranges"])
    middle = compare_models(
        y, scores, costs=CostModel(cost_fn=3, cost_fp=1, cost_abstain=0.30000000000000004), **asked
    )
    for name, one in ranged.combinations.items():
        assert one.rule == middle.combinations[name].rule
        assert one.cost == pytest.approx(middle.combinations[name].cost, rel=1e-12)


def test_written_thresholds_are_short_and_decide_alike(cases):
    y, scores, doubt = cases
    found = compare_models(y, scores, costs=COSTS, include=BOTH, doubt=doubt)
    for name, one in found.combinations.items():
        table, learner = columns_of(name, scores, doubt), learners_of(found)[name]
        plain = learner.choose(table, training_losses(found.choice.first, found.problem, np.arange(90)))
        assert np.array_equal(one.rule.decide(table), plain.decide(table))
        window, before = one.rule.window, plain.window
        assert len(repr(window.lower)) <= len(repr(before.lower))
        assert len(repr(window.upper)) < 9


# ---------------------------------------------------------------- the answer


@pytest.fixture(scope="module")
def noisy():
    """Two models of equal worth: their mean is better than both."""
    rng = np.random.default_rng(0)
    y = np.arange(1000) % 2
    return y, {name: 2 * y + rng.normal(0, 1, 1000) for name in ("cheap", "large")}


def test_answer_of_a_combination_goes_to_policy_report_and_judgement(noisy):
    y, scores = noisy
    prices = {"cheap": 0.01, "large": 0.02}
    found = compare_models(y, scores, costs=COSTS, include="combinations", prices=prices)
    answer = found.answer
    assert (answer.kind, answer.model) == ("combination", "average of cheap and large")
    assert isinstance(answer.rule, Combined)
    assert answer.fees == pytest.approx(0.03)
    lower, upper = answer.rule.window.lower, answer.rule.window.upper
    said = f"call positive from {upper:g} up, negative up to {lower:g}, send the rest to a person."
    assert f"Use average of cheap and large: {said}" in answer.words
    assert ", including 30 for asking models, " in answer.words
    alone = answer.versus["alone"]
    assert alone.name == min(found.models, key=lambda name: found.models[name].cost)
    assert alone.interval.high < 0
    assert f"less than {alone.name} alone (" in answer.words
    policy, table = Policy.from_answer(answer), np.column_stack(list(scores.values()))
    assert (policy.columns, policy.model) == (("cheap", "large"), answer.model)
    # what asking costs is not promised: it is known
    assert policy.promise.cost == pytest.approx(answer.cost - 0.03)
    assert policy.promise.limit == pytest.approx(answer.interval.high - 0.03)
    assert np.array_equal(policy.decide(table), answer.decide(table))
    judged = judge_policy(policy, table, y)
    assert judged.overall.cost == pytest.approx(found.combinations[answer.model].hindsight_cost - 0.03)
    report = Report.from_predictions(y, scores, costs=COSTS, include="combinations", prices=prices)
    assert report.headline == answer.words
    assert any("charts show the cheapest that is" in note for note in report.notes)
    assert "The charts of the page leave out what asking models costs." in report.notes
    told = report.to_dict()["comparison"]
    assert told["combinations"][answer.model]["rule"] == answer.rule.to_dict()
    assert told["answer"]["facts"]["fees"] == pytest.approx(0.03)


def test_a_guard_pays_where_some_cases_come_from_elsewhere():
    rng = np.random.default_rng(0)
    y, elsewhere = np.arange(500) % 2, np.arange(500) % 10 < 1
    score = np.where(elsewhere, rng.normal(0, 3, 500), 2 * y - 1 + rng.normal(0, 0.7, 500))
    distance = rng.normal(np.where(elsewhere, 5, 1), 0.5)
    costs = CostModel(cost_abstain=0.1)
    found = compare_models(y, {"risk": score}, costs=costs, include="guards", doubt={"far": distance})
    answer = found.answer
    assert (answer.kind, answer.model) == ("guard", "risk guarded by far")
    assert isinstance(answer.rule, Guarded)
    assert 2 < answer.rule.max_doubt <= 4
    assert answer.versus["alone"].interval.high < 0
    assert "Use risk guarded by far: send to a person where far exceeds" in answer.words
    assert Policy.from_answer(answer).columns == ("risk", "far")
    # without a name it is called doubt
    same = compare_models(y, {"risk": score}, costs=costs, include="guards", doubt=distance)
    assert same.answer.rule.names == ("risk", "doubt")
    assert same.answer.cost == answer.cost


def test_free_models_leave_no_fees_and_nothing_is_said_of_them(noisy):
    y, scores = noisy
    found = compare_models(y, scores, costs=COSTS, include="combinations")
    assert found.answer.fees is None
    assert "asking" not in found.answer.words
    (average, *_) = found.choice.candidates["average of cheap and large"]
    assert average.judged.honest_fees == ()
    # a model alone pays for itself; a rule without a model pays nothing
    dear = compare_models(y, scores, costs=COSTS, prices={"cheap": 0.05, "large": 9})
    assert dear.answer.fees == pytest.approx(0.05)
    assert dear.models["large"].cost == pytest.approx(found.models["large"].cost + 9)
    none = compare_models(y, scores, costs=COSTS, prices={"cheap": 9, "large": 9}).answer
    assert (none.model, none.fees) == (None, 0.0)
    assert "asking" not in none.words


def test_amounts_say_what_reviews_cost_also_of_a_combination(noisy):
    y, scores = noisy
    amounts = CaseCosts(cost_fn=np.full(1000, 3.0), cost_fp=1, cost_abstain=0.3)
    answer = compare_models(y, scores, costs=amounts, include="combinations").answer
    assert answer.kind == "combination"
    assert re.search(r"reviews [\d,]+ for about [\d,]+ cases", answer.words)


def test_of_many_models_the_eight_cheapest_are_combined():
    rng = np.random.default_rng(3)
    y = np.arange(200) % 2
    scores = {f"m{k}": 2 * y + rng.normal(0, 1 + k / 5, 200) for k in (9, 0, 1, 2, 3, 4, 5, 6, 7, 8)}
    found = compare_models(y, scores, costs=COSTS, include="combinations")
    rule = found.combinations["average of 8 models"].rule
    kept = sorted(found.models, key=lambda name: found.models[name].cost)[:8]
    assert set(rule.names) == set(kept)
    assert [name for name in scores if name in kept] == list(rule.names)


def test_limits_and_guarantees_leave_the_rules_out_and_say_so(cases):
    y, scores, doubt = cases
    for limit in ({"max_abstention": 0.2}, {"objective": "guaranteed"}):
        found = compare_models(y, scores, costs=COSTS, include=BOTH, doubt=doubt, **limit)
        assert found.combinations == {}
        assert any(note.startswith("Rules of several models and guards are left out") for note in found.notes)


def test_without_abstaining_there_is_no_disagreement_to_abstain_on(cases):
    y, scores, _ = cases
    found = compare_models(y, scores, costs=CostModel(cost_fn=3, cost_fp=1), include="combinations")
    assert list(found.combinations) == [AVERAGE, VOTE]
    assert all(one.abstention_rate == 0 for one in found.combinations.values())


def test_missing_scores_leave_the_price_of_a_model_with_it(cases):
    y, scores, doubt = cases
    holed = {"a": np.where(np.arange(90) % 9 == 1, np.nan, scores["a"]), "b": scores["b"]}
    options = {"costs": COSTS, "prices": {"a": 0.1, "b": 0.2}}
    found = compare_models(y, holed, missing_labels="drop", include=BOTH, doubt=doubt, **options)
    common = ~np.isnan(holed["a"])
    wanted = compare_models(
        y[common],
        {name: column[common] for name, column in scores.items()},
        include=BOTH,
        doubt={"far": doubt["far"][common]},
        **options,
    )
    assert {name: one.cost for name, one in found.combinations.items()} == {
        name: one.cost for name, one in wanted.combinations.items()
    }
    whole = compare_models(y, {"b": scores["b"]}, costs=COSTS, prices={"b": 0.2})
    assert found.models["b"].cost == whole.models["b"].cost


def test_two_classes_given_by_name_are_combined_alike(cases):
    y, scores, _ = cases
    proba = {name: np.column_stack([1 - s, s]) for name, s in scores.items()}
    asked = {"include": "combinations", "prices": {"a": 0.1}}
    spelt = compare_models(y, proba, classes=[0, 1], costs={0: {1: 1}, 1: {0: 3}}, abstain_cost=0.3, **asked)
    plain = compare_models(y, scores, costs=COSTS, **asked)
    assert spelt.combinations[AVERAGE].cost == plain.combinations[AVERAGE].cost


Y3, PROBA3 = [0, 1, 2] * 6, {"a": np.full((18, 3), 1 / 3)}
MATRIX = {k: {j: 1 for j in range(3) if j != k} for k in range(3)}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"include": "chains"}, "`include` must be one of 'combinations', 'cascades'"),
        ({"include": "guards"}, "`include` names guards, which need a doubt"),
        (
            {"include": "guards", "doubt": np.ones(90), "costs": CostModel(cost_fn=3)},
            "`include` names guards, which abstain",
        ),
        ({"prices": {"c": 1}}, r"`prices` must name models \(a, b\), got 'c'"),
        ({"prices": {"a": -1}}, r"`prices\['a'\]` must not be negative"),
        ({"include": "combinations", "costs": None}, "`include` needs costs"),
        ({"prices": {"a": 1}, "costs": None}, "`prices` needs costs"),
        ({"include": "guards", "doubt": np.ones(89)}, "doubt"),
    ],
)
def test_refusals(options, message, cases):
    y, scores, _ = cases
    with pytest.raises(InputError, match=message):
        compare_models(y, scores, **{"costs": COSTS, **options})


def test_refusals_of_other_cases(cases):
    y, scores, doubt = cases
    asked = {"costs": COSTS, "include": "combinations"}
    with pytest.raises(InputError, match="`scores` must be finite to be combined"):
        compare_models(y, {**scores, "b": np.where(y, np.inf, scores["b"])}, **asked)
    with pytest.raises(InputError, match="must not name a model like a rule of several, got 'a guarded by"):
        compare_models(y, {**scores, GUARDS[0]: scores["a"]}, costs=COSTS, include="guards", doubt=doubt)
    missing = np.where(np.arange(90) % 9, y, np.nan)
    with pytest.raises(
        InputError, match=r"must not be 'bounds' beside .* prices of models or rules of several"
    ):
        compare_models(missing, scores, missing_labels="bounds", costs=COSTS, prices={"a": 1})
    joint = read_joint_counts({"y": y, **scores}, y_true="y", scores=["a", "b"])
    with pytest.raises(InputError, match="`include` needs all scores of every case, got counts"):
        compare_models(joint, **asked)
    counted = problem(include="combinations")
    counts = {name: ScoreCounts.from_arrays(y, column) for name, column in scores.items()}
    with pytest.raises(InputError, match="`include` needs all scores of every case, got counts"):
        compared(CaseTable.of_counts(counts, counted), counted)
    for name, value in (("include", "combinations"), ("prices", {"a": 1})):
        with pytest.raises(InputError, match=f"`{name}` is for two classes"):
            compare_models(Y3, PROBA3, classes=[0, 1, 2], costs=MATRIX, **{name: value})
    with pytest.raises(InputError, match="`doubt` is for scores of two classes"):
        Report.from_predictions(y, scores, classes=[0, 1], costs=MATRIX, doubt=doubt)


def test_windows_of_rows_leave_out_what_every_decision_costs():
    rows = rows_of([1, 0, 1], PRICES, np.ones(3))
    assert row_window(np.array([0.9, 0.1, 0.5]), rows.losses, may_abstain=True) == Window(0.3, 0.3)


# ---------------------------------------------------------------- in use


@pytest.mark.long
def test_intervals_of_combinations_cover_the_cost_in_use():
    """The rule of 200 cases, judged on 20,000 others, lies in its interval in at least 92 of 100 samples."""

    def draw(n, rng):
        y = (np.arange(n) % 2).astype(int)
        scores = {name: 1 / (1 + np.exp(-(2 * y - 1) - rng.normal(0, 1.2, n))) for name in ("a", "b")}
        return y, scores, {"far": rng.random(n)}

    rng = np.random.default_rng(11)
    y_new, new, far = draw(20_000, rng)
    names = (AVERAGE, VOTE, VARIANCE, GUARDS[0])
    covered = dict.fromkeys(names, 0)
    for _ in range(100):
        y, scores, doubt = draw(200, rng)
        found = compare_models(y, scores, costs=COSTS, include=BOTH, doubt=doubt)
        for name in names:
            one = found.combinations[name]
            codes = one.rule.decide(columns_of(name, new, far))
            true = COSTS.losses.table[y_new, codes].mean()
            covered[name] += one.interval.low <= true <= one.interval.high
    assert min(covered.values()) >= 92, covered
