"""Response curves against the definition (every window tried), the paper, scikit-learn and hand."""

import itertools
import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cautious_cases import biased_cases, tree_cases
from demur import (
    ABSTAIN,
    CostModel,
    InputError,
    ScoreCounts,
    UndefinedError,
    abstention_surface,
    auc_score,
    cautious_confusion,
    response_curve,
)
from demur.cautious import CautionWindowRule, average_response_curves, response_hull, roc_response_surface
from examples import examples
from reference_cases import cases, close

FILE = "cautious.json"
SPAM_COSTS = [[0, 100], [20, 0], [2, 3]]
METRICS = ("accuracy", "error", "cost", "auc", "efficacy", "capacity")


# ---------------------------------------------------------------- oracles


def hand_till(labels, proba, weights):
    """Average over ordered pairs of classes of P(p_i of class i > p_i of class j), pair by pair."""
    values = []
    for i, j in itertools.permutations(sorted(set(labels)), 2):
        won = total = 0.0
        for yi, pi, wi in zip(labels, proba, weights, strict=True):
            for yj, pj, wj in zip(labels, proba, weights, strict=True):
                if (yi, yj) == (i, j):
                    total += wi * wj
                    won += wi * wj * (1.0 if pi[i] > pj[i] else 0.5 if pi[i] == pj[i] else 0.0)
        values.append(won / total)
    return sum(values) / len(values) if values else math.nan


def measures(labels, proba, weights, decided, costs):
    """All six measures of one set of decisions."""
    labels, proba, weights = np.asarray(labels), np.asarray(proba), np.asarray(weights)
    matrix = cautious_confusion(labels, decided, labels=range(proba.shape[1]), sample_weight=weights)
    kept = decided != ABSTAIN
    return {
        "accuracy": matrix.accuracy,
        "error": matrix.error,
        "cost": matrix.cost(costs),
        "auc": hand_till(labels[kept].tolist(), proba[kept], weights[kept]),
        "efficacy": matrix.efficacy,
        "capacity": matrix.capacity,
        "abstention": matrix.abstention,
        "matrix": matrix.matrix,
    }


@st.composite
def labelled_cases(draw, max_classes=4):
    rows, bias = draw(biased_cases(max_classes=max_classes, max_size=9))
    n = len(rows)
    labels = draw(st.lists(st.integers(0, rows.shape[1] - 1), min_size=n, max_size=n))
    weights = draw(st.lists(st.sampled_from([1.0, 2.0, 0.5, 3.0]), min_size=n, max_size=n))
    if draw(st.booleans()):
        bias = np.full(rows.shape[1], 1 / rows.shape[1])
    return labels, rows, weights, bias


def tree_curve(bias=(0.5, 0.5), **kwargs):
    labels, proba = tree_cases()
    return response_curve(labels, proba, bias=bias, **kwargs)


# ---------------------------------------------------------------- against the paper, by hand


def test_tree_with_equal_bias_against_paper():
    curve = tree_curve()
    assert curve.window_high[:-1] == pytest.approx([0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0])
    assert curve.abstention == pytest.approx([0, 0.09, 0.14, 0.20, 0.30, 0.46, 0.76, 1])
    expected = [0.85, 0.934066, 0.953488, 0.975, 0.971429, 0.981481, 0.958333, 1]
    assert curve.value == pytest.approx(expected, abs=5e-7)
    assert curve.area == pytest.approx(0.9648529309, abs=5e-11)
    # leaf 1 has p = 1: no window abstains on it, so the end at abstention 1 is no state
    assert curve.window[-1] == math.inf
    # the paper's capacity and accuracy curves are said to be monotone; the accuracy is not
    assert np.any(np.diff(curve.value) < 0)


def test_tree_errors_costs_and_auc_against_paper():
    error = tree_curve(metric="error")
    assert error.value == pytest.approx([0.15, 0.06, 0.04, 0.02, 0.02, 0.01, 0.01, 0])
    assert 1 - error.area == pytest.approx(0.97765)
    assert error.probabilistic_capacity == pytest.approx(0.97765)
    # the paper's class a is our column 0, so its cost matrix is used as it is printed
    cost = tree_curve(metric="cost", costs=SPAM_COSTS)
    assert cost.value == pytest.approx([12.6, 3.87, 3.60, 1.74, 1.94, 2.21, 3.11, 2.60])
    assert cost.best()[1:] == pytest.approx((0.2, 1.74))
    assert tree_curve(metric="auc").area == pytest.approx(0.8529290192, abs=5e-11)


