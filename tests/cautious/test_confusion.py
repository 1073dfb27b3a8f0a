"""Confusion matrices with abstentions and capacity graphs, against the paper, enumeration and hand."""

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from demur import ABSTAIN, CautiousConfusion, CostModel, InputError, cautious_confusion
from demur.cautious import capacity_graph, decisions_at_abstention
from examples import examples
from reference_cases import cases, close

FILE = "cautious.json"

# example 1 of Ferri and Hernandez-Orallo (2004)
P = [[20, 2, 3], [0, 30, 3], [0, 2, 40], [0, 0, 0]]
R = [[19, 1, 2], [0, 30, 0], [0, 1, 38], [1, 2, 6]]


def with_rates(abstention, error, n_classes):
    """A matrix that has these rates, all cases of class 0."""
    matrix = np.zeros((n_classes + 1, n_classes))
    matrix[0, 0], matrix[1, 0], matrix[-1, 0] = 1 - abstention - error, error, abstention
    return CautiousConfusion(matrix)


@st.composite
def matrices(draw, max_classes=4):
    n_classes = draw(st.integers(1, max_classes))
    cell = st.sampled_from([0.0, 0.0, 1.0, 2.0, 5.0, 0.5, 7.25])
    cells = draw(st.lists(cell, min_size=n_classes * (n_classes + 1), max_size=n_classes * (n_classes + 1)))
    cells[0] += 1.0
    return CautiousConfusion(np.array(cells).reshape(n_classes + 1, n_classes))


# ---------------------------------------------------------------- by hand and against the paper


def test_example_1_against_paper():
    bold, cautious = CautiousConfusion(P), CautiousConfusion(R)
    assert (cautious.coverage, cautious.abstention, cautious.error) == pytest.approx((0.91, 0.09, 0.04))
    assert cautious.accuracy == pytest.approx(87 / 91)
    assert cautious.efficacy == pytest.approx(0.933, abs=5e-4)
    assert cautious.f_score == pytest.approx(0.932454, abs=5e-7)
    assert (bold.accuracy, bold.efficacy, bold.capacity) == pytest.approx((0.9, 0.95, 0.95))
    assert bold.f_score == pytest.approx(0.947368, abs=5e-7)
    # Erratum: the printed capacity lacks the square on the abstention. It would rank P (0.95)
    # above R (0.9482); the area of the paper's own figure 2 ranks R first.
    assert cautious.capacity_as_printed == pytest.approx(0.9482)
    assert cautious.capacity == pytest.approx(0.9755)
    assert cautious.capacity > bold.capacity > cautious.capacity_as_printed


def test_probability_estimation_tree_against_paper():
    every, sure = [[37, 12], [3, 48], [0, 0]], [[37, 3], [3, 48], [0, 9]]
    tree = CautiousConfusion(every)
    assert (tree.accuracy, tree.error, tree.efficacy, tree.capacity) == pytest.approx(
        (0.85, 0.15, 0.925, 0.925)
    )
    assert tree.f_score == pytest.approx(0.918919, abs=5e-7)
    cautious = CautiousConfusion(sure)
    assert cautious.accuracy == pytest.approx(85 / 91)
    assert cautious.efficacy == pytest.approx(0.922033, abs=5e-7)
    # Erratum: the paper prints an f-score of 0.916 here; 2 (85/91) 0.91 / (85/91 + 0.91) is 0.9219.
    assert cautious.f_score == pytest.approx(0.921876, abs=5e-7)
    # Erratum: the paper prints 0.9448 from the formula without the square.
    assert cautious.capacity_as_printed == pytest.approx(0.9448, abs=5e-5)
    assert cautious.capacity == pytest.approx(0.965275)
    # so the claim that capacity always falls with abstention is wrong: 0.925 rose to 0.965
    assert cautious.capacity > tree.capacity


