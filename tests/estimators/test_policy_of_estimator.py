"""`Policy.from_estimator` against what the classifier predicts."""

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from demur import AbstainingClassifier, CostModel, InputError, Policy

COSTS = CostModel(cost_fn=5, cost_fp=2, cost_abstain=0.5)
X, CODES = make_classification(n_samples=400, random_state=1)
WORDS = np.where(CODES == 1, "ill", "well")


@pytest.mark.parametrize(
    ("y", "options", "abstained"),
    [
        (CODES, {}, -1),
        (CODES, {"pos_label": 0, "abstain_label": 7}, 7),
        (2 * CODES - 1, {"abstain_label": 0}, 0),
        (WORDS, {"pos_label": "ill", "abstain_label": "ask"}, "ask"),
    ],
)
def test_decisions_against_predict(y, options, abstained):
    model = AbstainingClassifier(LogisticRegression(), costs=COSTS, **options).fit(X, y)
    policy = Policy.from_estimator(model, model="risk")
    column = list(model.estimator_.classes_).index(policy.pos_label)
    scores = model.estimator_.predict_proba(X)[:, column]
    assert policy.apply(scores).tolist() == model.predict(X).tolist()
    assert (policy.abstain_label, policy.model) == (abstained, "risk")
    honest, promise = model.expected_cost_, policy.promise
    assert (promise.cost, promise.limit) == (honest.cost, honest.interval.high)
    # the window as written
    assert promise.abstention_rate == model.window_.abstention_rate
    assert policy.costs == COSTS
    assert "predict_proba of LogisticRegression" in policy.note
    assert Policy.from_dict(policy.to_dict()).to_dict() == policy.to_dict()


def test_labels_that_are_picked():
    model = AbstainingClassifier(LinearSVC(), costs=COSTS).fit(X, CODES)
    policy = Policy.from_estimator(model)
    assert policy.abstain_label == -1
    assert "decision_function of LinearSVC" in policy.note
    assert policy.apply(model.estimator_.decision_function(X)).tolist() == model.predict(X).tolist()
    assert Policy.from_estimator(model, abstain_label=9).abstain_label == 9
    surface = model.surface_
    assert Policy.from_surface(surface, costs=COSTS).abstain_label == -1
    words = Policy.from_surface(surface, costs=COSTS, pos_label="ill", neg_label="well")
    assert words.abstain_label == "abstain"
    assert Policy.from_surface(surface, costs=COSTS, pos_label=1, neg_label=-1).abstain_label == 0


def test_constraints_and_promises_come_along():
    limited = AbstainingClassifier(LogisticRegression(), costs=COSTS, max_abstention=0.05).fit(X, CODES)
    policy = Policy.from_estimator(limited)
    assert policy.chosen == "constrained"
    assert policy.abstention_rate <= 0.05
    promised = AbstainingClassifier(LogisticRegression(), min_precision_positive=0.9).fit(X, CODES)
    assert Policy.from_estimator(promised).costs is None


def test_refusals():
    with pytest.raises(
        InputError, match="`estimator` must be a fitted AbstainingClassifier, got LogisticReg"
    ):
        Policy.from_estimator(LogisticRegression().fit(X, CODES))
    with pytest.raises(InputError, match="must be a fitted AbstainingClassifier"):
        Policy.from_estimator(AbstainingClassifier(LogisticRegression(), costs=COSTS))
    bare = AbstainingClassifier(LogisticRegression(), costs=COSTS, store_surface=False).fit(X, CODES)
    with pytest.raises(InputError, match="fit it with store_surface=True"):
        Policy.from_estimator(bare)