def test_window_over_scores_beats_the_caution_window_by_hand():
    # the window optimised over scores (Friedel et al. 2006) costs 1.43 instead of 1.74
    labels, proba = tree_cases()
    costs = CostModel(cost_fp=100, cost_fn=20, cost_abstain_positive=2, cost_abstain_negative=3)
    best = abstention_surface(labels == 0, proba[:, 0]).window(costs=costs).expected_cost
    assert best == pytest.approx(1.43)
    assert best < tree_curve(metric="cost", costs=SPAM_COSTS).best().value


def test_tree_with_unequal_bias_against_paper():
    curve = tree_curve((0.55, 0.45))
    breaks = [1 / 9, 1 / 3, 4 / 11, 4 / 9, 7 / 11, 9 / 11]
    assert curve.window_low[1:-1] == pytest.approx(breaks)
    assert curve.abstention == pytest.approx([0, 0.09, 0.15, 0.20, 0.30, 0.46, 0.76, 1])
    assert curve.area == pytest.approx(0.9646181648, abs=5e-11)
    assert 1 - tree_curve((0.55, 0.45), metric="error").area == pytest.approx(0.97745)
    assert tree_curve((0.55, 0.45), metric="auc").area == pytest.approx(0.8529188092, abs=5e-11)


def test_equal_bias_supersedes_the_unequal_one_against_paper():
    equal, unequal = tree_curve(), tree_curve((0.55, 0.45))
    assert equal.dominates(unequal)
    assert not unequal.dominates(equal)
    assert not equal.dominates(equal)
    hull = response_hull({"equal": equal, "unequal": unequal})
    assert hull.discarded == ("unequal",)


def test_confusions_of_the_tree_against_paper():
    curve = tree_curve((0.55, 0.45))
    assert curve.confusion(0).matrix.tolist() == [[37, 12], [3, 48], [0, 0]]
    assert curve.confusion(1).matrix.tolist() == [[37, 3], [3, 48], [0, 9]]
    assert curve.confusion(3).matrix.tolist() == [[33, 1], [1, 45], [6, 14]]


def test_capacity_and_efficacy_are_not_monotone_by_hand():
    # Erratum: the paper says both responses always decrease.
    capacity = tree_curve(metric="capacity")
    assert capacity.value[:2] == pytest.approx([0.925, 0.965275])
    assert capacity.value[-1] == 0.75
    assert tree_curve(metric="efficacy").value[:2] == pytest.approx([0.925, 0.922033], abs=5e-7)


def test_all_even_probabilities_jump_to_abstention_one_by_hand():
    curve = response_curve([0, 1, 1], [[0.5, 0.5]] * 3, metric="error")
    assert curve.abstention.tolist() == [0, 1]
    assert curve.value == pytest.approx([2 / 3, 0])
    assert curve.window_high.tolist() == [0, 1]
    assert curve.area == pytest.approx(1 / 3)


def test_roc_curve_at_a_window_by_hand():
    labels, proba = tree_cases()
    surface = roc_response_surface(labels == 0, proba[:, ::-1])
    # at abstention 0.2 leaves 1, 2 and 6, 7 remain: 33 + 1 positives, 1 + 45 negatives
    curve = surface.roc(0.2)
    assert curve.tpr == pytest.approx([0, 23 / 34, 33 / 34, 1, 1])
    assert curve.fpr == pytest.approx([0, 1 / 46, 1 / 46, 16 / 46, 1])
    assert surface.volume == pytest.approx(0.8529290192, abs=5e-11)
    assert surface.roc(0).auc == pytest.approx(auc_score(labels == 0, proba[:, 0]))


# ---------------------------------------------------------------- reference cases (bisection)