def test_more_abstention_against_paper():
    moved = CautiousConfusion(R).at_abstention(0.25)
    printed = [[15.66, 0.82, 1.65], [0, 24.73, 0], [0, 0.82, 31.32], [4.34, 7.63, 13.03]]
    assert moved.matrix == pytest.approx(np.array(printed), abs=6e-3)
    assert moved.abstention == pytest.approx(0.25)


def test_less_abstention_against_paper():
    moved = CautiousConfusion(R).at_abstention(0.06)
    # Erratum: the paper prints 19.33, 0, 0, 0.67 in the first column, all guesses right; one
    # third of the one abstained case of class a is guessed, a third of that rightly.
    assert moved.matrix[:, 0] == pytest.approx([19 + 1 / 9, 1 / 9, 1 / 9, 2 / 3])
    assert moved.matrix[:, 1] == pytest.approx([1.2222, 30.2222, 1.2222, 1.3333], abs=5e-5)
    assert moved.error == pytest.approx(0.06)


def test_guessing_everything_by_hand():
    cautious = CautiousConfusion(R)
    assert cautious.at_abstention(0).error == pytest.approx(0.04 + 2 / 3 * 0.09)
    # 0.8 * 1 + 0.66 * 2 + 0.54 * 6 = 5.36 more errors of 100
    assert cautious.at_abstention(0, guess="prior").error == pytest.approx(0.04 + 0.0536)
    assert cautious.at_abstention(0, guess=[0, 0, 1]).error == pytest.approx(0.04 + 0.03)


def test_roc_options_against_paper():
    matrix = CautiousConfusion([[33, 1], [1, 45], [6, 14]])
    # Erratum: the paper prints a false positive rate of 0.0177 for option 1; 1/46 is 0.0217.
    assert matrix.roc_point(1) == pytest.approx((33 / 34, 1 / 46))
    assert matrix.roc_point(2) == pytest.approx((33 / 34, 1 / 60))
    assert matrix.roc_point(3) == pytest.approx((33 / 40, 1 / 46))
    assert matrix.roc_point(4) == pytest.approx((33 / 40, 1 / 60))
    assert matrix.roc_point(2).tpr >= matrix.roc_point(3).tpr
    assert matrix.roc_point(4, pos_label=1) == pytest.approx((45 / 60, 1 / 40))


def test_roc_options_of_all_abstained_by_hand():
    nothing = CautiousConfusion([[0, 0], [0, 0], [3, 4]])
    assert nothing.roc_point(4) == (0, 0)
    assert np.isnan(nothing.roc_point(1)).all()
    assert math.isnan(nothing.roc_point(2).tpr)
    assert nothing.roc_point(2).fpr == 0


def test_efficacy_can_rise_when_an_error_becomes_unknown_by_hand():
    # The paper says it never does. It rises iff k n > m (m - 1): n = 100, m = 50 answered, k = 49 right.
    before = CautiousConfusion([[49, 1], [0, 0], [0, 50]])
    after = CautiousConfusion([[49, 0], [0, 0], [0, 51]])
    assert before.efficacy == pytest.approx(0.74)
    assert after.efficacy == pytest.approx(0.745)


@given(st.integers(1, 30), st.integers(0, 30), st.integers(0, 30))
def test_efficacy_rule_against_theory(right, wrong, unknown):
    wrong += 1
    before = CautiousConfusion([[right, wrong], [0, 0], [0, unknown]])
    after = CautiousConfusion([[right, wrong - 1], [0, 0], [0, unknown + 1]])
    answered, n = right + wrong, right + wrong + unknown
    # 1e-12: where k n = m (m - 1) both are equal
    assert (after.efficacy > before.efficacy + 1e-12) == (right * n > answered * (answered - 1))


def test_costs_against_paper():
    costs = [[-2.5, 4, 2], [2.1, -3.5, 0], [1.2, 1.3, -4], [0, 0, 0]]
    cautious = CautiousConfusion(R)
    assert cautious.cost_table(costs).sum() == pytest.approx(-295.2)
    assert cautious.cost(costs) == pytest.approx(-2.952)


