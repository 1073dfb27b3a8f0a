"""`AbstainingClassifier` against worked examples, the functions it rests on, and known truth."""

import contextlib
from dataclasses import fields

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import KFold, RepeatedKFold, ShuffleSplit, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from demur import (
    ABSTAIN,
    AbstainingClassifier,
    Binormal,
    CostModel,
    DegenerateDataWarning,
    InputError,
    Policy,
    ScoreCounts,
    UndefinedError,
    abstention_surface,
    cheapest_window,
    cross_fitted_surface,
    decide,
    surface_certificate,
)
from demur._kernels.polygons import areas, clip_to_rectangle
from demur.comparison.problem import Limits
from demur.scoring import coverage_scorer
from demur.surface.surface import optimal_costs
from demur.windows import widest_coverage_window
from estimator_models import HAND_X, HAND_Y, FirstColumn
from examples import examples
from loss_oracles import SlowRule, slow_estimate
from oracles import folds_of


def on_scores(**options):
    """Classifier on known scores; three folds suit the twelve cases of the worked example."""
    return AbstainingClassifier(FirstColumn(), cv=3, **options)


def scaled_regression():
    return make_pipeline(StandardScaler(), LogisticRegression())


# ---------------------------------------------------------------- the window


def test_window_of_the_worked_example_by_hand():
    # by hand: (mu, nu) = (1, 1/4) -> cost 1/6, window (-0.7, 0.6), 2/3 abstained
    model = on_scores(mu=1, nu=0.25).fit(HAND_X, HAND_Y)
    assert (model.window_.lower, model.window_.upper) == pytest.approx((-0.7, 0.6))
    assert model.window_.cost == pytest.approx(1 / 6)
    assert model.decide(HAND_X).tolist() == [0, 0] + [ABSTAIN] * 8 + [1, 1]
    assert model.predict(HAND_X).tolist() == [0, 0] + [-1] * 8 + [1, 1]
    assert model.score(HAND_X, HAND_Y) == pytest.approx(-1 / 6)


def test_costs_and_ratios_are_the_same_aim():
    costs = CostModel(cost_fn=100, cost_fp=50, cost_abstain=25)
    money = on_scores(costs=costs).fit(HAND_X, HAND_Y)
    ratio = on_scores(mu=0.5, nu=0.25).fit(HAND_X, HAND_Y)
    assert (money.window_.lower, money.window_.upper) == (ratio.window_.lower, ratio.window_.upper)
    # by hand: cost 7/48
    assert money.window_.expected_cost == pytest.approx(100 * 7 / 48)
    assert money.expected_cost_.cost == pytest.approx(100 * ratio.expected_cost_.cost)
    assert money.certificate_.certified_expected_cost == pytest.approx(
        100 * ratio.certificate_.certified_cost
    )
    assert money.score(HAND_X, HAND_Y) == pytest.approx(-100 * 7 / 48)


def test_costs_of_abstaining_by_class_against_the_surface():
    costs = CostModel(cost_abstain_positive=0.1, cost_abstain_negative=0.4)
    model = on_scores(costs=costs).fit(HAND_X, HAND_Y)
    # by hand: cost 1/6, groups (1, 4)
    assert model.window_.cost == pytest.approx(1 / 6)
    assert (model.window_.lower_index, model.window_.upper_index) == (1, 4)
    assert model.optimal_costs_ is None
    assert model.expected_cost_.hindsight == pytest.approx(1 / 6)


def test_positive_label_turns_the_scores_around():
    flipped = on_scores(mu=0.5, nu=0.25, pos_label=0).fit(HAND_X, HAND_Y)
    expected = abstention_surface(1 - HAND_Y, -HAND_X[:, 0]).window(0.5, 0.25)
    assert (flipped.window_.lower, flipped.window_.upper) == (expected.lower, expected.upper)
    codes = decide(-HAND_X[:, 0], expected)
    assert flipped.decide(HAND_X).tolist() == codes.tolist()
    assert flipped.predict(HAND_X).tolist() == [{1: 0, 0: 1, ABSTAIN: -1}[code] for code in codes.tolist()]