@pytest.mark.parametrize("case", cases(FILE, "cautious.response"))
def test_response_against_bisection(case):
    data, expect, tol = case["input"], case["expect"], case["tol"]
    evidence = (data["labels"], data["probs"])
    options = {"sample_weight": data["weights"], "bias": data["K"]}
    states = expect["states"]
    for metric in ("accuracy", "error", "cost", "auc"):
        if metric == "cost" and data["cost"] is None:
            continue
        costs = data["cost"] if metric == "cost" else None
        if math.isnan(states[0][metric]):
            # one policy for all curves: what does not exist raises
            with pytest.raises(UndefinedError):
                response_curve(*evidence, metric=metric, **options)
            assert math.isnan(expect["auc_volume"])
            continue
        curve = response_curve(*evidence, metric=metric, costs=costs, **options)
        close(curve.window_low[: len(states)], [state["w_lo"] for state in states], tol)
        close(curve.window_high[: len(states)], [state["w_hi"] for state in states], tol)
        close(curve.abstention[: len(states)], [state["abstention"] for state in states], tol)
        for t, state in enumerate(states):
            if not math.isnan(state[metric]):
                close(curve.value[t], state[metric], tol)
            elif state["abstention"] < 1:
                assert math.isnan(curve.value[t])
            close(curve.confusion(t).matrix.tolist(), state["matrix"], tol)
        assert curve.abstention[-1] == 1
        area = {"accuracy": "pcap_accuracy", "auc": "auc_volume"}.get(metric)
        if area:
            close(curve.area, expect[area], tol)
        if metric == "error":
            close(1 - curve.area, expect["pcap_error"], tol)


# ---------------------------------------------------------------- brute force on random data


@given(labelled_cases())
@settings(max_examples=examples(150), deadline=None)
def test_every_state_against_brute_force(data):
    labels, rows, weights, bias = data
    rng = np.random.default_rng(len(labels))
    costs = rng.integers(0, 9, (rows.shape[1] + 1, rows.shape[1])).astype(float)
    curves = {}
    for metric in METRICS:
        if metric == "auc" and len(set(labels)) < 2:
            continue
        curves[metric] = response_curve(
            labels,
            rows,
            sample_weight=weights,
            bias=bias,
            metric=metric,
            costs=costs if metric == "cost" else None,
        )
    reached = len(curves["error"].states.breaks) + 1
    for state in range(reached):
        window = curves["error"].window[state]
        expected = measures(labels, rows, weights, CautionWindowRule(bias, window).decide(rows), costs)
        for metric, curve in curves.items():
            assert curve.window[state] == window
            assert curve.abstention[state] == pytest.approx(expected["abstention"], abs=1e-12)
            if expected["abstention"] < 1:
                assert curve.value[state] == pytest.approx(expected[metric], abs=1e-12, nan_ok=True)
        assert curves["error"].confusion(state).matrix == pytest.approx(expected["matrix"])


@given(labelled_cases())
@settings(max_examples=examples(80), deadline=None)
def test_no_state_is_missed_against_brute_force(data):
    labels, rows, weights, bias = data
    curve = response_curve(labels, rows, sample_weight=weights, bias=bias, metric="error")
    reached = len(curve.states.breaks) + 1
    matrices = [curve.confusion(state).matrix for state in range(reached)]
    for matrix, next_matrix in itertools.pairwise(matrices):
        assert np.abs(matrix - next_matrix).max() > 0, "equal neighbours must be one state"
    # windows off the grid of exact ties: each must show one of the states, at its place
    for window in (np.arange(40) + 0.4142135) / 40:
        decided = CautionWindowRule(bias, window).decide(rows)
        matrix = cautious_confusion(labels, decided, labels=range(rows.shape[1]), sample_weight=weights)
        state = int(np.searchsorted(curve.window_high[:reached], window, side="left"))
        assert matrix.matrix == pytest.approx(matrices[state])


@given(labelled_cases(), st.randoms(use_true_random=False))
@settings(max_examples=examples(60), deadline=None)
def test_laws_of_curves(data, random):
    labels, rows, weights, bias = data
    curve = response_curve(labels, rows, sample_weight=weights, bias=bias, metric="error")
    assert curve.abstention[0] == 0
    assert curve.abstention[-1] == 1
    assert np.all(np.diff(curve.abstention) >= 0)
    assert np.all((curve.value >= 0) & (curve.value <= 1))
    order = list(range(len(labels)))
    random.shuffle(order)
    shuffled = response_curve(
        [labels[k] for k in order],
        rows[order],
        sample_weight=[weights[k] for k in order],
        bias=bias,
        metric="error",
    )
    assert shuffled.value == pytest.approx(curve.value, abs=1e-12)
    repeats = [int(2 * w) for w in weights]
    repeated = response_curve(np.repeat(labels, repeats), np.repeat(rows, repeats, axis=0), bias=bias)
    assert repeated.with_metric("error").value == pytest.approx(curve.value, abs=1e-12)