def test_named_costs_are_the_matrix_by_hand():
    # rows positive, negative, unknown: false alarm 100, miss 20, unknown 2 or 3
    named = CostModel(cost_fp=100, cost_fn=20, cost_abstain_positive=2, cost_abstain_negative=3)
    table = [[0, 100], [20, 0], [2, 3]]
    for matrix in ([[37, 12], [3, 48], [0, 0]], [[33, 1], [1, 45], [6, 14]]):
        assert CautiousConfusion(matrix).cost(named) == pytest.approx(CautiousConfusion(matrix).cost(table))
        swapped = np.array(matrix)[[1, 0, 2]][:, ::-1]
        assert CautiousConfusion(swapped).cost(named, pos_label=1) == pytest.approx(
            CautiousConfusion(matrix).cost(table)
        )
        labelled = CautiousConfusion(swapped, labels=[0, 1])
        assert labelled.cost(named) == pytest.approx(CautiousConfusion(matrix).cost(table))
        assert labelled.roc_point(3) == CautiousConfusion(matrix).roc_point(3)


def test_all_abstained_by_hand():
    nothing = CautiousConfusion([[0, 0], [0, 0], [3, 4]])
    assert (nothing.coverage, nothing.error, nothing.capacity) == (0, 0, 0.75)
    assert np.isnan([nothing.accuracy, nothing.efficacy, nothing.f_score]).all()
    json.dumps(nothing.to_dict(), allow_nan=False)


def test_all_answers_wrong_have_no_f_score_by_hand():
    assert CautiousConfusion([[0, 2], [3, 0], [0, 0]]).f_score == 0


def test_one_class_guesses_right_by_hand():
    one = CautiousConfusion([[3], [1]])
    assert one.guess_error == 0
    assert one.capacity == 1


# ---------------------------------------------------------------- reference cases (definitions, enumeration)

NAMES = {"fscore": "f_score"}


@pytest.mark.parametrize("case", cases(FILE, "cautious.measures"))
def test_measures_against_definition(case):
    confusion = CautiousConfusion(case["input"]["matrix"])
    for key, expect in case["expect"].items():
        got = getattr(confusion, NAMES.get(key, key))
        if expect is None:
            assert math.isnan(got), key
        else:
            close(got, expect, case["tol"])


@pytest.mark.parametrize("case", cases(FILE, "cautious.q_alpha"))
def test_moved_abstention_against_definition(case):
    data = case["input"]
    confusion = CautiousConfusion(data["matrix"]).at_abstention(
        data["alpha"], guess=data["guess"] or "uniform"
    )
    close(confusion.matrix.tolist(), case["expect"]["matrix"], case["tol"])


@pytest.mark.parametrize("case", cases(FILE, "cautious.cost"))
def test_cost_against_definition(case):
    confusion, costs = CautiousConfusion(case["input"]["matrix"]), case["input"]["cost"]
    close(confusion.cost_table(costs).tolist(), case["expect"]["result"], case["tol"])
    close(confusion.cost_table(costs).sum(), case["expect"]["total"], case["tol"])
    close(confusion.cost(costs), case["expect"]["mean"], case["tol"])


@pytest.mark.parametrize("case", cases(FILE, "cautious.roc_options"))
def test_roc_options_against_definition(case):
    confusion, positive = CautiousConfusion(case["input"]["matrix"]), case["input"]["positive"]
    for option in (1, 2, 3, 4):
        point = confusion.roc_point(option, pos_label=positive)
        for got, expect in zip(point, case["expect"][f"option{option}"], strict=True):
            if expect is None or math.isnan(expect):
                assert math.isnan(got)
            else:
                close(got, expect, case["tol"])


@pytest.mark.parametrize("case", cases(FILE, "cautious.capacity_hull"))
def test_capacity_hull_against_enumeration(case):
    data, expect = case["input"], case["expect"]
    graph = capacity_graph([with_rates(*rates, data["n_classes"]) for rates in data["classifiers"]])
    close(graph.points.tolist(), data["classifiers"], case["tol"])
    close(graph.hull.tolist(), expect["vertices"], case["tol"])
    close(graph.capacity, expect["capacity"], case["tol"])