@pytest.mark.parametrize("prevalence", [None, 0.2])
def test_constraints_against_the_window_functions(prevalence):
    counts = ScoreCounts.from_arrays(HAND_Y, HAND_X[:, 0])
    model = on_scores(mu=1, nu=0.25, max_abstention=0.25, prevalence=prevalence).fit(HAND_X, HAND_Y)
    expected = cheapest_window(counts, mu=1, nu=0.25, max_abstention=0.25, prevalence=prevalence)
    assert model.window_.to_dict() == expected.to_dict()
    assert model.optimal_costs_ is None
    capacity = on_scores(max_abstention=0.25, prevalence=prevalence).fit(HAND_X, HAND_Y)
    expected = cheapest_window(counts, mu=1, nu=0, max_abstention=0.25, prevalence=prevalence)
    assert capacity.window_.to_dict() == expected.to_dict()
    promise = {"min_precision_positive": 0.8, "min_precision_negative": 0.9, "prevalence": prevalence}
    model = on_scores(**promise).fit(HAND_X, HAND_Y)
    assert model.window_.to_dict() == widest_coverage_window(counts, **promise).to_dict()
    assert model.costs_ is None
    assert model.expected_cost_ is None
    assert model.certificate_ is None
    assert model.score(HAND_X, HAND_Y) == pytest.approx(
        np.mean(model.decide(HAND_X) == HAND_Y)
    )  # no costs: the share of right answers


def test_weights_are_importance_weights_against_repeated_cases():
    weights = np.array([1, 2, 1, 3, 1, 1, 2, 1, 1, 1, 2, 1])
    model = on_scores(mu=1, nu=0.3, response_method="decision_function")
    weighted = model.fit(HAND_X, HAND_Y, sample_weight=weights)
    counts = ScoreCounts.from_arrays(np.repeat(HAND_Y, weights), np.repeat(HAND_X[:, 0], weights))
    assert weighted.surface_.counts == counts
    assert weighted.estimator_.weight_ == weights.sum()
    # a case of weight 3 is one case: the honest cost rests on (sum w)^2 / sum w^2 of them
    assert weighted.expected_cost_.n == pytest.approx(weights.sum() ** 2 / (weights**2).sum())
    fractional = on_scores(mu=1, nu=0.3).fit(HAND_X, HAND_Y, sample_weight=weights / 2)
    assert fractional.window_.lower == weighted.window_.lower
    assert fractional.expected_cost_.cost == pytest.approx(weighted.expected_cost_.cost)
    assert fractional.expected_cost_.n == pytest.approx(weighted.expected_cost_.n)
    assert weighted.certificate_ is None
    assert fractional.certificate_ is None


def test_out_of_fold_scores_against_cross_val_predict():
    X, y = load_breast_cancer(return_X_y=True)
    splitter = KFold(4, shuffle=True, random_state=0)
    model = AbstainingClassifier(scaled_regression(), mu=1, nu=0.1, cv=splitter, pos_label=0).fit(X, y)
    scores = cross_val_predict(scaled_regression(), X, y, cv=splitter, method="predict_proba")[:, 0]
    assert model.surface_.counts == ScoreCounts.from_arrays(y, scores, pos_label=0)
    order = model.out_of_fold_rows_
    assert sorted(order) == list(range(len(y)))
    assert model.out_of_fold_decisions_.tolist() == decide(scores[order], model.window_).tolist()
    whole = scaled_regression().fit(X, y)
    assert np.array_equal(model.predict_proba(X), whole.predict_proba(X))
    assert np.array_equal(model.decision_function(X), whole.decision_function(X))


