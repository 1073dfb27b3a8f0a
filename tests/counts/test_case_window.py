"""The cheapest window at costs by case: by hand, against all windows, reference files, the surface."""

import math
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from demur import (
    CostModel,
    ScoreCosts,
    UndefinedError,
    abstention_surface,
    decide,
)
from examples import examples
from oracles import all_windows
from reference_cases import cases, close

CLOSE = 1e-12


def of(scores, miss, alarm, review):
    return ScoreCosts.from_arrays(scores, miss=miss, alarm=alarm, review=review)


def windows_by_case(scores, miss, alarm, review):
    """Yield (cost, reviewed, j, i) of all windows by looking at every case; whole numbers stay exact."""
    rank = {score: at for at, score in enumerate(sorted(set(scores)))}
    groups = [rank[score] for score in scores]
    for i, j in all_windows(scores):
        paid = [
            a if g < i else r if g < j else b for g, a, b, r in zip(groups, miss, alarm, review, strict=True)
        ]
        yield sum(paid), sum(i <= g < j for g in groups), j, i


# ---------------------------------------------------------------- by hand


def test_amounts_decide_by_hand():
    """A fraud of 40 with a low score is worth three calls of 4; the last one is blocked unseen."""
    costs = of(
        [0.1, 0.2, 0.3, 0.4, 0.6, 0.9],
        miss=[0, 0, 40, 0, 0, 900],
        alarm=[25, 25, 0, 25, 25, 0],
        review=4,
    )
    window = costs.window()
    assert (window.lower_index, window.upper_index) == (2, 5)
    assert (window.lower, window.upper) == (0.25, 0.75)
    assert (window.cost, window.miss, window.alarm, window.review) == (2.0, 0.0, 0.0, 2.0)
    assert (window.abstention_rate, window.coverage) == (0.5, 0.5)
    assert not window.is_empty
    assert window.note == ""
    # squared losses 0, 0, 16, 16, 16, 0
    assert window.standard_error == pytest.approx(math.sqrt((48 - 6 * 4) / (6 * 5)))
    threshold = costs.window(may_abstain=False)
    # the fraud of 40 is lost: blocking it as well would block two good payments at 25
    assert (threshold.lower_index, threshold.upper_index, threshold.cost) == (5, 5, 40 / 6)
    assert threshold.note == ""


def test_a_window_that_could_abstain_and_does_not_says_so():
    costs = of([1, 2, 3], miss=[0, 1, 9], alarm=[9, 1, 0], review=2)
    assert costs.window().is_empty
    assert costs.window().note.startswith("Abstaining never pays on these cases")
    assert costs.of_window(1.5, 1.5).note == ""


def test_two_minima_that_cross_by_hand():
    """The best start, after 2 scores, lies above the best end, after 0; no single threshold is best."""
    miss, alarm, review = [4, 2, 6, 4], [2, 3, 2, 5], [4, 4, 5, 0]
    start = np.concatenate([[0], np.cumsum(np.subtract(miss, review))])
    stop = sum(alarm) + np.concatenate([[0], np.cumsum(np.subtract(review, alarm))])
    assert (int(start.argmin()), int(stop.argmin())) == (2, 0)
    costs = of(range(4), miss, alarm, review)
    window = costs.window()
    assert (window.lower_index, window.upper_index, 4 * window.cost) == (2, 4, 11)
    assert 4 * costs.window(may_abstain=False).cost == 12


def test_ties_review_fewest_cases_then_call_more_positive():
    free = of([1, 2, 3], 0, 0, 0).window()
    assert (free.lower_index, free.upper_index, free.abstention_rate) == (0, 0, 0.0)
    # reviewing score 1 costs what missing it costs; score 2 is cheapest reviewed
    tied = of([1, 2, 3], miss=[2, 9, 9], alarm=[9, 9, 0], review=[2, 2, 0]).window()
    assert (tied.lower_index, tied.upper_index) == (1, 2)


