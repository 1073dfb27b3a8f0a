"""Scorers that know abstentions: by hand, in searches, and what they refuse."""

import functools
import pickle

import numpy as np
import pytest
import sklearn
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, f1_score, zero_one_loss
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from demur import AbstainingClassifier, CautiousClassifier, CostMatrix, CostModel, InputError, UndefinedError
from demur.scoring import cost_scorer, coverage_scorer, make_abstention_scorer, selective_accuracy_scorer

COSTS = CostModel(cost_fn=10, cost_fp=2, cost_abstain=0.3)


class Answering(ClassifierMixin, BaseEstimator):
    """Answers what it is told, whatever the case."""

    def __init__(self, answers=(), classes=(0, 1)):
        self.answers = answers
        self.classes = classes

    def fit(self, X, y):
        self.classes_ = np.array(self.classes)
        return self

    def predict(self, X):
        return np.array(self.answers)


class Declaring(Answering):
    """Says what stands for an abstention, and which class is the positive one."""

    def __init__(self, answers=(), classes=(0, 1), abstain_label=-1, pos_label=None):
        super().__init__(answers, classes)
        self.abstain_label = abstain_label
        self.pos_label = pos_label


def fitted(*answers, kind=Declaring, **options):
    return kind(answers, **options).fit(None, None)


def score(scorer, model, y, **kwargs):
    return scorer(model, np.zeros((len(y), 1)), np.array(y), **kwargs)


# ---------------------------------------------------------------- by hand


def test_cost_by_hand():
    # one miss, one false alarm, one review, two right answers
    model, y = fitted(0, 1, -1, 1, 0), [1, 0, 1, 1, 0]
    assert score(cost_scorer(COSTS), model, y) == pytest.approx(-(10 + 2 + 0.3) / 5)
    assert score(coverage_scorer, model, y) == pytest.approx(0.8)
    assert score(selective_accuracy_scorer, model, y) == pytest.approx(0.5)
    # the same with the classes swapped: the miss is now a false alarm
    assert score(cost_scorer(COSTS, pos_label=0), model, y) == pytest.approx(-(10 + 2 + 0.3) / 5)
    assert (
        score(cost_scorer(CostModel(cost_fn=1, cost_fp=9, cost_abstain=5), pos_label=0), fitted(0), [1]) == -9
    )


def test_weights_by_hand():
    model, y, weights = fitted(0, -1, 1), [1, 1, 0], [1.0, 2.0, 0.0]
    assert score(cost_scorer(COSTS), model, y, sample_weight=weights) == pytest.approx(-(10 + 0.6) / 3)
    assert score(coverage_scorer, model, y, sample_weight=weights) == pytest.approx(1 / 3)
    assert score(selective_accuracy_scorer, model, y, sample_weight=weights) == 0
    f1 = make_abstention_scorer(f1_score)
    assert score(f1, fitted(1, -1, 1, 0), [1, 1, 0, 1], sample_weight=[1, 5, 2, 3]) == pytest.approx(
        f1_score([1, 0, 1], [1, 1, 0], sample_weight=[1, 2, 3])
    )


def test_any_classes_by_hand():
    costs = CostMatrix.from_mapping({"a": {"b": 1, "c": 4}, "b": {"a": 3, "c": 2}, "c": {"a": 8, "b": 6}})
    model = fitted("a", "b", "?", "c", classes=("a", "b", "c"), abstain_label="?")
    y = ["c", "a", "b", "c"]
    assert score(cost_scorer(costs, abstain_cost=0.5), model, y) == pytest.approx(-(8 + 1 + 0.5) / 4)
    by_class = cost_scorer(costs.to_mapping(), abstain_cost={"a": 1, "b": 2, "c": 3})
    assert score(by_class, model, y) == pytest.approx(-(8 + 1 + 2) / 4)