def test_held_out_part_and_prefit_see_only_their_cases():
    X, y = load_breast_cancer(return_X_y=True)
    split = ShuffleSplit(n_splits=1, test_size=0.4, random_state=0)
    train, test = next(split.split(X))
    held = AbstainingClassifier(scaled_regression(), mu=1, nu=0.1, cv=split, refit=False).fit(X, y)
    prefit = AbstainingClassifier(scaled_regression().fit(X[train], y[train]), mu=1, nu=0.1, cv="prefit")
    prefit.fit(X[test], y[test])
    assert held.window_.to_dict() == prefit.window_.to_dict()
    assert np.array_equal(held.predict(X), prefit.predict(X))
    assert prefit.estimator_ is prefit.estimator


def test_abstaining_on_real_data_pays():
    X, y = load_breast_cancer(return_X_y=True)
    costs = CostModel(cost_fn=10, cost_fp=2, cost_abstain=0.3)
    rng = np.random.default_rng(0)
    test = rng.random(len(y)) < 0.3
    options = {"pos_label": 0, "abstain_label": 7}
    abstaining = AbstainingClassifier(scaled_regression(), costs=costs, **options).fit(X[~test], y[~test])
    never = AbstainingClassifier(scaled_regression(), costs=CostModel(cost_fn=10, cost_fp=2), **options).fit(
        X[~test], y[~test]
    )
    assert abstaining.score(X[test], y[test]) > never.score(X[test], y[test])
    assert set(never.predict(X[test])) == {0, 1}
    assert set(abstaining.predict(X[test])) == {0, 1, 7}
    # 152 cases tell the true cost up to their own standard error
    decided = abstaining.predict(X[test])
    paid = np.where(decided == 7, 0.3, np.where(decided == y[test], 0, np.where(y[test] == 0, 10, 2)))
    assert paid.mean() == pytest.approx(-abstaining.score(X[test], y[test]))
    error = paid.std(ddof=1) / np.sqrt(len(paid))
    low, high = abstaining.expected_cost_.interval
    assert low - error <= paid.mean() <= high


# ---------------------------------------------------------------- known truth


def test_window_converges_to_the_bayes_window_against_theory():
    truth = Binormal(separation=1.8, prevalence=0.4)
    lower, upper = truth.window(0.8, 0.2)
    excess, misses = [], []
    for n in (300, 3000, 30_000, 300_000):
        y, s = truth.sample(n, rng=n)
        w = on_scores(mu=0.8, nu=0.2).fit(s[:, None], y).window_
        excess.append(truth.window_cost(w.lower, w.upper, 0.8, 0.2) - truth.cost(0.8, 0.2))
        misses.append(max(abs(w.lower - lower), abs(w.upper - upper)))
    assert min(excess) >= 0
    assert excess[-1] < 1e-4 < excess[0]
    assert misses[-1] < 0.1 < misses[0]


def estimate_by_hand(y, scores, mu, nu, prevalence, found):
    """Cost of the cheapest windows of all folds but a case's own, with its interval, case by case."""
    decided = []
    for fold in folds_of(y, found.folds, found.repeats, 0):
        codes = np.empty(len(y), dtype=int)
        for held in range(found.folds):
            train, test = fold != held, fold == held
            surface = abstention_surface(y[train], scores[train], prevalence=prevalence)
            codes[test] = decide(scores[test], surface.window(mu, nu))
        decided.append(codes.tolist())
    written = decide(scores, abstention_surface(y, scores, prevalence=prevalence).window(mu, nu))
    prices = [[1, 0, nu] if positive else [0, mu, nu] for positive in y]
    shares = None if prevalence is None else [1 - prevalence, prevalence]
    rule = SlowRule(decided, written.tolist())
    return slow_estimate(rule, prices, classes=y.tolist(), shares=shares, level=found.confidence_level)