# ---------------------------------------------------------------- capacity graphs


def test_capacity_of_one_classifier_is_its_area_by_hand():
    cautious = CautiousConfusion(R)
    graph = capacity_graph(cautious)
    assert graph.hull == pytest.approx(np.array([[0, 0.1], [0.09, 0.04], [1, 0]]))
    assert graph.capacity == pytest.approx(cautious.capacity)
    assert graph.corners == ("0", "0", "abstain")


def test_lowest_error_wins_among_bold_classifiers_by_hand():
    graph = capacity_graph({"worse": with_rates(0, 0.3, 3), "better": with_rates(0, 0.2, 3)})
    assert graph.discarded == ("worse",)
    assert graph.corners == ("better", "abstain")
    assert graph.error([0, 0.5, 1]) == pytest.approx([0.2, 0.1, 0])


def test_mixture_reaches_the_hull_by_hand():
    models = {"bold": with_rates(0, 0.2, 2), "cautious": with_rates(0.4, 0.02, 2)}
    graph = capacity_graph(models)
    mixture = graph.mixture(0.1)
    assert (mixture.first, mixture.second) == (("bold", 0.0), ("cautious", 0.4))
    assert mixture.share == pytest.approx(0.25)
    assert graph.error(0.1) == pytest.approx(0.75 * 0.2 + 0.25 * 0.02)
    assert graph.mixture(1).second == ("abstain", 1.0)


def test_prior_tails_by_hand():
    graph = capacity_graph(CautiousConfusion(R), guess="prior")
    assert graph.tails == pytest.approx(np.array([[0, 0.0936]]))


@given(st.lists(matrices(max_classes=1).flatmap(lambda _: matrices(2)), min_size=1, max_size=5))
@settings(max_examples=examples(60), deadline=None)
def test_hull_is_below_every_member_and_convex(members):
    size = members[0].n_classes
    members = [matrix for matrix in members if matrix.n_classes == size]
    graph = capacity_graph(members)
    every = np.vstack([graph.points, graph.tails])
    assert np.all(np.asarray(graph.error(every[:, 0])) <= every[:, 1] + 1e-12)
    slopes = np.diff(graph.hull[:, 1]) / np.diff(graph.hull[:, 0])
    assert np.all(np.diff(slopes) > 0)
    # every corner is one of the points: nothing better than mixing is promised
    for corner in graph.hull[:-1]:
        assert np.abs(every - corner).max(axis=1).min() <= 1e-12


# ---------------------------------------------------------------- laws


@given(matrices())
@settings(max_examples=examples(100), deadline=None)
def test_measures_obey_their_definitions(matrix):
    assert matrix.coverage + matrix.abstention == pytest.approx(1)
    if matrix.coverage == 0:
        assert math.isnan(matrix.accuracy)
        return
    assert matrix.accuracy * matrix.coverage == pytest.approx(matrix.coverage - matrix.error)
    x = [0, matrix.abstention, 1]
    assert matrix.efficacy == pytest.approx(np.trapezoid([0, matrix.accuracy, 1], x))
    tail = matrix.at_abstention(0).error
    assert matrix.capacity == pytest.approx(1 - np.trapezoid([tail, matrix.error, 0], x))
    if matrix.abstention == 0:
        assert matrix.capacity == pytest.approx(matrix.efficacy)


@given(matrices(), st.floats(0, 1), st.sampled_from(["uniform", "prior"]))
@settings(max_examples=examples(100), deadline=None)
def test_moved_matrix_keeps_the_classes_and_reaches_the_rate(matrix, alpha, guess):
    moved = matrix.at_abstention(alpha, guess=guess)
    assert moved.abstention == pytest.approx(alpha, abs=1e-12)
    assert moved.class_totals == pytest.approx(matrix.class_totals)


# ---------------------------------------------------------------- counting


