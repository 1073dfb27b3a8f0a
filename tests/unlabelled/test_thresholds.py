"""Thresholds without labels against the paper's definitions, exhaustive search and the surface."""

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from demur import (
    ABSTAIN,
    CostModel,
    InputError,
    ScoreCounts,
    UndefinedError,
    abstention_surface,
    decide,
    direct_threshold,
)
from demur.unlabelled import (
    nroc_curve,
    nroc_threshold,
    ranking_threshold,
    shifted_threshold,
    unlabelled_decision,
)
from demur.unlabelled.thresholds import relabelled
from examples import examples
from reference_cases import cases, close

FILE = "thresholds.json"
WORKED = [0.9, 0.8, 0.6, 0.55, 0.4, 0.2, 0.1]
TIED = [0.9, 0.8, 0.8, 0.8, 0.3, 0.1]

# tied probabilities, the ends included
PROBAS = st.lists(st.sampled_from([0.0, 0.1, 0.25, 0.25, 0.5, 0.6, 0.9, 1.0]), min_size=1, max_size=12)
MIXED = st.one_of(PROBAS, st.lists(st.floats(0, 1), min_size=1, max_size=12))
MU = st.floats(0.01, 100)


def costs_of(matrix):
    """The paper's matrix has predictions in rows and the positive class first."""
    (tp, fp), (fn, tn) = matrix
    return CostModel(cost_tp=tp, cost_fp=fp, cost_fn=fn, cost_tn=tn)


def logit(p):
    return math.log(p / (1 - p))


# ---------------------------------------------------------------- by hand


@pytest.mark.parametrize(
    ("mu", "direct", "ranking", "nroc"),
    [(2, 2 / 3, 0.6, 7.1 / 10.55), (5, 5 / 6, 0.8, 17.75 / 21.2)],
)
def test_worked_example_by_hand(mu, direct, ranking, nroc):
    assert direct_threshold(mu=mu).threshold == pytest.approx(direct, abs=1e-15)
    assert ranking_threshold(WORKED, mu=mu).threshold == pytest.approx(ranking, abs=1e-15)
    assert nroc_threshold(WORKED, mu=mu).threshold == pytest.approx(nroc, abs=1e-15)


def test_only_mu_matters_by_hand():
    plain, shifted = costs_of([[0, 2], [1, 0]]), costs_of([[1, 4], [3, 0]])
    assert plain.mu == shifted.mu == 2
    for call in (
        direct_threshold,
        lambda c: ranking_threshold(WORKED, c),
        lambda c: nroc_threshold(WORKED, c),
    ):
        assert call(plain).threshold == call(shifted).threshold


@pytest.mark.parametrize(
    ("mu", "threshold", "share"),
    [(1, 0.8, 2 / 3), (2, 0.8, 1 / 3), (3, 0.8, 1 / 6), (0.5, 0.8 - 0.5 / 3, None)],
)
def test_ties_by_hand(mu, threshold, share):
    rule = ranking_threshold(TIED, mu=mu)
    assert rule.threshold == pytest.approx(threshold, abs=1e-15)
    assert rule.tie_share == (None if share is None else pytest.approx(share, abs=1e-15))
    # 6 / (1 + mu) positives are wanted: the first tied cases in input order
    wanted = {1: [1, 1, 1, 0, 0, 0], 2: [1, 1, 0, 0, 0, 0], 3: [1, 1, 0, 0, 0, 0], 0.5: [1, 1, 1, 1, 0, 0]}
    assert relabelled(np.array(TIED), rule).astype(int).tolist() == wanted[mu]


def test_nroc_curve_by_hand():
    curve = nroc_curve([1.0, 0.5, 0.5, 0.0])
    assert curve.fpr.tolist() == [0, 0, 0.25, 0.5, 1]
    assert curve.tpr.tolist() == [0, 0.5, 0.75, 1, 1]
    assert curve.thresholds.tolist() == [math.inf, 1, 0.5, 0.5, 0]
    assert curve.auc == pytest.approx(7 / 8)
    assert (curve.n, curve.prevalence) == (4, 0.5)
    assert curve.point(0.5) == (0.5, 1.0)
    assert curve.point(1.0) == (0.0, 0.5)