@given(seed=st.integers(0, 2**32), mu=st.floats(0.1, 2), nu=st.floats(0.01, 0.6))
@settings(max_examples=examples(30), deadline=None)
def test_expected_cost_against_cross_fitted_surface(seed, mu, nu):
    y, s = Binormal().sample(80, rng=seed)
    y[:4] = [0, 1, 0, 1]
    scores = s.round(1)
    for prevalence in (None, 0.2):
        model = AbstainingClassifier(
            FirstColumn().fit(scores[:, None], y),
            costs=CostModel(cost_fp=mu, cost_abstain=nu, cost_tn=0.0),
            cv="prefit",
            prevalence=prevalence,
            abstain_label=9,
            max_abstention=1.0,  # no limit at all, but the search under constraints
        ).fit(scores[:, None], y)
        found = model.expected_cost_
        honest = cross_fitted_surface(y, scores, folds=found.folds, rng=0, prevalence=prevalence)
        assert found.hindsight == pytest.approx(honest.hindsight(mu, nu))
        # constrained search may cut inside a block where that costs the same, hence no equality there
        model.set_params(max_abstention=None, abstain_label=9)
        with pytest.warns(DegenerateDataWarning) if nu * (1 + mu) >= mu else contextlib.nullcontext():
            found = model.fit(scores[:, None], y).expected_cost_
        assert found.cost == pytest.approx(honest.cost(mu, nu))
        wanted = estimate_by_hand(y, scores, mu, nu, prevalence, found)
        assert found.cost == pytest.approx(wanted.mean.cost, abs=1e-9)
        assert found.standard_error == pytest.approx(wanted.mean.error, abs=1e-9)
        assert found.interval == pytest.approx(wanted.interval, abs=1e-9)
        rates = honest.rates(mu, nu)
        assert found.abstention_rate == pytest.approx(rates.abstention_rate)


def test_certificate_of_the_cheapest_window_against_surface_certificate():
    costs = CostModel(cost_fn=5, cost_fp=3, cost_abstain=1, cost_tp=0.5)
    y, s = Binormal().sample(500, rng=0)
    model = on_scores(costs=costs, confidence_level=0.9).fit(s[:, None], y)
    expected = surface_certificate(y, s, confidence_level=0.9).window(costs=costs)
    assert model.certificate_.to_dict() == expected.to_dict()


# ---------------------------------------------------------------- the range of costs


def test_optimal_costs_by_hand():
    # blocks 2, 3 abstained: r_1 = 0 <= nu <= r_2 = 2/5 and nu <= mu q_3 = mu / 3
    found = on_scores(mu=1, nu=0.25).fit(HAND_X, HAND_Y).optimal_costs_
    assert found.mu == pytest.approx((0.75, np.inf))
    assert found.nu == pytest.approx((0, 1 / 3))
    assert sorted(map(tuple, found.polygon.round(9))) == sorted(
        [(0.0, 0.0), (1.2, 0.4), (2.0, 0.4), (2.0, 0.0)]
    )
    assert found.contains(5, 0.4)
    assert not found.contains(1, 0.34)
    # empty window between blocks 2 and 3: 2/3 <= mu <= 2, nu >= max(2/5, mu / 3)
    found = on_scores(mu=1, nu=np.inf).fit(HAND_X, HAND_Y).optimal_costs_
    assert found.mu == pytest.approx((2 / 3, 2))
    assert found.nu == pytest.approx((0.4, np.inf))


@given(
    counts=st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=2, max_size=7).filter(
        lambda rows: sum(p for p, _ in rows) and sum(q for _, q in rows)
    )
)
@settings(max_examples=examples(80), deadline=None)
def test_optimal_costs_against_the_cells_of_the_surface(counts):
    p, q = np.array(counts, dtype=float).T
    evidence = ScoreCounts.from_counts(np.arange(len(p)), p, q)
    surface = abstention_surface(evidence)
    cells = surface.cells()
    for c in np.flatnonzero(cells.area > 1e-9):
        polygon = cells.polygons[c]
        mu, nu = polygon.mean(axis=0)
        window = surface.window(float(mu), float(nu))
        found = optimal_costs(surface, window)
        assert found.contains(float(mu), float(nu))
        inside = clip_to_rectangle(found.polygon[None], (0.0, 1.0), (0.0, 1.0))
        assert areas(inside)[0] == pytest.approx(cells.area[c], abs=1e-12)
        assert found.mu[0] - 1e-12 <= mu <= found.mu[1] + 1e-12
        assert found.nu[0] - 1e-12 <= nu <= found.nu[1] + 1e-12
        for x, y in np.random.default_rng(c).random((5, 2)) * 2:
            plane = window.fn + x * window.fp + y * window.abstention_rate
            assert found.contains(x, y) == (plane <= surface.cost(x, y) + 1e-12)


