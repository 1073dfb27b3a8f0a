"""Windows searched without each fold, all folds at once, against a search fold by fold."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from demur import ABSTAIN, CostModel, CostRange
from demur.comparison import candidates, window_learner
from demur.comparison.problem import DecisionProblem, Limits
from demur.comparison.window_learner import WindowLearner
from demur.exceptions import UndefinedError
from demur.honest.cases import SplitCases
from demur.honest.class_rows import ClassRows
from demur.honest.decisions import Judged
from demur.honest.evaluate import CountsLearner, FoldWindows, evaluate
from demur.honest.training_sums import Groups
from demur.windows.rule import Window

POINT = CostModel(cost_fn=10, cost_fp=4, cost_abstain=1)
BOX = CostRange(cost_fn=(4, 12), cost_fp=3, cost_abstain=1)
QUESTIONS = [
    {"costs": POINT, "limits": {"max_abstention": 0.3}},
    {"costs": POINT, "limits": {"max_fn_rate": 0.2, "min_precision_positive": 0.6}},
    {"costs": POINT, "limits": {"min_precision_negative": 0.9}, "prevalence": 0.2},
    {"costs": BOX},
    {"costs": BOX, "objective": "worst", "prevalence": (0.2, 0.7)},
    {"costs": BOX, "limits": {"max_abstention": 0.4}, "prevalence": (0.2, 0.7)},
]


def question(*, costs, limits=None, prevalence=None, objective=None):
    return DecisionProblem.checked(
        costs=costs,
        prevalence=prevalence,
        objective=objective,
        limits=Limits(**(limits or {})),
        confidence_level=0.95,
        seed=0,
    )


@st.composite
def rows(draw):
    """Labels, scores with ties and perhaps infinite ones, and perhaps weights of repeated cases."""
    size = draw(st.integers(8, 40))
    y = draw(st.lists(st.booleans(), min_size=size, max_size=size))
    y[:4] = False, True, False, True
    score = st.sampled_from([0.0, 0.5, 1.0, 2.0, 3.0, 4.0, np.inf, -np.inf])
    weights = draw(st.none() | st.lists(st.integers(1, 3), min_size=size, max_size=size))
    scores = draw(st.lists(score, min_size=size, max_size=size))
    return np.array(y), np.array(scores), None if weights is None else np.array(weights, dtype=float)


def judged_both_ways(data, asked):
    y, scores, weights = data
    cases = SplitCases.of_rows(
        y, weights, weights="repeats", prevalence=None, folds=None, repeats=2, rng=0, quantity="a cost"
    )
    model = cases.judge(scores)
    hindsight = [Window(-np.inf, np.inf)]

    def choose(counts):
        window = candidates.choose_cuts(counts, asked).window
        return Window(window.lower, window.upper)

    learners = CountsLearner(choose), WindowLearner.of(asked)
    return evaluate(cases, model, learners, hindsight * 2)


@pytest.mark.parametrize("asked", QUESTIONS, ids=str)
@given(data=rows())
def test_all_folds_at_once_against_one_by_one(asked, data):
    slow, fast = judged_both_ways(data, question(**asked))
    assert isinstance(slow, Judged) == isinstance(fast, Judged)
    if isinstance(slow, Judged):
        for one, other in zip(slow.honest, fast.honest, strict=True):
            assert one.tolist() == other.tolist()


@pytest.mark.parametrize("asked", QUESTIONS[::3], ids=str)
def test_folds_in_parts_are_the_folds_at_once(asked, monkeypatch):
    rng = np.random.default_rng(3)
    y = rng.random(300) < 0.4
    data = y, np.round(rng.normal(y, 1.0), 1), None
    _, whole = judged_both_ways(data, question(**asked))
    monkeypatch.setattr(window_learner, "_AT_ONCE", 1)
    _, parts = judged_both_ways(data, question(**asked))
    assert [codes.tolist() for codes in whole.honest] == [codes.tolist() for codes in parts.honest]


def test_the_first_fold_without_a_window_gives_the_reason():
    y = np.array([0, 0, 1, 1] * 5, dtype=bool)
    scores = np.where(y, 0.0, 1.0)  # the worse the score, the more positives
    asked = question(costs=POINT, limits={"max_abstention": 0.0, "min_precision_positive": 0.9})
    slow, fast = judged_both_ways((y, scores, None), asked)
    assert slow.honest[0].tolist() == fast.honest[0].tolist()  # to call all negative keeps the promise
    asked = question(
        costs=POINT,
        limits={"max_abstention": 0.0, "min_precision_positive": 0.9, "min_precision_negative": 0.9},
    )
    slow, fast = judged_both_ways((y, scores, None), asked)
    assert isinstance(slow, UndefinedError)
    assert str(fast) == str(slow)


# ---------------------------------------------------------------- thresholds, by hand


def group(*scores):
    nothing = np.empty(0)
    values = np.array(scores)
    members = ClassRows(np.arange(len(values)), values, np.zeros(len(values), np.int16), None)
    return Groups.of([members, ClassRows(np.empty(0, int), nothing, nothing, None)])


def test_thresholds_lie_between_scores_that_a_training_set_has():
    groups = group(1.0, 2.0, 2.0, 3.5, 4.0)
    assert groups.scores.tolist() == [1.0, 2.0, 3.5, 4.0]
    # two sets: rows at 1 and 4 only, the threshold between them is 2.5; rows everywhere
    present = np.array([[0, 1, 1, 1, 2], [0, 1, 3, 4, 5]])
    for at in (1, 2, 3):
        lower, upper = groups.thresholds(present, np.array([at, 0]), np.array([at, 3]))
        assert (lower.tolist(), upper.tolist()) == ([2.5, -np.inf], [2.5, 3.75])
    lower, upper = groups.thresholds(present, np.array([0, 4]), np.array([4, 4]))
    assert (lower.tolist(), upper.tolist()) == ([-np.inf, np.inf], [np.inf, np.inf])


def test_neighbours_without_a_float_between_them_have_no_threshold():
    top = np.finfo(np.float64).max
    groups = group(-top, 0.0, top, np.inf)
    present = np.array([[0, 1, 2, 3, 4]])
    _, upper = groups.thresholds(present, np.array([3]), np.array([3]))
    assert np.isnan(upper)


def test_windows_by_fold_by_hand():
    windows = FoldWindows(np.array([1.0, -np.inf]), np.array([2.0, np.inf]))
    scores = np.array([1.0, 1.5, 2.0, -np.inf, 1.5, np.inf])
    fold = np.array([0, 0, 0, 1, 1, 1])
    assert windows.decide(scores, fold).tolist() == [0, ABSTAIN, 1, ABSTAIN, ABSTAIN, ABSTAIN]
    always = FoldWindows(np.array([-np.inf, np.inf]), np.array([-np.inf, np.inf]))
    assert always.decide(scores, fold).tolist() == [1, 1, 1, 0, 0, 0]