@pytest.mark.parametrize("label", [-1, np.nan, None])
def test_a_label_stated_in_the_scorer(label):
    answers = np.array([0, label, 1], dtype=object if label is None else float)
    model = fitted(kind=Answering)
    model.answers = answers
    stated = float("nan") if label is None else label
    scorer = cost_scorer(COSTS, abstain_label=stated)
    assert score(scorer, model, [0, 0, 1]) == pytest.approx(-0.1)


def test_words_beside_a_number_for_abstentions():
    # NumPy has turned -1 into the word
    model = fitted("ill", -1, "well", classes=("ill", "well"), abstain_label=-1)
    assert model.predict(None).dtype.kind == "U"
    assert score(coverage_scorer, model, ["ill", "ill", "well"]) == pytest.approx(2 / 3)
    assert score(cost_scorer(COSTS, pos_label="ill"), model, ["ill", "ill", "well"]) == pytest.approx(-0.1)


def test_a_stock_metric_sees_the_decided_cases_only():
    model, y = (
        fitted("a", "abstain", "b", "b", classes=("a", "b"), abstain_label="abstain"),
        ["a", "a", "b", "a"],
    )
    stock = functools.partial(f1_score, pos_label="a")
    assert score(make_abstention_scorer(stock), model, y) == f1_score(
        ["a", "b", "a"], ["a", "b", "b"], pos_label="a"
    )
    loss = make_abstention_scorer(zero_one_loss, greater_is_better=False)
    assert score(loss, model, y) == pytest.approx(-1 / 3)
    assert score(make_abstention_scorer(accuracy_score), model, y) == score(
        selective_accuracy_scorer, model, y
    )


# ---------------------------------------------------------------- in scikit-learn


@pytest.fixture(scope="module")
def tumours():
    X, y = load_breast_cancer(return_X_y=True)
    return X, 1 - y


def abstaining(**options):
    return AbstainingClassifier(make_pipeline(StandardScaler(), LogisticRegression()), costs=COSTS, **options)


def test_cross_validate_against_score(tumours):
    scoring = {"cost": cost_scorer(COSTS), "coverage": coverage_scorer, "right": selective_accuracy_scorer}
    found = cross_validate(abstaining(), *tumours, scoring=scoring, cv=3, return_estimator=True)
    plain = cross_validate(abstaining(), *tumours, cv=3)
    # the classifier's own score is minus the cost
    assert np.allclose(found["test_cost"], plain["test_score"], rtol=1e-12)
    assert np.all((found["test_coverage"] > 0.5) & (found["test_coverage"] < 1))
    # a stock metric would have counted every abstention as an error
    stock = cross_validate(
        abstaining(), *tumours, cv=3, scoring=lambda m, X, y: accuracy_score(y, m.predict(X))
    )
    assert np.all(stock["test_score"] < found["test_right"])


def test_a_search_finds_the_cheapest_also_inside_a_pipeline(tumours):
    X, y = tumours
    pipeline = make_pipeline(StandardScaler(), abstaining(abstain_label=7))
    grid = {"abstainingclassifier__estimator__logisticregression__C": [1e-4, 1.0]}
    search = GridSearchCV(pipeline, grid, scoring=cost_scorer(COSTS), cv=3).fit(X, y)
    assert search.best_index_ == 1
    assert search.score(X, y) == pytest.approx(cost_scorer(COSTS)(search, X, y))
    assert coverage_scorer(search, X, y) < 1
    # whether abstaining pays: the same scorer on a classifier that never does
    stock = make_pipeline(StandardScaler(), LogisticRegression()).fit(X, y)
    assert cost_scorer(COSTS)(search, X, y) > cost_scorer(COSTS)(stock, X, y)
    assert coverage_scorer(stock, X, y) == 1


def test_weights_are_routed(tumours):
    X, y = StandardScaler().fit_transform(tumours[0]), tumours[1]
    weights = np.random.default_rng(0).integers(0, 3, len(y)).astype(float)
    with sklearn.config_context(enable_metadata_routing=True):
        scorer = cost_scorer(COSTS).set_score_request(sample_weight=True)
        routed = cross_validate(
            LogisticRegression().set_fit_request(sample_weight=False),
            X,
            y,
            scoring={"cost": scorer},
            cv=3,
            params={"sample_weight": weights},
            return_indices=True,
            return_estimator=True,
        )
    for k, test in enumerate(routed["indices"]["test"]):
        expected = cost_scorer(COSTS)(routed["estimator"][k], X[test], y[test], sample_weight=weights[test])
        assert routed["test_cost"][k] == expected