def test_shifted_threshold_by_hand():
    rule = shifted_threshold(CostModel(), prevalence=0.5, target_prevalence=0.1)
    assert rule.threshold == pytest.approx(0.9, abs=1e-15)
    # odds 3 (1/4)/(3/4) (1/2)/(1/2) = 1
    assert shifted_threshold(mu=3, prevalence=0.25, target_prevalence=0.5).threshold == pytest.approx(0.5)
    assert "0.25" in shifted_threshold(mu=3, prevalence=0.25, target_prevalence=0.5).assumption


# ---------------------------------------------------------------- reference cases (definitions)


@pytest.mark.parametrize("case", cases(FILE, "thresholds"))
def test_thresholds_against_paper(case):
    proba, expect, tol = case["input"]["p0"], case["expected"], case["tol"]
    costs = costs_of(case["input"]["cost_pred_true"])
    rules = {
        "dir": direct_threshold(costs),
        "ord": ranking_threshold(proba, costs),
        "roc": nroc_threshold(proba, costs),
    }
    for name, threshold in rules.items():
        close(threshold.threshold, expect[name], tol)
        close(threshold.mu, expect["skew"], tol)
    close(1 - rules["dir"].threshold, expect["p_star"], tol)
    share = rules["ord"].tie_share
    assert share is None if expect["ord_ro"] is None else share == pytest.approx(expect["ord_ro"], abs=tol)
    curve = nroc_curve(proba)
    close(curve.fpr.tolist(), expect["nroc_x"], tol)
    close(curve.tpr.tolist(), expect["nroc_y"], tol)
    for name in ("dir", "roc"):
        # class 0 of the paper is the positive class
        assert (1 - rules[name].decide(proba)).tolist() == expect[f"labels_{name}"]


@pytest.mark.parametrize("case", cases(FILE, "invalid_cost"))
def test_invalid_costs_raise(case):
    matrix = case["input"]["cost_pred_true"]
    with pytest.raises(InputError, match="`costs` must be a CostModel, got list"):
        direct_threshold(matrix)
    # costs are named, so a third class cannot even be said
    if len(matrix) == 2:
        with pytest.raises(InputError, match="must exceed cost_tp"):
            costs_of(matrix)


# ---------------------------------------------------------------- brute force


@given(MIXED, st.floats(0, 50))
@settings(max_examples=examples(200), deadline=None)
def test_ranking_threshold_against_numpy_quantile(proba, mu):
    threshold = ranking_threshold(proba, mu=mu).threshold
    assert threshold == pytest.approx(np.quantile(proba, mu / (1 + mu), method="linear"), abs=1e-12)


@given(MIXED, MU)
@settings(max_examples=examples(200), deadline=None)
def test_direct_and_nroc_thresholds_against_exhaustive_search(proba, mu):
    p = np.array(proba)

    def costs(called):
        return mu * (1 - p)[called].sum(), p[~called].sum()

    rules = [p >= t for t in [*set(proba), 2.0]]
    alarms, misses = costs(direct_threshold(mu=mu).decide(p) == 1)
    assert alarms + misses <= min(sum(costs(rule)) for rule in rules) + 1e-9
    if 0 < p.sum() < len(p):
        # class-balanced: errors of each class relative to its expected size
        n_pos, n_neg = p.sum(), (1 - p).sum()
        alarms, misses = costs(nroc_threshold(p, mu=mu).decide(p) == 1)
        best = min(a / n_neg + m / n_pos for a, m in map(costs, rules))
        assert alarms / n_neg + misses / n_pos <= best * (1 + 1e-9) + 1e-9