# ---------------------------------------------------------------- labels


@pytest.mark.parametrize(
    ("names", "label", "kind"),
    [(["no", "yes"], "ask", "U"), ([1, 2], 0, "i"), ([0, 1], "ask", "O"), ([0.5, 1.5], -1, "f")],
)
def test_labels_come_back_with_the_abstain_label(names, label, kind):
    y = np.array(names)[HAND_Y]
    if kind == "f":
        with pytest.raises(ValueError, match="Unknown label type"):
            on_scores(mu=1, nu=0.25, abstain_label=label).fit(HAND_X, y)
        return
    model = on_scores(mu=1, nu=0.25, abstain_label=label).fit(HAND_X, y)
    predicted = model.predict(HAND_X)
    assert predicted.dtype.kind == kind
    assert predicted.tolist() == [names[0]] * 2 + [label] * 8 + [names[1]] * 2
    assert model.score(HAND_X, y) == pytest.approx(-1 / 6)


@pytest.mark.parametrize(
    ("names", "label"),
    [
        (["no", "yes"], "abstain"),
        (["abstain", "yes"], "undecided"),
        ([0, 1], -1),
        ([-1, 1], 0),
        ([False, True], -1),
    ],
)
def test_default_abstain_label_by_hand(names, label):
    y = np.array(names)[HAND_Y]
    model = on_scores(mu=1, nu=0.25).fit(HAND_X, y)
    assert (model.abstain_label, model.abstain_label_) == (None, label)
    assert model.predict(HAND_X).tolist() == [names[0]] * 2 + [label] * 8 + [names[1]] * 2
    assert coverage_scorer(model, HAND_X, y) == pytest.approx(4 / 12)
    if not isinstance(names[0], bool):
        assert Policy.from_estimator(model).abstain_label == label
    with pytest.raises(InputError, match="must not be one of the classes"):
        on_scores(mu=1, nu=0.25, abstain_label=names[1]).fit(HAND_X, y)


def test_string_objects_stay_objects():
    y = np.array(["no", "yes"], dtype=object)[HAND_Y]
    model = on_scores(mu=1, nu=0.25, abstain_label="a long name").fit(HAND_X, y)
    assert model.predict(HAND_X).tolist() == ["no"] * 2 + ["a long name"] * 8 + ["yes"] * 2


# ---------------------------------------------------------------- bad input


class NoScores(LogisticRegression):
    predict_proba = decision_function = property()