def test_counting_against_sklearn():
    from sklearn.metrics import confusion_matrix

    rng = np.random.default_rng(5)
    actual, called = rng.integers(0, 3, 400), rng.integers(-1, 3, 400)
    weights = rng.random(400)
    confusion = cautious_confusion(actual, called, sample_weight=weights)
    # scikit-learn has rows actual, and takes the abstentions for a class of their own
    expected = confusion_matrix(actual, called, labels=[0, 1, 2, -1], sample_weight=weights)
    assert confusion.matrix == pytest.approx(expected[:3].T)


def test_declared_labels_keep_empty_classes():
    confusion = cautious_confusion(["b", "b"], ["b", "?"], labels=["a", "b", "c"], abstain="?")
    assert confusion.matrix.tolist() == [[0, 0, 0], [0, 1, 0], [0, 0, 0], [0, 1, 0]]
    assert confusion.labels == ("a", "b", "c")


def test_integer_code_among_string_labels():
    confusion = cautious_confusion(["cat", "dog"], ["cat", ABSTAIN])
    assert confusion.matrix.tolist() == [[1, 0], [0, 0], [0, 1]]


def test_nothing_abstained_still_has_the_row():
    assert cautious_confusion([0, 1], [0, 1]).matrix.tolist() == [[1, 0], [0, 1], [0, 0]]


# ---------------------------------------------------------------- instance level


@pytest.mark.parametrize("alpha", [0.0, 0.1, 0.3, 0.8, 1.0])
def test_random_decisions_reach_the_expected_matrix(alpha):
    rng = np.random.default_rng(0)
    actual = rng.integers(0, 3, 40_000)
    called = np.where(rng.random(40_000) < 0.3, ABSTAIN, rng.integers(0, 3, 40_000))
    law = [0.5, 0.3, 0.2]
    moved = decisions_at_abstention(called, alpha, labels=[0, 1, 2], guess=law, rng=1)
    confusion = cautious_confusion(actual, moved, labels=[0, 1, 2])
    expected = cautious_confusion(actual, called, labels=[0, 1, 2]).at_abstention(alpha, guess=law)
    # 40 000 cases: five standard deviations of a cell are at most 500
    assert np.abs(confusion.matrix - expected.matrix).max() < 500
    assert confusion.abstention == pytest.approx(alpha, abs=0.012)


def test_random_decisions_repeat_with_the_seed():
    called = np.tile([0, 1, ABSTAIN, ABSTAIN], 50)
    drawn = [decisions_at_abstention(called, 0.2, labels=[0, 1], rng=9) for _ in range(2)]
    assert np.array_equal(*drawn)
    assert not np.array_equal(drawn[0], decisions_at_abstention(called, 0.2, labels=[0, 1], rng=10))
    assert np.array_equal(decisions_at_abstention(called, 0.5, labels=[0, 1]), called)
    words = decisions_at_abstention(["cat", ABSTAIN], 1, labels=["cat", "dog"], rng=0)
    assert words.tolist() == [ABSTAIN, ABSTAIN]


# ---------------------------------------------------------------- wrong input

WRONG = [case for case in cases(FILE, "errors") if case.values[0]["input"]["call"] == "cautious.q_alpha"]