def test_call_forms_agree():
    rng = np.random.default_rng(2)
    p = rng.integers(0, 65, 300) / 64
    y = (rng.random(300) < p).astype(int)
    whole = response_curve(y, np.column_stack([1 - p, p]), metric="auc")
    words = response_curve(np.array(["no", "yes"])[y], p, metric="auc", labels=["no", "yes"])
    counted = response_curve(ScoreCounts.from_arrays(y, p), metric="auc")
    for same in (words, counted, whole.with_metric("auc")):
        assert np.array_equal(same.value, whole.value)
        assert np.array_equal(same.window, whole.window)
    json.dumps(whole.to_dict(), allow_nan=False)


def test_user_arrays_stay_writeable():
    rows, bias = np.array([[0.2, 0.3, 0.5], [0.6, 0.2, 0.2]]), np.array([0.2, 0.3, 0.5])
    curve = response_curve(np.array([0, 1]), rows, bias=bias)
    assert rows.flags.writeable
    assert bias.flags.writeable
    before = curve.with_metric("auc").value
    rows[:] = rows[::-1].copy()
    assert np.array_equal(curve.with_metric("auc").value, before, equal_nan=True)


def test_windows_that_differ_by_rounding_are_one_state():
    for gap, states in ((1e-13, 3), (1e-9, 4)):
        two = response_curve([0, 1, 1], [0.4, 0.6 + gap, 0.9], metric="error")
        assert len(two.value) == states
        rows = [[0.2, 0.2, 0.6], [0.2, 0.2 - gap, 0.6 + gap], [0.9, 0.05, 0.05]]
        assert len(response_curve([2, 2, 0], rows, metric="error").value) == states
    # certain up to rounding is certain: never abstained on
    assert response_curve([1, 0], [1 - 1e-14, 0.3]).window[-1] == math.inf


def test_float_and_bool_labels_are_classes():
    expected = response_curve([0, 1, 1], [0.4, 0.3, 0.9]).value
    for labels in ([0.0, 1.0, 1.0], [False, True, True]):
        assert np.array_equal(response_curve(labels, [0.4, 0.3, 0.9]).value, expected)


def test_zero_weights_are_no_cases():
    rows = [[0.6, 0.3, 0.1], [0.2, 0.7, 0.1], [0.1, 0.2, 0.7]]
    with_zero = response_curve([0, 1, 0], rows, sample_weight=[1, 1, 0])
    assert np.array_equal(with_zero.value, response_curve([0, 1], rows[:2]).value)


def test_compiled_and_interpreted_kernels_agree(monkeypatch):
    from demur._kernels import jit, places, sweep

    rng = np.random.default_rng(4)
    rows = rng.multinomial(64, np.full(4, 0.25), size=400) / 64
    y, weights = rng.integers(0, 4, 400), rng.random(400)

    def curves():
        bias = [0.1, 0.2, 0.3, 0.4]
        many = response_curve(y, rows, sample_weight=weights, bias=bias, metric="auc")
        two = response_curve(y > 1, rows[:, 2], sample_weight=weights, metric="auc")
        return many, two

    both = []
    for answer in (False, True):
        for module in (jit, places, sweep):
            monkeypatch.setattr(module, "worth_compiling", lambda size, answer=answer: answer)
        both.append(curves())
    for one, other in zip(*both, strict=True):
        assert np.array_equal(one.value, other.value, equal_nan=True)
        assert np.array_equal(one.window, other.window)


def test_hand_till_against_sklearn():
    from sklearn.metrics import roc_auc_score

    rng = np.random.default_rng(8)
    rows = rng.dirichlet(np.ones(5), 500)
    y = rng.integers(0, 5, 500)
    curve = response_curve(y, rows, metric="auc")
    assert curve.value[0] == pytest.approx(roc_auc_score(y, rows, multi_class="ovo"))
    half = int(np.searchsorted(curve.abstention, 0.5))
    kept = CautionWindowRule(np.full(5, 0.2), curve.window[half]).decide(rows) != ABSTAIN
    assert curve.value[half] == pytest.approx(roc_auc_score(y[kept], rows[kept], multi_class="ovo"))


# ---------------------------------------------------------------- several curves