@pytest.mark.parametrize(
    ("options", "error", "sentence"),
    [
        ({}, InputError, r"`costs` are missing: nothing says when to abstain. Hint: pass costs="),
        ({"mu": 1}, InputError, "`mu` and `nu` are both needed"),
        ({"mu": 1, "nu": 0.2, "costs": CostModel(cost_abstain=0.1)}, InputError, "replaces mu and nu"),
        ({"costs": {"fn": 1}}, InputError, "`costs` must be a CostModel, got dict"),
        ({"mu": -1, "nu": 0.2}, InputError, "`mu` must not be negative, got -1.0"),
        ({"mu": [1, 2], "nu": 0.2}, InputError, "`mu and nu` must be single numbers"),
        ({"mu": 1, "nu": 0.2, "abstain_label": 1}, InputError, r"must not be one of the classes \[0, 1\]"),
        ({"mu": 1, "nu": 0.2, "abstain_label": np.nan}, InputError, "that is not missing, got nan"),
        (
            {"mu": 1, "nu": 0.2, "pos_label": 2},
            InputError,
            r"`pos_label` must be one of the classes \[0, 1\]",
        ),
        (
            {"mu": 1, "nu": 0.2, "cv": 7},
            InputError,
            r"rarest class \(6 of n_samples=12\), got 7. Hint: use cv=6",
        ),
        ({"mu": 1, "nu": 0.2, "cv": "all"}, InputError, "`cv` must be one of 'prefit', got 'all'"),
        ({"mu": 1, "nu": 0.2, "cv": "prefit"}, InputError, "`estimator` must be fitted where cv='prefit'"),
        ({"mu": 1, "nu": 0.2, "refit": False}, InputError, "`refit` must be True with more than one fold"),
        (
            {"mu": 1, "nu": 0.2, "cv": RepeatedKFold(n_splits=2, n_repeats=2, random_state=0)},
            InputError,
            "`cv` must score every case at most once",
        ),
        ({"mu": 1, "nu": 0.2, "response_method": "predict"}, InputError, "`response_method` must be one of"),
        (
            {"mu": 1, "nu": 0.2, "response_method": "predict_proba"},
            InputError,
            "must have predict_proba, got",
        ),
        ({"mu": 1, "nu": 0.2, "confidence_level": 2}, InputError, "`confidence_level` must lie"),
        ({"mu": 1, "nu": 0.2, "prevalence": 2}, InputError, "`prevalence` must lie in"),
        ({"max_abstention": 2}, InputError, "`max_abstention` must lie in"),
        ({"min_precision_positive": 0.0}, InputError, "`min_precision_positive` must"),
        (
            {"max_abstention": 0.1, "min_precision_positive": 1.0, "min_precision_negative": 1.0},
            UndefinedError,
            "need an abstention rate of at least",
        ),
    ],
)
def test_error_sentences(options, error, sentence):
    with pytest.raises(error, match=sentence):
        AbstainingClassifier(FirstColumn(), **{"cv": 3, **options}).fit(HAND_X, HAND_Y)


def test_bad_data_sentences():
    model = on_scores(mu=1, nu=0.25)
    with pytest.raises(InputError, match="`y` must hold at least two classes, got one class"):
        model.fit(HAND_X, np.zeros(12))
    with pytest.raises(InputError, match="must hold at least one case, got 0 sample"):
        model.fit(HAND_X[:0], [])
    with pytest.raises(InputError, match=r"Only binary classification .* got 3 classes. Hint: use Cautious"):
        model.fit(HAND_X, np.arange(12) % 3)
    with pytest.raises(InputError, match="requires y to be passed"):
        model.fit(HAND_X, None)
    with pytest.raises(InputError, match=r"a fold without class 0\. Hint: use a stratified splitter"):
        model.set_params(cv=KFold(2)).fit(HAND_X, np.repeat([0, 1], 6))
    with pytest.raises(InputError, match="must be a string where the classes are strings"):
        on_scores(mu=1, nu=0.25, abstain_label=-1).fit(HAND_X, np.array(["a", "b"])[HAND_Y])
    with pytest.raises(InputError, match="must have predict_proba or decision_function, got NoScores"):
        AbstainingClassifier(NoScores(), mu=1, nu=0.25, cv=3).fit(HAND_X, HAND_Y)
    with pytest.raises(InputError, match="must hold the classes the estimator was fitted to"):
        AbstainingClassifier(FirstColumn().fit(HAND_X, HAND_Y), mu=1, nu=0.25, cv="prefit").fit(
            HAND_X, HAND_Y + 1
        )
    with pytest.raises(InputError, match="must be a classifier with classes_, got LinearRegression"):
        AbstainingClassifier(LinearRegression().fit(HAND_X, HAND_Y), mu=1, nu=0.25, cv="prefit").fit(
            HAND_X, HAND_Y
        )