def test_more_than_two_classes():
    X, y = load_iris(return_X_y=True)
    model = CautiousClassifier(LogisticRegression(max_iter=500), max_abstention=0.1).fit(X, y)
    confusion = model.decide(X) == -1
    assert coverage_scorer(model, X, y) == pytest.approx(1 - confusion.mean())
    assert selective_accuracy_scorer(model, X, y) > 0.97
    assert cost_scorer(CostMatrix.uniform([0, 1, 2]), abstain_cost=0.1)(model, X, y) < 0


@pytest.mark.parametrize(
    "scorer",
    [cost_scorer(COSTS), coverage_scorer, selective_accuracy_scorer, make_abstention_scorer(f1_score)],
    ids=["cost", "coverage", "accuracy", "f1"],
)
def test_scorers_travel_to_other_processes(scorer):
    model, y = fitted(0, 1, -1), [0, 0, 1]
    assert score(pickle.loads(pickle.dumps(scorer)), model, y) == score(scorer, model, y)
    assert "AbstentionScorer" in repr(scorer)


# ---------------------------------------------------------------- refusals


def test_an_unknown_answer_is_no_error_of_the_classifier():
    with pytest.raises(
        InputError, match=r"answers -1, which is none of the classes \[0, 1\].*abstain_label="
    ):
        score(coverage_scorer, fitted(0, -1, kind=Answering), [0, 1])
    with pytest.raises(InputError, match="answers nan"):
        score(coverage_scorer, fitted(0, np.nan, kind=Answering), [0, 1])
    with pytest.raises(InputError, match="`y` holds 5"):
        score(coverage_scorer, fitted(0, 1), [0, 5])


def test_abstaining_on_everything_has_a_cost_and_no_accuracy():
    model, y = fitted(-1, -1), [0, 1]
    assert score(cost_scorer(COSTS), model, y) == pytest.approx(-0.3)
    assert score(coverage_scorer, model, y) == 0
    for scorer in (selective_accuracy_scorer, make_abstention_scorer(f1_score)):
        with pytest.raises(UndefinedError, match="abstains on every case"):
            score(scorer, model, y)


def test_a_price_is_needed_only_where_somebody_abstains():
    free = CostModel(cost_fn=10, cost_fp=2)
    assert score(cost_scorer(free), fitted(0, 1), [1, 1]) == -5
    with pytest.raises(InputError, match="must say what abstaining costs"):
        score(cost_scorer(free), fitted(0, -1), [1, 1])
    matrix = CostMatrix.uniform([0, 1])
    assert score(cost_scorer(matrix), fitted(0, 1), [1, 1]) == -0.5
    with pytest.raises(InputError, match="`abstain_cost` is needed"):
        score(cost_scorer(matrix), fitted(0, -1), [1, 1])


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: cost_scorer(3), "`costs` must be a CostModel, got"),
        (lambda: cost_scorer(COSTS, abstain_cost=1), "`abstain_cost` must be part of a CostModel"),
        (lambda: make_abstention_scorer("f1"), "`score_func` must be callable, got 'f1'"),
        (
            lambda: score(cost_scorer(COSTS, pos_label=9), fitted(0), [0]),
            "`pos_label` must be one of the classes",
        ),
        (
            lambda: score(cost_scorer(COSTS, abstain_label=1), fitted(0), [0]),
            "must not be one of the classes",
        ),
        (
            lambda: score(
                cost_scorer(COSTS), fitted("a", "b", classes=("a", "b"), kind=Answering), ["a", "b"]
            ),
            "`pos_label` must be one of the labels",
        ),
    ],
)
def test_wrong_arguments(make, message):
    with pytest.raises(InputError, match=message):
        make()