@pytest.mark.parametrize("case", WRONG)
def test_wrong_input_raises(case):
    args = case["input"]["args"]
    with pytest.raises(InputError):
        CautiousConfusion(args["matrix"]).at_abstention(args["alpha"])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda m: CautiousConfusion([[1, 0], [0, 1]]), "append a row of zeros"),
        (lambda m: CautiousConfusion([[1, 0, 2], [0, 1, 2]]), "transpose"),
        (lambda m: CautiousConfusion([1, 2]), "one row per predicted class"),
        (lambda m: CautiousConfusion([[1, -1], [0, 1], [0, 0]]), "`matrix` must not be negative, got -1"),
        (lambda m: CautiousConfusion(np.zeros((3, 2))), "must hold cases"),
        (lambda m: CautiousConfusion([[1, 0], [0, 1], [0, 0]], ["a"]), "2 labels, one per class"),
        (lambda m: CautiousConfusion([[1, 0], [0, 1], [0, 0]], ["a", "a"]), "must be distinct"),
        (lambda m: m.at_abstention(-0.1), r"`alpha` must lie in \[0, 1\], got -0.1"),
        (lambda m: m.at_abstention(0.1, guess="best"), "`guess` must be one of 'uniform', 'prior'"),
        (lambda m: m.at_abstention(0.1, guess=[0.5, 0.6]), "`guess` must sum to 1"),
        (lambda m: m.at_abstention(0.1, guess=[1.0]), "`guess` must be 2 numbers"),
        (lambda m: m.cost([[0, 1], [1, 0]]), "add the row of costs of abstaining"),
        (lambda m: m.cost([[0, 1, 2], [1, 0, 2]]), "transpose"),
        (lambda m: m.cost(CostModel()), "must say what abstaining costs"),
        (lambda m: CautiousConfusion(R).cost(CostModel(cost_abstain=1)), "two classes"),
        (lambda m: m.roc_point(5), "`option` must be 1, 2, 3 or 4, got 5"),
        (lambda m: m.roc_point(1, pos_label="x"), "`pos_label` must be 0 or 1"),
        (lambda m: CautiousConfusion(R).roc_point(1), "must have two classes"),
        (lambda m: CautiousConfusion(m.matrix, ["a", "b"]).roc_point(1), "must be one of the labels"),
        (lambda m: cautious_confusion([-1, 1], [1, -1]), "choose another code"),
        (
            lambda m: cautious_confusion([0, 1], [0, 2], labels=[0, 1]),
            r"`y_pred` must hold the labels \[0, 1\]",
        ),
        (lambda m: cautious_confusion([0, 1], [0]), "same length"),
        (lambda m: cautious_confusion([0, math.nan], [0, 1]), "missing labels"),
        (lambda m: cautious_confusion([0, "a"], [0, 1]), "cannot be sorted"),
        (lambda m: cautious_confusion([], []), "must hold at least one case"),
        (lambda m: decisions_at_abstention([0], 2, labels=[0, 1]), r"`alpha` must lie in \[0, 1\]"),
        (lambda m: decisions_at_abstention([5], 0, labels=[0, 1]), "must hold the labels"),
        (lambda m: decisions_at_abstention([0], 0, labels=[0, 1], guess="prior"), "one of 'uniform'"),
        (lambda m: capacity_graph([]), "non-empty mapping"),
        (lambda m: capacity_graph(3), "must be a CautiousConfusion, several"),
        (lambda m: capacity_graph([3]), "must be a CautiousConfusion"),
        (lambda m: capacity_graph([m, CautiousConfusion(R)]), "same number of classes"),
        (lambda m: capacity_graph(m).error(1.5), r"`abstention` must lie in \[0, 1\]"),
    ],
)
def test_error_sentences(call, message):
    with pytest.raises(InputError, match=message):
        call(CautiousConfusion([[33, 1], [1, 45], [6, 14]]))


# ---------------------------------------------------------------- cases whose class cannot be known