@given(MIXED, MU)
@settings(max_examples=examples(100), deadline=None)
def test_decisions_against_the_abstention_surface_of_expected_counts(proba, mu):
    p = np.array(proba)
    decision = unlabelled_decision(p, CostModel(cost_fp=mu))
    surface = abstention_surface(ScoreCounts.from_counts(p, p, 1 - p))
    assert decision.expected_costs["direct"] == pytest.approx(surface.cost(mu, math.inf), abs=1e-12)
    assert min(decision.expected_costs.values()) == pytest.approx(
        decision.expected_costs["direct"], abs=1e-12
    )
    if 0.01 < p.mean() < 0.99:
        fpr, tpr = nroc_curve(p).point(nroc_threshold(p, mu=mu).threshold)
        balanced = abstention_surface(surface.counts, prevalence=0.5).cost(mu, math.inf)
        assert (mu * fpr + 1 - tpr) / 2 == pytest.approx(balanced, abs=1e-9)


@given(MIXED)
@settings(max_examples=examples(100), deadline=None)
def test_nroc_curve_against_the_definition(proba):
    p = sorted(proba, reverse=True)
    total = sum(p)
    if not 1e-6 < total < len(p) - 1e-6:
        return
    curve = nroc_curve(proba)
    x = [0.0, *np.cumsum([1 - one for one in p]) / (len(p) - total)]
    y = [0.0, *np.cumsum(p) / total]
    assert curve.fpr == pytest.approx(x, abs=1e-9)
    assert curve.tpr == pytest.approx(y, abs=1e-9)
    assert curve.auc == pytest.approx(np.trapezoid(y, x), abs=1e-9)
    # concave: every point lies on or above the chord of its neighbours
    for (x0, x1, x2), (y0, y1, y2) in zip(
        zip(x, x[1:], x[2:], strict=False), zip(y, y[1:], y[2:], strict=False), strict=True
    ):
        assert (y1 - y0) * (x2 - x1) >= (y2 - y1) * (x1 - x0) - 1e-9


# ---------------------------------------------------------------- theory


@given(MIXED, MU)
@settings(max_examples=examples(200), deadline=None)
def test_proposition_2_against_theory(proba, mu):
    # Erratum: the paper prints the sum of P(class 1) as 1 - Sum0; it is n - Sum0.
    mean = float(np.mean(proba))
    direct, nroc = direct_threshold(mu=mu).threshold, nroc_threshold(proba, mu=mu).threshold
    assert 0 <= nroc <= 1
    if abs(mean - 0.5) > 1e-9:
        assert (nroc > direct) == (mean > 0.5)
    if 1e-6 < mean < 1 - 1e-6:
        assert logit(nroc) == pytest.approx(logit(direct) + logit(mean), abs=1e-6)
        general = shifted_threshold(mu=mu, prevalence=mean, target_prevalence=0.5)
        assert nroc == pytest.approx(general.threshold, abs=1e-9)


@given(st.integers(2, 60), st.floats(0, 1e3))
@settings(max_examples=examples(100), deadline=None)
def test_proposition_3_against_theory(n, mu):
    proba = np.random.default_rng(n).permutation(np.arange(n) / (n - 1))
    direct = direct_threshold(mu=mu).threshold
    assert ranking_threshold(proba, mu=mu).threshold == pytest.approx(direct, abs=1e-12)
    assert nroc_threshold(proba, mu=mu).threshold == pytest.approx(direct, abs=1e-12)


@given(MIXED, st.floats(0, 50), st.floats(0, 50))
@settings(max_examples=examples(100), deadline=None)
def test_a_more_expensive_false_alarm_never_adds_a_positive(proba, first, second):
    low, high = sorted((first, second))
    p = np.array(proba)
    calls = [lambda mu: direct_threshold(mu=mu), lambda mu: ranking_threshold(p, mu=mu)]
    if 0 < p.sum() < len(p):
        calls.append(lambda mu: nroc_threshold(p, mu=mu))
    for call in calls:
        before, after = call(low), call(high)
        assert before.threshold <= after.threshold + 1e-12
        # with ties split, too: a larger skew never turns a negative into a positive
        assert np.all(relabelled(p, before) >= relabelled(p, after))