def test_costs_that_settle_the_question_warn():
    with pytest.warns(DegenerateDataWarning, match=r"Abstaining is free \(nu = 0\).*66.7% of the cases"):
        free = on_scores(mu=1, nu=0).fit(HAND_X, HAND_Y)
    assert free.window_.abstention_rate == pytest.approx(2 / 3)
    with pytest.warns(DegenerateDataWarning, match="Abstaining never pays.*= 0.5"):
        never = on_scores(mu=1, nu=0.5).fit(HAND_X, HAND_Y)
    assert never.window_.is_empty
    assert ABSTAIN not in never.decide(HAND_X)
    # saying that abstaining is no option is no mistake
    silent = on_scores(costs=CostModel()).fit(HAND_X, HAND_Y)
    assert (silent.window_.lower, silent.window_.upper) == (never.window_.lower, never.window_.upper)
    assert silent.expected_cost_.cost == never.expected_cost_.cost


def test_constant_scores_warn_and_get_one_decision():
    with pytest.warns(DegenerateDataWarning, match="All out-of-fold scores are equal .0.*same decision"):
        model = on_scores(mu=1, nu=0.25).fit(np.zeros((12, 1)), HAND_Y)
    assert model.decide(HAND_X).tolist() == [ABSTAIN] * 12
    assert model.expected_cost_.cost == pytest.approx(0.25)


def test_constraints_that_fail_without_a_part_of_the_cases_warn():
    y = np.array([0, 0, 0, 1, 1, 1])
    X = np.array([1.0, 2, 4, 3, 5, 6])[:, None]
    options = {"mu": 1, "nu": 0.2, "max_abstention": 1 / 3}
    options |= {"min_precision_positive": 1.0, "min_precision_negative": 1.0}
    with pytest.warns(DegenerateDataWarning, match="not without a part of them, so no honest cost"):
        model = on_scores(**options).fit(X, y)
    assert model.expected_cost_ is None
    assert model.certificate_.certified_cost > model.window_.cost


def test_promise_without_decisions_warns():
    X, y = np.append(HAND_X, [[2.0]], axis=0), np.append(HAND_Y, 0)
    with pytest.warns(DegenerateDataWarning, match="No positive decision is made; alone"):
        model = on_scores(min_precision_positive=0.99, min_precision_negative=0.9).fit(X, y)
    assert 1 not in model.decide(X)


def test_surface_is_dropped_on_demand():
    model = on_scores(mu=1, nu=0.25).fit(HAND_X, HAND_Y)
    assert model.surface_.cost(1, 0.25) == pytest.approx(1 / 6)
    assert not hasattr(model.set_params(store_surface=False).fit(HAND_X, HAND_Y), "surface_")


# ---------------------------------------------------------------- every limit of compare_models

GIVEN = {
    "max_abstention": 0.1,
    "min_precision_positive": 0.9,
    "min_precision_negative": 0.9,
    "max_fn_rate": 0.02,
    "precision_confidence": 0.9,
}


def test_every_limit_against_cheapest_window():
    X, y = load_breast_cancer(return_X_y=True)
    X = X[:, :5]
    assert list(GIVEN) == [limit.name for limit in fields(Limits)]
    costs = CostModel(cost_fn=5, cost_fp=4, cost_abstain=1)
    free = AbstainingClassifier(scaled_regression(), costs=costs).fit(X, y)
    for name, value in GIVEN.items():
        limits = {name: value}
        if name == "precision_confidence":
            limits["min_precision_positive"] = 0.9
        model = AbstainingClassifier(scaled_regression(), costs=costs, **limits).fit(X, y)
        level = limits.pop("precision_confidence", None)
        expected = cheapest_window(
            free.surface_.counts, costs=costs, confidence_level=level, **{"max_abstention": 1.0, **limits}
        )
        assert (model.window_.lower, model.window_.upper) == (expected.lower, expected.upper), name
        assert model.expected_cost_ is not None
    with pytest.raises(InputError, match="`max_fn_rate` needs costs or max_abstention, got neither"):
        AbstainingClassifier(scaled_regression(), max_fn_rate=0.1).fit(X, y)
    with pytest.raises(InputError, match="`precision_confidence` belongs to a promised precision"):
        AbstainingClassifier(scaled_regression(), costs=costs, precision_confidence=0.9).fit(X, y)