def test_ties_survive_rounding():
    """0.1 + 0.2 is not 0.3 in floats; the tie is one all the same."""
    # the first two scores cost 0.1 + 0.2 called negative, 0.05 + 0.25 reviewed
    tied = of([1, 2, 3], miss=[0.1, 0.2, 9], alarm=[9, 9, 0], review=[0.05, 0.25, 9]).window()
    assert 0.1 + 0.2 > 0.05 + 0.25
    assert (tied.lower_index, tied.upper_index) == (2, 2)


def test_a_prohibitive_review_takes_no_digits_from_the_others():
    """Differences of running sums would lose cents beside 1e14."""
    n = 50
    review = np.full(n, 0.01)
    review[0] = 1e14
    rng = np.random.default_rng(0)
    miss, alarm = np.linspace(0, 0.05, n) * rng.random(n), np.linspace(0.05, 0, n) * rng.random(n)
    window = of(range(n), miss, alarm, review).window()
    least = min(
        math.fsum([*miss[:i], *review[i:j], *alarm[j:]]) for i in range(n + 1) for j in range(i, n + 1)
    )
    assert n * window.cost == pytest.approx(least, rel=1e-14)


# ---------------------------------------------------------------- against all windows


@st.composite
def case_data(draw):
    n = draw(st.integers(1, 9))

    def column(values):
        return draw(st.lists(values, min_size=n, max_size=n))

    scores = column(st.sampled_from([-math.inf, -1.0, 0.0, 0.5, 2.0, 7.0, math.inf]))
    return scores, *(column(st.integers(0, 6)) for _ in range(3))


@settings(max_examples=examples(400), deadline=None)
@given(case_data())
def test_cheapest_of_all_windows_with_ties_against_brute_force(data):
    cost, reviewed, j, i = min(windows_by_case(*data))
    n, window = len(data[0]), of(*data).window()
    assert (window.lower_index, window.upper_index) == (i, j)
    assert window.cost == pytest.approx(cost / n, abs=CLOSE)
    assert window.abstention_rate == reviewed / n
    assert window.miss + window.alarm + window.review == window.cost
    single = min(row for row in windows_by_case(*data) if row[2] == row[3])
    threshold = of(*data).window(may_abstain=False)
    assert (threshold.lower_index, threshold.upper_index) == single[2:]


@settings(max_examples=examples(200), deadline=None)
@given(case_data())
def test_thresholds_decide_what_the_window_costs(data):
    costs = of(*data)
    window = costs.window()
    paid = np.choose(decide(data[0], window) % 3, data[1:])  # negative 0, positive 1, abstain -1
    assert paid.mean() == pytest.approx(window.cost, abs=CLOSE)
    if len(paid) > 1:
        error = paid.std(ddof=1) / math.sqrt(len(paid))
        assert window.standard_error == pytest.approx(error, abs=1e-7)
    again = costs.of_window(window.lower, window.upper)
    assert (again.lower_index, again.upper_index, again.cost) == (
        window.lower_index,
        window.upper_index,
        window.cost,
    )


@pytest.mark.parametrize("case", cases("decisions_case_costs.json", "casecost.window"))
def test_reference_windows(case):
    columns = {name: case["input"][name] for name in ("miss", "alarm", "review")}
    window = ScoreCosts.from_arrays(case["input"]["scores"], **columns).window()
    for name, value in case["expected"].items():
        close(getattr(window, name), value, case["tol"])


def test_long_data_compiled_and_interpreted_agree():
    rng = np.random.default_rng(5)
    n = 70_000  # beyond what is interpreted
    positive = rng.random(n) < 0.2
    scores = rng.normal(size=n) + positive
    miss, alarm = rng.lognormal(3, 1, n) * positive, 6.0 * ~positive
    costs = of(scores, miss, alarm, 2.0)
    order = np.argsort(scores)
    start = np.concatenate([[0], np.cumsum(miss[order] - 2.0)])
    stop = np.concatenate([[0], np.cumsum(2.0 - alarm[order])])
    least = (np.minimum.accumulate(start) + stop).min() + alarm.sum()
    window = costs.window()
    assert window.cost == pytest.approx(least / n, rel=1e-11)
    assert window.abstention_rate > 0.05