@given(MIXED, st.floats(0, 20))
@settings(max_examples=examples(60), deadline=None)
def test_row_order_and_repeated_rows_do_not_matter(proba, mu):
    again = list(reversed(proba))
    assert ranking_threshold(proba, mu=mu).threshold == ranking_threshold(again, mu=mu).threshold
    if 0 < sum(proba) < len(proba):
        once, twice = nroc_threshold(proba, mu=mu), nroc_threshold(proba + again, mu=mu)
        assert once.threshold == pytest.approx(twice.threshold, abs=1e-12)


def test_unchanged_prevalence_is_the_direct_threshold():
    for mu in (0.2, 1.0, 7.0):
        same = shifted_threshold(mu=mu, prevalence=0.3, target_prevalence=0.3)
        assert same.threshold == pytest.approx(direct_threshold(mu=mu).threshold, abs=1e-15)


# ---------------------------------------------------------------- the decision


def test_decision_by_hand():
    costs = CostModel(cost_fn=100, cost_fp=200)
    decision = unlabelled_decision(WORKED, costs)
    # positive: 0.9 and 0.8 (alarms 0.1 + 0.2 at 200); missed: the other five (1.85 at 100)
    assert decision.expected_costs["direct"] == pytest.approx((0.3 * 200 + 1.85 * 100) / 7)
    assert decision.positive_rates == {"direct": 2 / 7, "ranking": 3 / 7, "nroc": 2 / 7}
    assert "2 of 7 cases, expected cost 35 per case" in decision.sentence
    assert decision.window is None
    json.dumps(decision.to_dict(), allow_nan=False)


def test_decision_with_abstention_by_hand():
    costs = CostModel(cost_fn=10, cost_fp=10, cost_abstain=3)
    decision = unlabelled_decision(WORKED, costs)
    # abstain where 0.3 < p < 0.7: three cases
    assert decide(WORKED, decision.window).tolist() == [1, 1, ABSTAIN, ABSTAIN, ABSTAIN, 0, 0]
    assert decision.window.expected_cost == pytest.approx((1 + 2 + 9 + 2 + 1) / 7)
    assert "abstain between: 3 of 7 cases" in decision.sentence


def test_decision_where_abstaining_never_pays_names_the_direct_threshold():
    decision = unlabelled_decision(WORKED, CostModel(cost_abstain=0.6))
    assert decision.window.is_empty
    assert "from P(positive) 0.5 on: 4 of 7" in decision.sentence


# ---------------------------------------------------------------- edges


@pytest.mark.parametrize(("mu", "threshold"), [(0, 0.0), (math.inf, 1.0)])
def test_limits_of_mu(mu, threshold):
    assert direct_threshold(mu=mu).threshold == threshold
    assert nroc_threshold(WORKED, mu=mu).threshold == threshold
    assert ranking_threshold(WORKED, mu=mu).threshold == (min(WORKED) if mu == 0 else max(WORKED))


@pytest.mark.parametrize(
    "rule",
    [
        direct_threshold,
        lambda costs: ranking_threshold(WORKED, costs),
        lambda costs: nroc_threshold(WORKED, costs),
        lambda costs: nroc_curve(WORKED).threshold(costs),
        lambda costs: shifted_threshold(costs, prevalence=0.5, target_prevalence=0.1),
        lambda costs: unlabelled_decision(WORKED, costs),
    ],
)
def test_costs_without_a_price_of_false_alarms_are_refused_against_paper(rule):
    # C(0, 1) = C(1, 1): calling positive is never worse, so the skew of eq. 2 decides nothing
    for free in (CostModel(cost_fp=0), CostModel(cost_fp=2, cost_tn=2, cost_fn=7)):
        with pytest.raises(InputError, match=r"cost_fp > cost_tn.*pass mu=0"):
            rule(free)
    rule(CostModel(cost_fp=1e-9))


