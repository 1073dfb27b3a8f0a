"""`CautiousEnsemble` and `GuardedClassifier` against the rules they wrap, and scikit-learn's checks."""

import itertools
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.ensemble import IsolationForest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.naive_bayes import GaussianNB

from demur import ABSTAIN, CostModel, InputError
from demur.comparison.combination_learner import CombinationLearner
from demur.estimators import CautiousEnsemble, GuardedClassifier
from demur.estimators.composition import Chain, ChainLearner
from demur.estimators.honest_costs import plain_problem, weighted_losses
from demur.honest.cases import SplitCases
from demur.windows import Guarded, Window
from examples import examples

COSTS = CostModel(cost_fn=2, cost_abstain=0.2)


def members():
    return [("bayes", GaussianNB()), ("smooth", GaussianNB(var_smoothing=0.5))]


def ensemble(**options):
    return CautiousEnsemble(members(), **{"costs": COSTS, "cv": 3, **options})


def guarded(**options):
    return GuardedClassifier(GaussianNB(), **{"costs": COSTS, "cv": 3, **options})


@pytest.fixture(scope="module")
def data():
    return make_classification(240, 4, n_redundant=0, flip_y=0.1, random_state=1)


# ---------------------------------------------------------------- ensemble


FEES = {"bayes": 0, "smooth": 0.05}


def learner_of(how):
    problem = plain_problem(COSTS, prices=FEES)
    return (
        ChainLearner(problem, tuple(FEES))
        if how == "chain"
        else CombinationLearner(problem, how, tuple(FEES))
    )


@pytest.mark.parametrize("how", ["average", "vote", "variance", "chain"])
def test_rule_is_that_of_the_out_of_fold_probabilities(how, data):
    X, y = data
    model = ensemble(combine=how, stage_costs=[0, 0.05]).fit(X, y)
    rows = model.out_of_fold_rows_
    for (_, one), column in zip(members(), model.out_of_fold_scores_.T, strict=True):
        scored = cross_val_predict(one, X, y, cv=StratifiedKFold(3), method="predict_proba")[:, 1]
        assert np.allclose(column, scored[rows], atol=1e-12)
    expected = learner_of(how).choose(model.out_of_fold_scores_, weighted_losses(y[rows] == 1, COSTS, None))
    assert model.rule_ == expected
    # in use the members are fitted to all cases
    table = np.column_stack([clone(one).fit(X, y).predict_proba(X)[:, 1] for _, one in members()])
    assert np.array_equal(model.decide(X), expected.decide(table))
    assert set(model.predict(X)) <= {-1, 0, 1}
    lost = np.array([[0, 1, 0.2], [2, 0, 0.2]])[y, model.decide(X)] + expected.charge(table)
    assert model.score(X, y) == pytest.approx(-lost.mean())
    assert np.array_equal(pickle.loads(pickle.dumps(model)).predict(X), model.predict(X))


def test_honest_costs_against_a_slow_loop(data):
    X, y = data
    model = ensemble(pos_label=0, stage_costs=[0, 0.05]).fit(X, y)
    positive, table = y[model.out_of_fold_rows_] == 0, model.out_of_fold_scores_
    split = SplitCases.of_rows(
        positive, None, weights="importance", prevalence=None, folds=3, repeats=2, rng=0, quantity="x"
    )
    found = model.honest_costs(folds=3, repeats=2)
    assert list(found) == ["bayes", "smooth", "average", "vote", "variance", "chain"]
    losses = np.array([[0, 1, 0.2], [2, 0, 0.2]])[positive.astype(int)]
    for how in ("average", "vote", "variance", "chain"):
        paid = []
        for rows in split.splits.repeats:
            fold = rows.fold[np.argsort(rows.cell)]
            for held in range(3):
                train, test = fold != held, np.flatnonzero(fold == held)
                rule = learner_of(how).choose(table[train], weighted_losses(positive[train], COSTS, None))
                paid.extend(losses[test, rule.decide(table[test])] + rule.charge(table[test]))
        assert found[how].cost == pytest.approx(np.mean(paid), abs=1e-12)
        assert found[how].interval.low <= found[how].cost <= found[how].interval.high
        rule = learner_of(how).choose(table, weighted_losses(positive, COSTS, None))
        seen = losses[np.arange(len(table)), rule.decide(table)] + rule.charge(table)
        assert found[how].hindsight == pytest.approx(seen.mean())


def test_weights_of_one_change_nothing_and_zeros_leave_cases_out(data):
    X, y = data
    options = {"folds": 3, "repeats": 1}
    # every case is scored by the same models, whatever it weighs
    models = [("a", GaussianNB().fit(X, y)), ("b", GaussianNB(var_smoothing=0.5).fit(X, y))]
    fitted = CautiousEnsemble(models, costs=COSTS, cv="prefit")
    plain = clone_prefit(fitted).fit(X, y).honest_costs(**options)
    same = clone_prefit(fitted).fit(X, y, sample_weight=np.ones(len(y))).honest_costs(**options)
    assert same["vote"].cost == pytest.approx(plain["vote"].cost)
    more, labels = np.vstack([X, X[:3]]), np.append(y, 1 - y[:3])
    weight = np.append(np.ones(len(y)), np.zeros(3))
    left_out = clone_prefit(fitted).fit(more, labels, sample_weight=weight).honest_costs(**options)
    assert left_out["vote"].cost == pytest.approx(plain["vote"].cost)