# ---------------------------------------------------------------- costs by class are a special case


@pytest.mark.parametrize("seed", range(200))
def test_class_costs_equal_the_surface(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 200))
    y = rng.random(n) < rng.uniform(0.1, 0.9)
    y[:2] = 0, 1
    scores = np.round(rng.normal(size=n) + y, int(rng.integers(0, 4)))
    fn, fp = rng.uniform(1, 50, 2)
    positive, negative = rng.uniform(0, 0.6, 2) * min(fn, fp)
    if seed % 2:
        positive = negative
    model = CostModel(cost_fn=fn, cost_fp=fp, cost_abstain_positive=positive, cost_abstain_negative=negative)
    expected = abstention_surface(y, scores).window(costs=model)
    window = of(scores, fn * y, fp * ~y, np.where(y, positive, negative)).window()
    assert window.cost == pytest.approx(expected.expected_cost, rel=1e-12, abs=1e-12)
    assert window.miss == pytest.approx(fn * expected.fn, rel=1e-12, abs=1e-12)
    assert window.alarm == pytest.approx(fp * expected.fp, rel=1e-12, abs=1e-12)
    assert (window.lower_index, window.upper_index) == (expected.lower_index, expected.upper_index)
    assert (window.lower, window.upper) == (expected.lower, expected.upper)
    assert window.abstention_rate == pytest.approx(expected.abstention_rate, abs=1e-12)


# ---------------------------------------------------------------- thresholds of others, hard scores


def test_given_thresholds_by_hand():
    costs = of([1, 2, 3, 4], miss=[1, 2, 3, 4], alarm=[40, 30, 20, 10], review=[5, 6, 7, 8])
    window = costs.of_window(1.5, 3)
    assert (window.lower_index, window.upper_index) == (1, 2)
    assert (window.miss, window.review, window.alarm) == (1 / 4, 6 / 4, 30 / 4)
    assert (window.lower, window.upper) == (1.5, 3.0)
    assert math.isnan(window.certified)
    assert costs.of_window(-math.inf, math.inf).cost == costs.trivial["always abstain"]
    assert costs.of_window(4, 4).miss == 6 / 4
    assert costs.of_window(5, 5).cost == costs.trivial["always negative"]


@given(case_data(), st.floats(-2, 8), st.floats(-2, 8))
def test_given_thresholds_cost_what_decide_says(data, one, other):
    lower, upper = min(one, other), max(one, other)
    paid = np.choose(decide(data[0], (lower, upper)) % 3, data[1:])
    assert of(*data).of_window(lower, upper).cost == pytest.approx(paid.mean(), abs=CLOSE)


def test_no_float_between_infinity_and_the_largest():
    largest = float(np.finfo(float).max)
    costs = of([largest, math.inf], miss=[0, 5], alarm=[5, 0], review=3)
    with pytest.raises(UndefinedError, match="No threshold separates"):
        costs.window()
    neighbours = of([1.0, np.nextafter(1, 2)], miss=[0, 5], alarm=[5, 0], review=3).window()
    assert decide([1.0, np.nextafter(1, 2)], neighbours).tolist() == [0, 1]


def test_one_case_has_no_standard_error():
    window = of([1.0], miss=3, alarm=2, review=1).window()
    assert (window.cost, window.abstention_rate, window.lower, window.upper) == (1, 1, -math.inf, math.inf)
    assert math.isnan(window.standard_error)
    assert window.to_dict()["standard_error"] is None
    assert window.to_dict()["coverage"] == 0


def test_windows_travel():
    window = of([1.0, 2.0], miss=3, alarm=2, review=1).window()
    assert pickle.loads(pickle.dumps(window)).to_dict() == window.to_dict()