def test_mean_at_an_end():
    assert nroc_threshold([1.0, 1.0], mu=2).threshold == 1
    assert nroc_threshold([0.0, 0.0], mu=2).threshold == 0
    assert ranking_threshold([0.4], mu=3).threshold == 0.4
    for proba, mu in (([1.0], 0), ([0.0], math.inf)):
        with pytest.raises(UndefinedError, match="0 / 0"):
            nroc_threshold(proba, mu=mu)
    for proba in ([0.0, 0.0], [1.0]):
        with pytest.raises(UndefinedError, match="not all"):
            nroc_curve(proba)


def test_constant_probabilities_all_go_to_the_positive_class():
    rule = ranking_threshold([0.3] * 5, mu=4)
    assert rule.decide([0.3] * 5).tolist() == [1] * 5
    assert rule.tie_share == pytest.approx(0.2)
    assert relabelled(np.full(5, 0.3), rule).sum() == 1


def test_threshold_reached_up_to_rounding_is_positive():
    rule = direct_threshold(mu=2)
    assert rule.decide([rule.threshold - 1e-13, rule.threshold - 1e-9]).tolist() == [1, 0]
    # An absolute slack of 1e-12 would call a case of half the threshold positive with a class
    # this rare, at twice the class-balanced cost.
    rare = [1e-15, 1e-15]
    assert nroc_threshold(rare, mu=2).decide(rare).tolist() == [0, 0]


def test_every_result_tells_its_assumption():
    decision = unlabelled_decision(WORKED, CostModel())
    for result in (decision, decision.direct, nroc_curve(WORKED)):
        json.dumps(result.to_dict(), allow_nan=False)
    texts = {decision.direct.assumption, decision.ranking.assumption, decision.nroc.assumption}
    assert len(texts) == 3
    assert "calibrated" in nroc_curve(WORKED).assumption
    assert nroc_curve(WORKED).threshold(CostModel()).threshold == pytest.approx(decision.nroc.threshold)
    assert all("cheapest if" in text for text in texts)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: direct_threshold(), "`costs` or else `mu` is needed, got neither"),
        (lambda: direct_threshold(CostModel(), mu=1), "got both"),
        (lambda: direct_threshold(mu=-1), "`mu` must be one number >= 0"),
        (lambda: direct_threshold(mu=math.nan), "`mu` must be one number >= 0"),
        (lambda: direct_threshold(mu=[1, 2]), "`mu` must be one number >= 0"),
        (lambda: direct_threshold(3), "`costs` must be a CostModel"),
        (lambda: ranking_threshold([], mu=1), "`proba` must hold at least one case"),
        (lambda: ranking_threshold([0.1, math.nan], mu=1), "`proba` must not contain NaN"),
        (lambda: ranking_threshold([0.1, 1.2], mu=1), r"`proba` must lie in \[0, 1\], got 1.2"),
        (lambda: nroc_threshold([[0.1, 0.9]], mu=1), "pass one column per call"),
        (lambda: nroc_curve([-0.1]), r"`proba` must lie in \[0, 1\]"),
        (lambda: unlabelled_decision([0.2], 3), "`costs` must be a CostModel"),
        (lambda: shifted_threshold(mu=1, prevalence=2, target_prevalence=0.5), "`prevalence` must lie"),
        (lambda: shifted_threshold(mu=1, prevalence=0, target_prevalence=0), "0 / 0"),
        (lambda: direct_threshold(mu=1).decide([2.0]), "`proba` must lie"),
    ],
)
def test_error_sentences(call, message):
    with pytest.raises(InputError, match=message):
        call()