def test_curves_that_cross_dominate_nowhere_by_hand():
    y = [0, 0, 1, 1]
    one = response_curve(y, [0.4, 0.1, 0.3, 0.9], metric="error")  # the error is abstained on late
    other = response_curve(y, [0.1, 0.1, 0.45, 0.2], metric="error")  # two errors, one soon gone
    assert one.value[0] < other.value[0]
    assert one.dominates(other) is True
    late = response_curve(y, [0.4, 0.1, 0.05, 0.9], metric="error")
    early = response_curve(y, [0.55, 0.1, 0.45, 0.9], metric="error")
    assert late.value[0] < early.value[0]
    assert late.at(0.6) > early.at(0.6)
    assert not late.dominates(early)
    assert not early.dominates(late)
    assert response_hull({"late": late, "early": early}).discarded == ()


def test_step_at_abstention_0_counts_with_its_better_end_by_hand():
    # p/k of the first case is 0, 2, 2: class 1 is called at window 0, class 2 just above it
    rows = [[0.0, 0.25, 0.75], [0.5, 0.3, 0.2]]
    step = response_curve([2, 1], rows, bias=[0.5, 0.125, 0.375], metric="error")
    flat = response_curve([0, 1], [0.4, 0.3], metric="error")
    assert step.abstention[:2].tolist() == [0, 0]
    assert step.value[:2].tolist() == [0.5, 0]
    assert step.at(0) == 0
    assert step.dominates(flat)


@given(labelled_cases(), labelled_cases())
@settings(max_examples=examples(60), deadline=None)
def test_dominance_against_a_fine_grid(one, other):
    curves = [response_curve(y, p, sample_weight=w, bias=k, metric="error") for y, p, w, k in (one, other)]
    corners = np.union1d(curves[0].abstention, curves[1].abstention)
    grid = np.concatenate(
        [corners, corners[:-1] + np.diff(corners) * 1e-6, corners[1:] - np.diff(corners) * 1e-6]
    )
    first, second = (np.asarray(curve.at(grid)) for curve in curves)
    if curves[0].dominates(curves[1]):
        assert np.all(first <= second + 1e-9)
        assert np.any(first < second)
        assert not curves[1].dominates(curves[0])


def test_average_of_folds_by_hand():
    one = response_curve([0, 1], [0.4, 0.3], metric="error")  # (0, 1/2), (1/2, 1/2), (1, 0)
    other = response_curve([0, 1], [0.6, 0.9], metric="error")  # (0, 1/2), (1/2, 0), (1, 0)
    mean = average_response_curves([one, other], weights=[3, 1])
    assert mean.abstention == pytest.approx([0, 0.5, 1])
    assert mean.value == pytest.approx([0.5, 0.375, 0])
    assert mean.area == pytest.approx(0.75 * one.area + 0.25 * other.area)
    assert mean.n_curves == 2


@given(st.lists(labelled_cases(max_classes=3), min_size=1, max_size=4))
@settings(max_examples=examples(50), deadline=None)
def test_average_has_the_average_area(folds):
    curves = [response_curve(y, p, sample_weight=w, bias=k, metric="accuracy") for y, p, w, k in folds]
    mean = average_response_curves(curves)
    assert mean.area == pytest.approx(np.mean([curve.area for curve in curves]), abs=1e-12)
    inner = 0.123456
    assert mean.at(inner) == pytest.approx(np.mean([curve.at(inner) for curve in curves]), abs=1e-12)


def test_hull_of_auc_curves_lies_above_them():
    rng = np.random.default_rng(1)
    y = rng.random(200) < 0.4
    curves = {
        name: response_curve(y, 1 / (1 + np.exp(-(slope * (y - 0.5) + rng.normal(size=200)))), metric="auc")
        for name, slope in (("good", 2.5), ("poor", 0.8))
    }
    hull = response_hull(curves)
    assert hull.discarded == ("poor",)
    assert hull.area > max(curve.area for curve in curves.values())
    for curve in curves.values():
        defined = ~np.isnan(curve.value)
        height = np.interp(curve.abstention[defined], hull.abstention, hull.value)
        assert np.all(curve.value[defined] <= height + 1e-12)


# ---------------------------------------------------------------- wrong input


def test_one_class_has_no_auc():
    with pytest.raises(UndefinedError, match="at least two classes"):
        response_curve([1, 1], [0.2, 0.7], metric="auc")
    with pytest.raises(UndefinedError, match="at least two classes"):
        roc_response_surface([1, 1], [0.2, 0.7])
    # a class that is never present is no obstacle to the other measures
    assert response_curve([1, 1], [0.2, 0.7]).value[0] == 0.5
    assert response_curve([0, 2], [[0.5, 0.5, 0], [0.1, 0, 0.9]], metric="auc").value[0] == 1