def clone_prefit(model):
    return CautiousEnsemble(model.estimators, costs=COSTS, cv="prefit")


# ---------------------------------------------------------------- chain

PRICES = CostModel(cost_fn=4, cost_fp=2, cost_abstain=0.7, cost_tp=0.5, cost_tn=-0.25)


def chain_of(costs, fees, y, table, weights=None):
    problem = plain_problem(costs, prices=dict(zip("abc", fees, strict=False)))
    rows = weighted_losses(np.asarray(y) == 1, costs, None if weights is None else np.asarray(weights))
    return ChainLearner(problem, tuple("abc"[: len(fees)])).choose(table, rows), rows


def paid(rule, rows, table):
    codes = rule.decide(table)
    return rows.losses[np.arange(len(codes)), codes].sum() + (rows.weight * rule.charge(table)).sum()


def test_chain_by_hand():
    # the quick test leaves its two cases at 0.5 to the dear one, which is right: 2 x 0.1
    y = [0, 0, 0, 1, 0, 1, 1, 1]
    quick, dear = [0.1, 0.1, 0.2, 0.5, 0.5, 0.8, 0.9, 0.9], [0.1, 0.2, 0.2, 0.9, 0.1, 0.8, 0.8, 0.9]
    table = np.column_stack([quick, dear])
    rule, rows = chain_of(CostModel(cost_abstain=0.3), [0, 0.1], y, table)
    assert paid(rule, rows, table) == pytest.approx(0.2)
    assert rule.decide(table).tolist() == y
    assert rule.charge(table).tolist() == [0, 0, 0, 0.1, 0.1, 0, 0, 0]
    # at 0.6 a case it does not pay to ask: one threshold of the quick test errs once
    rule, rows = chain_of(CostModel(cost_abstain=0.3), [0, 0.6], y, table)
    assert paid(rule, rows, table) == pytest.approx(1)


drawn = st.lists(
    st.tuples(
        st.integers(0, 1),
        st.sampled_from([0.1, 0.4, 0.6, 0.9]),
        st.sampled_from([0.2, 0.4, 0.6, 0.8]),
        st.sampled_from([1, 2, 0.5]),
    ),
    min_size=2,
    max_size=8,
)


@settings(max_examples=examples(40), deadline=None)
@given(drawn)
def test_chain_against_enumeration(cases):
    y, first, second, weights = (list(column) for column in zip(*cases, strict=True))
    y[0], y[1] = 0, 1
    table = np.column_stack([first, second])
    rule, rows = chain_of(PRICES, [0.1, 0.25], y, table, weights)
    cost = paid(rule, rows, table)
    # no other window of one stage, the other held, is cheaper
    cuts = (-np.inf, 0.05, 0.3, 0.5, 0.7, np.inf)
    for low, high in itertools.combinations_with_replacement(cuts, 2):
        for stage in (0, 1):
            windows = list(rule.windows)
            windows[stage] = Window(low, high)
            other = Chain(names=rule.names, windows=tuple(windows), prices=rule.prices)
            assert cost <= paid(other, rows, table) + 1e-9


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (CautiousEnsemble([("one", GaussianNB())], costs=COSTS), "at least two"),
        (CautiousEnsemble([("vote", GaussianNB()), ("b", GaussianNB())], costs=COSTS), "named after"),
        (ensemble(combine="best"), "`combine`"),
        (ensemble(costs=None), "`costs`"),
        (ensemble(stage_costs=[1]), r"`stage_costs` must hold one number per member \(2\)"),
        (guarded(costs=CostModel()), "what abstaining costs"),
        (guarded(guard="far"), "`guard`"),
        (guarded(alpha=2), "`alpha`"),
    ],
)
def test_errors_name_the_argument(model, message, data):
    with pytest.raises(InputError, match=message):
        model.fit(*data)


# ---------------------------------------------------------------- guard


@pytest.mark.parametrize("guard", ["distance", "density", IsolationForest(n_estimators=20, random_state=0)])
def test_cases_far_away_are_refused_whatever_their_score(guard, data):
    X, y = data
    model = guarded(guard=guard, alpha=0.05).fit(X, y)
    plain = LogisticRegression().fit(X, y)
    far = X[:6] * 50
    assert plain.predict_proba(far).max(axis=1).min() > 0.9
    assert model.decide(far).tolist() == [ABSTAIN] * 6
    assert np.all(model.p_values(far) <= 0.05)
    # of cases like the training data about one in twenty is refused: out of fold at most that
    refused = model._calibration > model.window_.max_doubt
    assert 0 < np.mean(refused) <= 0.05


def test_alpha_none_finds_no_guard_where_nothing_is_unlike(data):
    X, y = data
    bold, careful = guarded(alpha=None).fit(X, y), guarded(alpha=0.1).fit(X, y)
    assert isinstance(bold.window_, Guarded)
    costs = [model.honest_cost(folds=3, repeats=1) for model in (bold, careful)]
    assert costs[0].hindsight <= costs[1].hindsight
    assert all(one.interval.low <= one.cost <= one.interval.high for one in costs)
    refused = np.mean(careful._columns[:, 1] > careful.window_.max_doubt)
    assert costs[1].abstention_rate >= refused - 0.05
    few = guarded(alpha=0.01, cv=2).fit(X[:40], y[:40])  # 1 / 41 > 0.01: nothing can be refused
    assert few.window_.max_doubt == np.inf