def test_unknown_column_by_hand():
    # of 99 cases seven are wrong, two of them unknown; three unknown ones more are abstained on
    unsure = CautiousConfusion([[40, 2, 1], [3, 45, 1], [2, 2, 3]], unknown_label="?")
    assert (unsure.n_classes, unsure.card, unsure.coverage) == (2, 99, 92 / 99)
    assert (unsure.error, unsure.unknown_decided) == pytest.approx((7 / 99, 2 / 99))
    assert unsure.accuracy == pytest.approx(85 / 92)
    assert unsure.accuracy * unsure.coverage == pytest.approx(unsure.coverage - unsure.error)
    # guessing four known cases is wrong half of the time, guessing three unknown ones always
    assert unsure.at_abstention(0).error == pytest.approx((7 + 4 / 2 + 3) / 99)
    assert unsure.error + unsure.guess_error * unsure.abstention == pytest.approx(12 / 99)
    left, right = 7 / 99 * (7 / 99 + 12 / 99) / 2, 92 / 99 * 7 / 99 / 2
    assert unsure.capacity == pytest.approx(1 - left - right)
    costs = CostModel(cost_fn=10, cost_fp=4, cost_abstain=2)
    paid = 3 * 10 + 2 * 4 + 7 * 2 + 2 * 5  # the first class is the positive one
    assert unsure.cost(costs, cost_unknown=5) == pytest.approx(paid / 99)
    table = [[0, 4, 5], [10, 0, 5], [2, 2, 2]]
    assert (
        unsure.cost(table) == unsure.cost(np.array(table)[:, :2], cost_unknown=5) == pytest.approx(paid / 99)
    )
    free = [[0, 4, 5], [10, 0, 5], [2, 2, 0]]  # abstaining on what cannot be known may cost nothing
    assert unsure.cost(free) == pytest.approx((paid - 3 * 2) / 99)


def test_unknown_cases_all_abstained_on_by_hand():
    right = cautious_confusion(["a", "b", "?", "?"], ["a", "a", -1, -1], unknown_label="?")
    assert right.matrix.tolist() == [[1, 1, 0], [0, 0, 0], [0, 0, 2]]
    assert (right.labels, right.unknown_label) == (("a", "b"), "?")
    assert (right.unknown_decided, right.error, right.guess_error) == (0, 0.25, 1)
    assert right.at_abstention(0).error == 0.75
    # rates of two classes leave these cases out
    assert right.roc_point(4, pos_label="a") == (1, 1)


@given(matrices(max_classes=3), st.lists(st.sampled_from([0.0, 1.0, 2.5]), min_size=4, max_size=4))
@settings(max_examples=60, deadline=None)
def test_unknown_column_against_its_laws(plain, more):
    size = plain.n_classes
    column = np.array(more[: size + 1])
    unsure = CautiousConfusion(np.column_stack([plain.matrix, column]), unknown_label="?")
    assert unsure.error * unsure.card == pytest.approx(plain.error * plain.card + column[:-1].sum())
    assert unsure.abstention * unsure.card == pytest.approx(plain.matrix[-1].sum() + column[-1])
    tail = unsure.at_abstention(0).error
    assert unsure.error + unsure.guess_error * unsure.abstention == pytest.approx(tail)
    graph = capacity_graph(unsure)
    assert graph.tails[0].tolist() == pytest.approx([0, tail])
    assert graph.baseline == pytest.approx(1 - plain.card / unsure.card / size)
    if not column.any():
        for name in ("coverage", "accuracy", "error", "capacity", "guess_error"):
            assert getattr(unsure, name) == pytest.approx(getattr(plain, name), nan_ok=True)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: CautiousConfusion(P, unknown_label="?"), "the last for what cannot be known"),
        (lambda: CautiousConfusion(np.eye(3), ("a", "?"), "?"), "`unknown_label` must not be one of"),
        (lambda: cautious_confusion([0, 1], [0, 1], labels=[0, 1], unknown_label=1), "must not be one of"),
        (lambda: CautiousConfusion(R).cost(np.ones((4, 3)), cost_unknown=1), "`cost_unknown` needs a column"),
        (lambda: CautiousConfusion(np.eye(3), unknown_label="?").cost(np.ones((3, 2))), "with a column for"),
        (
            lambda: CautiousConfusion(np.eye(3), unknown_label="?").cost(CostModel(cost_abstain=0.1)),
            "`cost_unknown` is needed",
        ),
        (
            lambda: CautiousConfusion(np.eye(3), unknown_label="?").cost(
                [[0, 1], [1, 0], [1, 2]], cost_unknown=1
            ),
            "must have one cost of abstaining",
        ),
    ],
)
def test_refusals_about_unknown_cases(call, said):
    with pytest.raises(InputError, match=said):
        call()