def test_roc_curve_beyond_the_last_pair_is_refused():
    surface = roc_response_surface([0, 1, 1], [0.4, 0.8, 0.9])
    with pytest.raises(UndefinedError, match="smaller share"):
        surface.roc(0.9)


ROWS = [[0.2, 0.8], [0.6, 0.4]]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: response_curve([0, 1], [[0.2, 0.7], [0.5, 0.5]]), "rows that sum to 1, got 0.9 in row 0"),
        (
            lambda: response_curve([0, 1], [[-0.2, 1.2], [0.5, 0.5]]),
            r"`proba` must lie in \[0, 1\], got -0.2",
        ),
        (lambda: response_curve([0, 1], [0.2, 1.7]), r"`proba` must lie in \[0, 1\], got 1.7"),
        (lambda: response_curve([0, 1], [[1.0], [1.0]]), "at least two classes"),
        (lambda: response_curve([0, 1]), "`proba` is missing"),
        (lambda: response_curve([0, 2], ROWS), "`y_true` must hold class indices from 0 to 1, got 2"),
        (lambda: response_curve(["a", "b"], ROWS), "labels=classifier.classes_"),
        (lambda: response_curve([0, 1], ROWS, labels=["a", "b"]), r"must hold the labels \['a', 'b'\]"),
        (lambda: response_curve([0, 1, 1], ROWS), "`y_true` and `proba` must have the same length"),
        (lambda: response_curve([0, math.inf], ROWS), "must hold class indices"),
        (lambda: response_curve([0, 1, 1], np.full((2, 4), 0.25)), "same length"),
        (lambda: response_curve([0, 1], ROWS, bias=[0.4, 0.4]), "`bias` must sum to 1, got 0.8"),
        (lambda: response_curve([0, 1], ROWS, bias=[1.4, -0.4]), r"`bias` must lie in \[0, 1\]"),
        (lambda: response_curve([0, 1], ROWS, metric="recall"), "`metric` must be one of 'accuracy'"),
        (lambda: response_curve([0, 1], ROWS, metric="cost"), "`costs` must be given for metric 'cost'"),
        (lambda: response_curve([0, 1], ROWS, costs=SPAM_COSTS), "they are for metric='cost'"),
        (lambda: response_curve([0, 1], ROWS, metric="cost", costs=[[1, 2]]), r"must have shape \(3, 2\)"),
        (lambda: response_curve([0, 1], ROWS, sample_weight=[1, -1]), "must not be negative"),
        (lambda: response_curve(ScoreCounts.from_arrays([0, 1], [0, 7])), "calibrate the scores first"),
        (lambda: response_curve([0, 1], ROWS).at(1.2), r"`abstention` must lie in \[0, 1\]"),
        (lambda: response_curve([0, 1], ROWS).confusion(9), "`state` must be the index of one of 3 states"),
        (lambda: response_curve([0, 1], ROWS).dominates(3), "`other` must be a response curve, got int"),
        (
            lambda: response_curve([0, 1], ROWS).dominates(response_curve([0, 1], ROWS, metric="error")),
            "must be a response of accuracy, got error",
        ),
        (lambda: average_response_curves([]), "at least one member"),
        (lambda: average_response_curves([3]), r"`curves\[0\]` must be a response curve, got int"),
        (lambda: average_response_curves([response_curve([0, 1], ROWS)], weights=[0]), "not all be zero"),
        (
            lambda: average_response_curves(
                [response_curve([0, 1], ROWS, metric=m) for m in ("error", "auc")]
            ),
            "one metric",
        ),
        (lambda: response_hull({}), "at least one response curve"),
        (lambda: response_hull(3), "`curves` must be a mapping"),
        (
            lambda: response_curve(ScoreCounts.from_arrays([0, 1], [0, 1]), labels=[0, 1]),
            "`labels` must be left out",
        ),
        (lambda: roc_response_surface([0, 1], np.full((2, 4), 0.25)), "two columns"),
        (lambda: response_curve([0, 1], ROWS, metric="auc").probabilistic_capacity, "exists for accuracy"),
    ],
)
def test_error_sentences(call, message):
    with pytest.raises(InputError, match=message):
        call()
