"""The answer for any number of classes: against definitions, by hand, and against two classes."""

import numpy as np
import pytest

from demur import InputError, Reviewer, compare_models
from demur.cautious import CautionWindowRule
from demur.comparison.case_table import CaseTable
from demur.comparison.class_learner import ClassLearner, Training, cheapest_cut
from demur.comparison.numbers import shares_of_1000
from demur.comparison.problem import DecisionProblem, Limits
from demur.comparison.words import answer_words
from demur.costs.class_costs import ClassCosts
from demur.honest.splits import split_classes
from demur.surface.window import ABSTAIN
from demur.windows import ClassRule

CLASSES = ["a", "b", "c"]
COSTS = {"a": {"b": 1, "c": 4}, "b": {"a": 3, "c": 2}, "c": {"a": 8, "b": 6}}


def drawn(n=45, m=3, seed=0, sharp=1.2):
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n) % m)
    z = rng.normal(size=(n, m))
    z[np.arange(n), y] += sharp
    p = np.exp(z)
    return y, p / p.sum(axis=1, keepdims=True)


def question_of(costs=COSTS, abstain_cost=1.0, max_abstention=None, classes=CLASSES):
    return DecisionProblem.checked(
        costs=ClassCosts.of(costs, abstain_cost, classes),
        prevalence=None,
        objective=None,
        limits=Limits(max_abstention=max_abstention),
        confidence_level=0.95,
        seed=0,
    )


def cases_of(y, p, question):
    names = np.array(question.costs.classes, dtype=object)[y]
    table = CaseTable.of_classes(names, p, question, sample_weight=None, weights="importance")
    return table.cases["model"]


def chosen(y, p, question, kind, rows=None, seed=(0,)):
    """Return the rule of a kind chosen on some rows."""
    rows = np.arange(len(y)) if rows is None else rows
    training = Training.of(cases_of(y, p, question), p, rows, question, seed)
    return ClassLearner(kind, question.costs.mean, question).chosen(training).rule


@pytest.fixture(autouse=True, scope="module")
def one_split():
    """One split into folds instead of ten: the same road, quicker."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("demur.honest.splits._MOST_REPEATS", 1)
        yield


@pytest.fixture(scope="module")
def compared():
    y, p = drawn()
    _, other = drawn(seed=1, sharp=0.3)
    names = np.array(CLASSES)[y]
    models = {"new": p, "old": other}
    return names, models, compare_models(names, models, classes=CLASSES, costs=COSTS, abstain_cost=1.5)


# ---------------------------------------------------------------- rules


def test_rule_by_hand():
    proba = [[0.7, 0.2, 0.1], [0.4, 0.2, 0.4], [0.5, 0.4, 0.1], [1, 1, 0]]
    weighted = ClassRule(classes=CLASSES, weights=[1, 1, 2], abstain_weight=0.6)
    # products (.7 .2 .2), (.4 .2 .8), (.5 .4 .2) against .6, (1 1 0) against 1.2
    assert weighted.decide(proba).tolist() == [0, 2, ABSTAIN, ABSTAIN]
    # a tie between two classes goes to the first, a tie with abstaining to the class
    assert ClassRule(classes=CLASSES, weights=[1, 1, 1]).decide([[0.4, 0.4, 0.2]]).tolist() == [0]
    even = ClassRule(classes=CLASSES, weights=[1, 1, 1], abstain_weight=0.5)
    assert even.decide([[0.25, 0.5, 0.25]]).tolist() == [1]
    costs = np.array([[0, 1, 4, 0.5], [3, 0, 2, 0.5], [8, 6, 0, 0.5]])
    priced = ClassRule(classes=CLASSES, weights=[1, 1, 1], abstain_weight=1, column_costs=costs)
    # row 0: L = (.2*3 + .1*8, .7 + .6, 2.8 + .4) = (1.4, 1.3, 3.2), a review costs .5
    assert priced.decide([[0.7, 0.2, 0.1], [0.9, 0.1, 0.0]]).tolist() == [ABSTAIN, 0]


def test_rule_refuses_in_one_sentence():
    with pytest.raises(InputError, match=r"`weights` must be 3 numbers >= 0"):
        ClassRule(classes=CLASSES, weights=[1, 1])
    with pytest.raises(InputError, match=r"`column_costs` must be \(3, 3\) numbers"):
        ClassRule(classes=CLASSES, weights=[1, 1, 1], column_costs=[[1.0]])
    rule = ClassRule(classes=CLASSES, weights=[1, 1, 1])
    with pytest.raises(InputError, match="zeros in row 1"):
        rule.decide([[1, 0, 0], [0, 0, 0]])
    with pytest.raises(InputError, match="must not contain NaN"):
        rule.decide([[1, np.nan, 0]])


def test_cheapest_cut_against_enumeration():
    rng = np.random.default_rng(0)
    for _ in range(30):
        at = rng.integers(0, 5, 12) / 4
        change, share = rng.integers(-3, 4, 12), rng.integers(0, 3, 12) / 12
        low, high = cheapest_cut(at, change.astype(float), share, 0.5)
        costs = {
            cut: change[at < cut].sum() for cut in (*np.unique(at), np.inf) if share[at < cut].sum() <= 0.5
        }
        assert change[at < high].sum() == min(costs.values())
        assert low < high


@pytest.mark.parametrize("kind", ["cautious", "cautious by class"])
@pytest.mark.parametrize("limit", [None, 0.2])
def test_cautious_rule_against_all_windows(kind, limit):
    y, p = drawn(60, seed=3)
    question = question_of(abstain_cost=0.7, max_abstention=limit)
    rule = chosen(y, p, question, kind)
    bias = rule_bias = np.full(3, 1 / 3)
    if kind == "cautious by class":
        counts = np.bincount(y, minlength=3) / len(y) + 1 / len(y)
        rule_bias = bias = counts / counts.sum()
    costs = question.costs.mean.table

    def cost(codes):
        return costs[y, np.where(codes == ABSTAIN, 3, codes)].mean()

    windows = np.linspace(0, 1, 401)
    decided = [CautionWindowRule(rule_bias, float(window)).decide(p) for window in windows]
    allowed = [codes for codes in decided if limit is None or np.mean(codes == ABSTAIN) <= limit]
    codes = rule.decide(p)
    assert cost(codes) <= min(map(cost, allowed)) + 1e-12
    assert limit is None or np.mean(codes == ABSTAIN) <= limit
    # thresholds of rule R4: tau = (1 - k) w + k
    window = (1 / rule.weights - bias) / (1 - bias)
    assert np.ptp(window) < 1e-12


@pytest.mark.parametrize("kind", ["expected cost, abstaining", "weights, abstaining"])
def test_limit_on_abstentions_against_all_abstain_weights(kind):
    y, p = drawn(60, seed=5)
    free, limited = question_of(abstain_cost=0.5), question_of(abstain_cost=0.5, max_abstention=0.25)
    loose, rule = chosen(y, p, free, kind), chosen(y, p, limited, kind)
    assert np.mean(loose.decide(p) == ABSTAIN) > 0.25
    assert np.array_equal(rule.weights, loose.weights)
    table = limited.costs.mean.table

    def judged(weight):
        codes = ClassRule(
            classes=CLASSES, weights=rule.weights, abstain_weight=weight, column_costs=rule.column_costs
        ).decide(p)
        return table[y, np.where(codes == ABSTAIN, 3, codes)].mean(), np.mean(codes == ABSTAIN)

    tried = [judged(weight) for weight in np.geomspace(0.05, 20, 400)]
    best = min(cost for cost, share in tried if share <= 0.25)
    cost, share = judged(rule.abstain_weight)
    assert cost <= best + 1e-12
    assert share <= 0.25


# ---------------------------------------------------------------- honest costs


def test_argmax_cost_by_hand():
    # classes a a b b c c; the last b is answered a (cost 3), the first c is answered b (cost 6)
    p = [[0.8, 0.1, 0.1]] * 2 + [[0.1, 0.8, 0.1], [0.6, 0.3, 0.1], [0.2, 0.5, 0.3], [0.1, 0.1, 0.8]]
    both = compare_models(list("aabbcc"), p, classes=CLASSES, costs=COSTS, abstain_cost=2)
    plain = both.models["model"].rules["argmax"]
    assert plain.cost == pytest.approx((3 + 6) / 6)
    assert plain.cost == plain.hindsight_cost
    assert plain.error_rate == pytest.approx(2 / 6)
    # always b: 1 for each a, 6 for each c
    assert both.trivial["always b"] == pytest.approx((2 + 12) / 6)
    assert both.trivial["always abstain"] == pytest.approx(2)


def test_honest_costs_against_definition(monkeypatch):
    y, p = drawn(30)
    names = np.array(CLASSES)[y]
    monkeypatch.setattr("demur.honest.splits._MOST_REPEATS", 2)
    both = compare_models(names, p, classes=CLASSES, costs=COSTS, abstain_cost=1.5)
    question = question_of(abstain_cost=1.5)
    splits = split_classes(y, [2, 1, 0], folds=10, repeats=2, rng=0)
    table = question.costs.mean.table
    total = 0.0
    for repeat, folds in enumerate(splits):
        for fold in range(10):
            train = np.flatnonzero(folds != fold)
            rule = chosen(y, p, question, "weights, abstaining", train, (1 + repeat, fold))
            held = np.flatnonzero(folds == fold)
            codes = rule.decide(p[held])
            total += table[y[held], np.where(codes == ABSTAIN, 3, codes)].sum()
    assert both.models["model"].rules["weights, abstaining"].cost == pytest.approx(total / 60, abs=1e-12)


def test_answer_is_the_cheapest_and_company_changes_nothing(compared):
    names, models, both = compared
    answer = both.answer
    costs = {
        (name, kind): one.cost for name, model in both.models.items() for kind, one in model.rules.items()
    }
    assert answer.honest_cost == min(*costs.values(), *both.trivial.values())
    assert costs[answer.model, answer.kind] == answer.honest_cost
    assert answer.cost >= answer.honest_cost
    alone = compare_models(names, models["new"], classes=CLASSES, costs=COSTS, abstain_cost=1.5)
    one = alone.models["model"]
    assert {k: v.cost for k, v in one.rules.items()} == {k: costs["new", k] for k in one.rules}
    runner = answer.versus["runner_up"]
    assert runner.difference == pytest.approx(answer.honest_cost - both.models[runner.name].cost)
    assert answer.versus["argmax"].interval.low <= answer.versus["argmax"].difference
    assert answer.confusion.sum() == pytest.approx(1)
    assert answer.confusion_cost.sum() == pytest.approx(answer.honest_cost)
    assert np.array_equal(answer.decide(models["new"]), answer.rule.decide(models["new"]))
    assert both.best_model().model == answer.model


# ---------------------------------------------------------------- prices


def test_ranges_against_definition():
    y, p = drawn(30, seed=7)
    names = np.array(CLASSES)[y]
    ranged = {**COSTS, "c": {"a": (4, 12), "b": 6}}
    both = compare_models(names, p, classes=CLASSES, costs=ranged, abstain_cost=1)
    answer, choice = both.answer, both.choice
    best = choice.best(choice.all)
    costs = []
    for price in (4, 12):
        table = np.column_stack([[[0, 1, 4], [3, 0, 2], [price, 6, 0]], np.ones(3)])
        costs.append([(one.honest * table).sum() / 30 for one in choice.all])
    costs = np.array(costs)
    regret = (costs - costs.min(axis=1, keepdims=True)).max(axis=0)
    place = choice.all.index(best)
    assert regret[place] == pytest.approx(regret.min(), abs=1e-12)
    assert answer.regret == pytest.approx(regret[place])
    assert answer.worst_cost == pytest.approx(costs[:, place].max())
    # everything at the corners, raised by what the choice adds in the middle
    rise = answer.cost - answer.honest_cost
    assert rise >= 0
    assert answer.cost_range == pytest.approx((costs[:, place].min() + rise, costs[:, place].max() + rise))
    assert answer.interval.high >= answer.cost_range.high
    assert "per 1000 cases over the ranges, at most" in answer.words


def test_review_prices():
    values = np.array([[0.0, 1, 4], [3, 0, 2], [8, 6, 0]])
    right = ClassCosts.of(values, Reviewer(fee=1, sensitivity=0.9, specificity=0.9), CLASSES).mean
    # the wrong answers of each class are equally likely: 1 + .1 * (2.5, 2.5, 7)
    assert right.abstain.tolist() == pytest.approx([1.25, 1.25, 1.7])
    # two classes: sensitivity belongs to the second
    two = ClassCosts.of([[0, 40], [100, 0]], Reviewer(fee=10, sensitivity=0.95, specificity=0.9), [0, 1])
    assert two.mean.abstain.tolist() == pytest.approx([14, 15])
    by_name = ClassCosts.of(COSTS, {"a": 1, "b": 2, "c": 3}, CLASSES).mean
    assert by_name.abstain.tolist() == [1, 2, 3]


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"costs": {**COSTS, "a": {"b": (2, 1), "c": 4}}}, r"`costs` must have ranges \(low, high\)"),
        ({"abstain_cost": -1}, "`abstain_cost` must be at least 0"),
        ({"abstain_cost": Reviewer(fee=1, sensitivity=0.9)}, "one accuracy for more than two classes"),
        ({"objective": "guaranteed"}, "`objective` must be one of"),
        ({"max_fn_rate": 0.1}, "`max_fn_rate` is for two classes"),
        ({"max_abstention": 2}, "`max_abstention`"),
        ({"classes": ["a", "b"]}, "`classes` must name the 3 columns"),
        ({"prevalence": {"a": 1, "b": 1, "c": 1}}, "`prevalence` must add up to 1"),
        (
            {"prevalence": {"a": 0.5, "b": 0.4, "c": 0.1}, "sample_weight": "none of c"},
            "gives weight to the class 'c'",
        ),
        ({"sample_weight": [0.5] * 45, "weights": "repeats"}, "must hold whole numbers"),
    ],
)
def test_errors_name_the_argument(compared, changed, message):
    names, models, _ = compared
    settings = {"classes": CLASSES, "costs": COSTS, "abstain_cost": 1.5, **changed}
    if settings.get("sample_weight") == "none of c":
        settings["sample_weight"] = (names != "c").astype(float)
    with pytest.raises(InputError, match=message):
        compare_models(names, models["new"], **settings)


def test_repeats_are_repeated_cases():
    y, p = drawn(30, seed=2)
    names = np.array(CLASSES)[y]
    twice = compare_models(names, p, classes=CLASSES, costs=COSTS, sample_weight=[2] * 30, weights="repeats")
    written = compare_models(np.repeat(names, 2), np.repeat(p, 2, axis=0), classes=CLASSES, costs=COSTS)
    assert twice.answer.cost == written.answer.cost
    assert twice.n == 60
    weighted = compare_models(names, p, classes=CLASSES, costs=COSTS, sample_weight=np.arange(30) + 1)
    assert weighted.n < 30
    assert "importance weights" in weighted.notes[0]


# ---------------------------------------------------------------- words


FACTS = {
    "kind": "weights, abstaining",
    "model": "new",
    "classes": ["healthy", "early", "late"],
    "weights": [1.0, 2.151657, 5.0],
    "abstain_weight": 0.6,
    "family": "weights",
    "called": [0.5, 0.2, 0.1],
    "abstained": 0.2,
    "wrong": 0.0301,
    "dearest": {"true": "late", "answer": "healthy", "share": 0.4},
    "verdict": "proven",
    "cost": 0.25,
    "honest_cost": 0.25,
    "interval": (0.2, 0.32),
    "cost_range": None,
    "versus": {
        "trivial": {"name": "always late", "difference": -0.5, "interval": (-0.6, -0.4)},
        "argmax": {"name": "new", "difference": -0.05, "interval": (-0.11, 0.01)},
    },
    "worst_cost": None,
    "regret": None,
    "best_trivial": {"name": "always late", "cost": 0.75},
    "advice_cost": None,
    "guaranteed_cost": None,
    "guarantee_defined": False,
    "n": 1000.0,
    "n_rules": 12,
    "confidence_level": 0.95,
}


def test_words():
    assert answer_words(FACTS) == (
        "Proven. Use new: multiply each probability by the weight of its class (healthy 1, early 2.152, "
        "late 5) and answer the largest, or send the case to a person where none reaches 0.6. "
        "Of 1000 cases 500 are called healthy, 200 early, 100 late, 200 go to a person; "
        "about 30 wrong answers. "
        "Costliest confusion: late called healthy, 40 % of the cost. "
        "Cost 250 per 1000 cases (95 % interval 200 to 320), 500 less than calling every "
        "case late (400 to 600). Not proven cheaper than the class with the highest probability: the 95 % "
        "interval contains 0."
    )
    trivial = {**FACTS, "kind": "always abstain", "model": None, "verdict": "unproven", "versus": {}}
    assert (
        answer_words(trivial) == "Send every case to a person: no model beats this. Cost 250 per 1000 cases."
    )


@pytest.mark.parametrize(
    ("kind", "family", "abstain", "said"),
    [
        ("argmax", "weights", None, "answer the class with the highest probability."),
        ("expected cost", "columns", None, "answer the class with the lowest expected cost."),
        ("expected cost, abstaining", "columns", 1.0, "where that is expected to cost less."),
        ("weights", "columns", None, "divide the expected cost of each answer by its weight"),
        ("cautious", "weights", 0.8, "answer the most probable class if its probability reaches 0.8, else"),
        ("cautious by class", "weights", 1.0, "(healthy 1, early 0.4648, late 0.2)"),
    ],
)
def test_words_of_every_kind(kind, family, abstain, said):
    assert said in answer_words({**FACTS, "kind": kind, "family": family, "abstain_weight": abstain})


def test_counts_of_tied_shares_by_hand():
    # 198.5 and 406.5 of 1000, with the rounding errors of either order of summation
    assert shares_of_1000([0.1985, 0.4065, 0.395]) == [199, 406, 395]
    assert shares_of_1000([0.1985 - 1e-16, 0.4065 + 1e-16, 0.395]) == [199, 406, 395]
